//! Answers of a stated size: what an agent reads is paid by length, and a name or a key of a trace
//! may be as long as its file.

use serde_json::{Map, Value};
use unspool_trace::is_invisible;

use crate::console::push_escaped;

/// Most characters of a text in an answer, and of a key.
const LONGEST: usize = 400;
const LONGEST_KEY: usize = 120;
/// Most characters of what is wrong, which may list the files of an archive.
const LONGEST_SENTENCE: usize = 8000;
/// Most bytes of an answer as JSON within JSON. The message around it stays below 64 KiB.
const MOST: usize = 60 << 10;

/// The beginning of what stands in place of items that are left out.
const MARK: &str = "…";
/// Bytes that a row has, and a field of a structure, before others are left out: with less it says
/// nothing any more.
const ROW: usize = 4000;
const FIELD: usize = 200;

/// An answer as text, with long texts and lists cut. What is cut says so in its place.
pub(super) fn to_size(mut answer: Value) -> String {
    shorten(&mut answer);
    let mut budget = MOST;
    loop {
        let cut = fit(answer.clone(), budget);
        let text = cut.to_string();
        // Quotes are escaped once more in the message.
        if escaped(&text) <= MOST || budget < 64 {
            return text;
        }
        budget = budget * 3 / 4;
    }
}

/// A sentence about a failure, at most this long whatever names it has.
pub(super) fn sentence(text: String) -> String {
    shortened(visible(text), LONGEST_SENTENCE)
}

/// The length in bytes of a text as a string of JSON.
fn escaped(text: &str) -> usize {
    let more = text.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count();
    text.len() + more + 5 * text.bytes().filter(|byte| *byte < b' ').count()
}

/// Cuts long texts and keys, and says so in them. Invisible characters become escapes, so that the
/// reader sees all that is there.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => *text = shortened(visible(core::mem::take(text)), LONGEST),
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(fields) => {
            for (_, value) in fields.iter_mut() {
                shorten(value);
            }
            if fields.keys().any(|key| key.len() > LONGEST_KEY || key.contains(is_invisible)) {
                let all = core::mem::take(fields);
                fields.extend(all.into_iter().map(|(key, value)| (shortened(visible(key), LONGEST_KEY), value)));
            }
        }
        _ => {}
    }
}

/// A text with escapes for invisible characters other than ends of lines and tabs, which JSON
/// escapes itself.
fn visible(text: String) -> String {
    let is_hidden = |c: char| is_invisible(c) && !matches!(c, '\n' | '\r' | '\t');
    if !text.contains(is_hidden) {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            push_escaped(&mut shown, c);
        } else {
            shown.push(c);
        }
    }
    shown
}

fn shortened(text: String, longest: usize) -> String {
    let len = if text.len() <= longest { 0 } else { text.chars().count() };
    if len <= longest {
        return text;
    }
    let first: String = text.chars().take(longest).collect();
    format!("{first}… ({} more characters)", len - longest)
}

/// Cuts lists and structures until they have about this many bytes as JSON. Parts that are small
/// stay whole, and those that are large share what is left.
fn fit(value: Value, budget: usize) -> Value {
    if value.to_string().len() <= budget {
        return value;
    }
    match value {
        Value::Array(items) => {
            let total = items.len();
            let mut kept = fit_all(items.into_iter().map(|item| (String::new(), item)).collect(), budget, ROW);
            if kept.len() < total {
                kept.push((String::new(), format!("{MARK} {} more", total - kept.len()).into()));
            }
            Value::Array(kept.into_iter().map(|(_, item)| item).collect())
        }
        Value::Object(fields) => {
            let total = fields.len();
            let lists: Vec<(String, usize)> =
                fields.iter().filter_map(|(key, field)| Some((key.clone(), field.as_array()?.len()))).collect();
            let mut kept = fit_all(fields.into_iter().collect(), budget, FIELD);
            if kept.len() < total {
                kept.push((MARK.into(), format!("{} more", total - kept.len()).into()));
            }
            let mut kept: Map<_, _> = kept.into_iter().collect();
            count_again(&mut kept, &lists);
            Value::Object(kept)
        }
        other => other,
    }
}

