//! Facets: what an instruction can be like, as a table.
//!
//! A facet is a name, the values it can have, a getter that tells which of them an instruction shows, and a setter that makes the
//! instruction show one. Coverage points and instances of lowering rules come from the table and from nothing else: a point is what a
//! setter makes in a context of an opcode, if the validator lets it pass and the getter then shows it ([`points`]); instances are the
//! programs made, with further facets set so that pairs of values meet ([`rule_instances`]). Setters that insert nothing are edits of the
//! minimiser, too ([`Table::simplifications`]). What is no facet, because it is no property of one
//! instruction, is a [`Scenario`].
//!
//! A setter may insert instructions, so it returns where the instruction is then. It returns nothing rather than change what it does not
//! declare: [`Facet::disturbs`] names the facets of the same instruction that may show something else afterwards.

mod array;
mod capabilities;
pub mod choice;
mod edit;
mod infeasible;
#[cfg(test)]
pub(crate) mod law;
mod meets;
mod memo;
mod name;
mod overlap;
mod reach;

pub use array::Density;
pub use capabilities::{Capabilities, Outside};
use infeasible::means;
pub use infeasible::{Infeasible, are_meant};
pub use meets::Meets;
pub use memo::{Memo, contexts, points, rule_instances, unmet};
pub use name::Name;
pub use overlap::{Overlap, overlap};

use super::{ClassPoint, Context, Isa, Level, Options};

/// An instruction, or one unit of a word that has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// Which instruction.
    pub word: u32,
    /// Which of its units, in the instruction set's own count; 0 where words have one.
    pub unit: u8,
}

/// A program with one of its sites.
pub type Sited<P> = (P, Site);

/// A property of instructions.
#[derive(Debug)]
pub struct Facet<P: 'static> {
    /// Its name. Facets of one name are about different opcodes.
    pub name: &'static str,
    /// What it says of an instruction, in a few words for the manual.
    pub meaning: &'static str,
    /// Every value, the simplest first. What an opcode cannot have its setter refuses, or the validator.
    pub values: &'static [&'static str],
    /// Which values stand together in an instruction.
    pub meets: Meets,
    /// The values that a site shows: none if the facet is not about what stands there, several if its operands differ.
    pub get: fn(&P, Site) -> Vec<&'static str>,
    /// The program in which the site shows a value, and where the site is in it; `None` if it cannot.
    pub set: fn(&P, Site, &'static str) -> Option<Sited<P>>,
    /// Names of facets of the same site whose values the setter may change.
    pub disturbs: &'static [&'static str],
}

/// Asks a getter, or remembers what it knows of the program.
pub type Getter<'a, P> = dyn Fn(&Facet<P>, Site) -> Vec<&'static str> + 'a;

/// Every opcode, in [`Table::mutated`].
pub const ANY: &str = "any";

/// What the instructions of an instruction set can be like.
#[derive(Debug)]
pub struct Table<P: 'static> {
    /// The facets, in the order in which points are listed.
    pub facets: &'static [Facet<P>],
    /// Number of units of a word.
    pub units: u8,
    /// The opcode at a site, as [`Isa::opcodes`] names it; `None` where nothing is done.
    pub opcode: fn(&P, Site) -> Option<&'static str>,
    /// Small legal programs around an opcode: one for each version, stage or kind of program in which its instructions can be like something
    /// that they cannot be like in the others; none if there is no such opcode.
    pub around: fn(&'static str) -> Vec<Sited<P>>,
    /// What is no facet.
    pub scenarios: &'static [Scenario],
    /// Opcodes and `facet=value` whose instances are tried on mutants, besides the plain context of each opcode. [`ANY`] stands for every opcode
    /// that has the value, and a facet for all of its values.
    pub mutated: &'static [(&'static str, &'static str)],
    /// Pairs of values that no instruction of a legal program has, each with the rule that forbids it.
    pub infeasible: &'static [Infeasible],
    /// How many instances there are.
    pub density: Density,
    /// Facets of the whole program: instances stand once more under each value that leaves them legal.
    pub headers: &'static [Facet<P>],
    /// What follows, once it was asked for.
    pub memo: Memo<P>,
}

/// A program that shows what is no property of one instruction: the order of instructions, several of them together.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// Its name.
    pub name: &'static str,
    /// Whether mutants of its lowering are worth trying.
    pub mutate: bool,
    /// The name of an option and the choice under which it is legal; `None` where it is legal by the defaults.
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
    pub fn point(&self, opcode: &'static str, value: &str) -> ClassPoint {
        ClassPoint { opcode, modifier: format!("{}={value}", self.name) }
    }
}

impl<P> Table<P> {
    /// The sites of an instruction that do something, with their opcodes.
    pub fn sites<'a>(&'a self, program: &'a P, word: u32) -> impl Iterator<Item = (Site, &'static str)> + 'a {
        let sites = (0..self.units).map(move |unit| Site { word, unit });
        sites.filter_map(|site| Some((site, (self.opcode)(program, site)?)))
    }

    /// Whether the instance of a point is tried on mutants.
    fn is_mutated(&self, opcode: &str, modifier: &str) -> bool {
        self.mutated.iter().any(|row| is_row_about(*row, opcode, modifier))
    }

    /// Whether an instruction has a coverage point: whether it is among its [`Table::points`], without the others.
    pub fn is_of(&self, program: &P, word: u32, class: &ClassPoint) -> bool {
        let Some((name, value)) = class.modifier.split_once('=') else { return false };
        let mut sites = self.sites(program, word).filter(|(_, opcode)| *opcode == class.opcode);
        sites.any(|(site, _)| {
            let mut facets = self.facets.iter().filter(|facet| facet.name == name);
            facets.any(|facet| facet.is_shown(program, site, value))
        })
    }

    /// The coverage points of an instruction, each once.
    pub fn points(&self, program: &P, word: u32) -> Vec<ClassPoint> {
        self.points_by(program, word, &|facet, site| (facet.get)(program, site))
    }

    /// [`Table::points`], where something else asks getters, which may remember what it knows of the program.
    pub fn points_by(&self, program: &P, word: u32, get: &Getter<'_, P>) -> Vec<ClassPoint> {
        let mut found: Vec<ClassPoint> = Vec::new();
        // What the points are made of: no name is written of one that is there already.
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

/// Whether a row of [`Table::mutated`] is about a point.
fn is_row_about((its, side): (&str, &str), opcode: &str, modifier: &str) -> bool {
    (its == ANY || its == opcode) && means(side, modifier)
}

/// Whether a program has an entry, and no entry breaks a rule at error level under default options.
fn is_legal<I: Isa>(program: &I::Program) -> bool {
    is_legal_under::<I>(program, &Options::new(I::axes()))
}

/// [`is_legal`] under these options.
fn is_legal_under<I: Isa>(program: &I::Program, options: &Options) -> bool {
    let entries = I::entries(program);
    !entries.is_empty()
        && entries.iter().all(|entry| {
            let cx: Context<'_, I> = Context { program, entry, options };
            I::validate(&cx).iter().all(|violation| violation.level != Level::Error)
        })
}
