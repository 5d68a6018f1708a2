"""What a sweep forwards and back takes over ever more tokens, measured here: time and memory, whole and
truncated; and what comes of a chunk that is a step too long."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.analysis import backpropagation, backpropagation_cost, backpropagation_ways, recall
from engine.analysis.backpropagation_ways import Way
from engine.analysis.digits import images
from engine.course import curriculum
from engine.live.markdown import escape
from engine.models.recurrent import RecurrentModel
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import ask, kept, plate, rows
from pages.ui.plate import Plate

LENGTHS = (16, 32, 64, 128, 256)
CHUNKS = (8, 32, 128)
SIZES = (1, 2, 4, 8, 16)
UPDATES, CLIP = 200, 1.0
WORDS = 40  # signs of a text
FED = "A fresh net that reads a digit"


def show(run: Run, model: RecurrentModel[Any]) -> None:
    st.subheader("What truncation saves", anchor=False)
    st.markdown(
        "The way back needs the states of the way there, so **memory** grows with the length of"
        " the text. One sweep back takes about as long for each token, however long the text is:"
        " truncated it takes about as **long**, or longer where chunks are short, but keeps the states"
        " of one chunk only. And the weights can be changed after each chunk."
    )
    found = measured(run, model)
    ways = [("whole", 0), *((f"{chunk} steps", chunk) for chunk in CHUNKS)]
    milliseconds, megabytes = (
        [
            (name, [n for n, c in counts], [found[c, n][i] for n, c in counts])
            for name, chunk in ways
            if (counts := [(n, chunk) for n in LENGTHS if n >= chunk])
        ]
        for i in (0, 1)
    )
    plate.row(
        _plate(run, "memory", "Memory for the way back", "megabytes", megabytes),
        _plate(run, "time", "Time forwards and back", "milliseconds", milliseconds),
    )
    st.caption(
        "Measured on this computer with one text and the weights of this run; a batch keeps as"
        " many times more as it has texts."
    )
    _counted(model)
    _ways(run, model)
    _too_long(run, model)
    _walls()


def _counted(model: RecurrentModel[Any]) -> None:
    """By formula, beside what was measured."""
    st.subheader("As deep as the text is long", anchor=False)
    net: Any = model.net
    weights = sum(sum(m.numel() for m in cell.matrices()[:2]) for cell in net.layers)
    states = sum(sum(cell.sizes()) for cell in net.layers)
    row = ask.line()
    tokens = ask.slider("Tokens", "c_tokens", 10, 1000, 100, 10, row, width=220)
    chunk = ask.slider("Truncated after", "c_chunk", 5, 200, 35, 5, row, width=220)
    held, deep = min(tokens, chunk), len(net.layers)
    columns = ("", "steps that wait for one another", "multiplications", "states kept")
    found = [
        ("whole", 2 * (tokens + deep - 1), 3 * tokens * weights, tokens * states),
        ("truncated", 2 * (tokens + deep - 1), 3 * tokens * weights, held * states),
        ("a feed-forward net as deep as this one", 2 * deep, 3 * weights, states),
    ]
    rows.show(
        {name: [line[i] for line in found] for i, name in enumerate(columns)},
        "cost.counted",
        dict.fromkeys(columns[1:], rows.WHOLE),
    )
    st.caption(
        f"A sweep there and back over the layers of this run, {weights:,} weights: each token multiplies all of them"
        " once on the way there and twice on the way back, for the state and for the weights. Over 1,000 tokens the"
        " gradient passes as many steps as layers in a net of 1,000 layers; but each has the same weights, and only"
        " depth is alike: what a step costs grows with the square of the width."
    )


def _ways(run: Run, model: RecurrentModel[Any]) -> None:
    """Backpropagation, and backpropagation through time, step by step beside each other."""
    st.subheader("Back through layers, back through time", anchor=False)
    ask.begin(ways_text="the king")
    row = ask.line()
    text = ask.text("Words for the recurrent net", "ways_text", WORDS, where=row, live="150ms")
    layers = int(ask.slider("Layers of the other", "ways_layers", 2, 8, 3, 1, row, width=160))
    back = int(ask.slider("Steps back", "ways_back", 1, WORDS, 2, 1, row, width=240))
    if len(tokens := model.tokens(text)) < 3:
        st.info("Type a longer text: nothing goes back through a single step.")
        return
    deep, long = through_layers(layers), backpropagation_ways.over_steps(model, tokens)
    plate.row(
        _way("layers", "Back through layers", deep, back, FED, "fresh", "fresh"),
        _way("steps", "Back through time", long, back, run.title, run.id, run.model),
    )
    at = min(back, layers) - 1
    st.markdown(
        f"**Layers**, step {at + 1} of {layers}, at layer {layers - at}: {number(float(deep.term_N[at]))}"
        " is added, which is all that the matrix of this layer gets."
    )
    at = min(back, len(long.names)) - 1
    st.markdown(
        f"**Time**, step {at + 1} of {len(long.names)}, at “{escape(long.names[at])}”:"
        f" {number(float(long.term_N[at]))} is added to the one recurrent matrix, which has"
        f" {number(float(long.whole_N[at]))} so far."
    )
    uses = len(long.names)
    st.markdown(
        "**The same five steps, over layers and over time:**\n\n"
        f"| | feed-forward net of {layers} layers, an image | recurrent net, {uses} tokens |\n"
        "|---|---|---|\n"
        "| forwards | layer by layer, each with weights of its own |"
        f" token by token, {uses} times the same weights; the state is handed on |\n"
        "| loss | one, at the output | one for each token that is predicted, added up |\n"
        f"| backwards | from layer {layers} to layer 1, each once |"
        " from the last token to the first, each from its own loss and from the state after it |\n"
        f"| gradient | each matrix has one term | each matrix has {uses} terms, one for each use,"
        " which are added |\n"
        f"| update | {layers} matrices move | one matrix moves, once for all {uses} uses |"
    )


def _way(id: str, title: str, way: Way, back: int, of: str, source: str, model: str) -> Plate:
    """So far as it has come."""
    x = range(1, min(back, len(way.names)) + 1)
    series = [
        ("gradient of the state", way.state_N),
        ("added to the matrix", way.term_N),
        ("the same matrix so far", way.whole_N),
    ]
    shared = bool((way.term_N != way.whole_N).any())
    return plate.lines(
        f"ways_{id}",
        title,
        [(name, x, found[: len(x)]) for name, found in series[: 3 if shared else 2]],
        source,
        of,
        x="steps back from the last",
        y="length",
        of_series="",
        whole=True,
        model=model,
    )


def _walls() -> None:
    st.subheader("What can be learned across a wall", anchor=False)
    st.markdown(
        "One of four letters comes first, blanks follow; at the end the net has to say which it was. **A wall stops"
        " the gradient, not the state**: where walls stand between letter and answer nothing teaches the net to keep"
        " the letter. What the state keeps of itself, as its weights begin, can still be read out."
    )
    row = ask.line()
    lag = ask.slider("Steps of the text", "w_lag", 4, 20, 12, 1, row, width=220)
    c = ask.slider("Size of the recurrent weights", "w_c", 0.8, 1.8, 1.2, 0.1, row, width=220)
    chunks = range(1, int(lag) + 1)
    right = recalled(c, int(lag))
    plate.show(
        plate.lines(
            "walls",
            "Letters recalled, by steps between walls",
            [("recalled", chunks, right), ("a guess", chunks, [0.25] * len(right))],
            "fresh",
            f"32 units, ReLU, {UPDATES} updates, weights {c:g} times an orthogonal matrix",
            x="steps between walls",
            y="share",
            of_series="",
            whole=True,
            model="fresh",
        )
    )
    st.caption(
        f"Without a wall between letter and answer {right[-1]:.0%} are recalled, with walls on average"
        f" {np.mean(right[:-1]):.0%}. Language models are trained with 20 to 50 steps between walls, and up to 100:"
        " choose it no shorter than what is to be learned. Make the weights larger: the state keeps more by itself,"
        " and short chunks begin to do."
    )
    _one(c, int(lag))


def _one(c: float, lag: int) -> None:
    """One of these trainings, update by update."""
    st.markdown("**One of these trainings, update by update:**")
    chunk = ask.slider("Steps between walls", "w_k", 1, 20, 20, 1, ask.line(), width=220)
    chunk = min(int(chunk), lag)
    made = trained(c, lag, chunk)
    updates, clipped = range(1, UPDATES + 1), int((made.norm_N > CLIP).sum())
    of = f"At most {chunk} steps between walls, c = {c:g}"
    same: dict[str, Any] = {"x": "update", "of_series": "", "tight": True, "model": "fresh"}
    length: list[tuple[str, Any, Any]] = [
        ("before clipping", updates, made.norm_N),
        ("threshold", updates, [CLIP] * UPDATES),
    ]
    plate.row(
        plate.lines(
            "one_loss", "Loss", [("loss", updates, made.loss_N)], "fresh", of, y="nats", **same
        ),
        plate.lines(
            "one_norm",
            "Length of the gradient",
            length,
            "fresh",
            of,
            y="length",
            log_y=True,
            **same,
        ),
    )
    st.caption(
        "An update: read the chunks in their order, hand the state on and stop the gradient at each wall, take the"
        f" loss at the end, go back, clip at {CLIP:g}, descend. Clipped: {clipped} of {UPDATES}. Recalled at the end:"
        f" {made.right:.0%}."
    )


@kept.data(max_entries=64, show_spinner="Training…")
def recalled(c: float, lag: int) -> list[float]:
    """The share of letters that come back, by steps between walls: 1 to `lag`, where none is between."""
    return [trained(c, lag, chunk).right for chunk in range(1, lag + 1)]


@kept.data(max_entries=256, show_spinner=False)
def trained(c: float, lag: int, chunk: int) -> recall.Training:
    return recall.train(c, CLIP, lag, UPDATES, chunk)


def _too_long(run: Run, model: RecurrentModel[Any]) -> None:
    st.subheader("A step too many", anchor=False)
    st.markdown(
        "A chunk of k steps that begins at step t **ends at t + k − 1**. A sum that runs to t + k takes the first step"
        " of the next chunk as well: its loss is counted twice, and the gradient of the weights is wrong."
    )
    text = curriculum.lesson("bptt").example
    found = doubled(run, model, text)
    if not found:
        return
    columns = ("k", "terms up to t + k − 1", "terms up to t + k", "losses counted twice", "error")
    rows.show(
        {name: [row[i] for row in found] for i, name in enumerate(columns)},
        "cost.doubled",
        {"error": "percent"},
    )
    st.caption(
        f"“{text}”, with the weights of this run. Terms: pairs of a loss and an earlier use of the recurrent weights."
        " Error: the length of the difference that it makes to the gradient of the recurrent weights, as a share of"
        " the right truncated one."
    )


@st.cache_data(max_entries=8, show_spinner=False)
def through_layers(layers: int) -> Way:
    """Of a held-out digit."""
    _, held = images.split()
    return backpropagation_ways.over_layers(held.ink[0].ravel(), int(held.digit[0]), layers)


@kept.data(max_entries=8, show_spinner=False)
def doubled(
    run: Run, _model: RecurrentModel[Any], text: str
) -> list[tuple[int, int, int, int, float]]:
    """A row for each chunk shorter than the text."""
    tokens, found = _model.tokens(text), []
    steps = len(tokens) - 1
    for chunk in (size for size in SIZES if size < steps):
        right, wrong = (
            np.concatenate(
                [g.ravel() for g in backpropagation.truncated(_model, tokens, chunk, over=over)]
            )
            for over in (0, 1)
        )
        few, many = (backpropagation.terms(steps, chunk, over) for over in (0, 1))
        error = float(np.linalg.norm(wrong - right)) / max(float(np.linalg.norm(right)), 1e-30)
        found.append((chunk, few, many, -(-steps // chunk) - 1, error))
    return found


@kept.data(max_entries=8, show_spinner="Measuring sweeps…")
def measured(run: Run, _model: RecurrentModel[Any]) -> dict[tuple[int, int], tuple[float, float]]:
    """Milliseconds and megabytes by (chunk, tokens)."""
    found = {}
    for chunk in (0, *CHUNKS):
        for count in (n for n in LENGTHS if n >= chunk):
            cost = backpropagation_cost.measure(_model, count, chunk)
            found[chunk, count] = (1e3 * cost.seconds, cost.bytes / 1e6)
    return found


def _plate(
    run: Run, id: str, says: str, y: str, series: list[tuple[str, list[int], list[float]]]
) -> Plate:
    return plate.lines(
        id,
        says,
        series,
        run.id,
        f"Model: {run.title} ({run.id}).",
        x="tokens",
        y=y,
        of_series="truncated after",
        model=run.model,
    )
