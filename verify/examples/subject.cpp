// A decoder and executor of some vs_2_0 shaders of Direct3D 9, to be judged. verify/include/lockstep.h says what everything means.
//     c++ -std=c++11 -shared -fPIC -I verify/include -o libsubject.so verify/examples/subject.cpp
//     lockstep judge ./libsubject.so --isa d3d9
// With the argument legacy it multiplies as old hardware does, zero times anything is zero, and still says that it does as IEEE 754.
#include "lockstep.h"
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <vector>

typedef std::array<float, 4> Vector;
typedef std::array<std::map<uint32_t, Vector>, 5> Registers; // by type and number
enum { INPUT = 1, CONSTANT = 2, OUTPUT = 4, COORDINATES = 6 };
static const uint32_t DCL = 31, DEF = 81, COMMENT = 0xfffe, END = 0xffff, VS_2_0 = 0xfffe0200;

struct Opcode { uint32_t number; const char *name; uint32_t sources; };
static const Opcode OPCODES[] = {{1, "mov", 1}, {2, "add", 2}, {5, "mul", 2}, {10, "min", 2},
                                 {11, "max", 2}, {12, "slt", 2}, {13, "sge", 2}};
struct Source { uint32_t type, number, swizzle; bool negative; };
struct Instruction { const Opcode *opcode; uint32_t type, number, mask; Source sources[2]; };
struct Program { std::vector<Instruction> instructions; std::string names; size_t words; };
static bool legacy = false;
static uint32_t type(uint32_t word) { return (word >> 28 & 7) | (word >> 8 & 0x18); }
static Vector floats(const uint32_t bits[4]) { Vector v; memcpy(v.data(), bits, 16); return v; }

static uint32_t decode(const lockstep_bytes &file, Program &program) {
    const size_t count = file.length / 4; // what is behind END belongs to nothing, and may be of any length
    if (count < 2) return LOCKSTEP_REJECTED;
    std::vector<uint32_t> words(count + 1); // an operand may be looked at before it is known to be there
    memcpy(words.data(), file.at, 4 * count); // on a little-endian machine
    if (words[0] != VS_2_0) return LOCKSTEP_UNSUPPORTED;
    for (size_t at = 1; at < count;) {
        const uint32_t word = words[at++], number = word & 0xffff;
        if (word == END) { program.words = at; return LOCKSTEP_ACCEPTED; }
        const size_t length = number == COMMENT ? word >> 16 & 0x7fff : word >> 24 & 15;
        if (length > count - at) return LOCKSTEP_REJECTED;
        const uint32_t *operands = &words[at], to = operands[0];
        at += length;
        if (number == COMMENT) continue;
        // The values of def are among the constants that the host gives.
        if (number == DCL || number == DEF) { program.names += number == DCL ? "dcl\n" : "def\n"; continue; }
        Instruction i = {};
        for (const Opcode &opcode : OPCODES) if (opcode.number == number) i.opcode = &opcode;
        if (!i.opcode || word & 0xf0ff0000 || length != i.opcode->sources + 1) return LOCKSTEP_UNSUPPORTED;
        if (to & 0x0ff0e000 || !(to >> 31) || type(to) > COORDINATES) return LOCKSTEP_UNSUPPORTED;
        i.type = type(to), i.number = to & 0x7ff, i.mask = to >> 16 & 15;
        if (i.type > OUTPUT) i.number += 4 * (i.type - OUTPUT), i.type = OUTPUT; // slots: oPos from 0, oD from 4, oT from 8 on
        for (uint32_t n = 0; n < i.opcode->sources; n++) {
            const uint32_t from = operands[n + 1];
            if (from & 0x0e00e000 || !(from >> 31) || type(from) > CONSTANT) return LOCKSTEP_UNSUPPORTED;
            i.sources[n] = {type(from), from & 0x7ff, from >> 16 & 0xff, (from >> 24 & 1) != 0};
        }
        program.names += i.opcode->name + std::string("\n");
        program.instructions.push_back(i);
    }
    return LOCKSTEP_REJECTED;
}

static void run(const Program &program, Registers &registers) {
    for (const Instruction &i : program.instructions) {
        Vector &destination = registers[i.type][i.number], result = destination;
        for (uint32_t c = 0; c < 4; c++) {
            float operands[2] = {};
            for (uint32_t n = 0; n < i.opcode->sources; n++) {
                const Source &source = i.sources[n];
                const float value = registers[source.type][source.number][source.swizzle >> 2 * c & 3];
                operands[n] = source.negative ? -value : value;
            }
            const float a = operands[0], b = operands[1], smaller = a < b ? 1.0f : 0.0f, other = a >= b ? 1.0f : 0.0f;
            const float product = legacy && (a == 0.0f || b == 0.0f) ? 0.0f : a * b;
            const float results[] = {a, a + b, product, a < b ? a : b, a >= b ? a : b, smaller, other}; // as OPCODES
            if (i.mask >> c & 1) result[c] = results[i.opcode - OPCODES];
        }
        destination = result;
    }
}

static void *open_subject(const lockstep_greeting *greeting, lockstep_room *) {
    legacy = greeting->argument_count > 0 && !strcmp(greeting->arguments[0], "legacy");
    return &legacy; // nothing is needed: anything but null
}

static uint32_t decode_subject(void *, const lockstep_program *asked, lockstep_decoded *answer) {
    Program program = {};
    const uint32_t verdict = decode(asked->file, program);
    lockstep_room &names = answer->instructions;
    names.length = program.names.size(); // the host asks again if that is more than it has room for
    if (names.length <= names.capacity) memcpy(names.at, program.names.data(), names.length);
    answer->consumed = 4 * program.words;
    return verdict;
}

static uint32_t run_subject(void *, const lockstep_program *asked, const lockstep_environment *given, lockstep_batch *batch) {
    Program program = {};
    const uint32_t verdict = decode(asked->file, program);
    for (uint32_t lane = 0; verdict == LOCKSTEP_ACCEPTED && lane < given->lanes; lane++) {
        *batch->lane = lane;
        Registers registers;
        for (uint32_t n = 0; n < given->constant_count; n++) registers[CONSTANT][n] = floats(given->constants[n]);
        for (size_t n = 0; n < asked->input_count; n++)
            registers[INPUT][asked->inputs[n].slot] = floats(given->inputs[lane * asked->input_count + n]);
        run(program, registers);
        for (size_t n = 0; n < asked->output_count; n++) {
            const Vector &value = registers[OUTPUT][asked->outputs[n].slot];
            memcpy(batch->outputs[lane * asked->output_count + n], value.data(), sizeof value);
        }
        batch->status[lane] = LOCKSTEP_FINISHED;
    }
    return verdict;
}

const lockstep_subject *lockstep_subject_v1(void) {
    static const char PROFILE[] = "supports = 'only dcl, def, mov, add, mul, min, max, slt, sge; no a.index; no b.index'\n"
                                  "stages = ['vertex']\nversions = [512]\noptions = { zero_times = 'ieee' }\n";
    static const lockstep_subject SUBJECT = {sizeof SUBJECT, LOCKSTEP_ABI, 1u << LOCKSTEP_D3D9, "example", "1", PROFILE,
                                             open_subject, decode_subject, run_subject, nullptr, nullptr, nullptr, 0, LOCKSTEP_GLSL};
    return &SUBJECT;
}
