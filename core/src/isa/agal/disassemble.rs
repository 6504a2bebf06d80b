//! The disassembler: prints a program as text.
//!
//! The syntax is that of Adobe's mini assembler, after a first line `version 2 fragment`. A token that this syntax cannot express exactly is written
//! as `.token OPCODE, DESTINATION, SOURCE, SOURCE` in hexadecimal, so that assembling always yields the same program.

use super::names::{LETTERS, PADDING, file_name, register_name};
use super::opcode::{Opcode, Shape};
use super::program::{Dest, File, Program, Sampler, Source, SourceOrSampler, Token};
use super::word::OPTION_FIELDS;
use crate::isa::Stage;
use std::fmt::Write as _;

/// The maximum indentation, in nested blocks. It keeps the size of the text linear in the size of the program.
const MAX_INDENT: usize = 8;

/// Disassembles any program that can be decoded, to text that assembles to the same program.
pub fn disassemble(program: &Program) -> String {
    let mut text = format!("version {} {}\n", program.version, program.stage.name());
    let mut depth = 0usize;
    for token in &program.tokens {
        let op = token.op();
        if matches!(op, Some(Opcode::Els | Opcode::Eif)) {
            depth = depth.saturating_sub(1);
        }
        for _ in 0..depth.min(MAX_INDENT) {
            text.push_str("    ");
        }
        line(&mut text, token, program.stage);
        text.push('\n');
        if op.is_some_and(|o| o == Opcode::Els || o.row().shape == Shape::Compare) {
            depth += 1;
        }
    }
    text
}

/// Disassembles instruction number `word`. Returns an empty string if it does not exist.
pub fn disassemble_token(program: &Program, word: u32) -> String {
    let mut text = String::new();
    if let Some(token) = program.tokens.get(word as usize) {
        line(&mut text, token, program.stage);
    }
    text
}

/// Prints one token, without the line break.
fn line(text: &mut String, token: &Token, stage: Stage) {
    if let Some(plain) = plain(token, stage) {
        text.push_str(&plain);
        return;
    }
    let second = match &token.b {
        SourceOrSampler::Source(source) => source.to_word(),
        SourceOrSampler::Sampler(sampler) => sampler.to_word(),
    };
    let (opcode, dest, first) = (token.opcode, token.dest.to_word(), token.a.to_word());
    // Writing to a string cannot fail.
    let _ = write!(text, ".token {opcode:#x}, {dest:#010x}, {first:#018x}, {second:#018x}");
}

/// Returns the token in plain syntax; `None` if plain syntax cannot express every bit.
fn plain(token: &Token, stage: Stage) -> Option<String> {
    let op = token.op()?;
    let mut operands = Vec::with_capacity(3);
    if op.has_dest() {
        operands.push(dest(token.dest, stage)?);
    } else if token.dest != Dest::default() {
        return None;
    }
    if op.sources() > 0 {
        operands.push(source(&token.a, stage)?);
    } else if token.a != Source::default() {
        return None;
    }
    match &token.b {
        SourceOrSampler::Sampler(s) if op.has_sampler() => operands.push(sampler(s, stage)?),
        SourceOrSampler::Source(s) if op.sources() > 1 => operands.push(source(s, stage)?),
        SourceOrSampler::Source(s) if !op.has_sampler() && *s == Source::default() => {}
        _ => return None,
    }
    let name = op.row().mnemonic;
    Some(if operands.is_empty() { name.to_owned() } else { format!("{name} {}", operands.join(", ")) })
}

fn dest(dest: Dest, stage: Stage) -> Option<String> {
    if dest.has_reserved() {
        return None;
    }
    let Dest { number, mask, file, .. } = dest;
    let mut text = register_name(File::from_number(file)?, number, stage);
    match mask {
        0 => return None,
        0xf => {}
        _ => {
            text.push('.');
            text.extend((0..4).filter(|c| mask >> c & 1 != 0).map(|c| LETTERS[0][c]));
        }
    }
    Some(text)
}

fn source(source: &Source, stage: Stage) -> Option<String> {
    if source.has_reserved() {
        return None;
    }
    let file = File::from_number(source.file)?;
    let mut text = if source.indirect == 0 {
        if source.offset != 0 || source.index_file != 0 || source.index_component != 0 {
            return None;
        }
        register_name(file, source.number, stage)
    } else {
        let index = register_name(File::from_number(source.index_file)?, source.number, stage);
        let component = LETTERS[0][usize::from(source.index_component & 3)];
        let mut text = format!("{}[{index}.{component}", file_name(file, stage));
        if source.offset != 0 {
            let _ = write!(text, "+{}", source.offset);
        }
        text.push(']');
        text
    };
    if source.swizzle != Source::XYZW {
        let mut components: Vec<usize> = (0..4).map(|c| source.component(c)).collect();
        // A short swizzle repeats its last letter.
        while let [.., a, b] = components[..] {
            if a != b {
                break;
            }
            components.pop();
        }
        text.push('.');
        text.extend(components.iter().map(|c| LETTERS[0][*c]));
    }
    Some(text)
}

fn sampler(sampler: &Sampler, stage: Stage) -> Option<String> {
    if sampler.has_reserved_besides_padding() || sampler.file != File::Sampler as u8 {
        return None;
    }
    let mut options = Vec::new();
    for field in &OPTION_FIELDS {
        let value = (field.get)(sampler);
        if field.flags {
            for bit in (0..8).map(|k| 1 << k).filter(|bit| value & bit != 0) {
                options.push(field.value_name(bit)?);
            }
        } else if value != 0 || field.name != Sampler::format.name {
            // The default format is not printed, since few programs name it.
            options.push(field.value_name(value)?);
        }
    }
    let padding = format!("{PADDING}{:02x}", sampler.zero24);
    if sampler.zero24 != 0 {
        options.push(&padding);
    }
    let name = register_name(File::Sampler, sampler.number, stage);
    let mut text = format!("{name} <{}", options.join(","));
    if sampler.bias != 0 {
        let _ = write!(text, ",{}", f32::from(sampler.bias_in_eighths()) / 8.0);
    }
    text.push('>');
    Some(text)
}
