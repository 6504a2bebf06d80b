//! Publicly known bugs of other implementations, and the planted faults that reproduce them.
//!
//! `verify/selftest/public.toml` has a row for each bug: what was wrong, in our own words; where that is documented; and the planted faults that make
//! the same mistake, or the reason why there is none.

use super::{Error, Fault};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;

/// A public bug.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bug {
    /// The instruction set.
    pub isa: String,
    /// What was wrong, as a sentence.
    pub bug: String,
    /// Where the bug is documented: project and thread, or project and file.
    pub source: String,
    /// The names of the planted faults that reproduce the bug.
    #[serde(default)]
    pub rows: Vec<String>,
    /// The names of subjects with this bug on which `lockstep judge` is tested.
    #[serde(default)]
    pub judged: Vec<String>,
    /// Why no planted fault can reproduce the bug.
    #[serde(default)]
    pub cannot: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    bug: Vec<Bug>,
}

/// Reads the table of public bugs.
///
/// # Errors
/// If the table cannot be read or does not parse.
pub fn bugs(path: &Path) -> Result<Vec<Bug>, Error> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::file(path, e))?;
    let table: Table = toml::from_str(&text)
        .map_err(|e| Error::Table { path: path.display().to_string(), message: e.to_string() })?;
    Ok(table.bug)
}

/// Returns the errors of a table as sentences: a bug is listed twice, has neither planted faults nor a reason, has both, or has a reason of less than
/// 20 bytes; a planted fault of a bug does not exist or is of another instruction set; or a planted fault states a source, but no bug lists the
/// fault.
pub fn table_errors(bugs: &[Bug], faults: &[Fault]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut known = BTreeSet::new();
    let mut listed = BTreeSet::new();
    for bug in bugs {
        let Bug { isa, source, rows, cannot, bug, .. } = bug;
        let name = format!("{isa}: {source}: {bug}");
        if !known.insert((isa, bug)) {
            wrong.push(format!("{name} is listed twice"));
        }
        match cannot {
            Some(why) if !rows.is_empty() => wrong.push(format!("{name} has rows, so '{why}' is wrong")),
            Some(why) if why.len() < 20 => wrong.push(format!("{name}: 'cannot' has fewer than 20 bytes")),
            None if rows.is_empty() => wrong.push(format!("{name} has neither a row nor a reason")),
            _ => {}
        }
        for row in rows {
            listed.insert(row.as_str());
            match faults.iter().find(|fault| fault.name == *row) {
                None => wrong.push(format!("{name}: there is no fault '{row}'")),
                Some(fault) if fault.isa != *isa && fault.isa != "all" => {
                    wrong.push(format!("{name}: fault '{row}' is of {}", fault.isa));
                }
                Some(_) => {}
            }
        }
    }
    let sourced = faults.iter().filter(|fault| fault.source.is_some());
    let unlisted = sourced.filter(|fault| !listed.contains(fault.name.as_str()));
    wrong.extend(
        unlisted.map(|fault| format!("fault '{}' has a source, but no bug lists the fault", fault.name)),
    );
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;

    #[test]
    fn every_public_bug_has_a_row_or_a_reason() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (bugs, faults) = (bugs(&here.join("public.toml")).unwrap(), read(&here.join("faults")).unwrap());
        let wrong = table_errors(&bugs, &faults);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        for isa in ["a2xx", "agal", "d3d9", "pica200", "utgard_gp"] {
            assert!(bugs.iter().any(|bug| bug.isa == isa), "{isa} has no public bugs");
        }
    }

    #[test]
    fn errors_in_the_table_of_bugs_are_reported() {
        let fault = |name: &str, source: &str| -> Fault {
            let text = format!(
                "name = '{name}'\nisa = 'agal'\nfile = 'f'\nfind = 'a'\nwith = 'b'\nbreaks = 'c'\n{source}"
            );
            toml::from_str(&text).unwrap()
        };
        let faults = [fault("listed", "source = 's'"), fault("plain", "")];
        let bug = |isa: &str, rest: &str| -> Bug {
            toml::from_str(&format!("isa = '{isa}'\nbug = 'it lies'\nsource = 's'\n{rest}")).unwrap()
        };
        let well = bug("agal", "rows = ['listed']");
        assert_eq!(table_errors(std::slice::from_ref(&well), &faults), [""; 0]);
        let said = |bugs: &[Bug]| table_errors(bugs, &faults).join("; ");
        assert!(said(&[]).contains("'listed' has a source"));
        assert!(said(&[well.clone(), well.clone()]).contains("is listed twice"));
        assert!(said(&[bug("agal", "rows = ['gone']")]).contains("there is no fault 'gone'"));
        assert!(said(&[bug("d3d9", "rows = ['plain']")]).contains("is of agal"));
        assert!(said(&[bug("agal", "")]).contains("neither"));
        assert!(said(&[bug("agal", "cannot = 'no'")]).contains("fewer than 20 bytes"));
        let both = bug("agal", "rows = ['plain']\ncannot = 'it is in the hardware of a console'");
        assert!(said(&[both]).contains("has rows"));
    }
}
