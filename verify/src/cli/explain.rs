//! `lockstep explain`.

use super::output::Ink;
use super::{Failure, Output};
use crate::case::Case;
use crate::judge::{Numbers, Policy, Remedy, StoredFinding, explain, opcodes_to_exclude};
use crate::report::Exit;
use lockstep_core::isa::IsaId;
use lockstep_core::text::count;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Name the smallest change of a subject's profile under which findings of `judge` disappear.
///
/// Each FOLDER is a finding written by `lockstep judge`, or contains such folders. The changes tried are, in this order: other choices of options,
/// which must fit all of the findings together; a tolerance for numbers; leaving out opcodes. The subject is not asked again: its answers are stored
/// in the folder.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lockstep explain lockstep-judged\n  lockstep explain lockstep-judged/agal-value-output-log"
)]
pub(super) struct Arguments {
    /// Folders of findings.
    #[arg(value_name = "FOLDER", required = true)]
    folders: Vec<PathBuf>,
}

/// The maximum size in bytes of a file that is read.
const MAX_FILE_SIZE: u64 = 64 << 20;

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    let mut all: BTreeMap<IsaId, Vec<(String, StoredFinding)>> = BTreeMap::new();
    for folder in &arguments.folders {
        let folders = findings(folder)?;
        if folders.is_empty() {
            return Err(Failure::Usage(format!("{} contains no finding of `judge`", folder.display())));
        }
        for folder in folders {
            let finding = read(&folder)?;
            let name =
                folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            all.entry(finding.case.isa).or_default().push((name, finding));
        }
    }
    for (isa, findings) in all {
        let (names, findings): (Vec<String>, Vec<StoredFinding>) = findings.into_iter().unzip();
        let remedies = explain(&findings);
        let width = names.iter().map(String::len).max().unwrap_or(0);
        for (name, remedy) in names.iter().zip(&remedies) {
            writeln!(out, "{name:<width$}  {}", sentence(remedy))?;
        }
        let profile = profile(&findings, &remedies);
        let head = heading(isa, &remedies);
        writeln!(out, "\n{}\n{}", out.paint(Ink::Good, &head), profile.trim_end())?;
    }
    Ok(Exit::Clean)
}

/// Returns the folders of findings directly inside a folder, or the folder itself if it is that of a finding.
fn findings(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let is_finding = |path: &Path| path.join("case.toml").is_file() && path.join("exchange.json").is_file();
    if is_finding(folder) {
        return Ok(vec![folder.to_owned()]);
    }
    let io = |error| Failure::Io(folder.display().to_string(), error);
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if is_finding(&path) {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}

fn read(folder: &Path) -> Result<StoredFinding, Failure> {
    let text = |name: &str| -> Result<(String, String), Failure> {
        let path = folder.join(name);
        let shown = path.display().to_string();
        let io = |error| Failure::Io(shown.clone(), error);
        if std::fs::metadata(&path).map_err(io)?.len() > MAX_FILE_SIZE {
            return Err(Failure::Usage(format!("{shown} has more than {MAX_FILE_SIZE} bytes")));
        }
        let text = std::fs::read_to_string(&path).map_err(io)?;
        Ok((shown, text))
    };
    let (shown, case) = text("case.toml")?;
    let case = Case::from_text(&case).map_err(|error| Failure::Usage(format!("{shown}: {error}")))?;
    let (shown, exchange) = text("exchange.json")?;
    StoredFinding::from_text(case, &exchange).map_err(|error| Failure::Usage(format!("{shown}: {error}")))
}

/// Returns the line above the profile: how many of the findings it leaves.
fn heading(isa: IsaId, remedies: &[Remedy]) -> String {
    let has_none = |remedy: &&Remedy| matches!(remedy, Remedy::Without(opcodes) if opcodes.is_empty());
    let among = count(remedies.len(), "finding");
    let left = match remedies.iter().filter(has_none).count() {
        0 => "none".to_owned(),
        left => left.to_string(),
    };
    let verb = if left == "none" || left == "1" { "is" } else { "are" };
    format!("Under this profile for {isa} {left} of {among} {verb} left:")
}

fn sentence(remedy: &Remedy) -> String {
    match remedy {
        Remedy::Nothing => "no change is needed: the answer is right under the profile".to_owned(),
        Remedy::Options(options) => {
            format!("options: {}", assignments(options.iter().copied()).join(", "))
        }
        Remedy::Numbers(numbers) => format!("numbers: {}", lines(numbers).join(", ")),
        Remedy::Without(opcodes) if opcodes.is_empty() => {
            "no profile removes this finding: these bytes are not a program that can be run".to_owned()
        }
        Remedy::Without(opcodes) => format!("supports: no {}", opcodes.join(", or no ")),
    }
}

fn assignments<'a>(options: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    options.map(|(name, choice)| format!("{name} = \"{choice}\"")).collect()
}

