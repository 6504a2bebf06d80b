//! `lockstep judge`.

mod inputs;
mod party;
mod report;
mod subject;

use super::progress::Progress;
use super::{Failure, Output, interrupt};
use crate::case::Case;
use crate::judge::{
    Ability, Baseline, Campaign, Drawn, ExpectedVerdict, Open, Party, Profile, Source, StartError, joint,
};
use crate::report::Exit;
use inputs::{BaselineCheck, check_baseline, collect, read};
use lockstep_core::isa::IsaId;
use party::Judged;
pub(super) use party::{launch, open};
use report::{FindingReporter, combine_exits, finish, write_baseline};
use std::cell::Cell;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use subject::subject;
pub(super) use subject::words_of;

/// Compare another decoder or executor with the reference.
///
/// SUBJECT is a shared library or a command. A shared library (.so, .dylib, .dll), which may be followed by arguments for it, exports the function
/// declared in verify/include/lockstep.h and is loaded by a process of its own. A command line or a program file is started as a process that answers
/// the messages described in verify/PROTOCOL.md.
///
/// The subject is asked first about the cases and programs of PATH, then about generated programs of growing size. A result that differs from the
/// reference's result, a crash, a hang or a malformed answer is a finding. A finding is replayed in a fresh process, minimised, and written to a
/// folder of its own with everything needed to reproduce it.
///
/// Programs outside the subject's profile and programs that the reference does not finish are not sent. The subject may name a profile itself;
/// --profile replaces that profile.
///
/// By default, few of the generated programs depend on undefined values, and a subject may refuse programs that break rules at warning level. The
/// profile or --strict can require that the subject accepts them. Accepted programs are always compared.
///
/// Where the documents disagree, the instruction set has options. A difference that another choice of an option explains, consistently in all cases
/// of the run, is counted but is not a finding, unless the profile names the option or --strict-options is given.
///
/// With --also, further subjects are judged over the same cases; each case is inside the profiles of all subjects. A finding then states which party,
/// the reference or a subject, stands alone: no other party agrees with it, while more than half of the parties agree with one another. The findings
/// of each subject have a folder of their own.
///
/// Exits 1 only for findings that are not in the baseline. A baseline is a file such as DIR/baseline.toml, which each run writes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lockstep judge 'python3 subject.py' --isa agal
  lockstep judge ./libmine.so --isa d3d9
  lockstep judge ./my-decoder --isa d3d9 my/shaders --profile mine.toml --baseline known.toml
  lockstep judge ./libmine.so --also ./libold.so --also 'python3 theirs.py' --isa d3d9
  lockstep judge --isa pica200 --time 60 -- ./my-emulator --judge")]
pub(super) struct Arguments {
    /// The subject, and files and folders of cases and programs that the subject is asked about first.
    #[arg(value_name = "SUBJECT [PATH]")]
    words: Vec<String>,
    /// The subject with its arguments, after --; all other words are then paths.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// Another subject, written like SUBJECT, that is judged over the same cases. May be given several times.
    #[arg(long, value_name = "SUBJECT")]
    also: Vec<String>,
    /// Compare each subject with itself instead of the reference, on equivalent variants of a program: registers are renamed, instructions are
    /// reordered, split or inserted without effect, operand descriptors are duplicated, and constants are moved to uniforms.
    #[arg(long = "self")]
    itself: bool,
    /// The instruction set.
    #[arg(long, value_name = "NAME")]
    isa: IsaId,
    /// A TOML file that states what the subject supports and how exact its results are.
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// Leave out an opcode, for example one with a known bug, in the syntax of a profile's `supports` after `no`: litp or 'mul: a.index'. May be
    /// given several times.
    #[arg(long, value_name = "OPCODE")]
    without: Vec<String>,
    /// Treat the choice of every option as claimed by the subject: differences that only another choice explains are findings, too.
    #[arg(long)]
    strict_options: bool,
    /// Require that the subject accepts programs that only break rules at warning level, and generate programs that depend on undefined values as
    /// often as others.
    #[arg(long)]
    strict: bool,
    /// A TOML file of known findings.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// The number of generated programs; 1000 if neither this nor --time is given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1_000_000_000))]
    count: Option<u64>,
    /// Generate no further programs after this many seconds.
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    time: Option<u64>,
    /// The seed of the generated programs.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Use only every Nth generated program, beginning with the Kth.
    #[arg(long, value_name = "K/N", default_value = "1/1")]
    shard: Shard,
    /// The processor time, in seconds, that is allowed for every question. A longer time is a hang if it is also far above the subject's usual time.
    #[arg(long, value_name = "S", default_value = "1")]
    patience: Patience,
    /// The memory limit, in MiB, of the process that loads a shared library; 0 is no limit, which a library with an address sanitizer needs.
    #[arg(long, value_name = "MIB", default_value_t = MEMORY, value_parser = clap::value_parser!(u64).range(0..=1 << 24))]
    memory: u64,
    /// Stop after this many findings outside of the baseline; cases that were sent together may add a few more.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    most: Option<u64>,
    /// The folder for findings, each of which is written to a folder of its own.
    #[arg(long, value_name = "DIR", default_value = "lockstep-judged")]
    findings: PathBuf,
}

