//! Whole programs from beginning to end, path by path: the reference, the lowered program, its fallback form, and both rewritten.
//!
//! Constants that steer loops and branches are numbers, in a few settings; that a node is right for all of them is what step simulation
//! proves. What a program says of its own constants holds in every setting.

use super::controls::{self, control};
use super::effects::{self, claim_effects};
use super::lowering::setting_name;
use super::wrong_lane::{STOPS, sees, unseen_output};
use super::{Attempt, Attempting, DRAWS, FEW, Fate, Kind, Named, Task, entries, refused};
use crate::claims::{Claiming, Claims};
use crate::host::{Steered, Unknowns, term, unknown};
use crate::mutate::{Mutation, drops, drops_in, hang, returns};
use crate::sabotage::{self, Sabotage};
use crate::term::{Terms, explore};
use lockstep_core::host::Environment;
use lockstep_core::ir::eval::{self, Stop};
use lockstep_core::ir::{self, BlockId, Mode};
use lockstep_core::isa::{self, Context, End, Isa, Options, Running};
use std::sync::Arc;

/// Fuel of a lane. A loop is proved for as many passes.
const FUEL: u32 = 4;
/// Paths that are followed before the verdict becomes a bounded one.
const PATHS: usize = 256;
/// Settings of the constants that steer control.
const CONTROLS: usize = 3;
/// Mutants of a form that are tried on a path, and paths on which that is done, until numbers refute one.
const TRIED: usize = 12;
const TRIED_ON: usize = 4;
/// Mutants that are tried on all paths if numbers refute none on the first.
const TRIED_ON_ALL: usize = 4;
/// Blocks that a mutant may run: one that has lost the write which moves it on would run for ever.
const BLOCKS: usize = 4096;

pub(super) fn tasks<I: Isa>(programs: &[Named]) -> Vec<Task> {
    programs
        .iter()
        .map(|(name, bytes)| {
            let (name, bytes) =
                (format!("{} {} {name}", I::ID, Kind::Program.name()), Arc::new(bytes.clone()));
            Task::new(name.clone(), move |boundaries| attempts::<I>(&name, &bytes, boundaries))
        })
        .collect()
}

fn attempts<I: Isa>(name: &str, bytes: &[u8], boundaries: &[u32]) -> Vec<Attempt> {
    let program = match I::decode(bytes) {
        Ok(program) => program,
        Err(error) => return vec![refused(Kind::Program, name.to_owned(), &error)],
    };
    let mut all = Vec::new();
    for (entry, number) in entries::<I>(&program) {
        let name = format!("{name}{number}");
        let options = Options::new(I::axes());
        let cx: Context<'_, I> = Context { program: &program, entry: &entry, options: &options };
        let nodes = match isa::lower(&cx, Mode::Nodes) {
            Ok(nodes) => nodes,
            Err(error) => {
                all.push(refused(Kind::Program, name, &error));
                continue;
            }
        };
        let setting = setting_name(&options);
        let steered =
            nodes.insts.iter().any(|i| matches!(i.op, ir::Op::IntUniform(_) | ir::Op::BoolUniform(_)));
        let count = if steered && !sabotage::is(Sabotage::ControlDefaults) { CONTROLS } else { 1 };
        let controls: Vec<Environment> = (0..count)
            .map(|number| {
                let mut control = control(number);
                I::preset(&program, &entry, &mut control);
                control
            })
            .collect();
        let steered =
            if steered { format!(", {CONTROLS} settings of control constants") } else { String::new() };
        let rewritten = ir::rewrite::rewrite(&nodes);
        let mut forms = vec![("lowered", nodes), ("rewritten", rewritten)];
        match isa::lower(&cx, Mode::Fallback) {
            Ok(fallback) => forms.push(("fallback", fallback)),
            Err(error) => all.push(refused(Kind::Program, format!("{name}{setting}: fallback"), &error)),
        }
        // The forms are followed together.
        let span = Attempting::begin(Kind::Program, &format!("{name}{setting}"));
        let mut forms: Vec<Form<'_>> = forms.iter().map(|(name, program)| Form::new(name, program)).collect();
        let all_finished = follow(cx, &mut forms, &controls, boundaries);
        drop(span);
        all.extend(forms.into_iter().map(|form| {
            let name = format!("{name}{setting}: {}{steered}", form.name);
            let mut attempt = Attempt::new(Kind::Program, name, form.claims);
            attempt.fuel = (!all_finished).then_some(FUEL.into());
            attempt.mutants = form.witness.into_iter().map(|name| (name, Fate::Refuted)).collect();
            attempt
        }));
    }
    all
}

/// A form of a program with what is claimed of it.
struct Form<'p> {
    name: &'p str,
    program: &'p ir::Program,
    claiming: Claiming,
    claims: Claims,
    /// A mutant that numbers refute, once one is found.
    witness: Option<String>,
    /// On how many paths one has been looked for.
    tried: usize,
    /// Of which ends each claim has been seen to fail.
    failed: Failed,
}

