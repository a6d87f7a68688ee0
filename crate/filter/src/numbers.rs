//! Numbers and lengths, as they are written in filters.

use crate::values::Number;

/// A length: `digits × 10^-decimals` units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// All digits.
    pub digits: u64,
    /// How many of them are after the point.
    pub decimals: u32,
    /// Nanoseconds of a unit of time; `None` for ticks, calls or steps.
    pub unit: Option<u64>,
}

/// An integer in decimal or hexadecimal.
pub(crate) fn integer(text: &str) -> Result<Number, String> {
    match number(text) {
        Ok(Number::Integer(n)) => Ok(Number::Integer(n)),
        _ => Err("Expected a whole number, in decimal or as 0x1f.".into()),
    }
}

/// A number: `12`, `-3`, `1,000`, `0x1f`, `1.5`, `2e3`.
pub(crate) fn number(text: &str) -> Result<Number, String> {
    let wrong = || "Expected a number, such as 12, 0x1f or 1.5.".to_string();
    let plain: String = text.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let (sign, digits) = match plain.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, plain.as_str()),
    };
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let value = u64::from_str_radix(hex, 16).ok().filter(|_| !hex.starts_with('+'));
        return value.map(|value| Number::Integer(sign * i128::from(value))).ok_or_else(wrong);
    }
    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        return digits.parse::<u64>().map(|value| Number::Integer(sign * i128::from(value))).map_err(|_| wrong());
    }
    let is_float = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    plain.parse().ok().filter(|_| is_float).map(Number::Float).ok_or_else(wrong)
}

/// Names of units of time, and their nanoseconds.
const UNITS: &[(&str, u64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// A length: a number, with or without a unit of time.
pub(crate) fn length(text: &str) -> Result<Length, String> {
    let wrong = || "Expected a length, such as 1.5ms, 200us or 1000.".to_string();
    if let Some(hex) = text.strip_prefix("0x") {
        let digits = u64::from_str_radix(hex, 16).map_err(|_| wrong())?;
        return Ok(Length { digits, decimals: 0, unit: None });
    }
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '_'))).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = match unit {
        "" => None,
        unit => Some(UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?.1),
    };
    let plain: String = number.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    if !has_digits || fraction.contains('.') || (unit.is_none() && plain.contains('.')) {
        return Err(wrong());
    }
    // More than nine decimals of a unit are below a nanosecond of any of them.
    let fraction = fraction.get(..9).unwrap_or(fraction);
    let digits = format!("{whole}{fraction}").parse().map_err(|_| wrong())?;
    Ok(Length { digits, decimals: fraction.len() as u32, unit })
}
