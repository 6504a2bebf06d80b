//! Compares nihstro's listings of the real programs (S4, golden/FORMAT.md) with our decoding of the same words.
//!
//! The following are compared wherever nihstro prints them: address, word, mnemonic, destination and mask, sources with swizzle, sign and address
//! register, comparison operators, descriptor number, conditions and targets of flow; and the descriptor table with masks, signs and selectors.
//! According to FORMAT.md, the operands of `mad`, `madi`, `ifu`, `jmpu`, `callu` and `loop` are not printed.

use crate::pica200::corpus::corpus;
use lockstep_core::isa::pica200::decode::decode;
use lockstep_core::isa::pica200::opcode::Opcode;
use lockstep_core::isa::pica200::program::{
    Conditional, Container, Descriptor, Instruction, Program, Register, Target,
};
use lockstep_core::isa::pica200::word::Comparison;
use std::collections::BTreeSet;

/// Known differences: the file, the DVLE, the line as nihstro numbers it (byte address of the instruction), and the reason.
const EXCEPTIONS: &[(&str, usize, u32, &str)] = &[];

fn letters(select: u8) -> String {
    (0..4).map(|k| ['x', 'y', 'z', 'w'][usize::from(select >> (6 - 2 * k) & 3)]).collect()
}

/// The operands as nihstro prints them; `None` if it prints none.
fn operands(program: &Program, instruction: &Instruction, op: Opcode) -> Option<Vec<String>> {
    let mut out = Vec::new();
    let flow = |i: &Conditional, text: &str| {
        let sign = |value: u8| if value == 0 { "!" } else { " " };
        let (x, y) = (format!("{}cc.x", sign(i.refx)), format!("{}cc.y", sign(i.refy)));
        let condition = match i.condop {
            0 => format!("{x} || {y}"),
            1 => format!("{x} && {y}"),
            2 => x,
            _ => y,
        };
        let end = 4 * (u32::from(i.dst) + u32::from(i.num));
        let to = 4 * u32::from(i.dst);
        text.replace("COND", &condition)
            .replace("DST", &format!("{to:04x}"))
            .replace("END", &format!("{end:04x}"))
    };
    match instruction {
        Instruction::Plain(_) | Instruction::Emission(_) | Instruction::Uniform(_) => return None,
        Instruction::Ternary(_) | Instruction::TernaryInverse(_) | Instruction::Unknown(_) => return None,
        Instruction::Conditional(i) => {
            let text = match op {
                Opcode::Call => "if jump to 0xDST aka \"\"(return on END\")",
                Opcode::Callc => "if COND jump to 0xDST aka \"\"(return on END\")",
                Opcode::Ifc => "if COND else jump to 0xDST aka \"\"(return on END\")",
                Opcode::Jmpc => "if COND jump to 0xDST aka \"\"",
                _ => "if COND",
            };
            return Some(flow(i, text).split_whitespace().map(str::to_owned).collect());
        }
        _ => {}
    }
    let descriptor = program.descriptor(instruction)?;
    if op != Opcode::Mova
        && let Some(target) = instruction.dst()
    {
        let mask: String =
            (0..4).map(|k| if descriptor.writes(k) { ['x', 'y', 'z', 'w'][k] } else { '_' }).collect();
        out.push(match target {
            Target::Output(n) => format!("o{n}.{mask}"),
            Target::Temporary(n) => format!("r{n}.{mask}"),
        });
    }
    for source in program.sources(instruction).into_iter().flatten() {
        let (name, n) = match source.register {
            Register::Input(n) => ("v", n),
            Register::Temporary(n) => ("r", n),
            Register::Uniform(n) => ("c", n),
        };
        let index = ["", "[a0.x]", "[a0.y]", "[aL]"][usize::from(source.idx)];
        let sign = if source.negate { "-" } else { "" };
        out.push(format!("{sign}{name}{n}{index}.{}", letters(source.select)));
    }
    if let Instruction::Compare(i) = instruction {
        let operator = |n: u8| Comparison::from_number(n).unwrap().name().to_owned();
        out.insert(1, operator(i.cmpy));
        out.insert(1, operator(i.cmpx));
    }
    out.push(format!("{:x}", instruction.desc()?));
    Some(out)
}

/// nihstro's mnemonic.
fn mnemonic(op: Opcode) -> &'static str {
    match op {
        Opcode::Ex2 => "exp",
        Opcode::Lg2 => "log",
        Opcode::Litp => "lit",
        Opcode::Loop => "loop",
        op => op.row().mnemonic,
    }
}

