//! How one portion of decoding ended, for streams and databases alike.

/// The outcome of one portion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Something was decoded or fetched; there may be more to do.
    Progressed,
    /// Bytes are needed.
    Starved,
    /// Everything is decoded.
    Finished,
}
