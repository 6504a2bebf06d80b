//! Compares our listings with those of the Xenos compiler itself, line by line. The test converts our text into the compiler's syntax and uses
//! nothing but the text.

use super::corpus::{files, folder};
use lockstep_core::isa::a2xx::opcode::{ScalarOp, VectorOp};
use lockstep_core::isa::a2xx::{decode, disassemble};
use std::fs;

const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

/// Returns the compiler's name of the opcode with our mnemonic.
fn vector_name(name: &str) -> &'static str {
    VectorOp::from_mnemonic(name).unwrap().row().xdk
}

/// An operand: the text before the swizzle, and the four components read.
struct Operand {
    head: String,
    components: [char; 4],
}

fn operand(text: &str) -> Operand {
    let (minus, text) = text.strip_prefix('-').map_or(("", text), |t| ("-", t));
    let (abs, text) = match text.strip_prefix('|') {
        Some(t) => ("_abs", t.strip_suffix('|').unwrap()),
        None => ("", text),
    };
    let (name, swizzle) = text.split_once('.').unwrap_or((text, "xyzw"));
    let components: Vec<char> = swizzle.chars().collect();
    Operand {
        head: format!("{minus}{}{abs}", name.to_lowercase()),
        components: components.try_into().unwrap(),
    }
}

impl Operand {
    /// Returns the operand as the compiler prints it: a repeated last letter is written once, and the identity swizzle is omitted.
    fn read(&self) -> String {
        let mut letters = self.components.to_vec();
        let head = &self.head;
        if letters == LETTERS {
            return head.clone();
        }
        while letters.len() > 1 && letters[letters.len() - 1] == letters[letters.len() - 2] {
            letters.pop();
        }
        format!("{head}.{}", letters.iter().collect::<String>())
    }
}

/// Parses the name and mask of a destination.
fn dest(text: &str) -> (String, u8) {
    let (name, letters) = text.split_once('.').unwrap_or((text, "xyzw"));
    let mask = letters.chars().enumerate().filter(|(_, c)| *c != '_').fold(0, |m, (k, _)| m | 1 << k);
    (name.to_owned(), mask)
}

/// One half of a slot, as parsed from its line.
struct Half {
    name: String,
    dest: String,
    mask: u8,
    operands: Vec<Operand>,
    flags: String,
}

/// Parses a line of the form `NAME DEST = A, B FLAGS ; comment`.
fn half(line: &str) -> Half {
    let line = line.split(" ;").next().unwrap();
    let (head, tail) = line.split_once(" = ").unwrap();
    let (name, to) = head.split_once(' ').unwrap();
    let (dest, mask) = dest(to);
    let words: Vec<&str> = tail.split(' ').collect();
    let count = 1 + words.iter().take_while(|w| w.ends_with(',')).count();
    let operands = words[..count].iter().map(|w| operand(w.trim_end_matches(','))).collect();
    Half { name: name.to_owned(), dest, mask, operands, flags: words[count..].join(" ") }
}

/// Returns a destination in the compiler's syntax. `own` has the components that this half writes, `one` and `zero` those set to constants.
fn destination(name: &str, vertex: bool, own: u8, one: u8, zero: u8) -> String {
    let number = name.trim_start_matches(|c: char| c.is_alphabetic());
    let name = match name.strip_prefix("export") {
        None => format!("r{number}"),
        Some("62") if vertex => "oPos".to_owned(),
        Some(_) if vertex => format!("o{number}"),
        Some(_) => format!("oC{number}"),
    };
    let mut letters = String::new();
    for (k, letter) in LETTERS.into_iter().enumerate() {
        if one >> k & 1 != 0 {
            letters.push('1');
        } else if own >> k & 1 != 0 {
            letters.push(letter);
        } else if zero >> k & 1 != 0 {
            letters.push('0');
        }
    }
    match &letters[..] {
        "xyzw" => name,
        "" => format!("{name}._"),
        _ => format!("{name}.{letters}"),
    }
}

/// Returns an ALU slot in the compiler's syntax: one line, or one for each half.
fn alu(vector: &str, scalar: Option<&str>, vertex: bool) -> Vec<String> {
    let mut v = half(vector);
    let s = scalar.map(half);
    let suffix = v.name.len() - 2;
    let predicate = match &v.name[suffix..] {
        _ if VectorOp::from_mnemonic(&v.name).is_some() => "",
        "EQ" => "(p0) ",
        "NE" => "(!p0) ",
        _ => panic!("{vector}"),
    };
    if !predicate.is_empty() {
        v.name.truncate(suffix);
    }
    let exports = v.dest.starts_with("export");
    let smask = s.as_ref().map_or(0, |s| s.mask);
    let one = if exports { v.mask & smask } else { 0 };
    let zero = if v.flags.contains("ZERO") { !(v.mask | smask) & 0xf } else { 0 };
    let op = VectorOp::from_mnemonic(&v.name).unwrap();
    let mut lines = Vec::new();
    if v.mask != 0 {
        // Our listing has the operands in the order source 3, 1, 2.
        if v.operands.len() == 3 {
            v.operands.rotate_left(1);
        }
        let mut sources: Vec<String> = v.operands.iter().map(Operand::read).collect();
        let mut name = vector_name(&v.name);
        if op == VectorOp::Max && sources[0] == sources[1] {
            name = "mov";
            sources.pop();
        }
        let to = destination(&v.dest, vertex, v.mask, one, zero);
        lines.push(format!("{predicate}{name} {to}, {}", sources.join(", ")));
    }
    if let Some(s) = s {
        let op = ScalarOp::from_mnemonic(&s.name).unwrap();
        if op == ScalarOp::RetainPrev {
            // This half is the compiler's filler, or it sets components of an export to constants.
            assert!(s.mask & !one == 0, "{vector}");
            return lines;
        }
        let a = |k: usize| s.operands[0].components[k];
        let three = VectorOp::from_mnemonic(&v.name).unwrap().sources() == 3;
        let b = a(if three { 2 } else { 0 });
        let head = &s.operands[0].head;
        let (name, source) = match op {
            ScalarOp::Maxs if a(3) == b => ("movs", format!("{head}.{b}")),
            ScalarOp::Adds | ScalarOp::Subs | ScalarOp::Muls | ScalarOp::Maxs => {
                (op.row().xdk, format!("{head}.{}{b}", a(3)))
            }
            _ => (op.row().xdk, format!("{head}.{}", a(3))),
        };
        let to = destination(&s.dest, vertex, s.mask & !one, 0, if v.mask == 0 { zero } else { 0 });
        let plus = if lines.is_empty() { predicate } else { "+ " };
        lines.push(format!("{plus}{name} {to}, {source}"));
    }
    lines
}

