//! Compares, slot by slot, our decoding of the real programs with their listings, which were printed by Mesa's disassembler or written by hand in the
//! format of its listings.
//!
//! The format is described in the manual's sources L and M (a). [`HIDDEN`] lists the fields that a listing does not show, each with its reason.

use super::random::corpus;
use lockstep_core::isa::utgard_gp::assemble::{MAX_ERRORS, assemble, assemble_with_spans};
use lockstep_core::isa::utgard_gp::decode::decode;
use lockstep_core::isa::utgard_gp::facts::Facts;
use lockstep_core::isa::utgard_gp::program::{Load, Program, Target, Word};
use lockstep_core::isa::utgard_gp::source::{ResultOf, Source, StoreSource};
use lockstep_core::isa::utgard_gp::word::FieldId;
use std::collections::BTreeMap;
use std::fmt::Write as _;

const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];
const ACC: [&str; 8] = ["add", "floor", "sign", "op3", "ge", "lt", "min", "max"];
const UNUSED: u8 = 21;
const IDENTITY: u8 = 22;

/// The state of listing one word of a program.
struct Slots<'p> {
    program: &'p Program,
    at: usize,
    word: &'p Word,
    lines: Vec<String>,
}

/// Returns the lines for a word in the form of Mesa's listing, without indentation.
fn listed(program: &Program, at: usize, word: &Word) -> Vec<String> {
    let mut slots = Slots { program, at, word, lines: Vec::new() };
    slots.accs();
    slots.muls();
    slots.complex();
    slots.pass();
    if word.branch != 0 {
        let of = ResultOf::Pass as usize;
        slots.lines.push(format!("branch ^{} {:03}", 6 * at + of, word.target()));
    }
    if word.unknown_1 != 0 {
        slots.lines.push(format!("unknown_1 {}", word.unknown_1));
    }
    if slots.lines.is_empty() {
        slots.lines.push("nop".to_owned());
    }
    slots.lines
}

