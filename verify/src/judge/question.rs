//! Converts a case to questions for a subject, with the reference's results.

use super::inexact::{Grade, grade};
use super::profile::Profile;
use super::registers;
use super::subject::{
    Ability, Bits, EntryData, Hex, ProgramData, Question, RunData, SamplerData, TextureData, Vector,
};
use crate::case::{Case, Resolved};
use crate::engine::{Outcome, reference, undefined_dependence};
use crate::oracle::caught;
use lockstep_core::host::{Environment, Texels, Texture};
use lockstep_core::ir::Ty;
use lockstep_core::isa::component::LETTERS;
use lockstep_core::isa::registers::{register, without_registers};
use lockstep_core::isa::{
    End, Entry, Interface, Isa, Legality, Level, OptionSpec, Port, Refinement, Syntax, Tables,
};
use lockstep_core::with_isa;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of texels of a texture that is sent to a subject.
pub const MAX_TEXELS: usize = 1 << 14;

/// The legality of a case's bytes, which determines the expected verdict of a decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValidationStatus {
    /// The program breaks no rule.
    Legal,
    /// The program violates only rules of warning level, so a decoder may reject it.
    Warned,
    /// The program violates only rules of warning level, and may depend on a value that no document defines.
    Undefined,
    /// The program breaks a rule at error level.
    Illegal,
    /// The bytes do not decode.
    Malformed,
}

impl ValidationStatus {
    /// Returns the status of a program that decodes.
    pub(super) fn of<I: Legality>(resolved: &Resolved<I>) -> ValidationStatus {
        let broken = I::validate(&resolved.context());
        match broken.iter().map(|violation| violation.level).max() {
            None => ValidationStatus::Legal,
            Some(Level::Warning) if broken.iter().any(|one| I::leaves_undefined(one.code)) => {
                ValidationStatus::Undefined
            }
            Some(Level::Warning) => ValidationStatus::Warned,
            Some(Level::Error) => ValidationStatus::Illegal,
        }
    }

    /// Whether a program without violations at error level depends on a value that no document defines: according to a rule of warning level that it
    /// breaks, or because a result changes with the initial contents of registers.
    pub(super) fn depends_on_undefined<I: Legality + Refinement>(resolved: &Resolved<I>) -> bool {
        let status = ValidationStatus::of(resolved);
        // If the reference panics, the case counts as defined, so that it is drawn; `prepare` then reports the panic.
        let depends = || caught(|| undefined_dependence(resolved)).ok().flatten().is_some();
        status == ValidationStatus::Undefined || status.runs() && depends()
    }

    /// Whether programs with this status can be run.
    pub(super) fn runs(self) -> bool {
        self == ValidationStatus::Legal || self.is_doubtful()
    }

    /// Whether programs with this status violate only rules of warning level.
    pub(super) fn is_doubtful(self) -> bool {
        matches!(self, ValidationStatus::Warned | ValidationStatus::Undefined)
    }

    /// Whether the minimiser may replace a case of status `other` by a smaller one of this status. All runnable statuses may replace each other: if a
    /// decoder is allowed to reject the smaller program, its rejection is not a finding.
    pub(super) fn may_replace(self, other: ValidationStatus) -> bool {
        self == other || self.runs() && other.runs()
    }
}

/// The expected result of a run.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The reference's outcome, in which every lane finished.
    pub outcome: Outcome,
    /// The entry at which the program was run.
    pub entry: Entry,
    /// The names of the entry's output slots, in the order of its ports.
    pub outputs: Vec<String>,
    /// The options whose choice can affect the run, as a bit set over indices in the table of options.
    pub touched: u64,
    /// For each lane, which components of the outcome have a defined value.
    pub defined: Vec<Vec<bool>>,
    /// The types of the output slots that are control registers.
    pub registers: BTreeMap<u16, Ty>,
    /// The tolerance of the comparison.
    pub grade: Grade,
}

impl Expected {
    /// Returns the same result with another grade.
    pub(super) fn graded(mut self, grade: Grade) -> Expected {
        if let Grade::Propagated(sets) = &grade {
            self.touched |= sets.options_read();
            // On another path than the reference's, a final register may be undefined.
            let components = self.entry.interface.components();
            let is_output: Vec<bool> =
                components.map(|(slot, _)| !self.registers.contains_key(&slot)).collect();
            self.defined = vec![is_output; self.defined.len()];
        }
        Expected { grade, ..self }
    }
}

/// A case with its questions and expected results.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The case with the profile's options.
    pub case: Case,
    /// The legality of the bytes.
    pub status: ValidationStatus,
    /// The reference's result, if a run is among the questions.
    pub expected: Option<Expected>,
    /// The questions without duplicates; at least one.
    pub questions: Vec<Question>,
}

