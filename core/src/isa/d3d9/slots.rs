//! Instruction slots: the cost of each opcode.

use super::opcode::{Kind, Opcode};
use super::profile::Profile;
use super::program::Instruction;

/// The slots of one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    /// Slots for arithmetic and flow control.
    pub arithmetic: u32,
    /// Slots for texture instructions.
    pub texture: u32,
}

const fn arithmetic(arithmetic: u32) -> Slots {
    Slots { arithmetic, texture: 0 }
}
const fn texture(texture: u32) -> Slots {
    Slots { arithmetic: 0, texture }
}

/// Returns the slots that an opcode takes in a version. `cube` states whether it reads a cube texture. The slot of a predicate is not included;
/// [`slots`] adds it.
///
/// Sources: MS instruction tables, MS81 for ps_1_0. MS has two counts for cmp and dp4 in ps_1_2 and ps_1_3. This function returns the lower count,
/// which the validator of Windows uses according to MS81.
pub fn opcode_slots(op: Opcode, profile: Profile, control: u8, cube: bool) -> Slots {
    use Opcode::*;
    let pixel = profile.is_pixel();
    let (major, late) = (profile.major(), matches!(profile, Profile::Ps2x | Profile::Ps2sw));
    match op {
        Dcl | Def | Defi | Defb | Label | Phase => Slots::default(),
        Nop => arithmetic(u32::from(!(pixel && major == 1))),
        Exp | Log if major == 1 => arithmetic(10),
        Frc if major == 1 => arithmetic(3),
        Lit if major >= 2 => arithmetic(3),
        Lrp if !(pixel && major == 1) => arithmetic(2),
        M4x4 | M3x4 => arithmetic(4),
        M4x3 | M3x3 => arithmetic(3),
        M3x2 | Crs | Dp2add | Dsx | Dsy | Bem | Call | Endloop | Endrep => arithmetic(2),
        Nrm | Pow | Sgn | Callnz | If | Ifc | Loop | Rep | Breakc | Breakp => arithmetic(3),
        Sincos => arithmetic(8),
        Tex if profile == Profile::Ps10 => Slots::default(),
        Texbem if profile == Profile::Ps10 => texture(2),
        Texbeml => Slots { arithmetic: 1, texture: if profile == Profile::Ps10 { 2 } else { 1 } },
        Texkill if major >= 3 => texture(2),
        // One slot in the versions from ps_1_1 to before 3_0. In 2_x this is the smaller of two documented counts.
        Tex if major < 3 || late => texture(1),
        Tex => texture(match control {
            0 => {
                if cube {
                    4
                } else {
                    1
                }
            }
            1 => {
                if cube {
                    4
                } else {
                    3
                }
            }
            _ => 6,
        }),
        Texldd => texture(3),
        Texldl => texture(if cube { 5 } else { 2 }),
        _ if op.row().kind == Kind::Texture => texture(1),
        _ => arithmetic(1),
    }
}

/// Returns the slots that an instruction takes. The second instruction of a co-issued pair takes no slot.
pub fn slots(i: &Instruction, op: Opcode, profile: Profile, cube: bool) -> Slots {
    if i.coissue != 0 && profile.is_pixel() && profile.major() == 1 {
        return Slots::default();
    }
    let mut slots = opcode_slots(op, profile, i.control, cube);
    if i.predicate.is_some() && matches!(op.row().kind, Kind::Arithmetic | Kind::Texture) {
        slots.arithmetic += 1;
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slot counts of MS for vs_1_1, vs_2_0, ps_1_1, ps_2_0 and ps_3_0. -1 means that the version does not have the opcode.
    #[test]
    fn slot_counts_are_as_documented() {
        use Opcode::*;
        let columns = [Profile::Vs11, Profile::Vs20, Profile::Ps11, Profile::Ps20, Profile::Ps30];
        for (op, costs) in [
            (Mov, [1, 1, 1, 1, 1]),
            (Dp4, [1, 1, -1, 1, 1]),
            (Cnd, [-1, -1, 1, -1, -1]),
            (Nop, [1, 1, 0, 1, 1]),
            (Slt, [1, 1, -1, -1, -1]),
            (Mova, [-1, 1, -1, -1, -1]),
            (Exp, [10, 1, -1, 1, 1]),
            (Expp, [1, 1, -1, -1, -1]),
            (Frc, [3, 1, -1, 1, 1]),
            (Lit, [1, 3, -1, -1, -1]),
            (Lrp, [-1, 2, 1, 2, 2]),
            (M4x4, [4, 4, -1, 4, 4]),
            (M4x3, [3, 3, -1, 3, 3]),
            (M3x2, [2, 2, -1, 2, 2]),
            (Crs, [-1, 2, -1, 2, 2]),
            (Nrm, [-1, 3, -1, 3, 3]),
            (Sgn, [-1, 3, -1, -1, -1]),
            (Sincos, [-1, 8, -1, 8, 8]),
            (Dp2add, [-1, -1, -1, 2, 2]),
            (Dsx, [-1, -1, -1, -1, 2]),
            (Call, [-1, 2, -1, -1, 2]),
            (If, [-1, 3, -1, -1, 3]),
            (Endrep, [-1, 2, -1, -1, 2]),
            (Else, [-1, 1, -1, -1, 1]),
            (Def, [0, 0, 0, 0, 0]),
            (Tex, [-1, -1, 1, 1, 1]),
            (Texkill, [-1, -1, 1, 1, 2]),
            (Texldl, [-1, -1, -1, -1, 2]),
        ] {
            for (profile, cost) in columns.into_iter().zip(costs) {
                assert_eq!(cost >= 0, op.row().versions.has(profile), "{op:?} in {}", profile.name());
                if cost >= 0 {
                    let Slots { arithmetic, texture } = opcode_slots(op, profile, 0, false);
                    assert_eq!(i64::from(arithmetic + texture), cost, "{op:?} in {}", profile.name());
                }
            }
        }
        assert_eq!(opcode_slots(Texbeml, Profile::Ps11, 0, false), Slots { arithmetic: 1, texture: 1 });
        assert_eq!(opcode_slots(Tex, Profile::Ps30, 2, false).texture, 6);
        assert_eq!(opcode_slots(Tex, Profile::Ps30, 0, true).texture, 4);
        assert_eq!(opcode_slots(Tex, Profile::Ps2x, 2, true).texture, 1);
    }
}
