//! What rooms do grows no faster than programs do, up to a factor: counted, not timed.
//!
//! Two things are counted on this thread: looks at instructions (`lockstep_core::work`) and bytes allocated. Each room, and each kind of edit, is
//! measured on a program of every family and on one of a quarter of its size. In linear time the larger takes four times as much, in
//! quadratic time sixteen times.

#![cfg(debug_assertions)]
#![allow(clippy::unwrap_used)]

use lockstep::case::Case;
use lockstep::corpus::sample;
use lockstep::engine::{Executor, Tier, evaluate, reference_with};
use lockstep::generate::Generate;
use lockstep::worst::{Worst, worst};
use lockstep_core::exec;
use lockstep_core::host::Environment;
use lockstep_core::ir::rewrite::rewrite;
use lockstep_core::ir::{self, Mode, verify};
use lockstep_core::isa::{Context, Edit, IsaId};
use lockstep_core::with_isa;
use lockstep_core::work::looks;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::hint::black_box;

/// Bytes of the larger program, the largest that a family has of these.
const SIZES: [usize; 3] = [1 << 14, 1 << 13, 1 << 12];
/// The smaller program has so many times fewer.
const SHARE: usize = 4;

/// Bytes of the larger program whose edits are applied.
const EDITED: usize = 1 << 13;
/// How many edits of each kind are tried, or a few more.
const EDITS: usize = 8;

/// Counts what is allocated.
struct Counting;

thread_local! {
    static BYTES: Cell<u64> = const { Cell::new(0) };
}

fn allocated(bytes: usize) {
    // Threads that end allocate, too.
    let _ = BYTES.try_with(|sum| sum.set(sum.get() + bytes as u64));
}

// SAFETY: it hands everything on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        allocated(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        allocated(size);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What a room took.
#[derive(Clone, Copy, Debug)]
struct Taken {
    looks: u64,
    bytes: u64,
}

impl Taken {
    /// What grows too fast from `small` to this, which is of a program [`SHARE`] times as long. What a table or a first block of memory takes
    /// does not count; vectors that double may be nearly twice as large as they need be on one side and not on the other.
    fn too_much(self, small: Taken) -> Option<String> {
        if self.looks > 6 * small.looks + 4000 {
            Some(format!("{} looks, then {}", small.looks, self.looks))
        } else if self.bytes > 9 * small.bytes + (1 << 19) {
            Some(format!("{} bytes, then {}", small.bytes, self.bytes))
        } else {
            None
        }
    }
}

