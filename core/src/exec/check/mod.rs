//! Whether the executor gives each operation its meaning.
//!
//! Every IR operation that works lane by lane, and every group of operations that one kernel does together, is run on chosen
//! numbers, with each operand once as a row (an input) and once as a number that is the same in all lanes (a constant), and compared with the IR
//! evaluator, that is with the [`crate::value::Domain`] meaning.

mod batches;
mod functions;
mod nans;
mod numbers;
mod seen;
mod subjects;
#[cfg(test)]
mod tests;
mod tuples;

pub use batches::{BatchReport, CASES, COMMITTED, SIZES, batches, damaged_batches};
pub use functions::{FUNCTION_VECTORS, functions};
pub use nans::nans;
pub use seen::Seen;

use super::{Batch, Level, Plan, WIDTH, plan};
use crate::host::{Bound, Environment};
use crate::ir::eval::{self, Lane, Scalar};
use crate::ir::{BlockId, Builder, Op, Program, Terminator, Ty, Var, VarKey};
use crate::parallel::parallel;
use crate::value::{Concrete, IBin, ICmp, same};
use numbers::{Numbers, components};
use std::f32::consts::{FRAC_PI_2, PI};
use std::sync::atomic::{AtomicUsize, Ordering};
#[cfg(test)]
use subjects::Build;
use subjects::{Subject, subjects};
use tuples::tuples;

/// Which operands to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All pairs of [`boundary`] values for two operands; for three or more, tuples drawn from them and those of numbers
    /// that operations treat apart; for one operand, these and every 65521st number.
    Boundary,
    /// The same, but for one operand all 2^32 numbers. Minutes for each operation.
    Exhaustive,
}

/// How one operation, or group of operations, fared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelReport {
    /// What was run: an operation, or several joined by `+`, and which operands are constants.
    pub op: String,
    /// How many sets of operands were compared, on each level.
    pub count: u64,
    /// The first that differs.
    pub mismatch: Option<Mismatch>,
    /// Whether a wrong number is noticed: results of the first batch are made wrong lane by lane, and compared again.
    pub notices: bool,
}

/// Operands on which executor and evaluator part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Where they part.
    pub level: Level,
    /// The operands, as bits.
    pub operands: Vec<u32>,
    /// What the evaluator gives.
    pub expected: u32,
    /// What the executor gives.
    pub actual: u32,
}

