//! The sources and evidence tags that facts about the A2xx cite.

use crate::isa::source::sources;

sources! {
    "SEED" "A2XX Shader Instruction Set Architecture", "github.com/freedreno/freedreno, wiki, 2012", "the structure of programs";
    "fd-hdr" "instr-a2xx.h of freedreno", "github.com/freedreno/freedreno, includes/instr-a2xx.h", "layouts of words, numbers of operations";
    "fd-dis" "Disassembler of freedreno", "github.com/freedreno/freedreno, util/disasm-a2xx.c", "names in listings";
    "fd-asm" "Assembler of freedreno", "github.com/freedreno/freedreno, fdre-a2xx/asm", "assembly syntax";
    "fd-notes" "Notes of freedreno", "github.com/freedreno/freedreno, shaders/NOTES", "words of the vendor's compiler with their source";
    "mesa" "ir2 and the a2xx driver of Mesa", "gitlab.freedesktop.org/mesa/mesa, src/freedreno/ir2 and src/gallium/drivers/freedreno/a2xx, 22.3.6 and later", "layouts, and words that a driver emits";
    "xenia" "Xenia", "github.com/xenia-project/xenia, src/xenia/gpu", "semantics of operations on Xenos in the Xbox 360; how games use them";
    "canary" "Xenia Canary", "github.com/xenia-canary/xenia-canary, src/xenia/gpu: shader_interpreter.cc, ucode.h", "an interpreter checked against a console's results; operands of fetches, from Microsoft's documents and assemblers";
    "kgsl" "adreno_a2xx.c", "Linux for Qualcomm devices, drivers/gpu/msm", "four programs of the vendor";
    "xdk" "Shaders with the official listing", "github.com/LibXenonProject, snes9x-gx and xmplayer", "words of the official compiler with its own listing";
    "IPR2015-00325" "The emulator of proceeding IPR2015-00325", "as github.com/xenia-project/xenia quotes it, src/xenia/gpu/ucode.h", "formulas of a few operations that xenia computes differently";
    "R5xx" "Radeon R5xx Acceleration, 8.7.5", "AMD, www.x.org/docs/AMD", "the legacy multiply of the preceding hardware family";
    "V" "Checked by machine", "the 26 files of xdk, 927 instructions", "layouts, field by field against the official listing";
    "H" "Several independent sources agree", "the sources cited next to it", "good evidence";
    "M" "One good source", "the source cited next to it", "fair evidence";
    "L" "A guess, or disputed", "the sources cited next to it", "facts that are options where they affect results";
    "DEF" "the definition of this project", "docs/coverage.md, and the documentation of lockstep_core::value", "numbers: binary32, nearest even, correctly rounded functions";
    "derived" "this project's reading of the documents, not confirmed independently", "stated at each use", "facts with no better source";
}
