//! Connections to subjects. A campaign uses a subject only through the trait [`Connection`].

use super::disagreement::{Class, Disagreement};
use super::subject::{Ability, Answer, Failure, FailureKind, Greeting, Hello, PROTOCOL, Question, Subject};
use lockstep_core::exec::StandardMode;

/// A connection to one subject, which usually runs in a worker process of its own.
pub trait Connection {
    /// Returns the subject's description of itself.
    fn hello(&self) -> &Hello;

    /// Sends the questions and returns the answers in the same order. After an error the connection must not be used again.
    ///
    /// # Errors
    /// What the worker did instead of answering.
    fn ask(&mut self, questions: &[Question]) -> Result<Vec<Answer>, AskError>;

    /// Returns the most recent output of the subject.
    fn printed(&self) -> String;

    /// Signals that there are no more questions. Returns a disagreement if the subject still sends answers.
    fn close(&mut self) -> Option<Disagreement> {
        None
    }
}

/// The reason a worker's answers are missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskError {
    /// The worker failed in a way that is a finding.
    Finding(Disagreement),
    /// The user interrupted the campaign.
    Interrupted,
}

impl AskError {
    pub(super) fn finding(class: Class, detail: impl Into<String>, message: impl Into<String>) -> AskError {
        AskError::Finding(Disagreement::new(class, detail, message))
    }
}

/// The reason a subject cannot be judged at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StartError(pub String);

/// Checks a subject's description of itself against the greeting. Replaces control characters in its name and version, truncates both, and sorts its
/// abilities.
///
/// # Errors
/// Why the subject cannot be judged.
pub fn check_hello(hello: &mut Hello, greeting: &Greeting) -> Result<(), StartError> {
    for text in [&mut hello.name, &mut hello.version] {
        *text = one_line(text);
    }
    hello.abilities.sort_unstable();
    hello.abilities.dedup();
    if hello.protocol != PROTOCOL {
        let Hello { name, protocol, .. } = hello;
        return Err(StartError(format!(
            "{name} speaks version {protocol} of the protocol, and this is version {PROTOCOL}"
        )));
    }
    if !hello.isas.iter().any(|isa| *isa == greeting.isa.name()) {
        let (isa, all) = (greeting.isa, hello.isas.join(", "));
        return Err(StartError(format!("{} does not support {isa}; it supports {all}", hello.name)));
    }
    let does = [Ability::Decode, Ability::Run, Ability::Translate];
    if !hello.abilities.iter().any(|ability| does.contains(ability)) {
        return Err(StartError(format!("{} can neither decode nor run nor translate", hello.name)));
    }
    if hello.abilities.contains(&Ability::Trace) && !hello.abilities.contains(&Ability::Run) {
        return Err(StartError(format!(
            "{} lists `trace` among its abilities but not `run`, which tracing requires",
            hello.name
        )));
    }
    if let Some(profile) = &mut hello.profile {
        profile
            .check(greeting.isa)
            .map_err(|error| StartError(format!("the profile of {}: {error}", hello.name)))?;
    }
    Ok(())
}

/// Returns the first 100 characters of an untrusted text, with control characters replaced by spaces.
fn one_line(text: &str) -> String {
    const MAX_CHARS: usize = 100;
    text.chars().take(MAX_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Calls foreign code in the standard floating-point mode and checks afterwards that the mode is unchanged. In any case the mode is then the standard
/// mode again.
pub(super) fn in_standard_mode<T>(call: impl FnOnce() -> T) -> Result<T, Failure> {
    StandardMode::reset();
    let returned = call();
    match StandardMode::reset() {
        None => Ok(returned),
        Some(bits) => {
            let message = format!("the control register is {bits:#x} after the call");
            Err(Failure { kind: FailureKind::Mode, message })
        }
    }
}

/// The connection to a subject in this process.
pub struct InProcess<S> {
    subject: S,
    hello: Hello,
}

impl<S: Subject> InProcess<S> {
    /// Creates a connection and sends the greeting.
    ///
    /// # Errors
    /// Why the subject cannot be judged.
    pub fn open(mut subject: S, greeting: &Greeting) -> Result<InProcess<S>, StartError> {
        let mut hello = subject.hello(greeting).map_err(StartError)?;
        check_hello(&mut hello, greeting)?;
        Ok(InProcess { subject, hello })
    }
}

impl<S: Subject> Connection for InProcess<S> {
    fn hello(&self) -> &Hello {
        &self.hello
    }

    fn ask(&mut self, questions: &[Question]) -> Result<Vec<Answer>, AskError> {
        let mut answer = |question: &Question| match question {
            Question::Decode(program) => self.subject.decode(program).map(Answer::Decoded),
            Question::Run(run) => self.subject.run(run).map(Answer::Ran),
            Question::Trace(run) => self.subject.trace(run).map(Answer::Traced),
            Question::Translate(program) => {
                self.subject.translate(program).map(|one| Answer::Translated(Box::new(one)))
            }
        };
        let answer =
            |question| in_standard_mode(|| answer(question)).flatten().unwrap_or_else(Answer::Failed);
        Ok(questions.iter().map(answer).collect())
    }

    fn printed(&self) -> String {
        String::new()
    }
}
