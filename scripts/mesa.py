"""Mesa's OpenGL without a window, for the scripts that make fixtures: EGL and llvmpipe, unless the environment says otherwise."""

import ctypes as C
import os

os.environ.setdefault('EGL_PLATFORM', 'surfaceless')
os.environ.setdefault('LIBGL_ALWAYS_SOFTWARE', '1')

egl = C.CDLL('libEGL.so.1')
for name in ('eglGetDisplay', 'eglCreateContext', 'eglCreatePbufferSurface', 'eglGetProcAddress'):
    getattr(egl, name).restype = C.c_void_p
egl.eglGetProcAddress.argtypes = [C.c_char_p]
functions = {}


def gl(name, *args):
    """Calls a function by its name, with integers and pointers."""
    if name not in functions:
        result = C.c_void_p if name.startswith('glMap') else C.c_int
        functions[name] = C.CFUNCTYPE(result)(egl.eglGetProcAddress(name.encode()))
    return functions[name](*args)


def typed(name, *types):
    """A function with floating point arguments, which are passed in other registers."""
    function = C.CFUNCTYPE(None, *types)(egl.eglGetProcAddress(name.encode()))
    return lambda *args: function(*args)


def current(config, size=None):
    """Makes a context of desktop OpenGL current: attributes of its configuration, and the side of its window, or None for none.

    Returns a function that swaps the buffers of the window.
    """
    display = C.c_void_p(egl.eglGetDisplay(C.c_void_p(0)))
    egl.eglInitialize(display, None, None)
    egl.eglBindAPI(0x30A2)
    found, count = C.c_void_p(), C.c_int()
    attributes = [number for pair in config.items() for number in pair] + [0x3038]
    egl.eglChooseConfig(display, (C.c_int * len(attributes))(*attributes), C.byref(found), 1, C.byref(count))
    surface = None
    if size is not None:
        surface = C.c_void_p(egl.eglCreatePbufferSurface(display, found, (C.c_int * 5)(0x3057, size, 0x3056, size, 0x3038)))
    context = C.c_void_p(egl.eglCreateContext(display, found, None, (C.c_int * 1)(0x3038)))
    assert egl.eglMakeCurrent(display, surface, surface, context), 'there is no context'
    return lambda: egl.eglSwapBuffers(display, surface)


def program(*sources, inputs=()):
    """A program of a vertex and a fragment shader, with `inputs` at locations from 0 on. Prints what Mesa says and returns None if it is not linked."""
    it = gl('glCreateProgram')
    for location, name in enumerate(inputs):
        gl('glBindAttribLocation', it, location, C.c_char_p(name.encode()))
    for kind, source in zip((0x8B31, 0x8B30), sources):
        shader = gl('glCreateShader', kind)
        gl('glShaderSource', shader, 1, C.byref(C.c_char_p(source.encode())), None)
        gl('glCompileShader', shader)
        gl('glAttachShader', it, shader)
    gl('glLinkProgram', it)
    linked = C.c_int()
    gl('glGetProgramiv', it, 0x8B82, C.byref(linked))
    if linked.value:
        return it
    log = C.create_string_buffer(4096)
    gl('glGetProgramInfoLog', it, 4096, None, log)
    print(log.value.decode())
    return None
