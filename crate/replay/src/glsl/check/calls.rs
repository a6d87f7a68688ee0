//! Calls: which function is meant, and what its arguments become (GLSL 4.60, 6.1).

use core::fmt::Write;

use super::functions::{self, Builtin};
use super::names::{Function, Way};
use super::tree::Node;
use super::types::{Base, Type};
use super::{Checker, Value};
use crate::glsl::builtins::ALIASES;

/// A function that a call may mean: what it returns and takes.
type Candidate = (Type, Vec<(Type, Way)>);

/// Bits of a rank, and the arguments that there is room for.
const BITS: u32 = 2;
const MOST_ARGUMENTS: usize = 32;

/// What each argument would have to become, as [`Type::becomes`], in two bits each. `None` if one
/// cannot, or more than `most`.
fn ranks(args: &[Type], (_, params): &Candidate, most: u8) -> Option<u64> {
    if params.len() != args.len() || args.len() > MOST_ARGUMENTS {
        return None;
    }
    let mut all = 0;
    for (arg, (param, way)) in args.iter().zip(params) {
        let rank = match way {
            _ if arg.is_unknown() || param.is_unknown() => Some(0),
            Way::In => arg.becomes(*param),
            Way::Out => param.becomes(*arg),
            Way::InOut => (arg == param).then_some(0),
        };
        all = all << BITS | u64::from(rank.filter(|rank| *rank <= most)?);
    }
    Some(all)
}

/// Whether some arguments have better ranks than others, and none has a worse one.
fn is_better(one: u64, other: u64) -> bool {
    let rank = |all: u64, i: u32| all >> (i * BITS) & 3;
    one != other && (0..MOST_ARGUMENTS as u32).all(|i| rank(one, i) <= rank(other, i))
}

/// The candidate that a call with these arguments means. Among several that fit equally well it is
/// the first one: drivers of the time would have refused them, or have had their own opinion.
fn chosen(args: &[Type], candidates: &[Candidate], most: u8) -> Option<usize> {
    let mut best: Option<(usize, u64)> = None;
    for (i, candidate) in candidates.iter().enumerate() {
        if let Some(ranks) = ranks(args, candidate, most)
            && best.is_none_or(|(_, known)| is_better(ranks, known))
        {
            best = Some((i, ranks));
        }
    }
    best.map(|(i, _)| i)
}

impl<'a> Checker<'a> {
    pub(super) fn of_call(&mut self, node: &Node) -> Value {
        let called = self.text(node.token);
        let varies = self.arguments_vary(node);
        if let Some(of) = self.names.type_of(called) {
            self.construct(node, of);
            return Value::new(of, varies);
        }
        let args: Vec<Type> = self.tree.args_of(node).iter().map(|at| self.value(*at).of).collect();
        if let Some((returns, params)) = self.of_shader(called, &args) {
            let converts = self.convert_arguments(node, &args, &params);
            let meant = self.names.functions(called).iter().find(|it| it.params == params);
            if let Some(shown) = meant.and_then(|it| it.shown.clone()) {
                self.edits.replace(node.token, shown, true);
            }
            if converts {
                self.wrap_function(called, &args, returns, &params);
            }
            return Value::new(returns, true);
        }
        let sampler = args.first().and_then(|of| match of.base {
            Base::Sampler(sampler) if of.dimensions == 0 => Some(sampler),
            _ => None,
        });
        if functions::samples(called) {
            let Some(sampler) = sampler else { return Value::new(Type::UNKNOWN, true) };
            let (returns, params) = functions::sampled(called, sampler, &args);
            self.convert_arguments(node, &args, &params);
            if let Some(other) = functions::renamed(called, sampler) {
                self.edits.replace(node.token, other, true);
            }
            return Value::new(returns, true);
        }
        let Some((returns, params)) = self.of_language(called, &args) else { return Value::new(Type::UNKNOWN, varies) };
        self.convert_arguments(node, &args, &params);
        let is_float = returns.base == Base::Float || params.iter().any(|(param, _)| param.base == Base::Float);
        let other = ALIASES.iter().find(|(known, ..)| *known == called);
        if let Some((_, other, _)) = other.copied().filter(|(.., of_whole)| !(*of_whole && is_float)) {
            self.edits.replace(node.token, other, true);
        } else if !self.names.functions(called).is_empty() {
            // The shader's own functions of that name are called otherwise.
            self.edits.replace(node.token, called.to_owned(), true);
        }
        Value::new(returns, varies)
    }

    /// A constructor: those of numbers convert by themselves.
    fn construct(&mut self, node: &Node, of: Type) {
        let Some(known) = self.names.members(of) else { return };
        let members: Vec<Type> = known.members.iter().map(|(_, of)| *of).collect();
        self.steps += members.len();
        for (i, to) in members.into_iter().enumerate() {
            let Some(arg) = self.tree.args_of(node).get(i).copied() else { break };
            self.convert(arg, to);
        }
    }

