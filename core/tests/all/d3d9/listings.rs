//! Listings of vkd3d-shader and MojoShader assemble unchanged to the words from which they were printed.
//!
//! Listings are incomplete: vkd3d prints no masks of declarations, and no usages of declarations in old versions; MojoShader sorts declarations,
//! invents usages and truncates numbers. Both omit comments. These differences are ignored; everything else must match.

use crate::d3d9::corpus::{Shader, folder, shaders};
use lockstep_core::isa::d3d9::assemble::assemble;
use lockstep_core::isa::d3d9::decode::decode;
use lockstep_core::isa::d3d9::opcode::Opcode;
use lockstep_core::isa::d3d9::program::{Instruction, Program, Usage};

/// MojoShader truncates numbers after the ninth decimal place.
const NINE_PLACES: f32 = 1e-9;

/// A listing; `None` if the tool did not finish or printed an error.
fn listing(shader: &Shader, tool: &str) -> Option<String> {
    let path = |kind: &str| folder().unwrap().join("golden").join(format!("{}.{tool}.{kind}", shader.name));
    if path("status").exists() {
        return None;
    }
    let text = std::fs::read_to_string(path("txt")).unwrap();
    (!text.contains("ERROR:")).then_some(text)
}

fn is_declaration(instruction: &Instruction) -> bool {
    matches!(instruction.op(), Some(Opcode::Dcl | Opcode::Def | Opcode::Defi | Opcode::Defb))
}

/// Returns an instruction without the parts that listings omit. `usages` states whether listings include the usages of `dcl`.
fn without_omitted_parts(instruction: &Instruction, usages: bool) -> Instruction {
    let mut reduced = instruction.clone();
    if reduced.op() == Some(Opcode::Dcl) {
        if let Some(dest) = &mut reduced.dest {
            (dest.mask, dest.modifier) = (15, 0);
        }
        if !usages {
            reduced.usage = reduced.usage.map(|_| Usage::of(0, 0));
        }
    }
    reduced
}

/// Whether two instructions are equal, except for the last digits of defined numbers.
fn nearly_equal(a: &Instruction, b: &Instruction) -> bool {
    let close = |(x, y): (&u32, &u32)| {
        let (x, y) = (f32::from_bits(*x), f32::from_bits(*y));
        x.to_bits() == y.to_bits() || (x - y).abs() <= NINE_PLACES * (1.0 + 128.0 * x.abs())
    };
    let without = |i: &Instruction| {
        let mut i = i.clone();
        i.immediates.clear();
        i
    };
    without(a) == without(b)
        && a.immediates.len() == b.immediates.len()
        && (a.immediates == b.immediates
            || a.op() == Some(Opcode::Def) && a.immediates.iter().zip(&b.immediates).all(close))
}

fn assembled(shader: &Shader, text: &str) -> Program {
    let program = assemble(text).unwrap_or_else(|errors| panic!("{}: {:?}", shader.name, errors[0]));
    let original = decode(&shader.bytes).unwrap();
    assert_eq!(program.version, original.version, "{}", shader.name);
    assert_eq!(program.instructions.len(), original.instructions.len(), "{}", shader.name);
    program
}

#[test]
fn vkd3d_listings_assemble_to_their_words() {
    let Some(shaders) = shaders() else { return };
    let mut files = 0;
    for shader in &shaders {
        let Some(text) = listing(shader, "vkd3d") else { continue };
        files += 1;
        let (program, original) = (assembled(shader, &text), decode(&shader.bytes).unwrap());
        for (at, (a, b)) in original.instructions.iter().zip(&program.instructions).enumerate() {
            // Listings include the texture type of samplers, and the usage of other registers in versions with usages.
            let usages = a.usage != Some(Usage::of(0, 0)) && b.usage != Some(Usage::of(0, 0));
            assert_eq!(
                without_omitted_parts(a, usages),
                without_omitted_parts(b, usages),
                "{} instruction {at}",
                shader.name
            );
        }
    }
    // The tool hung on eight of the 90.
    assert_eq!(files, 82);
}

