//! Pictures of a trace as PNG: its timeline, and a flame graph.

use font8x8::{BASIC_FONTS, UnicodeFonts};
use serde_json::{Value, json};
use unspool_engine::statistics::{CallPaths, Question};
use unspool_engine::{Session, Store};

/// Pixels.
const WIDTH: usize = 1280;
const ROW: usize = 14;
/// Rows of a track, and of a flame graph.
const MOST_ROWS: usize = 16;
const MOST_LEVELS: usize = 48;
const MOST_TRACKS: usize = 12;

type Colour = [u8; 3];
const PAPER: Colour = [255, 255, 255];
const INK: Colour = [20, 20, 24];
const RULE: Colour = [200, 200, 206];

/// A picture, and what it shows.
pub(super) struct Drawn {
    pub(super) png: Vec<u8>,
    pub(super) says: Value,
}

struct Canvas {
    height: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    fn new(height: usize) -> Self {
        Self { height, pixels: PAPER.repeat(WIDTH * height) }
    }

    fn fill(&mut self, x: std::ops::Range<usize>, y: std::ops::Range<usize>, colour: Colour) {
        for line in y.start..y.end.min(self.height) {
            let (from, to) = (x.start.min(WIDTH), x.end.min(WIDTH));
            let at = line * WIDTH;
            let Some(bytes) = self.pixels.get_mut(3 * (at + from)..3 * (at + to)) else { continue };
            bytes.as_chunks_mut::<3>().0.fill(colour);
        }
    }

    /// Draws as much of a text as there is room for, and nothing if that is less than two letters.
    fn text(&mut self, x: usize, y: usize, room: usize, text: &str) {
        let fits = room / 8;
        let len = text.chars().count();
        if fits < 2 {
            return;
        }
        let cut = if len > fits { fits - 1 } else { len };
        let shown = text.chars().take(cut).chain((len > fits).then_some('.'));
        for (at, letter) in shown.enumerate() {
            let glyph = BASIC_FONTS.get(letter).or_else(|| BASIC_FONTS.get('?')).unwrap_or_default();
            for (row, bits) in glyph.iter().enumerate() {
                for column in (0..8).filter(|column| bits >> column & 1 == 1) {
                    let left = x + 8 * at + column;
                    self.fill(left..left + 1, y + row..y + row + 1, INK);
                }
            }
        }
    }

    fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, WIDTH as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(bytes)
    }
}

/// A light colour that a name always has.
fn colour(name: &str) -> Colour {
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let part = |shift: u32| 150 + ((hash >> shift) % 96) as u8;
    [part(0), part(9), part(18)]
}

/// The slices of the tracks in their range.
///
/// # Errors
///
/// Returns the error of the encoder.
pub(super) fn timeline(session: &Session, question: &Question) -> Result<Drawn, png::EncodingError> {
    let store = session.store();
    let extent = session.progress().extent;
    let (first, last) = extent.map_or((0, 1), |extent| (extent.from, extent.to));
    let (from, to) = (question.from.max(first), question.to.min(last.saturating_add(1)).max(first + 1));
    let span = to.saturating_sub(from).max(1);
    let report = store.track_report();
    let tracks: Vec<_> = question.tracks.iter().filter_map(|id| report.get(*id as usize)).collect();
    let shown = tracks.get(..MOST_TRACKS).unwrap_or(&tracks);
    let rows = |rows: u32| (rows as usize).clamp(1, MOST_ROWS);
    let height: usize = shown.iter().map(|track| (rows(track.rows) + 2) * ROW).sum();
    let mut canvas = Canvas::new(height.max(2 * ROW));
    let x = |position: u64| {
        let along = u128::from(position.clamp(from, to) - from) * WIDTH as u128 / u128::from(span);
        along as usize
    };
    let (mut y, mut slices) = (0, 0_u64);
    let mut deeper = 0;
    for track in shown {
        canvas.fill(0..WIDTH, y..y + 1, RULE);
        canvas.text(4, y + 4, WIDTH, &track.name);
        let top = y + ROW + 2;
        // Of each row, up to where it is filled: what is narrower than a pixel is drawn once.
        let mut filled = [0; MOST_ROWS];
        for placed in store.ordered(&[track.id], from, to) {
            slices += 1;
            let row = usize::try_from(i64::from(placed.depth) - i64::from(track.lowest)).unwrap_or(0);
            let Some(filled) = filled.get_mut(row) else {
                deeper += 1;
                continue;
            };
            let (left, right) = (x(placed.slice.start), x(placed.slice.end));
            let right = right.max(left + 1);
            if right <= *filled {
                continue;
            }
            let name = store.name(store.calls().name(placed.slice.node));
            let line = top + row * ROW;
            canvas.fill(left.max(*filled)..right, line..line + ROW - 1, colour(name));
            canvas.text(left + 2, line + 3, (right - left).saturating_sub(4), name);
            *filled = right;
        }
        y += (rows(track.rows) + 2) * ROW;
    }
    let more = tracks.len() - shown.len();
    let mut left_out = Vec::new();
    if more > 0 {
        left_out.push(format!("{more} tracks: name one with track"));
    }
    if deeper > 0 {
        left_out.push(format!("{deeper} slices deeper than {MOST_ROWS} levels"));
    }
    let names: Vec<&str> = shown.iter().map(|track| track.name.as_str()).collect();
    let says = json!({
        "picture": "timeline", "from": from, "to": to, "tracks": names, "slices": slices, "left_out": left_out,
        "next": ["a narrower range", "details at a position"],
    });
    Ok(Drawn { png: canvas.png()?, says })
}

