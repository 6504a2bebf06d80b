//! The consistency rules of facet tables, checked by a test of every instruction set.

use super::{Facet, Infeasible, OPCODE, Site, Sited, Table, row_covers, rule_instances, uncovered};
use crate::isa::legality::{is_legal, is_legal_under};
use crate::isa::{Context, CoverPoint, Legality, Level, Options, Syntax, Tables, instruction_count};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// The maximum number of facets, and of values of a facet: an [`Edit`](crate::isa::Edit) contains their indices as bytes.
const MAX_ENTRIES: usize = 1 << u8::BITS;

/// Returns the inconsistencies of a table. Each is one of:
/// * more facets or values than [`MAX_ENTRIES`];
/// * an opcode without a context, or a context that is not legal or does not have the opcode;
/// * a value that a getter returns but the facet does not list;
/// * a setter after which the opcode has changed, the getter does not return the value, or a facet that is not declared in `disturbs` has changed;
/// * a setter after which another unit of the word has changed in its opcode or in a facet that is not declared in `disturbs_beside`;
/// * a facet declared in `disturbs` or `disturbs_beside` that the setter never changes;
/// * a value that no opcode can have;
/// * two facets with the same name for one opcode;
/// * a pair that no instance covers and that is not listed as infeasible, or a row of the list of which instances cover every pair;
/// * two values that an instance has together although they are listed as infeasible, or although their facet does not allow both;
/// * a pair listed with a rule that does not exist, or a program with both values, made by setters, that violates none of the listed rules;
/// * a listed rule that no program made by setters violates only once both values are set;
/// * an instance that is not legal, has the same name as another, or changes when it is encoded and decoded;
/// * a row of [`Table::mutated`] without an instance;
/// * a scenario that does not assemble, or that is legal without its option.
///
/// The sites checked are the contexts of all opcodes, and each context with each facet value set.
pub(crate) fn inconsistencies<I: Syntax + Tables + Legality>() -> Vec<String> {
    let table = I::facets();
    let mut wrong = BTreeSet::new();
    let lists = [table.facets.len()].into_iter().chain(table.facets.iter().map(|facet| facet.values.len()));
    if lists.max() > Some(MAX_ENTRIES) {
        wrong.insert(format!("there are more than {MAX_ENTRIES} facets, or values of one facet"));
    }
    let mut disturbed: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut disturbed_beside: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut values_set: BTreeSet<String> = BTreeSet::new();
    let opcodes: Vec<&str> = I::opcodes().iter().map(|opcode| opcode.mnemonic).collect();
    let checks: Vec<OpcodeCheck> =
        opcodes.par_iter().map(|opcode| check_opcode::<I>(table, opcode)).collect();
    for check in checks {
        wrong.extend(check.wrong);
        disturbed.extend(check.disturbed);
        disturbed_beside.extend(check.disturbed_beside);
        values_set.extend(check.values_set);
    }
    for facet in table.facets {
        for value in facet.values {
            let name = format!("{}={value}", facet.name);
            if !values_set.contains(&name) {
                wrong.insert(format!("{name}: no opcode has this value"));
            }
        }
        for other in facet.disturbs.iter().filter(|other| !disturbed.contains(&(facet.name, other))) {
            wrong.insert(format!("{} never disturbs {other}", facet.name));
        }
    }
    let declared = table.disturbs_beside.iter().flat_map(|(name, others)| others.iter().map(|o| (*name, *o)));
    for (name, other) in declared.filter(|pair| !disturbed_beside.contains(pair)) {
        wrong.insert(format!("{name} never disturbs {other} of another unit"));
    }
    wrong.extend(pair_errors::<I>(table));
    wrong.into_iter().collect()
}

/// The results of calling the setters and getters for one opcode.
#[derive(Default)]
struct OpcodeCheck {
    wrong: BTreeSet<String>,
    /// Pairs of facets: setting the first one changed the values of the second one.
    disturbed: BTreeSet<(&'static str, &'static str)>,
    /// Pairs of facets: setting the first one changed the values of the second one in another unit of the word. [`OPCODE`] as the second one means
    /// that the opcode of that unit changed.
    disturbed_beside: BTreeSet<(&'static str, &'static str)>,
    /// The values that a setter has set, each as `facet=value`.
    values_set: BTreeSet<String>,
}

