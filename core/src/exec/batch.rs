//! The batch: runs a plan over many lanes.

use super::jit::{CompileError, Compiled};
use super::wide::{self, BlockEnd, Machine, Part, Row, SMALL};
use super::{Level, Plan, Scalar, StandardMode, WIDTH};
use crate::host::{EffectRecord, End, Environment, LaneInput};
use crate::ir::ArrayInit;

/// Runs plans and holds the results of the last run.
///
/// All memory is kept from run to run. A run allocates nothing if the memory has already grown to the size that it needs.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    rows: Vec<Row>,
    control: wide::Control,
    lanes: usize,
    /// For each output number, the index in [`Plan::outputs`], or [`ABSENT`].
    numbers: Vec<u16>,
    /// The results: for each block, a row for each output of the plan.
    outputs: Vec<Row>,
    ends: Vec<BlockEnd>,
    /// One record list for each lane, if the plan has effects.
    records: Vec<Vec<EffectRecord>>,
    has_effects: bool,
    code: OwnCode,
    /// Inputs and outputs of one block, for compiled code.
    staged: (Vec<f32>, Vec<f32>),
}

/// The code that [`Batch::run`] and [`Batch::stream`] compile. A copy of a batch starts without code.
#[derive(Debug, Default)]
struct OwnCode {
    compiled: Compiled,
    /// Whether the last run was on a compiled level.
    current: bool,
    error: Option<CompileError>,
}

impl OwnCode {
    fn if_usable(&self) -> Option<&Compiled> {
        (self.current && self.error.is_none()).then_some(&self.compiled)
    }
}

impl Clone for OwnCode {
    fn clone(&self) -> OwnCode {
        OwnCode::default()
    }
}

/// The engine that runs a plan.
#[derive(Clone, Copy)]
struct Engine<'a> {
    level: Level,
    /// The plan's machine code; without it the interpreter runs.
    compiled: Option<&'a Compiled>,
}

impl<'a> Engine<'a> {
    /// The engine that runs `compiled`, the machine code of `plan`.
    ///
    /// # Panics
    /// If `compiled` was made from a plan with a different number of rows, inputs or outputs.
    fn of_code(plan: &Plan, compiled: &'a Compiled) -> Engine<'a> {
        assert!(compiled.fits(plan), "the machine code belongs to another plan");
        Engine { level: compiled.level(), compiled: Some(compiled) }
    }
}

/// The index of an output number that the plan does not have.
const ABSENT: u16 = u16::MAX;

/// Returns the size class (small or large) and the number of lanes of the block that starts at lane `first`.
fn block_at(first: usize, lanes: usize) -> (Part, usize) {
    let rest = lanes - first;
    // One or two small blocks are cheaper than one large block that is nearly empty.
    if rest <= 2 * SMALL { (Part::Small, rest.min(SMALL)) } else { (Part::Large, rest.min(WIDTH)) }
}

/// Returns the number of lanes to run to get results for `lanes` lanes. A plan that runs in quads runs whole quads; lanes beyond
/// the last one are helper lanes.
fn lanes_to_run(plan: &Plan, lanes: usize) -> usize {
    if plan.quads() { lanes.next_multiple_of(4) } else { lanes }
}

/// Passes each input of each lane to `put`: its index in [`Plan::inputs`], the lane's index in `lanes`, and the number, which is 0 if the lane has
/// fewer slots.
#[inline(always)]
fn for_each_input(plan: &Plan, lanes: &[LaneInput], mut put: impl FnMut(usize, usize, f32)) {
    let mut first = 0;
    // The inputs of one slot are adjacent, so that each lane's slot is looked up once for all of them.
    for inputs in plan.inputs().chunk_by(|(one, _), (other, _)| one / 4 == other / 4) {
        let slot = usize::from(inputs[0].0 / 4);
        for (lane, input) in lanes.iter().enumerate() {
            let value = input.slots.get(slot).copied().unwrap_or_default();
            for (k, (number, _)) in inputs.iter().enumerate() {
                put(first + k, lane, value[usize::from(number % 4)]);
            }
        }
        first += inputs.len();
    }
}

impl Batch {
    /// A batch that has not run anything.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// Runs every lane of `env` through `plan`. A level that the processor lacks falls back to [`Level::Portable`]. On a compiled level, every call
    /// compiles the plan; to run a plan often, compile it once and use [`Batch::run_compiled`]. If the plan cannot be compiled, the interpreter runs
    /// it, and [`Batch::compile_error`] returns the reason.
    pub fn run(&mut self, plan: &Plan, env: &Environment, level: Level) {
        let code = self.prepare(plan, level);
        self.run_with(plan, env, Engine { level, compiled: code.if_usable() });
        self.code = code;
    }

