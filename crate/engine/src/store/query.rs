//! What to draw for a window: rectangles about a pixel wide or wider, never one for each slice.

use std::ops::Range;

use unspool_trace::TrackId;
use unspool_trace::batch::flags::NEVER_ENDED;

use super::Store;
use super::column::Column;
use super::node::Node;
use super::slice::Open;
use super::slice::Slice;
use super::track::Track;
use super::walk::Visit;

/// The index of a rectangle that stands for several slices.
pub const MANY: u32 = u32::MAX;

/// A node is drawn as one rectangle if it is at most this many steps long and none of its slices is
/// a step long. At most this many nodes and slices are visited for each step of a row, on average.
/// The first follows from the second: nodes whose children are visited are longer, so there are at
/// most a quarter as many of them as steps, with 16 children each.
const COARSE: u64 = 4;
/// A window of at most this many ticks is the closest look that the page allows: a tick is 200 CSS
/// pixels wide then, and the window three times as wide as the screen. No closer look could tell
/// slices apart, so every tick is drawn exactly, whatever it costs: at most two paths from the root
/// of the levels of detail for each tick.
const CLOSEST: u64 = 256;

/// Rectangles as columns, sorted by track, depth and start. Positions are relative to the answer's
/// origin.
#[derive(Debug, Default)]
pub struct RectColumns {
    /// Number of the track.
    pub track: Vec<u32>,
    /// Signed depth.
    pub depth: Vec<i32>,
    /// Start, in ticks from the origin.
    pub start: Vec<f64>,
    /// End, in ticks from the origin.
    pub end: Vec<f64>,
    /// Number of the slice's name, or of the name that dominates the rectangle.
    pub name: Vec<u32>,
    /// Index of the slice in its column, or [`MANY`].
    pub index: Vec<u32>,
    /// How much of the rectangle is covered, from 0 to 255.
    pub fill: Vec<u8>,
    /// Flags of the slice; 0 for several slices.
    pub flags: Vec<u8>,
}

/// Instants as columns, at most one for each step.
#[derive(Debug, Default)]
pub struct InstantColumns {
    /// Number of the track.
    pub track: Vec<u32>,
    /// Position, in ticks from the origin.
    pub time: Vec<f64>,
    /// Number of the first one's name.
    pub name: Vec<u32>,
    /// Index of the first one on its track.
    pub index: Vec<u32>,
    /// How many instants are in the step.
    pub many: Vec<u32>,
}

/// Values of counters as columns, at most one for each step. A value holds until the next.
#[derive(Debug, Default)]
pub struct CounterColumns {
    /// Number of the track.
    pub track: Vec<u32>,
    /// Position, in ticks from the origin. The first of a track can be negative: it may be before
    /// the window.
    pub time: Vec<f64>,
    /// Lowest value in the step, ignoring NaNs.
    pub min: Vec<f64>,
    /// Highest value in the step, ignoring NaNs.
    pub max: Vec<f64>,
    /// Last value in the step.
    pub last: Vec<f64>,
    /// The bits of `min`, `max` and `last`, three a value, of which doubles keep 53.
    pub bits: Vec<u64>,
}

/// The answer to a query.
#[derive(Debug, Default)]
pub struct QueryAnswer {
    /// The position that all others are relative to: the window's start.
    pub origin: u64,
    /// Slices.
    pub rects: RectColumns,
    /// Instants.
    pub instants: InstantColumns,
    /// Values of counters.
    pub counters: CounterColumns,
    /// Whether everything in the window has been read, and the same question would not get a more
    /// exact answer.
    pub complete: bool,
    /// How many nodes and slices were visited.
    pub visited: u64,
}

/// Some rows of a track: a window shows only a few rows of a thread that is thousands of calls
/// deep.
#[derive(Clone, Debug)]
pub struct TrackRows {
    /// Number of the track.
    pub track: TrackId,
    /// Signed depths. Instants and samples are included whatever the depths are.
    pub depths: Range<i32>,
}

