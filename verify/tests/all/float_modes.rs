//! Engines are correct whatever floating-point mode their caller has set.

use lockstep::case::Case;
use lockstep::engine::{Executor, Tier, compare, evaluate, reference};
use lockstep::generate::{Entropy, any_case};
use lockstep_core::exec::CallerMode;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{Isa, IsaId, lower};
use lockstep_core::with_isa;

/// Compares every engine with the reference in each mode. Returns the number of compared components; 0 if the case cannot be run.
fn compare_in_all_modes<I: Isa>(case: &Case) -> u64 {
    let Ok(resolved) = case.resolve::<I>() else { return 0 };
    let cx = resolved.context();
    let Ok(program) = lower(&cx, Mode::Auto) else { return 0 };
    let expected = reference(&cx, &resolved.env);
    let mut compared = 0;
    for mode in CallerMode::ALL {
        let (again, reference_kept) = mode.during(|| reference(&cx, &resolved.env));
        let lowered = mode.during(|| lower(&cx, Mode::Auto)).0;
        assert_eq!(lowered.as_ref(), Ok(&program), "{mode:?}");
        let (evaluated, evaluator_kept) = mode.during(|| evaluate(cx.entry, &program, &resolved.env));
        assert!(reference_kept && evaluator_kept, "{mode:?} was not restored");
        let tiers = Tier::available()
            .into_iter()
            .map(|tier| mode.during(|| Executor::new(tier).run(cx.entry, &program, &resolved.env)).0);
        for run in [again, evaluated].into_iter().chain(tiers) {
            match compare(cx.entry, &expected, &run) {
                Ok(statistics) => compared += statistics.components,
                Err(difference) => panic!("{mode:?}: {difference:?}\n{}", case.to_text(None)),
            }
        }
    }
    compared
}

#[test]
fn engines_are_right_in_every_floating_point_mode_of_the_caller() {
    for &isa in IsaId::ALL {
        let cases = (0..60).map(|seed| any_case(isa, &mut Entropy::seeded(seed)));
        let compared: u64 = cases.map(|case| with_isa!(isa, I => compare_in_all_modes::<I>(&case))).sum();
        assert!(compared > 10_000, "{isa}: {compared}");
    }
}
