// What adapters of programs in C and C++ have in common.
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

// Gives the host a text.
inline void put(lockstep_room &room, const std::string &text) {
    if (!text.empty()) memcpy(room.at, text.data(), std::min(room.capacity, text.size()));
    room.length = text.size();
}

// What a call prints to a stream of its own.
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

// Words of a program, with zeros behind them for a reader that trusts its input.
inline std::vector<uint32_t> words(lockstep_bytes bytes, size_t padding) {
    std::vector<uint32_t> all((bytes.length + 3) / 4 + padding);
    if (bytes.length != 0) memcpy(all.data(), bytes.at, bytes.length);
    return all;
}

// A listing of Direct3D 9 in the words of Lockstep's: the opcode 3 is sub_opcode there, since sub is what assemblers make an add of.
inline std::string with_sub_opcode(const std::string &listing) {
    static const std::regex sub("(^|\\n)(\\s*(?:\\+ *)?(?:\\([^)]*\\) *)?)sub(?=[_ ])");
    return std::regex_replace(listing, sub, "$1$2sub_opcode");
}

// A subject that only decodes.
constexpr lockstep_subject decoder(uint32_t isa, const char *name, uint32_t (*decode)(void *, const lockstep_program *, lockstep_decoded *)) {
    return {sizeof(lockstep_subject), LOCKSTEP_ABI, 1u << isa, name, nullptr, nullptr, nullptr, decode, nullptr, nullptr, nullptr, nullptr};
}

#endif
