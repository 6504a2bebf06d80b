//! Stress programs: deep nesting, many calls, nested loops, and long straight-line code. A benchmark and a test of how costs grow use them.
//!
//! Each program is a text in which one part is repeated a given number of times; its size in bytes grows linearly with that number. Programs must
//! decode but need not be legal, since a validator must also refuse them in reasonable time. Each instruction set has a file with its families and
//! the limits of its format.

mod a2xx;
mod agal;
mod d3d9;
mod pica200;
mod utgard_gp;

use lockstep_core::isa::{IsaId, Syntax};

/// A family of programs, one for each size.
#[derive(Clone, Copy, Debug)]
pub struct StressFamily {
    /// The name of the family, which describes the difficulty.
    pub name: &'static str,
    /// Returns the text of the program, in which one part is repeated this many times.
    pub text: fn(usize) -> String,
    /// The maximum size of a program in bytes: [`LARGEST`], or less if the field widths of the format require it.
    pub most: usize,
}

/// The maximum size in bytes of the programs that benchmarks and tests use.
pub const LARGEST: usize = 1 << 16;

/// Returns the families of stress programs of an instruction set.
pub fn worst(isa: IsaId) -> &'static [StressFamily] {
    match isa {
        IsaId::Agal => agal::ALL,
        IsaId::Pica200 => pica200::ALL,
        IsaId::UtgardGp => utgard_gp::ALL,
        IsaId::A2xx => a2xx::ALL,
        IsaId::D3d9 => d3d9::ALL,
        IsaId::Unlisted(_) => &[],
    }
}

impl StressFamily {
    const fn new(name: &'static str, text: fn(usize) -> String) -> StressFamily {
        StressFamily { name, text, most: LARGEST }
    }

    const fn up_to(self, most: usize) -> StressFamily {
        StressFamily { most, ..self }
    }

    /// Returns a program of the family with about `size` bytes, but no more; `None` if the family has no program of that size.
    pub fn program<I: Syntax>(&self, size: usize) -> Option<I::Program> {
        if size > self.most {
            return None;
        }
        let length = |times: usize| Some(I::encode(&I::assemble(&(self.text)(times)).ok()?).len());
        // Growth is linear up to the largest size, so two lengths determine the number of repetitions.
        let (some, more) = (length(8)?, length(24)?);
        let each = more.checked_sub(some).filter(|growth| *growth > 0)? as f64 / 16.0;
        let mut times = 8 + (size.saturating_sub(some) as f64 / each) as usize;
        while length(times)? > size {
            times = times.checked_sub(1)?;
        }
        I::assemble(&(self.text)(times)).ok()
    }
}

/// Returns the lines for all indices below `times`.
fn repeat(times: usize, line: impl Fn(usize) -> String) -> String {
    (0..times).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::with_isa;

    #[test]
    fn a_program_is_at_most_as_large_as_requested() {
        for &isa in IsaId::ALL {
            for family in worst(isa) {
                for size in [0, 7, 100, 5000] {
                    let program =
                        with_isa!(isa, I => family.program::<I>(size).map(|program| I::encode(&program)));
                    let len = program.map_or(0, |bytes| bytes.len());
                    assert!(len <= size, "{isa}, {}: {len} bytes instead of {size}", family.name);
                    assert!(len > 0 || size < 5000, "{isa}, {}: none of {size} bytes", family.name);
                }
            }
        }
    }
}
