//! Compares traces with the reference: the steps of each lane with the registers that each step wrote.
//!
//! Comparing traces finds the first step that differs. It also decides runs whose results depend on inexact opcodes: if a result is within the
//! tolerance of the opcode or of the profile, the reference continues with the subject's value, so that the error does not spread to the comparison
//! of later steps.

use super::disagreement::{Class, Disagreement};
use super::numbers::Numbers;
use super::profile::Profile;
use super::subject::{Bits, MAX_STEPS, StepData};
use crate::case::Resolved;
use crate::engine::{Outcome, lane_outcome};
use lockstep_core::host::ConcreteHost;
use lockstep_core::ir::VarKey;
use lockstep_core::ir::eval::Scalar;
use lockstep_core::isa::{Context, Isa, LaneState, Reference, run};
use lockstep_core::text::count;
use lockstep_core::value::{Concrete, Domain, FreedomSet, canonical_bits};
use std::collections::{BTreeMap, BTreeSet};

/// The values of a lane's register components.
type Values = BTreeMap<VarKey, Scalar<Concrete>>;

pub(super) type Lane<I> = LaneState<<I as Reference>::Lane<Concrete>>;

fn values<I: Isa>(cx: &Context<'_, I>, lane: &Lane<I>) -> Values {
    I::state(&Concrete, cx, &lane.lane).into_iter().collect()
}

/// Returns the keys of lane state by register name. A name that several keys share, as in the control unit, is omitted.
fn keys_by_name<I: Isa>(cx: &Context<'_, I>, values: &Values) -> BTreeMap<String, VarKey> {
    let mut all = BTreeMap::<String, Option<VarKey>>::new();
    for key in values.keys() {
        let first = all.insert(I::var_name(cx.entry, *key), Some(*key));
        if first.is_some() {
            all.insert(I::var_name(cx.entry, *key), None);
        }
    }
    all.into_iter().filter_map(|(name, key)| Some((name, key?))).collect()
}

/// Returns a value as bits; a Boolean is 0 or 1.
fn bits(value: &Scalar<Concrete>) -> u32 {
    match value {
        Scalar::F(v) => canonical_bits(*v),
        Scalar::I(v) => *v as u32,
        Scalar::B(v) => u32::from(*v),
    }
}

/// Returns the number of the instruction that a lane executes next; `None` if the lane has ended.
pub(super) fn word<I: Isa, D: Domain>(
    cx: &Context<'_, I>,
    lane: &LaneState<<I as Reference>::Lane<D>>,
) -> Option<u32> {
    let is_running = lane.end.is_none() && I::position(cx, &lane.lane).is_some();
    let control = is_running.then(|| I::control(cx, &lane.lane)).flatten();
    control.map(|control| I::control_word(&control))
}

/// Runs the reference group by group. After each step of a lane, calls `observe` with the lane's number, the instruction, and the lane's state before
/// and after the step.
pub(super) fn run_steps<I: Isa>(
    resolved: &Resolved<I>,
    observe: &mut dyn FnMut(usize, u32, &Lane<I>, &mut Lane<I>) -> Result<(), Disagreement>,
) -> Result<Outcome, Disagreement> {
    let (cx, env) = (resolved.context(), &resolved.env);
    let group = usize::from(I::group(&cx)).max(1);
    let (mut d, mut lanes) = (Concrete, Vec::with_capacity(env.lanes.len()));
    for base in (0..env.lanes.len()).step_by(group) {
        let mut host = ConcreteHost::<false>::new(env, base);
        let mut running = run::start::<I, _, _>(&d, &mut host, &cx, group, env.fuel);
        let reported = group.min(env.lanes.len() - base);
        loop {
            let before = running.clone();
            let Some(position) = run::step(&mut d, &mut host, &cx, &mut running) else { break };
            for at in 0..reported {
                let is_there = I::position(&cx, &before[at].lane) == Some(position);
                if let Some(word) = word(&cx, &before[at]).filter(|_| is_there) {
                    observe(base + at, word, &before[at], &mut running[at])?;
                }
            }
        }
        for (at, lane) in running.iter().enumerate().take(reported) {
            lanes.push(lane_outcome::<I, false>(&cx, lane, &host, at));
        }
    }
    Ok(Outcome { lanes, freedoms: FreedomSet::default() })
}

