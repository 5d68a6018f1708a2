// The part of the map that is shown: as close as all that is named has room.

const MARGIN = [74, 24], // for the names
  CLOSEST = 900; // pixels of a unit of the map

/**
 * Where places of the map lie in a picture that these fill; right and up are as on the map.
 * @param {number[][]} places @param {number} width @param {number} tall @returns {(x: number, y: number) => [number, number]}
 */
export function fitted(places, width, tall) {
  const ends = [0, 1].map((i) => {
    const along = places.length ? places.map((p) => p[i]) : [0];
    return [Math.min(...along), Math.max(...along)];
  });
  const room = [width - 2 * MARGIN[0], tall - 2 * MARGIN[1]];
  const scale = Math.min(CLOSEST, ...ends.map(([low, top], i) => room[i] / Math.max(1e-9, top - low)));
  const [x0, y0] = ends.map(([low, top]) => (low + top) / 2);
  return (x, y) => [width / 2 + (x - x0) * scale, tall / 2 - (y - y0) * scale];
}
