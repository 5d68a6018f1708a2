// 100 % as one bar: what is kept, and what each rule cut.

import { element, percent } from "../../dom.js";
import { keyItem } from "../../parts/controls.js";

export class Mass {
  said = "";

  constructor() {
    this.bar = element("div", "un-mass", { role: "img" });
    this.key = element("p", "un-key");
    this.root = [this.bar, this.key];
  }

  // found: of `choose` in sums/decode.js, or null
  draw(found) {
    const cuts = (found?.cuts ?? []).map(({ title, mass }, i) => ({
      title: `cut by ${title}`,
      mass,
      colour: `var(--un-reader-${[1, 3, 4, 6][i]})`,
    }));
    const parts = found ? [{ title: "kept", mass: found.left, colour: "var(--un-accent)" }, ...cuts] : [];
    const said = parts.map((p) => `${p.title} ${percent(p.mass)}`).join(", ");
    if (this.said === said) return;
    this.said = said;
    this.bar.setAttribute("aria-label", `Shares of the mass after the temperature: ${said}`);
    this.bar.replaceChildren(
      ...parts.map((p) => {
        const node = element("i", "", { title: `${p.title}: ${percent(p.mass)}` });
        node.style.cssText = `width:${100 * p.mass}%;background:${p.colour}`;
        return node;
      }),
    );
    this.key.replaceChildren(...parts.map((p) => keyItem(p.colour, `${p.title} ${percent(p.mass)}`)));
  }
}