impl Slots<'_> {
    fn operand(&self, code: u8, identity: Option<&str>) -> String {
        let port0 = |w: &Word, c: u8| {
            let file = if w.port0_attribute != 0 { 'a' } else { '$' };
            let number = w.port0;
            if file == 'a' {
                format!("a{number}.{}", LETTERS[c as usize])
            } else {
                format!("${number}.{}", LETTERS[c as usize])
            }
        };
        match Source::decode(code, identity.is_some()) {
            Source::Port0(c) => port0(self.word, c),
            Source::Port0Before(c) => port0(&self.program.words[self.at - 1], c),
            Source::Port1(c) => format!("${}.{}", self.word.port1, LETTERS[c as usize]),
            Source::Load(c) => {
                let Load { address, offset } = self.word.load;
                let added = if offset == 7 { String::new() } else { format!("+addr{offset}") };
                format!("t[{address}{added}].{}", LETTERS[c as usize])
            }
            Source::Result { of, age } => format!("^{}", 6 * (self.at - usize::from(age)) + of as usize),
            Source::Identity => identity.unwrap().to_owned(),
            Source::Unused => "unused".to_owned(),
            Source::Unknown(c) => format!("unknown{}", c - 8),
        }
    }

    /// Adds a line: operation, number of the result, where the result is stored, operands.
    fn line(&mut self, op: &str, of: ResultOf, address: Option<u8>, operands: &[String]) {
        let mut text = format!("{op} ^{}", 6 * self.at + of as usize);
        if let Some(register) = address {
            let _ = write!(text, "/addr{register}");
        }
        for (unit, store) in self.word.store.iter().enumerate() {
            let here: String = (0..2)
                .filter(|c| StoreSource::decode(store.sources[*c]) == StoreSource::Result(of))
                .map(|c| LETTERS[2 * unit + c])
                .collect();
            if here.is_empty() {
                continue;
            }
            match store.target() {
                Target::Register(n) => {
                    let _ = write!(text, "/${n}.{here}");
                }
                Target::Varying(n) => {
                    let _ = write!(text, "/v{n}.{here}");
                }
                Target::Temporary | Target::Unknown => {
                    let _ = write!(text, "/t[addr0].{here}");
                }
            }
        }
        for operand in operands {
            text.push(' ');
            text.push_str(operand);
        }
        self.lines.push(text);
    }

    fn accs(&mut self) {
        for (k, of) in [ResultOf::Acc0, ResultOf::Acc1].into_iter().enumerate() {
            let (acc, op) = (self.word.acc[k], self.word.acc_op);
            if acc.a == UNUSED {
                continue;
            }
            let minus = |neg: u8| if neg != 0 { "-" } else { "" };
            let mut operands = vec![format!("{}{}", minus(acc.neg_a), self.operand(acc.a, None))];
            let moves = acc.b == IDENTITY && acc.neg_b != 0;
            if !moves && !matches!(op, 1 | 2) {
                operands.push(format!("{}{}", minus(acc.neg_b), self.operand(acc.b, Some("0"))));
            }
            let name = if moves { "mov" } else { ACC[usize::from(op)] };
            self.line(&format!("{name}.a{k}"), of, None, &operands);
        }
    }

    fn muls(&mut self) {
        let [m0, m1] = self.word.mul;
        match self.word.mul_op {
            0 | 3 => {
                for (k, (mul, of)) in [(m0, ResultOf::Mul0), (m1, ResultOf::Mul1)].into_iter().enumerate() {
                    if mul.a == UNUSED || mul.b == UNUSED {
                        continue;
                    }
                    let moves = mul.b == IDENTITY && mul.neg == 0;
                    let name = match (moves, k, self.word.mul_op) {
                        (true, ..) => "mov",
                        (_, 0, 3) => "complex2",
                        _ => "mul",
                    };
                    let mut operands = vec![self.operand(mul.a, None)];
                    if !moves {
                        let minus = if mul.neg != 0 { "-" } else { "" };
                        operands.push(format!("{minus}{}", self.operand(mul.b, Some("1"))));
                    }
                    self.line(&format!("{name}.m{k}"), of, None, &operands);
                }
            }
            4 => {
                let operands =
                    [self.operand(m0.b, Some("1")), self.operand(m0.a, None), self.operand(m1.a, None)];
                self.line("sel.m01", ResultOf::Mul0, None, &operands);
            }
            1 => {
                let operands = [
                    self.operand(m0.a, None),
                    self.operand(m0.b, Some("1")),
                    self.operand(m1.a, None),
                    self.operand(m1.b, Some("1")),
                ];
                self.line("complex1.m01", ResultOf::Mul0, None, &operands);
            }
            other => panic!("mul_op {other} is in no real program"),
        }
    }

    fn complex(&mut self) {
        let (op, source) = (self.word.complex_op, self.word.complex_src);
        if source == UNUSED {
            return;
        }
        let (name, address) = match op {
            2 => ("exp2", None),
            3 => ("log2", None),
            4 => ("rsqrt", None),
            5 => ("rcp", None),
            9 => ("mov", None),
            12..=15 => ("mov", Some(op - 12)),
            // Not in any real program; the test may set the field to it to see whether the listing shows it.
            _ => ("unknown", None),
        };
        let operand = self.operand(source, None);
        self.line(&format!("{name}.c"), ResultOf::Complex, address, &[operand]);
    }

    fn pass(&mut self) {
        let source = self.word.pass_src;
        if source == UNUSED {
            return;
        }
        let mut operands = vec![self.operand(source, None)];
        let name = match self.word.pass_op {
            2 => "mov",
            4 => "preexp2",
            5 => "postlog2",
            6 => {
                operands.extend([self.operand(12, None), self.operand(13, None)]);
                "clamp"
            }
            _ => "unknown",
        };
        self.line(&format!("{name}.p"), ResultOf::Pass, None, &operands);
    }
}

