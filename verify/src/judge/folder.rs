//! Writes findings into folders.

use super::campaign::Open;
use super::comparison::Opinions;
use super::connection::AskError;
use super::greeting;
use super::ours::own_answer;
use super::plugin::c_source;
use super::profile::Profile;
use super::question::prepare;
use super::record::{Record, SubjectCommand};
use super::subject::{Ability, Answer, Question};
use super::triage::Found;
use super::wire::batch;
use crate::blame::wrapped;
use crate::case::Case;
use crate::finding::file_name;
use crate::metamorphic::variants;
use crate::sources::spelled_out;
use lockstep_core::isa::{Format, Tables};
use lockstep_core::text::count;
use lockstep_core::with_isa;
use serde_json::{Value, json};
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

/// The folder that the reproducing command writes to. It differs from the campaign's folder so that no finding is overwritten.
const REPRODUCTION_FOLDER: &str = "lockstep-again";

/// The name of the file that contains the case as an input for a fuzzer.
const INPUT: &str = "input";

/// Quotes a word for a POSIX shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The command that reproduces a finding, without the path of its folder.
#[derive(Clone, Debug)]
pub struct Command {
    /// The beginning of the command line, which [`Command::for_folder`] completes.
    pub line: String,
    /// How the command starts the subject.
    pub subject: SubjectCommand,
    /// Whether the subject is a library.
    pub is_library: bool,
    /// Whether the library is linked into this program, which is a fuzzer and takes an input as argument.
    pub is_linked: bool,
}

impl Command {
    /// Returns the complete command line.
    pub fn for_folder(&self, folder: &Path) -> String {
        if self.is_linked {
            return format!("{} {}", self.line, quoted(&folder.join(INPUT).display().to_string()));
        }
        format!(
            "{} --count 0 --findings {REPRODUCTION_FOLDER} {}",
            self.line,
            quoted(&folder.display().to_string())
        )
    }
}

/// The maximum number of earlier cases that are written for a suspect before its triage.
const KEPT_CASES: usize = 128;

/// Writes a suspect before its triage into a new folder below `root`, and returns the folder. If the triage does not finish, this folder is the only
/// record of the suspect.
///
/// # Errors
/// If a file cannot be written.
pub fn write_suspect(root: &Path, suspect: &Found, command: &Command) -> io::Result<PathBuf> {
    let draft = Draft::new(root, &format!("{}-as-met", suspect.signature))?;
    let mut kept = suspect.clone();
    kept.before.drain(..suspect.before.len().saturating_sub(KEPT_CASES));
    let listing = write_case(&draft, &kept, command)?;
    draft.put("finding.txt", describe(suspect, &listing, None, &command.for_folder(&draft.folder)))?;
    draft.publish()
}

/// Converts a name to a folder name.
pub fn folder_name(name: &str) -> String {
    file_name(name).trim_end_matches(".toml").to_owned()
}

/// The folder of a finding that is being written. Its name begins with a dot until all files are written, so that a killed campaign leaves only
/// complete findings under their final names.
struct Draft {
    /// The temporary folder that the files are written to.
    hidden: PathBuf,
    /// The final path of the folder.
    folder: PathBuf,
}

impl Draft {
    /// Creates an empty temporary folder for the finding of this name below `root`.
    fn new(root: &Path, name: &str) -> io::Result<Draft> {
        let name = folder_name(name);
        let draft = Draft { hidden: root.join(format!(".{name}.partial")), folder: root.join(name) };
        // A killed campaign may have left its temporary folder.
        remove(&draft.hidden)?;
        std::fs::create_dir_all(&draft.hidden)?;
        Ok(draft)
    }

    /// Writes one file into the temporary folder.
    fn put(&self, name: &str, content: impl AsRef<[u8]>) -> io::Result<()> {
        std::fs::write(self.hidden.join(name), content)
    }

    /// Renames the folder to its final name. A folder of that name from an earlier run is replaced: it contains the same finding, minimised
    /// differently.
    fn publish(self) -> io::Result<PathBuf> {
        remove(&self.folder)?;
        std::fs::rename(&self.hidden, &self.folder)?;
        Ok(self.folder)
    }
}

/// Removes a folder with its content, if it exists.
fn remove(folder: &Path) -> io::Result<()> {
    if folder.is_dir() { std::fs::remove_dir_all(folder) } else { Ok(()) }
}

/// Writes the case of a finding and the earlier cases it needs. Returns the listing.
fn write_case(draft: &Draft, found: &Found, command: &Command) -> io::Result<String> {
    for (at, case) in found.before.iter().enumerate() {
        draft.put(&format!("{at:04}-before.toml"), case.to_text(None))?;
    }
    draft.put("case.toml", found.case.to_text(Some(&found.disagreement.message)))?;
    draft.put("program.bytes", &found.case.bytes)?;
    if command.is_linked {
        draft.put(INPUT, found.case.to_bytes())?;
    }
    let listing = listing_of(&found.case);
    draft.put("ours.listing", &listing)?;
    Ok(listing)
}

