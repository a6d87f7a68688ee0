//! Unpacks one compressed stream.

use alloc::boxed::Box;
use alloc::vec::Vec;

use unspool_containers::{Buffer, Container, Gzip};
use unspool_trace::Limits;
use unspool_trace::limits::Expansion;

use crate::decode::Decode;
use crate::deflate::Deflate;
use crate::stored::Stored;
use crate::wrapped::Wrapped;
use crate::xz::Xz;
use crate::{Entry, Fault, Kind, Method, Why};

/// Unpacks one compressed stream: push bytes, and call [`Stream::unpack`] until it returns none.
pub struct Stream {
    decoder: Box<dyn Decode>,
    /// Bytes that were pushed and not taken.
    input: Buffer,
    out: Buffer,
    expansion: Expansion,
    /// Bytes taken of what was pushed.
    packed: u64,
    /// Bytes returned, with those in `out`.
    unpacked: u64,
    ended: bool,
    over: bool,
    fault: Option<Fault>,
}

impl Stream {
    /// A stream that begins with the next byte pushed. `None` if `kind` is an archive.
    pub fn new(kind: Kind) -> Option<Self> {
        let wrapped = |container: Container| Box::new(Wrapped::new(container.built_in()));
        let decoder: Box<dyn Decode> = match kind {
            Kind::Gzip => Box::new(Gzip::checked()),
            Kind::Zstd => wrapped(Container::Zstd),
            Kind::Xz => Box::new(Xz::new()),
            Kind::Brotli => wrapped(Container::Brotli),
            Kind::Deflate => Box::new(Deflate::new(None)),
            Kind::Zip | Kind::Tar => return None,
        };
        Some(Self::of(decoder))
    }

    /// The content of an entry of an archive. `None` if it is stored as it is without a checksum,
    /// or in a way that is not supported.
    pub fn of_entry(entry: &Entry) -> Option<Self> {
        match entry.method {
            Method::Packed(Kind::Deflate) => Some(Self::of(Box::new(Deflate::new(entry.crc.zip(entry.size))))),
            Method::Packed(kind) => Self::new(kind),
            Method::Stored => Some(Self::of(Box::new(Stored::new(entry.crc.zip(entry.size)?)))),
            Method::Encrypted | Method::Unknown(_) => None,
        }
    }

    fn of(decoder: Box<dyn Decode>) -> Self {
        let (input, out) = (Buffer::default(), Buffer::default());
        let expansion = Limits::DEFAULT.expansion;
        Self { decoder, input, out, expansion, packed: 0, unpacked: 0, ended: false, over: false, fault: None }
    }

    /// Lifts the limit of what the stream unpacks to.
    pub fn lift_limit(&mut self) {
        self.expansion = Expansion::UNLIMITED;
    }

    /// Appends bytes of the container.
    pub fn push(&mut self, bytes: &[u8]) {
        if !self.over {
            self.input.append(bytes);
        }
    }

    /// Notes that the container ends here.
    pub fn end(&mut self) {
        self.ended = true;
        self.decoder.last();
    }

    /// The next unpacked bytes. None if more must be pushed, or if the stream
    /// [is over](Stream::is_over).
    pub fn unpack(&mut self) -> &[u8] {
        self.out.consume(self.out.data().len());
        while !self.over && self.out.data().is_empty() {
            match self.decoder.run(self.input.data(), &mut self.out) {
                Ok(taken) => {
                    self.input.consume(taken);
                    self.packed += taken as u64;
                    if self.decoder.is_over() {
                        self.over = true;
                    } else if taken == 0 && self.out.data().is_empty() {
                        if !self.ended {
                            break;
                        }
                        self.over = true;
                        self.fault = self.decoder.end(&mut self.out).err();
                    }
                }
                Err(fault) => {
                    self.over = true;
                    self.fault = Some(fault);
                }
            }
        }
        self.limit();
        self.out.data()
    }

    /// Drops what exceeds the limit and ends the stream there.
    fn limit(&mut self) {
        let all = self.out.data().len() as u64;
        let within = self.expansion.admits(self.packed, self.unpacked, all);
        self.unpacked += within;
        if within < all {
            self.out.shorten((all - within) as usize);
            self.over = true;
            self.fault = Some(Fault { at: self.packed, why: Why::Expansion });
        }
    }

    /// Whether nothing more will come after what [`Stream::unpack`] returned last.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// What is wrong with the stream, once it is over.
    pub fn fault(&self) -> Option<Fault> {
        self.fault
    }
}

/// Unpacks the beginning of a stream, up to about `wanted` bytes.
pub fn peek(stream: &mut Stream, head: &[u8], wanted: usize) -> Vec<u8> {
    let mut found = Vec::new();
    stream.push(head);
    stream.end();
    while found.len() < wanted {
        match stream.unpack() {
            [] => break,
            bytes => found.extend_from_slice(bytes),
        }
    }
    found
}
