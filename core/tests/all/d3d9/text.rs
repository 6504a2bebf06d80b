//! Tests of assembly text.

use crate::d3d9::corpus::shaders;
use crate::d3d9::random::{Random, shader};
use crate::diagnostics::check_diagnostics;
use lockstep_core::isa::d3d9::assemble::assemble;
use lockstep_core::isa::d3d9::decode::decode;
use lockstep_core::isa::d3d9::disassemble::disassemble;
use lockstep_core::isa::d3d9::encode::encode;
use lockstep_core::text::Diagnostic;
use proptest::prelude::*;

fn words(text: &str) -> Vec<u32> {
    let program = assemble(text).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
    encode(&program).chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
}

/// Returns the words of one instruction.
fn one(version: &str, line: &str) -> Vec<u32> {
    let mut words = words(&format!("{version}\n{line}"));
    assert_eq!(words.pop(), Some(0xffff));
    words.remove(0);
    words
}

#[test]
fn real_shaders_assemble_from_their_listings() {
    let Some(shaders) = shaders() else { return };
    for shader in &shaders {
        let program = decode(&shader.bytes).unwrap();
        let text = disassemble(&program);
        assert!(!text.contains(".token"), "{} needs no raw tokens\n{text}", shader.name);
        let back = assemble(&text).unwrap_or_else(|e| panic!("{}: {e:?}\n{text}", shader.name));
        assert!(back == program, "{}", shader.name);
    }
}

