//! Reads the runs of a side.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;

use unspool_compare::flame::Paths;
use unspool_compare::sentence::grouped;
use unspool_compare::{Figures, Function, Key, Run, Unit, stretches};
use unspool_engine::Session;
use unspool_engine::jobs::Job;
use unspool_engine::statistics::{CallPaths, Question, SelfTimeColumns, SelfTimes, Summary};
use unspool_trace::batch::Key as NameKey;
use unspool_trace::info::Clock;
use unspool_trace::{Capability, StatementId};
use unspool_values::Profile;

use super::saved::is_wanted;
use super::things::{self, Calls};
use super::{Compare, of_two_formats, side_args};
use crate::Failure;
use crate::binaries::Argument;
use crate::read_whole::{complete, free_memory, read_named, threads};
use crate::segments::profile_of;

/// A trace of which only its figures are left.
pub(super) struct Trace {
    pub(super) name: String,
    /// The stable id of its format, and its name.
    pub(super) format: &'static str,
    title: String,
    pub(super) unit: Unit,
    pub(super) run: Run,
    /// Its call paths, if a file is to have them. Their rows are indices of functions.
    pub(super) paths: Paths,
    pub(super) values: Option<Valued>,
    pub(super) calls: Option<Calls>,
}

/// The values of a trace that has some.
pub(super) struct Valued {
    pub(super) profile: Profile,
    /// Names of statements.
    names: HashMap<StatementId, String>,
}

impl Valued {
    /// The name of a statement.
    pub(super) fn name_of(&self, id: StatementId) -> Option<&str> {
        self.names.get(&id).map(String::as_str)
    }
}

/// The traces of a side.
pub(super) struct Side(Vec<Trace>);

impl Side {
    /// The first trace of this side, if all traces of both are of one format.
    pub(super) fn one<'a>(&'a self, other: &'a Self) -> Result<&'a Trace, Failure> {
        let mut all = self.0.iter().chain(&other.0);
        let first = all.next().ok_or_else(|| Failure::new("Give two traces."))?;
        match all.find(|trace| trace.format != first.format) {
            None => Ok(first),
            Some(Trace { name, title, .. }) => {
                Err(Failure::new(of_two_formats((&first.name, &first.title), (name, title))))
            }
        }
    }

    /// The runs, with all times in the unit of a trace.
    pub(super) fn runs(&self, of: &Trace) -> Vec<Cow<'_, Run>> {
        let in_unit = |trace: &'_ Trace| trace.run.clone().in_unit(&trace.unit, &of.unit);
        let each = self.0.iter();
        each.map(|it| if it.unit == of.unit { Cow::Borrowed(&it.run) } else { Cow::Owned(in_unit(it)) }).collect()
    }

    /// The values of the run that stands for the side.
    pub(super) fn values(&self, shown: usize) -> Option<&Valued> {
        self.0.get(shown)?.values.as_ref()
    }

    /// The OpenGL calls of the run that stands for the side.
    pub(super) fn calls(&self, shown: usize) -> Option<&Calls> {
        self.0.get(shown)?.calls.as_ref()
    }

    /// The first run, if there is one.
    pub(super) fn first(&self) -> Option<&Trace> {
        self.0.first()
    }

    /// Makes a run the first one.
    pub(super) fn put_first(&mut self, run: usize) {
        if run < self.0.len() {
            let shown = self.0.remove(run);
            self.0.insert(0, shown);
        }
    }

    /// The names of the files, that of run `shown` first.
    pub(super) fn names(&self, shown: usize) -> Vec<&str> {
        let others = (0..self.0.len()).filter(|run| *run != shown);
        let order = [shown].into_iter().chain(others);
        order.filter_map(|run| self.0.get(run)).map(|trace| trace.name.as_str()).collect()
    }
}

/// Bytes that a function of a run takes, about: its figures, its name and its stretches, and its
/// row once it is compared. The page counts as much.
const FUNCTION_BYTES: u64 = 1500;

/// Fails if functions take more than three quarters of the free memory, as what is read of a trace
/// may, where the system reports it.
fn check_room(functions: usize, free: Option<u64>) -> Result<(), Failure> {
    let bytes = functions as u64 * FUNCTION_BYTES;
    let Some(most) = free.map(|free| free / 4 * 3).filter(|most| bytes > *most) else { return Ok(()) };
    let [needed, most] = [bytes, most].map(|bytes| bytes.div_ceil(1_000_000));
    let functions = grouped(functions as u64);
    Err(Failure::new(format!(
        "a comparison of {functions} functions takes about {needed} MB, and at most {most} MB of memory may be used. \
         --no-limits compares them anyway."
    )))
}

/// Fails if there is no room to compare two sides.
pub(super) fn check(what: &Compare, a: &Side, b: &Side) -> Result<(), Failure> {
    let functions = a.0.iter().chain(&b.0).map(|trace| trace.run.functions.len()).sum();
    // Their figures are in memory already: the estimate errs on the safe side.
    if what.no_limits { Ok(()) } else { check_room(functions, free_memory()) }
}

