//! The questions to a subject and its answers: plain data, the same for every connection.
//!
//! `verify/PROTOCOL.md` describes the same data as messages. Floats are transferred as bits, so that nothing depends on how a language reads or
//! prints a decimal.

use super::profile::Profile;
use lockstep_core::host::{Dimension, Filter, MipFilter, SamplerState, Wrap};
use lockstep_core::isa::{Interface, IsaId};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// The version of the protocol. Subjects with another version are refused.
pub const PROTOCOL: u32 = 1;

/// The bits of a binary32 value or of a word: eight hexadecimal digits in JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bits(pub u32);

impl Bits {
    /// The value.
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

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let text: String = self.0.iter().map(|b| format!("{b:02x}")).collect();
        to.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Hex, D::Error> {
        let text = String::deserialize(from)?;
        let pairs = text.as_bytes().chunks(2);
        let byte = |pair: &[u8]| {
            let digits = pair.len() == 2 && pair.iter().all(u8::is_ascii_hexdigit);
            std::str::from_utf8(pair).ok().filter(|_| digits).and_then(|p| u8::from_str_radix(p, 16).ok())
        };
        let bytes: Option<Vec<u8>> = pairs.map(byte).collect();
        bytes.map(Hex).ok_or_else(|| serde::de::Error::custom("bytes are pairs of hexadecimal digits"))
    }
}

/// A vector, x y z w.
pub type Vector = [Bits; 4];

/// The first message to a subject.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Greeting {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// Name and version of the host.
    pub host: String,
    /// The instruction set that will be asked about.
    pub isa: IsaId,
    /// Every option of the instruction set with its choice.
    pub options: BTreeMap<String, String>,
}

/// A subject's description of itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// Its name.
    pub name: String,
    /// Its version: a commit, a package.
    #[serde(default)]
    pub version: String,
    /// The instruction sets it supports.
    pub isas: Vec<String>,
    /// The kinds of question it answers.
    pub abilities: Vec<Ability>,
    /// What it supports of the instruction set, and how exactly. A profile from the user replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
}

impl Hello {
    /// The abilities as a list for people.
    pub fn abilities(&self) -> String {
        let all: Vec<String> =
            self.abilities.iter().map(|ability| format!("{ability:?}").to_lowercase()).collect();
        match all.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => all.concat(),
        }
    }
}

/// A kind of question that a subject can answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ability {
    /// Reading a program.
    Decode,
    /// Running one.
    Run,
    /// Listing the steps of a run.
    Trace,
    /// Turning one into a program of a shading language, which is run instead.
    Translate,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgramData {
    /// Its instruction set.
    pub isa: IsaId,
    /// The file's bytes.
    pub bytes: Hex,
    /// The instructions alone, where they are not the whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Hex>,
    /// The table that instructions refer to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub table: Vec<Bits>,
    /// Where execution starts; `None` for bytes without an entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryData>,
    /// The opcodes in it, so that a subject can refuse by look-up.
    #[serde(default)]
    pub opcodes: Vec<String>,
}

/// One way of running a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntryData {
    /// Its number among the program's own entries; `None` if the case has an entry of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u16>,
    /// `vertex`, `fragment` or `geometry`.
    pub stage: String,
    /// The instruction set's version or profile number.
    pub version: u32,
    /// The first instruction.
    pub start: u32,
    /// Further numbers that the instruction set needs.
    pub extra: [u32; 4],
    /// What it exchanges with the outside, by slot number.
    pub interface: Interface,
    /// The output registers that are compared, by name.
    pub outputs: BTreeMap<String, Components>,
}

/// Components of a register as letters, such as `xyw`.
pub type Components = String;

/// A program with everything that its run depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunData {
    /// The program; its entry is always given.
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
    /// The input registers of each lane by name. Fragments come in quads: (0,0) (1,0) (0,1) (1,1).
    pub lanes: Vec<BTreeMap<String, Vector>>,
    /// The program in another language, for a rasteriser. Subjects are not sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation: Option<Translation>,
}

