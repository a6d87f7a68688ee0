//! Counters: values over time, with their extremes at every level of detail.

use unspool_trace::ValueKind;

use crate::chunked::Chunked;

const FAN_OUT: usize = 16;

/// A counter's value from a position on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    pub(crate) time: u64,
    /// The value, as the counter's [`ValueKind`] says.
    pub(crate) bits: u64,
}

/// The samples of one counter, sorted by time. Level k of the extremes has one entry for each 16^k
/// samples.
#[derive(Debug)]
pub(crate) struct Samples {
    kind: ValueKind,
    all: Chunked<Sample>,
    levels: Vec<Chunked<(u64, u64)>>,
    /// For each level, the extremes of what is not yet in an entry, and how many items that is.
    filling: Vec<((u64, u64), usize)>,
    /// The extremes of all samples. Infinities are left out, so that there is a scale for the
    /// others.
    range: Option<(u64, u64)>,
    /// Whether there is a negative and a positive infinity.
    infinite: (bool, bool),
}

impl Samples {
    pub(crate) fn new(kind: ValueKind) -> Self {
        Self {
            kind,
            all: Chunked::default(),
            levels: Vec::new(),
            filling: Vec::new(),
            range: None,
            infinite: (false, false),
        }
    }

    /// Appends a sample. One that comes before the last is moved to the last one's position.
    // A copy at each caller would make the page's module larger.
    #[inline(never)]
    pub(crate) fn push(&mut self, sample: Sample) {
        let last = self.all.len().checked_sub(1).and_then(|i| self.all.get(i)).map_or(0, |s| s.time);
        self.all.push(Sample { time: sample.time.max(last), ..sample });
        let kind = self.kind;
        let mut extremes = (sample.bits, sample.bits);
        let value = number(kind, sample.bits);
        if value.is_finite() {
            self.range = Some(self.range.map_or(extremes, |r| both(kind, r, extremes)));
        } else if value.is_infinite() {
            self.infinite = (self.infinite.0 || value < 0.0, self.infinite.1 || value > 0.0);
        }
        for level in 0.. {
            let Some((sum, count)) = self.filling.get_mut(level) else {
                self.filling.push((extremes, 1));
                self.levels.push(Chunked::default());
                return;
            };
            *sum = if *count == 0 { extremes } else { both(kind, *sum, extremes) };
            *count += 1;
            if *count < FAN_OUT {
                return;
            }
            *count = 0;
            extremes = *sum;
            if let Some(level) = self.levels.get_mut(level) {
                level.push(extremes);
            }
        }
    }

    /// The same bytes of the file, `width` of each value, as values of another type.
    pub(crate) fn read_as(&self, kind: ValueKind, width: u8) -> Self {
        let mut other = Self::new(kind);
        for sample in (0..self.len()).filter_map(|i| self.get(i)) {
            other.push(Sample { bits: read_as(self.kind, kind, width, sample.bits), ..sample });
        }
        other
    }

    pub(crate) fn kind(&self) -> ValueKind {
        self.kind
    }

