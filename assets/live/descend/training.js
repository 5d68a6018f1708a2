// A training on a board: its settings, its steps, and every state it was in.
//
// A step depends on its settings, the seed and its number alone, so any earlier state is found again: the nearest one
// that was kept, and the steps from there once more.

const [KEPT, FEW, SLICE_MS, PACE_MS, REACHED] = [400, 100, 9, 500, 20_000];

export class Training {
  /** @type {any} */
  settings = {};
  running = false;
  lost = false; // its numbers are finite no more
  version = 0; // changes with every number
  asked = "{}";
  step = 0;
  every = 1;
  /** @type {any[]} */
  records = [];

  /** @param {string} page its place in the address @param {string} prefix of its names there @param {number} most steps */
  constructor(page, prefix, most) {
    this.page = page;
    this.prefix = prefix;
    this.most = most;
    /** @type {Set<() => void>} */
    this.listeners = new Set();
  }

  // What each training has of its own.
  /** The usual settings. @returns {any} */
  usual() {
    return {};
  }
  /** Settings as an address says them, where it makes sense. @param {(name: string) => string | undefined} _get @returns {any} */
  understand(_get) {
    return this.usual();
  }
  /** How a setting that is not the usual one stands in an address. @param {string} _name @param {any} value */
  written(_name, value) {
    return String(value);
  }
  /** Which settings make it begin anew. @type {Set<string>} */
  anew = new Set();
  /** What a setting changes besides. @param {any} more */
  agree(more) {
    return more;
  }
  /** There is something to learn from. */
  get ready() {
    return true;
  }
  /** A net of these settings, which has learned nothing. */
  begin() {}
  /** One step, without counting it. @param {any} _settings */
  learn(_settings) {}
  /** What is measured of this moment, and the numbers that a later step depends on, copied. @returns {any} */
  moment() {
    return {};
  }
  /** The other way round. @param {any} _record */
  restore(_record) {}
  /** @param {any} _record @returns {boolean} whether its numbers are finite */
  sound(_record) {
    return true;
  }

  /** @param {() => void} listener called after every change; returns what ends that */
  hear(listener) {
    this.listeners.add(listener);
    this.writeSoon(); // whoever comes back to the page finds it as it was
    return () => {
      this.listeners.delete(listener);
      if (!this.listeners.size) this.pause();
    };
  }

  tell() {
    this.version++;
    for (const listener of this.listeners) listener();
    this.writeSoon();
  }

