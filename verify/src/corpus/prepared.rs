//! Converts a vector to a case: assembles the program, finds the entry, and stores the vector's numbers in the inputs and constants that the program
//! reads.

use super::number::Number;
use super::vector::{BufferForm, Vector, VectorLane};
use crate::case::{Case, EntryRef};
use lockstep_core::host::{Buffer, Environment, LaneInput, Texels, Texture};
use lockstep_core::isa::{Entry, Isa, IsaId, Syntax};
use lockstep_core::text::count;
use lockstep_core::with_isa;

/// The default fuel of a vector's lanes, far more than a derivation on paper can cover.
const FUEL: u32 = 4096;
/// The default number of effects that each lane of a vector can record.
const EFFECT_CAPACITY: u32 = 64;
/// The number of slots that are searched for a register's name.
const SLOTS: u16 = 64;

/// A problem of a vector: the component concerned, and a sentence.
pub(super) type Problem = (String, String);

/// The component name in the problems of a vector that was not run.
pub(super) const PROGRAM: &str = "program";

/// Returns a list of one problem, which makes a vector meaningless.
pub(super) fn meaningless(problem: &impl ToString) -> Vec<Problem> {
    vec![(PROGRAM.to_owned(), problem.to_string())]
}

/// Converts a vector to a case. Keeps only those output components for which some lane of the vector expects a number.
///
/// # Errors
/// One sentence for each part of the vector that has no meaning.
pub fn vector_case(isa: IsaId, vector: &Vector) -> Result<Case, Vec<String>> {
    let prepared = with_isa!(isa, I => prepared::<I>(vector));
    let (mut case, _) =
        prepared.map_err(|found| found.into_iter().map(|(_, problem)| problem).collect::<Vec<_>>())?;
    if let EntryRef::Given(entry) = &mut case.entry {
        let names: Vec<String> = with_isa!(isa, I => {
            entry.interface.outputs.iter().map(|port| I::output_name(entry, port.slot)).collect()
        });
        for (port, name) in entry.interface.outputs.iter_mut().zip(&names) {
            let others = vector.alternative.iter().flat_map(|alternative| &alternative.lane);
            let expected = vector.lane.iter().chain(others).filter_map(|lane| lane.output.get(name));
            let looked_at = |numbers: &[Number; 4]| {
                (0..4).filter(|c| numbers[*c] != Number::Any).fold(0u8, |mask, c| mask | 1 << c)
            };
            port.mask &= expected.fold(0, |mask, numbers| mask | looked_at(numbers));
        }
        entry.interface.outputs.retain(|port| port.mask != 0);
    }
    Ok(case)
}

/// The expected lanes of one permitted result, one for each lane that is run.
pub(super) type ExpectedLanes<'a> = Vec<&'a VectorLane>;

/// Returns the case that a vector describes, and the permitted results: first the vector's own lanes, then each alternative. A lane that represents a
/// group is repeated for each lane of that group.
pub(super) fn prepared<I: Isa>(vector: &Vector) -> Result<(Case, Vec<ExpectedLanes<'_>>), Vec<Problem>> {
    let program = I::assemble(&vector.program)
        .map_err(|errors| errors.iter().flat_map(meaningless).collect::<Vec<_>>())?;
    let mut lanes: Vec<&VectorLane> = vector.lane.iter().collect();
    let mut case = Case {
        entry: vector.entry.clone(),
        options: vector.options.clone(),
        ..Case::bare(I::ID, &I::encode(&program))
    };
    let entry = case.entry::<I>(&program).map_err(|e| meaningless(&e))?;
    let others = vector.alternative.iter().flat_map(|alternative| &alternative.lane);
    let all: ExpectedLanes<'_> = lanes.iter().copied().chain(others).collect();
    let entry = with_outputs::<I>(entry, &all)?;
    case.entry = EntryRef::Given(entry.clone());
    let group = {
        let resolved = case.resolve::<I>().map_err(|e| meaningless(&e))?;
        usize::from(I::group(&resolved.context()))
    };
    if group > 1 && lanes.len() == 1 {
        lanes = vec![lanes[0]; group];
    }
    if lanes.is_empty() || !lanes.len().is_multiple_of(group) {
        return Err(meaningless(&format!(
            "{}, but lanes run in groups of {group}",
            count(lanes.len(), "lane")
        )));
    }
    case.env = environment::<I>(vector, &entry, &lanes)?;
    case.list_inputs::<I>().map_err(|e| meaningless(&e))?;
    let ran = lanes.len();
    // Here, too, one lane may represent a group.
    let others =
        vector.alternative.iter().map(|alternative| alternative.lane.iter().cycle().take(ran).collect());
    Ok((case, std::iter::once(lanes).chain(others).collect()))
}

