//! Generation of basic blocks and of the branches between them.

use super::backward::BackwardBuilder;
use super::pending::{PendingStores, note};
use super::plan::Plan;
use super::request::{MIN_BITS, ValueRequest};
use super::stores::Storing;
use crate::generate::Entropy;
use lockstep_core::isa::utgard_gp::opcode::Op;
use lockstep_core::isa::utgard_gp::program::Load;
use lockstep_core::isa::utgard_gp::source::{ResultOf, Source, StoreSource, code_of};
use lockstep_core::isa::utgard_gp::vocabulary::Mark;

/// The number of words that a block may need in addition to its size, to complete computations at its start.
const CLOSING: usize = 90;

/// How a block ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ending {
    /// The block falls through.
    Falls,
    /// The block ends with a conditional forward branch to this position.
    If(usize),
    /// The block ends with a forward branch to this position, which is unconditional if a literal can be its condition.
    Always(usize),
    /// The block ends with a branch to the start of its loop; the counter is this component of a register.
    Loop(u8, u8),
}

/// The parameters of a part of the program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) size: usize,
    /// Whether the part begins the program.
    pub(super) entry: bool,
    /// Whether the part may store outputs.
    pub(super) outputs: bool,
    pub(super) looping: bool,
    pub(super) depth: usize,
}

impl BackwardBuilder {
    /// Builds a block and the control structures before it. Each control structure is in turn preceded by a block.
    pub(super) fn part(&mut self, e: &mut Entropy<'_>, part: Part, ending: Ending) {
        let branching = self.opcode == "branch";
        let structures = if part.depth > 2 || (part.size < 4 && !branching) {
            0
        } else if branching && part.depth == 0 {
            1 + e.below(2)
        } else {
            e.weighted(if part.depth == 0 { &[60, 25, 15] } else { &[75, 25] })
        };
        let each = part.size / (2 * structures + 1).max(1);
        let block = Part { size: each.max(1), ..part };
        let inner = Part { size: each.max(1), entry: false, outputs: false, depth: part.depth + 1, ..part };
        let mut ending = ending;
        for _ in 0..structures {
            self.block(e, Part { entry: false, ..block }, ending);
            ending = self.structure(e, inner);
        }
        self.block(e, block, ending);
    }

    /// Builds a conditional or a loop, unless no register store is pending. Returns the ending of the block before it.
    fn structure(&mut self, e: &mut Entropy<'_>, inner: Part) -> Ending {
        if !self.pending.has_pending_registers() {
            return Ending::Falls;
        }
        let loops = u32::from(self.literals && self.words.len() < 400);
        let after = self.words.len() - 1;
        match e.weighted(&[4, 3, 4 * loops, 2 * loops]) {
            0 => {
                let joined = self.pending.clone();
                self.part(e, inner, Ending::Falls);
                let then = std::mem::take(&mut self.pending);
                self.pending = then.join(joined.over_branch());
                Ending::If(after)
            }
            1 => {
                let joined = self.pending.clone();
                self.part(e, inner, Ending::Falls);
                let other = self.words.len() - 1;
                let other_pending = self.pending.clone();
                self.pending = other_pending.clone().join(joined.over_branch());
                self.part(e, inner, Ending::Always(after));
                let then = std::mem::take(&mut self.pending);
                self.pending = then.join(other_pending.over_branch());
                Ending::If(other)
            }
            2 => {
                self.counted(e, inner);
                Ending::Falls
            }
            _ => {
                self.self_loop(e);
                Ending::Falls
            }
        }
    }

    /// Builds a loop that counts up.
    fn counted(&mut self, e: &mut Entropy<'_>, inner: Part) {
        let Some((n, c)) = self.free_component(e) else { return };
        let start = self.words.len();
        let unreadable = self.unreadable;
        self.unreadable[usize::from(n)] |= 1 << c;
        self.part(e, Part { looping: true, ..inner }, Ending::Loop(n, c));
        self.unreadable = unreadable;
        let first = self.words.len() - 1;
        self.branches.push((start, first));
        // The counter is read in the third word from the end.
        let away = (first - start).saturating_sub(2);
        let place = &mut self.pending.registers[usize::from(n)][usize::from(c)];
        note(place, ValueRequest::ANY.with_bits(MIN_BITS), 2u8.saturating_sub(away as u8));
    }

    /// Returns an unused component of a register.
    fn free_component(&self, e: &mut Entropy<'_>) -> Option<(u8, u8)> {
        let free = |(n, c): &(u8, u8)| {
            self.pending.registers[usize::from(*n)][usize::from(*c)].is_none()
                && self.unreadable[usize::from(*n)] >> c & 1 == 0
        };
        let all: Vec<(u8, u8)> =
            (self.registers..16).flat_map(|n| (0..4).map(move |c| (n, c))).filter(free).collect();
        e.pick(&all).copied()
    }

