//! Subjects that are libraries, loaded or linked. They export the function that `verify/include/lockstep.h` declares.
//!
//! A shared library is loaded by a worker: another process of this program, which communicates with the host by the protocol for child processes. So
//! whatever the library does to its process affects only the worker, and everything documented for child processes applies. A library that is linked
//! into a fuzzer is called in the fuzzer's process ([`super::in_process`]).

pub mod abi;
mod decoded;
mod foreign;
mod guarded;
mod mark;
mod page;
mod ran;
mod registers;
mod request;
mod room;
mod sampling;
mod steps;
pub mod texture;
mod translated;

pub use page::c_source;

pub(super) use mark::{Shared as SharedMark, VARIABLE as MARK_VARIABLE};

use super::profile::Profile;
use super::subject::{
    Ability, Decoded, Failure, FailureKind, Greeting, Hello, PROTOCOL, ProgramData, Ran, RunData, Subject,
    Traced, Translation,
};
use abi::Symbol;
use decoded::DecodeBuffers;
use foreign::Library;
use lockstep_core::isa::IsaId;
use mark::Mark;
use ran::RunBuffers;
use request::{GreetingView, ProgramView, RunView};
use room::{Outcome, malformed_answer};
use std::path::{Path, PathBuf};
use steps::TraceBuffers;
use translated::TranslateBuffers;

/// The file name extensions of shared libraries. A version may follow, as in `libx.so.1`.
const EXTENSIONS: [&str; 3] = ["so", "dylib", "dll"];

/// Whether a file's name is that of a shared library.
pub fn is_library(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    [name.as_str(), plain].iter().any(|name| {
        name.rsplit_once('.')
            .is_some_and(|(stem, extension)| !stem.is_empty() && EXTENSIONS.contains(&extension))
    })
}

/// A library as a subject. A shared library is loaded when the greeting arrives.
pub struct Plugin {
    /// The file of a shared library; `None` for a linked library.
    path: Option<PathBuf>,
    arguments: Vec<String>,
    library: Option<Library>,
    decoded: DecodeBuffers,
    ran: RunBuffers,
    traced: TraceBuffers,
    translated: TranslateBuffers,
    mark: Mark,
}

impl Plugin {
    /// Returns the subject for the library in a file, with its arguments.
    pub fn new(path: PathBuf, arguments: Vec<String>) -> Plugin {
        Plugin { path: Some(path), ..Plugin::with_library(None, arguments) }
    }

    /// Returns the subject for the library whose exported function is linked into this program, with its arguments.
    ///
    /// # Errors
    /// Why the library cannot be judged.
    pub fn linked(symbol: Symbol, arguments: Vec<String>) -> Result<Plugin, String> {
        Ok(Plugin::with_library(Some(Library::linked(symbol)?), arguments))
    }

    fn with_library(library: Option<Library>, arguments: Vec<String>) -> Plugin {
        let (decoded, ran) = (DecodeBuffers::new(), RunBuffers::new());
        let (traced, translated) = (TraceBuffers::new(), TranslateBuffers::new());
        let mark = Mark::from_environment();
        Plugin { path: None, arguments, library, decoded, ran, traced, translated, mark }
    }

    /// Returns the instruction sets that a linked library supports.
    pub fn isas(&self) -> Vec<IsaId> {
        let bits = self.library.as_ref().map_or(0, Library::isas);
        IsaId::ALL.iter().copied().filter(|isa| bits >> isa.number() & 1 == 1).collect()
    }

    /// Returns the abilities of a linked library.
    pub fn abilities(&self) -> Vec<Ability> {
        self.library.as_ref().map(Library::abilities).unwrap_or_default()
    }

    /// Returns the profile of a linked library, if it has one.
    ///
    /// # Errors
    /// If the library's text is not a profile for the instruction set.
    pub fn profile(&self, isa: IsaId) -> Result<Option<Profile>, String> {
        let [name, _, profile] = self.library.as_ref().map(Library::texts).unwrap_or_default();
        let wrong = |error| format!("the profile of {}: {error}", name.as_deref().unwrap_or("the subject"));
        profile.map(|text| Profile::from_text(&text, isa)).transpose().map_err(wrong)
    }
}

