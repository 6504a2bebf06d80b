//! Facts computed once per shader: the clauses that run each slot, and the loops around each clause.

use super::{Cx, MAX_NESTING, fetch, shader};
use crate::isa::a2xx::opcode::CfOp;
use crate::isa::a2xx::program::{Clause, Exec, Shader, Slot};
use crate::isa::lowering::MAX_NODES_PER_WORD;
use smallvec::SmallVec;

/// The index of a clause that runs a slot, and the slot's index among those that the clause runs.
type Runner = (usize, u8);

/// The outline of the shader that an entry runs.
#[derive(Default)]
pub struct Outline {
    /// For each slot, the clauses that run it, in order.
    runners: Vec<SmallVec<[Runner; 1]>>,
    /// The loops around each clause: see [`nesting`].
    pub(super) nesting: Option<Vec<Option<Vec<u8>>>>,
    /// Whether any slot is run by several clauses.
    pub(super) has_shared_slots: bool,
    /// Whether any slot is a fetch that reuses the address of an earlier fetch.
    pub(super) has_mini_fetches: bool,
}

/// Returns, for each slot, the clauses that run it, in order.
fn runners(shader: &Shader) -> Vec<SmallVec<[Runner; 1]>> {
    let mut runners = vec![SmallVec::new(); shader.slots.len()];
    for (clause, words) in shader.clauses.iter().enumerate() {
        let Clause::Exec(exec) = words else { continue };
        for k in 0..exec.slot_count() {
            let slot = (usize::from(exec.addr) + usize::from(k)).checked_sub(shader.clauses.len() / 2);
            if let Some(runners) = slot.and_then(|slot| runners.get_mut(slot)) {
                runners.push((clause, k));
            }
        }
    }
    runners
}

fn has_shared_slots(runners: &[SmallVec<[Runner; 1]>]) -> bool {
    runners.iter().any(|runners| runners.len() > 1)
}

impl Outline {
    /// Computes the outline of the entry's shader.
    pub fn of(cx: &Cx<'_>) -> Outline {
        let Some((shader, _)) = shader(cx) else { return Outline::default() };
        let runners = runners(shader);
        Outline {
            nesting: nesting(shader, &runners),
            has_shared_slots: has_shared_slots(&runners),
            has_mini_fetches: shader
                .slots
                .iter()
                .any(|slot| matches!(slot, Slot::Vertex(v) if fetch::is_mini(cx, v))),
            runners,
        }
    }

    /// Returns the clauses that run a slot, each with the slot's index among those that the clause runs.
    pub(super) fn runners<'a>(
        &'a self,
        shader: &'a Shader,
        at: usize,
    ) -> impl Iterator<Item = (usize, &'a Exec, u8)> + 'a {
        let runners = self.runners.get(at).into_iter().flatten();
        runners.filter_map(|(clause, k)| match &shader.clauses[*clause] {
            Clause::Exec(exec) => Some((*clause, exec, *k)),
            _ => None,
        })
    }
}

/// Returns the loop constants of the loops around each clause, outermost first; `None` for unreachable clauses. The whole result is `None` if loops
/// depend on the path: they do not nest statically, or clauses that share a slot are in different loops.
fn nesting(shader: &Shader, runners: &[SmallVec<[Runner; 1]>]) -> Option<Vec<Option<Vec<u8>>>> {
    let mut around: Vec<Option<Vec<u8>>> = vec![None; shader.clauses.len()];
    let mut seen = vec![[false; 2]; shader.clauses.len()];
    let mut open = vec![(0, Vec::new(), false)];
    while let Some((at, loops, called)) = open.pop() {
        let Some(clause) = shader.clauses.get(at) else { continue };
        if around[at].as_ref().is_some_and(|known| *known != loops) {
            return None;
        }
        around[at] = Some(loops.clone());
        if std::mem::replace(&mut seen[at][usize::from(called)], true) {
            continue;
        }
        let next = at + 1;
        match clause {
            Clause::LoopStart(l) => {
                let mut inside = loops.clone();
                inside.push(l.loop_id);
                if inside.len() <= MAX_NESTING {
                    open.push((next, inside, called));
                }
                open.push((l.addr.into(), loops, called));
            }
            Clause::LoopEnd(l) => {
                let mut outside = loops.clone();
                if outside.pop().is_some() {
                    open.extend([(l.addr.into(), loops, called), (next, outside, called)]);
                }
            }
            Clause::Branch(b) => match clause.op() {
                CfOp::Return if called => {}
                CfOp::Return => open.push((next, loops, called)),
                CfOp::CondCall => {
                    open.extend([(b.addr.into(), loops.clone(), true), (next, loops, called)]);
                }
                _ => {
                    if b.unconditional == 0 {
                        open.push((next, loops.clone(), called));
                    }
                    open.push((b.addr.into(), loops, called));
                }
            },
            // Nothing follows an unconditional end.
            Clause::Exec(e) if matches!(e.op(), CfOp::ExecEnd) => {}
            _ => open.push((next, loops, called)),
        }
    }
    let agree = |runners: &SmallVec<[Runner; 1]>| {
        let mut all = runners.iter().filter_map(|(clause, _)| around[*clause].as_ref());
        all.next().is_none_or(|first| all.all(|other| other == first))
    };
    runners.iter().all(agree).then_some(around)
}

/// Whether the word number determines the control state: there is no call, no loop, and no slot that several clauses run.
pub fn word_determines_control(cx: &Cx<'_>) -> bool {
    let nests = |clause: &Clause| matches!(clause.op(), CfOp::CondCall | CfOp::LoopStart);
    shader(cx)
        .is_none_or(|(shader, _)| !shader.clauses.iter().any(nests) && !has_shared_slots(&runners(shader)))
}

/// Whether the fallback's code for reused addresses stays small: each fetch that reuses an address is lowered once for each fetch that may have
/// computed that address.
pub fn has_few_fetch_pairs(cx: &Cx<'_>) -> bool {
    let Some((shader, _)) = shader(cx) else { return true };
    let (mut minis, mut full) = (0, 0);
    for slot in &shader.slots {
        if let Slot::Vertex(vertex) = slot {
            *if fetch::is_mini(cx, vertex) { &mut minis } else { &mut full } += 1;
        }
    }
    minis * full <= MAX_NODES_PER_WORD * shader.words()
}
