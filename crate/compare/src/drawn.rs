//! What the OpenGL calls of two traces add up to, as a whole and in a frame.

use crate::sentence::{bytes, grouped};

/// What the calls of a trace add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// Frames; what comes after the last swap is one, too.
    pub frames: u64,
    /// Calls.
    pub calls: u64,
    /// Draws.
    pub draws: u64,
    /// Bytes that were uploaded.
    pub uploaded: u64,
}

/// A figure of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnFigure {
    /// Its key in JSON.
    pub key: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// It counts bytes.
    pub is_bytes: bool,
    /// In A and in B.
    pub of: [u64; 2],
}

impl DrawnFigure {
    /// A number of them in words.
    pub fn amount(&self, number: u64) -> String {
        if self.is_bytes { bytes(number) } else { grouped(number) }
    }

    /// The mean of a frame in words, of A, 0, or B, 1. '' without frames.
    pub fn per_frame(&self, side: usize, frames: u64) -> String {
        let mean = self.of.get(side).copied().unwrap_or(0) as f64 / frames as f64;
        match (frames, self.is_bytes) {
            (0, _) => String::new(),
            (_, true) => bytes(mean.round() as u64),
            (_, false) if mean < 100.0 && mean.fract() > 0.0 => format!("{mean:.1}"),
            (_, false) => grouped(mean.round() as u64),
        }
    }
}

/// Calls, draws and uploads of A and B.
pub fn figures([a, b]: [&Drawn; 2]) -> [DrawnFigure; 3] {
    let figure = |key, title, is_bytes, of: fn(&Drawn) -> u64| DrawnFigure { key, title, is_bytes, of: [of(a), of(b)] };
    [
        figure("calls", "Calls", false, |it| it.calls),
        figure("draws", "Draws", false, |it| it.draws),
        figure("uploaded", "Uploaded", true, |it| it.uploaded),
    ]
}

/// What of these figures differs, in words; '' if nothing does.
pub fn sentence(sides: [&Drawn; 2]) -> String {
    let [a, b] = sides;
    let mut parts = Vec::new();
    if a.frames != b.frames {
        parts.push(format!("Frames: {} in A and {} in B.", grouped(a.frames), grouped(b.frames)));
    }
    for it in figures(sides).iter().filter(|it| it.of[0] != it.of[1]) {
        let [in_a, in_b] = it.of.map(|number| it.amount(number));
        let (mean_a, mean_b) = (it.per_frame(0, a.frames), it.per_frame(1, b.frames));
        let means = match (mean_a == mean_b, mean_a.is_empty() || mean_b.is_empty()) {
            (_, true) => String::new(),
            (true, _) => format!(", {mean_a} a frame in both"),
            _ => format!(", {mean_a} and {mean_b} a frame"),
        };
        parts.push(format!("{}: {in_a} in A and {in_b} in B{means}.", it.title));
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_differ_are_said_with_their_means() {
        let a = Drawn { frames: 10, calls: 1_200, draws: 25, uploaded: 4_000 };
        let b = Drawn { draws: 30, uploaded: 2_500_000, ..a };
        assert_eq!(sentence([&a, &a]), "");
        assert_eq!(
            sentence([&a, &b]),
            "Draws: 25 in A and 30 in B, 2.5 and 3 a frame. \
             Uploaded: 4.00 kB in A and 2.50 MB in B, 400 B and 250 kB a frame."
        );
        let twice = Drawn { frames: 20, calls: 2_400, draws: 50, uploaded: 8_000 };
        assert!(sentence([&a, &twice]).starts_with(
            "Frames: 10 in A and 20 in B. Calls: 1,200 in A and 2,400 in B, 120 a frame in both. Draws: 25"
        ));
        let none = Drawn::default();
        assert!(sentence([&none, &a]).contains("Calls: 0 in A and 1,200 in B. "));
    }
}
