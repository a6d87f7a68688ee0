//! A replay together with the file that it is of.

use core::cell::RefCell;
use std::rc::Rc;

use hashbrown::HashMap;
use unspool_formats::apitrace::{ApitraceRecords, Calls};
use unspool_gl::call::Call;
use unspool_records::{ByteSource, Reads, Unreadable, Window, run_pass};
use unspool_trace::Error;
use unspool_trace::records::{Pass, Records};

use crate::collector::Collector;
use crate::driver::{Bounds, Replay};
use crate::objects::Kept;
use crate::plan::Frame;
use crate::snapshots::{Resumed, Snapshots};

/// Bytes of a blob: a texture of 8192 times 8192 pixels has more, but not within the bounds of a
/// replay together with others.
const PAYLOAD: u64 = 64 << 20;
/// Bytes that are read at once.
const AHEAD: usize = 4 << 20;
/// Bytes that calls look at or copy which take as long as a call.
const WORK: u64 = 1 << 14;

/// What a turn has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// There is more to do.
    Going,
    /// The call has been reached, or the trace is over, or the replay has ended by itself.
    Done,
}

/// The calls of a file, executed one after the other.
pub struct Player<S> {
    records: &'static ApitraceRecords,
    source: S,
    pass: Option<Box<dyn Pass<Calls>>>,
    window: Window,
    replay: Replay,
    /// The call that is wanted: the last one to be executed.
    goal: u64,
    /// The goal was reached.
    reached: bool,
    over: bool,
    calls: u64,
    wireframe: bool,
    snapshots: Snapshots,
    /// Calls of any function that came so far.
    seen: u64,
    /// The pass began with a snapshot, and no call has come yet.
    is_resumed: bool,
    has_started_over: bool,
}

/// What a run of calls has come to.
enum Ran {
    /// There is more, or the turn is over.
    More,
    /// There is more once its bytes are there.
    Late,
    /// There are no more calls.
    Over,
    /// The pass cannot begin where it was to begin.
    Refused,
}

impl<S: ByteSource> Player<S> {
    /// A player that has executed nothing. `index` is what the decoder handed over. Without `emits`
    /// it only finds out what could be shown.
    ///
    /// # Errors
    ///
    /// These bytes are not an index.
    pub fn open(index: &[u8], source: S, bounds: Bounds, emits: bool) -> Result<Self, Error> {
        // A pass borrows its reader. A worker opens one player, and its memory goes when it ends,
        // so the one reader may live for ever.
        let records = Box::leak(Box::new(ApitraceRecords::keeping(index, PAYLOAD)?));
        Ok(Self::of(records, source, Replay::new(bounds, emits)))
    }

    /// A player of the same trace that has executed nothing and emits commands. What either
    /// translates, both have.
    pub fn drawing<T: ByteSource>(&self, source: T) -> Player<T> {
        let mut replay = Replay::new(self.replay.bounds, true);
        replay.share(&self.replay);
        Player::of(self.records, source, replay)
    }

    fn of(records: &'static ApitraceRecords, source: S, replay: Replay) -> Self {
        let bytes = replay.bounds.bytes;
        Self {
            records,
            source,
            pass: None,
            window: Window::default(),
            replay,
            goal: 0,
            reached: false,
            over: false,
            calls: 0,
            wireframe: false,
            snapshots: Snapshots::new(bytes),
            seen: 0,
            is_resumed: false,
            has_started_over: false,
        }
    }

    /// What was executed so far.
    pub fn replay(&mut self) -> &mut Replay {
        &mut self.replay
    }

    /// Number of calls looked at so far, and the number of the last one.
    pub fn progress(&self) -> (u64, u64) {
        (self.calls, self.replay.highest)
    }

    /// Number of all calls.
    pub fn count(&self) -> u64 {
        self.records.lanes().first().map_or(0, |lane| lane.rows)
    }

    /// Whether the file cannot be read without a decompressor that is provided.
    pub fn needs_decompressor(&self) -> bool {
        self.records.needs_decompressor()
    }

    /// The frames, once the trace is over.
    pub fn frames(&self) -> &[Frame] {
        self.replay.plan.frames()
    }

    /// The calls before which draws need not be executed for a picture at `call`: those to windows,
    /// and those to framebuffers of the trace.
    pub fn skip_before(&self, call: u64) -> [u64; 2] {
        let windows = self.replay.plan.skip_before(call);
        [windows, self.replay.surfaces.needed(call, windows)]
    }

