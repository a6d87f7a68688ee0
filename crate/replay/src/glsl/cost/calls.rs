//! Who calls whom in a shader, and what that comes to.
//!
//! Functions of one name are told apart by types, which are not looked at here: a call of a name is
//! one of the definitions before it, or, if the name has a prototype, any of them. So a name is a
//! node, too, and what it comes to is the most of them.

use hashbrown::{HashMap, HashSet};
use unspool_trace::sort;

use super::Cost;
use crate::glsl::tokens::{Token, TokenKind};

/// The definition of a function.
#[derive(Debug)]
pub(super) struct Body {
    name: String,
    /// Its tokens: parameters and body.
    pub(super) from: usize,
    pub(super) to: usize,
    /// There is a prototype of that name anywhere.
    has_prototype: bool,
}

/// The definitions of all functions, in their order.
pub(super) fn bodies(tokens: &[Token], closing: &[usize]) -> Vec<Body> {
    let mut all: Vec<Body> = Vec::new();
    let mut prototypes: HashSet<&str> = HashSet::new();
    let mut i = 0;
    while let Some(token) = tokens.get(i) {
        let close = closing.get(i).copied().unwrap_or(i);
        let is_name = token.kind == TokenKind::Name && tokens.get(i + 1).is_some_and(|next| next.is("("));
        // What is in brackets declares nothing.
        if !is_name {
            i = close + 1;
            continue;
        }
        let after = closing.get(i + 1).copied().unwrap_or(tokens.len()) + 1;
        match tokens.get(after).map(|token| token.text.as_str()) {
            Some("{") => {
                let to = (closing.get(after).copied().unwrap_or(tokens.len()) + 1).min(tokens.len());
                all.push(Body { name: token.text.clone(), from: i + 1, to, has_prototype: false });
                i = to;
                continue;
            }
            Some(";") => {
                prototypes.insert(&token.text);
            }
            _ => {}
        }
        i = after;
    }
    for body in &mut all {
        body.has_prototype = prototypes.contains(body.name.as_str());
    }
    all
}

/// What a call leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target(usize);

/// A node of the graph.
#[derive(Debug, Default)]
struct Node {
    own: Cost,
    /// Nodes that this one calls, and how often: written out, and executed. Of a name: its
    /// definitions, once.
    calls: Vec<(usize, u64, u64)>,
    /// It is a name: what it comes to is the most, not the sum.
    is_choice: bool,
}

/// The calls of a shader. The first nodes are the definitions.
pub(super) struct Graph {
    nodes: Vec<Node>,
    /// Of each name: the node of the definitions that it can mean so far.
    latest: HashMap<String, usize>,
    /// How many definitions `latest` knows.
    known: usize,
    definitions: Vec<(String, bool)>,
}

impl Graph {
    pub(super) fn new(bodies: &[Body]) -> Self {
        let nodes = bodies.iter().map(|_| Node::default()).collect();
        let definitions: Vec<(String, bool)> =
            bodies.iter().map(|body| (body.name.clone(), body.has_prototype)).collect();
        let mut graph = Self { nodes, latest: HashMap::new(), known: 0, definitions };
        // Names with prototypes mean all of their definitions from the first on.
        for i in 0..graph.definitions.len() {
            if let Some((name, true)) = graph.definitions.get(i).cloned() {
                let node = graph.choice(&name, None);
                if let Some(node) = graph.nodes.get_mut(node) {
                    node.calls.push((i, 1, 1));
                }
            }
        }
        graph
    }

