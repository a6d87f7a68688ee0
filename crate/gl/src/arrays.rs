//! Interleaved client arrays: OpenGL 2.1, section 2.8.

use crate::gl;

/// A client array within the vertices of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interleaved {
    /// Such as `GL_COLOR_ARRAY`.
    pub array: u32,
    /// Numbers of an element. 0 if the format lacks the array, which is disabled.
    pub size: u32,
    /// Their type.
    pub kind: u32,
    /// In bytes, from the beginning of a vertex.
    pub offset: u32,
}

/// What each format has, from `GL_V2F` on: components of texture coordinates, of colours (`-4`:
/// bytes), of normals, and of positions. OpenGL 2.1, table 2.5.
const FORMATS: [(u32, i32, u32, u32); 14] = [
    (0, 0, 0, 2),
    (0, 0, 0, 3),
    (0, -4, 0, 2),
    (0, -4, 0, 3),
    (0, 3, 0, 3),
    (0, 0, 3, 3),
    (0, 4, 3, 3),
    (2, 0, 0, 3),
    (4, 0, 0, 4),
    (2, -4, 0, 3),
    (2, 3, 0, 3),
    (2, 0, 3, 3),
    (2, 4, 3, 3),
    (4, 4, 3, 4),
];

/// The arrays that `glInterleavedArrays` disables whatever its format.
pub const NEVER_INTERLEAVED: [u32; 4] =
    [gl::SECONDARY_COLOR_ARRAY, gl::FOG_COORD_ARRAY, gl::EDGE_FLAG_ARRAY, gl::INDEX_ARRAY];

/// The arrays of a format of `glInterleavedArrays`, in the order in which they lie in memory, and
/// the bytes of a vertex.
pub fn interleaved(format: u32) -> Option<([Interleaved; 4], u32)> {
    let (coordinates, colors, normals, positions) = *FORMATS.get(format.checked_sub(gl::V2F)? as usize)?;
    let color = if colors < 0 { gl::UNSIGNED_BYTE } else { gl::FLOAT };
    let mut end = 0;
    let parts = [
        (gl::TEXTURE_COORD_ARRAY, coordinates, gl::FLOAT),
        (gl::COLOR_ARRAY, colors.unsigned_abs(), color),
        (gl::NORMAL_ARRAY, normals, gl::FLOAT),
        (gl::VERTEX_ARRAY, positions, gl::FLOAT),
    ];
    let parts = parts.map(|(array, size, kind)| {
        let offset = end;
        end += if kind == gl::FLOAT { 4 * size } else { size };
        Interleaved { array, size, kind, offset }
    });
    Some((parts, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_their_arrays_in_order() {
        let (parts, stride) = interleaved(gl::T2F_C4UB_V3F).unwrap();
        assert_eq!((parts.map(|part| part.offset), parts.map(|part| part.size)), ([0, 8, 12, 12], [2, 4, 0, 3]));
        assert_eq!((parts[1].kind, stride), (gl::UNSIGNED_BYTE, 24));
        assert_eq!(interleaved(gl::T4F_C4F_N3F_V4F).map(|(_, stride)| stride), Some(60));
        assert_eq!((interleaved(gl::V2F - 1), interleaved(gl::T4F_C4F_N3F_V4F + 1)), (None, None));
    }
}
