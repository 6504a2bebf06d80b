//! The processor's floating-point mode.
//!
//! The calling program may have set its threads to flush subnormals to zero or to round differently, as games and audio software do. Everything that
//! computes with [`crate::value::Concrete`] needs the default mode of IEEE 754 (rounding to nearest, subnormals kept), so each entry point of an
//! engine holds a [`StandardMode`] while it runs.

/// The processor's floating-point control register. Exception flags, which calculations set, are not part of the mode.
#[cfg(target_arch = "x86_64")]
mod register {
    /// Rounding to nearest, subnormals kept, every exception masked.
    pub(super) const STANDARD: u64 = 0x1f80;
    /// The flags of exceptions that have occurred.
    pub(super) const FLAGS: u64 = 0x3f;
    /// Flush subnormal results to zero.
    pub(super) const FLUSH: u64 = 1 << 15;
    /// Treat subnormal operands as zero.
    pub(super) const DENORMALS_ARE_ZERO: u64 = 1 << 6;
    pub(super) const DOWN: u64 = 1 << 13;
    pub(super) const UP: u64 = 2 << 13;
    pub(super) const TOWARD_ZERO: u64 = 3 << 13;

    pub(super) fn read() -> u64 {
        let mut bits = 0u32;
        // SAFETY: stmxcsr writes four bytes at the address, which is that of `bits`. Tested by
        // `engines_are_right_in_every_floating_point_mode_of_the_caller`.
        unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut bits, options(nostack, preserves_flags)) };
        u64::from(bits)
    }

    pub(super) fn write(bits: u64) {
        let bits = bits as u32;
        // SAFETY: ldmxcsr reads four bytes at the address, which is that of `bits`; only bits that `read` returned or that are named above are set,
        // so no reserved bit is. Tested as `read` is.
        unsafe {
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const bits, options(nostack, preserves_flags));
        };
    }
}

#[cfg(target_arch = "aarch64")]
mod register {
    pub(super) const STANDARD: u64 = 0;
    pub(super) const FLAGS: u64 = 0;
    pub(super) const FLUSH: u64 = 1 << 24;
    /// On AArch64, the same bit controls subnormal results and operands.
    pub(super) const DENORMALS_ARE_ZERO: u64 = 1 << 24;
    pub(super) const UP: u64 = 1 << 22;
    pub(super) const DOWN: u64 = 2 << 22;
    pub(super) const TOWARD_ZERO: u64 = 3 << 22;

