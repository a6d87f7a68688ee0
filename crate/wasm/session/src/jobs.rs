//! Jobs for JavaScript. The worker decides how long a step takes, and in which order jobs take
//! steps.
//!
//! A further kind of job takes an implementation of [`JsJob`] and an arm in [`job_for`].

use std::any::Any;
use std::sync::Arc;

use tsify::Ts;
use unspool_engine::derived::{Gather, Keep, Marks, MarksQuestion, job_of, track_of};
use unspool_engine::find::Find;
use unspool_engine::jobs::{Job, Step};
use unspool_engine::ledger::Full;
use unspool_engine::statistics::{
    CallOrder, Calls, CallsQuestion, CallsView, Exact, FlameView, Listing, Question, Scan, SelfTimes, StackOrder,
    TimeOrder, Transform, TreeView, Wanted, Weights,
};
use unspool_engine::{Session as Engine, Store, TrackRows, jobs};
use unspool_filter::SliceQuery;
use unspool_js::to_js;
use unspool_records::{CollectedColumns, TraceErrorOut};
use unspool_trace::{TrackDef, TrackKind};
use wasm_bindgen::prelude::*;

use crate::Session;
use crate::protocol::{DerivedPart, JobPart, JobProgress, MarksPart};

pub(crate) type Jobs = jobs::Jobs<dyn JsJob>;

/// A job whose results are values of JavaScript.
pub(crate) trait JsJob: Job + Any {
    /// What is known so far. `None` while nothing is known.
    fn part(&mut self, store: &Store) -> Option<JobPart>;
}

/// A derived track.
fn track_part(job: &dyn Job) -> Option<JobPart> {
    let derived = job.derived()?;
    // The page numbers tracks after their jobs.
    let track = derived.report(track_of(0));
    Some(JobPart::Derived(DerivedPart { track, hidden: derived.hidden() as f64 }))
}

#[wasm_bindgen]
extern "C" {
    /// `JobQuestion` of `web/base/job_protocol.ts`.
    #[wasm_bindgen(typescript_type = "JobQuestion")]
    pub type JsQuestion;

    #[wasm_bindgen(method, getter)]
    fn kind(this: &JsQuestion) -> String;
    #[wasm_bindgen(method, getter)]
    fn from(this: &JsQuestion) -> u64;
    #[wasm_bindgen(method, getter)]
    fn to(this: &JsQuestion) -> u64;
    #[wasm_bindgen(method, getter)]
    fn tracks(this: &JsQuestion) -> Vec<u32>;
    /// Statistics only.
    #[wasm_bindgen(method, getter)]
    fn functions(this: &JsQuestion) -> bool;
    /// Statistics only.
    #[wasm_bindgen(method, getter)]
    fn weighed(this: &JsQuestion) -> bool;
    #[wasm_bindgen(method, getter)]
    fn flame(this: &JsQuestion) -> Option<JsFlameView>;
    #[wasm_bindgen(method, getter)]
    fn tree(this: &JsQuestion) -> Option<JsTreeView>;
    /// Statistics and calls in time order.
    #[wasm_bindgen(method, getter)]
    fn transforms(this: &JsQuestion) -> JsTransforms;
    /// Calls of a function only.
    #[wasm_bindgen(method, getter)]
    fn path(this: &JsQuestion) -> Vec<u32>;
    #[wasm_bindgen(method, getter)]
    fn shortest(this: &JsQuestion) -> u64;
    #[wasm_bindgen(method, getter)]
    fn longest(this: &JsQuestion) -> u64;
    #[wasm_bindgen(method, getter)]
    fn order(this: &JsQuestion) -> String;
    #[wasm_bindgen(method, getter)]
    fn first(this: &JsQuestion) -> f64;
    #[wasm_bindgen(method, getter)]
    fn rows(this: &JsQuestion) -> u32;
    #[wasm_bindgen(method, getter)]
    fn of(this: &JsQuestion) -> Option<JsSlice>;
    /// Percentiles, derived tracks, marks and calls of a function.
    #[wasm_bindgen(method, getter)]
    fn name(this: &JsQuestion) -> u32;
    /// Derived tracks only.
    #[wasm_bindgen(method, getter)]
    fn label(this: &JsQuestion) -> String;
    #[wasm_bindgen(method, getter)]
    fn detail(this: &JsQuestion) -> String;
    /// Collected records only: whether their numbers are shown, and the columns.
    #[wasm_bindgen(method, getter)]
    fn values(this: &JsQuestion) -> bool;
    #[wasm_bindgen(method, getter)]
    fn time(this: &JsQuestion) -> Vec<u64>;
    #[wasm_bindgen(method, getter)]
    fn track(this: &JsQuestion) -> Vec<u32>;
    #[wasm_bindgen(method, getter)]
    fn locator(this: &JsQuestion) -> Vec<u64>;
    #[wasm_bindgen(method, getter)]
    fn bits(this: &JsQuestion) -> Vec<u64>;
    #[wasm_bindgen(method, getter)]
    fn numbers(this: &JsQuestion) -> Vec<u8>;
    #[wasm_bindgen(method, getter)]
    fn until(this: &JsQuestion) -> Vec<u64>;
    #[wasm_bindgen(method, getter)]
    fn names(this: &JsQuestion) -> Vec<u32>;
    /// Self times only.
    #[wasm_bindgen(method, getter)]
    fn counts(this: &JsQuestion) -> Vec<f64>;
    /// Marks only.
    #[wasm_bindgen(method, getter)]
    fn step(this: &JsQuestion) -> u64;
    #[wasm_bindgen(method, getter)]
    fn depths(this: &JsQuestion) -> Vec<i32>;
    #[wasm_bindgen(method, getter)]
    fn merged(this: &JsQuestion) -> bool;
    /// Searches only: the part of what `Binder.bind` returns that the store is asked.
    #[wasm_bindgen(method, getter)]
    fn slices(this: &JsQuestion) -> Vec<u8>;
}

