//! Files in memory, read as a whole.

use unspool_trace::decoder::Want;
use unspool_trace::sniff::{Format, OpenOptions};
use unspool_trace::steps::{Accesses, StepVisitor};
use unspool_trace::{EventBatch, Pass, Result, Visitor};

use crate::drive;

/// Drives a pass over a file in memory, in portions of at least `portion` bytes.
///
/// # Errors
///
/// The pass's own.
pub fn read_all(pass: &mut dyn Pass, file: &[u8], portion: usize, visitor: &mut dyn Visitor) -> Result<()> {
    match drive::over(&mut (&mut *pass, &mut *visitor), file, portion)? {
        Some(rest) => pass.end(rest, visitor),
        None => Ok(()),
    }
}

/// The index that the decoder of a format makes of a file in memory, as far as that can be decoded.
/// `None` for a database, and for a file that is not of the format.
pub fn index_of(format: &Format, file: &[u8]) -> Option<Vec<u8>> {
    let options = OpenOptions { size: Some(file.len() as u64), ..OpenOptions::default() };
    let mut decoder = (format.open)(file, options).ok()?.stream()?;
    let mut batch = EventBatch::with_capacity(4096);
    let mut at = 0;
    loop {
        let want = decoder.want();
        match want {
            Want::Next => {}
            Want::Seek { at: wanted, .. } => at = usize::try_from(wanted).ok()?,
            Want::Nothing => break,
        }
        batch.clear();
        let Ok(progress) = decoder.push(file.get(at..)?, &mut batch) else { break };
        at += progress.used;
        if progress.used == 0 && !batch.is_full() && decoder.want() == want {
            // Whether the file is complete does not matter for what was decoded.
            let _ = decoder.end(file.get(at..)?, &mut batch);
            break;
        }
    }
    Some(decoder.index())
}

/// Drives a pass over a file in memory, in portions of at least `portion` bytes, as far as the file
/// has what it wants and it can be decoded.
pub fn read_steps(pass: &mut dyn Pass<Accesses>, file: &[u8], portion: usize, visitor: &mut dyn StepVisitor) {
    // What was decoded for the timeline can be decoded again.
    let _ = drive::over(&mut (pass, visitor), file, portion);
}
