//! The engine against an evaluator that looks at every combination, on random traces and random
//! queries.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{FromPrimitive, Zero};
use unspool_formats::trace_db::encode::Writer;
use unspool_formats::trace_db::memory::MemoryMap;
use unspool_formats::trace_db::point::{Content, Point, Variable};
use unspool_formats::trace_db::wire::{Layout, Number, StatementId, Tables, Type};
use unspool_trace::Limits;
use unspool_values::{Loader, Query, Run};

/// Splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % n
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize].clone()
    }
}

const NAMES: [&str; 9] = ["x", "y", "z", "unsigned", "signed", "float", "double", "pointer", "bytes"];
/// Name, format, size. Two types have one name.
const TYPES: [(u32, u32, u32); 7] = [(3, 0, 8), (4, 1, 8), (5, 2, 4), (6, 2, 8), (7, 3, 8), (8, 4, 0), (3, 1, 4)];

fn tables() -> Tables {
    let types = TYPES.map(|(name, format, size)| Type { name, format, size });
    Tables::new(NAMES.map(str::as_bytes), types)
}

fn points(random: &mut Random) -> Vec<Point> {
    let mut map = MemoryMap::default();
    let count = random.below(6);
    let mut points = Vec::new();
    for _ in 0..count {
        let file = random.below(3) as u32;
        let mut point = Point {
            statement: (random.below(8) != 0).then(|| match file {
                0 => StatementId::from_bits(5),
                _ => StatementId::in_file(file, 5),
            }),
            ..Point::default()
        };
        for _ in 0..random.below(2) {
            let (address, size) = (0x1000 + random.below(3) * 4, random.below(6));
            map.set(address, size);
            point.buffer_sizes.push((address, size));
        }
        for _ in 0..random.below(5) {
            let of_type = random.below(TYPES.len() as u64) as u32;
            let small = random.below(4);
            let content = match of_type {
                0 => Content::Number(Number::Unsigned(random.one(&[small, u64::MAX, 1 << 63]))),
                1 => Content::Number(Number::Signed(random.one(&[small as i64, -1, i64::MIN, i64::MAX]))),
                2 => Content::Number(Number::Float(random.one(&[0.1f32, 1.5, f32::INFINITY, -0.0]).into())),
                3 => {
                    Content::Number(Number::Float(random.one(&[0.1, 1e300, f64::NAN, f64::NEG_INFINITY, 2.0, 5e-324])))
                }
                4 => Content::Number(Number::Pointer(0x1000 + random.below(12))),
                5 => Content::Bytes(random.one(&[b"ab".to_vec(), b"".to_vec()])),
                _ => Content::Number(Number::Signed(small as i64 - 2)),
            };
            let buffer_size = match content {
                Content::Number(Number::Pointer(pointer)) => map.bytes_from(pointer),
                _ => None,
            };
            let size = match &content {
                Content::Bytes(bytes) => bytes.len() as u32,
                Content::Number(_) => TYPES[of_type as usize].2,
            };
            point.variables.push(Variable { name: random.below(3) as u32, of_type, content, size, buffer_size });
        }
        for _ in 0..random.below(2) {
            point.auxiliary.push(random.below(9));
        }
        points.push(point);
    }
    points
}

