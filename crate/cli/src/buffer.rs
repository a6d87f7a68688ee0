//! `unspool buffer`: what a buffer of an apitrace holds at a call.

use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;

use clap::ValueEnum;
use serde::{Serialize, Serializer};
use unspool_gl::pixels::half;
use unspool_graphics::Reader;
use unspool_graphics::resources::{BufferAt, Contents, Kind, Resource, Resources};

use crate::frame_list::lost;
use crate::output::{Inputs, Output};
use crate::resources::survey;
use crate::{Failure, TraceArgs, console, interrupt, json};

/// Prints what a buffer object of an apitrace holds at a call, or writes it to a file.
///
///     unspool buffer game.trace --name 7 --at 1200 --as f32 --stride 20
///     unspool buffer game.trace --name 8 --as u16 --offset 6 --count 3
///     unspool buffer game.trace --name 7 --output vertices.bin
///
/// Each row begins with its offset in bytes. Contents are those that calls gave it: its data, writes
/// to mapped memory, copies between buffers. Unknown elements, such as
/// those that the graphics processor wrote, are printed as ?. Calls that let it write are named.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Buffer {
    #[command(flatten)]
    trace: TraceArgs,
    /// Name of the buffer.
    #[arg(long, value_name = "N")]
    name: u32,
    /// Call after which to show the buffer. Default: the end of the trace, or of the buffer's life.
    #[arg(long, value_name = "CALL")]
    at: Option<u64>,
    /// Show the buffer before that call.
    #[arg(long, requires = "at")]
    before: bool,
    /// Type of the elements, little-endian.
    #[arg(long = "as", value_enum, default_value_t = Type::U8)]
    of: Type,
    /// Offset of the first element, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    offset: u64,
    /// Number of elements. Default: all that follow.
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Bytes of a row, such as the size of a vertex. Default: 16.
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    stride: Option<u32>,
    /// Write the bytes to this file; - for standard output. Bytes that are not known are 0.
    #[arg(short, long, value_name = "FILE", conflicts_with = "stride")]
    output: Option<PathBuf>,
    /// Print one JSON object. Elements that are not known are null.
    #[arg(long)]
    json: bool,
}

/// Type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Type {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F16,
    F32,
    F64,
}

impl Type {
    fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The element whose bytes these are. `None` if they are too few.
    fn read(self, bytes: &[u8]) -> Option<Element> {
        Some(match self {
            Self::U8 => Element::Integer(u8::from_le_bytes(first(bytes)?).into()),
            Self::I8 => Element::Integer(i8::from_le_bytes(first(bytes)?).into()),
            Self::U16 => Element::Integer(u16::from_le_bytes(first(bytes)?).into()),
            Self::I16 => Element::Integer(i16::from_le_bytes(first(bytes)?).into()),
            Self::U32 => Element::Integer(u32::from_le_bytes(first(bytes)?).into()),
            Self::I32 => Element::Integer(i32::from_le_bytes(first(bytes)?).into()),
            Self::F16 => Element::Float(half(u16::from_le_bytes(first(bytes)?))),
            Self::F32 => Element::Float(f32::from_le_bytes(first(bytes)?)),
            Self::F64 => Element::Double(f64::from_le_bytes(first(bytes)?)),
        })
    }
}

fn first<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.first_chunk().copied()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Element {
    Integer(i64),
    Float(f32),
    Double(f64),
}

impl Element {
    /// The fewest digits that give back the number.
    fn text(self) -> String {
        match self {
            Self::Integer(n) => n.to_string(),
            Self::Float(x) => format!("{x:?}"),
            Self::Double(x) => format!("{x:?}"),
        }
    }
}

/// Numbers, but those that JSON does not have are texts, as in `unspool dump`.
impl Serialize for Element {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let word = |is_nan: bool, is_negative: bool| match (is_nan, is_negative) {
            (true, _) => "nan",
            (false, true) => "-inf",
            (false, false) => "inf",
        };
        match self {
            Self::Integer(n) => to.serialize_i64(*n),
            Self::Float(x) if x.is_finite() => to.serialize_f32(*x),
            Self::Double(x) if x.is_finite() => to.serialize_f64(*x),
            Self::Float(x) => to.serialize_str(word(x.is_nan(), *x < 0.0)),
            Self::Double(x) => to.serialize_str(word(x.is_nan(), *x < 0.0)),
        }
    }
}

/// The object that `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    buffer: u32,
    /// The call after which it is so.
    at: Option<u64>,
    /// Of the whole buffer, in bytes.
    size: usize,
    /// Number of these that are known.
    known: usize,
    /// The call that gave it its size.
    sized: Option<u64>,
    written_by_gpu: Option<u64>,
    exposed_to_gpu: Option<u64>,
    /// Of buffers that its bytes were copied from.
    sources_written_by_gpu: Option<u64>,
    sources_exposed_to_gpu: Option<u64>,
    offset: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#as: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<Option<Element>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<&'a PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<usize>,
}

