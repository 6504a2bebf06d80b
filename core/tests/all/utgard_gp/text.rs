//! Assembly text: its meaning, its errors, and that it preserves every bit.

use super::random::{any_program, any_word};
use crate::diagnostics::{check_diagnostics, diagnostic_fields};
use lockstep_core::isa::utgard_gp::assemble::{MAX_ERRORS, assemble};
use lockstep_core::isa::utgard_gp::container::MAX_FILE_SIZE;
use lockstep_core::isa::utgard_gp::decode::decode;
use lockstep_core::isa::utgard_gp::disassemble::{disassemble, disassemble_fields, disassemble_word};
use lockstep_core::isa::utgard_gp::encode::encode;
use lockstep_core::isa::utgard_gp::facts::{Facts, Literals};
use lockstep_core::isa::utgard_gp::program::{Program, Word};
use lockstep_core::isa::utgard_gp::word::FieldId;
use proptest::prelude::*;

fn read(text: &str) -> Program {
    assemble(text).unwrap_or_else(|e| panic!("{text}: {e:#?}"))
}

/// Returns the fields of a text's only word that differ from the no-op, by name.
#[track_caller]
fn fields(text: &str) -> Vec<(&'static str, u16)> {
    let program = read(text);
    assert_eq!(program.words.len(), 1, "{text}");
    let (word, nop) = (program.words[0], Word::default());
    let changed = FieldId::ALL.into_iter().filter(|id| word.field(*id) != nop.field(*id));
    changed.map(|id| (id.field().name, word.field(id))).collect()
}

/// Returns the line, column, message and help of each error.
fn errors(text: &str) -> Vec<(u32, u32, String, String)> {
    diagnostic_fields(assemble(text))
}

/// Returns the column, message and help of a line's only error.
#[track_caller]
fn error(line: &str) -> (u32, String, String) {
    let mut all = errors(line);
    assert_eq!(all.len(), 1, "{line}: {all:?}");
    let (_, column, message, help) = all.remove(0);
    (column, message, help)
}

/// Numbers in brackets and after names go up to the maximum of their field.
#[test]
fn numbers_are_read_up_to_their_limit() {
    let fits = |line: &str| assemble(line).is_ok();
    for (unit, operations, operand) in [
        ("acc[0]", 8, "(attribute.x, attribute.y)"),
        ("mul[0]", 8, "(attribute.x, attribute.y)"),
        ("pass", 8, "(attribute.x)"),
        ("complex", 16, "(attribute.x)"),
    ] {
        let reads = |number: u32| fits(&format!("attribute.load(0), {unit}.op{number}{operand};"));
        // An operation may need other operands.
        assert!((0..operations).any(reads), "{unit}");
        assert_eq!((operations..40).find(|number| reads(*number)), None, "{unit}");
    }
    for age in 0..5 {
        let line = format!("nop;\nnop;\nacc[0].mov(mul[0].out[{age}]);");
        assert_eq!(fits(&line), (1..=2).contains(&age), "{line}");
    }
    for register in 0..18 {
        let line = format!("position(mesa, 0, {register}, 1, 2);");
        assert_eq!(fits(&line), register < 16, "{line}");
    }
    for constant in [0, 510, 511, 512] {
        let line = format!("position(mesa, 0, 1, {constant}, 2);");
        assert_eq!(fits(&line), constant < 512, "{line}");
    }
}

