//! The outline, computed once per program: where control flow continues if a part of a block is skipped.

use super::super::opcode::{Opcode, Shape};
use super::Cx;
use crate::ir::blocks::{self, Mark};

/// For each token that can skip a part of its block, the index of the token after that part.
pub type Outline = Vec<u32>;

/// Computes the outline of a program.
pub fn outline(cx: &Cx<'_>) -> Outline {
    blocks::skip_targets(cx.program.tokens.iter().map(
        |token| match token.op().map(|op| (op, op.row().shape)) {
            Some((_, Shape::Compare)) => Mark::Opens,
            Some((Opcode::Els, _)) => Mark::Divides,
            Some((Opcode::Eif, _)) => Mark::Closes,
            _ => Mark::No,
        },
    ))
}
