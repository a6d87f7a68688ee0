//! The small XRay logs of `tests/fixtures/xray` and `web/public/samples`, as the encoder writes
//! them.
//!
//! `UNSPOOL_WRITE_FIXTURES=1 cargo test -p unspool-formats --test xray_fixtures` writes them.
//! Without the variable, the files must equal what the encoder writes.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use crate::common;
use unspool_formats::xray::encode::{FdrBuffer, header};
use unspool_formats::xray::wire::{FunctionKind, Mode};

const FREQUENCY: u64 = 2_400_000_000;
const BUFFER: usize = 1024;
const START: u64 = 7_140_220_518_000;
const PID: i32 = 4711;

#[test]
fn fixtures_are_what_the_encoder_writes() {
    let (threads, events) = (server(), worker_with_events());
    let coarse = coarse_clock();
    let cut = threads[..threads.len() - 333].to_vec();
    let (program, libraries) = (binary_log(&[0]), binary_log(&[0, 1, 2]));
    let files: [(&str, &[u8]); _] = [
        ("tests/fixtures/binaries/program.xray", &program),
        ("tests/fixtures/binaries/libraries.xray", &libraries),
        ("tests/fixtures/binaries/jumps.xray", &jumps()),
        ("tests/fixtures/xray/threads.xray", &threads),
        ("tests/fixtures/xray/events.xray", &events),
        ("tests/fixtures/xray/truncated.xray", &cut),
        ("tests/fixtures/xray/coarse.xray", &coarse),
        ("tests/fixtures/xray/tail-calls.xray", &tail_calls()),
        ("tests/fixtures/xray/copies.xray", &copies()),
        ("tests/fixtures/xray/gaps.xray", &gaps()),
        ("web/public/samples/threads.xray", &threads),
        ("web/public/samples/events.xray", &events),
    ];
    common::are_written(&files);
}

/// A small pseudo-random generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// A thread that writes into buffers of a fixed size, like the flight recorder.
struct Thread {
    tid: i32,
    cpu: u16,
    clock: u64,
    dice: Dice,
    buffer: Option<FdrBuffer>,
    /// Finished buffers, and the clock at which each was finished.
    done: Vec<(u64, Vec<u8>)>,
}

impl Thread {
    fn new(tid: i32, cpu: u16, clock: u64) -> Self {
        Self { tid, cpu, clock, dice: Dice(u64::from(tid.unsigned_abs()) * 7919), buffer: None, done: Vec::new() }
    }

    fn pass(&mut self, ticks: u64) {
        self.clock += ticks / 2 + self.dice.below(ticks.max(1));
    }

    fn writer(&mut self) -> &mut FdrBuffer {
        if self.buffer.as_ref().is_some_and(|b| b.len() + 64 > BUFFER) {
            self.finish_buffer();
        }
        let wall = ((self.clock / FREQUENCY) as i64, (self.clock % FREQUENCY / 2400) as i32);
        self.buffer.get_or_insert_with(|| FdrBuffer::new(PID, self.tid, self.cpu, self.clock, wall))
    }

    fn finish_buffer(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            self.done.push((self.clock, buffer.finish()));
        }
    }

    fn enter(&mut self, func: u32, args: &[u64]) {
        let clock = self.clock;
        let kind = if args.is_empty() { FunctionKind::Enter } else { FunctionKind::EnterArgs };
        let writer = self.writer();
        writer.function(kind, func, clock);
        args.iter().for_each(|arg| writer.argument(*arg));
    }

    fn exit(&mut self, func: u32) {
        let clock = self.clock;
        self.writer().function(FunctionKind::Exit, func, clock);
    }

    fn call(&mut self, func: u32, ticks: u64) {
        self.enter(func, &[]);
        self.pass(ticks);
        self.exit(func);
        self.pass(ticks / 8 + 200);
    }

    /// A request: parse, look up, render, write.
    fn request(&mut self, number: u64) {
        self.enter(3, &[number, 0x7ffd_5e8c_1a40 + number * 64]);
        self.pass(4_000);
        self.enter(4, &[]);
        for _ in 0..2 + self.dice.below(3) {
            self.call(5, 5_000);
        }
        self.exit(4);
        self.pass(2_000);
        self.enter(6, &[]);
        self.call(7, 9_000);
        if self.dice.below(4) == 0 {
            self.enter(8, &[]);
            self.pass(90_000);
            self.call(9, 40_000);
            self.exit(8);
        }
        self.exit(6);
        self.enter(10, &[]);
        self.pass(6_000);
        // The depth of rendering depends on its input.
        let depth = 2 + self.dice.below(5) as u32;
        for level in 0..depth {
            self.enter(11 + level % 2, &[]);
            self.pass(3_000);
        }
        for level in (0..depth).rev() {
            self.call(13, 2_500);
            self.exit(11 + level % 2);
        }
        self.exit(10);
        self.call(14, 12_000);
        self.exit(3);
        if self.dice.below(5) == 0 {
            self.cpu = (self.cpu + 1) % 4;
            let (cpu, clock) = (self.cpu, self.clock);
            self.writer().cpu(cpu, clock);
        }
        self.pass(30_000);
    }
}

