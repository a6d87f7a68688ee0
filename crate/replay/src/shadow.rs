//! What WebGL2 has of textures, renderbuffers, samplers and framebuffers, as the commands that make
//! it again.
//!
//! Whatever goes through [`crate::ops::Stream`] is noted here, so that a [`crate::snapshots`] can
//! be returned to. Clones share what is the same. Buffers and programs need no notes: what they
//! hold is known where the trace sets it.

use std::cell::Cell;
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use unspool_gl::gl;

use crate::ops::{Kind, Op};

/// Limit for the uploads of a texture that are kept.
const MOST_UPLOADS: usize = 4096;

/// Bytes of an upload. All of them are counted.
#[derive(Debug)]
struct Bytes {
    bytes: Box<[u8]>,
    held: Rc<Cell<u64>>,
}

impl Drop for Bytes {
    fn drop(&mut self) {
        self.held.set(self.held.get().saturating_sub(self.bytes.len() as u64));
    }
}

/// A command. Where bytes belong to it, its last two words are their place.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    pub(crate) op: Op,
    pub(crate) words: Vec<u32>,
    bytes: Option<Rc<Bytes>>,
}

impl Command {
    fn new(op: Op, words: &[u32]) -> Self {
        Self { op, words: words.to_vec(), bytes: None }
    }

    /// The bytes of an upload.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        self.bytes.as_ref().map(|bytes| &*bytes.bytes)
    }
}

/// What a texture holds. Two textures with the same allocation hold the same.
#[derive(Clone, Debug)]
struct Content {
    /// What makes it. `None` if that is more than is kept.
    uploads: Option<Vec<Command>>,
    /// Draws or copies may write to it.
    is_drawn: bool,
}

#[derive(Clone, Debug)]
struct Texture {
    binding: u32,
    parameters: Rc<Vec<Command>>,
    content: Rc<Content>,
}

/// What WebGL2 has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shadow {
    textures: HashMap<u32, Texture>,
    renderbuffers: HashMap<u32, Command>,
    samplers: HashMap<u32, Rc<Vec<Command>>>,
    framebuffers: HashMap<u32, Rc<Vec<Command>>>,
    /// The framebuffers that are bound.
    draw: u32,
    read: u32,
    /// Bytes of all uploads that this and its clones keep.
    held: Rc<Cell<u64>>,
}

impl Shadow {
    /// Notes a command. `bytes` are those of an upload; `most` is the limit for all that are kept.
    pub(crate) fn note(&mut self, op: Op, words: &[u32], bytes: &[u8], most: u64) {
        let [first, second] = [0, 1].map(|i| words.get(i).copied().unwrap_or(0));
        match op {
            Op::BindFramebuffer if first == gl::READ_FRAMEBUFFER => self.read = second,
            Op::BindFramebuffer => self.draw = second,
            Op::TexImage | Op::TexSubImage | Op::GenerateMipmap => self.upload(op, words, bytes, most),
            Op::CopyTexSubImage => self.drawn(first, second),
            Op::TexParameter => {
                let parameters = Rc::make_mut(&mut self.texture(first, second).parameters);
                replace(parameters, Command::new(op, words), |known| known.words.get(2) == words.get(2));
            }
            Op::SamplerParameter => {
                let parameters = Rc::make_mut(self.samplers.entry(first).or_default());
                replace(parameters, Command::new(op, words), |known| known.words.get(1) == words.get(1));
            }
            Op::RenderbufferStorage => {
                self.renderbuffers.insert(first, Command::new(op, words));
            }
            Op::FramebufferTexture | Op::FramebufferRenderbuffer | Op::DrawBuffers | Op::ReadBuffer => {
                let of = if op == Op::ReadBuffer { self.read } else { self.draw };
                let commands = Rc::make_mut(self.framebuffers.entry(of).or_default());
                let is_attachment = |op: Op| matches!(op, Op::FramebufferTexture | Op::FramebufferRenderbuffer);
                replace(commands, Command::new(op, words), |known| {
                    if is_attachment(op) {
                        is_attachment(known.op) && known.words.first() == Some(&first)
                    } else {
                        known.op == op
                    }
                });
                if op == Op::FramebufferTexture
                    && let Some(texture) = words.get(2).and_then(|handle| self.textures.get_mut(handle))
                {
                    set_drawn(&mut texture.content);
                }
            }
            Op::Delete if first == Kind::Texture as u32 => drop(self.textures.remove(&second)),
            Op::Delete if first == Kind::Renderbuffer as u32 => drop(self.renderbuffers.remove(&second)),
            Op::Delete if first == Kind::Sampler as u32 => drop(self.samplers.remove(&second)),
            Op::Delete if first == Kind::Framebuffer as u32 => drop(self.framebuffers.remove(&second)),
            _ => {}
        }
    }

    fn texture(&mut self, handle: u32, binding: u32) -> &mut Texture {
        self.textures.entry(handle).or_insert_with(|| Texture {
            binding,
            parameters: Rc::default(),
            content: Rc::new(Content { uploads: Some(Vec::new()), is_drawn: false }),
        })
    }

