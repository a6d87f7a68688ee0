//! The types of expressions (GLSL 4.60, 5).

use super::names::Meaning;
use super::tree::{Kind, NONE, Node};
use super::types::{Base, Type, common};
use super::{Checker, MAX_STEPS, Value};

impl<'a> Checker<'a> {
    /// Reads an expression at a token and finds its types. Returns the index after it and its node.
    /// `None` for anything else, which stays as it is.
    pub(super) fn expression(&mut self, at: usize) -> Option<(usize, u32)> {
        let end = self.tree.read(self.tokens, at).ok();
        self.check(at, end)
    }

    /// The same for what a variable is set to.
    pub(super) fn initial(&mut self, at: usize) -> Option<(usize, u32)> {
        let end = self.tree.read_initial(self.tokens, at).ok();
        self.check(at, end)
    }

    fn check(&mut self, at: usize, end: Option<usize>) -> Option<(usize, u32)> {
        self.steps += self.tree.nodes.len() + end.map_or(0, |end| end - at);
        let end = end?;
        self.values.clear();
        // Each node comes after those that it consists of.
        for i in 0..self.tree.nodes.len() as u32 {
            if self.steps > MAX_STEPS {
                return None;
            }
            let value = self.tree.node(i).map_or(Value::UNKNOWN, |node| self.value_of(&node));
            self.values.push(value);
        }
        Some((end, self.tree.root()))
    }

    pub(super) fn value(&self, at: u32) -> Value {
        self.values.get(at as usize).copied().unwrap_or(Value::UNKNOWN)
    }

    fn value_of(&mut self, node: &Node) -> Value {
        let [a, b, c] = node.parts;
        let [first, second] = [a, b].map(|at| self.value(at));
        let parts_vary = [a, b, c].into_iter().any(|at| at != NONE && self.value(at).varies);
        let value = Value::new;
        match node.kind {
            Kind::Name => self.of_name(node.token),
            Kind::Number => {
                let of = self.of_number(node.token);
                let number = if of == Type::FLOAT { None } else { whole_number(self.text(node.token)) };
                Value { number: number.and_then(|number| number.try_into().ok()), ..value(of, false) }
            }
            Kind::Parens => first,
            Kind::Unary | Kind::Postfix => {
                let (number, steps) = match self.text(node.token) {
                    "++" | "--" => (None, true),
                    "-" => (first.number.and_then(i32::checked_neg), false),
                    "+" => (first.number, false),
                    _ => (None, false),
                };
                Value { number, ..value(first.of, first.varies || steps) }
            }
            Kind::Binary => {
                let of = self.of_operator(node.token, a, b);
                let number = first.number.zip(second.number).and_then(|(one, other)| match self.text(node.token) {
                    "+" => one.checked_add(other),
                    "-" => one.checked_sub(other),
                    "*" => one.checked_mul(other),
                    "/" => one.checked_div(other),
                    "%" => one.checked_rem(other),
                    _ => None,
                });
                Value { number, ..value(of, parts_vary) }
            }
            Kind::Assign => {
                let kept = matches!(self.text(node.token), "<<=" | ">>=");
                if self.text(node.token) == "=" {
                    self.convert(b, first.of);
                } else if !kept && first.of.is_number() && second.of.is_number() {
                    self.convert(b, second.of.of(first.of.base));
                }
                value(first.of, true)
            }
            Kind::Choice => value(self.meet(b, c).unwrap_or(Type::UNKNOWN), parts_vary),
            Kind::Comma => value(second.of, true),
            Kind::Call => self.of_call(node),
            Kind::ArrayCall => {
                let dimensions = u8::try_from(a).unwrap_or(u8::MAX);
                let of = self.names.type_of(self.text(node.token)).unwrap_or(Type::UNKNOWN).array(dimensions);
                let varies = self.arguments_vary(node);
                self.convert_all(node, of.element());
                value(of, varies)
            }
            Kind::Index => {
                self.note_index(a, second.number);
                value(first.of.element(), parts_vary)
            }
            Kind::Member => value(self.of_member(node, first.of), first.varies),
            Kind::Length => value(self.of_length(node, first.of), first.of.dimensions == 0 && first.varies),
            // Its type is that of what it is for: see `fill`.
            Kind::List => value(Type::UNKNOWN, self.arguments_vary(node)),
        }
    }

    pub(super) fn arguments_vary(&self, node: &Node) -> bool {
        self.tree.args_of(node).iter().any(|at| self.value(*at).varies)
    }

