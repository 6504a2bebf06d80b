//! Generation of source operands: registers, swizzles and sign.

use super::body::{Body, TEMPORARIES, components_of};
use super::range::PreferredRange;
use crate::generate::Entropy;
use lockstep_core::isa::pica200::program::{Descriptor, Register, Source};

/// The requirements for a source.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceRequest {
    /// The components that are read, after swizzling.
    pub(super) read_mask: u8,
    pub(super) want: PreferredRange,
    /// Whether the operand field can address uniforms.
    pub(super) wide: bool,
    /// The input register that another source reads. Reading two different input registers in one instruction is unreliable.
    pub(super) other_input: Option<u8>,
}

/// Returns a register operand without modifiers.
pub(super) fn plain(register: Register) -> Source {
    Source { register, idx: 0, negate: false, select: Descriptor::XYZW }
}

/// Packs a selector from the component that each position reads.
pub(super) fn select(components: [usize; 4]) -> u8 {
    components.into_iter().fold(0, |select, c| select << 2 | c as u8 & 3)
}

/// Draws a source whose range the operation prefers, if a few tries find one.
pub(super) fn source(e: &mut Entropy<'_>, body: &Body, need: SourceRequest) -> Source {
    let mut found = draw(e, body, need);
    for _ in 0..5 {
        if e.is_exhausted() || need.want.fits(body.hull_of(&found, need.read_mask)) {
            break;
        }
        found = draw(e, body, need);
    }
    found
}

fn draw(e: &mut Entropy<'_>, body: &Body, need: SourceRequest) -> Source {
    let unread_temporaries = body.unread_temporaries();
    let all: Vec<usize> = (0..TEMPORARIES).filter(|n| body.written(*n) != 0).collect();
    let allowed = |weight: u32, if_so: bool| if if_so { weight } else { 0 };
    let known = body.address.iter().any(Option::is_some);
    let weights = [
        4,
        allowed(12, !unread_temporaries.is_empty()),
        allowed(3, !all.is_empty()),
        allowed(5, need.wide),
        allowed(if body.index.is_some() { 60 } else { 2 }, need.wide && known),
    ];
    let negate = e.chance(25);
    let mut source = match e.weighted(&weights) {
        1 => {
            // A value that no instruction has read yet, more often in a temporary with a high number.
            let at = e.below(unread_temporaries.len()).max(e.below(unread_temporaries.len()));
            temporary(e, body, need, unread_temporaries[at])
        }
        2 => {
            let number = e.pick(&all).copied().unwrap_or_default();
            temporary(e, body, need, number)
        }
        3 => {
            let preferred_number = e.pick(&body.uniforms).copied().unwrap_or_default();
            let number = if e.chance(8) { e.below(96) as u8 } else { preferred_number };
            Source { select: swizzle(e, need.read_mask, 0xf, 0), ..plain(Register::Uniform(number)) }
        }
        4 => relative(e, body, need),
        _ => input(e, body, need),
    };
    source.negate = negate;
    source
}

/// Returns an input register: the one that another source reads, or one that is preferred for reads if there is none or, at times, if warnings are
/// allowed.
pub(super) fn input(e: &mut Entropy<'_>, body: &Body, need: SourceRequest) -> Source {
    let preferred_number = e.pick(&body.inputs).copied().unwrap_or_default();
    let number = match need.other_input {
        Some(number) if !(body.allows_warnings && e.chance(50)) => number,
        _ => preferred_number,
    };
    Source { select: swizzle(e, need.read_mask, 0xf, 0), ..plain(Register::Input(number)) }
}

fn temporary(e: &mut Entropy<'_>, body: &Body, need: SourceRequest, number: usize) -> Source {
    let select = swizzle(e, need.read_mask, body.written(number), body.unread(number));
    Source { select, ..plain(Register::Temporary(number as u8)) }
}

fn relative(e: &mut Entropy<'_>, body: &Body, need: SourceRequest) -> Source {
    let set: Vec<u8> = (0..3u8).filter(|k| body.address[usize::from(*k)].is_some()).map(|k| k + 1).collect();
    let idx = match body.index {
        Some(idx) if set.contains(&idx) => idx,
        _ => e.pick(&set).copied().unwrap_or(3),
    };
    // Mostly a number so far from both ends of the file that the index stays in range.
    let number = if e.chance(12) { e.below(96) } else { e.between(24, 71) } as u8;
    Source { idx, select: swizzle(e, need.read_mask, 0xf, 0), ..plain(Register::Uniform(number)) }
}

/// Returns a swizzle that reads only components in the mask `there`, preferably those in the mask `wanted`.
pub(super) fn swizzle(e: &mut Entropy<'_>, read_mask: u8, there: u8, wanted: u8) -> u8 {
    let there_list: Vec<usize> = components_of(there).collect();
    let wanted_list: Vec<usize> = components_of(wanted & there).collect();
    let preferred = if wanted_list.is_empty() { &there_list } else { &wanted_list };
    let identity = read_mask & !there == 0;
    let mut components = [0; 4];
    match e.weighted(&[if identity { 40 } else { 0 }, 15, 25, 20]) {
        0 => return Descriptor::XYZW,
        1 => components = [e.pick(preferred).copied().unwrap_or_default(); 4],
        // Uses consecutive components, so that as many as possible are read.
        2 => {
            let start = e.below(preferred.len());
            for (k, lane) in components_of(read_mask).chain(components_of(!read_mask & 0xf)).enumerate() {
                let component = preferred.get((start + k) % preferred.len().max(1));
                components[lane] = component.copied().unwrap_or_default();
            }
        }
        _ => {
            for (lane, component) in components.iter_mut().enumerate() {
                // Components that are not read may have any swizzle.
                let from: &[usize] = if read_mask >> lane & 1 == 1 { &there_list } else { &[0, 1, 2, 3] };
                *component = e.pick(from).copied().unwrap_or_default();
            }
        }
    }
    select(components)
}