/// A predicate, written as both languages have it.
#[derive(Clone, Debug)]
enum Expr {
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    Compare(&'static str, Term, Term),
    Text(&'static str, usize, &'static str),
    Distinct(usize, usize),
}

#[derive(Clone, Debug)]
enum Term {
    Value(usize),
    Size(usize),
    Whole(BigInt),
    Float(f64),
    Apply(char, Box<(Term, Term)>),
}

fn term(random: &mut Random, variables: usize, depth: u32) -> Term {
    let v = random.below(variables as u64) as usize;
    match random.below(if depth == 0 { 6 } else { 9 }) {
        0..=2 => Term::Value(v),
        3 => Term::Size(v),
        4 => Term::Whole(random.one(&[
            BigInt::from(random.0 % 5),
            BigInt::from(-1),
            BigInt::from(u64::MAX),
            BigInt::from(i128::MAX) * 3,
        ])),
        5 => Term::Float(random.one(&[0.1, 1.5, 1e22, 0.0])),
        _ => {
            let parts = (term(random, variables, depth - 1), term(random, variables, depth - 1));
            Term::Apply(random.one(&['+', '-', '*', '/']), parts.into())
        }
    }
}

fn expr(random: &mut Random, variables: usize, depth: u32) -> Expr {
    let parts =
        |random: &mut Random| (0..random.below(4)).map(|_| expr(random, variables, depth - 1)).collect::<Vec<_>>();
    match random.below(if depth == 0 { 4 } else { 7 }) {
        3 => {
            let comparison = random.one(&[">", ">=", "<", "<=", "="]);
            let v = random.below(variables as u64) as usize;
            Expr::Text(comparison, v, random.one(&["ab", "", "b", "a"]))
        }
        0 | 1 => {
            let comparison = random.one(&[">", ">=", "<", "<=", "="]);
            Expr::Compare(comparison, term(random, variables, 2), term(random, variables, 2))
        }
        2 => {
            let v = |random: &mut Random| random.below(variables as u64) as usize;
            Expr::Distinct(v(random), v(random))
        }
        6 => Expr::And(parts(random)),
        4 => Expr::Or(parts(random)),
        _ => Expr::Not(Box::new(expr(random, variables, depth - 1))),
    }
}

impl Term {
    fn lisp(&self) -> String {
        match self {
            Self::Value(v) => format!("(v/value v{v})"),
            Self::Size(v) => format!("(v/size v{v})"),
            Self::Whole(n) => n.to_string(),
            Self::Float(n) => format!("{n:?}"),
            Self::Apply(operator, parts) => format!("({operator} {} {})", parts.0.lisp(), parts.1.lisp()),
        }
    }

    fn infix(&self) -> String {
        match self {
            Self::Value(v) => format!("v{v}"),
            Self::Size(v) => format!("v{v}.size"),
            Self::Apply(operator, parts) => format!("({} {operator} {})", parts.0.infix(), parts.1.infix()),
            _ => self.lisp(),
        }
    }

    /// `Err` for an invalid value. The inner error is an infinity.
    fn value(&self, bound: &[&Variable]) -> Option<Result<BigRational, bool>> {
        let whole = |n: u64| Some(Ok(BigRational::from_integer(n.into())));
        let float = |n: f64| match n {
            n if n.is_nan() => None,
            n if n.is_infinite() => Some(Err(n > 0.0)),
            n => Some(Ok(BigRational::from_f64(n).unwrap())),
        };
        match self {
            Self::Value(v) => match bound[*v].content {
                Content::Number(Number::Unsigned(n) | Number::Pointer(n)) => whole(n),
                Content::Number(Number::Signed(n)) => Some(Ok(BigRational::from_integer(n.into()))),
                Content::Number(Number::Float(n)) => float(n),
                Content::Bytes(_) => None,
            },
            Self::Size(v) => whole(bound[*v].buffer_size?),
            Self::Whole(n) => Some(Ok(BigRational::from_integer(n.clone()))),
            Self::Float(n) => float(*n),
            Self::Apply(operator, parts) => {
                let (a, b) = (parts.0.value(bound)?, parts.1.value(bound)?);
                let zero = BigRational::zero();
                let sign = |n: &Result<BigRational, bool>| match n {
                    Ok(n) => n.cmp(&zero) as i32,
                    Err(up) => 2 * i32::from(*up) - 1,
                };
                if *operator == '/' && b == Ok(zero.clone()) {
                    return None;
                }
                match (operator, &a, &b) {
                    ('+', Ok(a), Ok(b)) => Some(Ok(a + b)),
                    ('-', Ok(a), Ok(b)) => Some(Ok(a - b)),
                    ('*', Ok(a), Ok(b)) => Some(Ok(a * b)),
                    ('/', Ok(a), Ok(b)) => Some(Ok(a / b)),
                    ('+' | '-', Err(a), Err(b)) => ((a == b) == (*operator == '+')).then_some(Err(*a)),
                    ('+' | '-', Err(a), Ok(_)) => Some(Err(*a)),
                    ('+', Ok(_), Err(b)) => Some(Err(*b)),
                    ('-', Ok(_), Err(b)) => Some(Err(!b)),
                    ('/', Ok(_), Err(_)) => Some(Ok(zero)),
                    ('/', Err(_), Err(_)) => None,
                    _ => match sign(&a) * sign(&b) {
                        0 => None,
                        sign => Some(Err(sign > 0)),
                    },
                }
            }
        }
    }
}

impl Expr {
    fn lisp(&self) -> String {
        let all = |parts: &[Self]| parts.iter().map(|part| format!(" {}", part.lisp())).collect::<String>();
        match self {
            Self::And(parts) => format!("(and{})", all(parts)),
            Self::Or(parts) => format!("(or{})", all(parts)),
            Self::Not(inner) => format!("(not {})", inner.lisp()),
            Self::Compare(comparison, a, b) => format!("({comparison} {} {})", a.lisp(), b.lisp()),
            Self::Text(comparison, v, text) => format!("({comparison} (v/value v{v}) \"{text}\")"),
            Self::Distinct(a, b) => format!("(distinct-vars v{a} v{b})"),
        }
    }

