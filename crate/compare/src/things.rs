//! Resources and findings of OpenGL calls that only one of two traces has, or that differ.

use std::collections::{BTreeMap, HashMap};

use crate::sentence::{bytes, grouped};

/// Most names in a list of the sentence.
const LISTED: usize = 3;

/// A resource of a trace.
#[derive(Clone, Debug, Default)]
pub struct Resource {
    /// A stable word: `texture`, `vertexArray`.
    pub kind: String,
    /// A number of the program; of an interface its address.
    pub name: u64,
    /// What the program calls it, or ''.
    pub label: String,
    /// What is known besides, for people. It may name other resources.
    pub facts: String,
    /// Bytes that it takes.
    pub size: u64,
    /// Levels of a texture.
    pub levels: u64,
    /// How often something was uploaded.
    pub uploads: u64,
    /// The call that created it.
    pub created: u64,
    /// Equal where contents are equal; '' if they are not known.
    pub key: String,
    /// The last call that uploaded something, if the contents are known.
    pub uploaded: Option<u64>,
}

/// A finding of a trace.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// What people call its kind.
    pub kind: String,
    /// What happens, and to what.
    pub sentence: String,
    /// How often.
    pub count: u64,
    /// The first call that proves it.
    pub call: Option<u64>,
}

/// What can differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// A resource.
    Resource,
    /// A finding.
    Finding,
}

/// What became of it in B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Only B has it.
    New,
    /// Only A has it.
    Gone,
    /// It holds something else, or is there more or less often.
    Changed,
}

impl Verdict {
    /// A word for people and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Gone => "gone",
            Self::Changed => "changed",
        }
    }
}

/// What is said of a resource or a finding in one trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// What it holds, or how often it is there.
    pub says: String,
    /// The call that created it, uploaded what differs, or proves it first.
    pub call: Option<u64>,
}

/// A resource or a finding that only one trace has, or that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thing {
    /// Which of both.
    pub of: Of,
    /// What it is called.
    pub title: String,
    /// Where it is.
    pub verdict: Verdict,
    /// In A; `None` if it is new.
    pub a: Option<Said>,
    /// In B; `None` if it is gone.
    pub b: Option<Said>,
}

/// Findings, then resources, that only one trace has, or that differ.
pub fn apart(resources: [&[Resource]; 2], findings: [&[Finding]; 2]) -> Vec<Thing> {
    let mut all = findings_apart(findings);
    all.extend(resources_apart(resources));
    all
}

/// What differs, in words.
pub fn sentence(things: &[Thing]) -> String {
    if things.is_empty() {
        return "Resources and findings are the same.".into();
    }
    let of = |of: Of, noun: &str| {
        let parts = [Verdict::New, Verdict::Gone, Verdict::Changed].map(|verdict| {
            let those = things.iter().filter(|it| it.of == of && it.verdict == verdict);
            let titles: Vec<&str> = those.map(|it| it.title.as_str()).collect();
            let (listed, more) = titles.split_at(titles.len().min(LISTED));
            let more =
                if more.is_empty() { String::new() } else { format!(" and {} more", grouped(more.len() as u64)) };
            let count = grouped(titles.len() as u64);
            (!titles.is_empty()).then(|| format!("{count} {} ({}{more})", verdict.word(), listed.join(", ")))
        });
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("{noun}: {}.", parts.join(", ")))
    };
    let sentences = [of(Of::Resource, "Resources"), of(Of::Finding, "Findings")];
    sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// They belong together, in the order of their creation: by kind, label and all that they hold; of
