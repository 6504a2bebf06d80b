//! Of which instruction set a file is, by its path, its extension or the first line of its text.

use lockstep_core::isa::{Isa, IsaId};
use lockstep_core::with_isa;
use std::path::Path;

/// The instruction set that a path names: as an extension of the file (`x.agal`, `x.agal.txt`) or as one of its folders, those above the working
/// directory too.
pub(super) fn isa_of_path(path: &Path) -> Option<IsaId> {
    isa_of_name(path).or_else(|| {
        let whole = std::path::absolute(path).ok()?;
        let folders = whole.parent()?.components().rev();
        folders.into_iter().find_map(|part| part.as_os_str().to_string_lossy().parse().ok())
    })
}

/// The instruction set that an extension names: by its own name, or as that of a container.
pub(super) fn isa_of_extension(extension: &str) -> Option<IsaId> {
    let extension = extension.to_ascii_lowercase();
    let holds = |isa: &IsaId| with_isa!(*isa, I => I::extensions().contains(&extension.as_str()));
    extension.parse().ok().or_else(|| IsaId::ALL.iter().copied().find(holds))
}

/// The instruction set that a file's own name says.
pub(super) fn isa_of_name(path: &Path) -> Option<IsaId> {
    let file = path.file_name()?.to_string_lossy().into_owned();
    file.split('.').skip(1).filter_map(isa_of_extension).last()
}

/// The instruction set whose texts begin as this one does, behind comments and empty lines.
pub(super) fn isa_of_text(text: &str) -> Option<IsaId> {
    let is_comment = |line: &&str| ["//", ";", "#", "--"].iter().any(|mark| line.starts_with(mark));
    let mut lines = text.trim_start_matches(BYTE_ORDER_MARK).lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !is_comment(line))?;
    IsaId::ALL.iter().copied().find(|isa| with_isa!(*isa, I => I::begins_text(first)))
}

/// What some editors put before a text.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Text as a person writes it: no bytes that only programs have.
pub(super) fn as_text(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let written = |c: char| !c.is_control() || c.is_whitespace();
    (!text.is_empty() && text.chars().all(written)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_instruction_sets() {
        let named = |path: &str| isa_of_path(Path::new(path));
        assert_eq!(named("a/b.agal"), Some(IsaId::Agal));
        assert_eq!(named("a/b.agal.txt"), Some(IsaId::Agal));
        assert_eq!(named("x/agal/programs/b.txt"), Some(IsaId::Agal));
        assert_eq!(named("x/y/b.txt"), None);
    }

    #[test]
    fn texts_are_known_by_their_first_line() {
        for (text, isa) in [
            ("; a comment\n\n version 1 vertex\nmov op, va0\n", Some(IsaId::Agal)),
            ("\u{feff}version 1 vertex\nmov op, va0\n", Some(IsaId::Agal)),
            ("// by a compiler\n    vs_2_0\n", Some(IsaId::D3d9)),
            ("PS.1.1 ; as written of old\n", Some(IsaId::D3d9)),
            ("ps_2_b\n", Some(IsaId::D3d9)),
            (".out pos position\n.proc main\n", Some(IsaId::Pica200)),
            ("version 1 of our notes\n", None),
            ("vs_4_0\n", None),
            ("", None),
        ] {
            assert_eq!(isa_of_text(text), isa, "{text}");
        }
    }
}
