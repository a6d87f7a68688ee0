//! Calls in the order of time, as rectangles: those of the timeline, but with the call paths as
//! they were changed.
//!
//! Calls shorter than a step of the range are merged with others of their row that follow within a
//! step. So the picture depends on the range and not on the number of calls. A person who looks
//! closer selects a shorter range.

use unspool_trace::{Stacking, TrackId, sort};

use super::paths::Paths;
use super::plan::Question;
use super::shape::{Shape, Transform};
use crate::call_tree::ROOT;
use crate::jobs::{Job, Progress, Step};
use crate::store::column::Column;
use crate::store::{Slice, Store};

/// Steps of the range: more than a screen has pixels.
const STEPS: u64 = 4096;
/// Most rows of a picture.
const MOST_ROWS: u32 = 4096;
/// Most rectangles of a picture.
const MOST_RECTS: usize = 1 << 18;
/// [`TimeOrderColumns::index`] of a rectangle that stands for several slices.
const MANY: u32 = u32::MAX;

/// Rectangles as columns, sorted by row, then by start, free of overlap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeOrderColumns {
    /// Absolute position of the left edge, in ticks.
    pub from: u64,
    /// The width, in ticks.
    pub width: f64,
    /// The tracks from above, each with its number of rows.
    pub tracks: Vec<TrackId>,
    /// Rows of each of these.
    pub rows: Vec<u32>,
    /// Whether rows or rectangles were left out.
    pub partial: bool,
    /// Row from the uppermost of the first track on.
    pub row: Vec<u32>,
    /// Ticks from the left edge, as doubles, exact below 2^53.
    pub start: Vec<f64>,
    /// The same.
    pub end: Vec<f64>,
    /// Number of the name; of several slices, the one that covers most.
    pub name: Vec<u32>,
    /// How much of the rectangle slices cover: 255 for all.
    pub fill: Vec<u8>,
    /// Number of the track.
    pub track: Vec<u32>,
    /// Signed depth of the slice on its track.
    pub depth: Vec<i32>,
    /// Index of the slice in its column, or `u32::MAX` for several.
    pub index: Vec<u32>,
}

/// Draws the calls of a range in the order of time. One scan over its slices.
#[derive(Debug)]
pub struct TimeOrder {
    question: Question,
    transforms: Vec<Transform>,
    /// First position and width of the picture.
    window: (u64, u64),
    paths: Paths,
    /// What the paths have become. `None` without transforms, and while paths through unrecorded
    /// callers are being found.
    changed: Option<Changed>,
    /// Columns with their slices in the range. The second list follows once the first is done.
    unknown: Vec<Part>,
    parts: Vec<Part>,
    /// Rectangles in progress by row of the current column.
    open: Vec<Option<Rect>>,
    rects: Vec<Rect>,
    columns: TimeOrderColumns,
    progress: Progress,
    done: bool,
}

/// The paths after the transforms.
#[derive(Debug)]
struct Changed {
    shape: Shape,
    /// For each place, the node that stands for its calls.
    node: Vec<Option<u32>>,
    /// Distance of each node from the root.
    depth: Vec<u32>,
}

/// Slices of a column that are still to be visited.
#[derive(Clone, Copy, Debug)]
struct Part {
    track: TrackId,
    depth: i32,
    next: usize,
    end: usize,
}

#[derive(Clone, Copy, Debug)]
struct Rect {
    track: TrackId,
    depth: i32,
    row: u32,
    start: u64,
    end: u64,
    covered: u64,
    name: u32,
    /// How far the name dominates, in ticks; see [`Rect::merge`].
    vote: u64,
    index: u32,
    /// All of its slices are shorter than a step.
    short: bool,
}

impl TimeOrder {
    /// Plans the scan.
    pub fn new(store: &Store, question: Question, transforms: Vec<Transform>) -> Self {
        let (first, last) = store.extent().unwrap_or_default();
        let from = question.from.max(first);
        let to = question.to.min(last).max(from);
        let paths = Paths::new(store, &question.tracks);
        let (mut unknown, mut parts) = (Vec::new(), Vec::new());
        for id in &question.tracks {
            let Some(track) = store.tracks.get(*id as usize) else { continue };
            for (depth, column) in track.columns() {
                let range = column.overlapping(question.from, question.to);
                if !range.is_empty() {
                    let part = Part { track: *id, depth, next: range.start, end: range.end };
                    parts.push(part);
                    if !transforms.is_empty() && paths.orphans(*id, depth).is_some() {
                        unknown.push(part);
                    }
                }
            }
        }
        parts.reverse();
        let of = unknown.iter().chain(&parts).map(|part| (part.end - part.next) as u64).sum();
        Self {
            question,
            transforms,
            window: (from, to - from),
            paths,
            changed: None,
            unknown,
            parts,
            open: Vec::new(),
            rects: Vec::new(),
            columns: TimeOrderColumns::default(),
            progress: Progress { done: 0, of },
            done: false,
        }
    }

