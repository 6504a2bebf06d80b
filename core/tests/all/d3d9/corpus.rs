//! Reads the corpus of other people's shaders.

use std::path::PathBuf;

/// A shader in the folder `open` of the corpus.
pub(crate) struct Shader {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// The shader's version, from the manifest.
    pub(crate) version: String,
    /// The number of instructions, from the manifest.
    pub(crate) instructions: usize,
    /// The features that the shader uses, from the manifest.
    pub(crate) features: String,
}

/// The folder of the corpus; `None`, with a note, if it is missing.
pub(crate) fn folder() -> Option<PathBuf> {
    crate::material::material("d3d9")
}

/// The shaders in the folder `open` of the corpus; `None`, with a note, if the corpus is missing.
pub(crate) fn shaders() -> Option<Vec<Shader>> {
    let folder = folder()?;
    let text = std::fs::read_to_string(folder.join("MANIFEST.tsv")).unwrap();
    let mut all = Vec::new();
    for line in text.lines().skip(1) {
        let columns: Vec<_> = line.split('\t').collect();
        let bytes = std::fs::read(folder.join(columns[0])).unwrap();
        let name = columns[0].trim_start_matches("open/").trim_end_matches(".bin").to_owned();
        all.push(Shader {
            name,
            bytes,
            version: columns[1].to_owned(),
            instructions: columns[4].parse().unwrap(),
            features: columns[5].to_owned(),
        });
    }
    assert!(!all.is_empty());
    Some(all)
}
