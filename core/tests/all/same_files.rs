//! The folders of instruction sets, of their generators and of their tests have the same files with the same jobs. These tables list the files. A
//! test fails if a file is in no table, or if a listed file is missing.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The instruction sets with a folder, as their rows name them.
const SETS: [&str; 5] = ["agal", "d3d9", "pica200", "a2xx", "utgard_gp"];

/// Some instruction sets, the files that only these sets have, and the property of the sets that is the reason.
type Row = (&'static [&'static str], &'static [&'static str], &'static str);

/// A folder that contains a folder for each instruction set, the files that every set has there, and the files that some sets have.
type Tree = (&'static str, &'static [&'static str], &'static [Row]);

const TREES: [Tree; 3] = [
    ("src/isa", EVERY, SOME),
    ("../verify/src/generate", EVERY_GENERATOR, SOME_GENERATORS),
    ("tests/all", EVERY_TEST, SOME_TESTS),
];

/// Files that every instruction set has, without `.rs`.
const EVERY: &[&str] = &[
    "assemble",
    "assemble/operands",
    "decode",
    "disassemble",
    "edit",
    "encode",
    "facets",
    "facets/context",
    "facets/infeasible",
    "facets/operands",
    "facets/scenarios",
    "interface",
    "lower",
    "lower/outline",
    "manual",
    "manual/notes",
    "names",
    "opcode",
    "options",
    "program",
    "reference",
    "refinement",
    "rules",
    "sources",
    "validate",
    "variables",
    "word",
];

/// Files that only some instruction sets have: the sets, the files, and the property of the sets that is the reason.
const SOME: &[Row] = &[
    // Files and their text.
    (&["pica200", "a2xx", "utgard_gp"], &["container"], "words come in a file with a header"),
    (&["d3d9"], &["ctab"], "compilers write a constant table into comments"),
    (
        &["pica200"],
        &["decode/shbin"],
        "SHBIN's tables refer to each other, and all are checked before any is read",
    ),
    (
        &["agal", "utgard_gp"],
        &["import"],
        "programs also come in formats that are not preserved: lists of bytes, MBS",
    ),
    (
        &["utgard_gp"],
        &["annotations", "facts"],
        "words contain neither their number nor the values of uniforms: a compiler states them",
    ),
    (&["d3d9", "pica200"], &["labels"], "files name inputs and constants"),
    (
        &["d3d9", "a2xx", "utgard_gp"],
        &["assemble/listing"],
        "other tools print listings with raw words or syntax of their own",
    ),
    (&["agal", "d3d9", "pica200"], &["assemble/instruction"], "a line is one instruction with one operation"),
    (
        &["a2xx"],
        &["assemble/alu", "assemble/clause", "assemble/fetch", "assemble/shader"],
        "clauses and slots are separate kinds of lines, and clauses name slots",
    ),
    (
        &["utgard_gp"],
        &["assemble/draft", "assemble/item", "assemble/unit", "assemble/expand", "macros"],
        "a statement sets fields of six units of one word, or expands to words",
    ),
    (&["d3d9", "pica200", "a2xx"], &["assemble/line"], "a line has more parts than one lexer pass separates"),
    (&["d3d9"], &["assemble/immediates"], "instructions define constants"),
    (
        &["pica200"],
        &["assemble/descriptor", "assemble/flow", "assemble/link", "assemble/parts", "assemble/source"],
        "several sources are linked into one container, and share descriptors",
    ),
    // Tables.
    (&["agal", "d3d9", "pica200"], &["registers"], "register files have names of their own"),
    (&["agal", "d3d9", "a2xx"], &["limits"], "counts of registers depend on version or stage"),
    (
        &["d3d9"],
        &["modifier", "profile", "slots"],
        "seventeen versions, source modifiers by version, and costs of opcodes",
    ),
    (&["a2xx"], &["format", "program/vertex"], "fetches name formats of memory"),
    (&["pica200"], &["number"], "numbers are f24"),
    (&["utgard_gp"], &["source", "units", "vocabulary"], "operands name results of units by position"),
    (&["agal", "d3d9", "pica200"], &["reads"], "what an instruction reads follows from its operands alone"),
    (
        &["a2xx", "utgard_gp"],
        &["direct_effects"],
        "several operations share a word, and a coverage point belongs to one of them",
    ),
    // Rules.
    (&["a2xx"], &["flow"], "clauses are the control flow"),
    (
        &["pica200"],
        &["validate/scopes", "validate/unwritten"],
        "scopes end at addresses, so that control flow has to be followed",
    ),
    (
        &["d3d9"],
        &[
            "validate/components",
            "validate/declared",
            "validate/early",
            "validate/flow",
            "validate/modifiers",
            "validate/outputs",
            "validate/ports",
            "validate/registers",
            "validate/size",
        ],
        "a vendor's validator with 75 rules",
    ),
    (
        &["utgard_gp"],
        &["hazards", "hazards/flow", "hazards/values"],
        "results are valid for two words, and stores take effect later",
    ),
    // Facets.
    (
        &["agal", "d3d9", "pica200", "a2xx"],
        &["facets/site"],
        "an instruction is a site; Utgard GP's sites are units",
    ),
    (
        &["utgard_gp"],
        &["facets/units", "facets/branches", "facets/feed", "facets/functions", "facets/stores"],
        "units, stores and branches of one word",
    ),
    (&["agal", "d3d9", "pica200"], &["facets/overlap"], "a source may be the register that is written"),
    (&["d3d9", "pica200", "a2xx"], &["facets/results"], "results have modifiers or files to choose from"),
    (&["d3d9", "pica200"], &["facets/conditions"], "instructions run under conditions"),
    (&["agal", "pica200", "a2xx"], &["facets/stage"], "stages differ in what an instruction may name"),
    (&["agal"], &["facets/index", "facets/sampler"], "indexed reads and samplers are operands"),
    (
        &["d3d9"],
        &["facets/kinds", "facets/mutated", "facets/texture"],
        "texture instructions by version, and too many contexts to mutate all",
    ),
    (
        &["pica200"],
        &["facets/flow", "facets/vertices"],
        "control flow names addresses, and geometry units emit vertices",
    ),
    (
        &["a2xx"],
        &["facets/clauses", "facets/components", "facets/draft", "facets/fetches"],
        "clauses, scalar halves, fetches",
    ),
    // Edits.
    (&["agal", "utgard_gp"], &["edit/excerpt"], "an excerpt needs new inputs or outputs to run"),
    (
        &["agal", "d3d9", "pica200", "a2xx"],
        &["edit/forward", "edit/redirect"],
        "an instruction names the register of its result; a word of the geometry processor does not",
    ),
    (&["pica200", "a2xx"], &["edit/strip"], "a file contains more than the entry's code"),
    (&["pica200"], &["edit/rows", "edit/shift"], "descriptors are shared, and addresses follow insertions"),
    // The reference.
    (
        &["agal", "d3d9", "pica200", "a2xx"],
        &["reference/arithmetic", "reference/flow"],
        "operations and control flow fill a file each",
    ),
    (
        &["agal", "d3d9", "pica200"],
        &["reference/operands"],
        "operands have swizzles, modifiers or indices; those of the others are read by their units",
    ),
    (&["d3d9", "pica200"], &["reference/stack"], "there are stacks of fixed size"),
    (&["agal", "d3d9", "a2xx"], &["reference/texture"], "textures are read"),
    (
        &["d3d9"],
        &["reference/results", "reference/special"],
        "result modifiers and predicates, and opcodes with formulas of their own",
    ),
    (&["a2xx", "utgard_gp"], &["reference/alu"], "a word contains several operations"),
    (
        &["a2xx"],
        &["reference/fetch", "reference/scalar", "reference/vector"],
        "ALU slots have a vector and a scalar half",
    ),
    (
        &["utgard_gp"],
        &["reference/memory", "reference/outputs", "reference/unit_results"],
        "results live for two words, stores are delayed, and outputs are transformed at the end",
    ),
    // The lowering.
    (
        &["agal", "d3d9", "pica200", "a2xx"],
        &["lower/arithmetic", "lower/successors"],
        "operations and control flow fill a file each",
    ),
    (&["pica200", "a2xx"], &["lower/fallback"], "the fallback keeps stacks in variables"),
    (
        &["agal", "d3d9", "a2xx"],
        &["lower/operands", "lower/texture"],
        "operands have swizzles or modifiers, and textures are read",
    ),
    (
        &["d3d9"],
        &["lower/results", "lower/special"],
        "result modifiers and predicates, and opcodes with formulas of their own",
    ),
    (&["a2xx", "utgard_gp"], &["lower/alu"], "a word contains several operations"),
    (
        &["a2xx"],
        &["lower/fetch", "lower/scalar", "lower/vector"],
        "ALU slots have a vector and a scalar half",
    ),
    (&["utgard_gp"], &["lower/kinds", "lower/stores"], "results live for two words, and stores are delayed"),
];

/// Files of every generator.
const EVERY_GENERATOR: &[&str] = &["invalidate", "mod"];

/// Files of some generators, with the reason.
const SOME_GENERATORS: &[Row] = &[
    (
        &["agal", "d3d9", "pica200", "a2xx"],
        &["body", "drain", "range", "source"],
        "programs are built forwards, with the ranges of register values; outputs use what is unread at the end",
    ),
    (&["agal", "d3d9", "pica200"], &["build"], "programs are built one instruction at a time"),
    (&["d3d9", "pica200", "a2xx"], &["flow"], "programs have loops and calls"),
    (&["pica200", "a2xx"], &["link"], "procedures and clauses are placed when all are known"),
    (
        &["utgard_gp"],
        &["request"],
        "programs are built backwards, so values are requested before they are computed",
    ),
    (&["a2xx"], &["weights"], "most fields of its fetches are independent choices"),
    (&["a2xx"], &["never_together"], "an ALU slot can have empty masks"),
    (&["a2xx", "utgard_gp"], &["splice"], "units of one word compete for its fields"),
    (&["agal"], &["sampler"], "samplers are operands"),
    (&["d3d9"], &["early", "setup"], "texture instructions of ps_1_x and declarations come first"),
    (&["pica200"], &["geometry"], "geometry programs emit vertices"),
    (&["a2xx"], &["alu", "branch", "fetch", "operands"], "clauses run slots of three kinds"),
    (
        &["utgard_gp"],
        &["backward", "function", "pending", "plan", "shape", "stores", "units"],
        "programs are scheduled backwards, since operands name earlier results",
    ),
];

/// Files of the tests of every instruction set.
const EVERY_TEST: &[&str] = &["edits", "facets", "flow", "mod", "rules", "text"];

/// Files of the tests of some, with the reason.
const SOME_TESTS: &[Row] = &[
    (
        &["d3d9", "pica200", "a2xx", "utgard_gp"],
        &["bytes", "corpus", "golden", "random"],
        "AGAL's bytes are tested with its text, and no other tool prints listings of it",
    ),
    (&["d3d9", "a2xx"], &["listings"], "other tools' listings assemble"),
    (&["a2xx", "utgard_gp"], &["direct_effects"], "several operations share a word"),
    (&["pica200", "a2xx"], &["hostile"], "containers have tables of offsets"),
    (&["agal"], &["player"], "a player's verdicts are known"),
    (
        &["d3d9"],
        &["interface", "own", "stages", "translator"],
        "versions differ in what they read, and a translator's runs state it",
    ),
    (&["pica200"], &["encodings", "operands", "picasso"], "an assembler's files are known"),
    (&["a2xx"], &["official", "seed"], "a vendor's listings and a wiki's examples are known"),
];

/// Collects the source files below a folder, relative to it and without `.rs`.
fn files(folder: &Path, below: &str, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        if path.is_dir() {
            files(&path, &format!("{below}{name}/"), found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.insert(format!("{below}{name}"));
        }
    }
}

/// Returns the files that the tables list for an instruction set.
fn listed((_, every, some): Tree, set: &str) -> BTreeSet<String> {
    let some = some.iter().filter(|(sets, ..)| sets.contains(&set)).flat_map(|(_, files, _)| *files);
    every.iter().chain(some).map(|file| (*file).to_owned()).collect()
}

#[test]
fn every_instruction_set_has_the_listed_files() {
    for tree in TREES {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(tree.0);
        for set in SETS {
            let mut found = BTreeSet::new();
            files(&root.join(set), "", &mut found);
            let listed = listed(tree, set);
            let unlisted: Vec<_> = found.difference(&listed).collect();
            let missing: Vec<_> = listed.difference(&found).collect();
            assert!(
                unlisted.is_empty() && missing.is_empty(),
                "{}/{set}: files with the same job must have the same name and be listed. Not listed: {unlisted:?}; \
                 missing: {missing:?}",
                tree.0
            );
        }
    }
}

#[test]
fn each_file_is_listed_once() {
    for (root, every, some) in TREES {
        let mut seen: BTreeSet<&str> = every.iter().copied().collect();
        assert_eq!(seen.len(), every.len(), "{root}");
        for (sets, files, why) in some {
            let is_some = sets.len() < SETS.len() && sets.iter().all(|set| SETS.contains(set));
            assert!(!why.is_empty() && is_some, "{root}: {files:?}");
            for file in *files {
                assert!(seen.insert(file), "{root}: {file} is listed twice");
            }
        }
    }
}
