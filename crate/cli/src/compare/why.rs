//! `unspool compare --why`: where two executions part, and which step made them.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;
use unspool_compare::shown::Shown;
use unspool_compare::why::{Cause, Cell, Origin, Pair, Side, Tracing, Why};
use unspool_disassembler::disassemble;
use unspool_formats::open_steps;
use unspool_records::{Reads, Window, run_pass};
use unspool_trace::records::Pass;
use unspool_trace::steps::{Accesses, StepVisitor, Steps};

use super::{Compare, of_two_formats, side_args};
use crate::binaries::Argument;
use crate::listing::Form;
use crate::read_whole::read_named;
use crate::steps::no_steps;
use crate::{Failure, json};

/// Bytes that are read at once.
const AHEAD: usize = 4 << 20;
/// Pieces of the file that are read at once.
const PIECES: u32 = 16;
/// Steps of a chain that are printed, from either end.
const MOST_STEPS: usize = 12;

/// A trace that says what its steps read and wrote.
struct Trace {
    name: String,
    format: &'static str,
    title: String,
    machine: Option<String>,
    steps: Box<dyn Steps>,
    file: File,
    window: Window,
    next: u32,
    pieces: Vec<u64>,
}

impl Trace {
    fn open(what: &Compare, file: &Path, names: &Option<PathBuf>, binaries: &[Argument]) -> Result<Self, Failure> {
        let (trace, names) = side_args(what, file, names, binaries);
        let (source, session) = read_named(&trace, &names)?;
        let format = session.format().id;
        let steps = open_steps(format, &session.index()).map_err(|_| no_steps(&source, &session))?;
        let pieces = steps.pieces();
        Ok(Self {
            name: source.name.clone(),
            format,
            title: session.info().title,
            machine: super::machine(&session),
            steps,
            file: File::open(&source.path)?,
            window: Window::default(),
            next: 0,
            pieces,
        })
    }

    /// Passes the steps of some pieces to a visitor.
    fn visit(&mut self, pieces: std::ops::Range<u32>, visitor: &mut dyn StepVisitor) -> Result<(), Failure> {
        let mut pass: Box<dyn Pass<Accesses> + '_> = self.steps.pass(pieces);
        run_pass::<Accesses>(&mut *pass, &self.file, &mut self.window, Reads::ahead(AHEAD), visitor)
            .map_err(|error| Failure::of(&self.name, error))
    }

    /// Reads on for a side.
    fn read_on(&mut self, side: &mut Side) -> Result<(), Failure> {
        let pieces = self.next..self.next + PIECES;
        self.next = pieces.end;
        self.visit(pieces, side)?;
        if self.next as usize >= self.pieces.len() {
            side.end();
        }
        Ok(())
    }

    /// Some steps as they are printed.
    fn shown(&mut self, steps: impl Iterator<Item = u64>) -> Result<Shown, Failure> {
        let mut shown = Shown::of(steps);
        for piece in shown.pieces(&self.pieces) {
            self.visit(piece..piece + 1, &mut shown)?;
        }
        Ok(shown)
    }
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    a: &'a str,
    b: &'a str,
    format: &'a str,
    /// The first steps whose addresses differ.
    divergence: Option<PairOut>,
    thread: Option<u64>,
    cause: Option<CauseOut>,
    /// In how many steps before it a value differs.
    differing: u64,
    /// What follows was not looked at, for lack of memory.
    cut: bool,
}

#[derive(Serialize)]
struct PairOut {
    a: u64,
    b: u64,
}

#[derive(Serialize)]
struct CauseOut {
    a: u64,
    b: u64,
    cell: Option<String>,
    /// `step`, `instruction` or `input`.
    origin: &'static str,
    /// The steps that handed the value on, from the cause to the last common one.
    chain: Vec<LinkOut>,
}

#[derive(Serialize)]
struct LinkOut {
    a: u64,
    b: u64,
    cell: Option<String>,
}

/// Looks for the reason, and returns the exit status.
///
/// # Errors
///
/// Returns an error if a trace cannot be read, or does not say what its steps read and wrote, or
/// the two are of different formats.
pub(super) fn run(what: &Compare, a: &Path, b: &Path) -> Result<ExitCode, Failure> {
    let mut a = Trace::open(what, a, &what.names_a, &what.binary_a)?;
    let mut b = Trace::open(what, b, &what.names_b, &what.binary_b)?;
    if a.format != b.format {
        return Err(Failure::new(of_two_formats((&a.name, &a.title), (&b.name, &b.title))));
    }
    if let (Some(of_a), Some(of_b)) = (&a.machine, &b.machine)
        && of_a != of_b
    {
        return Err(Failure::of(&a.name, super::of_two_machines(of_a, of_b)));
    }
    let (mut side_a, mut side_b) = (Side::default(), Side::default());
    let mut tracing = Tracing::default();
    while !tracing.turn(&mut side_a, &mut side_b) {
        // The side that has fewer steps waiting is behind.
        if side_a.has_ended() || !side_b.has_ended() && side_b.waiting() < side_a.waiting() {
            b.read_on(&mut side_b)?;
        } else {
            a.read_on(&mut side_a)?;
        }
    }
    let found = tracing.finish(&side_a);
    let form = Form::of(what.json, false);
    let mut out = form.out();
    match form {
        Form::Json => json::print(&mut out, &report(&a, &b, &found))?,
        _ => print(&mut out, (&mut a, &mut b), &found)?,
    }
    out.flush()?;
    Ok(ExitCode::from(u8::from(found.divergence.is_some() || found.differing > 0)))
}

