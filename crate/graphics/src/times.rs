//! How long calls took when the trace was replayed, from what `apitrace replay --pcpu --pgpu --ppd`
//! prints.
//!
//! ```text
//! # call no gpu_start gpu_dura cpu_start cpu_dura vsize_start vsize_dura rss_start rss_dura pixels program name
//! call 3 0 0 185257 5550 0 0 0 0 -1 0 glViewport
//! call 47 204554697 297 204124565 28180 0 0 0 0 0 1 glDrawElements
//! frame_end
//! Rendered 3 frames in 0.522503 secs, average of 5.74159 fps
//! ```
//!
//! Times are in nanoseconds (`Profiler::addCall` of apitrace's `lib/trace/trace_profiler.cpp`).
//! What was not asked for is 0 there, as is what was not measured of a call: start and duration of
//! the CPU or GPU are 0 together. Calls that took the CPU less than `--min-cpu-time`, 1,000 ns
//! unless it says otherwise, have no line. Older versions lack columns, so the heading says which
//! there are.
//!
//! A driver may measure nonsense: 23 minutes of a `glClear` in a replay of half a second. A call
//! cannot take longer than the replay that measured it. Such a time is kept as it is, but is in no
//! sum, no rank and no weight. The replay of a profile without its last line took an unknown time.

use core::cmp::Reverse;
use core::fmt;

use hashbrown::HashMap;
use unspool_records::{ByteSource, Unreadable};
use unspool_trace::Clock;
use unspool_trace::figures::counted;

use crate::frames::Frame;
use crate::reader::{CallVisitor, Reader};
use unspool_gl::call::Call;

/// Something that is measured of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// Its key in JSON.
    pub key: &'static str,
    /// What people call it, with its unit.
    pub title: &'static str,
}

/// What is measured, in the order of [`Timed::values`]: nanoseconds of the CPU, nanoseconds of the
/// GPU, and pixels that pass all tests.
pub const MEASURES: [Measure; 3] = [
    Measure { key: "cpuTime", title: "CPU ns" },
    Measure { key: "gpuTime", title: "GPU ns" },
    Measure { key: "pixels", title: "Pixels drawn" },
];
const CPU: usize = 0;
const GPU: usize = 1;
const PIXELS: usize = 2;

/// Values by measure. `None`: not measured.
pub type Values = [Option<u64>; MEASURES.len()];

/// A call with what was measured of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed {
    /// Its number.
    pub call: u64,
    /// [`NONE`] is what was not measured.
    values: [u64; MEASURES.len()],
    name: u32,
}

/// What was not measured.
const NONE: u64 = u64::MAX;

impl Timed {
    /// What was measured.
    pub fn values(&self) -> Values {
        self.values.map(|value| (value != NONE).then_some(value))
    }
}

/// Why a line is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It is not a line of a profile.
    Unknown,
    /// A column of a call is not a number, or is missing.
    Column(&'static str),
    /// A call that has a line already.
    Again,
    /// There is no room for more calls.
    Limit,
}

/// Lines that were skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// How many.
    pub count: u64,
    /// The first one, from 1, and why.
    pub first: Option<(u64, Wrong)>,
}

impl fmt::Display for Skipped {
    /// `2 lines skipped, the first is line 7: its cpu_dura is not a number`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((line, why)) = self.first else { return Ok(()) };
        match self.count {
            1 => write!(f, "line {line} skipped: ")?,
            count => write!(f, "{count} lines skipped, the first is line {line}: ")?,
        }
        match why {
            Wrong::Unknown => f.write_str("it is not a line of a profile"),
            Wrong::Column(column) => write!(f, "its {column} is missing or not a number"),
            Wrong::Again => f.write_str("its call has a line already"),
            Wrong::Limit => write!(f, "a profile can have {MOST_ROWS} calls at most"),
        }
    }
}

