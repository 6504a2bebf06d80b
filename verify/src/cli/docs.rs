//! `lockstep completions` and `lockstep man`.

use super::{Failure, Output, command};
use crate::report::Exit;
use clap::Command;
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
    clap_complete::generate(arguments.shell, &mut visible(&command()), "lockstep", &mut script);
    out.write_all(&script)?;
    Ok(Exit::Clean)
}

/// Returns a command without its hidden verbs and options, which completion scripts would otherwise offer.
fn visible(command: &Command) -> Command {
    // Clap requires names with static lifetime. Leaking is harmless, since the program ends soon.
    let name: &'static str = Box::leak(command.get_name().to_owned().into_boxed_str());
    let shown = Command::new(name)
        .about(command.get_about().cloned().unwrap_or_default())
        .args(command.get_arguments().filter(|argument| !argument.is_hide_set()))
        .subcommands(command.get_subcommands().filter(|verb| !verb.is_hide_set()).map(visible));
    if command.get_version().is_some() { shown.version(env!("CARGO_PKG_VERSION")) } else { shown }
}

/// Prints the manual page of the command, then those of its verbs.
pub(super) fn man(out: &mut Output) -> Result<Exit, Failure> {
    let mut command = command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(out)?;
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help" && !verb.is_hide_set()) {
        clap_mangen::Man::new(verb.clone()).render(out)?;
    }
    Ok(Exit::Clean)
}
