//! Tests of the independent prover: its formulas against SMT-LIB's floats, its definitions against evaluation, its verdicts on mutants.

#![cfg(feature = "solver")]

use lockstep_core::host::{ConcreteHost, Environment};
use lockstep_core::ir::{self, BlockId, Op, VarKey};
use lockstep_core::isa::facet::rule_instances;
use lockstep_core::isa::lowering;
use lockstep_core::isa::pica200::program::Container;
use lockstep_core::isa::{
    Context, Format, Isa, IsaId, Options, Reference, Refinement, RuleInstance, Syntax, Tables,
};
use lockstep_core::value::{Concrete, Domain, FBin, FCmp, FUn, Narrow, canonical_bits};
use lockstep_prove::independent::agree::{Pair, Part, Subject};
use lockstep_prove::independent::exact::{Extent, claim, with_exact_functions};
use lockstep_prove::independent::instance::rules;
use lockstep_prove::independent::judge::{Memo, ProofStep, RuleCheck, Verdict};
use lockstep_prove::independent::logic::{absolute, canonical, compared, negated};
use lockstep_prove::independent::query::{Fault, Limits, Query, Reply, SolverMethod, ask};
use lockstep_prove::independent::replay::RandomSource;
use lockstep_prove::independent::run::{Sample, Settings, run};
use lockstep_prove::independent::{lemma, mutants};
use lockstep_prove::mutate::mutations;
use std::collections::BTreeSet;
use z3::ast::BV;

const SOLVER_LIMIT: u32 = 50_000_000;

fn holds(text: &str) -> bool {
    match ask(text, SOLVER_LIMIT, SolverMethod::Default) {
        Reply::Unsat => true,
        Reply::Sat(_) => false,
        Reply::Unknown(reason) => panic!("{reason}: {text}"),
    }
}

#[test]
fn bit_vector_formulas_equal_the_floating_point_theory() {
    let (a, b) = (BV::new_const("a", 32), BV::new_const("b", 32));
    let words = "(declare-fun a () (_ BitVec 32))\n(declare-fun b () (_ BitVec 32))\n";
    for (op, theory) in [(FCmp::Lt, "fp.lt"), (FCmp::Le, "fp.leq"), (FCmp::Eq, "fp.eq")] {
        let ours = compared(op, &a, &b).to_string();
        assert!(holds(&claim(words, &format!("(= {ours} ({theory} (of.word a) (of.word b)))"))), "{op:?}");
        let other = if op == FCmp::Lt { "fp.leq" } else { "fp.lt" };
        assert!(!holds(&claim(words, &format!("(= {ours} ({other} (of.word a) (of.word b)))"))), "{op:?}");
    }
    for (ours, theory) in [(negated(&a), "(fp.neg (of.word a))"), (absolute(&a), "(fp.abs (of.word a))")] {
        let ours = canonical(&ours).to_string();
        assert!(holds(&claim(words, &format!("(= {ours} (to.word {theory}))"))), "{theory}");
    }
    assert!(holds(&claim(words, &format!("(= {} (to.word (of.word a)))", canonical(&a)))));
}

#[test]
fn lemmas_are_proved_and_a_false_one_is_not() {
    for lemma in lemma::LEMMAS {
        assert_eq!(lemma::prove(lemma, lemma::SOLVER_LIMIT), Ok(()), "{}", lemma.name);
        assert!(lemma::prove(lemma, 1).is_err(), "{}: the solver was stopped at once", lemma.name);
    }
    let wrong = "(declare-fun f.mul ((_ BitVec 32) (_ BitVec 32)) (_ BitVec 32))\n(declare-fun a () (_ BitVec 32))\n\
                 (assert (not (= (f.mul a #x00000000) #x00000000)))";
    assert!(!holds(&with_exact_functions(wrong, Extent::All).unwrap()));
}

/// Zeros, subnormals, ties, the limits of the integer and f24 ranges, infinities, NaN.
const VALUES: [u32; 26] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0x3fc0_0000,
    0x4020_0000,
    0xc020_0000,
    0x3f80_0001,
    0x3f80_0040,
    0x3f80_00c0,
    0x4b00_0001,
    0x4eff_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0xcf00_0001,
    0x5f7f_ff80,
    0x5f7f_ffc0,
    0x2080_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7fc0_0000,
];