    /// Converts what a function takes. Returns whether what it writes has to be converted, too.
    fn convert_arguments(&mut self, node: &Node, args: &[Type], params: &[(Type, Way)]) -> bool {
        let mut converts = false;
        for (i, (arg, (to, way))) in args.iter().zip(params).enumerate() {
            let Some(at) = self.tree.args_of(node).get(i).copied() else { break };
            match way {
                Way::In => self.convert(at, *to),
                _ => converts |= arg != to && !arg.is_unknown() && !to.is_unknown(),
            }
        }
        converts
    }

    /// A function of the shader.
    fn of_shader(&mut self, called: &str, args: &[Type]) -> Option<Candidate> {
        let all = self.names.functions(called);
        self.steps += all.len() * (1 + args.len());
        // Each that is called and what is the same is the same.
        if let Some(exact) = all.iter().find(|it| it.params.iter().map(|(of, _)| of).eq(args)) {
            return Some((exact.returns, exact.params.clone()));
        }
        let fits = |it: &&Function| it.params.len() == args.len();
        let candidates: Vec<Candidate> = all.iter().filter(fits).map(|it| (it.returns, it.params.clone())).collect();
        self.best(args, candidates)
    }

    /// A function of the language.
    fn of_language(&mut self, called: &'a str, args: &[Type]) -> Option<Candidate> {
        let entry = self.names.entry(called);
        if entry.builtins.is_none() {
            self.steps += 64;
        }
        let known = &*entry.builtins.get_or_insert_with(|| functions::named(called));
        self.steps += known.len();
        let version = self.version;
        let is_there = |it: &&Builtin| it.since <= version;
        let of_all: Vec<Candidate> = known.iter().filter_map(|it| it.with(args)).collect();
        let of_version = known.iter().filter(is_there).filter_map(|it| it.with(args)).collect();
        // Drivers know functions of later versions, too.
        self.best(args, of_version).or_else(|| self.best(args, of_all))
    }

    fn best(&self, args: &[Type], mut candidates: Vec<Candidate>) -> Option<Candidate> {
        let to_unsigned = if self.to_unsigned { 2 } else { 1 };
        let at = chosen(args, &candidates, to_unsigned).or_else(|| chosen(args, &candidates, 2))?;
        // With an argument of an unknown type it may be any of those that fit.
        if args.iter().any(|arg| arg.is_unknown()) {
            let mut viable = candidates.iter().filter(|it| ranks(args, it, 2).is_some());
            let first = viable.next().cloned()?;
            let (mut of, mut is_one) = (first.0, true);
            for (returns, _) in viable {
                is_one = false;
                of = if *returns == of { of } else { Type::UNKNOWN };
            }
            let params = if is_one { first.1 } else { args.iter().map(|_| (Type::UNKNOWN, Way::In)).collect() };
            return Some((of, params));
        }
        (at < candidates.len()).then(|| candidates.swap_remove(at))
    }

    /// A function before the one that is being read that writes what the call has, in place of what
    /// the function of the same name does: `void f(out float a) { int a_; f(a_); a = float(a_); }`.
    fn wrap_function(&mut self, called: &'a str, args: &[Type], returns: Type, params: &[(Type, Way)]) {
        let (mut head, mut before, mut given, mut after) = (String::new(), String::new(), String::new(), String::new());
        for (i, (arg, (to, way))) in args.iter().zip(params).enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            let shown = if *way == Way::In { *to } else { *arg };
            let (Some(of), Some(own)) = (self.name_of(shown), self.name_of(*to)) else { return };
            let (way, is_other) = match way {
                Way::In => ("", false),
                Way::Out => ("out ", arg != to),
                Way::InOut => ("inout ", false),
            };
            let _ = write!(head, "{comma}{way}{of} a{i}");
            let _ = write!(given, "{comma}{}{i}", if is_other { "b" } else { "a" });
            if is_other {
                let _ = write!(before, "{own} b{i}; ");
                let _ = write!(after, "a{i} = {of}(b{i}); ");
            }
        }
        let text = match self.name_of(returns) {
            _ if returns == Type::VOID => format!("void {called}({head}) {{ {before}{called}({given}); {after}}}"),
            Some(of) => {
                format!("{of} {called}({head}) {{ {before}{of} r = {called}({given}); {after}return r; }}")
            }
            None => return,
        };
        self.steps += text.len();
        self.edits.insert(self.begin, text);
        let params = params.iter().zip(args).map(|((to, way), arg)| (if *way == Way::In { *to } else { *arg }, *way));
        let function = Function { returns, params: params.collect(), shown: None };
        self.names.entry(called).functions.push(function);
    }
}
