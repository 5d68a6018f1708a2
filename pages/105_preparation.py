"""Text preparation: a pipeline ordered by hand over the typed text, each change marked where it
happened, and what it gains and loses."""

from pages.ui import live, shell
from pages.ui.preparation import panels

lesson = shell.head("preparation")
live.show(shell.opening(lesson), panels.stage, panels.ready())
shell.sources(lesson)
