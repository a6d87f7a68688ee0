//! The survey, for JavaScript. Numbers are doubles, exact below 2^53.

use js_sys::{Array, BigUint64Array, Float64Array, Object, Reflect, Uint8Array, Uint32Array};
use unspool_gl::pixels::{Holds, Image};
use unspool_js::{JsFile, object, standing, thrown};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

use crate::findings::{Finding, Findings};
use crate::frames::FIGURES;
use crate::reader::Reader;
use crate::resources::{BufferAt, Contents, Kind, Resource, Resources, objects_of};
use crate::survey::Survey;
use crate::times::{MEASURES, Timed, Times, TimesReader, Values};

fn doubles(numbers: impl Iterator<Item = u64>) -> JsValue {
    let numbers: Vec<f64> = numbers.map(|number| number as f64).collect();
    Float64Array::from(&numbers[..]).into()
}

/// What was measured, NaN for what was not.
fn measured(values: Values) -> impl Iterator<Item = f64> {
    values.into_iter().map(|value| value.map_or(f64::NAN, |value| value as f64))
}

/// The survey of one trace.
#[wasm_bindgen(js_name = Survey)]
pub struct JsSurvey {
    survey: Survey<JsFile>,
    /// Reads contents, with all bytes.
    reader: Reader<JsFile>,
    /// The texture that was asked for last.
    shown: Option<Image>,
    /// Times that are being read.
    reading: TimesReader,
    times: Option<Times>,
}

#[wasm_bindgen(js_class = Survey)]
impl JsSurvey {
    /// A survey that has read nothing yet. `records` is the index that the session made.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the trace is not an apitrace.
    #[wasm_bindgen(constructor)]
    pub fn new(records: &[u8], file: JsFile) -> Result<Self, JsValue> {
        let again: JsFile = AsRef::<JsValue>::as_ref(&file).clone().unchecked_into();
        let reader = Reader::keeping(records, again, u64::MAX).map_err(thrown)?;
        let (survey, reading) = (Survey::open(records, file).map_err(thrown)?, TimesReader::default());
        Ok(Self { survey, reader, shown: None, reading, times: None })
    }

    /// Whether decompressors must be provided before the first step.
    #[wasm_bindgen(js_name = needsDecompressor)]
    pub fn needs_decompressor(&self) -> bool {
        self.survey.needs_decompressor()
    }

