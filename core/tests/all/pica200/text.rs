//! Assembly text: its meaning, its errors, and that it preserves every bit of a program.

use crate::diagnostics::{check_diagnostics, diagnostic_fields};
use crate::pica200::corpus::corpus;
use crate::pica200::random::{config, program};
use lockstep_core::host::{ConcreteHost, Environment, LaneInput};
use lockstep_core::isa::pica200::Pica200;
use lockstep_core::isa::pica200::assemble::{MAX_ERRORS, assemble};
use lockstep_core::isa::pica200::decode::decode;
use lockstep_core::isa::pica200::disassemble::{disassemble, disassemble_word};
use lockstep_core::isa::pica200::program::{Instruction, Program};
use lockstep_core::isa::{Context, Format, Options, Reference, Tables, run};
use lockstep_core::value::Concrete;
use proptest::prelude::*;

/// The words of a text.
pub(crate) fn words(text: &str) -> Vec<u32> {
    read(text).code.iter().map(Instruction::to_word).collect()
}

pub(crate) fn read(text: &str) -> Program {
    assemble(text).unwrap_or_else(|e| panic!("{text}\n{e:#?}"))
}

/// Line, column, message and help of each error.
fn errors(text: &str) -> Vec<(u32, u32, String, String)> {
    diagnostic_fields(assemble(text))
}

/// Column, message and help of the one error of a line in a raw program.
#[track_caller]
fn error(line: &str) -> (u32, String, String) {
    let mut all = errors(&format!(".raw vertex\n{line}"));
    assert_eq!(all.len(), 1, "{line}: {all:?}");
    let (at, column, message, help) = all.remove(0);
    assert_eq!(at, 2, "{line}: {message}");
    (column, message, help)
}

/// One source of an instruction can name every register. The fields of the other sources have five bits, which cannot name a uniform.
#[test]
fn only_one_source_may_be_a_uniform() {
    let registers = (0..16).flat_map(|n| [(format!("v{n}"), true), (format!("r{n}"), true)]);
    let uniforms = (0..96).map(|n| (format!("c{n}"), false));
    for (register, narrow) in registers.chain(uniforms) {
        for line in [
            format!("add r0, v0, {register}"),
            format!("add r0, c1, {register}"),
            format!("dphi r0, {register}, c1"),
            format!("cmp v0, eq, lt, {register}"),
            format!("mad r0, {register}, v0, v1"),
            format!("mad r0, v0, c1, {register}"),
            format!("madi r0, v0, {register}, c1"),
        ] {
            let read = assemble(&format!(".raw vertex\n{line}\nend"));
            assert_eq!(read.is_ok(), narrow, "{line}");
        }
        read(&format!(
            ".raw vertex\nadd r0, {register}, v0\nmov r0, {register}\nmad r0, v0, {register}, v1\nend"
        ));
    }
}

/// The number of words of a call has eight bits.
#[test]
fn a_procedure_of_255_words_can_be_called_and_a_longer_one_cannot() {
    let program = |words: usize| {
        assemble(&format!(".proc main\ncall far\nend\n.end\n.proc far\n{}.end", "nop\n".repeat(words)))
    };
    for words in [1, 2, 254, 255] {
        let call = program(words).unwrap().code[0].to_word();
        assert_eq!((call & 0xff, call >> 10 & 0xfff), (words as u32, 2), "{words} words");
    }
    for words in [256, 257, 511, 512] {
        assert!(program(words).is_err(), "{words} words");
    }
}

