//! Repeating a step until enough has been done.

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
}
