//! A small instruction set for tests of tampering (see `live.rs`): it has effects, calls, and words with two units.

use super::live::Probe;
use lockstep_core::binary::DecodeError;
use lockstep_core::host::{Effect, Environment, Host, LaneInput};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::{Builder, Op, Ty, VarKey};
use lockstep_core::isa::facet::{Combination, Density, Facet, Memo, Site, Table};
use lockstep_core::isa::lowering::{BranchSelect, FallbackExit, Successors};
use lockstep_core::isa::{
    Context, CoverPoint, EFFECTS, Entry, Format, Interface, IsaId, KILLED, LaneState, Lowering, Options,
    Reference, Refinement, Stage, State,
};
use lockstep_core::value::Domain;

#[derive(Clone, Copy, Debug)]
struct Toy;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Ins {
    /// The first unit loads x of the input into one register, the second loads y into another.
    Pair(u16, u16),
    /// Records a register as an effect.
    Export(u16),
    /// Calls a function; calls do not nest.
    Call(u32),
    Return,
    End,
}

#[derive(Clone, Debug)]
struct Lane<D: Domain> {
    at: Option<(u32, u32)>,
    registers: [D::F; 4],
    killed: D::B,
}

fn register(index: u16) -> VarKey {
    VarKey { file: 0, index, component: 0 }
}
const LINK: VarKey = VarKey { file: 1, index: 0, component: 0 };

/// Returns an instruction's successor, as a return link and a position.
fn next(ins: Ins, (link, pc): (u32, u32)) -> Option<(u32, u32)> {
    match ins {
        Ins::Pair(..) | Ins::Export(_) => Some((link, pc + 1)),
        Ins::Call(to) => Some((pc + 1, to)),
        Ins::Return => Some((0, link)),
        Ins::End => None,
    }
}

/// Defines a facet of an opcode's instructions, with a getter and no setter.
macro_rules! shown {
    ($name:literal, $opcode:literal, $values:expr) => {
        Facet {
            name: $name,
            meaning: "",
            values: $values,
            get: |program, site| {
                if opcode(program, site) == Some($opcode) { $values.to_vec() } else { Vec::new() }
            },
            set: |_, _, _| None,
            disturbs: &[],
            combination: Combination::ONE,
        }
    };
}

static TABLE: Table<Vec<Ins>> = Table {
    facets: &[
        shown!("unit", "pair", &["first", "second"]),
        shown!("component", "export", &["x", "y"]),
        shown!("form", "control", &["only"]),
    ],
    units: 1,
    disturbs_beside: &[],
    opcode: |program, site| opcode(program, site),
    contexts: |_| Vec::new(),
    scenarios: &[],
    mutated: &[],
    infeasible: &[],
    density: Density::PerValue,
    headers: &[],
    memo: Memo::new(),
};

fn opcode(program: &[Ins], site: Site) -> Option<&'static str> {
    Some(match program.get(site.word as usize)? {
        Ins::Pair(..) => "pair",
        Ins::Export(_) => "export",
        _ => "control",
    })
}

impl Format for Toy {
    // No case uses this set, so the id does not matter.
    const ID: IsaId = IsaId::Agal;
    type Program = Vec<Ins>;

    fn decode(_: &[u8]) -> Result<Vec<Ins>, DecodeError> {
        Ok(Vec::new())
    }
    fn encode(_: &Vec<Ins>) -> Vec<u8> {
        Vec::new()
    }
    fn spans(_: &Vec<Ins>) -> Vec<std::ops::Range<usize>> {
        Vec::new()
    }
    fn recognizes(_: &[u8]) -> bool {
        false
    }
    fn entries(_: &Vec<Ins>) -> Vec<Entry> {
        vec![Entry {
            stage: Stage::Vertex,
            start: 0,
            version: 0,
            interface: Interface::default(),
            extra: [0; 4],
        }]
    }
    fn instruction_count(cx: &Context<'_, Self>) -> u32 {
        cx.program.len() as u32
    }
}