#[test]
fn definitions_agree_with_evaluation() {
    let c = Concrete;
    type Numbers = Box<dyn Fn(&[u32]) -> u32>;
    let f = |v: u32| f32::from_bits(v);
    let un = |op: FUn| -> Numbers { Box::new(move |v| canonical_bits(c.un(op, &f(v[0])))) };
    let bin = |op: FBin| -> Numbers { Box::new(move |v| canonical_bits(c.bin(op, &f(v[0]), &f(v[1])))) };
    let all: Vec<(&str, usize, Numbers)> = vec![
        ("f.add", 2, bin(FBin::Add)),
        ("f.mul", 2, bin(FBin::Mul)),
        ("f.div", 2, bin(FBin::Div)),
        ("f.fma", 3, Box::new(move |v| canonical_bits(c.fma(&f(v[0]), &f(v[1]), &f(v[2]))))),
        ("f.sqrt", 1, un(FUn::Sqrt)),
        ("f.floor", 1, un(FUn::Floor)),
        ("f.trunc", 1, un(FUn::Trunc)),
        ("f.even", 1, un(FUn::RoundEven)),
        ("f.narrow.nearest", 1, un(FUn::Narrow(Narrow::F24Nearest))),
        ("f.narrow.zero", 1, un(FUn::Narrow(Narrow::F24Zero))),
        ("f.narrow.held", 1, un(FUn::Narrow(Narrow::F24ZeroSaturate))),
        ("f.to_int", 1, Box::new(move |v| c.trunc_i(&f(v[0])) as u32)),
        ("f.of_int", 1, Box::new(move |v| c.to_f(&(v[0] as i32)).to_bits())),
    ];
    for (name, operands, numbers) in all {
        let values: Vec<u32> =
            if operands == 3 { VALUES.iter().copied().step_by(3).collect() } else { VALUES.to_vec() };
        let mut rows: Vec<Vec<u32>> = vec![Vec::new()];
        for _ in 0..operands {
            let longer =
                |row: &Vec<u32>| values.iter().map(|v| [&row[..], &[*v]].concat()).collect::<Vec<_>>();
            rows = rows.iter().flat_map(longer).collect();
        }
        let sorts = vec!["(_ BitVec 32)"; operands].join(" ");
        let question = |wrong: u32| {
            let rows = rows.iter().enumerate().map(|(k, row)| {
                let literals: Vec<String> = row.iter().map(|v| format!("#x{v:08x}")).collect();
                let expected = numbers(row) ^ if k == rows.len() / 2 { wrong } else { 0 };
                format!("(distinct ({name} {}) #x{expected:08x})", literals.join(" "))
            });
            let rows: Vec<String> = rows.collect();
            let text = format!(
                "(declare-fun {name} ({sorts}) (_ BitVec 32))\n(assert (or {} false))",
                rows.join("\n")
            );
            with_exact_functions(&text, Extent::All).unwrap()
        };
        assert!(holds(&question(0)), "{name}");
        assert!(!holds(&question(1)), "{name}, with a wrong bit");
    }
}

/// Returns the verdicts on an instruction set's rules whose names contain `filter`, with the lowered program changed by `change`. Rules for which
/// `change` returns false are left out.
fn judged<I: Isa>(filter: &str, change: impl Fn(&mut ir::Program) -> bool) -> Vec<(String, Verdict)> {
    let memo = Memo::default();
    let mut all = Vec::new();
    for rule in rule_instances::<I>().iter().filter(|rule| rule.name.contains(filter)) {
        let entry = I::entries(&rule.program).remove(0);
        let options = Options::new(I::option_specs());
        let cx: Context<'_, I> = Context { program: &rule.program, entry: &entry, options: &options };
        let (mut program, nodes) = lowering::lower_with_nodes(&cx).unwrap();
        let pair = Pair::new(cx, &program, &nodes);
        if change(&mut program) {
            let parts = pair.parts(&program);
            let query = Query::new(&pair, &program, &parts).unwrap();
            let verdict = RuleCheck { pair: &pair, program: &program, parts: &parts }.judge(&query, &memo);
            all.push((rule.name.clone(), verdict));
        }
    }
    assert!(!all.is_empty(), "no rule's name contains {filter}");
    all
}