    /// Frees unused capacity; nothing can be appended afterwards.
    pub(crate) fn close(&mut self) {
        self.all.close();
        self.levels.iter_mut().for_each(Chunked::close);
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The lowest and highest finite value. `None` without any.
    pub(crate) fn range(&self) -> Option<(f64, f64)> {
        self.range.map(|(low, high)| (self.number(low), self.number(high)))
    }

    /// Whether there is a negative and a positive infinity beyond the range.
    pub(crate) fn infinite(&self) -> (bool, bool) {
        self.infinite
    }

    /// The lowest and highest value, if a double cannot hold one of them.
    pub(crate) fn beyond_doubles(&self) -> Option<(i128, i128)> {
        let (low, high) = self.range?;
        let exact = |bits: u64| match self.kind {
            ValueKind::Unsigned | ValueKind::Address => Some(i128::from(bits)),
            ValueKind::Signed => Some(i128::from(bits as i64)),
            ValueKind::Float => None,
        };
        let (low, high) = (exact(low)?, exact(high)?);
        (low.unsigned_abs().max(high.unsigned_abs()) > 1 << 53).then_some((low, high))
    }

    /// The value of these bits, as the nearest double.
    pub(crate) fn number(&self, bits: u64) -> f64 {
        number(self.kind, bits)
    }

    pub(crate) fn get(&self, i: usize) -> Option<Sample> {
        self.all.get(i).copied()
    }

    /// The index of the first sample from `from` on that is at `time` or later.
    pub(crate) fn first_at(&self, from: usize, time: u64) -> usize {
        self.all.partition_point(from, |s| s.time < time)
    }

    /// The lowest and highest value of the samples from `from` up to `to`, as bits. `None` without
    /// any. A NaN is an extreme only if there is nothing else.
    pub(crate) fn extremes(&self, from: usize, to: usize, visited: &mut u64) -> Option<(u64, u64)> {
        let mut found: Option<(u64, u64)> = None;
        let mut i = from;
        while i < to {
            // The highest level at which an entry begins here and ends in time.
            let (mut level, mut width) = (0, 1);
            while i.is_multiple_of(width * FAN_OUT)
                && i + width * FAN_OUT <= to
                && self.levels.get(level).is_some_and(|l| l.len() > i / (width * FAN_OUT))
            {
                level += 1;
                width *= FAN_OUT;
            }
            let here = match level.checked_sub(1) {
                None => self.all.get(i).map(|s| (s.bits, s.bits)),
                Some(l) => self.levels.get(l).and_then(|l| l.get(i / width)).copied(),
            };
            *visited += 1;
            found = match (found, here) {
                (Some(a), Some(b)) => Some(both(self.kind, a, b)),
                (a, b) => a.or(b),
            };
            i += width;
        }
        found
    }

    /// Allocated memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.all.bytes() + self.levels.iter().map(Chunked::bytes).sum::<usize>()
    }
}

/// The bits of a value that takes `width` bytes in the file, as those of another type. A `float` of
/// 4 bytes is kept as a double.
fn read_as(from: ValueKind, to: ValueKind, width: u8, bits: u64) -> u64 {
    let unused = 64 - 8 * u32::from(width.clamp(1, 8));
    let raw = match (from, width) {
        (ValueKind::Float, 4) => u64::from((f64::from_bits(bits) as f32).to_bits()),
        _ => bits << unused >> unused,
    };
    match (to, width) {
        (ValueKind::Signed, _) => ((raw << unused) as i64 >> unused) as u64,
        (ValueKind::Float, 4) => f64::from(f32::from_bits(raw as u32)).to_bits(),
        _ => raw,
    }
}

fn number(kind: ValueKind, bits: u64) -> f64 {
    match kind {
        ValueKind::Unsigned | ValueKind::Address => bits as f64,
        ValueKind::Signed => bits as i64 as f64,
        ValueKind::Float => f64::from_bits(bits),
    }
}

