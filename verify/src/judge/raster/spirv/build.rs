//! Builds SPIR-V modules: shaders of one function without branches.

use super::code::{builtin, capability, decoration, execution, mode, op, put, storage};
use super::module::{EntryPoint, MAGIC, Module, Slot, Stage};
use crate::judge::raster::term::{Function, Infix, Term};
use std::collections::BTreeMap;

/// The name of the entry point of every module that is built here.
const NAME: &str = "main";

/// A module under construction, section by section.
struct Builder {
    stage: Stage,
    next: u32,
    decorations: Vec<u32>,
    /// The ids of types and constants by opcode and operands, so that each is declared once.
    declared: BTreeMap<(u32, Vec<u32>), u32>,
    declarations: Vec<u32>,
    body: Vec<u32>,
    interface: Vec<u32>,
    /// The id of the imported instruction set GLSL.std.450.
    functions: u32,
}

/// Returns a string as words, with a terminating NUL.
fn words_of(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((bytes.len() / 4 + 1) * 4, 0);
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

impl Builder {
    fn new(stage: Stage) -> Builder {
        Builder {
            stage,
            next: 2,
            decorations: Vec::new(),
            declared: BTreeMap::new(),
            declarations: Vec::new(),
            body: Vec::new(),
            interface: Vec::new(),
            functions: 1,
        }
    }

    fn id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// Returns the id of the type or constant with these operands, and declares it on first use. `before` are the operands before the result id.
    fn declare(&mut self, opcode: u32, before: &[u32], after: &[u32]) -> u32 {
        let key = (opcode, [before, after].concat());
        if let Some(id) = self.declared.get(&key) {
            return *id;
        }
        let id = self.id();
        put(&mut self.declarations, opcode, &[before, &[id], after].concat());
        self.declared.insert(key, id);
        id
    }

    fn kind(&mut self, opcode: u32, operands: &[u32]) -> u32 {
        self.declare(opcode, &[], operands)
    }

    fn float(&mut self) -> u32 {
        self.kind(op::TYPE_FLOAT, &[32])
    }

    /// Returns the type of a float or a vector of floats.
    fn vector(&mut self, components: u32) -> u32 {
        let float = self.float();
        if components == 1 { float } else { self.kind(op::TYPE_VECTOR, &[float, components]) }
    }

    /// Returns a vector of four equal constants.
    fn number(&mut self, value: f32) -> u32 {
        let (float, vector) = (self.float(), self.vector(4));
        let one = self.declare(op::CONSTANT, &[float], &[value.to_bits()]);
        self.declare(op::CONSTANT_COMPOSITE, &[vector], &[one; 4])
    }

    /// Declares a variable of the interface.
    fn variable(&mut self, class: u32, slot: Slot, components: u32) -> u32 {
        let kind = self.vector(components);
        let pointer = self.kind(op::TYPE_POINTER, &[class, kind]);
        let id = self.id();
        put(&mut self.declarations, op::VARIABLE, &[pointer, id, class]);
        let place = match slot {
            Slot::Location(number) => [decoration::LOCATION, number],
            Slot::Position => [decoration::BUILT_IN, builtin::POSITION],
        };
        put(&mut self.decorations, op::DECORATE, &[&[id], &place[..]].concat());
        self.interface.push(id);
        id
    }

    /// Appends an instruction to the function and returns its result.
    fn value(&mut self, opcode: u32, kind: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        put(&mut self.body, opcode, &[&[kind, id], operands].concat());
        id
    }

    fn load(&mut self, variable: u32, components: u32) -> u32 {
        let kind = self.vector(components);
        self.value(op::LOAD, kind, &[variable])
    }

    fn store(&mut self, variable: u32, value: u32) {
        put(&mut self.body, op::STORE, &[variable, value]);
    }

    /// Appends a call of a function of GLSL.std.450 and returns its result.
    fn call(&mut self, function: u32, kind: u32, arguments: &[u32]) -> u32 {
        self.value(op::EXTENDED_INSTRUCTION, kind, &[&[self.functions, function], arguments].concat())
    }

    /// Returns a vector of the first components of three vectors.
    fn first_components(&mut self, vectors: [u32; 3]) -> u32 {
        let (float, vector) = (self.float(), self.vector(3));
        let parts = vectors.map(|one| self.value(op::COMPOSITE_EXTRACT, float, &[one, 0]));
        self.value(op::COMPOSITE_CONSTRUCT, vector, &parts)
    }

    /// Returns a vector of four equal components.
    fn spread(&mut self, value: u32) -> u32 {
        let vector = self.vector(4);
        self.value(op::COMPOSITE_CONSTRUCT, vector, &[value; 4])
    }

    /// Appends the instructions of a term and returns its value.
    fn term(&mut self, term: &Term, operands: [u32; 3]) -> u32 {
        let (float, vector) = (self.float(), self.vector(4));
        match term {
            Term::Operand(number) => operands[number % 3],
            Term::Number(value) => self.number(*value),
            Term::Negate(of) => {
                let of = self.term(of, operands);
                self.value(op::NEGATE, vector, &[of])
            }
            Term::Infix(infix, first, second) => {
                let both = [self.term(first, operands), self.term(second, operands)];
                let opcode = match infix {
                    Infix::Add => op::ADD,
                    Infix::Subtract => op::SUBTRACT,
                    Infix::Multiply => op::MULTIPLY,
                    Infix::Divide => op::DIVIDE,
                };
                self.value(opcode, vector, &both)
            }
            Term::Less => {
                let bool_kind = self.kind(op::TYPE_BOOL, &[]);
                let kind = self.kind(op::TYPE_VECTOR, &[bool_kind, 4]);
                let (zero, one) = (self.number(0.0), self.number(1.0));
                let holds = self.value(op::ORDERED_LESS_THAN, kind, &operands[..2]);
                self.value(op::SELECT, vector, &[holds, one, zero])
            }
            Term::Normalize => {
                let (of, three) = (self.first_components(operands), self.vector(3));
                let unit = self.call(NORMALIZE, three, &[of]);
                let first = self.value(op::COMPOSITE_EXTRACT, float, &[unit, 0]);
                self.spread(first)
            }
            Term::Dot => {
                let [a, b, c] = operands;
                let both = [self.first_components([a, b, c]), self.first_components([b, c, a])];
                let value = self.value(op::DOT, float, &both);
                self.spread(value)
            }
            Term::Call(function, arguments) => {
                let arguments: Vec<u32> = arguments.iter().map(|one| self.term(one, operands)).collect();
                self.call(number_of(*function), vector, &arguments)
            }
        }
    }

    fn module(mut self) -> (Module, EntryPoint) {
        let void = self.kind(op::TYPE_VOID, &[]);
        let kind = self.kind(op::TYPE_FUNCTION, &[void]);
        let (function, label) = (self.id(), self.id());
        let (model, mode) = match self.stage {
            Stage::Vertex => (execution::VERTEX, None),
            Stage::Fragment => (execution::FRAGMENT, Some(mode::ORIGIN_LOWER_LEFT)),
        };
        let mut words = vec![MAGIC, 0x0001_0000, 0, self.next, 0];
        put(&mut words, op::CAPABILITY, &[capability::SHADER]);
        put(
            &mut words,
            op::EXTENDED_INSTRUCTION_IMPORT,
            &[&[self.functions], words_of("GLSL.std.450").as_slice()].concat(),
        );
        // Logical addressing, and the memory model of GLSL.
        put(&mut words, op::MEMORY_MODEL, &[0, 1]);
        put(
            &mut words,
            op::ENTRY_POINT,
            &[&[model, function], &words_of(NAME)[..], &self.interface].concat(),
        );
        if let Some(mode) = mode {
            put(&mut words, op::EXECUTION_MODE, &[function, mode]);
        }
        words.extend(self.decorations);
        words.extend(self.declarations);
        put(&mut words, op::FUNCTION, &[void, function, 0, kind]);
        put(&mut words, op::LABEL, &[label]);
        words.extend(self.body);
        put(&mut words, op::RETURN, &[]);
        put(&mut words, op::FUNCTION_END, &[]);
        let entry = EntryPoint { name: NAME.to_owned(), function, interface: self.interface };
        (Module::new(words), entry)
    }
}

/// The number of `Normalize` in GLSL.std.450.
const NORMALIZE: u32 = 69;

/// Returns the number of a function in GLSL.std.450.
fn number_of(function: Function) -> u32 {
    match function {
        Function::Abs => 4,
        Function::Floor => 8,
        Function::Fract => 10,
        Function::Sin => 13,
        Function::Cos => 14,
        Function::Pow => 26,
        Function::Exp2 => 29,
        Function::Log2 => 30,
        Function::Sqrt => 31,
        Function::InverseSqrt => 32,
        Function::Min => 37,
        Function::Max => 40,
        Function::Clamp => 43,
        Function::Mix => 46,
    }
}

/// Returns a vertex shader that provides the inputs of a fragment shader, each given by its location and number of components. The attribute at
/// location 0 is the position, and that at location n + 1 is input n.
pub(in crate::judge::raster) fn fragment_input_shader(inputs: &[(u32, u8)]) -> (Module, EntryPoint) {
    let mut builder = Builder::new(Stage::Vertex);
    let position = builder.variable(storage::INPUT, Slot::Location(0), 4);
    let to = builder.variable(storage::OUTPUT, Slot::Position, 4);
    let value = builder.load(position, 4);
    builder.store(to, value);
    for ((location, components), number) in inputs.iter().zip(1..) {
        let components = u32::from(*components);
        let from = builder.variable(storage::INPUT, Slot::Location(number), 4);
        let to = builder.variable(storage::OUTPUT, Slot::Location(*location), components);
        let all = builder.load(from, 4);
        let kind = builder.vector(components);
        let value = match components {
            1 => builder.value(op::COMPOSITE_EXTRACT, kind, &[all, 0]),
            2 | 3 => builder.value(
                op::VECTOR_SHUFFLE,
                kind,
                &[&[all, all], &[0, 1, 2][..components as usize]].concat(),
            ),
            _ => all,
        };
        builder.store(to, value);
    }
    builder.module()
}

/// Returns a shader that computes a term of three inputs, at locations 0 to 2. The output is at location 0.
pub(in crate::judge::raster) fn term_shader(stage: Stage, term: &Term) -> Vec<u32> {
    let mut builder = Builder::new(stage);
    let inputs = [0, 1, 2].map(|at| builder.variable(storage::INPUT, Slot::Location(at), 4));
    let output = builder.variable(storage::OUTPUT, Slot::Location(0), 4);
    let operands = inputs.map(|input| builder.load(input, 4));
    if stage == Stage::Vertex {
        let position = builder.variable(storage::OUTPUT, Slot::Position, 4);
        builder.store(position, operands[0]);
    }
    let value = builder.term(term, operands);
    builder.store(output, value);
    builder.module().0.words().to_vec()
}
