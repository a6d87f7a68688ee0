//! The commands for WebGL2, as words and bytes: what the replay hands over to
//! `web/features/pictures/gl/commands.ts`.
//!
//! A command is a word, `op | words << 16`, followed by that many words. Floats are their bits.
//! Bytes and strings are in a second buffer; a command has their offset and length. Objects are
//! numbers that this side chooses, by kind, from 1 on; 0 is not an object. The other side makes an
//! object when it first sees its number.

use std::collections::VecDeque;

use hashbrown::HashSet;

use crate::content::Part;
use crate::shadow::{Command, Shadow};

/// What a command does. Comments say its words. `web/features/pictures/gl/commands.ts` lists the
/// same in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Op {
    /// `call`: the number of the call that the following commands are from. Before each that has
    /// some.
    Mark,
    /// `cap, on`
    Enable,
    /// `x, y, width, height`
    Viewport,
    /// `x, y, width, height`
    Scissor,
    /// Four floats.
    ClearColor,
    /// A float.
    ClearDepth,
    /// `value`
    ClearStencil,
    /// Four truth values.
    ColorMask,
    /// A truth value.
    DepthMask,
    /// `function`
    DepthFunc,
    /// Two floats.
    DepthRange,
    /// `source, destination` of colours, then of alpha.
    BlendFunc,
    /// `equation` of colours, then of alpha.
    BlendEquation,
    /// Four floats.
    BlendColor,
    /// `face`
    CullFace,
    /// `direction`
    FrontFace,
    /// A float.
    LineWidth,
    /// Two floats.
    PolygonOffset,
    /// `face, function, reference, mask`
    StencilFunc,
    /// `face, fail, depth fail, pass`
    StencilOp,
    /// `face, mask`
    StencilMask,
    /// `mask`, pixels of the framebuffer in thousands
    Clear,
    /// `kind, buffer, draw buffer`, four words, pixels in thousands. Kinds: 0 floats, 1 signed, 2
    /// unsigned, 3 depth and stencil.
    ClearBuffer,
    /// `target, framebuffer`
    BindFramebuffer,
    /// `unit, target, texture`
    BindTexture,
    /// `unit, sampler`
    BindSampler,
    /// `texture, binding, target, level, internal format, width, height, depth or 0, format, type, offset, length or 0`
    TexImage,
    /// `texture, binding, target, level, x, y, z, width, height, depth or 0, format, type, offset, length`
    TexSubImage,
    /// `texture, binding, name, value, is float`
    TexParameter,
    /// `texture, binding`, bytes in thousands
    GenerateMipmap,
    /// `texture, binding, target, level, x, y, z, from x, from y, width, height, has layers`
    CopyTexSubImage,
    /// `sampler, name, value, is float`
    SamplerParameter,
    /// `attachment, target, texture, level, layer or -1`, of the draw framebuffer.
    FramebufferTexture,
    /// `attachment, renderbuffer`, of the draw framebuffer.
    FramebufferRenderbuffer,
    /// `renderbuffer, samples, format, width, height`
    RenderbufferStorage,
    /// The buffers, of the draw framebuffer.
    DrawBuffers,
    /// `buffer`, of the read framebuffer.
    ReadBuffer,
    /// Ten words.
    BlitFramebuffer,
    /// `buffer, offset, length, usage`
    BufferData,
    /// `buffer, at, offset, length`
    BufferSubData,
    /// `buffer, size, usage`: zeros.
    BufferStorage,
    /// `index, buffer, offset, size or 0`
    BindUniformBuffer,
    /// `program`, vertex shader (`offset, length`), fragment shader, operations of the larger one,
    /// weight of the heaviest loop.
    Program,
    /// `program`
    UseProgram,
    /// `program, offset, length` of the block's name, `binding`
    UniformBlock,
    /// `slot, program, offset, length` of the name
    UniformLocation,
    /// `slot, kind, transposed`, values. Kinds: floats 1 to 4, ints 5 to 8, unsigned 9 to 12, then
    /// matrices 2, 3, 4, 2x3, 2x4, 3x2, 3x4, 4x2, 4x3.
    Uniform,
    /// `location, buffer, size, type, normalised, stride, offset, is integer, divisor`
    AttribPointer,
    /// `location, kind` (as in [`Op::ClearBuffer`]), four words
    AttribValue,
    /// `location, on`
    AttribEnable,
    /// `buffer`
    ElementBuffer,
    /// What the next draw takes: operations of its vertices in thousands, operations of a pixel,
    /// primitives at most, width and height of the framebuffer.
    Cost,
    /// `mode, first, count, instances`
    DrawArrays,
    /// `mode, count, type, offset, instances`
    DrawElements,
    /// `kind, object`. Kinds: those of [`Kind`].
    Delete,
}

/// The kinds of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Kind {
    /// Textures.
    Texture,
    /// Buffers.
    Buffer,
    /// Framebuffers.
    Framebuffer,
    /// Renderbuffers.
    Renderbuffer,
    /// Programs.
    Program,
    /// Samplers.
    Sampler,
}

