//! Turns a suspect into a finding: replays it in a fresh worker, minimises it, and computes the signature by which findings are deduplicated.

use super::campaign::{Open, ask_twice};
use super::comparison::Opinions;
use super::connection::{AskError, Connection, StartError};
use super::disagreement::{Class, Disagreement};
use super::history::{EarlierCases, failure_after, find_earlier_cases};
use super::ours::own_answer;
use super::question::{Prepared, opcodes, prepare};
use super::standard::Standard;
use super::subject::{Ability, Answer, Question, Traced};
use super::traced::{Registers, follow};
use crate::case::Case;
use crate::minimize::{Minimized, minimize};
use lockstep_core::host::Environment;
use lockstep_core::with_isa;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The time limit for minimising one finding.
const PATIENCE: Duration = Duration::from_secs(30);
/// The time limit for minimising a hang, where each failing candidate takes as long as the subject's time limit, and for minimising a finding that
/// needs earlier cases.
const PATIENCE_WITH_HANGS: Duration = Duration::from_secs(10);
/// The number of cases that are minimised for one finding. Further cases with the same failure that contain its opcodes are only counted.
const MINIMISED: u64 = 3;

/// A finding of a campaign.
#[derive(Clone, Debug)]
pub struct Found {
    /// Instruction set, class, detail and the opcodes of the minimised program, or `bytes` if it has none, for example because it does not decode.
    /// Before the opcodes is `history` if the finding needs earlier programs, or `once` if the case did not fail again.
    pub signature: String,
    /// How the minimised case fails.
    pub disagreement: Disagreement,
    /// The minimised case.
    pub case: Case,
    /// The opcodes of the minimised program.
    pub opcodes: Vec<String>,
    /// The earlier cases that must be sent to a fresh worker before the case fails; usually none.
    pub before: Vec<Case>,
    /// False if the case failed again neither alone nor after earlier cases; it is then not minimised. True until the replay.
    pub is_deterministic: bool,
    /// Whether the case was replayed, and minimised if it failed again. False if the campaign ended before the replay.
    pub is_triaged: bool,
    /// The number of cases in which the finding occurred.
    pub count: u64,
    /// The number of cases with this finding that were minimised.
    pub minimised: u64,
    /// The most recent output of the subject.
    pub printed: String,
    /// The traces of reference and subject, with a sentence about the first step that differs, if any. `None` if the finding is of another class than
    /// `value`, the case fails only after earlier cases, its minimisation was interrupted, or the subject lists no steps.
    pub traces: Option<(Option<String>, [Traced; 2])>,
    /// The answers of all parties to the case, if several subjects are judged.
    pub opinions: Option<Opinions>,
}

impl Found {
    /// Creates the finding for a suspect that has not been replayed yet.
    pub(super) fn new(
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
            is_deterministic: true,
            is_triaged: false,
            count: 1,
            minimised: 1,
            printed: printed.to_owned(),
            traces: None,
            opinions: None,
        };
        with_signature(found)
    }

    /// Whether a case most likely fails because of this finding, so that minimising it is unnecessary.
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

/// Runs candidates of the minimiser in a worker. The worker is replaced after a failure other than a wrong answer, such as a crash.
struct CandidateRunner<'a> {
    open: &'a Open<'a>,
    standard: &'a Standard<'a>,
    abilities: &'a [Ability],
    connection: Option<Box<dyn Connection>>,
    until: Instant,
    interrupted: bool,
    /// The cases that are sent to a fresh worker before each candidate. If there are none, a worker is reused as long as it answers.
    before: Vec<Rc<Prepared>>,
    /// The original case. A candidate must be able to replace it ([`ValidationStatus::may_replace`](super::question::ValidationStatus::may_replace)):
    /// a legal program must not become one that breaks a rule.
    original: &'a Prepared,
}

