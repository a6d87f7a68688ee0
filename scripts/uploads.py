"""Uploads textures of every format to Mesa, and prints what it reads back.

    apitrace trace -a egl -o tests/fixtures/graphics/uploads.trace python3 scripts/uploads.py >tests/fixtures/graphics/uploads.txt

makes the fixture of crate/graphics/tests/readback.rs: a trace of this program, and the texels that Mesa has for each texture. Needs
Python, apitrace, and Mesa with llvmpipe: EGL without a window. A line of the output is

    texture N level L layer Z WIDTH HEIGHT KIND READ WHAT

KIND says what follows, a line for each row of texels: `float` and `int` have the four numbers of each texel, `depth` one, `both` depth and
stencil, `stencil` one. READ is the number of the call of glGetTexImage among all of them. WHAT names the case.
"""

import ctypes as C
import random
import struct
import sys

from mesa import current, gl

BYTE, UBYTE, SHORT, USHORT, INT, UINT, FLOAT, HALF = 0x1400, 0x1401, 0x1402, 0x1403, 0x1404, 0x1405, 0x1406, 0x140B
RED, GREEN, BLUE, ALPHA, RGB, RGBA, LUM, LA = 0x1903, 0x1904, 0x1905, 0x1906, 0x1907, 0x1908, 0x1909, 0x190A
RG, BGR, BGRA, ABGR, STENCIL, DEPTH, DEPTH_STENCIL = 0x8227, 0x80E0, 0x80E1, 0x8000, 0x1901, 0x1902, 0x84F9
RI, RGI, RGBI, RGBAI, BGRI, BGRAI = 0x8D94, 0x8228, 0x8D98, 0x8D99, 0x8D9A, 0x8D9B
D24S8, D32FS8 = 0x84FA, 0x8DAD
T1D, T2D, T3D, RECT, CUBE, A1D, A2D, ACUBE = 0x0DE0, 0x0DE1, 0x806F, 0x84F5, 0x8513, 0x8C18, 0x8C1A, 0x9009
PBO = 0x88EC
COMPONENTS = {RED: 1, GREEN: 1, BLUE: 1, ALPHA: 1, LUM: 1, DEPTH: 1, STENCIL: 1, RI: 1, RG: 2, LA: 2, RGI: 2, RGB: 3, BGR: 3, RGBI: 3, BGRI: 3}
SIZES = {BYTE: 1, UBYTE: 1, SHORT: 2, USHORT: 2, HALF: 2, INT: 4, UINT: 4, FLOAT: 4}
PACKED = {
    0x8032: 1, 0x8362: 1, 0x8363: 2, 0x8364: 2, 0x8033: 2, 0x8365: 2, 0x8034: 2, 0x8366: 2, 0x8035: 4, 0x8367: 4, 0x8036: 4,
    0x8368: 4, 0x8C3B: 4, 0x8C3E: 4, D24S8: 4, D32FS8: 8,
}  # fmt: skip

chance = random.Random(5)


def pixel_bytes(form, of):
    return PACKED[of] if of in PACKED else SIZES[of] * COMPONENTS.get(form, 4)


def number(of):
    if of == FLOAT:
        return struct.pack('<f', chance.choice([0, 1, -1, 0.5, 1.5, chance.uniform(-4, 4), chance.uniform(0, 1)]))
    return struct.pack('<e', chance.choice([0, 1, -1, 0.5, chance.uniform(-4, 4), chance.uniform(0, 1), 6e-8]))


def pixels(form, of, count, swaps=False):
    """Random pixels, without numbers that are infinite or none."""
    all_bytes = bytearray()
    for _ in range(count):
        if of in (FLOAT, HALF):
            for _ in range(COMPONENTS.get(form, 4)):
                part = number(of)
                all_bytes += part[::-1] if swaps else part
        elif of == D32FS8:
            all_bytes += struct.pack('<fI', chance.uniform(0, 1), chance.randrange(256))
        elif of == 0x8C3B:
            fields = [chance.randrange(31 << 6), chance.randrange(31 << 6), chance.randrange(31 << 5)]
            all_bytes += struct.pack('<I', fields[0] | fields[1] << 11 | fields[2] << 22)
        else:
            all_bytes += chance.randbytes(pixel_bytes(form, of))
    return bytes(all_bytes)


def blob(data):
    return C.create_string_buffer(data, len(data))


textures = 0
reads = 0


