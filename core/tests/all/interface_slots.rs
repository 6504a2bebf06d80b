//! Each register of each instruction set and version is at its documented slot of the interface, and each constant is counted.
//!
//! The numbers of registers are those of the documents (see the module `limits`), the slots those of the documentation of each interface. A
//! comparison of engines cannot detect an error here, because both take their inputs from the interface.

use lockstep_core::isa::{Entry, IsaId, Port, Syntax};
use lockstep_core::isa::{a2xx::A2xx, agal::Agal, d3d9::D3d9, pica200::Pica200, utgard_gp::UtgardGp};

fn entry_of<I: Syntax>(text: &str) -> Entry {
    let program = I::assemble(text).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
    I::entries(&program).remove(0)
}

fn entry(isa: IsaId, text: &str) -> Entry {
    match isa {
        IsaId::Agal => entry_of::<Agal>(text),
        IsaId::D3d9 => entry_of::<D3d9>(text),
        IsaId::Pica200 => entry_of::<Pica200>(text),
        IsaId::UtgardGp => entry_of::<UtgardGp>(text),
        IsaId::A2xx => entry_of::<A2xx>(text),
        IsaId::Unlisted(name) => panic!("{name}: its registers are not listed in this test"),
    }
}

/// Registers of one file: the instruction set, the beginnings of programs, the number of registers, the slot of the first one, and lines, with `#`
/// for the number, that use one of them.
type Registers = (IsaId, &'static [&'static str], u16, u16, &'static str);

use IsaId::{A2xx as X, Agal as A, D3d9 as D, Pica200 as P, UtgardGp as U};

const INPUTS: &[Registers] = &[
    (A, &["version 1 vertex", "version 2 vertex"], 8, 0, "mov vt0, va#"),
    (A, &["version 3 vertex", "version 4 vertex"], 16, 0, "mov vt0, va#"),
    (A, &["version 3 vertex", "version 4 vertex"], 1, 32, "mov vt0.x, iid.x"),
    (A, &["version 1 fragment"], 8, 0, "mov ft0, v#"),
    (A, &["version 2 fragment", "version 3 fragment", "version 4 fragment"], 10, 0, "mov ft0, v#"),
    (D, &["vs_1_0", "vs_1_1", "vs_2_0", "vs_2_x", "vs_2_sw", "vs_3_0", "vs_3_sw"], 16, 0, "mov r0, v#"),
    (
        D,
        &["ps_1_0", "ps_1_1", "ps_1_2", "ps_1_3", "ps_1_4", "ps_2_0", "ps_2_x", "ps_2_sw"],
        2,
        0,
        "mov r0, v#",
    ),
    (D, &["ps_3_0", "ps_3_sw"], 10, 0, "mov r0, v#"),
    (D, &["ps_1_0", "ps_1_1", "ps_1_2", "ps_1_3"], 4, 16, "mov r0, t#"),
    (D, &["ps_1_4"], 6, 16, "texcrd r0.xyz, t#"),
    (D, &["ps_2_0", "ps_2_x", "ps_2_sw"], 8, 16, "mov r0, t#"),
    (D, &["ps_3_0", "ps_3_sw"], 1, 32, "mov r0, vPos"),
    (D, &["ps_3_0", "ps_3_sw"], 1, 33, "mov r0, vFace"),
    (P, &[".raw vertex", ".raw geometry"], 16, 0, "mov r0, v#\nend"),
    (U, &[""], 16, 0, "attribute.load(#), acc[0].mov(attribute.x);"),
    (X, &["EXEC_END"], 64, 0, "ALU: ADDv R0 = R#, R#"),
];

const OUTPUTS: &[Registers] = &[
    (
        A,
        &["version 1 vertex", "version 2 vertex", "version 3 vertex", "version 4 vertex"],
        1,
        0,
        "mov op, va0",
    ),
    (A, &["version 1 vertex"], 8, 1, "mov v#, va0"),
    (A, &["version 2 vertex", "version 3 vertex", "version 4 vertex"], 10, 1, "mov v#, va0"),
    (A, &["version 1 fragment"], 1, 0, "mov oc, v0"),
    (A, &["version 2 fragment", "version 3 fragment", "version 4 fragment"], 4, 0, "mov fo#, v0"),
    (A, &["version 2 fragment", "version 3 fragment", "version 4 fragment"], 1, 4, "mov fd.x, v0"),
    (D, &["vs_1_0", "vs_1_1", "vs_2_0", "vs_2_x", "vs_2_sw"], 1, 0, "mov oPos, v0"),
    (D, &["vs_1_0", "vs_1_1", "vs_2_0", "vs_2_x", "vs_2_sw"], 1, 1, "mov oFog.x, v0"),
    (D, &["vs_1_0", "vs_1_1", "vs_2_0", "vs_2_x", "vs_2_sw"], 1, 2, "mov oPts.x, v0"),
    (D, &["vs_1_0", "vs_1_1", "vs_2_0", "vs_2_x", "vs_2_sw"], 2, 4, "mov oD#, v0"),
    (D, &["vs_1_0", "vs_1_1", "vs_2_0", "vs_2_x", "vs_2_sw"], 8, 8, "mov oT#, v0"),
    (D, &["vs_3_0"], 12, 0, "mov o#, v0"),
    (D, &["vs_3_sw"], 16, 0, "mov o#, v0"),
    (D, &["ps_1_0", "ps_1_1", "ps_1_2", "ps_1_3", "ps_1_4"], 1, 0, "mov r0, v0"),
    (D, &["ps_1_3"], 1, 4, "texm3x2pad t1, t0\ntexm3x2depth t2, t0"),
    (D, &["ps_1_4"], 1, 4, "texdepth r5"),
    (D, &["ps_2_0", "ps_2_x", "ps_2_sw", "ps_3_0", "ps_3_sw"], 4, 0, "mov oC#, r0"),
    (D, &["ps_2_0", "ps_2_x", "ps_2_sw", "ps_3_0", "ps_3_sw"], 1, 4, "mov oDepth, r0.x"),
    (P, &[".raw vertex"], 16, 0, "mov o#, c0\nend"),
    (U, &[""], 16, 0, "acc[0].mov(uniform.x), store[0].varying(#, acc[0].out, unused);"),
];

