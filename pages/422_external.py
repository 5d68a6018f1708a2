"""External memory: a recurrent controller that writes to the slots of a memory and reads them, letter by
letter, beside an LSTM that has only its state."""

from dataclasses import replace

from engine.lessons.external import panels
from engine.live import cache
from engine.models.ntm import NTM
from pages.ui import closer, live, shell
from pages.ui.external import elsewhere, lengths

lesson, run = shell.enter("external")
other = panels.beside()
shown = [run, *([other] if other else [])]
live.show(
    replace(
        shell.opening(lesson, run, *(found.id for found in shown[1:])),
        prompt="Letters from a to h, the mark =, and the same letters",
    ),
    lambda: panels.stage(run, other),
    cache.is_open(*shown),
)
closer.show(
    run,
    NTM,
    {
        "How long a copy": lambda model: lengths.show(run, other, model),
        "Put a head elsewhere": lambda model: elsewhere.show(run, model),
    },
    key="part",
)
shell.sources(lesson, run)
