//! A subject that translates, as one that runs programs.

use crate::judge::connection::{AskError, Connection};
use crate::judge::disagreement::Disagreement;
use crate::judge::subject::{Ability, Answer, Hello, Question, Ran, RunData, Translation, Verdict};

/// The connections to a subject that translates and to a rasteriser, as one connection to a subject that runs programs.
pub struct Rasterised {
    subject: Box<dyn Connection>,
    rasteriser: Box<dyn Connection>,
    hello: Hello,
}

impl Rasterised {
    /// Whether programs of a subject of these abilities are run by running their translations.
    pub fn is_for(abilities: &[Ability]) -> bool {
        abilities.contains(&Ability::Translate) && !abilities.contains(&Ability::Run)
    }

    /// The abilities of a subject once its translations can be run.
    pub fn abilities(abilities: &[Ability]) -> Vec<Ability> {
        let one = |ability: &Ability| if *ability == Ability::Translate { Ability::Run } else { *ability };
        abilities.iter().map(one).collect()
    }

    /// Joins the two.
    pub fn new(subject: Box<dyn Connection>, rasteriser: Box<dyn Connection>) -> Rasterised {
        let hello = subject.hello().clone();
        let hello = Hello { abilities: Rasterised::abilities(&hello.abilities), ..hello };
        Rasterised { subject, rasteriser, hello }
    }
}

/// A run of a program with its translation, or what the subject says instead of one.
fn with_translation(run: &RunData, answer: Answer) -> Result<Question, Answer> {
    match answer {
        Answer::Translated(translation) => match translation.verdict {
            Verdict::Accepted => {
                Ok(Question::Run(Box::new(RunData { translation: Some(*translation), ..run.clone() })))
            }
            verdict => Err(Answer::Ran(Ran { verdict, lanes: Vec::new(), message: translation.message })),
        },
        other => Err(other),
    }
}

/// An answer of the rasteriser, with the translation as a remark for people.
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
                Question::Run(run) => with_translation(run, answer).map(|run| runs.push(run)).err(),
                _ => Some(answer),
            };
            answers.push(answer);
        }
        let ran =
            if runs.is_empty() { Vec::new() } else { self.rasteriser.ask(&runs).map_err(of_rasteriser)? };
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

/// What the rasteriser did instead of answering, named as its doing.
fn of_rasteriser(trouble: AskError) -> AskError {
    match trouble {
        AskError::Finding(found) => {
            let message =
                format!("the rasteriser, as it compiles or runs the translation: {}", found.message);
            AskError::Finding(Disagreement { message, ..found })
        }
        AskError::Interrupted => AskError::Interrupted,
    }
}
