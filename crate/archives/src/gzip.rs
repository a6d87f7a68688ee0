//! gzip (RFC 1952) around a trace. Unlike that of apitrace's own container, its checksums are
//! checked.

use unspool_containers::{Buffer, Gzip, Unpack};

use crate::decode::Decode;
use crate::wrapped::fault;
use crate::{Fault, Why};

impl Decode for Gzip {
    fn run(&mut self, input: &[u8], out: &mut Buffer) -> Result<usize, Fault> {
        self.unpack(input, out).map_err(fault)
    }

    fn last(&mut self) {
        Unpack::last(self);
    }

    fn end(&mut self, out: &mut Buffer) -> Result<(), Fault> {
        let end = self.finish(out).map_err(fault);
        self.wrong_trailer().map_or(end, |at| Err(Fault { at, why: Why::Checksum }))
    }
}
