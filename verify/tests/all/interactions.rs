//! Covering arrays: each pair of modifiers that can be combined is combined in a program whose steps are proved. Nearly all pairs are combined in a
//! live instruction, too, and the others are listed except for A2xx. Most interactions of two or three modifiers that are live in other generated
//! programs are live in the covering arrays, too.

use lockstep::case::Case;
use lockstep::corpus::{Content, environment_from_seed, load_own, own_corpora};
use lockstep::coverage::{Interaction, Interactions};
use lockstep::generate::{Entropy, Generate, ProgramRequest, covering, never_together, together};
use lockstep_core::isa::facet::{points, rule_instances};
use lockstep_core::isa::{Context, Format, IsaId, Options, Syntax, Tables};
use lockstep_core::with_isa;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Seeds of programs that are independent of the covering arrays.
const OTHERS: std::ops::Range<u64> = 1_000_000..1_000_120;
/// The approximate number of instructions of each program of [`OTHERS`].
const SIZE: usize = 32;
/// The minimum percentage of the interactions live in the programs of [`OTHERS`] that must be live in the covering arrays, too.
const SHARE: usize = 98;
/// The list of pairs that can be combined but are combined in no live instruction of the covering arrays, each with the reason. Proofs do not depend
/// on whether an instruction is live.
const DEAD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/interactions/dead.toml");
/// The minimum percentage of the pairs that can be combined that must be live for A2xx. [`DEAD`] does not list the other pairs of A2xx.
const LIVE: usize = 97;
/// Sets of modifiers that must be combined in some live instruction. For each set, `verify/selftest/faults` plants a fault in the lowering that
/// changes results only where all modifiers of the set are combined.
const MUST_MEET: &[(IsaId, &[&str])] = &[
    (IsaId::Agal, &["a.index.component=z", "a.index=attribute", "mask=w"]),
    (IsaId::Pica200, &["a.sign=negative", "a.swizzle=permuted", "index=a0.y"]),
    (IsaId::UtgardGp, &["offset=2", "sign=result", "unit=mul1"]),
    (IsaId::A2xx, &["clamp=on", "dest=relative", "predicate=true"]),
    (IsaId::D3d9, &["dest.index=loop", "predicate=plain", "result=sat"]),
];

/// Returns the modifiers that programs contain, and the pairs of them that one word has for one opcode.
fn shown<'a, I: Generate>(programs: impl Iterator<Item = &'a Vec<u8>>) -> BTreeSet<Interaction> {
    let mut shown = BTreeSet::new();
    let options = Options::new(I::option_specs());
    for bytes in programs {
        let Ok(program) = I::decode(bytes) else { continue };
        for entry in I::entries(&program) {
            let cx: Context<'_, I> = Context { program: &program, entry: &entry, options: &options };
            for word in 0..I::instruction_count(&cx) {
                let points = I::facets().points(&program, word);
                for (k, a) in points.iter().enumerate() {
                    shown.insert(vec![a.modifier.clone()]);
                    for b in points[k + 1..].iter().filter(|b| b.opcode == a.opcode) {
                        let mut pair = vec![a.modifier.clone(), b.modifier.clone()];
                        pair.sort();
                        shown.insert(pair);
                    }
                }
            }
        }
    }
    shown
}

/// Returns the interactions that are live in programs. This takes many runs of each program.
fn live<'a, I: Generate>(programs: impl Iterator<Item = &'a Vec<u8>>) -> BTreeSet<Interaction> {
    let mut live = Interactions::<I>::new();
    for bytes in programs {
        // `check` runs covering arrays in the same environment.
        let program = Content::Program { isa: I::ID, bytes: bytes.clone() };
        program.cases(0..1).iter().for_each(|case| _ = live.add(case));
    }
    live.names()
}

/// A reason in [`DEAD`], and the pairs to which it applies.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Dead {
    isa: String,
    reason: String,
    pairs: Vec<[String; 2]>,
}

