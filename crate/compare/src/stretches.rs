//! Typical self times by stretches of the run.
//!
//! Durations of one run are not independent: the machine is slower for a while, or interrupts some
//! calls for milliseconds. So calls of a function are divided into stretches of consecutive ones.
//! What is kept of a stretch is its typical self time: the mean of the middle half of its calls,
//! which calls that were interrupted do not change, and which is finer than the clock's resolution.

/// Most stretches of a function.
const MOST: usize = 32;

/// The typical self times of `functions` functions by stretch, in the order of time, from sampled
/// calls: the index of the function, the begin, and the self time of each. A function with few
/// calls has a stretch for each of them.
pub fn stretches(functions: usize, function: &[u32], start: &[f64], own: &[f64]) -> Vec<Vec<f64>> {
    // The indices of calls, by function: lists of the calls themselves would take as much again.
    let mut begins = vec![0; functions];
    for of in function {
        begins.get_mut(*of as usize).into_iter().for_each(|count| *count += 1);
    }
    let mut known = 0;
    for begin in &mut begins {
        known += std::mem::replace(begin, known);
    }
    let (mut order, mut ends) = (vec![0; known], begins.clone());
    for (i, of) in (0..).zip(function) {
        let Some(end) = ends.get_mut(*of as usize) else { continue };
        order.get_mut(*end).into_iter().for_each(|place| *place = i);
        *end += 1;
    }
    let call = |i: &usize| Some((*start.get(*i)?, *own.get(*i)?));
    let calls = begins.iter().zip(&ends).map(|(begin, end)| order.get(*begin..*end).unwrap_or_default());
    calls.map(|calls| typical(calls.iter().filter_map(call).collect())).collect()
}

fn typical(mut calls: Vec<(f64, f64)>) -> Vec<f64> {
    calls.sort_by(|one, two| one.0.total_cmp(&two.0));
    let stretches = calls.len().min(MOST);
    let edge = |stretch: usize| calls.len() * stretch / stretches;
    let own = |stretch| calls.get(edge(stretch)..edge(stretch + 1)).unwrap_or_default().iter().map(|(_, own)| *own);
    (0..stretches).map(|stretch| middle(own(stretch).collect())).collect()
}

/// The mean of the middle half of the values.
fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let out = values.len() / 4;
    let half = values.get(out..values.len() - out).unwrap_or_default();
    half.iter().sum::<f64>() / half.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_has_the_self_time_of_most_of_its_calls() {
        // The latest first. Each tenth call is interrupted. The second half of the run is slower.
        let calls: Vec<usize> = (0..6400).rev().collect();
        let start: Vec<f64> = calls.iter().map(|call| *call as f64).collect();
        let of = |call: &usize| {
            if call.is_multiple_of(10) {
                1e6
            } else if *call < 3200 {
                40.0
            } else {
                60.0
            }
        };
        let own: Vec<f64> = calls.iter().map(of).collect();
        let found = stretches(2, &vec![1; calls.len()], &start, &own);
        assert_eq!(found, [vec![], [vec![40.0; 16], vec![60.0; 16]].concat()]);
    }

    #[test]
    fn few_calls_are_stretches_of_their_own() {
        assert_eq!(stretches(1, &[0, 0, 0, 9], &[5.0, 1.0, 3.0, 2.0], &[7.0, 8.0, 9.0, 1.0]), [[8.0, 9.0, 7.0]]);
    }
}
