//! The objects of a graphics trace: when each was created, uploaded, bound, drawn with, written and
//! deleted.
//!
//! Names of objects are followed by share group, or by context where contexts do not share the kind
//! (`objects.rs`). What a draw uses is what is bound then: for textures that is every unit, whether
//! the shader looks at it or not. Of Direct3D, interfaces are followed by their addresses
//! (`interfaces.rs`).
//!
//! `Resources` follows objects in the same pass: per share group or context, what is bound where,
//! and which calls made, uploaded, bound, drew with, wrote and deleted each. An upload is kept as
//! its call and the pixel store at that time. `Contents` reads these calls again, with their bytes,
//! on demand (`resources/contents.rs`). `unspool_gl::pixels` turns pixels into texels of the
//! internal format; blocks of BPTC are decoded by bcdec_rs, the others there. What the graphics
//! processor writes is not known here: the page asks the replay for it.

mod binds;
mod buffer_contents;
mod contents;
mod interfaces;
mod kinds;
mod objects;
mod shaders;
mod texture;

use hashbrown::HashMap;
use unspool_gl::mappings::Mappings;
use unspool_gl::pixels::PixelStore;
use unspool_gl::{gl, windows};

use crate::contexts::Contexts;
use crate::known::Known;
use crate::numbered::Numbered;
use crate::reader::CallVisitor;
use interfaces::{Interfaces, Method};
use kinds::{Act, Wrote};
use objects::{Context, Slot};
use shaders::Shaders;
use unspool_gl::call::{Call, Value};

pub use buffer_contents::{BufferAt, Change, Does, GpuWrites, Ranges};
pub use contents::{Contents, Held, TextureAt};
pub use kinds::{Kind, objects_of};
pub use texture::TextureFacts;

/// What happened to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum What {
    /// A method of the interface is called, or the interface is passed to one.
    Used,
    /// A call made its name, or was the first to use it.
    Created,
    /// It got contents.
    Uploaded,
    /// It was bound.
    Bound,
    /// The first draw with it since it was bound.
    Drawn,
    /// The last draw with it before something else was bound.
    DrawnUntil,
    /// The graphics processor wrote it: it was drawn to, copied to, or its smaller levels were
    /// made.
    Written,
    /// It was deleted.
    Deleted,
}

impl What {
    /// A word for people and for JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Uploaded => "uploaded",
            Self::Bound => "bound",
            Self::Used => "used",
            Self::Drawn => "drawn",
            Self::DrawnUntil => "drawnUntil",
            Self::Written => "written",
            Self::Deleted => "deleted",
        }
    }
}

/// Something that happened to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The call.
    pub call: u64,
    /// Its thread, as apitrace numbers them.
    pub thread: u32,
    /// What it did.
    pub what: What,
}

/// What a call does to the contents of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    /// It is bound.
    Bind,
    /// It gets contents: the position of the pixel store, and whether they come out of a buffer.
    Upload { store: u32, is_from_buffer: bool },
    /// It is mapped, or no longer.
    Map,
    /// The graphics processor writes it.
    Write,
    /// It is deleted.
    Delete,
}

/// An upload, with what decides how its bytes are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upload {
    /// The call.
    pub call: u64,
    /// The pixel store at that time: the position in [`Resources::stores`].
    pub store: u32,
    /// The buffer that the pixels come from, by position in [`Resources::all`].
    pub from: Option<u32>,
    /// Of a copy to a mapped buffer: where in the buffer it begins.
    pub offset: u64,
}

/// An object.
#[derive(Clone, Debug)]
pub struct Resource {
    /// What it is.
    pub kind: Kind,
    /// Its name: a number of the program. Of an interface its address.
    pub name: u64,
    /// The first of the contexts that share it, by order of creation.
    pub group: u32,
    /// What the program calls it (`glObjectLabel`).
    pub label: String,
    /// The call that made it.
    pub created: u64,
    /// The call that deleted it.
    pub deleted: Option<u64>,
    /// `glGen…` or `glCreate…` made the name. Otherwise a bind did.
    pub is_generated: bool,
    /// Numbers of uploads, binds, draws and writes.
    pub counts: [u64; 4],
    /// Bytes uploaded, and of its contents, about.
    pub uploaded: u64,
    /// Bytes that it takes: of a texture all levels as far as they are known.
    pub size: u64,
    /// What is known besides: its type, its size.
    pub facts: String,
    /// Of a texture.
    pub texture: TextureFacts,
    /// Calls that gave it contents.
    pub uploads: Vec<Upload>,
    /// Of a buffer: other calls that change what it holds.
    pub changes: Vec<Change>,
    /// Of a program its shaders, of a framebuffer its attachments, by position.
    pub parts: Vec<u32>,
    /// What happened, in order.
    pub events: Vec<Event>,
}

