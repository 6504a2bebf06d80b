//! Reads one file within a limit, and determines its kind.

use super::detect_isa::{
    as_text, foreign_report_kind, isa_of_extension, isa_of_name, isa_of_path, isa_of_text_file,
};
use super::read_error::ReadError;
use super::special_files::unreadable;
use super::vector;
use super::{Content, Skipped};
use crate::case::{Case, MAGIC};
use crate::head::{BYTE_ORDER_MARK, isa_of_text};
use crate::oracle::caught;
use lockstep_core::isa::IsaId;
use lockstep_core::text::{Diagnostic, Span};
use lockstep_core::with_isa;
use std::io::Read;
use std::path::Path;

/// The maximum number of bytes read from a file or from standard input.
pub const MAX_FILE: u64 = 16 << 20;

/// The number of leading bytes that are searched for the marks of another tool's report.
const HEAD: usize = 4096;

/// Reads a file, or standard input for `-`. Returns at most [`MAX_FILE`] bytes.
///
/// # Errors
/// If the file cannot be read or exceeds the limit.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    let name = display_name(path);
    let io = |error| ReadError::Io { name: name.clone(), error };
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin().lock().take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(io)?;
    } else {
        // Opening a pipe blocks until there is a writer.
        if let Some(why) = unreadable(&std::fs::metadata(path).map_err(io)?) {
            return Err(ReadError::NoFile { name, why });
        }
        let file = std::fs::File::open(path).map_err(io)?;
        // Checking the size first avoids reading a huge file. The size is not relied on, as the file may grow.
        if file.metadata().is_ok_and(|data| data.is_file() && data.len() > MAX_FILE) {
            return Err(ReadError::TooLarge { name });
        }
        file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(io)?;
    }
    if bytes.len() as u64 > MAX_FILE {
        return Err(ReadError::TooLarge { name });
    }
    Ok(bytes)
}

fn display_name(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// Returns the first of these instruction sets that recognises the first bytes of a file.
fn recognized(bytes: &[u8], among: &[IsaId]) -> Option<IsaId> {
    let head = &bytes[..bytes.len().min(64)];
    among.iter().copied().find(|isa| with_isa!(*isa, I => I::recognizes(head)))
}

/// Reads a file that the user named. The file must contain something to check.
///
/// `isa` is used if the content does not name an instruction set.
///
/// # Errors
/// If the file cannot be read, or its kind is unknown.
pub fn read_named(path: &Path, isa: Option<IsaId>) -> Result<Content, ReadError> {
    read_written(path, isa).map(|(content, _)| content)
}

/// As [`read_named`], but also returns the text that a program was assembled from.
///
/// # Errors
/// As for [`read_named`].
pub fn read_written(path: &Path, isa: Option<IsaId>) -> Result<(Content, Option<String>), ReadError> {
    let bytes = read_bytes(path)?;
    let content = named(path, &bytes, isa)?;
    let written = match &content {
        Content::Program { bytes: program, .. } if *program != bytes => as_text(&bytes).map(str::to_owned),
        _ => None,
    };
    Ok((content, written))
}

fn named(path: &Path, bytes: &[u8], isa: Option<IsaId>) -> Result<Content, ReadError> {
    let only = match IsaId::ALL {
        [only] => Some(*only),
        _ => None,
    };
    match content(path, bytes, isa, only, isa.is_some())? {
        // A program that the user named must at least decode. For a program in a folder, the oracles check that.
        Some(Content::Program { isa, bytes }) => match with_isa!(isa, I => I::decode(&bytes).err()) {
            Some(error) => Err(ReadError::Decode { name: display_name(path), isa, bytes, error }),
            None => Ok(Content::Program { isa, bytes }),
        },
        Some(content) => Ok(content),
        None => Err(ReadError::Unknown {
            name: display_name(path),
            head: bytes.iter().take(8).map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" "),
        }),
    }
}

