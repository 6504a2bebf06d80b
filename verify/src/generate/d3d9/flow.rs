//! Generation of control flow: conditions, loops and subroutines, each with the code it controls.

use super::body::{Body, PREDICATE, components_of};
use super::build::{any, compare, scalar, set_address, set_predicate};
use super::drain::combine;
use crate::generate::Entropy;
use crate::generate::retry::until;
use lockstep_core::isa::d3d9::limits::Bound;
use lockstep_core::isa::d3d9::opcode::{Kind, Opcode, TABLE};
use lockstep_core::isa::d3d9::program::{Dest, File, Instruction, Modifier, Source, replicate};

/// The program size, in instructions, from which no new control flow is started.
const LARGEST: usize = 90;
/// The maximum number of conditionals, loops and calls, each of several flow instructions. A vs_2_0 program may have at most 16 flow instructions.
const FLOWS: u16 = 7;
/// The maximum depth of nested conditions.
const MAX_NESTING: u16 = 4;

fn most(body: &Body, bound: Bound) -> u16 {
    if body.capable { bound.maximum } else { bound.guaranteed }
}

/// Whether conditions that differ between lanes are allowed here.
fn allows_divergence(body: &Body) -> bool {
    most(body, body.limits().dynamic_depth) > body.dynamic
}

/// Whether control flow with this operation may begin here.
pub(super) fn fits(body: &Body, op: Opcode) -> bool {
    let l = body.limits();
    let room = body.size() < LARGEST && body.flows < FLOWS && body.dynamic + body.fixed < MAX_NESTING;
    let repeats = most(body, l.loop_depth) > body.repeats && body.repeats < 2;
    room && op.row().versions.has(body.profile)
        && match op {
            Opcode::If | Opcode::Else | Opcode::Endif => most(body, l.static_depth) > body.fixed,
            Opcode::Ifc => allows_divergence(body),
            Opcode::Rep | Opcode::Loop | Opcode::Endrep | Opcode::Endloop => repeats,
            Opcode::Break | Opcode::Breakc => repeats && allows_divergence(body),
            Opcode::Breakp => repeats && allows_divergence(body) && body.has_predicates(),
            Opcode::Call | Opcode::Callnz | Opcode::Ret => {
                most(body, l.call_depth) > body.calls && body.calls < 3 && body.parts.len() < 6
            }
            _ => false,
        }
}

/// Appends one instruction, or control flow with the code it controls.
pub(super) fn step(e: &mut Entropy<'_>, body: &mut Body, left: usize) {
    if left >= 3 && e.chance(14) {
        let all: Vec<Opcode> = TABLE
            .iter()
            .filter(|r| r.kind == Kind::Flow && r.opcode != Opcode::Label && fits(body, r.opcode))
            .map(|r| r.opcode)
            .collect();
        if let Some(op) = e.pick(&all) {
            return flow(e, body, *op, left);
        }
    }
    if body.has_predicates() && e.chance(6) {
        let mask = [15, 1, 2, 4, 8, 7][e.weighted(&[50, 10, 10, 10, 10, 10])];
        set_predicate(e, body, mask);
    }
    if !body.is_pixel() && e.chance(7) {
        let component = e.below(4);
        set_address(e, body, component);
    }
    if body.is_pixel() && body.major() >= 2 && e.chance(2) {
        kill(e, body);
    }
    any(e, body);
    until(
        body,
        |body| body.unread_registers().len() <= 9 || !body.unread_at_start.is_empty(),
        |body| combine(e, body),
    );
}

/// Appends about `size` instructions.
fn region(e: &mut Entropy<'_>, body: &mut Body, size: usize) {
    let end = body.size() + size.max(1);
    let mut tries = 0;
    while body.size() < end && tries < 2 * size + 4 && (!e.is_exhausted() || tries == 0) {
        let left = end - body.size();
        step(e, body, left);
        tries += 1;
    }
}

