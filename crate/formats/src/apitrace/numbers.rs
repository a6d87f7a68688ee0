//! Numbers as `apitrace dump` prints them: floats like C's `%.7g` and `%.16g`, as C++ streams
//! format them.

use alloc::string::String;
use core::fmt::Write;

/// Appends a signed number in decimal.
pub(crate) fn put_int(out: &mut String, n: i64) {
    if n < 0 {
        out.push('-');
    }
    put_uint(out, n.unsigned_abs());
}

/// Appends a number in decimal. `core::fmt` takes four times as long, and there are millions.
pub(crate) fn put_uint(out: &mut String, mut n: u64) {
    let mut digits = [0u8; 20];
    let mut len = 0;
    for slot in digits.iter_mut().rev() {
        *slot = b'0' + (n % 10) as u8;
        n /= 10;
        len += 1;
        if n == 0 {
            break;
        }
    }
    let digits = digits.get(digits.len() - len..).unwrap_or_default();
    out.push_str(core::str::from_utf8(digits).unwrap_or_default());
}

/// Appends a float with `digits` significant digits, without trailing zeros.
pub(crate) fn put_float(out: &mut String, x: f64, digits: usize) {
    if x.is_nan() {
        out.push_str(if x.is_sign_negative() { "-nan" } else { "nan" });
        return;
    }
    if x.is_infinite() {
        out.push_str(if x < 0.0 { "-inf" } else { "inf" });
        return;
    }
    if x == 0.0 {
        out.push_str(if x.is_sign_negative() { "-0" } else { "0" });
        return;
    }
    // Most floats are small whole numbers.
    if x.abs() < 1e6 && x == (x as i32) as f64 {
        put_int(out, x as i64);
        return;
    }
    let mut scientific = Short::default();
    // Correctly rounded, ties to even, like glibc. Writing cannot fail: 16 digits and an exponent
    // fit.
    let _ = write!(scientific, "{:.*e}", digits - 1, x);
    let text = scientific.as_str();
    let Some((mantissa, exponent)) = text.split_once('e') else { return };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |m| ("-", m));
    let (first, rest) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let rest = rest.trim_end_matches('0');
    out.push_str(sign);
    if exponent < -4 || exponent >= digits as i32 {
        out.push_str(first);
        if !rest.is_empty() {
            out.push('.');
            out.push_str(rest);
        }
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "e{sign}{:02}", exponent.unsigned_abs());
    } else if exponent < 0 {
        out.push_str("0.");
        for _ in 0..-exponent - 1 {
            out.push('0');
        }
        out.push_str(first);
        out.push_str(rest);
    } else {
        let whole = exponent as usize;
        out.push_str(first);
        let (before, after) = rest.split_at_checked(whole).unwrap_or((rest, ""));
        out.push_str(before);
        for _ in before.len()..whole {
            out.push('0');
        }
        if !after.is_empty() {
            out.push('.');
            out.push_str(after);
        }
    }
}

/// A short text on the stack.
#[derive(Default)]
struct Short {
    bytes: [u8; 32],
    len: usize,
}

impl Short {
    fn as_str(&self) -> &str {
        self.bytes.get(..self.len).and_then(|b| core::str::from_utf8(b).ok()).unwrap_or_default()
    }
}

impl Write for Short {
    fn write_str(&mut self, s: &str) -> core::fmt::Result {
        let end = self.len + s.len();
        let room = self.bytes.get_mut(self.len..end).ok_or(core::fmt::Error)?;
        room.copy_from_slice(s.as_bytes());
        self.len = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use std::process::{Command, Stdio};

    fn text(x: f64, digits: usize) -> String {
        let mut out = String::new();
        put_float(&mut out, x, digits);
        out
    }

    #[test]
    fn floats_look_as_in_c() {
        assert_eq!(text(0.1f32.into(), 7), "0.1");
        assert_eq!(text((1.0f32 / 3.0).into(), 7), "0.3333333");
        assert_eq!(text(1e-7f32.into(), 7), "1e-07");
        assert_eq!(text(16777216.0, 7), "1.677722e+07");
        assert_eq!(text(123456789.12345678, 16), "123456789.1234568");
        assert_eq!(text(-0.00012345, 7), "-0.00012345");
        assert_eq!(text(-0.0, 7), "-0");
        assert_eq!(text(1e300, 16), "1e+300");
        assert_eq!(text(9007199254740992.0, 16), "9007199254740992");
        assert_eq!(text(f64::from_bits(0xfff8 << 48), 7), "-nan");
    }

    /// Compares 20,000 floats with C's printf, which Python uses.
    #[test]
    fn agrees_with_printf() {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut numbers: Vec<f64> = Vec::new();
        for i in 0..20_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            numbers.push(match i % 4 {
                0 => f64::from_bits(state),
                1 => f64::from(f32::from_bits((state >> 32) as u32)),
                2 => (state >> 40) as f64 / 1024.0,
                // Ties: halves of the last digit.
                _ => ((state >> 44) as f64) + 0.5,
            });
        }
        numbers.retain(|x| !x.is_nan());
        let script = "import sys,struct\nd=sys.stdin.buffer.read()\n\
                      for (x,) in struct.iter_unpack('<d',d): print('%.7g %.16g'%(x,x))";
        let child = Command::new("python3").args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let Ok(mut child) = child else {
            std::eprintln!("skipped: python3 is not installed");
            return;
        };
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let mut stdin = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || std::io::Write::write_all(&mut stdin, &bytes).unwrap());
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(printed.lines().count(), numbers.len());
        for (line, x) in printed.lines().zip(numbers) {
            assert_eq!(alloc::format!("{} {}", text(x, 7), text(x, 16)), line, "{:#x}", x.to_bits());
        }
    }
}
