//! The numbers of SPIR-V that this harness reads or writes. The names follow the specification, but lack the prefixes `Op`
//! and `OpF` and spell out abbreviations such as `Xfb`, transform feedback.

/// Opcodes.
pub(super) mod op {
    pub(in super::super) const EXTENDED_INSTRUCTION_IMPORT: u32 = 11;
    pub(in super::super) const EXTENDED_INSTRUCTION: u32 = 12;
    pub(in super::super) const MEMORY_MODEL: u32 = 14;
    pub(in super::super) const ENTRY_POINT: u32 = 15;
    pub(in super::super) const EXECUTION_MODE: u32 = 16;
    pub(in super::super) const CAPABILITY: u32 = 17;
    pub(in super::super) const TYPE_VOID: u32 = 19;
    pub(in super::super) const TYPE_BOOL: u32 = 20;
    pub(in super::super) const TYPE_FLOAT: u32 = 22;
    pub(in super::super) const TYPE_VECTOR: u32 = 23;
    pub(in super::super) const TYPE_STRUCT: u32 = 30;
    pub(in super::super) const TYPE_POINTER: u32 = 32;
    pub(in super::super) const TYPE_FUNCTION: u32 = 33;
    pub(in super::super) const CONSTANT: u32 = 43;
    pub(in super::super) const CONSTANT_COMPOSITE: u32 = 44;
    pub(in super::super) const FUNCTION: u32 = 54;
    pub(in super::super) const FUNCTION_END: u32 = 56;
    pub(in super::super) const VARIABLE: u32 = 59;
    pub(in super::super) const LOAD: u32 = 61;
    pub(in super::super) const STORE: u32 = 62;
    pub(in super::super) const DECORATE: u32 = 71;
    pub(in super::super) const MEMBER_DECORATE: u32 = 72;
    pub(in super::super) const COMPOSITE_CONSTRUCT: u32 = 80;
    pub(in super::super) const COMPOSITE_EXTRACT: u32 = 81;
    pub(in super::super) const VECTOR_SHUFFLE: u32 = 79;
    pub(in super::super) const NEGATE: u32 = 127;
    pub(in super::super) const ADD: u32 = 129;
    pub(in super::super) const SUBTRACT: u32 = 131;
    pub(in super::super) const MULTIPLY: u32 = 133;
    pub(in super::super) const DIVIDE: u32 = 136;
    pub(in super::super) const DOT: u32 = 148;
    pub(in super::super) const SELECT: u32 = 169;
    pub(in super::super) const ORDERED_LESS_THAN: u32 = 184;
    pub(in super::super) const LABEL: u32 = 248;
    pub(in super::super) const RETURN: u32 = 253;
    /// A range with all opcodes of the section of types, constants and global variables, except OpUndef. Functions follow this section; the range
    /// also contains opcodes of functions.
    pub(in super::super) const DECLARATIONS: std::ops::RangeInclusive<u32> = TYPE_VOID..=VARIABLE;
    /// The opcodes of float arithmetic: those from OpFNegate to OpDot, without integer operations. The second operand of each instruction is the id
    /// of its result.
    pub(in super::super) const ARITHMETIC: [u32; 14] =
        [NEGATE, ADD, SUBTRACT, MULTIPLY, DIVIDE, 140, 141, 142, 143, 144, 145, 146, 147, DOT];
    /// The opcodes of derivatives: OpDPdx to OpFwidthCoarse.
    pub(in super::super) const DERIVATIVES: std::ops::RangeInclusive<u32> = 207..=215;
}

/// Storage classes.
pub(super) mod storage {
    pub(in super::super) const INPUT: u32 = 1;
    pub(in super::super) const OUTPUT: u32 = 3;
    pub(in super::super) const PUSH_CONSTANT: u32 = 9;
}

/// Decorations.
pub(super) mod decoration {
    pub(in super::super) const BUILT_IN: u32 = 11;
    pub(in super::super) const LOCATION: u32 = 30;
    pub(in super::super) const DESCRIPTOR_SET: u32 = 34;
    pub(in super::super) const OFFSET: u32 = 35;
    pub(in super::super) const FEEDBACK_BUFFER: u32 = 36;
    pub(in super::super) const FEEDBACK_STRIDE: u32 = 37;
    pub(in super::super) const NO_CONTRACTION: u32 = 42;
}

/// Built-in variables.
pub(super) mod builtin {
    pub(in super::super) const POSITION: u32 = 0;
}

/// Capabilities.
pub(super) mod capability {
    pub(in super::super) const SHADER: u32 = 1;
    pub(in super::super) const TRANSFORM_FEEDBACK: u32 = 53;
}

/// Execution models.
pub(super) mod execution {
    pub(in super::super) const VERTEX: u32 = 0;
    pub(in super::super) const FRAGMENT: u32 = 4;
}

/// Execution modes.
pub(super) mod mode {
    pub(in super::super) const ORIGIN_LOWER_LEFT: u32 = 8;
    pub(in super::super) const FEEDBACK: u32 = 11;
}

/// Appends an instruction.
pub(super) fn put(to: &mut Vec<u32>, opcode: u32, operands: &[u32]) {
    to.push((1 + operands.len() as u32) << 16 | opcode);
    to.extend_from_slice(operands);
}