fn report<'t>(a: &'t Trace, b: &'t Trace, found: &Why) -> Report<'t> {
    let out = |Pair { a, b }: Pair| PairOut { a, b };
    let cell = |cell: &Option<Cell>| cell.as_ref().map(text_of);
    let cause = found.cause.as_ref().and_then(|Cause { origin, chain }| {
        let (first, of) = chain.first()?;
        let link = |(Pair { a, b }, of): &(Pair, Option<Cell>)| LinkOut { a: *a, b: *b, cell: cell(of) };
        Some(CauseOut {
            a: first.a,
            b: first.b,
            cell: cell(of),
            origin: word(*origin),
            chain: chain.iter().map(link).collect(),
        })
    });
    Report {
        a: &a.name,
        b: &b.name,
        format: a.format,
        divergence: found.divergence.map(out),
        thread: found.thread,
        cause,
        differing: found.differing,
        cut: found.is_cut,
    }
}

fn word(origin: Origin) -> &'static str {
    match origin {
        Origin::Step => "step",
        Origin::Instruction => "instruction",
        Origin::Input => "input",
    }
}

fn text_of(cell: &Cell) -> String {
    match cell {
        Cell::Register(name) => name.clone(),
        Cell::Memory(address) => format!("{address:#x}"),
    }
}

fn print(out: &mut impl Write, (a, b): (&mut Trace, &mut Trace), found: &Why) -> Result<(), Failure> {
    let values = match found.differing {
        0 => "No value differs".into(),
        1 => "Values differ in 1 step".into(),
        steps => format!("Values differ in {steps} steps"),
    };
    if found.is_cut {
        writeln!(out, "The traces differ in too much to be followed further.")?;
    }
    let Some(at) = found.divergence else {
        writeln!(out, "The paths are the same. {values}.")?;
        return Ok(());
    };
    let chain = found.cause.as_ref().map_or(&[][..], |cause| &cause.chain);
    let shown_a = a.shown(chain.iter().map(|(pair, _)| pair.a).chain([at.a]))?;
    let shown_b = b.shown(chain.iter().map(|(pair, _)| pair.b).chain([at.b]))?;
    writeln!(out, "The paths part at step {} of A and step {} of B. {values} before.", at.a, at.b)?;
    writeln!(out, "  A  {}", ended(line_of(&shown_a, at.a)))?;
    writeln!(out, "  B  {}", ended(line_of(&shown_b, at.b)))?;
    let Some(cause) = &found.cause else {
        writeln!(out, "No step before read a value that differs: the reason is not in these traces.")?;
        return Ok(());
    };
    writeln!(
        out,
        "{}",
        match cause.origin {
            Origin::Step => "The cause is a step that read the same values in both and wrote another one:",
            Origin::Instruction => "The cause is an instruction that differs:",
            Origin::Input => "The cause is a value that differs and that no step has written, such as input:",
        }
    )?;
    let hidden = chain.len().saturating_sub(2 * MOST_STEPS);
    for (number, (pair, cell)) in chain.iter().enumerate() {
        if hidden > 0 && (MOST_STEPS..MOST_STEPS + hidden).contains(&number) {
            if number == MOST_STEPS {
                writeln!(out, "  … {hidden} more steps; --json lists all.")?;
            }
            continue;
        }
        link(out, (&shown_a, &shown_b), *pair, cell.as_ref())?;
    }
    Ok(())
}

/// A step as its address and its instruction.
fn line_of(shown: &Shown, step: u64) -> String {
    let Some((Some(address), isa, bytes)) = shown.code(step) else { return String::new() };
    let text = isa.and_then(|isa| disassemble(isa, address, bytes));
    let code = text.unwrap_or_else(|| bytes.iter().map(|byte| format!("{byte:02x}")).collect());
    format!("{address:#x}  {code}")
}

fn ended(line: String) -> String {
    if line.is_empty() { "(the trace has ended)".into() } else { line }
}

fn link(out: &mut impl Write, (a, b): (&Shown, &Shown), pair: Pair, cell: Option<&Cell>) -> io::Result<()> {
    let step = if pair.a == pair.b { pair.a.to_string() } else { format!("{}/{}", pair.a, pair.b) };
    write!(out, "  step {step}  {}", line_of(a, pair.a))?;
    let Some(cell) = cell else { return writeln!(out) };
    let value =
        |shown: &Shown, step| shown.value(step, cell).map_or_else(|| "?".into(), |digits| format!("0x{digits}"));
    writeln!(out, "  {}: {} in A, {} in B", text_of(cell), value(a, pair.a), value(b, pair.b))
}
