//! Facets of clauses.

use super::OFF_ON;
use super::context::mark;
use super::draft::{Draft, change};
use super::results::PREDICATES;
use super::site::{Place, part};
use crate::isa::a2xx::opcode::CfOp;
use crate::isa::a2xx::program::{Alloc, Branch, Clause, Exec, LoopEnd, LoopStart, Program};
use crate::isa::a2xx::word::{Buffer, Direction, MOST_RUN};
use crate::isa::facet::choice::{Choice, held, names, value};
use crate::isa::facet::{Facet, Meets, Site, Sited};

/// A facet of clauses of one kind, with its getter and its setter. Both may refuse.
macro_rules! clause {
    ($facet:ident $kind:ident $name:literal: $meaning:literal, $choices:ident, $get:expr, $set:expr) => {
        pub(super) const $facet: Facet<Program> = Facet {
            name: $name,
            meaning: $meaning,
            values: &names(&$choices),
            meets: Meets::ONE,
            get: |program, site| {
                let held = part::<$kind>(program, site).and_then($get);
                held.and_then(|held| value(&$choices, held)).into_iter().collect()
            },
            set: |program, site, value| {
                let wanted = held(&$choices, value)?;
                part::<$kind>(program, site).and_then($get)?;
                change::<$kind>(program, site, |clause| {
                    $set(clause, wanted);
                    Some(())
                })
            },
            disturbs: &[],
        };
    };
}

// ---- clauses that run slots

/// The bits of SEQ that make slots wait for earlier ones: the upper bit of each pair.
const SERIAL: u16 = 0xaaa;
/// The bit, in clauses that test no Boolean constant, that states that no instruction changes the predicate.
const CLEAN: u8 = 0x80;
const COUNTS: [Choice; 3] = [("none", 0), ("some", 1), ("six", MOST_RUN)];
const CONDITIONS: [Choice; 2] = [("0", 0), ("1", 1)];

pub(super) const CNT: Facet<Program> = Facet {
    name: "cnt",
    meaning: "how many slots it runs",
    values: &names(&COUNTS),
    meets: Meets::ONE,
    get: |program, site| part::<Exec>(program, site).map(count).into_iter().collect(),
    set: set_count,
    disturbs: &["serial", "cache"],
};

fn count(exec: &Exec) -> &'static str {
    value(&COUNTS, exec.run()).unwrap_or("some")
}

clause!(YIELD Exec "yield": "whether the thread may be switched", OFF_ON,
    |exec| Some(exec.yields), |exec: &mut Exec, on| exec.yields = on);
/// Whether any slot that a clause runs waits for earlier ones; `None` if it runs none. Bits of SEQ beyond CNT are ignored.
fn waits(exec: &Exec) -> Option<bool> {
    (exec.run() != 0).then(|| exec.seq & SERIAL & ((1 << (2 * exec.run())) - 1) != 0)
}

/// Whether any slot that a clause runs is fetched through the vertex cache; `None` if it runs none.
fn is_cached(exec: &Exec) -> Option<bool> {
    (exec.run() != 0).then(|| exec.vc & ((1 << exec.run()) - 1) != 0)
}

clause!(SERIES Exec "serial": "whether some slot waits for those before", OFF_ON,
    |exec| waits(exec).map(u8::from),
    |exec: &mut Exec, on: u8| exec.seq = exec.seq & !SERIAL | u16::from(on) << 1);
clause!(CACHE Exec "cache": "whether some fetch goes through the vertex cache", OFF_ON,
    |exec| is_cached(exec).map(u8::from), |exec: &mut Exec, on| exec.vc = on);
clause!(COND Exec "cond": "what the predicate or the Boolean constant has to be", CONDITIONS,
    |exec| Some(exec.cond).filter(|_| exec.op().tests_bool() || exec.op().tests_predicate()),
    |exec: &mut Exec, cond| exec.cond = cond);
clause!(PRED_CLEAN Exec "pred_clean": "whether no instruction changes the predicate", OFF_ON,
    |exec| (!exec.op().tests_bool()).then(|| u8::from(exec.pred_clean())),
    |exec: &mut Exec, on: u8| exec.bool_addr = exec.bool_addr & !CLEAN | (on * CLEAN));

