//! The forms of an instruction, as small programs for the proofs of the lowering rules.
//!
//! They are taken from all legal programs about one instruction: each that has a class which none before it has. Versions in which an
//! opcode means the same are then one form each, and its masks, operands and modifiers are gone through once. What classes do not tell
//! apart follows: results that overwrite what is still to be read, pairs of which one reads what the other writes, loops around loops.

use super::candidates::found;
use super::classes::{acts, classes};
use super::opcode::{Kind, Opcode};
use super::profile::Profile;
use super::program::{Dest, File, Index, Instruction, Program, Relative, Source, Usage, Version};
use crate::isa::{ClassPoint, RuleProgram};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A swizzle that tells every component apart from its neighbours.
const WZYX: u8 = 0x1b;

/// Collects forms.
#[derive(Default)]
struct List {
    all: Vec<RuleProgram<Program>>,
    covered: BTreeSet<ClassPoint>,
    /// What some form that is mutated has, of whatever opcode.
    mutated: BTreeSet<String>,
    names: BTreeSet<String>,
}

impl List {
    fn push(&mut self, program: Program, at: u32, class: &str, mutate: bool) {
        let Some(op) = program.instructions.get(at as usize).and_then(Instruction::op) else { return };
        let version = program.version.profile().map_or("", Profile::name);
        let base = format!("{} {version} {class}", op.row().mnemonic);
        let mut name = base.clone();
        let mut number = 1;
        while !self.names.insert(name.clone()) {
            number += 1;
            name = format!("{base} {number}");
        }
        self.all.push(RuleProgram { name, program, mutate });
    }

    /// A program of a class that none before it has.
    fn offer(&mut self, program: &Program, at: u32) {
        let found = classes(program, at);
        if found.iter().all(|class| self.covered.contains(class)) {
            return;
        }
        let program = renumbered(program, at);
        let new: Vec<ClassPoint> =
            classes(&program, at).into_iter().filter(|class| self.covered.insert(class.clone())).collect();
        self.covered.extend(found);
        // A form that is only of another version means what those before it do.
        let what = new.iter().map(|class| class.modifier.as_str()).filter(|m| !m.starts_with("version="));
        let shown: Vec<&str> = what.collect();
        let class = if shown.is_empty() { "plain".to_owned() } else { shown.join(" ") };
        // Operands and results of all opcodes are lowered by the same code: what is mutated once there need not be again.
        let early = program.version.major < 2;
        let Some(op) = program.instructions.get(at as usize).and_then(Instruction::op) else { return };
        let mut mutate = self.mutated.insert(format!("{op:?} {early}"));
        for class in shown {
            let known = if own(op, class) { format!("{op:?} {class}") } else { general(class).to_owned() };
            mutate |= self.mutated.insert(known);
        }
        self.push(program, at, &class, mutate);
    }
}

/// Whether the lowering of an opcode does something of its own about a class.
fn own(op: Opcode, class: &str) -> bool {
    use Opcode::{Crs, Dst, Expp, Lit, Logp, Sincos, Texcoord};
    match class.split('=').next().unwrap_or_default() {
        "control" | "texture" | "coissue" => true,
        "mask" => matches!(op, Crs | Dst | Expp | Lit | Logp | Sincos | Texcoord),
        _ => op.row().kind == Kind::Flow,
    }
}

/// A class without the letter of the source.
fn general(class: &str) -> &str {
    class.split_once('.').map_or(class, |(_, rest)| rest)
}

/// The program with a register of its own for each source, and before ps_2_0 with results in r1 instead of r0, which there is also what
/// leaves the shader.
fn renumbered(program: &Program, at: u32) -> Program {
    let mut program = program.clone();
    let early = program.version.pixel() && program.version.major < 2;
    let dest = u16::from(early);
    for i in program.instructions.iter_mut().take(at as usize + 1) {
        for place in i.dest.iter_mut().filter(|d| d.is(File::Temporary) && d.number == 0) {
            place.number = dest;
        }
    }
    let Some(i) = program.instructions.get_mut(at as usize) else { return program };
    let is_macro = i.op().is_some_and(|op| matches!(op, Opcode::Sgn | Opcode::Sincos));
    for (k, source) in i.sources.iter_mut().enumerate().filter(|(k, _)| *k == 0 || !is_macro) {
        match File::from_number(source.file) {
            Some(File::Temporary) if source.number < 2 => source.number = dest + 1 + k as u16,
            Some(File::Constant | File::Input) => source.number += 4 * k as u16,
            _ => {}
        }
    }
    program
}

