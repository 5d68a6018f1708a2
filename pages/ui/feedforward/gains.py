"""What a state brings over a window: four gains, each measured on trained models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from engine.analysis import recurrence_gains, windowed
from engine.lessons.feedforward import beside
from engine.live import cache
from engine.live.markdown import escape
from engine.models.base import Model
from engine.models.feedforward import FeedForward
from engine.models.recurrent import RecurrentModel
from engine.runs import store
from engine.runs.store import Run
from engine.shipped import scoreboard
from pages.ui import ask, kept, plate, rows

AGREEMENT = "lstm_agreement"
LONGEST, WIDER = 160, (5, 10, 20, 50)
TEXTS = (
    "The old sailor told his crew",
    "The young queen told her maids",
    "that it would be better to wait until the morning",
)
TEXT = "The girl went to the door. The door was open, and the wind came into the room."


@kept.data
def focused(run: Run) -> list[recurrence_gains.Focus]:
    return recurrence_gains.focus(cache.model(run, RecurrentModel))


@kept.data
def scores(root: Path) -> dict[str, float]:
    """Bits per token on unseen novels, by id of the run, of those that lie in a folder."""
    first = {
        id: about["results"][0].get("alone", {}) for id, about in scoreboard.read(root).items()
    }
    return {id: of["bits_per_token"] for id, of in first.items() if "bits_per_token" in of}


def show(run: Run, model: FeedForward) -> None:
    other = next((other for other, title in beside.choose(run) if title == "LSTM"), None)
    if other is None:
        st.info("This needs an LSTM that cuts a text into the same tokens; none is here.")
        return
    lstm = cache.model(other, RecurrentModel)
    st.markdown(f"Beside this net stands *{escape(other.title)}*, which carries a state.")
    focus()
    reach(run, model, lstm)
    parameters(run, model, other, lstm)
    adaptation(model, lstm)


def focus() -> None:
    st.markdown("##### Adaptive focus")
    run = next((run for run in cache.runs("lstm") if run.id == AGREEMENT), None)
    if run is None:
        return
    found = focused(run)
    far = [of for of in found if of.distance >= 5]
    share = sum(of.count for of in far) / sum(of.count for of in found)
    st.markdown(
        "An LSTM that learned sentences such as “The keys to the old cabinet are rusty.” reads new ones up to the verb."
        " Then one noun is put in the other number. If it is the subject, the share of “are” moves by nearly all; if it"
        f" stands between, hardly at all, although it is nearer. In {100 * share:.0f} % of the sentences the subject is"
        " five or more tokens before the verb."
    )
    at = [of.distance for of in found]
    plate.show(
        plate.lines(
            "focus",
            "How far the share of “are” moves",
            [
                ("the subject in the other number", at, [of.subject for of in found]),
                ("a noun between in the other number", at, [of.between for of in found]),
            ],
            run.id,
            f"{sum(of.count for of in found)} sentences drawn anew; in"
            f" {sum(of.right * of.count for of in found):.0f} of them the right verb is the likelier one.",
            x="tokens from the subject to the verb",
            y="share moved",
            of_series="what was changed",
            whole=True,
            low=0.0,
            high=1.0,
            model=run.model,
        )
    )


def reach(run: Run, model: FeedForward, lstm: RecurrentModel[Any]) -> None:
    n = model.config.window
    st.markdown("##### Variable context")
    st.markdown(
        f"Two beginnings, then the same words. Once {n} words are the same, the net with the window cannot tell the two"
        " texts apart: the distance between its two distributions is exactly 0. That of the LSTM is not."
    )
    line = ask.line()
    one = ask.text("One beginning", "gain_one", LONGEST, where=line, value=TEXTS[0])
    two = ask.text("Another", "gain_two", LONGEST, where=line, value=TEXTS[1])
    end = ask.text("The same end", "gain_end", LONGEST, value=TEXTS[2])
    try:
        found = {
            name: recurrence_gains.apart(of, (one.strip(), two.strip()), end.strip())
            for name, of in ((f"window of {n} words", model), ("LSTM", lstm))
        }
    except ValueError:
        st.info("Type two beginnings, and an end that both share.")
        return
    words, _ = next(iter(found.values()))
    plate.show(
        plate.lines(
            "reach",
            "How far apart what comes next still is",
            [(name, range(len(apart_E)), apart_E) for name, (_, apart_E) in found.items()],
            run.id,
            "Total variation distance: 0 is the same, 1 has nothing in common.",
            x="words that were the same",
            y="total variation",
            of_series="model",
            whole=True,
            text=end,
            model=run.model,
        )
    )
    window_E, lstm_E = (apart_E for _, apart_E in found.values())
    st.markdown(
        f"After “{escape(' '.join(words))}” the distance is **{window_E[-1]:.4f}** for the window and"
        f" **{lstm_E[-1]:.4f}** for the LSTM."
    )


def parameters(run: Run, model: FeedForward, other: Run, lstm: RecurrentModel[Any]) -> None:
    st.markdown("##### Parameter efficiency")
    v, at = len(model.tokenizer.vocab), scores(store.SHIPPED)
    written: list[tuple[str, ...]] = [("model", "number of weights", "bits per token")]
    for n in dict.fromkeys((model.config.window, *WIDER)):
        total = windowed.size(model.config, v, n).total
        known = n == model.config.window and run.id in at
        written.append((f"window of {n} words", f"{total:,}", f"{at[run.id]:.2f}" if known else ""))
    bits = f"{at[other.id]:.2f}" if other.id in at else ""
    written.append(("LSTM, any length", f"{learned(lstm):,}", bits))
    st.markdown(rows.written(written, "--- | --: | --:"))
    st.markdown(
        "Bits per token are of five novels that neither has seen. With as many weights the LSTM needs fewer bits; a"
        " wider window would cost more with every word."
    )


def learned(model: Model[Any]) -> int:
    return sum(x.size for x in model.weights().values() if x.dtype.kind == "f")


def adaptation(model: FeedForward, lstm: RecurrentModel[Any]) -> None:
    st.markdown("##### Dynamic adaptation")
    line = ask.line()
    text = ask.text("Text", "gain_text", LONGEST, where=line, value=TEXT)
    word = ask.text("Word in it", "gain_word", 20, where=line, value="the").strip()
    found = recurrence_gains.occurrences(lstm, text, word) if word else []
    if not found:
        st.info("The text does not have this word.")
        return
    tokens = lstm.tokens(text)
    written: list[tuple[str, ...]] = [
        ("read so far", "mean forget gate", "distance from the first")
    ]
    for of in found:
        ids = tokens.ids[max(0, of.token - 3) : of.token + 1]
        before = " ".join(lstm.tokenizer.vocab[int(id)] for id in ids)
        written.append((f"… {escape(before)}", f"{of.forget:.3f}", f"{of.other:.3f}"))
    st.markdown(rows.written(written, "--- | --: | --:", texts=True))
    length = np.linalg.norm(
        windowed.blocks(model)[-1]
        @ model.weights()["embed.weight"][int(tokens.ids[found[0].token])]
    )
    st.markdown(
        "The distance is that of the forget gates, unit by unit, on average. They read the state too, so the same word"
        " opens and closes them in another way at each place. In the net with the window it adds the same vector"
        " to the hidden layer every time, of"
        f" length {length:.2f}, whatever came before."
    )
