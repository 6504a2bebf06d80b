/* Stubs for functions of vkd3d that reading bytecode never calls, and that would need generated sources. */
#include <stdlib.h>

const char *const vkd3d_dbg_env_name = "VKD3D_SHADER_DEBUG";

#define NEVER(name) \
    int name(void) { abort(); }
NEVER(hlsl_compile_shader)
NEVER(preproc_lexer_parse)
NEVER(spirv_compiler_create)
NEVER(spirv_compiler_destroy)
NEVER(spirv_compiler_generate_spirv)
NEVER(spirv_compiler_handle_instruction)
