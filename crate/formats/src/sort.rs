//! One sort for everything that is not sorted often.
//!
//! Each instantiation of a standard sort takes 4 to 14 KiB of the page's module.

/// Sorts pairs of a key and a number, ascending. Not stable: the number decides between equal keys.
#[inline(never)]
pub fn pairs(pairs: &mut [(u64, u32)]) {
    pairs.sort_unstable();
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_number_decides_between_equal_keys() {
        let mut pairs = [(2, 0), (1, 7), (2, u32::MAX), (1, 3)];
        super::pairs(&mut pairs);
        assert_eq!(pairs, [(1, 3), (1, 7), (2, 0), (2, u32::MAX)]);
    }
}
