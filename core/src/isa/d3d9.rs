//! Direct3D 9 shader bytecode: vertex and pixel shader models 1.0 to 3.0 with their software variants.
//!
//! Facts are cited by the tags of [`sources::SOURCES`].

// Opcodes are matched by the dozen.
#![allow(clippy::enum_glob_use)]

pub mod assemble;
mod candidates;
pub mod classes;
pub mod decode;
pub mod disassemble;
pub mod edit;
pub mod encode;
mod forms;
pub mod interface;
mod labels;
pub mod limits;
pub mod lower;
pub mod manual;
pub mod names;
pub mod opcode;
pub mod options;
mod outside;
pub mod profile;
pub mod program;
mod reads;
pub mod reference;
mod refinement;
pub mod rules;
pub mod slots;
pub mod sources;
pub mod table;
pub mod validate;
pub mod variables;
pub mod word;

use super::{
    Axis, ClassPoint, Context, Edit, Entry, Isa, IsaId, OpcodeInfo, RuleProgram, Running, State, Violation,
};
use crate::binary::{DecodeError, Layout};
use crate::host::{Environment, Host};
use crate::ir::eval::Scalar;
use crate::ir::{Builder, Decision, Exits, VarKey, WordExit};
use crate::text::{Diagnostic, Placed};
use crate::value::Domain;
use lower::{Config, Outline};
use program::Program;
use reference::Lane;

/// The instruction set.
#[derive(Clone, Copy, Debug)]
pub struct D3d9;

type Cx<'a> = Context<'a, D3d9>;

impl Isa for D3d9 {
    const ID: IsaId = IsaId::D3d9;
    type Program = Program;
    type Lane<D: Domain> = Lane<D>;
    type Position = [u32; reference::CALLS + 1];
    type Config = Config;
    type Outline = Outline;

