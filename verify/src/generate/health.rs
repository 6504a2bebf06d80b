//! What an instruction set's generator has to achieve: the bounds that tests hold it to.

/// Bounds on generated programs, in percent. [`Health::USUAL`] is what is asked of every instruction set; one that cannot keep a bound
/// states its own and says why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Health {
    /// Valid programs that reach the comparison of engines, at least. The others are time spent on nothing.
    pub compared: f64,
    /// Compared components that are NaN, or the same in every lane, at most: such components hide wrong results.
    pub dull: f64,
    /// Valid programs without so much as a warning, at least: what people feed to compilers.
    pub clean: f64,
    /// Warnings that no valid program deserves: the generator keeps account of what is written, so that what it has read is.
    pub never: &'static [u16],
    /// Instructions that have a say in what is compared, at least.
    pub live: f64,
    /// Classes of instructions that are live after programs made without a wish, at least.
    pub reached: f64,
    /// Wishes for a class that the first attempt grants, at least. What the generator does not come to, setters of facets do.
    pub granted: f64,
    /// Nearly valid programs that are refused, at least: what breaks them must mostly be noticed.
    pub refused: f64,
    /// Nearly valid programs that no rule has anything to say about, at most.
    pub unnoticed: f64,
    /// Whether a nearly valid program may deserve a warning and no more; some then must.
    pub warnings: bool,
    /// Noise that decodes: at least, and at most. Formats that are words and nothing else decode all of it.
    pub decoded: [f64; 2],
    /// Mutants that both engines run, at least.
    pub mutants: f64,
}

impl Health {
    /// What is asked of every instruction set.
    pub const USUAL: Health = Health {
        compared: 95.0,
        dull: 15.0,
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
