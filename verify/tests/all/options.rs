//! Every choice of every option of every instruction set changes the result of some program, equally in the reference and in the executor. Choices of
//! options that only the validator reads make refused programs legal instead.

use lockstep::case::Case;
use lockstep::corpus::{Content, load_own, own_corpora};
use lockstep::engine::{Executor, Tier, compare, reference};
use lockstep::generate::{Entropy, Generate, ProgramRequest, any_case, case, case_for_program};
use lockstep_core::host::{Dimension, Environment, LaneInput, Texels, Texture};
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::d3d9::interface::COORDINATES_SLOT;
use lockstep_core::isa::facet::{points, rule_instances};
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{self, Format, Isa, IsaId, Level, OptionSpec, Syntax, Tables};
use lockstep_core::value::{Freedom, FreedomSet};
use lockstep_core::with_isa;
use std::collections::{BTreeMap, BTreeSet};

/// An option that changes results only together with a choice of another option.
struct OnlyTogether {
    isa: IsaId,
    option: &'static str,
    other: (&'static str, &'static str),
}

/// If zero times infinity is zero, the formula of `pow` results in 1 for exponent 0, as the other choice of `pow_zero` does.
const ONLY_TOGETHER: &[OnlyTogether] =
    &[OnlyTogether { isa: IsaId::D3d9, option: "pow_zero", other: ("zero_times", "ieee") }];

/// Returns programs whose results depend on choices that change the result of no rule instance and of no program of the corpora.
fn programs_showing_choices(isa: IsaId) -> Vec<String> {
    match isa {
        IsaId::Pica200 => vec![
            // A call of zero words: execution continues at word 3, or returns to word 1.
            ".raw vertex\ncall 3, 0\nmov o0, c0\nend\nmov o0, c1\nend".to_owned(),
            // Word 4095 ends the program, or execution wraps to word 0.
            format!(".raw geometry\nmov o0, c0\n{}", "nop\n".repeat(4095)),
            // A jump into the body of a loop, past its beginning: no loop is active at the break.
            ".padding off\n.proc main\nmov r0, c0\njmpu b0, inside\nfor i0\ninside:\nnop\nbreak\nadd r0, c1, r0\n.end\nmov o0, r0\nend\n.end"
                .to_owned(),
        ],
        IsaId::UtgardGp => vec![
            // The instruction of a taken branch sets an address register. The target reads the new value only if three empty cycles follow the
            // branch.
            "attribute.load(0), complex.set_addr2(attribute.x);\nnop;\nnop;\nnop;\n\
             attribute.load(0), complex.set_addr2(attribute.y), pass.mov(attribute.z), branch(there), unknown_1(13);\nnop;\nthere:\n\
             uniform.load(0, addr[2]), acc[0].mov(uniform.x), store[0].varying(0, acc[0].out, unused);"
                .to_owned(),
            // A position and a point size that the driver transforms.
            ".position 0\n.point_size 1\n.viewport_scale 0\n.viewport_offset 1\nattribute.load(0), acc[0].mov(attribute.x), acc[1].mov(attribute.y), \
             store[0].varying(0, acc[0].out, acc[1].out), mul[0].mov(attribute.z), mul[1].mov(attribute.w), \
             store[1].varying(0, mul[0].out, mul[1].out);\n\
             attribute.load(1), acc[0].mov(attribute.x), store[0].varying(1, acc[0].out, unused);"
                .to_owned(),
        ],
        IsaId::D3d9 => vec![
            // A kill whose mask leaves components out.
            "ps_3_0\ndcl_texcoord0 v0\nmov r0, v0\ntexkill r0.x\nmov oC0, r0".to_owned(),
            // Zero to the power of zero.
            "ps_3_0\ndcl_texcoord0 v0\ndef c0, 0, 0, 0, 0\nmov r0, c0\npow r1, r0.x, c0.y\nmov oC0, r1".to_owned(),
        ],
        _ => Vec::new(),
    }
}

/// The number of seeds for random cases, two for each seed, in addition to the corpora and the rule instances.
const DRAWN: u64 = 4000;

/// Returns the choices other than the defaults: those of the validator's options if `strictness`, otherwise those of all other options.
fn choices<I: Tables>(strictness: bool) -> BTreeSet<Choice> {
    let of = |option: &'static OptionSpec| option.choices[1..].iter().map(|choice| (option.name, *choice));
    let asked = |option: &&'static OptionSpec| (option.freedom == Freedom::Strictness) == strictness;
    I::option_specs().iter().filter(asked).flat_map(of).collect()
}

