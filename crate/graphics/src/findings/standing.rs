//! What stands out: the findings by kind, those that cost most, and frames that differ from all
//! others.

use unspool_trace::Finding as Standing;
use unspool_trace::figures::{counted, percent};
use unspool_trace::finding::{Claim, Kind as Listed, Sentence, arrange};
use unspool_trace::problem::grouped;

use super::recount::Recount;
use super::{Finder, Finding, Kind};
use crate::frames::{FIGURES, Frame};

/// Groups of findings that are listed.
const MOST_GROUPS: usize = 3;
/// Frames that are listed.
const MOST_FRAMES: usize = 2;
/// Places that are listed of a group.
const MOST_PLACES: usize = 64;
/// Redundant calls, and draws of nothing, are listed from this share of all on.
const LEAST_SHARE: f64 = 0.1;
/// A frame stands out if a figure is this many times that of 95 % of the frames.
const TIMES: u64 = 4;
/// Frames that a trace needs before one stands out.
const ENOUGH: usize = 10;
/// In the first frames a program makes what it uses later.
const FIRST: usize = 2;

const WHY: &str = "Its calls prove it.";
/// The kinds, as in [`super::KINDS`].
static LISTED: [Listed; 7] = [
    Listed { word: "error", title: "Errors", why: WHY },
    Listed { word: "wait", title: "Waits", why: WHY },
    Listed { word: "clear", title: "Work thrown away", why: WHY },
    Listed { word: "upload", title: "Identical uploads", why: WHY },
    Listed { word: "bind", title: "Redundant binds", why: WHY },
    Listed { word: "state", title: "Redundant state", why: WHY },
    Listed { word: "empty", title: "Empty draws", why: WHY },
];
static FRAME: Listed = Listed {
    word: "frame",
    title: "Frames that stand out",
    why: "One of its figures is at least four times as high as in 95 % of the frames, and few other frames are like that.",
};
/// Figures by which frames stand out, with the least number above that of the others.
const OF_FRAMES: [(&str, &str, u64); 4] = [
    ("draws", "draw", 30),
    ("textureBytes", "byte", 1 << 20),
    ("bufferBytes", "byte", 1 << 20),
    ("shaderBytes", "byte", 256),
];

/// The kinds of what is found here.
pub static FINDING_KINDS: &[&Listed] = {
    let [a, b, c, d, e, f, g] = &LISTED;
    &[a, b, c, d, e, f, g, &FRAME]
};

/// What stands out most, the greatest first.
pub(super) fn foremost(finder: &Finder, findings: &[Finding]) -> Vec<Standing> {
    let frames = &OfTrace::new(finder);
    let of_kind = |kind: &'static Listed| {
        let findings: Vec<&Finding> = findings.iter().filter(|it| it.kind.word() == kind.word).collect();
        group(kind, &findings, frames)
    };
    let mut found: Vec<Standing> = LISTED.iter().filter_map(of_kind).filter(|it| it.weight > 0.0).collect();
    arrange(&mut found);
    found.truncate(MOST_GROUPS);
    let mut far = of_frames(frames.frames, &finder.recount);
    far.truncate(MOST_FRAMES);
    found.extend(far);
    arrange(&mut found);
    found
}

/// All that was found, each by itself, the greatest first.
pub(super) fn each(finder: &Finder, findings: &[Finding]) -> Vec<Standing> {
    let frames = &OfTrace::new(finder);
    let alone = |it: &Finding| group(LISTED.iter().find(|kind| kind.word == it.kind.word())?, &[it], frames);
    let mut found: Vec<Standing> = findings.iter().filter_map(alone).collect();
    found.extend(of_frames(frames.frames, &finder.recount));
    arrange(&mut found);
    found
}

/// The frames of a trace, and what they add up to.
struct OfTrace<'a> {
    frames: &'a [Frame],
    calls: f64,
    draws: f64,
    /// Findings were left out.
    is_full: bool,
}

impl<'a> OfTrace<'a> {
    fn new(finder: &'a Finder) -> Self {
        let (frames, is_full) = (finder.frames.frames(), finder.found.is_full);
        Self { frames, calls: sum(frames, "calls"), draws: sum(frames, "draws"), is_full }
    }
}

/// The sum of a figure, at least 1: others are divided by it.
fn sum(frames: &[Frame], key: &str) -> f64 {
    frames.iter().map(|frame| figure(frame, key)).sum::<u64>().max(1) as f64
}

fn figure(frame: &Frame, key: &str) -> u64 {
    let at = FIGURES.iter().position(|figure| figure.key == key);
    at.and_then(|at| frame.figures.get(at)).copied().unwrap_or(0)
}

/// Findings of a kind as one. Its sentence, places and figures are those of the first, which costs
/// most; what is alike is counted after it. It weighs what all cost.
fn group(listed: &'static Listed, of_kind: &[&Finding], of: &OfTrace<'_>) -> Option<Standing> {
    let (most, others) = of_kind.split_first()?;
    // Where findings were left out, the numbers of the others are not known.
    let others = if of.is_full { &[] } else { others };
    let (first, last) = most.reach;
    let name = most.sentence.split([':', ' ', ',']).next().unwrap_or_default();
    let mut sentence = Sentence::default();
    sentence.say(&most.sentence).say(": ");
    quantity(&mut sentence, &[most], ", ", ("calls", "cost"), name);
    let number = |call: u64, frame: u64| {
        Claim::new("frame", frame as f64, "frame", grouped(frame).to_string()).of(name).at(call)
    };
    match most.frames {
        (from, to) if from == to => sentence.say(" in frame ").claim(number(first, from)),
        (from, to) => sentence.say(" in frames ").claim(number(first, from)).say(" to ").claim(number(last, to)),
    };
    if !others.is_empty() {
        let count = others.len() as u64;
        sentence
            .say(", and ")
            .claim(Claim::new("others", count as f64, "", counted(count, "other")))
            .say(" like it with ");
        quantity(&mut sentence, others, " and ", ("calls-of-others", "cost-of-others"), "");
    }
    let mut it = Standing::new(listed, weight(of_kind, of), sentence).within(first, last);
    it.places = most.calls.iter().copied().take(MOST_PLACES).collect();
    Some(it.about(of_kind.iter().take(4).map(|it| it.sentence.split([':', ' ', ',']).next().unwrap_or_default())))
}

