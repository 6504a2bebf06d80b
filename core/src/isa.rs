//! The instruction sets and what each of them has to provide.
//!
//! | | AGAL | D3D9 | PICA200 | A2xx | Utgard GP |
//! |---|---|---|---|---|---|
//! | word | 24-byte token | u32 tokens, lengths by version | u32, opcode field of 3 to 6 bits | 96-bit slot; two CF clauses in one | 128-bit VLIW |
//! | program parts ([`Isa::Program`]) | header, tokens | version, instructions, comments, END, tail | SHBIN blocks, code, operand descriptors, uniforms, labels | CF area, ALU and FETCH slots, raw gaps, container | words |
//! | code without its file ([`Isa::code`]) | tokens | all up to and with END | words; descriptors as its table | the entry's shader | words |
//! | entries ([`Entry`]) | one, from the header | one, from the version token | one a DVLE, or given | given, or from the container | given: count, prefetch |
//! | number domain ([`crate::value`]) | binary32 | binary32, `mulz` by option | f24 by `narrow`, `flush`, `mulz` by option | binary32, flushed inputs, legacy multiply | binary32, flushed in two units, opaque stages of complex functions |
//! | environment ([`crate::host::Environment`]) | constants, samplers, attributes or varyings, instance id | constants, ints, bools, samplers | constants, ints, bools | constants, loop constants (`ints`), bools, samplers, buffers | constants (uniform slots), attributes |
//! | outputs ([`Isa::output`]) | position and varyings; colours and depth | position, fog, size, colours, coordinates; colours, depth | o0 to o15 | none: all are effects | varyings |
//! | effects ([`crate::host::Effect`]) | kill | kill | emitted vertices | exports, memory exports, kill | none |
//! | control state ([`Isa::Config`]) | pc | pc, loop and call stacks | pc, three ring-shaped stacks | clause, slot in it, call and loop stacks | pc, pipeline age, pending stores |
//! | conditions ([`Decision`]) | two compared components | Booleans, predicate lanes, comparisons | two flags, Booleans | predicate, Booleans | pass result |
//! | loops ([`Op::Fuel`]) | none | rep, loop | LOOP, backward jumps | loop clauses, backward jumps | backward branches |
//! | calls ([`Isa::calls`]) | none | take fuel | take it going back to or from what is called | take fuel | none |
//! | outline ([`Isa::Outline`]) | ends of blocks | ends of blocks, loops around, labels, samplers | which scopes end where | clauses of a slot, loops around | basic blocks, what is stored to |
//! | indexable state ([`Op::Load`], [`Op::UniformAt`]) | constants | constants, inputs, outputs | constants | constants, general registers | uniforms, temporaries |
//! | quads ([`Isa::group`]) | fragment, derivatives and mip selection | pixel, likewise | none | pixel, likewise | none |
//! | hazards | none | co-issue and predication read the state before | descriptors shared by words; jumps lost on last words | both halves read before either writes; previous scalar | results one and two words old; store latencies |
//! | fallback ([`Isa::lower_word`]) | static exits | computed return address | stacks in variables | stacks in variables | static exits, stores on their way in variables |
//! | facets ([`Isa::facets`]) | of operands, samplers, stages and versions | of operands, results, co-issue; versions are contexts | of operands, results, conditions, flow and vertices | of clauses, halves of slots, fetches | of units, stores and branches |
//!
//! A room that one instruction set needs and the trait cannot express is a reason to mend the trait.
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
pub use options::{Axis, Options, OptionsError};
pub use rule::RuleRow;
pub use run::{End, Running};
pub use source::Source;
pub use violation::{Level, Violation};

use rooms::rooms;

use crate::binary::DecodeError;
use crate::host::{Environment, Host};
use crate::ir::eval::Scalar;
use crate::ir::{self, Builder, Decision, Exits, LowerError, Mode, Var, VarKey, WordExit};
use crate::text::{Diagnostic, Placed};
use crate::value::Domain;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::Range;

/// A program, one way to run it, and the choices where its documents disagree.
#[derive(Debug)]
pub struct Context<'a, I: Isa> {
    /// What the file holds.
    pub program: &'a I::Program,
    /// How it is run.
    pub entry: &'a Entry,
    /// Choices.
    pub options: &'a Options,
}

