//! The binaries of a trace that has addresses: where each of them is, and which addresses it names.

use unspool_trace::Naming;

use crate::bases::{Fit, Layout};
use crate::image::Sort;
use crate::naming::Names;
use crate::programs::{Member, Programs, Work, advance, counted};

/// The addresses of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Called {
    addresses: Vec<u64>,
    called: Vec<u64>,
    modules: Vec<(u64, String)>,
}

impl Called {
    /// `addresses` are all that may have names. `called` are those at which functions begin for
    /// certain. `modules` are the binaries that the trace says were loaded: the first address of
    /// each, and its path. All in any order.
    pub fn new(mut addresses: Vec<u64>, mut called: Vec<u64>, modules: Vec<(u64, String)>) -> Self {
        for list in [&mut addresses, &mut called] {
            list.sort_unstable();
            list.dedup();
        }
        if called.is_empty() {
            called.clone_from(&addresses);
        }
        Self { addresses, called, modules }
    }
}

/// Where a binary is.
#[derive(Debug, Default)]
pub(crate) struct Place {
    has_starts: bool,
    /// The base that the user chose.
    chosen: Option<u64>,
    found: Option<Base>,
    /// The binary can only be at this base, and the trace contradicts it.
    rejected: Option<Base>,
    /// The base for which names were looked up.
    named: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Base {
    base: u64,
    how: How,
    fit: Fit,
    is_plausible: bool,
}

/// Why a base was taken, the most certain first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// The user said so.
    Chosen,
    /// The binary can be nowhere else.
    Fixed,
    /// The trace says that a module of this name was loaded there.
    Module,
    /// It explains most of the called addresses.
    Offsets,
}

impl Member {
    fn can_be_placed(&self) -> bool {
        self.fault.is_none() && self.place.has_starts && !self.binary.starts().is_empty()
    }

    fn range(&self) -> Option<(u64, u64)> {
        let (first, last) = self.binary.span();
        let base = self.place.found?.base;
        Some((base, base.saturating_add(last.saturating_sub(first))))
    }
}

impl Programs {
    /// Says which addresses the trace has. `is_complete` is false while it is being read.
    pub fn set_called(&mut self, called: Called, is_complete: bool) {
        if self.is_complete == is_complete && self.called.as_ref() == Some(&called) {
            return;
        }
        (self.called, self.is_complete) = (Some(called), is_complete);
        self.members.iter_mut().for_each(|member| member.place.named = None);
        self.place_all();
    }

    /// Says at which address the first page of a binary is. `None` leaves it to what is known.
    pub fn place(&mut self, id: u32, base: Option<u64>) {
        if let Some(member) = self.members.iter_mut().find(|member| member.id == id) {
            member.place.chosen = base;
        }
        self.place_all();
    }

    /// The base of a binary. `None` if it is unknown.
    pub(crate) fn base_of(&self, member: &Member) -> Option<u64> {
        member.place.found.map(|found| found.base)
    }

    pub(crate) fn can_be_placed(&self, member: &Member) -> bool {
        self.called.is_some() && member.can_be_placed()
    }

    /// Decides where each binary is: first those of which most is known.
    pub(crate) fn place_all(&mut self) {
        let Some(called) = self.called.take() else { return };
        for member in &mut self.members {
            (member.place.found, member.place.rejected) = (None, None);
        }
        for how in [How::Chosen, How::Fixed, How::Module] {
            for i in 0..self.members.len() {
                let decided = self.decide(i, how, &called);
                self.settle_place(i, decided);
            }
        }
        // The one that explains most comes first: what is taken by it narrows the choice of the
        // others.
        loop {
            let decided = (0..self.members.len()).map(|i| (i, self.decide(i, How::Offsets, &called)));
            let found = decided.filter_map(|(i, decided)| Some((i, decided.ok()?)));
            let Some((i, base)) = found.max_by_key(|(i, base)| (base.fit.explained, std::cmp::Reverse(*i))) else {
                break;
            };
            self.settle_place(i, Ok(base));
        }
        self.called = Some(called);
    }

