//! Translations in the form that OpenGL accepts, and the names or locations of their variables.

use super::gl::{Source, VarId};
use super::spirv::{EntryPoint, Module, Slot, Stage, exact};
use super::wgsl;
use crate::judge::subject::{Hex, Language, Translation};

/// The name of the position output in translations whose variables have locations instead of names.
pub(super) const POSITION: &str = "position";

/// A translation: text of GLSL, or a module of SPIR-V with the entry point that is run.
pub(super) enum Shader<'a> {
    Text(&'a str),
    Module(Module, EntryPoint),
}

impl<'a> Shader<'a> {
    /// Returns the translation, compiled to SPIR-V if it is in WGSL.
    ///
    /// # Errors
    /// Why the translation cannot be compiled or read, or has no entry point for the stage.
    pub(super) fn new(translation: &'a Translation, stage: Stage) -> Result<Shader<'a>, String> {
        let wrong = |message: String| format!("it does not compile: {message}");
        let words = match translation.language {
            Language::Glsl => return Ok(Shader::Text(&translation.source)),
            Language::Spirv => words(&translation.source),
            Language::Wgsl => wgsl::spirv(&translation.source),
        };
        let module = words.and_then(Module::read).map_err(wrong)?;
        let entry = module.entry_point(stage).map_err(wrong)?;
        Ok(Shader::Module(exact(&module, &entry), entry))
    }

    /// Whether the shader computes derivatives.
    pub(super) fn has_derivatives(&self) -> bool {
        match self {
            Shader::Text(source) => ["dFdx", "dFdy", "fwidth"].iter().any(|word| source.contains(word)),
            Shader::Module(module, _) => module.has_derivatives(),
        }
    }

    /// Returns the shader in the form that is passed to the compiler.
    pub(super) fn source(&self) -> Source<'_> {
        match self {
            Shader::Text(source) => Source::Text(source),
            Shader::Module(module, entry) => Source::Words(module.words(), &entry.name),
        }
    }
}

/// Returns the words of a module of SPIR-V from its bytes as hexadecimal digits.
fn words(source: &str) -> Result<Vec<u32>, String> {
    let bytes = Hex::read(source).ok_or("the source is not SPIR-V as pairs of hexadecimal digits")?;
    let (words, rest) = bytes.0.as_chunks();
    if !rest.is_empty() {
        return Err(format!("word {}: the module ends after {} of its 4 bytes", words.len(), rest.len()));
    }
    Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

/// Returns how OpenGL identifies a variable: by name or by location.
///
/// # Errors
/// If the language identifies variables by location, and `name` is not a number below [`MAX_NUMBER`].
pub(super) fn place(language: Language, name: &str) -> Result<VarId<'_>, String> {
    match language {
        Language::Glsl => Ok(VarId::Name(name)),
        Language::Spirv | Language::Wgsl => number(name).map(VarId::Number),
    }
}

/// Returns the slot of an input or output of a module: a location, or the position.
///
/// # Errors
/// If `name` is neither `position` nor a number below [`MAX_NUMBER`].
pub(super) fn slot(name: &str) -> Result<Slot, String> {
    if name == POSITION { Ok(Slot::Position) } else { number(name).map(Slot::Location) }
}

/// A bound above all locations and bindings of OpenGL. It keeps sums of locations from overflowing.
const MAX_NUMBER: u32 = 1 << 16;

fn number(name: &str) -> Result<u32, String> {
    let number = name.parse().ok().filter(|number| *number < MAX_NUMBER);
    number.ok_or_else(|| format!("'{}' is not the number of a location or binding", name.escape_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_whole_words() {
        assert_eq!(words("0302230700000100").unwrap(), [0x0723_0203, 0x0001_0000]);
        assert!(words("03022307000001").unwrap_err().starts_with("word 1: "));
        assert!(words("0302230").is_err() && words("zz").is_err());
    }

    #[test]
    fn variables_without_names_are_identified_by_number() {
        assert!(matches!(place(Language::Wgsl, "7"), Ok(VarId::Number(7))));
        assert!(matches!(place(Language::Glsl, "7"), Ok(VarId::Name("7"))));
        assert_eq!((slot(POSITION), slot("3")), (Ok(Slot::Position), Ok(Slot::Location(3))));
        for name in ["gl_Position", "", "-1", "65536", "99999999999"] {
            assert!(place(Language::Spirv, name).is_err() && slot(name).is_err(), "{name}");
        }
    }
}
