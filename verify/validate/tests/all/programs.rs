//! Whole programs: code that the compiler makes is accepted, and what is not the plan's code is refused.

use lockstep_core::exec::{Compiled, Level, Plan, Planner};
use lockstep_core::ir::random::{Rules, Source, program};
use lockstep_validate::Validator;

fn levels() -> impl Iterator<Item = Level> {
    Level::available().filter(|level| level.is_compiled())
}

fn planned(seed: u64) -> Plan {
    let mut plan = Plan::default();
    Planner::default().plan(&program(&mut Source::seeded(seed), Rules::Lax), &mut plan);
    plan
}

#[test]
fn the_code_of_any_program_is_accepted() {
    let mut validator = Validator::default();
    for level in levels() {
        let (mut compiled, mut summary) = (Compiled::default(), lockstep_validate::Summary::default());
        for seed in 0..4000 {
            let plan = planned(seed);
            compiled.replace(&plan, level).unwrap();
            let found = validator.validate(&plan, &compiled);
            summary += found.unwrap_or_else(|error| panic!("{level:?}, seed {seed}: {error}"));
        }
        assert!(summary.functions > 1000 && summary.compared > 10_000, "{summary:?}");
        assert!(summary.compiled > 2 * summary.interpreted, "{summary:?}");
    }
}
