//! What a shader costs, before a compiler or a GPU sees it.
//!
//! Compilers write the body of a function wherever it is called, and give every component of a
//! variable a place of its own, so that a shader of a few hundred bytes may take them hours: 40
//! functions that call the one before twice, structures of structures. What follows is found out in
//! steps that are proportional to the tokens:
//!
//! ```text
//! size     operations once all calls are written out: what a compiler takes
//! work     operations of an invocation: loops count as often as their headers say, or a guess
//! weight   of a loop: the operations of one iteration, in units of [`UNIT`]
//! ```

mod calls;
mod variables;

use super::builtins::ESSL;
use super::tokens::{Token, TokenKind};
use super::views;

use calls::{Body, Graph};
use variables::Variables;

/// What an invocation of a shader costs, in operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// With each call written out.
    pub(crate) size: u64,
    /// Of an invocation that is not cut.
    pub(crate) work: u64,
}

/// Operations of an iteration that counts once against the limit of iterations.
pub(super) const UNIT: u64 = 64;
/// Iterations of a loop whose header does not say how many there are.
const UNKNOWN: u64 = 32;
const MOST_ITERATIONS: u64 = views::LOOP_BUDGET as u64;

/// Functions of many operations in drivers that have no instruction for them.
const SLOW: [&str; 18] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "pow", "exp",
    "log", "exp2", "log2", "inverse",
];

/// Weighs a shader: the tokens of its loops get their weights. `limit` is that for its size.
///
/// # Errors
///
/// A sentence about what there is too much of.
pub(crate) fn weigh(tokens: &mut [Token], limit: u64) -> Result<Cost, String> {
    let closing = closing(tokens);
    let variables = Variables::read(tokens, &closing)?;
    let bodies = calls::bodies(tokens, &closing);
    let mut graph = Graph::new(&bodies);
    let mut cost = Cost::default();
    let mut loops: Vec<(usize, u64, Vec<calls::Target>)> = Vec::new();
    let mut at = 0;
    for (i, body) in bodies.iter().enumerate() {
        // What is between functions: initial values.
        cost.size += of_tokens(tokens, at..body.from, &variables);
        at = body.to;
        loops.extend(look(tokens, &closing, &variables, &mut graph, (i, body)));
    }
    cost.size += of_tokens(tokens, at..tokens.len(), &variables);
    cost.work = cost.size;
    let sums = graph.sums();
    let main = sums.of_main();
    cost.size = cost.size.saturating_add(main.size);
    cost.work = cost.work.saturating_add(main.work).min(cost.size.saturating_mul(MOST_ITERATIONS));
    if cost.size > limit {
        return Err(format!("it comes to more than {limit} operations once all calls of functions are written out"));
    }
    for (i, own, called) in loops {
        let sum = called.iter().fold(own, |sum, target| sum.saturating_add(sums.of(*target).size));
        if let Some(token) = tokens.get_mut(i) {
            token.weight = sum.div_ceil(UNIT).clamp(1, MOST_ITERATIONS) as u32;
        }
    }
    Ok(cost)
}

/// A loop that is open.
struct Loop {
    /// Its token, which the translation finds: `for`, or the `while` after the body of `do`.
    token: usize,
    end: usize,
    /// How often it is run, with the loops around it.
    times: u64,
    own: u64,
    called: Vec<calls::Target>,
}