def texture(target):
    global textures
    name = C.c_uint()
    gl('glGenTextures', 1, C.byref(name))
    gl('glBindTexture', target, name)
    textures = name.value
    for parameter in (0x2800, 0x2801):
        if target != RECT:
            gl('glTexParameteri', target, parameter, 0x2600)
    return textures


def readback(target, level, what, kind, face=None):
    """Prints a level of the bound texture."""
    global reads
    of = target if face is None else face
    width, height, depth = C.c_int(), C.c_int(), C.c_int()
    for parameter, side in ((0x1000, width), (0x1001, height), (0x8071, depth)):
        gl('glGetTexLevelParameteriv', of, level, parameter, C.byref(side))
    if gl('glGetError'):
        sys.exit(f'{what}: GL error before reading back')
    w, h, d = width.value, max(1, height.value), max(1, depth.value)
    form, kind_of, numbers = {
        'float': (RGBA, FLOAT, 4), 'int': (RGBAI, INT, 4), 'uint': (RGBAI, UINT, 4), 'depth': (DEPTH, FLOAT, 1),
        'both': (DEPTH_STENCIL, D32FS8, 2), 'stencil': (STENCIL, UBYTE, 1),
    }[kind]  # fmt: skip
    held = (C.c_uint * (w * h * d * numbers))()
    gl('glPixelStorei', 0xD05, 1)
    gl('glGetTexImage', of, level, form, kind_of, held)
    error = gl('glGetError')
    if error:
        sys.exit(f'{what}: GL error {error:#x} reading back')
    words = bytes(held) if kind == 'stencil' else struct.unpack(f'<{len(held)}I', bytes(held))
    as_float = lambda bits: f"{struct.unpack('<f', struct.pack('<I', bits))[0]:.6g}"
    for z in range(d):
        layer = z if face is None else face - 0x8515
        print('texture', textures, 'level', level, 'layer', layer, w, h, 'int' if kind == 'uint' else kind, reads, what)
        for y in range(h):
            row = []
            for x in range(w):
                at = ((z * h + y) * w + x) * numbers
                texel = words[at : at + numbers]
                if kind in ('float', 'depth'):
                    row += [as_float(bits) for bits in texel]
                elif kind == 'both':
                    row += [as_float(texel[0]), str(texel[1] & 255)]
                elif kind == 'int':
                    row += [str(bits - (1 << 32) if bits >> 31 else bits) for bits in texel]
                else:
                    row += [str(bits) for bits in texel]
            print(' '.join(row))
    reads += 1


def store(**parameters):
    names = {'alignment': 0xCF5, 'row': 0xCF2, 'down': 0xCF3, 'right': 0xCF4, 'swap': 0xCF0, 'deep': 0x806D, 'tall': 0x806E}
    for name, parameter in names.items():
        gl('glPixelStorei', parameter, parameters.get(name, 4 if name == 'alignment' else 0))


def plain(internal, form, of, kind, what, swaps=False, **parameters):
    """A texture of 5 by 3 texels."""
    texture(T2D)
    store(swap=int(swaps), **parameters)
    stride = max(5, parameters.get('row', 0)) * pixel_bytes(form, of) + 8
    rows = 3 + parameters.get('down', 0)
    count = (stride * rows) // pixel_bytes(form, of) + 8
    gl('glTexImage2D', T2D, 0, internal, 5, 3, 0, form, of, blob(pixels(form, of, count, swaps)))
    readback(T2D, 0, what, kind)


