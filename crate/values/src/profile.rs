//! What is known of a run's values without its trace: statements, variables, and what the values at
//! each statement have to do with one another. Runs are compared by it.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use unspool_formats::trace_db::wire::{StatementId, Tables};

use crate::columns::{Dictionary, Kind, Segment, put_value};
use crate::invariants::float;
use crate::relations::{AtStatement, Broken, Name, Relations, broken};
use crate::statements::Statements;
use crate::variables::{Moment, Variable, Variables};

/// A statement that a run reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    /// The statement; `None` for points that name none.
    pub id: Option<StatementId>,
    /// Number of points, at least 1.
    pub count: u64,
    /// Numbers of the first and the last of them.
    pub first: u64,
    /// See [`Reached::first`].
    pub last: u64,
    /// The track of its points.
    pub track: u32,
}

/// A value of a variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueAt {
    /// As details show it.
    pub text: String,
    /// About this number.
    pub number: f64,
    /// The number of the first point that has it.
    pub point: u64,
    /// The track of that point.
    pub track: u32,
}

/// A variable of a run: a name with a type, at whatever statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Valued {
    /// Its name.
    pub name: String,
    /// Its type.
    pub of_type: String,
    /// Its values are addresses, which are others in each run.
    pub is_pointer: bool,
    /// How often it is recorded; 0 if only outside of the range.
    pub count: u64,
    /// How often it differs from the time before.
    pub changes: u64,
    /// How often it is 0, which is null for a pointer.
    pub zeros: u64,
    /// Different values, and whether that is all of them.
    pub different: (u64, bool),
    /// Its lowest value, if it is a number.
    pub lowest: Option<ValueAt>,
    /// Its highest value, if it is a number.
    pub highest: Option<ValueAt>,
}

/// What is known of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Number of points.
    pub points: u64,
    /// The statements that it reached, in the order of their first points.
    pub statements: Vec<Reached>,
    /// By their keys in the dictionary of the run.
    variables: Vec<Valued>,
    /// For each statement, its values.
    relations: Vec<AtStatement>,
    /// Some variables were left out when relations were looked for, because there are too many.
    pub is_cut: bool,
}

/// What makes a [`Profile`]: a pass over all segments.
#[derive(Debug)]
pub struct Profiling {
    statements: Statements,
    variables: Variables,
    relations: Relations,
}

impl Profiling {
    /// Of the points with the numbers of a range.
    #[must_use]
    pub fn new(range: Range<u64>) -> Self {
        Self {
            statements: Statements::new(range.clone()),
            variables: Variables::new(range.clone()),
            relations: Relations::new(range),
        }
    }

    /// Numbers of the points that count.
    pub(crate) fn range(&self) -> &Range<u64> {
        self.statements.range()
    }

    /// Adds the points of a segment.
    pub fn add(&mut self, segment: &Segment, dictionary: &Dictionary) {
        self.statements.add(segment, dictionary);
        self.variables.add(segment, dictionary);
        self.relations.add(segment, dictionary);
    }

    /// What is known so far. `track_of` gives the track of the points at a statement.
    pub fn profile(
        &self,
        dictionary: &Dictionary,
        tables: &Tables,
        track_of: impl Fn(Option<StatementId>) -> u32,
    ) -> Profile {
        let mut found = Profile { is_cut: self.relations.is_cut, ..Profile::default() };
        let none = AtStatement::default();
        for (number, it) in self.statements.summaries().iter().enumerate().filter(|(_, it)| it.count > 0) {
            found.points += it.count;
            let track = track_of(it.id);
            found.statements.push(Reached { id: it.id, count: it.count, first: it.first, last: it.last, track });
            found.relations.push(self.relations.statements.get(number).unwrap_or(&none).clone());
        }
        for (key, (name, of_type)) in (0..).zip(dictionary.keys()) {
            let of = self.variables.get(key);
            let value = |moment: &Moment| {
                let mut text = String::new();
                let kind = of.map_or(Kind::Bytes, |of| of.kind);
                of.and_then(|of| of.value(moment.bits)).into_iter().for_each(|value| put_value(&mut text, value));
                let track = track_of(dictionary.statement(moment.statement));
                ValueAt { text, number: float(kind, moment.bits), point: moment.point, track }
            };
            found.variables.push(Valued {
                name: tables.text(*name).unwrap_or_default().into(),
                of_type: tables.type_name(*of_type).into(),
                is_pointer: of.is_some_and(Variable::is_pointer),
                count: of.map_or(0, |of| of.count),
                changes: of.map_or(0, |of| of.changes),
                zeros: of.map_or(0, |of| of.zeros),
                different: of.map_or((0, true), Variable::different),
                lowest: of.and_then(|of| of.lowest.as_ref()).map(value),
                highest: of.and_then(|of| of.highest.as_ref()).map(value),
            });
        }
        found
    }
}

impl Profile {
    /// The variables that the run has.
    pub fn variables(&self) -> impl Iterator<Item = &Valued> {
        self.variables.iter().filter(|it| it.count > 0)
    }

    /// What always holds at a statement of this run, and not always in another one that reached it:
    /// with the statements of both. A variable that is the same in the whole run is said to be that
    /// by its range.
    pub fn broken_by<'p>(&'p self, other: &'p Self) -> impl Iterator<Item = (&'p Reached, &'p Reached, Broken)> {
        let places: HashMap<Option<StatementId>, usize> = other.statements.iter().map(|it| it.id).zip(0..).collect();
        self.statements.iter().zip(&self.relations).flat_map(move |(one, of)| {
            let place = places.get(&one.id).copied();
            let found = place.and_then(|place| Some((other.statements.get(place)?, other.relations.get(place)?)));
            found.into_iter().flat_map(move |(that, of_that)| {
                let names = [self, other].map(|run| move |key| run.name_of(key));
                broken([of, of_that], names, |key| self.varies(key)).map(move |it| (one, that, it))
            })
        })
    }

    fn varies(&self, key: u32) -> bool {
        self.variables.get(key as usize).is_some_and(|it| it.different.0 > 1)
    }

    /// The values at a statement, by its index.
    pub(crate) fn values_at(&self, statement: usize) -> Option<&AtStatement> {
        self.relations.get(statement)
    }

    pub(crate) fn name_of(&self, key: u32) -> Name<'_> {
        self.variables.get(key as usize).map_or(("", ""), |it| (&it.name, &it.of_type))
    }

    /// As bytes, for [`Profile::from_bytes`].
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        // Fails only for lists of unknown length.
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// What [`Profile::to_bytes`] has made. `None` of other bytes.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }
}
