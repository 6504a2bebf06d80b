//! The cost of each processing step grows at most linearly with the size of the program, up to a factor. Costs are counted, not timed.
//!
//! Two quantities are counted for each thread: visits of instructions (`lockstep_core::work`) and allocated bytes. Each step and each kind of edit is
//! measured on two programs of every family, one of which is a quarter of the size of the other. A step of linear cost takes four times as much for
//! the larger program, a step of quadratic cost sixteen times.

#![cfg(debug_assertions)]
#![allow(clippy::unwrap_used)]

use lockstep::case::Case;
use lockstep::corpus::environment_from_seed;
use lockstep::engine::{Executor, Tier, evaluate, reference_with};
use lockstep::generate::Generate;
use lockstep::worst::{StressFamily, worst};
use lockstep_core::exec;
use lockstep_core::host::Environment;
use lockstep_core::ir::rewrite::rewrite;
use lockstep_core::ir::verify;
use lockstep_core::isa::lowering;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{Context, Edit, IsaId};
use lockstep_core::with_isa;
use lockstep_core::work::measure_work;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::hint::black_box;

/// The sizes of the larger program in bytes. They are tried in this order until a program of the family is legal.
const SIZES: [usize; 3] = [1 << 14, 1 << 13, 1 << 12];
/// The size of the larger program divided by the size of the smaller.
const SHARE: usize = 4;

/// The size in bytes of the larger program for edits.
const EDITED: usize = 1 << 13;
/// The approximate number of edits of each kind that are tried.
const EDITS: usize = 8;

/// The allocator of this test, which counts the bytes allocated on each thread.
struct Counting;

thread_local! {
    static BYTES: Cell<u64> = const { Cell::new(0) };
}

fn allocated(bytes: usize) {
    // `try_with`, because a thread that ends also allocates after its thread-local values are destroyed.
    let _ = BYTES.try_with(|sum| sum.set(sum.get() + bytes as u64));
}

// SAFETY: passes everything on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        allocated(layout.size());
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        allocated(size);
        // SAFETY: guaranteed by the caller.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The cost of a step.
#[derive(Clone, Copy, Debug)]
struct Cost {
    visits: u64,
    bytes: u64,
}

impl Cost {
    /// Describes the cost that grows too fast from `small` to `self`, which was measured on a program [`SHARE`] times as long. The summands allow for
    /// the fixed cost of tables and of first allocations. The factor for bytes is larger, because a vector that doubles its capacity may have nearly
    /// twice the needed capacity in one of the two measurements.
    fn excess(self, small: Cost) -> Option<String> {
        if self.visits > 6 * small.visits + 4000 {
            Some(format!("{} visits, then {}", small.visits, self.visits))
        } else if self.bytes > 9 * small.bytes + (1 << 19) {
            Some(format!("{} bytes, then {}", small.bytes, self.bytes))
        } else {
            None
        }
    }
}

