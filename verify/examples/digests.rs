//! Decodes, lists, judges and lowers 100,000 programs and compares digests of the results with the committed ones.
//!
//! Run `cargo run --release -p lockstep --example digests`; it uses all processors. With `-- --bless` it overwrites the committed digests, for
//! intended changes whose effects have been reviewed. Exits with 0 only if all digests are equal to the committed ones.

use lockstep::corpus::{load_own, own_corpora};
use lockstep::digest::{Digest, Reached, population};
use lockstep_core::isa::IsaId;
use lockstep_core::with_isa;
use rayon::prelude::*;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// The number of programs of each instruction set.
const PROGRAMS: usize = 20_000;
/// The number of programs covered by one digest, which is one row of the file and one unit of parallel work.
const PROGRAMS_PER_DIGEST: usize = 2_500;
/// The file of committed digests, below the folder of the corpora.
const FILE: &str = "digests.tsv";
/// The first line of that file.
const HEAD: &str = "isa\tfirst\tlast\tprograms\tverdicts\tlistings\tlowered";

/// Returns the digest of a range of programs of an instruction set as a row of the file, and the number of these programs that were lowered.
fn row(root: &Path, isa: IsaId, first: usize) -> (String, usize) {
    let own = load_own(root, &[isa]).items;
    let mut digest = Digest::default();
    let mut lowered = 0;
    let Ok(cases) = population(isa, &own, first..first + PROGRAMS_PER_DIGEST) else {
        return (format!("{isa}: no programs"), 0);
    };
    for case in cases {
        let reached = with_isa!(isa, I => digest.add::<I>(&case));
        lowered += usize::from(reached == Reached::Ir);
    }
    let digest = digest.to_string().replace(' ', "\t");
    (format!("{isa}\t{first}\t{}\t{digest}", first + PROGRAMS_PER_DIGEST - 1), lowered)
}

fn main() -> ExitCode {
    let start = Instant::now();
    let Some(root) = own_corpora(None) else {
        eprintln!("the folder of corpora is not there (LOCKSTEP_CORPORA may name it)");
        return ExitCode::from(2);
    };
    let parts = IsaId::ALL
        .iter()
        .flat_map(|isa| (0..PROGRAMS).step_by(PROGRAMS_PER_DIGEST).map(|first| (*isa, first)));
    let parts: Vec<(IsaId, usize)> = parts.collect();
    let rows: Vec<_> = parts.par_iter().map(|(isa, first)| row(&root, *isa, *first)).collect();
    for isa in IsaId::ALL {
        let its = parts.iter().zip(&rows).filter(|((of, _), _)| of == isa);
        println!(
            "{isa}: {PROGRAMS} programs, {} lowered",
            its.map(|(_, (_, lowered))| lowered).sum::<usize>()
        );
    }
    println!("{:.1} s", start.elapsed().as_secs_f64());
    let file = root.join(FILE);
    let now: Vec<&str> = std::iter::once(HEAD).chain(rows.iter().map(|(row, _)| row.as_str())).collect();
    if std::env::args().any(|argument| argument == "--bless") {
        return match std::fs::write(&file, now.join("\n") + "\n") {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{}: {error}", file.display());
                ExitCode::from(2)
            }
        };
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    let differ: Vec<&&str> =
        now.iter().filter(|row| !committed.lines().any(|known| known == **row)).collect();
    if differ.is_empty() && committed.lines().count() == now.len() {
        println!("all as committed");
        return ExitCode::SUCCESS;
    }
    println!("{} of {} rows are not as in {}:", differ.len(), now.len(), file.display());
    for row in differ {
        println!("{row}");
    }
    ExitCode::FAILURE
}
