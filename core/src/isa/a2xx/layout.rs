//! Every bit of an A2xx program: clauses of 48 bits, two in a slot, and ALU and FETCH slots of 96 bits.
//!
//! Bit numbers of slots run through the three dwords: bit 32 is bit 0 of dword 1.

use crate::binary::Use::{self, Choice, Number, Reserved, Signed};
use crate::binary::{Field, Layout};

/// Size of a slot in bytes.
pub const SLOT: usize = 12;
/// Size of a clause in bits.
pub const CLAUSE_BITS: u32 = 48;
/// Most slots that a clause runs: it has room for the kinds of six.
pub const MOST_RUN: u8 = 6;

const CF: &str = "xenia, mesa (fd-hdr, mesa, xenia)";
const ALU_SOURCE: &str = "fd-hdr, xenia (fd-hdr, mesa, xenia; checked on 812 slots)";
const FETCH_SOURCE: &str = "xenia, mesa (fd-hdr, mesa, xenia; checked on 115 slots)";

const OPCODE: Field = Field::new("opcode", 44, 4, Number);
const ABSOLUTE: Field = Field::new("address_mode", 43, 1, Choice(&[(0, "relative"), (1, "absolute")]));
const COND: Field = Field::new("cond", 42, 1, Number);
const BUFFER: Use = Choice(&[(0, "none"), (1, "position"), (2, "parameters or pixel"), (3, "memory")]);

/// NOP and MARK_VS_FETCH_DONE.
pub static PLAIN: Layout = Layout {
    name: "NOP, MARK_VS_FETCH_DONE",
    bits: 48,
    source: CF,
    fields: &[Field::new("payload", 0, 43, Reserved), ABSOLUTE, OPCODE],
};

/// EXEC, EXEC_END, COND_PRED_EXEC and COND_PRED_EXEC_END.
pub static EXEC: Layout = Layout {
    name: "EXEC, EXEC_END, COND_PRED_EXEC, COND_PRED_EXEC_END",
    bits: 48,
    source: CF,
    fields: &[
        Field::new("addr", 0, 12, Number),
        Field::new("cnt", 12, 3, Number),
        Field::new("yield", 15, 1, Number),
        Field::new("seq", 16, 12, Number),
        Field::new("vc", 28, 6, Number),
        Field::new("zero34", 34, 7, Reserved),
        Field::new("pred_clean", 41, 1, Number),
        COND,
        ABSOLUTE,
        OPCODE,
    ],
};

/// COND_EXEC, COND_EXEC_END, COND_EXEC_PRED_CLEAN and COND_EXEC_PRED_CLEAN_END.
pub static COND_EXEC: Layout = Layout {
    name: "COND_EXEC, COND_EXEC_END, COND_EXEC_PRED_CLEAN, COND_EXEC_PRED_CLEAN_END",
    bits: 48,
    source: CF,
    fields: &[
        Field::new("addr", 0, 12, Number),
        Field::new("cnt", 12, 3, Number),
        Field::new("yield", 15, 1, Number),
        Field::new("seq", 16, 12, Number),
        Field::new("vc", 28, 6, Number),
        Field::new("bool_addr", 34, 8, Number),
        COND,
        ABSOLUTE,
        OPCODE,
    ],
};

/// LOOP_START.
pub static LOOP_START: Layout = Layout {
    name: "LOOP_START",
    bits: 48,
    source: CF,
    fields: &[
        Field::new("addr", 0, 13, Number),
        Field::new("repeat", 13, 1, Number),
        Field::new("zero14", 14, 2, Reserved),
        Field::new("loop_id", 16, 5, Number),
        Field::new("zero21", 21, 22, Reserved),
        ABSOLUTE,
        OPCODE,
    ],
};

/// LOOP_END.
pub static LOOP_END: Layout = Layout {
    name: "LOOP_END",
    bits: 48,
    source: CF,
    fields: &[
        Field::new("addr", 0, 13, Number),
        Field::new("zero13", 13, 3, Reserved),
        Field::new("loop_id", 16, 5, Number),
        Field::new("pred_break", 21, 1, Number),
        Field::new("zero22", 22, 20, Reserved),
        COND,
        ABSOLUTE,
        OPCODE,
    ],
};

/// COND_CALL, RETURN and COND_JMP.
pub static BRANCH: Layout = Layout {
    name: "COND_CALL, RETURN, COND_JMP",
    bits: 48,
    source: CF,
    fields: &[
        Field::new("addr", 0, 13, Number),
        Field::new("unconditional", 13, 1, Number),
        Field::new("predicated", 14, 1, Number),
        Field::new("zero15", 15, 18, Reserved),
        Field::new("direction", 33, 1, Choice(&[(0, "backward"), (1, "forward")])),
        Field::new("bool_addr", 34, 8, Number),
        COND,
        ABSOLUTE,
        OPCODE,
    ],
};

/// ALLOC.
pub static ALLOC: Layout = Layout {
    name: "ALLOC",
    bits: 48,
    source: CF,
    fields: &[
        Field::new("size", 0, 4, Number),
        Field::new("zero4", 4, 36, Reserved),
        Field::new("no_serial", 40, 1, Number),
        Field::new("buffer", 41, 2, BUFFER),
        Field::new("alloc_mode", 43, 1, Number),
        OPCODE,
    ],
};

