//! Facets of samplers: the fields set by sampler options, and the level-of-detail bias.

use super::site::{at, unchanged, with_token};
use crate::isa::agal::program::{Program, Sampler, SourceOrSampler};
use crate::isa::agal::word::{OPTION_FIELDS, OptionField, Special};
use crate::isa::facet::{Site, Sited};

/// The facet value for a field without any flag set.
const NONE: &str = "none";
/// The values of the facet for flags: each flag, and `none` if no flag is set.
pub(super) const FLAGS: [&str; Special::ALL.len() + 1] =
    [NONE, Special::PRINTED[0], Special::PRINTED[1], Special::PRINTED[2]];

const ZERO: &str = "zero";
const NONZERO: &str = "nonzero";
/// The values of the facet for the bias.
pub(super) const BIASES: [&str; 2] = [ZERO, NONZERO];
/// A bias of -1.5 levels, which tests both sign and fraction.
const BIAS: u8 = (-12_i8).cast_unsigned();

/// Returns the sampler of the instruction at a site; `None` if it has none.
fn sampler(program: &Program, site: Site) -> Option<&Sampler> {
    at(program, site)?.0.sampler()
}

/// Returns the program with the sampler at a site changed.
fn with_sampler(program: &Program, site: Site, change: impl FnOnce(&mut Sampler)) -> Option<Sited<Program>> {
    sampler(program, site)?;
    with_token(program, site, |token| {
        if let SourceOrSampler::Sampler(sampler) = &mut token.b {
            change(sampler);
        }
    })
}

/// Returns the sampler field with a name.
fn field(name: &str) -> Option<&'static OptionField> {
    OPTION_FIELDS.iter().find(|field| field.name == name)
}

/// Returns the value of a sampler field, or each set flag if the field consists of flags.
pub(super) fn option(program: &Program, site: Site, name: &str) -> Vec<&'static str> {
    let (Some(sampler), Some(field)) = (sampler(program, site), field(name)) else { return Vec::new() };
    let value = (field.get)(sampler);
    if field.flags && value == 0 {
        return vec![NONE];
    }
    let is_shown = |number: u8| if field.flags { value & number != 0 } else { value == number };
    (0..16).filter(|number| is_shown(*number)).filter_map(|number| field.value_name(number)).collect()
}

/// Sets a sampler field to a value. In a field of flags, only this flag is set afterwards.
pub(super) fn set_option(program: &Program, site: Site, name: &str, value: &str) -> Option<Sited<Program>> {
    let field = field(name)?;
    let number = match value {
        NONE if field.flags => 0,
        _ => field.values.iter().find(|(name, _)| *name == value)?.1,
    };
    with_sampler(program, site, |sampler| *(field.get_mut)(sampler) = number)
}

/// Returns the facet value for the level-of-detail bias.
pub(super) fn bias(program: &Program, site: Site) -> Vec<&'static str> {
    let sampler = sampler(program, site);
    sampler.map(|sampler| if sampler.bias == 0 { ZERO } else { NONZERO }).into_iter().collect()
}

/// Sets the level-of-detail bias to zero or to [`BIAS`].
pub(super) fn set_bias(program: &Program, site: Site, value: &str) -> Option<Sited<Program>> {
    if bias(program, site).contains(&value) {
        return Some(unchanged(program, site));
    }
    with_sampler(program, site, |sampler| sampler.bias = if value == ZERO { 0 } else { BIAS })
}
