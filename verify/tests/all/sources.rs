//! Citations can be resolved: each names a source of the instruction set's own table, and no sentence of the project refers to a file that the reader
//! does not have.

use lockstep::corpus::{Content, load_own, own_corpora};
use lockstep_core::isa::source::{cited, words};
use lockstep_core::isa::{IsaId, Legality, Tables};
use lockstep_core::with_isa;
use std::path::Path;
use std::process::Command;

/// Returns the citations in the tables of opcodes, layouts and rules, each with the name of its row.
fn tables<I: Tables + Legality>() -> Vec<(String, &'static str)> {
    let opcodes = I::opcodes().iter().map(|op| (format!("opcode {}", op.mnemonic), op.source));
    let layouts = I::layouts().iter().map(|layout| (format!("layout {}", layout.name), layout.source));
    let rules = I::rules().into_iter().map(|rule| (format!("rule {}", rule.code), rule.source));
    opcodes.chain(layouts).chain(rules).collect()
}

fn tables_cite_known_sources<I: Tables + Legality>(unknown: &mut Vec<String>) {
    for (place, source) in tables::<I>() {
        if cited(source, I::sources()).is_empty() {
            unknown.push(format!("{}, {place}: {source}", I::ID));
        }
    }
}

#[test]
fn opcodes_layouts_and_rules_cite_sources_of_their_table() {
    let mut unknown = Vec::new();
    for isa in IsaId::ALL {
        with_isa!(isa, I => tables_cite_known_sources::<I>(&mut unknown));
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

/// Words in capitals in citations that are not tags of sources: the instruction set, the word, and its meaning.
const NO_TAGS: &[(IsaId, &str, &str)] = &[
    (IsaId::Agal, "D3D9", "the other instruction set"),
    (IsaId::D3d9, "HD", "a name of graphics processors"),
    (IsaId::Pica200, "JIT", "a kind of engine"),
    (IsaId::Pica200, "JITs", "a kind of engine"),
    (IsaId::Pica200, "END1", "the seed's name of an opcode"),
    (IsaId::Pica200, "END2", "the seed's name of an opcode"),
    (IsaId::Pica200, "CALLC", "the seed's name of an opcode"),
    (IsaId::Pica200, "IF", "the seed's name of an opcode"),
    (IsaId::Pica200, "CMP1", "the seed's name of an opcode"),
    (IsaId::Pica200, "CMP2", "the seed's name of an opcode"),
    (IsaId::A2xx, "DXBC", "a program format"),
    (IsaId::UtgardGp, "NIR", "a program format"),
    (IsaId::UtgardGp, "ARM", "whose macro M has"),
    (IsaId::UtgardGp, "MR", "a merge request of M"),
    (IsaId::UtgardGp, "P", "a register of a formula"),
];

/// Whether a word looks like a tag: capitals, digits and hyphens, possibly with a plural s.
fn looks_like_a_tag(word: &str) -> bool {
    let capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-';
    word.starts_with(|c: char| c.is_ascii_uppercase()) && word.trim_end_matches('s').chars().all(capital)
}

/// Returns the texts in parentheses.
fn brackets(text: &str) -> impl Iterator<Item = &str> {
    text.split('(').skip(1).filter_map(|rest| Some(rest.split_once(')')?.0))
}

/// Returns the citations of an instruction set's options, opcodes, layouts and rules, with their places.
fn citations<I: Tables + Legality>() -> Vec<(String, &'static str)> {
    let options = I::option_specs().iter().flat_map(|option| {
        brackets(option.meaning).map(move |citation| (format!("option {}", option.name), citation))
    });
    options.chain(tables::<I>()).collect()
}

#[test]
fn every_citation_tag_is_known_and_every_option_cites_a_source() {
    const SILENT: [&str; 3] = ["undocumented", "No console test", "the documents are silent"];
    let (mut unknown, mut used) = (Vec::new(), Vec::new());
    for &isa in IsaId::ALL {
        let (citations, specs, sources) =
            with_isa!(isa, I => (citations::<I>(), I::option_specs(), I::sources()));
        for (place, citation) in citations {
            for word in words(citation).filter(|word| looks_like_a_tag(word)) {
                match NO_TAGS.iter().find(|row| (row.0, row.1) == (isa, word)) {
                    Some(row) => used.push(*row),
                    None if sources.iter().any(|source| source.tag == word) => {}
                    None => unknown.push(format!("{isa}, {place}: {word} in '{citation}'")),
                }
            }
        }
        for option in specs {
            if cited(option.meaning, sources).is_empty() && !SILENT.iter().any(|s| option.meaning.contains(s))
            {
                unknown.push(format!("{isa}, option {}: {}", option.name, option.meaning));
            }
        }
    }
    unknown
        .extend(NO_TAGS.iter().filter(|row| !used.contains(row)).map(|row| format!("{row:?} is not used")));
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

#[test]
fn vectors_cite_sources_of_their_table() {
    let mut unknown = Vec::new();
    let mut seen = 0;
    for item in load_own(&own_corpora(None).expect("our own corpora"), IsaId::ALL).items {
        let Content::Vectors { isa, vectors } = item.content else { continue };
        let sources = with_isa!(isa, I => I::sources());
        seen += vectors.len();
        for vector in vectors {
            if cited(&vector.source, sources).is_empty() {
                unknown.push(format!("{isa}, vector {}: {}", vector.name, vector.source));
            }
        }
    }
    assert!(seen > 500, "{seen} vectors");
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

/// Names of documents that only their author has.
const PRIVATE: [&str; 8] = [
    "fact sheet",
    "fact file",
    "Amendments",
    "shared/isa",
    "shared/seeds",
    "golden FORMAT",
    "golden encoding",
    "corpus glsl",
];

#[test]
fn no_sentence_refers_to_a_missing_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let listed = Command::new("git").arg("-C").arg(root).args(["ls-files", "-z"]).output().unwrap();
    // A copy of the sources without version control has no list, or an empty list if it lies in an ignored folder. All files of such a copy are
    // checked.
    let names: Vec<String> = if listed.status.success() && !listed.stdout.is_empty() {
        String::from_utf8(listed.stdout).unwrap().split('\0').map(str::to_owned).collect()
    } else {
        walk(root)
    };
    let mut found = Vec::new();
    for name in names.iter().filter(|name| !name.is_empty() && !name.ends_with("tests/all/sources.rs")) {
        let Ok(text) = std::fs::read_to_string(root.join(name)) else { continue };
        for (number, line) in text.lines().enumerate() {
            let sheet =
                line.split("sheet ").skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            if sheet || PRIVATE.iter().any(|word| line.contains(word)) {
                found.push(format!("{name}:{}: {line}", number + 1));
            }
        }
    }
    assert!(names.len() > 500, "{} files", names.len());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Returns the files below a folder, without build output and hidden files.
fn walk(root: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            if name.to_string_lossy().starts_with('.') || name == "target" {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                names.push(path.strip_prefix(root).unwrap().to_string_lossy().into_owned());
            }
        }
    }
    names
}
