//! Functions of SQL that SQLite as rusqlite builds it lacks.
//! `web/features/sql/worker/sql_functions.ts` has those that sql.js lacks; tests/sql_functions.json
//! holds both to one meaning.

use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::{Type, ValueRef};
use rusqlite::{Connection, Error, Result};
use unspool_filter::pattern::{Regex, linked};

const PURE: FunctionFlags = FunctionFlags::SQLITE_UTF8.union(FunctionFlags::SQLITE_DETERMINISTIC);

/// Adds the functions to a connection.
pub(crate) fn add(connection: &Connection) -> Result<()> {
    for (name, rounded) in [("ceil", f64::ceil as fn(f64) -> f64), ("ceiling", f64::ceil), ("floor", f64::floor)] {
        // An integer stays one.
        connection.create_scalar_function(name, 1, PURE, move |context| match context.get_raw(0) {
            ValueRef::Integer(number) => Ok(Some(rusqlite::types::Value::Integer(number))),
            value => Ok(number_of(value).map(|number| rusqlite::types::Value::Real(rounded(number)))),
        })?;
    }
    for (name, function) in [
        ("sqrt", f64::sqrt as fn(f64) -> f64),
        ("exp", f64::exp),
        ("ln", f64::ln),
        ("log", f64::log10),
        ("log10", f64::log10),
        ("log2", f64::log2),
    ] {
        let of = move |context: &Context<'_>| Ok(number_of(context.get_raw(0)).and_then(|x| defined(function(x))));
        connection.create_scalar_function(name, 1, PURE, of)?;
    }
    let of_two = |context: &Context<'_>| number_of(context.get_raw(0)).zip(number_of(context.get_raw(1)));
    connection.create_scalar_function("log", 2, PURE, move |context| {
        Ok(of_two(context).and_then(|(base, x)| defined(x.ln() / base.ln())))
    })?;
    for name in ["pow", "power"] {
        connection.create_scalar_function(name, 2, PURE, move |context| {
            Ok(of_two(context).and_then(|(x, y)| defined(x.powf(y))))
        })?;
    }
    connection.create_scalar_function("regexp", 2, PURE, regexp)?;
    connection.create_aggregate_function("percentile", 2, PURE, Percentile)?;
    connection.create_aggregate_function("median", 1, PURE, Percentile)?;
    connection.create_aggregate_function("stddev", 1, PURE, StdDev)
}

/// A value as a number, as SQLite's own functions take it: text that is a number counts.
fn number_of(value: ValueRef<'_>) -> Option<f64> {
    match value {
        ValueRef::Integer(number) => Some(number as f64),
        ValueRef::Real(number) => Some(number),
        ValueRef::Text(text) => str::from_utf8(text).ok()?.trim().parse().ok(),
        ValueRef::Null | ValueRef::Blob(_) => None,
    }
}

/// A result. `None` outside of what a function is defined for.
fn defined(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

/// Whether a text has a match: `text regexp source`.
fn regexp(context: &Context<'_>) -> Result<Option<bool>> {
    let text_of = |at: usize| match context.get_raw(at) {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    };
    let (Some(source), Some(text)) = (text_of(0), text_of(1)) else { return Ok(None) };
    // SQLite keeps it from row to row if it is constant.
    let regex = context.get_or_create_aux(0, |_: ValueRef<'_>| linked(&source, false))?;
    Ok(Some(regex.place(&text).is_some()))
}

/// `percentile(x, p)` and `median(x)`.
struct Percentile;

impl Aggregate<(Vec<f64>, f64), Option<f64>> for Percentile {
    fn init(&self, _: &mut Context<'_>) -> Result<(Vec<f64>, f64)> {
        Ok((Vec::new(), 50.0))
    }

    fn step(&self, context: &mut Context<'_>, (numbers, percent): &mut (Vec<f64>, f64)) -> Result<()> {
        if context.len() > 1 {
            let wanted = column(context.get_raw(1)).filter(|wanted| (0.0..=100.0).contains(wanted));
            let wrong = "the second argument of percentile is not a number from 0 to 100";
            *percent = wanted.ok_or_else(|| Error::UserFunctionError(wrong.into()))?;
        }
        numbers.extend(column(context.get_raw(0)));
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, group: Option<(Vec<f64>, f64)>) -> Result<Option<f64>> {
        let Some((mut numbers, percent)) = group else { return Ok(None) };
        numbers.sort_by(f64::total_cmp);
        let place = numbers.len().saturating_sub(1) as f64 * percent / 100.0;
        let at = |place: f64| numbers.get(place as usize).copied();
        let interpolated = |(low, high): (f64, f64)| {
            if low == high { low } else { low + (high - low) * (place - place.floor()) }
        };
        Ok(at(place.floor()).zip(at(place.ceil())).map(interpolated))
    }
}

/// `stddev(x)`: that of a sample, by Welford's method, because the difference of two sums would
/// lose all digits of times since 1970.
struct StdDev;

impl Aggregate<(u64, f64, f64), Option<f64>> for StdDev {
    fn init(&self, _: &mut Context<'_>) -> Result<(u64, f64, f64)> {
        Ok((0, 0.0, 0.0))
    }

    fn step(&self, context: &mut Context<'_>, (count, mean, squares): &mut (u64, f64, f64)) -> Result<()> {
        let Some(number) = column(context.get_raw(0)) else { return Ok(()) };
        *count += 1;
        let off = number - *mean;
        *mean += off / *count as f64;
        *squares += off * (number - *mean);
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, state: Option<(u64, f64, f64)>) -> Result<Option<f64>> {
        Ok(state.filter(|(count, ..)| *count > 1).map(|(count, _, squares)| (squares / (count - 1) as f64).sqrt()))
    }
}

/// A number of a column. Texts and bytes are not counted.
fn column(value: ValueRef<'_>) -> Option<f64> {
    number_of(value).filter(|_| matches!(value.data_type(), Type::Integer | Type::Real))
}
