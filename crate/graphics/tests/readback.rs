//! Textures hold what Mesa read back after the same uploads: every format, type, pixel store and
//! target.
//!
//! The fixture is a recording of `scripts/uploads.py` and what that printed. Mesa's decoders are
//! not ours.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test that panics has done its work")]

use std::fmt::Write as _;

use unspool_gl::pixels::{Base, Image};

use crate::common::{fixture, indexed};
use unspool_graphics::resources::{Contents, Kind};
use unspool_graphics::{Call, CallVisitor, Reader, Survey};

/// A layer of a level of a texture, as Mesa has it.
struct Layer<'a> {
    texture: u32,
    level: u32,
    layer: u32,
    width: u32,
    height: u32,
    /// How many numbers of a texel follow.
    kind: &'a str,
    /// Which call of `glGetTexImage` read it.
    read: usize,
    what: &'a str,
    numbers: Vec<f64>,
}

fn layers(text: &str) -> Vec<Layer<'_>> {
    let mut found: Vec<Layer<'_>> = Vec::new();
    for line in text.lines() {
        if !line.starts_with("texture ") {
            let row = line.split(' ').map(|number| number.parse::<f64>().unwrap());
            found.last_mut().unwrap().numbers.extend(row);
            continue;
        }
        let words: Vec<&str> = line.splitn(11, ' ').collect();
        let number = |at: usize| words[at].parse::<u32>().unwrap();
        found.push(Layer {
            texture: number(1),
            level: number(3),
            layer: number(5),
            width: number(6),
            height: number(7),
            kind: words[8],
            read: words[9].parse().unwrap(),
            what: words[10],
            numbers: Vec::new(),
        });
    }
    found
}

/// How far a number may be from Mesa's, of which six digits are printed. OpenGL leaves some
/// roundings open.
fn tolerance(what: &str, theirs: f64) -> f64 {
    let has = |part: &str| what.contains(part);
    let is_signed = has("SIGNED");
    theirs.abs().max(1e-3) * 1e-5
        + match () {
            // Mixes of two colours: llvmpipe computes with eight bits.
            () if has("DXT") || has("RGTC") || has("LATC") || has("blocks") => {
                if is_signed {
                    2.01 / 127.0
                } else {
                    1.01 / 255.0
                }
            }
            // Mesa keeps 16 bits of the 11.
            () if has("11_EAC") => 1.01 / if is_signed { 32767.0 } else { 65535.0 },
            // sRGB is expanded in another way.
            () if has("ASTC") => 1.01 / 255.0,
            // Rounded towards zero.
            () if has("DEPTH") => 1.01 / f64::from(1 << 24),
            () if has("R11F_G11F_B10F of floats") => theirs.abs() / 32.0,
            () if has("RGBA16F of floats") => theirs.abs() / 1024.0,
            // Mesa repeats the highest bits of 5 and 6 in place of scaling.
            () if has("RGB8 of 0x83") => 1.01 / 255.0,
            () => 0.0,
        }
}

/// The numbers of a texel that are compared: the place in ours, and in theirs.
fn compared(kind: &str, base: Base) -> Vec<(usize, usize)> {
    match kind {
        "depth" | "stencil" => vec![(0, 0)],
        "both" => vec![(0, 0), (1, 1)],
        _ => base.channels().iter().map(|(_, at)| (*at, *at)).collect(),
    }
}

/// Differences of a layer, a line each.
fn differences(theirs: &Layer<'_>, image: &Image, out: &mut String) {
    let per_texel = match theirs.kind {
        "depth" | "stencil" => 1,
        "both" => 2,
        _ => 4,
    };
    if (image.width, image.height) != (theirs.width, theirs.height) || theirs.layer >= image.depth {
        let _ = writeln!(out, "{}: {} x {} x {}", theirs.what, image.width, image.height, image.depth);
        return;
    }
    assert_eq!(theirs.numbers.len(), (theirs.width * theirs.height) as usize * per_texel, "{}", theirs.what);
    let mut wrong = 0;
    for y in 0..theirs.height {
        for x in 0..theirs.width {
            let texel = image.texel(x, y, theirs.layer).unwrap();
            let at = (y * theirs.width + x) as usize * per_texel;
            for (ours, other) in compared(theirs.kind, image.internal.base()) {
                let (ours, other) = (texel[ours], theirs.numbers[at + other]);
                if (ours - other).abs() > tolerance(theirs.what, other) {
                    wrong += 1;
                    if wrong <= 2 {
                        let _ = writeln!(out, "{} at {x}, {y}, {}: {ours} for {other}", theirs.what, theirs.layer);
                    }
                }
            }
        }
    }
    if wrong > 0 {
        let _ = writeln!(out, "{}: {wrong} of {} wrong", theirs.what, theirs.numbers.len());
    }
}

/// The calls that read textures back.
#[derive(Default)]
struct Reads(Vec<u64>);

impl CallVisitor for Reads {
    fn function(&mut self, name: &str) -> Option<u32> {
        (name == "glGetTexImage").then_some(0)
    }

    fn call(&mut self, call: &Call) {
        self.0.push(call.number);
    }
}

#[test]
fn textures_hold_what_mesa_reads_back() {
    let text = String::from_utf8(fixture("graphics/uploads.txt")).unwrap();
    let (index, file) = indexed(fixture("graphics/uploads.trace"));
    let mut survey = Survey::open(&index, file.clone()).unwrap();
    while !survey.step(1).unwrap() {}
    let found = survey.resources();
    let mut reader = Reader::keeping(&index, file, u64::MAX).unwrap();
    let mut reads = Reads::default();
    reader.pass(0..reader.pieces(), &mut reads).unwrap();
    let all = layers(&text);
    assert!(all.len() > 250, "{}", all.len());
    let mut wrong = String::new();
    for theirs in &all {
        let call = reads.0[theirs.read];
        let texture = found.find(Kind::Texture, theirs.texture, call).unwrap();
        let held = Contents::new(found, &mut reader).texture(texture, theirs.level, call).unwrap();
        match (held.image, held.wrong) {
            (Some(image), None) => {
                assert!(image.is_known(theirs.layer), "{}", theirs.what);
                differences(theirs, &image, &mut wrong);
            }
            (_, why) => {
                let _ = writeln!(wrong, "{}: {}", theirs.what, why.map_or("nothing".into(), |why| why.to_string()));
            }
        }
    }
    assert_eq!(wrong, "");
}
