// The way of a key past Streamlit: a WebSocket of the page's own (engine/live/socket.py).  Where none can be opened, or
// its answer is that the page's script has to answer, the message goes through Streamlit: slower, and no less right.

const SCRIPT = "script";
const AGAIN_MS = 2000; // after a connection was lost
const MOST_TRIES = 5; // in a row

/**
 * Below the same prefix as this file, which is at PREFIX/assets/VERSION/socket.js.
 * @param {string | undefined} key @param {string} file
 */
export const address = (key, file) => new URL(`../../live/${key}`, file).href.replace(/^http/, "ws");

export class Socket {
  /** @type {WebSocket | null} */
  line = null;
  /** @type {string | undefined} */
  key;
  /** @type {object | null} */
  waiting = null; // the message without an answer
  tries = 0;

  /** @param {any} app */
  constructor(app) {
    this.app = app;
  }

  /** @param {string | undefined} key under which this page may ask; the one in use changes nothing */
  open(key) {
    if (!key || key === this.key) return;
    this.close();
    this.key = key;
    this.tries = 0;
    this.connect();
  }

  connect() {
    const line = new WebSocket(address(this.key, import.meta.url));
    line.binaryType = "arraybuffer";
    line.onopen = () => (this.tries = 0);
    line.onmessage = ({ data }) => {
      if (line !== this.line) return;
      const { waiting } = this;
      this.waiting = null;
      if (data !== SCRIPT) this.app.answered(new Uint8Array(data));
      else if (waiting) this.app.ask(waiting);
    };
    line.onclose = ({ code }) => {
      if (line !== this.line) return;
      this.line = null;
      const { waiting } = this;
      this.waiting = null;
      if (waiting) this.app.ask(waiting);
      if (code >= 4000 || ++this.tries > MOST_TRIES) return; // not for us, or nothing lets it through
      this.timer = setTimeout(() => this.connect(), AGAIN_MS * this.tries);
    };
    this.line = line;
  }

  /** Whether the message is on its way. @param {object} message */
  send(message) {
    if (this.line?.readyState !== WebSocket.OPEN) return false;
    this.waiting = message;
    this.line.send(JSON.stringify(message));
    return true;
  }

  close() {
    clearTimeout(this.timer);
    const { line } = this;
    this.line = this.waiting = null;
    line?.close();
  }
}
