//! What textures, buffers and shaders hold at a call: their uploads read again from the file.

use hashbrown::HashMap;
use unspool_gl::pixels::{Compressed, Image, Internal, Layout, NoImage, PixelStore};
use unspool_gl::textures::{Command, Does, face_of, smaller};
use unspool_records::{ByteSource, Unreadable};
use unspool_trace::Digest;
use unspool_trace::records::Extent;

use super::buffer_contents::BufferAt;
use super::{Kind, Resource, Resources, Upload, What};
use crate::known::{Known, integer};
use crate::reader::{CallVisitor, Reader};
use unspool_gl::call::{Call, Value};

/// A level of a texture at a call.
#[derive(Clone, Debug)]
pub struct TextureAt {
    /// The texels. `None` if the level was never given a size.
    pub image: Option<Image>,
    /// Why there are no texels, or some are missing.
    pub wrong: Option<NoImage>,
    /// The latest call that made the graphics processor write it since it got its size: uploads do
    /// not say what it holds then. An upload counts whose pixels come from a buffer that does not
    /// have them for certain.
    pub written: Option<u64>,
    /// The latest call that gave it contents.
    pub uploaded: Option<u64>,
    /// Calls have more bytes than are kept of one.
    pub is_cut: bool,
}

/// Resources whose contents [`Contents::held`] reads, and uploads of each.
const MOST_HELD: usize = 400;
const MOST_UPLOADS: usize = 16;

/// What a resource holds, as far as that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// The text of a shader, or a digest of each upload: equal where contents are equal, but for
    /// collisions in 128 bits. Empty if it is not known.
    pub key: String,
    /// The last call that uploaded something, if the contents are known.
    pub uploaded: Option<u64>,
}

/// Reads contents again. The reader must keep all bytes of blobs.
pub struct Contents<'a, S> {
    pub(super) resources: &'a Resources,
    pub(super) reader: &'a mut Reader<S>,
}

impl<'a, S: ByteSource> Contents<'a, S> {
    /// Contents of the resources that a survey has found. `reader` is one of [`Reader::keeping`]
    /// all bytes.
    pub fn new(resources: &'a Resources, reader: &'a mut Reader<S>) -> Self {
        Self { resources, reader }
    }

    /// A level of a texture after a call.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn texture(&mut self, resource: u32, level: u32, call: u64) -> Result<TextureAt, Unreadable> {
        let Some(it) = self.resources.all.get(resource as usize).filter(|it| it.kind == Kind::Texture) else {
            return Ok(TextureAt { image: None, wrong: None, written: None, uploaded: None, is_cut: false });
        };
        let uploads: Vec<Upload> = it.uploads.iter().copied().take_while(|upload| upload.call <= call).collect();
        // Pixels that come from a buffer.
        let mut buffers = HashMap::new();
        for upload in &uploads {
            if let Some(buffer) = upload.from {
                buffers.insert(upload.call, self.buffer_at(buffer, upload.call)?);
            }
        }
        let mut visitor = TextureVisitor {
            stores: self.resources.stores.all(),
            uploads: &uploads,
            buffers,
            target: it.texture.target,
            level,
            functions: Functions::default(),
            defined: None,
            uncertain: None,
            at: TextureAt { image: None, wrong: None, written: None, uploaded: None, is_cut: false },
        };
        read(self.reader, uploads.iter().map(|upload| upload.call), &mut visitor)?;
        let mut at = visitor.at;
        let written = it.events.iter().rfind(|event| event.what == What::Written && event.call <= call);
        let written = written.map(|event| event.call);
        at.written = written.filter(|call| visitor.defined.is_none_or(|defined| defined < *call));
        at.written = at.written.max(visitor.uncertain);
        Ok(at)
    }

    /// The bytes that a call had as its first argument that is a blob: vertices or indices in the
    /// program's memory. Empty without any.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn blob(&mut self, call: u64) -> Result<Vec<u8>, Unreadable> {
        let mut visitor = BlobVisitor { call, bytes: Vec::new() };
        read(self.reader, [call].into_iter(), &mut visitor)?;
        Ok(visitor.bytes)
    }

    /// The source of a shader after a call: its `glShaderSource` calls so far with their texts, the
    /// latest last.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn sources(&mut self, resource: u32, call: u64) -> Result<Vec<(u64, String)>, Unreadable> {
        let Some(it) = self.resources.all.get(resource as usize).filter(|it| it.kind == Kind::Shader) else {
            return Ok(Vec::new());
        };
        let mut visitor = SourceVisitor { uploads: &it.uploads, functions: Functions::default(), found: Vec::new() };
        let calls = it.uploads.iter().map(|upload| upload.call).take_while(|upload| *upload <= call);
        read(self.reader, calls, &mut visitor)?;
        visitor.found.retain(|(number, _)| *number <= call);
        Ok(visitor.found)
    }

    /// What resources hold at last, by position in [`Resources::all`], for a comparison with
    /// another trace: texts of shaders, and uploaded bytes. Reads the first 400 resources that have
    /// uploads, and of those the ones with 16 uploads at most, in one pass over their pieces of the
    /// file.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn held(&mut self) -> Result<Vec<Held>, Unreadable> {
        let all = &self.resources.all;
        let mut held = vec![Held::default(); all.len()];
        let mut calls = Vec::new();
        let filled = all.iter().enumerate().filter(|(_, it)| !it.uploads.is_empty()).take(MOST_HELD);
        for (at, it) in filled.filter(|(_, it)| it.uploads.len() <= MOST_UPLOADS) {
            calls.extend(it.uploads.iter().map(|upload| (upload.call, at)));
            if let Some(held) = held.get_mut(at) {
                held.uploaded = it.uploads.last().map(|upload| upload.call);
            }
        }
        calls.sort_unstable();
        let mut visitor = HeldVisitor { resources: all, calls: &calls, functions: Functions::default(), held };
        read(self.reader, calls.iter().map(|(call, _)| *call), &mut visitor)?;
        Ok(visitor.held)
    }
}

