//! The setting of a case as JSON for other programs: every float except those of textures as decimal and as bits.

use super::{EntryRef, Resolved};
use lockstep_core::host::{Environment, Texture};
use lockstep_core::isa::{Entry, Tables};
use serde::Serialize;
use std::collections::BTreeMap;

/// A binary32 value. The decimal is a string, since JSON cannot represent infinities and NaN.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Value {
    /// The shortest decimal that reads back as this number, or `inf`, `-inf` or `NaN`.
    pub value: String,
    /// `0x` and eight digits; the payload of a NaN is kept.
    pub bits: String,
}

impl From<f32> for Value {
    fn from(value: f32) -> Value {
        Value { value: format!("{value:?}"), bits: format!("0x{:08x}", value.to_bits()) }
    }
}

/// The environment in which a program is run.
#[derive(Clone, Debug, Serialize)]
pub struct Inputs {
    /// Float constants, with the components x, y, z, w of each slot.
    pub constants: Vec<[Value; 4]>,
    /// Integer constants.
    pub ints: Vec<[i32; 4]>,
    /// Boolean constants.
    pub bools: Vec<bool>,
    /// Input values of each lane, slot by slot.
    pub lanes: Vec<Vec<[Value; 4]>>,
    /// Textures by unit, in the format of case files.
    pub textures: Vec<Texture>,
    /// Buffers by number: each word as `0x` and eight digits.
    pub buffers: Vec<Vec<String>>,
    /// The number of backward transfers and calls that a lane may make.
    pub fuel: u32,
    /// The maximum number of effects that a lane may record.
    pub effects: u32,
}

impl From<&Environment> for Inputs {
    fn from(env: &Environment) -> Inputs {
        let vector = |v: &[f32; 4]| v.map(Value::from);
        Inputs {
            constants: env.constants.iter().map(vector).collect(),
            ints: env.ints.clone(),
            bools: env.bools.clone(),
            lanes: env.lanes.iter().map(|lane| lane.slots.iter().map(vector).collect()).collect(),
            textures: env.textures.clone(),
            buffers: env
                .buffers
                .iter()
                .map(|buffer| buffer.words.iter().map(|word| format!("0x{word:08x}")).collect())
                .collect(),
            fuel: env.fuel,
            effects: env.effects,
        }
    }
}

/// Everything except the program's bytes that a run depends on.
#[derive(Clone, Debug, Serialize)]
pub struct Setting {
    /// The name of the instruction set.
    pub isa: &'static str,
    /// The number of the entry if it is one of the program's own; `None` if the case contains the entry.
    pub entry_number: Option<u16>,
    /// The entry.
    pub entry: Entry,
    /// The choice for every option.
    pub options: BTreeMap<&'static str, &'static str>,
    /// The environment, with the constants that the program itself defines.
    pub inputs: Inputs,
}

impl Setting {
    /// Collects the setting of a resolved case.
    pub fn of<I: Tables>(entry: &EntryRef, resolved: &Resolved<I>) -> Setting {
        let chosen = |(at, option): (usize, &lockstep_core::isa::OptionSpec)| {
            let choice = usize::from(resolved.options.peek(at));
            (option.name, option.choices.get(choice).copied().unwrap_or_default())
        };
        Setting {
            isa: I::ID.name(),
            entry_number: match entry {
                EntryRef::Own(at) => Some(*at),
                EntryRef::Given(_) => None,
            },
            entry: resolved.entry.clone(),
            options: I::option_specs().iter().enumerate().map(chosen).collect(),
            inputs: Inputs::from(&resolved.env),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_every_bit() {
        let value = |v: f32| serde_json::to_value(Value::from(v)).expect("JSON");
        assert_eq!(value(-0.0), serde_json::json!({"value": "-0.0", "bits": "0x80000000"}));
        assert_eq!(value(f32::from_bits(0xffc0_0001))["bits"], "0xffc00001");
        assert_eq!(value(f32::INFINITY)["value"], "inf");
    }
}
