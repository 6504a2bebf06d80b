//! `lockstep plugin`: the worker of `judge` that loads a library.

use super::{Failure, Output, serve};
use crate::judge::plugin::Plugin;
use crate::report::Exit;
use std::path::{Path, PathBuf};

/// Answer the messages of `judge` on behalf of a library.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The memory limit of this process in MiB; 0 is no limit.
    #[arg(long, value_name = "MIB")]
    memory: u64,
    /// The library.
    library: PathBuf,
    /// The library's arguments.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

/// Returns the command line that starts a worker.
///
/// # Errors
/// If the path of this program is unknown.
pub(super) fn command(memory: u64, library: &Path, arguments: &[String]) -> Result<Vec<String>, Failure> {
    let program = std::env::current_exe().map_err(|error| Failure::Io("this program".to_owned(), error))?;
    let fixed =
        [program.display().to_string(), "plugin".to_owned(), format!("--memory={memory}"), "--".to_owned()];
    Ok(fixed.into_iter().chain([library.display().to_string()]).chain(arguments.iter().cloned()).collect())
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    limit(arguments.memory);
    serve::converse(&mut Plugin::new(arguments.library.clone(), arguments.words.clone()), out)?;
    Ok(Exit::Clean)
}

/// Limits the memory of this process and disables core dumps.
#[cfg(unix)]
fn limit(mib: u64) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limits = [(Resource::Core, Some(0)), (Resource::As, mib.checked_shl(20).filter(|_| mib > 0))];
    for (resource, most) in limits.into_iter().filter(|(_, most)| most.is_some()) {
        // A failure is ignored: some systems do not have such a limit.
        let _ = setrlimit(resource, Rlimit { current: most, maximum: most });
    }
}

#[cfg(not(unix))]
fn limit(_: u64) {}
