//! Each kind of equivalent variant is proved like a rewrite rule: for variants of generated programs, the reference's run of the original equals the
//! lowered variant on every path, for all inputs. A variant that is changed further is refuted.
#![cfg(feature = "prove")]

use lockstep::case::{Case, EntryRef, Resolved};
use lockstep::generate::{Entropy, Generate, ProgramRequest, case_for_program};
use lockstep::metamorphic::{Kind, variants};
use lockstep_core::isa::{Edit, Isa, IsaId};
use lockstep_core::with_isa;
use lockstep_prove::cache::Cache;
use lockstep_prove::obligation::Task;
use lockstep_prove::report::Report;
use lockstep_prove::run::Settings;
use std::collections::BTreeMap;

/// The number of programs whose variants are proved for each instruction set.
const PROGRAMS: u64 = 24;

fn at(case: &Case) -> (Vec<u8>, usize) {
    let EntryRef::Own(number) = case.entry else { panic!("a generated program has an entry of its own") };
    (case.bytes.clone(), usize::from(number))
}

fn proved(tasks: &[Task]) -> Report {
    let settings = Settings { check_domain: false, ..Settings::default() };
    lockstep_prove::prove(tasks, &mut Cache::default(), &settings)
}

/// Returns cases of generated programs of an instruction set. The programs are small enough to be proved quickly.
fn cases<I: Generate>() -> Vec<Case> {
    let program = |seed| {
        let mut e = Entropy::seeded(seed);
        let request = ProgramRequest { size: Some(4), ..ProgramRequest::default() };
        let program = I::program(&mut e, &request);
        case_for_program::<I>(&mut e, &program)
    };
    let cases = (0..PROGRAMS).map(program).filter(|case| matches!(case.entry, EntryRef::Own(_)));
    cases.map(|case| Case { options: BTreeMap::new(), ..case }).collect()
}

#[test]
fn each_kind_of_variant_is_proved_for_all_inputs() {
    let mut counts = BTreeMap::<&str, u32>::new();
    for isa in IsaId::ALL {
        let mut tasks = Vec::new();
        for (number, case) in with_isa!(*isa, I => cases::<I>()).iter().enumerate() {
            for (kind, variant) in variants(case) {
                *counts.entry(kind.name()).or_default() += 1;
                let name = format!("{} {number}", kind.name());
                tasks.push(lockstep_prove::variant(*isa, &name, at(case), at(&variant)));
            }
        }
        assert!(tasks.len() > 20, "{isa}: {}", tasks.len());
        let report = proved(&tasks);
        let refuted: Vec<&str> = report.refuted().map(|one| one.name.as_str()).collect();
        let unknown: Vec<&str> = report.unknown().map(|one| one.name.as_str()).collect();
        assert!(report.is_green(), "{isa}: refuted {refuted:?}, unknown {unknown:?}");
    }
    println!("{counts:?}");
    assert!(Kind::ALL.iter().all(|kind| counts.contains_key(kind.name())), "{counts:?}");
}

#[test]
fn a_variant_that_computes_something_else_is_refuted() {
    for isa in IsaId::ALL {
        let mut tasks = Vec::new();
        for (number, case) in with_isa!(*isa, I => cases::<I>()).iter().enumerate() {
            for (kind, variant) in variants(case) {
                // The first removal of an instruction after which the program has other results.
                let other = with_isa!(*isa, I => damaged::<I>(case, &variant));
                let name = format!("{} {number}", kind.name());
                tasks.extend(other.map(|other| lockstep_prove::variant(*isa, &name, at(case), at(&other))));
            }
        }
        assert!(tasks.len() > 10, "{isa}: {}", tasks.len());
        let report = proved(&tasks);
        let refuted = report.refuted().count();
        assert!(refuted >= tasks.len(), "{isa}: {refuted} of {} refuted", tasks.len());
    }
}

/// Returns the variant without the first instruction whose removal leaves a legal program with other results than `case` in the environment of
/// `case`.
fn damaged<I: Isa>(case: &Case, variant: &Case) -> Option<Case> {
    let program = I::decode(&variant.bytes).ok()?;
    let outcome = |case: &Case| {
        let resolved = case.resolve::<I>().ok().filter(Resolved::is_legal)?;
        Some((resolved.entry.clone(), lockstep::engine::reference::<I>(&resolved.context(), &resolved.env)))
    };
    let (entry, right) = outcome(case)?;
    (0..I::instruction_count(&variant.resolve::<I>().ok()?.context())).find_map(|at| {
        let other = variant.with_program::<I>(&I::apply(&program, &Edit::Remove { at, count: 1 })?);
        let (other_entry, wrong) = outcome(&other)?;
        let is_alike = other_entry.interface.outputs == entry.interface.outputs;
        (is_alike && lockstep::engine::compare(&entry, &right, &wrong).is_err()).then_some(other)
    })
}