impl Store {
    /// What to draw for `from..to` (absolute, in ticks) on these tracks, if a pixel is about `step`
    /// ticks wide.
    pub fn query(&self, from: u64, to: u64, step: u64, tracks: &[TrackId]) -> QueryAnswer {
        let rows: Vec<_> = tracks.iter().map(|track| TrackRows { track: *track, depths: i32::MIN..i32::MAX }).collect();
        self.query_rows(from, to, step, &rows)
    }

    /// Like [`Store::query`], for some rows of each track.
    pub fn query_rows(&self, from: u64, to: u64, step: u64, rows: &[TrackRows]) -> QueryAnswer {
        self.query_beside(from, to, step, rows, &[])
    }

    /// Like [`Store::query_rows`]. `derived` are the tracks that are not of the trace.
    pub(crate) fn query_beside(
        &self,
        from: u64,
        to: u64,
        step: u64,
        rows: &[TrackRows],
        derived: &[(TrackId, &Track)],
    ) -> QueryAnswer {
        let step = step.max(1);
        let now = self.extent().map_or(0, |(_, to)| to);
        let mut answer = QueryAnswer { origin: from, complete: self.is_finished(), ..QueryAnswer::default() };
        let shelf = self.shelf.as_ref().map(|it| &it.shelf);
        shelf.inspect(|shelf| shelf.look());
        for TrackRows { track: id, depths } in rows {
            let track = self
                .tracks
                .get(*id as usize)
                .or_else(|| derived.iter().find(|(other, _)| other == id).map(|(_, track)| *track));
            let Some(track) = track else { continue };
            let mut pen = Pen {
                store: self,
                answer: &mut answer,
                track: *id,
                depth: 0,
                from,
                to,
                step,
                allowance: 0,
                column: None,
                pending: None,
            };
            let mut open = track.open().filter(|o| depths.contains(&o.depth)).peekable();
            for (depth, column) in track.columns_within(depths) {
                pen.depth = depth;
                pen.column(column);
                if let Some(o) = open.next_if(|o| o.depth == depth) {
                    pen.open(column.len(), o, now);
                }
                pen.flush();
            }
            for o in open {
                // Its column is created when the first slice in it ends.
                pen.depth = o.depth;
                pen.open(0, o, now);
                pen.flush();
            }
            instants(track, *id, from, to, step, &mut answer);
            counters(track, *id, from, to, step, &mut answer);
        }
        answer.complete &= shelf.is_none_or(|shelf| shelf.looked());
        answer
    }
}

/// Draws one column.
struct Pen<'a> {
    store: &'a Store,
    answer: &'a mut QueryAnswer,
    track: TrackId,
    depth: i32,
    from: u64,
    to: u64,
    step: u64,
    /// Free visits, to find the start of the window.
    allowance: u64,
    /// The column that is being drawn.
    column: Option<&'a Column>,
    /// Slices that are too short to be drawn on their own.
    pending: Option<Short>,
}

#[derive(Clone, Copy)]
struct Short {
    start: u64,
    end: u64,
    covered: u64,
    /// The call-tree node that determines the colour, and how much of the slices it covers.
    node: u32,
    most: u64,
    index: u32,
    flags: u8,
}

impl<'a> Pen<'a> {
    fn column(&mut self, column: &'a Column) {
        let mut visited = 0;
        self.column = Some(column);
        self.allowance = 16 * (column.levels() as u64 + 1);
        column.walk(self.from, self.to, &mut visited, self);
        self.answer.visited += visited;
    }

    /// Draws a slice that has not ended yet: the next of its column.
    fn open(&mut self, index: usize, open: &Open, now: u64) {
        if open.start < self.to {
            let end = now.max(open.start);
            let slice = Slice {
                start: open.start,
                end,
                node: open.node,
                flags: NEVER_ENDED | open.flags,
                locator: open.locator,
            };
            self.slice(index, slice);
        }
    }

    /// The step, or a coarser one if more than [`COARSE`] visits for each step were spent so far.
    /// Where bursts and pauses of a few steps alternate, visiting each would cost several times
    /// that. This bounds the work, whatever the data.
    fn affordable(&self, node: &Node, visited: u64) -> u64 {
        if self.step == 1 && self.to.saturating_sub(self.from) <= CLOSEST {
            return self.step;
        }
        let steps = node.start.saturating_sub(self.from) / self.step;
        let excess = visited.saturating_sub(steps.saturating_mul(COARSE).saturating_add(self.allowance));
        match excess {
            0 => self.step,
            _ => self.step.saturating_mul(2 << (excess / 64).min(8)),
        }
    }

