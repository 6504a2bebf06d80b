//! The lowering: translates instructions to scalar IR, component by component, in the order of the reference's computation.
//!
//! In the node form, the active calls are part of the [`ControlState`], and the active loops follow from the instruction's position. Pass counts,
//! steps and aL are IR variables. In the fallback, return addresses are variables too: one per label, because there is no recursion. Indexed inputs
//! and outputs become chains of selects.

mod arithmetic;
mod operands;
mod outline;
mod results;
mod special;
mod successors;
mod texture;

use super::D3d9;
use super::opcode::{Kind, Opcode};
use super::options::Choice;
use super::program::{Dest, Instruction};
use super::variables::File;
use crate::ir::{Builder, Op, QuadLane, Ty, Value, Var};
use crate::isa::Context;
use crate::isa::registers::plain_outputs;
pub use outline::Outline;
pub use successors::{ControlState, node, successors, word, word_order};

type Cx<'a> = Context<'a, D3d9>;
/// The components of a result: `None` for a component that is not computed.
type Components = [Option<Value>; 4];

/// The input slot of t0.
const COORDINATES_SLOT: u16 = 16;
/// The input slot of vPos. That of vFace is the next one.
const POSITION_SLOT: u16 = 32;
/// The output slot of a pixel shader's depth.
const DEPTH_SLOT: u16 = 4;

fn float(b: &mut Builder, file: File, index: u16, component: usize) -> Var {
    b.var(file.key(index, component), Ty::F32, 0)
}

fn int(b: &mut Builder, file: File, index: u16, component: usize) -> Var {
    b.var(file.key(index, component), Ty::I32, 0)
}

fn predicate_var(b: &mut Builder, component: usize) -> Var {
    b.var(File::Predicate.key(0, component), Ty::Bool, 0)
}

/// Declares the outputs in the entry's interface.
pub fn declare(cx: &Cx<'_>, b: &mut Builder) {
    for port in plain_outputs::<D3d9>(cx.entry) {
        for c in (0..4).filter(|c| port.mask >> c & 1 == 1) {
            let var = float(b, File::Output, port.slot, c);
            b.output(port.slot * 4 + c as u16, var);
        }
    }
}

/// Initialises the texture registers of ps_1_0 to ps_1_3 with the input coordinates.
pub fn prologue(cx: &Cx<'_>, b: &mut Builder) {
    if !has_texture_registers(cx) {
        return;
    }
    for port in cx.entry.interface.inputs.iter().filter(|port| (16..24).contains(&port.slot)) {
        for c in (0..4u16).filter(|c| port.mask >> c & 1 == 1) {
            let value = b.op(Op::Input(port.slot * 4 + c), &[]);
            let var = float(b, File::Texture, port.slot - COORDINATES_SLOT, usize::from(c));
            b.write(var, value);
        }
    }
}

/// Whether the version is one of ps_1_0 to ps_1_4.
fn is_ps1(cx: &Cx<'_>) -> bool {
    cx.program.version.major == 1 && cx.program.version.is_pixel()
}

/// Whether the version is one of ps_1_0 to ps_1_3.
fn has_texture_registers(cx: &Cx<'_>) -> bool {
    is_ps1(cx) && cx.program.version.minor <= 3
}

/// Lowers all effects of the instruction at `pc` except control flow.
fn body(cx: &Cx<'_>, outline: &Outline, pc: u32, b: &mut Builder) {
    let instructions = &cx.program.instructions;
    let Some(i) = instructions.get(pc as usize) else { return };
    let Some(op) = i.op() else { return };
    let ps1 = is_ps1(cx);
    let paired = ps1 && i.coissue != 0 && pc > 0;
    let partner = if paired { instructions[pc as usize - 1].dest } else { None };
    let mut l = Lower { cx, outline, b, partner, flushes: flushes(cx, op), lane: None };
    let begins_pair = ps1 && instructions.get(pc as usize + 1).is_some_and(|next| next.coissue != 0);
    let kept = i
        .dest
        .filter(|_| begins_pair)
        .map(|dest| [0, 1, 2, 3].map(|c| l.register(dest.file, dest.number, c)));
    l.instruction(op, i);
    if let Some(kept) = kept {
        for (c, value) in kept.into_iter().enumerate() {
            let var = float(l.b, File::Before, 0, c);
            l.b.write(var, value);
        }
    }
    if ps1 && pc as usize + 1 == instructions.len() {
        l.write_result_output();
    }
}

/// Whether an instruction flushes subnormal numbers to zero. Under an option, all arithmetic instructions except moves do so.
fn flushes(cx: &Cx<'_>, op: Opcode) -> bool {
    let is_move = op == Opcode::Mov || op == Opcode::Mova;
    op.row().kind == Kind::Arithmetic && !is_move && cx.options.get(Choice::Subnormals.option()) == 1
}

/// The state of the lowering of one instruction.
struct Lower<'a, 'b> {
    cx: &'a Cx<'a>,
    outline: &'a Outline,
    b: &'b mut Builder,
    /// The destination of the first instruction of a co-issued pair, if this instruction is the second.
    partner: Option<Dest>,
    /// Whether subnormal operands and results are flushed to zero.
    flushes: bool,
    /// The lane of the quad whose inputs are read; `None` for the lane that runs the instruction.
    lane: Option<QuadLane>,
}

impl Lower<'_, '_> {
    fn option_is(&self, option: Choice, choice: u8) -> bool {
        self.cx.options.get(option.option()) == choice
    }

    fn instruction(&mut self, op: Opcode, i: &Instruction) {
        use Opcode::*;
        match op {
            Phase => {
                if self.option_is(Choice::PhaseAlpha, 0) {
                    // ps_1_4 has only r0 to r5. All other temporaries contain zero.
                    let zero = self.b.f(0.0);
                    for number in 0..32 {
                        let var = float(self.b, File::Temporary, number, 3);
                        self.b.write(var, zero);
                    }
                }
            }
            Texkill => self.kill(i),
            Texdepth | Texm3x2depth => self.depth(op, i),
            Texm3x2pad | Texm3x3pad => {
                let row = self.row(i);
                let later = float(self.b, File::RowProduct, 0, 1);
                let earlier = float(self.b, File::RowProduct, 0, 0);
                let before = self.b.read(later);
                self.b.write(earlier, before);
                self.b.write(later, row);
            }
            Setp => self.set_predicate(i),
            Mov | Mova if !self.cx.program.version.is_pixel() && results::has_address_dest(i) => {
                self.set_address(op, i);
            }
            _ => {
                if matches!(op.row().kind, Kind::Arithmetic | Kind::Texture)
                    && let Some(dest) = i.dest
                {
                    let result_components = self.result_components(op, i, &dest);
                    if op == Opcode::Sgn && self.option_is(Choice::Scratch, 1) {
                        for scratch in i.sources.iter().skip(1) {
                            self.destroy_scratch(i, scratch);
                        }
                    }
                    self.store(i, &dest, result_components);
                }
            }
        }
    }

    /// Writes r0 to the output at the end of a pixel shader before ps_2_0, if the shader writes r0.
    fn write_result_output(&mut self) {
        if !self.cx.entry.interface.outputs.iter().any(|port| port.slot == 0) {
            return;
        }
        let clamps = self.option_is(Choice::PixelResult, 0);
        for c in 0..4 {
            let result = float(self.b, File::Temporary, 0, c);
            let mut value = self.b.read(result);
            if clamps {
                value = self.saturate(value);
            }
            let output = float(self.b, File::Output, 0, c);
            self.b.write(output, value);
        }
    }
}