/// Emits a control-flow operation with the code it controls.
pub(super) fn flow(e: &mut Entropy<'_>, body: &mut Body, op: Opcode, size: usize) {
    body.flows += 1;
    match op {
        Opcode::Rep | Opcode::Endrep => repeat(e, body, Opcode::Rep, size, None),
        Opcode::Loop | Opcode::Endloop => repeat(e, body, Opcode::Loop, size, None),
        Opcode::Break | Opcode::Breakc | Opcode::Breakp => {
            let all: Vec<Opcode> = [Opcode::Rep, Opcode::Loop]
                .into_iter()
                .filter(|o| o.row().versions.has(body.profile))
                .collect();
            let repeats = e.pick(&all).copied().unwrap_or(Opcode::Rep);
            repeat(e, body, repeats, size, Some(op));
        }
        Opcode::Call | Opcode::Callnz | Opcode::Ret => call(e, body, op, size),
        _ => branch(e, body, op, size),
    }
}

fn emit(body: &mut Body, op: Opcode, control: u8, sources: &[Source]) {
    let mut i = Instruction { control, ..Instruction::new(op) };
    i.sources.extend(sources.iter().copied());
    body.emit(i);
}

/// Returns a condition: a Boolean constant, or a component of the predicate.
fn condition(e: &mut Entropy<'_>, body: &mut Body, op: Opcode) -> Source {
    let predicate = allows_divergence(body) && body.has_predicates();
    let not = e.chance(35);
    if op == Opcode::Breakp || predicate && e.chance(50) {
        return condition_of(e, body, not);
    }
    // According to Microsoft's documentation, a negated Boolean (`!`) is allowed for callnz only.
    let not = not && (op == Opcode::Callnz || body.allows_warnings);
    let number = e.below(4) as u16;
    if e.chance(20) {
        define(body, Opcode::Defb, File::Bool, number, &[e.below(2) as u32]);
    }
    let modifier = if not { Modifier::Not as u8 } else { 0 };
    Source { modifier, ..Source::register(File::Bool, number, Source::XYZW) }
}

/// Returns a component of the predicate register; emits an instruction that sets the predicate first if necessary.
fn condition_of(e: &mut Entropy<'_>, body: &mut Body, not: bool) -> Source {
    if body.unread(PREDICATE) == 0 {
        let mask = 1 << e.below(4);
        set_predicate(e, body, mask);
    }
    let fresh = body.unread(PREDICATE);
    let all: Vec<usize> = components_of(if fresh == 0 { body.written(PREDICATE) } else { fresh }).collect();
    let c = e.pick(&all).copied().unwrap_or_default() as u8;
    let modifier = if not { Modifier::Not as u8 } else { 0 };
    Source { modifier, ..Source::register(File::Predicate, 0, replicate(c)) }
}

/// Defines a constant, unless it is already defined.
fn define(body: &mut Body, op: Opcode, file: File, number: u16, values: &[u32]) {
    let known = |i: &Instruction| i.op() == Some(op) && i.dest.is_some_and(|d| d.number == number);
    if body.heads.iter().any(known) {
        return;
    }
    let mut i = Instruction::new(op);
    i.dest = Some(Dest::register(file, number, 15));
    i.immediates.extend(values.iter().copied());
    body.heads.push(i);
}

/// Returns the operands of a comparison, if two suitable ones are found.
fn sides(e: &mut Entropy<'_>, body: &Body, op: Opcode) -> Option<[Source; 2]> {
    for _ in 0..12 {
        let a = scalar(e, body, op, 0);
        let b = scalar(e, body, op, 1);
        if let (Some(a), Some(b)) = (a, b)
            && a != b
        {
            let mut i = Instruction::new(op);
            i.control = 1;
            i.sources.extend([a, b]);
            if is_legal_comparison(body, &i) {
                return Some([a, b]);
            }
        }
        if e.is_exhausted() {
            break;
        }
    }
    None
}

/// Whether a comparison is legal by itself. A comparison of several components is accepted without a check.
fn is_legal_comparison(body: &Body, i: &Instruction) -> bool {
    // breakc must be inside a loop, so its operands are checked as those of ifc.
    let as_if = Instruction { opcode: Opcode::Ifc.row().number, ..i.clone() };
    let wide = i.sources.iter().any(|s| !s.is_replicated());
    wide || body.allows(&as_if)
}

