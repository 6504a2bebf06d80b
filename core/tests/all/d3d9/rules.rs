//! Tests of the validator.

use crate::d3d9::corpus::shaders;
use lockstep_core::isa::d3d9::assemble::assemble;
use lockstep_core::isa::d3d9::decode::decode;
use lockstep_core::isa::d3d9::interface::entries;
use lockstep_core::isa::d3d9::opcode::TABLE;
use lockstep_core::isa::d3d9::profile::Profile;
use lockstep_core::isa::d3d9::program::Instruction;
use lockstep_core::isa::d3d9::rules::{RULES, Rule};
use lockstep_core::isa::d3d9::slots::slots;
use lockstep_core::isa::d3d9::validate::{validate, validate_for_device};
use lockstep_core::isa::{Level, Violation};
use std::collections::BTreeSet;

fn broken(text: &str) -> Vec<Violation> {
    let program = assemble(text).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
    validate(&program, &entries(&program)[0])
}

/// Warnings about programs that compilers and Windows accepted: file, rule, and the reason.
const ACCEPTED: &[(&str, Rule, &str)] = &[
    ("ps_2_1_vcs_example_model_ps20b_c40", Rule::SlotsCapability, "compiled for ps_2_b, which has 512 slots"),
    (
        "ps_2_1_vcs_example_model_ps20b_c42_2",
        Rule::SlotsCapability,
        "compiled for ps_2_b, which has 512 slots",
    ),
    ("ps_2_1_vcs_example_model_ps20b_c43", Rule::SlotsCapability, "compiled for ps_2_b, which has 512 slots"),
    (
        "ps_2_1_vcs_example_model_ps20b_c43_2",
        Rule::SlotsCapability,
        "compiled for ps_2_b, which has 512 slots",
    ),
    ("ps_2_1_vcs_example_model_ps20b_c60", Rule::SlotsCapability, "compiled for ps_2_b, which has 512 slots"),
    ("ps_2_1_vcs_example_model_ps20b_c62", Rule::SlotsCapability, "compiled for ps_2_b, which has 512 slots"),
    (
        "ps_3_0_bgfx_fs_font_distance_field_drop_shadow_dx9",
        Rule::OutputInFlow,
        "the page on oDepth allows it",
    ),
    (
        "ps_3_0_bgfx_fs_font_distance_field_drop_shadow_image_dx9",
        Rule::OutputInFlow,
        "the page on oDepth allows it",
    ),
    (
        "ps_3_0_bgfx_fs_font_distance_field_outline_drop_shadow_image_dx9",
        Rule::OutputInFlow,
        "the page on oDepth allows it",
    ),
    (
        "ps_3_0_bgfx_fs_font_distance_field_outline_image_dx9",
        Rule::OutputInFlow,
        "the page on oDepth allows it",
    ),
    (
        "vs_1_0_wine_d3d8_visual_vertex_shader_code2",
        Rule::PointSize,
        "a test of Direct3D 8 writes all of oFog",
    ),
    ("vs_1_1_wine_d3d9_visual_vertex_shader_code2", Rule::PointSize, "a test writes all of oFog"),
    ("vs_1_1_wine_d3d8_visual_exp_test", Rule::NotScalar, "tests which component is used"),
    ("vs_1_1_wine_d3d8_visual_log_test", Rule::NotScalar, "tests which component is used"),
    ("vs_1_1_wine_d3d8_visual_rsq_test", Rule::NotScalar, "tests which component is used"),
    ("vs_1_1_wine_d3d9_d3d9ex_vs_1_255", Rule::RangeCapability, "tests the range of constants"),
    ("vs_3_0_wine_d3d9_d3d9ex_vs_3_i16", Rule::Unwritten, "written to be created, not to be run"),
    ("vs_2_0_vcs_example_model_vs20_c21", Rule::PointSize, "the compiler writes all of oFog"),
    ("vs_2_0_vcs_example_model_vs20_c23", Rule::PointSize, "the compiler writes all of oFog"),
    ("vs_2_0_vcs_example_model_vs20_c69", Rule::PointSize, "the compiler writes all of oFog"),
    ("vs_2_0_vcs_example_model_vs20_c71", Rule::PointSize, "the compiler writes all of oFog"),
];

/// Programs that hardware devices of Windows refused in a test written for that purpose: file and the rule at error level.
const REFUSED: &[(&str, Rule)] = &[
    ("vs_1_1_wine_d3d9_d3d9ex_vs_1_256", Rule::RangeSoftware),
    ("vs_3_0_wine_d3d9_d3d9ex_vs_3_i16", Rule::Range),
];

