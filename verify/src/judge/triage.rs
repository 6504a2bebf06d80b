//! From a suspect to a finding: replayed in a fresh worker, made small, and told apart.

use super::campaign::{Open, alone};
use super::disagreement::{Class, Disagreement};
use super::door::{Door, StartError, Trouble};
use super::history::{Needed, after, needed};
use super::opinions::Opinions;
use super::question::{Prepared, opcodes, prepare};
use super::standard::Standard;
use super::subject::Ability;
use crate::case::Case;
use crate::minimize::{Minimized, minimize};
use lockstep_core::host::Environment;
use lockstep_core::with_isa;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How long one finding is made smaller.
const PATIENCE: Duration = Duration::from_secs(30);
/// The same where each candidate that fails takes as long as the subject is given.
const PATIENCE_WITH_HANGS: Duration = Duration::from_secs(10);
/// So many cases that may be the same finding are made small to find out; the rest is counted.
const MINIMISED: u64 = 3;

/// A finding.
#[derive(Clone, Debug)]
pub struct Found {
    /// Instruction set, class, detail and opcodes of the minimised program; `history` where earlier programs are needed.
    pub signature: String,
    /// How the minimised case fails.
    pub disagreement: Disagreement,
    /// The minimised case.
    pub case: Case,
    /// The opcodes of its program.
    pub opcodes: Vec<String>,
    /// The cases that a fresh worker has to be asked about before it fails; mostly none.
    pub before: Vec<Case>,
    /// Whether it was seen again; something that was seen once is kept as it was.
    pub steady: bool,
    /// Whether it has been replayed and made small; where a campaign ends before, it is as it was met.
    pub looked_into: bool,
    /// How many cases it stands for.
    pub count: u64,
    /// How many of these were made small.
    pub minimised: u64,
    /// What the subject printed.
    pub printed: String,
    /// What others say to the case, where several are judged.
    pub opinions: Option<Opinions>,
}

impl Found {
    /// A suspect as it was met.
    pub(super) fn met(
        prepared: &Prepared,
        disagreement: &Disagreement,
        before: &[Rc<Prepared>],
        printed: &str,
    ) -> Found {
        let found = Found {
            signature: String::new(),
            disagreement: disagreement.clone(),
            case: prepared.case.clone(),
            opcodes: Vec::new(),
            before: before.iter().map(|prepared| prepared.case.clone()).collect(),
            steady: true,
            looked_into: false,
            count: 1,
            minimised: 1,
            printed: printed.to_owned(),
            opinions: None,
        };
        signed(found)
    }

    /// Whether a case most likely fails by this finding, so that it need not be made small.
    pub(super) fn explains(&self, prepared: &Prepared, disagreement: &Disagreement) -> bool {
        if self.minimised < MINIMISED || !self.disagreement.is_like(disagreement) {
            return false;
        }
        let there = opcodes_of(&prepared.case);
        self.opcodes.iter().all(|opcode| there.contains(opcode))
    }
}

fn opcodes_of(case: &Case) -> Vec<String> {
    with_isa!(case.isa, I => case.resolve::<I>().map(|resolved| opcodes(&resolved)).unwrap_or_default())
}

/// A worker that is asked about candidates and replaced when it fails.
struct Lab<'a> {
    open: &'a Open<'a>,
    standard: &'a Standard<'a>,
    abilities: &'a [Ability],
    door: Option<Box<dyn Door>>,
    until: Instant,
    interrupted: bool,
    /// What a fresh worker is asked about before each candidate; with none, a worker lives as long as it answers.
    before: Vec<Rc<Prepared>>,
    /// What a candidate has to be: a legal program does not become one that breaks a rule.
    like: &'a Prepared,
}

