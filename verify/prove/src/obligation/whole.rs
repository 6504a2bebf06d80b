//! Runs of whole programs, path by path: compares the reference with the program as lowered by nodes, as lowered by the fallback, and as rewritten.
//!
//! Constants that control loops and branches are concrete, in a few settings; step simulation proves each node for all of their values.
//! Constants that the program itself fixes are the same in every setting.

use super::controls::{self, control_constants};
use super::effects::{self, claim_effects};
use super::lowering::setting_name;
use super::wrong_lane::{STOPS, find_undetected_output, has_claim_about};
use super::{
    DRAWS, FIRST_DRAWS, Kind, MutantStatus, NamedProgram, Obligation, ObligationSpan, Task, entries, refused,
};
use crate::claims::{ClaimBuilder, Claims};
use crate::host::{ControlReads, SymbolicHost, term, unknown};
use crate::mutate::{Mutation, drops, drops_in, hang, returns};
use crate::sabotage::{self, Sabotage};
use crate::term::{Terms, explore};
use lockstep_core::host::Environment;
use lockstep_core::ir::eval::{self, Stop};
use lockstep_core::ir::{self, BlockId};
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{
    self, Context, End, Entry, Isa, LaneState, Options, Refinement, Stage, Syntax, registers,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The fuel of a lane: a loop is proved for this many iterations.
const FUEL: u32 = 4;
/// The maximum number of paths followed; if there are more, the verdict is bounded.
const MAX_PATHS: usize = 256;
/// The number of settings of the control constants that are run.
const CONTROL_SETTINGS: usize = 3;
/// The maximum number of mutants of a form tried on a path. Until evaluation refutes one, mutants are tried on up to [`PATHS_WITH_MUTANTS`] paths.
const MUTANTS_PER_PATH: usize = 12;
const PATHS_WITH_MUTANTS: usize = 4;
/// The maximum number of dropped writes and effects tried on all paths if evaluation refutes no mutant on the first paths.
const MUTANTS_ON_ALL_PATHS: usize = 4;
/// The maximum number of blocks that a mutant may run. A mutant that lost the write of its loop counter would not terminate.
const MAX_BLOCKS: usize = 4096;

pub(super) fn tasks<I: Isa>(programs: &[NamedProgram]) -> Vec<Task> {
    programs
        .iter()
        .map(|(name, bytes)| {
            let (name, bytes) =
                (format!("{} {} {name}", I::ID, Kind::Program.name()), Arc::new(bytes.clone()));
            Task::new(name.clone(), move |boundaries| {
                obligations::<I>(&name, &bytes, boundaries, Entry::clone)
            })
        })
        .collect()
}

/// Returns tasks for the shortest program of each stage and version (of equally short ones, the first by name), with the initial values of all
/// registers as inputs and the final values of all control registers as outputs. The code for these registers is the same for
/// all programs of a stage and version.
pub(super) fn with_registers<I: Isa>(programs: &[NamedProgram]) -> Vec<Task> {
    let mut shortest: BTreeMap<(Stage, u32), &NamedProgram> = BTreeMap::new();
    for named in programs {
        let Some(entry) = I::decode(&named.1).ok().and_then(|program| I::entry(&program, 0)) else {
            continue;
        };
        let known = shortest.entry((entry.stage, entry.version)).or_insert(named);
        if (named.1.len(), &named.0) < (known.1.len(), &known.0) {
            *known = named;
        }
    }
    shortest
        .into_values()
        .map(|(name, bytes)| {
            let name = format!("{} {} registers of {name}", I::ID, Kind::Program.name());
            let bytes = bytes.clone();
            Task::new(name.clone(), move |boundaries| {
                obligations::<I>(&name, &bytes, boundaries, registers::with_registers::<I>)
            })
        })
        .collect()
}

/// Makes the obligations about a program at each of its entries, as changed by `change`.
fn obligations<I: Isa>(
    name: &str,
    bytes: &[u8],
    boundaries: &[u32],
    change: fn(&Entry) -> Entry,
) -> Vec<Obligation> {
    let program = match I::decode(bytes) {
        Ok(program) => program,
        Err(error) => return vec![refused(Kind::Program, name.to_owned(), &error)],
    };
    let mut all = Vec::new();
    for (entry, number) in entries::<I>(&program) {
        let (name, entry) = (format!("{name}{number}"), change(&entry));
        let options = Options::new(I::option_specs());
        let cx: Context<'_, I> = Context { program: &program, entry: &entry, options: &options };
        let nodes = match isa::lower(&cx, Mode::Nodes) {
            Ok(nodes) => nodes,
            Err(error) => {
                all.push(refused(Kind::Program, name, &error));
                continue;
            }
        };
        let setting = setting_name(&options);
        let has_control_constants =
            nodes.insts.iter().any(|i| matches!(i.op, ir::Op::IntUniform(_) | ir::Op::BoolUniform(_)));
        let varied = has_control_constants && !sabotage::is(Sabotage::ControlDefaults);
        let count = if varied { CONTROL_SETTINGS } else { 1 };
        let environments: Vec<Environment> = (0..count)
            .map(|number| {
                let mut environment = control_constants(number);
                I::preset(&program, &entry, &mut environment);
                environment
            })
            .collect();
        let settings = if has_control_constants {
            format!(", {CONTROL_SETTINGS} settings of control constants")
        } else {
            String::new()
        };
        let rewritten = ir::rewrite::rewrite(&nodes);
        let mut forms = vec![("lowered", nodes), ("rewritten", rewritten)];
        match isa::lower(&cx, Mode::Fallback) {
            Ok(fallback) => forms.push(("fallback", fallback)),
            Err(error) => all.push(refused(Kind::Program, format!("{name}{setting}: fallback"), &error)),
        }
        // All forms are followed together.
        let span = ObligationSpan::begin(Kind::Program, &format!("{name}{setting}"));
        let mut forms: Vec<Form<'_>> = forms.iter().map(|(name, program)| Form::new(name, program)).collect();
        let all_finished = follow(cx, &mut forms, &environments, boundaries);
        drop(span);
        all.extend(forms.into_iter().map(|form| {
            let name = format!("{name}{setting}: {}{settings}", form.name);
            let mut obligation = Obligation::new(Kind::Program, name, form.claims);
            obligation.fuel = (!all_finished).then_some(FUEL.into());
            obligation.mutants = form.witness.into_iter().map(|name| (name, MutantStatus::Refuted)).collect();
            obligation
        }));
    }
    all
}

/// Proves that a variant is equivalent to the original program: the reference runs the original's entry, and the variant's lowered forms are compared
/// with it. Both get the constants that the original defines.
pub(super) fn variant<I: Isa>(
    name: &str,
    original: (&[u8], usize),
    variant: (&[u8], usize),
    boundaries: &[u32],
) -> Vec<Obligation> {
    let decoded = |(bytes, number): (&[u8], usize)| {
        let program = I::decode(bytes).map_err(|error| error.to_string())?;
        let entry = I::entry(&program, number).ok_or_else(|| format!("there is no entry {number}"))?;
        Ok::<_, String>((program, entry))
    };
    let ((program, entry), (other, other_entry)) = match (decoded(original), decoded(variant)) {
        (Ok(one), Ok(other)) => (one, other),
        (Err(error), _) | (_, Err(error)) => return vec![refused(Kind::Program, name.to_owned(), &error)],
    };
    let options = Options::new(I::option_specs());
    let cx: Context<'_, I> = Context { program: &program, entry: &entry, options: &options };
    let other: Context<'_, I> = Context { program: &other, entry: &other_entry, options: &options };
    let mut all = Vec::new();
    let mut lowered = Vec::new();
    for (form, mode) in [("nodes", Mode::Nodes), ("fallback", Mode::Fallback)] {
        match isa::lower(&other, mode) {
            Ok(program) => lowered.push((form, program)),
            Err(error) => all.push(refused(Kind::Program, format!("{name}: {form}"), &error)),
        }
    }
    let environments: Vec<Environment> = (0..CONTROL_SETTINGS)
        .map(|number| {
            let mut environment = control_constants(number);
            I::preset(&program, &entry, &mut environment);
            environment
        })
        .collect();
    let mut forms: Vec<Form<'_>> = lowered.iter().map(|(name, program)| Form::new(name, program)).collect();
    let all_finished = follow(cx, &mut forms, &environments, boundaries);
    all.extend(forms.into_iter().map(|form| {
        let mut obligation = Obligation::new(Kind::Program, format!("{name}: {}", form.name), form.claims);
        obligation.fuel = (!all_finished).then_some(FUEL.into());
        obligation.mutants = form.witness.into_iter().map(|name| (name, MutantStatus::Refuted)).collect();
        obligation
    }));
    all
}

/// A form of a program with the claims about it.
struct Form<'p> {
    name: &'p str,
    program: &'p ir::Program,
    claim_builder: ClaimBuilder,
    claims: Claims,
    /// A mutant that evaluation refutes, once found.
    witness: Option<String>,
    /// The number of paths on which a mutant has been searched for.
    tried: usize,
    /// The ends of a lane for which each claim was shown to fail.
    failed: ShownToFail,
}

