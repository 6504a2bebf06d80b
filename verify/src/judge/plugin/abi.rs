//! `verify/include/lockstep.h` in Rust. The header documents the fields; a test compares offsets and sizes with those of a C compiler.

#![allow(missing_docs)] // the header documents these items; one fact is in one place

use std::ffi::{c_char, c_void};

/// `LOCKSTEP_ABI`.
pub const ABI: u32 = 1;
/// The name of the exported function.
pub const SYMBOL: &str = "lockstep_subject_v1";

/// `LOCKSTEP_NO_STAGE`.
pub const NO_STAGE: u32 = 0;

/// The languages of translations.
pub mod language {
    pub const GLSL: u32 = 0;
    pub const SPIRV: u32 = 1;
    pub const WGSL: u32 = 2;
}

/// The return values of the subject's functions.
pub mod verdict {
    pub const FAILED: u32 = 0;
    pub const ACCEPTED: u32 = 1;
    pub const REJECTED: u32 = 2;
    pub const UNSUPPORTED: u32 = 3;
}

/// The ways in which a lane ends.
pub mod status {
    pub const NOT_RUN: u32 = 0;
    pub const FINISHED: u32 = 1;
    pub const OUT_OF_FUEL: u32 = 2;
    pub const TRAP: u32 = 3;
}

/// The value of [`Decoded::consumed`] that means "not provided".
pub const NOT_OFFERED: u64 = u64::MAX;
/// The maximum number of bytes in a text buffer.
pub const MAX_TEXT: usize = 4 << 20;
/// The maximum number of effects in a batch.
pub const MAX_EFFECTS: usize = 1 << 16;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Bytes {
    pub at: *const u8,
    pub length: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Words {
    pub at: *const u32,
    pub length: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub at: *mut c_char,
    pub capacity: usize,
    pub length: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    pub name: *const c_char,
    pub choice: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Register {
    pub slot: u32,
    pub mask: u32,
    pub name: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Greeting {
    pub size: usize,
    pub abi: u32,
    pub isa: u32,
    pub host: *const c_char,
    pub options: *const Choice,
    pub option_count: usize,
    pub arguments: *const *const c_char,
    pub argument_count: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Program {
    pub size: usize,
    pub isa: u32,
    pub stage: u32,
    pub version: u32,
    pub start: u32,
    pub entry: u32,
    pub constants: u32,
    pub ints: u32,
    pub bools: u32,
    pub extra: [u32; 4],
    pub file: Bytes,
    pub code: Bytes,
    pub table: Words,
    pub samplers: Words,
    pub opcodes: *const *const c_char,
    pub opcode_count: usize,
    pub inputs: *const Register,
    pub input_count: usize,
    pub outputs: *const Register,
    pub output_count: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Decoded {
    pub size: usize,
    pub consumed: u64,
    pub text: Room,
    pub encoded: Room,
    pub instructions: Room,
    pub message: Room,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Translated {
    pub size: usize,
    pub source: Room,
    pub places: Room,
    pub message: Room,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Texture {
    pub dimension: u32,
    pub extent: [u32; 3],
    pub levels: u32,
    pub min: u32,
    pub mag: u32,
    pub mip: u32,
    pub wrap: [u32; 3],
    pub border: [u32; 4],
    pub lod_bias: u32,
    pub max_anisotropy: u32,
    pub texels: *const [u32; 4],
    pub texel_count: usize,
}

/// How a [`Read`] gives the level of detail.
pub mod detail {
    pub const BASE: u32 = 0;
    pub const EXPLICIT: u32 = 1;
    pub const GRADIENT: u32 = 2;
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Read {
    pub size: usize,
    pub unit: u32,
    pub dimension: u32,
    pub detail: u32,
    pub coords: [u32; 3],
    pub level: u32,
    pub dx: [u32; 3],
    pub dy: [u32; 3],
    pub bias: u32,
    pub state: *const Texture,
}

pub type Sample = unsafe extern "C-unwind" fn(*mut c_void, *const Read, *mut [u32; 4]) -> u32;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Environment {
    pub size: usize,
    pub constants: *const [u32; 4],
    pub constant_count: usize,
    pub ints: *const [i32; 4],
    pub int_count: usize,
    pub bools: *const u8,
    pub bool_count: usize,
    pub textures: *const Texture,
    pub texture_count: usize,
    pub buffers: *const Words,
    pub buffer_count: usize,
    pub lanes: usize,
    pub asked: usize,
    pub inputs: *const [u32; 4],
    pub initial: *const Register,
    pub initial_count: usize,
    pub initial_values: *const [u32; 4],
    pub finals: *const Register,
    pub final_count: usize,
    pub sample: Option<Sample>,
    pub sampling: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    pub lane: u32,
    pub kind: u32,
    pub index: u32,
    pub mask: u32,
    pub bits: [u32; 4],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    pub size: usize,
    pub status: *mut u32,
    pub killed: *mut u32,
    pub outputs: *mut [u32; 4],
    pub effects: *mut Effect,
    pub effect_capacity: usize,
    pub effect_count: usize,
    pub lane: *mut u32,
    pub message: Room,
    pub finals: *mut [u32; 4],
    pub final_masks: *mut u32,
}

/// The maximum number of steps, and of writes, of a trace.
pub const MAX_STEPS: usize = 1 << 16;
/// The maximum number of bytes in a register's name. A shorter name ends with a zero byte.
pub const NAME: usize = 24;

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    pub lane: u32,
    pub word: u32,
    pub writes: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Write {
    pub name: [u8; NAME],
    pub bits: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Trace {
    pub size: usize,
    pub steps: *mut Step,
    pub step_capacity: usize,
    pub step_count: usize,
    pub writes: *mut Write,
    pub write_capacity: usize,
    pub write_count: usize,
    pub lane: *mut u32,
    pub message: Room,
}

/// The `-unwind` ABI: foreign code may throw an exception, which then ends the process in a defined way.
pub type Open = unsafe extern "C-unwind" fn(*const Greeting, *mut Room) -> *mut c_void;
pub type Decode = unsafe extern "C-unwind" fn(*mut c_void, *const Program, *mut Decoded) -> u32;
pub type Run =
    unsafe extern "C-unwind" fn(*mut c_void, *const Program, *const Environment, *mut Batch) -> u32;
pub type TraceCall =
    unsafe extern "C-unwind" fn(*mut c_void, *const Program, *const Environment, *mut Trace) -> u32;
pub type Translate = unsafe extern "C-unwind" fn(*mut c_void, *const Program, *mut Translated) -> u32;
pub type Close = unsafe extern "C-unwind" fn(*mut c_void);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    pub size: usize,
    pub abi: u32,
    pub isas: u32,
    pub name: *const c_char,
    pub version: *const c_char,
    pub profile: *const c_char,
    pub open: Option<Open>,
    pub decode: Option<Decode>,
    pub run: Option<Run>,
    pub close: Option<Close>,
    pub trace: Option<TraceCall>,
    pub translate: Option<Translate>,
    pub abilities: u32,
    pub language: u32,
}

/// The bit of [`Subject::abilities`] for the exchange of registers: `LOCKSTEP_REGISTERS`.
pub const REGISTERS: u32 = 1;

/// The size of the shortest [`Subject`] that this version of the interface accepts: without `trace` and the fields after it.
pub const FIRST_SUBJECT: usize = std::mem::offset_of!(Subject, trace);

/// The type of the exported function.
pub type Symbol = unsafe extern "C-unwind" fn() -> *const Subject;
