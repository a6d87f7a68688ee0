//! Two shaders to a program of GLSL ES 3.00.
//!
//! A shader is walked declaration by declaration. Inputs, outputs and uniforms are taken apart and declared anew, because
//! their qualifiers differ; bodies of functions are rewritten token by token. What the fixed function provides becomes
//! uniforms, inputs and outputs with names of ours (`ff_…`, `_…`).

use core::fmt::Write;

use hashbrown::{HashMap, HashSet};

use super::builtins::{COMPATIBILITY, COMPATIBILITY_TYPES, ESSL, FUNCTIONS, HELPERS, TAKEN};
use super::convert::{Scope, floats};
use super::preprocess::preprocess;
use super::tokens::{Token, TokenKind};
use super::views;

/// Which shader it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Vertex,
    Fragment,
}

/// Where the values of an input of the vertex shader come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// A numbered attribute.
    Generic(u32),
    Vertex,
    Normal,
    Color,
    SecondaryColor,
    FogCoord,
    /// Coordinates of a texture unit.
    Texture(u32),
}

/// An input of the vertex shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    /// In the trace's shader.
    pub(crate) name: String,
    /// In the translation.
    pub(crate) location: u32,
    pub(crate) source: Source,
    /// Locations that it takes: the columns of a matrix.
    pub(crate) columns: u32,
    /// 0: floats, 1: signed, 2: unsigned.
    pub(crate) kind: u32,
}

/// A uniform that is no block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Uniform {
    pub(crate) name: String,
    /// In the translation.
    pub(crate) shown: String,
    pub(crate) type_name: String,
    /// Elements, or 0.
    pub(crate) elements: u32,
    pub(crate) location: Option<u32>,
    pub(crate) binding: Option<u32>,
    /// The value that its declaration gives it.
    pub(crate) initial: Vec<f32>,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Translated {
    pub(crate) vertex: String,
    pub(crate) fragment: String,
    pub(crate) inputs: Vec<Input>,
    pub(crate) uniforms: Vec<Uniform>,
    /// Uniform blocks with the binding that the shader gives them.
    pub(crate) blocks: Vec<(String, Option<u32>)>,
    /// Names of [`COMPATIBILITY`] that it reads, with their number of elements or 0.
    pub(crate) compatibility: Vec<&'static str>,
    /// It reads `_fbh`, the height of the framebuffer.
    pub(crate) upper_left: bool,
    /// It has an alpha test of ours.
    pub(crate) alpha_test: bool,
    /// Loops may run into the limit of iterations.
    pub(crate) may_be_cut: bool,
}

/// A varying, or an output of the fragment shader.
#[derive(Clone, Debug)]
struct Varying {
    shown: String,
    type_name: String,
    array: String,
    flat: bool,
    location: Option<u32>,
}

#[derive(Default)]
struct Unit {
    is_vertex: bool,
    es: bool,
    version: u32,
    /// What the shader calls things, and what the translation does.
    renamed: HashMap<String, String>,
    /// Members of blocks with an instance name: what they are called now.
    members: HashMap<(String, String), String>,
    inputs: Vec<(String, String, String, Option<u32>)>,
    varyings: Vec<Varying>,
    outputs: Vec<Varying>,
    uniforms: Vec<Uniform>,
    blocks: Vec<(String, Option<u32>)>,
    /// Structures: varyings may be of these types.
    structs: String,
    /// Constants, uniforms and functions, in their order.
    body: String,
    used: HashSet<String>,
    loops: bool,
    /// Iterations of all loops together, each within the others, as far as they are written down.
    iterations: u32,
    upper_left: bool,
    /// Elements of `gl_TexCoord` that are used by number, and whether others are.
    tex_coords: HashSet<u32>,
    any_tex_coord: bool,
    frag_data: u32,
    scope: Scope,
}

