//! The tools, and their answers: few rows, what they leave out, and what to ask next.

use clap::ValueEnum;
use serde_json::{Value, json};
use unspool_engine::Session;
use unspool_trace::{Capability, batch::flags};

use super::traces::{self, Traces, within};
use super::{fit, picture};
use crate::limit::LimitArgs;
use crate::listing::Form;
use crate::opened::Opened;
use crate::scope::{self, ScopeArgs};
use crate::{Command, Failure, NameArgs, find, stats, steps};

/// Rows of an answer, unless more are asked for.
const ROWS: u64 = 20;
/// Most rows of an answer.
const MOST_ROWS: u64 = 500;

/// The tools with the schemas of their arguments.
pub(super) fn list() -> Value {
    let path = json!({ "type": "string", "description": "Path of the trace, as given to open." });
    let limit = json!({ "type": "integer", "minimum": 1, "maximum": MOST_ROWS, "description": "Most rows." });
    let range =
        json!({ "type": "string", "description": "Part of the x axis, both ends included: 100..200, 100.. or ..200" });
    let track = json!({ "type": "string", "description": "Only this track: its name or number." });
    let at =
        json!({ "type": "integer", "minimum": 0, "description": "Position on the x axis: tick, call, step, point." });
    let tool = |name: &str, description: &str, properties: Value, required: &[&str]| {
        json!({
            "name": name,
            "description": description,
            "inputSchema": {
                "type": "object", "properties": properties, "required": required, "additionalProperties": false,
            },
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        })
    };
    json!([
        tool(
            "open",
            "Reads a trace and says what it is. It stays open for the other tools. With binaries, functions have names.",
            json!({
                "path": { "type": "string", "description": "Path of a trace below the directories of this server; archive.zip/name for a file in an archive." },
                "binaries": { "type": "array", "items": { "type": "string" }, "description": "Programs and shared libraries that ran: PATH, OBJECT=PATH or PATH@BASE." },
                "names": { "type": "string", "description": "File of names, with lines of key,name." },
            }),
            &["path"],
        ),
        tool("info", "Format, clock, tracks, counts and problems of a trace.", json!({ "path": path }), &["path"]),
        tool(
            "stats",
            "Functions by self time: count, total, self, min, median, p90, p99, max. Or by thread, or by call stack.",
            json!({
                "path": path, "by": { "enum": ["function", "thread", "stack"] }, "range": range, "track": track,
                "limit": limit,
            }),
            &["path"],
        ),
        tool(
            "find",
            "Slices and records by an expression. Terms side by side must all hold: name:gl* name:/regex/ dur>1ms start>2s \
             depth:0 thread:main arg.count>100 text:\"main\" insn:call addr:0x1000..0x2000; or, -, parentheses.",
            json!({ "path": path, "expression": { "type": "string" }, "limit": limit }),
            &["path", "expression"],
        ),
        tool(
            "sql",
            "One SELECT in SQLite. Without a statement: the tables with their columns. named_slices has name, start, dur, \
             depth, thread; records and fields have all that the trace records.",
            json!({ "path": path, "statement": { "type": "string" }, "limit": limit }),
            &["path"],
        ),
        tool(
            "compare",
            "What differs between two traces of one format: functions with verdicts, or records, or why two executions part.",
            json!({
                "a": { "type": "string", "description": "Path of the base." },
                "b": { "type": "string", "description": "Path of what is compared with it." },
                "by": { "enum": ["functions", "records", "why"] }, "limit": limit,
            }),
            &["a", "b"],
        ),
        tool(
            "details",
            "What is open at a position: on each track the slices that cover it, from the outermost.",
            json!({ "path": path, "at": at, "track": track, "limit": limit }),
            &["path", "at"],
        ),
        tool(
            "state",
            "Registers and memory before a step (BAP frames), or the OpenGL state after a call (apitrace).",
            json!({
                "path": path, "at": at,
                "memory": { "type": "string", "description": "ADDRESS+LENGTH, such as 0x7ffe10+64 (frames)." },
            }),
            &["path", "at"],
        ),
        tool(
            "picture",
            "A PNG: the timeline of the tracks, or a flame graph (width is time). A frame of an apitrace cannot be drawn here.",
            json!({
                "path": path, "kind": { "enum": ["timeline", "flame", "frame"] }, "range": range, "track": track,
            }),
            &["path", "kind"],
        ),
    ])
}

