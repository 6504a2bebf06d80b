//! The reference interpreter, structured like xenia and fd-hdr.
//!
//! A lane steps through clauses, and through the slots of each EXEC. A slot reads all registers first, then computes both halves, then writes both
//! results: the vector result first, unless an option reverses the order for a component that both write. A slot whose predicate does not match
//! has no effect, except that a VERTEX still provides buffer and stride for later fetches that reuse an address.

mod alu;
mod arithmetic;
mod fetch;
pub(super) mod flow;
mod scalar;
mod texture;
mod vector;

use super::A2xx;
use super::options::Choice;
use super::program::{Clause, Shader, Slot, XENOS};
use crate::host::Host;
use crate::isa::{Context, LaneState};
use crate::value::{Domain, Freedom, IBin, ICmp};
pub use flow::{FlowState, Position};

type Vec4<D> = [<D as Domain>::F; 4];
type Cx<'a> = Context<'a, A2xx>;

/// Number of general registers.
pub const REGISTERS: usize = 64;
/// Maximum depth of nested calls, and of nested loops.
pub const MAX_NESTING: usize = 4;
/// The kind number of export effects. The export's number is the effect's index.
pub const EXPORT: u8 = 1;

/// The state of a lane: its position and the contents of its registers.
#[derive(Clone, Debug)]
pub struct Lane<D: Domain> {
    /// The clause, the slot, and the remaining control state.
    pub at: FlowState,
    /// The general registers R0 to R63.
    pub registers: [Vec4<D>; REGISTERS],
    /// Number of passes completed by the loop at each depth, outermost first. These numbers are kept after the loop ends, because a later loop with
    /// REPEAT continues counting from them.
    pub passes: [D::I; MAX_NESTING],
    /// The address register for constants, a0.
    pub a0: D::I,
    /// The predicate.
    pub predicate: D::B,
    /// PS, the previous scalar result.
    pub previous: D::F,
    /// The level of detail set by SET_TEX_LOD.
    pub lod: D::F,
    /// The gradients set by SET_GRADIENTS_H and SET_GRADIENTS_V.
    pub gradients: [[D::F; 3]; 2],
    /// The index computed by the last VERTEX that computed an index. Fetches that reuse the address of an earlier fetch use this index.
    pub index: D::I,
    /// Whether the shader has fetches that may reuse the address of an earlier fetch: see [`has_mini_fetches`].
    pub has_mini_fetches: bool,
    /// Whether exports of this lane are discarded, because it was killed.
    pub dropped: D::B,
    /// The sticky kill mark.
    pub killed: D::B,
}

impl<D: Domain> Lane<D> {
    /// Creates a lane before its first clause, with all state zero.
    pub fn new(d: &D) -> Lane<D> {
        let zero = || d.f(0.0);
        Lane {
            at: FlowState::default(),
            registers: std::array::from_fn(|_| std::array::from_fn(|_| zero())),
            passes: std::array::from_fn(|_| d.i(0)),
            a0: d.i(0),
            predicate: d.b(false),
            previous: zero(),
            lod: zero(),
            gradients: std::array::from_fn(|_| std::array::from_fn(|_| zero())),
            index: d.i(0),
            has_mini_fetches: false,
            dropped: d.b(false),
            killed: d.b(false),
        }
    }

    /// Returns a component of a register whose number may be symbolic.
    fn component(&self, d: &D, number: &D::I, c: usize) -> D::F {
        if let Some(known) = d.known_i(number) {
            return usize::try_from(known)
                .ok()
                .and_then(|n| self.registers.get(n))
                .map_or_else(|| d.f(0.0), |r| r[c].clone());
        }
        let all = self.registers.iter().enumerate();
        all.fold(d.f(0.0), |rest, (n, register)| {
            d.sel(&d.icmp(ICmp::Eq, number, &d.i(n as i32)), &register[c], &rest)
        })
    }

    /// Sets a component of a register whose number may be symbolic.
    fn set_component(&mut self, d: &D, number: &D::I, c: usize, value: &D::F) {
        if let Some(known) = d.known_i(number) {
            if let Some(register) = usize::try_from(known).ok().and_then(|n| self.registers.get_mut(n)) {
                register[c] = value.clone();
            }
            return;
        }
        for (n, register) in self.registers.iter_mut().enumerate() {
            register[c] = d.sel(&d.icmp(ICmp::Eq, number, &d.i(n as i32)), value, &register[c]);
        }
    }
}