/// Reads the traces of a side, one after the other.
pub(super) fn read(
    what: &Compare,
    files: &[PathBuf],
    names: &Option<PathBuf>,
    binaries: &[Argument],
) -> Result<Side, Failure> {
    let read = |file: &PathBuf| {
        let (trace, names) = side_args(what, file, names, binaries);
        let (mut source, session) = read_named(&trace, &names)?;
        let info = session.info();
        let unit = match session.clock() {
            Clock::Seconds { frequency } => Unit::Ticks { frequency: Some(frequency) },
            Clock::Ticks => Unit::Ticks { frequency: None },
            Clock::Ordinal { unit } => Unit::Counted(unit.into()),
        };
        let free = if what.no_limits { None } else { free_memory() };
        let (run, paths) = run_of(&session, is_wanted(what), free)?;
        complete(&session)?;
        let has = |capability: Capability| info.offers.contains(&capability.word());
        let profile = if has(Capability::Values) { profile_of(&mut source, trace.limits(), false)? } else { None };
        let values = profile.map(|profile| Valued { profile, names: statement_names(&session) });
        let calls =
            has(Capability::Graphics).then(|| things::read(&source, &session.index_of_numbers())).transpose()?;
        Ok(Trace { name: source.name.clone(), format: info.format, title: info.title, unit, run, paths, values, calls })
    };
    files.iter().map(read).collect::<Result<_, _>>().map(Side)
}

/// The names that statements have, of a companion or by their numbers.
pub(crate) fn statement_names(session: &Session) -> HashMap<StatementId, String> {
    let store = session.store();
    let named = store.names().iter().zip(0..);
    let of_statements = named.filter_map(|(name, number)| match store.key(number).1 {
        NameKey::Statement(bits) => Some((StatementId::from_bits(bits), name.clone())),
        _ => None,
    });
    of_statements.collect()
}

/// The functions of a trace, over all threads, as `unspool stats` lists them; and its call paths,
/// if they are wanted.
///
/// # Errors
///
/// Returns an error if the functions take too much of the free memory, if that is known.
fn run_of(session: &Session, with_paths: bool, free: Option<u64>) -> Result<(Run, Paths), Failure> {
    let store = session.store();
    let question = Question { from: 0, to: u64::MAX, tracks: threads(session) };
    let summary = Summary::of(store, &question);
    check_room(summary.functions.len(), free)?;
    let counts = &mut summary.functions.iter().map(|it| (it.name, it.count));
    let mut times = SelfTimes::new(store, &question, counts);
    times.step(store, u64::MAX);
    let SelfTimeColumns { function, start, own } = times.found().unwrap_or_default();
    let stretches = stretches(summary.functions.len(), &function, &start, &own);
    let mut modules = session.modules();
    modules.sort_unstable();
    let functions = summary.functions.iter().zip(stretches).map(|(it, stretches)| Function {
        name: store.name(it.name).into(),
        key: key_of(store.name(it.name), store.key(it.name).1, &modules),
        figures: Figures {
            count: it.count,
            total: it.total,
            own: it.own,
            min: it.min,
            median: it.percentiles.median,
            p90: it.percentiles.p90,
            p99: it.percentiles.p99,
            max: it.max,
            bytes: it.bytes,
        },
        stretches,
    });
    let run = Run { functions: functions.collect(), is_interleaved: question.tracks.len() > 1 };
    let mut paths = Paths::default();
    if with_paths {
        let indices: HashMap<u32, u32> = summary.functions.iter().map(|it| it.name).zip(0..).collect();
        for path in CallPaths::of(store, &question).iter().skip(1) {
            paths.row.push(indices.get(&path.name).copied().unwrap_or(u32::MAX));
            // The root is left out.
            paths.parent.push(path.parent.wrapping_sub(1));
            paths.total.push(path.total as f64);
            paths.own.push(path.own as f64);
            paths.count.push(path.count as f64);
        }
    }
    Ok((run, paths))
}

/// What a function has in place of a name. `modules` are sorted by the address where they begin.
fn key_of(shown: &str, key: NameKey, modules: &[(u64, &str)]) -> Key {
    match key {
        NameKey::Id(id) => Key::Id(id),
        NameKey::Address(address) => {
            let after = modules.partition_point(|(base, _)| *base <= address);
            let module = after.checked_sub(1).and_then(|at| modules.get(at));
            match module.filter(|_| shown.ends_with(&key.to_string())) {
                // Of its path, the directory may differ.
                Some((base, path)) => {
                    let module = path.rsplit(['/', '\\']).next().unwrap_or(path).into();
                    Key::Within { module, offset: address - base }
                }
                None => Key::Address(address),
            }
        }
        NameKey::None | NameKey::Statement(_) => Key::None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{NameArgs, TraceArgs};

    #[test]
    fn functions_for_which_there_is_no_room_are_refused() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/xray/threads.xray");
        let none = NameArgs { names: None, binary: Vec::new(), short_names: false };
        let (_, session) = read_named(&TraceArgs::of(Path::new(file)), &none).unwrap();
        let functions = run_of(&session, false, None).unwrap().0.functions.len() as u64;
        assert!(functions > 10);
        let needed = functions * FUNCTION_BYTES;
        assert!(run_of(&session, false, Some(needed * 2)).is_ok());
        let refused = run_of(&session, false, Some(needed)).map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains("16 functions takes about 1 MB") && refused.contains("--no-limits"), "{refused}");
    }
}
