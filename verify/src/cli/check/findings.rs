//! Turns failures into findings: minimises, writes and deduplicates them.

use super::judging::worker_error;
use crate::cli::Failure;
use crate::cli::progress::Progress;
use crate::cli::worker::{Investigation, Minimised, investigate};
use crate::corpus::{Item, Suspect};
use crate::legality::position_in_text;
use crate::oracle::Oracle;
use crate::report::{Builder, Reported};
use lockstep_core::isa::IsaId;
use std::collections::BTreeMap;
use std::path::Path;

/// The maximum number of failures that are minimised for one claim on one instruction set. Further failures are only
/// counted for each item.
const MAX_MINIMISED_PER_CLAIM: usize = 8;

/// Minimises failures and writes their cases. A finding is reported even if its case cannot be written.
pub(super) fn minimise(
    suspects: Vec<(String, Suspect)>,
    folder: &Path,
    items: &[Item],
    report: &mut Builder,
) -> Result<(), Failure> {
    if suspects.is_empty() {
        return Ok(());
    }
    let mut met: BTreeMap<(IsaId, Oracle), usize> = BTreeMap::new();
    let mut others: BTreeMap<(String, IsaId, Oracle), u64> = BTreeMap::new();
    let (mut names, mut chosen) = (Vec::new(), Vec::new());
    for (item, suspect) in suspects {
        let (isa, oracle) = (suspect.case.isa, suspect.oracle);
        let count = met.entry((isa, oracle)).or_default();
        *count += 1;
        if *count > MAX_MINIMISED_PER_CLAIM {
            *others.entry((item, isa, oracle)).or_default() += 1;
        } else {
            names.push(item);
            chosen.push(suspect);
        }
    }
    let progress = Progress::new("minimising", chosen.len());
    let investigations = investigate(&chosen, folder, || progress.step()).map_err(worker_error)?;
    drop(progress);
    let mut findings: BTreeMap<String, Found> = BTreeMap::new();
    for ((item, suspect), investigation) in names.into_iter().zip(chosen).zip(investigations) {
        let (isa, oracle) = (suspect.case.isa, suspect.oracle);
        match investigation {
            Investigation::Finding(minimised) => Found::add(&mut findings, item, (isa, oracle), *minimised),
            Investigation::NotReproduced => report.add_finding(not_reproduced(&item, &suspect)),
            Investigation::Unknown => *others.entry((item, isa, oracle)).or_default() += 1,
        }
    }
    write_cases(&findings, folder, items, report);
    for ((item, isa, oracle), count) in others {
        report.add_finding(not_minimised(item, isa, oracle, count));
    }
    Ok(())
}

/// A finding, and the item in which it was found.
struct Found {
    item: String,
    isa: IsaId,
    oracle: Oracle,
    count: u64,
    case: Minimised,
}

impl Found {
    /// Adds a finding. Findings with the same signature are merged, and the smaller case is kept. The item, and the instruction in its program,
    /// are those of the finding that was added first.
    fn add(to: &mut BTreeMap<String, Found>, item: String, (isa, oracle): (IsaId, Oracle), case: Minimised) {
        match to.get_mut(&case.signature) {
            Some(found) => {
                found.count += 1;
                if case.size < found.case.size {
                    found.case = Minimised { word: found.case.word, ..case };
                }
            }
            None => drop(to.insert(case.signature.clone(), Found { item, isa, oracle, count: 1, case })),
        }
    }
}

/// Writes the cases of findings and reports them.
fn write_cases(findings: &BTreeMap<String, Found>, folder: &Path, items: &[Item], report: &mut Builder) {
    let made = if findings.is_empty() { Ok(()) } else { std::fs::create_dir_all(folder) };
    if let Err(error) = &made {
        report.note(format!("{}: findings could not be written: {error}", folder.display()));
    }
    for Found { item, isa, oracle, count, case } in findings.values() {
        let path = folder.join(&case.file);
        let written = made.is_ok().then(|| std::fs::write(&path, &case.text));
        if let Some(Err(error)) = &written {
            report.note(format!("{}: this finding could not be written: {error}", path.display()));
        }
        let written = matches!(written, Some(Ok(())));
        let place = case.word.and_then(|word| text_position(items, item, *isa, word));
        let detail = match place {
            Some((line, column)) => format!("  {:<10} {item}:{line}:{column}\n{}", "written at", case.detail),
            None => case.detail.clone(),
        };
        report.add_finding(Reported {
            signature: case.signature.clone(),
            isa: isa.name().to_owned(),
            claim: oracle.name().to_owned(),
            message: case.message.clone(),
            item: item.clone(),
            line: place.map(|(line, _)| line),
            column: place.map(|(_, column)| column),
            count: *count,
            case: written.then(|| path.display().to_string()),
            reproduce: written.then(|| case.reproduce.clone()),
            exhibit: Some(case.exhibit.clone()),
            detail,
            ..Reported::default()
        });
    }
}