    /// Takes the batch's own code out of the batch. If the level is a compiled one and available, compiles `plan` with it first; if that
    /// fails, [`OwnCode::error`] is set.
    fn prepare(&mut self, plan: &Plan, level: Level) -> OwnCode {
        let mut code = std::mem::take(&mut self.code);
        code.current = level.is_compiled() && level.is_available();
        code.error = None;
        if code.current {
            code.error = code.compiled.replace(plan, level).err();
        }
        code
    }

    /// Returns the error with which the last call of [`Batch::run`] or [`Batch::stream`] failed to compile its plan. `None` if it compiled its plan,
    /// or if its level is not a compiled one or not available.
    pub fn compile_error(&self) -> Option<&CompileError> {
        self.code.error.as_ref()
    }

    /// Checks that the last run did not fail to compile. Code that compares levels calls this, because a comparison must not pass if a compiled
    /// level fell back to the interpreter.
    ///
    /// # Panics
    /// If [`Batch::compile_error`] returns an error.
    pub fn assert_compiled(&self) {
        if let Some(error) = self.compile_error() {
            panic!("the plan is not compiled: {error}");
        }
    }

    /// Runs every lane of `env` through `plan`, whose machine code is `compiled`.
    ///
    /// # Panics
    /// If `compiled` was made from a plan with a different number of rows, inputs or outputs. If it was made from any other plan, results are
    /// unspecified.
    pub fn run_compiled(&mut self, plan: &Plan, env: &Environment, compiled: &Compiled) {
        self.run_with(plan, env, Engine::of_code(plan, compiled));
    }

    fn run_with(&mut self, plan: &Plan, env: &Environment, engine: Engine<'_>) {
        let _mode = StandardMode::enter();
        self.begin(plan, env, engine.level, env.lanes.len());
        let (mut inputs, mut outputs) = std::mem::take(&mut self.staged);
        if engine.compiled.is_some() {
            inputs.resize(plan.inputs().len() * WIDTH, 0.0);
            outputs.resize(plan.outputs().len() * WIDTH, 0.0);
        }
        let mut first = 0;
        while first < self.lanes {
            let (part, n) = block_at(first, self.lanes);
            let lanes = &env.lanes[first..first + n];
            if engine.compiled.is_some() {
                let (rows, _) = inputs.as_chunks_mut::<WIDTH>();
                for_each_input(plan, lanes, |k, lane, value| rows[k][lane] = value);
                for row in rows {
                    row[n..lanes_to_run(plan, n)].fill(0.0);
                }
            } else {
                let rows = &mut self.rows;
                for_each_input(plan, lanes, |k, lane, value| {
                    rows[plan.inputs()[k].1 as usize].0[lane] = value.to_bits();
                });
                for &(_, row) in plan.inputs() {
                    let row = &mut rows[row as usize].0;
                    row[n..lanes_to_run(plan, n)].fill(0);
                }
            }
            let start = self.outputs.len();
            self.outputs.resize(start + plan.outputs().len(), Row::ZERO);
            if engine.compiled.is_some() {
                self.block(plan, env, engine, part, (first, n), (&inputs, &mut outputs, 0));
                for (out, values) in self.outputs[start..].iter_mut().zip(outputs.chunks_exact(WIDTH)) {
                    out.0.iter_mut().zip(&values[..n]).for_each(|(target, value)| *target = value.to_bits());
                }
            } else {
                self.block(plan, env, engine, part, (first, n), (&[], &mut [], 0));
                for (out, &(_, row)) in self.outputs[start..].iter_mut().zip(plan.outputs()) {
                    out.0[..n].copy_from_slice(&self.rows[row as usize].0[..n]);
                }
            }
            first += n;
        }
        self.staged = (inputs, outputs);
    }

    /// Runs `lanes` lanes with inputs and outputs in the caller's slices. `env` provides everything except the lanes; the lanes in `env` are ignored.
    ///
    /// Lanes are grouped in blocks of [`WIDTH`]. A block contains one array of [`WIDTH`] numbers per component: in `inputs` the components of
    /// [`Plan::inputs`], in `outputs` those of [`Plan::outputs`], in that order. The last block may be partly used, but its arrays have the full
    /// length. Outputs of lanes beyond the last one are meaningless. Inputs of lanes beyond the last one are read by the helper lanes that complete
    /// the last quad. After this call, [`Batch::output`] returns zeros; ends, kills and effects are available as after [`Batch::run`].
    ///
    /// # Panics
    /// If a slice is too short.
    pub fn stream(
        &mut self,
        plan: &Plan,
        env: &Environment,
        level: Level,
        inputs: &[f32],
        outputs: &mut [f32],
        lanes: usize,
    ) {
        let code = self.prepare(plan, level);
        self.stream_with(plan, env, Engine { level, compiled: code.if_usable() }, inputs, outputs, lanes);
        self.code = code;
    }

