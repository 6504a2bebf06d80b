//! The verdict on an obligation, and counterexamples.

use crate::goal::{Goal, Names};
use crate::number::show;
use crate::term::{Node, Term};
use serde::Serialize;

/// How an obligation was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofMeans {
    /// Both sides became the same term.
    SameTerm,
    /// Some claims needed lemmas: smaller goals, proved by the solver, that together imply the claim.
    Lemma,
    /// Some claims needed the solver.
    Solver,
    /// Every case was enumerated.
    Enumeration,
}

/// The verdict on an obligation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    /// The obligation holds for all values.
    Proved {
        /// The strongest means that was needed.
        how: ProofMeans,
    },
    /// The obligation holds for all runs within a bound.
    Bounded {
        /// The bound: units of fuel, or a number of paths.
        bound: u64,
    },
    /// The obligation held for every value tried, but not all values were tried.
    Tested {
        /// The number of values tried.
        values: u64,
    },
    /// The obligation does not hold.
    Refuted(Box<Counterexample>),
    /// The obligation is neither proved nor refuted. A run with such an obligation never passes.
    Unknown {
        /// Why the obligation is neither proved nor refuted.
        reason: String,
    },
    /// There is nothing to prove, because the program is refused.
    NotApplicable {
        /// Why the program is refused.
        reason: String,
    },
}

impl Verdict {
    /// Whether the verdict lets a run pass.
    pub fn is_green(&self) -> bool {
        !matches!(self, Verdict::Refuted(_) | Verdict::Unknown { .. })
    }

    /// Returns the verdict's name in tables.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Proved { how: ProofMeans::SameTerm } => "same term",
            Verdict::Proved { how: ProofMeans::Lemma } => "lemma",
            Verdict::Proved { how: ProofMeans::Solver } => "solver",
            Verdict::Proved { how: ProofMeans::Enumeration } => "enumerated",
            Verdict::Bounded { .. } => "bounded",
            Verdict::Tested { .. } => "tested",
            Verdict::Refuted(_) => "REFUTED",
            Verdict::Unknown { .. } => "UNKNOWN",
            Verdict::NotApplicable { .. } => "not applicable",
        }
    }
}

/// Values of the unknowns for which the two sides of a claim differ, with every intermediate value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Counterexample {
    /// What differs, such as a register component, an output or the next instruction.
    pub what: String,
    /// The unknowns and the calls of unknown functions, as name and value.
    pub inputs: Vec<(String, String)>,
    /// The conditions of the path and their truth values.
    pub path: Vec<(String, bool)>,
    /// Every step of the first side, as text and value; the last is the result.
    pub left: Vec<(String, String)>,
    /// Every step of the second side.
    pub right: Vec<(String, String)>,
}

impl Counterexample {
    /// Creates a counterexample from the values of every term of a goal.
    pub fn new(what: &str, goal: &Goal, names: &Names, values: &[u32]) -> Counterexample {
        let value = |t: Term| show(goal.node(t).ty(), values[t.0 as usize]);
        let is_input = |t: &Term| matches!(goal.node(*t), Node::Unknown(..) | Node::Apply(..));
        let side = |root: Term| {
            goal.subterms(root)
                .into_iter()
                .filter(|t| goal.node(*t).literal().is_none() && (!is_input(t) || *t == root))
                .map(|t| (format!("{} = {}", label(t), text(goal, names, t)), value(t)))
                .collect()
        };
        let is_taken =
            |path: &&Vec<(Term, bool)>| path.iter().all(|(t, v)| (values[t.0 as usize] != 0) == *v);
        let taken = goal.paths.iter().find(is_taken).map(Vec::as_slice).unwrap_or_default();
        Counterexample {
            what: what.to_owned(),
            inputs: (0..goal.nodes.len() as u32)
                .map(Term)
                .filter(is_input)
                .map(|t| (text(goal, names, t), value(t)))
                .collect(),
            path: taken.iter().map(|(t, v)| (text(goal, names, *t), *v)).collect(),
            left: side(goal.left),
            right: side(goal.right),
        }
    }
}