/// those that are left by kind and label; then by kind and what is said of them; and then by kind
/// and name.
fn resources_apart(sides: [&[Resource]; 2]) -> Vec<Thing> {
    let mut left = sides.map(|all| vec![true; all.len()]);
    let mut pairs = Vec::new();
    let mut pair_by = |key_of: &dyn Fn(&Resource) -> Option<String>| {
        let [a, b] = sides;
        let [left_a, left_b] = &mut left;
        let mut waiting: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, it) in b.iter().enumerate().rev().filter(|(at, _)| left_b.get(*at) == Some(&true)) {
            if let Some(key) = key_of(it) {
                waiting.entry(key).or_default().push(at);
            }
        }
        for (it, is_left) in a.iter().zip(left_a).filter(|(_, is_left)| **is_left) {
            let Some(other) = key_of(it).and_then(|key| waiting.get_mut(&key)?.pop()) else { continue };
            *is_left = false;
            if let Some(is_left) = left_b.get_mut(other) {
                *is_left = false;
            }
            pairs.extend(b.get(other).map(|other| (it, other)));
        }
        pairs.len()
    };
    let joined = |parts: &[&str]| Some(parts.join("\n"));
    let same = pair_by(&|it| joined(&[&it.kind, &it.label, &generic(&said(it)), &it.key]));
    pair_by(&|it| if it.label.is_empty() { None } else { joined(&[&it.kind, &it.label]) });
    pair_by(&|it| joined(&[&it.kind, &it.label, &generic(&said(it))]));
    // Addresses of interfaces are others in each run.
    pair_by(&|it| if it.kind == INTERFACE { None } else { joined(&[&it.kind, &it.name.to_string()]) });
    let thing = |it: &Resource| Said { says: said(it), call: Some(it.created) };
    let changed = pairs.iter().skip(same).map(|(a, b)| {
        let (mut in_a, mut in_b) = (thing(a), thing(b));
        if in_a.says == in_b.says {
            // Where it is the bytes that differ, their uploads say how.
            in_a.call = a.uploaded.or(in_a.call);
            in_b.call = b.uploaded.or(in_b.call);
            in_b.says += ", other contents";
        }
        let of = Of::Resource;
        Thing { of, title: title_of(b), verdict: Verdict::Changed, a: Some(in_a), b: Some(in_b) }
    });
    let mut all: Vec<Thing> = changed.collect();
    let [left_a, left_b] = left;
    for (side, left, verdict) in [(1, left_b, Verdict::New), (0, left_a, Verdict::Gone)] {
        let resources = sides.get(side).copied().unwrap_or_default();
        all.extend(resources.iter().zip(left).filter(|(_, is_left)| *is_left).map(|(it, _)| {
            let (a, b) = if side == 0 { (Some(thing(it)), None) } else { (None, Some(thing(it))) };
            Thing { of: Of::Resource, title: title_of(it), verdict, a, b }
        }));
    }
    all
}

/// The kind of the interfaces of Direct3D.
const INTERFACE: &str = "interface";

/// Says what a resource holds.
fn said(it: &Resource) -> String {
    let uploads = match it.uploads {
        0 => String::new(),
        1 => "1 upload".into(),
        count => format!("{} uploads", grouped(count)),
    };
    let levels = if it.levels > 1 { format!("{} levels", it.levels) } else { String::new() };
    let size = if it.size > 0 { bytes(it.size) } else { String::new() };
    let parts = [it.facts.clone(), levels, size, uploads];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The same with what names other resources left out: names are others as soon as one more is
/// created.
fn generic(said: &str) -> String {
    let mut words: Vec<String> = said.split(' ').map(String::from).collect();
    for at in 1..words.len() {
        let names = |word: &String| matches!(word.as_str(), "shader" | "texture" | "renderbuffer");
        if words.get(at - 1).is_some_and(names)
            && let Some(word) = words.get_mut(at)
        {
            *word = numberless(word);
        }
    }
    words.join(" ")
}

/// A text with `#` in place of each number.
fn numberless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '0'..='9' if out.ends_with('#') => {}
            '0'..='9' => out.push('#'),
            _ => out.push(letter),
        }
    }
    out
}

