//! Jobs: questions that take longer than a turn of the caller. They are answered step by step.
//!
//! A job has a slot. A newer job of the same slot replaces the older one and may reuse what that
//! has found. A job that has its result stays in its slot, because the next question is often the
//! same or a similar one. All memory of jobs is in one [`Ledger`].
//!
//! # Jobs in the page
//!
//! The page begins a job (`begin-job`) in a slot, gets parts of the answer, the last of which is
//! the result, and progress in counted work. `cancel-job` ends it. A job that was cancelled or
//! replaced sends nothing more.
//!
//! - `JobKinds` in `web/base/job_protocol.ts` has a row for each kind: its question and its parts.
//!   `web/trace/jobs.ts` matches messages to jobs. A model cancels its job when no panel shows the
//!   answer.
//! - `web/trace/worker/scheduler.ts` alone decides the order of turns: picture, details,
//!   statistics, the rest. Tasks of one rank take turns. A turn is one message of the worker to
//!   itself, so messages of the page come in between, and an idle worker posts none.
//!   `web/trace/worker/jobs.ts` gives a job turns of about 8 ms and decides when to send estimates.
//!   The loop that reads the file is not part of this.
//! - This module has the trait `Job` and the jobs by slot. `crate/wasm/session/src/jobs.rs` makes
//!   the job of a question and turns its parts into JavaScript values. A new kind is a row of
//!   `JobKinds`, an implementation of `Job` and `JsJob`, and an arm of `job_for`.
//!
//! `Trace.cancel` and the other ways to stop give a worker 0.7 s to answer. Then they end it: it
//! may be deep in SQLite or in a decompressor.

use unspool_records::{TraceErrorOut, error::class_word};
use unspool_trace::TrackId;
use unspool_trace::error::Class;

use crate::derived::{self, Derived};
use crate::ledger::{Full, Ledger};
use crate::store::Store;

/// Something that takes many steps.
pub trait Job {
    /// A noun phrase for the user, after "the": `statistics`.
    fn noun(&self) -> &'static str;

    /// Does at least `budget` units of work, usually visits to slices, or all that is left. Further
    /// steps after [`Step::Done`] do nothing.
    fn step(&mut self, store: &Store, budget: u64) -> Step;

    /// How far the job has come.
    fn progress(&self) -> Progress;

    /// Allocated memory, in bytes.
    fn bytes(&self) -> u64;

    /// Frees all that a later job of the slot can do without. The job is not stepped any more.
    fn release(&mut self);

    /// The track that the job has made, once it is done.
    fn derived(&self) -> Option<&Derived> {
        None
    }
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// There is more to do.
    More,
    /// The job has its result.
    Done,
}

/// Counted work, never time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Units that are done.
    pub done: u64,
    /// Units in total, as far as the job knows. Equal to `done` at the end.
    pub of: u64,
}

/// The jobs of a trace by slot, running or done. `J` is [`Job`] or a trait that extends it.
#[derive(Debug)]
pub struct Jobs<J: ?Sized> {
    /// A slot's index is its key in the ledger.
    slots: Vec<Slot<J>>,
    ledger: Ledger<usize>,
    /// State of the store when its bytes were counted.
    counted: Option<(u64, bool)>,
    /// Bytes that other workers hold for the trace. They count as those of the store.
    elsewhere: u64,
    /// Jobs whose derived tracks have gone, until [`Jobs::take_evicted`].
    evicted: Vec<u32>,
}

#[derive(Debug)]
struct Slot<J: ?Sized> {
    name: String,
    /// The job that is asked about by this number; `None` when it was cancelled or has failed.
    id: Option<u32>,
    job: Option<Box<J>>,
    done: bool,
}

impl<J: ?Sized> Slot<J> {
    /// Whether its job was removed.
    fn is_free(&self) -> bool {
        self.name.is_empty() && self.job.is_none()
    }
}

impl<J: Job + ?Sized> Jobs<J> {
    /// No jobs. `limit` is the most bytes of the store and all jobs together, usually
    /// [`crate::ledger::LIMIT`].
    pub fn new(limit: u64) -> Self {
        Self { slots: Vec::new(), ledger: Ledger::new(limit), counted: None, elsewhere: 0, evicted: Vec::new() }
    }

    /// Begins a job in place of the slot's previous one, which `make` may reuse. The caller chooses
    /// the `id`.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no room for the job.
    pub fn begin(
        &mut self,
        id: u32,
        slot_name: &str,
        store: &Store,
        make: impl FnOnce(Option<Box<J>>) -> Box<J>,
    ) -> Result<(), Full> {
        let named = self.slots.iter().position(|s| s.name == slot_name);
        let at = named.or_else(|| self.slots.iter().position(Slot::is_free)).unwrap_or(self.slots.len());
        if at == self.slots.len() {
            self.slots.push(Slot { name: String::new(), id: None, job: None, done: false });
        }
        if let Some(slot) = self.slots.get_mut(at) {
            slot.job = Some(make(slot.job.take()));
            slot.name = slot_name.to_string();
            (slot.id, slot.done) = (Some(id), false);
        }
        self.count_store(store);
        self.account(at)
    }