impl Lab<'_> {
    /// How a case fails; `None` if it does not, or is none of those that are sent.
    fn fails(&mut self, case: &Case) -> Option<Disagreement> {
        if self.interrupted || Instant::now() > self.until {
            return None;
        }
        let prepared = prepare(case, self.standard.profile, self.abilities).ok()?;
        let runs = prepared.expected.is_some() == self.like.expected.is_some();
        if !prepared.standing.may_replace(self.like.standing) || !runs {
            return None;
        }
        if !self.before.is_empty() {
            let found = after(self.open, self.standard, &prepared, &self.before).ok()?;
            self.interrupted |= found == Some(Trouble::Interrupted);
            return match found {
                Some(Trouble::Finding(found)) => Some(found),
                _ => None,
            };
        }
        // A worker that cannot be started any more shows in the next message of the campaign.
        let mut door = self.door.take().or_else(|| (self.open)().ok())?;
        match alone(&mut *door, &prepared, self.standard) {
            Ok(_) => {
                self.door = Some(door);
                None
            }
            Err(Trouble::Interrupted) => {
                self.interrupted = true;
                None
            }
            Err(Trouble::Finding(found)) => {
                // After an answer, though a wrong one, the worker is as good as before.
                if matches!(
                    found.class,
                    Class::Value | Class::Verdict | Class::Consumed | Class::Instructions
                ) {
                    self.door = Some(door);
                }
                Some(found)
            }
        }
    }
}

/// Makes a finding of a suspect; `None` if the user ended the campaign.
///
/// # Errors
/// If no worker can be started.
pub(super) fn triage(
    open: &Open<'_>,
    standard: &Standard<'_>,
    abilities: &[Ability],
    prepared: &Rc<Prepared>,
    disagreement: &Disagreement,
    history: &[Rc<Prepared>],
    printed: &str,
) -> Result<Option<Found>, StartError> {
    let mut found = Found { looked_into: true, ..Found::met(prepared, disagreement, &[], printed) };
    if prepared.expected.is_none() {
        // Nothing is run, so nothing outside of the program is at stake.
        found.case.env = Environment::default();
    }
    let mut fresh = open()?;
    match alone(&mut *fresh, prepared, standard) {
        Err(Trouble::Interrupted) => return Ok(None),
        Err(Trouble::Finding(again)) => {
            // Alone it may fail otherwise than among others: what counts is how it fails alone.
            found.printed = fresh.printed();
            drop(fresh);
            found.disagreement = again;
            let patience =
                if found.disagreement.class == Class::Hang { PATIENCE_WITH_HANGS } else { PATIENCE };
            let until = Instant::now() + patience;
            let mut lab = Lab {
                open,
                standard,
                abilities,
                door: None,
                until,
                interrupted: false,
                before: Vec::new(),
                like: prepared,
            };
            small(&mut lab, &mut found);
            if lab.interrupted {
                return Ok(Some(signed(found)));
            }
        }
        Ok(_) => {
            drop(fresh);
            match needed(open, standard, prepared, disagreement, history)? {
                Needed::Interrupted => return Ok(None),
                Needed::Cases(before) => {
                    found.before = before.iter().map(|prepared| prepared.case.clone()).collect();
                    let until = Instant::now() + PATIENCE_WITH_HANGS;
                    let mut lab = Lab {
                        open,
                        standard,
                        abilities,
                        door: None,
                        until,
                        interrupted: false,
                        before,
                        like: prepared,
                    };
                    small(&mut lab, &mut found);
                }
                Needed::NotFound => found.steady = false,
            }
        }
    }
    Ok(Some(signed(found)))
}

/// Makes a case smaller while it fails in the same way.
fn small(lab: &mut Lab<'_>, found: &mut Found) {
    let wanted = found.disagreement.clone();
    let mut last = wanted.clone();
    let outcome = minimize(&found.case, &mut |candidate| match lab.fails(candidate) {
        Some(disagreement) if disagreement.is_like(&wanted) => {
            last = disagreement;
            true
        }
        _ => false,
    });
    // A case that is not seen to fail again here was seen to fail alone: it stays as it is.
    let Minimized::Done { case, .. } = outcome else { return };
    // Once more in a fresh worker, which must not have been spoiled by candidates.
    lab.door = None;
    lab.until = Instant::now() + PATIENCE;
    if let Some(again) = lab.fails(&case).filter(|again| again.is_like(&wanted)) {
        found.case = *case;
        found.disagreement = again;
    }
}

fn signed(mut found: Found) -> Found {
    found.opcodes = opcodes_of(&found.case);
    let opcodes = if found.opcodes.is_empty() { "bytes".to_owned() } else { found.opcodes.join("+") };
    let Disagreement { class, detail, .. } = &found.disagreement;
    let kind = match (found.steady, found.before.is_empty()) {
        (false, _) => "-once",
        (true, false) => "-history",
        (true, true) => "",
    };
    found.signature = format!("{}-{}-{detail}{kind}-{opcodes}", found.case.isa, class.name());
    found
}
