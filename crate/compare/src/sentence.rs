//! What has changed, in words.

use unspool_trace::figures::{self, three_digits};

use crate::profile::Unit;
use crate::rows::{Comparison, Row};
use crate::verdict::Verdict;

/// Most functions that explain the change.
const EXPLAIN: usize = 3;
/// Most names in a list.
const LISTED: usize = 3;
/// From this difference on, what functions have in common is worth a sentence.
const COMMON: f64 = 0.01;

/// The total, the functions that explain most of it, what is new and what is gone.
pub fn sentence(found: &Comparison) -> String {
    let Comparison { unit, rows, own: (a, b), .. } = found;
    let mut parts = Vec::new();
    if rows.is_empty() {
        return "Neither trace has functions to compare.".into();
    }
    if !found.is_different() && rows.iter().all(|row| row.a == row.b) {
        return "No figure differs: each function has the same ones in A and in B.".into();
    }
    let verb = if unit.is_counted() { "make up" } else { "take" };
    parts.push(match b.cmp(a) {
        std::cmp::Ordering::Equal => format!("Functions {verb} {} in A and in B.", amount(unit, *a)),
        order => {
            let word = if order == std::cmp::Ordering::Greater { "more" } else { "less" };
            let percent = if *a == 0 { String::new() } else { format!(", {} of A", percent(*a, *b)) };
            let difference = amount(unit, a.abs_diff(*b));
            format!(
                "Functions {verb} {} in A and {} in B: {difference} {word}{percent}.",
                amount(unit, *a),
                amount(unit, *b)
            )
        }
    });
    let changed: Vec<String> =
        rows.iter().take(EXPLAIN).filter(|row| row.change != 0).map(|row| explained(unit, row)).collect();
    if !changed.is_empty() {
        let head = if a == b { "Changed most" } else { "Most of that" };
        parts.push(format!("{head}: {}.", changed.join(", ")));
    }
    if !found.is_different() {
        let (same, unsure) = (found.count(Verdict::Same), found.count(Verdict::Unsure));
        parts.push(format!("No function is slower, faster, new or gone: {same} the same, {unsure} unsure."));
    }
    for (head, verdict) in
        [("Slower", Verdict::Slower), ("Faster", Verdict::Faster), ("New", Verdict::New), ("Gone", Verdict::Gone)]
    {
        let names: Vec<&str> = with(rows, verdict).collect();
        let (listed, more) = names.split_at(names.len().min(LISTED));
        if !listed.is_empty() {
            let more =
                if more.is_empty() { String::new() } else { format!(" and {} more", grouped(more.len() as u64)) };
            parts.push(format!("{head}: {}{more}.", listed.join(", ")));
        }
    }
    if found.only_keys {
        let is_id = rows.iter().any(|row| row.name.starts_with('#'));
        let keys = if is_id { "numbers" } else { "addresses" };
        parts.push(format!(
            "Functions are joined by {keys}, because neither trace has names: in another build these are others."
        ));
    }
    if let Some(common) = found.common.filter(|common| (common - 1.0).abs() >= COMMON) {
        parts.push(format!(
            "Calls of most functions take {common:.2} times as long in B, which is taken for the machine."
        ));
    }
    parts.join(" ")
}

fn with(rows: &[Row], verdict: Verdict) -> impl Iterator<Item = &str> {
    rows.iter().filter(move |row| row.finding.verdict == verdict).map(|row| &*row.name)
}

/// A function, by how much its self time changed, and why.
fn explained(unit: &Unit, row: &Row) -> String {
    let sign = if row.change > 0 { "+" } else { "−" };
    let change = amount(unit, u64::try_from(row.change.unsigned_abs()).unwrap_or(u64::MAX));
    let word = row.finding.verdict.word();
    let calls = |figures: Option<crate::Figures>| figures.map_or(0, |figures| figures.count);
    let (before, after) = (calls(row.a), calls(row.b));
    let why = match (row.finding.verdict, row.finding.without_common.or(row.finding.factor)) {
        (Verdict::Slower | Verdict::Faster, Some(factor)) => format!("{word}, {factor:.2} times as long a call"),
        (Verdict::Same | Verdict::Unsure, _) if before != after => {
            format!("{} calls, {} in A", grouped(after), grouped(before))
        }
        (Verdict::Same, _) if row.change != 0 => "single calls: most take the same".into(),
        _ => word.into(),
    };
    format!("{} {sign}{change} ({why})", row.name)
}

/// A change as a signed percentage of A, with three digits.
fn percent(a: u64, b: u64) -> String {
    let percent = (b as f64 - a as f64) / a as f64 * 100.0;
    let sign = if percent < 0.0 { "−" } else { "+" };
    format!("{sign}{} %", three_digits(percent.abs()))
}

