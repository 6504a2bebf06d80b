//! Adreno A2xx (A200, A205, A220, A225). An option selects the closely related Xenos of the Xbox 360.
//!
//! Comments cite sources by their tags in [`sources::SOURCES`].

pub mod assemble;
pub mod container;
pub mod decode;
mod direct_effects;
pub mod disassemble;
pub mod edit;
pub mod encode;
pub mod facets;
pub mod flow;
pub mod format;
pub mod interface;
pub mod limits;
pub mod lower;
pub mod manual;
mod names;
pub mod opcode;
pub mod options;
pub mod program;
pub mod reference;
mod refinement;
pub mod rules;
pub mod sources;
pub mod validate;
pub mod variables;
pub mod word;

use super::semantics::value_or_zeros;
use super::{
    Code, Context, CoverPoint, Edits, Entry, Format, IsaId, Legality, Lowering, Reference, Refinement,
    Register, State, Syntax, Tables, Violation,
};
use crate::host::Host;
use crate::ir::eval::Scalar;
use crate::ir::{Builder, VarKey};
use crate::text::Diagnostic;
use crate::value::Domain;
use lower::{ControlState, Outline};
use program::Program;
use reference::{Lane, Position};

/// The A2xx instruction set, as an implementation of [`Isa`](super::Isa).
#[derive(Clone, Copy, Debug)]
pub struct A2xx;

impl Format for A2xx {
    const ID: IsaId = IsaId::A2xx;
    type Program = Program;

    super::forward!(format);

    const REGISTER_SLOTS: std::ops::Range<u16> = variables::REGISTER_SLOTS;
    fn register(_entry: &Entry, slot: u16) -> Option<Register> {
        variables::register(slot)
    }

    fn code(program: &Program, entry: &Entry) -> Code {
        let words = interface::shader_of(program, entry).map(encode::to_dwords).unwrap_or_default();
        Code::plain(words.into_iter().flat_map(u32::to_le_bytes).collect())
    }
    fn import(extension: &str, bytes: &[u8]) -> Option<Result<Vec<u8>, Vec<Diagnostic>>> {
        match extension {
            disassemble::XENOS_FILE => Some(Ok(container::little_endian(bytes))),
            _ => container::is_trace(bytes).then(|| Ok(bytes.to_vec())),
        }
    }
    fn extensions() -> &'static [&'static str] {
        &[disassemble::XENOS_FILE]
    }
    fn recognizes(bytes: &[u8]) -> bool {
        container::recognizes(bytes)
    }
    fn entry(program: &Program, number: usize) -> Option<Entry> {
        interface::entry(program, number)
    }
    fn entry_count(program: &Program) -> usize {
        program.shaders.len()
    }
    fn instruction_count(cx: &Context<'_, Self>) -> u32 {
        cx.program.words()
    }
    fn pass_cost(cx: &Context<'_, Self>) -> u64 {
        u64::from(cx.program.words()).max(cx.program.steps())
    }
}

impl Syntax for A2xx {
    super::forward!(syntax);

    fn begins_text(line: &str) -> bool {
        let mut words = line.split_whitespace();
        let first = words.next().and_then(|word| word.strip_prefix('.'));
        matches!(first, Some(disassemble::HEAD | disassemble::BIG_ENDIAN))
            || first == Some(disassemble::CONTAINER) && words.next().is_some_and(disassemble::is_kind_name)
    }
    fn disassemble_word(program: &Program, word: u32) -> String {
        disassemble::disassemble_word(program, word)
    }
    fn own_output_name(_entry: &Entry, slot: u16) -> String {
        format!("R{slot}")
    }
    fn own_input_name(_entry: &Entry, slot: u16) -> String {
        format!("R{slot}")
    }
    fn effect_name(_entry: &Entry, _kind: u8, index: u16) -> String {
        format!("export{index}")
    }
    fn constant_name(_entry: &Entry, slot: i32) -> String {
        format!("C{slot}")
    }
    fn var_name(_entry: &Entry, key: VarKey) -> String {
        variables::name(key)
    }
}

