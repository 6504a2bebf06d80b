//! What outputs, effects and branches depend on.
//!
//! Where [`super::forward`] has been, a block reads a variable at most once, and not after it has written it: what it read or wrote last is known
//! there. So of a variable a block has the read of what came in, and the write of what goes out.

use super::forward::Forward;
use crate::ir::op::{Op, Var};
use crate::ir::program::{BlockId, Program, Terminator, Value};
use crate::work::looks_at;
use std::collections::VecDeque;

/// Passes over all blocks that the search may come to, and words of live sets, beyond which every variable counts as live wherever a block ends.
const MAX_PASSES: usize = 32;
const MAX_WORDS: usize = 1 << 20;

/// Which instructions anything depends on. A variable is live where a read that itself is needed may see it.
pub(super) fn needed(forward: &Forward) -> Vec<bool> {
    let program = &forward.program;
    let words = program.vars.len().div_ceil(64);
    let mut marks = Marks::new(forward);
    let mut at_return = vec![0u64; words];
    program.outputs.iter().for_each(|(_, var)| set(&mut at_return, *var));
    let small = program.blocks.len().saturating_mul(words) <= MAX_WORDS;
    if small && Liveness::new(&mut marks, words).run(&at_return) {
        return marks.needed;
    }
    for (b, block) in program.blocks.iter().enumerate() {
        let live = |var: &Var| match block.terminator {
            Terminator::Return => has(&at_return, *var),
            Terminator::Hang => false,
            _ => true,
        };
        marks.lasting(b, &mut |_| {});
        for at in marks.writes.of(b) {
            let (var, inst) = marks.writes.all[at];
            if live(&var) {
                marks.need(inst as usize, &mut |_| {});
            }
        }
    }
    marks.needed
}

fn has(live: &[u64], var: Var) -> bool {
    live[var.0 as usize / 64] >> (var.0 % 64) & 1 != 0
}

fn set(live: &mut [u64], var: Var) {
    live[var.0 as usize / 64] |= 1 << (var.0 % 64);
}

/// The last write of each variable in each block, with its instruction.
struct Writes {
    all: Vec<(Var, u32)>,
    /// By block: where its writes begin.
    starts: Vec<u32>,
}

impl Writes {
    fn new(program: &Program) -> Writes {
        let mut all = Vec::new();
        let mut starts = vec![0];
        // By variable: one more than the block that it was last met in.
        let mut met = vec![0; program.vars.len()];
        for (b, block) in (1u32..).zip(&program.blocks) {
            looks_at(block.insts.len());
            for at in block.insts.clone().rev() {
                if let Op::Write(var) = program.insts[at as usize].op
                    && std::mem::replace(&mut met[var.0 as usize], b) != b
                {
                    all.push((var, at));
                }
            }
            starts.push(all.len() as u32);
        }
        Writes { all, starts }
    }

    fn of(&self, b: usize) -> std::ops::Range<usize> {
        self.starts[b] as usize..self.starts[b + 1] as usize
    }
}

/// The instructions found to be needed.
struct Marks<'f> {
    forward: &'f Forward,
    writes: Writes,
    needed: Vec<bool>,
    /// Instructions whose operands are still to be marked.
    open: Vec<u32>,
}

impl<'f> Marks<'f> {
    fn new(forward: &'f Forward) -> Marks<'f> {
        let writes = Writes::new(&forward.program);
        Marks { forward, writes, needed: vec![false; forward.program.insts.len()], open: Vec::new() }
    }

    /// Marks an instruction and all of its block that it depends on; tells `read` of the variables among that.
    fn need(&mut self, at: usize, read: &mut impl FnMut(Var)) {
        self.open.push(at as u32);
        while let Some(at) = self.open.pop() {
            if std::mem::replace(&mut self.needed[at as usize], true) {
                continue;
            }
            looks_at(1);
            let inst = &self.forward.program.insts[at as usize];
            if let Op::Read(var) = inst.op {
                read(var);
            }
            let definition = |arg: &Value| self.forward.definition[arg.0 as usize];
            self.open.extend(self.forward.program.args(inst).iter().map(definition));
        }
    }

    /// Marks what a block does that lasts, whatever is live at its end, and what it goes by.
    fn lasting(&mut self, b: usize, read: &mut impl FnMut(Var)) {
        let program = &self.forward.program;
        let block = &program.blocks[b];
        looks_at(block.insts.len());
        for at in block.insts.start as usize..block.insts.end as usize {
            match program.insts[at].op {
                Op::Write(_) => {}
                op if op.is_effect() => self.need(at, read),
                _ => {}
            }
        }
        if let Some(value) = block.terminator.operand() {
            self.need(self.forward.definition[value.0 as usize] as usize, read);
        }
    }
}

/// What is live where blocks begin and end: from nothing to the least that is consistent. Each variable comes to each block once.
struct Liveness<'m, 'f> {
    marks: &'m mut Marks<'f>,
    /// Words of a set of variables.
    words: usize,
    /// By block: sets of variables.
    live_in: Vec<u64>,
    live_out: Vec<u64>,
    /// The blocks whose `live_in` has grown since those before them were told.
    work: VecDeque<u32>,
    waits: Vec<bool>,
    /// What is new at the end of a block.
    gain: Vec<u64>,
}

impl<'m, 'f> Liveness<'m, 'f> {
    fn new(marks: &'m mut Marks<'f>, words: usize) -> Liveness<'m, 'f> {
        let blocks = marks.forward.program.blocks.len();
        let none = vec![0u64; blocks * words];
        let (live_out, gain) = (none.clone(), vec![0; words]);
        Liveness {
            marks,
            words,
            live_in: none,
            live_out,
            work: VecDeque::new(),
            waits: vec![false; blocks],
            gain,
        }
    }

