//! Direct state access: each function is the one for what is bound. While that is executed, the
//! object that the call names takes the place of the bound one.

use crate::direct::{About, Direct};
use crate::gl;

use super::objects::Kind;
use super::what;
use super::{Machine, Run};
use crate::Variant;
use crate::call::Call;

/// What a call names in place of what is bound or selected.
#[derive(Default)]
pub(crate) struct Named {
    /// The owner of the cells of an object.
    object: Option<(Kind, u32)>,
    /// A buffer for arrays: its name and the owner of its cells.
    buffer: Option<(u32, u32)>,
    /// The number of a texture unit.
    unit: Option<u32>,
}

impl Named {
    /// A texture unit.
    pub(super) fn unit(number: u32) -> Self {
        Self { unit: Some(number), ..Self::default() }
    }
}

impl Machine {
    /// Executes a function for what is bound.
    pub(crate) fn run_direct(&mut self, direct: Direct, run: Run, call: &Call, variant: Variant) {
        let name = call.uint(0);
        let mut named = Named::default();
        let kind = match direct.about {
            About::Texture | About::TextureOfTarget => Some(Kind::Texture),
            About::Buffer => Some(Kind::Buffer),
            About::Framebuffer => Some(Kind::Framebuffer),
            About::Renderbuffer => Some(Kind::Renderbuffer),
            About::VertexArray | About::ArrayOfBuffer | About::ArrayOfUnit => Some(Kind::VertexArray),
            About::Unit => None,
        };
        match kind {
            Some(kind) => {
                named.object = Some((kind, self.own_or_instance(kind, name)));
            }
            None => named.unit = Some(name.wrapping_sub(gl::TEXTURE0)),
        }
        if matches!(direct.about, About::ArrayOfBuffer | About::ArrayOfUnit) {
            named.buffer = Some((call.uint(1), self.instance(Kind::Buffer, call.uint(1))));
        }
        if direct.about == About::ArrayOfUnit {
            named.unit = Some(call.uint(2).wrapping_sub(gl::TEXTURE0));
        }
        self.named = named;
        // Where the function has a target, the name stands in its place: the target does not
        // matter.
        let has_target = direct.target.is_some() || direct.about == About::Texture;
        run(self, &call.without(if has_target { 0 } else { direct.names() }), variant);
        self.named = Named::default();
    }

    /// The owner of the cells of an object. Framebuffer 0 is the window, and vertex array 0 is an
    /// array, too.
    pub(crate) fn own_or_instance(&mut self, kind: Kind, name: u32) -> u32 {
        let is_own = name == 0 && matches!(kind, Kind::Framebuffer | Kind::VertexArray);
        if is_own { self.own(kind, 0) } else { self.instance(kind, name) }
    }

    /// The owner of the object of a kind that the call names.
    pub(crate) fn named(&self, kind: Kind) -> Option<u32> {
        self.named.object.filter(|(of, _)| *of == kind).map(|(_, owner)| owner)
    }

    /// The buffer that arrays are in: its name and the owner of its cells.
    pub(crate) fn array_buffer(&self) -> (u32, u32) {
        self.named.buffer.unwrap_or_else(|| self.object(self.context, what::ARRAY_BUFFER_BINDING, 0))
    }

    /// The texture unit that a cell says is active, or that the call names.
    pub(crate) fn unit_of(&self, what: u16) -> u32 {
        let active = || self.number(self.context, what, 0).map_or(0, |unit| (unit as u32).wrapping_sub(gl::TEXTURE0));
        self.named.unit.unwrap_or_else(active)
    }
}
