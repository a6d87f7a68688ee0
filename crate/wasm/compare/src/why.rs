//! Why two executions part.

use unspool_compare::shown::Shown;
use unspool_compare::why::{Cause, Cell, Origin, Pair, Side, Tracing, Why};
use unspool_formats::open_steps;
use unspool_js::columns::Float64Array;
use unspool_js::{JsFile, structures, thrown};
use unspool_records::{Reads, Window, run_pass};
use unspool_trace::records::Pass;
use unspool_trace::steps::{Accesses, StepVisitor, Steps};
use wasm_bindgen::prelude::*;

/// Bytes that are read at once.
const AHEAD: usize = 4 << 20;
/// Pieces of the file in a turn.
const PIECES: u32 = 4;

structures! {
    /// Steps of both, and for each a register or memory with the values that it has there.
    pub struct SharedSteps {
        /// Numbers of the steps in A.
        pub a: Float64Array,
        /// Numbers of the steps in B.
        pub b: Float64Array,
        /// A register, or the address of a byte; empty where nothing of the step differs but its
        /// instruction.
        pub cells: Vec<String>,
        /// The values in A as hexadecimal digits; empty if unknown.
        pub values_a: Vec<String>,
        /// Those in B.
        pub values_b: Vec<String>,
    }

    /// Why two executions part.
    pub struct FoundWhy {
        /// The first step of A that is not on the common path, -1 if there is none. After the last
        /// one, if the trace has ended there.
        pub a: f64,
        /// The same of B.
        pub b: f64,
        /// What the cause is: an index of `ORIGINS`; -1 if it is unknown.
        pub origin: i32,
        /// From the cause to the last common step: what each wrote, or the last one read.
        pub chain: SharedSteps,
        /// What holds other values where the paths part, with the steps that wrote it.
        pub state: SharedSteps,
        /// In how many steps on the common path a value differs.
        pub differing: f64,
        /// Too much differs to be followed to the end.
        pub is_cut: bool,
    }
}

/// One trace, and how far it was read.
struct Reading {
    steps: Box<dyn Steps>,
    file: JsFile,
    window: Window,
    pieces: Vec<u64>,
    next: u32,
    side: Side,
}

impl Reading {
    fn open(format: &str, index: &[u8], file: JsFile) -> Result<Self, JsValue> {
        let steps = open_steps(format, index).map_err(thrown)?;
        let pieces = steps.pieces();
        Ok(Self { steps, file, window: Window::default(), pieces, next: 0, side: Side::default() })
    }

    fn visit(
        (steps, file, window): (&dyn Steps, &JsFile, &mut Window),
        pieces: core::ops::Range<u32>,
        visitor: &mut dyn StepVisitor,
    ) -> Result<(), JsValue> {
        let mut pass: Box<dyn Pass<Accesses> + '_> = steps.pass(pieces);
        run_pass::<Accesses>(&mut *pass, file, window, Reads::ahead(AHEAD), visitor).map_err(thrown)
    }

    fn read_on(&mut self) -> Result<(), JsValue> {
        let pieces = self.next..self.next + PIECES;
        self.next = pieces.end;
        Self::visit((&*self.steps, &self.file, &mut self.window), pieces, &mut self.side)?;
        if self.next as usize >= self.pieces.len() {
            self.side.end();
        }
        Ok(())
    }

    /// What some steps accessed.
    fn shown(&mut self, steps: impl Iterator<Item = u64>) -> Result<Shown, JsValue> {
        let mut shown = Shown::of(steps);
        for piece in shown.pieces(&self.pieces) {
            Self::visit((&*self.steps, &self.file, &mut self.window), piece..piece + 1, &mut shown)?;
        }
        Ok(shown)
    }
}

/// Looks for the reason in two files.
#[wasm_bindgen]
pub struct Reason {
    sides: [Reading; 2],
    tracing: Option<Tracing>,
}

