//! The replay, for JavaScript. Calls are numbers: an apitrace has fewer than 2^53.

use js_sys::{Array, Uint8Array, Uint32Array};
use unspool_js::{JsFile, number, object, thrown};
use wasm_bindgen::prelude::*;

use crate::driver::Bounds;
use crate::player::{Player, Turn};

/// A replay of one trace.
#[wasm_bindgen(js_name = Player)]
pub struct JsPlayer {
    player: Player<JsFile>,
}

#[wasm_bindgen(js_class = Player)]
impl JsPlayer {
    /// A player that emits no commands and has executed nothing: it finds out which draws could be
    /// shown. `index` is what the session made. `megabytes` is the limit for textures and buffers.
    ///
    /// # Errors
    ///
    /// Throws a sentence for bytes that are not an index.
    #[wasm_bindgen(constructor)]
    pub fn new(index: &[u8], file: JsFile, megabytes: f64, software: bool) -> Result<Self, JsValue> {
        let bounds = Bounds { bytes: (megabytes as u64) << 20, ..Bounds::default() };
        let bounds = if software { bounds.software() } else { bounds };
        Ok(Self { player: Player::open(index, file, bounds, false).map_err(thrown)? })
    }

    /// A player of the same trace that emits commands. It translates no shader that this one has.
    pub fn drawing(&self, file: JsFile) -> Self {
        Self { player: self.player.drawing(file) }
    }

    /// Whether `provideDecompressors` must have been called before the first step.
    #[wasm_bindgen(js_name = needsDecompressor)]
    pub fn needs_decompressor(&self) -> bool {
        self.player.needs_decompressor()
    }

    /// Sets the call after which the state is wanted. Returns whether objects of WebGL2 are to be
    /// deleted: only the textures that `kept` lists are to stay.
    pub fn seek(&mut self, call: f64, windows: f64, surfaces: f64) -> bool {
        self.player.seek(call as u64, [windows as u64, surfaces as u64])
    }

    /// Whether `seek` would start over.
    #[wasm_bindgen(js_name = beginsAnew)]
    pub fn begins_anew(&self, call: f64, windows: f64, surfaces: f64) -> bool {
        self.player.begins_anew(call as u64, [windows as u64, surfaces as u64])
    }

    /// Whether everything has begun with the first call again since this was asked last. Then
    /// nothing is to stay.
    #[wasm_bindgen(js_name = takeStartedOver)]
    pub fn take_started_over(&mut self) -> bool {
        self.player.take_started_over()
    }

    /// Sets how many calls lie between copies of what is known, for tests.
    #[wasm_bindgen(js_name = setSpacing)]
    pub fn set_spacing(&mut self, calls: f64) {
        self.player.set_spacing(calls as u64);
    }

    /// What was drawn is there again, as it was at this call when draws before these two had been
    /// left out.
    pub fn restored(&mut self, windows: f64, surfaces: f64) {
        self.player.restored([windows as u64, surfaces as u64]);
    }

    /// What a copy of all that was drawn has to hold, after the latest call: `{call, surfaces}`,
    /// five numbers each: whether it is a renderbuffer, number, internal format, width and height.
    /// null if something cannot be copied, or calls have overtaken each other.
    pub fn drawn(&mut self) -> JsValue {
        let replay = self.player.replay();
        let Some(call) = replay.latest() else { return JsValue::NULL };
        let Some(drawn) = replay.drawn() else { return JsValue::NULL };
        let words: Vec<u32> = drawn
            .iter()
            .flat_map(|it| [it.is_renderbuffer.into(), it.handle, it.format, it.width, it.height])
            .collect();
        object(&[("call", number(call)), ("surfaces", Uint32Array::from(&words[..]).into())])
    }

    /// Bytes of the textures and buffers of the trace.
    #[wasm_bindgen(getter)]
    pub fn bytes(&mut self) -> f64 {
        self.player.replay().bytes as f64
    }

    /// The textures that stay: number and binding of each, one after the other.
    pub fn kept(&self) -> Vec<u32> {
        self.player.kept().iter().flat_map(|(handle, kept)| [*handle, kept.binding]).collect()
    }

    /// Executes further calls. Returns whether the goal has been reached, or nothing more can be
    /// executed.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the file cannot be read.
    pub fn step(&mut self, budget: f64) -> Result<bool, JsValue> {
        Ok(self.player.step(budget as u64).map_err(thrown)? == Turn::Done)
    }

    /// Takes the commands since the last time: `{words, bytes}`.
    pub fn take(&mut self) -> JsValue {
        let (words, bytes) = self.player.replay().stream.take();
        object(&[("words", Uint32Array::from(&words[..]).into()), ("bytes", Uint8Array::from(&bytes[..]).into())])
    }