const UPLOADS: usize = 0;
const BINDS: usize = 1;
const DRAWS: usize = 2;
const WRITES: usize = 3;

/// Limit for the number of events of all resources. Further ones are only counted.
const MOST_EVENTS: usize = 1 << 23;
/// Limit for the number of resources.
const MOST_RESOURCES: usize = 1 << 20;

/// Where a buffer is mapped.
#[derive(Clone, Copy, Debug)]
struct Mapped {
    address: u64,
    /// Where in the buffer the mapping begins.
    offset: u64,
}

/// The resources of a trace, as far as its calls were passed to it.
#[derive(Debug, Default)]
pub struct Resources {
    all: Vec<Resource>,
    stores: Numbered<PixelStore>,
    functions: Vec<(Known, Act)>,
    numbers: HashMap<String, u32>,
    /// Live objects: share group or context, kind, name.
    live: HashMap<(u32, Kind, u64), u32>,
    /// Methods of Direct3D, by the number of their functions.
    methods: HashMap<u32, Method>,
    interfaces: Interfaces,
    /// What contexts hold, by their positions plus 1, which are the numbers of groups, too: 0 is
    /// for calls without a context.
    held: Vec<Context>,
    contexts: Contexts,
    /// The shaders of programs, by position.
    programs: HashMap<u32, Shaders>,
    /// The thread of the current call.
    thread: u32,
    mapped: Mappings<u32, Mapped>,
    events: usize,
    /// Events were left out.
    pub is_full: bool,
    /// What the latest call has done, if there is a watcher, which takes it away.
    pub(crate) touched: Vec<(u32, Touch)>,
    is_watched: bool,
}

impl Resources {
    /// Resources whose calls are looked at as they come, in place of a list of them.
    pub(crate) fn watched() -> Self {
        Self { events: MOST_EVENTS, is_watched: true, ..Self::default() }
    }

    fn touch(&mut self, at: u32, touch: Touch) {
        if self.is_watched {
            self.touched.push((at, touch));
        }
    }

    /// The contexts.
    pub fn contexts(&self) -> &Contexts {
        &self.contexts
    }

    /// All resources, by creation.
    pub fn all(&self) -> &[Resource] {
        &self.all
    }

    /// The pixel stores of uploads.
    pub fn stores(&self) -> &[PixelStore] {
        self.stores.all()
    }

    /// A live or dead resource by kind and name: the one that is alive at a call, else the next
    /// one.
    pub fn find(&self, kind: Kind, name: u32, call: u64) -> Option<u32> {
        let of_name = |(_, it): &(usize, &Resource)| it.kind == kind && it.name == u64::from(name);
        let ends = |it: &Resource| it.deleted.unwrap_or(u64::MAX);
        let all = || self.all.iter().enumerate().filter(of_name);
        let alive = all().filter(|(_, it)| it.created <= call && call <= ends(it)).max_by_key(|(_, it)| it.created);
        alive.or_else(|| all().rfind(|(_, it)| it.created <= call)).or_else(|| all().next()).map(|(at, _)| at as u32)
    }

    /// The buffer with this name whose contents a call has given it; without that call, as
    /// [`Resources::find`].
    pub fn buffer_by(&self, name: u32, filled: Option<u64>, call: u64) -> Option<u32> {
        let has = |it: &Resource, filled| it.uploads.binary_search_by_key(&filled, |upload| upload.call).is_ok();
        let is_it = |it: &Resource| it.kind == Kind::Buffer && it.name == u64::from(name);
        let by_upload = filled.and_then(|filled| self.all.iter().position(|it| is_it(it) && has(it, filled)));
        by_upload.map(|at| at as u32).or_else(|| self.find(Kind::Buffer, name, call))
    }

