//! The flame graph of the difference, as SVG within a document.

use crate::flame::{Both, Graph, MANY};
use crate::profile::Unit;
use crate::report::text::escaped;
use crate::rows::Comparison;
use crate::sentence::{amount, grouped};

/// The scale from what is gone to what is new: blue, grey, orange. It is that of the page.
const SCALE: [(u8, u8, u8); 15] = [
    (31, 111, 178),
    (48, 117, 178),
    (63, 122, 178),
    (76, 128, 178),
    (88, 133, 177),
    (99, 138, 177),
    (110, 143, 176),
    (154, 163, 173),
    (169, 134, 119),
    (172, 126, 105),
    (174, 118, 91),
    (176, 110, 76),
    (178, 102, 60),
    (179, 93, 40),
    (180, 83, 9),
];
const MIDDLE: usize = SCALE.len() / 2;
/// Steps whose colour is so dark that its text is white.
const DARK: [usize; 4] = [0, 1, 13, 14];
/// Differences below this share of the whole are grey.
const THRESHOLD: f64 = 0.001;

/// Width of the drawing, and height of a row, in its own units: pixels of a wide window.
const WIDTH: f64 = 1200.0;
const ROW: f64 = 18.0;
/// Narrower ones are not drawn.
const NARROWEST: f64 = 0.5;
/// Most functions that are drawn.
const MOST: usize = 8000;
/// Deepest row.
const DEEPEST: u32 = 200;
/// Width of a character of a label, and of the space beside it.
const CHARACTER: f64 = 6.7;
const SPACE: f64 = 6.0;
/// Most characters of a name in a tooltip.
const LONGEST: usize = 1000;

/// Rules for the colours.
pub(super) fn style() -> String {
    let mut rules = String::new();
    for (step, (red, green, blue)) in SCALE.into_iter().enumerate() {
        let ink = if DARK.contains(&step) { "#fff" } else { "#000" };
        rules += &format!(".s{step} rect {{ fill: rgb({red} {green} {blue}); }} .s{step} text {{ fill: {ink}; }} ");
        rules += &format!("i.s{step} {{ background: rgb({red} {green} {blue}); }}\n");
    }
    rules
}

/// A function that is drawn.
struct Node {
    index: usize,
    x: f64,
    width: f64,
    depth: u32,
}

/// Draws a graph from its root on.
pub(super) fn draw(out: &mut String, graph: &Graph, found: &Comparison) {
    let whole = graph.width.first().copied().unwrap_or(0.0);
    if whole <= 0.0 {
        return;
    }
    out.push_str("<h2>Flame graph of the difference</h2>\n");
    let (nodes, left_out) = laid_out(graph, whole);
    let depth = nodes.iter().map(|node| node.depth).max().unwrap_or(0);
    out.push_str("<p class=\"note\">Callees are below their callers. A path is as wide as its time in A or in B, whichever is longer.</p>\n");
    out.push_str("<p class=\"note\">Self time: gone, less<span class=\"scale\">");
    (0..SCALE.len()).for_each(|step| out.push_str(&format!("<i class=\"s{step}\"></i>")));
    out.push_str("</span>more, new</p>\n");
    let height = f64::from(depth + 1) * ROW;
    out.push_str(&format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"Flame graph of the difference\">\n"
    ));
    nodes.iter().for_each(|node| push_node(out, graph, found, whole, node));
    out.push_str("</svg>\n");
    if left_out > 0 {
        let paths = if left_out == 1 { "path is" } else { "paths are" };
        out.push_str(&format!("<p class=\"note\">{} narrower {paths} left out.</p>\n", grouped(left_out)));
    }
}

/// The nodes with their places, as far as they are wide enough, and how many are not.
fn laid_out(graph: &Graph, whole: f64) -> (Vec<Node>, u64) {
    let scale = WIDTH / whole;
    let mut nodes = Vec::with_capacity(graph.row.len());
    // For each node: its depth, and where the next one below it begins.
    let mut places: Vec<(u32, f64)> = Vec::with_capacity(graph.row.len());
    for (index, (parent, width)) in graph.parent.iter().zip(&graph.width).enumerate() {
        let width = width * scale;
        let (depth, x) = match places.get_mut(*parent as usize) {
            Some((depth, next)) if index > 0 => {
                let x = *next;
                *next += width;
                (*depth + 1, x)
            }
            _ => (0, 0.0),
        };
        places.push((depth, x));
        nodes.push(Node { index, x, width, depth });
    }
    let all = nodes.len();
    let mut narrowest = NARROWEST;
    loop {
        nodes.retain(|node| node.width >= narrowest && node.depth <= DEEPEST);
        if nodes.len() <= MOST {
            let left_out = (all - nodes.len()) as u64;
            return (nodes, left_out);
        }
        narrowest *= 2.0;
    }
}

fn push_node(out: &mut String, graph: &Graph, found: &Comparison, whole: f64, node: &Node) {
    let Node { index, x, width, depth } = *node;
    let both = graph.both.get(index).copied().unwrap_or_default();
    let row = graph.row.get(index).copied().unwrap_or(MANY);
    let name = match found.rows.get(row as usize) {
        Some(row) => &*row.name,
        None if index == 0 => "All calls",
        None => "Several",
    };
    let y = f64::from(depth) * ROW;
    let step = if index == 0 { MIDDLE } else { step_of(&both, whole) };
    out.push_str(&format!("<g class=\"s{step}\"><title>{}", escaped(name, LONGEST)));
    out.push_str(&format!("\nTotal {}", pair(&found.unit, both.total)));
    if index > 0 {
        out.push_str(&format!("\nSelf {}", pair(&found.unit, both.own)));
    }
    let [a, b] = both.count.map(|count| grouped(count as u64));
    out.push_str(&format!(
        "\nCalls {a} → {b}</title><rect x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"{ROW}\"/>"
    ));
    let characters = ((width - SPACE) / CHARACTER).floor();
    if characters >= 3.0 {
        let characters = characters as usize;
        // The mark of what was cut takes one.
        let label = escaped(name, characters - usize::from(name.chars().nth(characters).is_some()));
        out.push_str(&format!("<text x=\"{:.1}\" y=\"{}\">{label}</text>", x + SPACE / 2.0, y + 13.0));
    }
    out.push_str("</g>\n");
}

/// Times of both, and the difference as a percentage of A.
fn pair(unit: &Unit, [a, b]: [f64; 2]) -> String {
    let text = format!("{} → {}", amount(unit, a.round() as u64), amount(unit, b.round() as u64));
    if a <= 0.0 || b <= 0.0 || a == b {
        return text;
    }
    let percent = (b - a) / a * 100.0;
    let sign = if percent < 0.0 { "−" } else { "+" };
    format!("{text}, {sign}{:.1} %", percent.abs())
}

/// The step of the scale of a node, by its self time.
fn step_of(both: &Both, whole: f64) -> usize {
    let [a, b] = both.own;
    let difference = b - a;
    if difference.abs() <= THRESHOLD * whole {
        return MIDDLE;
    }
    let steps = (difference.abs() / a.max(b) * MIDDLE as f64).ceil() as usize;
    if difference < 0.0 { MIDDLE - steps.min(MIDDLE) } else { MIDDLE + steps.min(MIDDLE) }
}
