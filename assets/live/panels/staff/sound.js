// Notes heard in the browser, and as a standard MIDI file: nothing is fetched for either.

const TICKS = 480; // of a quarter
const LOUD = 0.22;

export class Sound {
  /** @type {number[]} */
  timers = [];
  /** @type {AudioContext | null} */
  audio = null;

  get playing() {
    return this.audio !== null;
  }

  /**
   * @param {{pitch: number, rest: boolean, eighths: number, t: number}[]} notes @param {number} long seconds of an eighth
   * @param {(t: number) => void} light a note begins to sound @param {() => void} done
   */
  play(notes, long, light, done) {
    this.stop();
    const audio = (this.audio = new AudioContext());
    let at = 0.08;
    for (const { pitch, rest, eighths, t } of notes) {
      if (!rest) tone(audio, pitch, audio.currentTime + at, eighths * long);
      this.timers.push(setTimeout(() => light(t), 1000 * at));
      at += eighths * long;
    }
    this.timers.push(
      setTimeout(() => {
        this.stop();
        done();
      }, 1000 * at),
    );
  }

  stop() {
    this.timers.forEach(clearTimeout);
    this.timers = [];
    this.audio?.close();
    this.audio = null;
  }
}

/** @param {AudioContext} audio @param {number} pitch */
function tone(audio, pitch, at, long) {
  const [voice, level] = [audio.createOscillator(), audio.createGain()];
  voice.type = "triangle";
  voice.frequency.value = 440 * 2 ** ((pitch - 69) / 12);
  level.gain.setValueAtTime(0, at);
  level.gain.linearRampToValueAtTime(LOUD, at + 0.015);
  level.gain.exponentialRampToValueAtTime(0.001, at + long * 0.97);
  voice.connect(level).connect(audio.destination);
  voice.start(at);
  voice.stop(at + long);
}

/** @param {number} n in as many groups of seven bits as it needs */
function variable(n) {
  const found = [n & 127];
  while ((n >>= 7)) found.unshift((n & 127) | 128);
  return found;
}

/** @param {string} name @param {number[]} bytes */
function chunk(name, bytes) {
  const size = [24, 16, 8, 0].map((by) => (bytes.length >> by) & 255);
  return [...Array.from(name, (c) => c.charCodeAt(0)), ...size, ...bytes];
}

/**
 * A standard MIDI file of one track.
 * @param {{pitch: number, rest: boolean, eighths: number}[]} notes @param {number} tempo quarters in a minute
 */
export function midi(notes, tempo) {
  const micro = Math.round(6e7 / tempo);
  const track = [0, 0xff, 0x51, 3, (micro >> 16) & 255, (micro >> 8) & 255, micro & 255];
  let wait = 0;
  for (const { pitch, rest, eighths } of notes) {
    const ticks = Math.round((eighths * TICKS) / 2);
    if (rest) {
      wait += ticks;
      continue;
    }
    track.push(...variable(wait), 0x90, pitch, 80, ...variable(ticks), 0x80, pitch, 0);
    wait = 0;
  }
  track.push(...variable(wait), 0xff, 0x2f, 0);
  const head = [0, 0, 0, 1, TICKS >> 8, TICKS & 255];
  return Uint8Array.from([...chunk("MThd", head), ...chunk("MTrk", track)]);
}
