// The words of the three families of Transformer: what each is for, and what each of its parts does with how many numbers.

export const FAMILIES = {
  both: {
    title: "Encoder-decoder",
    says: "Encoder and decoder, linked by cross-attention: one text in, another out. Translation, summaries. The 2017 model, T5, BART, and the one on this page.",
  },
  encoder: {
    title: "Encoder only",
    says: "No decoder: every word sees all others, and the answer is a label or a hidden word, not a text. BERT: classes of sentences, names in a text, search.",
  },
  decoder: {
    title: "Decoder only",
    says: "No encoder and so no cross-attention: a decoder layer loses one of its three parts. Prompt and output form one sequence. GPT, Llama.",
  },
};

// A sentence about English and French, in the names of the two texts of the shown model.
export const named = (text, { sides = ["English", "French"] }) =>
  text.replaceAll("English", sides[0]).replaceAll("French", sides[1]);

const n = (x) => x.toLocaleString("en");

// A part, such as d_self: what it does, and its numbers in the shown model with the typed text.
export function tell(part, spec, reader) {
  const s = reader.source?.labels.length ?? 0,
    t = reader.labels.length;
  const english = part.startsWith("e_"),
    rows = english ? s : t;
  const cost = (count) => `${n(count)} parameters in a layer, ${n(count * spec.layers)} in ${spec.layers}`;
  const each = `${n(rows)} × ${spec.width} in, ${n(rows)} × ${spec.width} out`;
  const what = { ...spec, d: spec.width, v: spec.vocabulary, s, t, rows, cost, each, reader };
  const side = { self: english ? "reads" : "masked", words: english ? "source" : "target" };
  const name = part.slice(2).replace(/\d$/, "");
  const [title, says, numbers] = PARTS[side[name] ?? name](what);
  return { title, says, numbers };
}

const PARTS = {
  source: ({ s }) => ["English", "The whole sentence at once, and an end mark.", `${s} tokens`],
  target: ({ t }) => [
    "French so far",
    "A start mark, then the words written so far: the target moved one place to the right.",
    `${t} tokens`,
  ],
  embed: ({ v, d, tied, position, rows }) => [
    "Embedding + positions",
    `Each token is looked up in one table, the same for both texts${tied ? " and for the output" : ""}; its position is encoded by: ${position}.`,
    `table ${n(v)} × ${d} = ${n(v * d)} parameters\n${rows} × ${d}`,
  ],
  reads: ({ each, cost, attention }) => [
    "Self-attention",
    "Queries, keys and values all come from the English. No mask: the first word sees the last.",
    `${each}\n${cost(attention)}`,
  ],
  masked: ({ each, cost, attention }) => [
    "Masked self-attention",
    "Queries, keys and values all come from the French. The mask hides the words not yet written.",
    `${each}\n${cost(attention)}`,
  ],
  cross: ({ t, s, each, cost, attention }) => [
    "Cross-attention",
    "Queries come from the French, keys and values from the top of the encoder. It is the only way from one text to the other.",
    `weights ${t} × ${s} for each head\n${each}\n${cost(attention)}`,
  ],
  ff: ({ d, inner, cost, feed_forward }) => [
    "Feed-forward",
    "The same small network for every token by itself.",
    `${d} → ${n(inner)} → ${d}\n${cost(feed_forward)}`,
  ],
  out: ({ t, d, v, tied }) =>
    tied
      ? [
          "Linear",
          "The vector is compared with the embedding of every word, from the same table as the input (weight tying).",
          `${t} × ${d} by ${d} × ${n(v)}\nno parameters of its own; alone it would have ${n(v * d)}`,
        ]
      : ["Linear", "One number for every word, from a table of its own.", `${n(v * d)} parameters`],
  soft: ({ t, v }) => [
    "Softmax",
    "The numbers become probabilities of the next word.",
    `${t} × ${n(v)}, each row sums to 1`,
  ],
  next: ({ t, reader }) => [
    "Next word, and round again",
    "A word is chosen and joins the French; the decoder runs again until it chooses the end mark. The encoder runs once.",
    `likeliest now: ${reader.top[t - 1]?.[0]?.[0] ?? ""}`,
  ],
  head: () => [
    "Label or hidden word",
    "An encoder alone gets a small head for its task: one label for the text, one for each word, or the word behind a mask.",
    "not in the shown model",
  ],
  norm: ({ first, each, cost, norm }) => [
    first ? "Norm before the part, then add" : "Add & norm",
    first
      ? "The stream is normalised before each block; the block's output is added to the stream."
      : "The block's output is added to its input, then each token is normalised: x = LayerNorm(x + block(x)).",
    `${each}\n${cost(norm)}`,
  ],
};
