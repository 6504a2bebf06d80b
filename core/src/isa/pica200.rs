//! PICA200, the vertex and geometry shader units of the Nintendo 3DS.
//!
//! Facts are cited by the tags of [`sources::SOURCES`].

pub mod assemble;
pub mod container;
pub mod decode;
pub mod disassemble;
pub mod edit;
pub mod encode;
pub mod facets;
pub mod interface;
mod labels;
pub mod lower;
pub mod manual;
mod names;
pub mod number;
pub mod opcode;
pub mod options;
pub mod program;
pub mod reads;
pub mod reference;
mod refinement;
mod registers;
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
use crate::host::{Environment, Host};
use crate::ir::VarKey;
use crate::ir::eval::Scalar;
use crate::value::Domain;
use lower::{ControlState, Outline};
use program::Program;
use reference::Lane;

/// The PICA200 instruction set: the type that implements [`crate::isa::Isa`].
#[derive(Clone, Copy, Debug)]
pub struct Pica200;

impl Format for Pica200 {
    const ID: IsaId = IsaId::Pica200;
    type Program = Program;

    super::forward!(format);

    const REGISTER_SLOTS: std::ops::Range<u16> = variables::REGISTER_SLOTS;
    fn register(_entry: &Entry, slot: u16) -> Option<Register> {
        variables::register(slot)
    }

    fn code(program: &Program, _: &Entry) -> Code {
        let table = program.descriptors.iter().map(|row| row.descriptor.to_word()).collect();
        Code { bytes: encode::code(program), table }
    }
    fn recognizes(bytes: &[u8]) -> bool {
        decode::recognizes(bytes)
    }
    fn extensions() -> &'static [&'static str] {
        &["shbin", "pica"]
    }
    fn entry(program: &Program, number: usize) -> Option<Entry> {
        interface::entry(program, number)
    }
    fn entry_count(program: &Program) -> usize {
        interface::entry_count(program)
    }
    fn preset(program: &Program, entry: &Entry, env: &mut Environment) {
        interface::preset(program, entry, env);
    }
    fn labels(program: &Program, entry: &Entry) -> Vec<crate::isa::Label> {
        labels::labels(program, entry)
    }
    fn instruction_count(cx: &Context<'_, Self>) -> u32 {
        cx.program.code.len() as u32
    }
}

impl Syntax for Pica200 {
    super::forward!(syntax);

    fn begins_text(line: &str) -> bool {
        let word = line.split_whitespace().next().unwrap_or_default();
        [".proc", ".out", ".in", ".fvec", ".constf", ".consti", ".gsh", ".raw", ".dvlb", ".nodvle"]
            .contains(&word)
    }
    fn foreign_report(text: &str) -> Option<&'static str> {
        const REPORT_HEADINGS: [&str; 3] =
            ["Constant register info:", "Output register info:", "Found uniform symbol"];
        let mut head = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(16);
        let report = head.any(|line| REPORT_HEADINGS.iter().any(|heading| line.starts_with(heading)));
        report.then_some("a report of a PICA200 disassembler, whose listing has another syntax")
    }
    fn disassemble_word(program: &Program, word: u32) -> String {
        disassemble::disassemble_word(program, word)
    }
    fn own_output_name(_entry: &Entry, slot: u16) -> String {
        registers::File::Output.register(slot)
    }
    fn own_input_name(_entry: &Entry, slot: u16) -> String {
        registers::File::Input.register(slot)
    }
    fn var_name(_entry: &Entry, key: VarKey) -> String {
        variables::name(key)
    }
    fn effect_name(_entry: &Entry, kind: u8, index: u16) -> String {
        match kind {
            reference::EMIT => opcode::Opcode::Emit.row().mnemonic.to_owned(),
            _ => format!("emitted o{index}"),
        }
    }
}

impl Tables for Pica200 {
    super::forward!(tables);

    fn own_layouts() -> &'static [crate::binary::Layout] {
        &word::OWN_LAYOUTS
    }

    fn cover_points(program: &Program) -> impl Fn(u32) -> Vec<CoverPoint> {
        facets::cover_points(program)
    }
}

impl Legality for Pica200 {
    super::forward!(legality);
    fn finds_unwritten_paths() -> bool {
        true
    }

    fn validate(cx: &Context<'_, Self>) -> Vec<Violation> {
        validate::validate(cx.program, cx.entry)
    }
}

impl Reference for Pica200 {
    type Lane<D: Domain> = Lane<D>;
    type Position = u32;

    super::forward!(reference);

    fn group(_cx: &Context<'_, Self>) -> u8 {
        1
    }
    fn start<D: Domain, H: Host<D>>(d: &D, _host: &mut H, cx: &Context<'_, Self>, _lane: usize) -> Lane<D> {
        Lane::new(d, cx.entry.start)
    }
    fn position<D: Domain>(cx: &Context<'_, Self>, lane: &Lane<D>) -> Option<u32> {
        ((lane.pc as usize) < cx.program.code.len()).then_some(lane.pc)
    }
    fn output<D: Domain>(d: &D, _cx: &Context<'_, Self>, lane: &Lane<D>, slot: u16) -> [D::F; 4] {
        value_or_zeros(d, lane.outputs.get(usize::from(slot)))
    }
}

impl Lowering for Pica200 {
    type ControlState = ControlState;
    type Outline = Outline;

    super::forward!(lowering);

    fn entry_control(cx: &Context<'_, Self>) -> Option<ControlState> {
        let start = ControlState { pc: cx.entry.start, ..ControlState::default() };
        ((start.pc as usize) < cx.program.code.len()).then_some(start)
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

impl Refinement for Pica200 {
    fn refine<D: Domain>(
        d: &D,
        _cx: &Context<'_, Self>,
        control: &ControlState,
        value: &mut dyn FnMut(VarKey) -> Scalar<D>,
    ) -> Lane<D> {
        refinement::refine(d, control, value)
    }
    fn state<D: Domain>(d: &D, cx: &Context<'_, Self>, lane: &Lane<D>) -> State<D> {
        refinement::state(d, lower::double_banked(cx), Self::position(cx, lane).is_none(), lane)
    }
    fn control<D: Domain>(cx: &Context<'_, Self>, lane: &Lane<D>) -> Option<ControlState> {
        Self::position(cx, lane).map(|_| refinement::control(lane))
    }
    fn set_state<D: Domain>(_cx: &Context<'_, Self>, lane: &mut Lane<D>, key: VarKey, value: Scalar<D>) {
        refinement::set_state(lane, key, value);
    }
}

impl Edits for Pica200 {
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