    fn infix(&self) -> String {
        let all = |parts: &[Self], with: &str, none: &str| match parts {
            [] => none.to_string(),
            parts => parts.iter().map(|part| format!("({})", part.infix())).collect::<Vec<_>>().join(with),
        };
        match self {
            Self::And(parts) => all(parts, " and ", "true"),
            Self::Or(parts) => all(parts, " or ", "false"),
            Self::Not(inner) => format!("not ({})", inner.infix()),
            Self::Compare(comparison, a, b) => format!("{} {comparison} {}", a.infix(), b.infix()),
            Self::Text(comparison, v, text) => format!("v{v} {comparison} \"{text}\""),
            Self::Distinct(a, b) => format!("distinct(v{a}, v{b})"),
        }
    }

    /// `has_bytes`: variables with bytes compare with each other, as in one of the languages.
    fn holds(&self, bound: &[&Variable], has_bytes: bool) -> bool {
        let bytes = |v: usize| match &bound[v].content {
            Content::Bytes(bytes) => Some(&bytes[..]),
            Content::Number(_) => None,
        };
        let is = |comparison: &str, order: Ordering| match comparison {
            ">" => order == Ordering::Greater,
            ">=" => order != Ordering::Less,
            "<" => order == Ordering::Less,
            "<=" => order != Ordering::Greater,
            _ => order == Ordering::Equal,
        };
        match self {
            Self::And(parts) => parts.iter().all(|part| part.holds(bound, has_bytes)),
            Self::Or(parts) => parts.iter().any(|part| part.holds(bound, has_bytes)),
            Self::Not(inner) => !inner.holds(bound, has_bytes),
            Self::Text(comparison, v, text) => bytes(*v).is_some_and(|it| is(comparison, it.cmp(text.as_bytes()))),
            Self::Compare(comparison, Term::Value(a), Term::Value(b))
                if has_bytes && (bytes(*a).is_some() || bytes(*b).is_some()) =>
            {
                bytes(*a).zip(bytes(*b)).is_some_and(|(a, b)| is(comparison, a.cmp(b)))
            }
            Self::Compare(comparison, a, b) => {
                let (Some(a), Some(b)) = (a.value(bound), b.value(bound)) else { return false };
                let rank = |n: &Result<BigRational, bool>| n.as_ref().map_or_else(|up| if *up { 1 } else { -1 }, |_| 0);
                let order = match (&a, &b) {
                    (Ok(a), Ok(b)) => a.cmp(b),
                    _ => rank(&a).cmp(&rank(&b)),
                };
                is(comparison, order)
            }
            Self::Distinct(a, b) => bound[*a] != bound[*b],
        }
    }
}

type Found = (u64, Vec<Variable>, Vec<u64>);
/// The statement, and the names and types of a result.
type Alike = (Option<StatementId>, Vec<(u32, u32)>);

struct Case {
    points: Vec<Point>,
    /// For each free variable, indices of types.
    allowed: Vec<Vec<usize>>,
    predicate: Option<Expr>,
    soft: Vec<Expr>,
    statement: Option<(u64, u64)>,
    keep: bool,
}

impl Case {
    fn new(random: &mut Random) -> Self {
        let variables = random.below(4) as usize;
        let allowed = (0..variables).map(|_| (0..1 + random.below(4)).map(|_| random.below(6) as usize).collect());
        let allowed: Vec<Vec<usize>> = allowed.collect();
        let mut predicates = |n: u64| match variables {
            0 => Vec::new(),
            _ => (0..random.below(n)).map(|_| expr(random, variables, 2)).collect::<Vec<_>>(),
        };
        let (predicate, soft) = (predicates(4).pop(), predicates(3));
        let statement =
            (random.below(3) == 0).then(|| (((1 << 23) - 1) << 40, StatementId::in_file(1, 0).bits() & !(1 << 63)));
        Self { points: points(random), allowed, predicate, soft, statement, keep: random.below(2) == 0 }
    }

