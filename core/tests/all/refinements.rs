//! The refinement of every instruction set: values of variables become lanes of the reference and back without a loss.

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

/// The value from which a lane was made, for each key that was asked for.
type Asked = BTreeMap<VarKey, Scalar<Concrete>>;

/// What a lowered program declares under one key.
#[derive(Clone, Copy)]
struct Declaration {
    ty: Ty,
    is_element: bool,
}

/// The declared variables and array elements of an instance.
type Declared = BTreeMap<VarKey, Declaration>;

/// The two numbers at which the values of a lane start. They differ by 1, so that every Boolean has both values.
const FIRST: [usize; 2] = [1, 2];

/// Calls `each` for two lanes at each node of the instances of lowering rules, unless the lane has ended, with the declarations of the lowered
/// program and the values from which the lane was made. Panics if an instance is not lowered, because its nodes would be left out unnoticed.
fn lanes<I: Isa>(mut each: impl FnMut(&str, &Context<'_, I>, I::Lane<Concrete>, &Declared, &Asked)) {
    let options = Options::new(I::option_specs());
    for instance in rule_instances::<I>() {
        let entries = I::entries(&instance.program);
        assert!(!entries.is_empty(), "{}: {}", I::ID, instance.name);
        for entry in &entries {
            let cx: Context<'_, I> = Context { program: &instance.program, entry, options: &options };
            let (program, nodes) = lower_with_nodes(&cx)
                .unwrap_or_else(|error| panic!("{}: {}: it is not lowered: {error}", I::ID, instance.name));
            let vars =
                program.vars.iter().map(|var| (var.key, Declaration { ty: var.ty, is_element: false }));
            let element = Declaration { ty: Ty::F32, is_element: true };
            let elements = program
                .arrays
                .iter()
                .flat_map(|array| (0..array.len as usize).map(move |number| (array.key(number), element)));
            let all: Vec<(VarKey, Declaration)> = vars.chain(elements).collect();
            let declared: Declared = all.iter().copied().collect();
            assert_eq!(declared.len(), all.len(), "{}: {}: a key is declared twice", I::ID, instance.name);
            for ((_, control), first) in nodes.iter().flat_map(|node| FIRST.map(|first| (node, first))) {
                let mut asked = Asked::new();
                let lane = I::refine(&Concrete, &cx, control, &mut |key| {
                    let ty = declared.get(&key).map_or(Ty::F32, |declaration| declaration.ty);
                    let value = numbered(ty, asked.len() + first);
                    asked.entry(key).or_insert(value).clone()
                });
                // Of a lane that has ended, some instruction sets keep only the outputs.
                if I::position(&cx, &lane).is_some() {
                    each(&instance.name, &cx, lane, &declared, &asked);
                }
            }
        }
    }
}

fn state<I: Isa>(cx: &Context<'_, I>, lane: &I::Lane<Concrete>) -> BTreeMap<VarKey, Scalar<Concrete>> {
    I::state(&Concrete, cx, lane).into_iter().collect()
}

/// Returns the number of values of variables and of array elements that were compared.
fn check_states<I: Isa>() -> [usize; 2] {
    let mut seen = [0; 2];
    lanes::<I>(|name, cx, lane, declared, asked| {
        let say = |key: VarKey| format!("{}: {name}: {}", I::ID, I::var_name(cx.entry, key));
        let mut state: BTreeMap<VarKey, Scalar<Concrete>> = BTreeMap::new();
        for (key, value) in I::state(&Concrete, cx, &lane) {
            assert!(state.insert(key, value).is_none(), "{}: twice", say(key));
        }
        for (key, value) in asked.iter().filter(|(key, _)| **key != KILLED) {
            let Some(declaration) = declared.get(key) else { continue };
            assert_eq!(state.get(key).map(text), Some(text(value)), "{}", say(*key));
            seen[usize::from(declaration.is_element)] += 1;
        }
    });
    seen
}

/// If the state lacked a value that the lane was made from, no proof of a step would compare that value.
#[test]
fn a_state_has_every_variable_and_element_that_its_lane_was_made_from_once() {
    let mut elements = 0;
    for &isa in IsaId::ALL {
        let [variables, of_arrays] = with_isa!(isa, I => check_states::<I>());
        assert!(variables > 1000, "{isa}: only {variables} values");
        elements += of_arrays;
    }
    assert!(elements > 1000, "only {elements} values of array elements");
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