/// The ends of a lane for which each claim about the lane was shown to fail on a corrupted lane.
#[derive(Default)]
struct ShownToFail {
    finished: bool,
    otherwise: bool,
}

impl<'p> Form<'p> {
    fn new(name: &'p str, program: &'p ir::Program) -> Self {
        Form {
            name,
            program,
            claim_builder: ClaimBuilder::default(),
            claims: Claims::default(),
            witness: None,
            tried: 0,
            failed: ShownToFail::default(),
        }
    }
}

/// Makes the claims about each form. Returns whether no path ran out of fuel.
///
/// The reference is run once for all forms, which is most of the work. The forms are then run on the paths of this run, because most of their
/// conditions are also conditions of the reference.
fn follow<I: Syntax + Refinement>(
    cx: Context<'_, I>,
    forms: &mut [Form<'_>],
    environments: &[Environment],
    boundaries: &[u32],
) -> bool {
    // Lanes affect each other only through operations across a quad.
    let across = |program: &ir::Program| program.insts.iter().any(|i| i.op.is_quad());
    let lanes = forms.iter().filter(|form| across(form.program)).map(|form| form.program.group.max(1));
    let lanes = usize::from(lanes.max().unwrap_or(1));
    let d = Terms::default();
    let mut paths = 0;
    let mut finished = true;
    let mut done: Vec<(&Environment, ControlReads)> = Vec::new();
    for environment in environments {
        // Settings that agree in all constants that were read give the same run.
        if done.iter().any(|(other, read)| read.agree(environment, other)) {
            continue;
        }
        let mut read = ControlReads::default();
        let explored = explore(&d, MAX_PATHS, || {
            paths += 1;
            finished &= run(&mut d.clone(), cx, forms, environment, lanes, &mut read, boundaries);
        });
        for form in forms.iter_mut() {
            form.claim_builder.record_exploration(explored, paths);
        }
        done.push((environment, read));
    }
    let missed =
        forms.first().and_then(|form| controls::find_unvaried_constant(&cx, form.program, environments));
    for form in forms {
        if let Some(what) = &missed {
            form.claim_builder.record_missing(|| what.clone());
        }
        if !form.failed.finished && !form.failed.otherwise {
            let what =
                "no lane reached an end, so it was not shown that the claims about the program can fail";
            form.claim_builder.record_missing(|| what.to_owned());
        }
        form.claims = form.claim_builder.claims(&d);
        if form.witness.is_none() {
            form.witness = witness(&d, cx, form.program, environments.first(), boundaries);
        }
    }
    finished
}

/// Returns a mutant that evaluation refutes, searched for on all paths of a single lane. This search is needed for programs whose first paths are
/// seldom taken, and for programs whose only visible result is how they end.
fn witness<I: Syntax + Refinement>(
    d: &Terms,
    cx: Context<'_, I>,
    program: &ir::Program,
    environment: Option<&Environment>,
    boundaries: &[u32],
) -> Option<String> {
    let (environment, entry) = (environment?, BlockId(program.entry));
    let dropped =
        drops(program).filter(|mutation| mutation.drops_visible(program)).take(MUTANTS_ON_ALL_PATHS);
    dropped.chain([hang(entry)]).find_map(|mutation| {
        let (mutant, mut claims) = (mutation.apply(program), ClaimBuilder::default());
        explore(d, MAX_PATHS, || {
            let mut d = d.clone();
            let reference = ReferenceRun::new(&mut d, cx, environment, 1);
            reference.run_form(&mut d, &mutant, MAX_BLOCKS, None, &mut claims);
        });
        let draws = if mutation.drops() { FIRST_DRAWS } else { DRAWS };
        claims.is_refuted(d, boundaries, 0..draws).then_some(mutation.name)
    })
}

/// Runs one path. Returns whether every lane had enough fuel.
fn run<I: Syntax + Refinement>(
    d: &mut Terms,
    cx: Context<'_, I>,
    forms: &mut [Form<'_>],
    environment: &Environment,
    lanes: usize,
    read: &mut ControlReads,
    boundaries: &[u32],
) -> bool {
    let reference = ReferenceRun::new(d, cx, environment, lanes);
    read.extend(&reference.host.read);
    let before = d.path();
    for form in forms.iter_mut() {
        let failed = Some(&mut form.failed);
        let ran = reference
            .run_form(d, form.program, usize::MAX, failed, &mut form.claim_builder)
            .unwrap_or_default();
        read.extend(&ran.read);
        if form.witness.is_none() && form.tried < PATHS_WITH_MUTANTS {
            form.tried += 1;
            let after = d.path();
            let candidates = candidates(form.program, &ran.blocks);
            form.witness = candidates.into_iter().find_map(|mutation| {
                d.set_path(before.clone());
                let mut claims = ClaimBuilder::default();
                reference.run_form(d, &mutation.apply(form.program), MAX_BLOCKS, None, &mut claims)?;
                claims.is_refuted(d, boundaries, 0..FIRST_DRAWS).then_some(mutation.name)
            });
            d.set_path(after);
        }
    }
    reference.group.iter().all(|r| r.end != Some(End::OutOfFuel))
}

/// Returns mutants of a form that ran these blocks: the last writes and effects dropped, one by one, visible ones first; and lanes that end
/// after the first block.
fn candidates(program: &ir::Program, ran: &[BlockId]) -> Vec<Mutation> {
    let mut blocks: Vec<BlockId> = Vec::new();
    for block in ran.iter().rev() {
        if !blocks.contains(block) {
            blocks.push(*block);
        }
    }
    let mut all: Vec<Mutation> = blocks
        .iter()
        .flat_map(|block| drops_in(program, *block).collect::<Vec<_>>().into_iter().rev())
        .collect();
    all.sort_by_key(|mutation| !mutation.drops_visible(program));
    all.truncate(MUTANTS_PER_PATH);
    all.extend(returns(program).filter(|mutation| ran.first() == Some(&BlockId(mutation.block))));
    all
}

/// What a form ran and read on a path.
#[derive(Default)]
struct FormRun {
    blocks: Vec<BlockId>,
    read: ControlReads,
}

/// The reference's run on a path.
struct ReferenceRun<'a, I: Refinement> {
    cx: Context<'a, I>,
    group: Vec<LaneState<I::Lane<Terms>>>,
    host: SymbolicHost<'a>,
    environment: &'a Environment,
}

impl<'a, I: Syntax + Refinement> ReferenceRun<'a, I> {
    /// Runs the reference on the current path.
    fn new(d: &mut Terms, cx: Context<'a, I>, environment: &'a Environment, lanes: usize) -> Self {
        let mut host = SymbolicHost::with_environment(environment);
        let mut group = isa::run::start(d, &mut host, &cx, lanes, FUEL);
        isa::run::run(d, &mut host, &cx, &mut group);
        ReferenceRun { cx, group, host, environment }
    }

    /// Runs a form and claims that its results equal those of the reference; `None` if the form has not ended after `max_blocks` blocks. If `failed`
    /// is given, each claim is also shown to fail, once for each kind of end.
    fn run_form(
        &self,
        d: &mut Terms,
        program: &ir::Program,
        max_blocks: usize,
        failed: Option<&mut ShownToFail>,
        claims: &mut ClaimBuilder,
    ) -> Option<FormRun> {
        let mut host = SymbolicHost::with_environment(self.environment);
        let mut after: Vec<eval::Lane<Terms>> =
            self.group.iter().map(|_| eval::Lane::new(d, &mut host, program, FUEL)).collect();
        let mut blocks = Vec::new();
        while let Some(block) = eval::step(d, &mut host, program, &mut after) {
            blocks.push(block);
            if blocks.len() > max_blocks {
                return None;
            }
        }
        for (l, (reference, lane)) in self.group.iter().zip(&after).enumerate() {
            self.compare(d, program, l, reference, lane, claims);
            if reference.end == Some(End::Finished) {
                claim_effects(d, l, &self.host, &host, claims);
            }
        }
        if let Some(failed) = failed {
            for (l, (reference, lane)) in self.group.iter().zip(&after).enumerate() {
                let finished = reference.end == Some(End::Finished);
                let done = if finished { &mut failed.finished } else { &mut failed.otherwise };
                if std::mem::replace(done, true) {
                    continue;
                }
                let unnoticed = self.find_undetected(d, program, l, reference, lane);
                let effects =
                    || if finished { effects::find_undetected(d, l, &self.host, &host) } else { None };
                if let Some(what) = unnoticed.or_else(effects) {
                    claims.record_missing(|| format!("lane {l}: no claim fails for {what}"));
                }
            }
        }
        Some(FormRun { blocks, read: host.read })
    }

    fn compare(
        &self,
        d: &Terms,
        program: &ir::Program,
        l: usize,
        reference: &LaneState<I::Lane<Terms>>,
        lane: &eval::Lane<Terms>,
        claims: &mut ClaimBuilder,
    ) {
        // Destructured without `..`, so that a new field must be handled here. Fuel need not be compared: if the two sides consumed it differently,
        // it would run out at different points. Of variables and arrays only the outputs are compared.
        let LaneState { lane: reference, fuel: _, end } = reference;
        let eval::Lane { vars, arrays: _, killed, fuel: _, next_block: _, stop, values: _ } = lane;
        let ended = match end {
            Some(End::OutOfFuel) => Stop::OutOfFuel,
            Some(End::Hung) => Stop::Hung,
            _ => Stop::Finished,
        };
        claims.claim_holds(d, || format!("lane {l}: how it ends"), *stop == Some(ended));
        if ended != Stop::Finished {
            return;
        }
        let made = claims.claim_count();
        claims.claim_equal(d, || format!("lane {l}: killed"), I::killed(reference).0, killed.0);
        let entry = self.cx.entry;
        for (number, var) in program.outputs.iter().skip(usize::from(sabotage::is(Sabotage::RegisterLost))) {
            let output = isa::registers::output(d, &self.cx, reference, number / 4);
            let name = || format!("lane {l}: output {}.{}", I::output_name(entry, number / 4), number % 4);
            let (theirs, ours) = (output[usize::from(number % 4)].0, term(&vars[var.0 as usize]).1);
            let itself = sabotage::is(Sabotage::OutputItself)
                && program.outputs.first().is_some_and(|o| o.0 == *number);
            claims.claim_equal(d, name, theirs, if itself { theirs } else { ours });
        }
        let (parts, all) = (claims.claim_count() - made, 1 + program.outputs.len() as u64);
        if parts != all {
            claims.record_missing(|| format!("lane {l}: {parts} of {all} outputs and the kill mark"));
        }
    }

    /// Describes a corruption of a lane at its end for which no claim fails; `None` if a claim fails for each corruption.
    fn find_undetected(
        &self,
        d: &Terms,
        program: &ir::Program,
        l: usize,
        reference: &LaneState<I::Lane<Terms>>,
        lane: &eval::Lane<Terms>,
    ) -> Option<String> {
        let told = |lane: &eval::Lane<Terms>| {
            let mut claims = ClaimBuilder::listing();
            self.compare(d, program, l, reference, lane, &mut claims);
            claims
        };
        let about = |what: &str| format!("lane {l}: {what}");
        let ends = about("how it ends");
        if has_claim_about(&told(lane), &ends, None) {
            // The claim fails already for the unchanged lane.
            return None;
        }
        for stop in STOPS.into_iter().filter(|stop| *stop != lane.stop) {
            if !has_claim_about(&told(&eval::Lane { stop, ..lane.clone() }), &ends, None) {
                return Some(format!("a lane with {stop:?}"));
            }
        }
        if lane.stop != Some(Stop::Finished) {
            return None;
        }
        let mut wrong = lane.clone();
        for (n, (value, var)) in wrong.vars.iter_mut().zip(&program.vars).enumerate() {
            *value = unknown(d, var.ty, &format!("wrong variable {n}"));
        }
        wrong.killed = d.unknown_b("wrong kill mark");
        let claims = told(&wrong);
        if !has_claim_about(&claims, &about("killed"), Some(wrong.killed.0)) {
            return Some("a wrong kill mark".to_owned());
        }
        find_undetected_output::<I>(&claims, program, self.cx.entry, l, &wrong)
    }
}
