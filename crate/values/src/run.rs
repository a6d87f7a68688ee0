//! Evaluates a query over segments, some combinations of variables at a time.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::cmp::Ordering;

use hashbrown::HashSet;
use unspool_formats::trace_db::wire::Tables;

use crate::columns::{Dictionary, IN_BUFFER, Kind, Segment};
use crate::number::Number;
use crate::pick::pick;
use crate::syntax::{Allowed, Bytes, Condition, Fault, MOST_VARIABLES, Query, Term};

/// Combinations kept at one point that meet equally many soft predicates.
const MOST_BEST: usize = 1 << 20;

impl Query {
    /// The names of variables and types that a trace does not have, each with a sentence.
    pub fn unknown(&self, tables: &Tables) -> Vec<Fault> {
        let has_type = |name: &str| (0..tables.types().len() as u32).any(|t| tables.type_name(t) == name);
        let has_name = |name: &str| (0..tables.names() as u32).any(|n| tables.text(n).is_some_and(|text| text == name));
        let mut faults = Vec::new();
        for variable in &self.variables {
            match &variable.allowed {
                Allowed::Any => {}
                Allowed::Types(types) => {
                    let missing = types.iter().filter(|(_, name)| !has_type(name));
                    faults.extend(missing.map(|(place, name)| place.fault(format!("The trace has no type {name}."))));
                }
                Allowed::Named(place, name) if !has_name(name) => {
                    let how = format!("To let {name} stand for any variable, write {name}: any where …");
                    faults.push(place.fault(format!("The trace has no variable {name}. {how}")));
                }
                Allowed::Named(..) => {}
            }
        }
        faults
    }
}

/// A result: a point, and what the free variables stand for.
#[derive(Debug)]
pub struct Match<'a> {
    /// The segment of the point.
    pub segment: &'a Segment,
    /// The point, counted from the segment's first.
    pub point: usize,
    /// For each free variable, the index of a variable in the segment.
    pub variables: &'a [u32],
    /// Without the auxiliary numbers of the point: the reference has this result first, in queries
    /// without variables.
    pub is_bare: bool,
}

/// A variable of the current point.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    index: u32,
    kind: Kind,
    in_buffer: bool,
    bits: u64,
}

impl Candidate {
    const NONE: Self = Self { index: 0, kind: Kind::Bytes, in_buffer: false, bits: 0 };

    fn of(segment: &Segment, index: usize) -> Self {
        let key = segment.key.get(index).copied().unwrap_or(0);
        Self {
            index: index as u32,
            kind: segment.kind.get(index).copied().unwrap_or(Kind::Bytes),
            in_buffer: key & IN_BUFFER != 0,
            bits: segment.value.get(index).copied().unwrap_or(0),
        }
    }
}

/// What the free variables stand for.
type Bound = [Candidate; MOST_VARIABLES];

/// A run of a query over a trace. Segments come in their order.
#[derive(Debug)]
pub struct Run {
    /// For each variable, the conditions that are about it alone, and those that are decided when
    /// it is bound: the variables after it are bound before.
    alone: Vec<Vec<Condition>>,
    joint: Vec<Vec<Condition>>,
    /// Conditions without variables hold.
    pub(crate) possible: bool,
    soft: Vec<Condition>,
    statement: Option<(u64, u64)>,
    keep: bool,
    is_reference: bool,
    /// For each type and for each name, the free variables that may stand for it, as bits.
    by_type: Vec<u32>,
    by_name: Vec<u32>,
    /// The same for each key of the dictionary so far, and whether points at each statement are
    /// wanted.
    by_key: Vec<u32>,
    by_statement: Vec<bool>,
    /// The seed, and the number of points that a point is picked from.
    seed: u32,
    counted: u64,
    pub(crate) picked: Option<u64>,
    passed: u64,
    /// The next point of the segment, and whether the combinations of the one before are not
    /// exhausted.
    point: usize,
    is_open: bool,
    candidates: Vec<Vec<Candidate>>,
    bound: Box<Bound>,
    level: usize,
    places: Vec<usize>,
    best: Vec<u32>,
    most_met: usize,
    told: HashSet<Box<[u32]>>,
    tested: u64,
    left_out: u64,
    pub(crate) seen: Recorded,
}