/// Programs that a rule refuses by default, and the choice under which they are legal.
const LENIENT: &[(IsaId, &str, &str, &str)] = &[
    (IsaId::D3d9, "vertex_processing", "software", "vs_2_0\nmov oPos, c256"),
    (
        IsaId::Agal,
        "direct_fields",
        "ignore",
        "version 1 fragment\n.token 0, 0x030f0000, 0x00000004e4070000, 0x0000000000000000",
    ),
    (
        IsaId::Agal,
        "sampler_reuse",
        "accept",
        "version 1 fragment\ntex ft0, v0, fs0 <2d,nearest>\ntex ft1, v0, fs0 <2d,linear>\nadd oc, ft0, ft1",
    ),
    (IsaId::Agal, "mask_w", "accept", "version 1 vertex\nm33 op, va0, vc0"),
];

/// Fails unless each choice of the validator's options makes a program legal that the default refuses, and the engines agree on this program.
fn lenient<I: Generate>() {
    let mut missing = choices::<I>(true);
    for (_, option, choice, text) in LENIENT.iter().filter(|(isa, ..)| *isa == I::ID) {
        let program = I::assemble(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        for seed in 0..20 {
            let strict = case_for_program::<I>(&mut Entropy::seeded(seed), &program);
            let mut case = Case { options: BTreeMap::new(), ..strict };
            let errors = |case: &Case| {
                let resolved = case.resolve::<I>().expect("a program");
                I::validate(&resolved.context()).iter().filter(|v| v.level == Level::Error).count()
            };
            assert_eq!(errors(&case), 1, "{text}: not refused by exactly one rule");
            case.options.insert((*option).to_owned(), (*choice).to_owned());
            assert_eq!(errors(&case), 0, "{text}: not legal under {option}={choice}");
            let resolved = case.resolve::<I>().expect("a program");
            let cx = resolved.context();
            let lowered = isa::lower(&cx, Mode::Auto).expect("it is legal");
            let run = Executor::new(Tier::best_interpreted()).run(cx.entry, &lowered, &resolved.env);
            assert_eq!(compare(cx.entry, &reference(&cx, &resolved.env), &run).err(), None, "{text}");
        }
        missing.remove(&(*option, *choice));
    }
    assert_eq!(missing, BTreeSet::new(), "{}: choices that make nothing legal", I::ID);
}

/// The number of random cases, and of cases requested for each opcode.
const GENERATED: (u64, u64) = (8000, 200);

/// Choices that change the result of no generated case, with the reason.
const NOT_GENERATED: &[(IsaId, &str, &str, &str)] = &[
    (
        IsaId::Pica200,
        "stray_break",
        "ignore",
        "no generated jump leads past the beginning of a loop, so every generated break leaves a loop",
    ),
    (
        IsaId::Pica200,
        "last_word",
        "wrap",
        "only a program of 4096 words has word 4095, and generated programs are a hundredth as long",
    ),
    (
        IsaId::Pica200,
        "empty_call",
        "return",
        "generated calls run at least one word, so none depends on this choice",
    ),
    (
        IsaId::A2xx,
        "dot",
        "xyzw_first",
        "a start with +0 and a start with the first product differ only in the sign of a sum of zeros",
    ),
    (IsaId::D3d9, "kill_lanes", "mask", "generated texkills name all components of their register"),
    (
        IsaId::D3d9,
        "phase_alpha",
        "keep",
        "generated programs write w of a register again after phase before they read it",
    ),
];

/// Returns the choices that change the result of no generated case but are not in [`NOT_GENERATED`], and the choices that are in it needlessly.
fn generated<I: Generate>() -> Vec<String> {
    let mut progress = Progress { missing: choices::<I>(false), unrecorded: BTreeSet::new() };
    let (plain, requested) = GENERATED;
    let mut requests: Vec<(ProgramRequest, u64)> = vec![(ProgramRequest::default(), plain)];
    let opcodes: BTreeSet<&str> = points::<I>().iter().map(|point| point.opcode).collect();
    requests.extend(
        opcodes
            .into_iter()
            .map(|opcode| (ProgramRequest { opcode: Some(opcode), ..ProgramRequest::default() }, requested)),
    );
    for (request, seeds) in &requests {
        for seed in 0..*seeds {
            if progress.missing.is_empty() {
                break;
            }
            try_on::<I>(&case::<I>(&mut Entropy::seeded(seed), request), &mut progress);
        }
    }
    let mut excused: BTreeSet<Choice> = BTreeSet::new();
    excused.extend(NOT_GENERATED.iter().filter(|row| row.0 == I::ID).map(|(_, option, choice, reason)| {
        assert!(reason.len() > 20, "a reason must be a sentence: '{reason}'");
        (*option, *choice)
    }));
    let bare =
        progress.missing.difference(&excused).map(|c| format!("{}: no generated case shows {c:?}", I::ID));
    let unused =
        excused.difference(&progress.missing).map(|c| format!("{}: a generated case shows {c:?}", I::ID));
    bare.chain(unused).collect()
}

#[test]
fn every_choice_changes_a_generated_case() {
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let each = IsaId::ALL.iter().map(|&isa| scope.spawn(move || with_isa!(isa, I => generated::<I>())));
        each.collect::<Vec<_>>().into_iter().flat_map(|one| one.join().expect("it ran")).collect()
    });
    assert_eq!(wrong, Vec::<String>::new());
}

