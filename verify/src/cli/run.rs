//! `lockstep run`.

use super::input::{self, CaseArguments, resolved};
use super::lowered::Lowered;
use super::output::Ink;
use super::{Failure, Output, validate};
use crate::case::{Case, Setting};
use crate::engine::{Difference, Executor, Outcome, Tier, compare, evaluate, reference};
use crate::legality::LocatedViolation;
use crate::report::Exit;
use crate::stepping::plant;
use lockstep_core::exec::Level;
use lockstep_core::ir::Program;
use lockstep_core::isa::component::LETTERS;
use lockstep_core::isa::{End, Entry, Isa, Syntax};
use lockstep_core::text::count;
use lockstep_core::value::canonical_bits;
use lockstep_core::with_isa;
use serde::Serialize;
use std::io::Write;

/// Run a case on every engine and print the outputs of every lane.
///
/// The reference's outputs are printed. Each other engine is listed as agreeing or with its first difference; the exit code is 1 if one differs.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lockstep run case.toml\n  lockstep run shader.agal --seed 3 -O ifg=ge --json\n  lockstep run shader.agal --engine jit --dump asm"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    case: CaseArguments,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Run only this engine beside the reference.
    #[arg(long, value_name = "NAME")]
    engine: Option<EngineName>,
    /// Print the code that a compiling engine runs, after the outputs. `asm` is its machine code, each instruction below the IR instruction and the
    /// shader's instruction that it was compiled from; without `--engine` it is that of `jit`.
    #[arg(long, value_name = "WHAT", conflicts_with = "json")]
    dump: Option<Dump>,
    /// Change the operation of the Nth arithmetic instruction of each lowered program, to show what a difference looks like.
    #[arg(long, value_name = "N", hide = true)]
    fault: Option<usize>,
    /// Make this change for one engine only.
    #[arg(long, value_name = "NAME", hide = true, requires = "fault")]
    fault_engine: Option<String>,
}

/// An engine given by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum EngineName {
    /// The IR evaluator.
    Evaluator,
    /// The interpreter for any processor.
    Portable,
    /// The interpreter with AVX2.
    Avx2,
    /// The interpreter with AVX-512.
    Avx512,
    /// The compiler with AVX2.
    Jit256,
    /// The compiler with AVX-512.
    Jit512,
    /// The compiler with the longest vectors of this processor.
    Jit,
}

impl EngineName {
    /// Returns the tier; `None` for the evaluator.
    ///
    /// # Errors
    /// If this processor cannot run the tier.
    fn tier(self) -> Result<Option<Tier>, Failure> {
        let level = match self {
            EngineName::Evaluator => return Ok(None),
            EngineName::Portable => Level::Portable,
            EngineName::Avx2 => Level::Avx2,
            EngineName::Avx512 => Level::Avx512,
            EngineName::Jit256 => Level::Jit256,
            EngineName::Jit if !Level::Jit512.is_available() => Level::Jit256,
            EngineName::Jit512 | EngineName::Jit => Level::Jit512,
        };
        if level.is_available() {
            return Ok(Some(Tier(level)));
        }
        Err(Failure::Inconclusive(format!("this processor cannot run the engine {}", Tier(level))))
    }
}

/// The forms of a program that `--dump` can print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Dump {
    /// Machine code.
    Asm,
}

/// An output component with its value.
#[derive(Serialize)]
struct Component {
    name: String,
    value: String,
    bits: String,
}

#[derive(Serialize)]
struct Lane {
    #[serde(rename = "lane")]
    number: usize,
    end: lockstep_core::isa::End,
    killed: bool,
    outputs: Vec<Component>,
    effects: Vec<Recorded>,
}

/// An effect with its compared components.
#[derive(Serialize)]
struct Recorded {
    name: String,
    kind: u8,
    index: u16,
    values: Vec<Component>,
}

/// An engine's result compared with the reference.
#[derive(Serialize)]
pub(super) struct EngineResult {
    pub(super) engine: String,
    agrees: bool,
    difference: Option<Difference>,
    /// The position of the difference, in the terms of the instruction set.
    #[serde(skip)]
    at: Option<String>,
}

impl EngineResult {
    pub(super) fn new<I: Syntax>(
        engine: String,
        entry: &Entry,
        expected: &Outcome,
        run: &Outcome,
    ) -> EngineResult {
        let difference = compare(entry, expected, run).err().map(|d| *d);
        let at = difference.as_ref().map(|d| d.place.name::<I>(entry));
        EngineResult { engine, agrees: difference.is_none(), difference, at }
    }