/// The operands of macros are those of the words: varyings and registers 0 to 15, slots 0 to 511 (SEED, M). A larger number is an error at its
/// position.
#[test]
fn each_operand_of_a_macro_has_the_limit_of_its_field() {
    for (name, operands) in [
        ("position(mesa", &[15, 15, 511, 511][..]),
        ("position(seed", &[15, 15, 511, 511, 511]),
        ("position(arm", &[15, 15, 511, 511, 511]),
        ("point_size(mesa", &[15, 15, 511]),
        ("point_size(arm", &[15, 15, 511]),
    ] {
        for (k, most) in operands.iter().enumerate() {
            for past in [0, 1] {
                let mut line = name.to_owned();
                let mut column = 0;
                for at in 0..operands.len() {
                    line.push_str(", ");
                    if at == k {
                        column = line.len() as u32 + 1;
                    }
                    line.push_str(&if at == k { most + past } else { 1 }.to_string());
                }
                // The statement is not in the first line, so that a position in the text of the macro's expansion is noticed.
                let text = format!("nop;\n{line});");
                if past == 0 {
                    assert!(read(&text).words.len() > 2, "{text}");
                } else {
                    let all: Vec<_> =
                        errors(&text).into_iter().map(|(line, column, ..)| (line, column)).collect();
                    assert_eq!(all, [(2, column)], "{text}");
                }
            }
        }
    }
}

#[test]
fn what_follows_the_operands_of_a_macro_is_an_error_at_its_position() {
    for line in
        ["position(mesa, 0, 0, 1, 2 9);", "position(mesa, 0, 0, 1, 2) 9;", "position(mesa, 0, 0, 1, 2 9 1);"]
    {
        let all: Vec<_> = errors(line).into_iter().map(|(line, column, ..)| (line, column)).collect();
        assert_eq!(all, [(1, line.find('9').unwrap() as u32 + 1)], "{line}");
    }
}

// The example statement of the syntax in L, M. Its fields were looked up in the tables of operand codes and store sources (SEED, M).
#[test]
fn the_syntax_of_lima_compiler_is_read() {
    let line = "uniform.load(1), register[1].load(2), mul[0].mul(mul[1].out[2], pass.out[2]), \
        acc[1].pass(mul[1].out[1]), store[0].varying(0, acc[1].out, acc[0].out), branch(8), unknown_1(13);";
    assert_eq!(
        fields(line),
        [
            ("mul0_src0", 27),
            ("mul0_src1", 23),
            ("acc1_src0", 19),
            ("acc1_src1", 22),
            ("acc1_src1_neg", 1),
            ("load_addr", 1),
            ("register1_addr", 2),
            ("branch", 1),
            ("branch_target_lo", 1),
            ("store0_src_x", 1),
            ("store0_src_y", 0),
            ("store0_varying", 1),
            ("unknown_1", 13),
            ("branch_target", 8),
        ]
    );
    assert_eq!(fields("pass.op4(uniform.w);"), [("pass_op", 4), ("pass_src", 15)]);
    assert_eq!(fields("complex.st_addr(acc[0].out[1]);"), [("complex_op", 12), ("complex_src", 16)]);
    assert_eq!(fields("complex.ld_addr_2(attrib.y[1]);"), [("complex_op", 15), ("complex_src", 29)]);
    assert_eq!(fields("temporary.load(7, addr[1]);"), [("load_addr", 7), ("load_offset", 1)]);
    assert_eq!(
        fields("mul[1].mul(pass.out[1], -uniform.x);"),
        fields("-mul[1].mul(pass.out[1], uniform.x);")
    );
    assert_eq!(
        fields("acc[0].floor(uniform.x, register[0].x);"),
        [("acc0_src0", 12), ("acc0_src1", 0), ("acc_op", 1)]
    );
    assert_eq!(
        fields("store[1].temporary(0, unused, complex.out);"),
        [("store1_temporary", 1), ("store1_src_w", 6)]
    );
}

