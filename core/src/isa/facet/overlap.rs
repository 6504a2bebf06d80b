//! The facet `overlap`: which sources read the register that the instruction writes. It is shared by every instruction set whose instructions write
//! registers that sources can name; each defines what counts as the same register.

use super::{Combination, Facet, Site, Sited};

/// The maximum number of sources of an instruction.
const SOURCES: usize = 4;
/// The values: no source, or one by its letter.
const VALUES: [&str; 1 + SOURCES] = ["none", "a", "b", "c", "d"];

/// The accessors that an instruction set provides.
pub trait Overlap<P> {
    /// Whether each source reads the register that the instruction writes; `None` for a missing source and for one that cannot name a writable
    /// register. All are `None` if there is no result.
    fn sources(program: &P, site: Site) -> [Option<bool>; SOURCES];

    /// Makes a source read the written register. An identity swizzle becomes a permutation, since otherwise no component is written before it is
    /// read.
    fn join(program: &P, site: Site, source: usize) -> Option<Sited<P>>;

    /// Makes a source read a register other than the written one.
    fn part(program: &P, site: Site, source: usize) -> Option<Sited<P>>;
}

/// The facet, for instructions with at most this many sources.
pub const fn overlap<P: Clone, O: Overlap<P>>(sources: usize, disturbs: &'static [&'static str]) -> Facet<P> {
    Facet {
        name: "overlap",
        meaning: "which sources read the register that is written",
        values: VALUES.split_at(1 + sources).0,
        meets: Combination::FIRST_OR_SEVERAL,
        get: get::<P, O>,
        set: set::<P, O>,
        disturbs,
    }
}

/// The sources that read the written register, or `none`.
fn get<P, O: Overlap<P>>(program: &P, site: Site) -> Vec<&'static str> {
    let sources = O::sources(program, site);
    if sources.iter().all(Option::is_none) {
        return Vec::new();
    }
    let names = VALUES[1..].iter().zip(sources).filter(|(_, reads)| *reads == Some(true));
    let names: Vec<&str> = names.map(|(name, _)| *name).collect();
    if names.is_empty() { vec![VALUES[0]] } else { names }
}

/// Makes a source read the written register, or, for `none`, makes no source read it.
fn set<P: Clone, O: Overlap<P>>(program: &P, site: Site, value: &str) -> Option<Sited<P>> {
    let sources = O::sources(program, site);
    let wanted = VALUES.iter().position(|known| *known == value)?;
    let same = (program.clone(), site);
    let Some(source) = wanted.checked_sub(1) else {
        let is_about = sources.iter().any(Option::is_some);
        let mut joined = (0..SOURCES).filter(|source| sources[*source] == Some(true));
        let parted = joined.try_fold(same, |(program, site), source| O::part(&program, site, source));
        return parted.filter(|_| is_about);
    };
    if sources[source]? {
        return Some(same);
    }
    let joined = O::join(program, site, source);
    joined.filter(|(made, site)| O::sources(made, *site)[source] == Some(true))
}
