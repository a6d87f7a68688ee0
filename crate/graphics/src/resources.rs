//! The objects of a graphics trace: when each was created, uploaded, bound, drawn with, written and
//! deleted.
//!
//! What calls do to objects the machine of OpenGL tells ([`Effect`]). What a draw uses is what is
//! bound then: for textures that is every unit, whether the shader looks at it or not (`uses.rs`).
//! Of Direct3D, interfaces are followed by their addresses (`interfaces.rs`).
//!
//! `Resources` notes which calls made, uploaded, bound, drew with, wrote and deleted each object.
//! An upload is kept as its call and the pixel store at that time. `Contents` reads these calls
//! again, with their bytes, on demand (`resources/contents.rs`). `unspool_gl::pixels` turns pixels
//! into texels of the internal format; blocks of BPTC are decoded by bcdec_rs, the others there.
//! What the graphics processor writes is not known here: the page asks the replay for it.

mod buffer_contents;
mod contents;
mod effects;
mod interfaces;
mod kinds;
mod shaders;
mod texture;
mod uses;

use hashbrown::{HashMap, HashSet};
use unspool_gl::mappings::Mappings;
use unspool_gl::pixels::PixelStore;
use unspool_gl::{gl, windows};

use crate::contexts::Switches;
use crate::known::Known;
use crate::numbered::Numbered;
use crate::reader::CallVisitor;
use interfaces::{Interfaces, Method};
use shaders::Shaders;
use unspool_gl::call::Call;
use unspool_gl::machine::effects::Effect;
use unspool_gl::machine::{Machine, what};
use uses::Uses;

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
    /// What happened, in the order of calls once [`Resources::settle`] was called.
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

/// Who follows the calls of a function.
enum Follows {
    /// A method of Direct3D.
    Method,
    /// `memcpy` to where a buffer may be mapped.
    Copy(Known),
    /// The machine, with the number that it has for the function.
    Machine(u32),
}

struct Function {
    follows: Follows,
    windows: Option<windows::Function>,
}

/// The resources of a trace, as far as its calls were passed to it.
#[derive(Default)]
pub struct Resources {
    all: Vec<Resource>,
    stores: Numbered<PixelStore>,
    functions: Vec<Function>,
    numbers: HashMap<String, u32>,
    machine: Machine,
    /// The resource of each object, by the owner of its cells, plus 1. 0 for others.
    by_object: Vec<u32>,
    /// What contexts use, by their positions in the machine.
    uses: Vec<Uses>,
    /// The number of contexts with a handle up to each, by positions in the machine.
    listed: Vec<u32>,
    /// Effects of the current call.
    effects: Vec<Effect>,
    /// Objects that the current call has bound.
    bound: HashSet<u32>,
    /// Live interfaces by their addresses.
    live: HashMap<u64, u32>,
    /// Methods of Direct3D, by the number of their functions.
    methods: HashMap<u32, Method>,
    interfaces: Interfaces,
    switches: Switches,
    /// The shaders of programs, by object.
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
    /// Nothing is known yet.
    pub(crate) fn new() -> Self {
        Self { machine: Machine::observed(), ..Self::default() }
    }

    /// Resources whose calls are looked at as they come, in place of a list of them.
    pub(crate) fn watched() -> Self {
        Self { events: MOST_EVENTS, is_watched: true, ..Self::new() }
    }

    fn touch(&mut self, at: u32, touch: Touch) {
        if self.is_watched {
            self.touched.push((at, touch));
        }
    }

    /// Forgets the effects of the call before.
    pub(crate) fn begin_call(&mut self) {
        self.touched.clear();
        self.machine.forget_latest();
    }

    /// The machine that executes the calls.
    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The effects of the latest call.
    pub(crate) fn effects(&self) -> &[Effect] {
        self.machine.effects()
    }

    /// The contexts that calls have made or made current. Those that calls without one imply are
    /// not among them.
    pub fn contexts(&self) -> impl Iterator<Item = &unspool_gl::contexts::Context> {
        self.machine.contexts().iter().filter(|context| context.handle != 0)
    }

    /// By the position of a context in the machine, where its group is one: that in
    /// [`Resources::contexts`]. `None` for contexts that are not among these.
    pub fn positions_of_contexts(&self) -> Vec<Option<u32>> {
        let mut count = 0;
        let mut next = || {
            count += 1;
            count - 1
        };
        self.machine.contexts().iter().map(|context| (context.handle != 0).then(&mut next)).collect()
    }

    /// When each was current.
    pub fn switches(&self) -> &Switches {
        &self.switches
    }

    /// All resources, by creation.
    pub fn all(&self) -> &[Resource] {
        &self.all
    }

    /// The number of times that the graphics processor has written a resource, given by its
    /// position.
    pub(crate) fn writes_of(&self, at: u32) -> u64 {
        self.all.get(at as usize).map_or(0, |it| it.counts[WRITES])
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
        self.events * size_of::<Event>() + self.all.len() * (size_of::<Resource>() + 64) + self.machine.memory()
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
        self.event_on(at, call, self.thread, what);
    }