fn check_opcode<I: Syntax + Tables + Legality>(
    table: &Table<I::Program>,
    opcode: &'static str,
) -> OpcodeCheck {
    let mut check = OpcodeCheck::default();
    let contexts = (table.contexts)(opcode);
    if contexts.is_empty() {
        check.wrong.insert(format!("{opcode}: no context"));
    }
    for (program, site) in contexts {
        if (table.opcode)(&program, site) != Some(opcode) || !is_legal::<I>(&program) {
            check.wrong.insert(format!(
                "{opcode}: this context is not legal or does not have the opcode:\n{}",
                I::disassemble(&program)
            ));
        }
        let mut sites = vec![(program.clone(), site)];
        for facet in table.facets {
            sites.extend(facet.values.iter().filter_map(|value| (facet.set)(&program, site, value)));
        }
        for name in duplicate_names(table, &sites) {
            check.wrong.insert(format!("{opcode}: two facets have the name {name}"));
        }
        for (program, site) in &sites {
            check.set_all(table, opcode, program, *site);
        }
    }
    check
}

impl OpcodeCheck {
    /// Sets every value of every facet at a site, if its setter can, and records the results.
    fn set_all<P>(&mut self, table: &Table<P>, opcode: &'static str, program: &P, site: Site) {
        let shown: Vec<Vec<&str>> = table.facets.iter().map(|facet| (facet.get)(program, site)).collect();
        for facet in table.facets {
            for value in facet.values {
                let Some((made, at)) = (facet.set)(program, site, value) else { continue };
                let what = || format!("{opcode}, {}={value}", facet.name);
                if (table.opcode)(&made, at) != Some(opcode) {
                    self.wrong.insert(format!("{}: the opcode changed", what()));
                }
                if !facet.is_shown(&made, at, value) {
                    self.wrong.insert(format!("{}: the getter does not return the value", what()));
                }
                self.values_set.insert(format!("{}={value}", facet.name));
                for (other, was) in table.facets.iter().zip(&shown) {
                    if other.name == facet.name {
                        continue;
                    }
                    let is = (other.get)(&made, at);
                    if let Some(value) = is.iter().find(|value| !other.values.contains(value)) {
                        self.wrong
                            .insert(format!("{}={value}: the facet does not list this value", other.name));
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
                for (other, was, is) in changes_beside(table, (program, site), (&made, at)) {
                    if table.may_disturb_beside(facet.name, other) {
                        self.disturbed_beside.insert((facet.name, other));
                    } else {
                        self.wrong
                            .insert(format!("{}: {other} of another unit was {was:?} and is {is:?}", what()));
                    }
                }
            }
        }
    }
}

/// Returns what a setter changed in the other units of a word: the name of each facet, or [`OPCODE`], with the values before and after. A unit that
/// was idle is left out, since setters may insert instructions. The facets of a unit are compared only if its opcode is the same.
fn changes_beside<P>(
    table: &Table<P>,
    (program, site): (&P, Site),
    (made, at): (&P, Site),
) -> Vec<(&'static str, Vec<&'static str>, Vec<&'static str>)> {
    let mut changes = Vec::new();
    for unit in (0..table.units).filter(|unit| *unit != site.unit) {
        let (before, after) = (Site { unit, ..site }, Site { unit, ..at });
        let Some(opcode) = (table.opcode)(program, before) else { continue };
        let now = (table.opcode)(made, after);
        if now != Some(opcode) {
            changes.push((OPCODE, vec![opcode], now.into_iter().collect()));
            continue;
        }
        let values = table.facets.iter().map(|f| (f.name, (f.get)(program, before), (f.get)(made, after)));
        changes.extend(values.filter(|(_, was, is)| was != is));
    }
    changes
}

/// Returns the names that several facets share, among the facets that apply to at least one of the sites. A facet applies to a site if its getter
/// returns a value there or its setter succeeds.
fn duplicate_names<P>(table: &Table<P>, sites: &[(P, Site)]) -> Vec<&'static str> {
    let applies = |facet: &&Facet<P>| {
        sites.iter().any(|(program, site)| {
            !(facet.get)(program, *site).is_empty()
                || facet.values.iter().any(|value| (facet.set)(program, *site, value).is_some())
        })
    };
    let mut names: Vec<&str> = table.facets.iter().filter(applies).map(|facet| facet.name).collect();
    names.sort_unstable();
    names.chunk_by(|a, b| a == b).filter(|same| same.len() > 1).map(|same| same[0]).collect()
}

/// Returns the errors in the list of infeasible pairs and in the instances.
fn pair_errors<I: Syntax + Tables + Legality>(table: &Table<I::Program>) -> BTreeSet<String> {
    let mut wrong = BTreeSet::new();
    let mut used = BTreeSet::new();
    let made = rule_instances::<I>();
    for [a, b] in uncovered::<I>() {
        match table.infeasible.iter().position(|row| row.covers(a, b)) {
            Some(at) => _ = used.insert(at),
            None => _ = wrong.insert(format!("{a} and {b}: no instance has both")),
        }
    }
    // The covering array contains no pairs of values of one facet, because no setter gives two units or two operands different values.
    let is_of_one = |row: &Infeasible| {
        let [a, b] = [row.a, row.b].map(|side| side.split('=').next().unwrap_or(side));
        a == b && table.named(a).any(|facet| facet.combination.allows_several)
    };
    let unused =
        table.infeasible.iter().enumerate().filter(|(at, row)| !used.contains(at) && !is_of_one(row));
    for (_, row) in unused {
        wrong.insert(format!("{} and {}: listed as infeasible, but instances have every pair", row.a, row.b));
    }
    for row in table.infeasible {
        wrong.extend(rule_errors::<I>(table, row));
    }
    for instance in made {
        wrong.extend(contradicted_pairs::<I>(table, &instance.program));
        let mut options = Options::new(I::option_specs());
        let under = table.scenarios.iter().find(|s| s.name == instance.name).and_then(|s| s.under);
        let is_needed = under.is_none_or(|_| !is_legal::<I>(&instance.program));
        let is_set = under.is_none_or(|(name, choice)| options.set_named(name, choice).is_ok());
        if !is_needed || !is_set || !is_legal_under::<I>(&instance.program, &options) {
            wrong.insert(format!(
                "{}: the program is not legal, or is legal without its option",
                instance.name
            ));
        }
        let bytes = I::encode(&instance.program);
        if !I::decode(&bytes).is_ok_and(|read| read == instance.program) {
            wrong.insert(format!("{}: the encoded program decodes to a different program", instance.name));
        }
    }
    let names: BTreeSet<&str> = made.iter().map(|instance| instance.name.as_str()).collect();
    if names.len() != made.len() {
        wrong.insert("names of instances are not unique".to_owned());
    }
    for row in table.mutated {
        let is_its = |name: &str| {
            name.split_once(' ').is_some_and(|(opcode, modifier)| row_covers(*row, opcode, modifier))
        };
        if !made.iter().any(|instance| instance.mutate && is_its(&instance.name)) {
            wrong.insert(format!("{} {}: no instance for mutants has this name", row.0, row.1));
        }
    }
    for scenario in table.scenarios.iter().filter(|scenario| !names.contains(scenario.name)) {
        wrong.insert(format!("{}: the scenario does not assemble", scenario.name));
    }
    wrong
}

/// Returns the pairs of values that a program has although they are listed as infeasible, or although their facet does not allow them together.
fn contradicted_pairs<I: Syntax + Tables + Legality>(
    table: &Table<I::Program>,
    program: &I::Program,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for word in 0..instruction_count::<I>(program) {
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
                        |row: &&Infeasible| row.in_unit == in_unit && row.covers(&a.modifier, &b.modifier);
                    let rows = table.infeasible.iter().filter(listed);
                    wrong.extend(rows.map(|row| {
                        format!("{} and {}: listed as infeasible, but occur together", row.a, row.b)
                    }));
                    if let Some((facet, of_a, of_b)) = same_facet(a, b)
                        && !table.allows_both(facet, of_a, of_b)
                    {
                        wrong.push(format!(
                            "{} and {}: occur together without a declaration",
                            a.modifier, b.modifier
                        ));
                    }
                }
            }
        }
    }
    wrong
}

