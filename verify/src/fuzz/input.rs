//! Reading inputs.

use crate::case::{Case, EntryRef};
use lockstep_core::host::Environment;
use lockstep_core::isa::IsaId;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What the bytes of an input are.
pub(super) enum Input<'a> {
    /// A binary case.
    Case(Box<Case>),
    /// A byte that names the instruction set, and the rest.
    Raw(IsaId, &'a [u8]),
    /// Nothing, or for an instruction set that is left out.
    OtherIsa,
}

/// The instruction set that `LOCKSTEP_ISA` restricts runs to.
///
/// # Errors
/// If it names none; the message says which there are.
pub fn restriction() -> Result<Option<IsaId>, String> {
    match std::env::var("LOCKSTEP_ISA") {
        Ok(name) if !name.is_empty() => name.parse().map(Some),
        _ => Ok(None),
    }
}

static RESTRICTION: LazyLock<Option<IsaId>> = LazyLock::new(|| restriction().unwrap_or_default());

fn is_left_out(isa: IsaId) -> bool {
    RESTRICTION.is_some_and(|only| only != isa)
}

/// Takes an input apart.
pub(super) fn read(data: &[u8]) -> Input<'_> {
    if let Some(case) = Case::from_bytes(data) {
        return if is_left_out(case.isa) { Input::OtherIsa } else { Input::Case(Box::new(case)) };
    }
    let (first, rest) = data.split_first().unwrap_or((&0, &[]));
    let isa = IsaId::ALL[usize::from(*first) % IsaId::ALL.len()];
    if is_left_out(isa) { Input::OtherIsa } else { Input::Raw(isa, rest) }
}

/// The byte that names an instruction set.
pub(super) fn isa_byte(isa: IsaId) -> u8 {
    IsaId::ALL.iter().position(|id| *id == isa).unwrap_or_default() as u8
}

/// The instruction sets that this run takes.
pub(super) fn isas() -> Vec<IsaId> {
    IsaId::ALL.iter().copied().filter(|isa| !is_left_out(*isa)).collect()
}

/// A case of program bytes and nothing else.
pub(super) fn bare(isa: IsaId, bytes: &[u8]) -> Case {
    Case {
        isa,
        bytes: bytes.to_vec(),
        entry: EntryRef::default(),
        options: BTreeMap::new(),
        env: Environment::default(),
    }
}
