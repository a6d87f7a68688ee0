//! Files that a comparison is saved as: a report, stacks, tables.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use unspool_compare::flame::{Paths, Tree};
use unspool_compare::report::Report;
use unspool_compare::{Comparison, Unit, tables};

use super::Compare;
use super::runs::{Side, Trace};
use crate::Failure;
use crate::output::{Inputs, Output};

/// Whether a file is asked for.
pub(super) fn is_wanted(what: &Compare) -> bool {
    what.html.is_some() || what.folded.is_some() || what.parquet.is_some()
}

/// The file of `--parquet` with the functions.
const FUNCTIONS: &str = "functions.parquet";
/// The file of `--parquet` with the call paths.
const PATHS: &str = "paths.parquet";

/// Fails if a file would replace one of those that are read.
pub(super) fn check<'a>(what: &Compare, traces: impl Iterator<Item = &'a PathBuf>) -> Result<(), Failure> {
    let mut inputs = Inputs::default();
    traces.for_each(|path| inputs.add(path));
    for binary in what.binary_a.iter().chain(&what.binary_b) {
        inputs.add(binary.path());
    }
    for names in what.names_a.iter().chain(&what.names_b) {
        inputs.add(names);
    }
    what.html.iter().chain(&what.folded).try_for_each(|path| inputs.spare(path))?;
    let tables = what.parquet.iter().flat_map(|directory| [FUNCTIONS, PATHS].map(|name| directory.join(name)));
    tables.into_iter().try_for_each(|path| inputs.spare(&path))
}

/// Writes the files that are asked for. The first run of each side stands for it.
pub(super) fn save(what: &Compare, a: &Side, b: &Side, found: &Comparison) -> Result<(), Failure> {
    let (Some(first), Some(second)) = (a.first(), b.first()) else { return Ok(()) };
    let tree = Tree::new([
        &over_rows(first, found, &first.unit, |row| found.rows.get(row)?.index.0),
        &over_rows(second, found, &first.unit, |row| found.rows.get(row)?.index.1),
    ]);
    if let Some(path) = &what.html {
        let files = [file_name(&first.name), file_name(&second.name)];
        write(path, Report { files, found, tree: &tree }.html().as_bytes())?;
    }
    if let Some(path) = &what.folded {
        folded(path, found, &tree)?;
    }
    if let Some(directory) = &what.parquet {
        fs::create_dir_all(directory).map_err(|error| failed(directory, &error))?;
        write(&directory.join(FUNCTIONS), &tables::functions(found))?;
        write(&directory.join(PATHS), &tables::paths(found, &tree))?;
    }
    Ok(())
}

/// The call paths of a trace over the rows of a comparison, with times in a unit. `index` has the
/// function of a row.
fn over_rows(of: &Trace, found: &Comparison, unit: &Unit, index: impl Fn(usize) -> Option<usize>) -> Paths {
    let mut rows = vec![u32::MAX; of.run.functions.len()];
    for row in 0..found.rows.len() {
        if let Some(of) = index(row).and_then(|at| rows.get_mut(at)) {
            *of = row as u32;
        }
    }
    let mut paths = of.paths.clone();
    paths.row.iter_mut().for_each(|row| *row = rows.get(*row as usize).copied().unwrap_or(u32::MAX));
    if let (Unit::Ticks { frequency: Some(to) }, Unit::Ticks { frequency: Some(from) }) = (unit, &of.unit)
        && to != from
    {
        let scale = *to as f64 / *from as f64;
        for times in [&mut paths.total, &mut paths.own] {
            times.iter_mut().for_each(|time| *time *= scale);
        }
    }
    paths
}

/// Writes stacks with the self times of both.
fn folded(path: &Path, found: &Comparison, tree: &Tree) -> Result<(), Failure> {
    let names: Vec<&str> = found.rows.iter().map(|row| &*row.name).collect();
    let mut file = Output::create(path).map_err(|error| failed(path, &error))?;
    let mut result = Ok(());
    tree.folded(&names, |piece| {
        if result.is_ok() {
            result = file.write_all(piece);
        }
    })
    .map_err(|too_large| Failure::of(path.display(), &too_large))?;
    result.and_then(|()| file.finish()).map_err(|error| failed(path, &error))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let written = || -> io::Result<()> {
        let mut file = Output::create(path)?;
        file.write_all(bytes)?;
        file.finish()
    };
    written().map_err(|error| failed(path, &error))
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::of(path.display(), error)
}

/// The last part of a path.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
