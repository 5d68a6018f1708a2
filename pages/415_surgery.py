"""Surgery: any gate or state of any recurrent run held, scaled or frozen, and what that changes."""

from engine.core.cell_card import listed
from engine.lessons.surgery import panels
from engine.live import cache
from pages.ui import live, shell

lesson, run = shell.enter("surgery", listed())
live.show(shell.opening(lesson, run), lambda: panels.opened(run), cache.is_open(run))
shell.sources(lesson, run)
