//! Two shaders to a program of GLSL ES 3.00.
//!
//! A shader is walked declaration by declaration. Inputs, outputs and uniforms are taken apart and
//! declared again, because their qualifiers differ; bodies of functions are rewritten token by
//! token. What the fixed function provides becomes uniforms, inputs and outputs with names of ours
//! (`ff_…`, `_…`).

mod bodies;
mod declared;

use core::cell::Cell;
use core::fmt::Write;
use std::borrow::Cow;
use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};

use super::builtins::{COMPATIBILITY, ESSL, TAKEN};
use super::check::converted;
use super::constants::{Constants, value_of};
use super::cost::{Cost, weigh};
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

/// An output of the vertex shader, beside the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    /// In the trace's shader: a member of a block has the name of its instance before it.
    pub(crate) name: String,
    /// In the translation.
    pub(crate) shown: String,
    pub(crate) type_name: String,
    /// What follows the name of an array, or nothing.
    pub(crate) array: String,
}

/// A uniform that is not a block.
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

/// What a translation may take, and has taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// Limit for the operations of a shader once all calls are written out: see [`weigh`].
    pub(crate) size: u64,
    /// Steps so far: tokens that were looked at or copied.
    pub(crate) steps: usize,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Translated {
    pub(crate) vertex: String,
    pub(crate) fragment: String,
    pub(crate) inputs: Vec<Input>,
    /// Outputs of the vertex shader.
    pub(crate) outputs: Vec<Output>,
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
    /// Samplers whose channels it exchanges, if it is made for that: see [`super::channels`].
    pub(crate) exchanges: Option<HashSet<String>>,
    /// It maps clip volumes: see [`super::clips`].
    pub(crate) maps_clips: bool,
    /// Operations of the larger shader once all calls are written out.
    pub(crate) size: u64,
    /// Operations for a vertex and for a pixel, about.
    pub(crate) vertex_work: u64,
    pub(crate) fragment_work: u64,
    /// What an iteration of the heaviest loop counts; 0 without loops.
    pub(crate) heaviest: u32,
}

/// What a type of the trace is declared as: buffer textures are flat ones.
fn flat(type_name: &str) -> Cow<'_, str> {
    match type_name.strip_suffix("samplerBuffer") {
        Some(kind @ ("" | "i" | "u")) => format!("{kind}sampler2D").into(),
        _ => type_name.into(),
    }
}

impl Translated {
    /// Bytes that it takes, with the values of its uniforms, about. Here, in the page and in the
    /// driver there are copies of its text.
    pub(crate) fn bytes(&self) -> u64 {
        let uniforms = self.uniforms.iter().map(|uniform| 200 + 64 * u64::from(uniform.elements.max(1)));
        4 * (self.vertex.len() + self.fragment.len()) as u64 + uniforms.sum::<u64>()
    }
}

/// A varying, or an output of the fragment shader.
#[derive(Clone, Debug)]
struct Varying {
    /// In the trace's shader.
    name: String,
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
    /// Globals whose values are known.
    constants: Constants,
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
    tex_coords: BTreeSet<u32>,
    any_tex_coord: bool,
    frag_data: u32,
    /// Functions of the translation that it calls.
    called: HashSet<String>,
    cost: Cost,
    /// The weight of its heaviest loop.
    heaviest: u32,
    /// Steps so far.
    steps: Cell<usize>,
}

/// Limit for the steps of a translation: tokens that are looked at.
const MAX_STEPS: usize = 1 << 23;
/// Limit for the bytes of a translated shader.
const MAX_TEXT: usize = 8 << 20;
/// Limit for the uniforms, inputs, varyings and outputs of a shader, each.
const MAX_DECLARED: usize = 4096;

