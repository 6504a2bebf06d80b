//! Lowers texture fetches.

use super::Lower;
use crate::host::{Access, Dimension, Filter, MipFilter, SampleResult};
use crate::ir::{LodKind, Op, SamplerDecl, Ty, Value};
use crate::isa::Reference;
use crate::isa::Stage;
use crate::isa::a2xx::A2xx;
use crate::isa::a2xx::opcode::FetchOp;
use crate::isa::a2xx::options::Choice;
use crate::isa::a2xx::program::{COORDINATE_SWIZZLE, Texture};
use crate::isa::a2xx::variables::File;
use crate::isa::a2xx::word;

type Vec3 = [Value; 3];

impl Lower<'_, '_> {
    pub(super) fn texture(&mut self, texture: &Texture) {
        let Some(op) = texture.op() else { return };
        let runs = self.run_condition(texture.pred_en, texture.pred_cond);
        let number = self.register_number(texture.src, texture.src_rel != 0);
        let coords: Vec3 = std::array::from_fn(|c| {
            super::register(self.b, &number, COORDINATE_SWIZZLE.get(texture.src_swizzle, c).into())
        });
        let value = match op {
            FetchOp::SetTexLod => {
                let var = self.float_var(1);
                self.write_var(var, coords[0], runs);
                return;
            }
            FetchOp::SetGradientsH | FetchOp::SetGradientsV => {
                let axis = usize::from(op == FetchOp::SetGradientsV);
                for (c, value) in coords.into_iter().enumerate() {
                    let var = self.b.var(File::Gradient.key(axis, c), Ty::F32, 0);
                    self.write_var(var, value, runs);
                }
                return;
            }
            FetchOp::GetGradients => {
                let [x0, x1] = [0, 1].map(|c| self.derivative(true, coords[c]));
                let [y0, y1] = [0, 1].map(|c| self.derivative(false, coords[c]));
                [x0, y0, x1, y1]
            }
            _ => self.sample(op, texture, coords),
        };
        self.store(texture.dst, texture.dst_rel, texture.dst_swizzle, value, runs);
    }

    fn sample(&mut self, op: FetchOp, texture: &Texture, coords: Vec3) -> [Value; 4] {
        let mut operands: smallvec::SmallVec<[Value; 10]> = coords.into_iter().collect();
        let lod = self.lod_source(op, texture, coords, &mut operands);
        let by_direction = texture.use_reg_gradients != 0 && self.option_is(Choice::CubeGradients, 0);
        let access = Access { direction_gradients: by_direction, ..access(op, texture) };
        let unit = texture.const_index;
        let decl = SamplerDecl { unit, dimension: Dimension::Three, state: None, access, lod };
        let sampler = self.b.sampler(decl);
        let first = self.b.op(Op::Sample(sampler), &operands);
        std::array::from_fn(|c| Value(first.0 + c as u32))
    }

    /// Lowers the source of the level of detail, and appends its operands to `operands`.
    fn lod_source(
        &mut self,
        op: FetchOp,
        texture: &Texture,
        coords: Vec3,
        operands: &mut smallvec::SmallVec<[Value; 10]>,
    ) -> LodKind {
        let has_bias = texture.lod_bias != 0
            && (op != FetchOp::GetCompTexLod || self.option_is(Choice::AskedDetailBias, 1));
        let mut bias = self.b.f(if has_bias { f32::from(texture.sixteenths()) / 16.0 } else { 0.0 });
        let mut computed = texture.use_comp_lod != 0;
        if texture.use_reg_lod != 0 {
            let var = self.float_var(1);
            let detail = self.b.read(var);
            bias = self.b.add(detail, bias);
            computed = computed && self.option_is(Choice::LevelOfDetail, 0);
        }
        if texture.use_reg_gradients != 0 {
            for axis in 0..2 {
                for c in 0..3 {
                    let var = self.b.var(File::Gradient.key(axis, c), Ty::F32, 0);
                    let value = self.b.read(var);
                    operands.push(value);
                }
            }
        } else if computed && self.cx.entry.stage == Stage::Fragment {
            for x in [true, false] {
                for coord in coords {
                    let value = self.derivative(x, coord);
                    operands.push(value);
                }
            }
        } else {
            operands.push(bias);
            return LodKind::Explicit;
        }
        operands.push(bias);
        LodKind::Gradient
    }

    fn derivative(&mut self, x: bool, value: Value) -> Value {
        if A2xx::group(self.cx) == 1 {
            // A vertex shader may contain the operation, but its lanes have no neighbours.
            return self.b.f(0.0);
        }
        let fine = self.option_is(Choice::Derivative, 0);
        self.b.op(if x { Op::Ddx { fine } } else { Op::Ddy { fine } }, &[value])
    }
}

/// Returns the parameters of the sampler access other than the coordinates and the level of detail.
fn access(op: FetchOp, t: &Texture) -> Access {
    let result = match op {
        FetchOp::GetCompTexLod => SampleResult::Detail,
        FetchOp::GetWeights => SampleResult::Weights,
        FetchOp::GetBorderColorFrac => SampleResult::Border,
        _ => SampleResult::Texel,
    };
    let filter = |code| match word::Filter::from_number(code)? {
        word::Filter::Point => Some(Filter::Nearest),
        word::Filter::Linear => Some(Filter::Linear),
        word::Filter::BaseMap | word::Filter::Constant => None,
    };
    let between = |code| match word::Filter::from_number(code)? {
        word::Filter::Point => Some(MipFilter::Nearest),
        word::Filter::Linear => Some(MipFilter::Linear),
        word::Filter::BaseMap => Some(MipFilter::None),
        word::Filter::Constant => None,
    };
    Access {
        result,
        texels: t.denorm == 1,
        half_texels: t.half_texels(),
        faces_from_one: true,
        min: filter(t.min_filter),
        mag: filter(t.mag_filter),
        mip: between(t.mip_filter),
        volume_min: filter(t.vol_min_filter),
        volume_mag: filter(t.vol_mag_filter),
        ..Access::PLAIN
    }
}