/// A choice of an option, by name.
type Choice = (&'static str, &'static str);

/// The choices that have changed no outcome yet, and those whose Freedom was not recorded.
struct Progress {
    /// Choices that have changed no outcome so far.
    missing: BTreeSet<Choice>,
    /// Choices that changed an outcome although the run did not record their Freedom. They would never be tried as an explanation of another
    /// executor's result.
    unrecorded: BTreeSet<Choice>,
}

/// Removes from the missing choices those that change the outcome of a case.
fn try_on<I: Isa>(case: &Case, progress: &mut Progress) {
    try_beside::<I>(case, None, progress);
    for beside in ONLY_TOGETHER.iter().filter(|beside| beside.isa == I::ID) {
        if progress.missing.iter().any(|(option, _)| *option == beside.option) {
            try_beside::<I>(case, Some(beside), progress);
        }
    }
}

/// Like [`try_on`], with the other choice that `beside` states, or with the defaults of all other options.
fn try_beside<I: Isa>(case: &Case, beside: Option<&OnlyTogether>, progress: &mut Progress) {
    let plain: BTreeMap<String, String> =
        beside.iter().map(|b| (b.other.0.to_owned(), b.other.1.to_owned())).collect();
    let plain = Case { options: plain, ..case.clone() };
    let Ok(resolved) = plain.resolve::<I>() else { return };
    let cx = resolved.context();
    if I::validate(&cx).iter().any(|violation| violation.level == Level::Error) {
        return;
    }
    cx.options.take_read();
    let before = reference(&cx, &resolved.env);
    let read = cx.options.take_read();
    for (_, option) in I::option_specs().iter().enumerate().filter(|(at, _)| read >> at & 1 == 1) {
        for choice in &option.choices[1..] {
            let asked = beside.is_none_or(|beside| beside.option == option.name);
            if !progress.missing.contains(&(option.name, *choice)) || !asked {
                continue;
            }
            let mut changed = plain.clone();
            changed.options.insert(option.name.to_owned(), (*choice).to_owned());
            let resolved = changed.resolve::<I>().expect("the names are the table's");
            let cx = resolved.context();
            let after = reference(&cx, &resolved.env);
            if compare(cx.entry, &before, &after).is_ok() {
                continue;
            }
            if !before.freedoms.contains(option.freedom) {
                progress.unrecorded.insert((option.name, *choice));
            }
            let lowered = isa::lower(&cx, Mode::Auto).expect("it is legal");
            let run = Executor::new(Tier::best_interpreted()).run(cx.entry, &lowered, &resolved.env);
            let place = format!("{} {}={choice}", I::ID, option.name);
            assert_eq!(compare(cx.entry, &after, &run).err(), None, "{place}: the executor differs");
            progress.missing.remove(&(option.name, *choice));
        }
    }
}

fn check_choices<I: Generate>() {
    let mut progress = Progress { missing: choices::<I>(false), unrecorded: BTreeSet::new() };
    let all = progress.missing.len();
    let root = own_corpora(None).expect("the corpora belong to the workspace");
    for item in load_own(&root, &[I::ID]).items {
        if !matches!(item.content, Content::Vectors { .. }) {
            item.content.cases(0..2).iter().for_each(|case| try_on::<I>(case, &mut progress));
        }
    }
    for (seed, instance) in rule_instances::<I>().iter().enumerate() {
        let case = case_for_program::<I>(&mut Entropy::seeded(seed as u64), &instance.program);
        try_on::<I>(&case, &mut progress);
    }
    for text in programs_showing_choices(I::ID) {
        if progress.missing.is_empty() {
            break;
        }
        let program = I::assemble(&text).expect("it assembles");
        (0..100).for_each(|seed| {
            try_on::<I>(&case_for_program::<I>(&mut Entropy::seeded(seed), &program), &mut progress);
        });
    }
    for seed in 0..DRAWN {
        if progress.missing.is_empty() {
            break;
        }
        try_on::<I>(&case::<I>(&mut Entropy::seeded(seed), &ProgramRequest::default()), &mut progress);
        try_on::<I>(&any_case(I::ID, &mut Entropy::seeded(seed)), &mut progress);
    }
    println!("{}: {} of {all} choices change something", I::ID, all - progress.missing.len());
    assert_eq!(progress.missing, BTreeSet::new(), "{}: choices that change nothing", I::ID);
    assert_eq!(progress.unrecorded, BTreeSet::new(), "{}: choices whose Freedom is not recorded", I::ID);
    assert!(all > 0, "{}: no options", I::ID);
}

