//! Coverage of instruction sets: the coverage points (opcode × modifier) that occur in cases, and those at which a wrong result would be detected.
//!
//! A point is *seen* if an instruction of a case that can be run has it. It is *live* if, in addition, changing the effects of one such instruction
//! changes a compared result: an output, a kill mark, the end of a lane or an effect. If several units share a word, the effects of a unit count only
//! for its own points. A comparison of engines can only detect faults at live points.

mod alter;
mod direct_effects;
mod live;
mod pairs;
#[cfg(test)]
mod toy;

#[cfg(feature = "judge")]
pub(crate) use direct_effects::{DirectEffects, direct_effects};
pub(crate) use pairs::is_combined;
pub use pairs::{Interaction, InteractionKey, Interactions, is_strong, kind};

use crate::case::{Case, Resolved};
use lockstep_core::isa::facet;
use lockstep_core::isa::{CoverPoint, Format, Isa, Legality, Tables};
use serde::Serialize;
use std::collections::BTreeSet;

/// The coverage of one instruction set by a set of cases.
#[derive(Clone, Debug, Serialize)]
pub struct Covered {
    /// The number of coverage points.
    pub points: usize,
    /// The number of seen points.
    pub seen: usize,
    /// The number of live points.
    pub live: usize,
    /// The points that are not live, seen or not, as `opcode modifier`.
    pub missing: Vec<String>,
    /// The number of cases.
    pub cases: usize,
    /// The number of cases of other instruction sets, and of cases that cannot be run.
    pub skipped: usize,
}

/// Coverage accumulated over cases.
#[derive(Debug)]
pub struct Coverage<I: Format> {
    all: BTreeSet<CoverPoint>,
    seen: BTreeSet<CoverPoint>,
    live: BTreeSet<CoverPoint>,
    cases: usize,
    skipped: usize,
    signs: bool,
    isa: std::marker::PhantomData<I>,
}

impl<I: Tables + Legality> Default for Coverage<I> {
    fn default() -> Self {
        Coverage {
            all: facet::points::<I>().iter().cloned().collect(),
            seen: BTreeSet::new(),
            live: BTreeSet::new(),
            cases: 0,
            skipped: 0,
            signs: false,
            isa: std::marker::PhantomData,
        }
    }
}

impl<I: Isa> Coverage<I> {
    /// Returns empty coverage.
    pub fn new() -> Coverage<I> {
        Coverage::default()
    }

    /// Returns empty coverage for which tampering also flips sign bits. This detects effects on numbers that are only compared, but counts more
    /// points as live than a small error in an engine would reveal.
    pub fn with_signs() -> Coverage<I> {
        Coverage { signs: true, ..Coverage::default() }
    }

    /// Adds the coverage of a case. Tampers with an instruction only while some of its points are not live.
    pub fn add(&mut self, case: &Case) {
        self.cases += 1;
        let resolved = if case.isa == I::ID { case.resolve::<I>().ok() } else { None };
        let Some(resolved) = resolved.filter(Resolved::is_legal) else {
            self.skipped += 1;
            return;
        };
        let cx = resolved.context();
        let mut probe = None;
        let classes_of = I::cover_points(&resolved.program);
        for word in 0..I::instruction_count(&cx) {
            let points = classes_of(word);
            if points.iter().any(|point| self.all.contains(point) && !self.live.contains(point)) {
                let made = || live::Probe::new(cx, &resolved.env);
                let probe =
                    probe.get_or_insert_with(|| if self.signs { made().with_signs() } else { made() });
                let wanted = |point: &&CoverPoint| self.all.contains(point) && !self.live.contains(point);
                let points: Vec<CoverPoint> = points.iter().filter(wanted).cloned().collect();
                self.live.extend(probe.live_points(word, &points));
            }
            self.seen.extend(points.into_iter().filter(|point| self.all.contains(point)));
        }
    }

    /// Whether a coverage point is live.
    pub fn is_live(&self, point: &CoverPoint) -> bool {
        self.live.contains(point)
    }

    /// Returns the points that are not live.
    pub fn missing(&self) -> Vec<CoverPoint> {
        self.all.difference(&self.live).cloned().collect()
    }

    /// Returns the coverage as a report.
    pub fn report(&self) -> Covered {
        Covered {
            points: self.all.len(),
            seen: self.seen.len(),
            live: self.live.len(),
            missing: self.missing().iter().map(|c| format!("{} {}", c.opcode, c.modifier)).collect(),
            cases: self.cases,
            skipped: self.skipped,
        }
    }
}

/// Returns the coverage of an instruction set by cases.
pub fn measure<'a, I: Isa>(cases: impl IntoIterator<Item = &'a Case>) -> Covered {
    let mut coverage = Coverage::<I>::new();
    cases.into_iter().for_each(|case| coverage.add(case));
    coverage.report()
}

/// Whether some instruction of a legal case has all of these coverage points and their common effects are live.
pub(crate) fn are_live_together<I: Isa>(case: &Case, points: &[CoverPoint]) -> bool {
    let Some(resolved) = case.resolve::<I>().ok().filter(Resolved::is_legal) else { return false };
    let cx = resolved.context();
    let mut has_all = (0..I::instruction_count(&cx))
        .filter(|word| points.iter().all(|point| I::facets().has_point(&resolved.program, *word, point)));
    let Some(first) = has_all.next() else { return false };
    let mut probe = live::Probe::new(cx, &resolved.env);
    let all: Vec<usize> = (0..points.len()).collect();
    probe.compares()
        && std::iter::once(first)
            .chain(has_all)
            .any(|word| probe.live_together(word, points, &[&all]).contains(&true))
}