fn check_slots(registers: &[Registers], ports: impl Fn(&Entry) -> &[Port]) {
    for (isa, heads, count, first, line) in registers {
        for head in *heads {
            for number in 0..*count {
                let text = format!("{head}\n{}", line.replace('#', &number.to_string()));
                let entry = entry(*isa, &text);
                let slots: Vec<u16> = ports(&entry).iter().map(|port| port.slot).collect();
                assert!(slots.contains(&(first + number)), "{text}\n{slots:?}");
            }
        }
    }
}

#[test]
fn each_input_register_has_its_slot() {
    check_slots(INPUTS, |entry| &entry.interface.inputs);
}

#[test]
fn each_output_register_has_its_slot() {
    check_slots(OUTPUTS, |entry| &entry.interface.outputs);
}

/// A function that returns the number of constants of one kind in an entry's interface.
type Count = fn(&Entry) -> u16;

const FLOATS: Count = |entry| entry.interface.constants;
const INTS: Count = |entry| entry.interface.ints;
const BOOLS: Count = |entry| entry.interface.bools;
const LAST_SAMPLER: Count = |entry| entry.interface.samplers.last().map_or(0, |last| u16::from(*last) + 1);
/// The number of the highest vertex constant in use plus 1: `extra` of an A2xx entry has one bit for each vertex constant.
const BUFFERS: Count = |entry| {
    let [a, b, c, _] = entry.extra.map(u128::from);
    (128 - (a | b << 32 | c << 64).leading_zeros()) as u16
};

/// Constants of one kind: the instruction set, the beginning of a program, their number, how the interface counts them, and texts, separated by
/// `|`, each of which reads the constant whose number replaces `#`.
const CONSTANTS: &[(IsaId, &str, u16, Count, &str)] = &[
    (A, "version 3 vertex", 250, FLOATS, "mov vt0, vc#"),
    (A, "version 3 fragment", 200, FLOATS, "mov ft0, fc#"),
    (A, "version 3 fragment", 16, LAST_SAMPLER, "tex ft0, v0, fs# <2d>"),
    (A, "version 4 vertex", 4, LAST_SAMPLER, "tld vt0, va0, vs# <2d>"),
    (D, "vs_3_0", 256, FLOATS, "mov r0, c#"),
    (D, "vs_3_0", 16, INTS, "rep i#\nendrep|loop aL, i#\nendloop"),
    (D, "vs_3_0", 16, BOOLS, "if b#\nendif|callnz l0, b#\nret\nlabel l0\nret"),
    (D, "ps_3_0", 16, LAST_SAMPLER, "dcl_2d s#\ntexld r0, v0, s#"),
    (P, ".padding off\n.raw vertex", 96, FLOATS, "mov r0, c#\nend"),
    (P, ".padding off\n.raw vertex", 4, INTS, "for i#, 1\nnop\nend"),
    (
        P,
        ".padding off\n.raw vertex",
        16,
        BOOLS,
        "ifu b#, 2, 0\nnop\nend|jmpu b#, 1\nend|callu b#, 2, 1\nend\nnop",
    ),
    (U, "", 512, FLOATS, "uniform.load(#), acc[0].mov(uniform.x);"),
    (X, "", 256, FLOATS, "EXEC_END\nALU: ADDv R0 = C#, R0"),
    (
        X,
        "",
        32,
        INTS,
        "LOOP_START ADDR(0x2) LOOP_ID(#)\nLOOP_END ADDR(0x1) LOOP_ID(0)\nEXEC_END\nALU: ADDv R0 = R0, R0|\
         LOOP_START ADDR(0x2) LOOP_ID(0)\nLOOP_END ADDR(0x1) LOOP_ID(#)\nEXEC_END\nALU: ADDv R0 = R0, R0",
    ),
    (
        X,
        "",
        256,
        BOOLS,
        "COND_EXEC BOOL_ADDR(#) COND(1)\nALU: ADDv R0 = R0, R0\nEXEC_END\nALU: ADDv R0 = R0, R0|\
         COND_JMP ADDR(0x1) DIR(1) BOOL_ADDR(#) BOOL_COND(1)\nEXEC_END\nALU: ADDv R0 = R0, R0",
    ),
    (X, "", 32, LAST_SAMPLER, "EXEC_END\nFETCH: SAMPLE R0.xyzw = R0.xyz CONST(#) LOCATION(CENTER)"),
];

#[test]
fn each_constant_is_counted_by_the_interface() {
    for (isa, head, most, count, alternatives) in CONSTANTS {
        for lines in alternatives.split('|') {
            for number in 0..*most {
                let text = format!("{head}\n{}", lines.replace('#', &number.to_string()));
                assert_eq!(count(&entry(*isa, &text)), number + 1, "{text}");
            }
        }
    }
    // Three vertex constants share a number.
    for number in 0..96u16 {
        let (index, sub) = (number / 3, number % 3);
        let fetch =
            format!("FETCH: VERTEX R1.xyzw = R0.x FMT_32_FLOAT SIGNED STRIDE(4) CONST({index}, {sub})");
        assert_eq!(BUFFERS(&entry(X, &format!("EXEC_END\n{fetch}"))), number + 1, "{fetch}");
    }
}
