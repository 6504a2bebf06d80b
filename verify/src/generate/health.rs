//! The quality bounds that tests hold each instruction set's generator to.

/// Bounds on generated programs, in percent. [`Health::USUAL`] applies to every instruction set; one that cannot keep a bound states its own and
/// says why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Health {
    /// Least share of valid programs that reach the comparison of engines. The others waste time.
    pub compared: f64,
    /// Greatest share of compared components that are NaN or equal in every lane: they hide wrong results.
    pub uninformative: f64,
    /// Least share of valid programs without even a warning, as compilers emit them.
    pub clean: f64,
    /// Warnings that no valid program may have: the generator tracks what has been written, so it reads nothing unwritten.
    pub never: &'static [u16],
    /// Least share of instructions that influence what is compared.
    pub live: f64,
    /// Least share of coverage points that are live in programs made without a request.
    pub reached: f64,
    /// Minimum share of requests for a coverage point that the generator meets at the first attempt. Setters of facets meet the others.
    pub granted: f64,
    /// Least share of nearly valid programs that are refused: most invalidations must be noticed.
    pub refused: f64,
    /// Greatest share of nearly valid programs in which no rule finds anything.
    pub unnoticed: f64,
    /// Whether a nearly valid program may get a warning and no error; some then must.
    pub warnings: bool,
    /// Least and greatest share of noise that decodes. Formats that are nothing but words decode all of it.
    pub decoded: [f64; 2],
    /// Least share of mutants that both engines run.
    pub mutants: f64,
}

impl Health {
    /// The bounds for every instruction set.
    pub const USUAL: Health = Health {
        compared: 95.0,
        uninformative: 15.0,
        clean: 90.0,
        never: &[],
        live: 75.0,
        reached: 95.0,
        granted: 100.0,
        refused: 80.0,
        unnoticed: 5.0,
        warnings: true,
        decoded: [10.0, 99.9],
        mutants: 50.0,
    };
}
