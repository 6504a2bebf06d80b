//! The disassembler: writes a program as text that assembles to the same program, bit for bit.
//!
//! Instructions are written in picasso's syntax, with addresses as labels `L1f:`, and with these additions:
//!
//! | text | meaning |
//! |---|---|
//! | `add r0.xy, -r2.wzyx, r3.x @5` | the descriptor's number, if it is not the first that fits the operands |
//! | `mov r0, v0 {unused=3}` | a field that the operands do not express |
//! | `ifc cmp.x, L1f, 2` | for control flow, the fields DST and NUM |
//! | `.word 0x40000000` | a word with an unknown opcode, or whose descriptor is not in the table |
//! | `.opdesc xy, xyzw, -wzyx, x, flag, second=0xf` | a descriptor: mask, three sources, and, if not zero, bit 31 and the second word |
//! | `.raw vertex, outputs=0x3, entry=0` | the raw form |
//! | `.dvlb version=0, code=0x28, …` | an SHBIN: the fields of the DVLP, offsets as in the file |
//! | `.dvle at=0x98, version=0x1002, …` | a DVLE, then its tables |
//! | `.constants at=0x40`, `.constant c95 = 0.0, 1.0, -1.0, 0x7f8000` | constants, and likewise labels, outputs, uniforms |
//! | `.symbols at=0x74`, `.names a, b`, `.bytes 00 ff` | the symbols |
//! | `.gap at=0x24`, `.bytes 00 00` | bytes that belong to no part |

use super::container::{Constant, Dvle, Label, Output, Shbin, Table, tables};
use super::names::{
    INVERTED, SEMANTICS, implicit_fields, index_name, mask_name, select_name, significant_bits, source_name,
    target_name,
};
use super::number::{from_f24, to_f24};
use super::opcode::Opcode;
use super::program::{
    Conditional, Container, Descriptor, DescriptorRow, Instruction, Program, Raw, Uniform, reverse,
};
use super::registers::File;
use super::word::{Comparison, Condition, ConstantKind, Float, fields};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Disassembles a program. All characters of the text are ASCII.
pub fn disassemble(program: &Program) -> String {
    let mut text = String::new();
    match &program.container {
        Container::Raw(raw) => write_raw(&mut text, *raw),
        Container::Shbin(shbin) => write_shbin(&mut text, shbin),
    }
    for row in &program.descriptors {
        opdesc(&mut text, row);
    }
    let labels = labels(program);
    for at in 0..=program.code.len() {
        if labels.contains(&at) {
            let _ = writeln!(text, "L{at:x}:");
        }
        if at < program.code.len() {
            let _ = writeln!(text, "    {}", disassemble_word(program, at as u32));
        }
    }
    text
}

/// Returns the DST addresses of all control-flow instructions except `breakc`, up to and including the end of the code.
fn labels(program: &Program) -> BTreeSet<usize> {
    let here = |at: &usize| *at <= program.code.len();
    program
        .code
        .iter()
        .filter(|i| !matches!(i.op(), Some(Opcode::Breakc)))
        .filter_map(|i| i.flow().map(|(dst, _)| usize::from(dst)))
        .filter(here)
        .collect()
}

/// Disassembles the instruction at index `word`. Returns an empty string if the index is out of range.
pub fn disassemble_word(program: &Program, word: u32) -> String {
    let Some(instruction) = program.code.get(word as usize) else { return String::new() };
    let plain = plain(program, instruction);
    plain.unwrap_or_else(|| format!(".word {:#010x}", instruction.to_word()))
}

/// Returns the instruction in picasso's syntax; `None` if the opcode is unknown or the descriptor is not in the table.
fn plain(program: &Program, instruction: &Instruction) -> Option<String> {
    let op = instruction.op()?;
    let mut operands = Vec::with_capacity(4);
    let mut number = String::new();
    match instruction {
        Instruction::Plain(_) => {}
        Instruction::Conditional(i) => conditional(program, op, i, &mut operands),
        Instruction::Uniform(i) => uniform(program, op, i, &mut operands),
        Instruction::Emission(i) => {
            operands.push(i.vtx.to_string());
            let flags = [(i.prim, fields::PRIM), (i.winding, INVERTED)];
            let flags: Vec<_> = flags.iter().filter(|(set, _)| *set != 0).map(|(_, name)| *name).collect();
            if !flags.is_empty() {
                operands.push(flags.join(" "));
            }
        }
        _ => {
            let descriptor = *program.descriptor(instruction)?;
            if op == Opcode::Mova {
                let mask = mask_name(descriptor.mask);
                // `a0` without components means `a0.x`.
                operands.push(format!("a0.{}", if mask.is_empty() { "xyzw" } else { &mask }));
            } else if let Some(target) = instruction.dst() {
                let mask = mask_name(descriptor.mask);
                let point = if mask.is_empty() { "" } else { "." };
                operands.push(format!("{}{point}{mask}", target_name(target)));
            }
            operands.extend(program.sources(instruction).into_iter().flatten().map(|s| {
                let name = source_name(s.register);
                let index = if s.idx == 0 { String::new() } else { format!("[{}]", index_name(s.idx)) };
                let sign = if s.negate { "-" } else { "" };
                let select = if s.select == Descriptor::XYZW {
                    String::new()
                } else {
                    format!(".{}", select_name(s.select))
                };
                format!("{sign}{name}{index}{select}")
            }));
            if let Instruction::Compare(i) = instruction {
                operands.insert(1, operator(i.cmpy));
                operands.insert(1, operator(i.cmpx));
            }
            if first_fit(program, op, &descriptor) != instruction.desc() {
                number = format!(" @{}", instruction.desc()?);
            }
        }
    }
    let name = op.row().mnemonic;
    let space = if operands.is_empty() { "" } else { " " };
    Some(format!("{name}{space}{}{number}{}", operands.join(", "), annotations(instruction)))
}

