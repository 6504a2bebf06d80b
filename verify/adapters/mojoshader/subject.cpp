// MojoShader's parser for Direct3D 9 shaders as a subject: Lockstep's assembler reads the output of its "d3d" profile.
#include "adapter.h"
#include "mojoshader.h"
#include <sstream>

// Converts its listing to Lockstep's syntax: the depth, point size and fog have the mask that the listing omits, and declarations of pixel shaders
// before 3_0 have no usage.
static std::string translated(const std::string &listing) {
    static const std::regex scalar("^([^,]* )(oDepth|oPts|oFog)(?=,)"), usage("^( *dcl)_[a-z]+[0-9]*((?:_[a-z]+)* [tv][0-9])");
    std::istringstream lines(with_sub_opcode(listing));
    std::string line, all;
    bool early = false;
    while (std::getline(lines, line)) {
        if (line.compare(0, 3, "ps_") == 0) early = line[3] < '3';
        line = std::regex_replace(line, scalar, "$1$2.x");
        all += (early ? std::regex_replace(line, usage, "$1$2") : line) + "\n";
    }
    return all;
}

static uint32_t decode(void *, const lockstep_program *program, lockstep_decoded *decoded) {
    const MOJOSHADER_parseData *read = MOJOSHADER_parse(MOJOSHADER_PROFILE_D3D, nullptr, program->file.at,
                                                        static_cast<unsigned int>(program->file.length), nullptr, 0, nullptr, 0, nullptr, nullptr, nullptr);
    const bool accepted = read->error_count == 0;
    if (accepted) {
        put(decoded->text, translated(std::string(read->output ? read->output : "", static_cast<size_t>(read->output_len))));
    } else {
        put(decoded->message, read->errors[0].error);
    }
    MOJOSHADER_freeParseData(read);
    return accepted ? LOCKSTEP_ACCEPTED : LOCKSTEP_REJECTED;
}

static const lockstep_subject SUBJECT = decoder(LOCKSTEP_D3D9, "MojoShader", decode);

extern "C" LOCKSTEP_EXPORT const lockstep_subject *lockstep_subject_v1(void) { return &SUBJECT; }
