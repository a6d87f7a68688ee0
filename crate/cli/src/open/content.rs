//! Bodies of answers: bytes, a part of a file, and a signal that lasts as long as the tab.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::sync::watch;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Interval, MissedTickBehavior, interval};

/// Bytes that are read at once. Two portions of each connection are in memory.
const PORTION: u64 = 256 << 10;
/// How often a tab hears that the server is there. The server notices by it that a computer at the
/// other end of a tunnel is not.
const BEAT: Duration = Duration::from_secs(3);

/// The body of an answer.
pub(super) enum Content {
    /// `None` once it is written.
    Bytes(Option<Bytes>),
    Part(Part),
    Beats(Beats),
}

impl Content {
    pub(super) fn empty() -> Self {
        Self::Bytes(None)
    }
}

impl From<Bytes> for Content {
    fn from(bytes: Bytes) -> Self {
        Self::Bytes(Some(bytes))
    }
}

impl Body for Content {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match self.get_mut() {
            Self::Bytes(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Self::Part(part) => part.poll(cx).map(|bytes| bytes.map(|bytes| bytes.map(Frame::data))),
            Self::Beats(beats) => beats.0.poll_tick(cx).map(|_| Some(Ok(Frame::data(Bytes::from_static(b"\n"))))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Bytes(bytes) => bytes.is_none(),
            Self::Part(part) => part.left == 0,
            Self::Beats(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Bytes(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Self::Part(part) => SizeHint::with_exact(part.left),
            Self::Beats(_) => SizeHint::default(),
        }
    }
}

/// A part of a file. It is read on another thread, a portion ahead, so that a slow disk holds up no
/// other answer.
pub(super) struct Part {
    /// Bytes that are not written yet.
    left: u64,
    /// Bytes that no read was begun for.
    unread: u64,
    reading: Option<JoinHandle<Portion>>,
}

/// The file behind a portion, and its bytes.
type Portion = io::Result<(File, Vec<u8>)>;

impl Part {
    /// The bytes of a file from `at` on.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub(super) fn new(mut file: File, at: u64, length: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(at))?;
        let mut part = Self { left: length, unread: length, reading: None };
        part.begin(file);
        Ok(part)
    }

    fn begin(&mut self, mut file: File) {
        let length = self.unread.min(PORTION);
        if length == 0 {
            return;
        }
        self.unread -= length;
        self.reading = Some(spawn_blocking(move || {
            let mut bytes = Vec::new();
            file.by_ref().take(length).read_to_end(&mut bytes)?;
            Ok((file, bytes))
        }));
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        let Some(reading) = &mut self.reading else { return Poll::Ready(None) };
        let read = ready!(Pin::new(reading).poll(cx));
        self.reading = None;
        let (file, bytes) = match read.map_err(io::Error::other).and_then(|read| read) {
            Ok(read) => read,
            Err(error) => return Poll::Ready(Some(Err(error))),
        };
        if bytes.len() as u64 != self.left.min(PORTION) {
            // The answer breaks off: what follows is no longer in the file.
            return Poll::Ready(Some(Err(io::ErrorKind::UnexpectedEof.into())));
        }
        self.left -= bytes.len() as u64;
        self.begin(file);
        Poll::Ready(Some(Ok(bytes.into())))
    }
}

/// A byte now and then, for as long as a tab is open.
pub(super) struct Beats(Interval, #[allow(dead_code, reason = "its end counts")] Tab);

impl Beats {
    /// Counts as a tab until it is dropped.
    pub(super) fn new(tabs: &watch::Sender<usize>) -> Self {
        let mut beats = interval(BEAT);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        tabs.send_modify(|open| *open += 1);
        Self(beats, Tab(tabs.clone()))
    }
}

struct Tab(watch::Sender<usize>);

impl Drop for Tab {
    fn drop(&mut self) {
        self.0.send_modify(|open| *open = open.saturating_sub(1));
    }
}
