//! Facets whose values correspond one to one to values of an instruction field.

/// A facet value and the corresponding value of the instruction field.
pub type Choice<T = u8> = (&'static str, T);

/// Moves the choice whose field value is `number` to the front, where the simplest value belongs.
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

/// Returns the facet values of a list of choices.
pub const fn names<T: Copy, const N: usize>(choices: &[Choice<T>; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut k = 0;
    while k < N {
        names[k] = choices[k].0;
        k += 1;
    }
    names
}

/// Returns the facet value for a field value; `None` if no choice has it.
pub fn value<T: Copy + PartialEq>(choices: &[Choice<T>], field: T) -> Option<&'static str> {
    choices.iter().find(|(_, known)| *known == field).map(|(name, _)| *name)
}

/// Returns the field value for a facet value; `None` if no choice has it.
pub fn field_value<T: Copy>(choices: &[Choice<T>], value: &str) -> Option<T> {
    choices.iter().find(|(name, _)| *name == value).map(|(_, held)| *held)
}
