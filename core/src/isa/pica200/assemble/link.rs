//! The linker: resolves names, assigns descriptors and builds the container.

use super::super::container::{
    DVLB_HEADER_SIZE, DVLE_HEADER_SIZE, DVLP_HEADER_SIZE, Dvle, Gap, Row, Shbin, Table,
};
use super::super::decode::{MAX_FILE_SIZE, decode};
use super::super::encode::encode;
use super::super::opcode::Opcode;
use super::super::program::{Container, Instruction, Program, Raw};
use super::descriptor;
use super::instruction::JumpTarget;
use super::parts::ContainerForm;
use super::{Assembler, line::quote};
use crate::binary::exact;
use crate::isa::pica200::word::{DvleKind, fields};
use crate::text::{Diagnostic, Span, nearest};

impl Assembler<'_> {
    /// Resolves all names and returns the program, or the errors, at most `MAX_ERRORS` of them.
    pub(super) fn link(mut self, end: Span) -> Result<Program, Vec<Diagnostic>> {
        if let Some(span) = self.code.open() {
            self.errors.push(Diagnostic::new(span, "this block is not ended with .end"));
        }
        self.resolve_targets();
        let mut table = descriptor::Table::new(&self.rows);
        for word in &self.code.words {
            match (&word.needed_descriptor, word.instruction.op()) {
                (Some(needed), Some(op)) => table.assign_row(op, needed, word.span, &mut self.errors),
                _ => table.skip(),
            }
        }
        let (descriptors, rows) = table.finish();
        let code: Vec<Instruction> = self
            .code
            .words
            .iter()
            .zip(rows)
            .map(|(word, row)| match row {
                Some(row) => word.instruction.with_field(fields::DESC, exact::<u32, _>(row)),
                None => word.instruction,
            })
            .collect();
        let container = match std::mem::replace(&mut self.form, ContainerForm::Auto) {
            ContainerForm::Raw(raw) => Container::Raw(self.raw(raw)),
            ContainerForm::Shbin(shbin) => Container::Shbin(*shbin),
            ContainerForm::Auto => {
                let dvles = self.dvles(end);
                Container::Shbin(lay_out(code.len(), descriptors.len(), dvles))
            }
        };
        self.errors.truncate(super::MAX_ERRORS);
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        let program = Program { container, code, descriptors };
        // A container that the text specifies part by part may be inconsistent.
        let bytes = encode(&program);
        let contradiction = match decode(&bytes) {
            Ok(back) if back == program => return Ok(program),
            Ok(_) => {
                format!(
                    "the parts of the container overlap, leave undeclared gaps, or exceed {MAX_FILE_SIZE} bytes"
                )
            }
            Err(error) => format!("the parts of the container do not fit together: {error}"),
        };
        Err(vec![Diagnostic::new(end, contradiction)])
    }

    /// Resolves the target of every control-flow instruction.
    fn resolve_targets(&mut self) {
        for (at, &unit) in self.code.units.iter().enumerate() {
            let word = &self.code.words[at];
            let set = |field, value| word.instruction.with_field(field, value);
            let instruction = match word.target {
                None | Some(JumpTarget::Scope) => continue,
                Some(JumpTarget::Word(dst)) => set(fields::DST, u32::from(dst)),
                Some(JumpTarget::Name(name)) => {
                    let op = word.instruction.op();
                    let call = matches!(op, Some(Opcode::Call | Opcode::Callc | Opcode::Callu));
                    let labels = &self.units[unit].labels;
                    let found = if call && !word.counted {
                        self.code
                            .procedures
                            .get(name.text)
                            .map(|(at, len)| (exact::<u32, _>(*at), Some(*len)))
                    } else {
                        labels.get(name.text).map(|at| (*at, None))
                    };
                    let Some((dst, num)) = found else {
                        let kind = if call && !word.counted { "procedure" } else { "label" };
                        let message = format!("there is no {kind} {}", quote(Some(&name)));
                        let error = Diagnostic::new(name.span, message);
                        let near =
                            nearest(name.text, self.code.procedures.keys().chain(labels.keys()).copied());
                        self.errors.push(match near {
                            Some(near) if near == name.text && kind == "procedure" => {
                                error.with_help(format!(
                                    "'{near}' is a label: give the number of words, as in call {near}, 2"
                                ))
                            }
                            Some(near) if near != name.text => {
                                error.with_help(format!("did you mean '{near}'?"))
                            }
                            _ => error,
                        });
                        continue;
                    };
                    if dst > 0xfff || num.is_some_and(|num| num > 255) {
                        let message =
                            "the target is out of reach: an address has 12 bits, and a number of words 8";
                        self.errors.push(Diagnostic::new(name.span, message));
                        continue;
                    }
                    let moved = set(fields::DST, dst);
                    num.map_or(moved, |num| moved.with_field(fields::NUM, exact::<u32, _>(num)))
                }
            };
            self.code.words[at].instruction = instruction;
        }
    }

    /// Returns the start and end address of a source's entry.
    fn entry(&mut self, unit: usize, end: Span) -> Option<(u32, u32)> {
        let unit = &self.units[unit];
        let (name, span) = unit.entry.map_or(("main", end), |token| (token.text, token.span));
        if let Some((at, len)) = self.code.procedures.get(name) {
            return Some((exact::<u32, _>(*at), exact::<u32, _>(at + len)));
        }
        let message = format!("there is no entry procedure '{}'", name.chars().take(40).collect::<String>());
        self.errors.push(
            Diagnostic::new(span, message)
                .with_help("the entry is .proc main or the procedure that .entry names"),
        );
        None
    }

    /// Adds the entry from `.entry` and the outputs from `.out` to a raw container. Constants are an error.
    fn raw(&mut self, raw: Raw) -> Raw {
        let with_entry = self.units.iter().position(|unit| unit.entry.is_some());
        let outputs = self.units.iter().fold(0, |mask, unit| mask | unit.dvle.output_mask);
        let constant = self.units.iter().find(|unit| !unit.dvle.constants.rows.is_empty());
        if let Some(unit) = constant {
            let message = "a raw program cannot hold constants: a run takes them from its environment";
            self.errors.push(Diagnostic::new(unit.span, message));
        }
        let start = with_entry.and_then(|unit| self.entry(unit, self.units[unit].span));
        Raw {
            output_mask: raw.output_mask | outputs,
            start: start.map_or(raw.start, |(start, _)| start),
            ..raw
        }
    }

    /// Returns the DVLEs of all sources that do not have `.nodvle`.
    fn dvles(&mut self, end: Span) -> Vec<Dvle> {
        let mut dvles = Vec::new();
        for unit in 0..self.units.len() {
            if self.units[unit].no_dvle {
                continue;
            }
            let Some((main, last)) = self.entry(unit, end) else { continue };
            let geometry = self
                .code
                .words
                .iter()
                .zip(&self.code.units)
                .any(|(word, source)| *source == unit && word.instruction.op() == Some(Opcode::Setemit));
            let mut dvle = std::mem::take(&mut self.units[unit].dvle);
            (dvle.main, dvle.end) = (main, last);
            if geometry {
                dvle.kind = DvleKind::Geometry as u8;
            }
            sort_names(&mut dvle);
            dvles.push(dvle);
        }
        if dvles.is_empty() && self.errors.is_empty() {
            self.errors.push(Diagnostic::new(end, "every source has .nodvle, so the program has no entry"));
        }
        dvles
    }
}

