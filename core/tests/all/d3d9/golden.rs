//! Compares our listings with those of vkd3d-shader and MojoShader: opcode, operands, masks and modifiers of every line.

use crate::d3d9::corpus::{Shader, folder, shaders};
use lockstep_core::isa::d3d9::decode::decode;
use lockstep_core::isa::d3d9::disassemble::disassemble_word;
use lockstep_core::isa::d3d9::program::Program;
use std::collections::BTreeSet;

/// Known differences: the tool, the file, the line in our listing (from 0), and the reason.
const EXCEPTIONS: &[(&str, &str, usize, &str)] = &[];

/// The precision that MojoShader's printer loses: it truncates numbers after the ninth decimal place, and parsing may add a rounding error.
const NINE_PLACES: f32 = 1e-9;

/// An operand, independent of spelling.
#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Register { modifier: String, name: String, index: Option<String>, components: String },
    Number(f32),
}

/// A line, independent of spelling. Suffixes are sorted.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    coissue: bool,
    name: String,
    suffixes: BTreeSet<String>,
    operands: Vec<Operand>,
}

impl Line {
    fn declares(&self) -> bool {
        self.name == "dcl" || self.name.starts_with("def")
    }
}

/// Instructions whose first operand is not a destination.
const SOURCES_ONLY: &[&str] = &["if", "loop", "rep", "call", "callnz", "label", "breakp", "break"];

fn parse(text: &str) -> Line {
    let text = text.trim();
    let (coissue, text) = match text.strip_prefix('+') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let mut parts = word.split('_').map(str::to_owned);
    let name = parts.next().unwrap();
    let suffixes: BTreeSet<String> = parts.collect();
    let has_dest = !SOURCES_ONLY.contains(&name.as_str());
    let rest = if name.starts_with("def") { rest.replacen(" =", ",", 1) } else { rest.to_owned() };
    let operands = rest.split(',').map(str::trim).filter(|t| !t.is_empty());
    let operands = operands.enumerate().map(|(k, t)| operand(t, has_dest && k == 0)).collect();
    Line { coissue, name, suffixes, operands }
}

fn operand(text: &str, dest: bool) -> Operand {
    if let Ok(number) = text.parse() {
        return Operand::Number(number);
    }
    let (minus, text) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let bars = text.starts_with('|');
    let text = text.trim_matches('|');
    let (register, after, index) = match text.split_once('[') {
        None => {
            let end = text.find(['.', '_']).unwrap_or(text.len());
            (&text[..end], &text[end..], None)
        }
        Some((register, rest)) => {
            let (inside, after) = rest.split_once(']').unwrap();
            (register, after, Some(inside))
        }
    };
    let (suffix, components) = after.split_once('.').unwrap_or((after, ""));
    let suffix = if bars { "_abs" } else { suffix };
    let components = match components {
        "" => "xyzw".to_owned(),
        _ if dest => components.to_owned(),
        _ => {
            let last = components.chars().last().unwrap();
            components.chars().chain(std::iter::repeat(last)).take(4).collect()
        }
    };
    // Some tools give the loop counter a number.
    let plain = |name: &str| if name == "aL0" { "aL".to_owned() } else { name.to_owned() };
    let letters = register.trim_end_matches(|c: char| c.is_ascii_digit());
    let (name, index) = match index {
        None => (plain(register), None),
        Some(inside) => {
            let mut offset: u32 = register[letters.len()..].parse().unwrap_or(0);
            let mut by = String::new();
            for term in inside.split('+').map(str::trim) {
                match term.parse::<u32>() {
                    Ok(number) => offset += number,
                    Err(_) => by = plain(term.trim_end_matches(".xyzw")),
                }
            }
            (letters.to_owned(), Some(format!("{by} + {offset}")))
        }
    };
    Operand::Register { modifier: format!("{minus}{suffix}"), name, index, components }
}

/// The lines of our listing.
fn ours(program: &Program) -> Vec<Line> {
    (0..program.instructions.len() as u32).map(|k| parse(&disassemble_word(program, k))).collect()
}

/// Whether two lines are equal; numbers may differ by the precision that the tool's output loses.
fn same(a: &Line, b: &Line, tolerance: f32) -> bool {
    let operand = |(a, b): (&Operand, &Operand)| match (a, b) {
        (Operand::Number(a), Operand::Number(b)) => (a - b).abs() <= tolerance * (1.0 + 128.0 * a.abs()),
        (a, b) => a == b,
    };
    (a.coissue, &a.name, &a.suffixes) == (b.coissue, &b.name, &b.suffixes)
        && a.operands.len() == b.operands.len()
        && a.operands.iter().zip(&b.operands).all(operand)
}

/// The comparison of a tool's listings so far: the exceptions used, the other differences, and the number of lines.
#[derive(Default)]
struct Comparison {
    used: BTreeSet<usize>,
    differences: Vec<String>,
    lines: usize,
}

impl Comparison {
    fn compare(
        &mut self,
        tool: &str,
        shader: &Shader,
        at: usize,
        ours: &Line,
        theirs: &Line,
        tolerance: f32,
    ) {
        self.lines += 1;
        if !same(ours, theirs, tolerance) {
            self.differ(tool, shader, at, &format!("{ours:?}\n    {theirs:?}"));
        }
    }

    fn differ(&mut self, tool: &str, shader: &Shader, at: usize, difference: &str) {
        let is_exception = |e: &(&str, &str, usize, &str)| e.0 == tool && e.1 == shader.name && e.2 == at;
        match EXCEPTIONS.iter().position(is_exception) {
            Some(k) => _ = self.used.insert(k),
            None => self.differences.push(format!("{tool} {} line {at}:\n    {difference}", shader.name)),
        }
    }

