//! Initial and final registers in questions to subjects and in their answers.

use super::compiled::reproducer;
use super::library::ours;
use crate::registers::case_with_registers;
use lockstep::case::{Case, EntryRef};
use lockstep::generate::{Entropy, Generate, ProgramRequest, case, with_registers};
use lockstep::judge::plugin::{Plugin, c_source};
use lockstep::judge::{
    Ability, Answer, Bits, NotSent, Prepared, Profile, Question, Ran, Subject, batch, greeting, judge,
    own_answer, prepare,
};
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::{Format, IsaId, Syntax};
use lockstep_core::with_isa;
use std::collections::BTreeMap;
use std::process::Command;

/// Returns a case with two lanes. The first computes a0.x; in both, a0.y has an initial value. Nothing defines a0.x in the second lane, nor a0.z,
/// a0.w and aL in either.
fn example() -> Case {
    let text = "vs_2_x\ndcl_position v0\n(p0.x) mova a0.x, v0.x\nmov oPos, r1\n";
    let initial = [
        ("r1", [1.0, 2.0, 3.0, 4.0]),
        ("v0", [5.0; 4]),
        ("a0", [0.0, -7.0, 0.0, 0.0]),
        ("p0", [1.0, 0.0, 0.0, 0.0]),
    ];
    let mut case = case_with_registers::<D3d9>(text, &initial, &["a0", "aL"]);
    let EntryRef::Given(entry) = &mut case.entry else { panic!("a given entry") };
    for port in &mut entry.interface.inputs {
        match D3d9::input_name(&D3d9::entry(&D3d9::decode(&case.bytes).unwrap(), 0).unwrap(), port.slot)
            .as_str()
        {
            "a0" => port.mask = 0b10,
            "p0" => port.mask = 0b1,
            _ => {}
        }
    }
    let mut other = case.env.lanes[0].clone();
    other.slots.iter_mut().for_each(|slot| {
        if *slot == [1.0, 0.0, 0.0, 0.0] {
            *slot = [0.0; 4];
        }
    });
    case.env.lanes.push(other);
    case
}

fn prepared(case: &Case) -> Prepared {
    prepare(case, &Profile::default(), &[Ability::Run, Ability::Registers]).expect("questions")
}

/// Returns the reference's answer to a run.
fn ran(prepared: &Prepared) -> Ran {
    match own_answer(&prepared.questions[0], &prepared.case.options) {
        Answer::Ran(ran) => ran,
        other => panic!("{other:?}"),
    }
}

#[test]
fn registers_are_sent_by_name_and_in_their_type_only_to_subjects_that_exchange_them() {
    let case = example();
    let refused = prepare(&case, &Profile::default(), &[Ability::Run]).map(|prepared| prepared.questions);
    assert_eq!(refused, Err(NotSent::Registers));
    let prepared = prepared(&case);
    let sent: serde_json::Value = serde_json::from_str(&batch(0, &prepared.questions)).unwrap();
    let params = &sent[0]["params"];
    let one = |n: f32| format!("{:08x}", n.to_bits());
    let initial = |p0: &str| {
        let r1 = [one(1.0), one(2.0), one(3.0), one(4.0)];
        serde_json::json!({"r1": r1, "a0": [null, "fffffff9", null, null], "p0": [p0, null, null, null]})
    };
    assert_eq!(params["initial"], serde_json::json!([initial("00000001"), initial("00000000")]));
    assert_eq!(params["final"], serde_json::json!({"a0": "xy"}));
    let lane = serde_json::json!({"v0": [one(5.0), one(5.0), one(5.0), one(5.0)]});
    assert_eq!(params["lanes"], serde_json::json!([lane, lane]));
    let entry = &params["program"]["entry"];
    assert_eq!(entry["interface"]["outputs"], serde_json::json!([{"slot": 0, "mask": 15}]));
    assert_eq!((&entry["outputs"], &entry["number"]), (&serde_json::json!({"oPos": "xyzw"}), &0.into()));
    let finals = &ran(&prepared).lanes[0].finals;
    assert_eq!(finals["a0"][..2], [Some(Bits(5)), Some(Bits(-7i32 as u32))]);
}

#[test]
fn a_wrong_final_register_is_a_difference_unless_it_is_undefined_or_not_offered() {
    let prepared = prepared(&example());
    let right = ran(&prepared);
    let judged = |lane: usize, component: usize, bits: Option<Bits>| {
        let mut wrong = right.clone();
        wrong.lanes[lane].finals.get_mut("a0").expect("a register")[component] = bits;
        judge(&prepared, &[Answer::Ran(wrong)], &Profile::default())
    };
    assert!(judge(&prepared, &[Answer::Ran(right.clone())], &Profile::default()).is_ok());
    for (component, value) in [(0, "40a00000"), (1, "c0e00000")] {
        let found = judged(0, component, Some(Bits(9))).expect_err("a difference");
        let name = ["a0.x", "a0.y"][component];
        assert_eq!(found.detail, "register");
        assert!(found.message.contains(name) && found.message.contains(value), "{}", found.message);
        assert!(judged(0, component, None).is_ok());
    }
    assert!(judged(1, 1, Some(Bits(9))).is_err());
    assert!(judged(1, 0, Some(Bits(9))).is_ok());
    let mut silent = right;
    silent.lanes[0].finals.clear();
    assert!(judge(&prepared, &[Answer::Ran(silent)], &Profile::default()).is_ok());
}

