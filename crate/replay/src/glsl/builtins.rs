//! What GLSL has that GLSL ES 3.00 lacks: names that are declared for a shader that uses them.

/// State of the fixed function that a shader of the compatibility profile reads, as uniforms: name
/// without `gl_`, type, and number of elements or 0. They are called `ff_NAME` in the translation.
pub(crate) const COMPATIBILITY: &[(&str, &str, usize)] = &[
    ("ModelViewMatrix", "mat4", 0),
    ("ProjectionMatrix", "mat4", 0),
    ("ModelViewProjectionMatrix", "mat4", 0),
    ("NormalMatrix", "mat3", 0),
    ("TextureMatrix", "mat4", 8),
    ("ModelViewMatrixInverse", "mat4", 0),
    ("ProjectionMatrixInverse", "mat4", 0),
    ("ModelViewProjectionMatrixInverse", "mat4", 0),
    ("ModelViewMatrixTranspose", "mat4", 0),
    ("ProjectionMatrixTranspose", "mat4", 0),
    ("ModelViewProjectionMatrixTranspose", "mat4", 0),
    ("ModelViewMatrixInverseTranspose", "mat4", 0),
    ("NormalScale", "float", 0),
    ("LightSource", "ff_LightSourceParameters", 8),
    ("FrontMaterial", "ff_MaterialParameters", 0),
    ("BackMaterial", "ff_MaterialParameters", 0),
    ("LightModel", "ff_LightModelParameters", 0),
    ("FrontLightModelProduct", "ff_LightModelProducts", 0),
    ("BackLightModelProduct", "ff_LightModelProducts", 0),
    ("FrontLightProduct", "ff_LightProducts", 8),
    ("BackLightProduct", "ff_LightProducts", 8),
    ("Fog", "ff_FogParameters", 0),
    ("Point", "ff_PointParameters", 0),
    ("TextureEnvColor", "vec4", 8),
    ("ObjectPlaneS", "vec4", 8),
    ("ObjectPlaneT", "vec4", 8),
    ("ObjectPlaneR", "vec4", 8),
    ("ObjectPlaneQ", "vec4", 8),
    ("EyePlaneS", "vec4", 8),
    ("EyePlaneT", "vec4", 8),
    ("EyePlaneR", "vec4", 8),
    ("EyePlaneQ", "vec4", 8),
];

/// The structures among the types of [`COMPATIBILITY`].
pub(crate) const COMPATIBILITY_TYPES: &[(&str, &str)] = &[
    (
        "ff_LightSourceParameters",
        "vec4 ambient; vec4 diffuse; vec4 specular; vec4 position; vec4 halfVector; vec3 spotDirection; float spotExponent; \
         float spotCutoff; float spotCosCutoff; float constantAttenuation; float linearAttenuation; float quadraticAttenuation;",
    ),
    ("ff_MaterialParameters", "vec4 emission; vec4 ambient; vec4 diffuse; vec4 specular; float shininess;"),
    ("ff_LightModelParameters", "vec4 ambient;"),
    ("ff_LightModelProducts", "vec4 sceneColor;"),
    ("ff_LightProducts", "vec4 ambient; vec4 diffuse; vec4 specular;"),
    ("ff_FogParameters", "vec4 color; float density; float start; float end; float scale;"),
    (
        "ff_PointParameters",
        "float size; float sizeMin; float sizeMax; float fadeThresholdSize; float distanceConstantAttenuation; \
         float distanceLinearAttenuation; float distanceQuadraticAttenuation;",
    ),
];

