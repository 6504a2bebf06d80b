/* Mesa Nine's reader of Direct3D 9 shaders, whose TGSI is run by the interpreter of Mesa's software driver, as a subject. */
#include "lockstep.h"

#include "device9.h"
#include "nine_shader.h"
#include "nine_state.h"
#include "pipe/p_context.h"
#include "pipe/p_screen.h"
#include "tgsi/tgsi_exec.h"
#include "tgsi/tgsi_parse.h"
#include "util/format/u_format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXCOORD0 = 16, POSITION = 32, FACE = 33, COLOR_OUT = 4, TEXCOORD_OUT = 8, DEPTH_OUT = 4, QUAD = 4 };

/* Parts of Mesa that are not called, or whose results are not used. */
struct nir_shader;
void nir_print_shader(struct nir_shader *shader, FILE *stream) { abort(); }
struct nir_shader *tgsi_to_nir(const void *tokens, struct pipe_screen *screen, bool cache) { abort(); }
void _nine_debug_printf(unsigned long flag, const char *function, const char *format, ...) {}
uint16_t nine_d3d9_to_nine_declusage(unsigned usage, unsigned index) { return 0; }
void NineVertexDeclaration9_FillStreamOutputInfo(struct NineVertexDeclaration9 *self, struct nine_vs_output_info *outputs, unsigned count,
                                                 struct pipe_stream_output_info *stream) {}
const struct util_format_description *util_format_description(enum pipe_format format) { return NULL; }

/* A driver that reports the capabilities of the software driver, and keeps the tokens of a shader. */
static int screen_param(struct pipe_screen *screen, enum pipe_cap param) {
    return param == PIPE_CAP_TGSI_TEXCOORD || param == PIPE_CAP_FS_COORD_PIXEL_CENTER_INTEGER;
}
static int shader_param(struct pipe_screen *screen, enum pipe_shader_type type, enum pipe_shader_cap param) {
    return tgsi_exec_get_shader_param(param);
}
static void *create(struct pipe_context *pipe, const struct pipe_shader_state *state) { return tgsi_dup_tokens(state->tokens); }

/* A declaration of an output or input of 3_0, or of a sampler. */
struct declared {
    unsigned file, number, usage, texture;
};

/* A translated program. */
struct translated {
    struct nine_shader_info info;
    struct tgsi_token *tokens;
    struct declared declared[64];
    size_t declared_count;
};

/* Finds the declarations of a program from 2_0 on, in which instructions have lengths. */
static void find_declared(struct translated *program, const uint32_t *words, size_t count) {
    size_t at = 1, length;
    for (; at < count && words[at] != 0xffff; at += length + 1) {
        const uint32_t word = words[at];
        length = (word & 0xffff) == 0xfffe ? word >> 16 & 0x7fff : word >> 24 & 15;
        if ((word & 0xffff) != 31 || at + 2 >= count || program->declared_count == 64) continue;
        const uint32_t usage = words[at + 1], to = words[at + 2];
        struct declared *one = &program->declared[program->declared_count++];
        one->file = (to >> 28 & 7) | (to >> 8 & 0x18);
        one->number = to & 0x7ff;
        one->usage = usage & 0xf000f;
        one->texture = usage >> 27 & 15;
    }
}

static void drop(struct translated *program) {
    free(program->tokens);
    free(program->info.const_ranges);
    free(program->info.lconstf.data);
    free(program->info.lconstf.ranges);
    free(program);
}

/* Returns the translation; null if it is refused. */
static struct translated *translate(const lockstep_program *asked) {
    static struct pipe_screen screen = {.get_param = screen_param, .get_shader_param = shader_param};
    static struct pipe_context pipe = {.screen = &screen, .create_vs_state = create, .create_fs_state = create};
    static struct NineDevice9 device;
    device.screen = &screen;
    device.max_vs_const_f = NINE_MAX_CONST_F;
    device.max_ps_const_f = NINE_MAX_CONST_F_PS3;
    /* Nine is not told the length, so END tokens follow. */
    const size_t count = asked->file.length / 4;
    uint32_t *words = malloc(4 * (count + 64));
    memcpy(words, asked->file.at, 4 * count);
    for (size_t at = count; at < count + 64; ++at) words[at] = 0xffff;