    /// Sets the call after which the state is wanted. Returns whether everything starts over, or
    /// with a snapshot: objects of WebGL2 are to be deleted then, but for [`Player::kept`]. `skip`:
    /// the calls before which draws are left out, as [`Player::skip_before`] returns them.
    pub fn seek(&mut self, call: u64, [skip, surfaces]: [u64; 2]) -> bool {
        let mut anew = self.begins_anew(call, [skip, surfaces]);
        let is_here = self.reached && self.goal == call && !anew;
        self.reached = is_here;
        self.goal = call;
        if !is_here {
            let from = if anew { 0 } else { Snapshots::worthwhile(self.replay.highest) };
            let resumed = self.snapshots.resume(call, skip.min(surfaces), from, &self.replay);
            match resumed {
                Some(resumed) => {
                    self.resume(resumed);
                    anew = true;
                }
                None if anew => self.restart(skip.min(surfaces)),
                None => {}
            }
        }
        (self.replay.skip_before, self.replay.skip_surfaces) = (skip, surfaces);
        self.replay.vertices = 0;
        anew
    }

    /// Whether [`Player::seek`] would start over.
    pub fn begins_anew(&self, call: u64, [skip, surfaces]: [u64; 2]) -> bool {
        // What was left out before cannot be made up for, and calls are not undone.
        let is_here = self.reached && self.goal == call;
        self.pass.is_none()
            || self.replay.halted.is_some()
            || skip < self.replay.skip_before
            || surfaces < self.replay.skip_surfaces
            || (!is_here && (call <= self.replay.highest || self.over))
    }

    /// What was drawn is there again, from a copy that was made at this call when draws before
    /// `skip` had been left out.
    pub fn restored(&mut self, skip: [u64; 2]) {
        [self.replay.skip_before, self.replay.skip_surfaces] = skip;
    }

    /// The textures that are kept where everything starts over, by their numbers.
    pub fn kept(&self) -> &HashMap<u32, Kept> {
        &self.replay.kept
    }

    /// Starts over with the next [`Player::seek`]: what was drawn is not to be relied on.
    pub fn forget(&mut self) {
        self.pass = None;
    }

    /// Starts over with the next [`Player::seek`]: of the commands that were taken last, `words`,
    /// only the first were executed, so that textures may lack what these upload.
    pub fn interrupted(&mut self, words: &[u32]) {
        self.replay.stream.doubt(words);
        self.forget();
    }

    /// Shows draws as lines. Everything starts over with the next [`Player::seek`].
    pub fn set_wireframe(&mut self, on: bool) {
        if self.wireframe != on {
            (self.wireframe, self.pass) = (on, None);
        }
    }

    /// Draws before call `from` are left out: textures that do not change from there on are kept.
    fn restart(&mut self, from: u64) {
        // What was halted did not get all that it asked for.
        let mut kept = if self.replay.halted.is_none() { self.replay.unchanged_since(from) } else { HashMap::new() };
        let lacking = self.replay.stream.lacking();
        kept.retain(|handle, _| !lacking.contains(handle));
        let old = self.new_replay();
        self.replay.kept = kept;
        let kept = &self.replay.kept;
        self.replay.stream.shadow.inherit(&old.stream.shadow, |handle| kept.contains_key(&handle));
        self.pass = Some(self.start());
    }

    /// The pass of a replay that has executed nothing.
    fn start(&mut self) -> Box<dyn Pass<Calls>> {
        (self.over, self.calls, self.seen, self.is_resumed) = (false, 0, 0, false);
        self.snapshots.begin(0);
        self.records.calls(0..u32::MAX)
    }

    /// Begins with a replay that has executed nothing. Returns the old one.
    fn new_replay(&mut self) -> Replay {
        let mut new = Replay::new(self.replay.bounds, self.replay.stream.on);
        new.share(&self.replay);
        new.wireframe = self.wireframe;
        core::mem::replace(&mut self.replay, new)
    }

    /// Begins with the first call, without anything that WebGL2 has. Draws are left out as before.
    fn start_over(&mut self) -> Box<dyn Pass<Calls>> {
        let old = self.new_replay();
        (self.replay.skip_before, self.replay.skip_surfaces) = (old.skip_before, old.skip_surfaces);
        self.start()
    }

    /// Whether everything has begun with the first call again since this was asked last: objects of
    /// WebGL2 are to be deleted then, all of them.
    pub fn take_started_over(&mut self) -> bool {
        core::mem::take(&mut self.has_started_over)
    }

    fn resume(&mut self, Resumed { call, piece, calls, replay }: Resumed) {
        self.replay = replay;
        self.replay.wireframe = self.wireframe;
        self.pass = Some(self.records.calls(piece..u32::MAX));
        (self.over, self.calls, self.seen) = (false, calls, call);
        self.is_resumed = true;
    }

