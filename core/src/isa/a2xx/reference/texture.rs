//! Texture fetches in the reference (xenia, mesa).

use super::{Cx, Lane, LaneContext, Vec4};
use crate::host::{Access, Dimension, Filter, Host, Lod, MipFilter, SampleRequest, SampleResult};
use crate::isa::a2xx::opcode::FetchOp;
use crate::isa::a2xx::options::Choice;
use crate::isa::a2xx::program::{COORDINATE_SWIZZLE, Texture};
use crate::isa::a2xx::word;
use crate::isa::{LaneState, Stage};
use crate::value::{Domain, Freedom};

type Vec3<D> = [<D as Domain>::F; 3];

/// Executes a texture fetch in every active lane. All coordinates are read first, because lanes read those of other lanes.
pub(super) fn run<D: Domain, H: Host<D>>(
    d: &D,
    host: &mut H,
    cx: &Cx<'_>,
    texture: &Texture,
    group: &mut [LaneState<Lane<D>>],
    active: u8,
) {
    let Some(op) = texture.op() else { return };
    let lanes = |active: u8| (0..4usize).filter(move |l| active >> l & 1 == 1);
    let mut coords: [Option<Vec3<D>>; 4] = [const { None }; 4];
    for l in lanes(active) {
        coords[l] = Some(LaneContext { d, host, cx, lane_number: l }.coordinates(texture, &group[l].lane));
    }
    let whole = group.len() == 4 && active == 0b1111;
    for l in lanes(active) {
        LaneContext { d, host, cx, lane_number: l }.texture(op, texture, &coords, whole, &mut group[l].lane);
    }
}

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    fn coordinates(&mut self, texture: &Texture, lane: &Lane<D>) -> Vec3<D> {
        let number = self.register_number(lane, texture.src, texture.src_rel != 0);
        std::array::from_fn(|c| {
            lane.component(self.d, &number, COORDINATE_SWIZZLE.get(texture.src_swizzle, c).into())
        })
    }

    fn texture(
        &mut self,
        op: FetchOp,
        texture: &Texture,
        coords: &[Option<Vec3<D>>; 4],
        whole: bool,
        lane: &mut Lane<D>,
    ) {
        let runs = self.run_condition(lane, texture.pred_en, texture.pred_cond);
        let Some(own) = coords[self.lane_number].clone() else { return };
        let value = match op {
            FetchOp::SetTexLod => {
                lane.lod = self.chosen(runs.as_ref(), &own[0], &lane.lod);
                return;
            }
            FetchOp::SetGradientsH | FetchOp::SetGradientsV => {
                let axis = usize::from(op == FetchOp::SetGradientsV);
                lane.gradients[axis] =
                    std::array::from_fn(|c| self.chosen(runs.as_ref(), &own[c], &lane.gradients[axis][c]));
                return;
            }
            FetchOp::GetGradients => {
                let (x, y) = (self.derivative(true, coords, whole), self.derivative(false, coords, whole));
                [x[0].clone(), y[0].clone(), x[1].clone(), y[1].clone()]
            }
            FetchOp::Sample | FetchOp::GetBorderColorFrac | FetchOp::GetCompTexLod | FetchOp::GetWeights => {
                self.sample(op, texture, &own, coords, whole, lane)
            }
            // VERTEX is not a texture fetch.
            FetchOp::Vertex => return,
        };
        self.store(lane, texture.dst, texture.dst_rel, texture.dst_swizzle, &value, runs.as_ref());
    }

    fn sample(
        &mut self,
        op: FetchOp,
        texture: &Texture,
        own: &Vec3<D>,
        coords: &[Option<Vec3<D>>; 4],
        whole: bool,
        lane: &Lane<D>,
    ) -> Vec4<D> {
        let lod = self.lod_source(op, texture, coords, whole, lane);
        let mut access = access(op, texture);
        if texture.use_reg_gradients != 0 {
            self.record(Freedom::Formula, &self.d.b(true));
            access.direction_gradients = self.choice(Choice::CubeGradients) == 0;
        }
        let request =
            SampleRequest { dimension: Dimension::Three, state: None, access, coords: own.clone(), lod };
        self.host.sample(self.d, texture.const_index, &request)
    }

    /// Returns the source of the level of detail.
    fn lod_source(
        &mut self,
        op: FetchOp,
        texture: &Texture,
        coords: &[Option<Vec3<D>>; 4],
        whole: bool,
        lane: &Lane<D>,
    ) -> Lod<D::F> {
        let d = self.d;
        let mut sixteenths = texture.sixteenths();
        if op == FetchOp::GetCompTexLod && sixteenths != 0 {
            self.record(Freedom::LodBias, &d.b(true));
            if self.choice(Choice::AskedDetailBias) == 0 {
                sixteenths = 0;
            }
        }
        let bias = d.f(f32::from(sixteenths) / 16.0);
        let by_register = texture.use_reg_lod != 0;
        let mut computed = texture.use_comp_lod != 0;
        let bias = if by_register { d.add(&lane.lod, &bias) } else { bias };
        if by_register && computed {
            self.record(Freedom::LodBias, &d.b(true));
            computed = self.choice(Choice::LevelOfDetail) == 0;
        }
        if texture.use_reg_gradients != 0 {
            let [dx, dy] = lane.gradients.clone();
            return Lod::Gradient { dx, dy, bias };
        }
        if !computed || self.cx.entry.stage != Stage::Fragment {
            return Lod::Explicit(bias);
        }
        let (dx, dy) = (self.derivative(true, coords, whole), self.derivative(false, coords, whole));
        Lod::Gradient { dx, dy, bias }
    }

    /// Returns the derivatives of the coordinates at this lane: differences between neighbouring lanes along x, or along y if `x` is false. They are
    /// 0 unless all lanes of the quad are active.
    fn derivative(&mut self, x: bool, coords: &[Option<Vec3<D>>; 4], whole: bool) -> Vec3<D> {
        let d = self.d;
        let step = if x { 1 } else { 2 };
        if !whole {
            self.record(Freedom::DivergentDerivative, &d.b(true));
            return std::array::from_fn(|_| d.f(0.0));
        }
        self.record(Freedom::DerivativePlace, &d.b(true));
        let from = match self.choice(Choice::Derivative) {
            0 => self.lane_number & !step,
            _ => 0,
        };
        match (&coords[from], &coords[from | step]) {
            (Some(here), Some(there)) => std::array::from_fn(|c| d.sub(&there[c], &here[c])),
            _ => std::array::from_fn(|_| d.f(0.0)),
        }
    }
}