    fn finish(self, tool: &str, files: usize) {
        assert!(self.differences.is_empty(), "{}", self.differences.join("\n"));
        for (k, exception) in EXCEPTIONS.iter().enumerate().filter(|(_, e)| e.0 == tool) {
            assert!(self.used.contains(&k), "unused exception {exception:?}");
        }
        eprintln!("{tool}: {} lines of {files} files agree", self.lines);
    }
}

/// A listing; `None` if a status file reports that the tool failed or if it printed an error.
fn golden(shader: &Shader, tool: &str) -> Option<String> {
    let path = |kind: &str| folder().unwrap().join("golden").join(format!("{}.{tool}.{kind}", shader.name));
    if path("status").exists() {
        return None;
    }
    let text = std::fs::read_to_string(path("txt")).unwrap();
    (!text.contains("ERROR:")).then_some(text)
}

/// Converts vkd3d's spelling to ours: it has its own names for usages and for two early opcodes, and adds redundant suffixes.
fn vkd3d(text: &str, program: &Program) -> Line {
    let mut line = parse(text);
    line.suffixes.remove("nz");
    let early = program.version.is_pixel() && program.version.major == 1 && program.version.minor < 4;
    let old = match line.name.as_str() {
        "texld" if early => "tex",
        "texcrd" if early => "texcoord",
        other => other,
    };
    line.name = old.to_owned();
    if line.name == "dcl" {
        line.suffixes = line.suffixes.iter().map(|s| usage(s)).collect();
    }
    line
}

fn usage(name: &str) -> String {
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &name[letters.len()..];
    let number = if number.is_empty() { "0" } else { number };
    match letters {
        "texture" => format!("texcoord{number}"),
        "specular" => "color1".to_owned(),
        "blend" => format!("blendindices{number}"),
        "weight" => format!("blendweight{number}"),
        // A dimension, or vkd3d's name of a usage.
        "cube" | "volume" => letters.to_owned(),
        _ if name == "2d" => name.to_owned(),
        _ => format!("{letters}{number}"),
    }
}

#[test]
fn listings_agree_with_vkd3d() {
    let Some(shaders) = shaders() else { return };
    let mut comparison = Comparison::default();
    let mut files = 0;
    for shader in &shaders {
        let Some(text) = golden(shader, "vkd3d") else { continue };
        files += 1;
        let program = decode(&shader.bytes).unwrap();
        let theirs: Vec<_> = text.lines().skip(1).map(|l| vkd3d(l, &program)).collect();
        assert_eq!(text.lines().next().unwrap().trim(), shader.version);
        let ours = ours(&program);
        assert_eq!(ours.len(), theirs.len(), "{}", shader.name);
        for (k, (mut a, b)) in ours.into_iter().zip(theirs).enumerate() {
            if a.name == "dcl"
                && let Operand::Register { components, .. } = &mut a.operands[0]
            {
                "xyzw".clone_into(components);
            }
            // The nine digits that vkd3d prints identify a binary32 number.
            comparison.compare("vkd3d", shader, k, &a, &b, 0.0);
        }
    }
    // vkd3d-shader hung on eight of the 90 shaders.
    assert_eq!(files, 82);
    comparison.finish("vkd3d", files);
}

#[test]
fn listings_agree_with_mojoshader() {
    let Some(shaders) = shaders() else { return };
    let mut comparison = Comparison::default();
    let mut files = 0;
    for shader in &shaders {
        let Some(text) = golden(shader, "mojoshader") else { continue };
        files += 1;
        let program = decode(&shader.bytes).unwrap();
        let listing = text.lines().skip_while(|l| l.trim() != "OUTPUT:").skip(1).map(str::trim);
        let mut listing = listing.take_while(|l| *l != "end").filter(|l| !l.is_empty());
        assert_eq!(listing.next().unwrap(), shader.version.replace("2_1", "2_x"));
        let (mut theirs, mut declared): (Vec<_>, Vec<_>) = (Vec::new(), Vec::new());
        for line in listing.map(parse) {
            if line.declares() { declared.push(line) } else { theirs.push(line) }
        }
        let ours = ours(&program);
        let runs: Vec<_> = ours.iter().enumerate().filter(|(_, l)| !l.declares()).collect();
        assert_eq!(runs.len(), theirs.len(), "{}", shader.name);
        for ((k, a), b) in runs.into_iter().zip(&theirs) {
            comparison.compare("mojoshader", shader, k, a, b, NINE_PLACES);
        }
        // MojoShader sorts declarations, and invents a usage for those of pixel shaders before ps_3_0.
        let usages = !program.version.is_pixel() || program.version.major >= 3;
        for line in declared.iter_mut().filter(|l| l.name == "dcl") {
            line.suffixes = line.suffixes.iter().map(|s| usage(s)).collect();
            let sampler =
                matches!(&line.operands[0], Operand::Register { name, .. } if name.starts_with('s'));
            if !usages && !sampler {
                line.suffixes.clear();
            }
        }
        for (k, a) in ours.iter().enumerate().filter(|(_, l)| l.declares()) {
            comparison.lines += 1;
            match declared.iter().position(|b| same(a, b, NINE_PLACES)) {
                Some(found) => _ = declared.remove(found),
                None => comparison.differ("mojoshader", shader, k, &format!("{a:?}\n    is not declared")),
            }
        }
        if let Some(left) = declared.first() {
            comparison.differ(
                "mojoshader",
                shader,
                usize::MAX,
                &format!("{left:?}\n    is declared only by the tool"),
            );
        }
    }
    // MojoShader refuses three of the 90 shaders.
    assert_eq!(files, 87);
    comparison.finish("mojoshader", files);
}