    /// As an s-expression. The second type with the name `unsigned` cannot be named in it.
    fn lisp(&self) -> String {
        let mut text = String::from("(query");
        for (v, types) in self.allowed.iter().enumerate() {
            let types = types.iter().map(|t| format!(" \"{}\"", NAMES[TYPES[*t].0 as usize]));
            text += &format!(" (var v{v}{})", types.collect::<String>());
        }
        text += &self.predicate.iter().map(|it| format!(" (predicate {})", it.lisp())).collect::<String>();
        text += &self.soft.iter().map(|it| format!(" (soft {})", it.lisp())).collect::<String>();
        text += &self.statement.map(|(mask, id)| format!(" (mask {mask}) (statement {id})")).unwrap_or_default();
        text + if self.keep { " (keep))" } else { ")" }
    }

    /// The same for one of the bits less that the other language can say: any file.
    fn infix(&self) -> Option<String> {
        if self.allowed.is_empty() || self.allowed.iter().flatten().any(|t| *t == 0) {
            return None;
        }
        let mut declared = Vec::new();
        for (v, types) in self.allowed.iter().enumerate() {
            let types = types.iter().map(|t| NAMES[TYPES[*t].0 as usize]).collect::<Vec<_>>().join(" | ");
            declared.push(format!("v{v}: {types}"));
        }
        let predicate = self.predicate.as_ref().map_or("true".into(), Expr::infix);
        let mut text = format!("{} where {predicate}", declared.join(", "));
        for soft in &self.soft {
            text += &format!(" prefer {}", soft.infix());
        }
        if self.statement.is_some() {
            text += " in file 1";
        }
        if !self.keep {
            text += " once";
        }
        Some(text)
    }

    fn naive(&self, has_bytes: bool) -> Vec<Found> {
        let mut results: Vec<Found> = Vec::new();
        let mut seen: Vec<Alike> = Vec::new();
        for (number, point) in (0..).zip(&self.points) {
            let is_wanted = |(mask, wanted): (u64, u64)| point.statement.is_some_and(|id| id.bits() & mask == wanted);
            if self.statement.is_some_and(|filter| !is_wanted(filter)) {
                continue;
            }
            let candidates = |types: &Vec<usize>| {
                point.variables.iter().filter(|v| types.contains(&(v.of_type as usize))).collect::<Vec<_>>()
            };
            // The first variable varies fastest.
            let mut combinations: Vec<Vec<&Variable>> = vec![Vec::new()];
            for types in self.allowed.iter().rev() {
                let mut longer = Vec::new();
                for combination in &combinations {
                    for candidate in candidates(types) {
                        longer.push([vec![candidate], combination.clone()].concat());
                    }
                }
                combinations = longer;
            }
            combinations.retain(|bound| self.predicate.as_ref().is_none_or(|it| it.holds(bound, has_bytes)));
            let met = |bound: &Vec<&Variable>| self.soft.iter().filter(|it| it.holds(bound, has_bytes)).count();
            let most = combinations.iter().map(met).max();
            combinations.retain(|bound| Some(met(bound)) == most);
            for bound in combinations {
                let key = (point.statement, bound.iter().map(|v| (v.name, v.of_type)).collect());
                let aux = point.auxiliary.clone();
                let bare = self.allowed.is_empty().then(|| (number, Vec::new(), Vec::new()));
                let whole = (number, bound.into_iter().cloned().collect(), aux);
                for result in bare.into_iter().chain([whole]) {
                    if self.keep || !seen.contains(&key) {
                        seen.push(key.clone());
                        results.push(result);
                    }
                }
            }
        }
        results
    }