    /// The memory that this takes, in bytes, about.
    pub fn size(&self) -> usize {
        self.events * size_of::<Event>() + self.all.len() * (size_of::<Resource>() + 64)
    }

    /// Whether it was not deleted until the trace ended, or its last context was destroyed.
    pub fn is_leaked(resource: &Resource) -> bool {
        resource.deleted.is_none() && resource.is_generated
    }

    /// The positions of the resources that calls from `first` to `last` use, parts of programs and
    /// framebuffers included.
    pub fn used(&self, first: u64, last: u64) -> Vec<u32> {
        let mut used = vec![false; self.all.len()];
        for at in 0..self.all.len() {
            if self.all.get(at).is_none_or(|it| !is_used(&it.events, first, last)) {
                continue;
            }
            let parts = self.all.get(at).map(|it| &*it.parts).unwrap_or_default();
            for part in parts.iter().map(|part| *part as usize).chain([at]) {
                if let Some(slot) = used.get_mut(part) {
                    *slot = true;
                }
            }
        }
        (0..).zip(used).filter(|(_, used)| *used).map(|(at, _)| at).collect()
    }

    /// What is known of a resource besides its kind and name, for people.
    pub fn facts(&self, resource: &Resource) -> String {
        match resource.kind {
            Kind::Texture => resource.texture.text(),
            Kind::Program | Kind::Framebuffer => {
                let parts = resource.parts.iter().filter_map(|at| self.all.get(*at as usize));
                let texts: Vec<String> = parts.map(|part| format!("{} {}", part.kind.noun(), part.name)).collect();
                texts.join(", ")
            }
            _ => resource.facts.clone(),
        }
    }

    fn event(&mut self, at: u32, call: u64, what: What) {
        match what {
            What::Bound => self.touch(at, Touch::Bind),
            What::Written => self.touch(at, Touch::Write),
            What::Deleted => self.touch(at, Touch::Delete),
            _ => {}
        }
        if self.events >= MOST_EVENTS {
            self.is_full = true;
            return;
        }
        if let Some(resource) = self.all.get_mut(at as usize) {
            resource.events.push(Event { call, thread: self.thread, what });
            self.events += 1;
        }
    }

    fn count(&mut self, at: u32, which: usize, amount: u64) {
        if let Some(count) = self.all.get_mut(at as usize).and_then(|it| it.counts.get_mut(which)) {
            *count += amount;
        }
    }

    fn create(&mut self, group: u32, kind: Kind, name: impl Into<u64>, call: u64, is_generated: bool) -> Option<u32> {
        let name = name.into();
        if name == 0 || self.all.len() >= MOST_RESOURCES {
            self.is_full |= name != 0;
            return None;
        }
        let at = self.all.len() as u32;
        self.all.push(Resource {
            kind,
            name,
            group,
            label: String::new(),
            created: call,
            deleted: None,
            is_generated,
            counts: [0; 4],
            uploaded: 0,
            size: 0,
            facts: String::new(),
            texture: TextureFacts::default(),
            uploads: Vec::new(),
            changes: Vec::new(),
            parts: Vec::new(),
            events: Vec::new(),
        });
        self.live.insert((group, kind, name), at);
        self.event(at, call, What::Created);
        Some(at)
    }

    /// The live resource of a name, which is made if a bind makes it. `None` for 0.
    fn of(&mut self, context: &Context, kind: Kind, name: u32, call: u64) -> Option<u32> {
        let group = context.space_of(kind);
        match self.live.get(&(group, kind, name.into())) {
            Some(at) => Some(*at),
            None => self.create(group, kind, name, call, false),
        }
    }

    fn delete(&mut self, context: &mut Context, kind: Kind, name: u32, call: u64) {
        let Some(at) = self.live.remove(&(context.space_of(kind), kind, name.into())) else { return };
        for slot in context.slots_of(at) {
            self.unbind(context, slot);
        }
        if let Some(resource) = self.all.get_mut(at as usize) {
            resource.deleted = Some(call);
        }
        self.event(at, call, What::Deleted);
    }

