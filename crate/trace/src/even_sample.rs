//! A bounded sample of values that come one after the other.

use alloc::vec::Vec;

/// Values that are evenly spread over all that came: every one, every second, every fourth and so
/// on. The first is among them.
#[derive(Clone, Debug, PartialEq)]
pub struct EvenSample<T> {
    values: Vec<T>,
    seen: u64,
    /// One in this number is kept.
    every: u64,
}

impl<T> Default for EvenSample<T> {
    fn default() -> Self {
        Self { values: Vec::new(), seen: 0, every: 1 }
    }
}

impl<T> EvenSample<T> {
    /// Takes the next value. When there are `most`, at least 2, every second one goes.
    #[inline]
    pub fn add(&mut self, value: T, most: usize) {
        if self.seen.is_multiple_of(self.every) {
            self.values.push(value);
            if self.values.len() >= most {
                self.thin();
            }
        }
        self.seen += 1;
    }

    #[cold]
    fn thin(&mut self) {
        let mut is_kept = false;
        self.values.retain(|_| {
            is_kept = !is_kept;
            is_kept
        });
        self.every *= 2;
    }

    /// The values that are kept, in their order.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Whether all that came are kept.
    pub fn is_all(&self) -> bool {
        self.every == 1
    }

    /// Memory of the values in bytes.
    pub fn bytes(&self) -> usize {
        self.values.capacity() * size_of::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_kept_evenly_and_the_first_always() {
        let mut sample = EvenSample::default();
        (0..7).for_each(|value| sample.add(value, 8));
        assert!(sample.is_all() && sample.values() == [0, 1, 2, 3, 4, 5, 6]);
        (7..20).for_each(|value| sample.add(value, 8));
        assert!(!sample.is_all() && sample.values() == [0, 4, 8, 12, 16]);
    }
}
