// Where the nodes of a tree are.

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
