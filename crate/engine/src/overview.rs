//! The overview strip: how busy each track is over the whole trace.

use unspool_trace::{TrackId, TrackKind, sort};

use crate::store::node::Node;
use crate::store::slice::Slice;
use crate::store::walk::Visit;
use crate::store::{Store, Track, track_columns};

/// Most rows of the strip, which is 56 pixels high.
const MOST_ROWS: usize = 24;
/// Columns of a track that count. Deeper ones only repeat that the track is busy.
const MOST_COLUMNS: usize = 64;

/// Density over the whole trace, row by row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overview {
    /// Absolute position of the first bucket's start.
    pub from: u64,
    /// Absolute position of the last bucket's end.
    pub to: u64,
    /// Buckets in a row.
    pub buckets: u32,
    /// The track of each row.
    pub rows: Vec<TrackId>,
    /// Density of each bucket, row by row: 0 for nothing, 255 for the busiest bucket of the trace.
    pub density: Vec<u8>,
    /// Number of the dominant name of each bucket, row by row.
    pub name: Vec<u32>,
}

impl Store {
    /// Density over the whole trace, in `buckets` buckets for each track. If there are too many
    /// tracks, those with the most slices are chosen.
    pub fn overview(&self, buckets: u32) -> Overview {
        let buckets = buckets.clamp(1, 8192);
        let Some((from, to)) = self.extent() else { return Overview { buckets, ..Overview::default() } };
        let mut rows = self.busy(|t| t.def.kind == TrackKind::Thread && t.slices() > 0);
        if rows.is_empty() {
            // Without threads, lanes and instants show where something happens.
            rows = self.busy(|t| t.def.kind == TrackKind::Lane && t.slices() + t.instants.len() as u64 > 0);
        }
        if rows.len() > MOST_ROWS {
            let size = |id: &TrackId| self.tracks.get(*id as usize).map_or(0, |t| t.slices() + t.instants.len() as u64);
            let mut largest: Vec<(u64, u32)> = rows.iter().map(|id| (u64::MAX - size(id), *id)).collect();
            sort::pairs(&mut largest);
            // In the order of tracks again.
            let mut chosen: Vec<(u64, u32)> = largest.iter().take(MOST_ROWS).map(|(_, id)| (0, *id)).collect();
            sort::pairs(&mut chosen);
            rows = chosen.into_iter().map(|(_, id)| id).collect();
        }
        let mut load = Vec::with_capacity(rows.len() * buckets as usize);
        let mut name = Vec::with_capacity(load.capacity());
        for row in &rows {
            let cells = self.cells(*row, from, to, buckets);
            load.extend(cells.iter().map(|c| c.load));
            name.extend(cells.iter().map(|c| c.name));
        }
        let most = load.iter().copied().fold(0.0, f64::max);
        let scale = |l: f64| if l > 0.0 { ((l / most).sqrt() * 255.0).ceil() as u8 } else { 0 };
        Overview { from, to, buckets, rows, density: load.into_iter().map(scale).collect(), name }
    }

    fn busy(&self, is_busy: impl Fn(&Track) -> bool) -> Vec<TrackId> {
        (0..).zip(&self.tracks).filter(|(_, t)| is_busy(t)).map(|(id, _)| id).collect()
    }

    fn cells(&self, track: TrackId, from: u64, to: u64, buckets: u32) -> Vec<Cell> {
        let mut cells = vec![Cell::default(); buckets as usize];
        let width = ((to - from) as f64 / f64::from(buckets)).max(f64::MIN_POSITIVE);
        let Some(track) = self.tracks.get(track as usize) else { return cells };
        for column in track_columns(track).take(MOST_COLUMNS) {
            cells.iter_mut().for_each(Cell::next_column);
            let mut row = Row { store: self, cells: &mut cells, from, width };
            column.walk(from, to, &mut 0, &mut row);
        }
        cells.iter_mut().for_each(Cell::next_column);
        if track.def.kind == TrackKind::Lane {
            instants(track, &mut cells, from, width);
        }
        cells
    }
}

/// Adds the instants of a track. Each counts as one step of the x axis.
fn instants(track: &Track, cells: &mut [Cell], from: u64, width: f64) {
    let last = cells.len().saturating_sub(1);
    let mut first = 0;
    for (i, cell) in cells.iter_mut().enumerate() {
        let end = from.saturating_add((width * (i + 1) as f64).ceil() as u64);
        let next =
            if i == last { track.instants.len() } else { track.instants.partition_point(first, |x| x.time < end) };
        if let Some(instant) = track.instants.get(first).filter(|_| next > first) {
            cell.add(((next - first) as f64 / width).min(1.0), instant.name);
        }
        cell.next_column();
        first = next;
    }
}

/// Adds one column to the cells of a track.
struct Row<'a> {
    store: &'a Store,
    cells: &'a mut [Cell],
    from: u64,
    /// Width of a cell, in ticks.
    width: f64,
}

impl Row<'_> {
    fn add(&mut self, start: u64, end: u64, covered: u64, node: u32) {
        let (a, b) = ((start - self.from) as f64 / self.width, (end - self.from) as f64 / self.width);
        let share = if end > start { covered as f64 / (end - start) as f64 } else { 0.0 };
        let name = self.store.calls.name(node);
        let last = (b.ceil() as usize).max(a as usize + 1).min(self.cells.len());
        let first = (a as usize).min(last);
        for (i, cell) in (first..last).zip(self.cells.iter_mut().skip(first)) {
            let part = (b.min((i + 1) as f64) - a.max(i as f64)).max(0.0);
            cell.add(part * share, name);
        }
    }
}

impl Visit for Row<'_> {
    fn node(&mut self, n: &Node, _first: usize, _visited: u64) -> bool {
        let fine = (n.end - n.start) as f64 <= self.width;
        if fine {
            self.add(n.start, n.end, n.covered, n.dominant);
        }
        fine
    }

    fn slice(&mut self, _index: usize, s: Slice) {
        self.add(s.start, s.end, s.end - s.start, s.node);
    }
}

/// One bucket: the load of all columns, and the name of the deepest busy column.
#[derive(Clone, Copy, Default)]
struct Cell {
    load: f64,
    name: u32,
    best: f64,
    here: f64,
    most: f64,
    most_name: u32,
}

impl Cell {
    fn add(&mut self, part: f64, name: u32) {
        self.here += part;
        if part >= self.most {
            (self.most, self.most_name) = (part, name);
        }
    }

    /// A deeper column names the cell if it covers a quarter of it, or more than the columns above.
    fn next_column(&mut self) {
        self.load += self.here;
        if self.here > 0.0 && (self.here >= 0.25 || self.here > self.best) {
            (self.name, self.best) = (self.most_name, self.here);
        }
        (self.here, self.most) = (0.0, 0.0);
    }
}