fn log(threads: Vec<Thread>) -> Vec<u8> {
    let mut buffers: Vec<(u64, Vec<u8>)> = threads
        .into_iter()
        .flat_map(|mut t| {
            t.finish_buffer();
            t.done
        })
        .collect();
    buffers.sort_by_key(|(clock, _)| *clock);
    let mut file = header(Mode::Fdr, FREQUENCY, BUFFER as u64).to_bytes().to_vec();
    file.extend(buffers.into_iter().flat_map(|(_, bytes)| bytes));
    file
}

/// What `tests/fixtures/binaries/jumps.c` would write, with a signal in its last call of `jumper`.
fn jumps() -> Vec<u8> {
    let [leaf, tail, jumper, setter, inner, unclear, catcher, on_signal, main] = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    let mut t = Thread::new(PID, 0, START);
    let by_tail = |t: &mut Thread| {
        t.enter(tail, &[]);
        t.pass(500);
        let clock = t.clock;
        t.writer().function(FunctionKind::TailExit, tail, clock);
        t.call(leaf, 900);
    };
    t.enter(main, &[]);
    for i in 0..3 {
        by_tail(&mut t);
        t.enter(setter, &[]);
        for depth in 0..=i {
            t.enter(jumper, &[]);
            t.pass(300);
            if (i, depth) == (2, 2) {
                t.enter(on_signal, &[]);
                t.call(leaf, 700);
                t.exit(on_signal);
            }
            t.call(leaf, 800);
        }
        // Here setter goes on.
        t.call(leaf, 1_000);
        t.exit(setter);
        t.enter(catcher, &[]);
        t.enter(unclear, &[]);
        by_tail(&mut t);
        if i > 0 {
            t.call(inner, 600);
            t.exit(unclear);
        } else {
            // Here catcher goes on, unless it is unclear that does.
            t.call(inner, 400);
        }
        t.exit(catcher);
        t.pass(2_000);
    }
    log(vec![t])
}

/// A server: a main thread that waits, and three workers. The recording of one begins in the middle
/// of a request.
fn server() -> Vec<u8> {
    let mut main = Thread::new(PID, 0, START);
    main.enter(1, &[3]);
    main.pass(20_000);
    main.call(15, 50_000);
    // The main thread waits for the workers when the recording ends.
    main.enter(16, &[]);
    let workers = (0..3u64).map(|i| {
        let mut t = Thread::new(PID + 1 + i as i32, i as u16, START + 90_000 + i * 40_000);
        if i == 2 {
            // Older buffers have been overwritten; the rest begins deep in a call.
            t.call(5, 4_000);
            t.exit(4);
            t.pass(8_000);
            t.call(14, 12_000);
            t.exit(3);
            t.pass(30_000);
        } else {
            t.enter(2, &[i]);
        }
        for n in 0..9 {
            t.request(i * 100 + n);
        }
        if i == 1 {
            t.exit(2);
        }
        t
    });
    let threads = std::iter::once(main).chain(workers).collect();
    log(threads)
}

/// One thread with custom and typed events.
fn worker_with_events() -> Vec<u8> {
    let mut t = Thread::new(PID, 1, START);
    t.enter(1, &[1]);
    for n in 0..12u64 {
        let clock = t.clock;
        let text = format!("GET /item/{} HTTP/1.1\r\nHost: example.org\r\n", 1000 + n * 37);
        t.writer().event(None, clock, text.as_bytes());
        t.request(n);
        let clock = t.clock;
        let status: [u8; 8] =
            [200u16.to_le_bytes(), [0; 2], (n as u16 * 811).to_le_bytes(), [0xff, 0x7f]].concat().try_into().unwrap();
        t.writer().event(Some((n % 3) as u16), clock, &status);
        t.pass(5_000);
    }
    t.exit(1);
    log(vec![t])
}

