//! Lowers texture instructions.

use super::{Components, DEPTH_SLOT, File, Lower, float, is_ps1};
use crate::host::{Access, Dimension};
use crate::ir::{LodKind, Op, SamplerDecl, Value};
use crate::isa::d3d9::opcode::Opcode;
use crate::isa::d3d9::options::Choice;
use crate::isa::d3d9::program::{Dest, Instruction};
use crate::isa::d3d9::word::{Control, STAGE_TEXTURES, TextureType};
use crate::value::FCmp;
use smallvec::SmallVec;

/// The number of the float constant that contains the bump matrix of stage 0. The next constant contains the luminance scale and offset
/// of that stage.
const FIRST_STAGE_CONSTANT: u16 = 8;

impl Lower<'_, '_> {
    pub(super) fn texture(&mut self, op: Opcode, i: &Instruction, dest: &Dest) -> Components {
        use Opcode::*;
        let mask = dest.mask;
        match (op, i.sources.first()) {
            (Texcoord, Some(source)) => self.components(source, mask),
            (Texcoord, None) => self.each(mask, |l, c| {
                if c == 3 && l.option_is(Choice::CoordinateW, 1) {
                    return l.b.f(1.0);
                }
                let value = l.coordinate(dest.number, c);
                l.saturate(value)
            }),
            (Texdp3, _) => {
                let row = self.row(i);
                self.each(mask, |_, _| row)
            }
            (Texm3x3, _) => {
                let rows = self.rows(i);
                self.each(mask, |l, c| rows.get(c).copied().unwrap_or_else(|| l.b.f(1.0)))
            }
            (Texbeml, Some(source)) => {
                let texel = self.texel(op, i, dest);
                let [_, _, z, _] = self.components(source, 4);
                let scale = self.stage_constant(dest.number, 1, 0);
                let offset = self.stage_constant(dest.number, 1, 1);
                let scaled = self.product(z.unwrap_or(Value(0)), scale);
                let mut luminance = self.b.add(scaled, offset);
                if self.option_is(Choice::Luminance, 1) {
                    luminance = self.saturate(luminance);
                }
                self.each(mask, |l, c| l.product(texel[c], luminance))
            }
            _ => {
                let texel = self.texel(op, i, dest);
                self.each(mask, |_, c| texel[c])
            }
        }
    }

    /// Returns the coordinates of a texture read; `None` if an operand is missing. Only the first `used` coordinates are needed. The fourth value is
    /// the bias or the level, if the instruction has one.
    fn texture_coordinates(&mut self, op: Opcode, i: &Instruction, used: usize) -> Option<[Value; 4]> {
        use Opcode::*;
        let dest = i.dest?;
        let stage = dest.number;
        let zero = self.b.f(0.0);
        let first = i.sources.first();
        let fill = |parts: Components| parts.map(|v| v.unwrap_or(zero));
        Some(match op {
            Tex if first.is_none() => {
                let mut at = [zero; 4];
                for (c, at) in at.iter_mut().enumerate().take(used) {
                    *at = self.coordinate(stage, c);
                }
                at
            }
            Texbem | Texbeml => {
                let by = self.vector(first?, 2);
                let (x, y) = (self.coordinate(stage, 0), self.coordinate(stage, 1));
                let [x, y] = self.bump(stage, [x, y], [by[0], by[1]]);
                let z = if used > 2 { self.coordinate(stage, 2) } else { zero };
                [x, y, z, zero]
            }
            Texreg2ar => {
                let [x, _, _, w] = fill(self.components(first?, 9));
                [w, x, zero, zero]
            }
            Texreg2gb => {
                let [_, y, z, _] = fill(self.components(first?, 6));
                [y, z, zero, zero]
            }
            Texdp3tex => [self.row(i), zero, zero, zero],
            Texm3x2tex => {
                let later = float(self.b, File::RowProduct, 0, 1);
                [self.b.read(later), self.row(i), zero, zero]
            }
            Texm3x3tex => {
                let [x, y, z] = self.rows(i);
                [x, y, z, zero]
            }
            Texm3x3spec => {
                let [x, y, z] = self.rows(i);
                let eye = self.vector(i.sources.get(1)?, 3);
                self.reflect([x, y, z, zero], eye)
            }
            Texm3x3vspec => {
                let [x, y, z] = self.rows(i);
                let eye = [2, 1, 0].map(|back| self.coordinate(stage.saturating_sub(back), 3));
                self.reflect([x, y, z, zero], [eye[0], eye[1], eye[2], zero])
            }
            Tex if i.control == Control::Project as u8 && !is_ps1(self.cx) => {
                let [x, y, z, w] = fill(self.components(first?, 8 | ((1 << used) - 1)));
                let mut at = [x, y, z, w];
                for at in at.iter_mut().take(used) {
                    *at = self.b.div(*at, w);
                }
                at
            }
            Tex if i.control == Control::Bias as u8 || is_ps1(self.cx) => {
                fill(self.components(first?, 8 | ((1 << used) - 1)))
            }
            Texldl => fill(self.components(first?, 8 | ((1 << used) - 1))),
            _ => fill(self.components(first?, (1 << used) - 1)),
        })
    }

