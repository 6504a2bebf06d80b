use super::*;
use crate::coverage::direct_effects;
use crate::engine::Outcome;
use crate::generate::{Entropy, Generate, ProgramRequest, case_for_program, with_registers};
use crate::judge::compare::Compared;
use crate::judge::joint_options::OptionInference;
use crate::judge::question::{Expected, Prepared};
use crate::judge::traced::run_steps;
use crate::judge::{
    Ability, Class, Connection, Disagreement, Engine, InProcess, OwnEngine, Question, greeting, judge,
    prepare,
};
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::ir::eval::Scalar;
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::{CoverPoint, IsaId};
use lockstep_core::value::{Concrete, same};
use std::rc::Rc;

const PROFILE: &str = "[inexact.rcp]\nulps = 3\n[inexact.rsq]\nulps = 3\n[inexact.exp]\nulps = 3\n";

/// Runs a simulated subject: the reference, in which `change` replaces each float that an inexact unit writes. It gets the opcode's tolerance, and
/// the reference's number.
fn simulated<I: Isa>(
    resolved: &Resolved<I>,
    profile: &Profile,
    change: &mut dyn FnMut(&Numbers, f32) -> f32,
) -> Outcome {
    let cx = resolved.context();
    let effects = direct_effects(&cx);
    let points_of = I::cover_points(cx.program);
    let outcome = run_steps(resolved, &mut |_, word, _, after| {
        let points = points_of(word).into_iter().filter(|point| profile.inexact.contains_key(point.opcode));
        let inexact: Vec<CoverPoint> = points.collect();
        let Some(own) = effects.get(&word).filter(|_| !inexact.is_empty()) else { return Ok(()) };
        for (key, value) in I::state(&Concrete, &cx, &after.lane) {
            let is_written = own.writes.contains(&key) || own.stores.contains(&key.file);
            let writer = inexact.iter().find(|point| I::unit_writes(cx.program, word, point, key));
            if let (true, Some(point), Scalar::F(value)) = (is_written, writer, value) {
                let numbers = profile.numbers.wider(&profile.inexact[point.opcode]);
                I::set_state::<Concrete>(&cx, &mut after.lane, key, Scalar::F(change(&numbers, value)));
            }
        }
        Ok(())
    });
    outcome.unwrap_or_else(|found| panic!("{}", found.message))
}

/// Returns the case of a program whose lanes have inputs with different values.
fn case<I: Isa>(text: &str) -> Case {
    let lane = |n: u16| LaneInput { slots: vec![[1.5, 2.25, f32::from(n) + 2.0, 0.75]; 3] };
    let env = Environment { lanes: (0..4).map(lane).collect(), fuel: 100, ..Environment::default() };
    Case::new::<I>(&I::assemble(text).unwrap(), env)
}

fn prepared(case: &Case, profile: &Profile) -> Prepared {
    prepare(case, profile, &[Ability::Run]).unwrap_or_else(|why| panic!("{why}"))
}

/// Judges a simulated subject.
fn judged<I: Isa>(
    prepared: &Prepared,
    profile: &Profile,
    change: &mut dyn FnMut(&Numbers, f32) -> f32,
) -> Result<Compared, Disagreement> {
    let expected = prepared.expected.as_ref().unwrap();
    let Grade::Propagated(sets) = &expected.grade else { panic!("{:?}", expected.grade) };
    let outcome = simulated(&prepared.case.resolve::<I>().unwrap(), profile, change);
    compare_sets::<I>(expected, sets, &profile.numbers, &outcome)
}

fn grade_of<I: Isa>(profile: &str, text: &str) -> Grade {
    let profile = Profile::from_text(profile, I::ID).unwrap();
    prepared(&case::<I>(text), &profile).expected.unwrap().grade
}

/// Returns the number that is `by` units in the last place above `value`.
fn above(value: f32, by: i32) -> f32 {
    f32::from_bits(value.to_bits().wrapping_add_signed(by))
}

