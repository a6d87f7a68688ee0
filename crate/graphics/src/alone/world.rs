//! What calls mean: which contexts, objects and bindings there are when they are made.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};
use unspool_gl::contexts::Contexts;
use unspool_gl::mappings::Mappings;
use unspool_gl::windows::Act;
use unspool_gl::{gl, windows};

use super::lists::{Compiling, List, Saved};
use super::tape::{Cell, Effect, Group, Tape};
use super::{Refusal, rules};
use unspool_gl::call::Call;

/// What a cell is, within its group. The numbers of a cell say which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum What {
    /// A setting: the place of its rule in the table.
    Setting(u16),
    Exists,
    Shape,
    Whole,
    Part,
    Drawn,
    Mipmaps,
    Bound,
    /// The texture of a unit and a target.
    Texture,
    Parameter,
    Saved,
    Matrix,
    Enabled,
    Array,
    Current,
    Size,
    Linked,
    Location,
    Uniform,
    Mapped,
    Name,
    Content,
}

/// Numbers of settings begin here.
const SETTINGS: u16 = 64;

impl What {
    /// The setting of a number, if it is one.
    pub(super) fn setting(number: u16) -> Option<&'static str> {
        let at = number.checked_sub(SETTINGS).filter(|_| number != u16::MAX)?;
        Some(rules::setting(at)).filter(|setting| !setting.is_empty())
    }

    pub(super) fn number(self) -> u16 {
        match self {
            Self::Setting(at) => SETTINGS + at,
            Self::Exists => 1,
            Self::Shape => 2,
            Self::Whole => 3,
            Self::Part => 4,
            Self::Drawn => 5,
            Self::Mipmaps => 6,
            Self::Bound => 7,
            Self::Parameter => 8,
            Self::Saved => 9,
            Self::Matrix => 10,
            Self::Enabled => 11,
            Self::Array => 12,
            Self::Current => 13,
            Self::Size => 14,
            Self::Linked => 15,
            Self::Location => 16,
            Self::Uniform => 17,
            Self::Mapped => 18,
            Self::Name => 19,
            Self::Content => 20,
            Self::Texture => 21,
        }
    }
}

/// A kind of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Texture,
    Buffer,
    Renderbuffer,
    Sampler,
    Shader,
    Program,
    List,
    VertexArray,
    Framebuffer,
    Query,
    Pipeline,
    TransformFeedback,
    Window,
}

impl Kind {
    fn is_shared(self) -> bool {
        !matches!(self, Self::VertexArray | Self::Framebuffer | Self::Query | Self::Pipeline | Self::TransformFeedback)
    }

    /// By the class that the registry gives to parameters.
    pub(super) fn of_class(class: &str) -> Option<Self> {
        Some(match class {
            "texture" => Self::Texture,
            "buffer" => Self::Buffer,
            "renderbuffer" => Self::Renderbuffer,
            "sampler" => Self::Sampler,
            "shader" => Self::Shader,
            "program" => Self::Program,
            "display list" => Self::List,
            "vertex array" => Self::VertexArray,
            "framebuffer" => Self::Framebuffer,
            "query" => Self::Query,
            "program pipeline" => Self::Pipeline,
            "transform feedback" => Self::TransformFeedback,
            _ => return None,
        })
    }

    /// What its contents are called.
    pub(super) fn contents(self) -> &'static str {
        if self == Self::Program { "uniforms" } else { "contents" }
    }

    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Texture => "texture",
            Self::Buffer => "buffer",
            Self::Renderbuffer => "renderbuffer",
            Self::Sampler => "sampler",
            Self::Shader => "shader",
            Self::Program => "program",
            Self::List => "display list",
            Self::VertexArray => "vertex array",
            Self::Framebuffer => "framebuffer",
            Self::Query => "query",
            Self::Pipeline => "program pipeline",
            Self::TransformFeedback => "transform feedback",
            Self::Window => "window",
        }
    }
}

/// An object. 0 stands for no object.
pub(super) type Id = u32;

/// Bytes that an object takes besides its own, about.
const OF_OBJECT: usize = 256;

/// Where something is attached: an object, its level and its layer.
pub(super) type Attached = (Id, u32, u32);