/// The part of an instruction's line that describes its word, split into tokens.
fn pieces(line: &str) -> Vec<&str> {
    let before = line.split(" addr:").next().unwrap();
    before.split_whitespace().collect()
}

/// Names and words of a DVLE's labels.
fn labels(program: &Program, dvle: usize) -> Vec<(String, u32)> {
    let Container::Shbin(shbin) = &program.container else { return Vec::new() };
    let dvle = &shbin.dvles[dvle];
    let name = |at: u32| {
        let bytes = &dvle.symbols.rows[at as usize..];
        bytes.iter().take_while(|b| **b != 0).map(|b| char::from(*b)).collect()
    };
    dvle.labels.rows.iter().map(|label| (name(label.symbol), label.word)).collect()
}

#[test]
fn listings_agree_with_nihstro() {
    let Some(files) = corpus() else { return };
    let (mut compared, mut bare, mut rows, mut named) = (0, 0, 0, 0);
    let mut unused: BTreeSet<_> = EXCEPTIONS.iter().map(|(file, dvle, at, _)| (*file, *dvle, *at)).collect();
    let mut wrong = Vec::new();
    for file in &files {
        let program = decode(&file.bytes).unwrap();
        let mut dvle = 0;
        let mut seen = 0;
        for line in file.listing.lines() {
            if let Some(rest) = line.strip_prefix("== DVLE ") {
                dvle = rest.split(' ').next().unwrap().parse().unwrap();
                seen = 0;
            }
            let tokens = pieces(line);
            let address =
                tokens.first().filter(|a| a.len() == 8).and_then(|a| u32::from_str_radix(a, 16).ok());
            if let (Some(address), Some(word)) = (address, tokens.get(1).and_then(|w| w.strip_prefix('['))) {
                // 00000008 [--------] name:
                if word.starts_with('-') {
                    let name = tokens[2].trim_end_matches(':');
                    assert!(
                        labels(&program, dvle).contains(&(name.to_owned(), address / 4)),
                        "{}: {line}",
                        file.name
                    );
                    named += 1;
                    continue;
                }
                let word = u32::from_str_radix(word.trim_end_matches(']'), 16).unwrap();
                let instruction = &program.code[address as usize / 4];
                assert_eq!(address as usize / 4, seen, "{}: {line}", file.name);
                seen += 1;
                let op = instruction.op().unwrap();
                let mut ours = vec![mnemonic(op).to_owned()];
                match operands(&program, instruction, op) {
                    Some(operands) => ours.extend(operands),
                    None => bare += 1,
                }
                compared += 1;
                if instruction.to_word() != word || ours != tokens[2..] {
                    let key = (file.name.as_str(), dvle, address);
                    if EXCEPTIONS.iter().any(|e| (e.0, e.1, e.2) == key) {
                        unused.retain(|e| *e != key);
                    } else {
                        wrong.push(format!("{} DVLE {dvle}: {line}\n    ours: {ours:?}", file.name));
                    }
                }
            } else if let Some(rest) = line.strip_prefix('(') {
                // (  0) 0000036e: e    0   3 2 1 0    0   0 0 0 0    0   0 0 0 0    00000000
                let Some((number, rest)) = rest.split_once(')') else { continue };
                let Ok(number) = usize::from_str_radix(number.trim(), 16) else { continue };
                let row = &program.descriptors[number];
                let d: Descriptor = row.descriptor;
                let select =
                    |s: u8| (0..4).map(|k| (s >> (2 * k) & 3).to_string()).collect::<Vec<_>>().join(" ");
                let ours = format!(
                    "{:08x}: {:x} {} {} {} {} {} {} {:08x}",
                    d.to_word(),
                    d.mask,
                    d.negate1,
                    select(d.select1),
                    d.negate2,
                    select(d.select2),
                    d.negate3,
                    select(d.select3),
                    row.second
                );
                rows += 1;
                let theirs = rest.split_whitespace().collect::<Vec<_>>().join(" ");
                if theirs != ours {
                    wrong.push(format!("{} DVLE {dvle}: {theirs}\n    ours: {ours}", file.name));
                }
            }
        }
        assert_eq!(seen, program.code.len(), "{}", file.name);
    }
    eprintln!(
        "{compared} lines, {bare} of them without operands, {rows} descriptors and {named} labels agree; {} exceptions",
        EXCEPTIONS.len()
    );
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(30)].join("\n"));
    assert!(unused.is_empty(), "unused exceptions: {unused:?}");
    // The number of lines in the listings, counted by grep.
    assert_eq!(compared + named, COUNTED);
}

/// Lines of the listings that begin with an address and a word, or dashes for a label.
const COUNTED: usize = 4264;
