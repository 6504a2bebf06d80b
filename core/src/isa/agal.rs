//! AGAL, the shader language of Flash Stage3D: versions 1 to 3, and the few known facts about version 4.
//!
//! Comments cite sources by their tags in [`sources::SOURCES`].

pub mod assemble;
pub mod decode;
pub mod disassemble;
pub mod edit;
pub mod encode;
pub mod facets;
mod import;
pub mod interface;
pub mod limits;
pub mod lower;
pub mod manual;
mod names;
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
mod variables;
pub mod word;

use super::semantics::value_or_zeros;
use super::{
    Code, Context, Edits, Entry, Format, IsaId, Legality, Lowering, Reference, Refinement, Register, Stage,
    State, Syntax, Tables, Violation,
};
use crate::host::Host;
use crate::ir::VarKey;
use crate::ir::eval::Scalar;
use crate::text::Diagnostic;
use crate::value::Domain;
use program::Program;
use reference::Lane;
use word::{MAGIC, STAGE_MARKER};

// Words of the header line in assembly text.
/// The first word of a program's assembly text.
const HEAD: &str = "version";
const VERTEX: &str = Stage::Vertex.name();
const FRAGMENT: &str = Stage::Fragment.name();

/// The AGAL instruction set, as an implementation of [`Isa`](super::Isa).
#[derive(Clone, Copy, Debug)]
pub struct Agal;

/// The index of the fragment depth in `Lane::outputs`.
const DEPTH: usize = reference::DEPTH_SLOT as usize;

impl Format for Agal {
    const ID: IsaId = IsaId::Agal;
    type Program = Program;

    super::forward!(format);

    const REGISTER_SLOTS: std::ops::Range<u16> = variables::REGISTER_SLOTS;
    fn register(entry: &Entry, slot: u16) -> Option<Register> {
        variables::register(entry.version, entry.stage, slot)
    }

    fn code(program: &Program, _: &Entry) -> Code {
        Code::plain(program.tokens.iter().flat_map(encode::token).collect())
    }
    fn recognizes(bytes: &[u8]) -> bool {
        matches!(bytes, [magic, _, _, _, _, marker, ..]
            if (*magic, *marker) == (MAGIC.number, STAGE_MARKER.number))
    }
    fn import(extension: &str, bytes: &[u8]) -> Option<Result<Vec<u8>, Vec<Diagnostic>>> {
        import::bytes(std::str::from_utf8(bytes).ok().filter(|_| extension == "agal")?)
    }
    fn instruction_count(cx: &Context<'_, Self>) -> u32 {
        cx.program.tokens.len() as u32
    }
}

impl Syntax for Agal {
    super::forward!(syntax);

    fn begins_text(line: &str) -> bool {
        let mut words = line.split_whitespace();
        words.next() == Some(HEAD)
            && words.next().is_some_and(|number| number.parse::<u32>().is_ok())
            && matches!(words.next(), Some(VERTEX | FRAGMENT))
    }
    fn disassemble_word(program: &Program, word: u32) -> String {
        disassemble::disassemble_token(program, word)
    }
    fn own_output_name(entry: &Entry, slot: u16) -> String {
        names::output_name(entry.stage, slot)
    }
    fn own_input_name(entry: &Entry, slot: u16) -> String {
        names::input_name(entry.stage, slot)
    }
    fn constant_name(entry: &Entry, slot: i32) -> String {
        names::constant_name(entry.stage, slot)
    }
    fn var_name(entry: &Entry, key: VarKey) -> String {
        variables::name(entry.stage, key)
    }
}

impl Tables for Agal {
    super::forward!(tables);

    fn outer_layouts() -> &'static [crate::binary::Layout] {
        &word::OUTER_LAYOUTS
    }
}

impl Legality for Agal {
    super::forward!(legality);

    fn validate(cx: &Context<'_, Self>) -> Vec<Violation> {
        validate::validate_with_options(cx.program, cx.entry, cx.options)
    }
}

impl Reference for Agal {
    type Lane<D: Domain> = Lane<D>;
    type Position = u32;

    super::forward!(reference);

    fn group(cx: &Context<'_, Self>) -> u8 {
        if cx.entry.stage == super::Stage::Fragment { 4 } else { 1 }
    }
    fn start<D: Domain, H: Host<D>>(d: &D, _host: &mut H, cx: &Context<'_, Self>, _lane: usize) -> Lane<D> {
        Lane { pc: cx.entry.start, ..Lane::new(d) }
    }
    fn position<D: Domain>(cx: &Context<'_, Self>, lane: &Lane<D>) -> Option<u32> {
        ((lane.pc as usize) < cx.program.tokens.len()).then_some(lane.pc)
    }
    fn output<D: Domain>(d: &D, cx: &Context<'_, Self>, lane: &Lane<D>, slot: u16) -> [D::F; 4] {
        let slot = usize::from(slot);
        let register = match cx.entry.stage {
            super::Stage::Vertex if slot > 0 => lane.varyings.get(slot - 1),
            _ => lane.outputs.get(slot),
        };
        value_or_zeros(d, register)
    }
}

impl Lowering for Agal {
    type ControlState = u32;
    type Outline = lower::Outline;

    super::forward!(lowering);

    fn entry_control(cx: &Context<'_, Self>) -> Option<u32> {
        ((cx.entry.start as usize) < cx.program.tokens.len()).then_some(cx.entry.start)
    }
    fn control_position(control: &u32) -> u32 {
        *control
    }
    fn control_word(control: &u32) -> u32 {
        *control
    }
    fn outline(cx: &Context<'_, Self>) -> lower::Outline {
        lower::outline(cx)
    }
}

impl Refinement for Agal {
    fn refine<D: Domain>(
        d: &D,
        _cx: &Context<'_, Self>,
        control: &u32,
        value: &mut dyn FnMut(VarKey) -> Scalar<D>,
    ) -> Lane<D> {
        refinement::refine(d, *control, value)
    }
    fn state<D: Domain>(_d: &D, _cx: &Context<'_, Self>, lane: &Lane<D>) -> State<D> {
        refinement::state(lane)
    }
    fn control<D: Domain>(cx: &Context<'_, Self>, lane: &Lane<D>) -> Option<u32> {
        Self::position(cx, lane)
    }
    fn set_state<D: Domain>(_cx: &Context<'_, Self>, lane: &mut Lane<D>, key: VarKey, value: Scalar<D>) {
        refinement::set_state(lane, key, value);
    }
}

impl Edits for Agal {
    super::forward!(edits);

    fn excerpts(program: &Program, words: std::ops::Range<u32>) -> Vec<Program> {
        edit::excerpts(program, words)
    }

    fn redirected(program: &Program, from: u32, to: u32) -> Vec<Program> {
        edit::redirected(program, from, to)
    }

    fn forwarded(program: &Program, from: u32, to: u32) -> Vec<Program> {
        edit::forwarded(program, from, to)
    }
}
