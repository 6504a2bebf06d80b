//! A compiler's notes on a program, in the form that Mesa's standalone compiler prints: one key and value per line.
//!
//! Sizes are in bytes. The program's own uniforms come first, then the viewport's scale and offset, then literals, four per slot (M). A line `const N
//! BITS` gives the bits of literal number N.

use super::facts::{Fact, Facts, Literals};
use super::interface::SLOTS;

/// Parses notes; `None` if the text is not of this form or contains impossible values.
pub fn facts(notes: &str) -> Option<Facts> {
    let value = |key: &str| {
        let mut lines = notes.lines().map(str::split_whitespace);
        lines.find_map(|mut words| (words.next() == Some(key)).then(|| words.next()).flatten())
    };
    let number = |key: &str| value(key).and_then(|text| text.parse::<u16>().ok());
    let uniforms = number("uniform_size")?.div_ceil(16);
    let slot = uniforms.checked_add(2).filter(|slot| *slot <= SLOTS)?;
    let mut bits = vec![0; usize::from(number("constant_size")?.div_ceil(4))];
    if bits.len() > 4 * usize::from(SLOTS - slot) {
        return None;
    }
    for line in notes.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["const", number, literal] = words[..] {
            let literal = literal.strip_prefix("0x").unwrap_or(literal);
            *bits.get_mut(number.parse::<usize>().ok()?)? = u32::from_str_radix(literal, 16).ok()?;
        }
    }
    // A negative number means that no attribute is read.
    let prefetch = value(Fact::Prefetch.name()).and_then(|text| text.parse::<u64>().ok());
    if prefetch.is_some_and(|prefetch| prefetch > Fact::Prefetch.limit().0.into()) {
        return None;
    }
    let varying = |key: &str| number(key).filter(|number| *number < 16);
    Some(Facts {
        prefetch: number(Fact::Prefetch.name()),
        uniforms: Some(uniforms),
        viewport_scale: Some(uniforms),
        viewport_offset: Some(uniforms + 1),
        position: varying("gl_pos_idx"),
        point_size: varying("point_size_idx"),
        literals: Literals { slot, bits },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTES: &str = "shader_size 32\nuniform_size 48\nconstant_size 20\nprefetch 1\ngl_pos_idx 0\npoint_size_idx -1\n\
                         const 0 0x3f800000\nconst 4 0x40000000\n";

    #[test]
    fn literals_come_after_uniforms_and_viewport() {
        let facts = facts(NOTES).unwrap();
        assert_eq!(
            (facts.uniforms, facts.viewport_scale, facts.viewport_offset),
            (Some(3), Some(3), Some(4))
        );
        assert_eq!((facts.prefetch, facts.position, facts.point_size), (Some(1), Some(0), None));
        assert_eq!(facts.literal(5, 0), Some(1f32.to_bits()));
        assert_eq!(facts.literal(6, 0), Some(2f32.to_bits()));
        assert_eq!(facts.literal(6, 1), None);
    }

    #[test]
    fn malformed_notes_are_ignored() {
        for (old, new) in [
            ("const 4 0x40000000", "const 5 0x40000000"),
            ("const 4 0x40000000", "const 4 two"),
            ("uniform_size 48", "uniform_size 65535"),
            ("uniform_size 48", ""),
            ("constant_size 20", "constant_size 9000"),
            // An entry stores 65535 for a number that is not known.
            ("prefetch 1", "prefetch 65535"),
        ] {
            assert_eq!(facts(&NOTES.replace(old, new)), None, "{new}");
        }
    }
}