#[test]
fn items_set_the_documented_fields() {
    assert_eq!(
        fields("mul.select(ident, attribute.x, mul[0].out[1]), attribute.load(15);"),
        [
            ("mul0_src0", 0),
            ("mul0_src1", 22),
            ("mul1_src0", 18),
            ("register0_addr", 15),
            ("register0_attribute", 1),
            ("mul_op", 4)
        ]
    );
    assert_eq!(
        fields("mul.complex1(complex.out[1], mul[0].out[1], complex.out[1], pass.out[2]);"),
        [("mul0_src0", 22), ("mul0_src1", 18), ("mul1_src0", 22), ("mul1_src1", 23), ("mul_op", 1)]
    );
    assert_eq!(
        fields("mul[1].mov(pass.out[1]), mul[0].complex2(acc[1].out[2], acc[1].out[2]);"),
        [("mul0_src0", 25), ("mul0_src1", 25), ("mul1_src0", 20), ("mul1_src1", 22), ("mul_op", 3)]
    );
    assert_eq!(
        fields(
            "acc[0].max(register[1].x, -register[1].x), acc[1].max(-unknown2, ident), register[1].load(9);"
        ),
        [
            ("acc0_src0", 4),
            ("acc0_src1", 4),
            ("acc1_src0", 10),
            ("acc1_src1", 22),
            ("acc0_src1_neg", 1),
            ("acc1_src0_neg", 1),
            ("register1_addr", 9),
            ("acc_op", 7)
        ]
    );
    // A multiplication negates its result, so two minus signs cancel each other.
    let product = |operands: &str| fields(&format!("mul[0].mul({operands}), attribute.load(1);"));
    assert_eq!(product("-attribute.x, -attribute.y"), product("attribute.x, attribute.y"));
    let negated = product("attribute.x, -attribute.y");
    assert!(negated == product("-attribute.x, attribute.y") && negated.contains(&("mul0_neg", 1)));
    assert_eq!(fields("branch(256);"), [("branch", 1)]);
    assert_eq!(fields("branch(511);"), [("branch", 1), ("branch_target", 255)]);
    assert_eq!(fields("acc_op=3, mul1_neg=1; // any field"), [("mul1_neg", 1), ("acc_op", 3)]);
    assert_eq!(fields("store[1].register(3, unknown_5, pass.out), store1_varying=0;").len(), 3);
    assert_eq!(fields("nop;"), []);
}

#[test]
fn labels_stand_for_words() {
    let program = read("l0: nop; branch(end), pass.mov(uniform.x); branch(l0);\nend: nop;");
    assert_eq!(program.words[1].target(), 3);
    assert_eq!(program.words[2].target(), 0);
    let text = disassemble(&program);
    assert!(text.contains("l3:\n") && text.contains("branch(l3)"), "{text}");
    assert_eq!(disassemble_word(&program, 2), "branch(0)");
    assert_eq!(disassemble_word(&program, 0), "nop");
    assert_eq!(disassemble_word(&program, 4), "");
}

#[test]
fn facts_are_directives() {
    let text = ".prefetch 4\n.position 0x0\n.viewport_scale 7\n.viewport_offset 8\n.literals 9\n.literal 0x3f800000 1\nnop;\n.tail 1 0xff\n";
    let program = read(text);
    let facts = Facts {
        prefetch: Some(4),
        viewport_scale: Some(7),
        viewport_offset: Some(8),
        position: Some(0),
        literals: Literals { slot: 9, bits: vec![0x3f80_0000, 1] },
        ..Facts::default()
    };
    assert_eq!(program, Program { words: vec![Word::default()], tail: vec![1, 0xff], facts });
    assert!(error(".prefetsch 4\nnop;").2.contains("'.prefetch'"));
    assert!(error(".prefetch 4\n.prefetch 4\nnop;").1.contains("once"));
    assert!(error(".prefetch 65536\nnop;").1.contains("from 0 to 65534"));
    assert!(error(".prefetch\nnop;").1.contains("one number"));
    assert!(error(".tail 256\nnop;").1.contains("from 0 to 255"));
    assert!(error(".literal 1.5\nnop;").1.contains("'1.5'"));
    assert!(error(".\nnop;").1.contains("name"));
}

#[test]
fn an_unknown_directive_is_reported_before_its_operands() {
    for operands in ["hello", "4", "", "4 5", "1.5"] {
        let (column, message, help) = error(&format!(".prefetsch {operands}\nnop;"));
        assert!(column == 2 && message.contains("'prefetsch'") && help.contains("'.prefetch'"), "{message}");
    }
    assert!(error(".prefetch hello\nnop;").1.contains("'hello'"));
}

