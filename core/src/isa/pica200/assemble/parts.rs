//! Directives that specify a container part by part, for text that must assemble to the exact bytes. [`super::super::disassemble`] lists them.

use super::super::container::{Constant, Dvle, Gap, Label, Output, Shbin, Symbol, Table, tables};
use super::super::program::{Descriptor, DescriptorRow, Raw};
use super::super::word::{ConstantKind, DvleKind};
use super::line::{Line, Read};
use super::operands::{File, register};
use super::source::semantic_number;
use crate::binary::exact;
use crate::isa::Stage;
use crate::text::Token;

const WORD: u64 = u32::MAX as u64;
const HALF: u64 = u16::MAX as u64;
const BYTE: u64 = u8::MAX as u64;

/// The container specified in the text.
pub(super) enum ContainerForm {
    /// No container is specified: the linker lays one out as picasso does.
    Auto,
    /// The project's raw form (see [`Raw`]), from `.raw`.
    Raw(Raw),
    /// An SHBIN file, from `.dvlb`.
    Shbin(Box<Shbin>),
}

/// The part that `.bytes` and `.names` append to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BytesDestination {
    None,
    Gap,
    Symbols,
}

/// The directive that begins the raw form.
pub(super) const RAW: &str = "raw";
/// The directive that begins an SHBIN file.
pub(super) const DVLB: &str = "dvlb";

/// Directives for a container.
pub(super) const DIRECTIVES: [&str; 15] = [
    RAW,
    DVLB,
    "dvle",
    tables::CONSTANTS,
    "constant",
    tables::LABELS,
    "label",
    tables::OUTPUTS,
    "output",
    tables::UNIFORMS,
    "uniform",
    tables::SYMBOLS,
    "names",
    "gap",
    "bytes",
];

/// Reads `.opdesc`.
pub(super) fn descriptor(line: &mut Line<'_, '_>) -> Read<DescriptorRow> {
    let mask = line.mask_word()?;
    let mut source = || {
        line.expect(',')?;
        line.select_word()
    };
    let [(negate1, select1), (negate2, select2), (negate3, select3)] = [source()?, source()?, source()?];
    let mut row = DescriptorRow {
        descriptor: Descriptor { mask, negate1, select1, negate2, select2, negate3, select3, flag: 0 },
        second: 0,
    };
    while line.take_punct(',') {
        if line.word("flag") {
            row.descriptor.flag = 1;
        } else if line.word("second") {
            line.expect('=')?;
            row.second = exact::<u32, _>(line.number("the second word", WORD)?);
        } else {
            return Err(line.expected("flag or second=…"));
        }
    }
    line.expect_end()?;
    Ok(row)
}

/// Reads `.raw stage, outputs=…, entry=…`.
pub(super) fn raw(line: &mut Line<'_, '_>) -> Read<Raw> {
    let stage = match DvleKind::ALL.into_iter().find(|kind| line.word(kind.name())) {
        Some(DvleKind::Vertex) => Stage::Vertex,
        Some(DvleKind::Geometry) => Stage::Geometry,
        None => return Err(line.expected("vertex or geometry")),
    };
    line.take_punct(',');
    let [outputs, entry] = line.fields([(tables::OUTPUTS, HALF, Some(0)), ("entry", WORD, Some(0))])?;
    line.expect_end()?;
    Ok(Raw { stage, output_mask: exact(outputs), start: exact(entry) })
}

/// Reads `.dvlb`.
pub(super) fn shbin(line: &mut Line<'_, '_>) -> Read<Shbin> {
    let [version, code, descriptors, filenames] = line.fields([
        ("version", WORD, None),
        (tables::CODE, WORD, None),
        (tables::DESCRIPTORS, WORD, None),
        ("filenames", WORD, None),
    ])?;
    line.expect_end()?;
    let [version, code, descriptors, filenames] =
        [version, code, descriptors, filenames].map(exact::<u32, _>);
    Ok(Shbin { version, code, descriptors, filenames, ..Shbin::default() })
}

