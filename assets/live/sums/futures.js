// The tree of several futures of a text: what begins alike shares a branch.

import { layTree } from "../marks/graph.js";

/**
 * The nodes with their children, likeliest first, their places, the text that leads to each, and how likely the whole way is.
 * @param {[number, string, number, number, number][]} found parent (-1 for a root), token, drawn with, what the model says, how many futures
 */
export function futureTree(found) {
  const nodes = found.map(([parent, label, chance, p, count]) => {
    return { parent, label, chance, p, count, text: label, whole: chance, children: [], at: 0, depth: 0 };
  });
  for (const n of nodes) {
    const above = nodes[n.parent];
    if (!above) continue;
    above.children.push(n);
    n.whole *= above.whole;
    n.text = above.text + n.label;
  }
  const likeliest = (a, b) => b.chance - a.chance;
  for (const n of nodes) n.children.sort(likeliest);
  const rows = layTree(nodes.filter((n) => !nodes[n.parent]).sort(likeliest));
  return { nodes, rows, deepest: Math.max(...nodes.map((n) => n.depth)) };
}
