//! The reference interpreter, structured like the documents.
//!
//! A lane consists of a program counter and registers. Every instruction reads its sources as whole vectors, swizzles them, computes component by
//! component and writes through the mask (DEF).

mod arithmetic;
mod flow;
mod operands;
mod texture;

use super::Agal;
use super::opcode::{Opcode, Shape};
use super::options::Choice;
use super::program::{File, Token};
use crate::host::Host;
use crate::isa::{Context, LaneState};
use crate::value::{Domain, Freedom};
use flow::{condition, skip};

/// Number of temporaries in the largest version.
pub const TEMPORARIES: usize = 26;
/// Number of varyings in the largest version.
pub const VARYINGS: usize = 10;
/// Number of output registers: `op`, or the colours `oc` and `fo1` to `fo3`; the last register is the depth.
pub const OUTPUTS: usize = 5;
/// The output slot of the depth in a fragment program.
pub const DEPTH_SLOT: u16 = 4;
/// The input slot of the instance number.
pub const INSTANCE_SLOT: u16 = 32;

type Vec4<D> = [<D as Domain>::F; 4];

/// The state of a lane: program counter and registers.
#[derive(Clone, Debug)]
pub struct Lane<D: Domain> {
    /// Index of the next instruction.
    pub pc: u32,
    /// The temporaries `vt` or `ft`; zero at the start.
    pub temporaries: [Vec4<D>; TEMPORARIES],
    /// The outputs `op` or `fo`, and the depth.
    pub outputs: [Vec4<D>; OUTPUTS],
    /// The varyings `v` that a vertex program writes.
    pub varyings: [Vec4<D>; VARYINGS],
    /// Whether `kil` has discarded the pixel.
    pub killed: D::B,
}

impl<D: Domain> Lane<D> {
    /// Creates a lane before its first instruction.
    pub fn new(d: &D) -> Lane<D> {
        fn zeros<D: Domain, const N: usize>(d: &D) -> [Vec4<D>; N] {
            std::array::from_fn(|_| std::array::from_fn(|_| d.f(0.0)))
        }
        Lane { pc: 0, temporaries: zeros(d), outputs: zeros(d), varyings: zeros(d), killed: d.b(false) }
    }

    /// Returns the destination register; `None` if no program can write its file, or if a lane has no register with its number.
    fn dest(&mut self, token: &Token) -> Option<&mut Vec4<D>> {
        let number = usize::from(token.dest.number);
        match File::from_number(token.dest.file)? {
            File::Temporary => self.temporaries.get_mut(number),
            File::Output => self.outputs.get_mut(number),
            File::Varying => self.varyings.get_mut(number),
            File::Depth => self.outputs.get_mut(usize::from(DEPTH_SLOT)),
            _ => None,
        }
    }
}

/// The context in which a lane executes an instruction.
struct LaneContext<'a, D: Domain, H: Host<D>> {
    d: &'a D,
    host: &'a mut H,
    cx: &'a Context<'a, Agal>,
    /// Number of the lane in its group.
    at: usize,
}

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    fn choice(&self, option: Choice) -> u8 {
        self.cx.options.get(option as usize)
    }

    fn record(&mut self, freedom: Freedom, when: &D::B) {
        self.host.record(freedom, when);
    }
}

