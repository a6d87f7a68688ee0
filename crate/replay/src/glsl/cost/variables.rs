//! How many components variables have: each has a place of its own in a compiler.

use hashbrown::HashMap;

use crate::glsl::tokens::{Token, TokenKind};

/// Limit for the components of a variable or structure.
const MOST_COMPONENTS: u64 = 1 << 16;
/// Limits for all uniforms of a shader: components, and names that they have for OpenGL. Arrays of
/// structures have some for each element.
const MOST_UNIFORMS: u64 = 1 << 18;
const MOST_NAMES: u64 = 1 << 14;
/// Components up to which a variable costs no more than others.
const SMALL: u64 = 16;
/// Operations for each component of a variable that has a place of its own in each invocation.
const PLACE: u64 = 4;
/// Elements of an array whose size is not known here.
const UNKNOWN: u64 = 64;

/// A type, or a variable of it.
#[derive(Clone, Copy, Debug)]
struct Size {
    components: u64,
    /// Names of its parts for OpenGL. An array of numbers has one.
    names: u64,
    is_struct: bool,
}

impl Size {
    const ONE: Self = Self { components: 1, names: 1, is_struct: false };

    fn times(self, elements: u64) -> Self {
        let names = if self.is_struct { self.names.saturating_mul(elements) } else { self.names };
        Self { components: self.components.saturating_mul(elements), names, ..self }
    }

    fn plus(self, other: Self) -> Self {
        let components = self.components.saturating_add(other.components);
        Self { components, names: self.names.saturating_add(other.names), ..self }
    }
}

/// The variables of a shader.
#[derive(Debug, Default)]
pub(super) struct Variables {
    structs: HashMap<String, Size>,
    /// By name; of several the largest. Only large ones.
    large: HashMap<String, u64>,
    /// The tokens that declare large variables of an invocation, with their components.
    places: HashMap<usize, u64>,
    /// Constants that are whole numbers.
    constants: HashMap<String, i64>,
}

impl Variables {
    /// Reads all declarations.
    ///
    /// # Errors
    ///
    /// A sentence about what is too large.
    pub(super) fn read(tokens: &[Token], closing: &[usize]) -> Result<Self, String> {
        let mut all = Self::default();
        let mut uniforms = Size { components: 0, names: 0, is_struct: true };
        // Structures that are being read: where they end, their name, and what they have so far.
        let mut open: Vec<(usize, String, Size)> = Vec::new();
        let mut in_block: Option<usize> = None;
        let mut is_uniform = false;
        let mut i = 0;
        while let Some(token) = tokens.get(i) {
            while let Some((_, name, size)) = open.pop_if(|(end, ..)| *end <= i) {
                all.structs.insert(name, size);
            }
            in_block = in_block.filter(|end| *end > i);
            let next = tokens.get(i + 1);
            match token.text.as_str() {
                ";" if in_block.is_none() && open.is_empty() => is_uniform = false,
                "uniform" => {
                    is_uniform = true;
                    let is_block = next.is_some_and(|next| next.kind == TokenKind::Name)
                        && tokens.get(i + 2).is_some_and(|token| token.is("{"));
                    if is_block {
                        in_block = closing.get(i + 2).copied();
                        i += 3;
                        continue;
                    }
                }
                "struct" if tokens.get(i + 2).is_some_and(|token| token.is("{")) => {
                    let name = next.map(|next| next.text.clone()).unwrap_or_default();
                    let end = closing.get(i + 2).copied().unwrap_or(tokens.len());
                    open.push((end, name, Size { components: 0, names: 0, is_struct: true }));
                    i += 3;
                    continue;
                }
                "const" if next.is_some_and(|next| next.is("int")) => all.constant(tokens, i + 2),
                _ => {}
            }
            // `struct S { … } s;` declares a variable, too.
            let Some(size) = all.size_of(token) else {
                i += 1;
                continue;
            };
            let (sum, end) = all.declarators(tokens, closing, i + 1, size, is_uniform || !open.is_empty());
            if sum.components > MOST_COMPONENTS && !is_uniform {
                return Err(format!("line {}: a variable has more than {MOST_COMPONENTS} components", token.line));
            }
            if let Some((_, _, known)) = open.last_mut() {
                *known = known.plus(sum);
                if known.components > MOST_COMPONENTS {
                    return Err(format!("line {}: a structure has more than {MOST_COMPONENTS} components", token.line));
                }
            } else if is_uniform {
                uniforms = uniforms.plus(sum);
                if uniforms.components > MOST_UNIFORMS || uniforms.names > MOST_NAMES {
                    let most = format!("{MOST_UNIFORMS} components or {MOST_NAMES} names");
                    return Err(format!("line {}: its uniforms have more than {most}", token.line));
                }
            }
            i = end.max(i + 1);
        }
        Ok(all)
    }

