//! Converts the structures of the header `lockstep.h` to those of the harness.

use lockstep::judge::plugin::abi::{
    Bytes, Environment, Greeting, NO_STAGE, Program, Register, Texture, Words,
};
use lockstep::judge::plugin::texture::{dimension, state};
use lockstep::judge::{
    Bits, EntryData, Greeting as GreetingData, Hex, PROTOCOL, ProgramData, RunData, TextureData, Vector,
};
use lockstep_core::isa::{Interface, IsaId, Port, Stage};
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char};

/// Returns a slice for a pointer and an element count.
///
/// # Safety
/// `at` points to `count` elements that live as long as the result is used, or `count` is 0.
unsafe fn list<'a, T>(at: *const T, count: usize) -> &'a [T] {
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(at, count) } }
}

/// Copies a C string.
///
/// # Safety
/// `at` points to a string that ends with a null byte.
unsafe fn text(at: *const c_char) -> String {
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned()
}

unsafe fn bytes(bytes: Bytes) -> Vec<u8> {
    // SAFETY: guaranteed by the header.
    unsafe { list(bytes.at, bytes.length) }.to_vec()
}

unsafe fn words(words: Words) -> Vec<u32> {
    // SAFETY: guaranteed by the header.
    unsafe { list(words.at, words.length) }.to_vec()
}

fn isa(number: u32) -> Result<IsaId, String> {
    let isa = u8::try_from(number).ok().and_then(IsaId::from_number);
    isa.ok_or_else(|| format!("there is no instruction set with number {number}"))
}

fn vector(bits: &[u32; 4]) -> Vector {
    bits.map(Bits)
}

/// Converts the greeting and its arguments.
///
/// # Safety
/// `raw` is valid as the header requires.
pub(crate) unsafe fn greeting(raw: &Greeting) -> Result<(GreetingData, Vec<String>), String> {
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let (options, arguments) =
        unsafe { (list(raw.options, raw.option_count), list(raw.arguments, raw.argument_count)) };
    let mut chosen = BTreeMap::new();
    for option in options {
        // SAFETY: the caller guarantees it: see `# Safety` of this function.
        let (name, choice) = unsafe { (text(option.name), text(option.choice)) };
        chosen.insert(name, choice);
    }
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let arguments = arguments.iter().map(|at| unsafe { text(*at) }).collect();
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let host = unsafe { text(raw.host) };
    Ok((GreetingData { protocol: PROTOCOL, host, isa: isa(raw.isa)?, options: chosen }, arguments))
}

/// Converts registers to ports. Returns the ports and the names of the registers.
///
/// # Safety
/// The registers are valid as the header requires.
unsafe fn registers(at: *const Register, count: usize) -> (Vec<Port>, Vec<String>) {
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let all = unsafe { list(at, count) };
    let port = |register: &Register| Port { slot: register.slot as u16, mask: register.mask as u8 };
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    (all.iter().map(port).collect(), all.iter().map(|register| unsafe { text(register.name) }).collect())
}

/// Returns the components of a mask as letters.
fn letters(mask: u8) -> String {
    "xyzw".chars().enumerate().filter(|(c, _)| mask >> c & 1 == 1).map(|(_, c)| c).collect()
}

