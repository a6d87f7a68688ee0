//! Compares the figures, the records and the values of two traces, for JavaScript: loaded when two
//! are compared.

mod drawn;
mod records;
mod suspects;
mod things;
mod values;
mod why;

pub use drawn::drawn_sentence;
pub use records::Sequences;
pub use suspects::rank_suspects;
pub use things::Things;
use unspool_compare::call_tree::{TreeRows, TreeView};
use unspool_compare::flame::{Both, Graph, Paths, Tree, View, Width, factor_of};
use unspool_compare::report::Report;
use unspool_compare::{Comparison, Figures, Function, Key, Run, Unit, compare, sentence, stretches, tables};
use unspool_js::columns::{Float64Array, Int32Array, Uint8Array, Uint32Array};
use unspool_js::structures;
pub use values::compare_values;
use wasm_bindgen::prelude::*;
pub use why::Reason;

structures! {
    /// The functions of both, as columns, by descending magnitude of the change.
    pub struct ComparedRows {
        /// Number of rows.
        pub length: f64,
        /// Names as shown.
        pub names: Vec<String>,
        /// Index among the functions of the first run of A; -1 if that lacks it.
        pub a: Int32Array,
        /// Index among the functions of the first run of B; -1 if that lacks it.
        pub b: Int32Array,
        /// Figures in A, as nine columns one after the other, in the order of `Comparer.take`; NaN
        /// if A lacks the function. Those of the run that stands for A.
        pub figures_a: Float64Array,
        /// Figures in B, in ticks of A.
        pub figures_b: Float64Array,
        /// Self time in B minus that in A, in ticks of A.
        pub change: Float64Array,
        /// The change as a share of all changes, with its sign.
        pub share: Float64Array,
        /// Typical self time of a call in B divided by that in A; NaN if unknown.
        pub factor: Float64Array,
        /// The same without what all functions have in common; NaN if nothing was taken out.
        pub without_common: Float64Array,
        /// Index in `VERDICTS`.
        pub verdict: Uint8Array,
        /// Probability of the verdict, or of the direction if it is `unsure`.
        pub confidence: Float64Array,
        /// What changed, in words.
        pub sentence: String,
        /// Whether equal runs have equal figures.
        pub is_exact: bool,
        /// B divided by A: what most functions have in common; null if nothing is known to be.
        pub common: Option<f64>,
        /// Self time of all functions of A, in ticks.
        pub own_a: f64,
        /// The run that stands for A: the median one.
        pub shown_a: u32,
        /// The run that stands for B.
        pub shown_b: u32,
        /// Self time of all functions of B, in ticks of A.
        pub own_b: f64,
    }

    /// Figures of call paths in both, as columns. Times of B are in ticks of A, and not normalised.
    pub struct FiguresOfBoth {
        /// Time of the calls in A.
        pub total_a: Float64Array,
        /// Time of the calls in B.
        pub total_b: Float64Array,
        /// Self time in A.
        pub own_a: Float64Array,
        /// Self time in B.
        pub own_b: Float64Array,
        /// Number of calls in A.
        pub count_a: Float64Array,
        /// Number of calls in B.
        pub count_b: Float64Array,
    }

    /// A flame graph of both, as columns. Names are rows of `ComparedRows`.
    pub struct ComparedFlame {
        /// Number of nodes.
        pub length: f64,
        /// Index of the node in focus.
        pub focus: u32,
        /// Whether some nodes lack what is below them.
        pub partial: bool,
        /// Row of the function; 2^32 - 1 for the root and for merged siblings.
        pub name: Uint32Array,
        /// Index of the node above.
        pub parent: Uint32Array,
        /// Width, in ticks of A.
        pub total: Float64Array,
        /// Figures in both.
        pub both: FiguresOfBoth,
        /// What times of B would be multiplied by to make both equally long.
        pub factor: f64,
    }

    /// Rows of the call tree of both, as columns. Names are rows of `ComparedRows`.
    pub struct ComparedTree {
        /// Number of rows.
        pub length: f64,
        /// The function.
        pub name: Uint32Array,
        /// Index of the row above; 2^32 - 1 for outermost ones.
        pub parent: Uint32Array,
        /// 0 if nothing is below a row, 1 if it is closed, 2 if it is open.
        pub state: Uint8Array,
        /// Figures in both.
        pub both: FiguresOfBoth,
        /// Rows that were left out, without those below them.
        pub cut: u32,
    }
}

