//! What of a context is shown, in sections: what a draw uses first.

use unspool_gl::contexts::Profile;
use unspool_gl::gl;

use super::blocks;
use super::inputs;
use super::report::{Named, Object, Report, Row, Section, Shader, constant, initial, text};
use super::sampling::sampling;
use super::uniforms::{self, Uniform};
use unspool_gl::machine::Machine;
use unspool_gl::machine::buffers;
use unspool_gl::machine::cells::{Attachment, Cell, Image, Value};
use unspool_gl::machine::fixed::{CLIP_PLANE_OF, LIGHT_PARAMETERS, MATERIAL_PARAMETERS};
use unspool_gl::machine::parameters::{self, Group, Parameter};
use unspool_gl::machine::programs::STAGES;
use unspool_gl::machine::textures::{self, level_index};
use unspool_gl::machine::what;

/// Attributes that a state dump lists.
const LISTED_ATTRIBUTES: u32 = 16;
const MAX_UNITS: u32 = 256;

/// Fills a report with all that is known of a context.
pub(super) fn fill(machine: &mut Machine, report: &mut Report) {
    let array = machine.vertex_array();
    let view = View { machine, array };
    view.program(report);
    let uniforms = view.uniforms(report);
    view.vertices(report);
    view.textures(report, &uniforms);
    view.framebuffer(report);
    view.parameters(report);
    view.indexed_buffers(report);
    view.lights(report);
}

/// The current context, looked at.
struct View<'a> {
    machine: &'a Machine,
    array: u32,
}

