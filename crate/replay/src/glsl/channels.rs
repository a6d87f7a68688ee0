//! Channels that are exchanged when a texture is sampled (`GL_TEXTURE_SWIZZLE_RGBA`: OpenGL 4.6,
//! section 15.2.1), which WebGL2 does not do: a program that samples such textures does it itself.
//! A uniform of each sampler says what its channels are, because the same program samples other
//! textures too. The same goes for sRGB textures that are sampled without decoding them
//! (`GL_TEXTURE_SRGB_DECODE_EXT`: EXT_texture_sRGB_decode): what WebGL2 decoded is encoded again.
//! That is exact where one texel is sampled, and close where several are mixed.

use core::fmt::Write;

use hashbrown::HashSet;
use unspool_trace::sort;

use super::Translated;

/// What a sampler's uniform is called, less the name of the sampler.
pub(crate) const UNIFORM: &str = "_sw_";

/// Functions of the translation that sample, less `_gather`, which takes one channel of four
/// texels.
const SAMPLING: [&str; 4] = ["texture", "_tex", "texelFetch", "_fetch"];
/// Those that only ask for a size.
const ASKING: [&str; 4] = ["textureSize", "_size1D", "_sizeRect", "_sizeBuffer"];

/// Added to the first channel of an sRGB texture that is not decoded.
pub(crate) const ENCODED: u32 = 8;

/// For each kind of result. A channel is the number of one of the texture's, 4 for 0 and 5 for 1.
/// The curve is that of OpenGL 4.6, section 17.3.7.
const FUNCTIONS: &str = "\
    float _sc(vec4 v, int i) { return i < 4 ? v[i] : float(i - 4); }\n\
    int _sc(ivec4 v, int i) { return i < 4 ? v[i] : i - 4; }\n\
    uint _sc(uvec4 v, int i) { return i < 4 ? v[i] : uint(i - 4); }\n\
    float _sw(float v, ivec4 s) { return s.x < 4 ? v : float(s.x - 4); }\n\
    vec4 _sw(vec4 v, ivec4 s) { if (s.x > 7) { s.x -= 8; v.rgb = mix(12.92 * v.rgb, 1.055 * pow(v.rgb, vec3(1.0 / 2.4)) - 0.055, \
    vec3(greaterThan(v.rgb, vec3(0.0031308)))); }\n\
    return vec4(_sc(v, s.x), _sc(v, s.y), _sc(v, s.z), _sc(v, s.w)); }\n\
    ivec4 _sw(ivec4 v, ivec4 s) { return ivec4(_sc(v, s.x), _sc(v, s.y), _sc(v, s.z), _sc(v, s.w)); }\n\
    uvec4 _sw(uvec4 v, ivec4 s) { return uvec4(_sc(v, s.x), _sc(v, s.y), _sc(v, s.z), _sc(v, s.w)); }\n";

/// A program that exchanges the channels of what it samples. Its `exchanges` are the samplers for
/// which it does so: one that is handed to a function of the shader is not among them.
pub(crate) fn exchanging(made: &Translated) -> Translated {
    let samplers: HashSet<&str> =
        made.uniforms.iter().filter(|it| it.type_name.contains("sampler")).map(|it| it.shown.as_str()).collect();
    let mut other = samplers.clone();
    let found = [&made.vertex, &made.fragment].map(|text| (text, lookups(text, &samplers, &mut other)));
    // Only then, because each place may use a sampler otherwise.
    let mut texts = found.map(|(text, found)| edited(text, found, &other));
    let mut declared = String::new();
    for uniform in made.uniforms.iter().filter(|it| other.contains(it.shown.as_str())) {
        let array = if uniform.elements > 0 { format!("[{}]", uniform.elements) } else { String::new() };
        let _ = writeln!(declared, "uniform ivec4 {UNIFORM}{}{array};", uniform.shown);
    }
    let exchanges = made.uniforms.iter().map(|it| &it.shown).filter(|shown| other.contains(shown.as_str()));
    let exchanges = Some(exchanges.cloned().collect());
    // After the version and the precisions.
    for text in &mut texts {
        let at = text.rfind("\nprecision ").map_or(0, |at| at + 1);
        let at = text.get(at..).and_then(|rest| rest.find('\n')).map_or(0, |end| at + end + 1);
        text.insert_str(at, &format!("{FUNCTIONS}{declared}"));
    }
    let [vertex, fragment] = texts;
    Translated { vertex, fragment, exchanges, ..made.clone() }
}

/// A call that samples.
struct Lookup<'a> {
    start: usize,
    end: usize,
    name: &'a str,
    /// `[element]` of an array of samplers.
    index: &'a str,
}

