// Walks through the steps, each when the page has drawn the one before.  Who asks for less motion takes them
// one by one.

import { button } from "../parts/controls.js";

const PLAY_MS = 700; // a step at least

export class Walk {
  playing = null; // {ready: the page has drawn the last step, since, timer, began}
  calm = matchMedia("(prefers-reduced-motion: reduce)").matches;

  /**
   * @param {{next: () => void, last: () => boolean}} steps the next one, the first after the last; whether it
   *   is the last
   */
  constructor({ next, last }) {
    this.next = next;
    this.last = last;
    this.node = button("Play", () => this.play());
    this.say();
  }

  play() {
    if (this.playing) return this.stop();
    if (this.calm) return this.next();
    this.playing = { ready: true, since: -PLAY_MS };
    this.say();
    this.tick();
  }

  tick() {
    const { playing } = this;
    if (!playing) return;
    if (playing.ready && performance.now() - playing.since >= PLAY_MS) {
      if (playing.began && this.last()) return this.stop();
      Object.assign(playing, { ready: false, since: performance.now(), began: true });
      this.next();
    }
    playing.timer = setTimeout(() => this.tick(), 30);
  }

  // The page has drawn.
  ready() {
    if (this.playing) this.playing.ready = true;
  }

  stop() {
    if (!this.playing) return;
    clearTimeout(this.playing.timer);
    this.playing = null;
    this.say();
  }

  say() {
    this.node.textContent = this.calm ? "Next step" : this.playing ? "Stop" : "Play";
    this.node.title = this.calm ? "Next step; after the last, back to the first" : "Play all kept steps";
  }
}
