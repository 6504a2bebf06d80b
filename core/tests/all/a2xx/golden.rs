//! Listings by mesa's disassembler: our listings agree with them line by line, except for attributes that only ours contain, and for mesa's faults,
//! each listed by file and line in `golden_faults.tsv`.
//!
//! A line's key is `cfN` for clause N, `N` for the vector half or fetch of slot N (hexadecimal), `N+` for its scalar half. A listed fault must turn
//! our line into mesa's, and a listed fault that does not occur fails the test.

use super::corpus::{files, folder};
use lockstep_core::isa::a2xx::{decode, disassemble};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

/// Attributes that only our listings contain.
const OURS: [&str; 15] = [
    "ZERO",
    "ABS_CONST",
    "ADDR_A0",
    "CONST0_REL",
    "CONST1_REL",
    "PRED_COND",
    "SDEST",
    "SRC2",
    "FILL",
    "SEQ",
    "BOOL_COND",
    "PREFETCH",
    "MINI_FETCH",
    "ROUND_INDEX",
    "DIM",
];

/// Lines by key: their tokens, separated by single spaces.
type Lines = BTreeMap<String, String>;

/// Removes ` NAME` or ` NAME(…)` from a line.
fn without(line: &str, name: &str) -> String {
    let Some(at) = line.find(&format!(" {name}")) else { return line.to_owned() };
    let rest = &line[at + 1 + name.len()..];
    if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return line.to_owned();
    }
    let mut depth = 0;
    let end = rest
        .char_indices()
        .find(|(_, c)| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            depth == 0
        })
        .map_or(rest.len(), |(at, c)| if c == ')' { at + 1 } else { at });
    format!("{}{}", &line[..at], &rest[end..])
}

fn words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Parses our listing. Slots are numbered from the ADDR of the clause before them.
fn ours(text: &str) -> Lines {
    let mut lines = Lines::new();
    let (mut clauses, mut next, mut last) = (0, 0u32, String::new());
    // Only our listing has a header.
    for line in text.lines().filter(|line| !line.starts_with('.')) {
        let line = words(line);
        let slot = line.contains("ALU:") || line.contains("FETCH:");
        let half = !slot && text.contains(&format!("          \t{}", line.split(' ').next().unwrap()));
        let key = if slot {
            last = format!("{next:02x}");
            next += 1;
            last.clone()
        } else if half {
            format!("{last}+")
        } else {
            if let Some((_, rest)) = line.split_once("ADDR(0x") {
                next = u32::from_str_radix(rest.split(')').next().unwrap(), 16).unwrap();
            }
            clauses += 1;
            format!("cf{}", clauses - 1)
        };
        let old = OURS.iter().fold(line, |line, name| without(&line, name));
        assert!(lines.insert(key, old).is_none());
    }
    lines
}

/// Parses mesa's listing; also returns the dwords of its slots.
fn theirs(text: &str) -> (Lines, BTreeMap<String, [u32; 3]>) {
    let (mut lines, mut raw) = (Lines::new(), BTreeMap::new());
    let (mut clauses, mut last) = (0, String::new());
    for line in text.lines() {
        let (head, rest) = line.trim_start_matches('\t').split_at(30);
        let key = if let Some((number, hex)) = head.split_once(": ") {
            let dwords: Vec<_> =
                hex.split_whitespace().map(|w| u32::from_str_radix(w, 16).unwrap()).collect();
            number.clone_into(&mut last);
            raw.insert(last.clone(), dwords.try_into().unwrap());
            last.clone()
        } else if head.trim().is_empty() {
            format!("{last}+")
        } else {
            clauses += 1;
            format!("cf{}", clauses - 1)
        };
        assert!(lines.insert(key, words(rest)).is_none());
    }
    (lines, raw)
}

/// Rewrites constants above 63 as mesa prints them: with the low six bits of the number, and between bars if bit 7 of the number is set.
fn six_bits(line: &str) -> String {
    let mut out = Vec::new();
    for word in line.split(' ') {
        let (body, comma) = word.strip_suffix(',').map_or((word, ""), |b| (b, ","));
        let (minus, name) = body.strip_prefix('-').map_or(("", body), |n| ("-", n));
        let (number, swizzle) =
            name.split_once('.').map_or((name, String::new()), |(n, s)| (n, format!(".{s}")));
        let constant = number.strip_prefix('C').and_then(|n| n.parse::<u32>().ok()).filter(|n| *n > 63);
        out.push(match constant {
            None => word.to_owned(),
            Some(n) => {
                let bar = if n & 0x80 != 0 { "|" } else { "" };
                format!("{minus}{bar}C{}{swizzle}{bar}{comma}", n & 63)
            }
        });
    }
    out.join(" ")
}

