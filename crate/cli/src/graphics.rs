//! `unspool state` of an apitrace: what the OpenGL context of a call holds.

use std::fs::File;
use std::io::{self, Write};

use unspool_engine::Session;
use unspool_graphics::state::{History, Report, Section};
use unspool_records::Unreadable;

use crate::console;
use crate::{Failure, Source, interrupt};

/// Pieces of the file that are read at once.
const PIECES: u32 = 256;

/// What is asked for.
pub(crate) struct At {
    /// The call.
    pub(crate) call: u64,
    /// The state before it, otherwise after it.
    pub(crate) is_before: bool,
    pub(crate) json: bool,
}

pub(crate) fn state(source: &Source, session: &Session, at: &At) -> Result<(), Failure> {
    let lost = |error: Unreadable| Failure::new(format!("{}: {error}", source.name));
    let file = File::open(&source.path)?;
    let opened = History::open(session.format().id, &session.index_of_numbers(), file, usize::MAX);
    let mut history = opened.map_err(|error| Failure::new(format!("{}: {error}", source.name)))?;
    let count = history.progress().count;
    if at.call >= count {
        let sentence = format!("there is no call {}: the trace has {count} calls", at.call);
        return Err(Failure { usage: true, ..Failure::new(sentence) });
    }
    while history.progress().built <= at.call && !history.build(PIECES).map_err(lost)? {
        interrupt::check()?;
    }
    let Some(report) = history.at(at.call, at.is_before).map_err(lost)? else {
        return Err(Failure::new(format!("{}: call {} cannot be read", source.name, at.call)));
    };
    let mut out = console::data_or_text(at.json);
    if at.json {
        writeln!(out, "{}", report.json())?
    } else {
        print(&mut out, &report)?
    }
    out.flush()?;
    Ok(())
}

fn print(out: &mut impl Write, report: &Report) -> io::Result<()> {
    let Report { call, name, is_before, context, .. } = report;
    writeln!(out, "{} call {call} {name}", if *is_before { "Before" } else { "After" })?;
    match context {
        Some(context) => writeln!(out, "{}: {}", context.name, context.text)?,
        None => writeln!(out, "No context is current.")?,
    }
    for Section { title, rows, .. } in &report.sections {
        writeln!(out, "\n{title}")?;
        for row in rows {
            let call = row.call.map_or(String::new(), |call| format!("  call {call}"));
            let mark = if row.is_changed { '*' } else { ' ' };
            // A matrix has several lines.
            let text = row.text.replace('\n', &format!("\n{:35}", ""));
            writeln!(out, "{mark} {:32} {text}{call}", row.name)?;
        }
    }
    for shader in &report.shaders {
        writeln!(out, "\n{}\n{}", shader.stage, shader.source.trim_end())?;
    }
    Ok(())
}
