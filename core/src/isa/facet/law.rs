//! The law that facets keep, as a test for the tables of instruction sets.

use super::{
    Facet, Infeasible, Site, Sited, Table, is_legal, is_legal_under, is_row_about, rule_instances, unmet,
};
use crate::isa::{ClassPoint, Context, Isa, Level, Options};
use crate::parallel::{cores, parallel};
use std::collections::BTreeSet;

/// How many facets, and values of one, an [`Edit`](crate::isa::Edit) can say.
const MOST: usize = 1 << u8::BITS;

/// What is wrong with a table: more entries than an edit can say, a value shown that is not listed, a setter after which the getter does not show the value or a facet
/// shows something else that is not declared, a declared disturbance that never comes about, a value that no opcode has, two facets of one name
/// about one opcode, a pair that meets in no instance and is not listed or the other way round, one that
/// is listed and meets without breaking the rule that the list names, a scenario that is no legal program. Sites are
/// contexts of opcodes, and these with each value set.
pub(crate) fn broken<I: Isa>() -> Vec<String> {
    let table = I::facets();
    let mut wrong = BTreeSet::new();
    let lists = [table.facets.len()].into_iter().chain(table.facets.iter().map(|facet| facet.values.len()));
    if lists.max() > Some(MOST) {
        wrong.insert("more facets or values than edits can say".to_owned());
    }
    let mut disturbed: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut had: BTreeSet<String> = BTreeSet::new();
    let opcodes: Vec<&str> = I::opcodes().iter().map(|opcode| opcode.mnemonic).collect();
    for looked in parallel(cores(), &opcodes, &|| {}, |opcode| look_at::<I>(table, opcode)) {
        wrong.extend(looked.wrong);
        disturbed.extend(looked.disturbed);
        had.extend(looked.had);
    }
    for facet in table.facets {
        for value in facet.values {
            let name = format!("{}={value}", facet.name);
            if !had.contains(&name) {
                wrong.insert(format!("{name}: no opcode has it"));
            }
        }
        for other in facet.disturbs.iter().filter(|other| !disturbed.contains(&(facet.name, other))) {
            wrong.insert(format!("{} never disturbs {other}", facet.name));
        }
    }
    wrong.extend(unmet_pairs::<I>(table));
    wrong.into_iter().collect()
}

/// What setters and getters do around one opcode.
#[derive(Default)]
struct Looked {
    wrong: BTreeSet<String>,
    /// Facets that were set, and those that then showed something else.
    disturbed: BTreeSet<(&'static str, &'static str)>,
    /// Values that were set.
    had: BTreeSet<String>,
}

fn look_at<I: Isa>(table: &Table<I::Program>, opcode: &'static str) -> Looked {
    let mut looked = Looked::default();
    let contexts = (table.around)(opcode);
    if contexts.is_empty() {
        looked.wrong.insert(format!("{opcode}: no context"));
    }
    for (program, site) in contexts {
        if (table.opcode)(&program, site) != Some(opcode) || !is_legal::<I>(&program) {
            looked.wrong.insert(format!(
                "{opcode}: this context is not legal or has it not:\n{}",
                I::disassemble(&program)
            ));
        }
        let mut sites = vec![(program.clone(), site)];
        for facet in table.facets {
            sites.extend(facet.values.iter().filter_map(|value| (facet.set)(&program, site, value)));
        }
        for name in twice(table, &sites) {
            looked.wrong.insert(format!("{opcode}: two facets are called {name}"));
        }
        for (program, site) in &sites {
            looked.set_all(table, opcode, program, *site);
        }
    }
    looked
}

impl Looked {
    /// Sets every value at a site.
    fn set_all<P>(&mut self, table: &Table<P>, opcode: &'static str, program: &P, site: Site) {
        let shown: Vec<Vec<&str>> = table.facets.iter().map(|facet| (facet.get)(program, site)).collect();
        for facet in table.facets {
            for value in facet.values {
                let Some((made, at)) = (facet.set)(program, site, value) else { continue };
                let what = || format!("{opcode}, {}={value}", facet.name);
                if (table.opcode)(&made, at) != Some(opcode) {
                    self.wrong.insert(format!("{}: the opcode is another", what()));
                }
                if !facet.is_shown(&made, at, value) {
                    self.wrong.insert(format!("{}: not shown", what()));
                }
                self.had.insert(format!("{}={value}", facet.name));
                for (other, was) in table.facets.iter().zip(&shown) {
                    if other.name == facet.name {
                        continue;
                    }
                    let is = (other.get)(&made, at);
                    if let Some(value) = is.iter().find(|value| !other.values.contains(value)) {
                        self.wrong.insert(format!("{}={value}: not listed", other.name));
                    }
                    if *was == is {
                        continue;
                    }
                    if facet.disturbs.contains(&other.name) {
                        self.disturbed.insert((facet.name, other.name));
                    } else {
                        self.wrong.insert(format!("{}: {} was {was:?} and is {is:?}", what(), other.name));
                    }
                }
            }
        }
    }
}

