//! Linking: assembles parts into a shader by grouping slots into clauses, resolving labels to addresses, and sometimes adding a container.

use super::body::{Body, Item};
use super::flow;
use super::weights::flag;
use crate::generate::Entropy;
use lockstep_core::isa::Stage;
use lockstep_core::isa::a2xx::opcode::CfOp;
use lockstep_core::isa::a2xx::program::{Branch, Clause, Exec, Kind, Order, Plain, Program, Shader, Slot};
use lockstep_core::isa::a2xx::word::MAX_RUN;
use lockstep_core::isa::a2xx::{decode, encode};

/// A clause with the slots it runs.
pub(super) type Run = (Clause, Vec<Slot>);

/// Lays out the slots of the clauses one after the other, and sets in each clause the address, the number and the kinds of its slots.
pub(super) fn lay_out(runs: &[Run]) -> Shader {
    let mut clauses: Vec<Clause> = Vec::new();
    let mut slots: Vec<Slot> = Vec::new();
    let area = runs.len().div_ceil(2);
    for (clause, run) in runs {
        let mut clause = *clause;
        if let Clause::Exec(exec) = &mut clause {
            (exec.addr, exec.cnt) = ((area + slots.len()) as u16, run.len() as u8);
            let mut modes = exec.modes();
            for (k, mode) in modes.iter_mut().enumerate() {
                mode.fetch = run.get(k).is_some_and(|slot| !matches!(slot, Slot::Alu(_)));
                mode.serial &= k < run.len();
            }
            exec.set_modes(modes);
            slots.extend(run.iter().copied());
        }
        clauses.push(clause);
    }
    if !clauses.len().is_multiple_of(2) {
        clauses.push(Clause::Plain(Plain::default()));
    }
    Shader { clauses, slots, tail: Vec::new(), stage: None }
}

/// Splits a shader into clauses with the slots they run, the inverse of [`lay_out`].
pub(super) fn runs(shader: &Shader) -> Vec<Run> {
    let area = shader.clauses.len() / 2;
    let mut runs: Vec<Run> = Vec::new();
    for clause in &shader.clauses {
        let slots = match clause {
            Clause::Exec(exec) => (0..usize::from(exec.slot_count()))
                .filter_map(|k| (usize::from(exec.addr) + k).checked_sub(area))
                .filter_map(|at| shader.slots.get(at).copied())
                .collect(),
            _ => Vec::new(),
        };
        runs.push((*clause, slots));
    }
    runs
}

/// Returns the same clause as one that does not end the shader.
fn without_end(exec: Exec) -> Exec {
    let op = match exec.op() {
        CfOp::ExecEnd => CfOp::Exec,
        CfOp::CondExecEnd => CfOp::CondExec,
        CfOp::CondPredExecEnd => CfOp::CondPredExec,
        CfOp::CondExecPredCleanEnd => CfOp::CondExecPredClean,
        op => op,
    };
    Exec { opcode: op as u8, ..exec }
}

