//! `unspool coverage`: what a trace executed, and what other lists add to that or take from it.

use std::cmp::Reverse;
use std::fs;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;
use unspool_access_index::{Block, Executed, InModule, Keeps, List, Module, With, blocks, drcov, in_modules};
use unspool_formats::has_blocks;

use crate::console;
use crate::limit::{LimitArgs, Listed};
use crate::listing::{Form as Printed, Listing, Records, column};
use crate::read_whole::read_whole;
use crate::scope::range;
use crate::sqlite::run_index;
use crate::steps::explore_source;
use crate::{Failure, TraceArgs, json};

/// Lists what a BAP frames trace or a REVEN block trace executes, the hottest first.
///
/// --plus, --minus and --common combine the list with that of a second trace or a drcov file. An
/// instruction is in the other list if its first byte is. Modules of a drcov file are moved to
/// where the trace has the module of the same file name. Blocks of a drcov file, which has no
/// counts, have 0 executions.
#[derive(clap::Args)]
pub(crate) struct Coverage {
    #[command(flatten)]
    trace: TraceArgs,
    /// What each row is about. Default: address.
    #[arg(long, value_name = "ROW")]
    by: Option<By>,
    /// Only count these steps, both ends included: 100..200, 100.. or ..200.
    #[arg(long, value_name = "STEPS", value_parser = range)]
    range: Option<(u64, u64)>,
    /// Print one JSON object, or a drcov file of version 2.
    #[arg(long = "as", value_name = "FORM")]
    form: Option<Form>,
    /// Print one JSON object: --as json.
    #[arg(long, conflicts_with = "form")]
    json: bool,
    #[command(flatten)]
    limit: LimitArgs,
    /// Add what this trace or drcov file executes.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["minus", "common"])]
    plus: Option<PathBuf>,
    /// Omit what this trace or drcov file executes.
    #[arg(long, value_name = "FILE", conflicts_with = "common")]
    minus: Option<PathBuf>,
    /// Keep only what this trace or drcov file also executes.
    #[arg(long, value_name = "FILE")]
    common: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Json,
    Drcov,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// An instruction.
    Address,
    /// Consecutive instructions that were executed equally often.
    Block,
    /// A module. Executions are those of all its instructions.
    Module,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<R> {
    /// Number of executed instructions, of different ones, and of their bytes.
    executed: u64,
    instructions: usize,
    bytes: u64,
    /// By what `--by` says, the hottest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    addresses: Option<R>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<R>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modules: Option<R>,
    #[serde(flatten)]
    listed: Listed,
}

impl<R> Report<R> {
    /// A report without rows.
    fn of((executed, instructions, bytes): (u64, usize, u64), listed: Listed) -> Self {
        Self { executed, instructions, bytes, addresses: None, blocks: None, modules: None, listed }
    }
}

/// What a trace executed.
struct Of {
    program: Option<String>,
    all: Vec<Executed>,
    modules: Vec<Module>,
}

impl Of {
    fn trace(trace: &TraceArgs, steps: Range<u64>) -> Result<Self, Failure> {
        let (source, session) = read_whole(trace)?;
        let program = session.info().properties.into_iter().find(|(name, _)| *name == "Program").map(|(_, path)| path);
        let (all, modules) = if has_blocks(session.format().id) {
            let index = run_index(&source.path).map_err(|e| Failure::of(&source.name, e.sentence))?;
            (index.coverage(steps.clone()), Vec::new())
        } else {
            let explorer = explore_source(trace, &source, &session, Keeps::Executions, None)?;
            (explorer.index().coverage(steps), explorer.index().modules().to_vec())
        };
        Ok(Self { program, all, modules })
    }
}

/// The list of another trace, or of a drcov file.
fn other(path: &Path, trace: &TraceArgs, modules: &[Module]) -> Result<List, Failure> {
    // Only the beginning of a trace is looked at here.
    let mut head = [0; 16];
    let len = io::Read::read(&mut fs::File::open(path)?, &mut head)?;
    if List::is_drcov(head.get(..len).unwrap_or_default()) {
        return List::of_drcov(&fs::read(path)?, modules).map_err(|error| Failure::of(path.display(), error));
    }
    let trace = TraceArgs { file: path.to_path_buf(), ..*trace };
    Ok(List::of(Of::trace(&trace, 0..u64::MAX)?.all))
}

pub(crate) fn coverage(what: &Coverage) -> Result<(), Failure> {
    let steps = what.range.map_or(0..u64::MAX, |(from, to)| from..to.saturating_add(1));
    let Of { program, mut all, modules } = Of::trace(&what.trace, steps)?;
    let lists = [(&what.plus, With::Plus), (&what.minus, With::Minus), (&what.common, With::Common)];
    for (path, with) in lists {
        if let Some(path) = path {
            all = other(path, &what.trace, &modules)?.join(&all, with);
        }
    }
    let mut joined = blocks(&all);
    let mut of_modules = in_modules(&all, &modules);
    let form = if what.json { Some(Form::Json) } else { what.form };
    let printed = Printed::of(form == Some(Form::Json), false);
    let mut out = console::data_or_text(form.is_some());
    if form == Some(Form::Drcov) {
        if what.by.is_some() || what.limit.is_given() {
            return Err(Failure::usage("A drcov file has all blocks: --by and --limit are for lists."));
        }
        let file = drcov(&all, &modules, program.as_deref().unwrap_or("unknown"));
        out.write_all(&file)?;
        return Ok(out.flush()?);
    }
    let (executed, instructions) = (all.iter().map(|it| it.count).sum(), all.iter().filter(|it| it.count > 0).count());
    let bytes = joined.iter().map(|block| block.length).sum();
    let sums = (executed, instructions, bytes);
    match what.by.unwrap_or(By::Address) {
        By::Address => {
            all.sort_by_key(|it| (Reverse(it.count), it.address));
            let (rows, listed) = what.limit.first(&all, printed, usize::MAX);
            let listing = address_listing();
            let rows = Rows { listing: &listing, rows, listed };
            rows.print(&mut out, printed, |rows| Report { addresses: Some(rows), ..Report::of(sums, listed) })?;
        }
        By::Block => {
            joined.sort_by_key(|it| (Reverse(it.count), it.address));
            let (rows, listed) = what.limit.first(&joined, printed, usize::MAX);
            let listing = block_listing();
            let rows = Rows { listing: &listing, rows, listed };
            rows.print(&mut out, printed, |rows| Report { blocks: Some(rows), ..Report::of(sums, listed) })?;
        }
        By::Module => {
            of_modules.sort_by_key(|it| (Reverse(it.count), it.address));
            let (rows, listed) = what.limit.first(&of_modules, printed, usize::MAX);
            let listing = module_listing();
            let rows = Rows { listing: &listing, rows, listed };
            rows.print(&mut out, printed, |rows| Report { modules: Some(rows), ..Report::of(sums, listed) })?;
        }
    }
    Ok(out.flush()?)
}

/// Rows of one kind.
struct Rows<'r, R> {
    listing: &'r Listing<'static, R>,
    rows: &'r [R],
    listed: Listed,
}

