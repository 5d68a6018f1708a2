"""How long a text a machine with a memory copies, beside an LSTM without one; and with other numbers of
slots."""

from __future__ import annotations

from collections.abc import Sequence

from engine.analysis import copies
from engine.live import cache
from engine.models.ntm import NTM
from engine.models.recurrent import RecurrentModel
from engine.runs.store import Run
from engine.text.corpora.repeats import LETTERS, LONGEST
from pages.ui import choice, kept, plate

SIZES = (1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 30, 40)
SLOTS = (8, 12, 16, 24, 32, 48, 64)


@kept.data(max_entries=32, show_spinner="Copying random lines…")
def _of_machine(run: Run, slots: int) -> list[float]:
    return copies.right(copies.with_slots(cache.model(run, NTM), slots), SIZES)


@kept.data(max_entries=8, show_spinner="Copying random lines…")
def _of_lstm(run: Run) -> list[float]:
    return copies.right(cache.model(run, RecurrentModel), SIZES)


def show(run: Run, other: Run | None, model: NTM) -> None:
    usual = model.config.slots
    options = sorted({*SLOTS, usual})
    slots = choice.one_of("Slots of the memory", options, "slots", usual, link=True)
    series: list[tuple[str, Sequence[float], Sequence[float]]] = [
        (f"NTM, {slots} slots", SIZES, _of_machine(run, slots))
    ]
    if other is not None:
        series.append(("LSTM", SIZES, _of_lstm(other)))
    plate.show(
        plate.lines(
            "lengths",
            "Letters copied correctly, by the length of the text.",
            series,
            run.id,
            f"24 random lines of each length. In training no line had more than {LONGEST} letters; a"
            f" guess is right in 1 of {len(LETTERS)}.",
            x="letters to copy",
            y="share right",
            model="ntm",
            low=0,
            high=1,
        )
    )
