//! The list of instruction sets.

use serde::{Deserialize, Serialize};

/// An instruction set, by name.
///
/// Binary cases and fuzz inputs store [`IsaId::number`], the index in [`IsaId::ALL`]. New instruction sets are therefore appended, and none is ever
/// removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IsaId {
    /// AGAL, of Flash Stage3D.
    Agal,
    /// PICA200, of the Nintendo 3DS.
    Pica200,
    /// Utgard GP: the geometry processor of Mali-200, 400 and 450.
    UtgardGp,
    /// Qualcomm Adreno A2xx, and Xenos of the Xbox 360.
    A2xx,
    /// Shader bytecode of Direct3D 9.
    D3d9,
    /// An instruction set that is not in [`IsaId::ALL`], identified by name, such as the example in `verify/tests/all/toy.rs`. Generic code accepts
    /// such a set as a type, but no file, input or command can name it.
    #[serde(skip)]
    Unlisted(#[serde(skip)] &'static str),
}

/// Evaluates an expression in which a type alias stands for the instruction set that an [`IsaId`] names:
/// `with_isa!(id, I => f::<I>())`.
///
/// # Panics
/// For [`IsaId::Unlisted`], because such an instruction set can only be named as a type.
#[macro_export]
macro_rules! with_isa {
    ($which:expr, $alias:ident => $body:expr) => {{
        #[allow(unused_imports)]
        use $crate::isa::{
            Edits as _, Format as _, Legality as _, Lowering as _, Reference as _, Refinement as _,
            Syntax as _, Tables as _,
        };
        match $which {
            $crate::isa::IsaId::Agal => {
                type $alias = $crate::isa::agal::Agal;
                $body
            }
            $crate::isa::IsaId::Pica200 => {
                type $alias = $crate::isa::pica200::Pica200;
                $body
            }
            $crate::isa::IsaId::UtgardGp => {
                type $alias = $crate::isa::utgard_gp::UtgardGp;
                $body
            }
            $crate::isa::IsaId::A2xx => {
                type $alias = $crate::isa::a2xx::A2xx;
                $body
            }
            $crate::isa::IsaId::D3d9 => {
                type $alias = $crate::isa::d3d9::D3d9;
                $body
            }
            $crate::isa::IsaId::Unlisted(name) => $crate::isa::panic_unlisted(name),
        }
    }};
}

/// Panics: `with_isa!` was used with an instruction set that is not in the list.
#[doc(hidden)]
#[allow(clippy::panic)] // A bug in the caller: no file, input or command can name such a set.
pub fn panic_unlisted(name: &str) -> ! {
    panic!("{name} is not in the list of instruction sets: name it as a type")
}

impl IsaId {
    /// All listed instruction sets, indexed by number. Checks, proofs, fuzzers and the command line iterate over this list.
    pub const ALL: &'static [Self] = &[Self::Agal, Self::Pica200, Self::UtgardGp, Self::A2xx, Self::D3d9];

    /// Returns the number used in binary cases and fuzz inputs, which never changes.
    pub fn number(self) -> u8 {
        match self {
            IsaId::Agal => 0,
            IsaId::Pica200 => 1,
            IsaId::UtgardGp => 2,
            IsaId::A2xx => 3,
            IsaId::D3d9 => 4,
            // Not the number of any listed instruction set.
            IsaId::Unlisted(_) => u8::MAX,
        }
    }

    /// Returns the instruction set with this number; `None` if there is none.
    pub fn from_number(number: u8) -> Option<IsaId> {
        IsaId::ALL.iter().copied().find(|id| id.number() == number)
    }

    /// Returns the name of the instruction set's folder in collections of third-party programs.
    pub fn folder(self) -> String {
        self.name().replace('_', "-")
    }

    /// Returns the name used for the project's folders, on the command line and in case files.
    pub fn name(self) -> &'static str {
        match self {
            IsaId::Agal => "agal",
            IsaId::Pica200 => "pica200",
            IsaId::UtgardGp => "utgard_gp",
            IsaId::A2xx => "a2xx",
            IsaId::D3d9 => "d3d9",
            IsaId::Unlisted(name) => name,
        }
    }
}

impl std::str::FromStr for IsaId {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let name = s.to_ascii_lowercase().replace('-', "_");
        IsaId::ALL.iter().copied().find(|id| id.name() == name).ok_or_else(|| {
            let known: Vec<_> = IsaId::ALL.iter().map(|id| id.name()).collect();
            format!("there is no instruction set '{s}'; the instruction sets are {}", known.join(", "))
        })
    }
}

impl std::fmt::Display for IsaId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
