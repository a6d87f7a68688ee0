//! What a program wastes or does wrong, as far as its calls prove it: redundant state, uploads of
//! what is there, draws that a clear throws away, waits, errors.
//!
//! Each kind has an exact definition in `docs/graphics.md`. In doubt something is not a finding:
//! whatever is not followed makes what it may have changed unknown. Calls are taken to have
//! succeeded unless `glGetError` says otherwise; after an error everything is unknown.
//!
//! `Findings` is a pass of its own, with the bytes of uploads: it begins on request
//! (`web/features/graphics/worker/findings.ts`), and its memory is freed at its end.
//! `web/trace/findings.ts` is general: a feature says what looks for findings in its traces
//! (`findingSource`).

mod recount;
mod standing;
mod thrown;
mod uploads;
mod waits;

use core::fmt::Write;

use hashbrown::HashMap;
use recount::Recount;
pub use standing::FINDING_KINDS;
use thrown::Targets;
use unspool_gl::machine::effects;
use unspool_gl::{functions, gl, windows};
use unspool_records::{ByteSource, Unreadable};
use unspool_trace::Error;
use uploads::Uploads;
use waits::Waits;

use crate::frames::{Frames, Kind as Does, Latest, Setting};
use crate::known::Known;
use crate::reader::{CallVisitor, Reader, Steps};
use crate::resources::Resources;
use unspool_gl::call::{Call, Value};

/// A kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// An error that was returned.
    Error,
    /// A call that returns only after the GPU has done earlier work.
    Wait,
    /// A clear of all that draws have written, which nothing has read.
    Clear,
    /// An upload of the bytes that are already in the same place.
    Upload,
    /// A bind of what is bound.
    Bind,
    /// State that is set to the value that it has.
    State,
    /// A draw without a whole primitive.
    Empty,
}

/// The kinds with their words, titles, and what their cost is counted in.
const KINDS: [(Kind, &str, &str, &str); 7] = [
    (Kind::Error, "error", "Errors", "error"),
    (Kind::Wait, "wait", "Waits", "call"),
    (Kind::Clear, "clear", "Work thrown away", "draw"),
    (Kind::Upload, "upload", "Identical uploads", "byte"),
    (Kind::Bind, "bind", "Redundant binds", "call"),
    (Kind::State, "state", "Redundant state", "call"),
    (Kind::Empty, "empty", "Empty draws", "call"),
];

impl Kind {
    /// A word for JSON.
    pub fn word(self) -> &'static str {
        self.row().1
    }

    /// What people call several.
    pub fn title(self) -> &'static str {
        self.row().2
    }

    /// The singular noun of what its cost is counted in.
    pub fn unit(self) -> &'static str {
        self.row().3
    }

    fn row(self) -> (Self, &'static str, &'static str, &'static str) {
        KINDS.into_iter().find(|row| row.0 == self).unwrap_or((self, "", "", ""))
    }
}

/// Something that happens once or often, for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub kind: Kind,
    /// What happens, and to what, for people.
    pub sentence: String,
    /// How often.
    pub count: u64,
    /// What it costs in total, in [`Kind::unit`]s.
    pub cost: u64,
    /// The first and the last of the calls.
    pub reach: (u64, u64),
    /// The first and the last frame in which calls of it returned.
    pub frames: (u64, u64),
    /// The calls, ascending: at most the first [`MOST_CALLS`].
    pub calls: Vec<u64>,
}

/// Limit for the number of calls that are listed of one finding.
pub const MOST_CALLS: usize = 100_000;
/// Limit for those of all, and for the number of findings.
const MOST_OF_ALL: usize = 4_000_000;
const MOST_FINDINGS: usize = 20_000;

/// The findings of a trace. They are looked for in steps.
pub struct Findings<S> {
    steps: Steps<S>,
    finder: Finder,
}

