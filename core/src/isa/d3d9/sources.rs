//! The sources and evidence tags that facts about Direct3D 9 cite.

use crate::isa::source::sources;

sources! {
    "SEED" "Instruction Token", "Microsoft, Windows driver documentation, display devices", "fields of an instruction's first word";
    "MS" "Reference of the shader assembly languages", "Microsoft, github.com/MicrosoftDocs/win32, desktop-src/direct3dhlsl", "registers, instructions, modifiers, flow control, differences between versions";
    "MSTOK" "Shader tokens for drivers", "Microsoft, github.com/MicrosoftDocs/windows-driver-docs, display, and windows-driver-docs-ddi, d3d9types", "layouts of tokens, numbers of opcodes and registers";
    "MSCAPS" "Capabilities", "Microsoft, pages of D3DPS20CAPS, D3DVS20CAPS, D3DPSHADERCAPS2_0, D3DCAPS9, D3DXGetPixelShaderProfile", "features of 2_x that need a capability";
    "MS81" "DirectX 8.1 SDK", "Microsoft, archived pages", "versions before 2";
    "MS02" "DirectX 9.0 SDK of 2002", "Microsoft, archived pages", "first form of version 2";
    "HDR" "d3d9types.h of Wine 8.0", "gitlab.winehq.org/wine/wine, include/d3d9types.h", "numbers of opcodes, registers and modifiers";
    "WINE" "wined3d of Wine 8.0", "gitlab.winehq.org/wine/wine, dlls/wined3d/shader_sm1.c and glsl_shader.c", "how a widely used translator interprets byte code";
    "WTEST" "Tests of Wine", "gitlab.winehq.org/wine/wine, dlls/d3d9/tests and dlls/d3d8/tests", "observed behaviour of real Windows drivers";
    "WASM" "Assembler of Wine and its tests", "gitlab.winehq.org/wine/wine, dlls/d3dcompiler_43", "input that the native assembler was observed to accept";
    "VKD" "vkd3d-shader 1.6", "gitlab.winehq.org/wine/vkd3d, libs/vkd3d-shader/d3dbc.c", "an independent decoder of the token stream";
    "DXSO" "DXSO of DXVK", "github.com/doitsujin/dxvk, src/dxso at 0d72ff05", "how a translator used by games interprets byte code";
    "MOJO" "MojoShader", "github.com/icculus/mojoshader at 6333f74d", "how a translator used by ports of games interprets byte code; its messages";
    "9ON12" "D3D9On12", "github.com/microsoft/D3D9On12, ShaderConverter/ShaderConv/context.cpp at 0e4a97fb", "Microsoft's own translator";
    "NINE" "Gallium Nine", "github.com/iXit/Mesa-3D, src/gallium/state_trackers/nine/nine_shader.c", "how a native driver interprets byte code";
    "FNA" "FNA and its fork of MojoShader", "github.com/FNA-XNA, issues by number", "contents of compiled games";
    "CORP" "Shaders of games and samples, counted", "public repositories", "output of compilers";
    "DEF" "the definition of this project", "docs/coverage.md, and the documentation of lockstep_core::value", "numbers: binary32, nearest even, correctly rounded functions";
    "derived" "this project's reading of the documents, not confirmed independently", "stated at each use", "facts with no better source";
}
