//! The questions to a library as the header `lockstep.h` declares them. All data that their pointers refer to is owned or borrowed by these types.

use super::abi::{Bytes, Choice, Environment, Greeting, Program, Register, Texture, Words};
use super::registers::ExchangedRegisters;
use super::texture::raw as texture;
use crate::judge::ours::described;
use crate::judge::subject::{self, ProgramData, RunData, TextureData, Vector};
use lockstep_core::isa::{Interface, Port, Stage};
use lockstep_core::with_isa;
use std::ffi::{CString, c_char};
use std::ptr::{null, null_mut};

/// C strings with an array of pointers to them. The text of a `CString` does not move when the `CString` is moved.
pub(super) struct Names {
    _kept: Vec<CString>,
    pub(super) at: Vec<*const c_char>,
}

impl Names {
    /// Converts names to C strings. A name is cut at a zero byte, which our own names never contain.
    pub(super) fn new(names: impl IntoIterator<Item = impl AsRef<str>>) -> Names {
        let name = |name: &str| CString::new(name.split('\0').next().unwrap_or_default()).unwrap_or_default();
        let kept: Vec<CString> = names.into_iter().map(|one| name(one.as_ref())).collect();
        let at = kept.iter().map(|name| name.as_ptr()).collect();
        Names { _kept: kept, at }
    }
}

/// The first message to a library.
pub(super) struct GreetingView {
    _names: [Names; 4],
    _options: Vec<Choice>,
    greeting: Greeting,
}

impl GreetingView {
    pub(super) fn new(greeting: &subject::Greeting, arguments: &[String]) -> GreetingView {
        let names = [
            Names::new([&greeting.host]),
            Names::new(greeting.options.keys()),
            Names::new(greeting.options.values()),
            Names::new(arguments),
        ];
        let pairs = names[1].at.iter().zip(&names[2].at);
        let options: Vec<Choice> = pairs.map(|(&name, &choice)| Choice { name, choice }).collect();
        let raw = Greeting {
            size: size_of::<Greeting>(),
            abi: super::abi::ABI,
            isa: u32::from(greeting.isa.number()),
            host: names[0].at[0],
            options: options.as_ptr(),
            option_count: options.len(),
            arguments: names[3].at.as_ptr(),
            argument_count: arguments.len(),
        };
        GreetingView { _names: names, _options: options, greeting: raw }
    }

    pub(super) fn raw(&self) -> *const Greeting {
        &raw const self.greeting
    }
}

/// A program as the header declares it. The borrowed data stays unchanged as long as the view exists.
pub(super) struct ProgramView<'a> {
    data: &'a ProgramData,
    /// The names of the inputs, in the order of their ports.
    pub(super) inputs: Vec<String>,
    /// The names of the outputs, in the order of their ports.
    pub(super) outputs: Vec<String>,
    /// The mask of compared components of each output.
    pub(super) masks: Vec<u8>,
    _names: [Names; 3],
    registers: [Vec<Register>; 2],
    words: [Vec<u32>; 2],
    program: Program,
}

