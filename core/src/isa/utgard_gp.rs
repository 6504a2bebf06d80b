//! The geometry processor of ARM's Mali-200, 400 and 450 (Utgard): the vertex processor.
//!
//! The tags in parentheses that cite sources are explained in [`sources::SOURCES`].

pub mod annotations;
pub mod assemble;
pub mod container;
pub mod decode;
mod direct_effects;
pub mod disassemble;
pub mod edit;
pub mod encode;
pub mod facets;
pub mod facts;
pub mod hazards;
pub mod import;
pub mod interface;
pub mod lower;
mod macros;
pub mod manual;
pub mod names;
pub mod opcode;
pub mod options;
pub mod program;
pub mod reference;
mod refinement;
pub mod rules;
pub mod source;
pub mod sources;
mod units;
pub mod validate;
pub mod variables;
pub mod vocabulary;
pub mod word;

use super::semantics::value_or_zeros;
use super::{
    Code, Context, CoverPoint, Edits, Entry, Format, IsaId, Legality, Lowering, Reference, Refinement,
    Register, State, Syntax, Tables, Violation,
};
use crate::host::{Environment, Host};
use crate::ir::VarKey;
use crate::ir::eval::Scalar;
use crate::text::Diagnostic;
use crate::value::Domain;
use lower::{ControlState, Outline};
use program::Program;
use reference::Lane;

/// The instruction set: the type that implements [`crate::isa::Isa`].
#[derive(Clone, Copy, Debug)]
pub struct UtgardGp;

impl Format for UtgardGp {
    const ID: IsaId = IsaId::UtgardGp;
    type Program = Program;

    super::forward!(format);

    const REGISTER_SLOTS: std::ops::Range<u16> = variables::REGISTER_SLOTS;
    fn register(_entry: &Entry, slot: u16) -> Option<Register> {
        variables::register(slot)
    }

    fn code(program: &Program, _: &Entry) -> Code {
        Code::plain(encode::code(program))
    }
    fn annotate(program: &Program, notes: &str) -> Option<Program> {
        let facts = annotations::facts(notes).filter(|_| program.facts.is_empty())?;
        Some(Program { facts, ..program.clone() })
    }
    fn recognizes(bytes: &[u8]) -> bool {
        bytes.starts_with(&container::MAGIC) || import::recognizes(bytes)
    }
    fn extensions() -> &'static [&'static str] {
        &["mbs"]
    }
    fn import(_extension: &str, bytes: &[u8]) -> Option<Result<Vec<u8>, Vec<Diagnostic>>> {
        import::import(bytes).map(Ok)
    }
    fn preset(program: &Program, _entry: &Entry, env: &mut Environment) {
        interface::preset(program, env);
    }
    fn instruction_count(cx: &Context<'_, Self>) -> u32 {
        reference::count(cx)
    }
}

impl Syntax for UtgardGp {
    super::forward!(syntax);

    fn begins_text(line: &str) -> bool {
        line.split_whitespace().next().and_then(|word| word.strip_prefix('.')) == Some(disassemble::HEAD)
    }
    fn disassemble_word(program: &Program, word: u32) -> String {
        disassemble::disassemble_word(program, word)
    }
    fn own_output_name(_entry: &Entry, slot: u16) -> String {
        names::varying_name(slot)
    }
    fn own_input_name(_entry: &Entry, slot: u16) -> String {
        names::attribute_name(slot)
    }
    fn constant_name(_entry: &Entry, slot: i32) -> String {
        format!("uniform({slot})")
    }
    fn var_name(_entry: &Entry, key: VarKey) -> String {
        variables::name(key)
    }
}

impl Tables for UtgardGp {
    super::forward!(tables);

    fn own_layouts() -> &'static [crate::binary::Layout] {
        &word::OWN_LAYOUTS
    }
}

impl Legality for UtgardGp {
    super::forward!(legality);
    fn finds_unwritten_paths() -> bool {
        true
    }

    fn validate(cx: &Context<'_, Self>) -> Vec<Violation> {
        validate::validate(cx.program, cx.entry, cx.options)
    }
}

impl Reference for UtgardGp {
    type Lane<D: Domain> = Lane<D>;
    type Position = u32;

    super::forward!(reference);

    fn group(_cx: &Context<'_, Self>) -> u8 {
        1
    }
    fn start<D: Domain, H: Host<D>>(d: &D, host: &mut H, cx: &Context<'_, Self>, _lane: usize) -> Lane<D> {
        reference::start(d, host, cx)
    }
    fn position<D: Domain>(cx: &Context<'_, Self>, lane: &Lane<D>) -> Option<u32> {
        (lane.pc < reference::count(cx)).then_some(lane.pc)
    }
    fn output<D: Domain>(d: &D, _cx: &Context<'_, Self>, lane: &Lane<D>, slot: u16) -> [D::F; 4] {
        value_or_zeros(d, lane.varyings.get(usize::from(slot)))
    }
}

impl Lowering for UtgardGp {
    type ControlState = ControlState;
    type Outline = Outline;

    super::forward!(lowering);

    fn entry_control(cx: &Context<'_, Self>) -> Option<ControlState> {
        let start = ControlState { pc: cx.entry.start, ..ControlState::default() };
        (start.pc < reference::count(cx)).then_some(start)
    }
    fn control_position(control: &ControlState) -> u32 {
        control.pc
    }
    fn control_word(control: &ControlState) -> u32 {
        control.pc
    }
    fn outline(cx: &Context<'_, Self>) -> Outline {
        Outline::of(cx)
    }
}

impl Refinement for UtgardGp {
    fn unit_writes(program: &Program, word: u32, point: &CoverPoint, key: VarKey) -> bool {
        direct_effects::is_effect_of(program, word, point, key)
    }
    fn direct_effects(program: &Program, word: u32) -> Option<Vec<VarKey>> {
        Some(direct_effects::keys(program, word))
    }
    fn refine<D: Domain>(
        d: &D,
        cx: &Context<'_, Self>,
        control: &ControlState,
        value: &mut dyn FnMut(VarKey) -> Scalar<D>,
    ) -> Lane<D> {
        refinement::refine(d, cx.program, control, value)
    }
    fn state<D: Domain>(d: &D, cx: &Context<'_, Self>, lane: &Lane<D>) -> State<D> {
        refinement::state(d, cx.program, Self::position(cx, lane).is_none(), lane)
    }
    fn control<D: Domain>(cx: &Context<'_, Self>, lane: &Lane<D>) -> Option<ControlState> {
        Self::position(cx, lane).map(|_| refinement::control(lane))
    }
    fn fallback_encodings(_cx: &Context<'_, Self>, control: &ControlState) -> usize {
        refinement::window_positions(control).len()
    }
    fn fallback_state<D: Domain, H: Host<D>>(
        d: &D,
        _host: &mut H,
        _cx: &Context<'_, Self>,
        control: &ControlState,
        lane: &Lane<D>,
        encoding: usize,
    ) -> State<D> {
        refinement::fallback_pending(d, control, lane, encoding)
    }
    fn is_node_only(key: VarKey) -> bool {
        refinement::is_pending(key)
    }
    fn set_state<D: Domain>(_cx: &Context<'_, Self>, lane: &mut Lane<D>, key: VarKey, value: Scalar<D>) {
        refinement::set_state(lane, key, value);
    }
}

impl Edits for UtgardGp {
    super::forward!(edits);

    fn strip(program: &Program, _entry: &Entry) -> Option<Program> {
        edit::strip(program)
    }
    fn excerpts(program: &Program, words: std::ops::Range<u32>) -> Vec<Program> {
        edit::excerpts(program, words)
    }
}
