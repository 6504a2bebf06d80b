//! Generation of source operands: registers and swizzles.

use super::body::{Body, components_of};
use super::range::PreferredRange;
use crate::generate::Entropy;
use lockstep_core::isa::agal::program::{File, Source};
use lockstep_core::isa::agal::word::SWIZZLE;

/// The kinds of operands that a source must not be.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Without {
    /// The source must not be a direct constant.
    pub(super) constants: bool,
    /// The source must not be an indexed read.
    pub(super) indexing: bool,
    /// The source must not be computed: it must be a per-lane input.
    pub(super) computed: bool,
}

/// The requirements for a source.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceRequest {
    /// The components that are read, after swizzling.
    pub(super) read_mask: u8,
    /// Whether one component is replicated to all components.
    pub(super) scalar: bool,
    pub(super) want: PreferredRange,
    pub(super) without: Without,
}

/// Draws a source whose range the operation prefers, if a few tries find one.
pub(super) fn source(e: &mut Entropy<'_>, body: &Body, need: SourceRequest) -> Source {
    let mut found = draw(e, body, need);
    for _ in 0..4 {
        if e.is_exhausted() || need.want.fits(body.hull_of(&found, need.read_mask)) {
            break;
        }
        found = draw(e, body, need);
    }
    found
}

fn draw(e: &mut Entropy<'_>, body: &Body, need: SourceRequest) -> Source {
    let without = need.without;
    let all: Vec<u16> = (0..body.count(File::Temporary)).filter(|n| body.written(*n) != 0).collect();
    let unread_temporaries = body.unread_temporaries();
    let allowed = |weight: u32, if_so: bool| if if_so { weight } else { 0 };
    let vertex = !body.is_fragment();
    let weights = [
        4,
        allowed(12, !unread_temporaries.is_empty() && !without.computed),
        allowed(3, !all.is_empty() && !without.computed),
        allowed(5, !without.constants && !without.computed),
        allowed(3, vertex && !without.indexing && !without.computed),
        allowed(1, body.count(File::Instance) > 0 && vertex && !without.computed),
    ];
    match e.weighted(&weights) {
        1 => {
            // Prefers recently written values.
            let at = e.below(unread_temporaries.len()).max(e.below(unread_temporaries.len()));
            temporary(e, body, need, unread_temporaries[at])
        }
        2 => {
            let number = e.pick(&all).copied().unwrap_or_default();
            temporary(e, body, need, number)
        }
        3 => register(e, body, need, File::Constant),
        4 => indexed(e, body, need, 1),
        5 => {
            let swizzle = swizzle(e, need, 1, 1);
            Source::register(File::Instance, 0, if e.chance(20) { Source::XYZW } else { swizzle })
        }
        _ => register(e, body, need, body.input_file()),
    }
}

/// Returns a register number, usually of a register that is preferred for reads.
pub(super) fn number(e: &mut Entropy<'_>, body: &Body, file: File, rows: u16) -> u16 {
    let limit = body.count(file).saturating_sub(rows);
    let preferred_number = e.pick(&body.preferred[file as usize]).copied().unwrap_or_default();
    let number = if e.chance(12) { e.below(usize::from(limit) + 1) as u16 } else { preferred_number };
    number.min(limit)
}

fn register(e: &mut Entropy<'_>, body: &Body, need: SourceRequest, file: File) -> Source {
    let number = number(e, body, file, 1);
    Source::register(file, number, swizzle(e, need, 0xf, 0))
}

fn temporary(e: &mut Entropy<'_>, body: &Body, need: SourceRequest, number: u16) -> Source {
    let swizzle = swizzle(e, need, body.written(number), body.unread(number));
    Source::register(File::Temporary, number, swizzle)
}

/// Returns an indexed read of `rows` consecutive constants.
pub(super) fn indexed(e: &mut Entropy<'_>, body: &Body, need: SourceRequest, rows: u16) -> Source {
    // Values near zero give indices that are in range.
    let small: Vec<(u16, u8)> = (0..body.count(File::Temporary))
        .flat_map(|n| components_of(body.written(n)).map(move |c| (n, c as u8)))
        .filter(|(n, c)| {
            let cell = body.cells[usize::from(*n)][usize::from(*c)];
            cell.is_some_and(|cell| cell.range.size() <= 32.0)
        })
        .collect();
    let unread: Vec<(u16, u8)> =
        small.iter().copied().filter(|(n, c)| body.unread(*n) >> c & 1 == 1).collect();
    let (file, number, component) = match e.weighted(&[5, if small.is_empty() { 0 } else { 5 }, 1]) {
        1 => {
            let from = if unread.is_empty() || e.chance(30) { &small } else { &unread };
            let (number, component) = e.pick(from).copied().unwrap_or_default();
            (File::Temporary, number, component)
        }
        2 => (File::Constant, number(e, body, File::Constant, 1), e.below(4) as u8),
        _ => (File::Attribute, number(e, body, File::Attribute, 1), e.below(4) as u8),
    };
    let reach = match file {
        File::Temporary => body.cells[usize::from(number)][usize::from(component)]
            .map_or(0.0, |cell| cell.range.size())
            .ceil() as usize,
        _ => 8,
    };
    let limit = usize::from(body.count(File::Constant).saturating_sub(rows)).saturating_sub(reach);
    let offset = if e.chance(8) { e.below(256) } else { e.between(reach.min(limit), limit.min(255)) };
    Source {
        number,
        offset: offset as u8,
        swizzle: swizzle(e, need, 0xf, 0),
        file: File::Constant as u8,
        index_file: file as u8,
        index_component: component,
        indirect: 1,
        ..Source::default()
    }
}

/// Returns a swizzle that reads components of `there`, and prefers those of `wanted`.
pub(super) fn swizzle(e: &mut Entropy<'_>, need: SourceRequest, there: u8, wanted: u8) -> u8 {
    let there_list: Vec<u8> = components_of(there).map(|c| c as u8).collect();
    let wanted_list: Vec<u8> = components_of(wanted & there).map(|c| c as u8).collect();
    let preferred = if wanted_list.is_empty() { &there_list } else { &wanted_list };
    if need.scalar {
        return replicated(e.pick(preferred).copied());
    }
    let identity = need.read_mask & !there == 0;
    let mut components = [0; 4];
    match e.weighted(&[if identity { 40 } else { 0 }, 15, 25, 20]) {
        0 => return Source::XYZW,
        1 => return replicated(e.pick(preferred).copied()),
        // Uses consecutive components, so that as many as possible are read.
        2 => {
            let start = e.below(preferred.len());
            for (k, lane) in
                components_of(need.read_mask).chain(components_of(!need.read_mask & 0xf)).enumerate()
            {
                let component = preferred.get((start + k) % preferred.len().max(1));
                components[lane] = component.copied().unwrap_or_default();
            }
        }
        _ => {
            for (lane, component) in components.iter_mut().enumerate() {
                // Components that are not read may have any swizzle.
                let from: &[u8] = if need.read_mask >> lane & 1 == 1 { &there_list } else { &[0, 1, 2, 3] };
                *component = e.pick(from).copied().unwrap_or_default();
            }
        }
    }
    SWIZZLE.join(components)
}

/// Returns the swizzle that replicates one component, x by default.
fn replicated(component: Option<u8>) -> u8 {
    Source::replicated(component.unwrap_or_default().into())
}
