//! The binaries of one trace: which of them names what.

use std::fmt::Write;

use unspool_trace::callees::Function;
use unspool_trace::{Callees, Naming};

use crate::binary::{Binary, Step};
use crate::dwarf::Source;
use crate::fault::Fault;
use crate::file::Range;
use crate::image::Sort;
use crate::naming::{FUNCTIONS_PER_OBJECT, Names, object_of};
use crate::placing::{Called, Place};

/// The functions of one object that a log has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Number of the object: 0 is the program, others are shared libraries.
    pub object: u32,
    /// How many functions of it the log has.
    pub functions: u32,
    /// The highest of their ids within the object.
    pub highest: u32,
}

/// The objects of the functions with these ids, which are sorted.
fn uses_of(ids: &[u32]) -> Vec<Use> {
    let mut uses: Vec<Use> = Vec::new();
    for id in ids {
        let (object, highest) = (id / FUNCTIONS_PER_OBJECT, id % FUNCTIONS_PER_OBJECT);
        match uses.last_mut().filter(|used| used.object == object) {
            Some(used) => (used.functions, used.highest) = (used.functions + 1, highest),
            None => uses.push(Use { object, functions: 1, highest }),
        }
    }
    uses
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// This binary needs these bytes: [`Programs::push`].
    Needs {
        /// Its id.
        binary: u32,
        /// The bytes.
        range: Range,
    },
    /// There is more to do.
    More,
    /// Everything is known.
    Done,
}

/// What became of a binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Sentences: what it adds, or what is wrong with it.
    pub sentence: String,
    /// It is of no use, or a part of it is.
    pub is_wrong: bool,
    /// The object whose functions it names.
    pub object: Option<u32>,
    /// It has functions, so it can name those of an object.
    pub has_functions: bool,
    /// How many addresses of functions have a name.
    pub names: usize,
    /// The address of its first page, in a trace of addresses. `None` if it is unknown.
    pub base: Option<u64>,
    /// In a trace of addresses: it has functions, so it can be given a base.
    pub can_be_placed: bool,
}

/// The binaries of one trace, by ids that the caller gives. They name functions by their ids, or by
/// their addresses if the trace has these ([`Programs::set_called`]).
#[derive(Debug, Default)]
pub struct Programs {
    pub(crate) members: Vec<Member>,
    /// The addresses of a trace that has these in place of ids.
    pub(crate) called: Option<Called>,
    /// The member whose functions are listed, or whose names are looked up.
    pub(crate) at_work: Option<u32>,
    /// The ids of functions in the log, sorted.
    ids: Vec<u32>,
    uses: Vec<Use>,
    /// The whole log is known.
    pub(crate) is_complete: bool,
    /// The names of one member are looked up in another one: their ids.
    job: Option<(u32, u32)>,
    /// The source of an address is looked for in a member.
    source: Option<(u32, u64)>,
    /// The member that looks for it.
    looking: Option<u32>,
    found: Option<Source>,
    /// The search for what functions can call.
    calls: Option<Calls>,
}

#[derive(Debug, Default)]
struct Calls {
    /// Members that are still to be looked at, and the objects of their functions.
    todo: Vec<(u32, u32)>,
    /// The first of them is being looked at.
    is_begun: bool,
    functions: Vec<Function>,
}

#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) id: u32,
    pub(crate) name: String,
    pub(crate) binary: Binary,
    /// It is known what it is.
    is_read: bool,
    pub(crate) fault: Option<Fault>,
    /// The object that the user chose.
    chosen: Option<u32>,
    pub(crate) names: Names,
    /// Members in which its functions were looked up.
    asked: Vec<u32>,
    /// Where it is in a trace of addresses.
    pub(crate) place: Place,
}

impl Member {
    fn is_named(&self) -> bool {
        !self.names.is_empty()
    }

    /// Whether its functions have names and ids.
    fn has_functions(&self) -> bool {
        !self.binary.functions().is_empty() && self.binary.sort() != Sort::Object
    }