#[wasm_bindgen]
extern "C" {
    /// `FlameView`.
    type JsFlameView;
    #[wasm_bindgen(method, getter)]
    fn mode(this: &JsFlameView) -> String;
    #[wasm_bindgen(method, getter)]
    fn path(this: &JsFlameView) -> Vec<u32>;

    /// `TreeView`.
    type JsTreeView;
    #[wasm_bindgen(method, getter)]
    fn listing(this: &JsTreeView) -> u8;
    #[wasm_bindgen(method, getter)]
    fn inverted(this: &JsTreeView) -> bool;
    #[wasm_bindgen(method, getter)]
    fn parents(this: &JsTreeView) -> Vec<u32>;
    #[wasm_bindgen(method, getter, js_name = names)]
    fn open_names(this: &JsTreeView) -> Vec<u32>;
    #[wasm_bindgen(method, getter)]
    fn everything(this: &JsTreeView) -> Option<u32>;

    /// `Transforms`.
    type JsTransforms;
    #[wasm_bindgen(method, getter)]
    fn kinds(this: &JsTransforms) -> Vec<u8>;
    #[wasm_bindgen(method, getter)]
    fn ends(this: &JsTransforms) -> Vec<u32>;
    #[wasm_bindgen(method, getter)]
    fn names(this: &JsTransforms) -> Vec<u32>;

    /// `Item` of a slice.
    type JsSlice;
    #[wasm_bindgen(method, getter)]
    fn track(this: &JsSlice) -> u32;
    #[wasm_bindgen(method, getter)]
    fn depth(this: &JsSlice) -> i32;
    #[wasm_bindgen(method, getter)]
    fn index(this: &JsSlice) -> u32;
}

impl JsFlameView {
    fn view(&self) -> FlameView {
        let path = self.path();
        match self.mode().as_str() {
            "up" => FlameView::Up { path },
            "sandwich" => FlameView::Sandwich { name: path.first().copied().unwrap_or(u32::MAX) },
            _ => FlameView::Down { path },
        }
    }
}

impl JsTransforms {
    fn list(&self) -> Vec<Transform> {
        let names = self.names();
        let mut from = 0;
        let each = self.kinds().into_iter().zip(self.ends()).map(|(kind, end)| {
            let end = end as usize;
            let names = || names.get(from..end).unwrap_or_default().to_vec();
            let transform = match kind {
                0 => Transform::Collapse,
                1 => Transform::Focus(names()),
                2 => Transform::Hide(names()),
                _ => Transform::Only(names()),
            };
            from = end;
            transform
        });
        each.collect()
    }
}

