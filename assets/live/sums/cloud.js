// Many points of a map in two or three dimensions: places in 16 bits, turned, scaled and found again under the pointer.

const KINDS = { u2: Uint16Array, u4: Uint32Array, u1: Uint8Array, i2: Int16Array, f4: Float32Array };

export function numbers(text, kind) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new KINDS[kind](bytes.buffer);
}

export class Cloud {
  moving;

  constructor(spec) {
    this.count = spec.words.length;
    this.dims = spec.dims;
    const places = numbers(spec.places, "u2");
    this.places = new Float32Array(places.length); // in units of the map
    for (let i = 0; i < places.length; i++) this.places[i] = spec.low[i % spec.dims] + spec.step * places[i];
    this.frames = spec.frames && { ...spec.frames, places: numbers(spec.frames.places, "u2") };
    this.x = new Float32Array(this.count); // on the screen
    this.y = new Float32Array(this.count);
    this.z = new Float32Array(this.count); // nearness to the eye, in units of the map
    this.shown = this.places;
    this.fit();
  }

  // The middle and the reach of what is shown; few points far out do not shrink all others.
  fit() {
    const { dims, count, shown } = this;
    this.middle = [0, 0, 0];
    this.reach = 1e-9;
    for (let d = 0; d < dims; d++) {
      const sorted = Float32Array.from({ length: count }, (_, i) => shown[i * dims + d]).sort();
      const low = sorted[Math.floor(0.001 * (count - 1))],
        high = sorted[Math.ceil(0.999 * (count - 1))];
      this.middle[d] = (low + high) / 2;
      this.reach = Math.max(this.reach, ((high - low) / 2) * 1.06);
    }
  }

  // The places of one frame, or the finished ones.
  at(frame) {
    if (frame === this.frame) return;
    this.frame = frame;
    if (frame === null) {
      this.shown = this.places;
      return this.fit();
    }
    const { places, low, step } = this.frames;
    const { dims, count } = this;
    this.moving ??= new Float32Array(count * dims);
    const from = frame * count * dims;
    for (let i = 0; i < count * dims; i++)
      this.moving[i] = low[frame][i % dims] + step[frame] * places[from + i];
    this.shown = this.moving;
    this.fit();
  }

  // One place of the map on the screen: [x, y, nearness].
  to(place, view) {
    let [a, b, c] = [0, 1, 2].map((d) => (d < this.dims ? place[d] - this.middle[d] : 0));
    if (this.dims === 3) {
      const [ca, sa, cb, sb] = view.turn;
      [a, c] = [ca * a + sa * c, ca * c - sa * a];
      [b, c] = [cb * b - sb * c, sb * b + cb * c];
    }
    return [view.left + a * view.scale, view.top - b * view.scale, c];
  }

  project(view) {
    const { count, dims, shown, x, y, z } = this;
    const { scale, left, top } = view;
    const [m0, m1, m2] = this.middle;
    const [ca, sa, cb, sb] = view.turn;
    for (let i = 0, p = 0; i < count; i++, p += dims) {
      let a = shown[p] - m0,
        b = shown[p + 1] - m1;
      if (dims === 3) {
        const c = shown[p + 2] - m2,
          d = ca * c - sa * a;
        a = ca * a + sa * c;
        z[i] = sb * b + cb * d;
        b = cb * b - sb * d;
      }
      x[i] = left + a * scale;
      y[i] = top - b * scale;
    }
  }

  // The point nearest to the pointer, at most `most` pixels away; -1 where there is none.
  nearest(px, py, most) {
    const { count, x, y, z } = this;
    let best = -1,
      least = most * most;
    for (let i = 0; i < count; i++) {
      const dx = x[i] - px,
        dy = y[i] - py,
        d = dx * dx + dy * dy;
      if (d < least || (d === least && best >= 0 && z[i] > z[best])) {
        best = i;
        least = d;
      }
    }
    return best;
  }

  // The points inside a polygon [[x, y], ...] on the screen.
  inside(polygon) {
    const found = [];
    for (let i = 0; i < this.count; i++) {
      let within = false;
      const px = this.x[i],
        py = this.y[i];
      for (let a = 0, b = polygon.length - 1; a < polygon.length; b = a++) {
        const [xa, ya] = polygon[a],
          [xb, yb] = polygon[b];
        if (ya > py !== yb > py && px < ((xb - xa) * (py - ya)) / (yb - ya) + xa) within = !within;
      }
      if (within) found.push(i);
    }
    return found;
  }
}
