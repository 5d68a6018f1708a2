"""Gates: every gate and state of every unit over the typed text, and the step that makes them, for any recurrent run."""

from pages.ui import cache, live, shell
from pages.ui.recurrent import gates, runs

lesson, run = shell.enter("lstm", runs.CELLS)
live.show(shell.opening(lesson, run), lambda: gates.stage(run, cache.model(run)), cache.is_open(run))
shell.sources(lesson, run)
