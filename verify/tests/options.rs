//! Every choice of every option of every instruction set changes what some program computes, in the reference and, alike, in the executor.

#![allow(clippy::expect_used)] // a test that cannot go on fails

use lockstep::case::Case;
use lockstep::corpus::{Content, load_own, own_corpora};
use lockstep::engine::{Executor, Tier, compare, reference};
use lockstep::generate::{Entropy, Generate, Wish, any_case, around, case};
use lockstep_core::ir::{self, Mode};
use lockstep_core::isa::{Axis, Isa, IsaId, Level};
use lockstep_core::with_isa;
use std::collections::{BTreeMap, BTreeSet};

/// Choices about programs that a rule refuses, so that nobody can run them: they are lowered all the same, without the validator.
const REFUSED: &[(IsaId, &str)] = &[(IsaId::Pica200, "stray_break")];

/// An option that matters only beside a choice of another.
struct Beside {
    isa: IsaId,
    axis: &'static str,
    other: (&'static str, &'static str),
}

/// Where zero times infinity is zero, the formula of a power gives 1 for exponent 0, as the other choice does.
const BESIDE: &[Beside] = &[Beside { isa: IsaId::D3d9, axis: "pow_zero", other: ("zero_times", "ieee") }];

/// Programs about a choice, where no form and no program of the corpora is.
fn telling(isa: IsaId) -> Vec<String> {
    match isa {
        IsaId::Pica200 => vec![
            // A call of no words: runs on from word 3, or comes back to word 1.
            ".raw vertex\ncall 3, 0\nmov o0, c0\nend\nmov o0, c1\nend".to_owned(),
            // Word 4095 ends the program, or runs, and word 0 follows.
            format!(".raw geometry\nmov o0, c0\n{}", "nop\n".repeat(4095)),
            // A break outside of loops.
            ".raw vertex\nmov o0, c0\nbreak\nmov o0, c1\nend".to_owned(),
        ],
        IsaId::UtgardGp => vec![
            // An address register set in a taken branch: the target loads by it as soon as three bubbles have passed.
            "attribute.load(0), complex.set_addr2(attribute.x);\nnop;\nnop;\nnop;\n\
             attribute.load(0), complex.set_addr2(attribute.y), pass.mov(attribute.z), branch(there), unknown_1(13);\nnop;\nthere:\n\
             uniform.load(0, addr[2]), acc[0].mov(uniform.x), store[0].varying(0, acc[0].out, unused);"
                .to_owned(),
            // A position and a point size that the driver transforms.
            ".position 0\n.point_size 1\n.viewport_scale 0\n.viewport_offset 1\nattribute.load(0), acc[0].mov(attribute.x), acc[1].mov(attribute.y), \
             store[0].varying(0, acc[0].out, acc[1].out), mul[0].mov(attribute.z), mul[1].mov(attribute.w), \
             store[1].varying(0, mul[0].out, mul[1].out);\n\
             attribute.load(1), acc[0].mov(attribute.x), store[0].varying(1, acc[0].out, unused);"
                .to_owned(),
        ],
        IsaId::D3d9 => vec![
            // A kill whose mask leaves components out.
            "ps_3_0\ndcl_texcoord0 v0\nmov r0, v0\ntexkill r0.x\nmov oC0, r0".to_owned(),
            // Zero to the power of zero.
            "ps_3_0\ndcl_texcoord0 v0\ndef c0, 0, 0, 0, 0\nmov r0, c0\npow r1, r0.x, c0.y\nmov oC0, r1".to_owned(),
        ],
        _ => Vec::new(),
    }
}

/// Cases drawn at random, beyond the corpora and the forms.
const DRAWN: u64 = 4000;

/// The choices that are not the default.
fn choices<I: Isa>() -> BTreeSet<(&'static str, &'static str)> {
    let of = |axis: &'static Axis| axis.choices[1..].iter().map(|choice| (axis.name, *choice));
    I::axes().iter().flat_map(of).collect()
}

