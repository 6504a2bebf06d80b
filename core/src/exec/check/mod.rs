//! Checks that the executor implements each operation as defined.
//!
//! Every lane-wise IR operation, and every group of operations that one kernel combines, is run on chosen numbers. The results are compared with
//! those of the IR evaluator, which implements the [`crate::value::Domain`] definitions. Each operand is passed once as a row (an input) and once as
//! a constant (the same number in all lanes).

mod batches;
mod functions;
mod nans;
mod numbers;
mod operations;
mod run_result;
#[cfg(test)]
mod tests;
mod tuples;

pub use super::jit::single::{Form, Single, forms};
pub use batches::{BatchReport, CASES_PER_PART, COMMITTED_HASHES, LANE_COUNTS, batches, damaged_batches};
pub use functions::{FUNCTION_VECTORS, functions};
pub use nans::nans;
pub use run_result::RunResult;

use super::{Batch, Compiled, Level, Plan, WIDTH, plan};
use crate::host::{ConcreteHost, Environment};
use crate::ir::eval::{self, Lane, Scalar};
use crate::ir::{BlockId, Builder, Op, Program, Terminator, Ty, Var, VarKey};
use crate::value::{Concrete, IBin, ICmp, same};
use numbers::{Numbers, components};
#[cfg(test)]
use operations::Build;
use operations::{CheckedOperation, operations};
use rayon::prelude::*;
use std::f32::consts::{FRAC_PI_2, PI};
use std::sync::atomic::{AtomicUsize, Ordering};
use tuples::tuples;

/// The set of operands to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// For one operand, the [`boundary`] values and, in a row, every 65521st number. For two operands, all pairs of boundary values, or one pair in
    /// 16 if both operands are constants. For three or more, tuples of boundary values and tuples of the numbers that operations treat specially.
    Boundary,
    /// The same as `Boundary`, and all 2^32 numbers for a single operand in a row. Takes minutes for each operation.
    Exhaustive,
}

/// The result of checking one operation, or group of operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelReport {
    /// The name of the operation, or of several joined by `+`; then, for each operand, whether it is a row or a constant.
    pub op: String,
    /// The number of operand sets compared, on each level.
    pub count: u64,
    /// The first difference.
    pub mismatch: Option<Mismatch>,
    /// Whether the comparison detects wrong results. To test this, the results of the first batch are corrupted lane by lane and compared again.
    pub detects_corruption: bool,
}

/// Operands for which executor and evaluator differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The level on which they differ.
    pub level: Level,
    /// The operands, as bits.
    pub operands: Vec<u32>,
    /// The evaluator's result.
    pub expected: u32,
    /// The executor's result.
    pub actual: u32,
}

