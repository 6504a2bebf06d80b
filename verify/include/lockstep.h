/*
 * lockstep.h: the C interface of a shader decoder or executor for `lockstep judge`, as a shared library, or for libFuzzer and AFL++.
 *
 * MIT License
 *
 * Copyright (c) 2026 The Lockstep authors
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
 * "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
 * distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to
 * the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
 * MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
 * CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
 * SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 *
 * ---------------------------------------------------------------------------------------------------------------------------------------
 *
 * C99 and C++11. Copy this file; nothing has to be linked. The library exports one function, lockstep_subject_v1, and is judged by
 *
 *     lockstep judge ./libmine.so --isa d3d9
 *     lockstep judge './libmine.so arguments for open' --isa d3d9
 *
 * The same source can be linked into libFuzzer or AFL++ instead: docs/libfuzzer.md.
 *
 * The host loads the library in a separate process and calls it on one thread. General rules:
 *
 *  - Memory that the host passes belongs to the host and is valid until the call returns. Memory that lockstep_subject points to must stay
 *    valid as long as the library is loaded. Neither side frees memory that the other allocated.
 *  - Floats are passed and returned as the bits of binary32. The components of a vector are in the order x y z w.
 *  - A structure that begins with `size` may get more fields at its end in later versions; only its first `size` bytes are valid. Structures
 *    without `size`, which are elements of lists, never change.
 *  - The pointer to an empty list may be null.
 *  - No exception and no longjmp may leave a call; an exception that does ends the process with signal 6. A call that crashes, hangs, ends the
 *    process or uses too much memory is a finding.
 *  - The floating-point mode (MXCSR, FPCR) is the default one at the start of each call. A call that returns with another mode is a finding.
 *  - The end of the printed output is shown in findings; standard output must be flushed for this. Standard input is empty.
 *  - Equal calls must give equal answers: every finding is replayed, in new processes, too.
 */
#ifndef LOCKSTEP_H
#define LOCKSTEP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. The name of the exported function ends with it, too. */
#define LOCKSTEP_ABI 1u

/* Instruction sets. */
enum {
    LOCKSTEP_AGAL = 0,
    LOCKSTEP_PICA200 = 1,
    LOCKSTEP_UTGARD_GP = 2,
    LOCKSTEP_A2XX = 3,
    LOCKSTEP_D3D9 = 4
};

/* Stages. LOCKSTEP_NO_STAGE: the bytes are not a program, so they have no entry. */
enum {
    LOCKSTEP_NO_STAGE = 0,
    LOCKSTEP_VERTEX = 1,
    LOCKSTEP_FRAGMENT = 2,
    LOCKSTEP_GEOMETRY = 3
};

/* Values that a call returns. FAILED counts as a crash. UNSUPPORTED is counted, and nothing is compared. Any other value is a finding. */
enum {
    LOCKSTEP_FAILED = 0,
    LOCKSTEP_ACCEPTED = 1,
    LOCKSTEP_REJECTED = 2,
    LOCKSTEP_UNSUPPORTED = 3
};

/* How a lane ended. The host sets NOT_RUN; the library must replace it. OUT_OF_FUEL and TRAP are findings, because the reference finishes every
   program that is sent. */
enum {
    LOCKSTEP_NOT_RUN = 0,
    LOCKSTEP_FINISHED = 1,
    LOCKSTEP_OUT_OF_FUEL = 2,
    LOCKSTEP_TRAP = 3
};

/* Abilities beyond those that the functions show: a bit set in lockstep_subject. */
enum {
    LOCKSTEP_REGISTERS = 1 /* runs and traces programs with given initial registers, and returns final values of control registers */
};

/* Shading languages that programs are translated to. SPIR-V is that of OpenGL (GL_ARB_gl_spirv). */
enum { LOCKSTEP_GLSL = 0, LOCKSTEP_SPIRV = 1, LOCKSTEP_WGSL = 2 };

