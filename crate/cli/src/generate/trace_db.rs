//! trace-db traces of any size: variables of a program at its statements.

use std::io::{self, Write};

use unspool_formats::trace_db::encode::Writer;
use unspool_formats::trace_db::wire::{Layout, Number, StatementId, Tables, Type};

use super::program::Dice;
use super::{Options, Tick};

const NAMES: [&[u8]; 10] =
    [b"int", b"unsigned long int", b"double", b"*int", b"i", b"sum", b"mean", b"count", b"values", b"buffer"];
const INT: u32 = 0;
const ULONG: u32 = 1;
const DOUBLE: u32 = 2;
const POINTER: u32 = 3;
/// Size of one write, in bytes.
const PORTION: usize = 1 << 20;

/// Writes `options.events` points of statements of three files.
pub(super) fn write(out: &mut dyn Write, options: &Options, tick: &mut Tick<'_>) -> io::Result<()> {
    let types = [(1, 4), (0, 8), (2, 8), (3, 8)];
    let types = (0..).zip(types).map(|(name, (format, size))| Type { name, format, size });
    let mut trace = Writer::new(Layout::Wide, Tables::new(NAMES, types));
    let mut dice = Dice::new(options.seed);
    let (mut sum, mut count) = (0i64, 0u64);
    let mut buffers: Vec<u64> = Vec::new();
    for i in 0..options.events {
        let file = i / 4096 % 3;
        trace.statement(StatementId::in_file(file as u32, 1 + i % 97));
        if dice.one_in(500) && buffers.len() < 64 {
            let address = 0x6000_0000_0000 + dice.below(1 << 20) * 64;
            let size = 64 << dice.below(8);
            trace.buffer_size(address, size);
            buffers.push(address);
        } else if dice.one_in(500)
            && let Some(address) = buffers.pop()
        {
            trace.buffer_size(address, 0);
        }
        let step = dice.below(200) as i64 - 100;
        sum += step;
        count += 1;
        trace.number(4, INT, Number::Signed((i % 97) as i64 - 48));
        trace.number(5, INT, Number::Signed(sum % (1 << 31)));
        if i % 2 == 0 {
            trace.number(7, ULONG, Number::Unsigned(count));
            trace.number(6, DOUBLE, Number::Float(sum as f64 / count as f64));
        }
        if let Some(address) = buffers.last() {
            trace.number(8, POINTER, Number::Pointer(*address));
        }
        trace.end();
        if trace.len() >= PORTION {
            out.write_all(&trace.take())?;
        }
        tick(i);
    }
    out.write_all(&trace.take())
}
