//! The expected results for other people's programs ("real" programs), by instruction set.

mod a2xx;
mod agal;
mod d3d9;
mod pica200;
mod utgard_gp;

use lockstep_core::isa::IsaId;

/// A program that is refused.
#[derive(Clone, Copy)]
pub(crate) struct Refused {
    /// The file's name.
    pub(crate) file: &'static str,
    /// The rule that `check` names as the reason for the refusal, such as `rule 33`.
    pub(crate) rule: &'static str,
    /// Why the refusal is right.
    pub(crate) reason: &'static str,
}

/// The exceptions among an instruction set's real programs. All other programs run and are compared.
#[derive(Clone, Copy)]
pub(crate) struct Expected {
    /// Programs that are refused.
    pub(crate) refused: &'static [Refused],
    /// Files that are not programs: the end of the name, and what they are.
    pub(crate) unread: &'static [(&'static str, &'static str)],
}

/// Returns the expectations for an instruction set's programs.
pub(crate) fn expected(isa: IsaId) -> Expected {
    match isa {
        IsaId::Agal => agal::EXPECTED,
        IsaId::Pica200 => pica200::EXPECTED,
        IsaId::UtgardGp => utgard_gp::EXPECTED,
        IsaId::A2xx => a2xx::EXPECTED,
        IsaId::D3d9 => d3d9::EXPECTED,
        IsaId::Unlisted(name) => panic!("{name} has no programs of other people"),
    }
}
