//! Sizes of results in which each call path is written out, from the outermost function on.
//!
//! Depths are bounded, and so are paths, but their product is not: 200,000 paths of 10,000 calls
//! are 2,000 million names. So such a result is measured before it is written.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Most bytes of such a result. Programs that read them hold them as a whole, and a text of a
/// browser has at most 512 MB.
pub const MOST_PATH_BYTES: u64 = 512_000_000;

/// The size of each path in bytes, given the nodes of a tree of calls, the root first and callers
/// before callees: the number of the caller, and how many bytes the function itself takes in a
/// path. The root takes none.
pub fn path_sizes(nodes: impl Iterator<Item = (u32, u64)>) -> Vec<u64> {
    let mut sizes: Vec<u64> = Vec::with_capacity(nodes.size_hint().0);
    for (caller, own) in nodes {
        let above = sizes.get(caller as usize).copied().unwrap_or(0);
        sizes.push(if sizes.is_empty() { 0 } else { above.saturating_add(own) });
    }
    sizes
}

/// Checks the size of a result in bytes.
///
/// # Errors
///
/// Returns a sentence if it is larger than [`MOST_PATH_BYTES`].
pub fn check_path_bytes(bytes: u64) -> Result<(), String> {
    if bytes <= MOST_PATH_BYTES {
        return Ok(());
    }
    let (megabytes, most) = (bytes.div_ceil(1_000_000), MOST_PATH_BYTES / 1_000_000);
    Err(format!("The call stacks would take {megabytes} MB written out, and at most {most} MB are written."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_the_sizes_of_their_functions() {
        // main calls draw and flush, draw calls flush.
        let nodes = [(0, 9), (0, 5), (1, 5), (1, 6), (2, 6)];
        assert_eq!(path_sizes(nodes.into_iter()), [0, 5, 10, 11, 16]);
    }

    #[test]
    fn sizes_that_are_too_large_are_said() {
        assert_eq!(check_path_bytes(MOST_PATH_BYTES), Ok(()));
        let said = check_path_bytes(6_849_000_000).unwrap_err();
        assert_eq!(said, "The call stacks would take 6849 MB written out, and at most 512 MB are written.");
        assert!(check_path_bytes(MOST_PATH_BYTES + 1).unwrap_err().contains("take 513 MB"));
        assert!(check_path_bytes(u64::MAX).is_err());
    }
}
