//! Suggestions for misspelt words.

/// The maximum length in characters of a word that gets a suggestion. The search for longer words would take too long.
const MAX_WORD: usize = 32;

/// Returns the candidate with the smallest edit distance from `word`. `None` if that distance exceeds 1 + n / 4, rounded down, for a word of n
/// characters, or if the word is longer than 32 characters. Case is ignored.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.chars().nth(MAX_WORD).is_some() {
        return None;
    }
    let word: Vec<char> = word.to_lowercase().chars().collect();
    let allowed = if word.len() <= 3 { 1 } else { 1 + word.len() / 4 };
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, candidate), candidate))
        .filter(|(d, _)| *d <= allowed)
        .min_by_key(|(d, _)| *d)
        .map(|(_, candidate)| candidate)
}

/// The Levenshtein distance.
fn distance(word: &[char], candidate: &str) -> usize {
    let mut row: Vec<usize> = (0..=word.len()).collect();
    for (i, c) in candidate.chars().flat_map(char::to_lowercase).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, w) in word.iter().enumerate() {
            let replaced = diagonal + usize::from(*w != c);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[word.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_closest_or_nothing() {
        assert_eq!(nearest("mvo", ["add", "mov", "mul"]), None, "two letters of three are too many");
        assert_eq!(nearest("mo", ["mov"]), Some("mov"));
        assert_eq!(nearest("opp", ["op"]), Some("op"));
        assert_eq!(nearest("MOV", ["add", "mov"]), Some("mov"));
        assert_eq!(nearest("sampel", ["VERTEX", "SAMPLE"]), Some("SAMPLE"));
        assert_eq!(nearest("lineer", ["nearest", "linear"]), Some("linear"));
        assert_eq!(nearest("xyzzy", ["linear"]), None);
        assert_eq!(nearest(&"a".repeat(1 << 20), ["linear"]), None);
    }

    #[test]
    fn longer_words_may_differ_in_more_letters_and_case_never_counts() {
        // As documented above: one letter for up to three, otherwise one plus one for every four.
        for length in 1..=32usize {
            let allowed = if length <= 3 { 1 } else { 1 + length / 4 };
            for wrong in 0..=length {
                let word = format!("{}{}", "Q".repeat(wrong), "a".repeat(length - wrong));
                let candidate = "A".repeat(length);
                let found = nearest(&word, [candidate.as_str()]);
                assert_eq!(found.is_some(), wrong <= allowed, "{wrong} of {length}");
            }
        }
        assert_eq!(nearest(&"a".repeat(33), ["a"]), None);
    }
}
