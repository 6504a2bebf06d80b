//! Whole programs from beginning to end, path by path: the reference, the lowered program, its fallback form, and both rewritten.
//!
//! Constants that steer loops and branches are numbers, in a few settings; that a node is right for all of them is what step simulation
//! proves. What a program says of its own constants holds in every setting.

use super::lowering::setting_name;
use super::simulate::compare_effects;
use super::{Attempt, Kind, Named, Task, entries, refused};
use crate::claims::{Claiming, Claims};
use crate::host::{Steered, Unknowns, term};
use crate::term::{Terms, explore};
use lockstep_core::host::Environment;
use lockstep_core::ir::eval::{self, Stop};
use lockstep_core::ir::{self, Mode};
use lockstep_core::isa::{self, Context, End, Isa, Options};
use std::sync::Arc;

/// Fuel of a lane. A loop is proved for as many passes.
const FUEL: u32 = 4;
/// Paths that are followed before the verdict becomes a bounded one.
const PATHS: usize = 256;
/// Settings of the constants that steer control.
const CONTROLS: usize = 3;
/// Slots of those constants.
const SLOTS: usize = 64;

pub(super) fn tasks<I: Isa>(programs: &[Named]) -> Vec<Task> {
    programs
        .iter()
        .map(|(name, bytes)| {
            let (name, bytes) =
                (format!("{} {} {name}", I::ID, Kind::Program.name()), Arc::new(bytes.clone()));
            Task::new(name.clone(), move |_| attempts::<I>(&name, &bytes))
        })
        .collect()
}

fn attempts<I: Isa>(name: &str, bytes: &[u8]) -> Vec<Attempt> {
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
        let controls: Vec<Environment> = (0..if steered { CONTROLS } else { 1 })
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
        let (claims, all_finished) = claims(cx, &forms, &controls);
        all.extend(forms.iter().zip(claims).map(|((form, _), claims)| {
            let name = format!("{name}{setting}: {form}{steered}");
            let mut attempt = Attempt::new(Kind::Program, name, claims);
            attempt.fuel = (!all_finished).then_some(FUEL.into());
            attempt
        }));
    }
    all
}

/// Integer and Boolean constants: loops of no pass, of one and of two, conditions that are false, true, and true in every second slot.
fn control(number: usize) -> Environment {
    let ints = (0..SLOTS).map(|slot| [number as i32, 1, 1 + slot as i32 % 2, 1]).collect();
    let bools = (0..SLOTS).map(|slot| [false, true, slot % 2 == 0][number % 3]).collect();
    Environment { ints, bools, ..Environment::default() }
}

/// The claims about each form, and whether no path ran out of fuel.
///
/// All forms are run on the same paths after the reference, which is most of the work: what they ask is mostly what it asked.
fn claims<I: Isa>(
    cx: Context<'_, I>,
    forms: &[(&str, ir::Program)],
    controls: &[Environment],
) -> (Vec<Claims>, bool) {
    // Lanes only matter to each other where there are quad operations.
    let across = |program: &ir::Program| program.insts.iter().any(|i| i.op.is_quad());
    let lanes = forms.iter().filter(|(_, program)| across(program)).map(|(_, program)| program.group.max(1));
    let lanes = usize::from(lanes.max().unwrap_or(1));
    let d = Terms::default();
    let mut claims: Vec<Claiming> = forms.iter().map(|_| Claiming::default()).collect();
    let mut paths = 0;
    let mut finished = true;
    let mut done: Vec<(&Environment, Steered)> = Vec::new();
    for control in controls {
        // What reads the same constants does the same.
        if done.iter().any(|(other, read)| read.agree(control, other)) {
            continue;
        }
        let mut read = Steered::default();
        let all = explore(PATHS, |path| {
            d.set_path(path);
            paths += 1;
            finished &= run(&mut d.clone(), cx, forms, control, lanes, &mut claims, &mut read);
            d.path()
        });
        if !all {
            for claims in &mut claims {
                claims.cut = Some(paths);
            }
        }
        done.push((control, read));
    }
    (claims.iter().map(|claims| claims.claims(&d)).collect(), finished)
}

/// One path; whether every lane had fuel enough.
fn run<I: Isa>(
    d: &mut Terms,
    cx: Context<'_, I>,
    forms: &[(&str, ir::Program)],
    control: &Environment,
    lanes: usize,
    claims: &mut [Claiming],
    read: &mut Steered,
) -> bool {
    let mut reference_host = Unknowns::steered(control);
    let mut group = isa::run::start(d, &mut reference_host, &cx, lanes, FUEL);
    isa::run::run(d, &mut reference_host, &cx, &mut group);
    read.extend(&reference_host.read);

    for ((_, program), claims) in forms.iter().zip(claims) {
        let mut host = Unknowns::steered(control);
        let mut after: Vec<eval::Lane<Terms>> =
            (0..lanes).map(|_| eval::Lane::new(d, &mut host, program, FUEL)).collect();
        eval::run(d, &mut host, program, &mut after);
        read.extend(&host.read);

        for (l, (reference, lane)) in group.iter().zip(&after).enumerate() {
            let ended = match reference.end {
                Some(End::OutOfFuel) => Stop::OutOfFuel,
                Some(End::Hung) => Stop::Hung,
                _ => Stop::Finished,
            };
            claims.holds(d, || format!("lane {l}: how it ends"), lane.stop == Some(ended));
            if ended != Stop::Finished {
                continue;
            }
            claims.equal(d, || format!("lane {l}: killed"), I::killed(&reference.lane).0, lane.killed.0);
            for (number, var) in &program.outputs {
                let output = I::output(&cx, &reference.lane, number / 4);
                let name =
                    || format!("lane {l}: output {}.{}", I::output_name(cx.entry, number / 4), number % 4);
                claims.equal(d, name, output[usize::from(number % 4)].0, term(&lane.vars[var.0 as usize]).1);
            }
            compare_effects(d, l, &reference_host.effects[l], &host.effects[l], claims);
        }
    }
    group.iter().all(|r| r.end != Some(End::OutOfFuel))
}
