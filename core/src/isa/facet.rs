//! Facets: the properties that an instruction can have, as a table.
//!
//! A facet has a name, a list of values, a getter that returns the values an instruction shows, and a setter that makes an instruction show one.
//! Coverage points and instances of lowering rules come only from this table. A point is an opcode and a value that a setter makes in a context of
//! the opcode, that the validator accepts and that the getter then reports ([`points`]). Instances are the programs made this way, with further
//! facets set to cover pairs of values ([`rule_instances`]). Setters that insert no instruction also serve the minimiser as edits
//! ([`Table::simplifications`]). A property of several instructions is no facet but a [`Scenario`].
//!
//! A setter may insert instructions, so it returns the new position of the instruction. It returns `None` rather than change an undeclared facet:
//! [`Facet::disturbs`] names the facets of the same instruction that may show another value afterwards.

mod array;
mod capabilities;
pub mod choice;
mod combination;
mod edit;
mod infeasible;
#[cfg(test)]
pub(crate) mod law;
mod memo;
mod name;
mod overlap;
mod reach;

pub use array::Density;
pub use capabilities::{Capabilities, Outside};
pub use combination::Combination;
use infeasible::means;
pub use infeasible::{Infeasible, sides_match};
pub use memo::{Memo, contexts, points, rule_instances, uncovered};
pub use name::Name;
pub use overlap::{Overlap, overlap};

use super::{Context, CoverPoint, Legality, Level, Options, Tables};

/// An instruction, or one unit of a word that has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// Which instruction.
    pub word: u32,
    /// Its unit, as the instruction set numbers them; 0 if instructions have one unit.
    pub unit: u8,
}

/// A program and one of its sites.
pub type Sited<P> = (P, Site);

/// A property of instructions.
#[derive(Debug)]
pub struct Facet<P: 'static> {
    /// Its name. Facets with the same name apply to different opcodes.
    pub name: &'static str,
    /// The property, in a few words for the manual.
    pub meaning: &'static str,
    /// Every value, the simplest first. The setter or the validator refuses values that an opcode cannot have.
    pub values: &'static [&'static str],
    /// Which values can occur together in one instruction.
    pub meets: Combination,
    /// The values that a site shows: none if the facet does not apply there, several if its operands differ.
    pub get: fn(&P, Site) -> Vec<&'static str>,
    /// The program changed so that the site shows a value, with the site's new position; `None` if that is impossible.
    pub set: fn(&P, Site, &'static str) -> Option<Sited<P>>,
    /// Names of facets of the same site whose values the setter may change.
    pub disturbs: &'static [&'static str],
}

/// Calls a getter, or answers from what it has cached about the program.
pub type Getter<'a, P> = dyn Fn(&Facet<P>, Site) -> Vec<&'static str> + 'a;

/// Every opcode, in [`Table::mutated`].
pub const ANY: &str = "any";

/// The facets of an instruction set, and what is needed to enumerate points and instances.
#[derive(Debug)]
pub struct Table<P: 'static> {
    /// The facets, in the order in which points are listed.
    pub facets: &'static [Facet<P>],
    /// Number of units of an instruction.
    pub units: u8,
    /// The opcode at a site, as in [`Tables::opcodes`]; `None` for an idle unit.
    pub opcode: fn(&P, Site) -> Option<&'static str>,
    /// Contexts of an opcode: small legal programs around it, one for each version, stage or kind of program that allows facet values which the
    /// others do not. Empty if there is no such opcode.
    pub contexts: fn(&'static str) -> Vec<Sited<P>>,
    /// Programs for properties of several instructions.
    pub scenarios: &'static [Scenario],
    /// The opcodes and `facet=value` whose instances are also checked with mutants, besides the plain context of each opcode. [`ANY`] stands for
    /// every opcode that has the value, and a facet name alone for all of its values.
    pub mutated: &'static [(&'static str, &'static str)],
    /// Pairs of values that no instruction of a legal program has, each with the rule that forbids it.
    pub infeasible: &'static [Infeasible],
    /// How many instances to make.
    pub density: Density,
    /// Facets of the whole program. Each instance is repeated under each of their values that leaves it legal.
    pub headers: &'static [Facet<P>],
    /// Points and instances, computed on first use.
    pub memo: Memo<P>,
}

