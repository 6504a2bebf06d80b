//! A campaign: cases go through a door, and what comes back is judged.

use super::compare::{Compared, judge};
use super::disagreement::Disagreement;
use super::door::{Door, StartError, Trouble};
use super::profile::Profile;
use super::question::{NotSent, Prepared, prepare};
use super::subject::{Ability, Question};
use super::triage::{Found, triage};
use crate::case::Case;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Generated cases that are sent as one message.
const BATCH: usize = 16;
/// A worker that was asked about so many cases is replaced, so that what it was asked before stays short enough to be searched.
const LIFE: usize = 1024;

/// Opens a door to a fresh worker.
pub type Open<'a> = dyn Fn() -> Result<Box<dyn Door>, StartError> + 'a;

/// What a campaign did.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Cases that were sent.
    pub sent: u64,
    /// What was compared.
    pub compared: Compared,
    /// Decoders' answers that were compared.
    pub decoded: u64,
    /// Cases that were not sent, by reason.
    pub not_sent: BTreeMap<String, u64>,
    /// Cases about which the subject disagrees.
    pub failing: u64,
    /// Whether the user ended it.
    pub interrupted: bool,
}

/// A campaign against one subject.
pub struct Campaign<'a> {
    open: &'a Open<'a>,
    profile: &'a Profile,
    abilities: Vec<Ability>,
    worker: Option<Worker>,
    /// What was found so far.
    pub found: Vec<Found>,
    /// What was done so far.
    pub summary: Summary,
}

/// A door with all that went through it.
struct Worker {
    door: Box<dyn Door>,
    before: Vec<Rc<Prepared>>,
}

