//! Arguments of slices and instants: the fields of their records.
//!
//! Records come in the order of the file, slices track by track. So one pass over the records
//! writes the fields to a temporary file, in a sequence for each track. A track's slices follow its
//! records closely, so reading the sequence along with them finds nearly all at once; only where
//! the others are is kept in memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use hashbrown::HashMap;
use unspool_cut::clean::{Choice, Class, Cleaner};
use unspool_trace::{FieldValue, Record, Visitor, beginning};

use crate::{Arg, Value};

/// Bytes of a track that are written at once, and read at once.
const PORTION: usize = 1 << 16;
/// Bytes of a text, and of a payload, that an argument shows.
const LONGEST: usize = 1024;
/// Bytes before the fields of a record: its locator, and how many there are.
const HEAD: usize = 12;
/// Fields of a record: those of a longer one are cut there.
const MOST: usize = 1000;

/// Fields that say what a slice says: position, thread and name.
const KNOWN: [&str; 11] =
    ["call", "cpu", "frame", "func_id", "kind", "name", "process", "statement", "thread", "tsc", "flags"];

/// Where something is in the temporary file: offset and length.
type Place = (u64, u32);

/// A temporary file.
pub trait Scratch {
    /// Writes all of these bytes at the absolute offset `at`, which is the end so far.
    ///
    /// # Errors
    ///
    /// Fails if there is no room.
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// Fills `into` with what was written from the absolute offset `at` on.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    fn read_at(&mut self, at: u64, into: &mut [u8]) -> io::Result<()>;
}

impl Scratch for File {
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(at))?;
        self.write_all(bytes)
    }

    fn read_at(&mut self, at: u64, into: &mut [u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(at))?;
        self.read_exact(into)
    }
}

/// The arguments of a trace. A [`Collector`] makes them.
pub struct Arguments {
    file: Box<dyn Scratch>,
    tracks: HashMap<u32, Sequence>,
    error: Option<io::Error>,
}

/// The records of a track, in the order of the file.
#[derive(Default)]
struct Sequence {
    /// What is not written yet.
    waiting: Vec<u8>,
    portions: Vec<Place>,
    /// The portion that is read next, and what was read of the one before it.
    next: usize,
    read: Vec<u8>,
    at: usize,
    /// Where the one before it begins in the file.
    from: u64,
    /// Records that were read before their slices came, by locator.
    passed: HashMap<u64, Place>,
    /// The greatest locator that was collected, and whether one of them came after a greater one.
    greatest: u64,
    unsorted: bool,
    /// The latest record that was found: a group of calls has that of the call that opens it.
    latest: (u64, Vec<u8>),
}

impl Arguments {
    /// Fills in the arguments of the record of a track with this locator.
    pub fn get(&mut self, track: u32, locator: u64, into: &mut Vec<Arg>) {
        let Some(sequence) = self.tracks.get_mut(&track) else { return };
        match sequence.find(locator, &mut *self.file) {
            Ok(true) => decode(&sequence.latest.1, into),
            Ok(false) => {}
            Err(error) => {
                self.error.get_or_insert(error);
            }
        }
    }

    /// The first error of the temporary file. Arguments that were asked for since are missing.
    pub fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }
}

impl Sequence {
    /// Makes the record with this locator the latest. Returns false if there is none.
    fn find(&mut self, locator: u64, file: &mut dyn Scratch) -> io::Result<bool> {
        if self.latest.0 == locator && !self.latest.1.is_empty() {
            return Ok(true);
        }
        self.latest = (locator, std::mem::take(&mut self.latest.1));
        self.latest.1.clear();
        if let Some((at, len)) = self.passed.remove(&locator) {
            let mut fields = vec![0; len as usize];
            file.read_at(at, &mut fields)?;
            self.latest.1 = fields;
            return Ok(true);
        }
        while let Some((found, at, len)) = self.advance(file)? {
            if found == locator {
                self.latest.1.extend_from_slice(self.read.get(at..at + len).unwrap_or_default());
                return Ok(true);
            }
            if !self.unsorted && found > locator {
                // It is not ahead: the search for it must not pass all others.
                self.at = at - HEAD;
                return Ok(false);
            }
            self.passed.insert(found, (self.from + at as u64, len as u32));
        }
        Ok(false)
    }

