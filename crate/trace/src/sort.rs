//! One sort for everything that is not sorted often.
//!
//! Each instantiation of a standard sort takes 4 to 14 KiB of the page's module.

use alloc::vec::Vec;

/// Sorts pairs of a key and a number, ascending. Not stable: the number decides between equal keys.
#[inline(never)]
pub fn pairs(pairs: &mut [(u64, u32)]) {
    pairs.sort_unstable();
}

/// The numbers `0..len` in the order of their keys, of which the first counts most. Stable.
#[must_use]
pub fn order(len: usize, keys: &[&dyn Fn(usize) -> u64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..len as u32).collect();
    let mut ranked: Vec<(u64, u32)> = Vec::new();
    // From the least significant key on, each sort keeps the order of the one before among its
    // equals.
    for key in keys.iter().rev() {
        ranked.clear();
        ranked.extend(order.iter().map(|number| key(*number as usize)).zip(0..));
        if ranked.is_sorted() {
            continue;
        }
        pairs(&mut ranked);
        order = ranked.iter().filter_map(|(_, rank)| order.get(*rank as usize).copied()).collect();
    }
    order
}

/// Puts a list in an order of its numbers.
#[must_use]
pub fn in_order<T>(list: Vec<T>, order: &[u32]) -> Vec<T> {
    let mut list: Vec<Option<T>> = list.into_iter().map(Some).collect();
    order.iter().filter_map(|number| list.get_mut(*number as usize)?.take()).collect()
}

/// A key of [`order`] for a signed number.
#[must_use]
pub fn signed(number: i32) -> u64 {
    u64::from((number as u32) ^ (1 << 31))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_number_decides_between_equal_keys() {
        let mut pairs = [(2, 0), (1, 7), (2, u32::MAX), (1, 3)];
        super::pairs(&mut pairs);
        assert_eq!(pairs, [(1, 3), (1, 7), (2, 0), (2, u32::MAX)]);
    }

    #[test]
    fn the_first_key_counts_most_and_equals_keep_their_order() {
        let list = [(2, -1), (1, 5), (2, -1), (1, -5), (0, 9)];
        let order = super::order(list.len(), &[&|i| list[i].0, &|i| super::signed(list[i].1)]);
        assert_eq!(order, [4, 3, 1, 0, 2]);
        assert_eq!(super::in_order(list.to_vec(), &order), [(0, 9), (1, -5), (1, 5), (2, -1), (2, -1)]);
        assert_eq!(super::order(3, &[]), [0, 1, 2]);
    }
}
