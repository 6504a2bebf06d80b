//! The disassembler: writes a program as text, in two forms. Both assemble to the same program.
//!
//! The readable form is that of lima_compiler and open-gpu-tools ("verbose"): one statement per word, made of items separated by commas and ended by
//! `;`. Items show what each port loads, what each unit computes, and what each store writes:
//!
//! ```text
//! .utgard_gp vertex
//! uniform.load(1), register[1].load(2), mul[0].mul(mul[1].out[2], pass.out[2]), acc[1].mov(mul[1].out[1]),
//!     store[0].varying(0, acc[1].out, acc[0].out);
//! ```
//!
//! `out[1]` is a unit's result of the previous word. Anything that items cannot express is written as `field=value` in the same statement, with the
//! names of [`super::word`]. Fields that are not mentioned have the values of the no-op ([`Word::default`]). The field-exact form consists of such
//! fields only.

use super::facts::{Fact, LITERAL};
use super::names::{op_name, source_name, stored_name};
use super::opcode::{Op, Shape, Unit, is_mul1_separate};
use super::program::{Acc, Program, Target, Word};
use super::source::{IDENTITY, Source, UNUSED};
use super::vocabulary::{ADDRESS, BRANCH, LOAD, MARK, MOVE, NOP, Port, STORE, StoreKind};
use super::word::{COUNT, FieldId};
use crate::isa::Stage;
use std::fmt::Write as _;

/// The length in bytes beyond which a line of a statement is broken after a comma. The comment after the statement is not counted.
const WIDTH: usize = 110;

/// Writes readable text that assembles to the same program, for every program that can be decoded.
pub fn disassemble(program: &Program) -> String {
    let mut text = String::new();
    directives(&mut text, program);
    let mut is_target = vec![false; program.words.len()];
    for word in program.words.iter().filter(|w| w.branch != 0) {
        if let Some(target) = is_target.get_mut(word.target() as usize) {
            *target = true;
        }
    }
    for (k, word) in program.words.iter().enumerate() {
        if is_target[k] {
            let _ = writeln!(text, "l{k}:");
        }
        let before = k.checked_sub(1).map(|k| &program.words[k]);
        let label = is_target.get(word.target() as usize).copied().unwrap_or(false);
        statement(&mut text, &items(word, before, label), k);
    }
    text
}

/// Writes field-exact text: each field whose value differs from the no-op, as name and number.
pub fn disassemble_fields(program: &Program) -> String {
    let mut text = String::new();
    directives(&mut text, program);
    for (k, word) in program.words.iter().enumerate() {
        let mut shown = Shown::new(word);
        shown.rest();
        statement(&mut text, &shown.items, k);
    }
    text
}

/// Returns one word as readable text on one line; empty if the index is out of range.
pub fn disassemble_word(program: &Program, word: u32) -> String {
    let at = word as usize;
    let Some(word) = program.words.get(at) else { return String::new() };
    let before = at.checked_sub(1).map(|k| &program.words[k]);
    let items = items(word, before, false);
    if items.is_empty() { NOP.to_owned() } else { items.join(", ") }
}

/// The name of the directive that begins a text.
pub(super) const HEAD: &str = "utgard_gp";

/// Writes the head, the facts and the tail.
fn directives(text: &mut String, program: &Program) {
    let facts = &program.facts;
    let _ = writeln!(text, ".{HEAD} {}", Stage::Vertex.name());
    // Writing to a string cannot fail.
    for fact in Fact::ALL {
        if let Some(value) = facts.number(fact) {
            let _ = writeln!(text, ".{} {value}", fact.name());
        }
    }
    let literals = &facts.literals;
    if literals.slot != 0 || !literals.bits.is_empty() {
        let _ = writeln!(text, ".literals {}", literals.slot);
    }
    for four in literals.bits.chunks(4) {
        let _ = write!(text, ".{LITERAL}");
        for bits in four {
            let _ = write!(text, " {bits:#010x}");
        }
        text.push('\n');
    }
    for bytes in program.tail.chunks(16) {
        text.push_str(".tail");
        for byte in bytes {
            let _ = write!(text, " {byte:#04x}");
        }
        text.push('\n');
    }
}

/// Writes a statement, broken into lines between items, with the word's number as a comment.
fn statement(text: &mut String, items: &[String], number: usize) {
    let mut column = 0;
    let mut write = |text: &mut String, item: &str, end: &str| {
        if column > 0 && column + item.len() > WIDTH {
            text.push_str("\n    ");
            column = 4;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(item);
        text.push_str(end);
        column += item.len() + end.len();
    };
    if items.is_empty() {
        write(text, NOP, ";");
    }
    for (k, item) in items.iter().enumerate() {
        write(text, item, if k + 1 == items.len() { ";" } else { "," });
    }
    let _ = writeln!(text, " // {number}");
}

/// A word being printed: the items so far, and the field values that they imply.
struct Shown<'a> {
    word: &'a Word,
    before: Option<&'a Word>,
    values: [u16; COUNT],
    fields: [u16; COUNT],
    items: Vec<String>,
}

