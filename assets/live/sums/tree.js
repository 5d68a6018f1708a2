// Where the nodes of a tree are; and the tree of several futures of a text, where what begins alike shares a branch.

/**
 * The nodes of a tree, leaves beside each other and a parent in the middle between its first and its last child: each gets
 * `at`, where it is, and `depth`.  Returns how many leaves there are.
 * @template {{children: T[], at?: number, depth?: number}} T
 * @param {T[]} roots
 */
function layTree(roots) {
  let used = 0;
  const place = (/** @type {T} */ node, depth) => {
    node.depth = depth;
    for (const child of node.children) place(child, depth + 1);
    const wide = node.children.length ? 0 : 1;
    node.at = wide ? used + wide / 2 : (node.children[0].at + node.children.at(-1).at) / 2;
    used += wide;
  };
  for (const root of roots) place(root, 0);
  return used;
}

/**
 * The nodes with their children, likeliest first, their places, the text that leads to each, and how likely the whole way is.
 * @param {[number, string, number, number, number][]} found parent (-1 for a root), token, drawn with, what the model says, how many futures
 */
export function futureTree(found) {
  const nodes = found.map(([parent, label, chance, p, count]) => {
    return {
      parent,
      label,
      chance,
      p,
      count,
      text: label,
      whole: chance,
      children: [],
      at: 0,
      depth: 0,
      x: 0,
      y: 0,
    };
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
