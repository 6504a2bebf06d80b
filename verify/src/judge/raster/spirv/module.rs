//! Reads the parts of SPIR-V modules that are needed to run them: entry points, and the variables through which these exchange values.

use super::code::{builtin, capability, decoration, execution, op, put, storage};
use lockstep_core::isa;

/// The first word of every module.
pub(super) const MAGIC: u32 = 0x0723_0203;
/// The number of words before the first instruction.
pub(super) const HEADER: usize = 5;

/// A module that consists of whole instructions. Whether the instructions are valid is checked only by the driver's compiler.
#[derive(Clone, Debug)]
pub(in crate::judge::raster) struct Module {
    words: Vec<u32>,
}

/// An instruction and the number of its first word in the module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction<'a> {
    pub(super) at: usize,
    pub(super) opcode: u32,
    /// The words of the instruction after the first.
    pub(super) operands: &'a [u32],
}

/// A stage with an entry point of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::judge::raster) enum Stage {
    Vertex,
    Fragment,
}

impl Stage {
    /// Returns the stage of the graphics pipeline.
    pub(in crate::judge::raster) fn in_pipeline(self) -> isa::Stage {
        match self {
            Stage::Vertex => isa::Stage::Vertex,
            Stage::Fragment => isa::Stage::Fragment,
        }
    }

    /// Returns the stage's name in messages.
    pub(in crate::judge::raster) fn name(self) -> &'static str {
        self.in_pipeline().name()
    }
}

/// Identifies a variable through which a shader exchanges values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::judge::raster) enum Slot {
    /// A location.
    Location(u32),
    /// The position that a vertex shader writes.
    Position,
}

/// An entry point.
#[derive(Clone, Debug)]
pub(in crate::judge::raster) struct EntryPoint {
    pub(in crate::judge::raster) name: String,
    pub(super) function: u32,
    /// The ids of the variables in the entry point's interface.
    pub(super) interface: Vec<u32>,
}

/// A variable of an entry point's interface, or a member of one that is a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    /// The number of the word at which the variable is declared.
    pub(super) at: usize,
    /// The id of the variable; for a member, the id of the block's type.
    pub(super) target: u32,
    /// The number of the member in the block; `None` for a variable that is not a member.
    pub(super) member: Option<u32>,
    /// The number of components, if the variable is a float or a vector of floats.
    pub(super) components: Option<u32>,
}

impl Module {
    /// Reads the words of a module.
    ///
    /// # Errors
    /// A sentence about the malformed header, the first instruction that does not fit into the module, or else the first that uses push constants, a
    /// descriptor set other than 0 or transform feedback.
    pub(in crate::judge::raster) fn read(mut words: Vec<u32>) -> Result<Module, String> {
        if words.first().is_some_and(|first| first.swap_bytes() == MAGIC) {
            for word in &mut words {
                *word = word.swap_bytes();
            }
        }
        if words.first() != Some(&MAGIC) || words.len() < HEADER {
            return Err("word 0: the module does not begin with the header of SPIR-V".to_owned());
        }
        let mut at = HEADER;
        while let Some(word) = words.get(at) {
            let length = (word >> 16) as usize;
            if length == 0 || length > words.len() - at {
                return Err(format!(
                    "word {at}: an instruction of {length} words, where {} are left",
                    words.len() - at
                ));
            }
            at += length;
        }
        let module = Module { words };
        for one in module.instructions() {
            let refused = match (one.opcode, one.operands) {
                (op::VARIABLE, [_, _, storage::PUSH_CONSTANT, ..]) => {
                    "push constants, which OpenGL does not have"
                }
                (op::DECORATE, [_, decoration::DESCRIPTOR_SET, set]) if *set > 0 => {
                    "a descriptor set other than 0, which OpenGL does not have"
                }
                (op::CAPABILITY, [capability::TRANSFORM_FEEDBACK]) => {
                    "the capability TransformFeedback, which is reserved: transform feedback records the outputs"
                }
                _ => continue,
            };
            return Err(format!("word {}: {refused}", one.at));
        }
        Ok(module)
    }

    /// Returns a module of words that are known to be valid.
    pub(super) fn new(words: Vec<u32>) -> Module {
        Module { words }
    }

    pub(in crate::judge::raster) fn words(&self) -> &[u32] {
        &self.words
    }

