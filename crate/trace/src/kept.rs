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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capacity_counts_and_not_length() {
        assert_eq!(list(&Vec::<u32>::with_capacity(100)), 400);
        assert_eq!(table::<(u64, u32)>(7), 8 * 17);
        assert_eq!(table::<(u64, u32)>(0), 0);
    }
}
