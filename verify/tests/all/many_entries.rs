//! Programs with very many entries are judged in bounded time, and the entries that are not run are counted.

use lockstep::corpus::{Content, Item, MAX_WORDS, Strictness, judge};
use lockstep::worst::worst;
use lockstep_core::isa::pica200::Pica200;
use lockstep_core::isa::{Format, IsaId, Syntax};

#[test]
fn some_of_many_entries_are_run_and_the_others_counted() {
    let family = worst(IsaId::Pica200).iter().find(|family| family.name == "many entries").unwrap();
    let program = Pica200::assemble(&(family.text)(150)).unwrap();
    assert_eq!(Pica200::entries(&program).len(), 150);
    assert_eq!(Pica200::entry(&program, 149), Pica200::entries(&program).pop());
    let content = Content::Program { isa: IsaId::Pica200, bytes: Pica200::encode(&program) };
    let run = content.cases(0..1).len();
    assert!(run > 1 && run * program.code.len() <= MAX_WORDS as usize, "{run} entries are run");
    assert_eq!(content.left_out(), 150 - run);
    let item = Item { name: "many".into(), path: "many".into(), content, strictness: Strictness::Foreign };
    let judgement = judge(&item, 0..1);
    assert!(judgement.is_clean() && judgement.runs as usize == run, "{judgement:?}");
    assert!(judgement.refused.unwrap().starts_with(&format!("{} further entries", 150 - run)));
}
