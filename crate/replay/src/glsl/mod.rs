//! GLSL of OpenGL 2 to 4.6 and OpenGL ES, translated to GLSL ES 3.00.

mod builtins;
pub(crate) mod channels;
mod check;
pub(crate) mod clips;
mod constants;
mod cost;
mod preprocess;
mod tokens;
mod translate;
mod translations;
mod views;

pub(crate) use translate::{Input, Output, Source, Stage, Translated};
pub(crate) use translations::{Sources, Translations};