def every_format():
    unorm = {
        'R8': (0x8229, RED, UBYTE), 'R16': (0x822A, RED, USHORT), 'RG8': (0x822B, RG, UBYTE), 'RG16': (0x822C, RG, USHORT),
        'RGB8': (0x8051, RGB, UBYTE), 'RGB16': (0x8054, RGB, USHORT), 'RGBA8': (0x8058, RGBA, UBYTE), 'RGBA16': (0x805B, RGBA, USHORT),
        'RGBA4': (0x8056, RGBA, 0x8033), 'RGB5_A1': (0x8057, RGBA, 0x8034), 'RGB565': (0x8D62, RGB, 0x8363),
        'RGB10_A2': (0x8059, RGBA, 0x8368), 'R3_G3_B2': (0x2A10, RGB, 0x8032), 'RGB4': (0x804F, RGB, UBYTE), 'RGB5': (0x8050, RGB, UBYTE),
        'RGB10': (0x8052, RGB, USHORT), 'RGB12': (0x8053, RGB, USHORT), 'RGBA2': (0x8055, RGBA, UBYTE), 'RGBA12': (0x805A, RGBA, USHORT),
        'ALPHA8': (0x803C, ALPHA, UBYTE), 'ALPHA16': (0x803E, ALPHA, USHORT), 'LUMINANCE8': (0x8040, LUM, UBYTE),
        'LUMINANCE16': (0x8042, LUM, USHORT), 'LUMINANCE8_ALPHA8': (0x8045, LA, UBYTE), 'LUMINANCE16_ALPHA16': (0x8048, LA, USHORT),
        'LUMINANCE4_ALPHA4': (0x8043, LA, UBYTE), 'INTENSITY8': (0x804B, LUM, UBYTE), 'INTENSITY16': (0x804D, LUM, USHORT),
        'ALPHA4': (0x803B, ALPHA, UBYTE), 'LUMINANCE4': (0x803F, LUM, UBYTE), 'INTENSITY4': (0x804A, LUM, UBYTE),
        'unsized RGB': (RGB, RGB, UBYTE), 'unsized RGBA': (RGBA, RGBA, UBYTE), 'unsized LUMINANCE': (LUM, LUM, UBYTE),
        'unsized LUMINANCE_ALPHA': (LA, LA, UBYTE), 'unsized ALPHA': (ALPHA, ALPHA, UBYTE), 'unsized INTENSITY': (0x8049, LUM, UBYTE),
        'unsized RED': (RED, RED, UBYTE), 'unsized RG': (RG, RG, UBYTE), '1': (1, LUM, UBYTE), '2': (2, LA, UBYTE), '3': (3, RGB, UBYTE),
        '4': (4, RGBA, UBYTE),
        'R8_SNORM': (0x8F94, RED, BYTE), 'RG8_SNORM': (0x8F95, RG, BYTE), 'RGB8_SNORM': (0x8F96, RGB, BYTE), 'RGBA8_SNORM': (0x8F97, RGBA, BYTE),
        'R16_SNORM': (0x8F98, RED, SHORT), 'RG16_SNORM': (0x8F99, RG, SHORT), 'RGB16_SNORM': (0x8F9A, RGB, SHORT),
        'RGBA16_SNORM': (0x8F9B, RGBA, SHORT),
        'SRGB8': (0x8C41, RGB, UBYTE), 'SRGB8_ALPHA8': (0x8C43, RGBA, UBYTE), 'SLUMINANCE8': (0x8C47, LUM, UBYTE),
        'SLUMINANCE8_ALPHA8': (0x8C45, LA, UBYTE), 'SRGB': (0x8C40, RGB, UBYTE), 'SRGB_ALPHA': (0x8C42, RGBA, UBYTE),
        'SR8': (0x8FBD, RED, UBYTE), 'SRG8': (0x8FBE, RG, UBYTE),
        'R16F': (0x822D, RED, HALF), 'R32F': (0x822E, RED, FLOAT), 'RG16F': (0x822F, RG, HALF), 'RG32F': (0x8230, RG, FLOAT),
        'RGB16F': (0x881B, RGB, HALF), 'RGB32F': (0x8815, RGB, FLOAT), 'RGBA16F': (0x881A, RGBA, HALF), 'RGBA32F': (0x8814, RGBA, FLOAT),
        'ALPHA32F': (0x8816, ALPHA, FLOAT), 'INTENSITY32F': (0x8817, LUM, FLOAT), 'LUMINANCE32F': (0x8818, LUM, FLOAT),
        'LUMINANCE_ALPHA32F': (0x8819, LA, FLOAT), 'ALPHA16F': (0x881C, ALPHA, HALF), 'INTENSITY16F': (0x881D, LUM, HALF),
        'LUMINANCE16F': (0x881E, LUM, HALF), 'LUMINANCE_ALPHA16F': (0x881F, LA, HALF),
        'R11F_G11F_B10F': (0x8C3A, RGB, 0x8C3B), 'RGB9_E5': (0x8C3D, RGB, 0x8C3E),
    }  # fmt: skip
    for what, (internal, form, of) in unorm.items():
        plain(internal, form, of, 'float', what)
    integers = {
        'R8I': (0x8231, RI, BYTE), 'R8UI': (0x8232, RI, UBYTE), 'R16I': (0x8233, RI, SHORT), 'R16UI': (0x8234, RI, USHORT),
        'R32I': (0x8235, RI, INT), 'R32UI': (0x8236, RI, UINT), 'RG8I': (0x8237, RGI, BYTE), 'RG8UI': (0x8238, RGI, UBYTE),
        'RG16I': (0x8239, RGI, SHORT), 'RG16UI': (0x823A, RGI, USHORT), 'RG32I': (0x823B, RGI, INT), 'RG32UI': (0x823C, RGI, UINT),
        'RGB8I': (0x8D8F, RGBI, BYTE), 'RGB8UI': (0x8D7D, RGBI, UBYTE), 'RGB16I': (0x8D89, RGBI, SHORT), 'RGB16UI': (0x8D77, RGBI, USHORT),
        'RGB32I': (0x8D83, RGBI, INT), 'RGB32UI': (0x8D71, RGBI, UINT), 'RGBA8I': (0x8D8E, RGBAI, BYTE), 'RGBA8UI': (0x8D7C, RGBAI, UBYTE),
        'RGBA16I': (0x8D88, RGBAI, SHORT), 'RGBA16UI': (0x8D76, RGBAI, USHORT), 'RGBA32I': (0x8D82, RGBAI, INT),
        'RGBA32UI': (0x8D70, RGBAI, UINT), 'RGB10_A2UI': (0x906F, RGBAI, 0x8368), 'RGBA8UI of BGRA': (0x8D7C, BGRAI, UBYTE),
        'RGBA16I of bytes': (0x8D88, RGBAI, BYTE), 'RGB8UI of BGR': (0x8D7D, BGRI, UBYTE),
    }  # fmt: skip
    for what, (internal, form, of) in integers.items():
        plain(internal, form, of, 'uint' if what.split()[0].endswith('UI') else 'int', what)
    depths = {
        'DEPTH_COMPONENT16': (0x81A5, USHORT), 'DEPTH_COMPONENT24': (0x81A6, UINT), 'DEPTH_COMPONENT32': (0x81A7, UINT),
        'unsized DEPTH_COMPONENT': (DEPTH, UINT),
    }  # fmt: skip
    for what, (internal, of) in depths.items():
        plain(internal, DEPTH, of, 'depth', what)
    plain(0x88F0, DEPTH_STENCIL, D24S8, 'both', 'DEPTH24_STENCIL8')
    plain(0x8CAD, DEPTH_STENCIL, D32FS8, 'both', 'DEPTH32F_STENCIL8')
    plain(0x8D48, STENCIL, UBYTE, 'stencil', 'STENCIL_INDEX8')