    /// Describes the difference in one line; `None` if there is none.
    pub(super) fn describe_difference(&self) -> Option<String> {
        let (d, at) = (self.difference.as_ref()?, self.at.as_ref()?);
        Some(format!("lane {}, {at}: {}, the reference has {}", d.lane, d.right, d.left))
    }

    /// Whether every engine agrees with the reference.
    pub(super) fn all_agree(results: &[EngineResult]) -> bool {
        results.iter().all(|result| result.agrees)
    }
}

#[derive(Serialize)]
struct Run {
    #[serde(flatten)]
    setting: Setting,
    lanes: Vec<Lane>,
    freedoms: Vec<String>,
    engines: Vec<EngineResult>,
    /// The rules that the program breaks.
    violations: Vec<LocatedViolation>,
    /// The kind of lowering that does not apply to this program, and why.
    left_out: Option<String>,
    /// The limit on the fuel of each lane of this case.
    #[serde(skip)]
    most_fuel: u32,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    let dumped = arguments.dump.map(|Dump::Asm| compiled_level(arguments.engine)).transpose()?;
    let case = arguments.case.read()?;
    let written = std::fs::read_to_string(&arguments.case.file).ok();
    let violations = validate::warn(&case, &arguments.case.file, written.as_deref(), out)?;
    input::warn_of_limits(&case, out)?;
    let run = Run { violations, ..with_isa!(case.isa, I => run_engines::<I>(&case, arguments))? };
    let mut agree = EngineResult::all_agree(&run.engines);
    if arguments.json {
        serde_json::to_writer_pretty(&mut *out, &run).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        print(&run, out)?;
        if let Some(level) = dumped {
            agree &= with_isa!(case.isa, I => print_machine_code::<I>(&case, arguments, level, out))?;
        }
    }
    Ok(match agree {
        false => Exit::Findings,
        // If no other engine was run, nothing was compared.
        true if run.engines.is_empty() => Exit::Inconclusive,
        true => Exit::Clean,
    })
}

/// Returns the level whose machine code `--dump asm` prints: that of the named engine, or of `jit`.
///
/// # Errors
/// If the engine has no machine code, or if this processor cannot run it.
fn compiled_level(engine: Option<EngineName>) -> Result<Level, Failure> {
    let tier = engine.unwrap_or(EngineName::Jit).tier()?;
    let Some(Tier(level)) = tier.filter(|tier| tier.0.is_compiled()) else {
        return Err(Failure::Usage("only jit, jit256 and jit512 have machine code to print".to_owned()));
    };
    Ok(level)
}

/// Prints the machine code for each kind of lowering, and returns whether all of it is valid.
fn print_machine_code<I: Isa>(
    case: &Case,
    arguments: &Arguments,
    level: Level,
    out: &mut Output,
) -> Result<bool, Failure> {
    let resolved = resolved::<I>(case, &arguments.case.file)?;
    let cx = resolved.context();
    let mut valid = true;
    for (mode, program) in Lowered::all(&cx, &arguments.case.file)?.lowerings {
        writeln!(out)?;
        valid &= super::machine_code::print(&cx, &format!("{}, {mode}", Tier(level)), &program, level, out)?;
    }
    Ok(valid)
}

