//! The attribute stack, of the state that decides what other calls mean.

use unspool_gl::gl;

use super::redundant::Memory;

/// Limit for the depth of the stack.
const MOST_KEPT: usize = 16;

/// Attributes of a context.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    /// Added to the names that `glCallLists` has.
    pub(super) list_base: u64,
    kept: Vec<Kept>,
}

/// The attributes that a push has kept: those of its mask.
#[derive(Debug)]
struct Kept {
    list_base: Option<u64>,
    unit: Option<u64>,
}

impl Attributes {
    pub(super) fn push(&mut self, memory: &mut Memory, context: u64, mask: u32) {
        if self.kept.len() < MOST_KEPT {
            let list_base = (mask & gl::LIST_BIT != 0).then_some(self.list_base);
            let unit = (mask & gl::TEXTURE_BIT != 0).then(|| memory.unit(context));
            self.kept.push(Kept { list_base, unit });
        }
    }

    pub(super) fn pop(&mut self, memory: &mut Memory, context: u64) {
        let Some(Kept { list_base, unit }) = self.kept.pop() else { return };
        self.list_base = list_base.unwrap_or(self.list_base);
        if let Some(unit) = unit {
            memory.activate(context, unit);
        }
    }
}
