//! The two shaders of the fixed function, with the parts that a draw needs.

use core::fmt::Write;

use crate::fixed::FIXED_UNITS;

/// The parts of the fixed function that a draw needs. Compiling all of them takes a compiler
/// without a GPU half a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Parts {
    /// Texture units, from the first to the last one that is enabled.
    pub(crate) units: usize,
    /// The slot of WebGL2 that each samples: 2D, cube, 3D.
    pub(crate) kinds: [u8; FIXED_UNITS],
    pub(crate) lit: bool,
    /// Both sides are lit.
    pub(crate) sides: bool,
    /// Secondary colours are added after texturing.
    pub(crate) sums: bool,
    pub(crate) fog: bool,
    /// Coordinates are generated.
    pub(crate) generates: bool,
    /// Environments of `GL_COMBINE`.
    pub(crate) combines: bool,
    /// Clip planes.
    pub(crate) clips: bool,
    /// Coordinates of points are those within the point.
    pub(crate) sprites: bool,
    /// Lines with gaps, which are counted from the vertex that flat values come from.
    pub(crate) stipples: bool,
}

impl Parts {
    /// For programs that have one shader of their own: what they are drawn with is not known when
    /// they are linked.
    pub(crate) const ALL: Self = Self {
        units: 4,
        kinds: [0; FIXED_UNITS],
        lit: true,
        sides: false,
        sums: false,
        fog: true,
        generates: true,
        combines: true,
        clips: false,
        sprites: false,
        stipples: false,
    };

    /// The vertex and fragment shader.
    pub(crate) fn shaders(self) -> crate::glsl::Sources {
        let mut head = format!("#version 120\n#define UNITS {}\n", self.units);
        for (name, on) in [
            ("LIT", self.lit),
            ("SIDES", self.sides && self.lit),
            ("SUMS", self.sums),
            ("FOG", self.fog),
            ("GENERATES", self.generates),
            ("COMBINES", self.combines),
            ("CLIPS", self.clips),
            ("SPRITES", self.sprites),
            ("STIPPLES", self.stipples),
        ] {
            let _ = writeln!(head, "#define {name} {}", u8::from(on));
        }
        head.push_str(VARYINGS);
        [format!("{head}{}", self.vertex()).into(), format!("{head}{}", self.fragment()).into()]
    }

    fn vertex(&self) -> String {
        let mut text = format!("{VERTEX_HEAD}void main() {{\n{VERTEX_MAIN}");
        for i in 0..self.units {
            let _ = writeln!(
                text,
                "  gl_TexCoord[{i}] = ffUnits > {i} ? unit({i}, gl_MultiTexCoord{i}, eye, n) : gl_MultiTexCoord{i};"
            );
        }
        text.push_str("}\n");
        text
    }

    fn fragment(&self) -> String {
        let mut text = String::new();
        let kinds = self.kinds.iter().take(self.units).enumerate();
        for (i, kind) in kinds.clone() {
            let of = ["2D", "Cube", "3D"].get(usize::from(*kind)).unwrap_or(&"2D");
            let _ = writeln!(text, "uniform sampler{of} ffTex{i};");
        }
        text.push_str(FRAGMENT_HEAD);
        text.push_str("void main() {\n");
        text.push_str(FRAGMENT_MAIN);
        for (i, kind) in kinds {
            let at = format!("at({i}, gl_TexCoord[{i}])");
            let sampled = match kind {
                1 => format!("textureCube(ffTex{i}, {at}.xyz, ffBias[{i}])"),
                2 => format!("texture3D(ffTex{i}, {at}.xyz / {at}.w, ffBias[{i}])"),
                _ => format!("texture2D(ffTex{i}, place({i}, {at}, textureSize(ffTex{i}, 0)), ffBias[{i}])"),
            };
            // Combiners may use the texture of any unit.
            let _ = writeln!(text, "  vec4 t{i} = ffMode[{i}] != 0 ? {sampled} : vec4(0.0);");
            let _ = writeln!(text, "#if COMBINES\n  ffT[{i}] = t{i};\n#endif");
        }
        for i in 0..self.units {
            let _ =
                writeln!(text, "  if (ffMode[{i}] != 0) v = apply({i}, t{i}, v, primary, gl_TextureEnvColor[{i}]);");
        }
        text.push_str(FRAGMENT_END);
        text
    }
}