/// Functions that GLSL ES 3.00 lacks: the name in the translation, what it is made of. With `$F`,
/// `$I`, `$U` or `$B` they exist for each size of float, int, uint and bool, and with `$S` and `$G`
/// for each kind of texture.
pub(crate) const HELPERS: &[(&str, &str)] = &[
    ("_tex1D", "$G _tex1D($S s, float c) { return texture(s, vec2(c, 0.5)); }"),
    ("_tex1D", "$G _tex1D($S s, float c, float b) { return texture(s, vec2(c, 0.5), b); }"),
    ("_tex1DLod", "$G _tex1DLod($S s, float c, float l) { return textureLod(s, vec2(c, 0.5), l); }"),
    ("_tex1DProj", "$G _tex1DProj($S s, vec2 c) { return texture(s, vec2(c.x / c.y, 0.5)); }"),
    ("_tex1DProj", "$G _tex1DProj($S s, vec4 c) { return texture(s, vec2(c.x / c.w, 0.5)); }"),
    (
        "_tex1DGrad",
        "$G _tex1DGrad($S s, float c, float x, float y) { return textureGrad(s, vec2(c, 0.5), vec2(x, 0.0), vec2(y, 0.0)); }",
    ),
    ("_fetch1D", "$G _fetch1D($S s, int c, int l) { return texelFetch(s, ivec2(c, 0), l); }"),
    ("_size1D", "int _size1D($S s, int l) { return textureSize(s, l).x; }"),
    ("_tex1DShadow", "float _tex1DShadow(sampler2DShadow s, vec3 c) { return texture(s, vec3(c.x, 0.5, c.z)); }"),
    ("_shadow1D", "vec4 _shadow1D(sampler2DShadow s, vec3 c) { return vec4(texture(s, vec3(c.x, 0.5, c.z))); }"),
    ("_texRect", "$G _texRect($S s, vec2 c) { return texture(s, c / vec2(textureSize(s, 0))); }"),
    ("_texRectProj", "$G _texRectProj($S s, vec3 c) { return texture(s, c.xy / c.z / vec2(textureSize(s, 0))); }"),
    ("_texRectProj", "$G _texRectProj($S s, vec4 c) { return texture(s, c.xy / c.w / vec2(textureSize(s, 0))); }"),
    (
        "_texRectShadow",
        "float _texRectShadow(sampler2DShadow s, vec3 c) { return texture(s, vec3(c.xy / vec2(textureSize(s, 0)), c.z)); }",
    ),
    (
        "_shadowRect",
        "vec4 _shadowRect(sampler2DShadow s, vec3 c) { return vec4(texture(s, vec3(c.xy / vec2(textureSize(s, 0)), c.z))); }",
    ),
    ("_fetchRect", "$G _fetchRect($S s, ivec2 c) { return texelFetch(s, c, 0); }"),
    ("_sizeRect", "ivec2 _sizeRect($S s) { return textureSize(s, 0); }"),
    ("_sizeRect", "ivec2 _sizeRect(sampler2DShadow s) { return textureSize(s, 0); }"),
    // Texels of a buffer, row by row.
    (
        "_fetchBuffer",
        "$G _fetchBuffer($S s, int i) { int w = textureSize(s, 0).x; return texelFetch(s, ivec2(i % w, i / w), 0); }",
    ),
    ("_sizeBuffer", "int _sizeBuffer($S s) { ivec2 z = textureSize(s, 0); return z.x * z.y; }"),
    // The centres of four texels, where filters change nothing.
    (
        "_gather",
        "$G _gather($S s, vec2 p, int c) { vec2 z = vec2(textureSize(s, 0)); vec2 a = floor(p * z - 0.5) + 0.5; \
         return $G(textureLod(s, (a + vec2(0, 1)) / z, 0.0)[c], textureLod(s, (a + vec2(1, 1)) / z, 0.0)[c], \
         textureLod(s, (a + vec2(1, 0)) / z, 0.0)[c], textureLod(s, a / z, 0.0)[c]); }",
    ),
    ("_gather", "$G _gather($S s, vec2 p) { return _gather(s, p, 0); }"),
    (
        "_gatherOffset",
        "$G _gatherOffset($S s, vec2 p, ivec2 o, int c) { vec2 z = vec2(textureSize(s, 0)); \
         vec2 a = floor(p * z - 0.5) + 0.5 + vec2(o); \
         return $G(textureLod(s, (a + vec2(0, 1)) / z, 0.0)[c], textureLod(s, (a + vec2(1, 1)) / z, 0.0)[c], \
         textureLod(s, (a + vec2(1, 0)) / z, 0.0)[c], textureLod(s, a / z, 0.0)[c]); }",
    ),
    ("_gatherOffset", "$G _gatherOffset($S s, vec2 p, ivec2 o) { return _gatherOffset(s, p, o, 0); }"),
    (
        "_gatherShadow",
        "vec4 _gatherShadow(sampler2DShadow s, vec2 p, float r) { vec2 z = vec2(textureSize(s, 0)); \
         vec2 a = floor(p * z - 0.5) + 0.5; \
         return vec4(textureLod(s, vec3((a + vec2(0, 1)) / z, r), 0.0), textureLod(s, vec3((a + vec2(1, 1)) / z, r), 0.0), \
         textureLod(s, vec3((a + vec2(1, 0)) / z, r), 0.0), textureLod(s, vec3(a / z, r), 0.0)); }",
    ),
    ("_shadow2D", "vec4 _shadow2D(sampler2DShadow s, vec3 c) { return vec4(texture(s, c)); }"),
    ("_shadow2DProj", "vec4 _shadow2DProj(sampler2DShadow s, vec4 c) { return vec4(textureProj(s, c)); }"),
    ("_fma", "$F _fma($F a, $F b, $F c) { return a * b + c; }"),
    ("_ldexp", "$F _ldexp($F a, $I e) { return a * intBitsToFloat((e + 127) << 23); }"),
    (
        "_frexp",
        "$F _frexp($F a, out $I e) { $I b = floatBitsToInt(a); $F n = abs(sign(a)); e = (((b >> 23) & 255) - 126) * $I(n); \
         return intBitsToFloat((b & ~0x7f800000) | 0x3f000000) * n; }",
    ),
    ("_mix", "$I _mix($I a, $I b, $B c) { $I m = -$I(c); return (b & m) | (a & ~m); }"),
    ("_mix", "$U _mix($U a, $U b, $B c) { $U m = $U(-$I(c)); return (b & m) | (a & ~m); }"),
    ("_mix", "$B _mix($B a, $B b, $B c) { return $B(_mix($I(a), $I(b), c)); }"),
    (
        "_bitfieldExtract",
        "$I _bitfieldExtract($I v, int o, int n) { return n == 0 ? $I(0) : (v << (32 - o - n)) >> (32 - n); }",
    ),
    (
        "_bitfieldExtract",
        "$U _bitfieldExtract($U v, int o, int n) { return n == 0 ? $U(0) : (v << (32 - o - n)) >> (32 - n); }",
    ),
    (
        "_bitfieldInsert",
        "$U _bitfieldInsert($U v, $U w, int o, int n) { uint m = (n == 32 ? ~0u : (1u << n) - 1u) << o; \
         return (v & ~m) | ((w << o) & m); }",
    ),
    (
        "_bitfieldInsert",
        "$I _bitfieldInsert($I v, $I w, int o, int n) { return $I(_bitfieldInsert($U(v), $U(w), o, n)); }",
    ),
    (
        "_bitfieldReverse",
        "$U _bitfieldReverse($U v) { v = ((v >> 1) & 0x55555555u) | ((v & 0x55555555u) << 1); \
         v = ((v >> 2) & 0x33333333u) | ((v & 0x33333333u) << 2); v = ((v >> 4) & 0x0f0f0f0fu) | ((v & 0x0f0f0f0fu) << 4); \
         v = ((v >> 8) & 0x00ff00ffu) | ((v & 0x00ff00ffu) << 8); return (v >> 16) | (v << 16); }",
    ),
    ("_bitfieldReverse", "$I _bitfieldReverse($I v) { return $I(_bitfieldReverse($U(v))); }"),
    (
        "_bitCount",
        "$I _bitCount($U v) { v = v - ((v >> 1) & 0x55555555u); v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u); \
         return $I((((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24); }",
    ),
    ("_bitCount", "$I _bitCount($I v) { return _bitCount($U(v)); }"),
    // The exponent of a power of two.
    ("_findLSB", "$I _findLSB($U v) { return max((floatBitsToInt($F(v & (~v + 1u))) >> 23) - 127, $I(-1)); }"),
    ("_findLSB", "$I _findLSB($I v) { return _findLSB($U(v)); }"),
    (
        "_findMSB",
        "$I _findMSB($U v) { v |= v >> 1; v |= v >> 2; v |= v >> 4; v |= v >> 8; v |= v >> 16; \
         return max((floatBitsToInt($F(v ^ (v >> 1))) >> 23) - 127, $I(-1)); }",
    ),
    ("_findMSB", "$I _findMSB($I v) { return _findMSB($U(v ^ (v >> 31))); }"),
    (
        "_uaddCarry",
        "$U _uaddCarry($U a, $U b, out $U c) { $U s = a + b; c = ((a & b) | ((a | b) & ~s)) >> 31; return s; }",
    ),
    (
        "_usubBorrow",
        "$U _usubBorrow($U a, $U b, out $U c) { $U s = a - b; c = ((~a & b) | ((~a | b) & s)) >> 31; return s; }",
    ),
    (
        "_umulExtended",
        "void _umulExtended($U a, $U b, out $U h, out $U l) { $U x = a & 65535u; $U y = b & 65535u; \
         $U m = (a >> 16) * y + ((x * y) >> 16); $U n = (m & 65535u) + x * (b >> 16); \
         h = (a >> 16) * (b >> 16) + (m >> 16) + (n >> 16); l = a * b; }",
    ),
    (
        "_imulExtended",
        "void _imulExtended($I a, $I b, out $I h, out $I l) { $U x = $U(a); $U y = $U(b); $U p = x & 65535u; $U q = y & 65535u; \
         $U m = (x >> 16) * q + ((p * q) >> 16); $U n = (m & 65535u) + p * (y >> 16); \
         h = $I((x >> 16) * (y >> 16) + (m >> 16) + (n >> 16)) - ((a >> 31) & b) - ((b >> 31) & a); l = a * b; }",
    ),
    (
        "_packUnorm4x8",
        "uint _packUnorm4x8(vec4 v) { uvec4 u = uvec4(round(clamp(v, 0.0, 1.0) * 255.0)); \
         return u.x | (u.y << 8) | (u.z << 16) | (u.w << 24); }",
    ),
    (
        "_packSnorm4x8",
        "uint _packSnorm4x8(vec4 v) { uvec4 u = uvec4(ivec4(round(clamp(v, -1.0, 1.0) * 127.0))) & 255u; \
         return u.x | (u.y << 8) | (u.z << 16) | (u.w << 24); }",
    ),
    (
        "_unpackUnorm4x8",
        "vec4 _unpackUnorm4x8(uint v) { return vec4((uvec4(v) >> uvec4(0, 8, 16, 24)) & 255u) / 255.0; }",
    ),
    (
        "_unpackSnorm4x8",
        "vec4 _unpackSnorm4x8(uint v) { return clamp(vec4((ivec4(v) << ivec4(24, 16, 8, 0)) >> 24) / 127.0, -1.0, 1.0); }",
    ),
    ("_noise1", "float _noise1($F a) { return 0.0; }"),
    ("_noise2", "vec2 _noise2($F a) { return vec2(0); }"),
    ("_noise3", "vec3 _noise3($F a) { return vec3(0); }"),
    ("_noise4", "vec4 _noise4($F a) { return vec4(0); }"),
];