    /// A slot of a context gets another resource.
    fn bind(&mut self, context: &mut Context, slot: Slot, resource: Option<u32>, call: u64) {
        self.unbind(context, slot);
        if let Some(at) = resource {
            self.count(at, BINDS, 1);
            self.event(at, call, What::Bound);
            context.put(slot, at);
        }
    }

    fn unbind(&mut self, context: &mut Context, slot: Slot) {
        let Some((at, since)) = context.take(slot) else { return };
        let used = context.used(slot);
        let draws = used.count - since;
        if draws > 0 && slot.is_drawn() {
            self.count(at, if slot == Slot::Drawn { WRITES } else { DRAWS }, draws);
            self.event(at, used.last, What::DrawnUntil);
            if slot == Slot::Program {
                self.count_shaders(at, draws);
            }
        }
    }

    fn draw(&mut self, context: &mut Context, call: u64, clears: bool) {
        for (slot, at) in context.drawn(call, clears) {
            let what = if slot == Slot::Drawn { What::Written } else { What::Drawn };
            self.event(at, call, what);
            if slot == Slot::Drawn {
                self.write_parts(at, call);
            }
        }
    }

    /// A call writes to a framebuffer that it names.
    fn write_to(&mut self, context: &mut Context, name: u32, call: u64) {
        let Some(at) = self.of(context, Kind::Framebuffer, name, call) else { return };
        self.count(at, WRITES, 1);
        self.event(at, call, What::Written);
        self.write_parts(at, call);
    }

    /// Notes a write to all that is attached to a framebuffer.
    fn write_parts(&mut self, framebuffer: u32, call: u64) {
        let parts = self.all.get(framebuffer as usize).map(|it| it.parts.clone()).unwrap_or_default();
        for part in parts {
            self.count(part, WRITES, 1);
            self.event(part, call, What::Written);
        }
    }

    /// Adds what slots that are still bound were drawn with. Called at the end.
    pub fn settle(&mut self) {
        let mut held = core::mem::take(&mut self.held);
        for context in &mut held {
            for slot in context.all_slots() {
                self.unbind(context, slot);
            }
        }
    }
}

impl CallVisitor for Resources {
    fn function(&mut self, name: &str) -> Option<u32> {
        if let Some(number) = self.numbers.get(name) {
            return Some(*number).filter(|number| *number != u32::MAX);
        }
        let known = Known::of(name);
        let act = Act::of(name, &known);
        let number = if act == Act::None { u32::MAX } else { self.functions.len() as u32 };
        if let Some(method) = Method::of(name) {
            self.methods.insert(number, method);
        }
        if act != Act::None {
            self.functions.push((known, act));
        }
        self.numbers.insert(name.into(), number);
        Some(number).filter(|number| *number != u32::MAX)
    }

    fn call(&mut self, call: &Call) {
        self.call_of(call, call.function);
    }
}

impl Resources {
    /// A call of the function with this number, as [`CallVisitor::function`] has returned it.
    pub(crate) fn call_of(&mut self, call: &Call, function: u32) {
        let functions = core::mem::take(&mut self.functions);
        self.thread = u32::try_from(call.thread).unwrap_or(u32::MAX);
        if let Some((known, act)) = functions.get(function as usize) {
            match act {
                Act::Method => self.method(call, function),
                act => self.act(call, known, *act),
            }
        }
        self.functions = functions;
    }

    fn act(&mut self, call: &Call, known: &Known, act: Act) {
        if act == Act::Context {
            return self.act_on_contexts(call, known);
        }
        // What is deleted after a context was given up is meant to be of that.
        let at = self.contexts.latest(call.thread).map_or(0, |at| at as usize + 1);
        self.hold();
        let Some(context) = self.held.get_mut(at) else { return };
        let mut context = core::mem::take(context);
        self.act_in(call, known, act, &mut context);
        if let Some(slot) = self.held.get_mut(at) {
            *slot = context;
        }
    }

    fn act_on_contexts(&mut self, call: &Call, known: &Known) {
        let act = known.windows.and_then(|function| self.contexts.call(function, call));
        self.hold();
        if matches!(act, Some(windows::Act::Shares(..))) {
            let all = self.held.iter_mut().skip(1).zip(self.contexts.all());
            all.for_each(|(context, of)| context.group = of.group + 1);
        }
    }

