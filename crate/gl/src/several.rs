//! Functions that bind several objects at once, to consecutive units or indices: OpenGL 4.4,
//! `GL_ARB_multi_bind`.

use crate::call::Call;

/// What a function binds several of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Several {
    /// Buffers, to the indices of a target.
    Buffers,
    /// Ranges of buffers.
    Ranges,
    /// Textures, to image units.
    Images,
    /// Samplers.
    Samplers,
    /// Textures.
    Textures,
    /// Buffers of vertices.
    VertexBuffers,
}

/// One of the objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct One {
    /// The unit or index.
    pub index: u32,
    /// 0 if what is bound there is unbound.
    pub name: u32,
    /// Where a range of a buffer begins, and its size; of vertices where they begin, and their
    /// stride. `None` for all of a buffer, and for other objects.
    pub range: Option<(i64, i64)>,
}

/// More than any implementation has of units and indices.
const MOST: i64 = 256;

impl Several {
    /// What a call binds. Without an array of names it unbinds.
    pub fn bound(self, call: &Call) -> impl Iterator<Item = One> + use<> {
        // The others have no target before the first index and the count.
        let at = usize::from(matches!(self, Self::Buffers | Self::Ranges));
        let [names, starts, sizes] = [2, 3, 4].map(|place| call.ints(at + place));
        let first = call.int(at) as u32;
        (0..call.int(at + 1).clamp(0, MOST) as usize).map(move |i| {
            let of = |list: &[i64]| list.get(i).copied();
            let range = match self {
                Self::Ranges => of(&starts).zip(of(&sizes)),
                Self::VertexBuffers => Some((of(&starts).unwrap_or(0), of(&sizes).unwrap_or(16))),
                _ => None,
            };
            One { index: first.saturating_add(i as u32), name: of(&names).unwrap_or(0) as u32, range }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Value;

    /// A call with lists.
    fn call(lists: &[&[i64]]) -> Call {
        let mut call = Call::default();
        for (i, list) in lists.iter().enumerate() {
            call.set_list(i, list.iter().map(|number| Value::Int(*number)));
        }
        call
    }

    #[test]
    fn each_object_has_its_index_and_range() {
        let bound = |several: Several, lists: &[&[i64]]| -> Vec<One> { several.bound(&call(lists)).collect() };
        let one = |index, name, range| One { index, name, range };
        assert_eq!(bound(Several::Textures, &[&[3], &[2], &[7, 8]]), [one(3, 7, None), one(4, 8, None)]);
        let ranges: [&[i64]; 6] = [&[35345], &[1], &[2], &[5, 0], &[16, 0], &[64, 0]];
        assert_eq!(bound(Several::Ranges, &ranges), [one(1, 5, Some((16, 64))), one(2, 0, Some((0, 0)))]);
        assert_eq!(bound(Several::Buffers, &ranges), [one(1, 5, None), one(2, 0, None)]);
        assert_eq!(bound(Several::VertexBuffers, &[&[0], &[1], &[6], &[4], &[20]]), [one(0, 6, Some((4, 20)))]);
        // Without arrays: OpenGL 4.6, section 10.3.1.
        assert_eq!(bound(Several::VertexBuffers, &[&[1], &[1], &[]]), [one(1, 0, Some((0, 16)))]);
        assert_eq!(bound(Several::Samplers, &[&[0], &[i64::MAX], &[]]).len(), 256);
        assert!(bound(Several::Samplers, &[&[0], &[-1], &[]]).is_empty());
    }
}
