//! Compares the machine code of a plan with the plan.

use crate::decode::Function;
use crate::error::Invalid;
use crate::machine::{Array, Lane, Location, Run};
use crate::rows::{Access, Known, Liveness, Rows, branch_row, known, learn};
use crate::sequence::{Vector, sequence};
use crate::term::{Source, Terms};
use crate::word::{Word, truth};
use lockstep_core::exec::{CodePart, Compiled, Inst, Layout, Level, Plan, PlanTerminator};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::value::Domain;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{AddAssign, Range};

/// The statistics of a validation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The number of functions.
    pub functions: u64,
    /// The number of machine instructions in these functions.
    pub instructions: u64,
    /// The number of rows and outputs compared, in all functions, for active and for inactive lanes.
    pub compared: u64,
    /// The number of plan instructions that the functions compute, each counted once.
    pub compiled: u64,
    /// The number of plan instructions left to the interpreter.
    pub interpreted: u64,
}

impl AddAssign for Summary {
    fn add_assign(&mut self, other: Summary) {
        self.functions += other.functions;
        self.instructions += other.instructions;
        self.compared += other.compared;
        self.compiled += other.compiled;
        self.interpreted += other.interpreted;
    }
}

/// Validates code; reuses its memory from one program to the next.
#[derive(Debug, Default)]
pub struct Validator {
    terms: Terms,
}

impl Validator {
    /// Checks that the machine code of a plan computes what the plan defines: see the crate's documentation.
    ///
    /// # Errors
    /// If the code does not compute this, or if the validator cannot show that it does. The error has the offset of the instruction or function, if
    /// it is about one.
    pub fn validate(&mut self, plan: &Plan, compiled: &Compiled) -> Result<Summary, Invalid> {
        self.validate_bytes(plan, &compiled.layout(), compiled.bytes())
    }

    /// Checks that arbitrary bytes, with an arbitrary declared layout, compute what the plan defines.
    ///
    /// # Errors
    /// As for [`Validator::validate`]. Bytes that are not code give an error, too.
    pub fn validate_bytes(&mut self, plan: &Plan, layout: &Layout, bytes: &[u8]) -> Result<Summary, Invalid> {
        let check = Check::new(plan, layout, bytes, &self.terms)?;
        check.check_structure()?;
        let mut summary = Summary::default();
        let live = Liveness::of(plan, plan.outputs().iter().map(|(_, row)| *row));
        for (number, parts) in layout.blocks.iter().enumerate() {
            check.check_block(number, parts, &live, &mut summary)?;
        }
        Ok(summary)
    }
}

/// A function of a part of the compiled code ([`CodePart`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    offset: u32,
    wide: bool,
    /// Whether the function serves groups in which some lanes are inactive.
    partial: bool,
}

impl Entry {
    fn vector(self) -> Vector {
        if self.wide { Vector::Bits512 } else { Vector::Bits256 }
    }
}

/// Returns the functions of a part, each once.
fn entries(level: Level, all: [u32; 2], some: Option<[u32; 2]>) -> BTreeSet<Entry> {
    let of = |offsets: [u32; 2], partial: bool| {
        let large = Entry { offset: offsets[0], wide: level == Level::Jit512, partial };
        [large, Entry { offset: offsets[1], wide: false, partial }]
    };
    of(all, false).into_iter().chain(some.into_iter().flat_map(|some| of(some, true))).collect()
}

struct Check<'a> {
    plan: &'a Plan,
    layout: &'a Layout,
    bytes: &'a [u8],
    d: &'a Terms,
    /// Whether each row is shared by all lanes.
    shared: Vec<bool>,
    /// The input that each row holds, if any.
    input: Vec<Option<u32>>,
    /// The static knowledge about each row at the beginning of a block.
    known: Vec<Known>,
}

/// A run of consecutive compiled instructions of a block.
struct CodeRun<'a> {
    check: &'a Check<'a>,
    insts: Range<u32>,
    /// The static knowledge about each row where the run begins.
    known: &'a [Known],
    /// The rows that are live after the run.
    live: &'a Rows,
    /// The rows that inactive lanes may need.
    waiting: &'a Rows,
    /// Whether the run stores outputs: only the last run of the only block does, if the lanes of the plan run together.
    stores: bool,
}

/// A lane's memory: the rows and outputs that changed since the beginning of the run.
#[derive(Clone)]
struct LaneRows<'a> {
    code_run: &'a CodeRun<'a>,
    active: Option<bool>,
    rows: BTreeMap<u32, Word<Terms>>,
    outputs: BTreeMap<u32, Word<Terms>>,
}

