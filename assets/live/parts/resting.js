// A wish that is sent in a moment of rest, when nothing else is on its way, and once for each text and choice.

/** @import { Panel } from "../panel.js" */

export class Resting {
  panel;
  name;
  wish;
  /** @type {string | undefined} what was asked for last */
  wanted;
  /** @type {string | undefined} what the next message asks for */
  asking;
  /** @type {any} the answer that was there when it was asked */
  before;

  /** @param {Panel} panel @param {string} name of the answer in `said` @param {() => object | null} wish null: nothing is wished */
  constructor(panel, name, wish) {
    Object.assign(this, { panel, name, wish });
  }

  get key() {
    return JSON.stringify([this.panel.app.text, this.panel.reader().offset, this.wish()]);
  }

  get said() {
    return this.panel.reader().said[this.name];
  }

  /** The answer to what is chosen now; undefined as long as it has not come. */
  get fresh() {
    return this.wanted === this.key && this.said !== this.before ? this.said : undefined;
  }

  rest() {
    const { app } = this.panel;
    if (!this.wish() || this.key === this.wanted || app.sent) return;
    if (performance.now() < app.savingUntil) return app.restSoon(); // one wish at a time
    this.wanted = this.asking = this.key;
    this.before = this.said;
    app.again();
  }

  ask() {
    const asked = this.asking === this.key;
    this.asking = undefined;
    return asked ? { [this.name]: this.wish() } : {};
  }
}