    /// Iterates over the instructions.
    pub(super) fn instructions(&self) -> impl Iterator<Item = Instruction<'_>> {
        let mut at = HEADER;
        std::iter::from_fn(move || {
            let word = *self.words.get(at)?;
            let all = self.words.get(at..at + (word >> 16) as usize)?;
            let one = Instruction { at, opcode: word & 0xffff, operands: all.get(1..)? };
            at += all.len();
            Some(one)
        })
    }

    /// Whether an instruction computes a derivative.
    pub(in crate::judge::raster) fn has_derivatives(&self) -> bool {
        self.instructions().any(|one| op::DERIVATIVES.contains(&one.opcode))
    }

    /// Returns the first entry point of a stage.
    ///
    /// # Errors
    /// If the module has no entry point of this stage.
    pub(in crate::judge::raster) fn entry_point(&self, stage: Stage) -> Result<EntryPoint, String> {
        let model = match stage {
            Stage::Vertex => execution::VERTEX,
            Stage::Fragment => execution::FRAGMENT,
        };
        let point = |one: Instruction<'_>| match (one.opcode, one.operands) {
            (op::ENTRY_POINT, [its, function, rest @ ..]) if *its == model => {
                let (name, interface) = text(rest)?;
                Some(EntryPoint { name, function: *function, interface: interface.to_vec() })
            }
            _ => None,
        };
        let found = self.instructions().find_map(point);
        found.ok_or_else(|| {
            format!("word {HEADER}: the module has no entry point of the {} stage", stage.name())
        })
    }

    /// Returns the output of an entry point at this slot, or the input if `is_output` is false; `None` if there is none.
    pub(super) fn variable(&self, entry: &EntryPoint, is_output: bool, slot: Slot) -> Option<Variable> {
        let class = if is_output { storage::OUTPUT } else { storage::INPUT };
        let wanted: [u32; 2] = match slot {
            Slot::Location(number) => [decoration::LOCATION, number],
            Slot::Position => [decoration::BUILT_IN, builtin::POSITION],
        };
        for one in self.instructions() {
            let (target, member) = match (one.opcode, one.operands) {
                (op::DECORATE, [target, rest @ ..]) if rest == wanted => (*target, None),
                (op::MEMBER_DECORATE, [target, member, rest @ ..]) if rest == wanted => {
                    (*target, Some(*member))
                }
                _ => continue,
            };
            for variable in self.instructions().filter(|one| one.opcode == op::VARIABLE) {
                let [pointer, id, its, ..] = variable.operands else { continue };
                let Some(kind) = self.pointee(*pointer) else { continue };
                let is_it = if member.is_some() { kind == target } else { *id == target };
                if *its == class && is_it && entry.interface.contains(id) {
                    let own = member.map_or(Some(kind), |member| self.member(kind, member));
                    let components = own.and_then(|kind| self.components(kind));
                    return Some(Variable { at: variable.at, target, member, components });
                }
            }
        }
        None
    }

    /// Returns the operands of the instruction with this opcode whose first operand is `id`, the id that it declares.
    fn definition(&self, id: u32, opcode: u32) -> Option<&[u32]> {
        let is_it = |one: &Instruction<'_>| one.opcode == opcode && one.operands.first() == Some(&id);
        self.instructions()
            .find(is_it)
            .and_then(|one| self.words.get(one.at + 1..one.at + 1 + one.operands.len()))
    }

    /// Returns the type that a pointer type points to.
    fn pointee(&self, pointer: u32) -> Option<u32> {
        self.definition(pointer, op::TYPE_POINTER)?.get(2).copied()
    }

    /// Returns the type of a structure's member.
    fn member(&self, kind: u32, member: u32) -> Option<u32> {
        self.definition(kind, op::TYPE_STRUCT)?.get(1 + member as usize).copied()
    }

    fn components(&self, kind: u32) -> Option<u32> {
        match self.definition(kind, op::TYPE_VECTOR) {
            Some([_, component, count]) => self.definition(*component, op::TYPE_FLOAT).map(|_| *count),
            _ => self.definition(kind, op::TYPE_FLOAT).map(|_| 1),
        }
    }

    /// Returns the module with capabilities, execution modes of the entry point, and decorations added. Capabilities and decorations are given as
    /// whole instructions, modes as numbers.
    pub(super) fn with(
        &self,
        entry: &EntryPoint,
        capabilities: &[u32],
        modes: &[u32],
        decorations: &[u32],
    ) -> Module {
        let is_entry = |one: &Instruction<'_>| one.opcode == op::ENTRY_POINT;
        let is_type = |one: &Instruction<'_>| op::DECLARATIONS.contains(&one.opcode);
        let end = self.words.len();
        let after_entries = self.instructions().filter(is_entry).last();
        let after_entries = after_entries.map_or(end, |one| one.at + 1 + one.operands.len());
        let before_types = self.instructions().find(is_type).map_or(end, |one| one.at).max(after_entries);
        let mut words = Vec::with_capacity(end + capabilities.len() + modes.len() + decorations.len());
        words.extend_from_slice(&self.words[..HEADER]);
        words.extend_from_slice(capabilities);
        words.extend_from_slice(&self.words[HEADER..after_entries]);
        for mode in modes {
            put(&mut words, op::EXECUTION_MODE, &[entry.function, *mode]);
        }
        words.extend_from_slice(&self.words[after_entries..before_types]);
        words.extend_from_slice(decorations);
        words.extend_from_slice(&self.words[before_types..]);
        Module { words }
    }
}

