//! `cargo run --release -p unspool-compare --example align -- A B [RUNS]`: how long it takes to
//! align two files of tokens, which are numbers of four bytes, and how much memory beside them.
//!
//! Prints the shortest, the middle and the longest time of some runs, the steps of one, what it
//! found, and the most memory beyond that of the tokens, which Linux alone tells.

use std::error::Error;
use std::time::Instant;

use unspool_compare::align::Alignment;

const RUNS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(a), Some(b)) = (args.next(), args.next()) else { return Err("Give two files of tokens.".into()) };
    let runs = args.next().map_or(Ok(RUNS), |runs| runs.parse())?.max(1);
    let (a, b) = (tokens(&a)?, tokens(&b)?);
    // Linux forgets what reading the files has taken.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let before = status("VmRSS:");
    let mut times = Vec::new();
    let mut last = None;
    for _ in 0..runs {
        drop(last.take());
        let begin = Instant::now();
        last = Some(Alignment::of(&a, &b));
        times.push(begin.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let [low, middle, high] = [0, runs / 2, runs - 1].map(|at| times.get(at).copied().unwrap_or_default());
    let Some(found) = last else { return Ok(()) };
    let matched: u64 = found.runs().iter().map(|run| u64::from(run.length)).sum();
    println!(
        "{middle:.3} s ({low:.3} to {high:.3}), {} steps, {} hunks, {} without a counterpart, {} MB",
        found.work(),
        found.hunks().len(),
        (a.len() + b.len()) as u64 - 2 * matched,
        (status("VmHWM:").saturating_sub(before)) / 1024
    );
    Ok(())
}

fn tokens(path: &str) -> Result<Vec<u32>, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    Ok(bytes.as_chunks().0.iter().map(|token| u32::from_le_bytes(*token)).collect())
}

/// A size in kB that Linux knows of this process. 0 elsewhere.
fn status(key: &str) -> u64 {
    let all = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = all.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}
