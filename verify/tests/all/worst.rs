//! The families of stress programs have the properties that their names state, and their programs have the requested sizes.

use lockstep::case::Case;
use lockstep::generate::Generate;
use lockstep::worst::worst;
use lockstep_core::host::Environment;
use lockstep_core::isa::IsaId;
use lockstep_core::with_isa;

/// The expected properties of a family.
struct FamilyProperties {
    isa: IsaId,
    family: &'static str,
    /// Words of the listing, each with the number of lines with this word that ten more repetitions add.
    lines_added: &'static [(&'static str, usize)],
    /// The words that open and close blocks in the listing, and how much deeper the blocks nest with ten more repetitions.
    deep: Option<(&'static str, &'static str, usize)>,
    /// Whether a program of twelve repetitions is legal.
    legal: bool,
}

/// Returns a row of the table of families.
const fn row(
    isa: IsaId,
    family: &'static str,
    lines_added: &'static [(&'static str, usize)],
    legal: bool,
) -> FamilyProperties {
    FamilyProperties { isa, family, lines_added, deep: None, legal }
}

impl FamilyProperties {
    const fn deep(self, opens: &'static str, closes: &'static str, more: usize) -> FamilyProperties {
        FamilyProperties { deep: Some((opens, closes, more)), ..self }
    }
}

use IsaId::{A2xx, Agal, D3d9, Pica200, UtgardGp};

const FAMILIES: &[FamilyProperties] = &[
    row(Agal, "straight line", &[("add", 10)], true),
    row(Agal, "nested conditions", &[("ifl", 10), ("eif", 10)], true).deep("ifl", "eif", 10),
    row(Agal, "nested conditions, two branches", &[("ifg", 10), ("els", 10), ("eif", 10)], true)
        .deep("ifg", "eif", 10),
    row(Agal, "conditions in a row", &[("ine", 10), ("els", 10), ("add", 20)], true).deep("ine", "eif", 0),
    row(Agal, "indirect constants", &[("add", 10), ("vc[va0.x", 10)], true),
    row(Agal, "texture reads", &[("tex", 10)], true),
    row(Agal, "broken lines", &[(".token", 10)], false),
    row(Pica200, "straight line", &[("add", 10)], true),
    row(Pica200, "vertex program", &[("add", 10)], true),
    row(Pica200, "conditions eight deep, again and again", &[("ifu", 80)], true),
    row(Pica200, "conditions in a row", &[("cmp", 10), ("ifc", 10), ("add", 20)], true),
    row(Pica200, "loops in a row", &[("for", 10), ("add", 10)], true),
    row(Pica200, "loops four deep, again and again", &[("for", 40)], true),
    row(Pica200, "calls of one range", &[("call", 10)], true),
    row(Pica200, "calls four deep", &[("call", 40), ("add", 10)], true),
    row(Pica200, "overlapping ranges", &[("callc", 10), ("cmp", 10)], true),
    row(Pica200, "jumps on conditions", &[("jmpu", 10), ("add", 10)], true),
    row(Pica200, "emitted vertices", &[("setemit", 10), ("emit", 10)], true),
    row(Pica200, "many entries", &[("add", 10), ("end", 10), (".dvle", 10)], true),
    row(UtgardGp, "straight line", &[("mul[0].mul", 10)], true),
    row(UtgardGp, "no operations", &[("nop", 10)], true),
    row(UtgardGp, "forward branches", &[("branch", 10), ("nop", 10)], true),
    row(UtgardGp, "backward branches", &[("branch", 10), ("nop", 10)], true),
    row(UtgardGp, "branches everywhere", &[("branch", 10)], true),
    row(UtgardGp, "stores", &[("].register(", 10)], true),
    row(UtgardGp, "temporaries", &[("].temporary(", 10)], true),
    row(A2xx, "straight line", &[("ADDv", 10)], true),
    row(A2xx, "clauses of one slot", &[("EXEC", 10), ("ADDv", 10)], true),
    row(A2xx, "clauses that share slots", &[("EXEC", 10)], true),
    row(A2xx, "clauses on conditions", &[("COND_EXEC", 10), ("ADDv", 10)], true),
    row(A2xx, "clauses without slots", &[("NOP", 10)], true),
    row(A2xx, "jumps on conditions", &[("COND_JMP", 10), ("EXEC", 10)], true),
    row(A2xx, "loops in a row", &[("LOOP_START", 10), ("LOOP_END", 10)], true).deep(
        "LOOP_START",
        "LOOP_END",
        0,
    ),
    row(A2xx, "loops three deep, again and again", &[("LOOP_START", 30), ("LOOP_END", 30)], true).deep(
        "LOOP_START",
        "LOOP_END",
        0,
    ),
    row(A2xx, "calls of one procedure", &[("COND_CALL", 10)], true),
    row(A2xx, "calls four deep", &[("COND_CALL", 40)], true),
    row(A2xx, "calls four deep of a fragment", &[("COND_CALL", 40)], true),
    row(A2xx, "vertex fetches", &[("VERTEX", 10)], true),
    row(A2xx, "fetches that reuse the previous address", &[("VERTEX", 10), ("MINI_FETCH", 5)], true),
    row(A2xx, "texture fetches", &[("SAMPLE", 10)], true),
    row(A2xx, "exports", &[("export0", 10)], true),
    row(A2xx, "clauses that overlap", &[("EXEC", 10), ("ADDv", 10)], true),
    row(A2xx, "many shaders", &[(".shader", 10), ("EXEC_END", 10)], true),
    row(D3d9, "straight line", &[("add", 10)], true),
    row(D3d9, "no operations", &[("nop", 10)], true),
    row(D3d9, "nested conditions", &[("if", 10), ("endif", 10)], true).deep("if", "endif", 10),
    row(D3d9, "nested conditions, two branches", &[("if_lt", 10), ("else", 10)], true)
        .deep("if_lt", "endif", 10),
    row(D3d9, "conditions in a row", &[("if_lt", 10), ("else", 10)], true).deep("if_lt", "endif", 0),
    row(D3d9, "loops in a row", &[("rep", 10), ("endrep", 10)], true).deep("rep", "endrep", 0),
    row(D3d9, "nested loops", &[("rep", 10), ("endrep", 10)], false).deep("rep", "endrep", 10),
    row(D3d9, "loops four deep, again and again", &[("add", 10)], true).deep("loop", "endloop", 0),
    row(D3d9, "matrices by index, loops four deep", &[("m4x4", 10)], true).deep("loop", "endloop", 0),
    row(D3d9, "breaks of one loop", &[("break_lt", 10)], true),
    row(D3d9, "calls of one subroutine", &[("call", 10)], true),
    row(D3d9, "many subroutines", &[("call", 10), ("label", 10), ("ret", 10)], true),
    row(D3d9, "calls four deep", &[("call", 40), ("add", 10)], true),
    row(D3d9, "texture reads", &[("texld", 10)], true),
    row(D3d9, "declarations", &[("dcl_2d", 10)], true),
    row(D3d9, "definitions", &[("def", 10)], true),
    row(D3d9, "constants by index", &[("c[a0.x]", 10)], true),
];