    fn settle_place(&mut self, i: usize, decided: Result<Base, Option<Base>>) {
        let Some(member) = self.members.get_mut(i) else { return };
        match decided {
            Ok(base) => member.place.found = Some(base),
            Err(Some(base)) => member.place.rejected = Some(base),
            Err(None) => {}
        }
    }

    /// The base of a binary if it is certain in this way. The error has the only one that is
    /// possible, which the trace contradicts.
    fn decide(&self, i: usize, how: How, called: &Called) -> Result<Base, Option<Base>> {
        let member = self.members.get(i).filter(|member| member.can_be_placed()).ok_or(None)?;
        let is_decided = member.place.found.is_some() || member.place.rejected.is_some();
        let is_open = how == How::Chosen || member.place.chosen.is_none();
        if is_decided || !is_open {
            return Err(None);
        }
        let code = member.binary.code();
        let layout = Layout { span: member.binary.span(), code: &code, starts: member.binary.starts() };
        let is_free = |base| {
            let (from, to) = layout.range(base);
            let others = self.members.iter().filter(|other| !other.belongs_to(member));
            !others.filter_map(Member::range).any(|(first, last)| first < to && from < last)
        };
        let at = |base| {
            let fit = layout.fit(base, &called.called);
            Base { base, how, fit, is_plausible: layout.is_plausible(fit) }
        };
        let found = match how {
            How::Chosen => member.place.chosen.map(at),
            How::Fixed => member.binary.is_fixed().then(|| at(layout.span.0)),
            How::Module => {
                let name = last_part(&member.name);
                let modules = called.modules.iter().filter(|(_, path)| last_part(path) == name);
                modules.map(|(base, _)| at(*base)).find(|it| it.is_plausible && is_free(it.base))
            }
            How::Offsets => layout.vote(&called.called, is_free).map(|(base, _)| at(base)),
        };
        let is_good = |base: &Base| how != How::Fixed || (base.is_plausible && is_free(base.base));
        found.filter(is_good).ok_or(found)
    }

    /// Goes on with listing functions, and with looking up names.
    pub(crate) fn step_places(&mut self) -> Work {
        let Some(called) = self.called.take() else { return Work::Done };
        let work = self.work_on(&called);
        self.called = Some(called);
        if work == Work::Done && self.at_work.is_some() {
            self.settle();
            return Work::More;
        }
        work
    }

    fn work_on(&mut self, called: &Called) -> Work {
        if let Some(id) = self.at_work {
            let Some(member) = self.members.iter_mut().find(|member| member.id == id) else { return Work::Done };
            return advance(member);
        }
        let is_open = |member: &&mut Member| member.fault.is_none() && member.binary.sort() != Sort::Object;
        for member in self.members.iter_mut().filter(is_open) {
            if !member.place.has_starts && member.binary.has_symbols() {
                member.binary.list_starts();
            } else if let Some(Base { base, .. }) = member.place.found
                && member.place.named != Some(base)
            {
                let (from, to) = member.range().unwrap_or_default();
                let shift = base.wrapping_sub(member.binary.span().0);
                let all = &called.addresses;
                let inside = all.partition_point(|it| *it < from)..all.partition_point(|it| *it < to);
                let inside = all.get(inside).unwrap_or_default();
                member.binary.look_up(inside.iter().map(|it| it.wrapping_sub(shift)).collect());
                member.place.named = Some(base);
            } else {
                continue;
            }
            self.at_work = Some(member.id);
            return Work::More;
        }
        Work::Done
    }

    /// Takes what the member that is at work has found.
    fn settle(&mut self) {
        let id = self.at_work.take();
        let Some(member) = self.members.iter_mut().find(|member| Some(member.id) == id) else { return };
        if member.place.has_starts {
            member.names = Names::default();
            member.names.add(&mut member.binary);
        } else {
            member.place.has_starts = true;
            self.place_all();
        }
    }

    /// The names that a binary gives to addresses of the trace.
    pub(crate) fn naming_at(&self, member: &Member) -> Option<Naming> {
        let base = member.place.found?.base;
        let is_ready = member.place.named == Some(base) && !member.names.is_empty();
        is_ready.then(|| member.names.by_address(base.wrapping_sub(member.binary.span().0)))
    }