    fn engine(&self, text: &str, random: &mut Random) -> Vec<Found> {
        let tables = tables();
        let mut writer = Writer::new(Layout::Wide, tables.clone());
        self.points.iter().for_each(|point| writer.point(point));
        let bytes = writer.finish();
        let query = Query::parse(text).unwrap_or_else(|fault| panic!("{text}\n{fault:?}"));
        let mut loader = Loader::new(Layout::Wide, Limits::DEFAULT);
        let mut segments = Vec::new();
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let (portion, more) = rest.split_at(rest.len().min(1 + random.below(40) as usize));
            loader.push(portion, |segment| segments.push(segment)).unwrap();
            rest = more;
        }
        segments.push(loader.end().0);
        let mut run = Run::new(&query, loader.tables().unwrap());
        let mut results = Vec::new();
        for segment in &segments {
            let mut turns = 0;
            while !run.segment(segment, loader.dictionary(), 1 + random.below(9), &mut |found| {
                let variables = found.variables.iter().map(|index| {
                    // The segment must have the whole variable.
                    let index = *index as usize;
                    let (name, of_type) = loader.dictionary().key(segment.key(index));
                    let at = index - segment.variables(found.point).start;
                    let original = &self.points[(segment.first as usize) + found.point].variables[at];
                    assert_eq!((name, of_type), (original.name, original.of_type));
                    assert_eq!(segment.buffer_size(index), original.buffer_size);
                    original.clone()
                });
                let aux = if found.is_bare { Vec::new() } else { segment.auxiliary(found.point).to_vec() };
                results.push((segment.first + found.point as u64, variables.collect(), aux));
            }) {
                turns += 1;
                assert!(turns < 1_000_000, "the run must get on");
            }
        }
        results
    }
}

#[test]
fn results_are_those_of_a_naive_evaluator() {
    let (mut found, mut infix) = (0, 0);
    for seed in 0..6000 {
        let mut random = Random(seed);
        let case = Case::new(&mut random);
        let expected = case.naive(false);
        let text = case.lisp();
        let results = case.engine(&text, &mut random);
        // A NaN is not equal to itself, but numbers compare by their bits here.
        assert_eq!(results, expected, "seed {seed}: {text}\n{:#?}", case.points);
        found += results.len();
        if let Some(text) = case.infix() {
            let expected = case.naive(true);
            assert_eq!(case.engine(&text, &mut random), expected, "seed {seed}: {text}\n{:#?}", case.points);
            infix += usize::from(!expected.is_empty());
        }
    }
    // Otherwise nothing was compared.
    assert!(found > 2000 && infix > 300, "{found} results, {infix} queries with results in the other language");
}

/// Any text is a query or has a fault within it, and what can be parsed can be run.
#[test]
fn any_text_is_understood_or_refused_at_a_place() {
    const PIECES: [&str; 44] = [
        "(",
        ")",
        "query",
        "var",
        "predicate",
        "soft",
        "mask",
        "statement",
        "pick",
        "keep",
        "once",
        "prefer",
        "at",
        "in file",
        "where",
        "any",
        "x",
        "y",
        "\"",
        "\"α\"",
        "`",
        "unsigned",
        ":",
        "|",
        ",",
        ".",
        "value",
        "size",
        "v/value",
        "v/size",
        "distinct(",
        "distinct-vars",
        "and",
        "or",
        "not",
        "<",
        "<=",
        "!=",
        "=",
        "-",
        "/",
        "7",
        "0x1f",
        "1e3",
    ];
    let (mut understood, mut refused) = (0, 0);
    for seed in 0..30_000 {
        let mut random = Random(seed);
        let mut text = String::new();
        for _ in 0..1 + random.below(12) {
            text += random.one(&PIECES);
            text += random.one(&[" ", "", " "]);
        }
        match Query::parse(&text) {
            Ok(query) => {
                understood += 1;
                assert!(query.variables.len() <= 16);
                let case = Case { points: points(&mut random), ..Case::new(&mut random) };
                if query.seed == 0 {
                    case.engine(&text, &mut random);
                }
            }
            Err(fault) => {
                refused += 1;
                assert!(text.get(fault.at..fault.at + fault.len).is_some(), "{text:?}: {fault:?}");
                assert!(fault.sentence.ends_with(['.', '…']), "{text:?}: {fault:?}");
            }
        }
    }
    assert!(understood > 100 && refused > 1000, "{understood} understood, {refused} refused");
}
