//! A minimal but complete instruction set. `CONTRIBUTING.md` refers to it under "An instruction set". The toy is not in the list of instruction sets,
//! so every test here calls functions that are generic over the type of the instruction set.
//!
//! A word is four bytes: opcode, `d`, `a`, `b`. There are four registers of one number each. The registers are initialised with the components of
//! input 0, and their final values are the components of output 0.

mod generate;
mod tests;

use lockstep_core::binary::{DecodeError, Field, FieldKind, Layout, Problem};
use lockstep_core::host::Host;
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::{Builder, Op, Ty, Value, Var, VarKey};
use lockstep_core::isa::facet::{Combination, Density, Facet, Memo, Site, Table};
use lockstep_core::isa::lowering::{BranchSelect, FallbackExit, Successors};
use lockstep_core::isa::{
    Context, Edit, Edits, Entry, Format, Interface, IsaId, KILLED, LaneState, Legality, Level, Lowering,
    OpcodeInfo, Port, Reference, Refinement, RuleInfo, Source, Stage, State, Syntax, Tables, Violation,
};
use lockstep_core::text::{Diagnostic, Span, WithSpans};
use lockstep_core::value::{Domain, FCmp};

/// The instruction set. With `WRONG`, its lowering multiplies where it should add. The tests require that the execution oracle, its fuzz body and the
/// proofs of lowering rules and of the fallback detect this.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Toy<const WRONG: bool>;

pub(crate) type Program = Vec<[u8; 4]>;

const ADD: u8 = 0;
const MUL: u8 = 1;
/// Jumps to instruction `d` if register `a` is at least register `b`.
const JGE: u8 = 2;
const END: u8 = 3;
const REGISTERS: u8 = 4;

const NAMES: [&str; REGISTERS as usize] = ["r0", "r1", "r2", "r3"];
static OPCODES: &[OpcodeInfo] = &[
    OpcodeInfo { number: 0, mnemonic: "add", meaning: "d = a + b", source: "TOY" },
    OpcodeInfo { number: 1, mnemonic: "mul", meaning: "d = a * b", source: "TOY" },
    OpcodeInfo { number: 2, mnemonic: "jge", meaning: "jumps to d if a >= b", source: "TOY" },
    OpcodeInfo { number: 3, mnemonic: "end", meaning: "ends the lane", source: "TOY" },
];

fn has_result(op: u8) -> bool {
    matches!(op, ADD | MUL)
}

impl<const WRONG: bool> Format for Toy<WRONG> {
    const ID: IsaId = IsaId::Unlisted("toy");
    type Program = Program;
    fn decode(bytes: &[u8]) -> Result<Program, DecodeError> {
        let (words, rest) = bytes.as_chunks::<4>();
        let error = |at, field, problem| Err(DecodeError { offset: 4 * at as u64, field, problem });
        if !rest.is_empty() {
            return error(words.len(), "word", Problem::Truncated { needed: 4, had: rest.len() as u64 });
        }
        if let Some(at) = words.iter().position(|word| usize::from(word[0]) >= OPCODES.len()) {
            let problem = Problem::Value { found: words[at][0].into(), expected: "an opcode" };
            return error(at, "opcode", problem);
        }
        Ok(words.to_vec())
    }
    fn encode(program: &Program) -> Vec<u8> {
        program.concat()
    }
    fn spans(program: &Program) -> Vec<std::ops::Range<usize>> {
        (0..program.len()).map(|at| 4 * at..4 * at + 4).collect()
    }
    fn entries(_: &Program) -> Vec<Entry> {
        let all = vec![Port { slot: 0, mask: 15 }];
        let interface = Interface { inputs: all.clone(), outputs: all, ..Interface::default() };
        vec![Entry { stage: Stage::Vertex, start: 0, version: 0, interface, extra: [0; 4] }]
    }
    fn instruction_count(cx: &Context<'_, Self>) -> u32 {
        cx.program.len() as u32
    }
}