/// Returns the lines of a listing, grouped by word.
fn words_of(text: &str) -> Vec<Vec<String>> {
    let mut words: Vec<Vec<String>> = Vec::new();
    for line in text.lines() {
        let slot = match line.split_once(":\t") {
            Some((number, slot)) => {
                assert_eq!(number.parse(), Ok(words.len()), "{line}");
                words.push(Vec::new());
                slot
            }
            None => line.strip_prefix('\t').unwrap_or_else(|| panic!("{line}")),
        };
        words.last_mut().unwrap().push(slot.trim_end().to_owned());
    }
    words
}

/// Fields of real programs that the listings do not show: a description, the condition, and the reason. The test fails if any other field can be
/// reset to the no-op's value without changing the listing, or if no file needs one of the reasons.
type Hidden = (&'static str, fn(FieldId, &Word) -> bool, &'static str);

const HIDDEN: [Hidden; 2] = [
    (
        "address of an idle store unit",
        |field, word| {
            let idle = |unit: usize| !word.store[unit].stores_any();
            match field {
                FieldId::Store0Addr | FieldId::Store0Varying => idle(0),
                FieldId::Store1Addr | FieldId::Store1Varying => idle(1),
                _ => false,
            }
        },
        "SEED, M: Mesa leaves an old address where nothing is stored",
    ),
    (
        "second operand of floor and sign",
        |field, word| matches!(word.acc_op, 1 | 2) && matches!(field, FieldId::Acc0Src1 | FieldId::Acc1Src1),
        "L, M: Mesa writes 0 there and does not print it",
    ),
];

#[test]
fn listings_of_other_tools_agree_on_every_slot() {
    let Some(files) = corpus("lst") else { return };
    let (mut slots, mut hidden) = (0, BTreeMap::<&str, usize>::new());
    for (name, bytes, text) in &files {
        let program = decode(bytes).unwrap();
        let expected = words_of(text);
        assert_eq!(expected.len(), program.words.len(), "{name}");
        for (at, (word, lines)) in program.words.iter().zip(&expected).enumerate() {
            assert_eq!(&listed(&program, at, word), lines, "{name}, word {at}");
            slots += lines.len();
            // Every field that the listing shows has been compared. Any other field must equal that of the no-op, or have a known reason.
            let nop = Word::default();
            for field in FieldId::ALL {
                let plain = word.with_field(field, nop.field(field)).unwrap();
                if plain == *word || listed(&program, at, &plain) != *lines {
                    continue;
                }
                let reason = HIDDEN.iter().find(|(_, applies, _)| applies(field, word));
                let Some((what, ..)) = reason else {
                    panic!("{name}, word {at}: nothing shows {}", field.field().name)
                };
                *hidden.entry(what).or_default() += 1;
            }
        }
    }
    eprintln!("{} listings, {slots} slots; not shown: {hidden:?}", files.len());
    let unused: Vec<_> =
        HIDDEN.iter().filter(|(what, ..)| !hidden.contains_key(what)).map(|h| (h.0, h.2)).collect();
    assert_eq!(unused, [], "a reason that no file needs");
    assert!(slots > 12000);
}

/// Returns the word with its hidden fields reset.
fn shown(word: &Word) -> Word {
    let nop = Word::default();
    let hidden = |field: &FieldId| HIDDEN.iter().any(|(_, applies, _)| applies(*field, word));
    FieldId::ALL
        .into_iter()
        .filter(hidden)
        .fold(*word, |word, field| word.with_field(field, nop.field(field)).unwrap())
}

/// Returns the listing of a word without two facts that other tools' listings hide: the read port of an operand, and whether the operand reads the
/// load of this word or of the previous word.
fn without_ports(program: &Program, at: usize) -> Vec<String> {
    listed(program, at, &program.words[at])
}

