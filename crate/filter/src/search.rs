//! The records that a search asks for: a visitor that evaluates a [`RecordQuery`].

mod matching;

use std::sync::Arc;

use hashbrown::HashMap;
use unspool_trace::records::{Extent, RecordName};
use unspool_trace::{FieldValue, Instructions, Operand, Record, Taint, Use, Visitor, beginning};

use crate::pattern::{Matcher, Regexes};
use crate::record_query::{NameExpr, NameMatcher, RecordQuery, RecordTest, ValuePlace};
use crate::values::{Bound, Bounds, Number, Test};

use matching::{
    MOST_TEXT, contains, hex, is_instruction, is_key, is_use, is_within, passes, passes_wide, shown, text_of, touches,
    verb,
};

/// Most records that are listed: 40 MB. Further ones are only counted.
const MOST: u64 = 1 << 20;
/// Most distinct texts that are kept, names among them, and most of those that are not names:
/// without its name a record is not found among the slices.
const MOST_TEXTS: usize = 1 << 17;
const MOST_MATCHES: usize = 1 << 16;
/// Bytes of the longest instruction about which verdicts are remembered.
const LONGEST_CODE: usize = 16;
/// Verdicts about names, and about instructions, that are remembered.
const MOST_KNOWN: usize = 1 << 16;

/// Where some slices begin: locators of records, and their positions on the x axis. Ascending.
pub type Beginnings = Vec<(u64, u64)>;

/// How a floating point number is shown. Code for it is large, so a program in a browser lends that
/// of the browser.
pub type FloatText = fn(f64) -> String;

/// Records that a pass has found, as columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundRecords {
    /// Absolute position on the x axis.
    pub x: Vec<u64>,
    /// The track of the thread.
    pub track: Vec<u32>,
    /// Where the record is found again.
    pub locator: Vec<u64>,
    /// The alternatives that hold, as bits.
    pub branches: Vec<u64>,
    /// Number of the name in `texts`; `u32::MAX` if it has none.
    pub name: Vec<u32>,
    /// Number in `texts` of what matched; `u32::MAX` for none.
    pub matched: Vec<u32>,
    /// Texts that `name` and `matched` refer to, after those of earlier portions.
    pub texts: Vec<String>,
}

/// A path to a field, as far as the fields around the current one lead along it.
#[derive(Debug)]
struct Path {
    keys: Vec<String>,
    /// It may begin within the arguments of a call.
    of_arguments: bool,
    /// For each open list or structure, how many keys are behind it. `None` if it is not on the
    /// path.
    reached: Vec<Option<usize>>,
}

enum Check {
    Name(NameMatcher, Vec<i64>),
    Tracks(Vec<u32>),
    At(Vec<(u64, u64)>),
    Begins(Beginnings),
    Field(Path, Test, Option<Matcher>),
    Text(Matcher),
    Word { name: NameMatcher, ids: Vec<i64>, text: Matcher, number: Option<Bounds<Number>> },
    Bytes(Vec<u8>),
    Instruction(Matcher),
    Address(Bounds<Number>),
    Memory(bool, Bounds<Number>),
    Value(bool, ValuePlace, Test, Option<Matcher>),
    Taint(Option<Bounds<Number>>),
}

/// Verdicts about the instructions of an architecture, by address and bytes: the text of one may
/// have an address in it that is relative to its own.
#[derive(Debug, Default)]
struct KnownCode {
    isa: String,
    known: HashMap<(u64, CodeBytes), Verdict>,
}

/// The conditions that hold for an instruction, and its text if any does.
type Verdict = (u128, Option<Arc<str>>);

/// Bytes of an instruction, and how many of them there are.
type CodeBytes = ([u8; LONGEST_CODE], u8);

