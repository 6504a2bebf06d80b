//! The domain of ranges: given sets of operands, computes a set that contains every result.
//!
//! [`Ranges`] runs the references and the IR evaluator on sets. The domain is *sound*: for all values of the operands within their sets, the result
//! of [`super::Concrete`] is within the set computed here. The domain is not exact: sets may be wider than necessary, because most dependencies
//! between values are not tracked. Only the dependencies that common idioms of shaders need are tracked: that a value is another value negated, its
//! magnitude or its floor, and what a comparison implies about its operands. For example, the sets for `x < 0 ? 0 : x` and `x * x` contain no
//! negative numbers; that for `x - floor x` contains no number above 1; and that for a value in which magnitudes below 2^-126 are replaced by zeros
//! contains no subnormals.
//!
//! If control flow depends on a value that may be true or false, [`paths()`] runs the program once for each direction.
//!
//! `lockstep judge` uses the domain where a subject may compute some results inexactly: it widens their sets by the tolerances, and requires the
//! subject's results to be in the sets computed from them.

mod arithmetic;
mod float;
mod functions;
mod int;
mod paths;
mod truth;

pub use float::{FloatRange, Magnitudes};
pub use int::IntRange;
pub use paths::paths;
pub use truth::TruthRange;

use super::{BBin, Concrete, Domain, FBin, FCmp, FUn, IBin, ICmp};
use paths::Path;
use std::cell::Cell;
use std::rc::Rc;
use truth::{Fact, Facts, Name};

/// How a value is derived from the original value whose name it shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Same,
    Negated,
    Magnitude,
    NegatedMagnitude,
    Floor,
    NegatedFloor,
}

impl Shape {
    fn negated(self) -> Shape {
        match self {
            Shape::Same => Shape::Negated,
            Shape::Negated => Shape::Same,
            Shape::Magnitude => Shape::NegatedMagnitude,
            Shape::NegatedMagnitude => Shape::Magnitude,
            Shape::Floor => Shape::NegatedFloor,
            Shape::NegatedFloor => Shape::Floor,
        }
    }

    fn magnitude(self) -> Option<Shape> {
        let of_itself =
            matches!(self, Shape::Same | Shape::Negated | Shape::Magnitude | Shape::NegatedMagnitude);
        of_itself.then_some(Shape::Magnitude)
    }

    /// The range of a value of this shape if the original value is in `range`.
    fn image(self, range: &FloatRange) -> FloatRange {
        match self {
            Shape::Same => *range,
            Shape::Negated => range.negated(),
            Shape::Magnitude => range.magnitude(),
            Shape::NegatedMagnitude => range.magnitude().negated(),
            Shape::Floor | Shape::NegatedFloor => FloatRange::ANYTHING,
        }
    }

    /// The range of the original value if the value of this shape is in `range`.
    fn origin(self, range: &FloatRange) -> FloatRange {
        match self {
            Shape::Same => *range,
            Shape::Negated => range.negated(),
            Shape::Magnitude => range.of_magnitude(),
            Shape::NegatedMagnitude => range.negated().of_magnitude(),
            Shape::Floor | Shape::NegatedFloor => FloatRange::ANYTHING,
        }
    }
}

/// A float of the domain: a set, and the identity of the value.
#[derive(Clone, Copy, Debug)]
pub struct Ranged {
    /// The set that contains the value.
    pub range: FloatRange,
    name: Name,
    shape: Shape,
}

impl Ranged {
    /// Whether two values are known to be equal in every run.
    fn is_same_value(&self, other: &Ranged) -> bool {
        self.name != 0 && self.name == other.name && self.shape == other.shape
    }

    /// The range of the value if the facts hold.
    fn range_under(&self, facts: &Facts) -> FloatRange {
        let mine = facts.iter().flatten().filter(|fact| fact.name == self.name);
        mine.fold(self.range, |range, fact| range.meet(&self.shape.image(&fact.range)))
    }
}

/// The domain of sets of values.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    /// The number of names in use, shared by all clones.
    names: Rc<Cell<Name>>,
    path: Path,
}

impl Ranges {
    /// Creates a new value that is in `range`.
    pub fn new_value(&self, range: FloatRange) -> Ranged {
        // Names are not reused. If all names are used, new values have no name.
        let name = self.names.get().checked_add(1).unwrap_or(0);
        if name != 0 {
            self.names.set(name);
        }
        Ranged { range, name, shape: Shape::Same }
    }
}

impl Domain for Ranges {
    type F = Ranged;
    type B = TruthRange;
    type I = IntRange;

    fn f(&self, v: f32) -> Ranged {
        Ranged { range: FloatRange::of(v), name: 0, shape: Shape::Same }
    }
    fn i(&self, v: i32) -> IntRange {
        IntRange::of(v)
    }
    fn b(&self, v: bool) -> TruthRange {
        TruthRange::of(v)
    }