#[test]
fn comparisons_with_swapped_operands_or_another_relation_are_refuted() {
    type Agal = lockstep_core::isa::agal::Agal;
    let right = judged::<Agal>("slt ", |_| true);
    let by =
        |wanted: ProofStep| right.iter().filter(|(_, v)| *v == Verdict::Confirmed { how: wanted }).count();
    // An index is a number rounded to an integer, for which there is a lemma.
    assert!(by(ProofStep::Lemmas) > 0 && by(ProofStep::AnyFunctions) > 0, "{right:?}");
    assert_eq!(by(ProofStep::Lemmas) + by(ProofStep::AnyFunctions), right.len(), "{right:?}");
    // The operands must differ: a comparison of a value with itself does not change.
    let swapped = |p: &mut ir::Program| {
        let pool = &p.pool;
        let is_less = |i: &&ir::Inst| matches!(i.op, Op::Cmp(FCmp::Lt));
        let places = p.insts.iter().filter(is_less).map(|i| i.args as usize);
        let place = places.into_iter().find(|at| pool[*at] != pool[at + 1]);
        place.map(|at| p.pool.swap(at, at + 1)).is_some()
    };
    let other = |p: &mut ir::Program| {
        let inst = p.insts.iter_mut().find(|i| matches!(i.op, Op::Cmp(FCmp::Lt)));
        inst.map(|i| i.op = Op::Cmp(FCmp::Le)).is_some()
    };
    for (name, verdict) in judged::<Agal>("slt ", swapped).into_iter().chain(judged::<Agal>("slt ", other)) {
        assert!(matches!(verdict, Verdict::Refuted(_)), "{name}: {verdict:?}");
    }
}

/// Checks that a rule's lowering without some write, store, effect, kill mark or unit of fuel is never confirmed where evaluation shows a difference.
fn check_drops_are_not_confirmed<I: Isa>() {
    let mut tried = 0;
    for rule in rule_instances::<I>().iter().filter(|rule| rule.mutate).step_by(9).take(6) {
        let entry = I::entries(&rule.program).remove(0);
        let options = Options::new(I::option_specs());
        let cx: Context<'_, I> = Context { program: &rule.program, entry: &entry, options: &options };
        let (program, nodes) = lowering::lower_with_nodes(&cx).unwrap();
        let pair = Pair::new(cx, &program, &nodes);
        let blocks: Vec<u32> = (0..program.blocks.len() as u32).collect();
        let dropped = mutations(&program, &blocks).into_iter().filter(|m| m.name.ends_with("dropped"));
        for mutation in dropped.take(4) {
            let mutant = mutation.apply(&program);
            let parts = pair.parts_of(&program, BlockId(mutation.block));
            let numbers = (0..40).any(|seed| {
                lockstep_prove::independent::replay::differ(&pair, &mutant, &parts, &RandomSource(seed))
            });
            let query = Query::new(&pair, &mutant, &parts).unwrap();
            let unsat = matches!(ask(&query.text, SOLVER_LIMIT, SolverMethod::Default), Reply::Unsat);
            assert!(!(numbers && unsat), "{}: {}", rule.name, mutation.name);
            tried += usize::from(numbers);
        }
    }
    assert!(tried > 3, "{}: {tried}", I::ID);
}

