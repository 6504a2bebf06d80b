//! The reference interpreter, in the terms of MS' register and instruction pages.
//!
//! A lane is a program counter, the active calls and loops, and the register files. Each instruction reads its sources completely, swizzles and
//! modifies them, computes component by component, shifts and saturates, and writes through mask and predicate. The second instruction of a co-issued
//! pair reads the value that the first one's destination had before.

mod arithmetic;
mod flow;
mod operands;
mod results;
mod special;
mod stack;
mod texture;

use super::D3d9;
use super::opcode::{Kind, Opcode};
use super::options::Choice;
use super::program::{Dest, File, Instruction};
use crate::host::Host;
use crate::isa::{Context, LaneState};
use crate::value::{Domain, Freedom, IBin};
pub use flow::{Call, Loop};
pub use stack::Stack;

/// Maximum number of temporaries in any version.
pub const TEMPORARIES: usize = 32;
/// Maximum number of texture registers in any version; ps_1_0 to 1_3 have four.
pub const TEXTURES: usize = 8;
/// Maximum number of samplers in any version.
pub const SAMPLERS: usize = 16;
/// Number of output slots; see [`super::interface`].
pub const OUTPUTS: usize = 16;
/// The output slot of a pixel shader's depth.
const DEPTH_SLOT: usize = 4;
/// The input slot of t0.
const COORDINATES_SLOT: u16 = 16;
/// The input slot of vPos. That of vFace is the next one.
const POSITION_SLOT: u16 = 32;
/// Maximum number of active calls.
pub const CALLS: usize = 4;
/// Maximum number of active loops: four in the main program and four in each active subroutine.
pub const LOOPS: usize = 20;

type Vec4<D> = [<D as Domain>::F; 4];
type Cx<'a> = Context<'a, D3d9>;
/// The components of a result: `None` for a component that is not computed.
type Components<D> = [Option<<D as Domain>::F>; 4];

/// A lane: its position and the contents of its registers.
#[derive(Clone, Debug)]
pub struct Lane<D: Domain> {
    /// Index of the next instruction.
    pub pc: u32,
    /// Active calls.
    pub calls: Stack<Call, CALLS>,
    /// Active loops of the main program and of all active subroutines.
    pub loops: Stack<Loop<D>, LOOPS>,
    /// `r`; zero at the start.
    pub temporaries: [Vec4<D>; TEMPORARIES],
    /// `t` of ps_1_0 to 1_3. Until an instruction writes it, a register holds the coordinates of its texture stage.
    pub textures: [Vec4<D>; TEXTURES],
    /// The output slots.
    pub outputs: [Vec4<D>; OUTPUTS],
    /// `a0`.
    pub address: [D::I; 4],
    /// `p0`.
    pub predicate: [D::B; 4],
    /// `aL`.
    pub counter: D::I,
    /// The dot products of the last two rows that texture instructions computed for a matrix product, the later row last.
    pub row_products: [D::F; 2],
    /// Between two co-issued instructions: the value that the first one's destination had before the pair.
    pub coissue_old_value: Vec4<D>,
    /// The declared texture type of each sampler: see [`declared`].
    pub samplers: [u8; SAMPLERS],
    /// Whether `texkill` has discarded the pixel.
    pub killed: D::B,
    /// Temporaries that `sgn` used as scratch and that have not been overwritten completely since, one bit each. These bits only determine which
    /// Freedoms are recorded; no result depends on them.
    pub destroyed: u32,
}

impl<D: Domain> Lane<D> {
    /// Returns a lane before its first instruction, with all registers zero.
    pub fn new(d: &D, pc: u32) -> Lane<D> {
        fn zeros<D: Domain, const N: usize>(d: &D) -> [Vec4<D>; N] {
            std::array::from_fn(|_| std::array::from_fn(|_| d.f(0.0)))
        }
        Lane {
            pc,
            calls: Stack::default(),
            loops: Stack::default(),
            temporaries: zeros(d),
            textures: zeros(d),
            outputs: zeros(d),
            address: std::array::from_fn(|_| d.i(0)),
            predicate: std::array::from_fn(|_| d.b(false)),
            counter: d.i(0),
            row_products: std::array::from_fn(|_| d.f(0.0)),
            coissue_old_value: std::array::from_fn(|_| d.f(0.0)),
            samplers: [0; SAMPLERS],
            killed: d.b(false),
            destroyed: 0,
        }
    }
}

