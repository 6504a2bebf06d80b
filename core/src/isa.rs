//! The trait [`Isa`] and the types around it: what each instruction set has to provide.
//!
//! | | AGAL | D3D9 | PICA200 | A2xx | Utgard GP |
//! |---|---|---|---|---|---|
//! | word | 24-byte token | u32 tokens, lengths by version | u32, opcode field of 3 to 6 bits | 96-bit slot; two CF clauses in one | 128-bit VLIW |
//! | program parts ([`Isa::Program`]) | header, tokens | version, instructions, comments, END, tail | SHBIN blocks, code, operand descriptors, uniforms, labels | CF area, ALU and FETCH slots, raw gaps, container | words |
//! | code without its container ([`Isa::code`]) | tokens | everything up to and including END | words; descriptors as its table | the entry's shader | words |
//! | entries ([`Entry`]) | one, from the header | one, from the version token | one a DVLE, or given | given, or from the container | given: count, prefetch |
//! | number domain ([`crate::value`]) | binary32 | binary32, `mulz` by option | f24 by `narrow`, `flush`, `mulz` by option | binary32, flushed inputs, legacy multiply | binary32, flushed in two units, opaque stages of complex functions |
//! | environment ([`crate::host::Environment`]) | constants, samplers, attributes or varyings, instance id | constants, ints, bools, samplers | constants, ints, bools | constants, loop constants (`ints`), bools, samplers, buffers | constants (uniform slots), attributes |
//! | outputs ([`Isa::output`]) | position and varyings; colours and depth | position, fog, size, colours, coordinates; colours, depth | o0 to o15 | none: all results are effects | varyings |
//! | effects ([`crate::host::Effect`]) | kill | kill | emitted vertices | exports, memory exports, kill | none |
//! | control state ([`Isa::ControlState`]) | pc | pc, loop and call stacks | pc, three ring-shaped stacks | clause, slot in it, call and loop stacks | pc, pipeline age, pending stores |
//! | conditions ([`BranchSelect`]) | two compared components | Booleans, predicate lanes, comparisons | two flags, Booleans | predicate, Booleans | pass result |
//! | loops ([`Op::Fuel`]) | none | rep, loop | LOOP, backward jumps | loop clauses, backward jumps | backward branches |
//! | calls ([`Isa::calls`]) | none | take fuel | take it when the call or the return goes backwards | take fuel | none |
//! | outline ([`Isa::Outline`]) | ends of blocks | ends of blocks, loops around, labels, samplers | which scopes end where | clauses of a slot, enclosing loops | basic blocks, what is stored to |
//! | indexable state ([`Op::Load`], [`Op::UniformAt`]) | constants | constants, inputs, outputs | constants | constants, general registers | uniforms, temporaries |
//! | quads ([`Isa::group`]) | fragment, derivatives and mip selection | pixel, likewise | none | pixel, likewise | none |
//! | hazards | none | co-issue and predication read the state before | descriptors shared by words; jumps lost on last words | both halves read before either writes; previous scalar | results one and two words old; store latencies |
//! | fallback ([`Isa::lower_word`]) | static exits | computed return address | stacks in variables | stacks in variables | static exits, stores on their way in variables |
//! | facets ([`Isa::facets`]) | of operands, samplers, stages and versions | of operands, results, co-issue; versions are contexts | of operands, results, conditions, flow and vertices | of clauses, halves of slots, fetches | of units, stores and branches |
//!
//! If an instruction set needs something that the trait cannot express, change the trait.
//!
//! [`Op::Fuel`]: crate::ir::Op::Fuel
//! [`Op::Load`]: crate::ir::Op::Load
//! [`Op::UniformAt`]: crate::ir::Op::UniformAt

pub mod a2xx;
pub mod agal;
mod code;
pub mod d3d9;
mod edit;
mod entry;
pub mod facet;
mod label;
mod list;
mod manual;
mod options;
pub mod pica200;
mod rooms;
mod rule;
pub mod run;
pub mod source;
pub mod utgard_gp;
mod violation;
mod worklist;

pub use code::Code;
pub use edit::Edit;
pub use entry::{Entry, Interface, Port, Stage, output_number};
pub use label::{Given, Label};
pub use list::IsaId;
pub use options::{OptionSpec, Options, OptionsError};
pub use rule::RuleRow;
pub use run::{End, LaneState};
pub use source::Source;
pub use violation::{Level, Violation};

use rooms::rooms;