/// Limit for the number of calls.
const MOST_ROWS: usize = 8_000_000;
/// Bytes of the longest line. Names of functions are short.
const LONGEST_LINE: usize = 1024;

/// Times of calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// By number of the call.
    rows: Vec<Timed>,
    names: Vec<String>,
    /// Lines that were skipped.
    pub skipped: Skipped,
    /// Nanoseconds that the replay took, if the text says so.
    pub replay: Option<u64>,
}

impl Times {
    /// The calls that are listed, by number.
    pub fn rows(&self) -> &[Timed] {
        &self.rows
    }

    /// The function that a call is listed with.
    pub fn name(&self, timed: &Timed) -> &str {
        self.names.get(timed.name as usize).map_or("", String::as_str)
    }

    /// A call. `None` if it is not listed.
    pub fn of(&self, call: u64) -> Option<&Timed> {
        self.rows.get(self.rows.binary_search_by_key(&call, |timed| timed.call).ok()?)
    }

    /// The values of a call that can be true.
    pub fn credible(&self, timed: &Timed) -> Values {
        let mut values = timed.values();
        for value in values.iter_mut().take(PIXELS) {
            *value = value.filter(|value| self.replay.is_none_or(|replay| *value <= replay));
        }
        values
    }

    /// Number of calls of which each was measured.
    pub fn counts(&self) -> [u64; MEASURES.len()] {
        self.count(Timed::values)
    }

    fn count(&self, values: impl Fn(&Timed) -> Values) -> [u64; MEASURES.len()] {
        let mut counts = [0; MEASURES.len()];
        for timed in &self.rows {
            for (count, value) in counts.iter_mut().zip(values(timed)) {
                *count += u64::from(value.is_some());
            }
        }
        counts
    }

    /// The times that cannot be true, without a full stop:
    /// `GPU time of 1 call left out as implausible: longer than the replay, which took 523 ms`.
    /// Empty without any.
    pub fn doubt(&self) -> String {
        let (all, credible) = (self.counts(), self.count(|timed| self.credible(timed)));
        let words = [(CPU, "CPU"), (GPU, "GPU")].map(|(measure, word)| {
            let count = |counts: &[u64]| counts.get(measure).copied().unwrap_or_default();
            let doubted = count(&all) - count(&credible);
            (doubted > 0).then(|| format!("{word} time of {}", counted(doubted, "call")))
        });
        let words: Vec<String> = words.into_iter().flatten().collect();
        match self.replay.filter(|_| !words.is_empty()) {
            Some(replay) => format!(
                "{} left out as implausible: longer than the replay, which took {}",
                words.join(" and "),
                Clock::Seconds { frequency: 1_000_000_000 }.amount(replay)
            ),
            None => String::new(),
        }
    }

    /// The sums of each frame, over its calls that are listed, of what can be true.
    pub fn by_frame(&self, frames: &[Frame]) -> Vec<Values> {
        let mut sums = vec![[None; MEASURES.len()]; frames.len()];
        let mut at = 0;
        for timed in &self.rows {
            // Numbers of calls of two threads overlap: a call belongs to the first frame that goes
            // on until it.
            while frames.get(at).is_some_and(|frame| frame.last < timed.call) {
                at += 1;
            }
            let Some(sums) = sums.get_mut(at) else { break };
            for (sum, value) in sums.iter_mut().zip(self.credible(timed)) {
                if let Some(value) = value {
                    *sum = Some(sum.unwrap_or(0_u64).saturating_add(value));
                }
            }
        }
        sums
    }

