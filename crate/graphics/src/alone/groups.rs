//! Which cells of the machine are read together: all that a draw reads of a context, what only
//! other calls read, how pixels are read, what vertices take, an object as such, what it holds.

use unspool_gl::gl;
use unspool_gl::machine::objects::is_name;
use unspool_gl::machine::parameters::{self, Group};
use unspool_gl::machine::{buffers, what};

/// A group of cells of a context or an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Of a context the cells that draws read, of an object what it is.
    State,
    /// Cells that only other calls read.
    Other,
    /// The way in which pixels are read.
    Pixels,
    /// Values that vertices take where no array gives them.
    Current,
    /// Stacks, primitives and what else is followed one by one.
    Own,
    /// Names of objects.
    Names,
    /// The contents of an object. Of a program: uniforms.
    Contents,
    /// Sources, and what else a compiler or a linker reads.
    Inputs,
    /// The places of a program's uniforms.
    Locations,
}

/// All of them, by their numbers.
pub(super) const ALL: [Class; 9] = [
    Class::State,
    Class::Other,
    Class::Pixels,
    Class::Current,
    Class::Own,
    Class::Names,
    Class::Contents,
    Class::Inputs,
    Class::Locations,
];

/// The groups of a context that say how it is.
pub(super) const OF_CONTEXT: [Class; 4] = [Class::State, Class::Other, Class::Pixels, Class::Current];

impl Class {
    /// The class of a cell. `None` for those that are followed otherwise: contents, stacks, what
    /// only says that a program has asked.
    pub(super) fn of(cell: u16) -> Option<Self> {
        Some(match cell {
            what::LABEL
            | what::DELETED
            | what::LEVEL
            | what::CONTENT
            | what::MAPPED
            | what::MAPPED_LAST
            | what::MAPPED_AT
            | what::MAPPED_FROM
            | what::MAPPED_SIZE
            | what::ATTACHED
            | what::UNIFORM
            | what::UNIFORM_NAME
            | what::LINKED
            | what::ATTRIBUTE_NAME
            | what::STAGE_SOURCE
            | what::BLOCK_NAME
            | what::BLOCK_BINDING
            | what::INFO_LOG
            | what::DRAWABLE
            | what::READ_DRAWABLE
            | what::QUERY_ACTIVE
            | what::STENCIL_BITS_OF_WINDOW
            | what::SCISSOR_OF_WINDOW
            | what::LIST_OF
            | what::MODELVIEW_MATRIX
            | what::PROJECTION_MATRIX
            | what::TEXTURE_MATRIX
            | what::COLOR_MATRIX
            | what::MODELVIEW_STACK_DEPTH
            | what::PROJECTION_STACK_DEPTH
            | what::TEXTURE_STACK_DEPTH
            | what::COLOR_MATRIX_STACK_DEPTH
            | what::ATTRIB_STACK_DEPTH
            | what::CLIENT_ATTRIB_STACK_DEPTH => return None,
            what::SOURCE => Self::Inputs,
            what::ACTIVE_TEXTURE | what::CLIENT_ACTIVE_TEXTURE | what::MATRIX_MODE => Self::Other,
            what::ELEMENT_ARRAY_BUFFER_BINDING
            | what::DRAW_INDIRECT_BUFFER_BINDING
            | what::PARAMETER_BUFFER_BINDING
            | what::DISPATCH_INDIRECT_BUFFER_BINDING
            | what::ZOOM_X
            | what::ZOOM_Y => Self::State,
            what::MATERIAL_FIRST..=what::MATERIAL_LAST
            | what::SHADE_MODEL
            | what::CURRENT_COLOR
            | what::CURRENT_NORMAL
            | what::CURRENT_TEXTURE_COORDS
            | what::CURRENT_SECONDARY_COLOR
            | what::CURRENT_FOG_COORD
            | what::CURRENT_INDEX
            | what::CURRENT_VERTEX_ATTRIB
            | what::EDGE_FLAG => Self::Current,
            _ if is_name(cell) => Self::Names,
            _ if buffers::TARGETS.iter().any(|(_, binding)| *binding == cell) => Self::Other,
            _ if (gl::MAP_COLOR as u16..=gl::DEPTH_BIAS as u16).contains(&cell) => Self::Pixels,
            _ => match parameters::find(cell).map(|parameter| parameter.group) {
                Some(Group::PixelStore | Group::PixelTransfer) => Self::Pixels,
                _ => Self::State,
            },
        })
    }
}