impl<S: ByteSource> Findings<S> {
    /// Findings of a trace that is still unread. `index` is what the decoder of the trace handed
    /// over.
    ///
    /// # Errors
    ///
    /// Returns [`unspool_trace::Cause::Misuse`] for bytes that are not an index of an apitrace.
    pub fn open(index: &[u8], source: S) -> Result<Self, Error> {
        Ok(Self { steps: Steps::new(Reader::keeping(index, source, u64::MAX)?), finder: Finder::new() })
    }

    /// Whether passes need a decompressor that is provided.
    pub fn needs_decompressor(&self) -> bool {
        self.steps.reader.needs_decompressor()
    }

    /// Reads `budget` further pieces of the file. Returns whether there is nothing more to read.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn step(&mut self, budget: u32) -> Result<bool, Unreadable> {
        let before = self.steps.progress();
        let is_done = self.steps.step(budget, &mut self.finder)?;
        if is_done && before != self.steps.progress() {
            self.finder.resources.settle();
        }
        Ok(is_done)
    }

    /// Number of pieces read, and of all.
    pub fn progress(&self) -> (u32, u32) {
        self.steps.progress()
    }

    /// The frames so far, as [`crate::Survey::frames`].
    pub fn frames(&self) -> &Frames {
        &self.finder.frames
    }

    /// The resources so far, as [`crate::Survey::resources`].
    pub fn resources(&self) -> &Resources {
        &self.finder.resources
    }

    /// What was found so far and holds when it is computed once more: by kind, the most costly
    /// first.
    pub fn all(&self) -> Vec<Finding> {
        let (judged, _) = self.finder.recount.judged(&self.finder.found, self.finder.frames.frames());
        let holds = self.finder.found.all.iter().zip(judged).filter(|(_, holds)| *holds);
        let mut all: Vec<Finding> = holds.map(|(finding, _)| finding.clone()).collect();
        all.sort_by(|a, b| a.kind.cmp(&b.kind).then(b.cost.cmp(&a.cost)));
        for finding in &mut all {
            // Calls come in the order in which they returned.
            finding.calls.sort_unstable();
        }
        all
    }

    /// The number of proposals that did not hold when they were computed once more.
    pub fn refuted(&self) -> u64 {
        self.finder.recount.judged(&self.finder.found, self.finder.frames.frames()).1
    }

    /// What stands out, the greatest first: the kinds that cost most, each as one, and frames that
    /// differ from all others. `docs/findings.md` says when. With `each`, all findings instead,
    /// each by itself, and all such frames.
    pub fn standing_out(&self, each: bool) -> Vec<unspool_trace::Finding> {
        let found = self.all();
        if each { standing::each(&self.finder, &found) } else { standing::foremost(&self.finder, &found) }
    }
}

/// What the search collects.
#[derive(Default)]
struct Found {
    all: Vec<Finding>,
    /// The number of the function of each, if all of its calls are of one.
    functions: Vec<Option<u32>>,
    /// Positions of findings, by kind and what else they are the same by.
    known: HashMap<(Kind, u32, u64), u32>,
    calls: usize,
    /// Calls of further findings were left out.
    is_full: bool,
}

/// A call that is found.
#[derive(Clone, Copy)]
struct Hit {
    number: u64,
    frame: u64,
    function: Option<u32>,
    cost: u64,
}

impl Hit {
    /// A call, and what it costs.
    fn of(call: &Call, cost: u64) -> Self {
        Self { number: call.number, frame: call.frame, function: Some(call.function), cost }
    }
}