/// Passes the calls of the pieces that have these calls to a visitor, which looks at the calls that
/// it wants.
pub(super) fn read<S: ByteSource>(
    reader: &mut Reader<S>,
    calls: impl Iterator<Item = u64>,
    visitor: &mut dyn CallVisitor,
) -> Result<(), Unreadable> {
    let mut pieces: Vec<u32> = calls.map(|call| reader.piece_of(call)).collect();
    pieces.dedup();
    for piece in pieces {
        reader.pass(piece..piece + 1, visitor)?;
    }
    Ok(())
}

/// The functions of a trace that a visitor has seen.
#[derive(Default)]
pub(super) struct Functions {
    pub(super) known: Vec<Known>,
    numbers: HashMap<String, u32>,
}

impl Functions {
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.known.len() as u32;
        self.known.push(Known::of(name));
        self.numbers.insert(name.into(), number);
        number
    }
}

fn is_one_of(uploads: &[Upload], call: u64) -> Option<&Upload> {
    uploads.binary_search_by_key(&call, |upload| upload.call).ok().and_then(|at| uploads.get(at))
}

struct TextureVisitor<'a> {
    stores: &'a [PixelStore],
    uploads: &'a [Upload],
    /// The buffers that pixels come from, as they were then, by upload.
    buffers: HashMap<u64, BufferAt>,
    target: u32,
    level: u32,
    functions: Functions,
    /// The latest call that gave the level its size.
    defined: Option<u64>,
    /// The latest upload since then whose pixels come from a buffer that does not have them for
    /// certain.
    uncertain: Option<u64>,
    at: TextureAt,
}

impl CallVisitor for TextureVisitor<'_> {
    fn function(&mut self, name: &str) -> Option<u32> {
        Some(self.functions.number(name))
    }

    fn wants(&mut self, number: u64, _function: u32) -> bool {
        is_one_of(self.uploads, number).is_some()
    }

    fn call(&mut self, call: &Call) {
        let Some(upload) = is_one_of(self.uploads, call.number).copied() else { return };
        let functions = core::mem::take(&mut self.functions);
        if let Some(function) = functions.known.get(call.function as usize).and_then(|known| known.texture)
            && let Err(wrong) = self.apply(call, &function.command(call), upload)
        {
            self.at.wrong = Some(wrong);
        }
        self.functions = functions;
    }
}

