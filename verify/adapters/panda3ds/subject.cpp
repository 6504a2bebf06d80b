// Panda3DS' interpreter and x64 JIT for PICA200 shaders as a subject. The argument selects one: `interpreter` (the default) or `jit`.
#include "adapter.h"
#include "PICA/dynapica/shader_rec.hpp"
#include "PICA/shader.hpp"
#include <memory>

static constexpr uint32_t NOP = 0x84000000, END = 0x88000000;

using Floats::f24;

static std::array<f24, 4> value_of(const uint32_t (&bits)[4]) {
    std::array<f24, 4> value;
    for (size_t c = 0; c < 4; ++c) {
        float number;
        memcpy(&number, &bits[c], sizeof number);
        value[c] = f24::fromFloat32(number);
    }
    return value;
}

// A unit whose registers can be set before a run.
struct Unit : PICAShader {
    Unit() : PICAShader(ShaderType::Vertex) {
        reset();
        cmpRegister[0] = cmpRegister[1] = false;
    }
    bool set(uint32_t slot, const uint32_t (&bits)[4]) {
        if (slot < 16) inputs[slot] = value_of(bits);
        if (slot >= 16 && slot < 32) tempRegisters[slot - 16] = value_of(bits);
        return slot < 32;
    }
    void describe(size_t at, uint32_t descriptor) { operandDescriptors[at] = descriptor; }
};

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

static uint32_t run(void *self, const lockstep_program *program, const lockstep_environment *environment, lockstep_batch *batch) {
    const auto code = words(program->code, 0);
    auto fresh = std::make_unique<Unit>();
    // The reference stops after the program's last word. The emulator would run on into the rest of its memory, so an END follows the program.
    for (size_t at = 0; at < fresh->loadedShader.size(); ++at) fresh->loadedShader[at] = at < code.size() ? code[at] : at == code.size() ? END : NOP;
    for (size_t at = 0; at < program->table.length && at < 128; ++at) fresh->describe(at, program->table.at[at]);
    for (size_t at = 0; at < environment->constant_count && at < 96; ++at) fresh->floatUniforms[at] = value_of(environment->constants[at]);
    uint32_t bools = 0;
    for (size_t at = 0; at < environment->bool_count && at < 16; ++at) bools |= static_cast<uint32_t>(environment->bools[at] != 0) << at;
    fresh->uploadBoolUniform(bools);
    for (size_t at = 0; at < environment->int_count && at < 4; ++at) {
        for (size_t c = 0; c < 4; ++c) fresh->intUniforms[at][c] = static_cast<uint8_t>(environment->ints[at][c]);
    }
    fresh->entrypoint = program->start;
    ShaderJIT jit;
    const bool compiled = *static_cast<bool *>(self);
    if (compiled) {
        // Selects the multiplication in which zero times infinity is zero.
        jit.setAccurateMul(true);
        jit.prepare(*fresh);
    }
    auto unit = std::make_unique<Unit>();
    for (size_t lane = 0; lane < environment->asked; ++lane) {
        *batch->lane = static_cast<uint32_t>(lane);
        *unit = *fresh;
        for (size_t at = 0; at < program->input_count; ++at) {
            if (!unit->set(program->inputs[at].slot, environment->inputs[lane * program->input_count + at])) return LOCKSTEP_UNSUPPORTED;
        }
        if (compiled) {
            jit.run(*unit);
        } else {
            unit->run();
        }
        for (size_t at = 0; at < program->output_count; ++at) {
            for (size_t c = 0; c < 4; ++c) {
                const float number = unit->outputs[program->outputs[at].slot & 15][c].toFloat32();
                memcpy(&batch->outputs[lane * program->output_count + at][c], &number, sizeof number);
            }
        }
        batch->status[lane] = LOCKSTEP_FINISHED;
    }
    return LOCKSTEP_ACCEPTED;
}

static const lockstep_subject SUBJECT = {sizeof(lockstep_subject), LOCKSTEP_ABI, 1u << LOCKSTEP_PICA200, "Panda3DS", nullptr, nullptr,
                                         open, nullptr, run, nullptr, nullptr, nullptr, 0, LOCKSTEP_GLSL};

extern "C" LOCKSTEP_EXPORT const lockstep_subject *lockstep_subject_v1(void) { return &SUBJECT; }
