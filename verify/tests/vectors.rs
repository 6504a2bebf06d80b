//! Every vector of the corpora holds on the reference and on the executor.

#![allow(clippy::expect_used)] // a test that cannot go on fails

use lockstep::corpus::{Content, load_own, own_corpora, run_vector};
use lockstep_core::isa::IsaId;

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

#[test]
fn a_wrong_expectation_is_noticed() {
    let root = own_corpora(None).expect("the corpora belong to the workspace");
    let collection = load_own(&root, &[IsaId::Agal]);
    let vectors = collection.items.iter().filter_map(|item| match &item.content {
        Content::Vectors { vectors, .. } => Some(vectors),
        _ => None,
    });
    let mut vector = vectors.flatten().next().expect("a vector").clone();
    let number = vector.lane[0].output.values_mut().next().expect("an output");
    number[0] = lockstep::corpus::Number::Exactly(123.456);
    let problems = run_vector(IsaId::Agal, &vector).expect_err("it must not hold");
    assert!(problems.iter().any(|p| p.contains("reference") && p.contains("executor")), "{problems:?}");
}