/// Programs whose instructions differ in one component of a selector: where they share a descriptor, the component has no effect.
#[test]
fn descriptors_are_shared_only_by_instructions_that_do_the_same() {
    let result = |text: &str| {
        let program = read(text);
        let options = Options::new(Pica200::option_specs());
        let entry = Pica200::entries(&program).remove(0);
        let cx: Context<'_, Pica200> = Context { program: &program, entry: &entry, options: &options };
        let slots = (0..16).map(|n| std::array::from_fn(|c| (n * 4 + c) as f32 * 0.37 + 0.5)).collect();
        let env = Environment { fuel: 64, lanes: vec![LaneInput { slots }], ..Environment::default() };
        let mut host = ConcreteHost::<false>::new(&env, 0);
        let mut group = run::start::<Pica200, _, _>(&Concrete, &mut host, &cx, 1, env.fuel);
        run::run(&mut Concrete, &mut host, &cx, &mut group);
        [0, 1].map(|slot| Pica200::output(&Concrete, &cx, &group[0].lane, slot).map(f32::to_bits))
    };
    let head = ".in a v0\n.in b v1\n.in c v2\n.out - position o0\n.out - color o1\n.proc main\n";
    let mut shared = 0;
    for (op, sources) in [
        ("add", 2),
        ("dp3", 2),
        ("dp4", 2),
        ("dph", 2),
        ("dst", 2),
        ("mul", 2),
        ("sge", 2),
        ("slt", 2),
        ("max", 2),
        ("min", 2),
        ("ex2", 1),
        ("lg2", 1),
        ("rcp", 1),
        ("rsq", 1),
        ("flr", 1),
        ("mov", 1),
        ("litp", 1),
        ("mad", 3),
    ] {
        for (source, component) in
            (0..sources).flat_map(|source| (0..4).map(move |component| (source, component)))
        {
            let operands = |changed: bool| {
                let one = |k: usize| {
                    let mut letters = ['x', 'y', 'z', 'w'];
                    if changed && k == source {
                        letters[component] = if component == 0 { 'w' } else { 'x' };
                    }
                    format!("{}.{}", ["a", "b", "c"][k], letters.iter().collect::<String>())
                };
                (0..sources).map(one).collect::<Vec<_>>().join(", ")
            };
            let body = |first: bool, second: bool| {
                let [one, two] = [first, second].map(operands);
                format!("{head}{op} r0, {one}\n{op} r1, {two}\nmov o0, r0\nmov o1, r1\nend\n.end\n")
            };
            let [plain, changed] = [body(false, false), body(true, true)].map(|text| result(&text));
            let both = body(false, true);
            let program = read(&both);
            shared += u32::from(program.code[0].to_word() & 0x7f == program.code[1].to_word() & 0x7f);
            assert_eq!(result(&both), [plain[0], changed[1]], "{both}");
        }
    }
    assert!(shared > 10, "{shared} pairs share a descriptor");
}

#[test]
fn blocks_may_be_nested_sixty_four_deep_in_text() {
    let nested = |depth: usize| {
        let (open, close) = ("ifu b0\n".repeat(depth), "nop\n.end\n".repeat(depth));
        format!(".raw vertex\n{open}nop\n{close}end\n")
    };
    read(&nested(64));
    let found = errors(&nested(65));
    assert_eq!((found[0].0, found[0].1), (66, 1), "{found:?}");
    assert!(found[0].2.contains("more than 64 deep"), "{found:?}");
}

/// Common idioms of sources for picasso are read: computed sizes and numbers, outputs without a name.
#[test]
fn sizes_and_numbers_may_be_products_and_outputs_need_no_name() {
    let with = |head: &str| format!("{head}\n.in v v0\n.proc main\nmov o0, v\nend\n.end\n");
    for (theirs, ours) in [
        (".out p position o0\n.fvec m[32*2]", ".out p position o0\n.fvec m[64]"),
        (".out p position o0\n.fvec m[2 * 3 * 4], n", ".out p position o0\n.fvec m[24], n"),
        (
            ".out p position o0\n.constf k(1.0/128.0, -1/2, 3*0.5, 1)",
            ".out p position o0\n.constf k(0.0078125, -0.5, 1.5, 1)",
        ),
        (".out o0 position", ".out - position o0"),
        (".out o3 texcoord0.xy\n.out o0 position", ".out - texcoord0.xy o3\n.out - position o0"),
    ] {
        assert_eq!(read(&with(theirs)), read(&with(ours)), "{theirs}");
    }
    for (wrong, message) in [
        (".fvec m[96*2]", "number of registers"),
        (".fvec m[2*]", "number of registers"),
        (".fvec m[18446744073709551615*2]", "number of registers"),
        (".constf k(1/, 2, 3, 4)", "expected a number"),
        (".out o0 nowhere", "there is no output semantic 'nowhere'"),
        (".out o0 position o1", "end of the line"),
        (".out o16 position", "register"),
        (".out v0 position", "register"),
        (".setf r1(1, 2, 3, 4)", "expected a float uniform"),
        (".setf -c1(1, 2, 3, 4)", "without sign, index and components"),
        (".setf c1.yx(1, 2, 3, 4)", "without sign, index and components"),
        (".setf c1[a0.x](1, 2, 3, 4)", "without sign, index and components"),
        (".seti i1.x(1, 2, 3, 4)", "without sign, index and components"),
        (".setb b1[aL] true", "without sign, index and components"),
        (".setb -b1 true", "without sign, index and components"),
        (".in w -v1", "without sign, index and components"),
        (".in w v1.x", "without sign, index and components"),
        (".gsh point c1.y", "without sign, index and components"),
        (".gsh fixed c1 -c2 3", "without sign, index and components"),
    ] {
        let found = errors(&with(wrong));
        assert!(found[0].2.contains(message), "{wrong}: {found:?}");
    }
}