#[test]
fn an_error_within_the_tolerance_is_accepted_after_further_instructions_and_twice_the_tolerance_is_not() {
    let profile = Profile::from_text(PROFILE, IsaId::Agal).unwrap();
    for text in [
        "rcp vt0, va0\nmul op, vt0, va1",
        "rsq vt0, va0\nmul vt0, vt0, va1\nadd vt0, vt0, vt0\nmov op, vt0",
        "exp vt0, va0\nmul vt1, vt0, va1\nsge vt2, vt0, vt1\nadd vt1, vt1, vt2\nmov op, vt1",
    ] {
        let prepared = prepared(&case::<Agal>(&format!("version 2 vertex\n{text}")), &profile);
        for by in [-3, -1, 0, 1, 3] {
            let judged = judged::<Agal>(&prepared, &profile, &mut |_, value| above(value, by));
            let compared = judged.unwrap_or_else(|found| panic!("{text}, {by}: {}", found.message));
            assert_eq!((compared.lanes, compared.components, compared.undecided), (4, 16, 0), "{text}");
        }
        for by in [-6, 6] {
            let found = judged::<Agal>(&prepared, &profile, &mut |_, value| above(value, by)).unwrap_err();
            assert_eq!((found.class, found.detail.as_str()), (Class::Value, "output"), "{text}, {by}");
            assert!(found.message.starts_with("lane 0, op.x: "), "{text}: {}", found.message);
        }
    }
}

#[test]
fn a_branch_on_an_inexact_result_may_take_either_direction_but_no_third() {
    let profile = Profile::from_text(PROFILE, IsaId::Agal).unwrap();
    // In lane 0, 2 to the power of va0.z is 4, which is compared with itself.
    let text = "version 2 vertex\nexp vt0, va0.z\nadd vt1, va0.z, va0.z\nmov vt2, va0\nifg vt0.x, vt1.x\nadd vt2, va0, va1\neif\nmov op, vt2";
    let prepared = prepared(&case::<Agal>(text), &profile);
    let mut outputs = Vec::new();
    for by in [-1, 1] {
        let judged = judged::<Agal>(&prepared, &profile, &mut |_, value| above(value, by));
        assert_eq!(judged.map(|compared| compared.lanes), Ok(4));
        let resolved = prepared.case.resolve::<Agal>().unwrap();
        outputs.push(simulated(&resolved, &profile, &mut |_, value| above(value, by)).lanes[0].outputs[0]);
    }
    assert_eq!(outputs, [1.5, 3.0]);
    let expected = prepared.expected.as_ref().unwrap();
    let Grade::Propagated(sets) = &expected.grade else { panic!("{:?}", expected.grade) };
    let mut third = expected.outcome.clone();
    third.lanes[0].outputs[0] = 2.0;
    let found = compare_sets::<Agal>(expected, sets, &profile.numbers, &third).unwrap_err();
    assert!(found.message.ends_with("and no other path gives the answer"), "{}", found.message);
    // Lanes 1 to 3 have only one path, so the other direction is a difference.
    let mut other = expected.outcome.clone();
    other.lanes[1].outputs[0] = 1.5;
    assert_eq!(
        compare_sets::<Agal>(expected, sets, &profile.numbers, &other).is_ok(),
        other == expected.outcome
    );
}

