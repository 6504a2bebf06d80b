//! AGAL's assembly text: its meaning, its errors, and that it preserves every bit of a program.

use crate::diagnostics::{check_diagnostics, diagnostic_fields};
use crate::material::material;
use lockstep_core::isa::Stage;
use lockstep_core::isa::agal::assemble::{MAX_ERRORS, assemble};
use lockstep_core::isa::agal::decode::{MAX_FILE_SIZE, decode};
use lockstep_core::isa::agal::disassemble::{disassemble, disassemble_token};
use lockstep_core::isa::agal::encode::encode;
use lockstep_core::isa::agal::opcode::{Shape, TABLE};
use lockstep_core::isa::agal::program::{Program, SourceOrSampler};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

/// The words of the only token of a one-line program: opcode, destination, sources.
fn words(header: &str, line: &str) -> (u32, u32, u64, u64) {
    let program = assemble(&format!("{header}\n{line}\n")).unwrap_or_else(|e| panic!("{line}: {e:?}"));
    let bytes = encode(&program);
    assert_eq!(bytes.len(), 31, "{line}");
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    (word(7), word(11), long(15), long(23))
}

/// Line, column, message and help of each error.
fn errors(text: &str) -> Vec<(u32, u32, String, String)> {
    diagnostic_fields(assemble(text))
}

/// Column, message and help of the one error of a line below a header.
#[track_caller]
fn error(stage: &str, line: &str) -> (u32, String, String) {
    let mut all = errors(&format!("version 2 {stage}\n{line}"));
    assert_eq!(all.len(), 1, "{line}: {all:?}");
    let (at, column, message, help) = all.remove(0);
    assert_eq!(at, 2);
    (column, message, help)
}

/// A write mask names components in order, each once. Every other word of component letters is refused.
#[test]
fn write_masks_are_read_as_written_or_refused() {
    let letters = ['x', 'y', 'z', 'w'];
    let mut words = vec![String::new()];
    let mut accepted = 0;
    for _ in 0..4 {
        words = words.iter().flat_map(|word| letters.map(|letter| format!("{word}{letter}"))).collect();
        for word in &words {
            let positions: Vec<usize> =
                word.chars().map(|c| letters.iter().position(|l| *l == c).unwrap()).collect();
            let in_order = positions.is_sorted_by(|a, b| a < b);
            let expected_mask = in_order.then(|| positions.iter().map(|k| 1u8 << k).sum::<u8>());
            let read = assemble(&format!("version 1 vertex\nmov vt0.{word}, va0"));
            assert_eq!(read.ok().map(|program| program.tokens[0].dest.mask), expected_mask, "{word}");
            accepted += u32::from(in_order);
        }
    }
    assert_eq!(accepted, 15);
}

/// The real programs; `None` if they are missing.
fn corpus() -> Option<Vec<(String, Vec<u8>)>> {
    let mut files: Vec<_> = std::fs::read_dir(material("agal/open")?)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "agal"))
        .map(|p| (p.file_stem().unwrap().to_string_lossy().into_owned(), std::fs::read(&p).unwrap()))
        .collect();
    files.sort();
    Some(files)
}

