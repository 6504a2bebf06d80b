//! Tests that the simulation of the fallback detects lost writes, wrong initial values and wrong invariants.

use super::*;
use crate::claims::Claims;
use crate::mutate::mutations;
use crate::number::boundaries;
use lockstep_core::ir::Op;
use lockstep_core::isa::a2xx::A2xx;
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::lowering;
use lockstep_core::isa::pica200::Pica200;
use lockstep_core::isa::utgard_gp::UtgardGp;
use lockstep_core::isa::{Isa, Options, Refinement, Syntax, a2xx, d3d9, pica200, utgard_gp};
use std::collections::BTreeSet;

/// Runs `body` on the simulation of a program in the corpora, lowered by words and by nodes.
fn with_program<I: Isa>(name: &str, body: impl FnOnce(&Terms, &ir::Program, &mut Fallback<'_, '_, '_, I>)) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora");
    let file = format!("{}/programs/{name}.{}.txt", I::ID, I::ID);
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    let program = I::assemble(&text).unwrap();
    let (entry, options) = (I::entries(&program).remove(0), Options::new(I::option_specs()));
    let cx: Context<'_, I> = Context { program: &program, entry: &entry, options: &options };
    let (d, mut registers) = (Terms::default(), Registers::new(&entry));
    let (fallback, nodes) =
        (lowering::lower_by_words(&cx, |_| {}).unwrap(), lowering::lower_with_nodes(&cx).unwrap());
    let mut simulation = Fallback::new(&d, cx, &fallback, &nodes, &mut registers).unwrap();
    body(&d, &fallback, &mut simulation);
}

fn word<I: Syntax + Refinement>(
    d: &Terms,
    program: &ir::Program,
    word: u32,
    simulation: &mut Fallback<'_, '_, '_, I>,
) -> Claims {
    let mut claims = ClaimBuilder::default();
    simulation.claim_word(d, program, word, &mut claims);
    claims.claims(d)
}

fn initial_claims<I: Syntax + Refinement>(
    d: &Terms,
    program: &ir::Program,
    simulation: &mut Fallback<'_, '_, '_, I>,
) -> Claims {
    let mut claims = ClaimBuilder::default();
    simulation.start(d, program, &mut claims);
    claims.claims(d)
}

/// Returns a claim that evaluation refutes, if there is one.
fn refuted(claims: &Claims) -> Option<String> {
    claims.refute(&boundaries(), 0..24, &|_| true).map(|example| example.what)
}

/// Returns the register files of the variables for which some dropped write is detected.
fn detected_files<I: Isa>(name: &str) -> BTreeSet<u8> {
    let mut files = BTreeSet::new();
    with_program::<I>(name, |d, program, simulation| {
        for number in simulation.words() {
            assert!(word(d, program, number, simulation).open.is_empty(), "{name}: word {number}");
            let block = simulation.block_of(program, number).unwrap();
            for mutation in mutations(program, &[block.0]).iter().filter(|m| m.drops()) {
                let mutant = mutation.apply(program);
                let changed = program.insts.iter().zip(&mutant.insts).find(|(old, new)| old != new);
                let Some(Op::Write(var)) = changed.map(|(old, _)| old.op) else { continue };
                if refuted(&word(d, &mutant, number, simulation)).is_some() {
                    files.insert(program.vars[var.0 as usize].key.file);
                }
            }
        }
    });
    files
}

#[test]
fn a_dropped_write_of_control_state_is_detected() {
    use {a2xx::variables::File as A, pica200::variables::File as P};
    use {d3d9::variables::File as D, utgard_gp::variables::File as U};
    let detected = detected_files::<Pica200>("stacks_full");
    for file in [P::Call, P::Arm, P::LoopPlace, P::Loop, P::Address] {
        assert!(detected.contains(&(file as u8)), "PICA200: {file:?}");
    }
    assert!(detected.contains(&PC_FILE), "PICA200: the next word");
    let detected = detected_files::<A2xx>("loops_in_calls");
    for file in [A::Call, A::Depth, A::Loop, A::Pass, A::Address] {
        assert!(detected.contains(&(file as u8)), "A2xx: {file:?}");
    }
    let detected = detected_files::<D3d9>("subroutines");
    assert!(detected.contains(&(D::Return as u8)), "Direct3D 9");
    let detected = detected_files::<UtgardGp>("latencies");
    for file in [U::PendingFallback, U::PendingFallbackDestination, U::PendingFallbackSlot] {
        assert!(detected.contains(&(file as u8)), "Utgard GP: {file:?}");
    }
}

/// Removes each word's control states from the invariant, one word at a time. Then some claim must fail: about a word from which lanes reach the
/// removed states, or about the initial state.
fn wrong_invariants<I: Isa>(name: &str) {
    let mut words = Vec::new();
    with_program::<I>(name, |_, _, simulation| words = simulation.words());
    assert!(words.len() > 4, "{name}");
    for gone in words {
        with_program::<I>(name, |d, program, simulation| {
            simulation.forget(gone);
            let mut said = refuted(&initial_claims(d, program, simulation));
            for number in simulation.words() {
                said = said.or_else(|| refuted(&word(d, program, number, simulation)));
            }
            let said = said.unwrap_or_default();
            assert!(
                said.ends_with("control state is in the invariant"),
                "{name}: without word {gone}: {said}"
            );
        });
    }
}

#[test]
fn an_invariant_that_lanes_violate_is_refuted() {
    wrong_invariants::<Pica200>("calls_four_deep");
    wrong_invariants::<A2xx>("loops_in_calls");
    wrong_invariants::<UtgardGp>("if_else");
}

#[test]
fn wrong_initial_values_are_refuted() {
    with_program::<Pica200>("stacks_full", |d, program, simulation| {
        assert!(initial_claims(d, program, simulation).open.is_empty());
        // The pass count, step and saved `aL` of a loop are undefined before it begins, so their initial values do not matter.
        let counts = pica200::variables::File::Loop as u8;
        for (n, var) in program.vars.iter().enumerate().filter(|(_, var)| var.key.file != counts) {
            let mut mutant = program.clone();
            mutant.vars[n].init ^= 1;
            let said = refuted(&initial_claims(d, &mutant, simulation));
            assert!(said.is_some(), "{}", Pica200::var_name(simulation.cx.entry, var.key));
        }
    });
}

#[test]
fn positions_after_the_last_word_end_a_lane_or_hang_it() {
    with_program::<Pica200>("stacks_full", |d, program, simulation| {
        let mut mutant = program.clone();
        let Terminator::Switch(_, targets) = &mut mutant.blocks[simulation.dispatch.0 as usize].terminator
        else {
            panic!("no block dispatches")
        };
        let last = targets.len() - 1;
        targets.swap(last - 1, last);
        let said = refuted(&initial_claims(d, &mutant, simulation)).unwrap();
        assert!(said.starts_with("where word number"), "{said}");
    });
}
