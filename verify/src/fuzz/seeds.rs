//! Seed corpora: the repository's programs and regressions as inputs, and generated cases.

use super::{Target, mutate};
use crate::case::Case;
use crate::corpus::{Item, load_own};
use crate::generate::Entropy;
use lockstep_core::isa::{IsaId, Syntax};
use lockstep_core::with_isa;
use std::io;
use std::path::Path;

/// The number of generated cases for each instruction set, and of byte strings for [`Target::Generated`].
const GENERATED: u32 = 64;

/// Returns the seeds of a target with their file names, for the given instruction sets: from the programs and regressions under `corpora`, and from
/// the generators. For [`Target::Generated`], the seeds are byte strings for the generators' choices.
///
/// # Errors
/// If any file of the corpora cannot be read, decoded or assembled. Such a file must not be skipped silently.
pub fn seeds(target: Target, corpora: &Path, isas: &[IsaId]) -> io::Result<Vec<(String, Vec<u8>)>> {
    if target == Target::Generated {
        return Ok(choices());
    }
    let collection = load_own(corpora, isas);
    if let Some(broken) = collection.broken.first() {
        return Err(io::Error::other(broken.to_string()));
    }
    let mut seeds = Vec::new();
    for (number, item) in collection.items.iter().enumerate() {
        let name = item.name.replace(['/', '\\'], "-");
        if target == Target::Text
            && let Some(text) = text(item)?
        {
            seeds.push((name, [&[item.content.isa().number()], text.as_bytes()].concat()));
            continue;
        }
        // The environments are generated, with a different seed for each program.
        let number = number as u64;
        for (entry, case) in item.content.cases(number..number + 1).iter().enumerate() {
            push(&mut seeds, target, &format!("{name}-{entry}"), case);
        }
    }
    for &isa in isas {
        for seed in 0..GENERATED {
            push(&mut seeds, target, &format!("{isa}-generated-{seed}"), &mutate::generated(isa, seed));
        }
    }
    Ok(seeds)
}

/// Returns short and long byte strings for the generators' choices, made from numbered seeds.
fn choices() -> Vec<(String, Vec<u8>)> {
    let choices = |seed: u32| {
        let mut e = Entropy::seeded(seed.into());
        let count = 16 << (seed % 7);
        (format!("choices-{seed}"), (0..count).map(|_| e.bits() as u8).collect())
    };
    (0..GENERATED).map(choices).collect()
}

/// Writes the seeds of a target into `folder` if that folder is empty. Returns the number of files written.
///
/// # Errors
/// If a file cannot be read or a seed cannot be written.
pub fn write_seeds(target: Target, corpora: &Path, folder: &Path) -> io::Result<usize> {
    if folder.read_dir()?.next().is_some() {
        return Ok(0);
    }
    let seeds = seeds(target, corpora, &super::input::isas())?;
    for (name, bytes) in &seeds {
        std::fs::write(folder.join(name), bytes)?;
    }
    Ok(seeds.len())
}

fn push(seeds: &mut Vec<(String, Vec<u8>)>, target: Target, name: &str, case: &Case) {
    seeds.push((name.to_owned(), case.to_bytes()));
    if target == Target::Cases {
        seeds.push((format!("{name}.toml"), case.to_text(None).into_bytes()));
    }
}

/// Returns the program of an item as text: the original text with its comments if the item was read from text. `None`
/// if the item has no program that decodes.
fn text(item: &Item) -> io::Result<Option<String>> {
    if item.path.extension().is_some_and(|e| e == "txt" || e == "asm") {
        return std::fs::read_to_string(&item.path).map(Some);
    }
    Ok(item.content.program().and_then(|bytes| with_isa!(item.content.isa(), I => disassembled::<I>(bytes))))
}

fn disassembled<I: Syntax>(bytes: &[u8]) -> Option<String> {
    I::decode(bytes).ok().map(|program| I::disassemble(&program))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_that_does_not_assemble_is_an_error() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("agal");
        std::fs::create_dir_all(folder.join("vectors")).expect("a folder");
        let missing = seeds(Target::Bytes, root.path(), &[IsaId::Agal]).unwrap_err().to_string();
        assert!(missing.contains("programs"), "{missing}");
        std::fs::create_dir_all(folder.join("programs")).expect("a folder");
        assert_eq!(
            seeds(Target::Bytes, root.path(), &[IsaId::Agal]).expect("readable").len(),
            GENERATED as usize
        );
        std::fs::write(folder.join("programs/wrong.agal.txt"), "no such thing").expect("a file");
        let wrong = seeds(Target::Bytes, root.path(), &[IsaId::Agal]).unwrap_err().to_string();
        assert!(wrong.contains("wrong.agal.txt"), "{wrong}");
    }
}
