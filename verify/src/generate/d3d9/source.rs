//! Generation of source operands: registers, swizzles and modifiers.

use super::body::{ADDRESS, Body, components_of};
use super::range::PreferredRange;
use super::request::swizzle_is;
use crate::generate::Entropy;
use lockstep_core::isa::d3d9::modifier::Allowed;
use lockstep_core::isa::d3d9::program::{File, Index, Modifier, Relative, Source};

/// The requirements for a source.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent flags
pub(super) struct SourceRequest {
    /// The index of the source among the instruction's sources.
    pub(super) k: usize,
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

/// The swizzles of ps_2_0 besides the identity and single components: yzxw, zxyw, wzyx.
const ROTATIONS: [u8; 3] = [0xc9, 0xd2, 0x1b];

/// Draws a source whose range the operation prefers, if a few tries find one; `None` if no source is allowed.
pub(super) fn source(e: &mut Entropy<'_>, body: &Body<'_>, need: SourceRequest) -> Option<Source> {
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

fn draw(e: &mut Entropy<'_>, body: &Body<'_>, need: SourceRequest) -> Option<Source> {
    let unread_registers = body.unread_registers();
    let known = body.written_registers();
    let allowed = |weight: u32, if_so: bool| if if_so { weight } else { 0 };
    let computed = !need.excludes_computed && !known.is_empty();
    let indexed = !body.is_pixel() && body.profile.name() != "vs_1_0" && !need.excludes_computed;
    let hinted = body.request.source(need.k, facet!(of source "file"));
    let index = body.request.source(need.k, facet!(of source "index"));
    let relative = index.is_some();
    let class = match hinted {
        Some("temporary") => 2,
        Some("input" | "constant") if relative => 4,
        Some("input") => 0,
        Some("constant") => 3,
        Some("texture") if body.is_ps1_0_to_ps1_3() => 6,
        Some("texture") => 5,
        Some("misc") => 7,
        _ if relative => 4,
        _ => {
            let ready = body.written(ADDRESS) != 0 || body.loops > 0;
            e.weighted(&[
                4,
                allowed(14, computed && !unread_registers.is_empty()),
                allowed(3, computed),
                allowed(4, !need.excludes_constants && !need.excludes_computed),
                allowed(
                    if body.unread(ADDRESS) != 0 { 16 } else { 4 },
                    indexed && ready && !need.excludes_constants,
                ),
            ])
        }
    };
    let (file, number, there) = match class {
        1 => {
            // Prefers recently written values.
            let place = *e.pick(&unread_registers)?;
            let (file, number) = Body::register(place);
            (file, number, body.written(place))
        }
        2 | 6 => {
            let fits: Vec<usize> = known
                .iter()
                .copied()
                .filter(|p| (Body::register(*p).0 == File::Address) == (class == 6) || hinted.is_none())
                .collect();
            let place = *e.pick(&fits)?;
            let (file, number) = Body::register(place);
            (file, number, body.written(place))
        }
        3 => (File::Constant, constant(e, body), 15),
        4 => return indexed_source(e, body, need, index),
        7 => (File::Misc, e.below(2) as u16, 15),
        // These are used only on request: colours belong to the second phase, and coordinates are not operands.
        0 if hinted.is_some() && body.is_ps1() => (File::Input, e.below(2) as u16, 15),
        5 if body.is_ps1() => (File::Address, e.below(6) as u16, 15),
        _ => {
            let inputs: Vec<(File, u16)> = body
                .inputs
                .iter()
                .copied()
                .filter(|(file, _)| match hinted {
                    Some("input") => *file == File::Input,
                    Some("texture") => *file == File::Address,
                    _ => true,
                })
                .collect();
            // Before version 1_4 coordinates are not operands, and colours belong to the second phase.
            let (file, number) = *e.pick(&inputs)?;
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
pub(super) fn constant(e: &mut Entropy<'_>, body: &Body<'_>) -> u16 {
    let preferred_number = e.pick(&body.constants).copied().unwrap_or_default();
    if e.chance(12) {
        e.below(usize::from(body.limits().constants.guaranteed.min(256))) as u16
    } else {
        preferred_number
    }
}

/// Returns an indexed read of constants or inputs.
fn indexed_source(
    e: &mut Entropy<'_>,
    body: &Body<'_>,
    need: SourceRequest,
    wanted: Option<&str>,
) -> Option<Source> {
    let (relative, counter) = index(e, body, wanted)?;
    let third = body.major() >= 3;
    let input = match body.request.source(need.k, facet!(of source "file")) {
        Some(which) => which == "input",
        // Pixel shaders can index nothing else.
        None => body.is_pixel() || third && counter && e.chance(20),
    };
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
pub(super) fn index(e: &mut Entropy<'_>, body: &Body<'_>, wanted: Option<&str>) -> Option<(Relative, bool)> {
    let written = if body.is_pixel() { 0 } else { body.written(ADDRESS) };
    let counter = body.loops > 0;
    let component = wanted.and_then(|w| "xyzw".find(w).filter(|_| w.len() == 1));
    if wanted == Some("loop") || wanted.is_none() && counter && (written == 0 || e.chance(50)) {
        return counter.then(|| (Relative::Indexed(Index::register(File::Loop, 0)), true));
    }
    let components: Vec<usize> =
        components_of(written).filter(|c| component.is_none_or(|wanted| wanted == *c)).collect();
    let c = *e.pick(&components)?;
    let relative = if body.major() < 2 {
        Relative::Implied
    } else {
        Relative::Indexed(Index::register(File::Address, c as u8))
    };
    Some((relative, false))
}

/// Returns a modifier that the version has.
fn modified(e: &mut Entropy<'_>, body: &Body<'_>, need: SourceRequest, file: File) -> u8 {
    if let Some(wanted) =
        body.request.source(need.k, facet!(of source "modifier")).and_then(Modifier::from_name)
    {
        return wanted as u8;
    }
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

/// Returns a swizzle that the version has and that reads components of `there`, preferably those of `wanted`.
pub(super) fn swizzle(
    e: &mut Entropy<'_>,
    body: &Body<'_>,
    need: SourceRequest,
    there: u8,
    wanted: u8,
) -> Option<u8> {
    let fits = |swizzle: u8| {
        let named =
            components_of(need.read_mask).fold(0, |mask, lane| mask | 1 << (swizzle >> (2 * lane) & 3));
        named & !there == 0
    };
    let class = body.request.source(need.k, facet!(of source "swizzle"));
    let preferred: Vec<u8> =
        components_of(if wanted & there == 0 { there } else { wanted & there }).map(|c| c as u8).collect();
    if need.scalar && class.is_none() {
        let all: Vec<u8> = if body.is_ps1_0_to_ps1_3() { vec![3] } else { preferred };
        let one = e.pick(&all).map(|c| c * 0x55)?;
        return fits(one).then_some(one);
    }
    let free = !body.is_pixel()
        || body.major() >= 3
        || body.major() == 2 && (body.capable || body.profile.software());
    let all: Vec<u8> = if free {
        let mut some = vec![Source::XYZW, Source::XYZW];
        some.push(e.pick(&preferred)? * 0x55);
        // Uses consecutive components, so that as many as possible are read.
        let start = e.below(preferred.len());
        let mut packed = 0;
        for (k, lane) in components_of(need.read_mask).chain(components_of(!need.read_mask & 15)).enumerate()
        {
            packed |= preferred[(start + k) % preferred.len()] << (2 * lane);
        }
        some.push(packed);
        let from: Vec<u8> = components_of(there).map(|c| c as u8).collect();
        let mut random = 0;
        for lane in 0..4 {
            // Components that are not read may have any swizzle.
            let from: &[u8] = if need.read_mask >> lane & 1 == 1 { &from } else { &[0, 1, 2, 3] };
            random |= e.pick(from).copied().unwrap_or_default() << (2 * lane);
        }
        some.push(random);
        some
    } else {
        let ones = (0..4).map(|c| c * 0x55);
        match (body.is_ps1_0_to_ps1_3(), body.is_ps1()) {
            (true, _) => vec![Source::XYZW, Source::XYZW, 0xff, 0xaa],
            (_, true) => std::iter::repeat_n(Source::XYZW, 4).chain(ones).collect(),
            _ => std::iter::repeat_n(Source::XYZW, 4).chain(ones).chain(ROTATIONS).collect(),
        }
    };
    let all: Vec<u8> = all
        .into_iter()
        .filter(|s| fits(*s) && class.is_none_or(|which| swizzle_is(*s, which)))
        .filter(|s| !body.is_ps1_0_to_ps1_3() || *s != 0xaa || need.mask == 8)
        .collect();
    e.pick(&all).copied()
}
