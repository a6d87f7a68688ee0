//! What a context holds at a call.

use std::sync::Arc;

use unspool_gl::functions;

use unspool_gl::contexts::Profile;
use unspool_gl::machine::cells::Value;

use super::inputs::Order;
use super::json::{Json, shown};
use super::sections;
use unspool_gl::machine::Machine;
use unspool_gl::machine::parameters::Parameter;
use unspool_gl::machine::what;

/// A line of a section.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// What it is about.
    pub name: String,
    /// The value, for people. A matrix has a line for each row.
    pub text: String,
    /// The call that set it. `None` for initial values.
    pub call: Option<u32>,
    /// It was set since the previous draw.
    pub is_changed: bool,
    /// The object that the value is, or takes its contents from.
    pub object: Option<Object>,
}

/// An object of OpenGL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// The word for its kind, as in the list of resources.
    pub kind: &'static str,
    /// Its name.
    pub name: u32,
}

/// Rows that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Its title.
    pub title: &'static str,
    /// A draw at this call uses it.
    pub is_used: bool,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A shader of the program in use.
#[derive(Clone, Debug, PartialEq)]
pub struct Shader {
    /// Its type, such as `GL_VERTEX_SHADER`.
    pub stage: &'static str,
    /// The source that the program was linked from.
    pub source: Arc<str>,
    /// The call that linked it.
    pub call: u32,
    /// It was linked since the previous draw.
    pub is_changed: bool,
}

