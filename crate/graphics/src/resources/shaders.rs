//! The shaders that draws use: those that were attached to the program in use when it was linked,
//! and which bindings they write.

use std::sync::Arc;

use unspool_gl::gl;
use unspool_gl::machine::cells::Value;
use unspool_gl::machine::programs::STAGES;
use unspool_gl::machine::what;

use super::{DRAWS, Resources};

/// The shaders of a program.
#[derive(Debug, Default)]
pub(super) struct Shaders {
    /// Those that were attached at the latest linking. Detaching or deleting them changes nothing.
    linked: Vec<u32>,
    sources: Vec<Arc<str>>,
    /// What they write. `None` if the trace has no sources.
    pub(super) written: Option<Written>,
}

/// Bindings that shaders write to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    images: Bindings,
    storage: Bindings,
    counters: Bindings,
}

/// Numbers of bindings, one a bit. All bits are set if the source does not say which.
type Bindings = u64;

impl Written {
    /// Whether the buffer at an index of a target is written.
    pub(super) fn has_buffer(self, target: u32, index: u32) -> bool {
        match target {
            gl::SHADER_STORAGE_BUFFER => has(self.storage, index),
            gl::ATOMIC_COUNTER_BUFFER => has(self.counters, index),
            _ => false,
        }
    }

    /// Whether the image of a unit is written.
    pub(super) fn has_image(self, unit: u32) -> bool {
        has(self.images, unit)
    }

    fn and(self, other: Self) -> Self {
        Self {
            images: self.images | other.images,
            storage: self.storage | other.storage,
            counters: self.counters | other.counters,
        }
    }

    /// What a source declares: images, storage blocks and atomic counters that are not `readonly`.
    /// Whether a declaration is left out by a condition is not looked at.
    pub(super) fn of_source(source: &str) -> Self {
        let text = without_comments(source);
        let mut all = Self::default();
        // A declaration ends with a semicolon, the head of a block with its brace.
        for declaration in text.split([';', '{', '}']) {
            let words: Vec<&str> =
                declaration.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
            let has_word = |word: &str| words.contains(&word);
            let at = words.iter().position(|word| *word == "binding");
            // Other constants than decimal ones are not computed, and arrays have several bindings.
            let number = || at.and_then(|at| words.get(at + 1)?.parse().ok()).filter(|_| !declaration.contains('['));
            // Without one, the API gives it, from 0 on.
            let or_first = || if at.is_none() { Some(0) } else { number() };
            if has_word("readonly") {
                continue;
            }
            // A layout for all blocks that follow names none.
            if has_word("buffer") && words.last() != Some(&"buffer") {
                all.storage |= bit(or_first());
            } else if has_word("atomic_uint") {
                all.counters |= bit(or_first());
            } else if has_word("uniform") && words.iter().any(|word| is_image(word)) {
                // Without a binding, `glUniform1i` says which.
                all.images |= bit(number());
            }
        }
        all
    }
}

/// Whether a word is a type of images, such as `uimage2DArray`.
fn is_image(word: &str) -> bool {
    let prefixes = ["image", "iimage", "uimage"];
    let rest = prefixes.iter().find_map(|prefix| word.strip_prefix(prefix));
    rest.is_some_and(|rest| rest.starts_with(['1', '2', '3']) || rest.starts_with("Cube") || rest == "Buffer")
}

fn bit(binding: Option<u32>) -> Bindings {
    binding.map_or(Bindings::MAX, |binding| 1_u64.checked_shl(binding).unwrap_or(Bindings::MAX))
}

fn has(bindings: Bindings, number: u32) -> bool {
    bindings == Bindings::MAX || bindings.checked_shr(number).is_some_and(|rest| rest & 1 != 0)
}

/// A source without comments and lines of the preprocessor.
fn without_comments(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find('/') {
        let (before, found) = rest.split_at(at);
        text.push_str(before);
        let end = if found.starts_with("//") {
            found.find('\n')
        } else if found.starts_with("/*") {
            found.find("*/").map(|at| at + 2)
        } else {
            text.push('/');
            Some(1)
        };
        text.push(' ');
        rest = end.and_then(|end| found.get(end..)).unwrap_or_default();
    }
    text.push_str(rest);
    text.lines().filter(|line| !line.trim_start().starts_with('#')).collect::<Vec<_>>().join("\n")
}

impl Resources {
    /// A program is linked: draws so far were those of the shaders before.
    pub(super) fn link(&mut self, program: u32) {
        let machine = &self.machine;
        let attached = match machine.value(program, what::ATTACHED, 0) {
            Value::Instances(attached) => attached.to_vec(),
            _ => Vec::new(),
        };
        let source = |stage: u32| match machine.value(program, what::STAGE_SOURCE, stage & 0xffff) {
            Value::Text(source) => Some(source.clone()),
            _ => None,
        };
        let sources: Vec<Arc<str>> = STAGES.iter().filter_map(|(stage, _)| source(*stage)).collect();
        // A program that is linked again from the same sources is not read again.
        let is_same =
            |a: &[Arc<str>]| a.len() == sources.len() && a.iter().zip(&sources).all(|(a, b)| Arc::ptr_eq(a, b));
        let written = match self.programs.get(&program).filter(|it| is_same(&it.sources)) {
            Some(before) => before.written,
            None => sources.iter().map(|source| Written::of_source(source)).reduce(Written::and),
        };
        let linked = attached.into_iter().filter_map(|shader| self.of_object(shader)).collect();
        self.programs.insert(program, Shaders { linked, sources, written });
    }

    /// Counts draws with a program for its shaders.
    pub(super) fn count_shaders(&mut self, program: u32, draws: u64) {
        let linked = self.programs.get(&program).map(|it| it.linked.clone()).unwrap_or_default();
        for shader in linked {
            self.count(shader, DRAWS, draws);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_say_which_bindings_they_write() {
        let of = Written::of_source;
        let images = of(
            "#version 450\nlayout(binding=0,rgba8)writeonly uniform image2D o;layout(binding = 1, rgba8) readonly uniform image2D i;",
        );
        assert_eq!((images.images, images.has_image(0), images.has_image(1)), (1, true, false));
        let storage =
            of("layout(std430, binding = 2) buffer Out { vec4 all[]; }; layout(binding=3) uniform atomic_uint n;");
        assert!(storage.has_buffer(gl::SHADER_STORAGE_BUFFER, 2) && !storage.has_buffer(gl::SHADER_STORAGE_BUFFER, 0));
        assert!(storage.has_buffer(gl::ATOMIC_COUNTER_BUFFER, 3) && !storage.has_image(0));
        assert!(!storage.has_buffer(gl::UNIFORM_BUFFER, 2));
        for unknown in ["layout(binding = SLOT) buffer B { int a; };", "layout(binding = 0x2) buffer B { int a; };"] {
            assert!(of(unknown).has_buffer(gl::SHADER_STORAGE_BUFFER, 7), "{unknown}");
        }
        assert!(of("layout(binding = 0) uniform image2D all[4];").has_image(3));
        assert_eq!(of("layout(std430) buffer;"), Written::default());
        // Unit 7 may be chosen by glUniform1i.
        assert!(of("uniform uimage2D u;").has_image(7));
        assert_eq!(
            of("// buffer Out {}\n/* atomic_uint */ readonly buffer In { int a; };\n#define buffer\n"),
            Written::default()
        );
        assert_eq!(of("uniform sampler2D imageOfTheDay; float buffered;"), Written::default());
    }
}