    struct translated *program = calloc(1, sizeof *program);
    struct nine_shader_info *info = &program->info;
    const bool vertex = asked->stage == LOCKSTEP_VERTEX;
    const unsigned floats = vertex ? NINE_MAX_CONST_F : NINE_MAX_CONST_F_PS3;
    info->type = vertex ? PIPE_SHADER_VERTEX : PIPE_SHADER_FRAGMENT;
    info->byte_code = (const DWORD *)words;
    info->const_i_base = floats;
    info->const_b_base = floats + NINE_MAX_CONST_I;
    info->point_size_min = -INFINITY;
    info->point_size_max = INFINITY;
    if (asked->version >= 0x200) {
        find_declared(program, words, count);
    } else {
        for (unsigned stage = 0; stage < 8; ++stage) {
            static const unsigned KINDS[] = {0, 1, 0, 2, 3};
            const unsigned kind = asked->extra[0] >> 4 * stage & 15;
            info->sampler_ps1xtypes |= (kind < 5 ? KINDS[kind] : 0) << 2 * stage;
        }
    }
    const HRESULT result = nine_translate_shader(&device, info, &pipe);
    program->tokens = info->cso;
    free(words);
    if (result == D3D_OK && program->tokens) return program;
    drop(program);
    return NULL;
}

static uint32_t decode(void *self, const lockstep_program *asked, lockstep_decoded *decoded) {
    if (asked->stage == LOCKSTEP_NO_STAGE) return LOCKSTEP_UNSUPPORTED;
    struct translated *program = translate(asked);
    if (!program) return LOCKSTEP_REJECTED;
    decoded->consumed = program->info.byte_size;
    drop(program);
    return LOCKSTEP_ACCEPTED;
}

/* The textures of the quad being run. */
struct sampler {
    struct tgsi_sampler base;
    const lockstep_environment *environment;
    uint32_t dimensions[16];
};

static void sample(struct tgsi_sampler *base, const unsigned view, const unsigned unit, const float s[QUAD], const float t[QUAD],
                   const float p[QUAD], const float c0[QUAD], const float detail[QUAD], float derivatives[3][2][QUAD], const int8_t offset[3],
                   enum tgsi_sampler_control control, float texels[TGSI_NUM_CHANNELS][QUAD]) {
    const struct sampler *sampler = (const struct sampler *)base;
    const float *coordinates[3] = {s, t, p};
    for (unsigned lane = 0; lane < QUAD; ++lane) {
        lockstep_read read = {sizeof read, unit, sampler->dimensions[unit & 15]};
        for (unsigned c = 0; c < 3; ++c) {
            memcpy(&read.coords[c], &coordinates[c][lane], 4);
            float dx = coordinates[c][1] - coordinates[c][0], dy = coordinates[c][2] - coordinates[c][0];
            if (control == TGSI_SAMPLER_DERIVS_EXPLICIT) dx = derivatives[c][0][lane], dy = derivatives[c][1][lane];
            memcpy(&read.dx[c], &dx, 4);
            memcpy(&read.dy[c], &dy, 4);
        }
        read.detail = control == TGSI_SAMPLER_LOD_EXPLICIT ? LOCKSTEP_DETAIL_EXPLICIT : LOCKSTEP_DETAIL_GRADIENT;
        if (control == TGSI_SAMPLER_LOD_EXPLICIT) memcpy(&read.level, &detail[lane], 4);
        if (control == TGSI_SAMPLER_LOD_BIAS) memcpy(&read.bias, &detail[lane], 4);
        uint32_t texel[4] = {0};
        sampler->environment->sample(sampler->environment->sampling, &read, texel);
        for (unsigned c = 0; c < 4; ++c) memcpy(&texels[c][lane], &texel[c], 4);
    }
}

/* Returns the index of a declaration of TGSI, -1 if there is none. */
static int find(const struct tgsi_exec_machine *machine, unsigned file, unsigned name, unsigned index) {
    for (unsigned at = 0; at < machine->NumDeclarations; ++at) {
        const struct tgsi_full_declaration *one = &machine->Declarations[at];
        if (one->Declaration.File == file && one->Semantic.Name == name && one->Semantic.Index == index) return one->Range.First;
    }
    return -1;
}

/* Inputs and outputs of 3_0 are numbered in the order of their declarations; the position of a vertex is output 0. */
static int numbered(const struct translated *program, unsigned file, unsigned number, bool vertex) {
    unsigned seen[64], count = 0;
    if (vertex) seen[count++] = 0;
    for (size_t at = 0; at < program->declared_count; ++at) {
        const struct declared *one = &program->declared[at];
        if (one->file != file) continue;
        unsigned index = 0;
        while (index < count && seen[index] != one->usage) ++index;
        if (index == count) seen[count++] = one->usage;
        if (one->number == number) return index;
    }
    return -1;
}

static bool is_declared(const struct translated *program, unsigned file, unsigned number) {
    for (size_t at = 0; at < program->declared_count; ++at) {
        if (program->declared[at].file == file && program->declared[at].number == number) return true;
    }
    return false;
}