    fn texel(&mut self, op: Opcode, i: &Instruction, dest: &Dest) -> [Value; 4] {
        let sampler = i.sources.get(1).filter(|_| !is_ps1(self.cx));
        let unit = sampler.map_or(dest.number, |s| s.number);
        let dimension = self.dimension(unit);
        let used = dimension.coordinates();
        let zero = self.b.f(0.0);
        let Some(at) = self.texture_coordinates(op, i, used) else { return [zero; 4] };
        let mut args = SmallVec::<[Value; 10]>::new();
        args.extend((0..3).map(|c| if c < used { at[c] } else { zero }));
        let lod = match (op, i.sources.get(2), i.sources.get(3)) {
            (Opcode::Texldl, ..) => {
                args.push(at[3]);
                LodKind::Explicit
            }
            (Opcode::Texldd, Some(dx), Some(dy)) => {
                for gradient in [dx, dy] {
                    let read = self.components(gradient, (1 << used) - 1);
                    args.extend(read[..3].iter().map(|v| v.unwrap_or(zero)));
                }
                args.push(zero);
                LodKind::Gradient
            }
            _ => {
                let first_used = |at: [Value; 4]| std::array::from_fn(|c| Some(at[c]).filter(|_| c < used));
                for x in [true, false] {
                    let changes = self.derivatives(x, i.sources.first(), &first_used(at), |l| {
                        l.texture_coordinates(op, i, used).map_or([None; 4], first_used)
                    });
                    args.extend(changes[..3].iter().map(|change| change.unwrap_or(zero)));
                }
                let biased = i.control == Control::Bias as u8 && !is_ps1(self.cx);
                args.push(if biased { at[3] } else { zero });
                LodKind::Gradient
            }
        };
        let decl = SamplerDecl { unit: unit as u8, dimension, state: None, access: Access::PLAIN, lod };
        let handle = self.b.sampler(decl);
        let first = self.b.op(Op::Sample(handle), &args);
        [0, 1, 2, 3].map(|c| Value(first.0 + sampler.map_or(c, |s| s.component(c)) as u32))
    }

    fn dimension(&self, unit: u16) -> Dimension {
        let kind = if is_ps1(self.cx) {
            STAGE_TEXTURES.get(self.cx.entry.extra[0], unit.into())
        } else {
            self.outline.sampler(unit)
        };
        match TextureType::from_number(kind) {
            Some(TextureType::Line) => Dimension::One,
            Some(TextureType::Cube) => Dimension::Cube,
            Some(TextureType::Volume) => Dimension::Three,
            _ => Dimension::Two,
        }
    }