/// Translates the two shaders of a program. `None` as source is an error of the caller's making:
/// both must be there. `attributes` are the numbers that the program bound to names, `outputs`
/// those of fragment outputs. Steps are added to the budget.
///
/// # Errors
///
/// A sentence about what cannot be translated.
pub(crate) fn link(
    sources: [&str; 2],
    es: bool,
    attributes: &HashMap<String, u32>,
    outputs: &HashMap<String, u32>,
    budget: &mut Budget,
) -> Result<Translated, (Stage, String)> {
    let [vertex, fragment] = sources;
    let mut vertex = Unit::read(vertex, Stage::Vertex, es, budget).map_err(|error| (Stage::Vertex, error))?;
    let mut fragment = Unit::read(fragment, Stage::Fragment, es, budget).map_err(|error| (Stage::Fragment, error))?;
    let mut made = Translated {
        size: vertex.cost.size.max(fragment.cost.size),
        vertex_work: vertex.work(),
        fragment_work: fragment.work(),
        heaviest: vertex.heaviest.max(fragment.heaviest),
        ..Translated::default()
    };

    // Varyings with a location match by it, and others by name.
    let arrays = vertex.any_tex_coord || fragment.any_tex_coord;
    for unit in [&mut vertex, &mut fragment] {
        unit.declare_compatibility(arrays);
    }
    made.outputs = vertex.vertex_outputs();
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
    let (mut uniforms, mut blocks) = (HashSet::new(), HashSet::new());
    for unit in [&vertex, &fragment] {
        made.uniforms.extend(unit.uniforms.iter().filter(|uniform| uniforms.insert(&uniform.name)).cloned());
        made.blocks.extend(unit.blocks.iter().filter(|(name, _)| blocks.insert(name)).cloned());
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
const ALPHA_TEST: &str = "float _a = _fragData[0].a;\n\
    bool _pass = _af == 7 || (_af == 1 && _a < _ar) || (_af == 2 && _a == _ar) || (_af == 3 && _a <= _ar) || \
    (_af == 4 && _a > _ar) || (_af == 5 && _a != _ar) || (_af == 6 && _a >= _ar);\nif (!_pass) discard;\n";

/// What follows `main` of the trace.
#[derive(Default)]
struct Ending {
    alpha_test: &'static str,
    views: String,
}

/// Qualifiers that a declaration begins with.
const QUALIFIERS: &str = "attribute varying in out uniform const flat smooth noperspective centroid invariant precise highp mediump lowp layout \
     buffer sample patch shared coherent volatile restrict readonly writeonly inout";

/// Whether a declaration begins with this qualifier.
pub(super) fn is_qualifier(text: &str) -> bool {
    QUALIFIERS.split(' ').any(|known| known == text)
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
    fn read(source: &str, stage: Stage, es: bool, budget: &mut Budget) -> Result<Self, String> {
        let all = preprocess(source, es);
        budget.steps += all.steps;
        if let Some(error) = all.error {
            return Err(error);
        }
        let mut unit = Self { is_vertex: stage == Stage::Vertex, es: all.es, version: all.version, ..Self::default() };
        let mut tokens = all.tokens;
        tokens.retain(|t| !matches!(t.text.as_str(), "highp" | "mediump" | "lowp" | "precise" | "invariant"));
        for token in &mut tokens {
            token.is_final = false;
        }
        unit.cost = weigh(&mut tokens, budget.size)?;
        if !all.es {
            let (made, steps) = converted(tokens, all.version, all.gpu_shader5)?;
            tokens = made;
            budget.steps += steps;
        }
        unit.heaviest = tokens.iter().map(|token| token.weight).max().unwrap_or(0);
        unit.find_functions(&tokens);
        for token in &tokens {
            if token.kind == TokenKind::Name {
                unit.used.insert(token.text.clone());
            }
        }
        let declared = unit.declarations(&tokens);
        budget.steps += tokens.len() + unit.steps.get();
        declared.map(|()| unit)
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
                _ => i = self.declaration(tokens, i)?.max(i + 1),
            }
            self.check()?;
        }
        Ok(())
    }

    /// The index after the bracket that closes the one at `open`.
    fn after_closing(&self, tokens: &[Token], open: usize) -> usize {
        let mut depth = 0usize;
        let mut end = tokens.len();
        for (i, token) in tokens.iter().enumerate().skip(open) {
            match token.text.as_str() {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        end = i + 1;
                        break;
                    }
                }
                _ => {}
            }
        }
        self.takes(end.saturating_sub(open));
        end
    }

    /// Counts steps.
    fn takes(&self, steps: usize) {
        self.steps.set(self.steps.get().saturating_add(steps));
    }

    /// Ends a shader that takes too many steps, because it is looked through again and again.
    fn check(&self) -> Result<(), String> {
        let most = MAX_STEPS.min(MAX_TEXT.saturating_sub(self.body.len()).saturating_mul(MAX_STEPS));
        if self.steps.get() > most { Err("the shader takes too long to be translated".into()) } else { Ok(()) }
    }

    /// The index after the semicolon that ends the declaration at `from`.
    fn end_of(&self, tokens: &[Token], from: usize) -> usize {
        let mut i = from;
        while let Some(token) = tokens.get(i) {
            match token.text.as_str() {
                ";" => return i + 1,
                "(" | "[" | "{" => i = self.after_closing(tokens, i),
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
                    let end = self.after_closing(tokens, i);
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
            after_type = self.after_closing(tokens, i + 2);
            let name = tokens.get(i + 1).map(|token| token.text.clone()).unwrap_or_default();
            let text = self.rewrite(part(tokens, i, after_type))?;
            let _ = writeln!(self.structs, "{text};");
            self.variables(tokens, after_type, end, &name, &type_array, &q)?;
            return Ok(end);
        }
        let type_name = self.type_of(&first.text);
        if tokens.get(after_type).is_some_and(|token| token.is("[")) {
            let close = self.after_closing(tokens, after_type);
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
            self.takes(type_name.len() + type_array.len());
            self.check()?;
            if [self.uniforms.len(), self.inputs.len(), self.varyings.len(), self.outputs.len()]
                .iter()
                .any(|count| *count >= MAX_DECLARED)
            {
                return Err(format!("it declares more than {MAX_DECLARED} uniforms, or inputs, or outputs"));
            }
            let Some(token) = tokens.get(i) else { break };
            let name = token.text.clone();
            i += 1;
            let mut array = type_array.to_owned();
            if tokens.get(i).is_some_and(|token| token.is("[")) {
                let close = self.after_closing(tokens, i);
                array = self.rewrite(part(tokens, i, close))? + type_array;
                i = close;
            }
            let mut initial = Vec::new();
            if tokens.get(i).is_some_and(|token| token.is("=")) {
                let mut value = i + 1;
                while let Some(token) =
                    tokens.get(value).filter(|token| value < end && !token.is(",") && !token.is(";"))
                {
                    value = if token.is("(") { self.after_closing(tokens, value) } else { value + 1 };
                }
                initial = value_of(part(tokens, i + 1, value), &self.constants).map_or_else(Vec::new, |it| it.numbers);
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
            match q.storage {
                "attribute" => self.inputs.push((name, shown + &array, type_name.into(), location)),
                "uniform" => {
                    // A size that is an expression: whatever is beyond the array is ignored.
                    let unknown = if array.is_empty() { 0 } else { 4096 };
                    let elements = array.trim_matches(['[', ']', ' ']).parse().unwrap_or(unknown);
                    let (type_name, binding) = (type_name.to_owned(), q.binding);
                    let _ = writeln!(self.body, "uniform {} {shown}{array};", flat(&type_name));
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
                    let made = Varying { name, shown, type_name, array, flat, location };
                    if storage == "varying" { self.varyings.push(made) } else { self.outputs.push(made) }
                }
            }
            location = location.map(|location| location + 1);
        }
        Ok(())
    }

    /// An interface block whose name is at `at`.
    fn block(&mut self, tokens: &[Token], at: usize, q: &Qualifiers) -> Result<usize, String> {
        let close = self.after_closing(tokens, at + 1);
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
                        let after = self.after_closing(members, from);
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
                    varying.name = format!("{instance}.{}", varying.name);
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
            at = self.after_closing(tokens, at);
        }
        let is_function = tokens.get(at).is_some_and(|token| token.kind == TokenKind::Name)
            && tokens.get(at + 1).is_some_and(|token| token.is("("));
        if is_function {
            let after = self.after_closing(tokens, at + 1);
            let end = match tokens.get(after) {
                Some(token) if token.is("{") => self.after_closing(tokens, after),
                _ => self.end_of(tokens, after),
            };
            let mut function: Vec<Token> = part(tokens, i, end).to_vec();
            if let Some(name) = function.get_mut(at - i)
                && name.is("main")
            {
                name.text = "_main".into();
            }
            let text = self.rewrite(&function)?;
            let _ = writeln!(self.body, "{text}");
            return Ok(end);
        }
        let end = self.end_of(tokens, start);
        if is_const {
            self.note_constants(part(tokens, i + 1, end.saturating_sub(1)));
        }
        let text = self.rewrite(part(tokens, i, end))?;
        let _ = writeln!(self.body, "{}{text}", if is_const { "const " } else { "" });
        Ok(end)
    }

    /// Keeps the values of constants: names with their values, after the type.
    fn note_constants(&mut self, tokens: &[Token]) {
        let mut at = 0;
        while let [name, equals, ..] = part(tokens, at, tokens.len())
            && equals.is("=")
        {
            let mut end = at + 2;
            while let Some(token) = tokens.get(end).filter(|token| !token.is(",")) {
                end = if token.is("(") { self.after_closing(tokens, end) } else { end + 1 };
            }
            if let Some(value) = value_of(part(tokens, at + 2, end), &self.constants) {
                self.constants.insert(name.text.clone(), value);
            }
            at = end + 1;
        }
    }

    fn writes_color(&self) -> bool {
        self.frag_data > 0
    }

    fn uses(&self, name: &str) -> bool {
        self.used.contains(name)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
