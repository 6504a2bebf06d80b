//! Bytes written as a list of numbers, as Ruffle keeps the programs of its tests: `&[160, 1, 0, 0, 0, 161, …]` below comments.

/// The bytes that a text lists between brackets, behind comments that begin with `//`; `None` for any other text.
pub(super) fn bytes(text: &str) -> Option<Vec<u8>> {
    let mut rest = text.trim_start();
    while let Some(comment) = rest.strip_prefix("//") {
        rest = comment.split_once('\n')?.1.trim_start();
    }
    let list = rest.strip_prefix('&').unwrap_or(rest).strip_prefix('[')?;
    let (list, after) = list.split_once(']')?;
    if !matches!(after.trim(), "" | ";") {
        return None;
    }
    let list = list.trim_end().trim_end_matches(',');
    list.split(',').map(|number| number.trim().parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn lists_are_bytes_and_all_other_text_is_not() {
        assert_eq!(bytes("// from a game\n// by hand\n&[160,1, 0,\n255,]\n"), Some(vec![160, 1, 0, 255]));
        assert_eq!(bytes("[160]"), Some(vec![160]));
        for other in [
            "",
            "// a",
            "&[]",
            "&[160",
            "&[256]",
            "&[1,,2]",
            "[1] mov op, va0",
            "version 1 vertex",
            "&[0xa0]",
        ] {
            assert_eq!(bytes(other), None, "{other}");
        }
    }
}
