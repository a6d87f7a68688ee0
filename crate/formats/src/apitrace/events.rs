//! The decoder: drives a stream and reports its problems.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use unspool_containers::Container;
use unspool_trace::batch::EventBatch;
use unspool_trace::decoder::{Decoder, Progress, Want};
use unspool_trace::error::{Error, Result};
use unspool_trace::info::{Capability, Clock, Column, Info, Shows};
use unspool_trace::problem::{Problem, TRUNCATED};
use unspool_trace::sniff::OpenOptions;

use super::FORMAT;
use super::beginning::{Beginning, unsupported};
use super::calls::Calls;
use super::decode::Cut;
use super::problems::CUT_CALL;
use super::random_access::RandomAccess;
use super::stream::Stream;
use super::to_batch::{Current, ToBatch};
use super::wire::{Header, StreamOffset, text_of};

/// Decodes traces of all versions into events.
pub(crate) struct ApitraceDecoder {
    pub(super) container: Container,
    pub(super) stream: Stream,
    pub(super) calls: Calls,
    pub(super) options: OpenOptions,
    /// The header as found in the head of the file.
    header: Header,
    /// The head of the file has some of the stream.
    begins: bool,
    api: Option<&'static str>,
    current: Current,
    finished: bool,
    failed: Option<Error>,
}

/// The columns of the list of records.
pub(super) const COLUMNS: &[Column] = &[
    Column { label: "Call", shows: Shows::Position },
    Column { label: "Frame", shows: Shows::Field("frame") },
    Column { label: "Thread", shows: Shows::Thread },
    Column { label: "Function", shows: Shows::Name },
    Column { label: "Arguments", shows: Shows::Field("args") },
    Column { label: "Result", shows: Shows::Field("ret") },
    Column { label: "Flags", shows: Shows::Field("flags") },
];

impl ApitraceDecoder {
    pub(super) fn new(beginning: Beginning, options: OpenOptions) -> Self {
        let container = beginning.container;
        let access = RandomAccess::new(container, &options.limits);
        Self {
            container,
            stream: Stream::new(container, &options.limits, Some(access)),
            calls: Calls::new(options.limits),
            options,
            header: beginning.walk.header().clone(),
            begins: beginning.len > 0,
            api: api(&beginning),
            current: Current::default(),
            finished: false,
            failed: None,
        }
    }

    /// The stream's header once it is complete; before, that from the head of the file.
    pub(super) fn header(&self) -> &Header {
        if self.stream.walk.has_header() { self.stream.walk.header() } else { &self.header }
    }

    fn check(&mut self) -> Result<()> {
        if let Some(error) = self.calls.error() {
            self.failed.get_or_insert(error);
        }
        if self.stream.broken().is_some_and(|b| b.version) {
            self.failed.get_or_insert(unsupported(self.stream.walk.header().version));
        }
        self.failed.map_or(Ok(()), Err)
    }

    fn report_misnested(&mut self, out: &mut EventBatch) {
        for it in self.calls.misnested.drain(..) {
            let at = self.stream.file_offset(it.at);
            out.problems.push(Problem { at, kind: it.kind, value: it.value });
        }
    }

    /// The stream has ended or cannot continue: delivers what is left, and reports problems.
    fn finish(&mut self, out: &mut EventBatch) {
        if core::mem::replace(&mut self.finished, true) {
            return;
        }
        let cut = self.stream.cut();
        if let Some(enter) = self.current.enter.take() {
            // A call with a truncated ENTER event has at least a name.
            let (end, said) = (StreamOffset(self.stream.len()), self.current.said());
            self.calls.enter(&self.stream.tables, enter, end, self.current.blobs, &said, out);
        }
        self.calls.finish(&self.stream.tables, StreamOffset(self.stream.len()), out);
        let at = self.stream.file_at();
        match cut {
            Cut::Nothing => {}
            Cut::Header if self.stream.len() == 0 => {}
            Cut::Header | Cut::Number { .. } => out.problems.push(Problem { at, kind: &TRUNCATED, value: 0 }),
            Cut::Enter => {
                let value = self.stream.walk.calls().saturating_sub(1);
                out.problems.push(Problem { at, kind: &CUT_CALL, value });
            }
            Cut::Leave { call } => out.problems.push(Problem { at, kind: &CUT_CALL, value: call }),
        }
        out.problems.extend(self.stream.malformed(self.options.size));
        out.problems.extend(self.stream.take_problem(self.options.size));
    }
}

