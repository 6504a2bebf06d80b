//! The arena: a store that holds each term structure once.

use super::hash::{FastHash, Map, StableHash};
use super::node::{Function, Node, Term, Ty};
use super::table::Table;
use std::hash::{Hash, Hasher};

/// A store of terms.
///
/// Every term also has a *shape*, a hash of its structure and the names in it that does not depend on the order of construction;
/// operands of commutative operations are put in the order of their shapes.
#[derive(Debug, Default)]
pub struct Arena {
    nodes: Vec<Node>,
    shapes: Vec<u64>,
    /// Whether each term is known to fold to itself.
    settled: Vec<bool>,
    ids: Table,
    /// Recently used float literals, because programs use few different literals and use them repeatedly.
    floats: [Option<(u32, Term)>; FLOATS],
    names: Vec<String>,
    by_name: Map<String, Function>,
    by_key: Map<(u32, u32, u32), Term>,
    /// Operations that do not fold to themselves, each with its result. Different paths build the same operations.
    folded: Vec<(Node, Term)>,
    by_operation: Table,
    /// Operations that were folded while the current operation is being folded, with their results.
    pub(super) inner: Vec<(Node, Term)>,
    /// The result of the current fold before the new operands of the result are folded. If folding these operands gives the final term, only this
    /// single fold is recorded as fired.
    pub(super) single_fold: Option<Term>,
    /// Conditions, with their truth values, under which the current fold is valid. The arms that
    /// establish these conditions are recorded separately.
    pub(super) conditions: Vec<(Term, bool)>,
    /// The number of folds in progress, each within the one before.
    pub(super) nested: u32,
}

/// How many float literals are remembered.
const FLOATS: usize = 16;

impl Arena {
    /// Returns the number of a name.
    pub fn function(&mut self, name: &str) -> Function {
        if let Some(f) = self.by_name.get(name) {
            return *f;
        }
        let f = Function(self.names.len() as u32);
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), f);
        f
    }

    /// Returns the name with this number.
    pub fn name(&self, f: Function) -> &str {
        &self.names[f.0 as usize]
    }

    /// Returns the unknown of this name and type.
    pub fn unknown(&mut self, ty: Ty, name: &str) -> Term {
        let f = self.function(name);
        self.intern(Node::Unknown(ty, f))
    }

    /// Returns an unknown that is requested often, identified by `key`. The name of the unknown is built only on the first request.
    pub fn unknown_at(&mut self, key: (u32, u32, u32), ty: Ty, name: impl FnOnce() -> String) -> Term {
        if let Some(known) = self.by_key.get(&key) {
            return *known;
        }
        let term = self.unknown(ty, &name());
        self.by_key.insert(key, term);
        term
    }

    /// Returns the term with exactly this structure, without folding.
    pub fn intern(&mut self, node: Node) -> Term {
        let hash = FastHash::of(&node);
        if let Some(id) = self.ids.find(hash, |n| self.nodes[n] == node) {
            return Term(id as u32);
        }
        let id = self.nodes.len();
        let shape = self.shape_of(&node);
        self.shapes.push(shape);
        self.nodes.push(node);
        self.settled.push(false);
        self.ids.add(hash, id);
        Term(id as u32)
    }

    /// Returns the float literal with these bits.
    pub(super) fn literal_float(&mut self, bits: u32) -> Term {
        let slot = bits.wrapping_mul(0x9e37_79b9) as usize >> 28 & (FLOATS - 1);
        match self.floats[slot] {
            Some((known, term)) if known == bits => term,
            _ => {
                let term = self.intern(Node::LitF(bits));
                self.floats[slot] = Some((bits, term));
                term
            }
        }
    }

    /// Returns the result of folding an operation, if it is known.
    pub(super) fn known_fold(&self, node: &Node) -> Option<Term> {
        let hash = FastHash::of(node);
        match self.ids.find(hash, |n| self.nodes[n] == *node) {
            Some(id) if self.settled[id] => Some(Term(id as u32)),
            _ => self.by_operation.find(hash, |n| self.folded[n].0 == *node).map(|n| self.folded[n].1),
        }
    }

    /// Remembers the result of folding an operation.
    pub(super) fn remember_fold(&mut self, node: &Node, term: Term) {
        if *self.node(term) == *node {
            self.settled[term.0 as usize] = true;
        } else {
            self.by_operation.add(FastHash::of(node), self.folded.len());
            self.folded.push((node.clone(), term));
        }
    }

    /// Returns the structure of a term.
    #[inline]
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    /// Returns a hash of the term's structure, which is the same in every arena and every run.
    #[inline]
    pub fn shape(&self, term: Term) -> u64 {
        self.shapes[term.0 as usize]
    }

    /// Returns the type of a term.
    pub fn ty(&self, term: Term) -> Ty {
        self.node(term).ty()
    }

    /// Returns the number of terms.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no term yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn shape_of(&self, node: &Node) -> u64 {
        let mut hasher = StableHash::default();
        std::mem::discriminant(node).hash(&mut hasher);
        match node {
            Node::LitF(v) => v.hash(&mut hasher),
            Node::LitI(v) => v.hash(&mut hasher),
            Node::LitB(v) => v.hash(&mut hasher),
            Node::Unknown(ty, f) | Node::Apply(ty, f, _) => (ty, self.name(*f)).hash(&mut hasher),
            Node::Un(op, _) => op.hash(&mut hasher),
            Node::Bin(op, ..) => op.hash(&mut hasher),
            Node::Cmp(op, ..) => op.hash(&mut hasher),
            Node::IBin(op, ..) => op.hash(&mut hasher),
            Node::ICmp(op, ..) => op.hash(&mut hasher),
            Node::Logic(op, ..) => op.hash(&mut hasher),
            Node::Sel(ty, ..) => ty.hash(&mut hasher),
            Node::Fma(..)
            | Node::Not(_)
            | Node::TruncI(_)
            | Node::ToF(_)
            | Node::Bits(_)
            | Node::FromBits(_) => {}
        }
        for operand in node.operands() {
            self.shape(operand).hash(&mut hasher);
        }
        hasher.finish()
    }
}
