//! Records as lines of text, for the differences between two traces.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use unspool_compare::sequence::Numbering;
use unspool_trace::records::{RecordName, Same};
use unspool_trace::{FieldValue, Record, Visitor, beginning};

/// Lines by track, and by the number of the record in its track.
pub(super) type Printed = HashMap<(u32, u32), String>;

/// Longest line, in bytes.
const LONGEST: usize = 240;

/// A visitor that prints the wanted records, numbered as `unspool_compare::tokens` numbers them.
pub(super) struct Lines<'a> {
    /// Which records of each track, as ranges that begin in ascending order.
    wanted: BTreeMap<u32, Vec<(u32, u32)>>,
    /// What is printed: the parts that make a record the same as another.
    same: Same,
    /// Names of ids.
    named: &'a dyn Fn(i64) -> Option<&'a str>,
    numbering: Numbering,
    /// Of each track that is not at its end yet, the number after those that are wanted. Empty once
    /// all have been seen.
    until: BTreeMap<u32, u32>,
    printed: Printed,
    line: String,
    /// The track of the present record, and its lane and row.
    at: (u32, Option<(u32, u64)>),
    /// Its number, if it counts whatever fields it has.
    number: Option<u32>,
    is_counted: bool,
    /// For each list and structure that is open: whether it is a list, whether something is in it,
    /// and whether it is printed.
    open: Vec<(bool, bool, bool)>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(
        wanted: BTreeMap<u32, Vec<(u32, u32)>>,
        same: Same,
        numbering: Numbering,
        named: &'a dyn Fn(i64) -> Option<&'a str>,
    ) -> Self {
        let end = |ranges: &Vec<(u32, u32)>| ranges.iter().map(|(_, to)| *to).max();
        let until = wanted.iter().filter_map(|(track, ranges)| Some((*track, end(ranges)?)));
        Self {
            until: until.collect(),
            wanted,
            same,
            named,
            numbering,
            printed: Printed::new(),
            line: String::new(),
            at: (0, None),
            number: None,
            is_counted: false,
            open: Vec::new(),
        }
    }

    /// A run of a block.
    pub(super) fn run(&mut self, track: u32, address: u64, instructions: u64) {
        self.line.clear();
        self.at = (track, None);
        let noun = if instructions == 1 { "transition" } else { "transitions" };
        let _ = write!(self.line, "{address:#x}, {instructions} {noun}");
        self.add();
    }

    pub(super) fn finish(self) -> Printed {
        self.printed
    }

    fn add(&mut self) {
        let number = self.number.take().unwrap_or_else(|| self.take());
        if self.is_wanted(number) {
            self.printed.insert((self.at.0, number), self.line.clone());
        }
        // Not before it is printed: a pass may ask within a record whether it must stop.
        if self.until.get(&self.at.0).is_some_and(|until| number >= until.saturating_sub(1)) {
            self.until.remove(&self.at.0);
        }
    }

    /// The number of the present record, once.
    fn take(&mut self) -> u32 {
        let (track, place) = self.at;
        u32::try_from(self.numbering.take(track, place)).unwrap_or(u32::MAX)
    }

    /// Whether the present record is, by its number.
    fn is_wanted(&self, number: u32) -> bool {
        let ranges = self.wanted.get(&self.at.0).map_or(&[][..], Vec::as_slice);
        // A hunk's ranges are short, but for those that were cut, and few begin before a record.
        let before = ranges.partition_point(|(from, _)| *from <= number);
        ranges.iter().take(before).rev().take(3).any(|(_, to)| number < *to)
    }

    /// Writes what comes before a value. Returns whether the value is wanted.
    fn key(&mut self, key: &str) -> bool {
        match self.open.last_mut() {
            // What follows a name needs none: `0x401000  push rbp`, `glClear(mask = 16384)`, ` = 3`.
            None if !self.same.fields.contains(&key) || key == "flags" => return false,
            // The name says it.
            None if self.same.name && self.same.of == Some(key) => return false,
            None => self.line.push_str(match key {
                "args" => "",
                "ret" => " = ",
                _ if self.line.is_empty() => "",
                _ => "  ",
            }),
            Some((_, _, false)) => return false,
            Some((is_list, has, _)) => {
                if *has {
                    self.line.push_str(", ");
                }
                *has = true;
                if !*is_list {
                    self.line.push_str(key);
                    self.line.push_str(" = ");
                }
            }
        }
        self.line.len() <= LONGEST
    }

    fn value(&mut self, value: FieldValue<'_>) {
        let line = &mut self.line;
        // Writing to a string does not fail.
        let _ = match value {
            FieldValue::Null => write!(line, "null"),
            FieldValue::Bool(is) => write!(line, "{is}"),
            FieldValue::U64(number) => write!(line, "{number}"),
            FieldValue::I64(number) | FieldValue::Id(number) => write!(line, "{number}"),
            FieldValue::Hex(number) => write!(line, "{number:#x}"),
            FieldValue::F32(number) => write!(line, "{number}"),
            FieldValue::F64(number) => write!(line, "{number}"),
            FieldValue::Text(text) if self.open.is_empty() => write!(line, "{text}"),
            FieldValue::Text(text) => {
                let end = text.char_indices().map(|(at, _)| at).find(|at| *at >= LONGEST).unwrap_or(text.len());
                write!(line, "{:?}", text.get(..end).unwrap_or(text))
            }
            FieldValue::Symbol { name, .. } => write!(line, "{name}"),
            FieldValue::Bytes { len, .. } => write!(line, "blob({len})"),
            FieldValue::Code { isa, address, bytes } => match unspool_disassembler::disassemble(isa, address, bytes) {
                Some(text) => write!(line, "{text}"),
                None => bytes.iter().try_for_each(|byte| write!(line, "{byte:02x}")),
            },
        };
    }
}

impl Visitor for Lines<'_> {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        self.line.clear();
        self.open.clear();
        self.at = (record.track, Some((record.lane, record.row)));
        self.is_counted = self.same.of.is_none();
        if self.is_counted {
            let number = self.take();
            self.number = Some(number);
            if !self.is_wanted(number) {
                return false;
            }
        }
        match record.name {
            RecordName::None => {}
            RecordName::Text(text) => self.line.push_str(text),
            RecordName::Id(id) => match (self.named)(id) {
                Some(name) => self.line.push_str(name),
                None => self.line.push_str(&format!("#{id}")),
            },
        }
        true
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        self.is_counted |= self.open.is_empty() && self.same.of == Some(key);
        if self.key(key) {
            self.value(value);
        }
    }

    fn open(&mut self, key: &str, is_list: bool) {
        let is_printed = self.key(key);
        if is_printed {
            self.line.push(brackets(is_list, self.open.is_empty()).0);
        }
        self.open.push((is_list, false, is_printed));
    }

    fn close(&mut self) {
        if let Some((is_list, _, true)) = self.open.pop() {
            self.line.push(brackets(is_list, self.open.is_empty()).1);
        }
    }

    fn is_full(&self) -> bool {
        self.until.is_empty() && self.numbering.is_ascending()
    }

    fn end(&mut self) {
        if self.is_counted {
            if self.line.len() > LONGEST {
                self.line.truncate(beginning(&self.line, LONGEST).len());
                self.line.push('…');
            }
            self.add();
        }
    }
}

/// Round ones around the arguments of a call.
fn brackets(is_list: bool, is_outer: bool) -> (char, char) {
    match (is_list, is_outer) {
        (true, _) => ('[', ']'),
        (false, true) => ('(', ')'),
        (false, false) => ('{', '}'),
    }
}