    fn event_on(&mut self, at: u32, call: u64, thread: u32, what: What) {
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
            resource.events.push(Event { call, thread, what });
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
        self.event(at, call, What::Created);
        Some(at)
    }

    /// The resource of an object. `None` for objects that are not listed.
    fn of_object(&self, object: u32) -> Option<u32> {
        self.by_object.get(object as usize)?.checked_sub(1)
    }

    fn uploaded_to(&mut self, at: u32, call: u64, bytes: u64, offset: u64) {
        let is_texture = self.all.get(at as usize).is_some_and(|it| it.kind == Kind::Texture);
        let (store, from) = if is_texture { self.pixel_source() } else { (PixelStore::default(), None) };
        let store = self.stores.number(store);
        self.touch(at, Touch::Upload { store, is_from_buffer: from.is_some() });
        self.count(at, UPLOADS, 1);
        self.event(at, call, What::Uploaded);
        if let Some(resource) = self.all.get_mut(at as usize) {
            resource.uploaded = resource.uploaded.saturating_add(bytes);
            if self.events < MOST_EVENTS {
                resource.uploads.push(Upload { call, store, from, offset });
                self.events += 1;
            }
        }
    }

    /// How pixels lie in memory now, and the buffer that they come from.
    fn pixel_source(&self) -> (PixelStore, Option<u32>) {
        let context = self.machine.context_owner();
        let mut store = PixelStore::default();
        for name in PIXEL_STORE {
            if let Some(value) = self.machine.number(context, name as u16, 0) {
                store.set(name, u32::try_from(value).unwrap_or_default());
            }
        }
        let (_, buffer) = self.machine.object(context, what::PIXEL_UNPACK_BUFFER_BINDING, 0);
        (store, self.of_object(buffer))
    }

    fn add_part(&mut self, whole: u32, part: u32) {
        let (Some(whole), Some(part)) = (self.of_object(whole), self.of_object(part)) else { return };
        if let Some(resource) = self.all.get_mut(whole as usize).filter(|it| !it.parts.contains(&part)) {
            resource.parts.push(part);
        }
    }

    /// The program writes to memory, which may be that of a mapped buffer.
    fn copy(&mut self, call: &Call, known: &Known) {
        let to = known.arg(call, "dest").int().unwrap_or_default() as u64;
        if let Some((buffer, mapped)) = self.mapped.around(to) {
            let offset = mapped.offset.saturating_add(to - mapped.address);
            self.uploaded_to(buffer, call.number, known.arg(call, "src").bytes_of_program(), offset);
        }
    }
}

impl CallVisitor for Resources {
    fn function(&mut self, name: &str) -> Option<u32> {
        if let Some(number) = self.numbers.get(name) {
            return Some(*number).filter(|number| *number != u32::MAX);
        }
        let follows = match Method::of(name) {
            Some(method) => {
                self.methods.insert(self.functions.len() as u32, method);
                Some(Follows::Method)
            }
            None if name == "memcpy" => Some(Follows::Copy(Known::of(name))),
            None => self.machine.function(name).map(Follows::Machine),
        };
        let number = if follows.is_some() { self.functions.len() as u32 } else { u32::MAX };
        let windows = unspool_gl::Function::of(name).windows();
        self.functions.extend(follows.map(|follows| Function { follows, windows }));
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
        if let Some(Function { follows, windows }) = functions.get(function as usize) {
            match follows {
                Follows::Method => self.method(call, function),
                Follows::Copy(known) => self.copy(call, known),
                Follows::Machine(number) => {
                    self.machine.apply_as(call, *number);
                    self.follow(call.number);
                }
            }
            if windows.is_some() {
                let current = self.machine.current_on(call.thread).and_then(|at| self.listed_context(at as usize));
                self.switches.note(call.number, call.thread, current);
            }
        }
        self.functions = functions;
    }
}

/// The parameters of `glPixelStore` that uploads depend on.
const PIXEL_STORE: [u32; 8] = [
    gl::UNPACK_SWAP_BYTES,
    gl::UNPACK_LSB_FIRST,
    gl::UNPACK_ROW_LENGTH,
    gl::UNPACK_SKIP_ROWS,
    gl::UNPACK_SKIP_PIXELS,
    gl::UNPACK_ALIGNMENT,
    gl::UNPACK_SKIP_IMAGES,
    gl::UNPACK_IMAGE_HEIGHT,
];

/// Whether something happens in these calls, or they are between the first and the last draw with
/// it.
fn is_used(events: &[Event], first: u64, last: u64) -> bool {
    let from = events.partition_point(|event| event.call < first);
    let mut after = events.get(from..).unwrap_or_default().iter();
    let next = after.find(|event| !matches!(event.what, What::Deleted));
    next.is_some_and(|event| event.call <= last || event.what == What::DrawnUntil)
}
