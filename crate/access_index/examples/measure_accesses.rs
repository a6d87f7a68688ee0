//! Measures the access index of a BAP frames trace: building it, its size, and questions at random
//! places.
//!
//!     cargo run --release -p unspool-access-index --example measure_accesses -- FILE

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::type_complexity)]

use std::time::{Duration, Instant};

use unspool_access_index::{AccessIndex, Cell, Explorer, Keeps, Kind, Moment, Toward};
use unspool_formats::open_steps;
use unspool_records::memory::index_of;
use unspool_records::memory::read_steps;
use unspool_trace::steps::{Access, Place, Step, StepVisitor};

const QUESTIONS: usize = 1000;

/// A time to measure from: that of the processor on Linux, because other programs do not count
/// then.
enum Clock {
    Processor(Duration),
    Wall(Instant),
}

impl Clock {
    fn now() -> Self {
        Self::processor().map_or_else(|| Self::Wall(Instant::now()), Self::Processor)
    }

    fn elapsed(&self) -> Duration {
        match self {
            Self::Processor(began) => Self::processor().unwrap().saturating_sub(*began),
            Self::Wall(began) => began.elapsed(),
        }
    }

    fn processor() -> Option<Duration> {
        // Nanoseconds on a processor, those of waiting for one, and the number of times.
        let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
        Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
    }
}

/// Bytes of a value that are kept to be played again: those of nearly all.
const LONGEST: usize = 32;

fn main() {
    let path = std::env::args().nth(1).expect("the path of a trace");
    let file = std::fs::read(&path).unwrap();
    let began = Clock::now();
    let records = index_of(&unspool_formats::frames::ROW.format, &file).unwrap();
    let loading = began.elapsed();
    let steps = open_steps("frames", &records).unwrap();
    let count = steps.count();
    let rate =
        |time: Duration| format!("{:6.0} ms, {:.1} M steps/s", millis(time), count as f64 / time.as_secs_f64() / 1e6);
    println!("{count} steps in {} bytes", file.len());
    println!("decoding for the timeline   {}", rate(loading));

    let began = Clock::now();
    let mut counted = Counted(0);
    read_steps(&mut *steps.pass(0..u32::MAX), &file, 8 << 20, &mut counted);
    println!("the pass alone              {}, {} accesses", rate(began.elapsed()), counted.0);
    let mut all = Recorded::default();
    read_steps(&mut *steps.pass(0..u32::MAX), &file, 8 << 20, &mut all);
    for (keeps, what) in [
        (Keeps::Executions, "building, executions only  "),
        (Keeps::Accesses, "building, without values   "),
        (Keeps::AccessesAndValues, "building, with values      "),
    ] {
        let mut index = AccessIndex::new(steps.pieces(), count, keeps, usize::MAX);
        let began = Clock::now();
        read_steps(&mut *steps.pass(0..u32::MAX), &file, 8 << 20, &mut index);
        index.seal();
        println!("{what} {}, {:.2} bytes a step", rate(began.elapsed()), index.bytes() as f64 / count as f64);
    }
    let mut index = AccessIndex::new(steps.pieces(), count, Keeps::AccessesAndValues, usize::MAX);
    let began = Clock::now();
    all.play(&mut index);
    index.seal();
    println!("building from memory        {}", rate(began.elapsed()));
    drop(index);

    let mut explorer = Explorer::open("frames", &records, file, Keeps::AccessesAndValues, usize::MAX).unwrap();
    while !explorer.build(64).unwrap() {}
    explorer.seal();
    let mut random = Random(1);
    let mut cells: Vec<Cell> = all.addresses.iter().map(|address| Cell::Memory { address: *address, len: 1 }).collect();
    if cells.is_empty() {
        // A trace that says nothing of memory.
        cells.push(Cell::Memory { address: 0, len: 1 });
    }
    let mut ask = |what: &str, mut question: Box<dyn FnMut(&mut Explorer<Vec<u8>>, u64, &Cell)>| {
        let mut times: Vec<Duration> = (0..QUESTIONS)
            .map(|_| {
                let (step, cell) = (random.below(count), &cells[random.below(cells.len() as u64) as usize]);
                let began = Instant::now();
                question(&mut explorer, step, cell);
                began.elapsed()
            })
            .collect();
        times.sort();
        let at = |share: usize| 1000.0 * millis(times[(QUESTIONS - 1) * share / 100]);
        println!("{what} p50 {:8.1} µs, p95 {:8.1}, p99 {:8.1}, worst {:8.1}", at(50), at(95), at(99), at(100));
    };
    ask(
        "last write of a byte       ",
        Box::new(|it, step, cell| {
            it.nearest(step, cell, Kind::Write, Toward::Previous);
        }),
    );
    ask(
        "next read of a byte        ",
        Box::new(|it, step, cell| {
            it.nearest(step, cell, Kind::Read, Toward::Next);
        }),
    );
    ask(
        "512 bytes of memory        ",
        Box::new(|it, step, cell| {
            let Cell::Memory { address, .. } = cell else { return };
            it.memory(Moment::Before(step), *address, 512).unwrap();
        }),
    );
    ask("all registers              ", Box::new(|it, step, _| drop(it.registers(Moment::Before(step), None).unwrap())));
    ask(
        "a State pane               ",
        Box::new(|it, step, cell| {
            let Cell::Memory { address, .. } = cell else { return };
            let state = it.registers(Moment::Before(step), None).unwrap();
            it.index().executions_before(state.address.unwrap_or(0), step);
            it.memory(Moment::Before(step), *address, 96).unwrap();
        }),
    );
    ask("history of a byte          ", Box::new(|it, _, cell| drop(it.history(cell, 0..u64::MAX))));
}

