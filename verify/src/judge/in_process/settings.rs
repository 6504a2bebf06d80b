//! The settings of a campaign within a fuzzer. Settings are environment variables, because the command line belongs to the fuzzer.

use crate::judge::folder::quoted;
use crate::judge::profile::Profile;
use lockstep_core::isa::IsaId;
use std::path::PathBuf;

/// The name of the instruction set.
const ISA: &str = "LOCKSTEP_ISA";
/// The path of a profile file, which replaces the subject's own profile.
const PROFILE: &str = "LOCKSTEP_PROFILE";
/// The subject's arguments, separated by white space.
const ARGUMENTS: &str = "LOCKSTEP_ARGUMENTS";
/// The path of the folder for findings.
const FINDINGS: &str = "LOCKSTEP_FINDINGS";
/// If 0, findings are not minimised.
const MINIMIZE: &str = "LOCKSTEP_MINIMIZE";
/// If 1, every option counts as claimed by the subject.
const STRICT_OPTIONS: &str = "LOCKSTEP_STRICT_OPTIONS";
/// If 1, each program is printed before the subject is asked about it.
const SHOW: &str = "LOCKSTEP_SHOW";

/// The settings of a campaign.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// The instruction set; `None` selects the only one that the subject supports.
    pub isa: Option<IsaId>,
    /// A profile file, which replaces the subject's own profile.
    pub profile: Option<PathBuf>,
    /// The subject's arguments.
    pub arguments: Vec<String>,
    /// The folder for findings; `None` means that they are only printed.
    pub findings: Option<PathBuf>,
    /// Whether findings are reported without minimisation.
    pub skip_minimisation: bool,
    /// Whether every option counts as claimed by the subject, so that other choices explain no difference.
    pub strict_options: bool,
    /// Whether each program is printed before the subject is asked about it. After a crash, the last printed program is the cause.
    pub show: bool,
    /// The beginning of a command line that replays an input: the relevant settings and this program's path.
    pub replay: String,
}

impl Settings {
    /// Reads the settings from environment variables, which `docs/libfuzzer.md` lists.
    ///
    /// # Errors
    /// The variable whose value is wrong, and its valid values.
    pub fn from_environment() -> Result<Settings, String> {
        let mut settings = Settings::read(&|name| std::env::var(name).ok())?;
        let program = std::env::args().next().unwrap_or_else(|| "./fuzzer".to_owned());
        settings.replay.push_str(&quoted(&program));
        Ok(settings)
    }

    /// Reads the settings from variables. An empty variable counts as unset.
    fn read(variable: &dyn Fn(&str) -> Option<String>) -> Result<Settings, String> {
        let given = |name: &str| variable(name).filter(|value| !value.is_empty());
        let switch = |name: &str, default: bool| match given(name).as_deref() {
            None => Ok(default),
            Some("0") => Ok(false),
            Some("1") => Ok(true),
            Some(other) => Err(format!("{name} is 0 or 1, not '{other}'")),
        };
        let isa = given(ISA).map(|name| name.parse()).transpose();
        let replay = [ISA, PROFILE, ARGUMENTS, STRICT_OPTIONS]
            .map(|name| given(name).map(|value| format!("{name}={} ", quoted(&value))).unwrap_or_default());
        Ok(Settings {
            isa: isa.map_err(|error| format!("{ISA}: {error}"))?,
            profile: given(PROFILE).map(PathBuf::from),
            arguments: given(ARGUMENTS).unwrap_or_default().split_whitespace().map(str::to_owned).collect(),
            findings: given(FINDINGS).map(PathBuf::from),
            skip_minimisation: !switch(MINIMIZE, true)?,
            strict_options: switch(STRICT_OPTIONS, false)?,
            show: switch(SHOW, false)?,
            replay: replay.concat(),
        })
    }

    /// Returns the instruction set of a campaign against a subject that supports `all`.
    ///
    /// # Errors
    /// If the subject does not support the chosen instruction set, or none is chosen and the subject does not support exactly one.
    pub fn isa_among(&self, all: &[IsaId]) -> Result<IsaId, String> {
        let names = || all.iter().map(|isa| isa.name()).collect::<Vec<_>>().join(", ");
        match (self.isa, all) {
            (Some(isa), _) if all.contains(&isa) => Ok(isa),
            (Some(isa), _) => {
                Err(format!("{ISA} is {isa}, which the subject does not support; it supports {}", names()))
            }
            (None, [only]) => Ok(*only),
            (None, _) => Err(format!("{ISA} has to name one of the subject's instruction sets: {}", names())),
        }
    }

    /// Returns the profile that replaces the subject's own; `None` if the settings name none.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a profile for the instruction set.
    pub fn profile_for(&self, isa: IsaId) -> Result<Option<Profile>, String> {
        let Some(path) = &self.profile else { return Ok(None) };
        let wrong = |error: &dyn std::fmt::Display| format!("{PROFILE}: {}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| wrong(&error))?;
        Profile::from_text(&text, isa).map(Some).map_err(|error| wrong(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings_from(variables: &[(&str, &str)]) -> Result<Settings, String> {
        let all: Vec<(String, String)> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Settings::read(&|name| all.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()))
    }

    #[test]
    fn settings_are_read_from_variables_and_wrong_values_are_refused() {
        assert_eq!(settings_from(&[("LOCKSTEP_ISA", "")]), Ok(Settings::default()));
        let some = settings_from(&[
            ("LOCKSTEP_ISA", "agal"),
            ("LOCKSTEP_ARGUMENTS", " legacy  2 "),
            ("LOCKSTEP_MINIMIZE", "0"),
            ("LOCKSTEP_FINDINGS", "found"),
        ])
        .unwrap();
        assert_eq!((some.isa, some.skip_minimisation), (Some(IsaId::Agal), true));
        assert_eq!(some.arguments, ["legacy", "2"]);
        assert_eq!(some.replay, "LOCKSTEP_ISA=agal LOCKSTEP_ARGUMENTS=' legacy  2 ' ");
        for (name, value) in [("LOCKSTEP_ISA", "agl"), ("LOCKSTEP_SHOW", "yes"), ("LOCKSTEP_MINIMIZE", "2")] {
            let error = settings_from(&[(name, value)]).unwrap_err();
            assert!(error.contains(name) && error.contains(value), "{error}");
        }
    }

    #[test]
    fn the_instruction_set_is_the_only_one_or_has_to_be_named() {
        let (none, agal) = (Settings::default(), Settings { isa: Some(IsaId::Agal), ..Settings::default() });
        let (one, two) = ([IsaId::D3d9], [IsaId::Agal, IsaId::D3d9]);
        assert_eq!(none.isa_among(&one), Ok(IsaId::D3d9));
        assert_eq!(agal.isa_among(&two), Ok(IsaId::Agal));
        assert!(none.isa_among(&two).unwrap_err().contains("agal, d3d9"));
        assert!(agal.isa_among(&one).unwrap_err().contains("it supports d3d9"));
    }
}