#[test]
fn every_choice_changes_the_result_of_a_program() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => check_choices::<I>());
    }
}

#[test]
fn every_validator_choice_makes_a_refused_program_legal() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => lenient::<I>());
    }
}

/// Returns the Freedoms that the reference records in a program of Direct3D 9 with these inputs and this texture.
fn freedoms(text: &str, slots: Vec<[f32; 4]>, texture: Texture) -> FreedomSet {
    let program = D3d9::assemble(text).expect("it assembles");
    let env = Environment {
        textures: vec![texture],
        fuel: 16,
        lanes: vec![LaneInput { slots }; 4],
        ..Environment::default()
    };
    let case = Case { env, ..Case::bare(IsaId::D3d9, &D3d9::encode(&program)) };
    let resolved = case.resolve::<D3d9>().expect("a program");
    reference(&resolved.context(), &resolved.env).freedoms
}

/// Some Freedoms of Direct3D 9 have no choice. A run records them exactly for the values that the documents do not define.
#[test]
fn freedoms_without_a_choice_are_recorded() {
    let sincos = "vs_3_0\ndcl_position v0\ndcl_position o0\nmov o0, v0\nsincos r0.xy, v0.x\nmov o0.xy, r0";
    let pow = "vs_3_0\ndcl_position v0\ndcl_position o0\npow r0, v0.x, v0.y\nmov o0, r0";
    let read = "ps_2_0\ndcl t0\ndcl_volume s0\ntexld r0, t0, s0\nmov oC0, r0";
    let sgn = "vs_2_0\ndcl_position v0\nmov r1, v0\nsgn r0, v0, r1, r2\nmov oPos, r0\nmov oT0, r1";
    let written =
        "vs_2_0\ndcl_position v0\nmov r1, v0\nsgn r0, v0, r1, r2\nmov r1, v0\nmov oPos, r0\nmov oT0, r1";
    let pi = std::f32::consts::PI;
    for (text, [x, y], dimension, freedom, touched) in [
        (sincos, [pi, 0.0], Dimension::Two, Freedom::AngleRange, false),
        (sincos, [pi + 1e-6, 0.0], Dimension::Two, Freedom::AngleRange, true),
        (sincos, [-4.0, 0.0], Dimension::Two, Freedom::AngleRange, true),
        (pow, [0.0, 2.0], Dimension::Two, Freedom::ZeroBase, true),
        (pow, [0.5, 0.0], Dimension::Two, Freedom::ZeroBase, false),
        (pow, [0.5, 0.0], Dimension::Two, Freedom::ZeroExponent, true),
        (read, [0.5, 0.5], Dimension::Three, Freedom::TextureDimension, false),
        (read, [0.5, 0.5], Dimension::Two, Freedom::TextureDimension, true),
        (sgn, [1.0, 2.0], Dimension::Two, Freedom::Scratch, true),
        (written, [1.0, 2.0], Dimension::Two, Freedom::Scratch, false),
    ] {
        let mut slots = vec![[0.0; 4]; usize::from(COORDINATES_SLOT) + 1];
        slots[0] = [x, y, 0.0, 0.0];
        slots[usize::from(COORDINATES_SLOT)] = slots[0];
        let texture = Texture { dimension, size: [1; 3], levels: 1, ..Texture::default() };
        let found = freedoms(text, slots, texture);
        assert_eq!(found.contains(freedom), touched, "{freedom:?} at {x}, {y} of\n{text}");
    }
}

/// A depth is the quotient of two dot products, and one choice clamps it. The Freedom is recorded exactly where clamping changes the depth.
#[test]
fn a_depth_outside_its_range_is_recorded() {
    let text = "ps_1_3\ntex t0\ntexm3x2pad t1, t0\ntexm3x2depth t2, t0\nmov r0, t0";
    for (depth, touched) in
        [(0.0, false), (0.5, false), (1.0, false), (1.0f32.next_up(), true), (2.0, true), (-0.5, true)]
    {
        let mut slots = vec![[0.0; 4]; usize::from(COORDINATES_SLOT) + 3];
        slots[usize::from(COORDINATES_SLOT) + 1] = [depth, 0.0, 0.0, 0.0];
        slots[usize::from(COORDINATES_SLOT) + 2] = [1.0, 0.0, 0.0, 0.0];
        let texels = Texels::Ramp { base: [1.0, 0.0, 0.0, 0.0], slope: 0.0 };
        let texture = Texture { size: [1; 3], levels: 1, texels, ..Texture::default() };
        let found = freedoms(text, slots, texture);
        assert_eq!(found.contains(Freedom::Range), touched, "{depth}");
    }
}
