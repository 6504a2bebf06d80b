//! The real programs round-trip as bytes and as text.

use super::random::corpus;
use crate::material::material;
use lockstep_core::host::Environment;
use lockstep_core::isa::utgard_gp::assemble::assemble;
use lockstep_core::isa::utgard_gp::decode::decode;
use lockstep_core::isa::utgard_gp::disassemble::{disassemble, disassemble_fields};
use lockstep_core::isa::utgard_gp::encode::encode;
use lockstep_core::isa::utgard_gp::facts::{Facts, Literals};
use lockstep_core::isa::utgard_gp::interface::{EntryFacts, entries, preset};
use lockstep_core::isa::utgard_gp::program::Program;

#[test]
fn real_programs_round_trip_as_bytes_and_both_forms_of_text() {
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

/// Compares facts found by scanning the words with the values that the compiler passed to the driver: the prefetch (the last word that reads an
/// attribute), the size of the code, and an upper bound of the uniforms.
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
        let run = EntryFacts::of(&program);
        let prefetch = number("prefetch").unwrap();
        assert_eq!(run.prefetch.map_or(0, i64::from), prefetch, "{name}");
        if let Some(size) = number("shader_size") {
            assert_eq!(i64::from(run.count) * 16, size, "{name}");
        }
        let entry = &entries(&program)[0];
        if let Some(uniforms) = number("uniform_size") {
            // The program's own uniforms, the viewport's scale and offset, and literals, four per slot.
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

/// Returns the object after a key of golden data, as pairs of unquoted key and raw value, one level deep; empty if missing.
fn object(text: &str, key: &str) -> Vec<(String, String)> {
    let Some(found) = text.find(&format!("\"{key}\":{{")) else { return Vec::new() };
    let start = found + key.len() + 4;
    let mut depth = 1;
    let end = text[start..]
        .find(|c| {
            depth += i32::from(matches!(c, '{' | '[')) - i32::from(matches!(c, '}' | ']'));
            depth == 0
        })
        .unwrap();
    let mut depth = 0;
    let inside = &text[start..start + end];
    let parts = inside.split(|c| {
        depth += i32::from(matches!(c, '{' | '[')) - i32::from(matches!(c, '}' | ']'));
        c == ',' && depth == 0
    });
    let unquoted = |s: &str| s.trim_matches('"').to_owned();
    parts.filter_map(|p| p.split_once(':')).map(|(k, v)| (unquoted(k), v.to_owned())).collect()
}

/// Parses components as golden data spells them: letters, `_` for none.
fn mask(text: &str) -> u8 {
    let letters = text.trim_matches('"');
    "xyzw".chars().enumerate().fold(0, |mask, (k, c)| mask | u8::from(letters.contains(c)) << k)
}

/// Attributes, varyings and slots according to the golden data, which another program derived from the words.
#[test]
fn interfaces_equal_those_of_the_golden_data() {
    let (Some(files), Some(folder)) = (corpus("lst"), material("utgard-gp/golden")) else { return };
    let mut compared = 0;
    for (name, bytes, _) in &files {
        let program = decode(bytes).unwrap();
        let golden = folder.join(format!("{name}.runs.json"));
        let golden = std::fs::read_to_string(golden).unwrap();
        let head = golden.split("\"runs\":").next().unwrap();
        let interface = entries(&program).remove(0).interface;
        let ports = |pairs: Vec<(String, String)>| {
            let mut all: Vec<_> = pairs.iter().map(|(k, v)| (k.parse::<u16>().unwrap(), mask(v))).collect();
            all.sort_unstable();
            all
        };
        let ours =
            |ports: &[lockstep_core::isa::Port]| ports.iter().map(|p| (p.slot, p.mask)).collect::<Vec<_>>();
        // Stores from a register that was never written are listed separately.
        let mut written = ports(object(head, "written"));
        for (slot, components) in ports(object(head, "undefined")) {
            match written.iter_mut().find(|(s, _)| *s == slot) {
                Some((_, mask)) => *mask |= components,
                None => written.push((slot, components)),
            }
        }
        assert_eq!(ours(&interface.outputs), written, "{name}");
        let reads = head.find("\"reads\":").map(|at| &head[at..]).unwrap();
        assert_eq!(ours(&interface.inputs), ports(object(reads, "a")), "{name}");
        let slots = ports(object(reads, "u"));
        assert_eq!(interface.constants, slots.last().map_or(0, |(slot, _)| slot + 1), "{name}");
        compared += 1;
    }
    assert_eq!(compared, files.len());
}

/// Literals fill consecutive slots, four to a slot, x first (M, W).
#[test]
fn literals_fill_slots_in_order_and_the_last_partially() {
    for count in 0..=9u32 {
        let bits: Vec<u32> = (1..=count).map(|k| (k as f32).to_bits()).collect();
        let facts = Facts { literals: Literals { slot: 3, bits: bits.clone() }, ..Facts::default() };
        let program = Program { words: Vec::new(), tail: Vec::new(), facts };
        let mut env = Environment::default();
        preset(&program, &mut env);
        let slots = count.div_ceil(4) as usize;
        assert_eq!(env.constants.len(), if slots == 0 { 0 } else { 3 + slots }, "{count} literals");
        let held: Vec<u32> = env.constants.iter().skip(3).flatten().map(|v| v.to_bits()).collect();
        assert_eq!(&held[..count as usize], bits, "{count} literals");
        assert!(held[count as usize..].iter().all(|bits| *bits == 0), "{count} literals: {held:?}");
    }
}

/// The compiler's literals, placed in the slots that it specifies, equal those of the golden runs.
#[test]
fn literals_are_placed_in_the_slots_of_the_golden_runs() {
    let (Some(files), Some(folder)) = (corpus("meta"), material("utgard-gp/golden")) else { return };
    let (mut programs, mut values) = (0, 0);
    for (name, bytes, meta) in &files {
        let golden = folder.join(format!("{name}.runs.json"));
        let golden = std::fs::read_to_string(golden).unwrap();
        let bits: Vec<u32> = meta
            .lines()
            .filter_map(|l| l.strip_prefix("const ")?.split_once(" 0x"))
            .map(|(_, bits)| u32::from_str_radix(bits, 16).unwrap())
            .collect();
        let layout = object(&golden, "layout");
        let first = layout.iter().find(|(key, _)| key == "const").and_then(|(_, slot)| slot.parse().ok());
        let (Some(slot), false) = (first, bits.is_empty()) else { continue };
        let facts = Facts { literals: Literals { slot, bits: bits.clone() }, ..Facts::default() };
        let program = Program { facts, ..decode(bytes).unwrap() };
        assert_eq!(decode(&encode(&program)).as_ref(), Ok(&program), "{name}");
        let mut env = Environment { constants: vec![[9.0; 4]; usize::from(slot)], ..Environment::default() };
        preset(&program, &mut env);
        assert!(env.constants[..usize::from(slot)].iter().all(|c| *c == [9.0; 4]), "{name}");
        let run = golden.split("\"runs\":").nth(1).unwrap();
        for (k, bits) in bits.iter().enumerate() {
            let (at, component) = (usize::from(slot) + k / 4, k % 4);
            assert_eq!(program.facts.literal(at as u16, component), Some(*bits));
            assert_eq!(env.constants[at][component].to_bits(), *bits, "{name}");
            let Some((_, four)) = object(run, "u").into_iter().find(|(key, _)| *key == at.to_string()) else {
                continue;
            };
            assert!(four.split('"').nth(2 * component + 1) == Some(&format!("{bits:08x}")), "{name}: {four}");
            values += 1;
        }
        programs += 1;
    }
    eprintln!("{values} literals of {programs} programs");
    assert!(programs > 40 && values > 100);
}
