//! Block databases of any size: an imaginary 64-bit system that calls, returns, faults and is
//! interrupted.

use std::io;

use unspool_engine::RowSink;
use unspool_formats::rvn::encode::Writer;
use unspool_formats::rvn::wire::{Block, Interrupt, Metadata, Mode, SCHEMA};
use unspool_trace::RowError;

use super::program::{Dice, Program};
use super::{Options, Tick};

const CODE: u64 = 0x40_0000;
const KERNEL: u64 = 0xffff_ffff_8100_0000;
/// Distance between functions.
const FUNCTION: u64 = 0x1000;
/// Distance between the blocks of a function that end in its calls.
const CALL: u64 = 0x10;
/// Rows of one insert.
const PORTION: usize = 1 << 17;

/// Writes a database of `options.events` runs of blocks.
pub(crate) fn write(sink: &mut dyn RowSink, options: &Options, tick: &mut Tick<'_>) -> io::Result<()> {
    let failed = |error: RowError| io::Error::other(error.sentence);
    for statement in SCHEMA {
        sink.run(statement).map_err(failed)?;
    }
    let mut cpu = Cpu {
        writer: Writer::new(&Metadata {
            version: 1,
            format: "1.0.0".into(),
            tool: "unspool".into(),
            tool_version: env!("CARGO_PKG_VERSION").into(),
            tool_info: "an imaginary system".into(),
            // The same seed gives the same rows.
            date: 1_700_000_000,
        }),
        dice: Dice::new(options.seed ^ 0xb10c),
        stack: vec![CODE],
        sites: vec![0],
        made: 0,
    };
    let mut program = Program::new(options.seed, 1, options.depth, false);
    while cpu.made < options.events {
        let step = program.step();
        if step.enter {
            cpu.call(CODE + u64::from(step.function) * FUNCTION);
        } else {
            cpu.ret();
        }
        if cpu.made < options.events && cpu.dice.one_in(400) {
            cpu.interrupt();
        }
        if cpu.writer.len() >= PORTION {
            cpu.writer.take().iter().try_for_each(|i| sink.insert(i)).map_err(failed)?;
        }
        tick(cpu.made.min(options.events));
    }
    cpu.writer.take().iter().try_for_each(|i| sink.insert(i)).map_err(failed)
}

struct Cpu {
    writer: Writer,
    dice: Dice,
    /// Open functions, and how many calls each has made.
    stack: Vec<u64>,
    sites: Vec<u64>,
    made: u64,
}

impl Cpu {
    /// Address of the next block of the current function.
    fn here(&self) -> u64 {
        self.stack.last().copied().unwrap_or(CODE) + self.sites.last().copied().unwrap_or(0) * CALL
    }

    /// Eleven one-byte instructions and a call of five bytes.
    fn call(&mut self, target: u64) {
        let pc = self.here();
        let mut data = vec![0x90; 11];
        data.push(0xe8);
        data.extend((target.wrapping_sub(pc + CALL) as u32).to_le_bytes());
        self.run(pc, data, 12, (1..12).collect());
        if let Some(site) = self.sites.last_mut() {
            // Wraps around before it runs into the next function.
            *site = (*site + 1) % (FUNCTION / CALL - 1);
        }
        self.stack.push(target);
        self.sites.push(0);
    }

    fn ret(&mut self) {
        let pc = self.here();
        self.run(pc, vec![0x48, 0x31, 0xc0, 0x5d, 0xc3], 3, vec![3, 4]);
        if self.stack.len() > 1 {
            self.stack.pop();
            self.sites.pop();
        }
    }