    /// Whether it came to an end.
    fn run(mut self, at_return: &[u64]) -> bool {
        let program = &self.marks.forward.program;
        for b in targets_first(program) {
            let live_in = &mut self.live_in[b * self.words..][..self.words];
            self.marks.lasting(b, &mut |var| set(live_in, var));
            if program.blocks[b].terminator == Terminator::Return {
                self.gain.copy_from_slice(at_return);
                self.gains(b);
            }
            let live_in = &self.live_in[b * self.words..][..self.words];
            if live_in.iter().any(|word| *word != 0) && !std::mem::replace(&mut self.waits[b], true) {
                self.work.push_back(b as u32);
            }
        }
        let before = Before::new(program);
        let mut left = MAX_PASSES * (before.all.len() + program.blocks.len());
        while let Some(b) = self.work.pop_front() {
            self.waits[b as usize] = false;
            for &to in before.of(b as usize) {
                if left == 0 {
                    return false;
                }
                left -= 1;
                self.gain.copy_from_slice(&self.live_in[b as usize * self.words..][..self.words]);
                self.gains(to as usize);
            }
        }
        true
    }

    /// Takes in that `gain` is live at the end of a block.
    fn gains(&mut self, b: usize) {
        let sets = b * self.words..(b + 1) * self.words;
        looks_at(self.words);
        let mut any = 0;
        for (gain, live) in self.gain.iter_mut().zip(&mut self.live_out[sets.clone()]) {
            *gain &= !*live;
            *live |= *gain;
            any |= *gain;
        }
        if any == 0 {
            return;
        }
        let mut grown = false;
        let live_in = &mut self.live_in[sets];
        let writes = self.marks.writes.of(b);
        looks_at(writes.len());
        for at in writes {
            let (var, inst) = self.marks.writes.all[at];
            if has(&self.gain, var) {
                self.gain[var.0 as usize / 64] &= !(1 << (var.0 % 64));
                self.marks.need(inst as usize, &mut |var| {
                    grown = true;
                    set(live_in, var);
                });
            }
        }
        for (live, gain) in live_in.iter_mut().zip(&self.gain) {
            grown |= *gain & !*live != 0;
            *live |= *gain;
        }
        if grown && !std::mem::replace(&mut self.waits[b], true) {
            self.work.push_back(b as u32);
        }
    }
}

/// The blocks that go to each block, as often as they do.
struct Before {
    all: Vec<u32>,
    starts: Vec<u32>,
}

impl Before {
    fn new(program: &Program) -> Before {
        let edges = || {
            let blocks = (0u32..).zip(&program.blocks);
            blocks.flat_map(|(b, block)| block.terminator.targets().map(move |to| (b, to.0 as usize)))
        };
        let mut starts = vec![0u32; program.blocks.len() + 1];
        edges().for_each(|(_, to)| starts[to + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut all = vec![0; starts.last().map_or(0, |all| *all as usize)];
        for (b, to) in edges() {
            all[next[to] as usize] = b;
            next[to] += 1;
        }
        Before { all, starts }
    }

    fn of(&self, b: usize) -> &[u32] {
        &self.all[self.starts[b] as usize..self.starts[b + 1] as usize]
    }
}

/// Every block once, behind those that it goes to but where a loop goes back.
fn targets_first(program: &Program) -> Vec<usize> {
    let blocks = program.blocks.len();
    let mut order = Vec::with_capacity(blocks);
    let mut met = vec![false; blocks];
    let mut open = Vec::new();
    for first in std::iter::once(program.entry as usize).chain(0..blocks) {
        if std::mem::replace(&mut met[first], true) {
            continue;
        }
        open.push((first, program.blocks[first].terminator.targets()));
        while let Some((b, targets)) = open.last_mut() {
            match targets.find(|to| !met[to.0 as usize]) {
                Some(BlockId(to)) => {
                    met[to as usize] = true;
                    open.push((to as usize, program.blocks[to as usize].terminator.targets()));
                }
                None => {
                    order.push(*b);
                    open.pop();
                }
            }
        }
    }
    order
}
