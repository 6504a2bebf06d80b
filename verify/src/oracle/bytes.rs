//! What decodes encodes to the same bytes.

use super::{Failure, Skip, Verdict};
use crate::case::CaseError;
use crate::engine::Statistics;
use lockstep_core::isa::Isa;

pub(super) fn check<I: Isa>(bytes: &[u8]) -> Verdict {
    let program = match I::decode(bytes) {
        Ok(program) => program,
        Err(error) if error.offset > bytes.len() as u64 => {
            let message =
                format!("the error is at {:#x}, behind the end of the input: {error}", error.offset);
            return Verdict::Fails(Failure::new("decode", message));
        }
        Err(error) => return Verdict::Skipped(Skip::Unresolved(CaseError::Decode(error))),
    };
    let again = I::encode(&program);
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
    match I::decode(&again) {
        Ok(second) if second == program => {
            Verdict::Holds(Statistics { components: bytes.len() as u64, ..Statistics::default() })
        }
        _ => Verdict::Fails(Failure::new(
            "decode / decode",
            "decoding the same bytes twice gives two programs",
        )),
    }
}
