//! The ways in which a lane can end.

/// How a lane ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The lane reached the end of the program.
    Finished,
    /// The lane ran out of fuel: see [`costs_fuel`](crate::isa::run::costs_fuel).
    OutOfFuel,
    /// The lane had more effects than the environment allows; those beyond the limit were dropped.
    EffectsFull,
    /// The lane reached a point at which the hardware would hang.
    Hung,
}