/// A program for a property that involves several instructions, such as their order.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// Its name.
    pub name: &'static str,
    /// Whether mutants of its lowering are tried.
    pub mutate: bool,
    /// The option and the choice that make the program legal; `None` if it is legal with the default options.
    pub under: Option<(&'static str, &'static str)>,
    /// Assembly text.
    pub text: &'static str,
}

impl<P> Facet<P> {
    /// Whether a site shows a value.
    pub fn is_shown(&self, program: &P, site: Site, value: &str) -> bool {
        (self.get)(program, site).contains(&value)
    }

    /// The coverage point of an opcode and a value.
    pub fn point(&self, opcode: &'static str, value: &str) -> CoverPoint {
        CoverPoint { opcode, modifier: format!("{}={value}", self.name) }
    }
}

impl<P> Table<P> {
    /// The sites of an instruction that are not idle, with their opcodes.
    pub fn sites<'a>(&'a self, program: &'a P, word: u32) -> impl Iterator<Item = (Site, &'static str)> + 'a {
        let sites = (0..self.units).map(move |unit| Site { word, unit });
        sites.filter_map(|site| Some((site, (self.opcode)(program, site)?)))
    }

    /// Whether the instance of a point is checked with mutants.
    fn is_mutated(&self, opcode: &str, modifier: &str) -> bool {
        self.mutated.iter().any(|row| is_row_about(*row, opcode, modifier))
    }

    /// Whether [`Table::points`] of an instruction contains a point; computes only that point.
    pub fn is_of(&self, program: &P, word: u32, class: &CoverPoint) -> bool {
        let Some((name, value)) = class.modifier.split_once('=') else { return false };
        let mut sites = self.sites(program, word).filter(|(_, opcode)| *opcode == class.opcode);
        sites.any(|(site, _)| {
            let mut facets = self.facets.iter().filter(|facet| facet.name == name);
            facets.any(|facet| facet.is_shown(program, site, value))
        })
    }

    /// The coverage points of an instruction, without duplicates.
    pub fn points(&self, program: &P, word: u32) -> Vec<CoverPoint> {
        self.points_by(program, word, &|facet, site| (facet.get)(program, site))
    }

    /// [`Table::points`], with getters called through `get`, which may cache facts about the program.
    pub fn points_by(&self, program: &P, word: u32, get: &Getter<'_, P>) -> Vec<CoverPoint> {
        let mut found: Vec<CoverPoint> = Vec::new();
        // The parts of the points found so far, so that a duplicate is dropped before its name is formatted.
        let mut parts: Vec<[&'static str; 3]> = Vec::new();
        for (site, opcode) in self.sites(program, word) {
            for facet in self.facets {
                for value in get(facet, site) {
                    let part = [opcode, facet.name, value];
                    if !parts.contains(&part) {
                        parts.push(part);
                        found.push(facet.point(opcode, value));
                    }
                }
            }
        }
        found
    }
}

/// Whether a row of [`Table::mutated`] covers a point.
fn is_row_about((its, side): (&str, &str), opcode: &str, modifier: &str) -> bool {
    (its == ANY || its == opcode) && means(side, modifier)
}

/// Whether a program has an entry and no entry breaks a rule at error level under the default options.
fn is_legal<I: Tables + Legality>(program: &I::Program) -> bool {
    is_legal_under::<I>(program, &Options::new(I::option_specs()))
}

/// [`is_legal`] under these options.
fn is_legal_under<I: Tables + Legality>(program: &I::Program, options: &Options) -> bool {
    let entries = I::entries(program);
    !entries.is_empty()
        && entries.iter().all(|entry| {
            let cx: Context<'_, I> = Context { program, entry, options };
            I::validate(&cx).iter().all(|violation| violation.level != Level::Error)
        })
}