/// Of which ends of a lane each claim about it has been seen to fail of a lane made wrong.
#[derive(Default)]
struct Failed {
    finished: bool,
    otherwise: bool,
}

impl<'p> Form<'p> {
    fn new(name: &'p str, program: &'p ir::Program) -> Self {
        Form {
            name,
            program,
            claiming: Claiming::default(),
            claims: Claims::default(),
            witness: None,
            tried: 0,
            failed: Failed::default(),
        }
    }
}

/// Makes the claims about each form; whether no path ran out of fuel.
///
/// All forms are run on the same paths after the reference, which is most of the work: what they ask is mostly what it asked.
fn follow<I: Isa>(
    cx: Context<'_, I>,
    forms: &mut [Form<'_>],
    controls: &[Environment],
    boundaries: &[u32],
) -> bool {
    // Lanes only matter to each other where there are quad operations.
    let across = |program: &ir::Program| program.insts.iter().any(|i| i.op.is_quad());
    let lanes = forms.iter().filter(|form| across(form.program)).map(|form| form.program.group.max(1));
    let lanes = usize::from(lanes.max().unwrap_or(1));
    let d = Terms::default();
    let mut paths = 0;
    let mut finished = true;
    let mut done: Vec<(&Environment, Steered)> = Vec::new();
    for control in controls {
        // What reads the same constants does the same.
        if done.iter().any(|(other, read)| read.agree(control, other)) {
            continue;
        }
        let mut read = Steered::default();
        let explored = explore(&d, PATHS, || {
            paths += 1;
            finished &= run(&mut d.clone(), cx, forms, control, lanes, &mut read, boundaries);
        });
        for form in forms.iter_mut() {
            form.claiming.explored(explored, paths);
        }
        done.push((control, read));
    }
    let missed = forms.first().and_then(|form| controls::missed(&cx, form.program, controls));
    for form in forms {
        if let Some(what) = &missed {
            form.claiming.missed(|| what.clone());
        }
        if !form.failed.finished && !form.failed.otherwise {
            form.claiming.missed(|| "that the claims about it can fail".to_owned());
        }
        form.claims = form.claiming.claims(&d);
        if form.witness.is_none() {
            form.witness = witness(&d, cx, form.program, controls.first(), boundaries);
        }
    }
    finished
}

/// A mutant that numbers refute, looked for on all paths of a single lane: where the first paths are seldom taken, and where nothing is to be seen of
/// a run but how it ends.
fn witness<I: Isa>(
    d: &Terms,
    cx: Context<'_, I>,
    program: &ir::Program,
    control: Option<&Environment>,
    boundaries: &[u32],
) -> Option<String> {
    let (control, entry) = (control?, BlockId(program.entry));
    let dropped = drops(program).filter(|mutation| mutation.is_seen(program)).take(TRIED_ON_ALL);
    dropped.chain([hang(entry)]).find_map(|mutation| {
        let (mutant, mut claims) = (mutation.apply(program), Claiming::default());
        explore(d, PATHS, || {
            let mut d = d.clone();
            let reference = Reference::new(&mut d, cx, control, 1);
            reference.form(&mut d, &mutant, BLOCKS, None, &mut claims);
        });
        let draws = if mutation.drops() { FEW } else { DRAWS };
        claims.is_refuted(d, boundaries, 0..draws).then_some(mutation.name)
    })
}

/// One path; whether every lane had fuel enough.
fn run<I: Isa>(
    d: &mut Terms,
    cx: Context<'_, I>,
    forms: &mut [Form<'_>],
    control: &Environment,
    lanes: usize,
    read: &mut Steered,
    boundaries: &[u32],
) -> bool {
    let reference = Reference::new(d, cx, control, lanes);
    read.extend(&reference.host.read);
    let before = d.path();
    for form in forms.iter_mut() {
        let failed = Some(&mut form.failed);
        let ran = reference.form(d, form.program, usize::MAX, failed, &mut form.claiming).unwrap_or_default();
        read.extend(&ran.read);
        if form.witness.is_none() && form.tried < TRIED_ON {
            form.tried += 1;
            let after = d.path();
            let candidates = candidates(form.program, &ran.blocks);
            form.witness = candidates.into_iter().find_map(|mutation| {
                d.set_path(before.clone());
                let mut claims = Claiming::default();
                reference.form(d, &mutation.apply(form.program), BLOCKS, None, &mut claims)?;
                claims.is_refuted(d, boundaries, 0..FEW).then_some(mutation.name)
            });
            d.set_path(after);
        }
    }
    reference.group.iter().all(|r| r.end != Some(End::OutOfFuel))
}

/// Mutants of a form that ran these blocks: the last writes and effects dropped, one by one, those first that are seen from outside; lanes that end
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
    all.sort_by_key(|mutation| !mutation.is_seen(program));
    all.truncate(TRIED);
    all.extend(returns(program).filter(|mutation| ran.first() == Some(&BlockId(mutation.block))));
    all
}

/// What a form did on a path.
#[derive(Default)]
struct Ran {
    blocks: Vec<BlockId>,
    read: Steered,
}

/// What the reference did on a path.
struct Reference<'a, I: Isa> {
    cx: Context<'a, I>,
    group: Vec<Running<I::Lane<Terms>>>,
    host: Unknowns<'a>,
    control: &'a Environment,
}