/// Reads assembly text or a case, and returns the bytes of its program. A file whose name ends in `toml` is read as a case; any other file must be
/// assembly text, whatever its name. The instruction set is `isa`, or else the one that the path names. The text is returned too, except for a case.
///
/// # Errors
/// If the file cannot be read, is not text, does not assemble, or its instruction set is unknown.
pub fn read_text(path: &Path, isa: Option<IsaId>) -> Result<(IsaId, Vec<u8>, Option<String>), ReadError> {
    let name = display_name(path);
    let mut written = None;
    let read = if path.extension().is_some_and(|extension| extension == "toml") {
        read_named(path, isa)?
    } else {
        let bytes = read_bytes(path)?;
        if bytes.is_empty() {
            return Err(ReadError::Empty { name });
        }
        let only = if let [only] = IsaId::ALL { Some(*only) } else { None };
        let found = match as_text(&bytes) {
            Some(text) => isa_of_text_or_error(path, text, isa)?,
            None => isa.or_else(|| isa_of_path(path)),
        };
        match found.or(only) {
            Some(isa) => {
                written = as_text(&bytes).map(str::to_owned);
                assembly(name.clone(), &bytes, isa)?
            }
            None => return Err(ReadError::NoIsa { name }),
        }
    };
    match read {
        Content::Case(case) => Ok((case.isa, case.bytes, None)),
        Content::Program { isa, bytes } => Ok((isa, bytes, written)),
        Content::Vectors { .. } => Err(ReadError::NotOneProgram { name }),
    }
}

/// Reads a file found in a folder, where unrelated files are expected.
///
/// # Errors
/// `Ok(Err(_))` for an unrelated file. `Err(_)` for a file that should contain a program, a case or vectors but cannot be read as one.
pub fn read_file(path: &Path, isa: Option<IsaId>) -> Result<Result<Content, Skipped>, ReadError> {
    let skipped = |reason: &str| Skipped { name: display_name(path), reason: reason.to_owned() };
    let bytes = match read_bytes(path) {
        Ok(bytes) => bytes,
        Err(error @ ReadError::TooLarge { .. }) if !error.is_ours(path) => {
            return Ok(Err(skipped("larger than the limit")));
        }
        Err(error) => return Err(error),
    };
    // A name that marks a Lockstep file takes precedence over the content.
    if isa_of_name(path).is_none() {
        if bytes.is_empty() {
            return Ok(Err(skipped("empty")));
        }
        // Reports contain arbitrary text from files, so their marks are searched in lossily decoded text.
        if let Some(reason) = foreign_report_kind(&String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)])) {
            return Ok(Err(skipped(reason)));
        }
    }
    let read = content(path, &bytes, isa, None, false)?;
    Ok(read.ok_or_else(|| skipped("not a program, case or vector file")))
}

/// Returns the bytes of a program, combined with the compiler's notes if a file with notes is beside it.
fn annotated(path: &Path, isa: IsaId, bytes: &[u8]) -> Vec<u8> {
    let notes = read_bytes(&path.with_extension("meta")).unwrap_or_default();
    let notes = String::from_utf8_lossy(&notes);
    with_isa!(isa, I => {
        let program = I::decode(bytes).ok().and_then(|program| I::annotate(&program, &notes));
        program.map_or_else(|| bytes.to_vec(), |program| I::encode(&program))
    })
}

/// Returns the instruction set of a text, see [`isa_of_text_file`]. A contradiction is reported as an error of the text.
fn isa_of_text_or_error(path: &Path, text: &str, asked: Option<IsaId>) -> Result<Option<IsaId>, ReadError> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    isa_of_text_file(path, text, asked).map_err(|(isa, wrong)| ReadError::Assembly {
        name: display_name(path),
        isa,
        text: text.to_owned(),
        diagnostics: vec![wrong],
    })
}

