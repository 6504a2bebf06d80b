//! Prints compiled code as text, next to the IR and the shader's instructions.

use super::output::Ink;
use super::{Failure, Output};
use lockstep_core::exec::{CodePart, Compiled, Level, Plan, Planner};
use lockstep_core::ir::{BlockId, Program, print_instruction};
use lockstep_core::isa::lowering::lower_with_origins;
use lockstep_core::isa::{Context, Lowering, Syntax};
use lockstep_core::text::count;
use lockstep_validate::{Validator, listing};
use std::collections::BTreeMap;
use std::io::Write;

/// Prints the machine code of a lowered program for a level, and returns whether the validator accepts it.
///
/// Below each shader instruction, the IR instructions that it was lowered to are printed, each followed by its machine code. If a part of the
/// code contains several functions, the one for all lanes of a large block is printed.
///
/// # Errors
/// If no code can be generated for the level.
pub(super) fn print<I: Syntax + Lowering>(
    cx: &Context<'_, I>,
    label: &str,
    program: &Program,
    level: Level,
    out: &mut Output,
) -> Result<bool, Failure> {
    let mut plan = Plan::default();
    Planner::default().plan(program, &mut plan);
    let compiled = Compiled::new(&plan, level).map_err(|error| Failure::Usage(error.to_string()))?;
    let head = format!("machine code, {label}: {}", count(compiled.code_bytes(), "byte"));
    writeln!(out, "{}", out.paint(Ink::Head, &head))?;
    let (is_valid, ink, verdict) = verdict(&plan, &compiled);
    writeln!(out, "{}", out.paint(ink, &verdict))?;
    if !plan.prologue().is_empty() {
        let shared = count(plan.prologue().len(), "instruction");
        writeln!(out, "{shared} on numbers that all lanes share: run once, by the interpreter")?;
    }
    let origins = origins(cx, program);
    for (number, parts) in (0u32..).zip(&compiled.layout().blocks) {
        writeln!(out, "{}", out.paint(Ink::Faint, &format!("block {number}")))?;
        let block = &program.blocks[number as usize];
        let mut code = code_of(&plan, &compiled, parts, block.insts.start);
        let mut shown = None;
        for (at, inst) in block.insts.clone().zip(program.block(BlockId(number))) {
            let word = origins.range(..=at).next_back().map_or(block.origin, |(_, word)| *word);
            if shown.replace(word) != Some(word) {
                let text = I::disassemble_word(cx.program, word);
                writeln!(out, "{}", out.paint(Ink::Head, &format!("{word:>4}: {}", text.trim())))?;
            }
            writeln!(out, "    {}", print_instruction(program, inst))?;
            for line in code.remove(&at).into_iter().flatten() {
                writeln!(out, "      {line}")?;
            }
        }
    }
    Ok(is_valid)
}

/// Returns whether the validator accepts the code, and the verdict as text with its colour.
fn verdict(plan: &Plan, compiled: &Compiled) -> (bool, Ink, String) {
    match Validator::default().validate(plan, compiled) {
        Ok(all) => (true, Ink::Good, format!("valid: {}", count(all.instructions, "instruction"))),
        Err(invalid) => (false, Ink::Bad, format!("refused by the validator: {invalid}")),
    }
}

/// Maps each IR instruction that is the first one lowered from a shader instruction to the number of that shader instruction. Empty in the fallback,
/// where each block is one shader instruction.
fn origins<I: Lowering>(cx: &Context<'_, I>, program: &Program) -> BTreeMap<u32, u32> {
    match lower_with_origins(cx) {
        Ok((nodes, origins)) if nodes == *program => origins.into_iter().collect(),
        _ => BTreeMap::new(),
    }
}

/// Returns the code of a block as lines, by the IR instruction that it was compiled from. Code without an IR instruction is added to the preceding
/// one.
fn code_of(plan: &Plan, compiled: &Compiled, parts: &[CodePart], start: u32) -> BTreeMap<u32, Vec<String>> {
    let mut lines: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let mut at = start;
    for part in parts {
        match part {
            CodePart::Interpreted(insts) => {
                for inst in insts.clone() {
                    at = plan.source(inst as usize).unwrap_or(at);
                    let kernel = plan.code()[inst as usize].kernel;
                    lines.entry(at).or_default().push(format!("(the interpreter runs {kernel:?})"));
                }
            }
            CodePart::Code { insts, all: [large, small], some } => {
                at = plan.source(insts.start as usize).unwrap_or(at);
                let others = match some {
                    Some([some, few]) => format!("{some:#x} where only some run; {small:#x} and {few:#x}"),
                    None => format!("{small:#x}"),
                };
                let head = format!("function {large:#x}; {others} for blocks of 8 lanes");
                lines.entry(at).or_default().push(head);
                for line in listing(compiled.bytes(), *large as usize) {
                    let places = compiled.instruction_offsets();
                    let next = places.partition_point(|(offset, _)| *offset as usize <= line.offset);
                    let inst = next.checked_sub(1).and_then(|place| places[place].1);
                    at = inst.and_then(|inst| plan.source(inst as usize)).unwrap_or(at);
                    lines.entry(at).or_default().push(format!("{:04x}  {}", line.offset, line.text));
                }
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::lowering::Mode;
    use lockstep_core::isa::{Format, Options, Tables, lower};

    #[test]
    fn the_code_of_another_program_is_refused() {
        let plan = |text: &str| {
            let program = Agal::assemble(text).unwrap();
            let (entry, options) = (&Agal::entries(&program)[0], &Options::new(Agal::option_specs()));
            let lowered = lower(&Context::<Agal> { program: &program, entry, options }, Mode::Nodes).unwrap();
            let mut plan = Plan::default();
            Planner::default().plan(&lowered, &mut plan);
            plan
        };
        let [sum, product] = ["add", "mul"].map(|op| plan(&format!("version 1 vertex\n{op} op, va0, va1\n")));
        for level in Level::available().filter(|level| level.is_compiled()) {
            let code = Compiled::new(&sum, level).unwrap();
            assert!(verdict(&sum, &code).0, "{level:?}");
            assert!(!verdict(&product, &code).0, "{level:?}");
        }
    }
}