/// Returns the pairs that [`DEAD`] lists for an instruction set. Fails if a pair is listed twice or a reason is not a sentence.
fn listed_dead(isa: IsaId) -> BTreeSet<Interaction> {
    #[derive(Deserialize)]
    struct Table {
        dead: Vec<Dead>,
    }
    let text = std::fs::read_to_string(DEAD).expect("the list of dead pairs");
    let table: Table = toml::from_str(&text).expect("the list of dead pairs");
    let mut all = BTreeSet::new();
    for Dead { isa: of, reason, pairs } in table.dead {
        assert!(of.parse::<IsaId>().is_ok() && reason.len() > 20 && reason.ends_with('.'), "{of}: {reason}");
        for pair in pairs.into_iter().filter(|_| of == isa.name()) {
            assert!(all.insert(pair.to_vec()), "{of}: {} is listed twice", pair.join(" and "));
        }
    }
    all
}

/// Describes the pairs that are live nowhere but not listed, and the pairs that are listed but live or never combined.
fn deviations(dead: &BTreeSet<Interaction>, listed: &BTreeSet<Interaction>) -> Vec<String> {
    let missing =
        dead.difference(listed).map(|pair| format!("{}: live nowhere, and not listed", pair.join(" and ")));
    let unused = listed
        .difference(dead)
        .map(|pair| format!("{}: listed as dead, and live or never combined", pair.join(" and ")));
    missing.chain(unused).collect()
}

/// Returns the errors in the covering array of an instruction set.
fn covered<I: Generate>() -> Vec<String> {
    let array = covering(I::ID);
    let request = ProgramRequest { size: Some(SIZE), ..ProgramRequest::default() };
    let others: Vec<Vec<u8>> =
        OTHERS.map(|seed| I::encode(&I::program(&mut Entropy::seeded(seed), &request))).collect();
    let instances: Vec<Vec<u8>> =
        rule_instances::<I>().iter().map(|instance| I::encode(&instance.program)).collect();
    let own = load_own(&own_corpora(None).unwrap(), &[I::ID]).items;
    let own: Vec<Vec<u8>> = own.iter().filter_map(|item| Some(item.content.program()?.to_vec())).collect();
    let live_in_array = live::<I>(array.programs().iter());
    let live_in_others = live::<I>(others.iter());
    let proved = shown::<I>(array.once().iter());
    let in_instances = shown::<I>(instances.iter());
    let (meet, apart) = together::<I>();
    println!(
        "{}: {} programs, {} of them once, live in {} interactions; {} pairs can be combined, {} cannot; {} others are live in {} interactions",
        I::ID,
        array.programs().len(),
        array.once().len(),
        live_in_array.len(),
        meet.len(),
        apart.len(),
        OTHERS.end - OTHERS.start,
        live_in_others.len(),
    );
    let mut wrong = Vec::new();
    // Every modifier is live, in combination or by itself.
    let alone: BTreeSet<&String> = live_in_array.iter().flatten().collect();
    let modifiers: BTreeSet<String> = points::<I>().iter().map(|class| class.modifier.clone()).collect();
    let dead = modifiers.iter().filter(|modifier| !alone.contains(modifier));
    wrong.extend(dead.map(|modifier| format!("{modifier} is live nowhere")));
    // Each pair that can be combined is combined in a program whose steps are proved, and nearly all pairs are live in programs that are run.
    let absent = meet.iter().filter(|pair| !proved.contains(*pair));
    wrong.extend(absent.map(|pair| format!("{}: in no program that is proved", pair.join(" and "))));
    let dead: BTreeSet<Interaction> =
        meet.iter().filter(|pair| !live_in_array.contains(*pair)).cloned().collect();
    if I::ID != IsaId::A2xx {
        wrong.extend(deviations(&dead, &listed_dead(I::ID)));
    } else if dead.len() * 100 > meet.len() * (100 - LIVE) {
        wrong.push(format!("{} pairs are live nowhere: {dead:?}", dead.len()));
    }
    // Pairs that cannot be combined occur neither in generated programs nor in those that people wrote. Pairs that `never_together` marks may
    // occur in rule instances and in the corpora.
    let rows = never_together::<I>();
    let by_instances =
        |pair: &Interaction| rows.iter().any(|row| row.in_rule_instances && row.is_about(&pair[0], &pair[1]));
    let places = [
        ("arrays", shown::<I>(array.programs().iter())),
        ("others", shown::<I>(others.iter())),
        ("rule instances", in_instances.clone()),
        ("corpora", shown::<I>(own.iter())),
    ];
    for (name, shown) in &places {
        let pairs = shown.iter().filter(|pair| pair.len() == 2 && !meet.contains(*pair));
        for pair in pairs.filter(|pair| !(["rule instances", "corpora"].contains(name) && by_instances(pair)))
        {
            if pair.iter().all(|modifier| !modifier.starts_with("version=") && modifiers.contains(modifier)) {
                wrong.push(format!(
                    "{}: listed as impossible to combine, but a program has both (from: {name})",
                    pair.join(" and ")
                ));
            }
        }
    }
    let unproved = apart.iter().filter(|pair| by_instances(pair) && !in_instances.contains(*pair));
    wrong.extend(unproved.map(|pair| format!("{}: combined in no rule instance", pair.join(" and "))));
    for row in &rows {
        if !apart.iter().any(|pair| row.is_about(&pair[0], &pair[1])) {
            wrong.push(format!("{} and {}: listed as never together, but no opcode has both", row.a, row.b));
        }
    }
    let missing: Vec<&Interaction> = live_in_others.difference(&live_in_array).collect();
    println!("{}: {} pairs dead, {} of others not live", I::ID, dead.len(), missing.len());
    if missing.len() * 100 > live_in_others.len() * (100 - SHARE) {
        wrong.push(format!("live in other programs alone: {missing:?}"));
    }
    for (_, modifiers) in MUST_MEET.iter().filter(|(isa, _)| *isa == I::ID) {
        let met = modifiers.iter().map(|modifier| (*modifier).to_owned()).collect::<Vec<_>>();
        if !live_in_array.contains(&met) {
            wrong.push(format!("{met:?} are combined in no live instruction"));
        }
    }
    if live_in_others.len() <= 500 {
        wrong.push(format!("others are live in {} interactions only", live_in_others.len()));
    }
    wrong.into_iter().map(|what| format!("{}: {what}", I::ID)).collect()
}

