//! Pairs of values that no instruction of a legal program has.

use crate::isa::facet::Infeasible;

const PORT: &str = "port 0 reads an attribute or a register";
const NO_LANE: &str = "a result has no components, and complex1 no other operand";
const NO_LOAD: &str = "only a load has an offset, and complex1 no other operand";
const MOVES: &str = "a move's second operand is the identity";

/// The list.
#[rustfmt::skip]
pub(super) const INFEASIBLE: &[Infeasible] = &[
    Infeasible::in_word("a=attribute", "b=register0", PORT),
    Infeasible::in_word("a=register0", "b=attribute", PORT),
    Infeasible::in_word("a=attribute", "condition=register0", PORT),
    Infeasible::in_word("a=register0", "condition=attribute", PORT),
    Infeasible::in_word("b=attribute", "condition=register0", PORT),
    Infeasible::in_word("b=register0", "condition=attribute", PORT),
    Infeasible::in_word("a=attribute.1", "b=register0.1", PORT),
    Infeasible::in_word("a=register0.1", "b=attribute.1", PORT),
    Infeasible::in_word("a=attribute.1", "condition=register0.1", PORT),
    Infeasible::in_word("a=register0.1", "condition=attribute.1", PORT),
    Infeasible::in_word("b=attribute.1", "condition=register0.1", PORT),
    Infeasible::in_word("b=register0.1", "condition=attribute.1", PORT),
    Infeasible::in_word("d=acc0.1", "component", NO_LANE),
    Infeasible::in_word("d=acc1.1", "component", NO_LANE),
    Infeasible::in_word("d=mul1.1", "component", NO_LANE),
    Infeasible::in_word("d=pass.1", "component", NO_LANE),
    Infeasible::in_word("d=acc0.2", "component", NO_LANE),
    Infeasible::in_word("d=acc1.2", "component", NO_LANE),
    Infeasible::in_word("d=mul0.2", "component", NO_LANE),
    Infeasible::in_word("d=mul1.2", "component", NO_LANE),
    Infeasible::in_word("d=pass.2", "component", NO_LANE),
    Infeasible::in_word("d=acc0.1", "offset", NO_LOAD),
    Infeasible::in_word("d=acc1.1", "offset", NO_LOAD),
    Infeasible::in_word("d=mul1.1", "offset", NO_LOAD),
    Infeasible::in_word("d=pass.1", "offset", NO_LOAD),
    Infeasible::in_word("d=acc0.2", "offset", NO_LOAD),
    Infeasible::in_word("d=acc1.2", "offset", NO_LOAD),
    Infeasible::in_word("d=mul0.2", "offset", NO_LOAD),
    Infeasible::in_word("d=mul1.2", "offset", NO_LOAD),
    Infeasible::in_word("d=pass.2", "offset", NO_LOAD),
    Infeasible::in_word("d=attribute", "offset", NO_LOAD),
    Infeasible::in_word("d=register0", "offset", NO_LOAD),
    Infeasible::in_word("d=attribute.1", "offset", NO_LOAD),
    Infeasible::in_word("d=register0.1", "offset", NO_LOAD),
    Infeasible::in_word("d=register1", "offset", NO_LOAD),
    Infeasible::in_word("direction=itself", "condition=postlog2", "what is before a target is out of reach, and a logarithm takes four words"),
    Infeasible::in_unit("b=attribute", "form=move", MOVES),
    Infeasible::in_unit("b=register0", "form=move", MOVES),
    Infeasible::in_unit("b=attribute.1", "form=move", MOVES),
    Infeasible::in_unit("b=register0.1", "form=move", MOVES),
    Infeasible::in_unit("b=register1", "form=move", MOVES),
    Infeasible::in_unit("b=load", "form=move", MOVES),
    Infeasible::in_unit("b=acc0.1", "form=move", MOVES),
    Infeasible::in_unit("b=acc1.1", "form=move", MOVES),
    Infeasible::in_unit("b=mul0.1", "form=move", MOVES),
    Infeasible::in_unit("b=mul1.1", "form=move", MOVES),
    Infeasible::in_unit("b=pass.1", "form=move", MOVES),
    Infeasible::in_unit("b=acc0.2", "form=move", MOVES),
    Infeasible::in_unit("b=acc1.2", "form=move", MOVES),
    Infeasible::in_unit("b=mul0.2", "form=move", MOVES),
    Infeasible::in_unit("b=mul1.2", "form=move", MOVES),
    Infeasible::in_unit("b=pass.2", "form=move", MOVES),
    Infeasible::in_unit("b=identity", "form=product", MOVES),
    Infeasible::in_unit("sign=a", "form=move", "an adder moves by adding the negative identity"),
];
