//! The questions to a subject and its answers: plain data, the same for every connection.
//!
//! `verify/PROTOCOL.md` describes the same data as messages. Floats are transferred as bits, so that nothing depends on how a language reads or
//! prints a decimal.

use super::profile::Profile;
use lockstep_core::host::{Dimension, Filter, MipFilter, SamplerState, Texels, Texture, Wrap};
use lockstep_core::isa::{Interface, IsaId, Stage};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// The version of the protocol. Subjects with another version are rejected.
pub const PROTOCOL: u32 = 1;

/// The bits of a binary32 value or of a word: eight hexadecimal digits in JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bits(pub u32);

impl Bits {
    /// Returns the binary32 value with these bits.
    pub fn value(self) -> f32 {
        f32::from_bits(self.0)
    }
}

impl From<f32> for Bits {
    fn from(value: f32) -> Bits {
        Bits(value.to_bits())
    }
}

impl Serialize for Bits {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{:08x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Bits {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Bits, D::Error> {
        let text = String::deserialize(from)?;
        let digits = text.len() == 8 && text.bytes().all(|b| b.is_ascii_hexdigit());
        let bits = if digits { u32::from_str_radix(&text, 16).ok() } else { None };
        let shown: String = text.chars().take(40).collect();
        bits.map(Bits).ok_or_else(|| {
            serde::de::Error::custom(format!(
                "'{shown}' is not the bits of a number, which are 8 hexadecimal digits"
            ))
        })
    }
}

/// Bytes: pairs of hexadecimal digits in JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hex(pub Vec<u8>);

impl Hex {
    /// Returns the digits.
    pub fn text(&self) -> String {
        self.0.iter().map(|b| format!("{b:02x}")).collect()
    }

    /// Returns the bytes of digits; `None` if they are not pairs of hexadecimal digits.
    pub fn read(text: &str) -> Option<Hex> {
        let byte = |pair: &[u8]| {
            let digits = pair.len() == 2 && pair.iter().all(u8::is_ascii_hexdigit);
            std::str::from_utf8(pair).ok().filter(|_| digits).and_then(|p| u8::from_str_radix(p, 16).ok())
        };
        text.as_bytes().chunks(2).map(byte).collect::<Option<_>>().map(Hex)
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.text())
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Hex, D::Error> {
        let text = String::deserialize(from)?;
        Hex::read(&text).ok_or_else(|| serde::de::Error::custom("bytes are pairs of hexadecimal digits"))
    }
}

/// A vector with the components x, y, z, w.
pub type Vector = [Bits; 4];

/// The first message to a subject.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Greeting {
    /// The protocol version, [`PROTOCOL`].
    pub protocol: u32,
    /// The name and version of the host.
    pub host: String,
    /// The instruction set of all questions.
    pub isa: IsaId,
    /// Every option of the instruction set with its choice.
    pub options: BTreeMap<String, String>,
}

/// A subject's description of itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// The protocol version that the subject implements.
    pub protocol: u32,
    /// The subject's name.
    pub name: String,
    /// The subject's version, such as a commit or a package version.
    #[serde(default)]
    pub version: String,
    /// The names of the supported instruction sets.
    pub isas: Vec<String>,
    /// The kinds of question that the subject answers.
    pub abilities: Vec<Ability>,
    /// The part of the instruction set that the subject supports, and its accuracy. A profile given by the user replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// The shading language of the subject's translations.
    #[serde(default, skip_serializing_if = "Language::is_default")]
    pub language: Language,
}

impl Hello {
    /// Returns the abilities as a list for display.
    pub fn list_abilities(&self) -> String {
        let all: Vec<String> =
            self.abilities.iter().map(|ability| format!("{ability:?}").to_lowercase()).collect();
        match all.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => all.concat(),
        }
    }
}

/// A shading language that programs are translated to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// The language of OpenGL.
    #[default]
    Glsl,
    /// The binary language of the Khronos group, in its form for OpenGL. The text of a translation is the module's bytes as hexadecimal digits.
    Spirv,
    /// The language of WebGPU.
    Wgsl,
}

impl Language {
    fn is_default(&self) -> bool {
        *self == Language::default()
    }

    /// Returns the language's name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Language::Glsl => "glsl",
            Language::Spirv => "spirv",
            Language::Wgsl => "wgsl",
        }
    }
}

/// A kind of question that a subject can answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ability {
    /// Decoding a program.
    Decode,
    /// Running a program.
    Run,
    /// Listing the steps of a run.
    Trace,
    /// Running programs with given initial values of registers, and returning final values of control registers.
    Registers,
    /// Translating a program to a shading language; the translation is run instead of the program.
    Translate,
}