#[test]
fn text_is_canonical() {
    let text = "\
.utgard_gp vertex
.position 0
uniform.load(5, addr[2]), attribute.load(1), register[1].load(15), mul[0].mul(attribute.x, uniform.y),
    -mul[1].mov(register[1].w), acc[0].add(-uniform.z, attribute.w), acc[1].mov(uniform.w); // 0
l1:
uniform.load(0), mul[0].complex2(mul[1].out[1], mul[1].out[1]), complex.rcp(mul[1].out[1]),
    pass.clamp(attribute.z[1]), store[0].register(2, complex.out, unused),
    store[1].varying(0, unused, pass.out); // 1
nop; // 2
pass.mov(complex.out[1]), branch(l1), unknown_1(13); // 3
";
    let program = read(text);
    assert_eq!(disassemble(&program), text);
    let exact = disassemble_fields(&program);
    assert!(exact.contains("mul0_src0=0, mul0_src1=13") && !exact.contains('('), "{exact}");
    assert_eq!(disassemble_fields(&read(&exact)), exact);
}

#[test]
fn errors_have_a_span_and_a_suggestion() {
    let (column, message, help) = error("mul[0].mull(uniform.x, uniform.y);");
    assert!(column == 8 && message.contains("'mull'") && help.contains("'mul'"), "{help}");
    let (column, message, help) =
        error("acc[0].add(uniform.x, uniform.y), acc[1].max(uniform.x, uniform.y);");
    assert!(
        column == 35 && message.contains("max") && message.contains("add") && help.contains("same operation")
    );
    assert!(error("mul[0].mul(uniform.x, complex.out[1]);").2.contains("swap"));
    assert!(error("mul[0].mov(ident);").1.contains("identity"));
    assert!(error("pass.mov(complex.out[2]);").1.contains("two words later"));
    assert!(error("pass.mov(acc[0].out[0]);").2.contains("the previous word"));
    assert!(error("pass.mov(acc[0].out);").1.contains("'['"));
    assert!(error("attribute.load(1), register[0].load(1);").2.contains("port 0"));
    assert!(
        error("attribute.load(1), register[1].load(1), pass.mov(register[0].x);")
            .1
            .contains("register0_attribute")
    );
    assert!(error("register[1].load(1), register[1].load(2);").2.contains("port 1"));
    assert!(error("uniform.load(1), temporary.load(2);").2.contains("one uniform"));
    assert!(error("uniform.load(512);").1.contains("511"));
    assert!(error("attribute.load(16);").1.contains("15"));
    assert!(error("acc[2].mov(uniform.x);").1.contains("0 to 1"));
    assert!(error("pass.mov(uniform.q);").1.contains("component"));
    assert!(error("pass.mov(unifrom.x);").2.contains("'uniform'"));
    assert!(error("unifrom.load(1);").2.contains("'uniform'"));
    assert!(error("mul0_scr0=1;").2.contains("'mul0_src0'"));
    assert!(error("acc_op=8;").1.contains("0 to 7"));
    assert!(error("acc[0].mov(uniform.x), acc0_src0=13;").1.contains("already"));
    assert!(error("mul.select(uniform.x, uniform.y);").1.contains("3 operands"));
    assert!(error("mul.mul(uniform.x, uniform.y);").2.contains("mul[0]"));
    assert!(error("mul[1].complex2(uniform.x, uniform.y);").2.contains("mul[0]"));
    assert!(error("mul[0].select(uniform.x, uniform.y);").1.contains("one multiplier"));
    assert!(error("mul_op=4, mul[1].mov(uniform.x);").1.contains("wide"));
    assert!(error("-acc[0].mov(uniform.x);").1.contains("negated"));
    assert!(error("pass.mov(-uniform.x);").1.contains("negated"));
    assert!(error("store[0].output(1, unused, unused);").1.contains("'varying'"));
    assert!(error("store[0].varying(1, acc[0], unused);").1.contains("'.'"));
    assert!(error("branch(512);").1.contains("511"));
    assert!(error("branch(nowhere);").1.contains("'nowhere'"));
    assert!(error("again: branch(agian);").2.contains("'again'"));
    assert!(error("a: nop; a: nop;").1.contains("defined twice"));
    assert!(error("a: branch(a), branch_target=1;").1.contains("twice"));
    assert!(error("a: branch(a), branch_target_lo=1;").1.contains("twice"));
    assert!(error("7: nop;").1.contains("letter"));
    assert!(error("nop").2.contains("';'"));
    assert!(error(";").2.contains("nop;"));
    assert!(error("nop, branch(1);").1.contains("only item"));
    assert!(error("branch(1) branch(1);").1.contains("','"));
    assert!(error("branch(1),;").1.contains("after ','"));
    assert!(errors("")[0].2.contains("at least one"));
}