impl Reference for Toy {
    type Lane<D: Domain> = Lane<D>;
    // Does not include the return link, so that one position has several control states.
    type Position = u32;

    fn group(_: &Context<'_, Self>) -> u8 {
        1
    }
    fn start<D: Domain, H: Host<D>>(d: &D, _: &mut H, _: &Context<'_, Self>, _: usize) -> Lane<D> {
        Lane { at: Some((0, 0)), registers: std::array::from_fn(|_| d.f(0.0)), killed: d.b(false) }
    }
    fn position<D: Domain>(_: &Context<'_, Self>, lane: &Lane<D>) -> Option<u32> {
        lane.at.map(|(_, pc)| pc)
    }
    fn step<D: Domain, H: Host<D>>(
        d: &mut D,
        host: &mut H,
        cx: &Context<'_, Self>,
        group: &mut [LaneState<Lane<D>>],
        _: u8,
    ) {
        let lane = &mut group[0].lane;
        let Some(at) = lane.at else { return };
        let ins = cx.program[at.1 as usize];
        match ins {
            Ins::Pair(first, second) => {
                let [x, y, ..] = host.input(d, 0, 0);
                lane.registers[usize::from(first)] = x;
                lane.registers[usize::from(second)] = y;
            }
            Ins::Export(which) => {
                let values = std::array::from_fn(|_| lane.registers[usize::from(which)].clone());
                host.effect(d, 0, Effect { when: d.b(true), kind: 0, index: 7, mask: 1, values });
            }
            _ => {}
        }
        lane.at = next(ins, at);
    }
    fn output<D: Domain>(_: &D, _: &Context<'_, Self>, lane: &Lane<D>, _: u16) -> [D::F; 4] {
        lane.registers.clone()
    }
    fn killed<D: Domain>(lane: &Lane<D>) -> D::B {
        lane.killed.clone()
    }
}

impl Lowering for Toy {
    type ControlState = (u32, u32);
    type Outline = ();

