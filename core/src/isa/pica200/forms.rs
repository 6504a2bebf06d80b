//! The forms of an instruction, as small programs for the proofs of the lowering rules: every opcode in every stage and modifier class.
//!
//! What computes is gone through by form: each takes the next mask, destination, register files, swizzles, signs and address register, and together they have
//! every one of them. What steers stands in a program that has its targets, with words on every path that leave a different mark.

use super::opcode::{Format, Opcode, TABLE};
use super::program::{
    CALL_DEPTH, Container, Descriptor, DescriptorRow, IF_DEPTH, Instruction, LOOP_DEPTH, MEMORY, Program,
    Raw, Register, reverse,
};
use crate::isa::{RuleProgram, Stage};

/// The forms of what computes; every list below is gone through in them.
const FORMS: usize = 7;
/// Write masks, bit 0 = x.
const MASKS: [u8; FORMS] = [15, 1, 2, 4, 8, 6, 11];
/// Selectors, x in the highest pair: the identity, and others that tell every component apart from its neighbours.
const SELECTS: [u8; FORMS] = [0x1b, 0xe4, 0x6c, 0xa1, 0xff, 0x00, 0x55];
/// What the wide source reads, and which address register applies.
const WIDE: [(Register, u8); FORMS] = [
    (Register::Temporary(5), 0),
    (Register::Uniform(17), 0),
    (Register::Input(3), 2),
    (Register::Uniform(40), 1),
    (Register::Uniform(95), 2),
    (Register::Uniform(0), 3),
    (Register::Temporary(6), 1),
];
/// What the first word of a form writes: `r2`, `o3`, and registers that it also reads.
const TARGETS: [u32; FORMS] = [0x12, 0x03, 0x15, 0x12, 0x00, 0x16, 0x0f];
/// Ways of combining the condition bits, and what each is compared with.
const CONDITIONS: u32 = 16;

fn word(op: Opcode, bits: u32) -> Instruction {
    Instruction::from_word(op.row().number << 26 | bits)
}

fn nop() -> Instruction {
    word(Opcode::Nop, 0)
}

fn end() -> Instruction {
    word(Opcode::End, 0)
}

/// A word that leaves a mark: `mov rN, v1`, through the default descriptor.
fn mark(n: u32) -> Instruction {
    word(Opcode::Mov, (0x10 + (n & 0xf)) << 21 | 1 << 12)
}

/// Flow over `num` words from `dst`; `id` is the uniform, or way of combining and references.
fn flow(op: Opcode, id: u32, dst: u32, num: u32) -> Instruction {
    word(op, id << 22 | dst << 10 | num)
}

/// A condition that holds if `cmp.x` does.
const IF_X: u32 = 0b10_10;

fn call(dst: u32, num: u32) -> Instruction {
    flow(Opcode::Call, 0, dst, num)
}

fn repeat(last: u32, id: u32) -> Instruction {
    flow(Opcode::Loop, id, last, 0)
}

#[derive(Default)]
struct List(Vec<RuleProgram<Program>>);

impl List {
    /// Adds a program of these words that begins at `start`.
    fn push_at(
        &mut self,
        name: String,
        stage: Stage,
        mutate: bool,
        start: u32,
        code: Vec<Instruction>,
        own: Option<Descriptor>,
    ) {
        let row = |descriptor| DescriptorRow { descriptor, second: 0 };
        let descriptors = std::iter::once(Descriptor::default()).chain(own).map(row).collect();
        let container = Container::Raw(Raw { stage, output_mask: 0b1001, start });
        self.0.push(RuleProgram { name, program: Program { container, code, descriptors }, mutate });
    }

    /// Adds a vertex program of flow.
    fn flow(&mut self, op: Opcode, class: &str, code: Vec<Instruction>) {
        let name = format!("{} vertex {class}", op.row().mnemonic);
        self.push_at(name, Stage::Vertex, true, 0, code, None);
    }