#[test]
fn real_programs_round_trip_as_text() {
    let Some(files) = corpus() else { return };
    let (mut instructions, mut raw, mut numbered) = (0, 0, 0);
    for file in &files {
        let program = decode(&file.bytes).unwrap();
        let text = disassemble(&program);
        assert!(text.is_ascii(), "{}", file.name);
        assert_eq!(assemble(&text).as_ref(), Ok(&program), "{}: {text}", file.name);
        instructions += program.code.len();
        raw += text.lines().filter(|l| l.contains(".word") || l.contains('{')).count();
        numbered += text.lines().filter(|l| l.contains('@')).count();
    }
    eprintln!(
        "{instructions} instructions, {raw} raw or with spare fields, {numbered} with numbered descriptors"
    );
    // Assemblers leave spare bits at zero, so almost everything is plain syntax.
    assert!(raw * 50 < instructions, "{raw} of {instructions}");
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn programs_round_trip_as_text(program in program()) {
        let text = disassemble(&program);
        let back = assemble(&text);
        prop_assert_eq!(back.as_ref(), Ok(&program), "{}", text);
        for word in 0..program.code.len() as u32 {
            let line = disassemble_word(&program, word);
            prop_assert!(text.lines().any(|l| l.trim() == line));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        match assemble(&text) {
            Ok(program) => prop_assert_eq!(assemble(&disassemble(&program)), Ok(program)),
            Err(errors) => check_diagnostics(&text, &errors)?,
        }
    }

    /// Texts of known tokens in random order.
    #[test]
    fn any_words_are_read_or_refused(picks in proptest::collection::vec(0usize..WORDS.len(), 0..60)) {
        let text: String = picks.iter().map(|k| format!("{} ", WORDS[*k])).collect();
        match assemble(&text) {
            Ok(program) => prop_assert_eq!(assemble(&disassemble(&program)), Ok(program)),
            Err(errors) => check_diagnostics(&text, &errors)?,
        }
    }
}

const WORDS: &[&str] = &[
    "\n",
    "\n",
    "\n",
    "\n",
    "\n",
    "add",
    "mov",
    "mad",
    "cmp",
    "mova",
    "ifc",
    "ifu",
    "for",
    "call",
    "jmpu",
    "setemit",
    "end",
    "r0",
    "v1",
    "c95",
    "o2",
    "i0",
    "b3",
    "a0",
    ".",
    "x",
    "xyzw",
    "[",
    "]",
    "aL",
    "+",
    "-",
    ",",
    ",",
    ",",
    "1",
    "0x10",
    "!",
    "cmp",
    "&&",
    "==",
    "lt",
    ".proc",
    ".end",
    ".else",
    ".fvec",
    ".constf",
    "(",
    ")",
    ".raw vertex",
    "\n.dvlb",
    ".opdesc",
    ".word",
    "@0",
    "{",
    "}",
    "unused",
    "=",
    ":",
    "main",
    "\n.proc main\nnop\n.end\n",
    ".out",
    ".in",
    ".constfa",
    ".gap",
    "at",
    ".dvle",
    ".shader",
    ".gsh",
    "\"",
    ";",
    "é",
];

#[test]
fn every_error_is_reported_with_its_line() {
    let text = ".raw vertex\nadd r0 r1, r2\nfoo r1, zz\nmov r0, q1\nmov r0, r1\nmov r0\n";
    let lines: Vec<u32> = errors(text).iter().map(|e| e.0).collect();
    assert_eq!(lines, [2, 3, 4, 6]);
    assert_eq!(errors(&format!(".raw vertex\n{}", "?\n".repeat(1000))).len(), MAX_ERRORS);
    let long = format!(".raw vertex\nmov {}, v0", "q".repeat(1 << 20));
    assert!(errors(&long)[0].2.len() < 200);
    assert!(errors(&format!(".raw vertex\n{}", "1 ".repeat(1 << 10)))[0].2.contains("too long"));
    assert!(errors("")[0].2.contains("main"));
    // A uniform that two shaders of a text share must have the same kind and size in both.
    let two = |first: &str, second: &str| {
        format!("{first}\n.proc main\nend\n.end\n.shader\n{second}\n.proc other\nend\n.end\n")
    };
    assert!(assemble(&two(".fvec m[4]", ".fvec m[4]")).is_ok());
    for other in [".fvec m[3]", ".fvec m[5]", ".ivec m[4]", ".bool m[4]"] {
        assert!(errors(&two(".fvec m[4]", other))[0].2.contains("another kind or size"), "{other}");
    }
}

/// The number of a descriptor after the 128th does not fit the seven bits of an instruction, whether the descriptor is declared or added by the
/// assembler.
#[test]
fn a_descriptor_that_no_instruction_can_name_is_an_error() {
    let rows = |count: usize, last: &str| {
        format!(
            ".raw vertex\n{}.opdesc {last}\nadd o0, v0, v1\nend\n",
            ".opdesc x, y, y, y\n".repeat(count - 1)
        )
    };
    // The instruction uses the last row if that has its mask and selectors, otherwise a new row.
    for last in ["xyzw, xyzw, xyzw, xyzw", "x, y, y, y"] {
        for count in [127, 128, 129, 140] {
            let read = assemble(&rows(count, last));
            if count <= 127 || count == 128 && last.starts_with("xyzw") {
                assert!(read.is_ok(), "{count}, {last}: {read:?}");
            } else {
                let errors = diagnostic_fields(read);
                let (line, _, message, _) = &errors[0];
                assert!(*line == count as u32 + 2 && message.contains("at most 128"), "{errors:?}");
            }
        }
    }
}

/// A `mad` with an error must not keep the number of a descriptor row that is moved out of the reach of `mad`: the row's new number does not fit the
/// five bits of the field.
#[test]
fn a_mad_with_an_error_keeps_no_descriptor_that_moves_out_of_its_reach() {
    let swizzle = |n: usize| -> String { (0..4).map(|at| ["x", "y", "z", "w"][n >> (2 * at) & 3]).collect() };
    // The rows 0 to 32, of which mad reaches all but the last.
    let rows: String = (0..33).map(|n| format!("add r0, v0.{}, v1\n", swizzle(n))).collect();
    let text = format!(".raw vertex\n{rows}mad r0, v0, v1, v2 @5\nmad r0, v0.{}, v1, v2\nend\n", swizzle(32));
    let errors = diagnostic_fields(assemble(&text));
    assert_eq!(errors.len(), 1, "{errors:?}");
    let (line, _, message, _) = &errors[0];
    assert!(*line == 35 && message.contains("no descriptor 5"), "{errors:?}");
}

/// `mad` and `madi` have five bits for the number of their descriptor, other instructions seven (S1).
#[test]
fn each_instruction_names_the_descriptors_that_its_field_can_hold() {
    let rows = ".opdesc xyzw, xyzw, xyzw, xyzw\n".repeat(128);
    for (line, most) in [
        ("mad r0, v0, v1, v2", 31),
        ("madi r0, v0, v1, v2", 31),
        ("mov r0, v0", 127),
        ("add r0, v0, v1", 127),
        ("dphi r0, v0, v1", 127),
        ("cmp v0, eq, lt, v1", 127),
    ] {
        for row in 0..=130 {
            let read = assemble(&format!(".raw vertex\n{rows}{line} @{row}\nend\n"));
            assert_eq!(read.is_ok(), row <= most, "{line} @{row}");
            let Err(errors) = read else { continue };
            let at: Vec<u32> = errors.iter().map(|error| error.span.line).collect();
            assert_eq!(at, [130], "{line} @{row}: {errors:?}");
        }
    }
}

/// A target has twelve bits and a number of words eight (S1). A block that needs more is an error at its end.
#[test]
fn each_block_ends_within_reach_of_its_fields() {
    let nops = |count: usize| "nop\n".repeat(count);
    let check = |text: &str, fits: bool, line: usize| match assemble(text) {
        Ok(_) => assert!(fits, "the end in line {line} must be out of reach"),
        Err(errors) => {
            assert!(!fits, "{errors:?}");
            let found: Vec<_> = errors.iter().map(|e| (e.span.line as usize, e.message.as_str())).collect();
            assert!(
                matches!(found[..], [(at, message)] if at == line && message.contains("out of reach")),
                "{found:?}"
            );
        }
    };
    // The word after the first arm is at most 4095, and so is the last word of a loop.
    for words in [4094, 4095, 4096] {
        for (open, end) in [("ifu b0", words), ("ifc cmp.x", words), ("for i0", words - 1)] {
            let text = format!(".raw geometry\n{open}\n{}.end\nend\n", nops(words - 1));
            check(&text, end <= 4095, words + 2);
        }
        let text = format!(".raw geometry\nifu b0\n{}.else\nnop\n.end\nend\n", nops(words - 1));
        check(&text, words <= 4095, words + 2);
    }
    for words in [254, 255, 256] {
        let text = format!(".raw geometry\nifu b0\nnop\n.else\n{}.end\nend\n", nops(words));
        check(&text, words <= 255, words + 5);
    }
}

#[test]
fn errors_have_a_span_and_a_suggestion() {
    let (column, message, _) = error("add r0, r1 r2");
    assert!(column == 12 && message.contains("','") && message.contains("r2"), "{message}");
    let (column, _, help) = error("  moo r0, v0");
    assert!(column == 3 && help.contains("'mov'"), "{help}");
    assert!(error("mov c0, v0").1.contains("written"));
    assert!(error("mov v0, v0").1.contains("written"));
    assert!(error("mov -r0, v0").1.contains("sign"));
    assert!(error("mov r0, o0").1.contains("read"));
    assert!(error("mov r0, i0").1.contains("read"));
    let (column, message, help) = error("add r0, r1, c2");
    assert!(column == 13 && message.contains("uniform") && help.contains("first"), "{message} {help}");
    assert!(error("add r0, r1, r2[aL]").2.contains("first"));
    assert!(error("mad r0, c1, r2, r3").2.contains("second"));
    assert!(error("mad r0, r1, c2, c3").2.contains("second"));
    assert!(error("dphi r0, c1, r2").2.contains("second"));
    assert!(error("mov r16, v0").2.contains("r0 to r15"));
    assert!(error("mov r0, c96").2.contains("c0 to c95"));
    assert!(error("mov r0, c90[7]").1.contains("c97"));
    assert!(error("mov r0, c0[-1]").1.contains("c-1"));
    assert!(error("mov r0, v0.xg").1.contains("mix"));
    assert!(error("mov r0, v0.xyzwx").1.contains("four"));
    assert!(error("mov r0, v0.k").1.contains("'k'"));
    assert!(error("mov r0, v0.x_z").1.contains("mask"));
    assert!(error("mov r0, c0[r1]").1.contains("a0.x"));
    assert!(error("mova r0, v0").2.contains("a0.x"));
    assert!(error("cmp r0, =, <, r1").1.contains("=="));
    assert!(error("cmp r0, <, r1").1.contains("comparison"));
    assert!(error("cmp1 r0, >, <, r1").2.contains("cmp2"));
    assert!(error("cmp2 r0, <, <, r1").2.contains("cmp1"));
    assert!(error("jmpc cmp.z, 3").1.contains("x or y"));
    assert!(error("jmpc cmp.x && cmp.x, 3").1.contains("once"));
    assert!(error("jmpu i0, 3").1.contains("Boolean"));
    assert!(error("for b0, 3").1.contains("integer"));
    assert!(error("jmpu b0, lab").1.contains("label 'lab'"));
    assert!(error("jmpu b0, 0x1000").1.contains("0xfff"));
    assert!(error("call 3").1.contains("number of words"));
    assert!(error("call p1").1.contains("procedure 'p1'"));
    assert!(error("setemit 4").1.contains("0x3"));
    assert!(error("setemit 0, pri").1.contains("prim"));
    assert!(error("end 1").1.contains("end of the line"));
    assert!(error(".end").1.contains("without"));
    assert!(error(".else").1.contains("without"));
    assert!(error("ifc cmp.x").1.contains(".end"));
    assert!(error(".proc a").1.contains(".end"));
    assert!(error(".prc a").2.contains("'.proc'"));
    assert!(error(".out a positon").2.contains("'position'"));
    assert!(error(".word 0x100000000").1.contains("0xffffffff"));
    assert!(error("mov r0, v0 @3").2.contains(".opdesc"));
    assert!(error("nop @3").1.contains("no descriptor"));
    assert!(error("nop {unused=1}").2.contains("ignored"));
    assert!(error("mov r0, v0 {unused=32}").1.contains("0x1f"));
    assert!(error(".dvle at=0").1.contains(".dvlb"));
    assert!(error(".opdesc xyzw, xyzw").1.contains("','"));
    assert!(error(".fvec a[97]").1.contains("0x60"));
    assert!(error(".fvec a[90], b[7]").1.contains("left"));
    assert!(error(".fvec c3").1.contains("register"));
    assert!(error(".alias r1 v0").1.contains("register"));
    assert!(error(".constf a(1, 2, 3)").1.contains("','"));
    assert!(error(".consti a(1, 2, 3, 256)").1.contains("255"));
    assert!(error(".raw vertex").1.contains("twice"));
    assert!(error(".padding maybe").1.contains("on or off"));

    let near = errors(".raw vertex\n.fvec matrix[4]\nmov r0, matrx\n");
    assert!(near[0].3.contains("'matrix'"), "{near:?}");
    let label = errors(".raw vertex\nlab: nop\ncall lab\n");
    assert!(label[0].3.contains("number of words"), "{label:?}");
    let wrong = errors(".raw vertex\n.opdesc xy, xyzw, x, x\nmov r0, v0 @0\n");
    assert!(wrong[0].2.contains("descriptor 0"), "{wrong:?}");
    let twice = errors(".raw vertex\na: nop\na: nop\n.proc b\nnop\n.end\n.proc b\n.end");
    assert_eq!(twice.iter().map(|e| e.0).collect::<Vec<_>>(), [3, 7, 8]);
}

#[test]
fn containers_that_contradict_themselves_are_refused() {
    let parts = |code: &str, at: &str| {
        format!(
            ".dvlb version=0, code={code}, descriptors=0x100, filenames=0\n.gap at={at}\n.bytes 00\nnop\nnop\n"
        )
    };
    assert!(assemble(&parts("0x1c", "0x2c")).is_ok());
    assert!(
        errors(&parts("0x1d", "0x2e"))[0].2.contains("undeclared gaps"),
        "a byte that belongs to no part"
    );
    assert!(errors(&parts("0x1c", "0x2b"))[0].2.contains("overlap"), "a gap that overlaps the code");
    assert!(errors(&parts("0x18", "0x2c"))[0].2.contains("no other part"), "code that overlaps the header");
    assert!(errors(&parts("0xfffffff0", "0x2c"))[0].2.contains("fit"), "code beyond all bytes");
}

#[test]
fn a_byte_of_a_gap_has_two_digits() {
    let gap = |byte: &str| {
        assemble(&format!(
            ".dvlb version=0, code=0x1c, descriptors=0x100, filenames=0\n.gap at=0x2c\n.bytes {byte}\nnop\nnop\n"
        ))
    };
    for byte in ["00", "07", "0a", "a0"] {
        assert!(gap(byte).is_ok(), "{byte}");
    }
    for byte in ["0", "7", "a", "000", "007"] {
        assert!(gap(byte).unwrap_err()[0].message.contains("two hexadecimal digits"), "{byte}");
    }
}