/// Fewer rows are listed than an answer says in `listed`, if the list with that many was cut.
fn count_again(fields: &mut Map<String, Value>, lists: &[(String, usize)]) {
    let listed = fields.get("listed").and_then(Value::as_u64);
    let of_rows = lists.iter().find(|(_, len)| Some(*len as u64) == listed);
    let rows = of_rows.and_then(|(key, _)| fields.get(key)?.as_array());
    if let Some(rows) = rows {
        let is_cut = rows.last().and_then(Value::as_str).is_some_and(|last| last.starts_with(MARK));
        let count = rows.len() - usize::from(is_cut);
        fields.insert("listed".into(), count.into());
    }
}

/// The first parts, as many as fit. `least`: bytes that a part has before others are left out for
/// it.
fn fit_all(parts: Vec<(String, Value)>, budget: usize, least: usize) -> Vec<(String, Value)> {
    let sizes: Vec<usize> = parts.iter().map(|(key, value)| key.len() + 4 + value.to_string().len()).collect();
    // The largest share with which all parts fit, if there is one: as water that is poured in.
    let mut sorted = sizes.clone();
    sorted.sort_unstable();
    let (mut left, mut share) = (budget, 0);
    for (i, size) in sorted.iter().enumerate() {
        share = left / (sorted.len() - i);
        if *size > share {
            break;
        }
        left -= size;
    }
    let share = share.max(least.min(budget));
    let mut kept = Vec::new();
    let mut left = budget;
    for ((key, value), size) in parts.into_iter().zip(sizes) {
        let value = fit(value, share.saturating_sub(key.len() + 4));
        let size = size.min(key.len() + 4 + value.to_string().len());
        if size > left {
            break;
        }
        left -= size;
        kept.push((key, value));
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sentences_have_a_size() {
        assert_eq!(sentence("a\u{202e}".into()), "a\\u202e");
        assert!(sentence("x".repeat(1 << 20)).len() < 8100);
        assert!(sentence("\u{202e}".repeat(9000)).len() < 8100);
    }

    #[test]
    fn invisible_characters_are_escapes() {
        let value = json!({ "na\u{202e}me": ["a\u{200b}b\n", "中 é"] });
        let shown: Value = serde_json::from_str(&to_size(value)).unwrap();
        assert_eq!(shown, json!({ "na\\u202eme": ["a\\u200bb\n", "中 é"] }));
    }

    #[test]
    fn long_texts_are_cut_and_say_so() {
        let value = json!({ "a": ["x".repeat(LONGEST + 7)], "b": "y" });
        let cut: Value = serde_json::from_str(&to_size(value)).unwrap();
        assert!(cut["a"][0].as_str().unwrap().ends_with("x… (7 more characters)"));
        assert_eq!(cut["b"], "y");
        let key: Value = serde_json::from_str(&to_size(json!({ "k".repeat(1000): 1 }))).unwrap();
        assert!(key.as_object().unwrap().keys().next().unwrap().ends_with("k… (880 more characters)"));
    }

    #[test]
    fn answers_have_a_size_whatever_they_contain() {
        let rows =
            |count: usize| -> Vec<Value> { (0..count).map(|i| json!({ "i": i, "t": "\"".repeat(300) })).collect() };
        let keys: Map<String, Value> = (0..9000).map(|i| (format!("parameter {i}"), i.into())).collect();
        for value in [
            json!({ "rows": rows(500), "total": 500 }),
            json!({ "keys": keys, "rows": rows(200), "next": ["a"] }),
            json!([[[[rows(900)]]]]),
            json!({ "control": "\u{1}".repeat(100_000) }),
            json!({ "texts": vec!["\u{1}".repeat(400); 500] }),
        ] {
            let text = to_size(value);
            let message = json!({ "text": text }).to_string();
            assert!(message.len() < 63 << 10, "{} bytes", message.len());
            assert!(serde_json::from_str::<Value>(&text).is_ok());
        }
        let few = json!({ "rows": rows(500), "total": 900, "listed": 500 });
        let few: Value = serde_json::from_str(&to_size(few)).unwrap();
        let listed = few["rows"].as_array().unwrap();
        assert_eq!((&few["total"], &few["listed"]), (&json!(900), &json!(listed.len() - 1)));
        assert_eq!(listed.last().unwrap(), &json!(format!("… {} more", 501 - listed.len())));
        assert!(listed.len() > 20, "{} rows", listed.len());
    }

    #[test]
    fn what_fits_is_left_alone() {
        let value = json!({ "rows": [1, 2, { "a": null }], "text": "é" });
        assert_eq!(serde_json::from_str::<Value>(&to_size(value.clone())).unwrap(), value);
    }
}
