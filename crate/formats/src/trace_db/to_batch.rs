//! The sink that turns entries into events of a batch.

use unspool_trace::batch::EventBatch;
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::limits::Limits;

use crate::pieces::Pieces;

use super::checkpoints::{Checkpoints, PointRef};
use super::decode::{Sink, VariableHeader};
use super::memory::History;
use super::point::MAX_BUFFERS;
use super::tracks::Tracks;
use super::wire::{Number, StatementId, Tables};

/// What the decoder keeps from batch to batch.
pub(super) struct State {
    pub(super) tracks: Tracks,
    pub(super) checkpoints: Checkpoints,
    pub(super) history: History,
    pub(super) pieces: Pieces,
    /// The current point.
    pub(super) point: PointRef,
    pub(super) statement: Option<StatementId>,
    pub(super) error: Option<Error>,
}

impl State {
    /// Bytes of memory of names, tracks, and where things are in the file.
    pub(super) fn kept_bytes(&self) -> u64 {
        self.tracks.kept_bytes() + self.checkpoints.bytes() + self.history.bytes() + self.pieces.bytes()
    }

    pub(super) fn new(limits: Limits) -> Self {
        Self {
            tracks: Tracks::new(limits),
            checkpoints: Checkpoints::default(),
            history: History::default(),
            pieces: Pieces::default(),
            point: PointRef { at: 0, number: 0 },
            statement: None,
            error: None,
        }
    }

    /// Adds the current point.
    ///
    /// # Errors
    ///
    /// Fails if there are too many names.
    #[inline]
    pub(super) fn point(&mut self, incomplete: bool, out: &mut EventBatch) -> Result<()> {
        let Self { tracks, checkpoints, pieces, point, statement, .. } = self;
        tracks.point(*statement, *point, checkpoints.interval(), incomplete, out)?;
        pieces.add(point.at, point.number);
        Ok(())
    }
}

/// The sink, for one batch.
pub(super) struct ToBatch<'a> {
    pub(super) state: &'a mut State,
    pub(super) tables: &'a Tables,
    pub(super) out: &'a mut EventBatch,
}

impl ToBatch<'_> {
    fn keep_error(&mut self, result: Result<()>) {
        if let Err(error) = result {
            self.state.error.get_or_insert(error);
        }
    }
}

impl Sink for ToBatch<'_> {
    #[inline]
    fn is_full(&self) -> bool {
        self.out.is_full() || self.state.error.is_some()
    }

    #[inline]
    fn begin(&mut self, at: u64) {
        self.state.point.at = at;
        self.state.checkpoints.begin(at, self.state.point.number);
        self.state.statement = None;
    }

    #[inline]
    fn statement(&mut self, id: StatementId) {
        self.state.statement = Some(id);
    }

    #[inline]
    fn number(&mut self, variable: VariableHeader, value: Number, _size: u8) {
        let State { tracks, statement, point, .. } = &mut *self.state;
        tracks.number(self.tables, *statement, variable, value, point.number, self.out);
    }

    fn buffer_size(&mut self, at: u64, address: u64, size: u64) {
        if !self.state.history.set(at, address, size) {
            return;
        }
        if self.state.history.len() > MAX_BUFFERS {
            let limit = MAX_BUFFERS as u64;
            self.keep_error(Err(Error::new(at, Cause::Limit { what: "live buffers", limit })));
        }
        let result = self.state.tracks.buffer(address, size, at, self.state.point.number, self.out);
        self.keep_error(result);
    }

    fn auxiliary(&mut self, value: u64) {
        let result = self.state.tracks.auxiliary(value, self.state.point, self.out);
        self.keep_error(result);
    }

    #[inline]
    fn end(&mut self, _next: u64) {
        let result = self.state.point(false, self.out);
        self.keep_error(result);
        self.state.point.number += 1;
    }
}
