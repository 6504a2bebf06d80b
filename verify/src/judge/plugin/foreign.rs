//! The calls into a library. Together with `raster/gl.rs`, this is the only unsafe code of this library crate.
//!
//! Safety rests on two arguments. First, what we pass is sound: the views of [`super::request`] own everything that their pointers lead to, for
//! longer than a call lasts, and the buffers of [`super::room`] are as large as stated, so a library that keeps to the header causes no undefined
//! behaviour. Second, a library that breaks the header's contract can do anything, which no check could prevent. So a library is called only in a
//! process that serves nothing but this library's campaign: a worker, or the fuzzer that the library's author linked it into. The process is
//! discarded after any failure, and all its messages are treated as untrusted. Lengths and the guard memory after the buffers are checked before
//! results are read. Function pointers are `C-unwind`: an exception that leaves a call unwinds and ends the process.
#![allow(unsafe_code)]

use super::abi::{
    ABI, Environment, FIRST_SUBJECT, REGISTERS, Read, SYMBOL, Subject, Symbol, language, verdict,
};
use super::decoded::DecodeBuffers;
use super::mark::Mark;
use super::ran::RunBuffers;
use super::request::{GreetingView, ProgramView, RunView};
use super::room::Message;
use super::sampling::Sampling;
use super::steps::TraceBuffers;
use super::translated::TranslateBuffers;
use crate::judge::connection::in_standard_mode;
use crate::judge::subject::{Ability, Failure, FailureKind, Language};
use std::ffi::{CStr, c_char, c_void};
use std::path::Path;

/// A loaded library, or a library that is linked into this program.
pub(super) struct Library {
    subject: Subject,
    /// The return value of `open`.
    instance: *mut c_void,
    is_open: bool,
    /// Declared last, since fields are dropped in order: the library is unloaded after everything that points into it.
    _handle: Option<libloading::Library>,
}

impl Library {
    /// Loads a library and calls its exported function.
    ///
    /// # Errors
    /// Why the library cannot be judged.
    pub(super) fn load(path: &Path) -> Result<Library, String> {
        // The path is made absolute, since the system would search other folders for a bare file name.
        let path = std::path::absolute(path).map_err(|error| error.to_string())?;
        // SAFETY: loading runs the library's initialisers, which are foreign code; see the head of this module.
        let library = unsafe { libloading::Library::new(&path) }
            .map_err(|error| format!("it does not load: {error}"))?;
        // SAFETY: the header declares the function of this name with this type; a library with another type is foreign code that breaks the header's
        // contract.
        let symbol = unsafe { library.get::<Symbol>(SYMBOL.as_bytes()) }
            .map_err(|_| format!("it has no function {SYMBOL}, which lockstep.h declares"))?;
        let symbol = *symbol;
        Library::described(symbol, Some(library))
    }

    /// Returns the library whose exported function is linked into this program.
    ///
    /// # Errors
    /// Why the library cannot be judged.
    pub(super) fn linked(symbol: Symbol) -> Result<Library, String> {
        Library::described(symbol, None)
    }

    /// Returns the library that an exported function describes.
    fn described(symbol: Symbol, library: Option<libloading::Library>) -> Result<Library, String> {
        // SAFETY: called as declared; foreign code.
        let given = unsafe { symbol() };
        if given.is_null() {
            return Err(format!("{SYMBOL} returned a null pointer"));
        }
        // SAFETY: the header guarantees that a `lockstep_subject` exists as long as the library. All versions begin with these two fields.
        let (size, abi) = unsafe { ((&raw const (*given).size).read(), (&raw const (*given).abi).read()) };
        if abi != ABI {
            return Err(format!("it is built for version {abi} of lockstep.h, and this is version {ABI}"));
        }
        if size < FIRST_SUBJECT {
            let least = FIRST_SUBJECT;
            return Err(format!(
                "its lockstep_subject has {size} bytes; version {ABI} requires at least {least}"
            ));
        }
        let mut subject = std::mem::MaybeUninit::<Subject>::zeroed();
        // SAFETY: the structure is of this version and has at least the size of its first form; fields that it lacks stay zero, that is, null. The
        // copy is byte by byte, and any bytes that the header allows in these fields are valid: integers, pointers, and nullable function pointers.
        let subject = unsafe {
            let fits = size.min(size_of::<Subject>());
            given.cast::<u8>().copy_to_nonoverlapping(subject.as_mut_ptr().cast(), fits);
            subject.assume_init()
        };
        Ok(Library { subject, instance: std::ptr::null_mut(), is_open: false, _handle: library })
    }

