"""Evaluates expressions of GLSL with Mesa, by the versions of the language.

    apitrace trace -a egl -o /tmp/e.trace python3 scripts/expressions.py tests/fixtures/graphics/expressions.json
    apitrace repack --brotli /tmp/e.trace tests/fixtures/graphics/expressions.trace

makes the fixtures of tests/e2e/glsl.spec.ts: the trace draws with a program for each expression, and the JSON has what Mesa computes. Needs
Python, apitrace, and Mesa with llvmpipe: EGL without a window. Fails if Mesa does not compile one of them.
"""

import ctypes as C
import json
import os
import sys

# llvmpipe has all of 4.6 but the number.
os.environ.setdefault('MESA_GL_VERSION_OVERRIDE', '4.6COMPAT')
os.environ.setdefault('MESA_GLSL_VERSION_OVERRIDE', '460')

from mesa import current, gl, program  # noqa: E402

# Values that no compiler knows: name, type, components. Those of unsigned numbers exist from 1.30 on.
UNIFORMS = [
    ('f', 'float', [2.5]),
    ('i', 'int', [3]),
    ('v', 'vec3', [0.5, -1.5, 4.0]),
    ('j', 'ivec3', [7, -2, 5]),
    ('m', 'mat2', [1.0, 2.0, 3.0, 4.0]),
    ('b', 'bool', [1]),
    ('u', 'uint', [9]),
    ('q', 'uvec3', [1, 6, 11]),
]

