//! Measures statistics of a whole trace:
//! `cargo run --release -p unspool-engine --example statistics -- FILE`.
//!
//! `unspool generate xray --events 60000000 -o FILE` writes a file with 30 million slices.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a measurement that panics has shown something"
)]

use std::time::{Duration, Instant};

use unspool_engine::jobs::{Job, Step};
use unspool_engine::statistics::{
    CallOrder, Calls, CallsQuestion, CallsView, Exact, FlameView, Question, Statistics, TimeOrder, Transform,
};
use unspool_engine::{Session, Store, read};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which file?")?;
    let bytes = std::fs::read(&path)?;
    let size = bytes.len() as u64;
    let (head, tail) = read::head_and_tail(&mut &*bytes, size)?;
    let mut session = Session::new(&path, size, &head, &tail).map_err(|e| e.sentence)?;
    read::session(&mut session, &mut &*bytes, |_| {})?;
    let store = session.store();
    println!("{} slices, {} call-tree nodes, {} names", store.slices(), store.calls().len(), store.names().len());

    let question = Question { from: 0, to: u64::MAX, tracks: (0..store.track_count() as u32).collect() };
    let (mut statistics, planned) = timed(|| Statistics::new(store, question.clone()));
    let (_, estimated) = timed(|| statistics.step(store, 4_000_000));
    println!("plan {planned:?}, first 4 million slices {estimated:?}");
    let (_, scanned) = timed(|| while !statistics.step(store, 1_000_000) {});
    let (functions, listed) = timed(|| statistics.functions(store));
    let mut draw = |view: FlameView| timed(|| statistics.flames(store, &view, &[]).flame.name.len());
    let (down, drawn) = draw(FlameView::Down { path: Vec::new() });
    let (up, inverted) = draw(FlameView::Up { path: Vec::new() });
    println!(
        "all {:?} ({} slices), {} functions {listed:?}, flame graph of {down} nodes {drawn:?}, inverted \
         {up} nodes {inverted:?}",
        planned + estimated + scanned,
        statistics.visited(),
        functions.name.len()
    );
    let most = functions.name.iter().zip(&functions.count).max_by(|a, b| a.1.total_cmp(b.1));
    if let Some((name, count)) = most {
        let mut exact = Exact::new(store, question.clone(), *name);
        let (found, took) = timed(|| std::iter::repeat_with(|| exact.step(store, 1_000_000)).find_map(|found| found));
        println!("exact percentiles of {count} slices {took:?}: {found:?}");
        let about =
            || CallsQuestion { range: question.clone(), name: *name, path: Vec::new(), durations: (0, u64::MAX) };
        let view = |first| CallsView { order: CallOrder::Start, first, rows: 256, of: None };
        let (calls, listed) = timed(|| finished(store, Calls::new(store, about(), view(0), None)));
        let bytes = calls.bytes();
        let (rows, found) = timed(|| Calls::new(store, about(), view(*count as u64 / 2), Some(calls)).found(store));
        println!(
            "list of them {listed:?}, {bytes} bytes; {} rows from the middle {found:?}",
            rows.map_or(0, |rows| rows.start.len())
        );
    }
    for transforms in [vec![], vec![Transform::Collapse]] {
        let (drawn, took) = timed(|| finished(store, TimeOrder::new(store, question.clone(), transforms.clone())));
        println!("time order with {transforms:?} {took:?}, {} rectangles", drawn.found().map_or(0, |it| it.row.len()));
    }
    Ok(())
}

fn finished<J: Job>(store: &Store, mut job: J) -> J {
    while job.step(store, 1_000_000) == Step::More {}
    job
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let began = Instant::now();
    (run(), began.elapsed())
}
