"""Below the Generation page: the true text foretold when the model reads it, and when it reads its
own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis import decode
from engine.analysis.decode.forcing import bits, inverse_sigmoid
from engine.lessons.decoding import work
from engine.live import cache
from engine.live.markdown import escape, sentence
from engine.runs.store import Run
from engine.views.theme import visible
from pages.ui import plate, rows, texts

if TYPE_CHECKING:
    from engine.models.base import Model

# of each passage so many characters are given, so many tokens measured
CORPUS, PASSAGES, GIVEN, LENGTH, LONG = "stories", 16, 60, 24, 600
WORDS = {1.0: "reads the truth (teacher forcing)", 0.0: "reads its own (free running)"}


def begins(model: Model[Any], id: str) -> list[tuple[str, tuple[int, ...]]]:
    """(given, ids of what truly follows) of passages of a text; what is too short for that is left
    out."""
    found = []
    for passage in texts.stretches(id, PASSAGES, LONG):
        given = passage[: max(passage.find(" ", GIVEN), GIVEN)]
        truth = tuple(model.tokens(passage).ids[len(model.tokens(given)) :][:LENGTH].tolist())
        if len(truth) == LENGTH or (truth and id == CORPUS):  # some stories are shorter
            found.append((given, truth))
    return found


def passages(model: Model[Any], id: str, share: float) -> Iterator[np.ndarray]:
    """Per passage its bits (place,) at this share of truth."""
    for n, (given, truth) in enumerate(begins(model, id)):
        row = bits(decode.read(model, model.tokens(given)), truth, share, seed=n)
        yield np.pad(row, (0, LENGTH - len(row)), constant_values=np.nan)


def measured(
    run: Run, model: Model[Any], id: str, share: float, tell: Callable[[int], object]
) -> np.ndarray:
    """Bits (passage, place), measured once."""
    key = ("exposure", *run.key, id, share)
    return np.array(work.of(key, lambda: passages(model, id, share)).finish(tell))


def shifted(model: Model[Any], text: str) -> dict[str, list[str]]:
    """What is read at each step, what should come, and with which probability it is foretold."""
    trace = model.trace(text[:120], fields=("probability",))
    steps = range(min(10, len(trace.ids) - 1))
    p_TV = trace.field("probability").values if steps else np.zeros((0, 0))
    return {
        "read": [visible(trace.tokens[t]) if trace.spans[t][1] else "start" for t in steps],
        "should say": [visible(trace.tokens[t + 1]) for t in steps],
        "P": [f"{100 * p_TV[t, trace.ids[t + 1]]:.3g} %" for t in steps],
    }


def forced(run: Run, text: str) -> None:
    """Teacher forcing on what stands in the box."""
    st.subheader("Teacher forcing and free running", anchor="forcing")
    st.markdown(
        "In training the model reads the **true** text, whatever it would have written itself:"
        " teacher forcing. So all positions of a text are learned in one pass. In use it reads"
        " **its own** tokens, and every later step reads an early mistake: free running."
    )
    model = cache.model(run)
    said = shifted(model, text)
    if said["read"]:
        rows.show([{"": name, **_numbered(values)} for name, values in said.items()])
        st.caption(
            f"Teacher forcing on “{escape(text[:60])}”: the second row is the first, shifted by"
            " one position. P is the probability the model gave to the correct token."
        )


def part(run: Run) -> None:
    """The same text foretold from the truth and from the model's own words, measured."""
    model = cache.model(run)
    share = st.select_slider(
        "Share of true tokens that are read",
        [0.25, 0.5, 0.75, 0.9],
        0.75,
        format_func=lambda s: f"{100 * s:.0f} %",
        key="truth",
        width=420,
    )
    options = {CORPUS: "", **texts.listed()}
    id = texts.pick("Passages to predict", options, "exposure.text", width=420)
    if st.button("Measure on this model") or st.session_state.get("exposed") == run.id:
        st.session_state["exposed"] = run.id
        try:
            curves(run, model, float(share), id, options[id])
        except LookupError as problem:
            st.error(sentence(problem))
    st.markdown(
        "**Scheduled sampling** trains for this: with probability ε a training step reads the true"
        " token, otherwise the model's own. ε begins at 1 and falls with the step i, for instance"
        " as an inverse sigmoid,"
    )
    st.latex(r"\varepsilon_i = \frac{k}{k + e^{i/k}}, \quad k \geq 1")
    steps = (0, 5_000, 6_908, 10_000)
    falls = ", ".join(f"{inverse_sigmoid(step, 1000):.3f} at step {step:,}" for step in steps)
    st.markdown(
        f"A larger k keeps the true tokens longer: with k = 1,000, ε is {falls}. The models here"
        " were trained with teacher forcing alone."
    )


def _numbered(values: list[str]) -> dict[str, str]:
    return {str(n): value for n, value in enumerate(values, 1)}


def _tell(bar: DeltaGenerator, curve: int, n: int) -> None:
    share = (curve * PASSAGES + n) / (3 * PASSAGES)
    bar.progress(share, f"Passage {n} of {PASSAGES}, curve {curve + 1} of 3")


def curves(run: Run, model: Model[Any], share: float, id: str, title: str) -> None:
    shares = (1.0, share, 0.0)
    bar = st.progress(0.0, "Reading the passages…")
    found = [measured(run, model, id, s, partial(_tell, bar, i)) for i, s in enumerate(shares)]
    bar.empty()
    count = len(found[0])
    if not count:
        st.info("This text has no passage that is long enough. Choose another one.")
        return
    names = [WORDS.get(s, f"reads {100 * s:.0f} % of the truth") for s in shares]
    places = range(1, LENGTH + 1)
    truth, _, own = (float(np.nanmean(bits)) for bits in found)
    first = float(np.nanmean(found[2][:, 0] - found[0][:, 0]))
    st.markdown(
        f"Over {LENGTH} tokens of {count} passages, the true text costs **{truth:.2f} bits** a"
        f" token if the model reads it, **{own:.2f} bits** if it reads its own: a gap of"
        f" **{own - truth:.2f} bits**, {first:.2f} at the first place, where both have read the"
        " same. Not all of the gap is error: the model's own text may be good and still not"
        " predict this one."
    )
    drawn = plate.lines(
        "exposure",
        f"Bits of the true token at each place, mean over {count} passages.",
        [(n, places, np.nanmean(bits, 0)) for n, bits in zip(names, found, strict=True)],
        run.id,
        f"Model: {run.title} ({run.id}); passages of “{title}”",
        x="place behind what was given (tokens)",
        y="surprisal of the true token (bits)",
        of_series="the model",
        whole=True,
        tight=True,
        every=True,
        model=run.model,
    )
    plate.show(drawn)
