import assert from "node:assert/strict";
import { test } from "node:test";

import { Network, update } from "../../assets/live/sums/network.js";
import { Batches, pointsOf, rounded, understood, written } from "../../assets/live/sums/pointsets.js";
import { close, golden } from "./golden.js";

const { cases, course } = golden("network");
const made = ({ sizes, activation, loss, p }) => {
  const net = new Network(sizes, activation, loss);
  net.p.set(p);
  return net;
};
const fresh = (net) => ({ m: new Float64Array(net.count), v: new Float64Array(net.count), t: 0 });
const ALL = [0, 1, 2, 3, 4, 5];

for (const one of cases)
  test(`as torch: ${one.sizes.join("-")}, ${one.activation}, ${one.loss}`, () => {
    const { sizes, x, t } = one;
    const net = made(one);
    const data = { x: Float64Array.from(x), t: Float64Array.from(t) };
    for (const n of ALL) close([...net.forward(x, 2 * n)], one.outputs[n], "outputs", 1e-12);
    const g = new Float64Array(net.count);
    net.gradient(data, ALL, g);
    close([...g], one.gradient, "gradient", 1e-10);
    if (sizes.at(-1) === 1) close(net.measure(data, ALL).loss, one.error, "loss", 1e-12);
    for (const [name, after] of Object.entries(one.steps)) {
      const own = made(one);
      const state = fresh(own);
      for (let step = 0; step < 5; step++) {
        own.gradient(data, ALL, g);
        update(name, own.p, g, state, 0.1);
      }
      close([...own.p], after, name, 1e-8);
    }
  });

test("two layers of sigmoids, half the square: the numbers of a known example", () => {
  const net = new Network([2, 2, 2], "sigmoid", "squared");
  net.p.set([0.15, 0.2, 0.25, 0.3, 0.35, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.6]);
  const [x, t] = [
    [0.05, 0.1],
    [0.01, 0.99],
  ];
  close([...net.forward(x)], [0.751365, 0.772928], "outputs", 1e-6);
  close([...net.a[1]], [0.59327, 0.596884], "hidden", 1e-6);
  close(net.lossOf(t), 0.298371, "loss", 1e-6);
  const g = new Float64Array(net.count);
  net.backward(t, 0, g);
  const expected = [0.000439, 0.000877, 0.000498, 0.000995, 0.008771, 0.009954];
  close(
    [...g],
    [...expected, 0.082167, 0.082668, -0.022603, -0.02274, 0.138499, -0.038098],
    "gradient",
    1e-6,
  );
  update("sgd", net.p, g, fresh(net), 0.5);
  net.forward(x);
  close(net.lossOf(t), 0.280471, "after a step", 1e-6);
  const stepped = [0.149781, 0.199561, 0.249751, 0.299502, 0.35, 0.35];
  net.p.set([...stepped, 0.358916, 0.408666, 0.511301, 0.56137, 0.6, 0.6]);
  net.forward(x);
  close(net.lossOf(t), 0.291028, "after a step of the weights alone", 1e-6);
});

test("descent on w²/2 for ten steps: rates that shrink the weight, turn it round and let it grow", () => {
  for (const [rate, size] of [
    [0.1, 0.348678],
    [0.9, 1e-10],
    [1.1, 1e-10],
    [2.1, 2.593742],
  ]) {
    const p = Float64Array.of(1);
    for (let step = 0; step < 10; step++) update("sgd", p, p.slice(), { m: p, v: p, t: 0 }, rate);
    close(Math.abs(p[0]) / size, 1, `rate ${rate}`, 2e-6);
  }
});

test("XOR with weights by hand", () => {
  const net = new Network([2, 2, 1], "sigmoid");
  net.p.set([20, 20, -20, -20, -10, 30, 20, 20, -30]);
  const { x, t, train, held } = pointsOf("corners", 0, 1);
  close([...t], [0, 1, 1, 0]);
  close(
    train.map((n) => net.forward(x, 2 * n)[0]),
    [4.5e-5, 0.999955, 0.999955, 4.5e-5],
    "outputs",
    1e-6,
  );
  assert.equal(held.length, 0);
});

test("points: the same for a seed, half held out, both classes alike", () => {
  for (const name of ["xor", "moons", "circles", "spirals", "clouds"]) {
    const [a, b, c] = [pointsOf(name, 0.1, 3), pointsOf(name, 0.1, 3), pointsOf(name, 0.1, 4)];
    close([...a.x], [...b.x], name, 0);
    if (name !== "spirals") assert.notDeepEqual([...a.x], [...c.x]);
    assert.equal(a.t.length, 200);
    assert.deepEqual([a.train.length, a.held.length], [100, 100]);
    for (const part of [a.train, a.held]) assert.equal(part.filter((n) => a.t[n] === 1).length, 50);
    assert.ok(a.x.every((v) => Math.abs(v) < 2));
  }
});

