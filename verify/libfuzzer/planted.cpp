// verify/examples/subject.cpp with a bug that needs a sequence of three instructions. Each further instruction of the sequence makes the subject
// take another branch, so coverage guides a fuzzer to the bug, while programs generated without coverage rarely contain all three. ci/libfuzzer
// checks that libFuzzer finds the bug.
#include "lockstep.h"
#define lockstep_subject_v1 example_subject
#include "../examples/subject.cpp"
#undef lockstep_subject_v1

static bool has_opcode(const Instruction &i, const char *name) { return !strcmp(i.opcode->name, name); }

// The number of instructions from the beginning of the sequence that a program contains: 0 to 3.
static int steps(const Program &program) {
    int most = 0;
    const std::vector<Instruction> &all = program.instructions;
    for (size_t n = 0; n < all.size(); n++) {
        if (!has_opcode(all[n], "slt") || all[n].mask != 3) continue;
        if (most < 1) most = 1;
        if (n + 1 >= all.size() || !has_opcode(all[n + 1], "max") || !all[n + 1].sources[1].negative) continue;
        if (most < 2) most = 2;
        if (n + 2 >= all.size() || !has_opcode(all[n + 2], "mul") || all[n + 2].sources[0].swizzle == 0xe4) continue;
        most = 3;
    }
    return most;
}

static uint32_t run_wrongly(void *self, const lockstep_program *asked, const lockstep_environment *environment, lockstep_batch *batch) {
    const uint32_t verdict = run_subject(self, asked, environment, batch);
    Program program = {};
    if (verdict != LOCKSTEP_ACCEPTED || decode(asked->file, program) != LOCKSTEP_ACCEPTED) return verdict;
    switch (steps(program)) {
    case 1: *batch->lane = 1; break;
    case 2: *batch->lane = 2; break;
    case 3:
        for (size_t n = 0; n < environment->lanes * asked->output_count; n++) batch->outputs[n][0] ^= 0x80000000u;
        break;
    }
    return verdict;
}

const lockstep_subject *lockstep_subject_v1(void) {
    static lockstep_subject subject = *example_subject();
    subject.name = "planted", subject.run = run_wrongly;
    return &subject;
}
