//! The direct effects of words: every variable that a step of the reference changes is among them.

use crate::drawn_steps::{before, environment, text};
use crate::flow::Random;
use lockstep_core::host::ConcreteHost;
use lockstep_core::ir::{Ty, VarKey};
use lockstep_core::isa::a2xx::A2xx;
use lockstep_core::isa::facet::rule_instances;
use lockstep_core::isa::lowering::lower_with_nodes;
use lockstep_core::isa::{
    Context, Format, KILLED, LaneState, Lowering, Options, Reference, Refinement, Syntax, Tables, run,
};
use lockstep_core::value::Concrete;
use std::collections::BTreeMap;

/// Returns the values of a lane, as text.
fn values(cx: &Context<'_, A2xx>, lane: &<A2xx as Reference>::Lane<Concrete>) -> BTreeMap<VarKey, String> {
    let state = A2xx::state(&Concrete, cx, lane).into_iter().map(|(key, value)| (key, text(&value)));
    state.chain([(KILLED, lane.killed.to_string())]).collect()
}

#[test]
fn whatever_a_step_changes_is_among_the_direct_effects_of_its_word() {
    let mut r = Random(0xeffe);
    let options = Options::new(A2xx::option_specs());
    let pool: Vec<_> = (0..4).map(|_| environment(&mut r)).collect();
    let mut changes = BTreeMap::<u8, u32>::new();
    for instance in rule_instances::<A2xx>() {
        let points = A2xx::cover_points(&instance.program);
        for entry in &A2xx::entries(&instance.program) {
            let cx: Context<'_, A2xx> = Context { program: &instance.program, entry, options: &options };
            let Ok((program, nodes)) = lower_with_nodes(&cx) else { continue };
            let types: BTreeMap<VarKey, Ty> = program.vars.iter().map(|var| (var.key, var.ty)).collect();
            for ((_, control), (seed, env)) in
                nodes.iter().flat_map(|node| (0..).zip(&pool).map(move |run| (node, run)))
            {
                let mut host = ConcreteHost::<true>::new(env, 0);
                let lane =
                    |at| A2xx::refine(&Concrete, &cx, control, &mut |key| before(&types, seed, at, key));
                let lanes = 0..usize::from(A2xx::group(&cx));
                let mut group: Vec<_> =
                    lanes.map(|at| LaneState { lane: lane(at), fuel: 9, end: None }).collect();
                let old: Vec<_> = group.iter().map(|running| values(&cx, &running.lane)).collect();
                run::step(&mut Concrete, &mut host, &cx, &mut group);
                let word = A2xx::control_word(control);
                let listed = A2xx::direct_effects(&instance.program, word).unwrap();
                for (running, old) in group.iter().zip(&old) {
                    let new = values(&cx, &running.lane);
                    for (key, _) in new.iter().filter(|(key, value)| old.get(key) != Some(value)) {
                        let name = || {
                            let line = A2xx::disassemble_word(&instance.program, word);
                            format!("{}: {line}: {key:?}", instance.name)
                        };
                        assert!(listed.contains(key), "{}", name());
                        let mut points = points(word).into_iter();
                        let written =
                            points.any(|point| A2xx::unit_writes(&instance.program, word, &point, *key));
                        assert!(written, "no unit of the word writes the variable: {}", name());
                        *changes.entry(key.file).or_default() += 1;
                    }
                }
            }
        }
    }
    assert!(changes.len() >= 7, "files that some step changes: {changes:?}");
}