/// Returns the entry with every component of the registers that the vector names as outputs, whether the program writes that component or not.
fn with_outputs<I: Syntax>(mut entry: Entry, lanes: &[&VectorLane]) -> Result<Entry, Vec<Problem>> {
    for name in lanes.iter().flat_map(|lane| lane.output.keys()) {
        let slot = (0..SLOTS).find(|slot| I::output_name(&entry, *slot) == *name);
        let slot = slot.ok_or_else(|| meaningless(&format!("there is no output '{name}'")))?;
        let outputs = &mut entry.interface.outputs;
        match outputs.iter_mut().find(|port| port.slot == slot) {
            Some(port) => port.mask = 0xf,
            None => return Err(meaningless(&format!("the program does not write '{name}'"))),
        }
    }
    Ok(entry)
}

/// Stores a value at a slot of a register file, which is extended with default values as needed.
fn put<T: Clone + Default>(file: &mut Vec<T>, slot: u16, value: T) {
    let slot = usize::from(slot);
    file.resize(file.len().max(slot + 1), T::default());
    file[slot] = value;
}

/// Returns the name of the first input that is a range, which is not allowed; `None` if there is none.
fn range_among_inputs(vector: &Vector, lanes: &[&VectorLane]) -> Option<String> {
    let is_range = |v: &[Number]| v.iter().any(|number| matches!(number, Number::Between(..)));
    let constants = vector.constants.iter().map(|(slot, v)| (format!("constant {slot}"), v.as_slice()));
    let buffers = vector.buffer.iter().enumerate().map(|(n, b)| (format!("buffer {n}"), b.words.as_slice()));
    let texels = vector.texture.iter().enumerate().flat_map(|(n, texture)| {
        texture.explicit.iter().map(move |v| (format!("texture {n}"), v.as_slice()))
    });
    let inputs = lanes.iter().enumerate().flat_map(|(l, lane)| {
        lane.input.iter().map(move |(name, v)| (format!("lane {l}, {name}"), v.as_slice()))
    });
    let mut all = constants.chain(buffers).chain(texels).chain(inputs);
    all.find(|(_, v)| is_range(v)).map(|(what, _)| what)
}

fn environment<I: Syntax>(
    vector: &Vector,
    entry: &Entry,
    lanes: &[&VectorLane],
) -> Result<Environment, Vec<Problem>> {
    let four = |v: &[Number; 4]| v.map(Number::value);
    if let Some(what) = range_among_inputs(vector, lanes) {
        return Err(meaningless(&format!("{what}: a range cannot be an input")));
    }
    let (fuel, effects) = (vector.fuel.unwrap_or(FUEL), vector.room.unwrap_or(EFFECT_CAPACITY));
    let mut env = Environment { fuel, effects, ..Environment::default() };
    for (slot, value) in &vector.constants {
        put(&mut env.constants, *slot, four(value));
    }
    for (slot, value) in &vector.ints {
        put(&mut env.ints, *slot, *value);
    }
    for (slot, value) in &vector.bools {
        put(&mut env.bools, *slot, *value);
    }
    let words = |b: &BufferForm| b.words.iter().map(|word| word.value().to_bits()).collect();
    env.buffers = vector.buffer.iter().map(|b| Buffer { words: words(b) }).collect();
    env.textures = vector
        .texture
        .iter()
        .map(|t| Texture {
            dimension: t.dimension,
            size: t.size,
            levels: t.levels,
            state: t.state,
            texels: Texels::Explicit(t.explicit.iter().map(four).collect()),
        })
        .collect();
    for lane in lanes {
        let mut input = LaneInput::default();
        for (name, value) in &lane.input {
            let slot = (0..SLOTS).find(|slot| I::input_name(entry, *slot) == *name);
            let slot = slot.ok_or_else(|| meaningless(&format!("there is no input '{name}'")))?;
            *input.slot_mut(slot) = four(value);
        }
        env.lanes.push(input);
    }
    Ok(env)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::vector::parse;
    use lockstep_core::isa::{Format, Syntax};

    #[test]
    fn vectors_set_integers_booleans_buffers_and_limits() {
        let text = "[[vector]]\nname='a'\nsource='s'\nderivation='d'\nprogram='p'\nlane=[]\nentry={own=1}\nfuel=3\nroom=5\n\
                    ints={2=[1,-2,3,4]}\nbools={1=true}\n[[vector.buffer]]\nwords=[1.5, '0xdeadbeef']\n";
        let (_, vectors) = parse(text, Some(IsaId::Agal)).unwrap();
        let program = lockstep_core::isa::agal::Agal::assemble("version 1 vertex\nmov op, va0\n").unwrap();
        let entry = lockstep_core::isa::agal::Agal::entries(&program).remove(0);
        let env = environment::<lockstep_core::isa::agal::Agal>(&vectors[0], &entry, &[]).unwrap();
        assert_eq!((env.fuel, env.effects, &vectors[0].entry), (3, 5, &EntryRef::Own(1)));
        assert_eq!((env.ints, env.bools), (vec![[0; 4], [0; 4], [1, -2, 3, 4]], vec![false, true]));
        assert_eq!(env.buffers, [Buffer { words: vec![1.5f32.to_bits(), 0xdead_beef] }]);
    }
}
