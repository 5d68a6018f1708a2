// Where each number of a matrix (n, d) lies while it becomes h heads, and heads become a matrix again.

/**
 * The address t d + c of a number is its place in memory.  `split` and `heads` give for each address the head, the row
 * and the column at which it stands; a head has k = d / h columns.
 * @param {number} n @param {number} h @param {number} k @param {boolean} wrong read as (h, n, k) at once, nothing transposed
 * @returns {{head: number, row: number, column: number}[]}
 */
export function heads(n, h, k, wrong = false) {
  return Array.from({ length: n * h * k }, (_, at) => {
    const column = at % k;
    const outer = Math.floor(at / k); // t h + head, or wrongly head n + t
    return wrong
      ? { head: Math.floor(outer / n), row: outer % n, column }
      : { head: outer % h, row: Math.floor(outer / h), column };
  });
}
