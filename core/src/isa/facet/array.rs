//! Instances of lowering rules. Every coverage point of every opcode has an instance, and the instances are a covering array over pairs of facet
//! values.
//!
//! An instance starts as a context of an opcode in which one facet is set. Then each other facet is set to a value that forms an uncovered pair with
//! a value set before, if there is such a value. A pair that is covered for one opcode counts as covered for all, because opcodes share the code that
//! lowers modifiers. At the end, each uncovered pair that setters can combine, in either order, gets an instance of its own.
//!
//! With [`Density::Shared`], the values of an opcode share instances: a value that is present in enough instances of the opcode gets no instance of
//! its own. With [`Density::PerOpcodePair`], pairs are covered separately for each opcode. Instruction sets whose instances are cheap to check use
//! this density.

use super::reach::is_at;
use super::{Facet, Site, Sited, Table};
use crate::isa::{Legality, RuleInstance, Syntax, Tables, is_legal};
use std::collections::{BTreeMap, BTreeSet};

/// The number of instances of an opcode that must have a value under [`Density::Shared`]. In two instances, the value occurs together with different
/// values of other facets.
const MIN_SHOWN: usize = 2;

/// A facet value: the index of the facet in the table, and the index of the value in the facet's list.
type Value = (usize, usize);

/// How many instances are made from a facet table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Density {
    /// One instance for each value of each opcode. Each pair of values that setters can combine is covered for at least one opcode.
    PerValue,
    /// One instance for each value of each opcode. Each pair of values is covered for every opcode that has a context in which setters reach both
    /// values, if they can be combined there.
    PerOpcodePair,
    /// Values of an opcode may share instances, except for values that are checked with mutants. Each pair of values that setters can combine is
    /// covered for at least one opcode.
    Shared,
}

/// All instances of a table, and the uncovered pairs. An uncovered pair is two values of different facets that setters reach in one context of an
/// opcode but that no instance combines.
#[derive(Debug)]
pub(super) struct Instances<P> {
    /// The rule instances.
    pub all: Vec<RuleInstance<P>>,
    /// The uncovered pairs, each value as `facet=value`.
    pub uncovered: Vec<[String; 2]>,
}

/// An instance under construction.
struct Candidate<P> {
    opcode: &'static str,
    program: P,
    site: Site,
    /// The values set so far. The site must still have all of them.
    held: Vec<Value>,
}

/// A context of an opcode, with the facet values that setters reach in it.
struct ContextValues<P> {
    opcode: &'static str,
    context: Sited<P>,
    values: Vec<Value>,
}

struct Array<'t, I: Syntax + Tables + Legality> {
    table: &'t Table<I::Program>,
    /// Whether values of an opcode share instances ([`Density::Shared`]).
    is_shared: bool,
    covered: BTreeSet<[Value; 2]>,
    all: Vec<RuleInstance<I::Program>>,
}

/// Creates the instances for a table: at least one for each value of each opcode, and one for each scenario.
pub(super) fn instances<I: Syntax + Tables + Legality>(table: &Table<I::Program>) -> Instances<I::Program> {
    let is_shared = table.density == Density::Shared;
    let is_per_opcode = table.density == Density::PerOpcodePair;
    let mut array = Array::<I> { table, is_shared, covered: BTreeSet::new(), all: Vec::new() };
    let mut reached: Vec<ContextValues<I::Program>> = Vec::new();
    let mut covered = BTreeSet::new();
    for opcode in I::opcodes() {
        let opcode = opcode.mnemonic;
        let contexts = (table.contexts)(opcode);
        let Some(first) = contexts.first() else { continue };
        array.add_instance(opcode.to_owned(), true, begin(opcode, first));
        let here = reached.len();
        reached.extend(contexts.into_iter().map(|context| array.reached(opcode, context)));
        array.add_points(&reached[here..]);
        if is_per_opcode {
            array.add_pairs(&reached[here..]);
            // Pairs are covered for each opcode, so the next opcode starts without covered pairs.
            covered.append(&mut array.covered);
        }
    }
    array.covered.append(&mut covered);
    array.add_pairs(&reached);
    let uncovered = array.uncovered(&reached);
    for scenario in table.scenarios {
        // A scenario that does not assemble is skipped here; a test reports it.
        if let Ok(program) = I::assemble(scenario.text) {
            let name = scenario.name.to_owned();
            array.all.push(RuleInstance { name, program, mutate: scenario.mutate });
        }
    }
    for facet in table.headers {
        for value in facet.values {
            let more = with_header_value::<I>(&array.all, facet, value);
            array.all.extend(more);
        }
    }
    Instances { all: array.all, uncovered }
}