pub(crate) fn run(what: &Buffer) -> Result<(), Failure> {
    if let Some(output) = &what.output {
        Output::spare_json(output, what.json)?;
        Inputs::of(&what.trace, None).spare(output)?;
    }
    if what.stride.is_some_and(|stride| (stride as usize) < what.of.size()) {
        return Err(Failure::usage(format!("--stride is less than the {} bytes of an element.", what.of.size())));
    }
    let (source, index, survey) = survey(&what.trace)?;
    let fail = |sentence: String| Failure::of(&source.name, sentence);
    let found = survey.resources();
    let at = match (what.at, what.before) {
        (None, _) => u64::MAX,
        (Some(at), false) => at,
        (Some(0), true) => return Err(fail("before call 0 there is no buffer".into())),
        (Some(at), true) => at - 1,
    };
    let resource = find(found, what.name, at).map_err(fail)?;
    let mut reader = Reader::keeping(&index, File::open(&source.path)?, u64::MAX).map_err(|e| fail(e.to_string()))?;
    let held = Contents::new(found, &mut reader).buffer_at(resource, at).map_err(|error| lost(&source, error))?;
    if held.sized.is_none() {
        return Err(fail(format!("buffer {} has no storage by then", what.name)));
    }
    let part = what.part(&held).map_err(fail)?;
    if let Some(it) = found.all().get(resource as usize) {
        remark(found, it, at, &held);
    }
    let mut report = Report {
        buffer: what.name,
        at: (at != u64::MAX).then_some(at),
        size: held.bytes.len(),
        known: held.known.len(),
        sized: held.sized,
        written_by_gpu: held.gpu.written,
        exposed_to_gpu: held.gpu.exposed,
        sources_written_by_gpu: held.sources.written,
        sources_exposed_to_gpu: held.sources.exposed,
        offset: part.start,
        r#as: None,
        values: None,
        output: what.output.as_ref(),
        bytes: None,
    };
    if let Some(path) = &what.output {
        let bytes = held.bytes.get(part.clone()).unwrap_or_default();
        let written = Output::create_or_stdout(path).and_then(|mut file| {
            file.write_all(bytes)?;
            file.finish()
        });
        written.map_err(|error| Failure::io(path.display(), &error))?;
        report.bytes = Some(bytes.len());
        if !held.known.has(part.start, part.end) && !bytes.is_empty() {
            console::say(format_args!("unspool: not all of the bytes are known; those that are not are 0"));
        }
    } else if what.json {
        report.r#as = what.of.to_possible_value().map(|value| value.get_name().to_owned());
        report.values = Some(what.elements(&held, part).collect());
    } else {
        return Ok(what.print(&held, part)?);
    }
    if what.json {
        let mut out = console::data();
        json::print(&mut out, &report)?;
        out.flush()?;
    }
    Ok(())
}

/// The buffer with a name that is alive at a call, or was until before.
fn find(found: &Resources, name: u32, at: u64) -> Result<u32, String> {
    let Some(resource) = found.find(Kind::Buffer, name, at) else { return Err(format!("there is no buffer {name}")) };
    match found.all().get(resource as usize) {
        Some(it) if it.created > at => {
            Err(format!("there is no buffer {name} by then: call {} is the first to make or use one", it.created))
        }
        _ => Ok(resource),
    }
}

/// Says what is not known of the contents.
fn remark(found: &Resources, it: &Resource, at: u64, held: &BufferAt) {
    let is_alive = |it: &Resource| it.created <= at && it.deleted.is_none_or(|deleted| at <= deleted);
    let same = found.all().iter().filter(|other| other.kind == Kind::Buffer && other.name == it.name);
    if at != u64::MAX && same.filter(|other| is_alive(other)).count() > 1 {
        console::say(format_args!(
            "unspool: several contexts that share nothing have a buffer {}; this one is from call {}",
            it.name, it.created
        ));
    }
    if let Some(deleted) = it.deleted.filter(|deleted| *deleted <= at) {
        console::say(format_args!("unspool: call {deleted} deleted the buffer; this is what it held"));
    }
    for line in gpu_remarks(held) {
        console::say(format_args!("unspool: {line}"));
    }
    if held.is_cut {
        console::say(format_args!("unspool: of the buffer, only the first {} bytes are kept", held.bytes.len()));
    }
    if found.is_full {
        console::say(format_args!("unspool: the trace has too many uploads; later ones are missing"));
    }
}

