// Mesa's disassembler for the vertex processor of Mali Utgard as a subject: Lockstep's assembler reads its listing.
#include "adapter.h"
extern "C" void gpir_disassemble_program(void *code, unsigned num_instr, FILE *fp);

static uint32_t decode(void *, const lockstep_program *program, lockstep_decoded *decoded) {
    if (program->stage == LOCKSTEP_NO_STAGE) return LOCKSTEP_UNSUPPORTED;
    const size_t size = 16;
    // Operands of the first instruction may name results of an instruction before it.
    std::vector<uint32_t> code(size / 4);
    const std::vector<uint32_t> all = words(program->code, 0);
    code.insert(code.end(), all.begin(), all.end());
    put(decoded->text, printed([&](FILE *stream) {
        gpir_disassemble_program(&code[size / 4], static_cast<unsigned>(program->code.length / size), stream);
    }));
    return LOCKSTEP_ACCEPTED;
}

static const lockstep_subject SUBJECT = decoder(LOCKSTEP_UTGARD_GP, "Mesa, lima's gpir", decode);

extern "C" LOCKSTEP_EXPORT const lockstep_subject *lockstep_subject_v1(void) { return &SUBJECT; }