/// Whether there is a tool of this name.
pub(super) fn is_known(name: &str) -> bool {
    list().as_array().is_some_and(|tools| tools.iter().any(|tool| tool["name"] == name))
}

/// The result of a tool.
pub(super) fn call(traces: &mut Traces, name: &str, args: &Value) -> Value {
    let list = list();
    let tool = list.as_array().and_then(|tools| tools.iter().find(|tool| tool["name"] == name));
    let answer = checked(tool.unwrap_or(&Value::Null), args).and_then(|()| {
        let args = Args(args);
        within(traces.begin(), || {
            let answer = match name {
                "open" => open(traces, &args),
                "info" => info(traces, &args),
                "stats" => statistics(traces, &args),
                "find" => found(traces, &args),
                "sql" => sql(traces, &args),
                "compare" => compare(traces, &args),
                "details" => details(traces, &args),
                "state" => state(traces, &args),
                _ => return drawn(traces, &args),
            };
            Ok(json!([text(with_remark(traces, answer?))]))
        })
    });
    match answer {
        Ok(content) => json!({ "content": content, "isError": false }),
        Err(error) => failed(&error),
    }
}

/// The result of a tool that fails.
pub(super) fn failed(error: &Failure) -> Value {
    json!({ "content": [{ "type": "text", "text": fit::sentence(error.to_string()) }], "isError": true })
}

/// Has a trace be opened with the names that it had in a process that was ended, given the
/// arguments of `open`.
pub(super) fn recall(traces: &mut Traces, args: &Value) {
    let args = Args(args);
    let names = args.names(traces);
    traces.recall(args.path(), names);
}

fn text(answer: Value) -> Value {
    json!({ "type": "text", "text": fit::to_size(answer) })
}

/// Fails if an argument is missing, unknown, or not of its type.
fn checked(tool: &Value, args: &Value) -> Result<(), Failure> {
    let schema = &tool["inputSchema"];
    let Some(given) = args.as_object() else { return Err(Failure::usage("The arguments are not an object.")) };
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !given.contains_key(name) {
            return Err(Failure::usage(format!("The argument {name} is missing.")));
        }
    }
    for (name, value) in given {
        let Some(wanted) = schema["properties"].get(name) else {
            let all: Vec<&str> =
                schema["properties"].as_object().into_iter().flat_map(|all| all.keys()).map(String::as_str).collect();
            return Err(Failure::usage(format!("There is no argument {name}; there are: {}.", all.join(", "))));
        };
        let is_right = match wanted["type"].as_str() {
            Some("string") => value.is_string(),
            Some("integer") => value.as_u64().is_some_and(|number| {
                number >= wanted["minimum"].as_u64().unwrap_or(0)
                    && number <= wanted["maximum"].as_u64().unwrap_or(u64::MAX)
            }),
            Some("array") => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
            _ => wanted["enum"].as_array().is_some_and(|words| words.contains(value)),
        };
        if !is_right {
            return Err(Failure::usage(format!("The argument {name} must be as in {wanted}.")));
        }
    }
    Ok(())
}

/// Arguments that were checked.
struct Args<'a>(&'a Value);

impl Args<'_> {
    fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(Value::as_str)
    }

    fn path(&self) -> &str {
        self.text("path").unwrap_or_default()
    }

    fn number(&self, key: &str) -> Option<u64> {
        self.0.get(key).and_then(Value::as_u64)
    }

    /// The files that name functions.
    fn names(&self, traces: &Traces) -> Result<NameArgs, Failure> {
        let binaries = self.0.get("binaries").and_then(Value::as_array).into_iter().flatten();
        let binaries: Vec<String> = binaries.filter_map(Value::as_str).map(String::from).collect();
        traces.names(&binaries, self.text("names"))
    }

    fn rows(&self) -> u64 {
        self.number("limit").unwrap_or(ROWS)
    }

    fn scope(&self) -> Result<ScopeArgs, Failure> {
        let range = self.text("range").map(scope::range).transpose().map_err(Failure::usage)?;
        Ok(ScopeArgs::new(range, self.text("track").map(String::from)))
    }
}

/// Adds what an answer leaves out and what to ask next.
fn with_hints(mut answer: Value, left_out: Option<String>, next: &[&str]) -> Value {
    if let Some(fields) = answer.as_object_mut() {
        // Options of the command line do not help here.
        fields.remove("rest");
        if let Some(left_out) = left_out {
            fields.insert("left_out".into(), left_out.into());
        }
        if !next.is_empty() {
            fields.insert("next".into(), json!(next));
        }
    }
    answer
}

