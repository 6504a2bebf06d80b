//! Minimises programs by edits combined with new values for their environment.
//!
//! Once an instruction has been removed, the failure often needs other values: an infinity that the instruction computed must then be an input. So a
//! few environments are drawn for each edit.

use super::FailurePredicate;
use super::program::{size, words};
use crate::case::{Case, Resolved};
use crate::generate::{Entropy, Generate, environment};
use lockstep_core::host::Environment;

/// The maximum number of instructions of programs that are minimised in this way.
const WORDS: u32 = 16;
/// The maximum number of attempts for one program.
const TRIES: u32 = 3000;
/// The number of environments drawn for each edit.
const DRAWS: u64 = 6;

/// Numbers that operations treat specially, and a few ordinary ones.
const SPECIAL: [f32; 12] =
    [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 0.5, 2.0, -2.5, 1e9, 1e-9];

/// Draws an environment for a program with the seed `draw`. If `draw` is odd, all inputs and float constants are taken from [`SPECIAL`].
pub(super) fn drawn<I: Generate>(resolved: &Resolved<I>, draw: u64) -> Environment {
    let needs = I::needs(&resolved.context());
    let mut e = Entropy::seeded(draw);
    let mut env = environment(&mut e, &resolved.entry.interface, &needs);
    if draw % 2 == 1 {
        let slots = env.lanes.iter_mut().flat_map(|lane| &mut lane.slots);
        for value in slots.chain(&mut env.constants).flatten() {
            *value = e.pick(&SPECIAL).copied().unwrap_or_default();
        }
    }
    env
}

/// Applies the first edit after which the program is smaller and fails in a drawn environment. Returns whether one was found within [`TRIES`]
/// attempts.
pub(super) fn shrink<I: Generate>(case: &mut Case, predicate: &mut FailurePredicate<'_>) -> bool {
    let Ok(program) = I::decode(&case.bytes) else { return false };
    let least = size::<I>(case, &program);
    // If all values are +0 already, the failure does not depend on values.
    let no_values = |v: &[f32; 4]| v.iter().all(|c| c.to_bits() == 0);
    let env = &case.env;
    let mut values = env.constants.iter().chain(env.lanes.iter().flat_map(|lane| &lane.slots));
    if words::<I>(case, &program) > WORDS || values.all(no_values) {
        return false;
    }
    let last = predicate.tries + TRIES;
    for edit in I::edits(&program) {
        let Some(edited) = I::apply(&program, &edit) else { continue };
        if size::<I>(case, &edited) >= least {
            continue;
        }
        let mut candidate = case.with_program::<I>(&edited);
        let Ok(resolved) = candidate.resolve::<I>() else { continue };
        if !resolved.is_legal() {
            continue;
        }
        for draw in 0..DRAWS {
            if predicate.tries >= last || predicate.exhausted() {
                return false;
            }
            candidate.env = drawn(&resolved, draw);
            if predicate.keeps_failing(&candidate) {
                *case = candidate;
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::engine::reference;
    use lockstep_core::host::LaneInput;
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::{Format, Syntax};

    #[test]
    fn a_value_that_an_instruction_computed_becomes_an_input() {
        // The case fails where the minimum of two numbers is minus infinity; here that is the negated reciprocal of zero.
        let text = "version 1 vertex\nrcp vt0, va0\nneg vt0, vt0\nmin op, vt0, va1\n";
        let lanes = vec![LaneInput { slots: vec![[0.0; 4], [1.0; 4]] }];
        let env = Environment { lanes, fuel: 100, ..Environment::default() };
        let mut case = Case::new::<Agal>(&Agal::assemble(text).unwrap(), env);
        let mut fails = |case: &Case| {
            let Ok(resolved) = case.resolve::<Agal>() else { return false };
            let outcome = reference::<Agal>(&resolved.context(), &resolved.env);
            Agal::disassemble(&resolved.program).contains("min")
                && outcome.lanes.iter().any(|lane| lane.outputs.contains(&f32::NEG_INFINITY))
        };
        assert!(fails(&case));
        let mut predicate = FailurePredicate { fails: &mut fails, tries: 0 };
        while shrink::<Agal>(&mut case, &mut predicate) {}
        let left = Agal::disassemble(&Agal::decode(&case.bytes).unwrap());
        assert_eq!(left.lines().count(), 2, "{left}");
    }
}
