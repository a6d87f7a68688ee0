//! `unspool generate`: realistic traces of any size, in constant memory.

#![allow(clippy::indexing_slicing, reason = "it reads nothing: threads are counted here")]

mod apitrace;
mod frames;
mod program;
pub(crate) mod rvn;
mod trace_db;
mod xray;

use std::io::{self, BufWriter};
use std::path::Path;

use clap::ValueEnum;

use crate::cut::written;
use crate::output::Output;
use crate::progress::Progress;
use crate::sqlite::NewDatabase;
use crate::{Failure, Generate, scratch};

/// The formats that can be generated.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// LLVM XRay, flight data recorder version 5; events are function records.
    Xray,
    /// apitrace version 6 in Snappy; events are calls.
    Apitrace,
    /// BAP frames of an x86-64 program, as a stream; events are instructions.
    Frames,
    /// trace-db; events are points, on one thread.
    TraceDb,
    /// REVEN block database of a 64-bit system; events are runs of blocks. Has no threads.
    Rvn,
}

/// Properties of the trace.
pub(crate) struct Options {
    pub(crate) events: u64,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    pub(crate) depth: usize,
    pub(crate) mid_stack: bool,
    pub(crate) out_of_order: bool,
}

/// Called with the number of events written.
pub(crate) type Tick<'a> = dyn FnMut(u64) + 'a;

pub(crate) fn run(what: &Generate) -> Result<(), Failure> {
    if what.json && what.output == Path::new("-") {
        return Err(Failure::usage(
            "Standard output cannot have both the trace and the JSON object. Use -o with a file.",
        ));
    }
    write(what)?;
    if what.json {
        written(&what.output, "events", what.events)?;
    }
    Ok(())
}

fn write(what: &Generate) -> Result<(), Failure> {
    if what.format != Kind::Xray && (what.mid_stack || what.out_of_order) {
        let sentence = "--mid-stack and --out-of-order apply to xray only: the other formats have no such traces";
        return Err(Failure::usage(sentence));
    }
    let (has_threads, has_depth) = match what.format {
        Kind::Xray | Kind::Frames => (true, true),
        Kind::Apitrace => (true, true),
        Kind::TraceDb => (false, false),
        Kind::Rvn => (false, true),
    };
    for (is_given, has, option) in
        [(what.threads.is_some(), has_threads, "--threads"), (what.depth.is_some(), has_depth, "--depth")]
    {
        if is_given && !has {
            return Err(Failure::usage(format!("{option} does not apply to this format: its traces have none.")));
        }
    }
    let options = Options {
        events: what.events,
        seed: what.seed,
        threads: what.threads.unwrap_or(4) as usize,
        depth: what.depth.unwrap_or(12) as usize,
        mid_stack: what.mid_stack,
        out_of_order: what.out_of_order,
    };
    let bar = Progress::new(options.events);
    let mut tick = |done: u64| {
        if done.is_multiple_of(1 << 16) {
            bar.set(done);
        }
    };
    if what.format == Kind::Rvn {
        return database(&what.output, &options, &mut tick);
    }
    let in_file = |error: io::Error| Failure::io(what.output.display(), &error);
    let mut out = BufWriter::with_capacity(1 << 20, Output::create_or_stdout(&what.output).map_err(in_file)?);
    match what.format {
        Kind::Xray => xray::write(&mut out, &options, &mut tick)?,
        Kind::Apitrace => apitrace::write(&mut out, &options, &mut tick)?,
        Kind::Frames => frames::write(&mut out, &options, &mut tick)?,
        Kind::TraceDb => trace_db::write(&mut out, &options, &mut tick)?,
        // Written above, as a database.
        Kind::Rvn => {}
    }
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.finish().map_err(in_file)
}

/// Writes a database. SQLite needs a file with a name, from which it is copied to what has none.
fn database(output: &Path, options: &Options, tick: &mut Tick<'_>) -> Result<(), Failure> {
    let mut write = |path: &Path| -> Result<(), Failure> {
        let mut sink = NewDatabase::create(path).map_err(|error| Failure::new(error.sentence))?;
        Ok(rvn::write(&mut sink, options, tick)?)
    };
    let mut file = Output::create_or_stdout(output)?;
    if let Some(path) = file.path() {
        write(path)?;
    } else {
        let made = scratch::temporary()?;
        write(made.path())?;
        io::copy(&mut made.reopen()?, &mut file)?;
    }
    Ok(file.finish()?)
}
