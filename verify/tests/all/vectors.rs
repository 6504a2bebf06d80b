//! Every vector of the corpora holds on the reference and on the executor.

use lockstep::corpus::{Content, Number, Vector, VectorEffect, load_own, own_corpora, run_vector};
use lockstep_core::isa::{End, IsaId};

#[test]
fn every_vector_holds_on_both_engines() {
    let root = own_corpora(None).expect("the corpora belong to the workspace");
    let collection = load_own(&root, IsaId::ALL);
    assert!(collection.broken.is_empty(), "{:?}", collection.broken);
    let (mut vectors, mut components) = (0, 0);
    let mut wrong = Vec::new();
    for item in &collection.items {
        let Content::Vectors { isa, vectors: list } = &item.content else { continue };
        for vector in list {
            match run_vector(*isa, vector) {
                Ok(compared) => components += compared,
                Err(problems) => wrong.push(format!("{} {}: {problems:#?}", item.name, vector.name)),
            }
            vectors += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(vectors > 0 && components > vectors, "{vectors} vectors, {components} components");
    println!("{vectors} vectors, {components} components compared");
}

/// Returns a number that is not the expected one; `None` if any number is expected.
fn other(number: Number) -> Option<Number> {
    match number {
        Number::Any => None,
        Number::Between(_, high) => Some(Number::Exactly(f32::from_bits(high.to_bits() ^ 0x8000_0001))),
        Number::Exactly(v) if v.is_nan() => Some(Number::Exactly(0.0)),
        Number::Exactly(v) => Some(Number::Exactly(f32::from_bits(v.to_bits() ^ 1))),
    }
}

/// Returns copies of a vector, in each of which one expectation is changed, with the place of the change.
fn spoiled(vector: &Vector) -> Vec<(String, Vector)> {
    let mut all = Vec::new();
    let mut push = |place: String, change: &dyn Fn(&mut Vector)| {
        let mut copy = vector.clone();
        change(&mut copy);
        all.push((place, copy));
    };
    for (k, lane) in vector.lane.iter().enumerate() {
        // The results of a lane that does not finish are not compared.
        let is_compared = !matches!(lane.end, Some(End::OutOfFuel | End::Hung));
        let end = if lane.end.is_some_and(|end| end != End::Finished) { End::Finished } else { End::Hung };
        push(format!("lane {k}"), &|v| v.lane[k].end = Some(end));
        if let (Some(killed), true) = (lane.killed, is_compared) {
            push(format!("lane {k}"), &|v| v.lane[k].killed = Some(!killed));
        }
        for (name, numbers) in lane.output.iter().filter(|_| is_compared) {
            for (at, letter) in "xyzw".char_indices() {
                if let Some(number) = other(numbers[at]) {
                    let place = format!("lane {k}, {name}.{letter}");
                    push(place, &|v| v.lane[k].output.get_mut(name).expect("it is there")[at] = number);
                }
            }
        }
        for (n, effect) in lane.effects.iter().flatten().enumerate().filter(|_| is_compared) {
            fn list(v: &mut Vector, k: usize) -> &mut Vec<VectorEffect> {
                v.lane[k].effects.as_mut().expect("effects")
            }
            push(format!("lane {k}"), &|v| drop(list(v, k).remove(n)));
            push(format!("lane {k}, effect {n}"), &|v| list(v, k)[n].name.push('x'));
            for (at, letter) in "xyzw".char_indices() {
                if let Some(number) = other(effect.values[at]) {
                    let place = format!("lane {k}, effect {n}, {}.{letter}", effect.name);
                    push(place, &|v| list(v, k)[n].values[at] = number);
                }
            }
        }
    }
    all
}

#[test]
fn any_wrong_expectation_is_noticed_by_both_engines_and_named() {
    let root = own_corpora(None).expect("the corpora belong to the workspace");
    for &isa in IsaId::ALL {
        let (mut noticed, mut unnoticed) = (0, Vec::new());
        for item in &load_own(&root, &[isa]).items {
            let Content::Vectors { vectors, .. } = &item.content else { continue };
            for (vector, (place, wrong)) in
                vectors.iter().flat_map(|v| spoiled(v).into_iter().map(move |s| (v, s)))
            {
                let problems = run_vector(isa, &wrong).err().map(|wrong| wrong.problems).unwrap_or_default();
                // A problem names the engines for which the expectation is wrong, or `(every engine)`.
                let both = |p: &str| p.contains("reference") && p.contains("executor");
                let named = |p: &&String| p.contains(&place) && (p.contains("(every engine)") || both(p));
                if problems.iter().any(|p| named(&p)) {
                    noticed += 1;
                } else {
                    unnoticed.push(format!("{} {}, {place}: {problems:?}", item.name, vector.name));
                }
            }
        }
        println!("{isa}: {noticed} wrong expectations noticed");
        assert!(unnoticed.is_empty(), "{isa}: not detected:\n{}", unnoticed.join("\n"));
        assert!(noticed > 100, "{isa}: {noticed}");
    }
}
