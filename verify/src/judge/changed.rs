//! Runs, and for each of them runs that differ from it in one part, for tests of functions that compare runs.

use super::subject::{Ability, Answer, Bits, EffectData, LaneStatus, Ran};
use super::{Engine, InProcess, OwnEngine, Prepared, Profile, greeting, prepare};
use crate::case::Case;
use crate::judge::Connection;
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::isa::Isa;
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::pica200::Pica200;

/// Returns two prepared cases of two lanes each, with the reference's runs: a program with an output, and one with two effects.
pub(super) fn examples() -> [(Prepared, Ran); 2] {
    [
        example::<Agal>("version 1 vertex\nmov op, va0\n"),
        example::<Pica200>(".raw geometry, outputs=0x1, entry=0x0\nmov o0, v0\nsetemit 0\nemit\nend"),
    ]
}

fn example<I: Isa>(text: &str) -> (Prepared, Ran) {
    let lane = |n: f32| LaneInput { slots: vec![[n, 2.0, 3.0, 4.0]] };
    let lanes = vec![lane(1.0), lane(5.0)];
    let env = Environment { lanes, effects: 8, fuel: 9, ..Environment::default() };
    let case = Case::new::<I>(&I::assemble(text).unwrap(), env);
    let profile = Profile::default();
    let Ok(prepared) = prepare(&case, &profile, &[Ability::Run]) else { panic!("it is not asked") };
    let subject = OwnEngine::new(I::ID, Engine::Reference);
    let mut ours = InProcess::open(subject, &greeting(I::ID, &profile)).expect("a subject");
    let mut answers = ours.ask(&prepared.questions).expect("answers");
    let Some(Answer::Ran(ran)) = answers.pop() else { panic!("no run") };
    assert!(ran.lanes.iter().all(|lane| lane.effects.len() == 2 || !lane.outputs.is_empty()), "{ran:?}");
    (prepared, ran)
}

/// Returns the runs that differ from `ran` in one part of one lane, each with the name of that part: status, kill mark, each component of each
/// output, and kind, destination, components, order and number of effects.
pub(super) fn changed(ran: &Ran) -> Vec<(String, Ran)> {
    let mut all = Vec::new();
    for lane in 0..ran.lanes.len() {
        let mut add = |name: String, change: &dyn Fn(&mut super::LaneData)| {
            let mut other = ran.clone();
            change(&mut other.lanes[lane]);
            assert_ne!(other, *ran, "{name}");
            all.push((format!("lane {lane}: {name}"), other));
        };
        add("out of fuel".to_owned(), &|lane| lane.status = LaneStatus::OutOfFuel);
        add("trap".to_owned(), &|lane| lane.status = LaneStatus::Trap);
        add("killed".to_owned(), &|lane| lane.killed = !lane.killed);
        for (name, register) in &ran.lanes[lane].outputs {
            for component in (0..4).filter(|component| register[*component].is_some()) {
                add(format!("{name}.{component}"), &|lane| {
                    lane.outputs.get_mut(name).unwrap()[component] = Some(Bits::from(99.0));
                });
            }
        }
        for (at, effect) in ran.lanes[lane].effects.iter().enumerate() {
            add(format!("kind of effect {at}"), &|lane| lane.effects[at].kind ^= 1);
            add(format!("destination of effect {at}"), &|lane| lane.effects[at].index ^= 1);
            for component in (0..4).filter(|component| effect.bits[*component].is_some()) {
                add(format!("effect {at}, component {component}"), &|lane| {
                    lane.effects[at].bits[component] = Some(Bits::from(99.0));
                });
                add(format!("effect {at} without component {component}"), &|lane| {
                    lane.effects[at].bits[component] = None;
                });
            }
        }
        add("more effects".to_owned(), &|lane| {
            lane.effects.push(EffectData { kind: 0, index: 0, bits: [None; 4] });
        });
        if !ran.lanes[lane].effects.is_empty() {
            add("fewer effects".to_owned(), &|lane| _ = lane.effects.pop());
            add("order of effects".to_owned(), &|lane| lane.effects.reverse());
        }
    }
    all
}