    /// The node of a name, which is made if there is none. `Some`: another one, of these
    /// definitions and one more.
    fn choice(&mut self, name: &str, more: Option<usize>) -> usize {
        let before = self.latest.get(name).copied();
        if let (Some(before), None) = (before, more) {
            return before;
        }
        let calls = before.into_iter().chain(more).map(|node| (node, 1, 1)).collect();
        self.nodes.push(Node { own: Cost::default(), calls, is_choice: true });
        self.latest.insert(name.into(), self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// What a name means in a definition. `None` if it is not a function of the shader. Definitions
    /// are asked about in their order.
    pub(super) fn target(&mut self, definition: usize, name: &str) -> Option<Target> {
        while self.known < definition {
            let known = self.known;
            self.known += 1;
            if let Some((name, false)) = self.definitions.get(known).cloned() {
                self.choice(&name, Some(known));
            }
        }
        self.latest.get(name).copied().map(Target)
    }

    /// A definition calls.
    pub(super) fn add_call(&mut self, definition: usize, Target(node): Target, times: u64) {
        let Some(from) = self.nodes.get_mut(definition) else { return };
        match from.calls.last_mut().filter(|(last, ..)| *last == node) {
            Some((_, count, sum)) => (*count, *sum) = (*count + 1, sum.saturating_add(times)),
            None => from.calls.push((node, 1, times)),
        }
    }

    /// Operations of a definition.
    pub(super) fn add(&mut self, definition: usize, operations: u64, times: u64) {
        if let Some(node) = self.nodes.get_mut(definition) {
            node.own.size = node.own.size.saturating_add(operations);
            node.own.work = node.own.work.saturating_add(operations.saturating_mul(times));
        }
    }

    /// What all nodes come to.
    pub(super) fn sums(mut self) -> Sums {
        let definitions = self.definitions.len();
        self.target(definitions, "");
        let mut sums = Sums { all: vec![Cost::default(); self.nodes.len()], main: self.latest.get("main").copied() };
        for group in groups(&self.nodes) {
            let cost = self.of_group(&group, &sums);
            for node in group {
                if let Some(slot) = sums.all.get_mut(node) {
                    *slot = cost;
                }
            }
        }
        sums
    }

    /// What nodes come to that lead to each other, once all others are known. They are functions of
    /// one name, of which each calls some other, because functions that call themselves are not
    /// GLSL. So the most is a chain of all of them.
    fn of_group(&self, group: &[usize], sums: &Sums) -> Cost {
        let is_inner = |node: &usize| group.binary_search(node).is_ok();
        let (mut sum, mut factors) = (Cost::default(), Cost { size: 1, work: 1 });
        for node in group.iter().filter_map(|node| self.nodes.get(*node)) {
            let mut cost = node.own;
            let mut inner = Cost::default();
            for (to, count, times) in &node.calls {
                if is_inner(to) {
                    inner.size = inner.size.saturating_add(*count);
                    inner.work = inner.work.saturating_add(*times);
                    continue;
                }
                let of = sums.of(Target(*to));
                if node.is_choice {
                    cost.size = cost.size.max(of.size);
                    cost.work = cost.work.max(of.work);
                } else {
                    cost.size = cost.size.saturating_add(of.size.saturating_mul(*count));
                    cost.work = cost.work.saturating_add(of.work.saturating_mul(*times));
                }
            }
            if !node.is_choice {
                factors.size = factors.size.saturating_mul(inner.size.max(1));
                factors.work = factors.work.saturating_mul(inner.work.max(1));
            }
            sum.size = sum.size.saturating_add(cost.size);
            sum.work = sum.work.saturating_add(cost.work);
        }
        if group.len() == 1 {
            return sum;
        }
        Cost { size: sum.size.saturating_mul(factors.size), work: sum.work.saturating_mul(factors.work) }
    }
}

/// What the nodes of a graph come to.
pub(super) struct Sums {
    all: Vec<Cost>,
    main: Option<usize>,
}

impl Sums {
    pub(super) fn of(&self, Target(node): Target) -> Cost {
        self.all.get(node).copied().unwrap_or_default()
    }

    /// What `main` comes to.
    pub(super) fn of_main(&self) -> Cost {
        self.main.map_or(Cost::default(), |node| self.of(Target(node)))
    }
}

/// The nodes in groups that lead to each other, each group after those that it leads to, with its
/// nodes ascending. Tarjan's algorithm, without recursion: a shader can have tens of thousands of
/// functions.
fn groups(nodes: &[Node]) -> Vec<Vec<usize>> {
    #[derive(Clone, Copy, Default)]
    struct Seen {
        /// From 1 on; 0 is not seen yet.
        number: usize,
        low: usize,
        is_open: bool,
    }
    let mut seen = vec![Seen::default(); nodes.len()];
    let (mut open, mut found, mut count) = (Vec::new(), Vec::new(), 0);
    for root in 0..nodes.len() {
        // Nodes that are being looked at, and how many of their calls have been.
        let mut path: Vec<(usize, usize)> = Vec::new();
        if seen.get(root).is_some_and(|it| it.number == 0) {
            path.push((root, 0));
        }
        while let Some((node, done)) = path.last_mut() {
            let (node, at) = (*node, *done);
            *done += 1;
            if at == 0 {
                count += 1;
                open.push(node);
                if let Some(slot) = seen.get_mut(node) {
                    *slot = Seen { number: count, low: count, is_open: true };
                }
            }
            if let Some((to, ..)) = nodes.get(node).and_then(|node| node.calls.get(at)) {
                let other = seen.get(*to).copied().unwrap_or_default();
                if other.number == 0 {
                    path.push((*to, 0));
                } else if other.is_open
                    && let Some(slot) = seen.get_mut(node)
                {
                    slot.low = slot.low.min(other.number);
                }
                continue;
            }
            path.pop();
            let own = seen.get(node).copied().unwrap_or_default();
            if let Some(slot) = path.last().and_then(|(before, _)| seen.get_mut(*before)) {
                slot.low = slot.low.min(own.low);
            }
            if own.low == own.number {
                let from = open.iter().rposition(|other| *other == node).unwrap_or(0);
                let group = open.split_off(from);
                for node in &group {
                    if let Some(slot) = seen.get_mut(*node) {
                        slot.is_open = false;
                    }
                }
                let order = sort::order(group.len(), &[&|at| group.get(at).map_or(0, |node| *node as u64)]);
                found.push(sort::in_order(group, &order));
            }
        }
    }
    found
}