/// Changes of a form that classes do not see.
fn overlaps(list: &mut List) {
    let plain: Vec<RuleProgram<Program>> = list.all.clone();
    let mut seen = BTreeSet::new();
    for rule in &plain {
        let Some(at) = rule.program.instructions.iter().rposition(|i| i.op().is_some_and(acts)) else {
            continue;
        };
        let i = &rule.program.instructions[at];
        let Some(op) = i.op().filter(|op| matches!(op.row().kind, Kind::Arithmetic | Kind::Texture)) else {
            continue;
        };
        let Some(dest) = i.dest.filter(|d| d.is(File::Temporary) && !d.relative.is_set()) else { continue };
        let early = rule.program.version.major < 2;
        if !seen.insert((op, early, i.coissue != 0)) {
            continue;
        }
        let swizzles: &[u8] = if i.coissue != 0 { &[0xff] } else { &[WZYX, 0xff] };
        for (k, swizzle) in swizzles.iter().enumerate() {
            let mut program = rule.program.clone();
            for source in program.instructions[at].sources.iter_mut().filter(|s| s.is(File::Temporary)) {
                source.number = dest.number;
                source.swizzle = *swizzle;
            }
            if program != rule.program {
                let class = if i.coissue != 0 { "reads its partner's register" } else { "onto its source" };
                let class = if k == 0 { class.to_owned() } else { format!("{class}, one component") };
                list.push(program, at as u32, &class, i.coissue != 0);
            }
        }
    }
}

/// An instruction of sources alone.
fn flow(op: Opcode, sources: &[Source]) -> Instruction {
    let mut i = Instruction::new(op);
    i.sources.extend(sources.iter().copied());
    i
}

/// Control flow that one instruction does not show.
fn blocks(list: &mut List) {
    use Opcode::{Break, Breakp, Call, Callnz, Else, Endif, Endloop, Endrep, If, Label, Loop, Mov, Rep, Ret};
    let int = |n| Source::register(File::Int, n, Source::XYZW);
    let label = |n| flow(Label, &[Source::register(File::Label, n, Source::XYZW)]);
    let to = |n| Source::register(File::Label, n, Source::XYZW);
    let counter = Source::register(File::Loop, 0, Source::XYZW);
    let truth = |n| Source::register(File::Bool, n, Source::XYZW);
    let predicate = Source::register(File::Predicate, 0, 0xaa);
    let begin = |n| flow(Loop, &[counter, int(n)]);
    let mov = |number: u16| {
        let index = Relative::By(Index::register(File::Loop, 0));
        let source = Source { relative: index, ..Source::register(File::Input, 1, Source::XYZW) };
        let mut i = flow(Mov, &[source]);
        i.dest = Some(Dest::register(File::Temporary, number, 3));
        i
    };
    let plain = |op| flow(op, &[]);
    let programs: Vec<(&str, usize, Vec<Instruction>)> = vec![
        (
            "in another, with one left between",
            1,
            vec![
                begin(0),
                begin(1),
                mov(1),
                flow(Rep, &[int(2)]),
                plain(Break),
                plain(Endrep),
                plain(Endloop),
                mov(2),
                plain(Endloop),
                mov(3),
            ],
        ),
        (
            "left by a predicate",
            3,
            vec![
                begin(0),
                begin(1),
                mov(1),
                flow(Breakp, &[predicate]),
                mov(2),
                plain(Endloop),
                mov(3),
                plain(Break),
                plain(Endloop),
            ],
        ),
        (
            "out of loops in a subroutine that is called in a loop",
            8,
            vec![
                begin(0),
                flow(Callnz, &[to(3), truth(1)]),
                plain(Endloop),
                flow(Call, &[to(3)]),
                plain(Ret),
                label(3),
                begin(1),
                flow(If, &[truth(2)]),
                plain(Ret),
                plain(Else),
                flow(Call, &[to(4)]),
                plain(Endif),
                plain(Endloop),
                plain(Ret),
                label(4),
                mov(1),
                flow(If, &[truth(0)]),
                mov(2),
                plain(Endif),
            ],
        ),
    ];
    for (class, at, instructions) in programs {
        for profile in [Profile::Vs30, Profile::Ps30] {
            let program = Program {
                version: profile.version(),
                instructions: instructions.clone(),
                comments: Vec::new(),
                tail: Vec::new(),
            };
            list.push(program, at as u32, class, profile == Profile::Vs30);
        }
    }
}