impl Found {
    /// Adds a call to the finding of a kind and key, whose sentence is made if it is the first.
    fn add(&mut self, kind: Kind, key: (u32, u64), hit: Hit, sentence: impl FnOnce() -> String) {
        let Hit { number: call, frame, function, cost } = hit;
        let at = match self.known.get(&(kind, key.0, key.1)) {
            Some(at) => *at as usize,
            None if self.all.len() >= MOST_FINDINGS => {
                self.is_full = true;
                return;
            }
            None => {
                self.known.insert((kind, key.0, key.1), self.all.len() as u32);
                let (sentence, reach) = (sentence(), (call, call));
                let (frames, calls) = ((frame, frame), Vec::new());
                self.all.push(Finding { kind, sentence, count: 0, cost: 0, reach, frames, calls });
                self.functions.push(function);
                self.all.len() - 1
            }
        };
        let Some(finding) = self.all.get_mut(at) else { return };
        if let Some(known) = self.functions.get_mut(at) {
            *known = known.filter(|known| function == Some(*known));
        }
        finding.count += 1;
        // Calls come in the order in which they returned.
        finding.reach = (finding.reach.0.min(call), finding.reach.1.max(call));
        finding.frames = (finding.frames.0.min(frame), finding.frames.1.max(frame));
        finding.cost = finding.cost.saturating_add(cost);
        if finding.calls.len() < MOST_CALLS && self.calls < MOST_OF_ALL {
            finding.calls.push(call);
            self.calls += 1;
        }
    }
}

/// A function, and what it does to what is followed.
struct Function {
    name: String,
    known: Known,
    /// Which number [`Resources`] has for it.
    resources: Option<u32>,
    is_gl: bool,
    uploads: uploads::Role,
    thrown: thrown::Role,
    waits: waits::Role,
}

/// The calls of a thread since `glGetError` returned that there is no error.
#[derive(Clone, Copy, Default)]
struct Since {
    calls: u64,
    /// The latest: its function, number and frame.
    function: u32,
    call: u64,
    frame: u64,
}

/// Looks at each call.
struct Finder {
    frames: Frames,
    resources: Resources,
    functions: Vec<Function>,
    found: Found,
    uploads: Uploads,
    targets: Targets,
    waits: Waits,
    recount: Recount,
    since: HashMap<u64, Since>,
    /// The modes of `glBegin`, by thread.
    begun: HashMap<u64, u32>,
}

impl Finder {
    fn new() -> Self {
        Self {
            frames: Frames::default(),
            resources: Resources::watched(),
            functions: Vec::new(),
            found: Found::default(),
            uploads: Uploads::default(),
            targets: Targets::default(),
            waits: Waits::default(),
            recount: Recount::default(),
            since: HashMap::new(),
            begun: HashMap::new(),
        }
    }
}

impl CallVisitor for Finder {
    fn function(&mut self, name: &str) -> Option<u32> {
        let number = self.frames.function(name);
        if self.functions.len() == number as usize {
            let known = Known::of(name);
            self.functions.push(Function {
                name: name.into(),
                resources: self.resources.function(name),
                is_gl: functions().find(name).is_some(),
                uploads: uploads::Role::of(name, &known.canonical),
                thrown: thrown::Role::of(name, &known.canonical),
                waits: waits::Role::of(&known.canonical),
                known,
            });
        }
        Some(number)
    }

    fn call(&mut self, call: &Call) {
        self.resources.begin_call();
        self.recount.begin(call, self.resources.machine());
        let functions = core::mem::take(&mut self.functions);
        if let Some(function) = functions.get(call.function as usize) {
            if let Some(number) = function.resources {
                self.resources.call_of(call, number);
            }
            let machine = self.resources.machine();
            self.frames.call_of(call, machine, machine.settings());
            self.look(call, function, &functions);
        }
        self.functions = functions;
    }
}