    fn flush(&mut self, file: &mut dyn Scratch, end: &mut u64) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        file.write_at(*end, &self.waiting)?;
        self.portions.push((*end, self.waiting.len() as u32));
        *end += self.waiting.len() as u64;
        // Thousands of tracks may have a buffer each.
        self.waiting = Vec::new();
        Ok(())
    }

    /// The next record: its locator, and where its fields are in what was read, with their length.
    fn advance(&mut self, file: &mut dyn Scratch) -> io::Result<Option<(u64, usize, usize)>> {
        if self.at >= self.read.len() {
            let Some((from, len)) = self.portions.get(self.next).copied() else { return Ok(None) };
            self.next += 1;
            self.read.resize(len as usize, 0);
            (self.at, self.from) = (0, from);
            file.read_at(from, &mut self.read)?;
        }
        let head = self.read.get(self.at..).and_then(<[u8]>::first_chunk::<HEAD>);
        let parts = head.and_then(|head| Some((*head.first_chunk()?, *head.last_chunk()?)));
        let Some((locator, len)) = parts else { return Ok(None) };
        let at = self.at + HEAD;
        let len = u32::from_le_bytes(len) as usize;
        self.at = at + len;
        Ok(Some((u64::from_le_bytes(locator), at, len)))
    }
}

/// Collects the fields of records: the visitor of a pass over all of them.
pub struct Collector {
    arguments: Arguments,
    /// The record that is visited: its head, then its fields.
    record: Vec<u8>,
    track: u32,
    fields: usize,
    /// Open structures, without the outermost one of the arguments and those that are left out.
    depth: u32,
    /// Open structures that are left out.
    skipped: u32,
    /// Within the outermost structure of arguments, whose parts may have any key.
    in_args: bool,
    /// Length of the temporary file.
    end: u64,
    /// What is hashed and left out.
    cleaner: Cleaner,
}

/// How a part of the fields begins, before its key.
mod tag {
    pub(super) const NULL: u8 = 0;
    pub(super) const BOOL: u8 = 1;
    pub(super) const UNSIGNED: u8 = 2;
    pub(super) const INT: u8 = 3;
    pub(super) const POINTER: u8 = 4;
    pub(super) const REAL: u8 = 5;
    pub(super) const TEXT: u8 = 6;
    pub(super) const LIST: u8 = 7;
    pub(super) const STRUCTURE: u8 = 8;
    pub(super) const CLOSE: u8 = 9;
}

impl Collector {
    /// Collects into a temporary file what `cleaner` leaves of texts and payloads.
    pub fn new(file: Box<dyn Scratch>, cleaner: Cleaner) -> Self {
        Self {
            arguments: Arguments { file, tracks: HashMap::new(), error: None },
            record: Vec::new(),
            track: 0,
            fields: 0,
            depth: 0,
            skipped: 0,
            in_args: false,
            end: 0,
            cleaner,
        }
    }

    /// The error of the temporary file, after which nothing is collected.
    pub fn take_error(&mut self) -> Option<io::Error> {
        self.arguments.take_error()
    }

    /// All records were visited.
    ///
    /// # Errors
    ///
    /// Fails if the rest does not fit into the temporary file.
    pub fn finish(self) -> io::Result<(Arguments, Cleaner)> {
        let Self { mut arguments, mut end, cleaner, .. } = self;
        let Arguments { file, tracks, .. } = &mut arguments;
        for sequence in tracks.values_mut() {
            sequence.flush(&mut **file, &mut end)?;
        }
        Ok((arguments, cleaner))
    }

    fn text(&mut self, text: &str) {
        let shown = beginning(text, LONGEST);
        let mark = if shown.len() < text.len() { "…" } else { "" };
        self.record.extend(((shown.len() + mark.len()) as u16).to_le_bytes());
        self.record.extend(shown.bytes().chain(mark.bytes()));
    }

    fn begin_part(&mut self, tag: u8, key: &str) {
        self.record.push(tag);
        self.text(key);
    }

    fn number(&mut self, tag: u8, key: &str, bits: u64) {
        self.begin_part(tag, key);
        self.record.extend(bits.to_le_bytes());
    }

    /// Whether a field, or a structure, with this key is left out: it is known otherwise, or it is
    /// one too many.
    fn leaves_out(&mut self, key: &str) -> bool {
        self.fields += 1;
        self.skipped > 0 || self.fields > MOST || (self.depth == 0 && !self.in_args && KNOWN.contains(&key))
    }
}

