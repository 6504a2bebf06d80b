//! Registers with an initial or a final value: the registers that a caller may set before the first instruction, and the control registers whose
//! values can be read after the last one.
//!
//! These values are ports of an [`Entry`], at slots after the instruction set's own inputs and outputs. An input at the slot of a register provides
//! its initial value, and an output at the slot of a control register receives its final value. Code that handles inputs and outputs thus handles
//! these registers too. A register that is not among the inputs starts with the value that the instruction set defines for unwritten registers.
//!
//! Ports hold floats. At the start, an integer register gets the port's value truncated to an integer, and a truth value is true unless the port's
//! value is zero. At the end, the port of an integer register gets the nearest float, and the port of a truth value gets 1 or 0.

use super::{Context, Entry, Format, Interface, Port, Refinement, port_mask};
use crate::host::Host;
use crate::ir::eval::Scalar;
use crate::ir::{Builder, Op, Ty, Value, VarKey};
use crate::value::{Domain, FCmp};

/// A register that can have an initial value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// The register's name in assembly text.
    pub name: String,
    /// The keys of the variables that represent the components, x first.
    pub components: Vec<VarKey>,
    /// The type of every component.
    pub ty: Ty,
    /// Whether it is a control register (address, loop counter, predicate, flag), whose final value can be an output.
    pub is_control: bool,
}

impl Register {
    /// Returns the components as a mask; bit 0 is x.
    pub fn mask(&self) -> u8 {
        (1 << self.components.len().min(4)) - 1
    }
}

/// The file number of the variables that hold the final values of registers. `index` is the slot of the port.
const FINAL_FILE: u8 = 251;

/// Returns the register whose initial or final value has this slot; `None` if the slot belongs to no register.
pub fn register<I: Format>(entry: &Entry, slot: u16) -> Option<Register> {
    if I::REGISTER_SLOTS.contains(&slot) { I::register(entry, slot) } else { None }
}

/// Iterates over all registers that can have an initial value in programs of this entry, with their slots.
pub fn registers<I: Format>(entry: &Entry) -> impl Iterator<Item = (u16, Register)> + '_ {
    I::REGISTER_SLOTS.filter_map(|slot| I::register(entry, slot).map(|register| (slot, register)))
}

/// Returns an entry with the initial values of all registers as inputs and the final values of all control registers as outputs, in addition to its
/// own ports.
#[must_use]
pub fn with_registers<I: Format>(entry: &Entry) -> Entry {
    let mut whole = entry.clone();
    let Interface { inputs, outputs, .. } = &mut whole.interface;
    for (slot, register) in registers::<I>(entry) {
        *port_mask(inputs, slot) |= register.mask();
        if register.is_control {
            *port_mask(outputs, slot) |= register.mask();
        }
    }
    whole
}

/// Returns an entry without the ports of registers.
#[must_use]
pub fn without_registers<I: Format>(entry: &Entry) -> Entry {
    let mut plain = entry.clone();
    let is_plain = |port: &Port| register::<I>(entry, port.slot).is_none();
    plain.interface.inputs.retain(is_plain);
    plain.interface.outputs.retain(is_plain);
    plain
}

/// Whether an input port provides the initial value of a register. The port's mask is not checked: components that the register lacks are ignored.
pub fn is_initial<I: Format>(entry: &Entry, port: &Port) -> bool {
    register::<I>(entry, port.slot).is_some()
}

/// Whether an output port receives the final value of a control register. The port's mask is not checked: components that the register lacks are 0.
pub fn is_final<I: Format>(entry: &Entry, port: &Port) -> bool {
    register::<I>(entry, port.slot).is_some_and(|register| register.is_control)
}

/// Iterates over the output ports that the instruction set itself declares, without the final values of registers.
pub fn plain_outputs<I: Format>(entry: &Entry) -> impl Iterator<Item = &Port> {
    entry.interface.outputs.iter().filter(|port| !I::REGISTER_SLOTS.contains(&port.slot))
}

/// Calls `each` for each component of these ports that belongs to a register or, with `only_control`, to a control register. Passes the component's
/// number as an input or output, the key of its variable, and its type.
fn each_component<I: Format>(
    entry: &Entry,
    ports: &[Port],
    only_control: bool,
    mut each: impl FnMut(u16, VarKey, Ty),
) {
    for port in ports {
        let register = register::<I>(entry, port.slot);
        let Some(register) = register.filter(|register| register.is_control || !only_control) else {
            continue;
        };
        for (c, key) in register.components.iter().enumerate().filter(|(c, _)| port.mask >> c & 1 == 1) {
            each(port.slot * 4 + c as u16, *key, register.ty);
        }
    }
}