/* Texture dimensions, filters and wrapping. */
enum { LOCKSTEP_TEXTURE_1D = 1, LOCKSTEP_TEXTURE_2D = 2, LOCKSTEP_TEXTURE_3D = 3, LOCKSTEP_TEXTURE_CUBE = 4 };
enum { LOCKSTEP_FILTER_NONE = 0, LOCKSTEP_FILTER_NEAREST = 1, LOCKSTEP_FILTER_LINEAR = 2 };
enum { LOCKSTEP_WRAP_REPEAT = 1, LOCKSTEP_WRAP_MIRROR = 2, LOCKSTEP_WRAP_CLAMP = 3, LOCKSTEP_WRAP_BORDER = 4 };

/* Bytes to read. */
typedef struct lockstep_bytes {
    const uint8_t *at;
    size_t length; /* in bytes */
} lockstep_bytes;

/* 32-bit words to read. */
typedef struct lockstep_words {
    const uint32_t *at;
    size_t length; /* in words */
} lockstep_words;

/*
 * A buffer for text (UTF-8, no NUL at its end) or bytes. Write at most `capacity` bytes to `at`, and set `length` to the full length, even if
 * that exceeds `capacity`: the host then repeats the call once, with a buffer of that size, at most 4 MiB. The host sets `length` to 0, which means
 * that the library provides nothing here.
 */
typedef struct lockstep_room {
    char *at;
    size_t capacity; /* in bytes */
    size_t length;   /* in bytes */
} lockstep_room;

/* An option of the instruction set with its choice, both as `lockstep isa NAME` lists them. */
typedef struct lockstep_option {
    const char *name;
    const char *choice;
} lockstep_option;

/* A register that is an input or an output of a program. */
typedef struct lockstep_register {
    uint32_t slot;    /* its number as an input or output, mostly the register's own; see the head of core/src/isa/NAME/interface.rs */
    uint32_t mask;    /* the components that are read or compared, bit 0 is x */
    const char *name; /* as in assembly text, such as "oPos" or "v3" */
} lockstep_register;

/* The parameters of the first call. */
typedef struct lockstep_greeting {
    size_t size;      /* the size of this structure in the host's version, in bytes; likewise in all structures that begin with `size` */
    uint32_t abi;     /* LOCKSTEP_ABI of the host */
    uint32_t isa;     /* the instruction set of all further calls */
    const char *host; /* name and version, for people */
    const lockstep_option *options; /* every option of the instruction set; a list, here and below, is followed by its length */
    size_t option_count;
    const char *const *arguments; /* what the user wrote after the library's name */
    size_t argument_count;
} lockstep_greeting;

/* A program: its file, and the parts of the file. */
typedef struct lockstep_program {
    size_t size;
    uint32_t isa;
    uint32_t stage;      /* LOCKSTEP_NO_STAGE: all fields below except `file` are zero */
    uint32_t version;    /* the instruction set's number of its version or profile: Direct3D 9 0x0200 is 2_0; AGAL 1 to 3; A2xx 1 is Xenos */
    uint32_t start;      /* the number of the first instruction; instructions are numbered through the whole file */
    uint32_t entry;      /* the index among the file's own entries, from 0; UINT32_MAX if the case has an entry of its own */
    uint32_t constants;  /* how many float constants it can read */
    uint32_t ints;       /* how many integer constants */
    uint32_t bools;      /* how many Boolean constants */
    uint32_t extra[4];   /* further numbers that some instruction sets need: see interface.rs, as above */
    lockstep_bytes file; /* the whole file */
    lockstep_bytes code; /* the instructions alone, words in little-endian order; A2xx: the shader that is run, from its first clause */
    lockstep_words table; /* PICA200: operand descriptors, one word each; else empty */
    lockstep_words samplers; /* the texture units that it reads */
    const char *const *opcodes; /* its opcodes by name, each once, in alphabetical order, so that a library can refuse it without decoding */
    size_t opcode_count;
    const lockstep_register *inputs; /* the registers that it reads, by ascending slot */
    size_t input_count;
    const lockstep_register *outputs; /* the registers that it writes and that are compared */
    size_t output_count;
} lockstep_program;

