//! The sources of the facts about the PICA200.

use crate::isa::source::sources;

sources! {
    "SEED" "GPU/Shader Instruction Set, draft of 2014", "3dbrew.org, first revisions of the page", "layout of words and descriptors";
    "S1" "GPU/Shader Instruction Set", "3dbrew.org; revisions are cited by number", "all facts, and console tests where the page states them";
    "S2" "SHBIN, and GPU/Internal Registers", "3dbrew.org", "the container; registers around the shader units";
    "S3" "Azahar, and Citra before it", "github.com/azahar-emu/azahar, src/video_core and its tests at a2d16d4", "behaviour of an emulator that runs games";
    "S4" "nihstro", "github.com/neobrain/nihstro, include/nihstro at f4d8659", "layouts of words and container";
    "S5" "picasso", "github.com/devkitPro/picasso at d522455, with its manual", "assembly syntax, instruction words that an assembler emits";
    "S6" "libctru", "github.com/devkitPro/libctru, libctru/source/gpu at 516e3a0", "how programs are loaded on the console";
    "S7" "Panda3DS", "github.com/wheremyfoodat/Panda3DS, src/core/PICA and tests at 4563584", "behaviour of an emulator that runs games; LITP on a console";
    "S8" "Tanuki3DS", "github.com/burhanr13/Tanuki3DS, src/video/shader.c at a8b7b94", "an independent implementation";
    "S9" "Tests on consoles", "github.com/aroulin/3ds-gpu-tests at 2d3847b", "console results: numbers, mova, rcp, rsq, ex2, lg2, dph, sge, slt";
    "S10" "Mikage", "github.com/mikage-emu/mikage-dev, source/video_core at 3e1952b", "a further implementation";
    "S11" "aemstro", "github.com/smealum/aemstro at 51bfeef", "an early assembler's names and words";
    "S12" "Examples for the 3DS", "github.com/devkitPro/3ds-examples at a9aaa0c", "examples of real programs";
    "citra" "Citra's issues and changes", "github.com/citra-emu/citra, by number", "behaviour seen in games";
    "azahar" "Azahar's issues and changes", "github.com/azahar-emu/azahar, by number", "behaviour seen in games";
    "HW" "A test on a console", "the source cited next to it", "observed hardware behaviour";
    "REF" "Reference code or a page, without a console test", "the source cited next to it", "probable behaviour";
    "MEAS" "Measured on four engines", "interpreter and JIT of Azahar and of Panda3DS, run on the same words", "behaviour of emulators, not of the console";
    "DEF" "the definition of this project", "docs/coverage.md, and the documentation of lockstep_core::value", "numbers: f24 computed as binary32 with rounded results, correctly rounded functions";
    "derived" "this project's reading of the documents, not confirmed independently", "stated at each use", "facts with no better source";
}