impl JsQuestion {
    /// The calls to list, and the rows of the list.
    fn calls(&self, range: Question) -> (CallsQuestion, CallsView) {
        let order = match self.order().as_str() {
            "longest" => CallOrder::Longest,
            "shortest" => CallOrder::Shortest,
            _ => CallOrder::Start,
        };
        let of = self.of().map(|of| (of.track(), of.depth(), of.index()));
        let view = CallsView { order, first: self.first() as u64, rows: self.rows(), of };
        let durations = (self.shortest(), self.longest());
        (CallsQuestion { range, name: self.name(), path: self.path(), durations }, view)
    }

    fn wanted(&self, weights: Option<Arc<Weights>>) -> Wanted {
        let tree = self.tree().map(|tree| TreeView {
            // `LISTINGS` of `web/base/calls_protocol.ts`.
            listing: match tree.listing() {
                1 => Listing::Stacks(StackOrder::Total),
                2 => Listing::Stacks(StackOrder::Own),
                3 => Listing::Stacks(StackOrder::Count),
                4 => Listing::Edges,
                5 => Listing::Paths,
                _ => Listing::Tree,
            },
            inverted: tree.inverted(),
            open_parents: tree.parents(),
            open_names: tree.open_names(),
            everything: tree.everything(),
        });
        let flame = self.flame().map(|flame| flame.view());
        let (functions, weights) = (self.functions(), weights.filter(|_| self.weighed()));
        Wanted { functions, flame, tree, weights, transforms: self.transforms().list() }
    }

    /// How the derived track is shown.
    fn track_def(&self, kind: TrackKind) -> TrackDef {
        TrackDef { detail: self.detail(), ..TrackDef::new(kind, self.label()) }
    }
}

/// Rows from their tracks, and two depths for each: the first, and the one after the last.
pub(crate) fn rows_of(tracks: &[u32], depths: &[i32]) -> Vec<TrackRows> {
    (tracks.iter().zip(depths.as_chunks().0))
        .map(|(track, [first, end])| TrackRows { track: *track, depths: *first..*end })
        .collect()
}

/// The job that answers a question about a trace. `previous` is the job of the slot before.
fn job_for(question: &JsQuestion, engine: &Engine, previous: Option<Box<dyn JsJob>>) -> Box<dyn JsJob> {
    let store = engine.store();
    let range = || Question { from: question.from(), to: question.to(), tracks: question.tracks() };
    match question.kind().as_str() {
        // Both modules are of one build, so the bytes are as they should be. Otherwise nothing is
        // found.
        "find" => Box::new(Find::new(store, SliceQuery::from_bytes(&question.slices()).unwrap_or_default())),
        "percentiles" => Box::new(Exact::new(store, range(), question.name())),
        "keep" => Box::new(Keep::new(store, question.name(), question.track_def(TrackKind::Lane))),
        "gather" => {
            let kind = if question.values() { TrackKind::Counter } else { TrackKind::Lane };
            let given = CollectedColumns {
                time: question.time(),
                track: question.track(),
                locator: question.locator(),
                bits: question.bits(),
                kind: question.numbers(),
                until: question.until(),
            };
            Box::new(Gather::new(given, question.names(), question.track_def(kind)))
        }
        "marks" => {
            let Question { from, to, tracks } = range();
            let rows = rows_of(&tracks, &question.depths());
            let (name, step, merged) = (question.name(), question.step(), question.merged());
            Box::new(Marks::new(store, MarksQuestion { name, from, to, step, rows, merged }))
        }
        "calls" => {
            let (calls, view) = question.calls(range());
            Box::new(Calls::new(store, calls, view, reused(previous)))
        }
        "selfTimes" => {
            let counts = question.counts().into_iter().map(|count| count as u64);
            Box::new(SelfTimes::new(store, &range(), &mut question.names().into_iter().zip(counts)))
        }
        "timeOrder" => Box::new(TimeOrder::new(store, range(), question.transforms().list())),
        _ => Box::new(Scan::new(store, range(), question.wanted(engine.weights()), reused(previous))),
    }
}

