//! Resources and findings of two apitraces.

use std::fs::File;
use std::io::{self, Write};

use serde_json::{Value, json};
use unspool_compare::drawn::Drawn;
use unspool_compare::things::{Finding, Of, Resource, Said, Thing, apart};
use unspool_graphics::Reader;
use unspool_graphics::findings::Findings;
use unspool_graphics::resources::Contents;

use crate::frame_list::{PIECES, drawn, lost};
use crate::listing::{Cell, Form, Listing, column};
use crate::{Failure, Source, interrupt};

/// What is compared of the OpenGL calls of a trace.
pub(super) struct Calls {
    pub(super) drawn: Drawn,
    pub(super) things: Things,
}

/// The resources and findings of a trace.
pub(super) struct Things {
    resources: Vec<Resource>,
    findings: Vec<Finding>,
}

/// Reads the calls of an apitrace once for all that is compared of them, and again those that give
/// resources their contents.
pub(super) fn read(source: &Source, index: &[u8]) -> Result<Calls, Failure> {
    let open = || File::open(&source.path);
    let fail = |error: &dyn std::fmt::Display| Failure::of(&source.name, error);
    let mut search = Findings::open(index, open()?).map_err(|error| fail(&error))?;
    while !search.step(PIECES).map_err(|error| lost(source, error))? {
        interrupt::check()?;
    }
    let found = search.resources();
    let mut reader = Reader::keeping(index, open()?, u64::MAX).map_err(|error| fail(&error))?;
    let held = Contents::new(found, &mut reader).held().map_err(|error| lost(source, error))?;
    let resources = found.all().iter().zip(held).map(|(it, held)| Resource {
        kind: it.kind.word().into(),
        name: it.name,
        label: it.label.clone(),
        facts: found.facts(it),
        size: it.size,
        levels: it.texture.levels.iter().map(|level| u64::from(level.level) + 1).max().unwrap_or_default(),
        uploads: it.counts.first().copied().unwrap_or_default(),
        created: it.created,
        key: held.key,
        uploaded: held.uploaded,
    });
    let resources = resources.collect();
    let findings = search.all().into_iter().map(|it| Finding {
        kind: it.kind.title().into(),
        sentence: it.sentence,
        count: it.count,
        call: it.calls.first().copied(),
    });
    let things = Things { resources, findings: findings.collect() };
    Ok(Calls { drawn: drawn(search.frames()), things })
}

/// What differs between those of A and those of B.
pub(super) fn compared(a: &Things, b: &Things) -> Vec<Thing> {
    apart([&a.resources, &b.resources], [&a.findings, &b.findings])
}

/// `resources` or `findings` of the report.
pub(super) fn report(things: &[Thing], of: Of) -> Value {
    let said = |of: &Option<Said>| of.as_ref().map(|it| json!({ "says": it.says, "call": it.call }));
    let row =
        |it: &Thing| json!({ "title": it.title, "verdict": it.verdict.word(), "a": said(&it.a), "b": said(&it.b) });
    things.iter().filter(|it| it.of == of).map(row).collect()
}

/// Prints a table of those that differ.
pub(super) fn print(out: &mut impl Write, things: &[Thing]) -> io::Result<()> {
    if things.is_empty() {
        return Ok(());
    }
    let said = |of: &Option<Said>| {
        let call = |call: u64| format!(" (call {call})");
        of.as_ref().map_or_else(String::new, |it| format!("{}{}", it.says, it.call.map_or_else(String::new, call)))
    };
    let listing = Listing::new(vec![
        column("verdict", |it: &Thing| it.verdict.word().into()).measured_by_value(),
        column("title", |it: &Thing| it.title.clone().into()).head("resource or finding").measured_by_value(),
        column("a", move |it: &Thing| Cell::from(said(&it.a))).head("in A").measured_by_value(),
        column("b", move |it: &Thing| Cell::from(said(&it.b))).head("in B").rest(),
    ])
    .with_heads();
    let listed = things.get(..super::LISTED).unwrap_or(things);
    writeln!(out)?;
    listing.print(Form::Text, &mut *out, listed)?;
    match things.len() - listed.len() {
        0 => Ok(()),
        more => writeln!(out, "{more} more; --json lists all."),
    }
}
