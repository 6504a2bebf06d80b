//! Byte round trip: every program that decodes encodes to the same bytes.

use super::{Failure, Skip, Verdict};
use crate::case::CaseError;
use crate::engine::Statistics;
use lockstep_core::binary::DecodeError;
use lockstep_core::isa::Format;

pub(super) fn check<I: Format>(bytes: &[u8]) -> Verdict {
    round_trip(bytes, I::decode, I::encode)
}

/// Checks that `write` returns the same bytes for the program that `read` decodes, and that these bytes decode to the same program.
fn round_trip<P: PartialEq>(
    bytes: &[u8],
    read: impl Fn(&[u8]) -> Result<P, DecodeError>,
    write: impl Fn(&P) -> Vec<u8>,
) -> Verdict {
    let program = match read(bytes) {
        Ok(program) => program,
        Err(error) if error.offset > bytes.len() as u64 => {
            let message = format!("the error is at {:#x}, past the end of the input: {error}", error.offset);
            return Verdict::Fails(Failure::new("decode", message));
        }
        Err(error) => return Verdict::Skipped(Skip::Unresolved(CaseError::Decode(error))),
    };
    let again = write(&program);
    if again != bytes {
        let at = again.iter().zip(bytes).position(|(a, b)| a != b).unwrap_or(again.len().min(bytes.len()));
        let message = format!(
            "byte {at:#x} differs: read {:02x?}, written {:02x?} ({} and {} bytes in all)",
            bytes.get(at),
            again.get(at),
            bytes.len(),
            again.len()
        );
        return Verdict::Fails(Failure::new("decode / encode", message));
    }
    match read(&again) {
        Ok(second) if second == program => {
            Verdict::Holds(Statistics { components: bytes.len() as u64, ..Statistics::default() })
        }
        _ => Verdict::Fails(Failure::new(
            "decode / decode",
            "decoding the same bytes twice gives two programs",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::binary::Problem;
    use std::cell::Cell;

    #[test]
    fn bytes_that_change_and_errors_out_of_bounds_are_failures() {
        let bytes = [1u8, 2, 3];
        let whole = |bytes: &[u8]| Ok(bytes.to_vec());
        let said = |verdict: Verdict| match verdict {
            Verdict::Fails(failure) => failure.message,
            other => format!("{other:?}"),
        };
        let holds = Verdict::Holds(Statistics { components: 3, ..Statistics::default() });
        assert_eq!(round_trip(&bytes, whole, Vec::clone), holds);
        for (written, at) in
            [(vec![1, 2, 4], "0x2"), (vec![1, 2], "0x2"), (vec![1, 2, 3, 0], "0x3"), (vec![], "0x0")]
        {
            let said = said(round_trip(&bytes, whole, |_| written.clone()));
            assert!(said.starts_with(&format!("byte {at} differs")), "{written:?}: {said}");
        }
        // A faulty decoder that returns a different program each time.
        let times = Cell::new(0);
        let unsteady = |bytes: &[u8]| {
            times.set(times.get() + 1);
            Ok((bytes.to_vec(), times.get()))
        };
        assert!(said(round_trip(&bytes, unsteady, |(bytes, _)| bytes.clone())).contains("two programs"));
        let error = |offset| DecodeError { offset, field: "x", problem: Problem::Trailing { count: 1 } };
        let at = |offset| round_trip(&bytes, |_| Err::<Vec<u8>, _>(error(offset)), Vec::clone);
        assert!(matches!(at(3), Verdict::Skipped(_)));
        assert!(said(at(4)).contains("past the end"));
    }
}