/// What is known of one side.
#[derive(Default)]
struct Side {
    /// The first one is the trace whose paths these are.
    runs: Vec<Run>,
    unit: Option<Unit>,
    paths: Paths,
    /// Function of each path.
    functions: Vec<u32>,
}

/// Two traces that are compared.
#[wasm_bindgen]
#[derive(Default)]
pub struct Comparer {
    sides: [Side; 2],
    found: Option<Comparison>,
    tree: Option<Tree>,
    /// Total time of A divided by that of B, as they are.
    factor: f64,
}

#[wasm_bindgen]
impl Comparer {
    /// Nothing to compare yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the functions of a run of A (0) or B (1). `keys` are ids or addresses as texts, empty
    /// without. `figures` are nine columns one after the other: count, total, self, min, median,
    /// p90, p99, max, bytes. `function`, `start` and `own` are sampled calls. `counted` names the
    /// unit of a counted axis; otherwise `frequency` is ticks per second, 0 if unknown.
    #[allow(clippy::too_many_arguments, reason = "each is an argument of JavaScript")]
    pub fn take(
        &mut self,
        side: usize,
        names: Vec<String>,
        keys: Vec<String>,
        figures: &[f64],
        function: &[u32],
        start: &[f64],
        own: &[f64],
        counted: &str,
        frequency: f64,
        interleaved: bool,
    ) {
        let Some(side) = self.sides.get_mut(side) else { return };
        let len = names.len();
        let figure = |column: usize, i: usize| figures.get(column * len + i).map_or(0, |value| *value as u64);
        let stretches = stretches(len, function, start, own);
        let each = names.into_iter().zip(keys).zip(stretches).enumerate().map(|(i, ((name, key), stretches))| {
            let at = |column| figure(column, i);
            let [count, total, own, min, median, p90, p99, max, bytes] = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(at);
            let figures = Figures { count, total, own, min, median, p90, p99, max, bytes };
            Function { name: name.into(), key: key_of(&key), figures, stretches }
        });
        let run = Run { functions: each.collect(), is_interleaved: interleaved };
        let unit = match counted {
            "" => Unit::Ticks { frequency: Some(frequency as u64).filter(|frequency| *frequency > 0) },
            noun => Unit::Counted(noun.into()),
        };
        // Paths are those of the first run, in its unit, and so are all runs of the side.
        let own = side.unit.get_or_insert_with(|| unit.clone());
        side.runs.push(run.in_unit(&unit, own));
    }

    /// Takes the call paths of the first run of A (0) or B (1), a caller before its callees: the
    /// index of the function, that of the caller's path, or 2^32 - 1, and figures.
    #[wasm_bindgen(js_name = takePaths)]
    pub fn take_paths(
        &mut self,
        side: usize,
        functions: Vec<u32>,
        parent: Vec<u32>,
        total: Vec<f64>,
        own: Vec<f64>,
        count: Vec<f64>,
    ) {
        if let Some(side) = self.sides.get_mut(side) {
            side.functions = functions;
            side.paths = Paths { row: Vec::new(), parent, total, own, count };
            self.tree = None;
        }
    }

