//! What the page asks of a draw besides its picture, as endings of its shaders. A uniform says
//! which: `web/features/pictures/gl/views.ts` sets it.
//!
//! One program serves all of them, because a second one would need the uniforms of the first.

use core::fmt::Write;

use super::cost::UNIT;
use super::tokens::{Token, TokenKind};

/// The uniform. 0: nothing is asked.
pub(crate) const UNIFORM: &str = "_vw";

/// Iterations of all loops of an invocation together. One of many operations counts as several: see
/// [`super::cost`].
pub(super) const LOOP_BUDGET: u32 = 20_000;

/// Iterations up to which loops are not watched: a shader may call a function with loops at several
/// places.
pub(crate) const SAFE: u32 = 1000;
/// Operations of an invocation up to which they are not watched either: half of what the budget
/// allows.
pub(crate) const SAFE_WORK: u64 = UNIT * LOOP_BUDGET as u64 / 2;

/// Operations of an invocation that is always let go on: the limit is never lower than 64
/// iterations (`web/features/pictures/gl/views.ts`).
pub(crate) fn least_work(heaviest: u32) -> u64 {
    UNIT * (64 * u64::from(heaviest.max(1))).min(LOOP_BUDGET.into())
}

/// Iterations of a loop with the header `int i = a; i < b; i++`. `None` if the header does not say.
pub(crate) fn iterations(header: &[Token]) -> Option<u32> {
    let [kind, name, equals, first, _, other, compares, last, _, rest @ ..] = header else { return None };
    let number = |token: &Token| (token.kind == TokenKind::Number).then(|| token.text.parse::<u32>().ok()).flatten();
    let steps =
        rest.len() == 2 && rest.iter().any(|token| token.is("++")) && rest.iter().any(|token| token.text == name.text);
    let counts = kind.is("int") && equals.is("=") && other.text == name.text && steps;
    let more = u32::from(compares.is("<="));
    (counts && (compares.is("<") || more == 1))
        .then(|| Some(number(last)?.saturating_sub(number(first)?).saturating_add(more)))
        .flatten()
}

/// `main` of a fragment shader, which [`CUT_VERTICES`] does without.
pub(crate) const FRAGMENT_MAIN: &str = "if (_vw == 3) return;\n_main();\n";

/// The budget of loops: each condition calls `_lg`. Where `_lb` is set, it is the limit instead.
pub(crate) fn guard() -> String {
    format!(
        "uniform int _lb;\nint _ln = 0;\nbool _lg(int n) {{ _ln += n; return _ln < (_lb == 0 ? {LOOP_BUDGET} : _lb); }}\n"
    )
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

/// 1: pixels are counted, by adding. 2: only pixels whose loops were cut. `output` is the first
/// one, with its type.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glsl::tokens::tokens_of_line;

    fn count(header: &str) -> Option<u32> {
        iterations(&tokens_of_line(header, 1))
    }

    #[test]
    fn headers_of_loops_say_how_often() {
        assert_eq!(count("int i = 0; i < 8; i++"), Some(8));
        assert_eq!(count("int i = 2; i <= 8; ++i"), Some(7));
        assert_eq!(count("int i = 9; i < 8; i++"), Some(0));
        for other in ["int i = 0; i < n; i++", "int i = 0; j < 8; i++", "int i = 0; i < 8; i += 1", "; ;", ""] {
            assert_eq!(count(other), None, "{other}");
        }
    }
}