/// Commands that were not executed yet.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    /// The commands.
    pub words: Vec<u32>,
    /// What they refer to.
    pub bytes: Vec<u8>,
    /// Whether commands are wanted. Without, everything is followed and nothing is said.
    pub on: bool,
    /// What was added takes long: it is to be executed before more comes.
    pub slow: bool,
    /// Draws that were added.
    pub draws: usize,
    /// The call that is executed, and the one that was marked last.
    pub(crate) call: u32,
    pub(crate) marked: Option<u32>,
    /// What WebGL2 has once it has executed all commands.
    pub(crate) shadow: Shadow,
    /// Limit for the bytes of uploads that the shadow keeps.
    pub(crate) most_held: u64,
    /// Commands that come before all others, of which the shadow has made notes.
    pub(crate) backlog: VecDeque<Command>,
    /// Parts of buffers that belong to commands, by the index of the word with their offset. They
    /// are copied when they are taken.
    pub(crate) parts: Vec<(usize, Part)>,
    pub(crate) part_bytes: usize,
    /// Commands that come before those of `words`, which would be too many bytes at once.
    pub(crate) ready: VecDeque<Batch>,
    /// Textures whose uploads were taken, and may not have been executed.
    pub(crate) doubted: HashSet<u32>,
}

/// Commands that are executed at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    words: Vec<u32>,
    bytes: Vec<u8>,
    parts: Vec<(usize, Part)>,
}

/// What a stream had at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    ready: usize,
    words: usize,
    bytes: usize,
    parts: usize,
}

/// Words and bytes of commands that are executed at once, about.
const WORDS: usize = 1 << 18;
const BYTES: usize = 16 << 20;
/// And draws.
const DRAWS: usize = 128;

impl Stream {
    /// Adds a command.
    pub(crate) fn put(&mut self, op: Op, words: &[u32]) {
        if self.on {
            let bytes = match (op, words) {
                (Op::TexImage | Op::TexSubImage, [.., at, len]) => {
                    self.bytes.get(*at as usize..).and_then(|rest| rest.get(..*len as usize))
                }
                _ => None,
            };
            self.shadow.note(op, words, bytes.unwrap_or_default(), self.most_held);
            self.add(op, words);
        }
    }

    /// A number in thousands.
    pub(crate) fn thousands(number: u64) -> u32 {
        u32::try_from(number / 1000).unwrap_or(u32::MAX)
    }

    fn add(&mut self, op: Op, words: &[u32]) {
        if self.marked != Some(self.call) {
            self.marked = Some(self.call);
            self.words.extend([Op::Mark as u32 | 1 << 16, self.call]);
        }
        self.words.push(op as u32 | (words.len() as u32) << 16);
        self.words.extend_from_slice(words);
    }

    /// Adds a command that writes a part of a buffer: its last two words are the place of the
    /// bytes.
    pub(crate) fn put_part(&mut self, op: Op, words: &[u32], part: Part) {
        if self.on {
            let len = part.bytes().len();
            self.add(op, &[words, &[0, len as u32]].concat());
            self.parts.push((self.words.len() - 2, part));
            self.part_bytes += len;
            self.split();
        }
    }

    /// What comes from now on is executed later, if there are many bytes.
    pub(crate) fn split(&mut self) {
        if self.bytes.len() + self.part_bytes > BYTES {
            let batch = self.batch();
            self.ready.push_back(batch);
        }
    }

    fn batch(&mut self) -> Batch {
        self.part_bytes = 0;
        Batch {
            words: core::mem::take(&mut self.words),
            bytes: core::mem::take(&mut self.bytes),
            parts: core::mem::take(&mut self.parts),
        }
    }

    /// Takes the commands that are executed next, and what they refer to.
    pub fn take(&mut self) -> (Vec<u32>, Vec<u8>) {
        let batch = match self.ready.pop_front() {
            Some(batch) => batch,
            None => {
                (self.slow, self.draws) = (false, 0);
                self.batch()
            }
        };
        let Batch { mut words, mut bytes, parts } = batch;
        bytes.reserve_exact(parts.iter().map(|(_, part)| part.bytes().len().next_multiple_of(8)).sum());
        for (at, part) in parts {
            bytes.resize(bytes.len().next_multiple_of(8), 0);
            if let Some(word) = words.get_mut(at) {
                *word = bytes.len() as u32;
            }
            bytes.extend_from_slice(part.bytes());
        }
        (words, bytes)
    }

    /// Whether there are commands that must be taken before more are added.
    pub(crate) fn is_split(&self) -> bool {
        !self.ready.is_empty()
    }

    pub(crate) fn moment(&self) -> Moment {
        let [words, bytes, parts] = [self.words.len(), self.bytes.len(), self.parts.len()];
        Moment { ready: self.ready.len(), words, bytes, parts }
    }

