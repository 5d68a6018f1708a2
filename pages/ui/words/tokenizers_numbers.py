"""A text as numbers: which piece has which, and what a text of so many tokens costs a model."""

from __future__ import annotations

from collections import Counter
from typing import Any

import streamlit as st

from engine.cutting.compare import bytes_of, cost
from engine.views.theme import visible
from pages.ui.words.tokenizers_rows import SHIPPED, Row, cut

LONGEST = 5_000  # characters that are numbered
WORDS = next(row for row in SHIPPED if row.id == "words")
WIDTHS = (32, 64, 128, 256, 384, 768, 1024, 4096)


def numbers(rows: tuple[Row, ...], text: str, size: int) -> None:
    st.markdown("A model never sees letters: it gets the numbers. The same piece has the same number wherever it stands, and the number is its row in the table of embeddings.")
    names = {row.id: row for row in rows}
    row = names[st.selectbox("Tokenizer", names, index=min(3, len(names) - 1), format_func=lambda id: names[id].title, key="tok_numbers", width=420)]
    tokens, _ = cut(row, size, text[:LONGEST])
    tokenizer = row.at(size)[0]
    st.code(" ".join(map(str, tokens.ids.tolist()[:400])) or "nothing", wrap_lines=True, language=None)
    times = Counter(tokens.ids.tolist())
    first = {id: i for i, id in reversed(list(enumerate(tokens.ids.tolist())))}
    said = [
        {"piece": visible(tokenizer.vocab[id]), "number": id, "times here": n,
         "stands for": visible(text[slice(*tokens.spans[first[id]])]), "bytes": bytes_of(text[slice(*tokens.spans[first[id]])])[:60]}
        for id, n in sorted(times.items(), key=lambda item: first[item[0]])
    ]  # fmt: skip
    st.dataframe(said[:500], hide_index=True, key="tok_index")
    st.caption(
        "“The cat sat on the mat.” is often numbered 1 2 3 4 1 5, six numbers for seven pieces. That list leaves out the full stop and writes “The” in small letters first: "
        "read “words” above, where “The” and “the” have two numbers, and WordPiece, which lowers the case and has one for both."
    )


def model(rows: tuple[Row, ...], text: str, size: int) -> None:
    st.markdown("Two bills stand against each other. A longer text is more steps for a recurrent network and more pairs for attention; a larger vocabulary is more rows in the table of embeddings.")
    width = st.select_slider("Numbers in an embedding", WIDTHS, 256, key="tok_width", width=420)
    whole = {name: st.column_config.NumberColumn(format="localized") for name in ("tokens", "vocabulary", *cost(1, 1, 1))}
    st.dataframe([_bill(row, width, size, text) for row in rows], hide_index=True, key="tok_bill", column_config=whole)
    st.caption(
        f"Of the whole text, {len(text):,} characters. Table: numbers in the table of embeddings, vocabulary × numbers in an embedding; "
        "as many again where the output has a table of its own. Steps: of a recurrent network. "
        "Pairs: of one attention head, where each token looks at itself and at all before it. Unknown: what the model can never tell apart."
    )
    st.markdown(
        "How much longer is a text in characters? “Five times for English” is often said. Measured against words and single signs it is 3.3 times for “The cat sat on the mat.” and 7.2 times for "
        "“Natural language processing is fascinating.”; for your text, read the row of characters: long words make it more."
    )


def _bill(row: Row, width: int, size: int, text: str) -> dict[str, Any]:
    tokens, found = cut(row, size, text)
    cuts = max(1, len(cut(WORDS, size, text)[0]))
    return {
        "tokenizer": row.title, "tokens": len(tokens), "times words": round(len(tokens) / cuts, 2), "unknown": found.unknown, "vocabulary": found.vocabulary,
        **cost(width, len(tokens), found.vocabulary),
    }  # fmt: skip
