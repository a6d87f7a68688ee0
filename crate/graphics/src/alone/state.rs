//! State that decides what later calls mean, or that needs more than its own arguments.

use unspool_gl::gl;
use unspool_gl::textures::UNIT_CAPABILITIES;

use super::rules::{Function, Rule, Rules};
use super::world::{Kind, What, World};
use unspool_gl::call::{Call, Value};

pub(super) const RULES: Rules = &[
    ("Enable", "", Rule::Run(|w, c, _| enable(w, c, true))),
    ("Disable", "", Rule::Run(|w, c, _| enable(w, c, false))),
    ("Enablei", "", Rule::Run(enable_indexed)),
    ("Disablei", "", Rule::Run(enable_indexed)),
    ("EnableIndexed", "", Rule::Run(enable_indexed)),
    ("DisableIndexed", "", Rule::Run(enable_indexed)),
    ("ActiveTexture", "", Rule::Run(active_texture)),
    ("ClientActiveTexture", "", Rule::Run(client_active_texture)),
    ("MatrixMode", "", Rule::Run(matrix_mode)),
    ("Viewport", "viewport", Rule::Run(viewport)),
    ("ViewportIndexedf", "viewport", Rule::Part),
    ("ViewportIndexedfv", "viewport", Rule::Part),
    ("ViewportArrayv", "viewport", Rule::Part),
    ("Scissor", "scissor", Rule::Run(scissor)),
    ("ColorMask", "colour mask", Rule::Run(colour_mask)),
    ("ColorMaski", "colour mask", Rule::Run(colour_mask_of_one)),
    ("DepthMask", "depth mask", Rule::Run(depth_mask)),
    ("StencilMask", "stencil mask", Rule::Run(stencil_mask)),
    ("StencilMaskSeparate", "stencil mask", Rule::Run(stencil_mask)),
    ("Color*", "current colour", Rule::Run(current)),
    ("ColorP*", "current colour", Rule::Run(current)),
    ("SecondaryColor*", "current secondary colour", Rule::Run(current)),
    ("Normal*", "current normal", Rule::Run(current)),
    ("TexCoord*", "current coordinates", Rule::Run(current_of_unit)),
    ("MultiTexCoord*", "current coordinates", Rule::Run(current_of_unit)),
    ("FogCoord*", "current fog coordinate", Rule::Run(current)),
    ("Index*", "current index", Rule::Run(current)),
    ("EdgeFlag", "edge flag", Rule::Run(current)),
    ("EdgeFlagv", "edge flag", Rule::Run(current)),
    ("VertexAttrib*", "current attributes", Rule::Run(current_attribute)),
    ("VertexAttribI*", "current attributes", Rule::Run(current_attribute)),
    ("VertexAttribL*", "current attributes", Rule::Run(current_attribute)),
    ("VertexAttribP*", "current attributes", Rule::Run(current_attribute)),
    // Draws read these, and clears do not.
    ("Material*", "material", Rule::Run(material)),
    ("ShadeModel", "shade model", Rule::Run(current)),
    ("RasterPos*", "raster position", Rule::Run(raster_position)),
    ("WindowPos*", "raster position", Rule::Run(raster_position)),
    ("BindSampler", "", Rule::Run(bind_sampler)),
    ("BindSamplers", "", Rule::Run(bind_samplers)),
    ("SamplerParameter*", "", Rule::Run(sampler_parameter)),
    ("SamplerParameterI*", "", Rule::Run(sampler_parameter)),
];

fn enable(world: &mut World, call: &Call, is_on: bool) {
    let capability = call.uint(0);
    let unit = world.shadow().unit;
    let shadow = world.shadow();
    match capability {
        gl::SCISSOR_TEST => shadow.scissors = is_on,
        gl::DEPTH_TEST => shadow.tests_depth = is_on,
        gl::STENCIL_TEST => shadow.tests_stencil = is_on,
        gl::BLEND => shadow.blends = is_on,
        gl::RASTERIZER_DISCARD => shadow.discards = is_on,
        gl::FRAGMENT_PROGRAM_ARB | gl::VERTEX_PROGRAM_ARB => shadow.has_assembly |= is_on,
        gl::TEXTURE_1D | gl::TEXTURE_2D | gl::TEXTURE_3D | gl::TEXTURE_CUBE_MAP | gl::TEXTURE_RECTANGLE => {
            if is_on {
                shadow.fixed.insert((unit, capability));
            } else {
                shadow.fixed.remove(&(unit, capability));
            }
        }
        _ => {}
    }
    if capability == gl::COLOR_MATERIAL {
        world.shadow().tracks_material = is_on;
        // Materials keep the colour of now, or take it.
        let colour = world.current_colour();
        world.read(colour);
        let tracked = world.state(What::Current, 1, 0);
        world.part(tracked);
    }
    let of_unit = UNIT_CAPABILITIES.contains(&capability);
    if of_unit {
        let active = world.unit_cell();
        world.read(active);
    }
    let cell = world.state(What::Enabled, capability.into(), if of_unit { unit.into() } else { 0 });
    world.whole(cell);
}

