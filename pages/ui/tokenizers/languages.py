"""The same sentence in nineteen languages: how many tokens each language pays for the same
thing."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.core.trace import Field, Kind
from engine.lessons.tokenizers.rows import MANY, Row, cut
from engine.live.markdown import escape
from engine.text.tokenizer_comparison.compare import Measure
from engine.text.tokenizer_comparison.languages import ENGLISH, SENTENCES, WITHOUT_BLANKS
from engine.text.tokenizers.base import Tokens
from engine.views.base import number
from pages.ui import plate
from pages.ui import rows as table
from pages.ui.plate import Plate
from pages.ui.tokenizers.numbers import chosen


def show(rows: tuple[Row, ...], text: str, size: int) -> None:
    st.markdown(
        "One everyday sentence, the same in every language. Commercial models charge by the"
        " token, and a context window is measured in tokens: a language that needs three times"
        " as many gets a third of the text for the same money. The tokenizers here learned"
        " from **English** alone (bytes learn nothing); “of many languages” learned from one"
        " text in all nineteen, the Universal Declaration of Human Rights."
    )
    row = chosen((*rows, *(() if MANY in rows else (MANY,))), "tok_language", "bpe")
    found = {language: cut(row, size, sentence) for language, sentence in SENTENCES.items()}
    base = len(found[ENGLISH][0])
    left, right = st.columns((4, 5), gap="medium")
    costs = {language: len(tokens) / base for language, (tokens, _) in found.items()}
    plate.show(picture(row, costs), left)
    for each in dict.fromkeys((row, MANY)):
        right.markdown(said(each, {name: cut(each, size, s) for name, s in SENTENCES.items()}))
    right.caption(
        "The sentence was translated for this page; other translations give somewhat different"
        " counts. Chinese, Japanese and Thai are written without spaces, so tokens per word"
        " mean nothing there. Bits per character: the length in a code built only from each"
        " token's frequency in the counted text; it is missing where a piece is unknown."
    )
    table.show([line(language, *found[language], base) for language in SENTENCES], "tok_languages")


def line(language: str, tokens: Tokens, measured: Measure, base: int) -> dict[str, Any]:
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
    says = "Tokens of the same sentence, relative to English"
    values = np.array(list(cost_L.values()))
    field = Field.of("cost", Kind.SCORE, {"language": cost_L}, values, says, unit="times English")
    of = f"{row.title}; one sentence in each language"
    text, options = " ".join(SENTENCES[ENGLISH].split()[:6]), {"top": len(cost_L)}
    return Plate("tok-cost", "bars", (field,), "tokenizers", of, text, options, model=row.id)


def said(row: Row, found_L: dict[str, tuple[Tokens, Measure]]) -> str:
    """The dearest language, in one sentence that is true of these counts."""
    base = len(found_L[ENGLISH][0])
    lossless = {name: len(tokens) for name, (tokens, m) in found_L.items() if not m.unknown}
    dumb = [name for name, (_, m) in found_L.items() if m.unknown]
    parts = []
    if base and lossless:
        worst = max(lossless, key=lossless.__getitem__)
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
