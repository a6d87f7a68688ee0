//! The preprocessor of GLSL: comments, macros and conditions, so that the translation sees only what is compiled.
//!
//! It has to be ours: a shader that asks for `GL_ES` or `__VERSION__` must hear the answer of the machine that was traced.

use hashbrown::HashMap;

use super::tokens::{Token, TokenKind, tokens_of_line};

/// Limit for the tokens of a shader once macros are expanded.
const MAX_TOKENS: usize = 1 << 18;
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
    /// Why it ends early, or what is wrong with it.
    pub(crate) error: Option<String>,
}

#[derive(Clone, Debug)]
struct Macro {
    /// `None` for a macro without parentheses.
    params: Option<Vec<String>>,
    body: Vec<Token>,
}

struct State {
    macros: HashMap<String, Macro>,
    out: Vec<Token>,
    version: u32,
    es: bool,
    error: Option<String>,
    /// Expansions so far: a macro bomb ends at the limit.
    work: usize,
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
        version: if es { 100 } else { 110 },
        es,
        error: None,
        work: 0,
    };
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
        }
    }
    state.flush(&mut pending);
    let State { out, version, es, error, .. } = state;
    Preprocessed { tokens: out, version, es, error }
}

/// Without comments and continued lines, and with the same numbers of lines as far as comments are concerned.
fn clean(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut chars = source.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'\n') => {
                chars.next();
            }
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    out.push('\n');
                }
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

impl State {
    fn flush(&mut self, pending: &mut Vec<Token>) {
        let tokens = core::mem::take(pending);
        if !tokens.is_empty() {
            let expanded = self.expand(tokens, 0);
            self.out.extend(expanded);
            if self.out.len() > MAX_TOKENS {
                self.error.get_or_insert_with(|| "the shader is too long once its macros are expanded".into());
            }
        }
    }

    fn directive(&mut self, text: &str, line: u32, is_active: bool, conditions: &mut Vec<Condition>) {
        let tokens = tokens_of_line(text, line);
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
            // Extensions that exist here need no directive, and others would fail.
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
        self.macros.insert(name.text.clone(), Macro { params, body: body.to_vec() });
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
            | "GL_ARB_shader_texture_lod"
            | "GL_ARB_texture_rectangle"
            | "GL_ARB_shading_language_420pack"
                if !self.es =>
            {
                Some(1)
            }
            "GL_OES_standard_derivatives" | "GL_EXT_shader_texture_lod" | "GL_OES_texture_3D" if self.es => Some(1),
            _ => None,
        }
    }

    /// Replaces macros. A token that came from its own macro is not replaced again.
    fn expand(&mut self, tokens: Vec<Token>, depth: usize) -> Vec<Token> {
        let mut out = Vec::with_capacity(tokens.len());
        let mut i = 0;
        while let Some(token) = tokens.get(i) {
            i += 1;
            self.work += 1;
            if self.error.is_some() || self.work > 8 * MAX_TOKENS || depth > MAX_DEPTH {
                self.error = Some("the macros of the shader expand to too much".into());
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
                    let Some((arguments, next)) = arguments(&tokens, i) else {
                        out.push(token.clone());
                        continue;
                    };
                    i = next;
                    let expanded: Vec<Vec<Token>> =
                        arguments.iter().map(|argument| self.expand(argument.clone(), depth + 1)).collect();
                    let mut body = Vec::new();
                    for part in &found.body {
                        match params.iter().position(|param| *param == part.text) {
                            Some(at) => body.extend(expanded.get(at).cloned().unwrap_or_default()),
                            None => body.push(part.clone()),
                        }
                        if body.len() > MAX_TOKENS {
                            self.error = Some("the macros of the shader expand to too much".into());
                            return out;
                        }
                    }
                    body
                }
            };
            let mut body = pasted(body);
            for part in &mut body {
                part.line = token.line;
                part.is_final |= part.text == token.text;
            }
            out.extend(self.expand(body, depth + 1));
            if out.len() > MAX_TOKENS {
                self.error = Some("the macros of the shader expand to too much".into());
                return out;
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

/// The arguments of a macro call whose parenthesis is at `at`, and what comes after it.
fn arguments(tokens: &[Token], at: usize) -> Option<(Vec<Vec<Token>>, usize)> {
    if tokens.get(at)?.text != "(" {
        return None;
    }
    let mut all = vec![Vec::new()];
    let mut depth = 0u32;
    for (i, token) in tokens.iter().enumerate().skip(at + 1) {
        match token.text.as_str() {
            ")" if depth == 0 => return Some((all, i + 1)),
            "," if depth == 0 => {
                all.push(Vec::new());
                continue;
            }
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        all.last_mut()?.push(token.clone());
    }
    None
}

/// Joins tokens around `##`.
fn pasted(tokens: Vec<Token>) -> Vec<Token> {
    if !tokens.iter().any(|token| token.text == "##") {
        return tokens;
    }
    let mut out: Vec<Token> = Vec::new();
    let mut joins = false;
    for token in tokens {
        if token.text == "##" {
            joins = true;
        } else if core::mem::take(&mut joins)
            && let Some(last) = out.last_mut()
        {
            last.text.push_str(&token.text);
        } else {
            out.push(token);
        }
    }
    out
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
    fn macros_have_arguments_and_do_not_replace_themselves() {
        let source = "#define F(a, b) (a + b) /* two\nlines */\n#define G F(1,\n#define x x + 1\n#define J(a) v_##a\nF(F(1, 2), x) J(t) F";
        assert_eq!(text(source), "( ( 1 + 2 ) + x + 1 ) v_t F");
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
