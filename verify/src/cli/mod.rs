//! The command line: one file per verb, each a thin layer over the library.

mod asm;
mod bugs;
mod case;
mod check;
mod diagnostic;
mod dis;
mod docs;
mod embedded;
mod explain;
mod r#gen;
mod human_log;
mod input;
mod interrupt;
mod isa;
mod judge;
mod levels;
mod logging;
mod lowered;
mod machine_code;
mod minimize;
mod output;
mod plugin;
mod progress;
mod prove;
mod rasterise;
mod reproduce;
mod run;
#[cfg(feature = "selftest")]
mod selftest;
mod serve;
mod slots;
mod time_trace;
mod trace;
mod validate;
mod vector;
mod worker;

use crate::corpus::ReadError;
use crate::report::Exit;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use output::{Colour, Output};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  lockstep check                          everything: corpora, vectors, regressions, proofs
  lockstep check my/shaders               a folder of your own programs
  lockstep validate shader.agal           the rules that a program breaks
  lockstep prove --filter m44             proofs about one opcode
  lockstep dis shader.agal                a program as text
  lockstep run shader.agal --seed 3       its outputs on every engine
  lockstep trace case.toml --lane 2       both engines, instruction by instruction
  lockstep gen --count 100 -o cases       generated programs with environments
  lockstep reproduce finding.toml         whether a finding still fails
  lockstep judge 'python3 mine.py' --isa agal   somebody else's decoder or executor
  lockstep vector add mine.toml --from seen.toml   results that a device was seen to produce

Exit codes: 0 clean, 1 findings, 2 usage or environment, 3 inconclusive (nothing checked, or a proof unknown).
A file named '-' is standard input or output.
A program's instruction set is given by --isa, else by the file's name (x.agal, x.d3d9.txt), else by the first
line of a text ('vs_3_0', '.a2xx vertex') or the first bytes, else by a folder named after an instruction set. A
first line that contradicts --isa or the file's name is an error. Stage and version are taken from the program.";

/// Runs two implementations of a GPU shader instruction set side by side and shows where they differ, with the smallest program that demonstrates the
/// difference.
#[derive(Debug, Parser)]
#[command(name = "lockstep", version, after_help = EXAMPLES, max_term_width = 110)]
struct Arguments {
    /// Print more: -v prints judged files, refusals and summaries, -vv each step with its time, -vvv lowered programs, too. The environment variable
    /// LOCKSTEP_LOG takes a filter such as `lockstep=debug`.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    /// Write a trace of the time that each step takes, for Perfetto or chrome://tracing.
    #[arg(long, global = true, value_name = "FILE")]
    time_trace: Option<PathBuf>,
    /// Whether to colour the output.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: Colour,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Check(check::Arguments),
    Validate(validate::Arguments),
    Prove(prove::Arguments),
    Asm(asm::Arguments),
    Dis(dis::Arguments),
    Run(run::Arguments),
    Trace(trace::Arguments),
    Reproduce(reproduce::Arguments),
    Minimize(minimize::Arguments),
    Gen(r#gen::Arguments),
    Case(case::Arguments),
    Vector(vector::Arguments),
    Judge(judge::Arguments),
    Explain(explain::Arguments),
    Serve(serve::Arguments),
    Bugs(bugs::Arguments),
    Isa(isa::Arguments),
    #[cfg(feature = "selftest")]
    Selftest(selftest::Arguments),
    Completions(docs::Completions),
    Man(docs::Man),
    /// Answers requests of another process of this program.
    #[command(hide = true)]
    Worker,
    #[command(hide = true)]
    Plugin(plugin::Arguments),
    /// Runs translations for `judge`.
    #[command(hide = true)]
    Rasterise,
}

/// The reason a verb failed.
#[derive(Debug)]
enum Failure {
    /// An input cannot be read.
    Read(Box<ReadError>),
    /// The arguments or the inputs are invalid.
    Usage(String),
    /// An operation of the operating system failed: its object and the error.
    Io(String, std::io::Error),
    /// A requirement is missing on this machine, so there is no result.
    Inconclusive(String),
    /// The reader of standard output has closed the pipe.
    Closed,
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Failure {
        Failure::Read(Box::new(error))
    }
}

/// Converts the error of a write to standard output.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Io("standard output".to_owned(), error),
        }
    }
}

/// The name that other tools usually give the option for a time trace. `judge` uses this name for the subject's profile.
const PROFILE: &str = "profile";
/// The id of `--profile`, as the option for a time trace, in the parsed arguments.
const PROFILE_ID: &str = "profile of times";

/// Returns the command with all its verbs.
fn command() -> clap::Command {
    Arguments::command().mut_subcommands(with_profile)
}

/// Adds `--profile`, as the option for a time trace, to a verb that is not hidden and has no such option, and to the verb's subcommands.
fn with_profile(verb: clap::Command) -> clap::Command {
    if verb.is_hide_set() || verb.get_arguments().any(|argument| argument.get_long() == Some(PROFILE)) {
        return verb;
    }
    let profile = clap::Arg::new(PROFILE_ID)
        .long(PROFILE)
        .value_name("FILE")
        .value_parser(clap::value_parser!(PathBuf))
        .help("The same as --time-trace (for `judge`, --profile is the subject's profile)");
    verb.arg(profile).mut_subcommands(with_profile)
}

