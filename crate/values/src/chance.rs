//! Whether two variables that have nothing to do with one another would be in an order as often as
//! two are: `seed <= i` holds nearly always if `i` is nearly always the greater number.

use unspool_trace::even_sample::EvenSample;

/// Values of a variable that are compared with those of another one.
const MOST: usize = 64;
/// Different values of a variable that varies.
const DIFFERENT: usize = 8;
/// The square of how many standard deviations an order is beyond what is expected: above 2.326 of
/// them are less than one of a hundred cases.
const SURE: f64 = 5.41;

/// Values of a variable, evenly spread over its points.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sample(EvenSample<f64>);

impl Sample {
    /// Takes the next value.
    pub(crate) fn add(&mut self, value: f64) {
        self.0.add(value, 2 * MOST);
    }

    /// Whether at least eight of its values differ.
    pub(crate) fn is_varied(&self) -> bool {
        let mut values = self.0.values().to_vec();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        values.len() >= DIFFERENT
    }
}

/// Whether `low <= high` holds at `holds` of `all` points although chance would make it hold so
/// often in less than one of a hundred cases: if the values of each were dealt out to the points
/// again.
pub(crate) fn is_telling(low: &Sample, high: &Sample, holds: u64, all: u64) -> bool {
    let pairs = low.0.values().iter().flat_map(|low| high.0.values().iter().map(move |high| low <= high));
    let (mut ordered, mut count) = (0_u64, 0_u64);
    for is_ordered in pairs {
        ordered += u64::from(is_ordered);
        count += 1;
    }
    // Never quite 0 or 1: a sample is not all.
    let share = (ordered + 1) as f64 / (count + 2) as f64;
    let (expected, variance) = (all as f64 * share, all as f64 * share * (1.0 - share));
    // Half a point nearer, as counts are whole.
    let beyond = holds as f64 - expected - 0.5;
    beyond > 0.0 && beyond * beyond > SURE * variance
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: impl IntoIterator<Item = f64>) -> Sample {
        let mut sample = Sample::default();
        values.into_iter().for_each(|it| sample.add(it));
        sample
    }

    #[test]
    fn an_order_that_chance_would_make_says_nothing() {
        let (i, size) = (sample((0..110).map(f64::from)), sample((0..110).map(|it| f64::from(it % 23 + 40))));
        assert!(is_telling(&i, &size, 109, 110) && !is_telling(&size, &i, 60, 110));
        // Small numbers are nearly always below large ones.
        let seed = sample((0..218).map(|it| f64::from(it * 7 % 100)));
        let large = sample((0..218).map(|it| f64::from(it * 50)));
        assert!(!is_telling(&seed, &large, 217, 218));
        // A loop up to one of two sizes ends there, and the numbers vary or not.
        let two = sample((0..110).map(|it| if it % 3 == 0 { 16.0 } else { 32.0 }));
        assert!(is_telling(&sample((0..110).map(|it| f64::from(it % 40))), &two, 109, 110));
        assert!(i.is_varied() && size.is_varied() && !two.is_varied());
    }
}