impl<'a> Campaign<'a> {
    /// A campaign against what `open` leads to, which can do `abilities`.
    pub fn new(open: &'a Open<'a>, profile: &'a Profile, abilities: &[Ability]) -> Campaign<'a> {
        Campaign {
            open,
            profile,
            abilities: abilities.to_vec(),
            worker: None,
            found: Vec::new(),
            summary: Summary::default(),
        }
    }

    /// Judges cases that belong to nobody's profile yet, each as one message, in order. What is found is told as soon as it is known.
    ///
    /// # Errors
    /// If no worker can be started.
    pub fn each(&mut self, cases: &[Case], tell: &mut dyn FnMut(&Found)) -> Result<(), StartError> {
        for case in cases {
            self.batch(std::slice::from_ref(case), tell)?;
            if self.summary.interrupted {
                break;
            }
        }
        Ok(())
    }

    /// How many cases go together.
    pub fn batch_size(&self) -> usize {
        BATCH
    }

    /// Judges cases as one message.
    ///
    /// # Errors
    /// If no worker can be started.
    pub fn batch(&mut self, cases: &[Case], tell: &mut dyn FnMut(&Found)) -> Result<(), StartError> {
        let mut batch = Vec::with_capacity(cases.len());
        for case in cases {
            match prepare(case, self.profile, &self.abilities) {
                Ok(prepared) => batch.push(Rc::new(prepared)),
                Err(why) => self.not_sent(why),
            }
        }
        if batch.is_empty() {
            return Ok(());
        }
        self.summary.sent += batch.len() as u64;
        let mut worker = match self.worker.take() {
            Some(worker) if worker.before.len() < LIFE => worker,
            _ => Worker { door: (self.open)()?, before: Vec::new() },
        };
        match ask(&mut *worker.door, &batch, self.profile) {
            Ok(verdicts) => {
                let mut suspects = Vec::new();
                for (at, verdict) in verdicts.into_iter().enumerate() {
                    match verdict {
                        Ok(compared) => self.count(compared),
                        Err(disagreement) => suspects.push((at, disagreement)),
                    }
                }
                for (at, disagreement) in suspects {
                    let history: Vec<Rc<Prepared>> =
                        worker.before.iter().chain(&batch[..at]).cloned().collect();
                    let printed = worker.door.printed();
                    self.suspect(&batch[at], &disagreement, &history, &printed, tell)?;
                }
                worker.before.extend(batch);
                self.worker = Some(worker);
            }
            Err(Trouble::Interrupted) => self.summary.interrupted = true,
            Err(Trouble::Finding(disagreement)) => {
                let printed = worker.door.printed();
                drop(worker.door);
                if let ([only], true) = (batch.as_slice(), worker.before.is_empty()) {
                    let only = Rc::clone(only);
                    return self.suspect(&only, &disagreement, &[], &printed, tell);
                }
                self.search(&batch, &disagreement, &worker.before, &printed, tell)?;
            }
        }
        Ok(())
    }

    /// Finds out which case of a batch it was that a worker did not survive.
    fn search(
        &mut self,
        batch: &[Rc<Prepared>],
        disagreement: &Disagreement,
        before: &[Rc<Prepared>],
        printed: &str,
        tell: &mut dyn FnMut(&Found),
    ) -> Result<(), StartError> {
        let mut any = false;
        let mut door: Option<Box<dyn Door>> = None;
        for prepared in batch {
            let mut fresh = match door.take() {
                Some(door) => door,
                None => (self.open)()?,
            };
            match alone(&mut *fresh, prepared, self.profile) {
                Ok(compared) => {
                    self.count(compared);
                    door = Some(fresh);
                }
                Err(Trouble::Interrupted) => {
                    self.summary.interrupted = true;
                    return Ok(());
                }
                Err(Trouble::Finding(found)) => {
                    any = true;
                    let printed = fresh.printed();
                    drop(fresh);
                    self.suspect(prepared, &found, &[], &printed, tell)?;
                }
            }
        }
        if let (false, Some(earlier)) = (any, before.last()) {
            // An answer too many shows only with the next question.
            let mut fresh = (self.open)()?;
            match alone(&mut *fresh, earlier, self.profile) {
                Err(Trouble::Finding(found)) if found.is_like(disagreement) => {
                    let printed = fresh.printed();
                    drop(fresh);
                    let earlier = Rc::clone(earlier);
                    return self.suspect(&earlier, &found, &[], &printed, tell);
                }
                Err(Trouble::Interrupted) => {
                    self.summary.interrupted = true;
                    return Ok(());
                }
                _ => {}
            }
        }
        if let (false, Some((last, first))) = (any, batch.split_last()) {
            let history: Vec<Rc<Prepared>> = before.iter().chain(first).cloned().collect();
            self.suspect(last, disagreement, &history, printed, tell)?;
        }
        Ok(())
    }

    fn suspect(
        &mut self,
        prepared: &Rc<Prepared>,
        disagreement: &Disagreement,
        history: &[Rc<Prepared>],
        printed: &str,
        tell: &mut dyn FnMut(&Found),
    ) -> Result<(), StartError> {
        self.summary.failing += 1;
        if let Some(known) = self.found.iter_mut().find(|found| found.explains(prepared, disagreement)) {
            known.count += 1;
            return Ok(());
        }
        let found =
            triage(self.open, self.profile, &self.abilities, prepared, disagreement, history, printed)?;
        let Some(found) = found else {
            self.summary.interrupted = true;
            return Ok(());
        };
        match self.found.iter_mut().find(|known| known.signature == found.signature) {
            Some(known) => {
                known.count += 1;
                known.minimised += 1;
            }
            None => {
                tell(&found);
                self.found.push(found);
            }
        }
        Ok(())
    }

    fn count(&mut self, compared: Compared) {
        self.summary.decoded += u64::from(compared.decoded);
        self.summary.compared += compared;
    }

    fn not_sent(&mut self, why: NotSent) {
        let why = match why {
            // The reasons are as many as there are programs.
            NotSent::Outside(_) => "outside of the profile".to_owned(),
            other => other.to_string(),
        };
        *self.summary.not_sent.entry(why).or_default() += 1;
    }
}

/// Asks about cases as one message.
fn ask(
    door: &mut dyn Door,
    batch: &[Rc<Prepared>],
    profile: &Profile,
) -> Result<Vec<Result<Compared, Disagreement>>, Trouble> {
    let questions: Vec<Question> = batch.iter().flat_map(|prepared| prepared.questions.clone()).collect();
    let answers = door.ask(&questions)?;
    let mut rest = answers.as_slice();
    let verdicts = batch.iter().map(|prepared| {
        let (own, others) = rest.split_at(prepared.questions.len().min(rest.len()));
        rest = others;
        judge(prepared, own, profile)
    });
    Ok(verdicts.collect())
}

/// Asks about one case, twice: the second answer has to be the first, and shows an answer too many to the first question.
///
/// # Errors
/// The disagreement, or what the worker did instead of answering.
pub(super) fn alone(
    door: &mut dyn Door,
    prepared: &Prepared,
    profile: &Profile,
) -> Result<Compared, Trouble> {
    let first = door.ask(&prepared.questions)?;
    let compared = judge(prepared, &first, profile).map_err(Trouble::Finding);
    let second = door.ask(&prepared.questions)?;
    match (compared, judge(prepared, &second, profile)) {
        (Ok(compared), Ok(_)) => Ok(compared),
        (Err(Trouble::Finding(a)), Err(b)) if a.is_like(&b) => Err(Trouble::Finding(a)),
        (Ok(_), Err(other)) | (Err(Trouble::Finding(other)), _) => {
            let message =
                format!("the same question got two answers, one of which is wrong: {}", other.message);
            Err(Trouble::finding(super::Class::Inconsistent, "answer", message))
        }
        (Err(Trouble::Interrupted), _) => Err(Trouble::Interrupted),
    }
}
