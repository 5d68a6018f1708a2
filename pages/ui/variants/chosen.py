"""What the sections of the lesson on variants share: the typed sentence, the model that is asked,
bars, numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.core.registry import smoothings
from engine.core.trace import Field, Kind
from engine.live.markdown import escape
from engine.ngram.smoothed import Smoothed
from engine.text.tokenizers.base import Tokens
from engine.views import theme
from pages.ui import ask
from pages.ui import rows as table
from pages.ui.address import begin
from pages.ui.counting.context import LONGEST, clean, unknown, word_id
from pages.ui.counting.study import BY_TEXT, Chosen
from pages.ui.plate import Plate
from pages.ui.typed import follows

FIRST, WORDS = "Kneser-Ney", 60  # tokens of a sentence that are read
SOURCE = "variants"
FLOOR = "Off: anything uncounted, such as the unknown word, has probability 0."
TITLES = {
    smoothings.get(id).title: id for id in smoothings.ids() if smoothings.get(id).is_probability
}


@dataclass(frozen=True)
class Reader:
    """A model of the counted text at one order, and its name."""

    model: Smoothed
    title: str

    @property
    def says(self) -> str:
        return f"{self.title}, order {self.model.order}"


def sentence(chosen: Chosen, where: DeltaGenerator) -> Tokens:
    """The tokens of the typed sentence; of the first counted line where nothing is typed."""
    hint, note = "empty: the first line of the text", follows("sentence")
    typed = ask.text("Sentence", "sentence", LONGEST, hint, where, on_change=note)
    found = encode(chosen, clean(typed))
    return found if len(found) else encode(chosen, chosen.study.lines[0])


def encode(chosen: Chosen, text: str) -> Tokens:
    """Cut, with a sentence about what the text does not have, and about what is too long."""
    found = chosen.study.tokenizer.encode(text.replace("\n", " "))
    if len(found) > WORDS:
        st.caption(f"The first {WORDS} {chosen.cut} are read.")
        found = chosen.study.tokenizer.encode(text.replace("\n", " ")[: found.spans[WORDS - 1][1]])
    if words := unknown(found):
        st.caption(f"{words}: not in the counted text, so read as the unknown token `<unk>`.")
    return found


def model(chosen: Chosen, number: str = "", first: str = FIRST, far: int = 2) -> Reader:
    """The controls of a model: how it smooths, and how far it looks; `first` and `far` are there at
    the beginning."""
    label = f"Smoothing {number}".strip()
    title = ask.pick(label, list(TITLES), f"smooth{number}", first)
    until = tuple(range(1, chosen.order + 1))
    label, begins = f"Order {number}".strip(), min(far, chosen.order)
    n = ask.among(label, until, f"n{number}", begins)
    floor = (
        bool(st.session_state.get("spare"))
        if number == "2"
        else ask.toggle("Reserve a little for uncounted words", "spare", help=FLOOR)
    )
    return Reader(_model(chosen, title, n, floor), title)


@st.cache_resource(max_entries=60, show_spinner=False, hash_funcs=BY_TEXT)
def _model(chosen: Chosen, title: str, order: int, floor: bool) -> Any:
    kind: Any = smoothings.get(TITLES[title])
    method = kind(**({"floor": floor} if "floor" in kind.__dataclass_fields__ else {}))
    return chosen.study.at_order(method, order)


def before(chosen: Chosen, text: str, start: bool) -> list[int]:
    """Ids of words on the left of a place; behind the start mark where a sentence begins."""
    ids = [int(i) for i in encode(chosen, text).ids]
    return [chosen.study.tokenizer.boundary, *ids] if start or not ids else ids


def after(reader: Reader, ids: list[int]) -> np.ndarray:
    """(V,) what the model expects behind these tokens."""
    model = reader.model
    places = model.counts.places(np.array(ids, np.int64))[-1:]
    return np.asarray(model.distributions(places)[0], np.float64)


def bars(
    chosen: Chosen,
    id: str,
    says: str,
    p_K: np.ndarray,
    ids: np.ndarray,
    of: str,
    text: str,
    end: float = 0.0,
) -> Plate:
    """The largest probabilities, of tokens with these ids; those that are 0 are left out.  `end` is
    where the axis ends at least, the same in pictures that are compared."""
    kept = np.flatnonzero(p_K > 0)
    words = [chosen.study.vocab[int(i)] for i in ids[kept]]
    field = Field.of(id, Kind.PROBABILITY, {"next": words}, p_K[kept], says)
    return chosen.plate(id, "bars", field, text, of, SOURCE, top=8, end=end)


def watched(chosen: Chosen, best: int, key: str, first: str = "") -> int:
    """The token that the formula is about: the box, else `best`."""
    begin(**{key: first})
    name = ask.text("Word in the formula", key, 100, "empty: the likeliest")
    found = word_id(chosen, name.strip() or name) if name else best
    if found is None:
        st.warning(
            f"“{escape(name[:40])}” is not a single token of the counted text; the likeliest"
            " token is explained instead."
        )
    return best if found is None else found


def word(chosen: Chosen, id: int) -> str:
    """A token as Markdown shows it."""
    return escape(theme.visible(chosen.study.vocab[id]))


def numbers(rows: list[dict[str, Any]]) -> None:
    """Rows with their probabilities to six places."""
    names = [name for name, value in rows[0].items() if isinstance(value, float)] if rows else []
    table.show(rows, forms=dict.fromkeys(names, "%.6f"))
