//! The details of a call or a frame, decoded again.
//!
//! The ENTER and LEAVE events of a call may be far apart, and a blob of many MiB may separate two
//! arguments. The stream is therefore read in small steps, and blobs are skipped. The caller
//! supplies missing bytes of the file, one range at a time.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use unspool_trace::decoder::Range;
use unspool_trace::details::{Field, RecordDetails, Value};
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::figures::counted;
use unspool_trace::locator::Locator;

use super::Located;
use super::calls::FrameFacts;
use super::decode::Walk;
use super::describe::Collect;
use super::functions::ListRole;
use super::index::ApitraceRecords;
use super::lists::Rendered;
use super::random_access::{Missing, Reader};
use super::tables::Frozen;
use super::wire::StreamOffset;

/// A string or blob with more bytes left than this is skipped once its visible part has been
/// decoded.
const JUMP: u64 = 64 * 1024;

/// A call, as far as the bytes allow.
struct Read {
    call: Collect,
    leave: Option<StreamOffset>,
    missing: Option<Missing>,
    /// Bytes of the stream decoded for it.
    #[cfg(test)]
    decoded: u64,
}

impl ApitraceRecords {
    pub(super) fn range_of(&self, locator: Locator) -> Option<Range> {
        match locator.into() {
            Located::Frame(_) => Some(Range { at: 0, len: 0 }),
            Located::Call(at) => self.index.access.range(at),
        }
    }

    pub(super) fn next_range_of(&self, locator: Locator, bytes: &[u8]) -> Option<Range> {
        let Located::Call(at) = locator.into() else { return None };
        match self.read(at, bytes)?.missing? {
            Missing::Bytes(range) => Some(range),
            Missing::End | Missing::NotKept => None,
        }
    }

    pub(super) fn details_of(&self, locator: Locator, bytes: &[u8]) -> Result<RecordDetails> {
        let at = match locator.into() {
            Located::Frame(number) => return self.frame_details(number),
            Located::Call(at) => at,
        };
        let gone = Error::new(at.0, Cause::Gone("the call was not found; the file may have changed"));
        let read = self.read(at, bytes).ok_or(gone)?;
        if read.missing == Some(Missing::NotKept) && read.call.enter.is_none() {
            let why = "the details of this call are unavailable: the container has no random access, and the trace is \
                       too large to keep in memory (convert it with apitrace repack)";
            return Err(Error::new(at.0, Cause::Unavailable(why)));
        }
        self.describe(at, read).ok_or(gone)
    }

    #[cfg(test)]
    pub(super) fn decoded(&self, locator: Locator, bytes: &[u8]) -> u64 {
        self.read(StreamOffset(locator.position()), bytes).map_or(0, |read| read.decoded)
    }

    /// Reads the call whose ENTER event is at `enter`, as far as the bytes allow.
    fn read(&self, enter: StreamOffset, bytes: &[u8]) -> Option<Read> {
        let mut reader = Reader::new(&self.index.access, bytes);
        let mut call = Collect::new(usize::try_from(self.index.payload).unwrap_or(usize::MAX));
        let mut leave = None;
        let mut missing = self.read_event(&mut reader, enter, &mut call).err();
        if missing.is_none()
            && self.open_at(enter).is_none()
            && let Some(end) = call.end.take()
        {
            let at = self.far_leave(enter).unwrap_or(end);
            leave = Some(at);
            missing = self.read_event(&mut reader, at, &mut call).err();
        }
        Some(Read {
            call,
            leave,
            missing,
            #[cfg(test)]
            decoded: reader.decoded,
        })
    }

    fn read_event(&self, reader: &mut Reader<'_>, at: StreamOffset, call: &mut Collect) -> Result<(), Missing> {
        let mut walk = Walk::resume(self.index.header.clone().into_owned(), at, 0);
        let mut tables = Frozen(&self.index.tables);
        let mut bytes: Vec<u8> = Vec::new();
        reader.seek(at);
        while call.end.is_none() {
            bytes.extend_from_slice(reader.next()?);
            let used = walk.run(&bytes, &mut tables, call).map_err(|_| Missing::End)?;
            bytes.drain(..used);
            if walk.bytes_left() > JUMP && call.has_enough() {
                walk.jump();
                reader.seek(walk.at());
                bytes.clear();
            }
        }
        Ok(())
    }

