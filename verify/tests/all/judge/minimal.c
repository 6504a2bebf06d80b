/* The smallest library that can be judged, in the common subset of C99 and C++11. */
#include "lockstep.h"

static uint32_t decode(void *self, const lockstep_program *program, lockstep_decoded *decoded) {
    (void)self;
    decoded->consumed = program->file.length;
    return LOCKSTEP_UNSUPPORTED;
}

static const lockstep_subject SUBJECT = {
    sizeof(lockstep_subject), LOCKSTEP_ABI, 1u << LOCKSTEP_AGAL | 1u << LOCKSTEP_D3D9, "minimal", 0, 0, 0, decode, 0, 0, 0, 0, 0, LOCKSTEP_GLSL};

const lockstep_subject *lockstep_subject_v1(void) { return &SUBJECT; }
