//! Parses instructions: names with suffixes, and operands.

use super::super::names::{self, ALIASES, SUB_OPCODE};
use super::super::opcode::{Opcode, TABLE};
use super::super::program::{Comparison, Instruction, Modifier, Source, Usage, Version};
use super::super::word::{ResultModifier, Shift, TextureType, UsageName};
use super::line::{Line, Reported, quote};
use super::listing;
use crate::text::{Span, Token, count, nearest};

/// The parsed parts of a mnemonic.
struct Name {
    op: Opcode,
    control: u8,
    modifier: u8,
    shift: u8,
    usage: Option<Usage>,
    /// Whether a suffix has stated the usage.
    has_usage: bool,
    /// Whether the mnemonic is `sub` of a vertex shader, which is assembled as `add` with the last source negated.
    subtracts: bool,
}

/// Returns the opcode and the opcode control of a mnemonic without suffixes.
fn base(name: &str) -> Option<(Opcode, u8)> {
    let row = TABLE.iter().find(|row| row.mnemonic == name);
    row.map(|row| (row.opcode, 0))
        .or_else(|| ALIASES.iter().find(|(alias, ..)| *alias == name).map(|(_, op, control)| (*op, *control)))
}

impl<'t> Line<'t, '_> {
    /// Parses an instruction.
    pub(super) fn instruction(&mut self, version: Version) -> Result<Instruction, Reported> {
        let coissue = self.take_punct('+');
        let predicate = if self.take_punct('(') {
            let span = self.next_span();
            let predicate = self.source(version)?;
            if !self.take_punct(')') {
                return Err(self.expected("')'"));
            }
            if !version.has_lengths() {
                return Err(self.error(span, "predicates need version 2"));
            }
            Some((span, predicate))
        } else {
            None
        };
        let Some(word) = self.identifier() else { return Err(self.expected("an instruction")) };
        let mut name = self.name(word, version)?;
        // `break p0.x` is another spelling of breakp.
        if name.op == Opcode::Break && self.peek().is_some() {
            name.op = Opcode::Breakp;
        }
        let mut instruction = Instruction::new(name.op);
        instruction.control = name.control;
        instruction.coissue = coissue.into();
        if let Some((span, predicate)) = predicate {
            if matches!(name.op, Opcode::Dcl | Opcode::Def | Opcode::Defi | Opcode::Defb | Opcode::Phase) {
                return Err(self.error(span, "a declaration cannot be predicated"));
            }
            instruction.predicated = 1;
            instruction.predicate = Some(predicate);
        }
        self.operands(&name, word, version, &mut instruction)?;
        let Some(dest) = &mut instruction.dest else {
            if name.modifier != 0 || name.shift != 0 {
                let message =
                    format!("{} has no result, so it cannot have a result modifier", quote(Some(&word)));
                return Err(self.error(word.span, message));
            }
            return Ok(instruction);
        };
        (dest.modifier, dest.shift) = (name.modifier, name.shift);
        if name.subtracts {
            self.negate(word.span, &mut instruction)?;
        }
        Ok(instruction)
    }

    /// Splits a mnemonic into its parts.
    fn name(&mut self, word: Token<'t>, version: Version) -> Result<Name, Reported> {
        let lower = word.text.to_ascii_lowercase();
        let (first, rest) = match lower.strip_prefix(SUB_OPCODE) {
            Some(rest) if rest.is_empty() || rest.starts_with('_') => (SUB_OPCODE, rest),
            _ => lower.split_at(lower.find('_').unwrap_or(lower.len())),
        };
        let subtracts = first == Opcode::Sub.mnemonic() && !version.is_pixel();
        let found = match first {
            SUB_OPCODE => Some((Opcode::Sub, 0)),
            _ if subtracts => Some((Opcode::Add, 0)),
            _ => base(first),
        };
        let Some((op, control)) = found else {
            let message = format!("there is no instruction {}", quote(Some(&word)));
            return Err(match nearest(first, names::mnemonics()) {
                Some(near) => self.error_help(word.span, message, format!("did you mean '{near}'?")),
                None => self.error(word.span, message),
            });
        };
        let usage = (op == Opcode::Dcl).then(|| Usage::of(0, 0));
        let mut name = Name { op, control, modifier: 0, shift: 0, usage, has_usage: false, subtracts };
        let mut comparison = None;
        for suffix in rest.split('_').skip(1) {
            if !listing::is_redundant_suffix(op, suffix) && !name.suffix(suffix) {
                match Comparison::from_name(suffix) {
                    Some(c) if comparison.is_none() && compares(op) => comparison = Some(c),
                    _ => return Err(self.wrong_suffix(word, suffix, op)),
                }
            }
        }
        self.compared(word, &mut name, comparison)?;
        Ok(name)
    }

    /// Combines a comparison suffix with the operation. With a comparison, `if` and `break` have opcodes of their own.
    fn compared(
        &mut self,
        word: Token<'t>,
        name: &mut Name,
        comparison: Option<Comparison>,
    ) -> Result<(), Reported> {
        match (name.op, comparison) {
            (Opcode::If | Opcode::Ifc, Some(c)) => (name.op, name.control) = (Opcode::Ifc, c as u8),
            (Opcode::Break | Opcode::Breakc, Some(c)) => (name.op, name.control) = (Opcode::Breakc, c as u8),
            (_, Some(c)) => name.control = c as u8,
            (op, None) if op.compares() => {
                let help = "one of _gt, _eq, _ge, _lt, _ne and _le";
                let message = format!("{} needs a comparison", quote(Some(&word)));
                return Err(self.error_help(word.span, message, help));
            }
            _ => {}
        }
        Ok(())
    }

    /// Reports a suffix that does not exist or is repeated.
    fn wrong_suffix(&mut self, word: Token<'t>, suffix: &str, op: Opcode) -> Reported {
        let cut: String = suffix.chars().take(super::line::QUOTED).collect();
        if op == Opcode::Dcl && usage_from_suffix(suffix).is_some() {
            return self.error(word.span, format!("dcl takes one usage, but '_{cut}' is a second one"));
        }
        if compares(op) && Comparison::from_name(suffix).is_some() {
            let message = format!("{} takes one comparison, but '_{cut}' is a second one", op.row().mnemonic);
            return self.error(word.span, message);
        }
        let known = ResultModifier::PRINTED.into_iter().chain(Shift::PRINTED);
        let of_dcl = UsageName::ALL.map(UsageName::name).into_iter().chain(textures().map(TextureType::name));
        let near = if op == Opcode::Dcl {
            nearest(suffix.trim_end_matches(|c: char| c.is_ascii_digit()), known.chain(of_dcl))
        } else {
            nearest(suffix, known)
        };
        let message = format!("{} has no suffix '_{cut}'", op.row().mnemonic);
        match near {
            Some(near) if near != suffix => {
                self.error_help(word.span, message, format!("did you mean '_{near}'?"))
            }
            _ => self.error(word.span, message),
        }
    }

    /// Parses all operands. An error in one operand does not prevent the others from being checked.
    fn operands(
        &mut self,
        name: &Name,
        word: Token<'t>,
        version: Version,
        instruction: &mut Instruction,
    ) -> Result<(), Reported> {
        let Some(wanted) = name.op.operands(version) else {
            let message = format!("{} does not exist in this version", quote(Some(&word)));
            let help = "before version 2 the opcode determines the length of an instruction, and the length of this opcode is unknown";
            return Err(self.error_help(word.span, message, help));
        };
        instruction.usage = name.usage;
        let count = u8::from(wanted.dest) + wanted.sources + wanted.immediates;
        let mut sound = true;
        for k in 0..count {
            // VKD writes definitions with an equals sign: `def c0 = 1, 2, 3, 4`.
            let defines = k == 1 && wanted.immediates > 0 && self.take_punct('=');
            if k > 0 && !defines && !self.take_punct(',') {
                return Err(self.wrong_operand_count(word, count, k));
            }
            if self.peek().is_none() {
                return Err(self.wrong_operand_count(word, count, k));
            }
            let read = if k == 0 && wanted.dest {
                self.dest(version).map(|dest| instruction.dest = Some(dest))
            } else if wanted.immediates > 0 {
                let value = match name.op {
                    Opcode::Def => self.float(),
                    Opcode::Defb => self.boolean(),
                    _ => self.int(),
                };
                value.map(|bits| instruction.immediates.push(bits))
            } else {
                self.source(version).map(|source| instruction.sources.push(source))
            };
            if read.is_err() {
                sound = false;
                self.skip_operand();
            }
        }
        if self.is_punct(',') {
            return Err(self.wrong_operand_count(word, count, count + 1));
        }
        if self.expect_end().is_err() || !sound { Err(Reported) } else { Ok(()) }
    }

    /// Reports a wrong number of operands, after `found` have been read.
    fn wrong_operand_count(&mut self, word: Token<'t>, wanted: u8, found: u8) -> Reported {
        if found < wanted && self.peek().is_some() {
            return self.expected("','");
        }
        let operands = count(wanted, "operand");
        let found = if found > wanted { "more".to_owned() } else { found.to_string() };
        self.error(word.span, format!("{} takes {operands}, not {found}", quote(Some(&word))))
    }

    /// Negates the last source.
    fn negate(&mut self, span: Span, instruction: &mut Instruction) -> Result<(), Reported> {
        let Some(last) = instruction.sources.last_mut() else { return Ok(()) };
        match negated(last) {
            Some(modifier) => {
                last.modifier = modifier as u8;
                Ok(())
            }
            None => {
                let help = format!("write '{SUB_OPCODE}' for the opcode sub");
                let message = "in vertex shaders sub is add with the last source negated, and this source cannot be negated";
                Err(self.error_help(span, message, help))
            }
        }
    }
}

