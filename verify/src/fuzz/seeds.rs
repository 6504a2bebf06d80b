//! Seed corpora: the repository's programs and regressions as inputs, and generated cases.

use super::input::{isa_byte, isas};
use super::{Target, mutate};
use crate::case::Case;
use crate::generate::{self, Entropy, Generate};
use lockstep_core::with_isa;
use std::io;
use std::path::Path;

/// How many generated cases there are for each instruction set.
const GENERATED: u32 = 64;

/// The seeds of a target by file name, from the programs and regressions under `corpora` and from the generators.
///
/// # Errors
/// If a folder of corpora is there but cannot be read.
pub fn seeds(target: Target, corpora: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut seeds = Vec::new();
    for isa in isas() {
        let folder = corpora.join(isa.name());
        for (name, text) in texts(&folder.join("programs"))? {
            // Surroundings come from the generator, one seed of its own for each program.
            let case = with_isa!(isa, I => assembled::<I>(&text, seeds.len() as u64));
            let name = format!("{isa}-{name}");
            match (target, case) {
                (Target::Text, _) => seeds.push((name, [&[isa_byte(isa)], text.as_bytes()].concat())),
                (_, Some(case)) => push(&mut seeds, target, &name, &case),
                (_, None) => {}
            }
        }
        for (name, text) in texts(&folder.join("regressions"))? {
            if let Ok(case) = Case::from_text(&text) {
                push(&mut seeds, target, &format!("{isa}-{name}"), &case);
            }
        }
        for seed in 0..GENERATED {
            push(&mut seeds, target, &format!("{isa}-generated-{seed}"), &mutate::generated(isa, seed));
        }
    }
    Ok(seeds)
}

/// Writes the seeds of a target into `folder` if that is empty. Returns how many there are.
///
/// # Errors
/// If a folder cannot be read or a seed cannot be written.
pub fn plant(target: Target, corpora: &Path, folder: &Path) -> io::Result<usize> {
    if folder.read_dir()?.next().is_some() {
        return Ok(0);
    }
    let seeds = seeds(target, corpora)?;
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

fn assembled<I: Generate>(text: &str, seed: u64) -> Option<Case> {
    I::assemble(text).ok().map(|program| generate::around::<I>(&mut Entropy::seeded(seed), &program))
}

/// The files of a folder with their text, in the order of their names; none if there is no such folder.
fn texts(folder: &Path) -> io::Result<Vec<(String, String)>> {
    let mut texts = Vec::new();
    if folder.is_dir() {
        for file in folder.read_dir()? {
            let file = file?;
            if let Ok(text) = std::fs::read_to_string(file.path()) {
                texts.push((file.file_name().to_string_lossy().into_owned(), text));
            }
        }
    }
    texts.sort();
    Ok(texts)
}
