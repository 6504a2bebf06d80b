//! The sources and evidence tags that facts about the A2xx cite.

use crate::isa::source::sources;

sources! {
    "SEED" "A2XX Shader Instruction Set Architecture", "github.com/freedreno/freedreno, wiki, 2012", "the shape of programs";
    "fd-hdr" "instr-a2xx.h of freedreno", "github.com/freedreno/freedreno, includes/instr-a2xx.h", "layouts of words, numbers of operations";
    "fd-dis" "Disassembler of freedreno", "github.com/freedreno/freedreno, util/disasm-a2xx.c", "names in listings";
    "fd-asm" "Assembler of freedreno", "github.com/freedreno/freedreno, fdre-a2xx/asm", "assembly syntax";
    "fd-notes" "Notes of freedreno", "github.com/freedreno/freedreno, shaders/NOTES", "words of the vendor's compiler beside their source";
    "mesa" "ir2 and the a2xx driver of Mesa", "gitlab.freedesktop.org/mesa/mesa, src/freedreno/ir2 and src/gallium/drivers/freedreno/a2xx, 22.3.6 and later", "layouts, and what a driver writes";
    "xenia" "Xenia", "github.com/xenia-project/xenia, src/xenia/gpu", "what operations compute on the sibling in the Xbox 360; how games use them";
    "canary" "Xenia Canary", "github.com/xenia-canary/xenia-canary, src/xenia/gpu: shader_interpreter.cc, ucode.h", "an interpreter checked against a console's results; what fetches take, from Microsoft's documents and assemblers";
    "kgsl" "adreno_a2xx.c", "Linux for Qualcomm devices, drivers/gpu/msm", "four programs of the vendor";
    "xdk" "Shaders with the official listing", "github.com/LibXenonProject, snes9x-gx and xmplayer", "words of the official compiler beside its own listing";
    "IPR2015-00325" "The emulator of proceeding IPR2015-00325", "as github.com/xenia-project/xenia quotes it, src/xenia/gpu/ucode.h", "how a few operations are written, where xenia computes them otherwise";
    "R5xx" "Radeon R5xx Acceleration, 8.7.5", "AMD, www.x.org/docs/AMD", "the legacy multiply of the family before";
    "V" "Checked by machine", "the 26 files of xdk, 927 instructions", "layouts, field by field against the official listing";
    "H" "Several independent sources agree", "those named beside it", "good evidence";
    "M" "One good source", "that named beside it", "fair evidence";
    "L" "A guess, or disputed", "those named beside it", "an option where it matters";
    "DEF" "the definition of this project", "docs/coverage.md, and the documentation of lockstep_core::value", "numbers: binary32, nearest even, correctly rounded functions";
    "derived" "this project's reading of the documents, not confirmed independently", "stated at each use", "facts with no better source";
}
