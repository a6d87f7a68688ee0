//! Pages of a b-tree: leaves in order, then the pages above them, level by level, the root last.

use core::ops::Range;

use super::PAGE;
use super::record::{ID, put_id};

/// Bytes at the beginning of a leaf, and of an interior page.
pub(crate) const LEAF: usize = 8;
const INTERIOR: usize = 12;
/// Bytes of a cell of an interior page with its place in the list of cells.
const CHILD: usize = 4 + ID + 2;
/// Most children of a page: one has no cell.
const MOST_CHILDREN: u64 = ((PAGE - INTERIOR) / CHILD) as u64 + 1;

/// The page that holds the byte at 1 GiB: SQLite locks it, and keeps nothing in it.
const LOCKED: u64 = (1 << 30) / PAGE as u64 + 1;

/// The number in the file of a page that is counted without [`LOCKED`].
pub(crate) fn in_file(page: u64) -> u64 {
    if page < LOCKED { page } else { page + 1 }
}

/// The reverse of [`in_file`]; `None` for the locked page.
pub(crate) fn counted(page: u64) -> Option<u64> {
    match page.cmp(&LOCKED) {
        core::cmp::Ordering::Less => Some(page),
        core::cmp::Ordering::Equal => None,
        core::cmp::Ordering::Greater => Some(page - 1),
    }
}

/// Where the pages of a table are, counted without the locked one.
pub(crate) struct Tree {
    /// The first page.
    first: u64,
    /// Number of pages of each level, the leaves first.
    levels: Vec<u64>,
}

impl Tree {
    pub(crate) fn new(first: u64, leaves: u64) -> Self {
        let mut levels = vec![leaves];
        let mut last = leaves;
        while last > 1 {
            last = last.div_ceil(MOST_CHILDREN);
            levels.push(last);
        }
        Self { first, levels }
    }

    pub(crate) fn pages(&self) -> u64 {
        self.levels.iter().sum()
    }

    pub(crate) fn root(&self) -> u64 {
        self.first + self.pages() - 1
    }

    pub(crate) fn has(&self, page: u64) -> bool {
        (self.first..self.first + self.pages()).contains(&page)
    }

    /// The number of a leaf by its page.
    pub(crate) fn leaf_at(&self, page: u64) -> Option<u64> {
        let leaf = page.checked_sub(self.first)?;
        (leaf < *self.levels.first()?).then_some(leaf)
    }

    /// The pages of the level below that a page leads to: the same share of them for all, because
    /// none may lead to one alone.
    fn children(&self, level: usize, index: u64) -> Range<u64> {
        let (of, count) = (self.level(level), self.level(level - 1));
        index * count / of..(index + 1) * count / of
    }

    fn level(&self, level: usize) -> u64 {
        self.levels.get(level).copied().unwrap_or(0)
    }

    /// The last leaf below a page.
    fn last_leaf(&self, level: usize, index: u64) -> u64 {
        (1..=level).rev().fold(index, |index, level| self.children(level, index).end - 1)
    }

    /// Fills in a page above the leaves. `last_id` has the id of the last row of a leaf.
    pub(crate) fn interior(&self, number: u64, page: &mut [u8], last_id: impl Fn(u64) -> u64) {
        let (mut level, mut index, mut below) = (0, number - self.first, self.first);
        while index >= self.level(level) {
            index -= self.level(level);
            below += if level == 0 { 0 } else { self.level(level - 1) };
            level += 1;
            if level == self.levels.len() {
                return;
            }
        }
        let children = self.children(level, index);
        let page_of = |child: u64| in_file(below + child) as u32;
        let cells: Vec<[u8; 4 + ID]> = (children.start..children.end - 1)
            .map(|child| {
                let mut cell = [0; 4 + ID];
                let (to, id) = cell.split_at_mut(4);
                to.copy_from_slice(&page_of(child).to_be_bytes());
                put_id(last_id(self.last_leaf(level - 1, child)), id);
                cell
            })
            .collect();
        put_cells(cells.iter().map(<[u8; 4 + ID]>::as_slice), page, 0, INTERIOR);
        put(page, 0, &[5]);
        put(page, 8, &page_of(children.end - 1).to_be_bytes());
    }
}

/// Fills in a leaf, whose header is at `at`.
pub(crate) fn leaf_of<'a>(cells: impl ExactSizeIterator<Item = &'a [u8]>, page: &mut [u8], at: usize) {
    put_cells(cells, page, at, LEAF);
    put(page, at, &[13]);
}

/// Writes the counts of the header, the list of cells, and the cells from the end of the page on.
fn put_cells<'a>(cells: impl ExactSizeIterator<Item = &'a [u8]>, page: &mut [u8], at: usize, header: usize) {
    put(page, at + 3, &(cells.len() as u16).to_be_bytes());
    let mut end = PAGE;
    let mut place = at + header;
    for cell in cells {
        end -= cell.len();
        put(page, end, cell);
        put(page, place, &(end as u16).to_be_bytes());
        place += 2;
    }
    // 65,536 is written as 0.
    put(page, at + 5, &(end as u16).to_be_bytes());
}

pub(crate) fn put(page: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = page.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}
