//! Protocol buffers, appended to bytes.

/// Appends a variable-length number.
#[inline]
pub(crate) fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// The length of a variable-length number in bytes.
pub(crate) fn varint_length(number: u64) -> u64 {
    u64::from((64 - (number | 1).leading_zeros()).div_ceil(7))
}

/// Appends a field with a number. Signed numbers are passed as their 64 bits.
#[inline]
pub(crate) fn number(field: u32, value: u64, out: &mut Vec<u8>) {
    varint(u64::from(field) << 3, out);
    varint(value, out);
}

/// Appends a field with a double.
pub(crate) fn double(field: u32, value: f64, out: &mut Vec<u8>) {
    varint(u64::from(field) << 3 | 1, out);
    out.extend(value.to_le_bytes());
}

/// Appends a field with bytes or a text.
pub(crate) fn bytes(field: u32, value: &[u8], out: &mut Vec<u8>) {
    varint(u64::from(field) << 3 | 2, out);
    varint(value.len() as u64, out);
    out.extend(value);
}

/// Appends a field with a message, which `fill` writes. Its length comes before it and takes as
/// many bytes as it needs.
#[inline]
pub(crate) fn message(field: u32, out: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) {
    varint(u64::from(field) << 3 | 2, out);
    // Most messages are shorter than 128 bytes.
    let at = out.len();
    out.push(0);
    fill(out);
    let length = out.len() - at - 1;
    if length < 0x80 {
        if let Some(place) = out.get_mut(at) {
            *place = length as u8;
        }
        return;
    }
    let mut prefix = Vec::new();
    varint(length as u64, &mut prefix);
    out.splice(at..=at, prefix);
}
