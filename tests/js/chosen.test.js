import assert from "node:assert/strict";
import { test } from "node:test";

import {
  bestBaseline,
  drawnSlopes,
  expected,
  marginal,
  reinforced,
  scatter,
  straight,
} from "../../assets/live/sums/chosen.js";
import { close, golden } from "./golden.js";

test("hard attention: slopes, baselines and scatter, and draws that come to the exact slope", () => {
  for (const row of golden("chosen").rows) {
    const { look, reward } = row;
    close(expected(look, reward), row.expected, "expected", 1e-12);
    close(marginal(look, reward), row.marginal, "marginal", 1e-12);
    close(reinforced(look, reward, look.length - 1, 0.5), row.reinforced, "reinforced", 1e-12);
    const made = straight(look, row.pull);
    close(made.slope, row.straight, "straight-through", 1e-12);
    close(made.scatter, row.straight_scatter, "its scatter", 1e-12);
    close(bestBaseline(look, reward), row.best, "best baseline", 1e-9);
    close(
      [0, -2, row.best].map((b) => scatter(look, reward, b)),
      row.scatter,
      "scatter",
      1e-9,
    );
    const count = 20_000;
    const { slope, times } = drawnSlopes(look, reward, 0, count, 7);
    assert.equal(
      times.reduce((a, b) => a + b, 0),
      count,
    );
    const off = Math.hypot(...slope.map((g, s) => g - row.expected[s]));
    assert.ok(off <= 4 * Math.sqrt(row.scatter[0] / count) + 1e-12, `${off}`);
  }
});