    /// Reads further pieces of the file. Returns whether there is nothing more to read.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn step(&mut self, budget: u32) -> Result<bool, JsValue> {
        self.survey.step(budget).map_err(thrown)
    }

    /// Number of pieces of the file.
    pub fn pieces(&self) -> u32 {
        self.survey.progress().1
    }

    /// Number of pieces that were read.
    pub fn done(&self) -> u32 {
        self.survey.progress().0
    }

    /// The frames so far: `FrameColumns` of `web/base/survey_protocol.ts`.
    pub fn frames(&self) -> JsValue {
        let frames = self.survey.frames().frames();
        let figures = Object::new();
        for (at, figure) in FIGURES.iter().enumerate() {
            let column = doubles(frames.iter().map(|frame| frame.figures.get(at).copied().unwrap_or_default()));
            let _ = Reflect::set(&figures, &JsValue::from_str(figure.key), &column);
        }
        let times = self.times.as_ref().map(|times| times.by_frame(frames)).unwrap_or_default();
        for (at, measure) in MEASURES.iter().enumerate() {
            let column: Vec<f64> = times.iter().filter_map(|values| measured(*values).nth(at)).collect();
            let _ = Reflect::set(&figures, &JsValue::from_str(measure.key), &Float64Array::from(&column[..]));
        }
        object(&[
            ("count", JsValue::from_f64(frames.len() as f64)),
            ("first", doubles(frames.iter().map(|frame| frame.first))),
            ("last", doubles(frames.iter().map(|frame| frame.last))),
            ("ended", JsValue::from_bool(frames.last().is_some_and(|frame| frame.is_ended))),
            ("figures", figures.into()),
        ])
    }

    /// Further bytes of times of calls: what `apitrace replay --pcpu --pgpu --ppd` prints.
    #[wasm_bindgen(js_name = readTimes)]
    pub fn read_times(&mut self, bytes: &[u8]) {
        self.reading.push(bytes);
    }

    /// The bytes that were passed are those of all times, which replace earlier ones: `TimesRead`
    /// of `web/base/survey_protocol.ts`. Times of another trace are left out. Without any bytes
    /// there are no times.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file of the trace cannot be read.
    #[wasm_bindgen(js_name = endTimes)]
    pub fn end_times(&mut self) -> Result<JsValue, JsValue> {
        self.times = None;
        let times = core::mem::take(&mut self.reading).finish();
        let misfit = times.misfit(&mut self.reader).map_err(thrown)?;
        let read = object(&[
            ("calls", JsValue::from_f64(times.rows().len() as f64)),
            ("counts", doubles(times.counts().into_iter())),
            ("skipped", JsValue::from_str(&times.skipped.to_string())),
            ("replay", times.replay.map_or(JsValue::NULL, |took| JsValue::from_f64(took as f64))),
            ("doubt", JsValue::from_str(&times.doubt())),
            ("wrong", JsValue::from_str(&misfit.as_ref().map(ToString::to_string).unwrap_or_default())),
        ]);
        self.times = (misfit.is_none() && !times.rows().is_empty()).then_some(times);
        Ok(read)
    }

    /// The measures of a call, NaN for those that were not measured. Empty if it is not listed.
    #[wasm_bindgen(js_name = timesOf)]
    pub fn times_of(&self, call: f64) -> Vec<f64> {
        let timed = self.times.as_ref().and_then(|times| times.of(call as u64));
        timed.map(|timed| measured(timed.values()).collect()).unwrap_or_default()
    }

    /// At most `most` calls: those from number `first` to `last` with the highest values of a
    /// measure first, or all by number without one. `TimedCalls` of `web/base/survey_protocol.ts`.
    #[wasm_bindgen(js_name = timedCalls)]
    pub fn timed_calls(&self, measure: Option<u32>, first: f64, last: f64, most: u32) -> JsValue {
        let (rows, count): (Vec<&Timed>, usize) = match (&self.times, measure) {
            (None, _) => (Vec::new(), 0),
            (Some(times), Some(measure)) => times.highest(measure as usize, first as u64, last as u64, most as usize),
            (Some(times), None) => (times.rows().iter().take(most as usize).collect(), times.rows().len()),
        };
        let names: Array =
            rows.iter().map(|it| JsValue::from_str(self.times.as_ref().map_or("", |times| times.name(it)))).collect();
        let values: Vec<f64> = rows.iter().flat_map(|it| measured(it.values())).collect();
        object(&[
            ("count", JsValue::from_f64(count as f64)),
            ("call", doubles(rows.iter().map(|it| it.call))),
            ("name", names.into()),
            ("values", Float64Array::from(&values[..]).into()),
        ])
    }

    /// All calls of which a measure is known and can be true: `CallWeights` of
    /// `web/base/survey_protocol.ts`.
    pub fn weights(&self, measure: u32) -> JsValue {
        let listed = self.times.iter().flat_map(|times| times.rows().iter().map(|it| (it.call, times.credible(it))));
        let weight = |values: Values| values.get(measure as usize).copied().flatten();
        let (at, weights): (Vec<u64>, Vec<u64>) =
            listed.filter_map(|(call, values)| Some((call, weight(values)?))).unzip();
        let column = |numbers: &[u64]| JsValue::from(BigUint64Array::from(numbers));
        object(&[("at", column(&at)), ("weights", column(&weights))])
    }

    /// The calls of a frame in groups: `OpenedFrame` of `web/base/survey_protocol.ts`.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    #[wasm_bindgen(js_name = openFrame)]
    pub fn open_frame(&mut self, frame: u32) -> Result<JsValue, JsValue> {
        let opened = self.survey.open_frame(frame).map_err(thrown)?;
        let rows = &opened.rows;
        let texts: Array = rows.iter().map(|row| JsValue::from_str(&row.text)).collect();
        let figures = rows.iter().flat_map(|row| row.figures);
        Ok(object(&[
            ("by", JsValue::from_str(opened.by)),
            ("leftOut", JsValue::from_f64(opened.left_out as f64)),
            ("depth", doubles(rows.iter().map(|row| row.depth.into()))),
            ("isGroup", doubles(rows.iter().map(|row| row.is_group.into()))),
            ("call", doubles(rows.iter().map(|row| row.call))),
            ("figures", doubles(figures)),
            ("isRedundant", doubles(rows.iter().map(|row| row.is_redundant.into()))),
            ("text", texts.into()),
        ]))
    }

    /// The resources so far: `ResourceColumns` of `web/base/survey_protocol.ts`.
    pub fn resources(&self) -> JsValue {
        let found = self.survey.resources();
        let all = found.all();
        let texts = |text: &dyn Fn(&Resource) -> String| -> JsValue {
            all.iter().map(|it| JsValue::from_str(&text(it))).collect::<Array>().into()
        };
        let count = |which: usize| doubles(all.iter().map(|it| it.counts.get(which).copied().unwrap_or_default()));
        let levels = |it: &Resource| it.texture.levels.iter().map(|level| level.level + 1).max().unwrap_or_default();
        let deleted: Vec<f64> = all.iter().map(|it| it.deleted.map_or(-1.0, |call| call as f64)).collect();
        let parts: Array = all.iter().map(|it| JsValue::from(Uint32Array::from(&it.parts[..]))).collect();
        object(&[
            ("count", JsValue::from_f64(all.len() as f64)),
            ("kind", texts(&|it| it.kind.word().into())),
            ("name", doubles(all.iter().map(|it| it.name))),
            ("label", texts(&|it| it.label.clone())),
            ("facts", texts(&|it| found.facts(it))),
            // Groups of resources count from 1: 0 is for calls without a context.
            (
                "group",
                Float64Array::from(&all.iter().map(|it| f64::from(it.group) - 1.0).collect::<Vec<_>>()[..]).into(),
            ),
            ("created", doubles(all.iter().map(|it| it.created))),
            ("deleted", Float64Array::from(&deleted[..]).into()),
            ("leaked", doubles(all.iter().map(|it| u64::from(Resources::is_leaked(it))))),
            ("uploads", count(0)),
            ("binds", count(1)),
            ("draws", count(2)),
            ("writes", count(3)),
            ("size", doubles(all.iter().map(|it| it.size))),
            ("levels", doubles(all.iter().map(|it| levels(it).into()))),
            ("parts", parts.into()),
        ])
    }

    /// For each parameter of a function the kind of resources that it names, '' for other
    /// parameters. Empty for functions of other APIs.
    pub fn objects(&self, function: &str) -> Array {
        let words = objects_of(function).into_iter().map(|kind| JsValue::from_str(kind.map_or("", Kind::word)));
        words.collect()
    }

    /// The contexts, and when each was current: `Contexts` of `web/base/survey_protocol.ts`.
    pub fn contexts(&self) -> JsValue {
        let resources = self.survey.resources();
        let (all, switches): (Vec<_>, _) = (resources.contexts().collect(), resources.switches().all());
        // Contexts that are not listed share nothing that is.
        let positions = resources.positions_of_contexts();
        let group = |at: u32| positions.get(at as usize).copied().flatten().unwrap_or_default();
        let handles: Array = all.iter().map(|it| JsValue::from_str(&format!("{:#x}", it.handle))).collect();
        let or_none = |number: Option<u64>| number.map_or(-1.0, |number| number as f64);
        let created: Vec<f64> = all.iter().map(|it| or_none(it.created)).collect();
        let context: Vec<f64> = switches.iter().map(|it| or_none(it.context.map(u64::from))).collect();
        object(&[
            ("handle", handles.into()),
            ("created", Float64Array::from(&created[..]).into()),
            ("group", doubles(all.iter().map(|it| group(it.group).into()))),
            ("call", doubles(switches.iter().map(|it| it.call))),
            ("thread", doubles(switches.iter().map(|it| it.thread))),
            ("context", Float64Array::from(&context[..]).into()),
            ("isFull", resources.switches().is_full.into()),
        ])
    }

    /// The positions of the resources that calls from `first` to `last` use: what they bind,
    /// upload, draw with and write, and the parts of programs and framebuffers.
    pub fn used(&self, first: f64, last: f64) -> Vec<u32> {
        self.survey.resources().used(first as u64, last as u64)
    }

    /// What happened to a resource: `ResourceEvents` of `web/base/survey_protocol.ts`.
    pub fn events(&self, resource: u32) -> JsValue {
        let events = self.survey.resources().all().get(resource as usize).map(|it| &*it.events).unwrap_or_default();
        let words: Array = events.iter().map(|event| JsValue::from_str(event.what.word())).collect();
        object(&[
            ("calls", doubles(events.iter().map(|event| event.call))),
            ("threads", doubles(events.iter().map(|event| event.thread.into()))),
            ("what", words.into()),
        ])
    }

    /// A level of a texture after a call, which the next questions about pixels are about:
    /// `TextureLevel` of `web/base/survey_protocol.ts`.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn texture(&mut self, resource: u32, level: u32, call: f64) -> Result<JsValue, JsValue> {
        self.shown = None;
        let mut contents = Contents::new(self.survey.resources(), &mut self.reader);
        let held = contents.texture(resource, level, call as u64).map_err(thrown)?;
        let wrong = held.wrong.map(|wrong| wrong.to_string()).unwrap_or_default();
        let size = held.image.as_ref().map_or([0; 3], |image| [image.width, image.height, image.depth]);
        let internal = held.image.as_ref().map(|image| image.internal);
        let channels: Array = internal.map_or_else(Array::new, |format| {
            format
                .base()
                .channels()
                .iter()
                .map(|(name, at)| JsValue::from(Array::of2(&JsValue::from_str(name), &JsValue::from(*at as u32))))
                .collect()
        });
        let is_integer = internal.is_some_and(|format| format.holds() != Holds::Numbers);
        self.shown = held.image;
        Ok(object(&[
            ("width", size[0].into()),
            ("height", size[1].into()),
            ("depth", size[2].into()),
            ("format", JsValue::from_str(internal.map_or("", |format| format.name()))),
            ("channels", channels.into()),
            ("isInteger", is_integer.into()),
            ("isSrgb", internal.is_some_and(|format| format.is_srgb).into()),
            ("wrong", JsValue::from_str(&wrong)),
            ("written", held.written.map_or(JsValue::NULL, |call| JsValue::from_f64(call as f64))),
            ("uploaded", held.uploaded.map_or(JsValue::NULL, |call| JsValue::from_f64(call as f64))),
            ("isCut", held.is_cut.into()),
        ]))
    }

    /// A slice of that texture: pixels of four bytes, and what is black and white. Without a range,
    /// the usual one. `mask` has a bit for each channel that is shown; one colour alone is grey.
    pub fn pixels(&self, slice: u32, mask: u32, low: Option<f64>, high: Option<f64>) -> JsValue {
        let Some(image) = &self.shown else { return JsValue::NULL };
        let usual = image.natural_range(slice, mask);
        let range = (low.unwrap_or(usual.0), high.unwrap_or(usual.1));
        let pixels = image.pixels(slice, range, shown_channels(image, mask));
        let (least, most) = image.range(slice, mask).unwrap_or(usual);
        object(&[
            ("pixels", Uint8Array::from(&pixels[..]).into()),
            ("low", range.0.into()),
            ("high", range.1.into()),
            ("least", least.into()),
            ("most", most.into()),
            ("isKnown", image.is_known(slice).into()),
        ])
    }

    /// The first level of a texture after a call, made smaller: at most `side` pixels wide and
    /// high. `Thumbnail` of `web/base/survey_protocol.ts`, or null if its contents are not known.
    /// Questions about pixels are about the texture that they were about before.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn thumbnail(&mut self, resource: u32, call: f64, side: u32) -> Result<JsValue, JsValue> {
        let mut contents = Contents::new(self.survey.resources(), &mut self.reader);
        let held = contents.texture(resource, 0, call as u64).map_err(thrown)?;
        // What the graphics processor wrote since is not in the trace.
        let Some(image) = held.image.filter(|it| it.is_known(0) && held.written.is_none()) else {
            return Ok(JsValue::NULL);
        };
        let (wide, high) = (image.width as usize, image.height as usize);
        let most = wide.max(high).max(1);
        let scaled = |length: usize| (length * (side as usize).min(most) / most).max(1);
        let (width, height) = (scaled(wide), scaled(high));
        let whole = image.pixels(0, image.natural_range(0, u32::MAX), shown_channels(&image, u32::MAX));
        let mut pixels = Vec::with_capacity(4 * width * height);
        for y in 0..height {
            for x in 0..width {
                let from = 4 * ((y * high / height) * wide + x * wide / width);
                pixels.extend_from_slice(whole.get(from..from + 4).unwrap_or(&[0; 4]));
            }
        }
        Ok(object(&[
            ("width", (width as u32).into()),
            ("height", (height as u32).into()),
            ("pixels", Uint8Array::from(&pixels[..]).into()),
        ]))
    }

    /// The numbers of a texel of that texture, none outside.
    pub fn texel(&self, x: u32, y: u32, slice: u32) -> Vec<f64> {
        self.shown.as_ref().and_then(|image| image.texel(x, y, slice)).map(Vec::from).unwrap_or_default()
    }

    /// The bytes of a buffer after a call: `HeldBytes` of `web/base/survey_protocol.ts`.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn buffer(&mut self, resource: u32, call: f64) -> Result<JsValue, JsValue> {
        let mut contents = Contents::new(self.survey.resources(), &mut self.reader);
        Ok(held_bytes(&contents.buffer_at(resource, call as u64).map_err(thrown)?))
    }

    /// The same of a buffer by its name, and the call that gave it its size if that is known.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    #[wasm_bindgen(js_name = namedBuffer)]
    pub fn named_buffer(&mut self, name: u32, sized: Option<f64>, call: f64) -> Result<JsValue, JsValue> {
        let found = self.survey.resources().buffer_by(name, sized.map(|call| call as u64), call as u64);
        let mut contents = Contents::new(self.survey.resources(), &mut self.reader);
        let held = found.map(|resource| contents.buffer_at(resource, call as u64)).transpose().map_err(thrown)?;
        Ok(held_bytes(&held.unwrap_or_default()))
    }

    /// The bytes that a call had as an argument.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn blob(&mut self, call: f64) -> Result<Vec<u8>, JsValue> {
        Contents::new(self.survey.resources(), &mut self.reader).blob(call as u64).map_err(thrown)
    }

    /// What resources hold, by position: `HeldColumns` of `web/base/survey_protocol.ts`.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn held(&mut self) -> Result<JsValue, JsValue> {
        let found = Contents::new(self.survey.resources(), &mut self.reader).held().map_err(thrown)?;
        let keys: Array = found.iter().map(|it| JsValue::from_str(&it.key)).collect();
        let uploaded: Vec<f64> = found.iter().map(|it| it.uploaded.map_or(-1.0, |call| call as f64)).collect();
        Ok(object(&[("key", keys.into()), ("uploaded", Float64Array::from(&uploaded[..]).into())]))
    }

    /// The sources of a shader up to a call: pairs of the call and the text, the latest last.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn sources(&mut self, resource: u32, call: f64) -> Result<Array, JsValue> {
        let mut contents = Contents::new(self.survey.resources(), &mut self.reader);
        let found = contents.sources(resource, call as u64).map_err(thrown)?;
        let pair = |(call, text): &(u64, String)| {
            JsValue::from(Array::of2(&JsValue::from_f64(*call as f64), &JsValue::from_str(text)))
        };
        Ok(found.iter().map(pair).collect())
    }
}

