import assert from "node:assert/strict";
import { test } from "node:test";

import { Data, best, divergence, fixed, shares, understood, written } from "../../assets/live/gan/data.js";
import { Adversaries } from "../../assets/live/sums/adversarial.js";
import { randoms } from "../../assets/live/sums/network.js";
import { normals } from "../../assets/live/sums/normals.js";
import { close, golden } from "./golden.js";

const { cases, draws, hidden, noise, rate } = golden("adversarial");
Object.assign(globalThis, { location: { search: "", pathname: "/other" }, cancelAnimationFrame: () => {} });

for (const { loss, cure, start, after, scores, lossD } of cases)
  test(`fifty turns are those of torch: ${loss}, ${cure}`, () => {
    const nets = new Adversaries(noise, hidden, cure === "statistics");
    nets.G.p.set(start.G);
    nets.D.p.set(start.D);
    const of = { loss, rate, penalty: cure === "penalty" ? 1 : 0, spectral: cure === "spectral" };
    const near = 1e-7;
    draws.forEach(({ real, zD, zG, share }, n) => {
      const drawn = share[Symbol.iterator]();
      nets.stepD(of, Float64Array.from(real), nets.made(Float64Array.from(zD)), () => drawn.next().value);
      nets.stepG(of, Float64Array.from(zG));
      close([...nets.D.p], after[n].D, `D after ${n + 1}`, near);
      close([...nets.G.p], after[n].G, `G after ${n + 1}`, near);
    });
    const made = nets.made(Float64Array.from(draws[0].zG));
    close([...nets.scores(made)], scores, "scores", near);
    close([nets.lossD(loss, Float64Array.from(draws[0].real), made)], [lossD], "loss of D", near);
    if (cure === "spectral") for (const { size } of nets.singular()) close([size], [1], "norm", 1e-9);
  });

test("the pull on a made point is minus the slope of G's loss there", () => {
  for (const loss of ["plain", "saturating", "wasserstein"])
    for (const statistics of [false, true]) {
      const nets = new Adversaries(2, 6, statistics);
      nets.G.begin(randoms(1));
      nets.D.begin(randoms(2));
      const made = nets.made(Float64Array.of(0.3, -0.2, 1, 0.5, -1, 0.8));
      const pulls = nets.pulls(loss, made);
      made.forEach((value, k) => {
        const ends = [1e-6, -1e-6].map((far) => {
          const moved = made.slice();
          moved[k] = value + far;
          return nets.lossG(loss, moved);
        });
        assert.ok(Math.abs((ends[1] - ends[0]) / 2e-6 - pulls[k]) < 1e-7, `${loss} ${k}`);
      });
    }
});

test("divergence and the best discriminator of known shares", () => {
  const [p, q] = [Float64Array.of(0.5, 0.5, 0), Float64Array.of(0, 0.5, 0.5)];
  close([divergence(p, q)], [0.346574], "JS", 1e-6);
  close([...best(p, q)], [1, 0.5, 0], "best D", 1e-7);
  close([divergence(Float64Array.of(1, 0), Float64Array.of(0, 1))], [Math.LN2], "nothing shared", 1e-12);
});

test("points lie where they should, and their shares sum to 1", () => {
  for (const name of ["ring", "grid", "two", "circle", "spiral", "line"]) {
    const data = new Data(name, []);
    const x = fixed(data, 2000, 1);
    close([...x], [...fixed(data, 2000, 1)], "the same again", 0);
    assert.ok(
      x.every((v) => Math.abs(v) < 1.6),
      name,
    );
    const found = shares(x);
    close([found.reduce((a, b) => a + b)], [1], name, 1e-9);
    if (data.counts) assert.deepEqual(data.covered(x).modes, data.modes.length);
  }
  const half = new Data("two", []).covered(fixed(new Data("own", [[-0.8, 0]]), 500, 3));
  assert.equal(half.modes, 1);
  assert.ok(half.near > 0.99);
  const normal = normals(randoms(4));
  const drawn = Array.from({ length: 20_000 }, normal);
  const mean = drawn.reduce((a, b) => a + b) / drawn.length;
  const spread = drawn.reduce((a, b) => a + (b - mean) ** 2, 0) / drawn.length;
  assert.ok(Math.abs(mean) < 0.03 && Math.abs(spread - 1) < 0.03);
});

test("it learns two clouds, and goes back to any step", async () => {
  const { Trainer } = await import("../../assets/live/gan/trainer.js");
  const one = new Trainer();
  one.choose({ points: "two", hidden: 16 });
  const first = one.here.js;
  const seen = new Map();
  for (let step = 0; step < 300; step++) {
    one.train(1);
    if (step % 50 === 7) seen.set(one.step, [...one.nets.G.p, ...one.nets.D.p]);
  }
  assert.ok(one.here.js < 0.8 * first && one.here.modes === 2);
  one.choose({ loss: "saturating" });
  one.train(5);
  for (const [step, p] of seen) {
    one.go(step);
    close([...one.nets.G.p, ...one.nets.D.p], p, `step ${step}`, 0);
  }
  clearTimeout(one.writing);
});

test("what an address says is taken where it makes sense", async () => {
  const { Trainer } = await import("../../assets/live/gan/trainer.js");
  const one = new Trainer();
  one.read({ gan_points: "nonsense", gan_rate: "9", gan_seed: "-1", gan_steps: "x" });
  assert.deepEqual(one.address(), {});
  one.choose({ cure: "penalty" });
  assert.equal(one.settings.loss, "wasserstein");
  one.choose({ loss: "plain" });
  assert.equal(one.settings.cure, "none");
  one.choose({ points: "own", own: [] });
  assert.deepEqual([one.ready, one.lost], [false, false]);
  one.add(0.5, -1);
  one.train(2);
  const said = one.address();
  assert.equal(understood(written([[0.5, -1]]), 9).length, 1);
  const other = new Trainer();
  other.read(said);
  assert.deepEqual([other.step, other.data.modes.length], [2, 1]);
  assert.ok(Math.abs(other.data.modes[0][1] + 1) < 0.03);
  for (const trainer of [one, other]) clearTimeout(trainer.writing);
});

test("what the first minute says", async () => {
  const { Trainer } = await import("../../assets/live/gan/trainer.js");
  for (const [asked, modes] of [
    [{ gan_pushes: "10", gan_steps: "300" }, 4],
    [{ gan_pushes: "10", gan_steps: "300", gan_cure: "unrolled" }, 8],
  ]) {
    const one = new Trainer();
    one.read(asked);
    assert.equal(one.here.modes, modes);
    clearTimeout(one.writing);
  }
});
