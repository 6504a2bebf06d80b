//! Reads the inputs of fuzz targets.

use crate::case::Case;
use lockstep_core::isa::IsaId;
use std::sync::LazyLock;

/// The content of an input.
pub(super) enum Input<'a> {
    /// The input is a binary case.
    Case(Box<Case>),
    /// The input is a byte that names the instruction set, followed by raw bytes.
    Raw(IsaId, &'a [u8]),
    /// The input is for an instruction set that this run excludes.
    OtherIsa,
    /// The input is empty, or its first byte is not the number of an instruction set.
    Unreadable,
}

/// Returns the instruction set that `LOCKSTEP_ISA` restricts runs to.
///
/// # Errors
/// If the name is unknown; the message lists the valid names.
pub fn restriction() -> Result<Option<IsaId>, String> {
    match std::env::var("LOCKSTEP_ISA") {
        Ok(name) if !name.is_empty() => name.parse().map(Some),
        _ => Ok(None),
    }
}

static RESTRICTION: LazyLock<Option<IsaId>> = LazyLock::new(|| restriction().unwrap_or_default());

pub(super) fn is_left_out(isa: IsaId) -> bool {
    RESTRICTION.is_some_and(|only| only != isa)
}

/// Parses an input.
pub(super) fn read(data: &[u8]) -> Input<'_> {
    if let Some(case) = Case::from_bytes(data) {
        return if is_left_out(case.isa) { Input::OtherIsa } else { Input::Case(Box::new(case)) };
    }
    let named = data.split_first().and_then(|(first, rest)| Some((IsaId::from_number(*first)?, rest)));
    match named {
        Some((isa, _)) if is_left_out(isa) => Input::OtherIsa,
        Some((isa, rest)) => Input::Raw(isa, rest),
        None => Input::Unreadable,
    }
}

/// Returns the instruction sets that this run includes.
pub(super) fn isas() -> Vec<IsaId> {
    IsaId::ALL.iter().copied().filter(|isa| !is_left_out(*isa)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_number_of_an_instruction_set_selects_it() {
        for number in 0..=u8::MAX {
            let data = [number, 7];
            match (read(&data), IsaId::from_number(number)) {
                (Input::Raw(isa, rest), Some(named)) => assert!(isa == named && rest == [7]),
                (Input::OtherIsa, Some(named)) => assert!(is_left_out(named)),
                (Input::Unreadable, None) => {}
                _ => panic!("{number}"),
            }
        }
        assert!(matches!(read(&[]), Input::Unreadable));
    }
}
