//! Repeating a step until enough has been done.

use super::{Entropy, Wish};

/// Steps after which it ends anyway: several for each register that any instruction set has.
const STEPS: usize = 256;

/// Repeats a step until enough has been done. Generators build on what the documents say of instructions; where the code that says so is
/// wrong, a step may come no nearer, and that must not go on for ever.
pub(super) fn until<B>(body: &mut B, is_enough: impl Fn(&B) -> bool, mut step: impl FnMut(&mut B)) {
    for _ in 0..STEPS {
        if is_enough(body) {
            return;
        }
        step(body);
    }
}

/// A program that has what is wished, or the last of so many that were built.
pub(super) fn granted<P>(
    e: &mut Entropy<'_>,
    wish: &Wish,
    programs: usize,
    build: impl Fn(&mut Entropy<'_>, &Wish) -> P,
    grants: impl Fn(&P) -> bool,
) -> P {
    let mut program = build(e, wish);
    for _ in 0..wish.attempts(programs) {
        if e.is_exhausted() || grants(&program) {
            break;
        }
        program = build(e, wish);
    }
    program
}

/// A program with one thing broken: the first of so many breakages, each of the whole program, that is noticed, or the last.
pub(super) fn broken<P: Clone>(
    e: &mut Entropy<'_>,
    valid: &P,
    breakages: usize,
    break_one: impl Fn(&mut Entropy<'_>, P) -> P,
    is_noticed: impl Fn(&P) -> bool,
) -> P {
    let mut program = valid.clone();
    for _ in 0..breakages {
        program = break_one(e, valid.clone());
        if e.is_exhausted() || is_noticed(&program) {
            break;
        }
    }
    program
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_end_where_enough_is_done_or_where_they_come_no_nearer() {
        let mut left = 7;
        until(&mut left, |left| *left <= 3, |left| *left -= 1);
        assert_eq!(left, 3);
        let mut taken = 0;
        until(&mut taken, |_| false, |taken| *taken += 1);
        assert_eq!(taken, STEPS);
    }

    #[test]
    fn attempts_end_with_the_first_that_will_do_or_with_the_last() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8];
        let draw = |e: &mut Entropy<'_>| e.bytes(1).first().copied().unwrap_or(0);
        let asked = |wanted| {
            let mut e = Entropy::from_bytes(&bytes);
            granted(&mut e, &Wish::default(), 4, |e, _| draw(e), |program| *program == wanted)
        };
        assert_eq!([asked(3), asked(200)], [3, 5]);
        let noticed = |wanted| {
            let mut e = Entropy::from_bytes(&bytes);
            broken(&mut e, &10, 4, |e, valid| valid + draw(e), |program| *program == wanted)
        };
        assert_eq!([noticed(12), noticed(200)], [12, 14]);
    }
}
