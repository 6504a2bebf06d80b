//! Instruction sets for tests, whose lowering contains a planted wrong rule. Both provers must refute this rule.
//!
//! Such an instruction set equals the real one except for [`Lowering::lower_node`]: after the right code of a node, the lowering also overwrites one
//! of two float variables, if there are two.

use lockstep_core::binary::{DecodeError, Layout};
use lockstep_core::host::{Environment, Host};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::{BlockId, Builder, Op, Var, VarKey};
use lockstep_core::isa::facet::Table;
use lockstep_core::isa::lowering::{BranchSelect, FallbackExit, Successors};
use lockstep_core::isa::{
    Context, Edit, Edits, Entry, Format, Isa, IsaId, LaneState, Legality, Lowering, OpcodeInfo, OptionSpec,
    Reference, Refinement, Register, RuleInfo, Source, State, Syntax, Tables, Violation,
};
use lockstep_core::text::{Diagnostic, WithSpans};
use lockstep_core::value::{Concrete, Domain, ICmp};
use std::marker::PhantomData;

mod tests;

/// The instruction set `I` with the wrong rule, which copies one variable over another. With `HIDDEN`, the rule instead overwrites the variable with
/// 1 where the product of the other variable and 0 is not +0, which a prover that folds `x * 0` to 0 cannot see.
#[derive(Clone, Copy, Debug)]
struct Wrong<I, const HIDDEN: bool>(PhantomData<I>);

fn real<'a, I: Isa, const HIDDEN: bool>(cx: &Context<'a, Wrong<I, HIDDEN>>) -> Context<'a, I> {
    Context { program: cx.program, entry: cx.entry, options: cx.options }
}

/// Returns two float variables: outputs, which a lane keeps to the end, or registers if no variable is an output. `None` if there are fewer than two.
fn float_pair<I: Isa>(cx: &Context<'_, I>, control: &I::ControlState, b: &Builder) -> Option<[Var; 2]> {
    let mut alone = Builder::new(I::group(cx));
    I::declare(cx, &mut alone);
    let declared = alone.finish(BlockId(0));
    let outputs = declared.outputs.iter().map(|(_, var)| declared.vars[var.0 as usize].key);
    let lane: I::Lane<Concrete> = I::refine(&Concrete, cx, control, &mut |_| Scalar::F(0.0));
    let state = I::state(&Concrete, cx, &lane);
    let registers = state.iter().filter(|(_, value)| matches!(value, Scalar::F(_))).map(|(key, _)| *key);
    let [outputs, registers] = [outputs.collect::<Vec<_>>(), registers.collect()]
        .map(|keys: Vec<VarKey>| keys.into_iter().filter_map(|key| b.find(key)).take(2).collect::<Vec<_>>());
    (if outputs.is_empty() { registers } else { outputs }).try_into().ok()
}

impl<I: Isa, const HIDDEN: bool> Format for Wrong<I, HIDDEN> {
    const ID: IsaId = I::ID;
    type Program = I::Program;

    fn spans(program: &I::Program) -> Vec<std::ops::Range<usize>> {
        I::spans(program)
    }
    fn decode(bytes: &[u8]) -> Result<I::Program, DecodeError> {
        I::decode(bytes)
    }
    fn encode(program: &I::Program) -> Vec<u8> {
        I::encode(program)
    }
    fn recognizes(bytes: &[u8]) -> bool {
        I::recognizes(bytes)
    }
    fn entries(program: &I::Program) -> Vec<Entry> {
        I::entries(program)
    }
    const REGISTER_SLOTS: std::ops::Range<u16> = I::REGISTER_SLOTS;
    fn register(entry: &Entry, slot: u16) -> Option<Register> {
        I::register(entry, slot)
    }
    fn preset(program: &I::Program, entry: &Entry, env: &mut Environment) {
        I::preset(program, entry, env);
    }
    fn instruction_count(cx: &Context<'_, Self>) -> u32 {
        I::instruction_count(&real(cx))
    }
}

