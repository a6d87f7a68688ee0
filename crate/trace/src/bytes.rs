//! What parts of one build hand each other as bytes, between workers and modules.

use alloc::vec::Vec;

use postcard::ser_flavors::Flavor;
use serde::Serialize;

/// Plain data as bytes, in postcard's format. They are valid within one version of the program.
pub fn to_bytes(what: &impl Serialize) -> Vec<u8> {
    // Only types whose serialisation fails could make this fail; those here are plain data.
    postcard::serialize_with_flavor(what, Bytes(Vec::new())).unwrap_or_default()
}

/// Where it is written. postcard's own vector would be inlined into every field: 6 kB of the module
/// of a session.
struct Bytes(Vec<u8>);

impl Flavor for Bytes {
    type Output = Vec<u8>;

    #[inline(never)]
    fn try_extend(&mut self, data: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(data);
        Ok(())
    }

    #[inline(never)]
    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<Vec<u8>> {
        Ok(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_postcard() {
        let data = (7u64, "text", [1u32 << 30, 0], Some(-3i64), u64::MAX);
        assert_eq!(to_bytes(&data), postcard::to_allocvec(&data).unwrap_or_default());
    }
}