/// Converts the line of a *_CONST_* operation, which [`half`] cannot parse because a single letter stands for both operands.
fn constant_line(line: &str) -> Option<String> {
    let (head, tail) = line.split_once(" = ")?;
    let (name, to) = head.split_once(' ')?;
    let op = ScalarOp::from_mnemonic(name).filter(|_| name.contains("_CONST_"))?;
    let (to, mask) = dest(to);
    Some(format!("+ {} {}, {}", op.row().xdk, destination(&to, false, mask, 0, 0), tail.to_lowercase()))
}

fn fetch(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let to = words[1].to_lowercase();
    let to = to.strip_suffix(".xyzw").unwrap_or(&to);
    let from = words[3].to_lowercase();
    let constant = words.iter().find_map(|w| w.strip_prefix("CONST(")).unwrap();
    match words[0] {
        // The compiler prints the attribute's usage, which is not in the words.
        "VERTEX" => format!("vfetch {to}, {from},"),
        "SAMPLE" => {
            assert!(words.contains(&"DIM(2D)"), "{line}");
            format!("tfetch2D {to}, {}, tf{}", &from[..from.len() - 1], constant.trim_end_matches(')'))
        }
        other => panic!("{other}"),
    }
}

/// Converts our listing to the compiler's syntax.
fn converted(text: &str, vertex: bool) -> Vec<String> {
    let lines: Vec<String> =
        text.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        let body = line.strip_prefix("(S)").unwrap_or(line);
        if let Some(vector) = body.strip_prefix("ALU: ") {
            let next =
                lines.get(at).filter(|l| ScalarOp::from_mnemonic(l.split(' ').next().unwrap()).is_some());
            at += usize::from(next.is_some());
            match next.and_then(|l| constant_line(l)) {
                Some(constant) => {
                    out.extend(alu(vector, None, vertex));
                    out.push(constant);
                }
                None => out.extend(alu(vector, next.map(String::as_str), vertex)),
            }
        } else if let Some(f) = body.strip_prefix("FETCH: ") {
            out.push(fetch(f));
        } else if let Some(rest) = body.strip_prefix("EXEC") {
            let name = if rest.starts_with("_END") { "exece" } else { "exec" };
            let clean = if body.contains("PRED_CLEAN") { "" } else { " // PredicateClean=false" };
            out.push(format!("{name}{clean}"));
        } else if let Some(rest) = body.strip_prefix("ALLOC ") {
            let what = match rest.split(' ').next().unwrap() {
                "POSITION" => "position",
                "PARAM/PIXEL" if vertex => "interpolators",
                "PARAM/PIXEL" => "colors",
                other => panic!("{other}"),
            };
            out.push(format!("alloc {what}"));
        } else {
            assert!(
                body.starts_with(".a2xx ")
                    || body.starts_with(".shader ")
                    || body == "NOP"
                    || body.contains(": RAW 0x00000000 0x00000000 0x00000000"),
                "{body}"
            );
        }
    }
    out
}

#[test]
fn listings_agree_with_the_xenos_compiler() {
    let Some(root) = folder() else { return };
    let (mut compared, mut count) = (0, 0);
    for (name, bytes) in files() {
        let Ok(golden) = fs::read_to_string(root.join(format!("golden/{name}.official-listing.txt"))) else {
            continue;
        };
        let theirs: Vec<String> = golden
            .lines()
            .filter(|l| l.starts_with("    ") || l.starts_with("  +"))
            .map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        let program = decode::decode(&bytes).unwrap();
        let ours = converted(&disassemble::disassemble(&program), golden.contains("xvs_3_0"));
        for (k, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            let same = ours == theirs || ours.ends_with(',') && theirs.starts_with(&ours[..]);
            assert!(same, "{name}, line {k}:\nours   {ours}\ntheirs {theirs}");
        }
        assert_eq!(ours.len(), theirs.len(), "{name}: {:?} {:?}", ours.last(), theirs.last());
        count += ours.len();
        compared += 1;
    }
    assert_eq!(compared, 10, "the number of files in FORMAT.md");
    eprintln!("{count} lines compared");
}
