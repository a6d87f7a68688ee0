//! What handlers of functions read of a call.

/// A call with its arguments, whatever a reader keeps them in. Places of arguments count from 0.
pub trait Arguments {
    /// Its number.
    fn number(&self) -> u64;

    /// The number of its thread.
    fn thread(&self) -> u64;

    /// An argument as an integer: a list as its first one, 0 for what is not a number.
    fn int(&self, place: usize) -> i64;

    /// The integers of an argument that is a list. Empty for others.
    fn ints(&self, place: usize) -> Vec<i64>;

    /// An argument as a floating point number, 0 for what is not a number.
    fn float(&self, place: usize) -> f64;

    /// An argument as a floating point number. `None` for what is not a number.
    fn number_at(&self, place: usize) -> Option<f64>;

    /// The numbers of an argument that is a list, as far as there is room. Returns how many there
    /// are.
    fn floats(&self, place: usize, numbers: &mut [f64]) -> usize;

    /// What it returned. `None` if that is not a number.
    fn returned(&self) -> Option<i64>;
}
