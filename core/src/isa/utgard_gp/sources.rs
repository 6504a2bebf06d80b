//! The sources and evidence tags that facts about Utgard GP cite.

use crate::isa::source::sources;

sources! {
    "SEED" "Utgard GP", "github.com/cwabbott0/mali-isa-docs, Utgard-GP.md", "the layout of words, names of fields";
    "M" "The lima driver of Mesa", "gitlab.freedesktop.org/mesa/mesa, src/gallium/drivers/lima, 22.3.6 to 24.3", "encodings, latencies, and output of a driver that passes conformance tests";
    "L" "lima_compiler", "github.com/cwabbott0/lima_compiler, src/lima", "a second compiler, assembler and decompiler, of 2014";
    "W" "Vertex Disassembly", "limadriver.org", "a listing of the vendor compiler's output";
    "D" "Dump of compiled code", "github.com/limadriver/lima, premali/dumped_stream.c", "words of the vendor's compiler";
    "I94" "Issue 94 of lima", "gitlab.freedesktop.org/lima/mesa, issue 94", "observed behaviour of the complex unit and of subnormals";
    "C" "Checked by machine", "138 compiled programs, of which the 104 without branches gave the results of Mesa's own intermediate form", "evidence that the sources above are consistent";
    "DEF" "the definition of this project", "docs/coverage.md, and the documentation of lockstep_core::value", "numbers: binary32, nearest even, correctly rounded functions";
    "derived" "this project's reading of the documents, not confirmed independently", "stated at each use", "facts with no better source";
}