/// Which variables the points that were asked record, to say why a query finds nothing.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    /// Points at the statements that are asked for, of which one may be picked.
    pub(crate) points: u64,
    /// Points with a variable for each free one.
    pub(crate) whole: u64,
    /// For each free variable, those that a point has a variable for at the same time, as bits.
    pub(crate) together: [u32; MOST_VARIABLES],
    /// For each free variable, whether it stands for numbers, for bytes, and for pointers into
    /// buffers somewhere.
    pub(crate) numbers: u32,
    pub(crate) bytes: u32,
    pub(crate) in_buffers: u32,
}

impl Recorded {
    /// Adds a candidate of the free variables of `bits`.
    fn add(&mut self, candidate: &Candidate, bits: u32) {
        match candidate.kind {
            Kind::Bytes => self.bytes |= bits,
            _ => self.numbers |= bits,
        }
        if candidate.in_buffer {
            self.in_buffers |= bits;
        }
    }

    /// Adds a point that has variables for the free variables of `had`, of `count`.
    fn end(&mut self, mut had: u32, count: usize) {
        self.whole += u64::from(had.count_ones() as usize == count);
        let all = had;
        while had != 0 {
            if let Some(bits) = self.together.get_mut(had.trailing_zeros() as usize) {
                *bits |= all;
            }
            had &= had - 1;
        }
    }
}

impl Run {
    /// A run over a trace with these names and types.
    pub fn new(query: &Query, tables: &Tables) -> Self {
        let count = query.variables.len();
        let mut by_type = alloc::vec![0u32; tables.types().len()];
        let mut by_name = alloc::vec![0u32; tables.names()];
        for (i, variable) in query.variables.iter().enumerate() {
            let bit = 1 << i;
            match &variable.allowed {
                Allowed::Any => {
                    by_type.iter_mut().for_each(|bits| *bits |= bit);
                    by_name.iter_mut().for_each(|bits| *bits |= bit);
                }
                Allowed::Types(types) => {
                    for (_, name) in types {
                        let same = (0u32..).zip(&mut by_type).filter(|(t, _)| tables.type_name(*t) == *name);
                        // The Common Lisp interface takes the first type of that name.
                        let most = if query.is_reference { 1 } else { usize::MAX };
                        same.take(most).for_each(|(_, bits)| *bits |= bit);
                    }
                    by_name.iter_mut().for_each(|bits| *bits |= bit);
                }
                Allowed::Named(_, name) => {
                    by_type.iter_mut().for_each(|bits| *bits |= bit);
                    for (n, bits) in (0u32..).zip(&mut by_name) {
                        if tables.text(n).is_some_and(|text| text == *name) {
                            *bits |= bit;
                        }
                    }
                }
            }
        }
        let mut conjuncts = Vec::new();
        if let Some(predicate) = &query.predicate {
            split(predicate, &mut conjuncts);
        }
        let (mut alone, mut joint) = (alloc::vec![Vec::new(); count], alloc::vec![Vec::new(); count]);
        let mut possible = true;
        for condition in conjuncts {
            let variables = variables_of(&condition);
            let levels = if variables.count_ones() == 1 { &mut alone } else { &mut joint };
            match levels.get_mut(variables.trailing_zeros() as usize) {
                Some(level) => level.push(condition),
                None => possible &= holds(&condition, &[Candidate::NONE; MOST_VARIABLES], &Segment::default()),
            }
        }
        Self {
            alone,
            joint,
            possible,
            soft: query.soft.clone(),
            statement: query.statement,
            keep: query.keep,
            is_reference: query.is_reference,
            by_type,
            by_name,
            by_key: Vec::new(),
            by_statement: Vec::new(),
            seed: query.seed,
            counted: 0,
            picked: None,
            passed: 0,
            point: 0,
            is_open: false,
            candidates: alloc::vec![Vec::new(); count],
            bound: Box::new([Candidate::NONE; MOST_VARIABLES]),
            level: 0,
            places: alloc::vec![0; count],
            best: Vec::new(),
            most_met: 0,
            told: HashSet::new(),
            tested: 0,
            left_out: 0,
            seen: Recorded::default(),
        }
    }

    /// Whether [`Run::count`] must be called with all segments before the first call of
    /// [`Run::segment`].
    pub fn must_count(&self) -> bool {
        self.seed != 0 && self.picked.is_none()
    }

