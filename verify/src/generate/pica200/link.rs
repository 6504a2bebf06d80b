//! Linking: assigns addresses to procedures and numbers to descriptors, and sometimes adds a container file.

use super::body::{Body, Part, Word};
use crate::generate::Entropy;
use crate::generate::value::{Extremes, vector};
use lockstep_core::isa::Stage;
use lockstep_core::isa::pica200::container::{
    Constant, DVLP_HEADER_SIZE, Dvle, Gap, Label, Output, Shbin, Symbol, Table,
};
use lockstep_core::isa::pica200::number::to_f24;
use lockstep_core::isa::pica200::opcode::Opcode;
use lockstep_core::isa::pica200::program::{Container, DescriptorRow, Instruction, Program, Raw};
use lockstep_core::isa::pica200::word::fields;
use lockstep_core::isa::pica200::{decode, encode};

/// The position of a body's main program in the code.
#[derive(Clone, Copy, Debug)]
struct CodeRange {
    start: u32,
    end: u32,
}

/// The linked code of several bodies. They share the descriptor table of the last body.
struct Linked {
    code: Vec<Instruction>,
    descriptors: Vec<DescriptorRow>,
    places: Vec<CodeRange>,
}

/// Returns the output registers as a mask; bit n is set if output n is on.
fn output_mask(body: &Body) -> u16 {
    body.outputs.iter().fold(0, |mask, output| mask | 1 << output.number)
}

fn link(bodies: &[Body], procedures_first: bool) -> Linked {
    let table = bodies.last().map_or(&[][..], |body| &body.descriptors[..]);
    // Descriptors used by `mad` come first.
    let mut order: Vec<usize> = (0..table.len()).collect();
    order.sort_by_key(|n| !table[*n].1);
    let mut numbers = vec![0u32; table.len()];
    for (new, old) in order.iter().enumerate() {
        numbers[*old] = new as u32;
    }
    let descriptors = order.iter().map(|n| DescriptorRow { descriptor: table[*n].0, second: 0 }).collect();
    let mut linked = Linked { code: Vec::new(), descriptors, places: Vec::new() };
    for body in bodies {
        let mut places = vec![0u32; body.parts.len()];
        let mut at = linked.code.len() as u32;
        let count = body.parts.len();
        let sequence: Vec<usize> =
            if procedures_first { (1..count).chain([0]).collect() } else { (0..count).collect() };
        for n in &sequence {
            places[*n] = at;
            // The main program is followed by an `end` word.
            at += body.parts[*n].words.len() as u32 + u32::from(*n == 0);
        }
        for n in sequence {
            let end = || Instruction::from_word(Opcode::End.row().number << 26);
            linked.code.extend(
                body.parts[n]
                    .words
                    .iter()
                    .map(|word| link_word(word, places[n], &places, &body.parts, &numbers)),
            );
            linked.code.extend((n == 0).then(end));
        }
        // The validator may treat the code after a procedure as reachable. An `end` keeps that code from reaching the next program.
        if count > 1 && bodies.len() > 1 {
            linked.code.push(Instruction::from_word(Opcode::End.row().number << 26));
        }
        let start = places[0];
        linked.places.push(CodeRange { start, end: start + body.parts[0].words.len() as u32 });
    }
    linked
}

/// Returns a word with its target and descriptor filled in.
fn link_word(word: &Word, base: u32, places: &[u32], parts: &[Part], numbers: &[u32]) -> Instruction {
    match word {
        Word::Plain(i) => *i,
        Word::Described(i, place) => i.with_field(fields::DESC, numbers[usize::from(*place)]),
        Word::Flow(i) => i.with_field(fields::DST, i.field(fields::DST) + base),
        Word::Call(i, n) => {
            i.with_field(fields::DST, places[*n]).with_field(fields::NUM, parts[*n].words.len() as u32)
        }
    }
}

/// Returns a program without a container, made from one body.
pub(super) fn raw(body: &Body, procedures_first: bool) -> Program {
    let Linked { code, descriptors, places } = link(std::slice::from_ref(body), procedures_first);
    let start = places.first().map_or(0, |place| place.start);
    let raw = Raw { stage: body.stage, output_mask: output_mask(body), start };
    Program { container: Container::Raw(raw), code, descriptors }
}

