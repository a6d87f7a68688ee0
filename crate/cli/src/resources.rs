//! `unspool resources` and `unspool image`: the objects of a graphics trace, and what its textures
//! hold.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;
use serde_json::json;
use unspool_gl::pixels::Image as Texels;
use unspool_graphics::Survey;
use unspool_graphics::resources::{Contents, Kind, Resource, Resources as Found};

use crate::console::{self, one_line};
use crate::frame_list::{calls_of, lost};
use crate::limit::{LimitArgs, Listed};
use crate::listing::{Cell, Form, Listing, column};
use crate::output::{Inputs, Output};
use crate::{Failure, Source, TraceArgs, json};

/// Lists the textures, buffers, shaders, programs and other objects of an apitrace.
#[derive(clap::Args)]
pub(crate) struct Resources {
    #[command(flatten)]
    trace: TraceArgs,
    /// Only objects that the program generated and did not delete. Exit status 1 if there are any.
    #[arg(long)]
    leaks: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limit: LimitArgs,
}

/// Writes a texture of an apitrace as a PNG image, as its uploads have left it.
///
/// The first row is the one at texture coordinate 0. What the GPU drew into a texture is unknown.
#[derive(clap::Args)]
pub(crate) struct Image {
    #[command(flatten)]
    trace: TraceArgs,
    /// Name of the texture.
    #[arg(long, value_name = "N")]
    texture: u32,
    /// Call after which to show the texture. Default: the end of the trace, or of the texture's
    /// life.
    #[arg(long, value_name = "CALL")]
    at: Option<u64>,
    /// Level of detail.
    #[arg(long, value_name = "L", default_value_t = 0)]
    level: u32,
    /// Slice, layer or face of a cube (+x, -x, +y, -y, +z, -z), from 0.
    #[arg(long, value_name = "Z", default_value_t = 0)]
    layer: u32,
    /// Values that become black and white. Default: 0..1, or the lowest and highest of integers.
    #[arg(long, value_name = "LOW..HIGH", value_parser = range)]
    range: Option<(f64, f64)>,
    /// Put the last row first.
    #[arg(long)]
    flip: bool,
    /// File to write; - for standard output.
    #[arg(short, long)]
    output: PathBuf,
    /// Print one JSON object about the file.
    #[arg(long)]
    json: bool,
}

/// Pieces of the file that are read at once.
const PIECES: u32 = 256;

fn range(text: &str) -> Result<(f64, f64), String> {
    let parts = text.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    parts.ok_or_else(|| format!("{text} is no range: write 0..1"))
}

/// What `resources --json` prints.
#[derive(Serialize)]
struct Report<R> {
    resources: R,
    #[serde(flatten)]
    listed: Listed,
}

/// Surveys a trace.
pub(crate) fn survey(trace: &TraceArgs) -> Result<(Source, Vec<u8>, Survey<File>), Failure> {
    let (source, index, file) = calls_of(trace)?;
    let opened = Survey::open(&index, file);
    let mut survey = opened.map_err(|error| Failure::of(&source.name, error))?;
    while !survey.step(PIECES).map_err(|error| lost(&source, error))? {}
    Ok((source, index, survey))
}

