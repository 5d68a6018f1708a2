// Normal numbers from uniform ones (Box & Muller), two at a time.

/** @param {() => number} random from 0 to 1 @returns {() => number} */
export function normals(random) {
  let kept = NaN;
  return () => {
    if (!Number.isNaN(kept)) {
      const found = kept;
      kept = NaN;
      return found;
    }
    const far = Math.sqrt(-2 * Math.log(1 - random()));
    const turn = 2 * Math.PI * random();
    kept = far * Math.sin(turn);
    return far * Math.cos(turn);
  };
}