def every_source():
    for of in (0x8032, 0x8362, 0x8363, 0x8364):
        plain(0x8051, RGB, of, 'float', f'RGB8 of {of:#x}')
    for of in (0x8033, 0x8365, 0x8034, 0x8366, 0x8035, 0x8367, 0x8036, 0x8368):
        for form in (RGBA, BGRA):
            plain(0x805B, form, of, 'float', f'RGBA16 of {form:#x} {of:#x}')
    for form in (RED, GREEN, BLUE, ALPHA, RG, RGB, BGR, BGRA, ABGR, LUM, LA):
        plain(0x8058, form, UBYTE, 'float', f'RGBA8 of {form:#x}')
    for of in (BYTE, SHORT, USHORT, INT, UINT, FLOAT, HALF):
        plain(0x8058, RGBA, of, 'float', f'RGBA8 of {of:#x}')
        plain(0x8814, RGBA, of, 'float', f'RGBA32F of {of:#x}')
    for internal, what in ((0x8229, 'R8'), (0x8040, 'LUMINANCE8'), (0x803C, 'ALPHA8'), (0x804B, 'INTENSITY8'), (0x8D62, 'RGB565')):
        plain(internal, RGBA, UBYTE, 'float', f'{what} of RGBA')
    plain(0x8C3D, RGB, FLOAT, 'float', 'RGB9_E5 of floats')
    plain(0x8C3A, RGB, FLOAT, 'float', 'R11F_G11F_B10F of floats')
    plain(0x881A, RGBA, FLOAT, 'float', 'RGBA16F of floats')