impl<const WRONG: bool> Syntax for Toy<WRONG> {
    fn assemble_with_spans(text: &str) -> Result<WithSpans<Program>, Vec<Diagnostic>> {
        let (mut found, mut errors, mut offset) = (Vec::new(), Vec::new(), 0);
        for (line, content) in (1..).zip(text.split_inclusive('\n')) {
            let span = Span { line, column: 1, offset, len: content.trim_end().len() as u32 };
            offset += content.len() as u32;
            match word_of(content.trim()) {
                Some(word) => found.push((word, Some(span))),
                None => errors.push(Diagnostic::new(span, "an instruction is like `add 0, 1, 2`")),
            }
        }
        if errors.is_empty() { Ok(found.into_iter().unzip()) } else { Err(errors) }
    }
    fn disassemble(program: &Program) -> String {
        (0..program.len() as u32).map(|word| Self::disassemble_word(program, word) + "\n").collect()
    }
    fn disassemble_word(program: &Program, word: u32) -> String {
        let [op, d, a, b] = program[word as usize];
        format!("{} {d}, {a}, {b}", OPCODES[usize::from(op)].mnemonic)
    }
    fn own_output_name(_: &Entry, slot: u16) -> String {
        format!("output{slot}")
    }
    fn own_input_name(_: &Entry, slot: u16) -> String {
        format!("input{slot}")
    }
    fn var_name(_: &Entry, key: VarKey) -> String {
        format!("r{}", key.index)
    }
}

fn word_of(line: &str) -> Option<[u8; 4]> {
    let (mnemonic, operands) = line.split_once(' ')?;
    let op = OPCODES.iter().position(|row| row.mnemonic == mnemonic)? as u8;
    let numbers: Option<Vec<u8>> = operands.split(", ").map(|number| number.parse().ok()).collect();
    let [d, a, b] = numbers?[..] else { return None };
    Some([op, d, a, b])
}

impl<const WRONG: bool> Tables for Toy<WRONG> {
    fn opcodes() -> &'static [OpcodeInfo] {
        OPCODES
    }
    fn layouts() -> &'static [Layout] {
        const fn byte(name: &'static str, low: u8) -> Field {
            Field::new(name, low, 8, FieldKind::Number)
        }
        const FIELDS: &[Field] = &[byte("opcode", 0), byte("d", 8), byte("a", 16), byte("b", 24)];
        &[Layout { name: "word", bits: 32, fields: FIELDS, source: "TOY" }]
    }
    fn sources() -> &'static [Source] {
        &[Source { tag: "TOY", title: "The toy", published: "this file", trust: "everything" }]
    }
    fn facets() -> &'static Table<Program> {
        &TABLE
    }
}

static TABLE: Table<Program> = Table {
    facets: &[Facet {
        name: "d",
        meaning: "the register written",
        values: &NAMES,
        get: |program, site| match program.get(site.word as usize) {
            Some([op, d, ..]) if has_result(*op) => NAMES.get(usize::from(*d)).copied().into_iter().collect(),
            _ => Vec::new(),
        },
        set: |program, site, value| {
            let mut program = program.clone();
            let word = program.get_mut(site.word as usize).filter(|word| has_result(word[0]))?;
            word[1] = value[1..].parse().ok()?;
            Some((program, site))
        },
        disturbs: &[],
        combination: Combination::ONE,
    }],
    units: 1,
    disturbs_beside: &[],
    opcode: |program, site| {
        program.get(site.word as usize).map(|word| OPCODES[usize::from(word[0])].mnemonic)
    },
    contexts: |opcode| {
        let op = OPCODES.iter().position(|row| row.mnemonic == opcode).unwrap_or_default() as u8;
        vec![(vec![[ADD, 3, 2, 1], [op, 2, 0, 1], [END, 0, 0, 0]], Site { word: 1, unit: 0 })]
    },
    scenarios: &[],
    mutated: &[("any", "d")],
    infeasible: &[],
    density: Density::PerValue,
    headers: &[],
    memo: Memo::new(),
};