#[test]
fn listings_of_other_tools_assemble_to_the_same_words() {
    let Some(files) = corpus("lst") else { return };
    let (mut same, mut by_other_ports) = (0, 0);
    for (name, bytes, text) in &files {
        let program = decode(bytes).unwrap();
        let again = assemble(text).unwrap_or_else(|e| panic!("{name}: {e:#?}"));
        assert_eq!(again.words.len(), program.words.len(), "{name}");
        for at in 0..program.words.len() {
            if shown(&again.words[at]) == shown(&program.words[at]) {
                same += 1;
            } else {
                assert_eq!(without_ports(&again, at), without_ports(&program, at), "{name}, word {at}");
                by_other_ports += 1;
            }
        }
    }
    println!("{} listings: {same} words are the same, {by_other_ports} read by other ports", files.len());
    assert!(same > 20 * by_other_ports, "{same} words are the same, {by_other_ports} not");
}

#[test]
fn malformed_lines_of_listings_are_refused_with_a_span() {
    let error = |text: &str| {
        let errors = assemble(text).unwrap_err();
        (errors[0].span.line, errors[0].message.clone())
    };
    let good = "000:\tmov.a0 ^0/v0.x a0.x\n\tmul.m0 ^2 a0.y t[3].x\n001:\tadd.a1 ^7/v0.y ^0 ^2\n";
    assert_eq!(assemble(good).unwrap().words.len(), 2);
    let with = |old: &str, new: &str| error(&good.replace(old, new));
    assert!(with("001", "002").1.contains("word 1"));
    assert_eq!(with("^7/v0.y", "^6/v0.y").0, 3);
    assert!(with("^7/v0.y", "^7/v0.q").1.contains("not a destination"));
    assert!(with("^0 ^2", "^0 ^12").1.contains("not an operand"));
    assert!(with("add.a1", "addd.a1").1.contains("no operation"));
    assert!(with("mul.m0", "mul.m7").1.contains("no unit"));
    assert!(with("t[3].x", "t[512].x").1.contains("not an operand"));
    assert!(with("a0.y t[3].x", "a0.y a1.x").1.contains("read ports"));
    // One sign negates an operand; a second one is not part of the format.
    let signed = |signs: &str| good.replace("^0 ^2\n", &format!("{signs}^0 ^2\n"));
    assert_eq!(assemble(&signed("-")).unwrap().words[1].acc[1].neg_a, 1);
    assert!(error(&signed("--")).1.contains("not an operand"));
    assert!(
        with("\tmul.m0 ^2 a0.y t[3].x", "\tmov.m0 ^2 t[3].x\n\tmov.m1 ^3 t[4].x").1.contains("one uniform")
    );
    assert!(with("001:\tadd.a1 ^7/v0.y ^0 ^2", "001:\tbranch ^4 000").1.contains("its own word"));
    assert!(error("000:\tsel.m01 ^2 t[0].x\n").1.contains("3 operands"));
    assert!(error("000:\tadd.a0 ^0 t[0].x t[0].y\n\tmax.a1 ^1 t[0].x t[0].y\n").1.contains("same operation"));
}

/// Mesa's listing prints `unused` for an operand whose code is 21. This project adds names such as `unknown1` for codes without a known meaning.
#[test]
fn operands_without_a_known_value_are_read_by_name() {
    let word = assemble("000: add.a0 ^0 a0.x unused\n mul.m0 ^2 unknown1 t[3].x\n").unwrap().words[0];
    assert_eq!((word.acc[0].b, word.mul[0].a), (UNUSED, 9));
}

#[test]
fn a_repeated_operand_uses_no_more_ports() {
    let once = assemble("000: mov.a0 ^0 $1.w\n rcp.c ^5 a2.x\n").unwrap().words[0];
    assert_eq!((once.port0_attribute, once.port0, once.port1), (1, 2, 1));
    let again =
        "000: mov.a0 ^0 $1.w\n mov.a1 ^1 $1.w\n mul.m0 ^2 $1.w $1.w\n mov.p ^4 $1.w\n rcp.c ^5 a2.x\n";
    let again = assemble(again).unwrap().words[0];
    assert_eq!((again.port0_attribute, again.port0, again.port1), (1, 2, 1));
    assert_eq!(
        (again.complex_src, again.pass_src, again.mul[0].b),
        (once.complex_src, once.acc[0].a, once.acc[0].a)
    );
}

