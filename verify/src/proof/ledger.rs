//! The ledger: the expected number of obligations, claims and mutants, committed next to the cache of proofs. A run with other numbers reports the
//! difference as lost, even if the code that should have created the missing obligations reports no error.
//!
//! The ledger complements [`super::account`], which derives the expected names from the files. The ledger does not explain its numbers. After a
//! change of a table, a lowering or a program, run `lockstep prove --bless` and review the difference.

use lockstep_core::exec::Level;
use lockstep_core::isa::IsaId;
use lockstep_prove::obligation::Kind;
use lockstep_prove::report::Report;
use lockstep_prove::verdict::Verdict;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The name of the ledger's file, in the folder of the proofs.
const FILE: &str = "ledger.tsv";

/// The header line.
const HEAD: &str = "what\tobligations\tbounded\tclaims\tmutants\trefuted\tvalues";

/// Rows by name. The name is an instruction set or `shared`, followed by a kind of obligation and, for kernels, a level. `shared domain check` is the
/// row of the domain check.
type Rows = BTreeMap<String, Row>;

/// The columns of a row: obligations; obligations that hold only for a bounded number of steps; claims; mutants; refuted mutants; and the number of
/// values on which tested obligations were evaluated.
type Row = [u64; 6];

/// Returns the executor level that the name of a row or obligation contains, if any. This processor may not support the level.
fn level_of(name: &str) -> Option<Level> {
    Level::ALL.into_iter().find(|level| name.split(' ').any(|word| word == format!("{level:?}")))
}

/// Returns the rows of a report.
fn rows(report: &Report) -> Rows {
    let mut rows = Rows::new();
    for outcome in &report.outcomes {
        let whose = super::about(&outcome.name).map_or("shared", IsaId::name);
        let mut name = format!("{whose} {}", outcome.kind.name());
        if let (Kind::Kernel, Some(level)) = (outcome.kind, level_of(&outcome.name)) {
            name = format!("{name} {level:?}");
        }
        let row = rows.entry(name).or_default();
        let bounded = u64::from(matches!(outcome.verdict, Verdict::Bounded { .. }));
        let values = if let Verdict::Tested { values } = outcome.verdict { values } else { 0 };
        let of_it = [1, bounded, outcome.claims, outcome.mutants.all, outcome.mutants.refuted, values];
        row.iter_mut().zip(of_it).for_each(|(sum, one)| *sum += one);
    }
    let tuples = report.checks.iter().map(|check| check.tuples).sum();
    rows.insert("shared domain check".to_owned(), [report.checks.len() as u64, 0, tuples, 0, 0, 0]);
    rows
}

fn text(rows: &Rows) -> String {
    let mut text = format!("{HEAD}\n");
    for (name, row) in rows {
        let numbers: Vec<String> = row.iter().map(u64::to_string).collect();
        _ = writeln!(text, "{name}\t{}", numbers.join("\t"));
    }
    text
}

/// Parses a ledger, or returns the error in it.
fn parse(text: &str) -> Result<Rows, String> {
    let mut lines = text.lines().enumerate();
    if lines.next().map(|(_, head)| head) != Some(HEAD) {
        return Err(format!("line 1 is not '{}'", HEAD.replace('\t', " ")));
    }
    lines
        .map(|(n, line)| {
            let mut parts = line.split('\t');
            let name = parts.next().unwrap_or_default().to_owned();
            let numbers: Option<Vec<u64>> = parts.map(|part| part.parse().ok()).collect();
            let row = numbers.and_then(|numbers| Row::try_from(numbers).ok());
            row.map(|row| (name, row)).ok_or_else(|| format!("line {} is not a name and six numbers", n + 1))
        })
        .collect()
}

/// Writes the ledger of a report. Rows of kernels that this processor does not support are kept.
///
/// # Errors
/// If the ledger cannot be written.
pub fn bless(report: &Report, folder: &Path) -> std::io::Result<()> {
    let path = folder.join(FILE);
    let mut all = rows(report);
    let old = std::fs::read_to_string(&path).ok().and_then(|old| parse(&old).ok()).unwrap_or_default();
    all.extend(old.into_iter().filter(|(name, _)| is_elsewhere(name)));
    std::fs::write(path, text(&all))
}

/// Whether a row belongs to kernels that this processor does not support.
fn is_elsewhere(name: &str) -> bool {
    level_of(name).is_some_and(|level| !level.is_available())
}

/// Compares the ledger with a report of all obligations of these instruction sets, and returns the differences.
pub(super) fn differences(report: &Report, folder: &Path, isas: &[IsaId]) -> Vec<String> {
    let listed = match std::fs::read_to_string(folder.join(FILE)).map_err(|error| error.to_string()) {
        Ok(text) => parse(&text),
        Err(error) => Err(error),
    };
    let listed = match listed {
        Ok(listed) => listed,
        Err(error) => return vec![format!("shared ledger: {FILE}: {error}")],
    };
    let found = rows(report);
    let all_sets = IsaId::ALL.iter().all(|isa| isas.contains(isa));
    let folds = format!("shared {}", Kind::Fold.name());
    let asked = |name: &str| match super::about(name) {
        Some(isa) => isas.contains(&isa),
        // Folds are not compared in a partial run, since the folds that fire depend on the selected obligations.
        None => !is_elsewhere(name) && (all_sets || name != folds),
    };
    let names: std::collections::BTreeSet<&String> = listed.keys().chain(found.keys()).collect();
    let differ = names.into_iter().filter(|name| asked(name) && listed.get(*name) != found.get(*name));
    differ.map(|name| difference(name, listed.get(name), found.get(name))).collect()
}

/// Describes the difference in one row in a sentence.
fn difference(name: &str, listed: Option<&Row>, found: Option<&Row>) -> String {
    let (Some(listed), Some(found)) = (listed, found) else {
        let what = if listed.is_some() { "there are none any more" } else { "they are not listed" };
        return format!("{name}: {what} (ledger)");
    };
    let columns = HEAD.split('\t').skip(1).zip(listed.iter().zip(found));
    let differ = columns.filter(|(_, (old, new))| old != new);
    let differ: Vec<String> = differ.map(|(what, (old, new))| format!("{new} {what}, not {old}")).collect();
    format!("{name}: {} (ledger)", differ.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ledger_round_trips() {
        let rows =
            Rows::from([("agal layouts".to_owned(), [4, 0, 9, 0, 0, 0]), ("shared x".to_owned(), [1; 6])]);
        assert_eq!(parse(&text(&rows)), Ok(rows));
        assert_eq!(parse("what\n"), Err(format!("line 1 is not '{}'", HEAD.replace('\t', " "))));
        assert_eq!(
            parse(&format!("{HEAD}\nx\t1\t2\n")),
            Err("line 2 is not a name and six numbers".to_owned())
        );
    }

    #[test]
    fn differing_rows_are_reported_by_column() {
        let said = difference("agal layouts", Some(&[4, 0, 9, 3, 3, 7]), Some(&[4, 1, 8, 3, 3, 7]));
        assert_eq!(said, "agal layouts: 1 bounded, not 0, 8 claims, not 9 (ledger)");
        assert_eq!(difference("x", None, Some(&[0; 6])), "x: they are not listed (ledger)");
        assert_eq!(difference("x", Some(&[0; 6]), None), "x: there are none any more (ledger)");
    }
}
