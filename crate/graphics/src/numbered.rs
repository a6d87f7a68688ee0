//! Values that are told apart, numbered from 0.

use core::hash::Hash;

use hashbrown::HashMap;

/// Different values with their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Numbered<T> {
    all: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { all: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Copy + Eq + Hash> Numbered<T> {
    /// The number of a value, which is added if it is new.
    pub(crate) fn number(&mut self, value: T) -> u32 {
        *self.numbers.entry(value).or_insert_with(|| {
            self.all.push(value);
            self.all.len() as u32 - 1
        })
    }

    /// The values by number.
    pub(crate) fn all(&self) -> &[T] {
        &self.all
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;
    use core::hash::Hasher;

    use super::*;

    thread_local! {
        static COMPARED: Cell<usize> = const { Cell::new(0) };
    }

    #[derive(Clone, Copy, Debug)]
    struct Value(u32);

    impl PartialEq for Value {
        fn eq(&self, other: &Self) -> bool {
            COMPARED.set(COMPARED.get() + 1);
            self.0 == other.0
        }
    }

    impl Eq for Value {}

    impl Hash for Value {
        fn hash<H: Hasher>(&self, hasher: &mut H) {
            self.0.hash(hasher);
        }
    }

    #[test]
    fn a_number_costs_the_same_with_any_number_of_values() {
        let mut numbered = Numbered::default();
        for _ in 0..2 {
            (0..50_000).for_each(|value| assert_eq!(numbered.number(Value(value)), value));
        }
        assert_eq!(numbered.all().len(), 50_000);
        assert!(COMPARED.get() <= 200_000, "{}", COMPARED.get());
    }
}