    fn un(&self, op: FUn, a: &Ranged) -> Ranged {
        let one = a.range.known().map(|a| FloatRange::of(Concrete.un(op, &a)));
        let range = one.unwrap_or_else(|| functions::un(op, &a.range));
        let shape = match op {
            FUn::Neg => Some(a.shape.negated()),
            FUn::Abs => a.shape.magnitude(),
            FUn::Floor if a.shape == Shape::Same => Some(Shape::Floor),
            _ => None,
        };
        match shape {
            Some(shape) => Ranged { range, name: a.name, shape },
            None => self.new_value(range),
        }
    }

    fn bin(&self, op: FBin, a: &Ranged, b: &Ranged) -> Ranged {
        let is_fraction = |x: &Ranged, y: &Ranged| {
            op == FBin::Add
                && x.name != 0
                && x.name == y.name
                && (x.shape, y.shape) == (Shape::Same, Shape::NegatedFloor)
        };
        let range = if let (Some(a), Some(b)) = (a.range.known(), b.range.known()) {
            FloatRange::of(Concrete.bin(op, &a, &b))
        } else if is_fraction(a, b) {
            arithmetic::fraction(&a.range)
        } else if is_fraction(b, a) {
            arithmetic::fraction(&b.range)
        } else {
            arithmetic::bin(op, &a.range, &b.range, a.is_same_value(b))
        };
        self.new_value(range)
    }

    fn fma(&self, a: &Ranged, b: &Ranged, c: &Ranged) -> Ranged {
        let [one, two, three] = [a, b, c].map(|v| v.range.known());
        let all = one.zip(two).zip(three).map(|((a, b), c)| FloatRange::of(Concrete.fma(&a, &b, &c)));
        self.new_value(
            all.unwrap_or_else(|| arithmetic::fma(&a.range, &b.range, &c.range, a.is_same_value(b))),
        )
    }

    fn cmp(&self, op: FCmp, a: &Ranged, b: &Ranged) -> TruthRange {
        let compared = truth::compare(op, &a.range, &b.range, a.is_same_value(b));
        let facts = |ranges: [FloatRange; 2]| {
            let fact = |value: &Ranged, range: &FloatRange| {
                (value.name != 0).then(|| Fact { name: value.name, range: value.shape.origin(range) })
            };
            [fact(a, &ranges[0]), fact(b, &ranges[1])]
        };
        let (if_yes, if_no) = (facts(compared.if_yes), facts(compared.if_no));
        TruthRange { yes: compared.yes, no: compared.no, if_yes, if_no }
    }

    fn ibin(&self, op: IBin, a: &IntRange, b: &IntRange) -> IntRange {
        int::ibin(op, a, b)
    }
    fn icmp(&self, op: ICmp, a: &IntRange, b: &IntRange) -> TruthRange {
        let (yes, no) = int::icmp(op, a, b);
        TruthRange::either(yes, no)
    }
    fn logic(&self, op: BBin, a: &TruthRange, b: &TruthRange) -> TruthRange {
        truth::logic(op, a, b)
    }
    fn not(&self, a: &TruthRange) -> TruthRange {
        a.not()
    }

    fn trunc_i(&self, a: &Ranged) -> IntRange {
        IntRange::truncated(&a.range)
    }
    fn to_f(&self, a: &IntRange) -> Ranged {
        self.new_value(a.to_float())
    }
    fn bits(&self, a: &Ranged) -> IntRange {
        IntRange::bits(&a.range)
    }
    fn from_bits(&self, a: &IntRange) -> Ranged {
        self.new_value(a.from_bits())
    }

    fn sel(&self, c: &TruthRange, a: &Ranged, b: &Ranged) -> Ranged {
        match c.known() {
            Some(true) => *a,
            Some(false) => *b,
            None if a.is_same_value(b) => *a,
            None => self.new_value(a.range_under(&c.if_yes).join(&b.range_under(&c.if_no))),
        }
    }
    fn sel_i(&self, c: &TruthRange, a: &IntRange, b: &IntRange) -> IntRange {
        c.known().map_or_else(|| a.join(b), |c| if c { *a } else { *b })
    }
    fn sel_b(&self, c: &TruthRange, a: &TruthRange, b: &TruthRange) -> TruthRange {
        truth::choose(c, a, b)
    }

    fn known_f(&self, a: &Ranged) -> Option<f32> {
        a.range.known()
    }
    fn known_i(&self, a: &IntRange) -> Option<i32> {
        a.known()
    }
    fn known_b(&self, a: &TruthRange) -> Option<bool> {
        a.known()
    }

    fn decide(&mut self, a: &TruthRange) -> bool {
        a.known().unwrap_or_else(|| self.path.decide())
    }
}