    /// A step of a job; see [`Job::step`]. [`Step::Done`] if there is no such job.
    ///
    /// # Errors
    ///
    /// Returns an error if the job has outgrown the memory. It ends with that.
    pub fn step(&mut self, id: u32, store: &Store, budget: u64) -> Result<Step, Full> {
        let Some(at) = self.find(id) else { return Ok(Step::Done) };
        let Some(Slot { job: Some(job), done, .. }) = self.slots.get_mut(at) else { return Ok(Step::Done) };
        let step = job.step(store, budget);
        *done = step == Step::Done;
        self.count_store(store);
        self.account(at).map(|()| step)
    }

    /// How far a job has come. Zero of zero if there is no such job.
    pub fn progress(&self, id: u32) -> Progress {
        let slot = self.find(id).and_then(|at| self.slots.get(at));
        slot.and_then(|slot| slot.job.as_ref()).map_or_else(Progress::default, |job| job.progress())
    }

    /// Calls `read` with a job, for its result or a part of it. `None` if there is no such job.
    pub fn read<T>(&mut self, id: u32, read: impl FnOnce(&mut J) -> T) -> Option<T> {
        let at = self.find(id)?;
        let slot = self.slots.get_mut(at)?;
        let part = read(slot.job.as_mut()?);
        if slot.done {
            // Reading may allocate. What was read is an answer even if the job has no room to stay.
            let _ = self.account(at);
        }
        Some(part)
    }

    /// Ends a job, if there is such a job, and frees its memory.
    pub fn cancel(&mut self, id: u32) {
        if let Some(at) = self.find(id) {
            self.end(at);
            self.evict();
        }
    }

    /// Ends a job that is done, and forgets its slot.
    pub fn remove(&mut self, id: u32) {
        if let Some(at) = self.find(id) {
            self.end(at);
            if let Some(slot) = self.slots.get_mut(at) {
                *slot = Slot { name: String::new(), id: None, job: None, done: false };
            }
            // An entry without bytes always fits.
            let _ = self.ledger.set(at, "", 0, false);
        }
    }

    /// The derived track of this number, if its job has not ended.
    pub fn derived(&self, track: TrackId) -> Option<&Derived> {
        let at = self.find(derived::job_of(track)?)?;
        self.slots.get(at)?.job.as_ref()?.derived()
    }

    /// Notes that a job's result is in use, so that others are evicted first.
    pub fn touch(&mut self, id: u32) {
        if let Some(at) = self.find(id) {
            // Nothing grows, so it fits.
            let _ = self.account(at);
        }
    }

    /// The jobs whose derived tracks were evicted since the last call.
    pub fn take_evicted(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.evicted)
    }

    /// Notes how many bytes other workers hold for the trace, and counts the store again. Results
    /// that have no room left go.
    pub fn set_elsewhere(&mut self, store: &Store, bytes: u64) {
        (self.elsewhere, self.counted) = (bytes, None);
        self.count_store(store);
    }

    /// Most bytes of the store and all jobs together.
    pub fn limit(&self) -> u64 {
        self.ledger.limit()
    }

    /// Bytes of the store and of all jobs.
    pub fn bytes(&self) -> u64 {
        self.ledger.bytes()
    }

    fn find(&self, id: u32) -> Option<usize> {
        self.slots.iter().position(|slot| slot.id == Some(id))
    }

    /// Enters the store into the ledger, unless it is as it was. Counting takes time in a large
    /// trace.
    fn count_store(&mut self, store: &Store) {
        let state = (store.records(), store.is_finished());
        if self.counted != Some(state) {
            self.counted = Some(state);
            self.ledger.set_store(store.kept_bytes() + self.elsewhere);
            self.evict();
        }
    }

    /// Enters a job into the ledger. A job without room ends.
    fn account(&mut self, at: usize) -> Result<(), Full> {
        let Some(Slot { job: Some(job), done, .. }) = self.slots.get(at) else { return Ok(()) };
        let entered = self.ledger.set(at, job.noun(), job.bytes(), *done);
        if entered.is_err() {
            self.end(at);
        }
        self.evict();
        entered
    }

    fn evict(&mut self) {
        while let Some(entry) = self.ledger.evict() {
            match self.slots.get(entry.key) {
                Some(Slot { id: Some(id), job: Some(job), .. }) if job.derived().is_some() => {
                    let id = *id;
                    self.evicted.push(id);
                    self.remove(id);
                }
                _ => self.end(entry.key),
            }
        }
    }

    /// Frees a job's memory. What is left of it stays with the slot.
    fn end(&mut self, at: usize) {
        let Some(slot) = self.slots.get_mut(at) else { return };
        slot.id = None;
        let Some(job) = &mut slot.job else { return };
        job.release();
        if self.ledger.set(at, job.noun(), job.bytes(), false).is_err() {
            slot.job = None;
        }
    }
}

