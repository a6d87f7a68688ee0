//! Matrices of the fixed function, in double precision.

use std::sync::Arc;

use unspool_gl::gl;
use unspool_gl::matrix::{IDENTITY, frustum, ortho, product, rotation, scaling, translation, transposed};

use super::cells::Value;
use super::machine::{Handlers, Machine};
use super::variant::Variant;
use super::what;
use crate::calls::Call;

pub(super) const HANDLERS: Handlers = &[
    ("MatrixMode", |m, c, _| m.set(what::MATRIX_MODE, Value::Constant(c.uint(0)))),
    ("LoadIdentity", |m, _, _| m.load(Some(IDENTITY))),
    ("LoadMatrix*", |m, c, v| m.load(matrix(c, v, false))),
    ("MultMatrix*", |m, c, v| m.multiply(matrix(c, v, false))),
    ("LoadTransposeMatrix*", |m, c, v| m.load(matrix(c, v, true))),
    ("MultTransposeMatrix*", |m, c, v| m.multiply(matrix(c, v, true))),
    ("Rotate*", |m, c, v| {
        let [angle, ..] = Variant { count: 1, ..v }.numbers(c, 0, [0.0; 4], false);
        m.multiply(Some(rotation(angle.to_radians().sin_cos(), three(c, v, 1))));
    }),
    ("Translate*", |m, c, v| m.multiply(Some(translation(three(c, v, 0))))),
    ("Scale*", |m, c, v| m.multiply(Some(scaling(three(c, v, 0))))),
    ("Ortho", |m, c, _| m.multiply(ortho(six(c, 1.0)))),
    ("Orthof", |m, c, _| m.multiply(ortho(six(c, 1.0)))),
    ("Orthox", |m, c, _| m.multiply(ortho(six(c, 65536.0)))),
    ("Frustum", |m, c, _| m.multiply(frustum(six(c, 1.0)))),
    ("Frustumf", |m, c, _| m.multiply(frustum(six(c, 1.0)))),
    ("Frustumx", |m, c, _| m.multiply(frustum(six(c, 65536.0)))),
    ("PushMatrix", |m, _, _| m.push()),
    ("PopMatrix", |m, _, _| m.pop()),
];

/// What drivers have room for at least. A push beyond that is an error and changes nothing.
const MAX_DEPTH: u32 = 64;

/// The matrices below the current one, for each stack. A stack is a list whose tails are shared.
#[derive(Clone, Default)]
pub(super) struct Stacks {
    stacks: Vec<(u16, u32, Option<Arc<Pushed>>)>,
}

struct Pushed {
    matrix: Arc<[f64; 16]>,
    depth: u32,
    below: Option<Arc<Pushed>>,
}

/// Three numbers of a call, from an argument on.
fn three(call: &Call, variant: Variant, from: usize) -> [f64; 3] {
    let [x, y, z, _] = Variant { count: 3, ..variant }.numbers(call, from, [0.0; 4], false);
    [x, y, z]
}

/// The matrix that a call has.
fn matrix(call: &Call, variant: Variant, is_transposed: bool) -> Option<[f64; 16]> {
    let (numbers, count) = call.floats::<16>(0);
    if count != 16 {
        return None;
    }
    let fixed = if variant.unit == super::variant::Unit::Fixed { 65536.0 } else { 1.0 };
    let matrix = numbers.map(|number| number / fixed);
    Some(if is_transposed { transposed(&matrix) } else { matrix })
}

fn six(call: &Call, divisor: f64) -> [f64; 6] {
    core::array::from_fn(|i| call.float(i) / divisor)
}

impl Machine {
    /// The stack that the matrix mode chooses: the matrix, its index, and the depth.
    fn stack(&self) -> (u16, u32, u16) {
        match self.number(self.context, what::MATRIX_MODE, 0).and_then(|mode| u32::try_from(mode).ok()) {
            Some(gl::PROJECTION) => (what::PROJECTION_MATRIX, 0, what::PROJECTION_STACK_DEPTH),
            Some(gl::TEXTURE) => (what::TEXTURE_MATRIX, self.unit(), what::TEXTURE_STACK_DEPTH),
            Some(gl::COLOR) => (what::COLOR_MATRIX, 0, what::COLOR_MATRIX_STACK_DEPTH),
            _ => (what::MODELVIEW_MATRIX, 0, what::MODELVIEW_STACK_DEPTH),
        }
    }

    fn load(&mut self, matrix: Option<[f64; 16]>) {
        let Some(matrix) = matrix else { return };
        let (what, index, _) = self.stack();
        self.set_at(what, index, Value::Matrix(Arc::new(matrix)));
    }

    fn multiply(&mut self, by: Option<[f64; 16]>) {
        let Some(by) = by else { return };
        let (what, index, _) = self.stack();
        let found = match self.value(self.context, what, index) {
            Value::Matrix(matrix) => product(matrix, &by),
            // Of a context that was not created within the trace nothing is known.
            _ if self.is_implicit() => return,
            _ => by,
        };
        self.set_at(what, index, Value::Matrix(Arc::new(found)));
    }

    fn push(&mut self) {
        let (what, index, depth) = self.stack();
        let matrix = match self.value(self.context, what, index) {
            Value::Matrix(matrix) => matrix.clone(),
            _ => Arc::new(IDENTITY),
        };
        let mut now = 0;
        self.change_context(|context| {
            let stacks = &mut Arc::make_mut(&mut context.stacks).stacks;
            if !stacks.iter().any(|(of, at, _)| (*of, *at) == (what, index)) {
                stacks.push((what, index, None));
            }
            let Some((.., top)) = stacks.iter_mut().find(|(of, at, _)| (*of, *at) == (what, index)) else { return };
            now = top.as_ref().map_or(1, |top| top.depth + 1);
            if now < MAX_DEPTH {
                *top = Some(Arc::new(Pushed { matrix, depth: now, below: top.take() }));
            } else {
                now -= 1;
            }
        });
        self.set_at(depth, index, Value::Int(i64::from(now) + 1));
    }

    fn pop(&mut self) {
        let (what, index, depth) = self.stack();
        let mut popped = None;
        self.change_context(|context| {
            let stacks = &mut Arc::make_mut(&mut context.stacks).stacks;
            let top = stacks.iter_mut().find(|(of, at, _)| (*of, *at) == (what, index));
            if let Some((.., top)) = top
                && let Some(pushed) = top.take()
            {
                *top = pushed.below.clone();
                popped = Some((pushed.matrix.clone(), pushed.depth));
            }
        });
        if let Some((matrix, now)) = popped {
            self.set_at(what, index, Value::Matrix(matrix));
            self.set_at(depth, index, Value::Int(now.into()));
        }
    }
}
