//! A generator of the toy's programs.

use super::{ADD, END, JGE, MUL, Program, REGISTERS, Toy};
use lockstep::generate::{Entropy, Generate, Needs, ProgramRequest};
use lockstep_core::isa::{Context, Stage};

impl<const WRONG: bool> Generate for Toy<WRONG> {
    const STAGES: &'static [Stage] = &[Stage::Vertex];

    fn program(e: &mut Entropy<'_>, request: &ProgramRequest) -> Program {
        let count = request.size.unwrap_or_else(|| e.between(1, 12)).clamp(1, 200);
        let mut program: Program = Vec::new();
        for at in 0..count {
            let op = e.among(&[(ADD, 4), (MUL, 4), (JGE, 1)]);
            let d = if op == JGE { e.below(count + 1).max(at / 2) } else { e.below(4) };
            program.push([op, d as u8, e.below(4) as u8, e.below(4) as u8]);
        }
        program.push([END, 0, 0, 0]);
        program
    }
    fn near_valid(e: &mut Entropy<'_>, request: &ProgramRequest) -> Program {
        let mut program = Self::program(e, request);
        let at = e.below(program.len() - 1);
        program[at][2] = REGISTERS;
        program
    }
    fn noise(e: &mut Entropy<'_>) -> Vec<u8> {
        let mut bytes = e.bytes(32);
        bytes.iter_mut().step_by(4).for_each(|op| *op %= 8);
        bytes
    }
    fn needs(_: &Context<'_, Self>) -> Needs {
        Needs::default()
    }
    fn splice(e: &mut Entropy<'_>, a: &Program, b: &Program) -> Option<Program> {
        let at = e.below(a.len().min(b.len()));
        Some([&a[..at], &b[at..]].concat())
    }
}
