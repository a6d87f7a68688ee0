//! The replay, for JavaScript. Calls are numbers: an apitrace has fewer than 2^53.

use tsify::Ts;
use unspool_js::columns::{Float64Array, Uint8Array, Uint32Array};
use unspool_js::{JsFile, structures, thrown};
use wasm_bindgen::prelude::*;

use crate::driver::Bounds;
use crate::player::{Player, Turn};
use crate::written::{Holder, Written};

structures! {
    /// What a copy of all that was drawn has to hold.
    pub struct Drawn {
        /// The call that was executed last.
        pub call: f64,
        /// Five numbers a surface: whether it is a renderbuffer, number, internal format, width,
        /// height.
        #[tsify(type = "Uint32Array<ArrayBuffer>")]
        pub surfaces: Uint32Array,
    }

    /// What a player has emitted.
    pub struct Commands {
        /// The words of the commands.
        #[tsify(type = "Uint32Array<ArrayBuffer>")]
        pub words: Uint32Array,
        /// The bytes that they refer to.
        #[tsify(type = "Uint8Array<ArrayBuffer>")]
        pub bytes: Uint8Array,
    }

    /// How far a player is.
    pub struct Played {
        /// Calls that were executed.
        pub calls: f64,
        /// The next call.
        pub at: f64,
        /// Calls of the trace.
        pub count: f64,
    }

    /// What is drawn to.
    pub struct Target {
        /// Its number; 0 is the window.
        pub framebuffer: u32,
        /// Width in pixels.
        pub width: u32,
        /// Height in pixels.
        pub height: u32,
        /// Nothing shows through a window, whatever its alpha is.
        pub is_window: bool,
    }

    /// The frames of a trace, of all its windows, by the calls that end them.
    pub struct Frames {
        /// The first call after the swap before.
        pub from: Float64Array,
        /// The call that swaps the buffers; infinity for a frame that the trace does not finish.
        pub to: Float64Array,
        /// Draws and clears of the window.
        pub draws: Float64Array,
    }

    /// Draws that cannot be shown for one reason.
    pub struct Unshown {
        /// Why.
        pub reason: String,
        /// Number of them.
        pub count: f64,
        /// The first call.
        pub first: f64,
    }

    /// A shader that WebGL2 would not compile as it was translated.
    pub struct ShaderFailure {
        /// The call that compiled it; 0 if it is part of the fixed function.
        pub call: f64,
        /// What the trace has.
        pub source: String,
        /// What it was translated to.
        pub shown: String,
        /// What is wrong with it.
        pub log: String,
    }

    /// Which draws of a trace can be shown, as far as its calls tell.
    pub struct Coverage {
        /// Draws and clears.
        pub draws: f64,
        /// The calls that draw, in the order in which they returned, as far as they are listed.
        pub draw_calls: Uint32Array,
        /// Number of those that cannot be shown.
        pub unshown: f64,
        /// Why.
        pub reasons: Vec<Unshown>,
        /// The calls that cannot be shown, ascending, as far as they are listed.
        pub calls: Float64Array,
        /// The index of the reason of each.
        pub why: Uint32Array,
        /// Functions that are not replayed, and whose effect is not known: as the reasons.
        pub ignored: Vec<Unshown>,
        /// Shaders that cannot be shown.
        pub shaders: Vec<ShaderFailure>,
        /// Why calls after some were not looked at; empty if all were.
        pub halted: String,
    }

    /// An output of the vertex shader of a program.
    pub struct VertexOutput {
        /// In the trace.
        pub name: String,
        /// In the translation.
        pub shown: String,
        /// Its type in GLSL, without what makes it an array.
        pub type_name: String,
        /// What follows the name of an array, such as `[4]`; empty for anything else.
        pub array: String,
    }

    /// The outputs of the vertex shader of a program, without the position.
    pub struct VertexOutputs {
        /// In their order.
        pub all: Vec<VertexOutput>,
    }

    /// What the graphics processor wrote to a texture, renderbuffer or buffer.
    pub struct WrittenContent {
        /// The latest call that wrote it; -1 if none did since its latest upload of all of it.
        pub call: f64,
        /// The latest draw to it that cannot be shown, unless all of it was cleared since; -1
        /// without one.
        pub lacks: f64,
        /// Why it does not hold what it holds in the trace, or ''.
        pub problem: String,
        /// In WebGL2: the number of the texture, or 0; that of the renderbuffer, or 0; what the
        /// texture is bound to; width, height and depth of the level; its internal format.
        #[tsify(type = "Uint32Array<ArrayBuffer>")]
        pub surface: Uint32Array,
        /// Of a buffer.
        #[tsify(type = "Uint8Array<ArrayBuffer>")]
        pub bytes: Uint8Array,
    }

    /// The source of a shader.
    pub struct ShaderSource {
        /// The call that compiled it.
        pub call: f64,
        /// What the trace has.
        pub source: String,
    }
}

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

    /// What a copy of all that was drawn has to hold, after the latest call. `undefined` if
    /// something cannot be copied, or calls have overtaken each other.
    pub fn drawn(&mut self) -> Option<Ts<Drawn>> {
        let replay = self.player.replay();
        let call = replay.latest()? as f64;
        let surfaces = replay.drawn()?;
        let numbers = surfaces
            .iter()
            .flat_map(|it| [it.is_renderbuffer.into(), it.handle, it.format, it.width, it.height])
            .collect();
        Some(Drawn { call, surfaces: numbers }.cross())
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

    /// Takes the commands since the last time.
    pub fn take(&mut self) -> Ts<Commands> {
        let (words, bytes) = self.player.replay().stream.take();
        Commands { words: Uint32Array(words), bytes: Uint8Array(bytes) }.cross()
    }

    /// How far it is.
    pub fn progress(&self) -> Ts<Played> {
        let (calls, at) = self.player.progress();
        Played { calls: calls as f64, at: at as f64, count: self.player.count() as f64 }.cross()
    }

    /// What is drawn to, or the window if its buffers were just swapped.
    pub fn target(&mut self) -> Option<Ts<Target>> {
        let shown = self.player.replay().shown()?;
        let (framebuffer, width, height) = shown;
        let is_window = self.player.replay().window() == Some(shown);
        Some(Target { framebuffer, width, height, is_window }.cross())
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

    /// The same where only the first of the commands that were taken last were executed.
    pub fn interrupted(&mut self, words: &[u32]) {
        self.player.interrupted(words);
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

    /// The frames, once all calls were looked at.
    pub fn frames(&self) -> Ts<Frames> {
        let frames = self.player.frames();
        let call = |call: u64| if call == u64::MAX { f64::INFINITY } else { call as f64 };
        Frames {
            from: frames.iter().map(|frame| frame.from as f64).collect(),
            to: frames.iter().map(|frame| call(frame.to)).collect(),
            draws: frames.iter().map(|frame| frame.draws as f64).collect(),
        }
        .cross()
    }

    /// What is known of draws.
    pub fn verdict(&mut self) -> Ts<Coverage> {
        let halted = self.halted();
        let verdict = &self.player.replay().verdict;
        let unshown = |(reason, count, first): &(String, u64, u64)| Unshown {
            reason: reason.clone(),
            count: *count as f64,
            first: *first as f64,
        };
        let failure = |shader: &crate::shader_list::Listed| ShaderFailure {
            call: shader.call as f64,
            source: shader.source.to_string(),
            shown: shader.shown.clone(),
            log: shader.error.clone(),
        };
        Coverage {
            draws: verdict.draws as f64,
            draw_calls: Uint32Array(verdict.calls.clone()),
            unshown: verdict.unshown as f64,
            reasons: verdict.reasons.iter().map(unshown).collect(),
            calls: verdict.listed.iter().map(|(call, _)| *call as f64).collect(),
            why: verdict.listed.iter().map(|(_, why)| *why).collect(),
            ignored: verdict.ignored.iter().map(unshown).collect(),
            shaders: verdict.shaders.iter().map(failure).collect(),
            halted,
        }
        .cross()
    }

    /// The source of a shader of a program, and the call that compiled it.
    pub fn shader(&mut self, program: u32, fragment: bool) -> Option<Ts<ShaderSource>> {
        let made = self.player.replay().programs.get(&program)?;
        let side = usize::from(fragment);
        let call = *made.calls.get(side)? as f64;
        Some(ShaderSource { call, source: made.source(side).to_string() }.cross())
    }

    /// What an object of the trace holds, by share group and name. `level`: that of a texture; -1
    /// for a renderbuffer, -2 for a buffer.
    pub fn written(&mut self, group: u32, name: u32, level: i32) -> Option<Ts<WrittenContent>> {
        let holder = match level {
            -1 => Holder::Renderbuffer,
            -2 => Holder::Buffer,
            level => Holder::Texture(level as u32),
        };
        let Written { call, lacks, problem, surface, bytes } = self.player.replay().written(group, name, holder)?;
        let number = |call: Option<u64>| call.map_or(-1.0, |call| call as f64);
        let content = WrittenContent {
            call: number(call),
            lacks: number(lacks),
            problem: problem.unwrap_or_default().into(),
            surface: Uint32Array(surface.to_vec()),
            bytes: Uint8Array(bytes),
        };
        Some(content.cross())
    }

    /// The outputs of the vertex shader of a program.
    #[wasm_bindgen(js_name = vertexOutputs)]
    pub fn vertex_outputs(&mut self, program: u32) -> Option<Ts<VertexOutputs>> {
        let made = self.player.replay().programs.get(&program)?;
        let output = |(name, of): (&str, &crate::glsl::Output)| VertexOutput {
            name: name.into(),
            shown: of.shown.clone(),
            type_name: of.type_name.clone(),
            array: of.array.clone(),
        };
        Some(VertexOutputs { all: made.named_outputs().map(output).collect() }.cross())
    }
}