impl<'a> Check<'a> {
    fn new(plan: &'a Plan, layout: &'a Layout, bytes: &'a [u8], d: &'a Terms) -> Result<Check<'a>, Invalid> {
        if !layout.level.is_compiled() {
            return Err(Invalid::Layout(format!("{:?} is not a level of compiled code", layout.level)));
        }
        let mut shared = vec![false; plan.rows() as usize];
        plan.scalars().iter().for_each(|(row, _)| shared[*row as usize] = true);
        let mut input = vec![None; plan.rows() as usize];
        for (k, (_, row)) in plan.inputs().iter().enumerate() {
            input[*row as usize] = Some(k as u32);
        }
        Ok(Check { plan, layout, bytes, d, shared, input, known: known(plan) })
    }

    /// Checks the layout that the compiler declares for the code as a whole.
    fn check_structure(&self) -> Result<(), Invalid> {
        use lockstep_core::exec::Kernel;
        let Check { plan, layout, .. } = self;
        let wrong = |text: &str| Err(Invalid::Layout(text.to_owned()));
        if layout.blocks.len() != plan.blocks().len() {
            return wrong("the code and the plan have different numbers of blocks");
        }
        let straight = plan.blocks().len() == 1
            && plan.entry() == 0
            && plan.blocks()[0].terminator == PlanTerminator::Return
            && !plan.code().iter().any(|inst| inst.kernel == Kernel::Fuel);
        if layout.straight_line && !straight {
            return wrong("the code requires that lanes stay together, but lanes of the plan may diverge");
        }
        let is_input = |row: &u32| self.input[*row as usize].is_some();
        let mut interpreted = layout.blocks.iter().flatten().filter_map(|part| match part {
            CodePart::Interpreted(range) => Some(range),
            CodePart::Code { .. } => None,
        });
        let read_by_interpreter = interpreted.find_map(|range| {
            let insts = self.plan.code().get(range.start as usize..range.end as usize).unwrap_or_default();
            insts.iter().find_map(|inst| Access::of(plan, inst).reads().find(is_input))
        });
        let mut read_by_transfers = plan.blocks().iter().filter_map(|b| branch_row(b.terminator));
        let mut read_as_outputs = plan.outputs().iter().map(|(_, row)| *row);
        let read = read_by_interpreter
            .or_else(|| read_by_transfers.find(is_input))
            .or_else(|| read_as_outputs.find(is_input));
        if let Some(row) = read.filter(|_| !layout.input_rows) {
            return wrong(&format!("row {row} of an input is read, but inputs are not copied to their rows"));
        }
        let missing = |k: &u32| !layout.copied.contains(k);
        if !layout.straight_line && (0..plan.outputs().len() as u32).any(|k| missing(&k)) {
            return wrong("an output is neither copied nor stored by code that runs last");
        }
        Ok(())
    }

    fn check_block(
        &self,
        number: usize,
        parts: &[CodePart],
        live: &Liveness,
        summary: &mut Summary,
    ) -> Result<(), Invalid> {
        let block = self.plan.blocks()[number];
        let (mut next, mut known) = (block.start, self.known.clone());
        let mut starts = Vec::new();
        for part in parts {
            let (CodePart::Interpreted(range) | CodePart::Code { insts: range, .. }) = part;
            if range.start != next || range.end < range.start || range.end > block.end {
                return Err(Invalid::Layout(format!(
                    "the code parts of block {number} do not cover its instructions in order"
                )));
            }
            next = range.end;
            starts.push(known.clone());
            for inst in self.insts(range) {
                learn(self.plan, inst, &mut known);
            }
        }
        if next != block.end {
            return Err(Invalid::Layout(format!("the code parts of block {number} leave instructions out")));
        }
        let stored = self.layout.straight_line
            && (0..self.plan.outputs().len() as u32).any(|k| !self.layout.copied.contains(&k));
        if stored && !matches!(parts.last(), Some(CodePart::Code { .. })) {
            return Err(Invalid::Layout("an output is neither copied nor stored by code".to_owned()));
        }
        let mut after = live.live_out(self.plan, number);
        for (at, part) in parts.iter().enumerate().rev() {
            let stores = stored && at + 1 == parts.len();
            match part {
                CodePart::Interpreted(range) => summary.interpreted += u64::from(range.end - range.start),
                CodePart::Code { insts, all, some } => {
                    if some.is_none() && !self.layout.straight_line {
                        return Err(Invalid::Layout(format!(
                            "block {number} has no code for groups with inactive lanes"
                        )));
                    }
                    let copied =
                        self.layout.copied.iter().filter_map(|k| self.plan.outputs().get(*k as usize));
                    let rows = stores.then(|| live.at_end(copied.map(|(_, row)| *row)));
                    let code_run = CodeRun {
                        check: self,
                        insts: insts.clone(),
                        known: &starts[at],
                        live: rows.as_ref().unwrap_or(&after),
                        waiting: &live.live_anywhere,
                        stores,
                    };
                    for entry in entries(self.layout.level, *all, *some) {
                        code_run.check_function(entry, summary)?;
                    }
                    summary.compiled += u64::from(insts.end - insts.start);
                }
            }
            let (CodePart::Interpreted(range) | CodePart::Code { insts: range, .. }) = part;
            for inst in self.insts(range).iter().rev() {
                live.update_backward(self.plan, inst, &mut after);
            }
        }
        Ok(())
    }

    fn insts(&self, range: &Range<u32>) -> &'a [Inst] {
        self.plan.code().get(range.start as usize..range.end as usize).unwrap_or_default()
    }
}

