//! `unspool cut --frames`: frames that replay by themselves.

use std::fs;
use std::io::Write;
use std::path::Path;

use serde_json::json;
use unspool_graphics::Reader;
use unspool_graphics::alone::{Alone, BYTES, Kept, Window};

use crate::frame_list::{PIECES, calls_of, lost};
use crate::{Failure, TraceArgs, console, json};

/// Rows that are listed for people.
const MOST_ROWS: usize = 24;

/// What a file of frames needs.
///
/// # Errors
///
/// Returns why the frames are refused, or the error of the file.
pub(super) fn kept(trace: &TraceArgs, (first, last): (u64, u64)) -> Result<Kept, Failure> {
    let (source, index, file) = calls_of(trace)?;
    let fail = |error: String| Failure::of(&source.name, error);
    let mut reader = Reader::keeping(&index, file, BYTES).map_err(|error| fail(error.to_string()))?;
    let mut alone = Alone::new(first, last);
    let mut next = 0;
    while next < reader.pieces() && !alone.is_done() {
        let end = next.saturating_add(PIECES).min(reader.pieces());
        reader.pass(next..end, &mut alone).map_err(|error| lost(&source, error))?;
        next = end;
    }
    alone.finish().map_err(|refusal| fail(refusal.to_string()).unsupported())
}

/// Says what a file of frames has, and why.
///
/// # Errors
///
/// Returns the error of standard output.
pub(super) fn report(kept: &Kept, path: &Path, count: u64, whole: u64, is_json: bool) -> Result<(), Failure> {
    let bytes = fs::metadata(path).map_or(0, |file| file.len());
    let left_out = kept.window == Window::LeftOut;
    if is_json {
        let row = |row: &unspool_graphics::alone::Row| {
            json!({
                "what": row.what, "calls": row.calls, "draws": row.draws, "uploaded_bytes": row.uploaded,
                "first_call": row.first, "last_call": row.last,
            })
        };
        let mut out = console::data();
        json::print(
            &mut out,
            &json!({
                "output": path, "records": count, "bytes": bytes, "trace_bytes": whole,
                "frame_calls": kept.of_frames,
                "earlier_calls": kept.before[0], "earlier_calls_of_trace": kept.before[1],
                "earlier_draws": kept.draws_before[0], "earlier_draws_of_trace": kept.draws_before[1],
                "window_contents_left_out": left_out, "verified": false,
                "kept": kept.rows.iter().map(row).collect::<Vec<_>>(),
            }),
        )?;
        out.flush()?;
        return Ok(());
    }
    console::say(format_args!(
        "{} calls of the frames; {} of {} calls before them, {} of {} draws and clears; {bytes} of {whole} bytes",
        kept.of_frames, kept.before[0], kept.before[1], kept.draws_before[0], kept.draws_before[1],
    ));
    for row in kept.rows.iter().take(MOST_ROWS) {
        let uploaded = if row.uploaded > 0 { format!(", {} bytes uploaded", row.uploaded) } else { String::new() };
        console::say(format_args!("{:>8}  {}{uploaded}, from call {}", row.calls, row.what, row.first));
    }
    if let Some(rest) = kept.rows.get(MOST_ROWS..).filter(|rest| !rest.is_empty()) {
        let calls: u64 = rest.iter().map(|row| row.calls).sum();
        console::say(format_args!("{calls:>8}  {} other reasons (--json has all)", rest.len()));
    }
    if left_out {
        console::say(format_args!(
            "The frames draw over what was left in the window. After a swap that is undefined, so it is left out."
        ));
    }
    console::say(format_args!("No picture was verified: replay the file to see that it shows the same."));
    Ok(())
}
