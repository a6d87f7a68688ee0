//! JSON, appended to bytes.

use crate::{Arg, Number, Value};

/// Appends a string, with its quotes.
pub(crate) fn string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut from = 0;
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let escaped: &[u8] = match byte {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            b'\n' => b"\\n",
            0..0x20 => b"",
            _ => continue,
        };
        out.extend(bytes.get(from..at).unwrap_or_default());
        if escaped.is_empty() {
            out.extend(format!("\\u{byte:04x}").bytes());
        } else {
            out.extend(escaped);
        }
        from = at + 1;
    }
    out.extend(bytes.get(from..).unwrap_or_default());
    out.push(b'"');
}

/// Appends a whole number.
pub(crate) fn integer(mut number: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        if let Some(digit) = digits.get_mut(at) {
            *digit = b'0' + (number % 10) as u8;
        }
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend(digits.get(at..).unwrap_or_default());
}

/// Appends a signed number.
pub(crate) fn signed(number: i64, out: &mut Vec<u8>) {
    if number < 0 {
        out.push(b'-');
    }
    integer(number.unsigned_abs(), out);
}

/// Appends a floating point number. JSON has no infinities: they become texts.
pub(crate) fn real(number: f64, out: &mut Vec<u8>) {
    if number.is_finite() {
        out.extend(format!("{number}").bytes());
    } else {
        string(&number.to_string(), out);
    }
}

pub(crate) fn number(number: Number, out: &mut Vec<u8>) {
    match number {
        Number::Int(number) => signed(number, out),
        Number::Unsigned(number) => integer(number, out),
        Number::Real(number) => real(number, out),
    }
}

/// Appends arguments as members of an object, without its braces. `first`: nothing is before them.
pub(crate) fn members(args: &[Arg], mut first: bool, out: &mut Vec<u8>) {
    // Whether each open one is a list.
    let mut lists = Vec::new();
    let key = |key: &str, first: bool, in_list: bool, out: &mut Vec<u8>| {
        if !first {
            out.push(b',');
        }
        if !in_list {
            string(key, out);
            out.push(b':');
        }
    };
    for arg in args {
        let in_list = lists.last() == Some(&true);
        match arg {
            Arg::Field(name, of) => {
                key(name, first, in_list, out);
                value(of, out);
                first = false;
            }
            Arg::Open(name, is_list) => {
                key(name, first, in_list, out);
                out.push(if *is_list { b'[' } else { b'{' });
                lists.push(*is_list);
                first = true;
            }
            Arg::Close => {
                out.push(if lists.pop() == Some(true) { b']' } else { b'}' });
                first = false;
            }
        }
    }
}

fn value(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend(b"null"),
        Value::Bool(is) => out.extend(if *is { &b"true"[..] } else { b"false" }),
        Value::Unsigned(number) => integer(*number, out),
        Value::Int(number) => signed(*number, out),
        Value::Pointer(number) => out.extend(format!("\"0x{number:x}\"").bytes()),
        Value::Real(number) => real(*number, out),
        Value::Text(text) => string(text, out),
    }
}