    /// An instruction that computes, in its form number `k`.
    fn computes(&mut self, op: Opcode, stage: Stage, k: usize) {
        let wide = op.wide();
        let mut descriptor = Descriptor { mask: reverse(MASKS[k]), ..Descriptor::default() };
        let mut instruction = word(op, 0).with_field("desc", 1).with_field("dst", TARGETS[k]);
        for n in 0..op.sources() {
            let select = SELECTS[(k + 2 * n) % FORMS];
            let negate = u8::from((k + n) % 2 == 1);
            match n {
                0 => (descriptor.select1, descriptor.negate1) = (select, negate),
                1 => (descriptor.select2, descriptor.negate2) = (select, negate),
                _ => (descriptor.select3, descriptor.negate3) = (select, negate),
            }
            let register = if wide == Some(n) {
                let (register, idx) = WIDE[k];
                instruction = instruction.with_field("idx", u32::from(idx));
                register
            } else if (k + n).is_multiple_of(2) {
                Register::Temporary(5)
            } else {
                Register::Input(3)
            };
            instruction = instruction.with_field(["src1", "src2", "src3"][n], u32::from(register.number()));
        }
        if op == Opcode::Cmp {
            instruction =
                instruction.with_field("cmpx", k as u32).with_field("cmpy", (k as u32 + 3) % FORMS as u32);
        }
        let name = format!("{} {} form {k}", op.row().mnemonic, stage.name());
        let mutate = stage == Stage::Vertex && (k == 0 || k == 3);
        self.push_at(name, stage, mutate, 0, vec![instruction, end()], Some(descriptor));
    }

    /// The operators of `cmp` that no assembler writes.
    fn operators(&mut self) {
        for operator in 6..8 {
            let bits = operator << 24 | operator << 21 | 0x15 << 12 | 0x16 << 7;
            let code = vec![Instruction::from_word(Opcode::Cmp.row().number << 26 | bits), end()];
            let name = format!("cmp vertex operator {operator}");
            self.push_at(name, Stage::Vertex, false, 0, code, None);
        }
    }

    fn conditions(&mut self) {
        for id in 0..CONDITIONS {
            let class = format!("condition {} x {} y {}", id & 3, id >> 3 & 1, id >> 2 & 1);
            let program = |op| vec![flow(op, id, 2, 1), mark(0), mark(1), mark(2), end()];
            self.flow(Opcode::Ifc, &class, program(Opcode::Ifc));
            self.flow(Opcode::Jmpc, &class, program(Opcode::Jmpc));
            let code = vec![flow(Opcode::Callc, id, 3, 2), mark(0), end(), mark(1), mark(2)];
            self.flow(Opcode::Callc, &class, code);
            let code = vec![repeat(3, 1), mark(0), flow(Opcode::Breakc, id, 0, 0), mark(1), mark(2), end()];
            self.flow(Opcode::Breakc, &class, code);
        }
        let alone = |op, id| vec![flow(op, id, 2, 0), mark(0), mark(1), end()];
        self.flow(Opcode::Ifc, "without else", alone(Opcode::Ifc, IF_X));
        self.flow(Opcode::Ifu, "without else", alone(Opcode::Ifu, 2));
        let back = |op, num| vec![mark(0), mark(1), flow(op, IF_X, 1, num), mark(2), end()];
        self.flow(Opcode::Jmpc, "backward", back(Opcode::Jmpc, 0));
        for (wanted, num) in [("true", 0), ("false", 1)] {
            self.flow(Opcode::Jmpu, &format!("backward if {wanted}"), back(Opcode::Jmpu, num));
            let code = vec![flow(Opcode::Jmpu, 15, 2, num), mark(0), mark(1), end()];
            self.flow(Opcode::Jmpu, &format!("forward if {wanted}"), code);
        }
        let code = vec![flow(Opcode::Ifu, 7, 2, 2), mark(0), mark(1), mark(2), mark(3), end()];
        self.flow(Opcode::Ifu, "with else", code);
        let code = vec![flow(Opcode::Callu, 0, 3, 2), mark(0), end(), mark(1), mark(2)];
        self.flow(Opcode::Callu, "body", code);
    }