    /// A call that the trace names otherwise, because the times are those of another one. A few
    /// calls are compared. `None` if they agree.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn misfit<S: ByteSource>(&self, reader: &mut Reader<S>) -> Result<Option<Misfit>, Unreadable> {
        let step = (self.rows.len() / COMPARED).max(1);
        for timed in self.rows.iter().step_by(step).chain(self.rows.last()) {
            let mut named = Named { call: timed.call, names: Vec::new(), name: None };
            if timed.call < reader.count() {
                let piece = reader.piece_of(timed.call);
                reader.pass(piece..piece + 1, &mut named)?;
            }
            if named.name.as_deref() != Some(self.name(timed)) {
                return Ok(Some(Misfit { call: timed.call, listed: self.name(timed).into(), found: named.name }));
            }
        }
        Ok(None)
    }

    /// The calls from number `first` to `last` of which something was measured, at most `most` of
    /// them, and how many there are. The highest value comes first; by number if it is equal.
    /// Values that cannot be true come last.
    pub fn highest(&self, measure: usize, first: u64, last: u64, most: usize) -> (Vec<&Timed>, usize) {
        let value = |timed: &Timed| timed.values.get(measure).copied().filter(|value| *value != NONE);
        let from = self.rows.partition_point(|timed| timed.call < first);
        let within = self.rows.iter().skip(from).take_while(|timed| timed.call <= last);
        let mut found: Vec<&Timed> = within.filter(|timed| value(timed).is_some()).collect();
        let count = found.len();
        let credible = |timed: &Timed| self.credible(timed).get(measure).copied().flatten();
        found.sort_unstable_by_key(|timed| (Reverse(credible(timed)), Reverse(value(timed)), timed.call));
        found.truncate(most);
        (found, count)
    }
}

/// Calls whose names are compared, about.
const COMPARED: usize = 8;

/// A call that is not the one that times are listed for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Its number.
    pub call: u64,
    /// The function that it is listed with.
    pub listed: String,
    /// The function of the trace, if there is such a call.
    pub found: Option<String>,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the times are those of another trace: they have {} as call {}, ", self.listed, self.call)?;
        match &self.found {
            Some(name) => write!(f, "and this trace has {name}"),
            None => f.write_str("which this trace does not have"),
        }
    }
}

/// Looks for the name of a call.
struct Named {
    call: u64,
    names: Vec<String>,
    name: Option<String>,
}

impl CallVisitor for Named {
    fn function(&mut self, name: &str) -> Option<u32> {
        self.names.push(name.into());
        Some(self.names.len() as u32 - 1)
    }

    fn wants(&mut self, number: u64, function: u32) -> bool {
        if number == self.call {
            self.name = self.names.get(function as usize).cloned();
        }
        false
    }

    fn call(&mut self, _call: &Call) {}

    fn is_full(&self) -> bool {
        self.name.is_some()
    }
}

/// Where the columns of a call are, by number of the word.
#[derive(Clone, Copy, Debug)]
struct Columns {
    call: usize,
    /// Start, if there is one, and duration or number.
    values: [Option<(usize, usize)>; MEASURES.len()],
    name: usize,
}

/// The words of the heading, by measure: start and duration.
const HEADINGS: [(&str, &str); MEASURES.len()] =
    [("cpu_start", "cpu_dura"), ("gpu_start", "gpu_dura"), ("pixels", "pixels")];

impl Columns {
    /// Those of a heading, such as `# call no gpu_start gpu_dura …`: its words but the `#`.
    fn of(heading: &str) -> Option<Self> {
        let place = |column: &str| heading.split_ascii_whitespace().skip(1).position(|word| word == column);
        let values = HEADINGS.map(|(start, value)| place(start).zip(place(value)));
        Some(Self { call: place("no")?, values, name: place("name")? })
    }
}

/// Reads times, in portions of any size.
#[derive(Debug, Default)]
pub struct TimesReader {
    /// The beginning of a line.
    rest: Vec<u8>,
    /// The line is longer than any may be.
    is_long: bool,
    line: u64,
    columns: Option<Columns>,
    numbers: HashMap<String, u32>,
    /// A line says -1 pixels of a call: that is known only if they were asked for.
    has_pixels: bool,
    times: Times,
    /// Lines of `rows`.
    lines: Vec<u64>,
}

