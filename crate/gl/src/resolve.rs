//! Functions of a trace, each resolved once by its name: what it does, in which form, and what it
//! names.
//!
//! ```text
//! glColor4ubv               Color              four unsigned bytes in an array
//! glUseProgramObjectARB     UseProgram
//! glNamedBufferData         BufferData         of the buffer that the first argument names
//! glXMakeCurrent            glXMakeCurrent     makes a context current
//! ```
//!
//! Who executes calls has tables of what it does by such names. No other place knows the endings of
//! extensions, the types of numbers in names, or which functions name their object.

use crate::direct::{Direct, bound_of};
use crate::endings::without_ending;
use crate::{Registered, Variant, absent, functions, lists, matrices, textures, windows};

/// Functions whose names differ by more than an ending from those of what they do: without the
/// prefix `gl`.
const ALIASES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/aliases.rs"));

/// Rows for functions, by their names as [`Function::plain`] has them: those of OpenGL begin with a
/// capital letter. `*` at the end stands for what [`Variant`] reads.
pub type Table<R> = &'static [(&'static str, R)];

/// A function of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    name: Box<str>,
    plain: Box<str>,
    is_gl: bool,
}

/// The row of a table for a function.
#[derive(Clone, Copy, Debug)]
pub struct Handler<R> {
    /// The second part of the row.
    pub run: R,
    /// The end of the name, which says what the arguments are.
    pub form: Variant,
    /// The object that the call names, if this is the function for what is bound.
    pub direct: Option<Direct>,
}

/// An effect that tables would have many rows for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// It does something with contexts and windows.
    Windows(windows::Function),
    /// It changes a stack of matrices.
    Matrices(matrices::Function),
    /// It gives textures sizes or contents.
    Textures(textures::Function),
}

impl Function {
    /// The function with this name.
    pub fn of(name: &str) -> Self {
        // `glX` is a prefix of its own.
        let is_own = |bare: &&str| bare.starts_with(|first: char| first.is_ascii_uppercase() && first != 'X');
        let bare = name.strip_prefix("gl").filter(is_own);
        let plain = bare.map_or(name, |bare| {
            let alias = ALIASES.iter().find(|(known, _)| *known == bare).map(|(_, alias)| *alias);
            alias.unwrap_or_else(|| without_ending(bare))
        });
        Self { name: name.into(), plain: plain.into(), is_gl: bare.is_some() }
    }

    /// Its name in the trace.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of what it does: of functions of OpenGL without the prefix `gl` and the ending of
    /// an extension, of others as it is.
    pub fn plain(&self) -> &str {
        &self.plain
    }

    /// Whether it is a function of OpenGL itself, which needs a context.
    pub fn is_gl(&self) -> bool {
        self.is_gl
    }

    /// Its entry in the registry. `None` for functions of other interfaces.
    pub fn registered(&self) -> Option<&'static Registered> {
        functions().find(&self.name)
    }

    /// Whether display lists hold its calls.
    pub fn is_compiled(&self) -> bool {
        self.bare().is_some_and(lists::is_compiled)
    }

    /// Why nothing executes it. `None` if that is not said.
    pub fn absence(&self) -> Option<absent::Absence> {
        absent::absence(&self.name)
    }

    /// Its effect on contexts, matrices or textures.
    pub fn does(&self) -> Option<Does> {
        let Some(bare) = self.bare() else { return windows::Function::of(&self.name).map(Does::Windows) };
        let matrices = || matrices::Function::of(&self.plain).map(Does::Matrices);
        textures::Function::of(bare, &self.plain).map(Does::Textures).or_else(matrices)
    }

    /// Its effect on contexts and windows.
    pub fn windows(&self) -> Option<windows::Function> {
        if let Some(Does::Windows(function)) = self.does() { Some(function) } else { None }
    }

    /// Its effect on sizes and contents of textures.
    pub fn textures(&self) -> Option<textures::Function> {
        if let Some(Does::Textures(function)) = self.does() { Some(function) } else { None }
    }

    /// The row of tables for it: by its own name, or by that of the function for what is bound.
    pub fn handler<R: Copy>(&self, tables: &[Table<R>]) -> Option<Handler<R>> {
        let find = |name: &str| find(name, tables);
        let own = self.own(tables).map(|(run, form)| Handler { run, form, direct: None });
        let direct = || {
            let (bound, direct) = bound_of(self.bare()?, &self.plain, &|bound| find(bound).is_some())?;
            find(&bound).map(|(run, form)| Handler { run, form, direct: Some(direct) })
        };
        own.or_else(direct)
    }

    /// The same by its own name alone.
    fn own<R: Copy>(&self, tables: &[Table<R>]) -> Option<(R, Variant)> {
        let is_possible = self.is_gl || self.plain.starts_with(|first: char| first.is_ascii_lowercase());
        find(&self.plain, tables).filter(|_| is_possible)
    }

    /// Whether it is the function of a row of a [`Table`].
    pub fn is(&self, pattern: &str) -> bool {
        form_of(&self.plain, pattern).is_some()
    }

    /// Its name without the prefix of OpenGL. `None` for functions of other interfaces.
    fn bare(&self) -> Option<&str> {
        self.name.get(2..).filter(|_| self.is_gl)
    }
}

