//! The register files, each declared once: number, name, and what its registers are called in each stage.

use crate::binary::vocabulary;
use crate::isa::Stage;

/// What a register is called.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegisterName {
    /// Letters before the number.
    pub(super) name: &'static str,
    /// Its file.
    pub(super) file: File,
    /// The only stage that has the name; `None` for both.
    pub(super) stage: Option<Stage>,
    /// Whether it may stand without a number, which is then 0.
    pub(super) single: bool,
}

const BOTH: Option<Stage> = None;
const VERTEX: Option<Stage> = Some(Stage::Vertex);
const FRAGMENT: Option<Stage> = Some(Stage::Fragment);

/// The name of colours of fragment programs beyond the first, whose name has no number.
pub(super) const FURTHER: &str = "fo";

// After the name of a file stand those of its registers, by stage; of several for one stage the first is the one printed. With MANY a number follows,
// with ONE it may be left out.
macro_rules! files {
    ($($(#[$doc:meta])* $file:ident = $number:literal $text:literal $count:ident [$($letters:tt $stage:ident),*],)*) => {
        vocabulary! {
            /// The register files. Other numbers are kept and are violations.
            pub enum File {
                $($(#[$doc])* $file = $number $text,)*
            }
        }

        /// The names; of several for one file and stage the first is the one printed.
        pub(super) static REGISTERS: &[RegisterName] = &[
            $($(RegisterName { name: $letters, file: File::$file, stage: $stage, single: $count },)*)*
        ];
    };
}

const ONE: bool = true;
const MANY: bool = false;

files! {
    /// `va`: per-vertex input.
    Attribute = 0 "attribute" MANY ["va" BOTH],
    /// `vc`, `fc`.
    Constant = 1 "constant" MANY ["vc" VERTEX, "fc" FRAGMENT],
    /// `vt`, `ft`.
    Temporary = 2 "temporary" MANY ["vt" VERTEX, "ft" FRAGMENT],
    /// `op`, `fo`.
    Output = 3 "output" ONE ["op" VERTEX, "vo" VERTEX, "oc" FRAGMENT, FURTHER FRAGMENT],
    /// `v`: written by the vertex program, read by the fragment program.
    Varying = 4 "varying" MANY ["v" BOTH, "vi" BOTH],
    /// `fs`, `vs`.
    Sampler = 5 "sampler" MANY ["vs" VERTEX, "fs" FRAGMENT],
    /// `fd`: fragment depth.
    Depth = 6 "depth" ONE ["fd" BOTH, "od" BOTH],
    /// `iid`: instance number.
    Instance = 7 "instance" ONE ["iid" BOTH],
}