/// Says if an answer is about another content than those before.
fn with_remark(traces: &Traces, mut answer: Value) -> Value {
    if let Some(fields) = answer.as_object_mut().filter(|_| traces.has_changed()) {
        let remark = "The file, or one of its names, has changed since it was read. It was read again.";
        fields.insert("remark".into(), remark.into());
    }
    answer
}

/// What is said of rows that are left out.
fn left_out(answer: &Value, what: &str) -> Option<String> {
    let count = |key: &str| answer.get(key).and_then(Value::as_u64);
    let (total, listed) = (count("total")?, count("listed")?);
    (listed < total).then(|| format!("{} of {total} {what}; raise limit, or ask for less", total - listed))
}

fn is_truncated(answer: &Value) -> bool {
    answer.get("truncated").and_then(Value::as_bool).unwrap_or(false)
}

fn open(traces: &mut Traces, args: &Args<'_>) -> Result<Value, Failure> {
    let names = args.names(traces)?;
    let has_names = !names.binary.is_empty() || names.names.is_some();
    let open = traces.open(args.path(), Some(names))?;
    let mut answer = summary(open);
    let offers = open.session.info().offers;
    let has = |capability: Capability| offers.contains(&capability.word());
    let mut next = vec!["stats: which functions take the time", "sql without a statement: the tables"];
    if has(Capability::Graphics) {
        next.extend(["find name:glDraw*", "state: OpenGL at a call"]);
    } else if has(Capability::State) {
        next.push("state: registers at a step");
    } else if has(Capability::Values) {
        next.push("sql: values are in fields, with keys such as vars.i");
    }
    next.push("picture of kind timeline");
    if !has_names && open.session.info().companions.contains(&"binary") {
        next.push("open again with binaries: functions have numbers or addresses in place of names");
    }
    if let Some(fields) = answer.as_object_mut() {
        fields.remove("tracks");
    }
    Ok(with_hints(answer, Some("tracks: info lists them".into()), &next))
}

/// What a trace has.
fn summary(open: &Opened) -> Value {
    let (info, progress) = (open.session.info(), open.session.progress());
    let problems: Vec<Value> =
        progress.problems.iter().map(|it| json!({ "summary": it.summary, "serious": it.serious })).collect();
    let error = open.session.error().map(|error| error.sentence.clone());
    let tracks: Vec<Value> = open
        .session
        .store()
        .track_report()
        .iter()
        .map(
            |it| json!({ "id": it.id + 1, "name": it.name, "kind": it.kind, "slices": it.slices, "instants": it.instants }),
        )
        .collect();
    json!({
        "path": open.source.name,
        "format": info.format,
        "title": info.title,
        "clock": info.clock,
        "records": progress.events as u64,
        "slices": progress.slices as u64,
        "extent": progress.extent,
        "properties": info.properties,
        "problems": problems,
        "error": error,
        "tracks": tracks,
    })
}

fn info(traces: &mut Traces, args: &Args<'_>) -> Result<Value, Failure> {
    let mut answer = summary(traces.open(args.path(), None)?);
    let tracks = answer.get_mut("tracks").and_then(Value::as_array_mut);
    let total = tracks.as_ref().map_or(0, |tracks| tracks.len());
    if let Some(tracks) = tracks {
        tracks.truncate(ROWS as usize);
    }
    let more = total.saturating_sub(ROWS as usize);
    let left_out = (more > 0).then(|| format!("{more} of {total} tracks; select from tracks in sql"));
    Ok(with_hints(answer, left_out, &["stats", "details at a position", "picture of kind timeline"]))
}

fn statistics(traces: &mut Traces, args: &Args<'_>) -> Result<Value, Failure> {
    let Opened { source, session, .. } = traces.open(args.path(), None)?;
    let by = args.text("by").map(|by| stats::By::from_str(by, false)).transpose().map_err(Failure::usage)?;
    let by = by.unwrap_or(stats::By::Function);
    let question = args.scope()?.question(session)?;
    let mut out = Vec::new();
    let form = (Form::Json, LimitArgs::of(args.rows()));
    stats::print(&mut out, form, by, &source.name, session, &question)?;
    let answer: Value = serde_json::from_slice(&out).unwrap_or_default();
    let left_out = if by == stats::By::Thread {
        is_truncated(&answer).then(|| "functions of threads; raise limit, or name a track".into())
    } else {
        left_out(&answer, "rows")
    };
    let next: &[&str] = match by {
        stats::By::Stack => &["picture of kind flame"],
        _ => &["find name:NAME dur>MEDIAN for single calls", "stats by stack for what calls it"],
    };
    Ok(with_hints(answer, left_out, next))
}

