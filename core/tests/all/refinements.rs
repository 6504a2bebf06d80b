//! The refinement of every instruction set: lanes of the reference become values of variables and back without a loss.

use crate::drawn_steps::text;
use lockstep_core::ir::eval::Scalar;
use lockstep_core::ir::{Ty, VarKey};
use lockstep_core::isa::facet::rule_instances;
use lockstep_core::isa::lowering::lower_with_nodes;
use lockstep_core::isa::{Context, Isa, IsaId, KILLED, Options};
use lockstep_core::value::Concrete;
use lockstep_core::with_isa;
use std::collections::BTreeMap;

/// Returns a value of this type that is different for each `number`, except that Booleans alternate.
fn numbered(ty: Ty, number: usize) -> Scalar<Concrete> {
    match ty {
        Ty::F32 => Scalar::F(number as f32),
        Ty::I32 => Scalar::I(number as i32),
        Ty::Bool => Scalar::B(number % 2 == 1),
    }
}

fn type_of(value: &Scalar<Concrete>) -> Ty {
    match value {
        Scalar::F(_) => Ty::F32,
        Scalar::I(_) => Ty::I32,
        Scalar::B(_) => Ty::Bool,
    }
}

/// Calls `each` for each node of the lowering rules' instances: with a lane at the node, the types of the variables, and the values from which the
/// lane was made.
fn lanes<I: Isa>(
    mut each: impl FnMut(
        &str,
        &Context<'_, I>,
        I::Lane<Concrete>,
        &BTreeMap<VarKey, Ty>,
        BTreeMap<VarKey, Scalar<Concrete>>,
    ),
) {
    let options = Options::new(I::option_specs());
    for instance in rule_instances::<I>() {
        for entry in &I::entries(&instance.program) {
            let cx: Context<'_, I> = Context { program: &instance.program, entry, options: &options };
            let Ok((program, nodes)) = lower_with_nodes(&cx) else { continue };
            let types: BTreeMap<VarKey, Ty> = program.vars.iter().map(|var| (var.key, var.ty)).collect();
            for (_, control) in &nodes {
                let mut asked = BTreeMap::new();
                let lane = I::refine(&Concrete, &cx, control, &mut |key| {
                    let value = numbered(types.get(&key).copied().unwrap_or(Ty::F32), asked.len() + 1);
                    asked.insert(key, value.clone());
                    value
                });
                // Of a lane that has ended, some instruction sets keep only the outputs.
                if I::position(&cx, &lane).is_some() {
                    each(&instance.name, &cx, lane, &types, asked);
                }
            }
        }
    }
}

fn state<I: Isa>(cx: &Context<'_, I>, lane: &I::Lane<Concrete>) -> BTreeMap<VarKey, Scalar<Concrete>> {
    I::state(&Concrete, cx, lane).into_iter().collect()
}

fn check_states<I: Isa>() {
    let mut seen = 0;
    lanes::<I>(|name, cx, lane, types, asked| {
        let state = state::<I>(cx, &lane);
        for (key, value) in asked.iter().filter(|(key, _)| **key != KILLED && types.contains_key(key)) {
            let found = state.get(key).map(text);
            assert_eq!(found, Some(text(value)), "{}: {name}: {}", I::ID, I::var_name(cx.entry, *key));
            seen += 1;
        }
    });
    assert!(seen > 1000, "{}: only {seen} values", I::ID);
}

/// If the state lacked a value that the lane was made from, no proof of a step would compare that value.
#[test]
fn a_state_has_every_variable_that_its_lane_was_made_from() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => check_states::<I>());
    }
}

fn check_setters<I: Isa>() {
    let mut seen = 0;
    lanes::<I>(|name, cx, mut lane, _, asked| {
        let before = state::<I>(cx, &lane);
        let set: BTreeMap<VarKey, Scalar<Concrete>> = before
            .iter()
            .filter(|(key, _)| asked.contains_key(key))
            .zip(1000..)
            .map(|((key, old), number)| match old {
                Scalar::B(old) => (*key, Scalar::B(!old)),
                _ => (*key, numbered(type_of(old), number)),
            })
            .collect();
        for (key, value) in &set {
            I::set_state(cx, &mut lane, *key, value.clone());
        }
        let after = state::<I>(cx, &lane);
        for (key, old) in &before {
            let expected = set.get(key).unwrap_or(old);
            let name = || format!("{}: {name}: {}", I::ID, I::var_name(cx.entry, *key));
            assert_eq!(text(&after[key]), text(expected), "{}", name());
        }
        assert_eq!(after.len(), before.len());
        seen += set.len();
    });
    assert!(seen > 1000, "{}: only {seen} values", I::ID);
}

#[test]
fn setting_a_value_changes_its_key_and_no_other() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => check_setters::<I>());
    }
}