    fn describe(&self, at: StreamOffset, read: Read) -> Option<RecordDetails> {
        let Read { call, leave, missing, .. } = read;
        let enter = call.enter?;
        let function = self.index.tables.functions.get(enter.function)?;
        let mut details = RecordDetails { offset: Some(at.0), ..RecordDetails::default() };
        let mut add = |name, value| details.fields.push(Field::new(name, value));
        let open = self.open_at(at);
        if let Some(number) = call.left.or(open) {
            add("Call", Value::U64(number));
        }
        add("Thread", Value::U64(enter.thread));
        let frame = leave.map_or(self.index.frames.len(), |leave| self.frame_of(leave));
        add("Frame", Value::U64(frame as u64));
        let count = function.args.len().max(call.arguments.len());
        let mut values = call.arguments.into_iter();
        let arguments: Vec<Field> = (0..count)
            .map(|i| {
                let name = match function.args.get(i) {
                    Some(name) if !name.is_empty() => Cow::Owned(name.into()),
                    _ => Cow::Owned(format!("argument {i}")),
                };
                // apitrace, too, prints a question mark for an argument that was not recorded.
                let value = values.next().flatten().unwrap_or_else(|| Value::Text("?".into()));
                Field { name, value }
            })
            .collect();
        if !arguments.is_empty() {
            add("Arguments", Value::Tree(arguments));
        }
        if let Some(result) = call.result {
            add("Return value", result);
        }
        if !call.backtrace.is_empty() {
            add("Backtrace", Value::List(call.backtrace.into_iter().map(Value::Text).collect()));
        }
        let mut remark = |text: &str| details.remarks.push(text.to_string());
        if call.fake {
            remark("The program did not make this call. The tracer added it for a faithful replay.");
        }
        let number = call.left.or(open).unwrap_or_default();
        let is_of_commands = function.flags.list.is_some_and(ListRole::is_of_commands);
        match self.rendered(function.flags, enter.thread, number) {
            Rendered::Compiled if is_of_commands => remark("The call was recorded in a command list, not executed."),
            Rendered::Compiled => remark("The call was compiled into a display list, not executed."),
            Rendered::Executes { draws, clears } => {
                let (draws, clears) = (counted(draws.into(), "draw"), counted(clears.into(), "clear"));
                remark(&format!("Executes {draws} and {clears}."));
            }
            Rendered::Nothing if function.flags.list == Some(ListRole::Execute) => {
                remark("The draws and clears of the command list are not known.");
            }
            Rendered::Nothing | Rendered::Draws | Rendered::Clears => {}
        }
        if open.is_some() {
            remark("The call never returned within the trace.");
        }
        if call.dropped > 0 {
            details.remarks.push(format!("{} more values are not shown.", call.dropped));
        }
        let mut remark = |text: &str| details.remarks.push(text.to_string());
        if call.shortened {
            remark("A string is only partly shown.");
        }
        match missing {
            None => {}
            Some(Missing::Bytes(_)) => remark("The end of the call is elsewhere in the file and was not read."),
            Some(Missing::End) => remark("The trace ends or is damaged within this call."),
            Some(Missing::NotKept) => remark("The rest of the call is beyond the part of the stream that was kept."),
        }
        Some(details)
    }

    fn frame_details(&self, number: u64) -> Result<RecordDetails> {
        let last = self.index.frames.len() as u64;
        let facts = match number {
            n if n == last => Some(self.index.last_frame),
            n => usize::try_from(n).ok().and_then(|n| self.index.frames.get(n)).copied(),
        };
        let missing = Error::new(0, Cause::Misuse("there is no such frame"));
        let FrameFacts { from, to, calls, draws, uploaded, .. } = facts.ok_or(missing)?;
        let mut details = RecordDetails::default();
        let mut add = |name, value| details.fields.push(Field::new(name, Value::U64(value)));
        add("Frame", number);
        add("First call", from);
        if to > from {
            add("Last call", to - 1);
        }
        add("Calls", calls);
        add("Draw calls", draws);
        add("Uploaded bytes", uploaded);
        if number == last {
            details.remarks.push("No swap ends this frame: it holds the calls after the last swap.".to_string());
        }
        Ok(details)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use unspool_trace::Decoder;
    use unspool_trace::batch::{EventBatch, EventKind};
    use unspool_trace::sniff::OpenOptions;

    use super::super::beginning::Beginning;
    use super::super::encode::{Value as Arg, Writer};
    use super::super::events::ApitraceDecoder;
    use super::super::traces::{DATA, GOOD};
    use super::*;

    #[test]
    fn a_click_decodes_one_chunk_or_two_around_a_blob() {
        let mut w = Writer::new(&[]);
        let blob: Vec<u8> = (0..12u32 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for i in 0..40_000 {
            w.call(0, &GOOD, vec![Arg::Uint(i)], None);
        }
        let args = vec![Arg::Null, Arg::Uint(1), Arg::Blob(&blob), Arg::Text(b"usage")];
        w.call(0, &DATA, args, Some(Arg::Uint(3)));
        w.call(0, &GOOD, vec![Arg::Text(b"last")], None);
        let file = w.finish();
        let mut decoder = ApitraceDecoder::new(Beginning::of(&file[..65536]), OpenOptions::default());
        let mut batch = EventBatch::with_capacity(1 << 20);
        assert_eq!(decoder.push(&file, &mut batch).unwrap().used, file.len());
        decoder.end(&[], &mut batch).unwrap();
        let begins: Vec<Locator> = (0..batch.len())
            .filter(|i| batch.kinds[*i] == EventKind::Begin && batch.tracks[*i] == 3)
            .map(|i| batch.locators[i])
            .collect();
        let records = ApitraceRecords::open(&decoder.index()).unwrap();
        let cut = |range: Range| &file[range.at as usize..(range.at + range.len).min(file.len() as u64) as usize];
        for (i, chunks) in [(0, 1), (20_000, 1), (39_999, 1), (40_000, 2), (40_001, 1)] {
            let range = records.range_of(begins[i]).unwrap();
            assert!(range.len <= (1 << 20) + (1 << 18));
            let mut bytes = cut(range).to_vec();
            while let Some(range) = records.next_range_of(begins[i], &bytes) {
                bytes.extend_from_slice(cut(range));
            }
            let decoded = records.decoded(begins[i], &bytes);
            assert!(decoded <= chunks * ((1 << 20) + 64 * 1024), "{decoded} bytes decoded for call {i}");
        }
    }
}
