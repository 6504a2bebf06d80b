//! AGAL's rules and interfaces.

use crate::material::material;
use lockstep_core::isa::agal::assemble::assemble;
use lockstep_core::isa::agal::decode::decode;
use lockstep_core::isa::agal::interface::entries;
use lockstep_core::isa::agal::program::{Program, Sampler, SourceOrSampler};
use lockstep_core::isa::agal::rules::{RULES, Rule};
use lockstep_core::isa::agal::validate::validate;
use lockstep_core::isa::{Level, Port, Violation};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use std::collections::BTreeSet;
use std::path::PathBuf;

fn check(program: &Program) -> Vec<Violation> {
    validate(program, &entries(program)[0])
}

fn read(text: &str) -> Program {
    assemble(text).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// For every rule that some text breaks: its number, which is the player's error number from ERR if there is one, and a program that breaks this rule
/// and no other.
fn rule_breaking_programs() -> Vec<(Rule, u16, String)> {
    let fs = |version: u32, lines: &str| format!("version {version} fragment\n{lines}\nmov oc, v0");
    let vs = |version: u32, lines: &str| format!("version {version} vertex\n{lines}\nmov op, va0");
    let many = "mov oc, v0\n".to_owned() + &"mov ft0, v0\n".repeat(200);
    let deep = "ife v0.x, v0.y\n".repeat(5) + "mov ft0, v0\n" + &"eif\n".repeat(5);
    let tex = |options: &str| format!("tex ft0, v0, fs0 <{options}>");
    // A texture read with this sampler word.
    let raw = |high: u32| format!(".token 0x28, 0x020f0000, 0x00000004e4000000, 0x{high:08x}00000000");
    vec![
        (Rule::SamplerFormat, 1, fs(1, &raw(0x0000_0405))),
        (Rule::OutputAgain, 3, vs(1, "mov op.x, va0")),
        (Rule::Version, 3617, fs(5, "")),
        (Rule::Opcode, 3620, fs(1, ".token 0x22, 0, 0, 0")),
        (Rule::NotImplemented, 3621, fs(1, "sgn ft0, v0")),
        (Rule::FragmentOnly, 3622, vs(1, "kil va0.x")),
        (Rule::Underflow, 3623, fs(2, "eif")),
        (Rule::Nesting, 3624, fs(2, &deep)),
        (Rule::BothConstant, 3625, fs(1, "add ft0, fc0, fc1")),
        (Rule::OneConstant, 3625, fs(1, "neg ft0, fc0")),
        (Rule::BothIndirect, 3626, vs(1, "add vt0, vc[va0.x], vc[va0.y]")),
        (Rule::NoDestination, 3627, fs(1, ".token 0x27, 1, 0x0000000400000000, 0")),
        (Rule::MaskW, 3628, fs(1, "nrm ft0, v0")),
        (Rule::Tokens, 3629, format!("version 1 fragment\n{many}")),
        (Rule::VaryingPartial, 3633, vs(1, "mov v0.x, va0")),
        (Rule::NoColor, 3634, "version 1 fragment\nkil v0.x".into()),
        (Rule::NothingOut, 3634, "version 1 fragment\nmov ft0, v0".into()),
        (Rule::Position, 3635, "version 1 vertex\nmov op.xyz, va0".into()),
        (Rule::NothingOutVertex, 3635, "version 1 vertex\nmov vt0, va0".into()),
        (Rule::Unused, 3636, fs(1, ".token 0, 0x020f0000, 0x00000004e4000000, 1")),
        (Rule::SamplerInVertex, 3637, vs(1, "mov vt0, vs0")),
        (Rule::SamplerAsSource, 3638, fs(1, "mov ft0, fs0")),
        (Rule::IndirectInFragment, 3639, fs(1, "mov ft0, fc[v0.x]").replace("v0.x", "fc0.x")),
        (Rule::IndirectFile, 3640, vs(1, "mov vt0, va[va0.x]")),
        (Rule::IndexFile, 3642, vs(3, "mov vt0, vc[iid.x]")),
        (Rule::DirectFields, 3643, fs(1, ".token 0, 0x020f0000, 0x00000004e4010000, 0")),
        (Rule::VaryingRead, 3644, vs(1, "mov vt0, v0")),
        (Rule::AttributeRead, 3645, fs(1, "mov ft0, va0")),
        (Rule::OutputRead, 3646, fs(1, "mov ft0, oc")),
        (Rule::Unwritten, 3647, fs(1, "mov ft0, ft1")),
        (Rule::UnwrittenComponent, 3648, fs(1, "mov ft1.xy, v0\nmov ft0.x, ft1.z")),
        (Rule::SamplerWrite, 3649, fs(1, "mov fs0, v0")),
        (Rule::VaryingWrite, 3650, fs(1, "mov v1, v0")),
        (Rule::AttributeWrite, 3651, vs(1, "mov va1, va0")),
        (Rule::ConstantWrite, 3652, fs(1, "mov fc0, v0")),
        (Rule::MaskZero, 3653, fs(1, ".token 0, 0x02000000, 0x00000004e4000000, 0")),
        (Rule::Reserved, 3654, fs(1, ".token 0, 0x120f0000, 0x00000004e4000000, 0")),
        (Rule::SamplerPadding, 3654, fs(1, &raw(5).replace("0x0000000500000000", "0x00000005e4000000"))),
        (Rule::RegisterType, 3655, fs(1, ".token 0, 0x020f0000, 0x00000008e4000000, 0")),
        (Rule::SamplerRange, 3656, fs(1, "tex ft0, v0, fs8 <2d>")),
        (Rule::VaryingRange, 3657, fs(1, "mov ft0, v8")),
        (Rule::AttributeRange, 3658, vs(2, "mov vt0, va8")),
        (Rule::ConstantRange, 3659, fs(1, "mov ft0, fc28")),
        (Rule::OutputRange, 3660, fs(1, "mov fo1, v0")),
        (Rule::TemporaryRange, 3661, vs(1, "mov vt8, va0")),
        (Rule::CubeClamp, 3662, fs(1, &tex("cube,mipnearest,repeat"))),
        (Rule::Dimension, 3664, fs(1, &raw(0x0000_3005))),
        (Rule::Filter, 3665, fs(1, &raw(0x6000_0005))),
        (Rule::Mip, 3666, fs(1, &raw(0x0300_0005))),
        (Rule::Wrap, 3667, fs(1, &raw(0x0040_0005))),
        (Rule::Special, 3668, fs(1, &raw(0x0008_0005))),
        (Rule::MatrixSwizzle, 3689, vs(1, "m44 vt0, va0, vc0.x")),
        (Rule::SamplerWanted, 3693, fs(1, &raw(4))),
        (Rule::SamplerDiffers, 3696, fs(1, &format!("{}\n{}", tex("2d"), tex("2d,linear")))),
        (Rule::ColorMask, 3701, "version 1 fragment\nmov oc.xyz, v0".into()),
        (Rule::NotScalar, 3703, fs(1, "kil v0")),
        (Rule::CubeMip, 3704, fs(1, &tex("cube"))),
        (Rule::VersionTwo, 3726, fs(1, "ddx ft0, v0")),
        (Rule::Open, 3739, "version 2 fragment\nmov oc, v0\nife v0.x, v0.y\nmov ft0, v0".into()),
        (Rule::TedBias, 3740, fs(2, "ted ft0, v0, fs0 <2d,miplinear,1>")),
        (Rule::ComputedCoordinates, 3741, fs(2, "mov ft0, v0\nife v0.x, v0.y\ntex ft1, ft0, fs0\neif")),
        (Rule::Derivative, 3742, fs(2, "ife v0.x, v0.y\nddy ft0, v0\neif")),
        (Rule::TedMip, 3743, fs(2, "ted ft0, v0, fs0 <2d>")),
        (Rule::ColorTwice, 3744, fs(1, "mov oc, v0")),
        (Rule::EmptyBranch, 3748, fs(2, "ife v0.x, v0.y\nmov ft0, v0\nels\neif")),
        (Rule::DepthRange, 3749, fs(1, "mov fd.x, v0")),
        (Rule::DepthInVertex, 3750, vs(2, "mov fd.x, va0")),
        (Rule::OutputInBlock, 3751, "version 2 fragment\nife v0.x, v0.y\nmov oc, v0\neif".into()),
        (Rule::Else, 3752, fs(2, "ife v0.x, v0.y\nmov ft0, v0\nels\nmov ft0, v0\nels\nmov ft0, v0\neif")),
        (Rule::DepthMask, 3756, fs(2, "mov fd, v0")),
        (Rule::ConstantCondition, 3758, fs(2, "ife v0.x, v0.x\nmov ft0, v0\neif")),
        (Rule::ColorGap, 3775, fs(2, "mov fo2, v0")),
        (Rule::InstanceWrite, 3786, vs(3, "mov iid, va0")),
        (Rule::InstanceInFragment, 3788, fs(3, "mov ft0, iid")),
        (Rule::InstanceVersion, 3789, vs(2, "mov vt0, iid")),
        (Rule::VertexOnly, 3803, fs(4, "tld ft0, v0, fs0")),
        (Rule::VertexAnisotropic, 3804, vs(4, "tld vt0, va0, vs0 <2d,anisotropic2x>")),
        (Rule::VersionFour, 3805, vs(3, "tld vt0, va0, vs0")),
    ]
}

/// Samplers break exactly the rules about their fields. A cube texture must clamp (3662) and have mip maps (3704);
/// `ted` must have mip maps (3743) and no bias (3740); `tld` must have no anisotropic filter (3804). Fields: dimension 2d, cube, 3d; mip maps none,
/// nearest, linear; wrap clamp, repeat and the two mixed modes; filter nearest, linear, then anisotropic.
#[test]
fn each_sampler_breaks_exactly_the_rules_about_its_fields() {
    let versioned = |text: &str| read(&format!("version {text}"));
    let programs = [
        ("tex", versioned("1 fragment\ntex ft0, v0, fs0 <2d>\nmov oc, v0")),
        ("ted", versioned("2 fragment\nted ft0, v0, fs0 <2d>\nmov oc, v0")),
        ("tld", versioned("4 vertex\ntld vt0, va0, vs0 <2d>\nmov op, va0")),
    ];
    for (op, mut program) in programs {
        for number in 0..3 * 3 * 4 * 6 * 256u64 {
            let (bias, fields) = (number % 256, number / 256);
            let (dimension, mip, wrap, filter) = (fields % 3, fields / 3 % 3, fields / 9 % 4, fields / 36);
            // All 256 biases for the first wrap mode and filter; five biases for the others.
            if (wrap, filter) != (0, 0) && !matches!(bias, 0 | 1 | 127 | 128 | 255) {
                continue;
            }
            let (cube, no_mip) = (dimension == 1, mip == 0);
            let expected = [
                (3662, cube && wrap != 0),
                (3704, cube && no_mip),
                (3740, op == "ted" && bias != 0),
                (3743, op == "ted" && no_mip),
                (3804, op == "tld" && filter >= 2),
            ];
            let expected: BTreeSet<u16> =
                expected.iter().filter(|(_, is)| *is).map(|(code, _)| *code).collect();
            let word = bias << 16 | 5 << 32 | dimension << 44 | wrap << 52 | mip << 56 | filter << 60;
            program.tokens[0].b = SourceOrSampler::Sampler(Sampler::from_word(word));
            let found: BTreeSet<u16> = check(&program).iter().map(|v| v.code).collect();
            assert_eq!(found, expected, "{op} with the sampler {word:#018x}");
        }
    }
}

/// Blocks may be nested four deep (GCL, MINI3), with any number side by side.
#[test]
fn four_blocks_may_be_nested_and_a_fifth_may_not() {
    let found = |inside: &str, depth: usize| {
        let (open, close) = ("ife v0.x, v0.y\n".repeat(depth), "eif\n".repeat(depth));
        let text = format!("version 2 fragment\n{open}{inside}{close}mov oc, v0");
        let codes: Vec<u16> = check(&read(&text)).iter().map(|v| v.code).collect();
        codes
    };
    let one = "mov ft0, v0\n";
    let two = "ifg v0.x, v0.y\nmov ft0, v0\neif\n".repeat(2);
    for depth in 1..=4 {
        assert_eq!(found(one, depth), [], "{depth}");
    }
    assert_eq!(found(&two, 3), []);
    assert_eq!(found(one, 5), [3624]);
    // Each block that is too deep is reported once.
    assert_eq!(found(&two, 4), [3624, 3624]);
}

#[test]
fn every_rule_has_a_program_that_breaks_only_it() {
    let mut seen = BTreeSet::from([Rule::EntryMismatch, Rule::Empty]);
    for (rule, code, text) in rule_breaking_programs() {
        let found = check(&read(&text));
        let codes: Vec<_> = found.iter().map(|v| (v.code, v.level)).collect();
        assert_eq!(codes, [(code, rule.row().level)], "{rule:?}: {text}\n{found:?}");
        // The message of `Tokens` also contains the count and the limit.
        let numbers = if rule == Rule::Tokens { ": 201, at most 200" } else { "" };
        assert_eq!(found[0].message, format!("{}{numbers}", rule.row().meaning), "{text}");
        seen.insert(rule);
    }
    // The two rules that no text can break.
    let good = read("version 1 vertex\nmov op, va0");
    let mut entry = entries(&good)[0].clone();
    entry.start = 1;
    assert_eq!(validate(&good, &entry).iter().map(|v| v.code).collect::<Vec<_>>(), [2]);
    let empty = Program { tokens: Vec::new(), ..good };
    assert_eq!(check(&empty).iter().map(|v| v.code).collect::<Vec<_>>(), [3615]);
    for row in RULES {
        assert!(seen.contains(&row.rule), "{:?} has no program", row.rule);
        assert_eq!(row.rule.row().rule, row.rule);
    }
}

#[test]
fn a_vertex_output_is_written_once_on_each_path() {
    let again = |lines: &str| {
        let found = check(&read(&format!("version 2 vertex\n{lines}")));
        found.iter().filter(|v| v.code == 3).map(|v| v.word).collect::<Vec<_>>()
    };
    assert_eq!(again("mov op, va0\nmov op.y, va1\nmov v0, va0\nmov v0, va1"), [Some(1), Some(3)]);
    assert_eq!(again("mov op.xy, va0\nmov op.zw, va0\nmov v0, va0\nmov v1, va0"), []);
    // Only one of two branches is taken, and a branch may overwrite values written before it.
    let block = |one: &str, other: &str, after: &str| {
        again(&format!("mov op, va0\nife va0.x, va0.y\n{one}\nels\n{other}\neif\n{after}"))
    };
    assert_eq!(block("mov v0, va0", "mov v0, va1", "mov v1, va0"), []);
    assert_eq!(block("mov op, va1", "mov v1, va1", "mov v0, va0"), []);
    assert_eq!(block("mov v0, va0", "mov v1, va1", "mov v0, va0"), [Some(6)]);
    assert_eq!(block("mov v0, va0", "mov v1, va1", "mov op, va0"), [Some(6)]);
    assert_eq!(block("mov v0, va0\nmov v0, va1", "mov v1, va1", "mov vt0, va0"), [Some(3)]);
}

#[test]
fn legal_programs_break_no_rule() {
    for text in [
        "version 1 vertex\nm44 op, va0, vc0\nmov v0, va1",
        "version 1 vertex\nmov vt0, va0\nm44 op, vt0, vc[va1.x+4]",
        "version 1 fragment\ntex ft0, v0, fs0 <2d,linear,miplinear,repeat>\nmul ft0, ft0, fc0\nkil ft0.w\nmov oc, ft0",
        "version 1 fragment\nnrm ft0.xyz, v0\ndp3 ft0.w, ft0, v1\nmov oc, ft0",
        "version 2 fragment\nmov ft0, v0\nife v0.x, fc0.x\nmov ft0.x, v1\nels\nmov ft0.y, v1\neif\nmov oc, ft0\nmov fo1, v1",
        "version 2 fragment\nddx ft0, v0\nmov oc, ft0\nmov fd.x, v0.x",
        "version 3 vertex\nmov vt0, iid.x\nadd op, vt0, va15",
        "version 4 vertex\ntld vt0, va0, vs3 <2d>\nmov op, vt0",
        "version 1 vertex\nmov op, vc127",
        "version 2 vertex\nm44 op, va0, vc246",
        "version 3 fragment\nmov oc, fc199",
    ] {
        assert_eq!(check(&read(text)), [], "{text}");
    }
}

#[test]
fn ranges_include_the_last_row_of_matrices_and_indices() {
    let codes = |text: &str| check(&read(text)).iter().map(|v| v.code).collect::<Vec<_>>();
    assert_eq!(codes("version 1 vertex\nm44 op, va0, vc125"), [3659]);
    assert_eq!(codes("version 1 vertex\nm34 vt0.xyz, va0, vc125\nmov op, va0"), []);
    assert_eq!(codes("version 1 vertex\nm44 op, va0, vc65535"), [3659]);
    assert_eq!(codes("version 1 vertex\nmov op, vc[va8.x]"), [3658]);
    assert_eq!(codes("version 1 vertex\nmov op, vc[vt8.x]"), [3661]);
    assert_eq!(codes("version 1 vertex\nmov vt1.y, va0\nmov op, vc[vt1.x]"), [3648]);
    // m33 reads three rows of temporaries, crs only the components that its mask requires.
    assert_eq!(
        codes("version 1 vertex\nmov vt0, va0\nmov vt1, va0\nm33 vt3.xyz, va0, vt0\nmov op, va0"),
        [3647]
    );
    assert_eq!(codes("version 1 vertex\nmov vt0.yz, va0\ncrs vt1.x, vt0, vt0\nmov op, va0"), []);
    assert_eq!(codes("version 1 vertex\nmov vt0.yz, va0\ncrs vt1.y, vt0, vt0\nmov op, va0"), [3648]);
}

fn corpus() -> Option<(PathBuf, Vec<(String, Program)>)> {
    let folder = material("agal")?;
    let mut files: Vec<_> = std::fs::read_dir(folder.join("open"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "agal"))
        .map(|p| {
            (
                p.file_stem().unwrap().to_string_lossy().into_owned(),
                decode(&std::fs::read(&p).unwrap()).unwrap(),
            )
        })
        .collect();
    files.sort_by(|a, b| a.0.cmp(&b.0));
    Some((folder, files))
}

/// Programs that were refused, each with the error number that the recording or the player gives.
const REFUSED: &[(&str, u16)] = &[
    ("agal1_fs_ruffle_stage3d_agal_upload_errors_fs_17", 3646),
    ("agal1_fs_ruffle_stage3d_agal_upload_errors_fs_20", 3638),
    ("agal1_fs_ruffle_stage3d_agal_upload_errors_fs_23", 3652),
    ("agal1_vs_ruffle_stage3d_agal_upload_errors_vs_26", 3651),
    ("agal1_fs_ruffle_stage3d_fractal_fs_3", 3634),
];

#[test]
fn real_programs_are_legal_exactly_if_they_ran() {
    let Some((folder, files)) = corpus() else { return };
    let mut ran = 0;
    for (name, program) in &files {
        let found = check(program);
        let errors: Vec<u16> = found.iter().filter(|v| v.level == Level::Error).map(|v| v.code).collect();
        let mut all: Vec<u16> = found.iter().map(|v| v.code).collect();
        all.sort_unstable();
        all.dedup();
        eprintln!("{name}: {all:?}");
        if folder.join("golden").join(format!("{name}.runs.json")).exists() {
            ran += 1;
            assert_eq!(errors, [], "{name}");
        }
        if let Some((_, code)) = REFUSED.iter().find(|(n, _)| n == name) {
            assert!(errors.contains(code), "{name}: {errors:?}");
        }
    }
    assert!(ran >= 33, "{ran}");
}

#[test]
fn the_interface_lists_what_the_program_uses() {
    let interface = |text: &str| entries(&read(text))[0].interface.clone();
    let port = |slot, mask| Port { slot, mask };
    let i = interface(
        "version 3 vertex\nm44 op, va0, vc4\nmov v2.xy, va1.zw\nmov vt0.x, iid.x\nmov vt1, vc[va3.y+9]\nmov v2.w, vt0",
    );
    assert_eq!(i.inputs, [port(0, 15), port(1, 12), port(3, 2), port(32, 1)]);
    assert_eq!(i.outputs, [port(0, 15), port(3, 11)]);
    assert_eq!((i.constants, i.samplers.len(), i.ints, i.bools), (250, 0, 0, 0));
    let i = interface(
        "version 2 fragment\ntex ft0, v1, fs5 <2d>\ntex ft0, v2, fs1 <cube>\ndp3 ft1.w, v3.wzyx, fc7\nkil v4.y\n\
         mov oc, ft0\nmov fo3.x, ft0\nmov fd.x, ft0\nife v5.z, fc0.x\neif",
    );
    assert_eq!(i.inputs, [port(1, 3), port(2, 7), port(3, 14), port(4, 2), port(5, 4)]);
    assert_eq!(i.outputs, [port(0, 15), port(3, 1), port(4, 1)]);
    assert_eq!((i.constants, i.samplers), (8, vec![1, 5]));
    // A mask of one component may take component x of the result (RUF).
    assert_eq!(interface("version 1 vertex\nmov v0.y, va4.zwww").inputs, [port(4, 12)]);
    assert_eq!(interface("version 1 vertex\nm33 op.xyz, va0, vc10").constants, 13);
    assert_eq!(interface("version 1 vertex\nmov op, vc[va0.x]").constants, 128);
    assert_eq!(interface("version 1 vertex\nmov op, vc128").constants, 0, "a constant that does not exist");
}

fn any_program() -> impl Strategy<Value = Program> {
    let token = (0u32..0x30, proptest::collection::vec(any::<u8>(), 20), any::<bool>()).prop_map(
        |(op, mut rest, tame)| {
            if tame {
                // Register numbers and files in range.
                rest[0] %= 8;
                rest[1] = 0;
                (rest[2], rest[3]) = (15, rest[3] & 7);
                for at in [4, 12] {
                    rest[at] %= 8;
                    (rest[at + 1], rest[at + 2], rest[at + 4]) = (0, 0, rest[at + 4] & 7);
                    rest[at + 5..at + 8].fill(0);
                }
            }
            [&op.to_le_bytes()[..], &rest].concat()
        },
    );
    (0u32..6, 0u8..2, proptest::collection::vec(token, 1..40)).prop_map(|(version, stage, tokens)| {
        let mut bytes = vec![0xa0];
        bytes.extend(version.to_le_bytes());
        bytes.extend([0xa1, stage]);
        bytes.extend(tokens.concat());
        decode(&bytes).unwrap()
    })
}

/// crs with only w in its mask reads nothing and has no meaning, but the error is in the mask (ERR 3628), not in the entry.
#[test]
fn a_cross_product_to_w_breaks_only_the_mask_rule() {
    for mask in ["w", "xyzw"] {
        let text = format!("version 1 vertex\ncrs op.{mask}, va0, va1\nmov op, va0");
        let errors: Vec<u16> =
            check(&read(&text)).into_iter().filter(|v| v.level == Level::Error).map(|v| v.code).collect();
        assert_eq!(errors, [3628], "{text}");
    }
}

/// Failures are kept next to this file, so that integration tests can replay them.
fn config(cases: u32) -> ProptestConfig {
    let persistence = FileFailurePersistence::WithSource("regressions");
    ProptestConfig { cases, failure_persistence: Some(Box::new(persistence)), ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn violations_are_in_program_order(program in any_program()) {
        let found = check(&program);
        let words: Vec<u32> = found.iter().filter_map(|v| v.word).collect();
        prop_assert!(words.is_sorted() && words.iter().all(|w| (*w as usize) < program.tokens.len()));
        for v in &found {
            prop_assert!(RULES.iter().any(|r| (r.code, r.level, r.meaning) == (v.code, v.level, v.message.as_str())));
        }
    }
}
