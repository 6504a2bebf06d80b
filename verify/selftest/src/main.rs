//! `plant COPY` makes a copy of this workspace with a switch for every fault; a following `--tests` includes the faults for tests. See `ci/selftest`.
//! `list` updates `seen.txt` to match the existing tests.

use lockstep_selftest::{Error, plant, read, test_list};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.ancestors().nth(2).unwrap_or(here);
    if arguments == ["list"] {
        return match test_list::rewrite(root, &here.join("seen.txt")) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::from(2)
            }
        };
    }
    let (copy, with_tests) = match &arguments[..] {
        [copy] => (copy, false),
        [copy, tests] if tests == "--tests" => (copy, true),
        _ => {
            eprintln!("usage: plant COPY [--tests] | list");
            return ExitCode::from(2);
        }
    };
    let planted =
        || -> Result<_, Error> { plant(root, Path::new(copy), &read(&here.join("faults"))?, with_tests) };
    match planted() {
        Ok(p) => {
            println!("{} faults in {} files; {} files written to {copy}", p.faults, p.files, p.written);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
