//! Fields that hold lists: elements of equal width, the first in the lowest bits.

use super::{Field, FieldKind};

/// Access to the elements of a field that is declared as [`FieldKind::Elements`]: `N` elements of equal width, at most 8 bits each.
#[derive(Clone, Copy, Debug)]
pub struct List<const N: usize> {
    width: u32,
}

impl<const N: usize> List<N> {
    /// Returns the accessor of a field's elements.
    ///
    /// # Panics
    /// If the field is not declared as a list of `N` elements, has more than 64 bits, or an element has more than 8. In a constant expression, this
    /// is a compile error.
    pub const fn of(field: &Field) -> List<N> {
        let FieldKind::Elements(width) = field.kind else { panic!("the field is not a list") };
        assert!(width as usize * N == field.width as usize, "the field must have N elements");
        assert!(width <= 8 && field.width <= 64, "an element must fit a u8, and the list a u64");
        List { width: width as u32 }
    }

    /// Element `k`, counted from the lowest bits; 0 past the end.
    #[inline(always)]
    pub fn get(self, list: impl Into<u64>, k: usize) -> u8 {
        let most = u64::MAX >> (u64::BITS - self.width);
        if k < N { (list.into() >> (self.width * k as u32) & most) as u8 } else { 0 }
    }

    /// All elements.
    #[inline]
    pub fn split(self, list: impl Into<u64>) -> [u8; N] {
        let list = list.into();
        std::array::from_fn(|k| self.get(list, k))
    }

    /// Packs elements into a list.
    ///
    /// # Panics
    /// If an element does not fit the width of elements, or the list does not fit `W`.
    #[inline]
    pub fn join<W: TryFrom<u64>>(self, elements: [u8; N]) -> W {
        let most = u64::MAX >> (u64::BITS - self.width);
        let list = elements.into_iter().rev().fold(0, |list, element| {
            let element = u64::from(element);
            assert!(element <= most, "{element} does not fit an element of {} bits", self.width);
            list << self.width | element
        });
        let Ok(list) = W::try_from(list) else { panic!("the list {list:#x} does not fit its type") };
        list
    }

    /// The list with element `k` replaced; unchanged if it has no such element.
    ///
    /// # Panics
    /// If the element does not fit the width of elements.
    #[inline]
    pub fn with<W: Into<u64> + TryFrom<u64>>(self, list: W, k: usize, element: u8) -> W {
        let mut elements = self.split(list);
        if let Some(old) = elements.get_mut(k) {
            *old = element;
        }
        self.join(elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    const PAIRS: Field = Field::new("pairs", 3, 12, FieldKind::Elements(2));
    const LIST: List<6> = List::of(&PAIRS);

    #[test]
    fn elements_are_packed_from_the_lowest_bits_up() {
        assert_eq!(LIST.split(0b11_10_01_00_01_10u16), [2, 1, 0, 1, 2, 3]);
        assert_eq!(LIST.join::<u16>([2, 1, 0, 1, 2, 3]), 0b11_10_01_00_01_10);
        assert_eq!([0, 5, 6, 64].map(|k| LIST.get(u64::MAX, k)), [3, 3, 0, 0]);
        for list in [0u16, 0xfff, 0x9a5] {
            assert_eq!(LIST.join::<u16>(LIST.split(list)), list);
            for k in 0..6 {
                let mut wanted = LIST.split(list);
                wanted[k] = 1;
                assert_eq!(LIST.split(LIST.with(list, k, 1)), wanted, "element {k} of {list:#x}");
            }
            assert_eq!(LIST.with(list, 6, 1), list);
        }
    }

    #[test]
    fn values_that_are_too_large_panic() {
        assert!(catch_unwind(|| LIST.join::<u16>([0, 4, 0, 0, 0, 0])).is_err());
        assert!(catch_unwind(|| LIST.join::<u8>([0, 0, 0, 0, 1, 0])).is_err());
        assert!(catch_unwind(|| LIST.with(0u16, 2, 4)).is_err());
        assert_eq!(LIST.join::<u8>([0, 0, 0, 2, 0, 0]), 0x80);
    }

    #[test]
    fn only_a_field_with_the_same_number_of_elements_is_a_list() {
        let field = |width, kind| Field::new("list", 0, width, kind);
        for wrong in [
            field(12, FieldKind::Number),
            field(12, FieldKind::Elements(3)),
            field(14, FieldKind::Elements(2)),
        ] {
            assert!(catch_unwind(|| List::<6>::of(&wrong)).is_err(), "{wrong:?}");
        }
    }
}