/// The reason a case is not sent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotSent {
    /// The case is outside of the profile; the text states why.
    Outside(String),
    /// The subject has no ability that the case could test.
    NothingToAsk,
    /// On the reference, a lane does not finish: it hangs, or runs out of fuel or of effect capacity.
    Unfinished,
    /// The program reads a texture that is not sent: one with more than [`MAX_TEXELS`] texels, or a ramp, which has no texels.
    Texture,
    /// The case sets or compares registers, and the subject does not exchange them.
    Registers,
    /// Our own code panicked; the text is the message.
    Panic(String),
}

impl std::fmt::Display for NotSent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotSent::Outside(how) => write!(f, "outside of the profile: {how}"),
            NotSent::NothingToAsk => f.write_str("the case tests no ability of the subject"),
            NotSent::Unfinished => f.write_str("the reference does not finish the program"),
            NotSent::Texture => {
                write!(f, "the program reads a texture of more than {MAX_TEXELS} texels, or a ramp")
            }
            NotSent::Registers => {
                f.write_str("the case sets or compares registers, which the subject does not exchange")
            }
            NotSent::Panic(what) => write!(f, "the reference fails: {what}"),
        }
    }
}

/// Prepares a case for a subject with these abilities.
///
/// # Errors
/// Why the case is not sent.
pub fn prepare(case: &Case, profile: &Profile, abilities: &[Ability]) -> Result<Prepared, NotSent> {
    let case = profile.adapt_case(case.clone());
    let isa = case.isa;
    caught(|| with_isa!(isa, I => prepare_as::<I>(case, profile, abilities)))
        .unwrap_or_else(|panic| Err(NotSent::Panic(panic.to_string())))
}

fn prepare_as<I: Isa>(case: Case, profile: &Profile, abilities: &[Ability]) -> Result<Prepared, NotSent> {
    let decodes = abilities.contains(&Ability::Decode);
    let mut case = case;
    let Ok(mut resolved) = case.resolve::<I>() else {
        // Bytes without an entry cannot be run. A decoder is asked about them only if they do not decode.
        if !decodes || I::decode(&case.bytes).is_ok() {
            return Err(NotSent::NothingToAsk);
        }
        let bytes = Hex(case.bytes.clone());
        let program = ProgramData {
            isa: I::ID,
            bytes,
            code: None,
            table: Vec::new(),
            entry: None,
            opcodes: Vec::new(),
        };
        let questions = vec![Question::Decode(Box::new(program))];
        return Ok(Prepared { case, status: ValidationStatus::Malformed, expected: None, questions });
    };
    for env in [&mut case.env, &mut resolved.env] {
        clear_unlisted_inputs(&resolved.entry.interface, env);
    }
    if let Some(how) = profile.outside(&resolved) {
        return Err(NotSent::Outside(how));
    }
    let status = ValidationStatus::of(&resolved);
    let mut expected = None;
    let mut questions = Vec::new();
    let program = program(&case, &resolved);
    if decodes {
        questions.push(Question::Decode(Box::new(program.clone())));
    }
    let takes = abilities.contains(&Ability::Registers) || !registers::has_any::<I>(&resolved.entry);
    if !takes && !decodes {
        return Err(NotSent::Registers);
    }
    if takes && status.runs() && abilities.contains(&Ability::Run) && !resolved.env.lanes.is_empty() {
        let traces = abilities.contains(&Ability::Trace);
        expected = finished(&resolved).map(|expected| expected.graded(grade(profile, traces, &resolved)));
        if expected.is_some() {
            let mut run = run(program, &resolved)?;
            if let Some(expected) = &expected {
                run.finals = registers::compared_finals::<I>(&resolved.entry, &expected.defined);
            }
            let run = Box::new(run);
            if expected.as_ref().is_some_and(|expected| expected.grade == Grade::Traced) {
                questions.extend([Question::Run(run.clone()), Question::Trace(run)]);
            } else {
                questions.push(Question::Run(run));
            }
        } else if !decodes {
            return Err(NotSent::Unfinished);
        }
    }
    if questions.is_empty() {
        return Err(NotSent::NothingToAsk);
    }
    Ok(Prepared { case, status, expected, questions })
}

/// Sets the inputs that the entry does not list to zero, since only listed inputs are sent.
fn clear_unlisted_inputs(interface: &Interface, env: &mut Environment) {
    let listed: BTreeSet<usize> = interface.inputs.iter().map(|port| usize::from(port.slot)).collect();
    for lane in &mut env.lanes {
        let others = lane.slots.iter_mut().enumerate().filter(|(slot, _)| !listed.contains(slot));
        others.for_each(|(_, value)| *value = [0.0; 4]);
    }
}