/// A program and its entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgramData {
    /// The instruction set of the program.
    pub isa: IsaId,
    /// The bytes of the program's file.
    pub bytes: Hex,
    /// The bytes of the instructions, if they are not the whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Hex>,
    /// The table that instructions refer to: the operand descriptors of PICA200; empty for other instruction sets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub table: Vec<Bits>,
    /// The entry at which execution starts; `None` for bytes without an entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryData>,
    /// The opcodes in the program, so that a subject can reject unsupported programs without decoding.
    #[serde(default)]
    pub opcodes: Vec<String>,
}

/// An entry: the stage, start and interface with which a program is run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntryData {
    /// The number of the entry among the program's own; `None` if the case contains the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u16>,
    /// The stage of the graphics pipeline.
    pub stage: Stage,
    /// The number of the version or profile of the instruction set.
    pub version: u32,
    /// The number of the first instruction.
    pub start: u32,
    /// Additional numbers whose meaning depends on the instruction set.
    pub extra: [u32; 4],
    /// The inputs, outputs, constants and texture units of the entry, by slot number.
    pub interface: Interface,
    /// The output registers that are compared, by name.
    pub outputs: BTreeMap<String, Components>,
}

/// Components of a register as letters, such as `xyw`.
pub type Components = String;

/// A program with everything that a run of it depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunData {
    /// The program, for which the entry is always given.
    pub program: ProgramData,
    /// Float constants by number.
    pub constants: Vec<Vector>,
    /// Integer constants by number.
    #[serde(default)]
    pub ints: Vec<[i32; 4]>,
    /// Boolean constants by number.
    #[serde(default)]
    pub bools: Vec<bool>,
    /// Textures by unit.
    #[serde(default)]
    pub textures: Vec<TextureData>,
    /// Buffers by number, as words.
    #[serde(default)]
    pub buffers: Vec<Vec<Bits>>,
    /// The values of input registers in each lane, by name. Fragments come in quads: (0,0) (1,0) (0,1) (1,1).
    pub lanes: Vec<BTreeMap<String, Vector>>,
    /// The values of registers before the first instruction in each lane, by name; `null` for components that have none. Sent only to subjects with
    /// the ability [`Ability::Registers`], like `finals`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub initial: Vec<BTreeMap<String, [Option<Bits>; 4]>>,
    /// The control registers whose values after the last instruction are compared, by name.
    #[serde(default, rename = "final", skip_serializing_if = "BTreeMap::is_empty")]
    pub finals: BTreeMap<String, Components>,
    /// The program's translation, for a rasteriser. The translation is not sent to subjects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation: Option<Translation>,
}

/// A translated program, with the variables for its inputs, outputs and constants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Translation {
    /// `accepted` if the program was translated.
    pub verdict: Verdict,
    /// The shading language, which is that of all translations of the subject.
    #[serde(default)]
    pub language: Language,
    /// The text of the translation.
    #[serde(default)]
    pub source: String,
    /// The attribute, or the varying of a fragment shader, for each input register.
    #[serde(default)]
    pub inputs: BTreeMap<String, ShaderVariable>,
    /// The output variable for each output register.
    #[serde(default)]
    pub outputs: BTreeMap<String, ShaderVariable>,
    /// The uniforms that contain the float constants.
    #[serde(default)]
    pub constants: Vec<ConstantRange>,
    /// The uniforms that contain the integer constants.
    #[serde(default)]
    pub ints: Vec<ConstantRange>,
    /// The uniforms that contain the Boolean constants.
    #[serde(default)]
    pub bools: Vec<ConstantRange>,
    /// The reason why the program was not translated, or a remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl Default for Translation {
    fn default() -> Translation {
        Translation {
            verdict: Verdict::Unsupported,
            language: Language::default(),
            source: String::new(),
            inputs: BTreeMap::new(),
            outputs: BTreeMap::new(),
            constants: Vec::new(),
            ints: Vec::new(),
            bools: Vec::new(),
            message: None,
        }
    }
}

/// An input or output variable of a shader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShaderVariable {
    /// The name of the variable; in SPIR-V and WGSL its location in decimal digits, or `position`.
    pub name: String,
    /// The number of components of the variable, from x on.
    #[serde(default = "default_components")]
    pub components: u8,
}

fn default_components() -> u8 {
    4
}

/// A uniform that contains constants: a vector, an array of vectors, a matrix, or a uniform block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConstantRange {
    /// The name of the uniform, or of the uniform block if `block` is set; in SPIR-V and WGSL the location or the block's binding.
    pub name: String,
    /// The number of the first constant in the uniform.
    #[serde(default)]
    pub first: usize,
    /// The number of constants in the uniform.
    #[serde(default = "default_count")]
    pub count: usize,
    /// Whether the uniform is a uniform block with the layout std140. Boolean constants are then vectors of integers whose x is 0 or 1.
    #[serde(default)]
    pub block: bool,
    /// Whether the uniform is a matrix of four columns, each of which is a constant.
    #[serde(default)]
    pub matrix: bool,
}

