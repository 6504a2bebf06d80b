//! Operands in the assembler: aliases are equivalent to their registers, and sharing descriptors changes nothing.

use crate::pica200::text::read;
use lockstep_core::isa::pica200::program::Program;
use std::fmt::Write as _;

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

/// The letters of a swizzle, two bits each, the first letter in the lowest bits.
fn letters(select: usize) -> String {
    (0..4).map(|k| LETTERS[select >> (2 * k) & 3]).collect()
}

/// The swizzle that results when letters of an alias refer to letters of its register.
fn substituted(alias: &str, chosen: &str) -> String {
    let at = |letter: char| LETTERS.iter().position(|l| *l == letter).unwrap();
    chosen.chars().map(|letter| alias.chars().nth(at(letter)).unwrap()).collect()
}

/// Applies every swizzle to aliases with every swizzle, with either sign. Component n of an alias is the n-th letter of the alias's swizzle.
#[test]
fn components_of_an_alias_are_relative_to_it() {
    assert_eq!(substituted("wzyx", "xyyz"), "wzzy");
    for number in 0..256 {
        for part in 0..4 {
            let negated = (number + part) % 2 == 1;
            let alias = letters(number);
            let mut by_alias =
                format!(".raw vertex\n.alias a {}v3.{alias}\n", if negated { "-" } else { "" });
            let mut plain = ".raw vertex\n".to_owned();
            for select in (64 * part)..(64 * part + 64) {
                let chosen = letters(select);
                let minus = select % 3 == 0;
                let sign = |minus: bool| if minus { "-" } else { "" };
                writeln!(by_alias, "mov r0, {}a.{chosen}", sign(minus)).unwrap();
                let both = sign(minus != negated);
                writeln!(plain, "mov r0, {both}v3.{}", substituted(&alias, &chosen)).unwrap();
            }
            assert_eq!(read(&by_alias), read(&plain), "{by_alias}");
        }
    }
}

/// A line of an operation that takes a descriptor; one in three is a `mad`, whose descriptor field only reaches 32 rows.
fn line(random: &mut Random) -> String {
    let mut source = |file: &str| {
        let sign = if random.below(2) == 0 { "-" } else { "" };
        format!("{sign}{file}{}.{}", random.below(4), letters(random.below(256) as usize))
    };
    let [a, b, c] = [source("v"), source("r"), source("r")];
    let bits = random.below(15) + 1;
    let mask: String = (0..4).filter(|k| bits >> k & 1 == 1).map(|k| LETTERS[k]).collect();
    match random.below(3) {
        0 => format!("mov r5.{mask}, {a}"),
        1 => format!("add r5.{mask}, {a}, {b}"),
        _ => format!("mad r5.{mask}, {a}, {b}, {c}"),
    }
}

/// The meaning of a word: operation, destination, the components that it writes, and for each source the register, the sign and the component read
/// for each written component. Other components are irrelevant and depend on the sharing of descriptors.
fn meaning(program: &Program, at: usize) -> impl PartialEq + std::fmt::Debug {
    let word = &program.code[at];
    let mask = program.descriptor(word).unwrap().write_mask();
    let sources = program.sources(word).map(|source| {
        source.map(|s| {
            let read: Vec<usize> = (0..4).filter(|k| mask >> k & 1 == 1).map(|k| s.component(k)).collect();
            (s.register, s.negate, read)
        })
    });
    (word.op(), word.dst(), mask, sources)
}

/// Regardless of the number of descriptors, and of moves to make room for a `mad`, each word has the same meaning as its line assembled alone.
#[test]
fn instructions_keep_their_operands_when_descriptors_move() {
    let mut random = Random(0x5eed);
    let mut moved = 0;
    for draw in 0..200 {
        // First the lines whose descriptors may be anywhere, so that more than 32 come before a `mad`.
        let mut lines: Vec<String> = (0..60).map(|_| line(&mut random)).collect();
        if draw % 2 == 0 {
            lines.sort_by_key(|line| line.starts_with("mad"));
        }
        let mut mads = 0;
        lines.retain(|line| {
            mads += usize::from(line.starts_with("mad"));
            !line.starts_with("mad") || mads <= 16
        });
        let program = read(&format!(".raw vertex\n{}\nend\n", lines.join("\n")));
        for (at, line) in lines.iter().enumerate() {
            let alone = read(&format!(".raw vertex\n{line}\nend\n"));
            assert_eq!(meaning(&program, at), meaning(&alone, 0), "{line} in {}", lines.join("\n"));
            moved += usize::from(line.starts_with("mad") && at >= 32);
        }
    }
    assert!(moved > 500, "{moved} mads after 32 others");
}