/// A program in a shading language, with the places of everything that it exchanges with the outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Translation {
    /// `accepted` if it was translated.
    pub verdict: Verdict,
    /// The language: `glsl`.
    #[serde(default)]
    pub language: String,
    /// The program's text.
    #[serde(default)]
    pub source: String,
    /// The attribute, or the varying of a fragment shader, that each input register is.
    #[serde(default)]
    pub inputs: BTreeMap<String, ShaderVariable>,
    /// The output variable that each output register is.
    #[serde(default)]
    pub outputs: BTreeMap<String, ShaderVariable>,
    /// The uniforms that hold float constants.
    #[serde(default)]
    pub constants: Vec<Span>,
    /// The uniforms that hold integer constants.
    #[serde(default)]
    pub ints: Vec<Span>,
    /// The uniforms that hold Boolean constants.
    #[serde(default)]
    pub bools: Vec<Span>,
    /// The reason why it was not translated, or any other remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl Default for Translation {
    fn default() -> Translation {
        Translation {
            verdict: Verdict::Unsupported,
            language: String::new(),
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

/// A variable of a shader that is an input or an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShaderVariable {
    /// Its name.
    pub name: String,
    /// The number of components it has, starting at x.
    #[serde(default = "four")]
    pub components: u8,
}

fn four() -> u8 {
    4
}

/// A uniform with the constants that it holds: a vector, or an array of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Its name; that of the block where `block` is set.
    pub name: String,
    /// The number of its first constant.
    #[serde(default)]
    pub first: usize,
    /// How many there are.
    #[serde(default = "one")]
    pub count: usize,
    /// Whether it is a uniform block in the layout std140.
    #[serde(default)]
    pub block: bool,
    /// Whether it is a matrix of four columns, each of them a constant.
    #[serde(default)]
    pub matrix: bool,
}

fn one() -> usize {
    1
}

/// A texture with the sampler state it is read with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextureData {
    /// `one`, `two`, `three` or `cube`.
    pub dimension: Dimension,
    /// Width, height and depth of level 0 in texels.
    pub size: [u32; 3],
    /// The number of levels.
    pub levels: u8,
    /// How it is filtered and wrapped.
    pub state: SamplerData,
    /// Level by level, each face by face, slice by slice, row by row, from x = 0 up.
    pub texels: Vec<Vector>,
}

/// How a texture is filtered and wrapped; the fields of [`SamplerState`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SamplerData {
    /// Filter within a level where the level of detail is above 0.
    pub min: Filter,
    /// Filter within a level where the level of detail is 0 or less.
    pub mag: Filter,
    /// Filter between levels.
    pub mip: MipFilter,
    /// Wrapping along x, y and z.
    pub wrap: [Wrap; 3],
    /// The colour beyond the border.
    pub border: Vector,
    /// Levels added to a level of detail.
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

/// A decoder's verdict on bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// They are a program.
    Accepted,
    /// They are not a program.
    Rejected,
    /// They contain something that the decoder does not support.
    Unsupported,
}

/// The answer of a decoder. Optional parts that it does not provide are not compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decoded {
    /// Whether it is a program.
    pub verdict: Verdict,
    /// How many bytes belong to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consumed: Option<u64>,
    /// The program as assembly text in Lockstep's syntax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The program encoded again from the decoded form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoded: Option<Hex>,
    /// The instructions in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Vec<InstructionData>>,
    /// The reason of a refusal, or any other remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// An instruction as typed values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InstructionData {
    /// The mnemonic; for a word with several units, their mnemonics joined by `+`.
    pub opcode: String,
    /// Values of facets by name, as `lockstep isa NAME` lists both. Only the given ones are compared.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
}

/// How a lane ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaneStatus {
    /// It ran to its end.
    Finished,
    /// It used up its fuel.
    OutOfFuel,
    /// The subject stopped it.
    Trap,
}

/// An effect of a lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EffectData {
    /// The number of its kind in the instruction set.
    pub kind: u8,
    /// Its destination.
    pub index: u16,
    /// Components; `null` for those that are not compared.
    pub bits: [Option<Bits>; 4],
}

/// One lane after its run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaneData {
    /// How it ended.
    pub status: LaneStatus,
    /// Whether it was discarded.
    #[serde(default)]
    pub killed: bool,
    /// Output registers by name; `null` for components without a meaning.
    #[serde(default)]
    pub outputs: BTreeMap<String, [Option<Bits>; 4]>,
    /// Its effects in order.
    #[serde(default)]
    pub effects: Vec<EffectData>,
}

