//! Texture reads, derivatives, and the texture address instructions of ps_1_x (MS, 9ON12).

use super::{Cx, DEPTH_SLOT, Lane, LaneContext, Vec4, is_ps1};
use crate::host::{Access, Dimension, Host, Lod, SampleRequest};
use crate::isa::d3d9::opcode::Opcode;
use crate::isa::d3d9::options::Choice;
use crate::isa::d3d9::program::{Dest, File, Instruction, Source};
use crate::isa::d3d9::word::{Control, STAGE_TEXTURES, TextureType};
use crate::value::{Domain, Freedom};

/// The number of the float constant that contains the bump-environment matrix of stage 0; see `interface`.
const FIRST_STAGE_CONSTANT: u16 = 8;
/// The opcode control of a projected read.
const PROJECTED: u8 = Control::Project as u8;
/// The opcode control of a biased read.
const BIASED: u8 = Control::Bias as u8;

/// Whether, in 2_0 and later, an instruction's first source is v#, t#, vPos or vFace without an index. Such a register has a value in every lane of
/// the quad, so its derivatives are also defined in dynamic flow control (MS: texld, texldb, texldp, dsx and dsy are legal there on t# and v#, but
/// not on r#).
pub(super) fn is_interpolated(cx: &Cx<'_>, i: &Instruction) -> bool {
    let input = |source: &Source| {
        let kinds = [File::Input, File::Address, File::Misc];
        kinds.into_iter().any(|file| source.is(file)) && !source.relative.is_relative()
    };
    !is_ps1(cx) && i.sources.first().is_some_and(input)
}

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    /// Returns the value that an instruction shares with the other lanes of the quad: the operand of a derivative, or the coordinates of a texture
    /// read, with the bias or the level in w. `None` for other instructions.
    pub(super) fn quad_operand(&mut self, op: Opcode, i: &Instruction, lane: &Lane<D>) -> Option<Vec4<D>> {
        use Opcode::*;
        let dest = i.dest.as_ref()?;
        let stage = dest.number;
        let d = self.d;
        let first = i.sources.first();
        Some(match op {
            Dsx | Dsy => self.source(lane, first?),
            Tex if i.sources.is_empty() => self.coordinates(stage),
            Tex if i.control == PROJECTED && !is_ps1(self.cx) => {
                let [x, y, z, w] = self.source(lane, first?);
                [d.div(&x, &w), d.div(&y, &w), d.div(&z, &w), w]
            }
            Tex | Texldl | Texldd => self.source(lane, first?),
            Texbem | Texbeml => {
                let (at, by) = (self.coordinates(stage), self.source(lane, first?));
                let [x, y] = self.bumped(stage, &at, &by);
                [x, y, at[2].clone(), d.f(0.0)]
            }
            Texreg2ar => {
                let [x, _, _, w] = self.source(lane, first?);
                [w, x, d.f(0.0), d.f(0.0)]
            }
            Texreg2gb => {
                let [_, y, z, _] = self.source(lane, first?);
                [y, z, d.f(0.0), d.f(0.0)]
            }
            Texreg2rgb => self.source(lane, first?),
            Texdp3tex => [self.row(i, lane), d.f(0.0), d.f(0.0), d.f(0.0)],
            Texm3x2tex => [lane.row_products[1].clone(), self.row(i, lane), d.f(0.0), d.f(0.0)],
            Texm3x3tex => self.rotated(i, lane),
            Texm3x3spec => {
                let normal = self.rotated(i, lane);
                let eye = self.source(lane, i.sources.get(1)?);
                self.reflected(&normal, &eye)
            }
            Texm3x3vspec => {
                let normal = self.rotated(i, lane);
                // The eye ray is in the w components of the coordinates of the three stages.
                let eye = [2, 1, 0, 0].map(|back| {
                    let [_, _, _, w] = self.coordinates(stage.saturating_sub(back));
                    w
                });
                self.reflected(&normal, &eye)
            }
            _ => return None,
        })
    }

    /// Computes the result of a texture instruction, in all four components.
    pub(super) fn texture(
        &mut self,
        op: Opcode,
        i: &Instruction,
        dest: &Dest,
        lane: &Lane<D>,
        quad_operands: &[Option<Vec4<D>>; 4],
        whole_quad: bool,
    ) -> Vec4<D> {
        let d = self.d;
        let first = i.sources.first();
        match (op, first) {
            (Opcode::Texcoord, Some(source)) => self.source(lane, source),
            (Opcode::Texcoord, None) => {
                let coordinates = self.coordinates(dest.number);
                let [x, y, z, w] = coordinates.map(|v| self.saturated(&v));
                self.record(Freedom::UndefinedLane, &d.b(true));
                let w = match self.choice(Choice::CoordinateW) {
                    0 => w,
                    _ => d.f(1.0),
                };
                [x, y, z, w]
            }
            (Opcode::Texdp3, _) => {
                let row = self.row(i, lane);
                std::array::from_fn(|_| row.clone())
            }
            (Opcode::Texm3x3, _) => {
                let [x, y, z, _] = self.rotated(i, lane);
                [x, y, z, d.f(1.0)]
            }
            _ => {
                let texel = self.texel(op, i, dest, lane, quad_operands, whole_quad);
                match (op, first) {
                    (Opcode::Texbeml, Some(source)) => {
                        let z = self.source(lane, source)[2].clone();
                        let state = self.stage_constant(dest.number, 1);
                        let luminance = d.add(&self.product(&z, &state[0]), &state[1]);
                        let luminance = self.in_range(luminance, Choice::Luminance);
                        texel.map(|v| self.product(&v, &luminance))
                    }
                    _ => texel,
                }
            }
        }
    }

    /// Reads the texel. Its components are in the order of the sampler's swizzle.
    fn texel(
        &mut self,
        op: Opcode,
        i: &Instruction,
        dest: &Dest,
        lane: &Lane<D>,
        quad_operands: &[Option<Vec4<D>>; 4],
        whole_quad: bool,
    ) -> Vec4<D> {
        let d = self.d;
        let Some(own) = quad_operands[self.at].clone() else { return self.zeros() };
        let sampler = if is_ps1(self.cx) { None } else { i.sources.get(1) };
        let unit = sampler.map_or(dest.number, |s| s.number);
        let dimension = self.dimension(&lane.samplers, unit);
        let used = dimension.coordinates();
        let vector = |v: &Vec4<D>| -> [D::F; 3] {
            std::array::from_fn(|c| if c < used { v[c].clone() } else { d.f(0.0) })
        };
        let lod = match (op, i.sources.get(2), i.sources.get(3)) {
            (Opcode::Texldl, ..) => Lod::Explicit(own[3].clone()),
            (Opcode::Texldd, Some(dx), Some(dy)) => {
                let (dx, dy) = (self.source(lane, dx), self.source(lane, dy));
                Lod::Gradient { dx: vector(&dx), dy: vector(&dy), bias: d.f(0.0) }
            }
            _ => {
                let [dx, dy] = [Opcode::Dsx, Opcode::Dsy].map(|axis| -> [D::F; 3] {
                    std::array::from_fn(|c| {
                        if c < used { self.derivative(axis, quad_operands, c, whole_quad) } else { d.f(0.0) }
                    })
                });
                let biased = !is_ps1(self.cx) && i.control == BIASED;
                Lod::Gradient { dx, dy, bias: if biased { own[3].clone() } else { d.f(0.0) } }
            }
        };
        let request =
            SampleRequest { dimension, state: None, access: Access::PLAIN, coords: vector(&own), lod };
        let texel = self.host.sample(d, unit as u8, &request);
        match sampler {
            Some(sampler) => std::array::from_fn(|c| texel[sampler.component(c)].clone()),
            None => texel,
        }
    }

    /// Returns the dimension of a sampler's texture: from its declaration or, before 2_0, where samplers are not declared, from the entry.
    fn dimension(&self, declared: &[u8], unit: u16) -> Dimension {
        let kind = if is_ps1(self.cx) {
            STAGE_TEXTURES.get(self.cx.entry.extra[0], unit.into())
        } else {
            declared.get(usize::from(unit)).copied().unwrap_or(0)
        };
        match TextureType::from_number(kind) {
            Some(TextureType::Line) => Dimension::One,
            Some(TextureType::Cube) => Dimension::Cube,
            Some(TextureType::Volume) => Dimension::Three,
            _ => Dimension::Two,
        }
    }

    /// Returns the derivative of component `c` across the quad, as seen by this lane.
    pub(super) fn derivative(
        &mut self,
        axis: Opcode,
        quad_operands: &[Option<Vec4<D>>; 4],
        c: usize,
        whole_quad: bool,
    ) -> D::F {
        let d = self.d;
        let step = if axis == Opcode::Dsx { 1 } else { 2 };
        self.record(Freedom::DivergentDerivative, &d.b(!whole_quad));
        if !whole_quad {
            return d.f(0.0);
        }
        self.record(Freedom::DerivativePlace, &d.b(true));
        let from = match self.choice(Choice::Derivative) {
            0 => self.at & !step,
            _ => 0,
        };
        match (&quad_operands[from | step], &quad_operands[from]) {
            (Some(there), Some(here)) => d.sub(&there[c], &here[c]),
            _ => d.f(0.0),
        }
    }

    /// Returns the dot product of the source and the coordinates of the instruction's stage.
    pub(super) fn row(&mut self, i: &Instruction, lane: &Lane<D>) -> D::F {
        let (Some(dest), Some(source)) = (&i.dest, i.sources.first()) else { return self.d.f(0.0) };
        let (row, value) = (self.coordinates(dest.number), self.source(lane, source));
        self.dot(3, &row, &value)
    }

    /// Returns the source multiplied by a matrix of three rows. This instruction has the last row; the products with the other rows come from earlier
    /// instructions.
    fn rotated(&mut self, i: &Instruction, lane: &Lane<D>) -> Vec4<D> {
        let last = self.row(i, lane);
        let [first, second] = lane.row_products.clone();
        [first, second, last, self.d.f(0.0)]
    }

    /// Returns the direction in which a surface with this normal reflects a ray from the eye: 2 * N * (N.E) / (N.N) - E.
    fn reflected(&mut self, normal: &Vec4<D>, eye: &Vec4<D>) -> Vec4<D> {
        let d = self.d;
        let (along, square) = (self.dot(3, normal, eye), self.dot(3, normal, normal));
        let factor = d.div(&d.add(&along, &along), &square);
        std::array::from_fn(|c| d.sub(&self.product(&factor, &normal[c]), &eye[c]))
    }

    /// Returns `at`, plus `by` times the bump-environment matrix of the stage.
    pub(super) fn bumped(&mut self, stage: u16, at: &Vec4<D>, by: &Vec4<D>) -> [D::F; 2] {
        let m = self.stage_constant(stage, 0);
        std::array::from_fn(|c| {
            let first = self.product(&m[c], &by[0]);
            let second = self.product(&m[c + 2], &by[1]);
            self.d.add(&self.d.add(&at[c], &first), &second)
        })
    }

    /// Returns a constant with state of a texture stage: number 0 is the bump-environment matrix, number 1 the luminance scale and offset.
    fn stage_constant(&mut self, stage: u16, number: u16) -> Vec4<D> {
        let slot = FIRST_STAGE_CONSTANT + 2 * (stage & 7) + number;
        self.host.constant(self.d, &self.d.i(i32::from(slot)))
    }

    /// Returns `value`, clamped to the range from 0 to 1 if `option` is set to clamp.
    fn in_range(&mut self, value: D::F, option: Choice) -> D::F {
        self.record(Freedom::Range, &self.is_clamped(&value));
        if self.choice(option) == 0 { value } else { self.saturated(&value) }
    }

    /// Returns the depth that texdepth computes.
    fn depth_of(&mut self, x: &D::F, y: &D::F) -> D::F {
        let d = self.d;
        let (zero, one) = (d.f(0.0), d.f(1.0));
        self.record(Freedom::Formula, &d.b(true));
        match self.choice(Choice::Texdepth) {
            0 => self.ratio(x, y),
            1 => {
                let most = d.sel(&d.lt(&one, y), &one, y);
                self.saturated(&d.div(x, &most))
            }
            _ => {
                let instead = d.sel(&d.le(x, &zero), &zero, &one);
                d.sel(&d.eq(y, &zero), &instead, &d.div(x, y))
            }
        }
    }

    /// Computes the depth, which is a quotient, and writes it.
    pub(super) fn depth(&mut self, op: Opcode, i: &Instruction, lane: &mut Lane<D>) {
        let Some(dest) = &i.dest else { return };
        lane.outputs[DEPTH_SLOT][0] = if op == Opcode::Texdepth {
            let [x, y, ..] = self.register(lane, dest.file, dest.number);
            self.depth_of(&x, &y)
        } else {
            let (first, second) = (lane.row_products[1].clone(), self.row(i, lane));
            let quotient = self.ratio(&first, &second);
            self.in_range(quotient, Choice::DepthRange)
        };
    }
}
