//! Encodings that the assembler picasso 2.7.1 (source S5) produced: each text assembles to picasso's word, and the word disassembles to text with
//! the same meaning.

use crate::pica200::text::{read, words};
use lockstep_core::isa::pica200::disassemble::{disassemble, disassemble_word};

/// The descriptors of picasso's programs, at the numbers that the words below use.
const DESCRIPTORS: [u32; 10] = [
    0x0d86_c36f,
    0x0000_1c9c,
    0x0006_c368,
    0x0006_c361,
    0x0000_0aaf,
    0x0000_154f,
    0x0000_1fef,
    0x0000_1fff,
    0x0000_036c,
    0x7fd5_4012,
];

/// Single words and their texts.
const PLAIN: [(u32, &str); 41] = [
    (0x0202_5880, "add r0, c5, r1"),
    (0x0201_2981, "add r0.xy, -r2.wzyx, r3.xxxx"),
    (0x0622_0102, "dp3 r1.x, c0, v2"),
    (0x0807_ff83, "dp4 o0.w, c95, r15"),
    (0x0e42_1000, "dph r2, c1, v0"),
    (0x6240_1080, "dphi r2, v0, c1"),
    (0x1262_2080, "dst r3, c2, v1"),
    (0x6660_5100, "dsti r3, v1, c2"),
    (0x1681_5004, "ex2 r4, r5.y"),
    (0x1a82_7005, "lg2 r4, c7.z"),
    (0x1ec1_7000, "litp r6, r7"),
    (0x230a_3c80, "mul r8, c3[a0.x], r9"),
    (0x2312_3c80, "mul r8, c3[a0.y], r9"),
    (0x231a_3c80, "mul r8, c3[aL], r9"),
    (0x2622_4180, "sge r1, c4, v3"),
    (0x6a20_d200, "sgei r1, v3, c4"),
    (0x2a22_4180, "slt r1, c4, v3"),
    (0x6e28_d200, "slti r1, v3, c4[a0.x]"),
    (0x2e20_4000, "flr r1, v4"),
    (0x3222_6900, "max r1, c6, r2"),
    (0x3621_2900, "min r1, r2, r2"),
    (0x3a21_2006, "rcp r1, r2.w"),
    (0x3e21_2007, "rsq r1, -r2.w"),
    (0x4800_5002, "mova a0.x, v5"),
    (0x4800_5008, "mova a0.xy, v5"),
    (0x4ce1_1000, "mov o7, r1"),
    (0xb822_8880, "cmp c8, ==, !=, r1"),
    (0xbc42_8880, "cmp c8, >, <, r1"),
    (0xbda1_3300, "cmp r3, >=, >=, v6"),
    (0xf142_a640, "mad r1, v1, c9[a0.x], r2"),
    (0xd1c3_2520, "madi r1, v1, r2, c9[aL]"),
    (0xf102_4a69, "mad r1.z, -v1.x, r2.y, -r3.w"),
    (0x8f80_0000, "breakc cmp.x"),
    (0x8000_0000, "break"),
    (0x8400_0000, "nop"),
    (0x8800_0000, "end"),
    (0xac00_0000, "setemit 0"),
    (0xad00_0000, "setemit 1"),
    (0xae80_0000, "setemit 2 prim"),
    (0xaec0_0000, "setemit 2 prim inv"),
    (0xa800_0000, "emit"),
];

fn rows() -> String {
    let dis = |word: u32| {
        let bytes =
            [b"PICA".to_vec(), [0u32, 0, 0, 1, word, 0].iter().flat_map(|w| w.to_le_bytes()).collect()];
        let program = lockstep_core::isa::pica200::decode::decode(&bytes.concat()).unwrap();
        disassemble(&program).lines().find(|l| l.starts_with(".opdesc")).unwrap().to_owned()
    };
    DESCRIPTORS.map(dis).join("\n")
}

#[test]
fn text_assembles_to_documented_words_and_back() {
    let head = format!(".raw vertex\n{}\n", rows());
    for (word, text) in PLAIN {
        let program = read(&format!("{head}{text}"));
        let found = program.code[0].to_word();
        // A row is found by its relevant bits. If picasso's word uses a later matching row, ours uses the first.
        let named = word & if word >> 29 >= 6 { 0x1f } else { 0x7f };
        let number = if program.code[0].desc().is_some() { format!(" @{named}") } else { String::new() };
        let exact = read(&format!("{head}{text}{number}"));
        assert_eq!(exact.code[0].to_word(), word, "{text}");
        assert_eq!(found & !0x7f, word & !0x7f, "{text}: {found:08x}");
        let printed = disassemble_word(&exact, 0);
        assert_eq!(words(&format!("{head}{printed}")), [word], "{text}: {printed}");
        // The same text as picasso's, except for equivalent spellings.
        let same = |s: &str| s.replace(".xxxx", ".x").replace("2 prim", "2, prim").replace(&number, "");
        assert_eq!(same(&printed), same(text));
    }
}

