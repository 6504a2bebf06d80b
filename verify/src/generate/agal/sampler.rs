//! Samplers: which texture, and how it is read.

use super::body::Body;
use crate::generate::Entropy;
use lockstep_core::isa::agal::opcode::Opcode;
use lockstep_core::isa::agal::program::{File, Sampler};

/// Whether an instruction may read through this sampler without breaking a rule that only it has.
fn suits(op: Opcode, s: &Sampler) -> bool {
    match op {
        Opcode::Ted => s.bias == 0 && s.mip != 0,
        Opcode::Tld => s.filter < 2,
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
    let dimension = e.weighted(&[60, 20, 20]) as u8;
    let mut s = Sampler {
        number,
        bias: if e.chance(25) { e.below(256) as u8 } else { 0 },
        file: File::Sampler as u8,
        format: e.weighted(&[70, 10, 10, 10]) as u8,
        dimension,
        special: if e.chance(25) { e.below(8) as u8 } else { 0 },
        // Repeating keeps lanes apart where coordinates are outside 0 to 1.
        wrap: [1, 0, 2, 3][e.weighted(&[45, 15, 20, 20])],
        mip: e.below(3) as u8,
        filter: e.weighted(if body.indexes { &[1; 6] } else { &[40, 40, 5, 5, 5, 5] }) as u8,
        ..Sampler::default()
    };
    if body.sloppy && e.chance(60) {
        return s;
    }
    if dimension == 1 {
        s.wrap = 0;
        s.mip = e.between(1, 2) as u8;
    }
    if op == Opcode::Ted {
        s.bias = 0;
        s.mip = s.mip.max(1);
    }
    if op == Opcode::Tld {
        s.filter = s.filter.min(1);
    }
    s
}
