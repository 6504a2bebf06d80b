//! The `lockstep` command.

use include_dir::{Dir, include_dir};

/// The corpora, embedded for verbs that run without the checkout this was built in.
static CORPORA: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../corpora");

fn main() -> std::process::ExitCode {
    lockstep::cli::main(&CORPORA)
}
