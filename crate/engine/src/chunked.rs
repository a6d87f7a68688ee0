//! An array that grows without moving what is in it.

/// The first chunk holds this many elements, each further one twice as many up to [`LARGEST`].
const SMALLEST: usize = 16;
const LARGEST: usize = 4096;
/// Chunks before all are of the largest size: 16, 32, …, 2048.
const SMALL_CHUNKS: usize = (LARGEST / SMALLEST).trailing_zeros() as usize;
/// Elements in those.
const IN_SMALL: usize = LARGEST - SMALLEST;

/// Append-only. A plain `Vec` would copy hundreds of megabytes to grow, and hold twice of them while it does.
#[derive(Debug)]
pub(crate) struct Chunked<T> {
    chunks: Vec<Vec<T>>,
    len: usize,
}

impl<T> Default for Chunked<T> {
    fn default() -> Self {
        Self { chunks: Vec::new(), len: 0 }
    }
}

impl<T> Chunked<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn push(&mut self, value: T) {
        if self.chunks.last().is_none_or(|c| c.len() == c.capacity()) {
            let size = SMALLEST << self.chunks.len().min(SMALL_CHUNKS);
            self.chunks.push(Vec::with_capacity(size));
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.push(value);
            self.len += 1;
        }
    }

    /// The element with this index, if there is one.
    pub(crate) fn get(&self, i: usize) -> Option<&T> {
        let (chunk, within) = place(i);
        self.chunks.get(chunk)?.get(within)
    }

    /// The elements from `from` on that lie together with it, at least one if there is one.
    pub(crate) fn run(&self, from: usize) -> &[T] {
        let (chunk, within) = place(from);
        self.chunks.get(chunk).and_then(|c| c.get(within..)).unwrap_or_default()
    }

    /// The first index for which `before` does not hold; it holds for all before and none behind.
    pub(crate) fn partition_point(&self, mut low: usize, before: impl Fn(&T) -> bool) -> usize {
        let mut high = self.len;
        // Gallop first: what is looked for mostly lies close by.
        let mut stride = 1;
        while low + stride < high {
            if self.get(low + stride).is_some_and(&before) {
                low += stride;
                stride *= 2;
            } else {
                high = low + stride;
                break;
            }
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if self.get(middle).is_some_and(&before) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        self.chunks.iter().map(|c| c.capacity() * size_of::<T>()).sum::<usize>()
            + self.chunks.capacity() * size_of::<Vec<T>>()
    }
}

/// Chunk and place within it.
#[inline]
fn place(i: usize) -> (usize, usize) {
    if i >= IN_SMALL {
        let i = i - IN_SMALL;
        return (SMALL_CHUNKS + i / LARGEST, i % LARGEST);
    }
    // Chunk k begins at 16 * (2^k - 1).
    let chunk = (i / SMALLEST + 1).ilog2() as usize;
    (chunk, i - SMALLEST * ((1 << chunk) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_where_it_was_put() {
        let mut a = Chunked::default();
        for i in 0..20_000u32 {
            a.push(i);
        }
        assert_eq!(a.len(), 20_000);
        for i in 0..20_000u32 {
            assert_eq!(a.get(i as usize), Some(&i));
            assert_eq!(a.run(i as usize).first(), Some(&i));
        }
        assert_eq!(a.get(20_000), None);
        assert!(a.run(20_000).is_empty());
    }

    #[test]
    fn finds_by_galloping() {
        let mut a = Chunked::default();
        (0..10_000u32).for_each(|i| a.push(i * 2));
        for from in [0, 1, 100, 9_999] {
            for wanted in [0, 1, 2, 333, 19_997, 19_998, 50_000] {
                let expected = (from..10_000).find(|i| (*i as u32) * 2 >= wanted).unwrap_or(10_000);
                assert_eq!(a.partition_point(from, |v| *v < wanted), expected, "from {from}, {wanted}");
            }
        }
        assert_eq!(Chunked::<u32>::default().partition_point(0, |_| true), 0);
    }
}
