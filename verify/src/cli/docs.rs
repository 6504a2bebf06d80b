//! `lockstep completions` and `lockstep man`.

use super::{Arguments, Failure, Output};
use crate::report::Exit;
use clap::CommandFactory;
use std::io::Write;

/// Print completions for a shell.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  lockstep completions bash > ~/.local/share/bash-completion/completions/lockstep"
)]
pub(super) struct Completions {
    /// The shell.
    shell: clap_complete::Shell,
}

/// Print the manual page, in roff.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lockstep man | man -l -")]
pub(super) struct Man {}

pub(super) fn completions(arguments: &Completions, out: &mut Output) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "lockstep", &mut script);
    out.write_all(&script)?;
    Ok(Exit::Clean)
}

/// The page of the command, then those of its verbs.
pub(super) fn man(out: &mut Output) -> Result<Exit, Failure> {
    let mut command = Arguments::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(out)?;
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help" && !verb.is_hide_set()) {
        clap_mangen::Man::new(verb.clone()).render(out)?;
    }
    Ok(Exit::Clean)
}
