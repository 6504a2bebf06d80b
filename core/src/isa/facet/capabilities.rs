//! The capabilities of an implementation: the opcodes and facet values that it supports.

use crate::isa::{CoverPoint, Tables, instruction_count};
use crate::text::{Diagnostic, Span, nearest};
use std::collections::BTreeSet;
use std::fmt;

/// The subset of an instruction set that an implementation supports. The default is the whole instruction set.
///
/// The text form is a list of statements, one per line or separated by `;`. A comment begins with `#`. The statements are:
///
/// | statement | forbids |
/// |---|---|
/// | `no litp` | an opcode |
/// | `only mov, add` | every other opcode |
/// | `no index` | every value of the facet `index`; without such a facet, every value of the operands' facets `a.index`, `b.index` and so on |
/// | `no dest=relative, loop` | the listed values of a facet |
/// | `a.file=constant, temporary` | every other value of the facet |
/// | `index=none` | every other value; if the facet has no value `none`, every value |
/// | `no mov: a.modifier=abs` | a value for one opcode only; each of the statements above about facets can have such a prefix |
///
/// `lockstep isa NAME` prints the names of opcodes, facets and values. Opcodes are case-insensitive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    opcodes: BTreeSet<&'static str>,
    values: BTreeSet<Forbidden>,
}

/// A forbidden value of a facet, for one opcode or, if `opcode` is `None`, for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Forbidden {
    opcode: Option<&'static str>,
    facet: &'static str,
    value: &'static str,
}

/// An instruction that the implementation does not support.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The index of the instruction.
    pub word: u32,
    /// The instruction's opcode, or the opcode of one of its units.
    pub opcode: &'static str,
    /// The forbidden value, as `facet=value`; `None` if the opcode itself is forbidden.
    pub modifier: Option<String>,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "instruction {}: no {}", self.word, self.opcode)?;
        self.modifier.iter().try_for_each(|modifier| write!(f, ": {modifier}"))
    }
}

impl Capabilities {
    /// Parses the text form.
    ///
    /// # Errors
    /// All malformed statements and unknown names, with their spans. For an unknown name, the message lists the existing names.
    pub fn parse<I: Tables>(text: &str) -> Result<Capabilities, Vec<Diagnostic>> {
        let mut all = Capabilities::default();
        let mut wrong = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line_offset = line.as_ptr() as usize - text.as_ptr() as usize;
            let stated = line.split_once('#').map_or(line, |(stated, _)| stated);
            for statement in stated.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
                let offset = statement.as_ptr() as usize - line.as_ptr() as usize;
                if let Err((message, help)) = all.apply_statement::<I>(statement) {
                    let span = Span {
                        line: number,
                        column: line[..offset].chars().count() as u32 + 1,
                        offset: (line_offset + offset) as u32,
                        len: statement.len() as u32,
                    };
                    wrong.push(Diagnostic { span, message, help });
                }
            }
        }
        if wrong.is_empty() { Ok(all) } else { Err(wrong) }
    }

    /// Whether the whole instruction set is supported.
    pub fn is_everything(&self) -> bool {
        self.opcodes.is_empty() && self.values.is_empty()
    }

    /// Whether a coverage point is supported.
    pub fn allows(&self, point: &CoverPoint) -> bool {
        self.allows_opcode(point.opcode) && self.allows_value(point)
    }

    /// Whether an opcode is supported.
    pub fn allows_opcode(&self, opcode: &str) -> bool {
        !self.opcodes.contains(opcode)
    }

    fn allows_value(&self, point: &CoverPoint) -> bool {
        let Some((facet, value)) = point.modifier.split_once('=') else { return true };
        let is_it = |row: &Forbidden| {
            row.facet == facet && row.value == value && row.opcode.is_none_or(|opcode| opcode == point.opcode)
        };
        !self.values.iter().any(is_it)
    }

    /// Returns the unsupported instructions of a program, in order. Unreachable instructions are included, because a decoder reads them too.
    pub fn unsupported<I: Tables>(&self, program: &I::Program) -> Vec<Unsupported> {
        self.find_unsupported::<I>(program).collect()
    }

    /// Whether every instruction of a program is supported.
    pub fn allows_program<I: Tables>(&self, program: &I::Program) -> bool {
        self.is_everything() || self.find_unsupported::<I>(program).next().is_none()
    }

    fn find_unsupported<'a, I: Tables>(
        &'a self,
        program: &'a I::Program,
    ) -> impl Iterator<Item = Unsupported> + 'a {
        let words = 0..instruction_count::<I>(program);
        let points_of = I::cover_points(program);
        words.flat_map(move |word| {
            let opcodes: BTreeSet<&str> =
                I::facets().sites(program, word).map(|(_, opcode)| opcode).collect();
            let missing = opcodes.into_iter().filter(|opcode| !self.allows_opcode(opcode));
            let missing = missing.map(|opcode| Unsupported { word, opcode, modifier: None });
            let points = points_of(word).into_iter().filter(|point| !self.allows_value(point));
            let values = points.map(|p| Unsupported { word, opcode: p.opcode, modifier: Some(p.modifier) });
            missing.chain(values).collect::<Vec<_>>()
        })
    }

    /// Applies a statement. An error consists of a message and, optionally, a suggestion.
    fn apply_statement<I: Tables>(&mut self, statement: &str) -> Result<(), (String, Option<String>)> {
        if let Some(names) = keyword(statement, "only") {
            let kept = split_list(names).map(find_opcode::<I>).collect::<Result<BTreeSet<_>, _>>()?;
            let all = I::opcodes().iter().map(|opcode| opcode.mnemonic);
            self.opcodes.extend(all.filter(|opcode| !kept.contains(opcode)));
            return Ok(());
        }
        let (is_forbidden, rest) = match keyword(statement, "no") {
            Some(rest) => (true, rest),
            None => (false, statement),
        };
        let (only_for, rest) = match rest.split_once(':') {
            Some((prefix, rest)) => (Some(find_opcode::<I>(prefix.trim())?), rest.trim()),
            None => (None, rest),
        };
        let (name, values) = match rest.split_once('=') {
            Some((name, values)) => (name.trim(), Some(values)),
            None => (rest, None),
        };
        let mut known = values_of::<I>(|facet| facet == name);
        let may_be_opcode = is_forbidden && only_for.is_none() && values.is_none();
        if known.is_empty()
            && may_be_opcode
            && let Ok(forbidden) = find_opcode::<I>(name)
        {
            self.opcodes.insert(forbidden);
            return Ok(());
        }
        if known.is_empty() {
            known = values_of::<I>(|facet| is_operand_facet(facet, name));
        }
        if known.is_empty() {
            return Err(unknown_name::<I>(name, may_be_opcode));
        }
        let named: Vec<&str> = match values {
            None if is_forbidden => known.iter().map(|(_, value)| *value).collect(),
            None => {
                return Err((
                    format!("incomplete statement '{name}': write 'no {name}' or '{name}=…'"),
                    None,
                ));
            }
            Some(values) => split_list(values).collect(),
        };
        let is_none = !is_forbidden && named == ["none"];
        for value in &named {
            let has = known.iter().any(|(_, known)| known == value);
            if !has && !is_none {
                let all: Vec<&str> = known.iter().map(|(_, value)| *value).collect();
                let help = nearest(value, all.iter().copied()).map(|n| format!("did you mean '{n}'?"));
                let all = without_duplicates(all).join(", ");
                return Err((format!("'{name}' has no value '{value}'; its values are {all}"), help));
            }
        }
        let forbidden = known.into_iter().filter(|(_, value)| named.contains(value) == is_forbidden);
        self.values.extend(forbidden.map(|(facet, value)| Forbidden { opcode: only_for, facet, value }));
        Ok(())
    }
}

