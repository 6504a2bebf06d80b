//! What facts rest on: documents and programs, each under a tag.

use serde::Serialize;

/// A document or program that facts are cited from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    /// How tables, rules and vectors cite it.
    pub tag: &'static str,
    /// What it is.
    pub title: &'static str,
    /// Where it was published: project and path, or page.
    pub published: &'static str,
    /// What it is trusted for.
    pub trust: &'static str,
}

/// Makes a table of sources.
macro_rules! sources {
    ($($tag:literal $title:literal, $published:literal, $trust:literal;)*) => {
        /// What the facts of this instruction set rest on.
        pub static SOURCES: &[$crate::isa::Source] = &[$($crate::isa::Source {
            tag: $tag, title: $title, published: $published, trust: $trust,
        },)*];
    };
}
pub(crate) use sources;

/// The sources that a citation such as `MS, WINE; ERR 3646` names, in its order, each once.
///
/// A tag counts where it stands as a word: letters, digits and hyphens belong to it.
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

/// The words of a citation.
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
