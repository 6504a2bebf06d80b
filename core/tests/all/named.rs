//! The sources of the reference and of the lowering contain the name of every operation that [`UNNAMED`] does not list. If an operation were only in
//! the opcode table, the last arm of some `match` could run it in both, with the same wrong result, and every proof would still hold.

use lockstep_core::isa::IsaId;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The operations that a module (`reference` or `lower`) does not name, with the property that selects their code instead. An operation that the
/// module does name must be removed here.
const UNNAMED: &[(IsaId, &str, &str, &str)] = &[
    (
        IsaId::A2xx,
        "reference",
        "Nop ExecEnd CondExec CondExecEnd CondPredExec CondPredExecEnd CondJmp CondExecPredClean CondExecPredCleanEnd MarkVsFetchDone",
        "the kind of the clause, and the table's predicates: is_exec, is_end, tests_bool, tests_predicate",
    ),
    (
        IsaId::A2xx,
        "lower",
        "Nop CondExec CondExecEnd CondPredExec CondPredExecEnd CondJmp CondExecPredClean CondExecPredCleanEnd MarkVsFetchDone",
        "the kind of the clause, and the table's predicates",
    ),
    (IsaId::Agal, "lower", "M33 M44 M34 Kil Tex Ted", "the shape in the table"),
    (
        IsaId::D3d9,
        "lower",
        "Nop Def Defi Defb",
        "the kind in the table: an operation without a result is not run",
    ),
    (IsaId::D3d9, "lower", "Texreg2rgb", "the general case of texture reads"),
    (
        IsaId::Pica200,
        "lower",
        "Nop",
        "the format in the table: an operation without a descriptor and a target is not run",
    ),
    (IsaId::UtgardGp, "reference", "SetAddr01 SetAddr0 SetAddr1 SetAddr2 SetAddr3", "Word::address_set"),
    (IsaId::UtgardGp, "lower", "SetAddr01 SetAddr0 SetAddr1 SetAddr2 SetAddr3", "Word::address_set"),
];

/// Returns the source text of a module without comments, strings and tests.
fn code(module: &Path) -> String {
    let mut files: Vec<PathBuf> =
        fs::read_dir(module).into_iter().flatten().map(|e| e.expect("a file").path()).collect();
    files.push(module.with_extension("rs"));
    let texts = files.iter().filter(|file| file.extension().is_some_and(|e| e == "rs")).map(|file| {
        let text = fs::read_to_string(file).expect("a source file");
        let product = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = product.lines().map(|line| line.split("//").next().unwrap_or_default());
        lines.flat_map(|line| line.split('"').step_by(2)).collect::<Vec<_>>().join("\n")
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns the operations in the rows of a table: the lines with one level of indentation that begin with a name and have a mnemonic.
fn operations(table: &str) -> BTreeSet<&str> {
    let rows = table.lines().filter(|line| line.contains('"') && line.ends_with(';'));
    let names = rows.filter_map(|line| line.strip_prefix("    ")?.split_once(' '));
    names.map(|(name, _)| name).filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase())).collect()
}

#[test]
fn every_operation_is_named_in_the_reference_and_in_the_lowering() {
    let mut wrong = Vec::new();
    for &isa in IsaId::ALL {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/isa").join(isa.name());
        let table = fs::read_to_string(folder.join("opcode.rs")).expect("the table of opcodes");
        let all = operations(table.split("#[cfg(test)]").next().unwrap_or_default());
        assert!(all.len() > 20, "{isa} has {} operations", all.len());
        for module in ["reference", "lower"] {
            let code = code(&folder.join(module));
            let words: BTreeSet<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
            let unnamed: BTreeSet<&str> = all.difference(&words).copied().collect();
            let known = UNNAMED.iter().filter(|(of, at, ..)| (*of, *at) == (isa, module));
            let known: BTreeSet<&str> = known.flat_map(|(_, _, names, _)| names.split(' ')).collect();
            wrong.extend(
                unnamed.difference(&known).map(|name| format!("{module} of {isa} does not name {name}")),
            );
            wrong.extend(
                known
                    .difference(&unnamed)
                    .map(|name| format!("{module} of {isa} names {name}, or {name} is no operation")),
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
