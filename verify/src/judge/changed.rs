//! A run and every run that differs from it in one part, for tests of what compares runs.

use super::subject::{Ability, Answer, Bits, EffectData, LaneStatus, Ran};
use super::{Engine, InProcess, OwnEngine, Prepared, Profile, greeting, prepare};
use crate::case::Case;
use crate::judge::Connection;
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::isa::{IsaId, Syntax, pica200::Pica200};

/// Returns the prepared case of a program with an output and two effects in each of two lanes, and the reference's run.
pub(super) fn example() -> (Prepared, Ran) {
    let text = ".raw geometry, outputs=0x1, entry=0x0\nmov o0, v0\nsetemit 0\nemit\nend";
    let lane = |n: f32| LaneInput { slots: vec![[n, 2.0, 3.0, 4.0]] };
    let lanes = vec![lane(1.0), lane(5.0)];
    let env = Environment { lanes, effects: 8, fuel: 9, ..Environment::default() };
    let case = Case::new::<Pica200>(&Pica200::assemble(text).unwrap(), env);
    let profile = Profile::default();
    let Ok(prepared) = prepare(&case, &profile, &[Ability::Run]) else { panic!("it is not asked") };
    let subject = OwnEngine::new(IsaId::Pica200, Engine::Reference);
    let mut ours = InProcess::open(subject, &greeting(IsaId::Pica200, &profile)).expect("a subject");
    let Ok([Answer::Ran(ran)]) =
        ours.ask(&prepared.questions).map(|all| <[Answer; 1]>::try_from(all).unwrap())
    else {
        panic!("no run")
    };
    assert!(ran.lanes.iter().all(|lane| lane.effects.len() == 2 && !lane.outputs.is_empty()), "{ran:?}");
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
        add("fewer effects".to_owned(), &|lane| _ = lane.effects.pop());
        add("more effects".to_owned(), &|lane| {
            lane.effects.push(EffectData { kind: 0, index: 0, bits: [None; 4] });
        });
        add("order of effects".to_owned(), &|lane| lane.effects.reverse());
    }
    all
}
