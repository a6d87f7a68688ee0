//! Which function of one run is which of another.

use std::ops::Range;

use hashbrown::HashMap;

use crate::profile::{Function, Key};

/// Pairs functions: indices of `a` and `b`. Each function is in one pair, or alone in one.
///
/// Functions have the same name, because ids and addresses differ between builds. Among several of
/// one name, those with the same key belong together; the others are paired in the order of their
/// self times. Functions that only have an address within a module are paired by that.
pub fn join<'a>(
    a: &'a [&'a Function],
    b: &'a [&'a Function],
) -> impl Iterator<Item = (Option<usize>, Option<usize>)> + use<> {
    let mut pairs = Vec::with_capacity(a.len().max(b.len()));
    let mut alone = (vec![true; a.len()], vec![true; b.len()]);
    let mut pair = |i: usize, j: usize, alone: &mut (Vec<bool>, Vec<bool>)| {
        let free = alone.0.get(i) == Some(&true) && alone.1.get(j) == Some(&true);
        if free {
            pairs.push((Some(i), Some(j)));
            [alone.0.get_mut(i), alone.1.get_mut(j)].into_iter().flatten().for_each(|alone| *alone = false);
        }
    };
    let named = by_name(b);
    for (i, function) in a.iter().enumerate() {
        let same = named.of(&function.name).iter();
        let found = same.copied().find(|j| b.get(*j).is_some_and(|other| other.key == function.key));
        if let Some(j) = found {
            pair(i, j, &mut alone);
        }
    }
    for (name, of_a) in by_name(a).iter() {
        let free = |all: &[usize], alone: &[bool]| -> Vec<usize> {
            all.iter().copied().filter(|i| alone.get(*i) == Some(&true)).collect()
        };
        for (i, j) in free(of_a, &alone.0).into_iter().zip(free(named.of(name), &alone.1)) {
            pair(i, j, &mut alone);
        }
    }
    let within: HashMap<&Key, usize> =
        b.iter().zip(0..).filter(|(it, _)| is_within(it)).map(|(it, j)| (&it.key, j)).collect();
    for (i, function) in a.iter().enumerate().filter(|(_, it)| is_within(it)) {
        if let Some(j) = within.get(&function.key) {
            pair(i, *j, &mut alone);
        }
    }
    let only = |alone: &[bool]| -> Vec<usize> {
        alone.iter().enumerate().filter(|(_, alone)| **alone).map(|(i, _)| i).collect()
    };
    pairs.extend(only(&alone.0).into_iter().map(|i| (Some(i), None)));
    pairs.extend(only(&alone.1).into_iter().map(|j| (None, Some(j))));
    pairs.into_iter()
}

fn is_within(function: &Function) -> bool {
    matches!(function.key, Key::Within { .. })
}

/// Indices of functions by name, those of one name by descending self time.
struct ByName<'a> {
    /// The range in `order` of each name: a list for each would take as much as the names.
    places: HashMap<&'a str, Range<usize>>,
    order: Vec<usize>,
}

impl ByName<'_> {
    /// The functions of a name.
    fn of(&self, name: &str) -> &[usize] {
        self.places.get(name).and_then(|place| self.order.get(place.clone())).unwrap_or_default()
    }

    fn iter(&self) -> impl Iterator<Item = (&str, &[usize])> {
        self.places.iter().map(|(name, place)| (*name, self.order.get(place.clone()).unwrap_or_default()))
    }
}

fn by_name<'a>(functions: &'a [&'a Function]) -> ByName<'a> {
    let mut places: HashMap<&str, Range<usize>> = HashMap::new();
    for function in functions {
        places.entry(&function.name).or_default().end += 1;
    }
    let mut begin = 0;
    for place in places.values_mut() {
        let count = place.end;
        // The end moves as the functions are put there.
        *place = begin..begin;
        begin += count;
    }
    let mut order = vec![0; functions.len()];
    for (i, function) in functions.iter().enumerate() {
        let Some(place) = places.get_mut(&*function.name) else { continue };
        if let Some(of) = order.get_mut(place.end) {
            *of = i;
            place.end += 1;
        }
    }
    let own = |i: &usize| std::cmp::Reverse(functions.get(*i).map_or(0, |function| function.figures.own));
    for place in places.values().filter(|place| place.len() > 1) {
        order.get_mut(place.clone()).into_iter().for_each(|all| all.sort_by_key(own));
    }
    ByName { places, order }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Figures;

    fn function(name: &str, key: Key, own: u64) -> Function {
        Function { name: name.into(), key, figures: Figures { own, ..Figures::default() }, ..Function::default() }
    }

    fn joined(a: &[Function], b: &[Function]) -> Vec<(Option<usize>, Option<usize>)> {
        let (a, b): (Vec<_>, Vec<_>) = (a.iter().collect(), b.iter().collect());
        let mut pairs: Vec<_> = join(&a, &b).collect();
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn functions_are_joined_by_name_and_among_equal_names_by_key() {
        let a = [function("f", Key::Id(1), 5), function("g", Key::Id(2), 5), function("g", Key::Id(3), 9)];
        let b = [
            function("g", Key::Id(7), 1),
            function("g", Key::Id(2), 9),
            function("h", Key::Id(1), 5),
            function("g", Key::Id(8), 2),
        ];
        // g with key 2 is g with key 2; the other g is the longest one left.
        assert_eq!(
            joined(&a, &b),
            [(None, Some(0)), (None, Some(2)), (Some(0), None), (Some(1), Some(1)), (Some(2), Some(3))]
        );
    }

    #[test]
    fn functions_without_names_are_joined_within_their_module() {
        let within = |offset| Key::Within { module: "libc.so".into(), offset };
        let a = [function("0x7f0010", within(0x10), 1), function("0x7f0020", within(0x20), 1)];
        let b = [function("0x550020", within(0x20), 1), function("0x550030", within(0x30), 1)];
        assert_eq!(joined(&a, &b), [(None, Some(1)), (Some(0), None), (Some(1), Some(0))]);
    }
}