def every_store():
    for alignment in (1, 2, 4, 8):
        plain(0x8051, RGB, UBYTE, 'float', f'alignment {alignment}', alignment=alignment)
        plain(0x8229, RED, UBYTE, 'float', f'alignment {alignment} of bytes', alignment=alignment)
    plain(0x8814, RGB, FLOAT, 'float', 'alignment 8 of floats', alignment=8)
    plain(0x8051, RGB, UBYTE, 'float', 'a part of a larger image', row=9, right=3, down=2)
    plain(0x8058, RGBA, UBYTE, 'float', 'skipped without a row length', right=2, down=1, alignment=1)
    for form, of in ((RED, USHORT), (RED, UINT), (RGBA, FLOAT), (RGB, 0x8363), (RGBA, 0x8035), (RGBA, 0x8368), (RG, HALF)):
        plain({RED: 0x822A, RG: 0x8230}.get(form, 0x8814), form, of, 'float', f'swapped {form:#x} {of:#x}', swaps=True)
    texture(T3D)
    store(row=6, tall=5, right=1, down=1, deep=1, alignment=2)
    gl('glTexImage3D', T3D, 0, 0x8051, 4, 3, 3, 0, RGB, UBYTE, blob(pixels(RGB, UBYTE, 6 * 5 * 5 + 30)))
    readback(T3D, 0, 'a part of a larger volume', 'float')


BLOCKS = {
    'RGB_S3TC_DXT1': (0x83F0, 8), 'RGBA_S3TC_DXT1': (0x83F1, 8), 'RGBA_S3TC_DXT3': (0x83F2, 16), 'RGBA_S3TC_DXT5': (0x83F3, 16),
    'SRGB_S3TC_DXT1': (0x8C4C, 8), 'SRGB_ALPHA_S3TC_DXT1': (0x8C4D, 8), 'SRGB_ALPHA_S3TC_DXT3': (0x8C4E, 16),
    'SRGB_ALPHA_S3TC_DXT5': (0x8C4F, 16), 'RED_RGTC1': (0x8DBB, 8), 'SIGNED_RED_RGTC1': (0x8DBC, 8), 'RG_RGTC2': (0x8DBD, 16),
    'SIGNED_RG_RGTC2': (0x8DBE, 16), 'LUMINANCE_LATC1': (0x8C70, 8), 'SIGNED_LUMINANCE_LATC1': (0x8C71, 8), 'LUMINANCE_ALPHA_LATC2': (0x8C72, 16),
    'SIGNED_LUMINANCE_ALPHA_LATC2': (0x8C73, 16),
    'RGBA_BPTC_UNORM': (0x8E8C, 16), 'SRGB_ALPHA_BPTC_UNORM': (0x8E8D, 16), 'RGB_BPTC_SIGNED_FLOAT': (0x8E8E, 16),
    'RGB_BPTC_UNSIGNED_FLOAT': (0x8E8F, 16), 'RGB8_ETC2': (0x9274, 8), 'SRGB8_ETC2': (0x9275, 8),
    'RGB8_PUNCHTHROUGH_ALPHA1_ETC2': (0x9276, 8), 'SRGB8_PUNCHTHROUGH_ALPHA1_ETC2': (0x9277, 8), 'RGBA8_ETC2_EAC': (0x9278, 16),
    'SRGB8_ALPHA8_ETC2_EAC': (0x9279, 16), 'R11_EAC': (0x9270, 8), 'SIGNED_R11_EAC': (0x9271, 8), 'RG11_EAC': (0x9272, 16),
    'SIGNED_RG11_EAC': (0x9273, 16),
}  # fmt: skip
ASTC = [(4, 4), (5, 4), (5, 5), (6, 5), (6, 6), (8, 5), (8, 6), (8, 8), (10, 5), (10, 6), (10, 8), (10, 10), (12, 10), (12, 12)]


def astc(i):
    """A block of one colour, or one with a grid of 4 by 4 weights of two bits between two colours of eight bits."""
    colours = [chance.randrange(256) for _ in range(8)]
    if i % 3 == 0:
        return bytearray(b'\xfc\xfd' + b'\xff' * 6 + bytes(colours))
    # The endpoints are ordered: otherwise blue is contracted.
    low, high = ([min(pair) for pair in zip(colours[:4], colours[4:])], [max(pair) for pair in zip(colours[:4], colours[4:])])
    bits = 0x042 | 12 << 13
    for at, pair in enumerate(zip(low, high)):
        bits |= pair[0] << (17 + 16 * at) | pair[1] << (25 + 16 * at)
    weights = chance.getrandbits(32)
    bits |= weights << 96
    return bytearray(bits.to_bytes(16, 'little'))


