"""One vocabulary for both languages or one for each: what two texts share, what either way costs, and
a list of pieces that cuts what one types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from engine.analysis import vocabularies
from engine.core.trace import Table
from engine.lessons.translation.panels import sides
from engine.live.markdown import escape
from engine.runs.store import Run
from pages.ui import ask, plate, rows
from pages.ui.address import begin
from pages.ui.plate import Plate

if TYPE_CHECKING:
    from engine.models.translating import TranslatingModel

MOST = 400  # characters
TEXTS = {  # of each language; two texts of a checkpoint begin with the first two
    "English": "The cat is on the mat.",
    "French": "Le chat est sur le tapis.",
    "Spanish": "El gato está sobre la alfombra.",
    "source": "The cat is on the mat.",
    "target": "Le chat est sur le tapis.",
}
WORDS = "The cat est on le matis chatsur tapis"
PUBLISHED = (  # Bahdanau 2014; Sutskever 2014; Vaswani 2017; Raffel 2020; Liu 2020; Xue 2021; Fan 2021
    ("Bahdanau, 2014", "one for each", "30,000 and 30,000", "words"),
    ("Sutskever, 2014", "one for each", "160,000 and 80,000", "words"),
    ("Transformer, 2017", "one for both", "37,000", "byte pairs"),
    ("T5, 2020", "one for both", "32,000", "SentencePiece"),
    ("mBART, 2020", "one for both", "250,000", "SentencePiece"),
    ("mT5, 2021", "one for both", "250,000", "SentencePiece"),
    ("M2M-100, 2021", "one for both", "128,000", "SentencePiece"),
)


def quoted(words: set[str]) -> str:
    return ", ".join(f"“{word}”" for word in sorted(words))


def show(run: Run, model: TranslatingModel[Any]) -> None:
    languages = sides(run)
    names = [f"{name} text" for name in languages]
    begin(**{f"voc_{name}": TEXTS[name] for name in languages})
    texts = [
        ask.text(label, f"voc_{name}", MOST, where=place, live="150ms")
        for name, label, place in zip(languages, names, st.columns(2), strict=True)
    ]
    first, second = map(vocabularies.types, texts)
    both, width = first & second, int(model.config.width)
    sizes = Table.of(
        "types",
        "Different words and signs of the two texts, in small letters",
        {"set": [*names, "both texts"], "size": [len(first), len(second), len(both)]},
    )
    of = f"both have: {quoted(both)}" if both else "they have none in common"
    plate.show(
        Plate(
            "vocabularies",
            "venn",
            (sizes,),
            run.id,
            of,
            " ".join(texts),
            model=run.model,
            square=True,
        )
    )
    table = [
        {"vocabulary": how, "entries": f"{count:,}", "numbers of the tables": f"{count * d:,}"}
        for how, count, d in (
            (f"one for each text, {width} numbers each", len(first) + len(second), width),
            (f"one for both, {width} numbers each", len(first | second), width),
            ("two of 32,000 entries, 512 numbers each", 64_000, 512),
            ("one of 32,000 entries, 512 numbers each", 32_000, 512),
            ("one of 250,000 entries, 512 numbers each", 250_000, 512),
        )
    ]
    rows.show(table, "vocabularies.table")
    read = [model.tokenizer.encode(text) for text in texts]
    unknown = {
        text[slice(*tokens.spans[t])]
        for text, tokens in zip(texts, read, strict=True)
        for t in tokens.unknown
    }
    st.markdown(
        f"Unknown to this model: {escape(quoted(unknown))}."
        if unknown
        else "This model can read every word of the two texts."
    )
    begin(voc_list=" ".join(vocabularies.TEN), voc_words=WORDS)
    listed = ask.text("A list of pieces", "voc_list", MOST).split()
    words = ask.text("Words to cut", "voc_words", MOST, live="150ms").split()
    cut = vocabularies.pieces(words, listed)
    found = [
        {"word": word, "pieces": " · ".join(parts)} for word, parts in zip(words, cut, strict=True)
    ]
    rows.show(found, "vocabularies.pieces")
    st.caption(
        "The longest piece that fits is taken first; ## stands before a piece that goes on with a"
        " word. Capitals count. Where no piece fits what is left, the whole word is unknown: [UNK]."
    )
    published = [
        dict(zip(("published model", "vocabulary", "entries", "kind"), row, strict=True))
        for row in PUBLISHED
    ]
    rows.show(published, "vocabularies.published")
