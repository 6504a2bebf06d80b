//! The lowering of an instruction set to IR, and the part of it that all sets share: nodes are explored (`graph`), sorted and lowered to blocks
//! (`blocks`), or every word becomes a block of the fallback (`fallback`).
//!
//! Nodes are [`Lowering::ControlState`] values: an instruction and all control state that is not a number. The nodes reachable from the entry are
//! explored, sorted by position, joined into blocks where control cannot enter or leave in between, and lowered in that order. A transfer takes a unit
//! of fuel wherever it does in the reference. If there would be more than [`NODES_PER_WORD`] nodes for each instruction, the control state goes into
//! variables instead: one block a word and a dispatching `switch`.

mod blocks;
mod fallback;
mod graph;

pub use blocks::{Nodes, lower_with_nodes, lower_with_origins};
pub use fallback::{PC_FILE, fallback_word, hang_word, lower_by_words};

use super::{Context, Legality, Level, Reference, Violation, run};
use crate::exec::StandardMode;
use crate::ir::{self, Builder, Program, Value};
use smallvec::SmallVec;
use std::fmt::Debug;
use std::hash::Hash;
use tracing::field::Empty;

/// With more nodes than this per word, on average, lowering takes the fallback.
pub const NODES_PER_WORD: usize = 8;

/// With more nodes than this per word, on average, lowering only by nodes fails.
pub const MAX_NODES_PER_WORD: usize = 64;

/// With more nodes than this in all, a long program counts as having too many, even at a ratio that is allowed for shorter ones.
pub const MAX_NODES: usize = 1 << 14;

/// The number of nodes per word that is always allowed, however long the program: a legal instruction is often a node and a transfer.
const MIN_NODES_PER_WORD: usize = 2;

/// The successors of a node. Empty: the lane ends.
pub type Successors<C> = SmallVec<[C; 2]>;

/// How a lowered instruction selects its successor.
#[derive(Clone, Debug)]
pub enum BranchSelect {
    /// There is at most one successor.
    Only,
    /// The first if the value (Bool) holds, else the second.
    If(Value),
    /// The first whose value (Bool) holds; the last successor, which has no value, if none holds.
    First(SmallVec<[Value; 2]>),
    /// There is no successor, and the machine hangs here: the lane ends as [`super::End::Hung`].
    Hang,
}

/// The successors of a word in the fallback.
pub enum FallbackExit {
    /// As for a node, with word numbers as successors.
    Static(BranchSelect, Successors<u32>),
    /// The word whose number is a value (I32). A number equal to the number of words ends the lane, as does any larger number except [`hang_word`],
    /// at which the machine hangs.
    Computed {
        /// The number.
        next: Value,
        /// Whether the transfer costs fuel (Bool), if the lane does not end; `None` if it costs fuel exactly when `next` is not after the word,
        /// because the reference's positions are word numbers.
        back: Option<Value>,
    },
    /// The machine hangs here.
    Hang,
}

/// The way of lowering control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nodes, or the fallback if there would be too many and [`Lowering::has_fallback`].
    Auto,
    /// Nodes, up to [`MAX_NODES_PER_WORD`] for each word and [`MAX_NODES`] in all, though always at least two for each word. For a program without a
    /// fallback only the total is limited.
    Nodes,
    /// The fallback.
    Fallback,
}

/// Why a program was not lowered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    /// The program breaks a rule at error level.
    #[error("{0}")]
    Illegal(Violation),
    /// The program has no instruction at its entry.
    #[error("there is no instruction at the entry")]
    NoEntry,
    /// Its control flow needs more nodes than [`Mode::Nodes`] allows; the fallback has no such limit.
    #[error(
        "the control flow needs more nodes than a program may be lowered to: {MAX_NODES_PER_WORD} a word where there is a fallback, {MAX_NODES} in all"
    )]
    TooManyNodes,
    /// The instruction set's lowering is inconsistent: a bug in Lockstep.
    #[error("instruction {word} is lowered with a decision that does not fit its {successors} exits")]
    Internal {
        /// The number of the instruction.
        word: u32,
        /// The number of successors of its node.
        successors: usize,
    },
}