/// Over 200 numbers, as bits, at or near which the behaviour of operations changes: ends of ranges, neighbours of powers of two, NaNs, small
/// integers.
pub fn boundary() -> Vec<u32> {
    let mut all =
        vec![0x7fc0_0000, 0x7f80_0001, 0x7fff_ffff, 0x7f80_0000, 0x7f7f_ffff, 0x5f7f_ff80, 0x5f7f_ffff];
    // Powers of two at which the behaviour of binary32, f24, i32 or rounding to an integer changes, with both neighbours.
    for exponent in [
        -149, -127, -126, -79, -78, -77, -63, -62, -61, -24, -2, -1, 0, 1, 7, 22, 23, 24, 30, 31, 32, 63, 64,
        127,
    ] {
        let power = 2f64.powi(exponent) as f32;
        let bits = power.to_bits();
        all.extend([bits.wrapping_sub(1) & 0x7fff_ffff, bits, bits + 1]);
    }
    for x in [0.0f32, 0.1, 0.3, 1.5, 2.5, 3.0, 3.5, FRAC_PI_2, PI, 1e10, 1e30] {
        all.push(x.to_bits());
    }
    // Numbers with mantissa bits that f24 lacks: ties and their neighbours.
    all.extend([0x3f80_0040, 0x3f80_003f, 0x3f80_0041, 0x3f80_00c0, 0x20ff_ffc0, 0x2040_0040]);
    let negative: Vec<u32> = all.iter().map(|bits| bits ^ 0x8000_0000).collect();
    all.extend(negative);
    // Integers and shifts.
    all.extend([2, 3, 5, 15, 16, 30, 31, 32, 33, 63, 64, 0xffff, 0x0001_0000, 0x5555_5555, 0xaaaa_aaaa]);
    all.extend([u32::MAX, u32::MAX - 1, i32::MAX as u32 - 1, 0x8000_0002]);
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the program that applies `operation`. Operands whose bit in `constants` is set are uniforms, the others inputs. Slot k contains operand k: x
/// is the number itself as a float, y and z are the high and the low half of its bits as whole numbers. Integers are assembled from y and z, because
/// a conversion of x to bits would canonicalise NaNs.
fn program(operation: &CheckedOperation, constants: u32) -> Program {
    let mut b = Builder::new(1);
    let mut args = Vec::new();
    for (k, ty) in operation.operands.iter().enumerate() {
        let fixed = constants >> k & 1 == 1;
        let read = |b: &mut Builder, c: u16| {
            let n = k as u16 * 4 + c;
            b.op(if fixed { Op::Uniform(n) } else { Op::Input(n) }, &[])
        };
        let integer = |b: &mut Builder| {
            let (high, low) = (read(b, 1), read(b, 2));
            let (high, low, sixteen) = (b.op(Op::TruncI, &[high]), b.op(Op::TruncI, &[low]), b.i(16));
            let high = b.ibin(IBin::Shl, high, sixteen);
            b.ibin(IBin::Or, high, low)
        };
        args.push(match ty {
            Ty::F32 => read(&mut b, 0),
            Ty::I32 => integer(&mut b),
            Ty::Bool => {
                let (bits, zero) = (integer(&mut b), b.i(0));
                b.icmp(ICmp::LtS, bits, zero)
            }
        });
    }
    let result = (operation.build)(&mut b, &args);
    let var = b.var(VarKey { file: 0, index: 0, component: 0 }, operation.result, 0);
    b.write(var, result);
    b.output(0, var);
    b.end_block(0, Terminator::Return);
    b.finish(BlockId(0))
}

/// The check of one operation with one choice of constants, on some levels. The evaluator takes most of the time, so it runs once for all levels.
struct Trial<'a> {
    operation: &'a CheckedOperation,
    constants: u32,
    levels: &'a [Level],
    program: Program,
    plan: Plan,
    /// For each level, the plan's machine code if the level is a compiled one. Compiled when the first lanes run.
    compiled: Vec<Option<Compiled>>,
    batch: Batch,
    env: Environment,
    lanes: Vec<Lane<Concrete>>,
    /// The operands of the lanes that have not run yet, lane by lane.
    operands: Vec<u32>,
    inputs: Vec<f32>,
    report: KernelReport,
}

/// The machine code of a plan, if the level is a compiled one.
///
/// # Panics
/// If the plan cannot be compiled. The check must not pass if a compiled level fell back to the interpreter.
fn compiled(plan: &Plan, level: Level) -> Option<Compiled> {
    level
        .is_compiled()
        .then(|| Compiled::new(plan, level).unwrap_or_else(|error| panic!("{level:?}: {error}")))
}

