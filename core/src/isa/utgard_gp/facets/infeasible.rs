//! Pairs of facet values that no instruction of a legal program can have.

use crate::isa::facet::Infeasible;
use crate::isa::utgard_gp::rules::Rule;

const PORT: &str = "in each word port 0 reads either an attribute or a register";
const NO_COMPONENT: &str =
    "a unit result has no components, and no other operand of complex1 reads a component";
const NO_LOAD: &str = "only a load has an offset, and no other operand of complex1 is a load";
const SET: &str = "a store unit writes one set of components";
const MOVES: &str = "the second operand of a move is always the identity";

/// Pairs of facet values that cannot occur together, each with the reason.
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
    Infeasible::in_word("d=acc0.1", "component", NO_COMPONENT),
    Infeasible::in_word("d=acc1.1", "component", NO_COMPONENT),
    Infeasible::in_word("d=mul1.1", "component", NO_COMPONENT),
    Infeasible::in_word("d=pass.1", "component", NO_COMPONENT),
    Infeasible::in_word("d=acc0.2", "component", NO_COMPONENT),
    Infeasible::in_word("d=acc1.2", "component", NO_COMPONENT),
    Infeasible::in_word("d=mul0.2", "component", NO_COMPONENT),
    Infeasible::in_word("d=mul1.2", "component", NO_COMPONENT),
    Infeasible::in_word("d=pass.2", "component", NO_COMPONENT),
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
    Infeasible::in_word("a=attribute", "a=register0", PORT),
    Infeasible::in_word("b=attribute", "b=register0", PORT),
    Infeasible::in_word("a=attribute.1", "a=register0.1", PORT),
    Infeasible::in_word("b=attribute.1", "b=register0.1", PORT),
    Infeasible::in_word("b=complex.1", "b", "only a select reads this source here, and a word has at most one select"),
    Infeasible::in_word("components=x", "components=y", SET),
    Infeasible::in_word("components=x", "components=xy", SET),
    Infeasible::in_word("components=y", "components=xy", SET),
    Infeasible::in_word("components=z", "components=w", SET),
    Infeasible::in_word("components=z", "components=zw", SET),
    Infeasible::in_word("components=w", "components=zw", SET),
    Infeasible::in_word("unit=mul1 beside complex2", "unit", "complex2 always uses mul 0"),
    Infeasible::in_word("direction=itself", "condition=postlog2", "results from before a branch target cannot be read, and a logarithm takes four words").by(&[Rule::BlockHistory.code()]),
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