    /// Whether another one has the symbols of this one.
    pub(crate) fn belongs_to(&self, other: &Member) -> bool {
        let id = self.binary.build_id();
        !id.is_empty() && id == other.binary.build_id()
    }
}

impl Programs {
    /// Adds a binary of `size` bytes. `name` is for the user.
    pub fn add(&mut self, id: u32, name: &str, size: u64) {
        self.members.push(Member {
            id,
            name: name.into(),
            binary: Binary::new(size),
            is_read: false,
            fault: None,
            chosen: None,
            names: Names::default(),
            asked: Vec::new(),
            place: Place::default(),
        });
    }

    /// Takes a binary away.
    pub fn remove(&mut self, id: u32) {
        let Some(i) = self.members.iter().position(|member| member.id == id) else { return };
        let gone = self.members.remove(i);
        self.job = self.job.filter(|(owner, inside)| *owner != id && *inside != id);
        self.source = self.source.filter(|(inside, _)| *inside != id);
        self.at_work = self.at_work.filter(|member| *member != id);
        self.place_all();
        for member in &mut self.members {
            if member.belongs_to(&gone) {
                (member.names, member.asked) = (Names::default(), Vec::new());
            }
        }
    }

    /// Says which object's functions a binary names. `None` leaves it to what is known.
    pub fn choose(&mut self, id: u32, object: Option<u32>) {
        if let Some(member) = self.member_mut(id) {
            member.chosen = object;
        }
    }

    /// Says which functions the log has, by their ids. `is_complete` is false while it is being
    /// read.
    pub fn set_ids(&mut self, ids: impl IntoIterator<Item = i64>, is_complete: bool) {
        self.ids = ids.into_iter().filter(|id| object_of(*id).is_some()).filter_map(|id| id.try_into().ok()).collect();
        self.ids.sort_unstable();
        self.ids.dedup();
        (self.uses, self.is_complete) = (uses_of(&self.ids), is_complete);
    }

    /// The objects that the log has.
    pub fn uses(&self) -> &[Use] {
        &self.uses
    }

    /// Goes on with reading what was added.
    pub fn step(&mut self) -> Work {
        if let Some(member) = self.members.iter_mut().find(|member| !member.is_read) {
            let work = advance(member);
            member.is_read = work == Work::Done;
            return if member.is_read { Work::More } else { work };
        }
        if let Some((owner, inside)) = self.job {
            let Some(member) = self.member_mut(inside) else { return Work::Done };
            let work = advance(member);
            if work != Work::Done {
                return work;
            }
            self.job = None;
            self.take_names(owner, inside);
            return Work::More;
        }
        let next = if self.called.is_some() { self.step_places() } else { self.next_job() };
        match next {
            Work::Done => match self.step_calls() {
                Work::Done => self.step_source(),
                work => work,
            },
            work => work,
        }
    }

    /// Begins to look for the source of a function, by its id. Returns false if no binary says it.
    pub fn find_source(&mut self, id: i64) -> bool {
        (self.source, self.looking, self.found) = (self.source_of(id), None, None);
        self.source.is_some()
    }

    /// As [`Programs::find_source`], for the function at an address of the trace.
    pub fn find_source_at(&mut self, address: u64) -> bool {
        (self.source, self.looking, self.found) = (self.source_at(address), None, None);
        self.source.is_some()
    }

    /// The source of the function, if it was found. Takes it.
    pub fn take_source(&mut self) -> Option<Source> {
        self.found.take()
    }

    /// The member that has the source of a function, and the address of that.
    fn source_of(&self, id: i64) -> Option<(u32, u64)> {
        let object = object_of(id)?;
        // The last one names the function.
        let owner = self.members.iter().rev().find(|member| self.object_of(member) == Some(object))?;
        let within = (id as u32 % FUNCTIONS_PER_OBJECT) as usize;
        let address = *owner.binary.functions().get(within.checked_sub(1)?)?;
        self.lines_of(owner).map(|member| (member, address))
    }

