"""Surgery: any gate or state of any recurrent run held, scaled or frozen, and what that changes."""

from pages.ui import cache, live, shell
from pages.ui.recurrent import runs, surgery

lesson, run = shell.enter("surgery", runs.CELLS)
live.show(shell.opening(lesson, run), lambda: surgery.stage(run, cache.model(run)), cache.is_open(run))
shell.sources(lesson, run)
