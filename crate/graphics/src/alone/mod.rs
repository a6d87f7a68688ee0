//! Frames that replay by themselves: which calls of a trace they need.
//!
//! ```text
//! let mut alone = Alone::new(12, 12);                       // frames 12 to 12
//! let mut reader = Reader::keeping(&index, file, alone::BYTES)?;
//! reader.pass(0..reader.pieces(), &mut alone)?;             // or in steps of some pieces, until `is_done`
//! let kept = alone.finish()?;                               // or a `Refusal`, whose Display says why
//! let options = CutOptions { from: 0, to: kept.end, only: Some(kept.calls), texts: kept.texts, .. };
//! // begin_cut(&probe, options) writes the file; kept.rows say what was kept and why
//! ```
//!
//! All calls are original ones, in their order and on their threads. [`Alone`] takes the calls of a
//! trace as a [`CallVisitor`] and notes for each what it reads and writes, as cells (`tape.rs`). In
//! doubt a call counts as one that changes a part of a cell, and reads more. When it has seen the
//! frames it goes back from their end, and keeps what they need.
//!
//! ```text
//! tape       what calls read and write, and which of them are needed
//! scene      what a call reads and writes, by what the machine of OpenGL notes and tells of it
//! functions  what calls of a function are to a frame, by name
//! groups     which cells of the machine are read together
//! settings   what the machine has no cell of
//! bound      what draws read of what is bound
//! pairs, stacks, recorded        what begins and ends: queries, stacks, display lists
//! textures, buffers, sources, drawing, window   contents, programs, draws, windows
//! ```
//!
//! Draws of earlier frames are kept if what they drew is read. What a window holds after it was
//! swapped is not defined, so that the frames before are left out unless the program asks for the
//! age of buffers, or few draws are needed for it ([`Kept::window`]).
//!
//! Nothing is replayed here: that the picture is the same has to be seen by a replay.

mod bound;
mod buffers;
mod drawing;
mod functions;
mod groups;
mod pairs;
mod recorded;
mod scene;
mod settings;
mod sources;
mod stacks;
mod tape;
mod textures;
mod window;

use core::fmt;

use hashbrown::{HashMap, HashSet};
use unspool_cut::Selection;

use self::groups::Class;
use self::scene::{LISTS, Scene, WINDOWS};
use self::tape::{Cell, Effect, Group, Wanted, Why};
use crate::reader::CallVisitor;
use unspool_gl::call::Call;
use unspool_gl::machine::objects::Kind;

/// Bytes of a blob that a [`crate::Reader`] must keep for this: numbers of display lists.
pub const BYTES: u64 = 4096;

/// Bytes that notes on calls may take.
const MOST_NOTES: usize = 192 << 20;
/// Bytes that the machine of OpenGL may take.
const MOST_OF_MACHINE: usize = 768 << 20;
/// From this on, what a window held before it was swapped is given up on the way, if that would be
/// done at the end.
const TOO_MANY_NOTES: usize = 48 << 20;
/// From this on, notes which nothing needs any more are dropped when they have doubled.
const MANY_NOTES: usize = 16 << 20;

/// Earlier draws of which one is kept for what a window holds after it was swapped: at most a third
/// of all, or these.
const FEW_DRAWS: u64 = 8;

/// Why frames cannot be cut out so that they replay by themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The trace has no frame of this number. The second: how many it has.
    NoFrame(u64, u64),
    /// The trace calls Direct3D: this function.
    Direct3d(String),
    /// The trace has no calls of OpenGL.
    NoCalls,
    /// Textures are used by handles that only the recorded driver knows, by this function.
    Handles(String),
    /// The frames let what earlier ones left in the window shine through, from this call on, so
    /// that all of those would be needed.
    Fades(u32),
    /// The calls before the frames need more than this many bytes of notes.
    TooMany(u64),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused: ")?;
        match self {
            Self::NoFrame(frame, 0) => write!(f, "there is no frame {frame}: the trace has none"),
            Self::NoFrame(frame, count) => {
                write!(f, "there is no frame {frame}: the last one is {}", count - 1)
            }
            Self::Direct3d(function) => {
                write!(f, "{function} belongs to Direct3D, whose state is not followed; only OpenGL can be cut")
            }
            Self::NoCalls => f.write_str("the trace has no calls of OpenGL"),
            Self::Handles(function) => {
                write!(f, "{function} gives textures handles that shaders use, which is not followed")
            }
            Self::Fades(call) => write!(
                f,
                "call {call} lets what earlier frames drew shine through, without clearing it, so that the picture \
                 needs all of them"
            ),
            Self::TooMany(bytes) => {
                write!(f, "notes on the calls before the frames need more than {} MiB of memory", bytes >> 20)
            }
        }
    }
}

