//! Facets of stores: which components are stored, and which units' results.

use super::feed::Words;
use super::functions::finish;
use super::units::STORE;
use crate::binary::exact;
use crate::isa::component::NAMES;
use crate::isa::facet::choice::names;
use crate::isa::facet::{Site, Sited};
use crate::isa::utgard_gp::opcode::{Op, Unit};
use crate::isa::utgard_gp::program::{Program, Store, Word};
use crate::isa::utgard_gp::source::{NOT_STORED, ResultOf, StoreSource, UNUSED};

/// The sets of components that a store unit can store: three for unit 0, three for unit 1.
pub(super) const COMPONENTS: [&str; 6] = [NAMES[0], NAMES[1], "xy", NAMES[2], NAMES[3], "zw"];
/// The units whose results are stored, in the order of [`ResultOf`].
pub const SOURCES: [&str; 6] = names(&ResultOf::VALUES);

fn store(program: &Program, site: Site) -> Option<Store> {
    let unit = site.unit.checked_sub(STORE)?;
    program.words.get(site.word as usize)?.store.get(usize::from(unit)).copied()
}

/// Returns the set of components stored.
pub(super) fn components(program: &Program, site: Site) -> Vec<&'static str> {
    let Some(store) = store(program, site) else { return Vec::new() };
    let index = match store.sources.map(|source| source != NOT_STORED) {
        [true, false] => 0,
        [false, true] => 1,
        [true, true] => 2,
        [false, false] => return Vec::new(),
    };
    vec![COMPONENTS[usize::from(site.unit - STORE) * 3 + index]]
}

/// Sets the components to store, and moves the store to the other store unit if the components belong to that unit. A newly added component stores
/// the result of another unit.
pub(super) fn set_components(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let store = store(program, site)?;
    let at = COMPONENTS.iter().position(|set| *set == value)?;
    let sources: Vec<ResultOf> = results(store).collect();
    let first = *sources.first()?;
    let mut words = Words { all: program.words.clone(), at: site.word as usize, open: Vec::new() };
    let code = |of| StoreSource::Result(of).code();
    let [mut x, mut y] = [code(first), NOT_STORED];
    match at % 3 {
        1 => (x, y) = (y, x),
        2 => {
            let second = match sources.get(1) {
                Some(second) => *second,
                None => another(&mut words, first)?,
            };
            y = code(second);
        }
        _ => {}
    }
    let unit = at / 3;
    let word = words.word();
    if unit != usize::from(site.unit - STORE) {
        word.store.swap(0, 1);
    }
    word.store[unit].sources = [x, y];
    Some(finish(program, words, STORE + exact::<u8, _>(unit)))
}

/// Returns the units whose results are stored.
fn results(store: Store) -> impl Iterator<Item = ResultOf> {
    store.stored().into_iter().filter_map(|stored| match stored {
        StoreSource::Result(of) => Some(of),
        _ => None,
    })
}

/// Returns a unit other than `of` that has a result, or that can be made to move a component of the attribute or of the load.
fn another(words: &mut Words, of: ResultOf) -> Option<ResultOf> {
    let at = words.at;
    let mut others = (1..6).map(|k| ResultOf::ALL[(of as usize + k) % 6]);
    others.find(|other| words.produce(at, *other, *other as u8 & 3).is_some())
}

/// Returns the names of the units whose results are stored, each once.
pub(super) fn sources(program: &Program, site: Site) -> Vec<&'static str> {
    let Some(store) = store(program, site) else { return Vec::new() };
    let mut found = Vec::new();
    for of in results(store) {
        let name = of.value();
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// Changes which unit's result is stored; if two components are stored, changes only the first. If the result of the complex unit is to be stored,
/// but the complex unit sets address register 0 for the store, a new word before this word sets the register instead.
pub(super) fn set_source(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let store = store(program, site)?;
    let of = ResultOf::from_value(value)?;
    let mut words = Words { all: program.words.clone(), at: site.word as usize, open: Vec::new() };
    if results(store).any(|stored| stored == of) {
        return Some(finish(program, words, site.unit));
    }
    let word = words.word();
    if of == ResultOf::Complex && word.named_op(Unit::Complex) == Some(Op::SetAddr0) {
        let (port0, port0_attribute) = (word.port0, word.port0_attribute);
        let (complex_op, complex_src) = (word.complex_op, word.complex_src);
        let before = Word { complex_op, complex_src, port0, port0_attribute, ..super::feed::bare() };
        (word.complex_op, word.complex_src) = (0, UNUSED);
        words.insert(site.word as usize, &[before])?;
    }
    let at = words.at;
    words.produce(at, of, of as u8 & 3)?;
    let sources = &mut words.word().store[usize::from(site.unit - STORE)].sources;
    *sources.iter_mut().find(|source| **source != NOT_STORED)? = StoreSource::Result(of).code();
    Some(finish(program, words, site.unit))
}