/// An object from when its name was generated to when that is deleted.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) kind: Kind,
    pub(super) name: u64,
    /// That it exists, its sizes and parameters.
    pub(super) def: Group,
    pub(super) exists: Cell,
    /// What it holds. Of a program: uniforms.
    pub(super) contents: Group,
    /// Of a program: what a link reads, and where its uniforms are.
    pub(super) inputs: Group,
    pub(super) locations: Group,
    /// Cells of its contents, by level and face, or by what else is replaced together.
    pub(super) cells: HashMap<(u32, u32), BTreeSet<Cell>>,
    /// Sizes of levels.
    pub(super) sizes: HashMap<u32, [u32; 3]>,
    /// Bytes of a buffer.
    pub(super) bytes: u64,
    /// What it refers to: buffers of a vertex array, attachments, shaders, programs of a pipeline.
    pub(super) parts: BTreeMap<u32, Attached>,
    /// Of a program: units that its samplers may read.
    pub(super) units: BTreeSet<u32>,
    /// Of a program or shader: its units are not known, so that it may read all.
    pub(super) has_any_unit: bool,
    /// It was used since it was generated.
    pub(super) is_used: bool,
    /// Of a window: its size has changed since it was last swapped.
    pub(super) is_resized: bool,
    /// Of a framebuffer: the buffers that are drawn to.
    pub(super) draw_buffers: Option<Vec<u32>>,
    /// Of a list: what it executes.
    pub(super) list: List,
}

impl Object {
    fn of(tape: &mut Tape, kind: Kind, name: u64) -> Self {
        let [def, contents, inputs, locations] = core::array::from_fn(|_| tape.group());
        let exists = tape.cell(def, What::Exists.number(), 0, 0);
        Self {
            kind,
            name,
            def,
            exists,
            contents,
            inputs,
            locations,
            cells: HashMap::new(),
            sizes: HashMap::new(),
            bytes: 0,
            parts: BTreeMap::new(),
            units: BTreeSet::new(),
            has_any_unit: false,
            is_used: false,
            is_resized: false,
            draw_buffers: None,
            list: List::default(),
        }
    }
}

/// The state of a context that decides what calls mean.
#[derive(Clone, Debug, Default)]
pub(super) struct Shadow {
    pub(super) unit: u32,
    pub(super) client_unit: u32,
    pub(super) mode: u32,
    pub(super) textures: BTreeMap<(u32, u32), Id>,
    /// Targets of textures that are enabled, by unit.
    pub(super) fixed: BTreeSet<(u32, u32)>,
    pub(super) has_assembly: bool,
    pub(super) buffers: BTreeMap<u32, Id>,
    pub(super) indexed: BTreeMap<(u32, u32), Id>,
    pub(super) array: Id,
    pub(super) draw: Id,
    pub(super) read: Id,
    pub(super) renderbuffer: Id,
    pub(super) program: Id,
    pub(super) pipeline: Id,
    pub(super) samplers: BTreeMap<u32, Id>,
    pub(super) images: BTreeMap<u32, Id>,
    pub(super) scissors: bool,
    pub(super) scissor: [i64; 4],
    pub(super) tests_depth: bool,
    pub(super) tests_stencil: bool,
    pub(super) masks_depth: bool,
    /// Not all channels of colours are written.
    pub(super) masks_colour: bool,
    pub(super) masks_stencil: bool,
    pub(super) tracks_material: bool,
    pub(super) discards: bool,
    pub(super) blends: bool,
    /// The current colour is seen through.
    pub(super) is_translucent: bool,
    pub(super) list_base: u32,
}

/// A context.
#[derive(Debug, Default)]
pub(super) struct Context {
    /// What draws read, what only other calls read, how pixels are read, what vertices take, and
    /// the primitive that is being given.
    pub(super) state: Group,
    pub(super) other: Group,
    pub(super) pixels: Group,
    pub(super) current: Group,
    pub(super) own: Group,
    pub(super) shadow: Shadow,
    pub(super) saved: Vec<Saved>,
    pub(super) saved_clients: Vec<Saved>,
    /// The calls that have pushed matrices which were not popped, by stack.
    pub(super) matrices: HashMap<u32, Vec<u32>>,
    pub(super) compiling: Option<Compiling>,
    pub(super) is_in_primitive: bool,
    pub(super) window: Id,
    pub(super) read_window: Id,
    /// The vertex array and the textures that have no name.
    pub(super) unnamed: HashMap<(Kind, u32), Id>,
    pub(super) queries: Vec<Id>,
    /// Objects that calls which are not known may have bound.
    pub(super) extras: BTreeSet<Id>,
    /// Transform feedback is going on since this call.
    pub(super) feedback: Option<u32>,
}

