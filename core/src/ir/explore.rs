//! Lowers an instruction set's program to IR: the part that all sets share.
//!
//! Nodes are [`Isa::ControlState`] values: an instruction and all control state that is not a number. The nodes reachable from the entry are explored,
//! sorted by position, joined into blocks where control cannot enter or leave in between, and lowered in that order. A transfer takes a unit of fuel
//! wherever it does in the reference. If there would be more than [`NODES_PER_WORD`] nodes for each instruction, the control state goes into variables
//! instead: one block a word and a dispatching `switch`.

use super::builder::Builder;
use super::nodes::{Flow, Node, explore};
use super::op::{Op, Ty};
use super::program::{BlockId, Program, Terminator, Value, VarKey};
use crate::exec::StandardMode;
use crate::isa::{Context, Isa, run};
use crate::value::ICmp;
use smallvec::SmallVec;
use tracing::field::Empty;

/// With more nodes than this per word, on average, lowering takes the fallback.
pub const NODES_PER_WORD: usize = 8;

/// With more nodes than this per word, on average, lowering by nodes alone fails.
pub const MAX_NODES_PER_WORD: usize = 64;

/// With more nodes than this in all, a long program counts as having too many, even at a ratio that is allowed for shorter ones.
pub const MAX_NODES: usize = 1 << 14;

/// The number of nodes per word that is always allowed, however long the program: a legal instruction is often a node and a transfer.
const MIN_NODES_PER_WORD: usize = 2;

/// The register file number under which the fallback keeps the program counter.
pub const PC_FILE: u8 = 255;

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
    /// There is no successor, and the machine hangs here: the lane ends as [`crate::isa::End::Hung`].
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

/// The number that [`FallbackExit::Computed`] and the successors of [`FallbackExit::Static`] use for the point where the machine hangs, in a program of
/// `words` words.
pub fn hang_word(words: u32) -> u32 {
    words + 1
}

/// The way of lowering control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nodes, or the fallback if there would be too many and [`Isa::has_fallback`].
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
    Illegal(crate::isa::Violation),
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

/// Lowers a program that validates without errors. The caller must have validated it: see [`crate::isa::lower`].
///
/// # Errors
/// If there is no instruction at the entry, or if there are too many nodes and neither the mode nor the program allows the fallback.
pub fn lower<I: Isa>(cx: &Context<'_, I>, mode: Mode) -> Result<Program, LowerError> {
    // Literals may be computed during lowering.
    let _mode = StandardMode::enter();
    let span = tracing::debug_span!("lower", ?mode, words = I::words(cx), blocks = Empty, values = Empty);
    let _span = span.enter();
    let program = lower_by(cx, mode)?;
    span.record("blocks", program.blocks.len());
    span.record("values", program.values);
    tracing::trace!("{}", super::print(&program));
    Ok(program)
}

fn lower_by<I: Isa>(cx: &Context<'_, I>, mode: Mode) -> Result<Program, LowerError> {
    let entry = I::entry_config(cx).ok_or(LowerError::NoEntry)?;
    if mode == Mode::Fallback {
        return fallback(cx, |_| {});
    }
    let by_nodes = mode == Mode::Nodes || !I::has_fallback(cx);
    let most = limit(cx, mode);
    let outline = I::outline(cx);
    let flow = {
        let span = tracing::debug_span!("explore", nodes = Empty);
        let _span = span.enter();
        let flow = explore(cx, &outline, &entry, most);
        span.record("nodes", flow.as_ref().map(|flow| flow.nodes.len()));
        flow
    };
    match flow {
        Some(flow) => emit(cx, &outline, &flow, |_, _| {}),
        None if by_nodes => Err(LowerError::TooManyNodes),
        None => {
            let words = I::words(cx);
            tracing::info!(words, most, "fallback: control flow needs too many nodes");
            fallback(cx, |_| {})
        }
    }
}

/// The maximum number of nodes for a program.
fn limit<I: Isa>(cx: &Context<'_, I>, mode: Mode) -> usize {
    let words = I::words(cx) as usize;
    let in_all = MAX_NODES.max(MIN_NODES_PER_WORD * words);
    let a_word = match mode {
        // There is no fallback.
        _ if !I::has_fallback(cx) => return in_all,
        Mode::Nodes => MAX_NODES_PER_WORD,
        Mode::Auto | Mode::Fallback => NODES_PER_WORD,
    };
    (a_word * words).min(in_all) + 8
}

/// The nodes of a lowered program in order, each with the block of its instruction. Blocks not listed only take fuel.
pub type Nodes<C> = Vec<(BlockId, C)>;

