//! What a translation declares again: inputs, outputs, what the fixed function passes on, and the
//! text around the bodies.

use core::fmt::Write;

use hashbrown::{HashMap, HashSet};

use super::{Ending, Input, Output, Source, Unit, Varying};
use crate::glsl::builtins::{COMPATIBILITY, COMPATIBILITY_TYPES, HELPERS};
use crate::glsl::views;

impl Unit {
    /// Declares what the fixed function passes from stage to stage.
    pub(super) fn declare_compatibility(&mut self, arrays: bool) {
        let vec4 = |shown: &str, flat: bool| Varying {
            name: old_name(shown),
            shown: shown.into(),
            type_name: "vec4".into(),
            array: String::new(),
            flat,
            location: None,
        };
        let colors = if self.is_vertex { self.uses("gl_FrontColor") } else { self.uses("gl_Color") };
        if colors {
            if self.is_vertex {
                // Written to `_fc` and copied after `main`, since one of the two is not
                // interpolated.
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
            for index in &self.tex_coords {
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

    /// What the vertex shader has for the fragment shader, in its order, and the size of points if
    /// it sets that.
    pub(super) fn vertex_outputs(&self) -> Vec<Output> {
        let point_size = self.uses("gl_PointSize").then(|| Output {
            name: "gl_PointSize".into(),
            shown: "gl_PointSize".into(),
            type_name: "float".into(),
            array: String::new(),
        });
        let varyings = self.varyings.iter().filter(|varying| !varying.name.is_empty()).map(|varying| Output {
            name: varying.name.clone(),
            shown: varying.shown.clone(),
            type_name: varying.type_name.clone(),
            array: varying.array.clone(),
        });
        varyings.chain(point_size).collect()
    }

    /// Gives each input that is used a location, and the attribute that it takes.
    pub(super) fn place_inputs(&self, attributes: &HashMap<String, u32>) -> Vec<Input> {
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

    pub(super) fn declare_outputs(&self, numbers: &HashMap<String, u32>) -> String {
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
    pub(super) fn text(&self, interface: &str, flat: &HashSet<String>, ending: &Ending) -> String {
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
        for index in &self.tex_coords {
            let place = if self.any_tex_coord { format!("_tca[{index}]") } else { format!("_tc{index}") };
            let _ = writeln!(out, "#define _TC{index} {place}");
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
        for (_, text) in HELPERS.iter().filter(|(name, _)| self.called.contains(*name)) {
            helper(text, &mut out);
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

/// What shaders call an output that the fixed function has. Empty for the copy of colours that is
/// not interpolated.
fn old_name(shown: &str) -> String {
    match shown {
        "_fcs" => "gl_FrontColor".into(),
        "_fsc" => "gl_FrontSecondaryColor".into(),
        "_fogc" => "gl_FogFragCoord".into(),
        "_tca" => "gl_TexCoord".into(),
        _ => shown.strip_prefix("_tc").map_or_else(String::new, |unit| format!("gl_TexCoord[{unit}]")),
    }
}

/// Writes a helper for each of its types.
fn helper(text: &str, out: &mut String) {
    const TEXTURES: [[&str; 2]; 3] = [["sampler2D", "vec4"], ["isampler2D", "ivec4"], ["usampler2D", "uvec4"]];
    const SIZES: [[&str; 4]; 4] = [
        ["float", "int", "uint", "bool"],
        ["vec2", "ivec2", "uvec2", "bvec2"],
        ["vec3", "ivec3", "uvec3", "bvec3"],
        ["vec4", "ivec4", "uvec4", "bvec4"],
    ];
    let mut write = |words: &[&str], types: &[&str]| {
        let replaced = words.iter().zip(types).fold(text.to_owned(), |text, (word, of)| text.replace(word, of));
        let _ = writeln!(out, "{replaced}");
    };
    if text.contains("$S") {
        TEXTURES.iter().for_each(|types| write(&["$S", "$G"], types));
    } else if text.contains('$') {
        SIZES.iter().for_each(|types| write(&["$F", "$I", "$U", "$B"], types));
    } else {
        write(&[], &[]);
    }
}

/// The legacy attribute with this name, without `gl_`.
pub(super) fn legacy_input(name: &str) -> Option<Source> {
    Some(match name {
        "Vertex" => Source::Vertex,
        "Normal" => Source::Normal,
        "Color" => Source::Color,
        "SecondaryColor" => Source::SecondaryColor,
        "FogCoord" => Source::FogCoord,
        _ => Source::Texture(name.strip_prefix("MultiTexCoord")?.parse().ok().filter(|unit| *unit < 8)?),
    })
}