/* Whether a program declares every register that it must, and none twice: Nine checks neither, and states that it lacks packed registers. */
static bool all_declared(const struct translated *program, const lockstep_program *asked) {
    if (asked->version < 0x200) return true;
    for (size_t at = 1; at < program->declared_count; ++at) {
        for (size_t before = 0; before < at; ++before) {
            const struct declared *one = &program->declared[at], *other = &program->declared[before];
            if (one->file == other->file && one->number == other->number) return false;
        }
    }
    for (size_t at = 0; at < asked->samplers.length; ++at) {
        if (!is_declared(program, D3DSPR_SAMPLER, asked->samplers.at[at])) return false;
    }
    if (asked->version < 0x300) return true;
    const bool vertex = asked->stage == LOCKSTEP_VERTEX;
    for (size_t at = 0; !vertex && at < asked->input_count; ++at) {
        if (asked->inputs[at].slot < TEXCOORD0 && !is_declared(program, D3DSPR_INPUT, asked->inputs[at].slot)) return false;
    }
    for (size_t at = 0; vertex && at < asked->output_count; ++at) {
        if (!is_declared(program, D3DSPR_OUTPUT, asked->outputs[at].slot)) return false;
    }
    return true;
}

static int input(const struct translated *program, const struct tgsi_exec_machine *machine, uint32_t version, bool vertex, uint32_t slot) {
    if (vertex) return slot < 16 ? (int)slot : -1;
    if (slot == POSITION) return find(machine, TGSI_FILE_INPUT, TGSI_SEMANTIC_POSITION, 0);
    if (slot == FACE) return find(machine, TGSI_FILE_INPUT, TGSI_SEMANTIC_FACE, 0);
    if (slot >= TEXCOORD0) return find(machine, TGSI_FILE_INPUT, TGSI_SEMANTIC_TEXCOORD, slot - TEXCOORD0);
    return version >= 0x300 ? numbered(program, D3DSPR_INPUT, slot, false) : find(machine, TGSI_FILE_INPUT, TGSI_SEMANTIC_COLOR, slot);
}

static int output(const struct translated *program, const struct tgsi_exec_machine *machine, uint32_t version, bool vertex, uint32_t slot) {
    if (!vertex) {
        if (slot == DEPTH_OUT) return find(machine, TGSI_FILE_OUTPUT, TGSI_SEMANTIC_POSITION, 0);
        return find(machine, TGSI_FILE_OUTPUT, TGSI_SEMANTIC_COLOR, slot);
    }
    if (version >= 0x300) return numbered(program, D3DSPR_OUTPUT, slot, true);
    if (slot == 0) return find(machine, TGSI_FILE_OUTPUT, TGSI_SEMANTIC_POSITION, 0);
    if (slot == 1) return find(machine, TGSI_FILE_OUTPUT, TGSI_SEMANTIC_GENERIC, 16);
    if (slot == 2) return find(machine, TGSI_FILE_OUTPUT, TGSI_SEMANTIC_PSIZE, 0);
    if (slot < TEXCOORD_OUT) return find(machine, TGSI_FILE_OUTPUT, TGSI_SEMANTIC_COLOR, slot - COLOR_OUT);
    return find(machine, TGSI_FILE_OUTPUT, TGSI_SEMANTIC_TEXCOORD, slot - TEXCOORD_OUT);
}

/* Fills a buffer with the constants in the order that the translation expects. */
static void lay_constants(const struct translated *program, const lockstep_environment *environment, bool early, uint32_t (*buffer)[4]) {
    const struct nine_shader_info *info = &program->info;
    uint32_t all[NINE_MAX_CONST_ALL + 1][4] = {{0}};
    for (size_t at = 0; at < environment->constant_count && at < info->const_i_base; ++at) {
        /* The state of texture stages is packed in another way. */
        if (early && at >= 8 && at % 2 == 1) {
            memcpy(&all[16 + (at - 8) / 4][(at - 8) / 2 % 2 * 2], environment->constants[at], 8);
        } else {
            memcpy(all[early && at >= 8 ? 8 + (at - 8) / 2 : at], environment->constants[at], 16);
        }
    }
    for (size_t at = 0; at < environment->int_count && at < NINE_MAX_CONST_I; ++at) memcpy(all[info->const_i_base + at], environment->ints[at], 16);
    for (size_t at = 0; at < environment->bool_count && at < NINE_MAX_CONST_B; ++at) {
        all[info->const_b_base + at / 4][at % 4] = environment->bools[at] ? 0xffffffff : 0;
    }
    const float *data = info->lconstf.data;
    for (const struct nine_range *range = info->lconstf.ranges; range; range = range->next) {
        memcpy(all[range->bgn], data, 16 * (range->end - range->bgn));
        data += 4 * (range->end - range->bgn);
    }
    const unsigned *ranges = info->const_ranges;
    if (!ranges) {
        memcpy(buffer, all, sizeof all);
        return;
    }
    for (; ranges[1]; buffer += ranges[1], ranges += 2) memcpy(buffer, all[ranges[0]], 16 * ranges[1]);
}