/// Determines the kind of a file's content; `None` if it is unknown.
///
/// `told` is the instruction set given by the user or by a corpus. `told` and the path take precedence over first bytes that another instruction set
/// recognises. In a text, the first line takes precedence over the folders (see [`isa_of_text_file`]). `guess` is the instruction set of text that
/// names none. If `asked` is true, the user named the instruction set for this very file, so bytes of unknown kind are read as a program of that set.
fn content(
    path: &Path,
    bytes: &[u8],
    told: Option<IsaId>,
    guess: Option<IsaId>,
    asked: bool,
) -> Result<Option<Content>, ReadError> {
    let name = display_name(path);
    if bytes.is_empty() {
        return Err(ReadError::Empty { name });
    }
    if bytes.starts_with(&MAGIC) {
        let case = Case::from_bytes(bytes).ok_or(ReadError::BinaryCase { name })?;
        return Ok(Some(Content::Case(Box::new(case))));
    }
    let isa = told.or_else(|| isa_of_path(path));
    let candidates = isa.as_ref().map_or(IsaId::ALL, std::slice::from_ref);
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let import = |isa: &IsaId| {
        with_isa!(*isa, I => I::import(extension.as_deref().unwrap_or_default(), bytes))
            .map(|imported| (*isa, imported))
    };
    match candidates.iter().find_map(import) {
        Some((isa, Ok(bytes))) => return Ok(Some(Content::Program { isa, bytes })),
        Some((isa, Err(diagnostics))) => {
            return Err(ReadError::Assembly { text: text(&name, bytes)?, name, isa, diagnostics });
        }
        None => {}
    }
    // A text extension takes precedence over the bytes, as some texts begin like a binary.
    let says_text = matches!(extension.as_deref(), Some("txt" | "asm")) && std::str::from_utf8(bytes).is_ok();
    // The first line of a text also takes precedence if only one instruction set's texts can begin with it.
    let written = as_text(bytes);
    if let Some(text) = written
        && let Some(begun) = isa_of_text(text)
    {
        let isa = isa_of_text_or_error(path, text, told)?.unwrap_or(begun);
        return assembly(name, bytes, isa).map(Some);
    }
    if let Some(isa) = isa.or(guess).filter(|_| says_text) {
        return assembly(name, bytes, isa).map(Some);
    }
    // Some texts begin like a binary without a magic number. No program consists of printable characters only.
    if written.is_none()
        && let Some(isa) = recognized(bytes, candidates)
    {
        return Ok(Some(Content::Program { isa, bytes: bytes.to_vec() }));
    }
    match extension.as_deref() {
        Some("toml") => table(name, bytes, isa).map(Some),
        Some("txt" | "asm") => match isa.or(guess) {
            Some(isa) => assembly(name, bytes, isa).map(Some),
            None => Ok(None),
        },
        // The bytes have no known header, but the file extension names the kind.
        Some(e) if e == "bin" || isa_of_extension(e).is_some() => {
            Ok(isa.map(|isa| Content::Program { isa, bytes: annotated(path, isa, bytes) }))
        }
        // Standard input has no name: UTF-8 is taken for text.
        _ if path == Path::new("-") && !bytes.is_empty() && std::str::from_utf8(bytes).is_ok() => {
            let text = String::from_utf8_lossy(bytes);
            if text.lines().any(|line| line.trim_start().starts_with("isa =")) {
                return table(name, bytes, isa).map(Some);
            }
            isa.or(guess).map(|isa| assembly(name, bytes, isa)).transpose()
        }
        _ if asked && written.is_some() => isa.map(|isa| assembly(name, bytes, isa)).transpose(),
        _ if asked => Ok(isa.map(|isa| Content::Program { isa, bytes: bytes.to_vec() })),
        _ => Ok(None),
    }
}

fn text(name: &str, bytes: &[u8]) -> Result<String, ReadError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|e| ReadError::NotText { name: name.to_owned(), offset: e.valid_up_to() })?;
    Ok(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text).to_owned())
}

