//! Invalidation of a valid program: makes one change, which usually violates a rule.

use crate::generate::Entropy;
use lockstep_core::binary::{Field, FieldKind, Layout};
use lockstep_core::isa::Stage;
use lockstep_core::isa::agal::opcode::{Opcode, Row, Shape, TABLE};
use lockstep_core::isa::agal::program::{Dest, File, Program, Sampler, Source, SourceOrSampler, Token};
use lockstep_core::isa::agal::word::{Dimension, Filter, Mip, Wrap};

/// Returns an instruction without operands.
pub(super) fn bare(row: &Row) -> Token {
    Token {
        opcode: row.number,
        dest: Dest::default(),
        a: Source::default(),
        b: SourceOrSampler::Source(Source::default()),
    }
}

/// The kinds of words of a token, by layout.
#[derive(Clone, Copy)]
enum Word {
    Dest,
    A,
    B,
}

pub(super) fn invalidate(e: &mut Entropy<'_>, program: &mut Program) {
    let at = e.below(program.tokens.len());
    match e.weighted(&[35, 20, 10, 10, 10, 8, 4, 3, 6]) {
        0 => field(e, &mut program.tokens[at], None),
        1 => field(e, &mut program.tokens[at], Some(FieldKind::Reserved)),
        2 => unused(e, &mut program.tokens[at]),
        3 => {
            // Adds or removes one block start, `els` or block end.
            let rows: Vec<&Row> =
                TABLE.iter().filter(|row| matches!(row.shape, Shape::Marker | Shape::Compare)).collect();
            let there = |t: &Token| rows.iter().any(|row| row.number == t.opcode);
            let places: Vec<usize> =
                (0..program.tokens.len()).filter(|k| there(&program.tokens[*k])).collect();
            match e.pick(&places) {
                Some(place) if program.tokens.len() > 1 && e.chance(50) => {
                    program.tokens.remove(*place);
                }
                _ => {
                    if let Some(row) = e.pick(&rows) {
                        program.tokens.insert(at, bare(row));
                    }
                }
            }
        }
        4 => {
            // Replaces the opcode and keeps the operands. The new opcode may belong to the other stage or to a later version, or be undefined.
            let number = match e.pick(TABLE) {
                Some(row) if e.chance(80) => row.number,
                _ => e.bits() as u32 & if e.chance(50) { 0x3f } else { u32::MAX },
            };
            renumber(&mut program.tokens[at], number);
        }
        5 => {
            let files: Vec<u8> = (0..16).collect();
            let file = e.pick(&files).copied().unwrap_or_default();
            match word(e) {
                Word::Dest => program.tokens[at].dest.file = file,
                Word::A => program.tokens[at].a.file = file,
                Word::B => match &mut program.tokens[at].b {
                    SourceOrSampler::Source(source) => source.file = file,
                    SourceOrSampler::Sampler(sampler) => sampler.file = file,
                },
            }
        }
        6 => program.version = [0, 5, u32::MAX, 1, 2, 3, 4, 0x100][e.below(8)],
        7 => {
            program.stage = if program.stage == Stage::Vertex { Stage::Fragment } else { Stage::Vertex };
        }
        _ => read_differently(e, program, at),
    }
}

/// Repeats a texture read with another listed value of the sampler's shape, wrap mode or filters. Sets a field of an instruction if the program reads
/// no texture.
fn read_differently(e: &mut Entropy<'_>, program: &mut Program, at: usize) {
    let reads: Vec<usize> =
        (0..program.tokens.len()).filter(|at| program.tokens[*at].sampler().is_some()).collect();
    let Some(&at) = e.pick(&reads) else { return field(e, &mut program.tokens[at], None) };
    let mut again = program.tokens[at];
    if let SourceOrSampler::Sampler(sampler) = &mut again.b {
        let (changed, choices) = match e.below(4) {
            0 => (&mut sampler.dimension, Dimension::CHOICES),
            1 => (&mut sampler.wrap, Wrap::CHOICES),
            2 => (&mut sampler.filter, Filter::CHOICES),
            _ => (&mut sampler.mip, Mip::CHOICES),
        };
        let others: Vec<u8> =
            choices.iter().map(|(value, _)| *value as u8).filter(|value| value != changed).collect();
        *changed = e.pick(&others).copied().unwrap_or(*changed);
    }
    program.tokens.insert(at + 1, again);
}

fn word(e: &mut Entropy<'_>) -> Word {
    [Word::Dest, Word::A, Word::B][e.below(3)]
}

/// Sets a field (with `of`, a field of that kind) to a value that is rarely valid.
fn field(e: &mut Entropy<'_>, token: &mut Token, of: Option<FieldKind>) {
    let word = word(e);
    let (layout, bits): (&Layout, u64) = match (word, &token.b) {
        (Word::Dest, _) => (&Dest::LAYOUT, u64::from(token.dest.to_word())),
        (Word::A, _) => (&Source::LAYOUT, token.a.to_word()),
        (Word::B, SourceOrSampler::Source(source)) => (&Source::LAYOUT, source.to_word()),
        (Word::B, SourceOrSampler::Sampler(sampler)) => (&Sampler::LAYOUT, sampler.to_word()),
    };
    let fields: Vec<&Field> = layout.fields.iter().filter(|f| of.is_none_or(|of| of == f.kind)).collect();
    let Some(field) = e.pick(&fields) else { return };
    let mask = ((1u64 << field.width) - 1) << field.low;
    let value = match e.below(4) {
        0 => u64::MAX,
        1 => 0,
        2 => (bits >> field.low).wrapping_add(1),
        _ => e.bits(),
    };
    let bits = bits & !mask | value << field.low & mask;
    match word {
        Word::Dest => token.dest = Dest::from_word(bits as u32),
        Word::A => token.a = Source::from_word(bits),
        Word::B => set_second(token, bits),
    }
}

fn set_second(token: &mut Token, bits: u64) {
    token.b = match token.b {
        SourceOrSampler::Source(_) => SourceOrSampler::Source(Source::from_word(bits)),
        SourceOrSampler::Sampler(_) => SourceOrSampler::Sampler(Sampler::from_word(bits)),
    };
}

/// Sets an operand that the operation does not use; if it uses all, clears the write mask.
fn unused(e: &mut Entropy<'_>, token: &mut Token) {
    let operand = Source::register(File::Temporary, e.below(4) as u16, Source::XYZW);
    let sources = token.op().map_or(0, Opcode::sources);
    if sources == 0 && e.chance(50) {
        token.a = operand;
    } else if !token.op().is_some_and(Opcode::has_dest) {
        token.dest = Dest::register(File::Temporary, 0, 1 + e.below(15) as u8);
    } else if sources < 2 && token.sampler().is_none() {
        token.b = SourceOrSampler::Source(operand);
    } else {
        token.dest.mask = 0;
    }
}

/// Changes the opcode, and reinterprets the last operand for it.
fn renumber(token: &mut Token, number: u32) {
    let bits = match &token.b {
        SourceOrSampler::Source(source) => source.to_word(),
        SourceOrSampler::Sampler(sampler) => sampler.to_word(),
    };
    token.opcode = number;
    token.b = match Opcode::from_number(number) {
        Some(op) if op.has_sampler() => SourceOrSampler::Sampler(Sampler::from_word(bits)),
        _ => SourceOrSampler::Source(Source::from_word(bits)),
    };
}
