//! What rooms do grows no faster than programs do, up to a factor: counted in looks at instructions, not in seconds.

#![cfg(debug_assertions)]
#![allow(clippy::unwrap_used)]

use lockstep::case::Case;
use lockstep::corpus::sample;
use lockstep::engine::{evaluate, reference_with};
use lockstep::generate::Generate;
use lockstep::worst::worst;
use lockstep_core::exec;
use lockstep_core::host::Environment;
use lockstep_core::ir::rewrite::rewrite;
use lockstep_core::ir::{self, Mode, verify};
use lockstep_core::isa::{Context, IsaId};
use lockstep_core::with_isa;
use lockstep_core::work::looks;
use std::hint::black_box;

const SMALL: usize = 1 << 11;
const LARGE: usize = 4 * SMALL;
/// What may be looked at besides what grows with the program: tables, and lines before and after the hard part.
const APART: u64 = 2000;
/// Programs four times as long may take so many times the looks. In linear time it is 4, in quadratic time 16.
const FACTOR: u64 = 6;

/// Looks of each room at the family's program of a size; `None` where there is no such program.
fn rooms<I: Generate>(program: &I::Program) -> Vec<(String, u64)> {
    let bytes = I::encode(program);
    let case = Case::new::<I>(program, Environment::default());
    let resolved = case.resolve::<I>().unwrap();
    let env = sample(&resolved.context(), 1);
    let mut resolved = Case { env, ..case }.resolve::<I>().unwrap();
    // One group of lanes says it all, and going back says nothing of growth.
    resolved.env.lanes.truncate(4);
    resolved.env.fuel = 2;
    let cx: Context<'_, I> = resolved.context();
    let mut rooms = Vec::new();
    let mut room = |name: &str, work: &mut dyn FnMut()| rooms.push((name.to_owned(), looks(work).0));
    let text = I::disassemble(program);
    room("decode", &mut || drop(black_box(I::decode(&bytes))));
    room("encode", &mut || drop(black_box(I::encode(program))));
    room("disassemble", &mut || drop(black_box(I::disassemble(program))));
    room("assemble", &mut || drop(black_box(I::assemble(&text))));
    room("entries", &mut || drop(black_box(I::entries(program))));
    room("needs", &mut || drop(black_box(sample(&cx, 2))));
    room("edits", &mut || drop(black_box(I::edits(program))));
    room("validate", &mut || drop(black_box(I::validate(&cx))));
    if !resolved.is_legal() {
        return rooms;
    }
    for (way, mode) in [("nodes", Mode::Nodes), ("fallback", Mode::Fallback)] {
        let mut lowered = None;
        room(&format!("lower, {way}"), &mut || lowered = ir::lower(&cx, mode).ok());
        let Some(lowered) = lowered else { continue };
        room(&format!("verify, {way}"), &mut || _ = black_box(verify(&lowered)));
        room(&format!("rewrite, {way}"), &mut || drop(black_box(rewrite(&lowered))));
        room(&format!("plan, {way}"), &mut || drop(black_box(exec::plan(&lowered))));
        if mode == Mode::Nodes {
            room("run, evaluator", &mut || drop(black_box(evaluate(cx.entry, &lowered, &resolved.env))));
        }
    }
    room("run, reference", &mut || drop(black_box(reference_with::<I, false>(&cx, &resolved.env))));
    rooms
}

/// What grows faster, and why it does.
const FASTER: &[(IsaId, &str, &str, &str)] = &[];

/// How many rooms are held, and those that grow too fast.
fn grows<I: Generate>() -> (usize, Vec<String>) {
    let (mut held, mut fast) = (0, Vec::new());
    for family in worst(I::ID) {
        let [small, large] =
            [SMALL, LARGE].map(|size| family.program::<I>(size).map(|program| rooms::<I>(&program)));
        let (Some(small), Some(large)) = (small, large) else { continue };
        for (room, looks) in large {
            // What refuses the larger program does not look at more of it.
            let Some((_, before)) = small.iter().find(|(name, _)| *name == room) else { continue };
            let faster = looks > FACTOR * before + APART;
            let known = FASTER.iter().any(|(isa, f, r, _)| (*isa, *f, *r) == (I::ID, family.name, &room[..]));
            if faster != known {
                let what = if known { "no longer grows too fast" } else { "grows too fast" };
                fast.push(format!(
                    "{}, {}, {room} {what}: {before} looks at {SMALL} bytes, {looks} at {LARGE}",
                    I::ID,
                    family.name
                ));
            }
            held += 1;
        }
    }
    (held, fast)
}

#[test]
fn looks_at_instructions_grow_no_faster_than_programs() {
    let mut all = Vec::new();
    for &isa in IsaId::ALL {
        let (held, fast) = with_isa!(isa, I => grows::<I>());
        assert!(held > 50, "{isa}: {held} rooms");
        all.extend(fast);
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn of_very_many_entries_some_are_run_and_the_others_counted() {
    use lockstep::corpus::{Content, Item, MOST_WORDS, Standing, judge};
    use lockstep_core::isa::Isa;
    use lockstep_core::isa::pica200::Pica200;
    let family = worst(IsaId::Pica200).iter().find(|family| family.name == "many entries").unwrap();
    let program = Pica200::assemble(&(family.text)(150)).unwrap();
    assert_eq!(Pica200::entries(&program).len(), 150);
    assert_eq!(Pica200::entry(&program, 149), Pica200::entries(&program).pop());
    let content = Content::Program { isa: IsaId::Pica200, bytes: Pica200::encode(&program) };
    let run = content.cases(0..1).len();
    assert!(run > 1 && run * program.code.len() <= MOST_WORDS as usize, "{run} entries are run");
    assert_eq!(content.left_out(), 150 - run);
    let item = Item { name: "many".into(), path: "many".into(), content, standing: Standing::Foreign };
    let judgement = judge(&item, 0..1);
    assert!(judgement.clean() && judgement.runs as usize == run, "{judgement:?}");
    assert!(judgement.refused.unwrap().starts_with(&format!("{} further entries", 150 - run)));
}