    /// Runs [`Batch::stream`] with `compiled`, the machine code of `plan`.
    ///
    /// # Panics
    /// If a slice is too short, or `compiled` was made from a plan with a different number of rows, inputs or outputs. If it was made from any other
    /// plan, results are unspecified.
    pub fn stream_compiled(
        &mut self,
        plan: &Plan,
        env: &Environment,
        compiled: &Compiled,
        inputs: &[f32],
        outputs: &mut [f32],
        lanes: usize,
    ) {
        self.stream_with(plan, env, Engine::of_code(plan, compiled), inputs, outputs, lanes);
    }

    fn stream_with(
        &mut self,
        plan: &Plan,
        env: &Environment,
        engine: Engine<'_>,
        inputs: &[f32],
        outputs: &mut [f32],
        lanes: usize,
    ) {
        let _mode = StandardMode::enter();
        self.begin(plan, env, engine.level, lanes);
        let mut first = self.stream_blocks(plan, engine, inputs, outputs, lanes / WIDTH) * WIDTH;
        while first < lanes {
            let (part, n) = block_at(first, lanes);
            let (block, lane_offset) = (first / WIDTH, first % WIDTH);
            let source = &inputs[block * plan.inputs().len() * WIDTH..][..plan.inputs().len() * WIDTH];
            let target = &mut outputs[block * plan.outputs().len() * WIDTH..][..plan.outputs().len() * WIDTH];
            self.block(plan, env, engine, part, (first, n), (source, target, lane_offset));
            first += n;
        }
    }

    /// Runs the first `blocks` blocks of a stream without the bookkeeping of lanes, if the plan's machine code needs none. Returns the number of
    /// blocks that it ran: all or none.
    fn stream_blocks(
        &mut self,
        plan: &Plan,
        engine: Engine<'_>,
        inputs: &[f32],
        outputs: &mut [f32],
        blocks: usize,
    ) -> usize {
        let needs_no_rows = plan.inits().is_empty() && plan.arrays().is_empty();
        let Some(code) = engine.compiled.filter(|code| needs_no_rows && code.is_one_call(plan)) else {
            return 0;
        };
        code.run_blocks(plan, &mut self.rows, inputs, outputs, blocks);
        self.ends.resize(blocks, BlockEnd::default());
        blocks
    }

    /// The number of lanes of the last run.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Returns output `number` (slot * 4 + component) of `lane`: the value of the output's variable when the lane ended, however it ended. Returns 0
    /// for a number that is not an output of the program, and for a lane that does not exist.
    pub fn output(&self, lane: usize, number: u16) -> f32 {
        let Some(&index) = self.numbers.get(usize::from(number)).filter(|i| **i != ABSENT) else {
            return 0.0;
        };
        let (block, inside) = self.block_and_lane(lane);
        let count = self.outputs.len() / self.ends.len().max(1);
        self.outputs
            .get(block * count + usize::from(index))
            .filter(|_| lane < self.lanes && count > 0)
            .map_or(0.0, |row| f32::from_bits(row.0[inside]))
    }

    /// How `lane` ended. Running out of fuel or hanging takes precedence over reaching the limit on effects.
    pub fn end(&self, lane: usize) -> End {
        let (end, bit) = self.end_of(lane);
        if end.out_of_fuel >> bit & 1 == 1 {
            End::OutOfFuel
        } else if end.hung >> bit & 1 == 1 {
            End::Hung
        } else if end.effects_full >> bit & 1 == 1 {
            End::EffectsFull
        } else {
            End::Finished
        }
    }

    /// Whether `lane` was marked killed.
    pub fn is_killed(&self, lane: usize) -> bool {
        let (end, bit) = self.end_of(lane);
        end.killed >> bit & 1 == 1
    }

    /// The effects of `lane` in order; at most as many as the environment allows.
    pub fn effects(&self, lane: usize) -> &[EffectRecord] {
        if self.has_effects && lane < self.lanes { &self.records[lane] } else { &[] }
    }

    fn end_of(&self, lane: usize) -> (BlockEnd, usize) {
        let (block, inside) = self.block_and_lane(lane);
        (self.ends.get(block).copied().unwrap_or_default(), inside)
    }

    /// Returns the index of the block in which `lane` ran, and the lane's index in that block.
    fn block_and_lane(&self, lane: usize) -> (usize, usize) {
        let full = self.lanes / WIDTH;
        let tail = lane.wrapping_sub(full * WIDTH);
        if lane < full * WIDTH || self.lanes % WIDTH > 2 * SMALL {
            (lane / WIDTH, lane % WIDTH)
        } else {
            (full + tail / SMALL, tail % SMALL)
        }
    }