impl CandidateRunner<'_> {
    /// Returns how a case fails; `None` if it does not fail, cannot be sent or cannot replace the original, if the time is over, or after an
    /// interrupt.
    fn failure(&mut self, case: &Case) -> Option<Disagreement> {
        if self.interrupted || Instant::now() > self.until {
            return None;
        }
        let prepared = prepare(case, self.standard.profile, self.abilities).ok()?;
        let runs = prepared.expected.is_some() == self.original.expected.is_some();
        if !prepared.status.may_replace(self.original.status) || !runs {
            return None;
        }
        if !self.before.is_empty() {
            let found = failure_after(self.open, self.standard, &prepared, &self.before).ok()?;
            self.interrupted |= found == Some(AskError::Interrupted);
            return match found {
                Some(AskError::Finding(found)) => Some(found),
                _ => None,
            };
        }
        // The error is ignored here; if no worker can be started, the campaign's next message reports it.
        let mut connection = self.connection.take().or_else(|| (self.open)().ok())?;
        match ask_twice(&mut *connection, &prepared, self.standard) {
            Ok(_) => {
                self.connection = Some(connection);
                None
            }
            Err(AskError::Interrupted) => {
                self.interrupted = true;
                None
            }
            Err(AskError::Finding(found)) => {
                // A worker that gave an answer, though a wrong one, can be reused.
                if matches!(
                    found.class,
                    Class::Value | Class::Verdict | Class::Consumed | Class::Instructions
                ) {
                    self.connection = Some(connection);
                }
                Some(found)
            }
        }
    }
}

/// Turns a suspect into a finding; `None` if the user interrupted the replay. A finding whose minimisation is interrupted is returned as it is.
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
    let mut found = Found { is_triaged: true, ..Found::new(prepared, disagreement, &[], printed) };
    if prepared.expected.is_none() {
        // The program is not run, so the environment is irrelevant.
        found.case.env = Environment::default();
    }
    let mut fresh = open()?;
    match ask_twice(&mut *fresh, prepared, standard) {
        Err(AskError::Interrupted) => return Ok(None),
        Err(AskError::Finding(again)) => {
            // The case may fail differently alone than in a batch; only the failure alone counts.
            found.printed = fresh.printed();
            drop(fresh);
            found.disagreement = again;
            let patience =
                if found.disagreement.class == Class::Hang { PATIENCE_WITH_HANGS } else { PATIENCE };
            let until = Instant::now() + patience;
            let mut lab = CandidateRunner {
                open,
                standard,
                abilities,
                connection: None,
                until,
                interrupted: false,
                before: Vec::new(),
                original: prepared,
            };
            minimise_finding(&mut lab, &mut found);
            if lab.interrupted {
                return Ok(Some(with_signature(found)));
            }
            found.traces = traces(&lab, &found);
        }
        Ok(_) => {
            drop(fresh);
            match find_earlier_cases(open, standard, prepared, disagreement, history)? {
                EarlierCases::Interrupted => return Ok(None),
                EarlierCases::Cases(before) => {
                    found.before = before.iter().map(|prepared| prepared.case.clone()).collect();
                    let until = Instant::now() + PATIENCE_WITH_HANGS;
                    let mut lab = CandidateRunner {
                        open,
                        standard,
                        abilities,
                        connection: None,
                        until,
                        interrupted: false,
                        before,
                        original: prepared,
                    };
                    minimise_finding(&mut lab, &mut found);
                }
                EarlierCases::NotFound => found.is_deterministic = false,
            }
        }
    }
    Ok(Some(with_signature(found)))
}

/// Returns the traces of a run whose results differ, with the first step that differs; `None` if the finding is of another class or the subject lists
/// no steps.
fn traces(lab: &CandidateRunner<'_>, found: &Found) -> Option<(Option<String>, [Traced; 2])> {
    if found.disagreement.class != Class::Value || !lab.abilities.contains(&Ability::Trace) {
        return None;
    }
    let profile = lab.standard.profile;
    let prepared = prepare(&found.case, profile, lab.abilities).ok()?;
    let run = prepared.questions.iter().find_map(|question| match question {
        Question::Run(run) => Some(run.clone()),
        _ => None,
    })?;
    let question = Question::Trace(run);
    let Answer::Traced(ours) = own_answer(&question, &profile.options) else { return None };
    let answers = (lab.open)().ok()?.ask(std::slice::from_ref(&question)).ok()?;
    let [Answer::Traced(theirs)] = answers.as_slice() else { return None };
    let isa = prepared.case.isa;
    let first = with_isa!(isa, I => {
        let resolved = prepared.case.resolve::<I>().ok()?;
        let differs = |registers| follow::<I>(&resolved, profile, &theirs.steps, registers).err();
        differs(Registers::Named).or_else(|| differs(Registers::All))
    });
    Some((first.map(|found| found.message), [ours, theirs.clone()]))
}

