//! Matrices of the fixed function, in double precision.

use std::sync::Arc;

use unspool_gl::gl;

use super::cells::Value;
use super::machine::{Handlers, Machine};
use super::variant::Variant;
use super::what;
use crate::calls::Call;

pub(super) const HANDLERS: Handlers = &[
    ("MatrixMode", |m, c, _| m.set(what::MATRIX_MODE, Value::Constant(c.uint(0)))),
    ("LoadIdentity", |m, _, _| m.load(IDENTITY)),
    ("LoadMatrix*", |m, c, v| {
        if let Some(matrix) = matrix(c, v, false) {
            m.load(matrix);
        }
    }),
    ("MultMatrix*", |m, c, v| {
        if let Some(matrix) = matrix(c, v, false) {
            m.multiply(&matrix);
        }
    }),
    ("LoadTransposeMatrix*", |m, c, v| {
        if let Some(matrix) = matrix(c, v, true) {
            m.load(matrix);
        }
    }),
    ("MultTransposeMatrix*", |m, c, v| {
        if let Some(matrix) = matrix(c, v, true) {
            m.multiply(&matrix);
        }
    }),
    ("Rotate*", rotate),
    ("Translate*", |m, c, v| {
        let [x, y, z, _] = three(v).numbers(c, 0, [0.0; 4], false);
        m.multiply(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0]);
    }),
    ("Scale*", |m, c, v| {
        let [x, y, z, _] = three(v).numbers(c, 0, [0.0; 4], false);
        m.multiply(&[x, 0.0, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, 0.0, z, 0.0, 0.0, 0.0, 0.0, 1.0]);
    }),
    ("Ortho", |m, c, _| ortho(m, c, 1.0)),
    ("Orthof", |m, c, _| ortho(m, c, 1.0)),
    ("Orthox", |m, c, _| ortho(m, c, 65536.0)),
    ("Frustum", |m, c, _| frustum(m, c, 1.0)),
    ("Frustumf", |m, c, _| frustum(m, c, 1.0)),
    ("Frustumx", |m, c, _| frustum(m, c, 65536.0)),
    ("PushMatrix", |m, _, _| m.push()),
    ("PopMatrix", |m, _, _| m.pop()),
];

pub(super) const IDENTITY: [f64; 16] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

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

fn three(variant: Variant) -> Variant {
    Variant { count: 3, ..variant }
}

/// The matrix that a call has.
fn matrix(call: &Call, variant: Variant, is_transposed: bool) -> Option<[f64; 16]> {
    let (numbers, count) = call.floats::<16>(0);
    if count != 16 {
        return None;
    }
    let fixed = if variant.unit == super::variant::Unit::Fixed { 65536.0 } else { 1.0 };
    let mut matrix = IDENTITY;
    for (i, number) in numbers.iter().enumerate() {
        let at = if is_transposed { i % 4 * 4 + i / 4 } else { i };
        if let Some(slot) = matrix.get_mut(at) {
            *slot = number / fixed;
        }
    }
    Some(matrix)
}

fn rotate(machine: &mut Machine, call: &Call, variant: Variant) {
    let unit = Variant { count: 1, ..variant };
    let angle = unit.numbers(call, 0, [0.0; 4], false)[0].to_radians();
    let [x, y, z, _] = three(variant).numbers(call, 1, [0.0; 4], false);
    let length = (x * x + y * y + z * z).sqrt();
    if length <= 1.0e-4 {
        // No axis, no rotation: so Mesa does it.
        return;
    }
    let (x, y, z) = (x / length, y / length, z / length);
    let (s, c) = angle.sin_cos();
    let n = 1.0 - c;
    machine.multiply(&[
        x * x * n + c,
        y * x * n + z * s,
        x * z * n - y * s,
        0.0,
        x * y * n - z * s,
        y * y * n + c,
        y * z * n + x * s,
        0.0,
        x * z * n + y * s,
        y * z * n - x * s,
        z * z * n + c,
        0.0,
        0.0,
        0.0,
        0.0,
        1.0,
    ]);
}

fn six(call: &Call, divisor: f64) -> [f64; 6] {
    core::array::from_fn(|i| call.float(i) / divisor)
}

fn ortho(machine: &mut Machine, call: &Call, divisor: f64) {
    let [l, r, b, t, n, f] = six(call, divisor);
    if l == r || b == t || n == f {
        return;
    }
    machine.multiply(&[
        2.0 / (r - l),
        0.0,
        0.0,
        0.0,
        0.0,
        2.0 / (t - b),
        0.0,
        0.0,
        0.0,
        0.0,
        -2.0 / (f - n),
        0.0,
        -(r + l) / (r - l),
        -(t + b) / (t - b),
        -(f + n) / (f - n),
        1.0,
    ]);
}

fn frustum(machine: &mut Machine, call: &Call, divisor: f64) {
    let [l, r, b, t, n, f] = six(call, divisor);
    if n <= 0.0 || f <= 0.0 || n == f || l == r || t == b {
        return;
    }
    machine.multiply(&[
        2.0 * n / (r - l),
        0.0,
        0.0,
        0.0,
        0.0,
        2.0 * n / (t - b),
        0.0,
        0.0,
        (r + l) / (r - l),
        (t + b) / (t - b),
        -(f + n) / (f - n),
        -1.0,
        0.0,
        0.0,
        -2.0 * f * n / (f - n),
        0.0,
    ]);
}

fn product(a: &[f64; 16], b: &[f64; 16]) -> [f64; 16] {
    let mut product = [0.0; 16];
    for (column, of_b) in product.chunks_exact_mut(4).zip(b.chunks_exact(4)) {
        for (row, slot) in column.iter_mut().enumerate() {
            *slot = a.iter().skip(row).step_by(4).zip(of_b).map(|(a, b)| a * b).sum();
        }
    }
    product
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

    fn load(&mut self, matrix: [f64; 16]) {
        let (what, index, _) = self.stack();
        self.set_at(what, index, Value::Matrix(Arc::new(matrix)));
    }

    fn multiply(&mut self, by: &[f64; 16]) {
        let (what, index, _) = self.stack();
        let found = match self.value(self.context, what, index) {
            Value::Matrix(matrix) => product(matrix, by),
            // Of a context that was not created within the trace nothing is known.
            _ if self.context().is_some_and(|context| context.is_implicit) => return,
            _ => *by,
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