/// Over 200 numbers at which something changes: ends of ranges, neighbours of powers of two, NaNs, small integers as bits.
pub fn boundary() -> Vec<u32> {
    let mut all =
        vec![0x7fc0_0000, 0x7f80_0001, 0x7fff_ffff, 0x7f80_0000, 0x7f7f_ffff, 0x5f7f_ff80, 0x5f7f_ffff];
    // Powers of two where binary32, f24, i32 and rounding to an integer change their ways, and both their neighbours.
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
    // Bits an f24 loses: ties and their neighbours.
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

/// The program that applies `subject`. Operands whose bit of `constants` is set are uniforms, the others inputs. Slot k holds
/// operand k: x as it is, y and z its high and low half as whole numbers, so that no integer has to pass through a float.
fn program(subject: &Subject, constants: u32) -> Program {
    let mut b = Builder::new(1);
    let mut args = Vec::new();
    for (k, ty) in subject.operands.iter().enumerate() {
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
    let result = (subject.build)(&mut b, &args);
    let var = b.var(VarKey { file: 0, index: 0, component: 0 }, subject.result, 0);
    b.write(var, result);
    b.output(0, var);
    b.end_block(0, Terminator::Return);
    b.finish(BlockId(0))
}

/// One subject with one choice of constants, on some levels. The evaluator takes most of the time, so one run of it serves all levels.
struct Trial<'a> {
    subject: &'a Subject,
    constants: u32,
    levels: &'a [Level],
    program: Program,
    plan: Plan,
    batch: Batch,
    env: Environment,
    lanes: Vec<Lane<Concrete>>,
    /// Operands of the lanes to come: one after the other, lane by lane.
    operands: Vec<u32>,
    inputs: Vec<f32>,
    report: KernelReport,
}

impl<'a> Trial<'a> {
    fn new(subject: &'a Subject, constants: u32, levels: &'a [Level]) -> Trial<'a> {
        let program = program(subject, constants);
        let plan = plan(&program);
        let op = (0..subject.operands.len()).fold(subject.name.clone(), |name, k| {
            name + if constants >> k & 1 == 1 { " constant" } else { " row" }
        });
        let env = Environment { constants: vec![[0.0; 4]; subject.operands.len()], ..Environment::default() };
        let mut host = Bound::<false>::new(&env, 0);
        let lanes = (0..WIDTH).map(|_| Lane::new(&Concrete, &mut host, &program, 0)).collect();
        Trial {
            subject,
            constants,
            levels,
            lanes,
            env,
            program,
            plan,
            batch: Batch::new(),
            operands: Vec::new(),
            inputs: Vec::new(),
            report: KernelReport { op, count: 0, mismatch: None, notices: true },
        }
    }

    /// Adds a set of operands. One that does not share the constants of those waiting must wait for a [`Trial::flush`].
    fn add(&mut self, operands: &[u32]) {
        let n = operands.len();
        let waiting = self.operands.len() / n;
        let differs = |k: usize| self.constants >> k & 1 == 1 && self.operands[k] != operands[k];
        if waiting == WIDTH || waiting > 0 && (0..n).any(differs) {
            self.flush();
        }
        self.operands.extend_from_slice(operands);
    }

    /// Runs and compares what waits.
    fn flush(&mut self) {
        let n = self.subject.operands.len();
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
            lane.at = BlockId(self.program.entry);
            lane.stop = None;
        }
        let mut host = Numbers { inputs: &self.operands, constants: &self.env.constants, operands: n };
        eval::run(&mut Concrete, &mut host, &self.program, &mut self.lanes[..lanes]);
        let levels = self.levels;
        for level in levels {
            let mut outputs = [0.0; WIDTH];
            self.batch.stream(&self.plan, &self.env, *level, &self.inputs, &mut outputs, lanes);
            let mismatch = self.compare(*level, &outputs[..lanes]);
            if self.report.count == 0 && mismatch.is_none() {
                self.report.notices &= self.notices(*level, &outputs[..lanes]);
            }
            self.report.mismatch = self.report.mismatch.take().or(mismatch);
        }
        self.report.count += lanes as u64;
        self.operands.clear();
    }

    /// Whether another result of any lane is a mismatch.
    fn notices(&self, level: Level, outputs: &[f32]) -> bool {
        let mut wrong = outputs.to_vec();
        (0..wrong.len()).all(|k| {
            let bits = if outputs[k].is_nan() { 1f32.to_bits() } else { outputs[k].to_bits() ^ 1 };
            wrong[k] = f32::from_bits(bits);
            let noticed = self.compare(level, &wrong).is_some();
            wrong[k] = outputs[k];
            noticed
        })
    }

    /// Compares what `level` gave with what the evaluator left in the lanes: the first that differs.
    fn compare(&self, level: Level, outputs: &[f32]) -> Option<Mismatch> {
        let n = self.subject.operands.len();
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
                || self.subject.result == Ty::F32 && same(*output, f32::from_bits(expected));
            if !agree {
                let operands = self.operands[k * n..][..n].to_vec();
                return Some(Mismatch { level, operands, expected, actual });
            }
        }
        None
    }
}

/// Checks every operation on `level` (or on [`Level::Portable`] where the processor lacks it), with rows and with constants.
pub fn kernels(level: Level, extent: Extent) -> Vec<KernelReport> {
    kernels_on(&[level], extent, 1, &|_, _| {})
}