    /// The member with the lines of another one: that itself, or its debug file.
    pub(crate) fn lines_of(&self, owner: &Member) -> Option<u32> {
        let has_lines = |member: &&Member| member.fault.is_none() && member.is_read && member.binary.has_lines();
        let own = self.members.iter().filter(|other| other.id == owner.id);
        let related = self.members.iter().filter(|other| other.belongs_to(owner));
        own.chain(related).find(has_lines).map(|member| member.id)
    }

    /// Begins to look for what the functions of the log can call, by the code of the binaries that
    /// name them.
    pub fn find_calls(&mut self) {
        let todo = |member: &Member| member.fault.is_none().then_some((member.id, self.object_of(member)?));
        self.calls = Some(Calls { todo: self.members.iter().filter_map(todo).collect(), ..Calls::default() });
    }

    /// What functions can call, once everything is known. Takes it.
    pub fn take_callees(&mut self) -> Callees {
        Callees::new(self.calls.take().map(|calls| calls.functions).unwrap_or_default())
    }

    fn step_calls(&mut self) -> Work {
        let Some(calls) = &mut self.calls else { return Work::Done };
        let Some((id, object)) = calls.todo.last().copied() else { return Work::Done };
        let is_begun = std::mem::replace(&mut calls.is_begun, true);
        let member = self.members.iter_mut().find(|member| member.id == id);
        let mut found = Vec::new();
        if let Some(member) = member {
            if !is_begun {
                member.binary.find_calls();
            }
            match member.binary.step() {
                Ok(Step::Needs(range)) => return Work::Needs { binary: id, range },
                Ok(Step::More) => return Work::More,
                Ok(Step::Done) => found = member.binary.take_calls(),
                // Its names are good all the same.
                Err(_) => {}
            }
        }
        let in_log =
            |number: u32| Some(object * FUNCTIONS_PER_OBJECT + number).filter(|id| self.ids.binary_search(id).is_ok());
        let ids = |numbers: Vec<u32>| numbers.into_iter().filter_map(in_log).collect();
        let of_log = found.into_iter().filter_map(|it| {
            let id = in_log(it.id)?;
            Some(Function { id, is_known: it.is_known, all: ids(it.all), later: ids(it.later) })
        });
        calls.functions.extend(of_log);
        calls.todo.pop();
        calls.is_begun = false;
        Work::More
    }

    fn step_source(&mut self) -> Work {
        let Some((id, address)) = self.source else { return Work::Done };
        let looking = self.looking.replace(id);
        let Some(member) = self.member_mut(id) else {
            self.source = None;
            return Work::Done;
        };
        if looking != Some(id) {
            member.binary.find_source(address);
        }
        let step = member.binary.step();
        let source = match step {
            Ok(Step::Needs(range)) => return Work::Needs { binary: id, range },
            Ok(Step::More) => return Work::More,
            Ok(Step::Done) => member.binary.take_source(),
            // Its names are good all the same.
            Err(_) => None,
        };
        (self.source, self.looking, self.found) = (None, None, source);
        Work::Done
    }

    /// Adds bytes that a binary needs. Fewer than that are a fault of the binary.
    pub fn push(&mut self, id: u32, at: u64, bytes: Vec<u8>) {
        if let Some(member) = self.member_mut(id) {
            let pushed = member.binary.push(at, bytes);
            member.fault = member.fault.or(pushed.err());
        }
    }

    /// The names that a binary gives to the functions of its object: those that the log has, or all
    /// while it is being read.
    pub fn naming(&self, id: u32) -> Option<Naming> {
        let member = self.member(id)?;
        if self.called.is_some() {
            return self.naming_at(member);
        }
        let object = self.object_of(member)?;
        let is_wanted = |id: u32| !self.is_complete || self.ids.binary_search(&id).is_ok();
        member.is_named().then(|| member.names.by_id(member.binary.functions(), object, is_wanted))
    }

