//! What differs as tables for other programs, in Apache Parquet.

use crate::flame::Tree;
use crate::parquet::{Column, Values, file};
use crate::profile::{Figures, Unit};
use crate::rows::{Comparison, Row};

/// The functions of both, in the order of their change: figures of each side, which are null if it
/// lacks the function, the change and the verdict. Times are in ticks of A.
pub fn functions(found: &Comparison) -> Vec<u8> {
    let rows = &found.rows;
    let mut columns = vec![
        Column { name: "name", values: Values::Text(rows.iter().map(|row| &*row.name).collect()) },
        Column { name: "name_b", values: Values::MaybeText(rows.iter().map(|row| row.name_b.as_deref()).collect()) },
    ];
    for (names, is_b) in [(&NAMES_A, false), (&NAMES_B, true)] {
        for (place, name) in names.iter().enumerate() {
            let figure = |row: &Row| if is_b { row.b } else { row.a }.and_then(|figures| figure(&figures, place));
            columns.push(Column { name, values: Values::MaybeInt(rows.iter().map(figure).collect()) });
        }
    }
    let whole = |change: i128| i64::try_from(change).unwrap_or(if change < 0 { i64::MIN } else { i64::MAX });
    let word = |row: &Row| row.finding.verdict.word();
    columns.extend([
        Column { name: "change", values: Values::Int(rows.iter().map(|row| whole(row.change)).collect()) },
        Column { name: "share", values: Values::Real(rows.iter().map(|row| row.share).collect()) },
        Column { name: "factor", values: Values::MaybeReal(rows.iter().map(|row| row.finding.factor).collect()) },
        Column {
            name: "without_common",
            values: Values::MaybeReal(rows.iter().map(|row| row.finding.without_common).collect()),
        },
        Column { name: "verdict", values: Values::Text(rows.iter().map(word).collect()) },
        Column { name: "confidence", values: Values::Real(rows.iter().map(|row| row.finding.confidence).collect()) },
    ]);
    file(&columns, &about(&found.unit))
}

/// The call paths of both, callers before their callees, with times in ticks of A. `parent` is the
/// `id` of the caller; null for outermost calls.
pub fn paths(found: &Comparison, tree: &Tree) -> Vec<u8> {
    let (mut id, mut parent, mut name) = (Vec::new(), Vec::new(), Vec::new());
    let mut figures: [Vec<i64>; 6] = Default::default();
    for (number, (above, row, both)) in (1..).zip(tree.nodes()) {
        id.push(number);
        parent.push(Some(i64::from(above)).filter(|above| *above > 0));
        name.push(found.rows.get(row as usize).map_or("", |row| &row.name));
        let of = [both.count, both.total, both.own].into_iter().flatten();
        figures.iter_mut().zip(of).for_each(|(column, value)| column.push(value.round() as i64));
    }
    let names = ["count_a", "count_b", "total_a", "total_b", "self_a", "self_b"];
    let mut columns = vec![
        Column { name: "id", values: Values::Int(id) },
        Column { name: "parent", values: Values::MaybeInt(parent) },
        Column { name: "name", values: Values::Text(name) },
    ];
    columns.extend(names.into_iter().zip(figures).map(|(name, of)| Column { name, values: Values::Int(of) }));
    file(&columns, &about(&found.unit))
}

const NAMES_A: [&str; 9] = ["count_a", "total_a", "self_a", "min_a", "median_a", "p90_a", "p99_a", "max_a", "bytes_a"];
const NAMES_B: [&str; 9] = ["count_b", "total_b", "self_b", "min_b", "median_b", "p90_b", "p99_b", "max_b", "bytes_b"];

/// A figure by its place among the names.
fn figure(figures: &Figures, place: usize) -> Option<i64> {
    let Figures { count, total, own, min, median, p90, p99, max, bytes } = *figures;
    let all = [count, total, own, min, median, p90, p99, max, bytes];
    all.get(place).map(|value| i64::try_from(*value).unwrap_or(i64::MAX))
}

/// The unit of times, and its frequency in Hz, if that is known.
fn about(unit: &Unit) -> Vec<(&'static str, String)> {
    let mut about = vec![("unit", unit.word().to_string())];
    if let Unit::Ticks { frequency: Some(frequency) } = unit {
        about.push(("frequency", frequency.to_string()));
    }
    about
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flame::Paths;
    use crate::{Function, Run, compare};

    #[test]
    fn tables_have_the_names_and_the_unit() {
        let figures = Figures { count: 3, own: 12, total: 12, ..Figures::default() };
        let function = Function { name: "parse<T>".into(), figures, ..Function::default() };
        let run = Run { functions: vec![function], ..Run::default() };
        let unit = Unit::Ticks { frequency: Some(2_000) };
        let found = compare(unit, std::slice::from_ref(&run), &[Run::default()]);
        let has = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
        let table = functions(&found);
        for text in ["parse<T>", "gone", "median_b", "frequency", "2000"] {
            assert!(has(&table, text), "{text}");
        }
        let mut of_a = Paths::default();
        for (row, parent) in [(0, u32::MAX), (0, 0)] {
            of_a.row.push(row);
            of_a.parent.push(parent);
            of_a.own.push(6.0);
            of_a.total.push(6.0);
            of_a.count.push(1.0);
        }
        let table = paths(&found, &Tree::new([&of_a, &Paths::default()]));
        assert!(has(&table, "parse<T>") && has(&table, "self_b"));
        // Node 1 is outermost, and node 2 is called by it.
        let parents = [vec![4, 0, 0, 0, 2, 0, 2, 1], 1_i64.to_le_bytes().to_vec()].concat();
        assert!(table.windows(parents.len()).any(|part| part == parents), "{table:?}");
    }
}