  writeSoon() {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => this.write(), 300);
  }

  /** Other settings, as an address or Python writes them: every name with the prefix. */
  read(asked) {
    const given = Object.fromEntries(asked instanceof URLSearchParams ? asked : Object.entries(asked));
    const get = (name) =>
      given[this.prefix + name] === undefined ? undefined : String(given[this.prefix + name]);
    this.settings = this.understand(get);
    this.again();
    const steps = Number(get("steps"));
    if (steps > 0) this.reach(Math.min(steps, REACHED));
  }

  /** What Python asks for, when it is something new: `read` of that, and of what was there before once nothing is asked. */
  ask(asked) {
    const told = JSON.stringify(asked ?? {});
    if (told === this.asked) return;
    const begins = this.asked === "{}";
    if (begins) this.before = this.address();
    this.asked = told;
    this.pause();
    this.read(told === "{}" ? this.before : asked);
    this.tell();
  }

  /** @returns {Record<string, string>} the settings that are not the usual ones */
  address() {
    const usual = this.usual();
    const found = Object.entries(this.settings)
      .map(([name, value]) => [name, this.written(name, value)])
      .filter(([name, value]) => value !== this.written(name, usual[name]));
    if (this.step) found.push(["steps", String(this.step)]);
    return Object.fromEntries(found.map(([name, value]) => [this.prefix + name, value]));
  }

  write() {
    if (!this.listeners.size || !location.pathname.endsWith(`/${this.page}`) || this.running) return;
    const url = new URL(location.href);
    for (const name of [...url.searchParams.keys()])
      if (name.startsWith(this.prefix)) url.searchParams.delete(name);
    for (const [name, value] of Object.entries(this.address())) url.searchParams.set(name, value);
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  }

  /** Chooses something; what changes the net or its examples begins anew. @param {Record<string, any>} chosen */
  choose(chosen) {
    const more = this.agree(chosen);
    this.settings = { ...this.settings, ...more };
    if (Object.keys(more).some((name) => this.anew.has(name))) {
      this.pause();
      this.again();
    } else if (!("speed" in more)) this.cut();
    this.tell();
  }

  again() {
    this.begin();
    Object.assign(this, { step: 0, every: 1, records: [], lost: false });
    this.keep();
  }

  /** Forgets what came after this step: from here on it goes on otherwise. */
  cut() {
    this.records = this.records.filter((record) => record.step < this.step);
    this.keep(true);
  }

  /** Keeps the state of this moment. @param {boolean} fixed also when every second one goes */
  keep(fixed = false) {
    const record = { step: this.step, fixed, settings: { ...this.settings }, ...this.moment() };
    this.records.push(record);
    this.lost = !this.sound(record);
    if (this.records.length <= KEPT) return;
    this.every *= 2;
    this.records = this.records.filter(
      (one, n) => one.fixed || one.step % this.every === 0 || n === this.records.length - 1,
    );
  }

  get end() {
    return Math.max(this.step, this.records.at(-1).step);
  }

  /** So many steps on, or as many as there is time for. @param {number} count @param {number} until a time in ms */
  train(count, until = Infinity) {
    if (this.step < this.records.at(-1).step) this.cut();
    for (let n = 0; n < count && this.step < this.most && !this.lost; n++) {
      this.learn(this.settings);
      this.step++;
      if (this.step % this.every === 0) this.keep();
      if (performance.now() > until) break;
    }
    if (this.lost || this.step >= this.most) this.running = false;
  }

  /** Trains up to a step that was not reached yet, at once; on the way fewer moments are kept. @param {number} step */
  reach(step) {
    while ((step - this.step) / this.every > FEW) this.every *= 2;
    if (this.ready) this.train(step - this.step);
    if (this.records.at(-1).step !== this.step) this.keep();
  }

  /** The state after a step that was there already. @param {number} step */
  go(step) {
    this.pause();
    const asked = Math.max(0, Math.min(step, this.end));
    const last = this.records.at(-1);
    if (this.step > last.step) this.keep();
    const found = this.records.findLast((record) => record.step <= asked);
    this.restore(found);
    this.step = found.step;
    this.lost = false;
    while (this.step < asked) {
      this.learn(found.settings);
      this.step++;
    }
    this.tell();
  }

  play() {
    if (this.running || !this.ready) return;
    this.running = true;
    this.last = performance.now();
    this.since = { at: this.last, step: this.step }; // from where the pace is counted
    this.pace = 0;
    this.due = 0;
    this.frame = requestAnimationFrame((now) => this.tick(now));
    this.tell();
  }

  pause() {
    if (!this.running) return;
    this.running = false;
    cancelAnimationFrame(this.frame);
    this.tell();
  }

  tick(now) {
    if (!this.running) return;
    const { speed } = this.settings;
    const before = this.step;
    this.due += (Math.min(200, now - this.last) * speed) / 1000;
    this.last = now;
    if (speed) this.train(Math.floor(this.due), performance.now() + 3 * SLICE_MS);
    else this.train(Infinity, performance.now() + SLICE_MS);
    this.due -= Math.floor(this.due);
    if (now - this.since.at >= PACE_MS) {
      this.pace = ((this.step - this.since.step) * 1000) / (now - this.since.at);
      this.since = { at: now, step: this.step };
    }
    if (this.step !== before || !this.running) this.tell();
    if (this.running) this.frame = requestAnimationFrame((next) => this.tick(next));
  }
}