/// Returns the reference's trace; `None` if a lane takes more steps than a trace may have.
pub(super) fn trace<I: Isa>(resolved: &Resolved<I>) -> Option<Vec<Vec<StepData>>> {
    let cx = resolved.context();
    let mut all: Vec<Vec<StepData>> = vec![Vec::new(); resolved.env.lanes.len()];
    let done = run_steps(resolved, &mut |lane, word, before, after| {
        let (old, new) = (values(&cx, before), values(&cx, after));
        let changed = keys_by_name::<I>(&cx, &new).into_iter().filter_map(|(name, key)| {
            let value = bits(new.get(&key)?);
            (old.get(&key).map(bits) != Some(value)).then_some((name, Bits(value)))
        });
        all[lane].push(StepData { word, writes: changed.collect() });
        // This error only stops the run at the limit of steps; it is not reported.
        if all[lane].len() > MAX_STEPS { Err(Disagreement::garbage("too long")) } else { Ok(()) }
    });
    done.ok().map(|_| all)
}

/// The result of following a subject's trace.
pub(super) struct Followed {
    /// The reference's outcome, computed with the subject's value of each result that differs but is within the tolerance.
    pub(super) outcome: Outcome,
    /// The tolerance of effects: that of the profile, widened by those of all inexact opcodes that were run.
    pub(super) numbers: Numbers,
}

/// A position in the trace of one lane, while the reference follows it.
struct Cursor<'a> {
    steps: &'a [StepData],
    next: usize,
    /// The registers that occur anywhere in the lane's trace.
    tracked: BTreeSet<&'a str>,
}

impl<'a> Cursor<'a> {
    fn new(steps: &'a [StepData]) -> Cursor<'a> {
        let tracked = steps.iter().flat_map(|step| step.writes.keys().map(String::as_str)).collect();
        Cursor { steps, next: 0, tracked }
    }
}

/// Selects the registers that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Registers {
    /// Only registers that occur anywhere in the lane's trace, since a subject may have no counterpart for the others.
    Named,
    /// All registers, to find one that is missing from the trace.
    All,
}

/// Runs the reference along a subject's trace and compares every step.
///
/// # Errors
/// The first step that differs, or a malformed trace.
pub(super) fn follow<I: Isa>(
    resolved: &Resolved<I>,
    profile: &Profile,
    traces: &[Vec<StepData>],
    registers: Registers,
) -> Result<Followed, Disagreement> {
    let cx = resolved.context();
    let lanes = resolved.env.lanes.len();
    if traces.len() != lanes {
        let given = count(traces.len(), "lane");
        return Err(Disagreement::garbage(format!("{given} in the trace, {lanes} in the question")));
    }
    if let Some(steps) = traces.iter().find(|steps| steps.len() > MAX_STEPS) {
        let message = format!("a trace has {} steps, and at most {MAX_STEPS} are allowed", steps.len());
        return Err(Disagreement::garbage(message));
    }
    let points_of = I::cover_points(&resolved.program);
    let tolerance = |word: u32| {
        let mut all = points_of(word).into_iter().filter_map(|point| profile.inexact.get(point.opcode));
        all.next().map(|first| all.fold(profile.numbers.wider(first), |all, one| all.wider(one)))
    };
    let mut cursors: Vec<Cursor<'_>> = traces.iter().map(|steps| Cursor::new(steps)).collect();
    let mut numbers = profile.numbers;
    let outcome = run_steps(resolved, &mut |number, word, before, after| {
        let cursor = &mut cursors[number];
        let place = |what: String| {
            let text = I::disassemble_word(&resolved.program, word);
            let step = format!("lane {number}, step {}, instruction {word} ({})", cursor.next, text.trim());
            Disagreement::new(Class::Value, "step", format!("{step}: {what}"))
        };
        let (old, new) = (values(&cx, before), values(&cx, after));
        let named = keys_by_name::<I>(&cx, &new);
        let is_changed = |key: &VarKey| old.get(key).map(bits) != new.get(key).map(bits);
        let mut changed = named
            .iter()
            .filter(|(name, key)| {
                let is_held = registers == Registers::All || cursor.tracked.contains(name.as_str());
                is_held && is_changed(key)
            })
            .map(|(name, _)| name);
        let Some(step) = cursor.steps.get(cursor.next).filter(|step| step.word == word) else {
            // A step that changes no register may be omitted.
            let Some(name) = changed.next() else { return Ok(()) };
            let there = match cursor.steps.get(cursor.next) {
                Some(step) => format!("is at instruction {}", step.word),
                None => "has ended".to_owned(),
            };
            return Err(place(format!("the subject {there}, the reference writes {name}")));
        };
        if let Some(name) = changed.find(|name| !step.writes.contains_key(*name)) {
            return Err(place(format!("the subject does not write {name}, the reference does")));
        }
        let inexact = tolerance(word);
        if let Some(its) = &inexact {
            numbers = numbers.wider(its);
        }
        for (name, theirs) in &step.writes {
            let Some(key) = named.get(name) else {
                return Err(Disagreement::garbage(format!("the trace names {name}, which does not exist")));
            };
            let ours = &new[key];
            let is_equal = match ours {
                Scalar::F(ours) => {
                    let accepts = inexact.as_ref().unwrap_or(&profile.numbers);
                    let is_equal = accepts.accept(*ours, theirs.value());
                    if is_equal && bits(&Scalar::F(*ours)) != bits(&Scalar::F(theirs.value())) {
                        I::set_state::<Concrete>(&cx, &mut after.lane, *key, Scalar::F(theirs.value()));
                    }
                    is_equal
                }
                other => bits(other) == theirs.0,
            };
            if !is_equal {
                let (theirs, ours) = (shown(ours, theirs.0), shown(ours, bits(ours)));
                return Err(place(format!("{name} is {theirs}, the reference has {ours}")));
            }
        }
        cursor.next += 1;
        Ok(())
    })?;
    for (number, cursor) in cursors.iter().enumerate() {
        if let Some(step) = cursor.steps.get(cursor.next) {
            let (at, word) = (cursor.next, step.word);
            let message = format!(
                "lane {number}, step {at}: the subject is at instruction {word}, the reference is not"
            );
            return Err(Disagreement::new(Class::Value, "step", message));
        }
    }
    Ok(Followed { outcome, numbers })
}