/// The previous job of a slot, if it is of the same kind.
fn reused<T: JsJob>(previous: Option<Box<dyn JsJob>>) -> Option<T> {
    previous.and_then(|job| (job as Box<dyn Any>).downcast().ok()).map(|job| *job)
}

impl JsJob for Scan {
    fn part(&mut self, store: &Store) -> Option<JobPart> {
        Scan::part(self, store).map(|part| JobPart::Statistics(part.into()))
    }
}

impl JsJob for Calls {
    fn part(&mut self, store: &Store) -> Option<JobPart> {
        self.found(store).map(|calls| JobPart::Calls(calls.into()))
    }
}

impl JsJob for SelfTimes {
    fn part(&mut self, _: &Store) -> Option<JobPart> {
        self.found().map(|found| JobPart::SelfTimes(found.into()))
    }
}

impl JsJob for TimeOrder {
    fn part(&mut self, _: &Store) -> Option<JobPart> {
        self.found().map(|found| JobPart::TimeOrder(found.clone().into()))
    }
}

impl JsJob for Exact {
    fn part(&mut self, _: &Store) -> Option<JobPart> {
        self.found().map(|found| JobPart::Percentiles(found.map(Into::into)))
    }
}

impl JsJob for Keep {
    fn part(&mut self, _: &Store) -> Option<JobPart> {
        track_part(self)
    }
}

impl JsJob for Gather {
    fn part(&mut self, _: &Store) -> Option<JobPart> {
        track_part(self)
    }
}

impl JsJob for Marks {
    fn part(&mut self, _: &Store) -> Option<JobPart> {
        self.found().map(|(marks, step)| JobPart::Marks(MarksPart::new(marks.clone(), step)))
    }
}

#[wasm_bindgen]
impl Session {
    /// Begins the job that answers a question. It replaces the slot's previous job.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if there is no room for it.
    #[wasm_bindgen(js_name = beginJob)]
    pub fn begin_job(&mut self, id: u32, slot: &str, question: &JsQuestion) -> Result<(), JsValue> {
        let engine = &self.engine;
        self.jobs.begin(id, slot, engine.store(), |previous| job_for(question, engine, previous)).map_err(no_room)
    }

    /// Does about `budget` units of a job's work. Returns true if it is done.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if it has run out of room. That ends the job.
    #[wasm_bindgen(js_name = stepJob)]
    pub fn step_job(&mut self, id: u32, budget: u32) -> Result<bool, JsValue> {
        let step = self.jobs.step(id, self.engine.store(), u64::from(budget)).map_err(no_room)?;
        Ok(step == Step::Done)
    }

    /// How far a job has come.
    #[wasm_bindgen(js_name = jobProgress)]
    pub fn job_progress(&self, id: u32) -> Ts<JobProgress> {
        let progress = self.jobs.progress(id);
        JobProgress { done: progress.done as f64, of: progress.of as f64 }.cross()
    }

    /// What a job has found so far, or at the end its result. `undefined` while nothing is known.
    #[wasm_bindgen(js_name = jobPart)]
    pub fn job_part(&mut self, id: u32) -> Option<Ts<JobPart>> {
        let store = self.engine.store();
        let part = self.jobs.read(id, |job| job.part(store)).flatten()?;
        Some(part.cross())
    }

    /// Removes a derived track. Does nothing if there is no such track.
    #[wasm_bindgen(js_name = removeTrack)]
    pub fn remove_track(&mut self, track: u32) {
        if let Some(job) = job_of(track) {
            self.jobs.remove(job);
        }
    }

    /// The derived tracks that were removed to make room since the last call.
    #[wasm_bindgen(js_name = takeEvicted)]
    pub fn take_evicted(&mut self) -> Vec<u32> {
        self.jobs.take_evicted().into_iter().map(track_of).collect()
    }

    /// Ends a job and frees its memory. Does nothing if there is no such job.
    #[wasm_bindgen(js_name = cancelJob)]
    pub fn cancel_job(&mut self, id: u32) {
        self.jobs.cancel(id);
    }
}

fn no_room(full: Full) -> JsValue {
    to_js(&TraceErrorOut::from(full))
}