/// The call paths of the tracks in their range, by total time.
///
/// # Errors
///
/// Returns the error of the encoder.
pub(super) fn flame(session: &Session, question: &Question) -> Result<Drawn, png::EncodingError> {
    let store = session.store();
    let paths = CallPaths::of(store, question);
    let all: Vec<_> = paths.iter().collect();
    let mut children = vec![Vec::new(); all.len()];
    for (at, path) in all.iter().enumerate().skip(1).filter(|(_, path)| path.total > 0) {
        if let Some(of) = children.get_mut(path.parent as usize) {
            of.push(at);
        }
    }
    let total = all.first().map_or(0, |root| root.total);
    let mut boxes = Vec::new();
    let (mut narrow, mut deep) = (0_u64, 0_u64);
    // Paths that are still to be placed: number, left edge in time, level.
    let mut next = vec![(0_usize, 0_u64, 0_usize)];
    while let Some((at, left, level)) = next.pop() {
        let mut left = left;
        let mut below = children.get(at).cloned().unwrap_or_default();
        below.sort_by_key(|at| std::cmp::Reverse(all.get(*at).map_or(0, |path| path.total)));
        for child in below {
            let Some(path) = all.get(child) else { continue };
            let x = |time: u64| (u128::from(time) * WIDTH as u128 / u128::from(total.max(1))) as usize;
            let (from, to) = (x(left), x(left.saturating_add(path.total)));
            left = left.saturating_add(path.total);
            if to <= from {
                narrow += 1;
            } else if level >= MOST_LEVELS {
                deep += 1;
            } else {
                boxes.push((from, to, level, path.name));
                next.push((child, left - path.total, level + 1));
            }
        }
    }
    let levels = boxes.iter().map(|(_, _, level, _)| level + 1).max().unwrap_or(1);
    let mut canvas = Canvas::new((levels + 1) * ROW);
    let unit = crate::stats::unit(session);
    canvas.text(4, 3, WIDTH, &format!("{total} {unit}s"));
    for (from, to, level, name) in &boxes {
        draw(&mut canvas, store, (*from, *to), *level, *name);
    }
    let mut left_out = Vec::new();
    if narrow > 0 {
        left_out.push(format!("{narrow} paths narrower than a pixel, with what they call"));
    }
    if deep > 0 {
        left_out.push(format!("{deep} paths deeper than {MOST_LEVELS} levels"));
    }
    let says = json!({
        "picture": "flame graph, the outermost calls on top", "total": total, "unit": unit, "boxes": boxes.len(),
        "left_out": left_out, "next": ["stats by stack", "a range or a track"],
    });
    Ok(Drawn { png: canvas.png()?, says })
}

fn draw(canvas: &mut Canvas, store: &Store, (from, to): (usize, usize), level: usize, name: u32) {
    let name = store.name(name);
    let line = (level + 1) * ROW;
    // A gap between neighbours, if there is room for one.
    let right = if to - from > 2 { to - 1 } else { to };
    canvas.fill(from..right, line..line + ROW - 1, colour(name));
    canvas.text(from + 2, line + 3, (to - from).saturating_sub(4), name);
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with padding (RFC 4648, section 4).
pub(super) fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit = DIGITS.get((bits >> (18 - 6 * at) & 63) as usize).copied().unwrap_or(b'=');
            text.push(if at > group.len() { '=' } else { digit.into() });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        let pairs = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (text, expected) in pairs {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }

    #[test]
    fn what_is_drawn_outside_is_cut() {
        let mut canvas = Canvas::new(10);
        canvas.fill(WIDTH - 1..WIDTH + 50, 8..50, INK);
        canvas.text(WIDTH - 4, 5, 100, "long");
        assert_eq!(canvas.pixels.len(), 3 * WIDTH * 10);
        let dark = canvas.pixels.chunks(3).filter(|pixel| *pixel == INK).count();
        assert!(dark >= 2);
        assert!(canvas.png().unwrap().starts_with(b"\x89PNG"));
    }
}
