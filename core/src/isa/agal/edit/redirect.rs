//! Redirects a result to the register that a later instruction writes, for minimisation.

use super::super::opcode::Opcode;
use super::super::program::{Dest, Program, Token};
use crate::isa::edit::redirected_destination;

/// Returns the program in which instruction `from` writes to the register that instruction `to` writes, and keeps its own write mask. Empty if one of
/// the two does not exist or writes no register, or if both write the same register.
pub(in super::super) fn redirected(program: &Program, from: u32, to: u32) -> Vec<Program> {
    let destination = |at: u32| program.tokens.get(at as usize).and_then(destination);
    let placed = |own, to: Dest| Dest { file: to.file, number: to.number, ..own };
    let edited = redirected_destination([from, to], destination, placed).map(|dest| {
        let mut edited = program.clone();
        edited.tokens[from as usize].dest = dest;
        edited
    });
    edited.into_iter().collect()
}

/// Returns the destination of a token; `None` if it writes no register.
pub(super) fn destination(token: &Token) -> Option<Dest> {
    token.op().is_some_and(Opcode::has_dest).then_some(token.dest)
}

#[cfg(test)]
mod tests {
    use crate::isa::agal::Agal;
    use crate::isa::{Edits, Syntax};

    #[test]
    fn a_result_is_redirected_to_the_register_of_a_later_one() {
        let read = |first: &str| {
            Agal::assemble(&format!(
                "version 1 fragment\n{first}\nkil ft0.x\nmul ft2, ft0, v0\nmov oc, ft2\n"
            ))
            .unwrap()
        };
        let program = read("add ft0.xy, v0, v1");
        assert_eq!(Agal::redirected(&program, 0, 2), [read("add ft2.xy, v0, v1")]);
        assert_eq!(Agal::redirected(&program, 0, 3), [read("add oc.xy, v0, v1")]);
        // No register is written, the register is the same, or there is no such instruction.
        for (from, to) in [(0, 1), (1, 3), (0, 0), (0, 4), (4, 0)] {
            assert!(Agal::redirected(&program, from, to).is_empty(), "{from} {to}");
        }
    }
}