    /// Makes what new contexts hold.
    fn hold(&mut self) {
        if self.held.is_empty() {
            self.held.push(Context::default());
        }
        for at in self.held.len() - 1..self.contexts.all().len() {
            let group = self.contexts.all().get(at).map_or(0, |context| context.group);
            self.held.push(Context::new(group + 1, at as u32 + 1));
        }
    }

    fn act_in(&mut self, call: &Call, known: &Known, act: Act, context: &mut Context) {
        let number = call.number;
        let uint = |parameter: &str| known.uint(call, parameter).unwrap_or_default();
        match act {
            Act::None | Act::Method | Act::Context => {}
            Act::Generate(kind) => {
                let group = context.space_of(kind);
                for name in names(call) {
                    self.create(group, kind, name, number, true);
                }
            }
            Act::Create(kind) => self.create_one(call, known, kind, context),
            Act::Delete(kind) => {
                for name in names(call) {
                    self.delete(context, kind, name, number);
                }
            }
            Act::DeleteOne(kind) => {
                let name = call.uint(0);
                let kind = kind.unwrap_or_else(|| {
                    let is_shader = self.live.contains_key(&(context.group, Kind::Shader, name.into()));
                    if is_shader { Kind::Shader } else { Kind::Program }
                });
                self.delete(context, kind, name, number);
            }
            Act::ActiveTexture => context.unit = uint("texture").wrapping_sub(gl::TEXTURE0),
            Act::PixelStore => {
                let value = known.arg(call, "param").int().unwrap_or_default();
                context.store.set(uint("pname"), u32::try_from(value).unwrap_or_default());
            }
            Act::BindTexture
            | Act::BindTextureUnit
            | Act::BindBuffer
            | Act::BindBufferIndexed
            | Act::BindFramebuffer
            | Act::BindImage
            | Act::BindVertexBuffer
            | Act::BindSeveral(_)
            | Act::Bind(_) => self.bind_by(call, known, act, context),
            Act::EndQuery => self.unbind(context, Slot::Query(uint("target"))),
            Act::Attach => self.attach(call, known, context),
            Act::AttachShader | Act::DetachShader => {
                let program = self.of(context, Kind::Program, call.uint(0), number);
                let shader = self.of(context, Kind::Shader, call.uint(1), number);
                if act == Act::AttachShader {
                    self.attach_shader(program, shader);
                } else {
                    self.detach_shader(program, shader);
                }
            }
            Act::Link => {
                if let Some(at) = self.of(context, Kind::Program, call.uint(0), number) {
                    self.link(context, at);
                    self.uploaded_to(at, call, context, 0, 0);
                }
            }
            Act::Pointer => {
                let at = context.get(Slot::Buffer { target: gl::ARRAY_BUFFER, index: None });
                let slot =
                    Slot::Attribute(known.uint(call, "index").unwrap_or_else(|| kinds::attribute(&known.canonical)));
                self.unbind(context, slot);
                if let Some(at) = at {
                    context.put(slot, at);
                }
            }
            Act::Label => self.label(call, known, context),
            Act::Source => self.source(call, known, context),
            Act::Texture(function) => self.texture_call(call, function, context),
            Act::BufferData { named, allocates } => self.buffer_data(call, known, [named, allocates], context),
            Act::Map { named } => self.map(call, known, named, context),
            Act::Unmap { named } => {
                let at = self.buffer_of(call, known, named, context);
                if let Some(at) = at {
                    self.touch(at, Touch::Map);
                }
                at.and_then(|at| self.mapped.remove(at));
            }
            Act::Copy => self.copy(call, known, context),
            Act::Invalidate => self.invalidated(call, known, context),
            Act::Write(what) => {
                let found: Vec<u32> = match what {
                    Wrote::Named(parameter) => {
                        self.of(context, Kind::Buffer, uint(parameter), number).into_iter().collect()
                    }
                    Wrote::Bound(parameter) => context.buffer(uint(parameter)).into_iter().collect(),
                    Wrote::Packed => context.buffer(gl::PIXEL_PACK_BUFFER).into_iter().collect(),
                    Wrote::Indexed(targets) => context.indexed(targets),
                    Wrote::Image => {
                        let is_texture = uint("dstTarget") != gl::RENDERBUFFER;
                        let kind = if is_texture { Kind::Texture } else { Kind::Renderbuffer };
                        self.of(context, kind, uint("dstName"), number).into_iter().collect()
                    }
                };
                self.written_to(call, known, &found, context);
                for at in found {
                    self.count(at, WRITES, 1);
                    self.event(at, number, What::Written);
                }
            }
            Act::Draw if call.rendered.is_any() => {
                // Clears and blits of OpenGL 4.5 name what they write to.
                match known.uint(call, "framebuffer").or(known.uint(call, "drawFramebuffer")) {
                    Some(name) => self.write_to(context, name, number),
                    None => self.draw(context, number, call.rendered.is_clear()),
                }
            }
            Act::Draw => {}
        }
    }