/// The answer of an executor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ran {
    /// `accepted` if it ran.
    pub verdict: Verdict,
    /// Lane by lane, if it ran.
    #[serde(default)]
    pub lanes: Vec<LaneData>,
    /// The reason why it did not run, or any other remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// One step of a lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepData {
    /// The number of the instruction, as `lockstep trace` counts them.
    pub word: u32,
    /// The components of registers that it wrote, with their new values: bits of floats, integers, and 0 or 1 for truth values. The names are those of
    /// `lockstep trace`.
    #[serde(default)]
    pub writes: BTreeMap<String, Bits>,
}

/// The maximum number of steps of a lane in a trace.
pub const MAX_STEPS: usize = 4096;

/// The answer of an executor that lists its steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Traced {
    /// `accepted` if it ran.
    pub verdict: Verdict,
    /// Lane by lane, if it ran. A step that changes no register may be left out.
    #[serde(default)]
    pub steps: Vec<Vec<StepData>>,
    /// The reason why it did not run, or any other remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A question to a subject.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// Decode this program.
    Decode(Box<ProgramData>),
    /// Run this program.
    Run(Box<RunData>),
    /// Run this program and list the steps.
    Trace(Box<RunData>),
    /// Translate this program. Only a subject that translates is asked this, by [`super::raster::Rasterised`].
    Translate(Box<ProgramData>),
}

/// An answer of a subject.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// To [`Question::Decode`].
    Decoded(Decoded),
    /// To [`Question::Run`].
    Ran(Ran),
    /// To [`Question::Trace`].
    Traced(Traced),
    /// To [`Question::Translate`].
    Translated(Box<Translation>),
    /// The subject or its worker reports a failure.
    Failed(Failure),
}

/// Why there is no answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// A sentence.
    pub message: String,
}

/// Kinds of failure, by their codes in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The subject reports it: any other code.
    Said,
    /// The subject changed the floating-point mode of its thread.
    Mode,
    /// The subject passed something malformed to its worker.
    NoAnswer,
    /// A translation does not compile.
    NotCompiled,
    /// An equivalent variant of the program, of the kind named here, has another result.
    SelfComparison(&'static str),
}

impl FailureKind {
    /// The code of its error in a message.
    pub fn code(self) -> i64 {
        match self {
            // `SelfComparison` is never sent.
            FailureKind::Said | FailureKind::SelfComparison(_) => -32000,
            FailureKind::Mode => -32001,
            FailureKind::NoAnswer => -32002,
            FailureKind::NotCompiled => -32003,
        }
    }

    /// The kind of failure with this code.
    pub fn of(code: i64) -> FailureKind {
        let all = [FailureKind::Mode, FailureKind::NoAnswer, FailureKind::NotCompiled];
        all.into_iter().find(|kind| kind.code() == code).unwrap_or(FailureKind::Said)
    }
}

/// Decodes or runs programs: the trait that a subject written in Rust implements, and that every connection leads to.
pub trait Subject {
    /// Describes the subject.
    ///
    /// # Errors
    /// If it cannot do what the greeting asks for; a sentence.
    fn hello(&mut self, greeting: &Greeting) -> Result<Hello, String>;

    /// Decodes a program.
    ///
    /// # Errors
    /// If decoding fails; the rejection of a program is not a failure.
    fn decode(&mut self, program: &ProgramData) -> Result<Decoded, Failure>;

    /// Runs a program on every lane.
    ///
    /// # Errors
    /// If running fails.
    fn run(&mut self, run: &RunData) -> Result<Ran, Failure>;

    /// Runs a program on every lane and lists the steps. Called only if the subject names the ability.
    ///
    /// # Errors
    /// If running fails.
    fn trace(&mut self, _run: &RunData) -> Result<Traced, Failure> {
        let message = "it lists no steps".to_owned();
        Err(Failure { kind: FailureKind::NoAnswer, message })
    }

    /// Translates a program into a shading language. By default this fails: most subjects do not name the ability.
    ///
    /// # Errors
    /// If translating fails; the rejection of a program is not a failure.
    fn translate(&mut self, _: &ProgramData) -> Result<Translation, Failure> {
        Err(Failure { kind: FailureKind::NoAnswer, message: "it does not translate".to_owned() })
    }
}
