//! Where a binary lies in the addresses of a trace.
//!
//! Traces of instructions have addresses, and position-independent binaries are loaded anywhere. A
//! *base* is the address of the first page of a binary. It *explains* an address that was called if
//! one of the functions of the binary begins there.

use std::collections::HashMap;

use crate::image::PAGE;

/// Most pairs of an address and a function that are tried.
const MAX_PAIRS: u64 = 2 << 20;
/// Fewest called addresses that a base must explain if nothing but these suggests it.
const LEAST: usize = 3;
/// Bytes between places where functions begin, in most binaries.
const ALIGNMENT: u64 = 16;

/// What is known of a binary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout<'a> {
    /// The addresses that are loaded, as in the file.
    pub(crate) span: (u64, u64),
    /// The addresses at which it has functions.
    pub(crate) code: &'a [(u64, u64)],
    /// The addresses of its functions, sorted.
    pub(crate) starts: &'a [u64],
}

/// How many of the addresses that were called a base explains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fit {
    /// Functions of the binary begin there.
    pub(crate) explained: usize,
    /// They are in the code of the binary.
    pub(crate) inside: usize,
}

impl Layout<'_> {
    /// What is added to addresses of the file.
    pub(crate) fn shift(&self, base: u64) -> u64 {
        base.wrapping_sub(self.span.0)
    }

    /// The addresses in the trace, the one after the last included.
    pub(crate) fn range(&self, base: u64) -> (u64, u64) {
        (base, base.saturating_add(self.span.1.saturating_sub(self.span.0)))
    }

    /// How a base fits the addresses that were called, which are sorted.
    pub(crate) fn fit(&self, base: u64, called: &[u64]) -> Fit {
        let shift = self.shift(base);
        let mut fit = Fit::default();
        for (from, to) in self.code {
            let (from, to) = (from.wrapping_add(shift), to.wrapping_add(shift));
            let (first, last) = (called.partition_point(|it| *it < from), called.partition_point(|it| *it < to));
            let inside = called.get(first..last).unwrap_or_default();
            let is_start = |address: &&u64| self.starts.binary_search(&address.wrapping_sub(shift)).is_ok();
            fit.inside += inside.len();
            fit.explained += inside.iter().filter(is_start).count();
        }
        fit
    }

    /// Whether a base explains more than another binary would by accident. Functions begin at
    /// multiples of 16 bytes, so an address in the code of another binary hits one in as many cases
    /// as these places are taken.
    pub(crate) fn is_plausible(&self, fit: Fit) -> bool {
        let code: u64 = self.code.iter().map(|(from, to)| to.saturating_sub(*from)).sum();
        let places = (code / ALIGNMENT).max(1) as f64;
        let accident = (2.0 * self.starts.len() as f64 / places).min(0.5);
        fit.explained > 0 && fit.explained as f64 > fit.inside as f64 * accident
    }

    /// The base that explains most of the addresses that were called: it explains at least three,
    /// and twice as many as any other. `None` without one. `is_free` says whether the binary can be
    /// there.
    pub(crate) fn vote(&self, called: &[u64], is_free: impl Fn(u64) -> bool) -> Option<(u64, Fit)> {
        // Addresses keep their offsets in pages, wherever a binary is loaded.
        let mut by_offset: HashMap<u64, Vec<u64>> = HashMap::new();
        for start in self.starts {
            by_offset.entry(start % PAGE).or_default().push(*start);
        }
        let of = |address: &u64| by_offset.get(&(address % PAGE)).map_or(&[][..], Vec::as_slice);
        let pairs: u64 = called.iter().map(|address| of(address).len() as u64).sum();
        let stride = pairs.div_ceil(MAX_PAIRS).max(1) as usize;
        let mut bases: Vec<u64> = Vec::new();
        for address in called.iter().step_by(stride) {
            let base = |start: &u64| address.wrapping_sub(*start).wrapping_add(self.span.0);
            bases.extend(of(address).iter().filter(|start| *address >= **start - self.span.0.min(**start)).map(base));
        }
        bases.sort_unstable();
        // The bases with most votes, the best first.
        let mut best: Vec<(usize, u64)> = Vec::new();
        for same in bases.chunk_by(|a, b| a == b) {
            let (Some(base), votes) = (same.first(), same.len()) else { continue };
            if best.last().is_some_and(|(least, _)| best.len() == 8 && *least >= votes) || !is_free(*base) {
                continue;
            }
            let at = best.partition_point(|(more, _)| *more >= votes);
            best.insert(at, (votes, *base));
            best.truncate(8);
        }
        let mut fits: Vec<(Fit, u64)> = best.into_iter().map(|(_, base)| (self.fit(base, called), base)).collect();
        fits.sort_by_key(|(fit, _)| std::cmp::Reverse(fit.explained));
        let (fit, base) = *fits.first()?;
        let second = fits.get(1).map_or(0, |(fit, _)| fit.explained);
        let is_clear = fit.explained >= LEAST && fit.explained >= 2 * second;
        (is_clear && self.is_plausible(fit)).then_some((base, fit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Functions of different lengths, each at a multiple of 16.
    fn starts(seed: u64, count: usize) -> Vec<u64> {
        let mut state = seed;
        let mut at = 0x1000;
        (0..count)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                at += 16 * (1 + (state >> 33) % 20);
                at
            })
            .collect()
    }

    fn layout<'a>(starts: &'a [u64], code: &'a [(u64, u64)]) -> Layout<'a> {
        Layout { span: (0, code[0].1 + 0x2000), code, starts }
    }

    #[test]
    fn the_base_is_found_by_the_offsets_in_pages() {
        let functions = starts(1, 500);
        let code = [(0x1000, functions[499] + 0x100)];
        let layout = layout(&functions, &code);
        let base = 0x5555_5555_4000;
        let mut called: Vec<u64> = functions.iter().step_by(20).map(|it| it + base).collect();
        // Of other binaries.
        called.extend(starts(2, 60).iter().map(|it| it + 0x7fff_f7dd_0000));
        called.sort_unstable();
        let (found, fit) = layout.vote(&called, |_| true).unwrap();
        assert_eq!((found, fit), (base, Fit { explained: 25, inside: 25 }));
        assert!(layout.is_plausible(fit));
        assert_eq!(layout.vote(&called, |it| it != base), None, "others explain a few by accident");
        assert_eq!(layout.range(found), (base, base + layout.span.1));
    }

    #[test]
    fn another_binary_gets_no_base() {
        let (functions, others) = (starts(1, 2000), starts(7, 300));
        let code = [(0x1000, functions[1999] + 0x100)];
        let layout = layout(&functions, &code);
        let called: Vec<u64> = others.iter().map(|it| it + 0x40_0000).collect();
        assert_eq!(layout.vote(&called, |_| true), None);
        let fit = layout.fit(0x40_0000, &called);
        assert!(fit.explained > 0 && !layout.is_plausible(fit), "{fit:?}");
        assert_eq!(layout.vote(&[], |_| true), None);
        let two: Vec<u64> = functions[..2].iter().map(|it| it + 0x10_0000).collect();
        assert_eq!(layout.vote(&two, |_| true), None, "two addresses are too few");
    }

    #[test]
    fn many_pairs_are_sampled() {
        let functions: Vec<u64> = (0..40_000).map(|i| 0x1000 + i * 48).collect();
        let code = [(0x1000, 0x1000 + 48 * 40_000)];
        let layout = layout(&functions, &code);
        // Only the gaps differ.
        let called: Vec<u64> = functions.iter().step_by(7).map(|it| it + 0x7f00_0000_0000).collect();
        assert!(layout.fit(0x7f00_0000_0000, &called).explained == called.len());
        // Functions at equal distances fit at many bases: that is said to be unclear.
        assert_eq!(layout.vote(&called, |_| true), None);
    }
}
