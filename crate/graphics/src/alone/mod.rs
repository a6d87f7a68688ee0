//! Frames that replay by themselves: which calls of a trace they need.
//!
//! ```text
//! let mut alone = Alone::new(12, 12);                       // frames 12 to 12
//! let mut reader = Reader::keeping(&index, file, alone::BYTES)?;
//! reader.pass(0..reader.pieces(), &mut alone)?;             // or in steps of some pieces, until `is_done`
//! let kept = alone.finish()?;                               // or a `Refusal`, whose Display says why
//! let options = CutOptions { from: 0, to: kept.end, only: Some(kept.calls.clone()), .. };
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
//! world      contexts, objects, names, windows: what a call means
//! rules      which function does what, by name
//! state textures buffers programs drawing lists    what functions do
//! ```
//!
//! Draws of earlier frames are kept if what they drew is read. What a window holds after it was
//! swapped is not defined, so that the frames before are left out unless the program asks for the
//! age of buffers, or few draws are needed for it ([`Kept::window`]).
//!
//! Nothing is replayed here: that the picture is the same has to be seen by a replay.

mod buffers;
mod drawing;
mod lists;
mod programs;
mod rules;
mod state;
mod tape;
mod textures;
mod world;

use core::fmt;

use hashbrown::HashMap;
use unspool_cut::Selection;

use self::tape::{Cell, Effect, Group, Why};
use self::world::{What, World};
use crate::calls::Call;
use crate::reader::CallVisitor;

/// Bytes of a blob that a [`crate::Reader`] must keep for this: numbers of display lists.
pub const BYTES: u64 = 4096;

/// Bytes that notes on calls may take.
const MOST_NOTES: usize = 320 << 20;

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
    world: World,
    /// Uploaded bytes by place.
    uploaded: HashMap<u32, u64>,
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
            world: World::default(),
            uploaded: HashMap::new(),
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
        self.is_over || self.world.refusal.is_some()
    }

    /// The notes take this many bytes, about.
    pub fn bytes(&self) -> usize {
        self.world.tape.bytes()
    }

    /// Goes back from the end of the frames.
    ///
    /// # Errors
    ///
    /// Returns why the frames cannot be cut.
    pub fn finish(mut self) -> Result<Kept, Refusal> {
        if let Some(refusal) = self.world.refusal.take() {
            return Err(refusal);
        }
        if self.last >= self.count {
            return Err(Refusal::NoFrame(self.last, self.count));
        }
        if !self.has_gl {
            return Err(Refusal::NoCalls);
        }
        // What is in the windows at the end is looked at, whether or not it is swapped.
        let windows: Vec<Effect> = self
            .world
            .all
            .iter()
            .map(|context| self.world.get(context.window))
            .flat_map(|window| [Effect::ReadAll(window.def), Effect::ReadAll(window.contents)])
            .collect();
        let last = self.world.tape.next();
        self.world.tape.push(u32::MAX, 0, false, true, &windows);
        let mut why = self.world.tape.kept(false);
        let mut window = Window::Kept;
        if self.earlier_draws(&why) > FEW_DRAWS.max(self.draws_before / 3) {
            let short = self.world.tape.kept(true);
            if self.earlier_draws(&short) < self.earlier_draws(&why) {
                (why, window) = (short, Window::LeftOut);
            }
        }
        why.truncate(last as usize);
        Ok(self.describe(&why, window))
    }

    fn earlier_draws(&self, why: &[Why]) -> u64 {
        let entries = self.world.tape.entries().iter().zip(why);
        entries.filter(|(entry, why)| entry.draws && !entry.is_of_frames && **why != Why::No).count() as u64
    }

    fn describe(&self, why: &[Why], window: Window) -> Kept {
        let names = Names::of(&self.world);
        let mut numbers = Vec::new();
        let mut rows: HashMap<String, Row> = HashMap::new();
        let (mut of_frames, mut before) = (0, 0);
        for (place, (entry, why)) in (0..).zip(self.world.tape.entries().iter().zip(why)) {
            let what = match why {
                Why::No => continue,
                Why::Frames => "the frames".to_owned(),
                Why::Always => "windows, contexts and calls that are not followed".to_owned(),
                Why::Ends => "what a kept call has begun".to_owned(),
                Why::Wrote(cell) => names.of_cell(&self.world, *cell),
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
            row.uploaded += self.uploaded.get(&place).copied().unwrap_or_default();
            row.first = row.first.min(call);
            row.last = row.last.max(call);
        }
        let mut rows: Vec<Row> = rows.into_values().collect();
        rows.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.what.cmp(&b.what)));
        numbers.sort_unstable();
        Kept {
            calls: Selection::of(&numbers),
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
        let Some(function) = self.world.rules.get(call.function) else { return };
        if function.gives_handles {
            self.world.refusal.get_or_insert_with(|| Refusal::Handles(function.known.canonical.clone()));
        }
        self.has_gl |= function.is_gl;
        let world = &mut self.world;
        world.effects.clear();
        world.place = world.tape.next();
        world.is_of_frames = self.first <= call.frame;
        world.draws = false;
        (world.budget, world.nesting, world.pushes) = (lists::MAX_LISTED, 0, 0);
        if world.is_of_frames && !core::mem::replace(&mut self.has_begun, true) {
            world.read_contexts();
        }
        let has_context = world.enter(call.thread);
        // A function of OpenGL changes nothing without a context.
        if has_context || !function.is_gl {
            if function.is_gl && world.context().is_in_primitive {
                let cell = drawing::primitive(world);
                world.part(cell);
            }
            if lists::compile(world, call, &function) && !call.is_incomplete {
                world.run(call, &function);
            }
            if world.is_of_frames && function.is_gl {
                world.read_names(call, &function);
            }
            if function.ends_frame && has_context {
                world.swap(call);
            }
        }
        let (is_of_frames, draws) = (world.is_of_frames, world.draws);
        if is_of_frames {
            self.end = self.end.max(call.number + 1);
        } else {
            self.before += 1;
            self.draws_before += u64::from(draws);
        }
        let effects = core::mem::take(&mut world.effects);
        if is_of_frames || !effects.is_empty() {
            let place = world.place;
            world.tape.push(call.number as u32, call.thread, draws, is_of_frames, &effects);
            if call.uploaded > 0 {
                self.uploaded.insert(place, call.uploaded);
            }
        }
        world.effects = effects;
        if world.tape.bytes() > MOST_NOTES || call.number >= u32::MAX.into() {
            world.refusal.get_or_insert(Refusal::TooMany(MOST_NOTES as u64));
        }
    }
}