/// Sets how many slots a clause runs. Slots are inserted after its last one, or those that it no longer runs are removed; it refuses if another
/// clause runs them. If slots are left, `serial` and `cache` keep their values.
fn set_count(program: &Program, site: Site, name: &str) -> Option<Sited<Program>> {
    let wanted = held(&COUNTS, name)?;
    let now = *part::<Exec>(program, site)?;
    if count(&now) == name {
        return Some((program.clone(), site));
    }
    let mut draft = Draft::of(program, site)?;
    let Place::Clause(own) = draft.place else { return None };
    let shader = &mut draft.shader;
    let area = shader.clauses.len() / 2;
    let end = area + shader.slots.len();
    let mut first = usize::from(now.addr);
    if now.run() == 0 && !(area..=end).contains(&first) {
        first = end;
    }
    let (before, after) = (first + usize::from(now.run()), first + usize::from(wanted));
    if first < area || before > end {
        return None;
    }
    for (at, clause) in shader.clauses.iter_mut().enumerate().filter(|(at, _)| *at != own) {
        let Clause::Exec(other) = clause else { continue };
        let (addr, behind) = (usize::from(other.addr), usize::from(other.addr) + usize::from(other.run()));
        let apart = behind <= before.min(after) || addr >= before;
        if other.run() == 0 || at == own {
            continue;
        }
        if !apart {
            return None;
        }
        if addr >= before {
            other.addr = u16::try_from(addr + after - before).ok().filter(|addr| *addr < 1 << 12)?;
        }
    }
    let own = draft.part::<Exec>()?;
    own.addr = u16::try_from(first).ok().filter(|addr| *addr < 1 << 12)?;
    own.cnt = wanted;
    let (serial, cached) = (waits(&now) == Some(true), is_cached(&now) == Some(true));
    let kept = now.run().min(wanted);
    own.seq &= (1 << (2 * kept)) - 1;
    own.vc &= (1 << kept) - 1;
    own.seq |= (kept..wanted).fold(0, |seq, k| seq | 1 << (2 * k));
    if wanted > 0 && serial && own.seq & SERIAL == 0 {
        own.seq |= 0b10;
    }
    own.vc |= u8::from(wanted > 0 && cached && own.vc == 0);
    let slots = &mut draft.shader.slots;
    if after > before {
        let more = (before - first..after - first).map(mark);
        slots.splice(before - area..before - area, more);
    } else {
        slots.drain(after - area..before - area);
    }
    draft.finish()
}

// ---- the others

/// Whether a loop breaks, and on which value of the predicate.
const BREAKS: [Choice<(u8, u8)>; 3] = PREDICATES;
/// Of a branch: whether it is unconditional, whether its condition is the predicate, and the value required.
const BRANCHES: [Choice<(u8, u8, u8)>; 5] = [
    ("always", (1, 0, 0)),
    ("bool_0", (0, 0, 0)),
    ("bool_1", (0, 0, 1)),
    ("predicate_0", (0, 1, 0)),
    ("predicate_1", (0, 1, 1)),
];
const DIRECTIONS: [Choice; 2] = Direction::VALUES;
const BUFFERS: [Choice; 4] = Buffer::VALUES;
const SIZES: [Choice; 2] = [("zero", 0), ("more", 1)];

/// Whether a clause is a call or a jump; a return uses only its opcode.
fn goes(branch: &Branch) -> bool {
    CfOp::from_bits(branch.opcode) != CfOp::Return
}

clause!(REPEAT LoopStart "repeat": "whether aL stays", OFF_ON,
    |start| Some(start.repeat), |start: &mut LoopStart, on| start.repeat = on);
clause!(BREAK LoopEnd "break": "the predicate that ends the loop", BREAKS,
    |end| Some((end.pred_break, end.pred_break & end.cond)),
    |end: &mut LoopEnd, both| (end.pred_break, end.cond) = both);
clause!(CONDITION Branch "condition": "when it goes", BRANCHES,
    |branch| goes(branch).then_some(match branch.unconditional {
        0 => (0, branch.predicated, branch.cond),
        _ => (1, 0, 0),
    }),
    |branch: &mut Branch, wanted| (branch.unconditional, branch.predicated, branch.cond) = wanted);
clause!(DIRECTION Branch "direction": "the way that the hint says it goes", DIRECTIONS,
    |branch| Some(branch.direction).filter(|_| CfOp::from_bits(branch.opcode) == CfOp::CondJmp),
    |branch: &mut Branch, way| branch.direction = way);
clause!(BUFFER Alloc "buffer": "what is reserved", BUFFERS,
    |alloc| Some(alloc.buffer), |alloc: &mut Alloc, buffer| alloc.buffer = buffer);
clause!(SIZE Alloc "size": "how much is reserved", SIZES,
    |alloc| Some(alloc.size.min(1)),
    |alloc: &mut Alloc, more: u8| alloc.size = more * alloc.size.max(1));
clause!(NO_SERIAL Alloc "no_serial": "whether what is reserved needs no order", OFF_ON,
    |alloc| Some(alloc.no_serial), |alloc: &mut Alloc, on| alloc.no_serial = on);