impl<'a> Trial<'a> {
    fn new(operation: &'a CheckedOperation, constants: u32, levels: &'a [Level]) -> Trial<'a> {
        let program = program(operation, constants);
        let plan = plan(&program);
        let op = (0..operation.operands.len()).fold(operation.name.clone(), |name, k| {
            name + if constants >> k & 1 == 1 { " constant" } else { " row" }
        });
        let env =
            Environment { constants: vec![[0.0; 4]; operation.operands.len()], ..Environment::default() };
        let mut host = ConcreteHost::<false>::new(&env, 0);
        let lanes = (0..WIDTH).map(|_| Lane::new(&Concrete, &mut host, &program, 0)).collect();
        Trial {
            operation,
            constants,
            levels,
            lanes,
            env,
            program,
            plan,
            compiled: Vec::new(),
            batch: Batch::new(),
            operands: Vec::new(),
            inputs: Vec::new(),
            report: KernelReport { op, count: 0, mismatch: None, detects_corruption: true },
        }
    }

    /// Adds a set of operands as a pending lane. If the constants of the set differ from those of the pending lanes, or the block is full, runs the
    /// pending lanes first.
    fn add(&mut self, operands: &[u32]) {
        let n = operands.len();
        let waiting = self.operands.len() / n;
        let differs = |k: usize| self.constants >> k & 1 == 1 && self.operands[k] != operands[k];
        if waiting == WIDTH || waiting > 0 && (0..n).any(differs) {
            self.flush();
        }
        self.operands.extend_from_slice(operands);
    }

    /// Runs and compares the pending lanes.
    fn flush(&mut self) {
        let n = self.operation.operands.len();
        let lanes = self.operands.len() / n;
        if lanes == 0 {
            return;
        }
        for k in 0..n {
            self.env.constants[k] = components(self.operands[k]);
        }
        self.inputs.clear();
        self.inputs.resize(self.plan.inputs().len() * WIDTH, 0.0);
        for (column, &(number, _)) in self.inputs.chunks_mut(WIDTH).zip(self.plan.inputs()) {
            for (value, operands) in column.iter_mut().zip(self.operands.chunks(n)) {
                *value = components(operands[usize::from(number / 4)])[usize::from(number % 4)];
            }
        }
        for lane in &mut self.lanes[..lanes] {
            lane.next_block = BlockId(self.program.entry);
            lane.stop = None;
        }
        let mut host = Numbers { inputs: &self.operands, constants: &self.env.constants, operands: n };
        eval::run(&mut Concrete, &mut host, &self.program, &mut self.lanes[..lanes]);
        let levels = self.levels;
        for (k, level) in levels.iter().enumerate() {
            let mut outputs = [0.0; WIDTH];
            if self.compiled.len() == k {
                self.compiled.push(compiled(&self.plan, *level));
            }
            let (plan, env, inputs) = (&self.plan, &self.env, &self.inputs);
            match &self.compiled[k] {
                Some(code) => self.batch.stream_compiled(plan, env, code, inputs, &mut outputs, lanes),
                None => self.batch.stream(plan, env, *level, inputs, &mut outputs, lanes),
            }
            let mismatch = self.compare(*level, &outputs[..lanes]);
            if self.report.count == 0 && mismatch.is_none() {
                self.report.detects_corruption &= self.detects_corruption(*level, &outputs[..lanes]);
            }
            self.report.mismatch = self.report.mismatch.take().or(mismatch);
        }
        self.report.count += lanes as u64;
        self.operands.clear();
    }

    /// Whether changing the result of any lane is reported as a mismatch.
    fn detects_corruption(&self, level: Level, outputs: &[f32]) -> bool {
        let mut wrong = outputs.to_vec();
        (0..wrong.len()).all(|k| {
            let bits = if outputs[k].is_nan() { 1f32.to_bits() } else { outputs[k].to_bits() ^ 1 };
            wrong[k] = f32::from_bits(bits);
            let noticed = self.compare(level, &wrong).is_some();
            wrong[k] = outputs[k];
            noticed
        })
    }

    /// Compares the results of `level` with those of the evaluator; returns the first difference.
    fn compare(&self, level: Level, outputs: &[f32]) -> Option<Mismatch> {
        let n = self.operation.operands.len();
        for (k, (lane, output)) in self.lanes.iter().zip(outputs).enumerate() {
            let expected = match &lane.vars[Var(0).0 as usize] {
                Scalar::F(v) => v.to_bits(),
                Scalar::I(v) => *v as u32,
                Scalar::B(v) => {
                    if *v {
                        u32::MAX
                    } else {
                        0
                    }
                }
            };
            let actual = output.to_bits();
            let agree = actual == expected
                || self.operation.result == Ty::F32 && same(*output, f32::from_bits(expected));
            if !agree {
                let operands = self.operands[k * n..][..n].to_vec();
                return Some(Mismatch { level, operands, expected, actual });
            }
        }
        None
    }
}

/// Checks every operation on `level`, with rows and with constants. If the processor lacks a level of the interpreter, [`Level::Portable`] runs
/// instead.
///
/// # Panics
/// If `level` is a compiled level that the processor lacks.
pub fn kernels(level: Level, extent: Extent) -> Vec<KernelReport> {
    let (boundary, operations) = (boundary(), operations());
    let trials = parts(&operations, extent);
    merged(
        trials.map(|(operation, constants, part)| {
            Trial::new(operation, constants, &[level]).run(&boundary, part)
        }),
    )
}

/// Checks every operation as [`kernels`] does, on several levels and on the threads of the current pool. `done` is called with the number of finished
/// parts and the total whenever a part is finished.
///
/// # Panics
/// As [`kernels`].
pub fn kernels_in_parallel(
    levels: &[Level],
    extent: Extent,
    done: &(dyn Fn(usize, usize) + Sync),
) -> Vec<KernelReport> {
    let (boundary, operations) = (boundary(), operations());
    let parts: Vec<(&CheckedOperation, u32, Part)> = parts(&operations, extent).collect();
    let finished = AtomicUsize::new(0);
    let run = |(operation, constants, part): &(&CheckedOperation, u32, Part)| {
        let report = Trial::new(operation, *constants, levels).run(&boundary, *part);
        done(finished.fetch_add(1, Ordering::Relaxed) + 1, parts.len());
        report
    };
    merged(parts.par_iter().map(run).collect::<Vec<_>>())
}

/// The parts into which the checks of all operations are divided, operation by operation.
fn parts(
    operations: &[CheckedOperation],
    extent: Extent,
) -> impl Iterator<Item = (&CheckedOperation, u32, Part)> {
    operations
        .iter()
        .flat_map(|s| choices(s).map(move |c| (s, c)))
        .flat_map(move |(s, c)| Part::all(s, c, extent).map(move |part| (s, c, part)))
}

