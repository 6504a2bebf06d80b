//! A campaign: sends cases through a connection to the subject and judges the answers.

use super::compare::Compared;
use super::connection::{AskError, Connection, StartError};
use super::disagreement::{Class, Disagreement};
use super::joint_options::{Difference, Explained};
use super::profile::Profile;
use super::question::{NotSent, Prepared, prepare};
use super::standard::Standard;
use super::subject::{Ability, Question};
use super::triage::{Found, triage};
use crate::case::Case;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The number of cases after which a worker is replaced, so that its history stays short enough to be searched.
const CASES_PER_WORKER: usize = 1024;

/// Opens a connection to a fresh worker process.
pub type Open<'a> = dyn Fn() -> Result<Box<dyn Connection>, StartError> + 'a;

/// The events that a campaign reports.
pub enum Event<'a> {
    /// A suspect before its triage. Its result follows as another event, possibly after events of other suspects.
    Suspect(&'a Found),
    /// The suspect was confirmed as a finding, possibly with another signature.
    Found(&'a Found),
    /// The suspect needs no finding of its own: it belongs to one that was already reported, perhaps during the search for the failing case.
    Known,
    /// The suspect's triage could not be completed.
    NotTriaged(&'a Found),
}

/// The totals of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The number of cases sent.
    pub sent: u64,
    /// The totals of what was compared.
    pub compared: Compared,
    /// The number of decoder answers compared.
    pub decoded: u64,
    /// The numbers of cases that were not sent, by reason.
    pub not_sent: BTreeMap<String, u64>,
    /// The number of cases on which the subject disagrees with the reference or gives no answer.
    pub failing: u64,
    /// Whether the user interrupted the campaign.
    pub interrupted: bool,
}

/// A campaign against one subject.
pub struct Campaign<'a> {
    open: &'a Open<'a>,
    standard: Standard<'a>,
    abilities: Vec<Ability>,
    worker: Option<Worker>,
    /// The findings so far.
    pub found: Vec<Found>,
    /// The totals so far.
    pub summary: Summary,
}

/// A connection to a worker process, with the cases that were sent through it.
struct Worker {
    connection: Box<dyn Connection>,
    before: Vec<Rc<Prepared>>,
}

impl<'a> Campaign<'a> {
    /// Starts a campaign against the subject that `open` connects to; `abilities` are those to be judged.
    pub fn new(open: &'a Open<'a>, profile: &'a Profile, abilities: &[Ability]) -> Campaign<'a> {
        Campaign {
            open,
            standard: Standard::new(profile),
            abilities: abilities.to_vec(),
            worker: None,
            found: Vec::new(),
            summary: Summary::default(),
        }
    }

    /// From this call on, every option counts as claimed by the subject, so other choices explain no difference.
    pub fn strict_options(&mut self) {
        self.standard.strict();
    }

    /// Returns the differences that other option choices explain, most frequent first. Explained differences are not findings.
    pub fn explained(&self) -> Vec<Explained> {
        self.standard.explained()
    }

    /// Returns the options for which the subject's answers imply different choices in different cases.
    pub fn inconsistent_options(&self) -> Vec<&'static str> {
        self.standard.inconsistent_options()
    }

    /// Whether there were too many settings of options to try all of them.
    pub fn is_capped(&self) -> bool {
        self.standard.is_capped()
    }

    /// The number of generated cases that are sent in one message.
    pub const BATCH: usize = 16;