/// A parameter as `apitrace replay -D` names it, possibly with members.
pub(super) type Named = (String, Vec<(Option<String>, Value, &'static str)>);

/// The state after a call, or before it.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The call.
    pub call: u64,
    /// Its function.
    pub name: String,
    /// It draws, clears or copies pixels.
    pub is_draw: bool,
    /// The state is that before the call.
    pub is_before: bool,
    /// The context of the thread, for people. `None` if none is current.
    pub context: Option<Row>,
    /// The context was not created within the trace, so initial values are left out.
    pub is_partial: bool,
    /// The previous draw of the context: changes are marked since.
    pub since: Option<u32>,
    /// What the draw uses comes first.
    pub sections: Vec<Section>,
    /// Shaders of the program in use, in the order of the pipeline.
    pub shaders: Vec<Shader>,
    /// Of a draw of arrays or elements: how many vertices it takes, and then, as JSON, from where.
    pub(super) order: Option<Order>,
    pub(super) draw: Option<String>,
    pub(super) parameters: Vec<Named>,
    pub(super) uniforms: Vec<(String, Value)>,
    /// Name as in a state dump, width, height, format.
    pub(super) textures: Vec<(String, u32, u32, u32)>,
}

/// What is known of the call that a report is about.
pub(super) struct Found {
    /// Its function.
    pub(super) name: String,
    /// State is compared from the call before it to this one.
    pub(super) is_draw: bool,
    /// Its vertices, if it draws arrays.
    pub(super) order: Option<Order>,
}

impl Report {
    /// The state that a machine has now.
    pub(super) fn of(machine: &mut Machine, call: u64, found: Found, is_before: bool) -> Self {
        let Found { name, is_draw, order } = found;
        let mut report = Self { call, name, is_draw, is_before, order, ..Self::default() };
        machine.look_again();
        let Some([last, previous]) = machine.latest_draws() else { return report };
        report.since = if is_draw && !is_before { previous } else { last };
        report.is_partial = machine.is_implicit();
        report.context = machine.whole().map(|whole| {
            let text = match &whole.version {
                Some(version) => format!("{}, {version}", whole.profile.name()),
                None => whole.profile.name().into(),
            };
            let call = whole.created.and_then(|call| u32::try_from(call).ok());
            Row { name: format!("Context {:#x}", whole.handle), text, call, ..Row::default() }
        });
        sections::fill(machine, &mut report);
        report
    }

    /// Whether a cell that a call has set was set since the previous draw.
    pub(super) fn is_changed(&self, call: Option<u32>) -> bool {
        match (call, self.since) {
            (Some(call), Some(since)) => call > since,
            _ => false,
        }
    }

    /// As one JSON object: what `apitrace replay -D` prints (parameters, shaders, uniforms,
    /// textures), and the sections that the page shows.
    pub fn json(&self) -> String {
        let mut json = Json::default();
        json.object(|json| {
            json.key("call").int(self.call as i64);
            json.key("name").text(&self.name);
            json.key("isDraw").bool(self.is_draw);
            json.key("isBefore").bool(self.is_before);
            json.key("isPartial").bool(self.is_partial);
            match self.since {
                Some(since) => json.key("since").int(since.into()),
                None => json.key("since").null(),
            }
            match &self.context {
                Some(context) => json.key("context").object(|json| row(json, context)),
                None => json.key("context").null(),
            }
            match &self.draw {
                Some(draw) => json.key("draw").raw(draw),
                None => json.key("draw").null(),
            }
            json.key("sections").list(|json| self.sections.iter().for_each(|it| section(json, it)));
            json.key("parameters").object(|json| {
                for (name, members) in &self.parameters {
                    json.key(name);
                    match members.as_slice() {
                        [(None, of, group)] => value(json, of, group),
                        _ => json.object(|json| {
                            for (member, of, group) in members {
                                value(json.key(member.as_deref().unwrap_or_default()), of, group);
                            }
                        }),
                    }
                }
            });
            json.key("shaders").object(|json| {
                for shader in &self.shaders {
                    json.key(shader.stage).text(&shader.source);
                }
            });
            json.key("linked").object(|json| {
                for shader in &self.shaders {
                    json.key(shader.stage).object(|json| {
                        json.key("call").int(shader.call.into());
                        json.key("isChanged").bool(shader.is_changed);
                    });
                }
            });
            json.key("uniforms").object(|json| {
                for (name, of) in &self.uniforms {
                    value(json.key(name), of, "");
                }
            });
            json.key("textures").object(|json| {
                for (name, width, height, format) in &self.textures {
                    json.key(name).object(|json| {
                        json.key("width").int((*width).into());
                        json.key("height").int((*height).into());
                        json.key("format").text(&constant(*format, "InternalFormat"));
                    });
                }
            });
        });
        json.into_text()
    }
}

fn section(json: &mut Json, Section { title, is_used, rows }: &Section) {
    json.object(|json| {
        json.key("title").text(title);
        json.key("isUsed").bool(*is_used);
        json.key("rows").list(|json| rows.iter().for_each(|it| json.object(|json| row(json, it))));
    });
}

fn row(json: &mut Json, Row { name, text, call, is_changed, object }: &Row) {
    json.key("name").text(name);
    json.key("text").text(text);
    match call {
        Some(call) => json.key("call").int((*call).into()),
        None => json.key("call").null(),
    }
    json.key("isChanged").bool(*is_changed);
    match object {
        Some(Object { kind, name }) => json.key("object").object(|json| {
            json.key("kind").text(kind);
            json.key("name").int((*name).into());
        }),
        None => json.key("object").null(),
    }
}

fn flag(is: bool) -> &'static str {
    if is { "GL_TRUE" } else { "GL_FALSE" }
}

/// A value as a state dump has it.
fn value(json: &mut Json, value: &Value, group: &str) {
    match value {
        Value::Bool(is) => json.text(flag(*is)),
        Value::Bools(all) => json.list(|json| all.iter().for_each(|is| json.text(flag(*is)))),
        Value::Int(number) => json.int(*number),
        Value::Constant(number) => json.text(&constant(*number, group)),
        Value::Modes(both) => json.list(|json| both.iter().for_each(|mode| json.text(&constant(*mode, group)))),
        Value::Float(number) => json.float(*number),
        Value::Floats(numbers, count) => {
            json.list(|json| numbers.iter().take((*count).into()).for_each(|number| json.float((*number).into())));
        }
        Value::Ints(numbers, count) => {
            json.list(|json| numbers.iter().take((*count).into()).for_each(|number| json.int((*number).into())));
        }
        Value::Matrix(numbers) => json.list(|json| numbers.iter().for_each(|number| json.float(*number))),
        Value::Numbers(numbers) => {
            let rows = usize::from(numbers.rows).max(1);
            let number = |json: &mut Json, n: f64| if numbers.is_integer { json.int(n as i64) } else { json.float(n) };
            let column = |json: &mut Json, column: &[f64]| match column {
                [one] => number(json, *one),
                all => json.list(|json| all.iter().for_each(|one| number(json, *one))),
            };
            json.list(|json| {
                let elements = numbers.values.chunks(rows * usize::from(numbers.columns).max(1));
                let is_one = elements.len() == 1;
                for element in elements {
                    match (is_one, numbers.columns > 1) {
                        (true, _) => element.chunks(rows).for_each(|of| column(json, of)),
                        (false, true) => json.list(|json| element.chunks(rows).for_each(|of| column(json, of))),
                        (false, false) => column(json, element),
                    }
                }
            });
        }
        Value::Text(text) => json.text(text),
        Value::Object { name, .. } => json.int((*name).into()),
        _ => json.null(),
    }
}

