// Where the parts of an encoder-decoder stand in its diagram, what is linked, and which of them a family uses.

export const WIDE = 196,
  LEFT = 12,
  RIGHT = 252,
  TALL = 34;
// id: [side, top, height, label, stage]; stages are the four of the flow
/** @type {Record<string, [number, number, number, string, string]>} */
export const BLOCKS = {
  e_words: [LEFT, 478, 26, "English", "Input"],
  e_embed: [LEFT, 428, TALL, "Embedding + positions", "Input"],
  e_self: [LEFT, 356, TALL, "Self-attention", "Encoder"],
  e_norm1: [LEFT, 330, 22, "Add & norm", "Encoder"],
  e_ff: [LEFT, 276, TALL, "Feed-forward", "Encoder"],
  e_norm2: [LEFT, 250, 22, "Add & norm", "Encoder"],
  e_head: [LEFT, 160, TALL, "Label or hidden word", "Answer"],
  d_words: [RIGHT, 478, 26, "French so far", "Decoder"],
  d_embed: [RIGHT, 428, TALL, "Embedding + positions", "Decoder"],
  d_self: [RIGHT, 368, TALL, "Masked self-attention", "Decoder"],
  d_norm1: [RIGHT, 342, 22, "Add & norm", "Decoder"],
  d_cross: [RIGHT, 294, TALL, "Cross-attention", "Decoder"],
  d_norm2: [RIGHT, 268, 22, "Add & norm", "Decoder"],
  d_ff: [RIGHT, 220, TALL, "Feed-forward", "Decoder"],
  d_norm3: [RIGHT, 194, 22, "Add & norm", "Decoder"],
  d_out: [RIGHT, 126, TALL, "Linear", "Decoder"],
  d_soft: [RIGHT, 76, TALL, "Softmax", "Decoder"],
  d_next: [RIGHT, 30, 26, "Next word", "Loop"],
};
/** @type {[number, number, number, string][]} */
export const FRAMES = [
  [LEFT, 244, 152, "e_self"],
  [RIGHT, 188, 220, "d_self"],
];
export const LADDERS = [
  ["e_words", "e_embed", "e_self", "e_norm1", "e_ff", "e_norm2"],
  ["d_words", "d_embed", "d_self", "d_norm1"],
  ["d_norm1", "d_cross", "d_norm2", "d_ff"],
  ["d_ff", "d_norm3", "d_out", "d_soft", "d_next"],
];
export const USES = {
  both: (id) => id !== "e_head",
  encoder: (id) => id.startsWith("e_"),
  decoder: (id) => id.startsWith("d_") && id !== "d_cross" && id !== "d_norm2",
};
