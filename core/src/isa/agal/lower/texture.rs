//! Lowers texture reads.

use super::super::opcode::Opcode;
use super::super::options::Choice;
use super::super::program::{Sampler, Token};
use super::super::word::Special;
use super::Lower;
use crate::host::{Access, Dimension, Filter, MipFilter, SamplerState, Wrap};
use crate::ir::{LodKind, Op, SamplerDecl, Value};

impl Lower<'_, '_> {
    pub(super) fn texel(&mut self, op: Opcode, token: &Token, sampler: &Sampler) -> [Value; 4] {
        let (dimension, n) = match sampler.dimension {
            1 => (Dimension::Cube, 3),
            2 => (Dimension::Three, 3),
            _ => (Dimension::Two, 2),
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
        } else if own_state && sampler.mip == 0 {
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
    let (filter, anisotropy) = match sampler.filter {
        0 => (Filter::Nearest, 1),
        1 => (Filter::Linear, 1),
        n => (Filter::Linear, 2u8.pow(u32::from(n.min(5) - 1))),
    };
    let (u, v) = match sampler.wrap {
        0 => (Wrap::Clamp, Wrap::Clamp),
        1 => (Wrap::Repeat, Wrap::Repeat),
        2 => (Wrap::Clamp, Wrap::Repeat),
        _ => (Wrap::Repeat, Wrap::Clamp),
    };
    SamplerState {
        min: filter,
        mag: filter,
        mip: [MipFilter::None, MipFilter::Nearest, MipFilter::Linear][usize::from(sampler.mip.min(2))],
        wrap: [u, v, u],
        max_anisotropy: anisotropy,
        ..SamplerState::default()
    }
}
