import assert from "node:assert/strict";
import { test } from "node:test";

import { understood, written } from "../../assets/live/boltzmann/patterns.js";
import { Machine, angle } from "../../assets/live/sums/boltzmann.js";
import { randoms } from "../../assets/live/sums/network.js";
import { close, golden } from "./golden.js";

const { cases, course } = golden("boltzmann");
const rowsOf = (rows) => rows.map((row) => Float64Array.from(row));
Object.assign(globalThis, { location: { search: "", pathname: "/other" }, cancelAnimationFrame: () => {} });

for (const one of cases)
  test(`as torch by every configuration: ${one.n} and ${one.m} units`, () => {
    const machine = new Machine(one.n, one.m);
    machine.p.set(one.p);
    const rows = rowsOf(one.rows);
    close(machine.energy(rows[0], one.h), one.energy, "energy", 1e-12);
    const [seen, expected] = [new Float64Array(machine.count), new Float64Array(machine.count)];
    const logZ = machine.expected(expected);
    close(machine.logZ(), logZ, "ln Z", 1e-12);
    close(machine.likelihood(rows, logZ), one.likelihood, "mean ln P", 1e-12);
    machine.seen(rows, seen);
    close(
      [...seen].map((v, k) => v - expected[k]),
      one.gradient,
      "gradient",
      1e-12,
    );
  });

test("three visible and two hidden units: the numbers of a known example", () => {
  const machine = new Machine(3, 2);
  machine.p.set([0.5, -0.3, 0.2, 0.4, -0.6, 0.1, 0.1, -0.2, 0, 0.05, -0.1]);
  const [v0, v1] = [Float64Array.of(1, 0, 1), Float64Array.of(1, 1, 0)];
  close(
    machine.energy(v0, [1, 0]).reduce((a, b) => a + b),
    -0.05,
    "energy",
    1e-12,
  );
  close(Math.exp(machine.logZ()), 33.491497, "Z", 1e-6);
  close(machine.freeEnergy(v0), -1.322815, "free energy", 1e-6);
  close([...machine.hidden(v0, new Float64Array(2))], [0.487503, 0.425557], "hidden", 1e-6);
  close([...machine.visible([1, 0], new Float64Array(3))], [0.645656, 0.5, 0.354344], "visible", 1e-6);
  const [seen, then, exact] = [0, 0, 0].map(() => new Float64Array(machine.count));
  machine.seen([v0], seen);
  machine.seen([v1], then);
  machine.expected(exact);
  const of = (model) => [...seen].slice(0, 6).map((v, k) => v - model[k]);
  close(
    of(then).map((v) => 0.1 * v),
    [-0.019168, -0.007444, -0.067918, -0.05, 0.04875, 0.042556],
    "CD-1",
    1e-6,
  );
  close(of(exact), [0.156857, 0.168639, -0.297156, -0.286298, 0.289401, 0.204056], "exact", 1e-6);
});

test("fifty steps of each method are torch's, with the same draws", async () => {
  const { Trainer } = await import("../../assets/live/boltzmann/trainer.js");
  for (const [method, after] of Object.entries(course.after)) {
    const one = new Trainer();
    one.machine = new Machine(course.n, course.m);
    one.machine.p.set(course.p);
    one.data = { rows: rowsOf(course.rows), held: [], across: 3 };
    one.distinct = one.data.rows;
    for (const name of ["exact", "seen", "found"]) one[name] = new Float64Array(one.machine.count);
    one.chains = rowsOf(course.chains);
    one.batches = { at: (step) => course.order[step] };
    const { random } = one;
    one.random = (step) => {
      if (step < 0) return random.call(one, step); // what is only measured
      const drawn = course.uniforms[step][Symbol.iterator]();
      return () => drawn.next().value;
    };
    Object.assign(one.settings, { method, rate: course.rate });
    one.records = [];
    one.keep();
    for (let step = 0; step < 50; step++) {
      one.train(1);
      close([...one.machine.p], after[step], `${method}, after ${step + 1}`, 1e-9);
    }
    one.go(20);
    close([...one.machine.p], after[19], `${method}, back at 20`, 1e-9);
    one.train(10);
    close([...one.machine.p], after[29], `${method}, on again`, 1e-9);
    clearTimeout(one.writing);
  }
});