/// Functions of the language that GLSL ES 3.00 lacks, with their [`HELPERS`]. `true`: only without
/// floats among what they take and return.
pub(crate) const ALIASES: &[(&str, &str, bool)] = &[
    ("fma", "_fma", false),
    ("ldexp", "_ldexp", false),
    ("frexp", "_frexp", false),
    ("mix", "_mix", true),
    ("bitfieldExtract", "_bitfieldExtract", false),
    ("bitfieldInsert", "_bitfieldInsert", false),
    ("bitfieldReverse", "_bitfieldReverse", false),
    ("bitCount", "_bitCount", false),
    ("findLSB", "_findLSB", false),
    ("findMSB", "_findMSB", false),
    ("uaddCarry", "_uaddCarry", false),
    ("usubBorrow", "_usubBorrow", false),
    ("umulExtended", "_umulExtended", false),
    ("imulExtended", "_imulExtended", false),
    ("packUnorm4x8", "_packUnorm4x8", false),
    ("packSnorm4x8", "_packSnorm4x8", false),
    ("unpackUnorm4x8", "_unpackUnorm4x8", false),
    ("unpackSnorm4x8", "_unpackSnorm4x8", false),
    ("noise1", "_noise1", false),
    ("noise2", "_noise2", false),
    ("noise3", "_noise3", false),
    ("noise4", "_noise4", false),
];