fn run_engines<I: Isa>(case: &Case, arguments: &Arguments) -> Result<Run, Failure> {
    let resolved = resolved::<I>(case, &arguments.case.file)?;
    let cx = resolved.context();
    let Lowered { lowerings: lowered, left_out } = Lowered::all(&cx, &arguments.case.file)?;
    let mut faulty = lowered.clone();
    if let Some(n) = arguments.fault
        && !faulty.iter_mut().all(|(_, program)| plant(program, n))
    {
        return Err(Failure::Usage(format!("there is no arithmetic instruction {n} to plant a fault in")));
    }
    for (mode, program) in &lowered {
        let (blocks, instructions) = (program.blocks.len(), program.insts.len());
        tracing::info!(mode, words = I::instruction_count(&cx), blocks, instructions, "lowered");
    }
    let expected = reference(&cx, &resolved.env);
    let finished = expected.lanes.iter().filter(|lane| lane.end == End::Finished).count();
    let (lanes_run, freedoms) = (expected.lanes.len(), expected.freedoms.iter().count());
    tracing::info!(options = ?case.options, lanes = lanes_run, finished, freedoms, "ran on the reference");
    let only = arguments.engine.map(EngineName::tier).transpose()?;
    let mut engines = Vec::new();
    for ((mode, right), (_, wrong)) in lowered.iter().zip(&faulty) {
        let mut ask = |engine: String, run: &dyn Fn(&Program) -> Outcome| {
            let is_asked = arguments.fault_engine.as_ref().is_none_or(|only| *only == engine);
            let run = run(if is_asked { wrong } else { right });
            engines.push(EngineResult::new::<I>(engine, cx.entry, &expected, &run));
        };
        if only.is_none_or(|tier| tier.is_none()) {
            ask(format!("IR evaluator, {mode}"), &|program| evaluate(cx.entry, program, &resolved.env));
        }
        for tier in Tier::available() {
            if only.is_some_and(|only| only != Some(tier)) {
                continue;
            }
            ask(format!("executor, {tier}, {mode}"), &|program| {
                Executor::new(tier).run(cx.entry, program, &resolved.env)
            });
        }
    }
    if let Some(name) = &arguments.fault_engine
        && engines.iter().all(|result| result.engine != *name)
    {
        return Err(Failure::Usage(format!("there is no engine '{name}'")));
    }
    Ok(Run {
        setting: Setting::of(&case.entry, &resolved),
        lanes: lanes::<I>(cx.entry, &expected),
        freedoms: expected.freedoms.iter().map(|f| format!("{f:?}")).collect(),
        engines,
        violations: Vec::new(),
        left_out,
        most_fuel: resolved.limits.fuel,
    })
}

fn lanes<I: Syntax>(entry: &Entry, outcome: &Outcome) -> Vec<Lane> {
    let names: Vec<String> = entry
        .interface
        .components()
        .map(|(slot, c)| format!("{}.{}", I::output_name(entry, slot), LETTERS[usize::from(c)]))
        .collect();
    let lane = |(number, l): (usize, &crate::engine::LaneOutcome)| Lane {
        number,
        end: l.end,
        killed: l.killed,
        outputs: names.iter().zip(&l.outputs).map(|(name, value)| component(name.clone(), *value)).collect(),
        effects: l
            .effects
            .iter()
            .map(|e| Recorded {
                name: I::effect_name(entry, e.kind, e.index),
                kind: e.kind,
                index: e.index,
                values: e
                    .components()
                    .map(|(c, v)| component(LETTERS[usize::from(c)].to_string(), v))
                    .collect(),
            })
            .collect(),
    };
    outcome.lanes.iter().enumerate().map(lane).collect()
}

fn component(name: String, value: f32) -> Component {
    Component { name, value: format!("{value:?}"), bits: format!("0x{:08x}", canonical_bits(value)) }
}

fn print(run: &Run, out: &mut Output) -> Result<(), Failure> {
    for lane in &run.lanes {
        let killed = if lane.killed { ", killed" } else { "" };
        let head = out.paint(Ink::Head, &format!("lane {} {:?}{killed}", lane.number, lane.end));
        writeln!(out, "{head}")?;
        for c in &lane.outputs {
            writeln!(out, "  {:<8} {:>16}  {}", c.name, c.value, c.bits)?;
        }
        for (n, effect) in lane.effects.iter().enumerate() {
            writeln!(out, "  {n}: {}", effect.name)?;
            for c in &effect.values {
                writeln!(out, "    .{:<5} {:>16}  {}", c.name, c.value, c.bits)?;
            }
        }
    }
    let out_of_fuel = run.lanes.iter().filter(|lane| lane.end == End::OutOfFuel).count();
    if out_of_fuel > 0 {
        let (all, fuel, most) = (run.lanes.len(), run.setting.inputs.fuel, run.most_fuel);
        let text = format!(
            "out of fuel: {out_of_fuel} of {}; each had {fuel} for backward transfers and calls, and --fuel N gives up to {most}",
            count(all, "lane")
        );
        writeln!(out, "{}", out.paint(Ink::Doubtful, &text))?;
    }
    if !run.freedoms.is_empty() {
        writeln!(out, "the run reached points that the documents leave open: {}", run.freedoms.join(", "))?;
    }
    if let Some(left_out) = &run.left_out {
        let text = out.paint(Ink::Faint, &format!("not run: {left_out}"));
        writeln!(out, "{text}")?;
    }
    for engine in &run.engines {
        let verdict = match engine.describe_difference() {
            None => out.paint(Ink::Good, "agrees"),
            Some(text) => out.paint(Ink::Bad, &text),
        };
        writeln!(out, "{:<28} {verdict}", engine.engine)?;
    }
    Ok(())
}
