//! Maps a direction to a face of a cube: step 3 of the sampler's definition.

/// A position on a face, with the factors that map gradients of the direction to the face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FacePoint {
    /// The face: 0 to 5 for +x, -x, +y, -y, +z, -z.
    pub(super) face: u32,
    /// Coordinates on the face; 0 to 1 spans it.
    pub(super) coords: [f32; 2],
    /// sc / |ma| and tc / |ma|, -1 to 1.
    ratio: [f32; 2],
    /// |ma|.
    major: f32,
}

/// Returns sc, tc and |ma| of a vector for `face` (0 to 5): the columns of the table in the sampler's definition.
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

impl FacePoint {
    /// The position at which direction `v` meets the cube.
    pub(super) fn new(v: [f32; 3]) -> FacePoint {
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
        FacePoint { face, coords: ratio.map(|r| (r + 1.0) * 0.5), ratio, major }
    }

    /// Returns the point at `coords` of `face` (0 to 5). The point's direction is scaled so that the major coordinate is 1.
    pub(super) fn on_face(face: u32, coords: [f32; 2]) -> FacePoint {
        FacePoint { face, coords, ratio: coords.map(|c| 2.0 * c - 1.0), major: 1.0 }
    }

    /// Returns the change of the coordinates on the face, to first order, if the direction changes by `step`.
    pub(super) fn gradient(&self, step: [f32; 3]) -> [f32; 3] {
        let [sc, tc, major] = project(self.face, step);
        let along = |change: f32, ratio: f32| (change - ratio * major) / self.major * 0.5;
        [along(sc, self.ratio[0]), along(tc, self.ratio[1]), 0.0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_face_is_projected_by_its_row_of_the_table() {
        // u = (sc / 2 + 1) / 2, v = (tc / 2 + 1) / 2, with sc and tc from the table.
        for (v, face, coords) in [
            ([2.0, 1.0, -0.5], 0, [0.625, 0.25]),  // sc = -z = 0.5, tc = -y = -1
            ([-2.0, 1.0, -0.5], 1, [0.375, 0.25]), // sc = z = -0.5, tc = -y = -1
            ([1.0, 2.0, -0.5], 2, [0.75, 0.375]),  // sc = x = 1, tc = z = -0.5
            ([1.0, -2.0, -0.5], 3, [0.75, 0.625]), // sc = x = 1, tc = -z = 0.5
            ([1.0, -0.5, 2.0], 4, [0.75, 0.625]),  // sc = x = 1, tc = -y = 0.5
            ([1.0, -0.5, -2.0], 5, [0.25, 0.625]), // sc = -x = -1, tc = -y = 0.5
        ] {
            let point = FacePoint::new(v);
            assert_eq!((point.face, point.coords), (face, coords), "{v:?}");
        }
    }

    #[test]
    fn ties_go_to_z_then_y() {
        for (v, face) in [
            ([1.0, 1.0, 1.0], 4),
            ([-1.0, 1.0, -1.0], 5),
            ([1.0, 1.0, 0.0], 2),
            ([1.0, -1.0, 0.5], 3),
            ([1.0, 0.5, 1.0], 4),
            ([0.0, 1.0, -1.0], 5),
        ] {
            assert_eq!(FacePoint::new(v).face, face, "{v:?}");
        }
    }

    #[test]
    fn zero_nan_and_infinite_directions_select_a_face() {
        let zero = FacePoint::new([0.0; 3]);
        assert_eq!(zero.face, 4);
        assert!(zero.coords[0].is_nan() && zero.coords[1].is_nan());
        // A comparison with NaN is false: z is not selected, nor y if it is compared with NaN, and NaN < 0 is false.
        assert_eq!(FacePoint::new([1.0, 2.0, f32::NAN]).face, 2);
        assert_eq!(FacePoint::new([f32::NAN, -2.0, 1.0]).face, 0);
        assert_eq!(FacePoint::new([f32::NAN; 3]).face, 0);
        // sc and tc are finite and |ma| is infinite, so both quotients are zero.
        let far = FacePoint::new([f32::NEG_INFINITY, 1.0, 1.0]);
        assert_eq!((far.face, far.coords), (1, [0.5, 0.5]));
    }

    #[test]
    fn gradients_follow_the_quotient_rule() {
        // Face 0: sc / |ma| = 0.25, tc / |ma| = -0.5, |ma| = 2.
        let point = FacePoint::new([2.0, 1.0, -0.5]);
        // The columns sc, tc and |ma| of the gradient are 2, 0 and 0: du = 2 / 2 * 0.5.
        assert_eq!(point.gradient([0.0, 0.0, -2.0]), [0.5, 0.0, 0.0]);
        // The columns are 0, 0 and 2: du = -0.25 * 2 / 2 * 0.5, dv = 0.5 * 2 / 2 * 0.5.
        assert_eq!(point.gradient([2.0, 0.0, 0.0]), [-0.125, 0.25, 0.0]);
        // The same position given by its face and coordinates has the same direction with |ma| = 1, so a gradient of half the length has the same
        // effect.
        let by_face = FacePoint::on_face(0, [0.625, 0.25]);
        assert_eq!(by_face.gradient([0.0, 0.0, -1.0]), [0.5, 0.0, 0.0]);
        assert_eq!(by_face.gradient([1.0, 0.0, 0.0]), [-0.125, 0.25, 0.0]);
        // On face 1, |ma| is -x: the columns are 0, 0 and 2, and sc / |ma| = -0.25.
        assert_eq!(FacePoint::new([-2.0, 1.0, -0.5]).gradient([-2.0, 0.0, 0.0]), [0.125, 0.25, 0.0]);
    }
}
