// What the time machine sends: {run, step, seq}, step null for the finished run.  At most one message is on its way; while
// the page still answers, the newest wish waits, so dragging stays smooth.

const LOST_REPLY_MS = 4000;

export class Wishes {
  sent = 0; // the message on its way
  dirty = false; // a newer wish waits
  /** @param {{send: (seq: number) => void, drawn: () => void}} on send a message; the page has drawn, and nothing waits */
  constructor({ send, drawn }) {
    this.put = send;
    this.drawn = drawn;
  }

  get idle() {
    return !this.sent && !this.dirty;
  }

  wish() {
    if (this.sent) this.dirty = true;
    else this.send();
  }

  send() {
    this.dirty = false;
    this.sent = Date.now();
    this.put(this.sent);
    clearTimeout(this.lostTimer);
    this.lostTimer = setTimeout(() => this.answered(), LOST_REPLY_MS);
  }

  // The answer is there; the page below may still be at work on it, and a new wish would take its turn away.
  whenIdle() {
    clearTimeout(this.idleTimer);
    const app = /** @type {HTMLElement} */ (document.querySelector('[data-testid="stApp"]'));
    if (app?.dataset.testScriptState === "running") this.idleTimer = setTimeout(() => this.whenIdle(), 16);
    else this.answered();
  }

  answered() {
    clearTimeout(this.lostTimer);
    this.sent = 0;
    if (this.dirty) this.send();
    else this.drawn();
  }

  stop() {
    this.sent = 0;
    this.dirty = false;
    clearTimeout(this.lostTimer);
    clearTimeout(this.idleTimer);
  }
}