/// A search over records. `RecordReader::search` of the engine drives it.
pub struct Search {
    checks: Vec<Check>,
    /// Which of them are about fields, about the text of an instruction, and which are words.
    of_fields: u128,
    of_code: u128,
    words: u128,
    /// Alternatives: conditions that must hold, and those that must not.
    branches: Vec<(u128, u128)>,
    disassembler: Option<Box<dyn Instructions>>,
    float_text: FloatText,
    names: HashMap<String, u128>,
    ids: HashMap<i64, u128>,
    code: Vec<KnownCode>,
    /// The conditions that hold for the current record, and its alternatives that are still
    /// possible.
    holds: u128,
    /// The words that a field of it has.
    in_fields: u128,
    record: (u64, u32, u64),
    /// Its name, if it has one.
    name: Option<String>,
    /// What matched.
    matched: String,
    /// For each open list or structure, whether it is a list, and the index of its next part.
    open: Vec<(bool, usize)>,
    /// Keys of those, one behind the other, and where each begins.
    keys: String,
    key_at: Vec<usize>,
    /// Of the operand whose field comes next: how it is used, and whether it is in memory.
    operand: Option<(Use, bool)>,
    found: FoundRecords,
    texts: HashMap<String, u32>,
    count: u64,
    listed: u64,
    /// The next piece of the pass, for the reader that drives it.
    pub next: u64,
}

impl Search {
    /// Has found nothing yet. `begins` has what [`RecordTest::Begins`] refers to. `None` if the
    /// query is not sound. Without a disassembler no condition about instructions holds.
    pub fn new(
        query: &RecordQuery,
        begins: &[Beginnings],
        disassembler: Option<Box<dyn Instructions>>,
        regexes: &dyn Regexes,
        float_text: FloatText,
    ) -> Option<Self> {
        if query.tests.len() > u128::BITS as usize {
            return None;
        }
        let mut checks = Vec::new();
        let (mut of_fields, mut of_code, mut words) = (0, 0, 0);
        for (number, test) in query.tests.iter().enumerate() {
            let matcher_of = |test: &Test| test.text.as_ref().and_then(|pattern| pattern.compile(regexes).ok());
            let check = match test {
                RecordTest::Name { expr, ids } => Check::Name(expr.compile(regexes), ids.clone()),
                RecordTest::Tracks(tracks) => Check::Tracks(tracks.clone()),
                RecordTest::At(spans) => Check::At(spans.clone()),
                RecordTest::Begins(number) => Check::Begins(begins.get(usize::from(*number))?.clone()),
                RecordTest::Field { path, test } => Check::Field(Path::new(path), test.clone(), matcher_of(test)),
                RecordTest::Text(pattern) => Check::Text(pattern.compile(regexes).ok()?),
                RecordTest::Word { pattern, ids, number } => Check::Word {
                    name: NameExpr::Is(pattern.clone()).compile(regexes),
                    ids: ids.clone(),
                    text: pattern.compile(regexes).ok()?,
                    number: number.map(|value| {
                        let bound = Some(Bound { value, included: true });
                        Bounds { low: bound, high: bound }
                    }),
                },
                RecordTest::Bytes(bytes) => Check::Bytes(bytes.clone()),
                RecordTest::Instruction(pattern) => Check::Instruction(pattern.compile(regexes).ok()?),
                RecordTest::Address(bounds) => Check::Address(*bounds),
                RecordTest::Memory { written, bounds } => Check::Memory(*written, *bounds),
                RecordTest::Value { written, place, test } => {
                    Check::Value(*written, place.clone(), test.clone(), matcher_of(test))
                }
                RecordTest::Taint(bounds) => Check::Taint(*bounds),
            };
            if !matches!(check, Check::Name(..) | Check::Tracks(_) | Check::At(_) | Check::Begins(_)) {
                of_fields |= 1 << number;
            }
            of_code |= u128::from(matches!(check, Check::Instruction(_) | Check::Word { .. })) << number;
            words |= u128::from(matches!(check, Check::Word { .. })) << number;
            checks.push(check);
        }
        let branch = |conditions: &Vec<(bool, u16)>| {
            let bits = |wanted: bool| {
                conditions.iter().filter(|(is, _)| *is == wanted).fold(0u128, |bits, (_, number)| bits | 1 << number)
            };
            (bits(true), bits(false))
        };
        Some(Self {
            checks,
            of_fields,
            of_code,
            words,
            branches: query.branches.iter().map(branch).collect(),
            disassembler,
            float_text,
            names: HashMap::new(),
            ids: HashMap::new(),
            code: Vec::new(),
            holds: 0,
            in_fields: 0,
            record: (0, 0, 0),
            name: None,
            matched: String::new(),
            open: Vec::new(),
            keys: String::new(),
            key_at: Vec::new(),
            operand: None,
            found: FoundRecords::default(),
            texts: HashMap::new(),
            count: 0,
            listed: 0,
            next: 0,
        })
    }

