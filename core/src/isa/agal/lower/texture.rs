//! Lowers texture reads.

use super::super::opcode::Opcode;
use super::super::options::Choice;
use super::super::program::{Sampler, Token};
use super::super::word::{self, Mip, Special};
use super::Lower;
use crate::host::{Access, Dimension, Filter, MipFilter, SamplerState, Wrap};
use crate::ir::{LodKind, Op, SamplerDecl, Value};

impl Lower<'_, '_> {
    pub(super) fn texel(&mut self, op: Opcode, token: &Token, sampler: &Sampler) -> [Value; 4] {
        let (dimension, n) = match word::Dimension::from_number(sampler.dimension) {
            Some(word::Dimension::Cube) => (Dimension::Cube, 3),
            Some(word::Dimension::Volume) => (Dimension::Three, 3),
            Some(word::Dimension::Plane) | None => (Dimension::Two, 2),
        };
        let read = self.components(&token.a, (1 << n) - 1);
        let zero = self.b.f(0.0);
        let coords = [0, 1, 2].map(|i| read[i].unwrap_or(zero));
        let mut args = smallvec::SmallVec::<[Value; 10]>::from_slice(&coords);
        let own_state = !sampler.has(Special::IgnoreSampler);
        let eighths =
            if self.option_is(Choice::LodBias, 0) { f32::from(sampler.bias_in_eighths()) } else { 0.0 };
        let lod = if op == Opcode::Tld {
            args.push(self.b.f(eighths / 8.0));
            LodKind::Explicit
        } else if own_state && sampler.mip == Mip::None as u8 {
            LodKind::Base
        } else {
            let fine = self.option_is(Choice::Derivative, 0);
            for op in [Op::Ddx { fine }, Op::Ddy { fine }] {
                for (i, coord) in coords.iter().enumerate() {
                    args.push(if i < n { self.b.op(op, &[*coord]) } else { zero });
                }
            }
            args.push(self.b.f(eighths / 8.0));
            LodKind::Gradient
        };
        let decl = SamplerDecl {
            unit: sampler.number as u8,
            dimension,
            state: own_state.then(|| sampler_state(sampler)),
            access: Access::PLAIN,
            lod,
        };
        let sampler = self.b.sampler(decl);
        let first = self.b.op(Op::Sample(sampler), &args);
        [0, 1, 2, 3].map(|c| Value(first.0 + c))
    }
}

/// Returns the sampler state encoded in a token.
fn sampler_state(sampler: &Sampler) -> SamplerState {
    let (filter, anisotropy) = match word::Filter::from_number(sampler.filter) {
        Some(word::Filter::Nearest) => (Filter::Nearest, 1),
        Some(word::Filter::Linear) | None => (Filter::Linear, 1),
        Some(word::Filter::Anisotropic2x) => (Filter::Linear, 2),
        Some(word::Filter::Anisotropic4x) => (Filter::Linear, 4),
        Some(word::Filter::Anisotropic8x) => (Filter::Linear, 8),
        Some(word::Filter::Anisotropic16x) => (Filter::Linear, 16),
    };
    let (u, v) = match word::Wrap::from_number(sampler.wrap) {
        Some(word::Wrap::Clamp) | None => (Wrap::Clamp, Wrap::Clamp),
        Some(word::Wrap::Repeat) => (Wrap::Repeat, Wrap::Repeat),
        Some(word::Wrap::ClampURepeatV) => (Wrap::Clamp, Wrap::Repeat),
        Some(word::Wrap::RepeatUClampV) => (Wrap::Repeat, Wrap::Clamp),
    };
    let mip = match Mip::from_number(sampler.mip) {
        Some(Mip::None) => MipFilter::None,
        Some(Mip::Nearest) => MipFilter::Nearest,
        Some(Mip::Linear) | None => MipFilter::Linear,
    };
    SamplerState {
        min: filter,
        mag: filter,
        mip,
        wrap: [u, v, u],
        max_anisotropy: anisotropy,
        ..SamplerState::default()
    }
}
