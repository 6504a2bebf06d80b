//! Parses programs of the intermediate representation (IR) from text.

use super::line::{Line, Result, number};
use super::names::{FETCH_KINDS, PLAIN, QUAD_LANES, TRUTH, TYPES};
use super::sampler;
use crate::host::FetchFormat;
use crate::ir::op::{Array, Op, Sampler, Ty, Var};
use crate::ir::program::{ArrayDecl, ArrayInit, Block, Inst, Program, Terminator, Value, VarDecl, VarKey};
use crate::ir::verify::{VerifyError, verify};
use crate::text::Diagnostic;

/// The number of errors after which the rest of the text is not read.
const MAX_DIAGNOSTICS: usize = 50;

/// Parses and verifies a program.
///
/// # Errors
/// The errors of all lines, up to 50. If no line has an error: the missing terminator of the last block, or the verifier's error.
pub fn parse(text: &str) -> std::result::Result<Program, Vec<Diagnostic>> {
    let mut parser = Parser::default();
    let mut diagnostics = Vec::new();
    let mut offset = 0;
    for (number, raw) in (1u32..).zip(text.split_inclusive('\n')) {
        let mut line = Line::new(number, offset, raw);
        offset += raw.len();
        if line.is_empty() {
            continue;
        }
        parser.number = number;
        parser.offset = offset - raw.len();
        if let Err(diagnostic) = parser.line(&mut line).and_then(|()| line.end()) {
            diagnostics.push(diagnostic);
            if diagnostics.len() == MAX_DIAGNOSTICS {
                break;
            }
        }
    }
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let end = Line::new(parser.number.max(1), parser.offset, "");
    if parser.open {
        return Err(vec![end.error("the last block has no terminator")]);
    }
    match verify(&parser.program) {
        Ok(()) => Ok(parser.program),
        Err(error) => Err(vec![parser.locate(text, error)]),
    }
}

#[derive(Default)]
struct Parser {
    program: Program,
    /// Whether the block that was begun last still lacks its terminator.
    open: bool,
    number: u32,
    offset: usize,
    /// The line number and offset of each instruction; `end_lines` has those of each terminator.
    inst_lines: Vec<(u32, usize)>,
    end_lines: Vec<(u32, usize)>,
}

