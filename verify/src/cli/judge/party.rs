//! The subjects of a run: starts them and reads their descriptions.

use super::subject::{command_line, words_of};
use super::{Arguments, without_opcodes};
use crate::cli::{Failure, interrupt, plugin, rasterise};
use crate::judge::plugin::is_library;
use crate::judge::raster::{Learned, Rasterised, measure_rasteriser};
use crate::judge::{
    Ability, Child, Command, Connection, Hello, Language, Launch, Profile, SelfComparison, StartError,
    SubjectCommand, folder_name, greeting,
};
use lockstep_core::isa::IsaId;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A subject that is judged.
pub(super) struct Judged {
    /// The subject's own name, with a number appended if another subject has the same name.
    pub(super) name: String,
    /// The subject's description of itself.
    pub(super) hello: Hello,
    /// The subject's profile, without the opcodes of `--without`; for translations, with the measured accuracy of the rasteriser.
    pub(super) profile: Profile,
    /// The folder for findings about the subject.
    pub(super) folder: PathBuf,
    /// The command that reproduces a finding about the subject.
    pub(super) command: Command,
    launch: Launch,
}

impl Judged {
    /// Starts a worker for each subject to determine its abilities and its profile.
    pub(super) fn start(
        arguments: &Arguments,
        subject: Vec<String>,
        user_profile: Option<&Profile>,
    ) -> Result<Vec<Judged>, Failure> {
        let mut words = vec![subject];
        for line in &arguments.also {
            words.push(words_of(line)?);
        }
        let mut all: Vec<Judged> = Vec::new();
        for at in 0..words.len() {
            let how = subject_command(arguments, &words[at]);
            let launch = |profile: &Profile| launch(&how, arguments.isa, profile);
            let plain = user_profile.cloned().unwrap_or_default();
            let child = Child::start(&launch(&plain)?, interrupt::is_interrupted);
            let mut hello = child.map_err(|error| Failure::Usage(error.to_string()))?.hello().clone();
            let is_rasterised = Rasterised::is_for(&hello.abilities);
            if is_rasterised {
                hello.abilities = Rasterised::abilities(&hello.abilities);
            }
            if arguments.itself {
                hello.abilities.retain(|ability| *ability == Ability::Run);
                if hello.abilities.is_empty() {
                    return Err(Failure::Usage(format!(
                        "{} runs no programs, which --self requires",
                        hello.name
                    )));
                }
            }
            let profile = user_profile.cloned().or_else(|| hello.profile.clone()).unwrap_or_default();
            let mut profile = without_opcodes(profile, arguments)?;
            if is_rasterised {
                let learned = learned(&launch(&profile)?, hello.language)?;
                profile = profile.with_learned(&learned).map_err(Failure::Inconclusive)?;
            }
            profile.traces = hello.abilities.contains(&Ability::Trace);
            let name = unique(&hello.name, &all);
            let folder = match words.len() {
                1 => arguments.findings.clone(),
                _ => arguments.findings.join(folder_name(&name)),
            };
            let others = words.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, words)| words);
            let command = Command {
                line: command_line(arguments, &words[at], others),
                subject: how.clone(),
                is_library: is_library(Path::new(&words[at][0])),
                is_linked: false,
            };
            let launch = launch(&profile)?;
            all.push(Judged { name, hello, profile, folder, command, launch });
        }
        Ok(all)
    }

    /// Starts a fresh worker.
    pub(super) fn open(&self) -> Result<Box<dyn Connection>, StartError> {
        open(&self.launch, &self.command.subject, &self.profile)
    }

    /// Returns a line that describes the subject.
    pub(super) fn line(&self, arguments: &Arguments) -> String {
        let Hello { version, .. } = &self.hello;
        let version = if version.is_empty() { String::new() } else { format!(" {version}") };
        format!("{}{version}: {}, {}", self.name, arguments.isa, self.hello.list_abilities())
    }
}

fn subject_command(arguments: &Arguments, words: &[String]) -> SubjectCommand {
    let Arguments { patience, memory, itself, .. } = arguments;
    SubjectCommand { words: words.to_vec(), patience: patience.0, memory: *memory, itself: *itself }
}

/// Starts a fresh worker, together with a rasteriser if the subject translates programs.
pub(in crate::cli) fn open(
    launch: &Launch,
    how: &SubjectCommand,
    profile: &Profile,
) -> Result<Box<dyn Connection>, StartError> {
    let mut child: Box<dyn Connection> = Box::new(Child::start(launch, interrupt::is_interrupted)?);
    if Rasterised::is_for(&child.hello().abilities) {
        child = Box::new(Rasterised::new(child, rasteriser(launch)?));
    }
    Ok(if how.itself { Box::new(SelfComparison::new(child, profile.clone())) } else { child })
}

/// Returns how a worker is started. A library is loaded by a process of this program.
pub(in crate::cli) fn launch(how: &SubjectCommand, isa: IsaId, profile: &Profile) -> Result<Launch, Failure> {
    let words = &how.words;
    let marks = is_library(Path::new(&words[0]));
    let started =
        if marks { plugin::command(how.memory, Path::new(&words[0]), &words[1..])? } else { words.clone() };
    Ok(Launch {
        words: started,
        name: words.join(" "),
        marks,
        greeting: greeting(isa, profile),
        patience: Duration::from_secs_f64(how.patience),
    })
}

/// Starts a rasteriser for the translations of a subject.
fn rasteriser(subject: &Launch) -> Result<Box<dyn Connection>, StartError> {
    let words =
        rasterise::command().map_err(|_| StartError("the path of this program is unknown".to_owned()))?;
    let launch = Launch { words, name: "the rasteriser".to_owned(), marks: false, ..subject.clone() };
    Ok(Box::new(Child::start(&launch, interrupt::is_interrupted)?))
}

/// Measures the accuracy of the rasteriser.
///
/// # Errors
/// If no rasteriser can be started, or its accuracy cannot be measured. A subject that translates programs cannot be judged without one.
fn learned(subject: &Launch, language: Language) -> Result<Learned, Failure> {
    let missing =
        |why: String| Failure::Inconclusive(format!("translations need a software rasteriser: {why}"));
    let mut rasteriser = rasteriser(subject).map_err(|error| missing(error.to_string()))?;
    measure_rasteriser(&mut *rasteriser, subject.greeting.isa, language).map_err(missing)
}

fn unique(name: &str, others: &[Judged]) -> String {
    let is_taken = |name: &str| others.iter().any(|other| other.name == name);
    let numbered = (2..).map(|n| format!("{name} ({n})"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}
