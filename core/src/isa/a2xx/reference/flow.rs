//! Control flow of clauses in the reference (xenia, mesa).

use super::{Cx, Lane, MAX_NESTING, shader};
use crate::host::Host;
use crate::isa::a2xx::opcode::CfOp;
use crate::isa::a2xx::options::Choice;
use crate::isa::a2xx::program::{Branch, Clause, Exec, LoopEnd, LoopStart};
use crate::isa::{End, LaneState};
use crate::value::{Domain, Freedom, IBin, ICmp};

/// The clause number of a lane that has ended. Numbers of existing clauses have at most thirteen bits.
const ENDED: u16 = u16::MAX;

/// The control state of a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowState {
    /// Number of the clause.
    pub clause: u16,
    /// 0 before the clause runs its slots; then the current slot's index within the clause plus one.
    pub slot: u8,
    /// The clauses of the active calls, outermost first.
    pub calls: [u16; MAX_NESTING],
    /// Number of active calls.
    pub call_depth: u8,
    /// The loop constants of the active loops, outermost first.
    pub loops: [u8; MAX_NESTING],
    /// Number of active loops.
    pub loop_depth: u8,
    /// The slot index, plus one, of the last VERTEX that computed an index, if later fetches may reuse its address; otherwise 0.
    pub last_full_fetch: u16,
}

/// The key by which lanes are scheduled: first the call sites (outermost first) with the current clause and slot, then the constants of the active
/// loops, then the last full fetch. All are encoded as nonzero numbers, so that unused elements (0) sort first.
pub type Position = ([u32; MAX_NESTING + 1], [u8; MAX_NESTING], u16);

impl FlowState {
    /// Returns the scheduling key.
    pub fn position(&self) -> Position {
        let element = |clause: u16, slot: u8| u32::from(clause) * 8 + u32::from(slot) + 1;
        let mut path = [0; MAX_NESTING + 1];
        let called = usize::from(self.call_depth).min(MAX_NESTING);
        for (step, call) in path.iter_mut().zip(&self.calls[..called]) {
            *step = element(*call, 0);
        }
        path[called] = element(self.clause, self.slot);
        let mut loops = [0; MAX_NESTING];
        let loop_depth = usize::from(self.loop_depth).min(MAX_NESTING);
        for (active, id) in loops.iter_mut().zip(&self.loops[..loop_depth]) {
            *active = id + 1;
        }
        (path, loops, self.last_full_fetch)
    }

    fn jump_to(&mut self, clause: u16) {
        (self.clause, self.slot) = (clause, 0);
    }

    fn next(&mut self) {
        self.jump_to(self.clause + 1);
    }

    fn end(&mut self) {
        self.jump_to(ENDED);
    }

    /// Returns the innermost loop's index in [`FlowState::loops`] and its loop constant.
    fn innermost(&self) -> Option<(usize, u8)> {
        let depth = usize::from(self.loop_depth).checked_sub(1)?;
        Some((depth, *self.loops.get(depth)?))
    }
}

/// Advances to the next slot of the clause. After its last slot, advances to the next clause or, if the clause ends the shader, ends the lane.
pub(super) fn next_slot(exec: &Exec, at: &mut FlowState) {
    if at.slot < exec.slot_count() {
        at.slot += 1;
    } else if exec.op().is_end() {
        at.end();
    } else {
        at.next();
    }
}

/// Whether the predicate has the value that `condition` requires.
pub(super) fn predicate_is<D: Domain>(d: &D, lane: &Lane<D>, condition: u8) -> D::B {
    if condition == 0 { d.not(&lane.predicate) } else { lane.predicate.clone() }
}

/// Returns count, start and step of a loop constant, extracted from its components.
pub(crate) fn constant<D: Domain, H: Host<D>>(d: &D, host: &mut H, id: u8) -> [D::I; 3] {
    let [count, start, step, _] = host.int_constant(d, id.into());
    let byte = |v: &D::I| d.ibin(IBin::And, v, &d.i(0xff));
    let left = d.ibin(IBin::Shl, &step, &d.i(24));
    [byte(&count), byte(&start), d.ibin(IBin::ShrS, &left, &d.i(24))]
}

/// Returns aL, limited to -256 and 256; 0 outside loops.
pub(crate) fn address<D: Domain, H: Host<D>>(d: &D, host: &mut H, lane: &Lane<D>) -> D::I {
    let Some((depth, id)) = lane.at.innermost() else { return d.i(0) };
    let [_, start, step] = constant(d, host, id);
    let address = d.ibin(IBin::Add, &d.ibin(IBin::Mul, &lane.passes[depth], &step), &start);
    let (low, high) = (d.i(-256), d.i(256));
    let address = d.sel_i(&d.icmp(ICmp::LtS, &address, &low), &low, &address);
    d.sel_i(&d.icmp(ICmp::LtS, &high, &address), &high, &address)
}