impl Decoder for ApitraceDecoder {
    fn info(&self) -> Info {
        let header = self.header();
        let mut properties: Vec<(&'static str, String)> = Vec::new();
        if let Some(api) = self.api {
            properties.push(("API", api.into()));
        }
        if header.semantic_version != header.version {
            properties.push(("Semantic version", header.semantic_version.to_string()));
        }
        for (name, value) in &header.properties {
            let name = text_of(name);
            properties.push(match name.as_str() {
                "process.name" => ("Process", text_of(value)),
                "process.commandLine" => ("Command line", text_of(value)),
                _ => ("Property", format!("{name} = {}", text_of(value))),
            });
        }
        Info {
            format: &FORMAT,
            // A trace that was never flushed has not even a version. Others have it from the first,
            // before anything is pushed.
            title: if self.begins || self.stream.len() > 0 {
                format!("apitrace {}", header.version)
            } else {
                "apitrace".into()
            },
            version: header.version.to_string(),
            container: Some(self.container.name()),
            clock: Clock::Ordinal { unit: "call" },
            offers: &[Capability::CallStacks, Capability::Graphics, Capability::Stretches],
            properties,
        }
    }

    fn push(&mut self, input: &[u8], out: &mut EventBatch) -> Result<Progress> {
        self.check()?;
        if self.stream.is_over() {
            return Ok(Progress { used: input.len() });
        }
        let mut sink = ToBatch { calls: &mut self.calls, current: &mut self.current, out, closing: false };
        let fed = self.stream.feed(input, &mut sink);
        self.report_misnested(out);
        self.check()?;
        if self.stream.is_over() {
            self.finish(out);
        } else if fed.more {
            out.pause();
        }
        Ok(Progress { used: fed.used })
    }

    fn end(&mut self, rest: &[u8], out: &mut EventBatch) -> Result<()> {
        self.check()?;
        let mut sink = ToBatch { calls: &mut self.calls, current: &mut self.current, out, closing: true };
        self.stream.end(rest, &mut sink);
        self.report_misnested(out);
        self.check()?;
        self.finish(out);
        Ok(())
    }

    fn want(&self) -> Want {
        if self.finished { Want::Nothing } else { Want::Next }
    }

    fn kept_bytes(&self) -> u64 {
        self.calls.kept_bytes() + self.stream.tables.kept_bytes()
    }

    fn index(&self) -> Vec<u8> {
        self.index_bytes(Cow::Borrowed(&self.stream.tables))
    }

    fn index_of_numbers(&self) -> Vec<u8> {
        self.index_bytes(self.stream.tables.of_numbers())
    }
}

/// The API, guessed from the names of the first functions as apitrace does.
fn api(beginning: &Beginning) -> Option<&'static str> {
    let names = (0..).map_while(|i| beginning.tables.functions.get(i)).map(|f| f.name.as_str());
    names.take(32).find_map(|name| {
        let after = |prefix: &str| name.strip_prefix(prefix).and_then(|rest| rest.bytes().next());
        let capital = |prefix| after(prefix).is_some_and(|b| b.is_ascii_uppercase());
        if name.starts_with("glX") || capital("wgl") || name.starts_with("CGL") {
            Some("OpenGL")
        } else if capital("egl") {
            Some("EGL")
        } else if name.starts_with("Direct") || name.starts_with("D3D") || name.starts_with("Create") {
            Some("DirectX")
        } else {
            None
        }
    })
}
