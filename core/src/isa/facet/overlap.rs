//! The facet `overlap`: which sources read the register that the instruction writes. All instruction sets in which a source can be a written register
//! use this facet. Each set defines which registers are the same.

use super::{Combination, Facet, Site, Sited};

/// The maximum number of sources of an instruction, over all instruction sets that use the facet.
const SOURCES: usize = 4;
/// The facet values: `none`, or a source by its letter.
const VALUES: [&str; 1 + SOURCES] = ["none", "a", "b", "c", "d"];

/// The accessors that an instruction set implements to use the facet.
pub trait Overlap<P> {
    /// Returns, for each source, whether it reads the register that the instruction writes. `None` for a missing source and for a source that cannot
    /// be a writable register. All are `None` if the instruction has no result.
    fn sources(program: &P, site: Site) -> [Option<bool>; SOURCES];

    /// Makes a source read the written register. An identity swizzle is replaced by a permutation, because with the identity a lowering that writes
    /// components one by one reads each component before it writes it and needs no copy of the source.
    fn alias(program: &P, site: Site, source: usize) -> Option<Sited<P>>;

    /// Makes a source read a register other than the written one.
    fn separate(program: &P, site: Site, source: usize) -> Option<Sited<P>>;
}

/// Creates the facet for instructions with at most `sources` sources.
pub const fn overlap<P: Clone, O: Overlap<P>>(sources: usize, disturbs: &'static [&'static str]) -> Facet<P> {
    Facet {
        name: "overlap",
        meaning: "which sources read the register that is written",
        values: VALUES.split_at(1 + sources).0,
        combination: Combination::FIRST_OR_SEVERAL,
        get: get::<P, O>,
        set: set::<P, O>,
        disturbs,
    }
}

/// Returns the sources that read the written register, or `none`.
fn get<P, O: Overlap<P>>(program: &P, site: Site) -> Vec<&'static str> {
    let sources = O::sources(program, site);
    if sources.iter().all(Option::is_none) {
        return Vec::new();
    }
    let names = VALUES[1..].iter().zip(sources).filter(|(_, reads)| *reads == Some(true));
    let names: Vec<&str> = names.map(|(name, _)| *name).collect();
    if names.is_empty() { vec![VALUES[0]] } else { names }
}

/// Makes one source read the written register, or, for `none`, makes all sources read other registers.
fn set<P: Clone, O: Overlap<P>>(program: &P, site: Site, value: &str) -> Option<Sited<P>> {
    let sources = O::sources(program, site);
    let wanted = VALUES.iter().position(|known| *known == value)?;
    let same = (program.clone(), site);
    let Some(source) = wanted.checked_sub(1) else {
        let applies = sources.iter().any(Option::is_some);
        let mut aliased = (0..SOURCES).filter(|source| sources[*source] == Some(true));
        let separated = aliased.try_fold(same, |(program, site), source| O::separate(&program, site, source));
        return separated.filter(|_| applies);
    };
    if sources[source]? {
        return Some(same);
    }
    let aliased = O::alias(program, site, source);
    aliased.filter(|(made, site)| O::sources(made, *site)[source] == Some(true))
}
