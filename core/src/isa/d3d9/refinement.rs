//! Refinement: maps a node and the values of its variables to a lane of the reference, and back.

use super::lower::ControlState;
use super::opcode::Opcode;
use super::program::Program;
use super::reference::{Call, Lane, Loop, declared};
use super::variables::{File, loop_number};
use super::{Cx, interface};
use crate::ir::VarKey;
use crate::ir::eval::Scalar;
use crate::isa::{KILLED, State};
use crate::value::Domain;

/// Returns the register banks of a lane, with their files.
fn banks<D: Domain>(lane: &mut Lane<D>) -> [(File, &mut [[D::F; 4]]); 4] {
    [
        (File::Temporary, &mut lane.temporaries),
        (File::Texture, &mut lane.textures),
        (File::Output, &mut lane.outputs),
        (File::Before, std::slice::from_mut(&mut lane.coissue_old_value)),
    ]
}

/// Whether a register of a file has variables at an instruction.
fn holds(cx: &Cx<'_>, file: File, number: usize, pc: u32) -> bool {
    let version = cx.program.version;
    let ps1 = version.is_pixel() && version.major < 2;
    match file {
        File::Temporary => number < 12 || version.major >= 2,
        File::Texture => ps1 && version.minor < 4,
        File::Output => {
            let port = |p: &crate::isa::Port| usize::from(p.slot) == number;
            cx.entry.interface.outputs.iter().any(port) || ps1 && number == usize::from(interface::DEPTH_SLOT)
        }
        File::RowProduct => ps1,
        // The variables exist only between two co-issued instructions.
        File::Before => ps1 && cx.program.instructions.get(pc as usize).is_some_and(|i| i.coissue != 0),
        File::Address | File::Predicate | File::Counter => version.major >= 2 || !version.is_pixel(),
        File::Loop | File::Return => true,
    }
}

/// Returns the loops of the same subroutine that contain a word, the outermost first, each as the index of its first instruction.
fn open_loops(program: &Program, word: u32) -> Vec<u32> {
    let mut open = Vec::new();
    for (at, i) in program.instructions.iter().enumerate().take(word as usize) {
        match i.op() {
            Some(Opcode::Label) => open.clear(),
            Some(Opcode::Loop | Opcode::Rep) => open.push(at as u32),
            Some(Opcode::Endloop | Opcode::Endrep) => _ = open.pop(),
            _ => {}
        }
    }
    open
}

/// Returns the lane at a node, given the values of the variables.
pub(super) fn refine<D: Domain>(
    d: &D,
    cx: &Cx<'_>,
    control: &ControlState,
    value: &mut dyn FnMut(VarKey) -> Scalar<D>,
) -> Lane<D> {
    let pc = control.pc();
    let mut lane = Lane::new(d, pc);
    lane.samplers = declared(cx);
    lane.killed = value(KILLED).b(d);
    for (file, bank) in banks(&mut lane) {
        for (n, register) in bank.iter_mut().enumerate().filter(|(n, _)| holds(cx, file, *n, pc)) {
            for (c, component) in register.iter_mut().enumerate() {
                *component = value(file.key(n as u16, c)).f(d);
            }
        }
    }
    if holds(cx, File::RowProduct, 0, pc) {
        for (c, row) in lane.row_products.iter_mut().enumerate() {
            *row = value(File::RowProduct.key(0, c)).f(d);
        }
    }
    if holds(cx, File::Address, 0, pc) {
        lane.address = std::array::from_fn(|c| value(File::Address.key(0, c)).i(d));
        lane.predicate = std::array::from_fn(|c| value(File::Predicate.key(0, c)).b(d));
        lane.counter = value(File::Counter.key(0, 0)).i(d);
    }
    for &word in control.sites().iter().chain([&pc]) {
        for start in open_loops(cx.program, word) {
            let number = loop_number(cx.program, start);
            let mut part = |c| value(File::Loop.key(number, c)).i(d);
            let passes = part(0);
            let counts = cx.program.instructions[start as usize].op() == Some(Opcode::Loop);
            let counter = counts.then(|| [part(1), part(2)]);
            lane.loops.push(Loop { start, passes, counter });
        }
        if word != pc || lane.calls.len() < control.depth() {
            lane.calls.push(Call { site: word, loop_depth: lane.loops.len() });
        }
    }
    lane
}

