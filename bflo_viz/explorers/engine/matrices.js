// What beliefs need of linear algebra. A square matrix is one array, row after row.

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