/// What both shaders declare.
const VARYINGS: &str = r"#if CLIPS
varying vec3 ffClipA, ffClipB;
#endif
#if STIPPLES
flat varying vec2 ffStart;
#endif
#if SUMS
varying vec3 ffSum;
#endif
#if SIDES
varying vec4 ffBack;
varying vec3 ffBackSum;
#endif
";

const VERTEX_HEAD: &str = r"uniform int ffNormalize;
uniform float ffPointSize;
uniform vec3 ffPointFade;
uniform vec2 ffPointRange;
#if CLIPS
uniform vec4 ffPlane[6];
uniform int ffClip[6];
#endif
#if STIPPLES
uniform vec4 ffView;
#endif
#if LIT
uniform int ffLit, ffTrack, ffBackTrack, ffLocal, ffSeparate;
uniform int ffOn[8];
vec3 shine;
vec4 lit(vec3 n, vec4 eye, vec4 a, vec4 d, vec4 s, vec4 e, float shininess) {
  vec4 c = e + a * gl_LightModel.ambient;
  vec3 p = eye.xyz / eye.w;
  vec3 v = ffLocal != 0 ? normalize(-p) : vec3(0.0, 0.0, 1.0);
  shine = vec3(0.0);
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
    float gloss = 0.0;
    if (nl > 0.0) {
      float nh = max(dot(n, normalize(l + v)), 0.0);
      gloss = shininess == 0.0 ? 1.0 : pow(nh, shininess);
    }
    c += strength * (a * gl_LightSource[i].ambient + nl * d * gl_LightSource[i].diffuse);
    shine += strength * gloss * (s * gl_LightSource[i].specular).rgb;
  }
  if (ffSeparate == 0) {
    c.rgb += shine;
    shine = vec3(0.0);
  }
  return vec4(clamp(c.rgb, 0.0, 1.0), d.a);
}
#endif
#if GENERATES
uniform ivec4 ffGenerate[UNITS];
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
";

/// Distances are those along the axis, as in Mesa: OpenGL 2.1, section 3.3. `ffTrack`: what
/// `glColorMaterial` takes from the current colour; 0 nothing, 1 ambient, 2 diffuse, 3 both, 4
/// specular, 5 emission.
const VERTEX_MAIN: &str = r"  vec4 eye = gl_ModelViewMatrix * gl_Vertex;
  vec3 n = gl_NormalMatrix * gl_Normal;
  if (ffNormalize != 0) n = normalize(n);
  gl_Position = ftransform();
#if STIPPLES
  ffStart = (gl_Position.xy / gl_Position.w * 0.5 + 0.5) * ffView.zw + ffView.xy;
#endif
  float away = abs(eye.z / eye.w);
  float fade = ffPointFade.x + ffPointFade.y * away + ffPointFade.z * away * away;
  gl_PointSize = clamp(ffPointSize * inversesqrt(max(fade, 1e-12)), ffPointRange.x, ffPointRange.y);
#if CLIPS
  ffClipA = vec3(ffClip[0] != 0 ? dot(eye, ffPlane[0]) : 1.0, ffClip[1] != 0 ? dot(eye, ffPlane[1]) : 1.0,
    ffClip[2] != 0 ? dot(eye, ffPlane[2]) : 1.0);
  ffClipB = vec3(ffClip[3] != 0 ? dot(eye, ffPlane[3]) : 1.0, ffClip[4] != 0 ? dot(eye, ffPlane[4]) : 1.0,
    ffClip[5] != 0 ? dot(eye, ffPlane[5]) : 1.0);
#endif
#if FOG
  gl_FogFragCoord = abs(eye.z / eye.w);
#endif
  vec4 color = gl_Color;
#if SUMS
  ffSum = gl_SecondaryColor.rgb;
