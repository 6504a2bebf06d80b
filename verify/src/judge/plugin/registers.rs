//! The registers that a run exchanges, as the header `lockstep.h` declares them.

use super::abi::Register;
use super::request::Names;
use crate::judge::ours::described;
use crate::judge::subject::RunData;
use lockstep_core::isa::registers::registers;
use lockstep_core::with_isa;

/// Initial registers with their values, and the final registers that are requested.
pub(super) struct ExchangedRegisters {
    _names: [Names; 2],
    pub(super) initial: Vec<Register>,
    /// The values of the initial registers, lane by lane.
    pub(super) values: Vec<[u32; 4]>,
    pub(super) finals: Vec<Register>,
    /// The names of the final registers.
    pub(super) final_names: Vec<String>,
    /// The names of the initial registers.
    pub(super) initial_names: Vec<String>,
}

impl ExchangedRegisters {
    /// Returns the registers of a question that is run on this many lanes.
    pub(super) fn new(run: &RunData, lanes: usize) -> ExchangedRegisters {
        let entry = run.program.entry.as_ref().map(described);
        let known: Vec<(u16, String)> = entry.map_or_else(Vec::new, |entry| {
            with_isa!(run.program.isa, I => {
                registers::<I>(&entry).map(|(slot, register)| (slot, register.name)).collect()
            })
        });
        let components = |name: &String| {
            let given = run.initial.iter().filter_map(|lane| lane.get(name));
            given
                .flat_map(|bits| bits.iter().enumerate())
                .fold(0u32, |mask, (c, bits)| mask | u32::from(bits.is_some()) << c)
        };
        let letters = |name: &String| {
            let asked = run.finals.get(name).map_or("", String::as_str);
            "xyzw"
                .chars()
                .enumerate()
                .filter(|(_, letter)| asked.contains(*letter))
                .map(|(c, _)| 1 << c)
                .sum::<u32>()
        };
        let list = |mask: &dyn Fn(&String) -> u32| -> (Vec<(u16, u32)>, Vec<String>) {
            let all = known.iter().map(|(slot, name)| ((*slot, mask(name)), name.clone()));
            all.filter(|((_, mask), _)| *mask != 0).unzip()
        };
        let ((initial, initial_names), (finals, final_names)) = (list(&components), list(&letters));
        let names = [Names::new(&initial_names), Names::new(&final_names)];
        let raw = |ports: &[(u16, u32)], names: &Names| -> Vec<Register> {
            let ports = ports.iter().zip(&names.at);
            ports
                .map(|((slot, mask), &name)| Register { slot: u32::from(*slot), mask: *mask, name })
                .collect()
        };
        let (initial, finals) = (raw(&initial, &names[0]), raw(&finals, &names[1]));
        let value = |lane: usize, name: &String| {
            let bits = run.initial.get(lane).and_then(|lane| lane.get(name)).copied().unwrap_or_default();
            bits.map(|bits| bits.unwrap_or_default().0)
        };
        let values =
            (0..lanes).flat_map(|lane| initial_names.iter().map(move |name| value(lane, name))).collect();
        ExchangedRegisters { _names: names, initial, values, finals, final_names, initial_names }
    }
}
