//! Writes block traces as rows: the mirror of the decoder, modelled on rvnblock's writer.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use hashbrown::HashMap;
use unspool_trace::rows::{Cell, Insert};

use super::wire::{Block, INTERRUPT, INTERRUPT_BLOCK, Interrupt, Metadata, Mode, insert};

/// Collects the rows of a trace.
#[derive(Debug)]
pub struct Writer {
    blocks: HashMap<(u64, Vec<u8>), i64>,
    /// For each block: offsets of its instructions, and how many of them were executed at least
    /// once.
    executed: BTreeMap<i64, (Vec<u32>, usize)>,
    position: u64,
    /// Rows of each table, in the order of [`super::wire::TABLES`].
    rows: [Vec<Vec<Cell>>; 5],
}

impl Writer {
    /// A trace without runs.
    pub fn new(metadata: &Metadata) -> Self {
        let mut writer =
            Self { blocks: HashMap::new(), executed: BTreeMap::new(), position: 0, rows: Default::default() };
        writer.row(0, metadata.row());
        let interrupt = Block { pc: 0, data: INTERRUPT.into(), count: 0, mode: Mode::Bits64 };
        writer.block(&interrupt, &[]);
        writer
    }

    /// Returns the number of a block and adds it if it is new. Blocks with the same address and
    /// bytes are the same. `offsets` are those of its instructions in bytes, without the first.
    pub fn block(&mut self, block: &Block, offsets: &[u32]) -> i64 {
        let next = self.blocks.len() as i64 + 1;
        let id = *self.blocks.entry((block.pc, block.data.clone())).or_insert(next);
        if id == next {
            let cells = [block.pc as i64, block.count as i64, block.mode.number()].map(Cell::Int);
            let [pc, count, mode] = cells;
            self.row(1, alloc::vec![pc, Cell::Blob(block.data.clone()), count, mode]);
            self.executed.insert(id, (offsets.into(), 0));
        }
        id
    }

    /// Runs a block for `transitions` transitions, but at least one.
    pub fn run(&mut self, block: i64, transitions: u64) {
        self.position += transitions.max(1);
        self.row(2, [self.position as i64, block].map(Cell::Int).into());
        let Some((offsets, executed)) = self.executed.get_mut(&block) else { return };
        let ran = usize::try_from(transitions).unwrap_or(usize::MAX).saturating_sub(1).min(offsets.len());
        let fresh: Vec<(usize, u32)> = offsets.iter().copied().enumerate().take(ran).skip(*executed).collect();
        *executed = ran.max(*executed);
        for (i, offset) in fresh {
            self.row(3, [block, i as i64, i64::from(offset)].map(Cell::Int).into());
        }
    }

    /// Adds a transition that is not an instruction. [`Interrupt::transition`] is ignored; the
    /// current position is used.
    pub fn interrupt(&mut self, interrupt: Interrupt) {
        let row = Interrupt { transition: self.position, ..interrupt }.row();
        self.row(4, row.map(Cell::Int).into());
        self.run(INTERRUPT_BLOCK, 1);
    }

    /// The number of transitions so far.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The number of rows to take.
    pub fn len(&self) -> usize {
        self.rows.iter().map(Vec::len).sum()
    }

    /// Whether there are no rows to take.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the rows since the last call.
    pub fn take(&mut self) -> Vec<Insert> {
        let tables = self.rows.iter_mut().enumerate();
        let filled = tables.filter(|(_, rows)| !rows.is_empty());
        filled.map(|(table, rows)| Insert { sql: insert(table), rows: core::mem::take(rows) }).collect()
    }

    fn row(&mut self, table: usize, row: Vec<Cell>) {
        if let Some(rows) = self.rows.get_mut(table) {
            rows.push(row);
        }
    }
}