fn assembly(name: String, bytes: &[u8], isa: IsaId) -> Result<Content, ReadError> {
    let text = text(&name, bytes)?;
    let assembled = with_isa!(isa, I => I::assemble(&text).and_then(|program| {
        let bytes = I::encode(&program);
        // The program that is run is decoded from the bytes. Raw words in another byte order do not name that order and are equally valid in any
        // order. If the bytes do not decode to the assembled program, that is a finding, and so is a panic here.
        let other = || I::decode(&bytes).is_ok_and(|again| again != program && I::encode(&again) == bytes);
        if caught(other).unwrap_or(false) {
            let place = Span { line: 1, column: 1, offset: 0, len: 0 };
            let what = "the bytes of this program do not identify their own format, so they would decode as another program";
            Err(vec![Diagnostic::new(place, what)])
        } else {
            Ok(bytes)
        }
    }));
    match assembled {
        Ok(bytes) => Ok(Content::Program { isa, bytes }),
        Err(diagnostics) => {
            let diagnostics = match foreign_report_kind(&text) {
                // This is more informative than the reason why it is not text of one of our dialects.
                Some(report) => {
                    let begin = Span { line: 1, column: 1, offset: 0, len: 0 };
                    vec![Diagnostic::new(begin, format!("this is {report}"))]
                }
                None => diagnostics,
            };
            Err(ReadError::Assembly { name, isa, text, diagnostics })
        }
    }
}

/// Whether a text has keys or headings typical of cases and vector files, whatever else is wrong with it.
fn has_our_keys(text: &str) -> bool {
    let ours = |line: &str| {
        let key = line.split('=').next().unwrap_or_default().trim();
        ["[vec", "[[vec", "[[env."].iter().any(|heading| line.starts_with(heading))
            || key == "program" && line.ends_with("\"\"\"")
            || line.contains('=') && ["isa", "derivation", "hex"].contains(&key)
    };
    text.lines().any(|line| ours(line.trim_start()))
}