    pub(super) fn read() -> u64 {
        let bits: u64;
        // SAFETY: reads a register that every program may read.
        unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) bits, options(nomem, nostack, preserves_flags)) };
        bits
    }

    pub(super) fn write(bits: u64) {
        // SAFETY: writes a register that every program may write, with bits that `read` returned or that are named above.
        unsafe { std::arch::asm!("msr fpcr, {}", in(reg) bits, options(nostack, preserves_flags)) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod register {
    pub(super) const STANDARD: u64 = 0;
    pub(super) const FLAGS: u64 = 0;
    pub(super) const FLUSH: u64 = 0;
    pub(super) const DENORMALS_ARE_ZERO: u64 = 0;
    pub(super) const UP: u64 = 0;
    pub(super) const DOWN: u64 = 0;
    pub(super) const TOWARD_ZERO: u64 = 0;

    pub(super) fn read() -> u64 {
        STANDARD
    }

    pub(super) fn write(_: u64) {}
}

/// A guard that makes its thread compute in the default mode of IEEE 754 until the guard is dropped: rounding to nearest, subnormals kept, no traps.
/// Dropping it restores the previous mode. If the mode was already the default, the guard costs a read of the control register and a comparison.
/// On processors other than x86-64 and AArch64, it has no effect.
///
/// The compiler may move arithmetic across the mode change, but not calls of functions that are not inlined. Hold the guard around such a call.
#[must_use = "the standard mode ends when the guard is dropped"]
#[derive(Debug)]
pub struct StandardMode {
    caller: Option<u64>,
}

impl StandardMode {
    /// Sets the standard mode.
    #[inline]
    pub fn enter() -> StandardMode {
        let caller = register::read();
        let other = caller & !register::FLAGS != register::STANDARD;
        if other {
            register::write(register::STANDARD);
        }
        StandardMode { caller: other.then_some(caller) }
    }

    /// Sets the standard mode without restoring the previous one later. Used after a call of foreign code that may have changed the mode. If another
    /// mode was set, returns the control register without the exception flags.
    pub fn reset() -> Option<u64> {
        let mode = StandardMode::enter();
        let other = mode.caller.map(|caller| caller & !register::FLAGS);
        std::mem::forget(mode);
        other
    }
}

impl Drop for StandardMode {
    #[inline]
    fn drop(&mut self) {
        if let Some(caller) = self.caller {
            register::write(caller);
        }
    }
}

/// A mode that a caller may have set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerMode {
    /// Subnormal results are flushed to zero.
    FlushToZero,
    /// Subnormal operands are treated as zero.
    DenormalsAreZero,
    /// Rounding toward minus infinity.
    Down,
    /// Rounding toward plus infinity.
    Up,
    /// Rounding toward zero; subnormal operands are treated as zero and subnormal results flushed to zero.
    TowardZeroWithoutSubnormals,
}

impl CallerMode {
    /// All modes.
    pub const ALL: [CallerMode; 5] = [
        CallerMode::FlushToZero,
        CallerMode::DenormalsAreZero,
        CallerMode::Down,
        CallerMode::Up,
        CallerMode::TowardZeroWithoutSubnormals,
    ];

    fn bits(self) -> u64 {
        match self {
            CallerMode::FlushToZero => register::FLUSH,
            CallerMode::DenormalsAreZero => register::DENORMALS_ARE_ZERO,
            CallerMode::Down => register::DOWN,
            CallerMode::Up => register::UP,
            CallerMode::TowardZeroWithoutSubnormals => {
                register::TOWARD_ZERO | register::FLUSH | register::DENORMALS_ARE_ZERO
            }
        }
    }

    /// Runs `call` with this mode set. Also returns whether the mode was still set afterwards.
    pub fn during<T>(self, call: impl FnOnce() -> T) -> (T, bool) {
        let caller = register::read();
        let restore = StandardMode { caller: Some(caller) };
        let wanted = register::STANDARD | self.bits();
        register::write(wanted);
        let result = call();
        let kept = register::read() & !register::FLAGS == wanted;
        drop(restore);
        (result, kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn the_standard_mode_undoes_the_callers_floating_point_mode() {
        let half = || black_box(black_box(f32::MIN_POSITIVE) * black_box(0.5f32));
        let third = || black_box(black_box(1.0f32) / black_box(3.0f32));
        let (zero, kept) = CallerMode::FlushToZero.during(half);
        assert_eq!((zero, kept), (0.0, true));
        let (up, _) = CallerMode::Up.during(third);
        let (down, _) = CallerMode::Down.during(third);
        assert_eq!(up.to_bits(), down.to_bits() + 1);
        for mode in CallerMode::ALL {
            let inside = || {
                let _mode = StandardMode::enter();
                (half(), third())
            };
            // 2^-127 is a subnormal; 1/3 is 0x3eaaaaab to nearest.
            let ((a, b), kept) = mode.during(inside);
            assert_eq!((a.to_bits(), b.to_bits(), kept), (0x0040_0000, 0x3eaa_aaab, true), "{mode:?}");
        }
        let (found, _) = CallerMode::FlushToZero.during(|| [StandardMode::reset(), StandardMode::reset()]);
        assert_eq!(found, [Some(register::STANDARD | register::FLUSH), None]);
        assert_eq!(register::read() & !register::FLAGS, register::STANDARD);
    }
}