/// The end of a name as [`Variant`] reads it, if the name is as the row of a table has it.
fn form_of(name: &str, pattern: &str) -> Option<Variant> {
    match pattern.strip_suffix('*') {
        Some(begin) => name.strip_prefix(begin).and_then(Variant::parse),
        None => (pattern == name).then(Variant::default),
    }
}

/// The row of tables for a name. The longest pattern says most.
fn find<R: Copy>(name: &str, tables: &[Table<R>]) -> Option<(R, Variant)> {
    let (mut longest, mut found) = (0, None);
    for (pattern, run) in tables.iter().copied().flatten() {
        if let Some(form) = form_of(name, pattern).filter(|_| longest < pattern.len()) {
            (longest, found) = (pattern.len(), Some((*run, form)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::direct::About;
    use crate::{Unit, names};

    #[test]
    fn functions_of_extensions_are_those_of_versions() {
        let plain = |name: &str| Function::of(name).plain().to_owned();
        for (name, of) in [
            ("glActiveTextureARB", "ActiveTexture"),
            ("glBindFramebufferEXT", "BindFramebuffer"),
            ("glUseProgramObjectARB", "UseProgram"),
            ("glVertexAttrib4ubNV", "VertexAttrib4Nub"),
            ("glEnableIndexedEXT", "Enablei"),
            ("glBindTexture", "BindTexture"),
            ("glBindProgramARB", "BindProgram"),
            ("glXBindTexImageEXT", "glXBindTexImageEXT"),
            ("eglSwapBuffersWithDamageEXT", "eglSwapBuffersWithDamageEXT"),
            ("glue", "glue"),
            ("", ""),
        ] {
            assert_eq!(plain(name), of, "{name}");
        }
    }

    /// The registry says which function is which other one. An ending says more than it: functions
    /// of an extension that do something else have other names there.
    #[test]
    fn aliases_of_the_registry_have_the_same_names() {
        let mut all = 0;
        for name in names() {
            let own = Function::of(name);
            let Some(alias) = own.registered().and_then(|registered| registered.alias) else { continue };
            assert_eq!(own.plain(), Function::of(&format!("gl{alias}")).plain(), "{name}");
            all += 1;
        }
        assert!(all > 600, "{all}");
    }

    #[test]
    fn tables_are_asked_for_what_a_function_does() {
        const ROWS: Table<u8> = &[("Color*", 1), ("ColorP*", 2), ("BindBuffer", 3), ("TexParameter*", 4), ("Fog", 5)];
        let of = |name: &str| Function::of(name).handler(&[ROWS]);
        let found = |name: &str| of(name).map(|handler| (handler.run, handler.direct.map(|direct| direct.about)));
        let form = of("glColor4ubv").unwrap().form;
        assert_eq!((form.count, form.unit, form.is_vector), (4, Unit::UnsignedByte, true));
        assert_eq!([found("glColorP3uiv"), found("glBindBufferARB")], [Some((2, None)), Some((3, None))]);
        assert_eq!(found("glTextureParameteriv"), Some((4, Some(About::Texture))));
        assert_eq!(found("glTextureParameterivEXT"), Some((4, Some(About::TextureOfTarget))));
        assert_eq!(found("glVertexArrayElementBuffer"), Some((3, Some(About::VertexArray))));
        assert_eq!(["glColorMask", "glFogf", "glXColor3f", "Color3f"].map(found), [None; 4]);
    }

    #[test]
    fn endings_of_extensions_are_known_here_alone() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut folders = vec![crates.clone()];
        let (mut files, mut others) = (0, Vec::new());
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    folders.extend((!entry.ends_with("tests") && entry != crates.join("gl")).then_some(entry));
                } else if entry.extension().is_some_and(|end| end == "rs") {
                    let text = fs::read_to_string(&entry).unwrap();
                    let is_other =
                        ["EXT", "ARB", "OES", "KHR", "NV"].map(|ending| text.contains(&format!("\"{ending}\"")));
                    others.extend(is_other.contains(&true).then_some(entry));
                    files += 1;
                }
            }
        }
        assert!(others.is_empty() && files > 700, "{files} files: {others:?}");
    }
}