impl TextureVisitor<'_> {
    fn apply(&mut self, call: &Call, command: &Command, upload: Upload) -> Result<(), NoImage> {
        let Command { does, level, internal, kind: of, .. } = *command;
        let target = command.target.unwrap_or(self.target);
        let size = command.size_of(target);
        if does == Does::Storage {
            if self.level < level {
                (self.defined, self.uncertain) = (Some(call.number), None);
                self.define(internal, 0, smaller(size, self.level, self.target), false)?;
                self.at.uploaded = Some(call.number);
            }
            return Ok(());
        }
        if level != self.level {
            return Ok(());
        }
        if does == Does::Image {
            // The other faces of a cube map stay.
            let is_face = face_of(target).is_some();
            (self.defined, self.uncertain) = (Some(call.number), self.uncertain.filter(|_| is_face));
            self.define(internal, of, size, is_face)?;
        }
        self.at.uploaded = Some(call.number);
        self.upload(call, command, upload, target)
    }

    /// The level gets pixels: of the call, or of the buffer that pixels come from.
    fn upload(&mut self, call: &Call, command: &Command, upload: Upload, target: u32) -> Result<(), NoImage> {
        let Command { does, internal, kind: of, .. } = *command;
        let size = command.size_of(target);
        let [x, y, z] = command.offset.map(|offset| offset as u32);
        let corner = [x, y, z.saturating_add(face_of(target).unwrap_or_default())];
        let count = [size[0], size[1], if command.dimensions < 3 { 1 } else { size[2] }];
        let data = command.pixels.map_or(Value::Null, |place| call.argument(place));
        let buffer = self.buffers.get(&call.number).filter(|_| !matches!(data, Value::Bytes(..)));
        // An offset in the buffer that pixels come from. 0 is recorded as a null pointer.
        let from = buffer.map_or(0, |_| usize::try_from(integer(data).unwrap_or_default()).unwrap_or(usize::MAX));
        let bytes = match (data, buffer) {
            (Value::Bytes(bytes, len), _) => {
                self.at.is_cut |= (bytes.len() as u64) < len;
                bytes
            }
            (_, Some(buffer)) => buffer.bytes.get(from..).unwrap_or_default(),
            _ => &[],
        };
        let Some(image) = &mut self.at.image else { return Ok(()) };
        let lines = if command.is_compressed {
            let number = if does == Does::Image { internal } else { command.format };
            let compressed = Internal::of(number, 0).and_then(|format| format.compressed);
            let Some(compressed) = compressed.or(image.internal.compressed) else { return Ok(()) };
            image.upload_blocks(corner, count, compressed, bytes);
            Lines::Blocks(compressed)
        } else {
            if bytes.is_empty() && buffer.is_none() {
                return Ok(());
            }
            let store = self.stores.get(upload.store as usize).copied().unwrap_or_default();
            let layout = Layout::new(command.format, of, store)?;
            image.upload(corner, count, &layout, bytes);
            Lines::Pixels(layout)
        };
        if let Some(buffer) = buffer
            && !lines.are_certain(image, corner, count, (buffer, from))
        {
            self.uncertain = Some(call.number);
        }
        Ok(())
    }

    /// The level gets a size. Faces come one after the other: those that were there stay.
    fn define(&mut self, internal: u32, of: u32, size: [u32; 3], is_face: bool) -> Result<(), NoImage> {
        let format = Internal::of(internal, of).ok_or(NoImage::Format(internal))?;
        let [width, height, depth] = size;
        let is_same = self.at.image.as_ref().is_some_and(|image| {
            (image.width, image.height, image.depth, image.internal) == (width, height, depth, format)
        });
        if !is_same || !is_face {
            self.at.image = None;
            self.at.image = Some(Image::new(format, width, height, depth)?);
        }
        Ok(())
    }
}

/// The lines of pixels of an upload.
enum Lines {
    Pixels(Layout),
    Blocks(Compressed),
}

impl Lines {
    /// The begin and end of a row of pixels in memory. `None` if they are not known.
    fn row(&self, size: [u32; 3], y: u32, z: u32) -> Option<(usize, usize)> {
        let [width, height, _] = size.map(|side| side as usize);
        let (begin, len) = match self {
            Self::Pixels(layout) => (layout.row(size, y, z)?, width.checked_mul(layout.pixel_bytes())?),
            Self::Blocks(compressed) => {
                let [across, down] = compressed.block_size().map(|side| side as usize);
                let len = width.div_ceil(across).checked_mul(compressed.block_bytes())?;
                let row = (z as usize).checked_mul(height.div_ceil(down))?.checked_add(y as usize / down)?;
                (row.checked_mul(len)?, len)
            }
        };
        Some((begin, begin.checked_add(len)?))
    }