impl TimesReader {
    /// Further bytes of the text.
    pub fn push(&mut self, bytes: &[u8]) {
        let mut lines = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(part) = lines.next() {
            let room = LONGEST_LINE.saturating_sub(self.rest.len());
            self.is_long |= part.len() > room;
            self.rest.extend(part.iter().take(room));
            if lines.peek().is_some() {
                self.end_line();
            }
        }
    }

    /// The times, once there are no more bytes.
    pub fn finish(mut self) -> Times {
        if !self.rest.is_empty() {
            self.end_line();
        }
        let Self { mut times, lines, has_pixels, .. } = self;
        let mut order: Vec<u32> = (0..times.rows.len() as u32).collect();
        let row = |at: u32| times.rows.get(at as usize);
        // Of a call that is listed again, as when frames are replayed in a loop, the first line
        // counts.
        order.sort_unstable_by_key(|at| (row(*at).map(|timed| timed.call), *at));
        let mut rows: Vec<Timed> = Vec::with_capacity(order.len());
        let mut skipped = times.skipped;
        for at in order {
            let Some(mut timed) = row(at).copied() else { continue };
            if let Some(pixels) = timed.values.get_mut(PIXELS).filter(|_| !has_pixels) {
                *pixels = NONE;
            }
            if rows.last().is_some_and(|last| last.call == timed.call) {
                let line = lines.get(at as usize).copied().unwrap_or_default();
                skipped.add(line, Wrong::Again);
            } else {
                rows.push(timed);
            }
        }
        times.skipped = skipped;
        times.rows = rows;
        times
    }

    fn end_line(&mut self) {
        self.line += 1;
        let rest = core::mem::take(&mut self.rest);
        let is_long = core::mem::take(&mut self.is_long);
        let line = core::str::from_utf8(&rest).ok().filter(|_| !is_long);
        if let Err(wrong) = line.map_or(Err(Wrong::Unknown), |line| self.take(line)) {
            self.times.skipped.add(self.line, wrong);
        }
        self.rest = rest;
        self.rest.clear();
    }

    /// A line.
    fn take(&mut self, line: &str) -> Result<(), Wrong> {
        let line = line.trim_ascii();
        if line.starts_with('#') {
            self.columns = Columns::of(line).or(self.columns);
            return Ok(());
        }
        // The last line is retrace's own.
        if line.is_empty() || line == "frame_end" {
            return Ok(());
        }
        if line.starts_with("Rendered ") {
            self.times.replay = self.times.replay.max(replay_of(line));
            return Ok(());
        }
        let Some(columns) = self.columns.filter(|_| line.starts_with("call ")) else { return Err(Wrong::Unknown) };
        let word = |at: usize| line.split_ascii_whitespace().nth(at);
        let number = |at: usize| word(at).and_then(|word| word.parse::<i64>().ok());
        let natural = |at: usize, column| number(at).and_then(|n| u64::try_from(n).ok()).ok_or(Wrong::Column(column));
        let call = natural(columns.call, "no")?;
        let name = word(columns.name).ok_or(Wrong::Column("name"))?;
        let mut values = [NONE; MEASURES.len()];
        for (measure, slot) in values.iter_mut().enumerate() {
            let Some((start, at)) = columns.values.get(measure).copied().flatten() else { continue };
            let (_, column) = HEADINGS.get(measure).copied().unwrap_or_default();
            if measure == PIXELS && number(at) == Some(-1) {
                self.has_pixels = true;
                continue;
            }
            let value = natural(at, column)?;
            let is_measured = match measure {
                CPU | GPU => value != 0 || number(start).is_some_and(|start| start != 0),
                _ => true,
            };
            self.has_pixels |= measure == PIXELS && value > 0;
            if is_measured {
                *slot = value;
            }
        }
        if self.times.rows.len() >= MOST_ROWS {
            return Err(Wrong::Limit);
        }
        let name = match self.numbers.get(name) {
            Some(number) => *number,
            None => {
                let number = self.times.names.len() as u32;
                self.numbers.insert(name.into(), number);
                self.times.names.push(name.into());
                number
            }
        };
        self.times.rows.push(Timed { call, values, name });
        self.lines.push(self.line);
        Ok(())
    }
}