    /// The picture, once it is done.
    pub fn found(&self) -> Option<&TimeOrderColumns> {
        self.done.then_some(&self.columns)
    }

    fn change(&mut self, store: &Store) {
        let tree = self.paths.tree(&store.calls);
        let mut shape = Shape::of_structure(self.paths.len(), |place| (tree.name(place), tree.parent(place)));
        let mut node: Vec<Option<u32>> = (0..self.paths.len() as u32).map(Some).collect();
        for transform in &self.transforms {
            let (next, stands) = shape.transformed(transform);
            for node in &mut node {
                *node = node.and_then(|node| stands.get(node as usize).copied().flatten());
            }
            shape = next;
        }
        let mut depth = vec![0u32];
        for node in 1..shape.len() as u32 {
            depth.push(depth.get(shape.parent_of(node) as usize).copied().unwrap_or(0) + 1);
        }
        self.changed = Some(Changed { shape, node, depth });
    }

    /// Finds the paths through unrecorded callers. Returns whether all are known.
    fn find_paths(&mut self, store: &Store, until: u64) -> bool {
        while let Some(part) = self.unknown.last_mut() {
            let paths = &mut self.paths;
            if let Some(column) = column_of(store, part)
                && let Some(orphans) = paths.orphans(part.track, part.depth)
            {
                let is_done = column.sweep(&mut part.next, part.end, &mut self.progress, until, &mut |_, _, node| {
                    paths.place_of(&store.calls, orphans, node);
                });
                if !is_done {
                    return false;
                }
            }
            self.unknown.pop();
        }
        true
    }

    /// Row and name of a slice; `None` if it was left out.
    fn place(&mut self, store: &Store, part: &Part, slice: &Slice) -> Option<(u32, u32)> {
        let track = store.tracks.get(part.track as usize)?;
        let row = u32::try_from(i64::from(part.depth) - i64::from(track.lowest())).ok()?;
        let Some(changed) = &self.changed else { return Some((row, store.calls.name(slice.node))) };
        let orphans = self.paths.orphans(part.track, part.depth);
        let place = orphans.map_or(slice.node, |orphans| self.paths.place_of(&store.calls, orphans, slice.node));
        let node = changed.node.get(place as usize).copied().flatten()?;
        let depth = changed.depth.get(node as usize).copied().unwrap_or(0);
        // Lifetimes do not nest: each has a path of its own, and stays in its row.
        let row = if track.def.stacking == Stacking::Nested { depth.checked_sub(1)? } else { row };
        (node != ROOT).then(|| (row, changed.shape.name_of(node)))
    }

    fn draw(&mut self, store: &Store, until: u64) -> bool {
        while let Some(mut part) = self.parts.pop() {
            let Some(column) = column_of(store, &part) else { continue };
            while let Some(stretch) = column.first_stretch(part.next..part.end) {
                let end = part.next + stretch.len();
                column.scan(part.next, end, |index, slice| {
                    if let Some((row, name)) = self.place(store, &part, &slice) {
                        self.add(&part, row, name, index, &slice);
                    }
                    true
                });
                part.next = end;
                self.progress.done += stretch.len() as u64;
                if self.progress.done >= until {
                    self.parts.push(part);
                    return false;
                }
            }
            let open = std::mem::take(&mut self.open);
            open.into_iter().flatten().for_each(|rect| self.put(rect));
        }
        true
    }

    fn add(&mut self, part: &Part, row: u32, name: u32, index: usize, slice: &Slice) {
        if row >= MOST_ROWS {
            self.columns.partial = true;
            return;
        }
        let (from, width) = self.window;
        let step = width.div_ceil(STEPS).max(1);
        let start = slice.start.saturating_sub(from);
        let end = slice.end.saturating_sub(from).min(width);
        let covered = end.saturating_sub(start);
        let Part { track, depth, .. } = *part;
        let short = covered < step;
        let rect = Rect { track, depth, row, start, end, covered, name, vote: covered, index: index as u32, short };
        let at = row as usize;
        if self.open.len() <= at {
            self.open.resize(at + 1, None);
        }
        let Some(open) = self.open.get_mut(at) else { return };
        match open {
            Some(burst) if short && burst.short && end - burst.start <= step => burst.merge(&rect),
            _ => {
                if let Some(before) = open.replace(rect) {
                    self.put(before);
                }
            }
        }
    }

    fn put(&mut self, rect: Rect) {
        if self.rects.len() < MOST_RECTS {
            self.rects.push(rect);
        } else {
            self.columns.partial = true;
        }
    }

