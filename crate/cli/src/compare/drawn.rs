//! What the OpenGL calls of two traces add up to.

use std::io::{self, Write};

use serde_json::{Map, Value, json};
use unspool_compare::drawn::{Drawn, DrawnFigure, figures};
use unspool_compare::sentence::grouped;
use unspool_compare::things::{Of, Thing};

use super::things;
use crate::listing::{Cell, Form, Listing, column};

/// `graphics` of the report: frames, each figure with its mean of a frame, and the resources and
/// findings that differ.
pub(super) fn report([a, b]: [&Drawn; 2], things: &[Thing]) -> Value {
    let mut all: Map<String, Value> = Map::new();
    all.insert("frames".into(), json!({ "a": a.frames, "b": b.frames }));
    for it in figures([a, b]) {
        let [in_a, in_b] = it.of;
        let mean = |number: u64, frames: u64| (frames > 0).then(|| number as f64 / frames as f64);
        let change = i64::try_from(i128::from(in_b) - i128::from(in_a)).unwrap_or(i64::MAX);
        let means = (mean(in_a, a.frames), mean(in_b, b.frames));
        let of = json!({
            "a": in_a, "b": in_b, "change": change, "per_frame_a": means.0, "per_frame_b": means.1,
        });
        all.insert(it.key.into(), of);
    }
    for (key, of) in [("resources", Of::Resource), ("findings", Of::Finding)] {
        all.insert(key.into(), things::report(things, of));
    }
    Value::Object(all)
}

/// Prints a table of the figures.
pub(super) fn print(out: &mut impl Write, [a, b]: [&Drawn; 2]) -> io::Result<()> {
    let frames = [a.frames, b.frames];
    let change = |it: &DrawnFigure| match it.of {
        [a, b] if a < b => format!("+{}", it.amount(b - a)),
        [a, b] if a > b => format!("−{}", it.amount(a - b)),
        _ => grouped(0),
    };
    let mean = move |side: usize| move |it: &DrawnFigure| it.per_frame(side, frames.get(side).copied().unwrap_or(0));
    let listing = Listing::new(vec![
        column("title", |it: &DrawnFigure| it.title.into()).head("").measured_by_value(),
        column("change", |_: &DrawnFigure| Cell::Null).shown(change).measured(),
        column("a", |_: &DrawnFigure| Cell::Null).shown(|it| it.amount(it.of[0])).head("in A").measured(),
        column("b", |_: &DrawnFigure| Cell::Null).shown(|it| it.amount(it.of[1])).head("in B").measured(),
        column("per_frame_a", |_: &DrawnFigure| Cell::Null).shown(mean(0)).head("a frame in A").measured(),
        column("per_frame_b", |_: &DrawnFigure| Cell::Null).shown(mean(1)).head("a frame in B").measured(),
    ])
    .with_heads();
    writeln!(out)?;
    listing.print(Form::Text, out, &figures([a, b]))
}