/// An ALU slot.
pub static ALU: Layout = Layout {
    name: "ALU",
    bits: 96,
    source: ALU_SOURCE,
    fields: &[
        Field::new("vdest", 0, 6, Number),
        Field::new("vdest_rel", 6, 1, Number),
        Field::new("abs_const", 7, 1, Number),
        Field::new("sdest", 8, 6, Number),
        Field::new("sdest_rel", 14, 1, Number),
        Field::new("export", 15, 1, Number),
        Field::new("vmask", 16, 4, Number),
        Field::new("smask", 20, 4, Number),
        Field::new("vclamp", 24, 1, Number),
        Field::new("sclamp", 25, 1, Number),
        Field::new("sop", 26, 6, Number),
        Field::new("swz3", 32, 8, Number),
        Field::new("swz2", 40, 8, Number),
        Field::new("swz1", 48, 8, Number),
        Field::new("neg3", 56, 1, Number),
        Field::new("neg2", 57, 1, Number),
        Field::new("neg1", 58, 1, Number),
        Field::new("pred_cond", 59, 1, Number),
        Field::new("pred_en", 60, 1, Number),
        Field::new("addr_a0", 61, 1, Number),
        Field::new("const1_rel", 62, 1, Number),
        Field::new("const0_rel", 63, 1, Number),
        Field::new("src3", 64, 8, Number),
        Field::new("src2", 72, 8, Number),
        Field::new("src1", 80, 8, Number),
        Field::new("vop", 88, 5, Number),
        Field::new("sel3", 93, 1, BANK),
        Field::new("sel2", 94, 1, BANK),
        Field::new("sel1", 95, 1, BANK),
    ],
};
const BANK: Use = Choice(&[(0, "constant"), (1, "register")]);

/// A FETCH slot with opcode 0.
pub static VERTEX: Layout = Layout {
    name: "VERTEX",
    bits: 96,
    source: FETCH_SOURCE,
    fields: &[
        Field::new("opcode", 0, 5, Number),
        Field::new("src", 5, 6, Number),
        Field::new("src_rel", 11, 1, Number),
        Field::new("dst", 12, 6, Number),
        Field::new("dst_rel", 18, 1, Number),
        Field::new("one19", 19, 1, Number),
        Field::new("const_index", 20, 5, Number),
        Field::new("const_sub", 25, 2, Number),
        Field::new("prefetch", 27, 3, Number),
        Field::new("src_component", 30, 2, Number),
        Field::new("dst_swizzle", 32, 12, Number),
        Field::new("signed", 44, 1, Number),
        Field::new("integer", 45, 1, Choice(&[(0, "normalised"), (1, "integer")])),
        Field::new("no_zero", 46, 1, Choice(&[(0, "clamped at -1"), (1, "no zero")])),
        Field::new("round_index", 47, 1, Choice(&[(0, "floor"), (1, "nearest")])),
        Field::new("format", 48, 6, Number),
        Field::new("zero54", 54, 2, Reserved),
        Field::new("exp_adjust", 56, 6, Signed),
        Field::new("mini_fetch", 62, 1, Number),
        Field::new("pred_en", 63, 1, Number),
        Field::new("stride", 64, 8, Number),
        Field::new("offset", 72, 23, Signed),
        Field::new("pred_cond", 95, 1, Number),
    ],
};

const FILTER: Use = Choice(&[(0, "POINT"), (1, "LINEAR"), (2, "BASEMAP"), (3, "from the constant")]);

/// A FETCH slot with any other opcode.
pub static TEXTURE: Layout = Layout {
    name: "SAMPLE and other texture fetches",
    bits: 96,
    source: FETCH_SOURCE,
    fields: &[
        Field::new("opcode", 0, 5, Number),
        Field::new("src", 5, 6, Number),
        Field::new("src_rel", 11, 1, Number),
        Field::new("dst", 12, 6, Number),
        Field::new("dst_rel", 18, 1, Number),
        Field::new("valid_only", 19, 1, Number),
        Field::new("const_index", 20, 5, Number),
        Field::new("denorm", 25, 1, Number),
        Field::new("src_swizzle", 26, 6, Number),
        Field::new("dst_swizzle", 32, 12, Number),
        Field::new("mag_filter", 44, 2, FILTER),
        Field::new("min_filter", 46, 2, FILTER),
        Field::new("mip_filter", 48, 2, FILTER),
        Field::new("aniso_filter", 50, 3, Number),
        Field::new("arbitrary_filter", 53, 3, Number),
        Field::new("vol_mag_filter", 56, 2, FILTER),
        Field::new("vol_min_filter", 58, 2, FILTER),
        Field::new("use_comp_lod", 60, 1, Number),
        Field::new("use_reg_lod", 61, 2, Number),
        Field::new("pred_en", 63, 1, Number),
        Field::new("use_reg_gradients", 64, 1, Number),
        Field::new("sample_location", 65, 1, Choice(&[(0, "CENTROID"), (1, "CENTER")])),
        Field::new("lod_bias", 66, 7, Signed),
        Field::new("zero73", 73, 5, Reserved),
        Field::new("dimension", 78, 2, Choice(&[(0, "1D"), (1, "2D"), (2, "3D"), (3, "CUBE")])),
        Field::new("offset_x", 80, 5, Signed),
        Field::new("offset_y", 85, 5, Signed),
        Field::new("offset_z", 90, 5, Signed),
        Field::new("pred_cond", 95, 1, Number),
    ],
};

/// All of them.
pub static LAYOUTS: [Layout; 10] =
    [PLAIN, EXEC, COND_EXEC, LOOP_START, LOOP_END, BRANCH, ALLOC, ALU, VERTEX, TEXTURE];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_tile_their_words() {
        for layout in &LAYOUTS {
            assert!(layout.tiles(), "{}", layout.name);
        }
    }
}