/// Formats source 3 from its fields as mesa prints it for every operation (xdk and mesa define the meaning of these bits for *_CONST).
fn source3([_, w1, w2]: [u32; 3]) -> String {
    let bar = if w2 & 0x80 != 0 { "|" } else { "" };
    let minus = if w1 >> 24 & 1 != 0 { "-" } else { "" };
    let file = if w2 >> 29 & 1 != 0 { 'R' } else { 'C' };
    let mut text = format!("{minus}{bar}{file}{}", w2 & 63);
    if w1 & 0xff != 0 {
        text.push('.');
        text.extend((0..4).map(|c| ['x', 'y', 'z', 'w'][((w1 >> (2 * c) & 3) + c) as usize & 3]));
    }
    text + bar
}

/// Returns our line with one of mesa's faults; `None` if mesa has no such line.
fn with_fault(fault: &str, line: &str, raw: [u32; 3]) -> Option<String> {
    match fault {
        "ALIAS" => Some(six_bits(line)),
        // The scalar half of an export is printed with a field that the hardware does not read, and a comment about that.
        "EXPORT" => {
            let (name, rest) = line.split_once(" export").unwrap();
            let (line, _comment) = rest.split_once(" ;").unwrap_or((rest, ""));
            let at = line.find(['.', ' ']).unwrap();
            Some(format!("{name} export{}{}", raw[0] >> 8 & 63, &line[at..]))
        }
        "CLEAN" => Some(line.replace(" PRED_CLEAN", " BOOL_ADDR(0x80)")),
        "SCALAR" => None,
        "CONST" => {
            let (head, _) = line.split_once(" = ").unwrap();
            Some(format!("{head} = {}", source3(raw)))
        }
        other => panic!("there is no fault {other}"),
    }
}

#[test]
fn listings_agree_with_mesas_except_for_its_bugs() {
    let Some(root) = folder() else { return };
    let table = include_str!("golden_faults.tsv");
    let mut faults = BTreeMap::<(String, String), Vec<&str>>::new();
    for line in table.lines().filter(|l| !l.starts_with('#')) {
        let [file, key, names] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        assert!(
            faults.insert((file.to_owned(), key.to_owned()), names.split('+').collect()).is_none(),
            "{line}: twice"
        );
    }
    let (mut lines, mut wrong) = (0, String::new());
    for (name, bytes) in files() {
        let program = decode::decode(&bytes).unwrap();
        let text = disassemble::disassemble(&program);
        let ours = ours(&text);
        let golden = fs::read_to_string(root.join(format!("golden/{name}.listing.txt"))).unwrap();
        let (theirs, raw) = theirs(&golden);
        for key in theirs.keys().filter(|k| !ours.contains_key(*k)) {
            writeln!(wrong, "{name}\t{key}\tours is missing").unwrap();
        }
        for (key, line) in &ours {
            lines += 1;
            let dwords = raw.get(key.trim_end_matches('+')).copied().unwrap_or_default();
            let theirs = theirs.get(key);
            let mut expected = Some(line.clone());
            let listed = faults.remove(&(name.clone(), key.clone()));
            for fault in listed.iter().flatten() {
                let before = expected.clone();
                expected = expected.and_then(|line| with_fault(fault, &line, dwords));
                assert_ne!(before, expected, "{name} {key}: {fault} is listed but does not occur");
            }
            if expected.as_ref() != theirs {
                writeln!(wrong, "{name}\t{key}\tours {expected:?} theirs {theirs:?}").unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{} lines differ\n{wrong}", wrong.lines().count());
    assert!(faults.is_empty(), "listed but not in the listings: {faults:?}");
    eprintln!(
        "{lines} lines compared, {} with a fault of mesa's",
        table.lines().filter(|l| !l.starts_with('#')).count()
    );
}