/// Returns the texture type of each sampler, 0 if it is not declared. If a sampler is declared several times, the last declaration counts.
pub fn declared(cx: &Cx<'_>) -> [u8; SAMPLERS] {
    let mut samplers = [0; SAMPLERS];
    for i in &cx.program.instructions {
        if let (Some(Opcode::Dcl), Some(dest)) = (i.op(), &i.dest)
            && dest.is(File::Sampler)
            && let Some(texture) = samplers.get_mut(usize::from(dest.number))
        {
            *texture = i.usage.map_or(0, |usage| usage.texture);
        }
    }
    samplers
}

/// Creates lane number `at` of the group, in its state at the entry. In ps_1_0 to 1_3 its texture registers hold the input coordinates.
pub fn start<D: Domain, H: Host<D>>(d: &D, host: &mut H, cx: &Cx<'_>, at: usize) -> Lane<D> {
    let mut lane = Lane::new(d, cx.entry.start);
    lane.samplers = declared(cx);
    if has_texture_registers(cx) {
        for port in &cx.entry.interface.inputs {
            let number = usize::from(port.slot.wrapping_sub(COORDINATES_SLOT));
            if let Some(register) = lane.textures.get_mut(number) {
                let value = host.input(d, at, port.slot);
                for (c, component) in value.into_iter().enumerate().filter(|(c, _)| port.mask >> c & 1 == 1) {
                    register[c] = component;
                }
            }
        }
    }
    lane
}

/// Returns the position of a lane: the call sites, outermost first, then the next instruction; `None` if the lane has ended.
pub fn position<D: Domain>(cx: &Cx<'_>, lane: &Lane<D>) -> Option<[u32; CALLS + 1]> {
    if lane.pc as usize >= cx.program.instructions.len() {
        return None;
    }
    let mut position = [0; CALLS + 1];
    for (k, call) in lane.calls.iter().enumerate() {
        position[k] = call.site;
    }
    position[lane.calls.len()] = lane.pc;
    Some(position)
}

/// Whether the version is ps_1_0 to 1_4.
fn is_ps1(cx: &Cx<'_>) -> bool {
    cx.program.version.is_pixel() && cx.program.version.major < 2
}

/// Whether the version is ps_1_0 to 1_3, where texture registers can be written, and the number of the destination selects the texture stage.
fn has_texture_registers(cx: &Cx<'_>) -> bool {
    is_ps1(cx) && cx.program.version.minor < 4
}

/// The execution context of one instruction of one lane: domain, host, program, and the lane's number.
struct LaneContext<'a, D: Domain, H> {
    d: &'a D,
    host: &'a mut H,
    cx: &'a Cx<'a>,
    at: usize,
    /// The destination of the first instruction of a co-issued pair, if this instruction is the second.
    partner: Option<Dest>,
    /// Whether the instruction is arithmetic and not a move. Under an option, such an instruction flushes subnormal numbers.
    is_arithmetic: bool,
}

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    fn choice(&self, option: Choice) -> u8 {
        self.cx.options.get(option.option())
    }

    fn record(&mut self, freedom: Freedom, when: &D::B) {
        self.host.record(freedom, when);
    }
}

/// Returns the instruction after `pc`, if the two are co-issued.
fn coissued_after<'a>(cx: &'a Cx<'_>, pc: u32) -> Option<&'a Instruction> {
    cx.program.instructions.get(pc as usize + 1).filter(|i| i.coissue != 0 && is_ps1(cx))
}

