//! Redirects a result to the register that a later instruction writes, for minimisation.

use super::super::interface::writes;
use super::super::program::{Dest, Instruction, Program};
use crate::isa::edit::redirected_destination;

/// Returns the program in which instruction `from` writes to the register that instruction `to` writes, and keeps its own write mask, modifier and
/// shift. Empty if one of the two does not exist or writes no register, or if both write the same register.
pub fn redirected(program: &Program, from: u32, to: u32) -> Vec<Program> {
    let destination = |at: u32| program.instructions.get(at as usize).and_then(destination);
    let placed = |Dest { mask, modifier, shift, .. }, to| Dest { mask, modifier, shift, ..to };
    let edited = redirected_destination([from, to], destination, placed).map(|dest| {
        let mut edited = program.clone();
        edited.instructions[from as usize].dest = Some(dest);
        edited
    });
    edited.into_iter().collect()
}

/// Returns the destination of an instruction; `None` if it writes no register.
pub(super) fn destination(i: &Instruction) -> Option<Dest> {
    i.op().filter(|op| writes(*op)).and(i.dest)
}

#[cfg(test)]
mod tests {
    use crate::isa::d3d9::D3d9;
    use crate::isa::{Edits, Syntax};

    #[test]
    fn a_result_is_redirected_to_the_register_of_a_later_one() {
        let read = |first: &str| {
            let text = format!(
                "vs_3_0\ndcl_position v0\n{first}\nmova a0.x, v0.x\nmul r2, r0, v0\nmov o[a0.x], r2\n"
            );
            D3d9::assemble(&text).unwrap()
        };
        let program = read("add_sat r0.xy, v0, v0");
        assert_eq!(D3d9::redirected(&program, 1, 3), [read("add_sat r2.xy, v0, v0")]);
        assert_eq!(D3d9::redirected(&program, 1, 4), [read("add_sat o[a0.x].xy, v0, v0")]);
        // texkill reads its destination.
        let kills = D3d9::assemble("ps_2_0\ntexkill r0\nmov r1, c0\nmov oC0, r1\n").unwrap();
        assert!(D3d9::redirected(&kills, 0, 1).is_empty() && D3d9::redirected(&kills, 0, 2).is_empty());
        // A declaration, the same register, or no such instruction.
        for (from, to) in [(0, 1), (1, 0), (1, 1), (1, 5), (5, 1)] {
            assert!(D3d9::redirected(&program, from, to).is_empty(), "{from} {to}");
        }
    }
}
