//! Instances of lowering rules: every point of every opcode, and a covering array of pairs of values.
//!
//! An instance begins as a context of an opcode with one facet set. The others are then set to values that the first has not met so far, in
//! any opcode: modifiers are lowered by code that opcodes share. Pairs that are left get instances of their own, set in one order or the
//! other.
//!
//! Where opcodes have many values, values share instances: one that enough instances of the opcode show needs none of its own
//! ([`Density::Shared`]). Where instances cost little, pairs meet for each opcode by itself ([`Density::PerOpcodePair`]).

use super::reach::is_at;
use super::{Facet, Site, Sited, Table, is_legal};
use crate::isa::{Isa, RuleProgram};
use std::collections::{BTreeMap, BTreeSet};

/// Instances of an opcode that show a value where values share them: one after the other has other company.
const ENOUGH: usize = 2;

/// A value by the places of its facet and of itself.
type Value = (usize, usize);

/// How many instances a table gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Density {
    /// Each value of each opcode has one of its own, and pairs of values meet for some opcode.
    PerValue,
    /// Each value of each opcode has one of its own, and pairs of values meet for every opcode that a context reaches both of them for, if they
    /// can meet there.
    PerOpcodePair,
    /// Several values of an opcode may share one, and pairs of values meet for some opcode. What is to be tried on mutants has its own.
    Shared,
}

/// Instances, and the pairs of values of two facets of one opcode, each reached in one context, that are in none of them.
#[derive(Debug)]
pub(super) struct Instances<P> {
    /// The instances.
    pub all: Vec<RuleProgram<P>>,
    /// Pairs that no instance has, as `facet=value`.
    pub unmet: Vec<[String; 2]>,
}

/// A program that is being made.
struct Row<P> {
    opcode: &'static str,
    program: P,
    site: Site,
    /// What it is to show.
    held: Vec<Value>,
}

/// The values that are reached in a context of an opcode.
struct Reached<P> {
    opcode: &'static str,
    context: Sited<P>,
    values: Vec<Value>,
}

struct Array<'t, I: Isa> {
    table: &'t Table<I::Program>,
    /// Whether values share instances.
    is_shared: bool,
    met: BTreeSet<[Value; 2]>,
    all: Vec<RuleProgram<I::Program>>,
}

/// The instances that a table gives, one at least for each value of each opcode, scenarios included.
pub(super) fn instances<I: Isa>(table: &Table<I::Program>) -> Instances<I::Program> {
    let is_shared = table.density == Density::Shared;
    let is_own = table.density == Density::PerOpcodePair;
    let mut array = Array::<I> { table, is_shared, met: BTreeSet::new(), all: Vec::new() };
    let mut reached: Vec<Reached<I::Program>> = Vec::new();
    let mut met = BTreeSet::new();
    for opcode in I::opcodes() {
        let opcode = opcode.mnemonic;
        let contexts = (table.around)(opcode);
        let Some(first) = contexts.first() else { continue };
        array.keep(opcode.to_owned(), true, begin(opcode, first));
        let here = reached.len();
        reached.extend(contexts.into_iter().map(|context| array.reached(opcode, context)));
        array.points(&reached[here..]);
        if is_own {
            array.pairs(&reached[here..]);
            // The next opcode has met nothing.
            met.append(&mut array.met);
        }
    }
    array.met.append(&mut met);
    array.pairs(&reached);
    let unmet = array.unmet(&reached);
    for scenario in table.scenarios {
        // A text that does not assemble is a scenario that is missing, which a test notices.
        if let Ok(program) = I::assemble(scenario.text) {
            let name = scenario.name.to_owned();
            array.all.push(RuleProgram { name, program, mutate: scenario.mutate });
        }
    }
    for facet in table.headers {
        for value in facet.values {
            let more = under::<I>(&array.all, facet, value);
            array.all.extend(more);
        }
    }
    Instances { all: array.all, unmet }
}

/// The instances that do not show a value of a facet of the whole program, made to show it: those that are legal then and not there yet.
fn under<I: Isa>(
    all: &[RuleProgram<I::Program>],
    facet: &Facet<I::Program>,
    value: &'static str,
) -> Vec<RuleProgram<I::Program>> {
    let site = Site { word: 0, unit: 0 };
    let others = all.iter().filter(|instance| !facet.is_shown(&instance.program, site, value));
    let made = others.filter_map(|RuleProgram { name, program, mutate }| {
        let (program, _) = (facet.set)(program, site, value)?;
        let is_new = is_legal::<I>(&program) && all.iter().all(|other| other.program != program);
        let name = format!("{name}, {}={value}", facet.name);
        is_new.then_some(RuleProgram { name, program, mutate: *mutate })
    });
    made.collect()
}

