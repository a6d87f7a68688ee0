//! Declarations of uniforms in the source of a shader, as far as their types are needed: for initial values, and to know samplers.

/// A uniform that a shader declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared<'a> {
    pub(super) name: &'a str,
    /// Such as `mat4` or `sampler2D`.
    pub(super) kind: &'a str,
    pub(super) is_array: bool,
    pub(super) has_value: bool,
}

/// The uniforms that a source declares outside of blocks. Those in parts that the preprocessor leaves out are among them.
pub(super) fn uniforms(source: &str) -> Vec<Declared<'_>> {
    let mut found = Vec::new();
    let mut words = Words { rest: source };
    while let Some(word) = words.next() {
        if word == "uniform" {
            declaration(&mut words, &mut found);
        }
    }
    found
}

/// Reads a declaration up to its semicolon. A block is left out.
fn declaration<'a>(words: &mut Words<'a>, found: &mut Vec<Declared<'a>>) {
    let Some(kind) = words.find(|word| !matches!(*word, "lowp" | "mediump" | "highp")) else { return };
    let mut is_array = false;
    let mut name: Option<&str> = None;
    let mut has_value = false;
    let mut depth = 0;
    let mut all_arrays = false;
    for word in words.by_ref() {
        match word {
            "{" if name.is_none() => return,
            "(" | "{" => depth += 1,
            ")" | "}" => depth -= 1,
            "[" if name.is_none() => all_arrays = true,
            "[" if depth == 0 && !has_value => is_array = true,
            "=" => has_value = true,
            "," | ";" if depth <= 0 => {
                if let Some(name) = name.take() {
                    found.push(Declared { name, kind, is_array: is_array || all_arrays, has_value });
                }
                (is_array, has_value) = (false, false);
                if word == ";" {
                    return;
                }
            }
            _ if name.is_none() && word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => name = Some(word),
            _ => {}
        }
    }
}

/// Words and signs of a source, without comments and directives.
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            self.rest = self.rest.trim_start();
            let end = if self.rest.starts_with("//") || self.rest.starts_with('#') {
                self.rest.find('\n').unwrap_or(self.rest.len())
            } else if self.rest.starts_with("/*") {
                self.rest.find("*/").map_or(self.rest.len(), |at| at + 2)
            } else {
                break;
            };
            self.rest = self.rest.get(end..)?;
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let first = self.rest.chars().next()?;
        let length =
            if is_word(first) { self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len()) } else { first.len_utf8() };
        let (word, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations() {
        let source = "#version 130\nuniform mat4 mvp; // uniform float no;\nuniform highp vec4 a, b[3] = vec4[3](x, y, z), c;\n\
            /* uniform int d; */ layout(binding = 1) uniform sampler2D t;\nuniform Block { vec4 inner; } block;\nuniform float[2] f;";
        let found: Vec<(&str, &str, bool, bool)> =
            uniforms(source).iter().map(|it| (it.name, it.kind, it.is_array, it.has_value)).collect();
        let expected = [
            ("mvp", "mat4", false, false),
            ("a", "vec4", false, false),
            ("b", "vec4", true, true),
            ("c", "vec4", false, false),
            ("t", "sampler2D", false, false),
            ("f", "float", true, false),
        ];
        assert_eq!(found, expected);
        assert_eq!(uniforms("uniform"), []);
        assert_eq!(uniforms("uniform vec4 x = vec4(1, 2"), []);
    }
}