impl View<'_> {
    fn profile(&self) -> Profile {
        self.machine.whole().map_or(Profile::Compatibility, |whole| whole.profile)
    }

    fn row(&self, report: &Report, name: impl Into<String>, text: impl Into<String>, call: Option<u32>) -> Row {
        Row { name: name.into(), text: text.into(), call, is_changed: report.is_changed(call), object: None }
    }

    /// A row whose value is an object, or what an object holds. The name 0 stands for no object.
    fn of(&self, kind: &'static str, name: u32, row: Row) -> Row {
        Row { object: (name != 0).then_some(Object { kind, name }), ..row }
    }

    /// A name with the label that the program gave the object.
    fn labelled(&self, kind: &str, name: u32, instance: u32) -> String {
        match self.machine.value(instance, what::LABEL, 0) {
            Value::Text(label) => format!("{kind} {name} “{label}”"),
            _ => format!("{kind} {name}"),
        }
    }

    /// The object that the context binds.
    fn bound(&self, what: u16, index: u32) -> (u32, u32, Option<u32>) {
        match self.machine.cell(self.machine.context_owner(), what, index) {
            Some(Cell { value: Value::Object { name, instance }, call, .. }) => (*name, *instance, Some(*call)),
            _ => (0, 0, None),
        }
    }

    /// The programs that shaders come from: that in use, or those of the pipeline.
    fn programs(&self) -> Vec<(u32, u32, Option<u32>, Option<u32>)> {
        let (name, program, call) = self.bound(what::CURRENT_PROGRAM, 0);
        if program != 0 {
            return vec![(name, program, call, None)];
        }
        let (_, pipeline, _) = self.bound(what::PROGRAM_PIPELINE_BINDING, 0);
        let mut all = Vec::new();
        for (stage, _) in STAGES {
            let cell = self.machine.cell(pipeline, what::STAGE, stage & 0xffff);
            if let Some(Cell { value: Value::Object { name, instance }, call, .. }) = cell.filter(|_| pipeline != 0)
                && *instance != 0
            {
                all.push((*name, *instance, Some(*call), Some(stage)));
            }
        }
        all
    }

    fn program(&self, report: &mut Report) {
        let mut rows = Vec::new();
        let programs = self.programs();
        for (name, program, call, only) in &programs {
            let (label, mut said) = (self.labelled("Program", *name, *program), Vec::new());
            said.push(if self.machine.is_set(*program, what::LINKED, 0) { "linked" } else { "not linked" });
            if self.machine.value(*program, what::LINK_STATUS, 0) == &Value::Bool(false) {
                said.push("linking failed");
            }
            rows.push(self.of("program", *name, self.row(report, label, said.join(", "), *call)));
            for (stage, title) in STAGES {
                let source = self.machine.cell(*program, what::STAGE_SOURCE, stage & 0xffff);
                if let Some(Cell { value: Value::Text(source), call, .. }) = source
                    && only.is_none_or(|only| only == stage)
                {
                    let is_changed = report.is_changed(Some(*call));
                    report.shaders.push(Shader { stage: title, source: source.clone(), call: *call, is_changed });
                }
            }
        }
        if programs.is_empty() {
            let text = if self.profile().has_fixed_function() { "none: fixed function" } else { "none" };
            rows.push(self.row(report, "Program", text, self.bound(what::CURRENT_PROGRAM, 0).2));
        }
        report.sections.push(Section { title: "Program", is_used: true, rows });
    }

    fn uniforms(&self, report: &mut Report) -> Vec<Uniform> {
        let mut all = Vec::new();
        let sources: Vec<_> = report.shaders.iter().map(|shader| shader.source.clone()).collect();
        for (_, program, ..) in self.programs() {
            let mut locations: Vec<u32> = self
                .machine
                .cells_of(program)
                .filter(|(what, ..)| matches!(*what, what::UNIFORM | what::UNIFORM_NAME))
                .map(|(_, index, _)| index)
                .collect();
            locations.sort_unstable();
            locations.dedup();
            let located = |location: &u32| {
                let cell = self.machine.cell(program, what::UNIFORM, *location).cloned();
                let name = match self.machine.value(program, what::UNIFORM_NAME, *location) {
                    Value::Text(name) => Some(name.to_string()),
                    _ => None,
                };
                (*location, name, cell)
            };
            let found = uniforms::uniforms(&sources, locations.iter().map(located).collect());
            // The programs of a pipeline have the shaders of all of them here.
            all.extend(
                found.into_iter().filter(|it| it.call.is_some() || !is_known(&all, &it.name)).collect::<Vec<_>>(),
            );
        }
        self.blocks(&sources, &mut all);
        let rows = all.iter().map(|uniform| {
            let name = if uniform.kind.is_empty() {
                uniform.name.clone()
            } else {
                format!("{} {}", uniform.kind, uniform.name)
            };
            self.row(report, name, uniform.text(), uniform.call)
        });
        let rows: Vec<Row> = rows.collect();
        let whole = all.iter().filter_map(|uniform| Some((uniform.name.clone(), uniform.whole()?)));
        let elements = all.iter().flat_map(Uniform::named).map(|(name, value)| (name, value.clone()));
        report.uniforms = whole.chain(elements).collect();
        if !rows.is_empty() {
            report.sections.push(Section { title: "Uniforms", is_used: true, rows });
        }
        all
    }

    /// Adds the members of uniform blocks, with what their buffers hold.
    fn blocks(&self, sources: &[std::sync::Arc<str>], all: &mut Vec<Uniform>) {
        let machine = self.machine;
        let Some(target) = buffers::TARGETS.iter().position(|(target, _)| *target == gl::UNIFORM_BUFFER) else {
            return;
        };
        for (_, program, ..) in self.programs() {
            for block in sources.iter().flat_map(|source| blocks::blocks(source)) {
                let of = |wanted: u16| machine.cells_of(program).filter(move |(what, ..)| *what == wanted);
                let index = of(what::BLOCK_NAME).map(|(_, index, _)| index).find(|index| {
                    matches!(machine.value(program, what::BLOCK_NAME, *index), Value::Text(name) if **name == *block.name)
                });
                let binding = match index {
                    Some(index) => machine.number(program, what::BLOCK_BINDING, index).map(|binding| binding as u32),
                    // Which block a binding was given to is not known.
                    None if of(what::BLOCK_BINDING).next().is_some() => continue,
                    None => None,
                };
                let at = (target as u32) << 8 | binding.unwrap_or(block.binding) & 0xff;
                let (_, buffer) = machine.object(self.machine.context_owner(), what::INDEXED_BUFFER, at);
                let from = machine.number(self.machine.context_owner(), what::INDEXED_OFFSET, at).unwrap_or(0);
                let Some(Cell { value: Value::Content(content), call, .. }) = machine.cell(buffer, what::CONTENT, 0)
                else {
                    continue;
                };
                for member in &block.members {
                    let prefix = if block.has_instance { format!("{}.", block.name) } else { String::new() };
                    let (name, is_array) = (format!("{prefix}{}", member.name), member.count.is_some());
                    let elements = member.values(content, usize::try_from(from).unwrap_or(usize::MAX));
                    if elements.is_empty() || is_known(all, &name) {
                        continue;
                    }
                    let kind = member.kind.to_string();
                    all.push(Uniform { name, kind, elements, is_array, call: Some(*call) });
                }
            }
        }
    }

    /// The format and place of the vertices of an array.
    fn array_text(&self, size: &Value, kind: &Value, stride: &Value, buffer: (u32, u32), pointer: &Value) -> String {
        let from = match (buffer, pointer) {
            ((0, _), _) => "memory of the program".to_string(),
            ((name, instance), Value::Int(0)) => self.labelled("buffer", name, instance),
            ((name, instance), pointer) => {
                format!("{} + {}", self.labelled("buffer", name, instance), text(pointer, ""))
            }
        };
        let stride = match stride {
            Value::Int(0) | Value::Unset => "tightly packed".into(),
            other => format!("stride {}", text(other, "")),
        };
        let size = match size {
            Value::Int(size) if *size == i64::from(gl::BGRA) => "BGRA".into(),
            other => text(other, ""),
        };
        format!("{size} × {}, {stride}, {from}", text(kind, "").trim_start_matches("GL_"))
    }

    fn vertices(&self, report: &mut Report) {
        let machine = self.machine;
        let mut rows = Vec::new();
        let (name, instance, call) = self.bound(what::VERTEX_ARRAY_BINDING, 0);
        if name != 0 {
            let row = self.row(report, "Vertex array", self.labelled("array", name, instance), call);
            rows.push(self.of("vertexArray", name, row));
        }
        let (_, program, ..) = self.programs().first().copied().unwrap_or_default();
        for index in (0..LISTED_ATTRIBUTES).filter(|_| !self.machine.is_implicit()) {
            let is_enabled = machine.value(self.array, what::VERTEX_ATTRIB_ARRAY_ENABLED, index) == &Value::Bool(true);
            self.attribute(report, index, is_enabled);
        }
        let inputs = inputs::inputs(machine, self.array, program);
        for input in &inputs {
            let mut said = self.array_text(&input.size, &input.kind, &input.stride, input.buffer, &input.pointer);
            if input.is_normalized && !input.title.starts_with("GL_") {
                said.push_str(", normalized");
            }
            if input.divisor > 0 {
                said.push_str(&format!(", every {} instances", input.divisor));
            }
            let row = self.row(report, input.title.clone(), said, input.call);
            rows.push(self.of("buffer", input.buffer.0, row));
        }
        if let Some(order) = &report.order {
            report.draw = Some(inputs::write(machine, self.array, &inputs, order));
        }
        if let Some(Cell { value: Value::Object { name: name @ 1.., instance }, call, .. }) =
            machine.cell(self.array, what::ELEMENT_ARRAY_BUFFER_BINDING, 0)
        {
            let text = format!("{}{}", self.labelled("buffer", *name, *instance), self.buffer_size(*instance));
            rows.push(self.of("buffer", *name, self.row(report, "Indices", text, Some(*call))));
        }
        if !rows.is_empty() {
            report.sections.push(Section { title: "Vertex inputs", is_used: true, rows });
        }
    }

    fn buffer_size(&self, instance: u32) -> String {
        match self.machine.value(instance, what::SIZE, 0) {
            Value::Int(size) => format!(", {size} bytes"),
            _ => String::new(),
        }
    }

    /// An attribute as a state dump has it.
    fn attribute(&self, report: &mut Report, index: u32, is_enabled: bool) {
        let or = |what: u16, initial: Value| match self.machine.value(self.array, what, index) {
            Value::Unset => initial,
            found => found.clone(),
        };
        let member = |name: &str, value: Value| (Some(format!("GL_VERTEX_ATTRIB_{name}")), value, "");
        let (binding, buffer) = self.machine.binding_of(self.array, index);
        let buffer = if buffer == &Value::Unset { Value::Int(0) } else { buffer.clone() };
        let divisor = self.machine.number(self.array, what::VERTEX_BINDING_DIVISOR, binding).unwrap_or_default();
        let members = vec![
            member("ARRAY_ENABLED", Value::Bool(is_enabled)),
            member("ARRAY_SIZE", or(what::VERTEX_ATTRIB_ARRAY_SIZE, Value::Int(4))),
            member("ARRAY_STRIDE", or(what::VERTEX_ATTRIB_ARRAY_STRIDE, Value::Int(0))),
            member("ARRAY_TYPE", or(what::VERTEX_ATTRIB_ARRAY_TYPE, Value::Constant(gl::FLOAT))),
            member("ARRAY_NORMALIZED", or(what::VERTEX_ATTRIB_ARRAY_NORMALIZED, Value::Bool(false))),
            member("ARRAY_BUFFER_BINDING", buffer),
            member("ARRAY_INTEGER", or(what::VERTEX_ATTRIB_ARRAY_INTEGER, Value::Bool(false))),
            member("ARRAY_DIVISOR", Value::Int(divisor)),
        ];
        report.parameters.push((format!("GL_VERTEX_ATTRIB_ARRAY{index}"), members));
    }

    fn image_text(image: &Image) -> String {
        let mut said = format!("{} × {}", image.width, image.height);
        if image.depth > 1 {
            said.push_str(&format!(" × {}", image.depth));
        }
        said.push_str(&format!(" {}", constant(image.format, "InternalFormat").trim_start_matches("GL_")));
        if image.samples > 1 {
            said.push_str(&format!(", {} samples", image.samples));
        }
        said
    }

    fn textures(&self, report: &mut Report, uniforms: &[Uniform]) {
        let machine = self.machine;
        // Units that the samplers of the program name. Without a program, those that are enabled.
        let samplers: Vec<(&Uniform, String, u32)> = uniforms
            .iter()
            .filter(|uniform| uniform.kind.contains("sampler"))
            .flat_map(|uniform| uniform.named().map(move |(name, value)| (uniform, name, value)))
            .filter_map(|(uniform, name, value)| match value {
                Value::Int(unit) => Some((uniform, name, *unit as u32)),
                _ => None,
            })
            .collect();
        let has_program = !self.programs().is_empty();
        let (mut used, mut others) = (Vec::new(), Vec::new());
        for unit in 0..MAX_UNITS {
            for (target, binding, name) in textures::TARGETS {
                let (texture, instance, call) = self.bound(binding, unit);
                if texture == 0 {
                    continue;
                }
                let is_enabled = machine.value(self.machine.context_owner(), target as u16, unit) == &Value::Bool(true);
                let sampler =
                    samplers.iter().find(|(uniform, _, of)| *of == unit && is_sampler_of(&uniform.kind, target));
                let mut said = vec![self.labelled("texture", texture, instance)];
                let mut levels = 0;
                for level in 0..32 {
                    if let Value::Image(image) = machine.value(instance, what::LEVEL, level_index(level, 0)) {
                        if levels == 0 {
                            said.push(Self::image_text(image));
                        }
                        let title = format!("GL_TEXTURE{unit}, {name}, level = {level}");
                        report.textures.push((title, image.width, image.height, image.format));
                        levels += 1;
                    }
                }
                if levels > 1 {
                    said.push(format!("{levels} levels"));
                }
                if let (name @ 1.., buffer) = machine.object(instance, what::TEXTURE_BUFFER_DATA_STORE_BINDING, 0) {
                    said.push(self.labelled("buffer", name, buffer));
                }
                let (sampler_name, sampler_object, _) = self.bound(what::SAMPLER_BINDING, unit);
                if sampler_name != 0 {
                    said.push(self.labelled("sampler", sampler_name, sampler_object));
                }
                let title = match sampler {
                    Some((_, name, _)) => format!("{name} · unit {unit}"),
                    None => format!("Unit {unit} {}", name.trim_start_matches("GL_")),
                };
                let row = self.of("texture", texture, self.row(report, title, said.join(", "), call));
                let is_used = if has_program { sampler.is_some() } else { is_enabled };
                let rows = if is_used { &mut used } else { &mut others };
                rows.push(row);
                if let Some((text, call)) = sampling(machine, target, instance, sampler_object) {
                    rows.push(self.row(report, "sampled", text, call));
                }
            }
        }
        if !used.is_empty() {
            report.sections.push(Section { title: "Textures", is_used: true, rows: used });
        }
        if !others.is_empty() {
            report.sections.push(Section { title: "Other bound textures", is_used: false, rows: others });
        }
    }

    fn attachment_text(&self, attachment: &Attachment) -> String {
        let Attachment { is_renderbuffer, name, instance, level, layer, face } = attachment;
        let kind = if *is_renderbuffer { "renderbuffer" } else { "texture" };
        let mut said = self.labelled(kind, *name, *instance);
        let image = match is_renderbuffer {
            true => self.machine.value(*instance, what::STORAGE, 0),
            false => self.machine.value(*instance, what::LEVEL, level_index(*level, *face)),
        };
        if let Value::Image(image) = image {
            said.push_str(&format!(", {}", Self::image_text(image)));
        }
        if *level > 0 {
            said.push_str(&format!(", level {level}"));
        }
        if let Some(layer) = layer {
            said.push_str(&format!(", layer {layer}"));
        }
        if *face > 0 {
            said.push_str(&format!(", face {face}"));
        }
        said
    }

    fn framebuffer(&self, report: &mut Report) {
        let (name, instance, call) = self.bound(what::DRAW_FRAMEBUFFER_BINDING, 0);
        let mut rows = Vec::new();
        if name == 0 {
            rows.push(self.row(report, "Framebuffer", "default: the window", call));
            let whole = self.machine.whole();
            if let Some(format) = whole.and_then(|whole| whole.pixel_format.as_ref()?.text()) {
                let created = whole.and_then(|whole| u32::try_from(whole.created?).ok());
                rows.push(self.row(report, "Pixel format", format, created));
            }
        } else {
            let row = self.row(report, "Framebuffer", self.labelled("framebuffer", name, instance), call);
            rows.push(self.of("framebuffer", name, row));
            let mut attached: Vec<(u32, &Cell)> = self
                .machine
                .cells_of(instance)
                .filter(|(what, ..)| *what == what::ATTACHMENT)
                .map(|(_, index, cell)| (index, cell))
                .collect();
            attached.sort_by_key(|(index, _)| *index);
            for (index, cell) in attached {
                if let Value::Attachment(attachment) = &cell.value {
                    let kind = if attachment.is_renderbuffer { "renderbuffer" } else { "texture" };
                    let row = self.row(report, attached_to(index), self.attachment_text(attachment), Some(cell.call));
                    rows.push(self.of(kind, attachment.name, row));
                }
            }
        }
        if let Some((bits, call)) = self.machine.stencil_bits() {
            rows.push(self.row(report, "Stencil bits", bits.to_string(), call));
            report.parameters.push(("GL_STENCIL_BITS".into(), vec![(None, Value::Int(bits), "")]));
        }
        if let Some(cell) = self.machine.cell(self.machine.context_owner(), what::VIEWPORT, 0) {
            rows.push(self.row(report, "Viewport", text(&cell.value, ""), Some(cell.call)));
        }
        report.sections.push(Section { title: "Framebuffer", is_used: true, rows });
    }

    /// The value of a parameter and the call that set it.
    fn parameter(&self, parameter: &Parameter) -> (Value, Option<u32>) {
        let index = match parameter.what {
            what::TEXTURE_MATRIX | what::TEXTURE_STACK_DEPTH | what::CURRENT_TEXTURE_COORDS => self.machine.unit(),
            _ => 0,
        };
        let is_of_array = parameter.what == what::ELEMENT_ARRAY_BUFFER_BINDING;
        let owner = if is_of_array { self.array } else { self.machine.context_owner() };
        match self.machine.cell(owner, parameter.what, index) {
            Some(cell) => (cell.value.clone(), Some(cell.call)),
            None if self.machine.is_implicit() => (Value::Unknown, None),
            None => (initial(self.profile(), parameter), None),
        }
    }

    fn parameters(&self, report: &mut Report) {
        let mut sections: Vec<(Group, Section)> = Vec::new();
        for parameter in parameters::all() {
            let (value, call) = self.parameter(parameter);
            if value == Value::Unknown && call.is_none() {
                continue;
            }
            let name = format!("GL_{}", parameter.name);
            if parameter.what == what::POLYGON_MODE {
                let back = match self.machine.value(self.machine.context_owner(), what::POLYGON_MODE, 1) {
                    Value::Unset => parameter.initial.clone(),
                    other => other.clone(),
                };
                let both = [&value, &back].map(|mode| if let Value::Constant(mode) = mode { *mode } else { 0 });
                report.parameters.push((name, vec![(None, Value::Modes(both), "")]));
            } else if value != Value::Unknown {
                report.parameters.push((name, vec![(None, value.clone(), parameter.constants)]));
            }
            if parameter.group.is_legacy() && !self.profile().has_fixed_function() {
                continue;
            }
            let mut said = text(&value, parameter.constants);
            if let Value::Object { name: 1.., instance } = value
                && let Value::Text(label) = self.machine.value(instance, what::LABEL, 0)
            {
                said.push_str(&format!(" “{label}”"));
            }
            let mut row = self.row(report, parameter.name, said, call);
            if let Value::Object { name, .. } = value
                && let Some(kind) = kind_bound(parameter.name)
            {
                row = self.of(kind, name, row);
            }
            let at = match sections.iter().position(|(group, _)| *group == parameter.group) {
                Some(at) => at,
                None => {
                    let title = parameter.group.title();
                    sections.push((parameter.group, Section { title, is_used: false, rows: Vec::new() }));
                    sections.len() - 1
                }
            };
            let mut own = self.own_rows(report, parameter);
            if let Some((_, section)) = sections.get_mut(at) {
                section.rows.push(row);
                section.rows.append(&mut own);
            }
        }
        sections.sort_by_key(|(group, _)| *group);
        report.sections.extend(sections.into_iter().map(|(_, section)| section));
    }

    /// Rows of draw buffers and viewports that have a value of their own.
    fn own_rows(&self, report: &Report, parameter: &Parameter) -> Vec<Row> {
        let is_indexed = matches!(
            parameter.what,
            what::BLEND
                | what::BLEND_SRC_RGB
                | what::BLEND_DST_RGB
                | what::BLEND_SRC_ALPHA
                | what::BLEND_DST_ALPHA
                | what::BLEND_EQUATION_RGB
                | what::BLEND_EQUATION_ALPHA
                | what::COLOR_WRITEMASK
                | what::VIEWPORT
                | what::SCISSOR_BOX
                | what::SCISSOR_TEST
                | what::DEPTH_RANGE
        );
        let indexes = if is_indexed { 1..16 } else { 0..0 };
        let cell = |index| Some((index, self.machine.cell(self.machine.context_owner(), parameter.what, index)?));
        indexes
            .filter_map(cell)
            .map(|(index, cell)| {
                let name = format!("{} [{index}]", parameter.name);
                self.row(report, name, text(&cell.value, parameter.constants), Some(cell.call))
            })
            .collect()
    }

    fn indexed_buffers(&self, report: &mut Report) {
        let mut rows = Vec::new();
        let machine = self.machine;
        let mut bound: Vec<(u32, &Cell)> = machine
            .cells_of(machine.context_owner())
            .filter(|(what, ..)| *what == what::INDEXED_BUFFER)
            .map(|(_, index, cell)| (index, cell))
            .collect();
        bound.sort_by_key(|(index, _)| *index);
        for (index, cell) in bound {
            let Value::Object { name: name @ 1.., instance } = cell.value else { continue };
            let (target, _) = buffers::TARGETS.get((index >> 8) as usize).copied().unwrap_or_default();
            let mut said = self.labelled("buffer", name, instance);
            let part = |what| machine.value(self.machine.context_owner(), what, index);
            match (part(what::INDEXED_OFFSET), part(what::INDEXED_SIZE)) {
                (Value::Int(offset), Value::Int(size)) => said.push_str(&format!(", {size} bytes from {offset}")),
                _ => said.push_str(&self.buffer_size(instance)),
            }
            let title = constant(target, "BufferTargetARB");
            let title = format!("{} {}", title.trim_start_matches("GL_"), index & 0xff);
            rows.push(self.of("buffer", name, self.row(report, title, said, Some(cell.call))));
        }
        if !rows.is_empty() {
            report.sections.push(Section { title: "Indexed buffer bindings", is_used: false, rows });
        }
    }

    /// Lights that are on, materials, clip planes, and texture environments that were set.
    #[allow(clippy::indexing_slicing, reason = "an array, and indices below its length")]
    fn lights(&self, report: &mut Report) {
        if !self.profile().has_fixed_function() || self.machine.is_implicit() {
            return;
        }
        let machine = self.machine;
        let owner = self.machine.context_owner();
        for (light, title) in (0..).zip(LIGHTS) {
            let is_on = machine.value(owner, what::LIGHT0 + light, 0) == &Value::Bool(true);
            let mut rows = Vec::new();
            let mut members = Vec::new();
            for (at, (parameter, count)) in LIGHT_PARAMETERS.iter().enumerate() {
                let cell = machine.cell(owner, what::LIGHT_FIRST + at as u16, light.into());
                let value = cell.map_or_else(|| light_initial(*parameter, *count, light), |cell| cell.value.clone());
                let name = constant(*parameter, "LightParameter");
                rows.push(self.row(
                    report,
                    name.trim_start_matches("GL_"),
                    text(&value, ""),
                    cell.map(|cell| cell.call),
                ));
                members.push((Some(name), value, ""));
            }
            if is_on {
                report.parameters.push((format!("GL_LIGHT{light}"), members));
                report.sections.push(Section { title, is_used: false, rows });
            }
        }
        for (face, title) in [(0, "GL_FRONT"), (1, "GL_BACK")] {
            let mut rows = Vec::new();
            let mut members: Vec<(Option<String>, Value, &'static str)> = Vec::new();
            for (at, (parameter, _)) in MATERIAL_PARAMETERS.iter().enumerate() {
                let cell = machine.cell(owner, what::MATERIAL_FIRST + at as u16, face);
                let value = cell.map_or_else(|| material_initial(*parameter), |cell| cell.value.clone());
                let name = constant(*parameter, "MaterialParameter");
                if let Some(cell) = cell {
                    rows.push(self.row(report, name.trim_start_matches("GL_"), text(&value, ""), Some(cell.call)));
                }
                members.push((Some(name), value, ""));
            }
            let named: Named = (title.into(), members);
            report.parameters.push(named);
            if !rows.is_empty() {
                let title = if face == 0 { "Material, front" } else { "Material, back" };
                report.sections.push(Section { title, is_used: false, rows });
            }
        }
        let mut rows = Vec::new();
        for (what, index, cell) in machine.cells_of(owner) {
            let name = match what {
                CLIP_PLANE_OF => format!("CLIP_PLANE{index}"),
                what::TEX_GEN_MODE_OF => format!("Unit {} TEXTURE_GEN_MODE {}", index / 4, coordinate(index)),
                what::TEX_GEN_ENABLED => format!("Unit {} TEXTURE_GEN {}", index / 4, coordinate(index)),
                what::TEX_GEN_OBJECT => format!("Unit {} OBJECT_PLANE {}", index / 4, coordinate(index)),
                what::TEXTURE_ENV_MODE | what::TEXTURE_ENV_COLOR | what::COMBINE_RGB..=what::COMBINE_LAST => {
                    let name = constant(what.into(), "TextureEnvParameter");
                    format!("Unit {index} {}", name.trim_start_matches("GL_"))
                }
                _ => continue,
            };
            rows.push(self.row(report, name, text(&cell.value, "TextureEnvMode"), Some(cell.call)));
        }
        if !rows.is_empty() {
            report.sections.push(Section { title: "Texture environment", is_used: false, rows });
        }
    }
}

