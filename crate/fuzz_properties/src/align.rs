//! Sequences that are aligned.

use unspool_compare::align::Alignment;

use crate::Choices;

/// Bytes cut in two at a place are the tokens of two traces, each repeated some times. The runs of
/// their alignment rise and are equal, what lies between is in hunks, turns of any length give the
/// same, and the work is linear.
pub(crate) fn aligned(bytes: &[u8]) {
    let mut choices = Choices::of(bytes);
    let cut = choices.below(bytes.len() as u64 + 1) as usize;
    let mut side = |bytes: &[u8]| -> Vec<u32> {
        let turns = 1 + choices.below(40) as usize;
        bytes.repeat(turns).into_iter().take(60_000).map(u32::from).collect()
    };
    let (a, b) = (side(&bytes[..cut]), side(&bytes[cut..]));
    let whole = Alignment::of(&a, &b);
    let mut at = (0, 0);
    let mut between = Vec::new();
    for run in whole.runs() {
        assert!(run.length > 0 && run.a >= at.0 && run.b >= at.1, "{run:?} after {at:?}");
        if (run.a, run.b) != at {
            between.push(((at.0, run.a), (at.1, run.b)));
        }
        let same = |from: u32, of: &[u32]| of[from as usize..(from + run.length) as usize].to_vec();
        assert_eq!(same(run.a, &a), same(run.b, &b));
        at = (run.a + run.length, run.b + run.length);
    }
    if at != (a.len() as u32, b.len() as u32) {
        between.push(((at.0, a.len() as u32), (at.1, b.len() as u32)));
    }
    let hunks: Vec<_> = whole.hunks().iter().map(|hunk| (hunk.a, hunk.b)).collect();
    assert_eq!(hunks, between);
    if let Some((first, _)) = a.iter().zip(&b).enumerate().find(|(_, (a, b))| a != b) {
        assert_eq!((hunks[0].0.0, hunks[0].1.0), (first as u32, first as u32), "the first difference");
    }
    assert!(whole.work() < 1500 * (a.len() + b.len() + 10) as u64, "{} steps", whole.work());
    let mut parts = Alignment::new([a.len() as u32, b.len() as u32]);
    while !parts.turn([&a, &b], 1 + choices.below(5000)) {}
    assert_eq!(parts.runs(), whole.runs());
}