impl<R> Rows<'_, R> {
    /// Prints them, in JSON within a report.
    fn print(
        &self,
        out: &mut impl Write,
        form: Printed,
        report: impl for<'l> FnOnce(Records<'l, 'static, R>) -> Report<Records<'l, 'static, R>>,
    ) -> io::Result<()> {
        if form == Printed::Json {
            return json::print_line(out, &report(self.listing.records(self.rows)));
        }
        self.listing.print(form, &mut *out, self.rows)?;
        self.listed.print_more(out)
    }
}

fn address_listing() -> Listing<'static, Executed> {
    let columns = vec![
        column("address", |it: &Executed| it.address.into()).left(18).shown(|it| format!("{:#018x}", it.address)),
        column("length", |it: &Executed| it.length.into()).right(5).head("bytes"),
        column("count", |it: &Executed| it.count.into()).right(14).head("executions"),
    ];
    Listing::new(columns).with_heads().in_order(&["count", "address", "length"])
}

fn block_listing() -> Listing<'static, Block> {
    let columns = vec![
        column("address", |it: &Block| it.address.into()).left(18).shown(|it| format!("{:#018x}", it.address)),
        column("length", |it: &Block| it.length.into()).right(7).head("bytes"),
        column("instructions", |it: &Block| it.instructions.into()).right(12),
        column("count", |it: &Block| it.count.into()).right(14).head("executions"),
    ];
    Listing::new(columns).with_heads().in_order(&["count", "address", "length", "instructions"])
}

fn module_listing() -> Listing<'static, InModule> {
    let columns = vec![
        // null for what is in no module.
        column("module", |it: &InModule| it.module.as_ref().map(|module| module.name.clone()).into())
            .rest()
            .or("(in no module)"),
        column("length", |it: &InModule| it.length.into()).right(9).head("bytes"),
        column("instructions", |it: &InModule| it.instructions.into()).right(12),
        column("count", |it: &InModule| it.count.into()).right(14).head("executions"),
    ];
    Listing::new(columns).with_heads().in_order(&["count", "length", "instructions", "module"])
}
