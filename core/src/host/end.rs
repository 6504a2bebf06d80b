//! How a lane ended.

/// How a lane ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// It reached the end of the program.
    Finished,
    /// It ran out of fuel: see [`costs_fuel`](crate::isa::run::costs_fuel).
    OutOfFuel,
    /// It recorded more effects than the environment has room for.
    EffectsFull,
    /// The machine itself would hang here.
    Hung,
}
