// Steps that come one after another, all of them in at most five seconds: which one is there, and how much of it has
// come.  One step alone has the time that it needs to be read.  Who asks for less motion gets each at once, by a click.

export const LONGEST_MS = 5000; // of all steps together
const STEP_MS = 900; // of one, where few have time enough
const MOVES = 0.65; // of a step; for the rest it stands still, to be read

/** Slow, fast, slow. @param {number} x from 0 to 1 */
const eased = (x) => x * x * (3 - 2 * x);

/** The time of the browser; a test brings its own. */
export const BROWSER = {
  now: () => performance.now(),
  frame: (/** @type {() => void} */ act) => requestAnimationFrame(act),
  cancel: (/** @type {number} */ id) => cancelAnimationFrame(id),
  calm: () => matchMedia("(prefers-reduced-motion: reduce)").matches,
};

export class Playback {
  /** @type {number | null} the step that is there or comes, from 0; null: the whole is shown */
  at = null;
  share = 1; // of the step that has come
  playing = false;
  frame = 0;
  began = 0;
  from = 0;
  until = 0; // the last step that is played
  ms = STEP_MS;
  count;
  where;
  show;
  move;

  /**
   * @param {object} of
   * @param {() => number} of.count how many steps there are
   * @param {() => number} of.where the step that the panel shows by itself
   * @param {(step: number, playing: boolean) => void} of.show another step is shown
   * @param {() => void} of.move more of the same step has come
   * @param {typeof BROWSER} time
   */
  constructor({ count, where, show, move }, time = BROWSER) {
    Object.assign(this, { count, where, show, move });
    this.time = time;
  }

  get last() {
    return Math.max(0, this.count() - 1);
  }
  get step() {
    return Math.max(0, Math.min(this.last, this.at ?? this.where()));
  }

  // Whether there is time to read what moves.
  get slow() {
    return this.ms > 300;
  }

  // One step by hand: nothing follows it.
  get alone() {
    return this.from === this.until;
  }

  // From the step shown on; from the first where the last is shown.
  play() {
    if (this.time.calm()) return this.next();
    if (this.playing || !this.count()) return;
    const from = this.step >= this.last ? 0 : this.step + (this.at === null ? 0 : 1);
    this.begin(from, this.last, Math.min(STEP_MS, LONGEST_MS / this.count()));
  }

  // The next step alone; after the last the first.
  next() {
    const step = this.step >= this.last ? 0 : this.step + 1;
    if (this.time.calm() || !this.count()) this.go(step);
    else this.begin(step, step, STEP_MS);
  }

  begin(from, until, ms) {
    this.time.cancel(this.frame);
    Object.assign(this, { playing: true, from, until, ms, began: this.time.now(), at: null });
    this.tick();
  }

  tick() {
    const done = Math.max(0, (this.time.now() - this.began) / this.ms);
    const step = this.from + Math.floor(done);
    const there = this.alone && done >= MOVES; // nothing comes for which it would stand still
    if (step > this.until || there) return this.go(this.until, this.until === this.last);
    this.share = eased(Math.min(1, (done % 1) / MOVES));
    this.frame = this.time.frame(() => this.tick());
    if (step === this.at) this.move();
    else {
      this.at = step;
      this.show(step, true);
    }
  }

  // A step as a whole; `all`: and with it the whole again.
  go(step, all = false) {
    this.stop();
    const there = Math.max(0, Math.min(this.last, step));
    this.at = all ? null : there;
    this.show(there, false);
  }

  pause() {
    if (this.playing) this.go(this.step);
  }

  back() {
    this.go(this.step - 1);
  }

  // At once, and the whole again with whatever is drawn next.
  stop() {
    this.time.cancel(this.frame);
    Object.assign(this, { playing: false, at: null, share: 1 });
  }
}
