//! Minimises by pairs of edits of which neither alone gives a smaller program that fails.
//!
//! In a chain of instructions, each needs the result of the one before: the first result is redirected to where the last one goes, and the
//! instructions after the first are removed. Or a later instruction reads an operand of an earlier one instead of its result, and the earlier one is
//! removed. A call that only passes control to one instruction is replaced by a copy of that instruction.

use super::FailurePredicate;
use super::program::{size, words};
use crate::case::Case;
use lockstep_core::isa::{Edit, Isa};

/// The maximum number of edit positions of a program that is reduced by pairs. The number of pairs grows with the square of this number.
const MAX_POSITIONS: u32 = 32;
/// The maximum number of attempts for all pairs of a program.
const TRIES: u32 = 3000;

/// Applies pairs of edits until none makes the program smaller or [`TRIES`] attempts have been made. Returns whether one did.
pub(super) fn shrink<I: Isa>(case: &mut Case, predicate: &mut FailurePredicate<'_>) -> bool {
    let mut any = false;
    let last = predicate.tries + TRIES;
    while let Some(smaller) = smaller::<I>(case, predicate, last) {
        *case = smaller;
        any = true;
    }
    any
}

/// Returns the first smaller case that still fails. `None` if none is found, if `predicate` has counted `last` attempts, or if the program has no
/// words or more than [`MAX_POSITIONS`] positions.
fn smaller<I: Isa>(case: &Case, predicate: &mut FailurePredicate<'_>, last: u32) -> Option<Case> {
    let program = I::decode(&case.bytes).ok()?;
    let positions = I::edit_positions(&program);
    // A case whose entry does not exist has no words, however long its program is.
    let words_before = words::<I>(case, &program);
    if words_before == 0 || positions > MAX_POSITIONS {
        return None;
    }
    let before = size::<I>(case, &program);
    let mut fails = |smaller: &I::Program| {
        if predicate.tries >= last || words::<I>(case, smaller) > words_before {
            return None;
        }
        let candidate = case.with_program::<I>(smaller);
        let fails = size::<I>(&candidate, smaller) < before && predicate.keeps_failing(&candidate);
        fails.then_some(candidate)
    };
    // Chains end at the last instructions, so these come first.
    let ordered = || (0..positions).rev().flat_map(|to| (0..to).map(move |from| (from, to)));
    let redirected = ordered().flat_map(|(from, to)| redirected::<I>(&program, from, to));
    let forwarded = ordered().flat_map(|(from, to)| forwarded::<I>(&program, from, to));
    let pairs = (0..positions).flat_map(|at| (0..positions).map(move |from| (from, at)));
    let pairs = pairs.filter(|(from, at)| from != at);
    let moved = pairs.flat_map(|(from, at)| moved::<I>(&program, from, at));
    redirected.chain(forwarded).chain(moved).find_map(|smaller| fails(&smaller))
}

/// Returns programs in which `from` writes to where `to` writes, without the instructions after `from` up to and including `to`, or without `to`
/// alone.
fn redirected<I: Isa>(program: &I::Program, from: u32, to: u32) -> impl Iterator<Item = I::Program> {
    let without =
        move |program: &I::Program, at: u32| I::apply(program, &Edit::Remove { at, count: to + 1 - at });
    I::redirected(program, from, to).into_iter().flat_map(move |program| {
        let later = (to > from + 1).then(|| without(&program, to)).flatten();
        without(&program, from + 1).into_iter().chain(later)
    })
}

/// Returns programs in which `to` reads a source of `from` instead of the result of `from`, without `from`.
fn forwarded<I: Isa>(program: &I::Program, from: u32, to: u32) -> impl Iterator<Item = I::Program> {
    let removal = Edit::Remove { at: from, count: 1 };
    I::forwarded(program, from, to).into_iter().filter_map(move |program| I::apply(&program, &removal))
}

