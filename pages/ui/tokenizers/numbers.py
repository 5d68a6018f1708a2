"""A text as numbers: which piece has which, and what a text of so many tokens costs a model."""

from __future__ import annotations

from collections import Counter
from typing import Any

import streamlit as st

from engine.lessons.tokenizers.rows import SHIPPED, Row, cut
from engine.text.tokenizer_comparison.compare import bytes_of, cost
from engine.views.theme import visible
from pages.ui import rows as table

LONGEST = 5_000  # characters that are numbered
WORDS = next(row for row in SHIPPED if row.id == "words")
WIDTHS = (32, 64, 128, 256, 384, 768, 1024, 4096)


def chosen(rows: tuple[Row, ...], key: str, first: str) -> Row:
    """One of the tokenizers; `first` is the id of the one to begin with."""
    names = {row.id: row for row in rows}
    at = list(names).index(first)
    return names[st.selectbox("Tokenizer", names, at, lambda id: names[id].title, key, width=420)]


def numbers(rows: tuple[Row, ...], text: str, size: int) -> None:
    st.markdown(
        "A model never sees letters, only numbers. The same piece has the same number wherever"
        " it occurs, and the number is its row in the embedding table."
    )
    row = chosen(rows, "tok_numbers", rows[min(3, len(rows) - 1)].id)
    tokens, _ = cut(row, size, text[:LONGEST])
    tokenizer = row.at(size)[0]
    st.code(
        " ".join(map(str, tokens.ids.tolist()[:400])) or "nothing", wrap_lines=True, language=None
    )
    times = Counter(tokens.ids.tolist())
    first = {id: i for i, id in reversed(list(enumerate(tokens.ids.tolist())))}
    said = [
        {
            "piece": visible(tokenizer.vocab[id]),
            "number": id,
            "count here": n,
            "means": visible(text[slice(*tokens.spans[first[id]])]),
            "bytes": bytes_of(text[slice(*tokens.spans[first[id]])])[:60],
        }
        for id, n in sorted(times.items(), key=lambda item: first[item[0]])
    ]
    table.show(said[:500], "tok_index")
    st.caption(
        "“The cat sat on the mat.” is often numbered 1 2 3 4 1 5, six numbers for seven"
        " pieces. That list omits the full stop and lower-cases “The”. Compare “words” above,"
        " where “The” and “the” have two numbers, with WordPiece, which lower-cases the text"
        " and has one number for both."
    )


def model(rows: tuple[Row, ...], text: str, size: int) -> None:
    st.markdown(
        "There are two costs to balance. A longer text means more steps for a recurrent"
        " network and more pairs for attention; a larger vocabulary means more rows in the"
        " embedding table."
    )
    width = st.select_slider("Numbers in an embedding", WIDTHS, 256, key="tok_width", width=420)
    whole = dict.fromkeys(("tokens", "vocabulary", *cost(1, 1, 1)), table.WHOLE)
    table.show([_bill(row, width, size, text) for row in rows], "tok_bill", whole)
    st.caption(
        f"For the whole text, {len(text):,} characters. Table: numbers in the embedding table,"
        " vocabulary × embedding size; the same again where the output has a table of its own."
        " Steps: of a recurrent network. Pairs: of one attention head, where each token"
        " attends to itself and to all before it. Unknown: what the model can never tell"
        " apart."
    )
    st.markdown(
        "How much longer is a text in characters? The usual answer is “five times for"
        " English”. Compared with words and punctuation marks, the factor is 3.3 for “The cat"
        " sat on the mat.” and 7.2 for “Natural language processing is fascinating.” For your"
        " text, see the row of characters: long words raise the factor."
    )


def _bill(row: Row, width: int, size: int, text: str) -> dict[str, Any]:
    tokens, found = cut(row, size, text)
    cuts = max(1, len(cut(WORDS, size, text)[0]))
    return {
        "tokenizer": row.title,
        "tokens": len(tokens),
        "times words": round(len(tokens) / cuts, 2),
        "unknown": found.unknown,
        "vocabulary": found.vocabulary,
        **cost(width, len(tokens), found.vocabulary),
    }
