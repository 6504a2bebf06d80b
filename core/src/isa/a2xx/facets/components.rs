//! Facets of the components that scalar operations read, and of the channels from which they are read.

use super::draft::change;
use super::site::{Half, half};
use crate::binary::exact;
use crate::isa::a2xx::opcode::{ScalarOp, ScalarShape, VectorOp};
use crate::isa::a2xx::program::{Alu, Program, component, swizzle};
use crate::isa::facet::choice::{Choice, field_value, names, value};
use crate::isa::facet::{Combination, Facet, Site, Sited};

/// The destination register of a vector operation that is inserted only because it has three sources.
const INSERTED_DEST: u8 = 5;

/// Returns the channels of source 3 from which operands a and b are read; `None` for an operand that is not read.
fn source_channels(alu: &Alu, op: ScalarOp) -> [Option<usize>; 2] {
    let (a, b) = alu.scalar_channels();
    match op.shape() {
        ScalarShape::None => [None; 2],
        ScalarShape::One | ScalarShape::OnePrevious => [Some(a), None],
        ScalarShape::Two | ScalarShape::TwoPrevious => [Some(a), Some(b)],
        // The register's component is encoded in channel 0.
        ScalarShape::Constant => [Some(3), Some(0)],
    }
}

fn get_source_component(program: &Program, site: Site, n: usize) -> Vec<&'static str> {
    let Some((alu, Half::Scalar(op))) = half(program, site) else { return Vec::new() };
    let number = source_channels(alu, op)[n].map(|channel| exact::<u8, _>(component(alu.swz3, channel)));
    number.and_then(|number| value(&super::COMPONENTS, number)).into_iter().collect()
}

fn set_source_component(program: &Program, site: Site, n: usize, name: &str) -> Option<Sited<Program>> {
    let wanted = field_value(&super::COMPONENTS, name)?;
    let (alu, Half::Scalar(op)) = half(program, site)? else { return None };
    let channel = source_channels(alu, op)[n]?;
    change::<Alu>(program, site, |alu| {
        alu.swz3 = with_component(alu.swz3, channel, wanted.into());
        Some(())
    })
}

/// Returns a swizzle with the component of one channel replaced.
fn with_component(bits: u8, channel: usize, wanted: usize) -> u8 {
    let mut all = [0, 1, 2, 3].map(|channel| component(bits, channel));
    all[channel] = wanted;
    swizzle(all)
}

/// Defines the facet of the component that operand number `n` of a scalar operation reads.
macro_rules! component_facet {
    ($n:literal $letter:literal, $facet:ident) => {
        pub(super) const $facet: Facet<Program> = Facet {
            name: concat!($letter, ".component"),
            meaning: concat!("the source component that is operand ", $letter, " of a scalar operation"),
            values: &names(&super::COMPONENTS),
            combination: Combination::ONE,
            get: |program, site| get_source_component(program, site, $n),
            set: |program, site, value| set_source_component(program, site, $n, value),
            disturbs: &[],
        };
    };
}

component_facet!(0 "a", A_COMPONENT);
component_facet!(1 "b", B_COMPONENT);

/// Whether the vector operation in the same slot has three sources. This decides the channel of b for a scalar operation with two operands.
const SOURCE_COUNTS: [Choice<bool>; 2] = [("two_sources", false), ("three_sources", true)];

fn has_three_sources(alu: &Alu) -> bool {
    alu.vector().is_some_and(|op| op.sources() == 3)
}

pub(super) const BESIDE_THREE_SOURCES: Facet<Program> = Facet {
    name: "beside",
    meaning: "how many sources the vector operation has, which determines where a scalar operation of two operands reads the second one",
    values: &names(&SOURCE_COUNTS),
    combination: Combination::ONE,
    get: |program, site| {
        let Some((alu, Half::Scalar(op))) = half(program, site) else { return Vec::new() };
        if source_channels(alu, op)[1].is_none() || op.shape() == ScalarShape::Constant {
            return Vec::new();
        }
        value(&SOURCE_COUNTS, has_three_sources(alu)).into_iter().collect()
    },
    set: set_beside,
    disturbs: &[],
};

/// Replaces the vector operation; fails if that operation has an effect. The component that b reads stays the same.
fn set_beside(program: &Program, site: Site, name: &str) -> Option<Sited<Program>> {
    let wanted = field_value(&SOURCE_COUNTS, name)?;
    let (alu, Half::Scalar(op)) = half(program, site)? else { return None };
    let before = source_channels(alu, op)[1].filter(|_| op.shape() != ScalarShape::Constant)?;
    if has_three_sources(alu) == wanted {
        return Some((program.clone(), site));
    }
    let idle = |op: VectorOp| op != VectorOp::Mova && !op.kills() && !op.sets_predicate();
    if alu.vmask != 0 || !alu.vector().is_some_and(idle) {
        return None;
    }
    change::<Alu>(program, site, |alu| {
        let b = component(alu.swz3, before);
        let replacement = if wanted { VectorOp::Muladd } else { VectorOp::Max };
        alu.vop = replacement as u8;
        if wanted && alu.export == 0 {
            alu.vdest = INSERTED_DEST;
        }
        let after = source_channels(alu, op)[1]?;
        alu.swz3 = with_component(alu.swz3, after, b);
        Some(())
    })
}