/// A millisecond clock, by which most calls take no time.
fn coarse_clock() -> Vec<u8> {
    let mut buffer = FdrBuffer::new(PID, PID, 0, 1000, (1, 0));
    buffer.function(FunctionKind::Enter, 1, 1000);
    // Function, begin and end.
    let calls = [
        (2, 1005, 1005),
        (3, 1005, 1005),
        (2, 1005, 1005),
        (4, 1006, 1006),
        (5, 1008, 1012),
        (6, 1012, 1012),
        (7, 1012, 1016),
        (8, 1030, 1030),
    ];
    for (func, from, to) in calls {
        buffer.function(FunctionKind::Enter, func, from);
        buffer.function(FunctionKind::Exit, func, to);
    }
    buffer.function(FunctionKind::Exit, 1, 1040);
    let mut file = header(Mode::Fdr, 1000, BUFFER as u64).to_bytes().to_vec();
    file.extend(buffer.finish());
    file
}

/// The functions of `tests/fixtures/binaries`: all of the program, and both of each of its
/// libraries.
fn binary_log(objects: &[u32]) -> Vec<u8> {
    let mut thread = Thread::new(PID, 0, START);
    for round in 0..3 {
        thread.enter(7, &[]);
        for func in 1..7 {
            thread.call(func, 3_000 + round);
        }
        for object in objects.iter().filter(|object| **object > 0) {
            thread.enter(object << 24 | 2, &[]);
            thread.call(object << 24 | 1, 2_000);
            thread.exit(object << 24 | 2);
            thread.pass(500);
        }
        thread.exit(7);
        thread.pass(10_000);
    }
    thread.finish_buffer();
    let mut log = header(Mode::Fdr, FREQUENCY, BUFFER as u64).to_bytes().to_vec();
    thread.done.iter().for_each(|(_, buffer)| log.extend(buffer));
    log
}

/// A thread that has lost records twice, each time within another call of one function.
fn gaps() -> Vec<u8> {
    use FunctionKind::{Enter, Exit};
    let mut buffer = FdrBuffer::new(PID, PID, 0, START, (0, 0));
    // The enter of 4 is missing.
    let lossy = [(Enter, 2), (Enter, 3), (Exit, 3), (Exit, 4), (Enter, 3), (Exit, 3), (Exit, 2)];
    let records = [&[(Enter, 1)][..], &lossy, &lossy, &[(Exit, 1)]].concat();
    for (clock, (kind, func)) in (START..).step_by(10_000).zip(records) {
        buffer.function(kind, func, clock);
    }
    let mut file = header(Mode::Fdr, FREQUENCY, BUFFER as u64).to_bytes().to_vec();
    file.extend(buffer.finish());
    file
}

/// One thread on three processors, and functions that leave by tail calls: 2 to 3 to 4, and 5 to
/// one that is not instrumented.
fn tail_calls() -> Vec<u8> {
    use FunctionKind::{Enter, Exit, TailExit};
    let mut buffer = FdrBuffer::new(PID, PID, 0, START, (0, 0));
    let records = [
        (Enter, 1),
        (Enter, 2),
        (TailExit, 2),
        (Enter, 3),
        (TailExit, 3),
        (Enter, 4),
        (Exit, 4),
        (Enter, 5),
        (TailExit, 5),
        (Exit, 1),
    ];
    for (clock, (kind, func)) in (START..).step_by(10_000).zip(records) {
        match func {
            3 if kind == Enter => buffer.cpu(1, clock),
            5 if kind == Enter => buffer.cpu(2, clock),
            _ => {}
        }
        buffer.function(kind, func, clock);
    }
    let mut log = header(Mode::Fdr, FREQUENCY, BUFFER as u64).to_bytes().to_vec();
    log.extend(buffer.finish());
    log
}

/// Two threads that were still writing when the log was written: each has a buffer twice. The main
/// thread's copies are equal; the worker has written on.
fn copies() -> Vec<u8> {
    let mut main = Thread::new(PID, 0, START);
    let mut worker = Thread::new(PID + 1, 1, START + 5_000);
    main.enter(1, &[]);
    for number in 0..4 {
        main.request(number);
        worker.call(5, 4_000);
    }
    let shorter = worker.buffer.clone().unwrap().finish();
    worker.call(14, 12_000);
    main.exit(1);
    main.finish_buffer();
    worker.finish_buffer();
    let (_, last) = main.done.last().unwrap().clone();
    let (_, longer) = worker.done.last().unwrap().clone();
    let mut file = header(Mode::Fdr, FREQUENCY, BUFFER as u64).to_bytes().to_vec();
    main.done.iter().for_each(|(_, buffer)| file.extend(buffer));
    [shorter, last, longer].iter().for_each(|buffer| file.extend(buffer));
    file
}