    /// Sets how many calls lie between snapshots, for tests. They begin with pieces.
    pub fn set_spacing(&mut self, calls: u64) {
        self.snapshots.set_spacing(calls);
    }

    /// Executes further calls, at most `budget`.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn step(&mut self, budget: u64) -> Result<Turn, Unreadable> {
        let Some(mut pass) = self.pass.take() else { return Ok(Turn::Done) };
        let mut left = budget;
        if self.replay.stream.is_split() || !self.replay.stream.catch_up() {
            self.pass = Some(pass);
            return Ok(Turn::Going);
        }
        let result = loop {
            if self.reached || self.over || self.replay.halted.is_some() {
                if self.replay.halted.is_some() {
                    // What is there so far is a frame, too.
                    self.replay.plan.finish();
                }
                break Ok(if self.replay.stream.is_split() { Turn::Going } else { Turn::Done });
            }
            if left == 0 || self.replay.stream.is_full() {
                break Ok(Turn::Going);
            }
            match self.run(&mut *pass, &mut left) {
                Ok(Ran::More) => {}
                Ok(Ran::Late) => break Ok(Turn::Going),
                Ok(Ran::Over) => {
                    self.over = true;
                    self.replay.plan.finish();
                }
                Ok(Ran::Refused) => {
                    self.snapshots.give_up();
                    pass = self.start_over();
                    self.has_started_over = true;
                }
                Err(error) => break Err(error),
            }
        };
        self.pass = Some(pass);
        result
    }

    /// Executes calls until the turn is over.
    fn run(&mut self, pass: &mut dyn Pass<Calls>, left: &mut u64) -> Result<Ran, Unreadable> {
        if pass.want().is_none() {
            return Ok(Ran::Over);
        }
        let handlers = Rc::clone(&self.replay.handlers);
        let shared = RefCell::new((&mut self.replay, &mut self.calls, left, &mut self.snapshots));
        let goal = self.goal;
        let (seen, records) = (self.seen, self.records);
        let mut collector = Collector::new(goal, handlers, |call: &Call, before: u64| {
            let mut shared = shared.borrow_mut();
            let (replay, calls, left, snapshots) = &mut *shared;
            // All calls before this one have come, and no other.
            if replay.stream.on && seen + before == call.number && snapshots.is_due(call.number) {
                let pieces = records.lanes().first().map_or(&[][..], |lane| &lane.pieces);
                let after = pieces.partition_point(|piece| piece.row <= call.number);
                let piece = after.checked_sub(1).and_then(|at| pieces.get(at));
                if let Some(piece) = piece.filter(|piece| replay.can_be_copied(piece.row)) {
                    snapshots.make(replay, piece.row, piece.number, **calls);
                }
            }
            replay.execute(call);
            **calls += 1;
            **left = left.saturating_sub(1 + replay.take_work() / WORK);
            call.number == goal || **left == 0 || replay.halted.is_some() || replay.stream.is_full()
        });
        let ran = run_pass(pass, &self.source, &mut self.window, Reads::ahead(AHEAD), &mut collector);
        self.reached = collector.passed;
        self.seen += collector.seen;
        let has_come = self.seen != seen;
        match ran {
            // What can be read of a damaged file ends here; the timeline says why. Some containers
            // cannot be read from the middle.
            Err(Unreadable::Undecodable(_)) if self.is_resumed && !has_come => return Ok(Ran::Refused),
            Err(Unreadable::Undecodable(_)) => return Ok(Ran::Over),
            Err(Unreadable::Changed) => return Err(Unreadable::Changed),
            Ok(()) | Err(Unreadable::Late) => {}
        }
        self.is_resumed &= !has_come;
        Ok(if ran.is_ok() { Ran::More } else { Ran::Late })
    }
}

#[cfg(test)]
mod tests {
    use unspool_formats::apitrace::ROW;
    use unspool_records::memory::index_of;

    use super::*;

    #[test]
    fn functions_are_found_once_in_a_trace() {
        let file = include_bytes!("../../../tests/fixtures/apitrace/replay_lists.trace").to_vec();
        let index = index_of(&ROW.format, &file).unwrap();
        let mut silent = Player::open(&index, file.clone(), Bounds::default(), false).unwrap();
        let functions = Rc::clone(&silent.replay.handlers);
        let play = |player: &mut Player<Vec<u8>>| {
            player.seek(u64::MAX >> 1, [0; 2]);
            while player.step(u64::MAX).unwrap() == Turn::Going {
                player.replay.stream.take();
            }
            assert!(player.replay.highest > 0 && Rc::ptr_eq(&player.replay.handlers, &functions));
        };
        play(&mut silent);
        let mut player = silent.drawing(file);
        play(&mut player);
        player.forget();
        play(&mut player);
    }
}