impl CodeRun<'_> {
    /// Returns a row's word at the beginning of the run. With `memory`, it is the word in memory, to which inputs may not have been copied.
    fn initial(&self, row: u32, memory: bool) -> Word<Terms> {
        let d = self.check.d;
        match (self.check.input[row as usize], self.known[row as usize]) {
            (Some(k), _) if self.check.layout.input_rows || !memory => Scalar::I(d.word(Source::Input(k))),
            (Some(_), _) => Scalar::I(d.word(Source::Stale(row))),
            (None, Known::Bits(bits)) => Scalar::I(d.i(bits as i32)),
            (None, Known::Truth) => Scalar::B(d.truth(Source::Row(row))),
            (None, Known::Word) => Scalar::I(d.word(Source::Row(row))),
        }
    }

    /// Returns the rows that the plan's instructions set, with their values.
    fn plan_rows(&self, vector: Vector) -> Result<BTreeMap<u32, Word<Terms>>, Invalid> {
        let (plan, d) = (self.check.plan, self.check.d);
        let mut rows: BTreeMap<u32, Word<Terms>> = BTreeMap::new();
        for inst in self.check.insts(&self.insts) {
            let operands: Vec<Word<Terms>> = Access::of(plan, inst)
                .reads()
                .map(|row| rows.get(&row).cloned().unwrap_or_else(|| self.initial(row, false)))
                .collect();
            let result = sequence(d, vector, inst.kernel, &operands)
                .filter(|result| !inst.truth || truth(d, result).is_some());
            let Some(result) = result else {
                return Err(Invalid::Layout(format!(
                    "no sequence of instructions is known for the kernel {:?} and its operands",
                    inst.kernel
                )));
            };
            rows.insert(inst.dst, result);
        }
        Ok(rows)
    }

    fn check_function(&self, entry: Entry, summary: &mut Summary) -> Result<(), Invalid> {
        let Check { bytes, d, layout, .. } = self.check;
        d.clear();
        let vector = entry.vector();
        let function = Function::decode(bytes, entry.offset as usize, vector, layout.level)?;
        let plan = self.plan_rows(vector)?;
        let lanes: &[Option<bool>] = if entry.partial { &[Some(true), Some(false)] } else { &[None] };
        for active in lanes {
            let run = Run { d: *d, bytes, function: &function, vector, active: *active };
            let memory =
                LaneRows { code_run: self, active: *active, rows: BTreeMap::new(), outputs: BTreeMap::new() };
            for lane in run.run_paths(memory)? {
                let compared = match active {
                    Some(false) => self.compare_inactive(&lane),
                    _ => self.compare_active(&lane, &plan),
                };
                summary.compared +=
                    compared.map_err(|what| Invalid::Result { function: entry.offset as usize, what })?;
            }
        }
        summary.functions += 1;
        summary.instructions += function.instructions.len() as u64;
        Ok(())
    }

    /// Compares an active lane with the plan; returns the number of words compared.
    fn compare_active(&self, lane: &LaneRows<'_>, plan: &BTreeMap<u32, Word<Terms>>) -> Result<u64, String> {
        let of_plan = |row: u32| plan.get(&row).cloned().unwrap_or_else(|| self.initial(row, false));
        let rows: BTreeSet<u32> = lane.rows.keys().chain(plan.keys()).copied().collect();
        let mut compared = 0;
        for row in rows.into_iter().filter(|row| self.live.contains(*row)) {
            let of_code = lane.rows.get(&row).cloned().unwrap_or_else(|| self.initial(row, true));
            if !same(self.check.d, &of_code, &of_plan(row)) {
                return Err(format!("row {row}{} is not what the plan computes", self.describe_setter(row)));
            }
            compared += 1;
        }
        for (k, (_, row)) in self.check.plan.outputs().iter().enumerate() {
            let k = k as u32;
            if !self.stores || self.check.layout.copied.contains(&k) {
                continue;
            }
            if !lane.outputs.get(&k).is_some_and(|of_code| same(self.check.d, of_code, &of_plan(*row))) {
                return Err(format!("output {k} is not what the plan computes"));
            }
            compared += 1;
        }
        Ok(compared)
    }

    /// Describes the last instruction of the run that sets a row, for messages.
    fn describe_setter(&self, row: u32) -> String {
        let set = self.insts.clone().zip(self.check.insts(&self.insts)).rfind(|(_, inst)| inst.dst == row);
        set.map_or_else(String::new, |(at, inst)| format!(", set by instruction {at} ({:?}),", inst.kernel))
    }

    /// Checks that an inactive lane kept the words that it may need; returns the number of words compared.
    fn compare_inactive(&self, lane: &LaneRows<'_>) -> Result<u64, String> {
        let mut compared = 0;
        for (row, word) in lane.rows.iter().filter(|(row, _)| self.waiting.contains(**row)) {
            if !same(self.check.d, word, &self.initial(*row, true)) {
                return Err(format!("row {row} is changed in lanes that do not run"));
            }
            compared += 1;
        }
        Ok(compared)
    }
}

