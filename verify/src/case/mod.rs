//! Cases: a program, an entry, options and an environment. Corpora, fuzzing and findings consist of cases.

mod binary;
mod same;
mod text;
mod toml_text;
mod view;

pub use binary::MAGIC;
pub(crate) use same::{is_same, is_same_environment};
pub use text::TextError;
pub use toml_text::{MAX_BRACKETS, MAX_TOKENS, from_toml, place_of};
pub use view::{Inputs, Setting, Value};

use lockstep_core::binary::DecodeError;
use lockstep_core::host::{Environment, LaneInput};
use lockstep_core::isa::{
    Context, Entry, Format, Interface, IsaId, Legality, Level, Options, OptionsError, Port, Tables,
};
use lockstep_core::text::count;
use lockstep_core::with_isa;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The maximum number of lanes that are run for a case.
pub const MAX_LANES: usize = 4096;
/// The maximum fuel for all lanes of a case together, regardless of the case's own value, so that every case terminates.
pub const MAX_FUEL: u32 = 1 << 18;
/// The maximum number of instructions that all lanes of a case together may execute with their fuel: one unit of fuel may allow a pass over all
/// words. Very long programs may exceed it, because of [`MIN_FUEL`]. The limit is low enough for the reference, the evaluator and several
/// executors to finish within a fraction of a second.
pub const MAX_STEPS: u64 = 1 << 19;
/// The smallest limit on the fuel of a lane, which even a very long program gets.
pub const MIN_FUEL: u32 = 4;
/// Slot numbers of inputs and outputs must be below this number.
pub const MAX_SLOT: u16 = 4096;
/// The maximum number of inputs, and of outputs, of an entry.
pub const MAX_PORTS: usize = 256;
/// The maximum number of constants of each kind that an entry may read.
pub const MAX_CONSTANTS: u16 = 8192;
/// The maximum number of effects recorded by all lanes of a case together.
pub const MAX_EFFECTS: u32 = 1 << 16;

/// The limits for a case: the number of lanes, and the fuel and the number of effects of each lane. These limits bound run time and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of lanes.
    pub lanes: usize,
    /// The maximum fuel of each lane.
    pub fuel: u32,
    /// The maximum number of effects of each lane.
    pub effects: u32,
}

impl Limits {
    /// Returns the limits for this many lanes of a program. `pass` is the cost of one pass over all its words, as returned by [`Format::pass_cost`].
    fn of(lanes: usize, pass: u64) -> Limits {
        let lanes = lanes.clamp(1, MAX_LANES) as u32;
        let passes = MAX_STEPS / (u64::from(lanes) * pass.max(1));
        let fuel = u32::try_from(passes).unwrap_or(u32::MAX).max(MIN_FUEL).min(MAX_FUEL / lanes);
        let effects = MAX_EFFECTS / lanes;
        Limits { lanes: MAX_LANES, fuel, effects }
    }
}

/// The entry at which the program is run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryRef {
    /// An entry of the program itself, by number.
    Own(u16),
    /// An entry given in the case.
    Given(Entry),
}

impl EntryRef {
    /// Returns the number of the program's own entry that equals `entry`; `None` if there is none.
    pub(crate) fn own_number(own: &[Entry], entry: &Entry) -> Option<u16> {
        own.iter().position(|own| own == entry).and_then(|number| u16::try_from(number).ok())
    }
}

impl Default for EntryRef {
    fn default() -> Self {
        EntryRef::Own(0)
    }
}

/// A program with its complete environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// The instruction set of the program.
    pub isa: IsaId,
    /// The bytes of the program's file.
    pub bytes: Vec<u8>,
    /// The entry at which the program is run.
    pub entry: EntryRef,
    /// The options that differ from the defaults, by name.
    pub options: BTreeMap<String, String>,
    /// The environment: inputs, constants, textures, buffers and limits.
    pub env: Environment,
}

/// The reason a case cannot be run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CaseError {
    /// The bytes are not a program.
    #[error("the program does not decode: {0}")]
    Decode(#[from] DecodeError),
    /// An option or a choice is unknown.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The requested entry does not exist.
    #[error("{}", no_entry(*.asked, *.there))]
    Entry {
        /// The number of the requested entry.
        asked: u16,
        /// The number of entries that the program has.
        there: usize,
    },
    /// The entry breaks a requirement that holds for every program: a limit, masks of four bits, or the ascending order of slots.
    #[error("the entry's {what} {why}")]
    Interface {
        /// The list or number of [`lockstep_core::isa::Interface`] that is wrong.
        what: &'static str,
        /// What is wrong with that list or number, as the end of the sentence.
        why: String,
    },
}

fn no_entry(asked: u16, there: usize) -> String {
    match there {
        0 => "the program has no entry, so there is nothing to run".to_owned(),
        _ => format!("the program has {}, so there is no entry {asked}", count(there, "entry")),
    }
}