/// Returns the name of the facet and both values, if two coverage points belong to the same facet.
fn same_facet<'p>(a: &'p CoverPoint, b: &'p CoverPoint) -> Option<(&'p str, &'p str, &'p str)> {
    let ((facet, of_a), (other, of_b)) = (a.modifier.split_once('=')?, b.modifier.split_once('=')?);
    (facet == other).then_some((facet, of_a, of_b))
}

/// Returns the errors in the rules of a row of [`Table::infeasible`]: rules that do not exist, programs that setters make and that have both values
/// but violate none of the rules, and rules that no such program shows. A program shows a rule if it violates the rule only once both values are set.
fn rule_errors<I: Syntax + Tables + Legality>(
    table: &Table<I::Program>,
    row: &Infeasible,
) -> BTreeSet<String> {
    let mut wrong = BTreeSet::new();
    let known: Vec<u16> = I::rules().iter().map(|rule| rule.code).collect();
    for rule in row.rules.iter().filter(|rule| !known.contains(rule)) {
        wrong.insert(format!("{} and {}: there is no rule {rule}", row.a, row.b));
    }
    let [a, b] = [row.a, row.b].map(|side| values_of(table, side));
    let mut hidden: BTreeSet<u16> = row.rules.iter().copied().collect();
    let is_of_one = a.iter().any(|(facet, _)| b.iter().any(|(other, _)| std::ptr::eq(*facet, *other)));
    let opcodes = if is_of_one { &[] } else { I::opcodes() };
    for opcode in opcodes {
        for (program, site) in (table.contexts)(opcode.mnemonic) {
            let orders = a.iter().flat_map(|a| b.iter().flat_map(move |b| [[a, b], [b, a]]));
            for [first, second] in orders {
                let set = |(program, site): Sited<I::Program>, (facet, value): &Value<'_, I::Program>| {
                    (facet.set)(&program, site, value)
                };
                let Some(alone) = set((program.clone(), site), first) else { continue };
                let Some((made, at)) = set(alone.clone(), second) else { continue };
                if ![first, second].iter().all(|(facet, value)| facet.is_shown(&made, at, value)) {
                    continue;
                }
                let broken = errors::<I>(&made);
                if !row.rules.iter().any(|rule| broken.contains(rule)) {
                    wrong.insert(format!("{} and {}: violate {broken:?}, not {:?}", row.a, row.b, row.rules));
                }
                if hidden.iter().any(|rule| broken.contains(rule)) {
                    let before = errors::<I>(&alone.0);
                    hidden.retain(|rule| !broken.contains(rule) || before.contains(rule));
                }
            }
        }
    }
    if !hidden.is_empty() {
        wrong.insert(format!("{} and {}: no program shows the rules {hidden:?}", row.a, row.b));
    }
    wrong
}

