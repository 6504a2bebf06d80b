//! Quality bounds for generators, which tests enforce for each instruction set.

/// Bounds on generated programs, in percent. Programs are drawn with fixed seeds, so a share changes only if a generator does. The bounds of an
/// instruction set are about one percentage point from the measured shares, which the tests print, so that a generator that becomes worse fails. A
/// bound far from [`Health::USUAL`] is explained where it is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Health {
    /// The minimum share of valid programs that reach the comparison of engines. Programs that do not reach it waste fuzzing time.
    pub compared: f64,
    /// The maximum share of compared components that are NaN or equal in all lanes, since such components hide wrong results.
    pub uninformative: f64,
    /// The minimum share of valid programs without any warning, like the programs that compilers emit.
    pub clean: f64,
    /// The numbers of warnings that no valid program may cause, such as reads of unwritten registers.
    pub never: &'static [u16],
    /// The minimum share of instructions that influence a compared value.
    pub live: f64,
    /// The minimum share of coverage points that are live in programs generated without a request.
    pub reached: f64,
    /// The minimum share of nearly valid programs that are refused.
    pub refused: f64,
    /// The maximum share of nearly valid programs in which no violation is found.
    pub unnoticed: f64,
    /// Whether a nearly valid program may cause a warning without an error. If it may, tests require that some nearly valid programs do.
    pub warnings: bool,
    /// The minimum and maximum share of random bytes that decode. If every word is valid in a format, all random bytes of the right length decode.
    pub decoded: [f64; 2],
    /// The minimum share of mutants that both engines run.
    pub mutants: f64,
}

impl Health {
    /// The default bounds.
    pub const USUAL: Health = Health {
        compared: 99.0,
        uninformative: 8.0,
        clean: 90.0,
        never: &[],
        live: 75.0,
        reached: 94.0,
        refused: 87.0,
        unnoticed: 2.2,
        warnings: true,
        decoded: [10.0, 99.9],
        mutants: 58.0,
    };
}
