// The code that adapters for programs in C and C++ share.
#ifndef LOCKSTEP_ADAPTER_H
#define LOCKSTEP_ADAPTER_H

#include "lockstep.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <string>
#include <vector>

// Writes a text to a buffer of the host.
inline void put(lockstep_room &room, const std::string &text) {
    if (!text.empty()) memcpy(room.at, text.data(), std::min(room.capacity, text.size()));
    room.length = text.size();
}

// Returns what a function prints to the stream that it is given.
template <typename Call> std::string printed(Call call) {
    char *at = nullptr;
    size_t length = 0;
    FILE *stream = open_memstream(&at, &length);
    call(stream);
    fclose(stream);
    std::string text(at, length);
    free(at);
    return text;
}

// Returns the words of a program, followed by `padding` zeros for a reader that does not check where its input ends.
inline std::vector<uint32_t> words(lockstep_bytes bytes, size_t padding) {
    std::vector<uint32_t> all((bytes.length + 3) / 4 + padding);
    if (bytes.length != 0) memcpy(all.data(), bytes.at, bytes.length);
    return all;
}

// Converts a listing of Direct3D 9 to Lockstep's syntax, in which opcode 3 is sub_opcode, because assemblers turn sub into an add.
inline std::string with_sub_opcode(const std::string &listing) {
    static const std::regex sub("(^|\\n)(\\s*(?:\\+ *)?(?:\\([^)]*\\) *)?)sub(?=[_ ])");
    return std::regex_replace(listing, sub, "$1$2sub_opcode");
}

// A subject that only decodes.
constexpr lockstep_subject decoder(uint32_t isa, const char *name, uint32_t (*decode)(void *, const lockstep_program *, lockstep_decoded *)) {
    return {sizeof(lockstep_subject), LOCKSTEP_ABI, 1u << isa, name, nullptr, nullptr, nullptr, decode, nullptr, nullptr, nullptr, nullptr, 0, LOCKSTEP_GLSL};
}

#endif