impl Tables for A2xx {
    super::forward!(tables);

    fn outer_layouts() -> &'static [crate::binary::Layout] {
        &word::OUTER_LAYOUTS
    }

    fn cover_points(program: &Program) -> impl Fn(u32) -> Vec<CoverPoint> {
        facets::cover_points(program)
    }
}

impl Legality for A2xx {
    super::forward!(legality);

    fn validate(cx: &Context<'_, Self>) -> Vec<Violation> {
        validate::validate(cx.program, cx.entry)
    }
}

impl Reference for A2xx {
    type Lane<D: Domain> = Lane<D>;
    type Position = Position;

    super::forward!(reference);

    fn group(cx: &Context<'_, Self>) -> u8 {
        interface::group(cx.program, cx.entry)
    }
    fn start<D: Domain, H: Host<D>>(d: &D, host: &mut H, cx: &Context<'_, Self>, lane: usize) -> Lane<D> {
        reference::start(d, host, cx, lane)
    }
    fn position<D: Domain>(cx: &Context<'_, Self>, lane: &Lane<D>) -> Option<Position> {
        reference::position(cx, lane)
    }
    fn calls((path, ..): &Position) -> usize {
        path.iter().rposition(|element| *element != 0).unwrap_or(0)
    }
    fn output<D: Domain>(d: &D, _cx: &Context<'_, Self>, lane: &Lane<D>, slot: u16) -> [D::F; 4] {
        // Entries list no outputs, because exports are effects. A caller that asks for an output gets a general register.
        value_or_zeros(d, lane.registers.get(usize::from(slot)))
    }
}

impl Lowering for A2xx {
    type ControlState = ControlState;
    type Outline = Outline;

    super::forward!(lowering);

    fn prologue(cx: &Context<'_, Self>, b: &mut Builder) {
        lower::prologue(cx, b);
    }
    fn entry_control(cx: &Context<'_, Self>) -> Option<ControlState> {
        lower::entry(cx)
    }
    fn control_position(control: &ControlState) -> Position {
        control.order()
    }
    fn control_word(control: &ControlState) -> u32 {
        control.word()
    }
    fn outline(cx: &Context<'_, Self>) -> Outline {
        Outline::of(cx)
    }
    fn has_fallback(cx: &Context<'_, Self>) -> bool {
        (Self::group(cx) == 1 || lower::word_determines_control(cx)) && lower::has_few_fetch_pairs(cx)
    }
    fn word_order(cx: &Context<'_, Self>) -> Option<Vec<u32>> {
        Some(lower::order(cx))
    }
}

impl Refinement for A2xx {
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
        refinement::refine(d, cx.program, cx.entry, control, value)
    }
    fn state<D: Domain>(_d: &D, cx: &Context<'_, Self>, lane: &Lane<D>) -> State<D> {
        refinement::state(cx.program, cx.entry, lane)
    }
    fn control<D: Domain>(cx: &Context<'_, Self>, lane: &Lane<D>) -> Option<ControlState> {
        Self::position(cx, lane).and_then(|position| lower::at(cx, position))
    }
    fn fallback_state<D: Domain, H: Host<D>>(
        d: &D,
        host: &mut H,
        cx: &Context<'_, Self>,
        _control: &ControlState,
        lane: &Lane<D>,
        _encoding: usize,
    ) -> State<D> {
        refinement::fallback_state(d, host, cx, lane)
    }
    fn set_state<D: Domain>(_cx: &Context<'_, Self>, lane: &mut Lane<D>, key: VarKey, value: Scalar<D>) {
        refinement::set_state(lane, key, value);
    }
}

impl Edits for A2xx {
    super::forward!(edits);

    fn strip(program: &Program, entry: &Entry) -> Option<Program> {
        edit::strip(program, entry)
    }

    fn redirected(program: &Program, from: u32, to: u32) -> Vec<Program> {
        edit::redirected(program, from, to)
    }

    fn forwarded(program: &Program, from: u32, to: u32) -> Vec<Program> {
        edit::forwarded(program, from, to)
    }
}