/// Reads one of [`DIRECTIVES`] other than [`RAW`] and [`DVLB`]. These directives come after `.dvlb`.
pub(super) fn container_directive<'t>(
    line: &mut Line<'t, '_>,
    directive: Token<'t>,
    shbin: &mut Shbin,
    destination: &mut BytesDestination,
) -> Read<()> {
    match directive.text {
        "dvle" => {
            *destination = BytesDestination::None;
            shbin.dvles.push(dvle(line)?);
            return line.expect_end();
        }
        "gap" => {
            let [at] = line.fields([("at", WORD, None)])?;
            shbin.gaps.push(Gap { offset: exact(at), bytes: Vec::new() });
            *destination = BytesDestination::Gap;
            return line.expect_end();
        }
        "bytes" if *destination == BytesDestination::Gap => {
            if let Some(gap) = shbin.gaps.last_mut() {
                return bytes(line, &mut gap.bytes);
            }
        }
        _ => {}
    }
    let Some(dvle) = shbin.dvles.last_mut() else {
        return Err(line.error(directive.span, "a .dvle must come before its tables"));
    };
    match directive.text {
        tables::CONSTANTS => at(line, &mut dvle.constants)?,
        tables::LABELS => at(line, &mut dvle.labels)?,
        tables::OUTPUTS => at(line, &mut dvle.outputs)?,
        tables::UNIFORMS => at(line, &mut dvle.uniforms)?,
        tables::SYMBOLS => {
            at(line, &mut dvle.symbols)?;
            *destination = BytesDestination::Symbols;
        }
        "constant" => dvle.constants.rows.push(constant(line)?),
        "label" => dvle.labels.rows.push(label(line)?),
        "output" => dvle.outputs.rows.push(output(line)?),
        "uniform" => {
            let [symbol, first, last] =
                line.fields([("symbol", WORD, None), ("first", HALF, None), ("last", HALF, None)])?;
            let row = Symbol { symbol: exact(symbol), first: exact(first), last: exact(last) };
            dvle.uniforms.rows.push(row);
        }
        "names" if *destination == BytesDestination::Symbols => {
            while let Some(name) = line.identifier().filter(|name| name.text.is_ascii()) {
                dvle.symbols.rows.extend(name.text.bytes());
                dvle.symbols.rows.push(0);
                if !line.take_punct(',') {
                    break;
                }
            }
        }
        "bytes" if *destination == BytesDestination::Symbols => return bytes(line, &mut dvle.symbols.rows),
        "names" => return Err(line.error(directive.span, ".names must come after .symbols")),
        _ => return Err(line.error(directive.span, ".bytes must come after .gap or .symbols")),
    }
    line.expect_end()
}

/// Reads `at=…`, the offset of a table.
fn at<T>(line: &mut Line<'_, '_>, table: &mut Table<T>) -> Read<()> {
    let [at] = line.fields([("at", WORD, None)])?;
    table.offset = exact::<u32, _>(at);
    Ok(())
}

fn dvle(line: &mut Line<'_, '_>) -> Read<Dvle> {
    let [at, version, kind, flags, main, end, inputs, outputs, mode, start, full, vertices] =
        line.fields([
            ("at", WORD, None),
            ("version", HALF, None),
            ("type", BYTE, None),
            ("flags", BYTE, Some(0)),
            ("main", WORD, None),
            ("end", WORD, None),
            ("inputs", HALF, None),
            (tables::OUTPUTS, HALF, None),
            ("mode", BYTE, Some(0)),
            ("fixed_start", BYTE, Some(0)),
            ("variable_vertices", BYTE, Some(0)),
            ("fixed_vertices", BYTE, Some(0)),
        ])?;
    Ok(Dvle {
        offset: exact(at),
        version: exact(version),
        kind: exact(kind),
        flags: exact(flags),
        main: exact(main),
        end: exact(end),
        input_mask: exact(inputs),
        output_mask: exact(outputs),
        mode: exact(mode),
        fixed_start: exact(start),
        variable_vertices: exact(full),
        fixed_vertices: exact(vertices),
        ..Dvle::default()
    })
}