/// What an attachment of a framebuffer is called beside other words.
fn attached_to(attachment: u32) -> String {
    let name = constant(attachment, "FramebufferAttachment");
    let words = name.trim_start_matches("GL_").to_lowercase().replace('_', " ");
    // `COLOR_ATTACHMENT0` has its number without a space.
    let words = match words.split_once("color attachment") {
        Some(("", number)) => format!("color attachment {number}"),
        _ => words,
    };
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The kind of the objects that a parameter binds, as in the list of resources.
fn kind_bound(parameter: &str) -> Option<&'static str> {
    match parameter {
        "CURRENT_PROGRAM" => Some("program"),
        "VERTEX_ARRAY_BINDING" => Some("vertexArray"),
        "SAMPLER_BINDING" => Some("sampler"),
        "RENDERBUFFER_BINDING" => Some("renderbuffer"),
        _ if parameter.ends_with("FRAMEBUFFER_BINDING") => Some("framebuffer"),
        _ if parameter.ends_with("BUFFER_BINDING") => Some("buffer"),
        _ if parameter.starts_with("TEXTURE_BINDING") => Some("texture"),
        _ => None,
    }
}

const LIGHTS: [&str; 8] = ["Light 0", "Light 1", "Light 2", "Light 3", "Light 4", "Light 5", "Light 6", "Light 7"];