#[test]
fn random_shaders_assemble_from_their_listings() {
    let mut random = Random(0x5eed_d3d9);
    let (mut plain, mut raw) = (0, 0);
    for _ in 0..20000 {
        let bytes = shader(&mut random);
        let program = decode(&bytes).unwrap();
        assert_eq!(encode(&program), bytes);
        let text = disassemble(&program);
        raw += text.matches(".token").count();
        plain += program.instructions.len();
        let back = assemble(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        assert_eq!(back, program, "{text}");
    }
    plain -= raw;
    assert!(plain > raw / 2 && raw > 1000, "both kinds occur: {plain} plain, {raw} raw");
}

/// Lines with their words according to MSTOK and MS.
#[test]
fn customary_syntax_assembles_to_the_documented_words() {
    for (version, line, expected) in [
        ("vs_1_1", "mov oPos, v0", &[0x0000_0001, 0xc00f_0000, 0x90e4_0000][..]),
        ("vs_2_0", "mov oPos, v0", &[0x0200_0001, 0xc00f_0000, 0x90e4_0000]),
        ("vs_1_1", "mov r0, c[a0.x + 3]", &[1, 0x800f_0000, 0xa0e4_2003]),
        ("vs_2_0", "mov r0, c[a0.x + 3]", &[0x0300_0001, 0x800f_0000, 0xa0e4_2003, 0xb000_0000]),
        ("vs_2_0", "mov r0, c3[a0.x]", &[0x0300_0001, 0x800f_0000, 0xa0e4_2003, 0xb000_0000]),
        ("vs_2_0", "mov r0, c2[1+aL]", &[0x0300_0001, 0x800f_0000, 0xa0e4_2003, 0xf0e4_0800]),
        ("vs_3_0", "mov o[aL + 2].xy, r0", &[0x0300_0001, 0xe003_2002, 0xf0e4_0800, 0x80e4_0000]),
        ("vs_3_0", "dcl_texcoord0 v0", &[0x0200_001f, 0x8000_0005, 0x900f_0000]),
        ("vs_3_0", "dcl_texcoord v0", &[0x0200_001f, 0x8000_0005, 0x900f_0000]),
        ("vs_3_0", "dcl_texcoord3 v1.xy", &[0x0200_001f, 0x8003_0005, 0x9003_0001]),
        ("vs_3_0", "DCL_POSITION V2", &[0x0200_001f, 0x8000_0000, 0x900f_0002]),
        ("ps_2_0", "dcl t0.xy", &[0x0200_001f, 0x8000_0000, 0xb003_0000]),
        ("ps_2_0", "dcl_pp t1", &[0x0200_001f, 0x8000_0000, 0xb02f_0001]),
        ("ps_2_0", "dcl_2d s0", &[0x0200_001f, 0x9000_0000, 0xa00f_0800]),
        ("ps_2_0", "dcl_cube s1", &[0x0200_001f, 0x9800_0000, 0xa00f_0801]),
        ("ps_2_0", "dcl_volume s2", &[0x0200_001f, 0xa000_0000, 0xa00f_0802]),
        ("ps_3_0", "dcl vPos.xy", &[0x0200_001f, 0x8000_0000, 0x9003_1000]),
        ("ps_3_0", "dcl vFace", &[0x0200_001f, 0x8000_0000, 0x900f_1001]),
        ("ps_3_0", "dcl_texcoord1_centroid v1", &[0x0200_001f, 0x8001_0005, 0x904f_0001]),
        (
            "ps_2_0",
            "def c0, 1, -2.0, .5, 0",
            &[0x0500_0051, 0xa00f_0000, 0x3f80_0000, 0xc000_0000, 0x3f00_0000, 0],
        ),
        ("ps_1_1", "def c0, 1.0f, 0, 0, 1.", &[0x51, 0xa00f_0000, 0x3f80_0000, 0, 0, 0x3f80_0000]),
        ("vs_2_0", "defi i1, 3, -1, 2, 0", &[0x0500_0030, 0xf00f_0001, 3, u32::MAX, 2, 0]),
        ("vs_2_0", "defb b2, TRUE", &[0x0200_002f, 0xe00f_0802, 1]),
        (
            "ps_2_0",
            "mad_sat_pp r0.xyz, r1, c2.x, -r3",
            &[0x0400_0004, 0x8037_0000, 0x80e4_0001, 0xa000_0002, 0x81e4_0003],
        ),
        ("ps_1_1", "+mul r1.w, t0, v0", &[0x4000_0005, 0x8008_0001, 0xb0e4_0000, 0x90e4_0000]),
        ("ps_1_4", "add_x2_sat r0.rgb, r1_bx2, 1-r2.a", &[2, 0x8117_0000, 0x84e4_0001, 0x86ff_0002]),
        ("ps_1_4", "mul_d8 r0, -r1_bias, -r2_x2", &[5, 0x8d0f_0000, 0x83e4_0001, 0x88e4_0002]),
        ("ps_1_4", "texld r0, r1_dz", &[0x42, 0x800f_0000, 0x89e4_0001]),
        ("ps_1_4", "texcrd r0.rg, t1_dw.xyw", &[0x40, 0x8003_0000, 0xbaf4_0001]),
        ("ps_1_4", "phase", &[0xfffd]),
        ("ps_1_1", "tex t0", &[0x42, 0xb00f_0000]),
        ("ps_1_1", "texcoord t1", &[0x40, 0xb00f_0001]),
        ("ps_2_0", "texld r0, t0, s1", &[0x0300_0042, 0x800f_0000, 0xb0e4_0000, 0xa0e4_0801]),
        ("ps_2_0", "texldp r0, t0, s1", &[0x0301_0042, 0x800f_0000, 0xb0e4_0000, 0xa0e4_0801]),
        ("ps_2_0", "texldb r0, t0, s1", &[0x0302_0042, 0x800f_0000, 0xb0e4_0000, 0xa0e4_0801]),
        ("ps_3_0", "texkill r0", &[0x0100_0041, 0x800f_0000]),
        ("ps_3_0", "if_gt r0.x, -r1_abs.y", &[0x0201_0029, 0x8000_0000, 0x8c55_0001]),
        ("ps_3_0", "break_le r0.x, r1.x", &[0x0206_002d, 0x8000_0000, 0x8000_0001]),
        ("ps_3_0", "setp_ne p0, r0, r1", &[0x0305_005e, 0xb00f_1000, 0x80e4_0000, 0x80e4_0001]),
        ("ps_3_0", "(p0.x) mov r0, r1", &[0x1300_0001, 0x800f_0000, 0xb000_1000, 0x80e4_0001]),
        (
            "ps_3_0",
            "(!p0) add r0, r1, r2",
            &[0x1400_0002, 0x800f_0000, 0xbde4_1000, 0x80e4_0001, 0x80e4_0002],
        ),
        (
            "vs_3_0",
            "(p0) mov o[a0.y].x, r1",
            &[0x1400_0001, 0xe001_2000, 0xb055_0000, 0xb0e4_1000, 0x80e4_0001],
        ),
        ("vs_2_0", "if b3", &[0x0100_0028, 0xe0e4_0803]),
        ("vs_2_x", "if !p0.y", &[0x0100_0028, 0xbd55_1000]),
        ("vs_2_x", "breakp p0.x", &[0x0100_0060, 0xb000_1000]),
        ("vs_2_x", "break p0.x", &[0x0100_0060, 0xb000_1000]),
        ("vs_2_0", "callnz l1, !b2", &[0x0200_001a, 0xa0e4_1001, 0xede4_0802]),
        ("vs_2_0", "loop aL, i1", &[0x0200_001b, 0xf0e4_0800, 0xf0e4_0001]),
        ("vs_2_0", "mova a0.xy, r0", &[0x0200_002e, 0xb003_0000, 0x80e4_0000]),
        (
            "vs_2_0",
            "sincos r0.xy, r1.x, c0, c1",
            &[0x0400_0025, 0x8003_0000, 0x8000_0001, 0xa0e4_0000, 0xa0e4_0001],
        ),
        ("vs_3_0", "sincos r0.xy, r1.x", &[0x0200_0025, 0x8003_0000, 0x8000_0001]),
        ("vs_3_0", "mov r0, c2049", &[0x0200_0001, 0x800f_0000, 0xb0e4_0801]),
        ("vs_3_0", "texldl r0, v0, s3", &[0x0300_005f, 0x800f_0000, 0x90e4_0000, 0xa0e4_0803]),
        // SEED: in vertex shaders sub is add with its second source negated.
        ("vs_1_1", "sub r0, r1, r2", &[2, 0x800f_0000, 0x80e4_0001, 0x81e4_0002]),
        ("vs_3_0", "sub r0, r1, -r2", &[0x0300_0002, 0x800f_0000, 0x80e4_0001, 0x80e4_0002]),
        ("vs_3_0", "sub_opcode r0, r1, r2", &[0x0300_0003, 0x800f_0000, 0x80e4_0001, 0x80e4_0002]),
        ("ps_1_1", "sub r0, r1, c2", &[3, 0x800f_0000, 0x80e4_0001, 0xa0e4_0002]),
    ] {
        assert_eq!(one(version, line), expected, "{version}: {line}");
    }
}

#[test]
fn booleans_are_written_as_words() {
    let listing = disassemble(&assemble("vs_2_0\ndefb b0, true\ndefb b1, false\n").unwrap());
    for line in ["defb b0, true", "defb b1, false"] {
        assert!(listing.lines().any(|found| found.trim() == line), "{line}: {listing}");
    }
}

/// Wine's tests of the native assembler (dlls/d3dcompiler_43/tests/asm.c): mixed component letters in one swizzle, and a letter and indices that the
/// assembler refuses.
#[test]
fn component_letters_and_indices_match_the_native_assembler() {
    for [mixed, plain] in [
        ["mov r0.xyb, r1", "mov r0.xyz, r1"],
        ["mov r0, r1.xygb", "mov r0, r1.xyyz"],
        ["mov r0, r1.rw", "mov r0, r1.xw"],
    ] {
        assert_eq!(one("vs_2_0", mixed), one("vs_2_0", plain), "{mixed}");
    }
    for [bad, good] in [
        ["vs_3_0\nmov r0, v[aL.x + 12]", "vs_3_0\nmov r0, v[aL + 12]"],
        ["vs_1_1\nmov r0, c0[a0]", "vs_1_1\nmov r0, c0[a0.x]"],
        ["vs_2_0\nmov r0, r1.xyzq", "vs_2_0\nmov r0, r1.xyza"],
    ] {
        assert!(assemble(bad).is_err(), "{bad}");
        assert!(assemble(good).is_ok(), "{good}");
    }
}

#[test]
fn versions_have_their_tokens() {
    for (name, token) in [
        ("vs_1_0", 0xfffe_0100u32),
        ("vs_1_1", 0xfffe_0101),
        ("vs.1.1", 0xfffe_0101),
        ("vs_2_0", 0xfffe_0200),
        ("vs_2_x", 0xfffe_0201),
        ("vs_2_a", 0xfffe_0201),
        ("vs_2_sw", 0xfffe_02ff),
        ("vs_3_0", 0xfffe_0300),
        ("vs_3_sw", 0xfffe_03ff),
        ("ps_1_0", 0xffff_0100),
        ("ps_1_1", 0xffff_0101),
        ("ps_1_2", 0xffff_0102),
        ("ps_1_3", 0xffff_0103),
        ("ps.1.4", 0xffff_0104),
        ("ps_2_0", 0xffff_0200),
        ("ps_2_b", 0xffff_0201),
        ("ps.2.x", 0xffff_0201),
        ("ps_2_sw", 0xffff_02ff),
        ("PS_3_0", 0xffff_0300),
        ("ps_3_sw", 0xffff_03ff),
    ] {
        assert_eq!(words(name), [token, 0xffff], "{name}");
    }
}

#[test]
fn comments_and_tails_round_trip_as_text() {
    let text = "ps_2_0\n.comment 0x42415443, 2\n.more 3\nnop\n.comment31\nend\n.tail 1, 0xff, 3\n";
    let program = assemble(text).unwrap();
    assert_eq!(program.comments.len(), 2);
    assert_eq!(
        (program.comments[0].before, program.comments[0].words.as_slice()),
        (0, &[0x4241_5443, 2, 3][..])
    );
    assert_eq!((program.comments[1].before, program.comments[1].zero31), (1, 1));
    assert_eq!(program.tail, [1, 255, 3]);
    assert_eq!(assemble(&disassemble(&program)).unwrap(), program);
    let bytes = encode(&program);
    assert_eq!(&bytes[4..8], &0x0003_fffeu32.to_le_bytes());
    assert_eq!(decode(&bytes).unwrap(), program);
}

fn errors(text: &str) -> Vec<Diagnostic> {
    assemble(text).expect_err(text)
}

/// An instruction has at most one shift, and each modifier of its result at most once.
#[test]
fn suffixes_are_given_once() {
    const SHIFTS: [&str; 6] = ["x2", "x4", "x8", "d2", "d4", "d8"];
    const MODIFIERS: [&str; 3] = ["sat", "pp", "centroid"];
    let all = || SHIFTS.into_iter().chain(MODIFIERS);
    for (first, second) in all().flat_map(|first| all().map(move |second| (first, second))) {
        let fits = first != second && !(SHIFTS.contains(&first) && SHIFTS.contains(&second));
        let read = assemble(&format!("ps_1_4\nadd_{first}_{second} r0, r0, r0"));
        assert_eq!(read.is_ok(), fits, "add_{first}_{second}");
    }
}

#[test]
fn every_error_is_reported_with_its_span_and_a_suggestion() {
    let found = errors(
        "ps_3_0\nmvo r0, r1\nmov q0, r1\nmad r0, r1, c0\nmov r0.yx, r1_abz\nmov r0, 3\nadd_sst r0, r0, r0\nif_gt r0.x\n",
    );
    let lines: Vec<_> = found.iter().map(|d| d.span.line).collect();
    assert_eq!(lines, [2, 3, 4, 5, 5, 6, 7, 8]);
    let help = |k: usize| found[k].help.clone().unwrap_or_default();
    assert!(found[2].message.contains("4 operands, not 3"), "{}", found[2].message);
    assert!(help(4).contains("_abs") && help(6).contains("_sat"), "{found:?}");
    assert!(help(5).contains("def"), "{found:?}");
    let span = found[1].span;
    assert_eq!((span.column, span.len), (5, 2));
    for (text, part) in [
        ("", "version"),
        ("mov r0, r1", "version"),
        ("vs_4_0", "no version"),
        ("vs_3_0\nvs_2_0", "is vs_2_0, but the text above says vs_3_0"),
        ("vs_3_0\nnop\nvs_3_0", "before everything else"),
        ("vs_1_1\npow r0, r1, r2", "does not exist"),
        ("vs_1_1\n(p0) mov r0, r1", "version 2"),
        ("vs_1_1\nmov r0, c[a0.y]", "only a0.x"),
        ("vs_3_0\nmov r0, c[a.x]", "'a' needs a number"),
        ("vs_3_0\nmov r0, c[a0.x + 9000]", "at most"),
        ("vs_3_0\nmov r0, c[a0.x + 8000 + 8000]", "too large"),
        ("vs_3_0\nmov r2048, v0", "no register"),
        ("vs_3_0\nsetp p0, r0, r1", "comparison"),
        ("vs_3_0\nmov r0, 1-r0_bias", "combined"),
        ("vs_3_0\nmov r0, r1, r2", "more"),
        ("vs_3_0\nmov r0, r1 r2", "end of the line"),
        ("vs_3_0\ndef c0, 1e99, 0, 0, 0", "too large"),
        ("vs_3_0\ndefi i0, 5000000000, 0, 0, 0", "32 bits"),
        ("vs_3_0\ndefb b0, maybe", "true"),
        ("vs_3_0\n.token 0xffff", "not an instruction"),
        ("vs_3_0\n.token 0x01000001", "operands"),
        // Found by fuzzing: the position of the error about the first word was before the start of the text.
        ("ps_1_2\n.token 0x00001234", "an opcode whose length is known"),
        ("vs_3_0\n.token 1, 2", "before the end of the list"),
        ("vs_3_0\n.more 1", "no '.comment'"),
        ("vs_3_0\nend\nnop", "follow 'end'"),
        ("vs_3_0\nif_sat b0", "no result"),
        ("vs_1_1\nsub r0, r1, r2_dz", "sub_opcode"),
        ("vs_3_0\nif_gt_lt r0.x, r1.x", "takes one comparison, but '_lt'"),
        ("vs_3_0\ndcl_position_color v0", "takes one usage, but '_color'"),
        ("vs_3_0\ndcl_color_position v0", "takes one usage, but '_position'"),
        ("vs_3_0\ndcl_position_position v0", "takes one usage, but '_position'"),
        ("vs_3_0\ndcl_position_colour v0", "no suffix '_colour'"),
    ] {
        let found = errors(text);
        let all: String =
            found.iter().map(|d| format!("{} {}\n", d.message, d.help.clone().unwrap_or_default())).collect();
        assert!(all.contains(part), "{text}: {all}");
    }
}

#[test]
fn errors_are_sorted_by_span() {
    // The number of operands is reported at the mnemonic, after the operands have been read.
    let found = errors("vs_3_0\nmov q0, r1, r2\nmvo r0, r1");
    let positions: Vec<_> = found.iter().map(|error| (error.span.line, error.span.column)).collect();
    assert_eq!(positions, [(2, 1), (2, 5), (3, 1)], "{found:?}");
}

/// Lines that are valid in ps_1_4 and in vs_3_0. The empty line is replaced by random words.
const LINES: [&str; 8] = [
    "mov r0, r1",
    "add_sat r1.xyz, -r0, c3",
    "mad r2, r0, c1.x, -c2",
    "def c0, 0.5, -1, 3, 1",
    ".comment 1, 0x3000002",
    "// x",
    "rcp r1.w, r0.w",
    "",
];

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        for text in [text.clone(), format!("ps_3_0\n{text}")] {
            match assemble(&text) {
                Ok(program) => prop_assert_eq!(assemble(&disassemble(&program)), Ok(program)),
                Err(errors) => check_diagnostics(&text, &errors)?,
            }
        }
    }

    #[test]
    fn text_made_of_known_tokens_is_read_or_refused(
        lines in proptest::collection::vec((0..LINES.len(), proptest::collection::vec(0usize..40, 0..9)), 0..9),
        version in 0..2,
    ) {
        const WORDS: [&str; 40] = [
            "vs_3_0", "\n", "mov", "add_sat", "r0", ",", "c[", "a0.x", "+", "3", "]", "(", ")", "p0", "!", "-", "1", ".", "xyz",
            "_abs", "dcl_texcoord0", "v0", "def", "c0", "0.5", "if_gt", "break", ".token", "0x3000002", ".comment", ".tail", "s0",
            "texld", "sub", "oPos", "aL", "ps_1_4", "end", "// x", "\u{e9}",
        ];
        // Random words alone rarely form a program, so most lines are valid.
        let mut text = ["ps_1_4", "vs_3_0"][version as usize].to_owned();
        for (line, parts) in lines {
            let words = || parts.iter().map(|k| WORDS[*k]).collect::<Vec<_>>().join(" ");
            text.push('\n');
            text += &LINES.get(line).filter(|line| !line.is_empty()).map_or_else(words, |line| (*line).to_owned());
        }
        if let Ok(program) = assemble(&text) {
            prop_assert_eq!(&decode(&encode(&program)).unwrap(), &program);
            prop_assert_eq!(&assemble(&disassemble(&program)).unwrap(), &program);
        }
    }
}
