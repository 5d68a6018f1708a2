// One step of the running sum: its word, a bar from the sum before it to the sum with it, what it adds.

import { digits, element, percent, short } from "../../dom.js";

export function heads(unit) {
  const row = element("div", "bag-step bag-names");
  for (const name of ["word", "running sum", unit, unit === "bits" ? "so far" : ""])
    row.append(element("span", "", { textContent: name }));
  return row;
}

// i: the number of the step, or -1 for the sum of all.
export function stepRow(step, i, reach, unit) {
  const row = element("div", `bag-step bag-${step.what}`, { tabIndex: i < 0 ? -1 : 0 });
  if (i >= 0) row.dataset.row = i;
  if (step.never?.length) row.classList.add("bag-zero");
  const name = element("span", "bag-word", {
    textContent: step.what === "word" ? short(step.name, 24) : step.name,
  });
  if (step.n > 1) name.append(element("b", "", { textContent: ` ×${step.n}` }));
  const track = element("span", "bag-track");
  const place = (x) => (Number.isNaN(x) ? 50 : 50 + 50 * Math.max(-1, Math.min(1, x / reach)));
  const [from, to] = [place(step.before), place(step.after)];
  const bar = element("i", step.change >= 0 ? "un-more" : "un-less");
  if (Number.isNaN(step.change) || Number.isNaN(step.after)) bar.className = "bag-none";
  bar.style.left = `${Math.min(from, to)}%`;
  bar.style.width = `max(2px, ${Math.abs(to - from)}%)`;
  track.append(bar);
  const said = Number.isNaN(step.change) ? "0 / 0" : `${step.change > 0 ? "+" : ""}${digits(step.change)}`;
  const so = unit !== "bits" ? "" : Number.isNaN(step.after) ? "0 / 0" : percent(1 / (1 + 2 ** -step.after));
  row.append(
    name,
    track,
    element("span", "bag-number", { textContent: said }),
    element("span", "bag-number", { textContent: so }),
  );
  return row;
}