impl Finder {
    fn look(&mut self, call: &Call, function: &Function, functions: &[Function]) {
        let latest = self.frames.latest();
        // The tracer adds calls that the program has not made.
        let is_own = !call.is_fake && !call.is_incomplete;
        match latest.kind {
            Does::Error => return self.error(call, function, functions),
            Does::Other if function.known.windows.is_some_and(windows::Function::makes_current) => {
                self.since.remove(&call.thread);
            }
            Does::Begin => drop(self.begun.insert(call.thread, call.uint(0))),
            _ => {}
        }
        if function.is_gl && is_own {
            let since = self.since.entry(call.thread).or_default();
            *since = Since { calls: since.calls + 1, function: call.function, call: call.number, frame: call.frame };
        }
        let machine = self.resources.machine();
        if machine.compiling_on(call.thread).is_some_and(|(_, executes)| !executes) {
            return;
        }
        let context = machine.current_on(call.thread);
        let uploaded = self.uploads.call(call, &function.known, function.uploads, &self.resources);
        let uploaded = uploaded.filter(|found| self.recount.confirms(found.holds));
        let is_read = self.resources.effects().contains(&effects::Effect::ReadBack);
        let role = if is_read { thrown::Role::Uses } else { function.thrown };
        let thrown = self.targets.call(call, role, machine, &latest, self.recount.draws());
        let thrown = thrown.filter(|found| self.recount.confirms(found.holds));
        let waits = self.waits.call(call, &function.known, function.waits, context);
        // A call that has not returned at the end of the trace has waited until then.
        if let Some(words) = waits.filter(|_| !call.is_fake) {
            let sentence = || format!("{} {words}", function.name);
            self.recount.add(Kind::Wait, 1);
            self.found.add(Kind::Wait, (call.function, 0), Hit::of(call, 1), sentence);
        }
        if !is_own {
            return;
        }
        if let Some(uploads::Repeated { resource, bytes, .. }) = uploaded {
            let resources = &self.resources;
            self.recount.add(Kind::Upload, bytes);
            let hit = Hit { function: None, ..Hit::of(call, bytes) };
            self.found.add(Kind::Upload, (resource, 0), hit, || {
                let Some(it) = resources.all().get(resource as usize) else { return String::new() };
                let (noun, facts) = (it.kind.noun(), resources.facts(it));
                let mut text = format!(
                    "{}{} {}",
                    noun.get(..1).unwrap_or_default().to_uppercase(),
                    noun.get(1..).unwrap_or_default(),
                    it.name
                );
                if !it.label.is_empty() {
                    let _ = write!(text, " “{}”", it.label);
                }
                if !facts.is_empty() {
                    let _ = write!(text, " ({facts})");
                }
                text + " gets the bytes that it has"
            });
        }
        if let Some(thrown::Thrown { framebuffer, draws, .. }) = thrown {
            self.recount.add(Kind::Clear, draws);
            let key = (framebuffer, context.map_or(0, u64::from));
            self.found.add(Kind::Clear, key, Hit { function: None, ..Hit::of(call, draws) }, || match framebuffer {
                0 => format!("{} throws away draws to the window", function.name),
                number => format!("{} throws away draws to framebuffer {number}", function.name),
            });
        }
        if let Some(setting) = latest.repeats.filter(|_| self.recount.confirms_repeat(self.resources.machine())) {
            self.redundant(call, function, setting);
        }
        self.empty(call, function, &latest);
    }

    fn error(&mut self, call: &Call, function: &Function, functions: &[Function]) {
        let Some(error) = call.result().int().map(|error| error as u32) else { return };
        let since = self.since.get(&call.thread).copied().unwrap_or_default();
        if !crate::frames::is_error(&function.known.canonical, error) {
            self.since.remove(&call.thread);
            return;
        }
        self.recount.add(Kind::Error, 1);
        if !function.is_gl {
            let sentence = || format!("{} returns {error:#x}", function.name);
            return self.found.add(Kind::Error, (call.function, error.into()), Hit::of(call, 1), sentence);
        }
        self.uploads.forget();
        self.targets.forget();
        let names = || unspool_gl::functions().constant(error, "ErrorCode").unwrap_or(format!("{error:#x}"));
        match functions.get(since.function as usize).filter(|_| since.calls == 1) {
            Some(by) => {
                let key = (since.function, error.into());
                let hit = Hit { number: since.call, frame: since.frame, function: Some(since.function), cost: 1 };
                self.found.add(Kind::Error, key, hit, || format!("{} raises {}", by.name, names()));
            }
            None => {
                let sentence = || format!("{}, raised by one of the calls since the previous glGetError", names());
                self.found.add(Kind::Error, (u32::MAX, error.into()), Hit::of(call, 1), sentence);
            }
        }
    }

