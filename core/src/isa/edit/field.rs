//! Edits of single fields.

use super::Edit;
use crate::binary::{Bits, Field, Layout};

/// Returns edits of instruction `at` that set one field to its value in `plain`. There is one edit for each field that differs and for which `kept`
/// is false. Fields are numbered from `first`, in layout order.
pub(in crate::isa) fn field_resets<W: Bits + Into<u128> + Copy>(
    at: u32,
    first: u16,
    layout: &'static Layout,
    [word, plain]: [W; 2],
    kept: impl Fn(&Field) -> bool,
) -> impl DoubleEndedIterator<Item = Edit> {
    layout.fields.iter().enumerate().filter_map(move |(k, field)| {
        let [is, value] = [word, plain].map(|word| word.get(field).into());
        let is_changed = is != value && !kept(field);
        is_changed.then_some(Edit::Field { at, field: first + k as u16, value: value as u64 })
    })
}

/// Returns the nonempty masks that result from clearing one component of `mask`.
pub(in crate::isa) fn fewer_components(mask: u8) -> impl Iterator<Item = u8> {
    let fewer = (0..4).map(move |component| mask & !(1 << component));
    fewer.filter(move |fewer| *fewer != mask && *fewer != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary::FieldKind;

    const FIELDS: [Field; 3] = [
        Field::new("low", 0, 4, FieldKind::Number),
        Field::new("middle", 4, 4, FieldKind::Number),
        Field::new("high", 8, 8, FieldKind::Number),
    ];
    static LAYOUT: Layout = Layout { name: "word", bits: 16, source: "the test", fields: &FIELDS };

    #[test]
    fn a_field_is_reset_to_its_default_unless_protected() {
        let of = |word, kept: &[Field]| {
            field_resets(7, 20, &LAYOUT, [word, 0xe400_u32], |field| kept.contains(field)).collect::<Vec<_>>()
        };
        let edit = |field, value| Edit::Field { at: 7, field, value };
        assert_eq!(of(0x1234, &[]), [edit(20, 0), edit(21, 0), edit(22, 0xe4)]);
        assert_eq!(of(0xe430, &[]), [edit(21, 0)]);
        assert_eq!(of(0x1234, &FIELDS[1..2]), [edit(20, 0), edit(22, 0xe4)]);
    }

    #[test]
    fn a_mask_loses_one_component_and_never_the_last() {
        assert_eq!(fewer_components(0b1011).collect::<Vec<_>>(), [0b1010, 0b1001, 0b0011]);
        assert_eq!(fewer_components(0b0100).count(), 0);
    }
}
