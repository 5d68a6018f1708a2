"""Below the Generation page: the true text foretold when the model reads it, and when it reads its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import streamlit as st

from engine import decode
from engine.decode.forcing import bits, inverse_sigmoid
from engine.runs import Run
from engine.trace import Table, TableSpec
from engine.views.theme import visible
from pages.ui import cache, plate, texts
from pages.ui.attention import decoding_work
from pages.ui.plain import escape
from pages.ui.plate import Plate

CORPUS, PASSAGES, GIVEN, LENGTH, LONG = "stories", 16, 60, 24, 600  # of each passage so many characters are given, so many tokens measured
WORDS = {1.0: "reads the truth (teacher forcing)", 0.0: "reads its own (free running)"}


def begins(model: Any, id: str) -> list[tuple[str, tuple[int, ...]]]:
    """(given, ids of what truly follows) of passages of a text; what is too short for that is left out."""
    found = []
    for passage in texts.stretches(id, PASSAGES, LONG):
        given = passage[: max(passage.find(" ", GIVEN), GIVEN)]
        truth = tuple(model.tokens(passage).ids[len(model.tokens(given)) :][:LENGTH].tolist())
        if len(truth) == LENGTH or (truth and id == CORPUS):  # some stories are shorter
            found.append((given, truth))
    return found


def passages(model: Any, id: str, share: float) -> Iterator[np.ndarray]:
    """Per passage its bits (place,) at this share of truth."""
    for n, (given, truth) in enumerate(begins(model, id)):
        row = bits(decode.read(model, model.tokens(given)), truth, share, seed=n)
        yield np.pad(row, (0, LENGTH - len(row)), constant_values=np.nan)


def measured(run: Run, model: Any, id: str, share: float, tell: Callable[[int], None]) -> np.ndarray:
    """Bits (passage, place), measured once."""
    key = ("exposure", str(run.folder), run.note.get("recipe"), id, share)
    return np.array(decoding_work.of(key, lambda: passages(model, id, share)).finish(tell))


def shifted(model: Any, text: str) -> dict[str, list[str]]:
    """What is read at each step, what should come, and with which probability it is foretold."""
    trace = model.trace(text[:120], fields=("probability",))
    rows = range(min(10, len(trace.ids) - 1))
    p_TV = trace.field("probability").values if rows else np.zeros((0, 0))
    return {
        "read": [visible(trace.tokens[t]) if trace.spans[t][1] else "start" for t in rows],
        "should say": [visible(trace.tokens[t + 1]) for t in rows],
        "P": [f"{100 * p_TV[t, trace.ids[t + 1]]:.3g} %" for t in rows],
    }  # fmt: skip


def part(run: Run, text: str) -> None:
    st.subheader("Teacher forcing and free running", anchor=False)
    st.markdown(
        "In training the model reads the **true** text, one place behind what it should say, whatever it would have said itself: teacher forcing. "
        "So all places of a text are learned in one pass. In use it reads **its own** tokens, and an early slip is read by every later step: free running."
    )
    model = cache.model(run)
    rows = shifted(model, text)
    if rows["read"]:
        st.dataframe([{"": name, **{str(n): v for n, v in enumerate(values, 1)}} for name, values in rows.items()], hide_index=True)
        st.caption(f"Teacher forcing on “{escape(text[:60])}”: the second row is the first, moved by one place. P: what the model gave to the token that should come.")
    share = st.select_slider("Share of true tokens that are read", [0.25, 0.5, 0.75, 0.9], 0.75, format_func=lambda s: f"{100 * s:.0f} %", key="truth", width=420)
    options = {CORPUS: "", **texts.listed()}
    id = texts.pick("Passages to foretell", options, "exposure.text", width=420)
    if st.button("Measure on this model") or st.session_state.get("exposed") == run.id:
        st.session_state["exposed"] = run.id
        try:
            curves(run, model, float(share), id, options[id])
        except LookupError as problem:
            st.error(f"{str(problem)[:1].upper()}{str(problem)[1:]}.")
    st.markdown(
        "**Scheduled sampling** trains for this: with probability ε a training step reads the true token, otherwise the model's own. ε begins at 1 and falls with the step i, "
        "for instance as an inverse sigmoid,"
    )
    st.latex(r"\varepsilon_i = \frac{k}{k + e^{i/k}}, \quad k \geq 1")
    said = ", ".join(f"{inverse_sigmoid(step, 1000):.3f} at step {step:,}" for step in (0, 5_000, 6_908, 10_000))
    st.markdown(f"A larger k keeps to the truth longer: with k = 1,000, ε is {said}. The models here were trained with teacher forcing alone.")


def curves(run: Run, model: Any, share: float, id: str, title: str) -> None:
    shares = (1.0, share, 0.0)
    bar = st.progress(0.0, "Reading the passages…")
    found = [measured(run, model, id, s, lambda n, i=i: bar.progress((i * PASSAGES + n) / (3 * PASSAGES), f"Passage {n} of {PASSAGES}, curve {i + 1} of 3")) for i, s in enumerate(shares)]
    bar.empty()
    count = len(found[0])
    if not count:
        st.info("This text has no passage that is long enough. Choose another one.")
        return
    names = [WORDS.get(s, f"reads {100 * s:.0f} % of the truth") for s in shares]
    mean = [np.nanmean(rows, 0) for rows in found]
    columns = {
        "series": np.repeat(np.array(names, object), LENGTH), "x": np.tile(np.arange(1, LENGTH + 1), 3).astype(float), "value": np.concatenate(mean),
    }  # fmt: skip
    says = f"Bits of the true token at each place, mean over {count} passages."
    table = Table(TableSpec("exposure", tuple(columns), says), columns)
    truth, _, own = (float(np.nanmean(rows)) for rows in found)
    first = float(np.nanmean(found[2][:, 0] - found[0][:, 0]))
    st.markdown(
        f"Over {LENGTH} tokens of {count} passages the truth costs **{truth:.2f} bits** a token where the model reads it, **{own:.2f} bits** where it reads its own: "
        f"a gap of **{own - truth:.2f} bits**, {first:.2f} at the first place, where both have read the same. "
        f"Not all of the gap is error: a text of its own may go on well and still not foretell this one."
    )
    options = {"x": "place behind what was given (tokens)", "y": "surprisal of the true token (bits)", "of_series": "the model", "whole": True, "tight": True}
    plate.show(Plate("exposure", "curve", (table,), run.id, f"Model: {run.title} ({run.id}); passages of “{title}”", options=options, model=run.model))