fn branch(e: &mut Entropy<'_>, body: &mut Body, op: Opcode, size: usize) {
    let dynamic = match op {
        Opcode::Ifc => true,
        Opcode::If => false,
        // For `else` and `endif`, the operation that begins the block may be chosen freely.
        _ => allows_divergence(body) && Opcode::Ifc.row().versions.has(body.profile) && e.chance(50),
    };
    let begun = if dynamic {
        let control = compare(e);
        match sides(e, body, Opcode::Ifc) {
            Some(sides) => {
                emit(body, Opcode::Ifc, control, &sides);
                true
            }
            None => false,
        }
    } else {
        let condition = condition(e, body, Opcode::If);
        emit(body, Opcode::If, 0, &[condition]);
        body.dynamic += u16::from(condition.is(File::Predicate));
        body.fixed += u16::from(!condition.is(File::Predicate));
        inside(e, body, op, size);
        body.dynamic -= u16::from(condition.is(File::Predicate));
        body.fixed -= u16::from(!condition.is(File::Predicate));
        return;
    };
    if begun {
        body.dynamic += 1;
        inside(e, body, op, size);
        body.dynamic -= 1;
    }
}

/// Appends the branches of a condition, up to its end.
fn inside(e: &mut Entropy<'_>, body: &mut Body, op: Opcode, size: usize) {
    body.enter();
    region(e, body, size / 3);
    body.leave();
    if op == Opcode::Else || e.chance(45) {
        emit(body, Opcode::Else, 0, &[]);
        // The second branch may also write what the first one wrote.
        body.enter();
        region(e, body, size / 3);
        body.leave();
    }
    emit(body, Opcode::Endif, 0, &[]);
}

fn repeat(e: &mut Entropy<'_>, body: &mut Body, op: Opcode, size: usize, leaving: Option<Opcode>) {
    let number = e.below(4) as u16;
    if e.chance(88) {
        let count = e.between(1, 4) as u32;
        let [start, step] = [e.below(6) as u32, e.between(0, 3) as u32];
        let start = if body.is_pixel() { start.min(3) } else { start };
        let values = [count, start, if e.chance(15) { 1u32.wrapping_neg() } else { step }, 0];
        define(body, Opcode::Defi, File::Int, number, &values);
    }
    let int = Source::register(File::Int, number, Source::XYZW);
    let counter = op == Opcode::Loop;
    if counter {
        emit(body, op, 0, &[Source::register(File::Loop, 0, Source::XYZW), int]);
    } else {
        emit(body, op, 0, &[int]);
    }
    body.repeats += 1;
    body.loops += u16::from(counter);
    // The loop may run zero times.
    body.enter();
    region(e, body, size / 3);
    if let Some(leaving) = leaving {
        leave(e, body, leaving);
        body.dynamic += 1;
        region(e, body, size / 4);
        body.dynamic -= 1;
    }
    body.leave();
    body.repeats -= 1;
    body.loops -= u16::from(counter);
    emit(body, if counter { Opcode::Endloop } else { Opcode::Endrep }, 0, &[]);
}

/// Appends a conditional exit from a loop.
fn leave(e: &mut Entropy<'_>, body: &mut Body, op: Opcode) {
    match op {
        Opcode::Breakp => {
            let not = e.chance(40);
            let condition = condition_of(e, body, not);
            emit(body, op, 0, &[condition]);
        }
        Opcode::Breakc => {
            let control = compare(e);
            if let Some(sides) = sides(e, body, op) {
                emit(body, op, control, &sides);
            }
        }
        _ => {
            let control = compare(e);
            if let Some(sides) = sides(e, body, Opcode::Ifc) {
                emit(body, Opcode::Ifc, control, &sides);
                body.dynamic += 1;
                body.enter();
                region(e, body, 1);
                emit(body, Opcode::Break, 0, &[]);
                emit(body, Opcode::Endif, 0, &[]);
                body.leave();
                body.dynamic -= 1;
            }
        }
    }
}