    /// Puts rectangles into columns, row by row, with the rows of each track below those of the one
    /// before.
    fn finish(&mut self) {
        let mut rects = std::mem::take(&mut self.rects);
        // Number of rows by track, and then the first row of each.
        let mut of_track = vec![0u32; rects.iter().map(|rect| rect.track as usize + 1).max().unwrap_or(0)];
        for rect in &rects {
            if let Some(rows) = of_track.get_mut(rect.track as usize) {
                *rows = (*rows).max(rect.row + 1);
            }
        }
        let mut first = 0u32;
        for id in &self.question.tracks {
            let Some(rows) = of_track.get_mut(*id as usize).filter(|rows| **rows > 0) else { continue };
            self.columns.tracks.push(*id);
            self.columns.rows.push(*rows);
            first += std::mem::replace(rows, first);
        }
        for rect in &mut rects {
            rect.row += of_track.get(rect.track as usize).copied().unwrap_or(0);
        }
        let mut order: Vec<(u64, u32)> = rects.iter().map(|rect| u64::from(rect.row)).zip(0..).collect();
        sort::pairs(&mut order);
        for run in order.chunk_by_mut(|a, b| a.0 == b.0) {
            for (key, i) in run.iter_mut() {
                *key = rects.get(*i as usize).map_or(0, |rect| rect.start);
            }
            sort::pairs(run);
        }
        let sorted = |at: usize| order.get(at).and_then(|(_, i)| rects.get(*i as usize));
        (self.columns.from, self.columns.width) = (self.window.0, self.window.1 as f64);
        for at in 0..order.len() {
            let Some(rect) = sorted(at) else { continue };
            // Bursts of calls from several depths may overlap by less than a step.
            let next = sorted(at + 1).filter(|next| next.row == rect.row).map_or(u64::MAX, |next| next.start);
            self.columns.push(rect, rect.end.min(next).max(rect.start));
        }
    }
}

impl Rect {
    /// Adds a slice that follows. The name that covers more than half of the time wins, in whatever
    /// order they come.
    fn merge(&mut self, next: &Self) {
        if self.name == next.name {
            self.vote = self.vote.saturating_add(next.vote);
        } else if next.vote > self.vote {
            (self.name, self.vote) = (next.name, next.vote - self.vote);
        } else {
            self.vote -= next.vote;
        }
        self.end = self.end.max(next.end);
        self.covered = self.covered.saturating_add(next.covered);
        self.index = MANY;
    }
}

impl TimeOrderColumns {
    fn push(&mut self, rect: &Rect, end: u64) {
        self.row.push(rect.row);
        self.start.push(rect.start as f64);
        self.end.push(end as f64);
        self.name.push(rect.name);
        let length = rect.end - rect.start;
        let share = if length == 0 { 1.0 } else { rect.covered as f64 / length as f64 };
        self.fill.push((share * 255.0).ceil().min(255.0) as u8);
        self.track.push(rect.track);
        self.depth.push(rect.depth);
        self.index.push(rect.index);
    }

    fn bytes(&self) -> usize {
        let numbers = self.tracks.capacity() + self.rows.capacity() + self.row.capacity() + self.name.capacity();
        let places = self.track.capacity() + self.depth.capacity() + self.index.capacity();
        (numbers + places) * size_of::<u32>()
            + (self.start.capacity() + self.end.capacity()) * size_of::<f64>()
            + self.fill.capacity()
    }
}

fn column_of<'a>(store: &'a Store, part: &Part) -> Option<&'a Column> {
    store.tracks.get(part.track as usize)?.column(part.depth)
}

impl Job for TimeOrder {
    fn noun(&self) -> &'static str {
        "calls in time order"
    }

    fn step(&mut self, store: &Store, budget: u64) -> Step {
        if self.done {
            return Step::Done;
        }
        let until = self.progress.done.saturating_add(budget);
        if !self.find_paths(store, until) {
            return Step::More;
        }
        if self.changed.is_none() && !self.transforms.is_empty() {
            self.change(store);
        }
        if !self.draw(store, until) {
            return Step::More;
        }
        self.finish();
        self.changed = None;
        self.done = true;
        Step::Done
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    fn bytes(&self) -> u64 {
        let changed = self.changed.as_ref().map_or(0, |changed| {
            let nodes = changed.node.capacity() * size_of::<Option<u32>>();
            changed.shape.bytes() + nodes + changed.depth.capacity() * size_of::<u32>()
        });
        let rects = self.rects.capacity() * size_of::<Rect>() + self.open.capacity() * size_of::<Option<Rect>>();
        let parts = (self.unknown.capacity() + self.parts.capacity()) * size_of::<Part>();
        (self.paths.bytes() + changed + rects + parts + self.columns.bytes()) as u64
    }

    fn release(&mut self) {
        (self.changed, self.rects, self.open) = (None, Vec::new(), Vec::new());
        (self.unknown, self.parts) = (Vec::new(), Vec::new());
        self.columns = TimeOrderColumns::default();
        self.done = false;
    }
}
