//! The register files, each declared once: number, name, and the names of its registers in each stage.

use crate::binary::vocabulary;
use crate::isa::Stage;

/// A name for the registers of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegisterName {
    /// The letters before the register number.
    pub(super) name: &'static str,
    /// The register file.
    pub(super) file: File,
    /// The only stage in which the name is valid; `None` for both stages.
    pub(super) stage: Option<Stage>,
    /// Whether the register number may be omitted; it is then 0.
    pub(super) number_optional: bool,
}

const BOTH: Option<Stage> = None;
const VERTEX: Option<Stage> = Some(Stage::Vertex);
const FRAGMENT: Option<Stage> = Some(Stage::Fragment);

/// The name of the colour outputs of fragment programs after the first. The first is `oc`.
pub(super) const FURTHER_COLOURS: &str = "fo";

// Each row contains the name of a file, and in brackets the names of its registers, by stage. If there are several names for one stage, the first is
// printed, but [`FURTHER_COLOURS`] for a colour after the first. NUMBERED: a number follows; NUMBER_OPTIONAL: it may be omitted.
macro_rules! files {
    ($($(#[$doc:meta])* $file:ident = $number:literal $text:literal $number_optional:ident [$($letters:tt $stage:ident),*],)*) => {
        vocabulary! {
            /// The register files. Unknown numbers are preserved and reported as violations.
            pub enum File {
                $($(#[$doc])* $file = $number $text,)*
            }
        }

        /// The register names. Of several for one file and stage, the first is printed, but [`FURTHER_COLOURS`] for a colour after the first.
        pub(super) static REGISTER_NAMES: &[RegisterName] = &[
            $($(RegisterName { name: $letters, file: File::$file, stage: $stage, number_optional: $number_optional },)*)*
        ];
    };
}

const NUMBER_OPTIONAL: bool = true;
const NUMBERED: bool = false;

files! {
    /// `va`: per-vertex input.
    Attribute = 0 "attribute" NUMBERED ["va" BOTH],
    /// `vc` or `fc`: constants.
    Constant = 1 "constant" NUMBERED ["vc" VERTEX, "fc" FRAGMENT],
    /// `vt` or `ft`: temporaries.
    Temporary = 2 "temporary" NUMBERED ["vt" VERTEX, "ft" FRAGMENT],
    /// `op`, or `oc` and `fo1` to `fo3`: position or colours.
    Output = 3 "output" NUMBER_OPTIONAL ["op" VERTEX, "vo" VERTEX, "oc" FRAGMENT, FURTHER_COLOURS FRAGMENT],
    /// `v`: written by the vertex program, read by the fragment program.
    Varying = 4 "varying" NUMBERED ["v" BOTH, "vi" BOTH],
    /// `vs` or `fs`: samplers.
    Sampler = 5 "sampler" NUMBERED ["vs" VERTEX, "fs" FRAGMENT],
    /// `fd`: fragment depth.
    Depth = 6 "depth" NUMBER_OPTIONAL ["fd" BOTH, "od" BOTH],
    /// `iid`: instance number.
    Instance = 7 "instance" NUMBER_OPTIONAL ["iid" BOTH],
}