fn enable_indexed(world: &mut World, call: &Call, _: &Function) {
    let capability = call.uint(0);
    if UNIT_CAPABILITIES.contains(&capability) {
        world.shadow().fixed.insert((call.uint(1), capability));
    }
    if capability == gl::SCISSOR_TEST {
        world.shadow().scissors = true;
    }
    let unit = if UNIT_CAPABILITIES.contains(&capability) { u64::from(call.uint(1)) } else { 0 };
    let cell = world.state(What::Enabled, capability.into(), unit);
    world.part(cell);
}

fn active_texture(world: &mut World, call: &Call, _: &Function) {
    world.shadow().unit = call.uint(0).wrapping_sub(gl::TEXTURE0);
    let cell = world.unit_cell();
    world.whole(cell);
}

fn client_active_texture(world: &mut World, call: &Call, _: &Function) {
    world.shadow().client_unit = call.uint(0).wrapping_sub(gl::TEXTURE0);
    let cell = world.other(What::Bound, gl::CLIENT_ACTIVE_TEXTURE.into(), 0);
    world.whole(cell);
}

fn matrix_mode(world: &mut World, call: &Call, _: &Function) {
    world.shadow().mode = call.uint(0);
    let cell = world.mode_cell();
    world.whole(cell);
}

fn viewport(world: &mut World, call: &Call, function: &Function) {
    let cell = world.state(What::Setting(function.setting), 0, 0);
    world.whole(cell);
    world.grow_window(call.int(0) + call.int(2), call.int(1) + call.int(3));
}

fn scissor(world: &mut World, call: &Call, function: &Function) {
    world.shadow().scissor = core::array::from_fn(|at| call.int(at));
    let cell = world.state(What::Setting(function.setting), 0, 0);
    world.whole(cell);
}

fn colour_mask(world: &mut World, call: &Call, function: &Function) {
    world.shadow().masks_colour = (0..4).any(|at| call.int(at) == 0);
    let cell = world.state(What::Setting(function.setting), 0, 0);
    world.whole(cell);
}

fn colour_mask_of_one(world: &mut World, _: &Call, function: &Function) {
    world.shadow().masks_colour = true;
    let cell = world.state(What::Setting(function.setting), 0, 0);
    world.part(cell);
}

fn depth_mask(world: &mut World, call: &Call, function: &Function) {
    world.shadow().masks_depth = call.int(0) == 0;
    let cell = world.state(What::Setting(function.setting), 0, 0);
    world.whole(cell);
}

fn stencil_mask(world: &mut World, call: &Call, function: &Function) {
    let cell = world.state(What::Setting(function.setting), 0, 0);
    let is_of_one = function.known.canonical.ends_with("Separate");
    let mask = call.uint(usize::from(is_of_one));
    world.shadow().masks_stencil = is_of_one && call.uint(0) != gl::FRONT_AND_BACK || mask & 0xff != 0xff;
    if is_of_one && call.uint(0) != gl::FRONT_AND_BACK { world.part(cell) } else { world.whole(cell) }
}

impl World {
    fn current_cell(&mut self, what: What, index: u64) -> u32 {
        let group = self.context().current;
        self.cell(group, what, index, 0)
    }

    fn current_colour(&mut self) -> u32 {
        let setting = self.colour;
        self.current_cell(What::Setting(setting), 0)
    }

    /// The replay of apitrace makes a window as large as the largest viewport so far.
    pub(super) fn grow_window(&mut self, width: i64, height: i64) {
        if self.shadow().draw != 0 {
            return;
        }
        let window = self.context().window;
        let [width, height] = [width, height].map(|side| u32::try_from(side).unwrap_or_default());
        let [across, up, _] = self.get(window).sizes.get(&0).copied().unwrap_or_default();
        if width > across || height > up {
            self.get_mut(window).sizes.insert(0, [width.max(across), height.max(up), 1]);
            self.get_mut(window).is_resized = true;
            let def = self.get(window).def;
            let cell = self.cell(def, What::Size, 0, 0);
            self.part(cell);
            // Only if no framebuffer object is bound.
            let bound = self.state(What::Bound, gl::DRAW_FRAMEBUFFER.into(), 0);
            self.read(bound);
        }
    }
}