/// Builds a shader from a body.
pub(super) fn shader(e: &mut Entropy<'_>, body: &Body) -> Shader {
    let mut runs: Vec<Run> = Vec::new();
    let mut labels = vec![0u16; body.labels];
    let mut targets: Vec<(usize, Result<usize, usize>)> = Vec::new();
    let mut starts = vec![0u16; body.parts.len()];
    let mut fetched = None;
    for (number, part) in body.parts.iter().enumerate() {
        starts[number] = runs.len() as u16;
        let mut open = false;
        for item in &part.items {
            match item {
                Item::Slot(slot) => {
                    if !open {
                        runs.push((Clause::Exec(flow::head(e, body, CfOp::Exec)), Vec::new()));
                        open = true;
                    }
                    if runs.last().is_some_and(|(_, slots)| slots.len() == usize::from(MAX_RUN)) {
                        let Some((Clause::Exec(full), _)) = runs.last_mut() else { continue };
                        let rest = *full;
                        *full = without_end(rest);
                        full.seq = 0;
                        runs.push((Clause::Exec(rest), Vec::new()));
                    }
                    let Some((Clause::Exec(exec), slots)) = runs.last_mut() else { continue };
                    let kind = matches!(slot, Slot::Alu(_));
                    // Sets `serial` mostly where the kind of slot changes, as mesa does, and rarely elsewhere.
                    let percent = if fetched == Some(kind) { 4 } else { 92 };
                    let on = flag(e, facet!("serial"), percent);
                    fetched = Some(kind);
                    let mut modes = exec.modes();
                    modes[slots.len()].serial |= on != 0;
                    exec.set_modes(modes);
                    slots.push(*slot);
                }
                Item::Head(exec) => {
                    // Drops an empty EXEC clause that was not requested, as it has no effect.
                    if let Some((Clause::Exec(last), slots)) = runs.last()
                        && open
                        && slots.is_empty()
                        && last.op() == CfOp::Exec
                        && !body.is_requested(CfOp::Exec.mnemonic())
                    {
                        runs.pop();
                    }
                    runs.push((Clause::Exec(*exec), Vec::new()));
                    open = true;
                }
                Item::Clause(clause) => {
                    runs.push((*clause, Vec::new()));
                    open = false;
                }
                Item::To(clause, label) => {
                    targets.push((runs.len(), Ok(*label)));
                    runs.push((*clause, Vec::new()));
                    open = false;
                }
                Item::Call(branch, part) => {
                    targets.push((runs.len(), Err(*part)));
                    runs.push((Clause::Branch(*branch), Vec::new()));
                    open = false;
                }
                Item::Label(label) => {
                    labels[*label] = runs.len() as u16;
                    open = false;
                }
            }
        }
        if number > 0 {
            let back = Branch { opcode: CfOp::Return as u8, ..Branch::default() };
            runs.push((Clause::Branch(back), Vec::new()));
        }
    }
    for (at, target) in targets {
        let to = match target {
            Ok(label) => labels[label],
            Err(part) => starts[part],
        };
        match &mut runs[at].0 {
            Clause::Branch(branch) => branch.addr = to,
            Clause::LoopStart(start) => start.addr = to,
            Clause::LoopEnd(end) => end.addr = to,
            _ => {}
        }
    }
    lay_out(&runs)
}

fn words(values: &[u32], order: Order) -> Vec<u8> {
    let bytes = |v: &u32| if order == Order::Big { v.to_be_bytes() } else { v.to_le_bytes() };
    values.iter().flat_map(bytes).collect()
}

fn size(shader: &Shader) -> u32 {
    3 * (shader.clauses.len() as u32 / 2 + shader.slots.len() as u32)
}

/// Returns a program that consists of one shader without a container.
pub(super) fn bare(shader: Shader) -> Program {
    Program { shaders: vec![shader], gaps: vec![Vec::new(); 2], ..Program::default() }
}

/// Returns a command stream that loads shaders.
pub(super) fn packets(shaders: Vec<(Stage, Shader)>) -> Program {
    let mut program = Program { kind: Kind::Packets, ..Program::default() };
    for (stage, mut shader) in shaders {
        shader.stage = Some(stage);
        let size = size(&shader);
        let head = [0xc000_2b00 | (size + 1) << 16, u32::from(stage == Stage::Fragment), size];
        program.gaps.push(words(&head, Order::Little));
        program.shaders.push(shader);
    }
    program.gaps.push(Vec::new());
    again(program)
}

/// Returns an object file in the format of the Xenos compiler.
pub(super) fn xenos(stage: Stage, mut shader: Shader) -> Program {
    shader.stage = Some(stage);
    let size = 4 * size(&shader);
    let magic = if stage == Stage::Vertex { 0x102a_1101 } else { 0x102a_1100 };
    // The header, the shader's description, and sixteen bytes of constants; the program follows.
    let head = [magic, 52, 16 + size, 0, 0, 0, 40, 0, 0, 0, 16, size, 0, 0, 0, 0, 0];
    let gaps = vec![words(&head, Order::Big), Vec::new()];
    again(Program { kind: Kind::Xenos, order: Order::Big, shaders: vec![shader], gaps })
}

/// Rebuilds the program's container with the right size, and decodes its bytes again, since clauses may now be decoded as slots.
pub(super) fn with_resized_container(program: Program) -> Program {
    match program.kind {
        Kind::Xenos => {
            let stage = program.shaders.first().and_then(|shader| shader.stage).unwrap_or(Stage::Vertex);
            program.shaders.into_iter().next().map_or_else(Program::default, |shader| xenos(stage, shader))
        }
        Kind::Packets => {
            let staged = |shader: Shader| (shader.stage.unwrap_or(Stage::Vertex), shader);
            packets(program.shaders.into_iter().map(staged).collect())
        }
        _ => again(program),
    }
}

/// Encodes and decodes the program; returns it unchanged if that fails.
fn again(program: Program) -> Program {
    decode::decode(&encode::encode(&program)).unwrap_or(program)
}
