//! The disassembler: writes a program as text.
//!
//! The syntax is that of Microsoft's assembler, after a first line such as `ps_2_x`. Bits that it cannot express have additional spellings, so that
//! assembling the text always gives the same program:
//!
//! | line | meaning |
//! |---|---|
//! | `.version 0xfffe0105` | the version token of a version that does not exist |
//! | `.token FIRST, WORD, …` | an instruction as words |
//! | `.comment WORD, …` | a comment in the bytecode; `.comment31` if bit 31 of its first word is set; `.more WORD, …` continues it |
//! | `.tail BYTE, …` | bytes after END; may be split into several lines |
//! | `sub_opcode` | the opcode sub in a vertex shader, where `sub` is add with the last source negated |
//!
//! Text after `//` is a comment.

use super::ctab::{self, ConstantTable};
use super::encode;
use super::modifier::{Modifier, Row};
use super::names::{BOOLEANS, file_name, mask_text, mnemonic, register_name, swizzle_text};
use super::opcode::Opcode;
use super::program::{
    Comment, Dest, File, Index, Instruction, Program, Relative, Source, Usage, Version, constant_number,
};
use super::word::{ResultModifier, Shift};
use std::fmt::Write as _;

/// The maximum indentation level. Without a limit, the size of the text would be quadratic in the size of the program.
const MAX_NESTING: usize = 8;
/// The number of words of a comment printed per line.
const WORDS_PER_LINE: usize = 8;
/// The maximum number of characters of a name that are printed.
const MAX_SHOWN: usize = 80;
/// The number of tail bytes printed per line.
const BYTES_PER_LINE: usize = 16;

/// Returns the first line of the text: the name of the version, or `.version` with its token if the version does not exist.
pub(super) fn head(version: Version) -> String {
    match version.profile() {
        Some(profile) => profile.name().to_owned(),
        None => format!(".version {:#010x}", encode::version(version)),
    }
}

/// Disassembles a program. For every decodable program, assembling the text gives the same program.
pub fn disassemble(program: &Program) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}", head(program.version));
    let mut depth = 0usize;
    let mut comments = program.comments.iter().peekable();
    for (at, instruction) in program.instructions.iter().enumerate() {
        while let Some(c) = comments.next_if(|c| c.before as usize <= at) {
            comment(&mut text, c);
        }
        let op = instruction.op();
        if matches!(op, Some(Opcode::Else | Opcode::Endif | Opcode::Endloop | Opcode::Endrep)) {
            depth = depth.saturating_sub(1);
        }
        for _ in 0..depth.min(MAX_NESTING) {
            text.push_str("    ");
        }
        line(&mut text, instruction, program.version);
        text.push('\n');
        if matches!(op, Some(Opcode::If | Opcode::Ifc | Opcode::Else | Opcode::Loop | Opcode::Rep)) {
            depth += 1;
        }
    }
    for c in comments {
        comment(&mut text, c);
    }
    for bytes in program.tail.chunks(BYTES_PER_LINE) {
        list(&mut text, ".tail", bytes.iter().map(|b| format!("{b:#04x}")));
    }
    text
}

/// Disassembles the instruction at index `word`. Returns an empty string if the index is out of range.
pub fn disassemble_word(program: &Program, word: u32) -> String {
    let mut text = String::new();
    if let Some(instruction) = program.instructions.get(word as usize) {
        line(&mut text, instruction, program.version);
    }
    text
}

fn list(text: &mut String, directive: &str, items: impl Iterator<Item = String>) {
    text.push_str(directive);
    for (k, item) in items.enumerate() {
        text.push_str(if k == 0 { " " } else { ", " });
        text.push_str(&item);
    }
    text.push('\n');
}

fn comment(text: &mut String, comment: &Comment) {
    match ConstantTable::read(&comment.words) {
        Some(Ok(table)) => constants(text, &table),
        _ => {
            if let Some(kind) = ctab::kind(&comment.words) {
                let _ = writeln!(text, "// {kind}");
            }
        }
    }
    let first = if comment.zero31 == 0 { ".comment" } else { ".comment31" };
    let mut lines = comment.words.chunks(WORDS_PER_LINE);
    let words = |words: &[u32]| words.iter().map(|w| format!("{w:#010x}")).collect::<Vec<_>>();
    list(text, first, words(lines.next().unwrap_or(&[])).into_iter());
    for more in lines {
        list(text, ".more", words(more).into_iter());
    }
}

fn constants(text: &mut String, table: &ConstantTable) {
    let cut = |name: &str| name.chars().take(MAX_SHOWN).collect::<String>().escape_debug().to_string();
    let _ = writeln!(text, "// constants of {} by {}", cut(&table.target), cut(&table.creator));
    for c in &table.constants {
        let (letter, first) = (c.set.letter(), c.register);
        let last = u32::from(first) + u32::from(c.count).saturating_sub(1);
        let name = cut(&c.name);
        let _ = match c.count {
            0 | 1 => writeln!(text, "//   {letter}{first}: {name}"),
            _ => writeln!(text, "//   {letter}{first} to {letter}{last}: {name}"),
        };
    }
}

/// Appends an instruction to `text`, without a line break.
fn line(text: &mut String, instruction: &Instruction, version: Version) {
    if let Some(plain) = plain(instruction, version) {
        text.push_str(&plain);
        return;
    }
    let mut words = Vec::new();
    match encode::instruction(instruction, version, &mut words) {
        Ok(()) => {
            list(text, ".token", words.iter().map(|w| format!("{w:#x}")));
            text.pop();
        }
        // No decoded program has such an instruction, and no text can express it. Writing to a string cannot fail.
        Err(problem) => _ = write!(text, "// no encoding: {problem}"),
    }
}

