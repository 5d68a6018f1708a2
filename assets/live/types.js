// What Python sends and what the drawers share, as types for `make lint`; nothing here runs.

/**
 * A colour scale: the ends, and evenly spaced colours for a light and a dark page.
 * @typedef {{low: number, high: number, light: string[], dark: string[]}} ScaleSpec
 */

/**
 * What a model promises of a field (engine/live/reader.py, describe_field).
 * @typedef {{kind: string, says: string, symbol: string, unit: string, short: string, scale: ScaleSpec}} FieldSpec
 */

/**
 * A reader of the page, described once (engine/live/reader.py, Reader.describe); a page may send more.
 * @typedef {{id: string, title: string, run: string, unit: string, one: string, colour: number, marks: number, vocabulary: number, talks?: boolean,
 *   orders: string[] | null, labels: Record<string, string[]>, fields: Record<string, FieldSpec>, of?: string[],
 *   [more: string]: any}} ReaderSpec
 */

/** @typedef {{id: string, kind: string, title: string, says: string, reader?: string, column?: "left" | "right",
 *   words?: boolean, [more: string]: any}} PanelSpec */

/**
 * A step of the first minute (engine/course/base.py).
 * @typedef {{says: string, text: string, link: string, panel: string, asks: string, choices: string[], covers: string[]}} Step
 */

/** @typedef {{hash: string, readers: ReaderSpec[], panels?: PanelSpec[], prompt: string, placeholder: string,
 *   most_characters: number, tries: {text: string, look: string, link?: string, label?: string}[], steps?: Step[], columns: number[], asks?: boolean,
 *   selection?: Kept, vertical?: {name: string, size: number}, colours: {light: Record<string, string[]>, dark: Record<string, string[]>},
 *   chips?: string, kinds?: string[]}} Layout */

/**
 * A field as the browser keeps it: row by row, the last axis fastest.
 * @typedef {{axes: string[], shape: number[], values: Float32Array}} Field
 */

/**
 * The part of a field that is in a reply: `count` numbers from `at` on, of the positions behind the first
 * `keep` along the text; `fill` stands where the text ends, null is -inf.  `grows`: the axis that `keep` counts along where it
 * is none of the text.
 * `names`: several fields of one shape, one after another.
 * @typedef {{name: string, axes: string[], shape: number[], keep: number, at: number, count: number, fill: number | null,
 *   grows?: number[], names?: string[]}} Part
 */

/**
 * What one reader makes of the text, from token `keep` on (engine/live/reply.py, ReadingPart).  A span is in characters.
 * @typedef {{id: string, keep: number, offset: number, total: number, labels: string[], spans: Span[],
 *   unknown: number[], bits: (number | null)[], top: any[][], fields: Part[], lines?: any[], moves?: any[],
 *   notes?: any[], found?: any[], tops?: Record<string, any>, find?: object, said?: object, extra?: object,
 *   source?: {labels: string[], spans: Span[], unknown: number[]}, lost?: Span[]}} Reading
 */

/** @typedef {{page: string, seq: number, text: string, start: number, stop: number, refresh: string, layout: Layout,
 *   readings: Reading[], initial: {text: string, selection: Kept, start?: number, zoom?: number[]}, notes?: string[],
 *   waits?: number | string, strip?: object, turn?: boolean, file?: any, socket?: string}} Header */

/** @typedef {[number, number]} Span */

/**
 * What is looked at or kept: places count from 0, a token in the whole text.
 * @typedef {{token?: number, other?: number, layer?: number, head?: number, unit?: number, stop?: number, field?: string,
 *   reader?: string, span?: Span, next?: string, edits?: string, order?: string, by?: string, with?: string,
 *   rules?: string, masks?: string, steps?: string, up?: number, first?: number, shown?: number,
 *   mean?: number, seed?: number, size?: number, [more: string]: any}} Kept
 */

/** @typedef {{get(name: string): any, kept: Kept, keptToken(reader: import("./wire.js").Reader): number}} Looking */

/**
 * The text between two places where all readers cut.
 * @typedef {{start: number, stop: number, text: string, bits: number[], unknown: boolean[]}} Segment
 */

/**
 * An edit as it is written: each place a number, a range or "*"; `keys` only from token to token.
 * @typedef {{field: string, layer: string, unit: string, tokens: string, keys?: string, how: string, value?: string}} Edit
 */

/** @typedef {{t: number, k: number, p: number, m: number, y: number, r: number}} Rules */

/** @typedef {Float64Array | Float32Array | number[]} Numbers */

/**
 * What is drawn from, and how it came to be.
 * @typedef {{before: Float64Array, z: Float64Array, warm: Float64Array, after: Float64Array, order: Uint32Array,
 *   cuts: {name: string, title: string, mass: number, left: number}[], by: string[], left: number, kept: number}} Choice
 */

/** @typedef {{state: string, keep: string, write: string[], complement: boolean}} Memory */

/** A rectangle on a canvas, in CSS pixels. @typedef {{x: number, y: number, w: number, h: number}} Box */

/** Colours of the theme, as a canvas takes them. @typedef {{text: string, faint: string, line: string, accent: string, ground: string}} Ink */

export {};
