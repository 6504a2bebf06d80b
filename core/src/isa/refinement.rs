//! The refinement of an instruction set: the mapping between states of the reference and values of the lowering's variables. Step simulation,
//! coverage and reports use this mapping.

use super::{Context, CoverPoint, Lowering};
use crate::host::Host;
use crate::ir::VarKey;
use crate::ir::eval::Scalar;
use crate::value::Domain;

/// Values of IR variables, each with its variable's key. Refinement represents states in this form.
pub type State<D> = Vec<(VarKey, Scalar<D>)>;

/// The key of a lane's sticky kill mark (Bool) in refinement. No lowering declares a variable with this key.
pub const KILLED: VarKey = VarKey { file: 254, index: 0, component: 0 };

/// The file number of keys that stand for components of effects in [`Refinement::unit_writes`] and [`Refinement::direct_effects`]. `index` is the
/// index of the effect.
pub const EFFECTS: u8 = 253;

/// The key that stands for the selection of the next instruction in [`Refinement::unit_writes`] and [`Refinement::direct_effects`].
pub const CONTROL: VarKey = VarKey { file: 252, index: 0, component: 0 };

/// Maps lanes of the reference to nodes and variables of the lowering, and back.
pub trait Refinement: Lowering {
    /// Returns the reference's lane that corresponds to a node and to values of its variables.
    fn refine<D: Domain>(
        d: &D,
        cx: &Context<'_, Self>,
        control: &Self::ControlState,
        value: &mut dyn FnMut(VarKey) -> Scalar<D>,
    ) -> Self::Lane<D>;
    /// Returns the state of a lane, except for the kill mark, as values of the corresponding variables.
    fn state<D: Domain>(d: &D, cx: &Context<'_, Self>, lane: &Self::Lane<D>) -> State<D>;
    /// Returns the node at which a lane is: the inverse of [`Refinement::refine`]. `None` for a lane that has ended.
    fn control<D: Domain>(cx: &Context<'_, Self>, lane: &Self::Lane<D>) -> Option<Self::ControlState>;
    /// Returns the number of encodings of a node's control state in the fallback's variables: one, by default. There are several if the variables
    /// also contain state that no lane of the reference has.
    fn fallback_encodings(_cx: &Context<'_, Self>, _control: &Self::ControlState) -> usize {
        1
    }
    /// Returns the values of the fallback's control variables for a lane at the node `_control`, in encoding number `_encoding`. By default, there
    /// are none beyond [`Refinement::state`]. Keys for which the lowering declares no variable are ignored. A variable that is neither listed nor in
    /// the state may have any value.
    fn fallback_state<D: Domain, H: Host<D>>(
        _d: &D,
        _host: &mut H,
        _cx: &Context<'_, Self>,
        _control: &Self::ControlState,
        _lane: &Self::Lane<D>,
        _encoding: usize,
    ) -> State<D> {
        State::<D>::new()
    }
    /// Whether a key of [`Refinement::state`] belongs to a variable that only the lowering by nodes declares. False by default.
    fn is_node_only(_key: VarKey) -> bool {
        false
    }
    /// Sets the value of one key of a lane's [`Refinement::state`], or its kill mark for [`KILLED`]. All other state, in particular control state, is
    /// unchanged. A key that the lane does not have, or a value of another type, changes nothing.
    fn set_state<D: Domain>(cx: &Context<'_, Self>, lane: &mut Self::Lane<D>, key: VarKey, value: Scalar<D>);
    /// Whether the unit described by the coverage point `point` writes `key`. A unit is part of a word that has several, or one of two co-issued
    /// instructions. Keys are those of variables, [`KILLED`], [`CONTROL`], or keys in the file [`EFFECTS`]. True for every key by default.
    fn unit_writes(_program: &Self::Program, _word: u32, _point: &CoverPoint, _key: VarKey) -> bool {
        true
    }
    /// Returns the direct effects of an instruction: keys of the state right after it, [`KILLED`], [`CONTROL`], or keys in the file [`EFFECTS`].
    /// `None`, the default, means that the direct effects are exactly what the lowered instruction writes. Override it where results are delayed in
    /// variables that every instruction shifts.
    fn direct_effects(_program: &Self::Program, _word: u32) -> Option<Vec<VarKey>> {
        None
    }
}
