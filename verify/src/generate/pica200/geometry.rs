//! Generation of the vertices that a geometry program emits.

use super::body::{Body, Word};
use super::drain;
use super::flow::{region, repeat};
use crate::generate::Entropy;
use lockstep_core::isa::pica200::opcode::Opcode;
use lockstep_core::isa::pica200::program::Instruction;
use lockstep_core::isa::pica200::word::fields;

/// Appends `setemit`, which selects the slot of the next vertex. `number` is the vertex's index in the program.
fn choose(e: &mut Entropy<'_>, body: &mut Body, number: usize) {
    let (slot, primitive) =
        if e.chance(60) { (number % 3, usize::from(number % 3 == 2)) } else { (e.below(3), e.below(2)) };
    let word = Instruction::from_word(Opcode::Setemit.row().number << 26);
    let word = word.with_field(fields::VTX, slot as u32).with_field(fields::PRIM, primitive as u32);
    let winding = u32::from(e.chance(35));
    body.push(Word::Plain(word.with_field("winding", winding)));
}

/// Appends a vertex: some arithmetic, `setemit`, its outputs, and `emit`.
pub(super) fn vertex(e: &mut Entropy<'_>, body: &mut Body, number: usize, size: usize) {
    let early = e.chance(50);
    if early {
        choose(e, body, number);
    }
    region(e, body, size);
    if !early {
        choose(e, body, number);
    }
    drain::outputs(e, body);
    body.bare(Opcode::Emit);
    // The hardware swaps output banks after each vertex, so all outputs are written again. From the third vertex on, some outputs are not
    // written and keep their value of two vertices ago.
    for output in &mut body.outputs {
        output.left = if number > 0 && e.chance(15) { 0 } else { 0xf };
    }
}

/// Appends the vertices of a program.
pub(super) fn vertices(e: &mut Entropy<'_>, body: &mut Body, size: usize) {
    let count = 1 + e.weighted(&[40, 30, 20, 10]);
    let each = size / count;
    let round = e.chance(10);
    for number in 0..count {
        if round && number + 1 == count {
            repeat(e, body, 2, |e, body, size| vertex(e, body, number, size));
        } else {
            vertex(e, body, number, each);
        }
        if e.is_exhausted() {
            break;
        }
    }
}