/// Looks at the body of a function. Returns its loops: token, operations, and what they call.
fn look(
    tokens: &[Token],
    closing: &[usize],
    variables: &Variables,
    graph: &mut Graph,
    (number, body): (usize, &Body),
) -> Vec<(usize, u64, Vec<calls::Target>)> {
    let mut ends = Ends { tokens, closing, known: hashbrown::HashMap::new() };
    let mut open: Vec<Loop> = Vec::new();
    let mut done = Vec::new();
    // The `while` of a `do`, which begins no loop of its own.
    let mut tails = hashbrown::HashSet::new();
    for i in body.from..body.to {
        while let Some(it) = open.pop_if(|it| it.end <= i) {
            done.push((it.token, it.own, it.called));
        }
        let Some(token) = tokens.get(i) else { break };
        let opens = tokens.get(i + 1).is_some_and(|next| next.is("("));
        let around = open.last().map_or(1, |it| it.times);
        let begins = if token.is("do") && !opens {
            let tail = ends.of(i + 1);
            tails.insert(tail);
            let close = closing.get(tail + 1).copied().unwrap_or(tail);
            Some((tail, close + 1, UNKNOWN))
        } else if (token.is("for") || token.is("while")) && opens && !tails.contains(&i) {
            let close = closing.get(i + 1).copied().unwrap_or(i);
            let header = tokens.get(i + 2..close).unwrap_or_default();
            let times = views::iterations(header).map_or(UNKNOWN, u64::from);
            Some((i, ends.of(close + 1), times))
        } else {
            None
        };
        if let Some((token, end, times)) = begins {
            let times = around.saturating_mul(times.max(1));
            open.push(Loop { token, end, times, own: 0, called: Vec::new() });
        }
        let times = open.last().map_or(1, |it| it.times);
        let target = if opens && token.kind == TokenKind::Name { graph.target(number, &token.text) } else { None };
        if let Some(target) = target {
            graph.add_call(number, target, times);
            if let Some(inner) = open.last_mut() {
                inner.called.push(target);
            }
        }
        let own = if target.is_some() { 1 } else { operations(tokens, i, variables) };
        graph.add(number, own, times);
        if let Some(inner) = open.last_mut() {
            inner.own = inner.own.saturating_add(own);
        }
    }
    done.extend(open.into_iter().map(|it| (it.token, it.own, it.called)));
    done
}

fn of_tokens(tokens: &[Token], range: core::ops::Range<usize>, variables: &Variables) -> u64 {
    range.map(|i| operations(tokens, i, variables)).fold(0, u64::saturating_add)
}

/// The operations that a token stands for.
fn operations(tokens: &[Token], i: usize, variables: &Variables) -> u64 {
    let Some(token) = tokens.get(i) else { return 0 };
    let next = tokens.get(i + 1).map(|token| token.text.as_str()).unwrap_or_default();
    match token.kind {
        TokenKind::Sign => u64::from(!matches!(&*token.text, "(" | ")" | "{" | "}" | "[" | "]" | ";" | "," | ".")),
        TokenKind::Number => 1,
        TokenKind::Name if next == "(" => match &*token.text {
            name if SLOW.contains(&name) => 16,
            name if name.starts_with("texture") || name.starts_with("shadow") || name.starts_with("texel") => 24,
            name if ESSL.contains(&name) => 4,
            _ => 1,
        },
        // All of a variable is copied, unless a part of it is named.
        TokenKind::Name => variables.operations(i, &token.text, matches!(next, "[" | ".")),
    }
}

/// The index of the bracket that closes the one at an index: the end where there is none, and the
/// index itself for what is not a bracket.
pub(super) fn closing(tokens: &[Token]) -> Vec<usize> {
    let mut all: Vec<usize> = (0..tokens.len()).collect();
    let mut open: Vec<usize> = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        match token.text.as_str() {
            "(" | "[" | "{" => open.push(i),
            ")" | "]" | "}" => {
                if let Some(slot) = open.pop().and_then(|at| all.get_mut(at)) {
                    *slot = i;
                }
            }
            _ => {}
        }
    }
    for at in open {
        if let Some(slot) = all.get_mut(at) {
            *slot = tokens.len();
        }
    }
    all
}

/// Finds where statements end.
struct Ends<'a> {
    tokens: &'a [Token],
    closing: &'a [usize],
    /// Those of bodies of loops, which may be statements of each other.
    known: hashbrown::HashMap<usize, usize>,
}