// Words computed by hand from the field diagrams in SEED.
#[test]
fn lines_assemble_to_the_documented_words() {
    let vs = "version 1 vertex";
    let fs = "agal 2 fs";
    assert_eq!(words(vs, "mov op, va1"), (0, 0x030f_0000, 0xe400_0001, 0));
    assert_eq!(words(vs, "m44 vo, va0, vc4"), (0x18, 0x030f_0000, 0xe400_0000, 0x1_e400_0004));
    assert_eq!(words(vs, "mov vt2.xz, vc[va3.y+200].w"), (0, 0x0205_0002, 0x8001_0001_ffc8_0003, 0));
    assert_eq!(words(vs, "mov vt2.xz, vc[vt3.a].xyz"), (0, 0x0205_0002, 0x8003_0201_a400_0003, 0));
    assert_eq!(words(vs, "mov vt0, iid.x").2, 0x7_0000_0000);
    assert_eq!(words(fs, "mov oc, v7.gr"), (0, 0x030f_0000, 0x4_0100_0007, 0));
    assert_eq!(words(fs, "mov fo3, vi1.w"), (0, 0x030f_0003, 0x4_ff00_0001, 0));
    assert_eq!(words(fs, "mov od.x, ft0.x"), (0, 0x0601_0000, 0x2_0000_0000, 0));
    assert_eq!(words(fs, "ife ft0.x, fc1.y"), (0x1c, 0, 0x2_0000_0000, 0x1_5500_0001));
    assert_eq!(words(fs, "eif"), (0x21, 0, 0, 0));
    assert_eq!(words(fs, "kil ft1.z"), (0x27, 0, 0x2_aa00_0001, 0));
    assert_eq!(words(fs, "m43 ft0.xyz, ft1, fc0").0, 0x19);
    assert_eq!(words(fs, ".token 0x99, 1, 0x8000000000000000, 5"), (0x99, 1, 1 << 63, 5));
    // Adobe's C++ assembler leaves the identity swizzle in bits 24 to 31 of a sampler.
    let padded = "tex ft0, v0, fs1 <2d,nearest,nomip,clamp,padding_e4>";
    assert_eq!(words(fs, padded).3, 0x0000_0005_e400_0001);
    let program = assemble(&format!("version 1 fragment\n{padded}\nmov oc, ft0")).unwrap();
    assert_eq!(disassemble_token(&program, 0), padded);
}

#[test]
fn sampler_options_fill_their_nibbles() {
    let tex = |options: &str| words("version 1 fragment", &format!("tex ft0, v0, fs3 {options}")).3;
    assert_eq!(tex(""), 0x0000_0005_0000_0003);
    assert_eq!(tex("<>"), tex(""));
    assert_eq!(tex("<2d, linear, miplinear, repeat>"), 0x1210_0005_0000_0003);
    assert_eq!(tex("<cube nearest nomip clamp>"), 0x0000_1005_0000_0003);
    assert_eq!(tex("<3d,anisotropic16x,mipnearest,wrap>"), 0x5110_2005_0000_0003);
    assert_eq!(tex("<dxt1,clamp_u_repeat_v>"), 0x0020_0105_0000_0003);
    assert_eq!(tex("<compressedalpha,u_repeat_v_clamp>"), 0x0030_0205_0000_0003);
    assert_eq!(tex("<video,centroid,single,ignoresampler>"), 0x0007_0305_0000_0003);
    assert_eq!(tex("<-16>"), 0x0000_0005_0080_0003);
    assert_eq!(tex("<+15.875>"), 0x0000_0005_007f_0003);
    assert_eq!(tex("<2d,-0.125,2d>"), 0x0000_0005_00ff_0003);
    assert_eq!(
        words("version 4 vertex", "tld vt0, va0, vs1 <2d>"),
        (0x2e, 0x020f_0000, 0xe400_0000, 0x5_0000_0001)
    );
}

