//! The uniforms of a program: those that were set or asked for, and those that its shaders declare
//! and use.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::glsl::{self, Declared};
use super::report::text;
use unspool_gl::machine::cells::{Cell, Numbers, Value};

/// A uniform of the program in use.
#[derive(Debug)]
pub(super) struct Uniform {
    /// Without the index of an element.
    pub(super) name: String,
    /// Its type; empty if no declaration is known.
    pub(super) kind: String,
    /// Its elements: one if it is not an array. Those whose value is not known are left out.
    pub(super) elements: Vec<(u32, Value)>,
    pub(super) is_array: bool,
    /// The latest call that set any of it.
    pub(super) call: Option<u32>,
}

impl Uniform {
    /// Names of the elements, as programs ask for their locations, and their values.
    pub(super) fn named(&self) -> impl Iterator<Item = (String, &Value)> {
        self.elements.iter().map(|(index, value)| {
            let name = if self.is_array { format!("{}[{index}]", self.name) } else { self.name.clone() };
            (name, value)
        })
    }

    /// All elements of an array as one value, if all are known: as `apitrace` 11 dumps them.
    pub(super) fn whole(&self) -> Option<Value> {
        let is_all = self.is_array && self.elements.iter().zip(0..).all(|((index, _), at)| *index == at);
        let mut all = Numbers { rows: 1, columns: 1, is_integer: true, values: Vec::new() };
        for (_, value) in self.elements.iter().filter(|_| is_all) {
            match value {
                Value::Int(number) => all.values.push(*number as f64),
                Value::Float(number) => {
                    all.is_integer = false;
                    all.values.push(*number);
                }
                Value::Floats(numbers, count) => {
                    (all.rows, all.is_integer) = (*count, false);
                    all.values.extend(numbers.iter().take((*count).into()).map(|number| f64::from(*number)));
                }
                Value::Ints(numbers, count) => {
                    all.rows = *count;
                    all.values.extend(numbers.iter().take((*count).into()).map(|number| f64::from(*number)));
                }
                Value::Numbers(numbers) => {
                    (all.rows, all.columns, all.is_integer) = (numbers.rows, numbers.columns, numbers.is_integer);
                    all.values.extend(&numbers.values);
                }
                _ => return None,
            }
        }
        is_all.then(|| Value::Numbers(Arc::new(all)))
    }

    /// Its value for people: a line an element, or one for all if they are the same.
    pub(super) fn text(&self) -> String {
        let [(_, first), rest @ ..] = &self.elements[..] else { return String::new() };
        if rest.len() > 1 && rest.iter().all(|(_, value)| value == first) {
            return format!("{}\n× {}", text(first, ""), self.elements.len());
        }
        self.elements.iter().map(|(_, value)| text(value, "")).collect::<Vec<_>>().join("\n")
    }
}

/// Elements of all arrays of a program together.
const MOST_ELEMENTS: usize = 1 << 16;
/// Uniforms that no program has more of.
const MOST: usize = 1 << 14;

