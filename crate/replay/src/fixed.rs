//! The fixed function: matrices, lights, materials, texture environments. It is two shaders of the
//! compatibility profile, which the translation turns into shaders of WebGL2, with uniforms for
//! everything that can be chosen.

use unspool_gl::gl;

use crate::matrix::{self, IDENTITY, Matrix};
use crate::objects::SLOTS;

/// Units of the fixed function that are emulated.
pub(crate) const FIXED_UNITS: usize = 4;
/// Floats of a vertex in immediate mode: position, normal, colour, then texture coordinates.
pub(crate) const VERTEX: usize = 11 + 4 * FIXED_UNITS;
/// Limit for the depth of a matrix stack.
const STACK: usize = 64;

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
}

/// The state of the fixed function.
#[derive(Clone, Debug)]
pub(crate) struct Fixed {
    pub(crate) mode: u32,
    pub(crate) modelview: Vec<Matrix>,
    pub(crate) projection: Vec<Matrix>,
    pub(crate) texture: Vec<Vec<Matrix>>,
    pub(crate) other: Vec<Matrix>,
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
    pub(crate) lights: Vec<Light>,
    pub(crate) lit: [bool; 8],
    pub(crate) materials: [Material; 2],
    pub(crate) model_ambient: [f32; 4],
    pub(crate) local_viewer: bool,
    pub(crate) two_side: bool,
    /// What `glColorMaterial` tracks.
    pub(crate) tracks: u32,
    pub(crate) environments: Vec<Environment>,
    pub(crate) client_unit: usize,
    pub(crate) alpha: (u32, f32),
    pub(crate) flat: bool,
    pub(crate) point_size: f32,
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
        let [flat, .., line, rectangle, _] = self.enabled;
        [(rectangle, 5), (flat, 0), (line, 4)].into_iter().find_map(|(on, slot)| on.then_some(slot))
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
        };
        Self {
            mode: gl::MODELVIEW,
            modelview: vec![IDENTITY],
            projection: vec![IDENTITY],
            texture: vec![vec![IDENTITY]; 8],
            other: vec![IDENTITY],
            color: [1.0; 4],
            secondary: [0.0, 0.0, 0.0, 1.0],
            normal: [0.0, 0.0, 1.0],
            coordinates: [[0.0, 0.0, 0.0, 1.0]; FIXED_UNITS],
            fog_coordinate: 0.0,
            primitive: None,
            spoiled: None,
            renders: true,
            vertices: Vec::new(),
            lights: (0..8).map(light).collect(),
            lit: [false; 8],
            materials: [material.clone(), material],
            model_ambient: [0.2, 0.2, 0.2, 1.0],
            local_viewer: false,
            two_side: false,
            tracks: gl::AMBIENT_AND_DIFFUSE,
            environments: vec![environment; 8],
            client_unit: 0,
            alpha: (gl::ALWAYS, 0.0),
            flat: false,
            point_size: 1.0,
            fog_mode: gl::EXP,
            fog: Fog { color: [0.0; 4], density: 1.0, start: 0.0, end: 1.0 },
            lighting: false,
            color_material: false,
            normalize: false,
            alpha_test: false,
            fogged: false,
        }
    }

    /// The stack that matrix calls change. `unit` is the active texture unit.
    pub(crate) fn stack(&mut self, unit: usize) -> &mut Vec<Matrix> {
        match self.mode {
            gl::MODELVIEW => &mut self.modelview,
            gl::PROJECTION => &mut self.projection,
            gl::TEXTURE => self.texture.get_mut(unit).unwrap_or(&mut self.other),
            _ => &mut self.other,
        }
    }

    /// Replaces the top of the stack by what `make` makes of it.
    pub(crate) fn change(&mut self, unit: usize, make: impl FnOnce(&Matrix) -> Matrix) {
        if let Some(top) = self.stack(unit).last_mut() {
            *top = make(top);
        }
    }

    pub(crate) fn push(&mut self, unit: usize) {
        let stack = self.stack(unit);
        if stack.len() < STACK
            && let Some(top) = stack.last().copied()
        {
            stack.push(top);
        }
    }

    pub(crate) fn pop(&mut self, unit: usize) {
        let stack = self.stack(unit);
        if stack.len() > 1 {
            stack.pop();
        }
    }

    pub(crate) fn top(stack: &[Matrix]) -> &Matrix {
        stack.last().unwrap_or(&IDENTITY)
    }

    /// A vertex in immediate mode.
    pub(crate) fn vertex(&mut self, position: [f32; 4]) {
        let Self { vertices, normal, color, coordinates, .. } = self;
        vertices.extend_from_slice(&position);
        vertices.extend_from_slice(normal);
        vertices.extend_from_slice(color);
        vertices.extend(coordinates.iter().flatten());
    }

    /// What the uniform `name` of the compatibility profile (without `gl_`) is: its parts, each a
    /// path within it and its numbers. Sixteen are a matrix of four columns, nine one of three.
    pub(crate) fn compatibility(&self, name: &str, mut put: impl FnMut(&str, &[f32])) {
        let (m, p) = (Self::top(&self.modelview), Self::top(&self.projection));
        let transposed = name.ends_with("Transpose");
        let name = name.strip_suffix("Transpose").unwrap_or(name);
        let inverted = name.ends_with("Inverse");
        let base = name.strip_suffix("Inverse").unwrap_or(name);
        let square = match base {
            "ModelViewMatrix" => Some(*m),
            "ProjectionMatrix" => Some(*p),
            "ModelViewProjectionMatrix" => Some(matrix::product(p, m)),
            _ => None,
        };
        if let Some(square) = square {
            let square = if inverted { matrix::inverse(&square) } else { square };
            return put("", &if transposed { matrix::transposed(&square) } else { square });
        }
        match base {
            "NormalMatrix" => put("", &matrix::normal(m)),
            "NormalScale" => put("", &[1.0]),
            "TextureMatrix" => {
                for (i, stack) in self.texture.iter().enumerate() {
                    put(&format!("[{i}]"), Self::top(stack));
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
                put(".sizeMin", &[0.0]);
                put(".sizeMax", &[64.0]);
                put(".fadeThresholdSize", &[1.0]);
                put(".distanceConstantAttenuation", &[1.0]);
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

/// The parts of the fixed function that a draw needs. Compiling all of them takes a compiler
/// without a GPU half a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Parts {
    /// Texture units, from the first to the last one that is enabled.
    pub(crate) units: usize,
    pub(crate) lit: bool,
    pub(crate) fog: bool,
    /// Coordinates are generated.
    pub(crate) generates: bool,
    /// Environments of `GL_COMBINE`.
    pub(crate) combines: bool,
}

impl Parts {
    /// For programs that have one shader of their own: what they are drawn with is not known when
    /// they are linked.
    pub(crate) const ALL: Self = Self { units: FIXED_UNITS, lit: true, fog: true, generates: true, combines: true };

    /// The vertex and fragment shader.
    pub(crate) fn shaders(self) -> crate::glsl::Sources {
        let Self { units, .. } = self;
        let [lit, fog, generates, combines] = [self.lit, self.fog, self.generates, self.combines].map(u8::from);
        let head = format!(
            "#version 120\n#define UNITS {units}\n#define LIT {lit}\n#define FOG {fog}\n#define GENERATES {generates}\n\
             #define COMBINES {combines}\n"
        );
        [VERTEX_SHADER, FRAGMENT_SHADER].map(|body| format!("{head}{body}").into())
    }
}

impl Fixed {
    /// What a draw needs at this moment.
    pub(crate) fn parts(&self) -> Parts {
        let is_on = |environment: &Environment| environment.slot().is_some();
        let all = self.environments.get(..FIXED_UNITS).unwrap_or_default();
        let units = all.iter().rposition(is_on).map_or(0, |last| last + 1);
        let used = all.get(..units).unwrap_or_default();
        Parts {
            units,
            lit: self.lighting,
            fog: self.fogged,
            generates: used.iter().any(|environment| environment.generates != [false; 4]),
            combines: used.iter().any(|environment| {
                !matches!(environment.mode, gl::MODULATE | gl::REPLACE | gl::DECAL | gl::BLEND | gl::ADD)
            }),
        }
    }
}

/// The vertex shader of the fixed function, for [`Parts`].
const VERTEX_SHADER: &str = r"uniform int ffNormalize;
uniform float ffPointSize;
#if LIT
uniform int ffLit, ffTrack, ffLocal;
uniform int ffOn[8];
vec4 lit(vec3 n, vec4 eye, vec4 a, vec4 d, vec4 s, vec4 e, float shininess) {
  vec4 c = e + a * gl_LightModel.ambient;
  vec3 p = eye.xyz / eye.w;
  vec3 v = ffLocal != 0 ? normalize(-p) : vec3(0.0, 0.0, 1.0);
  for (int i = 0; i < 8; i++) {
    if (ffOn[i] == 0) continue;
    vec4 at = gl_LightSource[i].position;
    vec3 l;
    float strength = 1.0;
    if (at.w == 0.0) {
      l = normalize(at.xyz);
    } else {
      vec3 to = at.xyz / at.w - p;
      float far = length(to);
      l = to / far;
      strength = 1.0 / (gl_LightSource[i].constantAttenuation + gl_LightSource[i].linearAttenuation * far
        + gl_LightSource[i].quadraticAttenuation * far * far);
      if (gl_LightSource[i].spotCutoff <= 90.0) {
        float spot = dot(-l, normalize(gl_LightSource[i].spotDirection));
        if (spot < gl_LightSource[i].spotCosCutoff) strength = 0.0;
        else if (gl_LightSource[i].spotExponent > 0.0) strength *= pow(max(spot, 0.0), gl_LightSource[i].spotExponent);
      }
    }
    float nl = max(dot(n, l), 0.0);
    float shine = 0.0;
    if (nl > 0.0) {
      float nh = max(dot(n, normalize(l + v)), 0.0);
      shine = shininess == 0.0 ? 1.0 : pow(nh, shininess);
    }
    c += strength * (a * gl_LightSource[i].ambient + nl * d * gl_LightSource[i].diffuse + shine * s * gl_LightSource[i].specular);
  }
  return vec4(clamp(c.rgb, 0.0, 1.0), d.a);
}
#endif
#if GENERATES
uniform ivec4 ffGenerate[4];
vec4 coordinates(ivec4 how, vec4 given, vec4 eye, vec3 n, vec4 os, vec4 ot, vec4 orr, vec4 oq, vec4 es, vec4 et, vec4 er, vec4 eq) {
  vec3 u = normalize(eye.xyz / eye.w);
  vec3 r = reflect(u, n);
  float m = 2.0 * sqrt(r.x * r.x + r.y * r.y + (r.z + 1.0) * (r.z + 1.0));
  vec4 c = given;
  if (how.x == 1) c.x = dot(gl_Vertex, os); else if (how.x == 2) c.x = dot(eye, es); else if (how.x == 3) c.x = r.x / m + 0.5;
  else if (how.x == 4) c.x = n.x; else if (how.x == 5) c.x = r.x;
  if (how.y == 1) c.y = dot(gl_Vertex, ot); else if (how.y == 2) c.y = dot(eye, et); else if (how.y == 3) c.y = r.y / m + 0.5;
  else if (how.y == 4) c.y = n.y; else if (how.y == 5) c.y = r.y;
  if (how.z == 1) c.z = dot(gl_Vertex, orr); else if (how.z == 2) c.z = dot(eye, er);
  else if (how.z == 4) c.z = n.z; else if (how.z == 5) c.z = r.z;
  if (how.w == 1) c.w = dot(gl_Vertex, oq); else if (how.w == 2) c.w = dot(eye, eq);
  return c;
}
#endif
#if UNITS > 0
uniform int ffUnits;
vec4 unit(int i, vec4 given, vec4 eye, vec3 n) {
  vec4 c = given;
#if GENERATES
  if (ffGenerate[i] != ivec4(0))
    c = coordinates(ffGenerate[i], given, eye, n, gl_ObjectPlaneS[i], gl_ObjectPlaneT[i], gl_ObjectPlaneR[i], gl_ObjectPlaneQ[i],
      gl_EyePlaneS[i], gl_EyePlaneT[i], gl_EyePlaneR[i], gl_EyePlaneQ[i]);
#endif
  return gl_TextureMatrix[i] * c;
}
#endif
void main() {
  vec4 eye = gl_ModelViewMatrix * gl_Vertex;
  vec3 n = gl_NormalMatrix * gl_Normal;
  if (ffNormalize != 0) n = normalize(n);
  gl_Position = ftransform();
  gl_PointSize = ffPointSize;
#if FOG
  gl_FogFragCoord = abs(eye.z / eye.w);
#endif
  vec4 color = gl_Color;
#if LIT
  if (ffLit != 0) {
    vec4 a = gl_FrontMaterial.ambient, d = gl_FrontMaterial.diffuse, s = gl_FrontMaterial.specular, e = gl_FrontMaterial.emission;
    if (ffTrack == 1 || ffTrack == 3) a = gl_Color;
    if (ffTrack == 2 || ffTrack == 3) d = gl_Color;
    if (ffTrack == 4) s = gl_Color;
    if (ffTrack == 5) e = gl_Color;
    color = lit(n, eye, a, d, s, e, gl_FrontMaterial.shininess);
  }
#endif
  gl_FrontColor = clamp(color, 0.0, 1.0);
#if UNITS > 0
  gl_TexCoord[0] = ffUnits > 0 ? unit(0, gl_MultiTexCoord0, eye, n) : gl_MultiTexCoord0;
#endif
#if UNITS > 1
  gl_TexCoord[1] = ffUnits > 1 ? unit(1, gl_MultiTexCoord1, eye, n) : gl_MultiTexCoord1;
#endif
#if UNITS > 2
  gl_TexCoord[2] = ffUnits > 2 ? unit(2, gl_MultiTexCoord2, eye, n) : gl_MultiTexCoord2;
#endif
#if UNITS > 3
  gl_TexCoord[3] = ffUnits > 3 ? unit(3, gl_MultiTexCoord3, eye, n) : gl_MultiTexCoord3;
#endif
}
";

/// The fragment shader of the fixed function, for [`Parts`]. `ffMode` of a unit: 0 off, 1 modulate,
/// 2 replace, 3 decal, 4 blend, 5 add, 6 combine. `ffBase`: 0 all channels, 1 no alpha, 2 alpha
/// alone, 3 intensity. `ffRect`: coordinates are pixels.
const FRAGMENT_SHADER: &str = r"#if UNITS > 0
uniform sampler2D ffTex0, ffTex1, ffTex2, ffTex3;
uniform int ffMode[4], ffBase[4], ffRect[4];
#endif
#if COMBINES
uniform ivec4 ffFunction[4], ffSources[4], ffAlphaSources[4], ffOperands[4], ffAlphaOperands[4];
uniform vec4 ffScales[4];
vec4 pick(int source, vec4 tex, vec4 before, vec4 primary, vec4 constant) {
  return source == 0 ? tex : source == 1 ? constant : source == 2 ? primary : before;
}
vec3 color(int operand, vec4 v) {
  return operand == 0 ? v.rgb : operand == 1 ? 1.0 - v.rgb : operand == 2 ? v.aaa : 1.0 - v.aaa;
}
vec3 combined(int f, vec3 a, vec3 b, vec3 c) {
  if (f == 0) return a;
  if (f == 1) return a * b;
  if (f == 2) return a + b;
  if (f == 3) return a + b - 0.5;
  if (f == 4) return mix(b, a, c);
  if (f == 5) return a - b;
  return vec3(4.0 * dot(a - 0.5, b - 0.5));
}
#endif
#if UNITS > 0
vec4 apply(int i, vec4 tex, vec4 before, vec4 primary, vec4 constant) {
  int mode = ffMode[i], base = ffBase[i];
  vec4 v = before;
  if (mode == 1) v = base == 2 ? vec4(before.rgb, before.a * tex.a) : before * tex;
  else if (mode == 2) v = base == 1 ? vec4(tex.rgb, before.a) : base == 2 ? vec4(before.rgb, tex.a) : tex;
  else if (mode == 3) v = vec4(base == 1 ? tex.rgb : mix(before.rgb, tex.rgb, tex.a), before.a);
  else if (mode == 4) v = vec4(mix(before.rgb, constant.rgb, tex.rgb), base == 3 ? mix(before.a, constant.a, tex.a) : before.a * tex.a);
  else if (mode == 5) v = vec4(base == 2 ? before.rgb : before.rgb + tex.rgb, base == 3 ? before.a + tex.a : before.a * tex.a);
#if COMBINES
  else {
    ivec4 s = ffSources[i], o = ffOperands[i], t = ffAlphaSources[i], p = ffAlphaOperands[i];
    vec3 rgb = combined(ffFunction[i].x, color(o.x, pick(s.x, tex, before, primary, constant)),
      color(o.y, pick(s.y, tex, before, primary, constant)), color(o.z, pick(s.z, tex, before, primary, constant)));
    vec3 alpha = combined(ffFunction[i].y, color(p.x, pick(t.x, tex, before, primary, constant)),
      color(p.y, pick(t.y, tex, before, primary, constant)), color(p.z, pick(t.z, tex, before, primary, constant)));
    v = vec4(rgb * ffScales[i].x, ffFunction[i].x == 7 ? rgb.r * ffScales[i].x : alpha.r * ffScales[i].y);
  }
#endif
  return clamp(v, 0.0, 1.0);
}
vec2 place(int i, vec4 c, ivec2 size) {
  vec2 at = c.xy / c.w;
  return ffRect[i] != 0 ? at / vec2(size) : at;
}
#endif
#if FOG
uniform int ffFog;
#endif
void main() {
  vec4 primary = gl_Color;
  vec4 v = primary;
#if UNITS > 0
  if (ffMode[0] != 0) v = apply(0, texture2D(ffTex0, place(0, gl_TexCoord[0], textureSize(ffTex0, 0))), v, primary, gl_TextureEnvColor[0]);
#endif
#if UNITS > 1
  if (ffMode[1] != 0) v = apply(1, texture2D(ffTex1, place(1, gl_TexCoord[1], textureSize(ffTex1, 0))), v, primary, gl_TextureEnvColor[1]);
#endif
#if UNITS > 2
  if (ffMode[2] != 0) v = apply(2, texture2D(ffTex2, place(2, gl_TexCoord[2], textureSize(ffTex2, 0))), v, primary, gl_TextureEnvColor[2]);
#endif
#if UNITS > 3
  if (ffMode[3] != 0) v = apply(3, texture2D(ffTex3, place(3, gl_TexCoord[3], textureSize(ffTex3, 0))), v, primary, gl_TextureEnvColor[3]);
#endif
#if FOG
  if (ffFog != 0) {
    float z = gl_FogFragCoord;
    float f = ffFog == 1 ? (gl_Fog.end - z) * gl_Fog.scale : ffFog == 2 ? exp(-gl_Fog.density * z)
      : exp(-gl_Fog.density * gl_Fog.density * z * z);
    v.rgb = mix(gl_Fog.color.rgb, v.rgb, clamp(f, 0.0, 1.0));
  }
#endif
  gl_FragColor = v;
}
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glsl::Translations;

    #[test]
    fn shaders_have_the_parts_that_a_draw_needs() {
        let none = hashbrown::HashMap::new();
        let size = |parts: Parts| {
            let made = Translations::new(1 << 15).link(&parts.shaders(), false, &none, &none).unwrap();
            made.vertex.len() + made.fragment.len()
        };
        let mut fixed = Fixed::new();
        let plain = size(fixed.parts());
        fixed.lighting = true;
        let lit = size(fixed.parts());
        fixed.environments[1].enabled[0] = true;
        let parts = fixed.parts();
        assert_eq!((parts.units, parts.generates, parts.combines), (2, false, false));
        let textured = size(parts);
        assert!(plain < lit && lit < textured && textured < size(Parts::ALL));
    }
}