/// Says the calls of findings, and what they cost if that is something else.
fn quantity(
    sentence: &mut Sentence,
    findings: &[&Finding],
    between: &str,
    (calls, cost): (&'static str, &'static str),
    name: &str,
) {
    let sum = |of: fn(&Finding) -> u64| findings.iter().map(|it| of(it)).sum::<u64>();
    let mut say = |quantity, value: u64, unit| {
        sentence.claim(Claim::new(quantity, value as f64, unit, counted(value, unit)).of(name));
    };
    say(calls, sum(|it| it.count), "call");
    match findings.first().map_or("call", |it| it.kind.unit()) {
        "call" | "error" => {}
        unit => {
            let value = sum(|it| it.cost);
            sentence.say(between).claim(Claim::new(cost, value as f64, unit, counted(value, unit)).of(name));
        }
    }
}

/// The weight of findings of a kind together: 0 if they are too few to be listed.
fn weight(of_kind: &[&Finding], of: &OfTrace<'_>) -> f64 {
    let Some(kind) = of_kind.first().map(|it| it.kind) else { return 0.0 };
    let total = |of: fn(&Finding) -> u64| of_kind.iter().map(|it| of(it)).sum::<u64>();
    let (count, cost) = (total(|it| it.count), total(|it| it.cost));
    let reached = || {
        let first = of_kind.iter().map(|it| it.frames.0).min().unwrap_or_default() as usize;
        let last = of_kind.iter().map(|it| it.frames.1).max().unwrap_or_default() as usize;
        of.frames.get(first..of.frames.len().min(last + 1)).unwrap_or_default()
    };
    let share = match kind {
        Kind::Error => 0.5 + 0.4 * (count as f64 / of.calls),
        // A wait takes the time that it takes: half for any that comes again.
        Kind::Wait if count < 3 => 0.0,
        Kind::Wait => 0.3 + 0.5 * (count as f64 / of.frames.len().max(1) as f64).min(1.0),
        Kind::Clear => cost as f64 / sum(reached(), "draws"),
        Kind::Upload => cost as f64 / sum(reached(), "uploaded"),
        Kind::Bind | Kind::State => count as f64 / of.calls,
        Kind::Empty => count as f64 / of.draws,
    };
    let is_minor = matches!(kind, Kind::Bind | Kind::State | Kind::Empty) && share < LEAST_SHARE;
    if is_minor { 0.0 } else { share.clamp(0.0, 1.0) }
}

/// Frames with far more of something than others.
fn of_frames(frames: &[Frame], recount: &Recount) -> Vec<Standing> {
    let mut found: Vec<Standing> = Vec::new();
    if frames.len() < ENOUGH {
        return found;
    }
    for (key, unit, least) in OF_FRAMES {
        let title = FIGURES.iter().find(|figure| figure.key == key).map_or("", |figure| figure.title);
        // Bytes are those of something.
        let of = if unit == "byte" { format!(" of {}", title.to_lowercase()) } else { String::new() };
        let mut all: Vec<u64> = frames.iter().map(|frame| figure(frame, key)).collect();
        all.sort_unstable();
        let usual = all.get((all.len() * 95 / 100).min(all.len() - 1)).copied().unwrap_or(0);
        // The least that half of them do not exceed.
        let median = all.get(all.len().div_ceil(2).saturating_sub(1)).copied().unwrap_or(0);
        if !recount.confirms_median(key, &all, median) {
            continue;
        }
        let is_far = |value: u64| value >= usual.saturating_mul(TIMES) && value >= usual.saturating_add(least);
        for (number, frame) in frames.iter().enumerate().skip(FIRST) {
            let value = figure(frame, key);
            if !is_far(value) || found.iter().any(|it| it.at == Some(frame.first)) {
                continue;
            }
            let sum = all.iter().sum::<u64>().max(1);
            let share = value as f64 / sum as f64;
            let name = format!("frame {number}");
            let at = |claim: Claim| claim.of(&name).at(frame.first);
            let mut sentence = Sentence::default();
            let text = grouped(number as u64).to_string();
            sentence.say("Frame ").claim(at(Claim::new("frame", number as f64, "frame", text))).say(" has ");
            sentence.claim(at(Claim::new(key, value as f64, unit, counted(value, unit))));
            sentence.say(&of).say(", and half of the frames have at most ");
            sentence.claim(Claim::new("median", median as f64, unit, grouped(median).to_string())).say(": ");
            sentence.claim(at(Claim::new("share", share, "", percent(share)))).say(" of all ").say(if unit == "byte" {
                format!("bytes{of}")
            } else {
                title.to_lowercase()
            });
            // More than most have, as a share of all.
            let weight = (value - usual) as f64 / sum as f64;
            let it = Standing::new(&FRAME, weight.min(1.0) * 0.5, sentence).within(frame.first, frame.last);
            found.push(it.about([name]));
        }
    }
    arrange(&mut found);
    found
}
