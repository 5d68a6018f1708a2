"""Batch size: how noisy the gradient of a batch is, and the noise scale of a real run."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from typing import Any

import numpy as np

from engine.analysis.optimising import noise_scale
from engine.analysis.optimising.noise_scale import SPAN, WINDOWS, Noise
from engine.frame.blocks import (
    Beside,
    Block,
    Chart,
    Controls,
    Formula,
    Note,
    Progress,
    Train,
    curves,
)
from engine.frame.control import Others, number, pick, start
from engine.frame.part import Taking, once_told, part
from engine.language.message import Message, _
from engine.models.neural import NeuralLanguageModel
from engine.runs.store import Run
from engine.text import collection
from engine.views.base import number as written

RUN, TEXT = "lstm_small", "stories"
LETTERS = 200_000  # of the text
Open = Callable[[Run], NeuralLanguageModel[Any]]


def recurrent(given: Others) -> dict[str, str]:
    """Recurrent language models, the usual one first."""
    found = [run for run in given["runs"] if run.model in ("lstm", "gru", "rnn")]
    return {run.id: run.title for run in sorted(found, key=lambda run: run.id != RUN)}


@once_told
def measured(run: Run, open_run: Open, *, key: object, seed: int) -> Taking[Noise]:
    told = _("Computing {windows} gradients of {span} tokens each", windows=WINDOWS, span=SPAN)
    yield Progress(0.0, told)
    return noise_scale.measure(open_run(run), collection.find(TEXT).text()[:LETTERS], seed=seed)


@part("Batch size")
def noise(
    runs: Sequence[Run],
    open_run: Open,
    noise_of: str = pick("Run", recurrent, width=320),
    noise_seed: int = number("Seed of the windows", 0, 999_999, 0),
    *,
    noise_steps: bool = start("At earlier steps of its training too"),
) -> Generator[Block, None, None]:
    run = next((run for run in runs if run.id == noise_of), None)
    if run is None:
        raise ValueError("The shipped runs are not there.")
    yield (
        "A batch is a sample of the text, and its gradient an estimate: a larger one is less noisy, by"
        " the root of its size, and costs more. The **noise scale** is the batch at which noise and"
        " signal are equal: far below it, twice the batch lets you take a step about twice as long; far"
        " above it, hardly a longer one."
    )
    found = yield from measured(run, open_run, key=run.key, seed=noise_seed)
    yield said(found)
    yield Formula(
        rf"B_\text{{noise}} = \frac{{\operatorname{{tr}} \Sigma}}{{|G|^2}} ="
        rf" \frac{{{written(found.spread)}}}{{{written(found.signal)}}} = {written(found.scale)}"
        r"\ \text{windows}"
    )
    yield Beside([[chart] for chart in charts(found, run)])
    if steps := sorted(run.snapshots):
        yield Controls(["noise_steps"])
        if noise_steps:
            at = dict[int, float]()
            for step in steps:
                then = run.at(step)
                at[step] = (
                    yield from measured(then, open_run, key=then.key, seed=noise_seed)
                ).scale
            at.setdefault(int(run.note.get("steps") or steps[-1]), found.scale)
            yield curves(
                "noise-steps",
                "Noise scale while the run learned",
                {"noise scale": ([*at], [*at.values()])},
                "step",
                "windows",
                run.title,
                log_x=True,
                log_y=True,
            )
    scale = found.scale if math.isfinite(found.scale) else WINDOWS
    batch = int(min(512, max(1, 2 ** round(math.log2(max(1.0, scale))))))
    yield Train({"batch": batch, "span": SPAN}, text=TEXT)
    yield Note(
        "“Small: 8 to 32, large: 64 to 256” is no general rule: the noise scale grows while a model"
        " learns, which is the reason to begin with small batches and to end with large ones."
    )


def charts(noise: Noise, run: Run) -> tuple[Chart, Chart]:
    sizes, fine = noise.sizes(), np.geomspace(1, WINDOWS, 25)
    note = _(
        "{title}, {windows} windows of {span} tokens", title=run.title, windows=WINDOWS, span=SPAN
    )
    lengths = {
        "|G|² + tr Σ / B": (fine, noise.signal + noise.spread / fine),
        "|G|²": (fine, np.full(len(fine), noise.signal)),
        "measured": (sizes, [noise.length(b) for b in sizes]),
    }
    cosines = {"measured": (sizes, [noise.cosine(b) for b in sizes])}
    x = "windows in a batch"
    return (
        curves(
            "noise",
            "Squared length by batch",
            lengths,
            x,
            "squared length",
            note,
            log_x=True,
            log_y=True,
        ),
        curves("cosine", "Cosine with the rest", cosines, x, "cosine", note, log_x=True),
    )


def said(noise: Noise) -> Message:
    one, other = noise.apart()
    return _(
        "With one window the mean cosine is {least}, with {half} it is {most}. The noise scale is **{scale}**"
        " windows, or {tokens:,.0f} tokens; of either half of the windows {one} and {other}, which is how far"
        " chance moves it.",
        least=written(noise.cosine(1)),
        half=WINDOWS // 2,
        most=written(noise.cosine(WINDOWS // 2)),
        scale=written(noise.scale),
        tokens=noise.scale * SPAN,
        one=written(one),
        other=written(other),
    )