    /// Draws a part of a node.
    fn part(&mut self, node: &Node, start: u64, end: u64, covered: u64) {
        self.short(Short { start, end, covered, node: node.dominant, most: covered, index: MANY, flags: 0 });
    }

    /// Merges what is shorter than a step with its neighbours, up to a step.
    fn short(&mut self, s: Short) {
        match &mut self.pending {
            // No zoom tells apart slices at the same tick: the first of them is drawn.
            Some(p) if p.start == s.end => {}
            // The finest step tells ticks apart.
            Some(_) if self.step == 1 && s.index != MANY => {
                self.flush();
                self.pending = Some(s);
            }
            Some(p) if s.end.saturating_sub(p.start) <= self.step => {
                p.end = p.end.max(s.end);
                p.covered += s.covered;
                if s.most > p.most {
                    (p.node, p.most) = (s.node, s.most);
                }
                (p.index, p.flags) = (MANY, 0);
            }
            _ => {
                self.flush();
                self.pending = Some(s);
            }
        }
    }

    fn flush(&mut self) {
        if let Some(p) = self.pending.take() {
            self.draw(&p);
        }
    }

    fn draw(&mut self, s: &Short) {
        let origin = self.answer.origin;
        let span = s.end - s.start;
        let fill = if s.covered >= span { 255 } else { (u128::from(s.covered) * 255).div_ceil(u128::from(span)) as u8 };
        let r = &mut self.answer.rects;
        r.track.push(self.track);
        r.depth.push(self.depth);
        r.start.push(relative(s.start, origin));
        r.end.push(relative(s.end, origin));
        r.name.push(self.store.calls.name(s.node));
        r.index.push(s.index);
        r.fill.push(fill);
        r.flags.push(s.flags);
    }
}

impl Visit for Pen<'_> {
    fn node(&mut self, node: &Node, first: usize, visited: u64) -> bool {
        let span = node.end - node.start;
        if span == 0 {
            // As elsewhere, slices of a file are not waited for.
            match self.column.filter(|column| column.are_near(first..first + 1)).and_then(|it| it.get(first)) {
                Some(slice) => self.slice(first, slice),
                None => self.far(node),
            }
            return true;
        }
        let step = self.affordable(node, visited);
        if step == 1 {
            // Each tick with slices is drawn on its own.
            return false;
        }
        let coarse = step.saturating_mul(COARSE);
        if span <= self.step {
            self.part(node, node.start, node.end, node.covered);
            return true;
        }
        if !shorter_than(node, step) {
            return false;
        }
        if span <= coarse {
            self.part(node, node.start, node.end, node.covered);
            return true;
        }
        // Two bursts with a pause between them: two rectangles, if the position of the pause is
        // known well enough.
        let Some((from, to)) = node.pause().filter(|_| span / 256 <= step) else { return false };
        let (before, after) = (from - node.start, node.end - to);
        let fine = before <= coarse && after <= coarse;
        if fine {
            let first = (u128::from(node.covered) * u128::from(before) / u128::from(before + after).max(1)) as u64;
            self.part(node, node.start, from, first);
            self.part(node, to, node.end, node.covered - first);
        }
        fine
    }

    fn far(&mut self, node: &Node) {
        self.part(node, node.start, node.end, node.covered);
    }

    fn slice(&mut self, index: usize, slice: Slice) {
        let duration = slice.end - slice.start;
        let short = Short {
            start: slice.start,
            end: slice.end,
            covered: duration,
            node: slice.node,
            most: duration,
            index: index as u32,
            flags: slice.flags,
        };
        if duration < self.step {
            self.short(short);
        } else {
            self.flush();
            self.draw(&short);
        }
    }
}

/// Whether all slices of the node are shorter than the step.
fn shorter_than(node: &Node, step: u64) -> bool {
    node.longest_log2 < 64 && 1u64 << node.longest_log2 <= step
}