/// Memory that a program has mapped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mapping {
    pub(super) address: u64,
    /// Where it begins in the buffer.
    pub(super) offset: u64,
    pub(super) cell: Cell,
    /// The call that has mapped it.
    pub(super) call: u32,
}

/// Everything that is known after a call.
#[derive(Debug)]
pub(super) struct World {
    pub(super) tape: Tape,
    pub(super) contexts: Contexts,
    pub(super) all: Vec<Context>,
    /// For calls without a context.
    nowhere: Context,
    /// For what does not exist.
    none: Object,
    pub(super) objects: Vec<Object>,
    /// By the group of contexts or the context, kind and name.
    pub(super) names: HashMap<(u32, Kind, u64), Id>,
    pub(super) windows: HashMap<u64, Id>,
    pub(super) mappings: Mappings<Id, Mapping>,
    /// Ranges of display lists that were generated, by group and first name: how many, and by whom.
    pub(super) ranges: BTreeMap<(u32, u32), (u32, Cell)>,
    /// What the current call does.
    pub(super) effects: Vec<Effect>,
    /// The number of the current call.
    pub(super) number: u32,
    /// Position of the current context.
    pub(super) at: usize,
    pub(super) share: u32,
    pub(super) thread: u64,
    pub(super) owner_group: Group,
    pub(super) is_of_frames: bool,
    pub(super) draws: bool,
    pub(super) refusal: Option<Refusal>,
    /// Calls of lists that may still be executed for the current call.
    pub(super) budget: u32,
    /// Pairs of windows and contexts that were current together.
    pub(super) met: HashSet<(u32, u64)>,
    pub(super) nesting: u32,
    /// The number of the setting of current colours.
    pub(super) colour: u16,
    /// Draws into a window without clearing it first let what it held shine through: the first call
    /// that does. The other: windows are drawn to or cleared in the frames.
    pub(super) fades: Option<u32>,
    pub(super) has_filled: bool,
    /// The program relies on what a window holds after it was swapped.
    pub(super) reads_age: bool,
    pub(super) rules: rules::Table,
}

impl Default for World {
    fn default() -> Self {
        let mut tape = Tape::default();
        let none = Object::of(&mut tape, Kind::Window, 0);
        let owner_group = tape.group();
        let mut world = Self {
            tape,
            none,
            nowhere: Context::default(),
            contexts: Contexts::default(),
            all: Vec::new(),
            objects: Vec::new(),
            names: HashMap::new(),
            windows: HashMap::new(),
            mappings: Mappings::default(),
            ranges: BTreeMap::new(),
            effects: Vec::new(),
            number: 0,
            at: usize::MAX,
            share: 0,
            thread: 0,
            owner_group,
            is_of_frames: false,
            draws: false,
            refusal: None,
            budget: 0,
            met: HashSet::new(),
            nesting: 0,
            colour: rules::number_of_setting("current colour"),
            fades: None,
            has_filled: false,
            reads_age: false,
            rules: rules::Table::default(),
        };
        // Its number, 0, stands for no object.
        world.object(Kind::Window, 0);
        world
    }
}

impl World {
    /// Bytes that it takes, about.
    pub(super) fn bytes(&self) -> usize {
        self.tape.bytes() + self.objects.len() * (size_of::<Object>() + OF_OBJECT)
    }

    // --- What the current call does.

    pub(super) fn part(&mut self, cell: Cell) {
        self.note(cell);
        self.effects.push(Effect::Part(cell));
    }

    pub(super) fn whole(&mut self, cell: Cell) {
        self.note(cell);
        self.effects.push(Effect::Whole(cell));
    }

    pub(super) fn read(&mut self, cell: Cell) {
        self.effects.push(Effect::Read(cell));
    }

    pub(super) fn read_all(&mut self, group: Group) {
        self.effects.push(Effect::ReadAll(group));
    }

    pub(super) fn always(&mut self) {
        self.effects.push(Effect::Always);
    }

