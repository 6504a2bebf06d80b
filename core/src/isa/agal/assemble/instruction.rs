//! Converts parsed operands to a token.

use super::super::names::{LETTERS, file_name};
use super::super::opcode::{Opcode, Shape};
use super::super::program::{Dest, File, Sampler, Source, SourceOrSampler, Token};
use super::super::word::SWIZZLE;
use super::operands::{Operand, component};
use super::{Line, Reported, quote};
use crate::binary::exact;
use crate::isa::Stage;
use crate::text::{self, Span, count};

impl<'t> Line<'t, '_> {
    /// Checks the operands against the instruction's shape and builds the token. All operands are checked, even after an error.
    pub(super) fn token(
        &mut self,
        span: Span,
        op: Opcode,
        operands: &[Operand<'t>],
    ) -> Result<Token, Reported> {
        let operand_names = operand_names(op);
        if operands.len() != operand_names.len() {
            let name = op.row().mnemonic;
            let takes = count(operand_names.len(), "operand");
            let message = format!("{name} takes {takes}, not {}", operands.len());
            let help = format!("{name} {}", operand_names.join(", "));
            return Err(self.error_help(span, message, help.trim_end()));
        }
        let mut token = Token {
            opcode: op.row().number,
            dest: Dest::default(),
            a: Source::default(),
            b: if op.has_sampler() {
                SourceOrSampler::Sampler(Sampler::default())
            } else {
                SourceOrSampler::Source(Source::default())
            },
        };
        let mut operands = operands.iter();
        let mut sound = true;
        if op.has_dest() {
            match operands.next().map(|o| self.dest(o)) {
                Some(Ok(dest)) => token.dest = dest,
                _ => sound = false,
            }
        }
        if op.sources() > 0 {
            match operands.next().map(|o| self.source(o)) {
                Some(Ok(source)) => token.a = source,
                _ => sound = false,
            }
        }
        if let Some(operand) = operands.next() {
            let second = match token.b {
                SourceOrSampler::Sampler(_) => self.sampler(operand).map(SourceOrSampler::Sampler),
                SourceOrSampler::Source(_) => self.source(operand).map(SourceOrSampler::Source),
            };
            match second {
                Ok(second) => token.b = second,
                Err(Reported) => sound = false,
            }
        }
        if sound { Ok(token) } else { Err(Reported) }
    }

    fn expect_no_options(&mut self, operand: &Operand<'t>) -> Result<(), Reported> {
        match &operand.options {
            None => Ok(()),
            Some((span, _)) => {
                Err(self.error(*span, "only the last operand of a texture read can have options"))
            }
        }
    }

    fn dest(&mut self, operand: &Operand<'t>) -> Result<Dest, Reported> {
        self.expect_no_options(operand)?;
        if operand.index.is_some() {
            return Err(self.error(operand.span, "a destination cannot be indexed"));
        }
        let mut mask = 0xf;
        if let Some(letters) = &operand.letters {
            let components = self.letters(letters)?;
            if !components.is_sorted_by(|a, b| a < b) {
                let in_order: String =
                    (0..4).filter(|k| components.contains(k)).map(|k| LETTERS[0][k]).collect();
                return Err(self.error_help(
                    letters.span,
                    "a write mask must name components in order and without repetition",
                    format!("write '.{in_order}', and permute with the swizzle of a source"),
                ));
            }
            mask = components.iter().fold(0, |mask, k| mask | 1 << k);
        }
        Ok(Dest::register(operand.file, operand.number, mask))
    }

    fn source(&mut self, operand: &Operand<'t>) -> Result<Source, Reported> {
        self.expect_no_options(operand)?;
        let mut swizzle = Source::XYZW;
        if let Some(letters) = &operand.letters {
            let components = self.letters(letters)?;
            // `letters` never returns an empty list.
            let last = components.len() - 1;
            swizzle = SWIZZLE.join(std::array::from_fn(|k| exact::<u8, _>(components[k.min(last)])));
        }
        let mut source = Source::register(operand.file, operand.number, swizzle);
        if let Some(index) = &operand.index {
            source.number = index.number;
            source.offset = index.offset;
            source.index_file = index.file as u8;
            source.index_component = index.component;
            source.indirect = 1;
        }
        Ok(source)
    }

    fn sampler(&mut self, operand: &Operand<'t>) -> Result<Sampler, Reported> {
        if operand.file != File::Sampler || operand.index.is_some() {
            let stage = self.known.stage.unwrap_or(Stage::Fragment);
            let help = format!("for example {}0 <2d,linear>", file_name(File::Sampler, stage));
            return Err(self.error_help(
                operand.span,
                "the last operand of a texture read must be a sampler",
                help,
            ));
        }
        if let Some(letters) = &operand.letters {
            return Err(self.error(letters.span, "a sampler cannot have a swizzle"));
        }
        let default = Sampler { file: File::Sampler as u8, ..Sampler::default() };
        let options = operand.options.as_ref().map_or(default, |(_, sampler)| *sampler);
        Ok(Sampler { number: operand.number, ..options })
    }

    /// Parses one to four component letters.
    fn letters(&mut self, token: &text::Token<'t>) -> Result<Vec<usize>, Reported> {
        let mut components = Vec::with_capacity(4);
        let mut spelling = None;
        for c in token.text.chars() {
            let Some((index, alphabet)) = component(c) else {
                let message = format!("{} is not a swizzle or a write mask", quote(Some(token)));
                return Err(self.error_help(
                    token.span,
                    message,
                    "components are x, y, z and w, or r, g, b and a",
                ));
            };
            if spelling.replace(alphabet).is_some_and(|s| s != alphabet) {
                return Err(self.error(token.span, "the letters xyzw and rgba cannot be mixed"));
            }
            if components.len() == 4 {
                return Err(self.error(token.span, "there are at most four components"));
            }
            components.push(index);
        }
        Ok(components)
    }
}

/// Returns the names of an instruction's operands, for error messages.
fn operand_names(op: Opcode) -> &'static [&'static str] {
    match op.row().shape {
        Shape::Unary => &["destination", "source"],
        Shape::Binary => &["destination", "source", "source"],
        Shape::Matrix { .. } => &["destination", "vector", "first row"],
        Shape::Texture => &["destination", "coordinates", "sampler <options>"],
        Shape::Compare => &["source", "source"],
        Shape::Marker => &[],
        Shape::Kill => &["source"],
    }
}