    /// Sends cases as one message and judges the answers.
    ///
    /// # Errors
    /// If no worker can be started.
    pub fn batch(&mut self, cases: &[Case], tell: &mut dyn FnMut(Event<'_>)) -> Result<(), StartError> {
        let mut batch = Vec::with_capacity(cases.len());
        for case in cases {
            match prepare(case, self.standard.profile, &self.abilities) {
                Ok(prepared) => batch.push(Rc::new(prepared)),
                Err(why) => self.count_not_sent(why),
            }
        }
        if batch.is_empty() {
            return Ok(());
        }
        if self.worker.as_ref().is_some_and(|worker| worker.before.len() >= CASES_PER_WORKER) {
            self.retire(tell)?;
        }
        self.summary.sent += batch.len() as u64;
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => Worker { connection: (self.open)()?, before: Vec::new() },
        };
        match ask(&mut *worker.connection, &batch, &self.standard) {
            Ok(verdicts) => {
                let mut suspects = Vec::new();
                let mut unexplained = Vec::new();
                for (at, (verdict, broken)) in verdicts.into_iter().enumerate() {
                    match verdict {
                        Ok(compared) => self.count_compared(compared),
                        Err(disagreement) => suspects.push((at, disagreement)),
                    }
                    unexplained.extend(broken);
                }
                let printed = worker.connection.printed();
                for (at, disagreement) in suspects {
                    let history: Vec<Rc<Prepared>> =
                        worker.before.iter().chain(&batch[..at]).cloned().collect();
                    self.suspect(&batch[at], &disagreement, &history, &printed, tell)?;
                }
                for Difference { prepared, disagreement } in unexplained {
                    self.suspect(&prepared, &disagreement, &[], &printed, tell)?;
                }
                worker.before.extend(batch);
                self.worker = Some(worker);
            }
            Err(AskError::Interrupted) => self.summary.interrupted = true,
            Err(AskError::Finding(disagreement)) => {
                let printed = worker.connection.printed();
                drop(worker.connection);
                if let ([only], true) = (batch.as_slice(), worker.before.is_empty()) {
                    let only = Rc::clone(only);
                    return self.suspect(&only, &disagreement, &[], &printed, tell);
                }
                self.triage_worker_failure(&batch, &disagreement, &worker.before, &printed, tell)?;
            }
        }
        Ok(())
    }