def blocks(internal, size, count):
    """Random blocks. Those of BPTC have a mode that is defined: of floats one whose numbers are no differences, which may overflow."""
    made = bytearray()
    for i in range(count):
        block = bytearray(chance.randbytes(size))
        if internal in (0x8E8E, 0x8E8F):
            block[0] = block[0] & 0xE0 | (3, 3, 30)[i % 3]
        elif internal in (0x8E8C, 0x8E8D):
            block[0] = (block[0] << 1 | 1) << (i % 8) & 0xFF
        elif internal >= 0x93B0:
            block = astc(i)
        made += block
    return bytes(made)


def every_compression():
    store()
    for what, (internal, size) in BLOCKS.items():
        texture(T2D)
        data = blocks(internal, size, 6)
        gl('glCompressedTexImage2D', T2D, 0, internal, 10, 7, 0, len(data), blob(data))
        readback(T2D, 0, what, 'float')
    for i, (across, down) in enumerate(ASTC):
        texture(T2D)
        first = 0x93D0 if i % 3 == 1 else 0x93B0
        data = blocks(first + i, 16, 2)
        gl('glCompressedTexImage2D', T2D, 0, first + i, across + 1, down, 0, len(data), blob(data[16:] + data[:16]))
        readback(T2D, 0, f'ASTC {across} x {down}', 'float')
    # A part of a level, a smaller level, and layers.
    texture(T2D)
    data = blocks(0x83F3, 16, 9)
    gl('glTexStorage2D', T2D, 3, 0x83F3, 12, 12)
    gl('glCompressedTexSubImage2D', T2D, 0, 0, 0, 12, 12, 0x83F3, len(data), blob(data))
    gl('glCompressedTexSubImage2D', T2D, 0, 4, 8, 8, 4, 0x83F3, 32, blob(data[16:48]))
    gl('glCompressedTexSubImage2D', T2D, 1, 0, 0, 6, 6, 0x83F3, 64, blob(data[:64]))
    readback(T2D, 0, 'a part of DXT5', 'float')
    readback(T2D, 1, 'a level of DXT5', 'float')
    texture(A2D)
    data = blocks(0x83F1, 8, 6)
    gl('glCompressedTexImage3D', A2D, 0, 0x83F1, 8, 4, 3, 0, len(data), blob(data))
    readback(A2D, 0, 'layers of DXT1', 'float')