#[test]
fn errors_have_a_span_and_a_suggestion() {
    // Other assemblers drop this line with a warning (away3d-core-fp11 issue 589).
    let (column, message, help) = error("fragment", "add ft0, ft1 ft2");
    assert!(column == 14 && message.contains("comma") && message.contains("ft2") && help.contains("comma"));
    // Other assemblers read the misspelt option as a bias of 0.
    let (column, message, help) = error("fragment", "tex ft0, v0, fs0 <2d,lineer>");
    assert!(column == 22 && message.contains("lineer") && help.contains("'linear'"));
    let (column, _, help) = error("fragment", "  moo ft0, v0");
    assert!(column == 3 && help.contains("'mov'"), "{help}");
    let (column, message, _) = error("vertex", "m44 op, va0");
    assert!(column == 1 && message == "m44 takes 3 operands, not 2", "{message}");
    assert_eq!(error("fragment", "eif ft0").1, "eif takes 0 operands, not 1");
    assert_eq!(error("fragment", "kil ft0.x, ft1.x").1, "kil takes 1 operand, not 2");
    let (column, _, help) = error("fragment", "mov ft0.zyx, v0");
    assert!(column == 9 && help.contains("'.xyz'"), "{help}");
    let (column, _, help) = error("fragment", "mov vt0, v0");
    assert!(column == 5 && help.contains("'ft'"), "{help}");
    assert!(error("vertex", "tld vt0, va0, fs0").2.contains("'vs'"));
    assert!(error("fragment", "tex ft0, v0, ft1").1.contains("sampler"));
    assert!(
        error("fragment", "tex ft0, v0, zz0 <2d,linear,clamp>").1.contains("zz0"),
        "one error, not one for each option"
    );
    assert!(error("fragment", "tex ft0, v0, fs0.x").1.contains("swizzle"));
    assert!(error("fragment", "mov ft0, ft1 <2d>").1.contains("options"));
    assert!(error("vertex", "mov vt0, vc[3]").2.contains("vc3"));
    assert!(error("vertex", "mov vt0, vc[va0+1]").2.contains("va0.x"));
    assert!(error("vertex", "mov vt0, vc[va0.x-1]").1.contains("0 to 255"));
    assert!(error("vertex", "mov vt0, vc[va0.x+256]").1.contains("0 to 255"));
    assert!(error("vertex", "mov vt0, vc[va0.xy+2]").1.contains("one component"));
    assert!(error("vertex", "mov vc[va0.x], vt0").1.contains("destination"));
    assert!(error("vertex", "mov vt, va0").2.contains("vt0"));
    assert!(error("vertex", "mov vt65536, va0").1.contains("16 bits"));
    assert!(error("vertex", "mov zt0, va0").2.contains("va, vc, vt"));
    assert!(error("vertex", "mov VT0, va0").2.contains("'vt'"));
    assert!(error("fragment", "mov ft0, v0.xg").1.contains("mix"));
    assert!(error("fragment", "mov ft0, v0.xyzwx").1.contains("four"));
    assert!(error("fragment", "mov ft0, v0.q").1.contains("'q'"));
    assert!(error("fragment", "mov ft0, v0;").2.contains("line"));
    assert!(error("fragment", "mov ft0, v0,").1.contains("operand"));
    assert!(error("fragment", "mov ft0 + v0").1.contains("'+'"));
    assert!(error("fragment", "tex ft0, v0, fs0 <0.1>").1.contains("0.125"));
    assert!(error("fragment", "tex ft0, v0, fs0 <16>").1.contains("15.875"));
    assert!(error("fragment", "tex ft0, v0, fs0 <1,2>").1.contains("once"));
    assert!(error("fragment", "tex ft0, v0, fs0 <clamp,repeat>").1.contains("contradicts 'clamp'"));
    assert!(error("fragment", "tex ft0, v0, fs0 <2d").1.contains("'>'"));
    assert!(error("fragment", "12").1.contains("instruction"));
    assert!(error("fragment", ".word 1").2.contains(".token"));
    assert!(error("fragment", "tex ft0, v0, fs0 <padding_4>").1.contains("two hexadecimal digits"));
    assert!(error("fragment", ".token 1, 2, 3").1.contains("','"));
    assert!(error("fragment", ".token 0x100000000, 2, 3, 4").1.contains("32 bits"));
    assert!(error("fragment", "version 2 fragment").1.contains("once"));
}

#[test]
fn every_error_is_reported_with_its_line() {
    let text = "version 1 vertex\nmov vt0 va0\nfoo vt1, zz\nadd vt0.q, va0.q, va1\nmov op, vt0\nmov op\n";
    let lines: Vec<u32> = errors(text).iter().map(|e| e.0).collect();
    assert_eq!(lines, [2, 3, 3, 4, 4, 6]);
    assert!(errors("mov op, va0")[0].2.contains("version"));
    assert!(errors("version 1")[0].2.contains("vertex"));
    assert!(errors("version x fs\nmov oc, v0")[0].2.contains("32 bits"));
    assert!(errors("version 4294967296 fs\nmov oc, v0")[0].2.contains("32 bits"));
    assert!(errors("")[0].2.contains("at least one"));
    assert!(errors("version 1 vertex\n// nothing\n")[0].2.contains("at least one"));
    assert_eq!(errors(&format!("version 1 vertex\n{}", "?\n".repeat(1000))).len(), MAX_ERRORS);
    let long = format!("version 1 vertex\nmov {}, va0", "q".repeat(1 << 20));
    assert!(errors(&long)[0].2.len() < 200);
}