impl<'a> ProgramView<'a> {
    pub(super) fn new(data: &'a ProgramData) -> ProgramView<'a> {
        let entry = data.entry.as_ref().map(described);
        let none = Interface::default();
        let interface = entry.as_ref().map_or(&none, |entry| &entry.interface);
        let (inputs, outputs) = entry.as_ref().map_or_else(Default::default, |entry| {
            with_isa!(data.isa, I => {
                let inputs = entry.interface.inputs.iter().map(|port| I::input_name(entry, port.slot));
                let outputs = entry.interface.outputs.iter().map(|port| I::output_name(entry, port.slot));
                (inputs.collect::<Vec<_>>(), outputs.collect::<Vec<_>>())
            })
        });
        let names = [Names::new(&data.opcodes), Names::new(&inputs), Names::new(&outputs)];
        let registers = |ports: &[Port], names: &Names| -> Vec<Register> {
            let register = |(port, &name): (&Port, &*const c_char)| Register {
                slot: u32::from(port.slot),
                mask: u32::from(port.mask),
                name,
            };
            ports.iter().zip(&names.at).map(register).collect()
        };
        let registers = [registers(&interface.inputs, &names[1]), registers(&interface.outputs, &names[2])];
        let table: Vec<u32> = data.table.iter().map(|word| word.0).collect();
        let bytes = |bytes: &[u8]| Bytes { at: bytes.as_ptr(), length: bytes.len() };
        let code = match (&data.code, &entry) {
            (Some(code), _) => bytes(&code.0),
            (None, Some(_)) => bytes(&data.bytes.0),
            (None, None) => bytes(&[]),
        };
        let samplers: Vec<u32> = interface.samplers.iter().map(|unit| u32::from(*unit)).collect();
        let number = data.entry.as_ref().and_then(|entry| entry.number);
        let program = Program {
            size: size_of::<Program>(),
            isa: u32::from(data.isa.number()),
            stage: entry.as_ref().map_or(0, |entry| stage(entry.stage)),
            version: entry.as_ref().map_or(0, |entry| entry.version),
            start: entry.as_ref().map_or(0, |entry| entry.start),
            entry: number.map_or(u32::MAX, u32::from),
            constants: u32::from(interface.constants),
            ints: u32::from(interface.ints),
            bools: u32::from(interface.bools),
            extra: entry.as_ref().map_or([0; 4], |entry| entry.extra),
            file: bytes(&data.bytes.0),
            code,
            table: Words { at: table.as_ptr(), length: table.len() },
            samplers: Words { at: samplers.as_ptr(), length: samplers.len() },
            opcodes: names[0].at.as_ptr(),
            opcode_count: names[0].at.len(),
            inputs: registers[0].as_ptr(),
            input_count: registers[0].len(),
            outputs: registers[1].as_ptr(),
            output_count: registers[1].len(),
        };
        let masks = interface.outputs.iter().map(|port| port.mask).collect();
        ProgramView {
            data,
            inputs,
            outputs,
            masks,
            _names: names,
            registers,
            words: [table, samplers],
            program,
        }
    }

    pub(super) fn raw(&self) -> *const Program {
        &raw const self.program
    }

    /// Returns the C structure, whose pointers refer to this view.
    pub(super) fn description(&self) -> &Program {
        &self.program
    }

    /// Returns only the instructions of the program.
    pub(super) fn code(&self) -> &[u8] {
        match (&self.data.code, &self.data.entry) {
            (Some(code), _) => &code.0,
            (None, Some(_)) => &self.data.bytes.0,
            (None, None) => &[],
        }
    }

    /// Returns the input and the output registers.
    pub(super) fn registers(&self) -> [&[Register]; 2] {
        [&self.registers[0], &self.registers[1]]
    }

    /// Returns the texture units that the program reads.
    pub(super) fn samplers(&self) -> &[u32] {
        &self.words[1]
    }

    /// Returns the number of lanes in a group: four for fragments, since these run in quads.
    fn group(&self) -> usize {
        if self.program.stage == stage(Stage::Fragment) { 4 } else { 1 }
    }
}

/// Returns the header's constant for a stage, such as `LOCKSTEP_VERTEX`.
fn stage(stage: Stage) -> u32 {
    match stage {
        Stage::Vertex => 1,
        Stage::Fragment => 2,
        Stage::Geometry => 3,
    }
}

/// The environment of a run as the header declares it. The borrowed data stays unchanged as long as the view exists.
pub(super) struct RunView<'a> {
    data: &'a RunData,
    /// The float constants, then the inputs.
    vectors: [Vec<[u32; 4]>; 2],
    _bools: Vec<u8>,
    texels: Vec<Vec<[u32; 4]>>,
    textures: Vec<Texture>,
    _buffers: (Vec<Vec<u32>>, Vec<Words>),
    registers: ExchangedRegisters,
    environment: Environment,
}