#[test]
fn the_reproducer_in_c_compares_the_final_registers_that_are_defined() {
    let prepared = prepared(&example());
    let expected = [own_answer(&prepared.questions[0], &prepared.case.options)];
    let greeting = greeting(IsaId::D3d9, &Profile::default());
    let source = c_source("registers", &greeting, &prepared.questions, &expected).expect("a program");
    let (before, finals) = source.split_once("FINAL_EXPECTED").expect("expected registers");
    // a0.x and a0.y of both lanes. Only a0.x of the second lane is undefined.
    for (old, new, status) in [
        ("", "", 0),
        ("{0x00000005, 0xfffffff9", "{0x00000009, 0xfffffff9", 1),
        ("{0x00000005, 0xfffffff9", "{0x00000005, 0x00000009", 1),
        ("{0x00000000, 0xfffffff9", "{0x00000009, 0xfffffff9", 0),
        ("{0x00000000, 0xfffffff9", "{0x00000000, 0x00000009", 1),
    ] {
        assert!(finals.contains(old), "{finals}");
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("main.c");
        std::fs::write(&source, format!("{before}FINAL_EXPECTED{}", finals.replacen(old, new, 1))).unwrap();
        let done = Command::new(reproducer(folder.path(), &source)).arg(ours()).arg("executor").output();
        let done = done.expect("it runs");
        let said = String::from_utf8_lossy(&done.stdout);
        assert_eq!(done.status.code(), Some(status), "{new}: {said}");
    }
}

/// Asks our own engine as a library, and compares its registers with those of the reference. Returns the number of registers that were exchanged.
fn compare<I: Generate>() -> usize {
    let mut library = Plugin::new(ours(), vec!["executor".to_owned()]);
    let hello = library.hello(&greeting(I::ID, &Profile::default())).expect("a subject");
    assert!(hello.abilities.contains(&Ability::Registers));
    let mut exchanged = 0;
    for seed in 0..24 {
        let case = case::<I>(&mut Entropy::seeded(seed), &ProgramRequest::default());
        let case = with_registers::<I>(&mut Entropy::seeded(seed), &case).expect("registers");
        let Ok(prepared) = prepare(&case, &Profile::default(), &[Ability::Run, Ability::Registers]) else {
            continue;
        };
        let Question::Run(run) = &prepared.questions[0] else { panic!("no run") };
        let (mut theirs, ours) = (library.run(run).expect("an answer"), ran(&prepared));
        for (theirs, ours) in theirs.lanes.iter_mut().zip(&ours.lanes) {
            for (name, given) in &mut theirs.finals {
                let undefined = given.iter_mut().zip(ours.finals[name]).filter(|(_, ours)| ours.is_none());
                undefined.for_each(|(given, _)| *given = None);
            }
        }
        assert_eq!(theirs.lanes, ours.lanes, "{} seed {seed}", I::ID);
        exchanged += run.initial.iter().map(BTreeMap::len).sum::<usize>();
        exchanged += ours.lanes.iter().map(|lane| lane.finals.len()).sum::<usize>();
    }
    exchanged
}

/// Each of 400 lanes emits three vertices of one output, which are two effects each. The host's first buffer is too small for all of them.
#[test]
fn a_library_that_announces_more_effects_is_asked_again_and_returns_all() {
    type Pica = lockstep_core::isa::pica200::Pica200;
    let text = ".raw geometry, outputs=0x1, entry=0x0\nmov o0, v0\nsetemit 0\nemit\nemit\nemit\nend";
    let lanes = vec![LaneInput::default(); 400];
    let env = Environment { lanes, effects: 8, fuel: 9, ..Environment::default() };
    let case = Case::new::<Pica>(&Pica::assemble(text).unwrap(), env);
    let prepared = prepare(&case, &Profile::default(), &[Ability::Run]).expect("questions");
    let Question::Run(run) = &prepared.questions[0] else { panic!("no run") };
    let mut library = Plugin::new(ours(), vec!["executor".to_owned()]);
    library.hello(&greeting(IsaId::Pica200, &Profile::default())).expect("a subject");
    let theirs = library.run(run).expect("an answer");
    assert_eq!(theirs.lanes, ran(&prepared).lanes);
    assert!(theirs.lanes.iter().all(|lane| lane.effects.len() == 6));
}

#[test]
fn a_library_receives_and_returns_the_same_registers_as_the_reference() {
    for isa in IsaId::ALL {
        let exchanged = with_isa!(isa, I => compare::<I>());
        assert!(exchanged > 100, "{isa}: {exchanged}");
    }
}
