//! Facets of sources: the register file, the sign, the swizzle, and the index of a uniform.

use super::super::opcode::{Opcode, SourceComponents};
use super::super::program::{Descriptor, Program, Register, Source, selector};
use super::super::registers::File;
use super::super::word::Index;
use super::site::{described, with_descriptor, with_instruction};
use crate::binary::exact;
use crate::isa::component::NAMES;
use crate::isa::facet::{Combination, Facet, Site, Sited};
use crate::isa::pica200::word::fields;

/// Register files of sources.
const FILES: [&str; 3] = [File::Input.name(), File::Temporary.name(), File::Float.name()];
const SIGNS: [&str; 2] = ["positive", "negative"];
const SWIZZLES: [&str; 3] = ["identity", "replicated", "permuted"];

/// The input that all setters use. It is always the same, because the hardware does not reliably read two different inputs in one instruction.
const INPUT: Register = Register::Input(3);
const UNIFORM: Register = Register::Uniform(17);
pub(super) const TEMPORARIES: [Register; 3] =
    [Register::Temporary(5), Register::Temporary(6), Register::Temporary(7)];
/// For each source, the component that setters replicate.
const REPLICATED: [u8; 3] = [1, 3, 2];
/// For each source, a selector that is neither the identity nor a replication.
pub(super) const PERMUTED: [u8; 3] = [0x6c, 0xe4, 0xa1];

/// Returns the facet of the register file of source `N`.
pub(super) const fn file<const N: usize>(name: &'static str, meaning: &'static str) -> Facet<Program> {
    Facet {
        name,
        meaning,
        values: &FILES,
        combination: Combination::ONE,
        get: files::<N>,
        set: set_file::<N>,
        disturbs: &["index", "overlap"],
    }
}

/// Returns the facet of the sign of source `N`.
pub(super) const fn sign<const N: usize>(name: &'static str) -> Facet<Program> {
    let meaning = "the sign of the source, which applies to all components";
    Facet {
        name,
        meaning,
        values: &SIGNS,
        combination: Combination::ONE,
        get: signs::<N>,
        set: set_sign::<N>,
        disturbs: &[],
    }
}

/// Returns the facet of the swizzle of source `N`, for operations that read several components.
pub(super) const fn swizzle<const N: usize>(name: &'static str) -> Facet<Program> {
    let meaning = "the swizzle of the source";
    Facet {
        name,
        meaning,
        values: &SWIZZLES,
        combination: Combination::ONE,
        get: swizzles::<N>,
        set: set_swizzle::<N>,
        disturbs: &[],
    }
}

/// Returns the facet of the component that a scalar operation reads.
pub(super) const fn component(name: &'static str) -> Facet<Program> {
    let meaning = "the source component that is read";
    Facet {
        name,
        meaning,
        values: &NAMES,
        combination: Combination::ONE,
        get: components,
        set: set_component,
        disturbs: &[],
    }
}

/// Returns the facet of the index of the wide source.
pub(super) const fn index(disturbs: &'static [&'static str]) -> Facet<Program> {
    Facet {
        name: "index",
        meaning: "the address register added to the number of a uniform",
        values: &Index::PRINTED,
        combination: Combination::ONE.in_threes(),
        get: indices,
        set: set_index,
        disturbs,
    }
}

/// Returns the operation at a site, and its source `n`.
pub(super) fn source(program: &Program, site: Site, n: usize) -> Option<(Opcode, Source)> {
    let (op, instruction, _) = described(program, site)?;
    Some((op, program.sources(instruction).get(n).copied()??))
}

fn file_of(register: Register) -> &'static str {
    FILES[match register {
        Register::Input(_) => 0,
        Register::Temporary(_) => 1,
        Register::Uniform(_) => 2,
    }]
}

fn files<const N: usize>(program: &Program, site: Site) -> Vec<&'static str> {
    source(program, site, N).map(|(_, source)| file_of(source.register)).into_iter().collect()
}

