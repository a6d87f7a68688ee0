//! Buffer textures (OpenGL 4.6, section 8.9), which WebGL2 lacks: flat textures with the texels of
//! the buffer, row by row. They are uploaded before draws that sample them, if the buffer has
//! changed.

use unspool_gl::gl;

use super::Functions;
use crate::driver::{Replay, Sampled};
use crate::glsl::Translated;
use crate::objects::{BUFFER, Texture};
use crate::ops::{Op, Stream};
use crate::pixels::{Storage, storage_of};

pub(crate) const TABLE: Functions = &[
    ("TexBuffer", |r, c, _| attach(r, c.uint(1), c.uint(2), 0, None)),
    ("TexBufferRange", |r, c, _| {
        let [offset, size] = [3, 4].map(|index| usize::try_from(c.int(index)).unwrap_or_default());
        attach(r, c.uint(1), c.uint(2), offset, Some(size));
    }),
];

/// What a buffer texture samples.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Texels {
    buffer: u32,
    internal: u32,
    /// In bytes.
    offset: usize,
    /// In bytes. `None` for all that the buffer has after the offset.
    size: Option<usize>,
    /// The version of the buffer that WebGL2 has.
    sent: Option<u64>,
    /// WebGL2 has more texels there than the buffer.
    is_padded: bool,
}

fn attach(r: &mut Replay, internal: u32, buffer: u32, offset: usize, size: Option<usize>) {
    if let Some(texture) = r.texture_at(gl::TEXTURE_BUFFER) {
        let made = Texels { buffer, internal, offset, size, sent: None, is_padded: false };
        texture.texels = (buffer > 0).then_some(made);
        // Uploads of another beginning are not those of this one.
        texture.is_drawn = true;
    }
}

/// How texels of a format of table 8.15 are uploaded, and the bytes that a buffer has of one.
/// `None` for formats that WebGL2 lacks: those of the compatibility profile.
fn format_of(internal: u32) -> Option<(Storage, usize)> {
    let (own, format, kind, bytes) = match internal {
        gl::R8 => (internal, gl::RED, gl::UNSIGNED_BYTE, 1),
        gl::RG8 => (internal, gl::RG, gl::UNSIGNED_BYTE, 2),
        gl::RGBA8 => (internal, gl::RGBA, gl::UNSIGNED_BYTE, 4),
        gl::R16F => (internal, gl::RED, gl::HALF_FLOAT, 2),
        gl::RG16F => (internal, gl::RG, gl::HALF_FLOAT, 4),
        gl::RGBA16F => (internal, gl::RGBA, gl::HALF_FLOAT, 8),
        gl::R32F => (internal, gl::RED, gl::FLOAT, 4),
        gl::RG32F => (internal, gl::RG, gl::FLOAT, 8),
        gl::RGB32F => (internal, gl::RGB, gl::FLOAT, 12),
        gl::RGBA32F => (internal, gl::RGBA, gl::FLOAT, 16),
        gl::RGB32I => (internal, gl::RGB_INTEGER, gl::INT, 12),
        gl::RGB32UI => (internal, gl::RGB_INTEGER, gl::UNSIGNED_INT, 12),
        // Normalised ones of 16 bits become floats.
        gl::R16 => (gl::R32F, gl::RED, gl::FLOAT, 2),
        gl::RG16 => (gl::RG32F, gl::RG, gl::FLOAT, 4),
        gl::RGBA16 => (gl::RGBA32F, gl::RGBA, gl::FLOAT, 8),
        _ => {
            let whole = storage_of(internal, 0).filter(Storage::is_integer)?;
            return Some((whole, whole.bytes as usize));
        }
    };
    let base = storage_of(gl::RGBA, 0)?.base;
    let is_wide = matches!(internal, gl::R16 | gl::RG16 | gl::RGBA16);
    let uploaded = if is_wide { 2 * bytes } else { bytes };
    Some((Storage { internal: own, format, kind, bytes: uploaded, base }, bytes as usize))
}

/// Asks for the number of texels, in what shaders are translated to.
const ASKS: &str = "_sizeBuffer(";

