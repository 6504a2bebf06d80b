//! The sources of the facts about the PICA200.

use crate::isa::source::sources;

sources! {
    "SEED" "GPU/Shader Instruction Set, draft of 2014", "3dbrew.org, first revisions of the page", "layout of words and descriptors";
    "S1" "GPU/Shader Instruction Set", "3dbrew.org; revisions are cited by number", "everything, and what was tested on consoles where it says so";
    "S2" "SHBIN, and GPU/Internal Registers", "3dbrew.org", "the container; registers around the shader units";
    "S3" "Azahar, and Citra before it", "github.com/azahar-emu/azahar, src/video_core and its tests at a2d16d4", "how an emulator runs games";
    "S4" "nihstro", "github.com/neobrain/nihstro, include/nihstro at f4d8659", "layouts of words and container";
    "S5" "picasso", "github.com/devkitPro/picasso at d522455, with its manual", "assembly syntax, words that an assembler writes";
    "S6" "libctru", "github.com/devkitPro/libctru, libctru/source/gpu at 516e3a0", "how programs are loaded";
    "S7" "Panda3DS", "github.com/wheremyfoodat/Panda3DS, src/core/PICA and tests at 4563584", "how an emulator runs games; LITP on a console";
    "S8" "Tanuki3DS", "github.com/burhanr13/Tanuki3DS, src/video/shader.c at a8b7b94", "a third reading";
    "S9" "Tests on consoles", "github.com/aroulin/3ds-gpu-tests at 2d3847b", "what consoles were seen to do: numbers, mova, rcp, rsq, ex2, lg2, dph, sge, slt";
    "S10" "Mikage", "github.com/mikage-emu/mikage-dev, source/video_core at 3e1952b", "a further reading";
    "S11" "aemstro", "github.com/smealum/aemstro at 51bfeef", "an early assembler's names and words";
    "S12" "Examples for the 3DS", "github.com/devkitPro/3ds-examples at a9aaa0c", "what programs look like";
    "citra" "Citra's issues and changes", "github.com/citra-emu/citra, by number", "what games showed";
    "azahar" "Azahar's issues and changes", "github.com/azahar-emu/azahar, by number", "what games showed";
    "HW" "A test on a console", "by the source named beside it", "what the hardware was seen to do";
    "REF" "Reference code or a page, without a console test", "by the source named beside it", "what is likely";
    "MEAS" "Measured on a console", "by the source named beside it", "what the hardware was seen to do";
    "DEF" "the definition of this project", "docs/coverage.md, and the documentation of lockstep_core::value", "numbers: f24 as binary32 with rounded results, correctly rounded functions";
    "derived" "a reading of the documents that no second one confirms", "this table's users say from what", "where nothing better is known";
}