/* The result of a decoder. Every field may be left as the host sets it; it is then not compared. */
typedef struct lockstep_decoded {
    size_t size;
    uint64_t consumed;          /* bytes of the file that belong to the program; the host sets UINT64_MAX, which means: not provided */
    lockstep_room text;         /* the program in the syntax of Lockstep's assembler, as `lockstep dis` prints it */
    lockstep_room encoded;      /* the file, encoded again from the decoded form */
    lockstep_room instructions; /* a line for each: its opcode (empty if it has none, as a declaration), and any number of FACET=VALUE, each after a
                                   tab, by the names of `lockstep isa NAME` */
    lockstep_room message;      /* the reason of a rejection, or any other remark, for people */
} lockstep_decoded;

/* A program in a shading language, which the host runs instead of the library. */
typedef struct lockstep_translated {
    size_t size;
    lockstep_room source;  /* a vertex or a fragment shader; GLSL with its #version if it needs one, SPIR-V as the bytes of its words */
    lockstep_room places;  /* the program's inputs, outputs and constants: a line for each, with words separated by tabs:
                              input REGISTER NAME COMPONENTS: an attribute, or a varying of a fragment shader, of 1 to 4 components
                              output REGISTER NAME COMPONENTS: likewise
                              constants FIRST COUNT NAME, and likewise ints, bools: a uniform, or an array of them, with COUNT constants from FIRST on
                              block FIRST COUNT NAME: a uniform block of an array of float constants, std140
                              int_block, bool_block FIRST COUNT NAME: likewise. A Boolean constant is then a vector of integers whose x is 0 or 1
                              matrix FIRST 4 NAME: a uniform matrix whose columns are four constants
                              For SPIR-V and WGSL, NAME is a location in decimal digits or `position`. For a block it is the binding. */
    lockstep_room message; /* the reason why it is not translated, or any other remark, for people */
} lockstep_translated;

/* A texture and how it is read. */
typedef struct lockstep_texture {
    uint32_t dimension;      /* LOCKSTEP_TEXTURE_... */
    uint32_t extent[3];      /* width, height and depth of level 0 in texels, at least 1 */
    uint32_t levels;         /* at least 1 */
    uint32_t min, mag;       /* LOCKSTEP_FILTER_NEAREST or _LINEAR: `min` if the level of detail is above 0, else `mag` */
    uint32_t mip;            /* any LOCKSTEP_FILTER_...: between levels */
    uint32_t wrap[3];        /* LOCKSTEP_WRAP_... along x, y, z */
    uint32_t border[4];      /* the colour beyond the border */
    uint32_t lod_bias;       /* bits of a float: levels added to a level of detail */
    uint32_t max_anisotropy; /* the maximum number of samples; the reference ignores it and filters isotropically */
    const uint32_t (*texels)[4]; /* level by level, within a level face by face (+x -x +y -y +z -z), slice by slice, row by row, from x = 0 up */
    size_t texel_count;
} lockstep_texture;

/* How a read of a texture gives the level of detail. */
enum { LOCKSTEP_DETAIL_BASE = 0, LOCKSTEP_DETAIL_EXPLICIT = 1, LOCKSTEP_DETAIL_GRADIENT = 2 };

/* A read of a texture, for `sample` of lockstep_environment. `size` is the size in the library's version. Numbers are bits of floats. */
typedef struct lockstep_read {
    size_t size;
    uint32_t unit;      /* of the texture */
    uint32_t dimension; /* LOCKSTEP_TEXTURE_...: the instruction takes 1, 2, 3 or, as a direction, 3 coordinates; the others are not read */
    uint32_t detail;    /* LOCKSTEP_DETAIL_BASE: level 0 and the filter `mag`; _EXPLICIT: `level`; _GRADIENT: from `dx`, `dy` and `bias` */
    uint32_t coords[3]; /* 0 to 1 spans the texture; a NaN counts as 0 */
    uint32_t level;     /* may be fractional; a NaN counts as 0 */
    uint32_t dx[3];     /* the change of the coordinates from one pixel to the next in x */
    uint32_t dy[3];     /* likewise in y */
    uint32_t bias;      /* added to the level that follows from `dx` and `dy` */
    const lockstep_texture *state; /* its filters, wrapping, border and bias replace those of the unit; null: those of the unit */
} lockstep_read;

