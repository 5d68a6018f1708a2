"""Gates: every gate and state of every unit over the typed text, and the step that makes them, for
any recurrent run."""

from engine.core.cell_card import listed
from engine.lessons.lstm import gates
from engine.live import cache
from pages.ui import fold, live, shell, stories

lesson, run = shell.enter("lstm", listed())
live.show(shell.opening(lesson, run), lambda: gates.opened(run), cache.is_open(run))
fold.show("Stories about such a memory, and what the models here do", stories.memory, "stories")
shell.sources(lesson, run)
