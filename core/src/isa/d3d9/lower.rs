//! From instructions to IR: scalar, component by component, in the order the reference computes.
//!
//! As nodes, the calls under way are part of the [`Config`]; which loops are, the text says. Passes, steps and aL are variables, and so are
//! return addresses in the fallback: one for each label, since nothing calls itself. Indexed inputs and outputs are chains of selects.

mod arithmetic;
mod outline;
mod paths;
mod special;
mod store;
mod texture;
mod values;

use super::D3d9;
use super::opcode::{Kind, Opcode};
use super::options::Choice;
use super::program::{Dest, Instruction};
use super::variables::File;
use crate::ir::{Builder, Op, Ty, Value, Var};
use crate::isa::Context;
pub use outline::Outline;
pub use paths::{Config, exits, node, word, word_order};

type Cx<'a> = Context<'a, D3d9>;
/// Of each component of a result, its value if there is one.
type Parts = [Option<Value>; 4];

/// Input slots of t0 and of vPos, and the output slot of a pixel shader's depth.
const COORDINATES_SLOT: u16 = 16;
const POSITION_SLOT: u16 = 32;
const DEPTH_SLOT: u16 = 4;

fn float(b: &mut Builder, file: File, index: u16, component: usize) -> Var {
    b.var(file.key(index, component), Ty::F32, 0)
}

fn int(b: &mut Builder, file: File, index: u16, component: usize) -> Var {
    b.var(file.key(index, component), Ty::I32, 0)
}

fn truth(b: &mut Builder, component: usize) -> Var {
    b.var(File::Predicate.key(0, component), Ty::Bool, 0)
}

/// Declares the outputs of the interface.
pub fn declare(cx: &Cx<'_>, b: &mut Builder) {
    for port in &cx.entry.interface.outputs {
        for c in (0..4).filter(|c| port.mask >> c & 1 == 1) {
            let var = float(b, File::Output, port.slot, c);
            b.output(port.slot * 4 + c as u16, var);
        }
    }
}

/// Texture registers of ps_1_0 to 1_3 begin as coordinates.
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

/// ps_1_x.
fn is_first(cx: &Cx<'_>) -> bool {
    cx.program.version.major == 1 && cx.program.version.pixel()
}

/// ps_1_0 to 1_3.
fn has_texture_registers(cx: &Cx<'_>) -> bool {
    is_first(cx) && cx.program.version.minor <= 3
}

/// Lowers what the instruction at `pc` does besides steering.
fn body(cx: &Cx<'_>, outline: &Outline, pc: u32, b: &mut Builder) {
    let instructions = &cx.program.instructions;
    let Some(i) = instructions.get(pc as usize) else { return };
    let Some(op) = i.op() else { return };
    let first = is_first(cx);
    let paired = first && i.coissue != 0 && pc > 0;
    let partner = if paired { instructions[pc as usize - 1].dest } else { None };
    let mut l = Lower { cx, outline, b, partner, flushes: flushes(cx, op) };
    let begins_pair = first && instructions.get(pc as usize + 1).is_some_and(|next| next.coissue != 0);
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
    if first && pc as usize + 1 == instructions.len() {
        l.hand_over();
    }
}

/// Whether an instruction turns subnormal numbers into zeros: arithmetic but moves.
fn flushes(cx: &Cx<'_>, op: Opcode) -> bool {
    let moves = op == Opcode::Mov || op == Opcode::Mova;
    op.row().kind == Kind::Arithmetic && !moves && cx.options.get(Choice::Subnormals.axis()) == 1
}

/// Lowers single instructions.
struct Lower<'a, 'b> {
    cx: &'a Cx<'a>,
    outline: &'a Outline,
    b: &'b mut Builder,
    /// The destination of the instruction that this one is issued together with.
    partner: Option<Dest>,
    /// Whether operands and results that are subnormal become zeros.
    flushes: bool,
}

impl Lower<'_, '_> {
    fn is(&self, axis: Choice, choice: u8) -> bool {
        self.cx.options.get(axis.axis()) == choice
    }

    fn instruction(&mut self, op: Opcode, i: &Instruction) {
        use Opcode::*;
        match op {
            Phase => {
                if self.is(Choice::PhaseAlpha, 0) {
                    // ps_1_4 has r0 to r5; the others hold zero anyway.
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
                let later = float(self.b, File::Row, 0, 1);
                let earlier = float(self.b, File::Row, 0, 0);
                let before = self.b.read(later);
                self.b.write(earlier, before);
                self.b.write(later, row);
            }
            Setp => self.set_predicate(i),
            Mov | Mova if !self.cx.program.version.pixel() && store::names_address(i) => {
                self.set_address(op, i);
            }
            _ => {
                if matches!(op.row().kind, Kind::Arithmetic | Kind::Texture)
                    && let Some(dest) = i.dest
                {
                    let parts = self.parts(op, i, &dest);
                    if op == Opcode::Sgn && self.is(Choice::Scratch, 1) {
                        for scratch in i.sources.iter().skip(1) {
                            self.lose(i, scratch);
                        }
                    }
                    self.store(i, &dest, parts);
                }
            }
        }
    }

    /// r0 is what a shader before ps_2_0 gives, where anything writes it.
    fn hand_over(&mut self) {
        if !self.cx.entry.interface.outputs.iter().any(|port| port.slot == 0) {
            return;
        }
        let clamps = self.is(Choice::PixelResult, 0);
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