/// The name of a constant, or its number.
pub(super) fn constant(number: u32, group: &str) -> String {
    functions().constant(number, group).unwrap_or_else(|| format!("{number:#06x}"))
}

/// A value for people.
pub(super) fn text(value: &Value, group: &str) -> String {
    let list = |numbers: &mut dyn Iterator<Item = f64>| numbers.map(shown).collect::<Vec<_>>().join(", ");
    match value {
        Value::Unset => String::new(),
        Value::Unknown => "unknown".into(),
        Value::Memory { .. } => "memory of the program".into(),
        Value::Bool(is) => if *is { "on" } else { "off" }.into(),
        Value::Bools(all) => all.iter().zip("RGBA".chars()).map(|(is, c)| if *is { c } else { '–' }).collect(),
        Value::Int(number) => number.to_string(),
        Value::Constant(number) => constant(*number, group),
        Value::Modes(both) => both.map(|mode| constant(mode, group)).join(", "),
        Value::Float(number) => shown(*number),
        Value::Floats(numbers, count) => list(&mut numbers.iter().take((*count).into()).map(|n| f64::from(*n))),
        Value::Ints(numbers, count) => list(&mut numbers.iter().take((*count).into()).map(|n| f64::from(*n))),
        Value::Matrix(numbers) => matrix(numbers.as_slice(), 4),
        Value::Numbers(numbers) => {
            let rows = usize::from(numbers.rows).max(1);
            let elements = numbers.values.chunks(rows * usize::from(numbers.columns).max(1));
            let one = |element: &[f64]| {
                if numbers.columns > 1 { matrix(element, rows) } else { list(&mut element.iter().copied()) }
            };
            elements.map(one).collect::<Vec<_>>().join("\n")
        }
        Value::Text(text) => text.to_string(),
        Value::Object { name, .. } => {
            if *name == 0 {
                "none".into()
            } else {
                name.to_string()
            }
        }
        Value::Image(_) | Value::Attachment(_) | Value::Instances(_) | Value::List(_) | Value::Content(_) => {
            String::new()
        }
    }
}

/// A matrix in column-major order, a line for each row, with its columns aligned. Numbers have six
/// digits at most.
fn matrix(numbers: &[f64], rows: usize) -> String {
    let digits = |number: &f64| {
        let rounded: f64 = format!("{number:.5e}").parse().unwrap_or(*number);
        // There is no use in a negative zero.
        shown(f64::from((rounded + 0.0) as f32))
    };
    let texts: Vec<String> = numbers.iter().map(digits).collect();
    let widths: Vec<usize> =
        texts.chunks(rows).map(|column| column.iter().map(String::len).max().unwrap_or(0)).collect();
    let line = |row: usize| {
        let cells = texts.iter().skip(row).step_by(rows).zip(&widths);
        cells.map(|(text, width)| format!("{text:>width$}")).collect::<Vec<_>>().join("  ")
    };
    (0..rows).map(line).collect::<Vec<_>>().join("\n")
}

/// The initial value of a parameter in a context of a profile.
pub(super) fn initial(profile: Profile, parameter: &Parameter) -> Value {
    match parameter.what {
        // Points are always sprites where there is no fixed function.
        what::POINT_SPRITE => Value::Bool(!profile.has_fixed_function()),
        // Where it can be switched at all: GL_EXT_sRGB_write_control, *New State*.
        what::FRAMEBUFFER_SRGB => Value::Bool(profile.is_es()),
        _ => parameter.initial.clone(),
    }
}
