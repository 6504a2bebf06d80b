//! Generator for programs of the Utgard geometry processor, which are scheduled from the last word to the first.

mod backward;
mod function;
mod invalidate;
mod pending;
mod plan;
mod request;
mod shape;
mod splice;
mod stores;
mod units;

use super::{Entropy, Generate, Health, Needs, ProgramRequest};
use crate::generate::requested::has_opcode;
use crate::generate::retry::{first_granted, invalidated};
use backward::{BackwardBuilder, WINDOW, literals};
use lockstep_core::isa::utgard_gp::facts::{Facts, Literals};
use lockstep_core::isa::utgard_gp::program::{Program, Word};
use lockstep_core::isa::utgard_gp::vocabulary::Mark;
use lockstep_core::isa::utgard_gp::word::WORD_BYTES;
use lockstep_core::isa::utgard_gp::{UtgardGp, container};
use lockstep_core::isa::{Context, Format, Legality, Level, Options, Stage, Tables, Violation};
use plan::Plan;
use shape::{Ending, Part};
use std::collections::VecDeque;

/// The maximum number of programs tried for a request.
const TRIES: usize = 300;
/// The maximum number of invalidations tried until a program violates a rule.
const INVALIDATIONS: usize = 8;

impl Generate for UtgardGp {
    const STAGES: &'static [Stage] = &[Stage::Vertex];
    const HEALTH: Health = Health { live: 83.8, refused: 89.1, mutants: 65.9, ..Health::USUAL };

    fn program(e: &mut Entropy<'_>, request: &ProgramRequest) -> Program {
        first_granted(e, request, TRIES, build, |program| has_opcode::<UtgardGp>(program, request))
    }

    fn near_valid(e: &mut Entropy<'_>, request: &ProgramRequest) -> Program {
        let valid = build(e, request);
        // Nine programs in ten are to violate a rule at error level, the others only rules at warning level.
        let wanted = if e.chance(10) { Level::Warning } else { Level::Error };
        let invalidate_once = |e: &mut Entropy<'_>, mut program: Program| {
            invalidate::invalidate(e, &mut program);
            program
        };
        let level = |program: &Program| violations(program).iter().map(|violation| violation.level).max();
        invalidated(e, &valid, INVALIDATIONS, invalidate_once, |program| level(program) == Some(wanted))
    }

    fn noise(e: &mut Entropy<'_>) -> Vec<u8> {
        let mut bytes = Vec::new();
        let contained = e.chance(30);
        if contained {
            bytes.extend(container::MAGIC);
        }
        for _ in 0..e.between(1, 6) {
            let start = bytes.len();
            bytes.extend(e.bytes(WORD_BYTES));
            bytes.resize(start + WORD_BYTES, 0);
        }
        if e.chance(20) {
            let end = bytes.len() - e.below(WORD_BYTES);
            bytes.truncate(end);
        }
        bytes
    }

    fn needs(_cx: &Context<'_, UtgardGp>) -> Needs {
        Needs::default()
    }

    fn splice(e: &mut Entropy<'_>, a: &Program, b: &Program) -> Option<Program> {
        splice::splice(e, a, b)
    }
}

/// Returns the violations in a program at its own entry.
fn violations(program: &Program) -> Vec<Violation> {
    let entries = UtgardGp::entries(program);
    let options = Options::new(UtgardGp::option_specs());
    let Some(entry) = entries.first() else { return Vec::new() };
    UtgardGp::validate(&Context { program, entry, options: &options })
}