/// The names that more than one of the facets has that are about some of these sites: they show a value there, or set one.
fn twice<P>(table: &Table<P>, sites: &[(P, Site)]) -> Vec<&'static str> {
    let is_about = |facet: &&Facet<P>| {
        sites.iter().any(|(program, site)| {
            !(facet.get)(program, *site).is_empty()
                || facet.values.iter().any(|value| (facet.set)(program, *site, value).is_some())
        })
    };
    let mut names: Vec<&str> = table.facets.iter().filter(is_about).map(|facet| facet.name).collect();
    names.sort_unstable();
    names.chunk_by(|a, b| a == b).filter(|same| same.len() > 1).map(|same| same[0]).collect()
}

/// What is wrong with the list of pairs that cannot meet, and with the instances.
fn unmet_pairs<I: Isa>(table: &Table<I::Program>) -> BTreeSet<String> {
    let mut wrong = BTreeSet::new();
    let mut used = BTreeSet::new();
    let made = rule_instances::<I>();
    for [a, b] in unmet::<I>() {
        match table.infeasible.iter().position(|row| row.is_about(a, b)) {
            Some(at) => _ = used.insert(at),
            None => _ = wrong.insert(format!("{a} and {b}: met nowhere")),
        }
    }
    // Pairs of values of one facet are no part of the array: that two units show them, or two operands, no setter arranges.
    let is_of_one = |row: &Infeasible| {
        let [a, b] = [row.a, row.b].map(|side| side.split('=').next().unwrap_or(side));
        a == b && table.named(a).any(|facet| facet.meets.is_several)
    };
    let unused =
        table.infeasible.iter().enumerate().filter(|(at, row)| !used.contains(at) && !is_of_one(row));
    for (_, row) in unused {
        wrong.insert(format!("{} and {}: listed, and no pair of them is missing", row.a, row.b));
    }
    for row in table.infeasible {
        wrong.extend(unruled::<I>(table, row));
    }
    for instance in made {
        wrong.extend(meets::<I>(table, &instance.program));
        let mut options = Options::new(I::axes());
        let under = table.scenarios.iter().find(|s| s.name == instance.name).and_then(|s| s.under);
        let is_needed = under.is_none_or(|_| !is_legal::<I>(&instance.program));
        let is_set = under.is_none_or(|(name, choice)| options.set_named(name, choice).is_ok());
        if !is_needed || !is_set || !is_legal_under::<I>(&instance.program, &options) {
            wrong.insert(format!("{}: not legal, or legal without its option", instance.name));
        }
        let bytes = I::encode(&instance.program);
        if !I::decode(&bytes).is_ok_and(|read| read == instance.program) {
            wrong.insert(format!("{}: not read back", instance.name));
        }
    }
    let names: BTreeSet<&str> = made.iter().map(|instance| instance.name.as_str()).collect();
    if names.len() != made.len() {
        wrong.insert("names of instances are not unique".to_owned());
    }
    for row in table.mutated {
        let is_its = |name: &str| {
            name.split_once(' ').is_some_and(|(opcode, modifier)| is_row_about(*row, opcode, modifier))
        };
        if !made.iter().any(|instance| instance.mutate && is_its(&instance.name)) {
            wrong
                .insert(format!("{} {}: to be tried on mutants, and no instance is called so", row.0, row.1));
        }
    }
    for scenario in table.scenarios.iter().filter(|scenario| !names.contains(scenario.name)) {
        wrong.insert(format!("{}: does not assemble", scenario.name));
    }
    wrong
}