static RULES: [RuleInfo; 3] = [
    RuleInfo { code: 1, level: Level::Error, meaning: "there are four registers", source: "TOY" },
    RuleInfo { code: 2, level: Level::Error, meaning: "a jump leads to an instruction", source: "TOY" },
    RuleInfo { code: 3, level: Level::Error, meaning: "the last instruction is end", source: "TOY" },
];

impl<const WRONG: bool> Legality for Toy<WRONG> {
    fn rules() -> Vec<RuleInfo> {
        RULES.to_vec()
    }
    fn validate(cx: &Context<'_, Self>) -> Vec<Violation> {
        let mut all = Vec::new();
        for (at, &[op, d, a, b]) in (0..).zip(cx.program) {
            if a.max(b) >= REGISTERS || has_result(op) && d >= REGISTERS {
                all.push(RULES[0].violation(Some(at)));
            }
            if op == JGE && usize::from(d) >= cx.program.len() {
                all.push(RULES[1].violation(Some(at)));
            }
        }
        if cx.program.last().is_none_or(|word| word[0] != END) {
            all.push(RULES[2].violation(None));
        }
        all
    }
}

/// A lane of the reference. At the end, `pc` is the number of instructions.
#[derive(Clone, Debug)]
pub(crate) struct Lane<D: Domain> {
    pc: u32,
    registers: [D::F; 4],
    killed: D::B,
}

type Lanes<D> = [LaneState<Lane<D>>];

impl<const WRONG: bool> Reference for Toy<WRONG> {
    type Lane<D: Domain> = Lane<D>;
    type Position = u32;
    fn start<D: Domain, H: Host<D>>(d: &D, host: &mut H, cx: &Context<'_, Self>, lane: usize) -> Lane<D> {
        Lane { pc: cx.entry.start, registers: host.input(d, lane, 0), killed: d.b(false) }
    }
    fn position<D: Domain>(cx: &Context<'_, Self>, lane: &Lane<D>) -> Option<u32> {
        (lane.pc < Self::instruction_count(cx)).then_some(lane.pc)
    }
    fn step<D: Domain, H: Host<D>>(d: &mut D, _: &mut H, cx: &Context<'_, Self>, all: &mut Lanes<D>, _: u8) {
        let Lane { pc, registers, .. } = &mut all[0].lane;
        let [op, to, a, b] = cx.program[*pc as usize].map(usize::from);
        *pc += 1;
        match op as u8 {
            ADD => registers[to] = d.add(&registers[a], &registers[b]),
            MUL => registers[to] = d.mul(&registers[a], &registers[b]),
            JGE => {
                let taken = d.le(&registers[b], &registers[a]);
                if d.decide(&taken) {
                    *pc = to as u32;
                }
            }
            END => *pc = cx.program.len() as u32,
            _ => {}
        }
    }
    fn output<D: Domain>(_: &D, _: &Context<'_, Self>, lane: &Lane<D>, _: u16) -> [D::F; 4] {
        lane.registers.clone()
    }
    fn killed<D: Domain>(lane: &Lane<D>) -> D::B {
        lane.killed.clone()
    }
}

fn key(register: u8) -> VarKey {
    VarKey { file: 0, index: register.into(), component: 0 }
}

fn var(b: &mut Builder, register: u8) -> Var {
    b.var(key(register), Ty::F32, 0)
}

fn read(b: &mut Builder, register: u8) -> Value {
    let var = var(b, register);
    b.read(var)
}

