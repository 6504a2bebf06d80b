//! Tests that plant a fault in a known instruction and check that its line is marked.

#![allow(clippy::expect_used)] // failed expectations fail the test

use super::*;
use crate::case::EntryRef;
use crate::corpus::{Content, environment_from_seed, load_own, own_corpora};
use crate::engine::reference;
use crate::generate::Generate;
use crate::stepping::{plant_in_branch, plant_in_word};
use lockstep_core::exec::{Fault, Kernel, Target};
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::lowering::fallback_word;
use lockstep_core::isa::{Format, Legality, Refinement, Syntax};
use std::collections::BTreeSet;

/// Returns the project's own legal programs for which there is a fallback, each at its first entry in an environment of at most eight lanes.
fn programs<I: Generate>() -> Vec<(String, Resolved<I>)> {
    let own = load_own(&own_corpora(None).expect("the corpora belong to the workspace"), &[I::ID]);
    let ready = own.items.into_iter().filter_map(|item| {
        let Content::Program { bytes, .. } = &item.content else { return None };
        let mut case = Case { entry: EntryRef::Own(0), ..Case::bare(I::ID, bytes) };
        let resolved = case.resolve::<I>().ok()?;
        case.env = environment_from_seed::<I>(&resolved.context(), 5);
        case.env.lanes.truncate(8);
        let resolved = case.resolve::<I>().ok()?;
        (resolved.is_legal() && I::has_fallback(&resolved.context())).then_some((item.name, resolved))
    });
    ready.collect()
}

/// Returns the first lane whose outcome under `program` differs from the reference's.
fn differing<I: Legality + Refinement>(resolved: &Resolved<I>, program: &Program) -> Option<usize> {
    let expected = reference(&resolved.context(), &resolved.env);
    let run = evaluate(&resolved.entry, program, &resolved.env);
    compare(&resolved.entry, &expected, &run).err().map(|difference| difference.lane)
}

fn check_lowering_faults<I: Generate>() {
    let mut marked = 0;
    for (name, resolved) in programs::<I>() {
        let listing = Listing::new(&resolved.context());
        let Ok(sound) = lowered(&resolved) else { continue };
        for word in 0..I::instruction_count(&resolved.context()).min(12) {
            let mut wrong = sound.clone();
            if !plant_in_word(&mut wrong, word, 0) {
                continue;
            }
            let Some(lane) = differing(&resolved, &wrong) else { continue };
            let place = format!("{name}, instruction {word}, lane {lane}");
            let guilty = stepped(&resolved, &wrong, lane).unwrap_or_else(|| panic!("{place}: nothing found"));
            assert_eq!(guilty.word, word, "{place}: {guilty:?}");
            assert!(!guilty.writes.is_empty(), "{place}: {guilty:?}");
            // The marked line must contain the name of the instruction.
            let shown = exhibit(listing.clone(), Some(guilty.clone()), None);
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            let name = guilty.text.split(|c| !is_part(c)).find(|part| !part.is_empty()).expect("a name");
            let first = shown.marked.first().map(|line| shown.listing[*line].as_str()).unwrap_or_default();
            assert!(first.contains(name), "{place}: {guilty:?} in '{first}'");
            marked += 1;
        }
    }
    println!("{}: {marked} planted faults marked", I::ID);
    assert!(marked > 40, "{}: only {marked} faults changed a result", I::ID);
}

#[test]
fn a_fault_in_a_lowering_marks_its_instruction_in_every_set() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => check_lowering_faults::<I>());
    }
}

/// Plants faults that divert control flow: the branch must be marked, not the instructions that run after it.
fn check_branch_faults<I: Generate>() {
    let (mut marked, mut opcodes) = (0, BTreeSet::new());
    for (name, resolved) in programs::<I>() {
        let Ok(sound) = lowered(&resolved) else { continue };
        for word in 0..I::instruction_count(&resolved.context()).min(40) {
            let mut wrong = sound.clone();
            if !plant_in_branch(&mut wrong, word) {
                continue;
            }
            let Some(lane) = differing(&resolved, &wrong) else { continue };
            let place = format!("{name}, instruction {word}, lane {lane}");
            let guilty = stepped(&resolved, &wrong, lane).unwrap_or_else(|| panic!("{place}: nothing found"));
            assert_eq!(guilty.word, word, "{place}: {guilty:?}");
            assert!(!guilty.writes.is_empty(), "{place}: {guilty:?}");
            opcodes.extend(guilty.opcodes);
            marked += 1;
        }
    }
    println!("{}: {marked} planted faults in branches marked, in {opcodes:?}", I::ID);
    assert!(marked >= 5, "{}: only {marked} faults changed a result, in {opcodes:?}", I::ID);
}

