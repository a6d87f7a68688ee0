//! What comes before a draw: bounds, the program with its uniforms, framebuffers, textures, state.

use std::rc::Rc;

use unspool_gl::gl;
use unspool_gl::pixels::Base;

use crate::driver::{Replay, Sampled};
use crate::fixed::{Environment, FIXED_UNITS, Fixed, in_webgl};
use crate::fixed_shaders::Parts;
use crate::glsl::Translated;
use crate::glsl::channels::{UNIFORM, exchanging};
use crate::glsl::clips::{self, mapping_clips};
use crate::objects::{BUFFER, Context, Linked, Objects, Sampler, Texture, UNIFORM_BUFFERS, UNITS, USUAL_CLIPS};
use crate::ops::{Kind, Op, Stream};
use crate::shader_list::Made;
use crate::state::word;

/// Names of the numbers that the fixed function's shaders have for a texture unit.
const SAMPLERS: [&str; FIXED_UNITS] = ["ffTex0", "ffTex1", "ffTex2", "ffTex3", "ffTex4", "ffTex5", "ffTex6", "ffTex7"];

/// A uniform of ours: its name, its kind and its words.
type Named = (String, u32, Vec<u32>);

impl Replay {
    /// Everything for a draw but its vertices. Returns the program, to be given back to
    /// [`Replay::restore`]; `None` if the draw is left out.
    ///
    /// # Errors
    ///
    /// Returns why the draw cannot be shown.
    pub(crate) fn prepare(&mut self, mode: u32, vertices: u64, instances: u64) -> Result<Option<Linked>, String> {
        self.note_draw();
        self.note_write();
        let total = vertices.saturating_mul(instances);
        // Those of all draws of a call, which may be one of many draws.
        self.call_vertices = self.call_vertices.saturating_add(total);
        if self.call_vertices > self.bounds.vertices {
            return Err(format!("the draw has more than {} vertices", self.bounds.vertices));
        }
        if let Some(reason) = self.lacks(mode) {
            return Err(reason.into());
        }
        let Some(context) = self.context() else { return Err("no context is current".into()) };
        if !context.fixed.renders {
            // Selection and feedback.
            return Ok(None);
        }
        let program = context.program;
        if let Some(reason) = self.target_problem() {
            return Err(reason);
        }
        if program == 0 {
            self.check_fixed()?;
        } else {
            let found = self.program(program).ok_or("the program in use does not exist")?;
            if let Some(problem) = &found.problem {
                return Err(problem.clone());
            }
            if found.linked.is_none() {
                return Err("the program in use is not linked".into());
            }
        }
        if self.is_skipped() {
            return Ok(None);
        }
        self.vertices = self.vertices.saturating_add(total);
        if self.stream.on && self.vertices > self.bounds.all_vertices {
            let (call, most) = (self.call, self.bounds.all_vertices);
            self.halt(format!(
                "Up to call {call}, this picture takes more than {most} vertices. The replay ends there."
            ));
            return Ok(None);
        }
        if !self.flush_state() {
            return Err("no framebuffer is bound".into());
        }
        let mut linked = match program {
            0 => self.fixed_linked()?,
            _ => self.program(program).and_then(|program| program.linked.take()).ok_or("the program is in use")?,
        };
        let sampled = self.sampled(&linked);
        let exchanges = self.flush_texels(&sampled, &linked.made).and_then(|()| self.flush_textures(&sampled));
        if let Err(reason) = exchanges.and_then(|exchanges| self.exchange_channels(&mut linked, exchanges)) {
            self.restore(linked);
            return Err(reason.into());
        }
        self.map_clip_volume(&mut linked);
        self.flush_uniform_buffers();
        let work = total.saturating_mul(linked.made.vertex_work);
        let of_pixel = total.saturating_mul(linked.made.fragment_work);
        for (work, most, what) in
            [(work, self.bounds.vertex_work, "vertices"), (of_pixel, self.bounds.pixel_work, "a pixel")]
        {
            if work > most {
                self.restore(linked);
                return Err(format!("the draw may take more than {most} operations for {what}"));
            }
        }
        if self.stream.on {
            self.stream.draws += 1;
            // It may take as long as a GPU can.
            self.stream.slow |= linked.made.may_be_cut;
            self.set_own_uniforms(&mut linked, program == 0, mode);
            self.send_program(&mut linked);
            let (_, width, height) = self.target().unwrap_or_default();
            let [pixel, primitives] = [linked.made.fragment_work, total].map(|n| n.min(u32::MAX.into()) as u32);
            self.stream.put(Op::Cost, &[Stream::thousands(work), pixel, primitives, width, height]);
        }
        Ok(Some(linked))
    }

