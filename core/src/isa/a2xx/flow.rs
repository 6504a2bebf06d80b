//! The successors of clauses, and where the clauses of a shader end.

use super::opcode::CfOp;
use super::program::Clause;
use crate::isa::worklist::Worklist;

/// The clauses that may follow a clause, whatever the conditions and constants are: the next one, and the one it names.
///
/// A RETURN goes to the clause after some call, which is already a successor of that call here; `called` says whether there is such a call. Without a
/// call to return from, RETURN does nothing (xenia, mesa).
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

/// A clause that may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Successor {
    /// Its index.
    pub index: usize,
    /// Whether a call has been made that a RETURN there returns from.
    pub called: bool,
}

/// Visits every reachable clause, lowest index first. `visit` returns a new upper bound for the indices of clauses; it may lower `bound`.
pub(super) fn walk(
    mut bound: usize,
    mut clause: impl FnMut(usize) -> Clause,
    mut visit: impl FnMut(usize, &Clause) -> usize,
) {
    // Indexed by twice the clause's index, plus one if a call has been made.
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

/// The number of slots at the beginning of a shader of `slots` slots that hold clauses.
///
/// It is not stored. Clauses are followed from clause 0 on, lowest first, and the lowest slot that a reached EXEC with a nonzero count runs is the
/// first that holds no clauses. This need not be a slot of the first EXEC, whose count may be 0 or whose slots may come after others. An address
/// counts as a bound only if it is after every clause reached so far, since reachable words are clauses. Without a bound all slots hold clauses.
pub(super) fn area(slots: usize, clause: impl FnMut(usize) -> Clause) -> usize {
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

    fn ends(clauses: &[Clause], slots: usize) -> usize {
        let nop = Clause::from_word(0);
        area(slots, |k| clauses.get(k).copied().unwrap_or(nop))
    }

    #[test]
    fn the_area_ends_at_the_lowest_reachable_exec_not_the_first() {
        use CfOp::{CondJmp, Exec as Run, ExecEnd, Return};
        // The first clause runs slots after those of the second.
        assert_eq!(ends(&[exec(Run, 6, 1), exec(ExecEnd, 3, 2)], 8), 3);
        // The first clause runs nothing, and its address is that of a clause.
        assert_eq!(ends(&[exec(Run, 1, 0), exec(Run, 1, 0), exec(ExecEnd, 2, 1)], 8), 2);
        // Only the second can be reached.
        let jump =
            Clause::Branch(Branch { addr: 2, unconditional: 1, opcode: CondJmp as u8, ..Branch::default() });
        assert_eq!(ends(&[jump, exec(Run, 1, 1), exec(ExecEnd, 4, 1)], 8), 4);
        // What follows the end is not reached.
        assert_eq!(ends(&[exec(ExecEnd, 4, 1), exec(Run, 2, 1)], 8), 4);
        // A conditional end may be passed.
        assert_eq!(ends(&[exec(CfOp::CondPredExecEnd, 4, 1), exec(ExecEnd, 2, 1)], 8), 2);
        // Without a call RETURN does nothing; after one, control does not continue past it.
        let plain = |op: CfOp| Clause::Branch(Branch { opcode: op as u8, ..Branch::default() });
        assert_eq!(ends(&[plain(Return), exec(ExecEnd, 3, 1)], 8), 3);
        let call = Clause::Branch(Branch { addr: 2, opcode: CfOp::CondCall as u8, ..Branch::default() });
        assert_eq!(ends(&[call, exec(ExecEnd, 5, 1), plain(Return), exec(Run, 3, 1)], 8), 5);
        // No bound: a count of 0, a slot outside the file, or a slot that holds the clause itself.
        assert_eq!(ends(&[exec(ExecEnd, 3, 0)], 8), 8);
        assert_eq!(ends(&[exec(ExecEnd, 8, 1)], 8), 8);
        assert_eq!(ends(&[exec(ExecEnd, 0, 1)], 8), 8);
    }
}
