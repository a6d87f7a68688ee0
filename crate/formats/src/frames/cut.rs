//! A stretch of a trace: header and meta frame, some of the frames byte for byte, and a table of
//! contents as libtrace writes it.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

use unspool_cut::clean::{Choice, Class, Cleaner};
use unspool_cut::{Cut, CutOptions, PORTION};
use unspool_trace::decoder::Progress;
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::problem::{LEFT_OUT, Problem};

use super::decode::{Record, Sink, Walk};
use super::encode::{BLOCK, table_of};
use super::fields::MAX_FRAME;
use super::message::{Kind, Message, Slot, field};
use super::wire::{Header, put_varint, varint};

/// Begins to cut a trace.
pub(super) fn cut(head: &[u8], options: CutOptions) -> Result<Box<dyn Cut>> {
    let header = Header::parse(head, options.size)?;
    let walk = Walk::new(header, options.size);
    let frames = Frames {
        options,
        // As a tracer leaves it until it finishes.
        header: Header { frames: 0, table: 0, ..header },
        out: Vec::new(),
        len: 0,
        places: Vec::new(),
        over: false,
        held: Vec::new(),
        problems: Vec::new(),
    };
    Ok(Box::new(FramesCut { walk, frames, begun: false }))
}

struct FramesCut {
    walk: Walk,
    frames: Frames,
    begun: bool,
}

/// The sink that writes the frames of the stretch.
struct Frames {
    options: CutOptions,
    /// Of the new file.
    header: Header,
    out: Vec<u8>,
    /// Bytes of the new file before `out`.
    len: u64,
    /// Where each block but the first begins in the new file.
    places: Vec<u64>,
    /// The stretch is over.
    over: bool,
    /// The beginning of a record that arrives in portions.
    held: Vec<u8>,
    problems: Vec<Problem>,
}

impl Frames {
    fn is_wanted(&self, record: Record) -> bool {
        record.index.is_none_or(|index| self.options.has(index))
    }

    fn write(&mut self, record: Record, body: &[u8]) {
        if record.index.is_some() {
            if self.header.frames > 0 && self.header.frames.is_multiple_of(BLOCK) {
                self.places.push(self.len + self.out.len() as u64);
            }
            self.header.frames += 1;
        }
        let message = if record.index.is_some() { Message::Frame } else { Message::Meta };
        let body = if self.options.cleaner.is_active() {
            let mut clean = Vec::with_capacity(body.len());
            cleaned(message, body, &mut clean, &mut self.options.cleaner);
            Cow::Owned(clean)
        } else {
            Cow::Borrowed(body)
        };
        self.out.extend((body.len() as u64).to_le_bytes());
        self.out.extend_from_slice(&body);
    }

    fn take(&mut self, out: &mut Vec<u8>) {
        self.len += self.out.len() as u64;
        out.append(&mut self.out);
    }
}

impl Cut for FramesCut {
    fn push(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Progress> {
        if !core::mem::replace(&mut self.begun, true) {
            self.frames.out.extend(self.frames.header.to_bytes());
        }
        let used = self.walk.run(input, &mut self.frames);
        self.frames.take(out);
        Ok(Progress { used })
    }

    fn end(&mut self, rest: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let header = self.frames.header;
        if !self.frames.over {
            self.walk.end(rest, &mut self.frames);
        }
        if !self.begun || self.frames.len < header.len() {
            return Err(Error::new(self.walk.at(), Cause::UnexpectedEnd { needed: header.len() }));
        }
        self.frames.header.table = self.frames.len;
        self.frames.out.extend(table_of(BLOCK, self.frames.places.iter().copied()));
        self.frames.take(out);
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.frames.over
    }

    fn head(&self) -> Option<Vec<u8>> {
        Some(self.frames.header.to_bytes())
    }

    fn records(&self) -> u64 {
        self.frames.header.frames
    }

    fn cleaner(&self) -> &Cleaner {
        &self.frames.options.cleaner
    }

    fn take_problems(&mut self) -> Vec<Problem> {
        core::mem::take(&mut self.frames.problems)
    }
}

impl Sink for Frames {
    fn is_full(&self) -> bool {
        self.over || self.out.len() >= PORTION
    }

