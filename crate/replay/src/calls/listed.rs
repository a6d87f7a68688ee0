//! Commands of display lists. Arrays of vertices are read when a draw is compiled, and belong to
//! the list from then on: OpenGL 2.1, sections 5.4 and 2.8.
//!
//! ```text
//! glNewList, glDrawElements(indices 7 to 9), glEndList  ──▶  vertices 7 to 9, indices 0 to 2
//! memory changes, glCallList                            ──▶  the draw as it was compiled
//! ```

use std::rc::Rc;

use unspool_gl::call::{Call, Value};
use unspool_gl::gl;

use super::draws::{Draw, Restart, index_size};
use super::{Function, Handlers, arrays};
use crate::driver::Replay;
use crate::objects::{Array, VertexArray};

/// A command of a display list.
#[derive(Clone, Debug)]
pub(crate) enum Listed {
    Call(Call),
    Draw(Box<Vertices>),
    /// What `glArrayElement` makes current: see [`arrays::elements`].
    Element(Vec<(usize, [f32; 4])>),
    /// A draw whose vertices could not be read, and why.
    Lack(String),
}

/// A draw with the vertices that it reads, which are counted from the lowest one on. Programs see
/// that in `gl_VertexID`, which display lists leave undefined.
#[derive(Clone, Debug)]
pub(crate) struct Vertices {
    draw: Draw,
    indices: Vec<u8>,
    /// The highest index ends primitives.
    restarts: bool,
    /// The arrays that were enabled, by their slots.
    arrays: Vec<(usize, Array)>,
}

impl Listed {
    /// Bytes that it takes, about.
    pub(crate) fn size(&self) -> u64 {
        let own = match self {
            Self::Call(call) => return call.size(),
            Self::Draw(vertices) => {
                let content = vertices.arrays.iter().filter_map(|(_, array)| array.client.as_ref());
                let content: usize = content.map(|client| client.len()).sum();
                let arrays = vertices.arrays.len() * size_of::<(usize, Array)>();
                size_of::<Vertices>() + arrays + vertices.indices.len() + content
            }
            Self::Element(values) => values.len() * size_of::<(usize, [f32; 4])>(),
            Self::Lack(reason) => reason.len(),
        };
        (size_of::<Self>() + own) as u64
    }

    /// Whether it, or a call of this function, changes a picture by itself.
    pub(super) fn is_draw(&self, function: Option<&Function>) -> bool {
        match self {
            Self::Call(_) => function.is_some_and(|function| function.is_draw),
            Self::Draw(_) | Self::Lack(_) => true,
            Self::Element(_) => false,
        }
    }

    /// The function of a call.
    pub(super) fn function(&self, handlers: &Handlers) -> Option<Rc<Function>> {
        if let Self::Call(call) = self { handlers.get(call.function) } else { None }
    }
}

/// Whether a function reads arrays of vertices.
pub(super) fn reads_arrays(plain: &str) -> bool {
    let all = ["Arrays", "Elements", "RangeElements"];
    plain.starts_with("ArrayElement")
        || ["Draw", "MultiDraw"]
            .iter()
            .any(|begin| plain.strip_prefix(begin).is_some_and(|rest| all.iter().any(|what| rest.starts_with(what))))
}

impl Replay {
    /// Adds a call to the list that is being compiled. Draws of arrays come here one by one: see
    /// [`Replay::compile_draw`].
    pub(crate) fn compile(&mut self, call: &Call, function: &Function) {
        match function.handler.ok().filter(|_| function.reads_arrays) {
            Some(handler) => {
                self.is_compiling = true;
                handler.execute(self, call);
                self.is_compiling = false;
                // The same may be executed next.
                self.call_vertices = 0;
            }
            None => self.list(Listed::Call(call.clone())),
        }
    }

    /// Adds a command to the list that is being compiled.
    pub(crate) fn list(&mut self, command: Listed) {
        let size = command.size();
        if self.halted.is_none()
            && self.reserve(0, size)
            && let Some((_, _, commands)) = self.context().and_then(|context| context.recording.as_mut())
        {
            commands.push(command);
        }
    }

    /// Adds a draw of arrays to the list that is being compiled, with what it reads.
    pub(super) fn compile_draw(&mut self, draw: &Draw, indices: Value<'_>) {
        if self.halted.is_some() {
            return;
        }
        match self.read_vertices(draw, indices) {
            Ok(Some(vertices)) => self.list(Listed::Draw(Box::new(vertices))),
            Ok(None) => {}
            Err(reason) => self.list(Listed::Lack(reason)),
        }
    }

