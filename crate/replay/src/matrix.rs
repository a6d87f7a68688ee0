//! Matrices of four columns in the precision of OpenGL, and what lighting needs of them.

pub(crate) use unspool_gl::matrix::{product, transposed};

/// A matrix, column by column.
pub(crate) type Matrix = [f32; 16];

/// The matrix that changes nothing.
pub(crate) const IDENTITY: Matrix = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

fn at(m: &Matrix, column: usize, row: usize) -> f32 {
    m.get(4 * column + row).copied().unwrap_or(0.0)
}

/// A matrix times a column.
pub(crate) fn transform(m: &Matrix, v: [f32; 4]) -> [f32; 4] {
    core::array::from_fn(|row| v.iter().enumerate().map(|(k, x)| at(m, k, row) * x).sum())
}

/// The inverse, or zeros if there is none.
#[allow(clippy::indexing_slicing, reason = "rows are below 4 and columns below 8")]
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

#[cfg(test)]
mod tests {
    use unspool_gl::matrix::{rotation, scaling, translation};

    use super::*;

    fn rounded(m: [f64; 16]) -> Matrix {
        m.map(|number| number as f32)
    }

    #[test]
    fn an_inverse_undoes_a_matrix() {
        let turned = product(&rotation((0.5, 0.866), [1.0, 2.0, 3.0]), &scaling([2.0, 3.0, 4.0]));
        let m = rounded(product(&translation([1.0, 2.0, 3.0]), &turned));
        for (x, y) in product(&m, &inverse(&m)).iter().zip(IDENTITY) {
            assert!((x - y).abs() < 1e-5);
        }
        assert_eq!(inverse(&rounded(scaling([1.0, 0.0, 1.0]))), [0.0; 16]);
        let v = transform(&rounded(translation([1.0, 2.0, 3.0])), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(v, [1.0, 2.0, 3.0, 1.0]);
    }
}
