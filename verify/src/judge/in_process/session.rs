//! A campaign against a subject in this process, one input at a time.

use super::inputs::Inputs;
use super::settings::Settings;
use super::tally::Tally;
use crate::case::Case;
use crate::judge::connection::{AskError, Connection, InProcess, StartError};
use crate::judge::disagreement::Disagreement;
use crate::judge::folder::{Command, listing_of, summary, write, write_suspect};
use crate::judge::profile::Profile;
use crate::judge::question::{Prepared, prepare};
use crate::judge::record::SubjectCommand;
use crate::judge::standard::Standard;
use crate::judge::subject::{Ability, Answer, Hello, Question, Subject};
use crate::judge::triage::{Found, triage};
use crate::judge::{greeting, plugin};
use lockstep_core::isa::IsaId;
use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;

/// A campaign against a subject in this process.
pub struct Session {
    connection: Shared,
    abilities: Vec<Ability>,
    standard: Standard<'static>,
    profile: &'static Profile,
    /// Converts the fuzzer's inputs to cases.
    pub inputs: Inputs,
    settings: Settings,
    tally: Tally,
}

/// A case in which subject and reference disagree.
pub struct DisagreeingCase {
    prepared: Rc<Prepared>,
    /// The disagreement.
    pub disagreement: Disagreement,
}

/// The connection to the only subject of this process. A clone is used wherever a fresh worker is needed, since there can be no second process.
#[derive(Clone)]
struct Shared {
    connection: Rc<RefCell<Box<dyn Connection>>>,
    hello: Rc<Hello>,
}

impl Connection for Shared {
    fn hello(&self) -> &Hello {
        &self.hello
    }

    fn ask(&mut self, questions: &[Question]) -> Result<Vec<Answer>, AskError> {
        self.connection.borrow_mut().ask(questions)
    }

    fn printed(&self) -> String {
        String::new()
    }
}

impl Session {
    /// Opens a campaign and sends the greeting to the subject. `profile` replaces the subject's own.
    ///
    /// # Errors
    /// Why the subject cannot be judged.
    pub fn open(
        mut subject: impl Subject + 'static,
        isa: IsaId,
        profile: Option<Profile>,
        settings: Settings,
    ) -> Result<Session, StartError> {
        let profile = match profile {
            Some(profile) => profile,
            None => {
                // The greeting contains option choices, which the subject's own profile may determine, so the profile is requested first.
                let plain = greeting(isa, &Profile::default());
                let mut own = subject.hello(&plain).map_err(StartError)?.profile.unwrap_or_default();
                own.check(isa).map_err(StartError)?;
                own
            }
        };
        let connection = InProcess::open(subject, &greeting(isa, &profile))?;
        let hello = Rc::new(connection.hello().clone());
        let mut profile = profile;
        profile.traces = hello.abilities.contains(&Ability::Trace);
        // The comparison borrows the profile. Leaking it is harmless: the process has one session, which lasts until the process ends.
        let kept: &'static Profile = Box::leak(Box::new(profile.clone()));
        let mut standard = Standard::new(kept);
        if settings.strict_options {
            standard.strict();
        }
        let abilities = hello.abilities.clone();
        let inputs = Inputs::new(isa, profile, &abilities);
        let connection: Box<dyn Connection> = Box::new(connection);
        let connection = Shared { connection: Rc::new(RefCell::new(connection)), hello };
        Ok(Session {
            connection,
            abilities,
            standard,
            profile: kept,
            inputs,
            settings,
            tally: Tally::default(),
        })
    }

    /// Opens a campaign against the subject that is linked into this program.
    ///
    /// # Errors
    /// Why the subject cannot be judged.
    pub fn linked(symbol: plugin::abi::Symbol, settings: Settings) -> Result<Session, StartError> {
        let subject = plugin::Plugin::linked(symbol, settings.arguments.clone()).map_err(StartError)?;
        let isa = settings.isa_among(&subject.isas()).map_err(StartError)?;
        let given = settings.profile_for(isa).map_err(StartError)?;
        // The subject may be opened only once, so its profile is read first.
        let own = subject.profile(isa).map_err(StartError)?;
        Session::open(subject, isa, Some(given.or(own).unwrap_or_default()), settings)
    }

    /// Returns the subject's description of itself on one line.
    pub fn subject_summary(&self) -> String {
        let Hello { name, version, .. } = &*self.connection.hello;
        let version = if version.is_empty() { String::new() } else { format!(" {version}") };
        format!("lockstep: {name}{version}, {}", self.connection.hello.list_abilities())
    }