test("points of one's own come back from a link", () => {
  const own = [
    [rounded(0.123), rounded(-1.2), 0],
    [rounded(1.3), rounded(9), 1],
  ];
  close(understood(written(own)), own, "own", 1e-12);
  assert.deepEqual(understood("?????AAAAC!"), []);
  assert.equal(understood(written(own).repeat(300)).length, 200);
  assert.equal(pointsOf("own", 0, 1, own).held.length, 0);
  const many = Array.from({ length: 12 }, () => own[0]);
  assert.deepEqual(pointsOf("own", 0, 1, many).held, [3, 7, 11]);
});

test("a pass over the points meets each once, and a step always has the same points", () => {
  const train = Array.from({ length: 25 }, (_, n) => 2 * n);
  const batches = new Batches(train, 5);
  const seen = [0, 1, 2, 3, 4].flatMap((step) => batches.at(step, 5));
  assert.deepEqual(
    [...seen].sort((a, b) => a - b),
    train,
  );
  assert.deepEqual(new Batches(train, 5).at(3, 5), seen.slice(15, 20));
  assert.notDeepEqual(batches.at(5, 5), seen.slice(0, 5));
  assert.deepEqual(batches.at(9, 1000), train);
});

test("any earlier step is found again, and from there it goes on the same or otherwise", async () => {
  Object.assign(globalThis, {
    location: { search: "?net_points=moons&net_rate=0.3&net_seed=2", pathname: "/other" },
    cancelAnimationFrame: () => {},
  });
  const { Trainer } = await import("../../assets/live/network/trainer.js");
  const one = new Trainer();
  assert.deepEqual([one.settings.points, one.settings.rate, one.settings.seed], ["moons", 0.3, 2]);
  const seen = new Map();
  while (one.step < 2500) {
    one.train(1);
    seen.set(one.step, [...one.net.p]);
  }
  assert.ok(one.records.length < 500 && one.every > 1);
  for (const step of [1, 777, 1234, 2499, 2500]) {
    one.go(step);
    assert.deepEqual([one.step, one.end], [step, 2500]);
    close([...one.net.p], seen.get(step), `step ${step}`, 0);
  }
  one.go(777);
  one.train(100);
  close([...one.net.p], seen.get(877), "the same again", 0);
  assert.equal(one.end, 877);
  one.choose({ rate: 0.001, optimiser: "adam" });
  one.train(50);
  const here = [...one.net.p];
  one.go(500);
  close([...one.net.p], seen.get(500), "with the rate that it had", 0);
  one.go(927);
  close([...one.net.p], here, "with the rate that it has", 0);
  clearTimeout(one.writing);
});

test("fifty steps of the page's training are torch's, with the same start and the same points in each step", async () => {
  const { Trainer } = await import("../../assets/live/network/trainer.js");
  for (const [optimiser, after] of Object.entries(course.after)) {
    const one = new Trainer();
    one.read({ net_optimiser: optimiser, net_units: "4-3" });
    one.net.p.set(course.p);
    const all = course.t.map((_, n) => n);
    one.data = { ...one.data, x: Float64Array.from(course.x), t: course.t, train: all, held: [] };
    one.batches = { at: (step) => course.order[step] };
    for (let step = 0; step < 50; step++) {
      one.train(1);
      close([...one.net.p], after.p[step], `${optimiser}, weights after ${step + 1}`, 1e-9);
      close(one.measure().train.loss, after.loss[step], `${optimiser}, loss after ${step + 1}`, 1e-9);
    }
    assert.ok(after.loss[49] < after.loss[0]);
    clearTimeout(one.writing);
  }
});

test("what an address says is taken where it makes sense", async () => {
  const { Trainer } = await import("../../assets/live/network/trainer.js");
  const one = new Trainer();
  one.read({ net_points: "nonsense", net_rate: "99", net_units: "9-9", net_seed: "-1", net_steps: "x" });
  assert.deepEqual(one.address(), {});
  one.read({ net_units: "none", net_points: "corners", net_steps: 20, net_batch: 1000 });
  assert.deepEqual([one.net.sizes, one.step], [[2, 1], 20]);
  const { net_units, net_points, net_steps } = one.address();
  assert.deepEqual([net_units, net_points, net_steps], ["none", "corners", "20"]);
  const before = one.address();
  one.ask({ net_start: "hand" });
  close([...one.net.forward([0, 1])], [0.999955], "by hand", 1e-6);
  one.ask({});
  assert.deepEqual(one.address(), before);
  one.draw(0.5, 0.5, 1);
  assert.equal(one.settings.points, "own");
  assert.equal(one.data.t.length, 5);
  one.draw(0.5, 0.5, -1);
  assert.equal(one.data.t.length, 4);
  one.choose({ own: [] });
  assert.equal(one.data.t.length, 0);
  one.reach(10);
  assert.deepEqual([one.step, one.lost], [0, false]);
  clearTimeout(one.writing);
});
