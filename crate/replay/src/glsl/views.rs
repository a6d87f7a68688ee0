//! What the page asks of a draw besides its picture, as endings of its shaders. A uniform says which: `web/worker/replay_views.ts` sets it.
//!
//! One program serves all of them, because a second one would need the uniforms of the first.

use core::fmt::Write;

/// The uniform. 0: nothing is asked.
pub(crate) const UNIFORM: &str = "_vw";

/// Iterations of all loops of an invocation together.
const LOOP_BUDGET: u32 = 20_000;

/// `main` of a fragment shader, which [`CUT_VERTICES`] does without.
pub(crate) const FRAGMENT_MAIN: &str = "if (_vw == 3) return;\n_main();\n";

/// The budget of loops: each condition calls `_lg`. Where `_lb` is set, it is the limit instead.
pub(crate) fn guard() -> String {
    format!("uniform int _lb;\nint _ln = 0;\nbool _lg() {{ return ++_ln < (_lb == 0 ? {LOOP_BUDGET} : _lb); }}\n")
}

/// 3: vertices whose loops were cut are points in the middle, others are outside.
pub(crate) fn of_vertex(loops: bool) -> String {
    if !loops {
        return String::new();
    }
    format!(
        "if (_vw == 3) {{ gl_Position = _ln >= (_lb == 0 ? {LOOP_BUDGET} : _lb) ? vec4(0.0, 0.0, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0); \
         gl_PointSize = 1.0; }}\n"
    )
}

/// 1: pixels are counted, by adding. 2: only pixels whose loops were cut. `output` is the first one, with its type.
pub(crate) fn of_fragment(output: Option<(&str, &str)>, loops: bool) -> String {
    let mut out = String::new();
    if let Some((name, kind)) = output
        && matches!(kind, "float" | "vec2" | "vec3" | "vec4")
    {
        let _ = writeln!(out, "if (_vw == 1) {name} = {kind}(1.0 / 255.0);");
    }
    if loops {
        let _ = writeln!(out, "if (_vw == 2 && _ln < (_lb == 0 ? {LOOP_BUDGET} : _lb)) discard;");
    }
    out
}