impl Ends<'_> {
    /// The index after the statement that begins at `from`.
    fn of(&mut self, from: usize) -> usize {
        // Heads of statements that have another one for a body.
        let mut heads = vec![from];
        let mut at = from;
        let end = loop {
            if let Some(known) = self.known.get(&at) {
                break *known;
            }
            let is = |i: usize, text: &str| self.tokens.get(i).is_some_and(|token| token.is(text));
            let close = |i: usize| self.closing.get(i).copied().unwrap_or(self.tokens.len());
            if is(at, "{") {
                break close(at) + 1;
            }
            if ["for", "while", "if", "switch"].iter().any(|head| is(at, head)) && is(at + 1, "(") {
                at = close(at + 1) + 1;
                heads.push(at);
                continue;
            }
            if is(at, "else") || is(at, "do") {
                at += 1;
                heads.push(at);
                continue;
            }
            let mut i = at;
            while i < self.tokens.len() && !is(i, ";") && !is(i, "}") {
                i = close(i) + 1;
            }
            break i + 1;
        };
        let mut end = end.min(self.tokens.len());
        // `if (…) …; else …` goes on.
        let goes_on = self.tokens.get(end).is_some_and(|token| token.is("else"));
        for head in heads {
            self.known.insert(head, end);
        }
        if goes_on {
            end = self.of_else(end);
            self.known.insert(from, end);
        }
        end
    }

    /// The index after a chain of `else if`.
    fn of_else(&mut self, from: usize) -> usize {
        let mut end = from;
        while self.tokens.get(end).is_some_and(|token| token.is("else")) {
            let mut at = end + 1;
            while self.tokens.get(at).is_some_and(|token| token.is("if")) {
                at = self.closing.get(at + 1).copied().unwrap_or(self.tokens.len()) + 1;
            }
            end = match self.tokens.get(at) {
                Some(token) if token.is("{") => self.closing.get(at).copied().unwrap_or(self.tokens.len()) + 1,
                Some(_) => {
                    let mut i = at;
                    while self.tokens.get(i).is_some_and(|token| !token.is(";") && !token.is("}")) {
                        i = self.closing.get(i).copied().unwrap_or(self.tokens.len()) + 1;
                    }
                    i + 1
                }
                None => self.tokens.len(),
            };
        }
        end.min(self.tokens.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glsl::preprocess::preprocess;

    fn cost(source: &str) -> Result<Cost, String> {
        weigh(&mut preprocess(source, false).tokens, 1 << 15)
    }

    /// The weights of all loops.
    fn weights(source: &str) -> Vec<u32> {
        let mut tokens = preprocess(source, false).tokens;
        weigh(&mut tokens, u64::MAX).unwrap();
        tokens.iter().map(|token| token.weight).filter(|weight| *weight > 0).collect()
    }

    #[test]
    fn calls_are_written_out() {
        let flat = cost("void main() { x = a + b; }").unwrap();
        assert_eq!(flat.size, flat.work);
        let chain = |last: u32| {
            let each: String = (1..=last)
                .map(|i| format!("float f{i}(float x) {{ return f{0}(x) + f{0}(x * 2.0); }}", i - 1))
                .collect();
            format!("float f0(float x) {{ return sin(x); }} {each} void main() {{ c = vec4(f{last}(1.0)); }}")
        };
        let (eight, nine) = (cost(&chain(8)).unwrap().size, cost(&chain(9)).unwrap().size);
        assert!((2 * eight - 100..2 * eight + 100).contains(&nine), "{eight} {nine}");
        for last in [12, 39, 200, 4000] {
            assert!(cost(&chain(last)).unwrap_err().contains("more than 32768 operations"), "{last}");
        }
        // Functions of one name, which call each other; with prototypes they may come in any order.
        let types = 30;
        let overloads: String = (0..types)
            .map(|i| {
                format!(
                    "struct S{i} {{ float a; }}; float f(S{i} x) {{ return {}; }}",
                    if i == 0 { "1.0".into() } else { format!("f(s{0}) + f(s{0})", i - 1) }
                )
            })
            .collect();
        assert!(cost(&format!("{overloads} void main() {{ f(s{types}); }}")).is_err());
        let backwards: String =
            (0..types).rev().map(|i| format!("float f(S{i} x) {{ return f(s{0}) + f(s{0}); }}", i + 1)).collect();
        assert!(cost(&format!("float f(S0 x); {backwards} void main() {{ f(s0); }}")).is_err());
        // As shaders do: a function for each type, which is not recursion.
        let noise = "float n(vec2 p) { return fract(sin(dot(p, p))); } float n(vec3 p) { return n(p.xy) + n(p.yz); } \
                     vec4 n(vec4 p) { return vec4(n(p.xyz), n(p.yzw), n(p.xy), 1.0); } void main() { c = n(vec4(1.0)); }";
        assert!(cost(noise).unwrap().size < 300, "{:?}", cost(noise));
        // What nothing calls costs nothing.
        assert_eq!(cost("float f(float x) { return sin(x); } void main() { x = a + b; }").unwrap().work, flat.work + 2);
    }

    #[test]
    fn loops_count_as_often_as_they_say() {
        let work = |source: &str| cost(&format!("void main() {{ {source} }}")).unwrap().work;
        let once = work("x = x + a;");
        assert!(work("for (int i = 0; i < 100; i++) x = x + a;") > 100 * once);
        assert!(work("for (int i = 0; i < 100; i++) { for (int j = 0; j < 10; j++) { x = x + a; } }") > 1000 * once);
        let size = cost("void main() { for (int i = 0; i < 100; i++) x = x + a; }").unwrap().size;
        assert!(size < 5 * once, "{size}");
        // An iteration of much counts as several.
        let heavy = "x = sin(x);".repeat(40);
        assert_eq!(
            weights(&format!("void main() {{ for (int i = 0; i < n; i++) {{ {heavy} }} while (x > 0.0) x -= 1.0; }}")),
            [13, 1]
        );
        assert_eq!(weights(&format!("void main() {{ do {{ {heavy} }} while (x > 0.0); x = 1.0; }}")), [12]);
        let called =
            format!("float f(float x) {{ {heavy} return x; }} void main() {{ while (f(x) > 0.0) x -= f(x) + f(x); }}");
        assert_eq!(weights(&called), [36]);
        // What is in an inner loop counts there.
        assert_eq!(weights(&format!("void main() {{ for (;;) for (;;) {{ {heavy} }} }}")), [1, 12]);
        assert_eq!(weights(&format!("void main() {{ for (;;) if (a) {{ }} else {{ {heavy} }} {heavy} }}")), [12]);
    }

    #[test]
    fn variables_cost_what_they_hold() {
        let structs = |levels: u32| {
            let each: String = (1..=levels).map(|i| format!("struct S{i} {{ S{} a, b, c, d; }};", i - 1)).collect();
            format!("struct S0 {{ vec4 a[4]; }}; {each}")
        };
        for (levels, is_good) in [(3, true), (13, false), (200, false)] {
            let source = structs(levels) + &format!("uniform S{levels} s; void main() {{ gl_FragColor = s.a.a[0]; }}");
            assert_eq!(cost(&source).is_ok(), is_good, "{levels}: {:?}", cost(&source));
        }
        for source in [
            "uniform float f[1 << 20]; void main() {}",
            "const int N = 1000; uniform vec4 f[N * N]; void main() {}",
            "uniform B { mat4 m[200][200]; }; void main() {}",
            "struct T { float a; float b[3]; int c; }; uniform T t[9999]; void main() {}",
            "void main() { float a[4096], b[4096]; a = b; b = a; a = b; }",
            "float a[] = float[](1.0, 2.0); void main() { float b[9000]; }",
        ] {
            assert!(cost(source).is_err(), "{source}: {:?}", cost(source));
        }
        for source in [
            "uniform mat4 bones[256]; uniform L { vec4 lights[512]; } l; void main() { float w[64]; w[i] = 1.0; }",
            "const float t[] = float[](1.0, 2.0, 3.0); void main() { x = t[i]; }",
            "struct L { vec3 p; vec3 c; float a; }; uniform L ls[64]; void main() { for (int i = 0; i < 64; i++) { L l = ls[i]; x += l.p; } }",
        ] {
            assert!(cost(source).is_ok(), "{source}: {:?}", cost(source));
        }
    }

    #[test]
    fn weighing_takes_no_longer_than_reading() {
        // Nested and chained as deep as a shader can be; each would take for ever if it were looked
        // through again and again.
        let many = |text: &str| text.repeat(10_000);
        for source in [
            format!("void main() {{ {} x; }}", many("for (;;) ")),
            format!("void main() {{ {} x; }}", many("if (a) ")),
            format!("void main() {{ {} }}", many("if (a) b; else ")),
            format!("void main() {{ {} }}", many("do ")),
            format!("void main() {{ {}", many("{ for (")),
            format!("{} void main() {{ }}", many("float f(float x) { return f(x); }")),
            format!("float f(float x); {} void main() {{ f(1.0); }}", many("float f(float x) { return f(x) + f(x); }")),
            (0..10_000).map(|i| format!("float f{i}(float x) {{ return f{}(x); }}", i + 1)).collect(),
            format!("void main() {{ float a {}; }}", many(", b")),
            format!("uniform float {} z;", many("a[2 * (3)], ")),
            format!("struct S {{ {} }};", many("float a; ")),
            many("( [ {"),
        ] {
            let mut tokens = preprocess(&source, false).tokens;
            assert!(tokens.len() >= 10_000, "{} tokens", tokens.len());
            let _ = weigh(&mut tokens, 1 << 15);
        }
    }
}
