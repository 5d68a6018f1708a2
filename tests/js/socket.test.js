// The page's own socket: what goes over it, and what goes through Streamlit instead.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Socket, address } from "../../assets/live/socket.js";

/** @type {any[]} */
let lines = [];
class FakeWebSocket {
  static OPEN = 1;
  readyState = 0;
  /** @type {string[]} */
  sent = [];
  closed = false;

  /** @param {string} url */
  constructor(url) {
    this.url = url;
    lines.push(this);
  }
  /** @param {string} text */
  send(text) {
    this.sent.push(text);
  }
  close() {
    this.closed = true;
  }
  /** @param {number} code */
  fall(code) {
    this.readyState = 3;
    /** @type {any} */ (this).onclose({ code });
  }
  up() {
    this.readyState = 1;
    /** @type {any} */ (this).onopen();
    return this;
  }
}
Object.assign(globalThis, { WebSocket: FakeWebSocket });

const app = {
  /** @type {any[]} */ asked: [],
  /** @type {Uint8Array[]} */ got: [],
  /** @param {any} message */ ask: (message) => app.asked.push(message),
  /** @param {Uint8Array} data */ answered: (data) => app.got.push(data),
};
beforeEach(() => {
  lines = [];
  app.asked = [];
  app.got = [];
});

test("the socket is below the prefix of the app", () => {
  assert.equal(address("KEY", "https://here:1/assets/abc/socket.js"), "wss://here:1/live/KEY");
  assert.equal(address("KEY", "http://here/name/assets/abc/socket.js"), "ws://here/name/live/KEY");
});

test("a message goes over the socket once that is open, and its answer is drawn", () => {
  const socket = new Socket(app);
  assert.equal(socket.send({ seq: 1 }), false);
  socket.open("KEY");
  assert.match(lines[0].url, /\/live\/KEY$/);
  assert.equal(socket.send({ seq: 1 }), false); // not open yet
  lines[0].up();
  assert.equal(socket.send({ seq: 2 }), true);
  assert.deepEqual(lines[0].sent, ['{"seq":2}']);
  lines[0].onmessage({ data: new Uint8Array([1, 2]).buffer });
  assert.deepEqual(app.got, [new Uint8Array([1, 2])]);
  assert.deepEqual(app.asked, []);
});

test("what the socket can't answer, or loses, goes through Streamlit", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const socket = new Socket(app);
  socket.open("KEY");
  lines[0].up();
  socket.send({ seq: 3 });
  lines[0].onmessage({ data: "script" });
  socket.send({ seq: 4 });
  lines[0].fall(1006);
  assert.deepEqual(app.asked, [{ seq: 3 }, { seq: 4 }]);
  assert.equal(socket.send({ seq: 5 }), false);
  t.mock.timers.tick(2000);
  assert.equal(lines.length, 2); // tried again
  lines[1].up();
  assert.equal(socket.send({ seq: 6 }), true);
});

test("a page that may not ask does not try again, and one that never gets through stops trying", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const socket = new Socket(app);
  socket.open("OLD");
  lines[0].fall(4404);
  t.mock.timers.tick(60_000);
  assert.equal(lines.length, 1);
  socket.open("NEW");
  for (let i = 1; i < lines.length && i < 50; i += 1) {
    lines[i].fall(1006);
    t.mock.timers.tick(60_000);
  }
  assert.ok(lines.length > 3 && lines.length < 10);
});

test("the same key opens nothing new; another one, or going away, ends the one before", () => {
  const socket = new Socket(app);
  socket.open("A");
  socket.open("A");
  socket.open(undefined);
  assert.equal(lines.length, 1);
  lines[0].up();
  socket.send({ seq: 1 });
  socket.open("B");
  assert.equal(lines[0].closed, true);
  lines[0].fall(1000); // of no interest any more
  socket.close();
  assert.equal(lines[1].closed, true);
  assert.deepEqual(app.asked, []);
});