def every_target():
    rgb = lambda count: blob(pixels(RGB, UBYTE, count + 8))
    store(alignment=1)
    texture(T1D)
    gl('glTexImage1D', T1D, 0, 0x8051, 7, 0, RGB, UBYTE, rgb(7))
    gl('glTexSubImage1D', T1D, 0, 2, 3, RGB, UBYTE, rgb(3))
    readback(T1D, 0, '1D', 'float')
    texture(A1D)
    gl('glTexImage2D', A1D, 0, 0x8051, 4, 3, 0, RGB, UBYTE, rgb(12))
    gl('glTexSubImage2D', A1D, 0, 1, 1, 2, 2, RGB, UBYTE, rgb(4))
    readback(A1D, 0, '1D array', 'float')
    texture(A2D)
    gl('glTexStorage3D', A2D, 2, 0x8051, 4, 4, 3)
    gl('glTexSubImage3D', A2D, 0, 0, 0, 0, 4, 4, 3, RGB, UBYTE, rgb(48))
    gl('glTexSubImage3D', A2D, 0, 1, 1, 1, 2, 2, 2, RGB, UBYTE, rgb(8))
    gl('glTexSubImage3D', A2D, 1, 0, 0, 0, 2, 2, 3, RGB, UBYTE, rgb(12))
    readback(A2D, 0, '2D array', 'float')
    readback(A2D, 1, '2D array', 'float')
    texture(T3D)
    gl('glTexStorage3D', T3D, 2, 0x8051, 4, 4, 4)
    gl('glTexSubImage3D', T3D, 0, 0, 0, 0, 4, 4, 4, RGB, UBYTE, rgb(64))
    gl('glTexSubImage3D', T3D, 1, 0, 0, 0, 2, 2, 2, RGB, UBYTE, rgb(8))
    readback(T3D, 0, '3D', 'float')
    readback(T3D, 1, '3D', 'float')
    texture(RECT)
    gl('glTexImage2D', RECT, 0, 0x8051, 5, 3, 0, RGB, UBYTE, rgb(15))
    readback(RECT, 0, 'rectangle', 'float')
    texture(CUBE)
    for face in range(0x8515, 0x851B):
        gl('glTexImage2D', face, 0, 0x8051, 2, 2, 0, RGB, UBYTE, rgb(4))
        gl('glTexImage2D', face, 1, 0x8051, 1, 1, 0, RGB, UBYTE, rgb(1))
    gl('glTexSubImage2D', 0x8518, 0, 1, 0, 1, 2, RGB, UBYTE, rgb(2))
    for face in range(0x8515, 0x851B):
        readback(CUBE, 0, 'cube', 'float', face=face)
        readback(CUBE, 1, 'cube', 'float', face=face)
    texture(ACUBE)
    gl('glTexImage3D', ACUBE, 0, 0x8051, 2, 2, 12, 0, RGB, UBYTE, rgb(48))
    readback(ACUBE, 0, 'cube array', 'float')
    texture(T2D)
    for level in range(3):
        gl('glTexImage2D', T2D, level, 0x8051, 4 >> level, 4 >> level, 0, RGB, UBYTE, rgb(16))
    for level in range(3):
        readback(T2D, level, 'levels', 'float')
    # A level is given another size and format.
    gl('glTexImage2D', T2D, 0, 0x8229, 3, 2, 0, RED, UBYTE, blob(pixels(RED, UBYTE, 6)))
    readback(T2D, 0, 'a level of another format', 'float')
    name = texture(T2D)
    gl('glTexImage2D', T2D, 0, 0x8051, 4, 4, 0, RGB, UBYTE, rgb(16))
    gl('glTextureSubImage2D', name, 0, 1, 1, 2, 3, RGB, UBYTE, rgb(6))
    readback(T2D, 0, 'a part by direct state access', 'float')
    gl('glBindTexture', T2D, 0)
    gl('glActiveTexture', 0x84C3)
    gl('glBindTexture', T2D, name)
    gl('glTexSubImage2D', T2D, 0, 0, 0, 2, 1, RGB, UBYTE, rgb(2))
    readback(T2D, 0, 'a part by another unit', 'float')
    gl('glActiveTexture', 0x84C0)


def every_buffer():
    store(alignment=1)
    buffer = C.c_uint()
    gl('glGenBuffers', 1, C.byref(buffer))
    gl('glBindBuffer', PBO, buffer)
    data = pixels(RGBA, UBYTE, 40)
    gl('glBufferData', PBO, C.c_ssize_t(len(data)), blob(data), 0x88E4)
    texture(T2D)
    gl('glTexImage2D', T2D, 0, 0x8058, 4, 4, 0, RGBA, UBYTE, C.c_void_p(12))
    readback_unbound(buffer, 'of a buffer')
    gl('glBufferSubData', PBO, C.c_ssize_t(8), C.c_ssize_t(16), blob(data[:16]))
    gl('glTexSubImage2D', T2D, 0, 0, 1, 4, 1, RGBA, UBYTE, C.c_void_p(8))
    readback_unbound(buffer, 'of a part of a buffer')
    address = gl('glMapBufferRange', PBO, C.c_ssize_t(4), C.c_ssize_t(64), 2)
    C.memmove(address, data[30:94], 64)
    gl('glUnmapBuffer', PBO)
    gl('glTexSubImage2D', T2D, 0, 1, 0, 2, 4, RGBA, UBYTE, C.c_void_p(4))
    readback_unbound(buffer, 'of a mapped buffer')
    texture(T2D)
    compressed = blocks(0x83F3, 16, 4)
    gl('glBufferData', PBO, C.c_ssize_t(64), blob(compressed), 0x88E4)
    gl('glCompressedTexImage2D', T2D, 0, 0x83F3, 8, 8, 0, 64, C.c_void_p(0))
    readback_unbound(buffer, 'blocks of a buffer')
    gl('glBindBuffer', PBO, 0)


def readback_unbound(buffer, what):
    gl('glBindBuffer', PBO, 0)
    readback(T2D, 0, what, 'float')
    gl('glBindBuffer', PBO, buffer)


current({0x3040: 8})
every_format()
every_source()
every_store()
every_compression()
every_target()
every_buffer()