impl From<Full> for TraceErrorOut {
    fn from(full: Full) -> Self {
        Self { kind: class_word(Class::Limit), sentence: full.to_string(), offset: None }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use unspool_trace::{EventBatch, EventKind, Locator, TrackDef, TrackKind};

    use super::*;

    /// A job that holds a byte for each unit that it has done, in addition to `fixed` bytes.
    struct Count {
        id: u32,
        progress: Progress,
        fixed: u64,
        log: Rc<RefCell<Vec<String>>>,
    }

    impl Job for Count {
        fn noun(&self) -> &'static str {
            "count"
        }

        fn step(&mut self, _: &Store, budget: u64) -> Step {
            self.progress.done = self.progress.of.min(self.progress.done + budget);
            if self.progress.done == self.progress.of { Step::Done } else { Step::More }
        }

        fn progress(&self) -> Progress {
            self.progress
        }

        fn bytes(&self) -> u64 {
            self.fixed + self.progress.done
        }

        fn release(&mut self) {
            self.log.borrow_mut().push(format!("release {}", self.id));
            self.progress.done = 0;
        }
    }

    struct Fixture {
        jobs: Jobs<Count>,
        store: Store,
        log: Rc<RefCell<Vec<String>>>,
    }

    impl Fixture {
        fn new(limit: u64) -> Self {
            Self { jobs: Jobs::new(limit), store: Store::default(), log: Rc::default() }
        }

        fn begin(&mut self, id: u32, slot: &str, of: u64) -> Result<(), Full> {
            self.begin_with(id, slot, of, 0)
        }

        fn begin_with(&mut self, id: u32, slot: &str, of: u64, fixed: u64) -> Result<(), Full> {
            let log = self.log.clone();
            self.jobs.begin(id, slot, &self.store, |previous| {
                if let Some(previous) = previous {
                    log.borrow_mut().push(format!("{id} reuses {}", previous.id));
                }
                Box::new(Count { id, progress: Progress { done: 0, of }, fixed, log })
            })
        }

        fn step(&mut self, id: u32, budget: u64) -> Result<Step, Full> {
            self.jobs.step(id, &self.store, budget)
        }

        /// What has happened since the last call.
        fn log(&mut self) -> Vec<String> {
            self.log.take()
        }

        /// A store with many slices.
        fn fill(&mut self) {
            let mut batch = EventBatch::with_capacity(10_000);
            batch.new_tracks.push(TrackDef::new(TrackKind::Thread, "t"));
            batch.new_names.push("f".to_string().into());
            for i in 0..2000 {
                batch.push(EventKind::Begin, 0, i * 2, 0, Locator::default());
                batch.push(EventKind::End, 0, i * 2 + 1, 0, Locator::default());
            }
            batch.records = 4000;
            self.store.apply(&mut batch);
        }
    }

    #[test]
    fn jobs_of_different_slots_do_not_disturb_each_other() {
        let mut f = Fixture::new(1000);
        f.begin(1, "a", 30).unwrap();
        f.begin(2, "b", 10).unwrap();
        assert_eq!((f.step(1, 20), f.step(2, 20)), (Ok(Step::More), Ok(Step::Done)));
        assert_eq!(f.jobs.progress(1), Progress { done: 20, of: 30 });
        assert_eq!(f.jobs.read(2, |job| job.id), Some(2), "a job that is done can be read");
        assert_eq!(f.jobs.bytes(), 30);
        assert!(f.log().is_empty());
    }

    #[test]
    fn a_newer_job_replaces_that_of_its_slot_and_gets_it() {
        let mut f = Fixture::new(1000);
        f.begin(1, "a", 30).unwrap();
        f.step(1, 20).unwrap();
        f.begin(2, "a", 30).unwrap();
        assert_eq!(f.log(), ["2 reuses 1"]);
        assert_eq!((f.jobs.progress(1), f.jobs.read(1, |job| job.id)), (Progress::default(), None));
        assert_eq!(f.step(1, 20), Ok(Step::Done), "there is no such job any more");
        assert_eq!((f.jobs.progress(2).done, f.jobs.bytes()), (0, 0));
    }