/* The data on which a run of a program depends. All of it except `inputs` is the same for all lanes. */
typedef struct lockstep_environment {
    size_t size;
    const uint32_t (*constants)[4]; /* float constants by number: at least as many as the program can read */
    size_t constant_count;
    const int32_t (*ints)[4]; /* integer constants */
    size_t int_count;
    const uint8_t *bools; /* Boolean constants, 0 or 1 */
    size_t bool_count;
    const lockstep_texture *textures; /* by unit */
    size_t texture_count;
    const lockstep_words *buffers; /* by number; reads beyond the end of a buffer give zero */
    size_t buffer_count;
    size_t lanes;                /* fragments: a multiple of 4, in quads (0,0) (1,0) (0,1) (1,1) */
    size_t asked;                /* the number of lanes, from the first, that are compared; the others complete the last quad and have zero inputs */
    const uint32_t (*inputs)[4]; /* [lanes * input_count]: input i of lane n at n * input_count + i, in the order of the program's inputs */
    /* The rest is empty unless the library has LOCKSTEP_REGISTERS. Values are the bits of a float, an integer, or 0 or 1 for a condition. */
    const lockstep_register *initial; /* the registers that are set before the first instruction, by ascending slot; others are undefined */
    size_t initial_count;
    const uint32_t (*initial_values)[4]; /* [lanes * initial_count], like inputs */
    const lockstep_register *finals; /* the control registers (address, loop, predicate, flags) whose values after the last instruction are compared */
    size_t final_count;
    /* Reads a texture as Lockstep does (docs/judging.md) and writes the four components of the texel; `sampling` is its first argument. `run`
       and `trace` may call it until they return, on the thread on which the host called them. A unit without a texture reads 0 0 0 1. Returns
       LOCKSTEP_ACCEPTED, or LOCKSTEP_REJECTED, and then writes nothing, if a field has a value that this header does not define. Null, or beyond `size`:
       not offered. */
    uint32_t (*sample)(void *sampling, const lockstep_read *read, uint32_t texel[4]);
    void *sampling;
} lockstep_environment;

/* An effect of a lane other than its outputs: an emitted vertex or an export. verify/PROTOCOL.md lists the kinds and indices. */
typedef struct lockstep_effect {
    uint32_t lane;
    uint32_t kind;
    uint32_t index;
    uint32_t mask; /* the components that are written, bit 0 is x */
    uint32_t bits[4];
} lockstep_effect;

/* The results of a run. */
typedef struct lockstep_batch {
    size_t size;
    uint32_t *status;         /* [lanes]: LOCKSTEP_FINISHED ... */
    uint32_t *killed;         /* [lanes]: 1 if the fragment is discarded; the host sets 0 */
    uint32_t (*outputs)[4];   /* [lanes * output_count]: output i of lane n at n * output_count + i, in the order of the program's outputs */
    lockstep_effect *effects; /* the effects of each lane in their order; those of different lanes may alternate */
    size_t effect_capacity;
    size_t effect_count;      /* the host sets 0; if it exceeds the capacity, the host repeats the call once with that capacity, at most 65536 */
    volatile uint32_t *lane;  /* write the number of a lane here before running it; a finding about a crash or hang then states the lane */
    lockstep_room message;    /* the reason why it is not run, or any other remark, for people */
    uint32_t (*finals)[4];    /* [lanes * final_count], like outputs */
    uint32_t *final_masks;    /* [final_count]: the components that are given in every lane, bit 0 is x; the host sets 0. Others are not compared */
} lockstep_batch;

