//! Facets of indexed reads: the register file and the component of the index register.

use super::site::{source, unchanged, with_source};
use crate::binary::exact;
use crate::isa::agal::limits::count;
use crate::isa::agal::program::{File, Program, Source};
use crate::isa::agal::reads::is_file;
use crate::isa::component::NAMES;
use crate::isa::facet::{Site, Sited};

/// The register files that can contain an index register.
const INDICES: [File; 3] = [File::Attribute, File::Constant, File::Temporary];
/// The names of these register files, as facet values.
pub(super) const FILES: [&str; INDICES.len()] = {
    let mut names = [""; INDICES.len()];
    let mut k = 0;
    while k < names.len() {
        names[k] = File::PRINTED[INDICES[k] as usize];
        k += 1;
    }
    names
};

/// The offset used for indexed reads.
const OFFSET: u8 = 7;
/// The default component of the index register. It is not x, so that an implementation that ignores the field is detected.
const COMPONENT: u8 = 2;

/// Returns the file of a source's index register; `None` for a direct source.
fn index_of(source: &Source) -> Option<File> {
    INDICES.into_iter().find(|file| source.indirect != 0 && is_file(source.index_file, *file))
}

/// Returns the file of the index register of the source with operand index `operand`, as a facet value. Empty if the source is not indexed.
pub(super) fn file(program: &Program, site: Site, operand: usize) -> Vec<&'static str> {
    let file = source(program, site, operand).and_then(|(source, _)| index_of(source));
    file.map(File::name).into_iter().collect()
}

/// Returns the component of the index register that indexes the source with operand index `operand`, as a facet value. Empty if the source is not
/// indexed.
pub(super) fn component(program: &Program, site: Site, operand: usize) -> Vec<&'static str> {
    let indexed = source(program, site, operand).filter(|(source, _)| index_of(source).is_some());
    indexed.map(|(source, _)| NAMES[usize::from(source.index_component & 3)]).into_iter().collect()
}

/// Makes a source an indexed constant, unless it is indexed already.
fn make_indexed(source: &mut Source) {
    if index_of(source).is_none() {
        (source.file, source.indirect, source.offset) = (File::Constant as u8, 1, OFFSET);
        (source.index_file, source.index_component) = (File::Temporary as u8, COMPONENT);
    }
}

/// Sets the file of the index register of the source with operand index `operand`, which becomes an indexed constant.
pub(super) fn set_file(program: &Program, site: Site, operand: usize, value: &str) -> Option<Sited<Program>> {
    if file(program, site, operand).contains(&value) {
        return Some(unchanged(program, site));
    }
    let file = INDICES.into_iter().find(|file| file.name() == value)?;
    let last = count(program.version, program.stage, file).checked_sub(1)?;
    with_source(program, site, operand, |source| {
        make_indexed(source);
        (source.index_file, source.number) = (file as u8, source.number.min(last));
    })
}

/// Sets the component of the index register of the source with operand index `operand`, which becomes an indexed constant.
pub(super) fn set_component(
    program: &Program,
    site: Site,
    operand: usize,
    value: &str,
) -> Option<Sited<Program>> {
    if component(program, site, operand).contains(&value) {
        return Some(unchanged(program, site));
    }
    let component = exact::<u8, _>(NAMES.iter().position(|name| *name == value)?);
    let (old, _) = source(program, site, operand)?;
    let is_new = index_of(old).is_none();
    let last = count(program.version, program.stage, File::Temporary).checked_sub(1)?;
    with_source(program, site, operand, |source| {
        make_indexed(source);
        source.index_component = component;
        if is_new {
            source.number = source.number.min(last);
        }
    })
}
