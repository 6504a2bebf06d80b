//! Levels: the ways to run a plan, and the processor features that each needs.

/// A way to run a plan: a build of the interpreter, or compilation for a vector length. All levels produce the same results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// The interpreter, for the baseline features of the target.
    Portable,
    /// The interpreter, with AVX2 and FMA.
    Avx2,
    /// The interpreter, with AVX-512 F, VL, DQ and BW, AVX2, and FMA.
    Avx512,
    /// Machine code for the plan, with AVX2 and FMA.
    Jit256,
    /// Machine code for the plan, with AVX-512; blocks of eight lanes use 256 bits.
    Jit512,
}

impl Level {
    /// Every level: those of the interpreter, slowest first, then the compiled ones.
    pub const ALL: [Level; 5] = [Level::Portable, Level::Avx2, Level::Avx512, Level::Jit256, Level::Jit512];

    /// Whether this processor can run the level.
    pub fn is_available(self) -> bool {
        match self {
            Level::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                Level::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512bw")
            }
            // Miri does not execute machine code.
            #[cfg(all(target_arch = "x86_64", unix, not(miri)))]
            Level::Jit256 | Level::Jit512 => self.interpreter().is_available(),
            #[allow(unreachable_patterns)] // other processors and systems
            _ => false,
        }
    }

    /// Returns the level of the interpreter that needs the same processor features. For a level of the interpreter, returns that level.
    pub fn interpreter(self) -> Level {
        match self {
            Level::Jit256 => Level::Avx2,
            Level::Jit512 => Level::Avx512,
            level => level,
        }
    }

    /// Whether the level compiles plans to machine code.
    pub fn is_compiled(self) -> bool {
        self.interpreter() != self
    }

    /// The levels that this processor can run, in the order of [`Level::ALL`].
    pub fn available() -> impl Iterator<Item = Level> {
        Level::ALL.into_iter().filter(|l| l.is_available())
    }

    /// The fastest level of the interpreter that this processor can run.
    pub fn detect() -> Level {
        Level::available().filter(|level| !level.is_compiled()).last().unwrap_or(Level::Portable)
    }
}
