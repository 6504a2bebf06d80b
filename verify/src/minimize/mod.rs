//! Minimisation: reduces a failing case while it still fails.
//!
//! Programs are reduced by the instruction set's own edits, so that every candidate is a program; input that does not decode, or does not encode to
//! the same bytes, is reduced as bytes. Every accepted edit makes the program strictly smaller by [`Size`], so minimisation terminates; the number of
//! attempts is limited as well.

mod bytes;
mod environment;
mod excerpt;
mod pairs;
mod program;
mod redraw;
mod registers;

use crate::case::Case;
use crate::generate::Generate;
use crate::oracle::caught;
use lockstep_core::with_isa;
use tracing::field::Empty;

/// The maximum number of candidates tried for one case.
pub const MAX_TRIES: u32 = 20_000;

/// The result of minimisation.
#[derive(Clone, Debug, PartialEq)]
pub enum Minimized {
    /// The smaller case, which still fails, and the number of candidates tried.
    Done {
        /// The reduced case; the original if nothing could be removed.
        case: Box<Case>,
        /// The number of candidates tried.
        tries: u32,
    },
    /// The original case does not fail, so nothing was minimised.
    NotInteresting,
}

/// The size of a program, compared in this order: the number of instructions, the length of its text in bytes, the sum of its encoded bytes.
pub type Size = (u32, usize, u64);

/// The failure predicate, with a limit on the number of calls.
struct FailurePredicate<'a> {
    fails: &'a mut dyn FnMut(&Case) -> bool,
    tries: u32,
}

impl FailurePredicate<'_> {
    fn exhausted(&self) -> bool {
        self.tries >= MAX_TRIES
    }

    fn keeps_failing(&mut self, candidate: &Case) -> bool {
        if self.exhausted() {
            return false;
        }
        self.tries += 1;
        let fails = (self.fails)(candidate);
        if fails {
            tracing::debug!(
                tries = self.tries,
                bytes = candidate.bytes.len(),
                lanes = candidate.env.lanes.len(),
                "smaller, and still fails"
            );
        }
        fails
    }
}

/// Reduces `case` while `fails` returns true for it.
pub fn minimize(case: &Case, fails: &mut dyn FnMut(&Case) -> bool) -> Minimized {
    if !fails(case) {
        return Minimized::NotInteresting;
    }
    let span = tracing::info_span!("minimise", isa = %case.isa, bytes = case.bytes.len(), left = Empty, tries = Empty);
    let _span = span.enter();
    let mut predicate = FailurePredicate { fails, tries: 0 };
    let mut case = case.clone();
    // Lanes are reduced first, which makes every later attempt cheaper. Values are simplified only once the program is small: if all inputs are zero,
    // hardly any operand can be replaced by an input.
    environment::fewer_lanes(&mut case, &mut predicate);
    // Without given register ports the case can use an entry of the program itself, whose interface changes with the program. A panic here leaves the
    // case as it is; the oracles report the same panic.
    let _ = caught(|| with_isa!(case.isa, I => registers::fewer::<I>(&mut case, &mut predicate)));
    if caught(|| with_isa!(case.isa, I => shrink_program::<I>(&mut case, &mut predicate))).is_err() {
        // An edit panicked on this program or on a smaller one; the case is the last one accepted.
        bytes::shrink(&mut case, &mut predicate);
    }
    let _ = caught(|| with_isa!(case.isa, I => registers::fewer::<I>(&mut case, &mut predicate)));
    environment::shrink(&mut case, &mut predicate);
    // Now that constants and options are simpler, more instructions may be removable. If an edit panics here, the case is the last one accepted.
    let _ = caught(|| with_isa!(case.isa, I => shrink_program::<I>(&mut case, &mut predicate)));
    while caught(|| with_isa!(case.isa, I => redraw::shrink::<I>(&mut case, &mut predicate))) == Ok(true) {
        let _ = caught(|| with_isa!(case.isa, I => shrink_program::<I>(&mut case, &mut predicate)));
        environment::shrink(&mut case, &mut predicate);
    }
    let tries = predicate.tries;
    span.record("left", case.bytes.len());
    span.record("tries", tries);
    Minimized::Done { case: Box::new(case), tries }
}

/// Minimises like [`minimize`], but cuts the bytes without decoding them: for programs whose decoding ends the process.
pub fn minimize_bytes(case: &Case, fails: &mut dyn FnMut(&Case) -> bool) -> Minimized {
    if !fails(case) {
        return Minimized::NotInteresting;
    }
    let mut predicate = FailurePredicate { fails, tries: 0 };
    let mut case = case.clone();
    environment::shrink(&mut case, &mut predicate);
    bytes::shrink(&mut case, &mut predicate);
    Minimized::Done { case: Box::new(case), tries: predicate.tries }
}

fn shrink_program<I: Generate>(case: &mut Case, predicate: &mut FailurePredicate<'_>) {
    match I::decode(&case.bytes) {
        // If the bytes differ from the encoded program, an edit would remove an error in the bytes themselves.
        Ok(program) if I::encode(&program) == case.bytes => {
            program::strip::<I>(case, predicate);
            program::shrink::<I>(case, predicate);
            while pairs::shrink::<I>(case, predicate) || excerpt::shrink::<I>(case, predicate) {
                program::shrink::<I>(case, predicate);
            }
            program::strip::<I>(case, predicate);
        }
        _ => bytes::shrink(case, predicate),
    }
}
