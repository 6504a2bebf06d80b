//! The domain whose values are terms.

use super::arena::Arena;
use super::node::{Node, Term, Ty};
use super::path::Path;
use super::under::PathSimplifier;
use lockstep_core::value::{BBin, Domain, FBin, FCmp, FUn, IBin, ICmp, canonical_bits};
use std::cell::{Ref, RefCell, RefMut};
use std::rc::Rc;

/// A float term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct F(pub Term);
/// An integer term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct I(pub Term);
/// A term whose value is a truth value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct B(pub Term);

/// Runs semantics on terms of one arena along one path.
#[derive(Clone, Default)]
pub struct Terms {
    arena: Rc<RefCell<Arena>>,
    path: Rc<RefCell<Path>>,
    simplifier: Rc<RefCell<PathSimplifier>>,
}

impl std::fmt::Debug for Terms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Terms({})", self.arena.borrow().len())
    }
}

impl Terms {
    /// Borrows the arena.
    pub fn arena(&self) -> Ref<'_, Arena> {
        self.arena.borrow()
    }

    /// Borrows the arena, for building terms.
    pub fn arena_mut(&self) -> RefMut<'_, Arena> {
        self.arena.borrow_mut()
    }

    /// Starts another path.
    pub fn set_path(&self, path: Path) {
        *self.path.borrow_mut() = path;
        self.simplifier.borrow_mut().clear();
    }

    /// Returns the path so far.
    pub fn path(&self) -> Path {
        self.path.borrow().clone()
    }

    /// Returns a term equal to this one wherever the current path is taken.
    pub fn under_path(&self, term: Term) -> Term {
        self.simplifier.borrow_mut().simplify(&mut self.arena_mut(), &self.path.borrow(), term)
    }

    fn fold(&self, node: Node) -> Term {
        self.arena.borrow_mut().fold(node)
    }

    /// Returns the unknown float with this name.
    pub fn unknown_f(&self, name: &str) -> F {
        F(self.arena_mut().unknown(Ty::F, name))
    }
    /// Returns the unknown for a component of a lane's input, such as `lane0.in1.x`.
    pub fn input(&self, lane: usize, slot: u16, component: usize) -> F {
        let mut arena = self.arena_mut();
        F(arena.unknown_at((lane as u32, u32::from(slot), component as u32), Ty::F, || {
            format!("lane{lane}.in{slot}.{}", ['x', 'y', 'z', 'w'][component & 3])
        }))
    }
    /// Returns the unknown integer with this name.
    pub fn unknown_i(&self, name: &str) -> I {
        I(self.arena_mut().unknown(Ty::I, name))
    }
    /// Returns the unknown truth value with this name.
    pub fn unknown_b(&self, name: &str) -> B {
        B(self.arena_mut().unknown(Ty::B, name))
    }
    /// Applies the unknown function of this name, whose result is a float.
    pub fn apply_f(&self, name: &str, operands: impl IntoIterator<Item = Term>) -> F {
        let mut arena = self.arena_mut();
        let f = arena.function(name);
        F(arena.intern(Node::Apply(Ty::F, f, operands.into_iter().collect())))
    }
}

impl Domain for Terms {
    type F = F;
    type B = B;
    type I = I;

    fn f(&self, v: f32) -> F {
        F(self.arena_mut().literal_float(canonical_bits(v)))
    }
    fn i(&self, v: i32) -> I {
        I(self.arena_mut().intern(Node::LitI(v)))
    }
    fn b(&self, v: bool) -> B {
        B(self.arena_mut().intern(Node::LitB(v)))
    }

    fn un(&self, op: FUn, a: &F) -> F {
        F(self.fold(Node::Un(op, a.0)))
    }
    fn bin(&self, op: FBin, a: &F, b: &F) -> F {
        F(self.fold(Node::Bin(op, a.0, b.0)))
    }
    fn fma(&self, a: &F, b: &F, c: &F) -> F {
        F(self.fold(Node::Fma(a.0, b.0, c.0)))
    }
    fn cmp(&self, op: FCmp, a: &F, b: &F) -> B {
        B(self.fold(Node::Cmp(op, a.0, b.0)))
    }

