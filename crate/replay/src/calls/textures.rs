//! Textures.

use std::borrow::Cow;

use hashbrown::HashMap;
use unspool_gl::call::Call;
use unspool_gl::several::{One, Several};
use unspool_gl::textures::{Command, Does, Function, is_proxy};
use unspool_gl::{Variant, gl};

use super::Functions;
use super::direct::TARGETS;
use crate::driver::{OBJECT, Replay, slot_of};
use crate::objects::{Kept, SLOTS, Texture};
use crate::ops::{Kind, Op, Stream};
use crate::pixels::{Part, Pixels, Storage, Unpack, Upload, storage_of};
use crate::s3tc::Blocks;
use crate::surfaces::of_renderbuffer;

/// In place of a level: those that are made of the first one.
const MIPMAPS: u32 = u32::MAX;
/// Samples a pixel at most: all that implement WebGL2 have four.
pub(super) const MOST_SAMPLES: u32 = 4;
/// Bytes of a texture that are sent at once, about.
const BAND: u64 = 4 << 20;

pub(crate) const TABLE: Functions = &[
    ("BindTexture", bind),
    ("BindTextureUnit", |r, c, _| bind_unit(r, c.uint(0), c.uint(1))),
    ("BindTextures", |r, c, _| bind_units(r, c, Several::Textures, bind_unit)),
    ("CreateTextures", |r, c, _| {
        if let Some(slot) = slot_of(c.uint(0)) {
            for name in c.ints(2) {
                r.texture(name as u32, slot);
            }
        }
    }),
    ("DeleteTextures", delete),
    ("PixelTransfer*", transfer),
    ("PixelStore*", |r, c, v| store(r, c.uint(0), v.parameter(c, 1, false)[0] as i64)),
    ("TextureView", |r, c, _| {
        if let Some(slot) = slot_of(c.uint(1)) {
            let view = r.texture(c.uint(0), slot);
            view.into_iter().for_each(|texture| texture.problem = Some("views of textures are not in WebGL2"));
        }
    }),
    ("EGLImageTargetTexture2D", |r, c, _| r.external(c.uint(0))),
    ("ClearTexImage", |r, c, _| clear(r, c, None, 2)),
    ("ClearTexSubImage", |r, c, _| {
        let range = [[c.int(2), c.int(3), c.int(4)], [c.int(5), c.int(6), c.int(7)]];
        clear(r, c, Some(range), 8);
    }),
];

/// A call of a function that gives textures sizes or contents.
pub(super) fn change(r: &mut Replay, c: &Call, function: Function) {
    let command = function.command(c);
    let Command { name, unit, .. } = command;
    let Some(name) = name else {
        let target = command.target.unwrap_or_default();
        let Some(unit) = unit else { return change_bound(r, c, &command, target) };
        return r.with_unit(unit, |r| change_bound(r, c, &command, target));
    };
    let known = || r.both().and_then(|(_, objects, _)| objects.textures.get(&name)).map(|texture| texture.slot);
    let Some(slot) = command.target.map_or_else(known, slot_of) else { return };
    if let Some(target) = command.target.or_else(|| TARGETS.get(slot).copied()) {
        r.with_texture(name, slot, |r| change_bound(r, c, &command, target));
    }
}

/// A command about the texture that is bound.
fn change_bound(r: &mut Replay, c: &Call, command: &Command, target: u32) {
    let Command { dimensions, level, internal, samples, offset, format, kind, .. } = *command;
    let [w, h, d] = command.size.map(i64::from);
    let size = [w, h, if dimensions < 3 { 0 } else { d.max(1) }];
    let data = command.pixels.unwrap_or(1);
    match (command.does, command.is_compressed) {
        (Does::Image | Does::Storage, _) if samples > 0 && dimensions == 3 => refuse(r, target, SAMPLES),
        (Does::Image | Does::Storage, _) if samples > 0 => multisample(r, target, samples, internal, [w, h]),
        (Does::Image, true) => compressed(r, c, [target, level, internal], size, data),
        (Does::Image, false) => image(r, c, [target, level, internal], size, [format, kind], data),
        (Does::Part, true) => blocks(r, c, [target, level], [offset, size], format, data),
        (Does::Part, false) => sub_image(r, c, [target, level], [offset, size], [format, kind], data),
        (Does::Storage, _) => storage(r, [target, level, internal], size),
        (Does::Mipmap, _) => r.mipmaps(target),
        (Does::CopyImage, _) => {
            let Some(of) = storage_of(internal, gl::UNSIGNED_BYTE) else { return };
            if r.define(target, level, of, [w, h, 0], None) {
                copy(r, target, level, [0; 3], command.from, [w, h]);
            }
        }
        (Does::CopyPart, _) => copy(r, target, level, offset, command.from, [w, h]),
    }
}