/// Returns the number of the descriptor that the assembler chooses for these operands.
fn first_fit(program: &Program, op: Opcode, descriptor: &Descriptor) -> Option<u8> {
    let bits = significant_bits(op, descriptor.mask);
    let word = descriptor.to_word();
    let fits = |row: &DescriptorRow| (row.descriptor.to_word() ^ word) & bits == 0;
    program.descriptors.iter().position(fits).and_then(|at| u8::try_from(at).ok())
}

fn operator(number: u8) -> String {
    Comparison::from_number(number).map_or_else(|| number.to_string(), |known| known.name().to_owned())
}

/// Returns ` {unused=1}` for fields whose values do not follow from the operands; empty if there are none.
fn annotations(instruction: &Instruction) -> String {
    let fields: Vec<String> = implicit_fields(instruction)
        .into_iter()
        .filter(|(name, default)| instruction.field(name) != *default)
        .map(|(name, _)| format!("{name}={:#x}", instruction.field(name)))
        .collect();
    if fields.is_empty() { String::new() } else { format!(" {{{}}}", fields.join(", ")) }
}

/// Returns a target as a label, or as a number if it is beyond the end of the code.
fn target_text(program: &Program, dst: u16) -> String {
    if usize::from(dst) <= program.code.len() { format!("L{dst:x}") } else { format!("{dst:#x}") }
}

fn condition(i: &Conditional) -> String {
    let test = |value: u8, name: &str| format!("{}cmp.{name}", if value == 0 { "!" } else { "" });
    let (x, y) = (test(i.refx, Condition::X.name()), test(i.refy, Condition::Y.name()));
    match Condition::from_number(i.condop) {
        Some(Condition::Either) | None => format!("{x} || {y}"),
        Some(Condition::Both) => format!("{x} && {y}"),
        Some(Condition::X) => x,
        Some(Condition::Y) => y,
    }
}

fn conditional(program: &Program, op: Opcode, i: &Conditional, operands: &mut Vec<String>) {
    if op != Opcode::Call {
        operands.push(condition(i));
    }
    if op != Opcode::Breakc {
        operands.push(target_text(program, i.dst));
    }
    if !matches!(op, Opcode::Breakc | Opcode::Jmpc) {
        operands.push(i.num.to_string());
    }
}

fn uniform(program: &Program, op: Opcode, i: &Uniform, operands: &mut Vec<String>) {
    let sign = if op == Opcode::Jmpu && i.is_inverted() { "!" } else { "" };
    let file = if op == Opcode::Loop { File::Int } else { File::Bool };
    operands.push(format!("{sign}{}", file.register(i.id)));
    operands.push(target_text(program, i.dst));
    if matches!(op, Opcode::Ifu | Opcode::Callu) {
        operands.push(i.num.to_string());
    }
}

// ---- tables and containers (writing to a string cannot fail)

fn opdesc(text: &mut String, row: &DescriptorRow) {
    let d = &row.descriptor;
    let mask = mask_name(d.mask);
    let _ = write!(text, ".opdesc {}", if mask.is_empty() { "xyzw" } else { &mask });
    for n in 0..3 {
        let (negate, select) = d.source(n);
        let _ = write!(text, ", {}{}", if negate { "-" } else { "" }, select_name(select));
    }
    if d.flag != 0 {
        text.push_str(", flag");
    }
    if row.second != 0 {
        let _ = write!(text, ", second={:#x}", row.second);
    }
    text.push('\n');
}

fn write_raw(text: &mut String, raw: Raw) {
    let stage = raw.stage.name();
    let _ = writeln!(text, ".raw {stage}, outputs={:#x}, entry={:#x}", raw.output_mask, raw.start);
}

