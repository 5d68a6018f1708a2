"""Sentence classifier: filters that look for phrases in the typed sentence, the best match of each, and
what it adds to the answer."""

from engine.lessons.textcnn import panels
from engine.live import cache
from engine.models.textcnn import TextCNN
from pages.ui import closer, live, shell
from pages.ui.bag import mistakes
from pages.ui.textcnn import measured, seeks

lesson, run = shell.enter("textcnn")
live.show(shell.opening(lesson, run), lambda: panels.stage(run), cache.is_open(run))
closer.show(
    run,
    TextCNN,
    {
        "What a filter looks for": lambda model: seeks.show(run, model),
        "How often it is right": lambda model: measured.show(run),
        "Its surest mistakes": lambda model: mistakes.of_run(run),
    },
    key="part",
)
shell.sources(lesson, run)
