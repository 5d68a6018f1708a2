// What every unit makes of the plane, as small pictures, and the line on which the output is undecided.

export const GRID = 56;

export class Maps {
  version = -1;
  /** @type {import("../sums/network.js").Network} */
  net;
  sizes = "";
  /** @type {Float32Array[][]} */
  values = [];
  /** @type {any[][]} what each was drawn with before */
  stores = [];

  /** The values of every unit on a grid of the plane, top row first, each between −1 and 1. @param {import("./trainer.js").Trainer} trainer */
  follow(trainer) {
    if (this.version === trainer.version && this.net === trainer.net) return;
    const { net, data } = trainer;
    Object.assign(this, { version: trainer.version, net });
    if (this.sizes !== net.sizes.join()) {
      this.sizes = net.sizes.join();
      this.values = net.sizes.map((n) => Array.from({ length: n }, () => new Float32Array(GRID * GRID)));
      this.stores = net.sizes.map((n) => Array.from({ length: n }, () => ({})));
    }
    const [low, high] = data.box;
    const at = (n) => low + ((n + 0.5) / GRID) * (high - low);
    const place = new Float64Array(2);
    for (let r = 0, k = 0; r < GRID; r++) {
      place[1] = at(GRID - 1 - r);
      for (let c = 0; c < GRID; c++, k++) {
        place[0] = at(c);
        net.forward(place);
        for (let l = 0; l < net.a.length; l++)
          for (let j = 0; j < net.a[l].length; j++) this.values[l][j][k] = net.a[l][j];
      }
    }
    this.values.forEach((layer, l) => {
      for (const map of layer) {
        const share = l === net.last || (l && net.activation === "sigmoid");
        if (share) for (let k = 0; k < map.length; k++) map[k] = 2 * map[k] - 1;
        else if (!l || net.activation !== "tanh") {
          const most = map.reduce((a, v) => Math.max(a, Math.abs(v)), 1e-9);
          for (let k = 0; k < map.length; k++) map[k] /= most;
        }
      }
    });
    for (const store of this.stores.flat()) store.of = null; // its pixels are old
  }

  /** Where a map changes its sign, as short lines in shares of its sides. @param {Float32Array} map */
  static border(map) {
    const lines = [];
    const at = (r, c) => map[r * GRID + c];
    for (let r = 0; r < GRID - 1; r++)
      for (let c = 0; c < GRID - 1; c++) {
        const corners = [
          [r, c],
          [r, c + 1],
          [r + 1, c + 1],
          [r + 1, c],
        ];
        const ends = [];
        for (let n = 0; n < 4; n++) {
          const [a, b] = [corners[n], corners[(n + 1) % 4]];
          const [v, w] = [at(a[0], a[1]), at(b[0], b[1])];
          if (v > 0 === w > 0) continue;
          const share = v / (v - w);
          ends.push([
            (a[1] + share * (b[1] - a[1]) + 0.5) / GRID,
            (a[0] + share * (b[0] - a[0]) + 0.5) / GRID,
          ]);
        }
        for (let n = 0; n + 1 < ends.length; n += 2) lines.push([ends[n], ends[n + 1]]);
      }
    return lines;
  }
}
