//! Contexts and windows: GLX, EGL, WGL and CGL.

use unspool_gl::egl;

use super::Run;

pub(crate) const TABLE: &[(&str, Run)] = &[
    ("glXMakeCurrent", |r, c| r.make_current(c.thread, c.int(2), c.int(1), c.int(1))),
    ("glXMakeCurrentReadSGI", |r, c| r.make_current(c.thread, c.int(3), c.int(1), c.int(2))),
    ("glXMakeContextCurrent", |r, c| r.make_current(c.thread, c.int(3), c.int(1), c.int(2))),
    ("eglMakeCurrent", |r, c| r.make_current(c.thread, c.int(3), c.int(1), c.int(2))),
    ("wglMakeCurrent", |r, c| r.make_current(c.thread, c.int(1), c.int(0), c.int(0))),
    ("CGLSetCurrentContext", |r, c| r.make_current(c.thread, c.int(0), c.int(0), c.int(0))),
    ("glXCreateContext", |r, c| create(r, c.ret.int(), c.int(2))),
    ("glXCreateNewContext", |r, c| create(r, c.ret.int(), c.int(3))),
    ("glXCreateContextAttribsARB", |r, c| create(r, c.ret.int(), c.int(2))),
    ("eglCreateContext", |r, c| create(r, c.ret.int(), c.int(2))),
    ("wglCreateContext", |r, c| create(r, c.ret.int(), 0)),
    ("wglCreateContextAttribsARB", |r, c| create(r, c.ret.int(), c.int(1))),
    ("wglShareLists", |r, c| r.share(c.int(0), c.int(1))),
    ("glXDestroyContext", |r, c| r.forget_context(c.int(1))),
    ("eglDestroyContext", |r, c| r.forget_context(c.int(1))),
    ("wglDeleteContext", |r, c| r.forget_context(c.int(0))),
    ("eglBindAPI", |r, c| r.es = c.int(0) == egl::OPENGL_ES_API.into()),
    ("glXSwapBuffers", |r, c| r.swap(c.thread)),
    ("eglSwapBuffers", |r, c| r.swap(c.thread)),
    ("eglSwapBuffersWithDamageEXT", |r, c| r.swap(c.thread)),
    ("eglSwapBuffersWithDamageKHR", |r, c| r.swap(c.thread)),
    ("wglSwapBuffers", |r, c| r.swap(c.thread)),
    ("wglSwapLayerBuffers", |r, c| r.swap(c.thread)),
    ("SwapBuffers", |r, c| r.swap(c.thread)),
    ("CGLFlushDrawable", |r, c| r.swap(c.thread)),
    ("glFrameTerminatorGREMEDY", |r, c| r.swap(c.thread)),
];

fn create(r: &mut crate::driver::Replay, pointer: i64, share: i64) {
    if pointer != 0 {
        r.context_of(pointer, share);
    }
}