impl<const WRONG: bool> Lowering for Toy<WRONG> {
    type ControlState = u32;
    type Outline = ();
    fn declare(_: &Context<'_, Self>, b: &mut Builder) {
        for register in 0..REGISTERS {
            let var = var(b, register);
            b.output(register.into(), var);
        }
    }
    fn prologue(_: &Context<'_, Self>, b: &mut Builder) {
        for register in 0..REGISTERS {
            let (var, value) = (var(b, register), b.op(Op::Input(register.into()), &[]));
            b.write(var, value);
        }
    }
    fn entry_control(cx: &Context<'_, Self>) -> Option<u32> {
        (cx.entry.start < Self::instruction_count(cx)).then_some(cx.entry.start)
    }
    fn control_position(pc: &u32) -> u32 {
        *pc
    }
    fn control_word(pc: &u32) -> u32 {
        *pc
    }
    fn outline(_: &Context<'_, Self>) {}
    fn successors(cx: &Context<'_, Self>, (): &(), pc: &u32) -> Successors<u32> {
        let [op, d, ..] = cx.program[*pc as usize];
        match op {
            END => Successors::new(),
            JGE if u32::from(d) != pc + 1 => [d.into(), pc + 1].into(),
            _ => [pc + 1].into_iter().collect(),
        }
    }
    fn lower_node(cx: &Context<'_, Self>, (): &(), pc: &u32, b: &mut Builder) -> BranchSelect {
        let [op, to, left, right] = cx.program[*pc as usize];
        let [left, right] = [left, right].map(|register| read(b, register));
        let result = match op {
            ADD if !WRONG => b.add(left, right),
            ADD | MUL => b.mul(left, right),
            JGE if Self::successors(cx, &(), pc).len() == 2 => {
                return BranchSelect::If(b.cmp(FCmp::Le, right, left));
            }
            _ => return BranchSelect::Only,
        };
        let to = var(b, to);
        b.write(to, result);
        BranchSelect::Only
    }
    fn lower_word(cx: &Context<'_, Self>, (): &(), word: u32, b: &mut Builder) -> FallbackExit {
        FallbackExit::Static(Self::lower_node(cx, &(), &word, b), Self::successors(cx, &(), &word))
    }
}

impl<const WRONG: bool> Refinement for Toy<WRONG> {
    fn refine<D: Domain>(
        d: &D,
        _: &Context<'_, Self>,
        pc: &u32,
        value: &mut dyn FnMut(VarKey) -> Scalar<D>,
    ) -> Lane<D> {
        let registers = [0, 1, 2, 3].map(|register| value(key(register)).f(d));
        Lane { pc: *pc, registers, killed: value(KILLED).b(d) }
    }
    fn state<D: Domain>(_: &D, _: &Context<'_, Self>, lane: &Lane<D>) -> State<D> {
        (0..).zip(&lane.registers).map(|(k, value)| (key(k), Scalar::F(value.clone()))).collect()
    }
    fn control<D: Domain>(cx: &Context<'_, Self>, lane: &Lane<D>) -> Option<u32> {
        Self::position(cx, lane)
    }
    fn set_state<D: Domain>(_: &Context<'_, Self>, lane: &mut Lane<D>, key: VarKey, value: Scalar<D>) {
        match (value, lane.registers.get_mut(usize::from(key.index))) {
            (Scalar::B(mark), _) if key == KILLED => lane.killed = mark,
            (Scalar::F(value), Some(register)) if key.file == 0 => *register = value,
            _ => {}
        }
    }
}

impl<const WRONG: bool> Edits for Toy<WRONG> {
    const MAX_EDITS: usize = 1;
    fn edit_positions(program: &Program) -> u32 {
        program.len() as u32
    }
    fn edits_at(_: &Program, at: u32) -> Vec<Edit> {
        vec![Edit::Remove { at, count: 1 }]
    }
    fn apply(program: &Program, edit: &Edit) -> Option<Program> {
        let Edit::Remove { at, count: 1 } = *edit else { return None };
        let kept = program.iter().enumerate().filter(|(k, _)| *k != at as usize);
        (at as usize + 1 < program.len()).then(|| kept.map(|(_, word)| *word).collect())
    }
}
