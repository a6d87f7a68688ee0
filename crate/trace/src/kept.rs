//! Bytes of memory of collections that grow with what is different in a file: names, threads,
//! addresses. They count in the budget of a trace, as slices do.

use alloc::vec::Vec;
use core::mem::size_of;

/// Bytes that a list takes, without what its items refer to.
pub fn list<T>(list: &Vec<T>) -> u64 {
    (list.capacity() * size_of::<T>()) as u64
}

/// Bytes that a hash table with entries of type `E` takes, given its capacity, without what entries
/// refer to.
pub fn table<E>(capacity: usize) -> u64 {
    // Seven eighths of the places of a table are used, and each has a byte for its state.
    (capacity.div_ceil(7) * 8 * (size_of::<E>() + 1)) as u64
}

/// Appends to a list. Returns the bytes by which its memory has grown, for owners of many lists:
/// they count, and visit none when they are asked.
#[inline]
pub fn push<T>(list: &mut Vec<T>, item: T) -> u64 {
    let before = list.capacity();
    list.push(item);
    ((list.capacity() - before) * size_of::<T>()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capacity_counts_and_not_length() {
        assert_eq!(list(&Vec::<u32>::with_capacity(100)), 400);
        assert_eq!(table::<(u64, u32)>(7), 8 * 17);
        assert_eq!(table::<(u64, u32)>(0), 0);
    }

    #[test]
    fn growth_adds_up_to_what_a_list_takes() {
        let mut items = Vec::new();
        let grown: u64 = (0..1000_u16).map(|item| push(&mut items, item)).sum();
        assert_eq!(grown, list(&items));
    }
}