static uint32_t run(void *self, const lockstep_program *asked, const lockstep_environment *environment, lockstep_batch *batch) {
    struct translated *program = translate(asked);
    if (!program) return LOCKSTEP_REJECTED;
    const bool vertex = asked->stage == LOCKSTEP_VERTEX;
    const uint32_t version = asked->version;
    struct tgsi_exec_machine *machine = tgsi_exec_machine_create(program->info.type);
    struct sampler sampler = {{sample}, environment};
    for (unsigned unit = 0; unit < 16; ++unit) {
        const unsigned kind = unit < 8 && version < 0x200 ? asked->extra[0] >> 4 * unit & 15 : 0;
        sampler.dimensions[unit] = kind == 3 ? LOCKSTEP_TEXTURE_CUBE : LOCKSTEP_TEXTURE_2D;
    }
    for (size_t at = 0; at < program->declared_count; ++at) {
        static const uint32_t KINDS[] = {LOCKSTEP_TEXTURE_2D, LOCKSTEP_TEXTURE_1D, LOCKSTEP_TEXTURE_2D, LOCKSTEP_TEXTURE_CUBE, LOCKSTEP_TEXTURE_3D};
        const struct declared *one = &program->declared[at];
        if (one->file == D3DSPR_SAMPLER && one->texture < 5) sampler.dimensions[one->number & 15] = KINDS[one->texture];
    }
    tgsi_exec_machine_bind_shader(machine, program->tokens, &sampler.base, NULL, NULL);
    uint32_t constants[NINE_MAX_CONST_ALL + 1][4] = {{0}};
    lay_constants(program, environment, !vertex && version < 0x200, constants);
    const void *buffer = constants;
    const unsigned size = program->info.const_used_size;
    tgsi_exec_set_constant_buffers(machine, 1, &buffer, &size);
    /* Before 3_0 colours and fog are clamped on their way to the pixel shader, which Nine makes part of the vertex shader. */
    if (vertex && version < 0x300) {
        for (unsigned at = 0; at < machine->NumInstructions; ++at) machine->Instructions[at].Instruction.Saturate = 0;
    }
    int inputs[64], outputs[64];
    bool unsupported = asked->input_count > 64 || asked->output_count > 64 || !all_declared(program, asked);
    for (size_t at = 0; !unsupported && at < asked->input_count; ++at) {
        inputs[at] = input(program, machine, version, vertex, asked->inputs[at].slot);
    }
    for (size_t at = 0; !unsupported && at < asked->output_count; ++at) {
        outputs[at] = output(program, machine, version, vertex, asked->outputs[at].slot);
    }
    /* The inputs are written directly instead of being interpolated. */
    machine->NumDeclarations = 0;
    for (size_t first = 0; !unsupported && first < environment->lanes && first < environment->asked; first += QUAD) {
        *batch->lane = (uint32_t)first;
        memset(machine->Temps, 0, sizeof machine->Temps);
        memset(machine->Inputs, 0, sizeof machine->Inputs[0] * PIPE_MAX_SHADER_INPUTS);
        memset(machine->Outputs, 0, sizeof machine->Outputs[0] * PIPE_MAX_SHADER_OUTPUTS);
        for (size_t lane = 0; lane < QUAD && first + lane < environment->lanes; ++lane) {
            for (size_t at = 0; at < asked->input_count; ++at) {
                if (inputs[at] < 0) continue;
                const uint32_t *value = environment->inputs[(first + lane) * asked->input_count + at];
                for (size_t c = 0; c < 4; ++c) machine->Inputs[inputs[at]].xyzw[c].u[lane] = value[c];
            }
        }
        tgsi_exec_machine_run(machine, 0);
        for (size_t lane = 0; lane < QUAD && first + lane < environment->asked; ++lane) {
            for (size_t at = 0; at < asked->output_count; ++at) {
                for (size_t c = 0; c < 4 && outputs[at] >= 0; ++c) {
                    const size_t from = !vertex && asked->outputs[at].slot == DEPTH_OUT ? 2 : c;
                    batch->outputs[(first + lane) * asked->output_count + at][c] = machine->Outputs[outputs[at]].xyzw[from].u[lane];
                }
            }
            batch->killed[first + lane] = machine->KillMask >> lane & 1;
            batch->status[first + lane] = LOCKSTEP_FINISHED;
        }
    }
    tgsi_exec_machine_destroy(machine);
    drop(program);
    return unsupported ? LOCKSTEP_UNSUPPORTED : LOCKSTEP_ACCEPTED;
}

static const lockstep_subject SUBJECT = {.size = sizeof(lockstep_subject), .abi = LOCKSTEP_ABI, .isas = 1u << LOCKSTEP_D3D9,
                                         .name = "Mesa, Nine", .decode = decode, .run = run};

LOCKSTEP_EXPORT const lockstep_subject *lockstep_subject_v1(void) { return &SUBJECT; }
