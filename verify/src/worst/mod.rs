//! Programs made to take long: deep nests, many calls, loops in loops, long straight lines. Benchmarks and tests of growth are about them.
//!
//! Each is one text whose repeated part is told how often; its bytes grow linearly with that. Programs are meant to decode, not to be
//! legal: what a validator refuses it must refuse in time, too.

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
    /// Bytes beyond which there are no further ones, because the format or the lengths of its fields end there.
    pub most: usize,
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::with_isa;

    #[test]
    fn every_family_has_a_program_of_each_size_it_is_for() {
        for &isa in IsaId::ALL {
            assert!(worst(isa).len() >= 6, "{isa}");
            for family in worst(isa) {
                for size in [1 << 11, 1 << 12] {
                    let bytes = with_isa!(isa, I => family.program::<I>(size).map(|p| I::encode(&p).len()));
                    assert!(
                        bytes.is_some_and(|bytes| bytes <= size && bytes * 10 > size * 8),
                        "{isa}: {}, {size}: {bytes:?}",
                        family.name
                    );
                }
            }
        }
    }
}