    /// The operations of a name that is not a function, at an index. `is_part`: only a part of the
    /// variable is meant.
    pub(super) fn operations(&self, i: usize, name: &str, is_part: bool) -> u64 {
        if let Some(components) = self.places.get(&i) {
            return components.saturating_mul(PLACE);
        }
        if is_part { 1 } else { self.large.get(name).copied().unwrap_or(1) }
    }

    fn size_of(&self, token: &Token) -> Option<Size> {
        if token.kind != TokenKind::Name {
            return None;
        }
        let name = token.text.as_str();
        let digits = |rest: &str| match rest.as_bytes() {
            [n @ b'2'..=b'4'] => Some(u64::from(n - b'0')),
            _ => None,
        };
        let vector = ["vec", "ivec", "uvec", "bvec", "dvec"].iter().find_map(|begin| name.strip_prefix(begin));
        let matrix = name.strip_prefix("mat").or(name.strip_prefix("dmat"));
        let components = match (name, vector, matrix) {
            ("float" | "int" | "uint" | "bool" | "double", ..) => Some(1),
            _ if is_opaque(name) => Some(1),
            (_, Some(rest), _) => digits(rest),
            (.., Some(rest)) => match rest.split_once('x') {
                Some((columns, rows)) => digits(columns).zip(digits(rows)).map(|(columns, rows)| columns * rows),
                None => digits(rest).map(|n| n * n),
            },
            _ => None,
        };
        components.map(|components| Size { components, ..Size::ONE }).or_else(|| self.structs.get(name).copied())
    }

    /// Reads what a declaration declares after its type. Returns the sum, and the index after it.
    /// `is_elsewhere`: these have no place in an invocation.
    fn declarators(
        &mut self,
        tokens: &[Token],
        closing: &[usize],
        from: usize,
        size: Size,
        is_elsewhere: bool,
    ) -> (Size, usize) {
        let mut sum = Size { components: 0, names: 0, is_struct: true };
        let is = |i: usize, text: &str| tokens.get(i).is_some_and(|token| token.is(text));
        let close = |i: usize| closing.get(i).copied().unwrap_or(tokens.len());
        let (of_type, first) = self.dimensions(tokens, closing, from);
        let mut i = first;
        loop {
            let name = tokens.get(i).filter(|token| token.kind == TokenKind::Name);
            // A function, a constructor, or the next parameter.
            let Some(name) = name.filter(|name| !is(i + 1, "(") && (i == first || self.size_of(name).is_none())) else {
                return (sum, i);
            };
            let place = i;
            let (own, after) = self.dimensions(tokens, closing, i + 1);
            i = after;
            // The elements of an array without a size are those that it is given.
            let mut given = 1;
            if is(i, "=") {
                let begin = i;
                while i < tokens.len() && !is(i, ",") && !is(i, ";") && !is(i, ")") {
                    i = close(i) + 1;
                }
                let values = tokens.get(begin..i.min(tokens.len())).unwrap_or_default();
                given += values.iter().filter(|token| token.is(",")).count() as u64;
            }
            let made = size.times(of_type.elements(given)).times(own.elements(given));
            sum = sum.plus(made);
            if made.components > SMALL {
                let known = self.large.entry_ref(name.text.as_str()).or_insert(0);
                *known = (*known).max(made.components);
                if !is_elsewhere {
                    self.places.insert(place, made.components);
                }
            }
            if !is(i, ",") {
                return (sum, i);
            }
            i += 1;
        }
    }