#[test]
fn every_declared_variable_is_claimed_once() {
    type Pica = lockstep_core::isa::pica200::Pica200;
    let rule = rule_instances::<Pica>().iter().find(|rule| rule.mutate).unwrap();
    let entry = Pica::entries(&rule.program).remove(0);
    let options = Options::new(Pica::option_specs());
    let cx: Context<'_, Pica> = Context { program: &rule.program, entry: &entry, options: &options };
    let (program, nodes) = lowering::lower_with_nodes(&cx).unwrap();
    let pair = Pair::new(cx, &program, &nodes);
    let environment = Environment::default();
    let start = Pica::start(&Concrete, &mut ConcreteHost::<false>::new(&environment, 0), &cx, 0);
    let held: BTreeSet<VarKey> =
        Pica::state(&Concrete, &cx, &start).into_iter().map(|(key, _)| key).collect();
    for part in pair.parts(&program).into_iter().filter(|part| *part != Part::Start) {
        let claims = pair.claims(&mut Concrete, &RandomSource(3), &program, part);
        assert!(claims.iter().all(|claim| claim.holds), "{part:?}");
        for what in [Subject::Next, Subject::Fuel, Subject::Killed, Subject::Effects] {
            assert_eq!(claims.iter().filter(|c| c.subject == what).count(), 1, "{part:?} {what:?}");
        }
        let arrays = program.arrays.iter().flat_map(|a| (0..a.len as usize).map(|n| a.key(n)));
        for key in program.vars.iter().map(|v| v.key).chain(arrays) {
            let count = claims.iter().filter(|c| c.subject == Subject::Register(key)).count();
            // Once if the reference lists the register; a control register may exist only at other positions.
            assert!(count == 1 || count == 0 && !held.contains(&key), "{part:?} {key:?}: {count}");
        }
        let registers = claims.iter().filter(|c| matches!(c.subject, Subject::Register(_))).count();
        assert!(registers >= program.vars.len().min(64), "{part:?}: {registers}");
    }
}

#[test]
fn claims_that_evaluation_refutes_are_not_confirmed() {
    for isa in IsaId::ALL {
        lockstep_core::with_isa!(*isa, I => {
            check_drops_are_not_confirmed::<I>();
            let rule = rule_instances::<I>().iter().find(|rule| rule.mutate).unwrap();
            let judged = mutants::of_rule::<I>(&rule.name, rule, 5, 1);
            assert!(!judged.is_empty() && judged.iter().all(|mutant| mutant.confirmed.is_none()), "{judged:?}");
        });
    }
}

#[test]
fn every_step_is_tried_on_wrong_claims_and_confirms_none() {
    type Agal = lockstep_core::isa::agal::Agal;
    type Pica = lockstep_core::isa::pica200::Pica200;
    fn judge_mutants<I: Isa>(name_parts: &[&str]) -> Vec<mutants::MutantVerdict> {
        let named = |name: &str| name_parts.iter().all(|part| name.contains(part));
        let rule = rule_instances::<I>().iter().find(|rule| named(&rule.name)).unwrap();
        mutants::of_rule::<I>(&rule.name, rule, 2, 1)
    }
    // An index is a number rounded to an integer, for which there is a lemma; a sum is narrowed to 24 bits.
    let all =
        [judge_mutants::<Agal>(&["slt ", "a.index=temporary"]), judge_mutants::<Pica>(&["add "])].concat();
    assert!(all.iter().all(|mutant| mutant.confirmed.is_none()), "{all:?}");
    for how in ProofStep::STEPS {
        assert!(all.iter().any(|mutant| mutant.tried.contains(&how)), "{how:?}: {all:?}");
    }
}

#[test]
fn paths_through_rules_cover_every_case() {
    type Pica = lockstep_core::isa::pica200::Pica200;
    let mut several = 0;
    for rule in rule_instances::<Pica>().iter().filter(|rule| rule.mutate) {
        let entry = Pica::entries(&rule.program).remove(0);
        let options = Options::new(Pica::option_specs());
        let cx: Context<'_, Pica> = Context { program: &rule.program, entry: &entry, options: &options };
        let (program, nodes) = lowering::lower_with_nodes(&cx).unwrap();
        let pair = Pair::new(cx, &program, &nodes);
        let parts = pair.parts(&program);
        let query = Query::new(&pair, &program, &parts);
        several += usize::from(query.is_ok_and(|query| query.paths > parts.len() as u64));
    }
    assert!(several > 3, "{several} rules with several paths");
}