# An expression, statements before it, and declarations before the function, each with the versions that it is evaluated in.
TABLE = {
    # Without conversions, as 1.10 has it.
    (110, 140, 330): [
        ('2.0 * f',), ('i / 2',), ('float(i) / 2.0',), ('vec3(i, f, 1)',), ('ivec3(v)',), ('m * v.xy',), ('v.xy * m',), ('m * m',),
        ('v[i - 1]',), ('v.zyx.yx',), ('any(lessThan(v, vec3(1.0)))',), ('b ? i : 2',), ('i == 3 ^^ b',), ('bool(f)',),
        ('a', 'int a = 0; for (int k = 0; k < i; ++k) { if (k == 1) continue; a += k; }'),
        ('s.p.y + s.n', 'S s = S(v.xy, f);', 'struct S { vec2 p; float n; };'),
        ('g(i) + int(g(f))', '', 'int g(int a) { return a * 2; } float g(float a) { return a * 4.0; }'),
        ('o', 'float o; g(f, o);', 'void g(in float a, out float c) { c = a + 1.0; }'),
        ('o', 'ivec3 o = j; g(o);', 'void g(inout ivec3 a) { a.xz = a.zx; }'),
        ('d * f', '', 'const float c = 2.0; const float d = c * (c + 2.0) + 1.0;'),
    ],
    # Whole numbers become floats.
    (120, 460): [
        ('f * 2',), ('2 * f + i',), ('f - i / 2',), ('v * 255',), ('v.xy * j.zy',), ('j * f',), ('j.xy + v.yx',), ('m * 2',), ('m * j.xy',),
        ('j.xy * m',), ('m / i',), ('f > i',), ('i <= f',), ('f == 2',), ('v == j',), ('v != vec3(1)',), ('b ? 1 : f',), ('b ? f : i',), ('b ? j : v',),
        ('-i * f',), ('+2 - -f',), ('(i) * (f)',), ('0x10 * f',), ('010 * f',), ('f * (i + 1) * (i + 2)',), ('1 / f + 1 / i',), ('i / 2 * f',),
        ('a', 'float a = 1;'), ('a', 'float a = i, c = 2; a += c * i;'), ('a', 'vec2 a = j.xy;'), ('a', 'float a; int c; a = c = 2;'),
        ('a', 'float a = f; a += 1; a *= i; a -= 3; a /= 4;'), ('a', 'vec3 a = v; a *= i; a += j; a -= 1;'), ('a', 'mat2 a = m; a *= 2; a[1] += j.xy; a[0][1] = i;'),
        ('a', 'vec3 a = v; a.xz = j.yx; a.y = 7;'), ('a[1]', 'float a[2]; a[0] = i; a[1] = a[0] * 2;'), ('a', 'float a = f; a++; --a; a = a-- - 1;'),
        ('g(i)', '', 'float g(float a) { return a / 2; }'),
        ('g(i, 2)', '', 'float g(float a, int c) { return a / 2 + c / 2; }'), ('g(j.xy)', '', 'vec2 g(vec2 a) { return a / 2; }'),
        ('g(i) + g(f)', '', 'float g(int a) { return float(a / 2); } float g(float a) { return a * 10; }'),
        ('g(1)', '', 'float g(float a) { return 1.0; } float g(vec2 a) { return 2.0; }'),
        ('g(1, f)', '', 'float g(float a, float c) { return 1.0; } int g(int a, int c) { return 2; }'),
        ('o', 'float o; g(f, o);', 'void g(float a, out int c) { c = int(a) + 1; }'),
        ('o + r', 'vec2 o; float r = g(i, o);', 'int g(float a, out ivec2 c) { c = ivec2(a); return int(a) / 2; }'),
        ('s.p * s.n', 'S s = S(j.xy, 3);', 'struct S { vec2 p; float n; };'), ('s.t[1].p', 'S s; s.t[1].p = i; s.t[0].p = s.t[1].p * 2;', 'struct T { float p; }; struct S { T t[2]; };'),
        ('g(s) * 2', 'S s = S(1, 2);', 'struct S { float a; int c; }; float g(S s) { return s.a / s.c; }'),
        ('a[2]', 'float a[3] = float[3](1, i, j.x);'), ('a[0] + a.length()', 'float a[] = float[](i, f);'), ('a[1]', 'vec2 a[2] = vec2[](j.xy, v.xy);'),
        ('c[1] + c[0]', '', 'const float c[2] = float[2](1, 2);'), ('d * f', '', 'const float c = 2; const float d = c * (c + 2) + 1;'),
        ('d[2]', 'float d[c * 2]; d[2] = c;', 'const int c = 2;'), ('c', '', 'const vec3 c = vec3(1, 2, 3) * 2;'), ('k', '', 'float k = 3;'),
        ('k * 2', '', 'const float a = 3, k = a / 2;'), ('c', 'const float c = max(1, 2.5);'),
        ('pow(2, i)',), ('mod(i, 2)',), ('mod(v, 2)',), ('max(f, 2)',), ('max(v, 0)',), ('min(2, f)',), ('clamp(f, 0, 1)',), ('clamp(v, 0, 1)',), 
        ('mix(1, 2, 0.25)',), ('mix(v, j, 0.5)',), ('mix(j, v, 1)',), ('step(1, v)',), ('step(j, v)',), ('smoothstep(0, 5, f)',), ('smoothstep(0, 5, v)',),
        ('length(j)',), ('distance(v, j)',), ('dot(v, j)',), ('dot(2, f)',), ('cross(v, j)',), ('normalize(j)',), ('reflect(v, j)',), ('sqrt(4)',), ('sin(1)',), ('atan(1, 2)',),
        ('exp2(i)',), ('floor(f) + floor(7)',), ('fract(f + 1)',), ('inversesqrt(4)',), ('radians(180)',), ('faceforward(v, j, v)',), ('refract(vec2(0, -1), vec2(0, 1), 1)',),
        ('greaterThan(v, j)',), ('lessThan(j, ivec3(5))',), ('equal(v, j)',), ('all(notEqual(v, vec3(0)))',), ('transpose(mat2(1, 2, 3, 4)) * 2',),
        ('outerProduct(j.xy, v.xy)',), ('matrixCompMult(m, mat2(2)) + 1',), ('vec4(v.xy, j.zx).zwx * 2',), ('vec3(1, j.xy)',), ('vec2(i > 2, f)',),
        ('mat2(i, 1, 2, f) * 2',), ('mat2(mat3(2))',), ('float(b) + 1',), ('f * int(b)',), ('int(f) * f',), ('b && f > 1 ? 2 : f',), ('i > 2 ? 1 : i > 1 ? f : 3',),
        ('a', 'float a = 0; for (float k = 0; k < 3; k++) a += k * 2;'), ('a', 'float a = f; while (a > 1) a -= 1;'), ('a', 'float a = f; do { a -= 1; } while (a > 0);'),
        ('a', 'float a = 1; { int a = 2; a = a / 4; } a = a / 4;'), ('a', 'int a = 5; { float a = 5; a /= 2; } a /= 2;'), ('x', 'float x = f; for (int x = 0; x < 2; x++) x = x / 1; x = x / 2;'),
        ('a', 'float a; if (i > 2) a = 1; else a = 2; if (f < 0) a = 3; else if (b) a /= 4; else a = 5;'), ('(i, f) * 2',), ('a', 'float a = 0; for (int k = 0, n = 4; k < n; k += 2) a += k;'),
    ],
    (110, 120): [('abs(i) / 2',), ('max(i, 2) / 2',), ('sign(j) / 2',), ('clamp(i, 0, 9) / 2',)],
    (130, 440): [
        ('abs(i) / 2',), ('max(i, 2) / 2',), ('sign(j)',), ('clamp(i, 0, 9) / 2',), ('min(q, 5u)',), ('abs(f) / 2',), ('max(i, f)',),
        ('u * f',), ('f + u / 2u',), ('q * v',), ('v += q', 'vec3 v = v;'), ('u > f',), ('b ? u : f',), ('float(u) / 2',), ('9u * f',), ('max(u, f)',), ('pow(u, 2)',),
        ('u % 4u',), ('i % 2 * f',), ('j >> 1',), ('u << 2',), ('u << i',), ('i << 2u',), ('j & 3',), ('i | 8',), ('q ^ 3u',), ('~i',), ('~u >> 8u',), ('-u >> 8',),
        ('round(f + 1)',), ('trunc(f * 3)',), ('roundEven(f)',), ('cosh(1)',), ('isnan(f / 1)',), ('modf(f, a) + a', 'float a;'), ('mix(v, j, bvec3(true, false, b))',),
        ('a', 'float a = 0; switch (i) { case 1: a = 1; break; case 3: a = 3; default: a += 1; }'), ('g(u)', '', 'float g(float a) { return a / 2; }'),
        ('g(u) + g(i) + g(f)', '', 'float g(uint a) { return float(a / 2u); } float g(int a) { return float(a / 2); } float g(float a) { return a / 2; }'),
        ('uvec3(j) * 2u',), ('a', 'uint a = u; a += 2u; a <<= 1; a %= 7u; a ^= 1u; a |= 8u; a &= ~1u; a++;'), ('a', 'int a = i; a <<= 2; a |= 1; a %= 5; a = -a / 2;'),
        ('ivec3(u, f, i) / 2',), ('(0xffffffffu >> 8) * f',), ('0x7fffffff / 1000 * f',),
    ],
    (150, 140): [('inverse(m)',), ('inverse(m) * j.xy',), ('f * transpose(m)',)],
    (330, 430): [('floatBitsToInt(f) / 4',), ('intBitsToFloat(0x40000000) * 2',), ('determinant(m) * 2',), ('k', 'float k = 0; for (uint n = 0u; n < u; n++) k += n;')],
    # Signed numbers become unsigned.
    (400, 460): [
        ('u + i',), ('u * 2',), ('i * u',), ('q * i',), ('j.x + q',), ('q + j',), ('u > i',), ('u == 9',), ('b ? i : u',), ('u & 0x7',), ('u % 4',), ('7 % u',), ('u / 2 * f',),
        ('a', 'uint a = 5;'), ('a', 'uint a = i; a += 1; a *= i; a &= 15; a %= 8;'), ('a', 'uvec3 a = j * j; a += 1; a.x = i;'), ('g(i)', '', 'uint g(uint a) { return a / 2; }'),
        ('max(u, 12)',), ('clamp(u, 0, 5)',), ('min(q, 3)',), 
        ('g(1, u)', '', 'float g(uint a, uint c) { return 1.0; } float g(float a, float c) { return 2.0; }'), ('g(i, f)', '', 'float g(int a, float c) { return 1.0; } float g(float a, float c) { return 2.0; }'),
        ('g(i, i)', '', 'float g(float a, int c) { return 1.0; } float g(float a, float c) { return 2.0; }'),
        ('a', 'float a = 0; switch (u) { case 9: a = 2; break; default: a = 1; }'), ('uint[2](1, i)[1]',), ('S(1, 2).a / 2', '', 'struct S { uint a; float c; };'),
        ('fma(f, 2, i)',), ('ldexp(f, 3)',), ('frexp(f, a) * a', 'int a;'), ('bitCount(255u)',), ('bitCount(j)',), ('findLSB(u - 1)',), ('findMSB(j)',), ('bitfieldExtract(u, 1, 3)',),
        ('bitfieldExtract(-5, 1, 3)',), ('bitfieldInsert(u, 5, 4, 4)',), ('bitfieldReverse(u) >> 24',), ('uaddCarry(0xffffffffu, u, a) + a', 'uint a;'), ('usubBorrow(u, 10, a) >> 16 | a', 'uint a;'),
        ('h >> 8', 'uint h, l; umulExtended(~u, 0xffff0000u, h, l);'), ('h * 1000 + l', 'int h, l; imulExtended(-i, 7, h, l);'),
        ('packUnorm4x8(vec4(0.1, 0.5, 0, 0))',), ('unpackUnorm4x8(0x80ff4020u)',), ('unpackSnorm4x8(0x80ff4020u)',), ('packSnorm4x8(vec4(0.5, -0.5, 0, 0)) & 0xffffu',),
    ],
    (420, 440): [
        ('a[1] * a[0]', 'float a[2] = {1, i};'), ('a', 'vec3 a = {1, i, f};'), ('a', 'mat2 a = {{1, i}, {f, 2}};'), ('s.p + s.n', 'S s = {j.xy, 3};', 'struct S { vec2 p; float n; };'),
        ('s[1].p * s[0].n', 'S s[2] = {{{1, 2}, 3}, {j.xy, i}};', 'struct S { vec2 p; int n; };'), ('a[2]', 'uint a[] = {1, 2, i};'), ('f.xxx',), ('i.xx * f',), ('f.x',), ('v.length() * f',),
        ('m.length()',), ('j.xy.length() + f',), ('c * 2', 'const float c = f * i;'), ('k[1]', '', 'const float k[] = {1, 2, 3};'), ('k + 1', 'const int k = i;'), ('g()', '', 'float g() { return 1; }'), ('g()', '', 'vec3 g() { return j * 2; }'),
        ('g()', '', 'uint g() { return 7; }'), ('g(i)', '', 'float g(int a) { if (a > 5) return a / 2; return a; }'), ('packHalf2x16(vec2(1, 0))',),
    ],
    (430, 460): [('k', '', 'float a = f * 2, k = a / 4;'), ('a.length() * f', 'int a[3];')],
    # Textures that nobody has filled.
    (130,): [('texture2D(t, j.xy, 1)', '', 'uniform sampler2D t;'), ('texture1D(t, i, 1)', '', 'uniform sampler1D t;'), ('textureCube(t, j)', '', 'uniform samplerCube t;')],
    (330, 420): [
        ('texture(t, j.xy) * 2', '', 'uniform sampler2D t;'), ('texelFetch(t, j.xy, 0) * 3', '', 'uniform isampler2D t;'), ('texture(t, 1)', '', 'uniform sampler1D t;'),
        ('textureLod(t, f, 1)', '', 'uniform sampler1D t;'), ('texelFetch(t, i, 0) / 2u', '', 'uniform usampler1D t;'), ('textureProj(t, v.xy)', '', 'uniform sampler1D t;'), ('texelFetch(t, i, 0)', '', 'uniform sampler1D t;'),
        ('textureGrad(t, i, 1, f)', '', 'uniform sampler1D t;'), ('texture(t, j.xy)', '', 'uniform sampler2DRect t;'), ('textureProj(t, j)', '', 'uniform sampler2DRect t;'),
        ('texelFetch(t, j.xy)', '', 'uniform sampler2DRect t;'), ('textureProj(t, j)', '', 'uniform sampler2D t;'), ('textureLodOffset(t, j.xy, 0, ivec2(1))', '', 'uniform sampler2D t;'),
        ('g(t, 1) + g(r, 2) + g(s, 3)', '', 'uniform sampler1D t; uniform sampler2D r; uniform sampler2DRect s; vec4 g(sampler1D a, float c) { return texture(a, c) + c; } vec4 g(sampler2D a, float c); vec4 g(sampler2DRect a, float c) { return texture(a, vec2(c)) + 5 * c; } vec4 g(sampler2D a, float c) { return texture(a, vec2(c)) + 3 * c; }'),
        ('texture(t, j) + textureGrad(t, j, v, v)', '', 'uniform samplerCube t;'), ('g(t, 1)', '', 'uniform sampler1D t; vec4 g(sampler1D a, float c) { return texture(a, c) * 2; }'),
    ],
    (400, 440): [
        ('textureGather(t, j.xy, 3)', '', 'uniform sampler2D t;'), ('textureGather(t, j.xy) + 1', '', 'uniform isampler2D t;'),
        ('textureGatherOffset(t, v.xy, ivec2(1, 2), 1)', '', 'uniform sampler2D t;'),
    ],
    (460,): [('mix(j, ivec3(1), bvec3(b, false, true))',), ('mix(q, uvec3(2), bvec3(b, false, true))',), ('mix(bvec3(true), bvec3(false), bvec3(b, false, true))',)],
}