/// Functions by their old names and their names in the translation.
pub(crate) const FUNCTIONS: &[(&str, &str)] = &[
    ("texture1D", "_tex1D"),
    ("texture1DLod", "_tex1DLod"),
    ("texture2D", "texture"),
    ("texture3D", "texture"),
    ("textureCube", "texture"),
    ("texture2DProj", "textureProj"),
    ("texture3DProj", "textureProj"),
    ("texture2DLod", "textureLod"),
    ("texture3DLod", "textureLod"),
    ("textureCubeLod", "textureLod"),
    ("texture2DProjLod", "textureProjLod"),
    ("texture2DLodEXT", "textureLod"),
    ("textureCubeLodEXT", "textureLod"),
    ("texture2DGradARB", "textureGrad"),
    ("texture2DGradEXT", "textureGrad"),
    ("texture2DGrad", "textureGrad"),
    ("textureCubeGradARB", "textureGrad"),
    ("texture2DArray", "texture"),
    ("texture2DRect", "_texRect"),
    ("texture2DRectProj", "_texRectProj"),
    ("shadow2D", "_shadow2D"),
    ("shadow2DEXT", "_shadow2D"),
    ("shadow2DProj", "_shadow2DProj"),
    ("dFdxFine", "dFdx"),
    ("dFdyFine", "dFdy"),
    ("dFdxCoarse", "dFdx"),
    ("dFdyCoarse", "dFdy"),
    ("fwidthFine", "fwidth"),
    ("fwidthCoarse", "fwidth"),
];

