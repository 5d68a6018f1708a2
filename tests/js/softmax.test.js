import { test } from "node:test";

import { LOSSES, gradient, softmax, step } from "../../assets/live/sums/softmax.js";
import { close, golden } from "./golden.js";

test("softmax, both losses, their gradients, and 50 steps of each", () => {
  for (const [start, target, t, p, kind, loss, slope, end] of golden("softmax").rows) {
    const z = [...start];
    close(softmax(z, t), p, "softmax", 1e-12);
    close(LOSSES[kind](z, target, t), loss, kind, 1e-12);
    close(gradient(kind, z, target, t), slope, `gradient of ${kind}`, 1e-12);
    for (let n = 0; n < 50; n++) step(kind, z, target, t, 1);
    close(z, end, `${kind}, 50 steps`, 1e-9);
  }
});
