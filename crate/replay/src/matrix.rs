//! Matrices of four columns, as OpenGL stores them.

/// A matrix, column by column.
pub(crate) type Matrix = [f32; 16];

/// The matrix that changes nothing.
pub(crate) const IDENTITY: Matrix = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

fn at(m: &Matrix, column: usize, row: usize) -> f32 {
    m.get(4 * column + row).copied().unwrap_or(0.0)
}

/// `a` times `b`.
pub(crate) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    core::array::from_fn(|i| (0..4).map(|k| at(a, k, i % 4) * at(b, i / 4, k)).sum())
}

/// A matrix times a column.
pub(crate) fn transform(m: &Matrix, v: [f32; 4]) -> [f32; 4] {
    core::array::from_fn(|row| v.iter().enumerate().map(|(k, x)| at(m, k, row) * x).sum())
}

pub(crate) fn transposed(m: &Matrix) -> Matrix {
    core::array::from_fn(|i| at(m, i % 4, i / 4))
}

/// The first sixteen numbers; missing ones are those of [`IDENTITY`].
pub(crate) fn from_slice(numbers: &[f32]) -> Matrix {
    core::array::from_fn(|i| numbers.get(i).or(IDENTITY.get(i)).copied().unwrap_or(0.0))
}

/// The inverse, or zeros if there is none.
#[allow(clippy::indexing_slicing, reason = "an array of 16, and rows and columns below 4")]
pub(crate) fn inverse(m: &Matrix) -> Matrix {
    // Gauss and Jordan, in double precision, with the largest pivot of a column.
    let mut a = [[0f64; 8]; 4];
    for (row, line) in a.iter_mut().enumerate() {
        for (column, slot) in line.iter_mut().enumerate() {
            *slot = if column < 4 { at(m, column, row).into() } else { f64::from(column - 4 == row) };
        }
    }
    for i in 0..4 {
        let largest = (i..4).max_by(|x, y| a[*x][i].abs().total_cmp(&a[*y][i].abs())).unwrap_or(i);
        a.swap(i, largest);
        let pivot = a[i][i];
        if pivot == 0.0 || !pivot.is_finite() {
            return [0.0; 16];
        }
        for slot in &mut a[i] {
            *slot /= pivot;
        }
        let line = a[i];
        for (j, other) in a.iter_mut().enumerate() {
            if j != i {
                let factor = other[i];
                for (slot, x) in other.iter_mut().zip(line) {
                    *slot -= factor * x;
                }
            }
        }
    }
    core::array::from_fn(|i| a[i % 4][4 + i / 4] as f32)
}

/// The matrix of normals: the transposed inverse of the upper left part, of three columns.
pub(crate) fn normal(m: &Matrix) -> [f32; 9] {
    let inverse = inverse(m);
    core::array::from_fn(|i| at(&inverse, i % 3, i / 3))
}

/// A rotation by an angle in degrees.
pub(crate) fn rotation(angle: f32, x: f32, y: f32, z: f32) -> Matrix {
    let length = (x * x + y * y + z * z).sqrt();
    if length == 0.0 {
        return IDENTITY;
    }
    let (x, y, z) = (x / length, y / length, z / length);
    let (s, c) = angle.to_radians().sin_cos();
    let t = 1.0 - c;
    [
        t * x * x + c,
        t * x * y + s * z,
        t * x * z - s * y,
        0.0,
        t * x * y - s * z,
        t * y * y + c,
        t * y * z + s * x,
        0.0,
        t * x * z + s * y,
        t * y * z - s * x,
        t * z * z + c,
        0.0,
        0.0,
        0.0,
        0.0,
        1.0,
    ]
}

pub(crate) fn translation(x: f32, y: f32, z: f32) -> Matrix {
    let [a, b, c, d, e, f, g, h, i, j, k, l, ..] = IDENTITY;
    [a, b, c, d, e, f, g, h, i, j, k, l, x, y, z, 1.0]
}

pub(crate) fn scaling(x: f32, y: f32, z: f32) -> Matrix {
    [x, 0.0, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, 0.0, z, 0.0, 0.0, 0.0, 0.0, 1.0]
}

/// The projection of `glOrtho`.
pub(crate) fn ortho([l, r, b, t, n, f]: [f64; 6]) -> Matrix {
    let all = [
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
    ];
    all.map(|x: f64| x as f32)
}

/// The projection of `glFrustum`.
pub(crate) fn frustum([l, r, b, t, n, f]: [f64; 6]) -> Matrix {
    let all = [
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
    ];
    all.map(|x: f64| x as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_undoes_a_matrix() {
        let m = product(&translation(1.0, 2.0, 3.0), &product(&rotation(30.0, 1.0, 2.0, 3.0), &scaling(2.0, 3.0, 4.0)));
        for (x, y) in product(&m, &inverse(&m)).iter().zip(IDENTITY) {
            assert!((x - y).abs() < 1e-5);
        }
        assert_eq!(inverse(&scaling(1.0, 0.0, 1.0)), [0.0; 16]);
        let v = transform(&translation(1.0, 2.0, 3.0), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(v, [1.0, 2.0, 3.0, 1.0]);
    }
}