/// Names that are functions there, so that nothing else may have them where they are called.
pub(crate) const TAKEN: &[&str] = &[
    "texture",
    "textureLod",
    "textureProj",
    "textureGrad",
    "textureSize",
    "texelFetch",
    "textureOffset",
    "textureProjLod",
    "sample",
    "resource",
    "buffer",
    "shared",
    "precise",
    "patch",
    "subroutine",
    "coherent",
    "volatile",
    "restrict",
    "readonly",
    "writeonly",
    "smooth",
    "flat",
    "layout",
    "filter",
    "input",
    "output",
    "common",
    "active",
    "partition",
    "superp",
    "external",
    "interface",
    "half",
    "fixed",
    "namespace",
    "using",
    "template",
    "this",
    "class",
    "union",
    "enum",
    "typedef",
    "inline",
    "noinline",
    "public",
    "static",
    "extern",
    "long",
    "short",
    "unsigned",
    "asm",
    "goto",
];

/// Functions of GLSL ES 3.00 that a shader may define itself elsewhere.
pub(crate) const ESSL: &[&str] = &[
    "radians",
    "degrees",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "pow",
    "exp",
    "log",
    "exp2",
    "log2",
    "sqrt",
    "inversesqrt",
    "abs",
    "sign",
    "floor",
    "trunc",
    "round",
    "roundEven",
    "ceil",
    "fract",
    "mod",
    "modf",
    "min",
    "max",
    "clamp",
    "mix",
    "step",
    "smoothstep",
    "isnan",
    "isinf",
    "floatBitsToInt",
    "floatBitsToUint",
    "intBitsToFloat",
    "uintBitsToFloat",
    "packSnorm2x16",
    "unpackSnorm2x16",
    "packUnorm2x16",
    "unpackUnorm2x16",
    "packHalf2x16",
    "unpackHalf2x16",
    "length",
    "distance",
    "dot",
    "cross",
    "normalize",
    "faceforward",
    "reflect",
    "refract",
    "matrixCompMult",
    "outerProduct",
    "transpose",
    "determinant",
    "inverse",
    "lessThan",
    "lessThanEqual",
    "greaterThan",
    "greaterThanEqual",
    "equal",
    "notEqual",
    "any",
    "all",
    "not",
    "texture",
    "textureLod",
    "textureProj",
    "textureGrad",
    "textureSize",
    "texelFetch",
    "textureOffset",
    "dFdx",
    "dFdy",
    "fwidth",
];