    /// Whether all rows that were uploaded from a place in a buffer are what it held for certain.
    /// Marks those that are not known.
    fn are_certain(&self, image: &mut Image, corner: [u32; 3], size: [u32; 3], from: (&BufferAt, usize)) -> bool {
        let (buffer, offset) = from;
        let mut are_certain = buffer.gpu.exposed.or(buffer.sources.exposed).is_none();
        let [_, top, front] = corner;
        for z in 0..size[2].min(image.depth) {
            for y in 0..size[1].min(image.height) {
                let row = self.row(size, y, z);
                let place = row.and_then(|(begin, end)| Some((begin.checked_add(offset)?, end.checked_add(offset)?)));
                if place.is_some_and(|(begin, end)| buffer.known.has(begin, end)) {
                    continue;
                }
                are_certain = false;
                image.forget_row(top.saturating_add(y), front.saturating_add(z));
            }
        }
        are_certain
    }
}

struct SourceVisitor<'a> {
    uploads: &'a [Upload],
    functions: Functions,
    found: Vec<(u64, String)>,
}

impl CallVisitor for SourceVisitor<'_> {
    fn function(&mut self, name: &str) -> Option<u32> {
        Some(self.functions.number(name))
    }

    fn wants(&mut self, number: u64, _function: u32) -> bool {
        is_one_of(self.uploads, number).is_some()
    }

    fn call(&mut self, call: &Call) {
        let Some(known) = self.functions.known.get(call.function as usize) else { return };
        self.found.push((call.number, source_of(known, call)));
    }
}

/// The text of a `glShaderSource` call.
fn source_of(known: &Known, call: &Call) -> String {
    match known.arg(call, "string") {
        Value::List(list) => list.filter_map(Value::text).collect(),
        value => value.text().unwrap_or_default().into(),
    }
}

struct HeldVisitor<'a> {
    resources: &'a [Resource],
    /// Uploads, each with the position of its resource, ascending.
    calls: &'a [(u64, usize)],
    functions: Functions,
    held: Vec<Held>,
}

impl HeldVisitor<'_> {
    /// The resources that a call gives contents.
    fn filled(&self, call: u64) -> impl Iterator<Item = usize> {
        let first = self.calls.partition_point(|(number, _)| *number < call);
        let calls = self.calls.get(first..).unwrap_or_default();
        calls.iter().take_while(move |(number, _)| *number == call).map(|(_, at)| *at)
    }
}

impl CallVisitor for HeldVisitor<'_> {
    fn function(&mut self, name: &str) -> Option<u32> {
        Some(self.functions.number(name))
    }

    fn wants(&mut self, number: u64, _function: u32) -> bool {
        self.filled(number).next().is_some()
    }

    fn call(&mut self, call: &Call) {
        let filled: Vec<usize> = self.filled(call.number).collect();
        let known = self.functions.known.get(call.function as usize);
        for at in filled {
            let is_shader = self.resources.get(at).is_some_and(|it| it.kind == Kind::Shader);
            let (Some(held), Some(known)) = (self.held.get_mut(at), known) else { continue };
            if is_shader {
                // The latest text is what it has.
                held.key = source_of(known, call);
            } else {
                held.key += &digest_of(call);
            }
        }
    }

    // What limits leave out of an upload decides, too, whether it is the same.
    fn extent(&self) -> Extent {
        Extent::Digested
    }
}

/// A digest of the bytes of an upload, also of those that are left out.
fn digest_of(call: &Call) -> String {
    let bytes = blob_of(call);
    let mut digest = Digest::default();
    digest.write(bytes);
    for number in call.left_out().as_flattened() {
        digest.write(&number.to_le_bytes());
    }
    let [low, high] = digest.finish();
    format!("{}:{high:016x}{low:016x},", bytes.len())
}

/// The bytes of the first argument of a call that is a blob. Empty without one.
fn blob_of(call: &Call) -> &[u8] {
    let blob = (0..call.len()).find_map(|at| match call.argument(at) {
        Value::Bytes(bytes, _) => Some(bytes),
        _ => None,
    });
    blob.unwrap_or_default()
}

struct BlobVisitor {
    call: u64,
    bytes: Vec<u8>,
}

impl CallVisitor for BlobVisitor {
    fn function(&mut self, _name: &str) -> Option<u32> {
        Some(0)
    }

    fn wants(&mut self, number: u64, _function: u32) -> bool {
        number == self.call
    }

    fn call(&mut self, call: &Call) {
        self.bytes = blob_of(call).to_vec();
    }
}
