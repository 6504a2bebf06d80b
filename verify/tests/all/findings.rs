//! A fault planted in the executor becomes a small finding; a case that does not fail is not reported.

use lockstep::case::Case;
use lockstep::engine::{Executor, Tier, compare, reference};
use lockstep::finding::{Findings, run_triage, run_triage_with};
use lockstep::minimize::{Minimized, minimize};
use lockstep::oracle::{Failure, Oracle};
use lockstep_core::exec::{Fault, Kernel, Target};
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::lowering::Mode;
use lockstep_core::isa::{Format, Syntax, lower};

const PROGRAM: &str = "version 2 vertex
    m44 op, va0, vc0
    m33 vt0.xyz, va1.xyz, vc4
    nrm vt0.xyz, vt0.xyz
    dp3 vt1.x, vt0.xyz, vc8.xyz
    max vt1.x, vt1.x, vc9.x
    mul vt2, vc10, vt1.x
    add v0, vt2, vc11
    sin vt3, va2
    mul v1, vt3, vc12
    mov v2, va2
";

fn case() -> Case {
    let program = Agal::assemble(PROGRAM).expect("the program assembles");
    let value = |n: usize, c: usize| ((n * 7 + c * 3) % 11) as f32 * 0.375 - 1.5;
    let vector = |n: usize| std::array::from_fn(|c| value(n, c));
    let env = Environment {
        constants: (0..16).map(vector).collect(),
        lanes: (0..8)
            .map(|lane| LaneInput { slots: (0..4).map(|s| vector(lane * 5 + s)).collect() })
            .collect(),
        ..Environment::default()
    };
    Case::new::<Agal>(&program, env)
}

/// Returns the failure that the execution oracle finds on an executor with a faulty kernel.
fn faulty(kernel: Kernel, case: &Case) -> Option<Failure> {
    let resolved = case.resolve::<Agal>().ok()?;
    let cx = resolved.context();
    let program = lower(&cx, Mode::Auto).ok()?;
    let expected = reference(&cx, &resolved.env);
    let fault = Fault { target: Target::Kernel(kernel), bit: 12 };
    let (run, _) =
        Executor::new(Tier::best_interpreted()).run_with_fault(cx.entry, &program, &resolved.env, fault);
    let difference = compare(cx.entry, &expected, &run).err()?;
    Some(Failure {
        between: "reference / executor at fault".to_owned(),
        message: String::new(),
        difference: Some(*difference),
        word: None,
        line: None,
    })
}

#[test]
fn a_planted_fault_becomes_one_small_finding_of_the_right_opcode() {
    let finding =
        run_triage_with(Oracle::Execution, &case(), &mut |c| faulty(Kernel::Sin, c)).expect("it fails");
    let program = Agal::decode(&finding.case.bytes).expect("a program");
    // A vertex program must write its position, and the sine must reach an output.
    assert!(program.tokens.len() <= 2, "{}", Agal::disassemble(&program));
    assert!(finding.signature.opcodes.contains("sin"), "{}", finding.signature);
    assert_eq!(finding.case.env.lanes.len(), 1);
    assert!(faulty(Kernel::Sin, &finding.case).is_some(), "the minimised case still fails");
    assert!(finding.rests_on.iter().any(|(opcode, _, source)| opcode == "sin" && source.contains("SEED")));
    let says: Vec<&str> = finding.opinions.iter().map(|o| o.engine.as_str()).collect();
    assert!(says.contains(&"reference") && says.contains(&"IR evaluator"), "{says:?}");
    let report = finding.describe("f.toml");
    assert!(report.contains("lockstep reproduce --oracle execution f.toml"), "{report}");
}

#[test]
fn a_finding_round_trips() {
    let finding =
        run_triage_with(Oracle::Execution, &case(), &mut |c| faulty(Kernel::Add, c)).expect("it fails");
    let text = finding.case.to_text(Some("a fault in the sum"));
    let again = Case::from_text(&text).expect("reads back");
    assert_eq!(format!("{again:?}"), format!("{:?}", finding.case));
    assert!(faulty(Kernel::Add, &again).is_some());
}

#[test]
fn findings_with_one_signature_are_one_finding() {
    let mut findings = Findings::default();
    let mut news = Vec::new();
    for kernel in [Kernel::Sin, Kernel::Sin, Kernel::Max] {
        let finding =
            run_triage_with(Oracle::Execution, &case(), &mut |c| faulty(kernel, c)).expect("it fails");
        news.push(findings.add(finding));
    }
    assert_eq!(news, [true, false, true]);
    assert_eq!(findings.iter().map(|(_, count)| count).collect::<Vec<_>>().len(), 2);
    assert_eq!(findings.iter().map(|(_, count)| count).sum::<u64>(), 3);
}

#[test]
fn a_passing_case_is_no_finding() {
    assert!(run_triage(Oracle::Execution, &case()).is_none());
    assert_eq!(minimize(&case(), &mut |_| false), Minimized::NotInteresting);
}

#[test]
fn bytes_that_do_not_decode_shrink_as_bytes() {
    let mut case = case();
    case.bytes = vec![7; 300];
    case.bytes[200] = 9;
    let Minimized::Done { case: small, .. } = minimize(&case, &mut |c| c.bytes.contains(&9)) else {
        panic!("it is interesting");
    };
    assert_eq!(small.bytes, [9]);
}

#[test]
fn text_form_keeps_every_bit_of_a_case() {
    let mut case = case();
    case.env.constants[0] = [f32::NEG_INFINITY, -0.0, f32::from_bits(1), f32::MAX];
    case.env.constants[1] = [f32::NAN; 4];
    case.options.insert("ifg".to_owned(), "ge".to_owned());
    for bytes in [case.bytes.clone(), vec![0xa0, 0xff, 3]] {
        case.bytes = bytes;
        let again = Case::from_text(&case.to_text(None)).expect("reads back");
        assert_eq!(again.bytes, case.bytes);
        assert_eq!(again.options, case.options);
        let bits = |c: &Case| c.env.constants.iter().flatten().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&again), bits(&case));
        assert_eq!(format!("{again:?}"), format!("{case:?}"));
    }
}
