"""Text preparation: a pipeline ordered by hand over the typed text, each change marked where it happened, and what it gains and loses."""

from pages.ui import live, shell
from pages.ui.words import preparation

lesson = shell.head("preparation")
live.show(shell.opening(lesson), preparation.stage, preparation.ready())
shell.sources(lesson)