    /// Lists no records from now on, and only counts them.
    pub fn only_counting(mut self) -> Self {
        self.listed = MOST;
        self
    }

    /// How many records were found.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The records found since the last call, at most 2^20 in all, with the texts that are new.
    /// Texts are numbered over all calls.
    pub fn take(&mut self) -> FoundRecords {
        std::mem::take(&mut self.found)
    }

    /// Whether any alternative can still hold, with `holds` known for all conditions but those on
    /// fields.
    fn is_possible(&self) -> bool {
        let known = !self.of_fields;
        self.branches.iter().any(|(must, must_not)| must & known & !self.holds == 0 && must_not & self.holds == 0)
    }

    /// The number of a text among those of what was found; `u32::MAX` if there are `most` already.
    fn text(&mut self, text: &str, most: usize) -> u32 {
        if let Some(known) = self.texts.get(text) {
            return *known;
        }
        if self.texts.len() >= most {
            return u32::MAX;
        }
        let number = self.texts.len() as u32;
        self.texts.insert(text.into(), number);
        self.found.texts.push(text.into());
        number
    }

    /// The conditions that hold for a name. Remembers verdicts.
    fn of_name(&mut self, name: RecordName<'_>) -> u128 {
        match name {
            RecordName::None => self.holding(|matcher, _| matcher.holds("", "")),
            RecordName::Text(text) => {
                if let Some(known) = self.names.get(text) {
                    return *known;
                }
                if self.names.len() >= MOST_KNOWN {
                    self.names.clear();
                }
                let verdict = self.holding(|matcher, _| matcher.holds(text, ""));
                self.names.insert(text.into(), verdict);
                verdict
            }
            RecordName::Id(id) => {
                if let Some(known) = self.ids.get(&id) {
                    return *known;
                }
                if self.ids.len() >= MOST_KNOWN {
                    self.ids.clear();
                }
                let verdict = self.holding(|_, ids| ids.binary_search(&id).is_ok());
                self.ids.insert(id, verdict);
                verdict
            }
        }
    }

    /// The conditions on names that hold.
    fn holding(&self, holds: impl Fn(&NameMatcher, &[i64]) -> bool) -> u128 {
        (0..).zip(&self.checks).fold(0, |bits, (number, check)| match check {
            Check::Name(matcher, ids) | Check::Word { name: matcher, ids, .. } => {
                bits | u128::from(holds(matcher, ids)) << number
            }
            _ => bits,
        })
    }

    /// The conditions on instructions that hold for one, and its text if any does. Remembers
    /// verdicts.
    fn of_instruction(&mut self, isa: &str, address: u64, bytes: &[u8]) -> Verdict {
        let at = self.code.iter().position(|code| code.isa == isa).unwrap_or_else(|| {
            self.code.push(KnownCode { isa: isa.into(), known: HashMap::new() });
            self.code.len() - 1
        });
        let mut key: CodeBytes = ([0; LONGEST_CODE], bytes.len().min(u8::MAX.into()) as u8);
        let is_short = key.0.get_mut(..bytes.len()).map(|key| key.copy_from_slice(bytes)).is_some();
        let known = self.code.get(at).filter(|_| is_short).and_then(|code| code.known.get(&(address, key)));
        if let Some(known) = known {
            return known.clone();
        }
        let text = self.disassembler.as_ref().and_then(|disassembler| disassembler.text(isa, address, bytes));
        let holds = text.as_deref().map_or(0, |words| {
            (0..).zip(&self.checks).fold(0u128, |bits, (number, check)| match check {
                Check::Instruction(matcher) => bits | u128::from(is_instruction(matcher, words)) << number,
                Check::Word { text, .. } => bits | u128::from(text.matches(words)) << number,
                _ => bits,
            })
        });
        let verdict: Verdict = (holds, text.filter(|_| holds != 0).map(Arc::from));
        if let Some(KnownCode { known, .. }) = self.code.get_mut(at).filter(|_| is_short) {
            if known.len() >= MOST_KNOWN {
                known.clear();
            }
            known.insert((address, key), verdict.clone());
        }
        verdict
    }