impl<'a, I: Isa> Reference<'a, I> {
    /// Runs it.
    fn new(d: &mut Terms, cx: Context<'a, I>, control: &'a Environment, lanes: usize) -> Self {
        let mut host = Unknowns::steered(control);
        let mut group = isa::run::start(d, &mut host, &cx, lanes, FUEL);
        isa::run::run(d, &mut host, &cx, &mut group);
        Reference { cx, group, host, control }
    }

    /// Runs a form and claims that it did the same; `None` if it has not ended after so many blocks. If asked to, each claim is seen to fail for
    /// each end of a lane that it has not `failed` of.
    fn form(
        &self,
        d: &mut Terms,
        program: &ir::Program,
        most: usize,
        failed: Option<&mut Failed>,
        claims: &mut Claiming,
    ) -> Option<Ran> {
        let mut host = Unknowns::steered(self.control);
        let mut after: Vec<eval::Lane<Terms>> =
            self.group.iter().map(|_| eval::Lane::new(d, &mut host, program, FUEL)).collect();
        let mut blocks = Vec::new();
        while let Some(block) = eval::step(d, &mut host, program, &mut after) {
            blocks.push(block);
            if blocks.len() > most {
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
                let unrefuted = self.unrefuted(d, program, l, reference, lane);
                let effects = || if finished { effects::unrefuted(d, l, &self.host, &host) } else { None };
                if let Some(what) = unrefuted.or_else(effects) {
                    claims.missed(|| format!("lane {l}: no claim fails of {what}"));
                }
            }
        }
        Some(Ran { blocks, read: host.read })
    }

    fn compare(
        &self,
        d: &Terms,
        program: &ir::Program,
        l: usize,
        reference: &Running<I::Lane<Terms>>,
        lane: &eval::Lane<Terms>,
        claims: &mut Claiming,
    ) {
        // Taken apart whole: a field that is added has to be given its place here. Fuel is compared where it runs out, at a different place in each
        // form if it were not spent alike; of variables and arrays the outputs are compared.
        let Running { lane: reference, fuel: _, end } = reference;
        let eval::Lane { vars, arrays: _, killed, fuel: _, at: _, stop, values: _ } = lane;
        let ended = match end {
            Some(End::OutOfFuel) => Stop::OutOfFuel,
            Some(End::Hung) => Stop::Hung,
            _ => Stop::Finished,
        };
        claims.holds(d, || format!("lane {l}: how it ends"), *stop == Some(ended));
        if ended != Stop::Finished {
            return;
        }
        let made = claims.made();
        claims.equal(d, || format!("lane {l}: killed"), I::killed(reference).0, killed.0);
        let entry = self.cx.entry;
        for (number, var) in program.outputs.iter().skip(usize::from(sabotage::is(Sabotage::PartLost))) {
            let output = I::output(&self.cx, reference, number / 4);
            let name = || format!("lane {l}: output {}.{}", I::output_name(entry, number / 4), number % 4);
            let (theirs, ours) = (output[usize::from(number % 4)].0, term(&vars[var.0 as usize]).1);
            let itself = sabotage::is(Sabotage::OutputItself)
                && program.outputs.first().is_some_and(|o| o.0 == *number);
            claims.equal(d, name, theirs, if itself { theirs } else { ours });
        }
        let (parts, all) = (claims.made() - made, 1 + program.outputs.len() as u64);
        if parts != all {
            claims.missed(|| format!("lane {l}: {parts} of {all} outputs and the kill mark"));
        }
    }

    /// What may be wrong with a lane at the end and no claim sees it.
    fn unrefuted(
        &self,
        d: &Terms,
        program: &ir::Program,
        l: usize,
        reference: &Running<I::Lane<Terms>>,
        lane: &eval::Lane<Terms>,
    ) -> Option<String> {
        let told = |lane: &eval::Lane<Terms>| {
            let mut claims = Claiming::listing();
            self.compare(d, program, l, reference, lane, &mut claims);
            claims
        };
        let about = |what: &str| format!("lane {l}: {what}");
        let ends = about("how it ends");
        if sees(&told(lane), &ends, None) {
            // It is refuted as it is.
            return None;
        }
        for stop in STOPS.into_iter().filter(|stop| *stop != lane.stop) {
            if !sees(&told(&eval::Lane { stop, ..lane.clone() }), &ends, None) {
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
        if !sees(&claims, &about("killed"), Some(wrong.killed.0)) {
            return Some("another kill mark".to_owned());
        }
        unseen_output::<I>(&claims, program, self.cx.entry, l, &wrong)
    }
}
