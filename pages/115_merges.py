"""Merges: how the pieces of words are learned, step by step, on the typed text."""

from dataclasses import replace

from engine.lessons.merges import panels
from pages.ui import live, shell
from pages.ui.fragment import fragment
from pages.ui.merges import notes

lesson = shell.head("merges")
live.show(
    replace(
        shell.opening(lesson),
        prompt="A text to learn from; all below updates as you type",
    ),
    panels.stage,
)


@fragment
def page() -> None:
    notes.show()


page()
shell.sources(lesson)