#[test]
fn runs_in_which_more_than_floats_may_differ_are_undecided() {
    let agal = |text: &str| grade_of::<Agal>(PROFILE, &format!("version 2 vertex\n{text}"));
    assert!(matches!(agal("exp vt0, va0\nmul op, vt0, vt0"), Grade::Propagated(_)));
    // The difference of two results may be zero, so its reciprocal and their product may be anything.
    let anything = "exp vt0, va0\nexp vt1, va0\nsub vt0, vt0, vt1\nrcp vt1, vt0\nmul op, vt0, vt1";
    assert_eq!(agal(anything), Grade::Undecided);
    let d3d9 = |opcode: &str, text: &str| {
        let profile = format!("[inexact.{opcode}]\nulps = 3");
        grade_of::<D3d9>(&profile, &format!("vs_3_0\ndcl_position v0\ndcl_position o0\n{text}"))
    };
    // Address registers and predicates.
    assert!(matches!(d3d9("rcp", "rcp r0, v0.x\nmova a0, r0\nmov o0, c[a0.x]"), Grade::Propagated(_)));
    assert_eq!(d3d9("mova", "mova a0, v0\nadd o0, v0, c[a0.x]"), Grade::Undecided);
    assert_eq!(d3d9("setp", "setp_gt p0, v0, c0\n(p0) mov r0, v0\nadd o0, r0, v0"), Grade::Undecided);
}

#[test]
fn sets_under_other_options_explain_a_difference() {
    let profile = Profile::from_text(PROFILE, IsaId::Agal).unwrap();
    let text =
        "version 2 vertex\nexp vt0, va0\nmov vt1, vt0\nifg vt0.x, vt0.x\nadd vt1, vt0, va1\neif\nmov op, vt1";
    let prepared = Rc::new(prepared(&case::<Agal>(text), &profile));
    // This subject takes the branch if the operands are equal.
    let other = Profile::from_text("options = { ifg = 'ge' }", IsaId::Agal).unwrap();
    let subject = OwnEngine::new(IsaId::Agal, Engine::Reference);
    let mut subject = InProcess::open(subject, &greeting(IsaId::Agal, &other)).unwrap();
    let answers = subject.ask(&prepared.questions).unwrap();
    let found = judge(&prepared, &answers, &profile).unwrap_err();
    let explains = |profile: &Profile| {
        let mut inference = OptionInference::new(IsaId::Agal, profile);
        inference.record_difference(&prepared, &answers, &found, profile)
    };
    assert!(explains(&profile));
    let claimed = Profile::from_text(&format!("options = {{ ifg = 'gt' }}\n{PROFILE}"), IsaId::Agal).unwrap();
    assert!(!explains(&claimed));
}

#[test]
fn final_registers_are_not_compared_with_sets() {
    let profile = Profile::from_text("[inexact.rcp]\nulps = 3\n", IsaId::D3d9).unwrap();
    let mut found = 0;
    for seed in 0..400 {
        let mut e = Entropy::seeded(seed);
        let request = ProgramRequest { size: Some(4), opcode: Some("rcp"), ..ProgramRequest::default() };
        let program = D3d9::program(&mut e, &request);
        let case = case_for_program::<D3d9>(&mut e, &program);
        let Some(case) = with_registers::<D3d9>(&mut e, &case) else { continue };
        let Ok(prepared) = prepare(&case, &profile, &[Ability::Run, Ability::Registers]) else { continue };
        let Some(Expected { grade: Grade::Propagated(_), registers, .. }) = &prepared.expected else {
            continue;
        };
        let [Question::Run(run)] = prepared.questions.as_slice() else { panic!("{:?}", prepared.questions) };
        found += usize::from(!registers.is_empty());
        assert_eq!(run.finals, BTreeMap::new());
    }
    assert!(found > 20, "{found}");
}

/// The opcodes of an instruction set that compute reciprocals, square roots, powers and logarithms, except for table lookups, which have no number.
fn functions<I: Isa>() -> Vec<&'static str> {
    let parts = ["rcp", "rsq", "exp", "ex2", "log", "lg2", "recip", "mul.complex1"];
    let names = I::opcodes().iter().map(|row| row.mnemonic);
    let is_lookup = |name: &str| name.starts_with("complex.") || name == "pass.preexp2";
    let is_function = |name: &str| parts.iter().any(|part| name.to_lowercase().contains(part));
    names.filter(|name| is_function(name) && !is_lookup(name)).collect()
}

/// The results of judging simulated subjects.
#[derive(Debug, Default)]
struct Count {
    /// Runs that use inexact results, and those that are decided in every lane.
    inexact: usize,
    decided: usize,
    /// Runs of simulated subjects that differ from the reference's.
    different: usize,
}