/// Merges the reports of parts into one report for each operation.
fn merged(reports: impl IntoIterator<Item = KernelReport>) -> Vec<KernelReport> {
    let mut all: Vec<KernelReport> = Vec::new();
    for report in reports {
        match all.last_mut().filter(|last| last.op == report.op) {
            Some(last) => {
                last.count += report.count;
                last.mismatch = last.mismatch.take().or(report.mismatch);
                last.detects_corruption &= report.detects_corruption;
            }
            None => all.push(report),
        }
    }
    all
}

/// Checks the plans that `damage` has changed and returns the first report with a mismatch, to test that faults are detected. Plans for which
/// `damage` returns false are skipped.
pub fn damaged_kernels(level: Level, damage: impl Fn(&mut Plan) -> bool) -> Option<KernelReport> {
    let boundary = boundary();
    let operations = operations();
    let levels = [level];
    let trials = operations.iter().flat_map(|s| choices(s).map(|c| Trial::new(s, c, &levels)));
    trials
        .filter_map(|mut trial| damage(&mut trial.plan).then(|| trial.run(&boundary, Part::Sample)))
        .find(|report| report.mismatch.is_some())
}

/// Returns the choices of the operands that are constants, as masks. For one and two operands these are all choices. For more operands there
/// are four: no operand; the even-numbered operands; the odd-numbered operands; all operands.
fn choices(operation: &CheckedOperation) -> impl Iterator<Item = u32> + use<> {
    let all = (1 << operation.operands.len()) - 1;
    let some: &[u32] = match operation.operands.len() {
        1 => &[0, 1],
        2 => &[0, 1, 2, 3],
        _ => &[0, 0x55, 0xaa, 0xff],
    };
    some.iter().map(move |c| c & all)
}

/// The operands of one trial.
#[derive(Clone, Copy)]
enum Part {
    /// The operands of [`Extent::Boundary`].
    Sample,
    /// For one operand, all numbers with these upper bits.
    Numbers(u32),
}

impl Part {
    /// The number of upper bits that select a part.
    const BITS: u32 = 8;

    fn all(
        operation: &CheckedOperation,
        constants: u32,
        extent: Extent,
    ) -> impl Iterator<Item = Part> + use<> {
        let numbers = extent == Extent::Exhaustive && operation.operands.len() == 1 && constants == 0;
        let parts = if numbers { 1 << Part::BITS } else { 0 };
        std::iter::once(Part::Sample).chain((0..parts).map(Part::Numbers))
    }
}

impl Trial<'_> {
    fn run(mut self, boundary: &[u32], part: Part) -> KernelReport {
        match self.operation.operands.len() {
            1 => add_numbers(&mut self, boundary, part),
            2 => add_pairs(&mut self, boundary),
            _ => add_tuples(&mut self, boundary),
        }
        self.flush();
        self.report
    }
}

/// Adds all pairs of boundary values. Pairs that share a constant are adjacent, because one run covers them.
fn add_pairs(trial: &mut Trial<'_>, boundary: &[u32]) {
    for (i, &a) in boundary.iter().enumerate() {
        for (j, &b) in boundary.iter().enumerate() {
            match trial.constants {
                2 => trial.add(&[b, a]),
                // If both operands are constants, the prologue computes the result with the same kernels, and each pair needs a run of its own. Only
                // some pairs are tried.
                3 if (i + j) % 16 != 0 => {}
                _ => trial.add(&[a, b]),
            }
        }
    }
}

fn add_numbers(trial: &mut Trial<'_>, boundary: &[u32], part: Part) {
    match part {
        Part::Sample => {
            for x in boundary {
                trial.add(&[*x]);
            }
            if trial.constants == 0 {
                for x in (0..=u32::MAX).step_by(65521) {
                    trial.add(&[x]);
                }
            }
        }
        Part::Numbers(upper) => {
            let low = 32 - Part::BITS;
            for x in 0..1 << low {
                trial.add(&[upper << low | x]);
            }
        }
    }
}

/// Adds combinations of the numbers that operations treat specially, then 256 times 64 tuples of boundary values. The constants stay the same for 64
/// tuples; if all operands are constants, there are only 256 tuples.
fn add_tuples(trial: &mut Trial<'_>, boundary: &[u32]) {
    let n = trial.operation.operands.len();
    for operands in tuples(n, trial.constants) {
        trial.add(&operands);
    }
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut draw = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        boundary[((state >> 33) as usize) % boundary.len()]
    };
    let mut operands = vec![0; n];
    for _ in 0..256 {
        operands.fill_with(&mut draw);
        for _ in 0..if trial.constants == (1 << n) - 1 { 1 } else { WIDTH } {
            for (k, operand) in operands.iter_mut().enumerate() {
                if trial.constants >> k & 1 == 0 {
                    *operand = draw();
                }
            }
            trial.add(&operands);
        }
    }
}