#[test]
fn a_program_too_long_to_be_read_back_is_refused() {
    let line = "mov op, va0\n";
    let header = "version 1 vertex\n";
    let most = (MAX_FILE_SIZE - 7) / 24;
    let fits = assemble(&format!("{header}{}", line.repeat(most))).unwrap();
    assert_eq!(decode(&encode(&fits)).as_ref(), Ok(&fits));
    assert!(errors(&format!("{header}{}", line.repeat(most + 1)))[0].2.contains("at most"));
}

#[test]
fn a_header_without_instructions_is_not_a_program() {
    let header = [0xa0, 1, 0, 0, 0, 0xa1, 0];
    let error = decode(&header).unwrap_err();
    assert_eq!(error.to_string(), "at byte 0x7, token: none found, so the file contains no program");
    let cut = decode(&[&header[..], &[0; 23]].concat()).unwrap_err();
    assert_eq!(cut.to_string(), "at byte 0x7, token: the input ends here: 24 bytes needed, 23 left");
    let more = decode(&[&header[..], &[0; 25]].concat()).unwrap_err();
    assert_eq!(more.to_string(), "at byte 0x1f, token: 1 byte follows the end of the program");
}

#[test]
fn text_is_canonical() {
    let text = "version 2 fragment\n\
        ife ft0.x, fc0.y\n    \
        tex ft1.xyz, v0.xy, fs1 <cube,dxt5,linear,miplinear,clamp,single,-0.5>\n\
        els\n    \
        mov fo1, ft0\n\
        eif\n\
        .token 0x22, 0x00000000, 0x0000000000000000, 0x0000000000000001\n\
        mov oc, ft1.xyzx\n\
        mov fd.x, ft1.x\n\
        dp3 ft2.w, va0.zzy, fc[iid.z+7]\n";
    let program = assemble(text).unwrap();
    assert_eq!(disassemble(&program), text);
    assert_eq!(disassemble_token(&program, 3), "mov fo1, ft0");
    assert_eq!(disassemble_token(&program, 99), "");
    let aliases =
        assemble("agal 0x2 fs # comment\n\r\nmov fo, ft1.rgba // comment\n\tmov fo0.rgba, ft01.xyzw")
            .unwrap();
    assert_eq!(disassemble(&aliases), "version 2 fragment\nmov oc, ft1\nmov oc, ft1\n");
}

#[test]
fn stages_are_selected_by_name() {
    assert_eq!(assemble("version 1 vs\nmov op, va0").unwrap().stage, Stage::Vertex);
    assert_eq!(assemble("agal 3 fragment\nmov oc, v0").unwrap().stage, Stage::Fragment);
}

