"""The panels of the page on an external memory: which slots are written and read at each token, how an
address is made, the memory itself, and what an LSTM without one says beside it."""

from __future__ import annotations

from collections.abc import Mapping

from engine.live import cache
from engine.live.drawing import picked, shortlists
from engine.live.reader import Reader
from engine.live.stage import Panel, Stage
from engine.models.ntm import NTM, START
from engine.models.recurrent import RecurrentModel
from engine.runs.store import Run

HEADS = ("write", "read")
STEPS = ("content", "mixed", "moved", "address")
SENT = (
    *(
        f"{head}.{part}"
        for head in HEADS
        for part in (*STEPS, "gate", "key", "shift", "sharp", "strength")
    ),
    "erase",
    "add",
    "memory",
    "reading",
)
MARK = "="


def stage(shown: Mapping[str, Run], **_chosen: object) -> Stage:
    run, other = shown["ntm"], shown.get("lstm")
    model = cache.model(run, NTM)
    labels = {"head": list(HEADS), "slot": [str(n) for n in range(model.config.slots)]}
    readers = [
        (Reader("ntm", run.title, model, run.id, "characters", SENT, more={"labels": labels}), run)
    ]
    if other is not None:
        lstm = cache.model(other, RecurrentModel)
        readers.append((Reader("lstm", other.title, lstm, other.id, "characters", colour=1), other))
    names = {reader.id: reader.title for reader, _ in readers}
    here = {"reader": "ntm"}
    panels = (
        Panel(
            "tape",
            "tape",
            "Where it writes and reads",
            "A row for each slot of the memory, a column for each letter. The larger a mark, the"
            " larger the weight of the slot. Below, what the neural Turing machine (NTM) and the LSTM"
            " say comes next, against the letter that is right.",
            {**here, "mark": MARK, "readers": names},
            picked("ntm", "", ["write.address", "read.address"]),
        ),
        Panel(
            "address",
            "address",
            "How the address is made",
            "",
            {**here, "column": "left", "steps": STEPS, "heads": HEADS, "start": START},
            picked("ntm", "", [f"{head}.{step}" for head in HEADS for step in STEPS], ["token"]),
        ),
        Panel(
            "slots",
            "slots",
            "The memory",
            "A row for each slot, a column for each of its numbers. Of what was there, a share is erased"
            " first, then something is added, both the more the more the slot is written. Point at a"
            " number for the sum.",
            {**here, "column": "right", "start": START},
            picked("ntm", "heatmap", ["memory"], ["token"]),
        ),
        Panel(
            "next",
            "tops",
            "What comes next",
            options={"most": 6},
            figure=shortlists(names, 6),
        ),
    )
    return Stage(
        tuple(readers), panels, most=240, selection={"by": "read"}, vertical=None, columns=(7, 5)
    )


LIVE = stage
