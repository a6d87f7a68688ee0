//! The sink that turns ENTER and LEAVE into events of a batch.

use unspool_trace::batch::EventBatch;

use super::calls::{Calls, Said};
use super::decode::Sink;
use super::functions::Uploads;
use super::label::Label;
use super::lists::ListArgs;
use super::records::{Bytes, Enter, Event, Scalar};
use super::tables::Tables;
use super::wire::StreamOffset;

/// The current event, if the state machine delivers it piece by piece.
#[derive(Default)]
pub(super) struct Current {
    pub(super) enter: Option<Enter>,
    /// Offset in the stream and call number of a LEAVE.
    leave: Option<(StreamOffset, u64)>,
    /// Bytes in blobs so far, and in texts if those are `sources`.
    pub(super) blobs: u64,
    /// [`Uploads::Texts`]
    sources: bool,
    pub(super) label: Label,
    pub(super) list: ListArgs,
}

impl Current {
    /// What the values of the call say.
    pub(super) fn said(&self) -> Said<'_> {
        Said { label: self.label.text(), list: Some(&self.list) }
    }
}

/// The sink that fills a batch.
pub(super) struct ToBatch<'a> {
    pub(super) calls: &'a mut Calls,
    pub(super) current: &'a mut Current,
    pub(super) out: &'a mut EventBatch,
    /// The file has ended: the batch takes everything that is left.
    pub(super) closing: bool,
}

impl Sink for ToBatch<'_> {
    const SKIM: bool = true;

    #[inline]
    fn is_full(&self) -> bool {
        (self.out.is_full() && !self.closing) || self.calls.error().is_some()
    }

    #[inline]
    fn wants_leave(&self, call: u64) -> bool {
        self.calls.lists.awaited(call).is_some()
    }

    fn enter(&mut self, tables: &Tables, enter: Enter) {
        let flags = tables.functions.get(enter.function).map(|function| function.flags).unwrap_or_default();
        self.current.enter = Some(enter);
        self.current.leave = None;
        self.current.blobs = 0;
        self.current.sources = flags.uploads == Uploads::Texts;
        self.current.label.begin(flags.marker.is_some());
        self.current.list.begin(flags.list);
    }

    fn leave(&mut self, _tables: &Tables, at: StreamOffset, call: u64) {
        self.current.leave = Some((at, call));
        (self.current.blobs, self.current.sources) = (0, false);
        self.current.label.begin(false);
        self.current.list.begin(self.calls.lists.awaited(call));
    }

    fn event_end(&mut self, tables: &Tables, end: StreamOffset) {
        let blobs = self.current.blobs;
        if let Some(enter) = self.current.enter.take() {
            self.calls.enter(tables, enter, end, blobs, &self.current.said(), self.out);
        } else if let Some((at, call)) = self.current.leave.take() {
            self.calls.lists.leave(Some(&self.current.list), call);
            self.calls.leave(tables, at, call, end, blobs, self.out);
        }
    }

    #[inline]
    fn whole(&mut self, tables: &Tables, event: Event, end: StreamOffset, blobs: u64) {
        match event {
            Event::Enter(enter) => self.calls.enter(tables, enter, end, blobs, &Said::default(), self.out),
            Event::Leave { at, call } => self.calls.leave(tables, at, call, end, blobs, self.out),
        }
    }

    #[inline]
    fn call(&mut self, tables: &Tables, enter: Enter, ends: (StreamOffset, StreamOffset), blobs: u64) {
        self.calls.call(tables, enter, ends, blobs, self.out);
    }

    fn argument(&mut self, _tables: &Tables, index: u32) {
        self.current.list.argument(index);
    }

    fn scalar(&mut self, _tables: &Tables, value: Scalar) {
        self.current.list.scalar(value);
    }

    fn begin_bytes(&mut self, _tables: &Tables, kind: Bytes, len: u64) {
        match kind {
            Bytes::Blob => {
                self.current.label.other();
                self.current.blobs = self.current.blobs.saturating_add(len);
            }
            Bytes::String | Bytes::Wide => {
                self.current.label.string();
                if self.current.sources {
                    self.current.blobs = self.current.blobs.saturating_add(len);
                }
            }
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.current.label.bytes(bytes);
        self.current.list.bytes(bytes);
    }

    fn unit(&mut self, unit: u32) {
        self.current.label.unit(unit);
    }
}