SIZE, FLOAT, RGBA, T2D, FBO = 1, 0x1406, 0x1908, 0x0DE1, 0x8D40


def result():
    """Functions that make a vec4 of any value. What it leaves free says the type: 1 float, 2 int, 3 bool, 4 uint."""
    out = 'vec4 R(mat2 a) { return vec4(a[0], a[1]); }\n'
    for tag, (scalar, vector) in enumerate((('float', 'vec'), ('int', 'ivec'), ('bool', 'bvec'), ('uint', 'uvec')), 1):
        lines = [f'vec4 R({scalar} a) {{ return vec4(float(a), 0.0, 0.0, {tag}.0); }}\n']
        zeros = {2: f', 0.0, {tag}.0', 3: f', {tag}.0', 4: ''}
        lines += [f'vec4 R({vector}{n} a) {{ return vec4(vec{n}(a){zeros[n]}); }}\n' for n in (2, 3, 4)]
        out += ''.join(lines) if tag < 4 else '#if __VERSION__ >= 130\n' + ''.join(lines) + '#endif\n'
    return out


def shaders(number, version, expression, statements='', declarations=''):
    declared = ''.join(f'uniform {of} {name};\n' for name, of, _ in UNIFORMS if version >= 130 or of[0] != 'u')
    is_old = version < 130
    color = 'gl_FragColor' if is_old else 'color'
    vertex = f'#version {version}\n{"attribute" if is_old else "in"} vec4 p;\nvoid main() {{ gl_Position = p; }}\n'
    out = '' if is_old else 'out vec4 color;\n'
    return vertex, (
        f'#version {version}\n{out}{declared}{result()}{declarations}\n'
        f'vec4 e{number}() {{ {statements} return R({expression}); }}\nvoid main() {{ {color} = e{number}(); }}\n'
    )


