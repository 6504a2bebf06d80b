//! The lowering of an instruction set to IR, with the code that all instruction sets share. The lowering has two modes: nodes are explored (`graph`),
//! sorted and lowered to blocks (`blocks`), or every word becomes a block of the fallback (`fallback`).
//!
//! A node is a [`Lowering::ControlState`] value: an instruction with its control state, except for numbers such as loop counters, which are in
//! variables. The nodes reachable from the entry are explored, sorted by position, merged into blocks where control flow cannot enter or leave in
//! between, and lowered in that order. A transfer costs a unit of fuel exactly where it does in the reference. If there would be too many
//! nodes, [`Mode::Auto`] keeps the control state in variables instead, where the program allows it: one block per word and a dispatching `switch`.

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

/// The average number of nodes per word above which [`Mode::Auto`] uses the fallback; very short programs may have a few more nodes.
pub const NODES_PER_WORD: usize = 8;

/// The average number of nodes per word above which [`Mode::Nodes`] fails for a program that has a fallback.
pub const MAX_NODES_PER_WORD: usize = 64;

/// The total number of nodes above which a long program has too many, even if the average per word is allowed.
pub const MAX_NODES: usize = 1 << 14;

/// The number of nodes per word that is allowed for programs of any length: a legal instruction is often lowered to a node and a transfer.
const MIN_NODES_PER_WORD: usize = 2;

/// The successors of a node in the control-flow graph. Empty if the lane ends.
pub type Successors<C> = SmallVec<[C; 2]>;

/// How a lowered instruction selects its successor.
#[derive(Clone, Debug)]
pub enum BranchSelect {
    /// Unconditionally: there is at most one successor.
    Only,
    /// The first successor if the value (Bool) is true, else the second.
    If(Value),
    /// The first successor whose value (Bool) is true. The last successor has no value and is selected if none is true.
    First(SmallVec<[Value; 2]>),
    /// There is no successor because the machine hangs here: the lane ends with [`super::End::Hung`].
    Hang,
}

/// The way in which a word of the fallback selects its successor.
pub enum FallbackExit {
    /// Static successors as for a node, given as word numbers.
    Static(BranchSelect, Successors<u32>),
    /// The word whose number is a value (I32). A number that is at least the number of words ends the lane, except for [`hang_word`], which makes the
    /// machine hang.
    Computed {
        /// The word number.
        next: Value,
        /// Whether the transfer costs fuel (Bool), if the lane does not end. `None` if it costs fuel exactly when `next` is not after the current
        /// word, for sets in which the reference's positions are word numbers.
        costs_fuel: Option<Value>,
    },
    /// The machine hangs at this word.
    Hang,
}

/// How control flow is lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By nodes, or by the fallback if there would be too many nodes and [`Lowering::has_fallback`] is true.
    Auto,
    /// By nodes, up to [`MAX_NODES_PER_WORD`] per word and [`MAX_NODES`] in total. Two nodes per word are always allowed. For a program without a
    /// fallback, only the total is limited.
    Nodes,
    /// By the fallback.
    Fallback,
}

/// The reason why a program was not lowered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    /// The program breaks a rule at error level.
    #[error("{0}")]
    Illegal(Violation),
    /// The program has no instruction at its entry.
    #[error("there is no instruction at the entry")]
    NoEntry,
    /// The control flow needs more nodes than [`Mode::Nodes`] allows. The fallback has no such limit.
    #[error(
        "too many nodes in the control flow: the limit is {MAX_NODES} in all and, if there is a fallback, {MAX_NODES_PER_WORD} per instruction word"
    )]
    TooManyNodes,
    /// The instruction set's lowering is inconsistent, which is a bug in Lockstep.
    #[error(
        "bug in Lockstep: the branch selection of instruction {word} does not match its number of successors, {successor_count}"
    )]
    Internal {
        /// Index of the instruction.
        word: u32,
        /// The number of successors of the instruction's node.
        successor_count: usize,
    },
}

/// Lowers instructions to IR.
///
/// The lowering is written for speed and independently of the reference. The two share only the program's types, the tables, the environment,
/// [`Domain`](crate::value::Domain) and the order in which divergent lanes run: [`Reference::Position`].
pub trait Lowering: Reference {
    /// The control state of the lowering: an instruction with its control state, except for numbers such as loop counters, which are in variables.
    /// Control states are ordered by position.
    type ControlState: Clone + Ord + Hash + Debug;
    /// Facts that the lowering computes once per program, so that no instruction has to scan all others: for instance the ends of blocks and the
    /// loops that enclose an instruction.
    type Outline;
    /// Declares variables, arrays and outputs. Called before the first block is built.
    fn declare(cx: &Context<'_, Self>, b: &mut Builder);
    /// Emits code that runs before the first instruction, such as filling registers from inputs; none by default. The code has a block of its own,
    /// which runs once per lane.
    fn prologue(_cx: &Context<'_, Self>, _b: &mut Builder) {}
    /// Returns the node at the entry; `None` for a program without instructions.
    fn entry_control(cx: &Context<'_, Self>) -> Option<Self::ControlState>;
    /// Returns the reference's position that corresponds to a node.
    fn control_position(control: &Self::ControlState) -> Self::Position;
    /// Returns the word number of a node's instruction.
    fn control_word(control: &Self::ControlState) -> u32;
    /// Computes the outline of a program, in time near-linear in its length.
    fn outline(cx: &Context<'_, Self>) -> Self::Outline;
    /// Returns the successors of a node; empty if the lane ends there.
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
    /// Whether the fallback can represent the program; true by default. Two conditions are required. Lanes of a quad must reconverge exactly where
    /// they do in the reference, and the length of the fallback must be proportional to the program's. The fallback distinguishes only words: lanes
    /// at one word run together even if their active calls or loops differ, so a derivative that should be 0 may differ. If false, the program is
    /// always lowered by nodes, up to the limits of [`Mode::Nodes`].
    fn has_fallback(_cx: &Context<'_, Self>) -> bool {
        true
    }
    /// Returns every word once, in the order in which divergent lanes run in the fallback: lanes at an earlier word of the list run first. The list
    /// must match the order of the reference's positions. `None`, the default, stands for ascending word numbers.
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

/// Validates and lowers a program.
///
/// # Errors
/// The first violation at error level, or an error of [`lower_validated`].
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
/// If there is no instruction at the entry, or if there are too many nodes and the mode or the program does not allow the fallback. An inconsistent
/// lowering is a [`LowerError::Internal`].
pub fn lower_validated<I: Lowering>(cx: &Context<'_, I>, mode: Mode) -> Result<Program, LowerError> {
    // Lowering may evaluate literals, which needs the standard floating-point mode.
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
    let most = max_nodes(cx, mode);
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

/// Returns the maximum number of nodes for a program.
fn max_nodes<I: Lowering>(cx: &Context<'_, I>, mode: Mode) -> usize {
    let words = I::instruction_count(cx) as usize;
    let in_all = MAX_NODES.max(MIN_NODES_PER_WORD * words);
    let a_word = match mode {
        // The program has no fallback, so only the total is limited.
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

/// Emits code that selects the number of the first condition that is true, or the last number if none is.
fn choose(b: &mut Builder, conditions: &[Value], numbers: &[i32]) -> Value {
    let last = numbers.last().copied().unwrap_or(0);
    let mut value = b.i(last);
    for (condition, number) in conditions.iter().zip(numbers).rev() {
        let number = b.i(*number);
        value = b.sel_i(*condition, number, value);
    }
    value
}