/// Writes a finding into a new folder below `root`, and returns the folder. The case files in the folder can be judged again.
///
/// # Errors
/// If a file cannot be written.
pub fn write(
    root: &Path,
    found: &Found,
    command: &Command,
    open: &Open<'_>,
    profile: &Profile,
    abilities: &[Ability],
) -> io::Result<PathBuf> {
    let draft = Draft::new(root, &found.signature)?;
    let put = |name: &str, text: &str| draft.put(name, text);
    let listing = write_case(&draft, found, command)?;
    let mut theirs = None;
    if let Ok(prepared) = prepare(&found.case, profile, abilities) {
        put("request.jsonl", &format!("{}\n", batch(0, &prepared.questions)))?;
        let answers = ask_again(open, profile, abilities, found, &prepared.questions);
        let expected: Vec<Answer> =
            prepared.questions.iter().map(|q| own_answer(q, &profile.options)).collect();
        if command.is_library && !command.subject.itself {
            let greeting = greeting(found.case.isa, profile);
            let source = c_source(&found.signature, &greeting, &prepared.questions, &expected);
            put("main.c", &source.unwrap_or_default())?;
        }
        let expected: Vec<Value> = expected.iter().map(answer_json).collect();
        if let Ok([Answer::Decoded(decoded), ..]) = answers.as_deref() {
            theirs.clone_from(&decoded.text);
        }
        let answers = match answers {
            Ok(answers) => answers.iter().map(answer_json).collect(),
            Err(why) => json!(why),
        };
        let questions: Vec<Value> = prepared.questions.iter().map(question_json).collect();
        let exchange =
            json!({"questions": questions, "reference": expected, "subject": answers, "profile": profile});
        put("exchange.json", &format!("{exchange:#}\n"))?;
    }
    if let Some((step, [ours, theirs])) = &found.traces {
        put("traces.json", &format!("{:#}\n", json!({"reference": ours, "subject": theirs, "first": step})))?;
    }
    if let Some(opinions) = &found.opinions {
        put("opinions.json", &format!("{:#}\n", json!(opinions)))?;
    }
    if let Some(theirs) = &theirs {
        put("theirs.listing", theirs)?;
    }
    if command.subject.itself {
        for (kind, case) in variants(&found.case) {
            put(&format!("{}.listing", kind.name()), &listing_of(&case))?;
        }
    }
    put("sources.txt", &sources(found))?;
    if !command.is_linked {
        // Omitted for fuzzers: `lockstep reproduce` could not start the subject.
        put("finding.json", &format!("{:#}\n", json!(record(found, command, profile))))?;
    }
    put("finding.txt", &describe(found, &listing, theirs.as_deref(), &command.for_folder(&draft.folder)))?;
    draft.publish()
}

/// Returns the meaning and source of each opcode of the program, and the full citations of the sources.
fn sources(found: &Found) -> String {
    let isa = found.case.isa;
    let rows = with_isa!(isa, I => <I as Tables>::opcodes());
    let rows: Vec<_> =
        rows.iter().filter(|row| found.opcodes.iter().any(|opcode| opcode == row.mnemonic)).collect();
    let mut text = String::new();
    for row in &rows {
        let _ = writeln!(text, "{}: {} [{}]", row.mnemonic, row.meaning, row.source);
    }
    let citations: Vec<&str> = rows.iter().map(|row| row.source).collect();
    for source in spelled_out(isa, &citations) {
        let _ = writeln!(text, "{source}");
    }
    text
}

fn record(found: &Found, command: &Command, profile: &Profile) -> Record {
    Record {
        signature: found.signature.clone(),
        isa: found.case.isa,
        class: found.disagreement.class,
        detail: found.disagreement.detail.clone(),
        message: found.disagreement.message.clone(),
        opcodes: found.opcodes.clone(),
        count: found.count,
        is_deterministic: found.is_deterministic,
        before: found.before.len(),
        subject: command.subject.clone(),
        profile: profile.clone(),
    }
}

/// Returns the report as text. `theirs` is the subject's listing, and `again` is the command that reproduces the finding.
pub(super) fn describe(found: &Found, listing: &str, theirs: Option<&str>, again: &str) -> String {
    let mut text = format!("finding {}\n", found.signature);
    let mut say = |head: &str, what: &str| text.push_str(&wrapped(&format!("  {head:<10} "), what));
    say("class", &format!("{}: {}", found.disagreement.class.name(), found.disagreement.class.meaning()));
    say("what", &found.disagreement.message);
    if let Some((Some(step), _)) = &found.traces {
        say("first step", step);
    }
    for (at, line) in found.opinions.iter().flat_map(Opinions::lines).enumerate() {
        say(if at == 0 { "opinions" } else { "" }, &line);
    }
    if !found.before.is_empty() {
        let cases = count(found.before.len(), "case");
        say("needs", &format!("{cases} to be sent to the same process before its own"));
    }
    if !found.is_triaged {
        say("state", "as first seen: it has not been replayed or minimised");
    }
    if !found.is_deterministic {
        say("seen", "once: it did not fail again, alone or after the cases before it");
    }
    let mut block = |head: &str, what: &str| {
        for (at, line) in what.lines().enumerate() {
            let _ = writeln!(text, "  {:<10} {line}", if at == 0 { head } else { "" });
        }
    };
    block("program", listing);
    if let Some(theirs) = theirs.filter(|theirs| theirs.trim() != listing.trim()) {
        block("as theirs", theirs);
    }
    if !found.printed.trim().is_empty() {
        block("printed", found.printed.trim_end());
    }
    let _ = writeln!(text, "  {:<10} {again}", "again");
    text
}

