//! The refinement of an instruction set: which state of the reference corresponds to which values of the lowering's variables. Step simulation, coverage
//! and reports go from one to the other with it.

use super::{Context, CoverPoint, Lowering};
use crate::host::Host;
use crate::ir::VarKey;
use crate::ir::eval::Scalar;
use crate::value::Domain;

/// Values of IR variables, each with the key of its variable; refinement maps states in this form.
pub type State<D> = Vec<(VarKey, Scalar<D>)>;

/// The key under which refinement reads a lane's sticky kill mark (Bool). No lowering declares it.
pub const KILLED: VarKey = VarKey { file: 254, index: 0, component: 0 };

/// The file number of the keys by which [`Refinement::unit_writes`] names components of effects; `index` is the effect's.
pub const EFFECTS: u8 = 253;

/// The key by which [`Refinement::unit_writes`] names the choice of the next instruction.
pub const CONTROL: VarKey = VarKey { file: 252, index: 0, component: 0 };

/// Maps lanes of the reference to nodes and variables of the lowering, and back.
pub trait Refinement: Lowering {
    /// The reference's lane that corresponds to a node and values of its variables.
    fn refine<D: Domain>(
        d: &D,
        cx: &Context<'_, Self>,
        control: &Self::ControlState,
        value: &mut dyn FnMut(VarKey) -> Scalar<D>,
    ) -> Self::Lane<D>;
    /// The whole state of a lane, by the key of the corresponding variable.
    fn state<D: Domain>(d: &D, cx: &Context<'_, Self>, lane: &Self::Lane<D>) -> State<D>;
    /// The node that a lane is at: the inverse of [`Refinement::refine`]. `None` for a lane that has ended.
    fn control<D: Domain>(cx: &Context<'_, Self>, lane: &Self::Lane<D>) -> Option<Self::ControlState>;
    /// The number of ways in which the fallback's variables can represent the control state of a node: one, by default. There are several where the
    /// variables also hold state that no lane of the reference has.
    fn fallback_encodings(_cx: &Context<'_, Self>, _config: &Self::ControlState) -> usize {
        1
    }
    /// The values that the fallback's variables for control state have for a lane at the node `control`, in one of those ways; nothing beyond
    /// [`Refinement::state`], by default. Keys for which the lowering declares no variable are ignored; a variable neither listed nor in the state may hold
    /// any value.
    fn fallback_state<D: Domain, H: Host<D>>(
        _d: &D,
        _host: &mut H,
        _cx: &Context<'_, Self>,
        _config: &Self::ControlState,
        _lane: &Self::Lane<D>,
        _way: usize,
    ) -> State<D> {
        State::<D>::new()
    }
    /// Whether a key of [`Refinement::state`] belongs to a variable that only lowering by nodes declares; none does, by default.
    fn is_node_only(_key: VarKey) -> bool {
        false
    }
    /// Sets one key of a lane's [`Refinement::state`], or its kill mark for [`KILLED`]. Everything else, control state above all, is unchanged. A key or
    /// type of value that the lane does not have changes nothing.
    fn set_state<D: Domain>(cx: &Context<'_, Self>, lane: &mut Self::Lane<D>, key: VarKey, value: Scalar<D>);
    /// Whether the unit that `class` belongs to writes `key`: a unit of a word that has several, or one of two co-issued instructions. Keys are those
    /// of variables, [`KILLED`], [`CONTROL`], or those of [`EFFECTS`]. True for every key by default.
    fn unit_writes(_program: &Self::Program, _word: u32, _class: &CoverPoint, _key: VarKey) -> bool {
        true
    }
    /// The direct effects of an instruction, as keys of the state right after it, [`KILLED`], [`CONTROL`] and those of [`EFFECTS`]. `None`, the
    /// default, means that they are what the lowering of the instruction writes. That does not hold where results wait in variables that every
    /// instruction moves along.
    fn direct_effects(_program: &Self::Program, _word: u32) -> Option<Vec<VarKey>> {
        None
    }
}