fn bind(r: &mut Replay, c: &Call, _: Variant) {
    let (target, name) = (c.uint(0), c.uint(1));
    let Some(slot) = slot_of(target) else { return };
    r.texture(name, slot);
    let active = r.context().map_or(0, |context| context.active);
    r.bind_texture(active as u32, slot, name);
}

/// Binds a texture that has a kind to a unit; 0 unbinds those of all kinds.
fn bind_unit(r: &mut Replay, unit: u32, name: u32) {
    if name == 0 {
        (0..SLOTS).for_each(|slot| r.bind_texture(unit, slot, 0));
    } else if let Some(slot) = r.both().and_then(|(_, objects, _)| Some(objects.textures.get(&name)?.slot)) {
        r.bind_texture(unit, slot, name);
    }
}

/// Binds objects to consecutive units.
pub(super) fn bind_units(r: &mut Replay, c: &Call, several: Several, bind: fn(&mut Replay, u32, u32)) {
    for One { index, name, .. } in several.bound(c) {
        bind(r, index, name);
    }
}

/// A texture with several samples a pixel, of a size, is a renderbuffer.
fn multisample(r: &mut Replay, target: u32, samples: u32, internal: u32, [width, height]: [i64; 2]) {
    if target != gl::TEXTURE_2D_MULTISAMPLE {
        return;
    }
    let Some(known) = r.texture_at(target).map(|texture| texture.samples) else { return };
    let renderbuffer = known.map_or_else(|| r.handle(Kind::Renderbuffer), |(renderbuffer, _)| renderbuffer);
    let most = i64::from(r.bounds.size);
    let [width, height] = [width, height].map(|n| n.clamp(1, most) as u32);
    let samples = samples.clamp(1, MOST_SAMPLES);
    let Some(of) = storage_of(internal, gl::UNSIGNED_BYTE) else { return unknown_format(r, target) };
    let needed = u64::from(width) * u64::from(height) * u64::from(of.bytes.max(4)) * u64::from(samples);
    let Some(texture) = r.texture_at(target) else { return };
    let old = texture.sizes.insert((target, 0), needed).unwrap_or(0);
    (texture.samples, texture.storage, texture.levels) =
        (Some((renderbuffer, samples)), Some(of), vec![[width, height, 0]]);
    texture.problem = None;
    if r.reserve(old, needed) {
        r.stream.put(Op::RenderbufferStorage, &[renderbuffer, samples, of.internal, width, height]);
        r.surface_made(of_renderbuffer(renderbuffer));
        r.surface_resized(of_renderbuffer(renderbuffer), 0, [width, height], None);
    }
}

const SAMPLES: &str = "a texture has layers with several samples a pixel, which WebGL2 lacks";

/// Nothing can be shown of the texture that is bound, until it is defined again.
fn refuse(r: &mut Replay, target: u32, reason: &'static str) {
    if let Some(texture) = r.texture_at(target) {
        texture.problem = Some(reason);
    }
}

fn unknown_format(r: &mut Replay, target: u32) {
    refuse(r, target, "a texture has a format that WebGL2 lacks");
}

fn delete(r: &mut Replay, c: &Call, _: Variant) {
    for name in c.ints(1) {
        let name = name as u32;
        if name == 0 {
            continue;
        }
        r.unbind_texture(name);
        let Some((context, objects, stream)) = r.both() else { return };
        if let Some(texture) = objects.textures.remove(&name) {
            let mut attached = context.framebuffers.values().flat_map(|framebuffer| &framebuffer.attachments);
            let is_attached = attached.any(|attachment| attachment.surface == texture.handle);
            stream.put(Op::Delete, &[Kind::Texture as u32, texture.handle]);
            if let Some((renderbuffer, _)) = texture.samples {
                stream.put(Op::Delete, &[Kind::Renderbuffer as u32, renderbuffer]);
            }
            r.has_parts |= is_attached;
            r.writes.remove(&texture.handle);
            r.unbound_texture(texture.handle);
            r.reserve(texture.sizes.values().sum::<u64>() + OBJECT, 0);
        }
    }
}