/// Lowers by nodes and returns the block of each node: the starting point of step simulation.
///
/// # Errors
/// As [`lower`] in [`Mode::Nodes`].
pub fn lower_with_nodes<I: Isa>(
    cx: &Context<'_, I>,
) -> Result<(Program, Nodes<I::ControlState>), LowerError> {
    let entry = I::entry_config(cx).ok_or(LowerError::NoEntry)?;
    let outline = I::outline(cx);
    let flow = explore(cx, &outline, &entry, limit(cx, Mode::Nodes)).ok_or(LowerError::TooManyNodes)?;
    let mut places = Vec::with_capacity(flow.nodes.len());
    let program = emit(cx, &outline, &flow, |block, config| places.push((block, config.clone())))?;
    Ok((program, places))
}

/// Whether a transfer from one node to another takes a unit of fuel: see [`run::costs_fuel`].
fn costs_fuel<I: Isa>(from: &I::ControlState, to: &I::ControlState) -> bool {
    run::costs_fuel::<I>(&I::config_position(from), &I::config_position(to))
}

/// Marks a node that continues the previous node's block.
const JOINED: u32 = u32::MAX;

/// Builds the program of a control-flow graph; calls `place` with the block of each node, in order.
fn emit<I: Isa>(
    cx: &Context<'_, I>,
    outline: &I::Outline,
    Flow { nodes, entry }: &Flow<I::ControlState>,
    mut place: impl FnMut(BlockId, &I::ControlState),
) -> Result<Program, LowerError> {
    let mut b = Builder::new(I::group(cx));
    I::declare(cx, &mut b);
    I::prologue(cx, &mut b);
    let first = u32::from(b.is_open());

    // Blocks are numbered before they are built: one for each leader, then one for each of its exits that cost fuel if it has several. A node starts
    // a block unless its only entry is falling through from the previous node at no cost.
    let config_of = |number: &u32| &nodes[*number as usize].config;
    let mut block_of = Vec::with_capacity(nodes.len());
    let mut next = first;
    for (k, Node { config, successors, predecessors }) in nodes.iter().enumerate() {
        let joined = k > 0
            && *predecessors == 1
            && matches!(nodes[k - 1].successors.as_slice(), [only] if *only as usize == k)
            && !costs_fuel::<I>(&nodes[k - 1].config, config)
            && k != *entry as usize;
        block_of.push(if joined { JOINED } else { next });
        next += u32::from(!joined);
        if successors.len() > 1 {
            next += successors.iter().filter(|to| costs_fuel::<I>(config, config_of(to))).count() as u32;
        }
    }
    let block_at = |to: &u32| BlockId(block_of[*to as usize]);

    if first == 1 {
        b.end_block(I::config_word(config_of(entry)), Terminator::Jump(block_at(entry)));
    }
    let mut origin = 0;
    for (k, node) in nodes.iter().enumerate() {
        let config = &node.config;
        place(BlockId(b.blocks()), config);
        if block_of[k] != JOINED {
            origin = I::config_word(config);
        }
        let decision = I::lower_node(cx, outline, config, &mut b);
        if block_of.get(k + 1) == Some(&JOINED) {
            continue;
        }
        if let [only] = node.successors.as_slice() {
            if costs_fuel::<I>(config, config_of(only)) {
                b.op(Op::Fuel(1), &[]);
            }
            b.end_block(origin, Terminator::Jump(block_at(only)));
            continue;
        }
        let here = b.blocks();
        let mut extra = SmallVec::<[BlockId; 2]>::new();
        let targets: SmallVec<[BlockId; 2]> = node
            .successors
            .iter()
            .map(|to| {
                let block = block_at(to);
                if costs_fuel::<I>(config, config_of(to)) {
                    extra.push(block);
                    BlockId(here + extra.len() as u32)
                } else {
                    block
                }
            })
            .collect();
        let successors = targets.len();
        let terminator = terminator(&mut b, decision, &targets)
            .ok_or(LowerError::Internal { word: I::config_word(config), successors })?;
        b.end_block(origin, terminator);
        for block in extra {
            b.op(Op::Fuel(1), &[]);
            b.end_block(origin, Terminator::Jump(block));
        }
    }
    let entry = if first == 1 { BlockId(0) } else { block_at(entry) };
    Ok(b.finish(entry))
}