    /// Judges an input. Returns whether the input led to a question to the subject.
    ///
    /// # Errors
    /// A case in which the subject disagrees with the reference: that of this input, or an earlier one whose difference this case leaves unexplained.
    pub fn judge(&mut self, data: &[u8]) -> Result<bool, Box<DisagreeingCase>> {
        self.tally.inputs += 1;
        let Some(case) = self.inputs.read(data) else {
            self.tally.count_not_sent(
                "the input is for another instruction set, or no case was generated for it".to_owned(),
            );
            return Ok(false);
        };
        match prepare(&case, self.profile, &self.abilities) {
            Ok(prepared) => self.ask(Rc::new(prepared)).map(|()| true),
            Err(why) => {
                self.tally.not_sent(&why);
                Ok(false)
            }
        }
    }

    fn ask(&mut self, prepared: Rc<Prepared>) -> Result<(), Box<DisagreeingCase>> {
        self.tally.asked += 1;
        if self.settings.show {
            eprintln!("lockstep: asks about\n{}", listing_of(&prepared.case).trim_end());
        }
        let answers = match self.connection.ask(&prepared.questions) {
            Ok(answers) => answers,
            Err(AskError::Finding(disagreement)) => {
                return Err(Box::new(DisagreeingCase { prepared, disagreement }));
            }
            // A subject in this process cannot be interrupted.
            Err(AskError::Interrupted) => return Ok(()),
        };
        let (verdict, contradicted) = self.standard.learn(&prepared, &answers);
        match verdict {
            Err(disagreement) => return Err(Box::new(DisagreeingCase { prepared, disagreement })),
            Ok(compared) => self.tally.count_compared(compared),
        }
        // This case rules out the option choices that explained earlier differences.
        match contradicted.into_iter().next() {
            Some(earlier) => {
                let (prepared, disagreement) = (earlier.prepared, earlier.disagreement);
                Err(Box::new(DisagreeingCase { prepared, disagreement }))
            }
            None => Ok(()),
        }
    }

    /// Minimises a case unless the settings disable it, writes the finding to the folder in the settings, if any, and returns the report.
    pub fn report(&self, case: &DisagreeingCase) -> String {
        let DisagreeingCase { prepared, disagreement } = case;
        let met = Found::new(prepared, disagreement, &[], "");
        let mut text = String::new();
        let command = self.command();
        let root = self.settings.findings.as_ref();
        let again = format!("{} FILE, where FILE is the input that the fuzzer saves", command.line);
        let mut failed = |error: std::io::Error| {
            let _ = writeln!(text, "lockstep: the finding could not be written: {error}");
        };
        // Written before minimisation, during which the subject may end this process.
        let kept = root.and_then(|root| write_suspect(root, &met, &command).map_err(&mut failed).ok());
        if self.settings.skip_minimisation {
            let again = kept.map_or(again, |folder| command.for_folder(&folder));
            return format!("{text}{}", summary(&met, &again));
        }
        eprintln!("lockstep: {}: {}; minimising it", met.signature, met.disagreement.message);
        let open = || Ok(Box::new(self.connection.clone()) as Box<dyn Connection>);
        let found = triage(&open, &self.standard, &self.abilities, prepared, disagreement, &[], "");
        let Ok(Some(found)) = found else { return format!("{text}{}", summary(&met, &again)) };
        let folder = root.and_then(|root| {
            write(root, &found, &command, &open, self.profile, &self.abilities).map_err(&mut failed).ok()
        });
        if let (Some(_), Some(kept)) = (&folder, kept) {
            // The finding replaces the suspect. If removing the suspect's folder fails, the folder just remains.
            let _ = std::fs::remove_dir_all(kept);
        }
        text.push_str(&summary(&found, &folder.map_or(again, |folder| command.for_folder(&folder))));
        if self.explained_alone(&found.case) {
            text.push_str(
                "lockstep: alone, this input is explained by another choice of an option, which earlier inputs rule out;\n\
                 lockstep: it fails alone with LOCKSTEP_STRICT_OPTIONS=1\n",
            );
        }
        text
    }

    /// Whether an option choice would explain a case, regardless of all other cases.
    fn explained_alone(&self, case: &Case) -> bool {
        let Ok(prepared) = prepare(case, self.profile, &self.abilities) else { return false };
        let Ok(answers) = self.connection.clone().ask(&prepared.questions) else { return false };
        !self.settings.strict_options
            && Standard::new(self.profile).learn(&Rc::new(prepared), &answers).0.is_ok()
    }

    /// Returns the counts so far.
    pub fn counts(&self) -> String {
        self.tally.text(&self.standard.explained())
    }

    fn command(&self) -> Command {
        Command {
            line: self.settings.replay.clone(),
            subject: SubjectCommand { words: Vec::new(), patience: 0.0, memory: 0, itself: false },
            is_library: true,
            is_linked: true,
        }
    }
}