    fn whole(&mut self, record: Record, bytes: &[u8]) -> bool {
        if self.is_wanted(record) {
            if record.len > MAX_FRAME {
                return false;
            }
            self.write(record, bytes);
        }
        self.over |= record.index.is_some_and(|index| index.saturating_add(1) >= self.options.to);
        true
    }

    fn begin(&mut self, record: Record) {
        self.held.clear();
        if self.is_wanted(record) && record.len > MAX_FRAME {
            self.problems.push(Problem { at: record.at, kind: &LEFT_OUT, value: record.len });
        }
    }

    fn body(&mut self, bytes: &[u8], _last: bool) -> usize {
        if self.held.len() as u64 <= MAX_FRAME {
            self.held.extend_from_slice(bytes);
        }
        bytes.len()
    }

    fn finish(&mut self, record: Record) {
        let held = core::mem::take(&mut self.held);
        if self.is_wanted(record) {
            // One that is too long is there without what is in it, so that the others keep their
            // places.
            self.write(record, if record.len <= MAX_FRAME { &held } else { &[] });
        }
        self.over |= record.index.is_some_and(|index| index.saturating_add(1) >= self.options.to);
    }

    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }
}

/// Appends a message with its texts and values cleaned. What is not a message of the schema is left
/// out, because it is unknown what is in it.
fn cleaned(message: Message, bytes: &[u8], out: &mut Vec<u8>, cleaner: &mut Cleaner) {
    let mut rest = bytes;
    let take_number = |rest: &mut &[u8]| {
        let (value, len) = varint(rest).ok()?;
        *rest = rest.get(len..)?;
        Some(value)
    };
    while !rest.is_empty() {
        let before = rest;
        let Some(tag) = take_number(&mut rest) else { return };
        let kind = field(message, tag >> 3);
        let content = match tag & 7 {
            0 => take_number(&mut rest).map(|_| None),
            1 => rest.split_at_checked(8).map(|(_, after)| {
                rest = after;
                None
            }),
            2 => take_number(&mut rest).and_then(|len| {
                let (content, after) = rest.split_at_checked(usize::try_from(len).ok()?)?;
                rest = after;
                Some(Some(content))
            }),
            // 32 bits, or a group: no field of the schema has these.
            _ => return,
        };
        let Some(content) = content else { return };
        let whole = before.get(..before.len() - rest.len()).unwrap_or_default();
        let cleaned: Cow<'_, [u8]> = match (kind, content) {
            (Some(Kind::Message(sub)), Some(content)) => {
                let mut inner = Vec::with_capacity(content.len());
                cleaned(sub, content, &mut inner, cleaner);
                Cow::Owned(inner)
            }
            (Some(Kind::Bytes(slot)), Some(content)) => match cleaned_bytes(slot, content, cleaner) {
                Some(content) => content,
                None => continue,
            },
            (Some(Kind::Number(_) | Kind::Double(_)), None) | (Some(Kind::Numbers), _) => {
                out.extend_from_slice(whole);
                continue;
            }
            _ => continue,
        };
        put_varint(out, tag);
        put_varint(out, cleaned.len() as u64);
        out.extend_from_slice(&cleaned);
    }
}

/// A string of a message. `None` if it is left out.
fn cleaned_bytes<'a>(slot: Slot, content: &'a [u8], cleaner: &mut Cleaner) -> Option<Cow<'a, [u8]>> {
    Some(match slot {
        Slot::TracerVariable | Slot::TargetVariable => return cleaner.variable(content),
        // Instructions and names of registers and modes are the trace itself. The sum identifies
        // the program, not who ran it.
        Slot::RawBytes | Slot::Register | Slot::Mode | Slot::TracerVersion | Slot::TargetMd5 => Cow::Borrowed(content),
        // Values of operands, in frames and in key frames, and of taint.
        Slot::Value | Slot::Nothing => {
            let mut value = content.to_vec();
            cleaner.payload(&mut value);
            // Zeros would be values like any others. Without bytes a value is unknown, and shown
            // like that.
            if cleaner.choice(Class::Payload) == Choice::Omit {
                value.clear();
            }
            Cow::Owned(value)
        }
        _ => cleaner.bytes(content),
    })
}
