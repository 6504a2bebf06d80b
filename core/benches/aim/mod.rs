//! Prints measured figures next to their aims.

/// Whether the aim of a figure is a minimum or a maximum.
#[derive(Clone, Copy)]
#[allow(dead_code)] // not every benchmark has both kinds
pub(crate) enum Bound {
    /// The figure must be the aim or more.
    AtLeast,
    /// The figure must be the aim or less.
    AtMost,
}

/// Prints a figure with its aim, and whether the figure meets the aim.
pub(crate) fn aim(label: &str, unit: &str, bound: Bound, aim: f64, figure: f64) {
    let (side, met) = match bound {
        Bound::AtLeast => ("at least", figure >= aim),
        Bound::AtMost => ("at most", figure <= aim),
    };
    let (aim, figure) = (number(aim), number(figure));
    println!("  {label:<52} aim {side} {aim} {unit}; {figure}: {}", if met { "met" } else { "missed" });
}

/// Formats a number with at least three digits. From ten thousand on, commas separate groups of three digits.
fn number(value: f64) -> String {
    let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    let plain = format!("{value:.decimals$}");
    if value < 10_000.0 {
        return plain;
    }
    let digits = plain.len();
    let grouped = plain.char_indices().flat_map(|(at, digit)| {
        let comma = (at > 0 && (digits - at).is_multiple_of(3)).then_some(',');
        comma.into_iter().chain([digit])
    });
    grouped.collect()
}