/// The search for findings in one trace.
#[wasm_bindgen]
pub struct GlFindings {
    findings: Findings<JsFile>,
}

#[wasm_bindgen]
impl GlFindings {
    /// A search that has read nothing yet. `records` is the index that the session made.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the trace is not an apitrace.
    #[wasm_bindgen(constructor)]
    pub fn new(records: &[u8], file: JsFile) -> Result<Self, JsValue> {
        Ok(Self { findings: Findings::open(records, file).map_err(thrown)? })
    }

    /// Whether decompressors must be provided before the first step.
    #[wasm_bindgen(js_name = needsDecompressor)]
    pub fn needs_decompressor(&self) -> bool {
        self.findings.needs_decompressor()
    }

    /// Reads further pieces of the file. Returns whether there is nothing more to read.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn step(&mut self, budget: u32) -> Result<bool, JsValue> {
        self.findings.step(budget).map_err(thrown)
    }

    /// Number of pieces of the file.
    pub fn pieces(&self) -> u32 {
        self.findings.progress().1
    }

    /// Number of pieces that were read.
    pub fn done(&self) -> u32 {
        self.findings.progress().0
    }

    /// What was found so far: `GlFinding`s of `web/base/survey_protocol.ts`.
    pub fn findings(&self) -> Array {
        let of = |it: &Finding| {
            object(&[
                ("kind", JsValue::from_str(it.kind.word())),
                ("sentence", JsValue::from_str(&it.sentence)),
                ("count", JsValue::from_f64(it.count as f64)),
                ("amount", JsValue::from_f64(it.cost as f64)),
                ("unit", JsValue::from_str(it.kind.unit())),
                ("calls", doubles(it.calls.iter().copied())),
            ])
        };
        self.findings.all().iter().map(of).collect()
    }

    /// What stands out in what was found so far, the greatest first.
    #[wasm_bindgen(js_name = standingOut, unchecked_return_type = "StandingFinding[]")]
    pub fn standing_out(&self) -> Array {
        standing(self.findings.standing_out(false))
    }
}