/// Runs the active lanes through the instruction at their program counter.
pub fn step<D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    cx: &Cx<'_>,
    group: &mut [LaneState<Lane<D>>],
    active: u8,
) {
    let lanes = |active: u8| (0..4usize).filter(move |l| active >> l & 1 == 1);
    let Some(first) = lanes(active).next() else { return };
    let pc = group[first].lane.pc;
    let Some(i) = cx.program.instructions.get(pc as usize) else { return };
    let Some(op) = i.op() else {
        // The validator rejects unknown opcodes. Here they have no effect, and the program continues.
        lanes(active).for_each(|l| flow::advance(cx, &mut group[l].lane, pc + 1));
        return;
    };
    if op.row().kind == Kind::Flow {
        lanes(active).for_each(|l| flow::run(d, host, cx, op, i, l, &mut group[l].lane));
        return;
    }
    let is_coissued = i.coissue != 0 && is_ps1(cx);
    let partner = if is_coissued { pc.checked_sub(1) } else { None };
    let partner = partner.and_then(|k| cx.program.instructions[k as usize].dest);
    let computes = op.row().kind == Kind::Arithmetic && !matches!(op, Opcode::Mov | Opcode::Mova);
    // Derivatives read other lanes, so their operands are first computed in all lanes. Where the quad has diverged, only interpolated inputs have a
    // value in every lane.
    let sharing = if group.len() == 4 && texture::is_interpolated(cx, i) { 0b1111 } else { active };
    let whole_quad = group.len() == 4 && sharing == 0b1111;
    let mut quad_operands: [Option<Vec4<D>>; 4] = [const { None }; 4];
    for l in lanes(sharing) {
        let mut unit = LaneContext { d: &*d, host: &mut *host, cx, at: l, partner, is_arithmetic: computes };
        quad_operands[l] = unit.quad_operand(op, i, &group[l].lane);
    }

    for l in lanes(active) {
        let lane = &mut group[l].lane;
        let mut unit = LaneContext { d: &*d, host: &mut *host, cx, at: l, partner, is_arithmetic: computes };
        let earlier = match (coissued_after(cx, pc), &i.dest) {
            (Some(_), Some(dest)) => Some(unit.register(lane, dest.file, dest.number)),
            _ => None,
        };
        unit.run(op, i, lane, &quad_operands, whole_quad);
        if let Some(earlier) = earlier {
            lane.coissue_old_value = earlier;
        }
        flow::advance(cx, lane, pc + 1);
        if is_ps1(cx) && lane.pc as usize == cx.program.instructions.len() {
            unit.finish(lane);
        }
    }
}

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    /// Runs any instruction except flow control.
    fn run(
        &mut self,
        op: Opcode,
        i: &Instruction,
        lane: &mut Lane<D>,
        quad_operands: &[Option<Vec4<D>>; 4],
        whole_quad: bool,
    ) {
        match op {
            Opcode::Nop | Opcode::Dcl | Opcode::Def | Opcode::Defi | Opcode::Defb => {}
            Opcode::Phase => self.phase(lane),
            Opcode::Texkill => self.kill(i, lane),
            Opcode::Texdepth | Opcode::Texm3x2depth => self.depth(op, i, lane),
            Opcode::Texm3x2pad | Opcode::Texm3x3pad => {
                let row = self.row(i, lane);
                lane.row_products.swap(0, 1);
                lane.row_products[1] = row;
            }
            Opcode::Setp => self.set_predicate(i, lane),
            Opcode::Mov | Opcode::Mova if self.writes_address(i) => self.set_address(op, i, lane),
            _ => {
                let Some(dest) = &i.dest else { return };
                let result = self.result(op, i, dest, lane, quad_operands, whole_quad);
                if let (Opcode::Sgn, [_, scratch @ ..]) = (op, &i.sources[..]) {
                    for register in scratch {
                        self.destroy(i, register, lane);
                    }
                }
                self.write(i, dest, lane, result);
            }
        }
    }

    /// Ends the first phase of ps_1_4.
    fn phase(&mut self, lane: &mut Lane<D>) {
        self.record(Freedom::UndefinedLane, &self.d.b(true));
        if self.choice(Choice::PhaseAlpha) == 0 {
            for register in &mut lane.temporaries {
                register[3] = self.d.f(0.0);
            }
        }
    }

    /// Writes r0 to the output at the end of a pixel shader before ps_2_0, if the shader writes r0.
    fn finish(&mut self, lane: &mut Lane<D>) {
        if self.cx.entry.interface.outputs.iter().all(|port| port.slot != 0) {
            return;
        }
        for c in 0..4 {
            let value = lane.temporaries[0][c].clone();
            self.record(Freedom::Range, &self.is_clamped(&value));
            lane.outputs[0][c] = match self.choice(Choice::PixelResult) {
                0 => self.saturated(&value),
                _ => value,
            };
        }
    }
}

/// Returns `a + b`.
fn sum<D: Domain>(d: &D, a: &D::I, b: &D::I) -> D::I {
    d.ibin(IBin::Add, a, b)
}