impl<I: Isa> Clone for Context<'_, I> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I: Isa> Copy for Context<'_, I> {}

/// A value of an IR variable together with what the variable stands for; the currency of refinement.
pub type State<D> = Vec<(VarKey, Scalar<D>)>;

/// The variable under which refinement asks for a lane's sticky kill mark (Bool). No lowering declares it.
pub const KILLED: VarKey = VarKey { file: 254, index: 0, component: 0 };

/// The file of the keys under which [`Isa::class_writes`] is asked about components of effects; their index is the effect's.
pub const EFFECTS: u8 = 253;

/// The key under which [`Isa::class_writes`] is asked about where control goes.
pub const CONTROL: VarKey = VarKey { file: 252, index: 0, component: 0 };

/// A program for the proof of one lowering rule.
#[derive(Clone, Debug)]
pub struct RuleProgram<P> {
    /// Opcode, stage, version and class.
    pub name: String,
    /// The program: the instruction, and what it needs around it.
    pub program: P,
    /// Whether mutants of its lowering are worth trying: the rule in a form that no other program has.
    pub mutate: bool,
}

/// What an opcode is, as far as tools that know no instruction set need to be told.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// Number in its encoding.
    pub number: u32,
    /// Name in the instruction set's assembly syntax.
    pub mnemonic: &'static str,
    /// What it does, in a line.
    pub meaning: &'static str,
    /// Where that is written, with the evidence tag.
    pub source: &'static str,
}

/// One instruction of a program, classified for coverage and signatures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassPoint {
    /// The mnemonic.
    pub opcode: &'static str,
    /// The modifier class: mask, swizzle, register file, option word, stage or version, as `what=which`.
    pub modifier: String,
}