#[allow(clippy::indexing_slicing, reason = "an array, and indices below its length")]
fn coordinate(index: u32) -> char {
    match index % 4 {
        0 => 'S',
        1 => 'T',
        2 => 'R',
        _ => 'Q',
    }
}

/// Whether a sampler of a type samples textures of a target.
fn is_sampler_of(kind: &str, target: u32) -> bool {
    let kind = kind.trim_start_matches(['i', 'u']).trim_end_matches("Shadow");
    let wanted = match target {
        gl::TEXTURE_1D => "sampler1D",
        gl::TEXTURE_2D => "sampler2D",
        gl::TEXTURE_3D => "sampler3D",
        gl::TEXTURE_CUBE_MAP => "samplerCube",
        gl::TEXTURE_RECTANGLE => "sampler2DRect",
        gl::TEXTURE_1D_ARRAY => "sampler1DArray",
        gl::TEXTURE_2D_ARRAY => "sampler2DArray",
        gl::TEXTURE_BUFFER => "samplerBuffer",
        gl::TEXTURE_CUBE_MAP_ARRAY => "samplerCubeArray",
        gl::TEXTURE_2D_MULTISAMPLE => "sampler2DMS",
        gl::TEXTURE_2D_MULTISAMPLE_ARRAY => "sampler2DMSArray",
        gl::TEXTURE_EXTERNAL_OES => "samplerExternalOES",
        _ => return false,
    };
    kind == wanted
}

