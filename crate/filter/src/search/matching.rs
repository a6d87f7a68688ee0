//! Whether values, texts and instructions are as conditions want them.

use unspool_trace::{FieldValue, Use, printed, put_quoted};

use super::FloatText;
use crate::pattern::{Matcher, Pattern};
use crate::values::{Bound, Bounds, Number, Test};

/// Bytes of a text that is shown of what matched.
pub(super) const MOST_TEXT: usize = 120;

/// Whether a number is within bounds.
pub(super) fn is_within(bounds: &Bounds<Number>, value: FieldValue<'_>) -> bool {
    let compare = |bound: &Bound<Number>, above: bool| {
        let order = match (value, bound.value) {
            (FieldValue::F32(is), wanted) => is.partial_cmp(&match wanted {
                Number::Integer(n) => n as f32,
                Number::Float(n) => n as f32,
            }),
            (FieldValue::F64(is), Number::Integer(n)) => is.partial_cmp(&(n as f64)),
            (FieldValue::F64(is), Number::Float(n)) => is.partial_cmp(&n),
            (value, wanted) => match (integer(value), wanted) {
                (Some(is), Number::Integer(n)) => Some(is.cmp(&n)),
                (Some(is), Number::Float(n)) => (is as f64).partial_cmp(&n),
                (None, _) => None,
            },
        };
        order.is_some_and(|order| if order.is_eq() { bound.included } else { order.is_gt() == above })
    };
    let is_number = matches!(value, FieldValue::F32(_) | FieldValue::F64(_)) || integer(value).is_some();
    is_number && bounds.low.iter().all(|low| compare(low, true)) && bounds.high.iter().all(|high| compare(high, false))
}

fn integer(value: FieldValue<'_>) -> Option<i128> {
    match value {
        FieldValue::U64(n) | FieldValue::Hex(n) => Some(n.into()),
        FieldValue::I64(n) | FieldValue::Id(n) => Some(n.into()),
        FieldValue::Bool(is) => Some(is.into()),
        _ => None,
    }
}

/// Whether one of some bytes in memory has an address within bounds, which are whole numbers.
pub(super) fn touches(bounds: &Bounds<Number>, address: u64, len: usize) -> bool {
    let address = i128::from(address);
    let end = address + len as i128;
    let edge = |bound: Option<Bound<Number>>, step: i128, none: i128| match bound {
        Some(Bound { value: Number::Integer(n), included }) => {
            if included {
                n
            } else {
                n + step
            }
        }
        _ => none,
    };
    address <= edge(bounds.high, -1, i128::MAX) && end > edge(bounds.low, 1, i128::MIN) && len > 0
}

/// Whether a value is as a test says.
pub(super) fn passes(test: &Test, matcher: Option<&Matcher>, value: FieldValue<'_>) -> bool {
    // `arg.x:*` asks whether there is a value.
    if matches!(matcher, Some(Matcher::Plain(Pattern::Glob(glob))) if glob == "*") {
        return value != FieldValue::Null;
    }
    let is_text = |text: &str| matcher.is_some_and(|matcher| matcher.matches(text));
    match value {
        FieldValue::Symbol { name, value } => {
            is_text(name)
                || name.contains(" | ") && name.split(" | ").any(is_text)
                || !matches!(value, FieldValue::Symbol { .. }) && passes(test, None, *value)
        }
        FieldValue::Text(text) => is_text(text),
        // As lists show them.
        FieldValue::Bytes { bytes, len } if printed(bytes, len).is_some_and(is_text) => true,
        FieldValue::Bool(is) if is_text(if is { "true" } else { "false" }) => true,
        FieldValue::Null => is_text("null"),
        value => test.number.as_ref().is_some_and(|bounds| is_within(bounds, value)),
    }
}

/// [`passes`], for a register or memory: numbers of more than 64 bits come as texts of all their
/// digits.
pub(super) fn passes_wide(test: &Test, matcher: Option<&Matcher>, value: FieldValue<'_>) -> bool {
    let digits = match value {
        FieldValue::Text(text) => text.strip_prefix("0x"),
        _ => None,
    };
    let Some(digits) = digits.map(|digits| digits.trim_start_matches('0')) else { return passes(test, matcher, value) };
    let number = u64::from_str_radix(if digits.is_empty() { "0" } else { digits }, 16);
    passes(test, matcher, value)
        || passes(test, matcher, FieldValue::Text(&format!("0x{digits}")))
        || number.is_ok_and(|number| passes(test, matcher, FieldValue::Hex(number)))
}

