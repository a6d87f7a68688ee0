//! The fixed function: matrices, lights, materials, texture environments. It is two shaders of the
//! compatibility profile (`fixed_shaders.rs`), which the translation turns into shaders of WebGL2,
//! with uniforms for everything that can be chosen.

use unspool_gl::gl;
use unspool_gl::matrices::{Stack, Stacks};

use crate::fixed_shaders::Parts;
use crate::matrix::{self, IDENTITY, Matrix};
use crate::objects::SLOTS;

/// Units of the fixed function that are emulated.
pub(crate) const FIXED_UNITS: usize = 8;
/// Clip planes: what OpenGL has at least.
pub(crate) const PLANES: usize = 6;

/// A light, with its position and direction in eye coordinates.
#[derive(Clone, Debug)]
pub(crate) struct Light {
    pub(crate) ambient: [f32; 4],
    pub(crate) diffuse: [f32; 4],
    pub(crate) specular: [f32; 4],
    pub(crate) position: [f32; 4],
    pub(crate) direction: [f32; 3],
    pub(crate) exponent: f32,
    pub(crate) cutoff: f32,
    pub(crate) attenuation: [f32; 3],
}

/// A material.
#[derive(Clone, Debug)]
pub(crate) struct Material {
    pub(crate) ambient: [f32; 4],
    pub(crate) diffuse: [f32; 4],
    pub(crate) specular: [f32; 4],
    pub(crate) emission: [f32; 4],
    pub(crate) shininess: f32,
}

/// The environment of a texture unit.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    pub(crate) mode: u32,
    pub(crate) color: [f32; 4],
    /// Functions of `GL_COMBINE` for colours and alpha, then sources and operands of both, and
    /// scales.
    pub(crate) combine: [u32; 2],
    pub(crate) sources: [[u32; 3]; 2],
    pub(crate) operands: [[u32; 3]; 2],
    pub(crate) scales: [f32; 2],
    /// Modes of generated coordinates, by coordinate, or 0, with their planes.
    pub(crate) generated: [u32; 4],
    pub(crate) generates: [bool; 4],
    pub(crate) object_planes: [[f32; 4]; 4],
    pub(crate) eye_planes: [[f32; 4]; 4],
    /// Targets that are enabled, in the order of `Context::units`.
    pub(crate) enabled: [bool; SLOTS],
    /// Coordinates of points are those within the point.
    pub(crate) replaces: bool,
    /// Added to levels of detail.
    pub(crate) bias: f32,
}

/// The state of the fixed function.
#[derive(Clone, Debug)]
pub(crate) struct Fixed {
    pub(crate) mode: u32,
    pub(crate) matrices: Stacks<f32>,
    pub(crate) color: [f32; 4],
    pub(crate) secondary: [f32; 4],
    pub(crate) normal: [f32; 3],
    pub(crate) coordinates: [[f32; 4]; FIXED_UNITS],
    pub(crate) fog_coordinate: f32,
    /// The primitive that is begun, with the floats of its vertices.
    pub(crate) primitive: Option<u32>,
    /// Why vertices of it are missing.
    pub(crate) spoiled: Option<&'static str>,
    /// Draws draw, and are not counted for selection or feedback.
    pub(crate) renders: bool,
    pub(crate) vertices: Vec<f32>,
    /// Texture units whose coordinates these have: those whose coordinates were ever set.
    pub(crate) reach: usize,
    pub(crate) lights: Vec<Light>,
    pub(crate) lit: [bool; 8],
    pub(crate) materials: [Material; 2],
    pub(crate) model_ambient: [f32; 4],
    pub(crate) local_viewer: bool,
    pub(crate) two_side: bool,
    /// Specular light is added after texturing.
    pub(crate) separate: bool,
    /// So are secondary colours, without lights.
    pub(crate) sums: bool,
    /// What `glColorMaterial` tracks, and of which faces.
    pub(crate) tracks: u32,
    pub(crate) tracked: u32,
    /// Clip planes, in eye coordinates, and which are enabled.
    pub(crate) planes: [[f32; 4]; PLANES],
    pub(crate) clips: [bool; PLANES],
    pub(crate) environments: Vec<Environment>,
    pub(crate) client_unit: usize,
    pub(crate) alpha: (u32, f32),
    pub(crate) flat: bool,
    pub(crate) point_size: f32,
    /// Sizes of points at least and at most, and how these fade with the distance.
    pub(crate) point_range: [f32; 2],
    pub(crate) point_fade: [f32; 3],
    pub(crate) sprites: bool,
    /// Lines have a pattern: how often each of its bits counts, and its sixteen bits.
    pub(crate) stipples: bool,
    pub(crate) stipple: [u32; 2],
    pub(crate) fog_mode: u32,
    pub(crate) fog: Fog,
    pub(crate) lighting: bool,
    pub(crate) color_material: bool,
    pub(crate) normalize: bool,
    pub(crate) alpha_test: bool,
    pub(crate) fogged: bool,
}