fn store(r: &mut Replay, name: u32, value: i64) {
    if let Some(context) = r.context() {
        context.unpack.store.set(name, value.clamp(0, 1 << 20) as u32);
    }
}

/// Scales and increases of channels: OpenGL 2.1, table 3.2. Pixel maps are not replayed.
fn transfer(r: &mut Replay, c: &Call, v: Variant) {
    let (name, value) = (c.uint(0), v.single(c, 1));
    let Some(context) = r.context() else { return };
    let Unpack { scale, bias, .. } = &mut context.unpack;
    let slot = match name {
        gl::RED_SCALE => scale.get_mut(0),
        gl::GREEN_SCALE => scale.get_mut(1),
        gl::BLUE_SCALE => scale.get_mut(2),
        gl::ALPHA_SCALE => scale.get_mut(3),
        gl::RED_BIAS => bias.get_mut(0),
        gl::GREEN_BIAS => bias.get_mut(1),
        gl::BLUE_BIAS => bias.get_mut(2),
        gl::ALPHA_BIAS => bias.get_mut(3),
        gl::MAP_COLOR if value != 0.0 => {
            return r.verdict.ignore("glPixelTransfer(GL_MAP_COLOR)", "pixel maps are not replayed", r.call);
        }
        _ => return,
    };
    slot.into_iter().for_each(|slot| *slot = value.into());
}

/// Target of an upload in WebGL2, and the target that a texture is bound to.
fn upload_target(target: u32) -> Option<u32> {
    Some(match target {
        gl::TEXTURE_1D | gl::TEXTURE_2D | gl::TEXTURE_RECTANGLE => gl::TEXTURE_2D,
        gl::TEXTURE_CUBE_MAP_POSITIVE_X..=gl::TEXTURE_CUBE_MAP_NEGATIVE_Z | gl::TEXTURE_3D | gl::TEXTURE_2D_ARRAY => {
            target
        }
        _ => return None,
    })
}

/// Bytes of a number of pixels.
fn bytes_of(size: [u32; 3], of: &Storage) -> u64 {
    size.iter().take(2).chain([&size[2].max(1)]).map(|n| u64::from(*n)).product::<u64>() * u64::from(of.bytes)
}

/// Width, height and depth as WebGL2 takes them.
fn cut(size: [i64; 3]) -> [u32; 3] {
    size.map(|n| n.clamp(0, 1 << 15) as u32)
}

/// The pixels of an upload of this format and type: what the call has, or what the pixel buffer
/// that is bound holds there.
fn upload<'a>(
    r: &mut Replay,
    c: &'a Call,
    size: [i64; 3],
    [format, kind]: [u32; 2],
    data: usize,
) -> Option<Upload<'a>> {
    let pixels = match c.argument(data).bytes() {
        Some(bytes) => Pixels::Memory(bytes),
        None => {
            let at = usize::try_from(c.int(data)).ok()?;
            Pixels::Buffer(r.buffer_at(gl::PIXEL_UNPACK_BUFFER)?.data.clone(), at)
        }
    };
    let unpack = r.context().map(|context| context.unpack).unwrap_or_default();
    Upload::new(pixels, cut(size), (format, kind), &unpack)
}

fn image(
    r: &mut Replay,
    c: &Call,
    [target, level, internal]: [u32; 3],
    size: [i64; 3],
    [format, kind]: [u32; 2],
    data: usize,
) {
    if is_proxy(target) {
        return;
    }
    let Some(of) = storage_of(internal, kind) else {
        return unknown_format(r, target);
    };
    let upload = upload(r, c, size, [format, kind], data);
    let rows = |part: Part| upload.as_ref()?.part(part, &of);
    r.define(target, level, of, size, upload.is_some().then_some(&rows));
    if level == 0 && r.texture_at(target).is_some_and(|texture| texture.generates) {
        r.mipmaps(target);
    }
}