/// Executes one instruction in all active lanes, which have the same program counter.
pub fn step<D: Domain, H: Host<D>>(
    d: &mut D,
    host: &mut H,
    cx: &Context<'_, Agal>,
    group: &mut [LaneState<Lane<D>>],
    active: u8,
) {
    let lanes = |active: u8| (0..8usize).filter(move |l| active >> l & 1 == 1);
    let Some(first) = lanes(active).next() else { return };
    let pc = group[first].lane.pc;
    let Some(token) = cx.program.tokens.get(pc as usize) else { return };
    let Some(op) = token.op() else {
        // The validator rejects unknown opcodes. Here they have no effect, so that a run still ends.
        lanes(active).for_each(|l| group[l].lane.pc += 1);
        return;
    };
    let whole_quad = group.len() == 4 && active == 0b1111;

    // Derivatives and mip selection need the source in all active lanes, so each of these reads it first.
    let mut quad_sources: [Option<Vec4<D>>; 4] = [const { None }; 4];
    if matches!(op, Opcode::Ddx | Opcode::Ddy | Opcode::Tex | Opcode::Ted | Opcode::Tld) {
        for l in lanes(active) {
            quad_sources[l] = Some(LaneContext { d, host, cx, at: l }.source(&group[l].lane, &token.a));
        }
    }

    for l in lanes(active) {
        let lane = &mut group[l].lane;
        lane.pc = pc + 1;
        let mut reader = LaneContext { d: &*d, host: &mut *host, cx, at: l };
        let written = token.dest.mask;
        // By option, an instruction with a single-component mask writes the x component of the result.
        let from_x = written.is_power_of_two() && written > 1 && {
            reader.record(Freedom::ScalarLane, &d.b(true));
            reader.choice(Choice::SingleMask) != 0
        };
        let mask = if from_x { 1 } else { written };
        let own = |compute: &mut dyn FnMut(usize) -> D::F| -> [Option<D::F>; 4] {
            std::array::from_fn(|i| (mask >> i & 1 == 1).then(|| compute(i)))
        };
        let result: [Option<D::F>; 4] = match op {
            Opcode::Ife | Opcode::Ine | Opcode::Ifg | Opcode::Ifl => {
                let condition = condition(&mut reader, op, lane, token);
                if !d.decide(&condition) {
                    lane.pc = skip(cx, pc, true);
                }
                continue;
            }
            Opcode::Els => {
                // Control reaches `els` only at the end of the first branch, so the second branch is skipped.
                lane.pc = skip(cx, pc, false);
                continue;
            }
            Opcode::Eif => continue,
            Opcode::Kil => {
                let value = reader.source(lane, &token.a);
                let mut looked_at = 1;
                if !token.a.is_replicated() {
                    reader.record(Freedom::KillLanes, &d.b(true));
                    if reader.choice(Choice::KillLanes) != 0 {
                        looked_at = 4;
                    }
                }
                for v in &value[..looked_at] {
                    lane.killed = d.or(&lane.killed, &d.lt(v, &d.f(0.0)));
                }
                continue;
            }
            Opcode::Tex | Opcode::Ted | Opcode::Tld => {
                let Some(sampler) = token.sampler() else { continue };
                let own_coords = quad_sources[l].clone().unwrap_or_else(|| reader.source(lane, &token.a));
                let coords: [Vec4<D>; 4] =
                    std::array::from_fn(|k| quad_sources[k].clone().unwrap_or_else(|| own_coords.clone()));
                reader.texel(op, sampler, &coords, whole_quad).map(Some)
            }
            Opcode::Ddx | Opcode::Ddy => own(&mut |i| {
                let zero = d.f(0.0);
                let values = std::array::from_fn(|k| quad_sources[k].as_ref().map_or(&zero, |v| &v[i]));
                reader.derivative(op == Opcode::Ddx, values, whole_quad)
            }),
            Opcode::Nrm => {
                let a = reader.source(lane, &token.a);
                reader.normalize(&a).map(Some)
            }
            Opcode::M33 | Opcode::M34 | Opcode::M44 => {
                let (rows, columns) = match op {
                    Opcode::M33 => (3, 3),
                    Opcode::M34 => (3, 4),
                    _ => (4, 4),
                };
                let a = reader.source(lane, &token.a);
                let Some(matrix) = token.b_source() else { continue };
                own(&mut |i| {
                    if i >= rows {
                        return d.f(0.0);
                    }
                    let row = reader.raw(lane, matrix, i as u16);
                    reader.dot(columns, &a, &row)
                })
            }
            _ if op.row().shape == Shape::Binary => {
                let Some(second) = token.b_source() else { continue };
                let a = reader.source(lane, &token.a);
                let b = reader.source(lane, second);
                match op {
                    Opcode::Dp3 | Opcode::Dp4 => {
                        let n = if op == Opcode::Dp3 { 3 } else { 4 };
                        let dot = reader.dot(n, &a, &b);
                        own(&mut |_| dot.clone())
                    }
                    Opcode::Crs => own(&mut |i| {
                        if i == 3 {
                            return d.f(0.0);
                        }
                        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                        d.sub(&reader.product(&a[j], &b[k]), &reader.product(&a[k], &b[j]))
                    }),
                    _ => own(&mut |i| reader.binary(op, &a[i], &b[i])),
                }
            }
            _ => {
                let a = reader.source(lane, &token.a);
                own(&mut |i| reader.unary(op, &a[i]))
            }
        };
        if let Some(register) = lane.dest(token) {
            for (i, value) in result.into_iter().enumerate() {
                if let (1, Some(value)) = (mask >> i & 1, value) {
                    register[if from_x { written.trailing_zeros() as usize } else { i }] = value;
                }
            }
        }
    }
}
