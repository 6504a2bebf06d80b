//! Explores every path, and checks that the explored paths cover every case.

use super::domain::Terms;
use super::node::Term;
use super::path;
use smallvec::SmallVec;

/// The result of exploring paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explored {
    /// Every path was followed.
    All,
    /// The limit was reached before all paths were followed.
    Cut,
    /// The followed paths contradict each other or miss a case, for this reason.
    Gap(&'static str),
}

type Taken = Vec<(Term, bool)>;

/// Runs `body` once for each path, at most `limit` times. `body` runs semantics on `d`, whose current path is set before each call.
///
/// That the followed paths cover every case is checked from their conditions and truth values, independently of the code that schedules paths.
pub fn explore(d: &Terms, limit: usize, mut body: impl FnMut()) -> Explored {
    let mut followed: SmallVec<[Taken; 1]> = SmallVec::new();
    let ended = path::explore(limit, |path| {
        d.set_path(path);
        body();
        let path = d.path();
        followed.push(path.taken().to_vec());
        path
    });
    let followed: SmallVec<[&Taken; 1]> = followed.iter().collect();
    match gap(d, &followed, 0, ended) {
        Some(what) => Explored::Gap(what),
        None if ended => Explored::All,
        None => Explored::Cut,
    }
}

/// Returns what is wrong with the paths in `followed`, which agree on the first `depth` conditions; `None` if nothing is wrong. If `whole` is true,
/// every condition must occur with both answers: then exactly one of the paths is taken, whatever the values are.
fn gap(d: &Terms, followed: &[&Taken], depth: usize, whole: bool) -> Option<&'static str> {
    let [first, others @ ..] = followed else { return Some("no path was followed") };
    let Some((question, _)) = first.get(depth) else {
        return (!others.is_empty()).then_some("a path was followed twice, or ended early");
    };
    if followed.iter().any(|path| path.get(depth).is_none_or(|(other, _)| other != question)) {
        return Some("paths differ although their answers agree");
    }
    if d.arena().node(*question).literal().is_some() {
        return Some("a literal is a condition of a path");
    }
    let sides: (SmallVec<[&Taken; 1]>, SmallVec<[&Taken; 1]>) =
        followed.iter().copied().partition(|path| path[depth].1);
    for side in [&sides.0, &sides.1] {
        if side.is_empty() && whole {
            return Some("a path was left out");
        }
        if !side.is_empty()
            && let Some(what) = gap(d, side, depth + 1, whole)
        {
            return Some(what);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::value::Domain;

    #[test]
    fn paths_that_miss_a_case_are_reported() {
        let d = Terms::default();
        let [p, q, r] = ["p", "q", "r"].map(|name| d.unknown_b(name));
        let explored = explore(&d, 99, || {
            let mut d = d.clone();
            if d.decide(&p) {
                d.decide(&q);
            } else if d.decide(&r) {
                d.decide(&p);
                d.decide(&q);
            }
        });
        assert_eq!(explored, Explored::All);
        assert_eq!(explore(&d, 1, || _ = d.clone().decide(&p)), Explored::Cut);
        let (yes, no) = (true, false);
        let gap = |paths: &[&[(Term, bool)]]| {
            let paths: Vec<Taken> = paths.iter().map(|path| path.to_vec()).collect();
            gap(&d, &paths.iter().collect::<Vec<_>>(), 0, true)
        };
        let (p, q, truth) = (p.0, q.0, d.b(true).0);
        assert_eq!(gap(&[&[]]), None);
        assert_eq!(gap(&[&[(p, no)], &[(p, yes), (q, no)], &[(p, yes), (q, yes)]]), None);
        assert_eq!(gap(&[]), Some("no path was followed"));
        let left_out = Some("a path was left out");
        assert_eq!(gap(&[&[(p, yes)]]), left_out);
        assert_eq!(gap(&[&[(p, no)], &[(p, yes), (q, no)]]), left_out);
        assert_eq!(gap(&[&[(p, no)], &[(q, yes)]]), Some("paths differ although their answers agree"));
        assert!(gap(&[&[(p, no)], &[(p, yes)], &[(p, yes)]]).unwrap().contains("twice"));
        assert!(gap(&[&[(truth, yes)], &[(truth, no)]]).unwrap().contains("literal"));
    }
}
