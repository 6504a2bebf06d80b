//! Makes a subject that translates programs usable as a subject that runs programs.

use crate::judge::connection::{AskError, Connection};
use crate::judge::disagreement::Disagreement;
use crate::judge::subject::{
    Ability, Answer, Failure, FailureKind, Hello, Language, Question, Ran, RunData, Translation, Verdict,
};

/// A connection to a subject that runs programs, made of a connection to a subject that translates and one to a rasteriser.
pub struct Rasterised {
    subject: Box<dyn Connection>,
    rasteriser: Box<dyn Connection>,
    hello: Hello,
}

impl Rasterised {
    /// Whether programs of a subject with these abilities are run through their translations.
    pub fn is_for(abilities: &[Ability]) -> bool {
        abilities.contains(&Ability::Translate) && !abilities.contains(&Ability::Run)
    }

    /// Returns these abilities with the ability to run in place of the ability to translate.
    pub fn abilities(abilities: &[Ability]) -> Vec<Ability> {
        let one = |ability: &Ability| if *ability == Ability::Translate { Ability::Run } else { *ability };
        abilities.iter().map(one).collect()
    }

    /// Combines the two connections.
    pub fn new(subject: Box<dyn Connection>, rasteriser: Box<dyn Connection>) -> Rasterised {
        let hello = subject.hello().clone();
        let hello = Hello { abilities: Rasterised::abilities(&hello.abilities), ..hello };
        Rasterised { subject, rasteriser, hello }
    }
}

/// Returns the question to run a translated program; if there is no translation, the answer to return instead.
fn with_translation(run: &RunData, answer: Answer, language: Language) -> Result<Question, Answer> {
    match answer {
        Answer::Translated(translation)
            if translation.verdict == Verdict::Accepted && translation.language != language =>
        {
            let (its, said) = (translation.language.name(), language.name());
            let message = format!("the translation is in {its}, and the subject said that all are in {said}");
            Err(Answer::Failed(Failure { kind: FailureKind::MalformedAnswer, message }))
        }
        Answer::Translated(translation) => match translation.verdict {
            Verdict::Accepted => {
                Ok(Question::Run(Box::new(RunData { translation: Some(*translation), ..run.clone() })))
            }
            verdict => Err(Answer::Ran(Ran { verdict, lanes: Vec::new(), message: translation.message })),
        },
        other => Err(other),
    }
}

/// Returns an answer of the rasteriser. A run without a message gets the translation's source as its message.
fn with_source(answer: Answer, translation: Option<&Translation>) -> Answer {
    let source = translation.map(|translation| translation.source.clone());
    match answer {
        Answer::Ran(ran) => Answer::Ran(Ran { message: ran.message.or(source), ..ran }),
        other => other,
    }
}

impl Connection for Rasterised {
    fn hello(&self) -> &Hello {
        &self.hello
    }

    fn ask(&mut self, questions: &[Question]) -> Result<Vec<Answer>, AskError> {
        let to_subject = |question: &Question| match question {
            Question::Run(run) => Question::Translate(Box::new(run.program.clone())),
            other => other.clone(),
        };
        let first = self.subject.ask(&questions.iter().map(to_subject).collect::<Vec<_>>())?;
        let mut answers: Vec<Option<Answer>> = Vec::with_capacity(questions.len());
        let mut runs = Vec::new();
        for (question, answer) in questions.iter().zip(first) {
            let answer = match question {
                Question::Run(run) => {
                    with_translation(run, answer, self.hello.language).map(|run| runs.push(run)).err()
                }
                _ => Some(answer),
            };
            answers.push(answer);
        }
        let ran =
            if runs.is_empty() { Vec::new() } else { self.rasteriser.ask(&runs).map_err(by_rasteriser)? };
        let mut ran = runs.iter().zip(ran).map(|(question, answer)| match question {
            Question::Run(run) => with_source(answer, run.translation.as_ref()),
            _ => answer,
        });
        Ok(answers.into_iter().filter_map(|answer| answer.or_else(|| ran.next())).collect())
    }

    fn printed(&self) -> String {
        self.subject.printed() + &self.rasteriser.printed()
    }

    fn close(&mut self) -> Option<Disagreement> {
        self.subject.close()
    }
}

/// Converts the failure of a rasteriser so that it is reported as the rasteriser's, not the subject's.
fn by_rasteriser(trouble: AskError) -> AskError {
    match trouble {
        AskError::Finding(found) => {
            let message =
                format!("the rasteriser, as it compiles or runs the translation: {}", found.message);
            AskError::Finding(Disagreement { message, ..found })
        }
        AskError::Interrupted => AskError::Interrupted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `verify/PROTOCOL.md` states, the ability to translate has no effect for a subject that also has the ability to run.
    #[test]
    fn only_subjects_that_translate_and_do_not_run_are_asked_for_translations() {
        assert!(Rasterised::is_for(&[Ability::Decode, Ability::Translate]));
        assert!(!Rasterised::is_for(&[Ability::Translate, Ability::Run]));
        assert!(!Rasterised::is_for(&[Ability::Decode, Ability::Run]));
    }
}