    /// Compares the functions of both.
    pub fn rows(&mut self) -> tsify::Ts<ComparedRows> {
        let [a, b] = &self.sides;
        let unit = a.unit.clone().unwrap_or(Unit::Ticks { frequency: None });
        let from = b.unit.as_ref().unwrap_or(&unit);
        let converted: Vec<Run>;
        let in_a = if *from == unit {
            &b.runs
        } else {
            converted = b.runs.iter().map(|run| run.clone().in_unit(from, &unit)).collect();
            &converted
        };
        let found = compare(unit, &a.runs, in_a);
        let index = |at: Option<usize>| at.map_or(-1, |at| at as i32);
        let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
        let rows = &found.rows;
        let answer = ComparedRows {
            length: rows.len() as f64,
            names: rows.iter().map(|row| row.name.to_string()).collect(),
            figures_a: figures_of(rows.iter().map(|row| row.a)),
            figures_b: figures_of(rows.iter().map(|row| row.b)),
            shown_a: found.shown.0 as u32,
            shown_b: found.shown.1 as u32,
            a: rows.iter().map(|row| index(row.index.0)).collect(),
            b: rows.iter().map(|row| index(row.index.1)).collect(),
            change: rows.iter().map(|row| row.change as f64).collect(),
            share: rows.iter().map(|row| row.share).collect(),
            factor: rows.iter().map(|row| number(row.finding.factor)).collect(),
            without_common: rows.iter().map(|row| number(row.finding.without_common)).collect(),
            verdict: rows.iter().map(|row| row.finding.verdict as u8).collect(),
            confidence: rows.iter().map(|row| row.finding.confidence).collect(),
            sentence: sentence(&found),
            is_exact: found.is_exact,
            common: found.common,
            own_a: found.own.0 as f64,
            own_b: found.own.1 as f64,
        };
        self.factor = factor_of([&a.runs, in_a].map(|runs| runs.first().map_or(0, Run::own)));
        (self.found, self.tree) = (Some(found), None);
        answer.cross()
    }

    /// The flame graph of the last [`Comparer::rows`]: callees below callers (0), or callers below
    /// what they called (1), with the path of rows to the node in focus; or the callees (2) or the
    /// callers (3) of the function that is the path. `by`: widths of A (0), of B (1), or the larger
    /// of both. Null before there are rows.
    pub fn flame(&mut self, view: u8, path: &[u32], by: u8, normalised: bool) -> Option<tsify::Ts<ComparedFlame>> {
        let factor = self.factor;
        let tree = self.tree()?;
        let function = path.first().copied().unwrap_or(u32::MAX);
        let view = match view {
            0 => View::Down(path),
            1 => View::Up(path),
            2 => View::Callees(function),
            _ => View::Callers(function),
        };
        let by = match by {
            0 => Width::A,
            1 => Width::B,
            _ => Width::Larger,
        };
        let Graph { focus, partial, row, parent, width, both } =
            tree.graph(view, by, if normalised { factor } else { 1.0 });
        let answer = ComparedFlame {
            length: row.len() as f64,
            focus,
            partial,
            name: Uint32Array(row),
            parent: Uint32Array(parent),
            total: Float64Array(width),
            both: figures_of_both(&both),
            factor,
        };
        Some(answer.cross())
    }

    /// The call tree of the last [`Comparer::rows`], from outermost calls, or from functions to
    /// their callers. Row `i + 1` of those that are open has the function `names[i]`, and is below
    /// row `parents[i]`; row 0 is above the outermost ones. All is opened below `everything`. Null
    /// before there are rows.
    pub fn calls(
        &mut self,
        inverted: bool,
        parents: Vec<u32>,
        names: Vec<u32>,
        everything: Option<u32>,
    ) -> Option<tsify::Ts<ComparedTree>> {
        let view = TreeView { inverted, open_parents: parents, open_rows: names, everything };
        let TreeRows { row, parent, state, both, cut } = self.tree()?.rows(&view, 1.0);
        let answer = ComparedTree {
            length: row.len() as f64,
            name: Uint32Array(row),
            parent: Uint32Array(parent),
            state: Uint8Array(state),
            both: figures_of_both(&both),
            cut,
        };
        Some(answer.cross())
    }