    pub(super) fn convert_all(&mut self, node: &Node, to: Type) {
        for i in 0..self.tree.args_of(node).len() {
            if let Some(arg) = self.tree.args_of(node).get(i).copied() {
                self.convert(arg, to);
            }
        }
    }

    fn of_name(&mut self, token: usize) -> Value {
        let text = self.text(token);
        match self.names.meaning(text) {
            Some(Meaning::Variable(value)) => value,
            Some(Meaning::Struct(_)) => Value::UNKNOWN,
            None if matches!(text, "true" | "false") => Value::new(Type::BOOL, false),
            None => self.names.builtin(text).unwrap_or(Value::UNKNOWN),
        }
    }

    /// An array without a size has as many elements as are used (GLSL 4.60, 4.1.9).
    fn note_index(&mut self, array: u32, index: Option<i32>) {
        let Some(node) = self.tree.node(array).filter(|node| node.kind == Kind::Name) else { return };
        let name = self.text(node.token);
        if let Some((_, most)) = self.names.unsized_array(name) {
            *most = index.unwrap_or(0).max(*most);
        }
    }

    /// Gives arrays their sizes.
    pub(super) fn set_sizes(&mut self) {
        for (close, most) in self.names.unsized_arrays() {
            let size = i64::from(most) + 1;
            self.edits.insert(close, size.to_string());
        }
    }

    fn of_number(&mut self, token: usize) -> Type {
        let text = self.text(token);
        let is_hex = text.starts_with("0x") || text.starts_with("0X");
        if text.ends_with(['u', 'U']) {
            Type::UINT
        } else if is_hex || text.bytes().all(|byte| byte.is_ascii_digit()) {
            Type::INT
        } else {
            // `1f` is a float elsewhere.
            let digits = text.trim_end_matches(['f', 'F']);
            if digits.bytes().all(|byte| byte.is_ascii_digit()) {
                self.edits.replace(token, format!("{digits}.0"), true);
            }
            Type::FLOAT
        }
    }

    /// What an operator of two operands comes to, which are converted.
    fn of_operator(&mut self, token: usize, a: u32, b: u32) -> Type {
        let [one, other] = [a, b].map(|at| self.value(at).of);
        match self.text(token) {
            "<" | ">" | "<=" | ">=" | "==" | "!=" => {
                self.meet(a, b);
                Type::BOOL
            }
            "&&" | "||" | "^^" => Type::BOOL,
            "<<" | ">>" => one,
            operator => {
                if !one.is_number() || !other.is_number() {
                    return Type::UNKNOWN;
                }
                let base = common(one.base, other.base);
                self.convert(a, one.of(base));
                self.convert(b, other.of(base));
                let (one, other) = (one.of(base), other.of(base));
                match operator {
                    "*" if one.is_matrix() && other.is_matrix() => Type::matrix(other.columns, one.rows),
                    "*" if one.is_matrix() && other.is_vector() => Type::vector(base, one.rows),
                    "*" if one.is_vector() && other.is_matrix() => Type::vector(base, other.columns),
                    _ if one.is_scalar() => other,
                    _ if other.is_scalar() || one == other => one,
                    _ => Type::UNKNOWN,
                }
            }
        }
    }

    /// Converts one of two expressions so that both have the same type. Returns it, or `None` if
    /// neither becomes the other.
    fn meet(&mut self, a: u32, b: u32) -> Option<Type> {
        let [one, other] = [a, b].map(|at| self.value(at).of);
        if one.is_unknown() || other.is_unknown() {
            return None;
        }
        if one.becomes(other).is_some() {
            self.convert(a, other);
            Some(other)
        } else if other.becomes(one).is_some() {
            self.convert(b, one);
            Some(one)
        } else {
            None
        }
    }

    fn of_member(&mut self, node: &Node, of: Type) -> Type {
        let name = self.text(node.token);
        if let Some(known) = self.names.members(of) {
            let place = known.members.iter().position(|(member, _)| *member == name);
            let found = place.and_then(|at| known.members.get(at)).map_or(Type::UNKNOWN, |(_, of)| *of);
            self.steps += place.unwrap_or(known.members.len()) / 8;
            return found;
        }
        let is_swizzle = ["xyzw", "rgba", "stpq"].iter().any(|set| name.bytes().all(|c| set.as_bytes().contains(&c)));
        let count = name.len();
        if of.dimensions > 0 || of.is_matrix() || !is_swizzle || count > 4 || of.name().is_none() {
            return Type::UNKNOWN;
        }
        let made = Type::vector(of.base, count as u8);
        // Scalars have components from 4.20 on.
        if of.rows == 1
            && let Some(base) = self.tree.node(node.parts.first().copied().unwrap_or(NONE))
        {
            if count > 1
                && let Some(name) = made.name()
            {
                self.edits.wrap(base.from, base.to, name);
            }
            self.edits.remove(node.token.saturating_sub(1));
            self.edits.remove(node.token);
        }
        made
    }