#[test]
fn mojoshader_listings_assemble_to_their_words() {
    let Some(shaders) = shaders() else { return };
    let mut files = 0;
    for shader in &shaders {
        let Some(text) = listing(shader, "mojoshader") else { continue };
        files += 1;
        let (program, original) = (assembled(shader, &text), decode(&shader.bytes).unwrap());
        let runs =
            |p: &Program| p.instructions.iter().filter(|i| !is_declaration(i)).cloned().collect::<Vec<_>>();
        assert_eq!(runs(&original), runs(&program), "{}", shader.name);
        let usages = !original.version.is_pixel() || original.version.major >= 3;
        let mut left: Vec<&Instruction> = program.instructions.iter().filter(|i| is_declaration(i)).collect();
        for wanted in original.instructions.iter().filter(|i| is_declaration(i)) {
            let found = left.iter().position(|i| {
                nearly_equal(&without_omitted_parts(wanted, usages), &without_omitted_parts(i, usages))
            });
            left.remove(found.unwrap_or_else(|| panic!("{}: {wanted:?} of {left:?}", shader.name)));
        }
    }
    // The tool refuses three of the 90.
    assert_eq!(files, 87);
}

#[test]
fn other_spellings_mean_the_same() {
    for (theirs, ours) in [
        ("vs_2_0\ndef c0 = 1.0, 2, 3, 4", "vs_2_0\ndef c0, 1, 2, 3, 4"),
        ("vs_1_1\ndcl_texture3 v0", "vs_1_1\ndcl_texcoord3 v0"),
        ("vs_1_1\ndcl_specular0 v0", "vs_1_1\ndcl_color1 v0"),
        ("vs_1_1\ndcl_blend v0", "vs_1_1\ndcl_blendindices v0"),
        ("vs_1_1\ndcl_weight v0", "vs_1_1\ndcl_blendweight v0"),
        ("ps_3_0\nadd r0, -|r1.x|, |r0|", "ps_3_0\nadd r0, -r1_abs.x, r0_abs"),
        (
            "ps_3_0\nloop aL0, i0\nmov r0, c[aL0 + 3]\nendloop",
            "ps_3_0\nloop aL, i0\nmov r0, c[aL + 3]\nendloop",
        ),
        ("ps_2_x\nif_nz b0\nendif", "ps_2_x\nif b0\nendif"),
        ("ps_1_1\ntexkill_nz t0", "ps_1_1\ntexkill t0"),
        ("SHADER: x\n  VERSION: 1.1\n  OUTPUT:\n  ps_1_1\n  mov r0, c0\n  end", "ps_1_1\nmov r0, c0"),
    ] {
        assert_eq!(assemble(theirs), assemble(ours), "{theirs}");
        assert!(assemble(ours).is_ok(), "{ours}");
    }
    for wrong in [
        "vs_2_0\nadd r0 = r1, r2",
        "vs_2_0\nmov_nz r0, r1",
        "ps_3_0\nadd r0, |r1, r2",
        "ps_3_0\nadd r0, |r1_abs|, r2",
        "vs_1_1\ndcl_specular15 v0",
        "SHADER: x\nmov r0, c0",
    ] {
        assert!(assemble(wrong).is_err(), "{wrong}");
    }
}

/// Text above a listing must agree with it; a different version is an error that names both.
#[test]
fn a_version_that_contradicts_the_listing_is_refused() {
    let ours = assemble("ps_1_1\nmov r0, c0").unwrap();
    for text in [
        "; c\nps_1_1\nSHADER: x\n  OUTPUT:\n  ps_1_1\n  mov r0, c0\n  end",
        "ps.1.1 // c\nps_1_1\nmov r0.xyzw, c0.xyzw",
    ] {
        assert_eq!(assemble(text).as_ref(), Ok(&ours), "{text}");
    }
    let errors = assemble("ps_1_2\nSHADER: x\n  OUTPUT:\n  ps_1_1\n  mov r0, c0\n  end").unwrap_err();
    assert_eq!((errors.len(), errors[0].span.line), (1, 4), "{errors:?}");
    assert!(errors[0].message.contains("ps_1_1") && errors[0].message.contains("ps_1_2"), "{errors:?}");
    assert!(assemble("ps_1_1\nmov r0, c0\nSHADER: x\n  OUTPUT:\n").is_err());
    for cut in ["SHADER: x\n  PROFILE: (null)\n", "ps_1_1\nSHADER: x\n  PROFILE: (null)\n"] {
        let errors = assemble(cut).unwrap_err();
        assert!(errors[0].span.line > 1 && errors[0].message.contains("'OUTPUT:'"), "{errors:?}");
    }
}
