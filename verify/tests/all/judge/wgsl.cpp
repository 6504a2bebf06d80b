// A translator of single instructions of AGAL, `mov` of a whole register, to WGSL, as a library. With an argument it negates.
#include "lockstep.h"
#include <algorithm>
#include <string>

static bool negates;

static void put(lockstep_room &room, const std::string &text) {
    std::copy_n(text.data(), std::min(text.size(), room.capacity), room.at);
    room.length = text.size();
}

static void *open_subject(const lockstep_greeting *greeting, lockstep_room *) {
    negates = greeting->argument_count > 0;
    return &negates;
}

static uint32_t translate(void *, const lockstep_program *program, lockstep_translated *translated) {
    const uint8_t *token = program->code.at;
    const bool is_input = (token[12] & 15) == 0;
    const std::string count = std::to_string(program->constants);
    const std::string value = is_input ? "a" : "constants[" + std::to_string(token[8] | token[9] << 8) + "]";
    std::string source = "struct Results { @builtin(position) position: vec4f, @location(3) other: vec4f }\n";
    if (!is_input) source += "@group(0) @binding(5) var<uniform> constants: array<vec4f, " + count + ">;\n";
    source += "@vertex fn main(@location(2) a: vec4f) -> Results {\n    let value = " + std::string(negates ? "-" : "") + value + ";\n";
    put(translated->source, source + "    return Results(value, value);\n}\n");
    std::string places = "block\t0\t" + count + "\t5\n";
    if (is_input) places = std::string("input\t") + program->inputs[0].name + "\t2\t4\n";
    const std::string output = program->outputs[0].name;
    put(translated->places, places + "output\t" + output + (output == "op" ? "\tposition\t4\n" : "\t3\t4\n"));
    return LOCKSTEP_ACCEPTED;
}

static const lockstep_subject SUBJECT = {
    sizeof(lockstep_subject), LOCKSTEP_ABI, 1u << LOCKSTEP_AGAL, "mov to WGSL", nullptr,
    "supports = 'only mov; mask=full; a.swizzle=identity; no index'\nstages = ['vertex']\nversions = [1]\ninstructions = 1\ndefined = true\n",
    open_subject, nullptr, nullptr, nullptr, nullptr, translate, 0, LOCKSTEP_WGSL};

extern "C" LOCKSTEP_EXPORT const lockstep_subject *lockstep_subject_v1(void) { return &SUBJECT; }