    /// The conditions of which no further field can change anything.
    fn holds_for_good(&self) -> u128 {
        self.holds & !self.words | self.in_fields
    }

    /// Whether the fields that come now are arguments of a call, or variables.
    fn is_among_variables(&self) -> bool {
        self.open.len() == 1 && matches!(self.keys.as_str(), "args" | "vars")
    }

    /// A field or a part begins: returns its index in the list or structure that has it.
    fn count_part(&mut self) -> usize {
        match self.open.last_mut() {
            Some((_, next)) => {
                *next += 1;
                *next - 1
            }
            None => 0,
        }
    }

    /// Writes down what matched.
    fn note(&mut self, key: &str, value: &str) {
        if self.matched.len() > MOST_TEXT || self.listed == MOST {
            return;
        }
        // The innermost key that is not one of a list's: keys of lists are empty.
        let outer = self.key_at.iter().rev().filter_map(|at| self.keys.get(*at..)).find(|key| !key.is_empty());
        let key = if key.is_empty() { outer.unwrap_or_default() } else { key };
        for part in
            [if self.matched.is_empty() { "" } else { ", " }, key, if key.is_empty() { "" } else { ": " }, value]
        {
            self.matched.push_str(part);
        }
        if self.matched.len() > MOST_TEXT {
            self.matched.truncate(beginning(&self.matched, MOST_TEXT).len());
            self.matched.push('…');
        }
    }
}

impl Path {
    fn new(path: &[String]) -> Self {
        let of_arguments = path.first().is_some_and(|first| first == "arg");
        let keys = path.get(usize::from(of_arguments)..).unwrap_or_default().to_vec();
        Self { keys, of_arguments, reached: Vec::new() }
    }

    /// How far a field with this key leads. `list`: it is a part of a list, with this index.
    fn step(&self, key: &str, list: Option<usize>) -> Option<usize> {
        let before = match self.reached.last() {
            Some(before) => (*before)?,
            // The arguments of a call, and the variables of a trace point.
            None if self.of_arguments && matches!(key, "args" | "vars") => return Some(0),
            None => 0,
        };
        let Some(wanted) = self.keys.get(before) else { return Some(before) };
        match list {
            // Without an index, any part of a list will do.
            Some(index) => match wanted.parse::<usize>() {
                Ok(wanted) => (wanted == index).then_some(before + 1),
                Err(_) => Some(before),
            },
            None => (wanted == key).then_some(before + 1),
        }
    }
}

impl Visitor for Search {
    // Other conditions are about what is shown.
    fn extent(&self) -> Extent {
        let looks_into_bytes = self.checks.iter().any(|check| matches!(check, Check::Bytes(_)));
        if looks_into_bytes { Extent::Held } else { Extent::Shown }
    }

    fn may_want(&mut self, name: RecordName<'_>, keys: &mut dyn Iterator<Item = &str>) -> bool {
        let known = self.of_name(name);
        // Conditions on fields that the record cannot have do not hold. Others than those on names
        // are not decided yet.
        let mut undecided = 0u128;
        for (number, check) in self.checks.iter().enumerate() {
            let is_open = match check {
                Check::Name(..) => false,
                Check::Field(path, ..) => path.keys.is_empty(),
                _ => true,
            };
            undecided |= u128::from(is_open) << number;
        }
        for key in keys {
            for (number, check) in self.checks.iter().enumerate() {
                if let Check::Field(path, ..) = check {
                    undecided |= u128::from(path.keys.first().is_some_and(|first| first == key)) << number;
                }
            }
        }
        self.branches.iter().any(|(must, must_not)| must & !(known | undecided) == 0 && must_not & known == 0)
    }

