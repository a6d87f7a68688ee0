//! The differences as a document: one file of HTML, which loads nothing and has no scripts, for a
//! pull request or as an artifact of continuous integration.
//!
//! What comes from a trace, such as a name, is text in it and never markup.

mod flame;
mod text;

use crate::flame::{Tree, View, Width};
use crate::profile::Unit;
use crate::rows::{Comparison, Row};
use crate::sentence::{amount, grouped, sentence};
use crate::verdict::Verdict;
use text::escaped;

/// Most functions in the table.
const LISTED: usize = 500;
/// From this share of all changes on, a function is listed whatever the verdict about a call is.
const SHARE: f64 = 0.01;
/// Most characters of a name in the table.
const LONGEST: usize = 300;

const STYLE: &str = include_str!("report.css");

/// What a report is about.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The names of the files of A and of B, of the runs that stand for them.
    pub files: [&'a str; 2],
    /// What differs.
    pub found: &'a Comparison,
    /// The call paths of both, over the rows of `found`.
    pub tree: &'a Tree,
}

impl Report<'_> {
    /// The document, in UTF-8.
    pub fn html(&self) -> String {
        let Self { files: [a, b], found, tree } = *self;
        let title = format!("What differs between {} and {}", escaped(a, LONGEST), escaped(b, LONGEST));
        let mut out = String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        // A browser loads nothing then, whatever the rest is.
        out +=
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n";
        out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
        out +=
            &format!("<title>{title}</title>\n<style>\n{STYLE}{}</style>\n</head>\n<body>\n<main>\n", flame::style());
        out += "<h1>What differs</h1>\n";
        self.sides(&mut out);
        out += &format!("<p>{}</p>\n", escaped(&sentence(found), usize::MAX));
        if !found.rows.is_empty() {
            self.table(&mut out);
            let graph = tree.graph(View::Down(&[]), Width::Larger, 1.0);
            flame::draw(&mut out, &graph, found);
        }
        out += "</main>\n</body>\n</html>\n";
        out
    }

    fn sides(&self, out: &mut String) {
        let Comparison { unit, own, runs, .. } = self.found;
        out.push_str("<ul class=\"sides\">\n");
        let sides = [("a", "A", own.0, runs.0), ("b", "B", own.1, runs.1)];
        for ((class, letter, own, runs), file) in sides.into_iter().zip(self.files) {
            let more = if runs > 1 { format!(", the median of {} runs", grouped(runs as u64)) } else { String::new() };
            out.push_str(&format!(
                "<li><b class=\"mark side-{class}\">{letter}</b><span>{}{more}</span><span class=\"muted\">{}</span></li>\n",
                escaped(file, LONGEST),
                amount(unit, own),
            ));
        }
        out.push_str("</ul>\n");
    }

    fn table(&self, out: &mut String) {
        let found = self.found;
        let changed: Vec<&Row> = found.rows.iter().filter(|row| is_listed(found, row)).collect();
        out.push_str("<h2>Functions</h2>\n");
        if !changed.is_empty() {
            out.push_str(
                "<div class=\"scroll\" role=\"region\" aria-label=\"Functions\" tabindex=\"0\"><table>\n<thead><tr>",
            );
            for (head, says) in HEADS {
                out.push_str(&format!("<th scope=\"col\" title=\"{says}\">{head}</th>"));
            }
            out.push_str("</tr></thead>\n<tbody>\n");
            changed.iter().take(LISTED).for_each(|row| push_row(out, &found.unit, row));
            out.push_str("</tbody>\n</table></div>\n");
        }
        if changed.len() > LISTED {
            out.push_str(&format!(
                "<p class=\"note\">The first {} of {} functions that changed.</p>\n",
                grouped(LISTED as u64),
                grouped(changed.len() as u64)
            ));
        }
        let rest = found.rows.iter().filter(|row| !is_listed(found, row));
        let mut counts = [0_u64; 2];
        for row in rest {
            let at = usize::from(row.finding.verdict != Verdict::Same);
            counts.iter_mut().skip(at).take(1).for_each(|count| *count += 1);
        }
        let said = match counts {
            [0, 0] => return,
            [same, 0] => format!("{} the same", functions(same, changed.is_empty())),
            [0, unsure] => format!("{} unsure", functions(unsure, changed.is_empty())),
            [same, unsure] => {
                format!("{} the same, {} unsure", functions(same, changed.is_empty()), grouped(unsure))
            }
        };
        out.push_str(&format!("<p class=\"note\">{said}.</p>\n"));
    }
}