    /// Why nothing can be drawn to the framebuffer that is bound.
    pub(crate) fn target_problem(&mut self) -> Option<String> {
        let context = self.context()?;
        let framebuffer =
            context.framebuffers.get(&context.draw_framebuffer).filter(|_| context.draw_framebuffer != 0)?;
        Some(format!("WebGL2 cannot draw to its framebuffer: {}", framebuffer.problem()?))
    }

    /// Gives a program back after a draw.
    pub(crate) fn restore(&mut self, linked: Linked) {
        let Some(context) = self.context() else { return };
        let program = context.program;
        if program == 0 {
            let parts = context.fixed.parts();
            self.fixed_programs.insert(parts, linked);
            return;
        }
        if let Some(program) = self.program(program) {
            program.linked = Some(linked);
        }
    }

    /// What a draw with a program samples.
    fn sampled(&mut self, linked: &Linked) -> Vec<Sampled> {
        let Some(context) = self.context() else { return Vec::new() };
        let Some(samplers) = &linked.samplers else {
            let all = (0..UNITS).flat_map(|unit| (0..4).map(move |slot| Sampled { unit, slot, of: None }));
            return all.collect();
        };
        samplers.iter().flat_map(|sampler| sampled_by(context, sampler)).collect()
    }

    /// Lets a program exchange the channels of what it samples, once there are such textures.
    fn exchange_channels(&mut self, linked: &mut Linked, exchanges: bool) -> Result<(), &'static str> {
        if !exchanges && linked.made.exchanges.is_none() {
            return Ok(());
        }
        let made = match &linked.made.exchanges {
            Some(_) => Rc::clone(&linked.made),
            None => Rc::new(exchanging(&linked.made)),
        };
        let Some((context, objects, _)) = self.both() else { return Ok(()) };
        let mut all: Vec<Named> = Vec::new();
        let samplers = linked.samplers.as_ref().ok_or("a texture with exchanged channels is in a structure")?;
        for sampler in samplers {
            for (element, at) in sampled_by(context, sampler).enumerate() {
                let channels = at.texture(context, objects).map_or([0, 1, 2, 3], Texture::channels);
                if made.exchanges.as_ref().is_some_and(|known| known.contains(&sampler.shown)) {
                    let index = if sampler.units.len() > 1 { format!("[{element}]") } else { String::new() };
                    all.push((format!("{UNIFORM}{}{index}", sampler.shown), 8, channels.to_vec()));
                } else if channels != [0, 1, 2, 3] {
                    return Err("a texture with exchanged channels is handed to a function of the shader");
                }
            }
        }
        if !self.stream.on {
            return Ok(());
        }
        if !Rc::ptr_eq(&linked.made, &made) {
            self.replace(linked, made);
        }
        for (name, kind, words) in all {
            self.set_named(linked, &name, kind, &words);
        }
        Ok(())
    }

    /// Has the vertex shader map the clip volume of the context to the one that WebGL2 has.
    fn map_clip_volume(&mut self, linked: &mut Linked) {
        let [origin, depths] = self.context().map_or(USUAL_CLIPS, |context| context.clips);
        let is_needed = [origin, depths] != USUAL_CLIPS || linked.made.maps_clips;
        if !self.stream.on || !is_needed {
            return;
        }
        if !linked.made.maps_clips {
            let made = Rc::new(mapping_clips(&linked.made));
            self.replace(linked, made);
        }
        let y = if origin == gl::UPPER_LEFT { -1.0 } else { 1.0 };
        let from_zero = if depths == gl::ZERO_TO_ONE { 1.0 } else { 0.0 };
        self.set_named(linked, clips::UNIFORM, 2, &bits(&[y, from_zero]));
    }

    /// Gives a program other shaders than those that WebGL2 may have.
    fn replace(&mut self, linked: &mut Linked, made: Rc<Translated>) {
        self.reserve(linked.made.bytes(), made.bytes());
        if linked.sent_in > 0 {
            self.stream.put(Op::Delete, &[Kind::Program as u32, linked.handle]);
            linked.again();
            linked.sent_in = 0;
        }
        linked.handle = self.handle(Kind::Program);
        linked.made = made;
    }

    /// Why the fixed function cannot be emulated at this moment.
    fn check_fixed(&mut self) -> Result<(), String> {
        let Some(context) = self.context() else { return Ok(()) };
        for (unit, environment) in context.fixed.environments.iter().enumerate() {
            if environment.slot().is_none() {
                continue;
            }
            if unit >= FIXED_UNITS {
                return Err(format!("the fixed function uses more than {FIXED_UNITS} texture units"));
            }
            const MODES: [u32; 6] = [gl::MODULATE, gl::REPLACE, gl::DECAL, gl::BLEND, gl::ADD, gl::COMBINE];
            if !MODES.contains(&environment.mode) {
                return Err("a texture environment is not replayed".into());
            }
        }
        Ok(())
    }

    fn fixed_linked(&mut self) -> Result<Linked, String> {
        let parts = self.context().map_or(Parts::ALL, |context| context.fixed.parts());
        if let Some(linked) = self.fixed_programs.remove(&parts) {
            return Ok(linked);
        }
        let none = hashbrown::HashMap::new();
        let sources = parts.shaders().map(|source| self.translations.source(&source));
        let origin = Made { calls: [0; 2], sources, outputs: Vec::new() };
        let made = self.translations.link(&origin.sources, false, &none, &none).map_err(|(_, error)| error)?;
        Ok(self.link_translated(made, origin))
    }

    fn flush_uniform_buffers(&mut self) {
        let Some(context) = self.context() else { return };
        if context.uniform_buffers.is_empty() {
            return;
        }
        let bound = |index: u32| Some((index, *context.uniform_buffers.get(&index)?));
        let all: Vec<_> = (0..UNIFORM_BUFFERS).filter_map(bound).collect();
        for (index, bound) in all {
            let handle = self.uploaded(bound.buffer, false);
            let wanted = [index, handle, bound.offset, bound.size];
            if self.uniform_buffers.get(&index) != Some(&wanted) {
                self.uniform_buffers.insert(index, wanted);
                self.stream.put(Op::BindUniformBuffer, &wanted);
            }
        }
    }

    /// Sets the uniforms that the translation added.
    fn set_own_uniforms(&mut self, linked: &mut Linked, is_fixed: bool, mode: u32) {
        let height = self.target().map_or(0, |(_, _, height)| height);
        let Some((context, objects, _)) = self.both() else { return };
        let mut all: Vec<Named> = Vec::new();
        if linked.made.upper_left {
            all.push(("_fbh".into(), 1, vec![(height as f32).to_bits()]));
        }
        let fixed = &context.fixed;
        if linked.made.alpha_test {
            let (function, reference) = if fixed.alpha_test { fixed.alpha } else { (gl::ALWAYS, 0.0) };
            all.push(("_af".into(), 5, vec![function.wrapping_sub(gl::NEVER)]));
            all.push(("_ar".into(), 1, vec![reference.to_bits()]));
        }
        if linked.made.fragment.contains("uniform bool _flat;") {
            all.push(("_flat".into(), 5, vec![fixed.flat.into()]));
        }
        for name in &linked.made.compatibility {
            fixed.compatibility(name, |part, numbers| {
                let kind = match numbers.len() {
                    16 => 15,
                    9 => 14,
                    n => n as u32,
                };
                all.push((format!("ff_{name}{part}"), kind, bits(numbers)));
            });
        }
        // A program with one shader of its own has the other one of the fixed function.
        if is_fixed || linked.made.uniforms.iter().any(|uniform| uniform.name == "ffLit" || uniform.name == "ffFog") {
            let count = if is_fixed { fixed.parts().units } else { Parts::ALL.units };
            fixed_uniforms(context, objects, count, mode, &mut all);
        }
        let made = Rc::clone(&linked.made);
        for (name, kind, words) in all {
            // Those of parts that its shaders do not have.
            let is_missing = name.starts_with("ff") && !name.starts_with("ff_") && {
                let base = name.split('[').next();
                !made.uniforms.iter().any(|uniform| Some(uniform.name.as_str()) == base)
            };
            if !is_missing {
                self.set_named(linked, &name, kind, &words);
            }
        }
    }
}