/// Real shaders, which shipped or ran on Windows in tests, break only the rules in `ACCEPTED`, at warning level, and those in `REFUSED`, at error
/// level.
#[test]
fn real_shaders_break_only_listed_rules() {
    let Some(shaders) = shaders() else { return };
    let mut used = BTreeSet::new();
    let mut refused = BTreeSet::new();
    let mut wrong = Vec::new();
    for shader in &shaders {
        let program = decode(&shader.bytes).unwrap();
        for v in validate(&program, &entries(&program)[0]) {
            let known = REFUSED.iter().find(|(f, r)| *f == shader.name && r.row().code == v.code);
            if let (Some((file, _)), Level::Error) = (known, v.level) {
                refused.insert(*file);
                continue;
            }
            let excuse = ACCEPTED.iter().position(|(f, r, _)| *f == shader.name && r.row().code == v.code);
            match excuse {
                Some(k) if v.level == Level::Warning => _ = used.insert(k),
                _ => wrong.push(format!("{}: {v}", shader.name)),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(refused.len(), REFUSED.len(), "refused: {refused:?}");
    let unused: Vec<_> = (0..ACCEPTED.len()).filter(|k| !used.contains(k)).map(|k| ACCEPTED[k]).collect();
    assert!(unused.is_empty(), "unused: {unused:?}");
}

/// For every rule without a test of its own below, a program that obeys the rule and a similar one that breaks it.
const PAIRS: &[(Rule, &str, &str)] = &[
    (Rule::Version, "vs_1_1", ".version 0xfffe0105"),
    (Rule::Empty, "ps_2_0\nnop", "ps_2_0\ndef c0, 0, 0, 0, 0"),
    (Rule::Opcode, "ps_2_0\n.token 0", "ps_2_0\n.token 0x31"),
    (Rule::OpcodeVersion, "ps_1_2\ncmp r0, v0, t0, t1", "ps_1_1\ncmp r0, v0, t0, t1"),
    (
        Rule::Missing,
        "ps_2_0\n.token 0x02000001, 0x800f0000, 0x80e40000",
        "ps_2_0\n.token 0x01000001, 0x800f0000",
    ),
    (
        Rule::Surplus,
        "ps_2_0\n.token 0x02000001, 0x800f0000, 0x80e40000",
        "ps_2_0\n.token 0x03000001, 0x800f0000, 0x80e40000, 1",
    ),
    (Rule::Reserved, "ps_2_0\nnop", "ps_2_0\n.token 0x20000000"),
    (Rule::Control, "ps_3_0\nif_gt r0.x, r1.x", "ps_3_0\n.token 0x02070029, 0x80000000, 0x80000001"),
    (
        Rule::Control,
        "ps_2_0\ntexldb r0, t0, s0",
        "ps_2_0\n.token 0x03030042, 0x800f0000, 0xb0e40000, 0xa0e40800",
    ),
    (Rule::Predication, "ps_3_0\n(p0) mov r0, r1", "ps_2_0\n(p0) mov r0, r1"),
    (Rule::Predication, "ps_3_0\nelse", "ps_3_0\n(p0) else"),
    (Rule::PredicateOperand, "ps_3_0\n(!p0.y) mov r0, r1", "ps_3_0\n(p0.yx) mov r0, r1"),
    (Rule::PredicateOperand, "ps_3_0\n(p0) mov r0, r1", "ps_3_0\n(r0) mov r0, r1"),
    (Rule::PredicateCapability, "vs_2_sw\n(p0) mov r0, r1", "vs_2_x\n(p0) mov r0, r1"),
    (Rule::CoissueVersion, "ps_1_1\nmov r0.xyz, v0\n+mov r0.w, v0", "ps_2_0\nmov r0.xyz, v0\n+mov r0.w, v0"),
    (Rule::CoissuePair, "ps_1_1\nmov r0.xyz, v0\n+mov r0.w, v0", "ps_1_1\nmov r0.xyz, v0\n+mov r0, v0"),
    (Rule::CoissuePair, "ps_1_1\nmov r0.w, v0\n+mov r0.xyz, v0", "ps_1_1\n+mov r0.xyz, v0"),
    (
        Rule::CoissueOpcode,
        "ps_1_1\ndp3 r0.xyz, v0, v1\n+mov r0.w, v0",
        "ps_1_2\nmov r0.xyz, v0\n+dp4 r0.w, v0, v1",
    ),
    (Rule::CoissueNumber, "ps_1_0\nmov r0.xyz, v0\n+mov r0.w, v0", "ps_1_0\nmov r0.xyz, v0\n+mov r1.w, v0"),
    (Rule::OperandBits, "ps_2_0\nmov r0, r1", "ps_2_0\n.token 0x02000001, 0x800f0000, 0x00e40001"),
    (Rule::ReadFile, "vs_3_0\nmov r0, v0", "vs_3_0\nmov r0, a0"),
    (Rule::ReadFile, "ps_2_0\nmov r0, t0", "ps_3_0\nmov r0, t0"),
    (Rule::WriteFile, "ps_2_0\nmov oC0, r0", "vs_2_0\nmov oC0, r0"),
    (Rule::WriteFile, "vs_2_0\nmov oPos, r0", "vs_3_0\nmov oPos, r0"),
    (Rule::WriteFile, "vs_2_0\nmov r0, r0", "vs_2_0\nmov c0, r0"),
    (Rule::Range, "ps_1_1\nmov r1, c7", "ps_1_1\nmov r1, c8"),
    (Rule::Range, "ps_3_0\nmov r31, c223", "ps_3_0\nmov r31, c224"),
    (Rule::Range, "vs_2_0\nmov r11, v15", "vs_2_0\nmov r12, v15"),
    (Rule::Range, "ps_3_0\ndcl_color0 v9", "ps_3_0\ndcl_color0 v10"),
    (Rule::RangeSoftware, "vs_3_0\nmov r0, c255", "vs_3_0\nmov r0, c256"),
    (Rule::Range, "vs_3_0\nrep i15\nendrep", "vs_3_0\nrep i16\nendrep"),
    (Rule::Range, "vs_3_sw\nif b16\nnop\nendif", "vs_3_0\nif b16\nnop\nendif"),
    (Rule::InputUsage, "ps_3_0\ndcl_position1 v0", "ps_3_0\ndcl_position0 v0"),
    (Rule::InputUsage, "vs_3_0\ndcl_tessfactor0 v0", "ps_3_0\ndcl_tessfactor0 v0"),
    (Rule::InputUsage, "ps_3_0\ndcl_fog0 v0", "ps_3_0\ndcl_positiont0 v0"),
    (Rule::InputUsage, "ps_3_0\ndcl_depth0 v0", "ps_3_0\ndcl_sample0 v0"),
    (Rule::InputUsageUnsure, "vs_3_0\ndcl_psize0 v0", "ps_3_0\ndcl_psize0 v0"),
    (Rule::RangeCapability, "ps_2_x\nmov r11, t0", "ps_2_x\nmov r12, t0"),
    (Rule::RelativeFile, "vs_3_0\nmov r0, v[aL + 1]", "vs_2_0\nmov r0, v[aL + 1]"),
    (Rule::RelativeFile, "vs_3_0\nmov o[aL], v0", "vs_3_0\nmov r[aL], v0"),
    (Rule::RelativeFile, "vs_1_1\nmov r0, c[a0.x]", "vs_1_0\nmov r0, c[a0.x]"),
    (Rule::IndexRegister, "vs_2_0\nmov r0, c[a0.y]", "vs_2_0\nmov r0, c[a0.xy]"),
    (Rule::IndexRegister, "vs_2_0\nmov r0, c[aL]", "vs_2_0\nmov r0, c[r0.x]"),
    (
        Rule::LoopOutside,
        "vs_2_0\nloop aL, i0\nmov r0, c[aL]\nendloop",
        "vs_2_0\nrep i0\nmov r0, c[aL]\nendrep",
    ),
    (
        Rule::LoopOutside,
        "vs_2_0\nloop aL, i0\ncall l0\nendloop\nret\nlabel l0\nmov r0, c[aL]\nret",
        "vs_2_0\nloop aL, i0\ncall l0\nendloop\ncall l0\nret\nlabel l0\nmov r0, c[aL]\nret",
    ),
    (Rule::OperandKind, "ps_2_0\ntexld r0, t0, s0", "ps_2_0\ntexld r0, t0, c0"),
    (Rule::OperandKind, "vs_2_0\nif b0", "vs_2_0\nif i0"),
    (Rule::OperandKind, "vs_2_x\nif p0.x", "vs_2_0\nif p0.x"),
    (Rule::OperandKind, "ps_1_1\ncnd r0, r0.a, v0, v1", "ps_1_1\ncnd r0, r1.a, v0, v1"),
    (Rule::DclFile, "vs_3_0\ndcl_color0 o1", "vs_2_0\ndcl_color0 oT1"),
    (Rule::AddressMov, "vs_2_0\nmova a0, r0", "vs_2_0\nmov a0, r0"),
    (Rule::AddressWrite, "vs_1_1\nmov a0.x, r0", "vs_1_1\nmov a0.xy, r0"),
    (Rule::AddressWrite, "vs_2_0\nmova a0.x, r0", "vs_2_0\nadd a0.x, r0, r0"),
    (Rule::Range, "vs_1_1\nmov a0.x, r0", "vs_1_1\nmov a1.x, r0"),
    (Rule::Range, "vs_2_0\nmov a0, r0", "vs_2_0\nmov a1, r0"),
    (Rule::RelativeFile, "vs_3_0\nmov a0, r0", "vs_3_0\nmov a0[aL], r0"),
    (Rule::IndexUnsure, "vs_3_0\nmov r0, v[aL]", "vs_3_0\nmov r0, v[a0.x]"),
    (Rule::Saturate, "vs_3_0\nmov_sat r0, v0", "vs_2_0\nmov_sat r0, v0"),
    (Rule::Saturate, "ps_2_0\nmov_sat r0, t0", "ps_2_0\nmov_sat oC0, r0"),
    (Rule::Saturate, "ps_2_0\nmul_sat r0, r0, r0", "ps_2_0\nfrc_sat r0, r0"),
    (Rule::SaturateUnsure, "ps_1_4\ntexcrd r0.xyz, t0", "ps_1_4\ntexcrd_sat r0.xyz, t0"),
    (Rule::PartialPrecision, "ps_2_0\nmov_pp r0, t0", "vs_2_0\nmov_pp r0, v0"),
    (Rule::Centroid, "ps_2_0\ntexld_centroid r0, t0, s0", "ps_2_0\nmov_centroid r0, t0"),
    (Rule::CentroidUnsure, "ps_2_0\ntexld r0, t0, s0", "ps_2_0\ntexld_centroid r0, t0, s0"),
    (Rule::ResultModifier, "ps_2_0\nmov r0, r0", "ps_2_0\n.token 0x02000001, 0x808f0000, 0x80e40000"),
    (Rule::Shift, "ps_1_1\nmov_x4 r0, v0", "ps_1_1\nmov_x8 r0, v0"),
    (Rule::Shift, "ps_1_4\nmov_d8 r0, v0", "ps_2_0\nmov_x2 r0, t0"),
    (Rule::SourceModifier, "ps_1_1\nmov r0, v0_bx2", "ps_2_0\nmov r0, t0_bx2"),
    (Rule::SourceModifier, "ps_3_0\nmov r0, v0_abs", "ps_2_0\nmov r0, t0_abs"),
    (Rule::SourceModifier, "ps_1_4\nmov r0, r0_x2", "ps_1_3\nmov r0, v0_x2"),
    (Rule::SourceModifier, "ps_1_4\nphase\ntexld r0, r0_dz", "ps_1_4\nphase\nmov r0, r0_dz"),
    (Rule::SourceModifier, "ps_1_4\ntexcrd r0.xy, t0_dw.xyw", "ps_1_4\ntexcrd r0.xy, t0_dw"),
    (Rule::SourceModifier, "ps_1_2\ntex t0\ntexdp3 t1, t0_bx2", "ps_1_2\ntex t0\ntexbem t1, t0_bx2"),
    (Rule::ConstantModifier, "ps_1_4\nmov r0, r1_bias", "ps_1_4\nmov r0, c0_bias"),
    (Rule::ConstantUndefined, "ps_1_1\nmov r0, v0_bias", "ps_1_1\nmov r0, -c0"),
    (
        Rule::DivideTwice,
        "ps_1_4\nphase\ntexld r0, r0_dz\ntexld r1, r1_dz",
        "ps_1_4\nphase\ntexld r0, r0_dz\ntexld r1, r1_dz\ntexld r2, r2_dz",
    ),
    (Rule::AbsConstants, "vs_3_0\nmov r0, c0_abs\nmov r0, c1_abs", "vs_3_0\nmov r0, c0_abs\nmov r0, c1"),
    (Rule::NotBool, "vs_2_0\ncallnz l0, !b0", "vs_2_0\nif !b0"),
    (Rule::DclModifier, "ps_3_0\ndcl_color0_pp v0", "vs_3_0\ndcl_color0_pp v0"),
    (Rule::Swizzle, "ps_1_1\nmov r0, v0.a", "ps_1_1\nmov r0, v0.r"),
    (Rule::Swizzle, "ps_1_1\nmov r0.a, v0.b", "ps_1_1\nmov r0, v0.b"),
    (Rule::Swizzle, "ps_1_4\nmov r0, v0.r", "ps_1_4\nmov r0, v0.zyxw"),
    (Rule::Swizzle, "ps_1_4\ntexld r0, t0.xyw", "ps_1_4\ntexld r0, t0.xxx"),
    (Rule::Swizzle, "ps_2_0\nmov r0, t0.yzxw", "ps_2_0\nmov r0, t0.yxzw"),
    (Rule::Swizzle, "vs_2_x\nif p0.x", "vs_2_x\nif p0"),
    (Rule::SwizzleCapability, "ps_2_x\nmov r0, t0.wzyx", "ps_2_x\nmov r0, t0.yxzw"),
    (Rule::NotScalar, "ps_2_0\nrcp r0, t0.x", "ps_2_0\nrcp r0, t0"),
    (Rule::NotScalar, "ps_2_0\ndp2add r0, t0, t0, t0.x", "ps_2_0\ndp2add r0, t0, t0, t0"),
    (Rule::CompareScalar, "ps_3_0\nif_gt r0.x, r1.y", "ps_3_0\nif_gt r0, r1.y"),
    (Rule::MaskEmpty, "ps_2_0\nmov r0.x, r0", "ps_2_0\n.token 0x02000001, 0x80000000, 0x80e40000"),
    (Rule::Mask, "vs_2_0\nm4x3 r0.xyz, v0, c0", "vs_2_0\nm4x3 r0, v0, c0"),
    (Rule::Mask, "vs_2_0\ncrs r0.xz, v0, v1", "vs_2_0\ncrs r0, v0, v1"),
    (Rule::Mask, "vs_3_0\nsincos r0.y, v0.x", "vs_3_0\nsincos r0.z, v0.x"),
    (Rule::Mask, "vs_1_1\nfrc r0.xy, v0", "vs_1_1\nfrc r0, v0"),
    (Rule::MaskUnsure, "vs_2_0\nnrm r0.xyz, v0", "vs_2_0\nnrm r0.xy, v0"),
    (Rule::MaskVersion, "ps_1_1\nmov r0.rgb, v0", "ps_1_1\nmov r0.rg, v0"),
    (Rule::MaskVersion, "ps_1_4\ntexcrd r0.rgb, t0", "ps_1_4\ntexcrd r0, t0"),
    (Rule::KillOperand, "ps_2_0\ntexkill r0", "ps_2_0\ntexkill r0.xyz"),
    (Rule::TextureDest, "ps_2_0\ntexld r0, t0, s0", "ps_2_0\ntexld oC0, t0, s0"),
    (Rule::TextureSource, "ps_3_0\ntexld r0, v0.yx, s0", "ps_2_0\ntexld r0, t0.yx, s0"),
    (Rule::SamplerModifier, "ps_3_0\ntexld r0, v0, s0", "ps_3_0\ntexld r0, v0, -s0"),
    (Rule::ColorMov, "ps_2_0\nmov oC0, r0", "ps_2_0\nadd oC0, r0, r0"),
    (Rule::ColorMov, "ps_2_0\nmov oDepth, r0.x", "ps_2_0\nmov oDepth, r0"),
    (Rule::DestSource, "vs_2_0\nm4x4 r0, r1, c0", "vs_2_0\nm4x4 r0, r0, c0"),
    (Rule::DestSource, "vs_2_0\npow r0, r0.x, r1.x", "vs_2_0\npow r0, r1.x, r0.x"),
    (Rule::DestFile, "vs_2_0\nnrm r0, v0", "vs_2_0\nnrm oT0, v0"),
    (Rule::MatrixRows, "vs_2_0\nm4x4 r0, v0.x, c0", "vs_2_0\nm4x4 r0, v0, c0.x"),
    (Rule::MatrixRows, "vs_2_0\nm4x4 r0, v0, c0", "vs_2_0\nm4x4 r0, v0, -c0"),
    (Rule::MatrixRange, "ps_2_0\nm4x4 r0, t0, c28", "ps_2_0\nm4x4 r0, t0, c29"),
    (Rule::MacroConstants, "vs_2_0\nsincos r0.xy, r1.x, c0, c1", "vs_2_0\nsincos r0.xy, r1.x, c0, c0"),
    (Rule::CrossSwizzle, "vs_2_0\ncrs r0.xyz, v0, v1", "vs_2_0\ncrs r0.xyz, v0.yzx, v1"),
    (Rule::PointSize, "vs_1_1\nmov oFog.x, v0", "vs_1_1\nmov oFog, v0"),
    (Rule::DeclarationOrder, "vs_2_0\ndef c0, 0, 0, 0, 0\nnop", "vs_2_0\nnop\ndef c0, 0, 0, 0, 0"),
    (Rule::SamplerUndeclared, "ps_2_0\ndcl_2d s0\ntexld r0, t0, s0", "ps_2_0\ntexld r0, t0, s0"),
    (
        Rule::InputUndeclared,
        "ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0",
        "ps_2_0\ndcl t0.xy\ndcl_cube s0\ntexld r0, t0, s0",
    ),
    (Rule::InputUndeclared, "vs_1_1\nmov r0, v0", "vs_1_1\ndcl_color0 v1\nmov r0, v0"),
    (Rule::InputUndeclared, "vs_2_0\ndcl_color0 v0\nmov r0, v0", "vs_2_0\nmov r0, v0"),
    (
        Rule::OutputUndeclared,
        "vs_3_0\ndcl_color0 o1.xy\nmov o1.x, v0",
        "vs_3_0\ndcl_color0 o1.xy\nmov o1.z, v0",
    ),
    (
        Rule::DeclaredTwice,
        "vs_3_0\ndcl_color0 o1.xy\ndcl_fog0 o1.z",
        "vs_3_0\ndcl_color0 o1.xy\ndcl_fog0 o1.yz",
    ),
    (Rule::Usage, "vs_3_0\ndcl_sample0 v0", "vs_3_0\n.token 0x0200001f, 0x8000000e, 0x900f0000"),
    (Rule::UsageUnwanted, "ps_2_0\ndcl t0", "ps_2_0\ndcl_texcoord0 t0"),
    (Rule::TextureType, "ps_2_0\ndcl_2d s0", "ps_2_0\ndcl s0"),
    (Rule::TextureLine, "ps_2_0\ndcl_2d s0", "ps_2_0\ndcl_1d s0"),
    (Rule::DclMask, "ps_3_0\ndcl vPos.xy", "ps_3_0\ndcl vPos"),
    (
        Rule::DefinedTwice,
        "ps_2_0\ndef c0, 0, 0, 0, 0\ndef c1, 0, 0, 0, 0",
        "ps_2_0\ndef c0, 0, 0, 0, 0\ndef c0, 1, 0, 0, 0",
    ),
    (Rule::BoolValue, "vs_2_0\ndefb b0, true", "vs_2_0\ndefb b0, 2"),
    (Rule::DclBits, "vs_3_0\ndcl_color0 v0", "vs_3_0\n.token 0x0200001f, 0x8000010a, 0x900f0000"),
    (Rule::DefMask, "ps_2_0\ndef c0, 0, 0, 0, 0", "ps_2_0\ndef c0.x, 0, 0, 0, 0"),
    (Rule::Unopened, "vs_2_0\nif b0\nendif", "vs_2_0\nrep i0\nendif"),
    (Rule::Open, "vs_2_0\nif b0\nendif", "vs_2_0\nif b0"),
    (
        Rule::Depth,
        "vs_3_0\nrep i0\nrep i0\nrep i0\nrep i0\nendrep\nendrep\nendrep\nendrep",
        "vs_3_0\nrep i0\nrep i0\nrep i0\nrep i0\nrep i0\nendrep\nendrep\nendrep\nendrep\nendrep",
    ),
    (Rule::DepthVersion, "vs_3_0\nrep i0\nrep i0\nendrep\nendrep", "vs_2_0\nrep i0\nrep i0\nendrep\nendrep"),
    (
        Rule::DepthVersion,
        "vs_2_0\ncall l0\nret\nlabel l0\nret",
        "vs_2_0\ncall l0\nret\nlabel l0\ncall l1\nret\nlabel l1\nret",
    ),
    (Rule::BreakOutside, "vs_3_0\nrep i0\nbreak\nendrep", "vs_3_0\nif b0\nbreak\nendif"),
    (Rule::LabelPlace, "vs_2_0\nret\nlabel l0\nret", "vs_2_0\nnop\nlabel l0\nret"),
    (
        Rule::LabelTwice,
        "vs_2_0\nret\nlabel l0\nret\nlabel l1\nret",
        "vs_2_0\nret\nlabel l0\nret\nlabel l0\nret",
    ),
    (Rule::LabelMissing, "vs_2_0\ncall l0\nret\nlabel l0\nret", "vs_2_0\ncall l1\nret\nlabel l0\nret"),
    (Rule::LabelMissing, "vs_2_0\ncall l0\nret\nlabel l0\nret", "vs_2_0\nret\nlabel l0\ncall l0\nret"),
    (Rule::RetPlace, "vs_2_0\nnop\nret", "vs_2_0\nret\nnop"),
    (Rule::LabelRange, "vs_3_0\ncall l16", "vs_2_0\ncall l16"),
    (Rule::GradientInFlow, "ps_3_0\nif b0\ndsx r0, r1\nendif", "ps_3_0\nif_gt c0.x, c1.x\ndsx r0, r1\nendif"),
    (Rule::FlowCapability, "vs_3_0\nif_gt c0.x, c0.y\nendif", "vs_2_x\nif_gt c0.x, c0.y\nendif"),
    (Rule::FaceRead, "ps_3_0\nsetp_gt p0, vFace, c0", "ps_3_0\nadd r0, vFace, c0"),
    (
        Rule::LoopValues,
        "vs_3_0\ndefi i0, 3, 0, -2, 0\nloop aL, i0\nendloop",
        "vs_3_0\ndefi i0, 3, -1, 2, 0\nloop aL, i0\nendloop",
    ),
    (Rule::SubroutineEnd, "vs_2_0\nret\nlabel l0\nret", "vs_2_0\nret\nlabel l0\nnop"),
    (Rule::ElseTwice, "vs_2_0\nif b0\nelse\nendif", "vs_2_0\nif b0\nelse\nelse\nendif"),
    (Rule::Ports, "vs_2_0\nadd r0, c0, c0", "vs_2_0\nadd r0, c0, c1"),
    (Rule::Ports, "vs_3_0\nmad r0, c0, c0, c0", "vs_2_0\nmad r0, c0, c0, c0"),
    (Rule::Ports, "ps_1_1\nmad r0, v0, v1, v0", "vs_1_1\nmad r0, v0, v1, v0"),
    (
        Rule::PortsIndexed,
        "vs_2_0\nadd r0, c[a0.x + 1], c[a0.x + 1]",
        "vs_2_0\nadd r0, c[a0.x + 1], c[a0.x + 2]",
    ),
    (
        Rule::PortsPair,
        "ps_1_1\nmul r0.xyz, c0, c1\n+mul r0.w, c2, c0",
        "ps_1_1\nmul r0.xyz, c0, c1\n+mul r0.w, c2, c3",
    ),
    (Rule::Unwritten, "vs_2_0\nmov r0, v0\nmov r1, r0", "vs_2_0\nmov r1, v0\nmov r1, r0"),
    (Rule::Unwritten, "vs_2_0\nsgn r0, v0, r1, r2", "vs_2_0\nsgn r0, r3, r1, r2"),
    (Rule::Unwritten, "vs_2_0\nmova a0.x, v0\nmov r1, c[a0.x]", "vs_2_0\nmov r1, c[a0.x]"),
    (
        Rule::Unwritten,
        "ps_1_1\nmov r0, v0\nmov r0.xyz, r0\n+mov r1.w, r0",
        "ps_1_1\nmov r0.w, v0\n+mov r1.xyz, r1",
    ),
    (Rule::UnwrittenComponent, "vs_2_0\nmov r0.x, v0\nmov r1, r0.x", "vs_2_0\nmov r0.x, v0\nmov r1, r0.y"),
    (
        Rule::UnwrittenComponent,
        "ps_1_4\nmov r0, c0\nphase\nmov r1.xyz, r0",
        "ps_1_4\nmov r0, c0\nphase\nmov r1, r0",
    ),
    (
        Rule::ScratchRead,
        "vs_2_0\nmov r1, v0\nsgn r0, v0, r1, r2\nmov r1, v0\nmov oPos, r1",
        "vs_2_0\nmov r1, v0\nsgn r0, v0, r1, r2\nmov r1.xyz, v0\nmov oPos, r1",
    ),
    (
        Rule::ScratchRead,
        "vs_2_0\nsgn r0, v0, r1, r2\nmov oPos, r0",
        "vs_2_0\nsgn r0, v0, r1, r2\nmov oPos, r2.x",
    ),
    (Rule::Position, "vs_1_1\nmov oPos, v0", "vs_1_1\nmov oPos.xyz, v0"),
    (Rule::NoColor, "ps_2_0\nmov oC0, c0", "ps_2_0\nmov oDepth, c0.x"),
    (Rule::NoColor, "ps_1_1\nmov r0, c0", "ps_1_1\nmov r0.xyz, c0"),
    (Rule::CoordinateMask, "vs_1_1\nmov oT0.xy, v0", "vs_1_1\nmov oT0.yz, v0"),
    (Rule::CoordinateGap, "vs_1_1\nmov oT0, v0\nmov oT1, v0", "vs_1_1\nmov oT1, v0"),
    (
        Rule::OutputAgain,
        "vs_1_1\ndcl_position v0\nmov oPos.xy, v0\nmov oPos.zw, v0\nmov oD0, v0\nmov oD1, v0",
        "vs_1_1\ndcl_position v0\nmov oPos, v0\nmov oPos.w, v0",
    ),
    (
        Rule::OutputAgain,
        "vs_2_0\ndcl_position v0\nmov oPos, v0\nif b0\nmov oPos, c0\nendif",
        "vs_2_0\ndcl_position v0\nif b0\nmov oT0, c0\nendif\nmov oPos, v0\nmov oT0, v0",
    ),
    (Rule::ColorTwice, "ps_3_0\nmov oC0, c0\nmov oC0, c0", "ps_2_0\nmov oC0, c0\nmov oC0, c0"),
    (Rule::NoPosition, "vs_3_0\ndcl_position0 o3", "vs_3_0\ndcl_color0 o3"),
    (Rule::OutputInFlow, "ps_3_0\nmov oC0, c0", "ps_3_0\nif b0\nmov oC0, c0\nendif"),
    (
        Rule::OutputCount,
        "vs_3_0\ndcl_position0 o0\ndcl_texcoord1 o1\ndcl_texcoord2 o2\ndcl_texcoord3 o3\ndcl_texcoord4 o4\ndcl_texcoord5 o5\n\
         dcl_texcoord6 o6\ndcl_texcoord7 o7\ndcl_texcoord8 o8\ndcl_texcoord9 o9\ndcl_texcoord10 o10\ndcl_psize0 o11",
        "vs_3_0\ndcl_position0 o0\ndcl_texcoord1 o1\ndcl_texcoord2 o2\ndcl_texcoord3 o3\ndcl_texcoord4 o4\ndcl_texcoord5 o5\n\
         dcl_texcoord6 o6\ndcl_texcoord7 o7\ndcl_texcoord8 o8\ndcl_texcoord9 o9\ndcl_texcoord10 o10\ndcl_texcoord11 o11",
    ),
    (Rule::TextureOrder, "ps_1_1\ntex t0\nmov r0, t0", "ps_1_1\nmov r0, c0\ntex t0"),
    (Rule::PhaseTwice, "ps_1_4\nphase", "ps_1_4\nphase\nphase"),
    (Rule::ColorInPhase, "ps_1_4\nphase\nmov r0, v0", "ps_1_4\nmov r0, v0\nphase"),
    (Rule::CoordinatesRead, "ps_1_4\ntexld r0, t0", "ps_1_4\nmov r0, t0"),
    (
        Rule::RowsMissing,
        "ps_1_1\ntex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3tex t3, t0",
        "ps_1_1\ntex t0\ntexm3x3pad t1, t0\ntexm3x3tex t3, t0",
    ),
    (
        Rule::RowsMissing,
        "ps_1_1\ntex t0\ntexm3x2pad t1, t0\ntexm3x2tex t2, t0",
        "ps_1_1\ntex t0\ntexm3x2tex t2, t0",
    ),
    (
        Rule::RowsAlone,
        "ps_1_1\ntex t0\ntexm3x2pad t1, t0\ntexm3x2tex t2, t0\nmov r0, t2",
        "ps_1_1\ntex t0\ntexm3x2pad t1, t0\nmov r0, t0",
    ),
    (
        Rule::RowsAlone,
        "ps_1_1\ntex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3tex t3, t0",
        "ps_1_1\ntex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0",
    ),
    (
        Rule::RowsAlone,
        "ps_1_1\ntex t0\ntexm3x2pad t1, t0\ntexm3x2tex t2, t0\ntexreg2ar t3, t0",
        "ps_1_1\ntex t0\ntexm3x2pad t1, t0\ntexreg2ar t3, t0",
    ),
    (Rule::StageOrder, "ps_1_1\ntex t0\ntexbem t1, t0", "ps_1_1\ntex t1\ntexbem t0, t1"),
    (
        Rule::OpcodeCount,
        "ps_1_2\ncmp r0, v0, v1, c0\ncmp r0, v0, v1, c0\ncmp r0, v0, v1, c0",
        "ps_1_2\ncmp r0, v0, v1, c0\ncmp r0, v0, v1, c0\ncmp r0, v0, v1, c0\ncmp r0, v0, v1, c0",
    ),
    (Rule::DepthRegister, "ps_1_4\ntexdepth r5", "ps_1_4\ntexdepth r4"),
    (Rule::BumpPhase, "ps_1_4\nbem r0.xy, r0, r1\nphase", "ps_1_4\nphase\nbem r0.xy, r0, r1"),
    (
        Rule::DependentReads,
        "ps_2_0\ntexld r0, t0, s0\ntexld r0, r0, s0\ntexld r0, r0, s0\ntexld r0, r0, s0",
        "ps_2_0\ntexld r0, t0, s0\ntexld r0, r0, s0\ntexld r0, r0, s0\ntexld r0, r0, s0\ntexld r0, r0, s0",
    ),
    // A write of all components ends the chain of dependent reads; a write of only some components does not.
    (
        Rule::DependentReads,
        "ps_2_0\ntexld r0, t0, s0\ntexld r0, r0, s0\ntexld r0, r0, s0\ntexld r0, r0, s0\nmov r0, t0\ntexld r0, r0, s0",
        "ps_2_0\ntexld r0, t0, s0\ntexld r0, r0, s0\ntexld r0, r0, s0\ntexld r0, r0, s0\nmov r0.x, t0.x\ntexld r0, r0, s0",
    ),
];

#[test]
fn every_rule_is_broken_by_a_program_and_kept_by_a_similar_one() {
    let mut seen = BTreeSet::new();
    for (rule, good, bad) in PAIRS {
        let row = rule.row();
        let codes = |text: &str| broken(text).into_iter().filter(|v| v.code == row.code).collect::<Vec<_>>();
        assert!(codes(good).is_empty(), "{rule:?} must accept\n{good}");
        let found = codes(bad);
        assert!(!found.is_empty(), "{rule:?} must reject\n{bad}\nfound {:?}", broken(bad));
        assert!(found.iter().all(|v| v.level == row.level && v.source == row.source));
        seen.insert(row.code);
    }
    // These need many instructions or a different entry; they have separate tests below.
    let own = [Rule::EntryMismatch, Rule::FlowCount, Rule::Slots, Rule::SlotsCapability, Rule::TextureSlots];
    seen.extend(own.map(|r| r.row().code));
    let missing: Vec<_> = RULES.iter().filter(|r| !seen.contains(&r.code)).map(|r| r.rule).collect();
    assert!(missing.is_empty(), "no program breaks {missing:?}");
}

/// ps_1_1 to ps_1_3 pair an instruction that writes the colour with one that writes alpha, in either order (MS).
#[test]
fn one_instruction_of_a_pair_writes_colour_and_the_other_alpha() {
    const MASKS: [&str; 3] = [".xyz", ".w", ""];
    for first in MASKS {
        for second in MASKS {
            let found = broken(&format!("ps_1_1\nmov r0{first}, v0\n+mov r0{second}, v0"));
            let breaks = found.iter().any(|v| v.code == Rule::CoissuePair.row().code);
            let is_pair = matches!((first, second), (".xyz", ".w") | (".w", ".xyz"));
            assert_eq!(breaks, !is_pair, "r0{first} with r0{second}");
        }
    }
}

#[test]
fn the_stage_of_the_entry_must_equal_the_version_token() {
    let program = assemble("vs_3_0\nnop").unwrap();
    let mut entry = entries(&program).remove(0);
    assert_eq!((entry.version, entry.start), (0x300, 0));
    let mismatch = |v: &[Violation]| v.iter().any(|v| v.code == Rule::EntryMismatch.row().code);
    assert!(!mismatch(&validate(&program, &entry)));
    entry.start = 1;
    assert!(mismatch(&validate(&program, &entry)));
    (entry.start, entry.version) = (0, 0x200);
    assert!(mismatch(&validate(&program, &entry)));
}

/// Fact MS, instruction table of ps_3_0: reading a cube texture takes four slots, and reading any other texture takes one. The declaration of the
/// sampler decides, not its number.
#[test]
fn reads_of_cube_textures_take_four_slots_whatever_the_number_of_the_sampler() {
    let fits = |declaration: &str, sampler: usize, reads: usize| {
        let read = format!("texld r0, v0, s{sampler}\n").repeat(reads);
        let text = format!("ps_3_0\ndcl_texcoord0 v0\n{declaration} s{sampler}\n{read}");
        broken(&text).iter().all(|v| v.code != Rule::SlotsCapability.row().code)
    };
    for (declaration, most) in [("dcl_2d", 512), ("dcl_volume", 512), ("dcl_cube", 128)] {
        for sampler in 0..16 {
            assert!(fits(declaration, sampler, most), "{most} reads after {declaration} s{sampler}");
            assert!(
                !fits(declaration, sampler, most + 1),
                "{} reads after {declaration} s{sampler}",
                most + 1
            );
        }
    }
}

/// Fact MS: a program that fills the slots of its version breaks no rule about their number, and a program with one more does.
#[test]
fn a_program_may_fill_the_slots_of_its_version_and_no_more() {
    let long = |version: &str, line: &str, n: usize, rule: Rule| {
        let text = format!("{version}\n{}", format!("{line}\n").repeat(n));
        broken(&text).iter().any(|v| v.code == rule.row().code)
    };
    for (version, line, most, rule) in [
        ("vs_1_1", "mov r0, v0", 128, Rule::Slots),
        ("vs_1_1", "m4x4 r0, v0, c0", 32, Rule::Slots),
        ("vs_2_0", "mov r0, v0", 256, Rule::Slots),
        ("vs_3_0", "mov r0, v0", 512, Rule::SlotsCapability),
        ("vs_3_0", "mov r0, v0", 32768, Rule::Slots),
        ("ps_1_0", "mov r0, v0", 8, Rule::Slots),
        ("ps_1_1", "mov r0, v0", 8, Rule::Slots),
        ("ps_1_1", "tex t0", 4, Rule::TextureSlots),
        ("ps_1_4", "mov r0, v0", 8, Rule::Slots),
        ("ps_1_4", "texld r0, t0", 6, Rule::TextureSlots),
        ("ps_2_0", "mov r0, t0", 64, Rule::Slots),
        ("ps_2_0", "texld r0, t0, s0", 32, Rule::TextureSlots),
        ("ps_2_x", "mov r0, t0", 96, Rule::SlotsCapability),
        ("ps_2_x", "mov r0, t0", 512, Rule::Slots),
        ("ps_3_0", "mov r0, v0", 512, Rule::SlotsCapability),
        ("vs_2_0", "if b0\nendif", 16, Rule::FlowCount),
    ] {
        assert!(!long(version, line, most, rule), "{version}: {most} times {line}");
        assert!(long(version, line, most + 1, rule), "{version}: {} times {line}", most + 1);
    }
    assert!(!long("ps_2_sw", "mov r0, t0", 40000, Rule::Slots));
    let phased = format!("ps_1_4\n{0}phase\n{0}", "mov r0, v0\n".repeat(8));
    assert!(!broken(&phased).iter().any(|v| v.code == Rule::Slots.row().code), "each phase has its own");
}

/// Wine's test_unsupported_shaders and test_mvp_software_vertex_shaders: c256 is refused by hardware and exists in software; i16 and b16 exist in
/// neither.
#[test]
fn software_vertex_processing_has_more_constants_and_nothing_else() {
    let refused = |text: &str, software| {
        let program = assemble(text).unwrap();
        let found = validate_for_device(&program, &entries(&program)[0], software);
        found.into_iter().filter(|v| v.level == Level::Error).map(|v| v.code).collect::<Vec<_>>()
    };
    let [soft, range, rows] = [Rule::RangeSoftware, Rule::Range, Rule::MatrixRange].map(|r| r.row().code);
    for version in ["vs_1_1", "vs_2_0", "vs_2_x", "vs_3_0"] {
        let text = format!("{version}\nmov r0, c256");
        assert_eq!((refused(&text, false), refused(&text, true)), (vec![soft], vec![]), "{version}");
    }
    let last = "vs_1_1\nmov r0, c8191";
    assert_eq!((refused(last, false), refused(last, true)), (vec![soft], vec![]));
    let matrix = "vs_1_1\nm4x4 r0, v0, c254";
    assert_eq!((refused(matrix, false), refused(matrix, true)), (vec![rows], vec![]));
    for text in ["vs_3_0\nrep i16\nendrep", "vs_3_0\nif b16\nnop\nendif"] {
        assert_eq!((refused(text, false), refused(text, true)), (vec![range], vec![range]), "{text}");
    }
    let pixel = "ps_3_0\nmov r0, c224";
    assert_eq!((refused(pixel, false), refused(pixel, true)), (vec![range], vec![range]));
}

/// Fact MS, instruction tables: a predicate takes one slot in an arithmetic or texture instruction, and none in flow control (`if`, `callnz`, `breakp`)
/// or a declaration.
#[test]
fn a_predicate_takes_one_arithmetic_slot_except_in_flow_control() {
    const NONE: [&str; 21] = [
        "dcl", "def", "defi", "defb", "phase", "label", "call", "callnz", "loop", "endloop", "rep", "endrep",
        "if", "ifc", "else", "endif", "break", "breakc", "breakp", "ret", "end",
    ];
    let program = assemble("ps_3_0\n(p0) texld r0, v0, s0").unwrap();
    let predicated = &program.instructions[0];
    let plain = Instruction { predicate: None, ..predicated.clone() };
    for profile in Profile::ALL.iter().filter(|profile| profile.major() >= 2) {
        for row in TABLE.iter().filter(|row| row.versions.has(*profile)) {
            let with = slots(predicated, row.opcode, *profile, false);
            let without = slots(&plain, row.opcode, *profile, false);
            let more = u32::from(!NONE.contains(&row.mnemonic));
            let expected = (without.arithmetic + more, without.texture);
            assert_eq!((with.arithmetic, with.texture), expected, "{} {}", profile.name(), row.mnemonic);
        }
    }
}

/// Facts MS: in ps_2 an output is not written in flow control, by a predicated instruction, or with `_sat`; the pages of ps_3_0 forbid flow control and
/// predication, too, and allow `_sat`.
#[test]
fn each_output_of_a_pixel_shader_is_written_outside_flow_control_and_without_saturation() {
    let has = |text: &str, rule: Rule| broken(text).iter().any(|v| v.code == rule.row().code);
    for version in ["ps_2_x", "ps_2_sw", "ps_3_0", "ps_3_sw"] {
        for output in ["r0", "oC0", "oC1", "oC2", "oC3", "oDepth"] {
            let is_output = output != "r0";
            let source = if output == "oDepth" { "r1.x" } else { "r1" };
            let write = format!("mov {output}, {source}");
            for (before, after, inside) in [
                ("", "", false),
                ("if b0\n", "\nendif", true),
                ("if b0\nelse\n", "\nendif", true),
                ("if_gt r1.x, r1.y\n", "\nendif", true),
                ("if p0.x\n", "\nendif", true),
                ("rep i0\n", "\nendrep", true),
                ("if b0\nendif\n", "", false),
                ("(p0) ", "", true),
                ("(!p0.x) ", "", true),
            ] {
                let text = format!("{version}\n{before}{write}{after}");
                assert_eq!(has(&text, Rule::OutputInFlow), inside && is_output, "{text}");
            }
        }
    }
    for version in ["ps_2_0", "ps_2_x", "ps_2_sw", "ps_3_0", "ps_3_sw"] {
        for output in ["r0", "oC0", "oC1", "oC2", "oC3", "oDepth"] {
            let source = if output == "oDepth" { "r1.x" } else { "r1" };
            let text = format!("{version}\nmov_sat {output}, {source}");
            assert_eq!(has(&text, Rule::Saturate), version.starts_with("ps_2") && output != "r0", "{text}");
            let plain = text.replace("_sat", "");
            assert!(!has(&plain, Rule::Saturate), "{plain}");
        }
    }
}

/// Fact MS, "bias, signed scale, invert": `_bx2` on the source of a texture instruction is legal on `texm3x2*` and `texm3x3*` in ps_1_0 and ps_1_1, and
/// on every `tex*` except `texreg2ar`, `texreg2gb`, `texbem` and `texbeml` in ps_1_2 and ps_1_3. The related modifiers are legal on none.
#[test]
fn the_signed_scale_is_legal_on_the_listed_texture_instructions() {
    const OPS: [&str; 15] = [
        "texbem",
        "texbeml",
        "texreg2ar",
        "texreg2gb",
        "texreg2rgb",
        "texdp3",
        "texdp3tex",
        "texm3x2pad",
        "texm3x2tex",
        "texm3x2depth",
        "texm3x3pad",
        "texm3x3tex",
        "texm3x3",
        "texm3x3spec",
        "texm3x3vspec",
    ];
    let has = |found: &[Violation], rule: Rule| found.iter().any(|v| v.code == rule.row().code);
    let mut legal_in = [0; 4];
    for (k, version) in ["ps_1_0", "ps_1_1", "ps_1_2", "ps_1_3"].into_iter().enumerate() {
        for op in OPS {
            for modifier in ["_bx2", "_bias", "_x2"] {
                let more = if op == "texm3x3spec" { ", c0" } else { "" };
                let text = format!("{version}\ntex t0\n{op} t1, t0{modifier}{more}");
                let found = broken(&text);
                if has(&found, Rule::OpcodeVersion) {
                    continue;
                }
                let listed = if k < 2 {
                    op.starts_with("texm3x")
                } else {
                    !matches!(op, "texreg2ar" | "texreg2gb" | "texbem" | "texbeml")
                };
                let legal = listed && modifier == "_bx2";
                assert_eq!(has(&found, Rule::SourceModifier), !legal, "{text}");
                legal_in[k] += u32::from(legal);
            }
        }
    }
    assert_eq!(legal_in, [6, 6, 10, 11]);
}
