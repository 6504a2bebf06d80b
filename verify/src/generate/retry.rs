//! Bounded repetition of a generator's step until a condition holds.

use super::{Entropy, ProgramRequest};
use lockstep_core::isa::{Context, Legality, Options, Tables};

/// The maximum number of steps: several for each register of the instruction set with the most registers.
const STEPS: usize = 256;

/// Repeats a step until a condition holds. Generators rely on the declared effects of instructions. If a declaration is wrong, a step may make no
/// progress, so the number of steps is bounded.
pub(super) fn until<B>(body: &mut B, is_enough: impl Fn(&B) -> bool, mut step: impl FnMut(&mut B)) {
    for _ in 0..STEPS {
        if is_enough(body) {
            return;
        }
        step(body);
    }
}

/// Returns the first program that satisfies the request. After `programs` failures, returns the next program, and once the entropy is exhausted the
/// latest one, whether it satisfies the request or not.
pub(super) fn first_granted<P>(
    e: &mut Entropy<'_>,
    request: &ProgramRequest,
    programs: usize,
    build: impl Fn(&mut Entropy<'_>, &ProgramRequest) -> P,
    satisfies: impl Fn(&P) -> bool,
) -> P {
    let mut program = build(e, request);
    for _ in 0..programs {
        if e.is_exhausted() || satisfies(&program) {
            break;
        }
        program = build(e, request);
    }
    program
}

/// Invalidates a program. Each of up to `attempts` changes is made to the valid program; returns the first result that violates a rule, or else the
/// last.
pub(super) fn invalidated<P: Clone>(
    e: &mut Entropy<'_>,
    valid: &P,
    attempts: usize,
    invalidate_once: impl Fn(&mut Entropy<'_>, P) -> P,
    is_noticed: impl Fn(&P) -> bool,
) -> P {
    let mut program = valid.clone();
    for _ in 0..attempts {
        program = invalidate_once(e, valid.clone());
        if e.is_exhausted() || is_noticed(&program) {
            break;
        }
    }
    program
}

/// Whether a rule, of error or warning level, is violated at each entry of a program.
pub(super) fn is_noticed<I: Legality + Tables>(program: &I::Program) -> bool {
    let options = &Options::new(I::option_specs());
    I::entries(program).iter().all(|entry| !I::validate(&Context { program, entry, options }).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_end_when_done_or_at_the_limit() {
        let mut left = 7;
        until(&mut left, |left| *left <= 3, |left| *left -= 1);
        assert_eq!(left, 3);
        let mut taken = 0;
        until(&mut taken, |_| false, |taken| *taken += 1);
        assert_eq!(taken, STEPS);
    }

    #[test]
    fn attempts_end_with_the_first_success_or_the_last() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8];
        let draw = |e: &mut Entropy<'_>| e.bytes(1).first().copied().unwrap_or(0);
        let asked = |wanted| {
            let mut e = Entropy::from_bytes(&bytes);
            first_granted(&mut e, &ProgramRequest::default(), 4, |e, _| draw(e), |program| *program == wanted)
        };
        assert_eq!([asked(3), asked(200)], [3, 5]);
        let noticed = |wanted| {
            let mut e = Entropy::from_bytes(&bytes);
            invalidated(&mut e, &10, 4, |e, valid| valid + draw(e), |program| *program == wanted)
        };
        assert_eq!([noticed(12), noticed(200)], [12, 14]);
    }
}