#[test]
fn real_programs_round_trip_as_bytes_and_text() {
    let Some(files) = corpus() else { return };
    assert!(files.len() >= 39, "{} files", files.len());
    let (mut tokens, mut raw) = (0, 0);
    for (name, bytes) in &files {
        let program = decode(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(&encode(&program), bytes, "{name}");
        let text = disassemble(&program);
        assert_eq!(assemble(&text).as_ref(), Ok(&program), "{name}");
        tokens += program.tokens.len();
        for line in text.lines().filter(|l| l.contains(".token")) {
            eprintln!("{name}: {line}");
            raw += 1;
        }
    }
    eprintln!("{} files, {tokens} instructions, {raw} of them raw", files.len());
    // Few tokens of real programs need the raw spelling. Swizzles that the C++ assembler of glsl2agal leaves in samplers are printed as options.
    assert!(raw * 50 < tokens, "{raw} of {tokens}");
}

/// A source word, most of whose fields are ordinary.
fn source_word() -> impl Strategy<Value = u64> {
    let odd = prop_oneof![20 => Just(0u64), 1 => any::<u64>()];
    let swizzle = prop_oneof![Just(0xe4u64), Just(0x55), 0u64..256];
    (
        0u64..300,
        prop_oneof![3 => Just(0u64), 1 => 0u64..256],
        swizzle,
        0u64..9,
        0u64..2,
        0u64..8,
        0u64..4,
        odd,
    )
        .prop_map(|(n, o, s, t, d, i, q, odd)| {
            let index = if d == 1 { i << 40 | q << 48 | o << 16 } else { 0 };
            (n | s << 24 | t << 32 | d << 63 | index) ^ odd
        })
}

fn sampler_word() -> impl Strategy<Value = u64> {
    let odd = prop_oneof![20 => Just(0u64), 1 => any::<u64>()];
    (0u64..20, 0u64..256, 0u64..5, 0u64..4, 0u64..9, 0u64..5, 0u64..4, 0u64..7, odd).prop_map(
        |(n, b, f, d, s, w, m, filter, odd)| {
            (n | b << 16 | 5 << 32 | f << 40 | d << 44 | s << 48 | w << 52 | m << 56 | filter << 60) ^ odd
        },
    )
}

/// The 24 bytes of a token, which are usually close to a token of a real program.
fn token_bytes() -> impl Strategy<Value = Vec<u8>> {
    let dest = (0u32..30, 0u32..16, 0u32..9, prop_oneof![20 => Just(0u32), 1 => any::<u32>()])
        .prop_map(|(n, m, t, odd)| (n | m << 16 | t << 24) ^ odd);
    let near = (0..TABLE.len(), dest, source_word(), source_word(), sampler_word(), 0u8..20).prop_map(
        |(row, dest, a, b, sampler, slip)| {
            let row = &TABLE[row];
            let slip = slip == 0;
            let dest = if row.opcode.has_dest() || slip { dest } else { 0 };
            let a = if row.opcode.sources() > 0 || slip { a } else { 0 };
            let b = match row.shape {
                Shape::Texture => sampler,
                _ if row.opcode.sources() > 1 || slip => b,
                _ => 0,
            };
            let mut bytes = row.number.to_le_bytes().to_vec();
            bytes.extend(dest.to_le_bytes());
            bytes.extend(a.to_le_bytes());
            bytes.extend(b.to_le_bytes());
            bytes
        },
    );
    let opcode = prop_oneof![0u32..0x40, any::<u32>()];
    let far = (opcode, proptest::collection::vec(any::<u8>(), 20)).prop_map(|(opcode, rest)| {
        let mut bytes = opcode.to_le_bytes().to_vec();
        bytes.extend(rest);
        bytes
    });
    prop_oneof![3 => near, 1 => far]
}

fn program() -> impl Strategy<Value = Program> {
    let version = prop_oneof![9 => 1u32..5, 1 => any::<u32>()];
    (version, 0u8..2, proptest::collection::vec(token_bytes(), 1..12)).prop_map(|(version, stage, tokens)| {
        let mut bytes = vec![0xa0];
        bytes.extend(version.to_le_bytes());
        bytes.extend([0xa1, stage]);
        bytes.extend(tokens.concat());
        decode(&bytes).unwrap()
    })
}

#[test]
fn no_single_bit_is_lost_in_text() {
    let text = "version 2 vertex\nadd vt1.xz, va2.yyzw, vc[vt3.z+9].x\nmov op, va0\neif\ntex vt0, va0, vs1 <cube,linear,2>\nife va0.x, va1.y\nkil va0.x";
    let bytes = encode(&assemble(text).unwrap());
    for bit in 7 * 8..bytes.len() * 8 {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let program = decode(&changed).unwrap();
        let text = disassemble(&program);
        let back = assemble(&text);
        assert_eq!(back.as_ref(), Ok(&program), "bit {bit}: {text}");
        for (at, line) in text.lines().skip(1).enumerate() {
            assert_eq!(line.contains(".token"), needs_raw_token(&program, at), "bit {bit}: {line}");
        }
    }
}

/// Whether a token has bits that no register, swizzle or option can express; determined from its words, by the diagrams of the documents.
fn needs_raw_token(program: &Program, at: usize) -> bool {
    let token = &program.tokens[at];
    let Some(op) = token.op() else { return true };
    let source = |word: u64| {
        let always = 0x7ffc_f0f8_0000_0000;
        let indirect = 0x0000_0800_0000_0000;
        let direct = 0x0003_0f00_00ff_0000;
        word & always != 0 || word & if word >> 63 == 1 { indirect } else { direct } != 0
    };
    let sampler = |word: u64| {
        let nibble = |at: u32| word >> at & 15;
        let zero = word & 0xf0_0000_0000 != 0;
        let above = nibble(40) > 3 || nibble(44) > 2 || nibble(48) > 7 || nibble(52) > 3 || nibble(56) > 2;
        zero || above || nibble(60) > 5 || nibble(32) != 5
    };
    let dest = token.dest.to_word();
    let a = token.a.to_word();
    let b = match &token.b {
        SourceOrSampler::Source(s) => s.to_word(),
        SourceOrSampler::Sampler(s) => s.to_word(),
    };
    let dest = if op.has_dest() { dest & 0xf8f0_0000 != 0 || dest & 0xf_0000 == 0 } else { dest != 0 };
    let a = if op.sources() > 0 { source(a) } else { a != 0 };
    let b = match op.sources() {
        _ if op.has_sampler() => sampler(b),
        2 => source(b),
        _ => b != 0,
    };
    dest || a || b
}

/// Failing inputs are saved next to this file, so that later runs of the tests replay them.
fn config(cases: u32) -> ProptestConfig {
    let persistence = FileFailurePersistence::WithSource("regressions");
    ProptestConfig { cases, failure_persistence: Some(Box::new(persistence)), ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn text_preserves_any_program(program in program()) {
        let text = disassemble(&program);
        let back = assemble(&text);
        prop_assert_eq!(back.as_ref(), Ok(&program), "{}", text);
        for (at, line) in text.lines().skip(1).enumerate() {
            prop_assert_eq!(line.trim_start(), disassemble_token(&program, at as u32));
            prop_assert_eq!(line.contains(".token"), needs_raw_token(&program, at), "{}", line);
        }
    }

    #[test]
    fn any_text_is_accepted_or_refused(text in any::<String>()) {
        match assemble(&text) {
            Ok(program) => prop_assert_eq!(assemble(&disassemble(&program)), Ok(program)),
            Err(errors) => {
                prop_assert!(errors.len() <= MAX_ERRORS);
                check_diagnostics(&text, &errors)?;
            }
        }
    }

    #[test]
    fn program_like_text_is_accepted_or_refused(
        text in "(version 1 (fs|vs)\n)?((mov|tex|add|kil|\\.token|eif) ?[a-z0-9\\[\\]<>.,+\\- ]{0,30}\n){0,5}",
    ) {
        match assemble(&text) {
            Ok(program) => prop_assert_eq!(assemble(&disassemble(&program)), Ok(program)),
            Err(errors) => for e in errors {
                prop_assert!((e.span.offset + e.span.len) as usize <= text.len());
            },
        }
    }
}

#[test]
fn messages_quote_at_most_forty_characters() {
    for letter in ["a", "é", "語"] {
        for count in [1, 20, 39, 40, 41, 200] {
            let word = letter.repeat(count);
            let quoted = if count <= 40 { word.clone() } else { format!("{}…", letter.repeat(40)) };
            let all = diagnostic_fields(assemble(&format!("version 1 vertex\nmov op, {word}\n")));
            assert!(all.iter().any(|(.., message, _)| message.contains(&format!("'{quoted}'"))), "{all:?}");
        }
    }
}
