"""The same sentence in nineteen languages: how many tokens each language pays for the same
thing."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.core.trace import Axis, Field, FieldSpec, Kind
from engine.live.markdown import escape
from engine.stages.tokenizers.rows import MANY, Row, cut
from engine.text.tokenizer_comparison.languages import ENGLISH, SENTENCES, WITHOUT_BLANKS
from engine.views.base import number
from pages.ui import plate
from pages.ui.plate import Plate


def show(rows: tuple[Row, ...], text: str, size: int) -> None:
    st.markdown(
        "One everyday sentence, the same in every language. Commercial models charge by the"
        " token, and a context window is measured in tokens: a language that needs three times"
        " as many gets a third of the text for the same money. The tokenizers here learned"
        " from **English** alone (bytes learn nothing); “of many languages” learned from one"
        " text in all nineteen, the Universal Declaration of Human Rights."
    )
    names = {row.id: row for row in (*rows, *(() if MANY in rows else (MANY,)))}
    row = names[
        st.selectbox(
            "Tokenizer",
            names,
            index=list(names).index("bpe"),
            format_func=lambda id: names[id].title,
            key="tok_language",
            width=420,
        )
    ]
    found = {language: cut(row, size, sentence) for language, sentence in SENTENCES.items()}
    base = len(found[ENGLISH][0])
    left, right = st.columns((4, 5), gap="medium")
    with left:
        plate.show(
            picture(row, {language: len(tokens) / base for language, (tokens, _) in found.items()})
        )
    with right:
        st.dataframe(
            [line(language, *found[language], base) for language in SENTENCES],
            hide_index=True,
            key="tok_languages",
            height=735,
        )
    st.markdown(
        said(
            row,
            {
                language: (len(tokens), measured.unknown)
                for language, (tokens, measured) in found.items()
            },
        )
    )
    if row is not MANY:
        st.markdown(
            said(
                MANY,
                {
                    language: (len(tokens), measured.unknown)
                    for language, (tokens, measured) in (
                        (name, cut(MANY, size, s)) for name, s in SENTENCES.items()
                    )
                },
            )
        )
    st.caption(
        "The sentence was translated for this page; other translations give somewhat different"
        " counts. Chinese, Japanese and Thai are written without spaces, so tokens per word"
        " mean nothing there. Bits per character: the length in a code built only from each"
        " token's frequency in the counted text; it is missing where a piece is unknown."
    )


def line(language: str, tokens: Any, measured: Any, base: int) -> dict[str, Any]:
    bits = measured.bits_per_character
    return {
        "language": language,
        "tokens": len(tokens),
        "times English": round(len(tokens) / base, 2),
        "per word": "–" if language in WITHOUT_BLANKS else number(measured.per_word),
        "bits per character": "–" if bits != bits else number(bits),
        "unknown": measured.unknown,
        "sentence": SENTENCES[language],
    }


def picture(row: Row, cost_L: dict[str, float]) -> Plate:
    spec = FieldSpec(
        "cost",
        Kind.SCORE,
        ("language",),
        "Tokens of the same sentence, relative to English",
        unit="times English",
    )
    field = Field(
        spec, np.array(list(cost_L.values()), np.float32), (Axis("language", tuple(cost_L)),)
    )
    return Plate(
        "tok-cost",
        "bars",
        (field,),
        "tokenizers",
        f"{row.title}; one sentence in each language",
        " ".join(SENTENCES[ENGLISH].split()[:6]),
        {"top": len(cost_L)},
        model=row.id,
    )


def said(row: Row, found_L: dict[str, tuple[int, int]]) -> str:
    """The dearest language, in one sentence that is true of these counts."""
    base = found_L[ENGLISH][0]
    lossless = {language: tokens for language, (tokens, unknown) in found_L.items() if not unknown}
    dumb = [language for language, (_, unknown) in found_L.items() if unknown]
    parts = []
    if base and lossless:
        worst = max(lossless, key=lambda language: lossless[language])
        parts.append(
            f"With {escape(row.title)} the sentence costs **{lossless[worst] / base:.1f} times** as"
            f" many tokens in {worst} as in English ({lossless[worst]} and {base})."
        )
    if dumb:
        parts.append(
            f"Few tokens can also mean that text is lost: in {', '.join(dumb)} some of it is"
            " unknown and becomes only a mark."
        )
    return " ".join(parts)
