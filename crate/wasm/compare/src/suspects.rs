//! What goes with failing, over runs that passed and runs that failed, for JavaScript.

use std::collections::HashMap;

use unspool_compare::suspects::{RunPoints, Suspect, SuspectTest, Suspects};
use unspool_js::structures;
use unspool_trace::StatementId;
use unspool_values::Profile;
use wasm_bindgen::prelude::*;

structures! {
    /// What goes with failing.
    pub struct FoundSuspects {
        /// What does most, in words.
        pub sentence: String,
        /// The most suspicious first.
        pub statements: Vec<SuspectStatement>,
        /// The most suspicious first.
        pub tests: Vec<SuspectValues>,
        /// Whether some values were not looked at, or are not listed.
        pub is_cut: bool,
    }

    /// A statement that a run reached.
    pub struct SuspectStatement {
        /// As the traces have it.
        pub name: String,
        /// How many of the runs that failed reached it.
        pub failed: u32,
        /// How many of the runs that passed did.
        pub passed: u32,
        /// From 0 to 1.
        pub tarantula: f64,
        /// From 0 to 1.
        pub ochiai: f64,
        /// Where, in the order of the runs.
        pub points: Vec<PointsOfRun>,
    }

    /// Values at a statement that go with failing.
    pub struct SuspectValues {
        /// As a query.
        pub query: String,
        /// The statement, as the traces have it.
        pub statement: String,
        /// In how many of the runs that failed the query holds.
        pub failed: u32,
        /// How many of the runs that failed have its variables at the statement.
        pub failed_at: u32,
        /// In how many of the runs that passed the query holds.
        pub passed: u32,
        /// How many of the runs that passed have its variables at the statement.
        pub passed_at: u32,
        /// From 0 to 1.
        pub ochiai: f64,
        /// How many times as likely failing is where it holds as where its variables are: above 1.
        pub lift: f64,
        /// Where it holds, in the order of the runs.
        pub points: Vec<PointsOfRun>,
    }

    /// Points of a run.
    pub struct PointsOfRun {
        /// Index of the run: those that passed come first.
        pub run: u32,
        /// How many there are.
        pub count: f64,
        /// The number of the first one.
        pub point: f64,
        /// Id of its track.
        pub track: u32,
    }
}

/// Ranks what goes with failing. `runs` is what `profile` of `unspool_predicates` has found in each
/// run, the first `passed` of which passed. `own` are names of statements in the traces, and
/// `given` those that companions give them. `undefined` for other bytes.
#[wasm_bindgen(js_name = rankSuspects)]
pub fn rank_suspects(
    runs: Vec<js_sys::Uint8Array>,
    passed: usize,
    own: Vec<String>,
    given: Vec<String>,
) -> Option<tsify::Ts<FoundSuspects>> {
    let profiles = runs.into_iter().map(|bytes| Profile::from_bytes(&bytes.to_vec()));
    let profiles = profiles.collect::<Option<Vec<Profile>>>()?;
    let (passing, failing) = profiles.split_at_checked(passed)?;
    let found = Suspects::of(passing, failing);
    let named: HashMap<String, String> = own.into_iter().zip(given).collect();
    let shown = |id: StatementId| {
        let own = id.to_string();
        named.get(&own).cloned().unwrap_or(own)
    };
    let answer = FoundSuspects {
        sentence: found.sentence(shown),
        statements: found.statements.iter().map(statement).collect(),
        tests: found.tests.iter().map(test).collect(),
        is_cut: found.is_cut,
    };
    Some(answer.cross())
}

fn points(of: &[RunPoints]) -> Vec<PointsOfRun> {
    let one = |it: &RunPoints| PointsOfRun {
        run: it.run as u32,
        count: it.count as f64,
        point: it.first as f64,
        track: it.track,
    };
    of.iter().map(one).collect()
}

fn statement(it: &Suspect) -> SuspectStatement {
    SuspectStatement {
        name: it.statement.to_string(),
        failed: it.failed as u32,
        passed: it.passed as u32,
        tarantula: it.tarantula,
        ochiai: it.ochiai,
        points: points(&it.points),
    }
}

fn test(it: &SuspectTest) -> SuspectValues {
    SuspectValues {
        query: it.query.clone(),
        statement: it.statement.to_string(),
        failed: it.failed as u32,
        failed_at: it.failed_at as u32,
        passed: it.passed as u32,
        passed_at: it.passed_at as u32,
        ochiai: it.ochiai,
        lift: it.lift,
        points: points(&it.points),
    }
}