fn table(name: String, bytes: &[u8], isa: Option<IsaId>) -> Result<Content, ReadError> {
    let text = text(&name, bytes)?;
    let ours = has_our_keys(&text);
    if text.lines().any(|line| line.trim() == "[[vector]]") {
        let (isa, vectors) =
            vector::parse(&text, isa).map_err(|error| ReadError::Vectors { name, ours, error })?;
        return Ok(Content::Vectors { isa, vectors });
    }
    let case = Case::from_text(&text).map_err(|error| ReadError::Case { name, ours, error })?;
    Ok(Content::Case(Box::new(case)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_files_are_skipped_in_folders_and_refused_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notes.md");
        std::fs::write(&path, b"hello").expect("a file");
        assert!(matches!(read_file(&path, None), Ok(Err(_))));
        assert!(matches!(read_named(&path, None), Err(ReadError::Unknown { .. })));
    }

    #[test]
    fn a_stated_format_overrides_detection() {
        let agal = [0xa0, 1, 0, 0, 0, 0xa1, 0];
        assert_eq!(recognized(&agal, IsaId::ALL), Some(IsaId::Agal));
        assert_eq!(recognized(&agal, &[]), None, "another instruction set was named");
        let folder = tempfile::tempdir().expect("a folder");
        // No header and no extension: the bytes belong to the instruction set that the user named, so its decoder must accept them.
        let path = folder.path().join("words.dat");
        std::fs::write(&path, b"hel\0o").expect("a file");
        assert!(matches!(read_named(&path, None), Err(ReadError::Unknown { .. })));
        assert!(matches!(read_named(&path, Some(IsaId::Agal)), Err(ReadError::Decode { .. })));
        assert!(matches!(read_file(&path, Some(IsaId::Agal)), Ok(Err(_))), "a folder may hold anything");
    }

    #[test]
    fn texts_are_read_by_their_first_line_whatever_the_file_is_called() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("shader.vsh");
        std::fs::write(&path, "\u{feff}version 1 vertex\nmov op, va0\n").expect("a file");
        assert!(matches!(read_file(&path, None), Ok(Ok(Content::Program { isa: IsaId::Agal, .. }))));
        std::fs::write(&path, "vs_1_1\nmvo oPos, v0\n").expect("a file");
        let error = read_file(&path, None).expect_err("it does not assemble");
        assert!(error.is_ours(&path), "{error}");
        // Reports of other tools are skipped, whichever instruction set the folder is named after.
        let folder_of_set = folder.path().join("pica200");
        std::fs::create_dir(&folder_of_set).expect("a folder");
        let report = folder_of_set.join("x.listing.txt");
        for name in ["DVLE", "DVLE\u{2}\u{10}"] {
            let text =
                format!("original filename \"{name}\"\nFound uniform symbol a for register v0\nmov o0, v0\n");
            std::fs::write(&report, text).expect("a file");
            let read = read_file(&report, None);
            assert!(
                matches!(&read, Ok(Err(Skipped { reason, .. })) if reason.contains("disassembler")),
                "{read:?}"
            );
        }
        std::fs::write(&report, "").expect("a file");
        assert!(matches!(read_file(&report, None), Ok(Err(Skipped { reason, .. })) if reason == "empty"));
        // Text that is not assembly of the instruction set named for its folder does not count as a Lockstep file.
        let notes = folder.path().join("notes.txt");
        std::fs::write(&notes, "hello world\n").expect("a file");
        let error = read_file(&notes, Some(IsaId::D3d9)).expect_err("it does not assemble");
        assert!(!error.is_ours(&notes) && error.isa() == Some(IsaId::D3d9), "{error}");
        assert!(matches!(read_named(&path, Some(IsaId::Pica200)), Err(ReadError::Assembly { .. })));
    }

    #[test]
    fn text_whose_bytes_would_be_read_as_another_program_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.a2xx.txt");
        let program = "EXEC_END\n      ALU:    MAXv export62 = R0, R0\n";
        std::fs::write(&path, program).expect("a file");
        assert!(matches!(read_named(&path, None), Ok(Content::Program { .. })));
        std::fs::write(&path, format!(".big_endian\n{program}")).expect("a file");
        let error = read_named(&path, None).expect_err("bare words have no byte order").to_string();
        assert!(error.contains("1:1: the bytes of this program"), "{error}");
    }

    #[test]
    fn bare_xenos_words_are_read_in_the_byte_order_of_the_extension() {
        let folder = tempfile::tempdir().expect("a folder");
        let little = folder.path().join("x.a2xx.txt");
        std::fs::write(&little, "EXEC_END\n      ALU:    MAXv export62 = R0, R0\n").expect("a file");
        let Ok(Content::Program { isa, bytes }) = read_named(&little, None) else { panic!("a program") };
        let swapped: Vec<u8> =
            bytes.as_chunks::<4>().0.iter().flat_map(|d| [d[3], d[2], d[1], d[0]]).collect();
        assert_ne!(swapped, bytes);
        let big = folder.path().join("x.xenos");
        std::fs::write(&big, &swapped).expect("a file");
        for asked in [None, Some(IsaId::A2xx)] {
            let read = read_named(&big, asked).expect("a program");
            assert!(
                matches!(&read, Content::Program { isa: i, bytes: b } if (*i, b) == (isa, &bytes)),
                "{asked:?}"
            );
        }
        std::fs::write(&big, [1, 2, 3]).expect("a file");
        assert!(
            matches!(read_named(&big, None), Err(ReadError::Decode { .. })),
            "an incomplete word must not be padded"
        );
    }

    #[test]
    fn a_truncated_binary_case_is_reported() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x");
        std::fs::write(&path, b"LSC1\0").expect("a file");
        assert!(matches!(read_named(&path, None), Err(ReadError::BinaryCase { .. })));
    }

    #[test]
    fn the_limit_is_the_largest_file_that_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.dat");
        for (size, is_read) in [(MAX_FILE - 1, true), (MAX_FILE, true), (MAX_FILE + 1, false)] {
            std::fs::File::create(&path).and_then(|file| file.set_len(size)).expect("a file");
            let read = read_bytes(&path).map(|bytes| bytes.len() as u64).ok();
            assert_eq!(read, is_read.then_some(size));
        }
    }
}
