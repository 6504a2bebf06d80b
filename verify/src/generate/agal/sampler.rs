//! Samplers: which texture, and how it is read.

use super::body::Body;
use crate::generate::Entropy;
use lockstep_core::isa::agal::opcode::Opcode;
use lockstep_core::isa::agal::program::{File, Sampler};
use lockstep_core::isa::agal::word::{Dimension, Filter, Format, Mip, Wrap};

/// How often each value of a field is drawn. The names are those of the vocabularies, which are the values of facets, too.
const FORMATS: [(Format, u32); Format::ALL.len()] =
    [(Format::Rgba, 70), (Format::Dxt1, 10), (Format::Dxt5, 10), (Format::Video, 10)];
/// Repeating keeps lanes apart where coordinates are outside 0 to 1.
const WRAPS: [(Wrap, u32); Wrap::ALL.len()] =
    [(Wrap::Repeat, 45), (Wrap::Clamp, 15), (Wrap::ClampURepeatV, 20), (Wrap::RepeatUClampV, 20)];
const FILTERS: [(Filter, u32); Filter::ALL.len()] = [
    (Filter::Nearest, 40),
    (Filter::Linear, 40),
    (Filter::Anisotropic2x, 5),
    (Filter::Anisotropic4x, 5),
    (Filter::Anisotropic8x, 5),
    (Filter::Anisotropic16x, 5),
];

/// Whether a filter takes samples along a line.
fn is_anisotropic(filter: u8) -> bool {
    ![Filter::Nearest, Filter::Linear].map(|plain| plain as u8).contains(&filter)
}

/// Whether an instruction may read through this sampler without breaking a rule that only it has.
fn suits(op: Opcode, s: &Sampler) -> bool {
    match op {
        Opcode::Ted => s.bias == 0 && s.mip != Mip::None as u8,
        Opcode::Tld => !is_anisotropic(s.filter),
        _ => true,
    }
}

/// A sampler for an instruction: one that is in use, or a new one.
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
    let dimension = e.among(&shapes) as u8;
    let mut s = Sampler {
        number,
        bias: if e.chance(25) { e.below(256) as u8 } else { 0 },
        file: File::Sampler as u8,
        format: e.among(&FORMATS) as u8,
        dimension,
        special: if e.chance(25) { e.below(8) as u8 } else { 0 },
        wrap: e.among(&WRAPS) as u8,
        mip: e.pick(&Mip::ALL).copied().unwrap_or(Mip::None) as u8,
        filter: e.among(&if body.indexes { FILTERS.map(|(filter, _)| (filter, 1)) } else { FILTERS }) as u8,
        ..Sampler::default()
    };
    if body.sloppy && e.chance(60) {
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