    /// What became of a binary, of whose names the trace shows `used`. `None` while it is being
    /// read.
    pub fn report(&self, id: u32, used: usize) -> Option<Report> {
        let member = self.member(id)?;
        if !member.is_read {
            return None;
        }
        let by_address = self.called.is_some();
        let object = if by_address { None } else { self.object_of(member) };
        let (mut sentence, is_wrong) =
            if by_address { self.place_sentence(member, used) } else { self.sentence(member, object, used) };
        let others = member.binary.other_architectures();
        if !others.is_empty() {
            let used = member.binary.architecture();
            let _ = write!(sentence, " Its code for {used} is used, not that for {}.", others.join(" or "));
        }
        Some(Report {
            sentence,
            is_wrong,
            object,
            has_functions: member.has_functions(),
            names: member.names.len(),
            base: self.base_of(member),
            can_be_placed: self.can_be_placed(member),
        })
    }

    fn sentence(&self, member: &Member, object: Option<u32>, used: usize) -> (String, bool) {
        if let Some(fault) = member.fault {
            return (format!("It cannot be read: {fault}."), true);
        }
        let functions = member.binary.functions().len();
        if member.binary.sort() == Sort::Object {
            return ("It is not linked. Function ids belong to the linked program.".into(), true);
        }
        if functions == 0 {
            return self.without_functions(member);
        }
        if !member.is_named() {
            let sentence = format!(
                "It has {}, but their names were stripped. Add the program before stripping, or its debug file.",
                counted(functions, "function")
            );
            return (sentence, true);
        }
        let has = format!("It has {}", counted(functions, "function"));
        let Some(object) = object else { return self.without_object(member, &has) };
        if let Some(beyond) = self.beyond(member, object) {
            let what = name_of_object(object);
            return (format!("{has}, but the log has ids up to {beyond} of {what}: names may be wrong."), true);
        }
        if used == 0 && self.is_complete {
            return (format!("{has}, but the log has none of {}.", name_of_object(object)), true);
        }
        let sentence = format!("It names {} of this trace.", counted(used, "function"));
        let unnamed = member.names.missing(member.binary.functions()).len();
        if unnamed == 0 {
            return (sentence, false);
        }
        (format!("{sentence} {} of its {functions} functions have no name.", unnamed), false)
    }

    fn without_functions(&self, member: &Member) -> (String, bool) {
        let owner = self
            .members
            .iter()
            .find(|owner| owner.id != member.id && owner.belongs_to(member) && owner.has_functions());
        if let Some(owner) = owner {
            return (format!("It has the symbols of {}.", owner.name), false);
        }
        if member.binary.sort() == Sort::Debug {
            return ("It has debug information only. Add the binary that it belongs to.".into(), false);
        }
        ("It has no functions of XRay (section xray_instr_map). Programs have them if compiled with -fxray-instrument.".into(), true)
    }

    fn without_object(&self, member: &Member, has: &str) -> (String, bool) {
        if member.binary.sort() == Sort::Program {
            return match self.beyond(member, 0) {
                Some(beyond) => {
                    (format!("{has}, but the log has ids up to {beyond} of the program: another one wrote it."), true)
                }
                None => ("Another program names these functions.".into(), true),
            };
        }
        if !self.is_complete {
            return (format!("{has}. Its object is known when the log is read."), false);
        }
        let libraries: Vec<&Use> = self.uses.iter().filter(|used| used.object > 0).collect();
        match libraries[..] {
            [] => (format!("{has}, but the log has none of shared libraries."), true),
            [only] if u64::from(only.highest) > member.binary.functions().len() as u64 => {
                let (highest, what) = (only.highest, name_of_object(only.object));
                (format!("{has}, but the log has ids up to {highest} of {what}: it is another library."), true)
            }
            _ => {
                let list: Vec<String> = libraries.iter().map(|used| used.object.to_string()).collect();
                (
                    format!(
                        "{has}. The log does not say which library is which: choose its object, {}.",
                        list.join(" or ")
                    ),
                    true,
                )
            }
        }
    }

