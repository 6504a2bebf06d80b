//! Spells out citations for readers unfamiliar with the source tags.

use lockstep_core::isa::IsaId;
use lockstep_core::isa::source::cited;
use lockstep_core::with_isa;

/// Returns the tag, title and place of publication of each cited source, without duplicates.
pub(crate) fn spelled_out(isa: IsaId, citations: &[&str]) -> Vec<String> {
    let sources = with_isa!(isa, I => I::sources());
    let all = cited(&citations.join("; "), sources);
    all.into_iter().map(|source| format!("{}: {} ({})", source.tag, source.title, source.published)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::isa::Tables;
    use lockstep_core::isa::agal::Agal;

    #[test]
    fn each_source_of_several_citations_is_spelled_once() {
        let [first, second, ..] = Agal::sources() else { panic!("AGAL has sources") };
        let lines = spelled_out(
            IsaId::Agal,
            &[&format!("{} 4.2", second.tag), &format!("{}, {}", first.tag, second.tag)],
        );
        assert_eq!(lines.len(), 2, "{lines:?}");
        for (line, source) in lines.iter().zip([second, first]) {
            assert!(line.starts_with(&format!("{}: ", source.tag)), "{line}");
            assert!(line.contains(source.title) && line.contains(source.published), "{line}");
        }
        assert!(spelled_out(IsaId::Agal, &["no such tag"]).is_empty());
    }
}
