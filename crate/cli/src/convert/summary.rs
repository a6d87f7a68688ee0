//! What became of the inputs: a bar meanwhile, a table at the end.

use std::io::{self, Write};

use serde::Serialize;

use super::{Job, Written};
use crate::clean::CleanArgs;
use crate::console::{self, one_line};
use crate::progress::Progress;
use crate::{Failure, json};

/// What became of an input.
pub(super) enum Outcome {
    Converted {
        written: Written,
        seconds: f64,
        /// It was read in part.
        broken: bool,
    },
    /// The output was there.
    Skipped {
        /// It has a part of the trace, and there is no more to be had.
        broken: bool,
    },
    Failed(Failure),
}

/// A line of the table.
struct Line {
    /// Orders the table: what needs attention is at its end.
    order: (u8, usize),
    /// Outcome, rows, bytes, seconds, and what it is about.
    cells: [String; 5],
    object: Object,
}

/// What became of an input, for programs.
#[derive(Serialize)]
struct Object {
    input: String,
    /// `None`: standard output.
    output: Option<String>,
    outcome: &'static str,
    rows: u64,
    bytes: u64,
    seconds: f64,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    inputs: Vec<Object>,
    total: usize,
    /// Some of them in part.
    converted: u64,
    skipped: u64,
    in_part: u64,
    failed: u64,
    rows: u64,
    bytes: u64,
}

/// Lines and sums of all inputs.
pub(super) struct Summary {
    /// Whether there are several inputs. One alone has no table.
    several: bool,
    /// Programs want an object, and no table.
    as_json: bool,
    bar: Progress,
    passed: u64,
    lines: Vec<Line>,
    converted: u64,
    skipped: u64,
    /// Of those that were converted, and of those that were skipped.
    broken: u64,
    skipped_broken: u64,
    failed: u64,
    all: Written,
}

impl Summary {
    /// Of inputs with this many bytes.
    pub(super) fn new(several: bool, as_json: bool, bytes: u64) -> Self {
        Self {
            several,
            as_json,
            bar: if several { Progress::new(bytes) } else { Progress::hidden() },
            passed: 0,
            lines: Vec::new(),
            converted: 0,
            skipped: 0,
            broken: 0,
            skipped_broken: 0,
            failed: 0,
            all: Written::default(),
        }
    }

    /// Adds an input. A failure is reported at once.
    pub(super) fn add(&mut self, job: &Job, outcome: Outcome) {
        self.passed += job.size;
        self.bar.set(self.passed);
        let input = job.input.display();
        let output = job.output.as_deref().map(|output| output.display().to_string());
        let mut object =
            Object { input: input.to_string(), output, outcome: "skipped", rows: 0, bytes: 0, seconds: 0.0 };
        let (rank, how, figures, what) = match outcome {
            Outcome::Skipped { broken } => {
                self.skipped += 1;
                self.skipped_broken += u64::from(broken);
                if broken {
                    let sentence = format!("{input}: its output exists, with the part of the trace that could be read");
                    if !self.several {
                        console::say(format_args!("unspool: {sentence}."));
                    }
                    (2, "in part", Default::default(), sentence)
                } else {
                    (0, "skipped", Default::default(), format!("{input}: its output exists"))
                }
            }
            Outcome::Failed(error) => {
                self.failed += 1;
                self.bar.suspend(|| match self.several && !self.as_json {
                    true => console::say(format_args!("failed     {error}")),
                    false => error.say(),
                });
                (3, "failed", Default::default(), error.to_string())
            }
            Outcome::Converted { written: Written { rows, bytes, found }, seconds, broken } => {
                self.converted += 1;
                self.broken += u64::from(broken);
                self.all.rows += rows;
                self.all.bytes += bytes;
                self.all.found.iter_mut().zip(found).for_each(|(sum, count)| *sum += count);
                (object.rows, object.bytes, object.seconds) = (rows, bytes, seconds);
                let to = object.output.as_deref().unwrap_or("-");
                let (rank, how) = if broken { (2, "in part") } else { (1, "converted") };
                let figures = [rows.to_string(), bytes.to_string(), format!("{seconds:.1}")];
                (rank, how, figures, format!("{input} -> {to}"))
            }
        };
        object.outcome = how;
        let [rows, bytes, seconds] = figures;
        self.lines.push(Line { order: (rank, job.number), cells: [how.into(), rows, bytes, seconds, what], object });
    }

    /// Prints the table to stderr if there are several inputs, and what was hashed and left out.
    /// Returns the exit status.
    ///
    /// # Errors
    ///
    /// Returns the error of standard output, to which the object for programs goes.
    pub(super) fn print(mut self, clean: &CleanArgs) -> io::Result<u8> {
        let status = match (self.failed, self.broken + self.skipped_broken) {
            (0, 0) => 0,
            (0, _) => 1,
            _ => 2,
        };
        self.bar.finish();
        let cleaned = clean.summary(self.all.found);
        if self.as_json {
            if !cleaned.is_empty() {
                console::say(&cleaned);
            }
            self.print_object()?;
            return Ok(status);
        }
        if !self.several {
            if !cleaned.is_empty() && self.failed == 0 {
                console::say(&cleaned);
            }
            return Ok(status);
        }
        self.lines.sort_by_key(|line| line.order);
        let head = ["outcome", "rows", "bytes", "seconds", "input"].map(String::from);
        let all = || std::iter::once(&head).chain(self.lines.iter().map(|line| &line.cells));
        let width = |column: usize| all().map(|cells| cells.get(column).map_or(0, String::len)).max().unwrap_or(0);
        let (rows, bytes, seconds) = (width(1), width(2), width(3));
        for [outcome, its_rows, its_bytes, its_seconds, what] in all() {
            console::say(format_args!(
                "{outcome:9}  {its_rows:>rows$}  {its_bytes:>bytes$}  {its_seconds:>seconds$}  {}",
                one_line(what)
            ));
        }
        let Self { converted, skipped, broken, skipped_broken, failed, all: Written { rows, bytes, .. }, .. } = &self;
        let separator = if cleaned.is_empty() { "" } else { "; " };
        console::say(format_args!(
            "{} traces: {converted} converted ({broken} of them in part), {skipped} skipped ({skipped_broken} of them in part), {failed} failed; {rows} rows, {bytes} bytes{separator}{cleaned}",
            self.lines.len()
        ));
        Ok(status)
    }

    fn print_object(mut self) -> io::Result<()> {
        self.lines.sort_by_key(|line| line.order.1);
        let Self { converted, skipped, broken, skipped_broken, failed, all: Written { rows, bytes, .. }, .. } = self;
        let inputs: Vec<Object> = self.lines.into_iter().map(|line| line.object).collect();
        let (total, in_part) = (inputs.len(), broken + skipped_broken);
        let mut out = console::data();
        json::print(&mut out, &Report { inputs, total, converted, skipped, in_part, failed, rows, bytes })?;
        out.flush()
    }
}
