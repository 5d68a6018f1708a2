import assert from "node:assert/strict";
import { test } from "node:test";

import { LONGEST_MS, Playback } from "../../assets/live/parts/playback.js";
import { Player } from "../../assets/live/parts/player.js";
import { madeOf } from "../../assets/live/panels/flow/moving.js";

// A clock that a test turns: `to(ms)` runs the frames of a screen with sixty a second.
function clock(calm = false) {
  const time = { at: 0, next: null, frames: 0 };
  return {
    now: () => time.at,
    frame: (act) => {
      time.next = act;
      return ++time.frames;
    },
    cancel: () => {
      time.next = null;
    },
    calm: () => calm,
    get waits() {
      return time.next !== null;
    },
    to(ms) {
      for (; time.at < ms && time.next; time.at += 1000 / 60) {
        const act = time.next;
        time.next = null;
        act();
      }
    },
  };
}

function made(count, { calm = false, where = () => count - 1 } = {}) {
  const time = clock(calm);
  const seen = [];
  const shares = [];
  const playback = new Playback(
    {
      count: () => count,
      where,
      show: (step, playing) => seen.push([step, playing]),
      move: () => shares.push([playback.at, playback.share]),
    },
    time,
  );
  return { playback, time, seen, shares };
}

test("every step comes in turn, within five seconds, and then the whole is there again", () => {
  for (const count of [2, 5, 6, 36, 200]) {
    const { playback, time, seen, shares } = made(count);
    playback.play();
    assert.deepEqual([playback.playing, playback.at], [true, 0]);
    time.to(LONGEST_MS + 40);
    assert.deepEqual([playback.playing, playback.at, playback.share], [false, null, 1]);
    assert.ok(!time.waits && time.now() <= LONGEST_MS + 40, `${count} steps: ${time.now()} ms`);
    const steps = Array.from({ length: count }, (_, n) => [n, true]);
    assert.deepEqual(seen, [...steps, [count - 1, false]], `${count} steps`);
    shares.forEach(([at, share], i) => {
      const [before, less] = shares[i - 1] ?? [0, 0];
      assert.ok(at > before || share >= less, "nothing goes back");
    });
  }
});

test("a step that has come stands still before the next begins", () => {
  const { playback, time, shares } = made(4);
  playback.play();
  time.to(800);
  assert.deepEqual(shares.at(-1), [0, 1]);
  assert.ok(shares.some(([, share]) => share > 0 && share < 1));
});

test("more steps than frames: some are passed by, the last is not", () => {
  const { playback, time, seen } = made(1000);
  playback.play();
  time.to(LONGEST_MS + 40);
  assert.ok(seen.length < 400);
  assert.deepEqual(seen.at(-1), [999, false]);
});

test("Pause keeps the step as a whole, Play goes on with the next", () => {
  const { playback, time, seen } = made(5);
  playback.play();
  time.to(1900);
  assert.equal(playback.at, 2);
  playback.pause();
  assert.deepEqual([playback.at, playback.share, time.waits], [2, 1, false]);
  assert.deepEqual(seen.at(-1), [2, false]);
  playback.play();
  assert.deepEqual([playback.at, seen.at(-1)], [3, [3, true]]);
});

test("a step by hand has the time to be read; after the last comes the first", () => {
  const { playback, time, seen } = made(3);
  const next = () => {
    playback.next();
    const { at, share, slow, playing } = playback;
    assert.deepEqual([share, slow, playing], [0, true, true]);
    time.to(time.now() + 2000);
    assert.deepEqual([playback.share, playback.playing, time.waits], [1, false, false]);
    assert.deepEqual(seen.at(-1), [at, false]);
    return at;
  };
  assert.deepEqual([next(), next(), next()], [0, 1, 2]);
  assert.equal(playback.at, null, "with the last the whole is there");
  playback.go(1);
  playback.next();
  playback.next(); // again while it plays: the one after
  assert.deepEqual([playback.at, seen.at(-1)], [0, [0, true]]);
  playback.go(99);
  assert.equal(playback.at, 2);
  for (const step of [1, 0, 0]) {
    playback.back();
    assert.deepEqual([playback.at, playback.playing], [step, false]);
  }
});

test("it begins where the panel stands, and anew where that is the end", () => {
  for (const [where, first] of [
    [0, 0],
    [2, 2],
    [4, 0],
  ]) {
    const { playback } = made(5, { where: () => where });
    playback.play();
    assert.equal(playback.at, first);
  }
});

test("who asks for less motion takes the steps one by one", () => {
  const { playback, time, seen } = made(3, { calm: true });
  for (const step of [0, 1, 2, 0]) {
    playback.play();
    assert.deepEqual([playback.at, playback.share, playback.playing], [step, 1, false]);
  }
  assert.ok(!time.waits);
  assert.ok(seen.every(([, playing]) => !playing));
});

test("stopped, it draws nothing more and shows the whole", () => {
  const { playback, time, seen, shares } = made(5);
  playback.play();
  time.to(500);
  const drawn = [seen.length, shares.length];
  playback.stop();
  assert.deepEqual([playback.at, playback.share, playback.playing], [null, 1, false]);
  time.to(5000);
  assert.deepEqual([seen.length, shares.length, time.waits], [...drawn, false]);
});