    /// A call that has set what was set.
    fn redundant(&mut self, call: &Call, function: &Function, setting: Setting) {
        let Setting { noun, keys, .. } = setting;
        let canonical = &*function.known.canonical;
        let is_bind = canonical.starts_with("Bind") || canonical.starts_with("UseProgram");
        // Constants among the arguments that say what is set.
        let groups: Vec<Option<&str>> = functions()
            .find(&function.name)
            .map(|it| it.parameters().take(keys.into()).map(|parameter| parameter.group).collect())
            .unwrap_or_default();
        let constants = || groups.iter().enumerate().filter_map(|(at, group)| Some((call.uint(at), (*group)?)));
        let key = constants().fold(0_u64, |key, (value, _)| key << 32 | u64::from(value));
        let kind = if is_bind { Kind::Bind } else { Kind::State };
        self.recount.add(kind, 1);
        self.found.add(kind, (call.function, key), Hit::of(call, 1), || {
            let words: Vec<String> = constants()
                .map(|(value, group)| functions().constant(value, group).unwrap_or(format!("{value:#x}")))
                .collect();
            let subject = match &*words.join(", ") {
                "" => function.name.clone(),
                words => format!("{}({words})", function.name),
            };
            let rest = match (canonical, noun) {
                _ if canonical.starts_with("Enable") => "it is enabled already".into(),
                _ if canonical.starts_with("Disable") => "it is disabled already".into(),
                (_, "program") => "the program is in use already".into(),
                _ if is_bind => format!("the {noun} is bound already"),
                _ => format!("the {noun} is set already"),
            };
            format!("{subject}: {rest}")
        });
    }

    /// A draw that has too few vertices for a primitive.
    fn empty(&mut self, call: &Call, function: &Function, latest: &Latest) {
        let Some(vertices) = latest.vertices else { return };
        let mode = match latest.kind {
            Does::End => self.begun.get(&call.thread).copied(),
            _ => function.known.uint(call, "mode"),
        };
        // The counts of several draws are added up.
        let is_one = !matches!(function.known.arg(call, "count"), Value::List(_));
        let each = match function.known.int(call, "count").filter(|_| latest.kind != Does::End && vertices > 0) {
            Some(count) => count.max(0) as u64,
            None => vertices,
        };
        let least = mode.map_or(1, |mode| if is_one { least_of(mode) } else { 1 });
        if each >= least {
            return;
        }
        let key = (call.function, each << 32 | u64::from(mode.unwrap_or(u32::MAX)));
        self.recount.add(Kind::Empty, 1);
        self.found.add(Kind::Empty, key, Hit::of(call, 1), || match (each, mode) {
            (0, _) => format!("{} draws no vertices", function.name),
            (_, Some(mode)) => {
                let name = functions().constant(mode, "PrimitiveType").unwrap_or(format!("{mode:#x}"));
                let noun = if each == 1 { "vertex" } else { "vertices" };
                format!("{} draws {each} {noun} as {name}, which takes {least}", function.name)
            }
            (_, None) => format!("{} draws {each} vertices", function.name),
        });
    }
}

/// The vertices of the first primitive of a mode: OpenGL 4.6, 10.1. Incomplete ones are ignored
/// (10.3.5 of the compatibility profile).
fn least_of(mode: u32) -> u64 {
    match mode {
        gl::LINES..=gl::LINE_STRIP => 2,
        gl::TRIANGLES..=gl::TRIANGLE_FAN | gl::POLYGON => 3,
        gl::QUADS | gl::QUAD_STRIP | gl::LINES_ADJACENCY | gl::LINE_STRIP_ADJACENCY => 4,
        gl::TRIANGLES_ADJACENCY | gl::TRIANGLE_STRIP_ADJACENCY => 6,
        _ => 1,
    }
}