/// Changes each instance that lacks a value of a whole-program facet to have that value. Returns the changed instances that are legal and differ from
/// all other instances.
fn with_header_value<I: Syntax + Tables + Legality>(
    all: &[RuleInstance<I::Program>],
    facet: &Facet<I::Program>,
    value: &'static str,
) -> Vec<RuleInstance<I::Program>> {
    let site = Site { word: 0, unit: 0 };
    let others = all.iter().filter(|instance| !facet.is_shown(&instance.program, site, value));
    let made = others.filter_map(|RuleInstance { name, program, mutate }| {
        let (program, _) = (facet.set)(program, site, value)?;
        let is_new = is_legal::<I>(&program) && all.iter().all(|other| other.program != program);
        let name = format!("{name}, {}={value}", facet.name);
        is_new.then_some(RuleInstance { name, program, mutate: *mutate })
    });
    made.collect()
}

impl<I: Syntax + Tables + Legality> Array<'_, I> {
    /// Returns `facet=value` as text.
    fn name(&self, (facet, value): Value) -> String {
        let facet = &self.table.facets[facet];
        format!("{}={}", facet.name, facet.values[value])
    }

    /// Sets one more value of a candidate. Returns `None` if the setter fails, the opcode changes, a value set earlier is no longer present, or the
    /// program is not legal.
    fn set(&self, row: &Candidate<I::Program>, value: Value) -> Option<Candidate<I::Program>> {
        let facet = &self.table.facets[value.0];
        let (program, site) = (facet.set)(&row.program, row.site, facet.values[value.1])?;
        let mut held = row.held.clone();
        held.push(value);
        let shows = |(facet, value): &Value| {
            let facet = &self.table.facets[*facet];
            facet.is_shown(&program, site, facet.values[*value])
        };
        let fits = is_at::<I>(self.table, &program, site, row.opcode) && held.iter().all(shows);
        (fits && is_legal::<I>(&program)).then_some(Candidate { opcode: row.opcode, program, site, held })
    }

    /// For each facet that is not set yet, sets a value that forms an uncovered pair with a value set before, or else a value for which `missing` is
    /// true. Leaves the facet unchanged if no such value can be set.
    fn extend(
        &self,
        mut row: Candidate<I::Program>,
        missing: &dyn Fn(Value) -> bool,
    ) -> Candidate<I::Program> {
        for (place, facet) in self.table.facets.iter().enumerate() {
            if row.held.iter().any(|held| held.0 == place) {
                continue;
            }
            let new =
                |value: &Value| row.held.iter().any(|held| !self.covered.contains(&pair(*held, *value)));
            let values = (0..facet.values.len()).map(|value| (place, value));
            let (open, others): (Vec<Value>, Vec<Value>) = values.partition(new);
            let missing = others.into_iter().filter(|value| missing(*value));
            if let Some(next) = open.into_iter().chain(missing).find_map(|value| self.set(&row, value)) {
                row = next;
            }
        }
        row
    }

    /// Returns the facet values present at a site.
    fn shown(&self, program: &I::Program, site: Site) -> Vec<Value> {
        let mut shown = Vec::new();
        for (place, facet) in self.table.facets.iter().enumerate() {
            for value in (facet.get)(program, site) {
                shown.extend(facet.values.iter().position(|v| *v == value).map(|at| (place, at)));
            }
        }
        shown
    }

    /// Increments `times` for each value present at the site of `row`.
    fn count(&self, times: &mut BTreeMap<Value, usize>, row: &Candidate<I::Program>) {
        for value in self.shown(&row.program, row.site) {
            *times.entry(value).or_default() += 1;
        }
    }

    /// Adds a candidate as an instance, and marks its pairs of values as covered.
    fn add_instance(&mut self, name: String, mutate: bool, row: Candidate<I::Program>) {
        let shown = self.shown(&row.program, row.site);
        for (k, a) in shown.iter().enumerate() {
            self.covered.extend(shown[k + 1..].iter().filter(|b| b.0 != a.0).map(|b| pair(*a, *b)));
        }
        self.all.push(RuleInstance { name, program: row.program, mutate });
    }

    /// Determines the values that setters reach in a context.
    fn reached(&self, opcode: &'static str, context: Sited<I::Program>) -> ContextValues<I::Program> {
        let row = begin(opcode, &context);
        let facets = self.table.facets.iter().enumerate();
        let all = facets.flat_map(|(place, facet)| (0..facet.values.len()).map(move |at| (place, at)));
        let values = all.filter(|value| self.set(&row, *value).is_some()).collect();
        ContextValues { opcode, context, values }
    }

    /// Adds an instance for each coverage point of an opcode, in the first context in which a setter reaches the point. If instances are shared, a
    /// point that is not checked with mutants gets an instance only if too few instances have it.
    fn add_points(&mut self, contexts: &[ContextValues<I::Program>]) {
        // The number of the opcode's instances with each value.
        let mut times: BTreeMap<Value, usize> = BTreeMap::new();
        contexts.iter().take(1).for_each(|reached| self.count(&mut times, &reached.begin()));
        let values: BTreeSet<Value> =
            contexts.iter().flat_map(|reached| reached.values.iter().copied()).collect();
        for value in values {
            let first = contexts.iter().find(|reached| reached.values.contains(&value));
            let row = first.and_then(|reached| self.set(&reached.begin(), value));
            let Some(row) = row else { continue };
            let (opcode, modifier) = (row.opcode, self.name(value));
            let mutate = self.table.is_mutated(opcode, &modifier);
            let is_seldom = |value| times.get(&value).is_none_or(|times| *times < MIN_SHOWN);
            if self.is_shared && !mutate && !is_seldom(value) {
                continue;
            }
            // In an instance that is checked with mutants, no further values are set.
            let missing = |value| self.is_shared && is_seldom(value);
            let row = if mutate { row } else { self.extend(row, &missing) };
            self.count(&mut times, &row);
            self.add_instance(format!("{opcode} {modifier}"), mutate, row);
        }
    }

    /// Returns the uncovered pairs of values of different facets that setters reach in one context, each with the indices in `reached` of the
    /// contexts in which both values are reached.
    fn uncovered_pairs(&self, reached: &[ContextValues<I::Program>]) -> Vec<([Value; 2], Vec<usize>)> {
        let mut open: Vec<([Value; 2], Vec<usize>)> = Vec::new();
        let mut place = std::collections::BTreeMap::new();
        for (context, ContextValues { values, .. }) in reached.iter().enumerate() {
            for (k, a) in values.iter().enumerate() {
                for b in values[k + 1..].iter().filter(|b| b.0 != a.0) {
                    let pair = pair(*a, *b);
                    if !self.covered.contains(&pair) {
                        let at = *place.entry(pair).or_insert_with(|| {
                            open.push((pair, Vec::new()));
                            open.len() - 1
                        });
                        open[at].1.push(context);
                    }
                }
            }
        }
        open
    }

    /// Adds an instance for each uncovered pair whose values setters can combine.
    fn add_pairs(&mut self, reached: &[ContextValues<I::Program>]) {
        for ([a, b], contexts) in self.uncovered_pairs(reached) {
            if self.covered.contains(&pair(a, b)) {
                continue;
            }
            let orders = contexts.iter().flat_map(|at| [(&reached[*at], a, b), (&reached[*at], b, a)]);
            let made = |(reached, first, second): (&ContextValues<I::Program>, Value, Value)| {
                self.set(&self.set(&reached.begin(), first)?, second)
            };
            if let Some(row) = orders.into_iter().find_map(made) {
                let name = format!("{} {} {}", row.opcode, self.name(a), self.name(b));
                let row = self.extend(row, &|_| false);
                self.add_instance(name, false, row);
            }
        }
    }

    fn uncovered(&self, reached: &[ContextValues<I::Program>]) -> Vec<[String; 2]> {
        let pairs = self.uncovered_pairs(reached).into_iter();
        pairs.map(|(pair, _)| pair.map(|value| self.name(value))).collect()
    }
}

impl<P: Clone> ContextValues<P> {
    fn begin(&self) -> Candidate<P> {
        begin(self.opcode, &self.context)
    }
}

/// Creates a candidate from a plain context, with no value set.
fn begin<P: Clone>(opcode: &'static str, (program, site): &Sited<P>) -> Candidate<P> {
    Candidate { opcode, program: program.clone(), site: *site, held: Vec::new() }
}

/// Returns the pair in ascending order.
fn pair(a: Value, b: Value) -> [Value; 2] {
    if a < b { [a, b] } else { [b, a] }
}
