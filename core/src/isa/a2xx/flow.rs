//! The successors of clauses, and the number of slots that contain clauses.

use super::opcode::CfOp;
use super::program::Clause;
use crate::isa::worklist::Worklist;

/// Returns the clauses that may follow a clause for any conditions and constants: the next clause, the target, or both.
///
/// The clause after a call counts as a successor of the call, so a RETURN from a call has no successor here. `called` states whether there was a
/// call; without a call, RETURN has no effect and control continues (xenia, mesa).
pub fn successors(index: usize, clause: &Clause, called: bool) -> impl Iterator<Item = Successor> {
    let next = Some(Successor { index: index + 1, called });
    let to = |addr: u16| Some(Successor { index: usize::from(addr), called });
    let (a, b) = match clause {
        Clause::Plain(_) | Clause::Alloc(_) => (next, None),
        Clause::Exec(e) => {
            let op = e.op();
            let stays = !op.is_end() || op.tests_bool() || op.tests_predicate();
            (next.filter(|_| stays), None)
        }
        Clause::LoopStart(l) => (next, to(l.addr)),
        Clause::LoopEnd(l) => (next, to(l.addr)),
        Clause::Branch(b) => match clause.op() {
            CfOp::Return => (next.filter(|_| !called), None),
            CfOp::CondCall => (next, Some(Successor { index: usize::from(b.addr), called: true })),
            _ => (next.filter(|_| b.unconditional == 0), to(b.addr)),
        },
    };
    a.into_iter().chain(b)
}

/// A successor of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Successor {
    /// The clause's index.
    pub index: usize,
    /// Whether a call has been made from which a RETURN at this clause returns.
    pub called: bool,
}

/// Visits every reachable clause below `bound`, always the lowest one that is known and not visited, and twice if it is reachable both with and
/// without an active call. `visit` returns an upper bound for clause indices, which lowers `bound` if it is below it.
pub(super) fn walk(
    mut bound: usize,
    mut clause: impl FnMut(usize) -> Clause,
    mut visit: impl FnMut(usize, &Clause) -> usize,
) {
    // Indexed by twice the clause index, plus one if a call has been made.
    let mut seen = vec![false; 2 * bound];
    let mut open = Worklist::new(2 * bound);
    open.insert(0);
    while let Some(state) = open.pop_first() {
        let at = Successor { index: state / 2, called: state % 2 == 1 };
        if at.index >= bound || std::mem::replace(&mut seen[state], true) {
            continue;
        }
        let c = clause(at.index);
        bound = bound.min(visit(at.index, &c));
        for s in successors(at.index, &c, at.called).filter(|s| s.index < bound) {
            open.insert(2 * s.index + usize::from(s.called));
        }
    }
}

/// Returns how many slots at the beginning of a shader contain clauses. The shader has `slots` slots.
///
/// This number is not stored in the shader. Clauses are followed from clause 0, lowest index first. The first slot without clauses is the lowest slot
/// that a reachable EXEC with a nonzero count runs. That slot need not belong to the first EXEC, whose count may be 0 or whose slots may follow those
/// of another EXEC. An address is a bound only if it is after the slots of all clauses reached so far. Without a bound, all slots contain clauses.
pub(super) fn clause_slot_count(slots: usize, clause: impl FnMut(usize) -> Clause) -> usize {
    let mut end = slots;
    let mut highest = 0;
    walk(2 * slots, clause, |index, c| {
        highest = highest.max(index / 2);
        if let Clause::Exec(e) = c
            && e.cnt > 0
            && usize::from(e.addr) > highest
        {
            end = end.min(usize::from(e.addr));
        }
        2 * end
    });
    end
}

#[cfg(test)]
mod tests {
    use super::super::program::{Branch, Exec};
    use super::*;

    fn exec(op: CfOp, addr: u16, cnt: u8) -> Clause {
        Clause::Exec(Exec { addr, cnt, opcode: op as u8, ..Exec::default() })
    }

    fn area_of(clauses: &[Clause], slots: usize) -> usize {
        let nop = Clause::from_word(0);
        clause_slot_count(slots, |k| clauses.get(k).copied().unwrap_or(nop))
    }

    #[test]
    fn the_area_ends_at_the_lowest_slot_that_a_reachable_exec_runs() {
        use CfOp::{CondJmp, Exec as Run, ExecEnd, Return};
        // The slots of the first clause follow those of the second.
        assert_eq!(area_of(&[exec(Run, 6, 1), exec(ExecEnd, 3, 2)], 8), 3);
        // The first clause runs no slot, and its address is that of a slot with clauses.
        assert_eq!(area_of(&[exec(Run, 1, 0), exec(Run, 1, 0), exec(ExecEnd, 2, 1)], 8), 2);
        // Only the EXEC at the target of the jump is reachable.
        let jump =
            Clause::Branch(Branch { addr: 2, unconditional: 1, opcode: CondJmp as u8, ..Branch::default() });
        assert_eq!(area_of(&[jump, exec(Run, 1, 1), exec(ExecEnd, 4, 1)], 8), 4);
        // Clauses after the end are not reachable.
        assert_eq!(area_of(&[exec(ExecEnd, 4, 1), exec(Run, 2, 1)], 8), 4);
        // Control may continue after a conditional end.
        assert_eq!(area_of(&[exec(CfOp::CondPredExecEnd, 4, 1), exec(ExecEnd, 2, 1)], 8), 2);
        // Without a call RETURN has no effect. After a call, control does not continue past it.
        let plain = |op: CfOp| Clause::Branch(Branch { opcode: op as u8, ..Branch::default() });
        assert_eq!(area_of(&[plain(Return), exec(ExecEnd, 3, 1)], 8), 3);
        let call = Clause::Branch(Branch { addr: 2, opcode: CfOp::CondCall as u8, ..Branch::default() });
        assert_eq!(area_of(&[call, exec(ExecEnd, 5, 1), plain(Return), exec(Run, 3, 1)], 8), 5);
        // Cases without a bound: a count of 0, a slot outside the file, or a slot that contains the clause itself.
        assert_eq!(area_of(&[exec(ExecEnd, 3, 0)], 8), 8);
        assert_eq!(area_of(&[exec(ExecEnd, 8, 1)], 8), 8);
        assert_eq!(area_of(&[exec(ExecEnd, 0, 1)], 8), 8);
    }
}
