//! How soon a campaign finds a known bug, and what it makes of it.

use super::change::words;
use super::{Reenactment, reenacted};
use crate::judge::campaign::Campaign;
use crate::judge::door::{Direct, Door, StartError};
use crate::judge::draw::{Drawn, Source};
use crate::judge::greeting;
use crate::judge::profile::{Expected, Profile};
use crate::judge::subject::Ability;
use crate::judge::triage::Found;
use lockstep_core::isa::{Isa, IsaId};
use lockstep_core::with_isa;

/// What a campaign came to.
#[derive(Clone, Debug)]
pub struct Detected {
    /// The number of generated programs that it took, that which shows the bug among them.
    pub programs: u64,
    /// Instructions of the minimised program; 0 if its bytes are none.
    pub instructions: u32,
    /// The finding.
    pub found: Found,
}

impl Detected {
    /// Why the finding is not what the row of the bug says; `None` if it is.
    pub fn wrong(&self, bug: &Reenactment) -> Option<String> {
        let Found { signature, disagreement, opcodes, .. } = &self.found;
        // In this process nothing ends or hangs: what would says that it failed.
        let hangs = bug.fails.as_ref().is_some_and(|fails| fails.by == super::Failing::Hang);
        let class = if hangs { crate::judge::Class::Crash } else { bug.class };
        if disagreement.class != class {
            return Some(format!(
                "{signature} is of class {}, not {}",
                disagreement.class.name(),
                class.name()
            ));
        }
        if !bug.names(opcodes) {
            return Some(format!("{signature} names none of {}", bug.opcodes.join(", ")));
        }
        if self.instructions > bug.shortest + 1 {
            let most = bug.shortest + 1;
            return Some(format!("{signature} has {} instructions, {most} are the most", self.instructions));
        }
        None
    }
}

impl Reenactment {
    /// Whether these opcodes name the bug.
    pub fn names(&self, opcodes: &[String]) -> bool {
        self.opcodes.is_empty() || self.opcodes.iter().any(|opcode| opcodes.contains(opcode))
    }
}

/// Runs a campaign in this process until a bug is found; `None` if it is not within so many generated programs.
///
/// # Errors
/// If there is no such bug.
pub fn detect(isa: IsaId, bug: &Reenactment, seed: u64, most: u64) -> Result<Option<Detected>, String> {
    let mut profile = Profile::default();
    // Some of the bugs are in what documents warn of.
    profile.invalid.doubtful = Expected::Accepted;
    let greeting = greeting(isa, &profile);
    let open = || -> Result<Box<dyn Door>, StartError> {
        let subject = reenacted(isa, &bug.name, false).map_err(StartError)?;
        Ok(Box::new(Direct::open(subject, &greeting)?))
    };
    let mut campaign = Campaign::new(&open, &profile, &[Ability::Decode, Ability::Run]);
    // Some of the bugs are choices that an option has.
    campaign.strict_options();
    let source = Source { isa, profile: &profile, seed, broken: true };
    let mut drawn = Drawn::default();
    for number in 0..most {
        let Some(case) = source.case(number, &mut drawn) else { continue };
        campaign.batch(&[case], &mut |_| {}).map_err(|error| error.to_string())?;
        if let Some(found) = campaign.found.pop() {
            let instructions =
                with_isa!(isa, I => I::decode(&found.case.bytes).map_or(0, |p| words::<I>(&p)));
            return Ok(Some(Detected { programs: number + 1, instructions, found }));
        }
    }
    Ok(None)
}