/// The default memory limit in MiB of the process that loads a library.
const MEMORY: u64 = 4096;
/// The default number of generated programs.
const COUNT: u64 = 1000;

/// A time in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Patience(f64);

impl std::str::FromStr for Patience {
    type Err = String;

    fn from_str(text: &str) -> Result<Patience, String> {
        match text.parse() {
            Ok(seconds) if (0.01..=3600.0).contains(&seconds) => Ok(Patience(seconds)),
            _ => Err("seconds are a number from 0.01 to 3600".to_owned()),
        }
    }
}

/// A share of the generated programs.
#[derive(Clone, Copy, Debug)]
struct Shard {
    /// The index of the share, from 0.
    index: u64,
    /// The number of shares.
    shards: u64,
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts =
            text.split_once('/').and_then(|(k, n)| Some((k.parse::<u64>().ok()?, n.parse::<u64>().ok()?)));
        match parts {
            Some((k, n)) if (1..=n).contains(&k) => Ok(Shard { index: k - 1, shards: n }),
            _ => Err("a shard is K/N with K from 1 to N".to_owned()),
        }
    }
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    if let Err(error) = interrupt::listen() {
        out.error(&format!(
            "interrupts cannot be handled, so one will end this run without a summary: {error}"
        ))?;
    }
    let (words, paths) = subject(arguments)?;
    let given = match &arguments.profile {
        Some(path) => Some(read(path, |text| Profile::from_text(text, arguments.isa))?),
        None => None,
    };
    // Checks `--without` before any process is started.
    without_opcodes(Profile::default(), arguments)?;
    let baseline = read_baseline(arguments)?;
    let cases = collect(&paths, arguments.isa, out)?;
    // Created first, since a campaign is useless if its findings cannot be written. A new folder that stays empty is removed at the end.
    let is_new = !arguments.findings.exists();
    std::fs::create_dir_all(&arguments.findings)
        .map_err(|error| Failure::Io(arguments.findings.display().to_string(), error))?;
    let judged = Judged::start(arguments, words, given.as_ref())?;
    for one in &judged {
        writeln!(out, "{}", one.line(arguments))?;
    }
    out.flush()?;
    let profiles: Vec<&Profile> = judged.iter().map(|one| &one.profile).collect();
    let profile = joint(&profiles, arguments.isa).map_err(Failure::Usage)?;
    let done = campaigns(arguments, &judged, &profile, &baseline, &cases, out)?;
    if is_new {
        // Removing the folder fails if it contains findings, which are kept.
        let _ = std::fs::remove_dir(&arguments.findings);
    }
    Ok(done)
}

/// Reads the baseline and checks that its cases are for the instruction set.
fn read_baseline(arguments: &Arguments) -> Result<Baseline, Failure> {
    let Some(path) = &arguments.baseline else { return Ok(Baseline::default()) };
    let baseline = read(path, Baseline::from_text)?;
    for entry in &baseline.findings {
        let cases = entry.cases().unwrap_or_default();
        if let Some(other) = cases.iter().map(|case| case.isa).find(|isa| *isa != arguments.isa) {
            let why = format!("the baseline's {} is {other}, not {}", entry.signature, arguments.isa);
            return Err(Failure::Usage(why));
        }
    }
    Ok(baseline)
}