/// Sorts names by register, as picasso does.
fn sort_names(dvle: &mut Dvle) {
    let mut rows = std::mem::take(&mut dvle.uniforms.rows);
    let names = std::mem::take(&mut dvle.symbols.rows);
    rows.sort_by_key(|row| row.first);
    for row in &mut rows {
        let name = names.get(row.symbol as usize..).unwrap_or_default();
        let len = name.iter().position(|byte| *byte == 0).map_or(name.len(), |end| end + 1);
        row.symbol = exact::<u32, _>(dvle.symbols.rows.len());
        dvle.symbols.rows.extend_from_slice(&name[..len]);
    }
    dvle.uniforms.rows = rows;
}

/// Lays out the parts of a file as picasso does: code after the DVLP, then descriptors, then each DVLE with its tables, padded to whole words.
fn lay_out(words: usize, descriptors: usize, mut dvles: Vec<Dvle>) -> Shbin {
    // The DVLP header with its reserved words.
    const CODE: u32 = 0x28;
    let dvlp = DVLB_HEADER_SIZE + 4 * exact::<u32, _>(dvles.len());
    let table = CODE + 4 * exact::<u32, _>(words);
    let filenames = table + 8 * exact::<u32, _>(descriptors);
    let mut gaps =
        vec![Gap { offset: dvlp + DVLP_HEADER_SIZE, bytes: vec![0; (CODE - DVLP_HEADER_SIZE) as usize] }];
    let mut at = dvlp + filenames;
    for dvle in &mut dvles {
        fn put<T>(next: &mut u32, table: &mut Table<T>, size: u32) {
            table.offset = *next;
            *next += size * exact::<u32, _>(table.rows.len());
        }
        dvle.offset = at;
        let mut next = DVLE_HEADER_SIZE;
        put(&mut next, &mut dvle.constants, super::super::container::Constant::SIZE);
        put(&mut next, &mut dvle.labels, super::super::container::Label::SIZE);
        put(&mut next, &mut dvle.outputs, super::super::container::Output::SIZE);
        put(&mut next, &mut dvle.uniforms, super::super::container::Symbol::SIZE);
        put(&mut next, &mut dvle.symbols, 1);
        at += next;
        let padding = at.next_multiple_of(4) - at;
        if padding > 0 {
            gaps.push(Gap { offset: at, bytes: vec![0; padding as usize] });
        }
        at += padding;
    }
    Shbin { version: 0, code: CODE, descriptors: table, filenames, dvles, gaps }
}
