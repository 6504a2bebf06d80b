//! The facet of results that take the place of what they are made of: which sources read the register that is written. It is the same in every
//! instruction set whose instructions write a register that a source can name; what a register is, each says itself.

use super::{Facet, Meets, Site, Sited};

/// The most sources that an instruction has.
const SOURCES: usize = 4;
/// The values: no source, or one by its letter.
const VALUES: [&str; 1 + SOURCES] = ["none", "a", "b", "c", "d"];

/// What an instruction set says of results and sources.
pub trait Overlap<P> {
    /// Whether each source reads the register that the instruction writes; `None` where there is no such source, or it can name no register that is
    /// written. All are `None` where there is no result.
    fn sources(program: &P, site: Site) -> [Option<bool>; SOURCES];

    /// Lets a source read the register that is written, with its components in another order where they were in order: else no component would be
    /// written before it is read.
    fn join(program: &P, site: Site, source: usize) -> Option<Sited<P>>;

    /// Lets a source read another register than the one that is written.
    fn part(program: &P, site: Site, source: usize) -> Option<Sited<P>>;
}

/// The facet, of instructions with this many sources at the most.
pub const fn overlap<P: Clone, O: Overlap<P>>(sources: usize, disturbs: &'static [&'static str]) -> Facet<P> {
    Facet {
        name: "overlap",
        meaning: "which sources read the register that is written",
        values: VALUES.split_at(1 + sources).0,
        meets: Meets::FIRST_OR_SEVERAL,
        get: get::<P, O>,
        set: set::<P, O>,
        disturbs,
    }
}

/// The sources that read what is written, or that none does.
fn get<P, O: Overlap<P>>(program: &P, site: Site) -> Vec<&'static str> {
    let sources = O::sources(program, site);
    if sources.iter().all(Option::is_none) {
        return Vec::new();
    }
    let names = VALUES[1..].iter().zip(sources).filter(|(_, reads)| *reads == Some(true));
    let names: Vec<&str> = names.map(|(name, _)| *name).collect();
    if names.is_empty() { vec![VALUES[0]] } else { names }
}

/// Lets a source read what is written, or parts all sources from it.
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