/// What each room takes for a program, and whether it is legal.
fn rooms<I: Generate>(program: &I::Program) -> (Vec<(&'static str, Taken)>, bool) {
    let bytes = I::encode(program);
    let case = Case::new::<I>(program, Environment::default());
    let resolved = case.resolve::<I>().unwrap();
    let env = sample(&resolved.context(), 1);
    let mut resolved = Case { env, ..case.clone() }.resolve::<I>().unwrap();
    // One group of lanes says it all, and how often it goes back is a matter of fuel.
    resolved.env.lanes.truncate(4);
    resolved.env.fuel = 2;
    let cx: Context<'_, I> = resolved.context();
    let mut rooms = Vec::new();
    let mut room = |name: &'static str, work: &mut dyn FnMut()| {
        let before = BYTES.get();
        let looks = looks(work).0;
        rooms.push((name, Taken { looks, bytes: BYTES.get() - before }));
    };
    let text = I::disassemble(program);
    let classes =
        || (0..I::words(&cx)).map(I::classifier(program)).map(|classes| classes.len()).sum::<usize>();
    room("decode", &mut || drop(black_box(I::decode(&bytes))));
    room("encode", &mut || drop(black_box(I::encode(program))));
    room("disassemble", &mut || drop(black_box(I::disassemble(program))));
    room("assemble", &mut || drop(black_box(I::assemble(&text))));
    room("entry", &mut || drop(black_box(I::entry(program, 0))));
    room("resolve", &mut || drop(black_box(case.resolve::<I>())));
    room("sample", &mut || drop(black_box(sample(&cx, 2))));
    room("classes", &mut || _ = black_box(classes()));
    room("edits", &mut || drop(black_box(I::edits(program))));
    room("strip", &mut || drop(black_box(I::strip(program, &resolved.entry))));
    room("validate", &mut || drop(black_box(I::validate(&cx))));
    let legal = resolved.is_legal();
    if !legal {
        return (rooms, legal);
    }
    type Names = [&'static str; 5];
    const NODES: Names = ["lower", "verify", "rewrite", "plan", "run, executor"];
    const FALLBACK: Names =
        ["lower, fallback", "verify, fallback", "rewrite, fallback", "plan, fallback", "run, fallback"];
    for (mode, [lower, verified, rewritten, planned, run]) in
        [(Mode::Nodes, NODES), (Mode::Fallback, FALLBACK)]
    {
        let mut lowered = None;
        room(lower, &mut || lowered = ir::lower(&cx, mode).ok());
        let Some(lowered) = lowered else { continue };
        room(verified, &mut || _ = black_box(verify(&lowered)));
        room(rewritten, &mut || drop(black_box(rewrite(&lowered))));
        room(planned, &mut || drop(black_box(exec::plan(&lowered))));
        if mode == Mode::Nodes {
            room("run, evaluator", &mut || drop(black_box(evaluate(cx.entry, &lowered, &resolved.env))));
        }
        let tiers = [Tier::best()];
        room(run, &mut || {
            _ = black_box(Executor::default().run_on(&tiers, cx.entry, &lowered, &resolved.env).count());
        });
    }
    room("run, reference", &mut || drop(black_box(reference_with::<I, false>(&cx, &resolved.env))));
    (rooms, legal)
}

/// Which kind of edit: the variant, and the number of the field or facet.
fn kind(edit: &Edit) -> (&'static str, u16) {
    match *edit {
        Edit::Remove { .. } => ("removal", 0),
        Edit::Swap { .. } => ("swap", 0),
        Edit::Copy { from, at } if at > from + 1 => ("copy to elsewhere", 0),
        Edit::Copy { .. } => ("copy", 0),
        Edit::Field { field, .. } => ("field", field),
        Edit::Facet { facet, .. } => ("facet", facet.into()),
    }
}

/// By kind of edit: what the dearest takes of some that apply. Kinds of which none applies are left out.
fn edits<I: Generate>(program: &I::Program) -> BTreeMap<(&'static str, u16), Taken> {
    let mut by_kind: BTreeMap<_, Vec<Edit>> = BTreeMap::new();
    for edit in I::edits(program) {
        by_kind.entry(kind(&edit)).or_default().push(edit);
    }
    let mut taken = BTreeMap::new();
    for (kind, edits) in by_kind {
        // From large removals to small ones, from the beginning of the program to its end.
        for edit in edits.iter().step_by((edits.len() / EDITS).max(1)) {
            let before = BYTES.get();
            let (looks, applied) = looks(|| black_box(I::apply(program, edit)).is_some());
            let bytes = BYTES.get() - before;
            if applied {
                let most = taken.entry(kind).or_insert(Taken { looks: 0, bytes: 0 });
                *most = Taken { looks: looks.max(most.looks), bytes: bytes.max(most.bytes) };
            }
        }
    }
    taken
}

/// Holds every kind of edit of an instruction set, in every family.
fn edits_grow<I: Generate>() {
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    for family in worst(I::ID) {
        let [Some(small), Some(large)] = [EDITED / SHARE, EDITED].map(|size| family.program::<I>(size))
        else {
            continue;
        };
        let small = edits::<I>(&small);
        for (kind @ (variant, number), taken) in edits::<I>(&large) {
            let Some(before) = small.get(&kind) else { continue };
            seen.insert(kind);
            if let Some(what) = taken.too_much(*before) {
                wrong.push(format!("{}, {}, {variant} {number}: {what}", I::ID, family.name));
            }
        }
    }
    for variant in ["removal", "swap", "copy", "field", "facet"] {
        assert!(
            seen.iter().any(|(seen, _)| *seen == variant),
            "{}: no {variant} applies at two sizes",
            I::ID
        );
    }
    assert!(wrong.is_empty(), "{} edits grow faster than programs:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_kind_of_edit_takes_as_much_as_programs_are_long() {
    // A thread each: counters are of threads.
    std::thread::scope(|scope| {
        let all: Vec<_> = IsaId::ALL
            .iter()
            .map(|&isa| scope.spawn(move || with_isa!(isa, I => edits_grow::<I>())))
            .collect();
        for one in all {
            one.join().unwrap();
        }
    });
}

/// What is held of a family: names of rooms, each with what grows too fast in it.
fn held<I: Generate>(family: &Worst) -> Vec<(&'static str, Option<String>)> {
    let mut held: Vec<(&'static str, Option<String>)> = Vec::new();
    for size in SIZES {
        let [Some(small), Some(large)] = [size / SHARE, size].map(|size| family.program::<I>(size)) else {
            continue;
        };
        let ((small, _), (large, legal)) = (rooms::<I>(&small), rooms::<I>(&large));
        for (room, taken) in large {
            // What refuses the larger program does not look at more of it.
            if let Some((_, before)) = small.iter().find(|(name, _)| *name == room)
                && held.iter().all(|(known, _)| *known != room)
            {
                held.push((room, taken.too_much(*before).map(|what| format!("{what}, at {size} bytes"))));
            }
        }
        if legal {
            break;
        }
    }
    held
}

/// What grows faster, and why it does.
const FASTER: &[(IsaId, &str, &str, &str)] = &[];

fn grows<I: Generate>(wrong: &mut Vec<String>) {
    let mut rooms = 0;
    for family in worst(I::ID) {
        let held = held::<I>(family);
        if held.is_empty() {
            wrong.push(format!("{}, {}: there are no two sizes", I::ID, family.name));
        }
        rooms += held.len();
        for (room, too_much) in held {
            let known = FASTER.iter().any(|(isa, f, r, _)| (*isa, *f, *r) == (I::ID, family.name, room));
            match too_much {
                Some(what) if !known => wrong.push(format!("{}, {}, {room}: {what}", I::ID, family.name)),
                None if known => wrong.push(format!("{}, {}, {room}: linear by now", I::ID, family.name)),
                _ => {}
            }
        }
    }
    assert!(rooms > 15 * worst(I::ID).len(), "{}: {rooms} rooms", I::ID);
}

#[test]
fn rooms_take_as_much_as_programs_are_long() {
    let mut wrong = Vec::new();
    for &isa in IsaId::ALL {
        with_isa!(isa, I => grows::<I>(&mut wrong));
    }
    assert!(wrong.is_empty(), "{} grow faster than programs:\n{}", wrong.len(), wrong.join("\n"));
}
