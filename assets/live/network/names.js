// What the numbers of the small network are called.

const LOW = Array.from("₀₁₂₃₄₅₆₇₈₉");

/** A unit: x₁, a₂, b₁ ..., and the output p. @param {{last: number, sizes: number[]}} net @param {number} layer @param {number} unit */
export function unitName(net, layer, unit) {
  if (layer === net.last) return "p";
  return `${"xabcd"[layer]}${LOW[unit + 1]}`;
}

/** What an activation is called in a formula. @type {Record<string, string>} */
export const CALLED = { relu: "ReLU", leaky: "leaky ReLU" };

/** A number with its sign where it is negative, three digits. @param {number} value */
export function short(value) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "n/a";
  const size = Math.abs(value);
  const written =
    size >= 1000
      ? size.toExponential(1)
      : size >= 100
        ? size.toFixed(0)
        : size >= 10
          ? size.toFixed(1)
          : size >= 0.01 || !size
            ? size.toFixed(2)
            : size >= 0.001
              ? size.toFixed(3)
              : size.toExponential(0);
  return (value < 0 ? "−" : "") + written.replace("e-", "e−").replace("e+", "e");
}

export const whole = (/** @type {number} */ n) => Math.round(n).toLocaleString("en");
