//! Facets of clauses.

use super::OFF_ON;
use super::context::mark;
use super::draft::{Draft, change};
use super::results::PREDICATES;
use super::site::{ClauseOrSlot, word_at};
use crate::isa::a2xx::opcode::CfOp;
use crate::isa::a2xx::program::{Alloc, Branch, Clause, Exec, LoopEnd, LoopStart, Mode, Program};
use crate::isa::a2xx::word::{Buffer, Direction, ExecWithoutBool, MAX_RUN};
use crate::isa::facet::choice::{Choice, field_value, names, value};
use crate::isa::facet::{Combination, Facet, Site, Sited};

/// Defines a facet of one kind of clause. `$get` returns `None` where the facet does not apply, and the value cannot be set there; `$set` changes the
/// clause.
macro_rules! clause {
    ($facet:ident $kind:ident $name:tt: $meaning:literal, $choices:ident, $get:expr, $set:expr) => {
        pub(super) const $facet: Facet<Program> = Facet {
            #[allow(unused_parens)] // around a name that is an expression
            name: $name,
            meaning: $meaning,
            values: &names(&$choices),
            combination: Combination::ONE,
            get: |program, site| {
                let held = word_at::<$kind>(program, site).and_then($get);
                held.and_then(|held| value(&$choices, held)).into_iter().collect()
            },
            set: |program, site, value| {
                let wanted = field_value(&$choices, value)?;
                word_at::<$kind>(program, site).and_then($get)?;
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

const COUNTS: [Choice; 3] = [("none", 0), ("some", 1), ("six", MAX_RUN)];
const CONDITIONS: [Choice; 2] = [("0", 0), ("1", 1)];

pub(super) const CNT: Facet<Program> = Facet {
    name: "cnt",
    meaning: "how many slots the clause runs",
    values: &names(&COUNTS),
    combination: Combination::ONE,
    get: |program, site| word_at::<Exec>(program, site).map(count).into_iter().collect(),
    set: set_count,
    disturbs: &["serial", "cache"],
};

fn count(exec: &Exec) -> &'static str {
    value(&COUNTS, exec.slot_count()).unwrap_or("some")
}

clause!(YIELD Exec (Exec::yields.name): "whether the clause hints at a thread switch", OFF_ON,
    |exec| Some(exec.yields), |exec: &mut Exec, on| exec.yields = on);
/// Whether any slot that a clause runs waits for earlier slots; `None` if it runs none. Bits of SEQ beyond CNT are ignored.
fn waits(exec: &Exec) -> Option<bool> {
    (exec.slot_count() != 0).then(|| exec.run_modes().iter().any(|mode| mode.serial))
}

/// Changes the modes of a clause's slots: all of them by `each`, then the first by `first`.
fn set_modes(exec: &mut Exec, each: impl Fn(&mut Mode), first: impl Fn(&mut Mode)) {
    let mut modes = exec.modes();
    modes.iter_mut().for_each(each);
    first(&mut modes[0]);
    exec.set_modes(modes);
}

/// Whether any slot that a clause runs uses the vertex cache; `None` if it runs none.
fn is_cached(exec: &Exec) -> Option<bool> {
    (exec.slot_count() != 0).then(|| exec.run_modes().iter().any(|mode| mode.cached))
}

clause!(SERIAL Exec "serial": "whether some slot waits for earlier slots", OFF_ON,
    |exec| waits(exec).map(u8::from),
    |exec: &mut Exec, on: u8| set_modes(exec, |mode| mode.serial = false, |first| first.serial = on != 0));
clause!(CACHE Exec "cache": "whether some fetch goes through the vertex cache", OFF_ON,
    |exec| is_cached(exec).map(u8::from),
    |exec: &mut Exec, on: u8| set_modes(exec, |mode| mode.cached = false, |first| first.cached = on != 0));
clause!(COND Exec "cond": "the value that the predicate or the Boolean constant must have", CONDITIONS,
    |exec| Some(exec.cond).filter(|_| exec.op().tests_bool() || exec.op().tests_predicate()),
    |exec: &mut Exec, cond| exec.cond = cond);
clause!(PRED_CLEAN Exec "pred_clean": "whether no instruction changes the predicate", OFF_ON,
|exec| (!exec.op().tests_bool()).then(|| u8::from(exec.pred_clean())),
|exec: &mut Exec, on: u8| {
    let word = ExecWithoutBool { pred_clean: on, ..ExecWithoutBool::from_word(exec.to_word()) };
    *exec = Exec::from_word(word.to_word());
});

/// Converts a slot number to a clause's address field; `None` if it does not fit.
fn address(slot: usize) -> Option<u16> {
    u16::try_from(slot).ok().filter(|slot| u128::from(*slot) <= Exec::addr.max())
}

/// Sets the number of slots that a clause runs. Slots are inserted after the clause's last slot, or its last slots are removed. Fails if another
/// clause runs a removed slot, or slots on both sides of the inserted ones. If slots remain, the facets `serial` and `cache` keep their values.
fn set_count(program: &Program, site: Site, name: &str) -> Option<Sited<Program>> {
    let wanted = field_value(&COUNTS, name)?;
    let now = *word_at::<Exec>(program, site)?;
    if count(&now) == name {
        return Some((program.clone(), site));
    }
    let mut draft = Draft::of(program, site)?;
    let ClauseOrSlot::Clause(own) = draft.position else { return None };
    let shader = &mut draft.shader;
    let area = shader.clauses.len() / 2;
    let end = area + shader.slots.len();
    let mut first = usize::from(now.addr);
    if now.slot_count() == 0 && !(area..=end).contains(&first) {
        first = end;
    }
    let (before, after) = (first + usize::from(now.slot_count()), first + usize::from(wanted));
    if first < area || before > end {
        return None;
    }
    for (at, clause) in shader.clauses.iter_mut().enumerate().filter(|(at, _)| *at != own) {
        let Clause::Exec(other) = clause else { continue };
        let addr = usize::from(other.addr);
        let other_end = addr + usize::from(other.slot_count());
        let apart = other_end <= before.min(after) || addr >= before;
        if other.slot_count() == 0 || at == own {
            continue;
        }
        if !apart {
            return None;
        }
        if addr >= before {
            other.addr = address(addr + after - before)?;
        }
    }
    let own = draft.word::<Exec>()?;
    own.addr = address(first)?;
    own.cnt = wanted;
    let (serial, cached) = (waits(&now) == Some(true), is_cached(&now) == Some(true));
    let mut modes = own.modes();
    let (kept, new) = modes.split_at_mut(now.slot_count().min(wanted).into());
    for (k, mode) in (kept.len()..).zip(new) {
        // Inserted slots are fetches.
        *mode = Mode { fetch: k < usize::from(wanted), ..Mode::default() };
    }
    modes[0].serial |= wanted > 0 && serial && !modes.iter().any(|mode| mode.serial);
    modes[0].cached |= wanted > 0 && cached && !modes.iter().any(|mode| mode.cached);
    own.set_modes(modes);
    let slots = &mut draft.shader.slots;
    if after > before {
        let more = (before - first..after - first).map(mark);
        slots.splice(before - area..before - area, more);
    } else {
        slots.drain(after - area..before - area);
    }
    draft.finish()
}

// ---- other clauses

/// Whether a LOOP_END tests the predicate, and the value that ends the loop.
const BREAKS: [Choice<(u8, u8)>; 3] = PREDICATES;
/// The condition of a branch: whether it is unconditional, whether it tests the predicate, and the required value.
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

/// Whether a branch clause is a call or a jump. The third kind, a return, uses neither a condition nor a target.
fn is_call_or_jump(branch: &Branch) -> bool {
    CfOp::from_bits(branch.opcode) != CfOp::Return
}

clause!(REPEAT LoopStart "repeat": "whether the loop continues from the earlier value of aL", OFF_ON,
    |start| Some(start.repeat), |start: &mut LoopStart, on| start.repeat = on);
clause!(BREAK LoopEnd "break": "the value of the predicate that ends the loop", BREAKS,
    |end| Some((end.pred_break, end.pred_break & end.cond)),
    |end: &mut LoopEnd, both| (end.pred_break, end.cond) = both);
clause!(CONDITION Branch "condition": "the condition under which the jump or call is taken", BRANCHES,
    |branch| is_call_or_jump(branch).then_some(match branch.unconditional {
        0 => (0, branch.predicated, branch.cond),
        _ => (1, 0, 0),
    }),
    |branch: &mut Branch, wanted| (branch.unconditional, branch.predicated, branch.cond) = wanted);
clause!(DIRECTION Branch "direction": "the direction that the hint bit states for the jump", DIRECTIONS,
    |branch| Some(branch.direction).filter(|_| CfOp::from_bits(branch.opcode) == CfOp::CondJmp),
    |branch: &mut Branch, direction| branch.direction = direction);
clause!(BUFFER Alloc "buffer": "the buffer that is reserved", BUFFERS,
    |alloc| Some(alloc.buffer), |alloc: &mut Alloc, buffer| alloc.buffer = buffer);
clause!(SIZE Alloc "size": "the amount of space that is reserved", SIZES,
    |alloc| Some(alloc.size.min(1)),
    |alloc: &mut Alloc, more: u8| alloc.size = more * alloc.size.max(1));
clause!(NO_SERIAL Alloc "no_serial": "whether the reserved space needs no ordering", OFF_ON,
    |alloc| Some(alloc.no_serial), |alloc: &mut Alloc, on| alloc.no_serial = on);
