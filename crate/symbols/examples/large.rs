//! Writes a program of a gigabyte with names and debug information, with a log of all of its
//! functions, and measures how long names and lines take.
//!
//! ```text
//! cargo run --release -p unspool-symbols --example large -- PROGRAM LOG
//! ```
//!
//! What is never read is a hole in the program, so it takes few blocks on a disk.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a tool that panics has done its work")]

use std::error::Error;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Instant;

use unspool_formats::xray::encode::{FdrBuffer, header};
use unspool_formats::xray::wire::{FunctionKind, Mode};
use unspool_symbols::{Binary, Fault, Range};

#[path = "../tests/common/large.rs"]
mod large;

/// Functions that XRay has instrumented.
const FUNCTIONS: u64 = 100_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(program), Some(log)) = (arguments.next(), arguments.next()) else {
        return Err("names of the program and the log that are written".into());
    };
    let file = File::options().read(true).write(true).create(true).truncate(true).open(&program)?;
    let all = large::Program { functions: FUNCTIONS, unit: 40_000, size: 1 << 30, place_of: |unit| unit };
    large::write(&all, &mut |at, bytes| file.write_all_at(bytes, at))?;
    std::fs::write(&log, log_of_all())?;
    measure(&file)
}

/// A log with a call of each function.
fn log_of_all() -> Vec<u8> {
    let mut bytes = header(Mode::Fdr, 1_000_000_000, 1 << 24).to_bytes().to_vec();
    let mut buffer = FdrBuffer::new(1, 1, 0, 1000, (0, 0));
    for id in 1..=FUNCTIONS as u32 {
        let clock = 1000 + u64::from(id) * 100;
        buffer.function(FunctionKind::Enter, id, clock);
        buffer.function(FunctionKind::Exit, id, clock + 60);
    }
    bytes.extend(buffer.finish());
    bytes
}

/// Answers the question of a binary. Returns the reads that it took and their bytes.
fn answer(binary: &mut Binary, file: &File) -> Result<(usize, u64), Box<dyn Error>> {
    let (mut reads, mut read) = (0, 0);
    let run = binary.run(|Range { at, len }| {
        (reads, read) = (reads + 1, read + len);
        let mut bytes = vec![0; len as usize];
        file.read_exact_at(&mut bytes, at).map(|()| bytes)
    })?;
    run.map_err(|fault: Fault| fault.to_string())?;
    Ok((reads, read))
}

fn measure(file: &File) -> Result<(), Box<dyn Error>> {
    let mut binary = Binary::new(file.metadata()?.len());
    let told = |what: &str, from: Instant, (reads, bytes): (usize, u64)| {
        let millis = from.elapsed().as_secs_f64() * 1000.0;
        println!("{what}: {millis:.0} ms, {reads} reads of {:.1} MB", bytes as f64 / 1e6);
    };
    let from = Instant::now();
    let reads = answer(&mut binary, file)?;
    told("map of functions", from, reads);
    let from = Instant::now();
    let addresses = binary.functions().to_vec();
    binary.look_up(addresses.clone());
    let reads = answer(&mut binary, file)?;
    let found = binary.take_found();
    told("symbols", from, reads);
    let from = Instant::now();
    let names: Vec<String> = found.iter().map(|(_, function)| binary.name_of(function)).collect();
    told("names as in the source", from, (0, 0));
    println!("{} functions, such as {}", names.len(), names[names.len() / 2]);
    for number in [addresses.len() - 1, 0, addresses.len() / 3, 77_777] {
        let from = Instant::now();
        binary.find_source(addresses[number]);
        let reads = answer(&mut binary, file)?;
        let source = binary.take_source().unwrap_or_default();
        told(&format!("{}:{}", source.file, source.line), from, reads);
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
    Ok(())
}
