//! The text that explains a vector that does not hold.

use super::contradiction::{Contradiction, sentence};
use super::judge::CONTRADICTED;
use super::{Vector, VectorFailure, vector_case};
use crate::blame::{Exhibit, of_vector, wrapped};
use crate::sources::spelled_out;
use lockstep_core::isa::IsaId;

/// Returns the program of a vector with the instruction at fault marked, and all details needed to judge the vector, as text.
pub(super) fn explained(
    isa: IsaId,
    vector: &Vector,
    wrong: &VectorFailure,
    contradiction: Option<&Contradiction>,
) -> (Exhibit, String) {
    let case = vector_case(isa, vector).ok().zip(wrong.lane);
    let exhibit = case.map(|(case, lane)| of_vector(isa, &case, lane, &wrong.component));
    let exhibit = exhibit.unwrap_or_else(|| Exhibit {
        listing: vector.program.trim().lines().map(str::to_owned).collect(),
        ..Exhibit::default()
    });
    let mut text = wrapped("  vector     ", &vector.name);
    for (n, problem) in gathered(&wrong.problems).iter().enumerate() {
        text.push_str(&wrapped(if n == 0 { "  what       " } else { "             " }, problem));
    }
    if let Some(contradiction) = contradiction {
        text.push_str(&wrapped("  verdict    ", &format!("{CONTRADICTED}; {}", sentence(contradiction))));
    }
    text.push_str(&exhibit.text());
    let options = vector.options.iter().map(|(name, choice)| format!("{name}={choice}"));
    let options = options.collect::<Vec<_>>().join(", ");
    if !options.is_empty() {
        text.push_str(&wrapped("  options    ", &options));
    }
    for (head, said) in [
        ("  derivation ", vector.derivation.as_str()),
        ("  device     ", vector.device.as_deref().unwrap_or_default()),
        ("  date       ", vector.date.as_deref().unwrap_or_default()),
    ] {
        if !said.trim().is_empty() {
            text.push_str(&wrapped(head, said.trim()));
        }
    }
    text.push_str(&wrapped("  source     ", &vector.source));
    for source in spelled_out(isa, &[&vector.source]) {
        text.push_str(&wrapped("             ", &source));
    }
    (exhibit, text)
}

/// Merges equal problems of several lanes into one text each.
fn gathered(problems: &[String]) -> Vec<String> {
    let mut all: Vec<(Vec<&str>, &str)> = Vec::new();
    for problem in problems {
        let lane = problem.strip_prefix("lane ");
        let (lane, rest) = lane.and_then(|p| p.split_once([',', ':', ' '])).unwrap_or(("", problem));
        match all.iter_mut().find(|(lanes, known)| *known == rest && !lane.is_empty() && !lanes.is_empty()) {
            Some((lanes, _)) => lanes.push(lane),
            None => all.push((if lane.is_empty() { vec![] } else { vec![lane] }, rest)),
        }
    }
    let text = |(lanes, rest): (Vec<&str>, &str)| match lanes[..] {
        [] => rest.to_owned(),
        [lane] if rest.starts_with(' ') => format!("lane {lane},{rest}"),
        [lane] => format!("lane {lane} {rest}"),
        _ => format!("lanes {}: {}", lanes.join(", "), rest.trim_start()),
    };
    all.into_iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_with_the_same_error_are_grouped() {
        let all = [
            "lane 0, op.x: 1, must be 2",
            "lane 1, op.x: 1, must be 2",
            "lane 2, op.x: 3, must be 2",
            "no program",
        ];
        let told = gathered(&all.map(str::to_owned));
        assert_eq!(told, ["lanes 0, 1: op.x: 1, must be 2", "lane 2, op.x: 3, must be 2", "no program"]);
    }
}