/// Says which calls let the graphics processor write the buffer, or what was copied to it.
fn gpu_remarks(held: &BufferAt) -> Vec<String> {
    let written = |call: u64, what: &str| {
        format!("call {call} may have had the graphics processor write {what}; what it wrote is not shown")
    };
    let exposed = |call: u64, what: &str| {
        format!("call {call} bound {what} where shaders or queries can write to it; what they wrote is unknown")
    };
    let source = "a buffer that bytes were copied from";
    [
        held.gpu.written.map(|call| written(call, "the buffer")),
        held.sources.written.map(|call| written(call, source)),
        held.gpu.exposed.map(|call| exposed(call, "the buffer")),
        held.sources.exposed.map(|call| exposed(call, source)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

impl Buffer {
    /// The bytes to print.
    fn part(&self, held: &BufferAt) -> Result<Range<usize>, String> {
        let size = held.bytes.len();
        let offset = usize::try_from(self.offset).unwrap_or(usize::MAX);
        if offset > size || (offset == size && size > 0) {
            return Err(format!("buffer {} has {size} bytes; --offset {} is not in it", self.name, self.offset));
        }
        let Some(count) = self.count else { return Ok(offset..size) };
        let wanted = usize::try_from(count).ok().and_then(|count| count.checked_mul(self.of.size()));
        match wanted.and_then(|wanted| offset.checked_add(wanted)).filter(|end| *end <= size) {
            Some(end) => Ok(offset..end),
            None => Err(format!(
                "buffer {} has {size} bytes, {} elements from --offset {offset} on: --count {count} is more",
                self.name,
                (size - offset) / self.of.size()
            )),
        }
    }

    /// The whole elements among some bytes; `None` for those that are not known.
    fn elements<'a>(&self, held: &'a BufferAt, part: Range<usize>) -> impl Iterator<Item = Option<Element>> + 'a {
        let of = self.of;
        let bytes = held.bytes.get(part.clone()).unwrap_or_default();
        bytes.chunks_exact(of.size()).enumerate().map(move |(at, bytes)| {
            let from = part.start + at * of.size();
            of.read(bytes).filter(|_| held.known.has(from, from + of.size()))
        })
    }

    /// Prints a line for each row.
    fn print(&self, held: &BufferAt, part: Range<usize>) -> io::Result<()> {
        let stride = self.stride.map_or(16, |stride| stride as usize);
        let mut out = console::data();
        for (row, start) in part.clone().step_by(stride).enumerate() {
            if row % 4096 == 0 {
                interrupt::check()?;
            }
            let end = start.saturating_add(stride).min(part.end);
            let elements = self.elements(held, start..end);
            let texts: Vec<String> =
                elements.map(|element| element.map_or_else(|| "?".into(), Element::text)).collect();
            // A row may be shorter than an element.
            if !texts.is_empty() {
                writeln!(out, "{start:>8}  {}", texts.join(" "))?;
            }
        }
        let rest = part.len() % self.of.size();
        if self.stride.is_none() && rest > 0 {
            console::say(format_args!("unspool: the last {rest} bytes are less than an element"));
        }
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use unspool_graphics::resources::GpuWrites;

    use super::*;

    #[test]
    fn elements_are_read_little_endian() {
        let read = |of: Type, bytes: &[u8]| of.read(bytes).unwrap().text();
        assert_eq!([read(Type::U8, &[200]), read(Type::I8, &[200])], ["200", "-56"]);
        assert_eq!([read(Type::U16, &[1, 2]), read(Type::I16, &[0, 128])], ["513", "-32768"]);
        assert_eq!([read(Type::U32, &[255; 4]), read(Type::I32, &[255; 4])], ["4294967295", "-1"]);
        assert_eq!([read(Type::F16, &[0, 0x3c]), read(Type::F32, &0.1_f32.to_le_bytes())], ["1.0", "0.1"]);
        assert_eq!(read(Type::F64, &(-0.5_f64).to_le_bytes()), "-0.5");
        assert_eq!(Type::F32.read(&[0; 3]), None);
    }

    #[test]
    fn calls_that_let_the_graphics_processor_write_are_named() {
        let gpu = GpuWrites { written: Some(9), exposed: None };
        let sources = GpuWrites { written: None, exposed: Some(4) };
        let said = gpu_remarks(&BufferAt { gpu, sources, ..BufferAt::default() });
        assert_eq!(
            said,
            [
                "call 9 may have had the graphics processor write the buffer; what it wrote is not shown",
                "call 4 bound a buffer that bytes were copied from where shaders or queries can write to it; \
                 what they wrote is unknown"
            ]
        );
        assert!(gpu_remarks(&BufferAt::default()).is_empty());
    }

    #[test]
    fn numbers_that_json_lacks_are_texts() {
        let json = |element| serde_json::to_string(&element).unwrap();
        assert_eq!(json(Element::Float(0.1)), "0.1");
        assert_eq!([json(Element::Float(f32::NAN)), json(Element::Double(f64::NEG_INFINITY))], ["\"nan\"", "\"-inf\""]);
    }
}