#[wasm_bindgen]
impl Reason {
    /// Of two traces of one format. The indices are those that their sessions made.
    ///
    /// # Errors
    ///
    /// Throws a sentence if the format does not say what steps access.
    #[wasm_bindgen(constructor)]
    pub fn new(format: &str, index_a: &[u8], file_a: JsFile, index_b: &[u8], file_b: JsFile) -> Result<Self, JsValue> {
        let sides = [Reading::open(format, index_a, file_a)?, Reading::open(format, index_b, file_b)?];
        Ok(Self { sides, tracing: Some(Tracing::default()) })
    }

    /// Reads on. `undefined` until the reason is found.
    ///
    /// # Errors
    ///
    /// Throws a sentence if a file cannot be read.
    pub fn turn(&mut self) -> Result<Option<tsify::Ts<FoundWhy>>, JsValue> {
        let [a, b] = &mut self.sides;
        let Some(tracing) = &mut self.tracing else { return Ok(None) };
        if !tracing.turn(&mut a.side, &mut b.side) {
            // The side that has fewer steps waiting is behind.
            let is_b = a.side.has_ended() || !b.side.has_ended() && b.side.waiting() < a.side.waiting();
            if is_b { b.read_on() } else { a.read_on() }?;
            return Ok(None);
        }
        let Some(why) = self.tracing.take().map(|tracing| tracing.finish(&a.side)) else { return Ok(None) };
        let chain = why.cause.as_ref().map_or(&[][..], |cause| &cause.chain);
        let of_state = why.cells.iter().map(|(_, pair)| *pair);
        let pairs: Vec<Pair> = chain.iter().map(|(pair, _)| *pair).chain(of_state).collect();
        let shown = [a.shown(pairs.iter().map(|pair| pair.a))?, b.shown(pairs.iter().map(|pair| pair.b))?];
        Ok(Some(answer(&why, &shown).cross()))
    }

    /// How much of both was read, from 0 to 1.
    pub fn share(&self) -> f64 {
        let read: u64 = self.sides.iter().map(|side| u64::from(side.next).min(side.pieces.len() as u64)).sum();
        let all: usize = self.sides.iter().map(|side| side.pieces.len()).sum();
        read as f64 / all.max(1) as f64
    }
}

fn answer(why: &Why, shown: &[Shown; 2]) -> FoundWhy {
    let chain = why.cause.iter().flat_map(|cause| cause.chain.iter().map(|(pair, cell)| (*pair, cell.as_ref())));
    let state = why.cells.iter().map(|(cell, pair)| (*pair, Some(cell)));
    let at = |of: fn(&Pair) -> u64| why.divergence.as_ref().map_or(-1.0, |pair| of(pair) as f64);
    FoundWhy {
        a: at(|pair| pair.a),
        b: at(|pair| pair.b),
        origin: why.cause.as_ref().map_or(-1, |Cause { origin, .. }| match origin {
            Origin::Step => 0,
            Origin::Instruction => 1,
            Origin::Input => 2,
        }),
        chain: shared(chain, shown),
        state: shared(state, shown),
        differing: why.differing as f64,
        is_cut: why.is_cut,
    }
}

fn shared<'c>(steps: impl Iterator<Item = (Pair, Option<&'c Cell>)>, [a, b]: &[Shown; 2]) -> SharedSteps {
    let steps: Vec<_> = steps.collect();
    let value = |shown: &Shown, step, cell: Option<&Cell>| cell.and_then(|cell| shown.value(step, cell));
    let text = |cell: Option<&Cell>| match cell {
        None => String::new(),
        Some(Cell::Register(name)) => name.clone(),
        Some(Cell::Memory(address)) => format!("{address:#x}"),
    };
    SharedSteps {
        a: steps.iter().map(|(pair, _)| pair.a as f64).collect(),
        b: steps.iter().map(|(pair, _)| pair.b as f64).collect(),
        cells: steps.iter().map(|(_, cell)| text(*cell)).collect(),
        values_a: steps.iter().map(|(pair, cell)| value(a, pair.a, *cell).unwrap_or_default()).collect(),
        values_b: steps.iter().map(|(pair, cell)| value(b, pair.b, *cell).unwrap_or_default()).collect(),
    }
}
