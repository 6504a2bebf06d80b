//! The rules: each is broken by some program, none by what compilers made.

use super::random::corpus;
use lockstep_core::isa::utgard_gp::assemble::assemble;
use lockstep_core::isa::utgard_gp::decode::decode;
use lockstep_core::isa::utgard_gp::interface::{Run, entries};
use lockstep_core::isa::utgard_gp::options::AXES;
use lockstep_core::isa::utgard_gp::program::Program;
use lockstep_core::isa::utgard_gp::rules::{RULES, Rule};
use lockstep_core::isa::utgard_gp::validate::validate;
use lockstep_core::isa::{Entry, Level, Options, Violation};
use std::collections::BTreeMap;

fn check(program: &Program) -> Vec<Violation> {
    validate(program, &entries(program)[0], &Options::new(AXES))
}

#[test]
fn real_programs_break_no_rule() {
    let Some(files) = corpus("meta") else { return };
    let mut warnings: BTreeMap<u16, Vec<String>> = BTreeMap::new();
    for (name, bytes, _) in &files {
        let program = decode(bytes).unwrap();
        for v in check(&program) {
            eprintln!("{name}: {v}");
            warnings.entry(v.code).or_default().push(name.clone());
        }
    }
    eprintln!("{warnings:?}");
}