    /// Notes that attributes which were pushed have changed.
    fn note(&mut self, cell: Cell) {
        if let Some(context) = self.all.get_mut(self.at) {
            for saved in [context.saved.last_mut(), context.saved_clients.last_mut()].into_iter().flatten() {
                saved.written.insert(cell);
            }
        }
    }

    // --- Contexts.

    pub(super) fn context(&mut self) -> &mut Context {
        self.all.get_mut(self.at).unwrap_or(&mut self.nowhere)
    }

    pub(super) fn shadow(&mut self) -> &mut Shadow {
        &mut self.context().shadow
    }

    /// Looks up the context of a thread. Returns whether it has one.
    pub(super) fn enter(&mut self, thread: u64) -> bool {
        self.thread = thread;
        let Some(at) = self.contexts.current(thread) else { return false };
        self.at = at as usize;
        self.share = self.contexts.all().get(self.at).map_or(0, |context| context.group);
        while self.all.len() <= self.at {
            let tape = &mut self.tape;
            let [state, other, pixels, current, own] = core::array::from_fn(|_| tape.group());
            let shadow = Shadow { mode: gl::MODELVIEW, ..Shadow::default() };
            self.all.push(Context { state, other, pixels, current, own, shadow, ..Context::default() });
        }
        true
    }

    /// Where the frames begin, the state of contexts is what it was, whatever is read of it.
    pub(super) fn read_contexts(&mut self) {
        for at in self.contexts.all_current().into_iter().map(|at| at as usize) {
            if let Some(context) = self.all.get(at) {
                let groups = [context.state, context.other, context.pixels, context.current];
                self.effects.extend(groups.map(Effect::ReadAll));
                let tops = self.tops_of(at);
                self.effects.extend(tops);
            }
        }
    }

    /// A cell of what draws read.
    pub(super) fn state(&mut self, what: What, a: u64, b: u64) -> Cell {
        let group = self.context().state;
        self.tape.cell(group, what.number(), a, b)
    }

    /// A cell of what draws do not read.
    pub(super) fn other(&mut self, what: What, a: u64, b: u64) -> Cell {
        let group = self.context().other;
        self.tape.cell(group, what.number(), a, b)
    }

    pub(super) fn cell(&mut self, group: Group, what: What, a: u64, b: u64) -> Cell {
        self.tape.cell(group, what.number(), a, b)
    }

    /// The cell of the active texture unit.
    pub(super) fn unit_cell(&mut self) -> Cell {
        self.other(What::Bound, u64::from(gl::ACTIVE_TEXTURE), 0)
    }

    /// The cell of the matrix mode.
    pub(super) fn mode_cell(&mut self) -> Cell {
        self.other(What::Bound, u64::from(gl::MATRIX_MODE), 0)
    }

    // --- Objects.

    pub(super) fn object(&mut self, kind: Kind, name: u64) -> Id {
        self.objects.push(Object::of(&mut self.tape, kind, name));
        self.objects.len() as u32 - 1
    }

    pub(super) fn get(&self, id: Id) -> &Object {
        self.objects.get(id as usize).unwrap_or(&self.none)
    }

    pub(super) fn get_mut(&mut self, id: Id) -> &mut Object {
        self.objects.get_mut(id as usize).unwrap_or(&mut self.none)
    }

    fn space(&self, kind: Kind) -> u32 {
        if kind.is_shared() { self.share } else { (1 << 31) + self.at as u32 }
    }

    /// The cell of what has last happened to a name.
    fn name_cell(&mut self, kind: Kind, name: u64) -> Cell {
        let space = self.space(kind);
        let group = self.owner_group;
        self.tape.cell(group, What::Name.number(), u64::from(space) << 8 | kind as u64, name)
    }

    /// A new object of the current call.
    pub(super) fn make(&mut self, kind: Kind, name: u64) -> Id {
        let id = self.object(kind, name);
        let cell = self.name_cell(kind, name);
        self.whole(cell);
        let exists = self.get(id).exists;
        self.whole(exists);
        let space = self.space(kind);
        self.names.insert((space, kind, name), id);
        id
    }