/// Checks an entry against the limits of this module, which bound memory use. Also requires that ports are in ascending order of slots, the order in
/// which components are compared.
fn bounded(interface: &Interface) -> Result<(), CaseError> {
    let wrong = |what, why: String| Err(CaseError::Interface { what, why });
    for (what, ports) in [("inputs", &interface.inputs), ("outputs", &interface.outputs)] {
        if ports.len() > MAX_PORTS {
            return wrong(
                what,
                format!("are {}; at most {MAX_PORTS} are allowed", count(ports.len(), "register")),
            );
        }
        if let Some(port) = ports.iter().find(|port| port.slot >= MAX_SLOT) {
            return wrong(what, format!("have slot {}; slots must be below {MAX_SLOT}", port.slot));
        }
        if let Some(port) = ports.iter().find(|port| port.mask > 0xf) {
            return wrong(
                what,
                format!("have mask {:#x}; a mask has one bit for each of four components", port.mask),
            );
        }
        if let Some(pair) = ports.windows(2).find(|pair| pair[0].slot >= pair[1].slot) {
            return wrong(
                what,
                format!("are not in ascending order: {} before {}", pair[0].slot, pair[1].slot),
            );
        }
    }
    for (what, count) in
        [("constants", interface.constants), ("ints", interface.ints), ("bools", interface.bools)]
    {
        if count > MAX_CONSTANTS {
            return wrong(what, format!("are {count}; at most {MAX_CONSTANTS} are allowed"));
        }
    }
    if interface.samplers.len() > 256 {
        return wrong("samplers", format!("are {}; at most 256 are allowed", interface.samplers.len()));
    }
    Ok(())
}

/// A case after decoding, for a known instruction set.
#[derive(Clone, Debug)]
pub struct Resolved<I: Format> {
    /// The decoded program.
    pub program: I::Program,
    /// The entry.
    pub entry: Entry,
    /// The options.
    pub options: Options,
    /// The environment, within the limits.
    pub env: Environment,
    /// The limits that were applied.
    pub limits: Limits,
}

impl<I: Tables> Resolved<I> {
    /// Combines a program, an entry and an environment. The environment gets the constants that the program itself defines and is cut to the limits.
    pub fn new(program: I::Program, entry: Entry, options: Options, mut env: Environment) -> Resolved<I> {
        I::preset(&program, &entry, &mut env);
        let pass = I::pass_cost(&Context { program: &program, entry: &entry, options: &options });
        let limits = Limits::of(env.lanes.len(), pass);
        env.lanes.truncate(limits.lanes);
        env.fuel = env.fuel.min(limits.fuel);
        env.effects = env.effects.min(limits.effects);
        Resolved { program, entry, options, env, limits }
    }
}

impl<I: Legality> Resolved<I> {
    /// Returns the context for running the program.
    pub fn context(&self) -> Context<'_, I> {
        Context { program: &self.program, entry: &self.entry, options: &self.options }
    }

    /// Returns one sentence for each part of `env` that exceeds a limit.
    pub fn exceeded_limits(&self, env: &Environment) -> Vec<String> {
        let Limits { lanes, fuel, effects } = self.limits;
        let with = format!(
            "with {} of {}",
            count(env.lanes.len().min(lanes), "lane"),
            count(I::instruction_count(&self.context()), "instruction")
        );
        let mut all = Vec::new();
        if env.lanes.len() > lanes {
            all.push(format!("{} lanes are more than the limit of {lanes}", env.lanes.len()));
        }
        if env.fuel > fuel {
            all.push(format!("fuel {} is more than the limit, which is {fuel} {with}", env.fuel));
        }
        if env.effects > effects {
            all.push(format!(
                "room for {} is more than the limit, which is {effects} {with}",
                count(env.effects, "effect")
            ));
        }
        all
    }

    /// Whether the program can be run: it breaks no rule at error level.
    pub fn is_legal(&self) -> bool {
        I::validate(&self.context()).iter().all(|violation| violation.level < Level::Error)
    }
}

impl Case {
    /// Returns a case that runs a program at its own first entry with default options.
    pub fn new<I: Format>(program: &I::Program, env: Environment) -> Case {
        Case {
            isa: I::ID,
            bytes: I::encode(program),
            entry: EntryRef::default(),
            options: BTreeMap::new(),
            env,
        }
    }

