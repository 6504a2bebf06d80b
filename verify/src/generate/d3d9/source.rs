//! Generation of source operands: registers, swizzles and modifiers.

use super::body::{ADDRESS, Body, components_of};
use super::range::PreferredRange;
use crate::generate::Entropy;
use lockstep_core::isa::d3d9::modifier::Allowed;
use lockstep_core::isa::d3d9::profile::Profile;
use lockstep_core::isa::d3d9::program::{File, Index, Modifier, Relative, Source, replicate};
use lockstep_core::isa::d3d9::word::SWIZZLE;

/// The requirements for a source.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent flags
pub(super) struct SourceRequest {
    /// The components that are read, after swizzling.
    pub(super) read_mask: u8,
    /// The write mask of the destination.
    pub(super) mask: u8,
    /// Whether one component is replicated to all components.
    pub(super) scalar: bool,
    /// Whether the source must be a per-lane input without swizzle and modifier.
    pub(super) bare: bool,
    /// Whether computed values are excluded.
    pub(super) excludes_computed: bool,
    /// Whether direct constants are excluded.
    pub(super) excludes_constants: bool,
    pub(super) want: PreferredRange,
}

/// The components in the swizzles of ps_2_0 besides the identity and single components: yzxw, zxyw, wzyx.
const ROTATIONS: [[u8; 4]; 3] = [[1, 2, 0, 3], [2, 0, 1, 3], [3, 2, 1, 0]];

/// Draws a source whose range the operation prefers, if a few tries find one; `None` if no source is allowed.
pub(super) fn source(e: &mut Entropy<'_>, body: &Body, need: SourceRequest) -> Option<Source> {
    let mut found = draw(e, body, need);
    for _ in 0..5 {
        let fits = |s: &Source| need.want.fits(body.hull_of(s, need.read_mask));
        if e.is_exhausted() || found.as_ref().is_some_and(fits) {
            break;
        }
        found = draw(e, body, need).or(found);
    }
    found
}

fn draw(e: &mut Entropy<'_>, body: &Body, need: SourceRequest) -> Option<Source> {
    let unread_registers = body.unread_registers();
    let known = body.written_registers();
    let allowed = |weight: u32, if_so: bool| if if_so { weight } else { 0 };
    let computed = !need.excludes_computed && !known.is_empty();
    let has_index = if body.is_pixel() {
        body.major() >= 3 && body.loops > 0
    } else {
        body.profile != Profile::Vs10 && (body.written(ADDRESS) != 0 || body.loops > 0)
    };
    let indexed = has_index && !need.excludes_computed && !need.excludes_constants;
    let weights = [
        4,
        allowed(14, computed && !unread_registers.is_empty()),
        allowed(3, computed),
        allowed(4, !need.excludes_constants && !need.excludes_computed),
        allowed(if body.unread(ADDRESS) != 0 { 16 } else { 4 }, indexed),
    ];
    let (file, number, there) = match e.weighted(&weights) {
        1 => {
            // A value that no instruction has read yet.
            let place = *e.pick(&unread_registers)?;
            let (file, number) = Body::register(place);
            (file, number, body.written(place))
        }
        2 => {
            let place = *e.pick(&known)?;
            let (file, number) = Body::register(place);
            (file, number, body.written(place))
        }
        3 => (File::Constant, constant(e, body), 15),
        4 => return indexed_source(e, body, need),
        _ => {
            let (file, number) = *e.pick(&body.inputs)?;
            (file, number, 15)
        }
    };
    let there = if file == File::Misc && number == 0 { 3 } else { there };
    let wanted = body.place(file as u8, number).map_or(0, |place| body.unread(place));
    let swizzle = if need.bare { bare(need, there)? } else { swizzle(e, body, need, there, wanted)? };
    let mut source = Source::register(file, number, swizzle);
    source.modifier = modified(e, body, need, file);
    Some(source)
}

fn bare(need: SourceRequest, there: u8) -> Option<u8> {
    (need.read_mask & !there == 0).then_some(Source::XYZW)
}

/// Returns the number of a constant, usually of a constant that is preferred for reads.
pub(super) fn constant(e: &mut Entropy<'_>, body: &Body) -> u16 {
    let preferred_number = e.pick(&body.constants).copied().unwrap_or_default();
    if e.chance(12) {
        e.below(usize::from(body.limits().constants.guaranteed.min(256))) as u16
    } else {
        preferred_number
    }
}

/// Returns an indexed read of constants or inputs.
fn indexed_source(e: &mut Entropy<'_>, body: &Body, need: SourceRequest) -> Option<Source> {
    let (relative, counter) = index(e, body)?;
    // Pixel shaders can index inputs only.
    let input = body.is_pixel() || body.major() >= 3 && counter && e.chance(20);
    let file = if input { File::Input } else { File::Constant };
    let number = match file {
        File::Input => e.between(0, 3),
        _ => e.between(10, 40),
    };
    let swizzle = swizzle(e, body, need, 15, 0)?;
    let mut source = Source::register(file, number as u16, swizzle);
    source.relative = relative;
    source.modifier = modified(e, body, need, file);
    Some(source)
}