    fn ibin(&self, op: IBin, a: &I, b: &I) -> I {
        I(self.fold(Node::IBin(op, a.0, b.0)))
    }
    fn icmp(&self, op: ICmp, a: &I, b: &I) -> B {
        B(self.fold(Node::ICmp(op, a.0, b.0)))
    }
    fn logic(&self, op: BBin, a: &B, b: &B) -> B {
        B(self.fold(Node::Logic(op, a.0, b.0)))
    }
    fn not(&self, a: &B) -> B {
        B(self.fold(Node::Not(a.0)))
    }

    fn trunc_i(&self, a: &F) -> I {
        I(self.fold(Node::TruncI(a.0)))
    }
    fn to_f(&self, a: &I) -> F {
        F(self.fold(Node::ToF(a.0)))
    }
    fn bits(&self, a: &F) -> I {
        I(self.fold(Node::Bits(a.0)))
    }
    fn from_bits(&self, a: &I) -> F {
        F(self.fold(Node::FromBits(a.0)))
    }

    fn sel(&self, c: &B, a: &F, b: &F) -> F {
        F(self.fold(Node::Sel(Ty::F, c.0, a.0, b.0)))
    }
    fn sel_i(&self, c: &B, a: &I, b: &I) -> I {
        I(self.fold(Node::Sel(Ty::I, c.0, a.0, b.0)))
    }
    fn sel_b(&self, c: &B, a: &B, b: &B) -> B {
        B(self.fold(Node::Sel(Ty::B, c.0, a.0, b.0)))
    }

    fn known_f(&self, a: &F) -> Option<f32> {
        match self.arena().node(a.0) {
            Node::LitF(bits) => Some(f32::from_bits(*bits)),
            _ => None,
        }
    }
    fn known_i(&self, a: &I) -> Option<i32> {
        match self.arena().node(a.0) {
            Node::LitI(v) => Some(*v),
            _ => None,
        }
    }
    fn known_b(&self, a: &B) -> Option<bool> {
        match self.arena().node(a.0) {
            Node::LitB(v) => Some(*v),
            _ => None,
        }
    }

    fn decide(&mut self, a: &B) -> bool {
        if let Some(known) = self.known_b(a) {
            return known;
        }
        let asked = self.under_path(a.0);
        if let Some(known) = self.known_b(&B(asked)) {
            return known;
        }
        // A condition and its negation count as one condition of the path.
        let negated = match self.arena().node(asked) {
            Node::Not(x) => Some(*x),
            _ => None,
        };
        let mut path = self.path.borrow_mut();
        match negated {
            Some(x) => !path.decide(x),
            None => path.decide(asked),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_decided_on_the_path_is_not_asked_again() {
        let mut d = Terms::default();
        let (p, q) = (d.unknown_b("p"), d.unknown_b("q"));
        // p ? (q ? 6 : 7) : 5, the form that control state in variables takes.
        let inner = d.sel_i(&q, &d.i(6), &d.i(7));
        let nested = d.sel_i(&p, &inner, &d.i(5));
        let is = |d: &Terms, n: i32| d.icmp(ICmp::Eq, &nested, &d.i(n));
        assert!(d.decide(&p), "the first answer is yes");
        let five = is(&d, 5);
        assert!(!d.decide(&five), "p was answered");
        assert_eq!(d.path().taken().len(), 1, "nothing new was asked");
        // An open condition is asked once, in its simplified form.
        let six = is(&d, 6);
        assert!(d.decide(&six) && d.decide(&q));
        let seven = is(&d, 7);
        assert!(!d.decide(&seven));
        assert_eq!(d.path().taken().len(), 2);
    }
}