#[test]
fn an_obligation_without_a_query_shows_the_open_conditions() {
    type Pica = lockstep_core::isa::pica200::Pica200;
    let rule = rule_instances::<Pica>().iter().find(|rule| rule.name.contains("jmpc ")).unwrap();
    let entry = Pica::entries(&rule.program).remove(0);
    let options = Options::new(Pica::option_specs());
    let cx: Context<'_, Pica> = Context { program: &rule.program, entry: &entry, options: &options };
    let (program, nodes) = lowering::lower_with_nodes(&cx).unwrap();
    let pair = Pair::new(cx, &program, &nodes);
    let parts = pair.parts(&program);
    let all = Limits { paths: 4096, every_case: SOLVER_LIMIT };
    assert!(Query::with_limits(&pair, &program, &parts, &all).is_ok());
    let ends = |limits: Limits| match Query::with_limits(&pair, &program, &parts, &limits).err() {
        Some(Fault::Open { reason, query }) => (reason, query),
        other => panic!("{other:?}"),
    };
    let (reason, path) = ends(Limits { paths: 1, ..all });
    assert!(reason.starts_with("block ") && reason.ends_with("more than 1 paths; the last one's conditions"));
    // Some numbers take the path.
    assert!(
        path.contains("(assert") && matches!(ask(&path, SOLVER_LIMIT, SolverMethod::Default), Reply::Sat(_)),
        "{path}"
    );
    let (reason, cases) = ends(Limits { every_case: 1, ..all });
    assert!(reason.starts_with("block ") && reason.contains("no answer whether "), "{reason}");
    // With more effort it has an answer.
    assert!(matches!(ask(&cases, SOLVER_LIMIT, SolverMethod::Default), Reply::Unsat), "{cases}");
    // The report shows both, and a program that is not lowered.
    let mut report =
        run(&[IsaId::Pica200], &Settings { filter: Some("jmpc".to_owned()), ..Settings::default() });
    report.outcomes.truncate(1);
    report.outcomes[0].verdict = Verdict::Open { reason, query: cases.clone() };
    let shown = report.to_string();
    let [first, second] = [0, 1].map(|at| cases.lines().nth(at).unwrap());
    let name = &report.outcomes[0].name;
    assert!(shown.contains(&format!("OPEN {name}: block ")), "{shown}");
    assert!(shown.contains(&format!(" every case\n    {first}\n    {second}\n")), "{shown}");
}

/// Returns whether there is a rule whose blocks or outputs are changed by an option, after checking that its claims are audited under that option.
fn check_audit<I: Isa>() -> bool {
    for rule in rule_instances::<I>().iter().filter(|rule| rule.mutate) {
        let entry = I::entries(&rule.program).remove(0);
        let counts = |options: &Options| {
            let cx: Context<'_, I> = Context { program: &rule.program, entry: &entry, options };
            lowering::lower_with_nodes(&cx)
                .ok()
                .map(|(program, _)| (program.blocks.len(), program.outputs.len()))
        };
        let defaults = Options::new(I::option_specs());
        let usual = counts(&defaults);
        let read = defaults.take_read();
        // Few options, so that there are few settings to judge.
        if read.count_ones() > 2 {
            continue;
        }
        let choices = I::option_specs().iter().enumerate().filter(|(option, _)| read >> option & 1 == 1);
        let mut settings =
            choices.flat_map(|(option, spec)| (1..spec.choices.len()).map(move |c| (option, c as u8)));
        let other = settings.find(|(option, choice)| {
            let mut options = defaults.clone();
            options.set(*option, *choice);
            counts(&options).is_some_and(|other| Some(other) != usual)
        });
        let Some((option, choice)) = other else { continue };
        let spec = &I::option_specs()[option];
        let all = rules::<I>();
        let judged = all.iter().find(|found| found.name.ends_with(&format!(" {}", rule.name))).unwrap();
        let outcomes = (judged.judge)(&Memo::default(), None);
        let name = format!("{} {}={}", judged.name, spec.name, spec.choices[usize::from(choice)]);
        let outcome = outcomes.iter().find(|outcome| outcome.name == name);
        assert!(outcome.unwrap_or_else(|| panic!("{name}: it was not judged")).audited, "{name}");
        assert!(outcomes[0].audited, "{name}");
        return true;
    }
    false
}

#[test]
fn claims_are_audited_where_an_option_changes_blocks_or_outputs() {
    let found = IsaId::ALL.iter().any(|isa| lockstep_core::with_isa!(*isa, I => check_audit::<I>()));
    assert!(found, "no option changes blocks or outputs");
}

