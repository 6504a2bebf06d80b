//! Sources: the documents and programs from which facts are cited, each with a tag.

use serde::Serialize;

/// A document or program from which facts are cited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    /// The tag by which tables, rules and vectors cite the source.
    pub tag: &'static str,
    /// The title of the document or program.
    pub title: &'static str,
    /// The place of publication: a project and a path in it, or a page.
    pub published: &'static str,
    /// The subjects for which the source is authoritative.
    pub trust: &'static str,
}

/// Declares the table `SOURCES`.
macro_rules! sources {
    ($($tag:literal $title:literal, $published:literal, $trust:literal;)*) => {
        /// The sources of this instruction set's facts.
        pub static SOURCES: &[$crate::isa::Source] = &[$($crate::isa::Source {
            tag: $tag, title: $title, published: $published, trust: $trust,
        },)*];
    };
}
pub(crate) use sources;

/// Returns the sources cited by a text such as `MS, WINE; ERR 3646`, in order of citation, without duplicates.
///
/// Only whole words match a tag; a word consists of letters, digits and hyphens.
pub fn cited<'s>(citation: &str, sources: &'s [Source]) -> Vec<&'s Source> {
    let mut found: Vec<&Source> = Vec::new();
    for word in words(citation) {
        if let Some(source) = sources.iter().find(|source| source.tag == word)
            && !found.contains(&source)
        {
            found.push(source);
        }
    }
    found
}

/// Splits a citation into words.
pub fn words(citation: &str) -> impl Iterator<Item = &str> {
    citation.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_found_as_words() {
        let source = |tag| Source { tag, title: "", published: "", trust: "" };
        let sources = [source("MS"), source("MSTOK"), source("fd-hdr"), source("9ON12")];
        let tags = |text| cited(text, &sources).iter().map(|s| s.tag).collect::<Vec<_>>();
        assert_eq!(tags("MSTOK; MS (9ON12), MS"), ["MSTOK", "MS", "9ON12"]);
        assert_eq!(tags("fd-hdr, MSX"), ["fd-hdr"]);
        assert!(tags("").is_empty());
    }
}
