//! Prints programs of the intermediate representation (IR) as text.

use super::names::{FETCH_KINDS, PLAIN, QUAD_LANES, TYPES, name};
use super::sampler;
use crate::ir::op::{Op, Ty};
use crate::ir::program::{ArrayInit, BlockId, Inst, Program, Terminator};
use std::fmt::{self, Display, Formatter};

/// Returns the text form of a verified program.
pub fn print(program: &Program) -> String {
    program.to_string()
}

/// Returns an instruction of a program as one line of text, without indentation.
pub fn print_instruction<'a>(program: &'a Program, inst: &'a Inst) -> impl Display + 'a {
    Line(program, inst)
}

struct Line<'a>(&'a Program, &'a Inst);

impl Display for Line<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        instruction(f, self.0, self.1)
    }
}

/// A float, given by its bits. The float is printed as the shortest decimal number, a NaN as its bits.
pub(super) struct Float(pub(super) u32);

impl Display for Float {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let value = f32::from_bits(self.0);
        if value.is_nan() { write!(f, "{:#010x}", self.0) } else { write!(f, "{value:?}") }
    }
}

/// A literal, given by its type and bits.
struct Literal(Ty, u32);

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Ty::F32 => Float(self.1).fmt(f),
            Ty::I32 => (self.1 as i32).fmt(f),
            Ty::Bool => (self.1 != 0).fmt(f),
        }
    }
}

/// Prints a list, separated by commas.
fn list<T: Display>(f: &mut Formatter<'_>, items: impl IntoIterator<Item = T>) -> fmt::Result {
    for (k, item) in items.into_iter().enumerate() {
        if k > 0 {
            f.write_str(", ")?;
        }
        item.fmt(f)?;
    }
    Ok(())
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "group {}", self.group)?;
        writeln!(f, "entry {}", self.entry)?;
        for (n, var) in self.vars.iter().enumerate() {
            let key = var.key;
            let ty = name(TYPES, &var.ty);
            write!(f, "var v{n} {}.{}.{} {ty} = ", key.file, key.index, key.component)?;
            writeln!(f, "{}", Literal(var.ty, var.init))?;
        }
        for (n, array) in self.arrays.iter().enumerate() {
            write!(f, "array a{n} file {} len {}", array.file, array.len)?;
            if let Some(component) = array.component {
                write!(f, " component {component}")?;
            }
            f.write_str(if array.init == ArrayInit::Uniforms { " uniforms\n" } else { "\n" })?;
        }
        for (n, decl) in self.samplers.iter().enumerate() {
            write!(f, "sampler s{n} ")?;
            sampler::print(f, decl)?;
        }
        for (number, var) in &self.outputs {
            writeln!(f, "output {number} = v{}", var.0)?;
        }
        for (b, block) in (0u32..).zip(&self.blocks) {
            writeln!(f, "block {b} @{}:", block.origin)?;
            for inst in self.block(BlockId(b)) {
                writeln!(f, "  {}", Line(self, inst))?;
            }
            terminator(f, &block.terminator)?;
        }
        Ok(())
    }
}

fn instruction(f: &mut Formatter<'_>, program: &Program, inst: &Inst) -> fmt::Result {
    let first = inst.result.0;
    match program.results(inst).1 {
        0 => {}
        1 => write!(f, "%{first} = ")?,
        n => write!(f, "%{first}..%{} = ", first + u32::from(n) - 1)?,
    }
    let mut parens = false;
    match inst.op {
        Op::F32(bits) => write!(f, "f32 {}", Float(bits))?,
        Op::I32(v) => write!(f, "i32 {v}")?,
        Op::Bool(v) => write!(f, "bool {v}")?,
        Op::Input(n) => write!(f, "input {n}")?,
        Op::QuadInput(lane, n) => write!(f, "quad_input {} {n}", name(QUAD_LANES, &lane))?,
        Op::Uniform(n) => write!(f, "uniform {n}")?,
        Op::UniformAt(c) => write!(f, "uniform_at {c},")?,
        Op::IntUniform(n) => write!(f, "int_uniform {n}")?,
        Op::BoolUniform(n) => write!(f, "bool_uniform {n}")?,
        Op::Read(var) => write!(f, "read v{}", var.0)?,
        Op::Write(var) => write!(f, "write v{},", var.0)?,
        Op::Load(array) => write!(f, "load a{},", array.0)?,
        Op::Store(array) => write!(f, "store a{},", array.0)?,
        Op::Sample(sampler) => {
            parens = true;
            write!(f, "sample s{}", sampler.0)?;
        }
        Op::Fetch { buffer, format } => {
            parens = true;
            let [x, y, z, w] = format.bits;
            let one = u8::from(format.missing_w_one);
            write!(f, "fetch {buffer} {} {x} {y} {z} {w}", name(FETCH_KINDS, &format.kind))?;
            write!(f, " stride {} offset {}", format.stride, format.offset)?;
            write!(f, " exponent {} missing_w {one}", format.exponent)?;
        }
        Op::Fuel(n) => write!(f, "fuel {n}")?,
        Op::Effect { kind, index, mask } => {
            parens = true;
            write!(f, "effect {kind} {index} {mask:#x}")?;
        }
        op => f.write_str(name(PLAIN, &op))?,
    }
    let args = program.args(inst);
    if !args.is_empty() {
        f.write_str(if parens { " (" } else { " " })?;
        list(f, args.iter().map(|v| format!("%{}", v.0)))?;
        f.write_str(if parens { ")" } else { "" })?;
    }
    Ok(())
}

fn terminator(f: &mut Formatter<'_>, terminator: &Terminator) -> fmt::Result {
    match terminator {
        Terminator::Jump(to) => writeln!(f, "  jump {}", to.0),
        Terminator::Branch(v, yes, no) => writeln!(f, "  branch %{}, {}, {}", v.0, yes.0, no.0),
        Terminator::Switch(v, targets) => {
            write!(f, "  switch %{} (", v.0)?;
            list(f, targets.iter().map(|b| b.0))?;
            f.write_str(")\n")
        }
        Terminator::Return => f.write_str("  return\n"),
        Terminator::Hang => f.write_str("  hang\n"),
    }
}