/// Calls `each` for the components that have initial values.
fn each_initial<I: Format>(entry: &Entry, each: impl FnMut(u16, VarKey, Ty)) {
    each_component::<I>(entry, &entry.interface.inputs, false, each);
}

/// Calls `each` for the components that have final values.
fn each_final<I: Format>(entry: &Entry, each: impl FnMut(u16, VarKey, Ty)) {
    each_component::<I>(entry, &entry.interface.outputs, true, each);
}

/// Emits code that sets registers to their initial values.
pub(super) fn lower_initial<I: Format>(cx: &Context<'_, I>, b: &mut Builder) {
    each_initial::<I>(cx.entry, |number, key, ty| {
        let given = b.op(Op::Input(number), &[]);
        let value = match ty {
            Ty::F32 => given,
            Ty::I32 => b.op(Op::TruncI, &[given]),
            Ty::Bool => {
                let zero = b.f(0.0);
                let clear = b.cmp(FCmp::Eq, given, zero);
                b.not(clear)
            }
        };
        let var = b.var(key, ty, 0);
        b.write(var, value);
    });
}

/// Declares the outputs that hold final values of registers.
pub(super) fn declare_final<I: Format>(cx: &Context<'_, I>, b: &mut Builder) {
    each_final::<I>(cx.entry, |number, _, _| {
        let var = b.var(final_key(number), Ty::F32, 0);
        b.output(number, var);
    });
}

/// Emits code at an exit of the program that copies control registers to their outputs.
pub(super) fn lower_final<I: Format>(cx: &Context<'_, I>, b: &mut Builder) {
    each_final::<I>(cx.entry, |number, key, ty| {
        let var = b.var(key, ty, 0);
        let value = b.read(var);
        let value: Value = match ty {
            Ty::F32 => value,
            Ty::I32 => b.op(Op::ToF, &[value]),
            Ty::Bool => {
                let (one, zero) = (b.f(1.0), b.f(0.0));
                b.sel(value, one, zero)
            }
        };
        let port = b.var(final_key(number), Ty::F32, 0);
        b.write(port, value);
    });
}

fn final_key(number: u16) -> VarKey {
    VarKey { file: FINAL_FILE, index: number / 4, component: (number % 4) as u8 }
}

/// Sets registers of a lane of the reference to their initial values. `number` is the lane's number in the group.
pub(super) fn set_initial<I: Refinement, D: Domain, H: Host<D>>(
    d: &D,
    host: &mut H,
    cx: &Context<'_, I>,
    number: usize,
    lane: &mut I::Lane<D>,
) {
    each_initial::<I>(cx.entry, |port, key, ty| {
        let [x, y, z, w] = host.input(d, number, port / 4);
        let given = [x, y, z, w][usize::from(port % 4)].clone();
        let value = match ty {
            Ty::F32 => Scalar::F(given),
            Ty::I32 => Scalar::I(d.trunc_i(&given)),
            Ty::Bool => Scalar::B(d.not(&d.eq(&given, &d.f(0.0)))),
        };
        I::set_state(cx, lane, key, value);
    });
}

/// Returns the value of an output of the reference: of an output register, or the final value of a control register.
pub fn output<I: Refinement, D: Domain>(
    d: &D,
    cx: &Context<'_, I>,
    lane: &I::Lane<D>,
    slot: u16,
) -> [D::F; 4] {
    if !I::REGISTER_SLOTS.contains(&slot) {
        return I::output(d, cx, lane, slot);
    }
    let components = I::register(cx.entry, slot).filter(|register| register.is_control);
    let components = components.map_or_else(Vec::new, |register| register.components);
    let state = I::state(d, cx, lane);
    std::array::from_fn(|c| {
        let key = components.get(c);
        match state.iter().find(|(at, _)| Some(at) == key) {
            Some((_, Scalar::F(value))) => value.clone(),
            Some((_, Scalar::I(value))) => d.to_f(value),
            Some((_, Scalar::B(value))) => d.sel(value, &d.f(1.0), &d.f(0.0)),
            None => d.f(0.0),
        }
    })
}