fn found(traces: &mut Traces, args: &Args<'_>) -> Result<Value, Failure> {
    let Opened { source, session, .. } = traces.open(args.path(), None)?;
    let (mut job, beyond) = find::search_for(session, source, args.text("expression").unwrap_or_default())?;
    let mut out = Vec::new();
    let listed = find::rows(&mut out, Form::Json, LimitArgs::of(args.rows()), session, job.hits(), beyond)?;
    let hits: Vec<Value> =
        out.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let answer = json!({ "hits": hits, "total": listed.total, "listed": listed.listed });
    let left_out = left_out(&answer, "hits");
    let next: &[&str] = match listed.total {
        0 => &["name:/part/i finds parts of names", "sql: select name from names"],
        _ => &["details at the start of a hit"],
    };
    Ok(with_hints(answer, left_out, next))
}

fn sql(traces: &mut Traces, args: &Args<'_>) -> Result<Value, Failure> {
    let until = traces.until();
    let open = traces.open(args.path(), None)?;
    let Some(statement) = args.text("statement") else {
        let tables = traces::schema(open, until)?;
        let next = ["select name, count(*), sum(dur) from named_slices group by 1 order by 3 desc"];
        return Ok(with_hints(json!({ "tables": tables }), None, &next));
    };
    let (rows, is_cut) = traces::rows(open, statement, args.rows() as usize, until)?;
    let left_out = is_cut.then(|| "further rows; raise limit, aggregate, or use LIMIT and OFFSET".to_string());
    let next: &[&str] = if rows.is_empty() { &["sql without a statement: the tables"] } else { &[] };
    Ok(with_hints(json!({ "rows": rows, "truncated": is_cut }), left_out, next))
}

fn compare(traces: &mut Traces, args: &Args<'_>) -> Result<Value, Failure> {
    let mut command = vec!["compare".to_string()];
    let mut more = Vec::new();
    for side in ["a", "b"] {
        let path = traces.allowed(args.text(side).unwrap_or_default())?;
        let names = traces.names_of(&path)?;
        command.push(path.display().to_string());
        more.extend(names.into_iter().flat_map(|names| names.options(&format!("-{side}"))));
    }
    command.extend(more);
    let by = args.text("by").unwrap_or("functions");
    if by == "functions" {
        command.extend(["--limit".into(), args.rows().to_string()]);
    } else {
        command.push(format!("--{by}"));
    }
    if by == "records" {
        command.extend(["--limit".into(), args.rows().to_string()]);
    }
    command.push("--json".into());
    let mut answer = traces.ask(&command)?;
    let left_out = if by == "records" {
        is_truncated(&answer).then(|| "hunks of tracks; raise limit".into())
    } else {
        left_out(&answer, "functions")
    };
    if let Some(fields) = answer.as_object_mut() {
        for list in ["statements", "variables", "relations"] {
            if let Some(rows) = fields.get_mut(list).and_then(Value::as_array_mut) {
                rows.truncate(args.rows() as usize);
            }
        }
    }
    let next: &[&str] = match by {
        "functions" => &["compare by records for the first record that differs", "stats of either trace"],
        "why" => &["state at the step of the cause, in both"],
        _ => &["details at the record"],
    };
    Ok(with_hints(answer, left_out, next))
}