test("what is drawn comes as often as it is probable", () => {
  const machine = new Machine(3, 2);
  machine.p.set([0.5, -0.3, 0.2, 0.4, -0.6, 0.1, 0.1, -0.2, 0, 0.05, -0.1]);
  const random = randoms(1);
  const [v, counts] = [new Float64Array(3), new Array(8).fill(0)];
  for (let turn = 0; turn < 40_000; turn++) {
    machine.gibbs(v, 1, random);
    counts[4 * v[0] + 2 * v[1] + v[2]]++;
  }
  const logZ = machine.logZ();
  counts.forEach((count, k) => {
    const p = Math.exp(-machine.freeEnergy([k >> 2, (k >> 1) & 1, k & 1]) - logZ);
    assert.ok(Math.abs(count / 40_000 - p) < 0.012, `${k}: ${count / 40_000}, ${p}`);
  });
});

test("it learns bars and stripes, and goes back to any step", async () => {
  const { Trainer } = await import("../../assets/live/boltzmann/trainer.js");
  const one = new Trainer();
  assert.equal(one.data.rows.length, 30);
  close(one.best, -Math.log(30), "entropy", 1e-12);
  one.choose({ rate: 1, batch: 10_000 });
  const before = one.here.train;
  const seen = new Map();
  while (one.step < 410) {
    one.train(1);
    seen.set(one.step, [...one.machine.p]);
  }
  assert.ok(one.here.train > before + 1.5 && one.here.train < one.best);
  for (const step of [1, 399, 407]) {
    one.go(step);
    close([...one.machine.p], seen.get(step), `step ${step}`, 0);
  }
  one.choose({ method: "exact" });
  one.train(1);
  assert.ok(one.here.off < 1e-5);
  clearTimeout(one.writing);
});

test("patterns of one's own come back from a link, and digits wait for Python", async () => {
  const { Trainer } = await import("../../assets/live/boltzmann/trainer.js");
  const one = new Trainer();
  one.choose({ patterns: "own", own: [] });
  assert.equal(one.ready, false);
  one.add(Float64Array.from({ length: 16 }, (_, k) => k % 2));
  one.train(3);
  const said = one.address();
  assert.deepEqual([said.bm_patterns, said.bm_own, said.bm_steps], ["own", "5555", "3"]);
  one.read({ ...said, bm_rate: "x", bm_hidden: "99" });
  assert.deepEqual(one.address(), said);
  assert.deepEqual(understood(written(["0101010101010101"]) + "zz"), ["0101010101010101"]);
  one.read({ bm_patterns: "digits", bm_steps: "2" });
  assert.deepEqual([one.ready, one.step], [false, 0]);
  one.take({ digits: { rows: ["01", "11"], held: ["10"], across: 2 } });
  assert.deepEqual([one.ready, one.step, one.machine.n], [true, 2, 2]);
  assert.ok(Number.isFinite(one.here.held) && angle(one.exact, one.exact) < 1e-5);
  clearTimeout(one.writing);
});

test("what the first minute says", async () => {
  const { Trainer } = await import("../../assets/live/boltzmann/trainer.js");
  for (const [asked, mass, mean] of [
    [{}, 0.0005, -11.1],
    [{ bm_steps: "900" }, 0.24, -5.87],
    [{ bm_steps: "2000" }, 0.76, -5.35],
    [{ bm_steps: "1500", bm_method: "exact" }, 0.74, -3.89],
  ]) {
    const one = new Trainer();
    one.read(asked);
    close([one.here.mass], [mass], "share of all probability", 0.005);
    close([one.here.train], [mean], "mean ln P", 0.02);
    clearTimeout(one.writing);
  }
});