/// Returns the items of a word. With `label`, a branch names its target as a label.
fn items(word: &Word, before: Option<&Word>, label: bool) -> Vec<String> {
    let mut shown = Shown { before, ..Shown::new(word) };
    shown.ports();
    shown.mul();
    shown.acc();
    shown.complex_and_pass();
    shown.stores();
    if word.branch != 0 {
        let target = word.target();
        shown.item(
            if label { format!("{BRANCH}(l{target})") } else { format!("{BRANCH}({target})") },
            &[FieldId::Branch, FieldId::BranchTarget, FieldId::BranchTargetLo],
        );
    }
    if word.unknown_1 != 0 {
        shown.item(format!("{MARK}({})", word.unknown_1), &[FieldId::Unknown1]);
    }
    shown.rest();
    shown.items
}

impl<'a> Shown<'a> {
    fn new(word: &'a Word) -> Shown<'a> {
        let fields = Word::default().fields();
        Shown { word, before: None, values: word.fields(), fields, items: Vec::new() }
    }

    /// Adds an item, and records that it expresses the fields `ids`.
    fn item(&mut self, text: String, ids: &[FieldId]) {
        self.items.push(text);
        for id in ids {
            self.fields[*id as usize] = self.values[*id as usize];
        }
    }

    /// Adds each field that no item expresses and that differs from the no-op.
    fn rest(&mut self) {
        for id in FieldId::ALL {
            let value = self.values[id as usize];
            if self.fields[id as usize] != value {
                self.item(format!("{}={value}", id.field().name), &[id]);
            }
        }
    }

    /// Returns the name of a first operand.
    fn name_a(&self, code: u8) -> String {
        source_name(code, false, self.word, self.before)
    }

    /// Returns the name of a second operand.
    fn name_b(&self, code: u8) -> String {
        source_name(code, true, self.word, self.before)
    }

    /// Adds an item for each port that is read or whose fields differ from the no-op.
    fn ports(&mut self) {
        let word = self.word;
        let reads = |wanted: fn(Source) -> bool| word.operands().any(|(source, _)| wanted(source));
        if word.loads() || word.load != Word::default().load {
            let offset = match word.load.offset {
                super::program::Load::NO_OFFSET => String::new(),
                register => format!(", {ADDRESS}[{register}]"),
            };
            self.item(
                format!("{}.{LOAD}({}{offset})", Port::Load.name(), word.load.address),
                &[FieldId::LoadAddr, FieldId::LoadOffset],
            );
        }
        let port0 = [FieldId::Register0Addr, FieldId::Register0Attribute];
        if word.port0_attribute != 0 {
            self.item(format!("{}.{LOAD}({})", Port::Attribute.name(), word.port0), &port0);
        } else if word.port0 != 0 || reads(|s| matches!(s, Source::Port0(_))) {
            self.item(format!("{}[0].{LOAD}({})", Port::Register.name(), word.port0), &port0);
        }
        if word.port1 != 0 || reads(|s| matches!(s, Source::Port1(_))) {
            self.item(
                format!("{}[1].{LOAD}({})", Port::Register.name(), word.port1),
                &[FieldId::Register1Addr],
            );
        }
    }

    fn mul(&mut self) {
        use FieldId::{Mul0Neg, Mul0Src0, Mul0Src1, Mul1Neg, Mul1Src0, Mul1Src1, MulOp};
        let word = self.word;
        let [m0, m1] = word.mul;
        let used = |codes: &[u8]| codes.iter().any(|c| *c != UNUSED);
        let name = op_name(Unit::Mul, word.mul_op);
        // With mul and complex2, mul 1 is a separate multiplier; all other operations, including unknown ones, use the operands of both multipliers.
        if !is_mul1_separate(word.mul_op) {
            let select = word.named_op(Unit::Mul) == Some(Op::Select);
            if select && used(&[m0.a, m0.b, m1.a]) {
                let text = format!(
                    "mul.{name}({}, {}, {})",
                    self.name_b(m0.b),
                    self.name_a(m0.a),
                    self.name_a(m1.a)
                );
                self.item(text, &[MulOp, Mul0Src0, Mul0Src1, Mul1Src0]);
            } else if !select && used(&[m0.a, m0.b, m1.a, m1.b]) {
                let (a, b, c, d) =
                    (self.name_a(m0.a), self.name_b(m0.b), self.name_a(m1.a), self.name_b(m1.b));
                let text = format!("mul.{name}({a}, {b}, {c}, {d})");
                self.item(text, &[MulOp, Mul0Src0, Mul0Src1, Mul1Src0, Mul1Src1]);
            }
            return;
        }
        let ids = [(MulOp, Mul0Src0, Mul0Src1, Mul0Neg), (MulOp, Mul1Src0, Mul1Src1, Mul1Neg)];
        for (k, (mul, (op, a, b, neg))) in [m0, m1].into_iter().zip(ids).enumerate() {
            if !used(&[mul.a, mul.b]) {
                continue;
            }
            let minus = if mul.neg != 0 { "-" } else { "" };
            let op_is_mul = k == 1 || word.mul_op == Op::Mul.number();
            let name = if k == 0 { name.as_str() } else { Op::Mul.row().name };
            let text = if op_is_mul && mul.b == IDENTITY {
                format!("{minus}mul[{k}].{MOVE}({})", self.name_a(mul.a))
            } else {
                format!("{minus}mul[{k}].{name}({}, {})", self.name_a(mul.a), self.name_b(mul.b))
            };
            // Mul 1 multiplies under both mul and complex2; only the item of mul 0 shows the operation.
            if k == 0 {
                self.item(text, &[op, a, b, neg]);
            } else {
                self.item(text, &[a, b, neg]);
            }
        }
    }

    fn acc(&mut self) {
        use FieldId::{
            Acc0Src0, Acc0Src0Neg, Acc0Src1, Acc0Src1Neg, Acc1Src0, Acc1Src0Neg, Acc1Src1, Acc1Src1Neg, AccOp,
        };
        let word = self.word;
        let name = op_name(Unit::Acc, word.acc_op);
        let ids =
            [[Acc0Src0, Acc0Src0Neg, Acc0Src1, Acc0Src1Neg], [Acc1Src0, Acc1Src0Neg, Acc1Src1, Acc1Src1Neg]];
        for (k, (acc, [a, neg_a, b, neg_b])) in word.acc.into_iter().zip(ids).enumerate() {
            let Acc { a: code_a, b: code_b, .. } = acc;
            let minus = |neg: u8| if neg != 0 { "-" } else { "" };
            let first = format!("{}{}", minus(acc.neg_a), self.name_a(code_a));
            if word.named_op(Unit::Acc).is_some_and(|op| op.row().shape == Shape::One) {
                if code_a != UNUSED {
                    self.item(format!("acc[{k}].{name}({first})"), &[AccOp, a, neg_a]);
                }
            } else if acc.is_move(word.acc_op) {
                self.item(format!("acc[{k}].{MOVE}({first})"), &[AccOp, a, neg_a, b, neg_b]);
            } else if code_a != UNUSED || code_b != UNUSED {
                let second = format!("{}{}", minus(acc.neg_b), self.name_b(code_b));
                self.item(format!("acc[{k}].{name}({first}, {second})"), &[AccOp, a, neg_a, b, neg_b]);
            }
        }
    }

    fn complex_and_pass(&mut self) {
        let word = self.word;
        if word.named_op(Unit::Complex) == Some(Op::SetAddr01) && word.complex_src == UNUSED {
            self.item("complex.set_addr01()".to_owned(), &[FieldId::ComplexOp]);
        } else if word.complex_src != UNUSED {
            let name = op_name(Unit::Complex, word.complex_op);
            let text = format!("complex.{name}({})", self.name_a(word.complex_src));
            self.item(text, &[FieldId::ComplexOp, FieldId::ComplexSrc]);
        }
        if word.pass_src != UNUSED {
            let name = op_name(Unit::Pass, word.pass_op);
            let text = format!("pass.{name}({})", self.name_a(word.pass_src));
            self.item(text, &[FieldId::PassOp, FieldId::PassSrc]);
        }
    }

    fn stores(&mut self) {
        use FieldId::{
            Store0Addr, Store0SrcX, Store0SrcY, Store0Temporary, Store0Varying, Store1Addr, Store1SrcW,
            Store1SrcZ, Store1Temporary, Store1Varying,
        };
        let ids = [
            ([Store0SrcX, Store0SrcY], Store0Addr, Store0Varying, Store0Temporary),
            ([Store1SrcZ, Store1SrcW], Store1Addr, Store1Varying, Store1Temporary),
        ];
        for (k, (store, ([a, b], address, varying, temporary))) in
            self.word.store.into_iter().zip(ids).enumerate()
        {
            if !store.stores_any() {
                continue;
            }
            let [first, second] = store.sources.map(stored_name);
            let stores = store.target().kind().unwrap_or(StoreKind::Temporary);
            let opening = match store.target() {
                Target::Register(n) | Target::Varying(n) => format!("({n}, "),
                // The store's address is unused; if it is not 0 it is written as a field.
                Target::Temporary | Target::Unknown => "(".to_owned(),
            };
            let text = format!("{STORE}[{k}].{}{opening}{first}, {second})", stores.name());
            match store.target() {
                Target::Register(_) | Target::Varying(_) => {
                    self.item(text, &[a, b, address, varying, temporary]);
                }
                Target::Temporary | Target::Unknown => self.item(text, &[a, b, temporary]),
            }
        }
    }
}