fn current(world: &mut World, call: &Call, function: &Function) {
    let cell = world.current_cell(What::Setting(function.setting), 0);
    world.whole(cell);
    if cell == world.current_colour() {
        let alpha = match call.argument(0) {
            Value::List(mut values) => values.nth(3).and_then(Value::float),
            _ => call.argument(3).float(),
        };
        world.shadow().is_translucent = alpha.is_some_and(|alpha| alpha < 1.0);
    }
    if world.shadow().tracks_material && cell == world.current_colour() {
        let tracked = world.state(What::Current, 1, 0);
        world.whole(tracked);
    }
}

fn current_of_unit(world: &mut World, call: &Call, function: &Function) {
    let is_of_unit = function.known.canonical.starts_with("Multi");
    let unit = if is_of_unit { call.uint(0).wrapping_sub(gl::TEXTURE0) } else { 0 };
    let cell = world.current_cell(What::Setting(function.setting), unit.into());
    world.whole(cell);
}

fn current_attribute(world: &mut World, call: &Call, function: &Function) {
    let cell = world.current_cell(What::Setting(function.setting), call.uint(0).into());
    world.whole(cell);
    if call.uint(0) == 0 && world.context().is_in_primitive {
        world.part(cell);
    }
}

fn material(world: &mut World, call: &Call, function: &Function) {
    let (face, parameter) = (call.uint(0), call.uint(1));
    let faces: &[u32] = match face {
        gl::FRONT => &[gl::FRONT],
        gl::BACK => &[gl::BACK],
        _ => &[gl::FRONT, gl::BACK],
    };
    let parameters: &[u32] = match &parameter {
        &gl::AMBIENT_AND_DIFFUSE => &[gl::AMBIENT, gl::DIFFUSE],
        other => core::slice::from_ref(other),
    };
    for face in faces {
        for parameter in parameters {
            let of = u64::from(*face) << 32 | u64::from(*parameter);
            let cell = world.current_cell(What::Setting(function.setting), of);
            world.whole(cell);
        }
    }
}

fn raster_position(world: &mut World, _: &Call, function: &Function) {
    let context = world.context();
    let (state, current) = (context.state, context.current);
    world.read_all(state);
    world.read_all(current);
    let tops = world.tops_of(world.at);
    world.effects.extend(tops);
    let cell = world.state(What::Setting(function.setting), 0, 0);
    world.whole(cell);
}

/// Planes of eyes are in the space of the modelview matrix.
pub(super) fn tex_gen(world: &mut World, call: &Call, function: &Function) {
    let unit = u64::from(world.shadow().unit);
    let active = world.unit_cell();
    world.read(active);
    let top = world.top(gl::MODELVIEW);
    world.read(top);
    let cell = world.state(What::Setting(function.setting), unit << 32 | u64::from(call.uint(0)), call.uint(1).into());
    world.whole(cell);
}

impl World {
    fn set_sampler(&mut self, unit: u32, name: u32) {
        let id = self.named(Kind::Sampler, name.into());
        if id == 0 {
            self.shadow().samplers.remove(&unit);
        } else {
            self.shadow().samplers.insert(unit, id);
        }
        let cell = self.state(What::Bound, gl::SAMPLER_BINDING.into(), unit.into());
        self.whole(cell);
    }
}

fn bind_sampler(world: &mut World, call: &Call, _: &Function) {
    world.set_sampler(call.uint(0), call.uint(1));
}

/// The names in a list.
pub(super) fn names_of(call: &Call, at: usize) -> Vec<u32> {
    match call.argument(at) {
        Value::List(values) => values.map(|value| value.int().unwrap_or_default() as u32).collect(),
        value => value.int().map(|name| name as u32).into_iter().collect(),
    }
}

fn bind_samplers(world: &mut World, call: &Call, _: &Function) {
    let names = names_of(call, 2);
    for at in 0..call.uint(1).min(256) {
        world.set_sampler(call.uint(0) + at, names.get(at as usize).copied().unwrap_or_default());
    }
}

fn sampler_parameter(world: &mut World, call: &Call, _: &Function) {
    let id = world.named(Kind::Sampler, call.uint(0).into());
    let def = world.get(id).def;
    let cell = world.cell(def, What::Parameter, call.uint(1).into(), 0);
    world.whole(cell);
}