pub(crate) fn resources(what: &Resources) -> Result<ExitCode, Failure> {
    let (_, _, survey) = survey(&what.trace)?;
    let found = survey.resources();
    let rows: Vec<&Resource> = found.all().iter().filter(|it| !what.leaks || Found::is_leaked(it)).collect();
    let leaks = what.leaks && !rows.is_empty();
    let listing = listing(found);
    let form = Form::of(what.json, false);
    let mut out = form.out();
    let (rows, listed) = what.limit.first(&rows, form, usize::MAX);
    if what.json {
        json::print_line(&mut out, &Report { resources: listing.records(rows), listed })?;
    } else {
        listing.print(form, &mut out, rows)?;
        listed.print_more(&mut out)?;
    }
    out.flush()?;
    if found.is_full {
        console::say(format_args!("unspool: only the first events are listed; later ones are counted"));
    }
    Ok(if leaks { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn listing<'a>(found: &'a Found) -> Listing<'a, &'a Resource> {
    let parts = |it: &&Resource| {
        let parts = it.parts.iter().filter_map(|at| found.all().get(*at as usize));
        Cell::Json(parts.map(|part| json!({ "kind": part.kind.word(), "name": part.name })).collect())
    };
    let about = |it: &&Resource| {
        let about = [found.facts(it), it.label.clone()].into_iter().filter(|text| !text.is_empty());
        one_line(&about.collect::<Vec<_>>().join(", ")).into_owned()
    };
    let events =
        |it: &&Resource| Cell::Json(it.events.iter().map(|event| json!([event.call, event.what.word()])).collect());
    let count = |at: usize| move |it: &&Resource| it.counts.get(at).copied().into();
    let columns = vec![
        column("kind", |it: &&Resource| it.kind.word().into()).right(12).shown(|it| it.kind.noun().into()),
        column("name", |it: &&Resource| it.name.into()).right(7).after(" ").shown(|it| {
            // The name of an interface is its address.
            if it.kind == Kind::Interface { format!("{:#x}", it.name) } else { it.name.to_string() }
        }),
        column("group", |it: &&Resource| it.group.into()),
        column("label", |it: &&Resource| it.label.as_str().into()),
        column("created", |it: &&Resource| it.created.into()).right(10).after(" "),
        column("generated", |it: &&Resource| it.is_generated.into()),
        column("deleted", |it: &&Resource| it.deleted.into()).right(10).after(" ").or("-"),
        column("leaked", |it: &&Resource| Found::is_leaked(it).into()),
        column("uploads", count(0)).right(8).after(" "),
        column("binds", count(1)).right(8).after(" "),
        column("draws", count(2)).right(8).after(" "),
        column("writes", count(3)),
        column("uploaded_bytes", |it: &&Resource| it.uploaded.into()),
        column("bytes", |it: &&Resource| it.size.into()).right(11).after(" "),
        column("about", |it: &&Resource| found.facts(it).into()).rest().shown(about),
        column("parts", parts),
        column("events", events),
    ];
    Listing::new(columns).with_heads()
}

pub(crate) fn image(what: &Image) -> Result<(), Failure> {
    Output::spare_json(&what.output, what.json)?;
    Inputs::of(&what.trace, None).spare(&what.output)?;
    let (source, index, survey) = survey(&what.trace)?;
    let found = survey.resources();
    let fail = |sentence: String| Failure::of(&source.name, sentence);
    let Some(texture) = found.find(Kind::Texture, what.texture, what.at.unwrap_or(u64::MAX)) else {
        return Err(fail(format!("there is no texture {}", what.texture)));
    };
    let file = File::open(&source.path)?;
    let mut reader =
        unspool_graphics::Reader::keeping(&index, file, u64::MAX).map_err(|error| fail(error.to_string()))?;
    let at = what.at.unwrap_or(u64::MAX);
    let held =
        Contents::new(found, &mut reader).texture(texture, what.level, at).map_err(|error| lost(&source, error))?;
    if let Some(wrong) = held.wrong {
        return Err(fail(wrong.to_string()));
    }
    let Some(image) = held.image else {
        return Err(fail(format!("texture {} has no level {} by then", what.texture, what.level)));
    };
    if what.layer >= image.depth {
        return Err(fail(format!("the texture has {} layers, the last of which is {}", image.depth, image.depth - 1)));
    }
    if let Some(call) = held.written {
        console::say(format_args!(
            "unspool: call {call} had the graphics processor write the texture; what it wrote is not shown"
        ));
    } else if !image.is_known(what.layer) {
        console::say(format_args!("unspool: parts of the texture are not known; they are black"));
    }
    if held.is_cut {
        console::say(format_args!("unspool: an upload of more than 64 MiB was cut"));
    }
    write(&image, what).map_err(|error| fail(error.to_string()))?;
    if what.json {
        let (width, height, layers) = (image.width, image.height, image.depth);
        let mut out = console::data();
        json::print(
            &mut out,
            &json!({
                "output": what.output, "texture": what.texture, "level": what.level, "layer": what.layer,
                "width": width, "height": height, "layers": layers, "written_by_gpu": held.written,
            }),
        )?;
        out.flush()?;
    }
    Ok(())
}

fn write(image: &Texels, what: &Image) -> Result<(), png::EncodingError> {
    let range = what.range.unwrap_or_else(|| image.natural_range(what.layer, u32::MAX));
    let mut pixels = image.pixels(what.layer, range, [Some(0), Some(1), Some(2), Some(3)]);
    let row = 4 * image.width as usize;
    if what.flip && row > 0 {
        pixels = pixels.chunks_exact(row).rev().flatten().copied().collect();
    }
    let mut file = Output::create_or_stdout(&what.output)?;
    let mut encoder = png::Encoder::new(BufWriter::new(&mut file), image.width, image.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(file.finish()?)
}
