//! Generation of sampler fields: texture unit, format and sampling modes.

use super::body::Body;
use crate::generate::Entropy;
use lockstep_core::isa::agal::opcode::Opcode;
use lockstep_core::isa::agal::program::{File, Sampler};
use lockstep_core::isa::agal::word::{Dimension, Filter, Format, Mip, Wrap};

/// The weights of formats. A format without a row has the weight [`OTHERS`].
const FORMATS: &[(Format, u32)] =
    &[(Format::Rgba, 70), (Format::Dxt1, 10), (Format::Dxt5, 10), (Format::Video, 10)];
/// The weights of wrap modes. Modes that repeat have higher weights: they keep lanes different for coordinates outside 0 to 1.
const WRAPS: &[(Wrap, u32)] =
    &[(Wrap::Repeat, 45), (Wrap::Clamp, 15), (Wrap::ClampURepeatV, 20), (Wrap::RepeatUClampV, 20)];
const FILTERS: &[(Filter, u32)] = &[
    (Filter::Nearest, 40),
    (Filter::Linear, 40),
    (Filter::Anisotropic2x, 5),
    (Filter::Anisotropic4x, 5),
    (Filter::Anisotropic8x, 5),
    (Filter::Anisotropic16x, 5),
];

/// The weight of a value without a row.
const OTHERS: u32 = 10;

/// Draws one of all values. The weight of a value is given by its row, or is `others` if the value has no row.
fn drawn<T: Copy + PartialEq>(e: &mut Entropy<'_>, rows: &[(T, u32)], all: &[T], others: u32) -> T {
    let rest = all.iter().filter(|value| rows.iter().all(|(row, _)| row != *value));
    let rows: Vec<(T, u32)> = rows.iter().copied().chain(rest.map(|value| (*value, others))).collect();
    let weights: Vec<u32> = rows.iter().map(|(_, weight)| *weight).collect();
    rows[e.weighted(&weights)].0
}

/// Whether a filter mode is anisotropic.
fn is_anisotropic(filter: u8) -> bool {
    ![Filter::Nearest, Filter::Linear].map(|plain| plain as u8).contains(&filter)
}

/// Whether an instruction may use this sampler without violating a rule specific to the instruction.
fn suits(op: Opcode, s: &Sampler) -> bool {
    match op {
        Opcode::Ted => s.bias == 0 && s.mip != Mip::None as u8,
        Opcode::Tld => !is_anisotropic(s.filter),
        _ => true,
    }
}

/// Returns a sampler for an instruction: a new one, or one already in use.
pub(super) fn sampler(e: &mut Entropy<'_>, body: &Body, op: Opcode) -> Sampler {
    let count = usize::from(body.count(File::Sampler)).clamp(1, body.samplers.len());
    let used: Vec<Sampler> =
        body.samplers[..count].iter().flatten().filter(|s| suits(op, s)).copied().collect();
    let free: Vec<usize> = (0..count).filter(|k| body.samplers[*k].is_none()).collect();
    if (free.is_empty() || e.chance(30))
        && let Some(old) = e.pick(&used)
    {
        return *old;
    }
    let number = e.pick(&free).copied().unwrap_or_else(|| e.below(count)) as u16;
    let shapes = [(Dimension::Plane, 60), (Dimension::Cube, 20), (Dimension::Volume, 20)];
    let dimension = drawn(e, &shapes, &Dimension::ALL, OTHERS) as u8;
    let mut s = Sampler {
        number,
        bias: if e.chance(25) { e.below(256) as u8 } else { 0 },
        file: File::Sampler as u8,
        format: drawn(e, FORMATS, &Format::ALL, OTHERS) as u8,
        dimension,
        special: if e.chance(25) { e.below(8) as u8 } else { 0 },
        wrap: drawn(e, WRAPS, &Wrap::ALL, OTHERS) as u8,
        mip: e.pick(&Mip::ALL).copied().unwrap_or(Mip::None) as u8,
        filter: drawn(e, FILTERS, &Filter::ALL, OTHERS) as u8,
        ..Sampler::default()
    };
    if body.allows_warnings && e.chance(60) {
        return s;
    }
    if dimension == Dimension::Cube as u8 {
        s.wrap = Wrap::Clamp as u8;
        s.mip = [Mip::Nearest, Mip::Linear][e.below(2)] as u8;
    }
    if op == Opcode::Ted {
        s.bias = 0;
        s.mip = s.mip.max(Mip::Nearest as u8);
    }
    if op == Opcode::Tld {
        s.filter = s.filter.min(Filter::Linear as u8);
    }
    s
}
