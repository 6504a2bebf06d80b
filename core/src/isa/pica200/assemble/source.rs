//! One source: its names, constants, outputs and entry. Each source becomes a DVLE, unless it has `.nodvle` (S5).

use super::super::container::{Constant, Dvle, Output, Symbol};
use super::super::names::SEMANTICS;
use super::super::word::{ConstantKind, DvleKind, GeometryMode};
use super::line::{Line, Read, quote};
use super::operands::{Alias, Aliases, File, register};
use super::{OFF, ON};
use crate::binary::exact;
use crate::text::{Kind, Span, Token, nearest};
use std::collections::HashMap;

/// The next free registers for uniforms, which are allocated upwards. Constants are allocated downwards from the top, separately for each source.
#[derive(Clone, Debug)]
pub(super) struct UniformAllocator {
    next: [u16; 3],
}

/// Returns the index of a register file in a [`UniformAllocator`].
fn slot(file: File) -> usize {
    match file {
        File::Float => 0,
        File::Int => 1,
        _ => 2,
    }
}

/// Returns the number of registers in a file of uniforms. There are four integer uniforms, although instructions have bits for more.
fn size(file: File) -> u16 {
    match file {
        File::Float => 96,
        File::Int => 4,
        _ => 16,
    }
}

impl UniformAllocator {
    pub(super) fn new(first_float: u16) -> UniformAllocator {
        UniformAllocator { next: [first_float, 0, 0] }
    }
}

/// A uniform that several sources can name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared {
    file: File,
    number: u16,
    count: u16,
}

/// The uniforms shared by all sources of a file except geometry programs with a mode.
pub(super) type SharedTable<'t> = HashMap<&'t str, Shared>;

/// A source: the part of a file that becomes one DVLE, unless `no_dvle` is set.
#[derive(Debug)]
pub(super) struct Unit<'t> {
    pub(super) span: Span,
    pub(super) aliases: Aliases<'t>,
    pub(super) labels: HashMap<&'t str, u32>,
    /// Name of the entry's procedure, from `.entry`.
    pub(super) entry: Option<Token<'t>>,
    pub(super) no_dvle: bool,
    /// The DVLE under construction.
    pub(super) dvle: Dvle,
    /// The separate uniforms of a geometry program that has a mode.
    own: Option<UniformAllocator>,
    /// The lowest register used by constants in each register file.
    constants: [u16; 3],
    /// For each output register, the mask of its components that have a semantic.
    components_with_semantic: [u8; 16],
    /// The open array of constants: its name, size and values.
    array: Option<Array<'t>>,
}

#[derive(Debug)]
struct Array<'t> {
    name: Token<'t>,
    size: Option<usize>,
    values: Vec<[u32; 4]>,
}