/// What a sampler samples, an element after the other.
fn sampled_by<'a>(context: &Context, sampler: &'a Sampler) -> impl Iterator<Item = Sampled> + use<'a> {
    let slot = sampler.slot;
    // One of the fixed function: its unit is sampled if it is enabled.
    let of_old = SAMPLERS.iter().position(|name| *name == sampler.shown);
    let of = of_old.and_then(|unit| context.fixed.environments.get(unit).and_then(Environment::slot));
    let old = of.filter(|of| in_webgl(*of) == slot).zip(of_old).map(|(of, unit)| Sampled { unit, slot, of: Some(of) });
    // What a buffer texture is in WebGL2 says less than the program.
    let of = (slot == BUFFER).then_some(slot);
    let slot = in_webgl(slot);
    let units: &[u32] = if of_old.is_some() { &[] } else { &sampler.units };
    old.into_iter().chain(units.iter().map(move |unit| Sampled { unit: *unit as usize, slot, of }))
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

/// The uniforms of the fixed function's shaders, for `count` texture units.
fn fixed_uniforms(context: &Context, objects: &Objects, count: usize, mode: u32, all: &mut Vec<Named>) {
    let (is_points, is_line) = (mode == gl::POINTS, matches!(mode, gl::LINES..=gl::LINE_STRIP));
    let fixed: &Fixed = &context.fixed;
    put_int(all, "ffLit", fixed.lighting.into());
    put_int(all, "ffNormalize", fixed.normalize.into());
    put_int(all, "ffLocal", fixed.local_viewer.into());
    let tracks = match fixed.tracks {
        gl::AMBIENT => 1,
        gl::DIFFUSE => 2,
        gl::AMBIENT_AND_DIFFUSE => 3,
        gl::SPECULAR => 4,
        _ => 5,
    };
    for (face, name) in [(gl::FRONT, "ffTrack"), (gl::BACK, "ffBackTrack")] {
        let is_tracked = fixed.color_material && [face, gl::FRONT_AND_BACK].contains(&fixed.tracked);
        put_int(all, name, if is_tracked { tracks } else { 0 });
    }
    put_int(all, "ffSeparate", fixed.separate.into());
    let fog = match fixed.fog_mode {
        gl::LINEAR => 1,
        gl::EXP => 2,
        _ => 3,
    };
    put_int(all, "ffFog", if fixed.fogged { fog } else { 0 });
    let mut units = 0;
    for (unit, (environment, sampler)) in fixed.environments.iter().zip(SAMPLERS).take(count).enumerate() {
        put_int(all, sampler, unit as u32);
        if unit_uniforms(context, objects, unit, environment, all) {
            units = unit as u32 + 1;
        }
        put_int(all, &format!("ffSprite[{unit}]"), (is_points && environment.replaces).into());
        generation_uniforms(unit, environment, all);
        if environment.mode == gl::COMBINE {
            combiner_uniforms(unit, environment, all);
        }
    }
    put_int(all, "ffUnits", units);
    for (i, lit) in fixed.lit.iter().enumerate() {
        put_int(all, &format!("ffOn[{i}]"), (*lit).into());
    }
    for (i, (plane, on)) in fixed.planes.iter().zip(fixed.clips).enumerate().filter(|_| fixed.clips.contains(&true)) {
        all.push((format!("ffPlane[{i}]"), 4, bits(plane)));
        put_int(all, &format!("ffClip[{i}]"), on.into());
    }
    all.push(("ffPointSize".into(), 1, vec![fixed.point_size.to_bits()]));
    all.push(("ffPointFade".into(), 3, bits(&fixed.point_fade)));
    let [factor, pattern] = fixed.stipple;
    let pattern = if is_line { pattern } else { 0xFFFF };
    all.push(("ffStipple".into(), 2, bits(&[factor as f32, pattern as f32])));
    let view = context.state.four(word::VIEWPORT).map(|n| n as i32 as f32);
    all.push(("ffView".into(), 4, bits(&view)));
    // Points have a pixel at least.
    let [min, max] = fixed.point_range;
    all.push(("ffPointRange".into(), 2, bits(&[min.max(1.0), max.max(1.0)])));
}