impl Subject for Plugin {
    fn hello(&mut self, greeting: &Greeting) -> Result<Hello, String> {
        if greeting.protocol != PROTOCOL {
            let asked = greeting.protocol;
            return Err(format!("the serving Lockstep uses version {PROTOCOL} of the protocol, not {asked}"));
        }
        self.mark.clear();
        let mut library = match (&self.path, self.library.take()) {
            (Some(path), _) => Library::load(path)?,
            (None, Some(linked)) => linked,
            (None, None) => return Err("the linked library failed to initialize earlier".to_owned()),
        };
        let supports = |isa: &IsaId| library.isas() >> isa.number() & 1 == 1;
        let isas: Vec<String> =
            IsaId::ALL.iter().copied().filter(supports).map(|isa| isa.name().to_owned()).collect();
        let [name, version, profile] = library.texts();
        let file = || match self.path.as_ref().and_then(|path| path.file_name()) {
            Some(file) => file.to_string_lossy().into_owned(),
            None => "the linked subject".to_owned(),
        };
        let name = name.unwrap_or_else(file);
        // The library is not opened for an instruction set that it does not support, since it may not understand the greeting.
        if supports(&greeting.isa) {
            library.open(&GreetingView::new(greeting, &self.arguments))?;
        }
        let profile = profile.map(|text| Profile::from_text(&text, greeting.isa)).transpose();
        let profile = profile.map_err(|error| format!("the profile of {name}: {error}"))?;
        let abilities = library.abilities();
        let language = library.language()?;
        self.library = Some(library);
        Ok(Hello {
            protocol: PROTOCOL,
            name,
            version: version.unwrap_or_default(),
            isas,
            abilities,
            profile,
            language,
        })
    }

    fn decode(&mut self, program: &ProgramData) -> Result<Decoded, Failure> {
        let Some(library) = &self.library else { return Err(not_greeted()) };
        let program = ProgramView::new(program);
        loop {
            let returned = library.decode(&program, &mut self.decoded)?;
            // A library may request larger buffers once; a second request is a failure.
            if let Outcome::Answer(decoded) = self.decoded.read(returned)? {
                return Ok(decoded);
            }
        }
    }

    fn run(&mut self, run: &RunData) -> Result<Ran, Failure> {
        let Some(library) = &self.library else { return Err(not_greeted()) };
        let program = ProgramView::new(&run.program);
        let run = RunView::new(run, &program);
        loop {
            let returned = library.run(&program, &run, &mut self.ran, &mut self.mark);
            self.mark.clear();
            if let Outcome::Answer(ran) = self.ran.read(returned?, &program, &run)? {
                return Ok(ran);
            }
        }
    }

    fn trace(&mut self, run: &RunData) -> Result<Traced, Failure> {
        let Some(library) = &self.library else { return Err(not_greeted()) };
        let program = ProgramView::new(&run.program);
        let run = RunView::new(run, &program);
        loop {
            let returned = library.trace(&program, &run, &mut self.traced, &mut self.mark);
            self.mark.clear();
            if let Outcome::Answer(traced) = self.traced.read(returned?, &run)? {
                return Ok(traced);
            }
        }
    }

    fn translate(&mut self, program: &ProgramData) -> Result<Translation, Failure> {
        let Some(library) = &self.library else { return Err(not_greeted()) };
        let program = ProgramView::new(program);
        loop {
            let returned = library.translate(&program, &mut self.translated)?;
            let language = library.language().map_err(malformed_answer)?;
            if let Outcome::Answer(translation) = self.translated.read(returned, language)? {
                return Ok(translation);
            }
        }
    }
}

fn not_greeted() -> Failure {
    Failure { kind: FailureKind::Reported, message: "'initialize' was not sent".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_recognised_by_name() {
        for name in ["libmine.so", "a/libmine.so.1.2", "mine.dll", "mine.DYLIB"] {
            assert!(is_library(Path::new(name)), "{name}");
        }
        for name in ["mine", "mine.py", ".so", "so", "mine.so.txt", "./a.2", "sub.so/mine"] {
            assert!(!is_library(Path::new(name)), "{name}");
        }
    }
}
