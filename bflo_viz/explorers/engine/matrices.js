// What beliefs need of linear algebra. A square matrix is one array, row after row.

/** Inverse of a matrix of n rows, and the logarithm of its determinant's size, by elimination with pivots. */
export function inverted(matrix, n) {
  const left = Float64Array.from(matrix);
  const right = identity(n);
  let logDet = 0;
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(left[i * n + k]) > Math.abs(left[pivot * n + k])) pivot = i;
    for (let j = 0; pivot !== k && j < n; j++) {
      for (const side of [left, right]) [side[k * n + j], side[pivot * n + j]] = [side[pivot * n + j], side[k * n + j]];
    }
    logDet += Math.log(Math.abs(left[k * n + k]));
    for (let i = k + 1; i < n; i++) addRow(left, right, n, i, k, -left[i * n + k] / left[k * n + k]);
  }
  for (let k = n - 1; k >= 0; k--) {
    for (let j = 0; j < n; j++) {
      let rest = right[k * n + j];
      for (let i = k + 1; i < n; i++) rest -= left[k * n + i] * right[i * n + j];
      right[k * n + j] = rest / left[k * n + k];
    }
  }
  return { inverse: right, logDet };
}

/**
 * Singular values of a matrix of n rows, by Jacobi's rotations of its columns: { columns, values, turns } with
 * matrix · turns = columns, which are orthogonal, and values their lengths.
 */
export function decomposed(matrix, n) {
  const columns = Float64Array.from(matrix);
  const turns = identity(n);
  for (let turned = true, sweep = 0; turned && sweep < 60; sweep++) {
    turned = false;
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        const [first, second, between] = [dot(columns, n, p, p), dot(columns, n, q, q), dot(columns, n, p, q)];
        if (Math.abs(between) <= 1e-15 * Math.sqrt(first) * Math.sqrt(second)) continue;
        turned = true;
        const ratio = (second - first) / (2 * between);
        const tangent = (ratio < 0 ? -1 : 1) / (Math.abs(ratio) + Math.hypot(1, ratio));
        const cosine = 1 / Math.hypot(1, tangent);
        for (const side of [columns, turns]) rotate(side, n, p, q, cosine, cosine * tangent);
      }
    }
  }
  const values = Float64Array.from({ length: n }, (_, k) => Math.sqrt(dot(columns, n, k, k)));
  return { columns, values, turns };
}

export function identity(n) {
  const matrix = new Float64Array(n * n);
  for (let i = 0; i < n; i++) matrix[i * n + i] = 1;
  return matrix;
}

export function product(left, right, n) {
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) for (let k = 0; k < n; k++) out[i * n + j] += left[i * n + k] * right[k * n + j];
  }
  return out;
}

/** Add a multiple of row k to row i, on both sides of an equation. */
function addRow(left, right, n, i, k, factor) {
  for (let j = 0; j < n; j++) {
    left[i * n + j] += factor * left[k * n + j];
    right[i * n + j] += factor * right[k * n + j];
  }
}

function dot(matrix, n, p, q) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += matrix[i * n + p] * matrix[i * n + q];
  return sum;
}

function rotate(matrix, n, p, q, cosine, sine) {
  for (let i = 0; i < n; i++) {
    const [x, y] = [matrix[i * n + p], matrix[i * n + q]];
    matrix[i * n + p] = cosine * x - sine * y;
    matrix[i * n + q] = sine * x + cosine * y;
  }
}