/// The nanoseconds of `Rendered 3 frames in 0.522503 secs, …`. It has six digits: the replay took
/// no longer than what they leave open.
fn replay_of(line: &str) -> Option<u64> {
    let mut words = line.split_ascii_whitespace().skip_while(|word| *word != "in").skip(1);
    let (seconds, is_time) = (words.next()?, words.next()?.starts_with("sec"));
    // Digit by digit: the numbers of all floats would make the module larger by a twentieth.
    let (whole, part) = seconds.split_once('.').unwrap_or((seconds, ""));
    let (whole, part) = (whole.parse::<u32>().ok()?, part.get(..9).unwrap_or(part));
    let billionths = if part.is_empty() { 0 } else { part.parse::<u32>().ok()? };
    let scale = 10_u64.pow(9 - part.len() as u32);
    let nanoseconds = u64::from(whole) * 1_000_000_000 + u64::from(billionths) * scale;
    (is_time && nanoseconds > 0).then_some(nanoseconds + nanoseconds / 100_000)
}

impl Skipped {
    fn add(&mut self, line: u64, wrong: Wrong) {
        self.count += 1;
        if self.first.is_none_or(|(first, _)| line < first) {
            self.first = Some((line, wrong));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADING: &str = "# call no gpu_start gpu_dura cpu_start cpu_dura vsize_start vsize_dura rss_start rss_dura pixels program name\n";

    fn read(text: &str) -> Times {
        let mut reader = TimesReader::default();
        reader.push(text.as_bytes());
        reader.finish()
    }

    fn values(times: &Times) -> Vec<(u64, Values)> {
        times.rows().iter().map(|timed| (timed.call, timed.values())).collect()
    }

    #[test]
    fn what_is_not_listed_was_not_measured() {
        let times = read(&format!(
            "{HEADING}call 3 0 0 185257 5550 0 0 0 0 -1 0 glViewport\n\
             call 4 7 0 0 0 0 0 0 0 0 1 glDrawArrays\nframe_end\nRendered 1 frames in 0.5 secs, average of 2 fps\n"
        ));
        assert_eq!(values(&times), [(3, [Some(5550), None, None]), (4, [None, Some(0), Some(0)])]);
        assert_eq!(times.name(times.of(4).unwrap()), "glDrawArrays");
        assert_eq!((times.of(5), times.skipped), (None, Skipped::default()));
        assert_eq!(times.counts(), [1, 1, 1]);
        // Without --ppd all calls have 0 pixels.
        let times = read(&format!("{HEADING}call 3 0 0 185257 5550 0 0 0 0 0 0 glViewport\n"));
        assert_eq!(values(&times), [(3, [Some(5550), None, None])]);
    }

    #[test]
    fn a_time_longer_than_the_replay_is_in_no_sum_and_no_rank() {
        let row = |call: u64, gpu: u64, cpu: u64| format!("call {call} 5 {gpu} 1 {cpu} 0 0 0 0 9 0 glClear\n");
        let rows =
            [row(2, 1_376_972_964_381, 7), row(3, 400_000_000, 9), row(4, 6, 600_000_000), row(5, 8, 3)].concat();
        let frames = [(0, 2), (3, 5)].map(|(first, last)| Frame { first, last, ..Frame::default() });
        let order = |times: &Times, measure| {
            let (found, count) = times.highest(measure, 0, u64::MAX, 9);
            (found.iter().map(|timed| timed.call).collect::<Vec<u64>>(), count)
        };
        let times = read(&format!("{HEADING}{rows}frame_end\nRendered 2 frames in 0.522503 secs, average of 3 fps\n"));
        assert_eq!(times.replay, Some(522_508_225));
        assert_eq!(times.by_frame(&frames), [[Some(7), None, Some(9)], [Some(12), Some(400_000_014), Some(27)]]);
        assert_eq!((order(&times, GPU), order(&times, CPU)), ((vec![3, 5, 4, 2], 4), (vec![3, 2, 5, 4], 4)));
        // They are listed as they are.
        assert_eq!(times.of(2).unwrap().values()[GPU], Some(1_376_972_964_381));
        assert_eq!(times.counts(), [4, 4, 4]);
        assert_eq!(
            times.doubt(),
            "CPU time of 1 call and GPU time of 1 call left out as implausible: longer than the replay, which took 523 ms"
        );
        // Nothing says how long this replay took, or that it was too short.
        for end in ["", "Rendered 2 frames in 1400 secs, average of 3 fps\n", "Rendered nothing\n"] {
            let times = read(&format!("{HEADING}{rows}{end}"));
            assert_eq!((times.doubt(), order(&times, GPU).0), (String::new(), vec![2, 3, 5, 4]), "{end}");
        }
    }

    #[test]
    fn the_heading_says_where_columns_are() {
        let times =
            read("# call no gpu_start gpu_dura cpu_start cpu_dura pixels program name\ncall 9 1 2 3 4 5 6 glClear");
        assert_eq!(values(&times), [(9, [Some(4), Some(2), Some(5)])]);
        assert_eq!(times.name(&times.rows()[0]), "glClear");
        assert_eq!(read("call 9 1 2 3 4 5 6 glClear\n").skipped.first, Some((1, Wrong::Unknown)));
    }

    #[test]
    fn a_malformed_line_is_told_by_its_number() {
        let text = format!(
            "{HEADING}call 3 0 0 1 x 0 0 0 0 -1 0 glViewport\ncall 4 0 0 1 2\ncall 5 0 0 1 2 0 0 0 0 -1 0 glClear\n\
             warning: unsupported\ncall 5 0 0 1 3 0 0 0 0 -1 0 glClear\n{}\n",
            "y".repeat(5000)
        );
        let times = read(&text);
        assert_eq!(values(&times), [(5, [Some(2), None, None])]);
        assert_eq!(times.skipped, Skipped { count: 5, first: Some((2, Wrong::Column("cpu_dura"))) });
        assert_eq!(
            times.skipped.to_string(),
            "5 lines skipped, the first is line 2: its cpu_dura is missing or not a number"
        );
        // In portions of any size it is the same.
        for size in [1, 7, 64] {
            let mut reader = TimesReader::default();
            text.as_bytes().chunks(size).for_each(|part| reader.push(part));
            assert_eq!(reader.finish(), times);
        }
    }

    #[test]
    fn calls_are_sorted_and_summed_by_frame() {
        let row = |call: u64, cpu: u64| format!("call {call} 0 0 1 {cpu} 0 0 0 0 -1 0 glClear\n");
        let times = read(&format!("{HEADING}{}{}{}{}", row(30, 5), row(2, 7), row(10, 1), row(11, 7)));
        let frame = |first, last| Frame { first, last, ..Frame::default() };
        let frames = [frame(0, 10), frame(11, 20), frame(21, 25), frame(26, 30)];
        let cpu: Vec<Option<u64>> = times.by_frame(&frames).iter().map(|values| values[CPU]).collect();
        assert_eq!(cpu, [Some(8), Some(7), None, Some(5)]);
        let highest = |measure, first, last, most| {
            let (found, count) = times.highest(measure, first, last, most);
            (found.iter().map(|timed| timed.call).collect::<Vec<u64>>(), count)
        };
        assert_eq!(highest(CPU, 0, u64::MAX, 3), (vec![2, 11, 30], 4));
        assert_eq!(highest(CPU, 3, 11, 3), (vec![11, 10], 2));
        assert_eq!((highest(CPU, 12, 2, 3), highest(GPU, 0, u64::MAX, 3)), ((vec![], 0), (vec![], 0)));
    }
}
