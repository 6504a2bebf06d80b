//! The slots of a program's inputs, constants, outputs and samplers, with their names.

use crate::case::Resolved;
use lockstep_core::isa::component::LETTERS;
use lockstep_core::isa::{Context, InputFile, Legality, Level, Port, Syntax};
use std::fmt::Write;

/// The number of input slots examined, which exceeds that of every instruction set.
const INPUTS: u16 = 128;
/// The maximum number of slots that a message lists.
const MAX_SHOWN: usize = 40;

/// A slot of a register file.
pub(super) struct Slot {
    /// The number of the slot in its register file.
    pub(super) number: u16,
    /// The name of the register in assembly syntax.
    register: String,
    /// The names that the program defines for the slot.
    labels: Vec<String>,
    /// The components that the program reads or writes, one bit each; all four for constants and samplers, 0 for a register that is read only if a
    /// value is given.
    mask: u8,
}

impl Slot {
    fn has_name(&self, name: &str) -> bool {
        self.register == name || self.labels.iter().any(|label| label == name)
    }

    fn description(&self) -> String {
        let names = [&[self.register.clone()][..], &self.labels].concat();
        format!("{} = {}", self.number, names.join(" = "))
    }
}

/// The slots of one register file of a program.
pub(super) struct Slots {
    kind: &'static str,
    all: Vec<Slot>,
}

impl Slots {
    /// Returns the slot with this number or name.
    ///
    /// # Errors
    /// If the program has no slot with this number or name. The error lists the existing ones, up to [`MAX_SHOWN`].
    pub(super) fn find(&self, name: &str) -> Result<u16, String> {
        let number = name.parse::<u16>().ok();
        let slot = self.all.iter().find(|slot| number == Some(slot.number) || slot.has_name(name));
        slot.map(|slot| slot.number).ok_or_else(|| {
            let kind = self.kind;
            if self.all.is_empty() {
                return format!("names {kind} '{name}', and the program takes no {kind}s");
            }
            let known: Vec<String> = self.all.iter().take(MAX_SHOWN).map(Slot::description).collect();
            let more = self.all.len().saturating_sub(MAX_SHOWN);
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            format!(
                "names {kind} '{name}', which the program does not take; its {kind}s are {}{more}",
                known.join(", ")
            )
        })
    }
}

/// Returns the input slots: those that the entry lists, and registers that may be added without breaking a further rule at error level.
fn inputs<I: Syntax + Legality>(resolved: &Resolved<I>) -> Slots {
    let (entry, options, program) = (&resolved.entry, &resolved.options, &resolved.program);
    let errors = |ports: Vec<Port>| {
        let mut entry = entry.clone();
        entry.interface.inputs = ports;
        let found = I::validate(&Context { program, entry: &entry, options });
        found.iter().filter(|violation| violation.level == Level::Error).count()
    };
    let listed = &entry.interface.inputs;
    let before = errors(listed.clone());
    let all = (0..INPUTS).filter_map(|number| {
        let mask = match listed.binary_search_by_key(&number, |port| port.slot) {
            Ok(at) => listed.get(at).map_or(0, |port| port.mask),
            Err(at) => {
                let mut ports = listed.clone();
                ports.insert(at, Port { slot: number, mask: 0xf });
                if errors(ports) > before {
                    return None;
                }
                0
            }
        };
        Some(Slot { number, register: I::input_name(entry, number), labels: Vec::new(), mask })
    });
    Slots { kind: "input", all: all.collect() }
}

/// Returns the slots of a register file.
pub(super) fn slots_of_file<I: Syntax + Legality>(resolved: &Resolved<I>, file: InputFile) -> Slots {
    let entry = &resolved.entry;
    let counted = |kind, count: u16, name: &dyn Fn(u16) -> String| {
        let slot = |number| Slot { number, register: name(number), labels: Vec::new(), mask: 0xf };
        Slots { kind, all: (0..count).map(slot).collect() }
    };
    let mut slots = match file {
        InputFile::Input => inputs(resolved),
        InputFile::Constant => {
            counted("constant", entry.interface.constants, &|n| I::constant_name(entry, i32::from(n)))
        }
        InputFile::Int => counted("integer constant", entry.interface.ints, &|n| format!("i{n}")),
        InputFile::Bool => counted("Boolean constant", entry.interface.bools, &|n| format!("b{n}")),
    };
    for label in I::labels(&resolved.program, entry).into_iter().filter(|label| label.file == file) {
        for slot in &mut slots.all {
            let Some(at) = slot.number.checked_sub(label.first).filter(|at| *at < label.count) else {
                continue;
            };
            if at == 0 {
                slot.labels.push(label.name.clone());
            }
            if label.count > 1 {
                slot.labels.push(format!("{}[{at}]", label.name));
            }
        }
    }
    slots
}

/// Returns a table of all inputs, constants, outputs and samplers.
pub(super) fn table<I: Syntax + Legality>(resolved: &Resolved<I>) -> String {
    let mut text = String::from("what              slot  register    components  names\n");
    let mut row = |kind: &str, slot: &Slot| {
        let letters: String = (0..4usize).filter(|c| slot.mask >> c & 1 != 0).map(|c| LETTERS[c]).collect();
        let letters = if letters.is_empty() { "if given".to_owned() } else { letters };
        let (number, register) = (slot.number, &slot.register);
        let line = format!("{kind:<17} {number:>4}  {register:<11} {letters:<11} {}", slot.labels.join(", "));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", line.trim_end());
    };
    for file in [InputFile::Input, InputFile::Constant, InputFile::Int, InputFile::Bool] {
        let slots = slots_of_file(resolved, file);
        slots.all.iter().for_each(|slot| row(slots.kind, slot));
    }
    let interface = &resolved.entry.interface;
    for port in &interface.outputs {
        let register = I::output_name(&resolved.entry, port.slot);
        row("output", &Slot { number: port.slot, register, labels: Vec::new(), mask: port.mask });
    }
    for unit in &interface.samplers {
        let (number, register) = (u16::from(*unit), format!("texture {unit}"));
        row("sampler", &Slot { number, register, labels: Vec::new(), mask: 0xf });
    }
    text
}
