// A small convolutional network read as engine/lessons/convolution/networks.py reads it: convolution, ReLU, pooling, dense
// layer, softmax.  Maps lie filter after filter, row after row.

export const SIDE = 8,
  FULL = 16, // the most that a cell holds
  KERNEL = 3,
  POOL = 2,
  DIGITS = 10;

/**
 * A network as Python sends it.
 * @typedef {{stride: number, padding: number, pooling: string, kernel: number[], bias: number[], dense: number[], dense_bias: number[]}} Network
 * @typedef {{side: number, half: number, sum: Float64Array, relu: Float64Array, pooled: Float64Array, logit: number[], p: number[]}} Read
 */

/** Places of a kernel of k along n cells. */
export const size = (n, k, stride, padding) => Math.floor((n + 2 * padding - k) / stride) + 1;

/** Ink of a cell, from 0 to 1; around the image there are zeros. @param {ArrayLike<number>} cells */
export const inkAt = (cells, row, column) =>
  row < 0 || column < 0 || row >= SIDE || column >= SIDE ? 0 : cells[SIDE * row + column] / FULL;

/**
 * One place of one filter with all its products.
 * @param {Network} net @param {ArrayLike<number>} cells @param {number} filter @param {number} i @param {number} j
 */
export function opened(net, cells, filter, i, j) {
  const patch = [],
    kernel = [],
    product = [];
  let sum = net.bias[filter];
  for (let n = 0; n < KERNEL * KERNEL; n++) {
    const row = i * net.stride + Math.floor(n / KERNEL) - net.padding;
    const column = j * net.stride + (n % KERNEL) - net.padding;
    patch.push(inkAt(cells, row, column));
    kernel.push(net.kernel[KERNEL * KERNEL * filter + n]);
    product.push(patch[n] * kernel[n]);
    sum += product[n];
  }
  return { patch, kernel, product, bias: net.bias[filter], sum };
}

/** Everything from the sums to the probabilities. @param {Network} net @param {ArrayLike<number>} cells @returns {Read} */
export function read(net, cells) {
  const side = size(SIDE, KERNEL, net.stride, net.padding);
  const half = Math.floor(side / POOL);
  const filters = net.bias.length;
  const sum = new Float64Array(filters * side * side);
  for (let f = 0, n = 0; f < filters; f++)
    for (let i = 0; i < side; i++)
      for (let j = 0; j < side; j++, n++) sum[n] = opened(net, cells, f, i, j).sum;
  const relu = sum.map((x) => Math.max(0, x));
  const pooled = new Float64Array(filters * half * half);
  for (let f = 0, n = 0; f < filters; f++)
    for (let i = 0; i < half; i++)
      for (let j = 0; j < half; j++, n++) {
        const seen = pool(i, j, side).map((at) => relu[f * side * side + at]);
        pooled[n] = net.pooling === "max" ? Math.max(...seen) : seen.reduce((a, b) => a + b) / (POOL * POOL);
      }
  const logit = Array.from({ length: DIGITS }, (_, k) =>
    votes(net, pooled, k).reduce((a, b) => a + b, net.dense_bias[k]),
  );
  return { side, half, sum, relu, pooled, logit, p: softmax(logit) };
}

/** The places of a map that a pooled place looks at. @returns {number[]} */
export const pool = (i, j, side) =>
  Array.from(
    { length: POOL * POOL },
    (_, n) => (POOL * i + Math.floor(n / POOL)) * side + POOL * j + (n % POOL),
  );

/** What each filter adds to the logit of a digit. @param {Network} net @param {ArrayLike<number>} pooled @param {number} digit */
export function votes(net, pooled, digit) {
  const each = pooled.length / net.bias.length;
  return net.bias.map((_, f) => {
    let sum = 0;
    for (let n = f * each; n < (f + 1) * each; n++) sum += net.dense[digit * pooled.length + n] * pooled[n];
    return sum;
  });
}

/** @param {number[]} logit */
export function softmax(logit) {
  const most = Math.max(...logit);
  const power = logit.map((x) => Math.exp(x - most));
  const sum = power.reduce((a, b) => a + b);
  return power.map((x) => x / sum);
}

/** An image moved by whole cells; what leaves the square is lost. @param {ArrayLike<number>} cells */
export function moved(cells, down, right) {
  const found = new Uint8Array(SIDE * SIDE);
  for (let n = 0; n < found.length; n++)
    found[n] = FULL * inkAt(cells, Math.floor(n / SIDE) - down, (n % SIDE) - right);
  return found;
}

/**
 * How many numbers of the map of a filter have moved along with the image, of those that could: with a stride of 2 only
 * a move by 2 cells is one by whole places.
 * @param {Read} before @param {Read} after @param {number} filter @param {number} stride
 */
export function along(before, after, filter, stride, down, right) {
  const { side } = before;
  const [rows, columns] = [down / stride, right / stride];
  let count = 0,
    same = 0;
  for (let i = 0; i < side; i++)
    for (let j = 0; j < side; j++) {
      const [a, b] = [i - Math.round(rows), j - Math.round(columns)];
      if (a < 0 || b < 0 || a >= side || b >= side) continue;
      count += 1;
      const at = filter * side * side;
      const same_ = Math.abs(after.sum[at + side * i + j] - before.sum[at + side * a + b]) < 1e-9;
      if (Number.isInteger(rows) && Number.isInteger(columns) && same_) same += 1;
    }
  return { count, same };
}
