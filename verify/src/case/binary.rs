//! The binary form of a case.

use super::Case;

/// The magic number of a binary case.
pub const MAGIC: [u8; 4] = *b"LSC1";

impl Case {
    /// Encodes the case in binary form.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        // Serialising these types into memory cannot fail. If it did, the empty body would not decode as a case.
        bytes.extend(postcard::to_stdvec(self).unwrap_or_default());
        bytes
    }

    /// Decodes the binary form; `None` if the bytes are not a case. Memory use is proportional to the input.
    pub fn from_bytes(bytes: &[u8]) -> Option<Case> {
        let body = bytes.strip_prefix(&MAGIC)?;
        let (case, rest) = postcard::take_from_bytes::<Case>(body).ok()?;
        rest.is_empty().then_some(case)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::host::{Environment, LaneInput};
    use lockstep_core::isa::IsaId;

    fn case() -> Case {
        Case {
            isa: IsaId::Agal,
            bytes: vec![0xa0, 1, 0, 0, 0, 0xa1, 0],
            entry: super::super::EntryRef::Own(0),
            options: [("ifg".to_owned(), "ge".to_owned())].into(),
            env: Environment {
                constants: vec![[1.0, -0.0, f32::INFINITY, 1e-45]],
                fuel: 7,
                lanes: vec![LaneInput { slots: vec![[0.1; 4]] }],
                ..Environment::default()
            },
        }
    }

    #[test]
    fn round_trips() {
        assert_eq!(Case::from_bytes(&case().to_bytes()), Some(case()));
    }

    #[test]
    fn every_truncation_and_any_tail_is_refused() {
        let bytes = case().to_bytes();
        for end in 0..bytes.len() {
            assert_eq!(Case::from_bytes(&bytes[..end]), None, "{end}");
        }
        assert_eq!(Case::from_bytes(&[&bytes[..], &[0]].concat()), None);
    }

    #[test]
    fn a_huge_length_allocates_little() {
        let mut bytes = MAGIC.to_vec();
        bytes.push(0);
        bytes.extend([0xff, 0xff, 0xff, 0xff, 0x0f]);
        assert_eq!(Case::from_bytes(&bytes), None);
    }
}