    /// Returns the supported instruction sets: bit n for the set with number n.
    pub(super) fn isas(&self) -> u32 {
        self.subject.isas
    }

    /// Returns the library's abilities.
    pub(super) fn abilities(&self) -> Vec<Ability> {
        let Subject { decode, run, trace, translate, abilities, .. } = &self.subject;
        let runs = run.is_some();
        let abilities = [
            (decode.is_some(), Ability::Decode),
            (runs, Ability::Run),
            (runs && trace.is_some(), Ability::Trace),
            (runs && abilities & REGISTERS != 0, Ability::Registers),
            (translate.is_some(), Ability::Translate),
        ];
        abilities.into_iter().filter(|(can, _)| *can).map(|(_, ability)| ability).collect()
    }

    /// Returns the language of the library's translations.
    ///
    /// # Errors
    /// If the header defines no language with the library's number.
    pub(super) fn language(&self) -> Result<Language, String> {
        match self.subject.language {
            language::GLSL => Ok(Language::Glsl),
            language::SPIRV => Ok(Language::Spirv),
            language::WGSL => Ok(Language::Wgsl),
            other => Err(format!("it translates to the language {other}, which lockstep.h does not have")),
        }
    }

    /// Returns the library's name, version and profile.
    pub(super) fn texts(&self) -> [Option<String>; 3] {
        let text = |at: *const c_char| {
            // SAFETY: the header guarantees that these are null or strings that last as long as the library.
            (!at.is_null()).then(|| unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned())
        };
        [self.subject.name, self.subject.version, self.subject.profile].map(text)
    }

    /// Opens the library: calls its `open`, if there is one.
    ///
    /// # Errors
    /// Why the library cannot be judged.
    pub(super) fn open(&mut self, greeting: &GreetingView) -> Result<(), String> {
        let Some(open) = self.subject.open else { return Ok(()) };
        let mut message = Message::new();
        let mut room = message.room();
        // SAFETY: the view and the buffer are as the header requires; foreign code.
        let call = || unsafe { open(greeting.raw(), &raw mut room) };
        let instance = in_standard_mode(call).map_err(|failure| failure.message)?;
        if instance.is_null() {
            return Err(message.text(&room));
        }
        (self.instance, self.is_open) = (instance, true);
        Ok(())
    }

    /// Calls the library's decoder. Returns its return value; the results are in the buffers.
    ///
    /// # Errors
    /// If the library has no decoder, or leaves the floating-point mode changed.
    pub(super) fn decode(
        &self,
        program: &ProgramView<'_>,
        buffers: &mut DecodeBuffers,
    ) -> Result<u32, Failure> {
        let Some(decode) = self.subject.decode else { return Err(missing_function("decode")) };
        let raw = buffers.raw();
        // SAFETY: the view and the buffers are as the header requires; foreign code.
        in_standard_mode(|| unsafe { decode(self.instance, program.raw(), raw) })
    }

    /// Calls the library's translator. Returns its return value; the results are in the buffers.
    ///
    /// # Errors
    /// If the library has no translator, or leaves the floating-point mode changed.
    pub(super) fn translate(
        &self,
        program: &ProgramView<'_>,
        buffers: &mut TranslateBuffers,
    ) -> Result<u32, Failure> {
        let Some(translate) = self.subject.translate else { return Err(missing_function("translate")) };
        let raw = buffers.raw();
        // SAFETY: the view and the buffers are as the header requires; foreign code.
        in_standard_mode(|| unsafe { translate(self.instance, program.raw(), raw) })
    }

    /// Calls the library's executor. Returns its return value; the results are in the buffers.
    ///
    /// # Errors
    /// If the library has no executor, or leaves the floating-point mode changed.
    pub(super) fn run(
        &self,
        program: &ProgramView<'_>,
        run: &RunView<'_>,
        buffers: &mut RunBuffers,
        mark: &mut Mark,
    ) -> Result<u32, Failure> {
        let Some(call) = self.subject.run else { return Err(missing_function("run")) };
        let raw = buffers.raw(program, run, mark.at());
        let sampling = Sampling::new(run.texture_data());
        let environment = with_sampler(run, &sampling);
        // SAFETY: as above; the mark lives as long as it is borrowed, and the textures until the call has returned.
        in_standard_mode(|| unsafe { call(self.instance, program.raw(), &raw const environment, raw) })
    }

