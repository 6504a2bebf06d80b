//! The check of random IR programs. Each program runs in the evaluator and on the given levels of the executor, in a batch of one of several sizes.
//!
//! The cases and their results are equal on every machine. The evaluator and each level must produce the committed hash, and the same results in any
//! floating-point mode of the caller. A change of the generator or of an operation's definition changes the hashes; the message of the mismatch
//! contains the new hash.

use super::run_result::{BASIS, RunResult};
use crate::exec::{Batch, CallerMode, Level, Plan, Planner};
use crate::ir::random::{Rules, Source, environment, program};

/// Numbers of lanes in a batch: one lane, part of a small block, two small blocks, half a block plus a lane, a full block, a full block plus part of
/// a small one, a full block plus two small ones, several blocks.
pub const LANE_COUNTS: [usize; 8] = [1, 7, 16, 33, 64, 71, 80, 200];
/// The number of cases in a part.
pub const CASES_PER_PART: u64 = 1000;
/// For each part, the hash of the result words of its cases.
pub const COMMITTED_HASHES: [u64; 10] = [
    0x546c_6c65_92c2_da07,
    0x78cf_bbac_e675_4407,
    0x067a_82df_1919_1658,
    0xbade_a7c9_d3f6_6718,
    0xfa06_606c_1a89_a541,
    0x1ba7_4584_ccc4_34d3,
    0xaecd_e7ad_012a_5e86,
    0xf39e_eb20_1f53_7dd6,
    0xffa3_aa51_cbd9_e810,
    0xef00_ec48_34d6_3855,
];
/// One case in this many is also run in every floating-point mode of the caller.
const MODES_EVERY: u64 = 16;

/// The results of running a range of cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchReport {
    /// The number of cases run.
    pub cases: u64,
    /// The number of lanes run on each level.
    pub lanes: u64,
    /// The number of result words compared on each level.
    pub words: u64,
    /// The hash of each engine's result words: first the evaluator's, then each level's.
    pub hashes: Vec<u64>,
    /// The first difference, with the number of its case; if there is none, the first hash that is not the committed one.
    pub mismatch: Option<String>,
}

/// Runs part `part` of the committed cases and compares the hash of each engine with the committed one.
pub fn batches(part: usize, levels: &[Level]) -> BatchReport {
    let first = part as u64 * CASES_PER_PART;
    let mut report = run(first..first + CASES_PER_PART, levels, &|_| {});
    let names = std::iter::once("the evaluator".to_owned()).chain(levels.iter().map(|l| format!("{l:?}")));
    for (name, hash) in names.zip(report.hashes.clone()) {
        let committed = COMMITTED_HASHES.get(part);
        if committed != Some(&hash) {
            let committed = committed.map_or_else(|| "none".to_owned(), |hash| format!("{hash:#018x}"));
            report.mismatch.get_or_insert(format!(
                "part {part}: the hash of {name} is {hash:#018x}, the committed one is {committed}"
            ));
        }
    }
    report
}

/// Runs the cases of a part with plans that `damage` has changed, without comparing hashes. Tests use it to show that the check detects a fault.
pub fn damaged_batches(part: usize, levels: &[Level], damage: &dyn Fn(&mut Plan)) -> BatchReport {
    let first = part as u64 * CASES_PER_PART;
    run(first..first + CASES_PER_PART, levels, damage)
}

fn run(cases: std::ops::Range<u64>, levels: &[Level], damage: &dyn Fn(&mut Plan)) -> BatchReport {
    let mut report = BatchReport { hashes: vec![BASIS; levels.len() + 1], ..BatchReport::default() };
    let (mut batch, mut planner, mut plan) = (Batch::new(), Planner::default(), Plan::default());
    let (mut expected, mut seen) = (RunResult::default(), RunResult::default());
    for case in cases {
        let mut source = Source::seeded(case);
        let program = program(&mut source, Rules::Lax);
        let size = LANE_COUNTS[(case % LANE_COUNTS.len() as u64) as usize];
        let env = environment(&mut source, size);
        planner.plan(&program, &mut plan);
        damage(&mut plan);
        expected.evaluate(&program, &env);
        report.cases += 1;
        report.lanes += size as u64;
        report.words += expected.words.len() as u64;
        report.hashes[0] = expected.hash(report.hashes[0]);
        let differs = |engine: &str, difference: Option<String>, mismatch: &mut Option<String>| {
            if let Some(difference) = difference {
                mismatch.get_or_insert(format!("case {case}, {engine}: {difference}"));
            }
        };
        for (level, hash) in levels.iter().zip(&mut report.hashes[1..]) {
            batch.run(&plan, &env, *level);
            batch.assert_compiled();
            seen.take_batch(&program, &batch);
            *hash = seen.hash(*hash);
            differs(&format!("{level:?}"), expected.difference(&seen), &mut report.mismatch);
        }
        if !case.is_multiple_of(MODES_EVERY) {
            continue;
        }
        for mode in CallerMode::ALL {
            let ((), kept) = mode.during(|| seen.evaluate(&program, &env));
            differs(
                &format!("the evaluator under {mode:?}"),
                expected.difference(&seen),
                &mut report.mismatch,
            );
            let mut all_kept = kept;
            for level in levels {
                let ((), kept) = mode.during(|| batch.run(&plan, &env, *level));
                batch.assert_compiled();
                all_kept &= kept;
                seen.take_batch(&program, &batch);
                differs(
                    &format!("{level:?} under {mode:?}"),
                    expected.difference(&seen),
                    &mut report.mismatch,
                );
            }
            let lost = (!all_kept).then(|| "the caller's mode is not restored".to_owned());
            differs(&format!("{mode:?}"), lost, &mut report.mismatch);
        }
    }
    report
}