    /// The member with the source of an address of the trace, and the address in it.
    pub(crate) fn source_at(&self, address: u64) -> Option<(u32, u64)> {
        // The last one names the function.
        let is_in = |member: &&Member| member.range().is_some_and(|(from, to)| (from..to).contains(&address));
        let owner = self.members.iter().rev().find(is_in)?;
        let shift = owner.place.found?.base.wrapping_sub(owner.binary.span().0);
        self.lines_of(owner).map(|member| (member, address.wrapping_sub(shift)))
    }

    /// What became of a binary, of whose names the trace shows `used`, and whether something is
    /// wrong with it.
    pub(crate) fn place_sentence(&self, member: &Member, used: usize) -> (String, bool) {
        if let Some(fault) = member.fault {
            return (format!("It cannot be read: {fault}."), true);
        }
        if member.binary.sort() == Sort::Object {
            return ("It is not linked. Addresses belong to the linked program.".into(), true);
        }
        if !member.can_be_placed() {
            let related = |other: &&Member| other.id != member.id && other.belongs_to(member) && other.can_be_placed();
            if let Some(other) = self.members.iter().find(related) {
                return (format!("{} has its symbols.", other.name), false);
            }
            let sentence = "Its names were stripped. Add the program before stripping, or its debug file.";
            return (sentence.into(), true);
        }
        let called = self.called.as_ref().map_or(0, |called| called.called.len());
        let has = format!("It has {}", counted(member.binary.starts().len(), "function"));
        let Some(Base { base, how, fit: Fit { explained, inside }, is_plausible }) = member.place.found else {
            return self.unplaced(member, &has, called);
        };
        let fits = format!("{explained} of the {inside} called addresses in it are functions of it");
        let place = match how {
            How::Chosen => format!("At base {base:#x}, {fits}."),
            How::Fixed => format!("It can only be loaded at {base:#x}: {fits}."),
            How::Module => format!("The trace says that it was loaded at {base:#x}: {fits}."),
            How::Offsets => format!(
                "Its base {base:#x} is the one that explains most: {fits}, and {} are elsewhere.",
                called.saturating_sub(inside)
            ),
        };
        let mut sentence = format!("It names {} of this trace. {place}", addresses(used));
        // A program that was changed or compiled again explains some of them by chance.
        let is_doubtful = !is_plausible || explained * 4 < inside * 3;
        if is_doubtful {
            sentence.push_str(" Names may be wrong.");
        }
        let overlaps = |other: &&Member| {
            let (Some((from, to)), Some((first, last))) = (member.range(), other.range()) else { return false };
            other.id != member.id && !other.belongs_to(member) && first < to && from < last
        };
        let overlapped = self.members.iter().find(overlaps);
        if let Some(other) = overlapped {
            sentence.push_str(&format!(" It overlaps {}.", other.name));
        }
        (sentence, is_doubtful || overlapped.is_some())
    }

    fn unplaced(&self, member: &Member, has: &str, called: usize) -> (String, bool) {
        if !self.is_complete {
            return (format!("{has}. Its base is known when the trace is read."), false);
        }
        if let Some(Base { base, fit: Fit { explained, inside }, is_plausible, .. }) = member.place.rejected {
            let sentence = if is_plausible {
                format!("{has}, but another binary is at its base {base:#x}.")
            } else if inside == 0 {
                format!("{has} and can only be loaded at {base:#x}, where nothing was called: another program ran.")
            } else {
                format!(
                    "{has}, but {explained} of the {inside} called addresses in it are functions of it: another program ran."
                )
            };
            return (sentence, true);
        }
        let sentence = format!(
            "{has}, but no base explains enough of the {} that were called. If it was loaded, enter its base.",
            addresses(called)
        );
        (sentence, true)
    }
}

fn addresses(count: usize) -> String {
    format!("{count} address{}", if count == 1 { "" } else { "es" })
}

/// The name of a file without its folders.
fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