    /// Prepares the batch for a run of the plan and fills the rows that are the same in every lane.
    #[inline(never)]
    fn begin(&mut self, plan: &Plan, env: &Environment, level: Level, lanes: usize) {
        self.lanes = lanes;
        self.ends.clear();
        self.outputs.clear();
        self.numbers.clear();
        for (index, &(number, _)) in plan.outputs().iter().enumerate().rev() {
            let at = usize::from(number);
            if self.numbers.len() <= at {
                self.numbers.resize(at + 1, ABSENT);
            }
            self.numbers[at] = index as u16;
        }
        self.has_effects = !plan.effects.is_empty();
        if self.has_effects {
            let lanes = lanes_to_run(plan, lanes);
            if self.records.len() < lanes {
                self.records.resize_with(lanes, Vec::new);
            }
            self.records[..lanes].iter_mut().for_each(Vec::clear);
        }
        let rows = plan.rows() as usize;
        if self.rows.len() < rows {
            self.rows.resize(rows, Row::ZERO);
        }
        let used = if lanes <= 2 * SMALL { SMALL } else { WIDTH };
        for &(row, scalar) in plan.scalars() {
            if let Some(bits) = resolve(scalar, env) {
                self.rows[row as usize].0[..used].fill(bits);
            }
        }
        if !plan.prologue().is_empty() {
            let (rows, control) = (&mut self.rows[..], &mut self.control);
            let (inputs, outputs, lane_offset, records) = (&[][..], &mut [][..], 0, &mut [][..]);
            let mut machine = Machine { plan, env, rows, control, inputs, outputs, lane_offset, records };
            wide::run(level, Part::Prologue, &mut machine);
        }
    }

    /// Runs `lanes.1` lanes, starting with lane `lanes.0`, as one block. `memory` contains the fields `inputs`, `outputs` and `lane_offset` of
    /// [`Machine`].
    #[inline(never)]
    fn block(
        &mut self,
        plan: &Plan,
        env: &Environment,
        engine: Engine<'_>,
        part: Part,
        lanes: (usize, usize),
        memory: (&[f32], &mut [f32], usize),
    ) {
        let used = if part == Part::Small { SMALL } else { WIDTH };
        for &(row, bits) in plan.inits() {
            self.rows[row as usize].0[..used].fill(bits);
        }
        for array in plan.arrays() {
            let rows = &mut self.rows[array.start as usize..(array.start + array.len) as usize];
            for (n, row) in rows.iter_mut().enumerate() {
                let bits = match array.decl.init {
                    ArrayInit::Zero => 0,
                    ArrayInit::Uniforms => {
                        let key = array.decl.key(n);
                        let slot = env.constants.get(usize::from(key.index));
                        slot.map_or(0, |v| v[usize::from(key.component & 3)].to_bits())
                    }
                };
                row.0[..used].fill(bits);
            }
        }
        let (first, count) = (lanes.0, lanes_to_run(plan, lanes.1));
        if engine.compiled.is_some_and(Compiled::is_straight) {
            self.control.start_straight(count);
        } else {
            self.control.start(plan, count, env.fuel);
        }
        let records = if self.has_effects { &mut self.records[first..first + count] } else { &mut [][..] };
        let (inputs, outputs, lane_offset) = memory;
        let (rows, control) = (&mut self.rows[..], &mut self.control);
        let mut machine = Machine { plan, env, rows, control, inputs, outputs, lane_offset, records };
        match engine.compiled {
            Some(compiled) => wide::run_compiled(engine.level, part, &mut machine, compiled),
            None => wide::run(engine.level, part, &mut machine),
        }
        self.ends.push(self.control.end);
    }
}

/// Returns the number in a scalar row; `None` if the prologue computes it.
fn resolve(scalar: Scalar, env: &Environment) -> Option<u32> {
    let split = |n: u16| (usize::from(n / 4), usize::from(n % 4));
    match scalar {
        Scalar::Bits(bits) => Some(bits),
        Scalar::Uniform(n) => {
            let (slot, c) = split(n);
            Some(env.constants.get(slot).map_or(0, |v| v[c].to_bits()))
        }
        Scalar::IntUniform(n) => {
            let (slot, c) = split(n);
            Some(env.ints.get(slot).map_or(0, |v| v[c] as u32))
        }
        Scalar::BoolUniform(n) => {
            let holds = env.bools.get(usize::from(n)).copied().unwrap_or_default();
            Some(if holds { u32::MAX } else { 0 })
        }
        Scalar::Computed => None,
    }
}