fn label(t: Term) -> String {
    format!("%{}", t.0)
}

/// Returns a term's operation with the names of its operands, as text.
pub fn text(goal: &Goal, names: &Names, t: Term) -> String {
    let operand = |t: &Term| match goal.node(*t) {
        Node::Unknown(_, f) => names[f.0 as usize].clone(),
        node => node.literal().map_or_else(|| label(*t), |bits| show(node.ty(), bits)),
    };
    let node = goal.node(t);
    let operands = node.operands().iter().map(operand).collect::<Vec<_>>().join(", ");
    match node {
        Node::Unknown(..) | Node::LitF(_) | Node::LitI(_) | Node::LitB(_) => operand(&t),
        _ => format!("{}({operands})", operation(goal, names, t)),
    }
}

/// Returns the name of a term's operation; empty for a literal or an unknown.
pub(crate) fn operation(goal: &Goal, names: &Names, t: Term) -> String {
    match goal.node(t) {
        Node::Unknown(..) | Node::LitF(_) | Node::LitI(_) | Node::LitB(_) => String::new(),
        Node::Apply(_, f, _) => names[f.0 as usize].clone(),
        Node::Un(op, _) => format!("{op:?}"),
        Node::Bin(op, ..) => format!("{op:?}"),
        Node::Cmp(op, ..) => format!("{op:?}"),
        Node::IBin(op, ..) => format!("I{op:?}"),
        Node::ICmp(op, ..) => format!("I{op:?}"),
        Node::Logic(op, ..) => format!("{op:?}"),
        Node::Fma(..) => "Fma".to_owned(),
        Node::Not(_) => "Not".to_owned(),
        Node::TruncI(_) => "TruncI".to_owned(),
        Node::ToF(_) => "ToF".to_owned(),
        Node::Bits(_) => "Bits".to_owned(),
        Node::FromBits(_) => "FromBits".to_owned(),
        Node::Sel(..) => "Select".to_owned(),
    }
}

impl std::fmt::Display for Counterexample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} differs", self.what)?;
        for (name, value) in &self.inputs {
            writeln!(f, "  {name} = {value}")?;
        }
        for (condition, answer) in &self.path {
            writeln!(f, "  path: {condition} is {answer}")?;
        }
        for (name, steps) in [("first", &self.left), ("second", &self.right)] {
            writeln!(f, "  {name} side")?;
            for (step, value) in steps {
                writeln!(f, "    {step}  -> {value}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Arena, Ty};

    #[test]
    fn a_counterexample_shows_the_path_that_its_values_take() {
        let mut arena = Arena::default();
        let [p, q] = ["p", "q"].map(|name| arena.unknown(Ty::B, name));
        let [x, y] = ["x", "y"].map(|name| arena.unknown(Ty::F, name));
        let paths = [vec![(p, true), (q, true)], vec![(p, true), (q, false)], vec![(p, false)]];
        let (goal, names) = Goal::on_paths(&paths, &arena, x, y);
        let shown = |truths: [(&str, u32); 2]| {
            let values = (0..goal.nodes.len() as u32).map(|term| text(&goal, &names, Term(term)));
            let of =
                |name: String| truths.iter().find(|(truth, _)| *truth == name).map_or(0, |(_, value)| *value);
            Counterexample::new("test", &goal, &names, &values.map(of).collect::<Vec<_>>()).path
        };
        let path = |conditions: &[(&str, bool)]| -> Vec<(String, bool)> {
            conditions.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
        };
        assert_eq!(shown([("p", 1), ("q", 1)]), path(&[("p", true), ("q", true)]));
        assert_eq!(shown([("p", 1), ("q", 0)]), path(&[("p", true), ("q", false)]));
        assert_eq!(shown([("p", 0), ("q", 1)]), path(&[("p", false)]));
    }
}
