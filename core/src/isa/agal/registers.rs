//! The register files, each declared once: number, name, and the names of its registers in each stage.

use crate::binary::vocabulary;
use crate::isa::Stage;

/// The name of a file's registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegisterName {
    /// Letters before the number.
    pub(super) name: &'static str,
    /// The file.
    pub(super) file: File,
    /// The only stage that has the name; `None` for both.
    pub(super) stage: Option<Stage>,
    /// Whether the number may be omitted; it is then 0.
    pub(super) single: bool,
}

const BOTH: Option<Stage> = None;
const VERTEX: Option<Stage> = Some(Stage::Vertex);
const FRAGMENT: Option<Stage> = Some(Stage::Fragment);

/// The name of the colours of fragment programs after the first, which is `oc`.
pub(super) const FURTHER_COLOURS: &str = "fo";

// After the name of a file come the names of its registers, by stage; of several for one stage the first is printed. MANY: a number follows; ONE: it
// may be omitted.
macro_rules! files {
    ($($(#[$doc:meta])* $file:ident = $number:literal $text:literal $count:ident [$($letters:tt $stage:ident),*],)*) => {
        vocabulary! {
            /// The register files. Other numbers are kept and are violations.
            pub enum File {
                $($(#[$doc])* $file = $number $text,)*
            }
        }

        /// The names; of several for one file and stage the first is printed.
        pub(super) static REGISTERS: &[RegisterName] = &[
            $($(RegisterName { name: $letters, file: File::$file, stage: $stage, single: $count },)*)*
        ];
    };
}

const NUMBER_OPTIONAL: bool = true;
const NUMBERED: bool = false;

files! {
    /// `va`: per-vertex input.
    Attribute = 0 "attribute" NUMBERED ["va" BOTH],
    /// `vc`, `fc`.
    Constant = 1 "constant" NUMBERED ["vc" VERTEX, "fc" FRAGMENT],
    /// `vt`, `ft`.
    Temporary = 2 "temporary" NUMBERED ["vt" VERTEX, "ft" FRAGMENT],
    /// `op`, `fo`.
    Output = 3 "output" NUMBER_OPTIONAL ["op" VERTEX, "vo" VERTEX, "oc" FRAGMENT, FURTHER_COLOURS FRAGMENT],
    /// `v`: written by the vertex program, read by the fragment program.
    Varying = 4 "varying" NUMBERED ["v" BOTH, "vi" BOTH],
    /// `fs`, `vs`.
    Sampler = 5 "sampler" NUMBERED ["vs" VERTEX, "fs" FRAGMENT],
    /// `fd`: fragment depth.
    Depth = 6 "depth" NUMBER_OPTIONAL ["fd" BOTH, "od" BOTH],
    /// `iid`: instance number.
    Instance = 7 "instance" NUMBER_OPTIONAL ["iid" BOTH],
}