/// Formats bits as a value of the type of `like`, in decimal and as bits.
fn shown(like: &Scalar<Concrete>, bits: u32) -> String {
    match like {
        Scalar::F(_) => format!("{:?} (0x{bits:08x})", f32::from_bits(bits)),
        Scalar::I(_) => format!("{} (0x{bits:08x})", bits as i32),
        Scalar::B(_) => format!("{} (0x{bits:08x})", bits != 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use crate::generate::{Entropy, Generate, ProgramRequest, case_for_program};
    use lockstep_core::host::{Environment, LaneInput};
    use lockstep_core::isa::IsaId;
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::d3d9::D3d9;
    use lockstep_core::with_isa;

    fn resolved<I: Isa>(text: &str, x: f32) -> Resolved<I> {
        let lane = |n: u16| LaneInput { slots: vec![[x, f32::from(n), 2.0, 3.0]; 2] };
        let env = Environment { lanes: (0..2).map(lane).collect(), fuel: 100, ..Environment::default() };
        Case::new::<I>(&I::assemble(text).unwrap(), env).resolve::<I>().unwrap()
    }

    fn message(followed: Result<Followed, Disagreement>) -> String {
        followed.map_or_else(|found| found.message, |_| "nothing".to_owned())
    }

    const TEXT: &str = "version 1 vertex\nadd vt0, va0, va1\nmul vt1, vt0, vt0\nmov op, vt1\n";

    #[test]
    fn the_first_step_that_differs_is_named() {
        let resolved = resolved::<Agal>(TEXT, 1.5);
        let profile = Profile::default();
        let whole = trace(&resolved).unwrap();
        // The sums and squares were computed by hand: lane 1 has va = (1.5, 1, 2, 3).
        assert_eq!(whole[1][0].word, 0);
        let at = |name: &str| whole[1].iter().find_map(|step| step.writes.get(name)).unwrap().value();
        assert_eq!([at("vt0.x"), at("vt0.y"), at("vt1.x"), at("op.w")], [3.0, 2.0, 9.0, 36.0]);
        assert!(follow(&resolved, &profile, &whole, Registers::Named).is_ok());
        let changed = |change: &dyn Fn(&mut Vec<StepData>)| {
            let mut traces = whole.clone();
            change(&mut traces[1]);
            message(follow(&resolved, &profile, &traces, Registers::Named))
        };
        let wrong = changed(&|steps| {
            steps[1].writes.insert("vt1.y".to_owned(), Bits(0));
        });
        assert!(
            wrong.starts_with("lane 1, step 1, instruction 1 (mul vt1, vt0, vt0): vt1.y is 0.0"),
            "{wrong}"
        );
        let wrong = changed(&|steps| steps.push(steps[0].clone()));
        assert!(wrong.contains("step 3: the subject is at instruction 0"), "{wrong}");
        let wrong = changed(&|steps| {
            steps[0].writes.insert("vt99.x".to_owned(), Bits(0));
        });
        assert!(wrong.contains("vt99.x, which does not exist"), "{wrong}");
        // A register that never occurs in the trace is reported as missing only if all registers are compared.
        let mut traces = whole.clone();
        traces[0].iter_mut().for_each(|step| step.writes.retain(|name, _| !name.starts_with("op")));
        assert!(follow(&resolved, &profile, &traces, Registers::Named).is_ok());
        let wrong = message(follow(&resolved, &profile, &traces, Registers::All));
        assert!(wrong.contains("step 2, instruction 2") && wrong.contains("does not write op."), "{wrong}");
        // The register occurs in the trace, but one of its writes is omitted.
        let twice =
            self::resolved::<Agal>("version 1 vertex\nmov vt0, va0\nadd vt0, vt0, va0\nmov op, vt0\n", 1.5);
        let mut traces = trace(&twice).unwrap();
        traces[0][1].writes.remove("vt0.x");
        let wrong = message(follow(&twice, &profile, &traces, Registers::Named));
        assert!(wrong.contains("does not write vt0.x"), "{wrong}");
        traces[0].remove(1);
        let wrong = message(follow(&twice, &profile, &traces, Registers::Named));
        assert!(wrong.contains("the subject is at instruction 2, the reference writes vt0.w"), "{wrong}");
    }

    #[test]
    fn the_reference_continues_with_an_inexact_result_of_the_subject() {
        let resolved = resolved::<Agal>("version 1 vertex\nexp vt0, va0\nadd op, vt0, vt0\n", 1.5);
        let profile = Profile::from_text("[inexact.exp]\nulps = 3", IsaId::Agal).unwrap();
        let off = |by: u32, steps: std::ops::Range<usize>| {
            let mut traces = trace(&resolved).unwrap();
            for lane in &mut traces {
                for value in lane[steps.clone()].iter_mut().flat_map(|step| step.writes.values_mut()) {
                    value.0 += by;
                }
            }
            follow(&resolved, &profile, &traces, Registers::Named)
        };
        // Doubling a number that is two units in the last place too large gives a number that is two units too large.
        let followed = off(2, 0..2).unwrap();
        let exact = off(0, 0..2).unwrap();
        let bits = |followed: &Followed| followed.outcome.lanes[0].outputs[0].to_bits();
        assert_eq!(bits(&followed), bits(&exact) + 2);
        assert!(message(off(2, 0..1)).contains("instruction 1 (add op, vt0, vt0)"));
        assert!(message(off(12, 0..2)).contains("instruction 0 (exp vt0, va0)"));
        assert!(message(off(1, 1..2)).contains("instruction 1"));
    }

    /// Follows the reference's own traces of generated programs and checks that the outcome is the reference's. Returns the number of steps.
    fn count_followed_steps<I: Generate>() -> usize {
        let mut steps = 0;
        for seed in 0..40 {
            let mut e = Entropy::seeded(seed);
            let request = ProgramRequest { size: Some(8), ..ProgramRequest::default() };
            let program = I::program(&mut e, &request);
            let case = case_for_program::<I>(&mut e, &program);
            let Ok(resolved) = case.resolve::<I>() else { continue };
            if !resolved.is_legal() {
                continue;
            }
            let Some(traces) = trace(&resolved) else { continue };
            steps += traces.iter().map(Vec::len).sum::<usize>();
            let followed = follow(&resolved, &Profile::default(), &traces, Registers::Named);
            let followed = followed.unwrap_or_else(|found| panic!("{}: {}", I::ID, found.message));
            let plain = crate::engine::reference::<I>(&resolved.context(), &resolved.env);
            assert!(crate::engine::compare(&resolved.entry, &plain, &followed.outcome).is_ok());
        }
        steps
    }

    #[test]
    fn our_traces_of_generated_programs_agree_with_the_reference() {
        for isa in IsaId::ALL {
            let steps = with_isa!(*isa, I => count_followed_steps::<I>());
            assert!(steps > 500, "{isa}: {steps}");
        }
    }

    #[test]
    fn a_step_without_effect_may_be_left_out_and_conditions_are_seen() {
        let text = "vs_2_0\ndcl_position v0\nif b0\nmov oPos, v0\nelse\nadd oPos, v0, v0\nendif\n";
        let resolved = resolved::<D3d9>(text, 1.5);
        let whole = trace(&resolved).unwrap();
        let mut traces = whole.clone();
        for lane in &mut traces {
            lane.retain(|step| !step.writes.is_empty());
        }
        assert!(traces[0].len() < whole[0].len());
        assert!(follow(&resolved, &Profile::default(), &traces, Registers::Named).is_ok());
        for lane in &mut traces {
            lane[0].word -= 2;
        }
        assert!(
            message(follow(&resolved, &Profile::default(), &traces, Registers::Named))
                .contains("the subject is at instruction")
        );
    }
}