/// Whether an operand is written, or read.
pub(super) fn is_use(used: Use, written: bool) -> bool {
    used == if written { Use::Written } else { Use::Read }
}

/// What a record does with an operand.
pub(super) fn verb(used: Use) -> &'static str {
    match used {
        Use::Read => "reads ",
        Use::Written => "writes ",
        Use::Tainted => "",
    }
}

/// A value as a short text, for what matched.
pub(super) fn shown(value: FieldValue<'_>, float_text: FloatText) -> String {
    match value {
        FieldValue::Null => "null".into(),
        FieldValue::Bool(is) => is.to_string(),
        FieldValue::U64(n) => n.to_string(),
        FieldValue::I64(n) | FieldValue::Id(n) => n.to_string(),
        FieldValue::Hex(n) => format!("{n:#x}"),
        FieldValue::F32(n) => float_text(n.into()),
        FieldValue::F64(n) => float_text(n),
        FieldValue::Text(text) => text.chars().take(MOST_TEXT).collect(),
        FieldValue::Symbol { name, .. } => name.into(),
        FieldValue::Bytes { bytes, len } => match printed(bytes, len) {
            Some(text) => {
                let mut out = String::new();
                put_quoted(&mut out, text, MOST_TEXT);
                out
            }
            None => hex(bytes),
        },
        FieldValue::Code { bytes, .. } => hex(bytes),
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// The part of a text around a match, in one line.
fn around(text: &str, (at, len): (usize, usize)) -> String {
    let from = (at.saturating_sub(24)..=at).find(|i| text.is_char_boundary(*i)).unwrap_or(at);
    let to = (at + len).saturating_add(48).min(text.len());
    let to = (at + len..=to).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(text.len());
    let part = text.get(from..to).unwrap_or_default().replace(['\n', '\r', '\t'], " ");
    format!("{}{part}{}", if from > 0 { "…" } else { "" }, if to < text.len() { "…" } else { "" })
}

pub(super) fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len().max(1)).any(|window| window == wanted)
}

/// Whether an instruction's text, whole words of it, its mnemonic, or the mnemonic after a prefix
/// is as wanted.
pub(super) fn is_instruction(matcher: &Matcher, text: &str) -> bool {
    const PREFIXES: &[&str] = &["rep", "repe", "repz", "repne", "repnz", "lock", "bnd", "notrack"];
    if let Matcher::Plain(Pattern::Exact(wanted)) = matcher
        && wanted.contains(' ')
    {
        return has_words(text, wanted);
    }
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    matcher.matches(text)
        || matcher.matches(first)
        || PREFIXES.contains(&first) && words.next().is_some_and(|second| matcher.matches(second))
}

/// Whether a text has another one in it, which neither begins nor ends within a word.
fn has_words(text: &str, wanted: &str) -> bool {
    let is_inner = |c: char| c.is_alphanumeric() || c == '_';
    let joins = |left: Option<char>, right: Option<char>| left.is_some_and(is_inner) && right.is_some_and(is_inner);
    text.match_indices(wanted).any(|(at, _)| {
        let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + wanted.len()..).unwrap_or_default());
        !joins(before.chars().next_back(), wanted.chars().next())
            && !joins(wanted.chars().next_back(), after.chars().next())
    })
}

/// Whether a word is the whole name of an argument or a variable.
pub(super) fn is_key(text: &Matcher, key: &str) -> bool {
    match text {
        Matcher::Plain(Pattern::Contains { part, case: true }) => part == key,
        Matcher::Plain(Pattern::Contains { part, case: false }) => part.eq_ignore_ascii_case(key),
        _ => false,
    }
}

/// Where a field has a text like this, as a part of it in one line.
pub(super) fn text_of(matcher: &Matcher, key: &str, value: FieldValue<'_>, is_outermost: bool) -> Option<String> {
    match value {
        // Words of the format itself, which are never searched for.
        FieldValue::Text(_) if is_outermost && matches!(key, "kind" | "mode") => None,
        FieldValue::Text(text) => matcher.place(text).map(|place| around(text, place)),
        FieldValue::Bytes { bytes, len } => {
            printed(bytes, len).and_then(|text| Some(around(text, matcher.place(text)?)))
        }
        FieldValue::Symbol { name, .. } => matcher.place(name).map(|_| name.to_string()),
        _ => None,
    }
}
