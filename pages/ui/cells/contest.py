"""The contest: which cells, on which task; what is asked of them, and how far back they were
right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.analysis.contest import results
from engine.analysis.contest.entry import DISTURBED, Entry, Result
from engine.core import cell_card
from engine.core.registry import tasks
from engine.text.tasks.base import SILENT, Task
from pages.ui import place, plate, rows
from pages.ui.cells import training
from pages.ui.choice import one_of
from pages.ui.plate import Plate

FIRST = ("rnn", "lstm", "gru", "dual_memory")
SHORT = {
    "parameters": rows.WHOLE,
    "beyond training distances": st.column_config.TextColumn("farther than trained"),
    "beyond training distances, with distractors": st.column_config.TextColumn(
        "farther, with distractors"
    ),
}
SHOWN = 8  # the distance of the examples, or the next that there is


@dataclass(frozen=True)
class Chosen:
    """The cells, the task, and the entry of each cell."""

    cells: tuple[str, ...]
    task: Task
    entries: tuple[Entry, ...]
    forget: int = 1  # bias of the cells with one forget gate

    @property
    def says(self) -> str:
        e = self.entries[0]
        noise = f"{100 * e.noise:.0f} % distractors" if e.noise else "no distractors"
        size = (
            f"as many parameters as an LSTM of {e.units} units"
            if e.match == "parameters"
            else f"{e.units} units each"
        )
        return (
            f"{self.task.title}. Trained on {self.far} with {noise}; {size}; {e.steps} steps, seed"
            f" {e.seed}, forget bias {self.forget}"
        )

    @property
    def far(self) -> str:
        first, last = self.trained[0], self.trained[-1]
        return f"distances {first} to {last}" if first < last else f"distance {last} alone"

    @property
    def trained(self) -> list[int]:
        """The distances of the training."""
        return self.task.between(self.entries[0].shortest, self.entries[0].distance)


def cells(where: DeltaGenerator) -> tuple[str, ...]:
    """The picker of cells, which every part of the page obeys."""
    names = {cell_card.get(id).name: id for id in (*FIRST, *cell_card.listed())}
    with where.popover("Cells"):
        picked = st.pills(
            "Cells",
            list(names),
            default=[cell_card.get(id).name for id in FIRST],
            selection_mode="multi",
            key="cells",
            bind="query-params",
        )
    return tuple(names[name] for name in picked if name in names)


def choose(chosen_cells: tuple[str, ...], row: DeltaGenerator) -> Chosen:
    """The controls of the task and of the training, in one line."""
    by_title = {tasks.get(id).title: id for id in tasks.listed()}
    title = row.selectbox(
        "Task",
        list(by_title),
        key="task",
        bind="query-params",
        width=260,
        label_visibility="collapsed",
    )
    with row.popover("How they are trained", width="content"):
        noisy = one_of("Distractors in training", ["none", "half"], "noise", link=True)
        distances = ["short and long", "long only"]
        far = one_of("Distances in training", distances, "far", link=True)
        match = one_of("Equal number of", ["parameters", "units"], "match", link=True)
        a, b, c, d, e = (st.container() for _ in range(5))
        units = a.slider("Units of the LSTM", 8, 96, 40, 8, key="size", bind="query-params")
        distance = b.slider(
            "Longest distance in training", 5, 40, 20, 5, key="distance", bind="query-params"
        )
        steps = c.slider("Training steps", 100, 2000, 600, 100, key="steps", bind="query-params")
        seed = d.slider(
            "Seed",
            0,
            9,
            0,
            key="seed",
            bind="query-params",
            help="Another seed gives different initial weights, different streams and "
            "different results.",
        )
        forget = e.slider(
            "Forget bias before training",
            0,
            5,
            1,
            key="forget",
            bind="query-params",
            help="For the cells with one forget gate: LSTM, peephole, coupled, layer-norm. 0 is"
            " torch's default.",
        )
    id = by_title.get(title or "", "copy")
    noise, nearest = 0.5 if noisy == "half" else 0.0, distance if far == "long only" else 1
    entry = Entry("lstm", id, noise, match, units, nearest, distance, steps, seed)
    entries = []
    for cell in chosen_cells:
        bias = float(forget) if cell_card.get(cell).forgets else entry.forget_bias
        entries.append(replace(entry, cell=cell, forget_bias=bias))
    return Chosen(chosen_cells, tasks.get(id)(), tuple(entries), forget)


def example(chosen: Chosen) -> None:
    """One stream without distractors and one with them, and what is right."""
    task = chosen.task
    distance = next(d for d in (SHOWN, SHOWN + 1) if d in task.distances(d))
    lines = []
    for noise in (0.0, DISTURBED):
        (ids_T,), (targets_T,) = task.make(1, distance, chosen.entries[0].seed, noise)
        gap = " " if task.spaced else ""
        answers = gap.join(task.labels[i] for i in targets_T[targets_T != SILENT])
        lines.append(f"{task.written(ids_T)}   →  {answers}")
    st.markdown(task.says)
    st.code("\n".join(lines), language=None, wrap_lines=True)
    st.caption(
        f"Two streams of distance {distance}, without and with distractors, and the right"
        f" answers. A guess is right {100 * task.chance:.0f} % of the time."
    )


def show(chosen: Chosen) -> None:
    """Accuracy against distance of all that are trained; the others can be."""
    found = {e.cell: result for e in chosen.entries if (result := results.find(e)) is not None}
    training.offer([e for e in chosen.entries if e.cell not in found])
    if not found:
        st.info(
            "No cell has been trained with these settings yet. Train them with the button"
            " above; each takes a few seconds."
        )
        return
    says = f"The same cells with {100 * DISTURBED:.0f} % distractors in between"
    plate.row(
        curves(chosen, found, "clean", "Accuracy by distance"),
        curves(chosen, found, "disturbed", says),
        gap="small",
    )
    st.caption(
        f"Trained on {chosen.far}: accuracy at other distances is generalisation. Each point"
        " is measured on 400 new streams. Each cell was trained once; with another seed the"
        " curves differ somewhat."
    )
    with place.panel("results"):
        rows.show(table(found, chosen.trained), "results", SHORT)


def curves(chosen: Chosen, found: dict[str, Result], which: str, says: str) -> Plate:
    series = {cell_card.get(cell).name: getattr(result, which) for cell, result in found.items()}
    ends = next(iter(series.values()))
    series |= {"a guess": {min(ends): chosen.task.chance, max(ends): chosen.task.chance}}
    return plate.lines(
        which,
        says,
        [(name, points.keys(), points.values()) for name, points in series.items()],
        "contest",
        chosen.says,
        x="distance k",
        y="accuracy",
        low=0.0,
        high=1.0,
        of_series="",
        model=", ".join(found),
    )


def table(found: dict[str, Result], trained: list[int]) -> list[dict[str, Any]]:
    def mean(points: Mapping[int, float], beyond: bool) -> str:
        parts = [
            share
            for d, share in points.items()
            if (d > trained[-1] if beyond else trained[0] <= d <= trained[-1])
        ]
        return f"{100 * sum(parts) / len(parts):.1f} %" if parts else ""

    return [
        {
            "cell": cell_card.get(cell).name,
            "units": r.units,
            "parameters": r.parameters,
            "right": mean(r.clean, False),
            "beyond training distances": mean(r.clean, True),
            "with distractors": mean(r.disturbed, False),
            "beyond training distances, with distractors": mean(r.disturbed, True),
            "training time (s)": r.seconds,
        }
        for cell, r in found.items()
    ]