/* A step of a lane: one instruction. */
typedef struct lockstep_step {
    uint32_t lane;
    uint32_t word;   /* the number of the instruction, as `lockstep trace` counts them */
    uint32_t writes; /* the number of this step's writes, which follow those of the previous step in the list of writes */
} lockstep_step;

/* A component of a register with its new value. */
typedef struct lockstep_write {
    char name[24]; /* as `lockstep trace` prints it, such as "r0.x"; a NUL follows if it is shorter than 24 bytes */
    uint32_t bits; /* the bits of a float or an integer; 0 or 1 for a condition */
} lockstep_write;

/*
 * The steps of a run: those of each lane in their order; steps of different lanes may alternate. A step that changes no register may be left out. A
 * library need not report every register. But if it reports a register at one step of a lane, it must report the register at every step of that lane
 * that changes it. A lane has at most 4096 steps.
 */
typedef struct lockstep_trace {
    size_t size;
    lockstep_step *steps;
    size_t step_capacity;
    size_t step_count;       /* as effect_count in lockstep_batch */
    lockstep_write *writes;
    size_t write_capacity;
    size_t write_count;      /* likewise */
    volatile uint32_t *lane; /* as in lockstep_batch */
    lockstep_room message;   /* the reason why it is not run, or any other remark, for people */
} lockstep_trace;

/* The description of the library. Fill it in once, in static storage. */
typedef struct lockstep_subject {
    size_t size;         /* sizeof(lockstep_subject) */
    uint32_t abi;        /* LOCKSTEP_ABI */
    uint32_t isas;       /* the supported instruction sets: bit (1 << LOCKSTEP_AGAL) and so on */
    const char *name;    /* for people */
    const char *version; /* for people: a commit, a package; or null */
    const char *profile; /* what it supports and how exactly: the text of a profile (verify/PROTOCOL.md); or null */
    /* Called once, first. The other calls get the returned pointer as `self`. If it returns null, the library cannot be judged, and the message
       states why. This member may be null. */
    void *(*open)(const lockstep_greeting *greeting, lockstep_room *message);
    /* Decodes a program. Null if the library does not decode. */
    uint32_t (*decode)(void *self, const lockstep_program *program, lockstep_decoded *decoded);
    /* Runs a program on every lane. Null if the library does not run programs. */
    uint32_t (*run)(void *self, const lockstep_program *program, const lockstep_environment *environment, lockstep_batch *batch);
    /* Called last, if the process ends normally. Not judged. May be null. */
    void (*close)(void *self);
    /* Runs a program on every lane and lists the steps. Findings then name the first step that differs, and results of inexact opcodes may be used
       by later instructions. Null if the library lists no steps. A structure that ends before this member, and has that size, is accepted. */
    uint32_t (*trace)(void *self, const lockstep_program *program, const lockstep_environment *environment, lockstep_trace *trace);
    /* Translates a program. Null, or beyond `size`, if the library does not translate. Called only if the library does not run programs. */
    uint32_t (*translate)(void *self, const lockstep_program *program, lockstep_translated *translated);
    uint32_t abilities; /* LOCKSTEP_REGISTERS or 0; beyond `size`: 0 */
    /* The language of all translations: LOCKSTEP_GLSL, LOCKSTEP_SPIRV or LOCKSTEP_WGSL; LOCKSTEP_GLSL if the structure ends before this member. */
    uint32_t language;
} lockstep_subject;

#if defined(_WIN32)
#define LOCKSTEP_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define LOCKSTEP_EXPORT __attribute__((visibility("default")))
#else
#define LOCKSTEP_EXPORT
#endif

/* The one function that the library exports. If it returns null, the library cannot be judged. */
LOCKSTEP_EXPORT const lockstep_subject *lockstep_subject_v1(void);

#ifdef __cplusplus
}
#endif

#endif
