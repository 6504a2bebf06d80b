//! The register files, each declared once.

macro_rules! files {
    ($($(#[$doc:meta])* $file:ident = $letter:literal $count:literal $name:literal from $first:literal;)*) => {
        /// A register file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum File {
            $($(#[$doc])* $file,)*
        }

        impl File {
            /// All register files.
            pub(super) const ALL: [File; [$($letter),*].len()] = [$(File::$file),*];

            /// Returns the letter before the number of a register.
            pub(super) const fn letter(self) -> char {
                match self { $(File::$file => $letter,)* }
            }

            /// Returns the number of registers that an instruction or a constant can name.
            pub(super) const fn count(self) -> u8 {
                match self { $(File::$file => $count,)* }
            }

            /// Returns the name of the file as a facet value.
            pub(super) const fn name(self) -> &'static str {
                match self { $(File::$file => $name,)* }
            }

            /// Returns the number of the first register in the operand fields that can name the file's registers.
            pub(super) const fn first(self) -> u8 {
                match self { $(File::$file => $first,)* }
            }
        }
    };
}

files! {
    /// Outputs.
    Output = 'o' 16 "output" from 0;
    /// Inputs.
    Input = 'v' 16 "input" from 0;
    /// Temporaries, which are read and written.
    Temporary = 'r' 16 "temporary" from 0x10;
    /// Float uniforms.
    Float = 'c' 96 "uniform" from 0x20;
    /// Integer uniforms. There are four; the count is 16 because the field has four bits.
    Int = 'i' 16 "integer" from 0;
    /// Boolean uniforms.
    Bool = 'b' 16 "boolean" from 0;
}

impl File {
    /// Returns the file with this letter, in upper or lower case.
    pub(super) fn from_letter(letter: char) -> Option<File> {
        File::ALL.into_iter().find(|file| file.letter().eq_ignore_ascii_case(&letter))
    }

    /// Returns the name of a register.
    pub(super) fn register(self, number: impl std::fmt::Display) -> String {
        format!("{}{number}", self.letter())
    }
}