/// Returns the tolerances that are not exact, as lines of a profile.
fn lines(numbers: &Numbers) -> Vec<String> {
    let mut all = Vec::new();
    if numbers.ulps > 0 {
        all.push(format!("ulps = {}", numbers.ulps));
    }
    for (name, limit) in [("relative", numbers.relative), ("absolute", numbers.absolute)] {
        if limit > 0.0 {
            all.push(format!("{name} = {limit:e}"));
        }
    }
    let policies = [
        ("zero_sign", numbers.zero_sign),
        ("subnormal", numbers.subnormal),
        ("infinity", numbers.infinity),
        ("nan", numbers.nan),
    ];
    all.extend(
        policies
            .iter()
            .filter(|(_, policy)| *policy == Policy::Any)
            .map(|(name, _)| format!("{name} = \"any\"")),
    );
    all
}

/// Returns the `supports`, options and numbers of the first finding's profile, with all remedies applied, as text.
fn profile(findings: &[StoredFinding], remedies: &[Remedy]) -> String {
    let first = findings.first().map(|finding| finding.profile.clone()).unwrap_or_default();
    let (mut supports, mut options, mut numbers) = (first.supports, first.options, first.numbers);
    let mut without = Vec::new();
    for remedy in remedies {
        match remedy {
            Remedy::Nothing => {}
            Remedy::Options(changed) => {
                options
                    .extend(changed.iter().map(|(name, choice)| ((*name).to_owned(), (*choice).to_owned())));
            }
            Remedy::Numbers(needed) => numbers = numbers.wider(needed),
            Remedy::Without(opcodes) => without.push(opcodes.as_slice()),
        }
    }
    let without = opcodes_to_exclude(without);
    if !without.is_empty() {
        let before = if supports.is_empty() { String::new() } else { format!("{supports}; ") };
        supports = format!("{before}no {}", without.join(", "));
    }
    let mut parts = Vec::new();
    if !supports.is_empty() {
        parts.push(format!("supports = \"{supports}\"\n"));
    }
    let options = assignments(options.iter().map(|(name, choice)| (name.as_str(), choice.as_str())));
    for (head, lines) in [("[options]", options), ("[numbers]", lines(&numbers))] {
        if !lines.is_empty() {
            parts.push(format!("{head}\n{}\n", lines.join("\n")));
        }
    }
    parts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_that_no_profile_removes_are_counted_as_left() {
        let removed = || Remedy::Without(vec!["mov".to_owned()]);
        let kept = || Remedy::Without(Vec::new());
        for (remedies, expected) in [
            (vec![removed()], "Under this profile for agal none of 1 finding is left:"),
            (vec![removed(), kept()], "Under this profile for agal 1 of 2 findings is left:"),
            (vec![kept(), removed(), kept()], "Under this profile for agal 2 of 3 findings are left:"),
        ] {
            assert_eq!(heading(IsaId::Agal, &remedies), expected);
        }
    }
}