fn sub_image(
    r: &mut Replay,
    c: &Call,
    [target, level]: [u32; 2],
    [place, size]: [[i64; 3]; 2],
    [format, kind]: [u32; 2],
    data: usize,
) {
    if target == gl::TEXTURE_CUBE_MAP {
        return sub_faces(r, c, level, [place, size], [format, kind], data);
    }
    let Some(to) = upload_target(target) else { return };
    let Some(texture) = r.texture_at(target) else { return };
    let Some(of) = texture.storage else { return };
    let (handle, binding, generates) = (texture.handle, texture.binding, texture.generates);
    if r.uploads(target) {
        let Some(upload) = upload(r, c, size, [format, kind], data) else { return };
        let level = [handle, binding, to, level];
        r.put_rows(level, place.map(|n| n as u32), cut(size), &of, &|part| upload.part(part, &of));
    }
    if level == 0 && generates {
        r.mipmaps(target);
    }
}

/// Faces of a cube as layers: OpenGL 4.5, section 8.6, on `glTextureSubImage3D`.
fn sub_faces(r: &mut Replay, c: &Call, level: u32, [[x, y, z], size]: [[i64; 3]; 2], kind: [u32; 2], data: usize) {
    let Some(texture) = r.texture_at(gl::TEXTURE_CUBE_MAP) else { return };
    let (Some(of), handle, binding) = (texture.storage, texture.handle, texture.binding) else { return };
    if !r.uploads(gl::TEXTURE_CUBE_MAP) {
        return;
    }
    let Some(upload) = upload(r, c, size, kind, data) else { return };
    let [w, h, count] = cut(size);
    for layer in 0..count.min(6) {
        let face = gl::TEXTURE_CUBE_MAP_POSITIVE_X + (z as u32).saturating_add(layer).min(5);
        let place = [x as u32, y as u32, 0];
        r.put_rows([handle, binding, face, level], place, [w, h, 0], &of, &|part| {
            upload.part(Part { layer, ..part }, &of)
        });
    }
}

fn storage(r: &mut Replay, [target, levels, internal]: [u32; 3], [w, h, d]: [i64; 3]) {
    let levels = levels.clamp(1, 16);
    let Some(of) = storage_of(internal, gl::UNSIGNED_BYTE) else {
        return unknown_format(r, target);
    };
    // Levels one by one are the same, but for the highest one.
    let faces: Vec<u32> = if target == gl::TEXTURE_CUBE_MAP {
        (gl::TEXTURE_CUBE_MAP_POSITIVE_X..=gl::TEXTURE_CUBE_MAP_NEGATIVE_Z).collect()
    } else {
        vec![target]
    };
    for level in 0..levels {
        let depth = if target == gl::TEXTURE_3D { (d >> level).max(1) } else { d };
        let height = if target == gl::TEXTURE_1D { 1 } else { (h >> level).max(1) };
        for face in &faces {
            if !r.define(*face, level, of, [(w >> level).max(1), height, depth], None) {
                return;
            }
        }
    }
    if let Some(texture) = r.texture_at(target) {
        texture.immutable = levels;
        let (handle, binding) = (texture.handle, texture.binding);
        r.stream.put(Op::TexParameter, &[handle, binding, gl::TEXTURE_MAX_LEVEL, levels - 1, 0]);
    }
}

/// What a call or the pixel buffer that is bound has of a compressed image.
fn compressed_bytes<'a>(r: &mut Replay, c: &'a Call, data: usize, size: usize) -> Cow<'a, [u8]> {
    if let Some(bytes) = c.argument(data).bytes() {
        return bytes.into();
    }
    let at = usize::try_from(c.int(data)).unwrap_or(usize::MAX);
    let buffer = r.buffer_at(gl::PIXEL_UNPACK_BUFFER);
    buffer.and_then(|buffer| Some(buffer.data.get(at, size)?.into_owned())).unwrap_or_default().into()
}

/// Layers of a compressed image, each with its blocks. `None` if its format is not decoded, or if
/// bytes are missing.
fn layers_of(internal: u32, size: [i64; 3], bytes: &[u8]) -> Option<Vec<Blocks<'_>>> {
    let [w, h, d] = cut(size);
    let layer = bytes.len() / d.max(1) as usize;
    (0..d.max(1) as usize).map(|i| Blocks::new(internal, w, h, bytes.get(i * layer..(i + 1) * layer)?)).collect()
}

