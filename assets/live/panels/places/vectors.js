// What is added: the token's vector, its place's, and the sum that the first layer gets.  One column a token.

import { Scale, font, legend, raster } from "../../drawing/canvas.js";

const HEAD = 24,
  BAND = 66,
  LEGEND = 30;

export const ALL = 3 * (HEAD + BAND) + LEGEND + 8;

export class PlaceVectors {
  store = [];

  draw(g, top, where, { reader, query }, dark) {
    const { left, step, width, colours } = where;
    const added = reader.fields.get("embedding.position");
    const size = added.shape[1];
    const scale = new Scale(reader.spec.place.scale, dark);
    const token = reader.fields.get("embedding.token").values;
    if (this.sumOf !== added.values) {
      this.sumOf = added.values;
      this.sum = added.values.map((v, i) => v + token[i]);
    }
    g.imageSmoothingEnabled = false;
    [
      [`the token's own vector, ${size} numbers`, token],
      ["+ its place's", added.values],
      ["= what layer 1 gets", this.sum],
    ].forEach(([name, values], row) => {
      const y = top + row * (HEAD + BAND) + HEAD;
      this.band(g, values, row, y, where, reader.spec.place.waves, added.shape, scale);
      g.font = font(12, 600);
      g.fillStyle = colours.text;
      g.textAlign = "left";
      g.fillText(name, 2, y - 11, width - 4);
      g.strokeStyle = colours.accent;
      g.lineWidth = 1.5;
      g.strokeRect(left + query * step, y - 1, step, BAND + 2);
    });
    legend(g, left, top + ALL - LEGEND, Math.min(160, width - left - 90), scale, "value", colours);
  }

  // Sines above, cosines below: side by side, as they are added, they would only look like stripes.
  band(g, values, row, y, { left, step, colours }, waves, [count, size], scale) {
    const parts = waves ? [0, 1].map((n) => [n, (size - n + 1) >> 1, 2]) : [[0, size, 1]];
    const high = BAND / parts.length;
    parts.forEach(([first, rows, apart], n) => {
      const store = (this.store[2 * row + n] ??= {});
      const picture = raster(store, values, rows, count, first, apart, size, scale);
      g.drawImage(picture, left, y + n * high, step * count, high);
    });
    g.strokeStyle = colours.line;
    g.lineWidth = 1;
    g.strokeRect(left - 0.5, y - 0.5, step * count + 1, BAND + 1);
    g.font = font(11);
    g.fillStyle = colours.faint;
    g.textAlign = "right";
    const [above, below, at] = waves ? ["sin", "cos", 0.25] : ["0", String(size - 1), 0.09];
    g.fillText(above, left - 6, y + at * BAND);
    g.fillText(below, left - 6, y + (1 - at) * BAND);
  }
}