    /// The highest id of an object in the log if a binary has fewer functions.
    fn beyond(&self, member: &Member, object: u32) -> Option<u32> {
        let used = self.uses.iter().find(|used| used.object == object)?;
        (u64::from(used.highest) > member.binary.functions().len() as u64).then_some(used.highest)
    }

    /// The object whose functions a binary names: what was chosen, else what is certain.
    fn object_of(&self, member: &Member) -> Option<u32> {
        if !member.has_functions() {
            return None;
        }
        if member.chosen.is_some() {
            return member.chosen;
        }
        let is_taken = |object| self.members.iter().any(|other| other.chosen == Some(object));
        let same: Vec<&Member> = self
            .members
            .iter()
            .filter(|other| {
                other.is_read
                    && other.chosen.is_none()
                    && other.has_functions()
                    && other.binary.sort() == member.binary.sort()
            })
            .collect();
        if member.binary.sort() == Sort::Program {
            let fits = |other: &&&Member| self.beyond(other, 0).is_none();
            let first = same.iter().find(fits).is_some_and(|first| first.id == member.id);
            return (first && !is_taken(0)).then_some(0);
        }
        let mut free = self.uses.iter().filter(|used| used.object > 0 && !is_taken(used.object));
        let (Some(only), None, 1, true) = (free.next(), free.next(), same.len(), self.is_complete) else { return None };
        self.beyond(member, only.object).is_none().then_some(only.object)
    }

    /// Begins to look up names: in the binary itself, then in those with its build id.
    fn next_job(&mut self) -> Work {
        let next = self.members.iter().find_map(|owner| {
            if owner.fault.is_some() || !owner.has_functions() {
                return None;
            }
            let is_source = |other: &&Member| {
                let is_related = other.id == owner.id || other.belongs_to(owner);
                is_related && other.fault.is_none() && other.binary.has_symbols() && !owner.asked.contains(&other.id)
            };
            let own = self.members.iter().filter(|other| other.id == owner.id);
            let inside = own.chain(&self.members).find(is_source)?;
            Some((owner.id, inside.id, owner.names.missing(owner.binary.functions())))
        });
        let Some((owner, inside, addresses)) = next else { return Work::Done };
        if let Some(member) = self.member_mut(owner) {
            member.asked.push(inside);
        }
        if let Some(member) = self.member_mut(inside).filter(|_| !addresses.is_empty()) {
            member.binary.look_up(addresses);
            self.job = Some((owner, inside));
        }
        Work::More
    }

    fn take_names(&mut self, owner: u32, inside: u32) {
        let Some(mut names) = self.member_mut(owner).map(|member| std::mem::take(&mut member.names)) else { return };
        if let Some(member) = self.member_mut(inside) {
            names.add(&mut member.binary);
        }
        if let Some(member) = self.member_mut(owner) {
            member.names = names;
        }
    }

    fn member(&self, id: u32) -> Option<&Member> {
        self.members.iter().find(|member| member.id == id)
    }

    fn member_mut(&mut self, id: u32) -> Option<&mut Member> {
        self.members.iter_mut().find(|member| member.id == id)
    }
}

/// Steps a binary. One that is wrong is done.
pub(crate) fn advance(member: &mut Member) -> Work {
    if member.fault.is_some() {
        return Work::Done;
    }
    match member.binary.step() {
        Ok(Step::Needs(range)) => Work::Needs { binary: member.id, range },
        Ok(Step::More) => Work::More,
        Ok(Step::Done) => Work::Done,
        Err(fault) => {
            member.fault = Some(fault);
            Work::Done
        }
    }
}

/// `the program`, `object 2`.
fn name_of_object(object: u32) -> String {
    if object == 0 { "the program".into() } else { format!("object {object}") }
}

pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