fn put_int(all: &mut Vec<Named>, name: &str, value: u32) {
    all.push((name.into(), 5, vec![value]));
}

/// What a texture unit does with its texture. Returns whether it has one.
fn unit_uniforms(
    context: &Context,
    objects: &Objects,
    unit: usize,
    environment: &Environment,
    all: &mut Vec<Named>,
) -> bool {
    let names = context.units.get(unit).copied().unwrap_or_default();
    let slot = environment.slot();
    let texture = slot.and_then(|slot| {
        let name = names.get(slot).copied().unwrap_or(0);
        let key = if name == 0 { u32::MAX - slot as u32 } else { name };
        objects.textures.get(&key).filter(|texture| !texture.levels.is_empty())
    });
    let on = texture.is_some();
    let rectangle = slot == Some(5);
    let mode = match environment.mode {
        _ if !on => 0,
        gl::MODULATE => 1,
        gl::REPLACE => 2,
        gl::DECAL => 3,
        gl::BLEND => 4,
        gl::ADD => 5,
        _ => 6,
    };
    put_int(all, &format!("ffMode[{unit}]"), mode);
    put_int(all, &format!("ffRect[{unit}]"), u32::from(rectangle));
    let bias = environment.bias + texture.map_or(0.0, |texture| texture.bias);
    all.push((format!("ffBias[{unit}]"), 1, vec![bias.to_bits()]));
    let base = match texture.and_then(|texture| texture.storage).filter(|of| !of.is_integer()).map(|of| of.base) {
        Some(Base::Rgb | Base::Luminance | Base::Red | Base::Rg) => 1,
        Some(Base::Alpha) => 2,
        Some(Base::Intensity) => 3,
        _ => 0,
    };
    put_int(all, &format!("ffBase[{unit}]"), base);
    on
}