/// The extremes of two ranges, compared exactly.
fn both(kind: ValueKind, a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    match kind {
        ValueKind::Unsigned | ValueKind::Address => (a.0.min(b.0), a.1.max(b.1)),
        ValueKind::Signed => ((a.0 as i64).min(b.0 as i64) as u64, (a.1 as i64).max(b.1 as i64) as u64),
        ValueKind::Float => {
            let of = f64::from_bits;
            (of(a.0).min(of(b.0)).to_bits(), of(a.1).max(of(b.1)).to_bits())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_of_any_range_are_exact_and_cheap() {
        let mut samples = Samples::new(ValueKind::Unsigned);
        let value = |i: u64| (i * 2_654_435_761) % 1009;
        for i in 0..20_000u64 {
            samples.push(Sample { time: i * 3, bits: value(i) });
        }
        for (from, to) in [(0, 1), (0, 20_000), (5, 17), (15, 4097), (4096, 8192), (1, 19_999)] {
            let mut visited = 0;
            let expected =
                (from..to).map(|i| value(i as u64)).fold((u64::MAX, 0), |r, v| both(ValueKind::Unsigned, r, (v, v)));
            assert_eq!(samples.extremes(from, to, &mut visited), Some(expected), "{from}..{to}");
            assert!(visited < 160, "{visited} looked at for {from}..{to}");
        }
        assert_eq!(samples.extremes(3, 3, &mut 0), None);
        assert_eq!((samples.first_at(0, 7), samples.first_at(2, 6)), (3, 2));
        assert_eq!(samples.range(), Some((0.0, 1008.0)));
        assert_eq!(samples.beyond_doubles(), None);
    }

    fn of(kind: ValueKind, bits: impl IntoIterator<Item = u64>) -> Samples {
        let mut samples = Samples::new(kind);
        (0..).zip(bits).for_each(|(time, bits)| samples.push(Sample { time, bits }));
        samples
    }

    #[test]
    fn bytes_of_the_file_are_read_as_another_type() {
        use ValueKind::{Float, Signed, Unsigned};
        let of_double = |value: f64| value.to_bits();
        let cases = [
            (Unsigned, Signed, 4, 0xffff_ffff, -1i64 as u64),
            (Unsigned, Signed, 1, 0x7f, 0x7f),
            (Unsigned, Signed, 8, u64::MAX, u64::MAX),
            (Signed, Unsigned, 2, -2i64 as u64, 0xfffe),
            (Signed, Float, 4, i64::from(0.5f32.to_bits() as i32) as u64, of_double(0.5)),
            (Unsigned, Float, 8, of_double(0.1), of_double(0.1)),
            (Float, Unsigned, 4, of_double(-0.5), u64::from((-0.5f32).to_bits())),
            (Float, Signed, 4, of_double(-0.5), i64::from((-0.5f32).to_bits() as i32) as u64),
            (Float, Signed, 8, of_double(-2.0), of_double(-2.0)),
        ];
        for (from, to, width, bits, expected) in cases {
            assert_eq!(read_as(from, to, width, bits), expected, "{from:?} as {to:?}, {width} bytes: {bits:#x}");
        }
        // The extremes of every level are those of the new type.
        let samples = of(Unsigned, (0..1000).map(|i| if i % 2 == 0 { 3 } else { 0xffff_fffe }));
        let signed = samples.read_as(Signed, 4);
        assert_eq!((signed.len(), signed.range()), (1000, Some((-2.0, 3.0))));
        assert_eq!(signed.extremes(16, 512, &mut 0), Some((-2i64 as u64, 3)));
        assert_eq!(samples.range(), Some((3.0, 4_294_967_294.0)));
    }

    #[test]
    fn signed_values_compare_exactly() {
        let values = [i64::MIN, i64::MIN + 1, -1, 0, i64::MAX - 1, i64::MAX];
        let samples = of(ValueKind::Signed, values.map(|v| v as u64));
        assert_eq!(samples.extremes(0, 6, &mut 0), Some((i64::MIN as u64, i64::MAX as u64)));
        // Two numbers that are the same double.
        assert_eq!(samples.extremes(4, 6, &mut 0), Some(((i64::MAX - 1) as u64, i64::MAX as u64)));
        assert_eq!(samples.range(), Some((i64::MIN as f64, i64::MAX as f64)));
        assert_eq!(samples.beyond_doubles(), Some((i64::MIN.into(), i64::MAX.into())));
        let samples = of(ValueKind::Unsigned, [u64::MAX - 1, u64::MAX]);
        assert_eq!(samples.extremes(0, 2, &mut 0), Some((u64::MAX - 1, u64::MAX)));
    }

    #[test]
    fn nan_is_no_extreme_and_infinity_no_scale() {
        let values = [f64::NAN, 1.5, f64::INFINITY, -2.5, -f64::NAN];
        let samples = of(ValueKind::Float, values.map(f64::to_bits));
        assert_eq!(samples.extremes(0, 5, &mut 0), Some(((-2.5f64).to_bits(), f64::INFINITY.to_bits())));
        assert_eq!((samples.range(), samples.infinite()), (Some((-2.5, 1.5)), (false, true)));
        let (low, high) = samples.extremes(0, 1, &mut 0).unwrap();
        assert!(samples.number(low).is_nan() && samples.number(high).is_nan());
        let many = (0..1000).map(|i| if i % 3 == 0 { f64::NAN } else { -f64::from(i) }.to_bits());
        assert_eq!(
            of(ValueKind::Float, many).extremes(0, 1000, &mut 0),
            Some(((-998f64).to_bits(), (-1f64).to_bits()))
        );
    }
}