fn write_shbin(text: &mut String, shbin: &Shbin) {
    let Shbin { version, code, descriptors, filenames, dvles, gaps } = shbin;
    let _ = writeln!(
        text,
        ".dvlb version={version}, code={code:#x}, descriptors={descriptors:#x}, filenames={filenames:#x}"
    );
    for dvle in dvles {
        write_dvle(text, dvle);
    }
    for gap in gaps {
        let _ = writeln!(text, ".gap at={:#x}", gap.offset);
        bytes(text, &gap.bytes);
    }
}

fn bytes(text: &mut String, bytes: &[u8]) {
    for line in bytes.chunks(32) {
        text.push_str(".bytes");
        for byte in line {
            let _ = write!(text, " {byte:02x}");
        }
        text.push('\n');
    }
}

fn write_dvle(text: &mut String, dvle: &Dvle) {
    let _ = write!(
        text,
        ".dvle at={:#x}, version={:#x}, type={}, flags={:#x}, main={:#x}, end={:#x}, inputs={:#x}, outputs={:#x}",
        dvle.offset,
        dvle.version,
        dvle.kind,
        dvle.flags,
        dvle.main,
        dvle.end,
        dvle.input_mask,
        dvle.output_mask
    );
    let _ = writeln!(
        text,
        ", mode={}, fixed_start={}, variable_vertices={}, fixed_vertices={}",
        dvle.mode, dvle.fixed_start, dvle.variable_vertices, dvle.fixed_vertices
    );
    table(text, tables::CONSTANTS, &dvle.constants, constant);
    table(text, tables::LABELS, &dvle.labels, |Label { id, unused: [a, b, c], word, unknown, symbol }| {
        let unused = u32::from_le_bytes([*a, *b, *c, 0]);
        format!("label id={id}, word={word:#x}, symbol={symbol}, unknown={unknown:#x}, unused={unused:#x}")
    });
    table(text, tables::OUTPUTS, &dvle.outputs, output);
    table(text, tables::UNIFORMS, &dvle.uniforms, |row| {
        format!("uniform symbol={}, first={:#x}, last={:#x}", row.symbol, row.first, row.last)
    });
    let _ = writeln!(text, ".{} at={:#x}", tables::SYMBOLS, dvle.symbols.offset);
    symbols(text, &dvle.symbols.rows);
}

fn table<T>(text: &mut String, name: &str, table: &Table<T>, row: impl Fn(&T) -> String) {
    let _ = writeln!(text, ".{name} at={:#x}", table.offset);
    for r in &table.rows {
        let _ = writeln!(text, ".{}", row(r));
    }
}

/// Returns a component of a float constant as text: in decimal if that assembles to the same word, otherwise the word in hexadecimal.
fn float(word: u32) -> String {
    let value = from_f24(word);
    if !Float::from_word(word).has_reserved() && value.is_finite() && to_f24(value) == word {
        format!("{value:?}")
    } else {
        format!("{word:#x}")
    }
}

fn constant(constant: &Constant) -> String {
    let Constant { kind, id, words } = *constant;
    let [first, rest @ ..] = words;
    match constant.known_kind() {
        Some(ConstantKind::Boolean) if first <= 1 && rest == [0; 3] => format!("constant b{id} = {first}"),
        Some(ConstantKind::Integer) if rest == [0; 3] => {
            let [x, y, z, w] = first.to_le_bytes();
            format!("constant i{id} = {x}, {y}, {z}, {w}")
        }
        Some(ConstantKind::Float) => format!("constant c{id} = {}", words.map(float).join(", ")),
        _ => {
            let [a, b, c, d] = words;
            format!("constant type={kind}, id={id}, word0={a:#x}, word1={b:#x}, word2={c:#x}, word3={d:#x}")
        }
    }
}

fn output(output: &Output) -> String {
    let Output { kind, register, mask, unused } = *output;
    match SEMANTICS.iter().find(|(_, number)| *number == kind) {
        Some((name, _)) if mask <= 0xf && unused == [0; 3] => {
            let mask = mask_name(reverse(mask));
            let point = if mask.is_empty() { "" } else { "." };
            format!("output {name} = o{register}{point}{mask}")
        }
        _ => {
            let [a, b, c] = unused;
            let unused = u32::from_le_bytes([a, b, c, 0]);
            format!("output type={kind}, register={register}, mask={mask:#x}, unused={unused:#x}")
        }
    }
}

/// Writes symbols as names if they are valid names that end with a zero byte, otherwise as bytes.
fn symbols(text: &mut String, all: &[u8]) {
    for symbol in all.split_inclusive(|byte| *byte == 0) {
        match symbol {
            [name @ .., 0] if is_name(name) => {
                let _ = writeln!(text, ".names {}", name.escape_ascii());
            }
            other => bytes(text, other),
        }
    }
}

fn is_name(name: &[u8]) -> bool {
    name.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
}