/// Returns the instruction in Microsoft's syntax, if that expresses every bit.
fn plain(i: &Instruction, version: Version) -> Option<String> {
    let op = i.op()?;
    let predicate = (i.predicated != 0) == i.predicate.is_some();
    if i.has_reserved() || !predicate || !i.is_complete(version) {
        return None;
    }
    let mut text = String::new();
    if i.coissue != 0 {
        text.push('+');
    }
    if let Some(predicate) = &i.predicate {
        let _ = write!(text, "({}) ", source(predicate, version)?);
    }
    text.push_str(&mnemonic(version, i)?);
    if let Some(usage) = &i.usage {
        text.push_str(&usage_text(usage, i.dest.as_ref()?, version)?);
    }
    let mut operands = Vec::with_capacity(5);
    if let Some(dest) = &i.dest {
        text.push_str(&suffixes(dest)?);
        operands.push(self::dest(dest, version)?);
    }
    for s in &i.sources {
        operands.push(source(s, version)?);
    }
    operands.extend(i.immediates.iter().map(|bits| match op {
        Opcode::Def => float(*bits),
        Opcode::Defb => boolean(*bits),
        _ => (*bits as i32).to_string(),
    }));
    if !operands.is_empty() {
        text.push(' ');
        text.push_str(&operands.join(", "));
    }
    Some(text)
}

/// Returns the suffix of `dcl`: usage or texture type.
fn usage_text(usage: &Usage, dest: &Dest, version: Version) -> Option<String> {
    if usage.has_reserved() || usage.has_wrong_fixed() {
        return None;
    }
    let Usage { usage: number, index, texture, .. } = *usage;
    if texture != 0 {
        let name = ctab::texture_name(texture)?;
        return (number == 0 && index == 0).then(|| format!("_{name}"));
    }
    if number == 0 && index == 0 && !has_usage(dest, version) {
        return Some(String::new());
    }
    Some(format!("_{}{index}", ctab::usage_name(number)?))
}

/// Whether declarations of this register are usually printed with a usage.
fn has_usage(dest: &Dest, version: Version) -> bool {
    let named = dest.is(File::Input) || dest.is(File::CoordinateOut);
    named && (!version.is_pixel() || version.major >= 3)
}

/// Returns the suffixes for shift and result modifiers.
fn suffixes(dest: &Dest) -> Option<String> {
    let mut text = String::new();
    if dest.shift != 0 {
        let _ = write!(text, "_{}", Shift::from_number(dest.shift)?.name());
    }
    let mut left = dest.modifier;
    for modifier in ResultModifier::ALL.into_iter().filter(|m| dest.modifier & *m as u8 != 0) {
        left &= !(modifier as u8);
        let _ = write!(text, "_{}", modifier.name());
    }
    if left != 0 {
        return None;
    }
    Some(text)
}

fn dest(dest: &Dest, version: Version) -> Option<String> {
    if !dest.has_documented_bits() {
        return None;
    }
    let register = register(dest.file, dest.number, &dest.relative, version)?;
    Some(register + &mask_text(dest.mask)?)
}

fn source(source: &Source, version: Version) -> Option<String> {
    if !source.has_documented_bits() {
        return None;
    }
    let register = register(source.file, source.number, &source.relative, version)?;
    let Row { before, after: [after, ..], .. } = Modifier::from_number(source.modifier)?.row() else {
        return None;
    };
    Some(format!("{before}{register}{after}{}", swizzle_text(source.swizzle)))
}

/// Returns the text of a register, with its index in brackets if it is indexed.
fn register(file: u8, number: u16, relative: &Relative, version: Version) -> Option<String> {
    let index = match relative {
        Relative::Direct => return register_name(version, file, number),
        // In version 2 and later this would be a truncated instruction.
        Relative::Implied if version.has_lengths() => return None,
        Relative::Implied => "a0.x".to_owned(),
        Relative::Indexed(index) => self::index(index, version)?,
    };
    let name = file_name(version, file)?;
    let number = constant_number(file, number).unwrap_or(number);
    Some(if number == 0 { format!("{name}[{index}]") } else { format!("{name}[{index} + {number}]") })
}

fn index(index: &Index, version: Version) -> Option<String> {
    let Index { number, file, zero13: 0, swizzle, modifier: 0, .. } = *index else { return None };
    if !index.has_documented_bits() {
        return None;
    }
    // In the assembler's syntax aL has no components.
    let plain = file != File::Loop as u8 || swizzle == Source::XYZW;
    Some(register_name(version, file, number).filter(|_| plain)? + &swizzle_text(swizzle))
}

/// Returns text that the assembler reads as a float with these bits. NaN and infinities are printed as hexadecimal bits.
fn float(bits: u32) -> String {
    let value = f32::from_bits(bits);
    if !value.is_finite() {
        return format!("{bits:#010x}");
    }
    let size = value.abs();
    if size != 0.0 && !(1e-5..1e8).contains(&size) { format!("{value:e}") } else { format!("{value}") }
}

fn boolean(bits: u32) -> String {
    match bits {
        0 | 1 => BOOLEANS[bits as usize].to_owned(),
        _ => format!("{bits:#x}"),
    }
}
