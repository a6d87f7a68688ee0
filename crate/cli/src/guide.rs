//! `unspool guide` and `unspool schema`: for those who have only the command.

use std::io::Write;

use clap::ValueEnum;

use crate::{Failure, console, json};

/// Explains which command answers which question, and what the answer means, with examples.
///
///     unspool guide            formats, questions, what all answers have in common
///     unspool guide xray       questions about one format
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Guide {
    /// Format. Default: what all have in common.
    #[arg(value_enum)]
    format: Option<Topic>,
    /// Print one JSON object with the text.
    #[arg(long)]
    json: bool,
}

/// What a page of the guide is about.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Topic {
    /// LLVM XRay logs
    Xray,
    /// apitrace traces of OpenGL and Direct3D
    Apitrace,
    /// BAP frames: instructions with the values that they read and wrote
    Frames,
    /// trace-db: values of variables at statements
    TraceDb,
    /// REVEN block databases
    Rvn,
}

impl Topic {
    fn text(self) -> &'static str {
        match self {
            Self::Xray => include_str!("../guide/xray.md"),
            Self::Apitrace => include_str!("../guide/apitrace.md"),
            Self::Frames => include_str!("../guide/frames.md"),
            Self::TraceDb => include_str!("../guide/trace-db.md"),
            Self::Rvn => include_str!("../guide/rvn.md"),
        }
    }
}

/// Prints the JSON Schema of what a command prints with --json.
///
/// Of commands that print one object per line it is the schema of a line. Without a command, lists
/// the schemas. `stderr` is the schema of a line on standard error.
#[derive(clap::Args)]
pub(crate) struct Schema {
    /// Command, or stderr.
    command: Option<String>,
    /// Print the list as a JSON object. A schema is JSON in any case.
    #[arg(long)]
    json: bool,
}

macro_rules! schemas {
    ($($name:literal),*) => {
        &[$(($name, include_str!(concat!("../schema/", $name, ".json")))),*]
    };
}

/// By name.
const SCHEMAS: &[(&str, &str)] = schemas![
    "buffer",
    "compare",
    "convert",
    "coverage",
    "cut",
    "dump",
    "find",
    "findings",
    "frame-list",
    "generate",
    "graph",
    "guide",
    "history",
    "image",
    "info",
    "loops",
    "origin",
    "query",
    "resources",
    "schema",
    "slices",
    "sql",
    "state",
    "stats",
    "stderr",
    "suspects"
];

pub(crate) fn guide(what: &Guide) -> Result<(), Failure> {
    let text = what.format.map_or(include_str!("../guide/guide.md"), Topic::text);
    let mut out = console::data_or_text(what.json);
    if what.json {
        let format = what.format.and_then(|format| format.to_possible_value());
        json::print(
            &mut out,
            &serde_json::json!({ "format": format.map(|it| it.get_name().to_string()), "text": text }),
        )?;
    } else {
        out.write_all(text.as_bytes())?;
    }
    Ok(out.flush()?)
}

pub(crate) fn schema(what: &Schema) -> Result<(), Failure> {
    let mut out = console::data();
    let names = SCHEMAS.iter().map(|(name, _)| *name);
    match &what.command {
        Some(command) => {
            let Some((_, schema)) = SCHEMAS.iter().find(|(name, _)| name == command) else {
                let names: Vec<&str> = names.collect();
                return Err(Failure::usage(format!("there is no schema {command}; there are: {}.", names.join(", "))));
            };
            out.write_all(schema.as_bytes())?;
        }
        None if what.json => {
            json::print(&mut out, &serde_json::json!({ "schemas": names.collect::<Vec<_>>() }))?;
        }
        None => {
            for name in names {
                writeln!(out, "{name}")?;
            }
        }
    }
    Ok(out.flush()?)
}