#[test]
fn every_error_is_reported_with_its_line() {
    let text = "pass.moo(uniform.x),\n  acc[0].add(uniform.x), zzz;\nmul[0].mul(uniform.x, (uniform.y);\nbranch(x), pass.mov(uniform.x);\n";
    let lines: Vec<u32> = errors(text).iter().map(|e| e.0).collect();
    assert_eq!(lines, [1, 2, 2, 3, 4]);
    assert_eq!(errors(&"?;\n".repeat(1000)).len(), MAX_ERRORS);
    assert!(errors(&format!("{}.load(1);", "q".repeat(1 << 20)))[0].2.len() < 200);
    assert!(errors(&"(".repeat(1 << 16)).len() <= MAX_ERRORS);
}

#[test]
fn a_program_too_long_to_be_read_back_is_refused() {
    let fits = read(&"nop;".repeat(MAX_FILE_SIZE / 16));
    assert_eq!(decode(&encode(&fits)).as_ref(), Ok(&fits));
    assert!(errors(&"nop;".repeat(MAX_FILE_SIZE / 16 + 1))[0].2.contains("at most"));
    assert!(errors(&format!(".prefetch 1\n{}", "nop;".repeat(MAX_FILE_SIZE / 16)))[0].2.contains("at most"));
}

proptest! {
    #![proptest_config(super::random::config(3000))]

    #[test]
    fn any_program_round_trips_as_both_forms_of_text(program in any_program()) {
        let text = disassemble(&program);
        prop_assert_eq!(assemble(&text), Ok(program.clone()), "{}", text);
        let text = disassemble_fields(&program);
        prop_assert_eq!(assemble(&text), Ok(program.clone()), "{}", text);
    }

    #[test]
    fn any_field_of_any_word_is_in_the_text(word in any_word(), at in 0usize..39, value in any::<u16>()) {
        let id = FieldId::ALL[at];
        prop_assert_eq!(word.with_field(id, value).is_some(), u128::from(value) <= id.field().max());
        let changed = word.with_field(id, value & id.field().max() as u16).unwrap();
        let text = |w: Word| disassemble_word(&Program { words: vec![w], tail: vec![], facts: Facts::default() }, 0);
        prop_assert_eq!(text(word) == text(changed), word == changed);
    }

    #[test]
    fn any_text_is_accepted_or_refused(text in any::<String>()) {
        match assemble(&text) {
            Ok(program) => prop_assert_eq!(assemble(&disassemble(&program)), Ok(program)),
            Err(errors) => check_diagnostics(&text, &errors)?,
        }
    }

    #[test]
    fn damaged_text_is_accepted_or_refused_with_spans_inside_it(program in any_program(), at in any::<prop::sample::Index>(), len in 0usize..20, put in "[a-z0-9.,;:()\\[\\]=-]{0,4}") {
        let text = disassemble(&program);
        let start = at.index(text.len());
        let end = (start + len).min(text.len());
        let damaged = format!("{}{put}{}", &text[..start], &text[end..]);
        match assemble(&damaged) {
            Ok(program) => prop_assert_eq!(decode(&encode(&program)), Ok(program)),
            Err(errors) => {
                prop_assert!(!errors.is_empty() && errors.len() <= MAX_ERRORS);
                for e in errors {
                    prop_assert!((e.span.offset + e.span.len) as usize <= damaged.len());
                    prop_assert!(!e.message.is_empty());
                }
            }
        }
    }
}
