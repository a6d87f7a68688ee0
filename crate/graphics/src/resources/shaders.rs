//! The shaders that draws use: those that were attached to the program in use when it was linked.

use super::objects::{Context, Slot};
use super::{DRAWS, Resources};

/// The shaders of a program.
#[derive(Debug, Default)]
pub(super) struct Shaders {
    attached: Vec<u32>,
    /// Those that were attached at the latest linking. Detaching or deleting them changes nothing.
    linked: Vec<u32>,
}

impl Resources {
    pub(super) fn attach_shader(&mut self, program: Option<u32>, shader: Option<u32>) {
        self.add_part(program, shader);
        let (Some(program), Some(shader)) = (program, shader) else { return };
        let attached = &mut self.programs.entry(program).or_default().attached;
        if !attached.contains(&shader) {
            attached.push(shader);
        }
    }

    pub(super) fn detach_shader(&mut self, program: Option<u32>, shader: Option<u32>) {
        if let Some(shaders) = program.and_then(|program| self.programs.get_mut(&program)) {
            shaders.attached.retain(|it| Some(*it) != shader);
        }
    }

    pub(super) fn link(&mut self, context: &mut Context, program: u32) {
        let is_in_use = context.get(Slot::Program) == Some(program);
        if is_in_use {
            // The draws so far were those of the shaders before.
            self.unbind(context, Slot::Program);
        }
        let shaders = self.programs.entry(program).or_default();
        shaders.linked.clone_from(&shaders.attached);
        if is_in_use {
            context.put(Slot::Program, program);
        }
    }

    /// Counts draws with a program for its shaders.
    pub(super) fn count_shaders(&mut self, program: u32, draws: u64) {
        let linked = self.programs.get(&program).map(|it| it.linked.clone()).unwrap_or_default();
        for shader in linked {
            self.count(shader, DRAWS, draws);
        }
    }
}
