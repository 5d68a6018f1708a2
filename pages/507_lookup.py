"""Soft lookup: a library of keys and values that one types, read by a query, hard and soft."""

from dataclasses import replace

from engine.lessons.lookup import panels
from engine.live import cache
from pages.ui import live, shell

lesson, run = shell.enter("lookup", ("glove", "cbow", "fasttext"))
live.show(
    replace(
        shell.opening(lesson, run),
        prompt="The query on the first line, then a line for each key: its value behind a colon",
    ),
    lambda: panels.stage(run),
    cache.is_open(run),
)
shell.sources(lesson, run)