/// The pixels of a part of a compressed image.
fn decoded(layers: &[Blocks<'_>], part: Part) -> Option<Vec<u8>> {
    let layers = layers.iter().skip(part.layer as usize).take(part.layers as usize);
    Some(layers.map(|blocks| blocks.rows(part.row, part.rows)).collect::<Option<Vec<_>>>()?.concat())
}

/// `data` is the index of the argument with the bytes, after their number.
fn compressed(r: &mut Replay, c: &Call, [target, level, internal]: [u32; 3], size: [i64; 3], data: usize) {
    let bytes = compressed_bytes(r, c, data, usize::try_from(c.int(data - 1)).unwrap_or(0));
    let Some(layers) = layers_of(internal, size, &bytes) else {
        return refuse(r, target, "a texture is compressed in a way that is not decoded");
    };
    if let Some(of) = storage_of(gl::RGBA8, gl::UNSIGNED_BYTE) {
        r.define(target, level, of, size, Some(&|part: Part| decoded(&layers, part)));
    }
}

/// A part of a compressed image. `data` is the index of the argument with the bytes, after their
/// number.
fn blocks(r: &mut Replay, c: &Call, [target, level]: [u32; 2], [place, size]: [[i64; 3]; 2], format: u32, data: usize) {
    let Some(to) = upload_target(target) else { return };
    let bytes = compressed_bytes(r, c, data, usize::try_from(c.int(data - 1)).unwrap_or(0));
    let Some(layers) = layers_of(format, size, &bytes) else {
        return refuse(r, target, "a texture is compressed in a way that is not decoded");
    };
    let Some(texture) = r.texture_at(target) else { return };
    let (Some(of), handle, binding) = (texture.storage, texture.handle, texture.binding) else { return };
    if of.internal == gl::RGBA8 && r.uploads(target) {
        r.put_rows([handle, binding, to, level], place.map(|n| n as u32), cut(size), &of, &|part| {
            decoded(&layers, part)
        });
    }
}

/// Fills a range of a level of a texture, or all of it, with what the call has for one texel, or
/// with zeros: OpenGL 4.4, section 8.21. `format` is the index of the argument with the format.
fn clear(r: &mut Replay, c: &Call, range: Option<[[i64; 3]; 2]>, format: usize) {
    let (name, level) = (c.uint(0), c.uint(1));
    let Some((_, objects, _)) = r.both() else { return };
    let Some(texture) = objects.textures.get_mut(&name) else { return };
    if texture.samples.is_some() {
        texture.problem = Some("a texture with several samples a pixel is cleared, which WebGL2 lacks");
        return;
    }
    let Texture { handle, binding, .. } = *texture;
    let (Some(of), Some(whole)) = (texture.storage, texture.levels.get(level as usize).copied()) else { return };
    let [place, size] = range.unwrap_or([[0; 3], whole.map(i64::from)]);
    let unpack = Unpack::default();
    let texel = match c.argument(format + 2).bytes() {
        Some(bytes) => Upload::new(Pixels::Memory(bytes), [1, 1, 0], (c.uint(format), c.uint(format + 1)), &unpack)
            .and_then(|upload| upload.part(Part { layer: 0, layers: 1, row: 0, rows: 1 }, &of)),
        None => Some(vec![0; of.bytes as usize]),
    };
    let Some(texel) = texel else { return };
    (texture.is_drawn, texture.has_mipmaps) = (true, false);
    r.surface_attached(handle, false);
    r.wrote(handle);
    let [x, y, z] = place.map(|n| n as u32);
    let [w, h, d] = cut(size);
    let fill = |w: u32, part: Part| Some(texel.repeat((w * part.rows * part.layers) as usize));
    if binding == gl::TEXTURE_CUBE_MAP {
        let (first, count) = if range.is_some() { (z, d) } else { (0, 6) };
        for face in (first..first.saturating_add(count)).take_while(|face| *face < 6) {
            let face = gl::TEXTURE_CUBE_MAP_POSITIVE_X + face;
            r.put_rows([handle, binding, face, level], [x, y, 0], [w, h, 0], &of, &|part| fill(w, part));
        }
        return;
    }
    let has_layers = matches!(binding, gl::TEXTURE_3D | gl::TEXTURE_2D_ARRAY);
    let size = [w, h, if has_layers { d } else { 0 }];
    r.put_rows([handle, binding, binding, level], [x, y, z], size, &of, &|part| fill(w, part));
}

fn copy(r: &mut Replay, target: u32, level: u32, [x, y, z]: [i64; 3], [from_x, from_y]: [i64; 2], [w, h]: [i64; 2]) {
    let Some(to) = upload_target(target) else { return };
    r.note_read();
    if !r.bind_targets() {
        return;
    }
    let Some(texture) = r.texture_at(target) else { return };
    let layers = u32::from(matches!(texture.binding, gl::TEXTURE_3D | gl::TEXTURE_2D_ARRAY));
    let words = [
        texture.handle,
        texture.binding,
        to,
        level,
        x as u32,
        y as u32,
        z as u32,
        from_x as u32,
        from_y as u32,
        w.clamp(0, 1 << 15) as u32,
        h.clamp(0, 1 << 15) as u32,
        layers,
    ];
    texture.is_drawn = true;
    let [surface, ..] = words;
    let is_depth = texture.storage.is_some_and(|of| of.is_depth());
    if is_depth {
        texture.problem = Some("a texture has copies of depths, which WebGL2 does not make");
    }
    r.wrote(surface);
    if is_depth {
        return;
    }
    r.stream.put(Op::CopyTexSubImage, &words);
    r.surface_attached(surface, false);
}

impl Replay {
    /// The texture that is bound to a target gets what a window or an image holds, which the tracer
    /// uploads if it can.
    pub(super) fn external(&mut self, target: u32) {
        if let Some(texture) = self.texture_at(target).filter(|texture| texture.levels.is_empty()) {
            texture.problem = Some("what a window or an image holds is not in the trace");
        }
    }
}

/// The pixels of a part of an upload, in the storage of its texture. `None` if memory is missing.
type Rows<'a> = dyn Fn(Part) -> Option<Vec<u8>> + 'a;

impl Replay {
    /// Defines a level of the texture that is bound. `content` is in its storage. Returns false if
    /// there is no room.
    pub(crate) fn define(
        &mut self,
        target: u32,
        level: u32,
        of: Storage,
        size: [i64; 3],
        content: Option<&Rows<'_>>,
    ) -> bool {
        let most = i64::from(self.bounds.size);
        let Some(to) = upload_target(target) else { return false };
        let Some(texture) = self.texture_at(target) else { return false };
        if size.iter().any(|n| *n < 0 || *n > most) || level > 15 {
            texture.problem = Some("a texture is larger than the replay allows");
            return false;
        }
        let [w, h, d] = size.map(|n| n as u32);
        let needed = u64::from(w) * u64::from(h) * u64::from(d.max(1)) * u64::from(of.bytes.max(4));
        let old = texture.sizes.get(&(target, level)).copied().unwrap_or(0);
        if !self.reserve(old, needed) {
            return false;
        }
        let Some(texture) = self.texture_at(target) else { return false };
        let Texture { handle, binding, .. } = *texture;
        texture.sizes.insert((target, level), needed);
        texture.storage = Some(of);
        (texture.problem, texture.immutable) = (None, 0);
        if texture.levels.len() <= level as usize {
            texture.levels.resize(level as usize + 1, [0; 3]);
        }
        if let Some(slot) = texture.levels.get_mut(level as usize) {
            *slot = [w, h, d];
        }
        if self.uploads(target) {
            let is_little = bytes_of([w, h, d], &of) <= BAND;
            let all = Part { layer: 0, layers: d.max(1), row: 0, rows: h };
            let bytes = content.filter(|_| is_little).and_then(|rows| rows(all)).unwrap_or_default();
            self.work += bytes.len() as u64;
            let (at, len) = if bytes.is_empty() { (0, 0) } else { self.stream.put_bytes(&bytes) };
            let words = [handle, binding, to, level, of.internal, w, h, d, of.format, of.kind, at, len];
            self.stream.put(Op::TexImage, &words);
            if let Some(rows) = content.filter(|_| !is_little) {
                self.put_rows([handle, binding, to, level], [0; 3], [w, h, d], &of, rows);
            }
        }
        if level == 0 {
            self.surface_uploaded(handle);
            self.writes.remove(&handle);
        }
        if let Some(problem) = self.texture_at(target).filter(|texture| texture.is_drawn).map(|texture| texture.problem)
        {
            self.surface_resized(handle, level, [w, h], problem);
        }
        true
    }

    /// Sends pixels of a level (texture, binding, target and number), not too many at once.
    fn put_rows(&mut self, to: [u32; 4], [x, y, z]: [u32; 3], [w, h, d]: [u32; 3], of: &Storage, pixels: &Rows<'_>) {
        let layer = bytes_of([w, h, 0], of);
        if layer == 0 {
            return;
        }
        let [texture, binding, target, level] = to;
        // All of some layers, or rows of one: compressed ones come by four.
        let (layers, rows) = if layer <= BAND {
            ((BAND / layer) as u32, h)
        } else {
            (1, ((BAND / bytes_of([w, 4, 0], of)) as u32 * 4).max(4))
        };
        for from in (0..d.max(1)).step_by(layers as usize) {
            for row in (0..h).step_by(rows as usize) {
                let part = Part { layer: from, layers: layers.min(d.max(1) - from), row, rows: rows.min(h - row) };
                let Some(bytes) = pixels(part) else { return };
                self.work += bytes.len() as u64;
                let (at, len) = self.stream.put_bytes(&bytes);
                let size = [w, part.rows, if d == 0 { 0 } else { part.layers }];
                let place = [texture, binding, target, level, x, y.wrapping_add(row), z.wrapping_add(from)];
                self.stream.put(Op::TexSubImage, &[&place[..], &size, &[of.format, of.kind, at, len]].concat());
                self.stream.split();
            }
        }
    }

    /// Notes that the texture which is bound is uploaded to. Returns whether WebGL2 is to do that:
    /// it may have kept the result.
    fn uploads(&mut self, target: u32) -> bool {
        let (call, is_late) = (self.call, self.call < self.highest);
        let Some(texture) = self.texture_at(target) else { return false };
        texture.uploaded = call;
        texture.has_mipmaps = false;
        // A call that another thread has overtaken: numbers do not show what WebGL2 has of the
        // texture.
        texture.is_drawn |= is_late;
        let handle = texture.handle;
        self.stream.on && self.kept.get(&handle).is_none_or(|kept| call > kept.uploaded)
    }

    /// What WebGL2 has of the textures that hold at `call` what they hold now, and that no draw
    /// wrote to.
    pub(crate) fn unchanged_since(&self, call: u64) -> HashMap<u32, Kept> {
        // Those that were kept, and that this replay has not come to, are still what they were.
        let mut found = self.kept.clone();
        found.retain(|_, kept| kept.uploaded > self.highest);
        for texture in self.groups.values().flat_map(|objects| objects.textures.values()) {
            let before = self.kept.get(&texture.handle).map_or(0, |kept| kept.uploaded);
            let kept = Kept {
                uploaded: texture.uploaded.max(before),
                binding: texture.binding,
                bytes: texture.sizes.values().sum(),
            };
            if texture.is_drawn {
                found.remove(&texture.handle);
            } else if !texture.levels.is_empty() {
                found.insert(texture.handle, kept);
            }
        }
        // They are not counted again before the replay comes to them, so there is a limit of their
        // own.
        let mut left = self.bounds.bytes / 4;
        found.retain(|_, kept| {
            let stays = kept.uploaded < call && kept.bytes <= left;
            left -= if stays { kept.bytes } else { 0 };
            stays
        });
        found
    }

    /// What is known of textures that WebGL2 has, by number and binding of each.
    pub(crate) fn kept_of(&self, handles: &[(u32, u32)]) -> HashMap<u32, Kept> {
        let mut kept: HashMap<u32, Kept> = handles
            .iter()
            .map(|(handle, binding)| (*handle, Kept { uploaded: 0, binding: *binding, bytes: 0 }))
            .collect();
        for texture in self.groups.values().flat_map(|objects| objects.textures.values()) {
            if let Some(kept) = kept.get_mut(&texture.handle) {
                (kept.uploaded, kept.bytes) = (texture.uploaded, texture.sizes.values().sum());
            }
        }
        kept
    }

    /// Makes the mipmaps of the texture that is bound.
    pub(crate) fn mipmaps(&mut self, target: u32) {
        let Some(texture) = self.texture_at(target) else { return };
        // Formats that cannot be filtered have none in WebGL2.
        let filters = texture.storage.is_some_and(|of| {
            let is_small =
                of.kind != gl::FLOAT || matches!(of.internal, gl::RGBA16F | gl::R16F | gl::RG16F | gl::R11F_G11F_B10F);
            is_small && !of.is_integer() && !of.is_depth()
        });
        let Texture { handle, binding, is_drawn, has_mipmaps, .. } = *texture;
        // All levels together are a third of the first one.
        let first: u64 = texture.sizes.iter().filter(|((_, level), _)| *level == 0).map(|(_, bytes)| bytes).sum();
        let old = texture.sizes.insert((target, MIPMAPS), first / 3).unwrap_or(0);
        self.surfaces.read(handle);
        self.wrote(handle);
        self.has_parts |= is_drawn;
        if !self.reserve(old, first / 3) {
            return;
        }
        if filters && self.uploads(target) && (is_drawn || !has_mipmaps) {
            self.stream.put(Op::GenerateMipmap, &[handle, binding, Stream::thousands(first)]);
        }
        if let Some(texture) = self.texture_at(target) {
            texture.has_mipmaps = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bounds;
    use crate::ops::tests::commands;
    use unspool_gl::example::{Example, Value};

    /// Uploads to three textures: 1 and 2 at once, 3 later. The second one is drawn to. Returns the
    /// textures that got an upload.
    fn uploads(replay: &mut Replay, until: usize) -> Vec<u32> {
        let image = [gl::TEXTURE_2D, 0, gl::RGBA8, 2, 2, 0, gl::RGBA, gl::UNSIGNED_BYTE];
        let calls: [(&str, &[u32]); 9] = [
            ("glXMakeCurrent", &[1, 2, 3]),
            ("glBindTexture", &[gl::TEXTURE_2D, 1]),
            ("glTexImage2D", &image),
            ("glBindTexture", &[gl::TEXTURE_2D, 2]),
            ("glTexImage2D", &image),
            ("glBindFramebuffer", &[gl::FRAMEBUFFER, 1]),
            ("glFramebufferTexture2D", &[gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D, 2, 0]),
            ("glBindTexture", &[gl::TEXTURE_2D, 3]),
            ("glTexImage2D", &image),
        ];
        for (number, (name, args)) in calls.iter().enumerate().take(until) {
            let args = args.iter().map(|n| Value::Int((*n).into())).collect();
            replay.execute_example(&Example {
                number: number as u64,
                name: (*name).into(),
                args,
                ..Example::default()
            });
        }
        commands(&replay.stream, Op::TexImage).iter().filter_map(|words| words.first().copied()).collect()
    }

    #[test]
    fn textures_that_only_uploads_wrote_to_are_kept() {
        let mut first = Replay::new(Bounds::default(), true);
        assert_eq!(uploads(&mut first, 9), [1, 2, 3]);
        // Before call 8, the third one does not have its content yet.
        for (call, kept, sent) in [(9, vec![1, 3], vec![2]), (8, vec![1], vec![2, 3]), (0, vec![], vec![1, 2, 3])] {
            let mut again = Replay::new(Bounds::default(), true);
            again.kept = first.unchanged_since(call);
            let mut found: Vec<u32> = again.kept.keys().copied().collect();
            found.sort_unstable();
            assert_eq!(found, kept);
            // One that ends early still has what it has not come to.
            uploads(&mut again, 2);
            assert_eq!(again.unchanged_since(call), again.kept);
            again.stream.words.clear();
            assert_eq!(uploads(&mut again, 9), sent);
        }
    }

    #[test]
    fn what_was_drawn_can_be_copied_unless_it_has_parts() {
        let mut replay = Replay::new(Bounds::default(), true);
        uploads(&mut replay, 9);
        let drawn = replay.drawn().unwrap();
        assert_eq!(drawn.iter().map(|it| (it.handle, it.format, it.width)).collect::<Vec<_>>(), [(2, gl::RGBA8, 2)]);
        let mut execute = |name: &str, args: &[u32]| {
            let args = args.iter().map(|n| Value::Int((*n).into())).collect();
            replay.execute_example(&Example { number: 9, name: name.into(), args, ..Example::default() });
        };
        execute("glBindTexture", &[gl::TEXTURE_2D, 2]);
        execute("glGenerateMipmap", &[gl::TEXTURE_2D]);
        assert_eq!(replay.drawn(), None);
    }
}
