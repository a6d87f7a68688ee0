//! Parameters of textures, and samplers.

use unspool_gl::call::Call;
use unspool_gl::{Several, Variant, gl};

use super::Functions;
use super::textures::bind_units;
use crate::driver::{OBJECT, Replay};
use crate::ops::{Kind, Op};

pub(crate) const TABLE: Functions = &[
    ("TexParameter*", parameter),
    ("TexParameterI*", parameter),
    ("BindSampler", |r, c, _| bind(r, c.uint(0), c.uint(1))),
    ("BindSamplers", |r, c, _| bind_units(r, c, Several::Samplers, bind)),
    ("DeleteSamplers", |r, c, _| {
        for name in c.ints(1) {
            let Some((_, objects, stream)) = r.both() else { return };
            if let Some(handle) = objects.samplers.remove(&(name as u32)) {
                stream.put(Op::Delete, &[Kind::Sampler as u32, handle]);
                r.reserve(OBJECT, 0);
            }
        }
    }),
    ("SamplerParameter*", sampler),
    ("SamplerParameterI*", sampler),
];

fn bind(r: &mut Replay, unit: u32, name: u32) {
    if let Some(slot) = r.context().and_then(|context| context.samplers.get_mut(unit as usize)) {
        *slot = name;
    }
}

/// The value of a parameter as WebGL2 takes it: its name, value, and whether that is a float.
/// `None`: it has none.
fn adapted(name: u32, value: f64) -> Option<(u32, u32, u32)> {
    let whole = value as i64 as u32;
    Some(match name {
        // Clamping to a border has no counterpart; the edge is nearest.
        gl::TEXTURE_WRAP_S | gl::TEXTURE_WRAP_T | gl::TEXTURE_WRAP_R
            if matches!(whole, gl::CLAMP | gl::CLAMP_TO_BORDER) =>
        {
            (name, gl::CLAMP_TO_EDGE, 0)
        }
        gl::TEXTURE_WRAP_S | gl::TEXTURE_WRAP_T | gl::TEXTURE_WRAP_R if whole == gl::MIRROR_CLAMP_EXT => {
            (name, gl::MIRRORED_REPEAT, 0)
        }
        gl::TEXTURE_MAG_FILTER..=gl::TEXTURE_WRAP_T
        | gl::TEXTURE_WRAP_R
        | gl::TEXTURE_BASE_LEVEL
        | gl::TEXTURE_MAX_LEVEL
        | gl::TEXTURE_COMPARE_MODE
        | gl::TEXTURE_COMPARE_FUNC => (name, whole, 0),
        gl::TEXTURE_MIN_LOD | gl::TEXTURE_MAX_LOD | gl::TEXTURE_MAX_ANISOTROPY => (name, (value as f32).to_bits(), 1),
        _ => return None,
    })
}

fn parameter(r: &mut Replay, c: &Call, v: Variant) {
    let (target, name) = (c.uint(0), c.uint(1));
    let values = v.of_parameter(name).parameter(c, 2, false);
    let value = values[0];
    let Some(texture) = r.texture_at(target) else { return };
    if texture.samples.is_some() {
        return;
    }
    let (handle, binding) = (texture.handle, texture.binding);
    match name {
        gl::TEXTURE_LOD_BIAS => texture.bias = value as f32,
        gl::TEXTURE_SRGB_DECODE_EXT => texture.keeps_encoded = value as u32 == gl::SKIP_DECODE_EXT,
        gl::GENERATE_MIPMAP => texture.generates = value != 0.0,
        gl::TEXTURE_SWIZZLE_R..=gl::TEXTURE_SWIZZLE_RGBA => {
            let is_whole = name == gl::TEXTURE_SWIZZLE_RGBA;
            let (first, count) = if is_whole { (0, 4) } else { ((name - gl::TEXTURE_SWIZZLE_R) as usize, 1) };
            for (slot, value) in texture.swizzle.iter_mut().skip(first).zip(values).take(count) {
                *slot = value as u32;
            }
        }
        _ => {
            // The levels of one whose storage cannot change are those that it has.
            let last = f64::from(texture.immutable.saturating_sub(1));
            let is_level = matches!(name, gl::TEXTURE_BASE_LEVEL | gl::TEXTURE_MAX_LEVEL);
            let value = if is_level && texture.immutable > 0 { value.min(last) } else { value };
            texture.has_mipmaps &= !is_level;
            if let Some((name, value, float)) = adapted(name, value) {
                r.stream.put(Op::TexParameter, &[handle, binding, name, value, float]);
            }
        }
    }
}

fn sampler(r: &mut Replay, c: &Call, v: Variant) {
    let (name, parameter) = (c.uint(0), c.uint(1));
    let [value, ..] = v.of_parameter(parameter).parameter(c, 2, false);
    let known = r.both().and_then(|(_, objects, _)| objects.samplers.get(&name).copied());
    let handle = known.unwrap_or_else(|| r.handle(Kind::Sampler));
    if let Some((_, objects, stream)) = r.both() {
        objects.samplers.insert(name, handle);
        if let Some((parameter, value, float)) = adapted(parameter, value) {
            stream.put(Op::SamplerParameter, &[handle, parameter, value, float]);
        }
    }
}