/// Structured flow, at the words given by picasso: lab at 0x33, p1 from 0x38 to 0x39.
#[test]
fn control_flow_has_the_documented_words() {
    let calls = [
        (0x9000_e002u32, "call p1"),
        (0x9780_e002, "callc cmp.x, p1"),
        (0x96c0_e002, "callc !cmp.y, p1"),
        (0x9640_e002, "callc cmp.x && !cmp.y, p1"),
        (0x9700_e002, "callc cmp.x || cmp.y, p1"),
        (0x9700_e002, "callc cmp.x or cmp.y, p1"),
        (0x98c0_e002, "callu b3, p1"),
        (0x98c0_e002, "CALLC b3, p1"),
        (0xb180_cc00, "jmpc !cmp.x, lab"),
        (0xb400_cc00, "jmpu b0, lab"),
        (0xb400_cc01, "jmpu !b0, lab"),
    ];
    let mut text = ".raw vertex\n.padding off\n".to_owned();
    let mut expected = Vec::new();
    for (word, line) in calls {
        text.push_str(line);
        text.push('\n');
        expected.push(word);
    }
    let nop = 0x8400_0000;
    let mut fill = |text: &mut String, to: usize| {
        while expected.len() < to {
            *text += "nop\n";
            expected.push(nop);
        }
    };
    fill(&mut text, 0x26);
    text += "ifu b15\n.else\n.end\nifc cmp.y\n.end\nfor i2\n.end\n";
    let text = text
        .replace("ifu b15\n.else\n.end\n", "ifu b15\nnop\nnop\n.else\nnop\n.end\nnop\n")
        .replace("ifc cmp.y\n.end\n", "ifc cmp.y\nnop\nnop\n.end\n")
        .replace(
            "for i2\n.end\n",
            "for i2\nnop\nnop\nnop\n.end\nnop\nlab:\nnop\nnop\nnop\nnop\nnop\n.proc p1\nnop\nnop\n.end\n",
        );
    expected.extend([0x9fc0_a401, nop, nop, nop, nop, 0xa3c0_b800, nop, nop, 0xa480_c400]);
    expected.resize(0x3a, nop);
    assert_eq!(words(&text), expected);

    let program = read(&text);
    let printed = disassemble(&program);
    assert_eq!(words(&printed), expected, "{printed}");
    for (at, line) in [
        (0, "call L38, 2"),
        (3, "callc cmp.x && !cmp.y, L38, 2"),
        (4, "callc cmp.x || cmp.y, L38, 2"),
        (6, "callu b3, L38, 2"),
        (8, "jmpc !cmp.x, L33"),
        (10, "jmpu !b0, L33"),
        (0x26, "ifu b15, L29, 1"),
        (0x2b, "ifc cmp.y, L2e, 0"),
        (0x2e, "for i2, L31"),
    ] {
        assert_eq!(disassemble_word(&program, at), line);
    }
}