/// Judges simulated subjects over generated programs. Each of their inexact results is a random number within the tolerance.
fn count_accepted<I: Generate>(
    programs: u64,
    opcodes: impl Fn(&mut Entropy<'_>) -> Vec<&'static str>,
) -> Count {
    let mut count = Count::default();
    for seed in 0..programs {
        let mut e = Entropy::seeded(seed);
        let request = ProgramRequest {
            size: Some(6),
            opcode: e.pick(&functions::<I>()).copied(),
            ..ProgramRequest::default()
        };
        let program = I::program(&mut e, &request);
        let case = case_for_program::<I>(&mut e, &program);
        let policies =
            ["", "zero_sign = 'any'\n", "subnormal = 'any'\n", "infinity = 'any'\nrelative = 1e-5\n"];
        let policy = e.pick(&policies).copied().unwrap_or_default();
        let tables =
            opcodes(&mut e).into_iter().map(|opcode| format!("[inexact.'{opcode}']\nulps = 4\n{policy}"));
        let profile = Profile::from_text(&tables.collect::<String>(), I::ID).unwrap();
        let Ok(prepared) = prepare(&case, &profile, &[Ability::Run]) else { continue };
        let Some(Expected { grade, outcome, .. }) = &prepared.expected else { continue };
        count.inexact += usize::from(matches!(grade, Grade::Propagated(_) | Grade::Undecided));
        let Grade::Propagated(sets) = grade else { continue };
        count.decided += usize::from(sets.decides_all());
        let resolved = prepared.case.resolve::<I>().unwrap();
        for _ in 0..4 {
            let mut change = |numbers: &Numbers, value: f32| {
                let by = e.below(9) as i32 - 4;
                let others = [above(value, by), -value, 0.0, -0.0, value * 1.000_01, f32::MAX, f32::INFINITY];
                let other = e.pick(&others).copied().unwrap_or_default();
                if numbers.accept(value, other) { other } else { value }
            };
            let theirs = simulated(&resolved, &profile, &mut change);
            let is_same = |(a, b): (&f32, &f32)| same(*a, *b);
            let mut lanes = theirs.lanes.iter().zip(&outcome.lanes);
            let all_same =
                lanes.all(|(a, b)| a.effects == b.effects && a.outputs.iter().zip(&b.outputs).all(is_same));
            count.different += usize::from(!all_same);
            let expected = prepared.expected.as_ref().unwrap();
            let judged = compare_sets::<I>(expected, sets, &profile.numbers, &theirs);
            assert!(judged.is_ok(), "{}, {seed}: {judged:?}\n{}", I::ID, I::disassemble(&resolved.program));
        }
    }
    count
}

/// The number of generated programs of each instruction set.
const PROGRAMS: u64 = 80;

#[test]
fn subjects_within_their_tolerances_are_accepted() {
    let mut counts = Vec::new();
    for &isa in IsaId::ALL {
        with_isa!(isa, I => {
            let of_functions = count_accepted::<I>(PROGRAMS, |_| functions::<I>());
            // Any opcodes may be inexact.
            let some = |e: &mut Entropy<'_>| {
                let names = I::opcodes().iter().map(|row| row.mnemonic);
                names.filter(|_| e.chance(25)).collect::<Vec<_>>()
            };
            counts.push((isa, of_functions, count_accepted::<I>(PROGRAMS, some)));
        });
    }
    println!("{counts:?}");
    for (isa, of_functions, of_any) in counts {
        assert!(of_any.decided * 10 > of_any.inexact && of_any.different > 10, "{isa}: {of_any:?}");
        // Nearly all runs that use functions of Utgard GP are undecided.
        if isa != IsaId::UtgardGp {
            assert!(of_functions.decided * 2 > of_functions.inexact, "{isa}: {of_functions:?}");
            assert!(of_functions.different > 50, "{isa}: {of_functions:?}");
        }
    }
}