fn default_count() -> usize {
    1
}

/// A texture with its sampler state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextureData {
    /// `one`, `two`, `three` or `cube`.
    pub dimension: Dimension,
    /// Width, height and depth of level 0 in texels.
    pub size: [u32; 3],
    /// The number of mipmap levels.
    pub levels: u8,
    /// The filter and wrap modes.
    pub state: SamplerData,
    /// The texels, level by level, face by face, slice by slice, row by row, from x = 0 up.
    pub texels: Vec<Vector>,
}

/// The filter and wrap modes of a texture: the fields of [`SamplerState`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SamplerData {
    /// The filter within a level if the level of detail is above 0.
    pub min: Filter,
    /// The filter within a level if the level of detail is 0 or less.
    pub mag: Filter,
    /// The filter between levels.
    pub mip: MipFilter,
    /// The wrap modes along x, y and z.
    pub wrap: [Wrap; 3],
    /// The border colour.
    pub border: Vector,
    /// The bias added to the level of detail.
    pub lod_bias: Bits,
    /// The maximum number of samples of anisotropic filtering; Lockstep's own filtering is isotropic regardless.
    pub max_anisotropy: u8,
}

impl From<&SamplerState> for SamplerData {
    fn from(state: &SamplerState) -> SamplerData {
        let SamplerState { min, mag, mip, wrap, border, lod_bias, max_anisotropy } = *state;
        let border = border.map(Bits::from);
        SamplerData { min, mag, mip, wrap, border, lod_bias: Bits::from(lod_bias), max_anisotropy }
    }
}

impl From<&SamplerData> for SamplerState {
    fn from(data: &SamplerData) -> SamplerState {
        let SamplerData { min, mag, mip, wrap, border, lod_bias, max_anisotropy } = data;
        SamplerState {
            min: *min,
            mag: *mag,
            mip: *mip,
            wrap: *wrap,
            border: border.map(Bits::value),
            lod_bias: lod_bias.value(),
            max_anisotropy: *max_anisotropy,
        }
    }
}

impl From<&TextureData> for Texture {
    fn from(data: &TextureData) -> Texture {
        Texture {
            dimension: data.dimension,
            size: data.size.map(|size| u16::try_from(size).unwrap_or(u16::MAX)),
            levels: data.levels,
            state: (&data.state).into(),
            texels: Texels::Explicit(data.texels.iter().map(|texel| texel.map(Bits::value)).collect()),
        }
    }
}

/// A subject's verdict on bytes, or on the request to run or translate a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The bytes are a program, or the program was run or translated.
    Accepted,
    /// The bytes are not a program.
    Rejected,
    /// The bytes contain something that the subject does not support.
    Unsupported,
}

/// The answer of a decoder. Optional fields that the decoder does not provide are not compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decoded {
    /// Whether the bytes are a program.
    pub verdict: Verdict,
    /// The number of bytes that belong to the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consumed: Option<u64>,
    /// The program as assembly text in Lockstep's syntax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The result of encoding the decoded program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoded: Option<Hex>,
    /// The instructions in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Vec<InstructionData>>,
    /// The reason of a rejection, or a remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// An instruction as typed values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InstructionData {
    /// The mnemonic; for a word with several units, their mnemonics joined by `+`.
    pub opcode: String,
    /// The values of facets by name; `lockstep isa NAME` lists the facets and their values. Only the given facets are compared.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
}

/// How a lane ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaneStatus {
    /// The lane ran to its end.
    Finished,
    /// The lane used up its fuel.
    OutOfFuel,
    /// The subject stopped the lane.
    Trap,
}

/// An effect that a lane recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EffectData {
    /// The number of the effect's kind in the instruction set.
    pub kind: u8,
    /// The number of the effect's destination.
    pub index: u16,
    /// The bits of the components; `null` for components that are not compared.
    pub bits: [Option<Bits>; 4],
}

/// The result of one lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaneData {
    /// How the lane ended.
    pub status: LaneStatus,
    /// Whether the lane was killed (discarded).
    #[serde(default)]
    pub killed: bool,
    /// The values of output registers by name; `null` for components that are not compared.
    #[serde(default)]
    pub outputs: BTreeMap<String, [Option<Bits>; 4]>,
    /// The final values of control registers by name; those that are omitted or `null` are not compared.
    #[serde(default, rename = "final", skip_serializing_if = "BTreeMap::is_empty")]
    pub finals: BTreeMap<String, [Option<Bits>; 4]>,
    /// The effects of the lane in order.
    #[serde(default)]
    pub effects: Vec<EffectData>,
}