/// Translates the two shaders of a program. `None` as source is an error of the caller's making: both must be there.
/// `attributes` are the numbers that the program bound to names, `outputs` those of fragment outputs.
///
/// # Errors
///
/// A sentence about what cannot be translated.
pub(crate) fn link(
    sources: [&str; 2],
    es: bool,
    attributes: &HashMap<String, u32>,
    outputs: &HashMap<String, u32>,
) -> Result<Translated, (Stage, String)> {
    let [vertex, fragment] = sources;
    let mut vertex = Unit::read(vertex, Stage::Vertex, es).map_err(|error| (Stage::Vertex, error))?;
    let mut fragment = Unit::read(fragment, Stage::Fragment, es).map_err(|error| (Stage::Fragment, error))?;
    let mut made = Translated::default();

    // Varyings with a location match by it, and others by name.
    let arrays = vertex.any_tex_coord || fragment.any_tex_coord;
    for unit in [&mut vertex, &mut fragment] {
        unit.declare_compatibility(arrays);
    }
    let known: HashSet<String> = vertex.varyings.iter().map(|v| v.shown.clone()).collect();
    let missing: Vec<Varying> = fragment.varyings.iter().filter(|v| !known.contains(&v.shown)).cloned().collect();
    vertex.varyings.extend(missing);
    let flat: HashSet<String> =
        fragment.varyings.iter().chain(&vertex.varyings).filter(|v| v.flat).map(|v| v.shown.clone()).collect();

    made.inputs = vertex.place_inputs(attributes);
    let declared_inputs: String = made
        .inputs
        .iter()
        .map(|input| {
            let (_, shown, type_name, _) =
                vertex.inputs.iter().find(|(name, ..)| *name == input.name).cloned().unwrap_or_default();
            format!("layout(location = {}) in {type_name} {shown};\n", input.location)
        })
        .collect();
    let used: Vec<&(&str, &str, usize)> = COMPATIBILITY
        .iter()
        .filter(|(name, ..)| {
            let name = format!("gl_{name}");
            vertex.used.contains(&name) || fragment.used.contains(&name)
        })
        .collect();
    made.compatibility = used.iter().map(|(name, ..)| *name).collect();
    made.alpha_test = fragment.version < 140 && !fragment.es && fragment.writes_color();
    made.upper_left = fragment.upper_left;
    made.may_be_cut = vertex.may_be_cut() || fragment.may_be_cut();
    for unit in [&vertex, &fragment] {
        for uniform in &unit.uniforms {
            if !made.uniforms.iter().any(|known| known.name == uniform.name) {
                made.uniforms.push(uniform.clone());
            }
        }
        for block in &unit.blocks {
            if !made.blocks.iter().any(|(name, _)| *name == block.0) {
                made.blocks.push(block.clone());
            }
        }
    }
    made.vertex = vertex.text(
        &declared_inputs,
        &flat,
        &Ending { views: views::of_vertex(vertex.may_be_cut()), ..Ending::default() },
    );
    let declared_outputs = fragment.declare_outputs(outputs);
    let first = match &fragment.outputs[..] {
        _ if fragment.frag_data > 0 => Some(("_fragData[0]", "vec4")),
        all => all.first().map(|output| (output.shown.as_str(), output.type_name.as_str())),
    };
    let views = views::of_fragment(first, fragment.may_be_cut());
    let alpha_test = if made.alpha_test { ALPHA_TEST } else { "" };
    made.fragment = fragment.text(&declared_outputs, &flat, &Ending { alpha_test, views });
    Ok(made)
}

/// The alpha test, after `main`. `_af` is the function less `GL_NEVER`, or 7 for none.
const ALPHA_TEST: &str = "float a = _fragData[0].a;\n\
    bool pass = _af == 7 || (_af == 1 && a < _ar) || (_af == 2 && a == _ar) || (_af == 3 && a <= _ar) || (_af == 4 && a > _ar) || \
    (_af == 5 && a != _ar) || (_af == 6 && a >= _ar);\nif (!pass) discard;\n";

/// What follows `main` of the trace.
#[derive(Default)]
struct Ending {
    alpha_test: &'static str,
    views: String,
}

/// Whether a declaration begins with this qualifier.
fn is_qualifier(text: &str) -> bool {
    matches!(
        text,
        "attribute"
            | "varying"
            | "in"
            | "out"
            | "uniform"
            | "const"
            | "flat"
            | "smooth"
            | "noperspective"
            | "centroid"
            | "invariant"
            | "precise"
            | "highp"
            | "mediump"
            | "lowp"
            | "layout"
            | "buffer"
            | "sample"
            | "patch"
            | "shared"
            | "coherent"
            | "volatile"
            | "restrict"
            | "readonly"
            | "writeonly"
            | "inout"
    )
}