    /// A shader, program or the like whose name the call returns.
    fn create_one(&mut self, call: &Call, known: &Known, kind: Kind, context: &Context) {
        let name = call.result().int().unwrap_or_default() as u32;
        let kind_of_shader = |parameter: &str| kinds::shader_type(known.uint(call, parameter).unwrap_or_default());
        if let Some(at) = self.create(context.space_of(kind), kind, name, call.number, true)
            && let Some(resource) = self.all.get_mut(at as usize)
        {
            resource.facts = kind_of_shader("type").or_else(|| kind_of_shader("shaderType")).unwrap_or_default().into();
        }
    }

    /// A shader gets its source.
    fn source(&mut self, call: &Call, known: &Known, context: &Context) {
        let Some(at) = self.of(context, Kind::Shader, call.uint(0), call.number) else { return };
        let strings = known.arg(call, "string").list();
        let bytes = strings.map_or(0, |list| list.filter_map(|value| value.text().map(|text| text.len() as u64)).sum());
        if let Some(resource) = self.all.get_mut(at as usize) {
            resource.size = bytes;
        }
        self.uploaded_to(at, call, context, bytes, 0);
    }

    /// The buffer that a call names, or that is bound to its target.
    fn buffer_of(&mut self, call: &Call, known: &Known, is_named: bool, context: &Context) -> Option<u32> {
        if is_named {
            self.of(context, Kind::Buffer, call.uint(0), call.number)
        } else {
            context.buffer(known.uint(call, "target").unwrap_or_default())
        }
    }

    fn buffer_data(&mut self, call: &Call, known: &Known, [is_named, allocates]: [bool; 2], context: &Context) {
        let Some(at) = self.buffer_of(call, known, is_named, context) else { return };
        // A negative size is an error, and changes nothing.
        let size = known.int(call, "size").unwrap_or_default();
        if let (true, Ok(size)) = (allocates, u64::try_from(size))
            && let Some(resource) = self.all.get_mut(at as usize)
        {
            resource.size = size;
        }
        self.uploaded_to(at, call, context, len_of(known.arg(call, "data")), 0);
    }

    fn map(&mut self, call: &Call, known: &Known, is_named: bool, context: &Context) {
        let Some(at) = self.buffer_of(call, known, is_named, context) else { return };
        self.touch(at, Touch::Map);
        self.mapped_anew(call, known, at);
        let address = call.result().int().unwrap_or_default() as u64;
        if address != 0 {
            let length = known.int(call, "length").map(|length| length.max(0) as u64);
            let size = self.all.get(at as usize).map_or(0, |it| it.size);
            let offset = known.int(call, "offset").unwrap_or_default().max(0) as u64;
            self.mapped.insert(at, address, length.unwrap_or(size), Mapped { address, offset });
        }
    }

    /// The program writes to memory, which may be that of a mapped buffer.
    fn copy(&mut self, call: &Call, known: &Known, context: &Context) {
        let to = known.arg(call, "dest").int().unwrap_or_default() as u64;
        if let Some((buffer, mapped)) = self.mapped.around(to) {
            let offset = mapped.offset.saturating_add(to - mapped.address);
            self.uploaded_to(buffer, call, context, len_of(known.arg(call, "src")), offset);
        }
    }

