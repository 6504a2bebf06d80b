//! Programs made to take long: deep nests, many calls, loops in loops, long straight lines. The benchmark and the test of growth are about
//! them.
//!
//! Each is one text whose repeated part is told how often; its bytes grow linearly with that. Programs are meant to decode, not to be
//! legal: what a validator refuses it must refuse in time, too. A file for each instruction set has its families and says which limits of
//! its format end them.

mod a2xx;
mod agal;
mod d3d9;
mod pica200;
mod utgard_gp;

use lockstep_core::isa::{Isa, IsaId};

/// A family of programs, one for each size.
#[derive(Clone, Copy, Debug)]
pub struct Worst {
    /// What is hard about it.
    pub name: &'static str,
    /// The text of the program whose hard part is repeated so often.
    pub text: fn(usize) -> String,
    /// Bytes beyond which there are no further ones, because the lengths of the format's fields end there.
    pub most: usize,
}

/// Programs of more bytes are not asked for.
pub const LARGEST: usize = 1 << 16;

/// The families of an instruction set.
pub fn worst(isa: IsaId) -> &'static [Worst] {
    match isa {
        IsaId::Agal => agal::ALL,
        IsaId::Pica200 => pica200::ALL,
        IsaId::UtgardGp => utgard_gp::ALL,
        IsaId::A2xx => a2xx::ALL,
        IsaId::D3d9 => d3d9::ALL,
    }
}

impl Worst {
    const fn new(name: &'static str, text: fn(usize) -> String) -> Worst {
        Worst { name, text, most: LARGEST }
    }

    const fn up_to(self, most: usize) -> Worst {
        Worst { most, ..self }
    }

    /// The largest program of the family with at most `size` bytes; `None` where there is none, or none so large.
    pub fn program<I: Isa>(&self, size: usize) -> Option<I::Program> {
        if size > self.most {
            return None;
        }
        let length = |times: usize| Some(I::encode(&I::assemble(&(self.text)(times)).ok()?).len());
        // Where it stops growing linearly there is nothing more.
        let (some, more) = (length(8)?, length(24)?);
        let each = more.checked_sub(some)? as f64 / 16.0;
        let mut times = 8 + (size.saturating_sub(some) as f64 / each) as usize;
        while length(times)? > size {
            times -= 1;
        }
        I::assemble(&(self.text)(times)).ok()
    }
}

/// `line` so often.
fn repeat(times: usize, line: impl Fn(usize) -> String) -> String {
    (0..times).map(line).collect()
}
