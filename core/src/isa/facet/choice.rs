//! Facet values that correspond to values of a field.

/// A facet value and the field's value.
pub type Choice<T = u8> = (&'static str, T);

/// Moves the choice with this number to the front, as the simplest one.
pub const fn with_first<const N: usize>(choices: [Choice; N], number: u8) -> [Choice; N] {
    let mut at = 0;
    while choices[at].1 != number {
        at += 1;
    }
    let mut led = choices;
    led[0] = choices[at];
    while at > 0 {
        led[at] = choices[at - 1];
        at -= 1;
    }
    led
}

/// The names of choices.
pub const fn names<T: Copy, const N: usize>(choices: &[Choice<T>; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut k = 0;
    while k < N {
        names[k] = choices[k].0;
        k += 1;
    }
    names
}

/// The facet value for a value of the field.
pub fn value<T: Copy + PartialEq>(choices: &[Choice<T>], held: T) -> Option<&'static str> {
    choices.iter().find(|(_, known)| *known == held).map(|(name, _)| *name)
}

/// The value of the field for a facet value.
pub fn held<T: Copy>(choices: &[Choice<T>], value: &str) -> Option<T> {
    choices.iter().find(|(name, _)| *name == value).map(|(_, held)| *held)
}