/// Executes a clause. For EXEC, decides whether its slots run.
pub(super) fn clause<D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    cx: &Cx<'_>,
    clause: &Clause,
    running: &mut LaneState<Lane<D>>,
) {
    match clause {
        Clause::Plain(_) | Clause::Alloc(_) => running.lane.at.next(),
        Clause::Exec(exec) => enter(d, host, cx, exec, &mut running.lane),
        Clause::LoopStart(words) => loop_start(d, host, words, running),
        Clause::LoopEnd(words) => loop_end(d, host, words, running),
        Clause::Branch(_) if clause.op() == CfOp::Return => {
            let at = &mut running.lane.at;
            match at.call_depth.checked_sub(1) {
                Some(left) => {
                    at.call_depth = left;
                    at.jump_to(at.calls[usize::from(left)] + 1);
                }
                // There is no call to return from.
                None => at.next(),
            }
        }
        Clause::Branch(words) => branch(d, host, words, clause.op() == CfOp::CondCall, running),
    }
    // All positions after the last clause are equivalent: the lane has ended.
    let clauses = shader(cx).map_or(0, |shader| shader.clauses.len());
    if usize::from(running.lane.at.clause) >= clauses {
        running.lane.at.end();
    }
}

fn enter<D: Domain, H: Host<D>>(d: &mut D, host: &mut H, cx: &Cx<'_>, exec: &Exec, lane: &mut Lane<D>) {
    let op = exec.op();
    let condition = if op.tests_bool() {
        let uniform = host.bool_constant(d, exec.bool_addr.into());
        Some(if exec.cond == 0 { d.not(&uniform) } else { uniform })
    } else if op.tests_predicate() {
        Some(predicate_is(d, lane, exec.cond))
    } else {
        None
    };
    let conditional = condition.is_some();
    let runs = condition.is_none_or(|condition| d.decide(&condition));
    if runs && exec.slot_count() > 0 {
        lane.at.slot = 1;
        return;
    }
    let mut ends = op.is_end();
    if ends && conditional && !runs {
        host.record(Freedom::ProgramEnd, &d.b(true));
        ends = cx.options.get(Choice::EndCondition as usize) != 0;
    }
    if ends { lane.at.end() } else { lane.at.next() }
}

fn loop_start<D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    words: &LoopStart,
    running: &mut LaneState<Lane<D>>,
) {
    let lane = &mut running.lane;
    let depth = usize::from(lane.at.loop_depth);
    if depth == MAX_NESTING {
        // The loop stack is full, which the validator rejects.
        running.end = Some(End::Hung);
        return;
    }
    if words.repeat == 0 {
        lane.passes[depth] = d.i(0);
    }
    let [count, ..] = constant(d, host, words.loop_id);
    let any = d.icmp(ICmp::LtS, &lane.passes[depth], &count);
    if d.decide(&any) {
        lane.at.loops[depth] = words.loop_id;
        lane.at.loop_depth += 1;
        lane.at.next();
    } else {
        lane.at.jump_to(words.addr);
    }
}

fn loop_end<D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    words: &LoopEnd,
    running: &mut LaneState<Lane<D>>,
) {
    let lane = &mut running.lane;
    let Some((depth, id)) = lane.at.innermost() else {
        // No loop is active, which the validator rejects.
        running.end = Some(End::Hung);
        return;
    };
    let [count, ..] = constant(d, host, id);
    lane.passes[depth] = d.ibin(IBin::Add, &lane.passes[depth], &d.i(1));
    let mut again = d.icmp(ICmp::LtS, &lane.passes[depth], &count);
    if words.pred_break != 0 {
        let breaks = predicate_is(d, lane, words.cond);
        again = d.and(&again, &d.not(&breaks));
    }
    if d.decide(&again) {
        lane.at.jump_to(words.addr);
    } else {
        lane.at.loop_depth -= 1;
        lane.at.next();
    }
}

/// Executes COND_CALL and COND_JMP.
fn branch<D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    words: &Branch,
    calls: bool,
    running: &mut LaneState<Lane<D>>,
) {
    let lane = &mut running.lane;
    let taken = if words.unconditional != 0 {
        true
    } else if words.predicated != 0 {
        let condition = predicate_is(d, lane, words.cond);
        d.decide(&condition)
    } else {
        let uniform = host.bool_constant(d, words.bool_addr.into());
        let condition = if words.cond == 0 { d.not(&uniform) } else { uniform };
        d.decide(&condition)
    };
    if !taken {
        lane.at.next();
        return;
    }
    if calls {
        let depth = usize::from(lane.at.call_depth);
        if depth == MAX_NESTING {
            // The call stack is full, which the validator rejects.
            running.end = Some(End::Hung);
            return;
        }
        lane.at.calls[depth] = lane.at.clause;
        lane.at.call_depth += 1;
    }
    lane.at.jump_to(words.addr);
}