impl<I: Isa> Array<'_, I> {
    /// `facet=value`.
    fn name(&self, (facet, value): Value) -> String {
        let facet = &self.table.facets[facet];
        format!("{}={}", facet.name, facet.values[value])
    }

    /// Sets one value more, if what is held stays.
    fn set(&self, row: &Row<I::Program>, value: Value) -> Option<Row<I::Program>> {
        let facet = &self.table.facets[value.0];
        let (program, site) = (facet.set)(&row.program, row.site, facet.values[value.1])?;
        let mut held = row.held.clone();
        held.push(value);
        let shows = |(facet, value): &Value| {
            let facet = &self.table.facets[*facet];
            facet.is_shown(&program, site, facet.values[*value])
        };
        let fits = is_at::<I>(self.table, &program, site, row.opcode) && held.iter().all(shows);
        (fits && is_legal::<I>(&program)).then_some(Row { opcode: row.opcode, program, site, held })
    }

    /// Sets every other facet to a value that what is held has not met, or else to one that is `missing`.
    fn extend(&self, mut row: Row<I::Program>, missing: &dyn Fn(Value) -> bool) -> Row<I::Program> {
        for (place, facet) in self.table.facets.iter().enumerate() {
            if row.held.iter().any(|held| held.0 == place) {
                continue;
            }
            let new = |value: &Value| row.held.iter().any(|held| !self.met.contains(&pair(*held, *value)));
            let values = (0..facet.values.len()).map(|value| (place, value));
            let (open, others): (Vec<Value>, Vec<Value>) = values.partition(new);
            let missing = others.into_iter().filter(|value| missing(*value));
            if let Some(next) = open.into_iter().chain(missing).find_map(|value| self.set(&row, value)) {
                row = next;
            }
        }
        row
    }

    /// What a site shows.
    fn shown(&self, program: &I::Program, site: Site) -> Vec<Value> {
        let mut shown = Vec::new();
        for (place, facet) in self.table.facets.iter().enumerate() {
            for value in (facet.get)(program, site) {
                shown.extend(facet.values.iter().position(|v| *v == value).map(|at| (place, at)));
            }
        }
        shown
    }

    /// Counts an instance for each value that its site shows.
    fn count(&self, times: &mut BTreeMap<Value, usize>, row: &Row<I::Program>) {
        for value in self.shown(&row.program, row.site) {
            *times.entry(value).or_default() += 1;
        }
    }

    /// Makes an instance of a program.
    fn keep(&mut self, name: String, mutate: bool, row: Row<I::Program>) {
        let shown = self.shown(&row.program, row.site);
        for (k, a) in shown.iter().enumerate() {
            self.met.extend(shown[k + 1..].iter().filter(|b| b.0 != a.0).map(|b| pair(*a, *b)));
        }
        self.all.push(RuleProgram { name, program: row.program, mutate });
    }

    /// The values that a context reaches.
    fn reached(&self, opcode: &'static str, context: Sited<I::Program>) -> Reached<I::Program> {
        let row = begin(opcode, &context);
        let facets = self.table.facets.iter().enumerate();
        let all = facets.flat_map(|(place, facet)| (0..facet.values.len()).map(move |at| (place, at)));
        let values = all.filter(|value| self.set(&row, *value).is_some()).collect();
        Reached { opcode, context, values }
    }

    /// An instance for each point of an opcode, in the first context that reaches it, or one at least that shows it.
    fn points(&mut self, contexts: &[Reached<I::Program>]) {
        // In how many instances of the opcode a value is.
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
            let is_seldom = |value| times.get(&value).is_none_or(|times| *times < ENOUGH);
            if self.is_shared && !mutate && !is_seldom(value) {
                continue;
            }
            // What mutants are tried on is left as plain as it is.
            let missing = |value| self.is_shared && is_seldom(value);
            let row = if mutate { row } else { self.extend(row, &missing) };
            self.count(&mut times, &row);
            self.keep(format!("{opcode} {modifier}"), mutate, row);
        }
    }

    /// The pairs of values of two facets that some context reaches both of and that have not met, each with the places of those contexts.
    fn open(&self, reached: &[Reached<I::Program>]) -> Vec<([Value; 2], Vec<usize>)> {
        let mut open: Vec<([Value; 2], Vec<usize>)> = Vec::new();
        let mut place = std::collections::BTreeMap::new();
        for (context, Reached { values, .. }) in reached.iter().enumerate() {
            for (k, a) in values.iter().enumerate() {
                for b in values[k + 1..].iter().filter(|b| b.0 != a.0) {
                    let pair = pair(*a, *b);
                    if !self.met.contains(&pair) {
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

    /// Instances of pairs that have not met.
    fn pairs(&mut self, reached: &[Reached<I::Program>]) {
        for ([a, b], contexts) in self.open(reached) {
            if self.met.contains(&pair(a, b)) {
                continue;
            }
            let orders = contexts.iter().flat_map(|at| [(&reached[*at], a, b), (&reached[*at], b, a)]);
            let made = |(reached, first, second): (&Reached<I::Program>, Value, Value)| {
                self.set(&self.set(&reached.begin(), first)?, second)
            };
            if let Some(row) = orders.into_iter().find_map(made) {
                let name = format!("{} {} {}", row.opcode, self.name(a), self.name(b));
                let row = self.extend(row, &|_| false);
                self.keep(name, false, row);
            }
        }
    }

    fn unmet(&self, reached: &[Reached<I::Program>]) -> Vec<[String; 2]> {
        self.open(reached).into_iter().map(|(pair, _)| pair.map(|value| self.name(value))).collect()
    }
}

impl<P: Clone> Reached<P> {
    fn begin(&self) -> Row<P> {
        begin(self.opcode, &self.context)
    }
}

/// A row of a context, of which nothing is held.
fn begin<P: Clone>(opcode: &'static str, (program, site): &Sited<P>) -> Row<P> {
    Row { opcode, program: program.clone(), site: *site, held: Vec::new() }
}

/// A pair in order.
fn pair(a: Value, b: Value) -> [Value; 2] {
    if a < b { [a, b] } else { [b, a] }
}