    /// The comparison as a file, which `write` takes in pieces: `folded` are stacks with the self
    /// times of both, in the form of `difffolded.pl`, `functions` and `paths` tables in Apache
    /// Parquet, and `report` is a page of HTML, which names the files `a` and `b`. Empty before
    /// there are rows.
    ///
    /// # Errors
    ///
    /// Throws a sentence if it would be too large.
    pub fn saved(
        &mut self,
        kind: &str,
        a: &str,
        b: &str,
        #[wasm_bindgen(unchecked_param_type = "(piece: Uint8Array<ArrayBuffer>) => void")] write: &js_sys::Function,
    ) -> Result<(), String> {
        self.tree();
        let Self { found: Some(found), tree: Some(tree), .. } = self else { return Ok(()) };
        let pass = |bytes: &[u8]| write.call1(&JsValue::NULL, &js_sys::Uint8Array::from(bytes)).map(drop);
        let written = match kind {
            "folded" => {
                let names: Vec<&str> = found.rows.iter().map(|row| &*row.name).collect();
                let mut result = Ok(());
                tree.folded(&names, |piece| {
                    if result.is_ok() {
                        result = pass(piece);
                    }
                })?;
                result
            }
            "functions" => pass(&tables::functions(found)),
            "paths" => pass(&tables::paths(found, tree)),
            _ => pass(Report { files: [a, b], found, tree }.html().as_bytes()),
        };
        written.map_err(|_| "The file cannot be written.".into())
    }
}

impl Comparer {
    /// The call paths of both as one tree, over the rows of the comparison.
    fn tree(&mut self) -> Option<&Tree> {
        let Self { sides: [a, b], found: Some(found), tree, .. } = self else { return None };
        let made = || {
            let of_a = a.paths_over(found.rows.iter().map(|row| row.index.0), a.paths.clone());
            let of_b = b.paths_over(found.rows.iter().map(|row| row.index.1), b.in_unit_of(a));
            Tree::new([&of_a, &of_b])
        };
        Some(tree.get_or_insert_with(made))
    }
}

impl Side {
    /// Its paths with times in the unit of another side.
    fn in_unit_of(&self, other: &Self) -> Paths {
        let mut paths = self.paths.clone();
        if let (Some(Unit::Ticks { frequency: Some(to) }), Some(Unit::Ticks { frequency: Some(from) })) =
            (&other.unit, &self.unit)
            && to != from
        {
            let scale = *to as f64 / *from as f64;
            for times in [&mut paths.total, &mut paths.own] {
                times.iter_mut().for_each(|time| *time *= scale);
            }
        }
        paths
    }

    /// Paths with the rows of a comparison, from the index that the function of each row has here.
    fn paths_over(&self, indices: impl Iterator<Item = Option<usize>>, mut paths: Paths) -> Paths {
        let mut row_of = vec![u32::MAX; self.runs.first().map_or(0, |run| run.functions.len())];
        for (row, index) in (0..).zip(indices) {
            if let Some(of) = index.and_then(|at| row_of.get_mut(at)) {
                *of = row;
            }
        }
        paths.row = self.functions.iter().map(|at| row_of.get(*at as usize).copied().unwrap_or(u32::MAX)).collect();
        paths
    }
}

fn figures_of_both(both: &[Both]) -> FiguresOfBoth {
    let of = |figure: fn(&Both) -> f64| both.iter().map(figure).collect::<Float64Array>();
    FiguresOfBoth {
        total_a: of(|it| it.total[0]),
        total_b: of(|it| it.total[1]),
        own_a: of(|it| it.own[0]),
        own_b: of(|it| it.own[1]),
        count_a: of(|it| it.count[0]),
        count_b: of(|it| it.count[1]),
    }
}

/// Figures as columns one after the other.
fn figures_of(rows: impl Iterator<Item = Option<Figures>>) -> Float64Array {
    let rows: Vec<[f64; 9]> = rows
        .map(|figures| {
            figures.map_or([f64::NAN; 9], |it| {
                let Figures { count, total, own, min, median, p90, p99, max, bytes } = it;
                [count, total, own, min, median, p90, p99, max, bytes].map(|value| value as f64)
            })
        })
        .collect();
    (0..9).flat_map(|column| rows.iter().map(move |row| row.get(column).copied().unwrap_or(f64::NAN))).collect()
}

/// A key from the text that the page has of it.
fn key_of(text: &str) -> Key {
    let id = text.strip_prefix('#').and_then(|id| id.parse().ok()).map(Key::Id);
    let address = || text.strip_prefix("0x").and_then(|address| u64::from_str_radix(address, 16).ok());
    id.or_else(|| address().map(Key::Address)).unwrap_or(Key::None)
}
