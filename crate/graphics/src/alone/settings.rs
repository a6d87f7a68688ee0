//! Settings that the machine has no cell of: functions of extensions and of the fixed function, and
//! parameters that it does not know.

use unspool_gl::gl;
use unspool_gl::machine::parameters::{attribute_bits, find};

use super::functions::longest;
use super::groups::Class;

/// A setting: a name, how it is read, how many of the arguments choose it, and the bits of
/// `glPushAttrib` that keep it, if they are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    pub(super) name: &'static str,
    pub(super) class: Class,
    pub(super) keys: u8,
    /// It belongs to the active texture unit.
    pub(super) is_of_unit: bool,
    pub(super) bits: Option<u32>,
}

const fn plain(name: &'static str, keys: u8) -> Setting {
    Setting { name, class: Class::State, keys, is_of_unit: false, bits: None }
}

const fn kept(name: &'static str, keys: u8, bits: u32) -> Setting {
    Setting { bits: Some(bits), ..plain(name, keys) }
}

const fn of_pixels(name: &'static str) -> Setting {
    Setting { class: Class::Pixels, ..plain(name, 1) }
}

const fn of_unit(name: &'static str) -> Setting {
    Setting { is_of_unit: true, ..kept(name, 2, gl::TEXTURE_BIT) }
}

/// Functions without `gl`: those of a name set the same.
const SETTINGS: [(&str, Setting); 38] = [
    ("BindProgram", plain("assembly programs", 1)),
    ("ClampColor", plain("colour clamping", 1)),
    ("DepthBounds", plain("depth bounds", 0)),
    ("Disable", kept("switches", 1, gl::ENABLE_BIT)),
    ("DisableClientState", plain("client arrays", 1)),
    ("DisableIndexed", plain("indexed switches", 2)),
    ("Disablei", plain("indexed switches", 2)),
    ("Enable", kept("switches", 1, gl::ENABLE_BIT)),
    ("EnableClientState", plain("client arrays", 1)),
    ("EnableIndexed", plain("indexed switches", 2)),
    ("Enablei", plain("indexed switches", 2)),
    ("Fog*", kept("fog", 1, gl::FOG_BIT)),
    ("Hint", kept("hints", 1, gl::HINT_BIT)),
    ("LightModel*", kept("light model", 1, gl::LIGHTING_BIT)),
    ("Light*", kept("lights", 2, gl::LIGHTING_BIT)),
    ("Map1*", kept("evaluators", 1, gl::EVAL_BIT)),
    ("Map2*", kept("evaluators", 1, gl::EVAL_BIT)),
    ("MapGrid1*", kept("evaluator grid 1", 0, gl::EVAL_BIT)),
    ("MapGrid2*", kept("evaluator grid 2", 0, gl::EVAL_BIT)),
    ("Material*", kept("material", 2, gl::LIGHTING_BIT)),
    ("MemoryBarrier", plain("memory barrier", 0)),
    ("MemoryBarrierByRegion", plain("memory barrier", 0)),
    ("PatchParameterfv", plain("patch parameters", 1)),
    ("PatchParameteri", plain("patch parameters", 1)),
    ("PixelMapfv", of_pixels("pixel maps")),
    ("PixelMapuiv", of_pixels("pixel maps")),
    ("PixelMapusv", of_pixels("pixel maps")),
    ("PixelMapx", of_pixels("pixel maps")),
    ("PixelStoref", of_pixels("pixel storage")),
    ("PixelStorei", of_pixels("pixel storage")),
    ("PixelStorex", of_pixels("pixel storage")),
    ("PointParameter*", kept("point parameters", 1, gl::POINT_BIT)),
    ("PolygonStipple", kept("polygon stipple", 0, gl::POLYGON_STIPPLE_BIT)),
    ("ProgramEnvParameter4*", plain("assembly parameters", 2)),
    ("SampleMaski", plain("sample mask", 1)),
    ("TexEnv*", of_unit("texture environment")),
    ("TexGen*", of_unit("generated coordinates")),
    ("TextureBarrier", plain("texture barrier", 0)),
];

/// The first number of cells of settings: those of the machine are below it.
const FIRST: u16 = 0xff00;
/// The cell of conditional rendering.
pub(super) const CONDITION: u16 = FIRST - 2;
/// The cell of functions that set what is not known.
pub(super) const OTHERS: u16 = FIRST - 1;

impl Setting {
    /// The setting of a function, by its name without `gl`.
    pub(super) fn of(bare: &str) -> Option<Self> {
        longest(SETTINGS.iter().map(|(pattern, setting)| (*pattern, *setting)), bare)
    }

    /// The number of its cells.
    pub(super) fn what(&self) -> u16 {
        let at = SETTINGS.iter().position(|(_, setting)| setting.name == self.name);
        FIRST + at.unwrap_or_default() as u16
    }

    /// The setting with a number.
    pub(super) fn with(what: u16) -> Option<Self> {
        let at = what.checked_sub(FIRST)?;
        SETTINGS.get(usize::from(at)).map(|(_, setting)| *setting)
    }
}

/// Whether `glPopAttrib` takes back a cell of the state that pushed attributes of a mask have kept.
/// `None` if that is not known.
pub(super) fn is_restored(what: u16, mask: u32) -> Option<bool> {
    match Setting::with(what) {
        Some(setting) => setting.bits.map(|bits| bits & mask != 0),
        None if what == OTHERS => None,
        None => Some(attribute_bits(what) & mask != 0),
    }
}

/// A name for what is kept because of a cell of the state.
pub(super) fn name(what: u16) -> Option<String> {
    if let Some(setting) = Setting::with(what) {
        return Some(setting.name.into());
    }
    let title = find(what)?.group.title();
    let mut letters = title.chars();
    letters.next().map(|first| first.to_lowercase().collect::<String>() + letters.as_str())
}