/// The end of the first phase, and what leaves a shader before ps_2_0.
fn first_versions(list: &mut List) {
    let version = |profile: Profile| -> Version { profile.version() };
    let mov = |number: u16, mask: u8| {
        let mut i = flow(Opcode::Mov, &[Source::register(File::Constant, 2, Source::XYZW)]);
        i.dest = Some(Dest::register(File::Temporary, number, mask));
        i
    };
    let mut add = |profile, instructions: Vec<Instruction>, at, class: &str| {
        let program =
            Program { version: version(profile), instructions, comments: Vec::new(), tail: Vec::new() };
        list.push(program, at, class, true);
    };
    add(Profile::Ps11, vec![mov(0, 15)], 0, "to what leaves");
    add(Profile::Ps14, vec![mov(1, 15), flow(Opcode::Phase, &[]), mov(2, 8)], 1, "ends");
}

/// What does nothing, among what does something.
fn silent(list: &mut List) {
    let defined = |op: Opcode, file: File| {
        let mut i = Instruction::new(op);
        i.dest = Some(Dest::register(file, 1, 15));
        i.immediates
            .extend((1..=op.operands(Profile::Vs30.version()).map_or(0, |o| o.immediates)).map(u32::from));
        i
    };
    let mut input = Instruction::new(Opcode::Dcl);
    input.usage = Some(Usage::of(0, 0));
    input.dest = Some(Dest::register(File::Input, 1, 15));
    let mut mov = flow(Opcode::Mov, &[Source::register(File::Constant, 1, Source::XYZW)]);
    mov.dest = Some(Dest::register(File::Temporary, 1, 15));
    let all = [
        defined(Opcode::Def, File::Constant),
        defined(Opcode::Defi, File::Int),
        defined(Opcode::Defb, File::Bool),
        input,
        flow(Opcode::Nop, &[]),
    ];
    for i in all {
        let instructions = vec![i, mov.clone()];
        let version = Profile::Vs30.version();
        list.push(
            Program { version, instructions, comments: Vec::new(), tail: Vec::new() },
            0,
            "does nothing",
            false,
        );
    }
}

/// The programs, put together once.
pub(super) fn forms() -> Vec<RuleProgram<Program>> {
    static ALL: LazyLock<Vec<RuleProgram<Program>>> = LazyLock::new(|| {
        let mut list = List::default();
        found().programs.iter().for_each(|(program, at)| list.offer(program, *at));
        overlaps(&mut list);
        blocks(&mut list);
        first_versions(&mut list);
        silent(&mut list);
        list.all
    });
    ALL.clone()
}

#[cfg(test)]
mod tests {
    use super::super::classes::all_classes;
    use super::super::{decode, encode};
    use super::*;

    #[test]
    fn every_class_has_a_form_and_forms_survive_encoding() {
        let all = forms();
        let mut missing: BTreeSet<ClassPoint> = all_classes().into_iter().collect();
        for rule in &all {
            for word in 0..rule.program.instructions.len() {
                for class in classes(&rule.program, word as u32) {
                    missing.remove(&class);
                }
            }
            let bytes = encode::encode(&rule.program);
            assert_eq!(decode::decode(&bytes).as_ref(), Ok(&rule.program), "{}", rule.name);
        }
        assert!(missing.is_empty(), "{missing:?}");
        let names: BTreeSet<&str> = all.iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names.len(), all.len(), "names are unique");
        println!("{} forms, {} of them mutated", all.len(), all.iter().filter(|r| r.mutate).count());
    }
}