#endif
#if LIT
  if (ffLit != 0) {
    vec4 a = gl_FrontMaterial.ambient, d = gl_FrontMaterial.diffuse, s = gl_FrontMaterial.specular, e = gl_FrontMaterial.emission;
    if (ffTrack == 1 || ffTrack == 3) a = gl_Color;
    if (ffTrack == 2 || ffTrack == 3) d = gl_Color;
    if (ffTrack == 4) s = gl_Color;
    if (ffTrack == 5) e = gl_Color;
    color = lit(n, eye, a, d, s, e, gl_FrontMaterial.shininess);
#if SUMS
    ffSum = shine;
#endif
#if SIDES
    a = gl_BackMaterial.ambient, d = gl_BackMaterial.diffuse, s = gl_BackMaterial.specular, e = gl_BackMaterial.emission;
    if (ffBackTrack == 1 || ffBackTrack == 3) a = gl_Color;
    if (ffBackTrack == 2 || ffBackTrack == 3) d = gl_Color;
    if (ffBackTrack == 4) s = gl_Color;
    if (ffBackTrack == 5) e = gl_Color;
    ffBack = clamp(lit(-n, eye, a, d, s, e, gl_BackMaterial.shininess), 0.0, 1.0);
    ffBackSum = shine;
#endif
  }
#endif
  gl_FrontColor = clamp(color, 0.0, 1.0);
";

/// `ffMode` of a unit: 0 off, 1 modulate, 2 replace, 3 decal, 4 blend, 5 add, 6 combine. `ffBase`:
/// 0 all channels, 1 no alpha, 2 alpha alone, 3 intensity. `ffRect`: coordinates are pixels.
const FRAGMENT_HEAD: &str = r"#if STIPPLES
uniform vec2 ffStipple;
#endif
#if UNITS > 0
uniform int ffMode[UNITS], ffBase[UNITS], ffRect[UNITS];
uniform float ffBias[UNITS];
#endif
#if SPRITES
uniform int ffSprite[UNITS];
#endif
#if COMBINES
uniform ivec4 ffFunction[UNITS], ffSources[UNITS], ffAlphaSources[UNITS], ffOperands[UNITS], ffAlphaOperands[UNITS];
uniform vec4 ffScales[UNITS];
vec4 ffT[UNITS];
vec4 pick(int source, vec4 tex, vec4 before, vec4 primary, vec4 constant) {
  if (source == 0) return tex;
  if (source == 1) return constant;
  if (source == 2) return primary;
  if (source == 3) return before;
  return source >= 4 && source - 4 < UNITS ? ffT[source - 4] : vec4(0.0);
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
  if (f == 8) return a * c + b;
  if (f == 9) return a * c + b - 0.5;
  if (f == 10) return a * c - b;
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
vec4 at(int i, vec4 c) {
#if SPRITES
  if (ffSprite[i] != 0) return vec4(gl_PointCoord, 0.0, 1.0);
#endif
  return c;
}
#endif
#if FOG
uniform int ffFog;
#endif
";

const FRAGMENT_MAIN: &str = r"#if CLIPS
  if (min(min(ffClipA.x, min(ffClipA.y, ffClipA.z)), min(ffClipB.x, min(ffClipB.y, ffClipB.z))) < 0.0) discard;
#endif
#if STIPPLES
  vec2 run = abs(gl_FragCoord.xy - ffStart);
  float bit = mod(floor(max(run.x, run.y) / ffStipple.x), 16.0);
  if (mod(floor(ffStipple.y / exp2(bit)), 2.0) < 0.5) discard;
#endif
  vec4 primary = gl_Color;
#if SIDES
  if (!gl_FrontFacing) primary = ffBack;
#endif
  vec4 v = primary;
";

const FRAGMENT_END: &str = r"#if SUMS
#if SIDES
  v.rgb = min(v.rgb + (gl_FrontFacing ? ffSum : ffBackSum), 1.0);
#else
  v.rgb = min(v.rgb + ffSum, 1.0);
#endif
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
    use crate::fixed::Fixed;
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
        // Each further part has a shader of its own.
        fixed.clips[3] = true;
        let clipped = size(fixed.parts());
        fixed.two_side = true;
        let sides = size(fixed.parts());
        fixed.separate = true;
        let sums = size(fixed.parts());
        assert!(textured < clipped && clipped < sides && sides < sums);
        (fixed.stipples, fixed.stipple) = (true, [1, 0x00FF]);
        assert!(sums < size(fixed.parts()));
        fixed.environments[7].enabled[1] = true;
        let parts = fixed.parts();
        assert_eq!((parts.units, parts.kinds), (8, [0, 0, 0, 0, 0, 0, 0, 1]));
        size(parts);
    }
}
