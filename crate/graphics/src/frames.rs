//! What happens in each frame: how many calls, draws and vertices, what is uploaded, and which
//! state changes have no effect.
//!
//! Everything follows from names of functions, from arguments, and from what the machine of OpenGL
//! says of the call. Nothing is drawn, so what only the driver knows, such as the counts of an
//! indirect draw, stays unknown and is counted as such.

mod counting;
mod kinds;
mod opened;
mod settings;

use hashbrown::HashMap;
use unspool_gl::machine::effects::Effect;
use unspool_gl::machine::{Machine, Settings, what};
use unspool_gl::{egl, gl};

use crate::known::Known;
pub use counting::Counting;
pub(crate) use kinds::{Kind, Vertices};
pub(crate) use opened::Opening;
pub use opened::{OpenedFrame, OpenedRow};
pub(crate) use settings::Setting;
use unspool_gl::call::{Call, Value};

use kinds::Upload;

/// What happens in a frame. The calls after the last swap are a frame of their own, as in
/// qapitrace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Lowest and highest number of its calls.
    pub first: u64,
    /// See [`Frame::first`].
    pub last: u64,
    /// A call ends it, such as `glXSwapBuffers`. Otherwise the trace ends before.
    pub is_ended: bool,
    /// The numbers, by the positions of [`FIGURES`].
    pub figures: [u64; FIGURES.len()],
}

/// A number about each frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Its key in JSON.
    pub key: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// It counts bytes.
    pub is_bytes: bool,
}

const fn count(key: &'static str, title: &'static str) -> Figure {
    Figure { key, title, is_bytes: false }
}

const fn bytes(key: &'static str, title: &'static str) -> Figure {
    Figure { key, title, is_bytes: true }
}

/// The numbers about each frame.
pub const FIGURES: [Figure; 15] = [
    count("calls", "Calls"),
    count("draws", "Draws"),
    count("clears", "Clears"),
    count("vertices", "Vertices"),
    // Draws whose vertices are not in the trace: indirect ones.
    count("uncounted", "Draws of unknown size"),
    count("stateChanges", "State changes"),
    count("redundant", "Redundant"),
    count("programSwitches", "Programs"),
    count("errors", "Errors"),
    bytes("uploaded", "Uploaded"),
    bytes("textureBytes", "Textures"),
    bytes("bufferBytes", "Buffers"),
    bytes("clientBytes", "Client arrays"),
    bytes("shaderBytes", "Shaders"),
    bytes("pixelBytes", "Pixels"),
];

const CALLS: usize = 0;
const DRAWS: usize = 1;
const CLEARS: usize = 2;
const VERTICES: usize = 3;
const UNCOUNTED: usize = 4;
const STATE: usize = 5;
const REDUNDANT: usize = 6;
const PROGRAMS: usize = 7;
const ERRORS: usize = 8;
const UPLOADED: usize = 9;
/// Limit for the redundant calls whose numbers are kept.
const MOST_REDUNDANT: usize = 1 << 22;
/// The first kind of upload; they follow in the order of [`Upload`].
const FIRST_UPLOAD: usize = 10;

/// The frames of a trace, as far as its calls were passed to it, after a machine of OpenGL has
/// executed them. Contents of blobs are needed for display lists only.
#[derive(Debug, Default)]
pub struct Frames {
    frames: Vec<Frame>,
    /// Each function, by its number, and what it does.
    functions: Vec<(Known, Kind)>,
    numbers: HashMap<String, u32>,
    /// Vertices and draws in display lists.
    lists: HashMap<List, Drawn>,
    /// On each thread: what is between `glBegin` and `glEnd`, and in the list that is being
    /// compiled.
    threads: HashMap<u64, Thread>,
    latest: Latest,
    /// Numbers of redundant calls, in the order in which these returned.
    redundant: Vec<u32>,
}

/// A display list: the owner of the names of its share group, and its name.
type List = (u32, u32);

/// What the latest call did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Latest {
    /// What its function does.
    pub(crate) kind: Kind,
    /// If it has set state to the value that it had: which.
    pub(crate) repeats: Option<Setting>,
    /// The vertices that it draws. `None` if that is not known, or it draws something else, such as
    /// pixels.
    pub(crate) vertices: Option<u64>,
}

impl Default for Latest {
    fn default() -> Self {
        Self { kind: Kind::Other, repeats: None, vertices: None }
    }
}

/// The machine that has executed a call, and what the call did to its cells.
#[derive(Clone, Copy)]
struct Executed<'a> {
    machine: &'a Machine,
    settings: Settings,
}