impl CallVisitor for Alone {
    fn function(&mut self, name: &str) -> Option<u32> {
        let is_direct3d = name.starts_with("ID3D") || name.starts_with("IDXGI") || name.starts_with("Direct3D");
        if is_direct3d || name.starts_with("D3D1") {
            self.world.refusal.get_or_insert_with(|| Refusal::Direct3d(name.into()));
        }
        Some(self.world.rules.number(name))
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
    fn of(world: &World) -> Self {
        let mut groups = HashMap::new();
        for object in &world.objects {
            let name = match object.name {
                0 => format!("{} without a name", object.kind.noun()),
                name => format!("{} {name}", object.kind.noun()),
            };
            let of = [
                (object.def, "definition"),
                (object.contents, object.kind.contents()),
                (object.inputs, "sources"),
                (object.locations, "locations"),
            ];
            groups.extend(of.map(|(group, part)| (group, format!("{name}: {part}"))));
        }
        for context in &world.all {
            let of = [
                (context.state, "state"),
                (context.other, "what is bound"),
                (context.pixels, "how pixels are read"),
                (context.current, "current values"),
                (context.own, "stacks and primitives"),
            ];
            groups.extend(of.map(|(group, part)| (group, part.to_owned())));
        }
        groups.insert(world.owner_group, "names of objects".into());
        Self { groups }
    }

    fn of_cell(&self, world: &World, cell: Cell) -> String {
        let group = world.tape.group_of(cell);
        match (self.groups.get(&group), What::setting(world.tape.kind_of(cell))) {
            (Some(_), Some(setting)) => format!("state: {setting}"),
            (Some(name), None) => name.clone(),
            (None, _) => "what is current on a thread".into(),
        }
    }
}