/// Returns the cost of each step for a program, and whether it is legal.
fn step_costs<I: Generate>(program: &I::Program) -> (Vec<(&'static str, Cost)>, bool) {
    let bytes = I::encode(program);
    let case = Case::new::<I>(program, Environment::default());
    let resolved = case.resolve::<I>().unwrap();
    let env = environment_from_seed(&resolved.context(), 1);
    let mut resolved = Case { env, ..case.clone() }.resolve::<I>().unwrap();
    // One group of lanes is enough, and the number of loop passes depends only on the fuel.
    resolved.env.lanes.truncate(4);
    resolved.env.fuel = 2;
    let cx: Context<'_, I> = resolved.context();
    let mut steps = Vec::new();
    let mut measure = |name: &'static str, work: &mut dyn FnMut()| {
        let before = BYTES.get();
        let visits = measure_work(work).0;
        steps.push((name, Cost { visits, bytes: BYTES.get() - before }));
    };
    let text = I::disassemble(program);
    let points = || {
        (0..I::instruction_count(&cx)).map(I::cover_points(program)).map(|points| points.len()).sum::<usize>()
    };
    measure("decode", &mut || drop(black_box(I::decode(&bytes))));
    measure("encode", &mut || drop(black_box(I::encode(program))));
    measure("disassemble", &mut || drop(black_box(I::disassemble(program))));
    measure("assemble", &mut || drop(black_box(I::assemble(&text))));
    measure("entry", &mut || drop(black_box(I::entry(program, 0))));
    measure("resolve", &mut || drop(black_box(case.resolve::<I>())));
    measure("environment", &mut || drop(black_box(environment_from_seed(&cx, 2))));
    measure("coverage points", &mut || _ = black_box(points()));
    measure("edits", &mut || drop(black_box(I::edits(program))));
    measure("strip", &mut || drop(black_box(I::strip(program, &resolved.entry))));
    measure("validate", &mut || drop(black_box(I::validate(&cx))));
    let legal = resolved.is_legal();
    if !legal {
        return (steps, legal);
    }
    type Names = [&'static str; 5];
    const NODES: Names = ["lower", "verify", "rewrite", "plan", "run, executor"];
    const FALLBACK: Names =
        ["lower, fallback", "verify, fallback", "rewrite, fallback", "plan, fallback", "run, fallback"];
    for (mode, [lower, verified, rewritten, planned, run]) in
        [(Mode::Nodes, NODES), (Mode::Fallback, FALLBACK)]
    {
        let mut lowered = None;
        measure(lower, &mut || lowered = lowering::lower_validated(&cx, mode).ok());
        let Some(lowered) = lowered else { continue };
        measure(verified, &mut || _ = black_box(verify(&lowered)));
        measure(rewritten, &mut || drop(black_box(rewrite(&lowered))));
        measure(planned, &mut || drop(black_box(exec::plan(&lowered))));
        if mode == Mode::Nodes {
            measure("run, evaluator", &mut || drop(black_box(evaluate(cx.entry, &lowered, &resolved.env))));
        }
        let tiers = [Tier::best_interpreted()];
        measure(run, &mut || {
            let mut executor = Executor::default();
            executor.plan(&lowered);
            _ = black_box(executor.run_on(&tiers, cx.entry, &resolved.env).count());
        });
    }
    measure("run, reference", &mut || drop(black_box(reference_with::<I, false>(&cx, &resolved.env))));
    (steps, legal)
}

/// Returns the kind of an edit: the variant, and the number of the field or facet.
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

/// Returns for each kind of edit the greatest cost among the edits that were tried. Kinds of which no tried edit applies are left out.
fn edits<I: Generate>(program: &I::Program) -> BTreeMap<(&'static str, u16), Cost> {
    let mut by_kind: BTreeMap<_, Vec<Edit>> = BTreeMap::new();
    for edit in I::edits(program) {
        by_kind.entry(kind(&edit)).or_default().push(edit);
    }
    let mut taken = BTreeMap::new();
    for (kind, edits) in by_kind {
        // The list goes from large removals to small ones and from the beginning of the program to its end; equal steps take samples of the whole
        // list.
        for edit in edits.iter().step_by((edits.len() / EDITS).max(1)) {
            let before = BYTES.get();
            let (visits, applied) = measure_work(|| black_box(I::apply(program, edit)).is_some());
            let bytes = BYTES.get() - before;
            if applied {
                let most = taken.entry(kind).or_insert(Cost { visits: 0, bytes: 0 });
                *most = Cost { visits: visits.max(most.visits), bytes: bytes.max(most.bytes) };
            }
        }
    }
    taken
}

/// Checks every kind of edit of an instruction set, in every family.
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
            if let Some(what) = taken.excess(*before) {
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
fn the_cost_of_every_kind_of_edit_grows_linearly() {
    // One thread each: counters are per thread.
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

/// Measures a family. Returns the names of the steps, each with a description of the cost that grows too fast, if there is one.
fn excesses<I: Generate>(family: &StressFamily) -> Vec<(&'static str, Option<String>)> {
    let mut held: Vec<(&'static str, Option<String>)> = Vec::new();
    for size in SIZES {
        let [Some(small), Some(large)] = [size / SHARE, size].map(|size| family.program::<I>(size)) else {
            continue;
        };
        let ((small, _), (large, legal)) = (step_costs::<I>(&small), step_costs::<I>(&large));
        for (step, taken) in large {
            // A step that was measured at a larger size is not measured again. The steps after validation are measured only if the larger program is
            // legal.
            if let Some((_, before)) = small.iter().find(|(name, _)| *name == step)
                && held.iter().all(|(known, _)| *known != step)
            {
                held.push((step, taken.excess(*before).map(|what| format!("{what}, at {size} bytes"))));
            }
        }
        if legal {
            break;
        }
    }
    held
}

/// Steps whose cost may grow faster: instruction set, family, step, and the reason.
const FASTER: &[(IsaId, &str, &str, &str)] = &[];

fn grows<I: Generate>(wrong: &mut Vec<String>) {
    let mut steps = 0;
    for family in worst(I::ID) {
        let held = excesses::<I>(family);
        if held.is_empty() {
            wrong.push(format!("{}, {}: there are no two sizes", I::ID, family.name));
        }
        steps += held.len();
        for (step, excess) in held {
            let known = FASTER.iter().any(|(isa, f, r, _)| (*isa, *f, *r) == (I::ID, family.name, step));
            match excess {
                Some(what) if !known => wrong.push(format!("{}, {}, {step}: {what}", I::ID, family.name)),
                None if known => wrong.push(format!("{}, {}, {step}: linear by now", I::ID, family.name)),
                _ => {}
            }
        }
    }
    assert!(steps > 15 * worst(I::ID).len(), "{}: {steps} steps", I::ID);
}

#[test]
fn costs_grow_linearly_with_the_program() {
    let mut wrong = Vec::new();
    for &isa in IsaId::ALL {
        with_isa!(isa, I => grows::<I>(&mut wrong));
    }
    assert!(wrong.is_empty(), "{} grow faster than programs:\n{}", wrong.len(), wrong.join("\n"));
}