/// An instruction set: its rooms under one roof.
///
/// Decoding is lossless, the reference and the lowering share nothing above [`Domain`], and everything that is not a number is in
/// [`Isa::Config`].
pub trait Isa: Sized + Copy + Debug + Send + Sync + 'static {
    /// Which one it is.
    const ID: IsaId;
    /// What a file holds.
    type Program: Clone + PartialEq + Debug + Send + Sync;
    /// The reference's state of one lane.
    type Lane<D: Domain>: Clone + Debug;
    /// Where a lane of the reference is: call sites, then program counter.
    type Position: Copy + Ord + Debug;
    /// The lowering's control state: an instruction and all that is not a number. Ordered by position.
    type Config: Clone + Ord + Hash + Debug;
    /// What the lowering works out once for a whole program, so that no instruction has to look at all the others: where blocks end, what runs
    /// what.
    type Outline;

    // ---- tables

    /// The points on which the documents disagree, each with its choices; the first is the default.
    fn axes() -> &'static [Axis];
    /// Every opcode.
    fn opcodes() -> &'static [OpcodeInfo];
    /// Every bit layout.
    fn layouts() -> &'static [crate::binary::Layout];
    /// The manual, printed from the tables.
    fn manual() -> String;
    /// What the facts in the tables rest on: every tag that they cite.
    fn sources() -> &'static [Source];

    /// The number of every rule.
    fn rules() -> Vec<u16>;
    /// Whether a program that breaks the rule of this number may depend on what no document gives a value.
    fn leaves_undefined(rule: u16) -> bool;

    // ---- bytes and text

    /// Reads a program. Accepts whatever [`Isa::encode`] gives back byte for byte.
    ///
    /// # Errors
    /// If the bytes have no structure; with offset, field and value.
    fn decode(bytes: &[u8]) -> Result<Self::Program, DecodeError>;
    /// Writes a program.
    fn encode(program: &Self::Program) -> Vec<u8>;
    /// The bytes of what [`Isa::encode`] gives in which each instruction stands, by number as [`Isa::words`] counts them. Instructions that share a byte
    /// both have it.
    fn places(program: &Self::Program) -> Vec<Range<usize>>;
    /// How many bytes of its file belong to a program: all, by default. To be given where bytes may follow that no decoder needs to read.
    fn extent(program: &Self::Program) -> usize {
        Self::encode(program).len()
    }
    /// The instructions that an entry runs in, without what stands around them in the file; by default all that belongs to the program.
    fn code(program: &Self::Program, _entry: &Entry) -> Code {
        let mut bytes = Self::encode(program);
        bytes.truncate(Self::extent(program));
        Code::plain(bytes)
    }
    /// The bytes that [`Isa::decode`] reads for those of a file in another form, which the file's extension names; `None`, as by default, for
    /// extensions that name none.
    ///
    /// # Errors
    /// What is wrong with a file that is text in the other form, with places.
    fn import(_extension: &str, _bytes: &[u8]) -> Option<Result<Vec<u8>, Vec<Diagnostic>>> {
        None
    }
    /// What files with nothing but its programs in them are called, besides its own name: extensions in lower case.
    fn extensions() -> &'static [&'static str] {
        &[]
    }
    /// Whether a line begins an assembly text of its own, and hardly any other text: a version, a directive. Never, as by default, where texts begin
    /// with any instruction.
    fn begins_text(_line: &str) -> bool {
        false
    }
    /// What a text is that another tool prints of programs and that is no dialect of the assembler, known by what stands in it; `None` for any
    /// other text.
    fn foreign_report(_text: &str) -> Option<&'static str> {
        None
    }
    /// The program together with what a compiler's notes in a file beside it say; `None` if they say nothing, as by default.
    fn annotate(_program: &Self::Program, _notes: &str) -> Option<Self::Program> {
        None
    }
    /// Whether a file with these first bytes may be one of ours.
    fn recognizes(bytes: &[u8]) -> bool;
    /// The ways of running a program that it names itself.
    fn entries(program: &Self::Program) -> Vec<Entry>;
    /// One of [`Isa::entries`], by number. To be given where a program can have many and each takes a look at all instructions.
    fn entry(program: &Self::Program, number: usize) -> Option<Entry> {
        Self::entries(program).into_iter().nth(number)
    }
    /// How many [`Isa::entries`] there are. To be given where [`Isa::entry`] is.
    fn entry_count(program: &Self::Program) -> usize {
        Self::entries(program).len()
    }
    /// Puts what the program itself says of its constants into an environment, over what is there; nothing by default. It is done before a
    /// run, whichever engine runs.
    fn preset(_program: &Self::Program, _entry: &Entry, _env: &mut Environment) {}
    /// What the program calls its inputs and constants, beyond the names of registers; nothing by default.
    fn labels(_program: &Self::Program, _entry: &Entry) -> Vec<Label> {
        Vec::new()
    }
    /// What instructions can be like, as a table from which coverage points ([`facet::points`]) and instances of lowering rules
    /// ([`facet::rule_instances`]) come.
    fn facets() -> &'static facet::Table<Self::Program>;
    /// Every broken rule, in program order.
    fn validate(cx: &Context<'_, Self>) -> Vec<Violation>;
    /// Reads assembly text. With the program comes the place in the text of each instruction, by its number; none for what no text stands for.
    ///
    /// # Errors
    /// All that were found, not just the first, with their places.
    fn assemble_placed(text: &str) -> Result<Placed<Self::Program>, Vec<Diagnostic>>;
    /// [`Isa::assemble_placed`] without the places.
    ///
    /// # Errors
    /// The same.
    fn assemble(text: &str) -> Result<Self::Program, Vec<Diagnostic>> {
        Self::assemble_placed(text).map(|(program, _)| program)
    }
    /// Writes assembly text that assembles to the same program.
    fn disassemble(program: &Self::Program) -> String;
    /// Number of instruction words.
    fn words(cx: &Context<'_, Self>) -> u32;
    /// How long one pass over all words takes, in ordinary instructions. With the fuel it bounds how long a case may run.
    fn work(cx: &Context<'_, Self>) -> u64 {
        u64::from(Self::words(cx))
    }
    /// One instruction as text.
    fn disassemble_word(program: &Self::Program, word: u32) -> String;
    /// [`facet::Table::points`] for many instructions of a program, in time near-linear in their number. To be given where points depend on more
    /// than the instruction.
    fn classifier(program: &Self::Program) -> impl Fn(u32) -> Vec<ClassPoint> {
        move |word| Self::facets().points(program, word)
    }
    /// Whether what an instruction does to `key` is the doing of one of its classes: a unit of a word that has several, or one of two
    /// instructions issued together. Keys are those of variables, [`KILLED`], [`CONTROL`], or those of [`EFFECTS`]. Everything is, by
    /// default.
    fn class_writes(_program: &Self::Program, _word: u32, _class: &ClassPoint, _key: VarKey) -> bool {
        true
    }
    /// What an instruction itself does, by the keys that the state right after it has, [`KILLED`], [`CONTROL`] and those of [`EFFECTS`];
    /// `None`, as it is by default, where that is what the lowering of the instruction writes. It is not where results wait in
    /// variables that every instruction moves along.
    fn doing(_program: &Self::Program, _word: u32) -> Option<Vec<VarKey>> {
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
    /// What assembly syntax calls the destination of an effect; a number of its kind where it has no name.
    fn effect_name(_entry: &Entry, kind: u8, index: u16) -> String {
        format!("effect {kind}.{index}")
    }
    /// Name of a variable that the lowering declared.
    fn var_name(entry: &Entry, key: VarKey) -> String;

    // ---- the reference

    /// Lanes that run together: 1, or 4 where derivatives are wanted.
    fn group(cx: &Context<'_, Self>) -> u8;
    /// A lane at the entry. `lane` is its number in the group.
    fn start<D: Domain, H: Host<D>>(
        d: &D,
        host: &mut H,
        cx: &Context<'_, Self>,
        lane: usize,
    ) -> Self::Lane<D>;
    /// Where a lane is; `None` at the end.
    fn position<D: Domain>(cx: &Context<'_, Self>, lane: &Self::Lane<D>) -> Option<Self::Position>;
    /// How many calls are under way at a position, for [`run::costs_fuel`]; 0, as by default, where positions do not tell: a call then pays
    /// for coming back, or for going back if it does.
    fn calls(_position: &Self::Position) -> usize {
        0
    }
    /// Runs the `active` lanes (bit k = lane k), which are at one position, through one instruction.
    fn step<D: Domain, H: Host<D>>(
        d: &mut D,
        host: &mut H,
        cx: &Context<'_, Self>,
        group: &mut [Running<Self::Lane<D>>],
        active: u8,
    );
    /// An output register.
    fn output<D: Domain>(cx: &Context<'_, Self>, lane: &Self::Lane<D>, slot: u16) -> [D::F; 4];
    /// The sticky kill mark.
    fn killed<D: Domain>(lane: &Self::Lane<D>) -> D::B;

    // ---- the lowering

    /// Declares variables, arrays and outputs before the first block.
    fn declare(cx: &Context<'_, Self>, b: &mut Builder);
    /// What a lane does before its first instruction, such as filling registers from inputs; nothing by default. It is in a block of its
    /// own, which runs once.
    fn prologue(_cx: &Context<'_, Self>, _b: &mut Builder) {}
    /// The node at the entry; `None` for a program without instructions.
    fn entry_config(cx: &Context<'_, Self>) -> Option<Self::Config>;
    /// The reference's position at a node.
    fn config_position(config: &Self::Config) -> Self::Position;
    /// The instruction of a node.
    fn config_word(config: &Self::Config) -> u32;
    /// The outline of a program, in time near-linear in its length.
    fn outline(cx: &Context<'_, Self>) -> Self::Outline;
    /// Where a node may go; empty where the lane ends.
    fn exits(cx: &Context<'_, Self>, outline: &Self::Outline, config: &Self::Config) -> Exits<Self::Config>;
    /// Lowers a node's instruction and says how it chooses among its exits.
    fn lower_node(
        cx: &Context<'_, Self>,
        outline: &Self::Outline,
        config: &Self::Config,
        b: &mut Builder,
    ) -> Decision;
    /// Whether the fallback can stand for the program, as it can by default: whether lanes of a quad meet there just where they do in the
    /// reference, and whether its length goes by the program's. The fallback knows words only: lanes at one word with other calls or loops
    /// around it run together there, and a derivative is not 0 that ought to be. What says no is lowered by nodes however many there are,
    /// up to the limits of [`Mode::Nodes`].
    fn has_fallback(_cx: &Context<'_, Self>) -> bool {
        true
    }
    /// Every word once, in the order in which lanes that have parted take turns in the fallback: those at the first of these words run
    /// first. It must come to the order of the reference's positions. `None`, as by default, is the order of their numbers.
    fn word_order(_cx: &Context<'_, Self>) -> Option<Vec<u32>> {
        None
    }
    /// Lowers a word for the fallback, control state in variables.
    fn lower_word(cx: &Context<'_, Self>, outline: &Self::Outline, word: u32, b: &mut Builder) -> WordExit;

    // ---- refinement, for step simulation

    /// The reference's lane that a node and values of its variables stand for.
    fn refine<D: Domain>(
        d: &D,
        cx: &Context<'_, Self>,
        config: &Self::Config,
        value: &mut dyn FnMut(VarKey) -> Scalar<D>,
    ) -> Self::Lane<D>;
    /// Everything a lane holds, by the key of the variable that stands for it.
    fn state<D: Domain>(d: &D, cx: &Context<'_, Self>, lane: &Self::Lane<D>) -> State<D>;
    /// The node that a lane is at: what [`Isa::refine`] made it of. `None` for a lane that has ended.
    fn control<D: Domain>(cx: &Context<'_, Self>, lane: &Self::Lane<D>) -> Option<Self::Config>;
    /// In how many ways variables of the fallback stand for the control state of a node: one, by default. There are several where they also
    /// hold what no lane of the reference does.
    fn fallback_ways(_cx: &Context<'_, Self>, _config: &Self::Config) -> usize {
        1
    }
    /// What the fallback's variables for control state hold at a lane, which is at the node `config`, in one of those ways; nothing beyond
    /// [`Isa::state`], by default. A key that the lowering declares no variable for does not count; a variable that is not listed, nor in
    /// the state, may hold anything.
    fn fallback_state<D: Domain, H: Host<D>>(
        _d: &D,
        _host: &mut H,
        _cx: &Context<'_, Self>,
        _config: &Self::Config,
        _lane: &Self::Lane<D>,
        _way: usize,
    ) -> State<D> {
        State::<D>::new()
    }
    /// Whether a key of [`Isa::state`] stands for a variable that only lowering by nodes has; none does, by default.
    fn is_of_nodes(_key: VarKey) -> bool {
        false
    }
    /// Gives a lane another value for one key of [`Isa::state`], or another kill mark for [`KILLED`]. All else, control state above all,
    /// stays; a key or a type of value that the lane does not have changes nothing.
    fn poke<D: Domain>(cx: &Context<'_, Self>, lane: &mut Self::Lane<D>, key: VarKey, value: Scalar<D>);

    // ---- edits

    /// The ways of making the program a little different: for mutation, and those that make it smaller for minimisation.
    fn edits(program: &Self::Program) -> Vec<Edit>;
    /// The edited program, or `None` where the edit does not apply.
    fn apply(program: &Self::Program, edit: &Edit) -> Option<Self::Program>;
    /// For minimisation: what an entry runs and no more, without container and without rows of tables that no instruction names. `None`, as
    /// by default, where nothing can go. Constants of the container are the caller's to keep: [`Isa::preset`].
    fn strip(_program: &Self::Program, _entry: &Entry) -> Option<Self::Program> {
        None
    }
    /// For minimisation: programs of `words` alone. Operands that earlier instructions computed are inputs in them, and results of the last
    /// instruction are outputs, one program for each result. None, as by default, where [`Edit`]s get as far.
    fn excerpts(_program: &Self::Program, _words: Range<u32>) -> Vec<Self::Program> {
        Vec::new()
    }
}

/// Validates and lowers.
///
/// # Errors
/// The first violation at error level, or a program with nothing at its entry.
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

/// The variables of a lowered program with what they stand for, in order.
pub fn keys(program: &ir::Program) -> impl Iterator<Item = (Var, VarKey)> + '_ {
    program.vars.iter().enumerate().map(|(k, v)| (Var(k as u32), v.key))
}
