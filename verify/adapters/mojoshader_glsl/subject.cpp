// MojoShader's translator of Direct3D 9 shaders to GLSL 1.20 as a subject, which is judged by running its translations.
#include "adapter.h"
#include "mojoshader.h"
#include <map>
#include <sstream>

// The variables to which registers are mapped: `#define vs_o0 gl_Position`, and in ps_1_x `vec4 ps_t0 = gl_TexCoord[0];`. A register without such a line
// has a variable of its own.
static std::map<std::string, std::string> names(const std::string &source) {
    std::map<std::string, std::string> all;
    std::istringstream lines(source);
    static const std::regex copy("vec4 (ps_t[0-9]+) = (gl_TexCoord\\[[0-9]+\\]);");
    for (std::string line, define, name, variable; std::getline(lines, line);) {
        std::istringstream words(line);
        std::smatch parts;
        if (words >> define >> name >> variable && define == "#define") all[name] = variable;
        if (std::regex_match(line, parts, copy)) all[parts[1]] = parts[2];
    }
    return all;
}

static uint32_t translate(void *, const lockstep_program *program, lockstep_translated *translated) {
    const MOJOSHADER_parseData *read = MOJOSHADER_parse(MOJOSHADER_PROFILE_GLSL120, nullptr, program->file.at,
                                                        static_cast<unsigned int>(program->file.length), nullptr, 0, nullptr, 0, nullptr, nullptr, nullptr);
    if (read->error_count != 0) {
        put(translated->message, read->errors[0].error);
        MOJOSHADER_freeParseData(read);
        return LOCKSTEP_REJECTED;
    }
    std::string source(read->output, static_cast<size_t>(read->output_len));
    const std::string prefix = program->stage == LOCKSTEP_VERTEX ? "vs_" : "ps_";
    const auto variables = names(source);
    std::ostringstream places;
    bool supported = true;
    auto place = [&](const char *kind, const lockstep_register &which) {
        // The colour of ps_1_x is a temporary, which is copied at the end.
        const std::string name = kind[0] == 'o' && which.name == std::string("r0") ? "oC0" : which.name;
        const auto found = variables.find(prefix + name);
        const std::string variable = found == variables.end() ? prefix + which.name : found->second;
        // There is no place for the depth, and the position and the face of a fragment are not inputs of a program.
        if (variable == "gl_FragDepth" || variable == "gl_FragCoord" || variable == "gl_FrontFacing") supported = false;
        const bool scalar = variable == "gl_FogFragCoord" || variable == "gl_PointSize" || source.find("varying float " + variable + ";") != std::string::npos;
        places << kind << '\t' << which.name << '\t' << variable << '\t' << (scalar ? 1 : 4) << '\n';
    };
    for (size_t at = 0; at < program->input_count; ++at) place("input", program->inputs[at]);
    for (size_t at = 0; at < program->output_count; ++at) place("output", program->outputs[at]);
    // Constants of each kind are in one array, in the order of the list.
    static const struct { MOJOSHADER_uniformType type; const char *kind, *array; } KINDS[] = {
        {MOJOSHADER_UNIFORM_FLOAT, "constants", "vec4"}, {MOJOSHADER_UNIFORM_INT, "ints", "ivec4"}, {MOJOSHADER_UNIFORM_BOOL, "bools", "bool"}};
    for (const auto &kind : KINDS) {
        int offset = 0;
        for (int at = 0; at < read->uniform_count; ++at) {
            const MOJOSHADER_uniform &uniform = read->uniforms[at];
            if (uniform.type != kind.type || uniform.constant) continue;
            const int count = std::max(uniform.array_count, 1);
            for (int n = 0; n < count; ++n, ++offset) {
                places << kind.kind << '\t' << uniform.index + n << "\t1\t" << prefix << "uniforms_" << kind.array << '[' << offset << "]\n";
            }
        }
    }
    // A program that does not write the position gets one, because GLSL 1.20 requires it.
    if (program->stage == LOCKSTEP_VERTEX && places.str().find("\tgl_Position\t") == std::string::npos) {
        source.insert(source.rfind('}'), "\tgl_Position = vec4(0.0);\n");
    }
    // Temporaries that are not written on a path are undefined in GLSL; in the reference they are zero.
    static const std::regex temporary("(^|\\n)(vec4 [vp]s_r[0-9]+);");
    source = std::regex_replace(source, temporary, "$1$2 = vec4(0.0);");
    put(translated->source, source);
    put(translated->places, places.str());
    MOJOSHADER_freeParseData(read);
    return supported ? LOCKSTEP_ACCEPTED : LOCKSTEP_UNSUPPORTED;
}

static const lockstep_subject SUBJECT = {sizeof(lockstep_subject), LOCKSTEP_ABI, 1u << LOCKSTEP_D3D9, "MojoShader, GLSL", nullptr, nullptr,
                                         nullptr, nullptr, nullptr, nullptr, nullptr, translate, 0, LOCKSTEP_GLSL};

extern "C" LOCKSTEP_EXPORT const lockstep_subject *lockstep_subject_v1(void) { return &SUBJECT; }
