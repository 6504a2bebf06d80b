//! Goals: pairs of terms to be proved equal on given paths, extracted from their arena.
//!
//! A goal owns its terms, numbered canonically, so goals that differ only in names are equal, and many obligations share one query.

use crate::term::{Arena, Function, Map, Node, Term, Ty};

/// Two terms that must be equal on each of the given paths. Floats are equal if both are NaN or their bits are the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Goal {
    /// The structures of all terms. Each term comes after its operands.
    pub nodes: Vec<Node>,
    /// The type of each unknown or unknown function, in order of first occurrence; for functions also the operand types.
    pub symbols: Vec<Symbol>,
    /// The paths on which the terms must be equal, each given as conditions with their truth values. A path without conditions is always taken.
    pub paths: Vec<Vec<(Term, bool)>>,
    /// One of the terms.
    pub left: Term,
    /// The other term.
    pub right: Term,
}

/// An unknown or an unknown function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Symbol {
    /// Result type.
    pub ty: Ty,
    /// Operand types; empty for an unknown.
    pub operands: Vec<Ty>,
}

/// The names of a goal's symbols in the obligation it comes from.
pub type Names = Vec<String>;

struct Extract<'a> {
    arena: &'a Arena,
    nodes: Vec<Node>,
    ids: Map<Term, Term>,
    symbols: Vec<Symbol>,
    names: Names,
    by_function: Map<Function, Function>,
}

impl Extract<'_> {
    /// Copies a term and all terms below it. Iterative, because terms may be nested deeper than the stack allows.
    fn copy(&mut self, root: Term) -> Term {
        let mut work = vec![(root, false)];
        while let Some((term, ready)) = work.pop() {
            if self.ids.contains_key(&term) {
                continue;
            }
            let node = self.arena.node(term);
            if ready {
                let mut copy = node.map(|t| self.ids.get(&t).copied().unwrap_or(Term(0)));
                if let Node::Unknown(ty, f) | Node::Apply(ty, f, _) = &mut copy {
                    let operands = node.operands().iter().map(|t| self.arena.ty(*t)).collect();
                    *f = self.symbol(*f, *ty, operands);
                }
                self.ids.insert(term, Term(self.nodes.len() as u32));
                self.nodes.push(copy);
            } else {
                work.push((term, true));
                work.extend(node.operands().iter().rev().map(|t| (*t, false)));
            }
        }
        self.ids[&root]
    }

    fn symbol(&mut self, f: Function, ty: Ty, operands: Vec<Ty>) -> Function {
        if let Some(known) = self.by_function.get(&f) {
            return *known;
        }
        let new = Function(self.symbols.len() as u32);
        self.symbols.push(Symbol { ty, operands });
        self.names.push(self.arena.name(f).to_owned());
        self.by_function.insert(f, new);
        new
    }
}

impl Goal {
    /// Extracts the goal that two terms of an arena are equal on all paths. Also returns the names of the goal's symbols.
    pub fn new(arena: &Arena, left: Term, right: Term) -> (Goal, Names) {
        Goal::on_paths(&[Vec::new()], arena, left, right)
    }

    /// Extracts the goal that two terms of an arena are equal on these paths. Also returns the names of the goal's symbols.
    pub fn on_paths(paths: &[Vec<(Term, bool)>], arena: &Arena, left: Term, right: Term) -> (Goal, Names) {
        let mut extract = Extract {
            arena,
            nodes: Vec::new(),
            ids: Map::default(),
            symbols: Vec::new(),
            names: Vec::new(),
            by_function: Map::default(),
        };
        let left = extract.copy(left);
        let right = extract.copy(right);
        let mut copy = |path: &Vec<(Term, bool)>| path.iter().map(|(t, v)| (extract.copy(*t), *v)).collect();
        let paths = paths.iter().map(&mut copy).collect();
        let Extract { nodes, symbols, names, .. } = extract;
        (Goal { nodes, symbols, paths, left, right }, names)
    }

    /// Whether these values of the terms satisfy the conditions of one of the paths.
    pub fn takes_a_path(&self, values: &[u32]) -> bool {
        self.paths.iter().any(|path| path.iter().all(|(t, v)| (values[t.0 as usize] != 0) == *v))
    }

    /// Returns the structure of a term.
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    /// Returns `root` and every term below it, operands first.
    pub fn subterms(&self, root: Term) -> Vec<Term> {
        let mut wanted = vec![false; root.0 as usize + 1];
        wanted[root.0 as usize] = true;
        for k in (0..=root.0).rev() {
            if wanted[k as usize] {
                for operand in self.node(Term(k)).operands() {
                    wanted[operand.0 as usize] = true;
                }
            }
        }
        (0..=root.0).filter(|k| wanted[*k as usize]).map(Term).collect()
    }

    /// Copies the goal's terms into a new arena, where each keeps its number.
    pub fn arena(&self, names: &Names) -> Arena {
        let mut arena = Arena::default();
        let functions: Vec<Function> = names.iter().map(|n| arena.function(n)).collect();
        for node in &self.nodes {
            let mut node = node.clone();
            if let Node::Unknown(_, f) | Node::Apply(_, f, _) = &mut node {
                *f = functions[f.0 as usize];
            }
            arena.intern(node);
        }
        arena
    }

    /// Whether the goal needs a solver: its sides are different terms.
    pub fn is_open(&self) -> bool {
        self.left != self.right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::value::{FBin, FCmp};

    #[test]
    fn goals_that_differ_in_names_are_equal_and_structure_counts() {
        let build = |x: &str, y: &str, op: FBin| {
            let mut a = Arena::default();
            a.unknown(Ty::I, "something else");
            let (x, y) = (a.unknown(Ty::F, x), a.unknown(Ty::F, y));
            let left = a.intern(Node::Bin(op, x, y));
            let right = a.intern(Node::Bin(op, y, x));
            let c = a.intern(Node::Cmp(FCmp::Lt, x, y));
            Goal::on_paths(&[vec![(c, true)]], &a, left, right)
        };
        let (first, names) = build("a", "b", FBin::Add);
        assert_eq!(first, build("r0.x", "r1.y", FBin::Add).0);
        assert_ne!(first, build("a", "b", FBin::Mul).0);
        assert_eq!(names, ["a", "b"]);
        assert!(first.is_open());
        assert_eq!(first.subterms(first.left).len(), 3);
    }
}