/// Width and height of `count` texels: as many as there are, so that a shader may ask for their
/// number, unless that has no divisors. `None` if they are too many.
fn size_of(count: usize, most: usize) -> Option<[usize; 2]> {
    let count = count.max(1);
    let fits = |width: &usize| count.div_ceil(*width) <= most;
    let exact = (1..=most.min(count)).rev().take_while(fits).find(|width| count.is_multiple_of(*width));
    let width = exact.or(Some(most).filter(fits))?;
    Some([width, count.div_ceil(width)])
}

impl Replay {
    /// Uploads the buffer textures that a draw samples, if their buffers have changed.
    ///
    /// # Errors
    ///
    /// Returns why one cannot be sampled.
    pub(crate) fn flush_texels(&mut self, sampled: &[Sampled], made: &Translated) -> Result<(), &'static str> {
        for Sampled { unit, .. } in sampled.iter().filter(|sampled| sampled.of == Some(BUFFER)) {
            let name = self.context().and_then(|context| context.units.get(*unit)).map_or(0, |names| names[BUFFER]);
            let is_padded = self.flush_texel_buffer(name)?;
            if is_padded && [&made.vertex, &made.fragment].iter().any(|text| text.contains(ASKS)) {
                return Err("a buffer texture has a number of texels that no texture of WebGL2 has");
            }
        }
        Ok(())
    }

    /// Returns whether WebGL2 has more texels than the buffer.
    fn flush_texel_buffer(&mut self, name: u32) -> Result<bool, &'static str> {
        let most = self.bounds.size as usize;
        let Some((_, objects, stream)) = self.both() else { return Ok(false) };
        let Some(texture) = objects.textures.get(&name) else { return Ok(false) };
        // What a deleted buffer had, the texture still has.
        let Some((texels, buffer)) = texture.texels.and_then(|of| Some((of, objects.buffers.get(&of.buffer)?))) else {
            return Ok(false);
        };
        if let Some(problem) = buffer.problem {
            return Err(problem);
        }
        if texels.sent == Some(buffer.version) {
            return Ok(texels.is_padded);
        }
        let (of, bytes) = format_of(texels.internal).ok_or("a buffer texture has a format that WebGL2 lacks")?;
        let left = buffer.data.len().saturating_sub(texels.offset);
        let count = texels.size.unwrap_or(left).min(left) / bytes;
        let [width, height] = size_of(count, most).ok_or("a buffer texture is larger than WebGL2 allows")?;
        let is_padded = width * height > count;
        if !stream.on {
            return Ok(is_padded);
        }
        let mut content = buffer.data.get(texels.offset, count * bytes).unwrap_or_default().into_owned();
        let version = buffer.version;
        if bytes < of.bytes as usize {
            let numbers = content.as_chunks::<2>().0.iter().map(|two| f32::from(u16::from_le_bytes(*two)) / 65535.0);
            content = numbers.flat_map(f32::to_le_bytes).collect();
        }
        content.resize(width * height * of.bytes as usize, 0);
        let old: u64 = texture.sizes.values().sum();
        if !self.reserve(old, content.len() as u64) {
            return Ok(is_padded);
        }
        self.work += content.len() as u64;
        let Some((_, objects, stream)) = self.both() else { return Ok(false) };
        let Some(texture) = objects.textures.get_mut(&name) else { return Ok(false) };
        texture.sizes.insert((gl::TEXTURE_BUFFER, 0), content.len() as u64);
        upload(stream, texture, of, [width as u32, height as u32], &content);
        texture.texels = Some(Texels { sent: Some(version), is_padded, ..texels });
        Ok(is_padded)
    }
}