#[test]
fn mutants_are_of_all_entries_and_an_entry_that_is_not_lowered_is_an_error() {
    type Pica = lockstep_core::isa::pica200::Pica200;
    // Moves alone: queries about sums and products take Z3 seconds each.
    let text = ".out pos position o0\n.entry plain\n.proc plain\nmov o0, v0\nend\n.end\n\
                .shader\n.out pos position o0\n.entry lit\n.proc lit\nmov o0, v1\nend\n.end\n";
    let mut program = Pica::assemble(text).unwrap();
    assert_eq!(Pica::entries(&program).len(), 2);
    let rule = |program: &<Pica as Format>::Program| RuleInstance {
        name: "two".to_owned(),
        program: program.clone(),
        mutate: true,
    };
    let found = mutants::of_rule::<Pica>("two", &rule(&program), 16, 1);
    for entry in ["two entry 0", "two entry 1"] {
        assert!(found.iter().any(|mutant| mutant.name.starts_with(entry)), "{entry}: {found:?}");
    }
    assert!(found.iter().all(|mutant| mutant.error.is_none()), "{found:?}");
    // After the last instruction there is nothing to lower.
    let Container::Shbin(shbin) = &mut program.container else { panic!("not an SHBIN") };
    shbin.dvles[1].main = program.code.len() as u32;
    let found = mutants::of_rule::<Pica>("two", &rule(&program), 16, 1);
    let errors: Vec<&str> =
        found.iter().filter(|mutant| mutant.error.is_some()).map(|mutant| mutant.name.as_str()).collect();
    assert_eq!(errors, ["two entry 1"], "{found:?}");
    let mut report = run(
        &[IsaId::Pica200],
        &Settings { filter: Some("pica200 lowering rules ifc".to_owned()), ..Settings::default() },
    );
    assert!(report.is_green(), "{report}");
    report.mutants = found;
    assert!(
        !report.is_green() && report.to_string().contains("NO MUTANTS OF two entry 1: it is not lowered")
    );
}

#[test]
fn a_sample_has_its_share_of_combined_options() {
    let settings = Settings {
        sample: Some(Sample { rules: 40, settings: 3 }),
        seed: "a".to_owned(),
        threads: 2,
        ..Settings::default()
    };
    let report = run(&[IsaId::Agal, IsaId::Pica200], &settings);
    assert!(report.is_green(), "{report}");
    for (isa, count) in report.counts() {
        // Most rules read only one option, so nothing can be combined.
        assert!(count.combined * 25 >= count.obligations, "{isa}: {count:?}");
    }
}

#[test]
fn a_run_without_rules_of_an_instruction_set_is_not_green() {
    let some = Settings { filter: Some("agal lowering rules neg ".to_owned()), ..Settings::default() };
    let mut report = run(&[IsaId::Agal, IsaId::A2xx], &some);
    // An instruction set that the filter leaves out is not reported as missing.
    assert!(report.is_green(), "{report}");
    report.wanted = vec![IsaId::Agal, IsaId::A2xx];
    assert!(!report.is_green());
    assert!(report.to_string().contains("NOTHING TO JUDGE a2xx"), "{report}");
    report.wanted = vec![IsaId::Agal];
    assert!(report.is_green());
}

#[test]
fn a_sample_is_the_same_for_the_same_seed() {
    let names = |seed: &str| -> Vec<String> {
        let settings = Settings {
            sample: Some(Sample { rules: 2, settings: 2 }),
            seed: seed.to_owned(),
            threads: 2,
            ..Settings::default()
        };
        let report = run(&[IsaId::Agal, IsaId::Pica200], &settings);
        assert!(report.is_green(), "{report}");
        report.outcomes.into_iter().map(|outcome| outcome.name).collect()
    };
    assert_eq!(names("a"), names("a"));
    assert_ne!(names("a"), names("b"));
}

#[test]
fn a_run_that_confirms_nothing_or_tries_too_few_mutants_is_not_green() {
    let nothing =
        run(&[IsaId::Agal], &Settings { filter: Some("no such rule".to_owned()), ..Settings::default() });
    assert!(!nothing.is_green());
    let some = Settings { filter: Some("agal lowering rules neg ".to_owned()), ..Settings::default() };
    let mut report = run(&[IsaId::Agal], &some);
    assert!(report.is_green(), "{report}");
    report.wanted_mutants = 1;
    assert!(!report.is_green());
}