impl<I: Isa, const HIDDEN: bool> Syntax for Wrong<I, HIDDEN> {
    fn assemble_with_spans(text: &str) -> Result<WithSpans<I::Program>, Vec<Diagnostic>> {
        I::assemble_with_spans(text)
    }
    fn disassemble(program: &I::Program) -> String {
        I::disassemble(program)
    }
    fn disassemble_word(program: &I::Program, word: u32) -> String {
        I::disassemble_word(program, word)
    }
    fn own_output_name(entry: &Entry, slot: u16) -> String {
        I::own_output_name(entry, slot)
    }
    fn own_input_name(entry: &Entry, slot: u16) -> String {
        I::own_input_name(entry, slot)
    }
    fn var_name(entry: &Entry, key: VarKey) -> String {
        I::var_name(entry, key)
    }
}

impl<I: Isa, const HIDDEN: bool> Tables for Wrong<I, HIDDEN> {
    fn option_specs() -> &'static [OptionSpec] {
        I::option_specs()
    }
    fn opcodes() -> &'static [OpcodeInfo] {
        I::opcodes()
    }
    fn facets() -> &'static Table<I::Program> {
        I::facets()
    }
    fn layouts() -> &'static [Layout] {
        I::layouts()
    }
    fn outer_layouts() -> &'static [Layout] {
        I::outer_layouts()
    }
    fn own_layouts() -> &'static [Layout] {
        I::own_layouts()
    }
    fn sources() -> &'static [Source] {
        I::sources()
    }
    fn manual() -> String {
        I::manual()
    }
}

impl<I: Isa, const HIDDEN: bool> Legality for Wrong<I, HIDDEN> {
    fn rules() -> Vec<RuleInfo> {
        I::rules()
    }
    fn leaves_undefined(rule: u16) -> bool {
        I::leaves_undefined(rule)
    }
    fn finds_unwritten_paths() -> bool {
        I::finds_unwritten_paths()
    }
    fn validate(cx: &Context<'_, Self>) -> Vec<Violation> {
        I::validate(&real(cx))
    }
}

impl<I: Isa, const HIDDEN: bool> Reference for Wrong<I, HIDDEN> {
    type Lane<D: Domain> = I::Lane<D>;
    type Position = I::Position;

    fn group(cx: &Context<'_, Self>) -> u8 {
        I::group(&real(cx))
    }
    fn start<D: Domain, H: Host<D>>(d: &D, host: &mut H, cx: &Context<'_, Self>, lane: usize) -> I::Lane<D> {
        I::start(d, host, &real(cx), lane)
    }
    fn position<D: Domain>(cx: &Context<'_, Self>, lane: &I::Lane<D>) -> Option<I::Position> {
        I::position(&real(cx), lane)
    }
    fn step<D: Domain, H: Host<D>>(
        d: &mut D,
        host: &mut H,
        cx: &Context<'_, Self>,
        group: &mut [LaneState<I::Lane<D>>],
        active: u8,
    ) {
        I::step(d, host, &real(cx), group, active);
    }
    fn calls(position: &I::Position) -> usize {
        I::calls(position)
    }
    fn output<D: Domain>(d: &D, cx: &Context<'_, Self>, lane: &I::Lane<D>, slot: u16) -> [D::F; 4] {
        I::output(d, &real(cx), lane, slot)
    }
    fn killed<D: Domain>(lane: &I::Lane<D>) -> D::B {
        I::killed(lane)
    }
}

impl<I: Isa, const HIDDEN: bool> Lowering for Wrong<I, HIDDEN> {
    type ControlState = I::ControlState;
    type Outline = I::Outline;

