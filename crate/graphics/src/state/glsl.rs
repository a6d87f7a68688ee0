//! Declarations of uniforms in the source of a shader, as far as their types are needed: for
//! initial values, and to know samplers.

use hashbrown::HashSet;

use super::conditions::{self, Active};

/// A uniform that a shader declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared<'a> {
    pub(super) name: &'a str,
    /// Such as `mat4` or `sampler2D`.
    pub(super) kind: &'a str,
    pub(super) is_array: bool,
    /// Elements of the array, if its size is known.
    pub(super) count: Option<u32>,
    pub(super) has_value: bool,
    /// The location that the source gives it.
    pub(super) location: Option<u32>,
    /// The unit that a sampler samples at first.
    pub(super) binding: i64,
    /// The source mentions it elsewhere, and the preprocessor keeps it: the program has it, as far
    /// as can be seen.
    pub(super) is_used: bool,
}

/// The uniforms that a source declares outside of blocks. Those in parts that the preprocessor
/// leaves out are not among them; where it is not known whether it does, they are, but not as
/// [`Declared::is_used`].
pub(super) fn uniforms(source: &str) -> Vec<Declared<'_>> {
    let active = conditions::active(source);
    let mut found = Vec::new();
    let mut uses: HashSet<&str> = HashSet::new();
    let mut layout = Layout::default();
    let mut all = active.words.iter();
    while let Some((word, is_sure)) = all.next() {
        match *word {
            "layout" => layout = Layout::read(&mut all.by_ref().map(|(word, _)| *word), &active),
            "uniform" => {
                let first = found.len();
                declaration(&mut all.by_ref().map(|(word, _)| *word), &active, layout, &mut found);
                found.iter_mut().skip(first).for_each(|it| it.is_used = *is_sure);
                layout = Layout::default();
            }
            ";" => layout = Layout::default(),
            word => {
                uses.insert(word);
            }
        }
    }
    for it in &mut found {
        it.is_used &= uses.contains(it.name) || active.is_in_macro(it.name);
    }
    found
}

/// What stands in `layout()`.
#[derive(Clone, Copy, Debug, Default)]
struct Layout {
    location: Option<i64>,
    binding: Option<i64>,
}

impl Layout {
    fn read<'a>(words: &mut impl Iterator<Item = &'a str>, active: &Active<'a>) -> Self {
        let all: Vec<&str> = words.take_while(|word| *word != ")").collect();
        let number = |name: &str| {
            let part = all.split(|word| *word == ",").find(|part| part.contains(&name))?;
            active.number(part.split(|word| *word == "=").nth(1)?)
        };
        Self { location: number("location"), binding: number("binding") }
    }
}

/// Reads a declaration up to its semicolon. A block is left out.
fn declaration<'a>(
    words: &mut impl Iterator<Item = &'a str>,
    active: &Active<'a>,
    layout: Layout,
    found: &mut Vec<Declared<'a>>,
) {
    let Some(kind) = words.find(|word| !matches!(*word, "lowp" | "mediump" | "highp")) else { return };
    let mut size: Vec<&str> = Vec::new();
    let mut of_all: Option<Vec<&str>> = None;
    let mut is_array = false;
    let mut name: Option<&str> = None;
    let mut has_value = false;
    let mut depth = 0;
    while let Some(word) = words.next() {
        match word {
            "{" if name.is_none() => return,
            "(" | "{" => depth += 1,
            ")" | "}" => depth -= 1,
            "[" if depth == 0 && !has_value => {
                let inside = words.by_ref().take_while(|word| *word != "]").collect();
                if name.is_none() {
                    of_all = Some(inside);
                } else if is_array {
                    // Arrays of arrays have names of their own.
                    size = vec!["?"];
                } else {
                    (is_array, size) = (true, inside);
                }
            }
            "=" => has_value = true,
            "," | ";" if depth <= 0 => {
                if let Some(name) = name.take() {
                    let size = if is_array { Some(&size) } else { of_all.as_ref() };
                    let count = size.and_then(|size| active.number(size)).and_then(|count| u32::try_from(count).ok());
                    let Layout { location, binding } = layout;
                    found.push(Declared {
                        name,
                        kind,
                        is_array: size.is_some(),
                        count,
                        has_value,
                        location: location.and_then(|location| u32::try_from(location).ok()),
                        binding: binding.unwrap_or(0),
                        is_used: false,
                    });
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
pub(super) struct Words<'a> {
    pub(super) rest: &'a str,
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
        let found: Vec<(&str, &str, Option<u32>, bool)> =
            uniforms(source).iter().map(|it| (it.name, it.kind, it.count, it.has_value)).collect();
        let expected = [
            ("mvp", "mat4", None, false),
            ("a", "vec4", None, false),
            ("b", "vec4", Some(3), true),
            ("c", "vec4", None, false),
            ("t", "sampler2D", None, false),
            ("f", "float", Some(2), false),
        ];
        assert_eq!(found, expected);
        assert_eq!(uniforms("uniform"), []);
        assert_eq!(uniforms("uniform vec4 x = vec4(1, 2"), []);
        assert_eq!(uniforms("layout(location = 2, binding = 1) uniform sampler2D t;")[0].location, Some(2));
    }

    #[test]
    fn uniforms_that_a_program_has() {
        let source = "#define N 2\n#define USE(x) (x + hidden)\nconst int M = 3;\n#ifdef LIGHTS\nuniform vec4 lights;\n#else\n\
            uniform vec4 dark[N * 2 + 1];\n#endif\n#if __VERSION__ > 300\nuniform float unsure;\n#endif\n\
            layout(binding = 4, location = N) uniform sampler2D t[2], u;\nuniform float unused, hidden, square[2][2];\n\
            uniform int small[M];\n#if N == 2 && !defined(LIGHTS)\nuniform int yes;\n#elif 1\nuniform int no;\n#endif\n\
            void main() { x = lights + dark[0] + unsure + t + u + USE(1) + square + small + yes + no; }";
        let found: Vec<_> = uniforms(source).iter().map(|it| (it.name, it.count, it.is_used)).collect();
        let expected = [
            ("dark", Some(5), true),
            ("unsure", None, false),
            ("t", Some(2), true),
            ("u", None, true),
            ("unused", None, false),
            ("hidden", None, true),
            ("square", None, true),
            ("small", Some(3), true),
            ("yes", None, true),
        ];
        assert_eq!(found, expected);
    }
}
