//! The direct effects of words: a unit's writes include the variables that it adds to the state.

use lockstep_core::host::{ConcreteHost, Environment};
use lockstep_core::ir::VarKey;
use lockstep_core::isa::utgard_gp::UtgardGp;
use lockstep_core::isa::utgard_gp::variables::File;
use lockstep_core::isa::utgard_gp::vocabulary::StoreKind;
use lockstep_core::isa::{Context, Format, Options, Refinement, Syntax, Tables, run};
use lockstep_core::value::Concrete;
use std::collections::BTreeSet;

/// Returns the keys of the stores that are pending after the first word of a text.
fn pending(text: &str) -> BTreeSet<VarKey> {
    let program = UtgardGp::assemble(text).unwrap();
    let entry = &UtgardGp::entries(&program)[0];
    let options = Options::new(UtgardGp::option_specs());
    let cx: Context<'_, UtgardGp> = Context { program: &program, entry, options: &options };
    let env = Environment::default();
    let mut host = ConcreteHost::<true>::new(&env, 0);
    let mut group = run::start::<UtgardGp, _, _>(&Concrete, &mut host, &cx, 1, 10);
    run::step(&mut Concrete, &mut host, &cx, &mut group);
    let files = [File::PendingStore, File::PendingSlot].map(|file| file as u8);
    let state = UtgardGp::state(&Concrete, &cx, &group[0].lane).into_iter().map(|(key, _)| key);
    state.filter(|key| files.contains(&key.file)).collect()
}

/// The direct effects of a store include the variables that the store adds to the pending ones: its value and its slot.
#[test]
fn a_store_to_a_temporary_writes_its_value_and_its_slot() {
    let word = |store: &str| {
        format!("complex.set_addr0(uniform.y), acc[0].mov(uniform.x), {store}unknown_1(12);\nnop;")
    };
    let with = word("store[0].temporary(acc[0].out, unused), ");
    let program = UtgardGp::assemble(&with).unwrap();
    let mut points = UtgardGp::facets().points(&program, 0).into_iter();
    let store = points.find(|point| point.opcode == StoreKind::Temporary.opcode()).unwrap();
    let (with, without) = (pending(&with), pending(&word("")));
    let added: Vec<VarKey> = with.difference(&without).copied().collect();
    assert_eq!(added, [File::PendingStore.key(0, 0), File::PendingSlot.key(0, 0)]);
    for key in added {
        assert!(UtgardGp::unit_writes(&program, 0, &store, key), "{key:?}");
    }
}