    fn calls(&mut self) {
        self.flow(Opcode::Call, "body", vec![call(3, 2), mark(0), end(), mark(1), mark(2)]);
        self.flow(Opcode::Call, "backward", vec![mark(0), mark(1), end(), call(0, 2), mark(2), end()]);
        self.flow(Opcode::Call, "of nothing", vec![call(2, 0), mark(0), mark(1), end()]);
        // One deeper than the ring: the first return is forgotten, and the word behind the last procedure ends.
        let mut deep = vec![call(2, 2), end()];
        for level in 1..=CALL_DEPTH as u32 {
            deep.extend([call(2 * level + 2, 2), mark(level)]);
        }
        deep.extend([mark(8), mark(9), mark(10), end()]);
        self.flow(Opcode::Call, "deeper than the ring", deep);
        // Each procedure ends with the call of the next, so all return at once; the fourth return is not looked at.
        let mut tails = vec![call(3, 2), mark(0), end()];
        for level in 1..CALL_DEPTH as u32 {
            tails.extend([mark(level), call(2 * level + 3, 2)]);
        }
        tails.extend([mark(8), mark(9), end()]);
        self.flow(Opcode::Call, "all return at once", tails);
        let code = vec![flow(Opcode::Ifc, IF_X, 2, 1), call(4, 2), mark(0), end(), mark(1), mark(2), end()];
        self.flow(Opcode::Call, "last word of a block", code);
        self.flow(Opcode::Call, "its own last word", vec![call(2, 2), end(), mark(0), call(2, 2), end()]);
        let code = vec![call(3, 3), mark(0), end(), flow(Opcode::Ifc, IF_X, 6, 0), mark(1), mark(2), end()];
        self.flow(Opcode::Call, "ends with a block", code);
    }

    fn blocks(&mut self) {
        let inner = |op, id| {
            vec![
                flow(Opcode::Ifc, IF_X, 6, 2),
                flow(op, id, 3, 1),
                mark(0),
                mark(1),
                mark(2),
                nop(),
                mark(3),
                mark(4),
                mark(5),
                end(),
            ]
        };
        self.flow(Opcode::Ifc, "nested", inner(Opcode::Ifc, 0b01_11));
        self.flow(Opcode::Ifu, "nested", inner(Opcode::Ifu, 3));
        let code =
            vec![flow(Opcode::Ifc, IF_X, 4, 0), flow(Opcode::Ifc, 3, 4, 1), mark(0), mark(1), mark(2), end()];
        self.flow(Opcode::Ifc, "shared end", code);
        // Words 0 to 8 begin blocks, the innermost of which ends first.
        let depth = IF_DEPTH as u32 + 1;
        let behind = |level: u32| 3 * depth - 2 * level;
        let mut deep: Vec<Instruction> =
            (0..depth).map(|level| flow(Opcode::Ifc, level, behind(level), 1)).collect();
        deep.extend((0..2 * depth + 2).map(mark));
        deep.push(end());
        self.flow(Opcode::Ifc, "deeper than the ring", deep);
        self.flow(
            Opcode::Ifc,
            "backward",
            vec![mark(0), mark(1), flow(Opcode::Ifc, IF_X, 1, 2), mark(2), end()],
        );
    }

