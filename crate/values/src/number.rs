//! Exact numbers: integers of any size, fractions of them, and infinities.
//!
//! A float is the fraction that its bits stand for, so nothing is ever rounded: `1/3*3` is 1, and
//! the float `0.1f` is not the double `0.1`. The reference (trace-db at 405d681) has integers of
//! any size too, but 50 decimal digits for floats and divisions. What is not a number is invalid,
//! and no comparison with it holds; so the functions here return `None` for it.

use alloc::boxed::Box;
use core::cmp::Ordering;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{FromPrimitive as _, ToPrimitive as _, Zero as _};

/// A number. Most fit the first kinds; only what overflows these is a [`Number::Big`].
#[derive(Clone, Debug)]
pub enum Number {
    /// An integer.
    Int(i128),
    /// A numerator and a denominator above 0, not necessarily reduced.
    Ratio(i128, i128),
    /// Positive infinity if true, else negative infinity.
    Infinite(bool),
    /// A number that overflows.
    Big(Box<BigRational>),
}

use Number::{Big, Infinite, Int, Ratio};

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, always exact.
    Divide,
}

impl Number {
    /// The exact value of a float. `None` for NaN.
    pub fn from_float(value: f64) -> Option<Self> {
        if value.is_nan() {
            return None;
        }
        if value.is_infinite() {
            return Some(Infinite(value > 0.0));
        }
        let bits = value.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32;
        let fraction = (bits & ((1 << 52) - 1)) as i128;
        // Subnormal numbers have no implicit bit.
        let (mantissa, exponent) =
            if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
        let mantissa = if bits >> 63 == 0 { mantissa } else { -mantissa };
        if mantissa == 0 {
            return Some(Int(0));
        }
        let twos = mantissa.trailing_zeros().min(exponent.min(0).unsigned_abs());
        let (mantissa, exponent) = (mantissa >> twos, exponent + twos as i32);
        match exponent {
            0..=73 => Some(Int(mantissa << exponent)),
            -125..0 => Some(Ratio(mantissa, 1 << -exponent)),
            _ => BigRational::from_f64(value).map(|value| Big(Box::new(value))),
        }
    }

    fn big(&self) -> BigRational {
        match self {
            Int(n) => BigRational::from_integer(BigInt::from(*n)),
            Ratio(n, d) => BigRational::new(BigInt::from(*n), BigInt::from(*d)),
            Big(n) => (**n).clone(),
            // Infinities are handled before.
            Infinite(_) => BigRational::zero(),
        }
    }

    fn from_big(value: BigRational) -> Self {
        match (value.numer().to_i128(), value.denom().to_i128()) {
            (Some(n), Some(1)) => Int(n),
            (Some(n), Some(d)) => Ratio(n, d),
            _ => Big(Box::new(value)),
        }
    }

    /// An integer of any size.
    pub fn from_integer(value: BigInt) -> Self {
        Self::from_big(BigRational::from_integer(value))
    }

    /// -1, 0 or 1.
    fn sign(&self) -> i32 {
        match self {
            Int(n) | Ratio(n, _) => n.signum() as i32,
            Infinite(positive) => {
                if *positive {
                    1
                } else {
                    -1
                }
            }
            Big(n) => n.cmp(&Box::new(BigRational::zero())) as i32,
        }
    }

    /// The order of two numbers.
    pub fn compare(&self, other: &Self) -> Ordering {
        if let (Int(a), Int(b)) = (self, other) {
            return a.cmp(b);
        }
        if let (Infinite(_), _) | (_, Infinite(_)) = (self, other) {
            let rank = |n: &Self| if let Infinite(_) = n { n.sign() } else { 0 };
            return rank(self).cmp(&rank(other));
        }
        if let Some((a, b, _)) = self.aligned(other) {
            return a.cmp(&b);
        }
        self.big().cmp(&other.big())
    }

    fn parts(&self) -> Option<(i128, i128)> {
        match self {
            Int(n) => Some((*n, 1)),
            Ratio(n, d) => Some((*n, *d)),
            _ => None,
        }
    }

    /// Numerators over a common denominator, and that. `None` if they overflow.
    fn aligned(&self, other: &Self) -> Option<(i128, i128, i128)> {
        let ((a, d), (b, e)) = (self.parts()?, other.parts()?);
        if d == e {
            return Some((a, b, d));
        }
        // Denominators of floats are powers of two, which divide one another.
        if d % e == 0 {
            return Some((a, b.checked_mul(d / e)?, d));
        }
        if e % d == 0 {
            return Some((a.checked_mul(e / d)?, b, e));
        }
        Some((a.checked_mul(e)?, b.checked_mul(d)?, d.checked_mul(e)?))
    }