use crate::binary::DecodeError;
use crate::host::{Environment, Host};
use crate::ir::eval::Scalar;
use crate::ir::{self, BranchSelect, Builder, FallbackExit, LowerError, Mode, Successors, Var, VarKey};
use crate::text::{Diagnostic, WithSpans};
use crate::value::Domain;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::Range;

/// A program, one way to run it, and the options to run it with.
#[derive(Debug)]
pub struct Context<'a, I: Isa> {
    /// The decoded file.
    pub program: &'a I::Program,
    /// The way it is run.
    pub entry: &'a Entry,
    /// The options: a choice wherever the documents disagree.
    pub options: &'a Options,
}

impl<I: Isa> Clone for Context<'_, I> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I: Isa> Copy for Context<'_, I> {}

/// Values of IR variables, each with the key of its variable; refinement maps states in this form.
pub type State<D> = Vec<(VarKey, Scalar<D>)>;

/// The key under which refinement reads a lane's sticky kill mark (Bool). No lowering declares it.
pub const KILLED: VarKey = VarKey { file: 254, index: 0, component: 0 };

/// The file number of the keys by which [`Isa::unit_writes`] names components of effects; `index` is the effect's.
pub const EFFECTS: u8 = 253;

/// The key by which [`Isa::unit_writes`] names the choice of the next instruction.
pub const CONTROL: VarKey = VarKey { file: 252, index: 0, component: 0 };

/// A program for the proof of one lowering rule.
#[derive(Clone, Debug)]
pub struct RuleInstance<P> {
    /// Opcode, stage, version and modifier class.
    pub name: String,
    /// The program: the instruction and the context it needs.
    pub program: P,
    /// Whether to try mutants of its lowering: true if no other program contains the rule in this form.
    pub mutate: bool,
}

/// The description of an opcode for tools that are independent of the instruction set.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// Number in its encoding.
    pub number: u32,
    /// Name in the instruction set's assembly syntax.
    pub mnemonic: &'static str,
    /// Its effect, in one line.
    pub meaning: &'static str,
    /// The document and section that define it, with the evidence tag.
    pub source: &'static str,
}

/// A coverage point: one instruction's opcode and one of its modifiers. Used for coverage and signatures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoverPoint {
    /// The mnemonic.
    pub opcode: &'static str,
    /// The modifier class: mask, swizzle, register file, option word, stage or version, as `what=which`.
    pub modifier: String,
}

