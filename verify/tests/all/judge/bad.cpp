// A library that misbehaves, in the way its first argument names, when a program has sqt. It accepts everything else, and runs nothing.
#include "lockstep.h"
#include <cfenv>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#ifndef LANGUAGE
#define LANGUAGE LOCKSTEP_GLSL
#endif
#ifndef SHORTER
#define SHORTER 0
#endif
#ifndef NOTHING
#define NOTHING 0
#endif
#ifndef ABI
#define ABI LOCKSTEP_ABI
#endif

static const char *how = "";
static bool rsq_was_there = false;
static sigjmp_buf before;
static char *volatile taken;

static bool is(const char *name) { return !strcmp(how, name); }

static void say(lockstep_room *room, const char *text) {
    room->length = strlen(text);
    memcpy(room->at, text, room->length);
}

static void end(int) { _exit(9); }
static void stay(int) {}
static void leap(int) { siglongjmp(before, 1); }

static void own(void (*handler)(int)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGSEGV, &action, nullptr);
}

static int *volatile nothing = nullptr;
static void touch_nothing() { *nothing = 1; }

static void *open_subject(const lockstep_greeting *greeting, lockstep_room *message) {
    how = greeting->argument_count ? strdup(greeting->arguments[0]) : "";
    if (is("closed")) {
        say(message, "the shop is closed");
        return nullptr;
    }
    if (is("crash-first")) touch_nothing();
    return &how;
}

static bool has(const lockstep_program *program, const char *opcode) {
    for (size_t n = 0; n < program->opcode_count; n++)
        if (!strcmp(program->opcodes[n], opcode)) return true;
    return false;
}

static uint32_t decode(void *, const lockstep_program *program, lockstep_decoded *decoded) {
    const bool rsq = rsq_was_there;
    rsq_was_there = rsq_was_there || has(program, "rsq");
    if (!has(program, "sqt")) return LOCKSTEP_ACCEPTED;
    if (is("exit")) {
        puts("about to end");
        exit(7);
    } else if (is("exit-in-order")) {
        exit(0);
    } else if (is("abort")) {
        abort();
    } else if (is("wild")) {
        touch_nothing();
    } else if (is("throw")) {
        throw 1;
    } else if (is("memory")) {
        // 2 GiB of address space, never touched: more than the worker's limit, and less than any limit of the process that runs the tests.
        for (int n = 0; n < 32; n++) taken = new char[64 << 20];
    } else if (is("failed")) {
        say(&decoded->message, "cannot");
        return LOCKSTEP_FAILED;
    } else if (is("rounding")) {
        fesetround(FE_UPWARD);
    } else if (is("past-end")) {
        memset(decoded->text.at, 'x', decoded->text.capacity + 4);
        decoded->text.length = decoded->text.capacity;
    } else if (is("absurd")) {
        decoded->encoded.length = SIZE_MAX;
    } else if (is("ever-more")) {
        decoded->text.length = decoded->text.capacity + 1;
    } else if (is("verdict")) {
        return 77;
    } else if (is("instructions")) {
        say(&decoded->instructions, "sqt\tnonsense");
    } else if (is("handler")) {
        own(end);
        touch_nothing();
    } else if (is("stubborn")) {
        own(stay);
        touch_nothing();
    } else if (is("history")) {
        if (rsq) _exit(9);
    } else if (is("leap")) {  // not misbehaviour: it recovers from its own fault
        own(leap);
        if (!sigsetjmp(before, 1)) touch_nothing();
        own(SIG_DFL);
    } else if (is("print")) {  // not misbehaviour
        for (int n = 0; n < 1000; n++) puts("[{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":null}]");
        fflush(stdout);
    } else if (is("much")) {  // not misbehaviour: there is more room the second time
        const size_t length = 100000;
        if (decoded->message.capacity >= length) memset(decoded->message.at, 'x', length);
        decoded->message.length = length;
    }
    return LOCKSTEP_ACCEPTED;
}

static uint32_t run(void *, const lockstep_program *program, const lockstep_environment *environment, lockstep_batch *batch) {
    if (strncmp(how, "run-", 4) || !has(program, "sqt")) return LOCKSTEP_UNSUPPORTED;
    for (uint32_t lane = 0; lane < environment->lanes; lane++) {
        *batch->lane = lane;
        // This finding needs at least two lanes.
        if (is("run-crash") && lane == 1) touch_nothing();
        // A lane that is left out keeps the status that the host set.
        if (!is("run-not")) batch->status[lane] = is("run-status") ? 9 : LOCKSTEP_FINISHED;
    }
    if (is("run-past-end")) batch->status[environment->lanes] = LOCKSTEP_FINISHED;
    if (is("run-effects")) batch->effect_count = SIZE_MAX;
    if (is("run-effect")) {
        batch->effects[0].lane = 1000000;
        batch->effect_count = 1;
    }
    return is("run-crash") ? LOCKSTEP_UNSUPPORTED : LOCKSTEP_ACCEPTED;
}

static const lockstep_subject SUBJECT = {
    sizeof(lockstep_subject) - SHORTER, ABI, 1u << LOCKSTEP_AGAL, "bad", nullptr, "invalid = { malformed = 'any' }", open_subject, decode, run, nullptr, nullptr, nullptr, 0, LANGUAGE};

#ifdef NAMELESS
LOCKSTEP_EXPORT const lockstep_subject *another_name(void);
const lockstep_subject *another_name(void) { return &SUBJECT; }
#else
const lockstep_subject *lockstep_subject_v1(void) { return NOTHING ? nullptr : &SUBJECT; }
#endif