impl Visitor for Collector {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        self.record.clear();
        self.record.extend(record.locator.bits().to_le_bytes());
        self.record.extend([0; 4]);
        (self.track, self.fields, self.depth, self.skipped, self.in_args) = (record.track, 0, 0, 0, false);
        !self.is_full()
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        if self.leaves_out(key) {
            return;
        }
        match value {
            FieldValue::Null => self.begin_part(tag::NULL, key),
            FieldValue::Bool(is) => self.number(tag::BOOL, key, is.into()),
            FieldValue::U64(number) => self.number(tag::UNSIGNED, key, number),
            FieldValue::I64(number) | FieldValue::Id(number) => self.number(tag::INT, key, number as u64),
            FieldValue::Hex(number) => self.number(tag::POINTER, key, number),
            FieldValue::F32(number) => self.number(tag::REAL, key, f64::from(number).to_bits()),
            FieldValue::F64(number) => self.number(tag::REAL, key, number.to_bits()),
            FieldValue::Text(text) => {
                self.begin_part(tag::TEXT, key);
                let clean = self.cleaner.text(text);
                self.text(&clean);
            }
            FieldValue::Symbol { name, .. } => {
                self.begin_part(tag::TEXT, key);
                self.text(name);
            }
            FieldValue::Bytes { bytes, len } => {
                self.begin_part(tag::TEXT, key);
                self.cleaner.note_payload(len);
                let shown = match std::str::from_utf8(bytes) {
                    Ok(text) if len == bytes.len() as u64 && self.cleaner.choice(Class::Payload) == Choice::Keep => {
                        text.to_string()
                    }
                    _ => format!("{len} bytes"),
                };
                self.text(&shown);
            }
            FieldValue::Code { bytes, .. } => {
                self.begin_part(tag::TEXT, key);
                let shown: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                self.text(&shown.join(" "));
            }
        }
    }

    fn open(&mut self, key: &str, is_list: bool) {
        // Arguments with names are fields of the call.
        let is_args = self.depth == 0 && key == "args" && !is_list && self.skipped == 0;
        if is_args {
            self.in_args = true;
            return;
        }
        if self.leaves_out(key) {
            self.skipped += 1;
            return;
        }
        self.depth += 1;
        self.begin_part(if is_list { tag::LIST } else { tag::STRUCTURE }, key);
    }

    fn close(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
        } else if self.depth > 0 {
            self.depth -= 1;
            self.record.push(tag::CLOSE);
        } else {
            self.in_args = false;
        }
    }

    fn end(&mut self) {
        let Some(len) = self.record.len().checked_sub(HEAD).filter(|len| *len > 0) else { return };
        if let Some(place) = self.record.get_mut(8..HEAD) {
            place.copy_from_slice(&(len as u32).to_le_bytes());
        }
        let Arguments { file, tracks, error } = &mut self.arguments;
        let sequence = tracks.entry(self.track).or_default();
        let locator = self.record.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        sequence.unsorted |= locator < sequence.greatest;
        sequence.greatest = sequence.greatest.max(locator);
        sequence.waiting.extend(&self.record);
        if sequence.waiting.len() >= PORTION
            && let Err(full) = sequence.flush(&mut **file, &mut self.end)
        {
            *error = Some(full);
        }
    }

    fn is_full(&self) -> bool {
        self.arguments.error.is_some()
    }
}

/// Reads what a [`Collector`] wrote of a record.
fn decode(mut bytes: &[u8], into: &mut Vec<Arg>) {
    fn text(bytes: &mut &[u8]) -> Option<String> {
        let (len, rest) = bytes.split_first_chunk()?;
        let (text, rest) = rest.split_at_checked(u16::from_le_bytes(*len).into())?;
        *bytes = rest;
        Some(String::from_utf8_lossy(text).into_owned())
    }
    fn number(bytes: &mut &[u8]) -> Option<u64> {
        let (bits, rest) = bytes.split_first_chunk()?;
        *bytes = rest;
        Some(u64::from_le_bytes(*bits))
    }
    fn part(bytes: &mut &[u8]) -> Option<Arg> {
        let (tag, rest) = bytes.split_first()?;
        *bytes = rest;
        if *tag == tag::CLOSE {
            return Some(Arg::Close);
        }
        let key = text(bytes)?;
        let value = match *tag {
            tag::LIST | tag::STRUCTURE => return Some(Arg::Open(key, *tag == tag::LIST)),
            tag::BOOL => Value::Bool(number(bytes)? != 0),
            tag::UNSIGNED => Value::Unsigned(number(bytes)?),
            tag::INT => Value::Int(number(bytes)? as i64),
            tag::POINTER => Value::Pointer(number(bytes)?),
            tag::REAL => Value::Real(f64::from_bits(number(bytes)?)),
            tag::TEXT => Value::Text(text(bytes)?),
            _ => Value::Null,
        };
        Some(Arg::Field(key, value))
    }
    while let Some(arg) = part(&mut bytes) {
        into.push(arg);
    }
}