    /// What a draw reads. `None` if there is no room for it.
    fn read_vertices(&mut self, draw: &Draw, indices: Value<'_>) -> Result<Option<Vertices>, String> {
        let Draw { mode, count, instances, .. } = *draw;
        let none = Draw { mode, ..Draw::default() };
        let mut read = Vertices { draw: none, indices: Vec::new(), restarts: false, arrays: Vec::new() };
        if count <= 0 || instances <= 0 {
            return Ok(Some(read));
        }
        let total = (count as u64).saturating_mul(instances as u64);
        self.call_vertices = self.call_vertices.saturating_add(total);
        if self.call_vertices > self.bounds.vertices {
            return Err(format!("the draw has more than {} vertices", self.bounds.vertices));
        }
        let (first, last) = if draw.kind == 0 {
            let Ok(first) = usize::try_from(draw.first) else { return Err("the draw has a negative range".into()) };
            (first, first.saturating_add(count as usize - 1))
        } else {
            let Some((own, first, last)) = self.own_indices(draw, indices)? else { return Ok(Some(read)) };
            read.restarts = own.contains(&u32::MAX);
            read.indices = own.iter().flat_map(|index| index.to_le_bytes()).collect();
            (first, last)
        };
        let kind = if draw.kind == 0 { 0 } else { gl::UNSIGNED_INT };
        read.draw = Draw { count, instances, kind, ..none };
        let arrays = self.context().map(|context| context.arrays().enabled()).unwrap_or_default();
        // It is counted when the whole command is.
        let mut held = 0;
        for (slot, array) in arrays {
            let (first, count) = match (instances as usize - 1).checked_div(array.divisor as usize) {
                None => (first, last - first + 1),
                // The same for all.
                Some(_) if array.divisor == u32::MAX => (0, 1),
                Some(last) => (draw.base_instance as usize, last + 1),
            };
            let needed = count.saturating_mul(array.element()) as u64;
            if !self.reserve(0, needed) {
                return Ok(None);
            }
            held += needed;
            let client = Some(Rc::new(self.packed(&array, first, count)?));
            let Array { size, kind, normalized, integer, divisor, .. } = array;
            let own = Array { enabled: true, size, kind, normalized, integer, divisor, client, ..Array::default() };
            read.arrays.push((slot, own));
        }
        self.reserve(held, 0);
        Ok(Some(read))
    }

    /// The indices of a draw, from 0 on, with the lowest and highest one that they were. The
    /// highest number is in place of those that end primitives. `None` if all of them do.
    fn own_indices(&mut self, draw: &Draw, indices: Value<'_>) -> Result<Option<(Vec<u32>, usize, usize)>, String> {
        let Draw { kind, count, base, .. } = *draw;
        let size = index_size(kind).ok_or("the indices have no type")?;
        let restart = self.context().and_then(|context| context.restart.of(size));
        if indices.bytes().is_none()
            && let Some(problem) = self.buffer_at(gl::ELEMENT_ARRAY_BUFFER).and_then(|buffer| buffer.problem)
        {
            return Err(problem.into());
        }
        let mut own = self.read_indices(kind, count as usize, indices)?;
        let (mut first, mut last) = (u32::MAX, 0);
        for index in &mut own {
            if Some(*index) == restart {
                *index = u32::MAX;
                continue;
            }
            *index = (i64::from(*index) + base).clamp(0, i64::from(u32::MAX) - 1) as u32;
            (first, last) = (first.min(*index), last.max(*index));
        }
        for index in own.iter_mut().filter(|index| **index != u32::MAX) {
            *index -= first;
        }
        Ok((first <= last).then_some((own, first as usize, last as usize)))
    }

    /// Elements of an array, back to back. None if they are not all in the trace: that is said when
    /// an input needs them.
    fn packed(&mut self, array: &Array, first: usize, count: usize) -> Result<Vec<u8>, String> {
        let element = array.element();
        let stride = if array.stride == 0 { element } else { array.stride as usize };
        let from = first.saturating_mul(stride);
        let len = (count - 1).saturating_mul(stride).saturating_add(element);
        let every = |bytes: &[u8]| -> Vec<u8> {
            (0..count).filter_map(|i| bytes.get(i * stride..i * stride + element)).flatten().copied().collect()
        };
        let read = match &array.client {
            Some(client) => client.get(from..).and_then(|rest| rest.get(..len)).map(every),
            None => {
                let buffer = self.both().and_then(|(_, objects, _)| objects.buffers.get(&array.buffer));
                if let Some(problem) = buffer.and_then(|buffer| buffer.problem) {
                    return Err(problem.into());
                }
                buffer.and_then(|buffer| buffer.data.get(array.offset.saturating_add(from), len)).map(|it| every(&it))
            }
        };
        self.work += read.as_ref().map_or(0, |_| len as u64);
        Ok(read.unwrap_or_default())
    }

    /// Executes a command of a display list. `function` is that of a call.
    pub(super) fn execute_listed(&mut self, command: &Listed, function: Option<&Function>) {
        match command {
            Listed::Call(call) => function.into_iter().for_each(|function| self.execute_by(call, function)),
            Listed::Draw(vertices) => self.draw_listed(vertices),
            Listed::Element(values) => arrays::set_elements(self, values),
            Listed::Lack(reason) => self.unshown(reason),
        }
    }

    /// Draws with the arrays of a list in place of those in use.
    fn draw_listed(&mut self, Vertices { draw, indices, restarts, arrays }: &Vertices) {
        let Some(context) = self.context() else { return };
        let mut own = VertexArray::default();
        for (slot, array) in arrays {
            own.set(*slot, array.clone());
        }
        let before = core::mem::replace(context.arrays(), own);
        let restart = Restart { on: *restarts, is_fixed: *restarts, index: 0 };
        let had = core::mem::replace(&mut context.restart, restart);
        self.draw(draw, indices.as_slice().into());
        let Some(context) = self.context() else { return };
        *context.arrays() = before;
        context.restart = had;
    }
}