    /// A fault in the middle of the next block, or a device's interrupt, with a handler of one or
    /// two blocks.
    fn interrupt(&mut self) {
        let pc = self.here();
        let fault = self.dice.one_in(2);
        let mut interrupt = Interrupt { transition: 0, pc, mode: Mode::Bits64, number: 0x20, is_hw: true, related: 0 };
        if fault {
            // mov rax, [rdi]; ret
            let block = Block { pc, data: vec![0x90, 0x48, 0x8b, 0x07, 0xc3], count: 3, mode: Mode::Bits64 };
            let id = self.writer.block(&block, &[1, 4]);
            self.writer.run(id, 1);
            // Either the block ran completely before, or its fault is in an instruction that was
            // never completed.
            interrupt = Interrupt { pc: pc + 1, number: 14, is_hw: false, related: id, ..interrupt };
            self.made += 1;
        }
        let resume = interrupt.pc;
        self.writer.interrupt(interrupt);
        let vector = if fault { 0 } else { FUNCTION };
        // push rax; mov rax, cr2; pop rax; iretq
        let handler = vec![0x50, 0x0f, 0x20, 0xd0, 0x58, 0x48, 0xcf];
        self.run(KERNEL + vector, handler, 4, vec![1, 4, 5]);
        self.made += 1;
        if fault {
            self.run(resume, vec![0x48, 0x8b, 0x07, 0xeb, 0xfa], 2, vec![3]);
        }
    }

    fn run(&mut self, pc: u64, data: Vec<u8>, count: u64, offsets: Vec<u32>) {
        let id = self.writer.block(&Block { pc, data, count, mode: Mode::Bits64 }, &offsets);
        self.writer.run(id, count);
        self.made += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use unspool_engine::{Session, Step};

    use super::*;
    use crate::sqlite::{Database, Disassembler, NewDatabase};

    /// The digest and the number of records of a trace that is read `step` events at a time.
    fn digest(path: &Path, step: usize, database: Database) -> (u64, u64) {
        let mut file = std::fs::File::open(path).unwrap();
        let mut head = vec![0; 4096];
        std::io::Read::read_exact(&mut file, &mut head).unwrap();
        let mut session = Session::new("x.sqlite", file.metadata().unwrap().len(), &head, &head).unwrap();
        session.attach(Box::new(database), Some(Box::new(Disassembler))).unwrap();
        while session.step(step) == Step::More {}
        assert!(session.error().is_none());
        (session.store().digest(), session.store().records())
    }

    fn make(path: &Path) -> NewDatabase {
        let mut database = NewDatabase::create(path).unwrap();
        let options = Options { events: 20_000, seed: 5, threads: 1, depth: 20, mid_stack: false, out_of_order: false };
        write(&mut database, &options, &mut |_| {}).unwrap();
        database
    }

    /// Without the file itself, every row comes from SQLite.
    fn without_file(path: &Path) -> Database {
        let mut database = Database::open(path).unwrap();
        database.file = None;
        database
    }

    #[test]
    fn pages_of_any_size_give_the_same_trace() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.sqlite");
        drop(make(&path));
        let expected = digest(&path, usize::MAX, without_file(&path));
        // A page has at least 1024 rows. These sizes do not divide the number of records that are
        // decoded together.
        for step in [1, 3 * 1500, 3 * 4999] {
            assert_eq!(digest(&path, step, without_file(&path)), expected, "{step} events at a time");
            assert_eq!(
                digest(&path, step, Database::open(&path).unwrap()),
                expected,
                "{step} events at a time, scanned"
            );
        }
    }

    #[test]
    fn sqlite_reads_what_the_scan_does_not_know() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.sqlite");
        let mut database = make(&path);
        // A text is not a block id, but SQLite converts it. The scan stops before it.
        let middle = "(select transition_id from execution limit 1 offset 9000)";
        database.run(&format!("update execution set block_id='2x' where transition_id={middle}")).unwrap();
        drop(database);
        let expected = digest(&path, usize::MAX, without_file(&path));
        for step in [1, 3 * 4999, usize::MAX] {
            assert_eq!(digest(&path, step, Database::open(&path).unwrap()), expected, "{step} events at a time");
        }
        assert!(expected.1 >= 20_000);
    }
}