    /// Counts the points of a segment, of which one will be picked.
    pub fn count(&mut self, segment: &Segment, dictionary: &Dictionary) {
        self.extend(dictionary);
        let wanted = |point: &usize| self.by_statement.get(segment.statement(*point) as usize) == Some(&true);
        self.counted += (0..segment.len()).filter(wanted).count() as u64;
    }

    /// Picks a point of those counted.
    pub fn choose(&mut self) {
        self.picked = Some(if self.counted == 0 { u64::MAX } else { pick(self.seed, self.counted) });
    }

    /// Combinations of variables that were looked at so far, and one for each point.
    pub fn tested(&self) -> u64 {
        self.tested
    }

    /// Combinations left out at points with more than 2^20 that meet equally many soft predicates.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Evaluates a segment until at least `budget` more combinations were looked at. Calls `each`
    /// with every result. Returns whether the segment is done; otherwise the next call goes on
    /// within it.
    pub fn segment(
        &mut self,
        segment: &Segment,
        dictionary: &Dictionary,
        budget: u64,
        each: &mut dyn FnMut(&Match<'_>),
    ) -> bool {
        self.extend(dictionary);
        let until = self.tested.saturating_add(budget);
        loop {
            if self.is_open && !self.combine(segment, until, each) {
                return false;
            }
            if self.point >= segment.len() || !self.possible {
                self.point = 0;
                return true;
            }
            if self.tested >= until {
                return false;
            }
            let point = self.point;
            self.point += 1;
            self.tested += 1;
            if self.by_statement.get(segment.statement(point) as usize) != Some(&true) {
                continue;
            }
            self.passed += 1;
            if self.picked.is_some_and(|picked| picked != self.passed - 1) {
                continue;
            }
            if self.alone.is_empty() {
                // The reference has each point twice, first without its auxiliary numbers.
                let twice = if self.is_reference { &[true, false][..] } else { &[false] };
                twice.iter().for_each(|is_bare| self.tell(segment, point, &[], *is_bare, each));
                continue;
            }
            self.open(segment, point);
        }
    }

    /// Follows the growth of the dictionary.
    fn extend(&mut self, dictionary: &Dictionary) {
        for (name, of_type) in dictionary.keys().iter().skip(self.by_key.len()) {
            let of = |bits: &[u32], i: u32| bits.get(i as usize).copied().unwrap_or(0);
            self.by_key.push(of(&self.by_type, *of_type) & of(&self.by_name, *name));
        }
        for id in dictionary.statements().iter().skip(self.by_statement.len()) {
            self.by_statement.push(match (self.statement, id) {
                (None | Some((0, 0)), _) => true,
                (Some((mask, wanted)), Some(id)) => id.bits() & mask == wanted,
                (Some(_), None) => false,
            });
        }
    }

    /// Collects the candidates of a point. Those that no combination can have are left out.
    fn open(&mut self, segment: &Segment, point: usize) {
        self.candidates.iter_mut().for_each(Vec::clear);
        self.seen.points += 1;
        let mut had = 0;
        for index in segment.variables(point) {
            let mut bits = self.by_key.get(segment.key(index) as usize).copied().unwrap_or(0);
            if bits == 0 {
                continue;
            }
            let candidate = Candidate::of(segment, index);
            had |= bits;
            self.seen.add(&candidate, bits);
            while bits != 0 {
                let number = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let (Some(list), Some(level)) = (self.candidates.get_mut(number), self.alone.get(number)) else {
                    continue;
                };
                if let Some(slot) = self.bound.get_mut(number) {
                    *slot = candidate;
                }
                self.tested += 1;
                if level.iter().all(|condition| holds(condition, &self.bound, segment)) {
                    list.push(candidate);
                }
            }
        }
        self.seen.end(had, self.alone.len());
        if self.candidates.iter().any(Vec::is_empty) {
            return;
        }
        self.is_open = true;
        self.level = self.alone.len() - 1;
        self.places.iter_mut().for_each(|place| *place = 0);
        self.best.clear();
        self.most_met = 0;
    }

    /// Goes on with the combinations of the current point: the first variable varies fastest.
    /// Returns whether they are exhausted.
    fn combine(&mut self, segment: &Segment, until: u64, each: &mut dyn FnMut(&Match<'_>)) -> bool {
        let point = self.point - 1;
        let count = self.alone.len();
        loop {
            let level = self.level;
            let place = self.places.get(level).copied().unwrap_or(0);
            let Some(candidate) = self.candidates.get(level).and_then(|list| list.get(place)).copied() else {
                // All of this level are done: the next one of the level before.
                if level + 1 >= count {
                    break;
                }
                self.level = level + 1;
                if let Some(place) = self.places.get_mut(level + 1) {
                    *place += 1;
                }
                continue;
            };
            if self.tested >= until {
                return false;
            }
            self.tested += 1;
            if let Some(slot) = self.bound.get_mut(level) {
                *slot = candidate;
            }
            let conditions = self.joint.get(level).map(Vec::as_slice).unwrap_or_default();
            let is_met = conditions.iter().all(|condition| holds(condition, &self.bound, segment));
            if is_met && level > 0 {
                self.level = level - 1;
                if let Some(place) = self.places.get_mut(level - 1) {
                    *place = 0;
                }
                continue;
            }
            if is_met {
                self.found(segment, point, each);
            }
            if let Some(place) = self.places.get_mut(level) {
                *place += 1;
            }
        }
        self.is_open = false;
        let best = core::mem::take(&mut self.best);
        for variables in best.chunks(count) {
            self.tell(segment, point, variables, false, each);
        }
        self.best = best;
        self.best.clear();
        true
    }

    /// The bound combination satisfies the predicate.
    fn found(&mut self, segment: &Segment, point: usize, each: &mut dyn FnMut(&Match<'_>)) {
        let count = self.alone.len();
        let mut variables = [0; MOST_VARIABLES];
        variables.iter_mut().zip(self.bound.iter()).for_each(|(to, from)| *to = from.index);
        let variables = variables.get(..count).unwrap_or_default();
        if self.soft.is_empty() {
            return self.tell(segment, point, variables, false, each);
        }
        let met = self.soft.iter().filter(|condition| holds(condition, &self.bound, segment)).count();
        if met > self.most_met {
            self.best.clear();
            self.most_met = met;
        }
        if met < self.most_met {
            return;
        }
        if self.best.len() < MOST_BEST * count {
            self.best.extend_from_slice(variables);
        } else {
            self.left_out += 1;
        }
    }

    /// Passes on a result, unless an earlier one is at the same statement and has variables of the
    /// same names and types.
    fn tell(
        &mut self,
        segment: &Segment,
        point: usize,
        variables: &[u32],
        is_bare: bool,
        each: &mut dyn FnMut(&Match<'_>),
    ) {
        if !self.keep {
            let keys = variables.iter().map(|variable| segment.key(*variable as usize));
            if !self.told.insert([segment.statement(point)].into_iter().chain(keys).collect()) {
                return;
            }
        }
        each(&Match { segment, point, variables, is_bare });
    }
}

/// The conditions that must all hold for this one.
fn split(condition: &Condition, into: &mut Vec<Condition>) {
    match condition {
        Condition::All(parts) => parts.iter().for_each(|part| split(part, into)),
        other => into.push(other.clone()),
    }
}

/// The free variables of a condition, as bits.
fn variables_of(condition: &Condition) -> u32 {
    fn of_term(term: &Term) -> u32 {
        match term {
            Term::Value(number) | Term::Size(number) => 1 << number,
            Term::Constant(..) => 0,
            Term::Apply(_, terms) => of_term(&terms.0) | of_term(&terms.1),
        }
    }
    match condition {
        Condition::All(parts) | Condition::Any(parts) => parts.iter().fold(0, |bits, part| bits | variables_of(part)),
        Condition::Not(inner) => variables_of(inner),
        Condition::Compare(_, a, b) => of_term(a) | of_term(b),
        Condition::Bytes(_, number, Bytes::Constant(_)) => 1 << number,
        Condition::Bytes(_, a, Bytes::Variable(b)) => 1 << a | 1 << b,
        Condition::Distinct(a, b) => 1 << a | 1 << b,
    }
}

fn holds(condition: &Condition, bound: &Bound, segment: &Segment) -> bool {
    match condition {
        Condition::All(parts) => parts.iter().all(|part| holds(part, bound, segment)),
        Condition::Any(parts) => parts.iter().any(|part| holds(part, bound, segment)),
        Condition::Not(inner) => !holds(inner, bound, segment),
        Condition::Compare(comparison, a, b) => {
            let order = match (machine(a, bound), machine(b, bound)) {
                (Some(a), Some(b)) => a.cmp(&b),
                _ => match (exact(a, bound, segment), exact(b, bound, segment)) {
                    (Some(a), Some(b)) => a.compare(&b),
                    _ => return false,
                },
            };
            comparison.is_met(order)
        }
        Condition::Bytes(comparison, number, other) => {
            let order = bytes_of(*number, bound, segment).and_then(|one| match other {
                Bytes::Constant(bytes) => order_of(one, (bytes, bytes.len() as u64)),
                Bytes::Variable(other) => order_of(one, bytes_of(*other, bound, segment)?),
            });
            order.is_some_and(|order| comparison.is_met(order))
        }
        Condition::Distinct(a, b) => {
            let of = |number: u8| bound.get(usize::from(number)).copied().unwrap_or(Candidate::NONE);
            !is_same(&of(*a), &of(*b), segment)
        }
    }
}

/// The bytes of a variable, and how many the file has. `None` of a number.
fn bytes_of<'a>(number: u8, bound: &Bound, segment: &'a Segment) -> Option<(&'a [u8], u64)> {
    let candidate = bound.get(usize::from(number)).filter(|it| it.kind == Kind::Bytes)?;
    let len = segment.extra.get(candidate.index as usize).copied()?;
    Some((segment.bytes_of(candidate.bits), len))
}

/// The order of bytes, of which only the first ones may be known. `None` if these do not decide it.
fn order_of((a, len_a): (&[u8], u64), (b, len_b): (&[u8], u64)) -> Option<Ordering> {
    let known = a.len().min(b.len());
    match a.get(..known).cmp(&b.get(..known)) {
        Ordering::Equal => (known as u64 == len_a.min(len_b)).then(|| len_a.cmp(&len_b)),
        order => Some(order),
    }
}

/// Whether two variables are equal in name, type, value, size and buffer size.
fn is_same(a: &Candidate, b: &Candidate, segment: &Segment) -> bool {
    if a.index == b.index {
        return true;
    }
    let key = |it: &Candidate| segment.key.get(it.index as usize).copied();
    let extra = |it: &Candidate| segment.extra.get(it.index as usize).copied().unwrap_or(0);
    if key(a) != key(b) || (a.in_buffer || a.kind == Kind::Bytes) && extra(a) != extra(b) {
        return false;
    }
    match a.kind {
        Kind::Bytes => segment.bytes_of(a.bits) == segment.bytes_of(b.bits),
        _ => a.bits == b.bits,
    }
}

/// The number of a term if it, and all that it is made of, are machine integers. Most are.
#[inline]
fn machine(term: &Term, bound: &Bound) -> Option<i64> {
    match term {
        Term::Value(number) => {
            let candidate = bound.get(usize::from(*number))?;
            match candidate.kind {
                Kind::Signed => Some(candidate.bits as i64),
                Kind::Unsigned | Kind::Pointer => i64::try_from(candidate.bits).ok(),
                Kind::Float | Kind::Bytes => None,
            }
        }
        Term::Constant(_, number) => *number,
        Term::Apply(operation, terms) => {
            let (a, b) = (machine(&terms.0, bound)?, machine(&terms.1, bound)?);
            match operation {
                crate::Operation::Add => a.checked_add(b),
                crate::Operation::Subtract => a.checked_sub(b),
                crate::Operation::Multiply => a.checked_mul(b),
                crate::Operation::Divide => None,
            }
        }
        Term::Size(_) => None,
    }
}

/// The number of a term. `None` if it is invalid.
fn exact(term: &Term, bound: &Bound, segment: &Segment) -> Option<Number> {
    match term {
        Term::Value(number) => {
            let candidate = bound.get(usize::from(*number))?;
            match candidate.kind {
                Kind::Signed => Some(Number::Int((candidate.bits as i64).into())),
                Kind::Unsigned | Kind::Pointer => Some(Number::Int(candidate.bits.into())),
                Kind::Float => Number::from_float(f64::from_bits(candidate.bits)),
                Kind::Bytes => None,
            }
        }
        Term::Size(number) => {
            let candidate = bound.get(usize::from(*number)).filter(|it| it.in_buffer)?;
            segment.extra.get(candidate.index as usize).map(|size| Number::Int((*size).into()))
        }
        Term::Constant(number, _) => Some(number.clone()),
        Term::Apply(operation, terms) => {
            exact(&terms.0, bound, segment)?.apply(*operation, &exact(&terms.1, bound, segment)?)
        }
    }
}