/// An instruction set: all that the rest of Lockstep needs of it.
///
/// Decoding is lossless, the reference and the lowering share nothing above [`Domain`], and everything that is not a number is in
/// [`Isa::ControlState`].
pub trait Isa: Sized + Copy + Debug + Send + Sync + 'static {
    /// The identifier of the instruction set.
    const ID: IsaId;
    /// A decoded file.
    type Program: Clone + PartialEq + Debug + Send + Sync;
    /// The reference's state of one lane.
    type Lane<D: Domain>: Clone + Debug;
    /// The position of a lane of the reference: call sites, then program counter.
    type Position: Copy + Ord + Debug;
    /// The lowering's control state: an instruction and all state that is not a number. Ordered by position.
    type ControlState: Clone + Ord + Hash + Debug;
    /// Facts that the lowering computes once for a whole program, so that no instruction has to scan all the others: for instance where blocks end
    /// and which loops enclose an instruction.
    type Outline;

    // ---- tables

    /// The options: the points on which the documents disagree, each with its choices; the first is the default.
    fn axes() -> &'static [OptionSpec];
    /// Every opcode.
    fn opcodes() -> &'static [OpcodeInfo];
    /// Every bit layout.
    fn layouts() -> &'static [crate::binary::Layout];
    /// The manual, printed from the tables.
    fn manual() -> String;
    /// The sources of the facts in the tables: every tag that they cite.
    fn sources() -> &'static [Source];

    /// The number of every rule.
    fn rules() -> Vec<u16>;
    /// Whether a program that breaks the rule of this number may depend on a value that no document defines.
    fn leaves_undefined(rule: u16) -> bool;

    // ---- bytes and text

    /// Reads a program. [`Isa::encode`] reproduces every accepted input byte for byte.
    ///
    /// # Errors
    /// If the bytes do not have the structure of a program; with offset, field and value.
    fn decode(bytes: &[u8]) -> Result<Self::Program, DecodeError>;
    /// Writes a program.
    fn encode(program: &Self::Program) -> Vec<u8>;
    /// The byte range of each instruction in the output of [`Isa::encode`], by number as [`Isa::words`] counts them. Instructions that share a byte
    /// both include it.
    fn places(program: &Self::Program) -> Vec<Range<usize>>;
    /// The number of bytes of its file that belong to a program: all, by default. Override it where bytes may follow that the decoder ignores.
    fn extent(program: &Self::Program) -> usize {
        Self::encode(program).len()
    }
    /// The instructions that an entry runs in, without the rest of the file; by default all bytes that belong to the program.
    fn code(program: &Self::Program, _entry: &Entry) -> Code {
        let mut bytes = Self::encode(program);
        bytes.truncate(Self::extent(program));
        Code::plain(bytes)
    }
    /// Converts a file in another form, named by its extension, to the bytes that [`Isa::decode`] reads; `None`, the default, for unsupported
    /// extensions.
    ///
    /// # Errors
    /// The errors in a text file of the other form, with their spans.
    fn import(_extension: &str, _bytes: &[u8]) -> Option<Result<Vec<u8>, Vec<Diagnostic>>> {
        None
    }
    /// File extensions, in lower case, other than its own name, of files that hold nothing but programs of this instruction set.
    fn extensions() -> &'static [&'static str] {
        &[]
    }
    /// Whether a line clearly begins an assembly text of this instruction set, such as a version or a directive. Never, by default, where a text may
    /// begin with any instruction.
    fn begins_text(_line: &str) -> bool {
        false
    }
    /// A description of a text that another tool prints about programs and that is not a dialect of the assembler, recognised by its contents; `None`
    /// for any other text.
    fn foreign_report(_text: &str) -> Option<&'static str> {
        None
    }
    /// The program with the information from a compiler's notes in a file beside it; `None`, the default, if they add nothing.
    fn annotate(_program: &Self::Program, _notes: &str) -> Option<Self::Program> {
        None
    }
    /// Whether a file with these first bytes may be a program of this instruction set.
    fn recognizes(bytes: &[u8]) -> bool;
    /// The entries that a program names itself.
    fn entries(program: &Self::Program) -> Vec<Entry>;
    /// One of [`Isa::entries`], by number. Override it where a program can have many and computing each takes a pass over all instructions.
    fn entry(program: &Self::Program, number: usize) -> Option<Entry> {
        Self::entries(program).into_iter().nth(number)
    }
    /// The number of [`Isa::entries`]. Override it together with [`Isa::entry`].
    fn entry_count(program: &Self::Program) -> usize {
        Self::entries(program).len()
    }
    /// Writes the constants that the program itself defines into an environment, overwriting what is there; nothing by default. Done before a run,
    /// for every engine.
    fn preset(_program: &Self::Program, _entry: &Entry, _env: &mut Environment) {}
    /// The program's own names for its inputs and constants, besides the names of registers; none by default.
    fn labels(_program: &Self::Program, _entry: &Entry) -> Vec<Label> {
        Vec::new()
    }
    /// The table of an instruction's facets. Coverage points ([`facet::points`]) and instances of lowering rules ([`facet::rule_instances`]) come
    /// from it.
    fn facets() -> &'static facet::Table<Self::Program>;
    /// Every violation of a rule, in program order.
    fn validate(cx: &Context<'_, Self>) -> Vec<Violation>;
    /// Reads assembly text. Also returns the span of each instruction in the text, by its number; none for instructions without text of their own.
    ///
    /// # Errors
    /// All errors found, not just the first, with their spans.
    fn assemble_with_spans(text: &str) -> Result<WithSpans<Self::Program>, Vec<Diagnostic>>;
    /// [`Isa::assemble_with_spans`] without the spans.
    ///
    /// # Errors
    /// The same.
    fn assemble(text: &str) -> Result<Self::Program, Vec<Diagnostic>> {
        Self::assemble_with_spans(text).map(|(program, _)| program)
    }
    /// Writes assembly text that assembles to the same program.
    fn disassemble(program: &Self::Program) -> String;
    /// Number of instruction words.
    fn words(cx: &Context<'_, Self>) -> u32;
    /// The cost of one pass over all words, in ordinary instructions. Together with the fuel it bounds how long a case may run.
    fn work(cx: &Context<'_, Self>) -> u64 {
        u64::from(Self::words(cx))
    }
    /// One instruction as text.
    fn disassemble_word(program: &Self::Program, word: u32) -> String;
    /// [`facet::Table::points`] for many instructions of a program, in time near-linear in their number. Override it where points depend on more than
    /// the instruction.
    fn classifier(program: &Self::Program) -> impl Fn(u32) -> Vec<CoverPoint> {
        move |word| Self::facets().points(program, word)
    }
    /// Whether the unit that `class` belongs to writes `key`: a unit of a word that has several, or one of two co-issued instructions. Keys are those
    /// of variables, [`KILLED`], [`CONTROL`], or those of [`EFFECTS`]. True for every key by default.
    fn unit_writes(_program: &Self::Program, _word: u32, _class: &CoverPoint, _key: VarKey) -> bool {
        true
    }
    /// The direct effects of an instruction, as keys of the state right after it, [`KILLED`], [`CONTROL`] and those of [`EFFECTS`]. `None`, the
    /// default, means that they are what the lowering of the instruction writes. That does not hold where results wait in variables that every
    /// instruction moves along.
    fn direct_effects(_program: &Self::Program, _word: u32) -> Option<Vec<VarKey>> {
        None
    }
    /// Name of an output slot in assembly syntax.
    fn output_name(entry: &Entry, slot: u16) -> String;
    /// Name of an input slot in assembly syntax.
    fn input_name(entry: &Entry, slot: u16) -> String;
    /// Name of a slot of the float constant file in assembly syntax.
    fn constant_name(_entry: &Entry, slot: i32) -> String {
        format!("c{slot}")
    }
    /// Name of an effect's destination in assembly syntax; a number within its kind if it has no name.
    fn effect_name(_entry: &Entry, kind: u8, index: u16) -> String {
        format!("effect {kind}.{index}")
    }
    /// Name of a variable that the lowering declared.
    fn var_name(entry: &Entry, key: VarKey) -> String;

    // ---- the reference

    /// Lanes that run together: 1, or 4 where derivatives are needed.
    fn group(cx: &Context<'_, Self>) -> u8;
    /// A lane at the entry. `lane` is its number in the group.
    fn start<D: Domain, H: Host<D>>(
        d: &D,
        host: &mut H,
        cx: &Context<'_, Self>,
        lane: usize,
    ) -> Self::Lane<D>;
    /// The position of a lane; `None` at the end.
    fn position<D: Domain>(cx: &Context<'_, Self>, lane: &Self::Lane<D>) -> Option<Self::Position>;
    /// The number of active calls at a position, for [`run::costs_fuel`]; 0, the default, where positions do not show it. A call then costs fuel at
    /// the return, or at the call itself if it jumps backwards.
    fn calls(_position: &Self::Position) -> usize {
        0
    }
    /// Runs the `active` lanes (bit k = lane k), which are at one position, through one instruction.
    fn step<D: Domain, H: Host<D>>(
        d: &mut D,
        host: &mut H,
        cx: &Context<'_, Self>,
        group: &mut [LaneState<Self::Lane<D>>],
        active: u8,
    );
    /// The value of an output register.
    fn output<D: Domain>(cx: &Context<'_, Self>, lane: &Self::Lane<D>, slot: u16) -> [D::F; 4];
    /// The sticky kill mark of a lane.
    fn killed<D: Domain>(lane: &Self::Lane<D>) -> D::B;

    // ---- the lowering

    /// Declares variables, arrays and outputs before the first block.
    fn declare(cx: &Context<'_, Self>, b: &mut Builder);
    /// Code that a lane runs before its first instruction, such as filling registers from inputs; none by default. It has a block of its own, which
    /// runs once.
    fn prologue(_cx: &Context<'_, Self>, _b: &mut Builder) {}
    /// The node at the entry; `None` for a program without instructions.
    fn entry_config(cx: &Context<'_, Self>) -> Option<Self::ControlState>;
    /// The reference's position at a node.
    fn config_position(config: &Self::ControlState) -> Self::Position;
    /// The instruction of a node.
    fn config_word(config: &Self::ControlState) -> u32;
    /// The outline of a program, in time near-linear in its length.
    fn outline(cx: &Context<'_, Self>) -> Self::Outline;
    /// The successors of a node; empty where the lane ends.
    fn successors(
        cx: &Context<'_, Self>,
        outline: &Self::Outline,
        config: &Self::ControlState,
    ) -> Successors<Self::ControlState>;
    /// Lowers a node's instruction and returns how it selects its successor.
    fn lower_node(
        cx: &Context<'_, Self>,
        outline: &Self::Outline,
        config: &Self::ControlState,
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

    // ---- refinement, for step simulation

    /// The reference's lane that corresponds to a node and values of its variables.
    fn refine<D: Domain>(
        d: &D,
        cx: &Context<'_, Self>,
        config: &Self::ControlState,
        value: &mut dyn FnMut(VarKey) -> Scalar<D>,
    ) -> Self::Lane<D>;
    /// The whole state of a lane, by the key of the corresponding variable.
    fn state<D: Domain>(d: &D, cx: &Context<'_, Self>, lane: &Self::Lane<D>) -> State<D>;
    /// The node that a lane is at: the inverse of [`Isa::refine`]. `None` for a lane that has ended.
    fn control<D: Domain>(cx: &Context<'_, Self>, lane: &Self::Lane<D>) -> Option<Self::ControlState>;
    /// The number of ways in which the fallback's variables can represent the control state of a node: one, by default. There are several where the
    /// variables also hold state that no lane of the reference has.
    fn fallback_encodings(_cx: &Context<'_, Self>, _config: &Self::ControlState) -> usize {
        1
    }
    /// The values that the fallback's variables for control state have for a lane at the node `config`, in one of those ways; nothing beyond
    /// [`Isa::state`], by default. Keys for which the lowering declares no variable are ignored; a variable neither listed nor in the state may hold
    /// any value.
    fn fallback_state<D: Domain, H: Host<D>>(
        _d: &D,
        _host: &mut H,
        _cx: &Context<'_, Self>,
        _config: &Self::ControlState,
        _lane: &Self::Lane<D>,
        _way: usize,
    ) -> State<D> {
        State::<D>::new()
    }
    /// Whether a key of [`Isa::state`] belongs to a variable that only lowering by nodes declares; none does, by default.
    fn is_node_only(_key: VarKey) -> bool {
        false
    }
    /// Sets one key of a lane's [`Isa::state`], or its kill mark for [`KILLED`]. Everything else, control state above all, is unchanged. A key or
    /// type of value that the lane does not have changes nothing.
    fn set_state<D: Domain>(cx: &Context<'_, Self>, lane: &mut Self::Lane<D>, key: VarKey, value: Scalar<D>);

    // ---- edits

    /// The possible edits of the program in an order that suits minimisation: those that make it much smaller come first. Some may not apply.
    fn edits(program: &Self::Program) -> Vec<Edit>;
    /// The number of places where edits begin: the instructions, and where the whole program has edits one more.
    fn edit_places(program: &Self::Program) -> u32;
    /// The [`Isa::edits`] that begin at a place, in any order.
    fn edits_at(program: &Self::Program, place: u32) -> Vec<Edit>;
    /// At least the number of edits that begin at any place of any program that is not very long.
    const MOST_EDITS: usize;
    /// The number of positions of [`Isa::edit_at`].
    fn edit_count(program: &Self::Program) -> usize {
        Self::edit_places(program) as usize * Self::MOST_EDITS
    }
    /// The edit at a position; each stands at one, and most positions are empty. So an edit drawn from the positions until it applies is equally likely
    /// to be any edit that applies, and only the edits of a few places are listed.
    fn edit_at(program: &Self::Program, position: usize) -> Option<Edit> {
        let place = u32::try_from(position / Self::MOST_EDITS).ok()?;
        Self::edits_at(program, place).get(position % Self::MOST_EDITS).copied()
    }
    /// The edited program, or `None` where the edit does not apply.
    fn apply(program: &Self::Program, edit: &Edit) -> Option<Self::Program>;
    /// For minimisation: only what an entry runs, without the container and unused rows of tables. `None`, the default, where nothing can be removed.
    /// The caller has to keep constants of the container: [`Isa::preset`].
    fn strip(_program: &Self::Program, _entry: &Entry) -> Option<Self::Program> {
        None
    }
    /// For minimisation: programs of `words` alone. Operands that earlier instructions computed become inputs, and results of the last instruction
    /// become outputs, one program for each result. None, the default, where [`Edit`]s get as far.
    fn excerpts(_program: &Self::Program, _words: Range<u32>) -> Vec<Self::Program> {
        Vec::new()
    }
}

/// Validates and lowers.
///
/// # Errors
/// The first violation at error level, or that the program has no instruction at its entry.
pub fn lower<I: Isa>(cx: &Context<'_, I>, mode: Mode) -> Result<ir::Program, LowerError> {
    let broken = {
        let _span = tracing::debug_span!("validate", isa = %I::ID, words = I::words(cx)).entered();
        I::validate(cx).into_iter().find(|v| v.level == Level::Error)
    };
    if let Some(violation) = broken {
        tracing::info!(rule = violation.code, word = violation.word, "refused: {}", violation.message);
        return Err(LowerError::Illegal(violation));
    }
    ir::lower(cx, mode)
}

/// The variables of a lowered program with their keys, in order.
pub fn keys(program: &ir::Program) -> impl Iterator<Item = (Var, VarKey)> + '_ {
    program.vars.iter().enumerate().map(|(k, v)| (Var(k as u32), v.key))
}
