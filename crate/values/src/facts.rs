//! What was seen at a statement of a run, as tests that many runs can have in common: whether a
//! variable was negative, zero or positive, had a value, or was less than another one.

use alloc::format;
use alloc::string::String;

use crate::columns::Kind;
use crate::invariants::{number_text, quoted};
use crate::profile::Profile;
use crate::relations::{Column, Orders, Seen, pair_of};

/// What a test is about: a variable, or what is left of the buffers that a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand<'a> {
    /// The name of the variable.
    pub name: &'a str,
    /// Its type.
    pub of_type: &'a str,
    /// The bytes that are left are meant.
    pub is_size: bool,
    kind: Kind,
}

impl Operand<'_> {
    /// Its values are addresses, which are others in each run.
    pub fn is_pointer(&self) -> bool {
        self.kind == Kind::Pointer
    }

    /// As queries have it.
    pub fn text(&self) -> String {
        let own = quoted(self.name);
        if self.is_size { format!("{own}.size") } else { own }
    }

    /// A value of it, of 64 bits, as queries have it.
    pub fn value_text(&self, bits: u64) -> String {
        number_text(self.kind, bits)
    }
}

/// What was seen of an operand, or of two of them.
#[derive(Clone, Copy, Debug)]
pub enum Fact<'a> {
    /// Of the values of an operand.
    Values {
        /// The operand.
        of: Operand<'a>,
        /// Points at which it was below, at and above zero.
        signs: Orders,
        /// The values that it had, if they are few.
        few: Option<&'a [(u64, Seen)]>,
    },
    /// Of two operands at one point.
    Order {
        /// The one.
        x: Operand<'a>,
        /// The other one.
        y: Operand<'a>,
        /// Points at which the one was less than, equal to, and more than the other one.
        orders: Orders,
    },
}

impl Profile {
    /// What was seen at a statement, by its index. Values that are not numbers count nowhere.
    pub fn facts(&self, statement: usize) -> impl Iterator<Item = Fact<'_>> {
        let of = self.values_at(statement);
        let operand = |column: &Column| {
            let (name, of_type) = self.name_of(column.key());
            Operand { name, of_type, is_size: column.is_size(), kind: column.kind }
        };
        let columns = move || of.into_iter().flat_map(|of| of.columns.iter().enumerate());
        let values = columns().map(move |(_, column)| Fact::Values {
            of: operand(column),
            signs: column.signs,
            few: column.few(),
        });
        let orders = columns().flat_map(move |(at, y)| {
            columns().take(at).filter_map(move |(before, x)| {
                let orders = of?.pairs.get(pair_of(before, at))?.orders;
                let is_seen = orders.iter().any(|seen| seen.count > 0);
                is_seen.then(|| Fact::Order { x: operand(x), y: operand(y), orders })
            })
        });
        values.chain(orders)
    }
}