    /// Builds a word that branches to itself until its counter is no longer above zero.
    fn self_loop(&mut self, e: &mut Entropy<'_>) {
        let due: Vec<(usize, usize)> = (0..16)
            .flat_map(|n| (0..4).map(move |c| (n, c)))
            .filter(|(n, c)| {
                self.pending.registers[*n][*c]
                    .is_some_and(|store| store.slack == 0 && store.want.takes_ordinary() && !store.want.truth)
                    && self.unreadable[*n] >> c & 1 == 0
            })
            .collect();
        let Some(&(n, c)) = e.pick(&due) else { return };
        let (slot, _) = self.literal(8);
        let k = e.below(2);
        let mut plan = Plan {
            load: Some(Load { address: slot, offset: Load::NO_OFFSET }),
            port1: Some(n as u8),
            ..Plan::default()
        };
        let code = Source::Port1(c as u8).known_code();
        let of = [ResultOf::Acc0, ResultOf::Acc1][k];
        plan.fill_move(of, code);
        (plan.word.acc[k].b, plan.word.acc[k].neg_b) = (Source::Load(2).known_code(), 0);
        plan.word.store[c / 2].sources[c & 1] = StoreSource::Result(of).code();
        plan.word.store[c / 2].address = n as u8;
        (plan.word.pass_op, plan.word.pass_src) = (Op::Clamp.number(), code);
        (plan.word.branch, plan.word.unknown_1) = (1, Mark::Branch as u8);
        self.pending.registers[n][c] = None;
        note(&mut self.pending.registers[n][c], ValueRequest::SMALL, super::pending::REGISTER_LATENCY);
        self.plans[0] = plan;
        let at = self.words.len();
        self.branches.push((at, at));
        self.push();
    }

    /// Builds a basic block.
    fn block(&mut self, e: &mut Entropy<'_>, part: Part, ending: Ending) {
        let start = self.words.len();
        self.end(e, ending);
        loop {
            let made = self.words.len() - start;
            let more = made < part.size && !e.is_exhausted();
            self.open = more;
            self.may_read_storage = more || !part.entry;
            let settled = self.plans.iter().all(Plan::is_empty);
            let done = !part.entry || (!self.pending.has_pending() && self.outputs.is_empty());
            if made > 0
                && settled
                && ((!more && done) || made > part.size + CLOSING || self.words.len() > 500)
            {
                break;
            }
            let idle = self.plans[0].is_empty();
            let storing = Storing { all: !more || idle, outputs: part.outputs, looping: part.looping };
            self.store(e, storing);
            if idle && settled && made > 0 && !part.entry && self.plans[0].is_empty() {
                // Only pending delays are left, which an earlier block can absorb.
                break;
            }
            self.compute(e);
            self.push();
        }
        self.open = false;
    }

    /// Starts a block with its last word.
    fn end(&mut self, e: &mut Entropy<'_>, ending: Ending) {
        let at = self.words.len();
        let target = match ending {
            Ending::Falls => return,
            Ending::Loop(n, c) => return self.count(e, n, c),
            Ending::If(target) | Ending::Always(target) => target,
        };
        (self.open, self.may_read_storage) = (true, true);
        self.branches.push((at, target));
        let word = &mut self.plan(0).word;
        (word.branch, word.unknown_1) = (1, Mark::Branch as u8);
        if matches!(ending, Ending::Always(_)) && self.make_branch_unconditional() {
            return;
        }
        match e.weighted(&[60, if self.literals { 10 } else { 0 }, 8]) {
            1 => {
                let (slot, _) = self.literal(8);
                self.plan(0).load = Some(Load { address: slot, offset: Load::NO_OFFSET });
                let code = self.operand(e, 0, false, ValueRequest::OUTPUT);
                self.passes(Op::Clamp, code);
            }
            2 if self.function(e, 2, Op::Log2, Some(ValueRequest::TRUTH)) => {
                self.passes(Op::Postlog2, code_of(ResultOf::Mul0, 2));
            }
            _ => {
                let code = self.operand(e, 0, false, ValueRequest::TRUTH);
                self.passes(Op::PassMov, code);
            }
        }
    }

    /// Builds the end of a loop: increments the counter, compares, branches.
    fn count(&mut self, e: &mut Entropy<'_>, n: u8, c: u8) {
        let (counts, compares) = (e.below(2), e.below(2));
        let (slot, one) = self.literal(super::backward::ONE);
        let limit = e.below(4) as u8;
        let by_lane = e.chance(40);
        let attribute = self.attributes[0];
        let uniform = e.below(usize::from(self.uniforms.max(1))) as u16;

        let compared = code_of([ResultOf::Acc0, ResultOf::Acc1][compares], 1);
        let plan = self.plan(0);
        plan.fill_move(ResultOf::Pass, compared);
        (plan.word.branch, plan.word.unknown_1) = (1, Mark::Branch as u8);

        let plan = self.plan(1);
        plan.acc_op = Some(Op::Lt);
        (plan.taken[0], plan.taken[1]) = (true, true);
        let acc = &mut plan.word.acc[compares];
        acc.a = code_of([ResultOf::Acc0, ResultOf::Acc1][counts], 1);
        if by_lane {
            plan.port0 = Some((true, attribute));
            acc.b = limit;
        } else {
            plan.load = Some(Load { address: uniform, offset: Load::NO_OFFSET });
            acc.b = Source::Load(limit).known_code();
        }

        let plan = self.plan(2);
        plan.fill_move([ResultOf::Acc0, ResultOf::Acc1][counts], Source::Port1(c).known_code());
        (plan.port1, plan.load) = (Some(n), Some(Load { address: slot, offset: Load::NO_OFFSET }));
        (plan.word.acc[counts].b, plan.word.acc[counts].neg_b) = (Source::Load(one).known_code(), 0);
        let store = &mut plan.word.store[usize::from(c / 2)];
        store.address = n;
        store.sources[usize::from(c & 1)] = StoreSource::Result(ResultOf::ALL[counts]).code();
    }

    /// Drops the pending stores at the start of the program.
    pub(super) fn drop_pending(&mut self) {
        self.pending = PendingStores::default();
    }
}