/// Minimises the case of a finding. The minimised case fails in the same way.
fn minimise_finding(lab: &mut CandidateRunner<'_>, found: &mut Found) {
    let wanted = found.disagreement.clone();
    let mut last = wanted.clone();
    let outcome = minimize(&found.case, &mut |candidate| match lab.failure(candidate) {
        Some(disagreement) if disagreement.is_like(&wanted) => {
            last = disagreement;
            true
        }
        _ => false,
    });
    // If the case does not fail again here, it is kept unminimised, since it failed in the replay.
    let Minimized::Done { case, .. } = outcome else { return };
    // Checked again in a fresh worker, which earlier candidates cannot have affected.
    lab.connection = None;
    lab.until = Instant::now() + PATIENCE;
    if let Some(again) = lab.failure(&case).filter(|again| again.is_like(&wanted)) {
        found.case = *case;
        found.disagreement = again;
    }
}

fn with_signature(mut found: Found) -> Found {
    found.opcodes = opcodes_of(&found.case);
    let opcodes = if found.opcodes.is_empty() { "bytes".to_owned() } else { found.opcodes.join("+") };
    let Disagreement { class, detail, .. } = &found.disagreement;
    let kind = match (found.is_deterministic, found.before.is_empty()) {
        (false, _) => "-once",
        (true, false) => "-history",
        (true, true) => "",
    };
    found.signature = format!("{}-{}-{detail}{kind}-{opcodes}", found.case.isa, class.name());
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Class, Hello, Profile};
    use lockstep_core::isa::Syntax;
    use lockstep_core::isa::agal::Agal;

    /// A connection that crashes at every question.
    struct Crashing;

    impl Connection for Crashing {
        fn hello(&self) -> &Hello {
            unreachable!("no test asks this connection for its name")
        }

        fn ask(&mut self, _: &[Question]) -> Result<Vec<Answer>, AskError> {
            Err(AskError::finding(Class::Crash, "exit1", "m"))
        }

        fn printed(&self) -> String {
            String::new()
        }
    }

    /// The kinds of cases are programs that can be run, programs that break a rule, and bytes that do not decode. While a finding is minimised,
    /// candidates of another kind than the original are rejected.
    #[test]
    fn candidates_of_another_kind_are_rejected() {
        let program = |body: &str| {
            let program = Agal::assemble(&format!("version 1 vertex\n{body}")).unwrap();
            Case::new::<Agal>(&program, Environment::default())
        };
        let isa = lockstep_core::isa::IsaId::Agal;
        let cases = [
            ("runs", program("mov op, va0\n")),
            ("runs", program("add op, va0, va1\n")),
            ("runs", program("mov op, vt0\n")),
            ("breaks a rule", program("mov vc0, va0\nmov op, va0\n")),
            ("no program", Case::bare(isa, &[])),
            ("no program", Case::bare(isa, &[1, 2, 3])),
        ];
        let profile = Profile::default();
        let standard = Standard::new(&profile);
        let open = || -> Result<Box<dyn Connection>, StartError> { Ok(Box::new(Crashing)) };
        let abilities = [Ability::Decode];
        for (kind, original) in &cases {
            let Ok(original) = prepare(original, &profile, &abilities) else { panic!("{kind} is not asked") };
            for (other, candidate) in &cases {
                let mut lab = CandidateRunner {
                    open: &open,
                    standard: &standard,
                    abilities: &abilities,
                    connection: None,
                    until: Instant::now() + PATIENCE,
                    interrupted: false,
                    before: Vec::new(),
                    original: &original,
                };
                let fails = lab.failure(candidate).map(|found| found.class);
                assert_eq!(fails, (kind == other).then_some(Class::Crash), "{kind}, {other}");
            }
        }
    }
}
