//! A known bug as a subject: a case is changed as the bug would change it, then passed to our own engine.

use super::change::{Change, Misread};
use super::{Fails, FailureMode, Reenactment, reenactment};
use crate::case::{Case, EntryRef};
use crate::judge::ours::{Engine, Fault, OwnEngine};
use lockstep_core::isa::IsaId;
use lockstep_core::isa::facet::Capabilities;
use lockstep_core::with_isa;
use std::collections::BTreeMap;

/// Returns the subject with the named bug. If `ends` is set, the subject ends the process or never answers on programs that make it crash or hang;
/// otherwise it reports a failure.
///
/// # Errors
/// If the bug is unknown, or its row names something that does not exist.
pub fn reenacted(isa: IsaId, name: &str, ends: bool) -> Result<OwnEngine, String> {
    let bug = reenactment(isa, name)?;
    let fault = with_isa!(isa, I => Reenacted::<I>::new(bug).map(|fault| Box::new(fault) as Box<dyn Fault>));
    let fault = fault.map_err(|error| format!("the known bug '{name}' of {isa}: {error}"))?;
    Ok(OwnEngine::new(isa, Engine::Reference).with_fault(fault, ends))
}

/// A re-enacted bug of one instruction set.
struct Reenacted<I: Misread> {
    options: BTreeMap<String, String>,
    lists: Vec<Change<I>>,
    runs: Vec<Change<I>>,
    fails: Option<(Capabilities, Fails)>,
}

impl<I: Misread> Reenacted<I> {
    fn new(bug: &Reenactment) -> Result<Reenacted<I>, String> {
        let read =
            |all: &[String]| all.iter().map(|text| Change::from_text(text)).collect::<Result<Vec<_>, _>>();
        let with = |own: &[String]| -> Result<Vec<Change<I>>, String> {
            let mut all = read(&bug.reads)?;
            all.extend(read(own)?);
            Ok(all)
        };
        let fails = bug.fails.as_ref().map(|fails| {
            let capabilities = Capabilities::parse::<I>(&fails.outside);
            capabilities
                .map(|capabilities| (capabilities, fails.clone()))
                .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        });
        let (lists, runs) = (with(&bug.lists)?, with(&bug.runs)?);
        Ok(Reenacted { options: bug.options.clone(), lists, runs, fails: fails.transpose()? })
    }

    /// Returns how the subject fails on a case; `None` if it does not fail.
    fn failing(&self, case: &Case) -> Option<FailureMode> {
        let (capabilities, fails) = self.fails.as_ref()?;
        let program = I::decode(&case.bytes).ok()?;
        let breaks = || {
            let resolved = case.resolve::<I>();
            resolved.is_ok_and(|resolved| {
                I::validate(&resolved.context()).iter().any(|broken| fails.breaking.contains(&broken.code))
            })
        };
        let applies = !capabilities.allows_program::<I>(&program) || !fails.breaking.is_empty() && breaks();
        applies.then_some(fails.by)
    }
}

impl<I: Misread> Fault for Reenacted<I> {
    fn read(&self, case: Case) -> Result<Case, FailureMode> {
        if let Some(failing) = self.failing(&case) {
            return Err(failing);
        }
        let Ok(mut program) = I::decode(&case.bytes) else { return Ok(case) };
        let mut case = case;
        for change in &self.lists {
            change.apply(&mut program, &mut case.env);
        }
        Ok(case.with_program::<I>(&program))
    }

    fn run(&self, case: Case) -> Result<Case, FailureMode> {
        if let Some(failing) = self.failing(&case) {
            return Err(failing);
        }
        let Ok(mut resolved) = case.resolve::<I>() else { return Ok(case) };
        let mut case = case;
        for change in &self.runs {
            change.apply(&mut resolved.program, &mut case.env);
        }
        case.options.extend(self.options.clone());
        if !self.runs.is_empty() {
            // The case keeps the original program's entry, so that the change does not alter which outputs the subject returns.
            case = case.with_program::<I>(&resolved.program);
            case.entry = EntryRef::Given(resolved.entry);
        }
        Ok(case)
    }
}
