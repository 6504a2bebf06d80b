//! Changes to programs. A change re-enacts how a buggy decoder or executor misreads a program.

use crate::generate::Generate;
use lockstep_core::host::Environment;
use lockstep_core::isa::facet::{ANY, Site};
use lockstep_core::isa::{Format, instruction_count};

/// A change implemented as a function.
pub(super) type Coded<I> = fn(&mut <I as Format>::Program, &mut Environment);

/// The changes of an instruction set that are implemented as functions, by name.
pub(super) trait Misread: Generate {
    /// All these changes, each with its name.
    const CHANGES: &'static [(&'static str, Coded<Self>)];
}

/// A change to a program.
pub(super) enum Change<I: Misread> {
    /// A change implemented as a function.
    Coded(Coded<I>),
    /// A misread facet: in instructions with this opcode, each of the values `from` is read as `to`.
    Facet { opcode: &'static str, facet: usize, from: Vec<&'static str>, to: &'static str },
}

impl<I: Misread> Change<I> {
    /// Parses a change: a name, or `OPCODE: FACET=VALUE, VALUE -> VALUE`, where the opcode may be `any`.
    ///
    /// # Errors
    /// If the text has neither form, or if the change, the opcode, the facet or a value does not exist.
    pub(super) fn from_text(text: &str) -> Result<Change<I>, String> {
        let Some((before, to)) = text.split_once("->") else {
            let found = I::CHANGES.iter().find(|(name, _)| *name == text);
            return found
                .map(|(_, change)| Change::Coded(*change))
                .ok_or_else(|| format!("there is no change '{text}' for {}", I::ID));
        };
        let parts = before.split_once(':').and_then(|(opcode, rest)| Some((opcode, rest.split_once('=')?)));
        let Some((opcode, (name, from))) = parts else {
            return Err(format!("'{text}' is not of the form OPCODE: FACET=VALUE -> VALUE"));
        };
        let (opcode, name) = (opcode.trim(), name.trim());
        let opcodes = I::opcodes().iter().map(|row| row.mnemonic).chain([ANY]);
        let opcode = opcodes.into_iter().find(|known| *known == opcode);
        let opcode = opcode.ok_or_else(|| format!("'{text}' names no opcode of {}", I::ID))?;
        let rows = I::facets().facets.iter().enumerate().filter(|(_, row)| row.name == name);
        if rows.clone().next().is_none() {
            return Err(format!("there is no facet '{name}' for {}", I::ID));
        }
        let values = rows.flat_map(|(at, row)| row.values.iter().map(move |value| (at, *value)));
        let value = |value: &str| {
            let value = value.trim();
            let found = values.clone().find(|(_, known)| *known == value);
            found.ok_or_else(|| format!("'{name}' has no value '{value}'"))
        };
        let from = from.split(',').map(value).collect::<Result<Vec<_>, _>>()?;
        let (facet, to) = value(to)?;
        Ok(Change::Facet { opcode, facet, from: from.into_iter().map(|(_, value)| value).collect(), to })
    }

    /// Applies the change to a program.
    pub(super) fn apply(&self, program: &mut I::Program, env: &mut Environment) {
        match self {
            Change::Coded(change) => change(program, env),
            Change::Facet { opcode, facet, from, to } => {
                let Some(facet) = I::facets().facets.get(*facet) else { return };
                for word in 0..instruction_count::<I>(program) {
                    let sites: Vec<Site> = I::facets()
                        .sites(program, word)
                        .filter(|(_, mnemonic)| *opcode == ANY || mnemonic == opcode)
                        .map(|(site, _)| site)
                        .collect();
                    for site in sites {
                        if !from.iter().any(|value| facet.is_shown(program, site, value)) {
                            continue;
                        }
                        // A setter that inserts instructions would do more than misread a field, so its result is not used.
                        if let Some((changed, new_site)) = (facet.set)(program, site, to)
                            && new_site == site
                            && instruction_count::<I>(&changed) == instruction_count::<I>(program)
                        {
                            *program = changed;
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::isa::agal::Agal;

    #[test]
    fn errors_name_the_part_of_a_change_that_does_not_exist() {
        for (text, part) in [
            ("none", "there is no change 'none'"),
            ("none: mask=full -> full", "names no opcode"),
            ("add: none=full -> full", "there is no facet 'none'"),
            ("add: mask=none -> full", "'mask' has no value 'none'"),
            ("add: mask=full -> none", "'mask' has no value 'none'"),
        ] {
            let error = Change::<Agal>::from_text(text).err().unwrap_or_default();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
