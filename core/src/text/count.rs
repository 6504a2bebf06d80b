//! Numbers with their noun: `1 entry`, `2 entries`.

use std::fmt::Display;

/// Returns a number with its noun. `noun` is the singular; the plural is formed regularly.
///
/// ```
/// use lockstep_core::text::count;
/// assert_eq!([count(1u8, "entry"), count(0u8, "entry")], ["1 entry", "0 entries"]);
/// ```
pub fn count<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    if number == N::from(1) { format!("{number} {noun}") } else { format!("{number} {}", plural(noun)) }
}

/// The plural of a noun: `entries` of `entry`, `branches` of `branch`, `words` of `word`.
fn plural(noun: &str) -> String {
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end)) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn one_thing_is_singular_and_any_other_number_plural() {
        for (noun, many) in [
            ("byte", "bytes"),
            ("entry", "entries"),
            ("delay", "delays"),
            ("branch", "branches"),
            ("dash", "dashes"),
            ("bus", "buses"),
            ("prefix", "prefixes"),
            ("more effect", "more effects"),
        ] {
            assert_eq!(count(1usize, noun), format!("1 {noun}"));
            for n in [0usize, 2, 11, 21] {
                assert_eq!(count(n, noun), format!("{n} {many}"));
            }
        }
        assert_eq!((count(1u64, "word"), count(1i64, "word")), ("1 word".to_owned(), "1 word".to_owned()));
    }
}
