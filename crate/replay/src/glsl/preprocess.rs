//! The preprocessor of GLSL: comments, macros and conditions, so that the translation sees only
//! what is compiled.
//!
//! It has to be ours: a shader that asks for `GL_ES` or `__VERSION__` must hear the answer of the
//! machine that was traced.
//!
//! A few lines of macros can stand for more text than there is memory, or take for ever to be
//! expanded into nothing. So every step counts, and there is a limit for all of them.

use std::borrow::Cow;
use std::rc::Rc;

use hashbrown::HashMap;

use super::tokens::{Token, TokenKind, tokens_of_line};

/// Limit for the bytes of a shader.
const MAX_SOURCE: usize = 1 << 20;
/// Limits for a shader once macros are expanded: tokens, and bytes of their texts.
const MAX_TOKENS: usize = 1 << 18;
const MAX_TEXT: usize = 4 << 20;
/// Limit for the bytes of a token: that for names in GLSL ES 3.00 (3.9).
const MAX_NAME: usize = 1024;
/// Limit for the steps: tokens that were looked at or copied. One of a long text is several.
const MAX_STEPS: usize = 1 << 23;
/// Limit for nested conditions and nested expansions.
const MAX_DEPTH: usize = 64;

/// What the preprocessor makes of a shader.
#[derive(Debug, Default)]
pub(crate) struct Preprocessed {
    pub(crate) tokens: Vec<Token>,
    /// As in `#version 330`: 110 without one, 100 for OpenGL ES.
    pub(crate) version: u32,
    /// It is a shader of OpenGL ES.
    pub(crate) es: bool,
    /// It enables `GL_ARB_gpu_shader5`: signed numbers become unsigned, as from 4.00 on.
    pub(crate) gpu_shader5: bool,
    /// Why it ends early, or what is wrong with it.
    pub(crate) error: Option<String>,
    /// Steps that it took.
    pub(crate) steps: usize,
}

const TOO_MUCH: &str = "the macros of the shader expand to too much";
const TOO_LONG: &str = "the shader is too long once its macros are expanded";

#[derive(Clone, Debug)]
struct Macro {
    /// `None` for a macro without parentheses.
    params: Option<Vec<String>>,
    body: Vec<Token>,
}

struct State {
    macros: HashMap<String, Rc<Macro>>,
    out: Vec<Token>,
    /// Bytes of its texts.
    text: usize,
    version: u32,
    es: bool,
    gpu_shader5: bool,
    error: Option<String>,
    steps: usize,
}

/// A condition that is open: whether this branch is taken, and whether one has been.
struct Condition {
    active: bool,
    taken: bool,
    /// The text around it is compiled.
    outer: bool,
}

/// Preprocesses a shader. `es` says what the context is, for a shader without `#version`.
pub(crate) fn preprocess(source: &str, es: bool) -> Preprocessed {
    let mut state = State {
        macros: HashMap::new(),
        out: Vec::new(),
        text: 0,
        version: if es { 100 } else { 110 },
        es,
        gpu_shader5: false,
        error: None,
        steps: 0,
    };
    if source.len() > MAX_SOURCE {
        state.error = Some(format!("the shader has more than {} KiB", MAX_SOURCE >> 10));
        return state.finish();
    }
    let mut conditions: Vec<Condition> = Vec::new();
    let mut pending: Vec<Token> = Vec::new();
    for (number, line) in (1u32..).zip(clean(source).split('\n')) {
        if state.error.is_some() {
            break;
        }
        let trimmed = line.trim_start();
        let is_active = conditions.last().is_none_or(|c| c.active && c.outer);
        if let Some(directive) = trimmed.strip_prefix('#') {
            state.flush(&mut pending);
            state.directive(directive, number, is_active, &mut conditions);
        } else if is_active {
            // A call of a macro may extend over lines.
            pending.extend(tokens_of_line(line, number));
            if pending.len() > MAX_TOKENS {
                state.error = Some(TOO_LONG.into());
            }
        }
    }
    state.flush(&mut pending);
    state.finish()
}