    fn set_target(&mut self, at: Option<u32>, target: u32) {
        let texture = at.and_then(|at| self.all.get_mut(at as usize)).map(|it| &mut it.texture);
        if let Some(texture) = texture.filter(|it| it.target == 0) {
            texture.target = target;
        }
    }

    fn bind_vertex_array(&mut self, context: &mut Context, at: Option<u32>, call: u64) {
        for slot in context.attribute_slots() {
            if let Some((buffer, _)) = context.peek(slot) {
                self.unbind(context, slot);
                context.remember(slot, buffer);
            }
        }
        self.bind(context, Slot::VertexArray, at, call);
        context.restore(at.unwrap_or(u32::MAX));
    }

    fn uploaded_to(&mut self, at: u32, call: &Call, context: &Context, bytes: u64, offset: u64) {
        let store = self.stores.number(context.store);
        let from = context.get(Slot::Buffer { target: gl::PIXEL_UNPACK_BUFFER, index: None });
        self.touch(at, Touch::Upload { store, is_from_buffer: from.is_some() });
        self.count(at, UPLOADS, 1);
        self.event(at, call.number, What::Uploaded);
        if let Some(resource) = self.all.get_mut(at as usize) {
            resource.uploaded = resource.uploaded.saturating_add(bytes);
            if self.events < MOST_EVENTS {
                resource.uploads.push(Upload { call: call.number, store, from, offset });
                self.events += 1;
            }
        }
    }

    fn add_part(&mut self, whole: Option<u32>, part: Option<u32>) {
        let (Some(whole), Some(part)) = (whole, part) else { return };
        if let Some(resource) = self.all.get_mut(whole as usize).filter(|it| !it.parts.contains(&part)) {
            resource.parts.push(part);
        }
    }

    /// A texture or renderbuffer becomes part of a framebuffer.
    fn attach(&mut self, call: &Call, known: &Known, context: &mut Context) {
        let named = known.uint(call, "framebuffer");
        let framebuffer = match (named, known.uint(call, "target")) {
            (Some(name), _) => self.of(context, Kind::Framebuffer, name, call.number),
            (None, Some(gl::READ_FRAMEBUFFER)) => context.get(Slot::Read),
            _ => context.get(Slot::Drawn),
        };
        let part = match known.uint(call, "texture") {
            Some(name) => self.of(context, Kind::Texture, name, call.number),
            None => {
                let name = known.uint(call, "renderbuffer").unwrap_or_default();
                self.of(context, Kind::Renderbuffer, name, call.number)
            }
        };
        self.add_part(framebuffer, part);
        // A draw after this writes the new part, too.
        if framebuffer.is_some() && context.get(Slot::Drawn) == framebuffer {
            context.refresh(Slot::Drawn);
        }
    }

    fn label(&mut self, call: &Call, known: &Known, context: &Context) {
        let identifier = known.uint(call, "identifier").or(known.uint(call, "type")).unwrap_or_default();
        let name = known.uint(call, "name").or(known.uint(call, "object")).unwrap_or_default();
        let Some(kind) = Kind::of_identifier(identifier) else { return };
        let at = self.live.get(&(context.space_of(kind), kind, name.into())).copied();
        if let Some(resource) = at.and_then(|at| self.all.get_mut(at as usize)) {
            resource.label = known.arg(call, "label").text().unwrap_or_default().into();
        }
    }
}

/// The number of bytes in the program's memory. 0 for anything else.
fn len_of(value: Value<'_>) -> u64 {
    if let Value::Bytes(_, len) = value { len } else { 0 }
}

/// Whether something happens in these calls, or they are between the first and the last draw with
/// it.
fn is_used(events: &[Event], first: u64, last: u64) -> bool {
    let from = events.partition_point(|event| event.call < first);
    let mut after = events.get(from..).unwrap_or_default().iter();
    let next = after.find(|event| !matches!(event.what, What::Deleted));
    next.is_some_and(|event| event.call <= last || event.what == What::DrawnUntil)
}

/// The names of a call that makes or deletes several: its last argument.
fn names(call: &Call) -> Vec<u32> {
    match call.argument(call.len().saturating_sub(1)) {
        Value::List(list) => list.filter_map(|value| value.int().map(|name| name as u32)).collect(),
        value => value.int().map(|name| name as u32).into_iter().collect(),
    }
}
