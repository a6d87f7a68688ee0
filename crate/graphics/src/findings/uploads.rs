//! Uploads of the bytes that are already in the same place.
//!
//! Of each texture and buffer the regions are kept that uploads have filled, with a hash of what
//! they were filled with. A region goes as soon as anything else may have written to a part of it.

use core::hash::{BuildHasher, Hash, Hasher};

use hashbrown::{DefaultHashBuilder, HashMap};
use unspool_gl::gl;

use crate::known::Known;
use crate::resources::{Resources, Touch};
use unspool_gl::call::{Call, Value};

/// What a function does to contents, besides what [`Resources`] follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Nothing.
    None,
    /// Contents may be written in a way that is not followed, from now on.
    Ends,
    /// Contents may have changed, or what an upload makes of bytes.
    Forgets,
    /// Makes the smaller levels of a texture from the first.
    Mipmap,
    /// `glTexParameter`, which may ask for that after each upload.
    Parameter,
    /// Binds a buffer: its first argument may be a target that the GPU writes to.
    BindBuffer,
}

impl Role {
    pub(super) fn of(name: &str, canonical: &str) -> Self {
        let any = |parts: &[&str]| parts.iter().any(|part| canonical.contains(part));
        let external = ["BindTexImage", "EGLImageTarget", "Memory", "ImageHandle", "TextureView", "Semaphore"];
        match canonical {
            "GenerateMipmap" | "GenerateTextureMipmap" => Self::Mipmap,
            "BindBuffer" | "BindBufferBase" | "BindBufferRange" | "BindBufferOffset" => Self::BindBuffer,
            "BindBuffersBase" | "BindBuffersRange" => Self::Ends,
            _ if canonical.starts_with("BindImageTexture") || canonical.starts_with("TransformFeedbackBuffer") => {
                Self::Ends
            }
            _ if !canonical.starts_with("MemoryBarrier") && any(&external) => Self::Ends,
            _ if canonical.starts_with("TexParameter") || canonical.starts_with("TextureParameter") => Self::Parameter,
            _ if canonical.starts_with("CallList") || canonical.starts_with("Pop") => Self::Forgets,
            _ if any(&["PixelTransfer", "PixelMap", "ColorTable", "Convolution", "Invalidate", "PageCommitment"]) => {
                Self::Forgets
            }
            "CopyImageSubData" | "CopyBufferSubData" | "CopyNamedBufferSubData" => Self::Forgets,
            _ if canonical.starts_with("Clear") && any(&["Data", "Tex"]) => Self::Forgets,
            _ if name.starts_with("glX") && canonical.contains("CopyContext") => Self::Forgets,
            _ => Self::None,
        }
    }
}

/// A part of a level of a texture, or of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Region {
    level: u32,
    /// The target of a face of a cube, else 0.
    face: u32,
    from: [i64; 3],
    to: [i64; 3],
    /// Of the bytes, and all that decides what they become.
    hash: u64,
    /// Another digest of the bytes, and the writes of the texture or buffer that Resources had
    /// counted.
    account: (u64, u64),
}

/// An upload of what was there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repeated {
    /// The position of the texture or buffer in [`Resources::all`].
    pub(super) resource: u32,
    /// The bytes of the upload.
    pub(super) bytes: u64,
    /// The other digest of the bytes is the same, and nothing was counted that writes.
    pub(super) holds: bool,
}

