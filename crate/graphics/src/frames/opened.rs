//! The calls of one frame, in groups: those of the program, else passes, else programs.

use core::fmt::Write;

use hashbrown::HashMap;
use unspool_formats::apitrace::{Marker, NameFlags};
use unspool_gl::gl;

use crate::known::Known;
use crate::reader::CallVisitor;
use unspool_gl::call::{Call, Value};

/// A row of an opened frame: a group, or a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenedRow {
    /// Number of groups around it.
    pub depth: u32,
    /// Whether it is a group. The rows after it that are deeper belong to it.
    pub is_group: bool,
    /// The call, or the first call of the group.
    pub call: u64,
    /// The call with its arguments in a line, or what the group is called.
    pub text: String,
    /// Its calls, draws, clears and uploaded bytes: 1 call, unless it is a group.
    pub figures: [u64; 4],
    /// It is a call that sets state to its current value.
    pub is_redundant: bool,
}

/// The calls of a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenedFrame {
    /// Groups and calls, in the order in which the calls returned.
    pub rows: Vec<OpenedRow>,
    /// What the groups are: `groups` of the program, `passes`, `programs`, or empty without groups.
    pub by: &'static str,
    /// Calls that are counted, but have no row.
    pub left_out: u64,
}

/// Limit for the rows of calls.
const MOST_ROWS: usize = 20_000;
/// Limit for groups in groups.
const MOST_DEPTH: usize = 16;

/// What a call may begin or end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    None,
    Push,
    Pop,
    Framebuffer,
    Program,
}

/// A call of the frame.
struct Seen {
    edge: Edge,
    call: u64,
    thread: u64,
    /// The text of a marker, or the number of what is bound.
    label: String,
    line: String,
    figures: [u64; 4],
}

/// Collects the calls of a frame.
pub(crate) struct Opening {
    frame: u64,
    numbers: HashMap<String, u32>,
    edges: Vec<Edge>,
    seen: Vec<Seen>,
    left_out: u64,
    known: Vec<(Known, String)>,
}

impl Opening {
    pub(crate) fn new(frame: u64) -> Self {
        let (numbers, edges, known) = (HashMap::new(), Vec::new(), Vec::new());
        Self { frame, numbers, edges, seen: Vec::new(), left_out: 0, known }
    }
}

impl CallVisitor for Opening {
    fn function(&mut self, name: &str) -> Option<u32> {
        let next = self.edges.len() as u32;
        let number = *self.numbers.entry_ref(name).or_insert(next);
        if number == next {
            let known = Known::of(name);
            self.edges.push(match (NameFlags::of(name).marker, &*known.canonical) {
                (Some(Marker::Push), _) => Edge::Push,
                (Some(Marker::Pop), _) => Edge::Pop,
                (_, "BindFramebuffer") => Edge::Framebuffer,
                (_, "UseProgram") => Edge::Program,
                _ => Edge::None,
            });
            self.known.push((known, name.into()));
        }
        Some(number)
    }

    fn writes_lines(&self) -> bool {
        true
    }

    fn call(&mut self, call: &Call) {
        if call.frame != self.frame {
            return;
        }
        let figures = [1, call.rendered.draws(), call.rendered.clears(), call.uploaded];
        let at = call.function as usize;
        let mut edge = self.edges.get(at).copied().unwrap_or(Edge::None);
        let Some((known, name)) = self.known.get(at) else { return };
        let label = match edge {
            Edge::Push => (0..call.len()).rev().find_map(|at| call.argument(at).text()).unwrap_or_default().into(),
            // What is read from is not a pass.
            Edge::Framebuffer if known.uint(call, "target") == Some(gl::READ_FRAMEBUFFER) => {
                edge = Edge::None;
                String::new()
            }
            Edge::Framebuffer | Edge::Program => match call.argument(call.len().saturating_sub(1)) {
                Value::Null => String::new(),
                value => value.int().unwrap_or_default().to_string(),
            },
            _ => String::new(),
        };
        let mut line = String::new();
        if self.seen.len() < MOST_ROWS {
            let _ = write!(line, "{name}({}", call.line());
        } else {
            self.left_out += 1;
            // Its figures count in the groups around it.
            if edge == Edge::None
                && let Some(last) = self.seen.last_mut()
            {
                for (sum, one) in last.figures.iter_mut().zip(figures) {
                    *sum += one;
                }
                return;
            }
        }
        self.seen.push(Seen { edge, call: call.number, thread: call.thread, label, line, figures });
    }
}

impl Opening {
    /// The rows, once all calls were seen.
    pub(crate) fn finish(self) -> OpenedFrame {
        let count = |edge: Edge| self.seen.iter().filter(|it| it.edge == edge).count();
        let (by, edge) = match () {
            () if count(Edge::Push) > 0 => ("groups", Edge::Push),
            () if count(Edge::Framebuffer) > 1 => ("passes", Edge::Framebuffer),
            () if count(Edge::Program) > 1 => ("programs", Edge::Program),
            () => ("", Edge::None),
        };
        let mut opened = OpenedFrame { by, left_out: self.left_out, ..OpenedFrame::default() };
        // Groups that are open: their rows, and their threads.
        let mut open: Vec<(usize, u64)> = Vec::new();
        for seen in self.seen {
            let begins = seen.edge == edge && edge != Edge::None;
            if begins && edge != Edge::Push {
                open.clear();
            }
            if begins && open.len() < MOST_DEPTH {
                let text = match (edge, &*seen.label) {
                    (Edge::Framebuffer, "0") => "Window".into(),
                    (Edge::Framebuffer, name) => format!("Framebuffer {name}"),
                    (Edge::Program, "0") => "No program".into(),
                    (Edge::Program, name) => format!("Program {name}"),
                    (_, label) => label.to_owned(),
                };
                let depth = open.len() as u32;
                open.push((opened.rows.len(), seen.thread));
                opened.rows.push(OpenedRow { depth, is_group: true, call: seen.call, text, ..OpenedRow::default() });
            }
            for (row, _) in &open {
                if let Some(group) = opened.rows.get_mut(*row) {
                    for (sum, one) in group.figures.iter_mut().zip(seen.figures) {
                        *sum += one;
                    }
                }
            }
            if !seen.line.is_empty() {
                let depth = open.len() as u32;
                let (call, text, figures) = (seen.call, seen.line, seen.figures);
                opened.rows.push(OpenedRow { depth, call, text, figures, ..OpenedRow::default() });
            }
            // A group ends on the thread that began it; groups of another may be open inside.
            if seen.edge == Edge::Pop
                && edge == Edge::Push
                && let Some(at) = open.iter().rposition(|(_, thread)| *thread == seen.thread)
            {
                open.truncate(at);
            }
        }
        opened
    }
}