    /// The brackets from an index on, and the index after them.
    fn dimensions(&self, tokens: &[Token], closing: &[usize], from: usize) -> (Dimensions, usize) {
        let (mut all, mut i) = (Dimensions { product: 1, is_open: false }, from);
        while tokens.get(i).is_some_and(|token| token.is("[")) {
            let end = closing.get(i).copied().unwrap_or(tokens.len());
            match tokens.get(i + 1..end).unwrap_or_default() {
                [] => all.is_open = true,
                expression => {
                    let value = Evaluation { tokens: expression, at: 0, depth: 0, of: self }.sum();
                    let elements = value.map_or(UNKNOWN, |value| u64::try_from(value).unwrap_or(1));
                    all.product = all.product.saturating_mul(elements.max(1));
                }
            }
            i = end + 1;
        }
        (all, i)
    }

    /// `const int NAME = …`, from the name on.
    fn constant(&mut self, tokens: &[Token], at: usize) {
        let rest = tokens.get(at..).unwrap_or_default();
        if let [name, equals, rest @ ..] = rest
            && equals.is("=")
        {
            let end = rest.iter().position(|token| token.is(";") || token.is(",")).unwrap_or(rest.len());
            let expression = rest.get(..end).unwrap_or_default();
            if let Some(value) = (Evaluation { tokens: expression, at: 0, depth: 0, of: self }.sum()) {
                self.constants.insert(name.text.clone(), value);
            }
        }
    }
}

/// The sizes of an array.
#[derive(Clone, Copy, Debug)]
struct Dimensions {
    product: u64,
    /// One has no size.
    is_open: bool,
}

impl Dimensions {
    /// Elements, if one dimension without a size has `given` ones.
    fn elements(self, given: u64) -> u64 {
        if self.is_open { self.product.saturating_mul(given) } else { self.product }
    }
}

/// Whether a type is that of a texture.
fn is_opaque(name: &str) -> bool {
    ["sampler", "isampler", "usampler", "image", "iimage", "uimage"].iter().any(|begin| name.starts_with(begin))
}

/// A constant expression of whole numbers. `None`: something in it is not known.
struct Evaluation<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: u32,
    of: &'a Variables,
}

/// Limit for parentheses.
const DEEPEST: u32 = 64;

impl Evaluation<'_> {
    fn takes(&mut self, signs: &[&str]) -> Option<String> {
        let token = self.tokens.get(self.at).filter(|token| signs.contains(&&*token.text))?;
        self.at += 1;
        Some(token.text.clone())
    }

    /// Shifts, which bind least.
    fn sum(&mut self) -> Option<i64> {
        let mut left = self.terms()?;
        while let Some(sign) = self.takes(&["<<", ">>"]) {
            let by = u32::try_from(self.terms()?).ok().filter(|by| *by < 32)?;
            left = if sign == "<<" { left.saturating_mul(1 << by) } else { left >> by };
        }
        Some(left)
    }

    fn terms(&mut self) -> Option<i64> {
        let mut left = self.product()?;
        while let Some(sign) = self.takes(&["+", "-"]) {
            let right = self.product()?;
            left = if sign == "+" { left.saturating_add(right) } else { left.saturating_sub(right) };
        }
        Some(left)
    }

    fn product(&mut self) -> Option<i64> {
        let mut left = self.single()?;
        while let Some(sign) = self.takes(&["*", "/", "%"]) {
            let right = self.single()?;
            left = match sign.as_str() {
                "*" => left.saturating_mul(right),
                "/" => left.checked_div(right)?,
                _ => left.checked_rem(right)?,
            };
        }
        Some(left)
    }

    fn single(&mut self) -> Option<i64> {
        self.depth += 1;
        let token = self.tokens.get(self.at).filter(|_| self.depth < DEEPEST)?;
        self.at += 1;
        let value = match token.kind {
            TokenKind::Number => {
                let digits = token.text.trim_end_matches(['u', 'U']);
                match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
                    Some(hex) => i64::from_str_radix(hex, 16).ok(),
                    None => digits.parse().ok(),
                }
            }
            // A constructor, such as `int(…)`.
            TokenKind::Name if self.takes(&["("]).is_some() => self.until_closing(),
            TokenKind::Name => self.of.constants.get(&token.text).copied(),
            TokenKind::Sign if token.is("(") => self.until_closing(),
            TokenKind::Sign if token.is("-") => self.single().map(i64::saturating_neg),
            TokenKind::Sign => None,
        };
        self.depth -= 1;
        value
    }

    fn until_closing(&mut self) -> Option<i64> {
        let value = self.sum()?;
        self.takes(&[")"])?;
        Some(value)
    }
}