/// Without comments and continued lines, and with the same numbers of lines as far as comments are
/// concerned.
fn clean(source: &str) -> String {
    // A line ends with LF, CR, or both.
    let source = match source.contains('\r') {
        true => Cow::Owned(source.replace("\r\n", "\n").replace('\r', "\n")),
        false => Cow::Borrowed(source),
    };
    let mut out = String::with_capacity(source.len());
    let mut chars = source.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'\n') => {
                chars.next();
            }
            '/' if chars.peek() == Some(&'/') => {
                while chars.peek().is_some_and(|c| *c != '\n') {
                    chars.next();
                }
            }
            '/' if chars.peek() == Some(&'*') => {
                chars.next();
                out.push(' ');
                let mut last = ' ';
                for c in chars.by_ref() {
                    if c == '\n' {
                        out.push('\n');
                    }
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            '\0' => break,
            // WebGL takes ASCII only.
            c if !c.is_ascii() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// The steps that a token takes which is copied.
fn steps_of(token: &Token) -> usize {
    1 + token.text.len() / 16
}

impl State {
    fn finish(self) -> Preprocessed {
        let Self { out, version, es, gpu_shader5, error, steps, .. } = self;
        Preprocessed { tokens: out, version, es, gpu_shader5, error, steps }
    }

    /// Takes steps. Returns false if there are no more.
    fn takes(&mut self, steps: usize) -> bool {
        self.steps += steps;
        if self.steps > MAX_STEPS {
            self.error.get_or_insert_with(|| TOO_MUCH.into());
        }
        self.error.is_none()
    }

    fn flush(&mut self, pending: &mut Vec<Token>) {
        let tokens = core::mem::take(pending);
        if self.error.is_none() && !tokens.is_empty() {
            let expanded = self.expand(tokens, 0);
            self.text += expanded.iter().map(|token| token.text.len()).sum::<usize>();
            if let Some(long) = expanded.iter().find(|token| token.text.len() > MAX_NAME) {
                let line = long.line;
                self.error.get_or_insert_with(|| format!("line {line}: a name has more than {MAX_NAME} characters"));
            }
            self.out.extend(expanded);
            if self.out.len() > MAX_TOKENS || self.text > MAX_TEXT {
                self.error.get_or_insert_with(|| TOO_LONG.into());
            }
        }
    }

    fn directive(&mut self, text: &str, line: u32, is_active: bool, conditions: &mut Vec<Condition>) {
        let tokens = tokens_of_line(text, line);
        self.takes(tokens.len());
        let Some(first) = tokens.first() else { return };
        let rest = tokens.get(1..).unwrap_or_default();
        let name = rest.first().map(|token| token.text.as_str()).unwrap_or_default();
        match first.text.as_str() {
            "if" | "ifdef" | "ifndef" => {
                let holds = is_active
                    && match first.text.as_str() {
                        "ifdef" => self.is_defined(name),
                        "ifndef" => !self.is_defined(name),
                        _ => self.condition(rest),
                    };
                if conditions.len() >= MAX_DEPTH {
                    self.error = Some(format!("line {line}: conditions are nested too deeply"));
                    return;
                }
                conditions.push(Condition { active: holds, taken: holds, outer: is_active });
            }
            "elif" => {
                if let Some(last) = conditions.last() {
                    let holds = last.outer && !last.taken && self.condition(rest);
                    if let Some(last) = conditions.last_mut() {
                        last.active = holds;
                        last.taken |= holds;
                    }
                }
            }
            "else" => {
                if let Some(last) = conditions.last_mut() {
                    last.active = !last.taken;
                    last.taken = true;
                }
            }
            "endif" => {
                conditions.pop();
            }
            _ if !is_active => {}
            "version" => {
                self.version = name.parse().unwrap_or(self.version);
                let profile = rest.get(1).map(|token| token.text.as_str()).unwrap_or_default();
                self.es = profile == "es" || self.version == 100;
            }
            "define" => self.define(rest),
            "undef" => {
                self.macros.remove(name);
            }
            "error" => {
                let text: Vec<&str> = rest.iter().map(|token| token.text.as_str()).collect();
                self.error = Some(format!("line {line}: #error {}", text.join(" ")));
            }
            "extension" if matches!(name, "GL_ARB_gpu_shader5" | "GL_EXT_shader_implicit_conversions") => {
                self.gpu_shader5 = rest.get(2).is_none_or(|behavior| !behavior.is("disable"));
            }
            // Others that exist here need no directive, and would fail where they do not exist.
            _ => {}
        }
    }

    fn define(&mut self, rest: &[Token]) {
        let Some(name) = rest.first() else { return };
        let mut body = rest.get(1..).unwrap_or_default();
        let mut params = None;
        if let [open, after @ ..] = body
            && open.text == "("
            && !open.space
        {
            let close = after.iter().position(|token| token.text == ")").unwrap_or(after.len());
            let (names, after) = after.split_at(close);
            params = Some(names.iter().filter(|t| t.text != ",").map(|t| t.text.clone()).collect());
            body = after.get(1..).unwrap_or_default();
        }
        self.macros.insert(name.text.clone(), Rc::new(Macro { params, body: body.to_vec() }));
    }

    fn is_defined(&self, name: &str) -> bool {
        self.macros.contains_key(name) || self.builtin(name, 0).is_some()
    }

    /// The value of a macro that the language defines.
    fn builtin(&self, name: &str, line: u32) -> Option<u32> {
        match name {
            "__LINE__" => Some(line),
            "__FILE__" => Some(0),
            "__VERSION__" => Some(self.version),
            "GL_ES" if self.es => Some(1),
            "GL_FRAGMENT_PRECISION_HIGH" if self.es => Some(1),
            "GL_core_profile" if !self.es && self.version >= 150 => Some(1),
            // What a shader does only with an extension that WebGL2 has without one.
            "GL_ARB_explicit_attrib_location"
            | "GL_ARB_uniform_buffer_object"
            | "GL_EXT_gpu_shader4"
            | "GL_ARB_texture_buffer_object"
            | "GL_ARB_shader_texture_lod"
            | "GL_ARB_texture_rectangle"
            | "GL_ARB_shading_language_420pack"
                if !self.es =>
            {
                Some(1)
            }
            "GL_EXT_texture_buffer"
            | "GL_OES_texture_buffer"
            | "GL_OES_standard_derivatives"
            | "GL_EXT_shader_texture_lod"
            | "GL_OES_texture_3D"
                if self.es =>
            {
                Some(1)
            }
            _ => None,
        }
    }

    /// Replaces macros. A token that came from its own macro is not replaced again.
    fn expand(&mut self, tokens: Vec<Token>, depth: usize) -> Vec<Token> {
        let mut out = Vec::with_capacity(tokens.len());
        let mut i = 0;
        while let Some(token) = tokens.get(i) {
            i += 1;
            if depth > MAX_DEPTH {
                self.error.get_or_insert_with(|| TOO_MUCH.into());
            }
            if !self.takes(steps_of(token)) {
                return out;
            }
            if token.kind != TokenKind::Name || token.is_final {
                out.push(token.clone());
                continue;
            }
            if let Some(value) = self.builtin(&token.text, token.line)
                && !self.macros.contains_key(&token.text)
            {
                out.push(Token::new(TokenKind::Number, value.to_string(), token.line));
                continue;
            }
            let Some(found) = self.macros.get(&token.text).cloned() else {
                out.push(token.clone());
                continue;
            };
            let body = match &found.params {
                None => found.body.clone(),
                Some(params) => {
                    let Some((arguments, next)) = self.arguments(&tokens, i) else {
                        out.push(token.clone());
                        continue;
                    };
                    i = next;
                    self.substituted(&found.body, params, arguments, depth)
                }
            };
            if !self.takes(body.iter().map(steps_of).sum()) {
                return out;
            }
            let mut body = self.pasted(body);
            for part in &mut body {
                part.line = token.line;
                part.is_final |= part.text == token.text;
            }
            out.extend(self.expand(body, depth + 1));
            if out.len() > MAX_TOKENS {
                self.error.get_or_insert_with(|| TOO_MUCH.into());
            }
        }
        out
    }

    /// The body of a macro with its arguments: as they are beside `##`, else expanded.
    fn substituted(
        &mut self,
        body: &[Token],
        params: &[String],
        arguments: Vec<Vec<Token>>,
        depth: usize,
    ) -> Vec<Token> {
        let expanded: Vec<Vec<Token>> =
            arguments.iter().map(|argument| self.expand(argument.clone(), depth + 1)).collect();
        let is_pasted = |at: Option<usize>| at.and_then(|at| body.get(at)).is_some_and(|token| token.is("##"));
        let mut out: Vec<Token> = Vec::new();
        for (i, part) in body.iter().enumerate() {
            let of = if is_pasted(Some(i + 1)) || is_pasted(i.checked_sub(1)) { &arguments } else { &expanded };
            match params.iter().position(|param| *param == part.text) {
                Some(at) => {
                    let argument = of.get(at).map(Vec::as_slice).unwrap_or_default();
                    if !self.takes(argument.iter().map(steps_of).sum()) {
                        return out;
                    }
                    out.extend_from_slice(argument);
                }
                None => out.push(part.clone()),
            }
        }
        self.takes(body.len() * params.len().max(1));
        out
    }

    /// The arguments of a macro call whose parenthesis is at `at`, and what comes after it. `None`
    /// if it has none.
    fn arguments(&mut self, tokens: &[Token], at: usize) -> Option<(Vec<Vec<Token>>, usize)> {
        if !tokens.get(at)?.is("(") {
            return None;
        }
        let mut depth = 0u32;
        let mut end = at + 1;
        let mut commas = vec![at];
        loop {
            match tokens.get(end).map(|token| token.text.as_str()) {
                // Without an end it is not a call, and each of many would be looked through.
                None => {
                    self.takes(end - at);
                    return None;
                }
                Some(")") if depth == 0 => break,
                Some(",") if depth == 0 => commas.push(end),
                Some("(") => depth += 1,
                Some(")") => depth -= 1,
                Some(_) => {}
            }
            end += 1;
        }
        self.takes(end - at);
        commas.push(end);
        let part = |pair: &[usize]| match *pair {
            [from, to] => tokens.get(from + 1..to).unwrap_or_default().to_vec(),
            _ => Vec::new(),
        };
        Some((commas.windows(2).map(part).collect(), end + 1))
    }

    /// Joins tokens around `##`.
    fn pasted(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        if !tokens.iter().any(|token| token.is("##")) {
            return tokens;
        }
        let mut out: Vec<Token> = Vec::new();
        let mut joins = false;
        for token in tokens {
            if token.is("##") {
                joins = true;
            } else if core::mem::take(&mut joins)
                && let Some(last) = out.last_mut()
            {
                if last.text.len() + token.text.len() > MAX_NAME {
                    self.error.get_or_insert_with(|| TOO_MUCH.into());
                    return out;
                }
                last.text.push_str(&token.text);
            } else {
                out.push(token);
            }
        }
        out
    }

    /// The value of `#if`.
    fn condition(&mut self, tokens: &[Token]) -> bool {
        let mut replaced = Vec::new();
        let mut rest = tokens.iter().peekable();
        while let Some(token) = rest.next() {
            if token.text != "defined" {
                replaced.push(token.clone());
                continue;
            }
            let is_nested = rest.next_if(|t| t.text == "(").is_some();
            let name = rest.next().map(|t| t.text.clone()).unwrap_or_default();
            if is_nested {
                rest.next();
            }
            replaced.push(Token::new(TokenKind::Number, u32::from(self.is_defined(&name)).to_string(), token.line));
        }
        let expanded = self.expand(replaced, 0);
        let mut reader = Expression { tokens: &expanded, at: 0, depth: 0 };
        reader.binary(0) != 0
    }
}

/// Evaluates the expression of `#if`.
struct Expression<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl Expression<'_> {
    fn next(&mut self) -> &str {
        self.at += 1;
        self.tokens.get(self.at - 1).map(|token| token.text.as_str()).unwrap_or_default()
    }

    fn unary(&mut self) -> i64 {
        self.depth += 1;
        if self.depth > 4 * MAX_DEPTH {
            self.at = self.tokens.len();
            return 0;
        }
        let value = match self.next() {
            "!" => i64::from(self.unary() == 0),
            "-" => self.unary().wrapping_neg(),
            "+" => self.unary(),
            "~" => !self.unary(),
            "(" => {
                let value = self.binary(0);
                self.at += 1;
                value
            }
            number => {
                let digits = number.trim_end_matches(['u', 'U']);
                match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
                    Some(hex) => i64::from_str_radix(hex, 16).unwrap_or(0),
                    // A name that is not defined is 0.
                    None => digits.parse().unwrap_or(0),
                }
            }
        };
        self.depth -= 1;
        value
    }

    fn binary(&mut self, least: u32) -> i64 {
        let mut left = self.unary();
        loop {
            let operator = self.tokens.get(self.at).map(|token| token.text.as_str()).unwrap_or_default();
            let rank = match operator {
                "||" => 1,
                "&&" => 2,
                "|" => 3,
                "^" => 4,
                "&" => 5,
                "==" | "!=" => 6,
                "<" | ">" | "<=" | ">=" => 7,
                "<<" | ">>" => 8,
                "+" | "-" => 9,
                "*" | "/" | "%" => 10,
                _ => return left,
            };
            if rank < least + 1 {
                return left;
            }
            let operator = operator.to_owned();
            self.at += 1;
            let right = self.binary(rank);
            left = match operator.as_str() {
                "||" => i64::from(left != 0 || right != 0),
                "&&" => i64::from(left != 0 && right != 0),
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "==" => i64::from(left == right),
                "!=" => i64::from(left != right),
                "<" => i64::from(left < right),
                ">" => i64::from(left > right),
                "<=" => i64::from(left <= right),
                ">=" => i64::from(left >= right),
                "<<" => left.checked_shl(right as u32).unwrap_or(0),
                ">>" => left.checked_shr(right as u32).unwrap_or(0),
                "+" => left.wrapping_add(right),
                "-" => left.wrapping_sub(right),
                "*" => left.wrapping_mul(right),
                "/" => left.checked_div(right).unwrap_or(0),
                _ => left.checked_rem(right).unwrap_or(0),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &str) -> String {
        let all = preprocess(source, false);
        assert_eq!(all.error, None);
        all.tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn conditions_are_those_of_the_traced_machine() {
        let source = "#version 130\n#if defined(GL_ES) || __VERSION__ < 130\nno\n#elif 1+2*3 == 7 && !defined X\nyes\n#else\nno\n#endif";
        assert_eq!(text(source), "yes");
        assert_eq!(text("#ifdef A\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif"), "c");
    }

    #[test]
    fn lines_end_with_one_of_several_characters_or_two() {
        let lines = "#define F(a) \\\n a // b\nF(1)\n/* c\n d */ e";
        for end in ["\n", "\r\n", "\r"] {
            assert_eq!(text(&lines.replace('\n', end)), "1 e", "{end:?}");
        }
    }

    #[test]
    fn macros_have_arguments_and_do_not_replace_themselves() {
        let source = "#define F(a, b) (a + b) /* two\nlines */\n#define G F(1,\n#define x x + 1\n#define J(a) v_##a\nF(F(1, 2), x) J(t) F";
        assert_eq!(text(source), "( ( 1 + 2 ) + x + 1 ) v_t F");
    }

    #[test]
    fn arguments_beside_the_paste_operator_are_not_expanded() {
        let source = "#define x y\n#define P(a, b) a##b a\n#define Q(a) P(a, z)\nP(x, 1) Q(x)";
        assert_eq!(text(source), "x1 y yz y");
    }

    #[test]
    fn shaders_that_expand_without_end_are_refused() {
        let doubled = |first: &str, each: &dyn Fn(usize) -> String, last: usize| {
            let lines: String = (1..=last).map(|i| format!("#define A{i} {}\n", each(i - 1))).collect();
            format!("#define P(a, b) a##b\n#define D(a) a a\n#define E(a)\n#define A0 {first}\n{lines}A{last}")
        };
        let deep = |open: &str, close: &str, count: usize| open.repeat(count) + "x" + &close.repeat(count);
        let hostile = [
            // More tokens, by macros with and without arguments; none in the end.
            doubled("x", &|i| format!("A{i} A{i}"), 40),
            doubled("x", &|i| format!("D(A{i})"), 40),
            doubled("x", &|i| format!("E(A{i} A{i})"), 40),
            // One token of a text without end.
            "#define J(a, b) a##b\n#define K(a) J(a, a)\n".to_owned() + &deep("K(", ")", 40),
            doubled(&"x".repeat(900), &|i| format!("P(A{i}, A{i})"), 40),
            // Macros that call each other.
            "#define A B B\n#define B A A\nA".to_owned(),
            // Calls without an end, each looked through; and nested ones.
            "#define F(a) a\n".to_owned() + &"F ( ".repeat(60_000),
            "#define F(a) a\n".to_owned() + &deep("F(", ")", 30_000),
            // Many conditions, each of many tokens.
            "#define X ".to_owned() + &"1+".repeat(9000) + "1\n" + &"#if X\n#endif\n".repeat(9000),
            // A long name many times over.
            format!("#define L {}\n{}", "y".repeat(60_000), "L ".repeat(60_000)),
            "x".repeat(2 << 20),
            "+".repeat(1 << 20),
        ];
        for source in &hostile {
            let made = preprocess(source, false);
            let about = source.chars().take(60).collect::<String>();
            assert!(made.error.is_some(), "{about}");
            assert!(made.tokens.len() <= 2 * MAX_TOKENS, "{about}");
            assert!(made.steps <= 2 * MAX_STEPS, "{about}: {} steps", made.steps);
        }
        // These are just large.
        for source in [deep("(", ")", 50_000), "#define F(a) a\n".to_owned() + &"F(1) ".repeat(30_000)] {
            assert_eq!(preprocess(&source, false).error, None);
        }
    }

    #[test]
    fn a_macro_bomb_ends() {
        let mut source = String::from("#define A0 a a a a a a a a\n");
        for i in 1..40 {
            source += &format!("#define A{i} A{0} A{0} A{0} A{0}\n", i - 1);
        }
        let all = preprocess(&(source + "A39"), false);
        assert!(all.error.is_some_and(|error| error.contains("too much")));
    }
}
