"""Tokenizers: one sentence cut in every way at once; what each way costs, loses and gives back."""

from pages.ui import live, shell
from pages.ui.words import tokenizers, tokenizers_joined, tokenizers_parts

lesson = shell.head("tokenizers")
rows = (*tokenizers.SHIPPED, *tokenizers_joined.choose())
live.show(shell.opening(lesson), lambda: tokenizers.stage(rows, tokenizers_parts.below(rows)))
shell.sources(lesson)