/// Returns the source's modifier with the sign inverted, if such a modifier exists.
fn negated(source: &Source) -> Option<Modifier> {
    Modifier::from_number(source.modifier)?.negated()
}

/// Whether a comparison may follow the name of this operation.
fn compares(op: Opcode) -> bool {
    op.compares() || matches!(op, Opcode::If | Opcode::Break)
}

impl Name {
    /// Applies a suffix to the instruction. Returns false if the suffix does not exist or is repeated.
    fn suffix(&mut self, suffix: &str) -> bool {
        if let Some(bit) = ResultModifier::from_name(suffix).map(|modifier| modifier as u8) {
            let new = self.modifier & bit == 0;
            self.modifier |= bit;
            return new;
        }
        if let Some(shift) = Shift::from_name(suffix).map(|shift| shift as u8) {
            let new = self.shift == 0;
            self.shift = shift;
            return new;
        }
        // `dcl` takes one suffix, which is the usage of the register.
        let is_first = !std::mem::replace(&mut self.has_usage, true);
        match (self.usage.as_mut().filter(|_| is_first), usage_from_suffix(suffix)) {
            (Some(usage), Some(stated)) => {
                *usage = stated;
                true
            }
            _ => false,
        }
    }
}

/// Returns the usage or the texture type that a suffix of `dcl` states.
fn usage_from_suffix(suffix: &str) -> Option<Usage> {
    if let Some(texture) = textures().find(|texture| texture.name() == suffix) {
        return Some(Usage::of_texture(texture as u8));
    }
    let letters = suffix.trim_end_matches(|c: char| c.is_ascii_digit());
    let index = match &suffix[letters.len()..] {
        "" => 0,
        digits => digits.parse::<u8>().ok().filter(|index| *index < 16)?,
    };
    let (letters, more) = listing::usage(letters);
    let number = UsageName::from_name(letters)? as u8;
    Some(index + more).filter(|index| *index < 16).map(|index| Usage::of(number, index))
}

/// Returns the texture types that a declaration can have.
fn textures() -> impl Iterator<Item = TextureType> {
    TextureType::ALL.into_iter().filter(|texture| *texture != TextureType::None)
}