/// Sums eight bytes at a time, each by its place.
fn digest(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let add = |sum: u64, word: u64| (sum.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let sum = words.iter().fold(bytes.len() as u64, |sum, word| add(sum, u64::from_le_bytes(*word)));
    rest.iter().fold(sum, |sum, byte| add(sum, (*byte).into()))
}

impl Region {
    fn is_same_place(&self, other: &Self) -> bool {
        (self.level, self.face, self.from, self.to) == (other.level, other.face, other.from, other.to)
    }

    fn meets(&self, other: &Self) -> bool {
        self.level == other.level
            && self.face == other.face
            && (0..3).all(|axis| {
                let side = |it: &Self| (it.from.get(axis).copied(), it.to.get(axis).copied());
                let ((from, to), (other_from, other_to)) = (side(self), side(other));
                from < other_to && other_from < to
            })
    }
}

/// What a texture or buffer holds.
#[derive(Debug, Default)]
struct Held {
    regions: Vec<Region>,
    /// [`Uploads::forgotten`] when they were looked at.
    forgotten: u64,
    /// The GPU or a mapping may write it at any time.
    is_unknown: bool,
}

/// Limit for the regions of one texture or buffer.
const MOST_REGIONS: usize = 256;
/// Targets of buffers that the GPU writes to: pixel packing, transform feedback, shader storage,
/// queries, atomic counters.
const WRITTEN: [u32; 5] = [
    gl::PIXEL_PACK_BUFFER,
    gl::TRANSFORM_FEEDBACK_BUFFER,
    gl::SHADER_STORAGE_BUFFER,
    gl::QUERY_BUFFER,
    gl::ATOMIC_COUNTER_BUFFER,
];

/// What textures and buffers hold, as far as uploads say.
#[derive(Debug, Default)]
pub(super) struct Uploads {
    held: HashMap<u32, Held>,
    hasher: DefaultHashBuilder,
    /// Number of times that the regions of all were forgotten: those of one go when it is used
    /// again.
    forgotten: u64,
    /// Nothing can be said any more.
    is_over: bool,
    /// Smaller levels may be made after each upload.
    makes_levels: bool,
}

impl Uploads {
    /// Nothing is known of any contents.
    pub(super) fn forget(&mut self) {
        self.forgotten += 1;
    }

    /// A call. Returns an upload of what was there.
    pub(super) fn call(&mut self, call: &Call, known: &Known, role: Role, resources: &Resources) -> Option<Repeated> {
        if self.is_over {
            return None;
        }
        match role {
            Role::Ends => {
                self.is_over = true;
                self.held = HashMap::new();
                return None;
            }
            Role::Forgets => self.forget(),
            Role::Parameter => self.makes_levels |= known.uint(call, "pname") == Some(gl::GENERATE_MIPMAP),
            _ => {}
        }
        let mut found = None;
        for (at, touch) in resources.touched.iter().copied() {
            if touch == Touch::Delete {
                self.held.remove(&at);
                continue;
            }
            if touch == Touch::Bind && (role != Role::BindBuffer || !WRITTEN.contains(&call.uint(0))) {
                continue;
            }
            let held = self.held.entry(at).or_default();
            if core::mem::replace(&mut held.forgotten, self.forgotten) != self.forgotten {
                held.regions.clear();
            }
            match touch {
                Touch::Delete => {}
                Touch::Bind => held.is_unknown = true,
                Touch::Write if role == Role::Mipmap => {
                    held.regions.retain(|region| region.level == 0);
                    // The first level is not written.
                    held.regions.iter_mut().for_each(|region| region.account.1 = resources.writes_of(at));
                }
                Touch::Write => held.is_unknown = true,
                Touch::Map => {
                    held.regions.clear();
                    held.is_unknown |=
                        known.int(call, "access").is_some_and(|bits| bits & i64::from(gl::MAP_PERSISTENT_BIT) != 0);
                }
                Touch::Upload { store, is_from_buffer } => {
                    let region = region_of(call, known, store, &self.hasher);
                    let Some((mut region, bytes)) = region.filter(|_| !is_from_buffer && !held.is_unknown) else {
                        held.regions.clear();
                        continue;
                    };
                    region.account.1 = resources.writes_of(at);
                    let same = held.regions.iter().find(|it| it.is_same_place(&region) && it.hash == region.hash);
                    if let Some(same) = same.filter(|_| !self.makes_levels || region.level == 0) {
                        let holds = same.account == region.account;
                        found = Some(Repeated { resource: at, bytes, holds });
                        continue;
                    }
                    held.regions.retain(|it| !it.meets(&region));
                    if held.regions.len() >= MOST_REGIONS {
                        held.regions.remove(0);
                    }
                    held.regions.push(region);
                }
            }
        }
        found
    }
}

/// What a call uploads to, and how many bytes. `None` if it uploads none, or not all of them are
/// known.
fn region_of(call: &Call, known: &Known, store: u32, hasher: &DefaultHashBuilder) -> Option<(Region, u64)> {
    // A copy to mapped memory says nothing about the part of the buffer.
    if known.canonical == "memcpy" {
        return None;
    }
    let (bytes, len) = (0..call.len()).find_map(|at| match call.argument(at) {
        Value::Bytes(bytes, len) => Some((bytes, len)),
        _ => None,
    })?;
    if bytes.len() as u64 != len || len == 0 {
        return None;
    }
    let int = |parameter: &str| known.int(call, parameter);
    let is_part = known.place("xoffset").is_some() || known.place("offset").is_some();
    let (mut from, mut to) = ([i64::MIN; 3], [i64::MAX; 3]);
    if is_part {
        let sides = [("xoffset", "width"), ("yoffset", "height"), ("zoffset", "depth")];
        for ((from, to), (offset, size)) in from.iter_mut().zip(&mut to).zip(sides) {
            *from = int(offset).unwrap_or(0);
            *to = from.saturating_add(int(size).unwrap_or(1));
        }
        if let (Some(offset), Some(size)) = (int("offset"), int("size")) {
            (from, to) = ([offset, 0, 0], [offset.saturating_add(size), 1, 1]);
        }
    }
    let mut hash = hasher.build_hasher();
    // Equal pixel stores have one number.
    store.hash(&mut hash);
    known.canonical.hash(&mut hash);
    for parameter in
        ["internalformat", "format", "type", "width", "height", "depth", "border", "size", "usage", "flags"]
    {
        int(parameter).hash(&mut hash);
    }
    len.hash(&mut hash);
    hash.write(bytes);
    let face = known
        .uint(call, "target")
        .filter(|target| (gl::TEXTURE_CUBE_MAP_POSITIVE_X..=gl::TEXTURE_CUBE_MAP_NEGATIVE_Z).contains(target))
        .unwrap_or(0);
    let level = int("level").unwrap_or(0) as u32;
    Some((Region { level, face, from, to, hash: hash.finish(), account: (digest(bytes), 0) }, len))
}