/// The lookups of a shader. Samplers that it uses otherwise leave `exchanged`.
fn lookups<'a>(text: &'a str, samplers: &HashSet<&str>, exchanged: &mut HashSet<&str>) -> Vec<Lookup<'a>> {
    let words = words(text);
    let (mut found, mut depth, mut end_of_last) = (Vec::new(), 0usize, 0);
    // Parameters of the function whose declaration this is.
    let mut hidden: HashSet<&str> = HashSet::new();
    for (i, (at, word)) in words.iter().enumerate() {
        let between = text.get(end_of_last..*at).unwrap_or_default();
        end_of_last = at + word.len();
        for c in between.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if matches!(c, '}' | ';') && depth == 0 {
                hidden.clear();
            }
        }
        if !samplers.contains(word) || hidden.contains(word) || between.trim_end().ends_with('.') {
            continue;
        }
        let before = i.checked_sub(1).and_then(|i| words.get(i)).copied();
        // Its declaration is `uniform sampler2D name`.
        let is_declared = i.checked_sub(2).and_then(|i| words.get(i)).is_some_and(|(_, word)| *word == "uniform")
            && before.is_some_and(|(_, word)| word.contains("sampler"));
        let called = before.filter(|_| between.trim() == "(");
        match called {
            _ if is_declared => {}
            None if depth == 0 && before.is_some() && between.trim().is_empty() => _ = hidden.insert(word),
            Some((_, asks)) if ASKING.contains(&asks) => {}
            Some((start, lookup)) if SAMPLING.iter().any(|begin| lookup.starts_with(begin)) => {
                let open = start + lookup.len();
                let rest = text.get(at + word.len()..).unwrap_or_default();
                let element = rest.trim_start().starts_with('[').then(|| closing(rest, 0)).flatten();
                let index = element.and_then(|end| rest.get(..end)).unwrap_or_default();
                match closing(text, open) {
                    Some(end) => found.push(Lookup { start, end, name: word, index }),
                    None => exchanged.retain(|name| name != word),
                }
            }
            _ => exchanged.retain(|name| name != word),
        }
    }
    found
}

/// A shader whose lookups are exchanged.
fn edited(text: &str, found: Vec<Lookup<'_>>, exchanged: &HashSet<&str>) -> String {
    let mut inserted: Vec<(usize, String)> = Vec::new();
    for Lookup { start, end, name, index } in found.into_iter().filter(|it| exchanged.contains(it.name)) {
        inserted.push((start, "_sw(".into()));
        inserted.push((end, format!(", {UNIFORM}{name}{index})")));
    }
    let order = sort::order(inserted.len(), &[&|i| inserted.get(i).map_or(0, |(at, _)| *at as u64)]);
    let mut out = String::with_capacity(text.len() + 1024);
    let mut done = 0;
    for (at, what) in sort::in_order(inserted, &order) {
        out.push_str(text.get(done..at).unwrap_or_default());
        out.push_str(&what);
        done = at;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// Names and numbers with where they begin.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut all = Vec::new();
    let mut start = None;
    let is_of_word = |c: char| c == '_' || c.is_ascii_alphanumeric();
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match start {
            None if is_of_word(c) => start = Some(at),
            Some(from) if !is_of_word(c) => {
                all.extend(text.get(from..at).map(|word| (from, word)));
                start = None;
            }
            _ => {}
        }
    }
    all
}

/// Where the first bracket at or after `from` is closed, after it.
fn closing(text: &str, from: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.get(from..)?.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(from + at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glsl::{Translations, translations::Sources};
    use hashbrown::HashMap;

    fn exchanged(fragment: &str) -> Translated {
        let translations = Translations::new(1 << 15);
        let sources: Sources =
            ["void main() { gl_Position = vec4(0.0); }", fragment].map(|text| translations.source(&text.into()));
        let none = HashMap::new();
        exchanging(&translations.link(&sources, false, &none, &none).unwrap())
    }

    #[test]
    fn lookups_are_exchanged_also_within_one_another() {
        let made = exchanged(
            "uniform sampler2D a; uniform sampler2D b[2]; uniform sampler2DRect c; vec2 p;\n\
             void main() { gl_FragColor = texture2D(a, texture2D(b[1], p).xy) + texture2DRect(c, vec2(textureSize(c))); }",
        );
        let main = made.fragment.split_once("void _main()").unwrap().1.replace([' ', '\n'], "");
        assert!(main.contains("_sw(texture(a,_sw(texture(b[1],p),_sw_b[1]).xy),_sw_a)"), "{main}");
        assert!(main.contains("_sw(_texRect(c,vec2(_sizeRect(c))),_sw_c)"), "{main}");
        assert!(made.fragment.contains("uniform ivec4 _sw_b[2];\n"), "{}", made.fragment);
        assert_eq!(made.exchanges.unwrap().len(), 3);
    }

    #[test]
    fn what_a_function_is_given_is_not_exchanged() {
        let made = exchanged(
            "uniform sampler2D a; uniform sampler2D b; vec4 of(sampler2D s) { return texture2D(s, vec2(0.0)); }\n\
             void main() { gl_FragColor = of(a) + texture2D(a, vec2(0.0)) + texture2D(b, vec2(0.0)); }",
        );
        assert_eq!(made.exchanges.unwrap().into_iter().collect::<Vec<_>>(), ["b"]);
        assert!(!made.fragment.contains("_sw_a"), "{}", made.fragment);
    }
}
