//! The lowering: turns words into IR. References to earlier results become values, complex functions become single operations, and pending stores are
//! kept in variables.
//!
//! The words with pending stores are part of the [`ControlState`]. The fallback lowers each word once for all histories, so it represents them by
//! variables.

mod alu;
mod kinds;
mod outline;
mod stores;

use super::UtgardGp;
use super::options::Choice;
use super::program::Word;
use super::source::ResultOf;
use super::variables::{File, result};
use super::word::{NONE, Outputs, Viewport};
use crate::ir::{Builder, Op, Ty, Value, Var, VarKey};
use crate::isa::Context;
use crate::isa::lowering::{BranchSelect, FallbackExit, Successors};
use crate::isa::registers::plain_outputs;
use smallvec::{SmallVec, smallvec};

pub use kinds::{UnitResultKind, kind};
pub use outline::Outline;
use stores::stores_temporary;
pub use stores::{PendingWord, memory};

type Cx<'a> = Context<'a, UtgardGp>;

/// The control state of a node: the index of a word, and the earlier words whose stores are pending.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ControlState {
    /// Index of the word; equal to the number of words if the lane has ended.
    pub pc: u32,
    /// Words with pending stores, latest first; at most 4.
    pub pending: SmallVec<[PendingWord; 4]>,
}

/// Returns the number of words that the entry runs: the program ends after them.
pub fn count(cx: &Cx<'_>) -> u32 {
    (cx.program.words.len() as u32).min(cx.entry.extra[0])
}

fn float(b: &mut Builder, key: VarKey) -> Var {
    b.var(key, Ty::F32, 0)
}

/// Returns the variable of a register component. The option for unwritten registers defines its initial value.
fn register(cx: &Cx<'_>, b: &mut Builder, n: usize, c: usize) -> Var {
    let nan = cx.options.get(Choice::Unwritten as usize) == 1;
    b.var(File::Register.key(n, c), Ty::F32, if nan { crate::value::CANONICAL_NAN } else { 0 })
}

fn int(b: &mut Builder, key: VarKey) -> Var {
    b.var(key, Ty::I32, 0)
}

/// Declares the outputs and, if temporaries are stored, the memory.
pub fn declare(cx: &Cx<'_>, b: &mut Builder) {
    for port in plain_outputs::<UtgardGp>(cx.entry) {
        for c in (0..4).filter(|c| port.mask >> c & 1 == 1) {
            let var = float(b, File::Varying.key(usize::from(port.slot), c));
            b.output(port.slot * 4 + c as u16, var);
        }
    }
    if cx.program.words.iter().any(stores_temporary) {
        stores::declare(b);
    }
}

/// Returns the number of cycles from a word with a taken branch to the next word.
fn cycles(cx: &Cx<'_>) -> u8 {
    match cx.options.get(Choice::BranchBubbles as usize) {
        0 => 3,
        1 => 1,
        _ => 4,
    }
}

/// Returns one successor of a node: the branch target if `taken`, otherwise the next word.
fn next(cx: &Cx<'_>, control: &ControlState, word: &Word, taken: bool) -> ControlState {
    let pc = if taken { word.target() } else { control.pc + 1 };
    if pc >= count(cx) {
        return ControlState { pc: count(cx), pending: SmallVec::new() };
    }
    let cycles = if taken { cycles(cx) } else { 1 };
    let newest = PendingWord::of(control.pc, word).into_iter();
    let older = control.pending.iter().filter_map(|past| past.after_due_stores(cx.program));
    ControlState { pc, pending: newest.chain(older).take(4).map(|past| past.aged_by(cycles)).collect() }
}

/// Returns the successors of a node, the branch target first.
pub fn successors(cx: &Cx<'_>, _: &Outline, control: &ControlState) -> Successors<ControlState> {
    let Some(word) = cx.program.words.get(control.pc as usize).filter(|_| control.pc < count(cx)) else {
        return Successors::new();
    };
    if word.branch == 0 {
        smallvec![next(cx, control, word, false)]
    } else {
        smallvec![next(cx, control, word, true), next(cx, control, word, false)]
    }
}

/// Lowers the word of a node.
pub fn node(cx: &Cx<'_>, outline: &Outline, control: &ControlState, b: &mut Builder) -> BranchSelect {
    let Some(word) = cx.program.words.get(control.pc as usize).filter(|_| control.pc < count(cx)) else {
        return BranchSelect::Only;
    };
    let older = stores::complete_due_stores(cx, control, b);
    let done = compute(cx, outline, control.pc, word, b);
    stores::issue_stores(word, &done, older, b);
    pass_results_on(cx, outline, control.pc, &done, b);
    lower_output_transforms(cx, control.pc, done.taken, b);
    done.taken.map_or(BranchSelect::Only, BranchSelect::If)
}

/// Lowers a word for the fallback.
pub fn word(cx: &Cx<'_>, outline: &Outline, pc: u32, b: &mut Builder) -> FallbackExit {
    let Some(word) = cx.program.words.get(pc as usize) else {
        return FallbackExit::Static(BranchSelect::Only, Successors::new());
    };
    stores::complete_due_stores_fallback(cx, outline, b);
    let done = compute(cx, outline, pc, word, b);
    stores::issue_store_fallback(word, &done, cycles(cx), b);
    pass_results_on(cx, outline, pc, &done, b);
    lower_output_transforms(cx, pc, done.taken, b);
    match done.taken {
        Some(taken) => FallbackExit::Static(BranchSelect::If(taken), smallvec![word.target(), pc + 1]),
        None => FallbackExit::Static(BranchSelect::Only, smallvec![pc + 1]),
    }
}