    /// Closes the connection to the current worker, and triages a superfluous answer if there is one. Must be called after the last case.
    ///
    /// # Errors
    /// If no worker can be started.
    pub fn retire(&mut self, tell: &mut dyn FnMut(Event<'_>)) -> Result<(), StartError> {
        let Some(mut worker) = self.worker.take() else { return Ok(()) };
        let Some(disagreement) = worker.connection.close() else { return Ok(()) };
        let Some(last) = worker.before.pop() else { return Ok(()) };
        let printed = worker.connection.printed();
        drop(worker.connection);
        self.suspect(&last, &disagreement, &worker.before, &printed, tell)
    }

    /// Finds the case that made a worker fail. The suspect is reported before the search, so that it is recorded even if the search is interrupted.
    fn triage_worker_failure(
        &mut self,
        batch: &[Rc<Prepared>],
        disagreement: &Disagreement,
        before: &[Rc<Prepared>],
        printed: &str,
        tell: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), StartError> {
        let Some((last, first)) = batch.split_last() else { return Ok(()) };
        let history: Vec<Rc<Prepared>> = before.iter().chain(first).cloned().collect();
        let met = Found::new(last, disagreement, &history, printed);
        tell(Event::Suspect(&met));
        let found_before = self.found.len();
        let searched = self.search(batch, disagreement, before, printed, tell);
        if self.found.len() == found_before && (searched.is_err() || self.summary.interrupted) {
            self.summary.failing += 1;
            tell(Event::NotTriaged(&met));
            self.found.push(met);
        } else {
            tell(Event::Known);
        }
        searched
    }

    /// Finds the case of a batch that made a worker fail.
    fn search(
        &mut self,
        batch: &[Rc<Prepared>],
        disagreement: &Disagreement,
        before: &[Rc<Prepared>],
        printed: &str,
        tell: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), StartError> {
        let mut any = false;
        let mut connection: Option<Box<dyn Connection>> = None;
        // The cases sent through the connection, once for each time they were sent.
        let mut asked: Vec<Rc<Prepared>> = Vec::new();
        for prepared in batch {
            let mut fresh = match connection.take() {
                Some(connection) => connection,
                None => (self.open)()?,
            };
            let mut told = ask_twice(&mut *fresh, prepared, &self.standard);
            let mut printed = fresh.printed();
            if let (Err(AskError::Finding(found)), false) = (&told, asked.is_empty()) {
                // The disagreement may be a superfluous answer to any earlier question.
                let found = found.clone();
                drop(fresh);
                fresh = (self.open)()?;
                told = ask_twice(&mut *fresh, prepared, &self.standard);
                if told.is_ok() {
                    any = true;
                    self.suspect(prepared, &found, &asked, &printed, tell)?;
                }
                printed = fresh.printed();
                asked.clear();
            }
            match told {
                Ok(compared) => {
                    self.count_compared(compared);
                    connection = Some(fresh);
                    asked.extend([Rc::clone(prepared), Rc::clone(prepared)]);
                }
                Err(AskError::Interrupted) => {
                    self.summary.interrupted = true;
                    return Ok(());
                }
                Err(AskError::Finding(found)) => {
                    drop(fresh);
                    asked.clear();
                    if !self.is_explained_by_options(prepared, &found)? {
                        any = true;
                        self.suspect(prepared, &found, &[], &printed, tell)?;
                    }
                }
            }
        }
        if let (false, Some(earlier)) = (any, before.last()) {
            // A superfluous answer is detected only with the next question.
            let mut fresh = (self.open)()?;
            match ask_twice(&mut *fresh, earlier, &self.standard) {
                Err(AskError::Finding(found)) if found.is_like(disagreement) => {
                    let printed = fresh.printed();
                    drop(fresh);
                    let earlier = Rc::clone(earlier);
                    return self.suspect(&earlier, &found, &[], &printed, tell);
                }
                Err(AskError::Interrupted) => {
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

    /// Whether other option choices explain a worker's answer to a case that is sent alone.
    fn is_explained_by_options(
        &mut self,
        prepared: &Rc<Prepared>,
        found: &Disagreement,
    ) -> Result<bool, StartError> {
        if found.class != Class::Value {
            return Ok(false);
        }
        let Ok(answers) = (self.open)()?.ask(&prepared.questions) else { return Ok(false) };
        let explained = self.standard.learn(prepared, &answers).0.ok();
        if let Some(compared) = explained {
            self.count_compared(compared);
        }
        Ok(explained.is_some())
    }

    fn suspect(
        &mut self,
        prepared: &Rc<Prepared>,
        disagreement: &Disagreement,
        history: &[Rc<Prepared>],
        printed: &str,
        tell: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), StartError> {
        self.summary.failing += 1;
        if let Some(known) = self.found.iter_mut().find(|found| found.explains(prepared, disagreement)) {
            known.count += 1;
            return Ok(());
        }
        if self.is_of_known_history(prepared, disagreement, history)? {
            return Ok(());
        }
        // Reported before the triage, so that it is recorded even if the triage is interrupted.
        let met = Found::new(prepared, disagreement, history, printed);
        tell(Event::Suspect(&met));
        let found =
            triage(self.open, &self.standard, &self.abilities, prepared, disagreement, history, printed);
        let found = match found {
            Ok(Some(found)) => found,
            left => {
                tell(Event::NotTriaged(&met));
                self.found.push(met);
                self.summary.interrupted = true;
                return left.map(|_| ());
            }
        };
        if let Some(known) = self.found.iter_mut().find(|known| known.signature == found.signature) {
            known.count += 1;
            known.minimised += 1;
            tell(Event::Known);
            return Ok(());
        }
        tell(Event::Found(&found));
        self.found.push(found);
        Ok(())
    }

    /// Whether a known finding that needs earlier programs explains this suspect: both disagree alike, and the suspect has at least as many
    /// predecessors and does not fail alone. If so, counts the suspect as an occurrence of the finding.
    fn is_of_known_history(
        &mut self,
        prepared: &Prepared,
        disagreement: &Disagreement,
        history: &[Rc<Prepared>],
    ) -> Result<bool, StartError> {
        let is_it = |known: &&mut Found| {
            let before = known.before.len();
            known.is_triaged
                && before > 0
                && history.len() >= before
                && known.disagreement.is_like(disagreement)
        };
        let Some(known) = self.found.iter_mut().find(is_it) else { return Ok(false) };
        let alone = ask_twice(&mut *(self.open)()?, prepared, &self.standard).is_ok();
        known.count += u64::from(alone);
        Ok(alone)
    }

    fn count_compared(&mut self, compared: Compared) {
        self.summary.decoded += u64::from(compared.decoded);
        self.summary.compared += compared;
    }

    fn count_not_sent(&mut self, why: NotSent) {
        let why = match why {
            // The reasons differ for almost every program, so they are counted together.
            NotSent::Outside(_) => "outside of the profile".to_owned(),
            other => other.to_string(),
        };
        *self.summary.not_sent.entry(why).or_default() += 1;
    }
}

/// The verdict on a case, and the differences that were explained earlier but that this case makes unexplained.
type LearnedVerdict = (Result<Compared, Disagreement>, Vec<Difference>);

/// Sends the questions about a batch of cases as one message and judges the answers.
fn ask(
    connection: &mut dyn Connection,
    batch: &[Rc<Prepared>],
    standard: &Standard<'_>,
) -> Result<Vec<LearnedVerdict>, AskError> {
    let questions: Vec<Question> = batch.iter().flat_map(|prepared| prepared.questions.clone()).collect();
    let answers = connection.ask(&questions)?;
    let mut rest = answers.as_slice();
    let verdicts = batch.iter().map(|prepared| {
        let (own, others) = rest.split_at(prepared.questions.len().min(rest.len()));
        rest = others;
        standard.learn(prepared, own)
    });
    Ok(verdicts.collect())
}

/// Sends a case twice and judges both answers. The verdicts must be alike. The second question also detects a superfluous answer to the first.
///
/// # Errors
/// The disagreement, the difference between the verdicts, or the worker's failure to answer.
pub(super) fn ask_twice(
    connection: &mut dyn Connection,
    prepared: &Prepared,
    standard: &Standard<'_>,
) -> Result<Compared, AskError> {
    let first = connection.ask(&prepared.questions)?;
    let compared = standard.judge(prepared, &first).map_err(AskError::Finding);
    let second = connection.ask(&prepared.questions)?;
    match (compared, standard.judge(prepared, &second)) {
        (Ok(compared), Ok(_)) => Ok(compared),
        (Err(AskError::Finding(a)), Err(b)) if a.is_like(&b) => Err(AskError::Finding(a)),
        (Ok(_), Err(other)) | (Err(AskError::Finding(other)), _) => {
            let message =
                format!("the same question got two answers, one of which is wrong: {}", other.message);
            Err(AskError::finding(Class::Inconsistent, "answer", message))
        }
        (Err(AskError::Interrupted), _) => Err(AskError::Interrupted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::changed::{changed, examples};
    use crate::judge::{Answer, Failure, FailureKind, Hello};

    /// A connection that gives these answers one after the other.
    struct Scripted(Vec<Answer>);

    impl Connection for Scripted {
        fn hello(&self) -> &Hello {
            unreachable!("the description is not read")
        }

        fn ask(&mut self, _: &[Question]) -> Result<Vec<Answer>, AskError> {
            Ok(vec![self.0.remove(0)])
        }

        fn printed(&self) -> String {
            String::new()
        }
    }

    #[test]
    fn two_answers_are_consistent_if_both_are_right_or_wrong_alike() {
        for (prepared, ran) in examples() {
            let profile = Profile::default();
            let standard = Standard::new(&profile);
            let mut all = vec![Answer::Ran(ran.clone())];
            all.extend(changed(&ran).into_iter().map(|(_, ran)| Answer::Ran(ran)));
            all.push(Answer::Failed(Failure { kind: FailureKind::Reported, message: "m".to_owned() }));
            all.push(Answer::Ran(crate::judge::Ran { lanes: Vec::new(), ..ran }));
            let details: Vec<Option<(Class, String)>> = all
                .iter()
                .map(|answer| {
                    let found = standard.judge(&prepared, std::slice::from_ref(answer)).err()?;
                    Some((found.class, found.detail))
                })
                .collect();
            let kinds: std::collections::BTreeSet<_> = details.iter().collect();
            assert!(
                kinds.len() >= 6,
                "expected agreement, three or more differing parts, a crash and garbage; found {kinds:?}"
            );
            for (first, one) in all.iter().zip(&details) {
                for (second, other) in all.iter().zip(&details) {
                    let mut connection = Scripted(vec![first.clone(), second.clone()]);
                    let told = match ask_twice(&mut connection, &prepared, &standard) {
                        Ok(_) => None,
                        Err(AskError::Finding(found)) => Some((found.class, found.detail)),
                        Err(AskError::Interrupted) => panic!("nobody interrupts"),
                    };
                    let inconsistent = Some((Class::Inconsistent, "answer".to_owned()));
                    assert_eq!(
                        told,
                        if one == other { one.clone() } else { inconsistent },
                        "{one:?} {other:?}"
                    );
                }
            }
        }
    }
}
