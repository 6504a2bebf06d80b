//! Tests of the rule instances, the programs with which the lowering rules are proved.

use lockstep_core::ir::verify;
use lockstep_core::isa::facet::{points, rule_instances};
use lockstep_core::isa::lowering::LowerError;
use lockstep_core::isa::lowering::lower_with_nodes;
use lockstep_core::isa::{Context, Isa, IsaId, Options};
use lockstep_core::with_isa;
use std::collections::BTreeSet;

/// Returns the coverage points of the instructions that are lowered in some rule instance. Code after the end of a program is not lowered.
fn lowered<I: Isa>() -> BTreeSet<String> {
    let options = Options::new(I::option_specs());
    let mut found = BTreeSet::new();
    for instance in rule_instances::<I>() {
        let again = I::decode(&I::encode(&instance.program));
        // Compares encodings and not programs, because the bytes of some instruction sets do not contain the stage.
        if let Ok(again) = &again {
            assert_eq!(I::encode(again), I::encode(&instance.program), "{}: {}", I::ID, instance.name);
        }
        assert!(again.is_ok(), "{}: {} does not decode", I::ID, instance.name);
        for entry in &I::entries(&instance.program) {
            let cx: Context<'_, I> = Context { program: &instance.program, entry, options: &options };
            let nodes = match lower_with_nodes(&cx) {
                Ok((program, nodes)) => {
                    assert_eq!(verify(&program), Ok(()), "{}: {}", I::ID, instance.name);
                    nodes
                }
                Err(LowerError::NoEntry) => continue,
                Err(error) => panic!("{}: {}: {error}", I::ID, instance.name),
            };
            let words: BTreeSet<u32> = nodes.iter().map(|(_, control)| I::control_word(control)).collect();
            let points = words.into_iter().flat_map(|word| I::facets().points(&instance.program, word));
            found.extend(points.map(|point| format!("{} {}", point.opcode, point.modifier)));
        }
    }
    found
}

fn check_rule_instances<I: Isa>() {
    let id = I::ID;
    let names: Vec<String> = rule_instances::<I>().iter().map(|instance| instance.name.clone()).collect();
    let distinct: BTreeSet<&String> = names.iter().collect();
    assert_eq!(distinct.len(), names.len(), "{id}: names are unique");
    let found = lowered::<I>();
    let all: BTreeSet<String> =
        points::<I>().iter().map(|point| format!("{} {}", point.opcode, point.modifier)).collect();
    let missing: Vec<_> = all.difference(&found).collect();
    assert!(
        missing.is_empty(),
        "{id}: {} coverage points are lowered in no rule instance: {missing:?}",
        missing.len()
    );
    // No proof covers an opcode without coverage points.
    let opcodes: BTreeSet<&str> = I::opcodes().iter().map(|opcode| opcode.mnemonic).collect();
    let with_points: BTreeSet<&str> = points::<I>().iter().map(|point| point.opcode).collect();
    let silent: Vec<_> = opcodes.difference(&with_points).copied().collect();
    println!(
        "{id}: {} rule instances, {} coverage points, opcodes without one: {silent:?}",
        names.len(),
        all.len()
    );
    assert_eq!(silent, without_points(id), "{id}: opcodes without a point");
}

/// Returns the opcodes without observable effects: declarations, and words that do nothing.
fn without_points(isa: IsaId) -> &'static [&'static str] {
    match isa {
        IsaId::D3d9 => &["dcl", "def", "defb", "defi", "label", "nop", "phase"],
        _ => &[],
    }
}

#[test]
fn every_coverage_point_has_a_rule_instance() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => check_rule_instances::<I>());
    }
}