/// Creates a lane at the entry, with the input registers filled.
pub fn start<D: Domain, H: Host<D>>(d: &D, host: &mut H, cx: &Cx<'_>, lane_number: usize) -> Lane<D> {
    let mut lane = Lane::new(d);
    lane.has_mini_fetches = shader(cx).is_some_and(has_mini_fetches);
    for port in &cx.entry.interface.inputs {
        if let Some(register) = lane.registers.get_mut(usize::from(port.slot)) {
            let value = host.input(d, lane_number, port.slot);
            for (c, component) in value.into_iter().enumerate().filter(|(c, _)| port.mask >> c & 1 == 1) {
                register[c] = component;
            }
        }
    }
    lane
}

/// Whether any VERTEX of a shader has its bit 62 set.
pub fn has_mini_fetches(shader: &Shader) -> bool {
    shader.slots.iter().any(|slot| matches!(slot, Slot::Vertex(v) if v.mini_fetch != 0))
}

/// Returns the shader that the entry runs.
fn shader<'a>(cx: &Cx<'a>) -> Option<&'a Shader> {
    cx.program.find(cx.entry.start).map(|(shader, _)| shader)
}

/// Returns the position of a lane; `None` after the last clause.
pub fn position<D: Domain>(cx: &Cx<'_>, lane: &Lane<D>) -> Option<Position> {
    let clauses = shader(cx)?.clauses.len();
    (usize::from(lane.at.clause) < clauses).then(|| lane.at.position())
}

/// The execution context of one lane: domain, host, program, and the lane's number.
struct LaneContext<'a, D: Domain, H> {
    d: &'a D,
    host: &'a mut H,
    cx: &'a Cx<'a>,
    lane_number: usize,
}

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    fn choice(&self, option: Choice) -> u8 {
        self.cx.options.get(option as usize)
    }

    fn record(&mut self, freedom: Freedom, when: &D::B) {
        self.host.record(freedom, when);
    }

    fn is_xenos(&self) -> bool {
        self.cx.entry.version == XENOS
    }

    /// Returns a register number, with aL added if relative. Relative numbers wrap (fd-hdr, xenia).
    fn register_number(&mut self, lane: &Lane<D>, number: u8, relative: bool) -> D::I {
        let d = self.d;
        let number = d.i(i32::from(number & 63));
        if !relative {
            return number;
        }
        let loops = flow::address(d, self.host, lane);
        d.ibin(IBin::And, &d.ibin(IBin::Add, &number, &loops), &d.i(63))
    }

    /// Returns whether a predicated slot runs; `None` if it is not predicated.
    fn run_condition(&self, lane: &Lane<D>, enabled: u8, condition: u8) -> Option<D::B> {
        (enabled != 0).then(|| flow::predicate_is(self.d, lane, condition))
    }

    /// Returns `new` if the slot runs, otherwise `old`.
    fn chosen(&self, runs: Option<&D::B>, new: &D::F, old: &D::F) -> D::F {
        runs.map_or_else(|| new.clone(), |runs| self.d.sel(runs, new, old))
    }

    /// Writes a component of a register if the slot runs.
    fn write(&self, lane: &mut Lane<D>, number: &D::I, c: usize, value: &D::F, runs: Option<&D::B>) {
        let old = lane.component(self.d, number, c);
        let value = self.chosen(runs, value, &old);
        lane.set_component(self.d, number, c, &value);
    }
}

/// Executes one clause or slot for the active lanes, which are at the same position.
pub fn step<D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    cx: &Cx<'_>,
    group: &mut [LaneState<Lane<D>>],
    active: u8,
) {
    let lanes = |active: u8| (0..8usize).filter(move |l| active >> l & 1 == 1);
    let Some(shader) = shader(cx) else { return };
    let Some(first) = lanes(active).next() else { return };
    let at = group[first].lane.at;
    let Some(clause) = shader.clauses.get(usize::from(at.clause)) else { return };
    let Some(k) = at.slot.checked_sub(1) else {
        lanes(active).for_each(|l| flow::clause(d, host, cx, clause, &mut group[l]));
        return;
    };
    let Clause::Exec(exec) = clause else { return };
    let slot = (usize::from(exec.addr) + usize::from(k))
        .checked_sub(shader.clauses.len() / 2)
        .and_then(|at| shader.slots.get(at));
    match slot {
        Some(Slot::Alu(alu)) => {
            for l in lanes(active) {
                LaneContext { d: &*d, host: &mut *host, cx, lane_number: l }.alu(alu, &mut group[l].lane);
            }
        }
        Some(Slot::Vertex(vertex)) => {
            for l in lanes(active) {
                LaneContext { d: &*d, host: &mut *host, cx, lane_number: l }.vertex(
                    shader,
                    vertex,
                    &mut group[l].lane,
                );
            }
        }
        Some(Slot::Texture(texture)) => texture::run(&*d, host, cx, texture, group, active),
        // The validator rejects raw and missing slots. Here they have no effect.
        Some(Slot::Raw(_)) | None => {}
    }
    lanes(active).for_each(|l| flow::next_slot(exec, &mut group[l].lane.at));
}