/// The columns of the table, and what they mean.
const HEADS: [(&str, &str); 9] = [
    ("Function", "Name of the function"),
    ("Difference", "Self time of all calls in B minus that in A"),
    ("Of all", "The difference as a share of all differences: their magnitudes add up to 100 %"),
    ("Self A", "Time in the function itself, in A"),
    ("Self B", "Time in the function itself, in B"),
    ("Calls A", "Number of calls in A"),
    ("Calls B", "Number of calls in B"),
    ("Per call", "Typical self time of a call in B divided by that in A"),
    ("Verdict", "About the self time of a call"),
];

/// Whether a function is in the table: the verdict says that it changed, or its difference counts.
fn is_listed(found: &Comparison, row: &Row) -> bool {
    let counts = found.unit.is_counted() && row.a.map(|it| it.count) != row.b.map(|it| it.count);
    let exact = found.is_exact && row.a != row.b;
    row.finding.verdict.is_change() || counts || exact || row.share.abs() >= SHARE
}

fn functions(count: u64, is_all: bool) -> String {
    let other = if is_all { "" } else { "other " };
    format!("{} {other}function{}", grouped(count), if count == 1 { "" } else { "s" })
}

fn push_row(out: &mut String, unit: &Unit, row: &Row) {
    let name = escaped(&row.name, LONGEST);
    let verdict = row.finding.verdict;
    let word = match verdict {
        Verdict::New => "<b class=\"mark side-b\">B</b> new".into(),
        Verdict::Gone => "<b class=\"mark side-a\">A</b> gone".into(),
        Verdict::Unsure => "unsure".into(),
        verdict => format!("{}, {:.0} %", verdict.word(), (row.finding.confidence * 100.0).floor()),
    };
    let side = |of: Option<u64>, shown: &dyn Fn(u64) -> String| of.map_or_else(String::new, shown);
    let time = |ticks: u64| amount(unit, ticks);
    let cells = [
        change(unit, row.change),
        share(row.share),
        side(row.a.map(|it| it.own), &time),
        side(row.b.map(|it| it.own), &time),
        side(row.a.map(|it| it.count), &grouped),
        side(row.b.map(|it| it.count), &grouped),
        row.finding.factor.map_or_else(String::new, |factor| format!("× {factor:.2}")),
    ];
    out.push_str(&format!("<tr><td>{name}</td>"));
    cells.iter().for_each(|cell| out.push_str(&format!("<td>{cell}</td>")));
    let class = if verdict.is_change() { "changed" } else { "muted" };
    out.push_str(&format!("<td class=\"{class}\">{word}</td></tr>\n"));
}

/// A difference with its sign.
fn change(unit: &Unit, change: i128) -> String {
    let sign = match change.signum() {
        1 => "+",
        -1 => "−",
        _ => "",
    };
    format!("{sign}{}", amount(unit, u64::try_from(change.unsigned_abs()).unwrap_or(u64::MAX)))
}

