//! The report about an input on which a claim fails.

use super::{Target, Violated};
use crate::corpus::Suspect;
use crate::finding::run_triage;
use std::path::{Path, PathBuf};

/// Turns a violated claim into a finding, writes its minimised case, and returns the report.
pub(super) fn report(target: Target, broken: &Violated) -> String {
    let Some(Suspect { oracle, case }) = &broken.suspect else {
        let (between, message) = (&broken.failure.between, &broken.failure.message);
        return format!("{} fails\n  between   {between}\n  what      {message}", target.name());
    };
    let Some(finding) = run_triage(*oracle, case) else {
        let message = &broken.failure.message;
        return format!("{} fails, but not when repeated: {message}", target.name());
    };
    let path = folder().join(finding.file_name());
    let shown = path.display().to_string();
    match write(&path, &finding.case.to_text(Some(&finding.failure.message))) {
        Ok(()) => format!("finding {}\n{}", finding.signature, finding.describe(&shown)),
        Err(error) => {
            let (signature, text) = (&finding.signature, finding.describe(&shown));
            format!("finding {signature}\n{text}  (its case could not be written: {error})")
        }
    }
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)
}

/// Returns the folder for findings: `LOCKSTEP_FINDINGS`, otherwise the folder of libFuzzer's artifacts, otherwise `findings`.
fn folder() -> PathBuf {
    if let Some(folder) = std::env::var_os("LOCKSTEP_FINDINGS") {
        return folder.into();
    }
    let prefix = std::env::args().find_map(|arg| arg.strip_prefix("-artifact_prefix=").map(PathBuf::from));
    prefix.unwrap_or_else(|| PathBuf::from("findings"))
}