    fn loops(&mut self) {
        for id in [0, 1, 2, 3, 6] {
            let code = vec![repeat(2, id), mark(0), mark(1), mark(2), end()];
            self.flow(Opcode::Loop, &format!("i{id}"), code);
        }
        let nested = |end_of_inner| {
            vec![repeat(5, 0), mark(0), repeat(end_of_inner, 1), mark(1), mark(2), mark(3), mark(4), end()]
        };
        self.flow(Opcode::Loop, "nested", nested(4));
        self.flow(Opcode::Loop, "shared end", nested(5));
        self.flow(Opcode::Loop, "backward", vec![mark(0), repeat(0, 2), mark(1), end()]);
        let depth = LOOP_DEPTH as u32 + 1;
        let mut deep: Vec<Instruction> =
            (0..depth).map(|level| repeat(2 * depth - level, level & 3)).collect();
        deep.extend((0..depth + 2).map(mark));
        deep.push(end());
        self.flow(Opcode::Loop, "deeper than the ring", deep);
        let jump = vec![repeat(2, 0), mark(0), flow(Opcode::Jmpc, IF_X, 4, 0), mark(1), mark(2), end()];
        self.flow(Opcode::Jmpc, "last word of a loop", jump);
        let out =
            vec![repeat(3, 0), mark(0), flow(Opcode::Jmpc, IF_X, 5, 0), mark(1), mark(2), mark(3), end()];
        self.flow(Opcode::Jmpc, "out of a loop", out);
        let within = vec![
            repeat(5, 0),
            call(8, 2),
            mark(0),
            flow(Opcode::Ifu, 1, 5, 0),
            mark(1),
            mark(2),
            mark(3),
            end(),
            mark(4),
            mark(5),
        ];
        self.flow(Opcode::Loop, "with a call and a block", within);
        for (op, id) in [(Opcode::Break, 0), (Opcode::Breakc, IF_X)] {
            let leave = flow(op, id, 0, 0);
            let block =
                vec![repeat(4, 0), mark(0), flow(Opcode::Ifc, 3, 4, 0), leave, mark(1), mark(2), end()];
            self.flow(op, "last word of a block in a loop", block);
            let last = vec![repeat(2, 0), mark(0), leave, mark(1), end()];
            self.flow(op, "last word of a loop", last);
            let inner = vec![
                repeat(7, 0),
                mark(0),
                repeat(5, 1),
                mark(1),
                leave,
                mark(2),
                mark(3),
                nop(),
                mark(4),
                end(),
            ];
            self.flow(op, "inner loop", inner);
            let called =
                vec![repeat(2, 0), call(5, 2), mark(0), mark(1), end(), mark(2), leave, mark(3), end()];
            self.flow(op, "in a procedure", called);
            self.flow(op, "outside of loops", vec![mark(0), leave, mark(1), end()]);
        }
    }

    /// What has no operands, and the last word of memory.
    fn plain(&mut self) {
        self.flow(Opcode::Nop, "plain", vec![nop(), mark(0), end()]);
        self.flow(Opcode::End, "plain", vec![mark(0), end(), mark(1), end()]);
        let inside = vec![repeat(3, 0), call(5, 2), mark(0), mark(1), end(), mark(2), end(), end()];
        self.flow(Opcode::End, "in a procedure and a loop", inside);
        let last = MEMORY - 1;
        for (class, word) in
            [("mov", mark(0)), ("jmpc", flow(Opcode::Jmpc, IF_X, last - 2, 0)), ("end", end())]
        {
            let mut code = vec![end(); last as usize - 1];
            code.extend([mark(1), word]);
            let name = format!("{class} geometry last word of memory");
            self.push_at(name, Stage::Geometry, false, last - 1, code, None);
        }
    }