    #[test]
    fn a_cancelled_job_is_released_and_only_good_for_the_next() {
        let mut f = Fixture::new(1000);
        f.begin_with(1, "a", 30, 7).unwrap();
        f.step(1, 20).unwrap();
        assert_eq!(f.jobs.bytes(), 27);
        f.jobs.cancel(1);
        f.jobs.cancel(1);
        assert_eq!((f.log(), f.jobs.bytes()), (vec!["release 1".to_string()], 7));
        assert_eq!((f.step(1, 20), f.jobs.read(1, |job| job.id)), (Ok(Step::Done), None));
        f.begin(2, "a", 30).unwrap();
        assert_eq!(f.log(), ["2 reuses 1"]);
    }

    #[test]
    fn a_result_goes_when_another_job_needs_the_room() {
        let mut f = Fixture::new(100);
        f.begin(1, "a", 60).unwrap();
        assert_eq!(f.step(1, 60), Ok(Step::Done));
        f.begin(2, "b", 90).unwrap();
        assert_eq!(f.step(2, 40), Ok(Step::More));
        assert!(f.log().is_empty());
        assert_eq!(f.step(2, 40), Ok(Step::More));
        assert_eq!((f.log(), f.jobs.bytes()), (vec!["release 1".to_string()], 80));
        assert_eq!(f.jobs.read(1, |job| job.id), None);
    }

    #[test]
    fn what_other_workers_hold_takes_the_room_of_results() {
        let mut f = Fixture::new(100);
        f.begin(1, "a", 60).unwrap();
        f.step(1, 60).unwrap();
        f.jobs.set_elsewhere(&f.store, 40);
        assert_eq!((f.log(), f.jobs.bytes()), (vec![], 100));
        f.jobs.set_elsewhere(&f.store, 41);
        assert_eq!((f.log(), f.jobs.bytes()), (vec!["release 1".to_string()], 41));
        f.begin(2, "a", 60).unwrap();
        f.log();
        assert_eq!(f.step(2, 60), Err(Full { kind: "count", needs: 60, room: 59 }));
        f.jobs.set_elsewhere(&f.store, 0);
        f.begin(3, "a", 60).unwrap();
        assert_eq!(f.step(3, 60), Ok(Step::Done));
    }

    #[test]
    fn a_job_that_outgrows_the_memory_fails_alone() {
        let mut f = Fixture::new(100);
        f.begin(1, "a", 90).unwrap();
        f.begin(2, "b", 90).unwrap();
        f.step(1, 60).unwrap();
        let full = Full { kind: "count", needs: 60, room: 40 };
        assert_eq!(f.step(2, 60), Err(full), "a running job is not evicted");
        assert_eq!((f.log(), f.jobs.bytes()), (vec!["release 2".to_string()], 60));
        assert_eq!((f.step(2, 10), f.step(1, 30)), (Ok(Step::Done), Ok(Step::Done)));
        let error = TraceErrorOut::from(full);
        assert_eq!((error.kind, error.sentence), ("limit", full.to_string()));
    }

    #[test]
    fn a_job_without_room_does_not_begin() {
        let mut f = Fixture::new(100);
        assert_eq!(f.begin_with(1, "a", 10, 101), Err(Full { kind: "count", needs: 101, room: 100 }));
        assert_eq!((f.jobs.read(1, |job| job.id), f.jobs.bytes()), (None, 0));
        f.begin(2, "a", 10).unwrap();
        assert_eq!(f.log(), ["release 1"], "what does not fit even when released is dropped");
    }

    #[test]
    fn a_result_that_grows_when_it_is_read_is_told_and_dropped() {
        let mut f = Fixture::new(100);
        f.begin(1, "a", 60).unwrap();
        f.step(1, 60).unwrap();
        let read = f.jobs.read(1, |job| {
            job.fixed = 50;
            job.id
        });
        assert_eq!((read, f.log(), f.jobs.bytes()), (Some(1), vec!["release 1".to_string()], 50));
    }

    #[test]
    fn the_store_counts_and_displaces_results_as_it_grows() {
        let mut f = Fixture::new(100_000);
        f.begin(1, "a", 90_000).unwrap();
        f.step(1, 90_000).unwrap();
        f.begin(2, "b", 10).unwrap();
        assert_eq!(f.jobs.bytes(), 90_000);
        f.fill();
        let store = f.store.kept_bytes();
        assert!((10_001..100_000).contains(&store), "{store} bytes");
        f.step(2, 1).unwrap();
        assert_eq!((f.log(), f.jobs.bytes()), (vec!["release 1".to_string()], store + 1));
        // Closing frees memory, without another record.
        f.store.finish(false);
        assert_ne!(f.store.kept_bytes(), store);
        f.step(2, 1).unwrap();
        assert_eq!(f.jobs.bytes(), f.store.kept_bytes() + 2);
    }
}