    /// The object of a name. Older contexts take names that were not generated: the current call
    /// makes these. 0 for name 0.
    pub(super) fn named(&mut self, kind: Kind, name: u64) -> Id {
        if name == 0 {
            return 0;
        }
        let space = self.space(kind);
        if let Some(id) = self.names.get(&(space, kind, name)).copied() {
            let exists = self.get(id).exists;
            self.read(exists);
            return id;
        }
        let id = self.object(kind, name);
        let cell = self.name_cell(kind, name);
        self.read(cell);
        let exists = self.get(id).exists;
        self.part(exists);
        self.names.insert((space, kind, name), id);
        id
    }

    /// The object of a name, if there is one.
    pub(super) fn known(&self, kind: Kind, name: u64) -> Option<Id> {
        self.names.get(&(self.space(kind), kind, name)).copied()
    }

    /// An object is used: what it is may be decided by the first use.
    pub(super) fn used(&mut self, id: Id) {
        if id != 0 && !core::mem::replace(&mut self.get_mut(id).is_used, true) {
            let exists = self.get(id).exists;
            self.part(exists);
        }
    }

    /// A name is deleted by the current call.
    pub(super) fn delete(&mut self, kind: Kind, name: u64) {
        let space = self.space(kind);
        let Some(id) = self.names.remove(&(space, kind, name)) else { return };
        let exists = self.get(id).exists;
        self.read(exists);
        let cell = self.name_cell(kind, name);
        self.part(cell);
        self.unbind(id);
    }

    /// An object that is deleted is not bound any more in the current context.
    fn unbind(&mut self, id: Id) {
        let mut cells = Vec::new();
        let shadow = self.shadow();
        let textures: Vec<_> = shadow.textures.iter().filter(|(_, bound)| **bound == id).map(|(at, _)| *at).collect();
        let buffers: Vec<_> = shadow.buffers.iter().filter(|(_, bound)| **bound == id).map(|(at, _)| *at).collect();
        let indexed: Vec<_> = shadow.indexed.iter().filter(|(_, bound)| **bound == id).map(|(at, _)| *at).collect();
        let samplers: Vec<_> = shadow.samplers.iter().filter(|(_, bound)| **bound == id).map(|(at, _)| *at).collect();
        for at in textures {
            self.shadow().textures.remove(&at);
            cells.push(self.state(What::Texture, u64::from(at.0), u64::from(at.1)));
        }
        for target in buffers {
            self.shadow().buffers.remove(&target);
            cells.push(self.buffer_cell(target));
        }
        for at in indexed {
            self.shadow().indexed.remove(&at);
            cells.push(self.state(What::Bound, u64::from(at.0), 1 << 32 | u64::from(at.1)));
        }
        for unit in samplers {
            self.shadow().samplers.remove(&unit);
            cells.push(self.state(What::Bound, u64::from(gl::SAMPLER_BINDING), unit.into()));
        }
        let shadow = self.shadow();
        let bound = [
            (shadow.array == id, gl::VERTEX_ARRAY_BINDING),
            (shadow.draw == id, gl::DRAW_FRAMEBUFFER),
            (shadow.read == id, gl::READ_FRAMEBUFFER),
            (shadow.renderbuffer == id, gl::RENDERBUFFER),
        ];
        for (is_bound, what) in bound {
            if id != 0 && is_bound {
                let shadow = self.shadow();
                match what {
                    gl::VERTEX_ARRAY_BINDING => shadow.array = 0,
                    gl::DRAW_FRAMEBUFFER => shadow.draw = 0,
                    gl::READ_FRAMEBUFFER => shadow.read = 0,
                    _ => shadow.renderbuffer = 0,
                }
                cells.push(self.state(What::Bound, what.into(), 0));
            }
        }
        // What it is attached to loses it, if that is bound.
        for owner in [self.shadow().draw, self.shadow().read, self.array()] {
            let gone: Vec<u32> =
                self.get(owner).parts.iter().filter(|(_, part)| part.0 == id).map(|(at, _)| *at).collect();
            for at in gone {
                self.get_mut(owner).parts.remove(&at);
                let def = self.get(owner).def;
                cells.push(self.cell(def, What::Array, at.into(), 0));
            }
        }
        cells.into_iter().for_each(|cell| self.whole(cell));
    }

    /// The vertex array that is bound: the context's own if none is.
    pub(super) fn array(&mut self) -> Id {
        match self.shadow().array {
            0 => self.unnamed(Kind::VertexArray, 0),
            id => id,
        }
    }