/// Runs a campaign for each subject, all with the same cases.
fn campaigns(
    arguments: &Arguments,
    judged: &[Judged],
    profile: &Profile,
    baseline: &Baseline,
    cases: &[Case],
    out: &mut Output,
) -> Result<Exit, Failure> {
    let unusable = |error: StartError| Failure::Usage(error.to_string());
    let opens: Vec<_> = judged.iter().map(|one| move || one.open()).collect();
    let mut known: Vec<BaselineCheck> = Vec::with_capacity(judged.len());
    for (one, open) in judged.iter().zip(&opens) {
        let about = baseline.for_subject(&one.name);
        known.push(check_baseline(&about, open, &one.profile, &one.hello).map_err(unusable)?);
    }
    let parties: Vec<Party<'_>> = judged
        .iter()
        .zip(&opens)
        .map(|(one, open)| Party {
            name: &one.name,
            open: open as &Open<'_>,
            profile: &one.profile,
            abilities: &one.hello.abilities,
        })
        .collect();
    let fresh = Cell::new(0);
    let mut campaigns: Vec<Campaign<'_>> =
        parties.iter().map(|party| Campaign::new(party.open, party.profile, party.abilities)).collect();
    let mut tellers = Vec::with_capacity(judged.len());
    for ((one, known), party) in judged.iter().zip(&known).zip(&parties) {
        // Entries that no longer fail are not part of the effective baseline.
        let excused = Baseline { findings: known.failing.iter().chain(&known.unchecked).cloned().collect() };
        tellers.push(FindingReporter::new(one, excused, party, &parties, &fresh));
    }
    if arguments.strict_options {
        campaigns.iter_mut().for_each(Campaign::strict_options);
    }
    let abilities: Vec<&[Ability]> = judged.iter().map(|one| one.hello.abilities.as_slice()).collect();
    let source = Source::new(arguments.isa, profile, arguments.seed, &abilities);
    let enough = || arguments.most.is_some_and(|most| fresh.get() >= most);
    let mut ask = |cases: &[Case], out: &mut Output| -> Result<bool, StartError> {
        for (campaign, teller) in campaigns.iter_mut().zip(&mut tellers) {
            campaign.batch(cases, &mut |told| teller.handle(&told, out))?;
        }
        Ok(campaigns.iter().all(|campaign| !campaign.summary.interrupted))
    };
    let mut all = || -> Result<Drawn, StartError> {
        for case in cases.iter().take_while(|_| !enough()) {
            if !ask(std::slice::from_ref(case), out)? {
                return Ok(Drawn::default());
            }
        }
        generate(arguments, &source, &enough, &mut |cases| ask(cases, out))
    };
    let drawn = all();
    let drawn = drawn.and_then(|drawn| {
        for (campaign, teller) in campaigns.iter_mut().zip(&mut tellers) {
            campaign.retire(&mut |told| teller.handle(&told, out))?;
        }
        Ok(drawn)
    });
    let mut broken = None;
    let drawn = match drawn {
        Ok(drawn) => drawn,
        // The start failed because the interrupt killed the worker.
        Err(_) if interrupt::is_interrupted() => Drawn::default(),
        // If any case was sent, the findings so far are reported before the error.
        Err(error) if campaigns.iter().any(|campaign| campaign.summary.sent > 0) => {
            broken = Some(error.to_string());
            for campaign in &mut campaigns {
                campaign.summary.interrupted = true;
            }
            Drawn::default()
        }
        Err(error) => return Err(unusable(error)),
    };
    let fresh: Vec<u64> = tellers.iter().map(|teller| teller.own).collect();
    if let Some(failure) = tellers.into_iter().find_map(|teller| teller.first_error) {
        return Err(failure);
    }
    if let Some(why) = broken {
        out.error(&format!("no further worker starts: {why}"))?;
    }
    let mut exit = None;
    for (at, campaign) in campaigns.iter().enumerate() {
        if judged.len() > 1 {
            writeln!(out, "\n{}", judged[at].name)?;
        }
        let about = baseline.for_subject(&judged[at].name);
        let done = finish(campaign, &drawn, &known[at], &about, fresh[at], out)?;
        exit = Some(exit.map_or(done, |before| combine_exits(before, done)));
    }
    write_baseline(arguments, judged, &campaigns, &known)?;
    Ok(exit.unwrap_or(Exit::Inconclusive))
}

/// Returns the profile without the opcodes of `--without`. With `--strict`, programs that only break rules at warning level must be accepted.
fn without_opcodes(mut profile: Profile, arguments: &Arguments) -> Result<Profile, Failure> {
    for one in &arguments.without {
        profile.supports.push_str("\nno ");
        profile.supports.push_str(one);
    }
    if arguments.strict {
        profile.invalid.doubtful = ExpectedVerdict::Accepted;
    }
    let wrong = |error| Failure::Usage(format!("--without: {error}"));
    profile.check(arguments.isa).map_err(wrong)?;
    Ok(profile)
}

/// Sends generated programs to all subjects.
fn generate(
    arguments: &Arguments,
    source: &Source<'_>,
    enough: &dyn Fn() -> bool,
    ask: &mut dyn FnMut(&[Case]) -> Result<bool, StartError>,
) -> Result<Drawn, StartError> {
    let Shard { index, shards } = arguments.shard;
    let until = arguments.time.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    // With a time limit but no count, the number of programs is not limited.
    let end = arguments.count.unwrap_or(if until.is_some() { u64::MAX } else { COUNT });
    let mut numbers = (index..end).filter(|number| number % shards == index);
    let progress = Progress::new("programs", usize::try_from(end / shards).unwrap_or(usize::MAX));
    let mut drawn = Drawn::default();
    loop {
        let batch: Vec<u64> = numbers.by_ref().take(Campaign::BATCH).collect();
        let late = until.is_some_and(|until| Instant::now() > until);
        if batch.is_empty() || late || enough() || interrupt::is_interrupted() {
            return Ok(drawn);
        }
        let cases: Vec<Case> = batch.iter().filter_map(|number| source.case(*number, &mut drawn)).collect();
        if !ask(&cases)? {
            return Ok(drawn);
        }
        for _ in &batch {
            progress.step();
        }
    }
}