/// `None` if the decision does not fit the number of targets.
fn terminator(b: &mut Builder, decision: BranchSelect, targets: &[BlockId]) -> Option<Terminator> {
    Some(match (decision, targets) {
        (BranchSelect::Hang, []) => Terminator::Hang,
        (BranchSelect::Only, []) => Terminator::Return,
        (BranchSelect::Only, [only]) => Terminator::Jump(*only),
        (BranchSelect::If(c), [yes, no]) => Terminator::Branch(c, *yes, *no),
        (BranchSelect::First(conditions), _) if targets.len() == conditions.len() + 1 => {
            let number = choose(b, &conditions, &(0..targets.len() as i32).collect::<SmallVec<[i32; 4]>>());
            Terminator::Switch(number, targets.to_vec())
        }
        _ => return None,
    })
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

/// Lowers by the fallback and calls `lowered` after each word: the starting point of step simulation of the fallback.
///
/// # Errors
/// As [`lower`] in [`Mode::Fallback`].
pub fn lower_by_words<I: Isa>(cx: &Context<'_, I>, lowered: impl FnMut(u32)) -> Result<Program, LowerError> {
    I::entry_config(cx).ok_or(LowerError::NoEntry)?;
    fallback(cx, lowered)
}

/// The exact fallback: control state in variables, one block a word, and one that dispatches. Calls `lowered` after each word, in order.
fn fallback<I: Isa>(cx: &Context<'_, I>, mut lowered: impl FnMut(u32)) -> Result<Program, LowerError> {
    let words = I::words(cx);
    let outline = I::outline(cx);
    let mut b = Builder::new(I::group(cx));
    I::declare(cx, &mut b);
    I::prologue(cx, &mut b);
    let dispatch = BlockId(u32::from(b.is_open()));
    let key = VarKey { file: PC_FILE, index: 0, component: 0 };
    let start = I::entry_config(cx).map_or(0, |c| I::config_word(&c));
    let pc = b.var(key, Ty::I32, start);
    if dispatch.0 == 1 {
        b.end_block(start, Terminator::Jump(dispatch));
    }
    // Two blocks a word: the word itself, and the fuel for a backward transfer. The last two blocks end the lane and hang it.
    let order = I::word_order(cx).filter(|order| order.len() == words as usize);
    let mut rank: Vec<u32> = (0..=words).collect();
    for (at, word) in order.iter().flatten().enumerate() {
        if let Some(rank) = rank.get_mut(*word as usize) {
            *rank = at as u32;
        }
    }
    let word_block = |w: u32| BlockId(dispatch.0 + 1 + 2 * rank[w as usize]);
    let (end, hang) = (word_block(words), BlockId(word_block(words).0 + 1));
    let at = b.read(pc);
    let targets = (0..words).map(word_block).chain([end, hang, end]).collect();
    b.end_block(0, Terminator::Switch(at, targets));
    for at in 0..words {
        let word = order.as_ref().map_or(at, |order| order[at as usize]);
        let mut costs = None;
        let next = match I::lower_word(cx, &outline, word, &mut b) {
            FallbackExit::Hang => Err(Terminator::Hang),
            FallbackExit::Computed { next, back } => {
                costs = back;
                Ok(next)
            }
            FallbackExit::Static(decision, successors) => {
                let numbers: SmallVec<[i32; 4]> = successors.iter().map(|w| *w as i32).collect();
                match (decision, numbers.as_slice()) {
                    (BranchSelect::Hang, []) => Err(Terminator::Hang),
                    (BranchSelect::Only, []) => Err(Terminator::Return),
                    (BranchSelect::Only, [only]) => Ok(b.i(*only)),
                    (BranchSelect::If(c), [yes, no]) => {
                        let (yes, no) = (b.i(*yes), b.i(*no));
                        Ok(b.sel_i(c, yes, no))
                    }
                    (BranchSelect::First(conditions), all) if all.len() == conditions.len() + 1 => {
                        Ok(choose(&mut b, &conditions, all))
                    }
                    _ => return Err(LowerError::Internal { word, successors: successors.len() }),
                }
            }
        };
        match next {
            Err(terminator) => {
                b.end_block(word, terminator);
            }
            Ok(next) => {
                b.write(pc, next);
                // next <= word, where an out-of-range number counts as forward: it ends the lane.
                let here = b.i(word as i32 + 1);
                let back = costs.unwrap_or_else(|| b.icmp(ICmp::LtU, next, here));
                b.end_block(word, Terminator::Branch(back, BlockId(word_block(word).0 + 1), dispatch));
            }
        }
        b.op(Op::Fuel(1), &[]);
        b.end_block(word, Terminator::Jump(dispatch));
        lowered(word);
    }
    b.end_block(words, Terminator::Return);
    b.end_block(words, Terminator::Hang);
    Ok(b.finish(BlockId(0)))
}

/// The instruction of a block in a program lowered by the fallback, if it has one: not the prologue, nor a block that dispatches, takes fuel or ends.
pub fn fallback_word(program: &Program, block: BlockId) -> Option<u32> {
    let dispatches =
        |b: u32| matches!(program.blocks.get(b as usize)?.terminator, Terminator::Switch(..)).then_some(b);
    let first = dispatches(0).or_else(|| dispatches(1))? + 1;
    let after = block.0.checked_sub(first)?;
    let is_word = after % 2 == 0 && block.0 as usize + 2 < program.blocks.len();
    is_word.then(|| program.blocks[block.0 as usize].origin)
}
