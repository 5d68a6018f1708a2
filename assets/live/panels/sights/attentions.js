// The three attentions of an encoder-decoder: whose words look, at whose, and what that means.

export const KINDS = [
  {
    name: "encoder.attention",
    title: "Encoder: self-attention",
    rows: "source",
    columns: "source",
    says: "Every word of the English looks at every other, forwards too.",
  },
  {
    name: "attention",
    title: "Decoder: masked self-attention",
    rows: "target",
    columns: "target",
    says: "A word of the French looks at itself and back. Grey is masked: words not yet written.",
  },
  {
    name: "cross.attention",
    title: "Decoder: cross-attention",
    rows: "target",
    columns: "source",
    says: "Every step looks at all of the English: a rectangle, with nothing masked.",
  },
];

// What comes of it when the decoder gives the values and the encoder the rest.
export function wrongly({ source, target }, dim) {
  const whole = `Here queries and keys come from the encoder and values from the decoder. Then A is ${source} × ${source} and V is ${target} × ${dim}`;
  return source === target
    ? `${whole}. The sizes fit only because both texts have ${source} tokens here; even so each row would belong to a word of the English, and mix words of the French. Type one word more.`
    : `${whole}: a product of ${source} columns with ${target} rows does not exist.`;
}