impl core::error::Error for Refusal {}

/// What became of what a window held before the frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// All that the frames read of it is kept.
    Kept,
    /// The frames draw over what earlier frames have left in the window, without clearing it. What
    /// a window holds after it was swapped is not defined, so those are left out.
    LeftOut,
}

/// Calls that were kept for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What they are kept for, such as `texture 5: contents`.
    pub what: String,
    /// How many calls.
    pub calls: u64,
    /// How many of them draw or clear.
    pub draws: u64,
    /// Bytes that they upload.
    pub uploaded: u64,
    /// The first of them and the last, by number.
    pub first: u64,
    /// The last one.
    pub last: u64,
}

/// What is kept.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The calls, by number.
    pub calls: Selection,
    /// Those whose texts decide what is drawn: sources of shaders that are used, names of uniforms.
    pub texts: Selection,
    /// The number after the last call of the frames.
    pub end: u64,
    /// Calls of the frames.
    pub of_frames: u64,
    /// Calls from before the frames that are kept, and how many there were.
    pub before: [u64; 2],
    /// Draws and clears from before the frames that are kept, and how many there were.
    pub draws_before: [u64; 2],
    /// What became of the window's contents.
    pub window: Window,
    /// Why, by reason, the one with most calls first.
    pub rows: Vec<Row>,
}

/// Takes the calls of a trace up to the end of some frames.
#[derive(Debug)]
pub struct Alone {
    /// The first frame, and the last.
    first: u64,
    last: u64,
    scene: Scene,
    /// Uploaded bytes by call.
    uploaded: HashMap<u32, u64>,
    /// Calls with texts that a replay needs if they are used.
    texts: HashSet<u32>,
    /// What windows held before they were swapped is given up.
    ends: bool,
    /// Bytes of notes at which those that nothing needs are dropped.
    bound: usize,
    before: u64,
    draws_before: u64,
    /// Frames that were seen.
    count: u64,
    has_gl: bool,
    /// A call of the frames was seen.
    has_begun: bool,
    end: u64,
    is_over: bool,
}

impl Alone {
    /// Nothing is seen yet. The frames are numbered from 0, the last one included.
    pub fn new(first: u64, last: u64) -> Self {
        Self {
            first,
            last: last.max(first),
            scene: Scene::default(),
            uploaded: HashMap::new(),
            texts: HashSet::new(),
            ends: false,
            bound: MANY_NOTES,
            before: 0,
            draws_before: 0,
            count: 0,
            has_gl: false,
            has_begun: false,
            end: 0,
            is_over: false,
        }
    }

    /// Whether all calls of the frames were seen, or it is known that they cannot be cut.
    pub fn is_done(&self) -> bool {
        self.is_over || self.scene.refusal.is_some()
    }

    /// Bytes of memory that all of it takes, about.
    pub fn bytes(&self) -> usize {
        self.noted() + self.scene.machine.memory()
    }

    /// Bytes of the notes.
    fn noted(&self) -> usize {
        self.scene.bytes() + self.uploaded.len() * 24 + self.texts.len() * 8
    }

    /// Drops notes on calls that nothing after them can need.
    fn forget(&mut self) {
        let gone = self.scene.gone();
        self.scene.tape.forget(&gone, self.ends);
        let draws = self.scene.tape.entries().iter().filter(|entry| entry.draws).count() as u64;
        if !self.ends && self.noted() > TOO_MANY_NOTES && draws > self.draws_before / 3 {
            self.ends = true;
            self.scene.tape.forget(&gone, true);
        }
        let kept: HashSet<u32> = self.scene.tape.entries().iter().map(|entry| entry.call).collect();
        self.uploaded.retain(|call, _| kept.contains(call));
        self.texts.retain(|call| kept.contains(call));
        let bytes = self.noted();
        self.bound = MANY_NOTES.max(2 * bytes).min(MOST_NOTES);
        if bytes > MOST_NOTES / 4 * 3 {
            self.scene.refusal.get_or_insert(Refusal::TooMany(MOST_NOTES as u64));
        }
    }

