// Azahar's interpreter and x64 JIT for PICA200 shaders as a subject. The argument selects one: `interpreter` (the default) or `jit`.
#include "adapter.h"
#include <memory>
#include "video_core/pica/shader_setup.h"
#include "video_core/pica/shader_unit.h"
#include "video_core/shader/shader_interpreter.h"
#include "video_core/shader/shader_jit.h"

using Pica::f24;
using Pica::ShaderUnit;

static constexpr uint32_t NOP = 0x84000000, END = 0x88000000;

// The batch and lane being run. An emitted vertex becomes an effect of this lane.
static thread_local lockstep_batch *batch;
static thread_local const lockstep_program *program;

static void effect(uint32_t kind, uint32_t index, uint32_t mask, const uint32_t (&bits)[4]) {
    if (batch->effect_count < batch->effect_capacity) {
        batch->effects[batch->effect_count] = {*batch->lane, kind, index, mask, {bits[0], bits[1], bits[2], bits[3]}};
    }
    ++batch->effect_count;
}

static void bits_of(const Common::Vec4<f24> &value, uint32_t (&bits)[4]) {
    for (size_t c = 0; c < 4; ++c) {
        const float number = value[c].ToFloat32();
        memcpy(&bits[c], &number, sizeof number);
    }
}

static Common::Vec4<f24> value_of(const uint32_t (&bits)[4]) {
    Common::Vec4<f24> value;
    for (size_t c = 0; c < 4; ++c) {
        float number;
        memcpy(&number, &bits[c], sizeof number);
        value[c] = f24::FromFloat32(number);
    }
    return value;
}

// The bits of a small whole number as a float.
static uint32_t number(uint32_t value) {
    const float number = static_cast<float>(value);
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

// The parts of the shader units that are outside of the engines: an emitted vertex is recorded; input and output are not used.
namespace Pica {
ShaderUnit::ShaderUnit(GeometryEmitter *emitter) : emitter_ptr{emitter} {}
ShaderUnit::~ShaderUnit() = default;
void ShaderUnit::LoadInput(const ShaderRegs &, const AttributeBuffer &) {}
void ShaderUnit::WriteOutput(const ShaderRegs &, AttributeBuffer &) {}

void GeometryEmitter::Emit(std::span<Common::Vec4<f24>, 16> registers) {
    effect(1, 0, 7, {number(emit_state.vertex_id), number(emit_state.prim_emit), number(emit_state.winding), 0});
    for (uint32_t slot = 0; slot < 16; ++slot) {
        if (!(program->extra[1] >> slot & 1)) continue;
        uint32_t bits[4];
        bits_of(registers[slot], bits);
        effect(2, slot, 15, bits);
    }
}
} // namespace Pica

static void *open(const lockstep_greeting *greeting, lockstep_room *message) {
    static bool jit;
    const std::string engine = greeting->argument_count ? greeting->arguments[0] : "interpreter";
    if (engine != "jit" && engine != "interpreter") {
        put(*message, "the engines are interpreter and jit");
        return nullptr;
    }
    jit = engine == "jit";
    return &jit;
}

static uint32_t run(void *self, const lockstep_program *asked, const lockstep_environment *environment, lockstep_batch *results) {
    batch = results;
    program = asked;
    const auto code = words(program->code, 0);
    auto setup = std::make_unique<Pica::ShaderSetup>();
    // The reference stops after the program's last word. The emulator would run on into the rest of its memory, so an END follows the program.
    for (size_t at = 0; at < Pica::MAX_PROGRAM_CODE_LENGTH; ++at) setup->UpdateProgramCode(at, at < code.size() ? code[at] : at == code.size() ? END : NOP);
    for (size_t at = 0; at < program->table.length; ++at) setup->UpdateSwizzleData(at, program->table.at[at]);
    for (size_t at = 0; at < environment->constant_count && at < 96; ++at) setup->uniforms.f[at] = value_of(environment->constants[at]);
    for (size_t at = 0; at < environment->bool_count && at < 16; ++at) setup->uniforms.b[at] = environment->bools[at] != 0;
    for (size_t at = 0; at < environment->int_count && at < 4; ++at) {
        for (size_t c = 0; c < 4; ++c) setup->uniforms.i[at][c] = static_cast<uint8_t>(environment->ints[at][c]);
    }
    std::unique_ptr<Pica::ShaderEngine> engine;
    if (*static_cast<bool *>(self)) {
        engine = std::make_unique<Pica::Shader::JitEngine>();
    } else {
        engine = std::make_unique<Pica::Shader::InterpreterEngine>();
    }
    engine->SetupBatch(*setup, program->start);
    for (size_t lane = 0; lane < environment->asked; ++lane) {
        *batch->lane = static_cast<uint32_t>(lane);
        Pica::GeometryEmitter emitter{};
        ShaderUnit unit{program->stage == LOCKSTEP_GEOMETRY ? &emitter : nullptr};
        for (size_t at = 0; at < program->input_count; ++at) {
            const uint32_t slot = program->inputs[at].slot;
            const auto &bits = environment->inputs[lane * program->input_count + at];
            if (slot < 16) {
                unit.input[slot] = value_of(bits);
            } else if (slot < 32) {
                unit.temporary[slot - 16] = value_of(bits);
            } else {
                return LOCKSTEP_UNSUPPORTED;
            }
        }
        engine->Run(*setup, unit);
        for (size_t at = 0; at < program->output_count; ++at) {
            bits_of(unit.output[unit.output_bank][program->outputs[at].slot & 15], batch->outputs[lane * program->output_count + at]);
        }
        batch->status[lane] = LOCKSTEP_FINISHED;
    }
    return LOCKSTEP_ACCEPTED;
}

static const lockstep_subject SUBJECT = {sizeof(lockstep_subject), LOCKSTEP_ABI, 1u << LOCKSTEP_PICA200, "Azahar", nullptr, nullptr, open, nullptr, run, nullptr, nullptr, nullptr, 0, LOCKSTEP_GLSL};

extern "C" LOCKSTEP_EXPORT const lockstep_subject *lockstep_subject_v1(void) { return &SUBJECT; }