/// Returns an index, and whether it is aL. The index is a component of a0 that has been written, or aL inside a loop.
pub(super) fn index(e: &mut Entropy<'_>, body: &Body) -> Option<(Relative, bool)> {
    let written = if body.is_pixel() { 0 } else { body.written(ADDRESS) };
    let counter = body.loops > 0;
    if counter && (written == 0 || e.chance(50)) {
        return Some((Relative::Indexed(Index::register(File::Loop, 0)), true));
    }
    let components: Vec<usize> = components_of(written).collect();
    let c = *e.pick(&components)?;
    let relative = if body.major() < 2 {
        Relative::Implied
    } else {
        Relative::Indexed(Index::register(File::Address, c as u8))
    };
    Some((relative, false))
}

/// Returns a modifier that the version allows for this source, or 0 for none, which is most likely.
fn modified(e: &mut Entropy<'_>, body: &Body, need: SourceRequest, file: File) -> u8 {
    if need.bare {
        return 0;
    }
    let constant = file == File::Constant;
    let (early, third) = (body.is_pixel() && body.major() == 1, body.major() == 3);
    if third && constant && body.abs_constants {
        return [Modifier::Abs, Modifier::AbsNeg][e.below(2)] as u8;
    }
    if !e.chance(25) {
        return 0;
    }
    let fits = |modifier: &Modifier| match modifier.row().allowed {
        _ if early && constant && !body.allows_warnings => *modifier == Modifier::None,
        Allowed::NotEarlyTextures => true,
        Allowed::Early => early,
        Allowed::Ps14Arithmetic => early && !body.is_ps1_0_to_ps1_3(),
        // In one program, either all constants are read with `_abs` or none.
        Allowed::Sm3 => third && !constant,
        Allowed::Everywhere | Allowed::Division | Allowed::Condition => false,
    };
    let count = Modifier::ALL.iter().filter(|modifier| fits(modifier)).count();
    let which = e.below(count.max(1));
    Modifier::ALL.into_iter().filter(fits).nth(which).map_or(0, |modifier| modifier as u8)
}

/// Returns a swizzle that the version allows and that reads only components in the mask `there`, preferably those in the mask `wanted`. `None`
/// if there is no such swizzle.
pub(super) fn swizzle(
    e: &mut Entropy<'_>,
    body: &Body,
    need: SourceRequest,
    there: u8,
    wanted: u8,
) -> Option<u8> {
    let fits = |swizzle: u8| {
        let named =
            components_of(need.read_mask).fold(0, |mask, lane| mask | 1 << SWIZZLE.get(swizzle, lane));
        named & !there == 0
    };
    let preferred: Vec<u8> =
        components_of(if wanted & there == 0 { there } else { wanted & there }).map(|c| c as u8).collect();
    if need.scalar {
        let all: Vec<u8> = if body.is_ps1_0_to_ps1_3() { vec![3] } else { preferred };
        let one = replicate(*e.pick(&all)?);
        return fits(one).then_some(one);
    }
    let free = !body.is_pixel()
        || body.major() >= 3
        || body.major() == 2 && (body.capable || body.profile.software());
    let all: Vec<u8> = if free {
        let mut some = vec![Source::XYZW, Source::XYZW];
        some.push(replicate(*e.pick(&preferred)?));
        // Uses consecutive components, so that as many as possible are read.
        let start = e.below(preferred.len());
        let mut packed = [0; 4];
        for (k, lane) in components_of(need.read_mask).chain(components_of(!need.read_mask & 15)).enumerate()
        {
            packed[lane] = preferred[(start + k) % preferred.len()];
        }
        some.push(SWIZZLE.join(packed));
        let from: Vec<u8> = components_of(there).map(|c| c as u8).collect();
        let mut random = [0; 4];
        for (lane, component) in random.iter_mut().enumerate() {
            // Components that are not read may have any swizzle.
            let from: &[u8] = if need.read_mask >> lane & 1 == 1 { &from } else { &[0, 1, 2, 3] };
            *component = e.pick(from).copied().unwrap_or_default();
        }
        some.push(SWIZZLE.join(random));
        some
    } else {
        let ones = (0..4).map(replicate);
        let rotations = ROTATIONS.map(|components| SWIZZLE.join(components));
        match (body.is_ps1_0_to_ps1_3(), body.is_ps1()) {
            (true, _) => vec![Source::XYZW, Source::XYZW, replicate(3), replicate(2)],
            (_, true) => std::iter::repeat_n(Source::XYZW, 4).chain(ones).collect(),
            _ => std::iter::repeat_n(Source::XYZW, 4).chain(ones).chain(rotations).collect(),
        }
    };
    let all: Vec<u8> = all
        .into_iter()
        .filter(|s| fits(*s))
        .filter(|s| !body.is_ps1_0_to_ps1_3() || *s != replicate(2) || need.mask == 8)
        .collect();
    e.pick(&all).copied()
}