/// The index after the bracket that closes the one at `open`.
fn after_closing(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0usize;
    for (i, token) in tokens.iter().enumerate().skip(open) {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return i + 1;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

/// The tokens of a range, as far as it exists.
fn part(tokens: &[Token], from: usize, to: usize) -> &[Token] {
    tokens.get(from..to.max(from).min(tokens.len())).unwrap_or_default()
}

fn shown_name(name: &str) -> String {
    let mut shown = name.replace("__", "_u_u");
    if TAKEN.contains(&name) || name.starts_with("webgl_") || name.starts_with("_webgl_") {
        shown = format!("u_{shown}");
    }
    shown
}

/// The qualifiers of a declaration.
#[derive(Default)]
struct Qualifiers {
    storage: &'static str,
    flat: bool,
    is_const: bool,
    location: Option<u32>,
    binding: Option<u32>,
    row_major: bool,
    upper_left: bool,
}

impl Unit {
    fn read(source: &str, stage: Stage, es: bool) -> Result<Self, String> {
        let all = preprocess(source, es);
        if let Some(error) = all.error {
            return Err(error);
        }
        let mut unit = Self { is_vertex: stage == Stage::Vertex, es: all.es, version: all.version, ..Self::default() };
        let mut tokens = all.tokens;
        tokens.retain(|t| !matches!(t.text.as_str(), "highp" | "mediump" | "lowp" | "precise" | "invariant"));
        unit.find_functions(&tokens);
        for token in &tokens {
            if token.kind == TokenKind::Name {
                unit.used.insert(token.text.clone());
            }
        }
        unit.declarations(&tokens)?;
        Ok(unit)
    }

    /// Functions of the shader that have the name of a function of GLSL ES get another.
    fn find_functions(&mut self, tokens: &[Token]) {
        let mut depth = 0usize;
        for window in tokens.windows(3) {
            let [a, b, c] = window else { continue };
            match a.text.as_str() {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            let declares = depth == 0 && a.kind == TokenKind::Name && b.kind == TokenKind::Name && c.is("(");
            if declares && !a.is("return") && !is_qualifier(&a.text) && ESSL.contains(&b.text.as_str()) {
                self.renamed.insert(b.text.clone(), format!("u_{}", b.text));
            }
        }
    }

    fn declarations(&mut self, tokens: &[Token]) -> Result<(), String> {
        let mut i = 0;
        while let Some(token) = tokens.get(i) {
            match token.text.as_str() {
                ";" => i += 1,
                "precision" => i = self.end_of(tokens, i),
                _ => i = self.declaration(tokens, i)?,
            }
        }
        Ok(())
    }

    /// The index after the semicolon that ends the declaration at `from`.
    fn end_of(&self, tokens: &[Token], from: usize) -> usize {
        let mut i = from;
        while let Some(token) = tokens.get(i) {
            match token.text.as_str() {
                ";" => return i + 1,
                "(" | "[" | "{" => i = after_closing(tokens, i),
                _ => i += 1,
            }
        }
        tokens.len()
    }

    fn declaration(&mut self, tokens: &[Token], start: usize) -> Result<usize, String> {
        let mut i = start;
        let mut q = Qualifiers::default();
        while let Some(token) = tokens.get(i).filter(|token| is_qualifier(&token.text)) {
            let text = token.text.as_str();
            i += 1;
            match text {
                "layout" => {
                    let end = after_closing(tokens, i);
                    self.layout(part(tokens, i + 1, end.saturating_sub(1)), &mut q);
                    i = end;
                }
                "attribute" => q.storage = "attribute",
                "varying" => q.storage = "varying",
                "in" => q.storage = if self.is_vertex { "attribute" } else { "varying" },
                "out" => q.storage = if self.is_vertex { "varying" } else { "output" },
                "uniform" => q.storage = "uniform",
                "buffer" => return Err(format!("line {}: shader storage is not in WebGL2", token.line)),
                "flat" => q.flat = true,
                "const" => q.is_const = true,
                _ => {}
            }
        }
        let Some(first) = tokens.get(i) else { return Ok(tokens.len()) };
        self.upper_left |= q.upper_left;
        if first.is(";") {
            return Ok(i + 1);
        }
        // `invariant gl_Position;` without `invariant`.
        if tokens.get(i + 1).is_some_and(|token| token.is(";") || token.is(",")) && first.text != "struct" {
            return Ok(self.end_of(tokens, i));
        }
        if q.storage.is_empty() {
            return self.other(tokens, start, i, q.is_const);
        }
        if tokens.get(i + 1).is_some_and(|token| token.is("{")) {
            return self.block(tokens, i, &q);
        }
        let end = self.end_of(tokens, i);
        let mut after_type = i + 1;
        let mut type_array = String::new();
        if first.is("struct") {
            after_type = after_closing(tokens, i + 2);
            let name = tokens.get(i + 1).map(|token| token.text.clone()).unwrap_or_default();
            let text = self.rewrite(part(tokens, i, after_type))?;
            let _ = writeln!(self.structs, "{text};");
            self.variables(tokens, after_type, end, &name, &type_array, &q)?;
            return Ok(end);
        }
        let type_name = self.type_of(&first.text);
        if type_name != first.text {
            // Functions that sample it go by what it was.
            for name in part(tokens, after_type, end).iter().filter(|token| token.kind == TokenKind::Name) {
                self.scope.declare(&name.text, &first.text);
            }
        }
        if tokens.get(after_type).is_some_and(|token| token.is("[")) {
            let close = after_closing(tokens, after_type);
            type_array = self.rewrite(part(tokens, after_type, close))?;
            after_type = close;
        }
        self.variables(tokens, after_type, end, &type_name, &type_array, &q)?;
        Ok(end)
    }

    fn layout(&self, tokens: &[Token], q: &mut Qualifiers) {
        for entry in tokens.split(|token| token.is(",")) {
            let number = entry.get(2).and_then(|token| token.text.parse().ok());
            match entry.first().map(|token| token.text.as_str()) {
                Some("location") => q.location = number,
                Some("binding") => q.binding = number,
                Some("row_major") => q.row_major = true,
                Some("origin_upper_left") => q.upper_left = true,
                _ => {}
            }
        }
    }

    fn type_of(&self, name: &str) -> String {
        match name {
            "sampler1D" | "sampler2DRect" => "sampler2D".into(),
            "sampler1DShadow" | "sampler2DRectShadow" => "sampler2DShadow".into(),
            "isampler1D" | "isampler2DRect" => "isampler2D".into(),
            "usampler1D" | "usampler2DRect" => "usampler2D".into(),
            _ => shown_name(name),
        }
    }

    /// Variables of one type, from `from` to the semicolon before `end`.
    fn variables(
        &mut self,
        tokens: &[Token],
        from: usize,
        end: usize,
        type_name: &str,
        type_array: &str,
        q: &Qualifiers,
    ) -> Result<(), String> {
        let mut i = from;
        let mut location = q.location;
        while i + 1 < end {
            let Some(token) = tokens.get(i) else { break };
            let name = token.text.clone();
            i += 1;
            let mut array = type_array.to_owned();
            if tokens.get(i).is_some_and(|token| token.is("[")) {
                let close = after_closing(tokens, i);
                array = self.rewrite(part(tokens, i, close))? + type_array;
                i = close;
            }
            let mut initial = Vec::new();
            if tokens.get(i).is_some_and(|token| token.is("=")) {
                let mut value = i + 1;
                while let Some(token) =
                    tokens.get(value).filter(|token| value < end && !token.is(",") && !token.is(";"))
                {
                    value = if token.is("(") { after_closing(tokens, value) } else { value + 1 };
                }
                initial = constants(part(tokens, i + 1, value));
                i = value;
            }
            i += 1;
            if name.starts_with("gl_") {
                continue;
            }
            let shown = shown_name(&name);
            if shown != name {
                self.renamed.insert(name.clone(), shown.clone());
            }
            if array.is_empty() && self.scope.type_of(&name).is_none() {
                self.scope.declare(&name, type_name);
            }
            match q.storage {
                "attribute" => self.inputs.push((name, shown + &array, type_name.into(), location)),
                "uniform" => {
                    // A size that is an expression: whatever is beyond the array is ignored.
                    let unknown = if array.is_empty() { 0 } else { 4096 };
                    let elements = array.trim_matches(['[', ']', ' ']).parse().unwrap_or(unknown);
                    let (type_name, binding) = (type_name.to_owned(), q.binding);
                    let _ = writeln!(self.body, "uniform {type_name} {shown}{array};");
                    self.uniforms.push(Uniform { name, shown, type_name, elements, location, binding, initial });
                }
                storage => {
                    let is_whole = type_name.starts_with("int")
                        || type_name.starts_with("uint")
                        || type_name.starts_with("ivec")
                        || type_name.starts_with("uvec");
                    let mut shown = shown;
                    if storage == "varying"
                        && let Some(location) = location
                    {
                        shown = format!("_l{location}");
                        self.renamed.insert(name.clone(), shown.clone());
                    }
                    let flat = q.flat || (is_whole && storage == "varying");
                    let type_name = type_name.to_owned();
                    let made = Varying { shown, type_name, array, flat, location };
                    if storage == "varying" { self.varyings.push(made) } else { self.outputs.push(made) }
                }
            }
            location = location.map(|location| location + 1);
        }
        Ok(())
    }

    /// An interface block whose name is at `at`.
    fn block(&mut self, tokens: &[Token], at: usize, q: &Qualifiers) -> Result<usize, String> {
        let close = after_closing(tokens, at + 1);
        let end = self.end_of(tokens, close.saturating_sub(1).max(at + 1));
        let end = if tokens.get(close).is_some() { self.end_of(tokens, close) } else { end };
        let name = tokens.get(at).map(|token| token.text.clone()).unwrap_or_default();
        if name.starts_with("gl_") {
            return Ok(end);
        }
        let members = part(tokens, at + 2, close.saturating_sub(1));
        let instance = tokens.get(close).filter(|token| token.kind == TokenKind::Name).map(|token| token.text.clone());
        if q.storage == "uniform" {
            let shown = shown_name(&name);
            let mut text = String::new();
            let mut i = 0;
            while i < members.len() {
                let next = self.end_of(members, i);
                let mut inner = Qualifiers::default();
                let mut from = i;
                while let Some(token) = members.get(from).filter(|token| is_qualifier(&token.text)) {
                    from += 1;
                    if token.is("layout") {
                        let after = after_closing(members, from);
                        self.layout(part(members, from + 1, after.saturating_sub(1)), &mut inner);
                        from = after;
                    }
                }
                if inner.row_major {
                    text.push_str("layout(row_major) ");
                }
                let member = part(members, from, next);
                text += &self.rewrite(member)?;
                i = next;
            }
            let after = self.rewrite(part(tokens, close, end))?;
            let major = if q.row_major { ", row_major" } else { "" };
            let _ = writeln!(self.body, "layout(std140{major}) uniform {shown} {{\n{text}}} {after}");
            self.blocks.push((shown, q.binding));
            return Ok(end);
        }
        // Blocks of varyings come with GLSL ES 3.10: their members become varyings of their own.
        let mut i = 0;
        let mut location = q.location;
        while i < members.len() {
            let next = self.end_of(members, i);
            let mut inner = Qualifiers { storage: q.storage, flat: q.flat, ..Qualifiers::default() };
            let mut from = i;
            while let Some(token) = members.get(from).filter(|token| is_qualifier(&token.text)) {
                inner.flat |= token.is("flat");
                from += 1;
            }
            let type_name = self.type_of(&members.get(from).map(|token| token.text.clone()).unwrap_or_default());
            let before = self.varyings.len();
            inner.location = location;
            self.variables(members, from + 1, next, &type_name, "", &inner)?;
            location = location.map(|at| at + (self.varyings.len() - before) as u32);
            if let Some(instance) = &instance {
                for varying in self.varyings.get_mut(before..).unwrap_or_default() {
                    let member = varying.shown.clone();
                    if varying.location.is_none() {
                        varying.shown = format!("_b_{}_{member}", shown_name(&name));
                    }
                    self.members.insert((instance.clone(), member), varying.shown.clone());
                }
            }
            i = next;
        }
        Ok(end)
    }

    /// A structure, constant or function.
    fn other(&mut self, tokens: &[Token], start: usize, i: usize, is_const: bool) -> Result<usize, String> {
        if tokens.get(i).is_some_and(|token| token.is("struct")) {
            let end = self.end_of(tokens, i);
            let text = self.rewrite(part(tokens, i, end))?;
            let _ = writeln!(self.structs, "{text}");
            return Ok(end);
        }
        // A function has a parenthesis after its name.
        let mut at = i + 1;
        if tokens.get(at).is_some_and(|token| token.is("[")) {
            at = after_closing(tokens, at);
        }
        let is_function = tokens.get(at).is_some_and(|token| token.kind == TokenKind::Name)
            && tokens.get(at + 1).is_some_and(|token| token.is("("));
        if is_function {
            let after = after_closing(tokens, at + 1);
            let end = match tokens.get(after) {
                Some(token) if token.is("{") => after_closing(tokens, after),
                _ => self.end_of(tokens, after),
            };
            let mut function: Vec<Token> = part(tokens, i, end).to_vec();
            if let Some(name) = function.get_mut(at - i)
                && name.is("main")
            {
                name.text = "_main".into();
            }
            let function = self.with_floats(&function);
            let text = self.rewrite(&function)?;
            let _ = writeln!(self.body, "{text}");
            return Ok(end);
        }
        let end = self.end_of(tokens, start);
        let converted = self.with_floats(part(tokens, i, end));
        let text = self.rewrite(&converted)?;
        let _ = writeln!(self.body, "{}{text}", if is_const { "const " } else { "" });
        Ok(end)
    }

    /// Tokens with the implicit conversions of the language, if it has them.
    fn with_floats(&mut self, tokens: &[Token]) -> Vec<Token> {
        if self.es { tokens.to_vec() } else { floats(&mut self.scope, tokens) }
    }

    /// Tokens as text of GLSL ES.
    fn rewrite(&mut self, tokens: &[Token]) -> Result<String, String> {
        let mut out = String::new();
        let mut line = tokens.first().map_or(0, |token| token.line);
        // Where the condition of a loop ends, with what closes it.
        let mut closing: Vec<usize> = Vec::new();
        let mut opening: Vec<(usize, bool)> = Vec::new();
        let mut i = 0;
        while let Some(token) = tokens.get(i) {
            if token.line != line {
                line = token.line;
                out.push('\n');
            }
            while closing.last() == Some(&i) {
                closing.pop();
                out.push(')');
            }
            if let Some((_, is_empty)) = opening.iter().find(|(at, _)| *at == i) {
                out.push_str(if *is_empty { "_lg()" } else { "_lg() && (" });
            }
            if (token.is("for") || token.is("while")) && tokens.get(i + 1).is_some_and(|next| next.is("(")) {
                self.guard(tokens, i, &mut opening, &mut closing);
            }
            let next = tokens.get(i + 1).map(|token| token.text.as_str()).unwrap_or_default();
            let is_member = i.checked_sub(1).and_then(|i| tokens.get(i)).is_some_and(|token| token.is("."));
            if token.kind == TokenKind::Name && !is_member {
                if next == "."
                    && let Some(member) = tokens.get(i + 2)
                    && let Some(shown) = self.members.get(&(token.text.clone(), member.text.clone()))
                {
                    let _ = write!(out, " {shown}");
                    i += 3;
                    continue;
                }
                if token.is("gl_TexCoord") {
                    i = self.tex_coord(tokens, i, &mut out)?;
                    continue;
                }
                if token.is("gl_FragData") && next == "[" {
                    let index = tokens.get(i + 2).and_then(|token| token.text.parse().ok()).unwrap_or(0u32);
                    self.frag_data = self.frag_data.max(index + 1);
                }
                out.push(' ');
                let shown = self.name(&token.text, next, tokens.get(i + 2));
                out.push_str(&shown);
            } else {
                if token.kind != TokenKind::Sign
                    || !matches!(token.text.as_str(), "." | "(" | "[" | ")" | "]" | ";" | ",")
                {
                    out.push(' ');
                }
                match token.kind {
                    TokenKind::Number => out.push_str(token.text.trim_end_matches("lf").trim_end_matches("LF")),
                    _ => out.push_str(&token.text),
                }
            }
            i += 1;
        }
        for _ in closing {
            out.push(')');
        }
        Ok(out)
    }

    /// Marks where the condition of the loop at `at` is wrapped.
    fn guard(&mut self, tokens: &[Token], at: usize, opening: &mut Vec<(usize, bool)>, closing: &mut Vec<usize>) {
        let end = after_closing(tokens, at + 1).saturating_sub(1);
        let (from, to) = if tokens.get(at).is_some_and(|token| token.is("while")) {
            (at + 2, end)
        } else {
            let mut ends = Vec::new();
            let mut i = at + 2;
            while i < end {
                match tokens.get(i).map(|token| token.text.as_str()) {
                    Some("(" | "[") => i = after_closing(tokens, i),
                    Some(";") => {
                        ends.push(i);
                        i += 1;
                    }
                    _ => i += 1,
                }
            }
            match ends[..] {
                [first, second, ..] => (first + 1, second),
                _ => return,
            }
        };
        let is_empty = from >= to;
        opening.push((from, is_empty));
        if !is_empty {
            closing.push(to);
        }
        self.loops = true;
        let header = part(tokens, at + 2, end);
        self.iterations = self.iterations.max(1).saturating_mul(views::iterations(header).unwrap_or(u32::MAX));
    }

    /// Whether its loops may run into the limit of iterations.
    fn may_be_cut(&self) -> bool {
        self.loops && self.iterations > views::SAFE
    }

    fn tex_coord(&mut self, tokens: &[Token], i: usize, out: &mut String) -> Result<usize, String> {
        if let [_, open, index, close, ..] = part(tokens, i, i + 4)
            && open.is("[")
            && close.is("]")
            && let Ok(index) = index.text.parse::<u32>()
        {
            self.tex_coords.insert(index.min(7));
            let _ = write!(out, " _TC{}", index.min(7));
            return Ok(i + 4);
        }
        self.any_tex_coord = true;
        out.push_str(" _tca");
        Ok(i + 1)
    }

    /// What a name is called in the translation.
    fn name(&mut self, name: &str, next: &str, after: Option<&Token>) -> String {
        if let Some(shown) = self.renamed.get(name) {
            return shown.clone();
        }
        if next == "(" {
            if let Some(shown) = self.texture_function(name, after) {
                return shown;
            }
        } else if self.version < 130 || !matches!(name, "flat" | "smooth" | "layout") {
            let shown = shown_name(name);
            if shown != name && !name.starts_with("gl_") {
                return shown;
            }
        }
        match name {
            "gl_FragColor" => {
                self.frag_data = self.frag_data.max(1);
                "_fragData[0]".into()
            }
            "gl_FragData" => "_fragData".into(),
            "gl_FragCoord" if self.upper_left => "_fragCoord".into(),
            "ftransform" => "_ftransform".into(),
            "gl_Color" if !self.is_vertex => "_color()".into(),
            "gl_SecondaryColor" if !self.is_vertex => "_fsc".into(),
            "gl_FrontColor" => "_fc".into(),
            "gl_FrontSecondaryColor" => "_fsc".into(),
            "gl_BackColor" => "_backColor".into(),
            "gl_BackSecondaryColor" => "_backSecondary".into(),
            "gl_FogFragCoord" => "_fogc".into(),
            "gl_ClipVertex" => "_clipVertex".into(),
            "gl_MaxTextureUnits" | "gl_MaxTextureCoords" | "gl_MaxLights" => "8".into(),
            "sampler1D" | "sampler2DRect" | "sampler1DShadow" | "sampler2DRectShadow" => self.type_of(name),
            _ => match name.strip_prefix("gl_") {
                Some(rest) if COMPATIBILITY.iter().any(|(known, ..)| *known == rest) => format!("ff_{rest}"),
                Some(rest) if legacy_input(rest).is_some() => format!("_in_{rest}"),
                Some(rest) if COMPATIBILITY_TYPES.iter().any(|(known, _)| known.strip_prefix("ff_") == Some(rest)) => {
                    format!("ff_{rest}")
                }
                _ => name.into(),
            },
        }
    }

    /// The name of a function that samples a texture. `after` is the first token of its arguments.
    fn texture_function(&self, name: &str, first: Option<&Token>) -> Option<String> {
        let sampler = first.and_then(|token| self.scope.type_of(&token.text)).unwrap_or_default();
        let of = |rect: &str, one: &str| match sampler {
            "sampler2DRect" => Some(rect.to_owned()),
            "sampler1D" => Some(one.to_owned()),
            _ => None,
        };
        match name {
            "texture" => of("_texRect", "_tex1D"),
            "textureProj" => of("_texRectProj", "textureProj"),
            "texelFetch" => of("_fetchRect", "texelFetch"),
            "textureSize" => of("_sizeRect", "textureSize"),
            _ => FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, shown)| (*shown).to_owned()),
        }
    }

    fn writes_color(&self) -> bool {
        self.frag_data > 0
    }

    fn uses(&self, name: &str) -> bool {
        self.used.contains(name)
    }

    /// Declares what the fixed function passes from stage to stage.
    fn declare_compatibility(&mut self, arrays: bool) {
        let vec4 = |shown: &str, flat: bool| Varying {
            shown: shown.into(),
            type_name: "vec4".into(),
            array: String::new(),
            flat,
            location: None,
        };
        let colors = if self.is_vertex { self.uses("gl_FrontColor") } else { self.uses("gl_Color") };
        if colors {
            if self.is_vertex {
                // Written to `_fc` and copied after `main`, since one of the two is not interpolated.
                self.varyings.push(vec4("_fcs", false));
                self.varyings.push(vec4("_fcf", true));
            } else {
                self.varyings.push(vec4("_fcs", false));
                self.varyings.push(vec4("_fcf", true));
            }
        }
        if self.uses("gl_FrontSecondaryColor") || (!self.is_vertex && self.uses("gl_SecondaryColor")) {
            self.varyings.push(vec4("_fsc", false));
        }
        if self.uses("gl_FogFragCoord") {
            self.varyings.push(Varying { type_name: "float".into(), ..vec4("_fogc", false) });
        }
        if arrays && self.uses("gl_TexCoord") {
            self.varyings.push(Varying { array: "[8]".into(), ..vec4("_tca", false) });
        } else {
            let mut all: Vec<u32> = self.tex_coords.iter().copied().collect();
            all.sort_unstable();
            for index in all {
                self.varyings.push(vec4(&format!("_tc{index}"), false));
            }
        }
        if self.is_vertex {
            for name in ["Vertex", "Normal", "Color", "SecondaryColor", "FogCoord"] {
                let is_implied = name == "Vertex" && self.uses("ftransform");
                if self.uses(&format!("gl_{name}")) || is_implied {
                    let type_name = match name {
                        "Normal" => "vec3",
                        "FogCoord" => "float",
                        _ => "vec4",
                    };
                    self.inputs.push((format!("gl_{name}"), format!("_in_{name}"), type_name.into(), None));
                }
            }
            for unit in 0..8 {
                let name = format!("MultiTexCoord{unit}");
                if self.uses(&format!("gl_{name}")) {
                    self.inputs.push((format!("gl_{name}"), format!("_in_{name}"), "vec4".into(), None));
                }
            }
            if self.uses("ftransform") {
                self.used.insert("gl_ModelViewProjectionMatrix".into());
            }
        }
        if arrays {
            self.any_tex_coord = true;
        }
    }

    /// Gives each input that is used a location, and the attribute that it takes.
    fn place_inputs(&self, attributes: &HashMap<String, u32>) -> Vec<Input> {
        let mut taken: HashSet<u32> = HashSet::new();
        let numbered = |name: &str, location: Option<u32>| location.or_else(|| attributes.get(name).copied());
        for (name, .., location) in &self.inputs {
            taken.extend(numbered(name, *location));
        }
        let mut placed = Vec::new();
        let mut next = 0;
        for (name, _, type_name, location) in &self.inputs {
            let columns = match type_name.as_bytes() {
                [b'm', b'a', b't', n, ..] => u32::from(n.saturating_sub(b'0')),
                _ => 1,
            };
            let kind = match type_name.as_str() {
                "int" | "ivec2" | "ivec3" | "ivec4" => 1,
                "uint" | "uvec2" | "uvec3" | "uvec4" => 2,
                _ => 0,
            };
            let source = match name.strip_prefix("gl_").and_then(legacy_input) {
                Some(source) => source,
                None => Source::Generic(numbered(name, *location).unwrap_or_else(|| {
                    let mut free = 0;
                    while taken.contains(&free) {
                        free += 1;
                    }
                    taken.extend(free..free + columns);
                    free
                })),
            };
            if next + columns <= 16 {
                placed.push(Input { name: name.clone(), location: next, source, columns, kind });
                next += columns;
            }
        }
        placed
    }

    fn declare_outputs(&self, numbers: &HashMap<String, u32>) -> String {
        let mut out = String::new();
        if self.frag_data > 0 {
            let _ = writeln!(out, "layout(location = 0) out vec4 _fragData[{}];", self.frag_data.min(4));
        }
        let mut next = 0;
        for Varying { shown, type_name, array, location, .. } in &self.outputs {
            let at = location.or_else(|| numbers.get(shown).copied()).unwrap_or(next);
            next = at + 1;
            let _ = writeln!(out, "layout(location = {at}) out {type_name} {shown}{array};");
        }
        out
    }

    /// The whole shader.
    fn text(&self, interface: &str, flat: &HashSet<String>, ending: &Ending) -> String {
        let mut out = String::from(
            "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\n\
             precision highp samplerCube;\nprecision highp sampler3D;\nprecision highp sampler2DArray;\n\
             precision highp sampler2DShadow;\nprecision highp samplerCubeShadow;\nprecision highp sampler2DArrayShadow;\n\
             precision highp isampler2D;\nprecision highp usampler2D;\nprecision highp isampler3D;\nprecision highp usampler3D;\n\
             precision highp isampler2DArray;\nprecision highp usampler2DArray;\nprecision highp isamplerCube;\n\
             precision highp usamplerCube;\n",
        );
        if self.loops {
            out.push_str(&views::guard());
        }
        out.push_str(&self.structs);
        let direction = if self.is_vertex { "out" } else { "in" };
        for Varying { shown, type_name, array, .. } in &self.varyings {
            let interpolation = if flat.contains(shown) { "flat " } else { "" };
            let _ = writeln!(out, "{interpolation}{direction} {type_name} {shown}{array};");
        }
        let colors = self.varyings.iter().any(|varying| varying.shown == "_fcs");
        if self.is_vertex {
            if colors {
                out.push_str("vec4 _fc = vec4(1.0);\n");
            }
            for (name, shown) in [
                ("gl_BackColor", "_backColor"),
                ("gl_BackSecondaryColor", "_backSecondary"),
                ("gl_ClipVertex", "_clipVertex"),
            ] {
                if self.uses(name) {
                    let _ = writeln!(out, "vec4 {shown};");
                }
            }
        } else if colors {
            out.push_str("uniform bool _flat;\nvec4 _color() { return clamp(_flat ? _fcf : _fcs, 0.0, 1.0); }\n");
        }
        if !self.tex_coords.is_empty() {
            for index in &self.tex_coords {
                let place = if self.any_tex_coord { format!("_tca[{index}]") } else { format!("_tc{index}") };
                let _ = writeln!(out, "#define _TC{index} {place}");
            }
        }
        if self.upper_left {
            out.push_str("uniform float _fbh;\n#define _fragCoord vec4(gl_FragCoord.x, _fbh - gl_FragCoord.y, gl_FragCoord.zw)\n");
        }
        if !ending.alpha_test.is_empty() {
            out.push_str("uniform int _af;\nuniform float _ar;\n");
        }
        let mut types = HashSet::new();
        for (name, type_name, elements) in COMPATIBILITY {
            if !self.uses(&format!("gl_{name}")) {
                continue;
            }
            if let Some((_, members)) = COMPATIBILITY_TYPES.iter().find(|(known, _)| known == type_name)
                && types.insert(*type_name)
            {
                let _ = writeln!(out, "struct {type_name} {{ {members} }};");
            }
            let array = if *elements > 0 { format!("[{elements}]") } else { String::new() };
            let _ = writeln!(out, "uniform {type_name} ff_{name}{array};");
        }
        out.push_str(interface);
        if self.uses("ftransform") {
            out.push_str("vec4 _ftransform() { return ff_ModelViewProjectionMatrix * _in_Vertex; }\n");
        }
        for (name, text) in HELPERS {
            if self.body.contains(&format!("{name}(")) {
                let _ = writeln!(out, "{text}");
            }
        }
        out.push_str(&self.body);
        let _ = writeln!(out, "uniform int {};\nvoid main() {{", views::UNIFORM);
        out.push_str(if self.is_vertex { "_main();\n" } else { views::FRAGMENT_MAIN });
        if self.is_vertex && colors {
            out.push_str("_fcs = _fc;\n_fcf = _fc;\n");
        }
        out.push_str(ending.alpha_test);
        out.push_str(&ending.views);
        out.push_str("}\n");
        out
    }
}

/// The legacy attribute with this name, without `gl_`.
fn legacy_input(name: &str) -> Option<Source> {
    Some(match name {
        "Vertex" => Source::Vertex,
        "Normal" => Source::Normal,
        "Color" => Source::Color,
        "SecondaryColor" => Source::SecondaryColor,
        "FogCoord" => Source::FogCoord,
        _ => Source::Texture(name.strip_prefix("MultiTexCoord")?.parse().ok().filter(|unit| *unit < 8)?),
    })
}

/// The numbers of a constant expression: a literal, or constructors of literals.
fn constants(tokens: &[Token]) -> Vec<f32> {
    let mut negative = false;
    let mut out = Vec::new();
    for token in tokens {
        match token.text.as_str() {
            "-" => negative = true,
            "true" => out.push(1.0),
            "false" => out.push(0.0),
            text if token.kind == TokenKind::Number => {
                let value: f32 = text.trim_end_matches(['f', 'F', 'u', 'U', 'l', 'L']).parse().unwrap_or(0.0);
                out.push(if core::mem::take(&mut negative) { -value } else { value });
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
