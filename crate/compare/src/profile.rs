//! What is known of a run: the input of a comparison.

use std::sync::Arc;

/// The unit of times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Ticks of a clock. Such times vary from run to run.
    Ticks {
        /// Ticks per second, if known.
        frequency: Option<u64>,
    },
    /// Calls, steps or the like, which are counted: any difference is one of the program.
    Counted(String),
}

impl Unit {
    /// Whether equal runs have equal figures.
    pub fn is_counted(&self) -> bool {
        matches!(self, Self::Counted(_))
    }

    /// A stable name: `ns`, `ticks`, or the noun of what is counted.
    pub fn word(&self) -> &str {
        match self {
            Self::Ticks { frequency: Some(1_000_000_000) } => "ns",
            Self::Ticks { .. } => "ticks",
            Self::Counted(noun) => noun,
        }
    }
}

/// Figures of a function in one run, in units of the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Calls.
    pub count: u64,
    /// Time with callees. Recursive calls count once.
    pub total: u64,
    /// Time that callees do not cover.
    pub own: u64,
    /// The shortest call.
    pub min: u64,
    /// Nearest-rank median of durations.
    pub median: u64,
    /// 90th percentile.
    pub p90: u64,
    /// 99th percentile.
    pub p99: u64,
    /// The longest call.
    pub max: u64,
    /// Bytes of data of its calls.
    pub bytes: u64,
}

/// What a trace has in place of a function's name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Key {
    /// Nothing.
    #[default]
    None,
    /// A number.
    Id(i64),
    /// An address in memory.
    Address(u64),
    /// The distance of an address from the beginning of its module, for a function that has no
    /// other name.
    Within {
        /// The file name of the module.
        module: String,
        /// In bytes.
        offset: u64,
    },
}

/// A function in one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// As it is shown. Rows of a comparison share it.
    pub name: Arc<str>,
    /// What its trace has in place of the name.
    pub key: Key,
    /// Its figures.
    pub figures: Figures,
    /// Typical self times of its calls over stretches of the run, in the order of time.
    pub stretches: Vec<f64>,
}

/// A recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// In any order.
    pub functions: Vec<Function>,
    /// Times of a counted axis include what other threads did meanwhile, which differs from run to
    /// run.
    pub is_interleaved: bool,
}

impl Run {
    /// The self time of all functions.
    pub fn own(&self) -> u64 {
        self.functions.iter().fold(0, |sum, function| sum.saturating_add(function.figures.own))
    }

    /// The run with its times in another unit. The same if the units are not ticks of clocks with
    /// known frequencies.
    #[must_use]
    pub fn in_unit(mut self, own: &Unit, wanted: &Unit) -> Self {
        let (Unit::Ticks { frequency: Some(from) }, Unit::Ticks { frequency: Some(to) }) = (own, wanted) else {
            return self;
        };
        if from == to || *from == 0 {
            return self;
        }
        let factor = *to as f64 / *from as f64;
        for Function { figures, stretches, .. } in &mut self.functions {
            let Figures { total, own, min, median, p90, p99, max, count: _, bytes: _ } = figures;
            [total, own, min, median, p90, p99, max]
                .into_iter()
                .for_each(|it| *it = (*it as f64 * factor).round() as u64);
            stretches.iter_mut().for_each(|it| *it *= factor);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_another_clock_are_converted() {
        let figures = Figures { count: 3, own: 300, max: 101, ..Figures::default() };
        let function = Function { figures, stretches: vec![100.0], ..Function::default() };
        let run = Run { functions: vec![function], ..Run::default() };
        let of = |frequency| Unit::Ticks { frequency };
        let found = run.clone().in_unit(&of(Some(1_000)), &of(Some(500)));
        let Function { figures, stretches, .. } = &found.functions[0];
        assert_eq!((figures.count, figures.own, figures.max, stretches.as_slice()), (3, 150, 51, &[50.0][..]));
        assert_eq!(run.clone().in_unit(&of(None), &of(Some(500))), run);
    }
}