/// Appends a call and its subroutine, which writes only registers that the main program has written earlier in the text.
fn call(e: &mut Entropy<'_>, body: &mut Body, op: Opcode, size: usize) {
    let whole = |body: &Body| (0..body.temporaries()).filter(|n| body.written(usize::from(*n)) == 15).count();
    for number in 0..2 {
        if whole(body) < 2 && body.writable.is_none() {
            initialize_temporary(e, body, number);
        }
    }
    let condition = (op == Opcode::Callnz).then(|| condition(e, body, op));
    let label = body.parts.len() as u16 - 1;
    let mut sources = vec![Source::register(File::Label, label, Source::XYZW)];
    sources.extend(condition);
    let op = if op == Opcode::Ret { Opcode::Call } else { op };
    emit(body, op, 0, &sources);
    let dynamic = condition.is_some_and(|c| c.is(File::Predicate));
    body.parts.push(Vec::new());
    let outer = (body.part, body.loops, body.writable);
    body.part = body.parts.len() - 1;
    // aL has a value in a subroutine only if every call of it is in a loop.
    body.loops = 0;
    let written = body.written_masks();
    body.writable = Some(match outer.2 {
        Some(before) => before,
        None => written,
    });
    body.calls += 1;
    body.dynamic += u16::from(dynamic);
    // The call may be conditional or repeated.
    body.enter();
    region(e, body, (size / 3).min(6));
    body.leave();
    body.dynamic -= u16::from(dynamic);
    body.calls -= 1;
    (body.part, body.loops, body.writable) = outer;
    for (place, mask) in written.into_iter().enumerate() {
        body.mark_unwritten(place, !mask & 15);
    }
}

/// Sets the whole temporary `number` from an input; if it has an unread value, sets one without instead.
pub(super) fn initialize_temporary(e: &mut Entropy<'_>, body: &mut Body, number: u16) {
    let used = body.unread(usize::from(number)) != 0;
    let number =
        if used { (0..body.temporaries()).find(|n| body.unread(usize::from(*n)) == 0) } else { Some(number) };
    let (Some(number), Some((file, input))) = (number, some_input(e, body)) else { return };
    let mut i = Instruction::new(Opcode::Mov);
    i.dest = Some(Dest::register(File::Temporary, number, 15));
    i.sources.push(Source::register(file, input, Source::XYZW));
    body.emit(i);
}

/// Appends a kill. Its operand differs between lanes and is negative about half of the time: in all components, or in one component alone, which the
/// instruction may not test.
pub(super) fn kill(e: &mut Entropy<'_>, body: &mut Body) {
    let Some(from) = scalar(e, body, Opcode::Texkill, 0) else { return };
    let Some(number) = super::build::free(e, body, 15) else { return };
    // The second of two moves must not read what the first one has written.
    let is_overwritten = from.is(File::Temporary) && from.number == number;
    let mut i = Instruction::new(Opcode::Mov);
    i.dest = Some(Dest::register(File::Temporary, number, 15));
    i.sources.push(from);
    if !body.allows(&i) {
        return;
    }
    if !is_overwritten && e.chance(50) {
        decide_by_one_component(e, body, i);
    } else {
        body.emit(i);
    }
    let mut i = Instruction::new(Opcode::Texkill);
    i.dest = Some(Dest::register(File::Temporary, number, 15));
    super::build::predicate(e, body, Opcode::Texkill, &mut i);
    if body.allows(&i) {
        body.emit(i);
    }
}

/// Appends a move of a number to a whole register. In all components but one, replaces the number by its magnitude, if the version allows that.
fn decide_by_one_component(e: &mut Entropy<'_>, body: &mut Body, whole: Instruction) {
    let mut magnitude = whole.clone();
    magnitude.opcode = Opcode::Max.row().number;
    let negated = |source: &Source| {
        let modifier = Modifier::from_number(source.modifier)?.negated()?;
        Some(Source { modifier: modifier as u8, ..*source })
    };
    let Some(negative) = whole.sources.first().and_then(negated) else { return body.emit(whole) };
    magnitude.sources.push(negative);
    let mut one = whole.clone();
    if let Some(dest) = &mut one.dest {
        dest.mask = 1 << e.below(4);
    }
    if body.allows(&magnitude) && body.allows(&one) {
        body.emit(magnitude);
        body.emit(one);
    } else {
        body.emit(whole);
    }
}

/// Returns an input with four components.
fn some_input(e: &mut Entropy<'_>, body: &Body) -> Option<(File, u16)> {
    let all: Vec<(File, u16)> = body.inputs.iter().copied().filter(|(file, _)| *file != File::Misc).collect();
    e.pick(&all).copied()
}