impl Parser {
    /// Converts an error of the verifier to a diagnostic at the line of the instruction or terminator at fault, or at line 1 if the error concerns
    /// neither.
    fn locate(&self, text: &str, error: VerifyError) -> Diagnostic {
        use VerifyError as E;
        let (number, offset) = match error {
            E::Pool(at) | E::Arity(at, ..) | E::Undefined(at, _) | E::Type(at, ..) => {
                self.inst_lines.get(at as usize)
            }
            E::Numbering(at, ..) | E::Range(at) | E::Quad(at) => self.inst_lines.get(at as usize),
            E::Target(b, _) | E::EmptySwitch(b) | E::Condition(b, _) => self.end_lines.get(b as usize),
            _ => None,
        }
        .copied()
        .unwrap_or((1, 0));
        let raw = text.get(offset..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        Line::new(number, offset, raw).error(error.to_string())
    }

    fn line(&mut self, line: &mut Line<'_>) -> Result<()> {
        for (word, read) in HEADER {
            if line.take_word(word) {
                if self.program.blocks.is_empty() && !self.open {
                    return read(self, line);
                }
                return Err(line.error(format!("`{word}` belongs before the first block")));
            }
        }
        if line.take_word("block") {
            return self.block(line);
        }
        if !self.open {
            return Err(line.error("the instruction is outside a block"));
        }
        if let Some(terminator) = terminator(line)? {
            let end = self.program.insts.len() as u32;
            self.end_lines.push((self.number, self.offset));
            self.open = false;
            if let Some(block) = self.program.blocks.last_mut() {
                block.insts.end = end;
                block.terminator = terminator;
            }
            return Ok(());
        }
        self.instruction(line)
    }

    fn block(&mut self, line: &mut Line<'_>) -> Result<()> {
        if self.open {
            return Err(line.error("the previous block has no terminator"));
        }
        line.declared("", self.program.blocks.len())?;
        line.keyword("@")?;
        let origin = line.number()?;
        line.keyword(":")?;
        let start = self.program.insts.len() as u32;
        self.open = true;
        self.program.blocks.push(Block { insts: start..start, terminator: Terminator::Return, origin });
        Ok(())
    }

    fn instruction(&mut self, line: &mut Line<'_>) -> Result<()> {
        let result = Value(self.program.values);
        let named = Self::results(line, result)?;
        let op = operation(line)?;
        let args = self.program.pool.len();
        self.operands(line)?;
        let arity = u8::try_from(self.program.pool.len() - args);
        let arity = arity.map_err(|_| line.error("more operands than any instruction takes"))?;
        let count = match op {
            Op::Read(_) => 1,
            op => u32::from(op.results().map_or(1, |(_, count)| count)),
        };
        if named != count {
            let results = crate::text::count(count, "result");
            return Err(line.error(format!("the operation has {results}; the line names {named}")));
        }
        self.program.values = result.0.checked_add(count).ok_or_else(|| line.error("too many values"))?;
        self.program.insts.push(Inst { op, args: args as u32, arity, result });
        self.inst_lines.push((self.number, self.offset));
        Ok(())
    }

    /// Reads the results of an instruction, `%3 =` or `%3..%6 =`, if present. Returns their number.
    fn results(line: &mut Line<'_>, next: Value) -> Result<u32> {
        let at = line.error(format!("the first result must be %{}", next.0));
        let Some((first, last)) = line.take_results() else {
            return Ok(0);
        };
        if first != next.0 || last < first {
            return Err(at);
        }
        line.keyword("=")?;
        Ok((last - first).saturating_add(1))
    }

    /// Reads operands up to the end of the line, after an optional comma, or in parentheses.
    fn operands(&mut self, line: &mut Line<'_>) -> Result<()> {
        if line.is_empty() {
            return Ok(());
        }
        line.take_word(",");
        let parens = line.take_word("(");
        loop {
            let value = line.value()?;
            self.program.pool.push(value);
            if !line.take_word(",") {
                break;
            }
        }
        if parens { line.keyword(")") } else { Ok(()) }
    }

    fn var(&mut self, line: &mut Line<'_>) -> Result<()> {
        line.declared("v", self.program.vars.len())?;
        let wrong = line.error("expected a register as file.number.component");
        let token = line.next();
        let mut parts = token.split('.');
        let mut part = || parts.next().and_then(number::<u16>);
        let (Some(file), Some(index), Some(component), None) = (part(), part(), part(), part()) else {
            return Err(wrong);
        };
        let (Ok(file), Ok(component)) = (u8::try_from(file), u8::try_from(component)) else {
            return Err(wrong);
        };
        let key = VarKey { file, index, component };
        let ty = line.named(TYPES, "a type")?;
        line.keyword("=")?;
        let init = match ty {
            Ty::F32 => line.float()?,
            Ty::I32 => line.number::<i32>()? as u32,
            Ty::Bool => u32::from(line.named(TRUTH, "true or false")?),
        };
        self.program.vars.push(VarDecl { ty, key, init });
        Ok(())
    }
}

type Header = fn(&mut Parser, &mut Line<'_>) -> Result<()>;

/// The kinds of lines that are allowed only before the first block, by their first word.
const HEADER: [(&str, Header); 6] = [
    ("group", |p, line| line.number().map(|n| p.program.group = n)),
    ("entry", |p, line| line.number().map(|n| p.program.entry = n)),
    ("var", Parser::var),
    ("array", |p, line| {
        line.declared("a", p.program.arrays.len())?;
        line.keyword("file")?;
        let file = line.number()?;
        line.keyword("len")?;
        let len = line.number()?;
        let component = if line.take_word("component") { Some(line.number()?) } else { None };
        let init = if line.take_word("uniforms") { ArrayInit::Uniforms } else { ArrayInit::Zero };
        p.program.arrays.push(ArrayDecl { len, file, component, init });
        Ok(())
    }),
    ("sampler", |p, line| {
        line.declared("s", p.program.samplers.len())?;
        let decl = sampler::parse(line)?;
        p.program.samplers.push(decl);
        Ok(())
    }),
    ("output", |p, line| {
        let number = line.number()?;
        line.keyword("=")?;
        let var = line.numbered("v", "a variable")?;
        p.program.outputs.push((number, Var(var)));
        Ok(())
    }),
];

/// Reads a terminator, if the line is one.
fn terminator(line: &mut Line<'_>) -> Result<Option<Terminator>> {
    Ok(Some(if line.take_word("jump") {
        Terminator::Jump(line.block()?)
    } else if line.take_word("branch") {
        let value = line.value()?;
        line.keyword(",")?;
        let yes = line.block()?;
        line.keyword(",")?;
        Terminator::Branch(value, yes, line.block()?)
    } else if line.take_word("switch") {
        let value = line.value()?;
        let mut targets = Vec::new();
        line.keyword("(")?;
        loop {
            targets.push(line.block()?);
            if !line.take_word(",") {
                break;
            }
        }
        line.keyword(")")?;
        Terminator::Switch(value, targets)
    } else if line.take_word("return") {
        Terminator::Return
    } else if line.take_word("hang") {
        Terminator::Hang
    } else {
        return Ok(None);
    }))
}

/// Reads the name of an operation and its immediates.
fn operation(line: &mut Line<'_>) -> Result<Op> {
    let unknown = line.error("expected an operation");
    let word = line.next();
    Ok(match word {
        "f32" => Op::F32(line.float()?),
        "i32" => Op::I32(line.number()?),
        "bool" => Op::Bool(line.named(TRUTH, "true or false")?),
        "input" => Op::Input(line.number()?),
        "quad_input" => Op::QuadInput(line.named(QUAD_LANES, "a lane of the quad")?, line.number()?),
        "uniform" => Op::Uniform(line.number()?),
        "uniform_at" => Op::UniformAt(line.number()?),
        "int_uniform" => Op::IntUniform(line.number()?),
        "bool_uniform" => Op::BoolUniform(line.number()?),
        "read" => Op::Read(Var(line.numbered("v", "a variable")?)),
        "write" => Op::Write(Var(line.numbered("v", "a variable")?)),
        "load" => Op::Load(Array(line.numbered("a", "an array")?)),
        "store" => Op::Store(Array(line.numbered("a", "an array")?)),
        "sample" => Op::Sample(Sampler(line.numbered("s", "a sampler")?)),
        "fetch" => fetch(line)?,
        "fuel" => Op::Fuel(line.number()?),
        "effect" => Op::Effect { kind: line.number()?, index: line.number()?, mask: line.number()? },
        _ => PLAIN.iter().find(|(name, _)| *name == word).ok_or(unknown)?.1,
    })
}

fn fetch(line: &mut Line<'_>) -> Result<Op> {
    let buffer = line.number()?;
    let kind = line.named(FETCH_KINDS, "a kind of component")?;
    let mut bits = [0; 4];
    for width in &mut bits {
        *width = line.number()?;
    }
    line.keyword("stride")?;
    let stride = line.number()?;
    line.keyword("offset")?;
    let offset = line.number()?;
    line.keyword("exponent")?;
    let exponent = line.number()?;
    line.keyword("missing_w")?;
    let missing_w_one = line.number::<u8>()? != 0;
    Ok(Op::Fetch { buffer, format: FetchFormat { kind, bits, stride, offset, exponent, missing_w_one } })
}
