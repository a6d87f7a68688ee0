//! Values of constant expressions (GLSL 4.60, 4.3.3), as initial values of uniforms have them:
//! numbers, constructors, arithmetic, and constants of the shader.

use hashbrown::HashMap;

use super::tokens::{Token, TokenKind};

/// Limit for expressions within expressions.
const DEPTH: u32 = 32;

/// Constants of a shader by name.
pub(super) type Constants = HashMap<String, Constant>;

/// A value: one number, or those of a vector or matrix.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Constant {
    pub(super) numbers: Vec<f32>,
    is_whole: bool,
    is_matrix: bool,
}

/// The value of an expression. `None` if it is not known.
pub(super) fn value_of(tokens: &[Token], known: &Constants) -> Option<Constant> {
    let mut reader = Reader { tokens, at: 0, known, depth: 0 };
    let value = reader.sum()?;
    (reader.at == tokens.len()).then_some(value)
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    known: &'a Constants,
    depth: u32,
}

impl Reader<'_> {
    fn text(&self) -> &str {
        self.tokens.get(self.at).map_or("", |token| &token.text)
    }

    /// Takes the next token if it is this one.
    fn take(&mut self, text: &str) -> bool {
        let is_there = self.text() == text;
        self.at += usize::from(is_there);
        is_there
    }

    fn sum(&mut self) -> Option<Constant> {
        self.depth += 1;
        let mut value = self.product().filter(|_| self.depth <= DEPTH)?;
        loop {
            value = if self.take("+") {
                value.with(&self.product()?, |a, b| a + b)?
            } else if self.take("-") {
                value.with(&self.product()?, |a, b| a - b)?
            } else {
                self.depth -= 1;
                return Some(value);
            };
        }
    }

    fn product(&mut self) -> Option<Constant> {
        let mut value = self.signed()?;
        loop {
            let is_division = self.text() == "/";
            if !self.take("*") && !self.take("/") {
                return Some(value);
            }
            let other = self.signed()?;
            let has_matrix = |one: &Constant, other: &Constant| one.is_matrix && other.numbers.len() > 1;
            if has_matrix(&value, &other) || has_matrix(&other, &value) {
                return None;
            }
            value = if is_division { value.with(&other, |a, b| a / b)? } else { value.with(&other, |a, b| a * b)? };
        }
    }

    fn signed(&mut self) -> Option<Constant> {
        let mut is_negative = false;
        while matches!(self.text(), "-" | "+") {
            is_negative ^= self.text() == "-";
            self.at += 1;
        }
        let mut value = self.primary()?;
        if is_negative {
            value.numbers.iter_mut().for_each(|number| *number = -*number);
        }
        Some(value)
    }

    fn primary(&mut self) -> Option<Constant> {
        if self.take("(") {
            let value = self.sum()?;
            return self.take(")").then_some(value);
        }
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        let of = |number: f32, is_whole| Some(Constant { numbers: vec![number], is_whole, is_matrix: false });
        match token.text.as_str() {
            "true" => of(1.0, true),
            "false" => of(0.0, true),
            text if token.kind == TokenKind::Number => {
                let digits = text.trim_end_matches(['u', 'U']);
                match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
                    Some(hex) => of(u32::from_str_radix(hex, 16).ok()? as f32, true),
                    None => match digits.parse::<u32>() {
                        Ok(_) if digits.len() > 1 && digits.starts_with('0') => {
                            of(u32::from_str_radix(digits, 8).ok()? as f32, true)
                        }
                        Ok(number) => of(number as f32, true),
                        Err(_) => of(digits.trim_end_matches(['f', 'F', 'l', 'L']).parse().ok()?, false),
                    },
                }
            }
            name if self.take("(") => self.constructed(name),
            name => self.known.get(name).cloned(),
        }
    }

    /// What a constructor makes, from its first argument on.
    fn constructed(&mut self, name: &str) -> Option<Constant> {
        let size = |digits: &str| digits.parse::<usize>().ok().filter(|size| (2..=4).contains(size));
        let mut args: Vec<Constant> = Vec::new();
        loop {
            args.push(self.sum().filter(|_| args.len() < 16)?);
            if !self.take(",") {
                break;
            }
        }
        if !self.take(")") {
            return None;
        }
        let is_whole = name.starts_with(['i', 'u', 'b']);
        let (count, columns) = match name {
            "float" | "int" | "uint" | "bool" => (1, 0),
            _ => match name.split_once("vec") {
                Some(("" | "i" | "u" | "b", digits)) => (size(digits)?, 0),
                _ => {
                    let side = size(name.strip_prefix("mat")?)?;
                    (side * side, side)
                }
            },
        };
        let mut numbers: Vec<f32> = args.iter().flat_map(|arg| arg.numbers.iter().copied()).collect();
        // A matrix of a matrix has parts of it.
        if args.iter().any(|arg| arg.is_matrix) && count > 1 {
            return None;
        }
        match (numbers.first().copied(), columns) {
            (Some(number), 0) if numbers.len() == 1 => numbers.resize(count, number),
            (Some(number), side) if numbers.len() == 1 => {
                numbers = (0..count).map(|i| if i % (side + 1) == 0 { number } else { 0.0 }).collect();
            }
            _ => numbers.truncate(count),
        }
        if name.starts_with('b') {
            numbers.iter_mut().for_each(|number| *number = f32::from(u8::from(*number != 0.0)));
        } else if is_whole {
            numbers.iter_mut().for_each(|number| *number = number.trunc());
        }
        (numbers.len() == count).then_some(Constant { numbers, is_whole, is_matrix: columns > 0 })
    }
}