    /// How far it is: `{calls, at, count}`.
    pub fn progress(&self) -> JsValue {
        let (calls, at) = self.player.progress();
        object(&[("calls", number(calls)), ("at", number(at)), ("count", number(self.player.count()))])
    }

    /// What is drawn to, or the window if its buffers were just swapped:
    /// `{framebuffer, width, height}`, or null.
    pub fn target(&mut self) -> JsValue {
        let found = self.player.replay().shown();
        found.map_or(JsValue::NULL, |(framebuffer, width, height)| {
            object(&[("framebuffer", framebuffer.into()), ("width", width.into()), ("height", height.into())])
        })
    }

    /// Why nothing more is executed. Empty if it goes on.
    #[wasm_bindgen(getter)]
    pub fn halted(&mut self) -> String {
        self.player.replay().halted.clone().unwrap_or_default()
    }

    /// Starts over with the next `seek`: what was drawn is not to be relied on.
    pub fn forget(&mut self) {
        self.player.forget();
    }

    /// Whether it ended because of the limit for textures and buffers.
    #[wasm_bindgen(getter, js_name = lacksBytes)]
    pub fn lacks_bytes(&mut self) -> bool {
        self.player.replay().lacks_bytes
    }

    /// Shows draws as lines from the next beginning on.
    pub fn wireframe(&mut self, on: bool) {
        self.player.set_wireframe(on);
    }

    /// The calls before which draws to windows, and to framebuffers of the trace, are not needed
    /// for a picture at `call`, once all calls were looked at.
    #[wasm_bindgen(js_name = skipBefore)]
    pub fn skip_before(&self, call: f64) -> Vec<f64> {
        self.player.skip_before(call as u64).iter().map(|call| *call as f64).collect()
    }

    /// The frames, once all calls were looked at: `{from, to}`, columns of the calls that begin and
    /// end them. The last one has no end if it is not finished.
    pub fn frames(&self) -> JsValue {
        let frames = self.player.frames();
        let from: Vec<f64> = frames.iter().map(|frame| frame.from as f64).collect();
        let to: Vec<f64> =
            frames.iter().map(|frame| if frame.to == u64::MAX { f64::INFINITY } else { frame.to as f64 }).collect();
        let draws: Vec<f64> = frames.iter().map(|frame| frame.draws as f64).collect();
        let column = |numbers: &[f64]| js_sys::Float64Array::from(numbers).into();
        object(&[("from", column(&from)), ("to", column(&to)), ("draws", column(&draws))])
    }

    /// What is known of draws:
    /// `{draws, unshown, reasons: {reason, count, first}[], calls, why, shaders, halted}`. `calls`
    /// are those that cannot be shown, `why` the index of the reason of each.
    pub fn verdict(&mut self) -> JsValue {
        let halted = self.halted();
        let verdict = &self.player.replay().verdict;
        let reasons: Array = verdict
            .reasons
            .iter()
            .map(|(reason, count, first)| {
                object(&[("reason", JsValue::from_str(reason)), ("count", number(*count)), ("first", number(*first))])
            })
            .collect();
        let draw_calls = Uint32Array::from(&verdict.calls[..]);
        let calls: Vec<f64> = verdict.listed.iter().map(|(call, _)| *call as f64).collect();
        let why: Vec<u32> = verdict.listed.iter().map(|(_, why)| *why).collect();
        let shaders: Array = verdict
            .shaders
            .iter()
            .map(|shader| {
                object(&[
                    ("call", number(shader.call)),
                    ("source", JsValue::from_str(&shader.source)),
                    ("shown", JsValue::from_str(&shader.shown)),
                    ("log", JsValue::from_str(&shader.error)),
                ])
            })
            .collect();
        object(&[
            ("draws", number(verdict.draws)),
            ("drawCalls", draw_calls.into()),
            ("unshown", number(verdict.unshown)),
            ("reasons", reasons.into()),
            ("calls", js_sys::Float64Array::from(&calls[..]).into()),
            ("why", Uint32Array::from(&why[..]).into()),
            ("shaders", shaders.into()),
            ("halted", halted.into()),
        ])
    }

    /// The source of a shader of a program, and the call that compiled it: `{call, source}`, or
    /// null.
    pub fn shader(&mut self, program: u32, fragment: bool) -> JsValue {
        let made = self.player.replay().programs.get(&program);
        let side = usize::from(fragment);
        let found = made.and_then(|made| Some((made.calls.get(side)?, made.source(side))));
        found.map_or(JsValue::NULL, |(call, source)| {
            object(&[("call", number(*call)), ("source", JsValue::from_str(source))])
        })
    }
}
