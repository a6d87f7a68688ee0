//! `unspool cut`: a part of a trace as a trace of its own.

mod alone;

use std::fs;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use unspool_cut::CutOptions;
use unspool_engine::{read, refusal};
use unspool_formats::begin_cut;
use unspool_formats::recognise;
use unspool_trace::Probe;

use crate::clean::CleanArgs;
use crate::console;
use crate::output::{Inputs, Output};
use crate::scope::{range, span};
use crate::{Failure, Place, Source, TraceArgs, complain, json};

/// Writes a part of a trace as a trace of its own, in the same format.
///
///     unspool cut game.trace --range 120000..140000 -o part.trace
///     unspool cut app.xray --range 0x3f5a..0x9c00 -o part.xray
///     unspool cut game.trace --frames 12 --self-contained -o frame.trace
///     unspool cut app.frames --hash paths,texts --omit environment -o clean.frames
///
/// Works for apitrace (a range of call numbers, with the signatures that they use), XRay (a range
/// of clock ticks), BAP frames and trace-db. The file may be larger than memory. In a part of an
/// XRay log, calls that are open at an edge of the range begin or end there. State from before the
/// range, such as OpenGL objects, is not included. Calls of an apitrace are counted from 0 again.
///
/// With --self-contained, frames of an apitrace are cut out so that they replay by themselves: with
/// the calls from before that made the contexts, objects and state which they use. All are original
/// calls, in their order. Nothing is replayed, so no picture is verified. Frames that cannot be cut
/// so are refused: exit status 2, and a sentence that begins with "refused". Texts that a replay
/// needs are neither hashed nor left out: sources of shaders that are used, and names of uniforms.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Cut {
    #[command(flatten)]
    trace: TraceArgs,
    /// Records at these positions, both ends included: 100..200, 100.. or ..200. Default: all.
    #[arg(long, value_parser = range)]
    range: Option<(u64, u64)>,
    /// Frames of an apitrace, from 0: one, or both ends included, 12..14.
    #[arg(long, value_parser = span, value_name = "N", conflicts_with = "range", requires = "self_contained")]
    frames: Option<(u64, u64)>,
    /// Keep what the frames need from before, so that they replay by themselves.
    #[arg(long, requires = "frames")]
    self_contained: bool,
    /// File to write; - for standard output.
    #[arg(short, long)]
    output: PathBuf,
    /// Print one JSON object about the file.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    clean: CleanArgs,
}

/// Prints for programs what a file has that was written.
///
/// # Errors
///
/// Returns the error of standard output.
pub(crate) fn written(path: &Path, noun: &'static str, count: u64) -> io::Result<()> {
    let bytes = fs::metadata(path).map_or(0, |file| file.len());
    let mut out = console::data();
    json::print(&mut out, &serde_json::json!({ "output": path, noun: count, "bytes": bytes }))?;
    out.flush()
}

pub(crate) fn run(what: &Cut) -> Result<(), Failure> {
    Output::spare_json(&what.output, what.json)?;
    Inputs::of(&what.trace, None).spare(&what.output)?;
    let mut source = Source::open(&what.trace)?;
    let name = source.name.clone();
    let refused = |why: String| Failure::of(&name, why);
    for (is_given, option) in
        [(what.trace.nest_tail_calls, "--nest-tail-calls"), (what.trace.max_memory.is_some(), "--max-memory")]
    {
        if is_given {
            complain(&name, Place::Whole, &format!("{option} has no effect: records are copied as they are."));
        }
    }
    let probe = Probe { head: &source.head, tail: &source.tail, size: source.size, name: &source.name };
    let (format, _) = recognise(&probe).ok_or_else(|| Failure::trace(&name, &refusal(probe.head, probe.size)))?;
    let kept = match what.frames {
        Some(frames) => Some(alone::kept(&what.trace, frames)?),
        None => None,
    };
    let (from, to) = match &kept {
        Some(kept) => (0, kept.end.saturating_sub(1)),
        None => what.range.unwrap_or((0, u64::MAX)),
    };
    let options = CutOptions {
        from,
        to: to.saturating_add(1),
        size: Some(source.size),
        limits: what.trace.limits(),
        cleaner: what.clean.cleaner(),
        only: kept.as_ref().map(|kept| kept.calls.clone()),
        texts: kept.as_ref().map(|kept| kept.texts.clone()).unwrap_or_default(),
    };
    let mut cut = begin_cut(&probe, options)
        .ok_or_else(|| refused(format!("A trace of this format ({}) cannot be cut.", format.name)).unsupported())?
        .map_err(|error| refused(error.to_string()))?;
    let in_file = |error: io::Error| Failure::io(what.output.display(), &error);
    let mut file = Output::create_seekable_or_stdout(&what.output).map_err(in_file)?;
    let done = read::cut(cut.as_mut(), &mut source, |bytes| file.write_all(bytes)).and_then(|end| {
        if let Some(head) = cut.head() {
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&head)?;
        }
        Ok(end)
    });
    source.bar.finish();
    for problem in cut.take_problems() {
        complain(&name, Place::At { noun: "byte", at: problem.at }, &problem.to_string());
    }
    if let Ok(Err(error)) = &done {
        complain(&name, Place::At { noun: "byte", at: error.at }, &error.cause.to_string());
    }
    if done.is_err() || cut.records() == 0 {
        done.map_err(in_file)?.map_err(|error| refused(error.to_string()))?;
        return Err(refused("There are no records in this range.".into()));
    }
    file.finish().map_err(in_file)?;
    let cleaned = what.clean.summary(cut.cleaner().found());
    let separator = if cleaned.is_empty() { "" } else { "; " };
    let (count, plural) = (cut.records(), if cut.records() == 1 { "" } else { "s" });
    console::say(format_args!("{count} record{plural}{separator}{cleaned}"));
    match (&kept, what.json) {
        (Some(kept), is_json) => alone::report(kept, &what.output, count, source.size, is_json)?,
        (None, true) => written(&what.output, "records", count)?,
        (None, false) => {}
    }
    Ok(())
}