/// Converts a program.
///
/// # Safety
/// `raw` is valid as the header requires.
pub(crate) unsafe fn program(raw: &Program) -> Result<ProgramData, String> {
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let (file, code, table, samplers, opcodes) = unsafe {
        (
            bytes(raw.file),
            bytes(raw.code),
            words(raw.table),
            words(raw.samplers),
            list(raw.opcodes, raw.opcode_count).iter().map(|at| text(*at)).collect(),
        )
    };
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let ((inputs, _), (outputs, names)) =
        unsafe { (registers(raw.inputs, raw.input_count), registers(raw.outputs, raw.output_count)) };
    let stage = match raw.stage {
        NO_STAGE => None,
        1 => Some(Stage::Vertex),
        2 => Some(Stage::Fragment),
        3 => Some(Stage::Geometry),
        other => return Err(format!("there is no stage with number {other}")),
    };
    let compared = names.into_iter().zip(outputs.iter().map(|port| letters(port.mask))).collect();
    let entry = stage.map(|stage| EntryData {
        number: u16::try_from(raw.entry).ok(),
        stage,
        version: raw.version,
        start: raw.start,
        extra: raw.extra,
        interface: Interface {
            inputs,
            outputs,
            constants: raw.constants as u16,
            ints: raw.ints as u16,
            bools: raw.bools as u16,
            samplers: samplers.into_iter().map(|unit| unit as u8).collect(),
        },
        outputs: compared,
    });
    let code = (code != file).then_some(Hex(code));
    let table = table.into_iter().map(Bits).collect();
    Ok(ProgramData { isa: isa(raw.isa)?, bytes: Hex(file), code, table, entry, opcodes })
}

/// Converts the program and environment of a run.
///
/// # Safety
/// Both structures are valid as the header requires.
pub(crate) unsafe fn run(raw: &Program, environment: &Environment) -> Result<RunData, String> {
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let program = unsafe { program(raw) }?;
    let env = environment;
    let width = raw.input_count;
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let ((_, names), inputs) = unsafe { (registers(raw.inputs, width), list(env.inputs, env.lanes * width)) };
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let ((initial_ports, initial_names), values, (finals, final_names)) = unsafe {
        (
            registers(env.initial, env.initial_count),
            list(env.initial_values, env.lanes * env.initial_count),
            registers(env.finals, env.final_count),
        )
    };
    let initial = |number: usize| {
        let values = &values[number * env.initial_count..][..env.initial_count];
        let value = |(port, value): (&Port, &[u32; 4])| {
            std::array::from_fn(|c| (port.mask >> c & 1 == 1).then_some(Bits(value[c])))
        };
        initial_names.iter().cloned().zip(initial_ports.iter().zip(values).map(value)).collect()
    };
    let lane = |number: usize| {
        names.iter().cloned().zip(inputs[number * width..][..width].iter().map(vector)).collect()
    };
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let (constants, ints, bools, textures, buffers) = unsafe {
        (
            list(env.constants, env.constant_count),
            list(env.ints, env.int_count),
            list(env.bools, env.bool_count),
            list(env.textures, env.texture_count),
            list(env.buffers, env.buffer_count),
        )
    };
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let textures = textures.iter().map(|raw| unsafe { texture(raw) }).collect::<Result<_, _>>()?;
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let buffers = buffers.iter().map(|raw| unsafe { words(*raw) }.into_iter().map(Bits).collect());
    Ok(RunData {
        translation: None,
        program,
        constants: constants.iter().map(vector).collect(),
        ints: ints.to_vec(),
        bools: bools.iter().map(|value| *value != 0).collect(),
        textures,
        buffers: buffers.collect(),
        lanes: (0..env.lanes).map(lane).collect(),
        initial: if initial_names.is_empty() { Vec::new() } else { (0..env.lanes).map(initial).collect() },
        finals: final_names.into_iter().zip(finals.iter().map(|port| letters(port.mask))).collect(),
    })
}

/// Converts a texture.
///
/// # Safety
/// `raw` is valid as the header requires.
unsafe fn texture(raw: &Texture) -> Result<TextureData, String> {
    // SAFETY: the caller guarantees it: see `# Safety` of this function.
    let texels = unsafe { list(raw.texels, raw.texel_count) };
    Ok(TextureData {
        dimension: dimension(raw.dimension)
            .ok_or_else(|| format!("there is no dimension with number {}", raw.dimension))?,
        size: raw.extent,
        levels: raw.levels as u8,
        state: state(raw).ok_or_else(|| "a texture's filter or wrap mode is unknown".to_owned())?,
        texels: texels.iter().map(vector).collect(),
    })
}
