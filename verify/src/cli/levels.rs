//! The user's settings for rules: from the command line and from `lockstep.toml`.

use super::{Failure, input};
use crate::legality::Levels;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The configuration file in the current folder, read if `--config` is not given.
const FILE: &str = "lockstep.toml";

/// A condition that can make an otherwise passing run fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(super) enum Deny {
    /// Violations at warning level, and errors that do not fail the run by themselves.
    Warnings,
    /// Programs that cannot be run, usually because they break a rule.
    Refused,
    /// Files that are skipped.
    Skipped,
}

/// Options about rules.
#[derive(Debug, clap::Args)]
pub(super) struct LevelArguments {
    /// Further conditions that fail the run.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    deny: Vec<Deny>,
    /// Report violations of this rule as warnings: ISA:NUMBER, or NUMBER if only one instruction set has it.
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    warn: Vec<String>,
    /// Do not report violations of this rule.
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    allow: Vec<String>,
    /// A TOML file with keys `deny`, `warn` and `allow`, each a list; by default lockstep.toml of the current folder, if it exists.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// The keys of the configuration file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Config {
    deny: Vec<Deny>,
    warn: Vec<String>,
    allow: Vec<String>,
}

/// The settings of command line and configuration file combined.
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // each is an independent option
pub(super) struct Policy {
    /// The levels of rules.
    pub(super) levels: Levels,
    /// Whether warnings fail the run.
    pub(super) denies_warnings: bool,
    /// Whether refused programs fail the run.
    pub(super) denies_refused: bool,
    /// Whether skipped files fail the run.
    pub(super) denies_skipped: bool,
}

impl LevelArguments {
    /// Reads the configuration file and combines it with the command line, which takes precedence if both name a rule.
    pub(super) fn read(&self) -> Result<Policy, Failure> {
        let config = match &self.config {
            Some(path) => read_config(path)?,
            None if Path::new(FILE).is_file() => read_config(Path::new(FILE))?,
            None => Config::default(),
        };
        let checked = |warn: &[String], allow: &[String]| {
            let levels =
                Levels { warn: warn.iter().cloned().collect(), allow: allow.iter().cloned().collect() };
            levels.checked().map_err(Failure::Usage)
        };
        let levels = checked(&config.warn, &config.allow)?.then(&checked(&self.warn, &self.allow)?);
        let denies = |what| config.deny.contains(&what) || self.deny.contains(&what);
        Ok(Policy {
            levels,
            denies_warnings: denies(Deny::Warnings),
            denies_refused: denies(Deny::Refused),
            denies_skipped: denies(Deny::Skipped),
        })
    }
}

fn read_config(path: &Path) -> Result<Config, Failure> {
    toml::from_str(&input::text(path)?)
        .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
}