    fn begin(&mut self, record: &Record<'_>) -> bool {
        self.holds = self.of_name(record.name);
        self.in_fields = 0;
        for (number, check) in self.checks.iter().enumerate() {
            let holds = match check {
                Check::Tracks(tracks) => tracks.binary_search(&record.track).is_ok(),
                Check::At(spans) => spans.iter().any(|(from, to)| (*from..=*to).contains(&record.x)),
                Check::Begins(at) => at.binary_search(&(record.locator.bits(), record.x)).is_ok(),
                _ => continue,
            };
            self.holds |= u128::from(holds) << number;
        }
        if !self.is_possible() {
            return false;
        }
        self.matched.clear();
        self.open.clear();
        self.keys.clear();
        self.key_at.clear();
        self.operand = None;
        for check in &mut self.checks {
            if let Check::Field(path, ..) = check {
                path.reached.clear();
            }
        }
        let mut text = self.name.take().unwrap_or_default();
        text.clear();
        self.name = match record.name {
            RecordName::None => None,
            RecordName::Text(name) => {
                text.push_str(name);
                Some(text)
            }
            RecordName::Id(id) => Some(format!("#{id}")),
        };
        self.record = (record.x, record.track, record.locator.bits());
        if self.of_fields == 0 {
            self.end();
        }
        self.of_fields != 0
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        let index = self.count_part();
        let list = self.open.last().and_then(|(is_list, _)| is_list.then_some(index));
        let is_outermost = self.open.is_empty();
        let operand = self.operand.take();
        let mut noted = None;
        let mut is_used = false;
        let is_variable = self.words != 0 && self.is_among_variables();
        let (code, instruction) = match value {
            FieldValue::Code { isa, address, bytes } if self.of_code & !self.holds_for_good() != 0 => {
                self.of_instruction(isa, address, bytes)
            }
            _ => (0, None),
        };
        for (number, check) in self.checks.iter_mut().enumerate() {
            let is_word = self.words >> number & 1 != 0;
            let known = if is_word { self.in_fields } else { self.holds };
            if known >> number & 1 != 0 {
                continue;
            }
            let holds = match check {
                Check::Field(path, test, matcher) => {
                    path.step(key, list).is_some_and(|reached| reached == path.keys.len())
                        && passes(test, matcher.as_ref(), value)
                }
                Check::Text(matcher) => {
                    let place = text_of(matcher, key, value, is_outermost);
                    let is = place.is_some();
                    noted = noted.or(place);
                    is
                }
                Check::Value(written, place, test, matcher) => {
                    let is = operand
                        .is_some_and(|(used, is_memory)| is_use(used, *written) && place.has(key, is_memory))
                        && passes_wide(test, matcher.as_ref(), value);
                    is_used |= is;
                    is
                }
                // All bytes of an operand were looked at before.
                Check::Bytes(_) if operand.is_some() => false,
                Check::Bytes(wanted) => match value {
                    FieldValue::Bytes { bytes, .. } | FieldValue::Code { bytes, .. } => contains(bytes, wanted),
                    _ => false,
                },
                Check::Address(bounds) => match value {
                    FieldValue::Code { address, .. } => is_outermost && is_within(bounds, FieldValue::Hex(address)),
                    FieldValue::Hex(_) => is_outermost && matches!(key, "address" | "pc") && is_within(bounds, value),
                    _ => false,
                },
                Check::Instruction(_) if code >> number & 1 != 0 => {
                    noted = noted.or_else(|| instruction.as_deref().map(String::from));
                    true
                }
                Check::Instruction(_) => false,
                Check::Word { text, number: wanted, .. } => {
                    let place = if code >> number & 1 != 0 {
                        instruction.as_deref().map(String::from)
                    } else {
                        text_of(text, key, value, is_outermost)
                    };
                    let compared = match value {
                        FieldValue::Bool(_) => None,
                        FieldValue::Code { address, .. } => Some(FieldValue::Hex(address)),
                        value => Some(value),
                    };
                    let is_number = || wanted.as_ref().zip(compared).is_some_and(|(wanted, is)| is_within(wanted, is));
                    let is = place.is_some() || is_number() || is_variable && is_key(text, key);
                    noted = noted.or(place);
                    self.in_fields |= u128::from(is) << number;
                    is
                }
                _ => continue,
            };
            self.holds |= u128::from(holds) << number;
            if holds && noted.is_none() {
                noted = Some(shown(value, self.float_text));
            }
        }
        if let Some(noted) = noted {
            match operand {
                Some((used, _)) if is_used => self.note(&[verb(used), key].concat(), &noted),
                _ => self.note(key, &noted),
            }
        }
    }