/// Returns a summary of the finding for a terminal.
pub fn summary(found: &Found, again: &str) -> String {
    describe(found, &listing_of(&found.case), None, again)
}

pub(super) fn listing_of(case: &Case) -> String {
    let text = with_isa!(case.isa, I => <I as Format>::decode(&case.bytes).map(|program| I::disassemble(&program)).ok());
    text.unwrap_or_else(|| format!("{:02x?}", case.bytes))
}

/// Sends the cases before the finding and then `questions` to a fresh worker. Returns the answers to `questions`.
fn ask_again(
    open: &Open<'_>,
    profile: &Profile,
    abilities: &[Ability],
    found: &Found,
    questions: &[Question],
) -> Result<Vec<Answer>, String> {
    let said = |trouble: AskError| match trouble {
        AskError::Finding(disagreement) => disagreement.message,
        AskError::Interrupted => "interrupted".to_owned(),
    };
    let mut connection = open().map_err(|error| error.to_string())?;
    for case in &found.before {
        if let Ok(prepared) = prepare(case, profile, abilities) {
            connection.ask(&prepared.questions).map_err(said)?;
        }
    }
    connection.ask(questions).map_err(said)
}

fn question_json(question: &Question) -> Value {
    let value = match question {
        Question::Decode(program) | Question::Translate(program) => serde_json::to_value(program),
        Question::Run(run) | Question::Trace(run) => serde_json::to_value(run),
    };
    value.unwrap_or_default()
}

fn answer_json(answer: &Answer) -> Value {
    let value = match answer {
        Answer::Decoded(decoded) => serde_json::to_value(decoded),
        Answer::Ran(ran) => serde_json::to_value(ran),
        Answer::Traced(traced) => serde_json::to_value(traced),
        Answer::Translated(translation) => serde_json::to_value(translation),
        Answer::Failed(failure) => Ok(json!({"failed": failure.message})),
    };
    value.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Class, Disagreement};
    use lockstep_core::isa::IsaId;

    /// A shell reads each quoted word as that word, in a folder and with variables that give it something to expand.
    #[test]
    #[cfg(unix)]
    fn a_shell_reads_quoted_words_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "").unwrap();
        let mut words: Vec<String> =
            [String::new(), "~/a".to_owned(), "it's".to_owned(), "a=~".to_owned()].into();
        for c in ' '..='~' {
            words.extend([
                c.to_string(),
                format!("a{c}"),
                format!("{c}a"),
                format!("{c}{c}"),
                format!("a {c}"),
            ]);
        }
        let line: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        let done = std::process::Command::new("/bin/sh")
            .args(["-c", &format!("printf '%s\\n' {}", line.join(" "))])
            .env("HOME", "/expanded")
            .env("a", "expanded")
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8(done.stdout).unwrap();
        assert_eq!(said.lines().collect::<Vec<_>>(), words, "{}", String::from_utf8_lossy(&done.stderr));
    }

    #[test]
    fn a_suspect_is_recorded_with_the_last_of_the_cases_before_it() {
        let case = |fuel: u32| {
            let mut case = Case::bare(IsaId::Agal, &[]);
            case.env.fuel = fuel;
            case
        };
        for count in [0, 1, KEPT_CASES, KEPT_CASES + 72] {
            let suspect = Found {
                signature: "agal-crash-exit1-bytes".to_owned(),
                disagreement: Disagreement {
                    class: Class::Crash,
                    detail: "exit1".to_owned(),
                    message: "m".to_owned(),
                },
                case: case(1000),
                opcodes: Vec::new(),
                before: (0..count).map(|n| case(n as u32)).collect(),
                is_deterministic: true,
                is_triaged: false,
                count: 1,
                minimised: 1,
                printed: String::new(),
                traces: None,
                opinions: None,
            };
            let subject =
                SubjectCommand { words: vec!["s".to_owned()], patience: 1.0, memory: 1, itself: false };
            let command = Command { line: "l".to_owned(), subject, is_library: false, is_linked: false };
            let root = tempfile::tempdir().unwrap();
            let folder = write_suspect(root.path(), &suspect, &command).unwrap();
            let fuel = |name: &str| {
                let text = std::fs::read_to_string(folder.join(name)).ok()?;
                Some(Case::from_text(&text).unwrap().env.fuel as usize)
            };
            assert_eq!(fuel("case.toml"), Some(1000));
            let kept: Vec<usize> = (0..).map_while(|at| fuel(&format!("{at:04}-before.toml"))).collect();
            assert_eq!(kept, (count.saturating_sub(KEPT_CASES)..count).collect::<Vec<_>>());
        }
    }
}