/// Counts accesses.
struct Counted(u64);

impl StepVisitor for Counted {
    fn begin(&mut self, _step: &Step) -> bool {
        true
    }

    fn access(&mut self, _access: &Access<'_>) {
        self.0 += 1;
    }
}

/// Steps and accesses in memory, and a place of each cell.
#[derive(Default)]
struct Recorded {
    steps: Vec<(Step, usize)>,
    accesses: Vec<(u32, u64, bool, u8, [u8; LONGEST])>,
    names: Vec<String>,
    addresses: Vec<u128>,
    seen: std::collections::HashSet<u64>,
}

impl Recorded {
    fn play(&self, index: &mut AccessIndex) {
        for (i, (step, first)) in self.steps.iter().enumerate() {
            index.begin(step);
            let end = self.steps.get(i + 1).map_or(self.accesses.len(), |(_, next)| *next);
            for (name, address, written, len, value) in &self.accesses[*first..end] {
                let place = match self.names.get(*name as usize) {
                    Some(name) => Place::Register(name),
                    None => Place::Memory(*address),
                };
                let value = &value[..usize::from(*len)];
                index.access(&Access { place, thread: step.thread, written: *written, value });
            }
        }
    }
}

impl StepVisitor for Recorded {
    fn begin(&mut self, step: &Step) -> bool {
        self.steps.push((*step, self.accesses.len()));
        true
    }

    fn access(&mut self, access: &Access<'_>) {
        let (name, address) = match access.place {
            Place::Register(name) => {
                let known = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
                    self.names.push(name.into());
                    self.names.len() - 1
                });
                (known as u32, 0)
            }
            Place::Memory(address) => {
                if self.seen.insert(address) {
                    self.addresses.push(address.into());
                }
                (u32::MAX, address)
            }
        };
        let len = access.value.len().min(LONGEST);
        let mut value = [0; LONGEST];
        value[..len].copy_from_slice(&access.value[..len]);
        self.accesses.push((name, address, access.written, len as u8, value));
    }
}

/// xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
