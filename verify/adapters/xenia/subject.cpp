// xenia's interpreter for shaders of Xenos as a subject.
#include "adapter.h"
#include <memory>
#include "xenia/gpu/shader_interpreter.h"

using namespace xe::gpu;

// Only called while a trace of the emulator is written.
void TraceWriter::WriteMemoryRead(uint32_t, size_t, const void *) {}

// The lane's exports, in their order, become effects.
struct Exports : ShaderInterpreter::ExportSink {
    lockstep_batch *batch;
    explicit Exports(lockstep_batch *batch) : batch(batch) {}
    void Export(ucode::ExportRegister number, const float *value, uint32_t mask) override {
        if (mask == 0) return;
        if (batch->effect_count < batch->effect_capacity) {
            lockstep_effect &effect = batch->effects[batch->effect_count];
            effect = {*batch->lane, 1, static_cast<uint32_t>(number), mask, {}};
            memcpy(effect.bits, value, sizeof effect.bits);
        }
        ++batch->effect_count;
    }
};

static uint32_t run(void *, const lockstep_program *program, const lockstep_environment *environment, lockstep_batch *batch) {
    auto registers = std::make_unique<RegisterFile>();
    memset(registers->values, 0, sizeof registers->values);
    // All constants belong to either stage.
    for (uint32_t at : {XE_GPU_REG_SQ_VS_CONST, XE_GPU_REG_SQ_PS_CONST}) registers->values[at] = 511 << 12;
    for (size_t at = 0; at < environment->constant_count && at < 512; ++at) {
        memcpy(&registers->values[XE_GPU_REG_SHADER_CONSTANT_000_X + 4 * at], environment->constants[at], 16);
    }
    for (size_t at = 0; at < environment->bool_count && at < 256; ++at) {
        registers->values[XE_GPU_REG_SHADER_CONSTANT_BOOL_000_031 + at / 32] |= static_cast<uint32_t>(environment->bools[at] != 0) << at % 32;
    }
    for (size_t at = 0; at < environment->int_count && at < 32; ++at) {
        uint32_t word = 0;
        for (size_t c = 0; c < 3; ++c) word |= (static_cast<uint32_t>(environment->ints[at][c]) & 255) << 8 * c;
        registers->values[XE_GPU_REG_SHADER_CONSTANT_LOOP_00 + at] = word;
    }
    // The buffers lie one after the other in the guest's memory.
    std::vector<uint32_t> memory;
    for (size_t at = 0; at < environment->buffer_count && at < 96; ++at) {
        const lockstep_words &buffer = environment->buffers[at];
        uint32_t *constant = &registers->values[XE_GPU_REG_SHADER_CONSTANT_FETCH_00_0 + 2 * at];
        constant[0] = 3 | static_cast<uint32_t>(memory.size()) << 2;
        constant[1] = static_cast<uint32_t>(buffer.length) << 2;
        if (buffer.length != 0) memory.insert(memory.end(), buffer.at, buffer.at + buffer.length);
    }
    const auto code = words(program->code, 0);
    const xe::Memory guest(reinterpret_cast<uint8_t *>(memory.data()));
    Exports exports(batch);
    for (size_t lane = 0; lane < environment->asked; ++lane) {
        *batch->lane = static_cast<uint32_t>(lane);
        auto interpreter = std::make_unique<ShaderInterpreter>(*registers, guest);
        memset(interpreter->temp_registers(), 0, 64 * 4 * sizeof(float));
        for (size_t at = 0; at < program->input_count; ++at) {
            const uint32_t slot = program->inputs[at].slot;
            if (slot >= 64) return LOCKSTEP_UNSUPPORTED;
            memcpy(interpreter->temp_registers() + 4 * slot, environment->inputs[lane * program->input_count + at], 16);
        }
        interpreter->SetExportSink(&exports);
        interpreter->SetShader(program->stage == LOCKSTEP_VERTEX ? xenos::ShaderType::kVertex : xenos::ShaderType::kPixel, code.data());
        interpreter->Execute();
        batch->status[lane] = LOCKSTEP_FINISHED;
    }
    return LOCKSTEP_ACCEPTED;
}

static const lockstep_subject SUBJECT = {sizeof(lockstep_subject), LOCKSTEP_ABI, 1u << LOCKSTEP_A2XX, "xenia", nullptr, nullptr,
                                         nullptr, nullptr, run, nullptr, nullptr, nullptr, 0, LOCKSTEP_GLSL};

extern "C" LOCKSTEP_EXPORT const lockstep_subject *lockstep_subject_v1(void) { return &SUBJECT; }
