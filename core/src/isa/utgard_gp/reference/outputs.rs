//! The output transforms after the program, for programs that leave them to the driver (M).

use super::{Cx, Lane};
use crate::host::Host;
use crate::isa::utgard_gp::options::Choice;
use crate::isa::utgard_gp::word::{NONE, Outputs, Viewport};
use crate::value::{Domain, Freedom};

/// Transforms the position and the point size as the options select.
pub(super) fn transform_outputs<D: Domain, H: Host<D>>(d: &D, host: &mut H, cx: &Cx<'_>, lane: &mut Lane<D>) {
    let [_, _, outputs, viewport] = cx.entry.extra;
    let Outputs { position, point_size } = Outputs::from_word(outputs);
    let Viewport { scale, offset } = Viewport::from_word(viewport);
    let (position, size) = (usize::from(position), usize::from(point_size));
    let transformed = lane.varyings.get(position).is_some() && scale != NONE && offset != NONE;
    if transformed || lane.varyings.get(size).is_some() {
        host.record(Freedom::Formula, &d.b(true));
    }
    let choice = cx.options.get(Choice::PositionTransform as usize);
    if let Some(varying) = lane.varyings.get_mut(position).filter(|_| transformed && choice != 0) {
        let scale = host.constant(d, &d.i(scale.into()));
        let offset = host.constant(d, &d.i(offset.into()));
        let [x, y, z, w] = varying.clone();
        let inverse = d.div(&d.f(1.0), &w);
        // Mesa's form does not clamp 1/w. Only ARM's form multiplies by the scale before it multiplies by 1/w.
        let inverse = if choice == 1 {
            inverse
        } else {
            let (low, high) = (d.f(-1e10), d.f(1e10));
            let at_least = d.sel(&d.lt(&low, &inverse), &inverse, &low);
            d.sel(&d.lt(&at_least, &high), &at_least, &high)
        };
        for (c, v) in [x, y, z].into_iter().enumerate() {
            let product = if choice == 2 {
                d.mul(&d.mul(&v, &scale[c]), &inverse)
            } else {
                d.mul(&d.mul(&v, &inverse), &scale[c])
            };
            varying[c] = d.add(&product, &offset[c]);
        }
        varying[3] = inverse;
    }
    if let Some(varying) =
        lane.varyings.get_mut(size).filter(|_| cx.options.get(Choice::PointSizeTransform as usize) == 1)
    {
        let (low, high) = (d.f(1.0), d.f(100.0));
        let at_least = d.sel(&d.lt(&low, &varying[0]), &varying[0], &low);
        varying[0] = d.sel(&d.lt(&at_least, &high), &at_least, &high);
    }
}
