//! The `lockstep` command.

use include_dir::{Dir, include_dir};

/// The corpora, embedded for verbs that run without a checkout of the repository.
static CORPORA: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../corpora");

fn main() -> std::process::ExitCode {
    lockstep::cli::main(&CORPORA)
}