/// As [`kernels`], on several levels and on so many threads; `done` is told how many parts of the work are done of how many each time
/// another is.
pub fn kernels_on(
    levels: &[Level],
    extent: Extent,
    threads: usize,
    done: &(dyn Fn(usize, usize) + Sync),
) -> Vec<KernelReport> {
    let boundary = boundary();
    let subjects = subjects();
    let parts: Vec<(&Subject, u32, Part)> = subjects
        .iter()
        .flat_map(|s| choices(s).map(move |c| (s, c)))
        .flat_map(|(s, c)| Part::all(s, c, extent).map(move |part| (s, c, part)))
        .collect();
    let finished = AtomicUsize::new(0);
    let another = || done(finished.fetch_add(1, Ordering::Relaxed) + 1, parts.len());
    let reports = parallel(threads, &parts, &another, |(subject, constants, part)| {
        Trial::new(subject, *constants, levels).run(&boundary, *part)
    });
    let mut all: Vec<KernelReport> = Vec::new();
    for report in reports {
        match all.last_mut().filter(|last| last.op == report.op) {
            Some(last) => {
                last.count += report.count;
                last.mismatch = last.mismatch.take().or(report.mismatch);
                last.notices &= report.notices;
            }
            None => all.push(report),
        }
    }
    all
}

/// Looks for the first mismatch when `damage` has been done to the plans; plans for which it returns false are left out. For showing
/// that a fault is noticed.
pub fn damaged(level: Level, damage: impl Fn(&mut Plan) -> bool) -> Option<KernelReport> {
    let boundary = boundary();
    let subjects = subjects();
    let levels = [level];
    let trials = subjects.iter().flat_map(|s| choices(s).map(|c| Trial::new(s, c, &levels)));
    trials
        .filter_map(|mut trial| damage(&mut trial.plan).then(|| trial.run(&boundary, Part::Sample)))
        .find(|report| report.mismatch.is_some())
}

/// Which operands are constants: every choice for one and two operands; none, every other, the rest and all for more.
fn choices(subject: &Subject) -> impl Iterator<Item = u32> + use<> {
    let all = (1 << subject.operands.len()) - 1;
    let some: &[u32] = match subject.operands.len() {
        1 => &[0, 1],
        2 => &[0, 1, 2, 3],
        _ => &[0, 0x55, 0xaa, 0xff],
    };
    some.iter().map(move |c| c & all)
}

/// What one trial takes.
#[derive(Clone, Copy)]
enum Part {
    /// What [`Extent::Boundary`] asks for.
    Sample,
    /// All numbers, for one operand, whose upper bits are these.
    Numbers(u32),
}

impl Part {
    /// How many bits of a number say which part it is in.
    const BITS: u32 = 8;

    fn all(subject: &Subject, constants: u32, extent: Extent) -> impl Iterator<Item = Part> + use<> {
        let numbers = extent == Extent::Exhaustive && subject.operands.len() == 1 && constants == 0;
        let parts = if numbers { 1 << Part::BITS } else { 0 };
        std::iter::once(Part::Sample).chain((0..parts).map(Part::Numbers))
    }
}

impl Trial<'_> {
    fn run(mut self, boundary: &[u32], part: Part) -> KernelReport {
        match self.subject.operands.len() {
            1 => one(&mut self, boundary, part),
            2 => two(&mut self, boundary),
            _ => many(&mut self, boundary),
        }
        self.flush();
        self.report
    }
}

/// All pairs. Those that share a constant follow each other, because one run serves them.
fn two(trial: &mut Trial<'_>, boundary: &[u32]) {
    for (i, &a) in boundary.iter().enumerate() {
        for (j, &b) in boundary.iter().enumerate() {
            match trial.constants {
                2 => trial.add(&[b, a]),
                // Nothing but constants: computed before any lane runs, by the same kernels, and slow to try.
                3 if (i + j) % 16 != 0 => {}
                _ => trial.add(&[a, b]),
            }
        }
    }
}

fn one(trial: &mut Trial<'_>, boundary: &[u32], part: Part) {
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

/// The numbers that operations treat apart, together; then 256 times 64 tuples of boundary values, in which the constants stay the same 64 times.
fn many(trial: &mut Trial<'_>, boundary: &[u32]) {
    let n = trial.subject.operands.len();
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
