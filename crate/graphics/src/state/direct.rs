//! Functions of `EXT_direct_state_access` that name what others find where it is bound or selected:
//! each is the function for that, while the cell has what the call names. The cell is put back with
//! the call that had set it.

use super::cells::{Cell, Key, Value};
use super::machine::{Machine, Run};
use super::objects::Kind;
use super::textures;
use super::variant::Variant;
use super::what;
use crate::calls::Call;

/// What the first argument names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// A texture, of the target that is the next argument.
    Texture,
    /// A texture unit.
    Unit,
    Framebuffer,
    /// A framebuffer; the function for that which is bound takes a target in its place.
    FramebufferOfTarget,
    VertexArray,
    /// A vertex array, and then a buffer.
    ArrayOfBuffer,
}

/// The function for what is bound, and what a function names, without the prefix `gl`. `None` for
/// functions that have handlers of their own.
pub(super) fn bound_of(name: &str) -> Option<(String, About)> {
    use About::{ArrayOfBuffer, Framebuffer, FramebufferOfTarget, Texture, Unit, VertexArray};
    let plain = name.strip_suffix("EXT")?;
    if let Some(array) = plain.strip_prefix("VertexArray").and_then(|rest| rest.strip_suffix("Offset")) {
        let unit = array.strip_prefix("Multi").filter(|rest| *rest == "TexCoord");
        return unit.is_none().then(|| (format!("{array}Pointer"), ArrayOfBuffer));
    }
    const RULES: [(&str, &str, About); 10] = [
        ("TextureParameter", "TexParameter", Texture),
        ("TextureBuffer", "TexBuffer", Texture),
        ("MultiTex", "Tex", Unit),
        ("NamedFramebufferTexture", "FramebufferTexture", FramebufferOfTarget),
        ("FramebufferDrawBuffer", "DrawBuffer", Framebuffer),
        ("FramebufferReadBuffer", "ReadBuffer", Framebuffer),
        ("EnableVertexArray", "EnableClientState", VertexArray),
        ("DisableVertexArray", "DisableClientState", VertexArray),
        ("VertexArrayBind", "Bind", VertexArray),
        ("VertexArrayVertex", "Vertex", VertexArray),
    ];
    // `NamedFramebufferTextureEXT` and what sets one attribute of an array are as in OpenGL 4.5.
    if [
        "NamedFramebufferTexture",
        "NamedFramebufferTextureLayer",
        "EnableVertexArrayAttrib",
        "DisableVertexArrayAttrib",
    ]
    .contains(&plain)
    {
        return None;
    }
    RULES.iter().find_map(|(begin, bound, about)| Some((format!("{bound}{}", plain.strip_prefix(begin)?), *about)))
}

impl Machine {
    /// Executes a function for what is bound.
    pub(super) fn run_direct(&mut self, about: About, run: Run, call: &Call, variant: Variant) {
        let name = call.uint(0);
        let object = |m: &mut Self, kind, name| Value::Object { name, instance: m.instance(kind, name) };
        let constant = Value::Constant;
        let unit = constant(name);
        let cells: Vec<(u16, u32, Value)> = match about {
            About::Texture => {
                let Some(binding) = textures::binding_of(call.uint(1)) else { return };
                vec![(binding, self.unit(), object(self, Kind::Texture, name))]
            }
            About::Unit => vec![(what::ACTIVE_TEXTURE, 0, unit.clone()), (what::CLIENT_ACTIVE_TEXTURE, 0, unit)],
            About::Framebuffer | About::FramebufferOfTarget => {
                let bound = object(self, Kind::Framebuffer, name);
                let all = [what::DRAW_FRAMEBUFFER_BINDING, what::READ_FRAMEBUFFER_BINDING];
                all.map(|what| (what, 0, bound.clone())).into()
            }
            About::VertexArray => vec![(what::VERTEX_ARRAY_BINDING, 0, object(self, Kind::VertexArray, name))],
            About::ArrayOfBuffer => vec![
                (what::VERTEX_ARRAY_BINDING, 0, object(self, Kind::VertexArray, name)),
                (what::ARRAY_BUFFER_BINDING, 0, object(self, Kind::Buffer, call.uint(1))),
            ],
        };
        let owner = self.context;
        let keys: Vec<Key> = cells.iter().map(|(what, index, _)| Key { owner, what: *what, index: *index }).collect();
        let before: Vec<Option<Cell>> =
            keys.iter().map(|key| self.root.cells.find(&self.slots, *key).cloned()).collect();
        for (what, index, value) in cells {
            self.put(owner, what, index, value);
        }
        let skipped = match about {
            About::FramebufferOfTarget => 0,
            About::ArrayOfBuffer => 2,
            _ => 1,
        };
        run(self, &call.without(skipped), variant);
        for (key, cell) in keys.into_iter().zip(before) {
            let cell = cell.unwrap_or(Cell { value: Value::Unset, call: 0 });
            self.copied += self.root.cells.set(&mut self.slots, key, cell);
        }
    }
}