/// The difference as a double, exact below 2^53. Positions before the origin are negative.
fn relative(time: u64, origin: u64) -> f64 {
    if time >= origin { (time - origin) as f64 } else { -((origin - time) as f64) }
}

fn instants(track: &Track, id: TrackId, from: u64, to: u64, step: u64, answer: &mut QueryAnswer) {
    let all = &track.instants;
    let mut i = all.partition_point(0, |instant| instant.time < from);
    while let Some(first) = all.get(i)
        && first.time < to
    {
        let until = first.time.saturating_add(step);
        let next = all.partition_point(i, |instant| instant.time < until).max(i + 1);
        let columns = &mut answer.instants;
        columns.track.push(id);
        columns.time.push(relative(first.time, from));
        columns.name.push(first.name);
        columns.index.push(i as u32);
        columns.many.push((next - i) as u32);
        answer.visited += 1;
        i = next;
    }
}

fn counters(track: &Track, id: TrackId, from: u64, to: u64, step: u64, answer: &mut QueryAnswer) {
    let all = track.shown();
    let mut i = all.first_at(0, from);
    // The value at the start of the window was set before it.
    if all.get(i).is_none_or(|s| s.time > from) {
        i = i.saturating_sub(1);
    }
    while let Some(first) = all.get(i)
        && first.time < to
    {
        let next = all.first_at(i, first.time.saturating_add(step)).max(i + 1);
        let (Some((min, max)), Some(last)) = (all.extremes(i, next, &mut answer.visited), all.get(next - 1)) else {
            return;
        };
        let columns = &mut answer.counters;
        columns.track.push(id);
        columns.time.push(relative(first.time, from));
        columns.min.push(all.number(min));
        columns.max.push(all.number(max));
        columns.last.push(all.number(last.bits));
        columns.bits.extend([min, max, last.bits]);
        i = next;
    }
}

#[cfg(test)]
mod tests {
    use unspool_trace::{EventBatch, EventKind, Locator, TrackDef, TrackKind};

    use super::*;

    fn store() -> (Store, EventBatch) {
        let mut batch = EventBatch::with_capacity(1 << 16);
        batch.new_tracks.push(TrackDef::new(TrackKind::Thread, "t"));
        (Store::default(), batch)
    }

    /// Nested calls of all lengths, as in a program: small ones in loops, with pauses, inside
    /// longer ones.
    fn program(slices: u64) -> Store {
        let (mut store, mut batch) = store();
        let (mut time, mut open, mut made, mut random) = (1_000_000_000u64, 0u32, 0, 88172645463325252u64);
        while made < slices {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            time += random % 97 + if random.is_multiple_of(5003) { 1_000_000 } else { 0 };
            let deep = 3 + (made / 5000) % 6;
            if u64::from(open) < deep && !random.is_multiple_of(3) {
                batch.push(EventKind::Begin, 0, time, open, Locator::at(made));
                open += 1;
                made += 1;
            } else if open > 0 {
                open -= 1;
                batch.push(EventKind::End, 0, time, open, Locator::at(made));
            }
            if batch.is_full() {
                assert!(store.apply(&mut batch));
                batch.clear();
            }
        }
        assert!(store.apply(&mut batch));
        store.finish(false);
        store
    }

    #[test]
    fn work_grows_with_pixels_and_hardly_with_slices() {
        for slices in [10_000u64, 10_000_000] {
            let store = program(slices);
            let (from, to) = store.extent().unwrap();
            let rows = u64::from(store.tracks[0].rows());
            let log = u64::from(slices.ilog2());
            let mut step = 1u64;
            while step < to - from {
                let pixels = 2048.min((to - from) / step + 1);
                for part in [0, 1, 2, 3] {
                    let begin = from + (to - from) / 4 * part;
                    let answer = store.query(begin, begin + pixels * step, step, &[0]);
                    let bound = 4 * pixels * rows + 64 * log;
                    assert!(answer.visited <= bound, "{slices} slices, step {step}: {} > {bound}", answer.visited);
                    assert!(answer.rects.track.len() as u64 <= 2 * (pixels + 2) * rows);
                }
                step *= 2;
            }
        }
    }

