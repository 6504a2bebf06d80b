//! Facets: a table of the properties that an instruction can have, such as a write mask, a register file or a modifier.
//!
//! A facet has a name, a list of values, a getter that returns the values present in an instruction, and a setter that changes an instruction to have
//! a value. Coverage points and instances of lowering rules come only from this table. A coverage point is an opcode and a facet value. A coverage
//! point exists if a setter can produce the value in a context of the opcode, the validator accepts the result, and the getter then reports the value
//! ([`points`]). Instances are the programs made this way, with further facets set to cover pairs of values ([`rule_instances`]). The minimiser uses
//! setters that insert no instruction as edits ([`Table::simplifications`]). A property that involves several instructions is not a facet but a
//! [`Scenario`].
//!
//! A setter may insert instructions, so it returns the new position of the instruction. A setter that would change an undeclared facet returns `None`
//! instead. [`Facet::disturbs`] names the facets of the same instruction whose values may change, and [`Table::disturbs_beside`] those of the other
//! units of the word.

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
pub use capabilities::{Capabilities, Unsupported};
pub use combination::Combination;
use infeasible::side_matches;
pub use infeasible::{Infeasible, sides_match};
pub use memo::{Memo, contexts, points, rule_instances, uncovered};
pub use name::Name;
pub use overlap::{Overlap, overlap};

use super::CoverPoint;

/// The location of an instruction, or of one unit of an instruction word with several units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// Index of the instruction word.
    pub word: u32,
    /// The unit's number within the word, defined by the instruction set; 0 if instructions have one unit.
    pub unit: u8,
}

/// A program together with a site in it.
pub type Sited<P> = (P, Site);

/// A property of instructions, with its values and the functions that read and set them.
#[derive(Debug)]
pub struct Facet<P: 'static> {
    /// The name. Several facets may share one name if they apply to different opcodes.
    pub name: &'static str,
    /// The meaning of the property, in a few words for the manual.
    pub meaning: &'static str,
    /// All values, the simplest first. For an opcode that cannot have a value, the setter or the validator rejects it.
    pub values: &'static [&'static str],
    /// Which values can occur together in one instruction, and how coverage combines them.
    pub combination: Combination,
    /// Returns the values present at a site: empty if the facet does not apply there, several if operands differ.
    pub get: fn(&P, Site) -> Vec<&'static str>,
    /// Returns the program changed so that the site has the value, and the site's new position; `None` if that is impossible.
    pub set: fn(&P, Site, &'static str) -> Option<Sited<P>>,
    /// Names of other facets of the same site whose values the setter may change.
    pub disturbs: &'static [&'static str],
}

/// A function that calls a facet's getter, possibly with cached facts about the program.
pub type Getter<'a, P> = dyn Fn(&Facet<P>, Site) -> Vec<&'static str> + 'a;

/// In a row of [`Table::mutated`]: stands for every opcode.
pub const ANY: &str = "any";

/// In a row of [`Table::disturbs_beside`]: stands for the opcode of the other unit, in place of a facet name.
pub const OPCODE: &str = "opcode";

/// The facets of an instruction set, with everything needed to enumerate coverage points and rule instances.
#[derive(Debug)]
pub struct Table<P: 'static> {
    /// The facets, in the order in which points are listed.
    pub facets: &'static [Facet<P>],
    /// Maximum number of units of an instruction word.
    pub units: u8,
    /// The facets that setters may change in the other units of the word, because units share fields: the name of the setter's facet, with the names
    /// of the facets that may change. [`OPCODE`] stands for the opcode.
    pub disturbs_beside: &'static [(&'static str, &'static [&'static str])],
    /// Returns the mnemonic at a site, as listed in [`Tables::opcodes`](super::Tables::opcodes); `None` for an idle unit.
    pub opcode: fn(&P, Site) -> Option<&'static str>,
    /// Returns contexts of an opcode: small legal programs that contain it, one for each version, stage or kind of program in which further facet
    /// values are legal. Empty if the opcode does not exist.
    pub contexts: fn(&'static str) -> Vec<Sited<P>>,
    /// Programs for properties that involve several instructions.
    pub scenarios: &'static [Scenario],
    /// Pairs of an opcode and a `facet=value` whose instances are also checked with mutants, in addition to the plain context of each opcode. [`ANY`]
    /// stands for every opcode that has the value, and a facet name alone for all values of the facet.
    pub mutated: &'static [(&'static str, &'static str)],
    /// Pairs of values that no instruction of a legal program has, with the rules that forbid them.
    pub infeasible: &'static [Infeasible],
    /// How many instances are made.
    pub density: Density,
    /// Facets of the whole program. Each instance is repeated with each of their values for which the program stays legal.
    pub headers: &'static [Facet<P>],
    /// The coverage points and rule instances, computed on first use.
    pub memo: Memo<P>,
}