/// What is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Drawn {
    vertices: u64,
    uncounted: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Thread {
    /// Vertices since `glBegin`. `None` outside.
    begun: Option<u64>,
    /// The sum of the draws in the list that is being compiled, so far.
    drawn: Drawn,
    /// Its name.
    list: u32,
}

impl Frames {
    /// The frames, by number.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// The numbers of the calls of a frame that set state to its current value, ascending. Those at
    /// the end of a trace with very many are left out.
    pub fn redundant(&self, frame: &Frame) -> Vec<u64> {
        let mut found: Vec<u64> = self
            .redundant
            .iter()
            .map(|call| u64::from(*call))
            .filter(|call| (frame.first..=frame.last).contains(call))
            .collect();
        found.sort_unstable();
        found
    }

    /// The memory that this takes, in bytes, about.
    pub fn size(&self) -> usize {
        let redundant = self.redundant.capacity() * size_of::<u32>();
        self.frames.capacity() * size_of::<Frame>() + redundant
    }

    /// What the latest call did.
    pub(crate) fn latest(&self) -> Latest {
        self.latest
    }

    fn add(&mut self, frame: usize, figure: usize, amount: u64) {
        if let Some(sum) = self.frames.get_mut(frame).and_then(|frame| frame.figures.get_mut(figure)) {
            *sum = sum.saturating_add(amount);
        }
    }

    /// The sum of the draws of the lists that a call executes.
    fn drawn_by_lists(&self, call: &Call, machine: &Machine) -> Drawn {
        let mut sum = Drawn::default();
        for list in machine.lists_of(call).into_iter().filter_map(|name| machine.list_id(name)) {
            let drawn = self.lists.get(&list).copied().unwrap_or_default();
            sum.vertices = sum.vertices.saturating_add(drawn.vertices);
            sum.uncounted += drawn.uncounted;
        }
        sum
    }

    /// The number of a function for [`Frames::call_of`].
    pub(crate) fn function(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.functions.len() as u32;
        let known = Known::of(name);
        let kind = Kind::of(name, &known.canonical);
        self.functions.push((known, kind));
        self.numbers.insert(name.into(), number);
        number
    }

    /// A call, after the machine has executed it, with what it did to cells: nothing if the machine
    /// does not know its function.
    pub(crate) fn call_of(&mut self, call: &Call, machine: &Machine, settings: Settings) {
        let at = usize::try_from(call.frame).unwrap_or(usize::MAX);
        // No trace has frames without calls, so a number far beyond the last one is damage.
        if at > self.frames.len().saturating_add(1 << 16) {
            return;
        }
        while self.frames.len() <= at {
            self.frames.push(Frame { first: u64::MAX, ..Frame::default() });
        }
        if let Some(frame) = self.frames.get_mut(at) {
            frame.first = frame.first.min(call.number);
            frame.last = frame.last.max(call.number);
        }
        self.add(at, CALLS, 1);
        self.add(at, UPLOADED, call.uploaded);
        self.latest = Latest::default();
        let functions = core::mem::take(&mut self.functions);
        if let Some((known, kind)) = functions.get(call.function as usize).filter(|(_, kind)| *kind != Kind::Other) {
            self.latest.kind = *kind;
            let mut thread = self.threads.remove(&call.thread).unwrap_or_default();
            let by = Executed { machine, settings };
            self.count((call, known), *kind, at, &mut thread, by);
            self.threads.insert(call.thread, thread);
        }
        self.functions = functions;
    }