/// Reads `.constant c95 = 0, 1.5, -1, 0x7f8000`, `.constant i0 = 1, 2, 3, 4`, `.constant b3 = 1`, or the raw words of any other constant as
/// `.constant type=7, id=1, word0=1, word1=2, word2=3, word3=4`.
fn constant(line: &mut Line<'_, '_>) -> Read<Constant> {
    let named = line.peek().and_then(|t| register(t.text));
    if let Some((file @ (File::Float | File::Int | File::Bool), number)) = named {
        let span = line.next_span();
        let Ok(id) = u16::try_from(number) else {
            return Err(line.error(span, "a uniform's number has at most 16 bits"));
        };
        line.skip();
        line.expect('=')?;
        let mut words = [0; 4];
        if file == File::Bool {
            words[0] = exact::<u32, _>(line.number("0 or 1", 1)?);
            return Ok(Constant { kind: ConstantKind::Boolean as u16, id, words });
        }
        for (k, word) in words.iter_mut().enumerate() {
            if k > 0 {
                line.expect(',')?;
            }
            *word = if file == File::Int { u32::from(line.byte()?) } else { line.float()? };
        }
        return Ok(if file == File::Int {
            Constant {
                kind: ConstantKind::Integer as u16,
                id,
                words: [u32::from_le_bytes(words.map(exact::<u8, _>)), 0, 0, 0],
            }
        } else {
            Constant { kind: ConstantKind::Float as u16, id, words }
        });
    }
    let [kind, id, a, b, c, d] = line.fields([
        ("type", HALF, None),
        ("id", HALF, None),
        ("word0", WORD, None),
        ("word1", WORD, None),
        ("word2", WORD, None),
        ("word3", WORD, None),
    ])?;
    Ok(Constant { kind: exact(kind), id: exact(id), words: [a, b, c, d].map(exact::<u32, _>) })
}

fn label(line: &mut Line<'_, '_>) -> Read<Label> {
    let [id, word, symbol, unknown, unused] = line.fields([
        ("id", BYTE, None),
        ("word", WORD, None),
        ("symbol", WORD, None),
        ("unknown", WORD, Some(0)),
        ("unused", 0xff_ffff, Some(0)),
    ])?;
    let [a, b, c, _] = exact::<u32, _>(unused).to_le_bytes();
    let (word, symbol, unknown) = (exact::<u32, _>(word), exact::<u32, _>(symbol), exact::<u32, _>(unknown));
    Ok(Label { id: exact(id), unused: [a, b, c], word, unknown, symbol })
}

/// Reads `.output position = o0.xyz`, or `.output type=7, register=20, mask=0x1f, unused=0`.
fn output(line: &mut Line<'_, '_>) -> Read<Output> {
    let semantic = line.peek().and_then(|t| semantic_number(t.text));
    if let Some(kind) = semantic {
        line.skip();
        line.expect('=')?;
        let span = line.next_span();
        let Some((File::Output, number)) = line.identifier().and_then(|t| register(t.text)) else {
            return Err(line.error(span, "expected an output register"));
        };
        let Ok(register) = u16::try_from(number) else {
            return Err(line.error(span, "an output's number has at most 16 bits"));
        };
        let mask = super::super::program::reverse(line.mask()?);
        return Ok(Output { kind, register, mask, unused: [0; 3] });
    }
    let [kind, register, mask, unused] = line.fields([
        ("type", HALF, None),
        ("register", HALF, None),
        ("mask", BYTE, None),
        ("unused", 0xff_ffff, Some(0)),
    ])?;
    let [a, b, c, _] = exact::<u32, _>(unused).to_le_bytes();
    Ok(Output { kind: exact(kind), register: exact(register), mask: exact(mask), unused: [a, b, c] })
}

/// Reads bytes of two hexadecimal digits each.
fn bytes(line: &mut Line<'_, '_>, to: &mut Vec<u8>) -> Read<()> {
    while let Some(token) = line.peek() {
        match u8::from_str_radix(token.text, 16) {
            Ok(byte) if token.text.len() == 2 && token.text.bytes().all(|b| b.is_ascii_hexdigit()) => {
                to.push(byte);
            }
            _ => return Err(line.expected("bytes of two hexadecimal digits")),
        }
        line.skip();
    }
    Ok(())
}