/// Fog.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fog {
    pub(crate) color: [f32; 4],
    pub(crate) density: f32,
    pub(crate) start: f32,
    pub(crate) end: f32,
}

impl Environment {
    /// The slot of [`crate::objects::Units`] whose texture is applied. `None` without any.
    pub(crate) fn slot(&self) -> Option<usize> {
        let [flat, cube, solid, _, line, rectangle, ..] = self.enabled;
        // OpenGL 2.1, section 3.8.16.
        let order = [(cube, 1), (solid, 2), (rectangle, 5), (flat, 0), (line, 4)];
        order.into_iter().find_map(|(on, slot)| on.then_some(slot))
    }
}

impl Fixed {
    /// That of a new context.
    pub(crate) fn new() -> Self {
        let light = |i: usize| Light {
            ambient: [0.0, 0.0, 0.0, 1.0],
            diffuse: if i == 0 { [1.0; 4] } else { [0.0, 0.0, 0.0, 1.0] },
            specular: if i == 0 { [1.0; 4] } else { [0.0, 0.0, 0.0, 1.0] },
            position: [0.0, 0.0, 1.0, 0.0],
            direction: [0.0, 0.0, -1.0],
            exponent: 0.0,
            cutoff: 180.0,
            attenuation: [1.0, 0.0, 0.0],
        };
        let material = Material {
            ambient: [0.2, 0.2, 0.2, 1.0],
            diffuse: [0.8, 0.8, 0.8, 1.0],
            specular: [0.0, 0.0, 0.0, 1.0],
            emission: [0.0, 0.0, 0.0, 1.0],
            shininess: 0.0,
        };
        let axes = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0; 4], [0.0; 4]];
        let environment = Environment {
            mode: gl::MODULATE,
            color: [0.0; 4],
            combine: [gl::MODULATE; 2],
            sources: [[gl::TEXTURE, gl::PREVIOUS, gl::CONSTANT]; 2],
            operands: [[gl::SRC_COLOR, gl::SRC_COLOR, gl::SRC_ALPHA], [gl::SRC_ALPHA; 3]],
            scales: [1.0; 2],
            generated: [gl::EYE_LINEAR; 4],
            generates: [false; 4],
            object_planes: axes,
            eye_planes: axes,
            enabled: [false; SLOTS],
            replaces: false,
            bias: 0.0,
        };
        Self {
            mode: gl::MODELVIEW,
            matrices: Stacks::default(),
            color: [1.0; 4],
            secondary: [0.0, 0.0, 0.0, 1.0],
            normal: [0.0, 0.0, 1.0],
            coordinates: [[0.0, 0.0, 0.0, 1.0]; FIXED_UNITS],
            fog_coordinate: 0.0,
            primitive: None,
            spoiled: None,
            renders: true,
            vertices: Vec::new(),
            reach: 1,
            lights: (0..8).map(light).collect(),
            lit: [false; 8],
            materials: [material.clone(), material],
            model_ambient: [0.2, 0.2, 0.2, 1.0],
            local_viewer: false,
            two_side: false,
            separate: false,
            sums: false,
            tracks: gl::AMBIENT_AND_DIFFUSE,
            tracked: gl::FRONT_AND_BACK,
            planes: [[0.0; 4]; PLANES],
            clips: [false; PLANES],
            environments: vec![environment; 8],
            client_unit: 0,
            alpha: (gl::ALWAYS, 0.0),
            flat: false,
            point_size: 1.0,
            point_range: [1.0, 255.0],
            point_fade: [1.0, 0.0, 0.0],
            sprites: false,
            stipples: false,
            stipple: [1, 0xFFFF],
            fog_mode: gl::EXP,
            fog: Fog { color: [0.0; 4], density: 1.0, start: 0.0, end: 1.0 },
            lighting: false,
            color_material: false,
            normalize: false,
            alpha_test: false,
            fogged: false,
        }
    }

    /// Enables or disables a capability of the fixed function that is not of a texture unit.
    /// Returns false for others.
    pub(crate) fn enable(&mut self, cap: u32, on: bool) -> bool {
        let slot = match cap {
            gl::LIGHTING => &mut self.lighting,
            gl::COLOR_MATERIAL => &mut self.color_material,
            gl::COLOR_SUM => &mut self.sums,
            gl::POINT_SPRITE => &mut self.sprites,
            gl::LINE_STIPPLE => &mut self.stipples,
            gl::ALPHA_TEST => &mut self.alpha_test,
            gl::FOG => &mut self.fogged,
            gl::CLIP_DISTANCE0..=gl::CLIP_DISTANCE5 => match self.clips.get_mut((cap - gl::CLIP_DISTANCE0) as usize) {
                Some(slot) => slot,
                None => return false,
            },
            gl::LIGHT0..=gl::LIGHT7 => match self.lit.get_mut((cap - gl::LIGHT0) as usize) {
                Some(slot) => slot,
                None => return false,
            },
            _ => return false,
        };
        *slot = on;
        true
    }

    /// The matrix on top of a stack.
    pub(crate) fn matrix(&self, stack: Stack) -> Matrix {
        self.matrices.top(stack).copied().unwrap_or(IDENTITY)
    }

    /// The current coordinates of a texture unit.
    pub(crate) fn set_coordinates(&mut self, unit: usize, value: [f32; 4]) {
        if unit >= FIXED_UNITS {
            return;
        }
        if unit >= self.reach {
            self.widen(unit + 1);
        }
        if let Some(slot) = self.coordinates.get_mut(unit) {
            *slot = value;
        }
    }

    /// Floats of a vertex: position, normal, colour, then texture coordinates.
    pub(crate) fn stride(&self) -> usize {
        11 + 4 * self.reach
    }

    /// Vertices have the coordinates of further units from now on.
    fn widen(&mut self, reach: usize) {
        let more: Vec<f32> =
            self.coordinates.get(self.reach..reach).unwrap_or_default().iter().flatten().copied().collect();
        if !self.vertices.is_empty() {
            let all = self.vertices.chunks_exact(self.stride()).flat_map(|vertex| vertex.iter().chain(&more));
            self.vertices = all.copied().collect();
        }
        self.reach = reach;
    }

    /// A vertex in immediate mode.
    pub(crate) fn vertex(&mut self, position: [f32; 4]) {
        let Self { vertices, normal, color, coordinates, reach, .. } = self;
        vertices.extend_from_slice(&position);
        vertices.extend_from_slice(normal);
        vertices.extend_from_slice(color);
        vertices.extend(coordinates.iter().take(*reach).flatten());
    }

    /// What the uniform `name` of the compatibility profile (without `gl_`) is: its parts, each a
    /// path within it and its numbers. Sixteen are a matrix of four columns, nine one of three.
    pub(crate) fn compatibility(&self, name: &str, mut put: impl FnMut(&str, &[f32])) {
        let (m, p) = (self.matrix(Stack::Modelview), self.matrix(Stack::Projection));
        let transposed = name.ends_with("Transpose");
        let name = name.strip_suffix("Transpose").unwrap_or(name);
        let inverted = name.ends_with("Inverse");
        let base = name.strip_suffix("Inverse").unwrap_or(name);
        let square = match base {
            "ModelViewMatrix" => Some(m),
            "ProjectionMatrix" => Some(p),
            "ModelViewProjectionMatrix" => Some(matrix::product(&p, &m)),
            _ => None,
        };
        if let Some(square) = square {
            let square = if inverted { matrix::inverse(&square) } else { square };
            return put("", &if transposed { matrix::transposed(&square) } else { square });
        }
        match base {
            "NormalMatrix" => put("", &matrix::normal(&m)),
            "NormalScale" => put("", &[1.0]),
            "TextureMatrix" => {
                for unit in 0..FIXED_UNITS as u32 {
                    put(&format!("[{unit}]"), &self.matrix(Stack::Texture(unit)));
                }
            }
            "LightSource" => self.light_sources(put),
            "FrontMaterial" | "BackMaterial" => {
                let [front, back] = &self.materials;
                let material = if base == "FrontMaterial" { front } else { back };
                put(".emission", &material.emission);
                put(".ambient", &material.ambient);
                put(".diffuse", &material.diffuse);
                put(".specular", &material.specular);
                put(".shininess", &[material.shininess]);
            }
            "LightModel" => put(".ambient", &self.model_ambient),
            "FrontLightModelProduct" | "BackLightModelProduct" => {
                let material = self.material(base);
                let sum: [f32; 4] = core::array::from_fn(|i| {
                    at(&material.emission, i) + at(&material.ambient, i) * at(&self.model_ambient, i)
                });
                put(".sceneColor", &sum);
            }
            "FrontLightProduct" | "BackLightProduct" => {
                let material = self.material(base);
                for (i, light) in self.lights.iter().enumerate() {
                    put(&format!("[{i}].ambient"), &times(&light.ambient, &material.ambient));
                    put(&format!("[{i}].diffuse"), &times(&light.diffuse, &material.diffuse));
                    put(&format!("[{i}].specular"), &times(&light.specular, &material.specular));
                }
            }
            "Fog" => {
                let Fog { color, density, start, end } = self.fog;
                put(".color", &color);
                put(".density", &[density]);
                put(".start", &[start]);
                put(".end", &[end]);
                put(".scale", &[if end == start { 0.0 } else { 1.0 / (end - start) }]);
            }
            "Point" => {
                put(".size", &[self.point_size]);
                let [min, max] = self.point_range;
                let [constant, linear, quadratic] = self.point_fade;
                put(".sizeMin", &[min]);
                put(".sizeMax", &[max]);
                put(".fadeThresholdSize", &[1.0]);
                put(".distanceConstantAttenuation", &[constant]);
                put(".distanceLinearAttenuation", &[linear]);
                put(".distanceQuadraticAttenuation", &[quadratic]);
            }
            _ => self.planes(base, put),
        }
    }

    fn material(&self, name: &str) -> &Material {
        let [front, back] = &self.materials;
        if name.starts_with("Front") { front } else { back }
    }

    fn light_sources(&self, mut put: impl FnMut(&str, &[f32])) {
        for (i, light) in self.lights.iter().enumerate() {
            let Light { ambient, diffuse, specular, position, direction, exponent, cutoff, attenuation } = light;
            put(&format!("[{i}].ambient"), ambient);
            put(&format!("[{i}].diffuse"), diffuse);
            put(&format!("[{i}].specular"), specular);
            put(&format!("[{i}].position"), position);
            let [x, y, z, _] = *position;
            let length = (x * x + y * y + z * z).sqrt().max(1e-20);
            let half = [x / length, y / length, z / length + 1.0];
            let length = half.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-20);
            put(&format!("[{i}].halfVector"), &[half[0] / length, half[1] / length, half[2] / length, 0.0]);
            put(&format!("[{i}].spotDirection"), direction);
            put(&format!("[{i}].spotExponent"), &[*exponent]);
            put(&format!("[{i}].spotCutoff"), &[*cutoff]);
            put(&format!("[{i}].spotCosCutoff"), &[cutoff.to_radians().cos()]);
            for (name, value) in ["constant", "linear", "quadratic"].iter().zip(attenuation) {
                put(&format!("[{i}].{name}Attenuation"), &[*value]);
            }
        }
    }

    fn planes(&self, name: &str, mut put: impl FnMut(&str, &[f32])) {
        for (i, environment) in self.environments.iter().enumerate() {
            let which = match name.as_bytes().last() {
                Some(b'S') => 0,
                Some(b'T') => 1,
                Some(b'R') => 2,
                _ => 3,
            };
            let plane = match name {
                "TextureEnvColor" => Some(&environment.color),
                _ if name.starts_with("Object") => environment.object_planes.get(which),
                _ => environment.eye_planes.get(which),
            };
            if let Some(plane) = plane {
                put(&format!("[{i}]"), plane);
            }
        }
    }
}