/// Takes from `missing` the choices that change the outcome of a case, by name as a person would give them.
fn try_on<I: Isa>(case: &Case, missing: &mut BTreeSet<(&'static str, &'static str)>) {
    try_beside::<I>(case, None, missing);
    for beside in BESIDE.iter().filter(|beside| beside.isa == I::ID) {
        if missing.iter().any(|(axis, _)| *axis == beside.axis) {
            try_beside::<I>(case, Some(beside), missing);
        }
    }
}

/// As [`try_on`] beside one other choice, or beside the defaults.
fn try_beside<I: Isa>(
    case: &Case,
    beside: Option<&Beside>,
    missing: &mut BTreeSet<(&'static str, &'static str)>,
) {
    let plain: BTreeMap<String, String> =
        beside.iter().map(|b| (b.other.0.to_owned(), b.other.1.to_owned())).collect();
    let plain = Case { options: plain, ..case.clone() };
    let Ok(resolved) = plain.resolve::<I>() else { return };
    let cx = resolved.context();
    let legal = I::validate(&cx).iter().all(|violation| violation.level < Level::Error);
    if !legal && !telling(I::ID).iter().any(|text| I::assemble(text).as_ref() == Ok(cx.program)) {
        return;
    }
    cx.options.take_read();
    let before = reference(&cx, &resolved.env);
    let read = cx.options.take_read();
    for (_, axis) in I::axes().iter().enumerate().filter(|(at, _)| read >> at & 1 == 1) {
        for choice in &axis.choices[1..] {
            let refused = REFUSED.contains(&(I::ID, axis.name));
            let asked = beside.is_none_or(|beside| beside.axis == axis.name);
            if !missing.contains(&(axis.name, *choice)) || legal == refused || !asked {
                continue;
            }
            let mut changed = plain.clone();
            changed.options.insert(axis.name.to_owned(), (*choice).to_owned());
            let resolved = changed.resolve::<I>().expect("the names are the table's");
            let cx = resolved.context();
            let after = reference(&cx, &resolved.env);
            if compare(cx.entry, &before, &after).is_ok() {
                continue;
            }
            let lowered = ir::lower(&cx, Mode::Auto).expect("it has been lowered without the option");
            let run = Executor::new(Tier::best()).run(cx.entry, &lowered, &resolved.env);
            let place = format!("{} {}={choice}", I::ID, axis.name);
            assert_eq!(
                compare(cx.entry, &after, &run).err(),
                None,
                "{place}: the executor has another choice"
            );
            missing.remove(&(axis.name, *choice));
        }
    }
}

fn seen<I: Generate>() {
    let mut missing = choices::<I>();
    let all = missing.len();
    let root = own_corpora(None).expect("the corpora belong to the workspace");
    for item in load_own(&root, &[I::ID]).items {
        if !matches!(item.content, Content::Vectors { .. }) {
            item.content.cases(0..2).iter().for_each(|case| try_on::<I>(case, &mut missing));
        }
    }
    for (seed, form) in I::forms().iter().enumerate() {
        try_on::<I>(&around::<I>(&mut Entropy::seeded(seed as u64), &form.program), &mut missing);
    }
    for text in telling(I::ID) {
        if missing.is_empty() {
            break;
        }
        let program = I::assemble(&text).expect("it assembles");
        (0..100)
            .for_each(|seed| try_on::<I>(&around::<I>(&mut Entropy::seeded(seed), &program), &mut missing));
    }
    for seed in 0..DRAWN {
        if missing.is_empty() {
            break;
        }
        try_on::<I>(&case::<I>(&mut Entropy::seeded(seed), &Wish::default()), &mut missing);
        try_on::<I>(&any_case(I::ID, &mut Entropy::seeded(seed)), &mut missing);
    }
    println!("{}: {} of {all} choices change something", I::ID, all - missing.len());
    assert_eq!(missing, BTreeSet::new(), "{}: choices that change nothing", I::ID);
    assert!(all > 0, "{}: there are options", I::ID);
}

#[test]
fn every_choice_changes_what_some_program_computes() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => seen::<I>());
    }
}