#[test]
fn covering_arrays_are_live_where_modifiers_meet() {
    let wrong: Vec<String> = IsaId::ALL.iter().flat_map(|&isa| with_isa!(isa, I => covered::<I>())).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn interactions_are_within_one_live_instruction() {
    use lockstep_core::isa::agal::Agal;
    let live = |text: &str| -> BTreeSet<Interaction> {
        let program = Agal::assemble(text).unwrap();
        let options = Options::new(Agal::option_specs());
        let entry = &Agal::entries(&program)[0];
        let cx: Context<'_, Agal> = Context { program: &program, entry, options: &options };
        let mut found = Interactions::<Agal>::new();
        found.add(&Case::new::<Agal>(&program, environment_from_seed(&cx, 0)));
        found.names()
    };
    let pair = |a: &str, b: &str| vec![a.to_owned(), b.to_owned()];
    let text = "version 1 vertex\nmov vt0.x, va0.wzyx\nadd vt0, vt0.x, va0\nmov op, vt0\n";
    // `x` and `permuted` are combined in the first instruction, `x` and `replicated` nowhere.
    let first = live(&text.replace("mov op", "mov vt0.x, va0.wzyx\nmov op"));
    assert!(first.contains(&pair("a.swizzle=permuted", "mask=x")));
    assert!(!first.contains(&pair("a.swizzle=replicated", "mask=x")));
    assert!(first.contains(&pair("a.swizzle=replicated", "mask=full")));
    // An overwritten result is not live.
    assert!(!live(&format!("{text}mov op, va0\n")).contains(&pair("a.swizzle=permuted", "mask=x")));
}