    /// Calls the library's function that lists steps. Returns its return value; the results are in the buffers.
    ///
    /// # Errors
    /// If the library has no such function, or leaves the floating-point mode changed.
    pub(super) fn trace(
        &self,
        program: &ProgramView<'_>,
        run: &RunView<'_>,
        buffers: &mut TraceBuffers,
        mark: &mut Mark,
    ) -> Result<u32, Failure> {
        let Some(call) = self.subject.trace else { return Err(missing_function("trace")) };
        let raw = buffers.raw(mark.at());
        let sampling = Sampling::new(run.texture_data());
        let environment = with_sampler(run, &sampling);
        // SAFETY: as above.
        in_standard_mode(|| unsafe { call(self.instance, program.raw(), &raw const environment, raw) })
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        if let (true, Some(close)) = (self.is_open, self.subject.close) {
            // SAFETY: the header declares this the last call; foreign code.
            unsafe { close(self.instance) };
        }
    }
}

/// Returns the environment of a run with the function that reads its textures.
fn with_sampler(run: &RunView<'_>, sampling: &Sampling<'_>) -> Environment {
    let context = std::ptr::from_ref(sampling).cast_mut().cast();
    Environment { sample: Some(sample), sampling: context, ..*run.description() }
}

/// `sample` of the environment: reads a texture on behalf of a library.
///
/// # Safety
/// `context` is what the environment contains, the call that got the environment has not returned, and the other pointers are null or as the header
/// requires.
unsafe extern "C-unwind" fn sample(context: *mut c_void, read: *const Read, texel: *mut [u32; 4]) -> u32 {
    if context.is_null() || read.is_null() || texel.is_null() {
        return verdict::REJECTED;
    }
    // SAFETY: all versions begin with the size, and a structure of at least this size has all fields. The context is only read.
    unsafe {
        if (&raw const (*read).size).read() < size_of::<Read>() {
            return verdict::REJECTED;
        }
        let read = read.read();
        match (*context.cast::<Sampling<'_>>()).texel(&read, read.state.as_ref()) {
            Some(value) => {
                texel.write(value);
                verdict::ACCEPTED
            }
            None => verdict::REJECTED,
        }
    }
}

fn missing_function(name: &str) -> Failure {
    Failure {
        kind: FailureKind::MalformedAnswer,
        message: format!("its lockstep_subject has no function '{name}'"),
    }
}

/// One page of a file mapped into memory and shared with other processes.
pub(super) struct Page {
    at: *mut c_void,
}

/// The size of a [`Page`] in bytes.
pub(super) const PAGE: usize = 4096;

impl Page {
    /// Maps the first [`PAGE`] bytes of a file; `None` if the file is smaller or the mapping fails.
    #[cfg(unix)]
    pub(super) fn map(file: &std::fs::File) -> Option<Page> {
        use rustix::mm::{MapFlags, ProtFlags, mmap};
        // The file must have at least this size; otherwise an access would fault.
        if file.metadata().ok()?.len() < PAGE as u64 {
            return None;
        }
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address that the system chooses overlaps no other memory.
        let at = unsafe { mmap(std::ptr::null_mut(), PAGE, protection, MapFlags::SHARED, file, 0) };
        at.ok().map(|at| Page { at })
    }

    #[cfg(not(unix))]
    pub(super) fn map(_: &std::fs::File) -> Option<Page> {
        None
    }

    /// Returns the address of the page; aligned, and valid as long as the page exists.
    pub(super) fn at(&self) -> *mut c_void {
        self.at
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        #[cfg(unix)]
        // SAFETY: this mapping is ours, and every user of its address borrows the page.
        let _ = unsafe { rustix::mm::munmap(self.at, PAGE) };
    }
}

/// Writes the `u32` at the start of a page.
pub(super) fn write_word(page: &Page, value: u32) {
    // SAFETY: the page is mapped, writable and aligned. Other writers write only during our calls, never at the same time.
    unsafe { page.at.cast::<u32>().write_volatile(value) };
}