/// Whether two words are the same term or the same literal. For an operation on a row known to be 0, the plan may compute a select and the code a
/// mask operation. The two results may then be literals of different types.
fn same(d: &Terms, a: &Word<Terms>, b: &Word<Terms>) -> bool {
    match (a, b) {
        (Scalar::F(a), Scalar::F(b)) | (Scalar::I(a), Scalar::I(b)) | (Scalar::B(a), Scalar::B(b))
            if a == b =>
        {
            true
        }
        _ => literal(d, a).is_some_and(|bits| literal(d, b) == Some(bits)),
    }
}

/// Returns the bits of a literal word. A float NaN represents every NaN, so it gives `None`.
fn literal(d: &Terms, word: &Word<Terms>) -> Option<u32> {
    match word {
        Scalar::F(v) => d.known_f(v).filter(|v| !v.is_nan()).map(f32::to_bits),
        Scalar::I(v) => d.known_i(v).map(|v| v as u32),
        Scalar::B(v) => d.known_b(v).map(|v| if v { u32::MAX } else { 0 }),
    }
}

/// Returns the number of a row, input or output, which must be below `count`.
fn row_number(location: Location, count: usize, what: &str) -> Result<u32, String> {
    let row = u32::try_from(location.row).ok().filter(|row| (*row as usize) < count);
    row.ok_or_else(|| format!("{what} {} does not exist; there are {count}", location.row))
}

impl Lane<Terms> for LaneRows<'_> {
    fn load(&self, d: &Terms, location: Location) -> Result<Word<Terms>, String> {
        let check = self.code_run.check;
        if location.array == Array::Rows {
            let row = row_number(location, check.shared.len(), "row")?;
            if !location.group && !check.shared[row as usize] {
                return Err(format!(
                    "row {row} is read for the lanes of the first group, not of the current one"
                ));
            }
            return Ok(self.rows.get(&row).cloned().unwrap_or_else(|| self.code_run.initial(row, true)));
        }
        if !location.group {
            return Err(format!(
                "a word of the {} is read for the lanes of the first group, not of the current one",
                location.array
            ));
        }
        match location.array {
            Array::Inputs => {
                let k = row_number(location, check.plan.inputs().len(), "input")?;
                Ok(Scalar::I(d.word(Source::Input(k))))
            }
            Array::Outputs => {
                let k = row_number(location, check.plan.outputs().len(), "output")?;
                let before = || Scalar::I(d.word(Source::Output(k)));
                Ok(self.outputs.get(&k).cloned().unwrap_or_else(before))
            }
            _ => match self.active {
                Some(active) if location.row == 0 => Ok(Scalar::B(d.b(active))),
                _ => Err("a function for all lanes has no mask".to_owned()),
            },
        }
    }

    fn store(&mut self, _: &Terms, location: Location, word: Word<Terms>) -> Result<(), String> {
        let check = self.code_run.check;
        match location.array {
            Array::Rows => {
                let row = row_number(location, check.shared.len(), "row")?;
                if check.shared[row as usize] {
                    return Err(format!("row {row}, which all lanes share, is overwritten"));
                }
                self.rows.insert(row, word);
            }
            Array::Outputs => {
                let k = row_number(location, check.plan.outputs().len(), "output")?;
                self.outputs.insert(k, word);
            }
            Array::Inputs | Array::Active => {
                return Err(format!("a store to the {}, which code must not write", location.array));
            }
        }
        Ok(())
    }
}