fn build(e: &mut Entropy<'_>, request: &ProgramRequest) -> Program {
    let opcode = request.opcode.unwrap_or_default();
    let size = request.size.unwrap_or_else(|| match e.weighted(&[35, 45, 16, 4]) {
        0 => e.between(1, 4),
        1 => e.between(5, 12),
        2 => e.between(13, 30),
        _ => e.between(31, 70),
    });
    let addresses = opcode.starts_with("complex.set_addr");
    let temporaries = opcode == "store.temporary" || opcode == "complex.set_addr0";
    let first = e.below(16) as u8;
    let mut maker = BackwardBuilder {
        words: Vec::new(),
        branches: Vec::new(),
        plans: VecDeque::from(vec![Plan::default(); WINDOW]),
        pending: pending::PendingStores::default(),
        outputs: Vec::new(),
        unreadable: [0; 16],
        open: true,
        may_read_storage: true,
        registers: e.between(1, 5) as u8,
        attributes: [first, (first + 1) & 15, e.below(16) as u8],
        uniforms: e.between(1, 6) as u16,
        literals: temporaries || opcode == "branch" || !e.chance(12),
        temporaries: temporaries || e.chance(18),
        indexing: addresses || e.chance(32),
        allows_warnings: e.chance(6),
        opcode,
    };
    maker.temporaries &= maker.literals;
    let position = choose_outputs(e, &mut maker);
    let outputs = maker.outputs.clone();
    let part = Part { size: size.clamp(1, 300), entry: true, outputs: true, looping: false, depth: 0 };
    maker.part(e, part, Ending::Falls);
    maker.drop_pending();
    let uniforms = maker.uniforms;
    let mut program = finish(e, maker, position);
    // Driver facts are only added to programs generated without a request. Proofs request theirs, and have scenarios about the driver.
    if request.opcode.is_none() && request.size.is_none() {
        leave_to_the_driver(e, &mut program.facts, position, &outputs, uniforms);
    }
    program
}

/// Sometimes adds the facts that a driver needs to transform the position and the point size after the program: the uniform slots of the viewport's
/// scale and offset, among those that the program loads, and a varying whose x is the point size. The words do not change.
fn leave_to_the_driver(
    e: &mut Entropy<'_>,
    facts: &mut Facts,
    position: Option<u8>,
    outputs: &[(u8, u8)],
    uniforms: u16,
) {
    if position.is_some() && e.chance(30) {
        let mut slot = || e.below(usize::from(uniforms)) as u16;
        (facts.viewport_scale, facts.viewport_offset) = (Some(slot()), Some(slot()));
    }
    let sizes: Vec<u8> =
        outputs.iter().filter(|(number, c)| *c == 0 && Some(*number) != position).map(|(n, _)| *n).collect();
    if e.chance(40)
        && let Some(number) = e.pick(&sizes)
    {
        facts.point_size = Some(u16::from(*number));
    }
}

/// Chooses the varyings that the program stores. Returns the number of the one that holds the position; `None` if no varying does.
fn choose_outputs(e: &mut Entropy<'_>, maker: &mut BackwardBuilder) -> Option<u8> {
    let position = if e.chance(80) { 0 } else { e.below(16) as u8 };
    let has_position = e.chance(75);
    if has_position {
        maker.outputs.extend((0..4).map(|c| (position, c)));
    }
    let more = e.weighted(&[if has_position { 50 } else { 0 }, 35, 15]);
    let first = e.between(1, 13) as u8;
    for k in 0..more as u8 {
        let number = 1 + (first + k) % 15;
        if has_position && number == position {
            continue;
        }
        let mask = e.between(1, 15) as u8;
        maker.outputs.extend((0..4).filter(|c| mask >> c & 1 == 1).map(|c| (number, c)));
    }
    has_position.then_some(position)
}

/// Reverses the words, links branches, and adds the facts about literals and the position. Rarely, puts empty words first.
fn finish(e: &mut Entropy<'_>, maker: BackwardBuilder, position: Option<u8>) -> Program {
    let BackwardBuilder { mut words, branches, uniforms, literals: has_literals, .. } = maker;
    // Branch targets have nine bits; few programs are long enough to use the highest bit.
    let furthest = branches.iter().map(|(_, to)| words.len() - 1 - to).max();
    if let Some(furthest) = furthest
        && furthest < 256
        && e.below(1000) == 999
    {
        words.extend(vec![Word::default(); 256 - furthest]);
    }
    let last = words.len() - 1;
    for (from, to) in branches {
        let word = &mut words[from];
        if word.set_target((last - to) as u32).is_none() {
            (word.branch, word.unknown_1) = (0, Mark::None as u8);
        }
    }
    words.reverse();
    let mut facts = Facts::default();
    if has_literals {
        let values = literals(uniforms + backward::LITERAL_SLOTS);
        facts.uniforms = Some(uniforms);
        facts.literals = Literals { slot: uniforms, bits: values.iter().map(|v| v.to_bits()).collect() };
    }
    if position.is_some_and(|p| p != 0) || (has_literals && e.chance(50)) {
        facts.position = position.map(u16::from);
    }
    Program { words, tail: Vec::new(), facts }
}