/// A program for a property that involves several instructions, such as their order.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// The name in reports.
    pub name: &'static str,
    /// Whether mutants of the scenario's lowering are checked.
    pub mutate: bool,
    /// The option and the choice that make the program legal; `None` if it is legal with default options.
    pub under: Option<(&'static str, &'static str)>,
    /// The program as assembly text.
    pub text: &'static str,
}

impl<P> Facet<P> {
    /// Whether `value` is present at a site.
    pub fn is_shown(&self, program: &P, site: Site, value: &str) -> bool {
        (self.get)(program, site).contains(&value)
    }

    /// Returns the coverage point of an opcode and a value of this facet.
    pub fn point(&self, opcode: &'static str, value: &str) -> CoverPoint {
        CoverPoint { opcode, modifier: format!("{}={value}", self.name) }
    }
}

impl<P> Table<P> {
    /// Iterates over the sites of an instruction word that are not idle, with their opcodes.
    pub fn sites<'a>(&'a self, program: &'a P, word: u32) -> impl Iterator<Item = (Site, &'static str)> + 'a {
        let sites = (0..self.units).map(move |unit| Site { word, unit });
        sites.filter_map(|site| Some((site, (self.opcode)(program, site)?)))
    }

    /// Whether the setter of a facet may change another facet, or [`OPCODE`], in another unit of the word.
    #[cfg(test)]
    fn may_disturb_beside(&self, facet: &str, other: &str) -> bool {
        self.disturbs_beside.iter().any(|(name, others)| *name == facet && others.contains(&other))
    }

    /// Whether the instance of this coverage point is checked with mutants.
    fn is_mutated(&self, opcode: &str, modifier: &str) -> bool {
        self.mutated.iter().any(|row| row_covers(*row, opcode, modifier))
    }

    /// Whether an instruction has a coverage point: the same as searching [`Table::points`], but computes only this point.
    pub fn has_point(&self, program: &P, word: u32, point: &CoverPoint) -> bool {
        let Some((name, value)) = point.modifier.split_once('=') else { return false };
        let mut sites = self.sites(program, word).filter(|(_, opcode)| *opcode == point.opcode);
        sites.any(|(site, _)| {
            let mut facets = self.facets.iter().filter(|facet| facet.name == name);
            facets.any(|facet| facet.is_shown(program, site, value))
        })
    }

    /// Returns the coverage points of an instruction, without duplicates.
    pub fn points(&self, program: &P, word: u32) -> Vec<CoverPoint> {
        self.points_by(program, word, &|facet, site| (facet.get)(program, site))
    }

    /// Like [`Table::points`], but calls getters through `get`, which may cache facts about the program.
    pub fn points_by(&self, program: &P, word: u32, get: &Getter<'_, P>) -> Vec<CoverPoint> {
        let mut found: Vec<CoverPoint> = Vec::new();
        // Opcode, facet name and value of each point found so far. Comparing these drops a duplicate before its name is formatted.
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

/// Whether a row of [`Table::mutated`] covers a coverage point.
fn row_covers((row_opcode, side): (&str, &str), opcode: &str, modifier: &str) -> bool {
    (row_opcode == ANY || row_opcode == opcode) && side_matches(side, modifier)
}