/// What is listed as never met and meets in a program.
fn meets<I: Isa>(table: &Table<I::Program>, program: &I::Program) -> Vec<String> {
    let options = Options::new(I::axes());
    let count = |entry| I::words(&Context::<I> { program, entry: &entry, options: &options });
    let mut wrong = Vec::new();
    for word in 0..I::entries(program).into_iter().map(count).max().unwrap_or(0) {
        let of_units = table.sites(program, word).map(|(site, opcode)| {
            let values = |facet: &'_ Facet<I::Program>| {
                (facet.get)(program, site)
                    .into_iter()
                    .map(|value| facet.point(opcode, value))
                    .collect::<Vec<_>>()
            };
            (true, table.facets.iter().flat_map(values).collect::<Vec<_>>())
        });
        for (in_unit, points) in of_units.chain([(false, table.points(program, word))]) {
            for (k, a) in points.iter().enumerate() {
                for b in points[k + 1..].iter().filter(|b| b.opcode == a.opcode) {
                    let listed =
                        |row: &&Infeasible| row.in_unit == in_unit && row.is_about(&a.modifier, &b.modifier);
                    let rows = table.infeasible.iter().filter(listed);
                    wrong.extend(rows.map(|row| format!("{} and {}: listed, and meet", row.a, row.b)));
                    if let Some((facet, of_a, of_b)) = same_facet(a, b)
                        && !table.may_meet(facet, of_a, of_b)
                    {
                        wrong
                            .push(format!("{} and {}: not declared to meet, and do", a.modifier, b.modifier));
                    }
                }
            }
        }
    }
    wrong
}

/// The facet of two points, if it is one, and their values.
fn same_facet<'p>(a: &'p ClassPoint, b: &'p ClassPoint) -> Option<(&'p str, &'p str, &'p str)> {
    let ((facet, of_a), (other, of_b)) = (a.modifier.split_once('=')?, b.modifier.split_once('=')?);
    (facet == other).then_some((facet, of_a, of_b))
}

/// What is wrong with the rules that a row names: some are no rules, or setters make programs that show both values and break none of them.
fn unruled<I: Isa>(table: &Table<I::Program>, row: &Infeasible) -> BTreeSet<String> {
    let mut wrong = BTreeSet::new();
    let known = I::rules();
    for rule in row.rules.iter().filter(|rule| !known.contains(rule)) {
        wrong.insert(format!("{} and {}: there is no rule {rule}", row.a, row.b));
    }
    let [a, b] = [row.a, row.b].map(|side| values_of(table, side));
    if a.iter().any(|(facet, _)| b.iter().any(|(other, _)| std::ptr::eq(*facet, *other))) {
        return wrong;
    }
    for opcode in I::opcodes() {
        for (program, site) in (table.around)(opcode.mnemonic) {
            let orders = a.iter().flat_map(|a| b.iter().flat_map(move |b| [[a, b], [b, a]]));
            for [first, second] in orders {
                let set = |(program, site): Sited<I::Program>, (facet, value): &Value<'_, I::Program>| {
                    (facet.set)(&program, site, value)
                };
                let made = set((program.clone(), site), first).and_then(|made| set(made, second));
                let Some((made, at)) = made else { continue };
                if ![first, second].iter().all(|(facet, value)| facet.is_shown(&made, at, value)) {
                    continue;
                }
                let broken = errors::<I>(&made);
                if !row.rules.iter().any(|rule| broken.contains(rule)) {
                    wrong.insert(format!("{} and {}: break {broken:?}, not {:?}", row.a, row.b, row.rules));
                }
            }
        }
    }
    wrong
}

/// A value of a facet.
type Value<'t, P> = (&'t Facet<P>, &'static str);

/// The values that one side of a row means.
fn values_of<'t, P>(table: &'t Table<P>, side: &str) -> Vec<Value<'t, P>> {
    let (name, wanted) = side.split_once('=').map_or((side, None), |(name, value)| (name, Some(value)));
    let all = table.named(name).flat_map(|facet| facet.values.iter().map(move |value| (facet, *value)));
    all.filter(|(_, value)| wanted.is_none_or(|wanted| wanted == *value)).collect()
}

/// The numbers of the rules at error level that a program breaks.
fn errors<I: Isa>(program: &I::Program) -> BTreeSet<u16> {
    let options = Options::new(I::axes());
    let broken = |entry| I::validate(&Context::<I> { program, entry: &entry, options: &options });
    let broken = I::entries(program).into_iter().flat_map(broken);
    broken.filter(|violation| violation.level == Level::Error).map(|violation| violation.code).collect()
}
