//! Limits on untrusted TOML. The parser allocates hundreds of bytes for each word and punctuation mark, and thousands for each table, so a text of 16
//! MiB could take gigabytes.

use serde::de::DeserializeOwned;
use toml::de::{DeTable, DeValue};

/// The maximum number of tokens of a text: words, punctuation marks, white space, strings and comments. `[0.5, 1.0]` has ten. The limit suffices for
/// about 95,000 vectors of four decimals.
pub const MAX_TOKENS: usize = 1 << 21;
/// The maximum number of brackets that open an array or a table.
pub const MAX_BRACKETS: usize = 1 << 17;

/// Parses TOML within the limits.
///
/// # Errors
/// If a limit is exceeded, the text is not TOML, or it does not have the keys of `T`. The message contains line and column.
pub fn from_toml<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    if let Some(beyond) = exceeded_limit(text) {
        return Err(beyond);
    }
    toml::from_str(text).map_err(|error| error.to_string())
}

/// Returns line and column, from 1, of the value at a path of keys in nested tables. `None` if a key does not exist, or the text is not TOML within
/// the limits.
pub fn place_of(text: &str, path: &[&str]) -> Option<(usize, usize)> {
    if exceeded_limit(text).is_some() {
        return None;
    }
    let root = DeTable::parse(text).ok()?;
    let (first, rest) = path.split_first()?;
    let mut value = root.get_ref().get(*first)?;
    for key in rest {
        let DeValue::Table(table) = value.get_ref() else { return None };
        value = table.get(*key)?;
    }
    Some(line_and_column(text, value.span().start))
}

fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

/// Returns a sentence that states which limit a text exceeds and where; `None` if it exceeds none.
fn exceeded_limit(text: &str) -> Option<String> {
    let said = |offset, most: usize, what: &str| {
        let (line, column) = line_and_column(text, offset);
        format!("at line {line}, column {column}: the text has more than {most} {what}, which is the limit")
    };
    let (mut tokens, mut brackets) = (0usize, 0usize);
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        tokens += 1;
        brackets += usize::from(matches!(byte, b'[' | b'{'));
        if brackets > MAX_BRACKETS {
            return Some(said(at, MAX_BRACKETS, "opening brackets"));
        }
        if tokens > MAX_TOKENS {
            return Some(said(
                at,
                MAX_TOKENS,
                "tokens (words, punctuation marks, white space, strings, comments)",
            ));
        }
        at += token(&bytes[at..]);
    }
    None
}

/// Returns the length in bytes of the first token: a comment, a string, white space, a word, or a punctuation mark.
fn token(bytes: &[u8]) -> usize {
    let run = |within: fn(&u8) -> bool| bytes.iter().position(|b| !within(b)).unwrap_or(bytes.len());
    match bytes[0] {
        b'#' => run(|b| *b != b'\n'),
        quote @ (b'"' | b'\'') => string(bytes, quote),
        b' ' | b'\t' => run(|b| matches!(b, b' ' | b'\t')),
        b if is_word(&b) => run(is_word),
        _ => 1,
    }
}

fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+')
}

/// Returns the length in bytes of the string that `bytes` begins with. A single-line string ends at the end of the line at the latest, as in a TOML
/// parser.
fn string(bytes: &[u8], quote: u8) -> usize {
    let many = bytes.starts_with(&[quote; 3]);
    let mut at = if many { 3 } else { 1 };
    while let Some(byte) = bytes.get(at) {
        match *byte {
            b'\n' if !many => return at,
            b'\\' if quote == b'"' && (many || bytes.get(at + 1) != Some(&b'\n')) => at += 2,
            b if b == quote && !many => return at + 1,
            b if b == quote && bytes[at..].starts_with(&[quote; 3]) => {
                // Up to two quotes directly before the closing three are part of the string.
                return at + 3 + bytes[at + 3..].iter().take(2).take_while(|b| **b == quote).count();
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_the_largest_value_accepted() {
        let arrays = |n: usize| format!("a = [{}]", "[],".repeat(n - 1));
        assert_eq!(exceeded_limit(&arrays(MAX_BRACKETS)), None);
        let said = exceeded_limit(&format!("# é\n{}", arrays(MAX_BRACKETS + 1))).expect("too many");
        let column = 6 + 3 * (MAX_BRACKETS - 1);
        assert!(
            said.starts_with(&format!("at line 2, column {column}: ")) && said.contains("131072"),
            "{said}"
        );
        // Five tokens precede the numbers: the key, two spaces, an equals sign and the bracket.
        let numbers = |n: usize| format!("a = [{}", "10,".repeat(n));
        assert_eq!(exceeded_limit(&numbers((MAX_TOKENS - 5) / 2)), None);
        let said = exceeded_limit(&numbers(MAX_TOKENS / 2)).expect("too many");
        assert!(said.contains("2097152 tokens"), "{said}");
        for many in ["[[a]]\n", "a=0\n", "a.", "a ", "\n", "'',", "\"\\\"\",", "é", "{a={}},"] {
            assert!(exceeded_limit(&many.repeat(MAX_TOKENS + 1)).is_some(), "{many}");
        }
    }

    #[test]
    fn strings_and_comments_count_as_one_token() {
        let many = "[".repeat(MAX_BRACKETS + 1);
        for text in [
            format!("# {many}"),
            format!("a = \"{many}\""),
            format!("a = '{many}'"),
            format!("a = \"\\\"{many}\""),
            format!("a = \"\"\"\n\\\"\"\"{many}\n\"\"\""),
            format!("a = '''\n{many}'\\'''"),
        ] {
            assert_eq!(exceeded_limit(&text), None, "{}", &text[..10]);
        }
        for text in [
            format!("# \n{many}"),
            format!("a = \"{many}\"{many}"),
            format!("a = \"\n{many}"),
            format!("a = \"\\\n{many}"),
            format!("a = 'b\\'{many}"),
            format!("a = '''b''''{many}"),
            format!("a = \"\"\"b\"\"\"\"\"{many}"),
            format!("a = \"\"{many}"),
        ] {
            assert!(exceeded_limit(&text).is_some(), "{}", &text[..10]);
        }
    }

    #[test]
    fn values_are_found_with_their_position() {
        let text = "a = 1\n[env]\nfuel = 2\nlanes = []\n";
        assert_eq!(place_of(text, &["env", "lanes"]), Some((4, 9)));
        assert_eq!(place_of(text, &["env", "lane"]), None);
        assert_eq!(place_of(text, &["a", "b"]), None);
        assert_eq!(place_of("é = [", &["é"]), None);
    }
}
