//! From a direction to a face of a cube: step 3 of the sampler's definition.

/// A place on a face, and what turns steps of the direction into steps of the place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    /// 0 to 5: +x -x +y -y +z -z.
    pub(super) face: u32,
    /// Coordinates on the face; 0 to 1 spans it.
    pub(super) coords: [f32; 2],
    /// sc / |ma| and tc / |ma|, -1 to 1.
    ratio: [f32; 2],
    /// |ma|.
    major: f32,
}

/// sc, tc and |ma| of `v` as `face` (0 to 5) sees it: the columns of the table in the sampler's definition.
fn project(face: u32, [x, y, z]: [f32; 3]) -> [f32; 3] {
    match face {
        0 => [-z, -y, x],
        1 => [z, -y, -x],
        2 => [x, z, y],
        3 => [x, -z, -y],
        4 => [x, -y, z],
        _ => [-x, -y, -z],
    }
}

impl Place {
    /// Where direction `v` meets the cube.
    pub(super) fn new(v: [f32; 3]) -> Place {
        let [x, y, z] = v;
        let [ax, ay, az] = v.map(f32::abs);
        let face = if az >= ax && az >= ay {
            4 + u32::from(z < 0.0)
        } else if ay >= ax {
            2 + u32::from(y < 0.0)
        } else {
            u32::from(x < 0.0)
        };
        let [sc, tc, major] = project(face, v);
        let ratio = [sc / major, tc / major];
        Place { face, coords: ratio.map(|r| (r + 1.0) * 0.5), ratio, major }
    }

    /// How far the coordinates on the face move when the direction moves by `step`, to first order.
    pub(super) fn gradient(&self, step: [f32; 3]) -> [f32; 3] {
        let [sc, tc, major] = project(self.face, step);
        let along = |change: f32, ratio: f32| (change - ratio * major) / self.major * 0.5;
        [along(sc, self.ratio[0]), along(tc, self.ratio[1]), 0.0]
    }
}
