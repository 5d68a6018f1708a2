import assert from "node:assert/strict";
import { test } from "node:test";

import { ACTIVATIONS, TASKS, loss, right, step } from "../../assets/live/sums/activations.js";
import { close, golden } from "./golden.js";

const { z, curves, learned } = golden("activations");

test("every function and its slope", () => {
  assert.deepEqual(Object.keys(ACTIVATIONS), Object.keys(curves));
  for (const [name, { of, slope }] of Object.entries(ACTIVATIONS)) {
    close(z.map(of), curves[name].of, name, 1e-12);
    close(z.map(slope), curves[name].slope, `slope of ${name}`, 1e-12);
  }
});

test("200 steps of learning, each task with each function", () => {
  for (const [f, task, [w1, w2], b, lost, hits] of learned) {
    const of = { w1: 1.5, w2: -1, b: 0.5 };
    for (let n = 0; n < 200; n++) step(of, f, TASKS[task], 0.05);
    close([of.w1, of.w2, of.b, loss(of, f, TASKS[task])], [w1, w2, b, lost], `${f}, ${task}`, 1e-9);
    assert.equal(right(of, f, TASKS[task]), hits, `${f}, ${task}`);
  }
});