/// Returns the parameters of the sampler access other than the coordinates and the level of detail. Filter kernels and the sample location are not
/// part of the sampler model. The minification and the magnification filter of a texture apply within and between the slices of a volume; the
/// instruction can replace them separately for each.
fn access(op: FetchOp, texture: &Texture) -> Access {
    let filter = |code: u8| match word::Filter::from_number(code) {
        Some(word::Filter::Point) => Some(Filter::Nearest),
        Some(word::Filter::Linear) => Some(Filter::Linear),
        // BASEMAP applies only between levels; CONSTANT takes the filter from the texture constant.
        Some(word::Filter::BaseMap | word::Filter::Constant) | None => None,
    };
    Access {
        result: match op {
            FetchOp::GetBorderColorFrac => SampleResult::Border,
            FetchOp::GetCompTexLod => SampleResult::Detail,
            FetchOp::GetWeights => SampleResult::Weights,
            _ => SampleResult::Texel,
        },
        texels: texture.denorm != 0,
        half_texels: texture.half_texels(),
        // CUBEv, with the code that follows it, produces coordinates from 1 to 2 (xenia).
        faces_from_one: true,
        min: filter(texture.min_filter),
        mag: filter(texture.mag_filter),
        mip: match word::Filter::from_number(texture.mip_filter) {
            Some(word::Filter::Point) => Some(MipFilter::Nearest),
            Some(word::Filter::Linear) => Some(MipFilter::Linear),
            Some(word::Filter::BaseMap) => Some(MipFilter::None),
            Some(word::Filter::Constant) | None => None,
        },
        volume_min: filter(texture.vol_min_filter),
        volume_mag: filter(texture.vol_mag_filter),
        direction_gradients: false,
    }
}