/// Whether a line of a listing has a word. Words with punctuation may also be a part of an operand.
fn has(line: &str, word: &str) -> bool {
    let line = line.trim_start_matches("(S)");
    line.split([' ', '\t', ',', ';', '(']).any(|part| part.trim_start_matches("(S)") == word)
        || !word.chars().all(|c| c.is_alphanumeric() || c == '_') && line.contains(word)
}

/// Returns the number of lines of a listing with a word.
fn lines(text: &str, word: &str) -> usize {
    text.lines().filter(|line| has(line, word)).count()
}

/// Returns the maximum nesting depth of blocks in a listing.
fn depth(text: &str, opens: &str, closes: &str) -> usize {
    let (mut now, mut most) = (0usize, 0);
    for line in text.lines() {
        if has(line, opens) {
            now += 1;
        } else if has(line, closes) {
            now -= 1;
        }
        most = most.max(now);
    }
    assert_eq!(now, 0, "{opens} without {closes}");
    most
}

fn check_family<I: Generate>(expected: &FamilyProperties, wrong: &mut Vec<String>) {
    let family = worst(I::ID).iter().find(|family| family.name == expected.family).unwrap();
    let mut say = |what: String| wrong.push(format!("{}, {}: {what}", expected.isa, expected.family));
    for times in [12, 22] {
        if let Err(errors) = I::assemble(&(family.text)(times)) {
            return say(format!("{times} repetitions are no program: {}", errors[0]));
        }
    }
    let program = |times: usize| I::assemble(&(family.text)(times)).unwrap();
    let [few, many] = [12, 22].map(|times| I::disassemble(&program(times)));
    for (word, lines_more) in expected.lines_added {
        let more = lines(&many, word) - lines(&few, word);
        if more != *lines_more {
            say(format!("ten more repetitions add {more} lines with '{word}', not {lines_more}"));
        }
    }
    if let Some((opens, closes, more)) = expected.deep {
        let deeper = depth(&many, opens, closes) - depth(&few, opens, closes);
        if deeper != more {
            say(format!("ten more repetitions nest {deeper} deeper, not {more}"));
        }
    }
    let case = Case::new::<I>(&program(12), Environment::default());
    if case.resolve::<I>().unwrap().is_legal() != expected.legal {
        say(format!("legal: {}", !expected.legal));
    }
    let mut sizes = 0;
    for size in [1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16] {
        let Some(program) = family.program::<I>(size) else { continue };
        let bytes = I::encode(&program);
        if bytes.len() > size || bytes.len() + size / 16 < size {
            say(format!("{} bytes of {size}", bytes.len()));
        }
        if I::decode(&bytes).ok().as_ref() != Some(&program) {
            say(format!("at {size} bytes it does not round-trip"));
        }
        sizes += 1;
    }
    if sizes == 0 {
        say("the family has no program of any size".to_owned());
    }
}

#[test]
fn families_have_their_stated_properties_at_each_size() {
    let mut all = Vec::new();
    for expected in FAMILIES {
        with_isa!(expected.isa, I => check_family::<I>(expected, &mut all));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
    for &isa in IsaId::ALL {
        for family in worst(isa) {
            let rows = FAMILIES
                .iter()
                .filter(|expected| expected.isa == isa && expected.family == family.name)
                .count();
            assert_eq!(rows, 1, "{isa}, {}", family.name);
        }
    }
}

#[test]
fn families_are_distinct() {
    for &isa in IsaId::ALL {
        let texts: Vec<String> = worst(isa).iter().map(|family| (family.text)(12)).collect();
        for (k, text) in texts.iter().enumerate() {
            let same = texts[..k].iter().position(|other| other == text);
            assert_eq!(same, None, "{isa}: {} and another", worst(isa)[k].name);
        }
    }
}