impl Constant {
    /// What an operator makes of each component of two values, of which one may be a single number.
    fn with(&self, other: &Self, operator: fn(f32, f32) -> f32) -> Option<Self> {
        let count = self.numbers.len().max(other.numbers.len());
        let is_whole = self.is_whole && other.is_whole;
        let at = |of: &Self, i: usize| of.numbers.get(if of.numbers.len() == 1 { 0 } else { i }).copied();
        let numbers: Option<Vec<f32>> = (0..count)
            .map(|i| {
                let number = operator(at(self, i)?, at(other, i)?);
                Some(if is_whole { number.trunc() } else { number })
            })
            .collect();
        Some(Self { numbers: numbers?, is_whole, is_matrix: self.is_matrix || other.is_matrix })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glsl::tokens::tokens_of_line;

    #[test]
    fn expressions_have_values() {
        let mut known = Constants::new();
        known.insert("PI".into(), value_of(&tokens_of_line("3.0", 1), &Constants::new()).unwrap());
        let value = |text: &str| value_of(&tokens_of_line(text, 1), &known).map(|value| value.numbers);
        for (text, expected) in [
            ("2.0 * 3.0 - 1", vec![5.0]),
            ("-(2 + 3) * 2", vec![-10.0]),
            ("7 / 2 + 1 / 2.0", vec![3.5]),
            ("0x10 + 010 + 1u", vec![25.0]),
            ("vec3(1.0) / 4.0", vec![0.25; 3]),
            ("vec4(vec2(1, 2) * 2, PI, PI / 2.0)", vec![2.0, 4.0, 3.0, 1.5]),
            ("ivec2(2.7, -2.7)", vec![2.0, -2.0]),
            ("mat2(2) * 3.0", vec![6.0, 0.0, 0.0, 6.0]),
            ("vec2(vec3(1, 2, 3))", vec![1.0, 2.0]),
            ("bvec2(true, 0.5)", vec![1.0, 1.0]),
            ("1.5e1f - + 2", vec![13.0]),
        ] {
            assert_eq!(value(text), Some(expected), "{text}");
        }
        for text in
            ["", "1 +", "(1", "1)", "x", "mat2(1) * vec2(1)", "vec3(1, 2)", "vec2(1) + vec3(1)", "sin(1)", "vec(1)"]
        {
            assert_eq!(value(text), None, "{text}");
        }
        assert_eq!(value(&format!("{}1{}", "(".repeat(1000), ")".repeat(1000))), None);
    }
}