/// Which numbers are red, green, blue and opacity. `mask` has a bit for each of the format's
/// channels.
fn shown_channels(image: &Image, mask: u32) -> [Option<usize>; 4] {
    let channels = image.internal.base().channels();
    let chosen: Vec<usize> =
        channels.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1).map(|(_, (_, at))| *at).collect();
    if let [only] = chosen[..] {
        return [Some(only), Some(only), Some(only), None];
    }
    // A format with one colour besides alpha keeps it in all three.
    let is_grey = channels.len() == 2 && channels.iter().any(|(name, _)| *name == "L");
    let of = |at: usize| chosen.contains(&at).then_some(at);
    if is_grey { [Some(0), Some(0), Some(0), of(3)] } else { [of(0), of(1), of(2), of(3)] }
}

/// The contents of a buffer: `HeldBytes` of `web/base/survey_protocol.ts`.
fn held_bytes(held: &BufferAt) -> JsValue {
    let known: Vec<u32> = held.known.iter().flat_map(|(from, to)| [from as u32, to as u32]).collect();
    object(&[
        ("bytes", Uint8Array::from(&held.bytes[..]).into()),
        ("known", Uint32Array::from(&known[..]).into()),
        ("unknown", JsValue::from_f64((held.bytes.len() - held.known.len()) as f64)),
        ("isExposed", held.gpu.exposed.or(held.sources.exposed).is_some().into()),
    ])
}