#[test]
fn a_fault_in_a_branch_marks_the_branch_in_every_set() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => check_branch_faults::<I>());
    }
}

fn check_kernel_faults<I: Generate>() {
    let mut marked = 0;
    for (name, resolved) in programs::<I>().into_iter().step_by(3) {
        let Ok(program) = lowered(&resolved) else { continue };
        // Additions whose sum is rounded to f24 or flushed have kernels of their own.
        let kernels = [Kernel::Add, Kernel::AddF24, Kernel::AddFlush];
        let faults = kernels.map(|kernel| Fault { target: Target::Kernel(kernel), bit: 20 });
        let faulty = |one: &Isolated| {
            let mut executor = Executor::new(Tier::best_interpreted());
            let mut run = |fault| executor.run_with_fault(&one.entry, &one.program, &one.env, fault);
            let struck = faults.into_iter().map(&mut run).find(|(_, struck)| *struck > 0);
            vec![("it".to_owned(), struck.unwrap_or_else(|| run(faults[0])).0)]
        };
        let Some((guilty, who)) = executed(&resolved, &program, 0, &faulty) else { continue };
        assert_eq!(who, "it");
        // The marked instruction contains an addition.
        let blocks = (0..program.blocks.len() as u32).map(lockstep_core::ir::BlockId);
        let adds = blocks
            .filter(|block| fallback_word(&program, *block) == Some(guilty.word))
            .any(|block| program.block(block).iter().any(|inst| matches!(inst.op, Op::Add | Op::Sub)));
        assert!(adds, "{name}: {guilty:?}");
        assert!(!guilty.reads.is_empty() && !guilty.writes.is_empty(), "{name}: {guilty:?}");
        // With a correct executor no instruction may be blamed.
        assert_eq!(executed(&resolved, &program, 0, &|one| contenders(one, false)), None, "{name}");
        assert_eq!(executed(&resolved, &program, 0, &|one| contenders(one, true)), None, "{name}");
        marked += 1;
    }
    println!("{}: {marked} faults of a kernel marked", I::ID);
    assert!(marked >= 3, "{}: only {marked}", I::ID);
}

#[test]
fn a_fault_in_a_kernel_marks_an_instruction_that_uses_it_in_every_set() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => check_kernel_faults::<I>());
    }
}

fn check_listings<I: Generate>() {
    for (name, resolved) in programs::<I>() {
        let listing = Listing::new(&resolved.context());
        for word in 0..I::instruction_count(&resolved.context()) {
            let text = I::disassemble_word(&resolved.program, word);
            assert!(
                text.is_empty() || !listing.lines_of(word).is_empty(),
                "{name}, {word}: '{text}' has no line"
            );
        }
    }
}

#[test]
fn every_instruction_of_our_programs_has_its_lines() {
    for &isa in IsaId::ALL {
        with_isa!(isa, I => check_listings::<I>());
    }
}

fn agal(text: &str) -> Resolved<Agal> {
    let case = Case::bare(IsaId::Agal, &Agal::encode(&Agal::assemble(text).expect("text")));
    let mut resolved = case.resolve::<Agal>().expect("a program");
    resolved.env.constants = vec![[2.0; 4], [3.0, 4.0, 5.0, 6.0]];
    let input = lockstep_core::host::LaneInput { slots: vec![[0.5, -1.5, 2.5, 7.0]] };
    resolved.env.lanes = vec![input];
    resolved
}