/// Returns a SHBIN file with an entry for each body, and sometimes one more entry with other constants.
pub(super) fn shbin(e: &mut Entropy<'_>, bodies: &[Body], procedures_first: bool) -> Program {
    let Linked { code, mut descriptors, places } = link(bodies, procedures_first);
    // Two assemblers, aemstro and picasso, differ in the descriptors' second words and in the version.
    let aemstro = e.chance(20);
    if aemstro {
        for row in &mut descriptors {
            row.second = 0xf;
        }
    }
    let mut dvles: Vec<Dvle> = Vec::new();
    for (body, place) in bodies.iter().zip(&places) {
        dvles.push(dvle(e, body, *place, aemstro));
    }
    if e.chance(30)
        && let (Some(body), Some(place)) = (bodies.first(), places.first())
    {
        dvles.push(dvle(e, body, *place, aemstro));
    }
    let start = 8 + 4 * dvles.len() as u32;
    let reserved = if e.chance(70) { 0x28 - DVLP_HEADER_SIZE } else { 0 };
    let code_at = DVLP_HEADER_SIZE + reserved;
    let descriptors_at = code_at + 4 * code.len() as u32;
    let names_at = descriptors_at + 8 * descriptors.len() as u32;
    let mut at = start + names_at;
    for dvle in &mut dvles {
        dvle.offset = at;
        // Tables consist of whole words, except the symbols, which come last.
        at += dvle.symbols.offset + dvle.symbols.rows.len() as u32;
        at = at.next_multiple_of(4);
    }
    let shbin = Shbin {
        version: 0,
        code: code_at,
        descriptors: descriptors_at,
        filenames: names_at,
        dvles,
        gaps: Vec::<Gap>::new(),
    };
    let program = Program { container: Container::Shbin(shbin), code, descriptors };
    // Gaps between the parts are zero; decoding the encoded file fills them in.
    decode::decode(&encode::encode(&program)).unwrap_or(program)
}

/// A table of zero-terminated names.
struct Names(Vec<u8>);

impl Names {
    fn add(&mut self, name: &str) -> u32 {
        let at = self.0.len() as u32;
        self.0.extend(name.bytes().chain([0]));
        at
    }
}

fn dvle(e: &mut Entropy<'_>, body: &Body, place: CodeRange, aemstro: bool) -> Dvle {
    let mut names = Names(Vec::new());
    let geometry = body.stage == Stage::Geometry;
    let inputs = body.inputs.iter().map(|n| Symbol {
        symbol: names.add(&format!("input{n}")),
        first: u16::from(*n),
        last: u16::from(*n),
    });
    let mut uniforms: Vec<Symbol> = inputs.collect();
    uniforms.extend(body.uniforms.first().map(|n| Symbol {
        symbol: names.add("values"),
        first: 0x10 + u16::from(*n),
        last: 0x10 + u16::from(*n),
    }));
    uniforms.push(Symbol { symbol: names.add("passes"), first: 0x70, last: 0x70 });
    uniforms.push(Symbol { symbol: names.add("taken"), first: 0x78, last: 0x78 });
    let main = Label { id: 0, unused: [0; 3], word: place.start, unknown: 0, symbol: names.add("main") };
    // Each output has a meaning for the hardware. The meaning "dummy" may occur any number of times.
    let outputs = body.outputs.iter().enumerate().map(|(n, output)| Output {
        kind: if n == 0 { 0 } else { 9 },
        register: u16::from(output.number),
        mask: 0xf,
        unused: [0; 3],
    });
    let outputs: Vec<Output> = outputs.collect();
    let constants = constants(e, body);
    let mut next = 0x40u32;
    let mut table = |size: usize| {
        let at = next;
        next += size as u32;
        at
    };
    Dvle {
        offset: 0,
        version: if aemstro { 0 } else { 0x1002 },
        kind: u8::from(geometry),
        flags: u8::from(e.chance(20)),
        main: place.start,
        end: place.end,
        input_mask: body.inputs.iter().fold(0, |mask, n| mask | 1 << n),
        output_mask: output_mask(body),
        mode: if geometry { e.below(3) as u8 } else { 0 },
        fixed_start: 0,
        variable_vertices: 0,
        fixed_vertices: 0,
        constants: Table { offset: table(constants.len() * 0x14), rows: constants },
        labels: Table { offset: table(0x10), rows: vec![main] },
        outputs: Table { offset: table(outputs.len() * 8), rows: outputs },
        uniforms: Table { offset: table(uniforms.len() * 8), rows: uniforms },
        symbols: Table { offset: table(names.0.len()), rows: names.0 },
    }
}

/// Returns some constants of each kind, including constants that the program is likely to read.
fn constants(e: &mut Entropy<'_>, body: &Body) -> Vec<Constant> {
    let mut all = Vec::new();
    for id in body.uniforms.iter().filter(|_| e.chance(50)).collect::<Vec<_>>() {
        let words = vector(e, Extremes::None).map(to_f24);
        all.push(Constant { kind: 2, id: u16::from(*id), words });
    }
    for id in 0..4u16 {
        if e.chance(30) {
            let [x, y, z] = [e.below(4), e.below(8), e.below(4)].map(|v| v as u8);
            all.push(Constant { kind: 1, id, words: [u32::from_le_bytes([x, y, z, 0]), 0, 0, 0] });
        }
        if e.chance(20) {
            all.push(Constant { kind: 0, id, words: [e.below(2) as u32, 0, 0, 0] });
        }
    }
    all
}