    fn declare(_: &Context<'_, Self>, b: &mut Builder) {
        b.var(LINK, Ty::I32, 0);
    }
    fn entry_control(_: &Context<'_, Self>) -> Option<(u32, u32)> {
        Some((0, 0))
    }
    fn control_position(control: &(u32, u32)) -> u32 {
        control.1
    }
    fn control_word(control: &(u32, u32)) -> u32 {
        control.1
    }
    fn outline(_: &Context<'_, Self>) {}
    fn successors(cx: &Context<'_, Self>, (): &(), control: &(u32, u32)) -> Successors<(u32, u32)> {
        next(cx.program[control.1 as usize], *control).into_iter().collect()
    }
    fn lower_node(_: &Context<'_, Self>, (): &(), _: &(u32, u32), _: &mut Builder) -> BranchSelect {
        BranchSelect::Only
    }
    fn lower_word(cx: &Context<'_, Self>, (): &(), word: u32, b: &mut Builder) -> FallbackExit {
        let mut to = Successors::new();
        match cx.program[word as usize] {
            Ins::Pair(first, second) => {
                for (component, index) in [first, second].into_iter().enumerate() {
                    let var = b.var(register(index), Ty::F32, 0);
                    let value = b.op(Op::Input(component as u16), &[]);
                    b.write(var, value);
                }
                to.push(word + 1);
            }
            Ins::Export(which) => {
                let var = b.var(register(which), Ty::F32, 0);
                let (value, when) = (b.read(var), b.b(true));
                b.effect(when, (0, 7, 1), [value; 4]);
                to.push(word + 1);
            }
            Ins::Call(target) => {
                let link = b.var(LINK, Ty::I32, 0);
                let value = b.i(word as i32 + 1);
                b.write(link, value);
                to.push(target);
            }
            Ins::Return => {
                let link = b.var(LINK, Ty::I32, 0);
                return FallbackExit::Computed { next: b.read(link), costs_fuel: None };
            }
            Ins::End => {}
        }
        FallbackExit::Static(BranchSelect::Only, to)
    }
}

impl Refinement for Toy {
    fn unit_writes(program: &Vec<Ins>, word: u32, point: &CoverPoint, key: VarKey) -> bool {
        match (program[word as usize], point.modifier.as_str()) {
            (Ins::Pair(first, _), "unit=first") => key == register(first),
            (Ins::Pair(_, second), "unit=second") => key == register(second),
            (Ins::Export(_), "component=x") => (key.file, key.component) == (EFFECTS, 0),
            (Ins::Export(_), "component=y") => (key.file, key.component) == (EFFECTS, 1),
            _ => true,
        }
    }
    fn refine<D: Domain>(
        d: &D,
        _: &Context<'_, Self>,
        control: &(u32, u32),
        value: &mut dyn FnMut(VarKey) -> Scalar<D>,
    ) -> Lane<D> {
        let registers = std::array::from_fn(|k| value(register(k as u16)).f(d));
        Lane { at: Some(*control), registers, killed: value(KILLED).b(d) }
    }
    fn state<D: Domain>(_: &D, _: &Context<'_, Self>, lane: &Lane<D>) -> State<D> {
        let registers = lane.registers.iter().enumerate();
        registers.map(|(k, v)| (register(k as u16), Scalar::F(v.clone()))).collect()
    }
    fn control<D: Domain>(_: &Context<'_, Self>, lane: &Lane<D>) -> Option<(u32, u32)> {
        lane.at
    }
    fn set_state<D: Domain>(_: &Context<'_, Self>, lane: &mut Lane<D>, key: VarKey, value: Scalar<D>) {
        if let (Scalar::F(v), 0) = (value, key.file) {
            lane.registers[usize::from(key.index)] = v;
        }
    }
}

/// Returns the live instructions of a program, each with its live coverage points, in an environment with room for `effects` effects.
fn live(program: &[Ins], effects: u32) -> Vec<(u32, Vec<String>)> {
    let program = program.to_vec();
    let (entry, options) = (Toy::entries(&program).remove(0), Options::new(&[]));
    let cx = Context::<Toy> { program: &program, entry: &entry, options: &options };
    let lanes = vec![LaneInput { slots: vec![[3.0, 5.0, 0.0, 0.0]] }];
    let env = Environment { fuel: 9, effects, lanes, ..Environment::default() };
    let mut probe = Probe::new(cx, &env);
    let words = (0..program.len() as u32).filter_map(|word| {
        let points = probe.live_points(word, &TABLE.points(&program, word));
        (!points.is_empty()).then(|| (word, points.into_iter().map(|c| c.modifier).collect()))
    });
    words.collect()
}

fn words(program: &[Ins], effects: u32) -> Vec<u32> {
    live(program, effects).into_iter().map(|(word, _)| word).collect()
}

#[test]
fn recorded_effects_and_their_values_are_live() {
    let program = [Ins::Pair(0, 1), Ins::Export(0), Ins::Export(1), Ins::End];
    assert_eq!(words(&program, 8), [0, 1, 2, 3]);
    // Both exports are reached. With room for one effect the second is not recorded; without room neither is.
    assert_eq!(words(&program, 1), [0, 1, 3]);
    assert_eq!(words(&program, 0), [3]);
    // Only x is recorded, so y is not live.
    assert_eq!(live(&program, 8)[1].1, ["component=x"]);
}

#[test]
fn units_of_one_word_are_live_independently() {
    let export = |which| live(&[Ins::Pair(0, 1), Ins::Export(which), Ins::End], 8)[0].clone();
    assert_eq!(export(0), (0, vec!["unit=first".to_owned()]));
    assert_eq!(export(1), (0, vec!["unit=second".to_owned()]));
}

#[test]
fn tampering_with_values_leaves_calls_alone() {
    // The function loads registers that nothing reads. Only its second call would return to a wrong position if diverted to the return link of the
    // first call.
    let program =
        [Ins::Call(4), Ins::Pair(0, 1), Ins::Call(4), Ins::End, Ins::Pair(2, 3), Ins::Export(0), Ins::Return];
    assert_eq!(words(&program, 8), [0, 1, 2, 3, 5, 6]);
}