/// A unit has one operation per word, so a second line for it is an error. A word with very many lines must not take memory quadratic in their
/// number.
#[test]
fn a_word_has_one_line_for_each_unit() {
    let second = |text: &str| {
        let errors = assemble(text).unwrap_err();
        assert_eq!(errors[0].span.line, 2, "{errors:?}");
        errors[0].message.clone()
    };
    for (first, again, unit) in [
        ("mov.a0 ^0/v0.x a0.x", "mov.a0 ^0/v0.y a0.y", "a0"),
        ("add.a1 ^1 a0.x a0.y", "add.a1 ^1 a0.x a0.y", "a1"),
        ("mul.m0 ^2 a0.x a0.y", "complex2.m0 ^2 a0.x a0.x", "m0"),
        ("mov.m1 ^3 a0.x", "sel.m01 ^2 a0.x a0.y a0.z", "m1"),
        ("sel.m01 ^2 a0.x a0.y a0.z", "mov.m0 ^2 a0.x", "m0"),
        ("mov.p ^4 a0.x", "clamp.p ^4 a0.x t[0].x t[0].y", "p"),
        ("rcp.c ^5 a0.x", "mov.c ^5/addr0 a0.x", "c"),
        ("branch ^4 000", "branch ^4 001", "branch"),
        ("unknown_1 1", "unknown_1 1", "unknown_1"),
    ] {
        let message = second(&format!("000: {first}\n {again}\n"));
        assert!(message.contains(&format!("a line for {unit} already")), "{again}: {message}");
    }
    // The next word may have a line for the same unit.
    assert!(assemble("000: mov.a0 ^0 a0.x\n001: mov.a0 ^6 a0.x\n").is_ok());
    assert!(second("000: nop\n mov.c ^5/addr0/addr1 a0.x\n").contains("one address register"));
    let many = format!("000: rcp.c ^5 $1.w\n{}", " rcp.c ^5 $1.w\n".repeat(20_000));
    assert_eq!(assemble(&many).unwrap_err().len(), MAX_ERRORS);
}

/// Comments and facts above a listing are accepted and must agree with it.
#[test]
fn a_header_and_facts_may_precede_a_listing() {
    let listing = "000:\tmov.a0 ^0/v0.x a0.x\n\tmul.m0 ^2 a0.y t[3].x\n001:\tadd.a1 ^7/v0.y ^0 ^2\n";
    let bare = assemble(listing).unwrap();
    assert_eq!(bare.facts, Facts::default());
    for head in
        ["// c\n", "# c\n\n", ".utgard_gp vertex\n", "// c\n .utgard_gp\n", "// c without a line\n\n\n"]
    {
        assert_eq!(assemble(&format!("{head}{listing}")).as_ref(), Ok(&bare), "{head}");
    }
    let text = format!(".utgard_gp vertex\n.prefetch 1 // a fact\n.position 0\n{listing}");
    let (program, places) = assemble_with_spans(&text).unwrap();
    assert_eq!(program.words, bare.words);
    assert_eq!(program.facts, Facts { prefetch: Some(1), position: Some(0), ..Facts::default() });
    assert_eq!(places.iter().map(|p| p.unwrap().line).collect::<Vec<_>>(), [4, 6]);
    // Errors before and in the listing are reported together.
    let wrong = format!(".prefetsch 1\n{}", listing.replace("add.a1", "addd.a1"));
    let errors = assemble(&wrong).unwrap_err();
    let lines: Vec<u32> = errors.iter().map(|e| e.span.line).collect();
    assert_eq!(lines, [1, 4], "{errors:?}");
    // Words in our syntax and in listing syntax do not mix.
    assert_eq!(assemble(&format!("nop;\n{listing}")).unwrap_err()[0].span.line, 2);
}