    fn operand(&mut self, operand: &Operand<'_>) {
        let &Operand { name, address, value, used, taint, .. } = operand;
        let (mut is_touched, mut is_tainted) = (false, false);
        self.operand = Some((used, address.is_some()));
        for (number, check) in self.checks.iter().enumerate() {
            let holds = match check {
                Check::Bytes(wanted) => {
                    let is = contains(value, wanted);
                    is_touched |= is;
                    is
                }
                Check::Memory(written, bounds) => {
                    let is =
                        is_use(used, *written) && address.is_some_and(|address| touches(bounds, address, value.len()));
                    is_touched |= is;
                    is
                }
                Check::Taint(bounds) => {
                    let is = match (taint, bounds) {
                        (None, _) | (Some(Taint::Several), Some(_)) => false,
                        (Some(_), None) => true,
                        (Some(Taint::Of(id)), Some(bounds)) => is_within(bounds, FieldValue::U64(id)),
                    };
                    is_tainted |= is;
                    is
                }
                _ => continue,
            };
            self.holds |= u128::from(holds) << number;
        }
        if is_touched {
            self.note(&[verb(used), name].concat(), &hex(value));
        }
        if is_tainted {
            match taint {
                Some(Taint::Of(id)) => self.note(name, &format!("taint {id}")),
                _ => self.note(name, "several taints"),
            }
        }
    }

    fn open(&mut self, key: &str, is_list: bool) {
        if self.words != 0 && self.is_among_variables() {
            for (number, check) in self.checks.iter().enumerate() {
                if let Check::Word { text, .. } = check {
                    self.in_fields |= u128::from(is_key(text, key)) << number;
                }
            }
            self.holds |= self.in_fields;
        }
        let index = self.count_part();
        let list = self.open.last().and_then(|(is_list, _)| is_list.then_some(index));
        for check in &mut self.checks {
            if let Check::Field(path, ..) = check {
                let reached = path.step(key, list);
                path.reached.push(reached);
            }
        }
        self.open.push((is_list, 0));
        self.key_at.push(self.keys.len());
        self.keys.push_str(key);
    }

    fn close(&mut self) {
        for check in &mut self.checks {
            if let Check::Field(path, ..) = check {
                path.reached.pop();
            }
        }
        self.open.pop();
        self.keys.truncate(self.key_at.pop().unwrap_or_default());
    }

    fn end(&mut self) {
        let mut bits = 0u64;
        for (number, (must, must_not)) in self.branches.iter().enumerate() {
            let words = must & self.words;
            // With all of them in the name it is found by that.
            let is_of_fields = words == 0 || words & self.in_fields != 0;
            let is = must & !self.holds == 0 && must_not & self.holds == 0 && is_of_fields;
            bits |= u64::from(is) << number;
        }
        if bits == 0 {
            return;
        }
        self.count += 1;
        if self.listed == MOST {
            return;
        }
        self.listed += 1;
        let (matched, name) = (std::mem::take(&mut self.matched), self.name.take());
        let text = if matched.is_empty() { u32::MAX } else { self.text(&matched, MOST_MATCHES) };
        let named = name.as_deref().map_or(u32::MAX, |name| self.text(name, MOST_TEXTS));
        (self.matched, self.name) = (matched, name);
        let (x, track, locator) = self.record;
        self.found.x.push(x);
        self.found.track.push(track);
        self.found.locator.push(locator);
        self.found.branches.push(bits);
        self.found.name.push(named);
        self.found.matched.push(text);
    }
}

#[cfg(test)]
mod tests;
