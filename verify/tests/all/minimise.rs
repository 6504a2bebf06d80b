//! Minimising gives small results: for opcodes of every instruction set, a longer program in which a fault of the opcode would change a result is
//! reduced to a few lines.

use lockstep::case::Case;
use lockstep::coverage::live_instructions;
use lockstep::generate::{Entropy, Generate, ProgramRequest, case};
use lockstep::minimize::{Minimized, minimize};
use lockstep_core::isa::Level;
use lockstep_core::isa::a2xx::A2xx;
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::d3d9::D3d9;
use lockstep_core::isa::pica200::Pica200;
use lockstep_core::isa::utgard_gp::UtgardGp;

/// A minimised program has fewer lines of text than this.
const LINES: usize = 12;
/// The number of seeds tried to find a program with a live instruction of an opcode.
const SEEDS: u64 = 40;

/// Whether some instruction of this opcode affects a compared result. A fault of the opcode would then be detected.
fn shows<I: Generate>(case: &Case, opcode: &str) -> bool {
    let Ok(resolved) = case.resolve::<I>() else { return false };
    let has =
        |word: &u32| I::facets().points(&resolved.program, *word).iter().any(|class| class.opcode == opcode);
    let words = 0..I::instruction_count(&resolved.context());
    words.clone().any(|word| has(&word)) && live_instructions::<I>(case).iter().any(has)
}

/// Returns the number of remaining lines, the opcode and the minimised program for every fourth opcode, or for all opcodes if the environment
/// variable `LOCKSTEP_ALL_OPCODES` is set. Also returns the opcodes for which no program was found.
fn lines_left<I: Generate>() -> (Vec<(usize, &'static str, String)>, Vec<&'static str>) {
    let (mut left, mut none) = (Vec::new(), Vec::new());
    let step = if std::env::var_os("LOCKSTEP_ALL_OPCODES").is_some() { 1 } else { 4 };
    for row in I::opcodes().iter().step_by(step) {
        let request =
            ProgramRequest { opcode: Some(row.mnemonic), size: Some(20), ..ProgramRequest::default() };
        let long = (0..SEEDS)
            .map(|seed| case::<I>(&mut Entropy::seeded(seed), &request))
            .find(|case| shows::<I>(case, row.mnemonic));
        let Some(long) = long else {
            none.push(row.mnemonic);
            continue;
        };
        let Minimized::Done { case, .. } = minimize(&long, &mut |case| shows::<I>(case, row.mnemonic)) else {
            panic!("{} is not live in the program chosen for it", row.mnemonic)
        };
        assert!(shows::<I>(&case, row.mnemonic));
        let resolved = case.resolve::<I>().unwrap();
        assert!(I::validate(&resolved.context()).iter().all(|v| v.level < Level::Error));
        let text = I::disassemble(&resolved.program);
        left.push((text.lines().filter(|line| !line.trim().is_empty()).count(), row.mnemonic, text));
    }
    (left, none)
}

fn minimises<I: Generate>(uncovered: &[&str]) {
    let (mut left, none) = lines_left::<I>();
    left.sort();
    let lines: usize = left.iter().map(|(lines, ..)| lines).sum();
    let (most, opcode, _) = left.last().unwrap();
    println!(
        "{}: {} opcodes, {:.1} lines each, at most {most} ({opcode}); not live: {none:?}",
        I::ID,
        left.len(),
        lines as f64 / left.len() as f64,
    );
    let over = left.iter().filter(|(lines, ..)| *lines >= LINES);
    let over: Vec<String> =
        over.map(|(lines, opcode, text)| format!("{opcode}: {lines} lines left\n{text}")).collect();
    assert!(over.is_empty(), "{}: {}", I::ID, over.join("\n"));
    assert!(none.iter().all(|opcode| uncovered.contains(opcode)), "{}: {none:?}", I::ID);
}

#[test]
fn agal_programs_minimise_to_a_few_lines() {
    minimises::<Agal>(&[]);
}

#[test]
fn d3d9_programs_minimise_to_a_few_lines() {
    // Declarations, definitions, labels, phase and nop have no result that could be wrong.
    minimises::<D3d9>(&["nop", "label", "dcl", "defb", "defi", "def", "phase"]);
}

#[test]
fn pica200_programs_minimise_to_a_few_lines() {
    minimises::<Pica200>(&[]);
}

#[test]
fn a2xx_programs_minimise_to_a_few_lines() {
    minimises::<A2xx>(&[]);
}

#[test]
fn utgard_gp_programs_minimise_to_a_few_lines() {
    minimises::<UtgardGp>(&[]);
}