    #[test]
    fn rows_outside_the_query_cost_nothing() {
        let (mut store, mut batch) = store();
        let deep = 5000;
        for depth in 0..deep {
            batch.push(EventKind::Begin, 0, u64::from(depth), depth, Locator::default());
        }
        // The last thousand never end.
        for depth in (1000..deep).rev() {
            batch.push(EventKind::End, 0, 2 * u64::from(deep) - u64::from(depth), depth, Locator::default());
        }
        assert!(store.apply(&mut batch));
        let asked = |depths: Range<i32>| store.query_rows(0, 20_000, 8, &[TrackRows { track: 0, depths }]);
        for depths in [0..50, 980..1030, 4950..5000, 4990..6000] {
            let (answer, all) = (asked(depths.clone()), store.query(0, 20_000, 8, &[0]));
            let wanted: Vec<_> = (0..all.rects.depth.len()).filter(|i| depths.contains(&all.rects.depth[*i])).collect();
            assert_eq!(answer.rects.depth, wanted.iter().map(|i| all.rects.depth[*i]).collect::<Vec<_>>());
            assert_eq!(answer.rects.start, wanted.iter().map(|i| all.rects.start[*i]).collect::<Vec<_>>());
            assert!(answer.visited <= 2 * 50, "{}", answer.visited);
        }
        assert_eq!(asked(7000..8000).rects.depth.len(), 0);
        let backwards = Range { start: 9, end: 3 };
        assert_eq!(asked(backwards).rects.depth.len(), 0);
    }

    #[test]
    fn a_slice_takes_at_most_twenty_bytes() {
        let store = program(2_000_000);
        let each = store.bytes() as f64 / store.slices() as f64;
        assert!(each <= 20.0, "{each} bytes a slice");
    }

    #[test]
    fn full_zoom_shows_every_slice() {
        let store = program(3000);
        let (from, to) = store.extent().unwrap();
        let answer = store.query(from, to + 1, 1, &[0]);
        let single = answer.rects.index.iter().filter(|i| **i != MANY).count();
        let mut empty = 0;
        store.for_each_slice(0, |_, _, s| empty += usize::from(s.end == s.start));
        // Of the slices without duration at one tick, the first.
        assert!(single + empty >= 3000 && answer.rects.index.len() == single);
        assert!(answer.rects.fill.iter().all(|f| *f == 255));
    }

    /// Runs of slices without duration: `(time, how many)`.
    fn points(runs: &[(u64, u32)]) -> Store {
        let (mut store, mut batch) = store();
        for time in runs.iter().flat_map(|(time, many)| std::iter::repeat_n(*time, *many as usize)) {
            batch.push(EventKind::Begin, 0, time, 0, Locator::default());
            batch.push(EventKind::End, 0, time, 0, Locator::default());
            if batch.is_full() {
                store.apply(&mut batch);
                batch.clear();
            }
        }
        store.apply(&mut batch);
        store.finish(false);
        store
    }

    /// Start, end and index of each rectangle.
    fn drawn(answer: &QueryAnswer) -> Vec<(f64, f64, u32)> {
        let r = &answer.rects;
        (0..r.start.len()).map(|i| (r.start[i], r.end[i], r.index[i])).collect()
    }

    #[test]
    fn slices_without_duration_at_one_tick_are_drawn_as_the_first() {
        let store = points(&[(100, 1), (101, 3), (102, 40), (1000, 1), (5000, 300)]);
        let near = drawn(&store.query(90, 110, 1, &[0]));
        assert_eq!(near, [(10.0, 10.0, 0), (11.0, 11.0, 1), (12.0, 12.0, 4)], "the first of each tick");
        // The same from afar, if nothing else is in the step.
        let far = drawn(&store.query(0, 10_000, 16, &[0]));
        assert_eq!(far, [(100.0, 102.0, MANY), (1000.0, 1000.0, 44), (5000.0, 5000.0, 45)]);
    }