/// Turns instructions into IR.
///
/// It is written for speed and shares nothing with the reference above [`Domain`](crate::value::Domain), except the order in which lanes take turns:
/// [`Reference::Position`].
pub trait Lowering: Reference {
    /// The lowering's control state: an instruction and all state that is not a number. Ordered by position.
    type ControlState: Clone + Ord + Hash + Debug;
    /// Facts that the lowering computes once for a whole program, so that no instruction has to scan all the others: for instance where blocks end
    /// and which loops enclose an instruction.
    type Outline;
    /// Declares variables, arrays and outputs before the first block.
    fn declare(cx: &Context<'_, Self>, b: &mut Builder);
    /// Code that a lane runs before its first instruction, such as filling registers from inputs; none by default. It has a block of its own, which
    /// runs once.
    fn prologue(_cx: &Context<'_, Self>, _b: &mut Builder) {}
    /// The node at the entry; `None` for a program without instructions.
    fn entry_control(cx: &Context<'_, Self>) -> Option<Self::ControlState>;
    /// The reference's position at a node.
    fn control_position(control: &Self::ControlState) -> Self::Position;
    /// The instruction of a node.
    fn control_word(control: &Self::ControlState) -> u32;
    /// The outline of a program, in time near-linear in its length.
    fn outline(cx: &Context<'_, Self>) -> Self::Outline;
    /// The successors of a node; empty where the lane ends.
    fn successors(
        cx: &Context<'_, Self>,
        outline: &Self::Outline,
        control: &Self::ControlState,
    ) -> Successors<Self::ControlState>;
    /// Lowers a node's instruction and returns how it selects its successor.
    fn lower_node(
        cx: &Context<'_, Self>,
        outline: &Self::Outline,
        control: &Self::ControlState,
        b: &mut Builder,
    ) -> BranchSelect;
    /// Whether the fallback can represent the program; true by default. It can if lanes of a quad reconverge exactly where they do in the reference,
    /// and if its length is proportional to the program's. The fallback only distinguishes words: lanes at one word with different calls or loops
    /// around it run together, so a derivative that ought to be 0 is not. If false, the program is always lowered by nodes, up to the limits of
    /// [`Mode::Nodes`].
    fn has_fallback(_cx: &Context<'_, Self>) -> bool {
        true
    }
    /// Every word once, in the order in which divergent lanes take turns in the fallback: those at the first of these words run first. It must match
    /// the order of the reference's positions. `None`, the default, means the order of word numbers.
    fn word_order(_cx: &Context<'_, Self>) -> Option<Vec<u32>> {
        None
    }
    /// Lowers a word for the fallback, with control state in variables.
    fn lower_word(
        cx: &Context<'_, Self>,
        outline: &Self::Outline,
        word: u32,
        b: &mut Builder,
    ) -> FallbackExit;
}

/// Validates and lowers.
///
/// # Errors
/// The first violation at error level, or that the program has no instruction at its entry.
pub fn lower<I: Legality + Lowering>(cx: &Context<'_, I>, mode: Mode) -> Result<Program, LowerError> {
    let broken = {
        let _span =
            tracing::debug_span!("validate", isa = %I::ID, words = I::instruction_count(cx)).entered();
        I::validate(cx).into_iter().find(|v| v.level == Level::Error)
    };
    if let Some(violation) = broken {
        tracing::info!(rule = violation.code, word = violation.word, "refused: {}", violation.message);
        return Err(LowerError::Illegal(violation));
    }
    lower_validated(cx, mode)
}

/// Lowers a program that validates without errors. The caller must have validated it: see [`lower`].
///
/// # Errors
/// If there is no instruction at the entry, or if there are too many nodes and neither the mode nor the program allows the fallback.
pub fn lower_validated<I: Lowering>(cx: &Context<'_, I>, mode: Mode) -> Result<Program, LowerError> {
    // Literals may be computed during lowering.
    let _mode = StandardMode::enter();
    let span = tracing::debug_span!(
        "lower",
        ?mode,
        words = I::instruction_count(cx),
        blocks = Empty,
        values = Empty
    );
    let _span = span.enter();
    let program = lower_by(cx, mode)?;
    span.record("blocks", program.blocks.len());
    span.record("values", program.values);
    tracing::trace!("{}", ir::print(&program));
    Ok(program)
}

fn lower_by<I: Lowering>(cx: &Context<'_, I>, mode: Mode) -> Result<Program, LowerError> {
    let entry = I::entry_control(cx).ok_or(LowerError::NoEntry)?;
    if mode == Mode::Fallback {
        return fallback::fallback(cx, |_| {});
    }
    let by_nodes = mode == Mode::Nodes || !I::has_fallback(cx);
    let most = limit(cx, mode);
    let outline = I::outline(cx);
    let flow = {
        let span = tracing::debug_span!("explore", nodes = Empty);
        let _span = span.enter();
        let flow = graph::explore(cx, &outline, &entry, most);
        span.record("nodes", flow.as_ref().map(|flow| flow.nodes.len()));
        flow
    };
    match flow {
        Some(flow) => blocks::emit(cx, &outline, &flow, |_, _, _| {}),
        None if by_nodes => Err(LowerError::TooManyNodes),
        None => {
            let words = I::instruction_count(cx);
            tracing::info!(words, most, "fallback: control flow needs too many nodes");
            fallback::fallback(cx, |_| {})
        }
    }
}

/// The maximum number of nodes for a program.
fn limit<I: Lowering>(cx: &Context<'_, I>, mode: Mode) -> usize {
    let words = I::instruction_count(cx) as usize;
    let in_all = MAX_NODES.max(MIN_NODES_PER_WORD * words);
    let a_word = match mode {
        // There is no fallback.
        _ if !I::has_fallback(cx) => return in_all,
        Mode::Nodes => MAX_NODES_PER_WORD,
        Mode::Auto | Mode::Fallback => NODES_PER_WORD,
    };
    (a_word * words).min(in_all) + 8
}

/// Whether a transfer from one node to another takes a unit of fuel: see [`run::costs_fuel`].
fn costs_fuel<I: Lowering>(from: &I::ControlState, to: &I::ControlState) -> bool {
    run::costs_fuel::<I>(&I::control_position(from), &I::control_position(to))
}

/// The number of the first condition that holds, or the last number.
fn choose(b: &mut Builder, conditions: &[Value], numbers: &[i32]) -> Value {
    let last = numbers.last().copied().unwrap_or(0);
    let mut value = b.i(last);
    for (condition, number) in conditions.iter().zip(numbers).rev() {
        let number = b.i(*number);
        value = b.sel_i(*condition, number, value);
    }
    value
}
