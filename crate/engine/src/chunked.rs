//! An array that grows without moving its elements.

/// Elements of the first chunk. Each further chunk holds as many as all chunks before it, up to
/// [`LARGEST`].
const SMALLEST: usize = 4;
const LARGEST: usize = 4096;
/// Chunks below the largest size: 4, 4, 8, 16, …, 2048. Together they hold [`LARGEST`] elements,
/// too.
const SMALL_CHUNKS: usize = (LARGEST / SMALLEST).trailing_zeros() as usize + 1;
/// An array of at most this many elements is copied into one chunk when it is closed.
const SHORT: usize = 256;

/// An append-only array. A growing `Vec` would copy hundreds of megabytes, and hold twice as much
/// while it does.
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
            let size = self.len.clamp(SMALLEST, LARGEST);
            reserve(&mut self.chunks);
            self.chunks.push(Vec::with_capacity(size));
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.push(value);
            self.len += 1;
        }
    }

    /// Frees unused capacity; nothing can be appended afterwards. A short array is copied into one
    /// chunk.
    pub(crate) fn close(&mut self) {
        if self.chunks.len() > 1 && self.len <= SHORT {
            let mut all = Vec::with_capacity(self.len);
            self.chunks.drain(..).for_each(|mut chunk| all.append(&mut chunk));
            self.chunks.push(all);
        } else if let Some(last) = self.chunks.last_mut() {
            last.shrink_to_fit();
        }
        self.chunks.shrink_to_fit();
    }

    /// Frees chunks of elements before this index, as far as they are whole. They are no longer
    /// there; the others keep their indices.
    pub(crate) fn forget(&mut self, before: usize) {
        let (chunk, _) = self.place(before);
        self.chunks.iter_mut().take(chunk).for_each(|chunk| *chunk = Vec::new());
    }

    /// The element at index `i`.
    pub(crate) fn get(&self, i: usize) -> Option<&T> {
        let (chunk, within) = self.place(i);
        self.chunks.get(chunk)?.get(within)
    }

    /// The elements from `from` on that are in the same chunk: at least one, unless `from` is out
    /// of range.
    pub(crate) fn run(&self, from: usize) -> &[T] {
        let (chunk, within) = self.place(from);
        self.chunks.get(chunk).and_then(|c| c.get(within..)).unwrap_or_default()
    }

    /// The first index from `low` on for which `before` is false. Requires that it is true for all
    /// elements before that one and false for all from there on.
    pub(crate) fn partition_point(&self, mut low: usize, before: impl Fn(&T) -> bool) -> usize {
        let mut high = self.len;
        // Gallop first: the result is mostly close by.
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

    /// Allocated memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.chunks.iter().map(|c| c.capacity() * size_of::<T>()).sum::<usize>()
            + self.chunks.capacity() * size_of::<Vec<T>>()
    }

    /// The chunk of index `i`, and the index within the chunk.
    #[inline]
    fn place(&self, i: usize) -> (usize, usize) {
        if i < SMALLEST || self.chunks.len() == 1 {
            // A closed array's only chunk may be larger than a first chunk otherwise is.
            return (0, i);
        }
        if i >= LARGEST {
            return (SMALL_CHUNKS - 1 + i / LARGEST, i % LARGEST);
        }
        // Chunk k holds as many elements as all chunks before it.
        let log = i.ilog2();
        ((log - SMALLEST.ilog2() + 1) as usize, i - (1 << log))
    }
}

/// Reserves room for one more element, and less ahead than a `Vec` does for its first few.
pub(crate) fn reserve<T>(to: &mut Vec<T>) {
    if to.len() == to.capacity() {
        to.reserve_exact((to.len() / 2).max(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_by_index() {
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
    fn closing_keeps_indices() {
        for len in (0..300).chain([4095, 4096, 4097, 9000]) {
            let mut a = Chunked::default();
            (0..len as u32).for_each(|i| a.push(i));
            a.close();
            assert!((0..len).all(|i| a.get(i) == Some(&(i as u32)) && a.run(i).first() == Some(&(i as u32))), "{len}");
            assert_eq!((a.get(len), a.len(), a.run(len).len()), (None, len, 0));
            let headers = a.chunks.len() * size_of::<Vec<u32>>();
            assert_eq!(a.bytes(), len * size_of::<u32>() + headers, "{len}");
            assert!(len > SHORT || a.chunks.len() <= 1, "{len}");
        }
    }

    #[test]
    fn partition_point_gallops() {
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