    fn of_length(&mut self, node: &Node, of: Type) -> Type {
        if of.is_unknown() || self.text(node.token) != "length" {
            return Type::UNKNOWN;
        }
        // Vectors and matrices have a length from 4.20 on.
        let is_plain = |kind: Kind| matches!(kind, Kind::Name | Kind::Member | Kind::Index);
        let [first, ..] = node.parts;
        let is_short = node.to - node.from < 32;
        if of.dimensions == 0 && is_short && self.tree.node(first).is_some_and(|node| is_plain(node.kind)) {
            let length = if of.is_matrix() { of.columns } else { of.rows };
            for at in node.from + 1..node.to {
                self.edits.remove(at);
            }
            self.edits.replace(node.from, length.to_string(), true);
        }
        Type::INT
    }

    /// Converts an expression to a type, if it becomes that by itself.
    pub(super) fn convert(&mut self, at: u32, to: Type) {
        let from = self.value(at).of;
        if !matches!(from.becomes(to), Some(1 | 2)) {
            return;
        }
        let Some(node) = self.tree.node(at) else { return };
        if to.is_scalar() && self.convert_number(&node, to.base) {
            return;
        }
        if let Some(name) = to.name() {
            self.edits.wrap(node.from, node.to, name);
        }
    }

    /// Writes a whole number, maybe with a sign, as one of another type. Returns false for anything
    /// else.
    fn convert_number(&mut self, node: &Node, to: Base) -> bool {
        let mut number = *node;
        let mut is_negative = false;
        while number.kind == Kind::Unary {
            if !matches!(self.text(number.token), "-" | "+") {
                return false;
            }
            is_negative = true;
            let [operand, ..] = number.parts;
            let Some(inner) = self.tree.node(operand) else { return false };
            number = inner;
        }
        if number.kind != Kind::Number || (is_negative && to != Base::Float) {
            return false;
        }
        // Beyond that the sign is one of the bits.
        let value = whole_number(self.text(number.token)).filter(|value| i32::try_from(*value).is_ok());
        let Some(value) = value else { return false };
        let text = if to == Base::Float { format!("{value}.0") } else { format!("{value}u") };
        self.edits.replace(number.token, text, true);
        true
    }

    /// Gives a list of initial values the type of what it is for: `{…}` becomes a constructor (GLSL
    /// 4.20). Anything else is converted.
    pub(super) fn fill(&mut self, at: u32, to: Type) {
        let Some(node) = self.tree.node(at) else { return };
        if node.kind != Kind::List {
            return self.convert(at, to);
        }
        let Some(text) = self.name_of(Type { dimensions: 0, ..to }) else { return };
        // Structures may be called something else in the translation.
        let is_final = !matches!(to.base, Base::Struct(_));
        self.edits.replace(node.from, format!("{text}{}(", "[]".repeat(to.dimensions.into())), is_final);
        self.edits.replace(node.to - 1, ")", true);
        if self.text(node.to.saturating_sub(2)) == "," {
            self.edits.remove(node.to - 2);
        }
        for i in 0..self.tree.args_of(&node).len() {
            let Some(item) = self.tree.args_of(&node).get(i).copied() else { break };
            let of = match self.names.members(to) {
                Some(known) => known.members.get(i).map_or(Type::UNKNOWN, |(_, of)| *of),
                // A constructor of a vector converts by itself, and takes no lists.
                None => to.element(),
            };
            self.fill(item, of);
        }
    }

    /// What a type is called. `None` for arrays and what has no name.
    pub(super) fn name_of(&self, of: Type) -> Option<&'a str> {
        of.name().or_else(|| self.names.members(of).map(|known| known.name).filter(|name| !name.is_empty()))
    }
}

/// A literal that is a whole number.
fn whole_number(text: &str) -> Option<u32> {
    let digits = text.trim_end_matches(['u', 'U']);
    match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None if digits.len() > 1 && digits.starts_with('0') => u32::from_str_radix(digits, 8),
        None => digits.parse(),
    }
    .ok()
}
