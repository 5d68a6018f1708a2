"""The contest of cells, what they cost, two of them side by side, how far a gradient reaches in a fresh one, and the
dual memory as it is described and as measured.

Shapes    d = numbers in the input, h = units
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from engine import frame as fr
from engine.analysis.contest import results
from engine.analysis.contest.entry import DISTURBED, Entry, Result
from engine.analysis.contest.parameters import parameters
from engine.core import cell_card
from engine.core.registry import tasks
from engine.language.message import Message, _, refusal
from engine.language.numbers import number
from engine.lessons.cells import chooser, trainer
from engine.lessons.cells.reach import Start, reach
from engine.text.tasks.base import SILENT, Task

FIRST = ("rnn", "lstm", "gru", "dual_memory")
LAG = {
    "cells": ("rnn", "lstm", "gru", "lstm1997"),
    "task": "lag",
    "noise": "none",
    "match": "parameters",
    "size": 40,
    "distance": 20,
    "steps": 600,
    "seed": 0,
}
TRIES = {
    "Long distances only": (
        LAG | {"far": "long only", "forget": 1},
        "There are no short distances to start from: the RNN and the LSTM only guess. The GRU"
        " and the LSTM of 1997 find the link.",
    ),
    "The same, with a forget bias of 3": (
        LAG | {"far": "long only", "forget": 3},
        "Only the LSTM's forget bias has changed. Now it learns what it could not learn"
        " before: the gradient reaches back to the letter.",
    ),
    "Unseen distractors": (
        LAG | {"far": "short and long", "forget": 1},
        "All were trained without distractors. In the picture on the right, the GRU falls"
        " below 70 % beyond the training distances, while the LSTM stays above 99 %. Then set"
        " distractors in training to half. Resistance to noise is learned, and then all of"
        " these cells have it.",
    ),
}
SHOWN_AT = 8  # the distance of the examples, or the next that there is


def names(_given: fr.Others) -> dict[str, str]:
    return {id: cell_card.get(id).name for id in dict.fromkeys((*FIRST, *cell_card.listed()))}


def titles(_given: fr.Others) -> dict[str, str]:
    return {id: tasks.get(id).title for id in tasks.listed()}


CELLS = fr.shared(fr.several("Cells", names, FIRST))


def join_names(cells: Sequence[str]) -> str:
    return ", ".join(cell_card.get(cell).name for cell in cells)


@fr.part("Which remembers longest?", was=("clean", "disturbed", "results", "part-results"))
def contest(
    cells: tuple[str, ...] = CELLS,
    *,
    task: str = fr.pick("Task", titles, "copy", width=260),
    noise: str = fr.pick("Distractors in training", ("none", "half"), few=True),
    far: str = fr.pick("Distances in training", ("short and long", "long only"), few=True),
    match: str = fr.pick("Equal number of", ("parameters", "units"), few=True),
    size: int = fr.slider("Units of the LSTM", 8, 96, 40, 8),
    distance: int = fr.slider("Longest distance in training", 5, 40, 20, 5),
    steps: int = fr.slider("Training steps", 100, 2000, 600, 100),
    seed: int = fr.slider("Seed", 0, 9, 0),
    forget: int = fr.slider("Forget bias before training", 0, 5, 1),
    train: bool = fr.start(
        "Train those that are not",
        ("cells", "task", "noise", "far", "match", "size", "distance", "steps", "seed", "forget"),
        help="About 5 to 20 seconds each, one after the other, in a separate process.",
    ),
) -> fr.Blocks:
    yield (
        "Each of these ten cells has been presented as an improvement. Here they get tasks in"
        " which the right answer lies a known distance back. All are trained in the same way"
        " and tested on new streams."
    )
    settings = ["noise", "far", "match", "size", "distance", "steps", "seed", "forget"]
    yield fr.Line(
        [
            fr.Controls(["task"]),
            fr.Controls(settings, button="How they are trained"),
            fr.Presets("Examples", {title: values for title, (values, _look) in TRIES.items()}),
        ]
    )
    if not cells:
        raise ValueError("Choose at least one cell above, or better two.")
    held = {
        "cells": cells,
        "task": task,
        "noise": noise,
        "far": far,
        "match": match,
        "size": size,
        "distance": distance,
        "steps": steps,
        "seed": seed,
        "forget": forget,
    }
    for values, look in TRIES.values():
        if values == held:
            yield fr.Note(look)
    shortest = distance if far == "long only" else 1
    share = 0.5 if noise == "half" else 0.0
    plain = Entry("", task, share, match, size, shortest, distance, steps, seed)
    entries = {
        cell: replace(plain, cell=cell, forget_bias=float(forget))
        if cell_card.get(cell).forgets
        else replace(plain, cell=cell)
        for cell in cells
    }
    if any(results.find(entry) is None for entry in entries.values()):
        yield fr.Controls(["train"])
        if train:
            yield from trained(entries)
    kind, found = tasks.get(task)(), {c: r for c, e in entries.items() if (r := results.find(e))}
    if not found:
        yield fr.Note("No cell has been trained with these settings yet; each takes a few seconds.")
    else:
        yield from measured(kind, plain, forget, found)
    yield from example(kind, seed)


def trained(entries: Mapping[str, Entry]) -> Iterator[fr.Progress]:
    """Until all that are not yet are, or somebody looks elsewhere.  ValueError where one fails."""
    wanted = [entry for entry in entries.values() if results.find(entry) is None]
    n = 0
    try:
        for n, share in trainer.train(wanted):
            words = _("Training {cell}", cell=join_names([wanted[n].cell]))
            yield fr.Progress((n + share) / len(wanted), words)
    except RuntimeError as problem:
        raise refusal("{cell}: {problem}", cell=join_names([wanted[n].cell])) from problem


def measured(task: Task, of: Entry, forget: int, found: Mapping[str, Result]) -> fr.Blocks:
    """Accuracy against distance, and its means."""
    between = task.between(of.shortest, of.distance)
    first, last = between[0], between[-1]
    far = _("distances {first} to {last}", first=first, last=last)
    if first == last:
        far = _("distance {last} alone", last=last)
    size = _("{n} units each", n=of.units)
    if of.match == "parameters":
        size = _("as many parameters as an LSTM of {n} units", n=of.units)
    note = _(
        "{task}. Trained on {far} with {noise:.0%} distractors; {size}; {steps} steps, seed {seed}, forget bias"
        " {forget}",
        task=Message(task.title),
        far=far,
        noise=of.noise,
        size=size,
        steps=of.steps,
        seed=of.seed,
        forget=forget,
    )
    charts = []
    for which, title in (
        ("clean", _("Accuracy by distance")),
        ("disturbed", _("The same cells with {share:.0%} distractors in between", share=DISTURBED)),
    ):
        points = {join_names([cell]): getattr(result, which) for cell, result in found.items()}
        ends = next(iter(points.values()))
        points["a guess"] = {min(ends): task.chance, max(ends): task.chance}
        series: fr.Series = {name: (by.keys(), by.values()) for name, by in points.items()}
        x, y = "distance k", "accuracy"
        chart = fr.curves(which, title, series, x, y, note, low=0.0, high=1.0, tight=False)
        charts.append([chart])
    yield fr.Beside(charts)
    yield fr.Note(
        _(
            "Trained on {far}: accuracy at other distances is generalisation. Each point is measured on 400 new"
            " streams. Each cell was trained once; with another seed the curves differ somewhat.",
            far=far,
        )
    )

    def mean(points: Mapping[int, float], beyond: bool) -> str:
        parts = [p for d, p in points.items() if (d > last if beyond else first <= d <= last)]
        return f"{100 * sum(parts) / len(parts):.1f} %" if parts else ""

    heads = ("cell", "units", "parameters", "right", "farther than trained", "with distractors")
    more = ("farther, with distractors", "training time (s)")
    rows = [
        (
            join_names([cell]),
            r.units,
            r.parameters,
            *(
                mean(points, beyond)
                for points in (r.clean, r.disturbed)
                for beyond in (False, True)
            ),
            r.seconds,
        )
        for cell, r in found.items()
    ]
    shown = fr.table((*heads, *more), rows, forms={"parameters": fr.WHOLE})
    yield fr.Section("results", [shown])


def example(task: Task, seed: int) -> fr.Blocks:
    """One stream without distractors and one with them, and what is right."""
    distance = next(d for d in (SHOWN_AT, SHOWN_AT + 1) if d in task.distances(d))
    lines = []
    for noise in (0.0, DISTURBED):
        (ids_T,), (targets_T,) = task.make(1, distance, seed, noise)
        answers = (task.labels[i] for i in targets_T[targets_T != SILENT])
        lines.append(f"{task.written(ids_T)}   →  {(' ' if task.spaced else '').join(answers)}")
    yield task.says
    yield fr.Code("\n".join(lines), None)
    yield fr.Note(
        _(
            "Two streams of distance {distance}, without and with distractors, and the right answers. A guess is"
            " right {chance:.0%} of the time.",
            distance=distance,
            chance=task.chance,
        )
    )


@fr.part("What does it cost?", was=("parameters", "part-parameters"))
def costs(
    cells: tuple[str, ...] = CELLS,
    d: int = fr.slider("Input numbers d", 1, 512, 100),
    h: int = fr.slider("Units h", 1, 512, 256),
) -> fr.Blocks:
    yield (
        "A cell is made of blocks. Each maps input and state to $h$ numbers: $h\\,(d + h)$"
        " weights and $h$ biases. An RNN has one block, a GRU three, an LSTM four. So a GRU"
        " has exactly **three quarters** of the parameters of an LSTM, whatever $d$ and $h$"
        " are."
    )
    if not cells:
        raise ValueError("Choose at least one cell above, or better two.")
    units = sorted({*range(32, 513, 32), h})
    title = "Parameters of one layer, one bias for each block"
    series = {join_names([c]): (units, [parameters(c, d, n) for n in units]) for c in cells}
    note = _("With d = {d} input numbers", d=d)
    rows = []
    for cell in cells:
        card, count = cell_card.get(cell), parameters(cell, d, h)
        blocks = f"{card.blocks} " if card.blocks > 1 else ""
        besides = f" + {card.per_unit} h" if card.per_unit else ""
        torch = f"{card.torch}: {parameters(cell, d, h, 2):,}" if card.torch else ""
        share = f"{100 * count / parameters('lstm', d, h):.1f} %"
        rows.append((card.name, f"{blocks}h (d + h + 1){besides}", count, share, torch))
    heads = ("cell", "formula", "parameters", "of an LSTM", "in torch")
    yield fr.Beside(
        [
            [fr.curves("parameters", title, series, "units h", "parameters", note)],
            [
                fr.table(heads, rows, forms={"parameters": fr.WHOLE}),
                fr.Note(
                    "Torch keeps two biases for each block. Only their sum matters, so a block has h"
                    " more numbers than it needs."
                ),
            ],
        ],
        (3, 5),
    )
    yield fr.Note(
        "“A GRU is 30 % faster”: it has 25 % fewer products, which saves at most 25 % of the time, and only if products"
        " are all the work. How long each cell trained stands in the table of the contest."
    )


WIDTH = (100, 256)


@fr.part("LSTM or GRU?", was=("chooser", "one", "other", "back", "between"))
def duels(
    one: str = fr.pick("This cell", names, "lstm", width=190),
    other: str = fr.pick("Or this one", names, "gru", width=190),
    back: int = fr.slider("Distance", 2, 40, 20),
    between: bool = fr.switch("With distractors in between", True),
) -> fr.Blocks:
    yield (
        "How far back does a fact lie, and is something like it in between? Each row is a training of both cells with"
        " about as many parameters."
    )
    found = chooser.duels(one, other, back, between)
    if one == other or not found:
        raise ValueError("Choose two different cells that were both trained.")
    pair, better = (join_names([one]), join_names([other])), [duel.better for duel in found]
    yield _(
        "**{one} is better in {a} of {all} trainings, {other} in {b}**; in {alike} they are alike, within what"
        " {streams} test streams can tell.",
        one=pair[0],
        other=pair[1],
        a=better.count(0),
        b=better.count(1),
        all=len(found),
        alike=better.count(-1),
        streams=chooser.TESTED,
    )
    rows = []
    for duel in found:
        entry = duel.first.entry
        how = "half distractors" if entry.noise else "no distractors"
        if entry.shortest > 1:
            how = "long distances only"
        best = "both alike" if duel.better < 0 else pair[duel.better]
        shares = (f"{100 * share:.3g} %" for share in duel.shares)
        rows.append((tasks.get(entry.task).title.partition(":")[0], how, *shares, best))
    yield fr.table(("task", "trained with", *pair, "better"), sorted(rows))
    seconds = [sum(getattr(d, side).seconds for d in found) for side in ("first", "second")]
    count = [parameters(cell, *WIDTH) for cell in (one, other)]
    yield _(
        "**Cost.** With {d} input numbers and {h} units {one} has {a:,} parameters, {other} {b:,}. These trainings"
        " took {s:.0f} s and {t:.0f} s of a processor.",
        d=WIDTH[0],
        h=WIDTH[1],
        one=pair[0],
        other=pair[1],
        a=count[0],
        b=count[1],
        s=seconds[0],
        t=seconds[1],
    )
    yield fr.Note(
        "Alike means: take the cheaper one. Each cell was trained once; with another seed a few rows may turn, so a"
        " lead of one or two rows is no reason."
    )


LAGS = (5, 10, 20, 50, 99)


@fr.once
def reached(cell: str, bias: float, scale: float) -> np.ndarray:
    return reach(cell, Start(bias, scale))


@fr.part("Gradient of an untrained cell", was=("reach", "bias", "times"))
def untrained(
    cells: tuple[str, ...] = CELLS,
    bias: int = fr.slider("Forget bias", 0, 6, 0),
    times: str = fr.pick("Scale of recurrent weights", ("1", "3"), few=True),
) -> fr.Blocks:
    yield (
        "Before training: how much would a small change of the input $k$ tokens ago still"
        " change the end? Where that is next to nothing, training has little to follow. It is"
        " not the whole story: Adam, which trains the cells above, divides each step by the"
        " size of past gradients, so a faint one that always points the same way can be"
        " enough."
    )
    if not cells:
        raise ValueError("Choose at least one cell above, or better two.")
    found = {cell: reached(cell, float(bias), float(times)) for cell in cells}
    yield fr.curves(
        "reach",
        "Gradient of the end of the sequence with respect to each input",
        {join_names([cell]): (range(len(r)), r) for cell, r in found.items()},
        "lag k",
        "gradient, relative to lag 0",
        _(
            "Untrained cells of 64 units, recurrent weights times {times}; a forget bias of 0 is torch's default,"
            " random values close to 0",
            times=times,
        ),
        log_y=True,
        every=True,
    )
    rows = [(join_names([cell]), *(number(float(r[k])) for k in LAGS)) for cell, r in found.items()]
    yield fr.table(("cell", *(_("lag {k}", k=k) for k in LAGS)), rows)
    yield from compare_curves(found, bias)
    yield fr.Note(
        "32 input numbers, 64 units, 100 tokens of noise, 16 streams, loss Σ h², seed 1; norm of"
        " the gradient at each token, relative to the last."
    )


def compare_curves(found: Mapping[str, np.ndarray], bias: int) -> fr.Blocks:
    """What the curves say of these cells."""
    if "lstm" in found:
        left = float(found["lstm"][50])
        yield (
            _(
                "With a forget bias of {bias} the forget gates of the LSTM begin near {gate:.2f}; at lag 50 {left} of"
                " the gradient is left.",
                bias=bias,
                gate=1 / (1 + np.exp(-bias)),
                left=left,
            )
            if bias
            else _(
                "In an untrained LSTM the gradient vanishes too: at lag 50 {left} of the gradient is left.",
                left=left,
            )
        )
    growing = [cell for cell, r in found.items() if float(r[99]) > 1]
    if growing:
        yield _(
            "At lag 99 it is larger than at the end in {cells}: a gradient that does not fade can grow. Gradient"
            " clipping is the usual remedy.",
            cells=join_names(growing),
        )
    if "lstm1997" in found:
        yield "The LSTM of 1997 has no forget gate: it keeps everything, so its gradient does not fade."
    if "dual_memory" in found:
        yield (
            "The long memory of the dual cell begins with a forget bias of 3. With that bias"
            " an LSTM reaches about as far, without a second memory."
        )


@fr.part("The dual memory")
def dual() -> fr.Blocks:
    yield (
        "- No publication describes this cell, which teaching material calls STLM. The"
        " published ST-LSTM (Wang et al., PredRNN, 2017) is a different cell, whose second"
        " memory runs through the layers.\n"
        "- Nothing in its equations is about space: no convolution, no neighbours.\n"
        "- Both memories receive the **same** candidate. With equal gates they stay equal for"
        " ever; only different gates separate them. Here the short one begins with a forget"
        " bias of −1, the long one with +3.\n"
        "- The description lists two output gates and uses one. So does this cell.\n"
        "- After 50 steps, a short-term forget gate of 0.258 leaves 3.8 · 10⁻³⁰, a long-term"
        " one of 0.9543 leaves 9.6 %. How long a memory lasts depends on its gate, as in any"
        " LSTM."
    )


PARTS = (contest, costs, duels, untrained, dual)
