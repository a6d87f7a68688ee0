"""Draws a few small frames with Mesa, by shaders and by the fixed function.

    apitrace trace -a egl -o tests/fixtures/graphics/draws.trace python3 scripts/draws.py

makes the fixture of crate/replay/tests/recorded.rs. Needs Python, apitrace, and Mesa with llvmpipe: EGL without a window. Fails if a pixel is
not what the calls say, so that the trace is known to draw it.
"""

import ctypes as C
import struct

from mesa import current, gl, program, typed

SIZE = 64
ARRAY, ELEMENTS, UNIFORMS, STATIC = 0x8892, 0x8893, 0x8A11, 0x88E4
FLOAT, UBYTE, USHORT, T2D, RGBA, FBO = 0x1406, 0x1401, 0x1403, 0x0DE1, 0x1908, 0x8D40
TRIANGLES, STRIP, QUADS, DEPTH_TEST, BLEND = 4, 5, 7, 0x0B71, 0x0BE2

clear_color = typed('glClearColor', *[C.c_float] * 4)
color = typed('glColor4f', *[C.c_float] * 4)
vertex = typed('glVertex2f', *[C.c_float] * 2)
rotate = typed('glRotatef', *[C.c_float] * 4)
uniform = typed('glUniform4f', C.c_int, *[C.c_float] * 4)


def floats(*numbers):
    return (C.c_float * len(numbers))(*numbers)


def generated(name, count=1):
    names = (C.c_uint * count)()
    gl(name, count, names)
    return list(names)


def buffer(target, data):
    (name,) = generated('glGenBuffers')
    gl('glBindBuffer', target, name)
    gl('glBufferData', target, C.c_size_t(C.sizeof(data)), data, STATIC)
    return name


def check(x, y, expected):
    pixel = (C.c_ubyte * 4)()
    gl('glReadPixels', x, y, 1, 1, RGBA, UBYTE, pixel)
    assert all(abs(a - b) <= 2 for a, b in zip(pixel, expected)), f'{list(pixel)} at {x}, {y}, not {expected}'


swap = current({0x3033: 1, 0x3040: 8, 0x3021: 8, 0x3022: 8, 0x3023: 8, 0x3024: 8, 0x3025: 24}, SIZE)
gl('glViewport', 0, 0, SIZE, SIZE)

# A texture of four colours, and a smaller one that is drawn to.
texture, target = generated('glGenTextures', 2)
texels = bytes([255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255])
for name, size, data in ((texture, 2, C.create_string_buffer(texels, 16)), (target, 16, None)):
    gl('glBindTexture', T2D, name)
    gl('glTexParameteri', T2D, 0x2801, 0x2600)
    gl('glTexParameteri', T2D, 0x2800, 0x2600)
    gl('glTexImage2D', T2D, 0, 0x8058, size, size, 0, RGBA, UBYTE, data)
(framebuffer,) = generated('glGenFramebuffers')
gl('glBindFramebuffer', FBO, framebuffer)
gl('glFramebufferTexture2D', FBO, 0x8CE0, T2D, target, 0)
assert gl('glCheckFramebufferStatus', FBO) == 0x8CD5, 'the framebuffer is incomplete'

textured = program(
    '#version 150\nin vec2 place;\nout vec2 at;\nlayout(std140) uniform Frame { vec4 scale; };\n'
    'void main() {\n    at = place * 0.5 + 0.5;\n    gl_Position = vec4(place * scale.xy, 0, 1);\n}\n',
    '#version 150\nuniform sampler2D image;\nuniform vec4 tint;\nin vec2 at;\nout vec4 color;\n'
    '#define TINTED(c) ((c) * tint)\nvoid main() {\n    color = TINTED(texture(image, at));\n}\n',
)
assert textured, 'a program was not linked'
place, tint = (gl(f, textured, C.c_char_p(n)) for f, n in (('glGetAttribLocation', b'place'), ('glGetUniformLocation', b'tint')))
gl('glUniformBlockBinding', textured, gl('glGetUniformBlockIndex', textured, C.c_char_p(b'Frame')), 0)
(vertices,) = generated('glGenVertexArrays')
gl('glBindVertexArray', vertices)
buffer(ARRAY, floats(-1, -1, 1, -1, -1, 1, 1, 1))
gl('glVertexAttribPointer', place, 2, FLOAT, 0, 0, None)
gl('glEnableVertexAttribArray', place)
buffer(ELEMENTS, C.create_string_buffer(struct.pack('<6H', 0, 1, 2, 2, 1, 3), 12))
scale = buffer(UNIFORMS, floats(0.5, 0.5, 0, 0))
gl('glBindBufferBase', UNIFORMS, 0, scale)

for frame in range(3):
    # By shaders: the four colours into the small texture, and that into the middle of the window.
    gl('glUseProgram', textured)
    gl('glBindVertexArray', vertices)
    gl('glBindFramebuffer', FBO, framebuffer)
    gl('glViewport', 0, 0, 16, 16)
    clear_color(0, 0, 0, 1)
    gl('glClear', 0x4000)
    gl('glBindTexture', T2D, texture)
    gl('glBufferSubData', UNIFORMS, C.c_size_t(0), C.c_size_t(16), floats(1, 1, 0, 0))
    uniform(tint, 1, 1, 1, 1)
    gl('glDrawArrays', STRIP, 0, 4)
    gl('glBindFramebuffer', FBO, 0)
    gl('glViewport', 0, 0, SIZE, SIZE)
    clear_color(0.25 * frame, 0, 0, 1)
    gl('glEnable', DEPTH_TEST)
    gl('glClear', 0x4100)
    gl('glBindTexture', T2D, target)
    gl('glBufferSubData', UNIFORMS, C.c_size_t(0), C.c_size_t(16), floats(0.5, 0.5, 0, 0))
    uniform(tint, 1, 1, 0.5, 1)
    gl('glDrawElements', TRIANGLES, 6, USHORT, None)
    # By the fixed function: half of the window, blended.
    gl('glUseProgram', 0)
    gl('glBindVertexArray', 0)
    gl('glDisable', DEPTH_TEST)
    gl('glEnable', BLEND)
    gl('glBlendFunc', 0x0302, 0x0303)
    gl('glMatrixMode', 0x1700)
    gl('glLoadIdentity')
    rotate(90 * frame, 0, 0, 1)
    color(0, 0, 1, 0.5)
    gl('glBegin', QUADS)
    for x, y in ((0, -1), (1, -1), (1, 1), (0, 1)):
        vertex(x, y)
    gl('glEnd')
    gl('glDisable', BLEND)
    background = round(255 * 0.25 * frame)
    blue = [(60, 4), (60, 60), (4, 60)][frame]
    check(*blue, (background // 2, 0, 127, 191))
    check(*[(4, 4), (4, 4), (60, 4)][frame], (background, 0, 0, 255))
    if frame == 0:
        check(20, 20, (255, 0, 0, 255))
    swap()

assert gl('glGetError') == 0, 'a call has failed'
print('3 frames of 3 draws and 2 clears each')