/// Sends the texels. Textures of floats and whole numbers are sampled only without filters.
fn upload(stream: &mut Stream, texture: &mut Texture, of: Storage, [width, height]: [u32; 2], content: &[u8]) {
    let Texture { handle, binding, .. } = *texture;
    (texture.storage, texture.levels) = (Some(of), vec![[width, height, 0]]);
    let (at, len) = stream.put_bytes(content);
    let size = [width, height, 0, of.format, of.kind, at, len];
    stream.put(Op::TexImage, &[&[handle, binding, binding, 0, of.internal][..], &size].concat());
    for filter in [gl::TEXTURE_MIN_FILTER, gl::TEXTURE_MAG_FILTER] {
        stream.put(Op::TexParameter, &[handle, binding, filter, gl::NEAREST, 0]);
    }
    stream.split();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bounds;
    use crate::ops::tests::commands;
    use unspool_gl::example::{Example, Value};

    #[test]
    fn texels_are_uploaded_when_their_buffer_has_changed() {
        let mut replay = Replay::new(Bounds::default(), true);
        let int = |n: u32| Value::Int(n.into());
        let mut number = 0;
        let mut execute = |replay: &mut Replay, name: &str, args: Vec<Value>| {
            replay.execute_example(&Example { number, name: name.into(), args, ..Example::default() });
            number += 1;
        };
        let target = gl::TEXTURE_BUFFER;
        let data = |bytes: &[u8]| vec![int(target), int(8), Value::Bytes(bytes.to_vec()), int(gl::STATIC_DRAW)];
        execute(&mut replay, "glXMakeCurrent", vec![int(1), int(2), int(3)]);
        execute(&mut replay, "glBindBuffer", vec![int(target), int(5)]);
        execute(&mut replay, "glBufferData", data(&[1, 2, 3, 4, 5, 6, 7, 8]));
        execute(&mut replay, "glBindTexture", vec![int(target), int(6)]);
        execute(&mut replay, "glTexBufferRange", [target, gl::R16UI, 5, 2, 4].map(int).to_vec());
        let sampled = [Sampled { unit: 0, slot: 0, of: Some(BUFFER) }];
        let uploads = |replay: &Replay| commands(&replay.stream, Op::TexImage).len();
        assert_eq!((replay.flush_texels(&sampled, &Translated::default()), uploads(&replay)), (Ok(()), 1));
        let words = commands(&replay.stream, Op::TexImage)[0].to_vec();
        assert_eq!(words[4..9], [gl::R16UI, 2, 1, 0, gl::RED_INTEGER]);
        assert_eq!(replay.stream.bytes[words[10] as usize..][..4], [3, 4, 5, 6]);
        assert_eq!((replay.flush_texels(&sampled, &Translated::default()), uploads(&replay)), (Ok(()), 1));
        execute(&mut replay, "glBufferSubData", vec![int(target), int(4), int(1), Value::Bytes(vec![9])]);
        assert_eq!((replay.flush_texels(&sampled, &Translated::default()), uploads(&replay)), (Ok(()), 2));
        // What a deleted buffer had, its texture keeps.
        execute(&mut replay, "glDeleteBuffers", vec![int(1), Value::List(vec![int(5)])]);
        assert_eq!((replay.flush_texels(&sampled, &Translated::default()), uploads(&replay)), (Ok(()), 2));
        execute(&mut replay, "glTexBuffer", [target, gl::ALPHA8, 7].map(int).to_vec());
        execute(&mut replay, "glBindBuffer", vec![int(target), int(7)]);
        execute(&mut replay, "glBufferData", data(&[0; 8]));
        assert_eq!(
            replay.flush_texels(&sampled, &Translated::default()),
            Err("a buffer texture has a format that WebGL2 lacks")
        );
    }

    #[test]
    fn texels_are_as_many_as_they_are() {
        assert_eq!(size_of(5, 8), Some([5, 1]));
        assert_eq!(size_of(16, 8), Some([8, 2]));
        assert_eq!(size_of(21, 8), Some([7, 3]));
        // A prime number has no other divisor: three texels too many.
        assert_eq!(size_of(13, 8), Some([8, 2]));
        assert_eq!(size_of(65, 8), None);
        assert_eq!(size_of(0, 8), Some([1, 1]));
    }

    #[test]
    fn formats_are_uploaded_as_the_buffer_has_them() {
        for (internal, bytes, uploaded) in
            [(gl::R8, 1, 1), (gl::RGB32F, 12, 12), (gl::RGBA16, 8, 16), (gl::RG32UI, 8, 8)]
        {
            let (of, own) = format_of(internal).unwrap();
            assert_eq!((own, of.bytes), (bytes, uploaded));
        }
        assert!(format_of(gl::RGB8).is_none());
    }
}
