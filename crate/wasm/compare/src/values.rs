//! What differs between the values of two traces.

use std::collections::HashMap;

use unspool_compare::values::{StatementRow, Values, VariableRow};
use unspool_js::structures;
use unspool_trace::StatementId;
use unspool_values::{Profile, Reached, ValueAt, Valued};
use wasm_bindgen::prelude::*;

structures! {
    /// What differs between the values of two traces, what changed most first.
    pub struct ComparedValues {
        /// In words.
        pub sentence: String,
        /// All statements.
        pub statements: Vec<ComparedStatement>,
        /// All variables.
        pub variables: Vec<ComparedVariable>,
        /// What always holds in one trace, and not in the other.
        pub relations: Vec<BrokenRelation>,
        /// Not all relations were looked at: there are too many variables.
        pub is_cut: bool,
    }

    /// A statement of A, of B, or of both.
    pub struct ComparedStatement {
        /// As the traces have it: `statement 7:3`.
        pub name: String,
        /// Its points in A.
        pub a: Option<PointsOf>,
        /// Its points in B.
        pub b: Option<PointsOf>,
        /// Points in B minus those in A.
        pub difference: f64,
        /// `new`, `gone`, `changed` or `same`.
        pub verdict: String,
    }

    /// The points of a statement.
    pub struct PointsOf {
        /// How many there are.
        pub count: f64,
        /// The number of the first one.
        pub first: f64,
        /// Id of their track.
        pub track: u32,
    }

    /// A variable of A, of B, or of both.
    pub struct ComparedVariable {
        /// Its name.
        pub name: String,
        /// Its type.
        #[serde(rename = "type")]
        pub of_type: String,
        /// Its values in A.
        pub a: Option<ValuesOf>,
        /// Its values in B.
        pub b: Option<ValuesOf>,
        /// `new`, `gone`, `changed` or `same`.
        pub verdict: String,
    }

    /// The values of a variable.
    pub struct ValuesOf {
        /// How many points have it.
        pub count: f64,
        /// Different values, at least.
        pub different: f64,
        /// The lowest one, if they are numbers.
        pub lowest: Option<PlacedValue>,
        /// The highest one, if they are numbers.
        pub highest: Option<PlacedValue>,
    }

    /// A value, and where it is first.
    pub struct PlacedValue {
        /// As details show it.
        pub text: String,
        /// The number of the point.
        pub point: f64,
        /// Id of its track.
        pub track: u32,
    }

    /// A relation that always holds at a statement of one trace, and not in the other.
    pub struct BrokenRelation {
        /// The statement, as the traces have it.
        pub statement: String,
        /// As a query.
        pub query: String,
        /// Whether it holds in B, and A breaks it.
        pub in_b: bool,
        /// Points at which it holds.
        pub holds: f64,
        /// Points of the other trace at which it does not hold, if their number is known.
        pub exceptions: Option<f64>,
        /// The number of the first of these.
        pub first: f64,
        /// Id of its track.
        pub track: u32,
    }
}

/// Compares what `profile` of `unspool_predicates` has found in A and in B. `own` are names of
/// statements in the traces, and `given` those that companions give them. `undefined` for other
/// bytes.
#[wasm_bindgen(js_name = compareValues)]
pub fn compare_values(a: &[u8], b: &[u8], own: Vec<String>, given: Vec<String>) -> Option<tsify::Ts<ComparedValues>> {
    let (a, b) = (Profile::from_bytes(a)?, Profile::from_bytes(b)?);
    let found = Values::of(&a, &b);
    let named: HashMap<String, String> = own.into_iter().zip(given).collect();
    let given = |id| {
        let own = name_of(id);
        named.get(&own).cloned().unwrap_or(own)
    };
    let answer = ComparedValues {
        sentence: found.sentence(given),
        statements: found.statements.iter().map(statement).collect(),
        variables: found.variables.iter().map(variable).collect(),
        relations: found
            .relations
            .iter()
            .map(|it| BrokenRelation {
                statement: name_of(it.id),
                query: it.broken.query.clone(),
                in_b: it.side == 1,
                holds: it.broken.holds as f64,
                exceptions: it.broken.exceptions.map(|count| count as f64),
                first: it.broken.first as f64,
                track: it.track,
            })
            .collect(),
        is_cut: found.is_cut,
    };
    Some(answer.cross())
}

/// A statement as the traces have it.
fn name_of(id: Option<StatementId>) -> String {
    id.map_or_else(|| "no statement".into(), |id| id.to_string())
}

fn statement(row: &StatementRow) -> ComparedStatement {
    let points =
        |of: Option<Reached>| of.map(|it| PointsOf { count: it.count as f64, first: it.first as f64, track: it.track });
    ComparedStatement {
        name: name_of(row.id),
        a: points(row.a),
        b: points(row.b),
        difference: row.difference() as f64,
        verdict: row.change().word().into(),
    }
}

fn variable(row: &VariableRow) -> ComparedVariable {
    let placed = |of: &Option<ValueAt>| {
        of.as_ref().map(|it| PlacedValue { text: it.text.clone(), point: it.point as f64, track: it.track })
    };
    let values = |of: &Option<Valued>| {
        of.as_ref().map(|it| ValuesOf {
            count: it.count as f64,
            different: it.different.0 as f64,
            lowest: placed(&it.lowest),
            highest: placed(&it.highest),
        })
    };
    let (name, of_type) = row.name();
    ComparedVariable {
        name: name.into(),
        of_type: of_type.into(),
        a: values(&row.a),
        b: values(&row.b),
        verdict: row.change().word().into(),
    }
}
