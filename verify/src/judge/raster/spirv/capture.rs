//! Adds decorations to a module before it is run. The decorations state which outputs of a vertex shader are recorded, because SPIR-V has no names by
//! which OpenGL could select outputs; and they prevent the compiler from rewriting arithmetic.

use super::code::{capability, decoration, mode, op, put};
use super::module::{EntryPoint, Module, Slot, Variable};

/// Returns the module with all its arithmetic declared exact, so that its compiler does not rewrite sums and products.
pub(in crate::judge::raster) fn exact(module: &Module, entry: &EntryPoint) -> Module {
    let mut decorations = Vec::new();
    for one in module.instructions().filter(|one| op::ARITHMETIC.contains(&one.opcode)) {
        if let [_, result, ..] = one.operands {
            put(&mut decorations, op::DECORATE, &[*result, decoration::NO_CONTRACTION]);
        }
    }
    module.with(entry, &[], &[], &decorations)
}

/// Returns the module with decorations that record these outputs consecutively. Each is given with its number of components.
///
/// # Errors
/// If the entry point lacks one of the outputs or has it with another number of components, or two outputs have the same slot.
pub(in crate::judge::raster) fn with_recorded_outputs(
    module: &Module,
    entry: &EntryPoint,
    outputs: &[(Slot, u8)],
) -> Result<Module, String> {
    let stride = outputs.iter().map(|(_, components)| 4 * u32::from(*components)).sum();
    let mut decorations = Vec::new();
    let mut offset = 0;
    for (at, (slot, components)) in outputs.iter().enumerate() {
        if outputs[..at].iter().any(|(before, _)| before == slot) {
            return Err(format!("two registers are at {}", shown(*slot)));
        }
        let output = find_output(module, entry, *slot, *components)?;
        for extra in [
            &[decoration::FEEDBACK_BUFFER, 0][..],
            &[decoration::FEEDBACK_STRIDE, stride],
            &[decoration::OFFSET, offset],
        ] {
            decorate(&mut decorations, output, extra);
        }
        offset += 4 * u32::from(*components);
    }
    let mut capabilities = Vec::new();
    put(&mut capabilities, op::CAPABILITY, &[capability::TRANSFORM_FEEDBACK]);
    Ok(module.with(entry, &capabilities, &[mode::FEEDBACK], &decorations))
}

/// Returns the output at a slot.
///
/// # Errors
/// If the entry point has no output at the slot, or the output has a different number of components.
fn find_output(module: &Module, entry: &EntryPoint, slot: Slot, components: u8) -> Result<Variable, String> {
    let variable = module.variable(entry, true, slot);
    let variable = variable.ok_or_else(|| format!("'{}' has no output at {}", entry.name, shown(slot)))?;
    check_components(variable, "output", slot, components)?;
    Ok(variable)
}

/// Returns the location and the number of components of a fragment shader's input, as the vertex shader has to provide it.
///
/// # Errors
/// If the slot is the position, or the shader's input at the slot is not a float vector of this size. A shader without such an input is no error,
/// since it does not read the value.
pub(in crate::judge::raster) fn read_input(
    module: &Module,
    entry: &EntryPoint,
    slot: Slot,
    components: u8,
) -> Result<(u32, u8), String> {
    let Slot::Location(location) = slot else {
        return Err("the position is not an input of a program".to_owned());
    };
    if let Some(variable) = module.variable(entry, false, slot) {
        check_components(variable, "input", slot, components)?;
    }
    Ok((location, components))
}

fn check_components(variable: Variable, direction: &str, slot: Slot, components: u8) -> Result<(), String> {
    let message = match variable.components {
        Some(count) if count == u32::from(components) => return Ok(()),
        Some(count) => format!("has {count} components, and not {components}"),
        None => "is not a vector of floats".to_owned(),
    };
    Err(format!("word {}: the {direction} at {} {message}", variable.at, shown(slot)))
}

fn shown(slot: Slot) -> String {
    match slot {
        Slot::Location(number) => format!("location {number}"),
        Slot::Position => "the position".to_owned(),
    }
}