/// An amount with its unit: `12.6 ms`, `1,234 steps`.
pub fn amount(unit: &Unit, ticks: u64) -> String {
    match unit {
        Unit::Ticks { frequency: Some(frequency) } if *frequency > 0 => {
            figures::seconds(ticks as f64 / *frequency as f64)
        }
        Unit::Ticks { .. } => figures::counted(ticks, "tick"),
        Unit::Counted(noun) => figures::counted(ticks, noun),
    }
}

/// With commas between thousands.
pub fn grouped(number: u64) -> String {
    unspool_trace::problem::grouped(number).to_string()
}

/// Bytes in words: `2.50 MB`.
pub fn bytes(number: u64) -> String {
    let scales = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    // What rounds up to 1000 is one of the next unit.
    match scales.into_iter().find(|(scale, _)| number as f64 / scale >= 0.9995) {
        Some((scale, name)) => format!("{} {name}", three_digits(number as f64 / scale)),
        None => format!("{number} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::compare;
    use crate::{Figures, Function, Run};

    fn run(functions: &[(&str, u64, u64)]) -> Run {
        let function = |(name, count, own): &(&str, u64, u64)| Function {
            name: (*name).into(),
            figures: Figures { count: *count, own: *own, ..Figures::default() },
            stretches: vec![*own as f64 / *count as f64; 16],
            ..Function::default()
        };
        Run { functions: functions.iter().map(function).collect(), ..Run::default() }
    }

    #[test]
    fn amounts_have_three_digits() {
        let nanoseconds = Unit::Ticks { frequency: Some(1_000_000_000) };
        for (ticks, text) in [
            (0, "0 ns"),
            (7, "7.00 ns"),
            (999, "999 ns"),
            (1_234, "1.23 µs"),
            (999_900, "1.00 ms"),
            (12_600_000, "12.6 ms"),
            (1 << 43, "8,796 s"),
        ] {
            assert_eq!(amount(&nanoseconds, ticks), text);
        }
        assert_eq!(amount(&Unit::Ticks { frequency: None }, 1), "1 tick");
        assert_eq!(amount(&Unit::Counted("step".into()), 1234), "1,234 steps");
    }

    #[test]
    fn a_sentence_has_the_total_what_explains_it_and_what_is_new() {
        let a = run(&[("store", 800, 1_000_000), ("linear", 100, 500_000), ("same", 10, 10), ("often", 10, 1000)]);
        let b = run(&[("store", 800, 2_000_000), ("hashed", 100, 20_000), ("same", 10, 10), ("often", 20, 2000)]);
        let found = compare(Unit::Ticks { frequency: Some(1_000_000_000) }, std::slice::from_ref(&a), &[b]);
        assert_eq!(
            sentence(&found),
            "Functions take 1.50 ms in A and 2.02 ms in B: 521 µs more, +34.7 % of A. Most of that: store +1.00 ms \
             (slower, 2.00 times as long a call), linear −500 µs (gone), hashed +20.0 µs (new). Slower: store. New: \
             hashed. Gone: linear."
        );
        let found = compare(Unit::Counted("step".into()), std::slice::from_ref(&a), std::slice::from_ref(&a));
        assert_eq!(sentence(&found), "No figure differs: each function has the same ones in A and in B.");
        assert_eq!(
            sentence(&compare::<Run>(Unit::Counted("step".into()), &[], &[])),
            "Neither trace has functions to compare."
        );
    }

    #[test]
    fn functions_without_names_are_joined_by_numbers_and_the_sentence_says_so() {
        let of = |own| {
            let mut run = run(&[("#7", 10, own)]);
            run.functions[0].key = crate::Key::Id(7);
            run
        };
        let found = compare(Unit::Counted("step".into()), &[of(1000)], &[of(2000)]);
        assert!(sentence(&found).ends_with(
            "Slower: #7. Functions are joined by numbers, because neither trace has names: in another build these are \
             others."
        ));
    }

    #[test]
    fn more_calls_are_told_from_longer_ones() {
        let (a, b) = (run(&[("often", 10, 1000)]), run(&[("often", 20, 2000)]));
        let found = compare(Unit::Ticks { frequency: None }, &[a], &[b]);
        assert_eq!(
            sentence(&found),
            "Functions take 1,000 ticks in A and 2,000 ticks in B: 1,000 ticks more, +100 % of A. Most of that: often \
             +1,000 ticks (20 calls, 10 in A). No function is slower, faster, new or gone: 1 the same, 0 unsure."
        );
    }
}