/// Returns the line and column of an instruction in an item's file, if the file is text.
fn text_position(items: &[Item], name: &str, isa: IsaId, word: u32) -> Option<(u32, u32)> {
    let item = items.iter().find(|item| item.name == name)?;
    let text = std::fs::read_to_string(&item.path).ok()?;
    position_in_text(isa, &text, word)
}

/// The suffix of the signature for failures that were not minimised.
pub(super) const NOT_MINIMISED: &str = "-not-minimised";

/// Returns the finding for failures that were not minimised: those beyond the first [`MAX_MINIMISED_PER_CLAIM`], and those for which the run was
/// interrupted.
fn not_minimised(item: String, isa: IsaId, oracle: Oracle, count: u64) -> Reported {
    let claim = oracle.name();
    let failures = lockstep_core::text::count(count, "failure");
    let message = format!(
        "the claim '{claim}' has {failures} without a minimised case: at most {MAX_MINIMISED_PER_CLAIM} failures of a claim \
         are minimised, and none after an interrupt"
    );
    Reported {
        signature: format!("{isa}-{claim}{NOT_MINIMISED}"),
        isa: isa.name().to_owned(),
        claim: claim.to_owned(),
        detail: message.clone(),
        message,
        item,
        count,
        ..Reported::default()
    }
}

/// Returns the finding for a failure that did not occur again, which shows that the case's behaviour is not deterministic.
fn not_reproduced(item: &str, suspect: &Suspect) -> Reported {
    let isa = suspect.case.isa.name();
    let claim = suspect.oracle.name();
    let message = format!("the claim '{claim}' failed once and held when it was judged again");
    Reported {
        signature: format!("{isa}-{claim}-unsteady"),
        isa: isa.to_owned(),
        claim: claim.to_owned(),
        message: message.clone(),
        item: item.to_owned(),
        count: 1,
        detail: format!("{message}\n\n{}", suspect.case.to_hex_text(None)),
        ..Reported::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Exit;
    use std::time::Duration;

    fn minimised(signature: &str, size: u64) -> Minimised {
        Minimised {
            signature: signature.to_owned(),
            message: "m".to_owned(),
            file: format!("{signature}.toml"),
            text: size.to_string(),
            size,
            exhibit: crate::blame::Exhibit::default(),
            detail: "d".to_owned(),
            reproduce: "r".to_owned(),
            word: u32::try_from(size).ok(),
        }
    }

    #[test]
    fn findings_with_one_signature_are_merged_even_on_a_full_disk() {
        let mut findings = BTreeMap::new();
        let key = (IsaId::Agal, Oracle::Bytes);
        for (item, signature, size) in [("one", "a", 9), ("two", "b", 5), ("three", "a", 4), ("four", "a", 6)]
        {
            Found::add(&mut findings, item.to_owned(), key, minimised(signature, size));
        }
        // The path of the folder is that of a file, so no case can be written.
        let file = tempfile::NamedTempFile::new().expect("a file");
        let mut report = Builder::default();
        write_cases(&findings, file.path(), &[], &mut report);
        let report = report.finish(Duration::ZERO);
        let seen: Vec<_> =
            report.findings.iter().map(|f| (f.item.as_str(), f.count, f.case.is_some())).collect();
        assert_eq!(seen, [("one", 3, false), ("two", 1, false)]);
        assert!(report.notes.iter().any(|note| note.contains("could not be written")), "{:?}", report.notes);
        assert_eq!(report.verdict, Exit::Findings);
        assert_eq!(findings["a"].case.size, 4, "the smaller case is kept");
    }

    #[test]
    fn the_place_of_merged_findings_is_in_the_program_of_the_first_item() {
        let mut findings = BTreeMap::new();
        for (item, size) in [("one", 9), ("two", 4), ("three", 6)] {
            Found::add(&mut findings, item.to_owned(), (IsaId::Agal, Oracle::Bytes), minimised("a", size));
        }
        assert_eq!((findings["a"].case.size, findings["a"].case.word), (4, Some(9)));
    }
}