/// Returns the reference's result with these options; `None` if a lane does not finish, the program is not legal with them, or the reference panics.
pub(super) fn expected(case: &Case, options: BTreeMap<String, String>) -> Option<Expected> {
    let case = Case { options, ..case.clone() };
    let isa = case.isa;
    let ran = caught(|| {
        with_isa!(isa, I => {
            let resolved = case.resolve::<I>().ok().filter(Resolved::is_legal);
            resolved.and_then(|resolved| finished(&resolved))
        })
    });
    ran.ok().flatten()
}

/// Whether a program is legal with these options.
pub(super) fn is_legal(case: &Case, options: BTreeMap<String, String>) -> bool {
    let case = Case { options, ..case.clone() };
    let isa = case.isa;
    let checked =
        caught(|| with_isa!(isa, I => case.resolve::<I>().is_ok_and(|resolved| resolved.is_legal())));
    checked == Ok(true)
}

/// Returns the reference's result; `None` if a lane does not finish.
fn finished<I: Isa>(resolved: &Resolved<I>) -> Option<Expected> {
    resolved.options.take_read();
    let outcome = reference::<I>(&resolved.context(), &resolved.env);
    let read = resolved.options.take_read();
    if outcome.lanes.iter().any(|lane| lane.end != End::Finished) {
        return None;
    }
    let matters =
        |(at, option): (usize, &OptionSpec)| u64::from(outcome.freedoms.contains(option.freedom)) << at;
    let touched =
        read & I::option_specs().iter().enumerate().map(matters).fold(0, |all, option| all | option);
    let entry = resolved.entry.clone();
    let outputs = entry.interface.outputs.iter().map(|port| I::output_name(&entry, port.slot)).collect();
    let defined = registers::defined(resolved, &outcome);
    resolved.options.take_read();
    let ty = |port: &Port| Some((port.slot, register::<I>(&entry, port.slot)?.ty));
    let registers = entry.interface.outputs.iter().filter_map(ty).collect();
    Some(Expected { outcome, entry, outputs, touched, defined, registers, grade: Grade::Exact })
}

fn program<I: Isa>(case: &Case, resolved: &Resolved<I>) -> ProgramData {
    let entry = &without_registers::<I>(&resolved.entry);
    let outputs =
        entry.interface.outputs.iter().map(|port| (I::output_name(entry, port.slot), letters(port.mask)));
    let number = registers::own_number::<I>(&resolved.program, &case.entry);
    let code = I::code(&resolved.program, entry);
    ProgramData {
        isa: I::ID,
        bytes: Hex(case.bytes.clone()),
        code: (code.bytes != case.bytes).then_some(Hex(code.bytes)),
        table: code.table.into_iter().map(Bits).collect(),
        entry: Some(EntryData {
            number,
            stage: entry.stage,
            version: entry.version,
            start: entry.start,
            extra: entry.extra,
            interface: entry.interface.clone(),
            outputs: outputs.collect(),
        }),
        opcodes: opcodes(resolved),
    }
}

/// Returns the opcodes of a program in alphabetical order, without duplicates.
pub(super) fn opcodes<I: Tables + Legality>(resolved: &Resolved<I>) -> Vec<String> {
    let points_of = I::cover_points(&resolved.program);
    let words = 0..I::instruction_count(&resolved.context());
    let mut all: Vec<String> = words.flat_map(points_of).map(|point| point.opcode.to_owned()).collect();
    all.sort();
    all.dedup();
    all
}

pub(super) fn letters(mask: u8) -> String {
    LETTERS.iter().enumerate().filter(|(c, _)| mask >> c & 1 == 1).map(|(_, letter)| letter).collect()
}

fn run<I: Syntax>(program: ProgramData, resolved: &Resolved<I>) -> Result<RunData, NotSent> {
    let Resolved { entry, env, .. } = resolved;
    let Interface { constants, ints, bools, samplers, .. } = &entry.interface;
    let inputs = without_registers::<I>(entry).interface.inputs;
    let bits = |v: &[f32; 4]| v.map(Bits::from);
    let textures = env.textures.iter().enumerate();
    let textures = textures.map(|(unit, texture)| {
        // Textures that no instruction reads are not sent.
        if samplers.iter().any(|read| usize::from(*read) == unit) {
            texels(texture).ok_or(NotSent::Texture)
        } else {
            texels(&Texture::default()).ok_or(NotSent::Texture)
        }
    });
    let lane = |lane: &lockstep_core::host::LaneInput| -> BTreeMap<String, Vector> {
        let value = |slot: u16| lane.slots.get(usize::from(slot)).copied().unwrap_or_default();
        inputs.iter().map(|port| (I::input_name(entry, port.slot), bits(&value(port.slot)))).collect()
    };
    // Register files are padded to the length that the program can read, so that a subject need not treat missing values as zero.
    let Environment { lanes, buffers, .. } = env;
    Ok(RunData {
        constants: sized(&env.constants, *constants).iter().map(bits).collect(),
        ints: sized(&env.ints, *ints),
        bools: sized(&env.bools, *bools),
        textures: textures.collect::<Result<_, _>>()?,
        buffers: buffers.iter().map(|buffer| buffer.words.iter().map(|word| Bits(*word)).collect()).collect(),
        lanes: lanes.iter().map(lane).collect(),
        initial: if registers::has_any::<I>(entry) {
            lanes.iter().map(|lane| registers::initial::<I>(entry, lane)).collect()
        } else {
            Vec::new()
        },
        finals: BTreeMap::new(),
        program,
        translation: None,
    })
}

