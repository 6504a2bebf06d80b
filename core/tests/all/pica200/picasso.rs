//! The files made by picasso, written as assembly text with a section for each DVLE, and assembled again: descriptors, names, constants, outputs and
//! the offsets of all parts must be those of picasso.

use crate::pica200::corpus::corpus;
use lockstep_core::isa::pica200::assemble::assemble;
use lockstep_core::isa::pica200::container::{Dvle, Shbin};
use lockstep_core::isa::pica200::decode::decode;
use lockstep_core::isa::pica200::disassemble::{disassemble, disassemble_word};
use lockstep_core::isa::pica200::program::{Container, Program};
use std::fmt::Write as _;

/// The DVLE version that picasso writes (S2).
const PICASSO: u16 = 0x1002;

/// Files whose container differs, and the reason.
const EXCEPTIONS: &[(&str, &str)] = &[(
    "tic-80__main__29c9bdf7",
    "stored as a C array, with one byte after the end that pads it to whole words",
)];

/// Adds directives for the contents of a DVLE. Uniforms without a name get private names.
fn source(text: &mut String, dvle: &Dvle, unit: usize) {
    let name = |at: u32| {
        let bytes = dvle.symbols.rows[at as usize..].iter().take_while(|b| **b != 0);
        bytes.map(|b| char::from(*b)).collect::<String>()
    };
    let files = [("fvec", 0x10, 0x70), ("ivec", 0x70, 0x78), ("bool", 0x78, 0x88)];
    // The uniforms of a geometry program begin at the register that its `.gsh` directive names.
    let floats = dvle.uniforms.rows.iter().map(|r| r.first).filter(|first| (0x10..0x70).contains(first));
    let first_float = if dvle.kind == 1 { floats.min().unwrap_or(0x10) } else { 0x10 };
    match (dvle.kind, dvle.mode) {
        (0, _) => {}
        (_, 0) => writeln!(text, ".gsh point c{}", first_float - 0x10).unwrap(),
        (_, 2) => {
            writeln!(
                text,
                ".gsh fixed c{} c{} {}",
                first_float - 0x10,
                dvle.fixed_start,
                dvle.fixed_vertices
            )
            .unwrap();
        }
        (_, mode) => panic!("the corpus has no mode {mode}"),
    }
    for row in dvle.uniforms.rows.iter().filter(|r| r.first < 0x10) {
        writeln!(text, ".in {} v{}", name(row.symbol), row.first).unwrap();
    }
    for (directive, base, end) in files {
        let mut next = if directive == "fvec" { first_float } else { base };
        for row in dvle.uniforms.rows.iter().filter(|r| (base..end).contains(&r.first)) {
            if row.first > next {
                writeln!(text, ".{directive} _private_{unit}_{next}[{}]", row.first - next).unwrap();
            }
            writeln!(text, ".{directive} {}[{}]", name(row.symbol), row.last + 1 - row.first).unwrap();
            next = row.last + 1;
        }
    }
    for constant in &dvle.constants.rows {
        let words = constant.words.map(|w| format!("{w:#x}")).join(", ");
        let [x, y, z, w] = constant.words[0].to_le_bytes();
        match constant.kind {
            0 => writeln!(text, ".setb b{} {}", constant.id, constant.words[0]),
            1 => writeln!(text, ".seti i{}({x}, {y}, {z}, {w})", constant.id),
            _ => writeln!(text, ".setf c{}({words})", constant.id),
        }
        .unwrap();
    }
    // Fact S2: the numbers of output semantics.
    let semantics = [
        "position",
        "normalquat",
        "color",
        "texcoord0",
        "texcoord0w",
        "texcoord1",
        "texcoord2",
        "7",
        "view",
        "dummy",
    ];
    for output in &dvle.outputs.rows {
        let mask: String =
            "xyzw".chars().enumerate().filter(|(k, _)| output.mask >> k & 1 == 1).map(|(_, c)| c).collect();
        let semantic = semantics[usize::from(output.kind)];
        writeln!(text, ".out - {semantic} o{}.{mask}", output.register).unwrap();
    }
    writeln!(text, ".entry entry_{unit}").unwrap();
}

/// The sources of a file.
fn sources(program: &Program, shbin: &Shbin) -> String {
    let mut text = ".padding off\n".to_owned();
    for (unit, dvle) in shbin.dvles.iter().enumerate() {
        if unit > 0 {
            text.push_str(".shader\n");
        }
        source(&mut text, dvle, unit);
    }
    // Labels as the disassembler places them.
    let all = disassemble(program);
    let labels: Vec<&str> = all.lines().filter(|l| l.starts_with('L') && l.ends_with(':')).collect();
    for at in 0..=program.code.len() as u32 {
        for (unit, dvle) in shbin.dvles.iter().enumerate() {
            if dvle.end == at {
                text.push_str(".end\n");
            }
            if dvle.main == at {
                writeln!(text, ".proc entry_{unit}").unwrap();
            }
        }
        let label = format!("L{at:x}:");
        if labels.contains(&label.as_str()) {
            writeln!(text, "{label}").unwrap();
        }
        // Omits descriptor numbers, because the assembler must find them.
        let line = disassemble_word(program, at);
        writeln!(text, "{}", line.split(" @").next().unwrap()).unwrap();
    }
    text
}

#[test]
fn files_of_picasso_are_reproduced() {
    let Some(files) = corpus() else { return };
    let mut count = 0;
    for file in &files {
        let program = decode(&file.bytes).unwrap();
        let Container::Shbin(shbin) = &program.container else { panic!("{}", file.name) };
        if shbin.dvles.iter().any(|dvle| dvle.version != PICASSO) {
            continue;
        }
        let text = sources(&program, shbin);
        let back = assemble(&text).unwrap_or_else(|e| panic!("{}: {e:#?}\n{text}", file.name));
        let differ = |a: &[_], b: &[_]| a.iter().zip(b).position(|(a, b)| a != b);
        assert_eq!(differ(&back.code, &program.code), None, "{}\n{text}", file.name);
        assert_eq!(back.code.len(), program.code.len());
        let excepted = EXCEPTIONS.iter().any(|(name, _)| *name == file.name);
        assert_eq!(back.container == program.container, !excepted, "{}\n{text}", file.name);
        assert_eq!(back.descriptors.len(), program.descriptors.len(), "{}", file.name);
        count += 1;
    }
    eprintln!("{count} files");
    // The corpus has 92 files. Nine have another version: those made by nihstro and by aemstro, which write the same one (S2).
    assert_eq!(count, COUNTED);
}

/// The number of files all of whose DVLEs have picasso's version, counted by a script over the offsets of S2.
const COUNTED: usize = 83;
