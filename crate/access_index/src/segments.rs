//! Which steps are in which segment.

/// The steps of each segment.
#[derive(Default)]
pub struct Segments {
    /// First and last step.
    spans: Vec<(u64, u64)>,
}

impl Segments {
    /// How many there are.
    pub fn count(&self) -> u32 {
        self.spans.len() as u32
    }

    /// Allocated memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.spans.capacity() * size_of::<(u64, u64)>()
    }

    /// Adds a segment with its first and last step.
    pub(crate) fn add(&mut self, span: (u64, u64)) {
        self.spans.push(span);
    }

    /// The first step of a segment.
    pub(crate) fn first(&self, segment: u32) -> u64 {
        self.spans.get(segment as usize).map_or(u64::MAX, |(first, _)| *first)
    }

    /// The last step of a segment.
    pub(crate) fn last(&self, segment: u32) -> u64 {
        self.spans.get(segment as usize).map_or(u64::MAX, |(_, last)| *last)
    }

    /// The last segment that begins up to a step.
    pub(crate) fn until(&self, step: u64) -> Option<u32> {
        self.spans.partition_point(|(first, _)| *first <= step).checked_sub(1).map(|at| at as u32)
    }

    /// The segment of a step, and its distance from the first one.
    pub(crate) fn place(&self, step: u64) -> Option<(u32, usize)> {
        let at = self.until(step)?;
        (step <= self.last(at)).then_some((at, (step - self.first(at)) as usize))
    }
}