    /// Computes the dot product of the stage's coordinates and the source: one row of a matrix product.
    pub(super) fn row(&mut self, i: &Instruction) -> Value {
        let (Some(dest), Some(source)) = (i.dest, i.sources.first()) else { return self.b.f(0.0) };
        let value = self.vector(source, 3);
        let mut row = value;
        for (c, entry) in row.iter_mut().enumerate().take(3) {
            *entry = self.coordinate(dest.number, c);
        }
        self.dot(3, &row, &value)
    }

    fn rows(&mut self, i: &Instruction) -> [Value; 3] {
        let [first, second] = [0, 1].map(|c| {
            let var = float(self.b, File::RowProduct, 0, c);
            self.b.read(var)
        });
        [first, second, self.row(i)]
    }

    /// Reflects the eye vector E about the normal N: 2 N (N.E) / (N.N) - E.
    fn reflect(&mut self, normal: [Value; 4], eye: [Value; 4]) -> [Value; 4] {
        let along = self.dot(3, &normal, &eye);
        let square = self.dot(3, &normal, &normal);
        let twice = self.b.add(along, along);
        let factor = self.b.div(twice, square);
        let mut ray = normal;
        for c in 0..3 {
            let part = self.product(factor, normal[c]);
            ray[c] = self.b.sub(part, eye[c]);
        }
        ray
    }

    /// Returns `at` plus the product of `by` and the stage's bump matrix.
    pub(super) fn bump(&mut self, stage: u16, at: [Value; 2], by: [Value; 2]) -> [Value; 2] {
        [0, 1].map(|c| {
            let mut sum = at[c];
            for (k, by) in by.into_iter().enumerate() {
                let entry = self.stage_constant(stage, 0, c + 2 * k);
                let product = self.product(entry, by);
                sum = self.b.add(sum, product);
            }
            sum
        })
    }

    /// Reads component `c` of a constant with state of a texture stage: number 0 is the bump matrix, number 1 the luminance scale and offset.
    fn stage_constant(&mut self, stage: u16, number: u16, c: usize) -> Value {
        let slot = FIRST_STAGE_CONSTANT + (stage % 8) * 2 + number;
        self.b.op(Op::Uniform(slot * 4 + c as u16), &[])
    }

    /// Computes the depth of `texdepth` for the choices of its option that differ from MS.
    fn unusual_depth(&mut self, x: Value, y: Value) -> Value {
        let (zero, one) = (self.b.f(0.0), self.b.f(1.0));
        if self.option_is(Choice::Texdepth, 1) {
            let above = self.b.cmp(FCmp::Lt, one, y);
            let divisor = self.b.sel(above, one, y);
            let quotient = self.b.div(x, divisor);
            return self.saturate(quotient);
        }
        let quotient = self.b.div(x, y);
        let low = self.b.cmp(FCmp::Le, x, zero);
        let bound = self.b.sel(low, zero, one);
        let is_zero = self.b.cmp(FCmp::Eq, y, zero);
        self.b.sel(is_zero, bound, quotient)
    }

    /// Computes the depth, which is a quotient, and writes it.
    pub(super) fn depth(&mut self, op: Opcode, i: &Instruction) {
        let Some(dest) = i.dest else { return };
        let (a, b) = if op == Opcode::Texdepth {
            (self.register(dest.file, dest.number, 0), self.register(dest.file, dest.number, 1))
        } else {
            let var = float(self.b, File::RowProduct, 0, 1);
            (self.b.read(var), self.row(i))
        };
        let depth = match op {
            Opcode::Texdepth if !self.option_is(Choice::Texdepth, 0) => self.unusual_depth(a, b),
            Opcode::Texm3x2depth if self.option_is(Choice::DepthRange, 1) => {
                let quotient = self.ratio(a, b);
                self.saturate(quotient)
            }
            _ => self.ratio(a, b),
        };
        let var = float(self.b, File::Output, DEPTH_SLOT, 0);
        self.b.write(var, depth);
    }
}