    /// Decodes the program and finds its entry and options.
    ///
    /// # Errors
    /// If decoding fails, the entry or an option does not exist, or the entry exceeds the limits of this module. Lanes, fuel and effects beyond the
    /// limits are not errors; they are reduced to the limits.
    pub fn resolve<I: Tables>(&self) -> Result<Resolved<I>, CaseError> {
        let program = {
            let _span = tracing::debug_span!("decode", isa = %I::ID, bytes = self.bytes.len()).entered();
            I::decode(&self.bytes)?
        };
        let options = self.options::<I>()?;
        let entry = self.entry::<I>(&program)?;
        Ok(Resolved::new(program, entry, options, self.env.clone()))
    }

    /// Returns the entry at which this case would run `program`, which may differ from the case's own program, such as a mutant or a smaller one.
    ///
    /// # Errors
    /// If the program has no such entry, or the entry exceeds the limits of this module.
    pub fn entry<I: Format>(&self, program: &I::Program) -> Result<Entry, CaseError> {
        let entry = match &self.entry {
            EntryRef::Given(entry) => entry.clone(),
            EntryRef::Own(asked) => {
                let entry = I::entry(program, usize::from(*asked));
                let missing = || CaseError::Entry { asked: *asked, there: I::entry_count(program) };
                entry.ok_or_else(missing)?
            }
        };
        bounded(&entry.interface)?;
        Ok(entry)
    }

    /// Returns one sentence for each part of this case that exceeds the limits and is therefore truncated. Empty if the case cannot be run.
    pub fn cut(&self) -> Vec<String> {
        let beyond =
            with_isa!(self.isa, I => self.resolve::<I>().map(|resolved| resolved.exceeded_limits(&self.env)));
        beyond
            .unwrap_or_default()
            .into_iter()
            .map(|beyond| format!("{beyond}; the run uses the limit"))
            .collect()
    }

    /// Describes a required part that this case lacks; `None` if it is complete. If the case was read from text, `text` is that text and provides the
    /// position.
    pub fn missing_part(&self, text: &str) -> Option<String> {
        let (path, what): (&[&str], _) = if self.bytes.is_empty() {
            (&["hex"], "the program of the case has no bytes, so there is nothing to run")
        } else if self.env.lanes.is_empty() {
            (&["env", "lanes"], "the case has no lanes, so there is nothing to run: [[env.lanes]] adds one")
        } else {
            return None;
        };
        let place = place_of(text, path);
        let place =
            place.map_or_else(String::new, |(line, column)| format!("line {line}, column {column}: "));
        Some(format!("{place}{what}"))
    }

    /// Adds input slots to the entry: those that the entry omits although some lane has a value other than +0, such as registers that a program reads
    /// before it writes them. Slots whose addition would violate a further rule at error level are not added.
    ///
    /// # Errors
    /// As [`Case::resolve`].
    pub fn list_inputs<I: Tables + Legality>(&mut self) -> Result<(), CaseError> {
        let Resolved { program, mut entry, options, env, .. } = self.resolve::<I>()?;
        let errors = |entry: &Entry| {
            let found = I::validate(&Context { program: &program, entry, options: &options });
            found.iter().filter(|violation| violation.level == Level::Error).count()
        };
        let most = env.lanes.iter().map(|lane| lane.slots.len()).max().unwrap_or(0);
        let mut listed = false;
        for slot in 0..u16::try_from(most).unwrap_or(MAX_SLOT).min(MAX_SLOT) {
            let given = |lane: &LaneInput| {
                lane.slots.get(usize::from(slot)).is_some_and(|v| v.iter().any(|c| c.to_bits() != 0))
            };
            let Err(place) = entry.interface.inputs.binary_search_by_key(&slot, |port| port.slot) else {
                continue;
            };
            if !env.lanes.iter().any(given) {
                continue;
            }
            let before = errors(&entry);
            entry.interface.inputs.insert(place, Port { slot, mask: 0xf });
            if errors(&entry) > before {
                entry.interface.inputs.remove(place);
            } else {
                listed = true;
            }
        }
        if listed {
            self.entry = EntryRef::Given(entry);
        }
        Ok(())
    }

    /// Returns a case that consists of program bytes, with an empty environment and default options.
    pub fn bare(isa: IsaId, bytes: &[u8]) -> Case {
        Case {
            isa,
            bytes: bytes.to_vec(),
            entry: EntryRef::default(),
            options: BTreeMap::new(),
            env: Environment::default(),
        }
    }

    /// Returns the options of this case.
    ///
    /// # Errors
    /// If an option or a choice is unknown.
    pub fn options<I: Tables>(&self) -> Result<Options, CaseError> {
        let mut options = Options::new(I::option_specs());
        for (option, choice) in &self.options {
            options.set_named(option, choice)?;
            tracing::debug!(option, choice, "option");
        }
        Ok(options)
    }

    /// Returns the same case with another program.
    #[must_use]
    pub fn with_program<I: Format>(&self, program: &I::Program) -> Case {
        Case { bytes: I::encode(program), ..self.clone() }
    }
}

#[cfg(test)]
mod tests;