    /// Forgets what was added since a moment.
    pub(crate) fn return_to(&mut self, moment: Moment) {
        if let Some(Batch { words, bytes, parts }) = self.ready.drain(moment.ready..).next() {
            (self.words, self.bytes, self.parts) = (words, bytes, parts);
        }
        self.words.truncate(moment.words);
        self.bytes.truncate(moment.bytes);
        self.parts.truncate(moment.parts);
    }

    /// Adds commands of the backlog, as many as are executed at once. Returns whether that was all
    /// of them.
    pub(crate) fn catch_up(&mut self) -> bool {
        while !self.is_full()
            && let Some(mut command) = self.backlog.pop_front()
        {
            let place = command.bytes().map(|bytes| self.put_bytes(bytes));
            if let (Some((at, len)), [.., to, of]) = (place, &mut command.words[..]) {
                (*to, *of) = (at, len);
            }
            self.add(command.op, &command.words);
        }
        self.backlog.is_empty()
    }

    /// Textures whose content WebGL2 does not have yet: it is in the backlog, in commands that were
    /// not taken, or in those that were not executed.
    pub(crate) fn lacking(&self) -> HashSet<u32> {
        let uploads = self
            .backlog
            .iter()
            .filter(|command| matches!(command.op, Op::TexImage | Op::TexSubImage | Op::GenerateMipmap))
            .filter_map(|command| command.words.first().copied());
        let waiting = self.ready.iter().map(|batch| &batch.words).chain([&self.words]);
        uploads.chain(waiting.flat_map(|words| uploads_of(words))).chain(self.doubted.iter().copied()).collect()
    }

    /// Commands that were taken were not executed, or not all of them.
    pub(crate) fn doubt(&mut self, words: &[u32]) {
        self.doubted.extend(uploads_of(words));
    }

    /// Whether the commands are to be executed before more come.
    pub(crate) fn is_full(&self) -> bool {
        self.is_split()
            || self.slow
            || self.draws > DRAWS
            || self.words.len() > WORDS
            || self.bytes.len() + self.part_bytes > BYTES
    }

    /// Adds bytes. Returns their offset and length.
    pub(crate) fn put_bytes(&mut self, bytes: &[u8]) -> (u32, u32) {
        if !self.on {
            return (0, bytes.len() as u32);
        }
        // Typed arrays of the other side need whole words.
        while !self.bytes.len().is_multiple_of(8) {
            self.bytes.push(0);
        }
        let at = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        (at as u32, bytes.len() as u32)
    }
}

/// The textures that commands upload to.
fn uploads_of(mut words: &[u32]) -> impl Iterator<Item = u32> {
    const UPLOADS: [Op; 4] = [Op::TexImage, Op::TexSubImage, Op::CopyTexSubImage, Op::GenerateMipmap];
    core::iter::from_fn(move || {
        while let Some((head, rest)) = words.split_first() {
            words = rest.get((head >> 16) as usize..).unwrap_or_default();
            if UPLOADS.iter().any(|op| *op as u32 == head & 0xFFFF) {
                return rest.first().copied();
            }
        }
        None
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use unspool_gl::gl;

    use super::*;

    /// The words of all commands of a kind, in their order.
    pub(crate) fn commands(stream: &Stream, op: Op) -> Vec<&[u32]> {
        each_command(stream).filter(|(known, _)| *known == op as u32).map(|(_, words)| words).collect()
    }

    /// All commands, by the number of their kind, with their words.
    pub(crate) fn each_command(stream: &Stream) -> impl Iterator<Item = (u32, &[u32])> {
        let mut rest = &stream.words[..];
        core::iter::from_fn(move || {
            let (head, words) = rest.split_first()?;
            let (words, others) = words.split_at((head >> 16) as usize);
            rest = others;
            Some((head & 0xFFFF, words))
        })
    }

    #[test]
    fn commands_begin_with_their_call() {
        let mut stream = Stream { on: true, call: 7, ..Stream::default() };
        stream.put(Op::Clear, &[1]);
        stream.put(Op::Scissor, &[1, 2, 3, 4]);
        assert_eq!(commands(&stream, Op::Mark), [[7]]);
        assert_eq!(commands(&stream, Op::Scissor), [[1, 2, 3, 4]]);
    }

    #[test]
    fn textures_lack_what_was_not_executed() {
        let mut stream = Stream { on: true, ..Stream::default() };
        stream.put(Op::Clear, &[1]);
        stream.put(Op::GenerateMipmap, &[7, gl::TEXTURE_2D, 9]);
        stream.put(Op::BindTexture, &[0, gl::TEXTURE_2D, 8]);
        let lacking = |stream: &Stream| stream.lacking().into_iter().collect::<Vec<_>>();
        assert_eq!(lacking(&stream), [7]);
        let (words, _) = stream.take();
        assert_eq!(lacking(&stream), Vec::<u32>::new());
        stream.doubt(&words);
        assert_eq!(lacking(&stream), [7]);
    }
}
