// Small pieces for building the page.  Text from a person goes in by textContent only.

export function element(tag, className, properties = {}) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  for (const [key, value] of Object.entries(properties)) {
    if (key === "role") node.setAttribute("role", value);
    else node[key] = value;
  }
  return node;
}

// A text that is the same as before leaves the page alone.
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// The children of `list`, one for each item; a child whose item is the same as before stays.
export function follow(list, items, make) {
  const shown = (list.shown ??= []);
  items.forEach((item, i) => {
    const key = JSON.stringify(item);
    if (shown[i] === key) return;
    const node = make(item, i);
    if (i < shown.length) list.children[i].replaceWith(node);
    else list.append(node);
    shown[i] = key;
  });
  while (shown.length > items.length) {
    list.lastChild.remove();
    shown.pop();
  }
}

export const codePoints = (text) => Array.from(text);

// Space, line end and control characters made visible.
export function visible(label) {
  return label.replace(/[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202e\ufeff]/g, (c) => {
    if (c === " ") return "·";
    if (c === "\n") return "⏎";
    if (c === "\t") return "⇥";
    return `U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  });
}

export function short(label, most = 14) {
  const points = Array.from(visible(label));
  return points.length > most ? points.slice(0, most - 1).join("") + "…" : points.join("");
}

const THREE = { maximumSignificantDigits: 3 };

// Three significant digits; a number that is not finite is shown as a sign.
export function digits(value) {
  if (Number.isNaN(value)) return "n/a";
  if (value === Infinity) return "∞";
  if (value === -Infinity) return "−∞";
  if (value !== 0 && Math.abs(value) < 0.001) return value.toExponential(1).replace("-", "−");
  return value
    .toLocaleString("en", {
      ...THREE,
      useGrouping: false,
      minimumSignificantDigits: Math.abs(value) < 1000 && value !== 0 ? 3 : 1,
    })
    .replace("-", "−");
}

// A whole number written as an exponent.
export const raised = (n) => String(n).replace(/[-\d]/g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]));

// Ten to the power of `power` with three significant digits, however small.
export function powerOfTen(power) {
  if (power > -3) return digits(10 ** power);
  let exponent = Math.floor(power);
  let mantissa = (10 ** (power - exponent)).toFixed(2);
  if (mantissa === "10.00") {
    mantissa = "1.00";
    exponent += 1;
  }
  return `${mantissa} × 10${raised(exponent)}`;
}

// A probability as a number, three significant digits.
export const probability = (p) => (p > 0 ? powerOfTen(Math.log10(p)) : "0");

export function percent(p) {
  if (!Number.isFinite(p)) return digits(p);
  const x = 100 * p;
  if (x > 0 && x < 0.001) return "<0.001 %";
  return `${x >= 99.95 ? x.toFixed(1) : x.toPrecision(3).replace(/e.*/, "")} %`;
}

// The page is dark when its background is: asked of the painted colour, so that any theme works.
export function isDark(node) {
  const probe = getComputedStyle(document.querySelector(".stApp") ?? document.body).backgroundColor;
  const [r, g, b] = (probe.match(/[\d.]+/g) ?? [255, 255, 255]).map(Number);
  return 0.299 * r + 0.587 * g + 0.114 * b < 128;
}

// The colour of n-gram order m among n: from weak to strong over the whole ramp of sixteen.
export const orderColour = (m, n) => `--un-order-${n < 2 ? 15 : Math.round((15 * m) / (n - 1))}`;
