//! The sources of AGAL's facts.

use crate::isa::source::sources;

sources! {
    "SEED" "AGAL bytecode format", "Adobe's description of the byte code for Stage3D", "fields, opcodes and their semantics";
    "GCL" "AGALMiniAssembler, versions 1 and 2", "github.com/thibaultimbert/graphicscorelib, src/com/adobe/utils and extended", "numbers, names, and input that an assembler accepts";
    "MINI3" "AGALMiniAssembler, versions 1 to 3", "github.com/Gamua/Starling-Framework, starling/src/com/adobe/utils", "limits of version 3, tld and iid";
    "ADB" "Adobe's assembler and validator in C++", "github.com/adobe/glsl2agal, agalassembler/agal.cpp and agal.h", "programs that a validator refuses; version 1 only";
    "ERR" "Flash Player run-time errors 3600 to 3805", "Adobe, ActionScript 3.0 reference, Run-Time Errors", "programs that the player refuses, and its error numbers";
    "RUF" "naga-agal, the translator of ruffle", "github.com/ruffle-rs/ruffle, render/naga-agal/src", "how an emulator interprets the documents";
    "RUFT" "Stage3D tests of ruffle", "github.com/ruffle-rs/ruffle, tests/tests/swfs/avm2/stage3d_*", "images and errors recorded from the real player";
    "OFL" "AGALConverter of OpenFL", "github.com/openfl/openfl, src/openfl/display3D/_internal/AGALConverter.hx", "how a translator interprets the documents";
    "AWY" "aglsl of AwayJS", "github.com/awayjs/stage, lib/aglsl", "how a translator interprets the documents";
    "MS" "Reference of the shader assembly languages of Direct3D 9", "Microsoft, github.com/MicrosoftDocs/win32, desktop-src/direct3dhlsl", "results of a back end of Flash where AGAL's documents specify nothing";
    "GLSL" "OpenGL Shading Language and its sibling for ES", "Khronos, registry.khronos.org", "behaviour that a back end of Flash leaves undefined";
    "WGSL" "WebGPU Shading Language", "W3C, www.w3.org/TR/WGSL", "behaviour that a back end of ruffle leaves undefined";
    "IEEE" "IEEE 754-2019", "IEEE Standard for Floating-Point Arithmetic", "arithmetic where no document specifies anything else";
    "DEF" "the definition of this project", "docs/coverage.md, and the documentation of lockstep_core::value", "numbers: binary32, nearest even, correctly rounded functions";
    "derived" "this project's reading of the documents, not confirmed independently", "stated at each use", "facts with no better source";
}
