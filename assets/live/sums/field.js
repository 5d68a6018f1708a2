// Which places a prediction of dilated causal convolutions is made of, as engine/analysis/receptive_field.py has it.

/**
 * From the tokens up to the last layer; what would lie before the text is left out.
 * @param {number} layers @param {number} kernel @param {number} t @returns {number[][]}
 */
export function seen(layers, kernel, t) {
  const rows = [[t]];
  for (let layer = layers - 1; layer >= 0; layer--) {
    const below = new Set();
    for (const place of rows[0])
      for (let k = 0; k < kernel; k++) if (place - k * 2 ** layer >= 0) below.add(place - k * 2 ** layer);
    rows.unshift([...below].sort((a, b) => a - b));
  }
  return rows;
}