    #[test]
    fn the_closest_look_draws_every_tick() {
        let store = points(&[(7, 100_000), (8, 100_000), (9, 1), (10, 70_000), (400, 100_000)]);
        let answer = store.query(0, 30, 1, &[0]);
        assert_eq!(drawn(&answer), [(7.0, 7.0, 0), (8.0, 8.0, 100_000), (9.0, 9.0, 200_000), (10.0, 10.0, 200_001)]);
        assert!(answer.visited < 30 * 2 * 16 * 5, "{} looked at", answer.visited);
        // What is at the first tick of a window belongs to it, even in a node that ends there.
        assert_eq!(drawn(&store.query(10, 40, 1, &[0])), [(0.0, 0.0, 200_001)]);
        assert_eq!(drawn(&store.query(400, 430, 1, &[0])), [(0.0, 0.0, 270_001)]);
    }

    #[test]
    fn rectangles_of_any_width_keep_covered_time() {
        let store = program(100_000);
        let (from, to) = store.extent().unwrap();
        let mut exact = 0u64;
        store.for_each_slice(0, |_, _, s| exact += s.end - s.start);
        for step in [1 << 6, 1 << 10, 1 << 14] {
            let r = store.query(from, to + 1, step, &[0]).rects;
            let drawn: f64 = (0..r.start.len()).map(|i| (r.end[i] - r.start[i]) * f64::from(r.fill[i]) / 255.0).sum();
            assert!((drawn / exact as f64 - 1.0).abs() < 0.01, "step {step}: {drawn} of {exact}");
        }
    }

    #[test]
    fn open_slices_are_drawn_up_to_the_end_of_what_is_read() {
        let (mut store, mut batch) = store();
        for (kind, time, name) in [
            (EventKind::Begin, 100, 0),
            (EventKind::Begin, 110, 1),
            (EventKind::End, 120, 1),
            (EventKind::Begin, 130, 2),
            (EventKind::Begin, 150, 3),
        ] {
            batch.push(kind, 0, time, name, Locator::default());
        }
        store.apply(&mut batch);
        let answer = store.query(0, 1000, 1, &[0]);
        assert!(!answer.complete);
        let r = &answer.rects;
        let drawn: Vec<_> =
            (0..r.start.len()).map(|i| (r.depth[i], r.start[i], r.end[i], r.name[i], r.index[i])).collect();
        assert_eq!(
            drawn,
            [(0, 100.0, 150.0, 0, 0), (1, 110.0, 120.0, 1, 0), (1, 130.0, 150.0, 2, 1), (2, 150.0, 150.0, 3, 0)]
        );
    }

    #[test]
    fn positions_beyond_two_to_the_53_stay_exact() {
        let (mut store, mut batch) = store();
        let base = 1_800_000_000_000_000_000;
        batch.push(EventKind::Begin, 0, base + 1, 0, Locator::default());
        batch.push(EventKind::End, 0, base + 4, 0, Locator::default());
        store.apply(&mut batch);
        store.finish(false);
        let answer = store.query(base, base + 10, 1, &[0]);
        assert_eq!((answer.origin, answer.rects.start[0], answer.rects.end[0]), (base, 1.0, 4.0));
    }

    #[test]
    fn counters_keep_extremes_and_the_value_before_the_window() {
        let (mut store, mut batch) = store();
        for (time, value) in [(0, 7), (100, 1), (101, 9), (102, 4), (200, 5)] {
            batch.push_sample(0, time, value);
        }
        store.apply(&mut batch);
        let c = store.query(50, 1000, 16, &[0]).counters;
        assert_eq!((c.time, c.min), (vec![-50.0, 50.0, 150.0], vec![7.0, 1.0, 5.0]));
        assert_eq!((c.max, c.last), (vec![7.0, 9.0, 5.0], vec![7.0, 4.0, 5.0]));
        assert_eq!(c.bits, [7, 7, 7, 1, 9, 4, 5, 5, 5]);
    }

    #[test]
    fn instants_within_a_step_are_merged() {
        let (mut store, mut batch) = store();
        for time in [10, 11, 12, 500, 501, 900] {
            batch.push(EventKind::Instant, 0, time, 0, Locator::at(time));
        }
        store.apply(&mut batch);
        let i = store.query(0, 900, 16, &[0]).instants;
        assert_eq!((i.time, i.many, i.index), (vec![10.0, 500.0], vec![3, 2], vec![0, 3]));
    }
}