    fn geometry(&mut self) {
        let emit = word(Opcode::Emit, 0);
        let to_output = |n: u32| word(Opcode::Mov, n << 21 | 2 << 12);
        let mut push = |name: &str, code: Vec<Instruction>| {
            self.push_at(name.to_owned(), Stage::Geometry, true, 0, code, None);
        };
        push("emit geometry plain", vec![emit, end()]);
        // What was written before the first comes back after the second.
        push("emit geometry banks", vec![to_output(0), emit, to_output(3), emit, emit, end()]);
        push("emit geometry last word of a loop", vec![repeat(2, 0), to_output(0), emit, mark(0), end()]);
        for slot in 0..3 {
            for (primitive, winding) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let bits = slot << 24 | primitive << 23 | winding << 22;
                let name = format!("setemit geometry slot {slot} primitive {primitive} winding {winding}");
                push(&name, vec![word(Opcode::Setemit, bits), emit, end()]);
            }
        }
    }
}

/// The programs.
pub(super) fn forms() -> Vec<RuleProgram<Program>> {
    let mut list = List::default();
    for row in TABLE.iter().filter(|row| row.opcode.has_descriptor()) {
        for k in 0..FORMS {
            list.computes(row.opcode, Stage::Vertex, k);
        }
        list.computes(row.opcode, Stage::Geometry, 0);
    }
    list.operators();
    list.conditions();
    list.calls();
    list.blocks();
    list.loops();
    list.plain();
    list.geometry();
    // Flow is the same in both stages; the first program of each such opcode says so.
    for row in TABLE.iter().filter(|row| !row.opcode.has_descriptor() && row.format != Format::Emission) {
        let prefix = format!("{} vertex", row.mnemonic);
        let Some(first) = list.0.iter().find(|rule| rule.name.starts_with(&prefix)).cloned() else {
            continue;
        };
        let name = format!("{} geometry as in the other stage", row.mnemonic);
        list.push_at(name, Stage::Geometry, false, 0, first.program.code, None);
    }
    list.0
}

#[cfg(test)]
mod tests {
    use super::super::classes::{all_classes, classes};
    use super::super::interface::entries;
    use super::*;
    use crate::ir::{LowerError, Mode, verify};
    use crate::isa::pica200::{decode, encode};
    use crate::isa::{Context, Options, lower};
    use std::collections::BTreeSet;

    #[test]
    fn every_opcode_occurs_in_each_of_its_stages_and_programs_survive_encoding() {
        let all = forms();
        for row in TABLE {
            for stage in row.stages {
                let uses = |p: &Program| {
                    let reached = super::super::interface::reachable(p, entries(p)[0].start);
                    let here = matches!(&p.container, Container::Raw(raw) if raw.stage == *stage);
                    here && p.code.iter().zip(reached).any(|(i, seen)| seen && i.op() == Some(row.opcode))
                };
                assert!(all.iter().any(|r| uses(&r.program)), "{} {stage:?}", row.mnemonic);
            }
        }
        let mut names: Vec<&str> = all.iter().map(|r| r.name.as_str()).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|w| w[0] != w[1]), "names are unique");
        for rule in &all {
            let bytes = encode::encode(&rule.program);
            assert_eq!(decode::decode(&bytes).as_ref(), Ok(&rule.program), "{}", rule.name);
        }
    }

    #[test]
    fn every_class_has_a_form() {
        let mut covered = BTreeSet::new();
        for rule in forms() {
            covered.extend((0..rule.program.code.len() as u32).flat_map(|w| classes(&rule.program, w)));
        }
        let missing: Vec<_> = all_classes().into_iter().filter(|class| !covered.contains(class)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn every_form_lowers() {
        let options = Options::new(super::super::options::AXES);
        for rule in forms() {
            let entry = &entries(&rule.program)[0];
            let cx: Context<'_, super::super::Pica200> =
                Context { program: &rule.program, entry, options: &options };
            match lower(&cx, Mode::Nodes) {
                Ok(ir) => assert_eq!(verify(&ir), Ok(()), "{}", rule.name),
                // The validator refuses a break outside of loops; the rule is for lowering all the same.
                Err(LowerError::Illegal(_)) if rule.name.ends_with("outside of loops") => {}
                Err(error) => panic!("{}: {error}", rule.name),
            }
        }
    }
}