fn details(traces: &mut Traces, args: &Args<'_>) -> Result<Value, Failure> {
    let Opened { session, .. } = traces.open(args.path(), None)?;
    let at = args.number("at").unwrap_or_default();
    let scope = ScopeArgs::new(Some((at, at)), args.text("track").map(String::from));
    let question = scope.question(session)?;
    let store = session.store();
    let report = store.track_report();
    let most = args.rows() as usize;
    let (mut rows, mut total) = (Vec::new(), 0);
    for placed in store.ordered(&question.tracks, question.from, question.to) {
        let Some(track) = report.get(placed.track as usize) else { continue };
        total += 1;
        if rows.len() < most {
            rows.push(json!({
                "track": track.name, "thread": track.thread,
                "depth": i64::from(placed.depth) - i64::from(track.lowest),
                "name": store.name(store.calls().name(placed.slice.node)),
                "start": placed.slice.start, "dur": placed.slice.end - placed.slice.start,
                "flags": flags::words(placed.slice.flags).collect::<Vec<_>>(),
            }));
        }
    }
    let answer = json!({ "at": at, "slices": rows, "total": total, "listed": rows.len() });
    let left_out = left_out(&answer, "slices");
    let next: &[&str] = if has_state(session) {
        &["state at this position", "sql: select * from records where time = AT"]
    } else {
        &["sql: select key, value from fields join records on records.id = record where time = AT"]
    };
    Ok(with_hints(answer, left_out, next))
}

fn has_state(session: &Session) -> bool {
    let offers = session.info().offers;
    [Capability::Graphics, Capability::State].iter().any(|capability| offers.contains(&capability.word()))
}

/// Parameters of OpenGL that are listed.
const MOST_PARAMETERS: usize = 60;

fn state(traces: &mut Traces, args: &Args<'_>) -> Result<Value, Failure> {
    let open = traces.open(args.path(), None)?;
    if !has_state(&open.session) {
        let sentence = "This format does not say what registers, memory or contexts hold. details and sql tell more.";
        return Err(Failure::usage(sentence));
    }
    let is_graphics = open.session.info().offers.contains(&Capability::Graphics.word());
    let memory = args.text("memory").map(steps::memory).transpose().map_err(Failure::usage)?;
    let at = args.number("at").unwrap_or_default();
    let printed = open.carry_out(&Command::State(steps::State::json(&open.source.path, at, memory)))?;
    let answer: Value = serde_json::from_slice(&printed.text).unwrap_or_default();
    if !is_graphics {
        return Ok(with_hints(answer, None, &["find reg.written:NAME or mem.written:ADDRESS for who wrote it"]));
    }
    // As `apitrace replay -D`: hundreds of parameters.
    let all = answer.get("parameters").and_then(Value::as_object).cloned().unwrap_or_default();
    let total = all.len();
    let parameters: serde_json::Map<String, Value> = all.into_iter().take(MOST_PARAMETERS).collect();
    let left_out = (total > parameters.len()).then(|| format!("{} of {total} parameters", total - parameters.len()));
    let short = json!({
        "call": answer.get("call"), "parameters": parameters, "uniforms": answer.get("uniforms"),
        "shaders": answer.get("shaders"), "textures": answer.get("textures"),
    });
    Ok(with_hints(short, left_out, &["find frame:N name:glDraw* for the draws of a frame"]))
}

fn drawn(traces: &mut Traces, args: &Args<'_>) -> Result<Value, Failure> {
    let Opened { session, .. } = traces.open(args.path(), None)?;
    let kind = args.text("kind").unwrap_or_default();
    if kind == "frame" {
        return Err(Failure::usage(
            "A frame cannot be drawn here: only the page replays OpenGL. state has what is bound at a call, find \
             name:glDraw* the draws, and picture of kind timeline when they happen.",
        ));
    }
    let question = args.scope()?.question(session)?;
    let drawn =
        if kind == "flame" { picture::flame(session, &question) } else { picture::timeline(session, &question) };
    let picture::Drawn { png, says } = drawn.map_err(|error| Failure::new(error.to_string()))?;
    Ok(
        json!([{ "type": "image", "data": picture::base64(&png), "mimeType": "image/png" }, text(with_remark(traces, says))]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_checked() {
        let list = list();
        let tool = list.as_array().unwrap().iter().find(|tool| tool["name"] == "stats").unwrap();
        let wrong = |args: Value| checked(tool, &args).unwrap_err().to_string();
        assert!(checked(tool, &json!({ "path": "a", "by": "stack", "limit": 3 })).is_ok());
        assert!(wrong(json!({})).contains("path is missing"));
        assert!(wrong(json!({ "path": "a", "surprise": 1 })).contains("no argument surprise"));
        assert!(wrong(json!({ "path": "a", "limit": 0 })).contains("limit must be"));
        assert!(wrong(json!({ "path": 1 })).contains("path must be"));
        assert!(wrong(json!({ "path": "a", "by": "moon" })).contains("by must be"));
        assert!(wrong(json!([])).contains("not an object"));
    }
}