/// Returns the path of the time trace that a verb's `--profile` gives.
fn profile_of(mut matches: &ArgMatches) -> Option<PathBuf> {
    loop {
        matches = matches.subcommand()?.1;
        if let Ok(Some(path)) = matches.try_get_one::<PathBuf>(PROFILE_ID) {
            return Some(path.clone());
        }
    }
}

/// Parses the arguments of this process. Returns them with the path of the time trace.
fn parse() -> Result<(Arguments, Option<PathBuf>), clap::Error> {
    let matches = command().try_get_matches()?;
    let arguments = Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command()))?;
    let profile = profile_of(&matches);
    if let (Some(_), Some(_)) = (&profile, &arguments.time_trace) {
        let text = "--profile and --time-trace are one option: give it once";
        return Err(command().error(clap::error::ErrorKind::ArgumentConflict, text));
    }
    let trace = profile.or(arguments.time_trace.clone());
    Ok((arguments, trace))
}

/// Returns an error if the time trace would overwrite a file named by another argument, since the trace is created before any input is read.
fn not_over_an_argument(trace: &Path, arguments: impl Iterator<Item = OsString>) -> Result<(), Failure> {
    let mut is_name = true;
    for argument in arguments {
        // The path after the trace's own option is skipped.
        let option = argument.to_str().and_then(|text| text.strip_prefix("--"));
        if is_name {
            input::not_over_itself(Path::new(&argument), trace)?;
        }
        is_name = !option.is_some_and(|option| ["time-trace", PROFILE].contains(&option));
    }
    Ok(())
}

/// Parses the process's arguments, runs the verb, and returns the exit code. `corpora` are the project's corpora at build time.
pub fn main(corpora: &'static include_dir::Dir<'static>) -> ExitCode {
    embedded::register_corpora(corpora);
    let (arguments, trace) = match parse() {
        Ok(parsed) => parsed,
        Err(error) => {
            // Requests for help and version are returned as errors, too. A closed pipe is not an error.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { Exit::Usage.code() } else { 0 });
        }
    };
    let mut out = Output::new(arguments.color);
    let begun =
        trace.as_deref().map_or(Ok(()), |trace| not_over_an_argument(trace, std::env::args_os().skip(1)));
    let done = match begun
        .and_then(|()| logging::start(arguments.verbose, out.errors_coloured(), trace.as_deref()))
    {
        Ok(trace) => {
            let done = dispatch(&arguments, &mut out);
            if let Some(trace) = trace {
                trace.finish();
            }
            done
        }
        Err(failure) => Err(failure),
    };
    let done = done.and_then(|exit| match out.flush().map_err(Failure::from) {
        // If the reader closed the pipe, the exit code still contains the verdict.
        Ok(()) | Err(Failure::Closed) => Ok(exit),
        Err(failure) if exit == Exit::Clean => Err(failure),
        Err(failure) => {
            let _ = out.error(&diagnostic::render(&failure, out.errors_coloured()));
            Ok(exit)
        }
    });
    let exit = match done {
        Ok(exit) => exit,
        Err(Failure::Closed) => Exit::Clean,
        Err(failure) => {
            let _ = out.error(&diagnostic::render(&failure, out.errors_coloured()));
            if matches!(failure, Failure::Inconclusive(_)) {
                return ExitCode::from(Exit::Inconclusive.code());
            }
            Exit::Usage
        }
    };
    ExitCode::from(exit.code())
}

/// Runs the verb that the arguments select.
fn dispatch(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    match &arguments.verb {
        Verb::Check(a) => check::run(a, out),
        Verb::Validate(a) => validate::run(a, out),
        Verb::Prove(a) => prove::run(a, out),
        Verb::Asm(a) => asm::run(a, out),
        Verb::Dis(a) => dis::run(a, arguments.verbose, out),
        Verb::Run(a) => run::run(a, out),
        Verb::Trace(a) => trace::run(a, out),
        Verb::Reproduce(a) => reproduce::run(a, out),
        Verb::Minimize(a) => minimize::run(a, out),
        Verb::Gen(a) => r#gen::run(a, out),
        Verb::Case(a) => case::run(a, out),
        Verb::Vector(a) => vector::run(a, out),
        Verb::Judge(a) => judge::run(a, out),
        Verb::Explain(a) => explain::run(a, out),
        Verb::Serve(a) => serve::run(a, out),
        Verb::Bugs(a) => bugs::run(a, out),
        Verb::Isa(a) => isa::run(a, out),
        #[cfg(feature = "selftest")]
        Verb::Selftest(a) => selftest::run(a, out),
        Verb::Completions(a) => docs::completions(a, out),
        Verb::Man(_) => docs::man(out),
        Verb::Worker => Ok(worker::run(out.raw_stdout())),
        Verb::Plugin(a) => plugin::run(a, out),
        Verb::Rasterise => rasterise::run(out),
    }
}
