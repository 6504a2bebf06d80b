//! Measures how many programs a campaign needs to find a known bug, and checks the finding.

use super::{Reenactment, reenacted};
use crate::judge::campaign::Campaign;
use crate::judge::connection::{Connection, InProcess, StartError};
use crate::judge::draw::{Drawn, Source};
use crate::judge::greeting;
use crate::judge::profile::{Expected, Profile};
use crate::judge::subject::Ability;
use crate::judge::triage::Found;
use lockstep_core::isa::{IsaId, instruction_count};
use lockstep_core::with_isa;

/// The abilities that are judged. No re-enacted bug needs a trace.
const ABILITIES: &[Ability] = &[Ability::Decode, Ability::Run, Ability::Registers];

/// The result of a campaign against a known bug.
#[derive(Clone, Debug)]
pub struct Detected {
    /// The number of case numbers tried, including that of the case that shows the bug.
    pub case_numbers: u64,
    /// The number of instructions of the minimised program; 0 if it does not decode.
    pub instructions: u32,
    /// The finding.
    pub found: Found,
}

impl Detected {
    /// Describes how the finding differs from the one expected in the bug's table row; `None` if it is as expected.
    pub fn describe_mismatch(&self, bug: &Reenactment) -> Option<String> {
        let Found { signature, disagreement, opcodes, .. } = &self.found;
        // A subject in this process cannot crash or hang; it reports a failure instead.
        let hangs = bug.fails.as_ref().is_some_and(|fails| fails.by == super::FailureMode::Hang);
        let class = if hangs { crate::judge::Class::Crash } else { bug.class };
        if disagreement.class != class {
            return Some(format!(
                "{signature} is of class {}, not {}",
                disagreement.class.name(),
                class.name()
            ));
        }
        if !bug.accepts_opcodes(opcodes) {
            return Some(format!(
                "{signature} contains none of the expected opcodes {}",
                bug.opcodes.join(", ")
            ));
        }
        if self.instructions > bug.shortest + 1 {
            let most = bug.shortest + 1;
            return Some(format!(
                "{signature} has {} instructions, at most {most} are allowed",
                self.instructions
            ));
        }
        None
    }
}

impl Reenactment {
    /// Whether `opcodes` contains at least one of the bug's opcodes, or the bug lists none.
    pub fn accepts_opcodes(&self, opcodes: &[String]) -> bool {
        self.opcodes.is_empty() || self.opcodes.iter().any(|opcode| opcodes.contains(opcode))
    }
}

/// Runs a campaign in this process until the bug is found; `None` if it is not found with the first `max_case_numbers` case numbers.
///
/// # Errors
/// If the bug is unknown or the campaign fails.
pub fn detect(
    isa: IsaId,
    bug: &Reenactment,
    seed: u64,
    max_case_numbers: u64,
) -> Result<Option<Detected>, String> {
    let mut profile = Profile::default();
    // Some bugs are visible only in programs that violate rules at warning level.
    profile.invalid.doubtful = Expected::Accepted;
    let greeting = greeting(isa, &profile);
    let open = || -> Result<Box<dyn Connection>, StartError> {
        let subject = reenacted(isa, &bug.name, false).map_err(StartError)?;
        Ok(Box::new(InProcess::open(subject, &greeting)?))
    };
    let mut campaign = Campaign::new(&open, &profile, ABILITIES);
    // Some bugs equal another choice of an option, so options must not explain differences.
    campaign.strict_options();
    let source = Source::new(isa, &profile, seed, &[ABILITIES]);
    let mut drawn = Drawn::default();
    for number in 0..max_case_numbers {
        let Some(case) = source.case(number, &mut drawn) else { continue };
        campaign.batch(&[case], &mut |_| {}).map_err(|error| error.to_string())?;
        if let Some(found) = campaign.found.pop() {
            let instructions =
                with_isa!(isa, I => I::decode(&found.case.bytes).map_or(0, |p| instruction_count::<I>(&p)));
            return Ok(Some(Detected { case_numbers: number + 1, instructions, found }));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::question::prepare;
    use crate::judge::subject::Question;

    #[test]
    fn the_campaign_sets_registers() {
        let profile = Profile::default();
        let source = Source::new(IsaId::Pica200, &profile, 0, &[ABILITIES]);
        let sets_registers = |number: &u64| {
            let case = source.case(*number, &mut Drawn::default());
            let prepared = case.and_then(|case| prepare(&case, &profile, ABILITIES).ok());
            let questions = prepared.map(|prepared| prepared.questions).unwrap_or_default();
            questions.iter().any(|question| matches!(question, Question::Run(run) if !run.initial.is_empty()))
        };
        assert!((0..32).filter(sets_registers).count() >= 4);
    }
}
