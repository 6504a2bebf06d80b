//! Texture reads and derivatives in the reference.

use super::super::opcode::Opcode;
use super::super::options::Choice;
use super::super::program::Sampler;
use super::super::word::{self, Mip, Special};
use super::{LaneContext, Vec4};
use crate::host::{Access, Dimension, Filter, Host, Lod, MipFilter, SampleRequest, SamplerState, Wrap};
use crate::value::{Domain, Freedom};

impl<D: Domain, H: Host<D>> LaneContext<'_, D, H> {
    /// Returns the result of a texture read, given the coordinates of every lane of the group.
    pub(super) fn texel(
        &mut self,
        op: Opcode,
        sampler: &Sampler,
        coords: &[Vec4<D>],
        whole_quad: bool,
    ) -> Vec4<D> {
        let d = self.d;
        let dimension = dimension(sampler);
        let used = if dimension == Dimension::Two { 2 } else { 3 };
        let vector = |v: &Vec4<D>| -> [D::F; 3] {
            std::array::from_fn(|i| if i < used { v[i].clone() } else { d.f(0.0) })
        };
        let bias = {
            let eighths = f32::from(sampler.bias_in_eighths()) / 8.0;
            if sampler.bias != 0 {
                self.record(Freedom::LodBias, &d.b(true));
            }
            match self.choice(Choice::LodBias) {
                0 => d.f(eighths),
                _ => d.f(0.0),
            }
        };
        let lod = if op == Opcode::Tld {
            Lod::Explicit(bias)
        } else if Mip::from_number(sampler.mip) == Some(Mip::None) && sampler.special & IGNORE_SAMPLER == 0 {
            Lod::Base
        } else {
            let [dx, dy] = [true, false].map(|x| {
                let v: Vec4<D> = std::array::from_fn(|c| {
                    let values: [&D::F; 4] = std::array::from_fn(|l| &coords[l.min(coords.len() - 1)][c]);
                    self.derivative(x, values, whole_quad)
                });
                vector(&v)
            });
            Lod::Gradient { dx, dy, bias }
        };
        let state = (sampler.special & IGNORE_SAMPLER == 0).then(|| state(sampler));
        let coords = vector(&coords[self.at.min(coords.len() - 1)]);
        self.host.sample(
            d,
            sampler.number as u8,
            &SampleRequest { dimension, state, access: Access::PLAIN, coords, lod },
        )
    }

    /// Returns the derivative of a value across the quad, for lane `self.at`: in x if `x` is set, otherwise in y. It is 0 unless `whole_quad` is set.
    pub(super) fn derivative(&mut self, x: bool, values: [&D::F; 4], whole_quad: bool) -> D::F {
        let d = self.d;
        if !whole_quad {
            self.record(Freedom::DivergentDerivative, &d.b(true));
            return d.f(0.0);
        }
        self.record(Freedom::DerivativePlace, &d.b(true));
        let step = if x { 1 } else { 2 };
        let from = match self.choice(Choice::Derivative) {
            0 => self.at & !step,
            _ => 0,
        };
        d.sub(values[from | step], values[from])
    }
}

/// The flag that selects the sampler state of the texture unit.
const IGNORE_SAMPLER: u8 = Special::IgnoreSampler as u8;

fn dimension(sampler: &Sampler) -> Dimension {
    match word::Dimension::from_number(sampler.dimension) {
        Some(word::Dimension::Cube) => Dimension::Cube,
        Some(word::Dimension::Volume) => Dimension::Three,
        Some(word::Dimension::Plane) | None => Dimension::Two,
    }
}

/// Returns the sampler state encoded in a token. The third coordinate has the wrap mode of the first.
fn state(sampler: &Sampler) -> SamplerState {
    let within = word::Filter::from_number(sampler.filter);
    let filter = if within == Some(word::Filter::Nearest) { Filter::Nearest } else { Filter::Linear };
    let mip = match Mip::from_number(sampler.mip) {
        Some(Mip::None) => MipFilter::None,
        Some(Mip::Nearest) => MipFilter::Nearest,
        Some(Mip::Linear) | None => MipFilter::Linear,
    };
    let max_anisotropy = match within {
        None | Some(word::Filter::Nearest | word::Filter::Linear) => 1,
        Some(word::Filter::Anisotropic2x) => 2,
        Some(word::Filter::Anisotropic4x) => 4,
        Some(word::Filter::Anisotropic8x) => 8,
        Some(word::Filter::Anisotropic16x) => 16,
    };
    let mode = word::Wrap::from_number(sampler.wrap);
    let u = match mode {
        Some(word::Wrap::Clamp | word::Wrap::ClampURepeatV) | None => Wrap::Clamp,
        Some(word::Wrap::Repeat | word::Wrap::RepeatUClampV) => Wrap::Repeat,
    };
    let v = match mode {
        Some(word::Wrap::Clamp | word::Wrap::RepeatUClampV) | None => Wrap::Clamp,
        Some(word::Wrap::Repeat | word::Wrap::ClampURepeatV) => Wrap::Repeat,
    };
    SamplerState { min: filter, mag: filter, mip, wrap: [u, v, u], max_anisotropy, ..SamplerState::default() }
}