/// A facet and one of its values.
type Value<'t, P> = (&'t Facet<P>, &'static str);

/// Returns the facet values that one side of a row stands for.
fn values_of<'t, P>(table: &'t Table<P>, side: &str) -> Vec<Value<'t, P>> {
    let (name, wanted) = side.split_once('=').map_or((side, None), |(name, value)| (name, Some(value)));
    let all = table.named(name).flat_map(|facet| facet.values.iter().map(move |value| (facet, *value)));
    all.filter(|(_, value)| wanted.is_none_or(|wanted| wanted == *value)).collect()
}

/// Returns the numbers of the error-level rules that a program violates.
fn errors<I: Syntax + Tables + Legality>(program: &I::Program) -> BTreeSet<u16> {
    let options = Options::new(I::option_specs());
    let broken = |entry| I::validate(&Context::<I> { program, entry: &entry, options: &options });
    let broken = I::entries(program).into_iter().flat_map(broken);
    broken.filter(|violation| violation.level == Level::Error).map(|violation| violation.code).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Combination, Density, Memo};
    use super::*;

    /// A program for the test: an instruction with two properties, each as the index of its value.
    type Program = [usize; 2];

    const VALUES: [&str; 2] = ["no", "yes"];

    const fn facet(
        name: &'static str,
        get: fn(&Program, Site) -> Vec<&'static str>,
        set: fn(&Program, Site, &'static str) -> Option<Sited<Program>>,
        disturbs: &'static [&'static str],
    ) -> Facet<Program> {
        Facet { name, meaning: "", values: &VALUES, combination: Combination::ONE, get, set, disturbs }
    }

    fn number(value: &str) -> usize {
        usize::from(value == VALUES[1])
    }

    const SECOND: Facet<Program> =
        facet("second", |p, _| vec![VALUES[p[1]]], |p, at, value| Some(([p[0], number(value)], at)), &[]);

    const fn table(facets: &'static [Facet<Program>]) -> Table<Program> {
        Table {
            facets,
            units: 1,
            disturbs_beside: &[],
            opcode: |_, _| Some("op"),
            contexts: |_| vec![([0; 2], Site { word: 0, unit: 0 })],
            scenarios: &[],
            mutated: &[],
            infeasible: &[],
            density: Density::PerValue,
            headers: &[],
            memo: Memo::new(),
        }
    }

    #[test]
    fn a_setter_shows_its_value_and_changes_only_the_facets_that_it_declares() {
        let check = |table: &Table<Program>| {
            let mut check = OpcodeCheck::default();
            check.set_all(table, "op", &[0; 2], Site { word: 0, unit: 0 });
            (check.wrong.into_iter().collect::<Vec<_>>(), check.disturbed)
        };
        static CORRECT: Table<Program> = table(&[
            facet("first", |p, _| vec![VALUES[p[0]]], |p, at, value| Some(([number(value), p[1]], at)), &[]),
            SECOND,
        ]);
        assert_eq!(check(&CORRECT), (vec![], BTreeSet::new()));
        // The setter of the first facet sets both facets.
        static UNDECLARED: Table<Program> = table(&[
            facet("first", |p, _| vec![VALUES[p[0]]], |_, at, value| Some(([number(value); 2], at)), &[]),
            SECOND,
        ]);
        let message = r#"op, first=yes: second was ["no"] and is ["yes"]"#.to_owned();
        assert_eq!(check(&UNDECLARED), (vec![message], BTreeSet::new()));
        static DECLARED: Table<Program> = table(&[
            facet(
                "first",
                |p, _| vec![VALUES[p[0]]],
                |_, at, value| Some(([number(value); 2], at)),
                &["second"],
            ),
            SECOND,
        ]);
        assert_eq!(check(&DECLARED), (vec![], BTreeSet::from([("first", "second")])));
        static IGNORED: Table<Program> =
            table(&[facet("first", |p, _| vec![VALUES[p[0]]], |p, at, _| Some((*p, at)), &[]), SECOND]);
        let message = "op, first=yes: the getter does not return the value".to_owned();
        assert_eq!(check(&IGNORED), (vec![message], BTreeSet::new()));
    }

    /// A program for the next test: two units, each with an opcode and the index of the value of one property, or idle.
    type Units = [Option<(&'static str, usize)>; 2];

    const OWN: Facet<Units> = Facet {
        name: "own",
        meaning: "",
        values: &VALUES,
        combination: Combination::ONE,
        get: |units, site| units[usize::from(site.unit)].map(|unit| VALUES[unit.1]).into_iter().collect(),
        set: |units, site, value| {
            let mut made = *units;
            made[usize::from(site.unit)].as_mut()?.1 = number(value);
            Some((made, site))
        },
        disturbs: &[],
    };

    /// Like [`OWN`], but the setter also changes the other unit: "yes" sets its property, "no" changes its opcode, and an idle unit gets an opcode.
    const BOTH: Facet<Units> = Facet {
        set: |units, site, value| {
            let (mut made, at) = (OWN.set)(units, site, value)?;
            let beside = &mut made[usize::from(1 - site.unit)];
            *beside = match *beside {
                Some((opcode, _)) if value == VALUES[1] => Some((opcode, 1)),
                Some((_, property)) => Some(("another", property)),
                None => Some(("op", 0)),
            };
            Some((made, at))
        },
        ..OWN
    };

    const fn of_units(
        facets: &'static [Facet<Units>],
        disturbs_beside: &'static [(&'static str, &'static [&'static str])],
    ) -> Table<Units> {
        Table {
            facets,
            units: 2,
            disturbs_beside,
            opcode: |units, site| units[usize::from(site.unit)].map(|unit| unit.0),
            contexts: |_| Vec::new(),
            scenarios: &[],
            mutated: &[],
            infeasible: &[],
            density: Density::PerValue,
            headers: &[],
            memo: Memo::new(),
        }
    }

    #[test]
    fn a_setter_changes_only_what_it_declares_of_the_units_beside() {
        let check = |table: &Table<Units>, units: &Units| {
            let mut check = OpcodeCheck::default();
            check.set_all(table, "op", units, Site { word: 0, unit: 0 });
            (check.wrong.into_iter().collect::<Vec<_>>(), check.disturbed_beside)
        };
        let (busy, idle) = ([Some(("op", 0)); 2], [Some(("op", 0)), None]);
        static CORRECT: Table<Units> = of_units(&[OWN], &[]);
        assert_eq!(check(&CORRECT, &busy), (vec![], BTreeSet::new()));
        static UNDECLARED: Table<Units> = of_units(&[BOTH], &[]);
        let messages = [
            r#"op, own=no: opcode of another unit was ["op"] and is ["another"]"#,
            r#"op, own=yes: own of another unit was ["no"] and is ["yes"]"#,
        ];
        assert_eq!(check(&UNDECLARED, &busy), (messages.map(str::to_owned).to_vec(), BTreeSet::new()));
        // An idle unit may get an instruction.
        assert_eq!(check(&UNDECLARED, &idle), (vec![], BTreeSet::new()));
        static DECLARED: Table<Units> = of_units(&[BOTH], &[("own", &["own", OPCODE])]);
        let seen = BTreeSet::from([("own", "own"), ("own", OPCODE)]);
        assert_eq!(check(&DECLARED, &busy), (vec![], seen));
    }
}