    /// Goes back from the end of the frames.
    ///
    /// # Errors
    ///
    /// Returns why the frames cannot be cut.
    pub fn finish(mut self) -> Result<Kept, Refusal> {
        if let Some(refusal) = self.scene.refusal.take() {
            return Err(refusal);
        }
        if self.last >= self.count {
            return Err(Refusal::NoFrame(self.last, self.count));
        }
        if !self.has_gl {
            return Err(Refusal::NoCalls);
        }
        // What is in the windows at the end is looked at, whether or not it is swapped.
        let mut windows = Vec::new();
        for window in self.scene.drawn_windows() {
            windows
                .extend([Class::State, Class::Contents].map(|class| Effect::ReadAll(self.scene.group(window, class))));
        }
        let last = self.scene.tape.entries().len();
        self.scene.tape.push(tape::LAST, 0, false, true, &windows);
        let mut why = self.scene.tape.kept(self.ends, Wanted::Frames);
        let mut window = if self.ends { Window::LeftOut } else { Window::Kept };
        if self.ends || self.earlier_draws(&why) > FEW_DRAWS.max(self.draws_before / 3) {
            let short = self.scene.tape.kept(true, Wanted::Frames);
            if self.ends || self.earlier_draws(&short) < self.earlier_draws(&why) {
                if let Some(call) = self.scene.fades {
                    return Err(Refusal::Fades(call));
                }
                (why, window) = (short, Window::LeftOut);
            }
        }
        let draws = self.scene.tape.kept(window == Window::LeftOut, Wanted::Draws);
        let used = self.scene.tape.entries().iter().zip(draws).filter(|(_, why)| *why != Why::No);
        let mut texts: Vec<u64> =
            used.map(|(entry, _)| entry.call).filter(|call| self.texts.contains(call)).map(u64::from).collect();
        texts.sort_unstable();
        why.truncate(last);
        Ok(Kept { texts: Selection::of(&texts), ..self.describe(&why, window) })
    }

    fn earlier_draws(&self, why: &[Why]) -> u64 {
        let entries = self.scene.tape.entries().iter().zip(why);
        entries.filter(|(entry, why)| entry.draws && !entry.is_of_frames && **why != Why::No).count() as u64
    }

    fn describe(&self, why: &[Why], window: Window) -> Kept {
        let names = Names::of(&self.scene, why);
        let mut numbers = Vec::new();
        let mut rows: HashMap<String, Row> = HashMap::new();
        let (mut of_frames, mut before) = (0, 0);
        for (entry, why) in self.scene.tape.entries().iter().zip(why) {
            let what = match why {
                Why::No => continue,
                Why::Frames => "the frames".to_owned(),
                Why::Always => "windows, contexts and calls that are not followed".to_owned(),
                Why::Ends => "what a kept call has begun".to_owned(),
                Why::Wrote(cell) => names.of_cell(&self.scene, *cell),
            };
            if *why == Why::Frames {
                of_frames += 1
            } else {
                before += 1
            }
            let call = u64::from(entry.call);
            numbers.push(call);
            let new = || Row { what: what.clone(), calls: 0, draws: 0, uploaded: 0, first: call, last: call };
            let row = rows.entry_ref(what.as_str()).or_insert_with(new);
            row.calls += 1;
            row.draws += u64::from(entry.draws);
            row.uploaded += self.uploaded.get(&entry.call).copied().unwrap_or_default();
            row.first = row.first.min(call);
            row.last = row.last.max(call);
        }
        let mut rows: Vec<Row> = rows.into_values().collect();
        rows.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.what.cmp(&b.what)));
        numbers.sort_unstable();
        Kept {
            calls: Selection::of(&numbers),
            texts: Selection::default(),
            end: self.end,
            of_frames,
            before: [before, self.before],
            draws_before: [self.earlier_draws(why), self.draws_before],
            window,
            rows,
        }
    }

    /// Notes a call.
    fn note(&mut self, call: &Call) {
        let Some(function) = self.scene.functions.get(call.function) else { return };
        if function.gives_handles {
            self.scene.refusal.get_or_insert_with(|| Refusal::Handles(function.bare().into()));
        }
        self.has_gl |= function.is_gl;
        let scene = &mut self.scene;
        scene.effects.clear();
        (scene.is_of_frames, scene.draws) = (self.first <= call.frame, false);
        if scene.is_of_frames && !core::mem::replace(&mut self.has_begun, true) {
            scene.read_contexts();
        }
        scene.call(call, &function);
        if function.ends_frame && scene.has_context() {
            scene.swap(call);
        }
        let (is_of_frames, draws) = (scene.is_of_frames, scene.draws);
        if is_of_frames {
            self.end = self.end.max(call.number + 1);
        } else {
            self.before += 1;
            self.draws_before += u64::from(draws);
        }
        let effects = core::mem::take(&mut scene.effects);
        if is_of_frames || !effects.is_empty() {
            scene.tape.push(call.number as u32, call.thread, draws, is_of_frames, &effects);
            if call.uploaded > 0 {
                self.uploaded.insert(call.number as u32, call.uploaded);
            }
            if function.has_texts {
                self.texts.insert(call.number as u32);
            }
        }
        scene.effects = effects;
        if self.noted() > self.bound {
            self.forget();
        }
        if self.scene.machine.memory() > MOST_OF_MACHINE {
            self.scene.refusal.get_or_insert(Refusal::TooMany(MOST_OF_MACHINE as u64));
        }
        if call.number >= u32::MAX.into() {
            self.scene.refusal.get_or_insert(Refusal::TooMany(MOST_NOTES as u64));
        }
    }
}