    fn count(&mut self, (call, known): (&Call, &Known), kind: Kind, at: usize, thread: &mut Thread, by: Executed<'_>) {
        match kind {
            Kind::Other => {}
            Kind::FrameEnd => {
                if let Some(frame) = self.frames.get_mut(at) {
                    frame.is_ended = true;
                }
            }
            Kind::Clear => self.add(at, CLEARS, call.rendered.clears()),
            Kind::Begin => thread.begun = Some(0),
            Kind::Vertex => {
                if let Some(vertices) = &mut thread.begun {
                    *vertices += 1;
                }
            }
            Kind::End => {
                // What began before the trace has vertices that are not in it.
                self.latest.vertices = thread.begun.take();
                let uncounted = u64::from(self.latest.vertices.is_none());
                let drawn = Drawn { vertices: self.latest.vertices.unwrap_or_default(), uncounted };
                self.draw(call, at, thread, drawn, by.machine);
            }
            Kind::Draw(vertices) => {
                let drawn = match vertices {
                    Vertices::None => Drawn::default(),
                    Vertices::Fixed(vertices) => Drawn { vertices, uncounted: 0 },
                    Vertices::Counted => counted(call, known),
                    Vertices::Unknown => Drawn { vertices: 0, uncounted: 1 },
                    // Those of a command list count when it is executed.
                    Vertices::Direct3d => Drawn { vertices: 0, uncounted: call.rendered.draws() },
                    Vertices::Lists => self.drawn_by_lists(call, by.machine),
                };
                let is_counted = matches!(vertices, Vertices::Fixed(_) | Vertices::Counted) && drawn.uncounted == 0;
                self.latest.vertices = is_counted.then_some(drawn.vertices);
                self.upload(at, Upload::Client, call);
                self.draw(call, at, thread, drawn, by.machine);
            }
            Kind::DrawPixels => {
                self.upload(at, Upload::Pixels, call);
                self.draw(call, at, thread, Drawn::default(), by.machine);
            }
            Kind::NewList => (thread.list, thread.drawn) = (call.uint(0), Drawn::default()),
            Kind::EndList => {
                if let Some(list) = by.machine.list_id(thread.list) {
                    self.lists.insert(list, thread.drawn);
                }
            }
            Kind::Upload(upload) => self.upload(at, upload, call),
            Kind::Error => {
                if call.result().int().is_some_and(|error| is_error(&known.canonical, error as u32)) {
                    self.add(at, ERRORS, 1);
                }
            }
            Kind::State(setting) => self.set(call, setting, at, thread, by),
        }
    }

    /// A call that sets state.
    fn set(&mut self, call: &Call, setting: Setting, at: usize, thread: &Thread, by: Executed<'_>) {
        // Between glBegin and glEnd, colours and the like belong to vertices.
        if thread.begun.is_some() {
            return;
        }
        self.add(at, STATE, 1);
        self.upload(at, Upload::Client, call);
        let Executed { machine, settings } = by;
        if settings.repeats() {
            // In a list that is compiled it is needed, of what limits leave out of a call the value
            // may be another one, and what the tracer adds the program has not called.
            let has_bytes = (0..call.len()).any(|at| matches!(call.argument(at), Value::Bytes(..)));
            let is_known = !call.is_fake && !call.is_shortened && !has_bytes;
            if setting.may_repeat && is_known && machine.compiling_on(call.thread).is_none() {
                self.latest.repeats = Some(setting);
                self.add(at, REDUNDANT, 1);
                if self.redundant.len() < MOST_REDUNDANT {
                    self.redundant.extend(u32::try_from(call.number));
                }
            }
        } else if settings.changed > 0 {
            let is_program = |effect: &Effect| matches!(effect, Effect::Placed { what: what::CURRENT_PROGRAM, .. });
            self.add(at, PROGRAMS, u64::from(machine.effects().iter().any(is_program)));
        }
    }

    /// A draw. What a list draws counts when the list is called.
    fn draw(&mut self, call: &Call, at: usize, thread: &mut Thread, drawn: Drawn, machine: &Machine) {
        self.add(at, DRAWS, call.rendered.draws());
        self.add(at, CLEARS, call.rendered.clears());
        if let Some((_, executes)) = machine.compiling_on(call.thread) {
            thread.drawn.vertices = thread.drawn.vertices.saturating_add(drawn.vertices);
            thread.drawn.uncounted += drawn.uncounted;
            if !executes {
                return;
            }
        }
        self.add(at, VERTICES, drawn.vertices);
        self.add(at, UNCOUNTED, drawn.uncounted);
    }

    fn upload(&mut self, at: usize, upload: Upload, call: &Call) {
        self.add(at, FIRST_UPLOAD + upload as usize, call.uploaded);
    }
}

/// Whether what `glGetError` or `eglGetError` has returned is an error.
pub(crate) fn is_error(canonical: &str, number: u32) -> bool {
    number != if canonical == "eglGetError" { egl::SUCCESS } else { gl::NO_ERROR }
}

/// The vertices of `glDrawArrays` and its relatives: `count` in each of them, often for a number of
/// instances.
fn counted(call: &Call, known: &Known) -> Drawn {
    let natural = |value: Value<'_>| value.int().map(|number| number.max(0) as u64);
    let (sum, is_list) = match known.arg(call, "count") {
        Value::List(counts) => (Some(counts.filter_map(natural).fold(0, u64::saturating_add)), true),
        count => (natural(count), false),
    };
    let Some(sum) = sum else { return Drawn { vertices: 0, uncounted: 1 } };
    // The primcount of glMultiDrawArrays is the length of its list of counts.
    let instances = ["instancecount", "primcount"].iter().find_map(|key| natural(known.arg(call, key)));
    let times = if is_list { 1 } else { instances.unwrap_or(1) };
    Drawn { vertices: sum.saturating_mul(times), uncounted: 0 }
}
