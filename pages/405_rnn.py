"""Recurrent network: one small loop over the typed text, the same weights at every step, every
number of a step."""

from engine.lessons.rnn import unrolled
from engine.live import cache
from engine.models.recurrent import RecurrentModel
from pages.ui import closer, live, shell
from pages.ui.rnn import bank, sharing, uses

lesson, run = shell.enter("rnn")
live.show(shell.opening(lesson, run), lambda: unrolled.opened(run), cache.is_open(run))
closer.show(
    run,
    RecurrentModel,
    {
        "A text of any length": lambda model: sharing.show_counts(run, model),
        "Two banks, one state": lambda model: bank.show_pair(run, model),
        "Where it is used": lambda model: uses.show_uses(),
    },
    key="part",
)
shell.sources(lesson, run)
