//! The real programs: bytes and text give them back.

use super::random::corpus;
use lockstep_core::isa::utgard_gp::assemble::assemble;
use lockstep_core::isa::utgard_gp::decode::decode;
use lockstep_core::isa::utgard_gp::disassemble::{disassemble, disassemble_fields};
use lockstep_core::isa::utgard_gp::encode::encode;
use lockstep_core::isa::utgard_gp::interface::{Run, entries};

#[test]
fn real_programs_survive_bytes_and_both_forms_of_text() {
    let Some(files) = corpus("meta") else { return };
    let mut words = 0;
    for (name, bytes, _) in &files {
        let program = decode(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(&encode(&program), bytes, "{name}");
        assert!(program.tail.is_empty() && program.facts.is_empty(), "{name}");
        for text in [disassemble(&program), disassemble_fields(&program)] {
            let again = assemble(&text).unwrap_or_else(|e| panic!("{name}: {e:?}\n{text}"));
            assert_eq!(again, program, "{name}\n{text}");
        }
        words += program.words.len();
    }
    eprintln!("{} files, {words} words", files.len());
    assert!(words > 2000);
}

/// What the compiler told the driver: the index of the last word that reads an attribute, the position.
#[test]
fn the_scanned_facts_are_those_of_the_compiler() {
    let Some(files) = corpus("meta") else { return };
    let (mut compared, mut full) = (0, 0);
    for (name, bytes, meta) in &files {
        let program = decode(bytes).unwrap();
        let number = |key: &str| -> Option<i64> {
            let line = meta.lines().find(|l| l.split_whitespace().next() == Some(key))?;
            line.split_whitespace().nth(1)?.parse().ok()
        };
        let run = Run::of(&program);
        let prefetch = number("prefetch").unwrap();
        assert_eq!(run.prefetch.map_or(0, i64::from), prefetch, "{name}");
        if let Some(size) = number("shader_size") {
            assert_eq!(i64::from(run.count) * 16, size, "{name}");
        }
        let entry = &entries(&program)[0];
        if let Some(uniforms) = number("uniform_size") {
            // The program's own, the viewport's scale and offset, and literals four a slot.
            let all = uniforms / 16 + 2 + (number("constant_size").unwrap() + 15) / 16;
            let reached = i64::from(entry.interface.constants);
            assert!(reached <= all, "{name}: {reached} of {all}");
            full += usize::from(reached == all);
        }
        compared += 1;
    }
    assert_eq!(compared, files.len());
    eprintln!("{full} of {compared} programs read their last slot");
}
