//! Measures building and asking the state of an apitrace.
//!
//!     cargo run --release -p unspool-graphics --example measure -- FILE

#![allow(clippy::unwrap_used, reason = "an example that panics has said what is wrong")]

use std::time::Instant;

use unspool_formats::apitrace;
use unspool_graphics::Survey;
use unspool_graphics::findings::Findings;
use unspool_graphics::state::History;
use unspool_records::memory::index_of;

fn main() {
    let file = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
    let begun = Instant::now();
    let index = index_of(&apitrace::ROW.format, &file).unwrap();
    println!("decoded in {:.2} s", begun.elapsed().as_secs_f64());
    let begun = Instant::now();
    let mut survey = Survey::open(&index, file.clone()).unwrap();
    while !survey.step(64).unwrap() {}
    println!(
        "frames and resources in {:.3} s: {} {}",
        begun.elapsed().as_secs_f64(),
        survey.frames().frames().len(),
        survey.resources().all().len()
    );
    let begun = Instant::now();
    let mut findings = Findings::open(&index, file.clone()).unwrap();
    while !findings.step(64).unwrap() {}
    println!("findings in {:.3} s: {}", begun.elapsed().as_secs_f64(), findings.all().len());
    let mut history = History::open("apitrace", &index, file, usize::MAX).unwrap();
    let begun = Instant::now();
    while !history.build(64).unwrap() {}
    let progress = history.progress();
    println!(
        "built in {:.2} s: {} calls, {} pieces, {:.1} MB",
        begun.elapsed().as_secs_f64(),
        progress.built,
        progress.pieces,
        progress.bytes as f64 / 1e6
    );
    let mut slowest = (0.0, 0);
    let mut sum = 0.0;
    let asked = 300;
    for i in 0..asked {
        let call = progress.count * i / asked + (i * 37) % 4096;
        let begun = Instant::now();
        let report = history.at(call.min(progress.count - 1), false).unwrap().unwrap();
        let _ = report.json();
        let took = begun.elapsed().as_secs_f64() * 1e3;
        sum += took;
        if took > slowest.0 {
            slowest = (took, call);
        }
    }
    println!("a state in {:.2} ms on average, {:.2} ms at most (call {})", sum / asked as f64, slowest.0, slowest.1);
}