impl CallVisitor for Alone {
    fn function(&mut self, name: &str) -> Option<u32> {
        let is_direct3d = name.starts_with("ID3D") || name.starts_with("IDXGI") || name.starts_with("Direct3D");
        if is_direct3d || name.starts_with("D3D1") {
            self.scene.refusal.get_or_insert_with(|| Refusal::Direct3d(name.into()));
        }
        Some(self.scene.functions.number(name, &mut self.scene.machine))
    }

    fn call(&mut self, call: &Call) {
        self.count = self.count.max(call.frame + 1);
        if call.frame > self.last {
            // A call of the frames may return a little later, on another thread.
            self.is_over |= call.frame > self.last + 1;
            return;
        }
        self.note(call);
    }

    fn is_full(&self) -> bool {
        self.is_done()
    }
}

/// What groups of cells are of.
struct Names {
    groups: HashMap<Group, String>,
}

impl Names {
    /// Of the groups that calls are kept for.
    fn of(scene: &Scene, why: &[Why]) -> Self {
        let cells = why.iter().filter_map(|why| if let Why::Wrote(cell) = why { Some(*cell) } else { None });
        let wanted: HashSet<Group> = cells.map(|cell| scene.tape.group_of(cell)).collect();
        let mut groups = HashMap::new();
        for (id, object) in &scene.objects {
            for (class, group) in object.groups().filter(|(_, group)| wanted.contains(group)) {
                let noun = match (*id, object.kind) {
                    (WINDOWS.., _) => "window",
                    (LISTS.., _) => "display list",
                    (_, Some(Kind::Framebuffer)) if object.name == 0 => "framebuffer of a window",
                    (_, Some(kind)) => noun(kind),
                    _ => {
                        groups.insert(group, of_context(class).to_owned());
                        continue;
                    }
                };
                let part = match class {
                    Class::Contents if object.kind == Some(Kind::Program) => "uniforms",
                    Class::Contents => "contents",
                    Class::Inputs => "sources",
                    Class::Locations => "locations",
                    _ => "definition",
                };
                let name = match object.name {
                    0 if object.kind == Some(Kind::Framebuffer) => format!("{noun}: {part}"),
                    0 => format!("{noun} without a name: {part}"),
                    name => format!("{noun} {name}: {part}"),
                };
                groups.insert(group, name);
            }
        }
        Self { groups }
    }

    fn of_cell(&self, scene: &Scene, cell: Cell) -> String {
        let name = self.groups.get(&scene.tape.group_of(cell));
        let is_setting = name.is_some_and(|name| !name.contains(':') && name != of_context(Class::Names));
        match settings::name(scene.tape.kind_of(cell)).filter(|_| is_setting) {
            Some(setting) => format!("state: {setting}"),
            None => name.cloned().unwrap_or_else(|| "what is current on a thread".into()),
        }
    }
}

/// The name of a group of cells of a context.
fn of_context(class: Class) -> &'static str {
    match class {
        Class::Other => "what is bound",
        Class::Pixels => "how pixels are read",
        Class::Current => "current values",
        Class::Own => "stacks and primitives",
        Class::Names => "names of objects",
        _ => "state",
    }
}

/// The name of a kind of object.
fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Texture => "texture",
        Kind::Buffer => "buffer",
        Kind::Renderbuffer => "renderbuffer",
        Kind::Sampler => "sampler",
        Kind::Shader => "shader",
        Kind::Program => "program",
        Kind::VertexArray => "vertex array",
        Kind::Framebuffer => "framebuffer",
        Kind::Query => "query",
        Kind::Pipeline => "program pipeline",
        Kind::TransformFeedback => "transform feedback",
    }
}
