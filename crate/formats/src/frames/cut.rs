//! A part of a trace: header and meta frame, some of the frames byte for byte, and a table of
//! contents as libtrace writes it.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

use unspool_cut::clean::{Choice, Class, Cleaner};
use unspool_cut::{Cut, CutOptions, PORTION};
use unspool_trace::decoder::Progress;
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::problem::{LEFT_OUT, Problem};

use super::decode::{MAX_FRAME, Record, Sink, Walk};
use super::encode::{BLOCK, table_of};
use super::message::{Holds, Kind, Message, field};
use super::wire::{Header, Wire, put_varint, take_field};

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
        problems: Vec::new(),
    };
    Ok(Box::new(FramesCut { walk, frames, begun: false }))
}

struct FramesCut {
    walk: Walk,
    frames: Frames,
    begun: bool,
}

/// The sink that writes the frames of the part.
struct Frames {
    options: CutOptions,
    /// Of the new file.
    header: Header,
    out: Vec<u8>,
    /// Bytes of the new file before `out`.
    len: u64,
    /// Where each block but the first begins in the new file.
    places: Vec<u64>,
    /// The part is over.
    over: bool,
    problems: Vec<Problem>,
}

impl Frames {
    fn is_wanted(&self, record: Record) -> bool {
        record.index.is_none_or(|index| self.options.has(index))
    }

    /// Writes a record if it is of the part.
    fn add(&mut self, record: Record, message: &[u8]) {
        if self.is_wanted(record) {
            // One that is too long is there without what is in it, so that the others keep their
            // places.
            self.write(record, if record.len <= MAX_FRAME { message } else { &[] });
        }
        self.over |= record.index.is_some_and(|index| index.saturating_add(1) >= self.options.to);
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

    fn long(&mut self, record: Record) {
        if self.is_wanted(record) {
            self.problems.push(Problem { at: record.at, kind: &LEFT_OUT, value: record.len });
        }
    }

    fn meta(&mut self, record: Record, message: &[u8]) {
        self.add(record, message);
    }

    fn frame(&mut self, record: Record, message: &[u8]) {
        self.add(record, message);
    }

    fn long_frame(&mut self, record: Record, beginning: &[u8]) {
        self.add(record, beginning);
    }

    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }
}

/// Appends a message with its texts and values cleaned. What is not a message of the schema is left
/// out, because it is unknown what is in it.
fn cleaned(message: Message, bytes: &[u8], out: &mut Vec<u8>, cleaner: &mut Cleaner) {
    let mut rest = bytes;
    loop {
        let before = rest;
        // Ends after the last field, and at the first defect.
        let Ok((number, wire)) = take_field(&mut rest, before.len() as u64) else { return };
        let whole = before.get(..before.len() - rest.len()).unwrap_or_default();
        let cleaned: Cow<'_, [u8]> = match (field(message, number), wire) {
            // No field of the schema has these.
            (_, Wire::Fixed32 | Wire::Begin | Wire::End) => return,
            (Some(Kind::Message(sub)), Wire::Bytes(content, _)) => {
                let mut inner = Vec::with_capacity(content.len());
                cleaned(sub, content, &mut inner, cleaner);
                Cow::Owned(inner)
            }
            (Some(Kind::Bytes(holds)), Wire::Bytes(content, _)) => match cleaned_bytes(holds, content, cleaner) {
                Some(content) => content,
                None => continue,
            },
            (Some(Kind::Number), Wire::Number(_) | Wire::Fixed64(_)) | (Some(Kind::Numbers), _) => {
                out.extend_from_slice(whole);
                continue;
            }
            _ => continue,
        };
        put_varint(out, number << 3 | 2);
        put_varint(out, cleaned.len() as u64);
        out.extend_from_slice(&cleaned);
    }
}

/// The bytes of a field. `None` if it is left out.
fn cleaned_bytes<'a>(holds: Holds, content: &'a [u8], cleaner: &mut Cleaner) -> Option<Cow<'a, [u8]>> {
    Some(match holds {
        Holds::Variable => return cleaner.variable(content),
        Holds::Trace => Cow::Borrowed(content),
        Holds::Value => {
            let mut value = content.to_vec();
            cleaner.payload(&mut value);
            // Zeros would be values like any others. Without bytes a value is unknown, and shown
            // like that.
            if cleaner.choice(Class::Payload) == Choice::Omit {
                value.clear();
            }
            Cow::Owned(value)
        }
        Holds::Text => cleaner.bytes(content),
    })
}