def set_uniforms(it):
    for name, of, values in UNIFORMS:
        place = gl('glGetUniformLocation', it, C.c_char_p(name.encode()))
        if place < 0:
            continue
        whole = of[0] in 'iub'
        data = ((C.c_int if whole else C.c_float) * len(values))(*values)
        if of == 'mat2':
            gl('glUniformMatrix2fv', place, 1, 0, data)
        else:
            gl(f'glUniform{len(values)}{"ui" if of[0] == "u" else "i" if whole else "f"}v', place, 1, data)


swap = current({0x3033: 1, 0x3040: 8}, SIZE)

# Numbers are drawn to a texture of floats, and read from there.
texture, framebuffer, vertices = C.c_uint(), C.c_uint(), C.c_uint()
gl('glGenTextures', 1, C.byref(texture))
gl('glBindTexture', T2D, texture)
gl('glTexImage2D', T2D, 0, 0x8814, SIZE, SIZE, 0, RGBA, FLOAT, None)
gl('glGenFramebuffers', 1, C.byref(framebuffer))
gl('glBindFramebuffer', FBO, framebuffer)
gl('glFramebufferTexture2D', FBO, 0x8CE0, T2D, texture, 0)
assert gl('glCheckFramebufferStatus', FBO) == 0x8CD5, 'the framebuffer is incomplete'
gl('glBindTexture', T2D, 0)
gl('glGenBuffers', 1, C.byref(vertices))
gl('glBindBuffer', 0x8892, vertices)
corners = (C.c_float * 8)(-1, -1, 3, -1, -1, 3, 0, 0)
gl('glBufferData', 0x8892, C.c_size_t(C.sizeof(corners)), corners, 0x88E4)
gl('glVertexAttribPointer', 0, 2, FLOAT, 0, 0, None)
gl('glEnableVertexAttribArray', 0)
gl('glViewport', 0, 0, SIZE, SIZE)

rows, failed = [], 0
for versions, entries in TABLE.items():
    for version in versions:
        for expression, *parts in entries:
            it = program(*shaders(len(rows), version, expression, *parts), inputs=['p'])
            if it is None:
                failed += 1
                print('Mesa refuses', version, expression, parts)
                continue
            gl('glUseProgram', it)
            set_uniforms(it)
            gl('glDrawArrays', 4, 0, 3)
            values = (C.c_float * 4)()
            gl('glReadPixels', 0, 0, 1, 1, RGBA, FLOAT, values)
            rows.append({'version': version, 'expression': ' '.join(filter(None, (*parts[::-1], expression))), 'values': list(values)})
# What the page draws is a window.
gl('glBindFramebuffer', FBO, 0)
gl('glClear', 0x4000)
swap()
assert not failed, f'{failed} of {failed + len(rows)} were not compiled'
lines = ',\n'.join('  ' + json.dumps(row) for row in rows)
uniforms = json.dumps({name: [of, values] for name, of, values in UNIFORMS})
with open(sys.argv[1], 'w', encoding='utf-8') as file:
    file.write(f'{{ "uniforms": {uniforms},\n"rows": [\n{lines}\n]}}\n')
print(len(rows), 'expressions')