impl fmt::Display for Capabilities {
    /// Prints statements from which [`Capabilities::parse`] makes an equal value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.opcodes.iter().try_for_each(|opcode| writeln!(f, "no {opcode}"))?;
        self.values.iter().try_for_each(|Forbidden { opcode, facet, value }| match opcode {
            Some(opcode) => writeln!(f, "no {opcode}: {facet}={value}"),
            None => writeln!(f, "no {facet}={value}"),
        })
    }
}

/// Returns the text after a keyword; `None` if the statement does not begin with it.
fn keyword<'a>(statement: &'a str, word: &str) -> Option<&'a str> {
    let rest = statement.strip_prefix(word)?;
    rest.starts_with(char::is_whitespace).then_some(rest.trim_start())
}

/// Splits a comma-separated list.
fn split_list(names: &str) -> impl Iterator<Item = &str> {
    names.split(',').map(str::trim)
}

/// The prefixes of the names of operand facets.
const OPERANDS: [&str; 5] = ["a.", "b.", "c.", "d.", "dest."];

/// Whether a facet belongs to an operand and is called `name`. For example, `a.index` is called `index`.
fn is_operand_facet(facet: &str, name: &str) -> bool {
    OPERANDS.iter().any(|operand| facet.strip_prefix(operand) == Some(name))
}

/// Returns the values of the facets whose names satisfy `is_wanted`, each paired with the facet's name.
fn values_of<I: Tables>(is_wanted: impl Fn(&str) -> bool) -> Vec<(&'static str, &'static str)> {
    let facets = I::facets().facets.iter().filter(|facet| is_wanted(facet.name));
    facets.flat_map(|facet| facet.values.iter().map(|value| (facet.name, *value))).collect()
}

fn find_opcode<I: Tables>(name: &str) -> Result<&'static str, (String, Option<String>)> {
    let all = || I::opcodes().iter().map(|opcode| opcode.mnemonic);
    all().find(|opcode| opcode.eq_ignore_ascii_case(name)).ok_or_else(|| {
        let help = nearest(name, all()).map(|n| format!("did you mean '{n}'?"));
        let known = without_duplicates(all().collect()).join(", ");
        (format!("no opcode is called '{name}'; the opcodes are {known}"), help)
    })
}

/// Returns the error for an unknown facet name or, with `or_opcode`, for a name that is neither a facet nor an opcode.
fn unknown_name<I: Tables>(name: &str, or_opcode: bool) -> (String, Option<String>) {
    let facets = || I::facets().facets.iter().map(|facet| facet.name);
    let opcodes = || I::opcodes().iter().map(|opcode| opcode.mnemonic).filter(|_| or_opcode);
    let help = nearest(name, opcodes().chain(facets())).map(|n| format!("did you mean '{n}'?"));
    let facets = without_duplicates(facets().collect()).join(", ");
    let message = if or_opcode {
        let opcodes = without_duplicates(opcodes().collect()).join(", ");
        format!("no opcode or facet is called '{name}'; opcodes are {opcodes}; facets are {facets}")
    } else {
        format!("no facet is called '{name}'; the facets are {facets}")
    };
    (message, help)
}

/// Removes duplicates from a list of names.
fn without_duplicates(names: Vec<&str>) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    names.into_iter().filter(|name| seen.insert(*name)).collect()
}
