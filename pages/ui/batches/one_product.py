"""One product for the whole batch and for all four gates, measured on this machine."""

from __future__ import annotations

import streamlit as st

from engine.analysis.batching import step
from engine.analysis.batching.step import Race
from engine.live import cache
from engine.models.neural import NeuralLanguageModel
from engine.views.base import number
from pages.ui import ask, plate, rows, train
from pages.ui.batches import matrix


@st.cache_data(max_entries=64, show_spinner="Measuring")
def _raced(size: int, units: int) -> Race:
    return step.lines(size, units, units)


@st.cache_data(max_entries=64, show_spinner="Measuring")
def _gates(size: int, _key: object) -> Race:
    found = matrix.run()
    assert found is not None
    return step.gates(step.of_lstm(cache.model(found, NeuralLanguageModel)), size)


@st.cache_data(show_spinner=False)
def _slopes(lengths: tuple[int, ...]) -> tuple[float, float, float]:
    return step.against_autograd(lengths)


@st.cache_data(show_spinner=False)
def _shapes() -> tuple[list[str], int]:
    return step.shapes(32, 100, 300, 512)


def show() -> None:
    st.markdown(
        "The lines of a batch do not depend on each other. A step reads row after row of a matrix at once,"
        " in one product, and a processor is far faster at that than at a loop over the lines."
    )
    row = ask.line()
    size = ask.slider("Lines in a batch", "b_rows", 1, 128, 32, 1, row, width=260)
    units = ask.among("Units", (64, 128, 256), "b_units", 128, row)
    st.latex(r"H_t = \tanh(X_t W_x^\top + H_{t-1} W_h^\top + b), \qquad Y_t = H_t W_y^\top + c")
    left, right = st.columns(2)
    with left:
        st.markdown("**One step of a plain recurrent layer**")
        _told(_raced(size, int(units)))
    found = matrix.run()
    with right:
        st.markdown("**The sums of an LSTM's four gates, weights of a shipped run**")
        if found is not None:
            _told(_gates(size, found.key))
        st.caption(
            "The blocks lie one below another in the order i, f, g, o, as in torch. Some texts write f, i, C, o:"
            " weights taken over without moving the blocks give another net."
        )
    shapes, parameters = _shapes()
    st.caption(
        f"Torch's own LSTM of 300 inputs and 512 units has {parameters:,} parameters. Of a batch {shapes[0]} it makes"
        f" {shapes[1]}; its last state is {shapes[2]}: the batch comes second there, also with batch_first=True."
    )
    st.markdown("**Back through a padded batch**")
    st.latex(
        r"\delta A_t = \delta H_t \odot (1 - H_t^2), \quad \delta H_t = M_t \odot \delta Y_t W_y +"
        r" \delta A_{t+1} W_h, \quad \nabla W_h = \sum_t \delta A_t^\top H_{t-1}"
    )
    loss, largest, away = _slopes((2, 5, 3))
    st.markdown(
        f"Three lines of 2, 5 and 3 tokens: loss {number(loss)} nats, largest slope {number(largest)}. These sums,"
        f" written out, differ from torch's own gradients by at most {number(away)}."
    )
    _serial()
    train.link({"batch": size, "units": int(units)}, text="stories")


def _told(race: Race) -> None:
    rows.show(
        [{"way": name, "ms": ms} for name, ms in zip(race.names, race.ms, strict=True)],
        forms={"ms": "%.4f"},
    )
    st.markdown(
        f"**{number(race.faster)} times** as fast, measured just now on this machine; the results differ by at most"
        f" {number(race.apart)}."
    )


def _serial() -> None:
    st.markdown("**Steps that wait for one another**")
    row = ask.line()
    documents = ask.between(row.number_input, "Documents", "documents", 1, 1_000_000, 10_000)
    words = ask.between(row.number_input, "Words in each", "words", 1, 100_000, 500)
    batch = ask.between(row.number_input, "Documents in a batch", "in_batch", 1, 4_096, 32)
    cells, waits = step.serial(int(documents), int(words), int(batch))
    st.latex(
        rf"\lceil {int(documents)} / {int(batch)} \rceil \cdot {int(words)} = {waits:,}".replace(
            ",", r"{,}"
        )
    )
    st.markdown(
        f"An epoch has {cells:,} steps of a cell; in batches {waits:,} of them wait for one another. A Transformer"
        f" reads all words of a batch at once: {-(-int(documents) // int(batch)):,} passes."
    )
    done_N, read_N = step.epoch(int(documents), int(batch))
    plate.show(
        plate.lines(
            "epoch",
            "An epoch in steps that wait for one another",
            [
                ("recurrent net", int(words) * done_N, read_N),
                ("Transformer", done_N, read_N),
            ],
            "steps",
            f"{int(documents):,} documents of {int(words):,} words, {int(batch):,} in a batch",
            x="steps",
            y="documents read",
            of_series="",
            log_x=True,
            model="formula",
        )
    )
    st.caption(
        "Steps, not seconds: a step of the Transformer multiplies all words of its batch, one of the"
        " recurrent net only one word of each document. How long they take depends on what a machine"
        " does at the same time."
    )