/// How a texture unit generates coordinates.
fn generation_uniforms(unit: usize, environment: &Environment, all: &mut Vec<Named>) {
    let how: Vec<u32> = environment
        .generated
        .iter()
        .zip(environment.generates)
        .map(|(mode, on)| match *mode {
            _ if !on => 0,
            gl::OBJECT_LINEAR => 1,
            gl::EYE_LINEAR => 2,
            gl::SPHERE_MAP => 3,
            gl::NORMAL_MAP => 4,
            _ => 5,
        })
        .collect();
    all.push((format!("ffGenerate[{unit}]"), 8, how));
}

/// What a texture unit with `GL_COMBINE` combines, and how.
fn combiner_uniforms(unit: usize, environment: &Environment, all: &mut Vec<Named>) {
    let function = |f: u32| match f {
        gl::REPLACE => 0,
        gl::MODULATE => 1,
        gl::ADD => 2,
        gl::ADD_SIGNED => 3,
        gl::INTERPOLATE => 4,
        gl::SUBTRACT => 5,
        gl::DOT3_RGB => 6,
        gl::MODULATE_ADD_ATI => 8,
        gl::MODULATE_SIGNED_ADD_ATI => 9,
        gl::MODULATE_SUBTRACT_ATI => 10,
        _ => 7,
    };
    let source = |s: &u32| match *s {
        gl::TEXTURE => 0,
        gl::CONSTANT => 1,
        gl::PRIMARY_COLOR => 2,
        gl::PREVIOUS => 3,
        // The texture of any unit: ARB_texture_env_crossbar. Others are zeros.
        unit => 4 + unit.wrapping_sub(gl::TEXTURE0).min(31),
    };
    let operand = |o: &u32| o.wrapping_sub(gl::SRC_COLOR) & 3;
    let [rgb, alpha] = environment.combine;
    all.push((format!("ffFunction[{unit}]"), 8, vec![function(rgb), function(alpha), 0, 0]));
    let [of_rgb, of_alpha] = environment.sources;
    let with = |list: &[u32; 3], f: &dyn Fn(&u32) -> u32| list.iter().map(f).chain([0]).collect::<Vec<u32>>();
    all.push((format!("ffSources[{unit}]"), 8, with(&of_rgb, &source)));
    all.push((format!("ffAlphaSources[{unit}]"), 8, with(&of_alpha, &source)));
    let [of_rgb, of_alpha] = environment.operands;
    all.push((format!("ffOperands[{unit}]"), 8, with(&of_rgb, &operand)));
    // Operands of alpha are about alpha: the second pair.
    all.push((format!("ffAlphaOperands[{unit}]"), 8, with(&of_alpha, &|o| 2 + (o & 1))));
    let [x, y] = environment.scales;
    all.push((format!("ffScales[{unit}]"), 4, bits(&[x, y, 1.0, 1.0])));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bounds;
    use crate::ops::tests::commands;
    use unspool_gl::example::{Example, Value};

    #[test]
    fn a_program_exchanges_channels_once_it_samples_a_texture_that_wants_it() {
        let mut replay = Replay::new(Bounds::default(), true);
        let mut number = 0;
        let mut execute = |replay: &mut Replay, name: &str, args: &[u32]| {
            let args = args.iter().map(|n| Value::Int((*n).into())).collect();
            replay.execute_example(&Example { number, name: name.into(), args, ..Example::default() });
            number += 1;
        };
        for (name, args) in [("glXMakeCurrent", &[1, 2, 3][..]), ("glViewport", &[0, 0, 8, 8])] {
            execute(&mut replay, name, args);
        }
        execute(&mut replay, "glEnable", &[gl::TEXTURE_2D]);
        let image = [gl::TEXTURE_2D, 0, gl::SRGB8_ALPHA8, 2, 1, 0, gl::RGBA, gl::UNSIGNED_BYTE, 0];
        execute(&mut replay, "glTexImage2D", &image);
        execute(&mut replay, "glRecti", &[0, 0, 1, 1]);
        let text = |replay: &Replay| {
            let words = commands(&replay.stream, Op::Program)[0].to_vec();
            let bytes = &replay.stream.bytes[words[3] as usize..][..words[4] as usize];
            String::from_utf8(bytes.to_vec()).unwrap()
        };
        assert!(!text(&replay).contains("_sw_ffTex0"));
        // After the storage, as programs do that fill an atlas of glyphs later.
        replay.stream.words.clear();
        execute(&mut replay, "glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_SWIZZLE_R, gl::GREEN]);
        execute(&mut replay, "glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_SWIZZLE_A, gl::ONE]);
        execute(&mut replay, "glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_SRGB_DECODE_EXT, gl::SKIP_DECODE_EXT]);
        execute(&mut replay, "glRecti", &[0, 0, 1, 1]);
        assert!(text(&replay).contains("_sw_ffTex0)"), "{}", text(&replay));
        let channels = |replay: &Replay| {
            let all = commands(&replay.stream, Op::Uniform).into_iter().filter(|words| words[1] == 8);
            all.map(|words| words[3..].to_vec()).collect::<Vec<_>>()
        };
        assert!(channels(&replay).contains(&vec![1 + 8, 1, 2, 5]), "{:?}", channels(&replay));
        // The same program serves textures without.
        replay.stream.words.clear();
        execute(&mut replay, "glBindTexture", &[gl::TEXTURE_2D, 7]);
        execute(&mut replay, "glTexImage2D", &image);
        execute(&mut replay, "glRecti", &[0, 0, 1, 1]);
        assert!(commands(&replay.stream, Op::Program).is_empty());
        assert!(channels(&replay).contains(&vec![0, 1, 2, 3]));
    }
}