/// The values computed by a word, as input for later words.
struct WordOutcome {
    /// For each unit, its result: a number, or the number that represents a stage of a complex function. `None` if there is no result.
    results: [Option<Value>; 6],
    /// The values of read port 0 that operands of the next word read.
    port0: [Option<Value>; 4],
    /// The slot in address register 0, if temporaries are stored.
    slot: Option<Value>,
    /// The address register (1 to 3) that is set, and its value.
    address: Option<(usize, Value)>,
    /// Whether the branch is taken; `None` if the word has no branch.
    taken: Option<Value>,
}

fn compute(cx: &Cx<'_>, outline: &Outline, pc: u32, word: &Word, b: &mut Builder) -> WordOutcome {
    let mut alu = alu::Alu::new(cx, outline, pc, word, b);
    let results = ResultOf::ALL.map(|of| alu.result(of));
    let set = alu.address(&results);
    let port0 = alu.port0_for_next();
    let taken = (word.branch != 0).then(|| alu.taken(&results));
    if let Some((_, value)) = set.filter(|(set, _)| set.zero) {
        let var = int(b, File::Address.key(0, 0));
        b.write(var, value);
    }
    let address = set.and_then(|(set, value)| set.later.map(|n| (n, value)));
    let stores_temporary = word.store.iter().any(|s| s.stores_any() && s.temporary != 0 && s.varying == 0);
    let slot = stores_temporary.then(|| {
        let var = int(b, File::Address.key(0, 0));
        let value = b.read(var);
        alu::in_range(cx, b, value)
    });
    stores::varyings(word, &results, b);
    WordOutcome { results, port0, slot, address, taken }
}

/// Passes results to the next word, if that word is in the same block.
fn pass_results_on(cx: &Cx<'_>, outline: &Outline, pc: u32, done: &WordOutcome, b: &mut Builder) {
    if outline.is_leader(pc + 1) || pc + 1 >= count(cx) {
        return;
    }
    for of in ResultOf::ALL {
        if kind(cx.program, outline, pc.wrapping_sub(1), of, pc) != UnitResultKind::Nothing {
            let (one, two) = (float(b, result(of, 1)), float(b, result(of, 2)));
            let value = b.read(one);
            b.write(two, value);
        }
    }
    for (of, value) in ResultOf::ALL.into_iter().zip(done.results) {
        if let Some(value) = value {
            let one = float(b, result(of, 1));
            b.write(one, value);
        }
    }
    for (c, value) in done.port0.into_iter().enumerate() {
        if let Some(value) = value {
            let var = float(b, File::Port.key(0, c));
            b.write(var, value);
        }
    }
}

/// Lowers the output transforms after the last word, for lanes that do not take that word's branch.
fn lower_output_transforms(cx: &Cx<'_>, pc: u32, taken: Option<Value>, b: &mut Builder) {
    if pc + 1 != count(cx) {
        return;
    }
    let [_, _, outputs, viewport] = cx.entry.extra;
    let Outputs { position, point_size } = Outputs::from_word(outputs);
    let Viewport { scale, offset } = Viewport::from_word(viewport);
    let (position, size) = (usize::from(position), usize::from(point_size));
    let choice = cx.options.get(Choice::PositionTransform as usize);
    if choice != 0 && position < 16 && scale != NONE && offset != NONE {
        let [x, y, z, w]: [Var; 4] = std::array::from_fn(|c| float(b, File::Varying.key(position, c)));
        let (one, divisor) = (b.f(1.0), b.read(w));
        let mut inverse = b.div(one, divisor);
        if choice > 1 {
            let (low, high) = (b.f(-1e10), b.f(1e10));
            let at_least = b.max(inverse, low);
            inverse = b.min(at_least, high);
        }
        for (c, var) in [x, y, z].into_iter().enumerate() {
            let old = b.read(var);
            let factor = b.op(Op::Uniform(scale.wrapping_mul(4) + c as u16), &[]);
            let term = b.op(Op::Uniform(offset.wrapping_mul(4) + c as u16), &[]);
            let (factor1, factor2) = if choice == 2 { (factor, inverse) } else { (inverse, factor) };
            let product = b.mul(old, factor1);
            let product = b.mul(product, factor2);
            let new = b.add(product, term);
            write_unless(taken, var, new, b);
        }
        write_unless(taken, w, inverse, b);
    }
    if cx.options.get(Choice::PointSizeTransform as usize) == 1 && size < 16 {
        let var = float(b, File::Varying.key(size, 0));
        let (low, high, old) = (b.f(1.0), b.f(100.0), b.read(var));
        let at_least = b.max(old, low);
        let new = b.min(at_least, high);
        write_unless(taken, var, new, b);
    }
}

fn write_unless(taken: Option<Value>, var: Var, new: Value, b: &mut Builder) {
    let value = match taken {
        Some(taken) => {
            let old = b.read(var);
            b.sel(taken, old, new)
        }
        None => new,
    };
    b.write(var, value);
}