/// Returns the instructions of a case's program that are live in it.
pub fn live_instructions<I: Isa>(case: &Case) -> Vec<u32> {
    let Some(resolved) = case.resolve::<I>().ok().filter(Resolved::is_legal) else { return Vec::new() };
    let cx = resolved.context();
    let mut probe = live::Probe::new(cx, &resolved.env);
    let is_live = |word: &u32| {
        let tampered_keys = probe.tampered_keys(*word);
        probe.is_live(*word, &tampered_keys)
    };
    (0..I::instruction_count(&cx)).filter(is_live).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::host::{Environment, LaneInput};
    use lockstep_core::isa::agal::Agal;
    use lockstep_core::isa::{Syntax, Tables};

    fn case(text: &str, constants: &[[f32; 4]]) -> Case {
        let lanes = (0..8u8).map(|l| {
            let x = f32::from(l);
            LaneInput { slots: vec![[x, x + 0.5, 4.0 - x, 1.0], [1.0, 2.0, 3.0, x]] }
        });
        let env =
            Environment { constants: constants.to_vec(), lanes: lanes.collect(), ..Environment::default() };
        Case::new::<Agal>(&Agal::assemble(text).unwrap(), env)
    }

    fn live(text: &str) -> Vec<u32> {
        live_instructions::<Agal>(&case(text, &[[0.0; 4], [9.0; 4]]))
    }

    #[test]
    fn an_unread_result_is_not_live() {
        assert_eq!(live("version 1 vertex\nmov vt0, va0\nmov vt1, va1\nmov op, vt0\n"), [0, 2]);
        // The first result is overwritten, so its instruction is not live.
        assert_eq!(live("version 1 vertex\nmov vt0, va1\nmov vt0, va0\nmov op, vt0\n"), [1, 2]);
        // The first result is multiplied by zero, so its instruction is not live.
        assert_eq!(live("version 1 vertex\nmov vt0, va0\nmul vt0, vt0, vc0\nmov op, vt0\n"), [1, 2]);
    }

    #[test]
    fn a_compared_value_is_live_if_its_sign_decides() {
        // 0.5125 becomes 0.7625 when the top bit of its fraction is flipped: neither is below a half.
        let text = "version 1 vertex\nmul vt0, va0.w, vc0\nslt op, vt0, vc1\n";
        let case = case(text, &[[0.5125; 4], [0.5; 4]]);
        let multiplies = |mut coverage: Coverage<Agal>| {
            coverage.add(&case);
            facet::points::<Agal>().iter().any(|point| point.opcode == "mul" && coverage.is_live(point))
        };
        assert!(!multiplies(Coverage::new()));
        assert!(multiplies(Coverage::with_signs()));
    }

    #[test]
    fn a_condition_is_live_where_its_branches_differ() {
        let block = |inside: &str| {
            format!("version 2 vertex\nmov vt0, va0\nifl va0.x, vc1.x\n{inside}\neif\nmov op, vt0\n")
        };
        assert_eq!(live(&block("mov vt0, va1")), [1, 2, 3, 4]);
        assert_eq!(live(&block("mov vt1, va1")), [0, 3, 4]);
        // The block is never entered.
        assert_eq!(live(&block("mov vt0, va1").replace("ifl", "ifg")), [0, 1, 4]);
    }

    #[test]
    fn a_kill_is_live_unless_another_kills_the_same_lanes() {
        assert_eq!(live("version 1 fragment\nkil v0.z\nmov oc, v0\n"), [0, 1]);
        let all = "version 1 fragment\nabs ft0, v1\nneg ft0, ft0\nkil ft0.x\nkil ft0.x\nmov oc, v1\n";
        assert_eq!(live(all), [4]);
    }

    #[test]
    fn a_report_counts_seen_and_live_separately() {
        let text = "version 1 vertex\nrcp vt1, va1\nmov op, va0\n";
        let report = measure::<Agal>([&case(text, &[])]);
        let expected = |mnemonic: &str| {
            let program = Agal::assemble(text).unwrap();
            (0..2).flat_map(|w| Agal::facets().points(&program, w)).filter(|c| c.opcode == mnemonic).count()
        };
        assert_eq!(report.live, expected("mov"));
        assert_eq!(report.seen, expected("mov") + expected("rcp"));
        assert_eq!(report.missing.len(), report.points - report.live);
        let broken = Case { bytes: vec![1], ..case(text, &[]) };
        let report = measure::<Agal>([&broken]);
        assert_eq!((report.cases, report.skipped, report.seen), (1, 1, 0));
        // The program does not write the position, so it cannot be run.
        let illegal = case("version 1 vertex\nmov vt0, va0\n", &[]);
        let report = measure::<Agal>([&illegal]);
        assert_eq!((report.cases, report.skipped, report.seen), (1, 1, 0));
        assert!(live("version 1 vertex\nmov vt0, va0\n").is_empty());
    }
}