/// Returns a string and the words after it; `None` if the string is not terminated.
fn text(words: &[u32]) -> Option<(String, &[u32])> {
    let end = words.iter().position(|word| word.to_le_bytes().contains(&0))?;
    let bytes: Vec<u8> =
        words[..=end].iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0).collect();
    Some((String::from_utf8_lossy(&bytes).into_owned(), &words[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: [u32; HEADER] = [MAGIC, 0x0001_0000, 0, 9, 0];

    /// Returns a module of these instructions.
    fn module(instructions: &[(u32, &[u32])]) -> Vec<u32> {
        let mut words = START.to_vec();
        for (opcode, operands) in instructions {
            put(&mut words, *opcode, operands);
        }
        words
    }

    fn message(words: Vec<u32>) -> String {
        Module::read(words).map(|_| ()).unwrap_err()
    }

    const SHADER: (u32, &[u32]) = (op::CAPABILITY, &[capability::SHADER]);

    #[test]
    fn malformed_and_unsupported_modules_are_rejected_with_the_word_number() {
        assert_eq!(Module::read(START.to_vec()).unwrap().words(), START);
        // A module in the other byte order is read, too.
        assert_eq!(Module::read(START.map(u32::swap_bytes).to_vec()).unwrap().words(), START);
        assert!(message(START[..4].to_vec()).starts_with("word 0: "));
        let mut cut = module(&[SHADER, (op::STORE, &[1, 2])]);
        cut.truncate(8);
        assert_eq!(message(cut), "word 7: an instruction of 3 words, where 1 are left");
        assert!(message([&START[..], &[0]].concat()).contains("of 0 words"));
        let pushed = module(&[SHADER, (op::VARIABLE, &[1, 2, storage::PUSH_CONSTANT])]);
        assert!(message(pushed).starts_with("word 7: push constants"));
        let set = |number| module(&[(op::DECORATE, &[1, decoration::DESCRIPTOR_SET, number])]);
        assert!(Module::read(set(0)).is_ok() && message(set(1)).contains("a descriptor set other than 0"));
        let recorded = module(&[(op::CAPABILITY, &[capability::TRANSFORM_FEEDBACK])]);
        assert!(message(recorded).contains("the capability TransformFeedback, which is reserved"));
    }

    #[test]
    fn an_entry_point_is_found_by_its_stage() {
        let name = [u32::from_le_bytes(*b"main"), 0];
        let words = module(&[
            (op::ENTRY_POINT, &[execution::FRAGMENT, 7, name[0], name[1], 3]),
            (op::ENTRY_POINT, &[execution::VERTEX, 8, name[0], name[1]]),
        ]);
        let module = Module::read(words).unwrap();
        let fragment = module.entry_point(Stage::Fragment).unwrap();
        assert_eq!((fragment.name.as_str(), fragment.function, fragment.interface), ("main", 7, vec![3]));
        assert_eq!(module.entry_point(Stage::Vertex).unwrap().function, 8);
        let none = Module::read(START.to_vec()).unwrap().entry_point(Stage::Vertex).unwrap_err();
        assert!(none.contains("no entry point of the vertex stage"), "{none}");
    }
}
