//! The contexts of facets: a small legal program around each opcode.

use super::operands::{is_scalar, result_components};
use crate::binary::exact;
use crate::isa::Stage;
use crate::isa::agal::opcode::{Opcode, Shape};
use crate::isa::agal::program::{Dest, File, Program, Sampler, Source, SourceOrSampler, Token};
use crate::isa::facet::{Site, Sited};

/// The register number of the first source. In every version and stage the input, constant and temporary of this number exist.
const A: u16 = 5;
/// The register number of the second source, which exists like that of the first.
const B: u16 = 6;
/// The number of the constant with the first row of a matrix; the other rows follow. These constants exist in every version and stage.
const ROWS: u16 = 12;
/// A temporary that is written inside blocks.
const BLOCK: u16 = 3;

/// Returns an instruction with default operands.
pub(super) fn bare(op: Opcode) -> Token {
    Token {
        opcode: op.row().number,
        dest: Dest::default(),
        a: Source::default(),
        b: SourceOrSampler::Source(Source::default()),
    }
}

/// Returns the plain instruction of an opcode: its sources are temporaries, except for matrix rows in constants and samplers; its destination, if it
/// has one, is output 0.
fn plain(op: Opcode) -> Token {
    let swizzle = if is_scalar(op) { Source::replicated(0) } else { Source::XYZW };
    let mut token = bare(op);
    if op.has_dest() {
        token.dest = Dest::register(File::Output, 0, result_components(op));
    }
    if op.sources() > 0 {
        token.a = Source::register(File::Temporary, A, swizzle);
    }
    match op.row().shape {
        Shape::Binary | Shape::Compare => {
            token.b = SourceOrSampler::Source(Source::register(File::Temporary, B, swizzle));
        }
        Shape::Matrix { .. } => {
            token.b = SourceOrSampler::Source(Source::register(File::Constant, ROWS, Source::XYZW));
        }
        Shape::Texture => {
            token.b = SourceOrSampler::Sampler(Sampler { file: File::Sampler as u8, ..Sampler::default() });
        }
        Shape::Unary | Shape::Marker | Shape::Kill => {}
    }
    token
}

/// Returns a move of an input to `dest`.
fn input(stage: Stage, dest: Dest) -> Token {
    let a = Source::register(super::stage::input_file(stage), 1, Source::XYZW);
    Token { dest, a, ..bare(Opcode::Mov) }
}

/// Returns the context of an opcode, in the first stage and version that have it. Blocks contain an instruction in each branch and are followed by a
/// write of an output.
pub(super) fn of(opcode: &'static str) -> Option<Sited<Program>> {
    let op = Opcode::from_mnemonic(opcode)?;
    let stage = *op.row().stages.first()?;
    let inside = input(stage, Dest::register(File::Temporary, BLOCK, 0xf));
    let (before, after) = match (op.row().shape, op) {
        (Shape::Compare, _) => (vec![], vec![inside, bare(Opcode::Eif)]),
        (Shape::Marker, Opcode::Els) => (vec![plain(Opcode::Ife), inside], vec![inside, bare(Opcode::Eif)]),
        (Shape::Marker, _) => (vec![plain(Opcode::Ife), inside], vec![]),
        _ => (vec![], vec![]),
    };
    let word = exact::<u32, _>(before.len());
    let mut tokens = before;
    tokens.push(plain(op));
    tokens.extend(after);
    if matches!(op.row().shape, Shape::Compare | Shape::Marker) {
        tokens.push(input(stage, Dest::register(File::Output, 0, 0xf)));
    }
    Some((Program { version: op.row().version, stage, tokens }, Site { word, unit: 0 }))
}