/// What a resource is called: its kind, name and label.
fn title_of(it: &Resource) -> String {
    if it.kind == INTERFACE {
        let what = if it.facts.is_empty() { "Interface" } else { &it.facts };
        return format!("{what} {:#x}", it.name);
    }
    // `vertexArray` is a vertex array.
    let mut noun = String::new();
    for (at, letter) in it.kind.chars().enumerate() {
        match (at, letter.is_ascii_uppercase()) {
            (0, _) => noun.push(letter.to_ascii_uppercase()),
            (_, true) => noun.extend([' ', letter.to_ascii_lowercase()]),
            _ => noun.push(letter),
        }
    }
    let label = if it.label.is_empty() { String::new() } else { format!(" “{}”", it.label) };
    format!("{noun} {}{label}", it.name)
}

fn findings_apart(sides: [&[Finding]; 2]) -> Vec<Thing> {
    // Numbers of objects are others where something was created before.
    let mut order = Vec::new();
    let mut found: BTreeMap<(&str, String), [Vec<&Finding>; 2]> = BTreeMap::new();
    for (side, all) in sides.into_iter().enumerate() {
        for it in all {
            let key = (it.kind.as_str(), numberless(&it.sentence));
            if !found.contains_key(&key) {
                order.push(key.clone());
            }
            if let Some(of) = found.entry(key).or_default().get_mut(side) {
                of.push(it);
            }
        }
    }
    let thing = |key| {
        let both = found.get(key)?;
        let [a, b] = both.each_ref().map(|of| {
            let count = of.iter().map(|it| it.count).sum::<u64>();
            let says = format!("{} {}", grouped(count), if count == 1 { "call" } else { "calls" });
            of.first().map(|it| Said { says, call: it.call })
        });
        let verdict = match (&a, &b) {
            (Some(a), Some(b)) if a.says == b.says => return None,
            (Some(_), Some(_)) => Verdict::Changed,
            (None, _) => Verdict::New,
            (_, None) => Verdict::Gone,
        };
        let it = both.iter().rev().find_map(|of| of.first())?;
        Some(Thing { of: Of::Finding, title: format!("{}: {}", it.kind, it.sentence), verdict, a, b })
    };
    order.iter().filter_map(thing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of kind, name, label, facts and contents; the calls are by position.
    fn resources(all: &[(&str, u64, &str, &str, u64, &str)]) -> Vec<Resource> {
        let each = all.iter().zip(0..).map(|((kind, name, label, facts, size, key), at)| Resource {
            kind: (*kind).into(),
            name: *name,
            label: (*label).into(),
            facts: (*facts).into(),
            size: *size,
            levels: 1,
            uploads: 1,
            created: 10 * at,
            key: (*key).into(),
            uploaded: Some(10 * at + 5),
        });
        each.collect()
    }

    /// Title, verdict, and what is said with its call of A and of B.
    fn differing(a: &[Resource], b: &[Resource]) -> Vec<String> {
        let said = |of: Option<Said>| of.map_or("-".into(), |it| format!("{} @{}", it.says, it.call.unwrap()));
        let all = apart([a, b], [&[], &[]]).into_iter();
        all.map(|it| format!("{} {}: {} | {}", it.title, it.verdict.word(), said(it.a), said(it.b))).collect()
    }

    #[test]
    fn resources_are_paired_by_what_they_hold_whatever_their_names_are() {
        let a = resources(&[("texture", 1, "", "2D", 64, ""), ("texture", 2, "", "2D", 128, "")]);
        let b = resources(&[
            ("texture", 1, "", "2D", 128, ""),
            ("texture", 2, "", "2D", 64, ""),
            ("texture", 3, "", "2D", 64, ""),
        ]);
        assert!(differing(&a, &a).is_empty());
        assert_eq!(differing(&a, &b), ["Texture 3 new: - | 2D, 64 B, 1 upload @20"]);
        assert_eq!(differing(&b, &a), ["Texture 3 gone: 2D, 64 B, 1 upload @20 | -"]);
    }

    #[test]
    fn of_a_label_or_else_of_a_name_it_is_said_that_it_holds_something_else() {
        let a = resources(&[("buffer", 1, "vertices", "", 64, ""), ("vertexArray", 5, "", "fragment shader", 100, "")]);
        let b = resources(&[("vertexArray", 5, "", "fragment shader", 114, ""), ("buffer", 9, "vertices", "", 96, "")]);
        let expected = [
            "Buffer 9 “vertices” changed: 64 B, 1 upload @0 | 96 B, 1 upload @10",
            "Vertex array 5 changed: fragment shader, 100 B, 1 upload @10 | fragment shader, 114 B, 1 upload @0",
        ];
        assert_eq!(differing(&a, &b), expected);
    }

    #[test]
    fn what_is_of_one_size_is_told_apart_by_its_contents() {
        let a = resources(&[("texture", 1, "", "2D", 64, "grass"), ("texture", 2, "", "2D", 64, "stone")]);
        let b = resources(&[("texture", 1, "", "2D", 64, "stone"), ("texture", 2, "", "2D", 64, "snow")]);
        let expected = ["Texture 2 changed: 2D, 64 B, 1 upload @5 | 2D, 64 B, 1 upload, other contents @15"];
        assert_eq!(differing(&a, &b), expected);
    }

    #[test]
    fn names_of_parts_and_addresses_of_interfaces_do_not_count() {
        let a = resources(&[("program", 3, "", "shader 1, shader 2", 0, ""), ("interface", 16, "", "IBuffer", 0, "")]);
        let b = resources(&[("program", 6, "", "shader 4, shader 15", 0, ""), ("interface", 32, "", "IBuffer", 0, "")]);
        assert!(differing(&a, &b).is_empty());
        assert_eq!(differing(&a, &[])[1], "IBuffer 0x10 gone: IBuffer, 1 upload @10 | -");
    }

    #[test]
    fn findings_are_new_or_gone_or_not_as_many() {
        let finding = |kind: &str, sentence: &str, count, call| Finding {
            kind: kind.into(),
            sentence: sentence.into(),
            count,
            call: Some(call),
        };
        let a = [
            finding("Binds", "texture 3 is bound already", 5, 7),
            finding("Errors", "GL_INVALID_ENUM", 1, 9),
            finding("Draws", "of 1 vertex", 1, 4),
        ];
        let b = [
            finding("Binds", "texture 14 is bound already", 5, 8),
            finding("Waits", "glFinish", 2, 3),
            finding("Errors", "GL_INVALID_ENUM", 3, 9),
        ];
        let found = apart([&[], &[]], [&a, &b]);
        let titles: Vec<_> = found.iter().map(|it| (it.title.as_str(), it.verdict)).collect();
        let expected = [
            ("Errors: GL_INVALID_ENUM", Verdict::Changed),
            ("Draws: of 1 vertex", Verdict::Gone),
            ("Waits: glFinish", Verdict::New),
        ];
        assert_eq!(titles, expected);
        assert_eq!(found[0].a, Some(Said { says: "1 call".into(), call: Some(9) }));
        assert_eq!(
            sentence(&found),
            "Findings: 1 new (Waits: glFinish), 1 gone (Draws: of 1 vertex), 1 changed (Errors: GL_INVALID_ENUM)."
        );
    }

    #[test]
    fn the_sentence_lists_the_first_of_each_verdict() {
        let all: Vec<_> = (1..=5).map(|name| ("query", name, "", "", 0, "")).collect();
        let b = resources(&all);
        let found = apart([&[], &b], [&[], &[]]);
        assert_eq!(sentence(&found), "Resources: 5 new (Query 1, Query 2, Query 3 and 2 more).");
        assert_eq!(sentence(&[]), "Resources and findings are the same.");
    }
}
