//! Matrices of the fixed function, in double precision.

use std::sync::Arc;

use crate::gl;
use crate::matrices::{Function, Stack};

use super::cells::Value;
use super::what;
use super::{Handlers, Machine};
use crate::call::Call;

pub(crate) const HANDLERS: Handlers = &[("MatrixMode", |m, c, _| m.set(what::MATRIX_MODE, Value::Constant(c.uint(0))))];

impl Machine {
    /// A call of a function that changes a stack of matrices.
    pub(crate) fn call_of_matrices(&mut self, function: Function, call: &Call) {
        let mode = self.number(self.context, what::MATRIX_MODE, 0).and_then(|mode| u32::try_from(mode).ok());
        let (chosen, is_known) = ((mode.unwrap_or(gl::MODELVIEW), self.unit()), !self.is_implicit());
        let mut found = None;
        self.change_context(|context| {
            let stacks = Arc::make_mut(&mut context.stacks);
            found = stacks
                .call(function, call, chosen, is_known)
                .map(|changed| (changed, stacks.top(changed.stack).copied()));
        });
        let Some((changed, top)) = found else { return };
        let (what, index, depth) = match changed.stack {
            Stack::Modelview => (what::MODELVIEW_MATRIX, 0, what::MODELVIEW_STACK_DEPTH),
            Stack::Projection => (what::PROJECTION_MATRIX, 0, what::PROJECTION_STACK_DEPTH),
            Stack::Texture(unit) => (what::TEXTURE_MATRIX, unit, what::TEXTURE_STACK_DEPTH),
            Stack::Color => (what::COLOR_MATRIX, 0, what::COLOR_MATRIX_STACK_DEPTH),
            Stack::Other => return,
        };
        if let Some(top) = top {
            self.set_at(what, index, Value::Matrix(Arc::new(top)));
        }
        if let Some(levels) = changed.depth {
            self.set_at(depth, index, Value::Int(levels.into()));
        }
    }
}