/// A share without its sign.
fn share(share: f64) -> String {
    match share.abs() * 100.0 {
        0.0 => "0 %".into(),
        percent if percent < 0.1 => "&lt;0.1 %".into(),
        percent => format!("{percent:.1} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flame::Paths;
    use crate::{Figures, Function, Run, compare};

    fn run(functions: &[(&str, u64, u64)]) -> Run {
        let function = |(name, count, own): &(&str, u64, u64)| Function {
            name: (*name).into(),
            figures: Figures { count: *count, own: *own, total: *own, ..Figures::default() },
            stretches: vec![*own as f64 / *count as f64; 16],
            ..Function::default()
        };
        Run { functions: functions.iter().map(function).collect(), ..Run::default() }
    }

    /// The report on two runs whose functions call each other in their order.
    fn report(files: [&str; 2], a: &Run, b: &Run) -> String {
        let nanoseconds = Unit::Ticks { frequency: Some(1_000_000_000) };
        let found = compare(nanoseconds, std::slice::from_ref(a), std::slice::from_ref(b));
        let paths = |run: &Run, index: &dyn Fn(&Row) -> Option<usize>| {
            let mut paths = Paths::default();
            for (i, function) in run.functions.iter().enumerate() {
                let row = found.rows.iter().position(|row| index(row) == Some(i)).unwrap();
                paths.row.push(row as u32);
                paths.parent.push((i as u32).wrapping_sub(1));
                paths.own.push(function.figures.own as f64);
                paths.total.push(run.functions[i..].iter().map(|it| it.figures.own as f64).sum());
                paths.count.push(function.figures.count as f64);
            }
            paths
        };
        let tree = Tree::new([&paths(a, &|row| row.index.0), &paths(b, &|row| row.index.1)]);
        Report { files, found: &found, tree: &tree }.html()
    }

    #[test]
    fn the_sentence_the_functions_that_changed_and_the_flame_graph_are_in_it() {
        let a = run(&[("main", 1, 100), ("f", 100, 100_000), ("old", 10, 500)]);
        let b = run(&[("main", 1, 100), ("f", 100, 150_000), ("new", 10, 700)]);
        let html = report(["before.xray", "after.xray"], &a, &b);
        assert!(html.starts_with("<!doctype html>\n<html lang=\"en\">"));
        assert!(html.contains("<p>Functions take 101 µs in A and 151 µs in B: 50.2 µs more, +49.9 % of A."), "{html}");
        assert!(html.contains("<tr><td>f</td><td>+50.0 µs</td><td>97.7 %</td>"), "{html}");
        assert!(html.contains("<td>× 1.50</td><td class=\"changed\">slower, 100 %</td>"), "{html}");
        assert!(html.contains("<b class=\"mark side-b\">B</b> new"));
        assert!(html.contains("<p class=\"note\">1 other function the same.</p>"), "{html}");
        assert_eq!(html.matches("<rect").count(), 5, "{html}");
        assert!(
            html.contains(
                "<title>f\nTotal 101 µs → 151 µs, +50.0 %\nSelf 100 µs → 150 µs, +50.0 %\nCalls 100 → 100</title>"
            ),
            "{html}"
        );
    }

    #[test]
    fn names_are_text_and_nothing_is_loaded() {
        let hostile = "</title></svg><script>alert(1)</script>\"'&\u{202e}\u{0}<img src=//x onerror=y>";
        let a = run(&[(hostile, 10, 1000)]);
        let html = report([hostile, "b"], &a, &run(&[("g", 10, 900)]));
        for part in ["<script", "<img", "</title></svg>", "\u{202e}", "\u{0}", "href", "url(", "@import"] {
            assert!(!html.contains(part), "{part:?} in {html}");
        }
        assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"));
        assert!(html.contains("default-src 'none'"));
    }

    #[test]
    fn what_does_not_differ_and_what_is_empty_are_said() {
        let a = run(&[("f", 100, 1000), ("g", 100, 1000)]);
        let html = report(["a", "b"], &a, &a);
        assert!(html.contains("No figure differs") && html.contains("<p class=\"note\">2 functions the same.</p>"));
        let html = report(["a", "b"], &run(&[]), &run(&[]));
        assert!(html.contains("Neither trace has functions to compare.") && !html.contains("<svg"));
    }

    #[test]
    fn long_tables_and_names_are_cut() {
        let names: Vec<String> = (0..700).map(|i| format!("{i}-{}", "x".repeat(2000))).collect();
        let functions: Vec<(&str, u64, u64)> = names.iter().map(|name| (name.as_str(), 1, 1000)).collect();
        let html = report(["a", "b"], &run(&functions), &run(&[]));
        assert!(html.contains("The first 500 of 700 functions that changed."));
        assert!(html.len() < 4_000_000, "{}", html.len());
    }
}