/// Returns the registers and active loops of a lane as values of the corresponding variables. Calls and the kill mark are not included.
pub(super) fn state<D: Domain>(cx: &Cx<'_>, lane: &Lane<D>) -> State<D> {
    // The pattern names every field, so that a new field of `Lane` does not compile until it is handled here.
    let Lane {
        pc,
        calls: _,
        loops,
        temporaries,
        textures,
        outputs,
        address,
        predicate,
        counter,
        row_products: rows,
        coissue_old_value: before,
        samplers: _,
        killed: _,
        // Determines only which Freedoms are recorded. No result depends on it.
        destroyed: _,
    } = lane;
    let mut all = State::<D>::with_capacity(256);
    let banks = [
        (File::Temporary, &temporaries[..]),
        (File::Texture, &textures[..]),
        (File::Output, &outputs[..]),
        (File::Before, std::slice::from_ref(before)),
    ];
    for (file, bank) in banks {
        for (n, register) in bank.iter().enumerate().filter(|(n, _)| holds(cx, file, *n, *pc)) {
            let part = |(c, v): (usize, &D::F)| (file.key(n as u16, c), Scalar::F(v.clone()));
            all.extend(register.iter().enumerate().map(part));
        }
    }
    if holds(cx, File::RowProduct, 0, *pc) {
        all.extend(rows.iter().enumerate().map(|(c, v)| (File::RowProduct.key(0, c), Scalar::F(v.clone()))));
    }
    if holds(cx, File::Address, 0, *pc) {
        let address = address.iter().enumerate();
        all.extend(address.map(|(c, v)| (File::Address.key(0, c), Scalar::I(v.clone()))));
        let predicate = predicate.iter().enumerate();
        all.extend(predicate.map(|(c, v)| (File::Predicate.key(0, c), Scalar::B(v.clone()))));
        all.push((File::Counter.key(0, 0), Scalar::I(counter.clone())));
    }
    for Loop { start, passes, counter } in loops.iter() {
        let number = loop_number(cx.program, *start);
        all.push((File::Loop.key(number, 0), Scalar::I(passes.clone())));
        for (c, v) in counter.iter().flatten().enumerate() {
            all.push((File::Loop.key(number, c + 1), Scalar::I(v.clone())));
        }
    }
    all
}

/// Returns the return addresses of the active subroutines. A subroutine called by the last instruction returns to where its caller returns to.
pub(super) fn return_addresses<D: Domain>(d: &D, program: &Program, lane: &Lane<D>) -> State<D> {
    let words = program.instructions.len() as u32;
    let mut outer = words;
    let mut all = State::<D>::new();
    for call in lane.calls.iter() {
        let next = call.site + 1;
        outer = if next < words { next } else { outer };
        let label = program.instructions.get(call.site as usize).and_then(|i| i.sources.first());
        all.extend(label.map(|l| (File::Return.key(l.number, 0), Scalar::I(d.i(outer as i32)))));
    }
    all
}

/// Sets the value of one key of a lane's [`state`] or, for [`KILLED`], the lane's kill mark.
pub(super) fn set_state<D: Domain>(cx: &Cx<'_>, lane: &mut Lane<D>, key: VarKey, value: Scalar<D>) {
    let (n, c) = (usize::from(key.index), usize::from(key.component));
    let file = File::of(key);
    match value {
        Scalar::B(mark) if key == KILLED => lane.killed = mark,
        Scalar::B(truth) if file == Some(File::Predicate) => {
            if let Some(place) = lane.predicate.get_mut(c) {
                *place = truth;
            }
        }
        Scalar::I(value) => {
            let place = match file {
                Some(File::Address) => lane.address.get_mut(c),
                Some(File::Counter) => Some(&mut lane.counter),
                Some(File::Loop) => {
                    let frame =
                        lane.loops.iter_mut().find(|frame| loop_number(cx.program, frame.start) == key.index);
                    frame.and_then(|frame| match (c, &mut frame.counter) {
                        (0, _) => Some(&mut frame.passes),
                        (_, Some(counter)) => counter.get_mut(c - 1),
                        _ => None,
                    })
                }
                _ => None,
            };
            if let Some(place) = place {
                *place = value;
            }
        }
        Scalar::F(value) => {
            if file == Some(File::RowProduct)
                && let Some(row) = lane.row_products.get_mut(c)
            {
                *row = value;
                return;
            }
            for (bank_file, bank) in banks(lane) {
                if file == Some(bank_file)
                    && let Some(place) = bank.get_mut(n).and_then(|register| register.get_mut(c))
                {
                    *place = value.clone();
                }
            }
        }
        Scalar::B(_) => {}
    }
}
