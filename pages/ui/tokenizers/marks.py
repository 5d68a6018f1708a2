"""Marks that no text contains, and what goes wrong in a recipe without two of its lines."""

from __future__ import annotations

import streamlit as st

from engine.lessons.tokenizers.rows import Row, cut
from engine.live.markdown import escape
from engine.text.tokenizer_comparison import careless as recipe
from engine.text.tokenizer_comparison.joined import framed
from pages.ui import rows as table

SAYS = {
    "[CLS]": "comes first; its vector represents the whole text",
    "[SEP]": "ends a sentence, and separates two",
    "[MASK]": "a hidden word, to be guessed",
    "[PAD]": "fills up short texts in a batch; attention must ignore it",
    "[UNK]": "a word that is not in the vocabulary",
    "<unk>": "a piece that is not in the vocabulary",
    "<s>": "begins a text",
    "</s>": "ends a text",
    "\n": "the line end: between two texts",
    "<|endoftext|>": "between two texts",
    "<pad>": "as [PAD]",
    "<mask>": "as [MASK]",
}
SHORTEST, MARKED = 12, 300  # pieces that a pair has at least; where marks are looked for
SIZE = 45


def show(rows: tuple[Row, ...], text: str, size: int) -> None:
    st.markdown(
        "Some tokens never occur in a text: they are inserted for the model. BERT reads a pair"
        " of texts as below: **[CLS]**, the first text, **[SEP]**, the second, **[SEP]**. The"
        " segment tells which of the two a token belongs to, and the attention mask is 0 at"
        " padding."
    )
    row = next((r for r in rows if r.id == "wordpiece"), rows[0])
    one, _, two = text.partition("\n")
    tokenizer = row.at(size)[0]
    if framed_rows := framed(tokenizer, one[:300], two.split("\n")[0][:300]):
        whole = [(label, id, n, 1) for label, id, n in framed_rows]
        whole += [("[PAD]", 0, 0, 0)] * (SHORTEST - len(whole))
        columns = ("piece", "number", "segment", "attention mask")
        pair = [
            {"place": n} | dict(zip(columns, cells, strict=True)) for n, cells in enumerate(whole)
        ]
        table.show(pair, "tok_pair", tallest=400)
        st.caption(
            f"{row.title}. The first line of your text is the first text, the second line the"
            f" second; inputs of fewer than {SHORTEST} pieces are padded with [PAD]."
        )
    where: dict[str, list[str]] = {}
    for r in rows:
        for number, piece in enumerate(r.at(size)[0].vocab[:MARKED]):
            if piece in SAYS:
                where.setdefault(piece, []).append(f"{r.title} {number}")
    said = [
        {
            "mark": piece.replace("\n", "⏎"),
            "purpose": SAYS[piece],
            "number in each tokenizer": ", ".join(places),
        }
        for piece, places in where.items()
    ]
    table.show(said, "tok_marks")
    typed = cut(row, size, "[MASK]")[0]
    st.markdown(
        f"A mark is a number, not letters: if you **type** “\\[MASK\\]”, the {row.title}"
        f" of this page reads {len(typed)} pieces, {escape(' | '.join(typed.labels))}, and no"
        " mark. A tokenizer.json may behave differently: there, the letters of an added token"
        " are read as the mark, so a text from outside can contain one. Try it with a file of"
        " your own."
    )


def careless(rows: tuple[Row, ...], text: str, size: int) -> None:
    st.markdown(
        "A widely copied recipe for BPE lacks two lines. Without a **pre-tokenizer**, merges"
        " run across spaces and line ends. Without an **unknown token**, a character that was"
        " not in the training text is dropped **silently**. Both versions are trained here on"
        " the text below; see what happens to a word that they have not seen."
    )
    left, right = st.columns((3, 2))
    learned = left.text_area(
        "Text to learn from", recipe.TEXT, key="tok_learn", max_chars=4_000, height=120
    )
    word = right.text_input("Text to cut", "zebra!", key="tok_word", max_chars=200)
    copied, whole = st.columns(2, gap="medium")
    with copied:
        st.markdown("**As copied: two lines missing**")
        _trained(learned, word, careful=False)
    with whole:
        st.markdown("**With both lines**")
        _trained(learned, word, careful=True)
    st.caption(
        f"At most {SIZE} pieces, marks included. The recipe also passes files as “*.txt”:"
        " train() expects file names and does not expand the star, so it stops with an error."
        " A byte-level BPE needs no unknown token: 256 bytes can write everything."
    )


def _trained(text: str, word: str, careful: bool) -> None:
    """How the recipe, trained on the text, cuts the word, and what it has learned."""
    made = recipe.train(text, SIZE, careful)
    pieces, gone = recipe.cut(made, word)
    st.code(" | ".join(map(_signs, pieces)) or "nothing", language=None, wrap_lines=True)
    if gone:
        st.markdown(
            f"Dropped silently: **{escape(' '.join(gone))}**, {len(gone)} of {len(word)} characters."
        )
    elif careful and "[UNK]" in pieces:
        st.markdown(
            f"{pieces.count('[UNK]')} pieces are unknown, and each shows that something was there."
        )
    else:
        st.markdown("Nothing is dropped.")
    known = recipe.learned(made)
    across = [p for p in known if p.strip() and any(c.isspace() for c in p)]
    if across:
        shown = ", ".join(f"“{escape(_signs(p))}”" for p in across[:6])
        st.markdown(
            f"{len(across)} of {len(known)} learned pieces contain a space or a line end: {shown}."
        )
    else:
        st.markdown("No learned piece contains a space or a line end.")


def _signs(piece: str) -> str:
    return piece.replace(" ", "·").replace("\n", "⏎")
