//! Programs written by other people. Each program decodes and survives the round trips through bytes and text. It then has the same results on both
//! engines, or is refused for the reason that `real` lists.

use crate::material;
use crate::real;
use lockstep::corpus::{Content, judge, load_real};
use lockstep_core::isa::IsaId;
use lockstep_core::with_isa;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

/// The seeds of the environments in which each entry of a program is run. By default `lockstep check` uses none of these seeds.
const ENVIRONMENTS: Range<u64> = 4..6;

/// Returns the number of entries of an item.
fn entries(content: &Content) -> u64 {
    let Content::Program { isa, bytes, .. } = content else { return 1 };
    with_isa!(*isa, I => I::decode(bytes).map_or(0, |program| I::entries(&program).len() as u64))
}

fn check_runs(root: &Path, isa: IsaId) {
    let collection = load_real(Some(root), &[isa]);
    let known = real::expected(isa);
    let mut unread: BTreeSet<&str> = known.unread.iter().map(|(end, _)| *end).collect();
    for skip in &collection.skipped {
        let reason = known.unread.iter().find(|(end, _)| skip.name.ends_with(end));
        let Some((end, what)) = reason else { panic!("{isa}: {}: {}", skip.name, skip.reason) };
        eprintln!("{isa}: skipped: {}: {what}", skip.name);
        unread.remove(end);
    }
    assert!(unread.is_empty(), "{isa}: listed as unreadable but missing: {unread:?}");
    let mut unused: BTreeSet<&str> = known.refused.iter().map(|refused| refused.file).collect();
    let (mut run, mut components) = (0, 0);
    for item in &collection.items {
        let file = item.path.file_name().expect("a file").to_string_lossy().into_owned();
        let judgement = judge(item, ENVIRONMENTS);
        assert!(judgement.is_clean(), "{isa} {file}: {:?} {:#?}", judgement.problems, judgement.suspects);
        assert!(judgement.decoded && judgement.bytes && judgement.text, "{isa} {file}: {judgement:?}");
        let expected = known.refused.iter().find(|refused| refused.file == file);
        match (&judgement.refused, expected) {
            (None, None) => {
                // A run in which no lane finishes compares no outputs: loops may take more passes than the fuel allows.
                let runs = (ENVIRONMENTS.end - ENVIRONMENTS.start) * entries(&item.content);
                assert!(
                    judgement.runs + judgement.idle == runs && judgement.compared.components > 0,
                    "{isa} {file}: {judgement:?}"
                );
                run += 1;
                components += judgement.compared.components;
            }
            (Some(given), Some(refused)) => {
                // With the punctuation around it, so that rule 3 is not found in rule 33.
                assert!(
                    given.contains(&format!("({},", refused.rule)),
                    "{isa} {file}: refused, but for another reason: {given}"
                );
                unused.remove(refused.file);
            }
            (Some(given), None) => panic!("{isa} {file} is refused: {given}"),
            (None, Some(refused)) => panic!("{isa} {file} is listed as {} and runs", refused.reason),
        }
    }
    assert!(unused.is_empty(), "{isa}: listed as refused but missing: {unused:?}");
    let refused = known.refused.len();
    println!("{isa}: {run} programs run, {components} components compared, {refused} refused");
    assert!(run > 0, "{isa}: no real program runs");
}

#[test]
fn engines_agree_on_real_programs_or_refuse_them_for_a_known_reason() {
    for &isa in IsaId::ALL {
        let Some(folder) = material::material(&isa.folder()) else { continue };
        check_runs(folder.parent().expect("a folder of a folder"), isa);
    }
}