/// The answer of an executor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ran {
    /// `accepted` if the program was run.
    pub verdict: Verdict,
    /// The results of all lanes, if the program was run.
    #[serde(default)]
    pub lanes: Vec<LaneData>,
    /// The reason why the program was not run, or a remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// One executed instruction of a lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepData {
    /// The number of the instruction, counted as in `lockstep trace`.
    pub word: u32,
    /// The register components that the instruction wrote, with their new values: bits of floats, integers, and 0 or 1 for Booleans. The names are
    /// those of `lockstep trace`.
    #[serde(default)]
    pub writes: BTreeMap<String, Bits>,
}

/// The maximum number of steps of a lane in a trace.
pub const MAX_STEPS: usize = 4096;

/// The answer of an executor that lists its steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Traced {
    /// `accepted` if the program was run.
    pub verdict: Verdict,
    /// The steps of each lane, if the program was run. A step that changes no register may be omitted.
    #[serde(default)]
    pub steps: Vec<Vec<StepData>>,
    /// The reason why the program was not run, or a remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A question to a subject.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// The request to decode this program.
    Decode(Box<ProgramData>),
    /// The request to run this program.
    Run(Box<RunData>),
    /// The request to run this program and list the steps.
    Trace(Box<RunData>),
    /// The request to translate this program. Only subjects with the ability to translate get it, from [`super::raster::Rasterised`].
    Translate(Box<ProgramData>),
}

/// An answer of a subject.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The answer to [`Question::Decode`].
    Decoded(Decoded),
    /// The answer to [`Question::Run`].
    Ran(Ran),
    /// The answer to [`Question::Trace`].
    Traced(Traced),
    /// The answer to [`Question::Translate`].
    Translated(Box<Translation>),
    /// The report of a failure in the subject or its worker.
    Failed(Failure),
}

/// A failure to answer a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// A sentence about the failure.
    pub message: String,
}

/// The kinds of failure. All except [`FailureKind::SelfComparison`] have a code of their own in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The subject reported a failure: an error with any code that no other kind has.
    Reported,
    /// The subject left the floating-point mode of its thread changed.
    Mode,
    /// The subject's answer is malformed. The process that calls the subject reports this failure.
    MalformedAnswer,
    /// The translation does not compile.
    NotCompiled,
    /// An equivalent variant of the program, of the named kind, has a different result.
    SelfComparison(&'static str),
}

impl FailureKind {
    /// Returns the error code of this kind in a message.
    pub fn code(self) -> i64 {
        match self {
            // `SelfComparison` is never sent.
            FailureKind::Reported | FailureKind::SelfComparison(_) => -32000,
            FailureKind::Mode => -32001,
            FailureKind::MalformedAnswer => -32002,
            FailureKind::NotCompiled => -32003,
        }
    }

    /// Returns the kind of failure with this code.
    pub fn from_code(code: i64) -> FailureKind {
        let all = [FailureKind::Mode, FailureKind::MalformedAnswer, FailureKind::NotCompiled];
        all.into_iter().find(|kind| kind.code() == code).unwrap_or(FailureKind::Reported)
    }
}

/// A decoder, executor or translator. Subjects that are written in Rust implement this trait.
pub trait Subject {
    /// Describes the subject.
    ///
    /// # Errors
    /// A sentence that states why the subject cannot do what the greeting requires.
    fn hello(&mut self, greeting: &Greeting) -> Result<Hello, String>;

    /// Decodes a program.
    ///
    /// # Errors
    /// If decoding fails; the rejection of a program is not a failure.
    fn decode(&mut self, program: &ProgramData) -> Result<Decoded, Failure>;

    /// Runs a program on every lane.
    ///
    /// # Errors
    /// If the run fails.
    fn run(&mut self, run: &RunData) -> Result<Ran, Failure>;

    /// Runs a program on every lane and lists the steps. Fails by default. Called only if the subject has the ability [`Ability::Trace`].
    ///
    /// # Errors
    /// If the run fails.
    fn trace(&mut self, _run: &RunData) -> Result<Traced, Failure> {
        let message = "it lists no steps".to_owned();
        Err(Failure { kind: FailureKind::MalformedAnswer, message })
    }

    /// Translates a program to a shading language. Fails by default. Called only if the subject has the ability [`Ability::Translate`].
    ///
    /// # Errors
    /// If translating fails; the rejection of a program is not a failure.
    fn translate(&mut self, _: &ProgramData) -> Result<Translation, Failure> {
        Err(Failure { kind: FailureKind::MalformedAnswer, message: "it does not translate".to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_of_a_number_are_eight_hexadecimal_digits() {
        let read = |text: &str| serde_json::from_value::<Bits>(text.into()).ok();
        assert_eq!(read("3f80000a"), Some(Bits(0x3f80_000a)));
        assert_eq!(read("3F80000A"), Some(Bits(0x3f80_000a)));
        for text in ["", "3f8", "3f80000", "03f80000a", "+3f80000", "0x3f8000", "3f80000g"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