    /// `self` and `other` under an operation. `None` where the result is not a number: a division
    /// by 0, `∞ - ∞`, `0 * ∞`, `∞ / ∞`.
    pub fn apply(&self, operation: Operation, other: &Self) -> Option<Self> {
        if let (Infinite(_), _) | (_, Infinite(_)) = (self, other) {
            return self.with_infinity(operation, other);
        }
        let small = match (operation, self, other) {
            (Operation::Add, Int(a), Int(b)) => a.checked_add(*b).map(Int),
            (Operation::Subtract, Int(a), Int(b)) => a.checked_sub(*b).map(Int),
            (Operation::Multiply, Int(a), Int(b)) => a.checked_mul(*b).map(Int),
            (Operation::Add, ..) => self.aligned(other).and_then(|(a, b, d)| Some(fraction(a.checked_add(b)?, d))),
            (Operation::Subtract, ..) => self.aligned(other).and_then(|(a, b, d)| Some(fraction(a.checked_sub(b)?, d))),
            (Operation::Multiply, ..) => self
                .parts()
                .zip(other.parts())
                .and_then(|((a, d), (b, e))| Some(fraction(a.checked_mul(b)?, d.checked_mul(e)?))),
            (Operation::Divide, ..) => {
                if other.sign() == 0 {
                    return None;
                }
                self.parts().zip(other.parts()).and_then(|((a, d), (b, e))| {
                    let (over, under) = (a.checked_mul(e)?, d.checked_mul(b)?);
                    Some(if under < 0 {
                        fraction(over.checked_neg()?, under.checked_neg()?)
                    } else {
                        fraction(over, under)
                    })
                })
            }
        };
        if small.is_some() {
            return small;
        }
        let (a, b) = (self.big(), other.big());
        Some(Self::from_big(match operation {
            Operation::Add => a + b,
            Operation::Subtract => a - b,
            Operation::Multiply => a * b,
            Operation::Divide => a / b,
        }))
    }

    /// The rules of IEEE 754, except that a division by 0 is invalid as everywhere else here.
    fn with_infinity(&self, operation: Operation, other: &Self) -> Option<Self> {
        match (operation, self, other) {
            (Operation::Add, Infinite(a), Infinite(b)) => (a == b).then_some(Infinite(*a)),
            (Operation::Subtract, Infinite(a), Infinite(b)) => (a != b).then_some(Infinite(*a)),
            (Operation::Divide, Infinite(_), Infinite(_)) => None,
            (Operation::Add | Operation::Subtract, Infinite(a), _) | (Operation::Add, _, Infinite(a)) => {
                Some(Infinite(*a))
            }
            (Operation::Subtract, _, Infinite(b)) => Some(Infinite(!b)),
            (Operation::Divide, _, Infinite(_)) => Some(Int(0)),
            _ => {
                let sign = self.sign() * other.sign();
                (sign != 0).then_some(Infinite(sign > 0))
            }
        }
    }
}

/// A fraction; an integer if the denominator is 1.
fn fraction(over: i128, under: i128) -> Number {
    if under == 1 { Int(over) } else { Ratio(over, under) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(value: f64) -> Number {
        Number::from_float(value).unwrap()
    }

    fn check(a: &Number, operation: Operation, b: &Number, result: &Number) {
        let found = a.apply(operation, b).unwrap();
        assert_eq!(found.compare(result), Ordering::Equal, "{a:?} {operation:?} {b:?} = {found:?}, not {result:?}");
    }

    #[test]
    fn integers_do_not_wrap() {
        let most = Int(u64::MAX.into());
        assert_eq!(most.apply(Operation::Add, &most).unwrap().compare(&most), Ordering::Greater);
        let square = most.apply(Operation::Multiply, &most).unwrap();
        let fourth = square.apply(Operation::Multiply, &square).unwrap();
        assert!(matches!(fourth, Big(_)));
        check(&fourth, Operation::Divide, &square, &square);
        check(&Int(i128::MIN), Operation::Divide, &Int(-1), &Number::from_big(-Int(i128::MIN).big()));
    }

    #[test]
    fn divisions_are_exact() {
        let third = Int(1).apply(Operation::Divide, &Int(3)).unwrap();
        check(&third, Operation::Multiply, &Int(3), &Int(1));
        check(&Int(1), Operation::Divide, &Int(-4), &float(-0.25));
        assert!(Int(1).apply(Operation::Divide, &Int(0)).is_none());
        assert!(Infinite(true).apply(Operation::Divide, &Int(0)).is_none());
    }

    #[test]
    fn floats_are_what_their_bits_stand_for() {
        for value in [0.0, -0.0, 0.1, 1.5, -3.0, 1e22, 1e300, 5e-324, 1e-30, f64::MAX, f64::MIN_POSITIVE, 2f64.powi(73)]
        {
            let expected = BigRational::from_f64(value).unwrap();
            assert_eq!(float(value).big(), expected, "{value}");
            assert_eq!(float(-value).big(), -expected, "-{value}");
        }
        assert_eq!(float(0.1).compare(&float(0.1f32.into())), Ordering::Less);
        assert_eq!(float(2f64.powi(63)).compare(&Int(i64::MAX.into())), Ordering::Greater);
        assert!(Number::from_float(f64::NAN).is_none());
    }

    #[test]
    fn infinities_follow_ieee_754() {
        let (up, down) = (float(f64::INFINITY), float(f64::NEG_INFINITY));
        assert_eq!(up.compare(&float(f64::MAX)), Ordering::Greater);
        assert_eq!(down.compare(&up), Ordering::Less);
        assert_eq!(up.compare(&up), Ordering::Equal);
        check(&up, Operation::Add, &Int(5), &up);
        check(&Int(5), Operation::Subtract, &up, &down);
        check(&up, Operation::Multiply, &Int(-1), &down);
        check(&Int(5), Operation::Divide, &down, &Int(0));
        for (a, operation, b) in [
            (&up, Operation::Add, &down),
            (&up, Operation::Subtract, &up),
            (&up, Operation::Divide, &down),
            (&up, Operation::Multiply, &Int(0)),
        ] {
            assert!(a.apply(operation, b).is_none());
        }
    }
}
