// What has to come next in a line "w=w": behind the mark the letters again, then the end of the line.

/**
 * Per token the label that is right behind it; null where any letter may come, and behind the end of the copy.
 * @param {string[]} labels of the tokens, the start mark first @param {string} mark @param {string} end the start mark, which ends a line too
 */
export function due(labels, mark, end = labels[0]) {
  const at = labels.indexOf(mark);
  return labels.map((_, t) => {
    const copied = t - at; // letters
    if (at < 0 || copied < 0 || copied >= at) return null;
    return copied < at - 1 ? labels[1 + copied] : end;
  });
}