/// The spellings of S5 and of SEED (12) for the same word.
#[test]
fn synonyms_assemble_to_the_same_word() {
    for (one, other) in [
        ("exp r0, v0", "ex2 r0, v0"),
        ("log r0, v0", "lg2 r0, v0"),
        ("lit r0, v0", "litp r0, v0"),
        ("loop i0, 3", "for i0, 3"),
        ("breakc cc.x", "breakc cmp.x"),
        ("breakc !!cmp.x", "breakc cmp.x"),
        ("mov r0, c3[lcnt]", "mov r0, c3[aL]"),
        ("mov r0, c3[a2]", "mov r0, c3[aL]"),
        ("mov r0, c3[a0]", "mov r0, c3[a0.x]"),
        ("mov r0, c3[a1]", "mov r0, c3[a0.y]"),
        ("mov r0, c3[a1+4]", "mov r0, c7[a0.y]"),
        ("mov r0, c8[4]", "mov r0, c12"),
        ("mov r0, r4[-2]", "mov r0, r2"),
        ("mova a0, v0", "mova a0.x, v0"),
        ("mova a1, v0", "mova a0.y, v0"),
        ("mova a01, v0", "mova a0.xy, v0"),
        ("sete 1", "setemit 1"),
        ("setemit 1, primitive invert", "setemit 1, prim inv"),
        ("mov r0.rgb, v0.bgr", "mov r0.xyz, v0.zyxx"),
        ("mov r0.st, v0.pq", "mov r0.xy, v0.zw"),
        ("cmp v0, eq, ne, r1", "cmp v0, ==, !=, r1"),
        ("cmp v0, lt, le, r1", "cmp v0, <, <=, r1"),
        ("cmp v0, gt, ge, r1", "cmp v0, >, >=, r1"),
        // Spellings of SEED.
        ("END1", "end"),
        ("END2", "nop"),
        ("IF? cmp.x, 2, 1", "ifc cmp.x, 2, 1"),
        ("IFU b1, 2, 1", "ifu b1, 2, 1"),
        ("CMP1 v0, <, >, r1", "cmp v0, <, >, r1"),
        ("CMP2 v0, >, <, r1", "cmp v0, >, <, r1"),
        ("CALLC b1, 2, 1", "callu b1, 2, 1"),
        // The plain name selects the form that fits.
        ("dph r0, v0, c1", "dphi r0, v0, c1"),
        ("dst r0, v0, c1", "dsti r0, v0, c1"),
        ("sge r0, v0, c1", "sgei r0, v0, c1"),
        ("slt r0, v0, c1", "slti r0, v0, c1"),
        ("mad r0, v0, v0, c1", "madi r0, v0, v0, c1"),
    ] {
        let assembled = |line: &str| {
            let program = read(&format!(".raw vertex\n{line}"));
            (program.code[0], program.descriptors)
        };
        // Components that are not written are ignored.
        let (a, b) = (assembled(one), assembled(other));
        assert_eq!(a.0, b.0, "{one}");
        let masked = |rows: Vec<lockstep_core::isa::pica200::program::DescriptorRow>| {
            rows.first().map(|r| (r.descriptor.mask, r.descriptor.select1 & 0xfc))
        };
        assert_eq!(masked(a.1), masked(b.1), "{one}");
    }
    // Fact SEED: the opcode numbers of CALLC and of the two CMP instructions in SEED.
    assert_eq!(words(".raw vertex\nCALLC b1, 2, 1")[0] >> 26, 0x26);
    assert_eq!(words(".raw vertex\nCMP1 v0, <=, >, r1")[0] >> 26, 0x2e);
    assert_eq!(words(".raw vertex\nCMP2 v0, >=, <, r1")[0] >> 26, 0x2f);
}

/// Fact S1: the positions at which picasso inserts a `nop` automatically.
#[test]
fn padding_is_inserted_where_documented() {
    let nop = 0x8400_0000;
    let ends_with_padding = |body: &str| {
        let program = format!(".raw vertex\n.proc main\n{body}\n.end\nx: end\n.proc p\nnop\n.end");
        let code = words(&program);
        // The last word of `main` is the word before `end`.
        let at = code.iter().position(|w| *w == 0x8800_0000).unwrap();
        code[at - 1] == nop
    };
    for last in ["jmpc cmp.x, x", "jmpu b0, x", "call p", "callc cmp.x, p", "callu b0, p"] {
        assert!(ends_with_padding(&format!("mov r0, v0\n{last}")), "{last}");
        let inside = |scope: &str| {
            let text = format!(".raw vertex\nx: {scope}\nmov r0, v0\n{last}\n.end\nend\n.proc p\nnop\n.end");
            words(&text)[3] == nop
        };
        assert!(inside("ifc cmp.x") && inside("ifu b0") && inside("for i0"), "{last}");
        let text = format!(".raw vertex\nx: ifu b0\n{last}\n.else\nmov r0, v0\n.end\n.proc p\nnop\n.end");
        assert_eq!(words(&text)[2], nop, "{last} before .else");
    }
    assert!(!ends_with_padding("mov r0, v0"));
    assert!(ends_with_padding(""), "an empty procedure");
    let code = |text: &str| words(&format!(".raw vertex\n{text}"));
    assert_eq!(code("for i0\nmov r0, v0\nbreakc cmp.x\n.end").len(), 4);
    assert_eq!(code("for i0\nmov r0, v0\nbreak\n.end").len(), 4);
    assert_eq!(code("ifu b0\nmov r0, v0\nbreakc cmp.x\n.end").len(), 3);
    // Two scopes that end at the same word, and empty scopes.
    assert_eq!(code("for i0\nifu b0\nmov r0, v0\n.end\n.end").len(), 4);
    assert_eq!(code("ifu b0\n.end").len(), 2);
    assert_eq!(code("ifu b0\n.else\nnop\n.end").len(), 3);
    assert_eq!(code(".padding off\nfor i0\nifu b0\nmov r0, v0\n.end\n.end").len(), 3);
    assert_eq!(code(".padding off\nifu b0\n.end\n.padding on\nifu b0\n.end").len(), 3);
}