test("nothing to play", () => {
  const { playback, time } = made(0);
  playback.play();
  assert.ok(!playback.playing && !time.waits);
});

test("a stop is made of the stream and what was added, a norm of the stream, a block of what it reads", () => {
  const names = ["token", "place", "stream", "norm", "attention", "stream", "norm", "feed-forward", "stream"];
  const more = { 2: {}, 3: { of: 2 }, 4: { adds: 2, then: 5 }, 6: { of: 5 }, 7: { adds: 5, then: 8 } };
  const stops = names.map((name, n) => ({ name, stream: name === "stream", ...more[n] }));
  assert.deepEqual(
    stops.map((_, n) => madeOf(stops, n)),
    [[], [], [0, 1], [2], [3], [2, 4], [5], [6], [5, 7]],
  );
});

// As much of a page as the bar needs.
class Node extends EventTarget {
  textContent = "";
  classList = { add: () => {} };
  attributes = {};
  append() {}
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
  removeAttribute(name) {
    delete this.attributes[name];
  }
}

function bar({ calm = false } = {}) {
  globalThis.document = { createElement: () => new Node() };
  const time = clock(calm);
  Object.assign(globalThis, {
    requestAnimationFrame: time.frame,
    cancelAnimationFrame: time.cancel,
    matchMedia: () => ({ matches: calm }),
  });
  const selection = { kept: {}, hovered: {}, sent: 0 };
  selection.look = (place) => (selection.hovered = place);
  selection.keep = (place) => Object.assign(selection, { kept: place, hovered: {} });
  const app = { root: new Node(), box: new Node(), text: "abc" };
  const panel = { app, selection, drawn: 0 };
  const player = new Player(panel, {
    title: "Watch",
    count: () => 3,
    says: (step) => "abc"[step],
    where: () => selection.hovered.token ?? selection.kept.token ?? 2,
    place: (token) => ({ token }),
  });
  panel.draw = () => {
    panel.drawn += 1;
    player.draw();
  };
  player.time = { ...player.time, now: time.now };
  return { player, time, selection, app, panel };
}

function typed({ app }) {
  const event = new Event("input");
  Object.defineProperty(event, "target", { value: app.box });
  app.root.dispatchEvent(event);
}

test("a key in the text box ends the playing at once, and leaves the drawing to the reply", () => {
  const made = bar();
  const { player, time, selection, app, panel } = made;
  player.play();
  time.to(1000);
  assert.deepEqual([player.playing, player.at, selection.hovered], [true, 1, { token: 1 }]);
  assert.equal(player.button.textContent, "Pause");
  const { drawn } = panel;
  typed(made);
  assert.deepEqual([player.playing, player.at, player.share], [false, null, 1]);
  assert.deepEqual([selection.hovered, panel.drawn, time.waits], [{}, drawn, false]);
  assert.equal(player.button.textContent, "Play");
  app.text = "abcd";
  player.draw();
  assert.equal(player.said.textContent, "");
});

test("another text by other ways than a key ends it with its first drawing", () => {
  const { player, time, app } = bar();
  player.play();
  time.to(200);
  app.text = "another";
  player.draw();
  assert.deepEqual([player.playing, player.at, time.waits], [false, null, false]);
});

test("looking elsewhere in a pause shows the whole again", () => {
  const { player, selection } = bar();
  player.go(0);
  player.draw();
  assert.deepEqual([player.at, selection.kept], [0, { token: 0 }]);
  selection.hovered = { token: 2 };
  player.draw();
  assert.equal(player.at, null);
});

test("a step by hand is kept at once, and other keys lead away from it", () => {
  const { player, selection, panel } = bar();
  player.go(0);
  player.next();
  assert.deepEqual([player.playing, player.at, selection.kept], [true, 1, { token: 1 }]);
  panel.draw();
  assert.ok(player.playing);
  selection.kept = { token: 2 };
  panel.draw();
  assert.deepEqual([player.playing, player.at, selection.kept], [false, null, { token: 2 }]);
});

test("a screen reader is told of a step that stands, not of each that runs past", () => {
  const { player, time } = bar();
  player.play();
  player.draw();
  assert.deepEqual([player.said.textContent, player.said.attributes["aria-live"]], ["1 of 3: a", "off"]);
  time.to(6000);
  assert.deepEqual([player.said.textContent, player.said.attributes["aria-live"]], ["3 of 3: c.", "polite"]);
});

test("left and right keys step; with less motion Play is a step", () => {
  const { player, selection } = bar({ calm: true });
  const press = (key) => {
    const event = Object.assign(new Event("keydown", { cancelable: true }), { key });
    player.node.dispatchEvent(event);
    return [event.defaultPrevented, player.at, selection.kept.token];
  };
  assert.deepEqual([player.button.textContent, player.after.hidden], ["Next step", true]);
  assert.deepEqual(press("ArrowRight"), [true, 0, 0]);
  assert.deepEqual(press("ArrowRight"), [true, 1, 1]);
  assert.deepEqual(press("ArrowLeft"), [true, 0, 0]);
  assert.equal(press("a")[0], false);
  player.button.onclick();
  assert.deepEqual([player.at, player.playing], [1, false]);
});