fn is_known(all: &[Uniform], name: &str) -> bool {
    all.iter().any(|uniform| uniform.name == name)
}

fn light_initial(parameter: u32, count: u8, light: u16) -> Value {
    let first = if light == 0 { 1.0 } else { 0.0 };
    match parameter {
        gl::DIFFUSE | gl::SPECULAR => Value::Floats([first, first, first, 1.0], 4),
        gl::POSITION => Value::Floats([0.0, 0.0, 1.0, 0.0], 4),
        gl::SPOT_DIRECTION => Value::Floats([0.0, 0.0, -1.0, 0.0], 3),
        gl::SPOT_CUTOFF => Value::Float(180.0),
        gl::CONSTANT_ATTENUATION => Value::Float(1.0),
        _ if count == 1 => Value::Float(0.0),
        _ => Value::Floats([0.0, 0.0, 0.0, 1.0], 4),
    }
}

fn material_initial(parameter: u32) -> Value {
    match parameter {
        gl::AMBIENT => Value::Floats([0.2, 0.2, 0.2, 1.0], 4),
        gl::DIFFUSE => Value::Floats([0.8, 0.8, 0.8, 1.0], 4),
        gl::SHININESS => Value::Float(0.0),
        _ => Value::Floats([0.0, 0.0, 0.0, 1.0], 4),
    }
}
