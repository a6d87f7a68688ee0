//! Where the records of a thread are on the x axis, in little memory.

/// Positions that are kept of a thread at most: 2 MB.
const MOST: usize = 1 << 18;
/// No position is known.
const UNKNOWN: u64 = u64::MAX;

/// The positions of the records of a thread: of each, or, if there are many, of every second,
/// fourth, eighth and so on. Those between are near enough for a mark on a timeline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Positions {
    shift: u32,
    at: Vec<u64>,
}

impl Positions {
    /// Notes the position of a record by its number.
    #[inline]
    pub fn put(&mut self, number: usize, x: u64) {
        let index = number >> self.shift;
        if index << self.shift == number {
            self.keep(number, x);
        }
    }

    fn keep(&mut self, number: usize, x: u64) {
        while number >> self.shift >= MOST {
            self.at = self.at.iter().step_by(2).copied().collect();
            self.shift += 1;
        }
        let index = number >> self.shift;
        if index << self.shift != number {
            return;
        }
        if index >= self.at.len() {
            self.at.resize(index + 1, UNKNOWN);
        }
        if let Some(place) = self.at.get_mut(index) {
            *place = x;
        }
    }

    /// The positions of every 2^[`Positions::shift`]-th record.
    #[must_use]
    pub fn every(&self) -> &[u64] {
        &self.at
    }

    /// How many of the lowest bits of a number are not told apart.
    #[must_use]
    pub fn shift(&self) -> u32 {
        self.shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_record_has_its_position_as_long_as_there_are_few() {
        let mut positions = Positions::default();
        for (number, x) in [(1, 20), (0, 10), (3, 40)] {
            positions.put(number, x);
        }
        assert_eq!((positions.every(), positions.shift()), (&[10, 20, UNKNOWN, 40][..], 0));
    }

    #[test]
    fn of_many_records_every_second_one_has_its_position_and_so_on() {
        let mut positions = Positions::default();
        for number in 0..=2 * MOST {
            positions.put(number, 10 * number as u64);
        }
        assert_eq!((positions.every().len(), positions.shift()), (MOST / 2 + 1, 2));
        assert!(positions.every().iter().zip(0..).all(|(x, index)| *x == 40 * index));
    }
}