/// Returns a register file with at least `count` values, padded with zeros.
fn sized<T: Clone + Default>(file: &[T], count: u16) -> Vec<T> {
    let mut file = file.to_vec();
    file.resize(file.len().max(usize::from(count)), T::default());
    file
}

/// Returns a texture with its texels; `None` if there are more than [`MAX_TEXELS`], or if the texture is a ramp, which has none.
fn texels(texture: &Texture) -> Option<TextureData> {
    if matches!(texture.texels, Texels::Ramp { .. }) {
        return None;
    }
    let mut texels = Vec::new();
    for level in 0..texture.level_count() {
        let [width, height, depth] = texture.extent(level);
        let count = u64::from(width) * u64::from(height) * u64::from(depth) * u64::from(texture.faces());
        if count > MAX_TEXELS as u64 || texels.len() as u64 + count > MAX_TEXELS as u64 {
            return None;
        }
        for face in 0..texture.faces() {
            for z in 0..depth {
                for y in 0..height {
                    texels.extend((0..width).map(|x| texture.texel(level, face, x, y, z).map(Bits::from)));
                }
            }
        }
    }
    let (dimension, state) = (texture.dimension, SamplerData::from(&texture.state));
    Some(TextureData { dimension, size: texture.extent(0), levels: texture.level_count(), state, texels })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::d3d9::D3d9;
    use lockstep_core::isa::pica200::Pica200;

    /// Returns the program data that is sent for a program text.
    fn sent<I: Isa>(text: &str) -> ProgramData {
        let case = Case::new::<I>(&I::assemble(text).unwrap(), Environment::default());
        program(&case, &case.resolve::<I>().unwrap())
    }

    #[test]
    fn code_excludes_the_container() {
        // AGAL has a header of 7 bytes and tokens of 24.
        let agal = sent::<Agal>("version 1 vertex\nmov vt0, va0\nmov op, vt0\n");
        assert_eq!(agal.code.unwrap().0, agal.bytes.0[7..7 + 2 * 24]);
        // Bytes after END are not part of the program. Otherwise all bytes of a Direct3D 9 file are code.
        let d3d9 = sent::<D3d9>("vs_2_0\ndcl_position v0\nmov oPos, v0\n");
        assert_eq!((d3d9.code, d3d9.table), (None, Vec::new()));
        // The raw form of PICA200: 20 bytes, the words, then descriptors of two words each, of which the second is unused.
        let pica = sent::<Pica200>(".raw vertex, outputs=0x1, entry=0x0\nmov o0, v0\nend\n");
        let file = &pica.bytes.0;
        let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        let (words, rows) = (number(0x0c), number(0x10));
        assert!(words == 2 && rows == 1, "{file:02x?}");
        assert_eq!(pica.code.unwrap().0, file[20..28]);
        assert_eq!(pica.table, [Bits(number(28) as u32)]);
    }

    #[test]
    fn the_opcodes_of_a_program_are_sorted_and_distinct() {
        let sent = sent::<Agal>(
            "version 1 vertex\nmul vt0, va0, va0\nadd vt1, va0, va0\nmul vt0, vt0, vt1\nmov op, vt0\n",
        );
        assert_eq!(sent.opcodes, ["add", "mov", "mul"]);
    }

    #[test]
    fn the_texels_of_all_levels_and_faces_together_are_limited() {
        use lockstep_core::host::Dimension;
        // Texels of level 0, and of levels 0 and 1 together, for each shape.
        for (dimension, size, one, two) in [
            (Dimension::Two, [128, 128, 1], 16384, 20480),
            (Dimension::Two, [128, 102, 1], 13056, 16320),
            (Dimension::Three, [32, 32, 16], 16384, 18432),
            (Dimension::Cube, [52, 52, 1], 16224, 20280),
            (Dimension::Cube, [53, 53, 1], 16854, 20910),
        ] {
            for (levels, count) in [(1, one), (2, two)] {
                let texels = Texels::Pattern { seed: 1 };
                let sent = super::texels(&Texture { dimension, size, levels, texels, ..Texture::default() });
                let expected = (count <= MAX_TEXELS).then_some(count);
                assert_eq!(sent.map(|data| data.texels.len()), expected, "{dimension:?} {size:?} {levels}");
            }
        }
    }
}