#[test]
fn operands_are_those_that_the_manual_names() {
    let resolved = agal("version 1 vertex\nmul vt0, va0, vc0\nadd vt1.xy, vt0.yx, vc1.z\nmov op, vt1.xyyy\n");
    let program = lowered(&resolved).expect("legal");
    let names = |step: usize| {
        let reads = operands_at(&resolved, &program, 0, step, &[]);
        let shown = |read: &Operand| format!("{} {}", read.name, read.value.decimal);
        assert!(reads.iter().all(|read| read.by.is_none()), "{reads:?}");
        reads.iter().map(shown).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()
    };
    let inputs = ["va0.w 7.0", "va0.x 0.5", "va0.y -1.5", "va0.z 2.5"];
    let constants = ["vc0.w 2.0", "vc0.x 2.0", "vc0.y 2.0", "vc0.z 2.0"];
    assert_eq!(names(0), [inputs, constants].concat());
    assert_eq!(names(1), ["vc1.z 5.0", "vt0.x 1.0", "vt0.y -3.0"]);
    assert_eq!(names(2), ["vt1.x 2.0", "vt1.y 6.0"]);
}

#[test]
fn registers_read_by_one_engine_only_are_marked() {
    let resolved = agal("version 1 vertex\nadd vt0, va0.x, vc0.x\nmov op, vt0\n");
    let other = agal("version 1 vertex\nadd vt0, va0.y, vc0.x\nmov op, vt0\n");
    let wrong = lowered(&other).expect("legal");
    let guilty = stepped(&resolved, &wrong, 0).expect("they differ");
    assert_eq!((guilty.word, guilty.opcodes.as_slice()), (0, ["add".to_owned()].as_slice()));
    let by: Vec<(&str, Option<&str>)> =
        guilty.reads.iter().map(|read| (read.name.as_str(), read.by.as_deref())).collect();
    let (left, right) = ("read by the reference only", "read by the lowered program only");
    assert_eq!(by, [("va0.x", Some(left)), ("va0.y", Some(right)), ("vc0.x", None)]);
    let text = exhibit(Listing::new(&resolved.context()), Some(guilty), None).text();
    assert!(text.contains("    > add vt0, va0.x, vc0.x\n      mov op, vt0\n"), "{text}");
    let row = text.lines().find(|line| line.contains("lowered program only")).expect("a row");
    assert!(row.contains("va0.y") && row.contains("-1.5") && row.contains("0xbfc00000"), "{text}");
}

#[test]
fn if_the_engines_agree_the_last_instruction_to_write_the_component_is_marked() {
    let resolved = agal(
        "version 1 vertex\nmov vt0, va0\nmov op.xy, vc0\nmov op.zw, vt0\nmul vt1, vt0, vt0\nmov op.y, vt1\n",
    );
    let program = lowered(&resolved).expect("legal");
    let word = |component: &str| last_writer(&resolved, &program, 0, component).map(|guilty| guilty.word);
    assert_eq!([word("op.x"), word("op.y"), word("op.w"), word("v0.x")], [Some(1), Some(4), Some(2), None]);
}

#[test]
fn short_listings_are_shown_whole_and_long_ones_as_a_window() {
    let exhibit = |count: usize, marked: &[usize]| Exhibit {
        listing: (0..count).map(|n| format!("line {n}")).collect(),
        marked: marked.to_vec(),
        ..Exhibit::default()
    };
    let lines = |exhibit: &Exhibit| exhibit.text().lines().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(&exhibit(3, &[1])), ["  program", "      line 0", "    > line 1", "      line 2"]);
    let long = lines(&exhibit(100, &[50, 51]));
    assert_eq!((long[1].as_str(), long[2].as_str()), ("      (44 more lines)", "      line 44"));
    assert_eq!(long[8..10], ["    > line 50", "    > line 51"]);
    assert_eq!(long[15..], ["      line 57", "      (42 more lines)"]);
    let unmarked = lines(&exhibit(100, &[]));
    assert_eq!((unmarked.len(), unmarked[31].as_str()), (32, "      (70 more lines)"));
}

#[test]
fn lines_are_folded_at_the_edge_of_the_page() {
    let long = "word ".repeat(40);
    for text in [wrapped("  head       ", &long), wrap_line("    > ", &format!("  {long}"))] {
        assert!(text.lines().count() > 2 && text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert_eq!(text.split_whitespace().filter(|word| *word == "word").count(), 40);
    }
    assert_eq!(wrap_line("    > ", "mov a, b"), "    > mov a, b\n");
    assert_eq!(wrapped("  a  ", "b\nc"), "  a  b\n     c\n");
}
