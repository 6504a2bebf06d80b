//! Covering arrays: the programs that `check` draws are live in the interactions of modifiers that other generated programs are live in.

#![allow(clippy::unwrap_used)]

use lockstep::case::Case;
use lockstep::corpus::{Content, sample};
use lockstep::coverage::{Interaction, Interactions};
use lockstep::generate::{Entropy, Generate, Wish, covering};
use lockstep_core::isa::{Context, Isa, IsaId, Options};
use lockstep_core::with_isa;
use std::collections::BTreeSet;

/// Seeds of programs that the covering arrays know nothing of.
const OTHERS: std::ops::Range<u64> = 1_000_000..1_000_120;
/// About how many instructions these have.
const SIZE: usize = 32;
/// Of a hundred interactions that these are live in, those that the covering arrays are live in at the least.
const SHARE: usize = 75;

/// Modifiers that must meet in some live instruction. A lowering that is wrong only where they meet is planted for each (`verify/selftest/faults`).
const MUST_MEET: &[(IsaId, &[&str])] = &[
    (IsaId::Agal, &["index=attribute", "index_lane=z", "mask=w"]),
    (IsaId::Pica200, &["a.sign=negative", "a.swizzle=permuted", "index=a0.y"]),
    (IsaId::UtgardGp, &["offset=2", "sign=result", "unit=mul1"]),
    (IsaId::A2xx, &["clamp=on", "dest=relative", "predicate=true"]),
];

fn live_in<I: Generate>(programs: impl Iterator<Item = Vec<u8>>) -> BTreeSet<Interaction> {
    let mut found = Interactions::<I>::new();
    for bytes in programs {
        // The environment in which `check` runs covering arrays.
        let program = Content::Program { isa: I::ID, bytes };
        program.cases(0..1).iter().for_each(|case| _ = found.add(case));
    }
    found.names()
}

fn covered<I: Generate>() {
    let array = covering(I::ID);
    let covered = live_in::<I>(array.programs().iter().cloned());
    let wish = Wish { size: Some(SIZE), ..Wish::default() };
    let others = OTHERS.map(|seed| I::encode(&I::program(&mut Entropy::seeded(seed), &wish)));
    let others = live_in::<I>(others);
    let missing: Vec<&Interaction> = others.difference(&covered).collect();
    println!(
        "{}: {} programs, {} of them once, live in {} interactions; {} others in {}, {} more",
        I::ID,
        array.programs().len(),
        array.once().len(),
        covered.len(),
        OTHERS.end - OTHERS.start,
        others.len(),
        missing.len()
    );
    assert!(others.len() > 300, "{}: only {} interactions", I::ID, others.len());
    assert!(
        missing.len() * 100 <= others.len() * (100 - SHARE),
        "{}: live in other programs alone: {missing:?}",
        I::ID
    );
    for (_, modifiers) in MUST_MEET.iter().filter(|(isa, _)| *isa == I::ID) {
        let met = modifiers.iter().map(|modifier| (*modifier).to_owned()).collect::<Vec<_>>();
        assert!(covered.contains(&met), "{}: {met:?} never meet", I::ID);
    }
}

#[test]
fn covering_arrays_are_live_where_modifiers_meet() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => covered::<I>());
    }
}

#[test]
fn an_interaction_is_of_one_instruction_and_live() {
    use lockstep_core::isa::agal::Agal;
    let live = |text: &str| -> BTreeSet<Interaction> {
        let program = Agal::assemble(text).unwrap();
        let options = Options::new(Agal::axes());
        let entry = &Agal::entries(&program)[0];
        let cx: Context<'_, Agal> = Context { program: &program, entry, options: &options };
        let mut found = Interactions::<Agal>::new();
        found.add(&Case::new::<Agal>(&program, sample(&cx, 0)));
        found.names()
    };
    let pair = |a: &str, b: &str| vec![a.to_owned(), b.to_owned()];
    let text = "version 1 vertex\nmov vt0.x, va0.wzyx\nadd vt0, vt0.x, va0\nmov op, vt0\n";
    // `x` and `permuted` meet in the first instruction, `x` and `replicated` nowhere.
    let first = live(&text.replace("mov op", "mov vt0.x, va0.wzyx\nmov op"));
    assert!(first.contains(&pair("a.swizzle=permuted", "mask=x")));
    assert!(!first.contains(&pair("a.swizzle=replicated", "mask=x")));
    assert!(first.contains(&pair("a.swizzle=replicated", "mask=full")));
    // What is written over is not live.
    assert!(!live(&format!("{text}mov op, va0\n")).contains(&pair("a.swizzle=permuted", "mask=x")));
}
