//! `lockstep rasterise`: the worker of `judge` that runs translations.

use super::{Failure, Output, serve};
use crate::judge::raster::Rasteriser;
use crate::report::Exit;

/// Returns the command line that starts a worker. It selects Mesa's software rasteriser regardless of the hardware. It also selects rendering on the
/// calling thread, because only this thread is watched.
///
/// # Errors
/// If the path of this program is unknown.
pub(super) fn command() -> Result<Vec<String>, Failure> {
    let program = std::env::current_exe().map_err(|error| Failure::Io("this program".to_owned(), error))?;
    let program = program.display().to_string();
    Ok(["env", "LIBGL_ALWAYS_SOFTWARE=1", "LP_NUM_THREADS=0", &program, "rasterise"]
        .map(str::to_owned)
        .to_vec())
}

pub(super) fn run(out: &mut Output) -> Result<Exit, Failure> {
    serve::converse(&mut Rasteriser::default(), out)?;
    Ok(Exit::Clean)
}