impl<'t> Unit<'t> {
    pub(super) fn new(span: Span) -> Unit<'t> {
        Unit {
            span,
            aliases: Aliases::new(),
            labels: HashMap::new(),
            entry: None,
            no_dvle: false,
            // The version that picasso writes (S5).
            dvle: Dvle { version: 0x1002, ..Dvle::default() },
            own: None,
            constants: [96, 4, 16],
            components_with_semantic: [0; 16],
            array: None,
        }
    }

    pub(super) fn in_array(&self) -> bool {
        self.array.is_some()
    }

    /// Defines a name.
    fn define(&mut self, line: &mut Line<'t, '_>, name: Token<'t>, alias: Alias) -> Read<()> {
        if register(name.text).is_some() {
            return Err(line
                .error(name.span, format!("{} cannot be a new name: it is a register", quote(Some(&name)))));
        }
        if self.aliases.insert(name.text, alias).is_some() {
            return Err(line.error(name.span, format!("the name {} is already in use", quote(Some(&name)))));
        }
        Ok(())
    }

    fn symbol(&mut self, name: &str, first: u16, last: u16) {
        let symbol = exact::<u32, _>(self.dvle.symbols.rows.len());
        self.dvle.uniforms.rows.push(Symbol { symbol, first, last });
        self.dvle.symbols.rows.extend(name.bytes());
        self.dvle.symbols.rows.push(0);
    }

    /// Parses `.alias name register`.
    pub(super) fn alias(&mut self, line: &mut Line<'t, '_>) -> Read<()> {
        let name = line.name("a name")?;
        line.take_punct(',');
        let to = line.operand(&self.aliases)?;
        if to.idx != 0 || to.holes {
            return Err(line.error(to.span, "an alias cannot have an index or leave components out"));
        }
        line.expect_end()?;
        let alias = Alias { file: to.file, number: to.number, select: to.select, negate: to.negate };
        self.define(line, name, alias)
    }

    /// Parses `.fvec name, array[4], other[2*3]`, and likewise `.ivec` and `.bool`.
    pub(super) fn uniforms(
        &mut self,
        line: &mut Line<'t, '_>,
        file: File,
        pool: &mut UniformAllocator,
        shared: &mut SharedTable<'t>,
    ) -> Read<()> {
        loop {
            let name = line.name("a name")?;
            let mut count = 1;
            if line.take_punct('[') {
                count = exact::<u16, _>(line.product("a number of registers", u64::from(size(file)))?);
                line.expect(']')?;
            }
            if count == 0 {
                return Err(line.error(name.span, "an array has at least one register"));
            }
            let known = shared.get(name.text).filter(|_| self.own.is_none()).copied();
            let number = match known {
                Some(known) if known.file == file && known.count == count => known.number,
                Some(_) => {
                    let message =
                        format!("{} was declared before with another kind or size", quote(Some(&name)));
                    return Err(line.error(name.span, message));
                }
                None => {
                    let pool = self.own.as_mut().unwrap_or(pool);
                    let next = &mut pool.next[slot(file)];
                    let number = *next;
                    if number + count > self.constants[slot(file)] {
                        return Err(line.error(name.span, "no uniform is left"));
                    }
                    *next += count;
                    if self.own.is_none() {
                        shared.insert(name.text, Shared { file, number, count });
                    }
                    number
                }
            };
            self.define(line, name, Alias::register(file, number))?;
            // Names that begin with _ are private (S5).
            if !name.text.starts_with('_') {
                let base = match file {
                    File::Float => 0x10,
                    File::Int => 0x70,
                    _ => 0x78,
                };
                self.symbol(name.text, base + number, base + number + count - 1);
            }
            if !line.take_punct(',') {
                return line.expect_end();
            }
        }
    }

    /// Allocates registers for constants in a register file, from the top.
    fn allocate_constants(
        &mut self,
        line: &mut Line<'t, '_>,
        name: Token<'t>,
        file: File,
        count: usize,
        pool: &UniformAllocator,
    ) -> Read<u16> {
        let taken = self.own.as_ref().unwrap_or(pool).next[slot(file)];
        let end = self.constants[slot(file)];
        match u16::try_from(count)
            .ok()
            .and_then(|count| end.checked_sub(count))
            .filter(|first| *first >= taken)
        {
            Some(first) => {
                self.constants[slot(file)] = first;
                Ok(first)
            }
            None => Err(line.error(name.span, "no uniform is left for the constant")),
        }
    }

    fn constant(&mut self, file: File, number: u16, words: [u32; 4]) {
        let kind = match file {
            File::Bool => ConstantKind::Boolean,
            File::Int => ConstantKind::Integer,
            _ => ConstantKind::Float,
        };
        self.dvle.constants.rows.push(Constant { kind: kind as u16, id: number, words });
    }

    /// Parses `.constf name(x, y, z, w)`, and likewise `.consti`.
    pub(super) fn named_constant(
        &mut self,
        line: &mut Line<'t, '_>,
        file: File,
        pool: &UniformAllocator,
    ) -> Read<()> {
        let name = line.name("a name")?;
        let words = line.vector(file)?;
        line.expect_end()?;
        let number = self.allocate_constants(line, name, file, 1, pool)?;
        self.define(line, name, Alias::register(file, number))?;
        self.constant(file, number, words);
        Ok(())
    }

    /// Parses `.constfa name[2]` or `.constfa name[]`, which opens an array, or `.constfa (x, y, z, w)`, which appends a constant to the open array.
    pub(super) fn constant_array(&mut self, line: &mut Line<'t, '_>) -> Read<()> {
        if let Some(mut array) = self.array.take() {
            let span = line.next_span();
            let read = line.vector(File::Float);
            let full = array.size.is_some_and(|size| array.values.len() >= size);
            let pushed = read.map(|words| array.values.push(words));
            self.array = Some(array);
            pushed?;
            line.expect_end()?;
            return if full {
                Err(line.error(span, "the array already has all its elements"))
            } else {
                Ok(())
            };
        }
        let name = line.name("a name")?;
        line.expect('[')?;
        let size =
            if line.is_punct(']') { None } else { Some(exact::<usize, _>(line.number("a size", 96)?)) };
        line.expect(']')?;
        self.array = Some(Array { name, size, values: Vec::new() });
        line.expect_end()
    }

    /// Parses the `.end` of an array of constants.
    pub(super) fn end_array(&mut self, line: &mut Line<'t, '_>, pool: &UniformAllocator) -> Read<()> {
        let Some(array) = self.array.take() else { return Ok(()) };
        line.expect_end()?;
        // Missing elements are zero (S5).
        let count = array.size.unwrap_or(array.values.len());
        if count == 0 {
            return Err(line.error(array.name.span, "an array has at least one element"));
        }
        let first = self.allocate_constants(line, array.name, File::Float, count, pool)?;
        self.define(line, array.name, Alias::register(File::Float, first))?;
        let values = array.values.into_iter().chain(std::iter::repeat([0; 4])).take(count);
        for (k, words) in values.enumerate() {
            self.constant(File::Float, first + exact::<u16, _>(k), words);
        }
        Ok(())
    }

    /// Parses `.setf register(x, y, z, w)`, and likewise `.seti`.
    pub(super) fn set(&mut self, line: &mut Line<'t, '_>, file: File) -> Read<()> {
        let expected = if file == File::Float { "a float uniform" } else { "an integer uniform" };
        let number = line.plain_register(&self.aliases, file, expected)?;
        let words = line.vector(file)?;
        line.expect_end()?;
        self.constant(file, number, words);
        Ok(())
    }

    /// Parses `.setb register value`.
    pub(super) fn set_bool(&mut self, line: &mut Line<'t, '_>) -> Read<()> {
        let number = line.plain_register(&self.aliases, File::Bool, "a Boolean uniform")?;
        line.take_punct(',');
        let value = if line.word("true") || line.word(ON) {
            1
        } else if line.word("false") || line.word(OFF) {
            0
        } else {
            exact::<u32, _>(line.number("true or false", 1)?)
        };
        line.expect_end()?;
        self.constant(File::Bool, number, [value, 0, 0, 0]);
        Ok(())
    }

    /// Parses `.in name` or `.in name v3`.
    pub(super) fn input(&mut self, line: &mut Line<'t, '_>) -> Read<()> {
        let name = line.name("a name")?;
        line.take_punct(',');
        let number = if line.is_done() {
            match (0..16).find(|n| self.dvle.input_mask >> n & 1 == 0) {
                Some(number) => number,
                None => return Err(line.error(name.span, "no input register is left")),
            }
        } else {
            line.plain_register(&self.aliases, File::Input, "an input, v0 to v15")?
        };
        line.expect_end()?;
        self.define(line, name, Alias::register(File::Input, number))?;
        self.dvle.input_mask |= 1 << number;
        self.symbol(name.text, number, number);
        Ok(())
    }

    /// Parses `.out name semantic`, `.out name semantic.xy`, `.out name semantic o3.xy` or `.out o3 semantic`. `-` as the name means no name.
    pub(super) fn output(&mut self, line: &mut Line<'t, '_>) -> Read<()> {
        let span = line.next_span();
        let name = if line.take_punct('-') { None } else { Some(line.name("a name or '-'")?) };
        // In `.out o0 position`, a register takes the place of the name.
        let (name, own) = match name.and_then(|name| Some((name, register(name.text)?))) {
            Some((_, (File::Output, number))) if number < 16 => (None, Some(exact::<u16, _>(number))),
            _ => (name, None),
        };
        line.take_punct(',');
        let semantic = line.name("the semantic of the output")?;
        let Some(kind) = semantic_number(semantic.text) else {
            let message = format!("there is no output semantic {}", quote(Some(&semantic)));
            let names = SEMANTICS.iter().map(|(name, _)| *name);
            return Err(match nearest(semantic.text, names.clone()) {
                Some(near) => line.error_help(semantic.span, message, format!("did you mean '{near}'?")),
                None => {
                    let all = names.collect::<Vec<_>>().join(", ");
                    line.error_help(semantic.span, message, format!("the semantics are {all}"))
                }
            });
        };
        let mut mask = line.mask()?;
        line.take_punct(',');
        let number = if let Some(number) = own {
            number
        } else if line.is_done() {
            match (0..16u16).find(|n| self.dvle.output_mask >> n & 1 == 0) {
                Some(number) => number,
                None => return Err(line.error(span, "no output register is left")),
            }
        } else {
            let to = line.operand(&self.aliases)?;
            if to.file != File::Output || to.idx != 0 || to.negate {
                return Err(line.error(to.span, "expected an output, o0 to o15"));
            }
            mask &= to.mask;
            to.number
        };
        line.expect_end()?;
        let mask = super::super::program::reverse(mask);
        if self.components_with_semantic[usize::from(number)] & mask != 0 {
            return Err(line.error(span, format!("components of o{number} already have a semantic")));
        }
        self.components_with_semantic[usize::from(number)] |= mask;
        if let Some(name) = name {
            self.define(line, name, Alias::register(File::Output, number))?;
        }
        self.dvle.outputs.rows.push(Output { kind, register: number, mask, unused: [0; 3] });
        self.dvle.output_mask |= 1 << number;
        // A geometry program with a dummy output sets the flag for merged output maps (S5).
        if kind == 9 && self.own.is_some() {
            self.dvle.flags |= 1;
        }
        Ok(())
    }

    /// Parses `.gsh`, `.gsh point c10`, `.gsh variable c48 3` or `.gsh fixed c48 c4 3`.
    pub(super) fn geometry(&mut self, line: &mut Line<'t, '_>) -> Read<()> {
        let span = line.next_span();
        self.dvle.kind = DvleKind::Geometry as u8;
        let Some(name) = line.identifier() else { return line.expect_end() };
        if !self.dvle.uniforms.rows.is_empty() || !self.dvle.constants.rows.is_empty() || self.own.is_some() {
            return Err(line
                .error(span, "the mode of a geometry program must come before its uniforms and constants"));
        }
        let Some(mode) = GeometryMode::from_name(&name.text.to_ascii_lowercase()) else {
            let message = format!("there is no mode {}", quote(Some(&name)));
            let [point, variable, fixed] = GeometryMode::PRINTED;
            let help = format!("the modes are {point}, {variable} and {fixed}");
            return Err(line.error_help(name.span, message, help));
        };
        self.dvle.mode = mode as u8;
        let uniform = |line: &mut Line<'t, '_>| {
            line.take_punct(',');
            line.plain_register(&self.aliases, File::Float, "a float uniform")
        };
        let first = uniform(line)?;
        if mode == GeometryMode::Fixed {
            self.dvle.fixed_start = exact::<u8, _>(uniform(line)?);
        }
        line.take_punct(',');
        match mode {
            GeometryMode::Variable => {
                self.dvle.variable_vertices = exact::<u8, _>(line.number("a number of vertices", 255)?);
            }
            GeometryMode::Fixed => {
                self.dvle.fixed_vertices = exact::<u8, _>(line.number("a number of vertices", 255)?);
            }
            GeometryMode::Point => {}
        }
        self.own = Some(UniformAllocator::new(first));
        line.expect_end()
    }
}

/// Returns the number of an output semantic.
pub(super) fn semantic_number(name: &str) -> Option<u16> {
    SEMANTICS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, number)| *number)
}

impl Line<'_, '_> {
    /// Parses `(x, y, z, w)` as the words of a constant.
    fn vector(&mut self, file: File) -> Read<[u32; 4]> {
        self.expect('(')?;
        let mut words = [0; 4];
        for (k, word) in words.iter_mut().enumerate() {
            if k > 0 {
                self.expect(',')?;
            }
            *word = if file == File::Int { u32::from(self.byte()?) } else { self.float()? };
        }
        self.expect(')')?;
        if file == File::Int {
            return Ok([u32::from_le_bytes(words.map(exact::<u8, _>)), 0, 0, 0]);
        }
        Ok(words)
    }

    /// Whether the next token is an identifier.
    pub(super) fn is_identifier(&self) -> bool {
        self.peek().is_some_and(|t| t.kind == Kind::Identifier)
    }
}