    fn outline(cx: &Context<'_, Self>) -> I::Outline {
        I::outline(&real(cx))
    }
    fn lower_node(
        cx: &Context<'_, Self>,
        outline: &I::Outline,
        control: &I::ControlState,
        b: &mut Builder,
    ) -> BranchSelect {
        let decision = I::lower_node(&real(cx), outline, control, b);
        if let Some([var, other]) = float_pair(&real(cx), control, b) {
            let (value, other, zero) = (b.read(var), b.read(other), b.f(0.0));
            let wrong = if HIDDEN {
                let (product, one, none) = (b.mul(other, zero), b.f(1.0), b.i(0));
                let bits = b.op(Op::Bits, &[product]);
                let is_zero = b.icmp(ICmp::Eq, bits, none);
                b.sel(is_zero, value, one)
            } else {
                other
            };
            b.write(var, wrong);
        }
        decision
    }
    fn declare(cx: &Context<'_, Self>, b: &mut Builder) {
        I::declare(&real(cx), b);
    }
    fn prologue(cx: &Context<'_, Self>, b: &mut Builder) {
        I::prologue(&real(cx), b);
    }
    fn entry_control(cx: &Context<'_, Self>) -> Option<I::ControlState> {
        I::entry_control(&real(cx))
    }
    fn control_position(control: &I::ControlState) -> I::Position {
        I::control_position(control)
    }
    fn control_word(control: &I::ControlState) -> u32 {
        I::control_word(control)
    }
    fn successors(
        cx: &Context<'_, Self>,
        outline: &I::Outline,
        control: &I::ControlState,
    ) -> Successors<I::ControlState> {
        I::successors(&real(cx), outline, control)
    }
    fn has_fallback(cx: &Context<'_, Self>) -> bool {
        I::has_fallback(&real(cx))
    }
    fn word_order(cx: &Context<'_, Self>) -> Option<Vec<u32>> {
        I::word_order(&real(cx))
    }
    fn lower_word(cx: &Context<'_, Self>, outline: &I::Outline, word: u32, b: &mut Builder) -> FallbackExit {
        I::lower_word(&real(cx), outline, word, b)
    }
}

impl<I: Isa, const HIDDEN: bool> Refinement for Wrong<I, HIDDEN> {
    fn refine<D: Domain>(
        d: &D,
        cx: &Context<'_, Self>,
        control: &I::ControlState,
        value: &mut dyn FnMut(VarKey) -> Scalar<D>,
    ) -> I::Lane<D> {
        I::refine(d, &real(cx), control, value)
    }
    fn state<D: Domain>(d: &D, cx: &Context<'_, Self>, lane: &I::Lane<D>) -> State<D> {
        I::state(d, &real(cx), lane)
    }
    fn control<D: Domain>(cx: &Context<'_, Self>, lane: &I::Lane<D>) -> Option<I::ControlState> {
        I::control(&real(cx), lane)
    }
    fn fallback_encodings(cx: &Context<'_, Self>, control: &I::ControlState) -> usize {
        I::fallback_encodings(&real(cx), control)
    }
    fn fallback_state<D: Domain, H: Host<D>>(
        d: &D,
        host: &mut H,
        cx: &Context<'_, Self>,
        control: &I::ControlState,
        lane: &I::Lane<D>,
        way: usize,
    ) -> State<D> {
        I::fallback_state(d, host, &real(cx), control, lane, way)
    }
    fn is_node_only(key: VarKey) -> bool {
        I::is_node_only(key)
    }
    fn set_state<D: Domain>(cx: &Context<'_, Self>, lane: &mut I::Lane<D>, key: VarKey, value: Scalar<D>) {
        I::set_state(&real(cx), lane, key, value);
    }
}

impl<I: Isa, const HIDDEN: bool> Edits for Wrong<I, HIDDEN> {
    const MAX_EDITS: usize = I::MAX_EDITS;

    fn edits(program: &I::Program) -> Vec<Edit> {
        I::edits(program)
    }
    fn edit_positions(program: &I::Program) -> u32 {
        I::edit_positions(program)
    }
    fn edits_at(program: &I::Program, place: u32) -> Vec<Edit> {
        I::edits_at(program, place)
    }
    fn apply(program: &I::Program, edit: &Edit) -> Option<I::Program> {
        I::apply(program, edit)
    }
}
