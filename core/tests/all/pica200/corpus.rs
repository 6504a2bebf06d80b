//! Tests that other people's programs, if they are present next to the repository, decode without loss. Also loads these programs for other tests.

use crate::material::material;
use lockstep_core::isa::Stage;
use lockstep_core::isa::pica200::decode::decode;
use lockstep_core::isa::pica200::encode::encode;
use lockstep_core::isa::pica200::interface::entries;

/// A shader file of the corpus of real programs.
pub(crate) struct CorpusFile {
    /// Name without extension.
    pub(crate) name: String,
    /// The content of the file.
    pub(crate) bytes: Vec<u8>,
    /// A listing of the file by another disassembler.
    pub(crate) listing: String,
}

/// All files, ordered by name; `None` if the corpus is missing.
pub(crate) fn corpus() -> Option<Vec<CorpusFile>> {
    let root = material("pica200")?;
    let mut files: Vec<_> = std::fs::read_dir(root.join("open"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "shbin"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let listing = root.join("golden").join(format!("{name}.listing.txt"));
            CorpusFile {
                bytes: std::fs::read(&path).unwrap(),
                // nihstro prints names as they are in the file.
                listing: String::from_utf8_lossy(&std::fs::read(listing).unwrap()).into_owned(),
                name,
            }
        })
        .collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    // The corpus' own count (golden/FORMAT.md).
    assert_eq!(files.len(), 92);
    Some(files)
}

#[test]
fn files_round_trip_and_have_the_listed_entries() {
    let Some(files) = corpus() else { return };
    let (mut vertex, mut geometry, mut words) = (0, 0, 0);
    for file in files {
        let program = decode(&file.bytes).unwrap_or_else(|e| panic!("{}: {e}", file.name));
        assert_eq!(encode(&program), file.bytes, "{}", file.name);
        words += program.code.len();
        for entry in entries(&program) {
            match entry.stage {
                Stage::Geometry => geometry += 1,
                _ => vertex += 1,
            }
        }
    }
    // golden/FORMAT.md: 92 vertex DVLEs, and 16 geometry DVLEs, which are not run.
    assert_eq!((vertex, geometry), (92, 16));
    eprintln!("92 files, {words} instructions");
}

/// The vertex entry according to the golden runs: first word, and the outputs that reachable code writes.
#[test]
fn interfaces_are_those_of_the_golden_runs() {
    let Some(files) = corpus() else { return };
    let Some(root) = material("pica200/golden") else { return };
    for file in files {
        let text = std::fs::read_to_string(root.join(format!("{}.runs.json", file.name))).unwrap();
        let program = decode(&file.bytes).unwrap();
        let entries = entries(&program);
        let mut seen = 0;
        for line in text.lines().filter(|l| l.starts_with("{\"dvle\":")) {
            let number = |key: &str| -> u32 {
                let at = line.find(key).unwrap() + key.len();
                line[at..].split([',', '}']).next().unwrap().parse().unwrap()
            };
            if !line.contains("\"type\":\"vertex\"") {
                continue;
            }
            let entry = &entries[number("\"dvle\":") as usize];
            assert_eq!(entry.start, number("\"entry\":"), "{}", file.name);
            let written = line.split_once("\"written\":{").unwrap().1.split_once('}').unwrap().0;
            let ours: Vec<String> = entry
                .interface
                .outputs
                .iter()
                .map(|p| {
                    let letters: String = "xyzw"
                        .chars()
                        .enumerate()
                        .map(|(k, c)| if p.mask >> k & 1 == 1 { c } else { '_' })
                        .collect();
                    format!("\"{}\":\"{letters}\"", p.slot)
                })
                .collect();
            assert_eq!(ours.join(","), written.replace(' ', ""), "{}", file.name);
            seen += 1;
        }
        assert_eq!(seen, 1, "{}", file.name);
    }
}
