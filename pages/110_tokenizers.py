"""Tokenizers: one sentence cut in every way at once; what each way costs, loses and gives back."""

from engine.lessons.tokenizers import panels
from pages.ui import live, shell
from pages.ui.tokenizers import joined, parts

lesson = shell.head("tokenizers")
rows = (*panels.SHIPPED, *joined.choose())
live.show(shell.opening(lesson), lambda: panels.stage(rows, parts.below(rows)))
shell.sources(lesson)
