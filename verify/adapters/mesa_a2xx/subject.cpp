// Mesa's disassembler for Adreno A2xx as a subject: Lockstep's assembler reads its listing, which is printed without the optional raw words.
#include "adapter.h"
extern "C" {
#include "compiler/shader_enums.h"
int disasm_a2xx(uint32_t *dwords, int sizedwords, int level, gl_shader_stage type);
void disasm_a2xx_set_debug(int flags);
}

static uint32_t decode(void *, const lockstep_program *program, lockstep_decoded *decoded) {
    // The disassembler searches for the first clause that runs instructions and reads them, even beyond the end of its input.
    if (program->stage == LOCKSTEP_NO_STAGE) return LOCKSTEP_UNSUPPORTED;
    std::vector<uint32_t> shader = words(program->code, 3 * 4096 + 3 * 64);
    put(decoded->text, printed([&](FILE *stream) {
        FILE *out = stdout;
        stdout = stream;
        disasm_a2xx_set_debug(0);
        disasm_a2xx(shader.data(), static_cast<int>(program->code.length / 4), 0,
                    program->stage == LOCKSTEP_VERTEX ? MESA_SHADER_VERTEX : MESA_SHADER_FRAGMENT);
        stdout = out;
    }));
    return LOCKSTEP_ACCEPTED;
}

static const lockstep_subject SUBJECT = decoder(LOCKSTEP_A2XX, "Mesa, disasm-a2xx", decode);

extern "C" LOCKSTEP_EXPORT const lockstep_subject *lockstep_subject_v1(void) { return &SUBJECT; }