fn at(v: &[f32; 4], i: usize) -> f32 {
    v.get(i).copied().unwrap_or(0.0)
}

fn times(a: &[f32; 4], b: &[f32; 4]) -> [f32; 4] {
    core::array::from_fn(|i| at(a, i) * at(b, i))
}

impl Fixed {
    /// What a draw needs at this moment.
    pub(crate) fn parts(&self) -> Parts {
        let all = self.environments.get(..FIXED_UNITS).unwrap_or_default();
        let units = all.iter().rposition(|environment| environment.slot().is_some()).map_or(0, |last| last + 1);
        let used = all.get(..units).unwrap_or_default();
        let mut kinds = [0; FIXED_UNITS];
        for (kind, environment) in kinds.iter_mut().zip(used) {
            *kind = environment.slot().map_or(0, |slot| in_webgl(slot) as u8);
        }
        Parts {
            units,
            kinds,
            lit: self.lighting,
            sides: self.lighting && self.two_side,
            sums: if self.lighting { self.separate } else { self.sums },
            fog: self.fogged,
            generates: used.iter().any(|environment| environment.generates != [false; 4]),
            combines: used.iter().any(|environment| environment.mode == gl::COMBINE),
            clips: self.clips.contains(&true),
            stipples: self.is_stippled(),
            sprites: self.sprites && used.iter().any(|environment| environment.replaces),
        }
    }

    /// Whether lines have gaps.
    pub(crate) fn is_stippled(&self) -> bool {
        self.stipples && self.stipple[1] != 0xFFFF
    }

    /// What tracks the current colour keeps it: OpenGL 2.1, section 2.14.3.
    pub(crate) fn track(&mut self) {
        if !self.color_material {
            return;
        }
        for (face, material) in [gl::FRONT, gl::BACK].into_iter().zip(&mut self.materials) {
            if self.tracked != face && self.tracked != gl::FRONT_AND_BACK {
                continue;
            }
            match self.tracks {
                gl::AMBIENT => material.ambient = self.color,
                gl::DIFFUSE => material.diffuse = self.color,
                gl::SPECULAR => material.specular = self.color,
                gl::EMISSION => material.emission = self.color,
                _ => (material.ambient, material.diffuse) = (self.color, self.color),
            }
        }
    }
}

/// The slot of WebGL2 for one of [`crate::objects::Units`].
pub(crate) fn in_webgl(slot: usize) -> usize {
    if slot < 4 { slot } else { 0 }
}