    /// An object that has no name, of the current context.
    pub(super) fn unnamed(&mut self, kind: Kind, which: u32) -> Id {
        if let Some(id) = self.context().unnamed.get(&(kind, which)) {
            return *id;
        }
        let id = self.object(kind, 0);
        self.context().unnamed.insert((kind, which), id);
        id
    }

    /// The cell of the buffer that is bound to a target.
    pub(super) fn buffer_cell(&mut self, target: u32) -> Cell {
        match target {
            gl::ELEMENT_ARRAY_BUFFER => {
                let array = self.array();
                let def = self.get(array).def;
                self.cell(def, What::Bound, target.into(), 0)
            }
            gl::DRAW_INDIRECT_BUFFER | gl::PARAMETER_BUFFER | gl::DISPATCH_INDIRECT_BUFFER => {
                self.state(What::Bound, target.into(), 0)
            }
            _ => self.other(What::Bound, target.into(), 0),
        }
    }

    /// A cell of what an object holds, which is replaced with others of the place.
    pub(super) fn content(&mut self, id: Id, place: (u32, u32), what: What, a: u64, b: u64) -> Cell {
        let group = self.get(id).contents;
        let cell = self.cell(group, what, a, b);
        self.get_mut(id).cells.entry(place).or_default().insert(cell);
        cell
    }

    /// The current call replaces all that an object holds at a place.
    pub(super) fn replace(&mut self, id: Id, place: (u32, u32)) {
        let cells = core::mem::take(self.get_mut(id).cells.entry(place).or_default());
        cells.into_iter().for_each(|cell| self.whole(cell));
    }

    /// Groups of cells of objects that no call can refer to any more.
    pub(super) fn gone(&mut self) -> HashSet<Group> {
        let mut there: HashSet<Id> = HashSet::from_iter([0]);
        let mut reached: Vec<Id> = self.names.values().chain(self.windows.values()).copied().collect();
        reached.extend(self.mappings.buffers());
        for context in &self.all {
            reached.extend([context.window, context.read_window]);
            reached.extend(context.unnamed.values().chain(&context.queries).chain(&context.extras));
            reached.extend(context.compiling.as_ref().map(Compiling::id));
            let saved = || context.saved.iter().chain(&context.saved_clients);
            reached.extend(saved().flat_map(|saved| saved.parts.values().map(|part| part.0)));
            for shadow in saved().map(|saved| &saved.shadow).chain([&context.shadow]) {
                reached.extend([shadow.array, shadow.draw, shadow.read, shadow.renderbuffer]);
                reached.extend([shadow.program, shadow.pipeline]);
                reached.extend(shadow.textures.values().chain(shadow.buffers.values()));
                reached.extend(shadow.indexed.values().chain(shadow.samplers.values()).chain(shadow.images.values()));
            }
        }
        while let Some(id) = reached.pop() {
            if there.insert(id) {
                reached.extend(self.get(id).parts.values().map(|part| part.0));
            }
        }
        let mut groups = HashSet::new();
        for (id, object) in (0..).zip(&mut self.objects) {
            if !there.contains(&id) {
                groups.extend([object.def, object.contents, object.inputs, object.locations]);
                (object.cells, object.parts, object.list) = Default::default();
            }
        }
        groups
    }

    // --- Windows.

    pub(super) fn window(&mut self, handle: u64) -> Id {
        if let Some(id) = self.windows.get(&handle) {
            return *id;
        }
        let id = self.object(Kind::Window, handle);
        self.windows.insert(handle, id);
        id
    }

    /// A call of a function of windows.
    pub(super) fn call_of_windows(&mut self, function: windows::Function, call: &Call) {
        match self.contexts.call(function, call) {
            Some(Act::MakesCurrent { context, windows }) => {
                let cell = self.tape.thread_cell(call.thread);
                self.whole(cell);
                let [draw, read] = windows.unwrap_or_default();
                // The first time that a context meets a window gives it its size.
                if self.met.insert((call.thread as u32, context)) | self.met.insert((1 << 31, context ^ draw << 1)) {
                    self.always();
                }
                if context != 0 && self.enter(call.thread) {
                    let [draw, read] = [draw, read].map(|handle| self.window(handle));
                    let context = self.context();
                    (context.window, context.read_window) = (draw, read);
                }
            }
            _ => self.always(),
        }
    }
}
