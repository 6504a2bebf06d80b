//! What is said about an input on which a claim fails.

use super::{Broken, Target};
use crate::corpus::Suspect;
use crate::finding::climb;
use std::path::{Path, PathBuf};

/// Makes a finding of a broken, writes its minimised case, and gives the text that a person reads.
pub(super) fn report(target: Target, broken: &Broken) -> String {
    let Some(Suspect { oracle, case }) = &broken.suspect else {
        let (between, message) = (&broken.failure.between, &broken.failure.message);
        return format!("{} fails\n  between   {between}\n  what      {message}", target.name());
    };
    let Some(finding) = climb(*oracle, case) else {
        let message = &broken.failure.message;
        return format!("{} fails, but not when asked again: {message}", target.name());
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

/// Where findings are written: `LOCKSTEP_FINDINGS`, else beside what libFuzzer was told to write, else `findings`.
fn folder() -> PathBuf {
    if let Some(folder) = std::env::var_os("LOCKSTEP_FINDINGS") {
        return folder.into();
    }
    let prefix = std::env::args().find_map(|arg| arg.strip_prefix("-artifact_prefix=").map(PathBuf::from));
    prefix.unwrap_or_else(|| PathBuf::from("findings"))
}