/// The uniforms of a program. `located`: locations with their names, as far as they are known, and
/// what was set there.
pub(super) fn uniforms(sources: &[Arc<str>], located: Vec<(u32, Option<String>, Option<Cell>)>) -> Vec<Uniform> {
    let declared: Vec<Declared<'_>> = sources.iter().flat_map(|source| glsl::uniforms(source)).collect();
    let mut by_name: HashMap<&str, &Declared<'_>> = HashMap::new();
    for it in &declared {
        by_name.entry(it.name).and_modify(|known| *known = if known.is_used { known } else { it }).or_insert(it);
    }
    let mut all: Vec<Uniform> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    // Elements with a call of their own: a later one counts.
    let mut set: Vec<(usize, u32, Cell)> = Vec::new();
    for (location, name, cell) in located {
        let at_location = || declared.iter().find(|it| it.location == Some(location)).map(|it| it.name.to_string());
        let name = name.or_else(at_location).unwrap_or_else(|| format!("location {location}"));
        let (base, index) = element(&name);
        let known = by_name.get(base).copied();
        let is_array = known.map_or(index.is_some(), |it| it.is_array);
        let (base, index) = if is_array { (base, index.unwrap_or(0)) } else { (name.as_str(), 0) };
        let at = *places.entry(base.to_string()).or_insert_with(|| {
            let kind = known.map_or("", |it| it.kind).to_string();
            all.push(Uniform { name: base.into(), kind, elements: Vec::new(), is_array, call: None });
            all.len() - 1
        });
        if let Some(cell) = cell {
            set.push((at, index, cell));
        }
    }
    let mut seen = HashSet::new();
    for it in declared.iter().filter(|it| it.is_used && seen.insert(it.name)).take(MOST) {
        if !places.contains_key(it.name) && (!it.is_array || it.count.is_some()) {
            let (name, kind) = (it.name.to_string(), it.kind.to_string());
            all.push(Uniform { name, kind, elements: Vec::new(), is_array: it.is_array, call: None });
        }
    }
    set.sort_by_key(|(at, _, cell)| (*at, cell.call));
    let mut set = set.into_iter().peekable();
    let mut left = MOST_ELEMENTS;
    for (at, uniform) in all.iter_mut().enumerate() {
        let known = by_name.get(uniform.name.as_str()).copied();
        let initial = known.filter(|it| !it.has_value).and_then(|it| initial(it.kind, it.binding));
        let mut elements: HashMap<u32, Value> = HashMap::new();
        if let Some(initial) = initial {
            let count = known.filter(|it| it.is_array).map_or(1, |it| it.count.unwrap_or(0));
            let is_sampler = matches!(initial, Value::Int(_));
            for i in (0..count).take(left) {
                let unit = |first: i64| Value::Int(if first == 0 { 0 } else { first + i64::from(i) });
                let value =
                    if let (Value::Int(first), true) = (&initial, is_sampler) { unit(*first) } else { initial.clone() };
                elements.insert(i, value);
            }
        }
        while let Some((_, first, cell)) = set.next_if(|(of, ..)| *of == at) {
            uniform.call = uniform.call.max(Some(cell.call));
            if !uniform.is_array {
                elements.insert(0, cell.value);
                continue;
            }
            let most = known.and_then(|it| it.count).unwrap_or(u32::MAX);
            let values = apart(&cell.value).into_iter().take(left);
            elements.extend(values.zip(first..most).map(|(value, index)| (index, value)));
        }
        uniform.elements = elements.into_iter().collect();
        uniform.elements.sort_by_key(|(index, _)| *index);
        left = left.saturating_sub(uniform.elements.len());
    }
    all.retain(|uniform| !uniform.elements.is_empty());
    all
}

/// The name of an array, and the index of an element of it.
fn element(name: &str) -> (&str, Option<u32>) {
    let split = || {
        let (base, index) = name.strip_suffix(']')?.rsplit_once('[')?;
        Some((base, index.parse().ok()?))
    };
    split().map_or((name, None), |(base, index)| (base, Some(index)))
}

/// The elements of what was set at once.
fn apart(value: &Value) -> Vec<Value> {
    let Value::Numbers(numbers) = value else { return vec![value.clone()] };
    let Numbers { rows, columns, is_integer, values } = &**numbers;
    let one = usize::from(*rows).max(1) * usize::from(*columns).max(1);
    let element = |values: &[f64]| match (values, *columns) {
        ([one], _) if *is_integer => Value::Int(*one as i64),
        ([one], _) => Value::Float(*one),
        (_, ..=1) => {
            let number = |i: usize| values.get(i).copied().unwrap_or_default();
            match is_integer {
                true => Value::Ints(core::array::from_fn(|i| number(i) as i64 as i32), *rows),
                false => Value::Floats(core::array::from_fn(|i| number(i) as f32), *rows),
            }
        }
        _ => Value::Numbers(Arc::new(Numbers { values: values.to_vec(), ..**numbers })),
    };
    values.chunks_exact(one).map(element).collect()
}

/// The value of a uniform that was never set, by its type: zero, or for samplers and images their
/// `binding`. `None` for structures.
fn initial(kind: &str, binding: i64) -> Option<Value> {
    let count = |prefix: &str| {
        kind.strip_prefix(prefix).and_then(|count| count.parse::<u8>().ok()).filter(|count| (2..=4).contains(count))
    };
    match kind {
        "float" | "double" => return Some(Value::Float(0.0)),
        "int" | "uint" | "bool" => return Some(Value::Int(0)),
        _ if kind.contains("sampler") || kind.contains("image") => return Some(Value::Int(binding)),
        _ => {}
    }
    if let Some(count) = count("vec") {
        return Some(Value::Floats([0.0; 4], count));
    }
    if let Some(count) = count("ivec").or(count("uvec")).or(count("bvec")) {
        return Some(Value::Ints([0; 4], count));
    }
    let (columns, rows) = match kind.strip_prefix("mat")?.split_once('x') {
        Some((columns, rows)) => (columns.parse().ok()?, rows.parse().ok()?),
        None => (count("mat")?, count("mat")?),
    };
    let values = vec![0.0; usize::from(columns) * usize::from(rows)];
    Some(Value::Numbers(Arc::new(Numbers { rows, columns, is_integer: false, values })))
}
