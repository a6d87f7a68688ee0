//! Processes, threads and their tracks, and which threads must be delivered again in order.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use hashbrown::HashMap;
use unspool_trace::batch::{EventBatch, EventKind, Orphans, TrackDef, TrackId, TrackKind};
use unspool_trace::error::Result;
use unspool_trace::kept;
use unspool_trace::limits::Limits;
use unspool_trace::locator::Locator;
use unspool_trace::problem::{MANY_THREADS, Problem};
use unspool_trace::sort;

use super::checkpoints::Checkpoints;
use super::plan::{Plan, Planned};
use super::wire::{Header, Mode};

/// A thread of the log.
pub(super) struct Thread {
    pub(super) track: TrackId,
    /// Clock of its latest record, in ticks.
    pub(super) latest: u64,
    /// The file has a buffer of the thread that begins before the thread's latest record at that
    /// point.
    pub(super) disordered: bool,
    /// It has no track of its own. Its records are counted and listed, but not drawn: those of
    /// several threads are not in the order of time.
    pub(super) is_beyond: bool,
}

/// The threads of a log, in the order of their first records.
pub(super) struct Threads {
    limits: Limits,
    mode: Mode,
    /// The log records process ids.
    pub(super) has_process: bool,
    /// The name of time without records.
    pub(super) lost: Option<u32>,
    processes: HashMap<i32, TrackId>,
    by_id: HashMap<(i32, i32), u32>,
    threads: Vec<Thread>,
    /// Number of tracks defined so far.
    tracks: u32,
    /// The track of the threads beyond the limit, once there is one.
    others: Option<TrackId>,
}

impl Threads {
    pub(super) fn new(header: &Header, limits: Limits) -> Self {
        Self {
            limits,
            mode: header.mode,
            has_process: header.version >= 3,
            lost: None,
            processes: HashMap::new(),
            by_id: HashMap::new(),
            threads: Vec::new(),
            tracks: 0,
            others: None,
        }
    }

    /// Bytes of memory. Open calls are not here.
    pub(super) fn bytes(&self) -> u64 {
        let found = kept::table::<((i32, i32), u32)>(self.by_id.capacity());
        kept::list(&self.threads) + found + kept::table::<(i32, TrackId)>(self.processes.capacity())
    }

    /// The thread with this index.
    #[inline]
    pub(super) fn get(&self, index: u32) -> Option<&Thread> {
        self.threads.get(index as usize)
    }

    /// The thread with this index.
    #[inline]
    pub(super) fn get_mut(&mut self, index: u32) -> Option<&mut Thread> {
        self.threads.get_mut(index as usize)
    }

    /// The index of a thread. At its first record, which is at absolute offset `at`, this defines
    /// its track and if necessary that of its process. `start` is its first clock, if known.
    ///
    /// # Errors
    ///
    /// The limit of tracks is reached.
    pub(super) fn index(
        &mut self,
        pid: i32,
        tid: i32,
        at: u64,
        start: Option<u64>,
        out: &mut EventBatch,
    ) -> Result<u32> {
        if let Some(index) = self.by_id.get(&(pid, tid)) {
            return Ok(*index);
        }
        self.limits.check_threads(self.threads.len() + 1, at)?;
        if self.threads.len() >= self.limits.tracks as usize {
            return Ok(self.beyond(pid, tid, at, out));
        }
        let process = *self.processes.entry(pid).or_insert_with(|| {
            let name = if self.has_process { format!("process {pid}") } else { "process not recorded".to_string() };
            let id = self.has_process.then_some(i64::from(pid));
            out.new_tracks.push(TrackDef { id, ..TrackDef::new(TrackKind::Process, name) });
            self.tracks += 1;
            self.tracks - 1
        });
        let name = if pid == tid { format!("main thread {tid}") } else { format!("thread {tid}") };
        out.new_tracks.push(TrackDef {
            parent: Some(process),
            id: Some(tid.into()),
            orphans: match self.mode {
                Mode::Fdr => Orphans::FromStart,
                Mode::Basic => Orphans::FromPrevious,
            },
            lost: self.lost,
            start,
            ..TrackDef::new(TrackKind::Thread, name)
        });
        let index = self.threads.len() as u32;
        let latest = start.unwrap_or(0);
        self.threads.push(Thread { track: self.tracks, latest, disordered: false, is_beyond: false });
        self.tracks += 1;
        self.by_id.insert((pid, tid), index);
        Ok(index)
    }

    /// The index of a new thread beyond the limit of tracks.
    #[cold]
    fn beyond(&mut self, pid: i32, tid: i32, at: u64, out: &mut EventBatch) -> u32 {
        out.problems.push(Problem { at, kind: &MANY_THREADS, value: u64::from(self.limits.tracks) });
        let track = *self.others.get_or_insert_with(|| {
            out.new_tracks.push(TrackDef::other_threads("listed, not drawn"));
            self.tracks += 1;
            self.tracks - 1
        });
        let index = self.threads.len() as u32;
        self.threads.push(Thread { track, latest: 0, disordered: false, is_beyond: true });
        self.by_id.insert((pid, tid), index);
        index
    }

    /// The threads, in the order of their first records.
    pub(super) fn all(&self) -> impl Iterator<Item = &Thread> {
        self.threads.iter()
    }

    /// Process, thread and track of each thread, by process and thread.
    pub(super) fn by_id(&self) -> Vec<(i32, i32, TrackId)> {
        let track = |index: u32| self.get(index).map_or(0, |thread| thread.track);
        let all: Vec<_> = self.by_id.iter().map(|((pid, tid), index)| (*pid, *tid, track(*index))).collect();
        let key = |at: usize| all.get(at).map_or(0, |(pid, tid, _)| (sort::signed(*pid) << 32) | sort::signed(*tid));
        let order = sort::order(all.len(), &[&key]);
        sort::in_order(all, &order)
    }

    /// Plans the buffers of the disordered threads, and restarts their tracks.
    pub(super) fn plan(&self, checkpoints: &Checkpoints, out: &mut EventBatch) -> Plan {
        let mut queues: HashMap<u32, Vec<Planned>> = HashMap::new();
        for (number, entry) in checkpoints.buffers() {
            if self.get(entry.thread).is_some_and(|t| t.disordered) {
                queues.entry(entry.thread).or_default().push(Planned { start: entry.checkpoint, number });
            }
        }
        let mut threads: Vec<(u64, u32)> = queues.keys().map(|thread| (0, *thread)).collect();
        sort::pairs(&mut threads);
        for (_, thread) in threads {
            let first = queues.get(&thread).and_then(|queue| queue.iter().map(|b| b.start.clock).min());
            if let (Some(thread), Some(clock)) = (self.get(thread), first) {
                out.push(EventKind::Restart, thread.track, clock, 0, Locator::default());
            }
        }
        Plan::new(queues.into_values())
    }
}