    fn drawn(&mut self, handle: u32, binding: u32) {
        set_drawn(&mut self.texture(handle, binding).content);
    }

    fn upload(&mut self, op: Op, words: &[u32], bytes: &[u8], most: u64) {
        let [handle, binding] = [0, 1].map(|i| words.get(i).copied().unwrap_or(0));
        let held = Rc::clone(&self.held);
        // A new allocation if the old one is shared: changes are detected by that.
        let content = Rc::make_mut(&mut self.texture(handle, binding).content);
        let Some(uploads) = &mut content.uploads else { return };
        match op {
            // All of a level: target and level.
            Op::TexImage => {
                uploads.retain(|known| known.op == Op::GenerateMipmap || known.words.get(2..4) != words.get(2..4))
            }
            // The same part of a level: also x, y, z, width, height, depth.
            Op::TexSubImage => uploads.retain(|known| known.op != op || known.words.get(2..10) != words.get(2..10)),
            // Parts of further levels need the levels that earlier ones made.
            _ if uploads.iter().all(|known| known.op != Op::TexSubImage || known.words.get(3) == Some(&0)) => {
                uploads.retain(|known| known.op != op);
            }
            _ => {}
        }
        let len = bytes.len() as u64;
        if uploads.len() >= MOST_UPLOADS || held.get() + len > most {
            content.uploads = None;
            return;
        }
        let mut command = Command::new(op, words);
        if !bytes.is_empty() {
            held.set(held.get() + len);
            command.bytes = Some(Rc::new(Bytes { bytes: bytes.into(), held }));
        }
        uploads.push(command);
    }

    /// Bytes of all uploads that this and its clones keep.
    pub(crate) fn held(&self) -> u64 {
        self.held.get()
    }

    /// Takes over what is known of textures that WebGL2 still has.
    pub(crate) fn inherit(&mut self, earlier: &Self, mut stays: impl FnMut(u32) -> bool) {
        self.held = Rc::clone(&earlier.held);
        let kept = earlier.textures.iter().filter(|(handle, _)| stays(**handle));
        let kept = kept.map(|(handle, texture)| (*handle, Texture { parameters: Rc::default(), ..texture.clone() }));
        self.textures.extend(kept);
    }

    /// The textures that hold in WebGL2, which has `now` but for the textures `lacking`, what they
    /// held here: number and binding of each. `None` if one holds something else, and what it held
    /// is not known any more.
    pub(crate) fn same(&self, now: &Self, lacking: &HashSet<u32>) -> Option<Vec<(u32, u32)>> {
        let mut same = Vec::new();
        for (handle, texture) in &self.textures {
            let is_same = !lacking.contains(handle)
                && now
                    .textures
                    .get(handle)
                    .is_some_and(|other| Rc::ptr_eq(&texture.content, &other.content) && !texture.content.is_drawn);
            if is_same {
                same.push((*handle, texture.binding));
            } else if texture.content.uploads.is_none() {
                return None;
            }
        }
        Some(same)
    }

    /// The commands that make everything of this in a WebGL2 that has nothing but the content of
    /// the textures `same`.
    pub(crate) fn commands(&self, same: &[(u32, u32)]) -> Vec<Command> {
        let same: HashSet<u32> = same.iter().map(|(handle, _)| *handle).collect();
        let mut all = Vec::new();
        for (handle, texture) in &self.textures {
            if !same.contains(handle) {
                all.extend(texture.content.uploads.iter().flatten().cloned());
            }
            all.extend(texture.parameters.iter().cloned());
        }
        all.extend(self.renderbuffers.values().cloned());
        all.extend(self.samplers.values().flat_map(|commands| commands.iter().cloned()));
        for (handle, commands) in &self.framebuffers {
            all.push(Command::new(Op::BindFramebuffer, &[gl::DRAW_FRAMEBUFFER, *handle]));
            all.push(Command::new(Op::BindFramebuffer, &[gl::READ_FRAMEBUFFER, *handle]));
            // What was deleted meanwhile is not attached to anything that can be drawn to.
            let exists = |command: &&Command| match (command.op, &command.words[..]) {
                (Op::FramebufferTexture, [_, _, handle, ..]) => *handle == 0 || self.textures.contains_key(handle),
                (Op::FramebufferRenderbuffer, [_, handle]) => *handle == 0 || self.renderbuffers.contains_key(handle),
                _ => true,
            };
            all.extend(commands.iter().filter(exists).cloned());
        }
        all
    }

    /// Bytes that a clone takes, without what it shares, about.
    pub(crate) fn cost(&self) -> u64 {
        let all = self.textures.len() + self.renderbuffers.len() + self.samplers.len() + self.framebuffers.len();
        all as u64 * 64
    }
}

fn set_drawn(content: &mut Rc<Content>) {
    if !content.is_drawn {
        Rc::make_mut(content).is_drawn = true;
    }
}

fn replace(commands: &mut Vec<Command>, command: Command, is_old: impl Fn(&Command) -> bool) {
    commands.retain(|known| !is_old(known));
    commands.push(command);
}