fn decorate(to: &mut Vec<u32>, variable: Variable, extra: &[u32]) {
    let target = &[variable.target][..];
    match variable.member {
        Some(member) => put(to, op::MEMBER_DECORATE, &[target, &[member], extra].concat()),
        None => put(to, op::DECORATE, &[target, extra].concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::raster::spirv::module::Instruction;
    use crate::judge::raster::spirv::{Stage, term_shader};
    use crate::judge::raster::term::{Infix, Term};

    fn computed(stage: Stage) -> (Module, EntryPoint) {
        let module = Module::read(term_shader(stage, &Term::Operand(0))).unwrap();
        let entry = module.entry_point(stage).unwrap();
        (module, entry)
    }

    #[test]
    fn outputs_are_recorded_one_after_the_other() {
        let (module, entry) = computed(Stage::Vertex);
        let made =
            with_recorded_outputs(&module, &entry, &[(Slot::Position, 4), (Slot::Location(0), 4)]).unwrap();
        // The module now has a capability that a subject's module may not have.
        assert!(Module::read(made.words().to_vec()).unwrap_err().contains("transform feedback"));
        let of = |number: u32| -> Vec<u32> {
            let is_it = |operands: &[u32]| operands.get(1) == Some(&number);
            let all = made.instructions().filter(|one| one.opcode == op::DECORATE && is_it(one.operands));
            all.filter_map(|one| one.operands.get(2).copied()).collect()
        };
        assert_eq!(of(decoration::OFFSET), [0, 16]);
        assert_eq!(of(decoration::FEEDBACK_STRIDE), [32, 32]);
    }

    #[test]
    fn all_arithmetic_is_declared_exact() {
        const PRODUCT: Term = Term::Infix(Infix::Multiply, &Term::Operand(0), &Term::Operand(1));
        let module =
            Module::read(term_shader(Stage::Fragment, &Term::Infix(Infix::Add, &PRODUCT, &PRODUCT))).unwrap();
        let entry = module.entry_point(Stage::Fragment).unwrap();
        let results = |module: &Module, wanted: fn(&Instruction<'_>) -> Option<u32>| -> Vec<u32> {
            module.instructions().filter_map(|one| wanted(&one)).collect()
        };
        let made = exact(&module, &entry);
        let computed = results(&made, |one| match (one.opcode, one.operands) {
            (op::ADD | op::MULTIPLY, [_, result, ..]) => Some(*result),
            _ => None,
        });
        let decorated = results(&made, |one| match (one.opcode, one.operands) {
            (op::DECORATE, [result, decoration::NO_CONTRACTION]) => Some(*result),
            _ => None,
        });
        assert_eq!((computed.len(), &computed), (3, &decorated));
        // The decorations precede the types, as the layout of a module requires.
        assert_eq!(made.words().len(), module.words().len() + 3 * 3);
        assert!(
            made.instructions()
                .skip_while(|one| !op::DECLARATIONS.contains(&one.opcode))
                .all(|one| one.opcode != op::DECORATE)
        );
    }

    #[test]
    fn outputs_that_a_module_lacks_are_rejected() {
        let (module, entry) = computed(Stage::Vertex);
        let message =
            |outputs: &[(Slot, u8)]| with_recorded_outputs(&module, &entry, outputs).map(|_| ()).unwrap_err();
        assert_eq!(message(&[(Slot::Location(1), 4)]), "'main' has no output at location 1");
        let fewer = message(&[(Slot::Location(0), 3)]);
        assert!(fewer.starts_with("word ") && fewer.ends_with("has 4 components, and not 3"), "{fewer}");
        assert!(message(&[(Slot::Position, 4), (Slot::Position, 4)]).contains("two registers"));
        let (module, entry) = computed(Stage::Fragment);
        let read = |location, components| read_input(&module, &entry, Slot::Location(location), components);
        assert_eq!((read(2, 4), read(3, 1)), (Ok((2, 4)), Ok((3, 1))));
        assert!(read(2, 1).unwrap_err().contains("the input at location 2 has 4 components"));
    }
}