fn set_file<const N: usize>(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let (op, source) = source(program, site, N)?;
    if file_of(source.register) == value {
        return Some((program.clone(), site));
    }
    let is_wide = op.wide() == Some(N);
    let registers = [INPUT, TEMPORARIES[N], UNIFORM];
    let register = registers.into_iter().find(|register| file_of(*register) == value)?;
    if register == UNIFORM && !is_wide {
        return None;
    }
    let (_, instruction, _) = described(program, site)?;
    let mut instruction = instruction.with_source(N, register.number());
    if is_wide {
        instruction = instruction.with_field(fields::IDX, Index::None as u32);
    }
    with_instruction(program, site, instruction)
}

fn signs<const N: usize>(program: &Program, site: Site) -> Vec<&'static str> {
    source(program, site, N).map(|(_, source)| SIGNS[usize::from(source.negate)]).into_iter().collect()
}

fn set_sign<const N: usize>(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let (_, source) = source(program, site, N)?;
    let negate = SIGNS.iter().position(|sign| *sign == value)? == 1;
    describe(program, site, N, negate, source.select)
}

/// Sets the sign and the selector of source `n`.
pub(super) fn describe(
    program: &Program,
    site: Site,
    n: usize,
    negate: bool,
    select: u8,
) -> Option<Sited<Program>> {
    let (_, _, descriptor) = described(program, site)?;
    with_descriptor(program, site, descriptor.with_source(n, negate, select))
}

/// Returns the selector that replicates one component.
fn replicate(component: u8) -> u8 {
    selector([component; 4])
}

/// Returns the component that is selected for w.
fn w_component(select: u8) -> u8 {
    exact::<u8, _>(super::super::program::component(select, 3))
}

fn swizzle_of(select: u8) -> &'static str {
    SWIZZLES[if select == Descriptor::XYZW {
        0
    } else if select == replicate(w_component(select)) {
        1
    } else {
        2
    }]
}

/// Whether an operation reads one component of its source.
pub(super) fn is_scalar(op: Opcode) -> bool {
    op.row().sources_read == SourceComponents::First(1)
}

fn swizzles<const N: usize>(program: &Program, site: Site) -> Vec<&'static str> {
    let source = source(program, site, N).filter(|(op, _)| !is_scalar(*op));
    source.map(|(_, source)| swizzle_of(source.select)).into_iter().collect()
}

fn set_swizzle<const N: usize>(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let (_, source) = source(program, site, N).filter(|(op, _)| !is_scalar(*op))?;
    if swizzle_of(source.select) == value {
        return Some((program.clone(), site));
    }
    let selects = [Descriptor::XYZW, replicate(REPLICATED[N]), PERMUTED[N]];
    let select = selects.into_iter().find(|select| swizzle_of(*select) == value)?;
    describe(program, site, N, source.negate, select)
}

fn components(program: &Program, site: Site) -> Vec<&'static str> {
    let source = source(program, site, 0).filter(|(op, _)| is_scalar(*op));
    source.map(|(_, source)| NAMES[source.component(0)]).into_iter().collect()
}

fn set_component(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let (_, source) = source(program, site, 0).filter(|(op, _)| is_scalar(*op))?;
    let component = NAMES.iter().position(|name| *name == value)?;
    if source.component(0) == component {
        return Some((program.clone(), site));
    }
    describe(program, site, 0, source.negate, replicate(exact::<u8, _>(component)))
}

fn indices(program: &Program, site: Site) -> Vec<&'static str> {
    let Some((op, ..)) = described(program, site) else { return Vec::new() };
    let wide = op.wide().and_then(|n| source(program, site, n));
    let index = wide.map(|(_, source)| match source.register {
        Register::Uniform(_) => Index::from_number(source.idx).unwrap_or(Index::None),
        _ => Index::None,
    });
    index.map(Index::name).into_iter().collect()
}

fn set_index(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    let (op, instruction, _) = described(program, site)?;
    let n = op.wide()?;
    let (_, source) = source(program, site, n)?;
    let index = Index::from_name(value)?;
    let mut instruction = instruction.with_field(fields::IDX, index as u32);
    if index != Index::None && !matches!(source.register, Register::Uniform(_)) {
        instruction = instruction.with_source(n, UNIFORM.number());
    }
    with_instruction(program, site, instruction)
}