/// Returns programs with a copy of instruction `from` in place of instruction `at`: without the original, and with it.
fn moved<I: Isa>(program: &I::Program, from: u32, at: u32) -> impl Iterator<Item = I::Program> {
    let remove = |program: &I::Program, at: u32| I::apply(program, &Edit::Remove { at, count: 1 });
    let copied = I::apply(program, &Edit::Copy { from, at }).and_then(|copied| remove(&copied, at + 1));
    let alone = copied.as_ref().and_then(|copied| remove(copied, from));
    alone.into_iter().chain(copied)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::EntryRef;
    use lockstep_core::host::Environment;
    use lockstep_core::isa::pica200::Pica200;
    use lockstep_core::isa::{Format, Syntax};

    /// Minimises a PICA200 program, by pairs of edits alone, while `fails` returns true for its listing.
    fn shrunk(text: &str, fails: fn(&str) -> bool) -> String {
        let program = Pica200::assemble(text).unwrap();
        let mut case = Case::new::<Pica200>(&program, Environment::default());
        let listing = |case: &Case| Pica200::disassemble(&Pica200::decode(&case.bytes).unwrap());
        let mut fails = |case: &Case| fails(&listing(case));
        assert!(shrink::<Pica200>(&mut case, &mut FailurePredicate { fails: &mut fails, tries: 0 }));
        listing(&case)
    }

    #[test]
    fn a_chain_of_results_is_cut() {
        let text = ".raw vertex, outputs=0x1\nadd r1.x, v0, v1\nmul r2, r1, r1\nrcp r3, r2\nmov o0, r3\n";
        let left = shrunk(text, |listing| listing.contains("add") && listing.contains("o0"));
        assert!(left.contains("add o0.x, v0, v1"), "{left}");
        assert!(["mul", "rcp", "mov"].iter().all(|opcode| !left.contains(opcode)), "{left}");
        // The first instructions of a chain may be needed.
        let left = shrunk(text, |listing| ["add r1", "mul", "o0"].iter().all(|part| listing.contains(part)));
        assert!(left.contains("add r1") && left.contains("mul o0, r1, r1"), "{left}");
        assert!(!left.contains("rcp") && !left.contains("mov"), "{left}");
    }

    #[test]
    fn an_operand_takes_the_place_of_the_result() {
        let text = ".raw vertex, outputs=0x1\nadd r0, r0, v5\nmul o0.x, r0, r0.zzyx\n";
        let left = shrunk(text, |listing| listing.contains("mul") && listing.contains("v5"));
        assert!(left.contains("mul o0.x, v5, v5.z"), "{left}");
        assert!(!left.contains("add"), "{left}");
    }

    #[test]
    fn a_call_of_one_instruction_is_replaced_by_it() {
        let text = ".raw vertex, outputs=0x1, entry=0x1\nL0:\nadd r1, v0, r1\nfor i0, L1\ncall L0, 1\nL1:\nmov o0, r1\n";
        let left = shrunk(text, |listing| listing.contains("add r1, v0, r1") && listing.contains("for"));
        assert!(!left.contains("call"), "{left}");
    }

    #[test]
    fn long_programs_and_cases_without_an_entry_are_left_alone() {
        let moves = "mov o0, v0\n".repeat(MAX_POSITIONS as usize);
        let long = format!(".raw vertex, outputs=0x1\n{moves}end\n");
        let short = ".raw vertex, outputs=0x1\nmov o0, v0\nmov o0, v0\nend\n";
        for (text, entry) in [(long.as_str(), 0), (short, 7)] {
            let mut case = Case::new::<Pica200>(&Pica200::assemble(text).unwrap(), Environment::default());
            case.entry = EntryRef::Own(entry);
            let mut asked = 0;
            let mut fails = |_: &Case| {
                asked += 1;
                true
            };
            assert!(!shrink::<Pica200>(&mut case, &mut FailurePredicate { fails: &mut fails, tries: 0 }));
            assert_eq!(asked, 0, "{entry}");
        }
    }
}
