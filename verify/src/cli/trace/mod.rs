//! `lockstep trace`.

#[cfg(test)]
mod tests;

use super::input::{self, CaseArguments, resolved};
use super::lowered::Lowered;
use super::output::Ink;
use super::run::EngineResult;
use super::{Failure, Output};
use crate::case::{Case, Resolved};
use crate::engine::{Executor, Outcome, Tier, compare, evaluate, reference};
use crate::report::Exit;
use crate::stepping::{Change, Shown, Trace, plant, trace};
use lockstep_core::ir::Program;
use lockstep_core::isa::{Entry, Isa};
use lockstep_core::text::count;
use lockstep_core::with_isa;
use serde::Serialize;
use std::io::Write;

/// Step both engines through a case, one instruction at a time, and mark where they first differ.
///
/// For every instruction, its text and the registers that it changed are printed, with their values in the reference and in the lowered program, in
/// decimal and as bits. A difference is marked if it reaches a result: an output, an effect, the kill mark or the end of the lane. A difference
/// that reaches no result is mentioned at the end. Then the executor's outcome, at every level that the machine supports, is compared with that of
/// the reference. Exits 1 if a result differs, 3 if the limit on instructions was reached.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  lockstep trace lockstep-findings/agal-execution-add-output.toml --lane 2"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    case: CaseArguments,
    /// The lane to follow, from 0. The other lanes of its quad are run with it.
    #[arg(long, value_name = "N", default_value_t = 0)]
    lane: usize,
    /// Stop after this many instructions.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    limit: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Change the operation of the Nth arithmetic instruction of the lowered program, to show what a divergence looks like.
    #[arg(long, value_name = "N", hide = true)]
    fault: Option<usize>,
}

#[derive(Serialize)]
struct TraceReport {
    #[serde(flatten)]
    trace: Trace,
    executor: Vec<EngineResult>,
    /// The kind of lowering that does not apply to this program, and why.
    left_out: Option<String>,
}

pub(super) fn run(arguments: &Arguments, out: &mut Output) -> Result<Exit, Failure> {
    let case = arguments.case.read()?;
    input::warn_of_limits(&case, out)?;
    let both = with_isa!(case.isa, I => trace_case::<I>(&case, arguments))?;
    let agree = both.trace.first_difference.is_none() && EngineResult::all_agree(&both.executor);
    let exit = if !agree {
        Exit::Findings
    } else if both.trace.cut {
        Exit::Inconclusive
    } else {
        Exit::Clean
    };
    if arguments.json {
        serde_json::to_writer_pretty(&mut *out, &both).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        print(&both, out)?;
    }
    Ok(exit)
}

fn trace_case<I: Isa>(case: &Case, arguments: &Arguments) -> Result<TraceReport, Failure> {
    let resolved = resolved::<I>(case, &arguments.case.file)?;
    let lanes = resolved.env.lanes.len();
    if arguments.lane >= lanes {
        return Err(Failure::Usage(format!(
            "there is no lane {}; the case has {lanes}, from 0",
            arguments.lane
        )));
    }
    let cx = resolved.context();
    let Lowered { lowerings: mut ways, left_out } = Lowered::all(&cx, &arguments.case.file)?;
    // Stepping by instruction requires the fallback.
    let Some((_, program)) = ways.iter_mut().find(|(way, _)| *way == "fallback") else {
        let text = "the lanes of a quad may diverge in this program in a way that leaves the instruction of a lane unknown, so the lowered \
                    program cannot be stepped by instruction; `lockstep run` compares the results";
        return Err(Failure::Usage(text.to_owned()));
    };
    if let Some(n) = arguments.fault
        && !plant(program, n)
    {
        return Err(Failure::Usage(format!("there is no arithmetic instruction {n} to plant a fault in")));
    }
    let expected = reference(&cx, &resolved.env);
    let trace = trace_lane(&resolved, program, arguments.lane, arguments.limit, &expected);
    let mut executor = Vec::new();
    for (mode, program) in &ways {
        for tier in Tier::available() {
            let run = Executor::new(tier).run(cx.entry, program, &resolved.env);
            executor.push(EngineResult::new::<I>(
                format!("executor, {tier}, {mode}"),
                cx.entry,
                &expected,
                &run,
            ));
        }
    }
    Ok(TraceReport { trace, executor, left_out })
}

/// Traces a lane, and marks the first difference if the lane's results differ from the reference's.
fn trace_lane<I: Isa>(
    resolved: &Resolved<I>,
    program: &Program,
    lane: usize,
    limit: usize,
    expected: &Outcome,
) -> Trace {
    let mut trace = trace(resolved, program, lane, limit, &mut |_| ());
    trace.classify_difference(alike(
        &resolved.entry,
        expected,
        &evaluate(&resolved.entry, program, &resolved.env),
        lane,
    ));
    trace
}

/// Whether one lane has the same results in two runs.
fn alike(entry: &Entry, left: &Outcome, right: &Outcome, lane: usize) -> bool {
    let only = |run: &Outcome| Outcome {
        lanes: run.lanes.get(lane).cloned().into_iter().collect(),
        freedoms: run.freedoms,
    };
    compare(entry, &only(left), &only(right)).is_ok()
}

fn print(both: &TraceReport, out: &mut Output) -> Result<(), Failure> {
    let trace = &both.trace;
    let head = out.paint(Ink::Head, &format!("lane {}: register, reference, lowered program", trace.lane));
    writeln!(out, "{head}")?;
    for (n, step) in trace.steps.iter().enumerate() {
        let word = step.word.map_or_else(String::new, |word| word.to_string());
        let line = format!("{word:>5}  {}", step.text.trim());
        let line = out.paint(Ink::Head, &line);
        let first = trace.first_difference == Some(n);
        let mark = if first { out.paint(Ink::Bad, "   <== first divergence") } else { String::new() };
        writeln!(out, "{line}{mark}")?;
        for change in &step.changes {
            let line = change_line(change);
            let line = if change.differs { out.paint(Ink::Bad, &line) } else { line };
            writeln!(out, "{line}")?;
        }
    }
    if trace.cut {
        writeln!(
            out,
            "{}",
            out.paint(Ink::Doubtful, "the limit on instructions was reached; --limit raises it")
        )?;
    } else if trace.first_difference.or(trace.transient_difference).is_none() {
        let text = format!("{}, no difference", count(trace.steps.len(), "instruction"));
        writeln!(out, "{}", out.paint(Ink::Good, &text))?;
    }
    if let Some(step) = trace.transient_difference.and_then(|n| trace.steps.get(n)) {
        let place = step.word.map_or_else(String::new, |word| format!("after instruction {word} "));
        let text = format!("{place}the engines differ in intermediate values, but not in the results");
        writeln!(out, "{}", out.paint(Ink::Doubtful, &text))?;
    }
    for engine in &both.executor {
        let verdict = match engine.describe_difference() {
            None => out.paint(Ink::Good, "agrees with the reference"),
            Some(text) => out.paint(Ink::Bad, &text),
        };
        writeln!(out, "{:<28} {verdict}", engine.engine)?;
    }
    if let Some(left_out) = &both.left_out {
        writeln!(out, "{}", out.paint(Ink::Faint, &format!("not run: {left_out}")))?;
    }
    Ok(())
}

fn change_line(change: &Change) -> String {
    let relation = if change.differs { "!=" } else { "==" };
    let side = |s: &Shown| format!("{:>16} {:<10}", s.decimal, s.bits);
    format!("         {:<8} {} {relation} {}", change.register, side(&change.reference), side(&change.ir))
        .trim_end()
        .to_owned()
}