    fn axes() -> &'static [Axis] {
        options::AXES
    }
    fn opcodes() -> &'static [OpcodeInfo] {
        opcode::INFO
    }
    fn layouts() -> &'static [Layout] {
        &word::LAYOUTS
    }
    fn manual() -> String {
        manual::manual(options::AXES)
    }

    fn sources() -> &'static [crate::isa::Source] {
        sources::SOURCES
    }
    fn rules() -> Vec<u16> {
        rules::RULES.iter().map(|row| row.code).collect()
    }

    fn decode(bytes: &[u8]) -> Result<Program, DecodeError> {
        decode::decode(bytes)
    }
    fn encode(program: &Program) -> Vec<u8> {
        encode::encode(program)
    }
    fn recognizes(bytes: &[u8]) -> bool {
        matches!(bytes, [_, 1..=3, 0xfe | 0xff, 0xff, ..])
    }
    fn extensions() -> &'static [&'static str] {
        &["vso", "pso"]
    }
    fn begins_text(line: &str) -> bool {
        let first = line.split_whitespace().next().unwrap_or_default().to_ascii_lowercase().replace('.', "_");
        // The capability sets that compilers name are versions 2_x.
        let name = first.replace("_2_a", "_2_x").replace("_2_b", "_2_x");
        profile::Profile::ALL.iter().any(|profile| profile.name() == name)
    }
    fn entries(program: &Program) -> Vec<Entry> {
        interface::entries(program)
    }
    fn preset(program: &Program, _entry: &Entry, env: &mut Environment) {
        interface::preset(program, env);
    }
    fn validate(cx: &Context<'_, Self>) -> Vec<Violation> {
        let software = cx.options.peek(options::Choice::VertexProcessing.axis()) == 1;
        validate::on_device(cx.program, cx.entry, software)
    }
    fn labels(program: &Program, entry: &Entry) -> Vec<crate::isa::Label> {
        labels::labels(program, entry)
    }
    fn assemble_placed(text: &str) -> Result<Placed<Program>, Vec<Diagnostic>> {
        assemble::placed(text)
    }
    fn disassemble(program: &Program) -> String {
        disassemble::disassemble(program)
    }
    fn words(cx: &Context<'_, Self>) -> u32 {
        cx.program.instructions.len() as u32
    }
    fn disassemble_word(program: &Program, word: u32) -> String {
        disassemble::disassemble_word(program, word)
    }
    fn classes(program: &Program, word: u32) -> Vec<ClassPoint> {
        classes::classes(program, word)
    }
    fn classifier(program: &Program) -> impl Fn(u32) -> Vec<ClassPoint> {
        classes::classifier(program)
    }
    fn all_classes() -> Vec<ClassPoint> {
        classes::all_classes()
    }
    fn output_name(entry: &Entry, slot: u16) -> String {
        names::output_name(interface::version(entry), slot)
    }
    fn input_name(entry: &Entry, slot: u16) -> String {
        names::input_name(interface::version(entry), slot)
    }
    fn var_name(entry: &Entry, key: VarKey) -> String {
        variables::name(interface::version(entry), key)
    }

    fn group(cx: &Context<'_, Self>) -> u8 {
        if cx.program.version.pixel() { 4 } else { 1 }
    }
    fn start<D: Domain, H: Host<D>>(d: &D, host: &mut H, cx: &Context<'_, Self>, lane: usize) -> Lane<D> {
        reference::start(d, host, cx, lane)
    }
    fn position<D: Domain>(cx: &Context<'_, Self>, lane: &Lane<D>) -> Option<Self::Position> {
        reference::position(cx, lane)
    }
    fn calls(position: &Self::Position) -> usize {
        // A called instruction never is the first one.
        position.iter().rposition(|word| *word != 0).unwrap_or(0)
    }
    fn step<D: Domain, H: Host<D>>(
        d: &mut D,
        host: &mut H,
        cx: &Context<'_, Self>,
        group: &mut [Running<Lane<D>>],
        active: u8,
    ) {
        reference::step(d, host, cx, group, active);
    }
    fn output<D: Domain>(_cx: &Context<'_, Self>, lane: &Lane<D>, slot: u16) -> [D::F; 4] {
        lane.outputs[usize::from(slot) % reference::OUTPUTS].clone()
    }
    fn killed<D: Domain>(lane: &Lane<D>) -> D::B {
        lane.killed.clone()
    }

    fn declare(cx: &Context<'_, Self>, b: &mut Builder) {
        lower::declare(cx, b);
    }
    fn prologue(cx: &Context<'_, Self>, b: &mut Builder) {
        lower::prologue(cx, b);
    }
    fn entry_config(cx: &Context<'_, Self>) -> Option<Config> {
        let start = cx.entry.start;
        ((start as usize) < cx.program.instructions.len()).then_some(Config([start, 0, 0, 0, 0]))
    }
    fn config_position(config: &Config) -> Self::Position {
        config.0
    }
    fn config_word(config: &Config) -> u32 {
        config.pc()
    }
    fn outline(cx: &Context<'_, Self>) -> Outline {
        Outline::of(cx)
    }
    fn exits(cx: &Context<'_, Self>, outline: &Outline, config: &Config) -> Exits<Config> {
        lower::exits(cx, outline, config)
    }
    fn lower_node(cx: &Context<'_, Self>, outline: &Outline, config: &Config, b: &mut Builder) -> Decision {
        lower::node(cx, outline, config, b)
    }
    fn word_order(cx: &Context<'_, Self>) -> Option<Vec<u32>> {
        lower::word_order(cx)
    }
    fn lower_word(cx: &Context<'_, Self>, outline: &Outline, word: u32, b: &mut Builder) -> WordExit {
        lower::word(cx, outline, word, b)
    }

    fn refine<D: Domain>(
        d: &D,
        cx: &Context<'_, Self>,
        config: &Config,
        value: &mut dyn FnMut(VarKey) -> Scalar<D>,
    ) -> Lane<D> {
        refinement::refine(d, cx, config, value)
    }
    fn state<D: Domain>(_d: &D, cx: &Context<'_, Self>, lane: &Lane<D>) -> State<D> {
        refinement::state(cx, lane)
    }
    fn control<D: Domain>(cx: &Context<'_, Self>, lane: &Lane<D>) -> Option<Config> {
        Self::position(cx, lane).map(Config)
    }
    fn fallback_state<D: Domain, H: Host<D>>(
        d: &D,
        _host: &mut H,
        cx: &Context<'_, Self>,
        _config: &Config,
        lane: &Lane<D>,
        _way: usize,
    ) -> State<D> {
        refinement::return_addresses(d, cx.program, lane)
    }
    fn poke<D: Domain>(cx: &Context<'_, Self>, lane: &mut Lane<D>, key: VarKey, value: Scalar<D>) {
        refinement::poke(cx, lane, key, value);
    }

    fn forms() -> Vec<RuleProgram<Program>> {
        forms::forms()
    }

    fn edits(program: &Program) -> Vec<Edit> {
        edit::edits(program)
    }
    fn apply(program: &Program, edit: &Edit) -> Option<Program> {
        edit::apply(program, edit)
    }
}
