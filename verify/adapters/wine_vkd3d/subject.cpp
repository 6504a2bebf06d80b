// The Direct3D 9 shader parser of the vkd3d in Wine as a subject: Lockstep's assembler reads its listing.
#include "adapter.h"
extern "C" {
#include "vkd3d_shader.h"
}

static uint32_t decode(void *, const lockstep_program *program, lockstep_decoded *decoded) {
    vkd3d_shader_compile_info info = {};
    info.type = VKD3D_SHADER_STRUCTURE_TYPE_COMPILE_INFO;
    info.source.code = program->file.at;
    info.source.size = program->file.length;
    info.source_type = VKD3D_SHADER_SOURCE_D3D_BYTECODE;
    info.target_type = VKD3D_SHADER_TARGET_D3D_ASM;
    info.log_level = VKD3D_SHADER_LOG_ERROR;
    vkd3d_shader_code text = {};
    char *messages = nullptr;
    const int result = vkd3d_shader_compile(&info, &text, &messages);
    if (result >= 0) {
        // What assemblers call a volume it calls 3d, and the depth has a number.
        static const std::regex volume("\\bdcl_3d\\b"), depth("\\boDepth0\\b");
        const std::string listing(static_cast<const char *>(text.code), text.size);
        put(decoded->text, std::regex_replace(std::regex_replace(with_sub_opcode(listing), volume, "dcl_volume"), depth, "oDepth"));
        vkd3d_shader_free_shader_code(&text);
    } else {
        put(decoded->message, messages ? messages : "error " + std::to_string(result));
    }
    vkd3d_shader_free_messages(messages);
    return result >= 0 ? LOCKSTEP_ACCEPTED : LOCKSTEP_REJECTED;
}

static const lockstep_subject SUBJECT = decoder(LOCKSTEP_D3D9, "vkd3d of Wine", decode);

extern "C" LOCKSTEP_EXPORT const lockstep_subject *lockstep_subject_v1(void) { return &SUBJECT; }