impl<'a> RunView<'a> {
    pub(super) fn new(data: &'a RunData, program: &ProgramView<'_>) -> RunView<'a> {
        let lanes = data.lanes.len().next_multiple_of(program.group());
        let constants: Vec<[u32; 4]> = data.constants.iter().map(bits).collect();
        let mut inputs = Vec::with_capacity(lanes * program.inputs.len());
        for lane in 0..lanes {
            let lane = data.lanes.get(lane);
            let value = |name: &String| lane.and_then(|lane| lane.get(name)).map_or([0; 4], bits);
            inputs.extend(program.inputs.iter().map(value));
        }
        let bools: Vec<u8> = data.bools.iter().map(|value| u8::from(*value)).collect();
        let texels: Vec<Vec<[u32; 4]>> =
            data.textures.iter().map(|texture| texture.texels.iter().map(bits).collect()).collect();
        let textures: Vec<Texture> =
            data.textures.iter().zip(&texels).map(|(data, texels)| texture(data, texels)).collect();
        let words: Vec<Vec<u32>> =
            data.buffers.iter().map(|buffer| buffer.iter().map(|word| word.0).collect()).collect();
        let buffers: Vec<Words> =
            words.iter().map(|words| Words { at: words.as_ptr(), length: words.len() }).collect();
        let registers = ExchangedRegisters::new(data, lanes);
        let environment = Environment {
            size: size_of::<Environment>(),
            constants: constants.as_ptr(),
            constant_count: constants.len(),
            ints: data.ints.as_ptr(),
            int_count: data.ints.len(),
            bools: bools.as_ptr(),
            bool_count: bools.len(),
            textures: textures.as_ptr(),
            texture_count: textures.len(),
            buffers: buffers.as_ptr(),
            buffer_count: buffers.len(),
            lanes,
            asked: data.lanes.len(),
            inputs: if inputs.is_empty() { null() } else { inputs.as_ptr() },
            initial: registers.initial.as_ptr(),
            initial_count: registers.initial.len(),
            initial_values: registers.values.as_ptr(),
            finals: registers.finals.as_ptr(),
            final_count: registers.finals.len(),
            sample: None,
            sampling: null_mut(),
        };
        RunView {
            data,
            vectors: [constants, inputs],
            _bools: bools,
            texels,
            textures,
            _buffers: (words, buffers),
            registers,
            environment,
        }
    }

    /// Returns the C structure, without a `sample` function.
    pub(super) fn description(&self) -> &Environment {
        &self.environment
    }

    /// Returns the textures by unit.
    pub(super) fn texture_data(&self) -> &'a [TextureData] {
        &self.data.textures
    }

    /// Returns the float constants.
    pub(super) fn constants(&self) -> &[[u32; 4]] {
        &self.vectors[0]
    }

    /// Returns the inputs of all lanes, lane by lane.
    pub(super) fn inputs(&self) -> &[[u32; 4]] {
        &self.vectors[1]
    }

    /// Returns the registers that the run exchanges.
    pub(super) fn registers(&self) -> &ExchangedRegisters {
        &self.registers
    }

    /// Iterates over the textures, each with its texels.
    pub(super) fn textures(&self) -> impl Iterator<Item = (&Texture, &[[u32; 4]])> {
        self.textures.iter().zip(self.texels.iter().map(Vec::as_slice))
    }

    /// Returns the number of lanes to run, and of those whose results are used.
    pub(super) fn lanes(&self) -> (usize, usize) {
        (self.environment.lanes, self.environment.asked)
    }
}

fn bits(vector: &Vector) -> [u32; 4] {
    vector.map(|component| component.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Case, EntryRef};
    use crate::judge::{Ability, Profile, Question, prepare};
    use lockstep_core::isa::Syntax;
    use lockstep_core::isa::pica200::Pica200;

    const TWO: &str = ".in position v0\n.out pos position o0\n.entry one\n.proc one\nmov pos, v0\nend\n.end\n.shader\n\
        .in position v0\n.out pos position o0\n.entry two\n.proc two\nadd pos, v0, v0\nend\n.end\n";

    /// Every part of the case's entry reaches the library; the entry's number does only if the case names the entry by number.
    #[test]
    fn a_library_is_told_the_entry_of_the_case() {
        let program = Pica200::assemble(TWO).unwrap();
        let bare = Case::new::<Pica200>(&program, lockstep_core::host::Environment::default());
        let own = |number| Case { entry: EntryRef::Own(number), ..bare.clone() };
        let entries = [0, 1].map(|number| own(number).resolve::<Pica200>().unwrap().entry);
        let mut other = entries[1].clone();
        (other.interface.constants, other.interface.ints, other.interface.bools) = (3, 4, 5);
        let given = |entry: &lockstep_core::isa::Entry| Case {
            entry: EntryRef::Given(entry.clone()),
            ..bare.clone()
        };
        for (case, entry, number) in [
            (own(0), &entries[0], 0),
            (own(1), &entries[1], 1),
            (given(&entries[0]), &entries[0], u32::MAX),
            (given(&entries[1]), &entries[1], u32::MAX),
            (given(&other), &other, u32::MAX),
        ] {
            let Ok(prepared) = prepare(&case, &Profile::default(), &[Ability::Decode]) else {
                panic!("{number}")
            };
            let Question::Decode(data) = &prepared.questions[0] else { panic!("no question") };
            let view = ProgramView::new(data);
            let told = view.description();
            assert_eq!(told.entry, number);
            let interface = &entry.interface;
            let counts = [interface.constants, interface.ints, interface.bools].map(u32::from);
            assert_eq!([told.constants, told.ints, told.bools], counts);
            assert_eq!((told.start, told.version, told.extra), (entry.start, entry.version, entry.extra));
            assert_eq!(told.stage, stage(entry.stage));
            assert_eq!(
                (told.input_count, told.output_count),
                (interface.inputs.len(), interface.outputs.len())
            );
        }
    }
}
