//! What became of the inputs: a bar meanwhile, a table at the end.

use std::io::{self, Write};

use super::Job;
use crate::progress::Progress;

/// What became of an input.
pub(super) enum Outcome {
    Converted {
        rows: u64,
        bytes: u64,
        seconds: f64,
        broken: bool,
    },
    /// The output was there.
    Skipped,
    Failed(String),
}

/// A line of the table.
struct Line {
    /// Orders the table: what needs attention is at its end.
    order: (u8, usize),
    /// Outcome, rows, bytes, seconds, and what it is about.
    cells: [String; 5],
}

/// Lines and sums of all inputs.
pub(super) struct Summary {
    /// Whether there are several inputs. One alone has no table.
    several: bool,
    bar: Progress,
    passed: u64,
    lines: Vec<Line>,
    converted: u64,
    skipped: u64,
    broken: u64,
    failed: u64,
    rows: u64,
    bytes: u64,
}

impl Summary {
    /// Of inputs with this many bytes.
    pub(super) fn new(several: bool, bytes: u64) -> Self {
        Self {
            several,
            bar: if several { Progress::new(bytes) } else { Progress::hidden() },
            passed: 0,
            lines: Vec::new(),
            converted: 0,
            skipped: 0,
            broken: 0,
            failed: 0,
            rows: 0,
            bytes: 0,
        }
    }

    /// Adds an input. A failure is told at once.
    pub(super) fn add(&mut self, job: &Job, outcome: Outcome) {
        self.passed += job.size;
        self.bar.set(self.passed);
        let input = job.input.display();
        let (rank, cells) = match outcome {
            Outcome::Skipped => {
                self.skipped += 1;
                (
                    0,
                    [
                        "skipped".into(),
                        String::new(),
                        String::new(),
                        String::new(),
                        format!("{input}: its output exists"),
                    ],
                )
            }
            Outcome::Failed(sentence) => {
                self.failed += 1;
                let mark = if self.several { "failed     " } else { "unspool: " };
                self.bar.suspend(|| {
                    let _ = writeln!(io::stderr(), "{mark}{sentence}");
                });
                (3, ["failed".into(), String::new(), String::new(), String::new(), sentence])
            }
            Outcome::Converted { rows, bytes, seconds, broken } => {
                self.converted += 1;
                self.broken += u64::from(broken);
                self.rows += rows;
                self.bytes += bytes;
                let to = job.output.as_deref().map_or_else(|| "-".into(), |output| output.display().to_string());
                let (rank, how) = if broken { (2, "in part") } else { (1, "converted") };
                (
                    rank,
                    [
                        how.into(),
                        rows.to_string(),
                        bytes.to_string(),
                        format!("{seconds:.1}"),
                        format!("{input} -> {to}"),
                    ],
                )
            }
        };
        self.lines.push(Line { order: (rank, job.number), cells });
    }

    /// Prints the table to stderr if there are several inputs. Returns whether all were converted as a whole.
    pub(super) fn print(mut self) -> bool {
        let is_whole = self.failed + self.broken == 0;
        self.bar.finish();
        if !self.several {
            return is_whole;
        }
        self.lines.sort_by_key(|line| line.order);
        let head = ["outcome", "rows", "bytes", "seconds", "input"].map(String::from);
        let all = || std::iter::once(&head).chain(self.lines.iter().map(|line| &line.cells));
        let width = |column: usize| all().map(|cells| cells.get(column).map_or(0, String::len)).max().unwrap_or(0);
        let (rows, bytes, seconds) = (width(1), width(2), width(3));
        let mut err = io::stderr().lock();
        for [outcome, its_rows, its_bytes, its_seconds, what] in all() {
            let _ =
                writeln!(err, "{outcome:9}  {its_rows:>rows$}  {its_bytes:>bytes$}  {its_seconds:>seconds$}  {what}");
        }
        let Self { converted, skipped, broken, failed, rows, bytes, .. } = &self;
        let _ = writeln!(
            err,
            "{} traces: {converted} converted ({broken} of them in part), {skipped} skipped, {failed} failed; {rows} rows, {bytes} bytes",
            self.lines.len()
        );
        is_whole
    }
}
